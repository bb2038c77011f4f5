/* A slot of a buffer knows the flit in it, or from when on it can be filled; so credits are no events. Under
 * credit = 0 groups stand in order of the number of groups they depend on, directly or not: a group depends
 * on more than each of those that it depends on, unless they depend on it too. */
#include "support/switch_oracle.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX

typedef struct slot {
    uint32_t message; /* NOBODY: no flit */
    uint64_t number, came, usable;
} slot;

typedef struct channel {
    slot *slot;
    uint32_t owner;
    uint64_t usable; /* without owner: from when on it can be taken */
} channel;

/* Of a link: a flit takes time / unit cycles, and is in the buffer after the cycle in which it starts and
 * `transit` more; `onward` if the message goes on. due: when the next can start, times unit. */
typedef struct wire {
    unsigned __int128 time, unit, due;
    uint64_t transit, onward;
    uint32_t slots;
} wire;

typedef struct worm {
    bough_flow flow;  /* its address: of the phase */
    uint64_t address; /* of the message */
    bool first;       /* in the first of two phases */
    bough_route route;
    bough_link_end at;
    uint64_t flits, joined, there, crossed[64]; /* there: the head is at `at` after this cycle */
    uint32_t path[64], hops;                    /* channels; crossed: flits that did */
    bool coming, waits, in;                     /* in: the head is at its address */
} worm;

typedef struct machine {
    const bough_routing *routing;
    const bough_net *net;
    const worm_options *o;
    bough_key key;
    switch_result *r;
    worm *worm;
    channel *channel; /* link x vcs + number */
    wire *wire;       /* by link */
    uint64_t longest; /* transit */
    slot *slots;
    uint32_t *queue, *member, *order, queued, *last, *load; /* queue: of all groups; last: served, by link */
    uint64_t *free, *sequence, *weight, *used, now, moves;
    uint8_t *reach; /* [group][group]: depends on, directly or not */
} machine;

static uint64_t group_of(const machine *m, uint32_t c) {
    return m->net->ops->link_group(m->net, c / m->o->vcs);
}

static uint32_t slots_of(const machine *m, uint32_t c) {
    return m->wire[c / m->o->vcs].slots;
}

/* In the buffer at the end. */
static slot *first_flit(const machine *m, uint32_t c) {
    slot *first = NULL;
    for (uint32_t i = 0; i < slots_of(m, c); i++) {
        slot *s = &m->channel[c].slot[i];
        if (s->came < m->now && s->message != NOBODY && (!first || s->number < first->number)) first = s;
    }
    return first;
}

static slot *usable_slot(const machine *m, uint32_t c) {
    for (uint32_t i = 0; i < slots_of(m, c); i++) {
        slot *s = &m->channel[c].slot[i];
        if (s->message == NOBODY && s->usable <= m->now) return s;
    }
    return NULL;
}

/* The first flit leaves the buffer; its start knows at `known`. */
static void leave(machine *m, uint32_t c, uint64_t number, uint64_t known) {
    slot *s = first_flit(m, c);
    channel *h = &m->channel[c];
    if (s->number != number || s->message != h->owner || s->came >= m->now) abort();
    if (number + 1 == m->worm[h->owner].flits) {
        h->owner = NOBODY;
        h->usable = known;
    }
    s->message = NOBODY;
    s->usable = known;
    m->moves++;
}

static void sink(machine *m, bough_source *source, uint32_t id) {
    worm *w = &m->worm[id];
    switch_fate *f = &m->r->fate[id];
    if (!w->in || f->arrived != BOUGH_NONE) return;
    slot *s = first_flit(m, w->path[w->hops - 1]);
    if (!s) return;
    bool tail = s->number + 1 == w->flits;
    leave(m, w->path[w->hops - 1], s->number, m->now + m->o->credit);
    if (!tail) return;
    f->arrived = m->now;
    f->hops = w->hops;
    if (source->delivered) source->delivered(source, id, m->now);
}

static bool before(const machine *m, uint32_t a, uint32_t b) {
    const worm *x = &m->worm[a], *y = &m->worm[b];
    if (x->at.port != y->at.port) return x->at.port < y->at.port;
    return a < b;
}

static void join(machine *m, uint64_t group) {
    uint32_t count = 0;
    for (uint32_t id = 0; id < m->r->count; id++) {
        if (!m->worm[id].coming || m->worm[id].there > m->now || m->worm[id].route.group != group) continue;
        uint32_t i = count++;
        for (; i > 0 && before(m, id, m->member[i - 1]); i--) m->member[i] = m->member[i - 1];
        m->member[i] = id;
    }
    bough_arbitration_order(m->key, group, m->now, count, m->order);
    for (uint32_t i = 0; i < count; i++) {
        worm *w = &m->worm[m->member[m->order[i]]];
        w->coming = false;
        w->waits = true;
        w->joined = m->now;
        m->queue[m->queued++] = m->member[m->order[i]];
    }
}

static void join_all(machine *m) {
    uint32_t kept = 0;
    for (uint32_t q = 0; q < m->queued; q++)
        if (m->worm[m->queue[q]].waits) m->queue[kept++] = m->queue[q];
    m->queued = kept;
    for (uint32_t id = 0; id < m->r->count; id++) {
        worm *w = &m->worm[id];
        if (!w->coming || w->there > m->now) continue;
        bough_route_at(m->routing, w->at.node, &w->flow, &w->route);
        bough_route_draw(m->routing, m->key, w->flow.key, w->at.node, &w->route);
        if (w->route.count == 0) abort();
        m->moves++;
    }
    for (uint32_t id = 0; id < m->r->count; id++)
        if (m->worm[id].coming && m->worm[id].there <= m->now) join(m, m->worm[id].route.group);
}

/* The lower half of the channels is for the first of two phases. */
static uint32_t free_channel(const machine *m, uint64_t link, const worm *w) {
    uint32_t half = m->routing->kind->via && m->o->vcs > 1 ? m->o->vcs / 2 : 0;
    uint32_t cables = 0; /* between switches, that it has taken */
    for (uint32_t k = 0; k < w->hops; k++)
        cables += bough_is_switch(m->net, bough_link_start(m->net, w->path[k] / m->o->vcs));
    for (uint32_t v = 0; v < m->o->vcs && bough_link_alive(m->net, link); v++) {
        if (m->o->by_hop && v != (cables < m->o->vcs ? cables : m->o->vcs - 1)) continue;
        if (!m->o->by_hop && half && (v < half) != w->first) continue;
        const channel *h = &m->channel[link * m->o->vcs + v];
        if (h->owner == NOBODY && h->usable <= m->now) return (uint32_t)link * m->o->vcs + v;
    }
    return NOBODY;
}

/* What picks that want it see as load. */
static void weigh(machine *m, uint32_t count) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (m->used[m->free[i]] < least) least = m->used[m->free[i]];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t holders = 0;
        for (uint32_t v = 0; v < m->o->vcs; v++) {
            const channel *h = &m->channel[m->free[i] * m->o->vcs + v];
            holders += h->owner != NOBODY || h->usable > m->now;
        }
        uint64_t more = m->used[m->free[i]] - least;
        m->load[i] = (holders << 26) + (uint32_t)(more < 1u << 26 ? more : (1u << 26) - 1);
    }
}

static void grant(machine *m, uint32_t id, uint64_t link) {
    worm *w = &m->worm[id];
    uint32_t c = free_channel(m, link, w);
    if (w->hops == 64) abort();
    for (uint32_t i = 0; i < slots_of(m, c); i++)
        if (m->channel[c].slot[i].message != NOBODY) abort();
    m->channel[c].owner = id;
    if (w->hops == 0) m->r->fate[id].entered = m->now;
    w->crossed[w->hops] = 0;
    w->path[w->hops++] = c;
    w->waits = false;
    m->used[link]++;
    m->r->counts.grants[link]++;
    m->r->counts.waited[link] += m->now - w->joined;
    m->moves++;
}

static void serve(machine *m, uint64_t group) {
    uint32_t granted = 0;
    for (uint32_t q = 0; q < m->queued; q++) {
        const worm *w = &m->worm[m->queue[q]];
        if (!w->waits || w->route.group != group) continue;
        bough_choice choice = {m->key, group, m->now, w->at.port, granted, 0, m->free, m->load};
        for (uint32_t i = 0; i < w->route.count; i++) {
            uint64_t link = bough_route_link(&w->route, i);
            if (free_channel(m, link, w) != NOBODY) m->free[choice.count++] = link;
        }
        if (choice.count == 0) continue;
        weigh(m, choice.count);
        grant(m, m->queue[q], m->free[bough_select_free(m->routing, &choice)]);
        granted++;
    }
}

/* The place of a channel on its message's path. */
static uint32_t hop_of(const machine *m, uint32_t c) {
    const worm *w = &m->worm[m->channel[c].owner];
    for (uint32_t k = w->hops; k-- > 0;)
        if (w->path[k] == c) return k;
    abort();
}

static bool ready(const machine *m, uint32_t c) {
    if (m->channel[c].owner == NOBODY || !usable_slot(m, c)) return false;
    const worm *w = &m->worm[m->channel[c].owner];
    uint32_t k = hop_of(m, c);
    if (k == 0) return w->crossed[0] < w->flits;
    const slot *s = m->channel[w->path[k - 1]].owner == m->channel[c].owner ? first_flit(m, w->path[k - 1])
                                                                            : NULL; /* its tail has left */
    return s && s->came < m->now;
}

/* The second phase begins at the intermediate node. */
static void turn(const machine *m, worm *w) {
    if (!w->first || w->at.node != bough_turn_node(m->net, w->flow.source, w->flow.address)) return;
    w->first = false;
    w->flow.address = w->address;
}

static void cross(machine *m, uint32_t c) {
    worm *w = &m->worm[m->channel[c].owner];
    uint32_t k = hop_of(m, c);
    uint64_t number = w->crossed[k]++;
    wire *l = &m->wire[c / m->o->vcs];
    if (number == 0) {
        w->at = m->net->ops->link_end(m->net, c / m->o->vcs);
        turn(m, w);
        w->in = !w->first && w->at.node == bough_address_node(m->net, w->address);
    }
    bool ends = w->in && k + 1 == w->hops;
    uint64_t came = m->now + (ends ? l->transit : l->onward);
    *usable_slot(m, c) = (slot){m->channel[c].owner, number, came, 0};
    l->due = ((m->now > 0 && l->due > (m->now - 1) * l->unit) ? l->due : m->now * l->unit) + l->time;
    m->r->counts.held[c / m->o->vcs]++;
    m->moves++;
    if (k > 0) {
        bool ring = m->reach && m->reach[group_of(m, c) * m->net->groups + group_of(m, w->path[k - 1])];
        leave(m, w->path[k - 1], number, ring ? m->now + 1 : m->now + m->o->credit);
    }
    if (number > 0) return;
    w->coming = !w->in;
    w->there = came + 1;
}

static void carry(machine *m, uint64_t link) {
    if (m->wire[link].due > m->now * m->wire[link].unit) return;
    for (uint32_t i = 1; i <= m->o->vcs; i++) {
        uint32_t v = (m->last[link] + i) % m->o->vcs, c = (uint32_t)link * m->o->vcs + v;
        if (!ready(m, c)) continue;
        cross(m, c);
        m->last[link] = v;
        return;
    }
}

static void follow(machine *m, uint64_t from, uint64_t group, uint8_t *direct) {
    if (!direct[group]) return;
    for (uint64_t g = 0; g < m->net->groups; g++) {
        if (!direct[(group + 1) * m->net->groups + g] || m->reach[from * m->net->groups + g]) continue;
        m->reach[from * m->net->groups + g] = 1;
        m->weight[from]++;
        follow(m, from, g, direct);
    }
}

static void find_dependencies(machine *m) {
    uint64_t groups = m->net->groups;
    uint8_t *direct = calloc(groups, groups + 1); /* [0][from]: has any; [1 + from][to] */
    if (!direct) abort();
    for (uint64_t i = 0; i < groups * groups; i++) m->reach[i] = 0;
    for (uint64_t g = 0; g < groups; g++) m->weight[g] = 0;
    for (uint32_t c = 0; c < m->net->links * m->o->vcs; c++) {
        if (m->channel[c].owner == NOBODY || !first_flit(m, c)) continue;
        const worm *w = &m->worm[m->channel[c].owner];
        uint32_t k = hop_of(m, c);
        if (k + 1 == w->hops && !w->waits) continue;
        uint64_t to = k + 1 < w->hops ? group_of(m, w->path[k + 1]) : w->route.group;
        direct[group_of(m, c)] = direct[(1 + group_of(m, c)) * groups + to] = 1;
    }
    for (uint64_t g = 0; g < groups; g++) {
        follow(m, g, g, direct);
        m->weight[g] += !m->reach[g * groups + g];
    }
    free(direct);
}

static void put_in_order(machine *m) {
    uint64_t done = 0;
    find_dependencies(m);
    for (uint64_t weight = 0; done < m->net->groups; weight++)
        for (uint64_t g = 0; g < m->net->groups; g++)
            if (m->weight[g] == weight) m->sequence[done++] = g;
}

static void step(machine *m, bough_source *source) {
    for (uint32_t id = 0; id < m->r->count; id++) sink(m, source, id);
    for (bough_message b; source->pop(source, m->now, &b, 1); m->r->count++) {
        m->r->fate[b.id] = (switch_fate){b.time, 0, BOUGH_NONE, b.source, b.address, 0};
        m->worm[b.id] = (worm){.flow = {b.source, b.address, b.id},
                               .address = b.address,
                               .at = {b.source, BOUGH_SOURCE_PORT},
                               .flits = b.size * m->o->flits,
                               .coming = true};
        worm *w = &m->worm[b.id];
        uint64_t via = bough_via(m->routing, m->key, &w->flow);
        w->first = via != BOUGH_NONE;
        if (w->first) w->flow.address = via;
        turn(m, w);
    }
    join_all(m);
    if (m->o->credit == 0) put_in_order(m);
    for (uint64_t i = 0; i < m->net->groups; i++) {
        bough_range links = m->net->ops->group_links(m->net, m->sequence[i]);
        serve(m, m->sequence[i]);
        for (uint64_t l = links.first; l < links.first + links.count; l++) carry(m, l);
    }
}

static void *zeroed(uint64_t count, size_t size) {
    void *p = calloc(count + 1, size);
    if (!p) abort();
    return p;
}

static uint64_t up(unsigned __int128 a, unsigned __int128 b) {
    return (uint64_t)((a + b - 1) / b);
}

/* Without loss of throughput: slots x time >= the time until the first flit is in the buffer. Returns the
 * most slots of a channel. */
static uint32_t make_wires(machine *m) {
    uint32_t most = 0;
    m->wire = zeroed(m->net->links, sizeof *m->wire);
    for (uint64_t l = 0; l < m->net->links; l++) {
        wire *w = &m->wire[l];
        const worm_wire *given = m->o->wires ? &m->o->wires[l] : NULL;
        *w = (wire){.time = 1, .unit = 1, .slots = m->o->buffer};
        if (given) {
            w->time = (unsigned __int128)m->o->flit * 8000000000000;
            w->unit = (unsigned __int128)given->rate * m->o->tick;
            if (w->time < w->unit) w->time = w->unit;
            w->transit = up(w->time, w->unit) - 1 + up(given->delay, m->o->tick);
            w->onward = up(w->time, w->unit) - 1 + up(given->delay + given->onward, m->o->tick);
            for (uint64_t s = 1; s * w->time < (w->onward + 1) * w->unit; s++) w->slots++;
        }
        if (w->onward > m->longest) m->longest = w->onward;
        if (w->slots > most) most = w->slots;
    }
    return most;
}

static void make(machine *m, uint32_t messages) {
    uint64_t links = m->net->links, channels = links * m->o->vcs, groups = m->net->groups;
    m->worm = zeroed(messages, sizeof *m->worm);
    m->channel = zeroed(channels, sizeof *m->channel);
    uint32_t most = make_wires(m);
    m->slots = zeroed(channels * most, sizeof *m->slots);
    m->queue = zeroed(messages, sizeof *m->queue);
    m->member = zeroed(messages, sizeof *m->member);
    m->order = zeroed(messages, sizeof *m->order);
    m->last = zeroed(links, sizeof *m->last);
    m->load = zeroed(m->net->group_max, sizeof *m->load);
    m->free = zeroed(m->net->group_max, sizeof *m->free);
    m->used = zeroed(links, sizeof *m->used);
    m->sequence = zeroed(groups, sizeof *m->sequence);
    m->weight = zeroed(groups, sizeof *m->weight);
    if (m->o->credit == 0) m->reach = zeroed(groups * groups, 1);
    m->r->fate = zeroed(messages, sizeof *m->r->fate);
    m->r->counts.grants = zeroed(links, 8);
    m->r->counts.waited = zeroed(links, 8);
    m->r->counts.held = zeroed(links, 8);
    for (uint64_t c = 0; c < channels; c++) {
        m->channel[c].owner = NOBODY;
        m->channel[c].slot = m->slots + c * most;
    }
    for (uint64_t i = 0; i < channels * most; i++) m->slots[i].message = NOBODY;
    for (uint64_t l = 0; l < links; l++) m->last[l] = m->o->vcs - 1;
    for (uint64_t g = 0; g < groups; g++) m->sequence[g] = g;
}

void switch_run(const bough_routing *routing, bough_source *source, const worm_options *options,
                uint32_t messages, uint64_t cycles, bough_key key, switch_result *r) {
    machine m = {.routing = routing, .net = routing->net, .o = options, .key = key, .r = r};
    *r = (switch_result){0};
    make(&m, messages);
    for (uint64_t quiet = 0; m.now < cycles; m.now++) {
        uint32_t arrived = 0;
        m.moves = 0;
        step(&m, source);
        quiet = m.moves ? 0 : quiet + 1;
        while (arrived < r->count && r->fate[arrived].arrived != BOUGH_NONE) arrived++;
        if (source->next_time(source) != BOUGH_NONE) continue;
        r->stuck = arrived < r->count && quiet > options->credit + 1 + 2 * m.longest;
        if (arrived == r->count || r->stuck) break;
    }
    r->cycles = m.now;
    void *all[] = {m.worm, m.channel, m.slots, m.queue,    m.member, m.order, m.last,
                   m.load, m.free,    m.used,  m.sequence, m.weight, m.reach, m.wire};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

void switch_result_fini(switch_result *r) {
    free(r->fate);
    free(r->counts.grants);
    free(r->counts.waited);
    free(r->counts.held);
}
