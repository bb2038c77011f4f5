/* The reader of text files: what is refused and where, then lines, words and numbers. */
#include "base/text/scanner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static scanner of(const char *text, bough_error *error) {
    static char copy[100];
    strcpy(copy, text);
    return scan_piece(&(bough_input_piece){.name = (char *)"f", .data = copy, .size = strlen(text)}, error);
}

static void a_byte_that_is_no_text_is_named(void **state) {
    (void)state;
    bough_error error = {0};
    scanner s;
    assert_int_equal(scan_start(&s, "f", "a\nb\0c\n", 6, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "f:2");
    assert_string_equal(error.reason, "contains a NUL byte; expected a text file");
    assert_int_equal(scan_start(&s, "f", "a\n", 2, &error), BOUGH_OK);
    assert_int_equal(scan_more(&s, "\0\n", 2), BOUGH_INVALID);
    assert_int_equal(scan_start(&s, "f", "\0", 1, NULL), BOUGH_INVALID); /* nobody asks why */
}

static void the_place_is_that_of_the_line(void **state) {
    (void)state;
    char name[400];
    bough_error error = {0};
    scanner s = of("one\ntwo", &error);
    assert_true(scan_line(&s) && scan_line(&s));
    assert_int_equal(scan_fail(&s, "no %s", "three"), BOUGH_INVALID);
    assert_string_equal(error.place, "f:2");
    assert_string_equal(error.reason, "no three");
    assert_int_equal(scan_fail_line(&s, 1, "no two"), BOUGH_INVALID);
    assert_string_equal(error.place, "f:1");
    assert_int_equal(scan_at(&s, bough_fail(&error, BOUGH_UNSUPPORTED, NULL, "what")), BOUGH_UNSUPPORTED);
    assert_string_equal(error.place, "f:2");
    assert_int_equal(scan_at(&s, BOUGH_OK), BOUGH_OK);
    s.line = 0;
    assert_int_equal(scan_fail(&s, "all of it"), BOUGH_INVALID);
    assert_string_equal(error.place, "f");
    /* the end of a long name and the number stay; control characters do not */
    memset(name, 'd', sizeof name - 1);
    memcpy(name + sizeof name - 6,
           "/\x1b"
           "f.c",
           6);
    s.file = name;
    s.line = 12;
    assert_int_equal(scan_fail(&s, "far"), BOUGH_INVALID);
    assert_int_equal(strlen(error.place), sizeof error.place - 1);
    assert_memory_equal(error.place, "...ddd", 6);
    assert_non_null(strstr(error.place, "ddd/?f.c:12"));
}

static void a_file_that_was_cut_off_says_so(void **state) {
    (void)state;
    bough_error error = {0};
    scanner s;
    assert_int_equal(scan_start(&s, "f", "one\ntwo", 7, &error), BOUGH_OK);
    assert_true(scan_line(&s) && !s.open && scan_line(&s) && s.open);
    assert_int_equal(scan_fail(&s, "no three"), BOUGH_INVALID);
    assert_string_equal(error.reason, "no three; the file ends within this line");
    assert_int_equal(scan_fail_line(&s, 1, "no two"), BOUGH_INVALID);
    assert_string_equal(error.reason, "no two");
    assert_int_equal(scan_more(&s, "three\n", 6), BOUGH_OK);
    assert_true(scan_line(&s) && !s.open && s.line == 3);
    assert_false(scan_line(&s));
}

static void lines_end_in_every_way(void **state) {
    (void)state;
    static const char *const want[] = {"a", "", "b", "c\rd", "", "last"};
    size_t count = 0;
    scanner s = of("a\n\nb\r\nc\rd\n\r\nlast", NULL);
    while (scan_line(&s)) {
        assert_true(count < 6);
        assert_true(bough_slice_is((bough_slice){s.at, (size_t)(s.stop - s.at)}, want[count]));
        assert_int_equal(s.line, ++count);
    }
    assert_int_equal(count, 6);
    s = of("", NULL);
    assert_false(scan_line(&s));
    s = of("x\n", NULL);
    assert_true(scan_line(&s));
    assert_false(scan_line(&s)); /* no empty line behind the last end */
}

static void words_and_numbers(void **state) {
    (void)state;
    scanner s = of(" Lid\t0x1F \"a \"b\" c\" 007ffg\r\n\n18446744073709551616,x", NULL);
    bough_slice word = {0};
    uint64_t value;
    assert_true(scan_line(&s));
    assert_false(scan_text(&s, "Lid"));
    assert_true(scan_blanks(&s) && scan_starts(&s, "Lid") && scan_word(&s, &word) && scan_blanks(&s));
    assert_true(bough_slice_is(word, "Lid"));
    assert_true(scan_number(&s, &value) && value == 31);
    assert_false(scan_number(&s, &value));
    assert_true(scan_blanks(&s) && scan_quoted(&s, '"', &word));
    assert_true(bough_slice_is(word, "a \"b\" c"));
    assert_false(scan_done(&s));
    assert_true(scan_hex(&s, &value) && value == 0x7ff);
    assert_true(scan_ends(&s, "g") && !scan_ends(&s, "gg"));
    scanner part = scan_part(&s, (bough_slice){"12 ", 3});
    assert_true(scan_number(&part, &value) && value == 12 && scan_done(&part));
    part = scan_part(&s, (bough_slice){NULL, 0});
    assert_false(scan_number(&part, &value));
    assert_true(scan_line(&s) && scan_done(&s));
    assert_true(scan_line(&s) && scan_number(&s, &value) && value == UINT64_MAX);
}

static void words_between_characters(void **state) {
    (void)state;
    char word[4];
    scanner s = of(",,one, three,\n,", NULL);
    assert_true(scan_line(&s));
    assert_true(scan_next(&s, " ,", word, sizeof word));
    assert_string_equal(word, "one");
    assert_true(scan_next(&s, " ,", word, sizeof word));
    assert_string_equal(word, "thr"); /* what is left of it is skipped */
    assert_false(scan_next(&s, " ,", word, sizeof word));
    assert_true(scan_line(&s) && !scan_next(&s, " ,", word, sizeof word));
}

static void whole_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason; /* NULL: good */
    } cases[] = {
        {"0", NULL},
        {"99", NULL},
        {"", "n '' is not a whole number"},
        {"-1", "n '-1' is not a whole number"},
        {"1x", "n '1x' is not a whole number"},
        {"1000000000000000000", "n '1000000000000000000' is not a whole number"},
        {"100", "n 100 is too large; at most 99"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bough_error error = {0};
        uint64_t value;
        const scanner s = {.file = "f", .line = 3, .error = &error};
        bough_status status = scan_whole(&s, cases[i].text, "n", 99, &value);
        assert_int_equal(status, cases[i].reason ? BOUGH_INVALID : BOUGH_OK);
        if (!cases[i].reason) continue;
        assert_string_equal(error.reason, cases[i].reason);
        assert_string_equal(error.place, "f:3");
    }
}

static void what_is_shown_is_printable(void **state) {
    (void)state;
    const bough_slice long_name = {"0123456789012345678901234567890123456789", 40};
    assert_string_equal(SHOWN(((bough_slice){" a\x1b"
                                             "b ",
                                             5})),
                        "a?b");
    assert_int_equal(strlen(SHOWN(long_name)), 39);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_that_is_no_text_is_named),
        cmocka_unit_test(the_place_is_that_of_the_line),
        cmocka_unit_test(a_file_that_was_cut_off_says_so),
        cmocka_unit_test(lines_end_in_every_way),
        cmocka_unit_test(words_and_numbers),
        cmocka_unit_test(words_between_characters),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(what_is_shown_is_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
