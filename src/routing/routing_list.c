/* The list of routings. A new one gets a line here and a declaration in routing_list.h. */
#include "routing/routing_list.h"

static const bough_routing_kind *const bough_routing_kinds[] = {
    &bough_routing_free,          &bough_routing_random,
    &bough_routing_first,         &bough_routing_least,
    &bough_routing_hash,          &bough_routing_dmodk,
    &bough_routing_smodk,         &bough_routing_lft,
    &bough_routing_valiant,       &bough_routing_bitfix,
    &bough_routing_minhop,        &bough_routing_updn,
    &bough_routing_adaptive_kind, NULL,
};

enum { BUILT_IN = sizeof bough_routing_kinds / sizeof *bough_routing_kinds - 1 };

const bough_routing_kind *bough_routing_kind_at(const bough_registry *registry, size_t i) {
    return i < BUILT_IN ? bough_routing_kinds[i]
                        : bough_registry_item(registry, BOUGH_LIST_ROUTINGS, i - BUILT_IN);
}
