/* The description of a model: a table of keys, presets in place of a mapping or beside its keys, then checks
 * of the values together. */
#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "traffic/training/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum key_type { KEY_COUNT, KEY_REAL, KEY_FLAG, KEY_RECOMPUTE } key_type;

typedef struct model_key {
    const char *section, *name;
    size_t offset;
    key_type type;
    double low, high;
    const char *fallback; /* NULL: required */
} model_key;

#define AT(member) offsetof(training_model, member)

/* The limits keep all products exact in double, and times below those of schedules. */
static const model_key keys[] = {
    {"model", "layers", AT(layers), KEY_COUNT, 1, 4096, NULL},
    {"model", "hidden", AT(hidden), KEY_COUNT, 1, 1 << 20, NULL},
    {"model", "heads", AT(heads), KEY_COUNT, 1, 1 << 16, NULL},
    {"model", "kv_heads", AT(kv_heads), KEY_COUNT, 1, 1 << 16, ""}, /* as heads */
    {"model", "ffn", AT(ffn), KEY_COUNT, 1, 1 << 22, NULL},
    {"model", "vocab", AT(vocab), KEY_COUNT, 1, 1 << 22, NULL},
    {"model", "seq", AT(seq), KEY_COUNT, 1, 1 << 24, NULL},
    {"model", "gated", AT(gated), KEY_FLAG, 0, 0, "true"},
    {"model", "causal", AT(causal), KEY_FLAG, 0, 0, "true"},
    {"model", "experts", AT(experts), KEY_COUNT, 1, 1 << 16, "1"},
    {"model", "top_k", AT(top_k), KEY_COUNT, 1, 1 << 16, "1"},
    {"batch", "global", AT(global), KEY_COUNT, 1, 1 << 24, NULL},
    {"batch", "micro", AT(micro), KEY_COUNT, 1, 1 << 16, "1"},
    {"parallel", "tensor", AT(tensor), KEY_COUNT, 1, 1 << 16, "1"},
    {"parallel", "context", AT(context), KEY_COUNT, 1, 1 << 16, "1"},
    {"parallel", "data", AT(data), KEY_COUNT, 1, 1 << 20, "1"},
    {"parallel", "pipeline", AT(pipeline), KEY_COUNT, 1, 4096, "1"},
    {"parallel", "expert", AT(expert), KEY_COUNT, 1, 1 << 16, "1"},
    {"parallel", "interleave", AT(interleave), KEY_COUNT, 1, 4096, "1"},
    {"parallel", "zero", AT(zero), KEY_COUNT, 0, 3, "0"},
    {"parallel", "sequence", AT(sequence), KEY_FLAG, 0, 0, "false"},
    {"parallel", "overlap", AT(overlap), KEY_FLAG, 0, 0, "true"},
    {"parallel", "recompute", AT(recompute), KEY_RECOMPUTE, 0, 0, "none"},
    {"gpu", "flops", AT(flops), KEY_REAL, 1e9, 1e18, NULL},
    {"gpu", "efficiency", AT(efficiency), KEY_REAL, 0.001, 1, "0.6"},
    {"gpu", "memory_bandwidth", AT(memory_bandwidth), KEY_REAL, 1e6, 1e16, NULL},
    {"precision", "weights", AT(weights), KEY_COUNT, 1, 16, "2"},
    {"precision", "grads", AT(grads), KEY_COUNT, 1, 16, "4"},
    {"precision", "optimizer", AT(optimizer), KEY_COUNT, 0, 64, "12"},
};
enum { KEYS = sizeof keys / sizeof *keys };
static const char *const sections[] = {"model", "batch", "parallel", "gpu", "precision"};
enum { SECTIONS = sizeof sections / sizeof *sections };

typedef struct description {
    yaml_map map;
    training_model *model;
    const yaml_entry *set[KEYS]; /* where a value is from; NULL: a preset or the default */
    bool has[KEYS];
    bough_error *error;
} description;

static int key_index(const char *section, const char *name) {
    for (int k = 0; k < KEYS; k++)
        if (strcmp(keys[k].section, section) == 0 && strcmp(keys[k].name, name) == 0) return k;
    return -1;
}

static bool has_section(const char *name) {
    for (int s = 0; s < SECTIONS; s++)
        if (strcmp(sections[s], name) == 0) return true;
    return false;
}

static const char *read_flag(const char *text, uint32_t *value) {
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, yes[i]) == 0) return *value = 1, NULL;
        if (strcmp(text, no[i]) == 0) return *value = 0, NULL;
    }
    return "true or false";
}

static const char *read_recompute(const char *text, uint32_t *value) {
    static const char *const name[] = {"none", "selective", "full"};
    for (uint32_t i = 0; i < 3; i++)
        if (strcmp(text, name[i]) == 0) return *value = i, NULL;
    return "none, selective or full";
}

/* Stores a value; returns what would be right, or NULL. */
static const char *store(training_model *m, const model_key *k, const char *text, char *buffer, size_t size) {
    void *to = (char *)m + k->offset;
    double real = 0;
    int64_t whole = 0;
    if (k->type == KEY_FLAG) return read_flag(text, to);
    if (k->type == KEY_RECOMPUTE) return read_recompute(text, to);
    bool ok = k->type == KEY_REAL ? !bough_parse_real(text, k->name, &real, NULL)
                                  : !bough_parse_int(text, k->name, &whole, NULL);
    if (k->type == KEY_COUNT) real = (double)whole;
    if (!ok || real < k->low || real > k->high) {
        snprintf(buffer, size, "a %snumber from %.10g to %.10g", k->type == KEY_REAL ? "" : "whole ", k->low,
                 k->high);
        return buffer;
    }
    if (k->type == KEY_REAL)
        *(double *)to = real;
    else
        *(uint32_t *)to = (uint32_t)whole;
    return NULL;
}

static bough_status unknown_key(const description *d, const yaml_entry *e) {
    const char *names[KEYS + SECTIONS];
    char hint[BOUGH_HINT_MAX];
    size_t count = 0;
    bool preset = strcmp(e->section, "model") == 0 || strcmp(e->section, "gpu") == 0;
    for (int k = 0; k < KEYS && *e->section; k++)
        if (strcmp(keys[k].section, e->section) == 0) names[count++] = keys[k].name;
    for (int s = 0; s < SECTIONS && !*e->section; s++) names[count++] = sections[s];
    if (*e->section && preset) names[count++] = "preset";
    bough_text known = {0};
    bough_text_put_list(&known, names, count);
    char *list = bough_text_take(&known);
    if (!list) return bough_fail_memory(d->error, 256);
    bough_status status =
        yaml_map_fail(&d->map, e, d->error, "unknown key '%.60s'%s%.60s%s; keys: %s", e->key,
                      *e->section ? " of " : "", e->section, bough_hint(hint, e->key, names, count), list);
    free(list);
    return status;
}

static bough_status unknown_section(const description *d, const yaml_entry *e) {
    char hint[BOUGH_HINT_MAX];
    return yaml_map_fail(&d->map, e, d->error,
                         "unknown key '%.60s'%s; keys: model, batch, parallel, gpu and precision", e->section,
                         bough_hint(hint, e->section, sections, SECTIONS));
}

static bough_status read_preset(description *d, const yaml_entry *e, const char *section) {
    const char *names[32];
    char hint[BOUGH_HINT_MAX], buffer[80];
    size_t count = 0;
    for (const model_preset *p = model_presets; p->name; p++) {
        if (strcmp(p->section, section) != 0) continue;
        names[count++] = p->name;
        if (strcmp(p->name, e->value) != 0) continue;
        for (size_t i = 0; i < sizeof p->entry / sizeof *p->entry && p->entry[i].key; i++) {
            int k = key_index(section, p->entry[i].key);
            store(d->model, &keys[k], p->entry[i].value, buffer, sizeof buffer);
            d->has[k] = true;
        }
        return BOUGH_OK;
    }
    bough_text known = {0};
    bough_text_put_list(&known, names, count);
    char *list = bough_text_take(&known);
    if (!list) return bough_fail_memory(d->error, 256);
    bough_status status =
        count ? yaml_map_fail(&d->map, e, d->error, "unknown %s '%.60s'%s; known: %s, or a mapping", section,
                              e->value, bough_hint(hint, e->value, names, count), list)
              : yaml_map_fail(&d->map, e, d->error, "%s: expected a mapping, as in `%s: {...}`", section,
                              section);
    free(list);
    return status;
}

static bool is_preset(const yaml_entry *e) {
    return !*e->section || (strcmp(e->key, "preset") == 0 &&
                            (strcmp(e->section, "model") == 0 || strcmp(e->section, "gpu") == 0));
}

static bough_status read_value(description *d, const yaml_entry *e) {
    char buffer[80];
    if (is_preset(e)) return BOUGH_OK;
    int k = key_index(e->section, e->key);
    if (k < 0) return has_section(e->section) ? unknown_key(d, e) : unknown_section(d, e);
    const char *right = store(d->model, &keys[k], e->value, buffer, sizeof buffer);
    if (right)
        return yaml_map_fail(&d->map, e, d->error, "%s.%s: '%.60s'; expected %s", e->section, e->key,
                             e->value, right);
    d->has[k] = true;
    d->set[k] = e;
    return BOUGH_OK;
}

static bough_status read_entries(description *d) {
    bough_status status = BOUGH_OK;
    char buffer[80];
    for (size_t i = 0; i < d->map.entries && !status; i++) {
        const yaml_entry *e = &d->map.entry[i];
        const char *section = *e->section ? e->section : e->key;
        if (!is_preset(e)) continue;
        status = has_section(section) ? read_preset(d, e, section) : unknown_key(d, e);
    }
    for (size_t i = 0; i < d->map.entries && !status; i++) status = read_value(d, &d->map.entry[i]);
    for (int k = 0; k < KEYS && !status; k++) {
        if (d->has[k]) continue;
        if (!keys[k].fallback)
            return bough_fail(d->error, BOUGH_INVALID, d->map.file, "%s.%s is missing%s", keys[k].section,
                              keys[k].name,
                              strcmp(keys[k].section, "model") == 0 || strcmp(keys[k].section, "gpu") == 0
                                  ? ", or a preset, as in `gpu: h100`"
                                  : "");
        if (*keys[k].fallback) store(d->model, &keys[k], keys[k].fallback, buffer, sizeof buffer);
    }
    return status;
}

/* ---- values together ---- */

/* The error of a key: at its line, if the file sets it. */
static bough_status wrong(const description *d, const char *section, const char *name, const char *reason) {
    const yaml_entry *e = d->set[key_index(section, name)];
    if (e) return yaml_map_fail(&d->map, e, d->error, "%s.%s: %s", section, name, reason);
    return bough_fail(d->error, BOUGH_INVALID, d->map.file, "%s.%s: %s", section, name, reason);
}

typedef struct factor_check {
    const char *section, *name, *of;
    uint64_t number, factor;
} factor_check;

static bough_status check_factor(const description *d, const factor_check *check) {
    char reason[160];
    if (check->number % check->factor == 0) return BOUGH_OK;
    snprintf(reason, sizeof reason, "%llu is not a multiple of %s, %llu", (unsigned long long)check->number,
             check->of, (unsigned long long)check->factor);
    return wrong(d, check->section, check->name, reason);
}

static bough_status check_factors(const description *d) {
    const training_model *m = d->model;
    bough_status status = BOUGH_OK;
    const factor_check check[] = {
        {"model", "hidden", "the heads", m->hidden, m->heads},
        {"model", "heads", "kv_heads", m->heads, m->kv_heads},
        {"model", "heads", "parallel.tensor", m->heads, m->tensor},
        {"model", "seq", "parallel.context", m->seq, m->context},
        {"model", "experts", "parallel.expert", m->experts, m->expert},
        {"batch", "global", "parallel.data times batch.micro", m->global, (uint64_t)m->data * m->micro},
        {"parallel", "interleave", "the pipeline stages: microbatches", model_microbatches(m),
         m->interleave > 1 ? m->pipeline : 1},
        {"parallel", "data", "parallel.expert", (uint64_t)m->data * m->context, m->expert},
    };
    for (size_t i = 0; i < sizeof check / sizeof *check && !status; i++) status = check_factor(d, &check[i]);
    return status;
}

static bough_status check_values(const description *d) {
    const training_model *m = d->model;
    uint64_t chunks = (uint64_t)m->pipeline * m->interleave;
    bough_status status = check_factors(d);
    if (status) return status;
    if (chunks > m->layers)
        return wrong(d, "model", "layers", "fewer than parallel.pipeline times parallel.interleave");
    if (m->interleave > 1 && m->pipeline == 1)
        return wrong(d, "parallel", "interleave", "a pipeline of one stage has nothing to interleave");
    if (m->top_k > m->experts) return wrong(d, "model", "top_k", "more than model.experts");
    if (m->expert > 1 && m->tensor > 1 && !m->sequence)
        return wrong(d, "parallel", "expert",
                     "with tensor parallelism experts need sequence: true, as in Megatron-LM");
    if ((double)m->tensor * m->data * m->context * m->pipeline > (1 << 24))
        return wrong(d, "parallel", "data", "more than 2^24 ranks");
    return BOUGH_OK;
}

bough_status training_read_model(const bough_input *input, training_model *model, bough_error *error) {
    description d = {.model = model, .error = error};
    *model = (training_model){0};
    bough_status status = bough_input_single(input, "description of a model", error);
    TRY(yaml_map_read(input->piece[0].name, input->piece[0].data, input->piece[0].size, &d.map, error));
    TRY(read_entries(&d));
    if (!model->kv_heads) model->kv_heads = model->heads;
    TRY(check_values(&d));
    arena_fini(&d.map.memory);
    return status;
}
