/* Rows about the rounds of a trial that several methods report. */
#ifndef BOUGH_METHOD_ROUND_ROWS_H
#define BOUGH_METHOD_ROUND_ROWS_H

#include "method/method.h"

/* rounds_within[r] for r = 1 .. most: 1 if the trial took at most r rounds, else 0. Their means over trials
 * are the distribution function of rounds, whose quantiles are properties of the set of trials. */
bough_status round_rows_within(uint64_t rounds, uint64_t most, bough_rows *rows, bough_error *error);
/* delivered_round[r] and quantiles over messages of the round in which they are delivered, which is the
 * number of their attempts: attempts_p50, p90, p99, p999. per_round: deliveries of round r at r - 1. */
bough_status round_rows_history(const uint64_t *per_round, uint64_t rounds, bough_rows *rows,
                                bough_error *error);

/* Only those quantiles. per_attempt: deliveries at attempt k at k - 1. */
bough_status round_rows_attempts(const uint64_t *per_attempt, uint64_t count, bough_rows *rows,
                                 bough_error *error);

#endif
