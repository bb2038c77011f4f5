/* Texts of others in every language of output. Expectations are by hand, or come from another reader
 * (jansson). */
#include "base/text/escape.h"
#include "base/text/utf8.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(void (*put)(bough_text *, const char *), const char *from, const char *want) {
    bough_text t = {0};
    bough_text_put(&t, "");
    put(&t, from);
    if (strcmp(t.data, want) != 0) fail_msg("'%s' became '%s', not '%s'", from, t.data, want);
    bough_text_fini(&t);
}

/* UTF-8 of a number, also of those that are no characters. */
static const char *encode(uint32_t c, char *out) {
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char head[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(head[size] | c);
    out[size] = 0;
    return out;
}

static const char *const broken[] = {"\x80",
                                     "\xbf\xbf",
                                     "\xc0\xaf",
                                     "\xc1\x81",
                                     "\xc3",
                                     "\xe0\x80\x80",
                                     "\xe2\x82",
                                     "\xed\xa0\x80",
                                     "\xf0\x82\x82\xac",
                                     "\xf4\x90\x80\x80",
                                     "\xf5\x80\x80\x80",
                                     "\xff",
                                     "\xfe",
                                     "\xe9t\xe9",
                                     ("\x9b"
                                      "31m")};
enum { BROKEN = sizeof broken / sizeof *broken };

static void every_number_is_read_or_refused(void **state) {
    (void)state;
    char bytes[8];
    for (uint32_t c = 0; c < 0x110000; c++) {
        uint32_t code = ~c;
        size_t size = strlen(encode(c, bytes)), read = bough_utf8_read(bytes, size ? size : 1, &code);
        bool surrogate = c >= 0xd800 && c < 0xe000;
        if (read != (surrogate ? 0 : size ? size : 1)) fail_msg("U+%04X: %zu", (unsigned)c, read);
        if (read) assert_int_equal(code, c);
        if (size > 1) assert_int_equal(bough_utf8_read(bytes, size - 1, &code), 0);
    }
    for (size_t i = 0; i < BROKEN; i++) {
        uint32_t code;
        size_t step = bough_utf8_read(broken[i], strlen(broken[i]), &code);
        if (step) fail_msg("%zu is read", i);
    }
}

static void what_is_hidden(void **state) {
    (void)state;
    static const uint32_t hidden[] = {0,      0x1b,   0x7f,    0x80,    0x9b,    0x9f,    0x61c,
                                      0x200b, 0x200e, 0x200f,  0x2028,  0x202a,  0x202e,  0x2060,
                                      0x2066, 0x2069, 0xfeff,  0xfff9,  0xfffb,  0xfffe,  0xffff,
                                      0xfdd0, 0xfdef, 0xe0001, 0xe007f, 0x1fffe, 0x10ffff};
    static const uint32_t shown[] = {' ',    'a',    '~',    0xa0,   0xe9,   0x5d0,  0x627,   0x2010,
                                     0x2027, 0x202f, 0x2070, 0x4e2d, 0xe000, 0xfffd, 0x1f600, 0x10fffd};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (!bough_utf8_is_hidden(hidden[i])) fail_msg("U+%04X is shown", (unsigned)hidden[i]);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (bough_utf8_is_hidden(shown[i])) fail_msg("U+%04X is hidden", (unsigned)shown[i]);
}

static void people_see_marks(void **state) {
    (void)state;
    expect(bough_text_put_shown, "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80",
           "caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80");
    expect(bough_text_put_shown, "\033]0;x\007\033[31mred", "?]0;x??[31mred");
    expect(bough_text_put_shown, "a\nb\tc\rd\x7f", "a?b?c?d?");
    expect(bough_text_put_shown,
           "c1 \xc2\x9b"
           "31m \x9b"
           "31m",
           "c1 ?31m ?31m");
    expect(bough_text_put_shown,
           "x\xe2\x80\xae"
           "cba\xe2\x80\xac\xef\xbb\xbf",
           "x?cba??");
    expect(bough_text_put_shown, "\xef\xbf\xbe\xf3\xa0\x81\x81", "??");
    expect(bough_text_put_shown, "\xe9t\xe9 \xe2\x82", "?t? ??");
    char lines[] = "a\tb\nc\033[0m\r\n";
    lines[bough_show_lines(lines, strlen(lines))] = 0;
    assert_string_equal(lines, "a\tb\nc?[0m?\n");
}

/* Whatever comes in: nothing hidden is left, one mark stands for each, and showing twice is showing once. */
static void nothing_hidden_is_left(void **state) {
    (void)state;
    char bytes[8];
    for (uint32_t c = 1; c < 0x110000; c++) {
        bough_text t = {0};
        bool surrogate = c >= 0xd800 && c < 0xe000;
        bough_text_printf(&t, "<%s>", encode(c, bytes));
        size_t before = t.length;
        bough_text_show(&t, 0);
        if (surrogate)
            assert_string_equal(t.data, "<\?\?\?>");
        else if (bough_utf8_is_hidden(c))
            assert_string_equal(t.data, "<?>");
        else
            assert_int_equal(t.length, before);
        bough_text_fini(&t);
    }
    for (size_t i = 0; i < BROKEN; i++) {
        bough_text t = {0};
        bough_text_put_shown(&t, broken[i]);
        for (size_t k = 0; k < t.length; k++) assert_in_range((unsigned char)t.data[k], 0x20, 0x7e);
        bough_text_fini(&t);
    }
}

static void json_keeps_all(void **state) {
    (void)state;
    expect(bough_text_put_json, "a\"b\\c/\xc3\xa9", "\"a\\\"b\\\\c/\xc3\xa9\"");
    expect(bough_text_put_json, "\n\t\033\x7f", "\"\\n\\t\\u001b\\u007f\"");
    expect(bough_text_put_json, "\xc2\x9b\xe2\x80\xae\xef\xbf\xbf", "\"\\u009b\\u202e\\uffff\"");
    expect(bough_text_put_json, "\xf3\xa0\x81\x81", "\"\\udb40\\udc41\"");
    expect(bough_text_put_json, "\xe9t\xe9", "\"\xef\xbf\xbdt\xef\xbf\xbd\"");
    expect(bough_text_put_json, "", "\"\"");
    char bytes[8];
    for (uint32_t c = 1; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        if (c > 0x3000 && c % 61 && !bough_utf8_is_hidden(c)) continue;
        bough_text t = {0};
        bough_text_put_json(&t, encode(c, bytes));
        json_t *read = json_loads(t.data, JSON_DECODE_ANY, NULL);
        if (!read) fail_msg("U+%04X: %s is no JSON", (unsigned)c, t.data);
        assert_string_equal(json_string_value(read), bytes);
        size_t length = t.length;
        assert_int_equal(bough_show_line(t.data, length), length); /* a terminal may show it */
        json_decref(read);
        bough_text_fini(&t);
    }
}

static void xml_holds_what_it_can(void **state) {
    (void)state;
    expect(bough_text_put_xml, "a<b>&\"c\" ]]>", "a&lt;b&gt;&amp;&quot;c&quot; ]]&gt;");
    expect(bough_text_put_xml, "a\n\tb\rc\001\033\x7f",
           "a\n\tb\xef\xbf\xbd"
           "c\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect(bough_text_put_xml, "\xef\xbf\xbe\xef\xbf\xbf\xe9", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect(bough_text_put_xml, "\xe2\x80\xae\xc3\xa9", "\xe2\x80\xae\xc3\xa9");
}

static void csv_is_read_back(void **state) {
    (void)state;
    expect(bough_text_put_csv, "plain text", "plain text");
    expect(bough_text_put_csv, "a,b", "\"a,b\"");
    expect(bough_text_put_csv, "a\"b\n", "\"a\"\"b\n\"");
    expect(bough_text_put_csv, "#no comment", "\"#no comment\"");
    expect(bough_text_put_csv, "=1+2", "=1+2"); /* what programs read stays what it is */
    expect(bough_text_put_csv, "\xe2\x80\xae\033", "\xe2\x80\xae\033");
}

static void formulas_are_texts_in_safe_csv(void **state) {
    (void)state;
    expect(bough_text_put_csv_safe, "=1+2", "'=1+2");
    expect(bough_text_put_csv_safe, "@SUM(A1)", "'@SUM(A1)");
    expect(bough_text_put_csv_safe, "+a", "'+a");
    expect(bough_text_put_csv_safe, "-a,b", "\"'-a,b\"");
    expect(bough_text_put_csv_safe, "\t=1", "'\t=1");
    expect(bough_text_put_csv_safe, "\r=1", "\"'\r=1\"");
    expect(bough_text_put_csv_safe, "-", "'-");
    expect(bough_text_put_csv_safe, "-inf", "'-inf");
    expect(bough_text_put_csv_safe, "-1.5e-3", "-1.5e-3");
    expect(bough_text_put_csv_safe, "+7", "+7");
    expect(bough_text_put_csv_safe, "-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0");
    expect(bough_text_put_csv_safe, "plain = x", "plain = x");
    expect(bough_text_put_csv_safe, "", "");
}

/* A word that a shell reads back as it is. */
static void words_of_a_shell(void **state) {
    (void)state;
    expect(bough_text_put_word, "a/b-1.csv", "a/b-1.csv");
    expect(bough_text_put_word, "", "''");
    expect(bough_text_put_word, "a b", "'a b'");
    expect(bough_text_put_word, "$(x)`y`", "'$(x)`y`'");
    expect(bough_text_put_word, "it's", "'it'\\''s'");
}

static void labels_of_graphviz(void **state) {
    (void)state;
    expect(bough_text_put_dot, "a\"b\\N&lt;", "\"a\\\"b\\\\N&amp;lt;\"");
    expect(bough_text_put_dot, "a\nb\xe9",
           "\"a\xef\xbf\xbd"
           "b\xef\xbf\xbd\"");
}

static void cut_characters_go(void **state) {
    (void)state;
    const char *text = "ab\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80";
    static const size_t want[] = {0, 1, 2, 2, 4, 4, 4, 7, 7, 7, 7, 11};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(bough_utf8_whole(text, i), want[i]);
    assert_int_equal(bough_utf8_whole("a\x80\x80\x80\x80", 5), 5);
    char mended[] = "caf\xe9 \xc3\xa9\xe2\x82";
    bough_utf8_mend(mended);
    assert_string_equal(mended, "caf? \xc3\xa9\?\?");
}

static void errors_are_one_line_that_can_be_shown(void **state) {
    (void)state;
    bough_error error = {0};
    bough_fail(&error, BOUGH_INVALID, "f\033[2J\xe2\x80\xae.txt", "no\n'%s'", "\xc2\x9b\xe9\xc3\xa9");
    assert_string_equal(error.place, "f?[2J?.txt");
    assert_string_equal(error.reason, "no?'??\xc3\xa9'");
    char longer[2000]; /* whatever is cut off: no half of a character at the end */
    for (size_t shift = 0; shift < 4; shift++) {
        size_t at = 0;
        for (; at < shift; at++) longer[at] = 'x';
        for (; at + 4 < sizeof longer; at += 3) memcpy(longer + at, "\xe4\xb8\xad", 3);
        longer[at] = 0;
        bough_fail(&error, BOUGH_INVALID, longer, "%s", longer);
        assert_null(strchr(error.reason, '?'));
        assert_null(strchr(error.place, '?'));
        assert_true(strlen(error.reason) + 4 >= sizeof error.reason);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_shell),
        cmocka_unit_test(every_number_is_read_or_refused),
        cmocka_unit_test(what_is_hidden),
        cmocka_unit_test(people_see_marks),
        cmocka_unit_test(nothing_hidden_is_left),
        cmocka_unit_test(json_keeps_all),
        cmocka_unit_test(xml_holds_what_it_can),
        cmocka_unit_test(csv_is_read_back),
        cmocka_unit_test(formulas_are_texts_in_safe_csv),
        cmocka_unit_test(labels_of_graphviz),
        cmocka_unit_test(cut_characters_go),
        cmocka_unit_test(errors_are_one_line_that_can_be_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
