/* The traffic of a graph's edges: what is refused, both directions of every edge once, and the order of cuts.
 */
#include "support/points.h"
#include "support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void what_is_refused(void **state) {
    (void)state;
    traffic_refused("pruned:n=64", "edges", BOUGH_INVALID, "of");
    traffic_refused("pruned:n=64", "edges:of=cub:n=64", BOUGH_INVALID, "cub");
    traffic_refused("pruned:n=64", "edges:of=cube", BOUGH_INVALID, "n");
    traffic_refused("pruned:n=64", "edges:of=cube:n=128", BOUGH_INVALID,
                    "128 vertices, but pruned:n=64 has only 64 endpoints");
    traffic_refused("pruned:n=64", "edges:of=expander:side=9", BOUGH_INVALID, "81 vertices");
    traffic_refused("pruned:n=64", "edges:of=expander", BOUGH_INVALID, "expander");
    traffic_refused("pruned:n=64", "edges:of=expander:side=1", BOUGH_INVALID, "no edges");
    traffic_refused("pruned:n=64", "edges:of=cube:n=64,order=best", BOUGH_INVALID, "best");
}

static bough_batch batch_of(const bough_point *p) {
    bough_batch batch;
    bough_error error = {0};
    if (bough_batch_read(p->traffic, bough_key_make(1, 0), &batch, &error)) fail_msg("%s", error.reason);
    return batch;
}

static void given_order(void **state) {
    (void)state;
    bough_point p = point_make("pruned:n=64", "free", "edges:of=cube:n=16,order=given");
    bough_batch batch = batch_of(&p);
    uint64_t sum = 0;
    assert_int_equal(batch.count, 64);
    for (uint64_t i = 0; i < batch.count; i++) {
        assert_int_equal(__builtin_popcount(batch.source[i] ^ batch.address[i]), 1);
        sum += (uint64_t)batch.source[i] * 16 + batch.address[i];
    }
    assert_int_equal(sum, 4 * (16 + 1) * (15 * 16 / 2));
    bough_batch_fini(&batch);
    point_free(&p);
}

/* A 4-ary 2-tree of 16 endpoints and 8 switches: in the order of cuts fewer messages leave a half, and every
 * endpoint is below the number of them. */
static void order_of_cuts(void **state) {
    (void)state;
    double eta[2];
    static const char *const traffic[] = {"edges:of=\"xgft:down=4x4,up=1x2\"",
                                          "edges:of=\"xgft:down=4x4,up=1x2\",order=given"};
    for (unsigned i = 0; i < 2; i++) {
        bough_point p = point_make("pruned:n=64", "free", traffic[i]);
        bough_rows rows = rows_of(&p, "linkload");
        eta[i] = row_value(&rows, BOUGH_METRIC_ETA, BOUGH_NO_ROW_INDEX);
        bough_rows_fini(&rows);
        point_free(&p);
    }
    if (eta[0] >= eta[1]) fail_msg("%g in the order of cuts, %g as given", eta[0], eta[1]);
}

/* More places than endpoints: 22 vertices have 32 places, and the host 24 endpoints. */
static void ranks_of_places(void **state) {
    (void)state;
    bough_point p = point_make("kary:k=24,levels=1", "free", "edges:of=\"xgft:down=4x4,up=1x2\"");
    bough_batch batch = batch_of(&p);
    for (uint64_t i = 0; i < batch.count; i++) assert_true(batch.source[i] < 22 && batch.address[i] < 22);
    bough_batch_fini(&batch);
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_refused), cmocka_unit_test(given_order),
                                       cmocka_unit_test(order_of_cuts), cmocka_unit_test(ranks_of_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
