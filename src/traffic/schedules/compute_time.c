#include "traffic/schedules/compute_time.h"

#include "base/memory/memory.h"

#include "traffic/schedules/ranks.h"

#include <math.h>

bool compute_times_vary(const compute_times *t) {
    return t->workload->host.jitter.kind != BOUGH_JITTER_NONE ||
           (t->net && bough_net_computes_slowly(t->net));
}

/* Above 0 and at most 1. */
static double positive_unit(uint64_t word) {
    return 1 - bough_unit(word);
}

/* Box and Muller: normal with variance 1. */
static double normal(const uint64_t word[2]) {
    const double turn = 6.283185307179586;
    return sqrt(-2 * log(positive_unit(word[0]))) * cos(turn * bough_unit(word[1]));
}

/* The time that takes the place of t, in ps. */
static double varied(const bough_jitter *j, const uint64_t word[2], double t) {
    if (j->kind == BOUGH_JITTER_EXPONENTIAL) return t * (1 - j->share * log(positive_unit(word[0])));
    if (j->kind == BOUGH_JITTER_SPIKE) return bough_unit(word[0]) < j->share ? t + (double)j->time : t;
    const double variance = log1p(j->share * j->share); /* of the logarithm */
    return t * exp(sqrt(variance) * normal(word) - variance / 2);
}

uint64_t compute_time(const compute_times *t, uint32_t rank, uint32_t op) {
    const bough_workload *w = t->workload;
    const bough_op *o = &w->schedule->op[op];
    uint64_t time = bough_mul(o->size, 1000);
    if (o->tag == BOUGH_CALC_CLOCK || rank >= bough_schedule_hosts(w->schedule)) return time;
    if (t->net) time = bough_net_compute_time(t->net, w->endpoint[rank], time);
    if (w->host.jitter.kind != BOUGH_JITTER_NONE) {
        const uint64_t word[] = {bough_word(t->key, BOUGH_DRAW_JITTER, op, 0),
                                 bough_word(t->key, BOUGH_DRAW_JITTER, op, 1)};
        double lasts = varied(&w->host.jitter, word, (double)time);
        time = lasts < (double)RANKS_TIME_MAX ? (uint64_t)llround(lasts) : RANKS_TIME_MAX;
    }
    return time < RANKS_TIME_MAX ? time : RANKS_TIME_MAX;
}
