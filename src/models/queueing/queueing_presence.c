/* clang-format off */
/* Which messages are at a queue at a time?
 *
 * Each link has no message there, one in service, or one that waits; the fractions of time are known (Little).
 * Of all joint distributions with these fractions we take the most random one (of maximum entropy) that keeps
 * the rule of a queue: nobody waits while one of the m links is free. Its probabilities are products, of a
 * weight `in_service` or `waiting` for each link, over the states that the rule allows. The weights follow
 * by iterative proportional fitting (Deming, Stephan, 1940). Without the rule, links would be independent: then
 * long waits would make the queue busy for more time than its messages need.
 *
 * A head that follows its predecessor closely, in the cycle in which that releases their link and a link of
 * the queue, finds the messages that came while the predecessor was there: more, the longer that was. And it is
 * the longer times that have a successor: a time T has one with probability 1 - exp(-rate T). So what it
 * finds is averaged over times T with these weights. */
/* clang-format on */
#include "models/queueing/queueing_presence.h"

#include <math.h>
#include <string.h>

enum { FITS = 20, NEWTON = 60 };
static const double FITTED = 1e-10, DAMPING = 0.7, LEAST = 1e-12, MOST = 1 - 1e-9;

/* G[J][W]: sum of the products over all choices of J links in service and W waiting. */
typedef struct choices {
    double *g;
    uint32_t servers;
    uint64_t width; /* links + 1 */
} choices;

size_t presence_work(uint32_t servers, uint64_t links) {
    return (size_t)((servers + 1) * (links + 1));
}

static void add_link(choices *c, double in_service, double waiting) {
    for (uint32_t j = c->servers + 1; j-- > 0;)
        for (uint64_t w = c->width; w-- > 0;) {
            double *at = &c->g[j * c->width + w];
            if (j > 0) *at += in_service * at[-(ptrdiff_t)c->width];
            if (w > 0) *at += waiting * at[-1];
        }
}

/* The factor by which the weights of a class grow, if its messages are there `by` times as often. */
static double odds(const presence_class *c, double by) {
    double there = fmin(c->served + c->waits, MOST);
    return by * (1 - there) / (1 - fmin(by * there, MOST));
}

/* All links but one of class `own`; its siblings are there `by` times as often. */
static choices without(const presence *p, size_t own, double by) {
    choices c = {p->work, p->servers, p->links + 1};
    memset(c.g, 0, presence_work(p->servers, p->links) * sizeof *c.g);
    c.g[0] = 1;
    for (size_t k = 0; k < p->classes; k++) {
        const presence_class *at = &p->class[k];
        double more = by != 1 && at->sibling > 0 ? odds(at, by) : 1;
        for (uint64_t i = k == own; i < at->links; i++)
            add_link(&c, more * at->in_service, more * at->waiting);
    }
    return c;
}

/* The sum over states of the others in which at most `most` links are taken, all of them if others wait. */
static double allowed(const choices *c, uint32_t most) {
    double sum = 0;
    for (uint32_t j = 0; j < most; j++) sum += c->g[j * c->width];
    for (uint64_t w = 0; w < c->width; w++) sum += c->g[most * c->width + w];
    return sum;
}

static double all_waiting(const choices *c) {
    double sum = 0;
    for (uint64_t w = 0; w < c->width; w++) sum += c->g[c->servers * c->width + w];
    return sum;
}

/* One step towards the fractions of a class; returns the relative error before. */
static double fit(presence *p, size_t k) {
    presence_class *c = &p->class[k];
    choices others = without(p, k, 1);
    double absent = allowed(&others, p->servers);
    double served = c->in_service * allowed(&others, p->servers - 1),
           waits = c->waiting * all_waiting(&others);
    double all = absent + served + waits, error = fabs(served / all / c->served - 1);
    c->in_service *= pow(c->served * all / served, DAMPING);
    if (!(c->waits > LEAST) || !(waits > 0)) return error;
    c->waiting *= pow(c->waits * all / waits, DAMPING);
    return fmax(error, fabs(waits / all / c->waits - 1));
}

/* The rate at which a message comes within a time of the sojourns with the given mean probability. Newton's
 * method from below, where the function is concave. */
static double rate_of(const presence *p, double probability) {
    double mean = 0;
    for (int t = 0; t < PRESENCE_TIMES; t++) mean += p->sojourn[t] / PRESENCE_TIMES;
    double rate = mean > 0 ? probability / mean : 0;
    for (int i = 0; i < NEWTON && rate > 0; i++) {
        double value = 0, slope = 0;
        for (int t = 0; t < PRESENCE_TIMES; t++) {
            double e = exp(-rate * p->sojourn[t]);
            value += (1 - e) / PRESENCE_TIMES;
            slope += p->sojourn[t] * e / PRESENCE_TIMES;
        }
        double by = (probability - value) / slope;
        if (!(by > rate * 1e-12)) break;
        rate += by;
    }
    return rate;
}

void presence_solve(presence *p) {
    for (size_t k = 0; k < p->classes; k++) {
        presence_class *c = &p->class[k];
        c->served = fmin(fmax(c->served, LEAST), MOST);
        c->waits = fmin(fmax(c->waits, LEAST), fmax(MOST - c->served, LEAST));
        if (!(c->in_service > 0)) c->in_service = c->served;
        if (!(c->waiting > 0)) c->waiting = c->waits;
        c->comes = rate_of(p, fmin(c->served + c->waits, MOST));
    }
    double error = 1;
    for (int i = 0; i < FITS && error > FITTED; i++) {
        error = 0;
        for (size_t k = 0; k < p->classes; k++) error = fmax(error, fit(p, k));
    }
}

static void normalize(double *n, uint64_t count) {
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += n[i];
    for (uint64_t i = 0; i < count && sum > 0; i++) n[i] /= sum;
}

void presence_any(const presence *p, size_t own, double *n) {
    const double by = p->class[own].sibling;
    choices c = without(p, own, by > 0 ? by : 1);
    memset(n, 0, p->links * sizeof *n);
    for (uint32_t j = 0; j < p->servers && j < p->links; j++) n[j] += c.g[j * c.width];
    for (uint64_t w = 0; p->servers + w < p->links; w++) n[p->servers + w] += c.g[p->servers * c.width + w];
    normalize(n, p->links);
}

static void add_present(double *n, uint64_t *length, double probability) {
    n[*length] = 0;
    for (uint64_t i = *length; i > 0; i--) n[i] = n[i] * (1 - probability) + n[i - 1] * probability;
    n[0] *= 1 - probability;
    ++*length;
}

void presence_heels(const presence *p, size_t own, double *n) {
    double weights = 0;
    memset(n, 0, p->links * sizeof *n);
    for (int t = 0; t < PRESENCE_TIMES; t++) {
        double weight = -expm1(-p->class[own].rate * p->sojourn[t]), *met = p->work;
        uint64_t length = 1;
        met[0] = 1;
        for (size_t k = 0; k < p->classes; k++) {
            const presence_class *c = &p->class[k];
            double there = -expm1(-c->comes * p->sojourn[t]);
            for (uint64_t i = k == own; i < c->links; i++) add_present(met, &length, there);
        }
        for (uint64_t i = 0; i < p->links; i++) n[i] += weight * met[i];
        weights += weight;
    }
    for (uint64_t i = 0; i < p->links && weights > 0; i++) n[i] /= weights;
}
