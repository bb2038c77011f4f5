/* Which of several routings is better, from results by hand: ties, noise, and what is slower than the best.
 */
#include "fabric/check/routing_comparison.h"

#include "fabric/check/check_rating.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 4, MOST = 5 };

/* One routing. */
typedef struct figures {
    const char *name;
    double alltoall, shifts, random[DRAWS]; /* times */
    double worst;                           /* flows; 0: not looked for */
} figures;

static char *compare(const figures *f, size_t count, bool unrouted) {
    bough_routing_report part[MOST] = {0};
    bough_check_report report = {.part = part, .parts = count};
    const char *name[MOST];
    bough_error error;
    for (size_t i = 0; i < count; i++) {
        bough_check_result *r = &part[i].result;
        r->pairs = 12;
        r->routed = unrouted ? 11 : 12;
        r->alltoall_score = 1 / f[i].alltoall;
        r->shift_time = f[i].shifts;
        r->random_time = (double *)f[i].random;
        r->random.count = DRAWS;
        part[i].worst_known = f[i].worst > 0;
        part[i].worst.load = f[i].worst;
        name[i] = f[i].name;
    }
    bough_text out = {0};
    const routing_words words = {&report, name, " +- "};
    assert_int_equal(check_ratings_compare(&report, &error), BOUGH_OK);
    routing_comparison_put(&out, &words);
    arena_fini(&report.memory);
    return bough_text_take(&out);
}

static void expect(const figures *f, size_t count, const char *want) {
    char *have = compare(f, count, false);
    assert_string_equal(have, want);
    free(have);
}

/* Never "1 times as fast". */
static void little_differences(void **state) {
    (void)state;
    static const struct {
        double ratio;
        const char *say;
    } known[] = {{1.0004, "(less than 1.001 times as fast)"},
                 {1.004, "(1.004 times as fast)"},
                 {1.006, "(1.01 times"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const figures f[] = {{"a", 1, 1, {1, 1}, 0}, {"b", known[i].ratio, 1, {1, 1}, 0}};
        char *have = compare(f, 2, false);
        if (!strstr(have, known[i].say)) fail_msg("%s", have);
        free(have);
    }
}

static void two_routings(void **state) {
    (void)state;
    /* Differences draw by draw: 0.2 0.1 0.2 0.2, mean 0.175, deviation 0.05, so +- 3.182 x 0.025. */
    const figures f[] = {{"a", 2, 3, {2.2, 2.1, 2.3, 2.2}, 8}, {"b", 2.5, 3, {2, 2, 2.1, 2}, 10}};
    expect(f, 2,
           "a is better for all-to-all (1.25 times as fast), the worst permutation (1.25 times as fast); "
           "b is better for random permutations (1.09 +- 0.039 times as fast, beyond the noise); "
           "equal for shifts");
    /* Differences 0.1 -0.1 0.1 0.1, mean 0.05, deviation 0.1, over a time of 2: noise. */
    const figures g[] = {{"a", 2, 3, {2.1, 1.9, 2.1, 2.1}, 0}, {"b", 2, 3, {2, 2, 2, 2}, 0}};
    expect(g, 2, "equal for all-to-all, shifts; within the noise for random permutations (1.02 +- 0.08)");
}

/* Two are equal and the third is slower: that is no tie of all. */
static void a_tie_of_the_best(void **state) {
    (void)state;
    const figures f[] = {{"ftree", 2, 3, {2.2, 2.1, 2.3, 2.2}, 10},
                         {"updn", 2.5, 3, {2, 2, 2.1, 2}, 8},
                         {"minhop", 2.5, 3, {2, 2, 2.1, 2}, 8}};
    expect(f, 3,
           "ftree is best for all-to-all (1.25 times as fast as updn and minhop); "
           "updn and minhop are equally good for random permutations (1.09 +- 0.039 times as fast as ftree, "
           "beyond the noise), the worst permutation (1.25 times as fast as ftree); equal for shifts");
}

/* The best differ within the noise; what is slower is so beyond it. */
static void noise_among_the_best(void **state) {
    (void)state;
    const figures f[] = {{"ftree", 2, 3, {2.2, 2.1, 2.3, 2.2}, 0},
                         {"updn", 2.5, 3, {2, 2, 2.1, 2}, 0},
                         {"minhop", 3, 3, {2, 2.2, 2, 2}, 0}};
    expect(f, 3,
           "ftree is best for all-to-all (1.25 times as fast as updn, 1.5 times as fast as minhop); "
           "updn and minhop are equally good for random permutations (1.01 +- 0.099 apart, within the noise; "
           "1.09 +- 0.039 times as fast as ftree, beyond the noise); equal for shifts");
    /* All of them. */
    const figures g[] = {{"a", 2, 3, {2.1, 1.9, 2.1, 2.1}, 0},
                         {"b", 2, 3, {2, 2, 2, 2}, 0},
                         {"c", 2, 3, {2.2, 1.8, 2.1, 2}, 0}};
    expect(g, 3,
           "equal for all-to-all, shifts; within the noise for random permutations (up to 1.02 +- 0.08)");
}

/* Equal ratios are named together, and of many the first three. */
static void many_are_slower(void **state) {
    (void)state;
    const figures f[] = {{"a", 2, 1, {1, 1, 1, 1}, 0},
                         {"b", 3, 1, {1, 1, 1, 1}, 0},
                         {"c", 2.5, 1, {1, 1, 1, 1}, 0},
                         {"d", 3.5, 1, {1, 1, 1, 1}, 0},
                         {"e", 4, 1, {1, 1, 1, 1}, 0}};
    char *text = compare(f, 5, false);
    assert_non_null(strstr(text,
                           "a is best for all-to-all (1.25 times as fast as c, 1.5 times as fast as b, 1.75 "
                           "times as fast as d, 1 more is slower still); equal for shifts, random "
                           "permutations"));
    free(text);
    text = compare(f, 5, true);
    assert_non_null(strstr(text, "not compared: pairs are not routed"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_routings),      cmocka_unit_test(little_differences),
        cmocka_unit_test(a_tie_of_the_best), cmocka_unit_test(noise_among_the_best),
        cmocka_unit_test(many_are_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
