#include "base/statistics.h"

#include <math.h>

void bough_stats_add_weighted(bough_stats *s, double value, double weight) {
    if (s->count == 0) {
        s->min = s->max = value;
        s->unit = weight;
    }
    if (value < s->min) s->min = value;
    if (value > s->max) s->max = value;
    double w = weight / s->unit, off = value - s->lean;
    s->count++;
    s->weight += w;
    s->squares += w * w;
    s->mean += (value - s->mean) * w / s->weight;
    s->lean += off * (w * w) / s->squares;
    s->m2 += off * (w * w) * (value - s->lean);
}

void bough_stats_add(bough_stats *s, double value) {
    bough_stats_add_weighted(s, value, 1);
}

double bough_stats_variance(const bough_stats *s) {
    double n = (double)s->count, off = s->lean - s->mean;
    if (s->count < 2) return NAN;
    if (s->weight == n) return s->m2 / (n - 1);
    return (s->m2 + s->squares * off * off) * (n / s->weight) * (n / s->weight) / (n - 1);
}

double bough_stats_ci95(const bough_stats *s) {
    if (s->count < 2) return NAN;
    return bough_student_975(s->count - 1) * sqrt(bough_stats_variance(s) / (double)s->count);
}

/* P(|T| < t) for integer degrees of freedom: the finite series of Abramowitz and Stegun 26.7.3, 26.7.4. */
static double student_within(double t, uint64_t df) {
    double theta = atan2(t, sqrt((double)df)), c = cos(theta), s = sin(theta);
    double term = df % 2 ? c : 1, sum = df % 2 ? 0 : 1;
    if (df % 2) {
        if (df > 1) sum = term;
        for (uint64_t k = 3; k + 1 < df; k += 2) term *= c * c * (double)(k - 1) / (double)k, sum += term;
        return 2 / M_PI * (theta + s * sum);
    }
    for (uint64_t k = 2; k + 1 < df; k += 2) term *= c * c * (double)(k - 1) / (double)k, sum += term;
    return s * sum;
}

double bough_student_975(uint64_t df) {
    if (df == 0) return NAN;
    if (df > 200) { /* Cornish-Fisher expansion, accurate to 1e-7 here */
        const double z = 1.959963984540054, v = (double)df, z2 = z * z;
        double g1 = z * (z2 + 1) / 4, g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
        double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
        return z + g1 / v + g2 / (v * v) + g3 / (v * v * v);
    }
    double low = 0, high = 16;
    for (int i = 0; i < 60; i++) {
        double mid = (low + high) / 2;
        *(student_within(mid, df) < 0.95 ? &low : &high) = mid;
    }
    return (low + high) / 2;
}
