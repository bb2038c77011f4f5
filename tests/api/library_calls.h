/* Calls of bough.h that tests of the installed interface share. Includes nothing of the library but its
 * headers. */
#ifndef TESTS_API_LIBRARY_CALLS_H
#define TESTS_API_LIBRARY_CALLS_H

#include "bough.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* part: of "PLACE: REASON"; NULL: any. */
static inline void expect(bough_status status, bough_status wanted, const bough_error *error,
                          const char *part) {
    char line[1024];
    snprintf(line, sizeof line, "%s: %s", error->place, error->reason);
    if (status != wanted) fail_msg("status %d, not %d: %s", (int)status, (int)wanted, line);
    if (part && !strstr(line, part)) fail_msg("'%s' is not in: %s", part, line);
}

static inline bough_registry *make_registry(void) {
    bough_registry *r;
    assert_int_equal(bough_registry_create(&r, NULL), BOUGH_OK);
    return r;
}

/* Keys and values; the list ends with NULL. */
static inline void set_all(bough_question *q, const char *const setting[][2]) {
    bough_error e;
    for (; (*setting)[0]; setting++)
        expect(bough_question_set(q, (*setting)[0], (*setting)[1], &e), BOUGH_OK, &e, NULL);
}

/* registry, network: may be NULL. */
static inline bough_question *question_with(bough_registry *registry, const bough_network *network) {
    bough_question *q;
    bough_error e;
    assert_int_equal(bough_question_create(&q, &e), BOUGH_OK);
    if (registry) expect(bough_question_use_registry(q, registry, &e), BOUGH_OK, &e, NULL);
    if (network) expect(bough_question_use_network(q, network, &e), BOUGH_OK, &e, NULL);
    return q;
}

static inline bough_question *question_of(const char *const setting[][2]) {
    bough_question *q = question_with(NULL, NULL);
    set_all(q, setting);
    return q;
}

static inline bough_results *ask(bough_question *q, const char *const setting[][2]) {
    bough_results *results;
    bough_error e;
    set_all(q, setting);
    expect(bough_simulate(q, NULL, &results, &e), BOUGH_OK, &e, NULL);
    return results;
}

static inline bough_status loads(const bough_network *n, const char *routing, const char *traffic,
                                 double *load, bough_error *error) {
    bough_loads wanted = {.size = sizeof wanted, .routing = routing, .traffic = traffic, .load = load};
    return bough_network_loads(n, NULL, &wanted, error);
}

#endif
