/* How ranks.h is done at a constant cost an operation.
 *
 * An operation that cannot have its CPU or NIC stands in the line of (CPU, what it wants): computations,
 * sends of a NIC, messages that came in by a NIC. (What stays within an endpoint wants no NIC, and stands
 * with the computations.) A CPU is woken when the first of them can have what it
 * wants; its wake-up is an event with that one's number, so that it stands in the total order as if it tried
 * again by itself. A wake-up that turned out to be too early, or too late, is stale: it is left in the heap,
 * and recognised.
 *
 * Lines are in order of sequence numbers. Mostly who comes has the largest number of them, and is put at the
 * end of a list; who does not (networks change the order of messages) goes to a skew heap beside it. */
#include "traffic/ranks_lines.h"

/* ---- events ---- */

static void push(rank_engine *m, uint64_t time, uint32_t sequence, uint32_t what) {
    if (time > RANKS_TIME_MAX) {
        m->late = true;
        return;
    }
    if (m->events.count == m->events.capacity && !m->status)
        m->status = bough_grow(&m->events.entry, &m->events.capacity, m->events.count + 1,
                               sizeof *m->events.entry, &m->error);
    if (!m->status) rank_events_push(&m->events, (rank_event){time, sequence, what});
}

static inline void consider(const rank_engine *m, const waiters *l, uint64_t from, uint64_t *time,
                            uint32_t *sequence) {
    uint32_t o = line_first(m, l);
    if (o == NOBODY) return;
    if (from > *time || (from == *time && m->op[o].sequence > *sequence)) return;
    *time = from;
    *sequence = m->op[o].sequence;
}

static inline uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* When the CPU has something to do next, and for whom. */
static void set_wake(rank_engine *m, uint32_t rank, uint32_t which) {
    uint32_t c = rank * m->cpus + which, sequence = NOBODY;
    cpu *p = &m->cpu[c];
    const nic *n = &m->nic[(size_t)rank * m->nics];
    const waiters *l = &m->io[(size_t)c * m->nics * 2];
    uint64_t time = NEVER;
    consider(m, &p->alone, p->free, &time, &sequence);
    for (unsigned i = 0; i < m->nics; i++, n++, l += 2) {
        consider(m, &l[0], later(p->free, n->sent), &time, &sequence);
        consider(m, &l[1], later(p->free, n->received), &time, &sequence);
    }
    if (time == p->wake && sequence == p->wake_sequence) return;
    p->wake = time;
    p->wake_sequence = sequence;
    if (time != NEVER) push(m, time, sequence, WAKE | c);
}

/* ---- operations that become ready ---- */

static void release(rank_engine *m, uint32_t o, uint64_t ready) {
    operation *p = &m->op[o];
    if (ready > p->ready) p->ready = ready;
    if (--p->waits == 0) m->freed[m->frees++] = o;
}

static void tell_started(rank_engine *m, uint32_t o, uint64_t time) {
    const bough_schedule *s = m->s;
    if (!m->starts) return;
    for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++)
        if (s->follower[f] & 1) release(m, s->follower[f] >> 1, time);
}

static void tell_ended(rank_engine *m, uint32_t rank, uint32_t o, uint64_t time) {
    const bough_schedule *s = m->s;
    m->t.ended++;
    if (time > m->end[rank]) m->end[rank] = time;
    for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++)
        if (!(s->follower[f] & 1)) release(m, s->follower[f] >> 1, time);
}

/* Since when the side of the NIC that an operation of a rank (or a message to it) wants is free. */
static inline uint64_t nic_free(const rank_engine *m, uint32_t rank, uint32_t o, bool message) {
    const bough_op *op = &m->s->op[o];
    const nic *n = &m->nic[(size_t)rank * m->nics + op->nic];
    if (op->kind == BOUGH_OP_CALC || ranks_inside(m, o)) return 0;
    return message ? n->received : n->sent;
}

/* Gets into line, and sees to it that the CPU wakes up. */
static void stand(rank_engine *m, uint32_t rank, uint32_t o, bool message) {
    const bough_op *op = &m->s->op[o];
    uint32_t c = rank * m->cpus + op->cpu;
    bool alone = op->kind == BOUGH_OP_CALC || ranks_inside(m, o);
    if (message) fetch_receive(m, o);
    line_join(m, alone ? &m->cpu[c].alone : &m->io[((size_t)c * m->nics + op->nic) * 2 + message], o);
    set_wake(m, rank, op->cpu);
}

/* An operation that waits for no other: it stands in line, or tries when it is ready. */
static void place(rank_engine *m, uint32_t rank, uint32_t o) {
    const bough_op *op = &m->s->op[o];
    cpu *p = &m->cpu[rank * m->cpus + op->cpu];
    uint64_t ready = later(m->now, m->op[o].ready), from = p->free;
    m->op[o].sequence = m->sequence++;
    if (op->kind == BOUGH_OP_RECV) {
        push(m, later(ready, from), m->op[o].sequence, o);
        return;
    }
    from = later(from, nic_free(m, rank, o, false));
    if (from > m->now && from >= ready)
        stand(m, rank, o, false);
    else
        push(m, ready, m->op[o].sequence, o);
}

/* Those that the event at hand made ready: of the lower rank first; sends, receives, calcs. An event ends
 * operations of two ranks at most. */
static void settle(rank_engine *m, uint32_t low, uint32_t high) {
    const bough_schedule *s = m->s;
    uint32_t count = m->frees;
    m->frees = 0;
    if (count == 0) return;
    if (count == 1) {
        uint32_t o = m->freed[0];
        place(m, o < s->first[low + 1] && o >= s->first[low] ? low : high, o);
        return;
    }
    for (unsigned side = 0; side <= (low != high); side++) {
        uint32_t rank = side ? high : low;
        for (unsigned kind = BOUGH_OP_SEND; kind <= BOUGH_OP_CALC; kind++)
            for (uint32_t i = 0; i < count; i++) {
                uint32_t o = m->freed[i];
                if (s->op[o].kind == kind && o >= s->first[rank] && o < s->first[rank + 1]) place(m, rank, o);
            }
    }
}

/* ---- channels ---- */

static uint32_t *next_of(rank_engine *m, uint32_t o, unsigned kind) {
    return kind ? &m->also[o][kind - 1] : &m->op[o].link[0];
}

static uint32_t channel_of(const rank_engine *m, uint32_t o, unsigned kind) {
    return kind ? m->match->also[o][kind - 1] : m->match->channel[o];
}

/* The receive that takes a message: of those that wait the one that was posted first. */
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

/* Which of a message's channels a receive looks in. */
static unsigned kind_of(const bough_op *recv) {
    bool any_rank = recv->peer == BOUGH_ANY_RANK, any_tag = recv->tag == BOUGH_ANY_TAG;
    return any_rank && any_tag ? 3 : any_tag ? 2 : any_rank;
}

/* The message that came first of those a receive may take. Those that another channel's receive took are
 * still in the list, and leave it here. */
static uint32_t take_message(rank_engine *m, uint32_t recv) {
    channel *c = &m->channel[m->match->channel[recv]];
    unsigned kind = kind_of(&m->s->op[recv]);
    while (!(c->head & RECEIVES)) { /* nor NOBODY */
        uint32_t o = c->head;
        c->head = *next_of(m, o, kind);
        if (m->op[o].waits == HERE) return o;
    }
    return NOBODY;
}

/* ---- what operations do ---- */

static uint64_t times(uint64_t cost, uint64_t size) {
    return size > 1 ? cost * (size - 1) : 0; /* workload_check saw to it that it fits */
}

/* A CPU begins something that takes so long. Waiting is put down to what ends it. */
static void occupy(rank_engine *m, cpu *p, uint64_t lasts, uint8_t label, bool overhead) {
    ranks_time *t = &m->t.time[label];
    if (m->now > p->free) t->wait += m->now - p->free;
    *(overhead ? &t->overhead : &t->compute) += lasts;
    p->free = m->now + lasts;
}

static bool by_rendezvous(const rank_engine *m, const bough_op *op) {
    return m->host.S && op->size > m->host.S;
}

static void do_calc(rank_engine *m, uint32_t rank, uint32_t o) {
    const bough_op *op = &m->s->op[o];
    cpu *p = &m->cpu[rank * m->cpus + op->cpu];
    occupy(m, p, op->size * 1000, op->label, false);
    m->op[o].waits = ENDED;
    tell_started(m, o, m->now);
    tell_ended(m, rank, o, p->free);
    settle(m, rank, rank);
    set_wake(m, rank, op->cpu);
}

static void depart(rank_engine *m, uint32_t o, uint64_t time) {
    if (m->outs == m->out_capacity) {
        size_t capacity = m->out_capacity, grown = capacity;
        if (!m->status) m->status = bough_grow(&m->out, &grown, capacity + 1, sizeof *m->out, &m->error);
        if (m->status) return;
        for (size_t i = 0; i < m->out_first; i++) m->out[(capacity + i) % grown] = m->out[i];
        m->out_capacity = grown;
    }
    m->out[(m->out_first + m->outs++) % m->out_capacity] = (departure){time, o};
}

static void do_send(rank_engine *m, uint32_t rank, uint32_t o) {
    const bough_op *op = &m->s->op[o];
    cpu *p = &m->cpu[rank * m->cpus + op->cpu];
    nic *n = &m->nic[(size_t)rank * m->nics + op->nic];
    bool stays = ranks_inside(m, o);
    uint64_t leaves = m->now + m->host.o;
    occupy(m, p, m->host.o + times(m->host.O, op->size), op->label, true);
    if (!stays) n->sent = m->now + m->host.g + (m->network ? 0 : times(m->host.G, op->size));
    m->op[o].waits = LEFT;
    m->op[o].sequence = m->sequence++;
    tell_started(m, o, m->now);
    if (stays || !m->network)
        push(m, leaves + (stays ? 0 : m->host.L), m->op[o].sequence, o);
    else
        depart(m, o, leaves);
    if (m->match->channel[o] != MATCH_NONE) __builtin_prefetch(&m->channel[m->match->channel[o]], 1);
    if (!by_rendezvous(m, op)) tell_ended(m, rank, o, p->free);
    settle(m, rank, rank);
    set_wake(m, rank, op->cpu);
}

/* A receive has a message; the CPU is done with it at `done`. */
static void meet(rank_engine *m, uint32_t rank, uint32_t recv, uint32_t message, uint64_t done) {
    const bough_op *op = &m->s->op[message];
    uint32_t from = rank;
    m->t.messages++;
    m->t.bytes += op->size;
    m->op[recv].waits = m->op[message].waits = ENDED;
    if (by_rendezvous(m, op)) {
        from = m->match->rank[message];
        uint64_t busy = m->host.O ? m->cpu[from * m->cpus + op->cpu].free : 0; /* with O it may still be */
        tell_ended(m, from, message, later(m->now, busy));
    }
    tell_ended(m, rank, recv, done);
    settle(m, from < rank ? from : rank, from < rank ? rank : from);
}

/* When the CPU is done with a message that waits for a receive: in two halves, where nothing else is kept. */
static void set_done(rank_engine *m, uint32_t message, uint64_t time) {
    m->op[message].sequence = (uint32_t)(time >> 32);
    m->op[message].link[1] = (uint32_t)time;
}

static uint64_t done_of(const rank_engine *m, uint32_t message) {
    return (uint64_t)m->op[message].sequence << 32 | m->op[message].link[1];
}

static void do_message(rank_engine *m, uint32_t o) {
    const bough_op *op = &m->s->op[o];
    uint32_t rank = op->peer, recv = take_receive(m, o);
    cpu *p = &m->cpu[rank * m->cpus + op->cpu];
    nic *n = &m->nic[(size_t)rank * m->nics + op->nic];
    bool stays = ranks_inside(m, o);
    uint64_t G = stays || m->network ? 0 : times(m->host.G, op->size), O = times(m->host.O, op->size);
    uint8_t label = m->labels && recv != NOBODY ? m->s->op[recv].label : op->label;
    occupy(m, p, m->host.o + later(O, G), label, true);
    if (!stays) n->received = m->now + m->host.g + G;
    if (recv != NOBODY) {
        meet(m, rank, recv, o, p->free);
    } else {
        m->op[o].waits = HERE;
        leave_message(m, o);
        set_done(m, o, p->free);
    }
    set_wake(m, rank, op->cpu);
}

static void do_post(rank_engine *m, uint32_t rank, uint32_t o) {
    uint32_t message = take_message(m, o);
    tell_started(m, o, m->now);
    if (message != NOBODY) {
        meet(m, rank, o, message, later(m->now, done_of(m, message)));
        return;
    }
    m->op[o].waits = POSTED;
    join(m, &m->channel[m->match->channel[o]], o, 0, RECEIVES);
    m->op[o].link[1] = m->posted++;
    settle(m, rank, rank);
}

/* ---- events ---- */

static void try_op(rank_engine *m, uint32_t rank, uint32_t o) {
    const bough_op *op = &m->s->op[o];
    if (op->kind == BOUGH_OP_RECV)
        do_post(m, rank, o);
    else if (m->cpu[rank * m->cpus + op->cpu].free > m->now || nic_free(m, rank, o, false) > m->now)
        stand(m, rank, o, false);
    else if (op->kind == BOUGH_OP_SEND)
        do_send(m, rank, o);
    else
        do_calc(m, rank, o);
}

static void try_message(rank_engine *m, uint32_t o) {
    const bough_op *op = &m->s->op[o];
    uint32_t rank = op->peer;
    if (m->cpu[rank * m->cpus + op->cpu].free > m->now || nic_free(m, rank, o, true) > m->now)
        stand(m, rank, o, true);
    else
        do_message(m, o);
}

/* The first of those in line that can have what they want. */
static void wake(rank_engine *m, uint32_t c, uint32_t sequence) {
    cpu *p = &m->cpu[c];
    uint32_t rank = m->cpus == 1 ? c : c / m->cpus, which = c - rank * m->cpus;
    waiters *l = &m->io[(size_t)c * m->nics * 2], *best = NULL;
    const nic *n = &m->nic[(size_t)rank * m->nics];
    if (p->wake != m->now || p->wake_sequence != sequence) return; /* stale */
    p->wake = NEVER;
    if (p->free <= m->now && line_first(m, &p->alone) != NOBODY) best = &p->alone;
    for (unsigned i = 0; i < 2 * m->nics && p->free <= m->now; i++) {
        uint32_t o = line_first(m, &l[i]);
        if (o == NOBODY || (i % 2 ? n[i / 2].received : n[i / 2].sent) > m->now) continue;
        if (!best || m->op[o].sequence < m->op[line_first(m, best)].sequence) best = &l[i];
    }
    if (!best) {
        set_wake(m, rank, which);
        return;
    }
    uint32_t o = line_leave(m, best);
    if (m->s->op[o].kind == BOUGH_OP_CALC)
        do_calc(m, rank, o);
    else if (m->op[o].waits == LEFT)
        do_message(m, o);
    else
        do_send(m, rank, o);
}

static void fetch_next(const rank_engine *m) {
    if (!m->events.count) return;
    uint32_t what = m->events.entry[0].what;
    if (what & WAKE) {
        __builtin_prefetch(&m->cpu[what & ~WAKE], 1);
        __builtin_prefetch(&m->io[(size_t)(what & ~WAKE) * m->nics * 2], 1);
    } else {
        fetch_op(m, what);
    }
}

static void handle(rank_engine *m, rank_event e) {
    m->now = e.time;
    fetch_next(m);
    if (e.what & WAKE)
        wake(m, e.what & ~WAKE, e.sequence);
    else if (m->s->op[e.what].kind == BOUGH_OP_SEND && m->op[e.what].waits == LEFT)
        try_message(m, e.what);
    else
        try_op(m, m->match->rank[e.what], e.what);
}

/* What waits for nothing begins at time 0, and has the lowest numbers. */
static void begin(rank_engine *m) {
    const bough_schedule *s = m->s;
    uint32_t sequence = 0;
    m->begun = true;
    m->now = 0;
    m->sequence = m->initial;
    for (uint32_t r = m->only_first; r < m->only_end; r++)
        for (unsigned kind = BOUGH_OP_SEND; kind <= BOUGH_OP_CALC; kind++)
            for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++)
                if (s->waits[o] == 0 && s->op[o].kind == kind) {
                    m->op[o].sequence = sequence++;
                    try_op(m, r, o);
                }
}

uint64_t ranks_next(const rank_engine *m) {
    if (m->status) return NEVER;
    if (!m->begun) return m->s->ops ? 0 : NEVER;
    uint64_t next = m->events.count ? m->events.entry[0].time : NEVER;
    if (m->outs && m->out[m->out_first].time < next) next = m->out[m->out_first].time;
    return next;
}

void ranks_run(rank_engine *m, uint64_t until) {
    if (!m->begun) begin(m);
    while (m->events.count && m->events.entry[0].time <= until && !m->status)
        handle(m, rank_events_pop(&m->events));
}

bool ranks_go(rank_engine *m, uint64_t events) {
    if (!m->begun) begin(m);
    for (; events && m->events.count && !m->status; events--) handle(m, rank_events_pop(&m->events));
    return m->events.count && !m->status;
}

bool ranks_depart(rank_engine *m, uint64_t until, uint32_t *op, uint64_t *time) {
    if (!m->outs || m->out[m->out_first].time > until) return false;
    *op = m->out[m->out_first].op;
    *time = m->out[m->out_first].time;
    m->out_first = (m->out_first + 1) % m->out_capacity;
    m->outs--;
    return true;
}

void ranks_arrive(rank_engine *m, uint32_t o, uint64_t time) {
    push(m, time, m->op[o].sequence, o);
}
