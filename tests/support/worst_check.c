#include "support/worst_check.h"

#include "support/all_permutations.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

bough_adversary_result worst_find_with(const bough_routing *routing, unsigned threads) {
    bough_adversary_options o = {.threads = threads};
    bough_adversary_result r;
    bough_error error;
    if (bough_adversary_find(routing, &o, &r, &error)) fail_msg("%s: %s", routing->spec, error.reason);
    return r;
}

bough_adversary_result worst_find(const bough_routing *routing) {
    return worst_find_with(routing, 1);
}

/* A permutation that puts the load on the link; no fixed point, unless it is alone without a flow there. */
static void check_permutation(const bough_routing *routing, const uint32_t *destination, uint64_t link,
                              double load, uint64_t flows) {
    const bough_net *net = routing->net;
    double *have = calloc(net->links + 1, sizeof *have);
    bool *taken = calloc(net->endpoints, sizeof *taken);
    uint64_t fixed = 0;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        assert_true(destination[e] < net->endpoints);
        assert_false(taken[destination[e]]);
        taken[destination[e]] = true;
        fixed += destination[e] == e;
    }
    assert_true(fixed <= (flows + 1 == net->endpoints || net->endpoints == 1));
    permutation_loads(routing, destination, have);
    if (link != BOUGH_NONE) assert_same(have[link], load);
    free(have);
    free(taken);
}

void worst_check(const bough_routing *routing, const bough_adversary_result *r) {
    check_permutation(routing, r->destination, r->link, r->load, r->flows);
    assert_int_equal(r->expected, !bough_routing_deterministic(routing));
    if (r->expected) {
        assert_null(r->counted_destination);
        assert_int_equal(r->bound, 0);
        return;
    }
    check_permutation(routing, r->counted_destination, BOUGH_NONE, 0, r->counted);
    assert_true(r->bound <= r->counted && (double)r->counted <= r->load);
    assert_int_equal(r->flows, (uint64_t)r->load);
    if (!r->counted) return;
    double *load = calloc(routing->net->links, sizeof *load);
    permutation_loads(routing, r->counted_destination, load);
    assert_true(load[r->counted_link] >= (double)r->counted);
    free(load);
}

/* The first of the largest; BOUGH_NONE: all are 0. */
static uint64_t largest(const uint64_t *value, uint64_t count, uint64_t *most) {
    uint64_t at = BOUGH_NONE;
    *most = 0;
    for (uint64_t i = 0; i < count; i++)
        if (value[i] > *most) *most = value[i], at = i;
    return at;
}

void worst_check_counted(const bough_routing *routing, const bough_adversary_result *r) {
    uint64_t links = routing->net->links, most, *counted = calloc(links, sizeof *counted);
    counted_loads(routing, counted);
    uint64_t link = largest(counted, links, &most);
    assert_int_equal(r->counted, most);
    assert_int_equal(r->counted_link, link);
    free(counted);
}

void worst_check_plain(const bough_routing *routing, const bough_adversary_result *r) {
    uint64_t links = routing->net->links, most, *matched = calloc(links, sizeof *matched);
    matched_loads(routing, matched);
    uint64_t link = largest(matched, links, &most);
    if (r->load != (double)most || r->link != link)
        fail_msg("%s under %s: %g on %" PRIu64 ", not %" PRIu64 " on %" PRIu64, routing->net->spec,
                 routing->spec, r->load, r->link, most, link);
    free(matched);
}
