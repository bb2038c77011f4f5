#include "api/api_check.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"

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

/* Tables and other routings, in the order in which they were set. */
static bough_status read_routings(const bough_question *q, size_t room, api_check *a, bough_error *error) {
    bough_status status = bough_alloc(&a->routing, bough_add(q->settings, room), sizeof *a->routing, error);
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
    c->network = a->network;
    c->physical = api_value(q, "physical");
    c->slurm = api_value(q, "slurm");
    c->place = api_value(q, "place");
    c->busy = api_value(q, "busy");
    c->faults = a->faults;
    c->job = a->job;
    TRY(read_numbers(q, c, error));
    TRY(read_worst(q, &c->worst, error));
    return status;
}

void api_check_fini(api_check *a) {
    for (size_t i = 0; i < a->question.routings; i++) free(a->routing[i]);
    FREE_ALL(a->network, a->against, a->against_lft, a->routing, a->faults, a->job);
}
