/* h random permutations at once: every endpoint sends h messages, and receives h, but for those to itself,
 * which are none. The first of them is that of `randperm`. */
#include "base/memory.h"
#include "traffic/batch.h"

#include <inttypes.h>
#include <stdlib.h>

#define MESSAGES_MAX (UINT64_C(1) << 32)

static const bough_param params[] = {
    {"h", "permutations", BOUGH_INT, "2", 1, 65536, .echo = true},
    BOUGH_PARAMS_END,
};

static bough_status hrelation_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                   bough_error *error) {
    uint64_t h = (uint64_t)args->value[0].integer;
    t->messages = bough_mul(h, net->endpoints);
    t->distinct = h == 1;
    if (t->messages <= MESSAGES_MAX) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "hrelation: h=%" PRIu64 " times %" PRIu64 " endpoints are more than 2^32 messages", h,
                      net->endpoints);
}

/* All images, one permutation after the other. */
static bough_status draw_images(const bough_traffic *t, bough_key key, void **state, bough_error *error) {
    uint64_t n = t->net->endpoints, h = (uint64_t)t->args.value[0].integer;
    uint32_t *image;
    bough_status status = bough_alloc(&image, bough_mul(h, n), sizeof *image, error);
    for (uint64_t k = 0; k < h && !status; k++) random_permutation(key, k, n, image + k * n);
    *state = image;
    return status;
}

static bough_status hrelation_open(const bough_traffic *t, bough_key key, bough_source **out,
                                   bough_error *error) {
    uint32_t *source, *address = NULL, *image = NULL;
    uint64_t n = t->net->endpoints, count = 0;
    void *state = NULL;
    bough_status status = bough_alloc(&source, t->messages, sizeof *source, error);
    if (!status) status = bough_alloc(&address, t->messages, sizeof *address, error);
    if (!status) status = draw_images(t, key, &state, error);
    if (status) {
        free(source);
        free(address);
        return status;
    }
    image = state;
    for (uint64_t i = 0; i < t->messages; i++) {
        if (image[i] == i % n) continue;
        source[count] = (uint32_t)(i % n);
        address[count++] = (uint32_t)bough_endpoint_address(t->net, image[i]);
    }
    free(image);
    return batch_source(source, address, NULL, count, out, error);
}

/* ---- of a stream: every message takes one of the permutations that do not lead back to its source ---- */

static uint64_t partners(const bough_traffic *t, const uint32_t *image, uint32_t source) {
    uint64_t n = t->net->endpoints, h = (uint64_t)t->args.value[0].integer, count = 0;
    for (uint64_t k = 0; k < h; k++) count += image[k * n + source] != source;
    return count;
}

static uint32_t draw_partner(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    const uint32_t *image = state;
    uint64_t count = partners(t, image, source), n = t->net->endpoints, k = 0;
    if (count == 0) return source;
    for (uint64_t skip = bough_scale(word, count);; k++)
        if (image[k * n + source] != source && skip-- == 0) return image[k * n + source];
}

static void visit_partners(const bough_traffic *t, const void *state, uint32_t source,
                           void (*each)(void *context, uint32_t destination, double probability),
                           void *context) {
    const uint32_t *image = state;
    uint64_t n = t->net->endpoints, h = (uint64_t)t->args.value[0].integer,
             count = partners(t, image, source);
    uint32_t last = 0;
    for (uint64_t done = 0; done < count;) { /* ascending, those of several permutations once */
        uint32_t next = UINT32_MAX;
        uint64_t times = 0;
        for (uint64_t k = 0; k < h; k++) {
            uint32_t d = image[k * n + source];
            if (d == source || (done && d <= last) || d > next) continue;
            times = d == next ? times + 1 : 1;
            next = d;
        }
        each(context, next, (double)times / (double)count);
        done += times;
        last = next;
    }
}

static const bough_pattern pattern = {
    .open = draw_images, .close = free, .draw = draw_partner, .visit = visit_partners};

static const char *const aliases[] = {"relation", NULL};

const bough_traffic_kind bough_traffic_hrelation = {
    .name = "hrelation",
    .summary = "h random permutations at once: every endpoint sends and receives h messages",
    .source = "Valiant: A bridging model for parallel computation, 1990",
    .aliases = aliases,
    .params = params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = hrelation_bind,
    .open = hrelation_open,
    .pattern = &pattern,
};
