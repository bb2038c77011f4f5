/* h-relations: every endpoint sends and receives h messages, as h independent random permutations. Fixed
 * points are not messages, so the degree is at most h. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdlib.h>

enum { P_H };

static const bough_param params[] = {
    [P_H] = {"h", "messages that every endpoint sends and receives", BOUGH_INT, "2", 1, 0x1p32, .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status relation_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                  bough_error *error) {
    uint64_t h = (uint64_t)args->value[P_H].integer, messages = bough_mul(net->endpoints, h);
    if (messages > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "hrelation: h=%" PRIu64 " over %" PRIu64 " endpoints has more than 2^32 messages",
                          h, net->endpoints);
    if (!t->of_stream) t->messages = messages;
    return bough_memory_check(bough_mul(messages, 12), "the messages of hrelation", error);
}

static uint64_t relation_h(const bough_traffic *t) {
    return (uint64_t)t->args.value[P_H].integer;
}

/* The images of all endpoints under h permutations, consecutively; the first is that of randperm. */
static bough_status draw_permutations(const bough_traffic *t, bough_key key, void **state,
                                      bough_error *error) {
    uint64_t n = t->net->endpoints, h = relation_h(t);
    uint32_t *all;
    bough_status status = bough_alloc(&all, bough_mul(n, h), sizeof *all, error);
    if (status) return status;
    for (uint64_t p = 0; p < h; p++) random_permutation(key, p, n, all + p * n);
    *state = all;
    return BOUGH_OK;
}

static bough_status relation_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                  bough_source **out, bough_error *error) {
    (void)clock;
    uint64_t n = t->net->endpoints, count = 0;
    bough_batch b;
    void *state = NULL;
    bough_status status = batch_alloc(t->messages, &b, error);
    TRY(draw_permutations(t, key, &state, error));
    if (status) {
        bough_batch_fini(&b);
        return status;
    }
    const uint32_t *image = state;
    for (uint64_t i = 0; i < t->messages; i++) {
        if (image[i] == i % n) continue;
        b.source[count] = (uint32_t)(i % n);
        b.address[count++] = (uint32_t)bough_endpoint_address(t->net, image[i]);
    }
    free(state);
    b.count = count;
    return batch_source(&b, out, error);
}

/* ---- as the pattern of a stream: a random permutation selects the receiver ---- */

static uint64_t count_receivers(const bough_traffic *t, const uint32_t *image, uint32_t source) {
    uint64_t n = t->net->endpoints, count = 0;
    for (uint64_t p = 0; p < relation_h(t); p++) count += image[p * n + source] != source;
    return count;
}

static uint32_t draw_receiver(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    const uint32_t *image = (const uint32_t *)state + source;
    uint64_t n = t->net->endpoints, count = count_receivers(t, state, source);
    if (count == 0) return source;
    for (uint64_t left = bough_scale(word, count) + 1;; image += n)
        if (*image != source && --left == 0) return *image;
}

static void visit_receivers(const bough_traffic *t, const void *state, uint32_t source,
                            void (*each)(void *context, uint32_t destination, double probability),
                            void *context) {
    const uint32_t *image = state;
    uint64_t n = t->net->endpoints, h = relation_h(t), count = count_receivers(t, image, source);
    for (uint64_t least = 0, seen = 0; seen < count;
         least++) { /* the next receiver in ascending order, with its multiplicity */
        uint64_t next = n, times = 0;
        for (uint64_t p = 0; p < h; p++) {
            uint32_t d = image[p * n + source];
            if (d == source || d < least || d > next) continue;
            times = d == next ? times + 1 : 1;
            next = d;
        }
        each(context, (uint32_t)next, (double)times / (double)count);
        seen += times;
        least = next;
    }
}

static const bough_pattern pattern = {
    .open = draw_permutations, .close = free, .draw = draw_receiver, .visit = visit_receivers};
static const char *const aliases[] = {"relation", NULL};
const bough_traffic_kind bough_traffic_hrelation = {
    .name = "hrelation",
    .summary = "h simultaneous random permutations: every endpoint sends and receives h messages",
    .source = "Valiant: A bridging model for parallel computation, 1990",
    .aliases = aliases,
    .params = params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = relation_bind,
    .open = relation_open,
    .pattern = &pattern,
};
