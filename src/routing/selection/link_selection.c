/* Link selections: routings that use the routes of the network and choose within the group. */
#include "base/memory/memory.h"
#include "routing/routing_list.h"

#include <stdlib.h>

enum { HASH_KEY };

static const bough_param no_params[] = {BOUGH_PARAMS_END};

static uint64_t choice_word(const bough_choice *c) {
    uint32_t block[4];
    bough_block(&(bough_draw){c->key, BOUGH_DRAW_PICK_WORD, c->occasion}, c->group, c->served >> 1, block);
    const uint32_t *half = block + 2 * (c->served & 1);
    return (uint64_t)half[1] << 32 | half[0];
}

uint32_t bough_select_random(const bough_routing *routing, const bough_choice *c) {
    (void)routing;
    if (c->count == 2 && c->served == 0)
        return bough_bit(c->key, BOUGH_DRAW_PICK_BIT, c->group, c->occasion) ^ (c->port & 1);
    return (uint32_t)bough_scale(choice_word(c), c->count);
}

uint32_t bough_select_first(const bough_routing *routing, const bough_choice *c) {
    (void)routing;
    (void)c;
    return 0;
}

uint32_t bough_select_least(const bough_routing *routing, const bough_choice *c) {
    (void)routing;
    uint32_t least = UINT32_MAX, ties = 0, i = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        if (c->load[k] < least) least = c->load[k], ties = 0;
        ties += c->load[k] == least;
    }
    uint64_t skip = ties > 1 ? bough_scale(choice_word(c), ties) : 0;
    while (c->load[i] != least || skip-- > 0) i++;
    return i;
}

const bough_routing_kind bough_routing_free = {
    .name = "free",
    .summary = "a random link of those in the group that are free; two simultaneous requests share one coin",
    .source = "strumpen2005, section 3; greenberg1997; dehon1991",
    .params = no_params,
    .needs = BOUGH_HAS_ROUTES,
    .even = true,
    .select = bough_select_random,
};

const bough_routing_kind bough_routing_random = {
    .name = "random",
    .summary = "a random link of the group, whether it is free or not; a message waits for it",
    .source = "",
    .params = no_params,
    .needs = BOUGH_HAS_ROUTES,
    .even = true,
    .blind = true,
    .select = bough_select_random,
};

const bough_routing_kind bough_routing_first = {
    .name = "first",
    .summary = "the free link with the lowest number",
    .source = "",
    .params = no_params,
    .needs = BOUGH_HAS_ROUTES,
    .select = bough_select_first,
};

const bough_routing_kind bough_routing_least = {
    .name = "least",
    .summary = "the free link with the lowest load so far (for packets: the shortest queue), ties at random",
    .source = "",
    .params = no_params,
    .needs = BOUGH_HAS_ROUTES,
    .wants_load = true,
    .select = bough_select_least,
};

/* Oblivious selections see eligible links only, so they never use dead links. */

/* ---- hash: ECMP by flow, which is a pair of endpoints ---- */

static const char *const hash_aliases[] = {"ecmp", NULL};

static const bough_param hash_params[] = {
    [HASH_KEY] = {"key", "selects another hash function", BOUGH_INT, "0", 0, 0x1p53},
    BOUGH_PARAMS_END,
};

static bough_status open_hash(bough_args *args, bough_routing *routing, bough_error *error) {
    bough_key *key;
    bough_status status = bough_alloc(&key, 1, sizeof *key, error);
    if (status) return status;
    *key = bough_key_make((uint64_t)args->value[HASH_KEY].integer, 0);
    routing->data = key;
    return BOUGH_OK;
}

static void fini_hash(bough_routing *routing) {
    free(routing->data);
}

/* Every switch hashes independently, as ECMP with a seed per switch. */
static uint32_t hash_below(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                           uint32_t range) {
    uint32_t mixed[4];
    bough_draw draw = {*(const bough_key *)routing->data, BOUGH_DRAW_HASH, flow->address};
    bough_block(&draw, flow->source, 0, mixed);
    bough_key flow_key = {{mixed[0], mixed[1]}};
    return (uint32_t)bough_scale(bough_word(flow_key, BOUGH_DRAW_HASH, node, 1), range);
}

static void route_hash(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                       bough_route *route) {
    const bough_net *net = routing->net;
    net->ops->route(net, node, flow->address, route);
    if (route->count > 1) bough_route_narrow(route, hash_below(routing, node, flow, route->count));
}

const bough_routing_kind bough_routing_hash = {
    .name = "hash",
    .summary = "ECMP: a hash of (switch, source, address) fixes the link, for all messages of the pair",
    .source = "RFC 2992",
    .params = hash_params,
    .aliases = hash_aliases,
    .needs = BOUGH_HAS_ROUTES,
    .oblivious = true,
    .by_hash = true,
    .open = open_hash,
    .fini = fini_hash,
    .route = route_hash,
};
