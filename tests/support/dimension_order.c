#include "support/dimension_order.h"

#include "support/closed_form.h"

#include <math.h>

/* Eq. 9: the wait of a head whose link brings `part` of the traffic of the next one. */
static double blocked(load l, double part, double wait) {
    return wait == 0 ? 0 : (l.corrected ? 1 - part : 1) * wait;
}

/* A link of any bit carries N / 2 of the N - 1 destinations of a node. After bit b, bit c is the next one
 * that differs with probability 2^-(c-b), and none is with 2^-(d-1-b). The link of c has the same rate, so
 * its part from b is the same number. */
double hypercube_latency(unsigned d, load l) {
    double n = pow(2, d), rate = l.rate0 * n / 2 / (n - 1), x[32], w[32], latency = d * n / 2 / (n - 1) - 1;
    for (unsigned b = d; b-- > 0;) {
        x[b] = pow(2, -(double)(d - 1 - b)) * l.s;
        for (unsigned c = b + 1; c < d; c++) {
            double turn = pow(2, -(double)(c - b));
            x[b] += turn * (x[c] + blocked(l, turn, w[c]));
        }
        w[b] = mg1_wait(rate, x[b], l.s);
        latency += n / pow(2, b + 1) / (n - 1) * (x[b] + w[b]);
    }
    return latency;
}

/* Offsets within a dimension are uniform over 0 .. k-1. A link carries (k-1)/2 offsets a node on average, of
 * which (k-1)/k begin there, and as many end: a head stays in its ring with probability (k-2)/k. It leaves
 * for dimension e if the offsets between are 0. x depends on itself by the next link of the ring: iterated
 * upwards from s. */
double oneway_torus_latency(unsigned k, unsigned n, load l) {
    double nodes = pow(k, n), share = nodes / (nodes - 1), x[16], w[16];
    double rate = l.rate0 * share * (k - 1) / 2, stay = (k - 2.0) / k, leave = 2.0 / k;
    double latency = n * share * (k - 1) / 2 - 1;
    for (unsigned d = n; d-- > 0;) {
        double onward = leave * pow(k, -(double)(n - 1 - d)) * l.s;
        for (unsigned e = d + 1; e < n; e++) {
            double turn = leave * pow(k, -(double)(e - d - 1)) * (k - 1) / k;
            onward += turn * (x[e] + blocked(l, turn, w[e]));
        }
        x[d] = l.s;
        for (double before = 0; x[d] != before && isfinite(x[d]);) {
            before = x[d];
            double next = onward + stay * (before + blocked(l, stay, mg1_wait(rate, before, l.s)));
            x[d] = fabs(next - before) <= 1e-15 * before ? before : next;
        }
        w[d] = mg1_wait(rate, x[d], l.s);
        latency += share * pow(k, -(double)d) * (k - 1) / k * (x[d] + w[d]);
    }
    return latency;
}

/* Upwards; downwards is the mirror image. Link c, from node c to c + 1, carries (c+1)(k-1-c) pairs, of which
 * c + 1 end with it; k-1-c of them begin there. */
double line_latency(unsigned k, load l) {
    double pair = l.rate0 / (k - 1), next = 0, wait = 0, sum = 0, pairs = k * (k - 1) / 2.0;
    for (unsigned c = k - 1; c-- > 0;) {
        double carried = (c + 1.0) * (k - 1 - c), on = (c + 1.0) * (k - 2 - c);
        double part = on > 0 ? on / ((c + 2.0) * (k - 2 - c)) : 0;
        double x = ((c + 1) * l.s + (on > 0 ? on * (next + blocked(l, part, wait)) : 0)) / carried;
        wait = mg1_wait(pair * carried, x, l.s);
        sum += (k - 1.0 - c) * (x + wait);
        next = x;
    }
    return sum / pairs + (k + 1) / 3.0 - 1;
}
