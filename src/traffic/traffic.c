#include "traffic/traffic.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "traffic/collectives/collective_kinds.h"
#include "traffic/jobs/job_place.h"
#include "traffic/lists/flow_list_traffic.h"
#include "traffic/patterns/batch.h"
#include "traffic/patterns/graph_edges.h"
#include "traffic/recorded/recording_schedule.h"
#include "traffic/schedules/workload.h"
#include "traffic/streams/stream.h"
#include "traffic/training/training.h"

#include <string.h>

const bough_traffic_kind *const bough_traffic_kinds[] = {
    &bough_traffic_uniform,   &bough_traffic_shift,
    &bough_traffic_transpose, &bough_traffic_bitrev,
    &bough_traffic_bitcomp,   &bough_traffic_shuffle,
    &bough_traffic_tornado,   &bough_traffic_neighbor,
    &bough_traffic_randperm,  &bough_traffic_hotspot,
    &bough_traffic_incast,    &bough_traffic_alltoall,
    &bough_traffic_messages,  &bough_traffic_poisson,
    &bough_traffic_bernoulli, &bough_traffic_local,
    &bough_traffic_hrelation, &bough_traffic_motexp,
    &bough_traffic_goal,      &bough_traffic_allreduce,
    &bough_traffic_allgather, &bough_traffic_reducescatter,
    &bough_traffic_broadcast, &bough_traffic_reduce,
    &bough_traffic_barrier,   &bough_traffic_halo,
    &bough_traffic_aicb,      &bough_traffic_simai,
    &bough_traffic_mpitrace,  &bough_traffic_chakra,
    &bough_traffic_otf2,      &bough_traffic_train,
    &bough_traffic_jobs,      &bough_traffic_cm,
    &bough_traffic_flows,     &bough_traffic_matrix,
    &bough_traffic_edges,     &bough_traffic_heights,
    &bough_traffic_weights,   NULL,
};

enum { BUILT_IN = sizeof bough_traffic_kinds / sizeof *bough_traffic_kinds - 1, NAMES = 96 };

const bough_traffic_kind *bough_traffic_kind_at(const bough_registry *registry, size_t i) {
    return i < BUILT_IN ? bough_traffic_kinds[i]
                        : bough_registry_item(registry, BOUGH_LIST_TRAFFIC, i - BUILT_IN);
}

static bool is_name(const char *name, const char *text, size_t length) {
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

const bough_traffic_kind *bough_traffic_kind_find(const bough_registry *registry, const char *name,
                                                  size_t length) {
    const bough_traffic_kind *k;
    for (size_t i = 0; (k = bough_traffic_kind_at(registry, i)); i++) {
        if (is_name(k->name, name, length)) return k;
        for (const char *const *a = k->aliases; a && *a; a++)
            if (is_name(*a, name, length)) return k;
    }
    return NULL;
}

static const bough_traffic_kind *find_kind(const bough_registry *registry, const char *name,
                                           bough_error *error) {
    const char *names[NAMES];
    size_t count = 0;
    const bough_traffic_kind *k = bough_traffic_kind_find(registry, name, strlen(name));
    if (k) return k;
    while (count < NAMES && (k = bough_traffic_kind_at(registry, count))) names[count++] = k->name;
    char hint[BOUGH_HINT_MAX];
    bough_fail(error, BOUGH_INVALID, NULL, "no traffic '%s'%s; see `bough list traffic`", name,
               bough_hint(hint, name, names, count));
    return NULL;
}

static bough_status too_many(const bough_net *net, bough_error *error) {
    char need[32], have[32];
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "%s: simulations support at most 2^32 endpoints; their messages alone would need %s of "
                      "memory, this machine has %s",
                      net->spec, bough_format_bytes(bough_mul(net->endpoints, 8), need, sizeof need),
                      bough_format_bytes(bough_memory_limit(), have, sizeof have));
}

bough_status bough_traffic_create(const bough_net *net, const char *text, bough_traffic **out,
                                  bough_error *error) {
    *out = NULL;
    bough_spec spec;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_traffic_kind *kind = find_kind(net->registry, spec.name, error);
    status = kind ? bough_traffic_make(net, kind, &spec, out, error) : BOUGH_INVALID;
    bough_spec_fini(&spec);
    return status;
}

bough_status bough_traffic_check(const bough_registry *registry, const char *text, bough_error *error) {
    bough_spec spec;
    bough_args args = {0};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_traffic_kind *kind = find_kind(registry, spec.name, error);
    status = kind ? bough_args_bind(&spec, kind->params, "traffic", &args, error) : BOUGH_INVALID;
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}

/* Aggregation nodes are endpoints that send no traffic of their own. */
static bough_status refuse_adding(const bough_traffic *t, bough_error *error) {
    if (!t->net->aggregation) return BOUGH_OK;
    return bough_fail(
        error, BOUGH_UNSUPPORTED, NULL,
        "traffic %s is no schedule; leave sharp= out of the physical setting, which is for collectives "
        "and other schedules",
        t->kind->name);
}

/* fresh: network, kind, and whether it is the pattern of a stream. */
static bough_status make(bough_traffic fresh, const bough_spec *spec, bough_traffic **out,
                         bough_error *error) {
    const bough_traffic_kind *kind = fresh.kind;
    bough_traffic *t = NULL;
    *out = NULL;
    bough_status status = fresh.net->endpoints > UINT32_MAX ? too_many(fresh.net, error) : BOUGH_OK;
    TRY(bough_alloc(&t, 1, sizeof *t, error));
    if (!status) {
        *t = fresh;
        t->shape = kind->shape;
        status = bough_args_bind(spec, kind->params, "traffic", &t->args, error);
    }
    TRY(kind->bind(&t->args, t->net, t, error));
    if (!status && t->shape != BOUGH_SCHEDULE) status = refuse_adding(t, error);
    if (!status) {
        t->spec = bough_args_format(kind->name, &t->args);
        if (!t->spec) status = bough_fail_memory(error, 64);
    }
    if (status)
        bough_traffic_destroy(t);
    else
        *out = t;
    return status;
}

bough_status bough_traffic_make(const bough_net *net, const bough_traffic_kind *kind, const bough_spec *spec,
                                bough_traffic **out, bough_error *error) {
    return make((bough_traffic){.net = net, .kind = kind}, spec, out, error);
}

static bough_status no_pattern(const bough_registry *registry, const bough_traffic_kind *kind,
                               bough_error *error) {
    bough_text reason = {0};
    const char *separator = "";
    bough_text_printf(&reason,
                      "traffic %s cannot be the pattern of a stream; available patterns: ", kind->name);
    const bough_traffic_kind *k;
    for (size_t i = 0; (k = bough_traffic_kind_at(registry, i)); i++) {
        if (!k->pattern) continue;
        bough_text_printf(&reason, "%s%s", separator, k->name);
        separator = ", ";
    }
    return bough_fail_text(error, BOUGH_INVALID, NULL, &reason);
}

bough_status pattern_create(const bough_net *net, const char *text, bough_traffic **out, bough_error *error) {
    *out = NULL;
    bough_spec spec;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_traffic_kind *kind = find_kind(net->registry, spec.name, error);
    status = !kind ? BOUGH_INVALID : kind->pattern ? BOUGH_OK : no_pattern(net->registry, kind, error);
    TRY(make((bough_traffic){.net = net, .kind = kind, .of_stream = true}, &spec, out, error));
    bough_spec_fini(&spec);
    return status;
}

/* Makes rate= the first argument, replacing every other argument for the amount of traffic. */
static bough_status put_rate(bough_spec *spec, double rate, bough_error *error) {
    char number[40];
    for (unsigned i = 0; i < spec->count; i++) {
        const char *key = spec->arg[i].key ? spec->arg[i].key : "rate"; /* the first parameter */
        if (strcmp(key, "rate") != 0 && strcmp(key, "load") != 0) continue;
        char *name = bough_strdup("rate");
        char *value = bough_strdup(bough_format_real(rate, number, sizeof number));
        FREE_ALL(spec->arg[i].key, spec->arg[i].value);
        spec->arg[i].key = name;
        spec->arg[i].value = value;
        return name && value ? BOUGH_OK : bough_fail_memory(error, sizeof number);
    }
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "traffic %s has no rate", spec->name);
}

bough_status bough_traffic_at_rate(const bough_traffic *t, double rate, bough_traffic **out,
                                   bough_error *error) {
    bough_spec spec;
    *out = NULL;
    bough_status status = bough_spec_parse(t->spec, &spec, error);
    if (status) return status;
    status = put_rate(&spec, rate, error);
    TRY(bough_traffic_make(t->net, t->kind, &spec, out, error));
    bough_spec_fini(&spec);
    return status;
}

void bough_traffic_destroy(bough_traffic *t) {
    if (!t) return;
    if (t->kind && t->kind->fini) t->kind->fini(t);
    bough_args_fini(&t->args);
    FREE_ALL(t->spec, t);
}
