/* Flits: in buffers, on wires, at sources. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/wormhole/routers/worm_router_state.h"

#include <inttypes.h>

static uint32_t *slot_of(const worm_router *w, uint32_t channel, uint32_t place) {
    if (place >= w->o.buffer) place -= w->o.buffer;
    return &w->slot[(uint64_t)channel * w->o.buffer + place];
}

static uint64_t slot_at(const worm_router *w, uint64_t cycles) {
    return (w->base.now + cycles) % w->wheel;
}

/* At most one flit per link and cycle arrives, and one leaves the buffers of a link. */
static uint64_t need(const worm_router *w, uint64_t have, uint64_t most) {
    const uint64_t links = w->net->links;
    return have + most < links ? have + most : links;
}

static bough_status reserve(worm_router *w, uint64_t cycles, uint64_t most, bough_error *error) {
    router_flights *f = &w->flights[slot_at(w, cycles)];
    return bough_grow(&f->item, &f->capacity, need(w, f->count, most), sizeof *f->item, error);
}

static bough_status reserve_credits(worm_router *w, uint64_t cycles, uint64_t most, bough_error *error) {
    router_credits *c = &w->credits[slot_at(w, cycles)];
    return bough_grow(&c->item, &c->capacity, need(w, c->count, most), sizeof *c->item, error);
}

bough_status router_make_room(worm_router *w, bough_error *error) {
    const uint64_t coming = w->flights[slot_at(w, 0)].count, most = w->buffered + coming + w->live;
    const uint64_t wires[] = {w->s.link, w->s.port};
    bough_status status = reserve(w, 1 + w->s.port, most, error);
    for (int i = 0; i < 2; i++) {
        TRY(reserve(w, 1 + w->s.traverse + wires[i], most, error));
        TRY(reserve_credits(w, 1 + wires[i], most, error));
        TRY(reserve_credits(w, 1 + wires[i] + w->o.credit, most, error));
    }
    TRY(bough_grow(&w->tail, &w->tail_capacity, coming, sizeof *w->tail, error));
    return status;
}

static void fly(worm_router *w, uint32_t channel, uint32_t flit, uint64_t cycles) {
    router_flights *f = &w->flights[slot_at(w, cycles)];
    router_channel *c = &w->channel[channel];
    f->item[f->count++] = (router_flight){channel, flit};
    c->credits--;
    w->link[router_link_of(w, channel)].used++;
    w->crossed[router_link_of(w, channel)]++;
    w->moving++;
    if (!(flit & 2)) return;
    c->ended = true;
    if (!w->o.owned) router_take(w, channel, ROUTER_NONE);
}

static void send_credit(worm_router *w, uint32_t channel) {
    router_credits *list = &w->credits[slot_at(w, w->link[router_link_of(w, channel)].back)];
    list->item[list->count++] = channel;
    w->moving++;
}

void router_take(worm_router *w, uint32_t channel, uint32_t owner) {
    const uint32_t l = router_link_of(w, channel), bit = UINT32_C(1) << router_number_of(w, channel);
    router_channel *c = &w->channel[channel];
    c->owner = owner;
    if (owner != ROUTER_NONE) {
        w->link[l].free &= ~bit;
        c->ended = false;
        return;
    }
    w->link[l].free |= bit;
    for (uint64_t phase = 0; phase < w->s.vc_alloc; phase++) router_list_link(w, phase, l);
}

/* ---- buffers ---- */

static void set_ready(worm_router *w, uint32_t channel) {
    const router_channel *c = &w->channel[channel];
    const uint32_t l = router_link_of(w, channel), r = w->link[l].end;
    w->ready[c->phase * w->net->links + l] |= UINT32_C(1) << router_number_of(w, channel);
    w->inputs[(uint64_t)c->phase * w->routers + r] |= UINT64_C(1) << w->link[l].input;
    w->active[c->phase * w->words + (r >> 6)] |= UINT64_C(1) << (r & 63);
}

void router_can_send(worm_router *w, uint32_t channel, uint64_t from) {
    router_channel *c = &w->channel[channel];
    c->stage = ROUTER_SENDS;
    c->phase = (uint8_t)(w->s.switch_alloc > 1 ? from % w->s.switch_alloc : 0);
    if (c->count && w->channel[c->to].credits) set_ready(w, channel);
}

/* A message is delivered when its tail arrives at an endpoint. */
static void sink(worm_router *w, const router_flight *f) {
    send_credit(w, f->channel);
    if (f->flit & 2) w->tail[w->tails++] = (uint64_t)w->message[f->flit >> 2].id << 32 | f->flit >> 2;
}

static void queue_flit(worm_router *w, const router_flight *f) {
    router_channel *c = &w->channel[f->channel];
    *slot_of(w, f->channel, (uint32_t)c->first + c->count) = f->flit;
    w->buffered++;
    if (c->count++) return;
    c->front = w->base.now;
    if (c->stage == ROUTER_EMPTY)
        router_start_head(w, f->channel, w->base.now);
    else
        router_can_send(w, f->channel, w->base.now);
}

void router_arrive(worm_router *w) {
    router_flights *list = &w->flights[slot_at(w, 0)];
    for (uint64_t i = 0; i < list->count; i++) {
        const router_flight *f = &list->item[i];
        if (w->link[router_link_of(w, f->channel)].end == ROUTER_NONE)
            sink(w, f);
        else
            queue_flit(w, f);
    }
    w->moving -= list->count;
    list->count = 0;
}

void router_take_credits(worm_router *w) {
    router_credits *list = &w->credits[slot_at(w, 0)];
    for (uint64_t i = 0; i < list->count; i++) {
        const uint32_t channel = list->item[i];
        router_channel *c = &w->channel[channel];
        w->link[router_link_of(w, channel)].used--;
        if (c->credits++ == 0 && c->owner < ROUTER_SOURCE && !c->ended) {
            const router_channel *from = &w->channel[c->owner];
            if (from->stage == ROUTER_SENDS && from->count) set_ready(w, c->owner);
        }
        if (w->o.owned && c->ended && c->credits == w->o.buffer) {
            c->ended = false;
            router_take(w, channel, ROUTER_NONE);
        }
    }
    w->moving -= list->count;
    list->count = 0;
}

/* What the flit behind the one that left does. */
static void advance_buffer(worm_router *w, uint32_t channel, uint32_t flit) {
    router_channel *c = &w->channel[channel];
    c->first = (uint16_t)(c->first + 1u == w->o.buffer ? 0 : c->first + 1);
    c->count--;
    c->front = w->base.now + 1;
    w->buffered--;
    if (!(flit & 2))
        router_can_send(w, channel, w->base.now + 1);
    else if (c->count)
        router_start_head(w, channel, w->base.now + 1);
    else
        c->stage = ROUTER_EMPTY;
}

static void count_head(worm_router *w, uint32_t channel, uint32_t link) {
    const worm_stages *s = &w->s;
    const uint64_t alone = s->route + (s->speculative ? 0 : s->vc_alloc) + s->switch_alloc - 1;
    router_front(w, channel)->hops++;
    w->base.moves++;
    w->grants[link]++;
    w->waited[link] += w->base.now - w->channel[channel].front - alone;
}

void router_leave(worm_router *w, uint32_t channel) {
    const router_channel *c = &w->channel[channel];
    const uint32_t flit = *slot_of(w, channel, c->first), to = c->to, link = router_link_of(w, to);
    if (flit & 1) count_head(w, channel, link);
    fly(w, to, flit, UINT64_C(1) + w->s.traverse + w->link[link].cycles);
    send_credit(w, channel);
    advance_buffer(w, channel, flit);
}

/* ---- sources ---- */

static bough_status new_message(worm_router *w, const bough_message *b, uint32_t *m, bough_error *error) {
    uint32_t flits;
    bough_status status = worm_count_flits(b->size, w->o.flits, &flits, error);
    if (status) return status;
    *m = w->unused;
    if (*m == ROUTER_NONE) {
        if (w->messages == ROUTER_LIMIT)
            return bough_fail(error, BOUGH_TOO_LARGE, NULL, "too many waiting messages");
        status = bough_grow(&w->message, &w->message_capacity, (uint64_t)w->messages + 1, sizeof *w->message,
                            error);
        if (status) return status;
        *m = w->messages++;
    } else {
        w->unused = w->message[*m].next;
    }
    w->message[*m] = (router_message){.offered = b->time,
                                      .id = b->id,
                                      .source = b->source,
                                      .address = b->address,
                                      .target = (uint32_t)bough_address_node(w->net, b->address),
                                      .left = flits,
                                      .next = ROUTER_NONE};
    w->base.offered++;
    w->live++;
    return BOUGH_OK;
}

static void append(worm_router *w, uint32_t m) {
    const uint32_t source = w->message[m].source;
    router_endpoint *e = &w->endpoint[source];
    if (e->first == ROUTER_NONE)
        e->first = m;
    else
        w->message[e->last].next = m;
    e->last = m;
    w->sending[source >> 6] |= UINT64_C(1) << (source & 63);
}

bough_status router_take_messages(worm_router *w, bough_error *error) {
    bough_message batch[64];
    uint32_t got, m = ROUTER_NONE;
    bough_status status = BOUGH_OK;
    if (w->source->next_time(w->source) > w->base.now) return BOUGH_OK;
    while (!status && (got = w->source->pop(w->source, w->base.now, batch, 64)))
        for (uint32_t i = 0; i < got && !status; i++) {
            if (sim_drop_unrouted(&w->base, w->routing, &batch[i])) continue;
            status = new_message(w, &batch[i], &m, error);
            if (!status) append(w, m);
        }
    return status;
}

/* A free channel of the selected link with a free slot; ROUTER_NONE: there is none now. */
static uint32_t find_channel(const worm_router *w, uint32_t link, const router_message *m) {
    uint32_t bits = w->link[link].free & router_class_of(w, m);
    for (; bits; bits &= ~(UINT32_C(1) << router_first_from(bits, w->link[link].taken))) {
        const uint32_t channel = link << w->shift | router_first_from(bits, w->link[link].taken);
        if (w->channel[channel].credits) return channel;
    }
    return ROUTER_NONE;
}

static void enter(worm_router *w, router_endpoint *e, uint32_t channel) {
    router_message *m = &w->message[e->first];
    const uint32_t v = router_number_of(w, channel);
    e->channel = channel;
    w->link[e->link].taken = (uint8_t)(v + 1 == w->vcs ? 0 : v + 1);
    router_take(w, channel, ROUTER_SOURCE);
    m->entered = w->base.now;
    m->hops++;
    w->base.moves++;
    w->entered++;
    w->entry_waited += w->base.now - m->offered;
    w->grants[e->link]++;
    w->waited[e->link] += w->base.now - m->offered;
}

static void send_one(worm_router *w, router_endpoint *e, bool head) {
    router_message *m = &w->message[e->first];
    const bool tail = --m->left == 0;
    fly(w, e->channel, e->first << 2 | (uint32_t)tail << 1 | head, UINT64_C(1) + w->s.port);
    if (!tail) return;
    e->first = m->next;
    e->link = e->channel = ROUTER_NONE;
}

static bough_status send_from(worm_router *w, uint32_t endpoint, bough_error *error) {
    router_endpoint *e = &w->endpoint[endpoint];
    const bool head = e->channel == ROUTER_NONE;
    bough_status status = BOUGH_OK;
    if (e->link == ROUTER_NONE) status = router_select(w, e->first, ROUTER_SOURCE, &e->link, error);
    if (status) return status;
    if (head) {
        const uint32_t channel = find_channel(w, e->link, &w->message[e->first]);
        if (channel == ROUTER_NONE) return BOUGH_OK;
        enter(w, e, channel);
    }
    if (w->channel[e->channel].credits) send_one(w, e, head);
    if (e->first == ROUTER_NONE) w->sending[endpoint >> 6] &= ~(UINT64_C(1) << (endpoint & 63));
    return BOUGH_OK;
}

bough_status router_send_from_sources(worm_router *w, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i <= w->net->endpoints >> 6; i++)
        for (uint64_t bits = w->sending[i]; bits && !status; bits &= bits - 1)
            status = send_from(w, (uint32_t)(i << 6) + (uint32_t)__builtin_ctzll(bits), error);
    return status;
}
