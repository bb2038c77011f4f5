/* Network families that a callback builds. */
#include "extension/callbacks.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/cable_network.h"
#include "extension/owned_registry.h"

#include <inttypes.h>
#include <stdlib.h>

struct bough_ext_builder {
    cable_set set;
    size_t capacity;
    bool sized;
};

typedef struct family {
    bough_family family; /* first */
    const bough_ext_network *given;
    bough_param *params;
} family;

static void destroy(void *object) {
    family *f = object;
    FREE_ALL(f->params, f);
}

bough_status builder_sizes(bough_ext_builder *b, uint64_t endpoints, uint64_t switches, bough_error *error) {
    if (b->sized) return bough_fail(error, BOUGH_INVALID, "sizes", "is called twice; call it once, first");
    if (bough_add(endpoints, switches) >= BOUGH_NO_INDEX)
        return bough_fail(error, BOUGH_TOO_LARGE, "sizes",
                          "%" PRIu64 " endpoints and %" PRIu64 " switches; 2^32 nodes are the limit",
                          endpoints, switches);
    b->sized = true;
    b->set.endpoints = endpoints;
    b->set.nodes = bough_add(endpoints, switches);
    return BOUGH_OK;
}

bough_status builder_cable(bough_ext_builder *b, uint64_t a, uint64_t to, double rate, bough_error *error) {
    if (!b->sized) return bough_fail(error, BOUGH_INVALID, "cable", "is called before sizes");
    bough_status status =
        bough_grow(&b->set.cable, &b->capacity, b->set.count + 1, sizeof *b->set.cable, error);
    if (!status) b->set.cable[b->set.count++] = (cable){a, to, rate};
    return status;
}

static bough_status make(bough_args *args, bough_net *net, bough_error *error) {
    const family *f = (const family *)net->family;
    bough_ext_builder builder = {0};
    bough_ext_value value[BOUGH_PARAM_MAX] = {{0}};
    callback_values(args, value);
    callback_begin(error);
    bough_status status =
        callback_end(f->given->name, f->given->build(f->given->context, value, &builder, error), error);
    if (!status && !builder.sized)
        status = bough_fail(error, BOUGH_INVALID, f->given->name, "build did not call sizes");
    TRY(cable_network_fill(&builder.set, net, error));
    free(builder.set.cable);
    return status;
}

bough_status registry_add_network(bough_registry *registry, const bough_ext_network *given,
                                  bough_error *error) {
    const callback_head head = {given->size,   sizeof *given, given->name,  given->summary,
                                given->source, "network",     given->params};
    family *f = NULL;
    bough_param *params;
    bough_status status = callback_params(&head, &params, error);
    TRY(registry_check_name(registry, BOUGH_LIST_FAMILIES, given->name, error));
    if (!status && !given->build)
        status = bough_fail(error, BOUGH_INVALID, given->name, "the descriptor needs build");
    TRY(bough_alloc(&f, 1, sizeof *f, error));
    if (status) {
        free(params);
        return status;
    }
    f->given = given;
    f->params = params;
    f->family = (bough_family){given->name, given->summary, given->source, params, make};
    status = registry_own(registry, (owned_object){f, destroy}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_FAMILIES, f, error);
}
