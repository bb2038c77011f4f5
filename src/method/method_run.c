#include "method/method_run.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/assumptions.h"
#include "method/premises.h"
#include "network/physical/physical.h"

#include "routing/routing_list.h"

#include <stdlib.h>
#include <string.h>

/* Checks that method, network, routing and traffic are compatible. */
static bough_status check_fit(const bough_method *m, const bough_point *p, bough_error *error) {
    static const struct {
        unsigned capability;
        const char *text;
    } need[] = {
        {BOUGH_HAS_ROUTES, "a network with routes"},  {BOUGH_HAS_ORDER, "routes without cycles"},
        {BOUGH_HAS_CHANNELS, "a tree with channels"}, {BOUGH_HAS_RATES, "known link rates"},
        {BOUGH_HAS_TABLES, "a fabric (ibnet:FILE)"},
    };
    static const char *const shape[] = {"a batch", "a stream", "a schedule"};
    for (size_t i = 0; i < sizeof need / sizeof *need; i++)
        if ((m->needs_net & need[i].capability) && !(p->net->capabilities & need[i].capability))
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s needs %s; %s does not qualify",
                              m->name, need[i].text, p->net->spec);
    if (p->net->aggregation && !p->traffic)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method %s looks at hosts alone; leave sharp= out of the physical setting, which is for "
            "schedules",
            m->name);
    const char *lack = m->lacks ? m->lacks(p->net) : NULL;
    if (lack)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s needs %s; %s does not qualify", m->name,
                          lack, p->net->spec);
    if (m->needs_traffic && !p->traffic)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s needs traffic", m->name);
    if (m->needs_law && !p->traffic->law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s needs traffic with a rate (poisson, bernoulli); %s has none", m->name,
                          p->traffic->spec);
    if (m->needs_traffic && !(m->needs_traffic >> p->traffic->shape & 1))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s does not accept %s; %s is one", m->name,
                          shape[p->traffic->shape], p->traffic->spec);
    if (m->needs_routing && !p->routing)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "method %s needs a routing", m->name);
    if (m->needs_routing && p->routing->kind->via && !m->takes_via)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s does not support routing via an intermediate node, which %s uses",
                          m->name, p->routing->spec);
    if (m->needs_routing && p->routing->kind->draws && !m->takes_draws)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method %s does not support a path drawn for each message, which %s uses; packet does", m->name,
            p->routing->spec);
    if (m->needs_routing && p->net->lost && !m->takes_lost)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s does not model lost messages, and on %s routes use dead links; use "
                          "mode=masked or mode=rerouted",
                          m->name, p->net->spec);
    if (m->needs_deterministic && !bough_routing_deterministic(p->routing))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "method %s needs a deterministic routing; %s selects links at run time", m->name,
                          p->routing->spec);
    return BOUGH_OK;
}

static bool has_key(const bough_param *params, const char *key) {
    for (; params && params->key; params++)
        if (strcmp(params->key, key) == 0) return true;
    return false;
}

/* Streams of a law count time in cycles. */
static bool in_cycles(const bough_point *point) {
    return point->traffic && point->traffic->law;
}

/* Whether a setting has times, rates or sizes that are not those of the default. */
static bool has_times(const bough_physical *p) {
    const bough_physical *usual = &bough_physical_presets[0].values;
    const uint64_t pair[][2] = {
        {p->rate, usual->rate},     {p->host_rate, usual->host_rate},
        {p->delay, usual->delay},   {p->switch_delay, usual->switch_delay},
        {p->header, usual->header}, {p->packet, usual->packet},
        {p->flit, usual->flit},     {p->host.L, usual->host.L},
        {p->host.o, usual->host.o}, {p->host.g, usual->host.g},
        {p->host.G, usual->host.G}, {p->host.O, usual->host.O},
        {p->host.S, usual->host.S},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (pair[i][0] != pair[i][1]) return true;
    return p->host.jitter.kind != BOUGH_JITTER_NONE;
}

static bough_status refuse_setting(const bough_run *run, bough_error *error) {
    const bough_point *point = &run->point;
    const bough_physical *p = point->net ? point->net->physical : NULL;
    if (!p || !in_cycles(point) || run->in_seconds || !has_times(p)) return BOUGH_OK;
    const bool clock = has_key(run->method->params, "time");
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "%s counts the time of %s in cycles, so the times, rates and sizes of --physical %s "
                      "have no effect; %s%s%s (buffer= and vcs= apply, as in --physical default:buffer=64)",
                      run->method->name, point->traffic->kind->name, p->spec, clock ? "use " : "",
                      clock ? run->method->name : "",
                      clock ? ":time=physical, or leave them out" : "leave them out");
}

unsigned method_setting_key(const bough_method *method, const bough_spec *spec) {
    unsigned i = 0;
    for (; i < spec->count; i++) {
        const char *key = spec->arg[i].key;
        if (key && !has_key(method->params, key) && has_key(bough_physical_params, key)) break;
    }
    return i;
}

/* Rates, delays and hosts are those of all methods. */
static bough_status refuse_physical_keys(const bough_method *method, const bough_spec *spec,
                                         const bough_point *point, bough_error *error) {
    const unsigned i = method_setting_key(method, spec);
    if (i == spec->count) return BOUGH_OK;
    const char *key = spec->arg[i].key;
    if (in_cycles(point) && strcmp(key, "buffer") != 0 && strcmp(key, "vcs") != 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "method %s has no parameter '%s', and %s counts time in cycles: a link takes one "
                          "cycle to a flit, or step to a packet",
                          method->name, key, point->traffic->kind->name);
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "method %s has no parameter '%s': it belongs to the physical setting, which all methods "
        "share; use --physical default:%s=%s",
        method->name, key, key, spec->arg[i].value);
}

/* Times of computations are drawn. */
static bool has_jitter(const bough_traffic *traffic) {
    return traffic->workload && traffic->workload->host.jitter.kind != BOUGH_JITTER_NONE;
}

/* Ports of endpoints, and what it means to the method that links are drawn, or that a network leaves no
 * choice of links. */
static void note_choice(bough_run *run) {
    const bough_routing_kind *kind = run->point.routing->kind;
    const bough_net *net = run->point.net;
    const char *means = run->random_links ? run->random_links : run->method->random_links;
    if (net->all_ports) run_assume(run, "ports", "an endpoint sends and receives over all its links at once");
    if (net->group_max > 1 && means && kind->select == bough_select_random) {
        bool waits = kind->blind && strcmp(means, METHOD_LINK_BY_LINK) == 0;
        run_assume(run, "routing", "%s %s", kind->name, waits ? METHOD_ANY_LINK : means);
    }
    if (net->group_max != 1) return;
    if (kind == &bough_routing_first || kind == &bough_routing_least || kind == &bough_routing_hash ||
        kind == &bough_routing_minhop)
        run_assume(run, "routing", "%s changes nothing: routes of %s have no choice", kind->name, net->spec);
}

bough_status method_run_create(const bough_method *method, const bough_spec *spec, const bough_point *point,
                               bough_run **out, bough_error *error) {
    *out = NULL;
    bough_run *run = NULL;
    bough_status status = check_fit(method, point, error);
    TRY(bough_alloc(&run, 1, sizeof *run, error));
    if (status) return status;
    run->method = method;
    run->point = *point;
    run->headline = method->headline;
    status = refuse_physical_keys(method, spec, point, error);
    TRY(bough_args_bind(spec, method->params, "method", &run->args, error));
    if (!status && method->open) status = method->open(run, error);
    TRY(refuse_setting(run, error));
    if (!status && method->needs_routing) note_choice(run);
    if (!status && method->needs_traffic && has_jitter(point->traffic)) run->draws = true;
    TRY(premises_check(run, error));
    if (!status && method->needs_traffic) run->bytes = bough_add(run->bytes, point->traffic->source_bytes);
    if (!status) {
        run->spec = bough_args_format(method->name, &run->args);
        if (!run->spec) status = bough_fail_memory(error, strlen(spec->name));
    }
    if (status)
        bough_run_destroy(run);
    else
        *out = run;
    return status;
}

void run_free_data(bough_run *run) {
    free(run->data);
}

void bough_run_destroy(bough_run *run) {
    if (!run) return;
    if (run->method && run->method->close) run->method->close(run);
    bough_args_fini(&run->args);
    for (size_t i = 0; i < run->premises; i++) free(run->premise[i]);
    FREE_ALL(run->premise, run->spec, run);
}

bool bough_run_exact(const bough_run *run) {
    if (!run->method->exact || run->draws) return false;
    if (run->method->needs_routing && run->point.routing->kind->via && !run->method->averages_via)
        return false;
    const bough_traffic *t = run->point.traffic;
    if (run->method->ignores_traffic || !t) return true;
    return t->law && run->method->reads_law ? !t->law->pattern->kind->pattern->open : !t->kind->random;
}

bough_status bough_run_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                             bough_error *error) {
    rows->count = 0;
    rows->outcome = BOUGH_RUN_OK;
    rows->note[0] = 0;
    return run->method->trial(run, key, workspace, rows, error);
}

void bough_run_free_workspace(const bough_run *run, void *workspace) {
    if (workspace && run->method->free_workspace) run->method->free_workspace(workspace);
}
