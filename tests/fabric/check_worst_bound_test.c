/* The lower bound of the worst permutation: never above the exact one, and equal to it on trees. */
#include "fabric/check/worst/check_worst_bound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

static double bound(const char *spec, const char *routing, double *worst) {
    const bough_check_options options = {.memory = &memory, .seed = 3, .permutations = 4, .threads = 1};
    bough_routing_report part = {0};
    bough_net *net;
    bough_findings findings = {0};
    bough_error error = {0};
    if (bough_net_create(spec, &net, &error)) fail_msg("%s: %s", spec, error.reason);
    assert_int_equal(bough_routing_create(net, routing, &part.routing, NULL), BOUGH_OK);
    assert_int_equal(bough_check_routing(part.routing, &options, &part.result, &findings, NULL), BOUGH_OK);
    assert_int_equal(check_worst_bound(&part, 1, NULL), BOUGH_OK);
    const double least = part.worst_least;
    for (unsigned threads = 2; threads <= 4; threads++) {
        assert_int_equal(check_worst_bound(&part, threads, NULL), BOUGH_OK);
        assert_memory_equal(&part.worst_least, &least, sizeof least);
    }
    assert_int_equal(bough_adversary_find(part.routing, &(bough_adversary_options){0}, &part.worst, NULL),
                     BOUGH_OK);
    *worst = part.worst.load;
    bough_adversary_fini(&part.worst);
    arena_fini(&memory);
    bough_findings_fini(&findings);
    bough_routing_destroy(part.routing);
    bough_net_destroy(net);
    return part.worst_least;
}

static void bounds_hold(void **state) {
    (void)state;
    static const char *const spec[] = {"xgft:down=4x4,up=1x2",
                                       "xgft:down=4x4x4,up=1x4x4",
                                       "xgft:down=6x5x4,up=1x3x2,hosts=100",
                                       "clos:radix=12,hosts=200",
                                       "cube:n=64",
                                       "torus:dims=5x5"};
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        double worst, least = bound(spec[i], i < 4 ? "dmodk" : NULL, &worst);
        if (!(least >= 1 && least <= worst)) fail_msg("%s: %g of %g", spec[i], least, worst);
        if (i < 4 && least < worst) fail_msg("%s: %g, and %g is possible", spec[i], least, worst);
    }
}

static void nothing_where_the_routing_chooses(void **state) {
    (void)state;
    double worst;
    assert_true(isnan(bound("xgft:down=4x4,up=1x2", "random", &worst)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(nothing_where_the_routing_chooses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
