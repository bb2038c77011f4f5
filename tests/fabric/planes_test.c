/* Planes and rails, against fabrics written down by hand. */
#include "fabric/planes/planes.h"

#include "base/text/text.h"
#include "fabric/check/check_routing.h"
#include "formats/fabrics/fabric.h"
#include "network/hosts.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two planes of two leaves and a spine. Adapters are described by names of hosts and devices: see describe.
 * H1 to H3 have a port in each plane (H1 one adapter with two ports), H8 has one in plane 1 only. */
#define PLANES                                                                                               \
    "S1 lid 1", "S2 lid 2", "S9 lid 3", "S11 lid 4", "S12 lid 5", "S19 lid 6", "H1 lid 20", "H21 lid 22",    \
        "H22 lid 23", "H31 lid 24", "H32 lid 25", "H8 lid 26", "H1:1 S1:1", "H1:2 S11:1", "H21:1 S1:2",      \
        "H22:1 S11:2", "H31:1 S2:1", "H32:1 S12:1", "H8:1 S2:2", "S1:9 S9:1", "S2:9 S9:2", "S11:9 S19:1",    \
        "S12:9 S19:2"
static const char *const apart[] = {PLANES, NULL};
static const char *const joined[] = {PLANES, "S9:8 S19:8", NULL};
static const char *const merged[] = {PLANES, "S1:8 S19:8", NULL};

/* Replaces the description of an adapter, which is its name. */
static char *describe(char *text, const char *name, const char *as) {
    char from[40], to[80];
    snprintf(from, sizeof from, "\"%s\"", name);
    snprintf(to, sizeof to, "\"%s\"", as);
    for (char *at; (at = strstr(text, from));) {
        char *longer = malloc(strlen(text) + strlen(to) + 1);
        assert_non_null(longer);
        sprintf(longer, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
        free(text);
        text = longer;
    }
    return text;
}

static bough_net *net_of(const char *const *lines) {
    char *text = fabric_text(lines);
    text = describe(text, "H21", "two HCA-1");
    text = describe(text, "H22", "two HCA-2");
    text = describe(text, "H31", "three mlx5_0");
    text = describe(text, "H32", "three mlx5_1");
    char *spec = spec_of("ibnet", temporary_file("planes.net", text, 0));
    bough_net *net = net_make(spec);
    free(text);
    free(spec);
    return net;
}

static arena memory; /* of planes */

static bough_planes planes_of(const bough_net *net, bough_findings *findings) {
    bough_planes p;
    bough_error error;
    assert_int_equal(bough_planes_find(net, &memory, &p, &error), BOUGH_OK);
    assert_int_equal(bough_planes_warn(net, &p, findings, &error), BOUGH_OK);
    return p;
}

static void expect_planes(const bough_planes *p) {
    assert_int_equal(p->count, 2);
    assert_int_equal(p->plane[0].switches, 3);
    assert_int_equal(p->plane[1].switches, 3);
    assert_int_equal(p->plane[0].endpoints, 4);
    assert_int_equal(p->plane[1].endpoints, 3);
    assert_int_equal(p->plane[0].hosts, 4);
    assert_int_equal(p->hosts, 4);
    assert_int_equal(p->complete, 3);
    assert_int_equal(p->pairs, 2 * 4 * 3);
    assert_int_equal(p->lackings, 1);
    assert_string_equal(p->lacking[0].name, "H8");
    assert_int_equal(p->lacking[0].had[0], 1);
    assert_int_equal(p->lacking[0].had[1], 0);
}

static void parts_without_a_cable_between_them_are_planes(void **state) {
    (void)state;
    bough_net *net = net_of(apart);
    bough_findings findings = {0};
    bough_planes p = planes_of(net, &findings);
    expect_planes(&p);
    assert_int_equal(p.joining, 0);
    const bough_finding *f = find_finding(&findings, "missing-rail");
    assert_non_null(f);
    assert_string_equal(f->where, "H8");
    assert_non_null(strstr(f->text, "plane 2"));
    bough_findings_fini(&findings);
    arena_fini(&memory);
    bough_net_destroy(net);
}

/* One of 5 cables joins them: more than a tenth. Of 11 it is less. */
static void few_cables_between_spines_join_planes_weakly(void **state) {
    (void)state;
    const char *lines[64];
    size_t n = 0;
    while (joined[n]) lines[n] = joined[n], n++;
    lines[n] = NULL;
    bough_findings findings = {0};
    bough_net *net = net_of(lines);
    bough_planes p = planes_of(net, &findings);
    assert_int_equal(p.count, 0);
    bough_net_destroy(net);
    static const char *const more[] = {
        "S1:10 S9:11", "S2:10 S9:12", "S11:10 S19:11", "S12:10 S19:12", "S1:11 S9:13", "S2:11 S9:14", NULL};
    for (size_t i = 0; more[i]; i++) lines[n++] = more[i];
    lines[n] = NULL;
    net = net_of(lines);
    p = planes_of(net, &findings);
    expect_planes(&p);
    assert_int_equal(p.joining, 1);
    bough_findings_fini(&findings);
    arena_fini(&memory);
    bough_net_destroy(net);
}

static void other_fabrics_are_one_plane(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"), *spec = spec_of("ibnet", path);
    bough_net *net[] = {net_of(merged), net_make(spec), net_make("fattree:n=8")};
    for (int i = 0; i < 3; i++) {
        bough_findings findings = {0};
        bough_planes p = planes_of(net[i], &findings);
        assert_int_equal(p.count, 0);
        assert_int_equal(findings.count, 0);
        assert_null(p.plane);
        arena_fini(&memory);
        bough_net_destroy(net[i]);
    }
    free(spec);
    free(path);
}

/* Of two planes that are alike every figure is that of one alone, under the loads of shifts and of random
 * permutations too: pairs are within a plane. */
static void planes_that_are_alike_have_the_figures_of_one(void **state) {
    (void)state;
    enum { HOSTS = 12, LEAVES = 3 };
    bough_check_result result[2];
    for (int planes = 1; planes <= 2; planes++) {
        bough_text text = {0};
        bough_error error = {0};
        bough_text_put(&text, "node,port,node,port\n");
        for (int p = 0; p < planes; p++) {
            for (int h = 0; h < HOSTS; h++)
                bough_text_printf(&text, "h%02d mlx5_%d,1,leaf%d%d,%d\n", h, p, p, h % LEAVES,
                                  1 + h / LEAVES);
            for (int l = 0; l < LEAVES; l++)
                for (int s = 0; s < 2; s++)
                    if (l || s)
                        bough_text_printf(&text, "leaf%d%d,%d,spine%d%d,%d\n", p, l, 20 + s, p, s, 1 + l);
        }
        char *spec = spec_of("ibnet", temporary_file("alike.csv", text.data, 0));
        bough_net *net = net_make(spec);
        bough_routing *routing = routing_make(net, "updn");
        const bough_check_options options = {.memory = &memory, .permutations = 20, .seed = 5, .threads = 1};
        bough_findings findings = {0};
        assert_int_equal(net->hosts->planes, planes);
        if (bough_check_routing(routing, &options, &result[planes - 1], &findings, &error))
            fail_msg("%s", error.reason);
        bough_findings_fini(&findings);
        bough_routing_destroy(routing);
        bough_net_destroy(net);
        free(spec);
        free(text.data);
    }
    const bough_check_result *one = &result[0], *two = &result[1];
    assert_int_equal(one->shifts, HOSTS - 1);
    assert_int_equal(two->shifts, HOSTS - 1);
    assert_int_equal(2 * one->pairs, two->pairs);
    assert_true(one->routed == one->pairs && two->routed == two->pairs);
    assert_true(one->alltoall_score == two->alltoall_score && one->shift_score == two->shift_score);
    assert_true(one->random_score == two->random_score && one->random_score < 1);
    for (int k = 1; k < HOSTS; k++) assert_true(one->shift[k] == two->shift[k]);
    for (int i = 0; i < 20; i++) assert_true(one->random_time[i] == two->random_time[i]);
    arena_fini(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_without_a_cable_between_them_are_planes),
        cmocka_unit_test(few_cables_between_spines_join_planes_weakly),
        cmocka_unit_test(other_fabrics_are_one_plane),
        cmocka_unit_test(planes_that_are_alike_have_the_figures_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
