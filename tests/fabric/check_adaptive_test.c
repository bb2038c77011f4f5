/* Adaptive routing in a check, against the enumeration of all paths. */
#include "fabric/check/check.h"
#include "network/physical/physical.h"
#include "support/adaptive_oracle.h"
#include "support/fabrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two pods of two leaves and two spines each, three levels; some cables double, the pods unequal. */
static const char *const fabric[] = {
    "S1 lid 1",    "S2 lid 2",    "S3 lid 3",    "S4 lid 4",    "S11 lid 5",   "S12 lid 6",   "S13 lid 7",
    "S14 lid 8",   "S21 lid 9",   "S22 lid 10",  "H1 lid 11",   "H2 lid 12",   "H3 lid 13",   "H4 lid 14",
    "H5 lid 15",   "H6 lid 16",   "H7 lid 17",   "H1:1 S1:1",   "H2:1 S1:2",   "H3:1 S2:1",   "H4:1 S3:1",
    "H5:1 S3:2",   "H6:1 S4:1",   "H7:1 S4:2",   "S1:5 S11:1",  "S1:6 S11:2",  "S1:7 S12:1",  "S2:5 S11:3",
    "S2:6 S12:2",  "S3:5 S13:1",  "S3:6 S14:1",  "S4:5 S13:2",  "S4:6 S14:2",  "S4:7 S14:3",  "S11:7 S21:1",
    "S12:7 S21:2", "S12:8 S22:1", "S13:7 S21:3", "S13:8 S22:2", "S14:7 S22:3", "S14:8 S22:4", NULL};

enum { LINKS = 128 };

static bough_check_report *check_of(const char *const *faults, size_t count, unsigned threads) {
    static const char *const routing[] = {"adaptive"};
    char *text = fabric_text(fabric), *spec = spec_of("ibnet", temporary_file("adaptive.net", text, 0));
    bough_check_question q = {.network = spec,
                              .routing = routing,
                              .routings = 1,
                              .faults = faults,
                              .faults_count = count,
                              .permutations = 10,
                              .seed = 1,
                              .threads = threads};
    bough_check_report *report;
    bough_error error;
    if (bough_check(&q, &report, &error)) fail_msg("%s", error.reason);
    free(text);
    free(spec);
    return report;
}

static double greatest(const double *load, uint64_t links) {
    double most = 0;
    for (uint64_t l = 0; l < links; l++) most = fmax(most, load[l]);
    return most;
}

static void expect_near(double value, double expected) {
    if (fabs(value - expected) > 1e-12 * fmax(1, fabs(expected)))
        fail_msg("%.17g, not %.17g", value, expected);
}

/* ---- loads ---- */

static void loads_are_those_of_all_paths(void **state) {
    (void)state;
    bough_check_report *report = check_of(NULL, 0, 1);
    const bough_check_result *r = &report->part[0].result;
    const bough_net *net = report->net;
    const adaptive_oracle o = {.net = net, .group = adaptive_minimal};
    double all[LINKS] = {0}, into = 0;
    assert_true(r->expected && net->links < LINKS && report->part[0].adaptive.known);
    for (uint64_t k = 1; k < net->endpoints; k++) {
        double shift[LINKS] = {0};
        for (uint64_t e = 0; e < net->endpoints; e++)
            expect_near(adaptive_oracle_flow(&o, e, (e + k) % net->endpoints, shift), 1);
        expect_near(r->shift[k], greatest(shift, net->links));
        for (uint64_t l = 0; l < net->links; l++) all[l] += shift[l];
    }
    for (uint64_t l = 0; l < net->links; l++) {
        expect_near(r->load[l], all[l]);
        if (!bough_is_switch(net, net->ops->link_end(net, l).node)) into += r->load[l];
    }
    expect_near(into, (double)r->routed); /* nothing is lost or doubled */
    expect_near(r->alltoall_max, greatest(all, net->links));
    bough_check_report_destroy(report);
}

/* ---- single failures ---- */

typedef struct anew {
    uint64_t lost;
    double missing, alltoall;
} anew;

static anew fail_anew(const bough_net *net, const uint64_t *dead) {
    const adaptive_oracle o = {.net = net, .group = adaptive_minimal, .dead = dead};
    double load[LINKS] = {0};
    anew a = {0};
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t t = 0; t < net->endpoints; t++) {
            if (s == t) continue;
            double arrives = adaptive_oracle_flow(&o, s, t, load);
            a.lost += arrives < 1 - 1e-9;
            a.missing += 1 - arrives;
        }
    for (uint64_t l = 0; l < net->links; l++)
        if (!(dead[l / 64] >> l % 64 & 1)) a.alltoall = fmax(a.alltoall, load[l]);
    return a;
}

static void kill(const bough_net *net, const bough_adaptive_failure *f, uint64_t dead[LINKS / 64]) {
    for (uint64_t l = 0; l < net->links; l++) {
        bool dies = f->link != BOUGH_NONE
                        ? l == f->link || l == net->ops->link_twin(net, f->link)
                        : bough_link_start(net, l) == f->node || net->ops->link_end(net, l).node == f->node;
        if (dies) dead[l / 64] |= UINT64_C(1) << l % 64;
    }
}

static void failures_are_those_of_all_paths(void **state) {
    (void)state;
    static const char *const faults[] = {"each:cable", "each:switch", "each:cable,level=0"};
    bough_check_report *report = check_of(faults, 3, 2);
    const bough_net *net = report->net;
    const bough_check_adaptive *a = &report->part[0].adaptive;
    assert_int_equal(a->lists, 3);
    assert_int_equal(a->list[0].count, 17);
    assert_int_equal(a->list[1].count, 10);
    assert_int_equal(a->list[2].count, 7);
    assert_int_equal(report->part[0].failures.lists, 0);
    expect_near(a->alltoall, report->part[0].result.alltoall_max);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < a->list[i].count; k++) {
            const bough_adaptive_failure *f = &a->list[i].item[k];
            uint64_t dead[LINKS / 64] = {0};
            kill(net, f, dead);
            anew expected = fail_anew(net, dead);
            assert_int_equal(f->lost, expected.lost);
            expect_near(f->packets, expected.lost ? expected.missing / (double)expected.lost : 0);
            expect_near(f->alltoall, expected.alltoall);
            if (expected.lost)
                assert_true(isnan(f->slowdown));
            else
                expect_near(f->slowdown, expected.alltoall / a->alltoall);
            if (k) assert_true(f->lost - f->own <= f[-1].lost - f[-1].own);
        }
    bough_check_report_destroy(report);
}

/* S1 has two cables to S11: either may die. S2 has one, so packets that are at S11 are lost. */
static void groups_with_another_link_deliver(void **state) {
    (void)state;
    static const char *const faults[] = {"each:cable"};
    bough_check_report *report = check_of(faults, 1, 1);
    const bough_adaptive_list *list = &report->part[0].adaptive.list[0];
    size_t delivered = 0;
    for (size_t i = 0; i < list->count; i++) {
        char name[300];
        bool twice = strstr(bough_link_name(report->net, list->item[i].link, name, sizeof name), "S1/5 ") ||
                     strstr(name, "S1/6 ");
        if (twice) assert_int_equal(list->item[i].lost, 0);
        if (twice) delivered++;
        if (strstr(name, "S2/5 ")) assert_true(list->item[i].lost > 0 && list->item[i].packets < 1);
    }
    assert_int_equal(delivered, 2);
    bough_check_report_destroy(report);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static const char *const faults[] = {"each:cable"};
    bough_check_report *one = check_of(faults, 1, 1), *three = check_of(faults, 1, 3);
    const bough_adaptive_list *a = &one->part[0].adaptive.list[0], *b = &three->part[0].adaptive.list[0];
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->item[i].link, b->item[i].link);
        assert_memory_equal(&a->item[i].alltoall, &b->item[i].alltoall, sizeof(double));
    }
    bough_check_report_destroy(one);
    bough_check_report_destroy(three);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_all_paths),
        cmocka_unit_test(failures_are_those_of_all_paths),
        cmocka_unit_test(groups_with_another_link_deliver),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
