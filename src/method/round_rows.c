#include "method/round_rows.h"

#include "base/status/try.h"

#include <math.h>

bough_status round_rows_within(uint64_t rounds, uint64_t most, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t r = 1; r <= most && !status; r++)
        status = bough_rows_add(rows, BOUGH_METRIC_ROUNDS_WITHIN, (int64_t)r, rounds <= r, error);
    return status;
}

/* The least round until which a share of the delivered messages has arrived. */
static uint64_t quantile(const uint64_t *per_round, uint64_t rounds, double share) {
    uint64_t all = 0, arrived = 0, r = 0;
    for (uint64_t i = 0; i < rounds; i++) all += per_round[i];
    for (double wanted = share * (double)all - 1e-9; r < rounds && (double)arrived < wanted; r++)
        arrived += per_round[r];
    return r;
}

bough_status round_rows_attempts(const uint64_t *per_attempt, uint64_t count, bough_rows *rows,
                                 bough_error *error) {
    static const struct {
        bough_metric_id metric;
        double share;
    } line[] = {{BOUGH_METRIC_ATTEMPTS_P50, 0.5},
                {BOUGH_METRIC_ATTEMPTS_P90, 0.9},
                {BOUGH_METRIC_ATTEMPTS_P99, 0.99},
                {BOUGH_METRIC_ATTEMPTS_P999, 0.999}};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        TRY(bough_rows_add(rows, line[i].metric, BOUGH_NO_ROW_INDEX,
                           (double)quantile(per_attempt, count, line[i].share), error));
    return status;
}

bough_status round_rows_history(const uint64_t *per_round, uint64_t rounds, bough_rows *rows,
                                bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t r = 0; r < rounds && !status; r++)
        status =
            bough_rows_add(rows, BOUGH_METRIC_DELIVERED_ROUND, (int64_t)r + 1, (double)per_round[r], error);
    TRY(round_rows_attempts(per_round, rounds, rows, error));
    return status;
}
