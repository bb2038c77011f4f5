#include "support/loggops_oracle.h"

#include "base/random/random.h"

#include <stdlib.h>
#include <string.h>

typedef struct event {
    uint64_t time, sequence;
    uint32_t op;
    bool message;
} event;

typedef struct arrived {
    uint32_t op;
    uint64_t done;
} arrived;

typedef struct oracle {
    const bough_workload *w;
    const bough_schedule *s;
    event *event;
    size_t events;
    uint32_t *rank, *waits;
    uint64_t *ready, *cpu, *sent, *received, *end;
    uint64_t *over;   /* of a send: its CPU is done with it */
    uint32_t *posted; /* receives that wait, in order */
    arrived *here;    /* messages that wait, in order */
    size_t posteds, heres;
    uint32_t *freed;
    size_t frees;
    uint64_t now, sequence, ended;
} oracle;

static uint64_t max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void add_event(oracle *x, uint64_t time, uint32_t op, bool message) {
    x->event[x->events++] = (event){time, x->sequence++, op, message};
}

static void follow(oracle *x, uint32_t op, bool start, uint64_t time) {
    const bough_schedule *s = x->s;
    for (uint64_t f = s->then[op]; f < s->then[op + 1]; f++) {
        uint32_t next = s->follower[f] >> 1;
        if ((s->follower[f] & 1) != start) continue;
        x->ready[next] = max(x->ready[next], time);
        if (--x->waits[next] == 0) x->freed[x->frees++] = next;
    }
}

static void finish(oracle *x, uint32_t op, uint64_t time) {
    x->ended++;
    x->end[x->rank[op]] = max(x->end[x->rank[op]], time);
    follow(x, op, false, time);
}

static uint64_t *cpu_of(oracle *x, uint32_t rank, const bough_op *op) {
    return &x->cpu[rank * x->s->cpus + op->cpu];
}

/* Sorted by rank and kind, else as they came. */
static void begin_freed(oracle *x) {
    for (size_t i = 1; i < x->frees; i++)
        for (size_t j = i; j > 0; j--) {
            uint32_t a = x->freed[j - 1], b = x->freed[j];
            if (x->rank[a] < x->rank[b] || (x->rank[a] == x->rank[b] && x->s->op[a].kind <= x->s->op[b].kind))
                break;
            x->freed[j - 1] = b, x->freed[j] = a;
        }
    for (size_t i = 0; i < x->frees; i++) {
        const bough_op *op = &x->s->op[x->freed[i]];
        uint64_t time = max(x->now, x->ready[x->freed[i]]);
        if (op->kind == BOUGH_OP_RECV) time = max(time, *cpu_of(x, x->rank[x->freed[i]], op));
        add_event(x, time, x->freed[i], false);
    }
    x->frees = 0;
}

static bool takes(const bough_op *recv, uint32_t source, const bough_op *send) {
    return (recv->peer == BOUGH_ANY_RANK || recv->peer == source) &&
           (recv->tag == BOUGH_ANY_TAG || recv->tag == send->tag);
}

static void meet(oracle *x, uint32_t recv, uint32_t send, uint64_t done) {
    const bough_op *op = &x->s->op[send];
    if (x->w->host.S && op->size > x->w->host.S) finish(x, send, max(x->now, x->over[send]));
    finish(x, recv, done);
}

static bool is_inside(const oracle *x, uint32_t send) {
    return x->w->endpoint[x->rank[send]] == x->w->endpoint[x->s->op[send].peer];
}

static uint64_t rest(const bough_op *op) {
    return op->size ? op->size - 1 : 0;
}

static void do_send(oracle *x, uint32_t o, uint64_t *cpu) {
    const bough_op *op = &x->s->op[o];
    const bough_host *h = &x->w->host;
    bool inside = is_inside(x, o);
    *cpu = x->over[o] = x->now + h->o + h->O * rest(op);
    if (!inside) x->sent[x->rank[o] * x->s->nics + op->nic] = x->now + h->g + h->G * rest(op);
    add_event(x, x->now + h->o + (inside ? 0 : h->L), o, true);
    follow(x, o, true, x->now);
    if (!h->S || op->size <= h->S) finish(x, o, *cpu);
}

static void do_recv(oracle *x, uint32_t o) {
    const bough_op *op = &x->s->op[o];
    follow(x, o, true, x->now);
    for (size_t i = 0; i < x->heres; i++) {
        arrived a = x->here[i];
        if (x->s->op[a.op].peer != x->rank[o] || !takes(op, x->rank[a.op], &x->s->op[a.op])) continue;
        memmove(&x->here[i], &x->here[i + 1], (--x->heres - i) * sizeof *x->here);
        meet(x, o, a.op, max(x->now, a.done));
        return;
    }
    x->posted[x->posteds++] = o;
}

static void do_message(oracle *x, uint32_t o, uint64_t *cpu) {
    const bough_op *op = &x->s->op[o];
    const bough_host *h = &x->w->host;
    bool inside = is_inside(x, o);
    *cpu = x->now + h->o + max(h->O, inside ? 0 : h->G) * rest(op);
    if (!inside) x->received[op->peer * x->s->nics + op->nic] = x->now + h->g + h->G * rest(op);
    for (size_t i = 0; i < x->posteds; i++) {
        uint32_t recv = x->posted[i];
        if (x->rank[recv] != op->peer || !takes(&x->s->op[recv], x->rank[o], op)) continue;
        memmove(&x->posted[i], &x->posted[i + 1], (--x->posteds - i) * sizeof *x->posted);
        meet(x, recv, o, *cpu);
        return;
    }
    x->here[x->heres++] = (arrived){o, *cpu};
}

/* Does what the event is about, or returns false with the time at which to try again. */
static bool try_event(oracle *x, const event *e, uint64_t *again) {
    const bough_op *op = &x->s->op[e->op];
    uint32_t rank = e->message ? op->peer : x->rank[e->op];
    uint64_t *cpu = cpu_of(x, rank, op), nic = 0;
    if (op->kind == BOUGH_OP_RECV) {
        do_recv(x, e->op);
        return true;
    }
    if (op->kind == BOUGH_OP_SEND && !is_inside(x, e->op))
        nic = (e->message ? x->received : x->sent)[rank * x->s->nics + op->nic];
    *again = max(*cpu, nic);
    if (*again > x->now) return false;
    if (e->message) {
        do_message(x, e->op, cpu);
    } else if (op->kind == BOUGH_OP_SEND) {
        do_send(x, e->op, cpu);
    } else {
        *cpu = x->now + op->size * 1000;
        follow(x, e->op, true, x->now);
        finish(x, e->op, *cpu);
    }
    return true;
}

static void run(oracle *x) {
    for (uint32_t r = 0; r < x->s->ranks; r++)
        for (uint32_t o = x->s->first[r]; o < x->s->first[r + 1]; o++) {
            x->rank[o] = r;
            if ((x->waits[o] = x->s->waits[o]) == 0) x->freed[x->frees++] = o;
        }
    begin_freed(x);
    while (x->events) {
        size_t least = 0;
        uint64_t again;
        for (size_t i = 1; i < x->events; i++)
            if (x->event[i].time < x->event[least].time ||
                (x->event[i].time == x->event[least].time && x->event[i].sequence < x->event[least].sequence))
                least = i;
        event e = x->event[least];
        x->now = e.time;
        x->event[least] = x->event[--x->events];
        if (!try_event(x, &e, &again)) {
            e.time = again;
            x->event[x->events++] = e;
        }
        begin_freed(x);
    }
}

uint64_t loggops_oracle(const bough_workload *w, uint64_t *end) {
    const bough_schedule *s = w->schedule;
    size_t ops = s->ops + 1, cpus = (size_t)s->ranks * s->cpus, nics = (size_t)s->ranks * s->nics;
    oracle x = {.w = w,
                .s = s,
                .end = end,
                .event = calloc(2 * ops, sizeof(event)),
                .rank = calloc(ops, 4),
                .waits = calloc(ops, 4),
                .ready = calloc(ops, 8),
                .cpu = calloc(cpus, 8),
                .sent = calloc(nics, 8),
                .received = calloc(nics, 8),
                .over = calloc(ops, 8),
                .posted = calloc(ops, 4),
                .here = calloc(ops, sizeof(arrived)),
                .freed = calloc(2 * ops, 4)};
    memset(end, 0, s->ranks * sizeof *end);
    run(&x);
    void *all[] = {x.event,    x.rank, x.waits,  x.ready, x.cpu,  x.sent,
                   x.received, x.over, x.posted, x.here,  x.freed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return x.ended;
}

/* ---- random schedules ---- */

typedef struct maker {
    bough_schedule_builder *builder;
    bough_stream dice;
    const random_schedule *how;
    uint32_t *last; /* [ranks][4]: ids of the operations of a rank that came last */
    uint32_t *count;
} maker;

static uint32_t draw(maker *k, uint32_t below) {
    return (uint32_t)bough_stream_below(&k->dice, below);
}

static void add_op(maker *k, uint32_t rank, bough_op op) {
    uint32_t id, have = k->count[rank] < 4 ? k->count[rank] : 4;
    op.cpu = (uint8_t)draw(k, k->how->cpus);
    op.nic = (uint8_t)draw(k, k->how->nics);
    if (bough_schedule_add(k->builder, rank, op, &id, NULL)) abort();
    for (uint32_t i = draw(k, 3); i > 0 && have; i--)
        if (bough_schedule_wait(k->builder, id, k->last[4 * rank + draw(k, have)],
                                k->how->starts && draw(k, 3) == 0, NULL))
            abort();
    k->last[4 * rank + k->count[rank]++ % 4] = id;
}

bough_schedule *schedule_random(const random_schedule *how, uint64_t seed) {
    static const uint64_t sizes[] = {0, 1, 8, 1000, 70000}, times[] = {0, 1, 500, 7000};
    maker k = {.dice = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 1, 0),
               .how = how,
               .last = calloc(4 * (size_t)how->ranks, 4),
               .count = calloc(how->ranks, 4)};
    bough_schedule *s;
    if (bough_schedule_begin("random", how->ranks, &k.builder, NULL)) abort();
    for (uint32_t i = 0; i < how->messages; i++) {
        uint32_t from = draw(&k, how->ranks), to = draw(&k, how->ranks), tag = draw(&k, 2);
        bough_op op = {.size = sizes[draw(&k, 5)], .tag = tag};
        op.kind = BOUGH_OP_SEND, op.peer = to;
        add_op(&k, from, op);
        op.kind = BOUGH_OP_RECV, op.peer = from;
        if (how->wildcards && draw(&k, 4) == 0) op.peer = BOUGH_ANY_RANK;
        if (how->wildcards && draw(&k, 4) == 0) op.tag = BOUGH_ANY_TAG;
        add_op(&k, to, op);
        if (draw(&k, 2))
            add_op(&k, draw(&k, how->ranks), (bough_op){.kind = BOUGH_OP_CALC, .size = times[draw(&k, 4)]});
    }
    if (bough_schedule_finish(k.builder, &s, NULL)) abort();
    free(k.last);
    free(k.count);
    return s;
}
