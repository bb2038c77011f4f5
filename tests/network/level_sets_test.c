/* Sets below a level against a search from every node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/faults/faults.h"
#include "network/level_sets.h"
#include "support/specs.h"

#include <stdlib.h>

/* reached: [nodes]: marked once from the start, by links in both directions. */
static void flood(const bough_net *net, wiring_filter *keep, unsigned level, bool *reached) {
    for (bool more = true; more;) {
        more = false;
        for (uint64_t l = 0; l < net->links; l++) {
            const uint64_t a = bough_link_start(net, l), b = net->ops->link_end(net, l).node;
            if (net->ops->node_level(net, a) > level || net->ops->node_level(net, b) > level) continue;
            if ((keep && !keep(net, l)) || reached[a] == reached[b]) continue;
            reached[a] = reached[b] = more = true;
        }
    }
}

static void compare(const bough_net *net, wiring_filter *keep) {
    level_sets sets;
    assert_int_equal(level_sets_make(&sets, net, keep, NULL), BOUGH_OK);
    for (uint64_t v = 0; v < net->nodes; v++) assert_int_equal(sets.set[v], v);
    for (unsigned level = 0; level <= net->levels; level++) {
        level_sets_raise(&sets, level);
        for (uint64_t v = 0; v < net->nodes; v++) {
            bool *reached = calloc(net->nodes, sizeof *reached);
            uint64_t first = 0;
            reached[v] = true;
            flood(net, keep, level, reached);
            while (!reached[first]) first++;
            assert_int_equal(sets.set[v], first);
            free(reached);
        }
    }
    level_sets_part(&sets);
    for (uint64_t v = 0; v < net->nodes; v++) assert_int_equal(sets.set[v], v);
    level_sets_fini(&sets);
}

static void sets_are_what_a_search_reaches(void **state) {
    static const char *const nets[] = {"xgft:down=2x3x2,up=1x2x2", "clos:radix=8,hosts=24", "bft:n=16",
                                       "cube:n=8"};
    (void)state;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        bough_net *net = net_make(nets[i]);
        compare(net, NULL);
        bough_net_destroy(net);
    }
}

static void dead_links_join_nothing(void **state) {
    (void)state;
    bough_net *net = net_make("kary:k=2,levels=3"), *broken;
    assert_int_equal(bough_net_with_faults(net, "links:count=9,key=2", &broken, NULL), BOUGH_OK);
    compare(broken, bough_link_works);
    compare(broken, bough_cable_works);
    bough_net_destroy(broken);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_what_a_search_reaches),
        cmocka_unit_test(dead_links_join_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
