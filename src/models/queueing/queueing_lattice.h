/* Distributions of times on a lattice: probabilities of 0, 1, ... steps, and their Fourier transforms, in
 * which a sum of independent times is a product. Times beyond the last point wrap around to the first ones,
 * so the lattice must be long enough. */
#ifndef BOUGH_MODELS_QUEUEING_LATTICE_H
#define BOUGH_MODELS_QUEUEING_LATTICE_H

#include "bough/status.h"

#include <stdint.h>

enum { LATTICE_POINTS = 4096, LATTICE_HALF = LATTICE_POINTS / 2 + 1 };

typedef struct lattice_point {
    double re, im;
} lattice_point;

/* The transform of real probabilities, at the frequencies 0 .. half the number of points. */
typedef lattice_point lattice_spectrum[LATTICE_HALF];

typedef struct queueing_lattice {
    lattice_point root[LATTICE_POINTS];      /* exp(-2 pi i k / points) */
    lattice_point stage[LATTICE_POINTS / 2]; /* from s / 2 on: those of order s of a stage of the transform */
    uint16_t reversed[LATTICE_POINTS / 2];   /* indices with their bits in reverse order */
    lattice_point scratch[LATTICE_POINTS / 2];
} queueing_lattice;

static inline lattice_point lattice_times(lattice_point a, lattice_point b) {
    return (lattice_point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline lattice_point lattice_plus(lattice_point a, lattice_point b) {
    return (lattice_point){a.re + b.re, a.im + b.im};
}
static inline lattice_point lattice_scaled(lattice_point a, double by) {
    return (lattice_point){a.re * by, a.im * by};
}
static inline lattice_point lattice_over(lattice_point a, lattice_point b) {
    double norm = b.re * b.re + b.im * b.im;
    return (lattice_point){(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}
lattice_point lattice_exp(lattice_point a);

void lattice_init(queueing_lattice *l);
void lattice_forward(queueing_lattice *l, const double *p, lattice_point *spectrum);
/* Negative probabilities, which are rounding errors, become 0. */
void lattice_inverse(queueing_lattice *l, const lattice_point *spectrum, double *p);

/* E[t] and E[t (t - 1)] in steps. */
typedef struct lattice_moments {
    double mean, second;
} lattice_moments;
lattice_moments lattice_moments_of(const double *p);

/* The rest of a time in which one arrives: `ahead` = (1 + 1 / cycles of a step) / 2 of its first step. */
void lattice_residual(const double *p, double ahead, double *out);
/* The least of one time `a` and count times `b`. */
void lattice_least(const double *a, const double *b, uint32_t count, double *out);
/* The time divided by m. */
void lattice_divided(const double *p, uint32_t m, double *out);

#endif
