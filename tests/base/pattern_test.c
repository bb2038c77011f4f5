/* Regular expressions of users: which are taken, and which would never end. */
#include "base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void refused(const char *text, const char *reason) {
    regex_t regex;
    bough_error error = {0};
    if (bough_pattern_make(text, true, &regex, &error) != BOUGH_INVALID) fail_msg("'%s' is taken", text);
    if (!strstr(error.reason, reason)) fail_msg("'%s': %s", text, error.reason);
}

static void wrong_ones_are_refused(void **state) {
    (void)state;
    refused("x(", "'x(' is not a regular expression");
    refused("[", "not a regular expression");
    refused("(a)\\1", "looks back");
    refused("h1++++++++++++++++++++", "repeats too much");
    refused("((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", "repeats too much");
    refused("((a{100}){100}){100}", "repeats too much");
    refused("(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((", "repeats too much");
    refused("(abcdefghij){0,300}", "repeats too much");
    refused("a{1,20000}", "repeats too much");
    refused("(.*){1,1000}x", "repeats too much");
}

static void matches(const char *text, bool whole, const char *name, bool want) {
    regex_t regex;
    bough_error error = {0};
    if (bough_pattern_make(text, whole, &regex, &error)) fail_msg("'%s': %s", text, error.reason);
    if ((regexec(&regex, name, 0, NULL, 0) == 0) != want) fail_msg("'%s' and '%s'", text, name);
    regfree(&regex);
}

static void right_ones_match(void **state) {
    (void)state;
    matches("leaf[0-9]+", true, "leaf17", true);
    matches("leaf[0-9]+", true, "leaf17/1", false);
    matches("leaf[0-9]+", false, "leaf17/1", true);
    matches("a|b", true, "ab", false);
    matches("[]+*?(]{2}", true, "]+", true); /* signs in brackets repeat nothing */
    matches("[[:digit:]+]{3}x?", true, "1+2x", true);
    matches("[^]x]\\++", true, "a++", true);
    matches("(node|gpu)-[a-z]{1,3}[0-9]{2,4}(\\.[a-z]+)*", true, "gpu-ab123.site.net", true);
    matches("(a{30}){30}", false, "b", false);
    char hosts[40000] = "node-0"; /* a long list repeats nothing */
    for (size_t i = 1, length = strlen(hosts); i < 2000; i++)
        length += (size_t)snprintf(hosts + length, sizeof hosts - length, "|node-%zu", i);
    matches(hosts, true, "node-1999", true);
    matches(hosts, true, "node-2000", false);
    matches("\\[+", true, "[[", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_ones_are_refused),
        cmocka_unit_test(right_ones_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
