/* Weights of pairs of a program, as a traffic. */
#include "extension/array_names.h"

#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "extension/owned_registry.h"
#include "traffic/patterns/batch.h"
#include "traffic/patterns/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct array_weights {
    bough_traffic_kind kind; /* first */
    char *name;
    uint64_t *source, *destination;
    double *weight;
    size_t count;
    uint64_t hash;
} array_weights;

static void destroy(void *object) {
    array_weights *w = object;
    FREE_ALL(w->name, w->source, w->destination, w->weight, w);
}

static bough_status bind(bough_args *args, const bough_net *net, bough_traffic *traffic, bough_error *error) {
    const array_weights *w = (const array_weights *)traffic->kind;
    (void)net;
    traffic->input_hash = w->hash;
    return weights_take(&(weighted_pairs){w->source, w->destination, w->weight, w->count}, args, traffic,
                        error);
}

static bough_status check(const bough_weight_arrays *given, bough_error *error) {
    char place[64];
    if (given->count == 0 || given->count > UINT32_MAX)
        return bough_fail(error, given->count ? BOUGH_TOO_LARGE : BOUGH_INVALID, "bough_weight_arrays",
                          "%zu pairs; there must be between 1 and 2^32 - 1", given->count);
    for (size_t i = 0; i < given->count; i++) {
        snprintf(place, sizeof place, "pair %zu", i);
        if (!(given->weight[i] >= 0) || isinf(given->weight[i]))
            return bough_fail(error, BOUGH_INVALID, place, "weight %g must be a finite number, 0 or more",
                              given->weight[i]);
    }
    return BOUGH_OK;
}

static bough_status copy(array_weights *w, const bough_weight_arrays *given, bough_error *error) {
    const size_t count = given->count;
    const bough_array want[] = {{&w->source, count, sizeof *w->source},
                                {&w->destination, count, sizeof *w->destination},
                                {&w->weight, count, sizeof *w->weight}};
    bough_status status = bough_alloc_all(want, 3, error);
    w->name = bough_strdup(given->name);
    if (!status && !w->name) status = bough_fail_memory(error, strlen(given->name));
    if (status) return status;
    w->count = count;
    memcpy(w->source, given->source, count * sizeof *w->source);
    memcpy(w->destination, given->destination, count * sizeof *w->destination);
    memcpy(w->weight, given->weight, count * sizeof *w->weight);
    w->hash = bough_fnv1a(BOUGH_FNV1A_START, (const char *)w->source, count * sizeof *w->source);
    w->hash = bough_fnv1a(w->hash, (const char *)w->destination, count * sizeof *w->destination);
    w->hash = bough_fnv1a(w->hash, (const char *)w->weight, count * sizeof *w->weight);
    return BOUGH_OK;
}

bough_status registry_add_weights(bough_registry *registry, const bough_weight_arrays *given,
                                  bough_error *error) {
    array_weights *w;
    bough_status status = registry_check_name(registry, BOUGH_LIST_TRAFFIC, given->name, error);
    TRY(check(given, error));
    TRY(bough_alloc(&w, 1, sizeof *w, error));
    if (status) return status;
    status = copy(w, given, error);
    if (status) {
        destroy(w);
        return status;
    }
    w->kind = bough_traffic_weights;
    w->kind.name = w->name;
    w->kind.summary = "random pairs by weights of the program";
    w->kind.params = bough_traffic_weights.params + 1; /* but for the file */
    w->kind.bind = bind;
    status = registry_own(registry, (owned_object){w, destroy}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_TRAFFIC, w, error);
}
