#include "support/packet_time_oracle.h"

#include <stdlib.h>

enum where { AT_SOURCE, IN_QUEUE, ON_LINK, ON_CABLE, THERE };

typedef struct message {
    bough_message m;
    uint64_t left, hops;
} message;

typedef struct packet {
    enum where where;
    uint64_t when;    /* ON_LINK: leaves it; ON_CABLE: is delivered or joins a queue */
    uint64_t link;    /* of IN_QUEUE, ON_LINK, ON_CABLE */
    uint64_t joined;  /* when it joined the queue */
    uint64_t place;   /* rank among all that ever joined a queue; random: place in the list of the queue */
    uint64_t bytes;   /* with its header */
    uint64_t message; /* index */
    uint64_t aim, hops, to_go, wait;
    bool second;
} packet;

typedef struct oracle {
    const bough_routing *routing;
    const bough_net *net;
    const bough_physical *physical;
    const packet_timed_options *o;
    bough_source *source;
    bough_key key;
    message *message;
    packet *packet; /* by number */
    uint64_t messages, packets, now, joins;
    uint32_t *served;   /* per group, at this time */
    bool *last, *waits; /* per link, half duplex: carried the last packet of the cable; its twin goes first */
    uint64_t *since, *sent, *ended; /* per link: start of its last busy period, bytes in it, its end */
    time_oracle_result *r;
} oracle;

static void must(bool so) {
    if (!so) abort();
}

static void *grown(void *old, uint64_t count, size_t size) {
    void *more = realloc(old, (count + 1) * size);
    must(more != NULL);
    return more;
}

static uint64_t rate_of(const oracle *o, uint64_t link) {
    return o->o->rate ? o->o->rate : bough_net_link_rate(o->net, link);
}

/* Bits over bits per second, in picoseconds, to the nearest. */
static uint64_t time_of(uint64_t bytes, uint64_t rate) {
    unsigned __int128 ps = (unsigned __int128)bytes * 8000000000000u;
    return (uint64_t)((2 * ps + rate) / (2 * (unsigned __int128)rate));
}

static uint64_t node_of(const oracle *o, uint64_t address) {
    return bough_address_node(o->net, address);
}

/* The packets in a queue, and one on the link if `with`. */
static uint32_t count_at(const oracle *o, uint64_t link, bool with) {
    uint32_t count = 0;
    for (uint64_t i = 0; i < o->packets; i++) {
        const packet *p = &o->packet[i];
        count += p->link == link && (p->where == IN_QUEUE || (with && p->where == ON_LINK));
    }
    return count;
}

/* ---- joining a queue ---- */

static void join(oracle *o, uint64_t number, uint64_t node, uint32_t port) {
    packet *p = &o->packet[number];
    const bough_message *m = &o->message[p->message].m;
    uint64_t alive[512];
    uint32_t load[512];
    bough_route route;
    if (!p->second && node == bough_turn_node(o->net, m->source, p->aim)) {
        p->second = true;
        p->aim = m->address;
    }
    bough_flow flow = {m->source, p->aim, bough_flow_key(o->routing, o->key, m->id)};
    bough_route_at(o->routing, node, &flow, &route);
    bough_choice choice = {o->key, route.group, o->now, port, o->served[route.group]++, 0, alive, load};
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        if (!bough_link_alive(o->net, link)) continue;
        must(choice.count < 512);
        load[choice.count] = count_at(o, link, true);
        alive[choice.count++] = link;
    }
    must(choice.count > 0);
    uint64_t link = alive[bough_select_free(o->routing, &choice)];
    p->place = o->o->queue == PACKET_RANDOM ? count_at(o, link, false) : o->joins++;
    p->where = IN_QUEUE;
    p->link = link;
    p->joined = o->now;
    if (p->hops && count_at(o, link, true) > o->r->queue_max) o->r->queue_max = count_at(o, link, true);
}

static void arrive(oracle *o, uint64_t index) {
    message *m = &o->message[index];
    time_oracle_result *r = o->r;
    r->taken = grown(r->taken, r->arrived, sizeof *r->taken);
    r->taken[r->arrived++] = o->now - m->m.time;
    r->end = o->now;
    r->hops += m->hops;
    if (o->source->delivered) o->source->delivered(o->source, m->m.id, o->now);
}

static void deliver(oracle *o, packet *p) {
    message *m = &o->message[p->message];
    p->where = THERE;
    o->r->packets++;
    o->r->wait += p->wait;
    if (p->wait > o->r->wait_max) o->r->wait_max = p->wait;
    if (p->hops > m->hops) m->hops = p->hops;
    if (--m->left == 0) arrive(o, p->message);
}

/* ---- messages ---- */

static uint64_t walk(const oracle *o, const bough_message *m, uint64_t from, uint64_t address, uint64_t to) {
    bough_flow flow = {m->source, address, bough_flow_key(o->routing, o->key, m->id)};
    uint64_t links = 0;
    for (uint64_t node = from; node != to; links++) {
        bough_route route;
        uint32_t i = 0;
        bough_route_at(o->routing, node, &flow, &route);
        while (!bough_link_alive(o->net, bough_route_link(&route, i))) i++;
        must(i < route.count && links < 1000);
        node = o->net->ops->link_end(o->net, bough_route_link(&route, i)).node;
    }
    return links;
}

static void bear(oracle *o, uint64_t index, uint64_t bytes) {
    const bough_message *m = &o->message[index].m;
    uint64_t number = o->packets++;
    o->packet = grown(o->packet, number, sizeof *o->packet);
    packet *p = &o->packet[number];
    bough_flow flow = {m->source, m->address, number};
    uint64_t via = bough_via(o->routing, o->key, &flow);
    *p = (packet){.message = index, .bytes = bytes, .aim = via == BOUGH_NONE ? m->address : via};
    p->second = via == BOUGH_NONE;
    uint64_t end = node_of(o, m->address),
             turn = p->second ? end : bough_turn_node(o->net, m->source, p->aim);
    p->to_go = walk(o, m, m->source, p->aim, turn) + walk(o, m, turn, m->address, end);
    bool there = m->source == end && turn == end;
    if (there)
        deliver(o, p);
    else
        join(o, number, m->source, BOUGH_SOURCE_PORT);
}

static void enter(oracle *o, const bough_message *m) {
    uint64_t index = o->messages++, left = m->size, header = o->physical->header;
    o->message = grown(o->message, index, sizeof *o->message);
    o->message[index] = (message){.m = *m};
    for (uint64_t size = m->size; size > o->o->packet; size -= o->o->packet) o->message[index].left++;
    o->message[index].left++;
    if (m->source == node_of(o, m->address) && !o->routing->kind->via) {
        arrive(o, index);
        return;
    }
    for (; left > o->o->packet; left -= o->o->packet) bear(o, index, o->o->packet + header);
    bear(o, index, left + header);
}

/* ---- links ---- */

/* Whether packet a of a queue is sent before packet b. */
static bool goes_before(const oracle *o, uint64_t a, uint64_t b) {
    const packet *x = &o->packet[a], *y = &o->packet[b];
    if (o->o->queue == PACKET_FARTHEST) return x->to_go != y->to_go ? x->to_go > y->to_go : a < b;
    return o->o->queue == PACKET_LIFO ? x->place > y->place : x->place < y->place;
}

/* Draws a place of the list; the last of the list takes it. */
static uint64_t draw(oracle *o, uint64_t link) {
    uint64_t count = count_at(o, link, false), taken = 0, last = 0;
    uint64_t place = count > 1 ? bough_scale(bough_word(o->key, BOUGH_DRAW_QUEUE, link, o->now), count) : 0;
    for (uint64_t i = 0; i < o->packets; i++) {
        if (o->packet[i].where != IN_QUEUE || o->packet[i].link != link) continue;
        if (o->packet[i].place == place) taken = i;
        if (o->packet[i].place == count - 1) last = i;
    }
    o->packet[last].place = place;
    return taken;
}

static bool is_sending(const oracle *o, uint64_t link) {
    return count_at(o, link, true) > count_at(o, link, false);
}

/* Whether a link leaves its cable to the other direction. */
static bool gives_way(const oracle *o, uint64_t link) {
    uint64_t twin = o->o->half ? o->net->ops->link_twin(o->net, link) : BOUGH_NONE;
    if (twin == BOUGH_NONE) return false;
    if (is_sending(o, twin)) return true;
    if (count_at(o, twin, false) == 0 || o->last[twin]) return false;
    if (o->last[link]) return true;
    uint64_t cable = link < twin ? link : twin;
    return bough_bit(o->key, BOUGH_DRAW_DUPLEX, cable, 0) != (link != cable);
}

static void send(oracle *o, uint64_t link) {
    uint64_t first = o->packets;
    for (uint64_t i = 0; i < o->packets; i++) {
        if (o->packet[i].link != link) continue;
        if (o->packet[i].where == ON_LINK) return;
        if (o->packet[i].where == IN_QUEUE && (first == o->packets || goes_before(o, i, first))) first = i;
    }
    if (first == o->packets || o->waits[link]) return;
    uint64_t twin = o->o->half ? o->net->ops->link_twin(o->net, link) : BOUGH_NONE;
    o->last[link] = true;
    if (twin != BOUGH_NONE) o->last[twin] = false;
    if (o->o->queue == PACKET_RANDOM) first = draw(o, link);
    packet *p = &o->packet[first];
    if (o->ended[link] != o->now) {
        o->since[link] = o->now;
        o->sent[link] = 0;
    }
    o->sent[link] += p->bytes;
    o->ended[link] = o->since[link] + time_of(o->sent[link], rate_of(o, link));
    uint64_t lasts = o->ended[link] - o->now;
    if (p->hops) p->wait += o->now - p->joined;
    p->where = ON_LINK;
    p->when = o->now + lasts;
    p->hops++;
    p->to_go--;
    o->r->busy[link] += lasts;
    o->r->crossings++;
}

static bool ends_here(const oracle *o, const packet *p) {
    uint64_t node = o->net->ops->link_end(o->net, p->link).node,
             end = node_of(o, o->message[p->message].m.address);
    return node == end &&
           (p->second || bough_turn_node(o->net, o->message[p->message].m.source, p->aim) == end);
}

/* ---- time ---- */

static void instant(oracle *o) {
    for (uint64_t i = 0; i < o->packets; i++) { /* 1 */
        packet *p = &o->packet[i];
        if (p->where != ON_LINK || p->when != o->now) continue;
        p->where = ON_CABLE;
        p->when += o->physical->delay + (ends_here(o, p) ? 0 : o->physical->switch_delay);
    }
    for (uint64_t i = 0; i < o->packets; i++) { /* 2 */
        packet *p = &o->packet[i];
        if (p->where == ON_CABLE && p->when == o->now && ends_here(o, p)) deliver(o, p);
    }
    for (uint64_t i = 0; i < o->packets; i++) { /* 3 */
        const packet *p = &o->packet[i];
        if (p->where != ON_CABLE || p->when != o->now) continue;
        bough_link_end end = o->net->ops->link_end(o->net, p->link);
        join(o, i, end.node, end.port);
    }
    for (bough_message m; o->source->pop(o->source, o->now, &m, 1);) enter(o, &m); /* 4 */
    for (uint64_t l = 0; l < o->net->links; l++) o->waits[l] = gives_way(o, l);    /* 5 */
    for (uint64_t l = 0; l < o->net->links; l++) send(o, l);
}

static uint64_t next_time(const oracle *o) {
    uint64_t next = o->source->next_time(o->source);
    for (uint64_t i = 0; i < o->packets; i++) {
        const packet *p = &o->packet[i];
        if ((p->where == ON_LINK || p->where == ON_CABLE) && p->when < next) next = p->when;
    }
    return next;
}

void time_oracle_run(const bough_routing *routing, const packet_timed_options *options, bough_source *source,
                     bough_key key, time_oracle_result *r) {
    const bough_net *net = routing->net;
    oracle o = {.routing = routing,
                .net = net,
                .physical = bough_net_physical(net),
                .o = options,
                .source = source,
                .key = key,
                .r = r};
    *r = (time_oracle_result){.busy = calloc(net->links, sizeof *r->busy)};
    o.served = calloc(net->groups, sizeof *o.served);
    o.since = calloc(net->links, sizeof *o.since);
    o.sent = calloc(net->links, sizeof *o.sent);
    o.ended = calloc(net->links, sizeof *o.ended);
    o.last = calloc(net->links, sizeof *o.last);
    o.waits = calloc(net->links, sizeof *o.waits);
    must(r->busy && o.last && o.waits && o.served && o.since && o.sent && o.ended);
    for (uint64_t next; (next = next_time(&o)) != BOUGH_NONE;) {
        must(next >= o.now);
        for (uint64_t g = 0; g < net->groups && next > o.now; g++) o.served[g] = 0;
        o.now = next;
        instant(&o);
    }
    free(o.served);
    free(o.since);
    free(o.last);
    free(o.waits);
    free(o.sent);
    free(o.ended);
    free(o.message);
    free(o.packet);
}

void time_oracle_fini(time_oracle_result *r) {
    free(r->busy);
    free(r->taken);
}
