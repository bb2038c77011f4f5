/* Heads: selection of a link, allocation of its channels. Requests of heads for different links do not meet,
 * so a link is allocated by itself. */
#include "base/status/try.h"
#include "engines/wormhole/routers/worm_router_state.h"

#include <inttypes.h>

void router_list_link(worm_router *w, uint64_t phase, uint32_t link) {
    const uint64_t at = phase * w->net->links + link;
    if (w->waiting[at] == ROUTER_NONE || w->in_list[at]) return;
    w->in_list[at] = true;
    w->listed[phase * w->net->links + w->list_count[phase]++] = link;
}

static void push(worm_router *w, uint32_t *list, uint32_t channel) {
    w->channel[channel].next = *list;
    *list = channel;
}

/* ---- routing ---- */

void router_start_head(worm_router *w, uint32_t channel, uint64_t from) {
    const uint64_t selects = from + (w->s.route ? w->s.route - 1 : 0);
    w->channel[channel].stage = ROUTER_HEAD;
    push(w, &w->route_at[selects % (w->s.route + 2)], channel);
}

static bough_status no_route(const worm_router *w, const router_message *m, uint64_t node,
                             bough_error *error) {
    char name[128];
    return bough_fail(error, BOUGH_FAILED, NULL,
                      "no route from endpoint %" PRIu32 " to address %" PRIu32 ": lost at %s", m->source,
                      m->address, bough_node_name(w->net, node, name, sizeof name));
}

/* Stores the candidates in w->free and w->load: with a free channel only, or all live ones. */
static uint32_t candidates(worm_router *w, const bough_route *route, uint32_t class, bool any) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < route->count; i++) {
        const uint64_t link = bough_route_link(route, i);
        if (!bough_link_alive(w->net, link) || !(any || (w->link[link].free & class))) continue;
        w->load[count] = w->link[link].used;
        w->free[count++] = link;
    }
    return count;
}

bough_status router_select(worm_router *w, uint32_t message, uint32_t channel, uint32_t *link,
                           bough_error *error) {
    const router_message *m = &w->message[message];
    const bool starts = channel == ROUTER_SOURCE;
    const bough_flow flow = {m->source, m->address, m->id};
    bough_link_end at = {m->source, BOUGH_SOURCE_PORT};
    if (!starts) at = w->net->ops->link_end(w->net, router_link_of(w, channel));
    bough_route route;
    bough_route_at(w->routing, at.node, &flow, &route);
    if (route.count == 0) return no_route(w, m, at.node, error);
    bough_route_draw(w->routing, w->key, m->id, at.node, &route);
    uint32_t count = candidates(w, &route, router_class_of(w, m), false);
    if (!count) count = candidates(w, &route, 0, true);
    if (!count) return no_route(w, m, at.node, error);
    const bough_choice choice = {
        w->key, route.group, w->base.now, at.port, starts ? 0 : router_number_of(w, channel),
        count,  w->free,     w->load};
    *link = (uint32_t)w->free[bough_select_free(w->routing, &choice)];
    if (w->link[*link].end == ROUTER_NONE && w->net->ops->link_end(w->net, *link).node != m->target)
        return no_route(w, m, w->net->ops->link_end(w->net, *link).node, error);
    return BOUGH_OK;
}

static void wait_for(worm_router *w, uint32_t channel, uint32_t link, uint64_t from) {
    const uint64_t phase = from % w->s.vc_alloc;
    push(w, &w->waiting[phase * w->net->links + link], channel);
    router_list_link(w, phase, link);
}

bough_status router_route(worm_router *w, bough_error *error) {
    uint32_t *list = &w->route_at[w->base.now % (w->s.route + 2)], link = ROUTER_NONE;
    bough_status status = BOUGH_OK;
    for (uint32_t channel = *list, next; channel != ROUTER_NONE && !status; channel = next) {
        router_channel *c = &w->channel[channel];
        next = c->next;
        const uint32_t message = (uint32_t)(router_front(w, channel) - w->message);
        status = router_select(w, message, channel, &link, error);
        if (status) return status;
        c->out = w->link[link].output;
        wait_for(w, channel, link, w->base.now + (w->s.route > 0));
    }
    *list = ROUTER_NONE;
    return status;
}

/* ---- VC allocation ---- */

static uint32_t number_at_router(const worm_router *w, uint32_t channel) {
    return w->link[router_link_of(w, channel)].input * w->vcs + router_number_of(w, channel);
}

static uint32_t requests_of(const worm_router *w, uint32_t link, uint32_t channel) {
    const uint32_t bits = w->link[link].free;
    return w->o.by_hop ? bits & router_class_of(w, router_front(w, channel)) : bits;
}

/* The head that a channel grants to: the first that requests it, from its pointer on. */
static uint32_t granted_head(const worm_router *w, uint32_t list, uint32_t link, uint32_t v) {
    const uint32_t pointer = w->channel[link << w->shift | v].grant;
    uint32_t best = ROUTER_NONE, least = UINT32_MAX;
    for (uint32_t c = list; c != ROUTER_NONE; c = w->channel[c].next) {
        const uint32_t number = number_at_router(w, c);
        const uint32_t distance = number - pointer + (number < pointer ? UINT32_C(1) << 20 : 0);
        if (distance >= least || !(requests_of(w, link, c) >> v & 1)) continue;
        least = distance;
        best = c;
    }
    return best;
}

static void move_accept(const worm_router *w, router_channel *c, const router_node *n, uint32_t v) {
    c->accept_out = c->out;
    c->accept_number = (uint8_t)(v + 1);
    if (v + 1 < w->vcs) return;
    c->accept_number = 0;
    c->accept_out = (uint8_t)(c->out + 1 == n->outputs ? 0 : c->out + 1);
}

/* A head accepts one of the granted channels, as bits. */
static void accept(worm_router *w, uint32_t channel, uint32_t link, uint32_t granted) {
    router_channel *c = &w->channel[channel];
    const router_node *n = &w->node[w->link[link].start];
    const uint32_t v = router_first_from(granted, c->accept_out == c->out ? c->accept_number : 0);
    const uint32_t number = number_at_router(w, channel), all = n->inputs * w->vcs;
    c->to = link << w->shift | v;
    w->channel[c->to].grant = number + 1 == all ? 0 : number + 1;
    move_accept(w, c, n, v);
}

static void offer_channels(worm_router *w, uint32_t list, uint32_t link) {
    if (w->channel[list].next == ROUTER_NONE) {
        w->channel[list].offer = requests_of(w, link, list);
        return;
    }
    for (uint32_t bits = w->link[link].free; bits; bits &= bits - 1) {
        const uint32_t v = (uint32_t)__builtin_ctz(bits), c = granted_head(w, list, link, v);
        if (c != ROUTER_NONE) w->channel[c].offer |= UINT32_C(1) << v;
    }
}

/* A head whose request can be served asks for its output in the same cycle. */
static void speculate(worm_router *w, uint32_t channel, uint32_t link) {
    const uint32_t l = router_link_of(w, channel), r = w->link[l].end;
    uint32_t bits = requests_of(w, link, channel);
    while (bits && !w->channel[link << w->shift | (uint32_t)__builtin_ctz(bits)].credits) bits &= bits - 1;
    if (!bits) return;
    w->tries[l] |= UINT32_C(1) << router_number_of(w, channel);
    w->tryings[r] |= UINT64_C(1) << w->link[l].input;
    w->active[r >> 6] |= UINT64_C(1) << (r & 63);
}

/* One attempt of the heads that wait for a link. Those that win go to `won`, the others stay. */
static void allocate_link(worm_router *w, uint64_t phase, uint32_t link, uint32_t *won) {
    uint32_t *list = &w->waiting[phase * w->net->links + link];
    for (uint32_t c = *list; w->s.speculative && c != ROUTER_NONE; c = w->channel[c].next)
        speculate(w, c, link);
    offer_channels(w, *list, link);
    for (uint32_t *place = list; *place != ROUTER_NONE;) {
        const uint32_t channel = *place;
        router_channel *c = &w->channel[channel];
        if (!c->offer) {
            place = &c->next;
            continue;
        }
        accept(w, channel, link, c->offer);
        c->offer = 0;
        *place = c->next;
        push(w, won, channel);
    }
}

/* Attempts that end in this cycle fail if the channel has been taken. */
static void check_won(worm_router *w, uint32_t *won) {
    for (uint32_t *place = won; *place != ROUTER_NONE;) {
        const uint32_t channel = *place;
        router_channel *c = &w->channel[channel];
        const uint32_t link = router_link_of(w, c->to);
        if (w->link[link].free >> router_number_of(w, c->to) & 1) {
            place = &c->next;
            continue;
        }
        *place = c->next;
        c->to = ROUTER_NONE;
        wait_for(w, channel, link, w->base.now + 1);
    }
}

void router_allocate_channels(worm_router *w) {
    const uint64_t phase = w->base.now % w->s.vc_alloc;
    uint32_t *won = &w->won_at[(w->base.now + w->s.vc_alloc - 1) % w->s.vc_alloc];
    uint32_t *listed = &w->listed[phase * w->net->links];
    uint32_t kept = 0;
    if (w->s.vc_alloc > 1) check_won(w, &w->won_at[phase]);
    for (uint32_t i = 0; i < w->list_count[phase]; i++) {
        const uint64_t at = phase * w->net->links + listed[i];
        if (w->link[listed[i]].free) allocate_link(w, phase, listed[i], won);
        w->in_list[at] = w->waiting[at] != ROUTER_NONE && w->link[listed[i]].free;
        if (w->in_list[at]) listed[kept++] = listed[i];
    }
    w->list_count[phase] = kept;
}

void router_give_channels(worm_router *w) {
    uint32_t *won = &w->won_at[w->base.now % w->s.vc_alloc];
    for (uint32_t channel = *won; channel != ROUTER_NONE; channel = w->channel[channel].next) {
        router_take(w, w->channel[channel].to, channel);
        router_can_send(w, channel, w->base.now + 1);
    }
    *won = ROUTER_NONE;
}
