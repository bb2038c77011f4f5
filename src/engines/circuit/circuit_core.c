/* What happens in a cycle: heads request links, take them, are refused and arrive. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/circuit_state.h"

/* ---- the calendar ---- */

/* Beyond the ring. */
static bough_status schedule_far(engine *e, uint32_t m, uint64_t cycle, unsigned phase) {
    circuit_generic *w = e->w;
    bough_status status = bough_grow(&w->far, &w->far_capacity, e->far_count + 1, sizeof *w->far, e->error);
    TRY(bough_grow(&w->far_time, &w->time_capacity, e->far_count + 1, sizeof *w->far_time, e->error));
    if (status) return status;
    w->far[e->far_count] = m;
    w->far_time[e->far_count++] = cycle << 1 | phase;
    return BOUGH_OK;
}

static inline bough_status schedule(engine *e, uint32_t m, uint64_t cycle, unsigned phase) {
    circuit_generic *w = e->w;
    e->pending++;
    if (cycle - e->now > w->ring_mask) return schedule_far(e, m, cycle, phase);
    uint32_t *list = &w->ring[(cycle & w->ring_mask) * 2 + phase];
    w->message[m].next = *list;
    *list = m;
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
    bough_flow flow = {s->source, s->address, circuit_id(e, m)};
    if (s->last == NO_LINK || !bough_link_lost(e->net, s->last))
        bough_route_at(e->routing, s->node, &flow, &route);
    return schedule(e, m, route.count ? e->net->ops->group_order(e->net, route.group) : otherwise, 1);
}

static void aim_at(engine *e, uint32_t m, uint64_t address) {
    e->w->message[m].address = (uint32_t)address;
    e->w->message[m].target = (uint32_t)bough_address_node(e->net, address);
}

/* Every attempt draws its intermediate node again, unless it is to take the same path. */
static void aim(engine *e, uint32_t m) {
    message_state *s = &e->w->message[m];
    uint32_t *goal = &e->w->goal[m];
    if (*goal != NO_GOAL) aim_at(e, m, *goal);
    *goal = NO_GOAL;
    uint64_t draw = e->o->same_path ? 0 : s->tries - 1;
    bough_flow flow = {s->source, s->address,
                       (circuit_id(e, m) + draw * e->requests) & (BOUGH_ENTITY_MAX - 1)};
    uint64_t via = bough_via(e->routing, e->key, &flow);
    if (via == BOUGH_NONE || via == s->address || bough_address_node(e->net, via) == s->source) return;
    *goal = s->address;
    aim_at(e, m, via);
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

/* Frees the circuit that ends with `link`: that link in cycle `first` and the cycles of its wire, the one
 * before it `back` and the cycles of its own wire later, and so on. */
static void release_circuit(engine *e, uint32_t link, uint64_t first) {
    const uint64_t back = e->o->back;
    for (; link != NO_LINK; link = e->w->link[link].previous, first += back) {
        first += circuit_wire(e, link);
        e->w->link[link].free_at = (uint32_t)first;
        if (e->w->use) e->w->use[link].held += first - e->w->use[link].since;
    }
    if (first > e->freed) e->freed = first;
}

static bough_status keep_until_end(engine *e, uint32_t m) {
    bough_status status = bough_grow(&e->w->delivered, &e->w->delivered_capacity, e->delivered + 1,
                                     sizeof *e->w->delivered, e->error);
    if (!status) e->w->delivered[e->delivered++] = m;
    return status;
}

bough_status circuit_count_attempts(engine *e, uint32_t tries) {
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
    release_circuit(e, s->last, back + e->o->back);
    if (e->o->history && !circuit_in_rounds(e->o)) {
        bough_status status = circuit_count_attempts(e, s->tries);
        if (status) return status;
    }
    if (e->o->latency && !e->stream) {
        bough_status status = record_latency(e, tail);
        if (status) return status;
    }
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
    aim_at(e, m, *goal);
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

static bough_status refuse(engine *e, const request *q) {
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
        release_circuit(e, s->last, refused + e->o->back);
        return give_up(e, m, true, notified);
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
    release_circuit(e, s->last, refused + e->o->back);
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
    while (i < count && e->w->free[i] != before) i++;
    return i;
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
    uint32_t pick = w->path ? same_link(e, q->message, count) : count;
    if (pick == count) pick = bough_select_free(e->routing, &choice);
    return take_link(e, q->message, (uint32_t)w->free[pick]);
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

/* Sorts the order by attempts, stably. */
static void veterans_first(circuit_generic *w, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = w->order[i], k = i, tries = w->message[w->request[w->member[moved]].message].tries;
        for (; k > 0 && w->message[w->request[w->member[w->order[k - 1]]].message].tries < tries; k--)
            w->order[k] = w->order[k - 1];
        w->order[k] = moved;
    }
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
    bool enough = equal && count <= free;
    if (enough && e->o->mode != CIRCUIT_ATTEMPT && !(w->path && links.count > 1))
        for (uint32_t i = 0; i < count; i++) w->order[i] = i;
    else
        bough_arbitration_order(e->key, group, occasion(e), count, w->order);
    if (!enough && e->o->veterans) veterans_first(w, count);
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
        bough_flow flow = {s->source, s->address, circuit_id(e, m)};
        request *r = &w->request[q];
        r->message = m;
        r->port = s->last == NO_LINK ? BOUGH_SOURCE_PORT : e->net->ops->link_end(e->net, s->last).port;
        bool lost = s->last != NO_LINK && bough_link_lost(e->net, s->last);
        if (lost || (s->node < e->net->endpoints && s->last != NO_LINK && !is_switch(e, s->node) && !w->goal))
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

bough_status circuit_serve_cycle(engine *e) {
    e->waiting = 0;
    bough_status status = e->far_count && (e->now & e->w->ring_mask) == 0 ? refill_ring(e) : BOUGH_OK;
    TRY(serve_phase(e, 0));
    TRY(serve_phase(e, 1));
    return status;
}
