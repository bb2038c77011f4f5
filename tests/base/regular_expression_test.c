/* Regular expressions of users: which are taken, what they match, and that none runs for ever. */
#include "base/text/regular_expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(const char *text, const char *reason) {
    bough_pattern *pattern;
    bough_error error = {0};
    if (bough_pattern_create(text, true, &pattern, &error) != BOUGH_INVALID) fail_msg("'%s' is taken", text);
    assert_null(pattern);
    if (!strstr(error.reason, reason)) fail_msg("'%s': %s", text, error.reason);
}

static void wrong_ones_are_refused(void **state) {
    (void)state;
    refused("x(", "'x(' is not a regular expression: byte 3: missing closing parenthesis");
    refused("[", "not a regular expression");
    refused("x)|(y", "not a regular expression");
    refused("*leaf", "not a regular expression");
    refused("a\\C", "not a regular expression");
    refused("caf\xe9", "not a regular expression");
    refused("((a{100}){100}){100}", "too large");
    refused("a{1,70000}", "number too big");
    refused("(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
            "not a regular");
}

/* The C library took 9 s for the first, and four times as long with every + more. */
static void no_expression_takes_long_to_read(void **state) {
    (void)state;
    refused("a+?++++++", "not a regular expression");
    refused("a+?+++++++++++++++++++++++++++++++", "not a regular expression");
    refused("h1++++++++++++++++++++", "not a regular expression");
    static const char *const deep[] = {"((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+",
                                       "(((((((((((a?){9}){9}){9})?)+)*)+)*)+)*)", "(.*){1,1000}x",
                                       "(abcdefghij){0,300}"};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        bough_pattern *pattern;
        bough_error error = {0};
        bough_status status = bough_pattern_create(deep[i], true, &pattern, &error);
        if (status && status != BOUGH_INVALID) fail_msg("'%s': %s", deep[i], error.reason);
        bough_pattern_destroy(pattern);
    }
    char *longest = malloc(BOUGH_PATTERN_MAX + 2);
    assert_non_null(longest);
    memset(longest, 'a', BOUGH_PATTERN_MAX + 1);
    longest[BOUGH_PATTERN_MAX + 1] = 0;
    refused(longest, "the limit is 65536");
    free(longest);
}

static bough_status ask(const char *text, bool whole, const char *name, bool *got, bough_error *error) {
    bough_pattern *pattern;
    if (bough_pattern_create(text, whole, &pattern, error)) fail_msg("'%s': %s", text, error->reason);
    bough_status status = bough_pattern_match(pattern, name, got, error);
    bough_pattern_destroy(pattern);
    return status;
}

static void matches(const char *text, bool whole, const char *name, bool want) {
    bool got;
    bough_error error = {0};
    if (ask(text, whole, name, &got, &error)) fail_msg("'%s': %s", text, error.reason);
    if (got != want) fail_msg("'%s' and '%s'", text, name);
}

static void right_ones_match(void **state) {
    (void)state;
    matches("leaf[0-9]+", true, "leaf17", true);
    matches("leaf[0-9]+", true, "leaf17/1", false);
    matches("leaf[0-9]+", false, "leaf17/1", true);
    matches("a|b", true, "ab", false);
    matches("ab|abc", true, "abc", true); /* the longer one too */
    matches("^leaf1$", true, "leaf1", true);
    matches("^leaf", false, "my-leaf", false);
    matches("[]+*?(]{2}", true, "]+", true);
    matches("[[:digit:]+]{3}x?", true, "1+2x", true);
    matches("[^]x]\\++", true, "a++", true);
    matches("(node|gpu)-[a-z]{1,3}[0-9]{2,4}(\\.[a-z]+)*", true, "gpu-ab123.site.net", true);
    matches("a{2,3}", true, "aaaa", false);
    matches("(a{30}){30}", false, "b", false);
    matches("\\[+", true, "[[", true);
    matches("(leaf)[0-9]-\\1", true, "leaf1-leaf", true);
    matches("n.", true, "n\n", true);
    matches("n", true, "n\n", false);
    char hosts[40000] = "node-0"; /* a long list */
    for (size_t i = 1, length = strlen(hosts); i < 2000; i++)
        length += (size_t)snprintf(hosts + length, sizeof hosts - length, "|node-%zu", i);
    matches(hosts, true, "node-1999", true);
    matches(hosts, true, "node-2000", false);
    matches(hosts, false, "in a name of some length, somewhere at the end: node-1999x", true);
}

static void characters_count_not_bytes(void **state) {
    (void)state;
    matches("caf.", true, "caf\xc3\xa9", true);
    matches("caf..", true, "caf\xc3\xa9", false);
    matches("[\xc3\xa9\xc3\xa8]", true, "\xc3\xa8", true);
    matches("caf.*", true, "caf\xe9 1", true); /* not UTF-8: shown as caf? 1 */
    matches("caf. 1", true, "caf\xe9 1", true);
    matches("caf\\? 1", true, "caf\xe9 1", true);
    matches("a..", true, "a\xe2\x82", true); /* cut off */
}

/* Nobody knows whether it matches: that is an error, not a no. */
static void a_search_that_is_given_up_is_an_error(void **state) {
    (void)state;
    static const char *const expression[] = {"(a+)+", "(a|aa)+", "(a*)*", "((a?){30}){4}", "(x+x+)+y|(a|a)*"};
    char name[200];
    memset(name, 'a', sizeof name);
    snprintf(name + 150, sizeof name - 150, "!b");
    for (size_t i = 0; i < sizeof expression / sizeof *expression; i++) {
        bool got = true;
        bough_error error = {0};
        bough_status status = ask(expression[i], true, name, &got, &error);
        if (status != BOUGH_INVALID || !strstr(error.reason, "too many steps"))
            fail_msg("'%s': %d %d %s", expression[i], (int)status, got, error.reason);
        assert_false(got);
        assert_null(strchr(error.reason, '\n'));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_ones_are_refused),
        cmocka_unit_test(no_expression_takes_long_to_read),
        cmocka_unit_test(right_ones_match),
        cmocka_unit_test(characters_count_not_bytes),
        cmocka_unit_test(a_search_that_is_given_up_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
