/* SimAI workloads (github.com/aliyun/SimAI, the format of ASTRA-sim): a line with the policy and its
 * parameters as `key: value`, the number of layers, then one layer per line:
 *
 *   name  dependency  (compute  collective  bytes) forward, input gradient, weight gradient  update
 *
 * Times are nanoseconds. A step under HYBRID_TRANSFORMER goes forward through the layers, each computation
 * followed by its collective; then backward: input gradient, its collective, weight gradient. The collective
 * of the weight gradient only delays the next of its kind, its update, and the end of the step. Forward and
 * input gradients use the tensor group, weight gradients the data group; the suffixes _EP and _DP_EP select
 * the expert groups. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/line_words.h"
#include "traffic/training/training.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 12, FORWARD = 0, INPUT, WEIGHT, PHASES, LAYERS_MAX = 1 << 20 };

typedef struct phase {
    uint64_t compute;
    training_item collective;
    bool silent; /* no collective */
} phase;

typedef struct layer {
    phase phase[PHASES];
    uint64_t update;
    uint32_t line;
} layer;

typedef struct reader {
    const char *file;
    uint64_t line;
    uint64_t tensor, expert, all; /* from the header; 0: not given */
    layer *layer;
    size_t layers, capacity;
    bough_error *error;
} reader;

static bool next_word(const char **at, const char *end, char word[WORD]) {
    return word_next(at, end, " \t\r", word);
}

static bough_status read_number(const reader *r, const char *text, const char *what, uint64_t most,
                                uint64_t *value) {
    return AT_LINE(word_number(text, what, most, value, r->error));
}

/* Reads key: value pairs; ignores unused keys. */
static bough_status read_head(reader *r, const char *line, const char *end) {
    char word[WORD], value[WORD];
    if (!next_word(&line, end, word) ||
        (strcmp(word, "HYBRID_TRANSFORMER") != 0 && strcmp(word, "HYBRID_TRANSFORMER_FWD_IN_BCKWD") != 0))
        return FAIL_HERE(
            "unsupported policy '%.40s'; expected HYBRID_TRANSFORMER or HYBRID_TRANSFORMER_FWD_IN_BCKWD",
            word);
    while (next_word(&line, end, word)) {
        uint64_t number;
        if (!next_word(&line, end, value)) return FAIL_HERE("'%.40s' has no value", word);
        bough_status status = read_number(r, value, word, UINT64_C(1) << 50, &number);
        if (status) return status;
        if (strncmp(word, "model_parallel_NPU_group", 24) == 0) r->tensor = number;
        if (strcmp(word, "ep:") == 0) r->expert = number;
        if (strcmp(word, "all_gpus:") == 0) r->all = number;
        if (strcmp(word, "pp:") == 0 && number > 1)
            return FAIL_HERE("pp: %" PRIu64 "; layers are not assigned to stages, so only pp: 1 is supported",
                             number);
        if (strncmp(word, "checkpoint", 10) == 0 && number > 0)
            return FAIL_HERE("%s %" PRIu64 "; checkpoints are not supported, only 0", word, number);
    }
    if (r->tensor == 0 || r->tensor > UINT32_MAX / 2) return FAIL_HERE("model_parallel_NPU_group is missing");
    return BOUGH_OK;
}

static const struct {
    const char *name;
    int what;
} collectives[] = {
    {"NONE", -1},
    {"ALLREDUCE", TRAINING_ALLREDUCE},
    {"ALLGATHER", TRAINING_ALLGATHER},
    {"REDUCESCATTER", TRAINING_REDUCESCATTER},
    {"ALLTOALL", TRAINING_ALLTOALL},
    {"BROADCAST", TRAINING_BROADCAST},
};

static bough_status read_collective(reader *r, char *text, int which, phase *p) {
    training_group group = which == WEIGHT ? TRAINING_DATA : TRAINING_TENSOR;
    const char *names[sizeof collectives / sizeof *collectives];
    char *ending = strchr(text, '_');
    if (ending) {
        if (strcmp(ending, "_EP") == 0)
            group = TRAINING_EXPERT;
        else if (strcmp(ending, "_DP_EP") == 0)
            group = TRAINING_EXPERT_DATA;
        else if (strcmp(ending, "_DP") == 0)
            group = TRAINING_DATA;
        else
            return FAIL_HERE("unknown suffix of '%.40s'; expected _DP, _EP or _DP_EP", text);
        *ending = 0;
    }
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        names[i] = collectives[i].name;
        if (strcmp(text, names[i]) != 0) continue;
        p->silent = collectives[i].what < 0;
        p->collective.what = (uint8_t)(p->silent ? 0 : collectives[i].what);
        p->collective.group = (uint8_t)group;
        p->collective.line = (uint32_t)r->line;
        p->collective.aside = which == WEIGHT;
        return BOUGH_OK;
    }
    char hint[BOUGH_HINT_MAX];
    return FAIL_HERE("unknown collective '%.40s'%s", text,
                     bough_hint(hint, text, names, sizeof collectives / sizeof *collectives));
}

static bough_status read_layer(reader *r, const char *line, const char *end) {
    static const uint64_t LONG = UINT64_C(1) << 50;
    char field[FIELDS][WORD];
    int fields = 0;
    layer l = {.line = (uint32_t)r->line};
    while (fields < FIELDS && next_word(&line, end, field[fields])) fields++;
    if (fields < FIELDS)
        return FAIL_HERE("%d fields; a layer has %d: name, dependency, three times (compute, collective, "
                         "bytes), update",
                         fields, FIELDS);
    bough_status status = BOUGH_OK;
    for (int p = 0; p < PHASES && !status; p++) {
        status = read_number(r, field[2 + 3 * p], "compute time", LONG, &l.phase[p].compute);
        TRY(read_collective(r, field[3 + 3 * p], p, &l.phase[p]));
        TRY(read_number(r, field[4 + 3 * p], "bytes", LONG, &l.phase[p].collective.size));
    }
    TRY(read_number(r, field[11], "update time", LONG, &l.update));
    TRY(bough_grow(&r->layer, &r->capacity, r->layers + 1, sizeof *r->layer, r->error));
    if (!status) r->layer[r->layers++] = l;
    return status;
}

static bough_status read_piece(reader *r, const bough_input_piece *piece) {
    const char *cursor = piece->data, *end = cursor + piece->size, *line;
    size_t length;
    uint64_t named = 0;
    int heads = 0;
    bough_status status = BOUGH_OK;
    r->file = piece->name;
    while (!status && (line = bough_next_line(&cursor, end, &length))) {
        char word[WORD];
        const char *at = line;
        r->line++;
        if (memchr(line, 0, length)) return FAIL_HERE("contains a NUL byte; expected text");
        if (!next_word(&at, line + length, word)) continue;
        if (heads == 0)
            status = read_head(r, line, line + length);
        else if (heads == 1)
            status = read_number(r, word, "number of layers", LAYERS_MAX, &named);
        else
            status = read_layer(r, line, line + length);
        heads += heads < 2;
    }
    if (!status && heads < 2) return FAIL_HERE("the file ends before its number of layers");
    if (!status && r->layers != named)
        return FAIL_HERE("%zu layers, but the second line gives %" PRIu64, r->layers, named);
    return status;
}

static bough_status add_phase(training *t, const layer *l, int which, bough_error *error) {
    const phase *p = &l->phase[which];
    training_item compute = {.size = p->compute, .line = l->line, .what = TRAINING_COMPUTE};
    training_item update = {.size = l->update, .line = l->line, .what = TRAINING_COMPUTE, .aside = true};
    bough_status status = p->compute ? training_add(t, compute, error) : BOUGH_OK;
    if (!status && !p->silent) status = training_add(t, p->collective, error);
    if (!status && !p->silent && which == WEIGHT && l->update) status = training_add(t, update, error);
    return status;
}

static bough_status bind_sizes(reader *r, uint32_t ranks, uint32_t at_most, training *t) {
    uint64_t all = ranks ? ranks : r->all;
    t->tensor = (uint32_t)r->tensor;
    t->expert = r->expert ? (uint32_t)r->expert : 1;
    t->pipeline = 1;
    if (!all) all = at_most / t->tensor * t->tensor;
    if (all == 0)
        return FAIL_HERE("tensor groups of %" PRIu32 " need as many ranks, and there is space for %" PRIu32,
                         t->tensor, at_most);
    if (all > UINT32_MAX / 2 || all % t->tensor)
        return FAIL_HERE("%" PRIu64 " ranks are not a multiple of the tensor groups of %" PRIu32, all,
                         t->tensor);
    t->ranks = (uint32_t)all;
    t->data = t->ranks / t->tensor;
    if (r->expert > t->data || t->data % t->expert)
        return FAIL_HERE("expert groups of %" PRIu64 " do not divide data groups of %" PRIu32, r->expert,
                         t->data);
    return BOUGH_OK;
}

bough_status training_read_simai(const bough_input *input, uint32_t ranks, uint32_t at_most, training *t,
                                 bough_error *error) {
    reader r = {.error = error, .file = input->piece[0].name};
    bough_status status = bough_input_single(input, "SimAI workload", error);
    TRY(read_piece(&r, &input->piece[0]));
    if (!status) r.line = 1;
    TRY(bind_sizes(&r, ranks, at_most, t));
    TRY(training_new_stage(t, error));
    for (size_t i = 0; i < r.layers && !status; i++) status = add_phase(t, &r.layer[i], FORWARD, error);
    for (size_t i = r.layers; i-- > 0 && !status;) {
        status = add_phase(t, &r.layer[i], INPUT, error);
        TRY(add_phase(t, &r.layer[i], WEIGHT, error));
    }
    free(r.layer);
    if (!status && !(t->file = bough_strdup(input->piece[0].name))) status = bough_fail_memory(error, 256);
    return status;
}
