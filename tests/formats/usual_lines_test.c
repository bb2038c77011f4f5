/* Lines of forwarding tables that are found ahead of the reader: who has seen the same lines before finds no
 * more and no less than who has not, whatever byte of a line is another one. */
#include "base/text/scanner.h"
#include "formats/tables/usual_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LIDS = 100, LINE_MAX_BYTES = 128 };

typedef struct fixture {
    uint64_t owner[BOUGH_LID_MAX + 1];
    usual_memory *seen, *fresh;
    usual_lines of_seen, of_fresh;
    char text[LIDS * LINE_MAX_BYTES];
    size_t size, line[LIDS]; /* line: where it begins */
} fixture;

static int setup(void **state) {
    fixture *x = calloc(1, sizeof *x);
    *state = x;
    return !x || usual_memory_create(x->owner, &x->seen, NULL);
}

static int teardown(void **state) {
    fixture *x = *state;
    usual_lines_fini(&x->of_seen);
    usual_lines_fini(&x->of_fresh);
    free(x->seen);
    free(x);
    return 0;
}

/* Line i is i + 12 bytes long, with its end: every length that is kept, and some above and below. */
static void put_lines(fixture *x, unsigned shift) {
    x->size = 0;
    for (unsigned i = 0; i < LIDS; i++) {
        x->line[i] = x->size;
        x->size += (size_t)sprintf(x->text + x->size, "0x%04x %03u ", i + 1, (i * 7 + shift) % 256);
        for (unsigned b = 0; b < i; b++) x->text[x->size++] = "# Channel"[b % 9];
        x->text[x->size++] = '\n';
    }
}

static void expect_the_same(fixture *x) {
    const usual_lines *a = &x->of_seen, *b = &x->of_fresh;
    assert_int_equal(usual_memory_create(x->owner, &x->fresh, NULL), BOUGH_OK);
    usual_lines_find(x->seen, x->text, x->size, &x->of_seen);
    usual_lines_find(x->fresh, x->text, x->size, &x->of_fresh);
    free(x->fresh);
    assert_int_equal(a->zero, b->zero);
    assert_int_equal(a->runs, b->runs);
    assert_int_equal(a->ports, b->ports);
    assert_memory_equal(a->port, b->port, b->ports);
    for (size_t i = 0; i < b->runs; i++) {
        assert_ptr_equal(a->run[i].start, b->run[i].start);
        assert_ptr_equal(a->run[i].end, b->run[i].end);
        assert_int_equal(a->run[i].lid, b->run[i].lid);
        assert_int_equal(a->run[i].lines, b->run[i].lines);
        assert_int_equal(a->run[i].port, b->run[i].port);
    }
}

static void ports_of_all_lines_are_found(void **state) {
    fixture *x = *state;
    for (unsigned shift = 0; shift < 3; shift++) {
        put_lines(x, shift);
        expect_the_same(x);
        assert_int_equal(x->of_seen.runs, 1);
        assert_int_equal(x->of_seen.run[0].lines, LIDS);
        for (unsigned i = 0; i < LIDS; i++) assert_int_equal(x->of_seen.port[i], (i * 7 + shift) % 256);
    }
}

static void every_byte_counts(void **state) {
    static const char others[] = {0, '\n', '9'};
    fixture *x = *state;
    for (unsigned lid = 1; lid <= LIDS; lid++) x->owner[lid] = 0x2c903;
    put_lines(x, 0);
    expect_the_same(x);
    for (size_t line = 0, at = 0; at < x->size; at++) {
        while (line + 1 < LIDS && x->line[line + 1] <= at) line++;
        if (line % 8 != 5) continue;
        for (size_t i = 0; i < sizeof others; i++) {
            const char before = x->text[at];
            x->text[at] = others[i];
            expect_the_same(x);
            x->text[at] = before;
        }
    }
}

static void another_guid_is_not_usual(void **state) {
    static const char known[] = "0x0001 001 # Channel Adapter portguid 0x0002c90300000001: 'h0 HCA-1'\n";
    fixture *x = *state;
    x->owner[1] = 0x2c90300000001;
    memcpy(x->text, known, sizeof known);
    x->size = sizeof known - 1;
    expect_the_same(x);
    assert_int_equal(x->of_seen.ports, 1);
    for (size_t at = 0; at < x->size; at++) {
        x->text[at] ^= 1;
        expect_the_same(x);
        const bool guid = at >= 40 && at < 56, port = at == 9; /* 001 to 000 */
        if (guid) assert_int_equal(x->of_seen.ports, 0);
        if (port) assert_int_equal(x->of_seen.port[0], 0);
        x->text[at] ^= 1;
    }
}

/* Numbers up to the largest one exactly; those beyond saturate, whatever the last digit. */
static void numbers_saturate(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } number[] = {
        {"0", 0},
        {"0x1F", 31},
        {"576460752303423488", UINT64_C(1) << 59},
        {"18446744073709551609", UINT64_MAX - 6},
        {"18446744073709551614", UINT64_MAX - 1},
        {"18446744073709551616", UINT64_MAX},
        {"18446744073709551619", UINT64_MAX},
        {"36893488147419103233", UINT64_MAX},
        {"0xfffffffffffffffe", UINT64_MAX - 1},
        {"0x1fffffffffffffffe", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        scanner scan;
        uint64_t value = 1;
        const char *text = number[i].text;
        assert_int_equal(scan_start(&scan, "f", text, strlen(text), NULL), BOUGH_OK);
        assert_true(scan_line(&scan) && scan_number(&scan, &value));
        assert_true(value == number[i].value);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ports_of_all_lines_are_found),
        TEST(every_byte_counts),
        TEST(another_guid_is_not_usual),
        cmocka_unit_test(numbers_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
