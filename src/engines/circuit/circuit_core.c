/* What happens in a cycle: heads request links, take them, are refused and arrive. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/circuit_state.h"

static inline bough_status schedule(engine *e, uint32_t m, uint64_t cycle, unsigned phase) {
    e->pending++;
    return calendar_add(&e->k->calendar, m, (calendar_time){e->now, cycle, phase}, e->error);
}

static bool is_switch(const engine *e, uint64_t node) {
    return bough_is_switch(e->net, node);
}

/* Without a clock, the cycle of a request is the order of its group; `otherwise`: without a route. */
static bough_status schedule_by_order(engine *e, uint32_t m, uint64_t otherwise) {
    const message_state *s = &e->w->message[m];
    bough_route route = {0};
    bough_flow flow = {s->source, s->address, circuit_id(e, m)};
    if (s->last == NO_LINK || !bough_link_lost(e->net, s->last))
        bough_route_at(e->routing, s->node, &flow, &route);
    return schedule(e, m, route.count ? e->net->ops->group_order(e->net, route.group) : otherwise, 1);
}

static void aim_at(engine *e, uint32_t m, uint64_t address, uint64_t target) {
    e->w->message[m].address = (uint32_t)address;
    e->w->message[m].target = (uint32_t)target;
}

/* Every attempt draws its intermediate node and its links again, unless it is to take the same path. */
uint64_t circuit_draw(const engine *e, uint32_t m) {
    uint64_t attempt = e->o->same_path ? 0 : e->w->message[m].tries - 1;
    return (circuit_id(e, m) + attempt * e->requests) & (BOUGH_ENTITY_MAX - 1);
}

static void aim(engine *e, uint32_t m) {
    message_state *s = &e->w->message[m];
    uint32_t *goal = &e->w->goal[m];
    if (*goal != NO_GOAL) aim_at(e, m, *goal, bough_address_node(e->net, *goal));
    *goal = NO_GOAL;
    bough_flow flow = {s->source, s->address, circuit_draw(e, m)};
    uint64_t via = bough_via(e->routing, e->key, &flow);
    if (via == BOUGH_NONE || via == s->address || bough_turn_node(e->net, s->source, via) == s->source)
        return;
    *goal = s->address;
    aim_at(e, m, via, bough_turn_node(e->net, s->source, via));
}

bough_status circuit_start(engine *e, uint32_t m, uint64_t cycle) {
    message_state *s = &e->w->message[m];
    s->node = s->source;
    s->last = NO_LINK;
    s->hops = 0;
    s->attempts++;
    s->tries++;
    if (e->w->goal) aim(e, m);
    e->r->attempts++;
    if (e->o->mode == CIRCUIT_ATTEMPT) return schedule_by_order(e, m, 0);
    return schedule(e, m, cycle, is_switch(e, s->source));
}

/* ---- outcomes of a request ---- */

static void record_notification(engine *e, uint64_t cycle) {
    if (cycle > e->latest) e->latest = cycle;
}

/* Frees the circuit that ends with `link`, at the end of the phase: that link in cycle `first` and the cycles
 * of its wire, the one before it `back` and the cycles of its own wire later, and so on. */
static bough_status release_circuit(engine *e, uint32_t link, uint64_t first) {
    circuit_worker *k = e->k;
    if (link == NO_LINK) return BOUGH_OK;
    bough_status status =
        bough_grow(&k->released, &k->released_capacity, k->released_count + 1, sizeof *k->released, e->error);
    if (!status) k->released[k->released_count++] = (circuit_release){link, (uint32_t)first};
    return status;
}

static bough_status keep_until_end(engine *e, uint32_t m) {
    circuit_worker *k = e->k;
    bough_status status = bough_grow(&k->delivered, &k->delivered_capacity, k->delivered_count + 1,
                                     sizeof *k->delivered, e->error);
    if (!status) k->delivered[k->delivered_count++] = m;
    return status;
}

/* Counts a delivery after so many attempts. */
static bough_status count_attempts(engine *e, uint32_t tries) {
    circuit_generic *w = e->w;
    bough_status status =
        bough_grow(&w->per_attempt, &w->attempt_capacity, tries, sizeof *w->per_attempt, e->error);
    if (status) return status;
    while (e->r->attempts_most < tries) w->per_attempt[e->r->attempts_most++] = 0;
    w->per_attempt[tries - 1]++;
    e->r->per_attempt = w->per_attempt;
    return BOUGH_OK;
}

/* Flits behind the head of a request or a reply. */
static uint64_t flits_behind(const engine *e, uint32_t m) {
    if (m >= e->requests) return e->o->answer;
    return e->stream ? circuit_stream_payload(e, m) : e->o->payload;
}

static bough_status record_latency(engine *e, uint64_t tail) {
    latency_series *s = &e->w->latency;
    bough_status status = bough_grow(&s->latency, &s->capacity, s->count + 1, sizeof *s->latency, e->error);
    if (!status) s->latency[s->count++] = (uint32_t)tail;
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
    uint64_t tail = e->now + e->o->forward + circuit_wire(e, s->last) + flits_behind(e, m);
    uint64_t back = tail + (e->o->reply == CIRCUIT_REVERSE ? e->o->turnaround + e->o->answer : 0);
    uint64_t notified = back + routers * e->o->back + circuit_path_wires(e, s->last);
    if (tail > e->r->arrived) e->r->arrived = tail;
    e->r->arrivals += (double)tail;
    if (notified > e->r->cycles) e->r->cycles = notified;
    if (e->o->mode == CIRCUIT_CYCLES || !e->o->hold_to_end) record_notification(e, notified);
    if (e->o->hold_to_end) return keep_until_end(e, m);
    bough_status status = release_circuit(e, s->last, back + e->o->back);
    if (e->o->history && !circuit_in_rounds(e->o)) TRY(count_attempts(e, s->tries));
    if (e->o->latency && !e->stream) TRY(record_latency(e, tail));
    if (status) return status;
    if (e->stream) return circuit_stream_arrive(e, m, tail, notified);
    return is_request && e->o->reply == CIRCUIT_MESSAGE
               ? circuit_start(e, m + (uint32_t)e->requests, tail + 1)
               : BOUGH_OK;
}

/* Scenario 3: one head from beside and two from above requested one link in one round, or without rounds
 * while one of them held it. */
static void record_request(engine *e, uint32_t m, uint32_t wanted, bool granted) {
    uint32_t last = e->w->message[m].last;
    link_requests *seen = &e->w->seen[wanted];
    if (granted && !circuit_in_rounds(e->o)) *seen = (link_requests){0};
    if (last == NO_LINK || bough_link_direction(e->net, wanted) >= 0) return;
    uint8_t before = seen->who, who = 1;
    if (bough_link_direction(e->net, last) < 0) who = !(before & 2) ? 2 : seen->above == m ? 0 : 4;
    if (who == 2) seen->above = m;
    seen->who |= who;
    e->r->scenario[3] += before != 7 && seen->who == 7;
}

/* At its destination, or at the intermediate node, where it goes on. */
static bough_status reach_goal(engine *e, uint32_t m) {
    uint32_t *goal = &e->w->goal[m];
    if (*goal == NO_GOAL) return arrive(e, m);
    aim_at(e, m, *goal, bough_address_node(e->net, *goal));
    *goal = NO_GOAL;
    return schedule(e, m, e->now + e->o->forward + circuit_wire(e, e->w->message[m].last),
                    is_switch(e, e->w->message[m].node));
}

static bough_status take_link(engine *e, uint32_t m, uint32_t link) {
    message_state *s = &e->w->message[m];
    if (e->w->seen) record_request(e, m, link, true);
    e->w->link[link] = (link_state){TAKEN, s->last};
    if (e->w->used) e->w->used[link]++;
    if (e->w->use) e->w->use[link].since = e->now;
    if (e->w->path && s->hops < e->hops_max) e->w->path[(uint64_t)m * e->hops_max + s->hops] = link;
    bool injection = s->hops == 0 && !is_switch(e, s->node);
    s->last = link;
    s->hops++;
    s->node = (uint32_t)e->net->ops->link_end(e->net, link).node;
    /* a lost message is not forwarded; its head is refused there */
    bool lost = bough_link_lost(e->net, link);
    if (s->node == s->target && !lost) return e->w->goal ? reach_goal(e, m) : arrive(e, m);
    if (e->o->mode == CIRCUIT_ATTEMPT) return schedule_by_order(e, m, e->now + 1);
    return schedule(e, m, e->now + (injection ? 0 : e->o->forward) + circuit_wire(e, link), 1);
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

/* A head that waits collides once where it waits. */
static void record_collision(engine *e, const request *q) {
    uint32_t m = q->message, wanted = (uint32_t)bough_route_link(&q->route, 0);
    uint32_t *waited = e->w->waited, links = e->w->message[m].hops + 1;
    if (waited && waited[m] == links) return;
    if (waited) waited[m] = links;
    e->r->scenario[scenario_of(e, m, wanted)]++;
    record_request(e, m, wanted, false);
}

/* A message that is not sent again. */
static bough_status give_up(engine *e, uint32_t m, bool unrouted, uint64_t notified) {
    if (e->stream) return circuit_stream_lose(e, m, unrouted, notified);
    if (unrouted)
        e->r->unrouted += !e->counted;
    else
        e->r->given_up++;
    e->given_up++;
    e->done++;
    e->success = e->now;
    e->w->message[m].attempts = GIVEN_UP;
    return BOUGH_OK;
}

bough_status circuit_refuse(engine *e, const request *q) {
    uint32_t m = q->message;
    message_state *s = &e->w->message[m];
    bool adapter = !is_switch(e, s->source), entering = adapter && s->hops == 0;
    uint64_t router = s->hops + !adapter; /* index k of the router that refuses; 0: none, it is entering */
    if (e->o->scenarios && q->route.count) record_collision(e, q);
    uint64_t refused = e->now + (e->o->discard && !entering ? flits_behind(e, m) : 0);
    if (e->o->wait && q->route.count) {
        e->waiting++;
        return schedule(e, m, e->now + 1, is_switch(e, s->node));
    }
    if (q->route.count == 0 && !bough_may_retry(e->routing, s->source, s->address)) {
        /* no router will ever grant it */
        uint64_t notified = refused + (s->hops + 1) * e->o->back + circuit_path_wires(e, s->last);
        record_notification(e, notified);
        bough_status status = release_circuit(e, s->last, refused + e->o->back);
        return status ? status : give_up(e, m, true, notified);
    }
    if (entering) { /* its source is still sending; waiting is not an attempt */
        s->tries--;
        e->r->attempts--;
    }
    if (e->o->mode == CIRCUIT_ATTEMPT) return keep_until_end(e, m);
    uint64_t notified = refused + router * e->o->back + circuit_path_wires(e, s->last);
    if (e->o->release_at_end) {
        record_notification(e, notified);
        return keep_until_end(e, m);
    }
    bough_status status = release_circuit(e, s->last, refused + e->o->back);
    if (status) return status;
    record_notification(e, notified);
    if (e->o->mode == CIRCUIT_ROUNDS || e->o->retry == CIRCUIT_ROUND) return BOUGH_OK;
    if (e->o->give_up && s->tries >= e->o->give_up) {
        if (notified > e->r->cycles) e->r->cycles = notified;
        return give_up(e, m, false, notified);
    }
    bool waits = circuit_waits_randomly(e->o) && !entering;
    return circuit_start(e, m, notified + 1 + (waits ? circuit_wait(e, m, s->tries) : 0));
}

/* ---- one group in one cycle ---- */

static uint64_t occasion(const engine *e) {
    if (e->o->mode == CIRCUIT_ROUNDS) return e->r->rounds << 32 | (e->now - e->base);
    return e->now;
}

static bool is_free(const engine *e, uint64_t link) {
    return e->w->link[link].free_at <= e->now && bough_link_alive(e->net, link);
}

/* The index among the free links of the one that the message took here in its last attempt; count: none. */
static uint32_t same_link(const engine *e, uint32_t m, uint32_t count) {
    const message_state *s = &e->w->message[m];
    if (s->hops >= e->hops_max) return count;
    uint32_t i = 0, before = e->w->path[(uint64_t)m * e->hops_max + s->hops];
    while (i < count && e->k->free[i] != before) i++;
    return i;
}

static bough_status serve_one(engine *e, const request *q, uint32_t served, bool *granted) {
    circuit_generic *w = e->w;
    circuit_worker *k = e->k;
    uint32_t count = 0;
    for (uint32_t i = 0; i < q->route.count; i++) {
        uint64_t link = bough_route_link(&q->route, i);
        if (!is_free(e, link)) continue;
        if (w->used) k->load[count] = w->used[link];
        k->free[count++] = link;
    }
    *granted = count > 0;
    if (!count) return circuit_refuse(e, q);
    bough_choice choice = {e->key, q->route.group, occasion(e), q->port, served, count, k->free, k->load};
    uint32_t pick = w->path ? same_link(e, q->message, count) : count;
    if (pick == count) pick = bough_select_free(e->routing, &choice);
    return take_link(e, q->message, (uint32_t)k->free[pick]);
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

static uint32_t tries_of(const circuit_generic *w, uint32_t q) {
    return w->message[w->request[q].message].tries;
}

/* Sorts the order by attempts, stably. */
static void veterans_first(const engine *e, uint32_t count) {
    const circuit_generic *w = e->w;
    circuit_worker *k = e->k;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = k->order[i], at = i, tries = tries_of(w, k->member[moved]);
        for (; at > 0 && tries_of(w, k->member[k->order[at - 1]]) < tries; at--)
            k->order[at] = k->order[at - 1];
        k->order[at] = moved;
    }
}

bough_status circuit_serve_group(engine *e, uint32_t group) {
    circuit_generic *w = e->w;
    circuit_worker *k = e->k;
    uint32_t count = 0, served = 0;
    bool granted;
    bough_range links = e->net->ops->group_links(e->net, group);
    bool equal = true;
    bough_status status = BOUGH_OK;
    for (uint32_t q = w->group[group]; q != NO_MESSAGE; q = w->request[q].next) {
        status =
            bough_grow(&k->member, &k->member_capacity, (uint64_t)count + 1, sizeof *k->member, e->error);
        if (status) return status;
        k->member[count++] = q;
        equal &= w->request[q].route.count == links.count;
    }
    w->group[group] = NO_MESSAGE;
    if (count == 1) {
        status = serve_one(e, &w->request[k->member[0]], 0, &granted);
        return status || !e->o->stages ? status : count_stage(e, 1, granted);
    }
    status = bough_grow(&k->order, &k->order_capacity, count, sizeof *k->order, e->error);
    if (status) return status;
    uint64_t free = 0;
    for (uint64_t l = links.first; l < links.first + links.count; l++) free += is_free(e, l);
    bool enough = equal && count <= free;
    if (enough && e->o->mode != CIRCUIT_ATTEMPT && !(w->path && links.count > 1))
        for (uint32_t i = 0; i < count; i++) k->order[i] = i;
    else
        bough_arbitration_order(e->key, group, occasion(e), count, k->order);
    if (!enough && e->o->veterans) veterans_first(e, count);
    for (uint32_t i = 0; i < count && !status; i++) {
        status = serve_one(e, &w->request[k->member[k->order[i]]], served, &granted);
        served += granted;
    }
    return status || !e->o->stages ? status : count_stage(e, count, served);
}
