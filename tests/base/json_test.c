/* JSON: what is refused, strings and numbers by hand, what was written reads back, and lost memory is
 * noticed. */
#include "base/json/json_build.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refuses(const char *text, const char *why) {
    bough_error error = {0};
    json_t *value = NULL;
    assert_int_equal(bough_json_read(text, &value, &error), BOUGH_INVALID);
    assert_null(value);
    if (!strstr(error.reason, why)) fail_msg("%s: %s, not %s", text, error.reason, why);
}

static void what_is_no_json_is_refused_with_its_place(void **state) {
    (void)state;
    const char *const numbers[] = {"",   "x",  "-",   "01",   "nul",  "tru e",
                                   "+1", ".5", "'a'", "[1,]", "[,1]", "NaN"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        refuses(numbers[i], "neither a value nor a number");
    refuses("1.", "after its point");
    refuses("1e", "in its exponent");
    refuses("1e+", "in its exponent");
    refuses("9223372036854775808", "too large");
    refuses("1e999", "too large");
    refuses("[1 2]", "byte 3: an unterminated list");
    refuses("[1,\n22 3]\n", "line 2, byte 3: an unterminated list");
    refuses("[1", "an unterminated list");
    refuses("{\"a\":1", "an unterminated object");
    refuses("{1:2}", "a key is missing");
    refuses("{\"a\":1,}", "a key is missing");
    refuses("{\"a\" 1}", "a key has no value");
    refuses("1 2", "after the value");
    const char *const strings[] = {
        "\"a",         "\"a\n\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "{\"a"};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        refuses(strings[i], "an unterminated string");
    refuses("\"\\u0000\"", "a null character");
    refuses("\"\xe9\"", "not UTF-8");
    refuses("{\"\xe9\":1}", "not UTF-8");
    refuses("\"\xed\xa0\x80\"", "not UTF-8");
    char deep[201] = {0};
    memset(deep, '[', 200);
    refuses(deep, "too deep");
}

static json_t *read(const char *text) {
    bough_error error = {0};
    json_t *value = NULL;
    if (bough_json_read(text, &value, &error)) fail_msg("%s: %s", text, error.reason);
    return value;
}

static void strings_and_numbers_mean_what_they_say(void **state) {
    (void)state;
    json_t *value = read(" {\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\" : [ -0 , "
                         "9223372036854775807,-9223372036854775808, 1.5e-3, 1E2, 1e-999] ,"
                         "\"t\":true,\"f\":false,\"n\":null,\"e\":{},\"l\":[],\"u\":"
                         "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00 \xc3\xa9\"}\n");
    const json_t *list = json_object_get(value, "a\"\\/\b\f\n\r\t");
    assert_int_equal(json_array_size(list), 6);
    assert_int_equal(json_integer_value(json_array_get(list, 0)), 0);
    assert_true(json_integer_value(json_array_get(list, 1)) == INT64_MAX);
    assert_true(json_integer_value(json_array_get(list, 2)) == INT64_MIN);
    assert_true(json_real_value(json_array_get(list, 3)) == 1.5e-3);
    assert_true(json_real_value(json_array_get(list, 4)) == 100);
    assert_true(json_real_value(json_array_get(list, 5)) == 0);
    assert_true(json_is_true(json_object_get(value, "t")) && json_is_false(json_object_get(value, "f")));
    assert_true(json_is_null(json_object_get(value, "n")));
    assert_string_equal(json_string_value(json_object_get(value, "u")),
                        "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \xc3\xa9");
    json_decref(value);
}

static void what_is_written_reads_back(void **state) {
    (void)state;
    json_t *all = json_object(), *list = json_array();
    char long_text[400] = {0};
    memset(long_text, 'x', sizeof long_text - 1);
    bough_json_append(&list, json_string("\x01 \" \\ \xe2\x82\xac"));
    bough_json_append(&list, json_string(long_text));
    bough_json_append(&list, json_real(0.1));
    bough_json_append(&list, json_null());
    bough_json_put(&all, "list", list);
    json_t *kept = json_incref(all);
    char *text = bough_json_text(all, JSON_COMPACT);
    assert_non_null(text);
    json_t *again = read(text);
    assert_true(json_equal(kept, again));
    free(text);
    json_decref(kept);
    json_decref(again);
}

static void what_could_not_be_made_makes_nothing_of_the_whole(void **state) {
    (void)state;
    json_t *object = json_object(), *array = json_array();
    bough_json_put(&object, "a", json_integer(1));
    bough_json_put(&object, "b", NULL);
    assert_null(object);
    bough_json_put(&object, "c", json_integer(1));
    assert_null(object);
    bough_json_append(&array, object);
    assert_null(array);
    assert_null(bough_json_text(array, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
        cmocka_unit_test(strings_and_numbers_mean_what_they_say),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_could_not_be_made_makes_nothing_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
