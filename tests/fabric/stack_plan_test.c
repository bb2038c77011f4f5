/* The stacks that fit: those of dehon1991 among them, and what excludes others. */
#include "fabric/plan/stack_plan.h"
#include "network/net.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(bough_stack_limits limits, bough_status want, const char *reason) {
    bough_stack_design *design;
    size_t count;
    bough_error error = {0};
    assert_int_equal(bough_stack_plan(&limits, &design, &count, NULL, &error), want);
    if (!strstr(error.reason, reason)) fail_msg("'%s' instead of '%s'", error.reason, reason);
    assert_null(design);
}

/* The limits of the paper but for one. */
#define REFUSED(field, value, want, reason)                                                                  \
    do {                                                                                                     \
        bough_stack_limits l = bough_stack_limits_default;                                                   \
        l.field = (value);                                                                                   \
        refused(l, want, reason);                                                                            \
    } while (0)

static bough_stack_limits for_hosts(uint64_t hosts) {
    bough_stack_limits l = bough_stack_limits_default;
    l.hosts = hosts;
    return l;
}

static void wrong_limits_are_refused(void **state) {
    (void)state;
    REFUSED(hosts, 0, BOUGH_INVALID, "hosts: 1 to 2^30");
    REFUSED(ports, 0, BOUGH_INVALID, "ports: 1 to 64");
    REFUSED(pins, 0, BOUGH_INVALID, "pins and width: 1 or more");
    REFUSED(width, 0, BOUGH_INVALID, "pins and width: 1 or more");
    REFUSED(board, -1, BOUGH_INVALID, "board: -1 is out of range");
    REFUSED(pitch, 0, BOUGH_INVALID, "pitch: 0 is out of range");
    REFUSED(height, 1e9, BOUGH_INVALID, "height: 1e+09 is out of range");
    REFUSED(fill, 0.5, BOUGH_INVALID, "fill: 0.5 is out of range; it must lie between 1 and");
    REFUSED(radix, 1, BOUGH_INVALID, "radix: a router has 2 to 16 directions");
    REFUSED(dilation, 17, BOUGH_INVALID, "dilation: 1 to 16");
    REFUSED(board, 6, BOUGH_UNSUPPORTED, "hosts fits");
    REFUSED(pins, 10, BOUGH_UNSUPPORTED, "a router needs more pins");
}

typedef struct plan {
    bough_stack_design *design;
    size_t count;
    uint64_t counts[BOUGH_STACK_VERDICTS];
} plan;

static plan make(bough_stack_limits limits) {
    plan p;
    bough_error error;
    if (bough_stack_plan(&limits, &p.design, &p.count, p.counts, &error)) fail_msg("%s", error.reason);
    return p;
}

static const bough_stack_design *find(const plan *p, const char *spec) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->design[i].spec, spec) == 0) return &p->design[i];
    return NULL;
}

/* The unit trees and hybrids of the paper, in one stage and more of inner unit trees. */
static void the_papers_designs_are_found(void **state) {
    (void)state;
    static const struct {
        uint64_t hosts;
        const char *spec, *outer, *inner;
        uint64_t stacks;
    } paper[] = {{4096, "transit:n=4096", "UT64x2", "UT64x8", 68},
                 {262144, "transit:n=262144", "UT64x2", "UT64x8", 4416},
                 {12288, "transit:leaf=192,stages=1", "B192", "UT64x8", 80},
                 {786432, "transit:leaf=192,stages=2", "B192", "UT64x8", 5376},
                 {3072, "transit:leaf=48,stages=1", "B48", "UT64x8", 68},
                 {768, "transit:leaf=12,stages=1", "B12", "UT64x8", 65}};
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++) {
        plan p = make(for_hosts(paper[i].hosts));
        const bough_stack_design *d = find(&p, paper[i].spec);
        if (!d) fail_msg("%s is not found", paper[i].spec);
        assert_string_equal(d->outer, paper[i].outer);
        assert_string_equal(d->inner, paper[i].inner);
        assert_true(d->stacks == paper[i].stacks && d->fill == 1 && d->side <= 24);
        assert_true(d->universality > 1 - 1e-9 && d->universality < 1 + 1e-9);
        free(p.design);
    }
}

/* In networks of two stages of stacks and more, the limits of the paper leave no others than UT64x2, UT64x8,
 * B12, B48 and B192. */
static void the_limits_leave_only_the_magic_sizes(void **state) {
    (void)state;
    static const char *const stacks[] = {"UT64x2", "UT64x8", "B12", "B48", "B192"};
    static const uint64_t hosts[] = {4096, 12288, 262144};
    for (size_t h = 0; h < 3; h++) {
        plan p = make(for_hosts(hosts[h]));
        for (size_t i = 0; i < p.count; i++) {
            unsigned known = 0;
            for (size_t s = 0; s < 5; s++)
                known += !strcmp(p.design[i].outer, stacks[s]) + !strcmp(p.design[i].inner, stacks[s]);
            if (known != 2) fail_msg("%s: %s, %s", p.design[i].spec, p.design[i].outer, p.design[i].inner);
            assert_int_equal(p.design[i].radix, 4);
            assert_int_equal(p.design[i].levels, 3);
        }
        free(p.design);
    }
}

/* Larger boards and packages allow others. */
static void other_limits_allow_other_designs(void **state) {
    (void)state;
    bough_stack_limits limits = for_hosts(4096);
    limits.board = 48;
    plan p = make(limits);
    assert_non_null(find(&p, "transit:n=4096,capacity=32"));
    assert_null(find(&p, "transit:n=4096,capacity=4")); /* 8 stacks of a node are no square */
    free(p.design);
    limits = for_hosts(4096);
    limits.pins = 288;
    limits.ports = 4;
    p = make(limits);
    assert_non_null(find(&p, "transit:n=4096,dilation=4,capacity=4"));
    free(p.design);
}

/* Counts, stacks and paths of designs are those of the networks. */
static void designs_are_the_networks(void **state) {
    (void)state;
    bough_stack_limits limits = for_hosts(60);
    limits.fill = 100;
    limits.height = 4;
    plan p = make(limits);
    unsigned networks = 0;
    assert_true(p.count > 20);
    for (size_t i = 0; i < p.count; i++) {
        const bough_stack_design *d = &p.design[i];
        if (d->processors > 5000) continue;
        bough_net *net = net_make(d->spec);
        assert_true(net->endpoints == d->processors && net->chips == d->routers);
        assert_int_equal(net->hops_max, d->path + 1);
        const bough_packaging *k = net->packaging;
        uint64_t stacks = 0;
        for (unsigned s = 0; s < k->stages; s++) stacks += bough_packaging_stacks(k, s);
        assert_true(stacks == d->stacks);
        assert_string_equal(k->stage[0].name, d->outer);
        if (k->stages > 1) assert_string_equal(k->stage[k->stages - 1].name, d->inner);
        bough_net_destroy(net);
        networks++;
    }
    assert_true(networks > 10);
    free(p.design);
}

/* By hand: a design is Pareto-optimal unless another is as good in all and better in one. */
static void marks_are_pareto(void **state) {
    (void)state;
    bough_stack_design d[] = {
        {.processors = 10, .routers = 10, .stacks = 1, .path = 8, .success = 0.7, .universality = 1},
        {.processors = 10, .routers = 10, .stacks = 2, .path = 8, .success = 0.7, .universality = 1},
        {.processors = 10, .routers = 20, .stacks = 2, .path = 8, .success = 0.8, .universality = 1},
        {.processors = 10, .routers = 9, .stacks = 1, .path = 8, .success = 0.7, .universality = 0.6},
    };
    bough_stack_plan_mark(d, 4);
    assert_true(d[0].pareto && !d[1].pareto && d[2].pareto && d[3].pareto);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_limits_are_refused),
        cmocka_unit_test(the_papers_designs_are_found),
        cmocka_unit_test(the_limits_leave_only_the_magic_sizes),
        cmocka_unit_test(other_limits_allow_other_designs),
        cmocka_unit_test(designs_are_the_networks),
        cmocka_unit_test(marks_are_pareto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
