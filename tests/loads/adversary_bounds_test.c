/* Bounds of a link's load by trees: by hand, and as counted from the path of every pair, on tables at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loads/address_tree.h"
#include "loads/worst/adversary_internal.h"
#include "support/random_tables.h"
#include "support/specs.h"

#include <stdlib.h>
#include <string.h>

static adversary_link_bounds bounds_of(const bough_routing *r, unsigned threads) {
    bough_adversary_options options = {.threads = threads};
    adversary_job job = {.routing = r, .options = &options, .threads = threads};
    adversary_link_bounds counts;
    bough_error error;
    assert_true(address_tree_fits(r));
    if (adversary_bound_links(&job, &counts, &error)) fail_msg("%s", error.reason);
    return counts;
}

/* uses: [link][endpoint][source or destination] */
static void count_pair(const bough_routing *r, uint64_t pair, bool *uses, adversary_link_bounds *want) {
    const uint64_t n = r->net->endpoints;
    uint64_t path[64];
    bough_flow flow = {pair / n, bough_endpoint_address(r->net, pair % n), 0};
    int links = bough_path(r, &flow, path, 64);
    if (pair / n == pair % n) return;
    if (links <= 0) {
        if (pair < want->failed) want->failed = pair;
        return;
    }
    want->routed++;
    for (int i = 0; i < links; i++) {
        uses[(path[i] * n + pair / n) * 2] = true;
        uses[(path[i] * n + pair % n) * 2 + 1] = true;
        want->pairs[path[i]]++;
    }
}

static void agrees(const bough_routing *r) {
    const uint64_t n = r->net->endpoints, links = r->net->links;
    bool *uses = calloc(links * n * 2, sizeof *uses);
    adversary_link_bounds want = {.pairs = calloc(links, sizeof *want.pairs), .failed = BOUGH_NONE};
    for (uint64_t pair = 0; pair < n * n; pair++) count_pair(r, pair, uses, &want);
    for (unsigned threads = 1; threads <= 3; threads++) {
        adversary_link_bounds have = bounds_of(r, threads);
        assert_int_equal(have.routed, want.routed);
        assert_int_equal(have.failed, want.failed);
        for (uint64_t l = 0; l < links; l++) {
            uint64_t sources = 0, destinations = 0;
            for (uint64_t e = 0; e < n; e++) {
                sources += uses[(l * n + e) * 2];
                destinations += uses[(l * n + e) * 2 + 1];
            }
            assert_int_equal(have.pairs[l], want.pairs[l]);
            assert_true(have.bound[l] == (double)(sources < destinations ? sources : destinations));
        }
        adversary_link_bounds_fini(&have);
    }
    free(want.pairs);
    free(uses);
}

static void test_tables_at_random(void **state) {
    (void)state;
    random_tables_each(agrees);
}

/* Two leaf switches of two endpoints under one spine: the link up from a leaf has 2 sources and 2
 * destinations, the link to an endpoint 3 sources and 1 destination. */
static void test_by_hand(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=2x2,up=1x1");
    bough_routing *r = routing_make(net, "dmodk");
    adversary_link_bounds counts = bounds_of(r, 1);
    assert_int_equal(counts.routed, 12);
    for (uint64_t l = 0; l < net->links; l++) {
        bool inner = bough_link_start(net, l) >= 4 && net->ops->link_end(net, l).node >= 4;
        assert_int_equal(counts.pairs[l], inner ? 4 : 3);
        assert_true(counts.bound[l] == (inner ? 2 : 1));
    }
    adversary_link_bounds_fini(&counts);
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_tables_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
