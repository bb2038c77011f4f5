/* Rows of subtrees against the definition: the smallest subtree that holds both. */
#include "network/subtrees.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned by_definition(const bough_net *net, uint64_t a, uint64_t b) {
    for (unsigned level = 0; level < net->levels; level++)
        if (net->ops->subtree(net, level, a) == net->ops->subtree(net, level, b)) return level;
    return net->levels;
}

static void check(const bough_net *net, bool regular) {
    subtrees s;
    bough_error error;
    if (subtrees_make(net, &s, &error)) fail_msg("%s: %s", net->spec, error.reason);
    assert_true(regular == (s.endpoint == NULL));
    for (uint64_t a = 0; a < net->endpoints; a++) {
        uint64_t met[SUBTREES_LEVELS + 1] = {0}, place = subtrees_place(&s, a);
        for (uint64_t b = 0; b < net->endpoints; b++) {
            unsigned level = by_definition(net, a, b);
            assert_int_equal(subtrees_nca_level(&s, a, b), level);
            assert_int_equal(subtrees_common_level(net, a, b), level);
            met[level]++;
        }
        for (unsigned level = 1; level <= net->levels; level++) {
            assert_true(subtrees_nca_count(&s, level, place) == met[level]);
            /* everybody there once */
            uint64_t seen = 0;
            for (uint64_t i = 0; i < met[level]; i++) {
                uint64_t b = subtrees_nca_endpoint(&s, level, place, i);
                assert_true(b < net->endpoints && by_definition(net, a, b) == level);
                if (net->endpoints <= 64) {
                    assert_int_equal(seen >> b & 1, 0);
                    seen |= UINT64_C(1) << b;
                }
            }
        }
    }
    subtrees_fini(&s);
}

static void regular_trees(void **state) {
    (void)state;
    static const char *const specs[] = {"fattree:n=32",    "kary:k=3,levels=3",        "transit:n=64",
                                        "transit:flat=48", "xgft:down=5x1x3,up=1x2x2", "kary:k=1,levels=3",
                                        "bft:n=64"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        bough_net *net = net_make(specs[i]);
        check(net, true);
        bough_net_destroy(net);
    }
}

/* Leaves of different sizes, hosts in an order of their own. */
static void irregular_trees(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "H1 lid 10", "H2 lid 13",
                                        "H3 lid 11", "H4 lid 14", "H5 lid 12", "S1:1 H1:1", "S1:2 H2:1",
                                        "S2:1 H3:1", "S2:2 H4:1", "S2:3 H5:1", "S1:8 S3:1", "S1:9 S3:2",
                                        "S2:8 S3:3", NULL};
    bough_net *net = fabric_net(lines, NULL);
    assert_true(net->capabilities & BOUGH_HAS_CHANNELS);
    assert_int_equal(net->levels, 2);
    check(net, false);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(regular_trees), cmocka_unit_test(irregular_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
