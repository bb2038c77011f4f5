/* Each message has one event, its next request. Requests wait in a ring of lists, one per cycle and phase
 * (phase 0: sources request injection links, phase 1: routers). Each link stores when it is free again and
 * the previous link of its holder, so a circuit is a chain of links that is released by following it back. */
#include "base/status/try.h"
#include "engines/circuit/circuit.h"

#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#define TAKEN      UINT32_MAX
#define NO_LINK    UINT32_MAX
#define NO_MESSAGE UINT32_MAX
#define GIVEN_UP   UINT32_MAX /* attempts of a message without a route */
/* slots without a delivery before a run is stopped, unless retries wait for random times */
#define PATIENCE 8192

typedef struct link_state {
    uint32_t free_at;  /* first cycle in which it can be taken; TAKEN: held */
    uint32_t previous; /* the link by which its holder came, NO_LINK at the first link */
} link_state;

typedef struct message_state {
    uint32_t source, address, target; /* target: the node of the address */
    uint32_t node, last;              /* position of the head, and the link by which it came */
    uint32_t hops;                    /* links taken in this attempt */
    uint32_t attempts;                /* rounds it took part in, or starts */
    uint32_t tries;                   /* starts that got beyond the injection link */
    uint32_t next;                    /* in its list */
} message_state;

typedef struct request {
    uint32_t message, port, next;
    bough_route route;
} request;

struct circuit_generic {
    link_state *link;
    uint32_t *used;  /* grants per link so far; only for `least` */
    uint8_t *seen;   /* per link, requests in this round: 1 from beside, 2 from above, 4 from above again */
    uint32_t *group; /* per group: first request of the current cycle and phase */
    message_state *message;
    uint32_t *delivered; /* messages whose circuits are held until the round ends */
    request *request;
    uint32_t *touched;    /* groups with requests */
    uint32_t *ring, *far; /* lists of messages: [cycle & mask][phase]; far: beyond the ring */
    uint64_t *far_time;   /* cycle << 1 | phase */
    uint64_t *free;       /* scratch: free links of a group */
    uint32_t *load, *order, *member;
    uint64_t *per_round;
    circuit_stage *stage;
    size_t message_capacity, request_capacity, delivered_capacity, touched_capacity, far_capacity,
        time_capacity, member_capacity, order_capacity, round_capacity, stage_capacity;
    uint64_t links, groups;
    uint32_t ring_mask;
    bool clean;
};

/* State of one trial. */
typedef struct engine {
    circuit_generic *w;
    const bough_run *run;
    const bough_net *net;
    const bough_routing *routing;
    const circuit_options *o;
    circuit_result *r;
    bough_key key;
    bough_error *error;
    uint64_t now, base; /* current cycle; first cycle of the round */
    uint64_t latest;    /* last cycle in which a source is notified */
    uint64_t success;   /* last cycle in which a head arrived, or a message was given up */
    uint64_t pending, far_count, delivered, round_delivered, done, given_up;
    uint64_t requests; /* number of requests; messages from here on are replies */
    bool counted;      /* messages without a route have been counted */
} engine;

uint64_t circuit_generic_bytes(const bough_point *p, const circuit_options *o) {
    uint64_t bytes = bough_mul(p->net->links, sizeof(link_state));
    if (p->routing->kind->wants_load) bytes = bough_add(bytes, bough_mul(p->net->links, 4));
    if (o->scenarios) bytes = bough_add(bytes, p->net->links);
    bytes = bough_add(bytes, bough_mul(p->net->groups, 8));
    uint64_t messages = bough_mul(p->traffic->messages, o->reply == CIRCUIT_MESSAGE ? 2 : 1);
    return bough_add(bytes, bough_mul(messages, sizeof(message_state) + sizeof(request) + 3 * 4));
}

void circuit_generic_free(circuit_generic *w) {
    if (!w) return;
    FREE_ALL(w->link, w->used, w->seen, w->group, w->message, w->delivered, w->request, w->touched, w->ring,
             w->far, w->far_time, w->free, w->load, w->order, w->member, w->per_round, w->stage, w);
}

static bough_status make_workspace(engine *e) {
    circuit_generic *w;
    const bough_net *net = e->net;
    bough_status status = bough_alloc(&w, 1, sizeof *w, e->error);
    if (status) return status;
    e->w = w;
    w->links = net->links;
    w->groups = net->groups;
    uint64_t reach = 4 * ((uint64_t)net->hops_max + 2) + e->o->payload + e->o->answer;
    uint32_t size = 64;
    while (size < reach && size < 1u << 16) size *= 2;
    w->ring_mask = size - 1;
    status = bough_alloc(&w->link, net->links, sizeof *w->link, e->error);
    TRY(bough_alloc(&w->group, net->groups, sizeof *w->group, e->error));
    TRY(bough_alloc(&w->ring, (uint64_t)size * 2, sizeof *w->ring, e->error));
    TRY(bough_alloc(&w->free, net->group_max, sizeof *w->free, e->error));
    TRY(bough_alloc(&w->load, net->group_max, sizeof *w->load, e->error));
    if (!status && e->routing->kind->wants_load)
        status = bough_alloc(&w->used, net->links, sizeof *w->used, e->error);
    if (!status && e->o->scenarios) status = bough_alloc(&w->seen, net->links, sizeof *w->seen, e->error);
    if (status) return status;
    memset(w->group, 0xff, net->groups * sizeof *w->group);
    memset(w->ring, 0xff, (size_t)size * 2 * sizeof *w->ring);
    return BOUGH_OK;
}

/* Appends the replies to all requests, in the same order. A reply starts when its request has arrived. */
static bough_status add_replies(engine *e) {
    circuit_generic *w = e->w;
    uint64_t count = e->requests;
    bough_status status =
        bough_grow(&w->message, &w->message_capacity, 2 * count, sizeof *w->message, e->error);
    if (status) return status;
    for (uint64_t i = 0; i < count; i++) {
        const message_state *m = &w->message[i];
        w->message[count + i] =
            (message_state){.source = m->target,
                            .address = (uint32_t)bough_endpoint_address(e->net, m->source),
                            .target = m->source};
    }
    e->r->messages = 2 * count;
    return BOUGH_OK;
}

static bough_status load_messages(engine *e) {
    circuit_generic *w = e->w;
    bough_source *source;
    bough_message batch[256];
    uint32_t got;
    bough_status status = bough_traffic_open(e->run->point.traffic, e->key, NULL, &source, e->error);
    if (status) return status;
    uint64_t count = 0;
    while (!status && (got = source->pop(source, 0, batch, 256))) {
        status = bough_grow(&w->message, &w->message_capacity, count + got, sizeof *w->message, e->error);
        for (uint32_t i = 0; i < got && !status; i++)
            w->message[count++] =
                (message_state){.source = batch[i].source,
                                .address = batch[i].address,
                                .target = (uint32_t)bough_address_node(e->net, batch[i].address)};
    }
    source->close(source);
    e->r->messages = e->requests = count;
    return status || e->o->reply != CIRCUIT_MESSAGE ? status : add_replies(e);
}

/* ---- the calendar ---- */

static bough_status schedule(engine *e, uint32_t m, uint64_t cycle, unsigned phase) {
    circuit_generic *w = e->w;
    e->pending++;
    if (cycle - e->now <= w->ring_mask) {
        uint32_t *list = &w->ring[(cycle & w->ring_mask) * 2 + phase];
        w->message[m].next = *list;
        *list = m;
        return BOUGH_OK;
    }
    bough_status status = bough_grow(&w->far, &w->far_capacity, e->far_count + 1, sizeof *w->far, e->error);
    TRY(bough_grow(&w->far_time, &w->time_capacity, e->far_count + 1, sizeof *w->far_time, e->error));
    if (status) return status;
    w->far[e->far_count] = m;
    w->far_time[e->far_count++] = cycle << 1 | phase;
    return BOUGH_OK;
}

/* Moves the events that have come within reach into the ring; called once per turn of the ring. */
static bough_status refill_ring(engine *e) {
    uint64_t kept = 0, count = e->far_count;
    for (uint64_t i = 0; i < count; i++) {
        if ((e->w->far_time[i] >> 1) - e->now > e->w->ring_mask) {
            e->w->far[kept] = e->w->far[i];
            e->w->far_time[kept++] = e->w->far_time[i];
            continue;
        }
        e->pending--;
        bough_status status = schedule(e, e->w->far[i], e->w->far_time[i] >> 1, e->w->far_time[i] & 1);
        if (status) return status;
    }
    e->far_count = kept;
    return BOUGH_OK;
}

static bool is_switch(const engine *e, uint64_t node) {
    return bough_is_switch(e->net, node);
}

/* Without a clock, the cycle of a request is the order of its group; `otherwise`: without a route. */
static bough_status schedule_by_order(engine *e, uint32_t m, uint64_t otherwise) {
    const message_state *s = &e->w->message[m];
    bough_route route = {0};
    bough_flow flow = {s->source, s->address, m};
    if (s->last == NO_LINK || !bough_link_lost(e->net, s->last))
        bough_route_at(e->routing, s->node, &flow, &route);
    return schedule(e, m, route.count ? e->net->ops->group_order(e->net, route.group) : otherwise, 1);
}

static bough_status start(engine *e, uint32_t m, uint64_t cycle) {
    message_state *s = &e->w->message[m];
    s->node = s->source;
    s->last = NO_LINK;
    s->hops = 0;
    s->attempts++;
    s->tries++;
    e->r->attempts++;
    if (e->o->mode == CIRCUIT_ATTEMPT) return schedule_by_order(e, m, 0);
    return schedule(e, m, cycle, is_switch(e, s->source));
}

/* ---- outcomes of a request ---- */

static void record_notification(engine *e, uint64_t cycle) {
    if (cycle > e->latest) e->latest = cycle;
}

/* Frees the circuit that ends with `link`: that link in cycle `first`, the one before it a cycle later, and
 * so on. */
static void release_circuit(engine *e, uint32_t link, uint64_t first) {
    for (; link != NO_LINK; link = e->w->link[link].previous, first++)
        e->w->link[link].free_at = (uint32_t)first;
}

static bough_status keep_until_end(engine *e, uint32_t m) {
    bough_status status = bough_grow(&e->w->delivered, &e->w->delivered_capacity, e->delivered + 1,
                                     sizeof *e->w->delivered, e->error);
    if (!status) e->w->delivered[e->delivered++] = m;
    return status;
}

static bough_status arrive(engine *e, uint32_t m) {
    message_state *s = &e->w->message[m];
    bool injected = !is_switch(e, s->source);
    uint64_t routers = s->hops - injected;
    e->done++;
    e->success = e->now;
    e->round_delivered++;
    if (s->tries == 1) e->r->first++;
    if (e->o->mode == CIRCUIT_ATTEMPT) return keep_until_end(e, m);
    bool is_request = m < e->requests;
    uint64_t tail = e->now + 2 + (is_request ? e->o->payload : e->o->answer);
    uint64_t back = tail + (e->o->reply == CIRCUIT_REVERSE ? e->o->answer : 0);
    if (back + routers > e->r->cycles) e->r->cycles = back + routers;
    if (e->o->mode == CIRCUIT_CYCLES || !e->o->hold_to_end) record_notification(e, back + routers);
    if (e->o->hold_to_end) return keep_until_end(e, m);
    release_circuit(e, s->last, back + 1);
    return is_request && e->o->reply == CIRCUIT_MESSAGE ? start(e, m + (uint32_t)e->requests, tail + 1)
                                                        : BOUGH_OK;
}

/* Scenario 3: one head from beside and two from above requested one link in one round. */
static void record_request(engine *e, uint32_t m, uint32_t wanted) {
    uint32_t last = e->w->message[m].last;
    if (!e->w->seen || e->o->mode != CIRCUIT_ROUNDS || last == NO_LINK ||
        bough_link_direction(e->net, wanted) >= 0)
        return;
    uint8_t before = e->w->seen[wanted], who = 1;
    if (bough_link_direction(e->net, last) < 0) who = before & 2 ? 4 : 2;
    e->w->seen[wanted] |= who;
    e->r->scenario[3] += before != 7 && e->w->seen[wanted] == 7;
}

static bough_status take_link(engine *e, uint32_t m, uint32_t link) {
    message_state *s = &e->w->message[m];
    record_request(e, m, link);
    e->w->link[link] = (link_state){TAKEN, s->last};
    if (e->w->used) e->w->used[link]++;
    bool injection = s->hops == 0 && !is_switch(e, s->node);
    s->last = link;
    s->hops++;
    s->node = (uint32_t)e->net->ops->link_end(e->net, link).node;
    /* a lost message is not forwarded; its head is refused there */
    bool lost = bough_link_lost(e->net, link);
    if (s->node == s->target && !lost) return arrive(e, m);
    if (e->o->mode == CIRCUIT_ATTEMPT) return schedule_by_order(e, m, e->now + 1);
    return schedule(e, m, e->now + (injection ? 0 : 2), 1);
}

/* 1: both heads came from above; 2: one came from beside; 0: this head was going up or entering. */
static unsigned scenario_of(const engine *e, uint32_t m, uint32_t wanted) {
    const message_state *s = &e->w->message[m];
    const bough_net *net = e->net;
    uint32_t before = e->w->link[wanted].previous;
    if (s->last == NO_LINK || bough_link_direction(net, wanted) >= 0) return 0;
    bool above = bough_link_direction(net, s->last) < 0;
    bool other = before != NO_LINK && bough_link_direction(net, before) < 0;
    return above && other ? 1 : 2;
}

static bough_status refuse(engine *e, const request *q) {
    uint32_t m = q->message;
    message_state *s = &e->w->message[m];
    bool adapter = !is_switch(e, s->source), entering = adapter && s->hops == 0;
    uint64_t router = s->hops + !adapter; /* index k of the router that refuses; 0: none, it is entering */
    if (e->o->scenarios && q->route.count) {
        uint32_t wanted = (uint32_t)bough_route_link(&q->route, 0);
        e->r->scenario[scenario_of(e, m, wanted)]++;
        record_request(e, m, wanted);
    }
    if (q->route.count == 0 && !bough_may_retry(e->routing, s->source, s->address)) {
        /* no router will ever grant it */
        e->r->unrouted += !e->counted;
        e->given_up++;
        e->done++;
        e->success = e->now;
        s->attempts = GIVEN_UP;
        release_circuit(e, s->last, e->now + 1);
        record_notification(e, e->now + s->hops + 1);
        return BOUGH_OK;
    }
    if (entering) { /* its source is still sending; waiting is not an attempt */
        s->tries--;
        e->r->attempts--;
    }
    if (e->o->mode == CIRCUIT_ATTEMPT) return keep_until_end(e, m);
    if (e->o->release_at_end) {
        record_notification(e, e->now + router);
        return keep_until_end(e, m);
    }
    release_circuit(e, s->last, e->now + 1);
    uint64_t notified = e->now + router;
    record_notification(e, notified);
    if (e->o->mode == CIRCUIT_ROUNDS || e->o->retry == CIRCUIT_ROUND) return BOUGH_OK;
    uint64_t wait = 0;
    if (e->o->retry == CIRCUIT_BACKOFF && !entering) {
        uint32_t doublings = s->tries < 10 ? s->tries : 10;
        wait = e->o->slot *
               bough_scale(bough_word(e->key, BOUGH_DRAW_BACKOFF, m, s->tries), UINT64_C(1) << doublings);
    }
    return start(e, m, notified + 1 + wait);
}

/* ---- one group in one cycle ---- */

static uint64_t occasion(const engine *e) {
    if (e->o->mode == CIRCUIT_ROUNDS) return e->r->rounds << 32 | (e->now - e->base);
    return e->now;
}

static bool is_free(const engine *e, uint64_t link) {
    return e->w->link[link].free_at <= e->now && bough_link_alive(e->net, link);
}

static bough_status serve_one(engine *e, const request *q, uint32_t served, bool *granted) {
    circuit_generic *w = e->w;
    uint32_t count = 0;
    for (uint32_t i = 0; i < q->route.count; i++) {
        uint64_t link = bough_route_link(&q->route, i);
        if (!is_free(e, link)) continue;
        if (w->used) w->load[count] = w->used[link];
        w->free[count++] = link;
    }
    *granted = count > 0;
    if (!count) return refuse(e, q);
    bough_choice choice = {e->key, q->route.group, occasion(e), q->port, served, count, w->free, w->load};
    return take_link(e, q->message, (uint32_t)w->free[bough_select_free(e->routing, &choice)]);
}

/* Without a clock, `now` is the order of the group. */
static bough_status count_stage(engine *e, uint64_t requests, uint64_t granted) {
    circuit_generic *w = e->w;
    bough_status status = bough_grow(&w->stage, &w->stage_capacity, e->now + 1, sizeof *w->stage, e->error);
    if (status) return status;
    while (e->r->stages <= e->now) w->stage[e->r->stages++] = (circuit_stage){0};
    e->r->stage = w->stage;
    w->stage[e->now].requests += requests;
    w->stage[e->now].granted += granted;
    return BOUGH_OK;
}

static bough_status serve_group(engine *e, uint32_t group) {
    circuit_generic *w = e->w;
    uint32_t count = 0, served = 0;
    bool granted;
    bough_range links = e->net->ops->group_links(e->net, group);
    bool equal = true;
    bough_status status = BOUGH_OK;
    for (uint32_t q = w->group[group]; q != NO_MESSAGE; q = w->request[q].next) {
        status =
            bough_grow(&w->member, &w->member_capacity, (uint64_t)count + 1, sizeof *w->member, e->error);
        if (status) return status;
        w->member[count++] = q;
        equal &= w->request[q].route.count == links.count;
    }
    w->group[group] = NO_MESSAGE;
    if (count == 1) {
        status = serve_one(e, &w->request[w->member[0]], 0, &granted);
        return status || !e->o->stages ? status : count_stage(e, 1, granted);
    }
    status = bough_grow(&w->order, &w->order_capacity, count, sizeof *w->order, e->error);
    if (status) return status;
    uint64_t free = 0;
    for (uint64_t l = links.first; l < links.first + links.count; l++) free += is_free(e, l);
    if (equal && count <= free && e->o->mode != CIRCUIT_ATTEMPT)
        for (uint32_t i = 0; i < count; i++) w->order[i] = i;
    else
        bough_arbitration_order(e->key, group, occasion(e), count, w->order);
    for (uint32_t i = 0; i < count && !status; i++) {
        status = serve_one(e, &w->request[w->member[w->order[i]]], served, &granted);
        served += granted;
    }
    return status || !e->o->stages ? status : count_stage(e, count, served);
}

/* Inserts a request into the list of its group, which is sorted by (input port, message). */
static void enter_group(engine *e, uint32_t q, uint64_t *touched) {
    circuit_generic *w = e->w;
    request *r = &w->request[q];
    uint32_t *slot = &w->group[r->route.group];
    if (*slot == NO_MESSAGE) w->touched[(*touched)++] = (uint32_t)r->route.group;
    while (*slot != NO_MESSAGE &&
           (w->request[*slot].port < r->port ||
            (w->request[*slot].port == r->port && w->request[*slot].message < r->message)))
        slot = &w->request[*slot].next;
    r->next = *slot;
    *slot = q;
}

static bough_status serve_phase(engine *e, unsigned phase) {
    circuit_generic *w = e->w;
    uint32_t *list = &w->ring[(e->now & w->ring_mask) * 2 + phase], m = *list;
    uint64_t count = 0, touched = 0;
    *list = NO_MESSAGE;
    bough_status status = BOUGH_OK;
    for (uint32_t i = m; i != NO_MESSAGE; i = w->message[i].next) count++;
    if (count == 0) return BOUGH_OK;
    e->pending -= count;
    status = bough_grow(&w->request, &w->request_capacity, count, sizeof *w->request, e->error);
    TRY(bough_grow(&w->touched, &w->touched_capacity, count, sizeof *w->touched, e->error));
    if (status) return status;
    uint32_t q = 0;
    for (uint32_t next; m != NO_MESSAGE; m = next) {
        const message_state *s = &w->message[m];
        next = s->next; /* a refusal inserts it into another list */
        bough_flow flow = {s->source, s->address, m};
        request *r = &w->request[q];
        r->message = m;
        r->port = s->last == NO_LINK ? BOUGH_SOURCE_PORT : e->net->ops->link_end(e->net, s->last).port;
        bool lost = s->last != NO_LINK && bough_link_lost(e->net, s->last);
        if (lost || (s->node < e->net->endpoints && s->last != NO_LINK && !is_switch(e, s->node)))
            r->route.count = 0; /* or a table led it to a wrong adapter */
        else
            bough_route_at(e->routing, s->node, &flow, &r->route);
        if (r->route.count == 0) {
            status = refuse(e, r);
            if (status) return status;
            continue;
        }
        q++;
    }
    for (uint32_t i = 0; i < q; i++) enter_group(e, i, &touched);
    for (uint64_t i = 0; i < touched && !status; i++) status = serve_group(e, w->touched[i]);
    return status;
}

/* ---- the run ---- */

/* One attempt does not reveal the messages without a route, since some are refused for other reasons
 * first. */
static void count_unrouted(engine *e) {
    const bough_net *net = e->net;
    e->counted = e->o->mode == CIRCUIT_ATTEMPT && net->ops->reaches && !e->routing->kind->oblivious;
    for (uint64_t m = 0; m < e->r->messages && e->counted; m++)
        e->r->unrouted += !net->ops->reaches(net, e->w->message[m].source, e->w->message[m].address);
}

/* Serves cycles until no head is moving. */
static bough_status serve_until_quiet(engine *e) {
    bough_status status = BOUGH_OK;
    /* If routes ascend and continue, at least one message always succeeds. */
    bool lock = e->o->mode == CIRCUIT_CYCLES && e->o->retry != CIRCUIT_BACKOFF &&
                (e->net->dead_ends || !bough_routing_ordered(e->routing));
    for (; e->pending && !status; e->now++) {
        if (bough_run_stopped(e->run)) return bough_fail(e->error, BOUGH_INTERRUPTED, NULL, "interrupted");
        e->r->locked = lock && e->now - e->success > PATIENCE * e->o->slot;
        if (e->r->locked || e->now > e->o->cycle_limit || e->now > CIRCUIT_CYCLES_MAX) {
            e->r->cut_off = true;
            return BOUGH_OK;
        }
        if (e->far_count && (e->now & e->w->ring_mask) == 0) status = refill_ring(e);
        TRY(serve_phase(e, 0));
        TRY(serve_phase(e, 1));
    }
    return status;
}

static bough_status end_round(engine *e) {
    circuit_generic *w = e->w;
    for (uint64_t i = 0; i < e->delivered; i++)
        for (uint32_t l = w->message[w->delivered[i]].last; l != NO_LINK; l = w->link[l].previous)
            w->link[l].free_at = 0;
    e->delivered = 0;
    if (w->seen) memset(w->seen, 0, w->links);
    bough_status status = BOUGH_OK;
    if (e->o->history) {
        status =
            bough_grow(&w->per_round, &w->round_capacity, e->r->rounds + 1, sizeof *w->per_round, e->error);
        if (!status) w->per_round[e->r->rounds] = e->round_delivered;
        e->r->per_round = w->per_round;
    }
    e->round_delivered = 0;
    e->r->rounds++;
    return status;
}

static bough_status run_rounds(engine *e) {
    circuit_generic *w = e->w;
    bough_status status = BOUGH_OK;
    bool first = true;
    while (e->done < e->r->messages && !e->r->cut_off && !status) {
        if (e->r->rounds == e->o->round_limit || (e->o->mode == CIRCUIT_ATTEMPT && !first)) {
            e->r->cut_off = e->o->mode != CIRCUIT_ATTEMPT;
            break;
        }
        if (e->now <= e->latest && !first) e->now = e->latest + 1;
        e->base = e->now;
        uint64_t done = e->done;
        for (uint64_t m = 0; m < e->r->messages && !status; m++) {
            const message_state *s = &w->message[m]; /* skipped: at the target, or given up */
            if (first || (s->attempts == e->r->rounds && s->node != s->target))
                status = start(e, (uint32_t)m, e->now);
        }
        first = false;
        TRY(serve_until_quiet(e));
        TRY(end_round(e));
        if (e->done == done && e->o->mode != CIRCUIT_ATTEMPT && e->r->rounds > 1000) {
            /* 1000 rounds plus this one without a delivery: the run will not end */
            e->r->cut_off = e->r->locked = true;
            break;
        }
    }
    return status;
}

bough_status circuit_generic_run(const circuit_trial *trial, circuit_generic **workspace,
                                 circuit_result *result, bough_error *error) {
    const circuit_options *options = trial->options;
    engine e = {.w = *workspace,
                .run = trial->run,
                .net = trial->run->point.net,
                .routing = trial->run->point.routing,
                .o = options,
                .r = result,
                .key = trial->key,
                .error = error};
    *result = (circuit_result){0};
    bough_status status = BOUGH_OK;
    if (!e.w) {
        status = make_workspace(&e);
        *workspace = e.w;
        if (status) return status;
    } else if (!e.w->clean) {
        memset(e.w->ring, 0xff, ((size_t)e.w->ring_mask + 1) * 2 * sizeof *e.w->ring);
        memset(e.w->group, 0xff, e.w->groups * sizeof *e.w->group);
    }
    memset(e.w->link, 0, e.w->links * sizeof *e.w->link);
    if (e.w->used) memset(e.w->used, 0, e.w->links * sizeof *e.w->used);
    e.w->clean = false;
    status = load_messages(&e);
    if (status) return status;
    count_unrouted(&e);
    if (options->mode != CIRCUIT_CYCLES || options->retry == CIRCUIT_ROUND) {
        status = run_rounds(&e);
    } else {
        for (uint64_t m = 0; m < e.requests && !status; m++) status = start(&e, (uint32_t)m, 0);
        TRY(serve_until_quiet(&e));
    }
    result->undelivered = result->messages - e.done + e.given_up;
    if (status == BOUGH_OK && !result->cut_off) e.w->clean = true;
    return status;
}

circuit_fate circuit_generic_fate(const circuit_generic *w, uint64_t i) {
    const message_state *m = &w->message[i];
    return (circuit_fate){m->source, m->target,
                          m->node == m->target && m->tries == 1 && m->attempts != GIVEN_UP};
}
