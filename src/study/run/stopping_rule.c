#include "study/run/stopping_rule.h"

#include <math.h>

bool stopping_rule_met(const bough_effort *effort, const bough_stats *watched, uint64_t trials) {
    if (trials >= effort->trials || !watched) return true;
    /* equal values have no width, and a few equal trials are no evidence that all are equal */
    if (watched->m2 == 0 && watched->count < BOUGH_CONSTANT_TRIALS) return false;
    return bough_stats_ci95(watched) <= effort->precision * fabs(watched->mean);
}

uint64_t stopping_rule_next(const bough_effort *effort, uint64_t trials) {
    trials += trials / 2;
    return trials < effort->trials ? trials : effort->trials;
}
