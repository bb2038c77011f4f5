/* Implements ranks.h at constant cost per operation.
 *
 * An operation that cannot get its CPU or NIC waits in a queue of (CPU, resource): computations, sends of a
 * NIC, messages received by a NIC. (Messages within an endpoint use no NIC and wait with the computations.) A
 * CPU is woken when the first of them can get its resource. The wake-up is an event with the sequence number
 * of that operation, so it has the same place in the total order as if the operation retried. Wake-ups that
 * became too early or too late are stale; they stay in the heap and are ignored.
 *
 * Queues are in order of sequence numbers. Usually a new entry has the largest number and is appended to a
 * list; others (networks reorder messages) go to a skew heap beside it. */
#include "traffic/schedules/cpu_queues.h"

#define RECORDED(m) __builtin_expect((m)->seen != NULL, 0)
#define COLD        __attribute__((cold, noinline))

/* ---- events ---- */

static void push(rank_engine *m, uint64_t time, uint32_t sequence, uint32_t what) {
    if (time > RANKS_TIME_MAX) {
        m->late = true;
        return;
    }
    if (!m->status) m->status = event_lanes_put(&m->events, lane_event_of(time, sequence, what), &m->error);
}

static inline uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

typedef struct choice {
    uint64_t time;
    uint32_t sequence, line;
} choice;

static inline void consider(const rank_engine *m, const waiters *l, uint64_t from, uint32_t line,
                            choice *best) {
    uint32_t o = line_first(m, l);
    if (o == NOBODY) return;
    uint32_t sequence = m->op[o].sequence;
    if (from < best->time || (from == best->time && sequence < best->sequence))
        *best = (choice){from, sequence, line};
}

/* Sets the next wake-up of a CPU. */
static void set_wake(rank_engine *m, uint32_t rank, uint32_t which) {
    uint32_t c = rank * m->cpus + which;
    cpu *p = cpu_at(m, c);
    const nic *n = &m->nic[(size_t)rank * m->nics];
    choice best = {NEVER, NOBODY, ALONE};
    consider(m, &p->alone, p->free, ALONE, &best);
    for (uint32_t i = 0; i < m->nics; i++) {
        consider(m, &p->io[2 * i], later(p->free, n[i].sent), 2 * i, &best);
        consider(m, &p->io[2 * i + 1], later(p->free, n[i].received), 2 * i + 1, &best);
    }
    p->wake_line = best.line;
    if (best.time == p->wake && best.sequence == p->wake_sequence) return;
    p->wake = best.time;
    p->wake_sequence = best.sequence;
    if (best.time != NEVER) push(m, best.time, best.sequence, WAKE | c);
}

/* ---- operations that become ready ---- */

/* by: the operation that ended << 1, or that started << 1 | 1. */
static inline void release(rank_engine *m, uint32_t o, uint32_t by, uint64_t ready) {
    operation *p = &m->op[o];
    if (RECORDED(m) && ready >= p->ready) m->seen->op[o].after = by;
    if (ready > p->ready) p->ready = ready;
    if (--p->waits == 0) m->freed[m->frees++] = o;
}

static inline void release_followers(rank_engine *m, uint32_t o, bool started, uint64_t time) {
    const operation *p = &m->op[o];
    uint32_t one = p->then;
    if (p->many) {
        const uint32_t *f = &m->list[p->then], *last = f + *f;
        while (f++ < last)
            if ((*f & 1) == started) release(m, *f >> 1, o << 1 | started, time);
    } else if (one != NOBODY && (one & 1) == started) {
        release(m, one >> 1, o << 1 | started, time);
    }
}

static inline void release_started(rank_engine *m, uint32_t o, uint64_t time) {
    if (m->starts) release_followers(m, o, true, time);
}

static void release_ended(rank_engine *m, uint32_t rank, uint32_t o, uint64_t time) {
    m->t.ended++;
    if (time > m->end[rank]) m->end[rank] = time;
    if (RECORDED(m)) m->seen->op[o].end = time;
    release_followers(m, o, false, time);
}

/* The time from which the side of the NIC that an operation of a rank (or a message to it) needs is free. */
static inline uint64_t nic_free(const rank_engine *m, uint32_t rank, uint32_t o, bool message) {
    const operation *op = &m->op[o];
    const nic *n = &m->nic[(size_t)rank * m->nics + op->nic];
    if (op->kind == BOUGH_OP_CALC || ranks_inside(m, o)) return 0;
    return message ? n->received : n->sent;
}

/* Adds an operation to a queue and ensures that its CPU wakes up. */
static void stand(rank_engine *m, uint32_t rank, uint32_t o, bool message) {
    const operation *op = &m->op[o];
    uint32_t c = rank * m->cpus + op->cpu;
    cpu *p = cpu_at(m, c);
    bool alone = op->kind == BOUGH_OP_CALC || ranks_inside(m, o);
    if (message) fetch_receive(m, o);
    bool first = line_join(m, alone ? &p->alone : &p->io[op->nic * 2 + message], o);
    if (first && c != m->busy) set_wake(m, rank, op->cpu);
}

/* Starts an operation without remaining dependencies: it is queued, or tries when it is ready. */
static void place(rank_engine *m, uint32_t rank, uint32_t o) {
    operation *op = &m->op[o];
    uint64_t ready = later(m->now, op->ready), from = cpu_at(m, rank * m->cpus + op->cpu)->free;
    op->sequence = m->sequence++;
    if (op->kind == BOUGH_OP_RECV) {
        push(m, later(ready, from), op->sequence, o);
        return;
    }
    from = later(from, nic_free(m, rank, o, false));
    if (from > m->now && from >= ready)
        stand(m, rank, o, false);
    else
        push(m, ready, op->sequence, o);
}

/* Processes the operations of a rank that the current event made ready: sends, receives, calcs. */
static void settle_some(rank_engine *m, uint32_t rank, uint32_t first, uint32_t end) {
    if (end - first == 1) {
        place(m, rank, m->freed[first]);
        return;
    }
    for (unsigned kind = BOUGH_OP_SEND; kind <= BOUGH_OP_CALC && first < end; kind++)
        for (uint32_t i = first; i < end; i++)
            if (m->op[m->freed[i]].kind == kind) place(m, rank, m->freed[i]);
}

static void settle(rank_engine *m, uint32_t rank) {
    uint32_t count = m->frees;
    m->frees = 0;
    settle_some(m, rank, 0, count);
}

/* An event ends operations of at most two ranks; those of the lower rank are processed first. */
static void settle_both(rank_engine *m, uint32_t a, uint32_t of_a, uint32_t b) {
    uint32_t count = m->frees;
    if (a == b) {
        settle(m, a);
        return;
    }
    m->frees = 0;
    if (a < b) settle_some(m, a, 0, of_a);
    settle_some(m, b, of_a, count);
    if (b < a) settle_some(m, a, 0, of_a);
}

/* ---- channels ---- */

static uint32_t *next_of(rank_engine *m, uint32_t o, unsigned kind) {
    return kind ? &m->also[o][kind - 1] : &m->op[o].link[0];
}

static uint32_t channel_of(const rank_engine *m, uint32_t o, unsigned kind) {
    return kind ? m->match->also[o][kind - 1] : m->op[o].channel;
}

/* The receive that matches a message: the earliest posted one that waits. */
static uint32_t take_receive(rank_engine *m, uint32_t message) {
    channel *best = NULL;
    for (unsigned kind = 0; kind < (m->also ? 4 : 1); kind++) {
        uint32_t c = channel_of(m, message, kind);
        if (c == MATCH_NONE) continue;
        channel *have = &m->channel[c];
        if (have->head == NOBODY || !(have->head & RECEIVES)) continue;
        if (!best || m->op[have->head & ~RECEIVES].link[1] < m->op[best->head & ~RECEIVES].link[1])
            best = have;
    }
    if (!best) return NOBODY;
    uint32_t o = best->head & ~RECEIVES, next = m->op[o].link[0];
    best->head = next == NOBODY ? NOBODY : next | RECEIVES;
    return o;
}

static void join(rank_engine *m, channel *c, uint32_t o, unsigned kind, uint32_t flag) {
    *next_of(m, o, kind) = NOBODY;
    if (c->head == NOBODY)
        c->head = o | flag;
    else
        *next_of(m, c->tail, kind) = o;
    c->tail = o;
}

static void leave_message(rank_engine *m, uint32_t message) {
    for (unsigned kind = 0; kind < (m->also ? 4 : 1); kind++) {
        uint32_t c = channel_of(m, message, kind);
        if (c != MATCH_NONE) join(m, &m->channel[c], message, kind, 0);
    }
}

/* The earliest message that a receive may take. Messages taken by receives of other channels are removed from
 * the list here. */
static uint32_t take_message(rank_engine *m, uint32_t recv) {
    channel *c = &m->channel[m->op[recv].channel];
    unsigned kind = m->op[recv].wild;
    while (!(c->head & RECEIVES)) { /* also ends at NOBODY */
        uint32_t o = c->head;
        c->head = *next_of(m, o, kind);
        if (m->op[o].state == HERE) return o;
    }
    return NOBODY;
}

/* ---- execution ---- */

static uint64_t times(uint64_t cost, uint64_t size) {
    return size > 1 ? cost * (size - 1) : 0; /* workload_check excludes overflow */
}

/* Occupies CPU c for a duration; finish() follows. The preceding idle time is attributed to the label. */
static void occupy(rank_engine *m, uint32_t c, uint64_t lasts, uint8_t label, bool overhead) {
    ranks_time *t = &m->t.time[label];
    cpu *p = cpu_at(m, c);
    m->busy = c;
    if (m->now > p->free && (!m->s->streams || c % m->cpus == 0)) t->wait += m->now - p->free;
    *(overhead ? &t->overhead : &t->compute) += lasts;
    p->free = m->now + lasts;
    p->send = NOBODY;
}

static void finish(rank_engine *m, uint32_t rank, uint8_t which) {
    m->busy = NOBODY;
    set_wake(m, rank, which);
}

/* ---- the record of a trial, out of the way of trials without one ---- */

static COLD void see_start(rank_engine *m, uint32_t c, uint32_t o) {
    timeline_start(m->seen, c, o, m->now, cpu_at(m, c)->free);
}

/* A send and its message, whose arrival a network reports later. */
static COLD void see_send(rank_engine *m, uint32_t c, uint32_t o, uint64_t leaves) {
    timeline_op *p = &m->seen->op[o];
    see_start(m, c, o);
    p->inside = ranks_inside(m, o);
    p->left = leaves;
    p->arrived = p->inside ? leaves : m->network ? NEVER : leaves + m->host.L;
}

static COLD void see_message(rank_engine *m, uint32_t c, uint32_t o) {
    timeline_take(m->seen, c, o, m->now, cpu_at(m, c)->free);
}

static COLD void see_post(rank_engine *m, uint32_t rank, uint32_t o) {
    timeline_post(m->seen, rank * m->cpus + m->op[o].cpu, o, m->now);
}

static COLD void see_match(rank_engine *m, uint32_t recv, uint32_t message) {
    m->seen->op[recv].partner = message;
    m->seen->op[message].partner = recv;
}

/* ---- operations ---- */

static void do_calc(rank_engine *m, uint32_t rank, uint32_t o) {
    operation *op = &m->op[o];
    uint32_t c = rank * m->cpus + op->cpu;
    cpu *p = cpu_at(m, c);
    occupy(m, c, m->varies ? compute_time(&m->times, rank, o) : size_of(m, o) * 1000, op->label, false);
    op->state = ENDED;
    if (RECORDED(m)) see_start(m, c, o);
    release_started(m, o, m->now);
    release_ended(m, rank, o, p->free);
    settle(m, rank);
    finish(m, rank, op->cpu);
}

static departures *out_of(const rank_engine *m, uint32_t rank) {
    if (rank >= m->hosts) return &m->out[0];
    return &m->out[1 + (m->w->job_host ? m->out_of[m->w->job_of[rank]] : 0)];
}

static void depart(rank_engine *m, uint32_t rank, uint32_t o, uint64_t time) {
    departures *out = out_of(m, rank);
    if (out->count == out->capacity) {
        size_t capacity = out->capacity, grown = capacity;
        if (!m->status)
            m->status = bough_grow(&out->entry, &grown, capacity + 1, sizeof *out->entry, &m->error);
        if (m->status) return;
        for (size_t i = 0; i < out->first; i++) out->entry[(capacity + i) % grown] = out->entry[i];
        out->capacity = grown;
    }
    out->entry[(out->first + out->count++) % out->capacity] = (departure){time, o};
}

/* Whether a route remains between the endpoints of two ranks. */
static bool connected(const rank_engine *m, uint32_t from, uint32_t to) {
    const uint32_t *endpoint = m->w->endpoint;
    return m->net->ops->reaches(m->net, endpoint[from], bough_endpoint_address(m->net, endpoint[to]));
}

static void lose(rank_engine *m, uint32_t from, uint32_t send) {
    if (!m->t.unrouted++) m->t.lost_from = from, m->t.lost_to = m->op[send].peer;
    if (RECORDED(m)) m->seen->op[send].arrived = NEVER;
}

static void do_send(rank_engine *m, uint32_t rank, uint32_t o) {
    operation *op = &m->op[o];
    uint32_t c = rank * m->cpus + op->cpu;
    cpu *p = cpu_at(m, c);
    nic *n = &m->nic[(size_t)rank * m->nics + op->nic];
    bool stays = ranks_inside(m, o);
    const bough_host *host = host_of(m, rank);
    uint64_t leaves = m->now + host->o, size = size_of(m, o);
    occupy(m, c, host->o + times(host->O, size), op->label, true);
    p->send = o;
    if (!stays) n->sent = m->now + host->g + (m->network ? 0 : times(host->G, size));
    fetch_soon(m, o);
    op->state = LEFT;
    op->sequence = m->sequence++;
    if (RECORDED(m)) see_send(m, c, o, leaves);
    release_started(m, o, m->now);
    if (m->disconnects && !stays && !connected(m, rank, op->peer))
        lose(m, rank, o);
    else if (stays || !m->network)
        push(m, leaves + (stays ? 0 : m->host.L), op->sequence, o);
    else
        depart(m, rank, o, leaves);
    fetch_channel(m, op->channel);
    if (!ranks_rendezvous(m, o, size)) release_ended(m, rank, o, p->free);
    settle(m, rank);
    finish(m, rank, op->cpu);
}

/* Matches a receive with a message; the CPU has processed it at `done`. */
static void meet(rank_engine *m, uint32_t rank, uint32_t recv, uint32_t message, uint64_t done) {
    uint64_t size = size_of(m, message), sent = m->now;
    uint32_t from = rank;
    m->t.messages++;
    m->t.bytes += size;
    m->op[recv].state = m->op[message].state = ENDED;
    if (RECORDED(m)) see_match(m, recv, message);
    if (ranks_rendezvous(m, message, size)) {
        from = m->match->rank[message];
        const cpu *p = host_of(m, from)->O ? cpu_at(m, from * m->cpus + m->op[message].cpu) : NULL;
        if (p && p->send == message) sent = later(sent, p->free); /* the CPU may still be occupied */
        if (from == rank) release_ended(m, rank, message, sent);
    }
    release_ended(m, rank, recv, done);
    uint32_t of_rank = m->frees;
    if (from != rank) release_ended(m, from, message, sent);
    settle_both(m, rank, of_rank, from);
}

/* Stores the time at which the CPU has processed a message without a receive, in two unused fields. */
static void set_done(rank_engine *m, uint32_t message, uint64_t time) {
    m->op[message].sequence = (uint32_t)(time >> 32);
    m->op[message].link[1] = (uint32_t)time;
}

static uint64_t done_of(const rank_engine *m, uint32_t message) {
    return (uint64_t)m->op[message].sequence << 32 | m->op[message].link[1];
}

static void do_message(rank_engine *m, uint32_t o) {
    operation *op = &m->op[o];
    uint32_t rank = op->peer, recv = take_receive(m, o);
    uint32_t c = rank * m->cpus + op->cpu;
    cpu *p = cpu_at(m, c);
    nic *n = &m->nic[(size_t)rank * m->nics + op->nic];
    bool stays = ranks_inside(m, o);
    const bough_host *host = host_of(m, rank);
    uint64_t size = size_of(m, o), O = times(host->O, size);
    uint64_t G = stays || m->network ? 0 : times(host->G, size);
    uint8_t label = recv != NOBODY ? m->op[recv].label : op->label;
    occupy(m, c, host->o + later(O, G), label, true);
    if (!stays) n->received = m->now + host->g + G;
    if (RECORDED(m)) see_message(m, c, o);
    if (recv != NOBODY) {
        meet(m, rank, recv, o, p->free);
    } else {
        op->state = HERE;
        leave_message(m, o);
        set_done(m, o, p->free);
    }
    finish(m, rank, op->cpu);
}

static void do_post(rank_engine *m, uint32_t rank, uint32_t o) {
    uint32_t message = take_message(m, o);
    if (RECORDED(m)) see_post(m, rank, o);
    release_started(m, o, m->now);
    if (message != NOBODY) {
        meet(m, rank, o, message, later(m->now, done_of(m, message)));
        return;
    }
    m->op[o].state = POSTED;
    join(m, &m->channel[m->op[o].channel], o, 0, RECEIVES);
    m->op[o].link[1] = m->posted++;
    settle(m, rank);
}

/* ---- events ---- */

static void try_op(rank_engine *m, uint32_t rank, uint32_t o) {
    const operation *op = &m->op[o];
    if (op->kind == BOUGH_OP_RECV)
        do_post(m, rank, o);
    else if (cpu_at(m, rank * m->cpus + op->cpu)->free > m->now || nic_free(m, rank, o, false) > m->now)
        stand(m, rank, o, false);
    else if (op->kind == BOUGH_OP_SEND)
        do_send(m, rank, o);
    else
        do_calc(m, rank, o);
}

static void try_message(rank_engine *m, uint32_t o) {
    uint32_t rank = m->op[o].peer;
    if (cpu_at(m, rank * m->cpus + m->op[o].cpu)->free > m->now || nic_free(m, rank, o, true) > m->now)
        stand(m, rank, o, true);
    else
        do_message(m, o);
}

/* The time at which the first entry of a queue can get its resource. */
static inline uint64_t line_from(const cpu *p, const nic *n, uint32_t line) {
    if (line == ALONE) return p->free;
    return later(p->free, line % 2 ? n[line / 2].received : n[line / 2].sent);
}

static void wake(rank_engine *m, uint32_t c, uint32_t sequence) {
    cpu *p = cpu_at(m, c);
    if (p->wake != m->now || p->wake_sequence != sequence) return; /* stale */
    uint32_t rank = m->cpus == 1 ? c : c / m->cpus, which = c - rank * m->cpus, line = p->wake_line;
    p->wake = NEVER;
    if (line_from(p, &m->nic[(size_t)rank * m->nics], line) > m->now) { /* another CPU uses the NIC */
        set_wake(m, rank, which);
        return;
    }
    uint32_t o = line_leave(m, line == ALONE ? &p->alone : &p->io[line]);
    if (m->op[o].kind == BOUGH_OP_CALC)
        do_calc(m, rank, o);
    else if (m->op[o].state == LEFT)
        do_message(m, o);
    else
        do_send(m, rank, o);
}

/* Prefetches for the following events of a lane: first the operations they refer to, then their data. */
BOUGH_FETCHES void fetch_ahead(const rank_engine *m, unsigned lane) {
    enum { FAR = 16, NEAR = 8, NEXT = 4 };
    const uint32_t next = event_lanes_ahead(&m->events, lane, NEXT);
    if (next == EVENT_NOTHING) return;
    if (next & WAKE)
        fetch_after_heads(m, cpu_at(m, next & ~WAKE));
    else if (m->op[next].state == LEFT)
        fetch_receive(m, next);
    const uint32_t near = event_lanes_ahead(&m->events, lane, NEAR);
    if (near == EVENT_NOTHING) return;
    if (near & WAKE)
        fetch_heads(m, cpu_at(m, near & ~WAKE));
    else
        fetch_named(m, &m->op[near]);
    const uint32_t far = event_lanes_ahead(&m->events, lane, FAR);
    if (far == EVENT_NOTHING) return;
    if (far & WAKE)
        __builtin_prefetch(cpu_at(m, far & ~WAKE), 1);
    else
        fetch_op(m, far);
}

static void handle(rank_engine *m, unsigned lane) {
    lane_event e = event_lanes_pop(&m->events, lane);
    uint32_t o = lane_event_what(e);
    m->now = e.time;
    fetch_ahead(m, lane);
    if (o & WAKE) {
        wake(m, o & ~WAKE, lane_event_sequence(e));
        return;
    }
    const operation *op = &m->op[o];
    if (op->state == LEFT)
        try_message(m, o);
    else
        try_op(m, op->kind == BOUGH_OP_SEND ? m->match->rank[o] : op->peer, o);
}

/* Starts all operations without dependencies at time 0, with the lowest sequence numbers. */
static void begin(rank_engine *m) {
    m->begun = true;
    m->now = 0;
    m->sequence = m->start_first[m->s->ranks];
    uint32_t sequence = 0;
    for (const rank_span *span = m->only; span < m->only + 2; span++)
        for (uint32_t r = span->first; r < span->end; r++)
            for (uint32_t i = m->start_first[r]; i < m->start_first[r + 1]; i++) {
                m->op[m->start[i]].sequence = sequence++;
                try_op(m, r, m->start[i]);
            }
}

/* NEVER: nothing leaves. */
static uint64_t leaves_at(const departures *out) {
    return out->count ? out->entry[out->first].time : NEVER;
}

/* Those of which one leaves first. */
static unsigned first_out(const rank_engine *m) {
    unsigned first = 1;
    if (leaves_at(&m->out[0]) < leaves_at(&m->out[1])) first = 0;
    for (unsigned i = 2; i < m->outs; i++)
        if (leaves_at(&m->out[i]) < leaves_at(&m->out[first])) first = i;
    return first;
}

uint64_t ranks_next(const rank_engine *m) {
    if (m->status) return NEVER;
    if (!m->begun) return m->s->ops ? 0 : NEVER;
    const uint64_t event = m->events.head[event_lanes_next(&m->events)].time,
                   leaves = leaves_at(&m->out[first_out(m)]);
    return event < leaves ? event : leaves;
}

void ranks_run(rank_engine *m, uint64_t until) {
    if (!m->begun) begin(m);
    for (unsigned lane; !m->status && m->events.count; handle(m, lane)) {
        lane = event_lanes_next(&m->events);
        if (m->events.head[lane].time > until) return;
    }
}

bool ranks_go(rank_engine *m, uint64_t events) {
    if (!m->begun) begin(m);
    for (; events && m->events.count && !m->status; events--) handle(m, event_lanes_next(&m->events));
    return m->events.count && !m->status;
}

bool ranks_depart(rank_engine *m, uint64_t until, uint32_t *op, uint64_t *time) {
    departures *out = &m->out[first_out(m)];
    if (!out->count || out->entry[out->first].time > until) return false;
    *op = out->entry[out->first].op;
    *time = out->entry[out->first].time;
    out->first = (out->first + 1) % out->capacity;
    out->count--;
    return true;
}

void ranks_arrive(rank_engine *m, uint32_t o, uint64_t time) {
    if (RECORDED(m)) m->seen->op[o].arrived = time;
    push(m, time, m->op[o].sequence, o);
}
