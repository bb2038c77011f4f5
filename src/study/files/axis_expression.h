/* Values of grid axes: numbers, texts, arithmetic over earlier axes, ranges. */
#ifndef BOUGH_STUDY_FILES_AXIS_EXPRESSION_H
#define BOUGH_STUDY_FILES_AXIS_EXPRESSION_H

#include "base/memory/arena.h"
#include "base/memory/name_map.h"
#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct axis_value {
    char *text;
    int64_t whole;
    bool is_whole; /* else a text, or a non-integer number, which specs accept and expressions do not */
} axis_value;

/* The axes so far, outermost first, and their current values. */
typedef struct environment {
    char *const *name;
    const axis_value *value;
    size_t count;
} environment;

/* Evaluates "n/8", "2*n", "n-1", "2^k", "(n+1)*2", "k % n" (0 .. n-1). Every intermediate result must be an
 * integer of at most 63 bits. Errors: INVALID. */
bough_status expression_value(const char *text, const environment *env, int64_t *value, bough_error *error);
/* Evaluates "m <= n": one of < <= > >= == != between two expressions; or "exists ../data/{name}.txt": true if
 * the file or directory is readable, after {expressions} are replaced. */
bough_status expression_holds(const char *text, const environment *env, bool *holds, bough_error *error);
/* Replaces every {expression} of a spec, and {name} of an axis that is a text. Braces that do not start an
 * expression over names are kept (regular expressions contain {3}). The text is in the memory,
 * or on the heap if that is NULL. */
bough_status expression_fill(const char *text, const environment *env, arena *memory, char **filled,
                             bough_error *error);

typedef struct axis_values {
    axis_value *item;
    arena memory; /* of the items and their texts */
    size_t count;
    size_t limit;         /* maximum of count */
    bough_name_map texts; /* of the items */
} axis_values;

/* Adds the values of one scalar of a study file: `a..b step s`, `a..b times f`, an expression, a number, a
 * text (always, if quoted; a path starts with / ./ or ../). Duplicates are skipped. */
bough_status axis_values_add(axis_values *values, const char *text, bool quoted, const environment *env,
                             bough_error *error);
void axis_values_fini(axis_values *values);

bool is_axis_name(const char *text, size_t length);

#endif
