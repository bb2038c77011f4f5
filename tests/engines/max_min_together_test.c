/* Flows that come together: the rates of filling in order of level, ties by link, to the last unit and for
 * any number of threads; also beside other flows. */
#include "support/max_min_flows.h"

#include "base/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINKS = 120, FLOWS = 400, HOPS = 6 };

typedef struct system_ {
    uint32_t links, flows;
    uint64_t capacity[LINKS];
    uint32_t hops[FLOWS], path[FLOWS][HOPS], weight[FLOWS][HOPS];
    bool weighted;
} system_;

/* What filling gives a flow. */
typedef struct share {
    uint64_t rate;
    uint32_t bottleneck;
} share;

/* ---- the oracle: one link after the other ---- */

static uint64_t on_link(const system_ *s, uint32_t flow, uint32_t link) {
    uint64_t sum = 0;
    for (uint32_t h = 0; h < s->hops[flow]; h++)
        if (s->path[flow][h] == link) sum += s->weight[flow][h];
    return sum;
}

/* Of each link: the load of flows that have a rate, and the weight of the others. */
static void sum_links(const system_ *s, const share *have, uint64_t *load, uint64_t *open) {
    memset(load, 0, LINKS * sizeof *load);
    memset(open, 0, LINKS * sizeof *open);
    for (uint32_t i = 0; i < s->flows; i++)
        for (uint32_t h = 0; h < s->hops[i]; h++) {
            load[s->path[i][h]] += s->weight[i][h] * have[i].rate;
            if (have[i].bottleneck == MAX_MIN_NONE) open[s->path[i][h]] += s->weight[i][h];
        }
}

static void fill_in_order(const system_ *s, share *want) {
    uint64_t load[LINKS], open[LINKS];
    for (uint32_t i = 0; i < s->flows; i++) want[i] = (share){0, MAX_MIN_NONE};
    for (;;) {
        uint32_t first = MAX_MIN_NONE;
        uint64_t least = UINT64_MAX;
        sum_links(s, want, load, open);
        for (uint32_t l = 0; l < s->links; l++)
            if (open[l] && (s->capacity[l] - load[l]) / open[l] < least)
                first = l, least = (s->capacity[l] - load[l]) / open[l];
        if (first == MAX_MIN_NONE) return;
        for (uint32_t i = 0; i < s->flows; i++)
            if (want[i].bottleneck == MAX_MIN_NONE && on_link(s, i, first)) want[i] = (share){least, first};
    }
}

/* ---- the solver ---- */

typedef struct solver {
    const system_ *s;
    max_min f;
} solver;

static void solve(void *context, thread_team *team) {
    solver *v = context;
    const system_ *s = v->s;
    v->f.team = team;
    v->f.few = 1;
    for (uint32_t i = 0; i < s->flows; i++)
        max_min_enter_parts(&v->f, i, s->path[i], s->weight[i], s->hops[i]);
    max_min_solve(&v->f);
    v->f.team = NULL;
}

static solver solver_make(const system_ *s) {
    solver v = {.s = s};
    bough_error error;
    if (max_min_init(&v.f, s->links + 1, s->weighted, &error) ||
        max_min_reserve(&v.f, FLOWS + LINKS, (FLOWS + LINKS) * HOPS, &error))
        fail_msg("%s", error.reason);
    for (uint32_t l = 0; l < s->links; l++) v.f.link[l].capacity = s->capacity[l];
    return v;
}

/* Also: nothing is left of the round, and links have the loads of their flows. */
static void check(const system_ *s, const max_min *f, const share *want) {
    for (uint32_t i = 0; i < s->flows; i++) {
        assert_int_equal(f->flow[i].rate, want[i].rate);
        assert_int_equal(f->flow[i].bottleneck, want[i].bottleneck);
        assert_int_equal(f->flow[i].state, MAX_MIN_KEPT);
    }
    uint64_t load[LINKS], open[LINKS];
    sum_links(s, want, load, open);
    for (uint32_t l = 0; l < s->links; l++) {
        uint64_t bound = 0;
        for (uint32_t i = 0; i < s->flows; i++)
            if (want[i].bottleneck == l) bound += on_link(s, i, l);
        assert_int_equal(f->link[l].load, load[l]);
        assert_int_equal(f->link[l].bound, bound);
        assert_int_equal(f->link[l].growing, 0);
        assert_false(f->link[l].touched || f->link[l].full);
    }
    for (uint32_t i = 0; i < s->flows; i++) assert_int_equal(f->link[want[i].bottleneck].level, want[i].rate);
    assert_int_equal(f->changes, s->flows);
    for (uint32_t i = 0; i < s->flows; i++) assert_int_equal(f->changed[i], i);
}

static void check_all_ways(const system_ *s) {
    share *want = calloc(FLOWS, sizeof *want);
    solver v = solver_make(s);
    assert_non_null(want);
    fill_in_order(s, want);
    for (unsigned threads = 1; threads <= 4; threads++) {
        team_run(threads, solve, &v);
        check(s, &v.f, want);
        max_min_clear(&v.f);
    }
    max_min_fini(&v.f);
    free(want);
}

/* ---- cases ---- */

/* Few values of capacity, so that levels meet; a link can occur twice on a path. */
static system_ random_system(uint64_t seed) {
    bough_stream draw = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 0, 0);
    system_ s = {.links = 1 + (uint32_t)bough_stream_below(&draw, LINKS),
                 .flows = 1 + (uint32_t)bough_stream_below(&draw, seed % 8 ? 100 : FLOWS),
                 .weighted = seed / 2 % 2};
    const uint64_t kinds = 1 + bough_stream_below(&draw, 4), scale = seed % 2 ? 1 : 720720;
    for (uint32_t l = 0; l < s.links; l++)
        s.capacity[l] = (s.weighted ? 50000 : 5000) + scale * bough_stream_below(&draw, kinds) * 1000;
    for (uint32_t i = 0; i < s.flows; i++) {
        s.hops[i] = 1 + (uint32_t)bough_stream_below(&draw, HOPS);
        for (uint32_t h = 0; h < s.hops[i]; h++) {
            s.path[i][h] = (uint32_t)bough_stream_below(&draw, s.links);
            s.weight[i][h] = s.weighted ? 1 + (uint32_t)bough_stream_below(&draw, 7) : 1;
        }
    }
    return s;
}

static void test_random(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 160; seed++) {
        system_ s = random_system(seed);
        check_all_ways(&s);
    }
}

/* Two links of one level that share a flow, with a unit left: the first leaves the second a higher level. */
static void test_tie(void **state) {
    (void)state;
    system_ s = {.links = 2, .flows = 3, .capacity = {7, 7}, .hops = {1, 2, 1}};
    const uint32_t path[3][2] = {{0}, {0, 1}, {1}};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t h = 0; h < 2; h++) s.path[i][h] = path[i][h], s.weight[i][h] = 1;
    share want[FLOWS];
    fill_in_order(&s, want);
    assert_int_equal(want[1].rate, 3);
    assert_int_equal(want[1].bottleneck, 0);
    assert_int_equal(want[2].rate, 4); /* 7 - 3, where the second link first would give it 3 */
    check_all_ways(&s);
}

/* A chain of links, each of which waits for the one before it, beside a link that all flows cross: one link
 * is ready in a round, and all others name theirs again. The work stays in proportion to the crossings. */
static void test_long_chain(void **state) {
    (void)state;
    system_ s = {.links = LINKS, .flows = FLOWS};
    const uint32_t chain = LINKS - 1, hub = chain;
    s.capacity[hub] = 4000000;
    for (uint32_t l = 0; l < chain; l++) s.capacity[l] = 2000 + 40 * l;
    for (uint32_t i = 0; i < s.flows; i++) {
        s.hops[i] = i < chain - 1 ? 3 : 1;
        s.path[i][0] = hub;
        s.path[i][1] = i, s.path[i][2] = i + 1;
        for (uint32_t h = 0; h < s.hops[i]; h++) s.weight[i][h] = 1;
    }
    check_all_ways(&s);
    solver v = solver_make(&s);
    solve(&v, NULL);
    assert_true(v.f.work < 40 * v.f.crossings);
    max_min_fini(&v.f);
}

/* A flow is there already. Flows that come and share no link with it get what they would get without it; one
 * that does is filled beside it. */
static void test_beside_others(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        system_ s = random_system(seed);
        share *want = calloc(FLOWS, sizeof *want);
        assert_non_null(want);
        const bool apart = seed % 2;
        if (s.links == LINKS || s.flows < 2) s.links = LINKS - 1, s.flows = 2;
        for (uint32_t i = 0; i < s.flows; i++)
            for (uint32_t h = 0; h < s.hops[i]; h++) s.path[i][h] %= s.links;
        fill_in_order(&s, want);
        solver v = solver_make(&s);
        v.f.link[s.links].capacity = 1 << 30;
        max_min_enter(&v.f, FLOWS, apart ? &s.links : s.path[0], 1);
        max_min_solve(&v.f);
        if (!apart) max_min_leave(&v.f, FLOWS); /* its link is still touched when the others come */
        if (!apart) max_min_solve(&v.f);
        team_run(2, solve, &v);
        check(&s, &v.f, want);
        max_min_fini(&v.f);
        free(want);
    }
}

/* In one instant all flows leave, and others come to the same links. */
static void test_after_others(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        system_ s = random_system(seed);
        share *want = calloc(FLOWS, sizeof *want);
        assert_non_null(want);
        fill_in_order(&s, want);
        solver v = solver_make(&s);
        const uint32_t before = s.links < FLOWS / 2 ? 2 * s.links : 0;
        for (uint32_t i = 0; i < before; i++) max_min_enter(&v.f, i, &(uint32_t){i / 2}, 1);
        max_min_solve(&v.f);
        for (uint32_t i = 0; i < before; i++) max_min_leave(&v.f, i);
        assert_int_equal(v.f.touches, before / 2);
        team_run(2, solve, &v);
        check(&s, &v.f, want);
        max_min_fini(&v.f);
        free(want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tie),           cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_beside_others), cmocka_unit_test(test_after_others),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
