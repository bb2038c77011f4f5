/* Expressions of the lines of charts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/files/real_expression.h"

#include <string.h>

static char name[3][8] = {"n", "m", "pattern"};
static char *const names[] = {name[0], name[1], name[2]};
static const double values[] = {16, 0.5, NAN};
static const real_axes axes = {names, values, NULL, 3};

static void refused(const char *text, const char *reason) {
    double value;
    bough_error error = {0};
    assert_int_equal(real_expression_value(text, &axes, &value, &error), BOUGH_INVALID);
    if (!strstr(error.reason, reason)) fail_msg("'%s': expected '%s' in '%s'", text, reason, error.reason);
    assert_int_equal(real_expression_value(text, &axes, &value, NULL), BOUGH_INVALID);
}

static void test_syntax(void **state) {
    (void)state;
    refused("", "expected a number, an axis, a function or '(' at the end");
    refused("n+", "at the end");
    refused("*n", "before '*n'");
    refused("(n", "expected ')' at the end");
    refused("n)", "expected an operator before ')'");
    refused("2n", "expected an operator before 'n'");
    refused("n % 3", "expected an operator");
    refused("0x10", "expected a number");
    refused("inf", "no axis 'inf'");
    refused("lg", "no axis 'lg'");
    refused("lg()", "expected a number");
    refused("lg(n", "expected ')'");
    refused("lg(n, 2)", "lg takes one argument");
    refused("max(n)", "max takes two arguments or more");
    refused("log(n)", "no function 'log' (did you mean");
    refused("k", "the study has no axis 'k'; axes: n, m, pattern");
    refused("patern", "did you mean 'pattern'");
    refused("pattern", "the values of axis pattern are not numbers");
    char deep[201];
    memset(deep, '(', 200);
    deep[200] = 0;
    refused(deep, "nested too deeply");
    memset(deep, '-', 200);
    refused(deep, "nested too deeply");
}

static void test_no_value(void **state) {
    (void)state;
    refused("1/(n-16)", "division by 0 at n=16, m=0.5");
    refused("0^(-1)", "division by 0");
    refused("lg(n-16)", "logarithm of a number that is not positive at n=16");
    refused("ln(-1)", "logarithm");
    refused("log10(0)", "logarithm");
    refused("sqrt(-n)", "square root of a negative number");
    refused("(-2)^m", "not real");
    refused("10^400", "not finite");
    refused("1e999", "not finite");
}

static void is(const char *text, double expected) {
    double value;
    bough_error error = {0};
    if (real_expression_value(text, &axes, &value, &error)) fail_msg("'%s': %s", text, error.reason);
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
        fail_msg("'%s' is %.17g, not %.17g", text, value, expected);
}

static void test_values(void **state) {
    (void)state;
    is("1 + 2*3", 7);
    is("(1+2)*3", 9);
    is("7/2", 3.5);
    is("8-2-1", 5);
    is("16/4/2", 2);
    is("2^3^2", 512);
    is("-2^2", -4);
    is("2^-1", 0.5);
    is("--n", 16);
    is("1Ki + 2Mi", 1024 + 2097152);
    is(".5 + 1.5e1", 15.5);
    is("lg(n)", 4);
    is("ln(1)+log10(1000)", 3);
    is("sqrt(n) * m", 2);
    is("min(n, 3, m)", 0.5);
    is("max ( n , 3 )", 16);
    is("2*n/lg(n)", 8);
    is("lg(m)/10 + m*lg(n)/(2*n) + 1", -0.1 + 0.5 * 4 / 32 + 1);
}

static void test_used(void **state) {
    (void)state;
    bool used[3] = {false, false, false};
    double value;
    const real_axes marked = {names, values, used, 3};
    assert_int_equal(real_expression_value("lg(n) + n", &marked, &value, NULL), BOUGH_OK);
    assert_true(used[0] && !used[1] && !used[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_no_value),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
