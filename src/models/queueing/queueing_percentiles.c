/* clang-format off */
/* Sources and latencies of the variant `distribution`.
 *
 * A source is a queue in discrete time: the number N of messages that are offered in a step has a Poisson
 * distribution, or with bursts a compound one; a message that finds the source idle is served in a time of
 * distribution `calm`, others in `late` ("exceptional first service", Welch: "On a generalized M/G/1 queuing
 * process in which the first customer of each busy period receives exceptional service", 1964). With A(z) =
 * E[z^N], S and S0 the transforms of late and calm services, X = A(S) and X0 = A(0) + (X - A(0)) S0 / S the
 * work that a step brings to a busy and to an idle source, the work U left at the start of a step has
 *
 *     U(z) = u (X0(z) - X(z) + A(0) (z - 1)) / (z - X(z)),    u = P(U = 0), from U(1) = 1.
 *
 * A message waits for this and for those before it in its step, V(S) with V(y) = (1 - A(y)) / (E[N] (1 - y)).
 *
 * The latency is this wait, then the time to the destination: waits at the queues of the path, a cycle for
 * each link but the first, and the length. */
/* clang-format on */
#include "models/queueing/queueing_distribution.h"

#include <math.h>
#include <string.h>

enum { CYCLIC_PASSES = 64 };

static const lattice_point one = {1, 0};
static const double PERIOD = 1e-9, NEAR_ZERO = 1e-6;

static lattice_point minus(lattice_point a, lattice_point b) {
    return (lattice_point){a.re - b.re, a.im - b.im};
}

distribution_source distribution_source_of(const queueing_net *q, uint32_t i, double rate,
                                           const queueing_distribution *d) {
    double burst = fmax(q->law->burst, 1), n = rate * q->queue[i].rate * d->step;
    const lattice_moments first = d->queue[i].calm_time, later = d->queue[i].late_time;
    distribution_source s = {.rate = n, .burst = burst};
    s.alone = exp(-n / burst);
    s.first = -expm1(-n / burst) / n;
    /* derivatives at 1 of A, X, X0 and S0 / S */
    double pairs = n * n + 2 * n * (burst - 1), more = first.mean - later.mean;
    double more2 = first.second - later.second - 2 * more * later.mean, come = 1 - s.alone;
    double x = n * later.mean, x2 = pairs * later.mean * later.mean + n * later.second;
    double x02 = x2 + 2 * x * more + come * more2;
    s.idle = (1 - x) / (come * more + s.alone);
    double work = (s.idle * (x02 - x2) + x2) / (2 * (1 - x)), before = pairs / (2 * n);
    s.wait = work + before * later.mean + s.idle * (1 - s.first) * more;
    return s;
}

/* A(y). */
static lattice_point offers(const distribution_source *s, lattice_point y) {
    lattice_point batch =
        lattice_over(lattice_scaled(y, 1 / s->burst), minus(one, lattice_scaled(y, 1 - 1 / s->burst)));
    return lattice_exp(lattice_scaled(minus(batch, one), s->rate / s->burst));
}

/* (A(y) - A(0)) / y. */
static lattice_point offers_more(const distribution_source *s, lattice_point y, lattice_point all) {
    if (fabs(y.re) + fabs(y.im) < NEAR_ZERO)
        return lattice_scaled(one, s->alone * s->rate / (s->burst * s->burst));
    return lattice_over((lattice_point){all.re - s->alone, all.im}, y);
}

/* The transform of the latency of a source's messages at one frequency. */
static lattice_point latency_at(const distribution_source *s, const distribution_queue *at, int k,
                                lattice_point z) {
    double none = s->idle * s->first; /* P(no wait) */
    if (k == 0) return one;
    lattice_point y = at->late[k], x = offers(s, y), g = offers_more(s, y, x), left = minus(one, y);
    lattice_point x0 = lattice_times(g, at->calm[k]);
    x0.re += s->alone;
    /* V(y), and behind the first message of a step (V(y) - P(first)) / y; 1 and the rest, where all services
     * are periods */
    lattice_point before = one, behind = {1 - s->first, 0};
    if (fabs(left.re) + fabs(left.im) > PERIOD) {
        lattice_point by = lattice_scaled(left, s->rate);
        before = lattice_over(minus(one, x), by);
        behind = lattice_over((lattice_point){1 - s->alone - g.re, -g.im}, by);
    }
    lattice_point top = lattice_plus(minus(x0, x), lattice_scaled(minus(z, one), s->alone));
    lattice_point work = lattice_scaled(lattice_over(top, minus(z, x)), s->idle);
    lattice_point wait = lattice_times((lattice_point){work.re - s->idle, work.im}, before);
    wait = lattice_plus(wait, lattice_scaled(lattice_times(behind, at->calm[k]), s->idle));
    return lattice_plus(lattice_scaled(at->transit_calm[k], none), lattice_times(wait, at->transit_late[k]));
}

/* Times from each link to the destination, from the exits back to the sources. */
static void find_transits(const queueing_net *q, queueing_distribution *d) {
    for (uint64_t i = 0; i < q->queues; i++) {
        memset(d->queue[i].transit_calm, 0, sizeof(lattice_spectrum));
        memset(d->queue[i].transit_late, 0, sizeof(lattice_spectrum));
    }
    for (int pass = 0; pass < (q->cyclic ? CYCLIC_PASSES : 1); pass++)
        for (uint64_t k = 0; k < q->channels; k++) {
            uint32_t c = q->order[k], i = d->queue_of[c];
            const queueing_queue *to = &q->queue[i];
            double rate = 0;
            if (!(q->channel[c].rate > 0)) continue;
            for (uint32_t l = 0; l < to->members; l++) rate += q->channel[q->member[to->first + l]].rate;
            distribution_part part = {q, c, q->channel[c].rate / rate, true};
            if (pass > 0 && q->member[to->first] == c) {
                memset(d->queue[i].transit_calm, 0, sizeof(lattice_spectrum));
                memset(d->queue[i].transit_late, 0, sizeof(lattice_spectrum));
            }
            distribution_add(d, &part, d->queue[i].transit_calm, d->queue[i].transit_late);
        }
}

void queueing_distribution_quantiles(const queueing_net *q, double rate, queueing_state *s,
                                     const double share[QUEUEING_QUANTILES],
                                     double cycles[QUEUEING_QUANTILES]) {
    queueing_distribution *d = s->distribution;
    lattice_point *sum = d->sum[0];
    find_transits(q, d);
    memset(sum, 0, sizeof(lattice_spectrum));
    for (uint32_t i = 0; i < q->queues; i++) {
        double weight = q->queue[i].enters * q->queue[i].copies / q->messages;
        if (!(weight > 0)) continue;
        distribution_source source = distribution_source_of(q, i, rate, d);
        for (int k = 0; k < LATTICE_HALF; k++)
            sum[k] = lattice_plus(
                sum[k], lattice_scaled(latency_at(&source, &d->queue[i], k, d->lattice.root[k]), weight));
    }
    lattice_inverse(&d->lattice, sum, d->p);
    double below = 0, total = 0, end = 0;
    for (int t = 0; t < LATTICE_POINTS; t++) total += d->p[t];
    for (int t = LATTICE_POINTS / 8 * 7; t < LATTICE_POINTS; t++) end += d->p[t];
    for (int k = 0, t = 0; k < QUEUEING_QUANTILES; k++) {
        while (t + 1 < LATTICE_POINTS && below + d->p[t] < share[k] * total) below += d->p[t++];
        cycles[k] = end > (1 - share[k]) / 20 * total ? NAN : t * d->step;
    }
}
