/* The search for the slowest permutation: refusals, all permutations of small networks by another program,
 * and what climbs must reach. */
#include "searches/slowest/slowest.h"
#include "support/fabrics.h"
#include "support/listed.h"
#include "support/packet_oracle.h"
#include "support/points.h"
#include "support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NONE     BOUGH_NO_ROW_INDEX
#define M(name)  BOUGH_METRIC_##name

static void misfits_are_refused(void **state) {
    (void)state;
    static const refused_run wrong[] = {
        {"fattree:n=16", "free", NULL, "slowest", BOUGH_UNSUPPORTED, "needs a deterministic routing"},
        {"cube:n=16", "valiant", NULL, "slowest", BOUGH_UNSUPPORTED, "intermediate node"},
        {"cube:n=16", "bitfix:order=random", NULL, "slowest", BOUGH_UNSUPPORTED, "drawn for each message"},
        {"cube:n=16", "bitfix", NULL, "slowest:queue=random", BOUGH_INVALID, "random"},
        {"cube:n=16", "bitfix", NULL, "slowest:budget=0", BOUGH_INVALID, "budget"},
        {"cube:n=16", "bitfix", NULL, "slowest:search=all", BOUGH_TOO_LARGE, "at most 9 endpoints"},
        {"cube:n=16", "bitfix", NULL, "slowest:out=/nowhere/at/all.csv", BOUGH_INVALID, "/nowhere"},
    };
    runs_refused(wrong, COUNT(wrong));
}

static double steps_of(const bough_point *p, const char *method) {
    bough_rows rows = rows_of(p, method);
    double steps = row_value(&rows, M(STEPS), NONE);
    bough_rows_fini(&rows);
    return steps;
}

/* Steps of a permutation by the oracle of the engine. */
static uint64_t slow_steps(const bough_routing *r, const uint32_t *to, uint32_t n, packet_discipline queue) {
    packet_options rules = {.queue = queue};
    oracle_result result;
    uint32_t count = 0;
    for (uint32_t e = 0; e < n; e++) count += to[e] != e;
    listed l = listed_make(count);
    count = 0;
    for (uint32_t e = 0; e < n; e++) {
        if (to[e] == e) continue;
        l.message[count].source = e;
        l.message[count++].address = (uint32_t)bough_endpoint_address(r->net, to[e]);
    }
    oracle_run(r, &l.base, &rules, count, 1000, bough_key_make(0, 0), &result);
    uint64_t steps = result.end[0];
    oracle_fini(&result);
    listed_fini(&l);
    return steps;
}

/* Tries all permutations of the endpoints from `at` on. */
static uint64_t slowest(const bough_routing *r, uint32_t *to, uint32_t n, uint32_t at) {
    if (at == n) return slow_steps(r, to, n, PACKET_FIFO);
    uint64_t most = 0;
    for (uint32_t i = at; i < n; i++) {
        uint32_t a = to[at];
        to[at] = to[i], to[i] = a;
        uint64_t steps = slowest(r, to, n, at + 1);
        if (steps > most) most = steps;
        a = to[at];
        to[at] = to[i], to[i] = a;
    }
    return most;
}

static void all_permutations_of_small_networks(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
    } places[] = {{"cube:n=2", "bitfix"},
                  {"cube:n=4", "bitfix"},
                  {"fattree:n=4", "dmodk"},
                  {"xgft:down=2x3,up=1x1", "dmodk"},
                  {"xgft:down=3x2,up=1x2", "smodk"},
                  {"bft:n=4", "hash"}};
    for (size_t i = 0; i < COUNT(places); i++) {
        uint32_t to[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        bough_point p = point_make(places[i].net, places[i].routing, NULL);
        double want = (double)slowest(p.routing, to, (uint32_t)p.net->endpoints, 0);
        assert_true(steps_of(&p, "slowest") == want);
        if (p.net->endpoints > 2) assert_true(steps_of(&p, "slowest:search=climb,budget=2000") == want);
        point_free(&p);
    }
}

/* On eight nodes a climb finds what trying all of them finds, in every discipline. */
static void climbs_reach_the_slowest(void **state) {
    (void)state;
    static const char *const places[][2] = {{"cube:n=8", "bitfix"}, {"fattree:n=8", "dmodk"}};
    for (size_t i = 0; i < COUNT(places); i++) {
        bough_point p = point_make(places[i][0], places[i][1], NULL);
        double all = steps_of(&p, "slowest:search=all"), lifo = steps_of(&p, "slowest:search=all,queue=lifo");
        assert_true(steps_of(&p, "slowest:search=climb,budget=4000") == all);
        assert_true(steps_of(&p, "slowest:search=climb,budget=4000,queue=lifo") == lifo);
        point_free(&p);
    }
}

/* What it writes takes as many steps under `packet`; the same seed finds the same. */
static void the_file_is_the_witness(void **state) {
    (void)state;
    char path[64], method[160];
    snprintf(path, sizeof path, "%s", temporary_file("slow.csv", "x", 0));
    bough_point p = point_make("cube:n=64", "bitfix", NULL);
    snprintf(method, sizeof method, "slowest:budget=2000,out=%s", path);
    bough_rows rows = rows_of(&p, method);
    double steps = row_value(&rows, M(STEPS), NONE);
    assert_true(steps >= 7); /* bit reversal */
    assert_true(row_value(&rows, M(START_STEPS), 2) == 7);
    assert_true(row_value(&rows, M(CLIMB_STEPS), 2) >= 7);
    assert_true(row_value(&rows, M(EVALUATED), NONE) == 2000);
    assert_non_null(strstr(rows.note, "others may be slower"));
    bough_rows_fini(&rows);
    assert_true(steps_of(&p, "slowest:budget=2000") == steps);
    char *spec = spec_of("messages", path);
    bough_point replay = point_make("cube:n=64", "bitfix", spec);
    assert_true(steps_of(&replay, "packet") == steps);
    free(spec);
    point_free(&replay);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(all_permutations_of_small_networks),
        cmocka_unit_test(climbs_reach_the_slowest),
        cmocka_unit_test(the_file_is_the_witness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
