/* Arithmetic and ranges of study files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/files/axis_expression.h"
#include "support/fabrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char name[4][8] = {"n", "m", "load", "pattern"}, text_of[4][8] = {"24", "5", "0.5", "bitrev"};
static char *const names[] = {name[0], name[1], name[2], name[3]};
static const axis_value values[] = {
    {text_of[0], 24, true}, {text_of[1], 5, true}, {text_of[2], 0, false}, {text_of[3], 0, false}};
static const environment env = {names, values, 4};
static const environment none = {NULL, NULL, 0};

static void refused(const char *text, const char *reason) {
    int64_t value;
    bough_error error = {0};
    assert_int_equal(expression_value(text, &env, &value, &error), BOUGH_INVALID);
    if (!strstr(error.reason, reason)) fail_msg("'%s': expected '%s' in '%s'", text, reason, error.reason);
}

static void test_bad_expressions(void **state) {
    (void)state;
    refused("", "expected a number");
    refused("n+", "at the end");
    refused("*n", "expected a number");
    refused("0x10", "expected a number");
    refused("min(n, 2)", "there is no axis 'min'");
    refused("(n", "expected ')' at the end");
    refused("n)", "unexpected ')'");
    refused("n m", "unexpected 'm'");
    refused("k", "no axis 'k'");
    refused("lod/8", "did you mean 'load'");
    refused("load*2", "not a whole number");
    refused("n/5", "not a whole number at n=24");
    refused("m/2*2", "not a whole number"); /* every step, even if the end were whole */
    refused("n/0", "not a whole number");
    refused("n%0", "not a whole number");
    refused("n % (0-3)", "not a whole number");
    refused("2^-1", "not a whole number");
    refused("1.5", "not a whole number");
    refused("2^63", "beyond 2^63");
    refused("2^62*2", "beyond 2^63");
    refused("9223372036854775807+1", "beyond 2^63");
    refused("99999999999999999999", "not a whole number");
    char deep[400];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    refused(deep, "nested too deeply");
    memset(deep, '-', sizeof deep - 1);
    refused(deep, "nested too deeply");
}

static void is(const char *text, int64_t expected) {
    int64_t value = 0;
    bough_error error = {0};
    if (expression_value(text, &env, &value, &error)) fail_msg("'%s': %s", text, error.reason);
    if (value != expected) fail_msg("'%s' is %lld, not %lld", text, (long long)value, (long long)expected);
}

static void test_expressions(void **state) {
    (void)state;
    is("7", 7);
    is("n", 24);
    is(" n / 8 ", 3);
    is("2*n", 48);
    is("n-1", 23);
    is("2^m", 32);
    is("1+2*3", 7);
    is("(1+2)*3", 9);
    is("2^3^2", 512); /* from the right, as powers go */
    is("10-4-3", 3);  /* from the left */
    is("48/4/3", 4);
    is("-2^2", -4);
    is("3--2", 5);
    is("7*5 % n", 11);
    is("-1 % n", 23);
    is("0^0", 1);
    is("1^1000000000000", 1);
    is("1Ki+1e3", 2024);
    is("3*n/8", 9);
    is("2^62-1+2^62", INT64_MAX);
}

static void holds(const char *text, bool expected) {
    bool value = !expected;
    bough_error error = {0};
    if (expression_holds(text, &env, &value, &error)) fail_msg("'%s': %s", text, error.reason);
    if (value != expected) fail_msg("'%s'", text);
}

static void test_conditions(void **state) {
    (void)state;
    bool value;
    bough_error error = {0};
    assert_int_equal(expression_holds("n", &env, &value, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "not a condition"));
    assert_int_equal(expression_holds("n < ", &env, &value, &error), BOUGH_INVALID);
    assert_int_equal(expression_holds("n < m < 3", &env, &value, &error), BOUGH_INVALID);
    holds("m <= n", true);
    holds("m >= n", false);
    holds("m < 5", false);
    holds("m > 4", true);
    holds("2*n == 48", true);
    holds("n != 24", false);
}

static void test_files(void **state) {
    (void)state;
    char text[512];
    bool value;
    bough_error error = {0};
    snprintf(text, sizeof text, "exists %s", temporary_file("data-24.txt", "x", 1));
    holds(text, true);
    char *number = strstr(text, "24.txt");
    strcpy(number, "{n}.txt");
    holds(text, true);
    strcpy(number, "{m}.txt");
    holds(text, false);
    holds("exists nowhere/at/all", false);
    assert_int_equal(expression_holds("exists {k}.txt", &env, &value, &error), BOUGH_INVALID);
    assert_int_equal(expression_holds("exists", &env, &value, &error), BOUGH_INVALID);
    assert_int_equal(expression_holds("exists <= 3", &env, &value, &error), BOUGH_INVALID); /* no such axis */
    assert_non_null(strstr(error.reason, "no axis 'exists'"));
}

static void fills(const char *text, const char *expected) {
    char *filled = NULL;
    bough_error error = {0};
    if (expression_fill(text, &env, NULL, &filled, &error)) fail_msg("'%s': %s", text, error.reason);
    assert_string_equal(filled, expected);
    free(filled);
}

static void test_fill(void **state) {
    (void)state;
    char *filled;
    bough_error error = {0};
    assert_int_equal(expression_fill("uniform:m={k}", &env, NULL, &filled, &error), BOUGH_INVALID);
    assert_null(filled);
    assert_int_equal(expression_fill("uniform:m={pattern+1}", &env, NULL, &filled, &error), BOUGH_INVALID);
    fills("fattree:n={n}", "fattree:n=24");
    fills("{pattern}:m={n/8},x={load}", "bitrev:m=3,x=0.5");
    fills("plain", "plain");
    fills("ibnet:f,endpoints=node[0-9]{3}", "ibnet:f,endpoints=node[0-9]{3}"); /* a regular expression */
    fills("{", "{");
    fills("{n", "{n");
    fills("{}", "{}");
}

/* ---- values of axes ---- */

static bough_status add(const char *text, bool quoted, char *joined, size_t size, bough_error *error) {
    axis_values v = {.limit = 100};
    bough_status status = axis_values_add(&v, text, quoted, &env, error);
    *joined = 0;
    for (size_t i = 0; i < v.count; i++) {
        size_t used = strlen(joined);
        snprintf(joined + used, size - used, "%s%s%s", i ? " " : "", v.item[i].text,
                 v.item[i].is_whole ? "" : "'");
    }
    axis_values_fini(&v);
    return status;
}

static void gives(const char *text, const char *expected) {
    char joined[1000];
    bough_error error = {0};
    if (add(text, false, joined, sizeof joined, &error)) fail_msg("'%s': %s", text, error.reason);
    if (strcmp(joined, expected) != 0) fail_msg("'%s' gives '%s', not '%s'", text, joined, expected);
}

static void no_values(const char *text, const char *reason) {
    char joined[1000];
    bough_error error = {0};
    bough_status status = add(text, false, joined, sizeof joined, &error);
    assert_int_not_equal(status, BOUGH_OK);
    if (!strstr(error.reason, reason)) fail_msg("'%s': expected '%s' in '%s'", text, reason, error.reason);
}

static void test_bad_values(void **state) {
    (void)state;
    no_values("", "not a value");
    no_values("5..3", "is empty");
    no_values("1..", "is not a range");
    no_values("1..8 times ", "is not a range");
    no_values("1..8 times 1", "is infinite");
    no_values("0..8 times 2", "is infinite");
    no_values("1..8 step 0", "is infinite");
    no_values("1..8 step -1", "is infinite");
    no_values("1..8 by 2", "unexpected 'by 2'");
    no_values("1...8", "not a value");
    no_values("1..1000", "more than 100 values");
    no_values("1..9223372036854775807", "more than 100 values");
    no_values("1..x", "no axis 'x'");
    no_values("16x16", "quote the value");
    no_values("a\tb", "control character");
}

static void test_values(void **state) {
    (void)state;
    gives("7", "7");
    gives("n", "24");
    gives("n/8", "3");
    gives("/data/a-1", "/data/a-1'");
    gives("../data..x", "../data..x'");
    gives("./n", "./n'");
    gives("2^4..2^8 times 2", "16 32 64 128 256");
    gives("1..10 step 4", "1 5 9");
    gives("1..3", "1 2 3");
    gives("2..n times 3", "2 6 18");
    gives("m..m+2", "5 6 7");
    gives("4611686018427387904..9223372036854775807 times 2", "4611686018427387904"); /* no overflow */
    gives("0.1..0.5 step 0.1", "0.1' 0.2' 0.3' 0.4' 0.5'"); /* no 0.30000000000000004 */
    gives("0.5..2 step 0.5", "0.5' 1 1.5' 2");
    gives("0.25..1 times 2", "0.25' 0.5' 1");
    gives("0.75", "0.75'");
    gives("1e3", "1000");
    gives("transpose", "transpose'");
    gives("fattree:n=4..8", "fattree:n=4..8'"); /* a spec, no range */
    char joined[100];
    assert_int_equal(add("1..3", true, joined, sizeof joined, NULL), BOUGH_OK);
    assert_string_equal(joined, "1..3'"); /* quoted: a text */
}

static void test_values_are_distinct(void **state) {
    (void)state;
    axis_values v = {.limit = 100};
    const char *text[] = {"3", "n/8", "1..4", "x", "x"};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(axis_values_add(&v, text[i], false, &env, NULL), BOUGH_OK);
    assert_int_equal(v.count, 5); /* 3 1 2 4 x */
    assert_string_equal(v.item[3].text, "4");
    axis_values_fini(&v);
    v.limit = 100;
    assert_int_equal(axis_values_add(&v, "n", false, &none, NULL), BOUGH_OK); /* no such axis: a word */
    assert_false(v.item[0].is_whole);
    axis_values_fini(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_expressions),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_values_are_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
