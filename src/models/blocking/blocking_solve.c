/* Solves stage after stage: the requests for a group, the number that are granted a link, and the resulting
 * load of the links.
 *
 * A group of d links grants min(X, d) of X requests, each with the same probability. X is the sum over the
 * bundles that enter its node. Of the links of a bundle, as many are busy as their own group granted to them,
 * and each message on them requests this group with the fraction of that class's messages that does. Bundles
 * are assumed independent of each other; the links within one are not.
 *
 * Bundles are not quite independent: a group's grants occupy its links one by one, so the neighbours of a
 * busy link are busier than average, and their messages may meet again. To first order this adds a competitor
 * at a later group, with the probability that a twin (blocking_paths.c) arrives there times the excess
 * utilization of the other links.
 *
 * A message meets the others, not itself: with Y other requests it passes with probability min(1, d / (1 +
 * Y)). Y excludes the other messages that its own link could have brought, so the probability depends on the
 * input: among wires from above and from beside, those with more traffic meet fewer others. */
#include "base/status/try.h"
#include "models/blocking/blocking.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEGLIGIBLE 1e-18

/* Probabilities of 0, 1, ..., size - 1. */
typedef struct counts {
    double *p;
    size_t size, capacity;
} counts;

typedef struct solver {
    const blocking_net *b;
    double p;
    uint32_t draws;
    double *in, *out;     /* per class: fraction of all messages that request it, and that pass */
    counts *taken;        /* per class: number of taken links of a group */
    double *survive;      /* per path: fraction that has survived */
    uint64_t *first_step; /* per path, into step */
    uint32_t *at;         /* per path: the next class */
    /* Per class before the current one: fraction of all messages that come from there; of those, the fraction
     * that requests this class, where possible; of these the fraction that passes, and its weight in the
     * mean. */
    double *turn, *wants, *pass, *weight, *crowded; /* crowded: what passes with one more competitor */
    double *excess;                    /* per class: busy links beside a busy one, above the average */
    double *step;                      /* per path and place: probability to pass */
    counts sum, factor, busy, product; /* scratch */
    blocking_result *result;
    bough_error *error;
} solver;

static bough_status resize(counts *c, size_t size, bough_error *error) {
    bough_status status = bough_grow(&c->p, &c->capacity, size, sizeof *c->p, error);
    if (!status) c->size = size;
    return status;
}

static bough_status set_none(counts *c, bough_error *error) {
    bough_status status = resize(c, 1, error);
    if (!status) c->p[0] = 1;
    return status;
}

/* Convolution: the sum of two independent counts, in place of the first. */
static bough_status add_counts(solver *s, counts *sum, const counts *more) {
    counts *to = &s->product;
    bough_status status = resize(to, sum->size + more->size - 1, s->error);
    if (status) return status;
    memset(to->p, 0, to->size * sizeof *to->p);
    for (size_t i = 0; i < sum->size; i++)
        for (size_t k = 0; k < more->size; k++) to->p[i + k] += sum->p[i] * more->p[k];
    while (to->size > 1 && to->p[to->size - 1] < NEGLIGIBLE) to->size--;
    counts swapped = *sum;
    *sum = *to;
    *to = swapped;
    return BOUGH_OK;
}

static double binomial(uint64_t n, uint64_t k, double q) {
    if (q <= 0) return k == 0;
    if (q >= 1) return k == n;
    double lg = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(lg + (double)k * log(q) + (double)(n - k) * log1p(-q));
}

/* Of d links `taken` are taken; k of them are examined. */
static double hypergeometric(uint64_t d, uint64_t taken, uint64_t k, uint64_t i) {
    if (i > taken || k - i > d - taken) return 0;
    double lg = 0;
    const uint64_t over[][2] = {{taken, i}, {d - taken, k - i}};
    for (int j = 0; j < 2; j++)
        lg += lgamma((double)over[j][0] + 1) - lgamma((double)over[j][1] + 1) -
              lgamma((double)(over[j][0] - over[j][1]) + 1);
    return exp(lg - lgamma((double)d + 1) + lgamma((double)k + 1) + lgamma((double)(d - k) + 1));
}

/* Busy links of a bundle. */
static bough_status set_busy(solver *s, const blocking_bundle *bundle) {
    const counts *taken = &s->taken[bundle->class];
    uint32_t links = s->b->class[bundle->class].links;
    bough_status status = resize(&s->busy, bundle->links + 1u, s->error);
    if (status) return status;
    for (uint32_t i = 0; i <= bundle->links; i++) {
        s->busy.p[i] = 0;
        for (size_t t = 0; t < taken->size; t++)
            s->busy.p[i] += taken->p[t] * hypergeometric(links, t, bundle->links, i);
    }
    return BOUGH_OK;
}

/* Of busy.p[i] with i messages, each of which requests with probability q: number of requests. */
static bough_status set_asking(solver *s, double q) {
    bough_status status = resize(&s->factor, s->busy.size, s->error);
    if (status) return status;
    for (size_t j = 0; j < s->busy.size; j++) {
        s->factor.p[j] = 0;
        for (size_t i = j; i < s->busy.size; i++) s->factor.p[j] += s->busy.p[i] * binomial(i, j, q);
    }
    return BOUGH_OK;
}

/* Conditions on one message of the bundle being present: the other messages. */
static void see_others(counts *busy) {
    double mean = 0;
    for (size_t i = 1; i < busy->size; i++) mean += (double)i * busy->p[i];
    for (size_t i = 1; i < busy->size; i++)
        busy->p[i - 1] = mean > 0 ? (double)i * busy->p[i] / mean : i == 1;
    if (busy->size > 1) busy->size--;
}

/* ---- one class ---- */

/* The kinds of a class are contiguous. */
static uint32_t first_kind(const blocking_net *b, uint32_t class) {
    uint32_t low = 0, high = b->kinds;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (b->kind[middle].class < class)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Fraction of the links of a class into switches that can request groups of another. */
static double reach(const blocking_net *b, uint32_t from, uint32_t to) {
    double all = 0, here = 0;
    for (uint32_t i = 0; i < b->turns; i++) {
        if (b->turn[i].from != from) continue;
        if (b->turn[i].to == BLOCKING_ALL) all = b->turn[i].links;
        if (b->turn[i].to == to) here = b->turn[i].links;
    }
    return all > 0 && here > 0 ? here / all : 1;
}

/* The probability that a message from a bundle requests a group that it can request. */
static double asks_for(const solver *s, const blocking_bundle *bundle) {
    double q = s->wants[bundle->class] / bundle->choices;
    return q < 1 ? q : 1;
}

/* Requests for a group of the kind, from all bundles except one of `without`. */
static bough_status sum_requests(solver *s, const blocking_kind *kind, const blocking_bundle *without) {
    bough_status status = set_none(&s->sum, s->error);
    for (uint32_t k = 0; k < kind->bundles && !status; k++) {
        const blocking_bundle *bundle = &kind->bundle[k];
        double q = asks_for(s, bundle);
        if (q == 0) continue;
        status = set_busy(s, bundle);
        TRY(set_asking(s, q));
        for (uint32_t c = bundle == without; c < bundle->count && !status; c++)
            status = add_counts(s, &s->sum, &s->factor);
    }
    return status;
}

/* The probability that a message from a bundle passes; crowded: with one more competitor. */
static bough_status chance(solver *s, const blocking_kind *kind, const blocking_bundle *from, double *passes,
                           double *crowded) {
    bough_status status = sum_requests(s, kind, from);
    TRY(set_busy(s, from));
    if (status) return status;
    see_others(&s->busy);
    status = set_asking(s, asks_for(s, from));
    TRY(add_counts(s, &s->sum, &s->factor));
    double links = s->b->class[kind->class].links;
    *passes = *crowded = 0;
    for (size_t y = 0; y < s->sum.size && !status; y++) {
        *passes += s->sum.p[y] * fmin(1, links / (double)(y + 1));
        *crowded += s->sum.p[y] * fmin(1, links / (double)(y + 2));
    }
    return status;
}

static void add_taken(const counts *requests, double weight, counts *taken) {
    for (size_t x = 0; x < requests->size; x++)
        taken->p[x < taken->size ? x : taken->size - 1] += weight * requests->p[x];
}

/* Traffic into a class from other classes: turn[] is the input, pass[] the output. Kinds are weighted by
 * their groups; traffic of a bundle by its links and, of its choices, this one. */
static bough_status pass_stage(solver *s, uint32_t class) {
    const blocking_net *b = s->b;
    uint32_t first = first_kind(b, class), end = first;
    double groups = 0, passes = 0, crowded = 0;
    bough_status status = BOUGH_OK;
    for (uint32_t f = 0; f < class; f++) {
        s->pass[f] = s->weight[f] = s->crowded[f] = 0;
        s->wants[f] = s->turn[f] > 0 ? s->turn[f] / s->out[f] / reach(b, f, class) : 0;
    }
    for (; end < b->kinds && b->kind[end].class == class; end++) groups += (double)b->kind[end].groups;
    for (uint32_t i = first; i < end && !status; i++) {
        const blocking_kind *kind = &b->kind[i];
        status = sum_requests(s, kind, NULL);
        if (!status) add_taken(&s->sum, (double)kind->groups / groups, &s->taken[class]);
        for (uint32_t k = 0; k < kind->bundles && !status; k++) {
            const blocking_bundle *from = &kind->bundle[k];
            if (!(s->turn[from->class] > 0)) continue;
            double weight = (double)kind->groups * from->links * from->count / from->choices;
            status = chance(s, kind, from, &passes, &crowded);
            s->pass[from->class] += weight * passes;
            s->crowded[from->class] += weight * crowded;
            s->weight[from->class] += weight;
        }
    }
    for (uint32_t f = 0; f < class; f++) {
        if (!(s->turn[f] > 0)) continue;
        s->pass[f] = s->weight[f] > 0 ? s->pass[f] / s->weight[f] : 1;
        s->crowded[f] = s->weight[f] > 0 ? s->crowded[f] / s->weight[f] : 1;
    }
    return status;
}

/* Requests of an endpoint for its own links; the probability of each. */
static double pass_source(solver *s, uint32_t class) {
    double requests = s->p * s->draws, granted = 0;
    counts *taken = &s->taken[class];
    for (uint32_t x = 0; x <= s->draws; x++) {
        uint32_t links = s->b->class[class].links, got = x < links ? x : links;
        double probability = binomial(s->draws, x, s->p);
        taken->p[got] += probability;
        granted += probability * got;
    }
    return requests > 0 ? granted / requests : 1;
}

/* Excess utilization of the other links beside a busy one. */
static double excess_of(const counts *taken) {
    double mean = 0, pairs = 0, links = (double)taken->size - 1;
    for (size_t i = 1; i < taken->size; i++) {
        mean += (double)i * taken->p[i];
        pairs += (double)i * (double)(i - 1) * taken->p[i];
    }
    return mean > 0 ? pairs / mean - (links - 1) * mean / links : 0;
}

/* Competitors at place j of a path that left it earlier, above the average. */
static double twins_at(const solver *s, uint32_t path, uint32_t j) {
    const blocking_path *p = &s->b->path[path];
    const double *step = s->step + s->first_step[path];
    double sum = 0, reach = 1; /* reach: probability that a twin comes this far */
    for (uint32_t i = j; i-- > 0; reach *= step[i])
        sum += s->excess[p->class[i]] * p->meets[i * p->length + j] * reach;
    return sum;
}

/* Advances the paths by one class. */
static bough_status solve_class(solver *s, uint32_t class) {
    const blocking_net *b = s->b;
    bool source = b->class[class].source, passed = false;
    for (uint32_t f = 0; f < class; f++) s->turn[f] = 0;
    for (uint32_t i = 0; i < b->paths; i++) {
        const blocking_path *p = &b->path[i];
        if (s->at[i] == p->length || p->class[s->at[i]] != class) continue;
        double share = b->share[p->level] * p->share * s->survive[i];
        s->in[class] += share;
        passed = true;
        if (s->at[i] > 0) s->turn[p->class[s->at[i] - 1]] += share;
    }
    bough_status status = resize(&s->taken[class], b->class[class].links + 1u, s->error);
    if (status) return status;
    memset(s->taken[class].p, 0, s->taken[class].size * sizeof(double));
    if (!passed) {
        s->taken[class].p[0] = 1;
        return BOUGH_OK;
    }
    double at_source = source ? pass_source(s, class) : 1;
    if (!source) status = pass_stage(s, class);
    for (uint32_t i = 0; i < b->paths && !status; i++) {
        const blocking_path *p = &b->path[i];
        if (s->at[i] == p->length || p->class[s->at[i]] != class) continue;
        double chance_here = at_source;
        if (s->at[i] > 0) {
            uint32_t from = p->class[s->at[i] - 1];
            chance_here = s->pass[from] + twins_at(s, i, s->at[i]) * (s->crowded[from] - s->pass[from]);
        }
        s->step[s->first_step[i] + s->at[i]] = chance_here;
        s->survive[i] *= chance_here;
        s->out[class] += b->share[p->level] * p->share * s->survive[i];
        s->at[i]++;
    }
    s->excess[class] = excess_of(&s->taken[class]);
    return status;
}

/* ---- all ---- */

static void sum_up(const solver *s) {
    const blocking_net *b = s->b;
    blocking_result *r = s->result;
    double messages = s->p * s->draws * (double)b->net->endpoints;
    for (uint32_t i = 0; i < b->paths; i++) {
        r->level[b->path[i].level] += b->path[i].share * s->survive[i];
        r->success += b->share[b->path[i].level] * b->path[i].share * s->survive[i];
    }
    for (uint32_t c = 0; c < b->classes; c++) {
        r->pass[c] = s->in[c] > 0 ? s->out[c] / s->in[c] : NAN;
        r->load[c] = messages * s->in[c] / (double)b->class[c].groups;
    }
}

bough_status blocking_solve(const blocking_net *b, double p, uint32_t draws, blocking_result *result,
                            bough_error *error) {
    solver s = {.b = b, .p = p, .draws = draws, .result = result, .error = error};
    *result = (blocking_result){0};
    uint64_t steps = 0;
    for (uint32_t i = 0; i < b->paths; i++) steps += b->path[i].length;
    const bough_array want[] = {
        {&s.crowded, b->classes, sizeof(double)},
        {&s.excess, b->classes, sizeof(double)},
        {&s.step, steps, sizeof(double)},
        {&s.first_step, b->paths, sizeof(uint64_t)},
        {&result->pass, b->classes, sizeof(double)},
        {&result->load, b->classes, sizeof(double)},
        {&s.in, b->classes, sizeof(double)},
        {&s.out, b->classes, sizeof(double)},
        {&s.turn, b->classes, sizeof(double)},
        {&s.pass, b->classes, sizeof(double)},
        {&s.wants, b->classes, sizeof(double)},
        {&s.weight, b->classes, sizeof(double)},
        {&s.taken, b->classes, sizeof(counts)},
        {&s.survive, b->paths, sizeof(double)},
        {&s.at, b->paths, sizeof(uint32_t)},
    };
    bough_status status = bough_alloc_all(want, sizeof want / sizeof *want, error);
    for (uint32_t i = 0, first = 0; i < b->paths && !status; first += b->path[i++].length) {
        s.survive[i] = 1;
        s.first_step[i] = first;
    }
    for (uint32_t c = 0; c < b->classes && !status; c++) status = solve_class(&s, c);
    if (!status) sum_up(&s);
    for (uint32_t c = 0; c < b->classes && s.taken; c++) free(s.taken[c].p);
    FREE_ALL(s.crowded, s.excess, s.step, s.first_step, s.wants, s.weight, s.in, s.out, s.turn, s.pass,
             s.taken, s.survive, s.at, s.sum.p, s.factor.p, s.busy.p, s.product.p);
    if (status) blocking_result_fini(result);
    return status;
}

void blocking_result_fini(blocking_result *result) {
    FREE_ALL(result->pass, result->load);
    *result = (blocking_result){0};
}
