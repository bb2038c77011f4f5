#include "api/api_check.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "formats/fabrics/fabric.h"

#include <stdlib.h>
#include <string.h>

char *api_tables_spec(const char *path) {
    bough_text spec = {0};
    bough_text_put(&spec, "lft:file=");
    bough_text_put_quoted(&spec, path);
    return bough_text_take(&spec);
}

static bough_status read_numbers(const bough_question *q, bough_check_question *c, bough_error *error) {
    c->permutations = 100;
    c->seed = 1;
    bough_status status = api_number(q, "permutations", (bough_bounds){0, 1000000}, &c->permutations, error);
    TRY(api_number(q, "draws", (bough_bounds){1, 1000000}, &c->draws, error));
    TRY(api_number(q, "job-trials", (bough_bounds){1, 1000000}, &c->job_trials, error));
    TRY(api_number(q, "seed", (bough_bounds){0, INT64_MAX}, &c->seed, error));
    return status;
}

static bough_status read_worst(const bough_question *q, bough_check_worst *worst, bough_error *error) {
    static const char *const names[] = {"no", "cheap", "always"};
    const char *text = api_value(q, "worst");
    *worst = BOUGH_CHECK_WORST_CHEAP;
    if (!text) return BOUGH_OK;
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *worst = (bough_check_worst)i;
        return BOUGH_OK;
    }
    return bough_fail(error, BOUGH_INVALID, NULL, "worst=%s must be no, cheap or always", text);
}

/* The path of the fabric of a network spec: ibnet:file=PATH or ibnet:PATH. NULL: another network. */
static const char *fabric_path(const bough_spec *spec) {
    if (strcmp(spec->name, "ibnet") != 0) return NULL;
    for (unsigned i = 0; i < spec->count; i++)
        if (!spec->arg[i].key || strcmp(spec->arg[i].key, "file") == 0) return spec->arg[i].value;
    return NULL;
}

/* The tables that lie beside the fabric in a directory or an archive, unless tables were set. */
static bough_status find_tables(const bough_question *q, const char *network, char ***tables, size_t *count,
                                bough_error *error) {
    bough_spec spec;
    *tables = NULL;
    *count = 0;
    if (api_value(q, "lft")) return BOUGH_OK;
    bough_status status = bough_spec_parse(network, &spec, error);
    if (status) return status;
    const char *path = fabric_path(&spec);
    bough_error ignored; /* what is wrong with the file is said when the fabric is read */
    if (path && bough_fabric_tables_beside(path, tables, count, &ignored) == BOUGH_NO_MEMORY)
        status = bough_fail_memory(error, 0);
    bough_spec_fini(&spec);
    return status;
}

/* Adds the tables beside the fabric as routings. */
static bough_status add_tables(const bough_question *q, size_t room, api_check *a, bough_error *error) {
    char **tables;
    size_t count;
    bough_status status = find_tables(q, a->network, &tables, &count, error);
    TRY(bough_alloc(&a->routing, bough_add(bough_add(q->settings, room), count), sizeof *a->routing, error));
    for (size_t i = 0; i < count && !status; i++) {
        a->routing[i] = api_tables_spec(tables[i]);
        if (!a->routing[i]) status = bough_fail_memory(error, strlen(tables[i]));
        a->question.routings += !status;
    }
    for (size_t i = 0; i < count; i++) free(tables[i]);
    free(tables);
    return status;
}

/* Tables and other routings, in the order in which they were set. */
static bough_status read_routings(const bough_question *q, size_t room, api_check *a, bough_error *error) {
    bough_status status = add_tables(q, room, a, error);
    for (size_t i = 0; i < q->settings && !status; i++) {
        const api_setting *s = &q->setting[i];
        bool tables = strcmp(s->key, "lft") == 0;
        if (!tables && strcmp(s->key, "routing") != 0) continue;
        char *spec = tables ? api_tables_spec(s->value) : bough_strdup(s->value);
        if (!spec) return bough_fail_memory(error, strlen(s->value));
        a->routing[a->question.routings++] = spec;
    }
    a->question.routing = (const char *const *)a->routing;
    return status;
}

static bough_status read_against(const bough_question *q, api_check *a, bough_error *error) {
    const char *against = api_value(q, "against"), *tables = api_value(q, "against-lft");
    bough_status status = BOUGH_OK;
    if (against) status = api_network_spec(a->question.registry, against, &a->against, error);
    if (!status && tables && !(a->against_lft = api_tables_spec(tables)))
        status = bough_fail_memory(error, strlen(tables));
    a->question.against = a->against;
    a->question.against_lft = a->against_lft;
    return status;
}

bough_status api_check_make(const bough_question *q, const bough_registry *registry, size_t room,
                            api_check *a, bough_error *error) {
    bough_check_question *c = &a->question;
    c->registry = registry;
    bough_status status = api_network_spec(registry, api_value(q, "network"), &a->network, error);
    TRY(read_routings(q, room, a, error));
    TRY(api_values(q, "faults", &a->faults, &c->faults_count, error));
    TRY(api_values(q, "job", &a->job, &c->jobs, error));
    TRY(read_against(q, a, error));
    TRY(api_values(q, "counters", &a->counters, &c->counter_files, error));
    c->network = a->network;
    c->physical = api_value(q, "physical");
    c->expect = api_value(q, "expect");
    c->slurm = api_value(q, "slurm");
    c->place = api_value(q, "place");
    c->busy = api_value(q, "busy");
    c->faults = a->faults;
    c->job = a->job;
    c->counters = a->counters;
    c->interval = api_value(q, "interval");
    TRY(read_numbers(q, c, error));
    TRY(read_worst(q, &c->worst, error));
    return status;
}

void api_check_fini(api_check *a) {
    for (size_t i = 0; i < a->question.routings; i++) free(a->routing[i]);
    FREE_ALL(a->network, a->against, a->against_lft, a->routing, a->faults, a->job, a->counters);
}
