/* Message sets that load every level of a binary tree over the endpoints: where messages with different peaks
 * are routed one level after another (bay1991, section 3), they take long. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { P_LOAD, P_DEGREE };

static const bough_param params[] = {
    [P_LOAD] = {"load",
                "messages from one half of a subtree to the other, over its 2^ceil(h/2) wires at height h",
                BOUGH_INT, "1", 1, 0x1p30, .echo = true},
    [P_DEGREE] = {"degree", "the most messages that an endpoint sends, or receives", BOUGH_INT, "4", 1, 1024,
                  .echo = true},
    BOUGH_PARAMS_END,
};

typedef struct set {
    const bough_net *net;
    bough_batch *batch; /* without arrays: messages are only counted */
    uint32_t *sends, *receives;
    uint64_t load, degree;
} set;

static void add(set *s, uint64_t from, uint64_t to) {
    if (s->sends[from] == s->degree || s->receives[to] == s->degree) return;
    s->sends[from]++;
    s->receives[to]++;
    if (s->batch->source) {
        s->batch->source[s->batch->count] = (uint32_t)from;
        s->batch->address[s->batch->count] = (uint32_t)bough_endpoint_address(s->net, to);
    }
    s->batch->count++;
}

/* Endpoints spread over the left half, from the height-th on, send to those at the same places of the right
 * half. */
static void add_subtree(set *s, uint64_t left, unsigned height) {
    uint64_t half = UINT64_C(1) << (height - 1), count = s->load << (height + 1) / 2;
    if (count > half * s->degree) count = half * s->degree;
    uint64_t stride = count < half ? half / count : 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = (height + i * stride + i * stride / half) % half;
        add(s, left + place, left + half + place);
    }
}

/* From the root down, so that the wide channels are loaded first. */
static bough_status add_heights(const bough_traffic *t, bough_batch *batch, bough_error *error) {
    set s = {t->net,
             batch,
             NULL,
             NULL,
             (uint64_t)t->args.value[P_LOAD].integer,
             (uint64_t)t->args.value[P_DEGREE].integer};
    uint64_t n = t->net->endpoints;
    bough_status status = bough_alloc(&s.sends, n, sizeof *s.sends, error);
    TRY(bough_alloc(&s.receives, n, sizeof *s.receives, error));
    batch->count = 0;
    for (unsigned h = 63 - (unsigned)__builtin_clzll(n); h > 0 && !status; h--)
        for (uint64_t left = 0; left < n; left += UINT64_C(1) << h) add_subtree(&s, left, h);
    FREE_ALL(s.sends, s.receives);
    return status;
}

static bough_status heights_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                 bough_error *error) {
    bough_batch counted = {0};
    if (net->endpoints < 2 || (net->endpoints & (net->endpoints - 1)) || net->endpoints > UINT32_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "heights: %" PRIu64
                          " endpoints; a complete binary tree has 2, 4, 8, ... below 2^32",
                          net->endpoints);
    uint64_t most = bough_mul(net->endpoints, (uint64_t)args->value[P_DEGREE].integer);
    bough_status status = bough_memory_check(bough_mul(most, 8), "the messages of heights", error);
    TRY(add_heights(t, &counted, error));
    t->messages = counted.count;
    return status;
}

static bough_status heights_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                 bough_source **out, bough_error *error) {
    (void)key;
    (void)clock;
    bough_batch batch;
    bough_status status = batch_alloc(t->messages, &batch, error);
    if (status) return status;
    status = add_heights(t, &batch, error);
    if (!status) return batch_source(&batch, out, error);
    bough_batch_fini(&batch);
    return status;
}

const bough_traffic_kind bough_traffic_heights = {
    .name = "heights",
    .summary = "messages at every height of a binary tree over the endpoints, with the same load",
    .source = "bay1991, section 4",
    .params = params,
    .shape = BOUGH_BATCH,
    .bind = heights_bind,
    .open = heights_open,
};
