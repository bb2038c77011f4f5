#include "support/packet_oracle.h"

#include <stdlib.h>
#include <string.h>

typedef struct list {
    uint32_t *item, count, capacity;
} list;

typedef struct oracle {
    const bough_net *net;
    const bough_routing *routing;
    bough_source *source;
    const packet_options *rules;
    bough_key key;
    oracle_result *r;
    list *line;       /* per link: in the order of coming */
    uint32_t *served; /* per group, at this time */
    bool *last;       /* per link: its cable was crossed, most recently in this direction */
    uint64_t now;
} oracle;

static void must(bool so) {
    if (!so) abort();
}

static void put(list *l, uint32_t item) {
    if (l->count == l->capacity) {
        l->capacity = 2 * l->capacity + 4;
        l->item = realloc(l->item, l->capacity * sizeof *l->item);
        must(l->item != NULL);
    }
    l->item[l->count++] = item;
}

static void take_out(list *l, uint32_t place) {
    l->count--;
    memmove(l->item + place, l->item + place + 1, (l->count - place) * sizeof *l->item);
}

static bough_flow flow_of(const oracle *o, const oracle_packet *p) {
    return (bough_flow){p->source, p->aim, bough_flow_key(o->routing, o->key, p->message)};
}

static uint64_t target(const oracle *o, const oracle_packet *p) {
    bool turns = !p->phase && o->routing->kind->via;
    return turns ? bough_turn_node(o->net, p->source, p->aim) : bough_address_node(o->net, p->aim);
}

/* ---- joining a queue ---- */

/* False: no queue has room. */
static bool join(oracle *o, uint32_t id) {
    oracle_packet *p = &o->r->packet[id];
    bough_flow flow = flow_of(o, p);
    bough_route route;
    uint64_t free_link[256];
    uint32_t load[256];
    bough_route_at(o->routing, p->node, &flow, &route);
    uint32_t alive = 0;
    bough_choice choice = {o->key, route.group, o->now, p->port, o->served[route.group], 0, free_link, load};
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bough_link_alive(o->net, link)) continue;
        alive++;
        if (o->rules->buffer && o->line[link].count == o->rules->buffer) continue;
        must(choice.count < 256);
        load[choice.count] = o->line[link].count;
        free_link[choice.count++] = link;
    }
    must(alive > 0);
    if (choice.count == 0) return false;
    o->served[route.group]++;
    p->link = (uint32_t)free_link[bough_select_free(o->routing, &choice)];
    p->state = ORACLE_QUEUED;
    list *line = &o->line[p->link];
    put(line, id);
    if (line->count > o->r->queue_max) o->r->queue_max = line->count;
    return true;
}

/* A packet that is not on a link joins, or waits behind those that wait at its node. */
static void join_or_wait(oracle *o, uint32_t id) {
    oracle_packet *p = &o->r->packet[id];
    bool first = true;
    for (uint32_t other = 0; other < id; other++)
        if (o->r->packet[other].state == ORACLE_WAITING && o->r->packet[other].node == p->node) first = false;
    if (!first || !join(o, id)) p->state = ORACLE_WAITING;
}

static void finish(oracle *o, oracle_packet *p) {
    oracle_fate *f = &o->r->fate[p->message];
    p->state = ORACLE_DONE;
    if (p->links > f->links) f->links = p->links;
    if (p->entered < f->entered) f->entered = p->entered;
    if (--f->left) return;
    f->arrived = o->now;
    if (f->entered == BOUGH_NONE) f->entered = o->now;
    if (o->source->delivered) o->source->delivered(o->source, p->message, o->now);
}

/* A packet stands at a node. */
static void treat(oracle *o, uint32_t id) {
    oracle_packet *p = &o->r->packet[id];
    while (p->node == target(o, p)) {
        uint32_t links = p->phase ? p->links - p->turn : p->links;
        bool last = p->phase == 1 || !o->routing->kind->via;
        p->delay[p->phase] = o->now - p->since - links;
        o->r->end[p->phase] = o->now;
        if (!p->phase) p->turn = p->links;
        if (last) {
            finish(o, p);
            return;
        }
        p->phase = 1;
        p->aim = p->address;
        p->since = o->now;
        if (o->routing->synchronous) {
            p->state = ORACLE_HELD;
            return;
        }
    }
    if (p->state == ORACLE_CROSSING)
        join(o, id); /* or it stays where it is */
    else
        join_or_wait(o, id);
}

/* ---- births ---- */

static uint32_t walk(const oracle *o, const oracle_packet *p, uint64_t from, uint64_t address, uint64_t to) {
    bough_flow flow = {p->source, address, bough_flow_key(o->routing, o->key, p->message)};
    uint32_t links = 0;
    for (; from != to; links++) {
        bough_route route;
        uint32_t i = 0;
        bough_route_at(o->routing, from, &flow, &route);
        while (!bough_link_alive(o->net, bough_route_link(&route, i))) i++;
        must(i < route.count && links < 1000);
        from = o->net->ops->link_end(o->net, bough_route_link(&route, i)).node;
    }
    return links;
}

static void bear(oracle *o, const bough_message *m) {
    oracle_result *r = o->r;
    uint32_t id = r->packets++;
    r->packet = realloc(r->packet, r->packets * sizeof *r->packet);
    must(r->packet != NULL);
    oracle_packet *p = &r->packet[id];
    *p = (oracle_packet){.message = m->id,
                         .source = m->source,
                         .address = m->address,
                         .port = BOUGH_SOURCE_PORT,
                         .aim = m->address,
                         .node = m->source,
                         .entered = BOUGH_NONE,
                         .since = m->time};
    bough_flow number = {m->source, m->address, id};
    uint64_t via = bough_via(o->routing, o->key, &number);
    if (via != BOUGH_NONE) {
        p->aim = via;
        p->to_go = walk(o, p, p->node, via, target(o, p));
        p->to_go += walk(o, p, target(o, p), p->address, bough_address_node(o->net, p->address));
    } else {
        p->phase = o->routing->kind->via != NULL;
        p->to_go = walk(o, p, p->node, p->address, target(o, p));
    }
    treat(o, id);
}

static void enter(oracle *o, const bough_message *m) {
    uint32_t size = m->size ? (uint32_t)m->size : 1;
    must(m->id == o->r->messages);
    o->r->fate[o->r->messages++] =
        (oracle_fate){m->time, BOUGH_NONE, BOUGH_NONE, m->source, m->address, size, 0};
    for (uint32_t i = 0; i < size; i++) bear(o, m);
}

/* ---- sending ---- */

static uint32_t place_of(const oracle *o, uint64_t link) {
    const list *line = &o->line[link];
    uint32_t best = 0;
    switch (o->rules->queue) {
    case PACKET_FIFO:
        return 0;
    case PACKET_LIFO:
        return line->count - 1;
    case PACKET_RANDOM:
        return (uint32_t)bough_scale(bough_word(o->key, BOUGH_DRAW_QUEUE, link, o->now), line->count);
    case PACKET_FARTHEST:
        for (uint32_t i = 1; i < line->count; i++) {
            const oracle_packet *a = &o->r->packet[line->item[i]], *b = &o->r->packet[line->item[best]];
            if (a->to_go > b->to_go || (a->to_go == b->to_go && line->item[i] < line->item[best])) best = i;
        }
    }
    return best;
}

static void send(oracle *o, uint64_t link) {
    list *line = &o->line[link];
    uint32_t place = place_of(o, link), id = line->item[place];
    if (o->rules->queue == PACKET_RANDOM)
        line->item[place] = line->item[--line->count];
    else
        take_out(line, place);
    oracle_packet *p = &o->r->packet[id];
    if (p->entered == BOUGH_NONE) p->entered = o->now;
    p->state = ORACLE_CROSSING;
    p->route = realloc(p->route, (p->links + 1) * sizeof *p->route);
    must(p->route != NULL);
    p->route[p->links++] = (uint32_t)link;
    p->to_go--;
    o->r->crossed[p->phase][link]++;
    o->r->crossings++;
    o->r->sent_until = o->now + 1;
}

/* A packet waits at the end of a link. */
static bool is_closed(const oracle *o, uint64_t link) {
    for (uint32_t id = 0; id < o->r->packets; id++)
        if (o->r->packet[id].state == ORACLE_CROSSING && o->r->packet[id].link == link) return true;
    return false;
}

static bool can_send(const oracle *o, uint64_t link) {
    return o->line[link].count > 0 && !is_closed(o, link);
}

static bool sends(const oracle *o, uint64_t link) {
    uint64_t twin = o->rules->half ? o->net->ops->link_twin(o->net, link) : BOUGH_NONE;
    if (!can_send(o, link)) return false;
    if (twin == BOUGH_NONE || !can_send(o, twin)) return true;
    if (o->last[twin]) return true;
    if (o->last[link]) return false;
    uint64_t cable = link < twin ? link : twin;
    return bough_bit(o->key, BOUGH_DRAW_DUPLEX, cable, 0) == (link != cable);
}

static void send_all(oracle *o) {
    bool *so = calloc(o->net->links, sizeof *so);
    must(so != NULL);
    for (uint64_t l = 0; l < o->net->links; l++) so[l] = sends(o, l);
    for (uint64_t l = 0; l < o->net->links; l++) {
        if (so[l]) {
            send(o, l);
            o->last[l] = true;
            if (o->rules->half && o->net->ops->link_twin(o->net, l) != BOUGH_NONE)
                o->last[o->net->ops->link_twin(o->net, l)] = false;
        }
        o->r->waited[l] += o->line[l].count;
    }
    free(so);
}

/* ---- time ---- */

static void come_in(oracle *o) {
    for (uint32_t id = 0; id < o->r->packets; id++) {
        oracle_packet *p = &o->r->packet[id];
        if (p->state != ORACLE_CROSSING) continue;
        bough_link_end end = o->net->ops->link_end(o->net, p->link); /* again, if it waits there */
        p->node = end.node;
        p->port = end.port;
        treat(o, id);
    }
}

static uint32_t count(const oracle *o, int state) {
    uint32_t all = 0;
    for (uint32_t id = 0; id < o->r->packets; id++) all += (int)o->r->packet[id].state == state;
    return all;
}

static void release(oracle *o) {
    for (uint32_t id = 0; id < o->r->packets; id++) {
        oracle_packet *p = &o->r->packet[id];
        if (p->state != ORACLE_HELD) continue;
        p->since = o->now;
        treat(o, id);
    }
}

/* In order of numbers: the first of each node is tried first. */
static void try_waiting(oracle *o) {
    for (uint32_t id = 0; id < o->r->packets; id++) {
        if (o->r->packet[id].state != ORACLE_WAITING) continue;
        o->r->packet[id].state = ORACLE_BORN;
        join_or_wait(o, id);
    }
}

/* All that can change: places and crossings. */
static uint64_t sum_of_states(const oracle *o) {
    uint64_t sum = o->r->crossings * 1000003 + o->r->packets;
    for (uint32_t id = 0; id < o->r->packets; id++)
        sum = sum * 31 + 7 * o->r->packet[id].state + o->r->packet[id].phase;
    return sum;
}

static bool none_queued(const oracle *o) {
    return count(o, ORACLE_QUEUED) + count(o, ORACLE_CROSSING) + count(o, ORACLE_WAITING) == 0;
}

static uint32_t not_arrived(const oracle_result *r) {
    uint32_t left = 0;
    for (uint32_t m = 0; m < r->messages; m++) left += r->fate[m].arrived == BOUGH_NONE;
    return left;
}

void oracle_run(const bough_routing *routing, bough_source *source, const packet_options *rules,
                uint32_t messages, uint64_t until, bough_key key, oracle_result *r) {
    oracle o = {
        .net = routing->net, .routing = routing, .source = source, .rules = rules, .key = key, .r = r};
    *r = (oracle_result){.fate = calloc(messages + 1, sizeof *r->fate)};
    o.line = calloc(o.net->links, sizeof *o.line);
    o.served = calloc(o.net->groups, sizeof *o.served);
    o.last = calloc(o.net->links, sizeof *o.last);
    for (unsigned i = 0; i < 2; i++) r->crossed[i] = calloc(o.net->links, sizeof *r->crossed[i]);
    r->waited = calloc(o.net->links, sizeof *r->waited);
    must(r->waited && r->fate && o.line && o.served && o.last && r->crossed[0] && r->crossed[1]);
    for (; o.now <= until; o.now++) {
        uint64_t before = sum_of_states(&o);
        memset(o.served, 0, o.net->groups * sizeof *o.served);
        come_in(&o);
        try_waiting(&o);
        do {
            for (bough_message m; r->messages < messages && source->pop(source, o.now, &m, 1);) enter(&o, &m);
            if (none_queued(&o)) release(&o);
        } while (r->messages < messages && source->next_time(source) <= o.now);
        send_all(&o);
        if (source->next_time(source) != BOUGH_NONE) continue;
        if (count(&o, ORACLE_CROSSING) == 0 && count(&o, ORACLE_QUEUED) == 0) break;
        if (sum_of_states(&o) == before) {
            r->stuck = not_arrived(r);
            break;
        }
    }
    for (uint64_t l = 0; l < o.net->links; l++) free(o.line[l].item);
    free(o.line);
    free(o.served);
    free(o.last);
}

void oracle_fini(oracle_result *r) {
    for (uint32_t i = 0; i < r->packets; i++) free(r->packet[i].route);
    free(r->packet);
    free(r->fate);
    for (unsigned i = 0; i < 2; i++) free(r->crossed[i]);
    free(r->waited);
}

/* ---- routes ---- */

/* Place of a link in a packet's route of a phase; -1: not there. */
static int find(const oracle_packet *p, unsigned phase, uint32_t link) {
    for (uint32_t k = phase ? p->turn : 0; k < (phase ? p->links : p->turn); k++)
        if (p->route[k] == link) return (int)k;
    return -1;
}

uint32_t oracle_sharers(const oracle_result *r, uint32_t packet, unsigned phase, uint32_t *again) {
    const oracle_packet *p = &r->packet[packet];
    uint32_t sharers = 0;
    *again = UINT32_MAX;
    for (uint32_t other = 0; other < r->packets; other++) {
        int last = -1, here = -1;
        bool meets = false;
        if (other == packet) continue;
        for (int k = phase ? (int)p->turn : 0; k < (int)(phase ? p->links : p->turn); k++) {
            int there = find(&r->packet[other], phase, p->route[k]);
            if (there < 0) continue;
            if (meets && (last + 1 != k || here + 1 != there)) *again = other;
            meets = true;
            last = k;
            here = there;
        }
        sharers += meets;
    }
    return sharers;
}
