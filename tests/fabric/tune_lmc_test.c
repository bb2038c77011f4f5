/* Tuned tables with several paths to an endpoint, by its LIDs: refusals, a case by hand, and loads that are
 * counted path by path. */
#include "base/text/text.h"
#include "fabric/check/check_routing.h"
#include "fabric/tune/tune.h"
#include "formats/fabrics/fabric.h"
#include "routing/deadlock.h"

#include "support/specs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

enum { SPINE = 0x100, LEAF = 0x200, HOST = 0x1000 };

/* Leaves of `hosts` hosts, and spines; host h has 2^lmc LIDs, the first host 2^first. */
typedef struct tree {
    unsigned leaves, hosts, spines, lmc, first;
} tree;

static unsigned lid_of(const tree *t, unsigned host) {
    return 128 + host * (1u << (t->lmc > t->first ? t->lmc : t->first));
}

static unsigned lmc_of(const tree *t, unsigned host) {
    return host ? t->lmc : t->first;
}

static void put_leaf(bough_text *out, const tree *t, unsigned l) {
    bough_text_printf(out, "Switch 32 \"S-%016x\" # \"leaf%u\" base port 0 lid %u lmc 0\n", LEAF + l, l,
                      50 + l);
    for (unsigned h = 0; h < t->hosts; h++) {
        const unsigned host = l * t->hosts + h;
        bough_text_printf(out, "[%u] \"H-%016x\"[1](%x) # \"h%u\" lid %u 4xEDR\n", h + 1, HOST + 2 * host,
                          HOST + 2 * host + 1, host, lid_of(t, host));
    }
    for (unsigned s = 0; s < t->spines; s++)
        bough_text_printf(out, "[%u] \"S-%016x\"[%u] # \"spine%u\" lid %u 4xEDR\n", t->hosts + s + 1,
                          SPINE + s, l + 1, s, s + 1);
    bough_text_printf(out, "\n");
}

static void put_spine(bough_text *out, const tree *t, unsigned s) {
    bough_text_printf(out, "Switch 32 \"S-%016x\" # \"spine%u\" base port 0 lid %u lmc 0\n", SPINE + s, s,
                      s + 1);
    for (unsigned l = 0; l < t->leaves; l++)
        bough_text_printf(out, "[%u] \"S-%016x\"[%u] # \"leaf%u\" lid %u 4xEDR\n", l + 1, LEAF + l,
                          t->hosts + s + 1, l, 50 + l);
    bough_text_printf(out, "\n");
}

static bough_net *make(const tree *t) {
    bough_text out = {0};
    bough_fabric fabric;
    const bough_fabric_options options = {0};
    bough_net *net;
    bough_error error;
    for (unsigned l = 0; l < t->leaves; l++) put_leaf(&out, t, l);
    for (unsigned s = 0; s < t->spines; s++) put_spine(&out, t, s);
    for (unsigned h = 0; h < t->leaves * t->hosts; h++) {
        bough_text_printf(&out, "Ca 1 \"H-%016x\" # \"h%u\"\n", HOST + 2 * h, h);
        bough_text_printf(&out, "[1](%x) \"S-%016x\"[%u] # lid %u lmc %u \"leaf%u\" lid %u 4xEDR\n\n",
                          HOST + 2 * h + 1, LEAF + h / t->hosts, h % t->hosts + 1, lid_of(t, h), lmc_of(t, h),
                          h / t->hosts, 50 + h / t->hosts);
    }
    if (bough_fabric_parse("tree.ibnetdiscover", out.data, out.length, &fabric, &error))
        fail_msg("%s", error.reason);
    bough_text_fini(&out);
    if (bough_net_from_fabric(&fabric, &options, "tree", &net, &error)) fail_msg("%s", error.reason);
    return net;
}

static bough_tune_report *tune(const bough_net *net, unsigned lmc, const char *job) {
    const bough_tune_job jobs = {job, 1};
    const bough_tune_question q = {.net = net,
                                   .objective = job ? BOUGH_TUNE_JOBS : BOUGH_TUNE_ALLTOALL,
                                   .job = &jobs,
                                   .jobs = job != NULL,
                                   .lmc = lmc,
                                   .seed = 1};
    bough_tune_report *r;
    bough_error error;
    if (bough_tune(&q, &r, &error)) fail_msg("%s", error.reason);
    return r;
}

/* ---- bad input ---- */

static void lids_that_are_not_there_are_refused(void **state) {
    (void)state;
    bough_net *net = make(&(tree){2, 3, 2, 1, 1});
    bough_tune_report *r;
    bough_error error;
    const bough_tune_question many = {.net = net, .lmc = 2, .seed = 1};
    assert_int_equal(bough_tune(&many, &r, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "no endpoint of tree has 2^2 LIDs, but 2"));
    const bough_tune_question rounds = {.net = net, .lmc = 1, .seed = 1, .objective = BOUGH_TUNE_SHIFTS};
    assert_int_equal(bough_tune(&rounds, &r, &error), BOUGH_INVALID);
    const bough_tune_question engine = {.net = net, .lmc = 1, .seed = 1, .engine = "updn"};
    assert_int_equal(bough_tune(&engine, &r, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "alltoall or jobs"));
    bough_net_destroy(net);
    net = net_make("xgft:down=3x2,up=1x2");
    const bough_tune_question family = {.net = net, .lmc = 1, .seed = 1};
    assert_int_equal(bough_tune(&family, &r, &error), BOUGH_INVALID);
    bough_net_destroy(net);
}

/* ---- by hand ---- */

/* Three hosts send to three others over two uplinks. With one path one of these has two destinations, 6
 * flows. With two paths each uplink has three LIDs of half a flow from three hosts, 4.5; links of hosts
 * carry 5. */
static void two_paths_divide_three_destinations(void **state) {
    (void)state;
    bough_net *net = make(&(tree){2, 3, 2, 1, 1});
    bough_tune_report *one = tune(net, 0, NULL), *two = tune(net, 1, NULL);
    assert_true(one->score.value == 6 && one->score.most == 6 && one->optimal);
    assert_true(two->score.value == 5 && two->score.most == 4.5 && two->optimal);
    bough_tune_report_destroy(one);
    bough_tune_report_destroy(two);
    bough_net_destroy(net);
}

/* Five hosts send to 20 LIDs, 2.5 flows to each, over three uplinks: one of these has seven, though 50 / 3 is
 * less. */
static void portions_are_those_of_a_lid(void **state) {
    (void)state;
    bough_net *net = make(&(tree){3, 5, 3, 1, 1});
    bough_tune_report *r = tune(net, 1, NULL);
    assert_true(r->bound.value == 17.5 && r->score.value == 17.5);
    bough_tune_report_destroy(r);
    bough_net_destroy(net);
}

/* ---- agreement ---- */

/* Adds what a host receives from another one to the links of a path. */
static void follow(const bough_routing *routing, uint64_t source, uint64_t address, double *load,
                   double flow) {
    const bough_net *net = routing->net;
    const bough_flow to = {source, address, 0};
    uint64_t node = source;
    for (int hops = 0; node != bough_address_node(net, address); hops++) {
        bough_route route;
        assert_true(hops < 16);
        bough_route_at(routing, node, &to, &route);
        assert_int_equal(route.count, 1);
        const uint64_t link = bough_route_link(&route, 0);
        load[link] += flow;
        node = net->ops->link_end(net, link).node;
    }
}

static void loads_are_those_of_all_paths(void **state) {
    (void)state;
    static const tree trees[] = {{4, 5, 3, 2, 2}, {3, 4, 3, 1, 0}, {5, 3, 2, 2, 0}, {3, 5, 3, 3, 3}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        for (unsigned lmc = 0; lmc <= trees[i].lmc; lmc++) {
            bough_net *net = make(&trees[i]);
            bough_tune_report *r = tune(net, lmc, NULL);
            double *load = calloc(net->links, sizeof *load), most = 0;
            for (uint64_t d = 0; d < net->endpoints; d++) {
                const unsigned has = lmc_of(&trees[i], (unsigned)d), paths = 1u << (has < lmc ? has : lmc);
                for (uint64_t s = 0; s < net->endpoints; s++)
                    for (unsigned k = 0; k < paths && s != d; k++)
                        follow(r->routing, s, bough_endpoint_address(net, d) + k, load, 1.0 / paths);
            }
            for (uint64_t l = 0; l < net->links; l++) most = fmax(most, load[l]);
            assert_true(most == r->score.value);
            assert_true(r->bound.value <= most && r->unrouted == 0 && r->cycle == 0);
            for (size_t k = 0; k < r->rows; k++) assert_true(r->bound.value <= r->row[k].score.value);
            free(load);
            bough_tune_report_destroy(r);
            bough_net_destroy(net);
        }
}

/* LIDs beyond the paths repeat them; all LIDs are routed. */
static void other_lids_repeat_the_paths(void **state) {
    (void)state;
    bough_net *net = make(&(tree){4, 5, 3, 2, 0});
    bough_tune_report *r = tune(net, 1, NULL);
    bough_check_result check;
    bough_findings findings = {0};
    bough_error error;
    for (uint64_t s = net->endpoints; s < net->nodes; s++)
        for (uint64_t e = 1; e < net->endpoints; e++)
            for (uint64_t k = 0; k < 2; k++) {
                const uint64_t address = bough_endpoint_address(net, e) + k;
                const bough_flow a = {BOUGH_NONE, address, 0}, b = {BOUGH_NONE, address + 2, 0};
                bough_route one = {0}, other = {0};
                bough_route_at(r->routing, s, &a, &one);
                bough_route_at(r->routing, s, &b, &other);
                assert_true(bough_route_link(&one, 0) == bough_route_link(&other, 0));
            }
    const bough_check_options options = {.memory = &memory, .seed = 1, .threads = 1};
    assert_int_equal(bough_check_routing(r->routing, &options, &check, &findings, &error), BOUGH_OK);
    assert_int_equal(check.routed, r->pairs);
    arena_fini(&memory);
    bough_findings_fini(&findings);
    bough_tune_report_destroy(r);
    bough_net_destroy(net);
}

/* A job's bytes are divided, too: incast to a host over its two paths. */
static void jobs_are_divided(void **state) {
    (void)state;
    bough_net *net = make(&(tree){2, 3, 2, 1, 1});
    bough_tune_report *one = tune(net, 0, "shift:3"), *two = tune(net, 1, "shift:3");
    assert_true(one->score.value == 2 && two->score.value == 1.5);
    bough_tune_report_destroy(one);
    bough_tune_report_destroy(two);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lids_that_are_not_there_are_refused),
        cmocka_unit_test(two_paths_divide_three_destinations),
        cmocka_unit_test(portions_are_those_of_a_lid),
        cmocka_unit_test(loads_are_those_of_all_paths),
        cmocka_unit_test(other_lids_repeat_the_paths),
        cmocka_unit_test(jobs_are_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
