/* Delivery cycles: halves that are even on every channel, Leiserson's partition, the randomised cycles; area
 * and time. */
#include "bough/layout.h"
#include "sim/one_cycle.h"
#include "sim/online_cycle.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double answer(const char *network, const char *traffic, const char *method, bough_metric_id metric) {
    bough_point point = point_make(network, NULL, traffic);
    bough_rows rows = rows_of(&point, method);
    double value = row_value(&rows, metric, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&point);
    return value;
}

/* ---- bad input ---- */

static void refused(const char *network, const char *traffic, const char *method, const char *text) {
    bough_point point = point_make(network, NULL, traffic);
    run_refused(&point, method, BOUGH_UNSUPPORTED, text);
    point_free(&point);
}

static void what_is_no_binary_tree_is_refused(void **state) {
    (void)state;
    refused("bft:n=64", "bitrev", "offline", "delivery cycles are those of a binary fat-tree");
    refused("bft:n=64", "bitrev", "online", "bft:n=64 is none");
    refused("sorting:n=256", "bitrev", "offline", "sorting:n=256 is none");
    refused("cube:n=16", "bitrev", "offline", "needs a tree with channels");
    refused("pruned:n=64", "poisson:rate=0.1", "online", "cannot take a stream");
}

/* ---- by hand ---- */

/* Everybody to endpoint 0: one wire there. 1 cycle for its neighbour, 2 for the next two, 4 for the rest. */
static void everybody_to_one(void **state) {
    (void)state;
    assert_near(answer("fattree:n=8", "incast", "offline", BOUGH_METRIC_PASSES), 1 + 2 + 4, 0);
    assert_near(answer("fattree:n=8", "incast", "offline", BOUGH_METRIC_BIT_STEPS),
                1 * (2 + 3 + 3) + 2 * (4 + 3 + 3) + 4 * (6 + 3 + 3), 0);
    assert_near(answer("pruned:n=4", "incast", "offline", BOUGH_METRIC_PASSES), 1 + 1, 0); /* two wires */
    assert_near(answer("fattree:n=8", "incast", "online:thin=0.01", BOUGH_METRIC_PASSES), 7, 0);
    assert_near(answer("pruned:n=4", "incast", "online:thin=0.01", BOUGH_METRIC_PASSES), 2, 0);
    assert_near(answer("fattree:n=8", "incast", "online:thin=0.01,body=5", BOUGH_METRIC_BIT_STEPS),
                7 * (12 + 3 + 5 + 1), 0);
}

static void full_bandwidth_takes_one_cycle(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitcomp", "shift:k=32"};
    for (size_t i = 0; i < COUNT(traffic); i++) {
        assert_near(answer("fattree:n=64", traffic[i], "offline", BOUGH_METRIC_PASSES), 1, 0);
        assert_near(answer("fattree:n=64", traffic[i], "online:thin=0.01", BOUGH_METRIC_PASSES), 1, 0);
    }
    /* complement: sqrt N wires for N / 2 messages either way, all over the root */
    assert_near(answer("pruned:n=256", "bitcomp", "offline", BOUGH_METRIC_PASSES), 8, 0);
}

/* ---- halves ---- */

/* Messages from the left half of n leaves to the right one, in both orders. */
typedef struct crowd {
    bough_batch batch;
    one_cycle_set set;
} crowd;

static const uint32_t *sort_end;
static int by_end(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (sort_end[x] != sort_end[y]) return sort_end[x] < sort_end[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static crowd make_crowd(uint32_t n, uint32_t count, uint64_t seed) {
    crowd c = {.batch = {calloc(count, 4), calloc(count, 4), count}};
    c.set = (one_cycle_set){calloc(count, 4), calloc(count, 4), count};
    bough_stream s = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        c.batch.source[i] = (uint32_t)bough_stream_below(&s, n / 2);
        c.batch.address[i] = n / 2 + (uint32_t)bough_stream_below(&s, n / 2);
        c.set.by_source[i] = c.set.by_destination[i] = i;
    }
    sort_end = c.batch.source;
    qsort(c.set.by_source, count, 4, by_end);
    sort_end = c.batch.address;
    qsort(c.set.by_destination, count, 4, by_end);
    return c;
}

static void free_crowd(crowd *c) {
    bough_batch_fini(&c->batch);
    free(c->set.by_source);
    free(c->set.by_destination);
}

static void halves_are_even_on_every_channel(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const uint32_t n = 64, count = 1 + (uint32_t)(seed * 7 % 150);
        crowd c = make_crowd(n, count, seed);
        one_cycle_space *space;
        assert_int_equal(one_cycle_space_make(count, &space, NULL), BOUGH_OK);
        uint32_t first = one_cycle_halve(&c.batch, &c.set, 6, space);
        int32_t load[2][6][64] = {{{0}}};
        for (uint32_t i = 0; i < count; i++) {
            int32_t sign = i < first ? 1 : -1;
            for (unsigned h = 0; h < 6; h++) {
                load[0][h][c.batch.source[c.set.by_source[i]] >> h] += sign;
                load[1][h][c.batch.address[c.set.by_destination[i]] >> h] += sign;
            }
        }
        for (unsigned side = 0; side < 2; side++)
            for (unsigned h = 0; h < 6; h++)
                for (unsigned v = 0; v < 64; v++) assert_in_range(load[side][h][v] + 1, 0, 2);
        /* both orders hold the same messages, each half in its order */
        char *half = calloc(count, 1);
        for (uint32_t i = 0; i < first; i++) half[c.set.by_source[i]] = 1;
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(half[c.set.by_destination[i]], i < first);
            if (i && i != first)
                assert_true(c.batch.source[c.set.by_source[i - 1]] <= c.batch.source[c.set.by_source[i]]);
        }
        free(half);
        one_cycle_space_free(space);
        free_crowd(&c);
    }
}

/* A set of load L on channels of capacity c takes L / c cycles at least, and at most the next power of two.
 */
static void partitions_are_within_leisersons_bounds(void **state) {
    (void)state;
    static const char *const traffic[] = {"bitrev",  "transpose",     "randperm",
                                          "shuffle", "hrelation:h=3", "hotspot:share=10%"};
    for (size_t i = 0; i < COUNT(traffic); i++) {
        bough_point point = point_make("pruned:n=256", NULL, traffic[i]);
        bough_rows rows = rows_of(&point, "offline:stages=1");
        bough_batch batch;
        double low = 0, high = 0;
        assert_int_equal(bough_batch_read(point.traffic, bough_key_make(1, 0), &batch, NULL), BOUGH_OK);
        for (unsigned peak = 1; peak <= 8; peak++) {
            double most = 0;
            for (unsigned h = 0; h < peak; h++)
                for (uint32_t v = 0; v < 256U >> h; v++) {
                    double up = 0, down = 0;
                    for (uint64_t m = 0; m < batch.count; m++) {
                        uint32_t s = batch.source[m], t = batch.address[m];
                        if (s >> peak != t >> peak || s >> (peak - 1) == t >> (peak - 1)) continue;
                        up += s >> h == v;
                        down += t >> h == v;
                    }
                    double wires = (double)point.net->ops->channel_capacity(point.net, h, v);
                    most = fmax(most, fmax(up, down) / wires);
                }
            double cycles = row_value(&rows, BOUGH_METRIC_STAGE_PASSES, 8 - (int64_t)peak);
            double bound = most > 0 ? exp2(ceil(log2(fmax(most, 1)))) : 0;
            if (cycles < ceil(most) || cycles > bound)
                fail_msg("%s: peak %u: %g cycles, load factor %g", traffic[i], peak, cycles, most);
            low += ceil(most);
            high += bound;
        }
        double all = row_value(&rows, BOUGH_METRIC_PASSES, BOUGH_NO_ROW_INDEX);
        assert_true(all >= low && all <= high);
        bough_batch_fini(&batch);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

/* ---- randomised cycles ---- */

/* Nobody is lost without need, nobody goes on where there is no wire; every contender has the same chance. */
static void cycles_fill_channels_and_are_fair(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=8");
    one_cycle_tree tree;
    assert_int_equal(one_cycle_tree_of(net, &tree, NULL), BOUGH_OK);
    uint32_t source[] = {1, 2, 5, 4, 7}, address[] = {0, 0, 0, 6, 6};
    const bough_batch batch = {source, address, COUNT(source)};
    online_contender space[COUNT(source)];
    unsigned won[COUNT(source)] = {0};
    const unsigned cycles = 3000;
    for (unsigned c = 0; c < cycles; c++) {
        uint32_t sent[] = {0, 1, 3, 2, 4}; /* in order of sources */
        uint32_t arrived = online_cycle(&tree, &batch, bough_key_make(5, 0), c, sent, COUNT(source), space);
        assert_int_equal(arrived, 2); /* one at 0, one at 6 */
        assert_int_equal(address[sent[0]], 0);
        assert_int_equal(address[sent[1]], 6);
        for (uint32_t i = 0; i < arrived; i++) won[sent[i]]++;
    }
    /* Two come down to leaves 0 and 1 by two wires, and meet the third at the wire of leaf 0. 99.9 %: 3.3
     * standard deviations. */
    for (unsigned i = 0; i < 3; i++) assert_near(won[i], cycles / 3.0, 3.3 * sqrt(cycles * 2 / 9.0));
    for (unsigned i = 3; i < 5; i++) assert_near(won[i], cycles / 2.0, 3.3 * sqrt(cycles / 4.0));
    bough_net_destroy(net);
}

/* ---- area and time ---- */

static void area_and_time_multiply(void **state) {
    (void)state;
    static const struct {
        const char *network, *method;
        double body;
    } cases[] = {{"pruned:n=256", "sidetrack:area=1", 8},
                 {"pruned:n=256", "offline:area=1,body=12", 12},
                 {"pruned:n=256", "online:area=1", 8},
                 {"sorting:n=256", "sortroute:area=1,body=10", 10}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        bough_point point = point_make(cases[i].network, NULL, "bitrev");
        bough_rows rows = rows_of(&point, cases[i].method);
        bough_layout_size size;
        assert_int_equal(bough_layout_measure(point.net, NULL, &size, NULL), BOUGH_OK);
        const bough_layout_step *top = &size.step[size.steps];
        double area = (double)top->width_nm * (double)top->height_nm / 1e4;
        double steps = row_value(&rows, BOUGH_METRIC_BIT_STEPS, BOUGH_NO_ROW_INDEX);
        double at2 = row_value(&rows, BOUGH_METRIC_AT2, BOUGH_NO_ROW_INDEX);
        assert_near(row_value(&rows, BOUGH_METRIC_AREA_GRID, BOUGH_NO_ROW_INDEX), area, 1e-6 * area);
        assert_near(at2, area * steps * steps, 1e-9 * at2);
        double eta = answer("pruned:n=256", "bitrev", "sidetrack", BOUGH_METRIC_ETA);
        assert_near(row_value(&rows, BOUGH_METRIC_AT2_ETA, BOUGH_NO_ROW_INDEX),
                    at2 / pow(cases[i].body * eta, 2) / 256, 1e-9 * at2);
        bough_rows_fini(&rows);
        point_free(&point);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_binary_tree_is_refused),
        cmocka_unit_test(everybody_to_one),
        cmocka_unit_test(full_bandwidth_takes_one_cycle),
        cmocka_unit_test(halves_are_even_on_every_channel),
        cmocka_unit_test(partitions_are_within_leisersons_bounds),
        cmocka_unit_test(cycles_fill_channels_and_are_fair),
        cmocka_unit_test(area_and_time_multiply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
