/* When the messages of a stream come: poisson and bernoulli. Statistical tests have fixed seeds; their limits
 * are 99.9 % quantiles. */
#include "traffic/streams/stream.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/draws.h"
#include "support/points.h"
#include "support/specs.h"

/* ---- times: poisson ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of gaps so long that whole cycles do not show: mean, variance, Kolmogorov-Smirnov, no correlation. */
static void poisson_gaps_are_exponential(void **state) {
    (void)state;
    enum { GAPS = 50000 };
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *t = traffic_make(net, "poisson:rate=1e-7");
    bough_message *m = first_messages(t, 0, GAPS);
    double *gap = calloc(GAPS, sizeof *gap), sum = 0, square = 0, product = 0, distance = 0;
    for (int i = 0; i < GAPS; i++) {
        gap[i] = (double)(m[i].time - (i ? m[i - 1].time : 0)) * 8e-7;
        sum += gap[i];
        square += gap[i] * gap[i];
        if (i) product += (gap[i] - 1) * (gap[i - 1] - 1);
    }
    double root = sqrt(GAPS);
    assert_near(sum / GAPS, 1, 3.3 / root);
    assert_near(square / GAPS, 2, 3.3 * sqrt(20) / root); /* var of x^2 is 24 - 4 */
    assert_near(product / GAPS, 0, 3.3 / root);
    qsort(gap, GAPS, sizeof *gap, ascending);
    for (int i = 0; i < GAPS; i++) distance = fmax(distance, fabs(-expm1(-gap[i]) - (i + 0.5) / GAPS));
    assert_true(distance < 1.95 / root);
    free(gap);
    free(m);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* Messages in a cycle: Poisson with mean n' * rate, from cycle 1 on; in cycle 0 there is none, for what is
 * born in (c - 1, c] is offered in cycle c. */
static void poisson_counts_in_a_cycle_are_poisson(void **state) {
    (void)state;
    enum { CYCLES = 20000, MOST = 9 };
    bough_net *net = net_make("fattree:n=16");
    bough_traffic *t = traffic_make(net, "poisson:rate=0.2,pattern=incast"); /* 15 send: 3 a cycle */
    bough_source *source = open_source(t, 2);
    double count[MOST + 1] = {0}, expected[MOST + 1], p = exp(-3), rest = 1;
    bough_message m[100];
    assert_int_equal(source->pop(source, 0, m, 100), 0);
    for (uint64_t cycle = 1; cycle <= CYCLES; cycle++) {
        uint32_t got = source->pop(source, cycle, m, 100);
        for (uint32_t i = 0; i < got; i++) assert_true(m[i].time == cycle);
        count[got < MOST ? got : MOST]++;
    }
    for (int k = 0; k < MOST; k++) {
        expected[k] = p * CYCLES;
        rest -= p;
        p *= 3.0 / (k + 1);
    }
    expected[MOST] = rest * CYCLES;
    assert_fits("counts", count, expected, MOST + 1);
    source->close(source);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* The times are the sums of the gaps that the keys give, added in another precision. */
static void poisson_times_do_not_drift(void **state) {
    (void)state;
    enum { MESSAGES = 1000000 };
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *t = traffic_make(net, "poisson:rate=0.1");
    bough_key key = bough_key_make(1, 0);
    bough_message *m = first_messages(t, 0, MESSAGES);
    long double time = 0;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t block[4];
        bough_block(&(bough_draw){key, BOUGH_DRAW_ARRIVAL, 0}, i, 0, block);
        uint64_t word = (uint64_t)block[1] << 32 | block[0];
        time -= logl((long double)((word >> 11) + 1) * 0x1p-53L) / 0.8L;
        if (fabsl(time - roundl(time)) > 1e-6L) /* else rounding may decide */
            assert_true(m[i].time == (uint64_t)ceill(time));
    }
    free(m);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* ---- times: bernoulli ---- */

static void bernoulli_of_rate_1_is_everybody_in_every_cycle(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *t = traffic_make(net, "bernoulli:rate=1,pattern=\"incast:target=2\"");
    bough_message *m = first_messages(t, 0, 700);
    for (uint32_t i = 0; i < 700; i++) {
        assert_int_equal(m[i].time, i / 7);
        assert_int_equal(m[i].source, i % 7 + (i % 7 >= 2));
        assert_int_equal(m[i].address, 2);
    }
    free(m);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* All 16 subsets of 4 senders in a cycle, and pairs of neighbouring cycles of one sender. */
static void bernoulli_cycles_are_independent_coins(void **state) {
    (void)state;
    enum { CYCLES = 20000 };
    static const double rates[] = {0.25, 0.5, 0.9};
    bough_net *net = net_make("fattree:n=4");
    for (int r = 0; r < 3; r++) {
        char spec[40];
        snprintf(spec, sizeof spec, "bernoulli:rate=%g", rates[r]);
        bough_traffic *t = traffic_make(net, spec);
        bough_source *source = open_source(t, 0);
        double count[16] = {0}, pair[4] = {0}, expected[16], expected_pair[4], p = rates[r];
        unsigned last = 0;
        for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
            bough_message m[5];
            uint32_t got = source->pop(source, cycle, m, 5);
            unsigned mask = 0;
            for (uint32_t i = 0; i < got; i++) {
                assert_true(m[i].time == cycle && (i == 0 || m[i].source > m[i - 1].source));
                mask |= 1u << m[i].source;
            }
            assert_int_equal(__builtin_popcount(mask), got);
            count[mask]++;
            if (cycle % 2) pair[(last & 1) * 2 + (mask & 1)]++;
            last = mask;
        }
        for (unsigned mask = 0; mask < 16; mask++) {
            int k = __builtin_popcount(mask);
            expected[mask] = CYCLES * pow(p, k) * pow(1 - p, 4 - k);
        }
        for (unsigned i = 0; i < 4; i++)
            expected_pair[i] = CYCLES / 2 * (i & 1 ? p : 1 - p) * (i & 2 ? p : 1 - p);
        if (p < 0.9) assert_fits(spec, count, expected, 16);
        assert_fits(spec, pair, expected_pair, 4);
        source->close(source);
        bough_traffic_destroy(t);
    }
    bough_net_destroy(net);
}

/* Slots between two messages, of a rate that makes them long: geometric. */
static void bernoulli_gaps_are_geometric(void **state) {
    (void)state;
    enum { GAPS = 40000, CELLS = 20 };
    bough_net *net = net_make("fattree:n=8");
    bough_traffic *t = traffic_make(net, "bernoulli:rate=0.01");
    bough_message *m = first_messages(t, 1, GAPS);
    double count[CELLS] = {0}, expected[CELLS], p = 0.01;
    int64_t last = -1;
    for (int i = 0; i < GAPS; i++) {
        int64_t slot = (int64_t)(m[i].time * 8 + m[i].source), gap = slot - last;
        assert_true(gap > 0);
        last = slot;
        count[gap > 19 * 15 ? CELLS - 1 : (gap - 1) / 15]++;
    }
    for (int c = 0; c < CELLS; c++)
        expected[c] = GAPS * (pow(1 - p, c * 15) - (c == CELLS - 1 ? 0 : pow(1 - p, (c + 1) * 15)));
    assert_fits("gaps", count, expected, CELLS);
    free(m);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_gaps_are_exponential),
        cmocka_unit_test(poisson_counts_in_a_cycle_are_poisson),
        cmocka_unit_test(poisson_times_do_not_drift),
        cmocka_unit_test(bernoulli_of_rate_1_is_everybody_in_every_cycle),
        cmocka_unit_test(bernoulli_cycles_are_independent_coins),
        cmocka_unit_test(bernoulli_gaps_are_geometric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
