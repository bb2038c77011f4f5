/* Max-min fair sharing: shares known by hand, the certificate of fairness after every change, agreement with
 * textbook filling, and no trace of the order in which flows came. */
#include "support/max_min_flows.h"

#include "base/random/random.h"
#include "support/fluid_oracle.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static max_min make_with(const int64_t *capacity, uint32_t links, uint32_t flows, bool weighted) {
    max_min f;
    bough_error error;
    if (max_min_init(&f, links, weighted, &error) || max_min_reserve(&f, flows, flows * FLUID_HOPS, &error))
        fail_msg("%s", error.reason);
    for (uint32_t l = 0; l < links; l++) f.link[l].capacity = capacity[l];
    return f;
}

static max_min make(const int64_t *capacity, uint32_t links, uint32_t flows) {
    return make_with(capacity, links, flows, false);
}

static void enter(max_min *f, uint32_t id, const char *path) {
    uint32_t links[FLUID_HOPS], hops = 0;
    for (; path[hops]; hops++) links[hops] = (uint32_t)(path[hops] - 'a');
    max_min_enter(f, id, links, hops);
}

#define assert_rate(f, id, want) assert_int_equal((f)->flow[id].rate, want)

/* ---- bad input ---- */

static void test_too_many(void **state) {
    (void)state;
    max_min f;
    bough_error error;
    assert_int_equal(max_min_init(&f, UINT64_C(1) << 33, false, &error), BOUGH_TOO_LARGE);
    max_min_fini(&f);
    f = make((int64_t[]){1}, 1, 1);
    assert_int_equal(max_min_reserve(&f, UINT64_C(1) << 32, 0, &error), BOUGH_TOO_LARGE);
    assert_int_equal(max_min_reserve(&f, 1, UINT64_MAX, &error), BOUGH_TOO_LARGE);
    max_min_fini(&f);
}

/* ---- by hand ---- */

static void test_two_flows_one_link(void **state) {
    (void)state;
    max_min f = make((int64_t[]){12}, 1, 3);
    enter(&f, 0, "a");
    max_min_solve(&f);
    assert_rate(&f, 0, 12);
    enter(&f, 1, "a");
    max_min_solve(&f);
    assert_rate(&f, 0, 6);
    assert_rate(&f, 1, 6);
    assert_int_equal(f.changes, 2);
    enter(&f, 2, "a");
    max_min_leave(&f, 0); /* in one instant: nothing changes for the other */
    max_min_solve(&f);
    assert_rate(&f, 1, 6);
    assert_rate(&f, 2, 6);
    assert_int_equal(f.changes, 1);
    assert_int_equal(f.changed[0], 2);
    max_min_leave(&f, 2);
    max_min_solve(&f);
    assert_rate(&f, 1, 12);
    max_min_fini(&f);
}

/* Links a b c d in a row, a flow over all of them and one over each: Bertsekas, Gallager, figure 6.14's kind.
 */
static void test_parking_lot(void **state) {
    (void)state;
    max_min f = make((int64_t[]){10, 4, 6, 30}, 4, 5);
    enter(&f, 0, "abcd");
    enter(&f, 1, "a");
    enter(&f, 2, "b");
    enter(&f, 3, "c");
    enter(&f, 4, "d");
    max_min_solve(&f);
    const uint64_t want[] = {2, 8, 2, 4, 28};
    for (uint32_t i = 0; i < 5; i++) assert_rate(&f, i, want[i]);
    max_min_leave(&f, 2); /* the long one grows to a half of c; b has 1 to spare */
    max_min_solve(&f);
    assert_rate(&f, 0, 3);
    assert_rate(&f, 1, 7);
    assert_rate(&f, 3, 3);
    assert_rate(&f, 4, 27);
    max_min_leave(&f, 0);
    max_min_solve(&f);
    assert_rate(&f, 1, 10);
    assert_rate(&f, 3, 6);
    assert_rate(&f, 4, 30);
    max_min_fini(&f);
}

/* Three links, three flows over two of them each. */
static void test_triangle(void **state) {
    (void)state;
    max_min f = make((int64_t[]){10, 10, 10}, 3, 3);
    enter(&f, 0, "ab");
    enter(&f, 1, "bc");
    enter(&f, 2, "ca");
    max_min_solve(&f);
    for (uint32_t i = 0; i < 3; i++) assert_rate(&f, i, 5);
    max_min_leave(&f, 1);
    max_min_solve(&f);
    assert_rate(&f, 0, 5); /* a still stops them both */
    assert_rate(&f, 2, 5);
    assert_int_equal(f.changes, 0);
    max_min_fini(&f);
}

/* A departure that lowers somebody: 0 leaves a, so 1 grows, and takes from 2 on b what 3 then gets on c. */
static void test_growth_hurts_others(void **state) {
    (void)state;
    max_min f = make((int64_t[]){2, 12, 12}, 3, 4);
    enter(&f, 0, "a");
    enter(&f, 1, "ab");
    enter(&f, 2, "bc");
    enter(&f, 3, "c");
    max_min_solve(&f);
    const uint64_t before[] = {1, 1, 6, 6};
    for (uint32_t i = 0; i < 4; i++) assert_rate(&f, i, before[i]);
    f.link[0].capacity = 40; /* not a thing that networks do, but a is nobody's bottleneck when 0 is gone */
    max_min_leave(&f, 0);
    max_min_solve(&f);
    assert_rate(&f, 1, 6);
    assert_rate(&f, 2, 6);
    assert_rate(&f, 3, 6);
    f.link[2].capacity = 20;
    enter(&f, 0, "bb"); /* b: 0 twice, 1, 2 share 12 */
    max_min_solve(&f);
    assert_rate(&f, 0, 3);
    assert_rate(&f, 1, 3);
    assert_rate(&f, 2, 3);
    assert_rate(&f, 3, 17);
    max_min_fini(&f);
}

static void test_shares_round_down(void **state) {
    (void)state;
    max_min f = make((int64_t[]){11, 100}, 2, 4);
    enter(&f, 0, "a");
    enter(&f, 1, "a");
    enter(&f, 2, "ab");
    enter(&f, 3, "b");
    max_min_solve(&f);
    for (uint32_t i = 0; i < 3; i++) assert_rate(&f, i, 3);
    assert_rate(&f, 3, 97);
    assert_int_equal(f.link[0].load, 9);
    max_min_fini(&f);
}

/* A flow over two links in parts of 1 to 2, and one over the second alone: of 30 they get 10, of which it
 * carries 2 x 10 + 10; when the second one goes, the first link limits. */
static void test_parts(void **state) {
    (void)state;
    max_min f = make_with((int64_t[]){12, 30}, 2, 2, true);
    max_min_enter_parts(&f, 0, (uint32_t[]){0, 1}, (uint32_t[]){1, 2}, 2);
    enter(&f, 1, "b");
    max_min_solve(&f);
    assert_rate(&f, 0, 10);
    assert_rate(&f, 1, 10);
    assert_true(f.link[0].load == 10 && f.link[1].load == 30);
    max_min_leave(&f, 1);
    max_min_solve(&f);
    assert_rate(&f, 0, 12);
    assert_true(f.link[0].load == 12 && f.link[1].load == 24);
    max_min_fini(&f);
}

static void test_clear_forgets(void **state) {
    (void)state;
    max_min f = make((int64_t[]){12, 8}, 2, 2);
    enter(&f, 0, "ab");
    enter(&f, 1, "ab");
    max_min_solve(&f);
    max_min_clear(&f);
    enter(&f, 1, "a");
    max_min_solve(&f);
    assert_rate(&f, 1, 12);
    assert_int_equal(f.changes, 1);
    assert_int_equal(f.link[1].flows, 0);
    max_min_fini(&f);
}

/* ---- the certificate ---- */

typedef struct system_ {
    max_min f;
    fluid_flow flow[64];
    uint64_t before[64];
    bool fresh[64]; /* came in this instant */
    long double capacity[16];
    uint32_t links, flows;
    bool weighted;
} system_;

static uint32_t part_of(const system_ *s, uint32_t flow, uint32_t h) {
    return s->weighted ? (uint32_t)s->flow[flow].part[h] : 1;
}

/* Loads are sums of rates and no more than capacities; every flow has a bottleneck: a link that less than one
 * unit a flow (or weight) is left on, and no flow on it has more. */
static void check_certificate(const system_ *s) {
    uint64_t load[16] = {0}, most[16] = {0};
    uint32_t on[16] = {0}, weight[16] = {0}, bound[16] = {0};
    for (uint32_t i = 0; i < s->flows; i++) {
        if (!s->flow[i].runs) continue;
        const max_min_flow *g = &s->f.flow[i];
        assert_int_equal(g->state, MAX_MIN_KEPT);
        assert_true(g->rate > 0);
        for (uint32_t h = 0; h < s->flow[i].hops; h++) {
            uint32_t l = s->flow[i].path[h], part = part_of(s, i, h);
            load[l] += g->rate * part;
            on[l]++;
            weight[l] += part;
            if (g->bottleneck == l) bound[l] += part;
            if (g->rate > most[l]) most[l] = g->rate;
        }
    }
    for (uint32_t l = 0; l < s->links; l++) {
        const max_min_link *k = &s->f.link[l];
        assert_int_equal(k->load, load[l]);
        assert_true((uint64_t)k->load <= (uint64_t)k->capacity);
        assert_int_equal(k->flows, on[l]);
        assert_int_equal(k->bound, bound[l]);
        if (bound[l]) assert_true((uint64_t)(k->capacity - k->load) < weight[l]);
        assert_false(k->touched || k->full);
    }
    for (uint32_t i = 0; i < s->flows; i++) {
        if (!s->flow[i].runs) continue;
        const max_min_flow *g = &s->f.flow[i];
        bool crosses = false;
        for (uint32_t h = 0; h < s->flow[i].hops; h++) crosses |= s->flow[i].path[h] == g->bottleneck;
        assert_true(crosses);
        assert_int_equal(g->rate, most[g->bottleneck]);
        assert_int_equal(g->rate, s->f.link[g->bottleneck].level);
    }
}

/* changed holds each flow whose rate is another one, once, with the rate it had. */
static void check_changes(system_ *s) {
    bool seen[64] = {false};
    for (uint32_t i = 0; i < s->f.changes; i++) {
        uint32_t id = s->f.changed[i];
        assert_false(seen[id]);
        assert_int_equal(s->f.flow[id].before, s->before[id]);
        seen[id] = true;
    }
    for (uint32_t i = 0; i < s->flows; i++) {
        if (!s->flow[i].runs) continue;
        assert_int_equal(seen[i], s->f.flow[i].rate != s->before[i]);
        s->before[i] = s->f.flow[i].rate;
    }
}

/* K of (2) in fair.h for the bottlenecks that stopped flows at these rates. */
static long double slack(const system_ *s, const uint32_t *bottleneck, const long double *rate) {
    long double k[16], worst = 0, level = -1;
    for (;;) {
        uint32_t l = UINT32_MAX;
        for (uint32_t i = 0; i < s->flows;
             i++) /* the next higher one; two links of one level need not be in order */
            if (s->flow[i].runs && rate[i] > level && (l == UINT32_MAX || rate[i] < rate[l])) l = i;
        if (l == UINT32_MAX) return worst;
        level = rate[l];
        for (l = 0; l < s->links; l++) {
            uint32_t bound = 0;
            long double sum = 0;
            for (uint32_t i = 0; i < s->flows; i++)
                for (uint32_t h = 0; s->flow[i].runs && h < s->flow[i].hops; h++) {
                    if (s->flow[i].path[h] != l) continue;
                    uint32_t part = part_of(s, i, h);
                    sum += part;
                    if (bottleneck[i] == l && rate[i] == level) bound += part;
                    if (rate[i] < level) sum += part * k[bottleneck[i]];
                }
            if (bound) k[l] = sum / bound;
            if (bound && k[l] > worst) worst = k[l];
        }
    }
}

static void check_oracle(system_ *s) {
    uint32_t have_at[64], want_at[64];
    long double have[64], want[64];
    fluid_share(s->capacity, s->links, s->flow, s->flows);
    for (uint32_t i = 0; i < s->flows; i++) {
        have_at[i] = s->f.flow[i].bottleneck;
        have[i] = (long double)s->f.flow[i].rate;
        want_at[i] = s->flow[i].bottleneck;
        want[i] = s->flow[i].rate;
    }
    long double allowed = fmaxl(slack(s, have_at, have), slack(s, want_at, want)) + 1e-6L;
    for (uint32_t i = 0; i < s->flows; i++)
        if (s->flow[i].runs && fabsl(have[i] - want[i]) > allowed)
            fail_msg("flow %u has %.0Lf, not %.6Lf (within %.3Lf)", i, have[i], want[i], allowed);
}

/* scale: capacities are below that; few values, so that levels meet. */
static system_ random_system(bough_stream *draw, int64_t scale, bool weighted) {
    system_ s = {.weighted = weighted,
                 .links = 1 + (uint32_t)bough_stream_below(draw, 12),
                 .flows = 1 + (uint32_t)bough_stream_below(draw, 40)};
    int64_t capacity[16], kinds = 1 + (int64_t)bough_stream_below(draw, 4);
    for (uint32_t l = 0; l < s.links; l++) {
        capacity[l] = (weighted ? 2000 : 200) +
                      scale * (1 + (int64_t)bough_stream_below(draw, (uint64_t)kinds)) / kinds;
        s.capacity[l] = (long double)capacity[l];
    }
    s.f = make_with(capacity, s.links, s.flows, weighted);
    return s;
}

static void random_path(bough_stream *draw, const system_ *s, fluid_flow *f) {
    uint32_t most = s->links < 5 ? s->links : 5;
    f->hops = 1 + (uint32_t)bough_stream_below(draw, most);
    for (uint32_t h = 0; h < f->hops; h++) {
        f->path[h] = (uint32_t)bough_stream_below(draw, s->links);
        f->part[h] = s->weighted ? (long double)(1 + bough_stream_below(draw, 7)) : 0;
    }
}

static void enter_random(bough_stream *draw, system_ *s, uint32_t id) {
    fluid_flow *f = &s->flow[id];
    uint32_t weight[FLUID_HOPS];
    random_path(draw, s, f);
    for (uint32_t h = 0; h < f->hops; h++) weight[h] = part_of(s, id, h);
    if (s->weighted)
        max_min_enter_parts(&s->f, id, f->path, weight, f->hops);
    else
        max_min_enter(&s->f, id, f->path, f->hops);
}

static void come_or_go(bough_stream *draw, system_ *s) {
    uint32_t id = (uint32_t)bough_stream_below(draw, s->flows);
    fluid_flow *f = &s->flow[id];
    if (s->fresh[id]) return;
    f->runs = !f->runs;
    if (f->runs) {
        enter_random(draw, s, id);
        s->fresh[id] = true;
        s->before[id] = 0;
    } else {
        max_min_leave(&s->f, id);
    }
}

static void test_random_changes(void **state) {
    (void)state;
    static const int64_t scales[] = {100, 5000, 720720 * INT64_C(1000), INT64_C(1) << 60};
    for (uint64_t seed = 0; seed < 300; seed++) {
        bough_stream draw = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 0, 0);
        system_ s = random_system(&draw, scales[seed % 4], seed / 4 % 2);
        for (int step = 0; step < 100; step++) {
            for (uint64_t n = 1 + bough_stream_below(&draw, 3); n > 0; n--) come_or_go(&draw, &s);
            max_min_solve(&s.f);
            check_certificate(&s);
            check_changes(&s);
            check_oracle(&s);
            memset(s.fresh, 0, sizeof s.fresh);
        }
        max_min_fini(&s.f);
    }
}

/* What was asked to stop has no rates, and none of it is left after max_min_clear. */
static void test_stop(void **state) {
    (void)state;
    atomic_bool stop = true;
    max_min f = make((int64_t[]){12, 4}, 2, 3);
    f.stop = &stop;
    for (int again = 0; again < 2; again++) {
        enter(&f, 0, "a");
        enter(&f, 1, "ab");
        enter(&f, 2, "b");
        max_min_solve(&f);
        assert_int_equal(f.queue.count, 0);
        if (!again) assert_rate(&f, 0, 0);
        if (!again) max_min_clear(&f);
        atomic_store(&stop, false);
    }
    assert_rate(&f, 0, 10);
    assert_rate(&f, 1, 2);
    assert_rate(&f, 2, 2);
    max_min_fini(&f);
}

/* Once no flow is left, the next ones need no more memory than the largest set so far, whatever the lengths
 * of their paths. */
static void test_crossings_again(void **state) {
    (void)state;
    max_min f = make((int64_t[]){12, 6, 4}, 3, 2);
    static const char *const paths[] = {"ab", "a", "abc", "ab"};
    for (size_t i = 0; i < 4; i++) {
        enter(&f, 0, paths[i]);
        enter(&f, 1, paths[i]);
        assert_int_equal(f.crossings, 2 * strlen(paths[i]));
        max_min_solve(&f);
        assert_rate(&f, 0, strcmp(paths[i], "a") == 0 ? 6 : strlen(paths[i]) == 3 ? 2 : 3);
        max_min_leave(&f, 0);
        enter(&f, 0, paths[i]); /* one is left: it keeps its place */
        assert_int_equal(f.crossings, 2 * strlen(paths[i]));
        max_min_solve(&f);
        max_min_leave(&f, 1);
        max_min_leave(&f, 0);
        assert_int_equal(f.crossings, 0);
        max_min_solve(&f);
    }
    max_min_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crossings_again),    cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_two_flows_one_link), cmocka_unit_test(test_parking_lot),
        cmocka_unit_test(test_triangle),           cmocka_unit_test(test_growth_hurts_others),
        cmocka_unit_test(test_shares_round_down),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_clear_forgets),      cmocka_unit_test(test_stop),
        cmocka_unit_test(test_random_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
