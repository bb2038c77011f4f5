/* Within a tick, flits that follow their heads start as soon as there is room, until none can; then the
 * groups are served, each after those of heads whose flits are on its links; after every grant the flits
 * behind move again. */
#include "support/timed_oracle.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX
#define HOPS   32

typedef struct flit {
    uint32_t worm;
    uint64_t number, there; /* at the end of the link from this tick on */
} flit;

typedef struct link_state {
    flit *flit; /* in order; from .. to - 1 are on the link or in its buffer */
    uint64_t from, to, room, last;
    uint64_t left;        /* when the latest flit left its end */
    uint32_t taken, tail; /* worm that took it last; worm whose tail left last */
    bool used;
} link_state;

typedef struct worm {
    bough_flow flow;
    bough_route route;
    bough_link_end at;
    uint64_t flits, path[HOPS], start[HOPS], pace[HOPS], sent[HOPS]; /* sent: flits that started */
    uint64_t sunk, first_sunk;
    uint32_t hops;
    bool waits, in, arrived;
} worm;

typedef struct machine {
    const bough_routing *routing;
    const bough_net *net;
    const timed_link *time;
    link_state *link;
    worm *worm;
    timed_result *r;
    bough_key key;
    uint32_t *queue, *coming, *order, queued, came, *used, *load;
    uint64_t *free, *served, now, moves, buffer, messages;
} machine;

static uint64_t storage(const machine *m, uint64_t l) {
    const timed_link *t = &m->time[l];
    return m->buffer + (t->delay + t->onward + t->flit - 1) / t->flit;
}

static uint64_t count_on(const machine *m, uint64_t l, uint32_t id, bool own) {
    uint64_t count = 0;
    for (uint64_t i = m->link[l].from; i < m->link[l].to; i++)
        count += (m->link[l].flit[i].worm == id) == own;
    return count;
}

/* Flit `number` of a worm is the first at the end of its link, and there. */
static bool is_there(const machine *m, uint64_t l, uint32_t id, uint64_t number) {
    const link_state *s = &m->link[l];
    if (s->from == s->to) return false;
    const flit *f = &s->flit[s->from];
    if (f->worm != id || f->number != number || f->there > m->now) return false;
    return number > 0 || s->tail == NOBODY || m->now >= s->left + m->time[l].flit;
}

static void leave(machine *m, uint64_t l, uint32_t id, uint64_t number) {
    link_state *s = &m->link[l];
    if (!is_there(m, l, id, number)) abort();
    s->from++;
    s->left = m->now;
    s->tail = id;
}

/* The next flit of a worm starts on a hop of its path. */
static void send(machine *m, uint32_t id, uint32_t k) {
    worm *w = &m->worm[id];
    uint64_t l = w->path[k], number = w->sent[k]++;
    link_state *s = &m->link[l];
    const timed_link *t = &m->time[l];
    bool ends = m->net->ops->link_end(m->net, l).node == bough_address_node(m->net, w->flow.address);
    if (s->used && m->now < s->last + t->flit) abort(); /* faster than the link */
    if (k > 0) leave(m, w->path[k - 1], id, number);
    if (s->to == s->room) {
        s->room = 2 * s->room + 16;
        s->flit = realloc(s->flit, s->room * sizeof *s->flit);
        if (!s->flit) abort();
    }
    s->flit[s->to++] = (flit){id, number, m->now + t->flit + t->delay + (ends ? 0 : t->onward)};
    s->used = true;
    s->last = m->now;
    m->moves++;
}

static bool can_follow(const machine *m, uint32_t id, uint32_t k) {
    const worm *w = &m->worm[id];
    uint64_t j = w->sent[k], l = w->path[k];
    if (j == 0 || j == w->flits || m->now < w->start[k] + j * w->pace[k]) return false;
    if (k > 0 && !is_there(m, w->path[k - 1], id, j)) return false;
    return count_on(m, l, id, true) < storage(m, l);
}

/* All flits but heads, until none can move. */
static void follow(machine *m) {
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t id = 0; id < m->r->count; id++)
            for (uint32_t k = m->worm[id].arrived ? 0 : m->worm[id].hops; k-- > 0;)
                if (can_follow(m, id, k)) send(m, id, k), moved = true;
    }
}

static void sink(machine *m, bough_source *source, uint32_t id) {
    worm *w = &m->worm[id];
    if (!w->in || w->arrived || !is_there(m, w->path[w->hops - 1], id, w->sunk)) return;
    if (w->sunk && m->now < w->first_sunk + w->sunk * w->pace[w->hops - 1]) return;
    if (w->sunk == 0) w->first_sunk = m->now;
    leave(m, w->path[w->hops - 1], id, w->sunk++);
    m->moves++;
    if (w->sunk < w->flits) return;
    w->arrived = true;
    m->r->fate[id].arrived = m->now;
    m->r->fate[id].hops = w->hops;
    if (source->delivered) source->delivered(source, id, m->now);
}

static void arrive(machine *m, uint32_t id) {
    worm *w = &m->worm[id];
    uint32_t i = m->came++;
    bough_route_at(m->routing, w->at.node, &w->flow, &w->route);
    bough_route_draw(m->routing, m->key, w->flow.key, w->at.node, &w->route);
    if (w->route.count == 0) abort();
    for (; i > 0; i--) {
        const worm *x = &m->worm[m->coming[i - 1]];
        if (x->route.group != w->route.group ? x->route.group < w->route.group : x->at.port <= w->at.port)
            break;
        m->coming[i] = m->coming[i - 1];
    }
    m->coming[i] = id;
}

/* Heads that are at the ends of their links ask where to go next. */
static void arrive_all(machine *m) {
    for (uint32_t id = 0; id < m->r->count; id++) {
        worm *w = &m->worm[id];
        if (w->waits || w->in || w->arrived || w->hops == 0 || w->sent[w->hops - 1] == 0) continue;
        uint64_t l = w->path[w->hops - 1];
        if (!is_there(m, l, id, 0)) continue;
        w->at = m->net->ops->link_end(m->net, l);
        w->in = w->at.node == bough_address_node(m->net, w->flow.address);
        if (!w->in) arrive(m, id);
    }
}

static void queue_up(machine *m) {
    uint32_t kept = 0;
    for (uint32_t q = 0; q < m->queued; q++)
        if (m->worm[m->queue[q]].waits) m->queue[kept++] = m->queue[q];
    for (uint32_t i = 0, count; i < m->came; i += count) {
        uint64_t group = m->worm[m->coming[i]].route.group;
        for (count = 1; i + count < m->came; count++)
            if (m->worm[m->coming[i + count]].route.group != group) break;
        bough_arbitration_order(m->key, group, m->now, count, m->order);
        for (uint32_t k = 0; k < count; k++) m->queue[kept++] = m->coming[i + m->order[k]];
    }
    for (uint32_t q = 0; q < kept; q++) m->worm[m->queue[q]].waits = true;
    m->queued = kept;
    m->came = 0;
}

static bool is_free(const machine *m, uint64_t l) {
    const link_state *s = &m->link[l];
    if (!bough_link_alive(m->net, l)) return false;
    if (!s->used) return true;
    const worm *last = &m->worm[s->taken];
    for (uint32_t k = 0; k < last->hops; k++)
        if (last->path[k] == l && last->sent[k] < last->flits) return false;
    return m->now >= s->last + m->time[l].flit && s->to - s->from < storage(m, l);
}

static void grant(machine *m, uint32_t id, uint64_t l) {
    worm *w = &m->worm[id];
    uint32_t k = w->hops++;
    if (k == HOPS) abort();
    if (k == 0) m->r->fate[id].entered = m->now;
    w->path[k] = l;
    w->start[k] = m->now;
    w->pace[k] = k > 0 && w->pace[k - 1] > m->time[l].flit ? w->pace[k - 1] : m->time[l].flit;
    w->sent[k] = 0;
    w->waits = false;
    m->link[l].taken = id;
    m->used[l]++;
    send(m, id, k);
    follow(m);
}

static void serve(machine *m, uint64_t group) {
    bough_range links = m->net->ops->group_links(m->net, group);
    if (m->served[group] == m->now + 1) return;
    m->served[group] = m->now + 1;
    for (uint64_t l = links.first; l < links.first + links.count; l++)
        for (uint64_t i = m->link[l].from; i < m->link[l].to; i++)
            if (m->worm[m->link[l].flit[i].worm].waits)
                serve(m, m->worm[m->link[l].flit[i].worm].route.group);
    for (uint32_t q = 0, granted = 0; q < m->queued; q++) {
        const worm *w = &m->worm[m->queue[q]];
        bough_choice choice = {m->key,  group, m->now,  w->hops ? w->at.port : BOUGH_SOURCE_PORT,
                               granted, 0,     m->free, m->load};
        for (uint32_t i = 0; w->waits && w->route.group == group && i < w->route.count; i++) {
            uint64_t l = bough_route_link(&w->route, i);
            if (!is_free(m, l)) continue;
            m->load[choice.count] = m->used[l];
            m->free[choice.count++] = l;
        }
        if (choice.count == 0) continue;
        grant(m, m->queue[q], m->free[bough_select_free(m->routing, &choice)]);
        granted++;
    }
}

static void step(machine *m, bough_source *source) {
    for (uint32_t id = 0; id < m->r->count; id++) sink(m, source, id);
    arrive_all(m);
    for (uint32_t id = 0; id < m->r->count; id++) sink(m, source, id);
    for (bough_message b; source->pop(source, m->now, &b, 1); m->r->count++) {
        m->r->fate[b.id] = (timed_fate){.arrived = BOUGH_NONE};
        m->worm[b.id] =
            (worm){.flow = {b.source, b.address, b.id}, .at = {b.source, BOUGH_SOURCE_PORT}, .flits = b.size};
        arrive(m, b.id);
    }
    queue_up(m);
    follow(m);
    for (uint32_t q = 0; q < m->queued; q++)
        if (m->worm[m->queue[q]].waits) serve(m, m->worm[m->queue[q]].route.group);
}

static void *zeroed(uint64_t count, size_t size) {
    void *p = calloc(count + 1, size);
    if (!p) abort();
    return p;
}

/* Ticks without a move after which nothing will move: longer than any delay. */
static uint64_t patience(const machine *m) {
    uint64_t longest = 0;
    for (uint64_t l = 0; l < m->net->links; l++) {
        uint64_t time = m->time[l].flit + m->time[l].delay + m->time[l].onward;
        if (time > longest) longest = time;
    }
    return 2 * longest + 8;
}

void timed_run(const bough_routing *routing, bough_source *source, const timed_link *link, uint32_t buffer,
               uint32_t messages, bough_key key, timed_result *r) {
    machine m = {.routing = routing, .net = routing->net, .time = link, .key = key, .buffer = buffer, .r = r};
    uint64_t links = m.net->links, patient = patience(&m);
    *r = (timed_result){.fate = zeroed(messages, sizeof *r->fate)};
    m.link = zeroed(links, sizeof *m.link);
    m.worm = zeroed(messages, sizeof *m.worm);
    m.queue = zeroed(messages, 4);
    m.coming = zeroed(messages, 4);
    m.order = zeroed(messages, 4);
    m.used = zeroed(links, 4);
    m.load = zeroed(m.net->group_max, 4);
    m.free = zeroed(m.net->group_max, 8);
    m.served = zeroed(m.net->groups, 8);
    for (uint64_t l = 0; l < links; l++) m.link[l].tail = NOBODY;
    for (uint64_t quiet = 0; !r->stuck; m.now++) {
        uint32_t arrived = 0;
        m.moves = 0;
        step(&m, source);
        quiet = m.moves ? 0 : quiet + 1;
        while (arrived < r->count && m.worm[arrived].arrived) arrived++;
        if (source->next_time(source) != BOUGH_NONE) continue;
        if (arrived == r->count) break;
        r->stuck = quiet > patient;
    }
    for (uint64_t l = 0; l < links; l++) free(m.link[l].flit);
    void *all[] = {m.link, m.worm, m.queue, m.coming, m.order, m.used, m.load, m.free, m.served};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}
