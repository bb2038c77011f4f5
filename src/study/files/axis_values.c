/* The values of an axis from one scalar of a study file. */
#include "study/files/axis_expression.h"

#include "base/status/try.h"
#include "base/text/spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct number {
    double real;
    int64_t whole;
    bool is_whole;
} number;

typedef struct range {
    number from, to, by;
    bool times;
} range;

static bough_status add(axis_values *values, const char *text, const int64_t *whole, bough_error *error) {
    if (bough_name_map_get(&values->texts, text, strlen(text)) != UINT32_MAX) return BOUGH_OK;
    if (values->count >= values->limit)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "more than %zu values; make the grid coarser",
                          values->limit);
    bough_status status =
        arena_grow(&values->memory, &values->item, values->count + 1, sizeof *values->item, error);
    char *copy = NULL;
    TRY(arena_copy(&values->memory, &copy, text, error));
    if (status) return status;
    values->item[values->count++] = (axis_value){copy, whole ? *whole : 0, whole != NULL};
    return bough_name_map_add(&values->texts, copy, strlen(copy), 0, error);
}

static bough_status add_whole(axis_values *values, int64_t whole, bough_error *error) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, whole);
    return add(values, text, &whole, error);
}

static bool whole_part(double real, int64_t *whole) {
    if (fabs(real) > 0x1p62 || nearbyint(real) != real) return false;
    *whole = (int64_t)real;
    return true;
}

/* A number with a fraction must be a literal; everything else is an expression. */
static bough_status read_number(const char *text, const environment *env, number *n, bough_error *error) {
    *n = (number){.is_whole = true};
    bough_status status = expression_value(text, env, &n->whole, error);
    if (status && bough_parse_real(text, "", &n->real, NULL) == BOUGH_OK) {
        n->is_whole = false;
        return BOUGH_OK;
    }
    n->real = (double)n->whole;
    return status;
}

/* Copies [from, to) of text without surrounding blanks. */
static bough_status cut(arena *a, const char *from, const char *to, char **out, bough_error *error) {
    while (from < to && (*from == ' ' || *from == '\t')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    return arena_copy_bytes(a, out, from, (size_t)(to - from), error);
}

/* The dots of `a..b`; NULL for `../file`, `ibnet:a..b` and other texts. */
static const char *range_dots(const char *text) {
    const char *dots = strstr(text, "..");
    if (!dots || dots == text || strchr(text, ':') || dots[-1] == '/' || dots[2] == '/' || dots[2] == '.')
        return NULL;
    return dots;
}

static bough_status read_range(const char *text, const char *dots, const environment *env, range *r,
                               bough_error *error) {
    const char *step = strstr(dots, " step "), *times = strstr(dots, " times "), *end = text + strlen(text);
    const char *word = times ? times : step;
    r->times = times != NULL;
    r->by = (number){1, 1, true};
    char *from = NULL, *to = NULL, *by = NULL;
    arena parts = {0};
    bough_status status = cut(&parts, text, dots, &from, error);
    TRY(cut(&parts, dots + 2, word ? word : end, &to, error));
    if (word) TRY(cut(&parts, word + (times ? 7 : 6), end, &by, error));
    if (!status && (!*from || !*to || (by && !*by)))
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "'%s' is not a range; write a..b, a..b step s or a..b times f", text);
    TRY(read_number(from, env, &r->from, error));
    TRY(read_number(to, env, &r->to, error));
    if (!status && by) status = read_number(by, env, &r->by, error);
    arena_fini(&parts);
    if (status) return status;
    if (r->times ? r->by.real <= 1 || r->from.real <= 0 : r->by.real <= 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "'%s' is infinite; a step must be > 0, a factor > 1 with a start > 0", text);
    if (r->from.real > r->to.real)
        return bough_fail(error, BOUGH_INVALID, NULL, "'%s' is empty; write a..b with a <= b", text);
    return BOUGH_OK;
}

static bough_status add_whole_range(axis_values *values, const range *r, bough_error *error) {
    for (int64_t v = r->from.whole; v <= r->to.whole;) {
        bough_status status = add_whole(values, v, error);
        if (status) return status;
        bool over = r->times ? __builtin_mul_overflow(v, r->by.whole, &v)
                             : __builtin_add_overflow(v, r->by.whole, &v);
        if (over) break;
    }
    return BOUGH_OK;
}

/* Each value is computed from the first by one operation, so that errors do not accumulate; twelve digits
 * hide the rest. */
static bough_status add_real_range(axis_values *values, const range *r, bough_error *error) {
    double slack = 1e-9 * fabs(r->to.real);
    for (size_t i = 0; i <= values->limit; i++) {
        double v =
            r->times ? r->from.real * pow(r->by.real, (double)i) : r->from.real + (double)i * r->by.real;
        if (!(v <= r->to.real + slack)) break;
        char text[40];
        snprintf(text, sizeof text, "%.12g", v);
        int64_t whole;
        bough_status status =
            add(values, text, whole_part(strtod(text, NULL), &whole) ? &whole : NULL, error);
        if (status) return status;
    }
    return BOUGH_OK;
}

/* A word that could be an axis but is not one is a text: `transpose`. */
static bool is_plain_word(const char *text, const environment *env) {
    if (!is_axis_name(text, strlen(text))) return false;
    for (size_t i = 0; i < env->count; i++)
        if (strcmp(env->name[i], text) == 0) return false;
    return true;
}

/* Expressions never start this way. */
static bool is_path(const char *text) {
    return *text == '/' || strncmp(text, "./", 2) == 0 || strncmp(text, "../", 3) == 0;
}

bough_status axis_values_add(axis_values *values, const char *text, bool quoted, const environment *env,
                             bough_error *error) {
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return bough_fail(error, BOUGH_INVALID, NULL, "a value contains a control character: '%s'", text);
    if (quoted || strchr(text, ':') || is_path(text) || is_plain_word(text, env))
        return add(values, text, NULL, error);
    const char *dots = range_dots(text);
    if (dots) {
        range r;
        bough_status status = read_range(text, dots, env, &r, error);
        if (status) return status;
        bool whole = r.from.is_whole && r.by.is_whole && r.to.is_whole;
        return whole ? add_whole_range(values, &r, error) : add_real_range(values, &r, error);
    }
    if (strcmp(text, "") == 0 || strstr(text, ".."))
        return bough_fail(error, BOUGH_INVALID, NULL, "'%s' is not a value; quote it if it is a text", text);
    number n;
    bough_status status = read_number(text, env, &n, error);
    if (status) return status;
    return n.is_whole ? add_whole(values, n.whole, error) : add(values, text, NULL, error);
}

void axis_values_fini(axis_values *values) {
    arena_fini(&values->memory);
    bough_name_map_fini(&values->texts);
    *values = (axis_values){0};
}
