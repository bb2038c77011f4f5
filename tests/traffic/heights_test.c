/* Message sets that load every height: what is refused, a set by hand, and its loads and degrees. */
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
    traffic_refused("pruned:n=64", "heights:load=0", BOUGH_INVALID, "load");
    traffic_refused("pruned:n=64", "heights:degree=0", BOUGH_INVALID, "degree");
    traffic_refused("pruned:n=64", "heights:load=1.5", BOUGH_INVALID, "load");
    traffic_refused("kary:k=3,levels=2", "heights", BOUGH_INVALID, "9 endpoints");
    traffic_refused("kary:k=2,levels=30", "heights:degree=1024", BOUGH_TOO_LARGE, "memory");
}

static bough_batch batch_of(const bough_point *p) {
    bough_batch batch;
    bough_error error = {0};
    if (bough_batch_read(p->traffic, bough_key_make(1, 0), &batch, &error)) fail_msg("%s", error.reason);
    return batch;
}

/* Four endpoints, one message each at most: both at height 2 of one half to the other, and none is left
 * below. */
static void by_hand(void **state) {
    (void)state;
    bough_point p = point_make("fattree:n=4", "free", "heights:load=1,degree=1");
    bough_batch b = batch_of(&p);
    assert_int_equal(b.count, 2);
    assert_int_equal(p.traffic->messages, 2);
    for (unsigned i = 0; i < 2; i++) assert_int_equal(b.address[i], b.source[i] + 2);
    bough_batch_fini(&b);
    point_free(&p);
    p = point_make("fattree:n=4", "free", "heights:load=1,degree=2");
    b = batch_of(&p);
    assert_int_equal(b.count, 4); /* and 0 to 1, 2 to 3 */
    assert_int_equal(b.source[2], 0);
    assert_int_equal(b.address[2], 1);
    assert_int_equal(b.source[3], 2);
    assert_int_equal(b.address[3], 3);
    bough_batch_fini(&b);
    point_free(&p);
}

/* No endpoint has more messages than the degree, none crosses a height with more than the load, and every
 * height has some. */
static void loads_and_degrees(void **state) {
    (void)state;
    static const char *const traffic[] = {"heights", "heights:load=2,degree=3", "heights:load=64",
                                          "heights:load=5,degree=16"};
    static const uint64_t load[] = {1, 2, 64, 5}, degree[] = {4, 3, 4, 16};
    for (unsigned t = 0; t < 4; t++) {
        bough_point p = point_make("pruned:n=1024", "free", traffic[t]);
        bough_batch b = batch_of(&p);
        uint32_t sends[1024] = {0}, receives[1024] = {0}, at[11][1024] = {0};
        for (uint64_t i = 0; i < b.count; i++) {
            unsigned height = 32 - (unsigned)__builtin_clz(b.source[i] ^ b.address[i]);
            sends[b.source[i]]++;
            receives[b.address[i]]++;
            at[height][b.source[i] >> height]++;
            assert_true(b.source[i] < b.address[i]);
        }
        for (unsigned e = 0; e < 1024; e++) assert_true(sends[e] <= degree[t] && receives[e] <= degree[t]);
        for (unsigned h = 1; h <= 10; h++) {
            uint64_t here = 0;
            for (unsigned j = 0; j < 1024U >> h; j++) {
                assert_true(at[h][j] <= load[t] << (h + 1) / 2);
                here += at[h][j];
            }
            if (h > 5 && load[t] <= 2) assert_true(here > 0);
        }
        bough_batch_fini(&b);
        point_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_refused), cmocka_unit_test(by_hand),
                                       cmocka_unit_test(loads_and_degrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
