/* Routings by callbacks. */
#include "extension/callbacks.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/owned_registry.h"
#include "routing/routing_list.h"

#include <stdlib.h>

typedef struct kind {
    bough_routing_kind kind; /* first */
    const bough_ext_routing *given;
    bough_param *params;
    uint64_t code; /* hash of the plug-in */
} kind;

/* What a routing of this kind keeps. */
typedef struct state {
    void *own;             /* of the callbacks */
    bough_network network; /* what open received; borrows the net */
    bool opened;
} state;

static void destroy(void *object) {
    kind *k = object;
    FREE_ALL(k->params, k);
}

static const bough_ext_routing *given_of(const bough_routing *routing) {
    return ((const kind *)routing->kind)->given;
}

static bough_status open_state(bough_args *args, bough_routing *routing, bough_error *error) {
    const bough_ext_routing *given = given_of(routing);
    bough_ext_value value[BOUGH_PARAM_MAX] = {{0}};
    state *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    routing->data = s;
    s->own = given->context;
    routing->input_hash = ((const kind *)routing->kind)->code;
    s->network.handle.word = HANDLE_ALIVE;
    s->network.net = routing->net;
    callback_values(args, value);
    callback_begin(error);
    if (given->open)
        status =
            callback_end(given->name, given->open(given->context, &s->network, value, &s->own, error), error);
    s->opened = !status;
    return status;
}

static void close_state(bough_routing *routing) {
    const bough_ext_routing *given = given_of(routing);
    state *s = routing->data;
    if (s && s->opened && given->close) given->close(s->own);
    free(s);
}

static bool is_minimal(const bough_route *route, uint64_t link) {
    for (uint32_t i = 0; i < route->count; i++)
        if (bough_route_link(route, i) == link) return true;
    return false;
}

static void take_link(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                      bough_route *route) {
    const bough_net *net = routing->net;
    const bough_ext_routing *given = given_of(routing);
    net->ops->route(net, node, flow->address, route);
    if (!route->count && !given->any_link) return;
    const bough_ext_hop hop = {node,        flow->source, bough_address_node(net, flow->address),
                               flow->key,   route->list,  route->first,
                               route->count};
    uint64_t link = given->link(((const state *)routing->data)->own, &hop);
    bool valid = given->any_link
                     ? link < net->links && bough_link_start(net, link) == node && bough_link_alive(net, link)
                     : is_minimal(route, link);
    *route = (bough_route){.count = 0};
    if (valid) *route = (bough_route){net->ops->link_group(net, link), link, NULL, 1};
}

static uint32_t choose(const bough_routing *routing, const bough_choice *choice) {
    uint32_t block[4];
    bough_block(&(bough_draw){choice->key, BOUGH_DRAW_PICK_WORD, choice->occasion}, choice->group,
                choice->served, block);
    const bough_ext_choice c = {choice->free, choice->load, choice->count, block[0]};
    uint32_t i = given_of(routing)->choose(((const state *)routing->data)->own, &c);
    return i < choice->count ? i : 0;
}

static uint64_t via(const bough_routing *routing, bough_key key, const bough_flow *flow) {
    const bough_net *net = routing->net;
    uint64_t word = bough_word(key, BOUGH_DRAW_VIA, flow->key, 0);
    uint64_t e = given_of(routing)->via(((const state *)routing->data)->own, flow->source,
                                        bough_address_node(net, flow->address), word);
    return e < net->endpoints ? bough_endpoint_address(net, e) : BOUGH_NONE;
}

static bough_routing_kind make_kind(const bough_ext_routing *given, const bough_param *params) {
    bough_routing_kind k = {.name = given->name,
                            .summary = given->summary,
                            .source = given->source,
                            .params = params,
                            .needs = BOUGH_HAS_ROUTES,
                            .open = open_state,
                            .fini = close_state};
    if (given->link) {
        k.oblivious = true;
        k.own_ways = given->any_link;
        k.route = take_link;
    }
    if (given->choose) {
        k.select = choose;
        k.wants_load = true;
    }
    if (given->via) {
        k.select = bough_select_random;
        k.via = via;
    }
    return k;
}

bough_status registry_add_routing(bough_registry *registry, const bough_ext_routing *given,
                                  bough_error *error) {
    const callback_head head = {given->size,   sizeof *given, given->name,  given->summary,
                                given->source, "routing",     given->params};
    kind *k = NULL;
    bough_param *params;
    bough_status status = callback_params(&head, &params, error);
    TRY(registry_check_name(registry, BOUGH_LIST_ROUTINGS, given->name, error));
    if (!status && !!given->link + !!given->choose + !!given->via != 1)
        status = bough_fail(error, BOUGH_INVALID, given->name,
                            "the descriptor needs exactly one of link, choose and via");
    TRY(bough_alloc(&k, 1, sizeof *k, error));
    if (status) {
        free(params);
        return status;
    }
    *k = (kind){make_kind(given, params), given, params, registry_code(registry)};
    status = registry_own(registry, (owned_object){k, destroy}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_ROUTINGS, k, error);
}
