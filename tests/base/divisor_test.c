/* Quotients by a multiplication, against the division instruction: numbers next to multiples, and at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/divisor.h"
#include "base/random/random.h"

static const uint64_t END = UINT64_C(1) << 62;

static void expect(uint64_t number, uint64_t by) {
    if (number >= END) return;
    divisor d = divisor_make(by);
    assert_int_equal(d.value, by);
    assert_int_equal(divisor_quotient(&d, number), number / by);
    assert_int_equal(divisor_remainder(&d, number), number % by);
}

static void expect_near(uint64_t multiple, uint64_t by) {
    expect(multiple, by);
    expect(multiple + 1, by);
    if (multiple) expect(multiple - 1, by);
}

static void test_small(void **state) {
    (void)state;
    for (uint64_t by = 1; by <= 300; by++)
        for (uint64_t number = 0; number <= 1000; number++) expect(number, by);
}

static void test_ends(void **state) {
    (void)state;
    for (unsigned bit = 0; bit <= 62; bit++)
        for (int step = -1; step <= 1; step++) {
            uint64_t by = (UINT64_C(1) << bit) + (uint64_t)step;
            if (by < 1 || by > END) continue;
            expect_near(0, by);
            expect_near(by, by);
            expect(END - 1, by);
            expect_near((END - 1) / by * by, by);
        }
}

static void test_at_random(void **state) {
    (void)state;
    bough_stream s = bough_stream_make(bough_key_make(4, 0), BOUGH_DRAW_SEARCH, 0, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t by = 1 + bough_stream_below(&s, END >> bough_stream_below(&s, 61));
        uint64_t number = bough_stream_below(&s, END);
        expect(number, by);
        expect_near(number / by * by, by);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
