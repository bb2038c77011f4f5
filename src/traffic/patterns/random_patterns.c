#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/collectives/collective_kinds.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The i-th endpoint other than source, selected by a random word. */
static uint32_t other_endpoint(uint64_t word, uint64_t n, uint32_t source) {
    uint32_t d = (uint32_t)bough_scale(word, n - 1);
    return d + (d >= source);
}

/* number: of the first message of the batch, even. */
static void uniform_destinations(const bough_net *net, bough_key key, uint64_t number, bough_batch *b) {
    enum { SOME = 64 };
    uint64_t block[SOME], word[2][SOME];
    for (uint64_t first = 0; first < b->count; first += 2 * SOME) {
        for (uint64_t k = 0; k < SOME; k++) block[k] = (number + first) / 2 + k;
        bough_blocks(&(bough_draw){key, BOUGH_DRAW_DESTINATION, 0}, block, SOME, word[0], word[1]);
        for (uint64_t i = first; i < b->count && i < first + 2 * SOME; i++) {
            uint32_t d = other_endpoint(word[i & 1][(i - first) / 2], net->endpoints, b->source[i]);
            b->address[i] = (uint32_t)bough_endpoint_address(net, d);
        }
    }
}

/* All endpoints send, so the number of a message is that of its source. */
static bough_status uniform_part(const bough_traffic *t, bough_key key, bough_sources part, bough_batch *b,
                                 bough_error *error) {
    uint64_t odd = part.first & 1;
    bough_status status = batch_alloc(part.count + odd, b, error);
    if (status) return status;
    for (uint64_t i = 0; i < b->count; i++) b->source[i] = (uint32_t)(part.first - odd + i);
    uniform_destinations(t->net, key, part.first - odd, b);
    b->count -= odd;
    if (odd) memmove(b->source, b->source + 1, b->count * sizeof *b->source);
    if (odd) memmove(b->address, b->address + 1, b->count * sizeof *b->address);
    return BOUGH_OK;
}

/* ---- patterns ---- */

typedef void (*visitor)(void *context, uint32_t destination, double probability);

static uint32_t draw_other(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    (void)state;
    return other_endpoint(word, t->net->endpoints, source);
}

/* An endpoint that receives a fraction of all messages in addition to its part of the rest. */
typedef struct hot_spot {
    uint64_t target;
    double share;
} hot_spot;

/* Visits all endpoints other than the source. */
static void visit_others(const bough_traffic *t, uint32_t source, hot_spot hot, visitor each, void *context) {
    uint64_t n = t->net->endpoints;
    double rest = (1 - hot.share) / (double)(n - 1);
    for (uint64_t d = 0; d < n; d++) {
        double probability = d == hot.target ? hot.share + rest : rest;
        if (d != source && probability > 0) each(context, (uint32_t)d, probability);
    }
}

static void visit_uniform(const bough_traffic *t, const void *state, uint32_t source, visitor each,
                          void *context) {
    (void)state;
    visit_others(t, source, (hot_spot){BOUGH_NONE, 0}, each, context);
}

static const bough_pattern uniform_pattern = {.draw = draw_other, .visit = visit_uniform, .uniform = true};

static bough_status need_two(const bough_net *net, bough_error *error) {
    if (net->endpoints >= 2) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL, "a network with one endpoint has no destinations");
}

/* ---- uniform ---- */

static const bough_param uniform_params[] = {
    {"m", "messages, from distinct random sources; default: every endpoint sends", BOUGH_INT, "", 1, 0x1p32,
     .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status uniform_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                 bough_error *error) {
    bough_status status = need_two(net, error);
    return status ? status : bind_m(args, net, t, error);
}

/* Senders are drawn without repetition; with m = n all endpoints send. */
static bough_status alike_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    bough_batch_law *law;
    bough_status status = uniform_bind(args, net, t, error);
    if (status || t->of_stream) return status;
    status = bough_alloc(&law, 1, sizeof *law, error);
    if (status) return status;
    *law = (bough_batch_law){.p = (double)t->messages / (double)net->endpoints, .draws = 1, .total = 1};
    law->levels = net->levels;
    t->data = law;
    t->batch_law = law;
    return BOUGH_OK;
}

static void alike_fini(bough_traffic *t) {
    free(t->data);
}

static bough_status uniform_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                 bough_source **out, bough_error *error) {
    (void)clock;
    bough_batch b;
    bough_status status = batch_draw_sources(t->net->endpoints, t->messages, key, &b, error);
    if (status) return status;
    uniform_destinations(t->net, key, 0, &b);
    return batch_source(&b, out, error);
}

const bough_traffic_kind bough_traffic_uniform = {
    .name = "uniform",
    .summary = "distinct random sources, each to a random other endpoint",
    .source = "strumpen2005, section 4",
    .params = uniform_params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = alike_bind,
    .open = uniform_open,
    .fini = alike_fini,
    .pattern = &uniform_pattern,
    .part = uniform_part,
};

/* ---- hotspot: some messages to one endpoint, the others uniform ---- */

static const bough_param hotspot_params[] = {
    {"m", "total number of messages; default: every endpoint sends", BOUGH_INT, "", 1, 0x1p32, .echo = true},
    {"hot", "number of messages to the target; in a stream: of n messages", BOUGH_INT, "1", 0, 0x1p32,
     .echo = true},
    {"target", "the endpoint that receives them", BOUGH_INT, "0", 0, 0x1p40},
    {"share", "fraction of messages to the target, instead of hot", BOUGH_SHARE, ""},
    BOUGH_PARAMS_END,
};
enum { HOT = 1, TARGET, SHARE };

/* The number among m messages; the target itself sends none of them. */
static uint64_t hot_count(const bough_traffic *t) {
    const bough_value *share = &t->args.value[SHARE];
    if (!share->set) return (uint64_t)t->args.value[HOT].integer;
    uint64_t hot = (uint64_t)llround(share->real * (double)t->messages), most = t->net->endpoints - 1;
    return hot < most ? hot : most;
}

static bough_status hotspot_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                 bough_error *error) {
    bough_value *hot = &args->value[HOT];
    bough_status status = uniform_bind(args, net, t, error);
    if (status) return status;
    if ((uint64_t)args->value[TARGET].integer >= net->endpoints)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "hotspot: target=%" PRId64 " is not an endpoint; there are %" PRIu64,
                          args->value[TARGET].integer, net->endpoints);
    if (args->value[SHARE].set) {
        if (hot->given)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "hotspot: hot and share are alternatives; give only one");
        hot->set = false;
        return BOUGH_OK;
    }
    uint64_t m = t->of_stream ? net->endpoints : t->messages;
    if ((uint64_t)hot->integer > m)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "hotspot: hot=%" PRId64 " exceeds m=%" PRIu64 " messages", hot->integer, m);
    if (m == net->endpoints && (uint64_t)hot->integer == m)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "hotspot: the target cannot send to itself; hot must be below m");
    return BOUGH_OK;
}

/* Selects which sources send to the target: a random subset without the target. */
static void choose_hot(const bough_traffic *t, bough_key key, bough_batch *b, uint64_t hot) {
    uint32_t target = (uint32_t)t->args.value[TARGET].integer;
    uint32_t address = (uint32_t)bough_endpoint_address(t->net, target);
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_PERMUTATION, 0, 1);
    uint64_t candidates = 0;
    for (uint64_t i = 0; i < b->count; i++) candidates += b->source[i] != target;
    for (uint64_t i = 0; i < b->count && hot; i++) { /* selection sampling */
        if (b->source[i] == target) continue;
        if (bough_stream_below(&stream, candidates--) < hot) b->address[i] = address, hot--;
    }
}

static bough_status hotspot_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                 bough_source **out, bough_error *error) {
    (void)clock;
    bough_batch b;
    uint32_t target = (uint32_t)t->args.value[TARGET].integer;
    uint64_t n = t->net->endpoints, hot = hot_count(t);
    bool all_hot = hot == t->messages; /* then the target is not a sender */
    bough_status status = batch_draw_sources(n - all_hot, t->messages, key, &b, error);
    if (status) return status;
    for (uint64_t i = 0; i < b.count && all_hot; i++) b.source[i] += b.source[i] >= target;
    uniform_destinations(t->net, key, 0, &b);
    choose_hot(t, key, &b, hot);
    return batch_source(&b, out, error);
}

/* The fraction for endpoints other than the target. */
static double hot_share(const bough_traffic *t) {
    if (t->args.value[SHARE].set) return t->args.value[SHARE].real;
    uint64_t m = t->of_stream ? t->net->endpoints : t->messages;
    return (double)t->args.value[HOT].integer / (double)m;
}

/* Words below the fraction select the target; the others are rescaled to all words. */
static uint32_t draw_hotspot(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    (void)state;
    uint32_t target = (uint32_t)t->args.value[TARGET].integer;
    if (source != target) {
        double share = hot_share(t);
        uint64_t hot = share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
        if (share >= 1 || word < hot) return target;
        if (hot) word = (uint64_t)(((unsigned __int128)(word - hot) << 64) / -hot); /* -hot = 2^64 - hot */
    }
    return other_endpoint(word, t->net->endpoints, source);
}

static void visit_hotspot(const bough_traffic *t, const void *state, uint32_t source, visitor each,
                          void *context) {
    (void)state;
    uint32_t target = (uint32_t)t->args.value[TARGET].integer;
    hot_spot hot = {target, source == target ? 0 : hot_share(t)};
    visit_others(t, source, hot, each, context);
}

static const bough_pattern hotspot_pattern = {.draw = draw_hotspot, .visit = visit_hotspot};

const bough_traffic_kind bough_traffic_hotspot = {
    .name = "hotspot",
    .summary = "uniform, but some messages go to one endpoint",
    .source = "strumpen2005, section 7: m_l messages to one node, m_r random ones",
    .params = hotspot_params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = hotspot_bind,
    .open = hotspot_open,
    .pattern = &hotspot_pattern,
};

/* ---- incast ---- */

enum { INCAST_M, INCAST_TARGET };

static const bough_param incast_params[] = {
    [INCAST_M] = {"m", "senders; default: all others", BOUGH_INT, "", 1, 0x1p32, .echo = true},
    [INCAST_TARGET] = {"target", "the endpoint that receives", BOUGH_INT, "0", 0, 0x1p40},
    BOUGH_PARAMS_END,
};

static bough_status incast_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                bough_error *error) {
    bough_status status = need_two(net, error);
    if (status) return status;
    if ((uint64_t)args->value[INCAST_TARGET].integer >= net->endpoints)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "incast: target=%" PRId64 " is not an endpoint; there are %" PRIu64,
                          args->value[INCAST_TARGET].integer, net->endpoints);
    if (t->of_stream) return refuse_m(args, t, error);
    if (!args->value[INCAST_M].set) bough_args_set_int(args, "m", (int64_t)net->endpoints - 1);
    if ((uint64_t)args->value[INCAST_M].integer >= net->endpoints)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "incast: m=%" PRId64 " senders other than the target require more than %" PRIu64
                          " endpoints",
                          args->value[INCAST_M].integer, net->endpoints);
    t->messages = (uint64_t)args->value[INCAST_M].integer;
    t->distinct = true;
    return BOUGH_OK;
}

static bough_status incast_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                bough_source **out, bough_error *error) {
    (void)clock;
    bough_batch b;
    uint32_t target = (uint32_t)t->args.value[INCAST_TARGET].integer;
    bough_status status = batch_draw_sources(t->net->endpoints - 1, t->messages, key, &b, error);
    if (status) return status;
    for (uint64_t i = 0; i < b.count; i++) {
        b.source[i] += b.source[i] >= target;
        b.address[i] = (uint32_t)bough_endpoint_address(t->net, target);
    }
    return batch_source(&b, out, error);
}

static uint32_t draw_incast(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    (void)state, (void)source, (void)word;
    return (uint32_t)t->args.value[INCAST_TARGET].integer;
}

static void visit_incast(const bough_traffic *t, const void *state, uint32_t source, visitor each,
                         void *context) {
    uint32_t target = draw_incast(t, state, source, 0);
    if (source != target) each(context, target, 1);
}

static const bough_pattern incast_pattern = {.draw = draw_incast, .visit = visit_incast};

const bough_traffic_kind bough_traffic_incast = {
    .name = "incast",
    .summary = "many random senders to one endpoint",
    .source = "",
    .params = incast_params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = incast_bind,
    .open = incast_open,
    .pattern = &incast_pattern,
};

/* ---- alltoall ---- */

enum { ALLTOALL_ALGO, ALLTOALL_SIZE }; /* SIZE: the first of a collective */

static const bough_param alltoall_params[] = {
    [ALLTOALL_ALGO] = {"algo", "a schedule of rounds; default: all messages as one batch", BOUGH_CHOICE, "",
                       0, 0, "shift|pairwise|bruck|linear|nccl|nccl-direct|pxn|msccl:FILE"},
    COLLECTIVE_PARAM_LIST("", false),
    COLLECTIVE_GPU_PARAM_LIST,
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

/* Parameters of schedules do not apply to a batch. */
static bough_status refuse_schedule(const bough_args *args, bough_error *error) {
    for (unsigned i = 1; args->params[i].key; i++)
        if (args->value[i].given)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "alltoall: %s= applies to schedules; also give algo= (shift, pairwise, bruck, "
                              "linear, nccl, ...)",
                              args->params[i].key);
    return BOUGH_OK;
}

static bough_status alltoall_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                  bough_error *error) {
    bough_status status = need_two(net, error);
    if (status) return status;
    if (args->value[ALLTOALL_ALGO].set && t->of_stream)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "pattern alltoall: streams do not support algo; omit it");
    if (args->value[ALLTOALL_ALGO].set) {
        if (!args->value[ALLTOALL_SIZE].set) bough_args_set_int(args, "size", 1000000);
        return collective_bind(&collective_alltoall, args, net, t, error);
    }
    status = refuse_schedule(args, error);
    if (status || t->of_stream) return status;
    t->messages = bough_mul(net->endpoints, net->endpoints - 1);
    t->all_pairs = true;
    return BOUGH_OK;
}

static bough_status alltoall_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                  bough_source **out, bough_error *error) {
    if (t->workload) return workload_open(t, key, clock, out, error);
    bough_batch b;
    if (t->messages > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "alltoall over %" PRIu64 " endpoints has more than 2^32 messages",
                          t->net->endpoints);
    bough_status status = bough_memory_check(bough_mul(t->messages, 8), "the messages of alltoall", error);
    TRY(batch_alloc(t->messages, &b, error));
    if (status) return status;
    uint64_t i = 0, n = t->net->endpoints;
    for (uint64_t k = 1; k < n; k++) /* in the order of shifts, as applications send them */
        for (uint64_t s = 0; s < n; s++, i++) {
            b.source[i] = (uint32_t)s;
            b.address[i] = (uint32_t)bough_endpoint_address(t->net, (s + k) % n);
        }
    return batch_source(&b, out, error);
}

const bough_traffic_kind bough_traffic_alltoall = {
    .name = "alltoall",
    .summary = "every endpoint to every other; with algo= a schedule of ranks",
    .source =
        "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, 2005",
    .params = alltoall_params,
    .shape = BOUGH_BATCH,
    .bind = alltoall_bind,
    .open = alltoall_open,
    .fini = workload_fini,
    .pattern = &uniform_pattern, /* over time all other endpoints are equally likely */
};
