#include "support/router_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEVER  UINT64_MAX
#define NONE   UINT32_MAX
#define SOURCE (UINT32_MAX - 1)
#define LIMIT  1000000 /* cycles */

typedef struct flit {
    uint32_t message;
    bool head, tail;
} flit;

/* On a wire: a flit, or a credit. */
typedef struct moving {
    uint64_t at;
    uint32_t channel;
    flit flit;
    bool credit;
} moving;

typedef struct vc {
    flit *queue;
    uint32_t count;
    enum { IDLE, ROUTES, ALLOCATES, SENDS, LEAVES } stage;
    uint64_t front, start; /* start: of the stage, or of the attempt that is next */
    uint32_t link, to;     /* selected; held, or won in the current attempt */
    uint32_t credits, owner;
    bool ended, released, early;
    uint32_t accept, grant; /* pointers of VC allocation */
} vc;

typedef struct port {
    uint32_t last, taken;         /* the channel that is first to send at its end; to be taken by a source */
    uint32_t accept[2], grant[2]; /* pointers of switch allocation: at the end; at the start */
    uint32_t input, output;       /* its number at the end and the start */
} port;

typedef struct sender {
    uint32_t *message, count, first, sent; /* ids; flits of the first that were sent */
    uint32_t link, channel;
} sender;

typedef struct oracle {
    const bough_routing *routing;
    const bough_net *net;
    const worm_options *o;
    const worm_stages *s;
    bough_key key;
    uint64_t now;
    uint32_t links, channels;
    vc *c;
    port *p;
    sender *from;
    moving *wire;
    uint32_t wires, room, arrived;
    router_result *r;
} oracle;

static void *zeros(uint64_t count, size_t size) {
    void *p = calloc(count + 1, size);
    assert_non_null(p);
    return p;
}

/* ---- the network ---- */

static bool is_end(const oracle *w, uint64_t node) {
    return node < w->net->endpoints;
}
static uint64_t start_of(const oracle *w, uint32_t link) {
    return bough_link_start(w->net, link);
}
static uint64_t end_of(const oracle *w, uint32_t link) {
    return w->net->ops->link_end(w->net, link).node;
}
static uint64_t wire_cycles(const oracle *w, uint32_t link) {
    return is_end(w, start_of(w, link)) || is_end(w, end_of(w, link)) ? w->s->port : w->s->link;
}
static uint32_t inputs_of(const oracle *w, uint64_t node) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < w->links; l++) count += end_of(w, l) == node;
    return count;
}
static uint32_t outputs_of(const oracle *w, uint64_t node) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < w->links; l++) count += start_of(w, l) == node;
    return count;
}
static uint32_t input_number(const oracle *w, uint32_t channel) {
    return w->p[channel / w->o->vcs].input * w->o->vcs + channel % w->o->vcs;
}
static uint32_t output_number(const oracle *w, uint32_t channel) {
    return w->p[channel / w->o->vcs].output * w->o->vcs + channel % w->o->vcs;
}

/* The steps from a pointer to a number, around `all` numbers. */
static uint32_t steps(uint32_t pointer, uint32_t number, uint32_t all) {
    return (number + all - pointer) % all;
}

/* ---- wires ---- */

static void move(oracle *w, moving m) {
    if (w->wires == w->room) {
        w->room = 2 * w->room + 64;
        w->wire = realloc(w->wire, w->room * sizeof *w->wire);
        assert_non_null(w->wire);
    }
    w->wire[w->wires++] = m;
}

static void give_back(oracle *w, uint32_t c) {
    const uint32_t link = c / w->o->vcs;
    const uint64_t extra = is_end(w, start_of(w, link)) ? 0 : w->o->credit;
    move(w, (moving){.at = w->now + 1 + wire_cycles(w, link) + extra, .channel = c, .credit = true});
}

static void front_head(oracle *w, vc *c, uint64_t cycle) {
    c->front = cycle;
    c->stage = ROUTES;
    c->start = cycle + (w->s->route ? w->s->route - 1 : 0);
}

static void front_other(vc *c, uint64_t cycle) {
    c->front = cycle;
    c->stage = SENDS;
    c->start = cycle;
}

static void arrive(oracle *w, const moving *m) {
    vc *c = &w->c[m->channel];
    router_fate *fate = &w->r->fate[m->flit.message];
    if (is_end(w, end_of(w, m->channel / w->o->vcs))) {
        give_back(w, m->channel);
        if (!m->flit.tail) return;
        assert_true(fate->arrived == BOUGH_NONE);
        fate->arrived = w->now;
        w->arrived++;
        return;
    }
    assert_true(c->count < w->o->buffer);
    c->queue[c->count++] = m->flit;
    if (c->count > 1) return;
    assert_int_equal(c->stage == IDLE, m->flit.head);
    if (c->stage == IDLE)
        front_head(w, c, w->now);
    else
        front_other(c, w->now);
}

static void take_credit(oracle *w, uint32_t channel) {
    vc *c = &w->c[channel];
    c->credits++;
    assert_true(c->credits <= w->o->buffer);
    if (w->o->owned && c->ended && c->credits == w->o->buffer) {
        c->owner = NONE;
        c->ended = false;
    }
}

static void wires(oracle *w, bool credits) {
    const uint32_t count = w->wires;
    moving *list = w->wire;
    w->wire = NULL;
    w->wires = w->room = 0;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].at > w->now || list[i].credit != credits)
            move(w, list[i]);
        else if (credits)
            take_credit(w, list[i].channel);
        else
            arrive(w, &list[i]);
    free(list);
}

/* The flit leaves over the channel `to`. */
static void send(oracle *w, flit f, uint32_t to, uint64_t cycles) {
    vc *c = &w->c[to];
    assert_true(c->credits > 0);
    c->credits--;
    w->r->crossed[to / w->o->vcs]++;
    move(w, (moving){.at = w->now + cycles, .channel = to, .flit = f});
    if (!f.tail) return;
    c->ended = true;
    c->released = !w->o->owned;
}

static void grant_link(oracle *w, uint32_t message, uint32_t link, uint64_t waited) {
    w->r->fate[message].hops++;
    w->r->grants[link]++;
    w->r->waited[link] += waited;
}

static void leave(oracle *w, uint32_t channel) {
    vc *c = &w->c[channel];
    const flit f = c->queue[0];
    const uint32_t link = c->to / w->o->vcs;
    const uint64_t alone = w->s->route + (w->s->speculative ? 0 : w->s->vc_alloc) + w->s->switch_alloc - 1;
    if (f.head) grant_link(w, f.message, link, w->now - c->front - alone);
    send(w, f, c->to, 1 + w->s->traverse + wire_cycles(w, link));
    give_back(w, channel);
    c->count--;
    for (uint32_t i = 0; i < c->count; i++) c->queue[i] = c->queue[i + 1];
    front_other(c, c->count ? w->now + 1 : NEVER);
    if (!f.tail) return;
    c->stage = IDLE;
    if (c->count) front_head(w, c, w->now + 1);
}

/* ---- selection ---- */

static bool in_class(const oracle *w, uint32_t channel, uint32_t message) {
    const uint32_t hops = w->r->fate[message].hops, cable = hops ? hops - 1 : 0, last = w->o->vcs - 1;
    return !w->o->by_hop || channel % w->o->vcs == (cable < last ? cable : last);
}

static bool may_take(const oracle *w, uint32_t channel, uint32_t message) {
    return w->c[channel].owner == NONE && in_class(w, channel, message);
}

static bool any_to_take(const oracle *w, uint32_t link, uint32_t message) {
    bool any = false;
    for (uint32_t v = 0; v < w->o->vcs; v++) any |= may_take(w, link * w->o->vcs + v, message);
    return any;
}

static uint32_t used(const oracle *w, uint32_t link) {
    uint32_t sum = w->o->vcs * w->o->buffer;
    for (uint32_t v = 0; v < w->o->vcs; v++) sum -= w->c[link * w->o->vcs + v].credits;
    return sum;
}

static uint32_t select_link(const oracle *w, uint32_t message, bough_link_end at, uint32_t number) {
    const router_fate *fate = &w->r->fate[message];
    const bough_flow flow = {fate->source, fate->address, message};
    bough_route route;
    uint64_t link[64];
    uint32_t load[64], count = 0;
    bough_route_at(w->routing, at.node, &flow, &route);
    bough_route_draw(w->routing, w->key, message, at.node, &route);
    assert_in_range(route.count, 1, 64);
    for (int any = 0; any < 2 && !count; any++)
        for (uint32_t i = 0; i < route.count; i++) {
            const uint32_t l = (uint32_t)bough_route_link(&route, i);
            if (!bough_link_alive(w->net, l) || !(any || any_to_take(w, l, message))) continue;
            load[count] = used(w, l);
            link[count++] = l;
        }
    const bough_choice choice = {w->key, route.group, w->now, at.port, number, count, link, load};
    return (uint32_t)link[bough_select_free(w->routing, &choice)];
}

static void routes(oracle *w) {
    for (uint32_t i = 0; i < w->channels; i++) {
        vc *c = &w->c[i];
        if (c->stage != ROUTES || c->start != w->now) continue;
        const bough_link_end at = w->net->ops->link_end(w->net, i / w->o->vcs);
        c->link = select_link(w, c->queue[0].message, at, i % w->o->vcs);
        c->stage = ALLOCATES;
        c->start = w->now + (w->s->route > 0);
        c->to = NONE;
    }
}

/* ---- sources ---- */

static void take_messages(oracle *w, bough_source *source) {
    bough_message m;
    while (source->next_time(source) <= w->now && source->pop(source, w->now, &m, 1)) {
        sender *s = &w->from[m.source];
        w->r->fate[m.id] = (router_fate){
            m.time, BOUGH_NONE, BOUGH_NONE, m.source, m.address, (uint32_t)(m.size * w->o->flits), 0};
        s->message[s->count++] = m.id;
    }
}

static void take_channel(oracle *w, sender *s, uint32_t message) {
    port *p = &w->p[s->link];
    for (uint32_t k = 0; k < w->o->vcs && s->channel == NONE; k++) {
        const uint32_t c = s->link * w->o->vcs + (p->taken + k) % w->o->vcs;
        if (may_take(w, c, message) && w->c[c].credits) s->channel = c;
    }
    if (s->channel == NONE) return;
    p->taken = (s->channel + 1) % w->o->vcs;
    w->c[s->channel].owner = SOURCE;
    w->c[s->channel].ended = false;
    w->r->fate[message].entered = w->now;
    grant_link(w, message, s->link, w->now - w->r->fate[message].offered);
}

static void send_from(oracle *w, uint32_t endpoint) {
    sender *s = &w->from[endpoint];
    if (s->first == s->count) return;
    const uint32_t message = s->message[s->first];
    if (s->link == NONE) s->link = select_link(w, message, (bough_link_end){endpoint, BOUGH_SOURCE_PORT}, 0);
    if (s->channel == NONE) take_channel(w, s, message);
    if (s->channel == NONE || !w->c[s->channel].credits) return;
    const flit f = {message, s->sent == 0, s->sent + 1 == w->r->fate[message].flits};
    send(w, f, s->channel, 1 + w->s->port);
    s->sent++;
    if (!f.tail) return;
    s->first++;
    s->sent = 0;
    s->link = s->channel = NONE;
}

/* ---- iSLIP: request[input][output] of a router, one iteration; match[input] is an output or NONE ---- */

typedef struct allocation {
    uint32_t inputs, outputs;
    bool *request;
    uint32_t *grant, *match;    /* by output, by input */
    uint32_t **to_out, **to_in; /* the pointers of inputs, and of outputs */
} allocation;

static allocation allocation_make(uint32_t inputs, uint32_t outputs) {
    allocation a = {inputs,
                    outputs,
                    zeros((uint64_t)inputs * outputs, sizeof(bool)),
                    zeros(outputs, 4),
                    zeros(inputs, 4),
                    zeros(inputs, sizeof(uint32_t *)),
                    zeros(outputs, sizeof(uint32_t *))};
    return a;
}

static void allocation_fini(allocation *a) {
    free(a->request);
    free(a->grant);
    free(a->match);
    free(a->to_out);
    free(a->to_in);
}

static bool requested(const allocation *a, uint32_t in, uint32_t out) {
    return a->request[in * a->outputs + out];
}

static uint32_t grants_to(const allocation *a, uint32_t out) {
    uint32_t best = NONE;
    for (uint32_t in = 0; in < a->inputs; in++)
        if (requested(a, in, out) &&
            (best == NONE || steps(*a->to_in[out], in, a->inputs) < steps(*a->to_in[out], best, a->inputs)))
            best = in;
    return best;
}

static uint32_t accepts(const allocation *a, uint32_t in) {
    uint32_t best = NONE;
    for (uint32_t out = 0; out < a->outputs; out++)
        if (a->grant[out] == in && (best == NONE || steps(*a->to_out[in], out, a->outputs) <
                                                        steps(*a->to_out[in], best, a->outputs)))
            best = out;
    return best;
}

static void allocate(allocation *a) {
    for (uint32_t out = 0; out < a->outputs; out++) a->grant[out] = grants_to(a, out);
    for (uint32_t in = 0; in < a->inputs; in++) {
        const uint32_t out = a->match[in] = accepts(a, in);
        if (out == NONE) continue;
        *a->to_out[in] = (out + 1) % a->outputs;
        *a->to_in[out] = (in + 1) % a->inputs;
    }
}

/* ---- VC allocation ---- */

static bool attempts(const oracle *w, uint32_t channel, uint64_t node) {
    const vc *c = &w->c[channel];
    return c->stage == ALLOCATES && c->start == w->now && end_of(w, channel / w->o->vcs) == node;
}

/* Requests, or (match) what came of them. */
static void ask_for_channels(oracle *w, uint64_t node, allocation *a, bool match) {
    const uint32_t vcs = w->o->vcs;
    for (uint32_t i = 0; i < w->channels; i++) {
        vc *c = &w->c[i];
        if (end_of(w, i / vcs) == node) a->to_out[input_number(w, i)] = &c->accept;
        if (start_of(w, i / vcs) == node) a->to_in[output_number(w, i)] = &c->grant;
        if (!attempts(w, i, node)) continue;
        const uint32_t in = input_number(w, i), first = c->link * vcs;
        if (match && a->match[in] != NONE) c->to = first + a->match[in] % vcs;
        for (uint32_t v = 0; v < vcs && !match; v++)
            a->request[in * a->outputs + output_number(w, first + v)] =
                may_take(w, first + v, c->queue[0].message);
    }
}

static void allocate_channels(oracle *w, uint64_t node) {
    allocation a = allocation_make(inputs_of(w, node) * w->o->vcs, outputs_of(w, node) * w->o->vcs);
    ask_for_channels(w, node, &a, false);
    allocate(&a);
    ask_for_channels(w, node, &a, true);
    allocation_fini(&a);
}

/* Attempts that end now, at the end of the cycle. free: what was free at its beginning. */
static void end_attempts(oracle *w, const bool *was_free) {
    for (uint32_t i = 0; i < w->channels; i++) {
        vc *c = &w->c[i];
        if (c->stage != ALLOCATES || c->start + w->s->vc_alloc != w->now + 1) continue;
        c->start = w->now + 1;
        if (c->to == NONE || !was_free[c->to]) {
            c->to = NONE;
            continue;
        }
        c->stage = SENDS;
        w->c[c->to].owner = i;
        w->c[c->to].ended = false;
    }
}

/* ---- switch allocation ---- */

static bool can_leave(const oracle *w, const vc *c) {
    return c->stage == SENDS && c->start == w->now && c->count && w->c[c->to].credits;
}

/* Whether a head that is in VC allocation asks for its output too. */
static bool speculates(const oracle *w, const vc *c) {
    bool any = false;
    if (!w->s->speculative || c->stage != ALLOCATES || c->start != w->now) return false;
    for (uint32_t v = 0; v < w->o->vcs; v++) {
        const uint32_t to = c->link * w->o->vcs + v;
        any |= may_take(w, to, c->queue[0].message) && w->c[to].credits;
    }
    return any;
}

/* The output that a channel requests of the allocator `kind`: 0, or 1 for speculative requests. */
static uint32_t wants(const oracle *w, uint32_t channel, int kind) {
    const vc *c = &w->c[channel];
    if (kind) return speculates(w, c) ? w->p[c->link].output : NONE;
    return can_leave(w, c) ? w->p[c->to / w->o->vcs].output : NONE;
}

static void ask_for_switch(oracle *w, uint64_t node, allocation *a, int kind) {
    for (uint32_t l = 0; l < w->links; l++) {
        if (start_of(w, l) == node) a->to_in[w->p[l].output] = &w->p[l].grant[kind];
        if (end_of(w, l) != node) continue;
        a->to_out[w->p[l].input] = &w->p[l].accept[kind];
        for (uint32_t v = 0; v < w->o->vcs; v++) {
            const uint32_t out = wants(w, l * w->o->vcs + v, kind);
            if (out != NONE) a->request[w->p[l].input * a->outputs + out] = true;
        }
    }
    allocate(a);
}

static uint32_t channel_that_sends(oracle *w, uint32_t link, uint32_t out, int kind) {
    port *p = &w->p[link];
    for (uint32_t k = 0; k < w->o->vcs; k++) {
        const uint32_t v = (p->last + k) % w->o->vcs;
        if (wants(w, link * w->o->vcs + v, kind) != out) continue;
        p->last = (v + 1) % w->o->vcs;
        return link * w->o->vcs + v;
    }
    fail();
    return NONE;
}

static void win(oracle *w, uint32_t channel, int kind) {
    vc *c = &w->c[channel];
    if (kind) {
        c->early = true;
        return;
    }
    c->stage = LEAVES;
    c->start = w->now + w->s->switch_alloc - 1;
}

static void allocate_switch(oracle *w, uint64_t node) {
    const uint32_t inputs = inputs_of(w, node), outputs = outputs_of(w, node);
    allocation a[2] = {allocation_make(inputs, outputs), allocation_make(inputs, outputs)};
    bool *busy = zeros(outputs, sizeof *busy);
    for (int kind = 0; kind < 2; kind++) ask_for_switch(w, node, &a[kind], kind);
    for (uint32_t in = 0; in < inputs; in++)
        if (a[0].match[in] != NONE) busy[a[0].match[in]] = true;
    for (uint32_t l = 0; l < w->links; l++) {
        if (end_of(w, l) != node) continue;
        const uint32_t first = a[0].match[w->p[l].input], second = a[1].match[w->p[l].input];
        if (first != NONE)
            win(w, channel_that_sends(w, l, first, 0), 0);
        else if (second != NONE && !busy[second])
            win(w, channel_that_sends(w, l, second, 1), 1);
    }
    free(busy);
    for (int kind = 0; kind < 2; kind++) allocation_fini(&a[kind]);
}

static void leave_all(oracle *w) {
    for (uint32_t i = 0; i < w->channels; i++) {
        vc *c = &w->c[i];
        if (c->stage == LEAVES && c->start == w->now)
            leave(w, i);
        else if (c->stage == SENDS && c->start == w->now)
            c->start += w->s->switch_alloc;
    }
}

static void leave_early(oracle *w) {
    for (uint32_t i = 0; i < w->channels; i++) {
        vc *c = &w->c[i];
        if (c->early && c->stage == SENDS && w->c[c->to].credits) leave(w, i);
        c->early = false;
    }
}

static void release(oracle *w) {
    for (uint32_t i = 0; i < w->channels; i++) {
        if (w->c[i].released) w->c[i].owner = NONE;
        w->c[i].released = false;
    }
}

/* ---- a run ---- */

static void cycle(oracle *w, bough_source *source) {
    bool *was_free = zeros(w->channels, sizeof *was_free);
    wires(w, false);
    wires(w, true);
    take_messages(w, source);
    for (uint32_t i = 0; i < w->channels; i++) was_free[i] = w->c[i].owner == NONE;
    for (uint32_t e = 0; e < w->net->endpoints; e++) send_from(w, e);
    routes(w);
    for (uint64_t n = w->net->endpoints; n < w->net->nodes; n++) {
        allocate_channels(w, n);
        allocate_switch(w, n);
    }
    leave_all(w);
    end_attempts(w, was_free);
    leave_early(w);
    release(w);
    free(was_free);
}

static void number_ports(oracle *w) {
    for (uint32_t l = 0; l < w->links; l++)
        for (uint32_t k = 0; k < l; k++) {
            w->p[l].input += end_of(w, k) == end_of(w, l);
            w->p[l].output += start_of(w, k) == start_of(w, l);
        }
}

static void open(oracle *w, uint32_t messages) {
    w->c = zeros(w->channels, sizeof *w->c);
    w->p = zeros(w->links, sizeof *w->p);
    w->from = zeros(w->net->endpoints, sizeof *w->from);
    for (uint32_t i = 0; i < w->channels; i++) {
        w->c[i].queue = zeros(w->o->buffer, sizeof(flit));
        w->c[i].credits = w->o->buffer;
        w->c[i].owner = w->c[i].to = NONE;
    }
    for (uint32_t e = 0; e < w->net->endpoints; e++) {
        w->from[e].message = zeros(messages, sizeof(uint32_t));
        w->from[e].link = w->from[e].channel = NONE;
    }
    number_ports(w);
}

static void shut(oracle *w) {
    for (uint32_t i = 0; i < w->channels; i++) free(w->c[i].queue);
    for (uint32_t e = 0; e < w->net->endpoints; e++) free(w->from[e].message);
    free(w->c);
    free(w->p);
    free(w->from);
    free(w->wire);
}

void router_run(const router_case *q, bough_source *source, router_result *result) {
    oracle w = {.routing = q->routing,
                .net = q->routing->net,
                .o = &q->options,
                .s = &q->stages,
                .key = q->key,
                .links = (uint32_t)q->routing->net->links,
                .r = result};
    w.channels = w.links * w.o->vcs;
    *result = (router_result){.fate = zeros(q->messages, sizeof *result->fate),
                              .count = q->messages,
                              .grants = zeros(w.links, 8),
                              .waited = zeros(w.links, 8),
                              .crossed = zeros(w.links, 8)};
    open(&w, q->messages);
    for (; w.arrived < q->messages && w.now < LIMIT; w.now++) cycle(&w, source);
    assert_int_equal(w.arrived, q->messages);
    result->cycles = w.now;
    shut(&w);
}

void router_result_fini(router_result *r) {
    free(r->fate);
    free(r->grants);
    free(r->waited);
    free(r->crossed);
}
