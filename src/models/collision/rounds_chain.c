/* T_k(r), the probability that k balls need at most r rounds, follows from the occupancy of bins: if d of the
 * b bins are hit with probability P_k(d), T_k(r) = sum over d of P_k(d) T_(k-d)(r-1). P_k follows from
 * P_(k-1) ball by ball, so one pass over k = 1 .. m computes all.
 *
 * Two truncations keep it small. P_k is a band around its mean: probabilities below TINY at its ends are
 * dropped. T_k is computed only for the k in windows of WIDTH standard deviations around the path that the
 * number of balls takes from m; a path that leaves them is dropped. What is dropped is missing in the last
 * entry of the result, 1 - T_m(rounds), which therefore bounds the error. */
#include "models/collision/rounds_chain.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TINY  1e-25
#define WIDTH 9 /* standard deviations; and MARGIN balls, for numbers too small to be normal */
enum { MARGIN = 30, CHECKED = 1024 };

double rounds_expected_delivery(double balls, double bins) {
    return bins > 1 ? -bins * expm1(balls * log1p(-1 / bins)) : balls > 0;
}

/* Standard deviation of the number of bins hit by independent balls, asymptotically. */
static double spread(double balls, double bins) {
    double c = balls / bins;
    return sqrt(bins * exp(-c) * fmax(0, 1 - (1 + c) * exp(-c)));
}

uint64_t rounds_fluid(double balls, double bins, double *left, uint64_t count) {
    uint64_t round = 0;
    for (double x = balls;; round++) {
        if (round < count) left[round] = x;
        if (x < 0.5) return round;
        x = bins > 1 ? fmax(0, x - rounds_expected_delivery(x, bins)) : x - 1;
    }
}

/* Numbers of balls that can remain after a round: those of a range, closed. */
typedef struct window {
    uint64_t low, high;
} window;

static window next_window(window w, double bins) {
    double low = (double)w.low, high = (double)w.high;
    low -= rounds_expected_delivery(low, bins) + WIDTH * spread(low, bins) + MARGIN;
    double least = rounds_expected_delivery(high, bins) - WIDTH * spread(high, bins) - MARGIN;
    high -= fmax(1, floor(least));
    return (window){low > 0 ? (uint64_t)low : 0, high > 0 ? (uint64_t)high : 0};
}

/* Calls each window in turn; the last one begins at 0 and holds all that remain. Returns the sum of their
 * lengths. */
static uint64_t mark_windows(uint64_t balls, double bins, uint64_t *needed) {
    uint64_t sum = 0;
    window w = {balls, balls};
    for (bool last = false; !last; w = next_window(w, bins)) {
        last = w.low == 0;
        for (uint64_t k = w.low; needed && k <= w.high; k++) needed[k >> 6] |= UINT64_C(1) << (k & 63);
        sum += w.high - w.low + 1;
    }
    return sum < balls + 1 ? sum : balls + 1;
}

/* No game needs more rounds than balls. Beyond the fluid limit, the last two balls meet again with
 * probability 1/b. */
static unsigned rounds_kept(uint64_t balls, uint64_t bins) {
    double fluid = (double)rounds_fluid((double)balls, (double)bins, NULL, 0);
    double kept = fluid + 10 * sqrt(fluid) + 10 + (bins > 1 ? 45 / log2((double)bins) : 0);
    return kept < (double)balls ? (unsigned)kept : (unsigned)balls;
}

uint64_t rounds_chain_bytes(uint64_t balls, uint64_t bins) {
    uint64_t rows = mark_windows(balls, (double)bins, NULL), most = balls < bins ? balls : bins;
    uint64_t bytes = bough_mul(rows, bough_mul((uint64_t)rounds_kept(balls, bins) + 1, sizeof(double)));
    return bough_add(bytes, bough_add(bough_mul(most + 2, sizeof(double)), bough_mul(balls + 64, 5)));
}

typedef struct chain {
    uint64_t balls, bins;
    size_t rounds; /* of a row: entries 0 .. rounds */
    uint64_t *needed;
    uint32_t *row; /* by number of balls: its row + 1; 0: not needed */
    double *within, *hit;
    uint64_t low, high; /* band of hit: bins hit by the present number of balls */
} chain;

/* One more ball. */
static void add_ball(chain *c) {
    double b = (double)c->bins;
    double *hit = c->hit;
    if (c->high < c->bins) hit[++c->high] = 0;
    for (uint64_t d = c->high; d > c->low; d--)
        hit[d] = hit[d] * ((double)d / b) + hit[d - 1] * ((b - (double)d + 1) / b);
    hit[c->low] *= (double)c->low / b;
    while (c->low < c->high && hit[c->low] < TINY) c->low++;
    while (c->high > c->low && hit[c->high] < TINY) c->high--;
}

static void fill_row(chain *c, uint64_t balls) {
    double *to = c->within + (c->row[balls] - 1) * (c->rounds + 1);
    for (uint64_t d = c->low > 0 ? c->low : 1; d <= c->high && d <= balls; d++) {
        if (!c->row[balls - d]) continue;
        const double *from = c->within + (c->row[balls - d] - 1) * (c->rounds + 1), p = c->hit[d];
        for (size_t r = 0; r < c->rounds; r++) to[r + 1] += p * from[r];
    }
}

static bough_status make_chain(chain *c, bough_error *error) {
    uint64_t most = c->balls < c->bins ? c->balls : c->bins, rows = 0;
    bough_status status = bough_alloc(&c->needed, c->balls / 64 + 1, sizeof *c->needed, error);
    TRY(bough_alloc(&c->row, c->balls + 1, sizeof *c->row, error));
    TRY(bough_alloc(&c->hit, most + 2, sizeof *c->hit, error));
    if (status) return status;
    mark_windows(c->balls, (double)c->bins, c->needed);
    for (uint64_t k = 0; k <= c->balls; k++)
        if (c->needed[k >> 6] >> (k & 63) & 1) c->row[k] = (uint32_t)++rows;
    return bough_alloc(&c->within, bough_mul(rows, c->rounds + 1), sizeof *c->within, error);
}

static bough_status climb(const bough_run *run, chain *c, bough_error *error) {
    for (size_t r = 0; r <= c->rounds; r++) c->within[r] = 1; /* no balls: row 1 */
    c->hit[0] = 1;
    for (uint64_t k = 1; k <= c->balls; k++) {
        add_ball(c);
        if (c->row[k]) fill_row(c, k);
        if (k % CHECKED == 0 && bough_run_stopped(run))
            return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    }
    return BOUGH_OK;
}

bough_status rounds_chain_solve(const bough_run *run, uint64_t balls, uint64_t bins, rounds_law *law,
                                bough_error *error) {
    chain c = {.balls = balls, .bins = bins, .rounds = rounds_kept(balls, bins)};
    *law = (rounds_law){.rounds = (unsigned)c.rounds};
    bough_status status = make_chain(&c, error);
    TRY(climb(run, &c, error));
    TRY(bough_alloc(&law->within, c.rounds + 1, sizeof *law->within, error));
    if (!status) {
        memcpy(law->within, c.within + (c.row[balls] - 1) * (c.rounds + 1),
               (c.rounds + 1) * sizeof *law->within);
        for (size_t r = 0; r < c.rounds; r++) law->mean += law->within[c.rounds] - law->within[r];
        law->missing = fmax(0, 1 - law->within[c.rounds]);
    }
    FREE_ALL(c.needed, c.row, c.within, c.hit);
    return status;
}

unsigned rounds_law_quantile(const rounds_law *law, double probability) {
    unsigned r = 0;
    while (r < law->rounds && law->within[r] < probability) r++;
    return r;
}
