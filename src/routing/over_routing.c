#include "routing/over_routing.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

/* The kind is that of the routing below, with the functions here. */
typedef struct over_routing {
    bough_routing_kind kind;
    bough_routing *inner;
} over_routing;

const bough_routing *over_routing_inner(const bough_routing *r) {
    return ((const over_routing *)r->data)->inner;
}

static uint32_t select_link(const bough_routing *r, const bough_choice *choice) {
    return bough_select_free(over_routing_inner(r), choice);
}

static void fini(bough_routing *r) {
    over_routing *o = r->data;
    if (!o) return;
    r->findings = (bough_findings){0}; /* of inner */
    bough_routing_destroy(o->inner);
    free(o);
}

/* What needs the fields of the inner routing's own kind stays out. */
static bough_routing_kind kind_over(const bough_routing_kind *inner, over_route *route) {
    return (bough_routing_kind){
        .name = inner->name,
        .summary = inner->summary,
        .source = inner->source,
        .params = inner->params,
        .oblivious = inner->oblivious,
        .by_address = inner->by_address,
        .by_hash = inner->by_hash,
        .blind = inner->blind,
        .own_ways = inner->own_ways,
        .draws = inner->draws,
        .minimal = inner->minimal,
        .wants_load = inner->wants_load,
        .select = inner->select ? select_link : NULL,
        .route = route,
        .fini = fini,
    };
}

bough_status over_routing_make(const bough_net *net, bough_routing *inner, over_route *route,
                               bough_routing **out, bough_error *error) {
    over_routing *o = NULL;
    bough_routing *r = NULL;
    bough_status status = BOUGH_OK;
    *out = NULL;
    if (inner->kind->via)
        status = bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "routing %s goes through intermediate endpoints, which networks with %s do not support",
            inner->kind->name, net->aggregation ? "aggregation nodes" : "compute nodes");
    TRY(bough_alloc(&o, 1, sizeof *o, error));
    TRY(bough_alloc(&r, 1, sizeof *r, error));
    if (!status && !(r->spec = bough_strdup(inner->spec)))
        status = bough_fail_memory(error, strlen(inner->spec));
    if (status) {
        if (r) free(r->spec);
        FREE_ALL(r, o);
        bough_routing_destroy(inner);
        return status;
    }
    *o = (over_routing){kind_over(inner->kind, route), inner};
    if (net->aggregation) o->kind.minimal = o->kind.by_address = false; /* some pairs have no route; lanes */
    r->net = net;
    r->kind = &o->kind;
    r->findings = inner->findings;
    r->input_hash = inner->input_hash;
    r->bytes = inner->bytes;
    r->data = o;
    *out = r;
    return BOUGH_OK;
}
