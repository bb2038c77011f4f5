/* clang-format off */
/* Distributions instead of moments: the variant for latency and percentiles up to high loads. Not in the paper.
 *
 * It follows `finite` (queueing_finite.c) in its four points: a link has at most one message at a queue; heads
 * that directly follow their predecessor find fresh services; messages that have waited (late) wait longer
 * than others (calm); service times are sums of waits. But
 *
 * 1. all times are whole distributions, so no residual life, no first release of several links, and no tail
 *    is approximated by two or three moments. A bimodal length stays bimodal;
 * 2. links are not present independently: nobody waits while a link of the group is free, and heads that
 *    directly follow a message find more of the others, the longer that message was there
 *    (queueing_presence.c);
 * 3. links that lead down to one switch carry messages that parted at the same groups, so a head meets messages
 *    of the others more often than at any time (queueing_siblings.c);
 * 4. the queue of a source is solved exactly for these services, those of messages that find it idle being
 *    calm (queueing_percentiles.c).
 *
 * No constant is fitted. What remains: waits at successive queues are correlated only through calm and late,
 * and congestion that lasts for longer than a message is not seen by its successors but the first; both make
 * the highest percentiles too low where sources are busy. docs/queueing.md has the sizes of these errors. */
/* clang-format on */
#include "models/queueing/queueing_distribution.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MAX = 400, SPECTRA = 7, COARSER_MAX = 8 };
static const double SETTLED = 1e-9, TAIL = 1e-5, SAME = 1e-9, NOTHING = 1e-15;

static void zero(lattice_point *s) {
    memset(s, 0, sizeof(lattice_spectrum));
}

/* ---- lengths ---- */

static void put_time(double *p, double steps, double probability) {
    double whole = floor(steps), part = steps - whole;
    if (whole > LATTICE_POINTS - 2) whole = LATTICE_POINTS - 2, part = 0;
    p[(int)whole] += probability * (1 - part);
    p[(int)whole + 1] += probability * part;
}

static void set_lengths(const queueing_net *q, queueing_distribution *d) {
    const bough_lengths *l = q->law->lengths;
    double left = 1;
    memset(d->p, 0, LATTICE_POINTS * sizeof *d->p);
    if (!l) put_time(d->p, q->flits / d->step, 1);
    for (unsigned i = 0; l && i < l->count; i++) put_time(d->p, (double)l->value[i] / d->step, l->share[i]);
    for (uint64_t f = 1; l && !l->count && f <= l->longest && left > NOTHING; f++) {
        double share = bough_lengths_share(l, f);
        put_time(d->p, (double)f / d->step, share);
        left -= share;
    }
    lattice_forward(&d->lattice, d->p, d->length);
}

/* Steps such that usual service times take a small part of the lattice. */
static double first_step(const queueing_net *q) {
    double longest = q->law->lengths && q->law->lengths->count ? (double)q->law->lengths->longest : q->flits;
    double need = fmax(64 * q->flits, 4 * longest), step = 1;
    while (step * LATTICE_POINTS < need) step *= 2;
    return step;
}

/* ---- turns ---- */

static uint64_t degree(const double *n, uint64_t count) {
    while (count > 1 && n[count - 1] < NOTHING) count--;
    return count;
}

/* Sum of n[i] x^i. */
static lattice_point power_series(const double *n, uint64_t count, lattice_point x) {
    lattice_point y = {0, 0};
    while (count-- > 0) {
        y = lattice_times(y, x);
        y.re += n[count];
    }
    return y;
}

/* Waits, as transforms: of heads that come at any time, and of those that follow another. */
static void waits_of(const queueing_distribution *d, const distribution_queue *to, uint64_t input,
                     lattice_point *any, lattice_point *heels) {
    const double *n = d->any + input * d->inputs.most, *h = d->heels + input * d->inputs.most;
    uint64_t count = degree(n, d->inputs.most), follow = degree(h, d->inputs.most);
    for (int i = 0; i < LATTICE_HALF; i++) {
        any[i] = lattice_times(to->first[i], power_series(n, count, to->next[i]));
        heels[i] = lattice_times(to->fresh[i], power_series(h, follow, to->next[i]));
    }
}

static void add_turn(queueing_distribution *d, const distribution_part *part, const queueing_turn *t,
                     lattice_point *sum[2]) {
    const queueing_channel *c = &part->q->channel[part->channel];
    const distribution_queue *to = &d->queue[t->queue];
    const distribution_turn *met = &d->turn[t - part->q->turn];
    const lattice_point *calm = part->transit ? to->transit_calm : to->calm;
    const lattice_point *late = part->transit ? to->transit_late : to->late;
    double weight = part->share * t->rate / c->rate;
    double heels = t->rate / c->rate / t->copies;
    double blocked = (1 - heels) * met->blocked + heels * met->heels_blocked;
    double hop = part->transit ? 1 / d->step : 0; /* a cycle: a step with this probability */
    waits_of(d, to, met->input, d->sum[0], d->sum[1]);
    for (int i = 0; i < LATTICE_HALF; i++) {
        lattice_point any = d->sum[0][i], some = lattice_plus(lattice_scaled(any, 1 - heels),
                                                              lattice_scaled(d->sum[1][i], heels));
        lattice_point on = lattice_scaled(d->lattice.root[i], weight * hop);
        on.re += weight * (1 - hop);
        lattice_point x =
            lattice_plus(lattice_scaled(calm[i], 1 - met->blocked), lattice_times(any, late[i]));
        lattice_point y = lattice_plus(lattice_scaled(calm[i], 1 - blocked), lattice_times(some, late[i]));
        sum[0][i] = lattice_plus(sum[0][i], lattice_times(on, x));
        sum[1][i] = lattice_plus(sum[1][i], lattice_times(on, y));
    }
}

void distribution_add(queueing_distribution *d, const distribution_part *part, lattice_point *calm,
                      lattice_point *late) {
    const queueing_channel *c = &part->q->channel[part->channel];
    lattice_point *sum[2] = {calm, late};
    double ends = part->share * c->ends / c->rate;
    for (int i = 0; i < LATTICE_HALF && ends > 0; i++) {
        calm[i] = lattice_plus(calm[i], lattice_scaled(d->length[i], ends));
        late[i] = lattice_plus(late[i], lattice_scaled(d->length[i], ends));
    }
    for (uint32_t k = 0; k < c->turns; k++) add_turn(d, part, &part->q->turn[c->first + k], sum);
}

/* ---- a queue: its services ---- */

static void collect(const queueing_net *q, uint32_t i, queueing_distribution *d) {
    const queueing_queue *to = &q->queue[i];
    distribution_queue *at = &d->queue[i];
    double rate = 0;
    zero(at->calm);
    zero(at->late);
    for (uint32_t k = 0; k < to->members; k++) rate += q->channel[q->member[to->first + k]].rate;
    for (uint32_t k = 0; k < to->members && rate > 0; k++) {
        uint32_t c = q->member[to->first + k];
        distribution_part part = {q, c, q->channel[c].rate / rate, false};
        if (q->channel[c].rate > 0) distribution_add(d, &part, at->calm, at->late);
    }
    if (!(rate > 0)) {
        memcpy(at->calm, d->length, sizeof(lattice_spectrum));
        memcpy(at->late, d->length, sizeof(lattice_spectrum));
    }
}

static double keep_time(queueing_distribution *d, const double *p, lattice_point *spectrum) {
    lattice_forward(&d->lattice, p, spectrum);
    return lattice_moments_of(p).mean;
}

/* What a head waits for. One server: the rest of a service, and then whole ones. */
static void set_releases(uint32_t m, distribution_queue *at, queueing_distribution *d) {
    const double *all = d->p, *late = d->r;
    double *residual = d->n, *out = d->n + LATTICE_POINTS;
    lattice_residual(all, (1 + 1 / d->step) / 2, residual);
    if (m == 1) {
        at->first_mean = keep_time(d, residual, at->first);
        at->fresh_mean = at->next_mean = at->late_time.mean;
        memcpy(at->fresh, at->late, sizeof(lattice_spectrum));
        memcpy(at->next, at->late, sizeof(lattice_spectrum));
        return;
    }
    lattice_least(residual, residual, m - 1, out);
    at->first_mean = keep_time(d, out, at->first);
    lattice_least(late, residual, m - 1, out);
    at->fresh_mean = keep_time(d, out, at->fresh);
    lattice_divided(late, m, out);
    at->next_mean = keep_time(d, out, at->next);
}

/* The moments of the services, and the releases. */
static void find_releases(const queueing_queue *to, distribution_queue *at, queueing_distribution *d) {
    double *all = d->p, *late = d->r, end = 0;
    lattice_inverse(&d->lattice, at->calm, all);
    lattice_inverse(&d->lattice, at->late, late);
    at->calm_time = lattice_moments_of(all);
    at->late_time = lattice_moments_of(late);
    at->mean = (1 - at->waited) * at->calm_time.mean + at->waited * at->late_time.mean;
    for (int t = 0; t < LATTICE_POINTS; t++) all[t] = (1 - at->waited) * all[t] + at->waited * late[t];
    for (int t = LATTICE_POINTS / 8 * 7; t < LATTICE_POINTS; t++) end += all[t];
    if (end > TAIL) d->too_long = true;
    if (!(to->enters > 0)) set_releases(to->servers, at, d);
}

/* ---- a queue: what heads find ---- */

static double heels_of(const queueing_distribution *d, const queueing_input *in) {
    return d->queue[d->queue_of[in->channel]].waited * in->share;
}

static bool same(double a, double b) {
    return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

static bool alike(const presence_class *a, const presence_class *b) {
    return same(a->served, b->served) && same(a->waits, b->waits) && same(a->rate, b->rate) &&
           same(a->sibling, b->sibling);
}

/* Inputs with equal rates and waits form a class. */
static void set_classes(const queueing_net *q, uint32_t i, double rate, queueing_distribution *d) {
    presence *p = &d->presence;
    p->classes = 0;
    p->links = 0;
    for (uint64_t k = d->inputs.first[i]; k < d->inputs.first[i + 1]; k++) {
        const queueing_input *in = &d->inputs.input[k];
        presence_class new = {
            .served = rate * in->rate * d->queue[i].mean,
            .waits = rate * in->rate * d->turn[in->turn].wait,
            .rate = rate * in->rate / in->share,
            .in_service = d->in_service[k],
            .waiting = d->waiting[k],
            .sibling = d->siblings.common[k] > 0 ? siblings_factor(&d->siblings, q, &d->inputs, k) : 0};
        size_t c = 0;
        while (c < p->classes && !alike(&p->class[c], &new)) c++;
        if (c == p->classes) p->class[p->classes++] = new;
        p->class[c].links += in->links;
        p->links += in->links;
        d->class_of[k] = c;
    }
}

/* Times from a head's arrival until its message has been served, in equal parts. */
static void set_sojourns(uint32_t i, queueing_distribution *d) {
    distribution_queue *at = &d->queue[i];
    double *n = d->n, *h = d->n + d->inputs.most, total = 0, calm = 0, below = 0;
    memset(n, 0, 2 * d->inputs.most * sizeof *n);
    for (uint64_t k = d->inputs.first[i]; k < d->inputs.first[i + 1]; k++) {
        const queueing_input *in = &d->inputs.input[k];
        const distribution_turn *t = &d->turn[in->turn];
        double heels = heels_of(d, in), weight = in->rate * (double)in->links;
        total += weight;
        calm += weight * (1 - (1 - heels) * t->blocked - heels * t->heels_blocked);
        for (uint64_t j = 0; j < d->inputs.most; j++) {
            n[j] += weight * (1 - heels) * d->any[k * d->inputs.most + j];
            h[j] += weight * heels * d->heels[k * d->inputs.most + j];
        }
    }
    uint64_t count = degree(n, d->inputs.most), follow = degree(h, d->inputs.most);
    for (int k = 0; k < LATTICE_HALF; k++) {
        lattice_point any = lattice_times(at->first[k], power_series(n, count, at->next[k]));
        lattice_point heels = lattice_times(at->fresh[k], power_series(h, follow, at->next[k]));
        lattice_point late = lattice_times(lattice_plus(any, heels), at->late[k]);
        d->sum[0][k] = lattice_scaled(lattice_plus(lattice_scaled(at->calm[k], calm), late), 1 / total);
    }
    lattice_inverse(&d->lattice, d->sum[0], d->p);
    int t = 0;
    for (int k = 0; k < PRESENCE_TIMES; k++) {
        while (t + 1 < LATTICE_POINTS && below + d->p[t] < (k + 0.5) / PRESENCE_TIMES) below += d->p[t++];
        double part = d->p[t] > 0 ? ((k + 0.5) / PRESENCE_TIMES - below) / d->p[t] : 0.5;
        d->presence.sojourn[k] = fmax(t - 0.5 + fmin(part, 1), 0); /* continuous, so that sweeps converge */
    }
}

/* Probabilities n of others become those of n - m more than servers. */
static double shift(const double *n, uint64_t links, uint32_t servers, double *more) {
    double blocked = 0;
    for (uint64_t k = servers; k < links; k++) blocked += more[k - servers] = n[k];
    return blocked;
}

/* Other links of the group that are taken when a head that finds n takes one. */
static double others_taken(const double *n, uint64_t links, uint32_t servers) {
    double mean = 0;
    for (uint64_t k = 0; k < links; k++) mean += n[k] * fmin((double)k, servers - 1);
    return mean;
}

static double mean_wait(const double *more, uint64_t most, double first, double next) {
    double mean = 0;
    for (uint64_t k = 0; k < most; k++) mean += more[k] * (first + (double)k * next);
    return mean;
}

static void meet_class(const queueing_queue *to, const distribution_queue *at, uint64_t k,
                       queueing_distribution *d) {
    const presence *p = &d->presence;
    const uint64_t most = d->inputs.most;
    double *any = d->any + k * most, *heels = d->heels + k * most;
    distribution_turn *t = &d->turn[d->inputs.input[k].turn];
    memset(any, 0, most * sizeof *any);
    memset(heels, 0, most * sizeof *heels);
    presence_any(p, d->class_of[k], d->n);
    t->met = others_taken(d->n, p->links, to->servers);
    t->blocked = shift(d->n, p->links, to->servers, any);
    presence_heels(p, d->class_of[k], d->n);
    double heels_met = others_taken(d->n, p->links, to->servers);
    t->heels_blocked = shift(d->n, p->links, to->servers, heels);
    t->any_mean = mean_wait(any, most, at->first_mean, at->next_mean);
    t->heels_mean = mean_wait(heels, most, at->fresh_mean, at->next_mean);
    double follow = heels_of(d, &d->inputs.input[k]);
    t->met = (1 - follow) * t->met + follow * heels_met;
}

static void copy_class(uint64_t from, uint64_t to, queueing_distribution *d) {
    const uint64_t most = d->inputs.most;
    distribution_turn *t = &d->turn[d->inputs.input[to].turn];
    uint64_t input = t->input;
    *t = d->turn[d->inputs.input[from].turn];
    t->input = input;
    memcpy(d->any + to * most, d->any + from * most, most * sizeof *d->any);
    memcpy(d->heels + to * most, d->heels + from * most, most * sizeof *d->heels);
}

/* The first input of the same class; k itself if none is before it. */
static uint64_t first_alike(const queueing_distribution *d, uint32_t i, uint64_t k) {
    uint64_t first = d->inputs.first[i];
    while (d->class_of[first] != d->class_of[k]) first++;
    return first;
}

static void meet(const queueing_net *q, uint32_t i, double rate, queueing_distribution *d) {
    distribution_queue *at = &d->queue[i];
    double blocked = 0, all = 0, met = 0;
    d->presence.servers = q->queue[i].servers;
    set_sojourns(i, d);
    set_classes(q, i, rate, d);
    presence_solve(&d->presence);
    for (uint64_t k = d->inputs.first[i]; k < d->inputs.first[i + 1]; k++) {
        const queueing_input *in = &d->inputs.input[k];
        const presence_class *class = &d->presence.class[d->class_of[k]];
        distribution_turn *t = &d->turn[in->turn];
        uint64_t like = first_alike(d, i, k);
        d->in_service[k] = class->in_service;
        d->waiting[k] = class->waiting;
        if (like == k)
            meet_class(&q->queue[i], at, k, d);
        else
            copy_class(like, k, d);
        double heels = heels_of(d, in), weight = in->rate * (double)in->links;
        t->wait = (1 - heels) * t->any_mean + heels * t->heels_mean;
        all += weight;
        met += weight * t->met;
        blocked += weight * ((1 - heels) * t->blocked + heels * t->heels_blocked);
    }
    at->waited = all > 0 ? blocked / all : 0;
    at->met = all > 0 ? met / all : 0;
}

/* ---- the whole ---- */

static void solve_queue(const queueing_net *q, uint32_t i, double rate, queueing_state *s) {
    queueing_distribution *d = s->distribution;
    const queueing_queue *to = &q->queue[i];
    distribution_queue *at = &d->queue[i];
    collect(q, i, d);
    find_releases(to, at, d);
    double busy = to->enters > 0 ? at->late_time.mean : at->mean;
    s->mean[i] = at->mean * d->step;
    s->use[i] = rate * to->rate * busy * d->step / to->servers;
    if (s->use[i] >= 1 && s->full == UINT32_MAX) s->full = i;
    if (s->use[i] >= 1) return;
    if (to->enters > 0) {
        distribution_source source = distribution_source_of(q, i, rate, d);
        at->waited = 1 - source.idle * source.first;
        s->source_wait[i] = source.wait * d->step;
    } else if (d->inputs.first[i] < d->inputs.first[i + 1]) {
        meet(q, i, rate * d->step, d);
    }
    s->mean[i] = d->step * ((1 - at->waited) * at->calm_time.mean + at->waited * at->late_time.mean);
}

/* Mean service of one channel: of those of its queue, by its own turns. */
static double service_of(const queueing_net *q, uint32_t c, const queueing_distribution *d) {
    const queueing_channel *from = &q->channel[c];
    double calm = from->ends * q->flits / d->step, late = calm, waited = d->queue[d->queue_of[c]].waited;
    if (!(from->rate > 0)) return q->flits;
    for (uint32_t k = 0; k < from->turns; k++) {
        const queueing_turn *t = &q->turn[from->first + k];
        const distribution_turn *met = &d->turn[from->first + k];
        const distribution_queue *to = &d->queue[t->queue];
        double more = to->late_time.mean - to->calm_time.mean, heels = t->rate / from->rate / t->copies;
        double any = met->any_mean + met->blocked * more, some = met->heels_mean + met->heels_blocked * more;
        calm += t->rate * (to->calm_time.mean + any);
        late += t->rate * (to->calm_time.mean + (1 - heels) * any + heels * some);
    }
    return ((1 - waited) * calm + waited * late) / from->rate * d->step;
}

static double sweep(const queueing_net *q, double rate, queueing_state *s) {
    queueing_distribution *d = s->distribution;
    double change = 0;
    for (uint64_t i = 0; i < q->queues; i++) s->use[i] = NAN; /* not computed in this sweep yet */
    for (uint64_t k = 0; k < q->channels && s->full == UINT32_MAX; k++) {
        uint32_t c = q->order[k];
        const queueing_channel *from = &q->channel[c];
        for (uint32_t t = 0; t < from->turns && s->full == UINT32_MAX; t++)
            if (isnan(s->use[q->turn[from->first + t].queue]))
                solve_queue(q, q->turn[from->first + t].queue, rate, s);
        double before = s->service[c];
        s->service[c] = service_of(q, c, d);
        change = fmax(change, fabs(s->service[c] - before) / s->service[c]);
    }
    for (uint32_t i = 0; i < q->queues && s->full == UINT32_MAX; i++)
        if (isnan(s->use[i])) solve_queue(q, i, rate, s);
    for (uint64_t t = 0; t < q->turns; t++) s->turn_wait[t] = d->turn[t].wait * d->step;
    siblings_clear(&d->siblings);
    for (uint32_t i = 0; i < q->queues; i++)
        if (q->queue[i].servers > 1) siblings_count(&d->siblings, q, i, d->queue[i].met, s->use[i]);
    return change;
}

static void start(const queueing_net *q, queueing_state *s) {
    queueing_distribution *d = s->distribution;
    set_lengths(q, d);
    for (uint64_t i = 0; i < q->queues; i++) {
        distribution_queue *at = &d->queue[i];
        lattice_point *all[] = {at->calm, at->late, at->first, at->fresh, at->next};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            memcpy(all[k], d->length, sizeof(lattice_spectrum));
        at->waited = at->met = 0;
    }
    siblings_clear(&d->siblings);
    for (uint64_t k = 0; k < q->turns; k++) {
        const queueing_input *in = &d->inputs.input[k];
        d->turn[in->turn] = (distribution_turn){.input = k};
    }
    memset(d->any, 0, q->turns * d->inputs.most * sizeof *d->any);
    memset(d->heels, 0, q->turns * d->inputs.most * sizeof *d->heels);
    memset(d->in_service, 0, q->turns * sizeof *d->in_service);
    memset(d->waiting, 0, q->turns * sizeof *d->waiting);
    for (uint64_t c = 0; c < q->channels; c++) s->service[c] = q->flits;
    d->too_long = s->converged = false;
    s->full = UINT32_MAX;
}

static void solve_at_step(const queueing_net *q, double rate, queueing_state *s) {
    start(q, s);
    for (s->sweeps = 0; s->sweeps < SWEEPS_MAX && !s->converged; s->sweeps++) {
        double change = sweep(q, rate, s);
        s->converged = s->full != UINT32_MAX || change <= SETTLED;
    }
}

/* Coarser steps where times are too long for the lattice. */
void queueing_distribution_solve(const queueing_net *q, double rate, queueing_state *s) {
    queueing_distribution *d = s->distribution;
    d->step = first_step(q);
    solve_at_step(q, rate, s);
    for (int i = 0; i < COARSER_MAX && d->too_long && s->full == UINT32_MAX; i++) {
        d->step *= 2;
        solve_at_step(q, rate, s);
    }
}

/* ---- memory ---- */

static bough_status check_sources(const queueing_net *q, bough_error *error) {
    for (uint64_t i = 0; i < q->queues; i++)
        if (q->queue[i].enters > 0 && q->queue[i].servers > 1)
            return bough_fail(
                error, BOUGH_UNSUPPORTED, NULL,
                "queueing:variant=distribution needs endpoints with one link; those of %s have %u",
                q->net->spec, q->queue[i].servers);
    return BOUGH_OK;
}

/* The arrays of allocate. */
uint64_t queueing_distribution_bytes(const queueing_counts *c) {
    enum { TABLES = 8 * LATTICE_POINTS * 8 };
    const uint64_t queue = sizeof(distribution_queue) + SPECTRA * sizeof(lattice_spectrum);
    const uint64_t turn = sizeof(distribution_turn) + 4 * 8;
    uint64_t met = bough_mul(2 * sizeof(double), c->most);
    uint64_t queues = bough_mul(c->queues, queue), turns = bough_mul(c->turns, bough_add(turn, met));
    uint64_t all = bough_add(bough_add(queues, turns), bough_mul(c->channels, sizeof(uint32_t)));
    return bough_add(bough_add(all, queueing_inputs_bytes(c)), sizeof(queueing_distribution) + TABLES);
}

static bough_status allocate(const queueing_net *q, queueing_distribution *d, bough_error *error) {
    uint64_t scratch = 2 * LATTICE_POINTS, servers = 1;
    bough_status status = queueing_inputs_make(q, &d->inputs, error);
    TRY(queueing_siblings_make(q, &d->inputs, &d->siblings, error));
    if (status) return status;
    for (uint64_t i = 0; i < q->queues; i++)
        if (q->queue[i].servers > servers) servers = q->queue[i].servers;
    uint64_t most = d->inputs.most = d->inputs.most ? d->inputs.most : 1;
    if (2 * most > scratch) scratch = 2 * most;
    const bough_array want[] = {
        {&d->queue, q->queues, sizeof *d->queue},
        {&d->turn, q->turns, sizeof *d->turn},
        {&d->queue_of, q->channels, sizeof *d->queue_of},
        {&d->any, bough_mul(q->turns, most), sizeof *d->any},
        {&d->heels, bough_mul(q->turns, most), sizeof *d->heels},
        {&d->in_service, q->turns, sizeof *d->in_service},
        {&d->waiting, q->turns, sizeof *d->waiting},
        {&d->class_of, q->turns, sizeof *d->class_of},
        {&d->presence.class, most, sizeof *d->presence.class},
        {&d->presence.work, presence_work((uint32_t)servers, most) + most + 1, sizeof *d->presence.work},
        {&d->spectra, bough_mul(q->queues, SPECTRA), sizeof(lattice_spectrum)},
        {&d->length, 1, sizeof(lattice_spectrum)},
        {&d->sum[0], 1, sizeof(lattice_spectrum)},
        {&d->sum[1], 1, sizeof(lattice_spectrum)},
        {&d->p, LATTICE_POINTS, sizeof *d->p},
        {&d->r, LATTICE_POINTS, sizeof *d->r},
        {&d->n, scratch, sizeof *d->n},
    };
    return bough_alloc_all(want, sizeof want / sizeof *want, error);
}

bough_status queueing_distribution_make(const queueing_net *q, queueing_distribution **out,
                                        bough_error *error) {
    bough_status status = queueing_inputs_check(q, "distribution", error);
    TRY(check_sources(q, error));
    TRY(bough_alloc(out, 1, sizeof **out, error));
    if (status) return status;
    queueing_distribution *d = *out;
    status = allocate(q, d, error);
    if (status) return status;
    lattice_init(&d->lattice);
    for (uint64_t i = 0; i < q->queues; i++) {
        lattice_point *first = d->spectra + i * SPECTRA * LATTICE_HALF;
        lattice_point **all[SPECTRA] = {
            &d->queue[i].calm, &d->queue[i].late,         &d->queue[i].first,       &d->queue[i].fresh,
            &d->queue[i].next, &d->queue[i].transit_calm, &d->queue[i].transit_late};
        for (int k = 0; k < SPECTRA; k++) *all[k] = first + k * LATTICE_HALF;
        for (uint32_t k = 0; k < q->queue[i].members; k++)
            d->queue_of[q->member[q->queue[i].first + k]] = (uint32_t)i;
    }
    return BOUGH_OK;
}

void queueing_distribution_free(queueing_distribution *d) {
    if (!d) return;
    queueing_inputs_fini(&d->inputs);
    queueing_siblings_fini(&d->siblings);
    FREE_ALL(d->queue, d->turn, d->queue_of, d->any, d->heels, d->in_service, d->waiting, d->class_of,
             d->presence.class, d->presence.work, d->spectra, d->length, d->sum[0], d->sum[1], d->p, d->r,
             d->n, d);
}
