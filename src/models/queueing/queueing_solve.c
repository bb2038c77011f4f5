/* The service time of a channel depends on the waits and service times of the queues that its messages turn
 * to. Without cycles, one pass from the exits back to the sources solves this. With cycles, passes are
 * repeated from the service times of an empty network. More service time never shortens a wait, so the values
 * only grow, towards the smallest solution, or beyond every bound if the network is overloaded; no damping is
 * needed. */
#include "base/status/try.h"
#include "models/queueing/queueing.h"

#include "base/memory/memory.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 20000 };
static const double SETTLED = 1e-13; /* relative change of a sweep */

/* Erlang's C for a = rate x service, by the recursion of Erlang's B. */
static double all_busy(double a, uint32_t servers) {
    double b = 1;
    for (uint32_t k = 1; k <= servers; k++) b = a * b / (k + a * b);
    return b / (1 - a / servers * (1 - b));
}

double queueing_wait(double rate, double service, uint32_t servers, double c2) {
    double a = rate * service;
    if (a == 0) return 0;
    if (!(a < servers)) return INFINITY;
    return (1 + c2) / 2 * all_busy(a, servers) * service / (servers - a);
}

/* C^2 of service times with this mean. */
static double variation(const queueing_net *q, double mean) {
    double c = 1 - q->flits / mean, lengths = fmax(q->length[1] - q->flits * q->flits, 0);
    return q->variance == VARIANCE_EQ5 ? c * c : c * c + lengths / (mean * mean);
}

double queueing_burst_wait(const queueing_net *q, uint32_t i, double mean, double use) {
    const queueing_queue *to = &q->queue[i];
    if (!(q->law->burst > 1) || !(to->enters > 0)) return 0;
    return (q->law->burst - 1) * to->enters / to->rate * mean / to->servers / (1 - use);
}

/* ---- service times and waits ---- */

bough_status queueing_state_make(const queueing_net *q, queueing_state *s, bough_error *error) {
    *s = (queueing_state){0};
    bough_status status = bough_alloc(&s->service, q->channels, sizeof *s->service, error);
    TRY(bough_alloc(&s->wait, q->queues, sizeof *s->wait, error));
    TRY(bough_alloc(&s->mean, q->queues, sizeof *s->mean, error));
    TRY(bough_alloc(&s->use, q->queues, sizeof *s->use, error));
    TRY(bough_alloc(&s->source_wait, q->queues, sizeof *s->source_wait, error));
    TRY(bough_alloc(&s->turn_wait, q->turns, sizeof *s->turn_wait, error));
    if (!status && q->variant == QUEUEING_FINITE) status = queueing_finite_make(q, &s->finite, error);
    if (!status && q->variant == QUEUEING_DISTRIBUTION)
        status = queueing_distribution_make(q, &s->distribution, error);
    return status;
}

uint64_t queueing_state_bytes(const queueing_counts *c, queueing_variant variant) {
    uint64_t some = bough_add(bough_mul(c->channels, 8), bough_mul(c->queues, 4 * 8));
    uint64_t all = bough_add(some, bough_mul(c->turns, 8));
    if (variant == QUEUEING_FINITE) return bough_add(all, queueing_finite_bytes(c));
    return variant == QUEUEING_DISTRIBUTION ? bough_add(all, queueing_distribution_bytes(c)) : all;
}

void queueing_state_fini(queueing_state *s) {
    FREE_ALL(s->service, s->wait, s->mean, s->use, s->source_wait, s->turn_wait);
    queueing_finite_free(s->finite);
    queueing_distribution_free(s->distribution);
    *s = (queueing_state){0};
}

static void solve_queue(const queueing_net *q, double rate, uint32_t i, queueing_state *s) {
    const queueing_queue *to = &q->queue[i];
    double weight = 0, sum = 0;
    for (uint32_t k = 0; k < to->members; k++) {
        uint32_t c = q->member[to->first + k];
        weight += q->channel[c].rate;
        if (q->channel[c].rate > 0) sum += q->channel[c].rate * s->service[c];
    }
    double into = rate * to->rate, seen = q->printed_rates ? into / to->servers : into;
    s->mean[i] = weight > 0 ? sum / weight : q->flits;
    s->use[i] = into * s->mean[i] / to->servers;
    s->wait[i] = queueing_wait(seen, s->mean[i], to->servers, variation(q, s->mean[i]));
    s->source_wait[i] = to->enters_block > 0 ? to->enters_block * s->wait[i] : 0;
    if (s->use[i] < 1) s->source_wait[i] += queueing_burst_wait(q, i, s->mean[i], s->use[i]);
    if (s->use[i] >= 1 && s->full == UINT32_MAX) s->full = i;
}

/* Eq. 11; at its last link, a message needs its own length. */
static double service_of(const queueing_net *q, uint32_t channel, queueing_state *s) {
    const queueing_channel *c = &q->channel[channel];
    double sum = c->ends * q->flits;
    for (uint32_t k = 0; k < c->turns; k++) {
        const queueing_turn *t = &q->turn[c->first + k];
        s->turn_wait[c->first + k] = t->block > 0 ? t->block * s->wait[t->queue] : 0;
        sum += t->rate * (s->mean[t->queue] + s->turn_wait[c->first + k]);
    }
    return c->rate > 0 ? sum / c->rate : q->flits;
}

/* Returns the largest relative change of a service time. */
static double sweep(const queueing_net *q, double rate, queueing_state *s) {
    double change = 0;
    s->full = UINT32_MAX;
    for (uint64_t i = 0; i < q->queues; i++) s->wait[i] = NAN; /* not computed in this sweep yet */
    for (uint64_t k = 0; k < q->channels; k++) {
        uint32_t c = q->order[k];
        const queueing_channel *from = &q->channel[c];
        for (uint32_t t = 0; t < from->turns; t++)
            if (isnan(s->wait[q->turn[from->first + t].queue]))
                solve_queue(q, rate, q->turn[from->first + t].queue, s);
        double service = service_of(q, c, s);
        double by = isinf(service) ? INFINITY : fabs(service - s->service[c]) / service;
        if (by > change) change = by;
        s->service[c] = service;
    }
    for (uint32_t i = 0; i < q->queues; i++)
        if (isnan(s->wait[i])) solve_queue(q, rate, i, s);
    return change;
}

void queueing_solve(const queueing_net *q, double rate, queueing_state *s) {
    if (s->finite) {
        queueing_finite_solve(q, rate, s);
        return;
    }
    if (s->distribution) {
        queueing_distribution_solve(q, rate, s);
        return;
    }
    for (uint64_t c = 0; c < q->channels; c++) s->service[c] = q->flits;
    s->converged = false;
    for (s->sweeps = 1; s->sweeps <= SWEEPS_MAX && !s->converged; s->sweeps++) {
        double change = sweep(q, rate, s);
        s->converged = !q->cyclic || s->full != UINT32_MAX || change <= SETTLED;
    }
    s->sweeps--;
}

/* The maximum throughput. greenberg1997, Eq. 26, defines it as the rate at which the queue of the source is
 * fully used; here it is the rate at which any queue is. Bisection between an empty network and the rate at
 * which the first link is fully used without waits. Slow convergence counts as full: it occurs only where the
 * two are close, and more digits mean nothing there. */
double queueing_saturation(const queueing_net *q, queueing_state *s) {
    double low = 0, high = INFINITY, precision = q->cyclic || s->finite ? 1e-8 : 1e-15;
    if (s->distribution) precision = 1e-4;
    for (uint64_t i = 0; i < q->queues; i++) {
        double limit = q->queue[i].servers / (q->queue[i].rate * q->flits);
        if (limit < high) high = limit;
    }
    for (int i = 0; i < 200 && high - low > precision * high; i++) {
        double middle = low + (high - low) / 2;
        queueing_solve(q, middle, s);
        *(s->converged && s->full == UINT32_MAX ? &low : &high) = middle;
    }
    queueing_solve(q, low, s);
    return low;
}
