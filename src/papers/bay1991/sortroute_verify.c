/* Lemma 10, checked on the run. Every message that crosses a channel is counted, by channel, peak and batch.
 * Let k be the channel's level and i < k the peak's, counted from the root as in bay1991. Then (5) l(M_ij,
 * c_k) <= ceil(l(M_i, c_k) / lg N) must hold for every channel, peak and batch (the paper prints =, but means
 * this). Summed over i, a batch puts less than k + l(M, c_k) / lg N messages on a channel. Channels have at
 * least lg N wires, so the load factor of a batch is below 1 + lambda_a / lg N. On the way down M_i is the
 * set with its peak at one node, and the same holds. */
#include "papers/bay1991/sortroute_state.h"

#include <inttypes.h>
#include <string.h>

uint64_t sortroute_verify_counters(const sorting_shape *shape) {
    uint64_t counters = 0;
    for (unsigned t = 0; t < shape->height; t++)
        counters += (UINT64_C(1) << (shape->height - t)) * (shape->height - t) * shape->lg_n;
    return counters;
}

/* The counters of a channel: one per peak level (k of them) and batch. */
static uint32_t *counters_of(const sortroute *r, unsigned t, uint64_t v) {
    uint64_t at = 0;
    for (unsigned below = 0; below < t; below++)
        at += sortroute_nodes(r, below) * (r->shape.height - below) * r->batches;
    return r->counter + at + v * (r->shape.height - t) * r->batches;
}

void sortroute_verify_start(sortroute *r) {
    if (r->options.verify) memset(r->counter, 0, sortroute_verify_counters(&r->shape) * sizeof *r->counter);
}

void sortroute_verify_cross(sortroute *r, unsigned t, uint64_t v, uint64_t batch, key_list list) {
    if (!r->options.verify) return;
    uint32_t *counter = counters_of(r, t, v);
    for (uint64_t i = 0; i < list.count; i++) {
        unsigned peak = r->shape.height - r->set.peak[(uint32_t)list.key[i]]; /* counted from the root */
        counter[peak * r->batches + batch]++;
    }
}

static bough_status channel_keeps(const sortroute *r, unsigned t, uint64_t v, unsigned step) {
    uint64_t batches = r->batches;
    for (uint64_t i = 0; i < r->shape.height - t; i++) {
        const uint32_t *counter = counters_of(r, t, v) + i * batches;
        uint64_t load = 0;
        for (uint64_t j = 0; j < batches; j++) load += counter[j];
        for (uint64_t j = 0; j < batches; j++)
            if (counter[j] > ceil_div(load, batches))
                return bough_fail(r->error, BOUGH_FAILED, NULL,
                                  "sortroute: Lemma 10 (5) is violated in step %u: batch %" PRIu64
                                  " puts %" PRIu32 " messages with a peak at level %" PRIu64
                                  " on the channel above s%u.%" PRIu64
                                  " (s0: a mesh), more than ceil(%" PRIu64 " / %" PRIu64 ")",
                                  step, j, counter[j], r->shape.height - i, t, v, load, batches);
    }
    return BOUGH_OK;
}

bough_status sortroute_verify_channels(sortroute *r, unsigned step) {
    if (!r->options.verify) return BOUGH_OK;
    for (unsigned t = 0; t < r->shape.height; t++)
        for (uint64_t v = 0; v < sortroute_nodes(r, t); v++) {
            bough_status status = channel_keeps(r, t, v, step);
            if (status) return status;
        }
    return BOUGH_OK;
}

/* Checks that all messages of a mesh have arrived, each once, and that no column had to take more words than
 * its registers. */
static bough_status mesh_keeps(sortroute *r, uint64_t mesh) {
    uint64_t side = r->shape.side, room = side * (r->set.degree + 1);
    uint32_t *seen = r->scratch;
    uint64_t column[1u << 6] = {0};
    for (uint32_t at = r->arrival_first[mesh]; at < r->arrival_first[mesh] + r->arrived[mesh]; at++) {
        uint32_t id = r->arrival[at];
        uint64_t terminal = r->set.target[id];
        if (sorting_subtree(&r->shape, 0, terminal) != mesh)
            return bough_fail(r->error, BOUGH_FAILED, NULL,
                              "sortroute: message %" PRIu32 " to %" PRIu64 " arrived at mesh %" PRIu64,
                              r->set.number[id], terminal, mesh);
        if (++seen[terminal] > r->set.degree)
            return bough_fail(r->error, BOUGH_FAILED, NULL,
                              "sortroute: terminal %" PRIu64 " receives more messages than were sent to it",
                              terminal);
        if (++column[r->arrival_wire[at]] > room)
            return bough_fail(r->error, BOUGH_FAILED, NULL,
                              "sortroute: mesh %" PRIu64 " has no register left in column %" PRIu32, mesh,
                              r->arrival_wire[at]);
    }
    return BOUGH_OK;
}

bough_status sortroute_verify_delivery(sortroute *r) {
    uint64_t arrived = 0;
    bough_status status = BOUGH_OK;
    if (!r->options.verify) return BOUGH_OK;
    memset(r->scratch, 0, r->shape.n * sizeof *r->scratch);
    for (uint64_t mesh = 0; mesh < sortroute_nodes(r, 0) && !status; mesh++) {
        arrived += r->arrived[mesh];
        status = mesh_keeps(r, mesh);
    }
    if (!status && arrived != r->set.crossing)
        status = bough_fail(r->error, BOUGH_FAILED, NULL,
                            "sortroute: %" PRIu64 " of %" PRIu64 " messages arrived at their meshes", arrived,
                            r->set.crossing);
    return status;
}
