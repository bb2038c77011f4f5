/* clang-format off */
/* Finite inputs: a variant for high loads, where the paper's model overestimates the waits. Not in the paper.
 *
 * Eq. 10 removes from the wait at a queue the messages that come by the link of the head itself. But the
 * M/G/m queue that they are removed from is still unbounded, which is wrong at high load: a link brings its
 * next message only after its last one has moved on, so at most as many heads wait at a queue as links lead
 * to it.
 * This has four consequences, none of them fitted:
 *
 * 1. Presence. A link k whose messages come to a queue at rate f_k has one there, waiting or in service, for
 *    the fraction q_k = f_k (x + w_k) of the time (Little). A head from link i meets n of the others, each
 *    there with probability q_k, as if independent. It waits when n >= m, first for the first release of the
 *    m links, then for n - m more, x / m apart. This replaces both W and P.
 * 2. Back to back. A head that has waited for its own link i crosses it in the cycle in which its predecessor
 *    releases it. If that one went to the same queue (probability R), it has just released a link there too,
 *    and if another head waited, one of the links is held by a message that has only begun. The first release
 *    is then that of a fresh service and m - 1 others, not of m in mid-service.
 * 3. So messages that have waited (`late`) wait longer at the next queues than others (`calm`), and services
 *    are long where waits were: two sets of moments for each channel.
 * 4. Variance. Service times are sums of waits: their first three moments are propagated back from the exits,
 *    in place of Eq. 5, which is several times too small.
 *
 * docs/queueing.md compares this with a simulator. Not modelled: heads delayed elsewhere arrive here less
 * often, and heads that follow their own predecessor closely find the service behind it still young. Both
 * omissions make the waits too short, by up to a tenth where they are longest. */
/* clang-format on */
#include "base/status/try.h"
#include "models/queueing/queueing.h"
#include "models/queueing/queueing_inputs.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MAX = 2000 };
static const double SETTLED = 1e-12, PRESENT_MAX = 1 - 1e-9, TAIL = 1e-18;

/* E[t], E[t^2], E[t^3]. */
typedef struct moments {
    double m[3];
} moments;

typedef struct channel_state {
    moments calm, late;
    double waited; /* fraction of messages that waited for it (late) */
} channel_state;

/* Conditions that a head meets: n >= m with probability `blocked`; the wait (0 if not blocked) of a head that
 * arrives at any time, and of one that directly follows a message to the same queue. */
typedef struct turn_state {
    double blocked;
    moments any, heels;
} turn_state;

typedef struct queue_state {
    moments calm, late, all;
} queue_state;

struct queueing_finite {
    channel_state *channel;
    queue_state *queue;
    turn_state *turn;
    double *wait; /* per turn: mean of `any` and `heels` */
    queueing_inputs inputs;
    double *met, *others; /* distributions of n */
    moments length;
};

/* ---- moments ---- */

static moments sum_of(moments a, moments b) {
    return (moments){{a.m[0] + b.m[0], a.m[1] + 2 * a.m[0] * b.m[0] + b.m[1],
                      a.m[2] + 3 * a.m[1] * b.m[0] + 3 * a.m[0] * b.m[1] + b.m[2]}};
}

static void add_share(moments *to, moments a, double share) {
    for (int k = 0; k < 3; k++) to->m[k] += share * a.m[k];
}

static moments mixed(moments a, moments b, double share_b) {
    moments r = {{0}};
    add_share(&r, a, 1 - share_b);
    add_share(&r, b, share_b);
    return r;
}

/* The third moment is that of a gamma distribution. */
static moments from_two(double mean, double second) {
    double c = mean > 0 ? fmax(second / (mean * mean) - 1, 0) : 0;
    return (moments){{mean, second, mean * mean * mean * (1 + c) * (1 + 2 * c)}};
}

/* The first release of m links in mid-service, or, if `fresh`, of one that has just begun and m - 1 in
 * mid-service. One link: the residual life. Several: between uniform residuals (equal services) and
 * exponential ones, as the variance lies between these two. */
static moments first_release(const moments *x, const moments *begun, uint32_t m, bool fresh) {
    double r1 = x->m[1] / (2 * x->m[0]), r2 = x->m[2] / (3 * x->m[0]);
    if (m == 1) return fresh ? *begun : from_two(r1, r2);
    double u = fmin(fmax((r2 / (r1 * r1) - 1 - 1.0 / 3) * 1.5, 0), 1), n = fresh ? m - 1.0 : m;
    double mean = r1 * ((1 - u) * 2 / (n + 1) + u / m);
    return from_two(mean, mean * mean * (1 + (1 - u) * n / (n + 2) + u));
}

/* ---- presence ---- */

/* Adds a link that is present with probability p to the distribution met[0 .. *length-1]. */
static void one_more(double *met, uint64_t *length, double p) {
    met[*length] = 0;
    for (uint64_t n = *length; n > 0; n--) met[n] = met[n] * (1 - p) + met[n - 1] * p;
    met[0] *= 1 - p;
    ++*length;
    while (*length > 1 && met[*length - 1] < TAIL) --*length;
}

/* Removes one of these links from the distribution, starting at the end where this is stable. */
static void one_less(const double *met, uint64_t length, double p, double *others) {
    if (p <= 0.5) {
        double before = 0;
        for (uint64_t n = 0; n < length; n++) {
            double v = (met[n] - p * before) / (1 - p);
            others[n] = before = v > 0 ? v : 0;
        }
        return;
    }
    double above = 0;
    for (uint64_t n = length; n-- > 0;) {
        double v = (met[n] - (1 - p) * above) / p;
        if (n > 0) others[n - 1] = above = v > 0 ? v : 0;
    }
    others[length - 1] = 0;
}

/* ---- a queue ---- */

static void collect(const queueing_net *q, uint32_t i, queueing_finite *f) {
    const queueing_queue *to = &q->queue[i];
    queue_state *at = &f->queue[i];
    double rate = 0;
    *at = (queue_state){0};
    for (uint32_t k = 0; k < to->members; k++) rate += q->channel[q->member[to->first + k]].rate;
    for (uint32_t k = 0; k < to->members; k++) {
        uint32_t c = q->member[to->first + k];
        double share = rate > 0 ? q->channel[c].rate / rate : 1.0 / to->members;
        add_share(&at->calm, f->channel[c].calm, share);
        add_share(&at->late, f->channel[c].late, share);
        add_share(&at->all, mixed(f->channel[c].calm, f->channel[c].late, f->channel[c].waited), share);
    }
}

static void wait_for(const queueing_queue *to, const queue_state *at, const double *others, uint64_t length,
                     turn_state *t) {
    double m = to->servers;
    moments any = first_release(&at->all, &at->late, to->servers, false);
    moments heels = first_release(&at->all, &at->late, to->servers, true);
    moments next = {{at->late.m[0] / m, at->late.m[1] / (m * m), at->late.m[2] / (m * m * m)}};
    *t = (turn_state){0};
    for (uint64_t n = to->servers; n < length; n++) {
        t->blocked += others[n];
        add_share(&t->any, any, others[n]);
        add_share(&t->heels, heels, others[n]);
        any = sum_of(any, next);
        heels = sum_of(heels, next);
    }
}

/* Computes the waits at a queue of links from those of the previous sweep. Returns the fraction of its
 * messages that wait. */
static double meet(const queueing_net *q, uint32_t i, double rate, queueing_finite *f) {
    uint64_t length = 1;
    double blocked = 0, all = 0;
    f->met[0] = 1;
    const double x = f->queue[i].all.m[0];
    for (uint64_t k = f->inputs.first[i]; k < f->inputs.first[i + 1]; k++) {
        const queueing_input *in = &f->inputs.input[k];
        double there = fmin(rate * in->rate * (x + f->wait[in->turn]), PRESENT_MAX);
        for (uint64_t l = 0; l < in->links; l++) one_more(f->met, &length, there);
    }
    for (uint64_t k = f->inputs.first[i]; k < f->inputs.first[i + 1]; k++) {
        const queueing_input *in = &f->inputs.input[k];
        turn_state *t = &f->turn[in->turn];
        double there = fmin(rate * in->rate * (x + f->wait[in->turn]), PRESENT_MAX);
        one_less(f->met, length, there, f->others);
        wait_for(&q->queue[i], &f->queue[i], f->others, length, t);
        double weight = in->rate * (double)in->links;
        all += weight;
        blocked += weight * t->blocked;
    }
    for (uint64_t k = f->inputs.first[i]; k < f->inputs.first[i + 1]; k++) {
        const queueing_input *in = &f->inputs.input[k];
        const turn_state *t = &f->turn[in->turn];
        f->wait[in->turn] = mixed(t->any, t->heels, f->channel[in->channel].waited * in->share).m[0];
    }
    return all > 0 ? blocked / all : 0;
}

/* Poisson arrivals of a source: M/G/m with the actual variance. */
static double enter(const queueing_queue *to, double rate, const moments *x, double *wait) {
    double a = rate * x->m[0], m = to->servers, free = 1;
    for (uint32_t k = 1; k <= to->servers; k++) free = a * free / (k + a * free); /* Erlang's B */
    double blocked = free / (1 - a / m * (1 - free));
    *wait = a < m ? blocked * x->m[1] / (2 * x->m[0]) / (m - a) : INFINITY;
    return fmin(blocked, 1);
}

static void solve_queue(const queueing_net *q, uint32_t i, double rate, queueing_state *s) {
    queueing_finite *f = s->finite;
    const queueing_queue *to = &q->queue[i];
    collect(q, i, f);
    s->mean[i] = f->queue[i].all.m[0];
    s->use[i] = rate * to->rate * s->mean[i] / to->servers;
    if (s->use[i] >= 1 && s->full == UINT32_MAX) s->full = i;
    double blocked = to->enters > 0 ? enter(to, rate * to->rate, &f->queue[i].all, &s->source_wait[i])
                                    : meet(q, i, rate, f);
    if (s->use[i] < 1 && to->enters > 0)
        s->source_wait[i] += queueing_burst_wait(q, i, s->mean[i], s->use[i]);
    for (uint32_t k = 0; k < to->members; k++) f->channel[q->member[to->first + k]].waited = blocked;
}

/* ---- a channel ---- */

/* The time that remains after a turn: a wait plus the service time of messages that waited; or no wait. */
static moments rest(const queue_state *at, double blocked, const moments *wait) {
    moments r = {{0}};
    const double *w = wait->m, *x = at->late.m;
    add_share(&r, at->calm, 1 - blocked);
    r.m[0] += blocked * x[0] + w[0];
    r.m[1] += blocked * x[1] + 2 * x[0] * w[0] + w[1];
    r.m[2] += blocked * x[2] + 3 * x[1] * w[0] + 3 * x[0] * w[1] + w[2];
    return r;
}

/* Eq. 3 in three moments. */
static void solve_channel(const queueing_net *q, uint32_t c, queueing_state *s) {
    queueing_finite *f = s->finite;
    const queueing_channel *from = &q->channel[c];
    channel_state *to = &f->channel[c];
    if (!(from->rate > 0)) return;
    moments calm = {{0}}, late = {{0}};
    add_share(&calm, f->length, from->ends / from->rate);
    add_share(&late, f->length, from->ends / from->rate);
    for (uint32_t k = 0; k < from->turns; k++) {
        const queueing_turn *t = &q->turn[from->first + k];
        const turn_state *met = &f->turn[from->first + k];
        double share = t->rate / from->rate;
        moments heels = mixed(met->any, met->heels, share / t->copies);
        add_share(&calm, rest(&f->queue[t->queue], met->blocked, &met->any), share);
        add_share(&late, rest(&f->queue[t->queue], met->blocked, &heels), share);
        s->turn_wait[from->first + k] = f->wait[from->first + k];
    }
    to->calm = calm;
    to->late = late;
    s->service[c] = mixed(calm, late, to->waited).m[0];
}

/* Every wait depends on whether its messages have waited before, so one sweep is not enough even without
 * cycles; but the values grow monotonically from sweep to sweep. */
static double sweep(const queueing_net *q, double rate, queueing_state *s) {
    double change = 0;
    s->full = UINT32_MAX;
    for (uint64_t i = 0; i < q->queues; i++) s->use[i] = NAN; /* not computed in this sweep yet */
    for (uint64_t k = 0; k < q->channels; k++) {
        uint32_t c = q->order[k];
        const queueing_channel *from = &q->channel[c];
        for (uint32_t t = 0; t < from->turns; t++)
            if (isnan(s->use[q->turn[from->first + t].queue]))
                solve_queue(q, q->turn[from->first + t].queue, rate, s);
        double before = s->service[c];
        solve_channel(q, c, s);
        change = fmax(change, fabs(s->service[c] - before) / s->service[c]);
    }
    for (uint32_t i = 0; i < q->queues; i++)
        if (isnan(s->use[i])) solve_queue(q, i, rate, s);
    return change;
}

void queueing_finite_solve(const queueing_net *q, double rate, queueing_state *s) {
    queueing_finite *f = s->finite;
    for (uint64_t c = 0; c < q->channels; c++) {
        f->channel[c] = (channel_state){f->length, f->length, 0};
        s->service[c] = q->flits;
    }
    memset(f->wait, 0, q->turns * sizeof *f->wait);
    memset(f->turn, 0, q->turns * sizeof *f->turn);
    s->converged = false;
    for (s->sweeps = 0; s->sweeps < SWEEPS_MAX && !s->converged; s->sweeps++) {
        double change = sweep(q, rate, s);
        s->converged = s->full != UINT32_MAX || change <= SETTLED;
    }
}

/* ---- memory ---- */

bough_status queueing_finite_make(const queueing_net *q, queueing_finite **out, bough_error *error) {
    queueing_finite *f;
    bough_status status = queueing_inputs_check(q, "finite", error);
    TRY(bough_alloc(out, 1, sizeof *f, error));
    if (status) return status;
    f = *out;
    for (int k = 0; k < 3; k++) f->length.m[k] = q->length[k];
    status = bough_alloc(&f->channel, q->channels, sizeof *f->channel, error);
    TRY(bough_alloc(&f->queue, q->queues, sizeof *f->queue, error));
    TRY(bough_alloc(&f->turn, q->turns, sizeof *f->turn, error));
    TRY(bough_alloc(&f->wait, q->turns, sizeof *f->wait, error));
    TRY(queueing_inputs_make(q, &f->inputs, error));
    TRY(bough_alloc(&f->met, f->inputs.most + 2, sizeof *f->met, error));
    TRY(bough_alloc(&f->others, f->inputs.most + 2, sizeof *f->others, error));
    return status;
}

uint64_t queueing_finite_bytes(const queueing_counts *c) {
    uint64_t channels = bough_mul(c->channels, sizeof(channel_state));
    uint64_t queues = bough_mul(c->queues, sizeof(queue_state));
    uint64_t turns = bough_mul(c->turns, sizeof(turn_state) + sizeof(double));
    return bough_add(bough_add(channels, queues), bough_add(turns, queueing_inputs_bytes(c)));
}

void queueing_finite_free(queueing_finite *f) {
    if (!f) return;
    queueing_inputs_fini(&f->inputs);
    FREE_ALL(f->channel, f->queue, f->turn, f->wait, f->met, f->others, f);
}
