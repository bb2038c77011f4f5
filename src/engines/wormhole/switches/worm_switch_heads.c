/* Queues of heads, and grants: the work per message and link, as opposed to the work per flit. */
#include "base/status/try.h"
#include "engines/wormhole/switches/worm_switch_state.h"

#include "base/memory/memory.h"

#include <inttypes.h>

void switch_list_group(worm_switch *w, uint32_t group) {
    if (w->group[group].listed) return;
    w->group[group].listed = true;
    w->busy[w->busy_count++] = group;
}

void switch_mark_busy(worm_switch *w, uint32_t group) {
    w->group[group].busy = true;
    switch_list_group(w, group);
}

static bool before(const switch_message *a, const switch_message *b) {
    return a->port < b->port || (a->port == b->port && a->id < b->id);
}

/* Inserts a message into the sorted list of arrivals at its group in this cycle; at a source, messages arrive
 * sorted. */
static void add_arrival(worm_switch *w, uint32_t m) {
    switch_message *s = &w->message[m];
    switch_group *g = &w->group[s->route.group];
    s->next = SWITCH_NONE;
    s->joined = w->base.now;
    s->waits = true;
    switch_mark_busy(w, (uint32_t)s->route.group);
    if (g->coming_count++ == 0) {
        g->coming = g->coming_last = m;
    } else if (before(&w->message[g->coming_last], s)) {
        w->message[g->coming_last].next = m;
        g->coming_last = m;
    } else {
        uint32_t *slot = &g->coming;
        while (before(&w->message[*slot], s)) slot = &w->message[*slot].next;
        s->next = *slot;
        *slot = m;
    }
}

static bough_status request_link(worm_switch *w, uint32_t m, bough_error *error) {
    switch_message *s = &w->message[m];
    const bough_net *net = w->net;
    bough_flow flow = {s->source, s->aim, s->id};
    bool stranded = s->at != SWITCH_NONE && s->node < net->endpoints && s->node != s->turn &&
                    !bough_is_switch(net, s->node);
    if (!stranded) bough_route_at(w->routing, s->node, &flow, &s->route);
    if (stranded || s->route.count == 0)
        return bough_route_missing(net, &(bough_flow){s->source, s->address, s->id}, s->node, error);
    bough_route_draw(w->routing, w->key, s->id, s->node, &s->route);
    add_arrival(w, m);
    return BOUGH_OK;
}

/* Sets the destination of the first phase. */
static void aim(const worm_switch *w, switch_message *s) {
    bough_flow flow = {s->source, s->address, s->id};
    uint64_t via = bough_via(w->routing, w->key, &flow);
    s->turn = via == BOUGH_NONE ? SWITCH_NONE : (uint32_t)bough_turn_node(w->net, s->source, via);
    s->second = via == BOUGH_NONE || s->turn == s->source;
    s->aim = s->second ? s->address : (uint32_t)via;
    s->target = s->second ? (uint32_t)bough_address_node(w->net, s->address) : s->turn;
}

static bough_status new_message(worm_switch *w, const bough_message *b, uint32_t *m, bough_error *error) {
    /* messages of schedules may be empty */
    uint32_t flits;
    bough_status status = worm_count_flits(b->size || !w->wires ? b->size : 1, w->o.flits, &flits, error);
    if (status) return status;
    *m = w->unused;
    if (*m == SWITCH_NONE) {
        if (w->messages == SWITCH_NEW)
            return bough_fail(error, BOUGH_TOO_LARGE, NULL, "too many waiting messages");
        status = bough_grow(&w->message, &w->message_capacity, (uint64_t)w->messages + 1, sizeof *w->message,
                            error);
        if (status) return status;
        *m = w->messages++;
    } else {
        w->unused = w->message[*m].next;
    }
    w->message[*m] = (switch_message){.offered = b->time,
                                      .id = b->id,
                                      .source = b->source,
                                      .address = b->address,
                                      .flits = flits,
                                      .at = SWITCH_NONE,
                                      .node = b->source,
                                      .port = BOUGH_SOURCE_PORT};
    aim(w, &w->message[*m]);
    w->base.offered++;
    return BOUGH_OK;
}

bough_status switch_join_all(worm_switch *w, bough_error *error) {
    bough_message batch[64];
    uint32_t got, m = SWITCH_NONE;
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < w->heads.count && !status; i++)
        status = request_link(w, w->heads.item[i], error);
    w->heads.count = 0;
    if (w->source->next_time(w->source) > w->base.now) return status;
    while (!status && (got = w->source->pop(w->source, w->base.now, batch, 64)))
        for (uint32_t i = 0; i < got && !status; i++) {
            if (sim_drop_unrouted(&w->base, w->routing, &batch[i])) continue;
            status = new_message(w, &batch[i], &m, error);
            TRY(request_link(w, m, error));
        }
    return status;
}

/* Appends the arrivals to the queue, shuffled. */
static bough_status queue_up(worm_switch *w, uint32_t group, bough_error *error) {
    switch_group *g = &w->group[group];
    w->member.count = w->order.count = 0;
    bough_status status = switch_reserve(&w->member, g->coming_count, error);
    TRY(switch_reserve(&w->order, g->coming_count, error));
    if (status) return status;
    for (uint32_t m = g->coming; m != SWITCH_NONE; m = w->message[m].next) switch_put(&w->member, m);
    bough_arbitration_order(w->key, group, w->base.now, g->coming_count, w->order.item);
    for (uint32_t i = 0; i < g->coming_count; i++) {
        uint32_t m = w->member.item[w->order.item[i]];
        w->message[m].next = SWITCH_NONE;
        if (g->first == SWITCH_NONE)
            g->first = m;
        else
            w->message[g->last].next = m;
        g->last = m;
    }
    g->coming_count = 0;
    return BOUGH_OK;
}

/* Computes the load for selection rules that use it. */
static void compute_load(worm_switch *w, uint32_t count) {
    uint32_t least = UINT32_MAX, most = (UINT32_C(1) << 26) - 1;
    for (uint32_t i = 0; i < count; i++)
        if (w->used[w->free[i]] < least) least = w->used[w->free[i]];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t more = w->used[w->free[i]] - least;
        uint32_t holders = w->o.vcs - (uint32_t)__builtin_popcount(w->link[w->free[i]].free);
        w->load[i] = (holders << 26) + (more < most ? more : most);
    }
}

static void grant(worm_switch *w, uint32_t m, uint32_t link) {
    switch_message *s = &w->message[m];
    uint32_t v = (uint32_t)__builtin_ctz(w->link[link].free & switch_class_of(w, s)),
             channel = link << w->shift | v;
    switch_channel *c = &w->channel[channel];
    w->link[link].free &= ~(UINT32_C(1) << v);
    *c = (switch_channel){m, s->at, SWITCH_NEW, s->flits, c->credits, 0, s->flits};
    if (s->at == SWITCH_NONE) {
        s->entered = w->base.now;
        w->entered++;
        w->entry_waited += w->base.now - s->joined;
    } else {
        w->channel[s->at].to = channel;
        c->at_start = w->channel[s->at].buffered;
        w->channel[s->at].buffered = 0;
    }
    if (w->wires)
        switch_wire_take(w, channel, switch_ends_at(w, s, w->net->ops->link_end(w->net, link).node));
    s->hops++;
    w->base.moves++;
    s->waits = false;
    if (w->used) w->used[link]++;
    w->grants[link]++;
    w->waited[link] += w->base.now - s->joined;
    switch_set_ready(w, channel);
}

/* Grants the head a link if possible. all: it may take every link of its group, and found none. */
static bool serve_one(worm_switch *w, uint32_t group, uint32_t m, uint32_t served) {
    const switch_message *s = &w->message[m];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->route.count; i++) {
        uint64_t link = bough_route_link(&s->route, i);
        if (w->link[link].free & switch_class_of(w, s) && bough_link_alive(w->net, link))
            w->free[count++] = link;
    }
    if (count == 0) return false;
    if (w->used) compute_load(w, count);
    bough_choice choice = {w->key, group, w->base.now, s->port, served, count, w->free, w->load};
    grant(w, m, (uint32_t)w->free[bough_select_free(w->routing, &choice)]);
    return true;
}

/* If nothing became free since the last service, heads that waited then are skipped. Behind a head that may
 * take every link of the group and finds none, no head finds one. */
bough_status switch_serve(worm_switch *w, uint32_t group, bough_error *error) {
    switch_group *g = &w->group[group];
    uint64_t links = w->net->ops->group_links(w->net, group).count;
    uint32_t before_last = g->freed ? SWITCH_NONE : g->last, served = 0;
    if (g->first == SWITCH_NONE) before_last = SWITCH_NONE;
    bough_status status = g->coming_count ? queue_up(w, group, error) : BOUGH_OK;
    if (status) return status;
    g->busy = g->freed = false;
    uint32_t last = before_last, m = last == SWITCH_NONE ? g->first : w->message[last].next;
    for (uint32_t next; m != SWITCH_NONE; m = next) {
        next = w->message[m].next;
        bool all = w->message[m].route.count == links && w->class[0] == w->class[1] && !w->o.by_hop;
        if (!serve_one(w, group, m, served)) {
            if (all) break;
            last = m;
            continue;
        }
        served++;
        if (last == SWITCH_NONE)
            g->first = next;
        else
            w->message[last].next = next;
        if (g->last == m) g->last = last;
    }
    return BOUGH_OK;
}

bough_status switch_serve_all(worm_switch *w, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < w->busy_count && !status; i++) {
        w->group[w->busy[i]].listed = false;
        status = switch_serve(w, w->busy[i], error);
    }
    w->busy_count = 0;
    return status;
}
