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
}

/* ---- the transform ---- */

static void reverse_bits(lattice_point *x) {
    for (uint32_t i = 1, j = 0; i < PAIRS; i++) {
        uint32_t bit = PAIRS >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        lattice_point t = x[i];
        x[i] = x[j];
        x[j] = t;
    }
}

/* In place, PAIRS points, radix 2; sign -1 inverts, without the factor. */
static void transform(const queueing_lattice *l, lattice_point *x, int sign) {
    reverse_bits(x);
    for (uint32_t size = 2; size <= PAIRS; size *= 2)
        for (uint32_t first = 0; first < PAIRS; first += size)
            for (uint32_t k = 0; k < size / 2; k++) {
                lattice_point w = l->root[k * (POINTS / size)], *a = &x[first + k], *b = a + size / 2;
                w.im *= sign;
                lattice_point t = lattice_times(*b, w);
                *b = (lattice_point){a->re - t.re, a->im - t.im};
                *a = lattice_plus(*a, t);
            }
}

/* Pairs of real numbers as one complex number: half the work. */
void lattice_forward(queueing_lattice *l, const double *p, lattice_point *spectrum) {
    lattice_point *x = l->scratch;
    for (int k = 0; k < PAIRS; k++) x[k] = (lattice_point){p[2 * k], p[2 * k + 1]};
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
        x[k] = (lattice_point){even.re - odd.im, even.im + odd.re};
    }
    transform(l, x, -1);
    for (int k = 0; k < PAIRS; k++) {
        p[2 * k] = fmax(x[k].re / PAIRS, 0);
        p[2 * k + 1] = fmax(x[k].im / PAIRS, 0);
    }
}

/* ---- probabilities ---- */

lattice_moments lattice_moments_of(const double *p) {
    lattice_moments m = {0, 0};
    for (int t = 1; t < POINTS; t++) {
        m.mean += t * p[t];
        m.second += (double)t * (t - 1) * p[t];
    }
    return m;
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
        double at_least = fmin(above_a, 1); /* P(least >= t) */
        for (uint32_t i = 0; i < count; i++) at_least *= fmin(above_b, 1);
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
