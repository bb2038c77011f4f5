#include "engines/method_list.h"

#include "base/memory/memory.h"
#include "models/model_list.h"

#include <stdlib.h>
#include <string.h>

const bough_method *const bough_methods[] = {
    &bough_method_circuit,      &bough_method_worm,
    &bough_method_packet,       &bough_method_flow,
    &bough_method_loggops,      &bough_method_sidetrack,
    &bough_method_sortroute,    &bough_method_offline,
    &bough_method_online,       &bough_method_simulate,
    &bough_method_bins,         &bough_method_collision,
    &bough_method_bound,        &bough_method_queueing,
    &bough_method_blocking,     &bough_method_linkload,
    &bough_method_connectivity, &bough_method_adversary,
    &bough_method_parts,        &bough_method_locality,
    &bough_method_channels,     &bough_method_flight,
    &bough_method_layout,       &bough_method_atbound,
    &bough_method_data,         NULL,
};

const char *bough_outcome_name(bough_outcome outcome) {
    static const char *const name[] = {"ok", "saturated", "deadlock", "partial"};
    return name[outcome];
}

bough_status bough_rows_add(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                            bough_error *error) {
    return bough_rows_add_interval(rows, metric, index, value, 0, error);
}

bough_status bough_rows_add_interval(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                                     double ci95, bough_error *error) {
    bough_status status = bough_grow(&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row, error);
    if (!status) rows->row[rows->count++] = (bough_row){metric, index, value, ci95};
    return status;
}

void bough_rows_fini(bough_rows *rows) {
    free(rows->row);
    *rows = (bough_rows){0};
}

static const bough_method *find_method(const char *name, bough_error *error) {
    const char *names[64];
    size_t count = 0;
    for (const bough_method *const *m = bough_methods; *m; m++) {
        if (strcmp((*m)->name, name) == 0) return *m;
        names[count++] = (*m)->name;
    }
    const char *near = bough_suggest(name, names, count);
    bough_fail(error, BOUGH_INVALID, NULL, "no method '%s'%s%s%s; see `bough list methods`", name,
               near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
    return NULL;
}

/* The one place where a point is checked to fit together. */
static bough_status check_fit(const bough_method *m, const bough_point *p, bough_error *error) {
    static const struct {
        unsigned gift;
        const char *text;
    } need[] = {
        {BOUGH_GIVES_ROUTES, "a network with routes"},
        {BOUGH_GIVES_RANKS, "routes without cycles"},
        {BOUGH_GIVES_CHANNELS, "a tree with channels"},
        {BOUGH_GIVES_LABELS, "the binary fat-tree of document 000 (fattree:n=...)"},
        {BOUGH_GIVES_RATES, "known link rates"},
        {BOUGH_GIVES_TABLES, "a fabric (ibnet:FILE)"},
        {BOUGH_GIVES_STACKS, "a network made of stacks (transit:...)"},
        {BOUGH_GIVES_PRUNED, "the pruned butterfly of document 002 (pruned:n=...)"},
        {BOUGH_GIVES_SORTERS, "the sorting fat-tree of document 002 (sorting:n=...)"},
    };
    static const char *const shape[] = {"a batch", "a stream", "a schedule"};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        if ((m->needs_net & need[i].gift) && !(p->net->gives & need[i].gift))
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s needs %s; %s is none", m->name,
                              need[i].text, p->net->spec);
    if (m->needs_traffic && !p->traffic)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s needs traffic", m->name);
    if (m->needs_law && !p->traffic->law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s needs traffic that comes at a rate (poisson, bernoulli); %s has none",
                          m->name, p->traffic->spec);
    if (m->needs_traffic && !(m->needs_traffic >> p->traffic->shape & 1))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s cannot take %s; %s is one", m->name,
                          shape[p->traffic->shape], p->traffic->spec);
    if (m->needs_routing && !p->routing)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s needs a routing", m->name);
    if (m->needs_routing && p->routing->kind->via && !m->takes_via)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s cannot send by an intermediate node (it could deadlock); %s does",
                          m->name, p->routing->spec);
    if (m->needs_routing && p->net->lost && !m->takes_lost)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s cannot lose messages, as on %s, where nobody knows what is dead; use "
                          "mode=masked or mode=rerouted",
                          m->name, p->net->spec);
    if (m->needs_deterministic && !bough_routing_deterministic(p->routing))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s needs a deterministic routing; %s chooses at run time", m->name,
                          p->routing->spec);
    return BOUGH_OK;
}

bough_status bough_run_create(const char *text, const bough_point *point, bough_run **out,
                              bough_error *error) {
    *out = NULL;
    bough_spec spec;
    bough_run *run = NULL;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_method *method = find_method(spec.name, error);
    status = method ? check_fit(method, point, error) : BOUGH_INVALID;
    if (!status) status = bough_alloc(&run, 1, sizeof *run, error);
    if (!status) {
        run->method = method;
        run->point = *point;
        status = bough_args_bind(&spec, method->params, "method", &run->args, error);
    }
    if (!status && method->open) status = method->open(run, error);
    if (!status && method->needs_traffic) run->bytes = bough_add(run->bytes, point->traffic->source_bytes);
    if (!status) {
        run->spec = bough_args_format(method->name, &run->args);
        if (!run->spec) status = bough_fail_memory(error, strlen(text));
    }
    bough_spec_fini(&spec);
    if (status)
        bough_run_destroy(run);
    else
        *out = run;
    return status;
}

void bough_run_destroy(bough_run *run) {
    if (!run) return;
    if (run->method && run->method->close) run->method->close(run);
    bough_args_fini(&run->args);
    free(run->spec);
    free(run);
}

bool bough_run_exact(const bough_run *run) {
    if (!run->method->exact || run->draws) return false;
    if (run->method->needs_routing && run->point.routing->kind->via && !run->method->averages_via)
        return false;
    if (run->method->needs_law) return !run->point.traffic->law->pattern->kind->pattern->open;
    return run->method->ignores_traffic || !run->point.traffic || !run->point.traffic->kind->random;
}

bough_status bough_run_trial(const bough_run *run, uint64_t seed, uint64_t trial, void **workspace,
                             bough_rows *rows, bough_error *error) {
    rows->count = 0;
    rows->outcome = BOUGH_RUN_OK;
    rows->note[0] = 0;
    return run->method->trial(run, bough_key_make(seed, trial), workspace, rows, error);
}

void bough_run_free_workspace(const bough_run *run, void *workspace) {
    if (workspace && run->method->free_workspace) run->method->free_workspace(workspace);
}
