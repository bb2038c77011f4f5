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

static bough_status hrelation_open(const bough_traffic *t, bough_key key, bough_source **out,
                                   bough_error *error) {
    uint32_t *source, *address = NULL, *image = NULL;
    uint64_t n = t->net->endpoints, count = 0;
    bough_status status = bough_alloc(&source, t->messages, sizeof *source, error);
    if (!status) status = bough_alloc(&address, t->messages, sizeof *address, error);
    if (!status) status = bough_alloc(&image, n, sizeof *image, error);
    if (status) {
        free(source);
        free(address);
        return status;
    }
    for (uint64_t k = 0; k < t->messages / n; k++) {
        random_permutation(key, k, n, image);
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
    .summary = "h random permutations at once: every endpoint sends and receives h messages",
    .source = "Valiant: A bridging model for parallel computation, 1990",
    .aliases = aliases,
    .params = params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = hrelation_bind,
    .open = hrelation_open,
};
