/* The fast paths of `circuit` by labels against the generic engine: the same results, trial by trial. */
#include "bough/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One point under two methods; a NULL network means that it does not apply (transpose on odd lg n, ...). */
typedef struct bench {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
} bench;

static void must(bough_status status, const bough_error *error, const char *what) {
    if (status) fail_msg("%s: %s", what, error->reason);
}

static bool open_bench(bench *b, uint64_t n, const char *traffic) {
    bough_error error = {0};
    char spec[64];
    snprintf(spec, sizeof spec, "fattree:n=%llu", (unsigned long long)n);
    *b = (bench){0};
    must(bough_net_create(spec, &b->net, &error), &error, spec);
    must(bough_routing_create(b->net, "random", &b->routing, &error), &error, "random");
    return bough_traffic_create(b->net, traffic, &b->traffic, &error) == BOUGH_OK;
}

static void close_bench(bench *b) {
    bough_traffic_destroy(b->traffic);
    bough_routing_destroy(b->routing);
    bough_net_destroy(b->net);
}

static bough_run *open_run(const bench *b, const char *method) {
    bough_error error = {0};
    bough_run *run;
    bough_point point = {b->net, b->routing, b->traffic};
    must(bough_run_create(method, &point, &run, &error), &error, method);
    return run;
}

static void assert_same_rows(const bough_rows *have, const bough_rows *want, const char *what,
                             uint64_t trial) {
    assert_int_equal(have->outcome, want->outcome);
    assert_int_equal(have->count, want->count);
    for (size_t i = 0; i < want->count; i++) {
        const bough_row *h = &have->row[i], *w = &want->row[i];
        if (h->metric != w->metric || h->index != w->index ||
            memcmp(&h->value, &w->value, sizeof h->value) != 0)
            fail_msg("%s, trial %d: %s is %.17g, not %.17g", what, (int)trial, bough_metrics[w->metric].name,
                     h->value, w->value);
    }
}

/* Trials of both paths, with one workspace each, so that what one trial leaves behind would show. */
static void compare(uint64_t n, const char *traffic, const char *mode, uint64_t trials) {
    bench b;
    char fast[128], slow[128], what[256];
    snprintf(fast, sizeof fast, "circuit:%s", mode);
    snprintf(slow, sizeof slow, "circuit:%s,path=generic", mode);
    snprintf(what, sizeof what, "n=%d %s %s", (int)n, traffic, mode);
    if (open_bench(&b, n, traffic)) {
        bough_error error = {0};
        bough_run *run[2] = {open_run(&b, fast), open_run(&b, slow)};
        bough_rows rows[2] = {{0}};
        void *workspace[2] = {NULL, NULL};
        assert_true(run[0]->bytes != run[1]->bytes); /* or else both are the generic engine */
        for (uint64_t trial = 0; trial < trials; trial++) {
            for (int k = 0; k < 2; k++)
                must(bough_run_trial(run[k], 7, trial, &workspace[k], &rows[k], &error), &error, what);
            assert_same_rows(&rows[0], &rows[1], what, trial);
        }
        for (int k = 0; k < 2; k++) {
            bough_rows_fini(&rows[k]);
            bough_run_free_workspace(run[k], workspace[k]);
            bough_run_destroy(run[k]);
        }
    }
    close_bench(&b);
}

static void compare_traffics(uint64_t n, const char *mode, uint64_t trials) {
    char spec[64];
    const uint64_t some[] = {1, 2, n / 8, n - 1, n};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        if (some[i] == 0) continue;
        snprintf(spec, sizeof spec, "uniform:m=%llu", (unsigned long long)some[i]);
        compare(n, spec, mode, trials);
    }
    static const char *const pattern[] = {"bitrev",   "transpose", "shift:1", "shift:3",
                                          "randperm", "incast",    "hotspot"};
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) compare(n, pattern[i], mode, trials);
    snprintf(spec, sizeof spec, "hotspot:hot=%llu", (unsigned long long)(n / 2));
    compare(n, spec, mode, trials);
}

static void rounds_agree(void **state) {
    (void)state;
    for (uint64_t n = 2; n <= 256; n *= 2) compare_traffics(n, "mode=rounds", n <= 32 ? 40 : 8);
}

static void rounds_agree_when_cut_off(void **state) {
    (void)state;
    compare(64, "uniform", "mode=rounds,limit=1", 10);
    compare(64, "incast", "mode=rounds,limit=3", 10);
}

/* Large enough that neighbourhoods, and coins from tables and one by one, all come up. */
static void large_rounds_agree(void **state) {
    (void)state;
    compare(4096, "uniform", "mode=rounds", 4);
    compare(16384, "uniform", "mode=rounds", 2);
    compare(32768, "uniform:m=4000", "mode=rounds", 2);
    compare(32768, "bitrev", "mode=rounds", 1);
    compare(65536, "randperm", "mode=rounds", 1);
}

static void cycles_agree(void **state) {
    (void)state;
    for (uint64_t n = 2; n <= 256; n *= 2) {
        compare_traffics(n, "mode=cycles", n <= 32 ? 40 : 8);
        compare_traffics(n, "mode=cycles,payload=5", n <= 32 ? 20 : 4);
    }
    compare(64, "uniform", "mode=cycles,payload=1000", 4);
}

static void cycles_agree_when_cut_off(void **state) {
    (void)state;
    for (int limit = 1; limit < 40; limit += 4) {
        char mode[64];
        snprintf(mode, sizeof mode, "mode=cycles,limit=%d", limit);
        compare(64, "uniform", mode, 3);
        compare(64, "incast", mode, 3);
    }
}

static void large_cycles_agree(void **state) {
    (void)state;
    compare(4096, "uniform", "mode=cycles", 4);
    compare(16384, "uniform", "mode=cycles", 1);
    compare(16384, "bitrev", "mode=cycles,payload=5", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_agree),
        cmocka_unit_test(rounds_agree_when_cut_off),
        cmocka_unit_test(large_rounds_agree),
        cmocka_unit_test(cycles_agree),
        cmocka_unit_test(cycles_agree_when_cut_off),
        cmocka_unit_test(large_cycles_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
