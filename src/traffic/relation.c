/* h-relations: every endpoint sends h messages and receives h, as h random permutations, one after another. A
 * fixed point is no message, so the degree is at most h. */
#include "base/memory.h"
#include "traffic/batch.h"

#include <inttypes.h>
#include <stdlib.h>

static const bough_param params[] = {
    {"h", "messages that every endpoint sends, and receives", BOUGH_INT, "2", 1, 0x1p32, .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status relation_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                  bough_error *error) {
    uint64_t h = (uint64_t)args->value[0].integer;
    t->messages = bough_mul(net->endpoints, h);
    if (t->messages > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "hrelation: h=%" PRIu64 " over %" PRIu64 " endpoints makes more than 2^32 messages",
                          h, net->endpoints);
    return bough_memory_check(bough_mul(t->messages, 8), "the messages of hrelation", error);
}

/* Fisher and Yates, inside out; permutation 0 is that of randperm. */
static void draw_permutation(bough_key key, uint64_t number, uint32_t *image, uint64_t n) {
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_PERMUTATION, number, 0);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t j = bough_stream_below(&stream, i + 1);
        image[i] = image[j];
        image[j] = (uint32_t)i;
    }
}

static bough_status relation_open(const bough_traffic *t, bough_key key, bough_source **out,
                                  bough_error *error) {
    uint64_t n = t->net->endpoints, count = 0;
    uint32_t *source, *address = NULL, *image = NULL;
    bough_status status = bough_alloc(&source, t->messages, sizeof *source, error);
    if (!status) status = bough_alloc(&address, t->messages, sizeof *address, error);
    if (!status) status = bough_alloc(&image, n, sizeof *image, error);
    if (status) {
        free(source);
        free(address);
        return status;
    }
    for (uint64_t p = 0; p < t->messages / n; p++) {
        draw_permutation(key, p, image, n);
        for (uint64_t s = 0; s < n; s++) {
            if (image[s] == s) continue;
            source[count] = (uint32_t)s;
            address[count++] = (uint32_t)bough_endpoint_address(t->net, image[s]);
        }
    }
    free(image);
    return batch_source(source, address, NULL, count, out, error);
}

static const char *const aliases[] = {"relation", NULL};
const bough_traffic_kind bough_traffic_hrelation = {
    .name = "hrelation",
    .summary = "h random permutations at once: every endpoint sends h messages and receives h",
    .source = "Valiant: A bridging model for parallel computation, 1990",
    .aliases = aliases,
    .params = params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = relation_bind,
    .open = relation_open,
};
