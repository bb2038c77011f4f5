#include "models/queueing/queueing_lattice.h"

#include <math.h>
#include <string.h>

enum { POINTS = LATTICE_POINTS, PAIRS = LATTICE_POINTS / 2 };

lattice_point lattice_exp(lattice_point a) {
    double size = exp(a.re);
    return (lattice_point){size * cos(a.im), size * sin(a.im)};
}

void lattice_init(queueing_lattice *l) {
    for (int k = 0; k < POINTS; k++) {
        double angle = -2 * acos(-1) * k / POINTS;
        l->root[k] = (lattice_point){cos(angle), sin(angle)};
    }
    for (int k = 1; k < PAIRS; k++)
        l->reversed[k] = (uint16_t)(l->reversed[k / 2] / 2 + (k % 2 ? PAIRS / 2 : 0));
    for (int size = 2; size <= PAIRS; size *= 2)
        for (int k = 0; k < size / 2; k++) l->stage[size / 2 + k] = l->root[k * (POINTS / size)];
}

/* ---- the transform ---- */

static inline void butterfly(lattice_point *a, lattice_point *b, lattice_point w) {
    lattice_point t = lattice_times(*b, w), sum = lattice_plus(*a, t);
    *b = (lattice_point){a->re - t.re, a->im - t.im};
    *a = sum;
}

/* Two stages of radix 2, of sizes 2 quarter and 4 quarter, in one pass. */
static inline void two_stages(const queueing_lattice *l, lattice_point *x, uint32_t quarter, double sign) {
    const lattice_point *one = &l->stage[quarter], *two = &l->stage[2 * quarter];
    for (lattice_point *first = x; first < x + PAIRS; first += 4 * quarter)
        for (uint32_t k = 0; k < quarter; k++) {
            lattice_point *at = first + k, a = at[0], b = at[quarter], c = at[2 * quarter],
                          d = at[3 * quarter];
            lattice_point w = {one[k].re, sign * one[k].im}, u = {two[k].re, sign * two[k].im};
            lattice_point v = {two[k + quarter].re, sign * two[k + quarter].im};
            butterfly(&a, &b, w);
            butterfly(&c, &d, w);
            butterfly(&a, &c, u);
            butterfly(&b, &d, v);
            at[0] = a, at[quarter] = b, at[2 * quarter] = c, at[3 * quarter] = d;
        }
}

/* PAIRS points, an odd power of 2, in the order of `reversed`; sign -1 inverts, without the factor. */
static inline void transform(const queueing_lattice *l, lattice_point *x, double sign) {
    for (uint32_t i = 0; i < PAIRS; i += 2) butterfly(&x[i], &x[i + 1], (lattice_point){1, 0});
    for (uint32_t quarter = 2; quarter < PAIRS; quarter *= 4) two_stages(l, x, quarter, sign);
}

/* Pairs of real numbers as one complex number: half the work. */
void lattice_forward(queueing_lattice *l, const double *p, lattice_point *spectrum) {
    lattice_point *x = l->scratch;
    for (int k = 0; k < PAIRS; k++) x[l->reversed[k]] = (lattice_point){p[2 * k], p[2 * k + 1]};
    transform(l, x, 1);
    for (int k = 0; k <= PAIRS; k++) {
        lattice_point a = x[k % PAIRS], b = x[(PAIRS - k) % PAIRS];
        lattice_point even = {(a.re + b.re) / 2, (a.im - b.im) / 2};
        lattice_point odd = {(a.im + b.im) / 2, (b.re - a.re) / 2};
        spectrum[k] = lattice_plus(even, lattice_times(odd, l->root[k]));
    }
}

void lattice_inverse(queueing_lattice *l, const lattice_point *spectrum, double *p) {
    lattice_point *x = l->scratch;
    for (int k = 0; k < PAIRS; k++) {
        lattice_point a = spectrum[k], b = spectrum[PAIRS - k], w = l->root[k];
        lattice_point even = {(a.re + b.re) / 2, (a.im - b.im) / 2};
        lattice_point odd = lattice_times((lattice_point){(a.re - b.re) / 2, (a.im + b.im) / 2},
                                          (lattice_point){w.re, -w.im});
        x[l->reversed[k]] = (lattice_point){even.re - odd.im, even.im + odd.re};
    }
    transform(l, x, -1);
    for (int k = 0; k < PAIRS; k++) {
        p[2 * k] = x[k].re > 0 ? x[k].re / PAIRS : 0;
        p[2 * k + 1] = x[k].im > 0 ? x[k].im / PAIRS : 0;
    }
}

/* ---- probabilities ---- */

/* Several sums at a time: a single one waits for each of its additions. */
lattice_moments lattice_moments_of(const double *p) {
    enum { SUMS = 4 };
    double mean[SUMS] = {0}, second[SUMS] = {0};
    for (int t = 0; t < POINTS; t += SUMS)
        for (int i = 0; i < SUMS; i++) {
            double steps = t + i, weighted = steps * p[t + i];
            mean[i] += weighted;
            second[i] += (steps - 1) * weighted;
        }
    return (lattice_moments){mean[0] + mean[1] + mean[2] + mean[3],
                             second[0] + second[1] + second[2] + second[3]};
}

/* A time of t steps has t places to arrive in: 1 .. t steps are left, or 0 .. t - 1 at the other end of the
 * steps. */
void lattice_residual(const double *p, double ahead, double *out) {
    double above = 0, sum = 0, before;
    for (int t = POINTS - 1; t >= 0; t--) {
        before = above; /* P(T > t) */
        above += p[t];
        out[t] = (1 - ahead) * before + (t > 0 ? ahead * above : 0);
        sum += out[t];
    }
    for (int t = 0; t < POINTS && sum > 0; t++) out[t] /= sum;
}

void lattice_least(const double *a, const double *b, uint32_t count, double *out) {
    double above_a = 0, above_b = 0, last = 0;
    for (int t = POINTS - 1; t >= 0; t--) {
        above_a += a[t];
        above_b += b[t];
        double at_least = above_a < 1 ? above_a : 1, b_at_least = above_b < 1 ? above_b : 1;
        for (uint32_t i = 0; i < count; i++) at_least *= b_at_least; /* P(least >= t) */
        out[t] = at_least - last;
        last = at_least;
    }
}

/* Between two points the probability is divided so that the mean is right. */
void lattice_divided(const double *p, uint32_t m, double *out) {
    memset(out, 0, POINTS * sizeof *out);
    for (int t = 0; t < POINTS; t++) {
        double part = (double)(t % (int)m) / m;
        out[t / (int)m] += p[t] * (1 - part);
        if (part > 0) out[t / (int)m + 1] += p[t] * part;
    }
}
