#include "study/files/real_expression.h"

#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "study/files/arithmetic.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 32, WORD = 64 };

/* ---- errors ---- */

static size_t listed_axes(const real_axes *axes) {
    return axes->listed ? axes->listed : axes->count;
}

/* "'1/(n-16)': division by 0 at n=16, m=2" */
static bough_status no_value(const arithmetic *a, const char *why) {
    const real_axes *axes = a->context;
    bough_text reason = {0};
    char number[40];
    bough_text_printf(&reason, "'%.100s': %s", a->text, why);
    const char *before = " at ";
    if (axes->undefined) *axes->undefined = true;
    for (size_t i = 0; i < listed_axes(axes); i++) {
        double value = axes->value[i];
        if (isnan(value)) continue;
        bough_text_printf(&reason, "%s%s=%s", before, axes->name[i],
                          bough_format_real(value, number, sizeof number));
        before = ", ";
    }
    return bough_fail_text(a->error, BOUGH_INVALID, NULL, &reason);
}

static const char *word_of(const char *name, size_t length, char word[WORD]) {
    if (length >= WORD) length = WORD - 1;
    memcpy(word, name, length);
    word[length] = 0;
    return word;
}

static bough_status unknown_axis(const arithmetic *a, const char *word) {
    const real_axes *axes = a->context;
    const char *names[NAMES_MAX] = {NULL};
    size_t all = listed_axes(axes), count = all < NAMES_MAX ? all : NAMES_MAX;
    for (size_t i = 0; i < count; i++) names[i] = axes->name[i];
    char hint[BOUGH_HINT_MAX];
    bough_text reason = {0};
    bough_text_printf(&reason, "'%.100s': the study has no axis%s '%s'%s%s", a->text,
                      all < axes->count ? " or metric" : "", word, bough_hint(hint, word, names, count),
                      count ? "; axes: " : "");
    bough_text_put_list(&reason, names, count);
    return bough_fail_text(a->error, BOUGH_INVALID, NULL, &reason);
}

/* ---- functions ---- */

typedef enum function { LG, LN, LOG10, SQRT, MIN, MAX, FUNCTIONS } function;
static const char *const function_name[FUNCTIONS] = {"lg", "ln", "log10", "sqrt", "min", "max"};

static bough_status unknown_function(const arithmetic *a, const char *word) {
    char hint[BOUGH_HINT_MAX];
    bough_text reason = {0};
    bough_text_printf(&reason, "'%.100s': no function '%s'%s; functions: ", a->text, word,
                      bough_hint(hint, word, function_name, FUNCTIONS));
    bough_text_put_list(&reason, function_name, FUNCTIONS);
    return bough_fail_text(a->error, BOUGH_INVALID, NULL, &reason);
}

static bough_status evaluate(const arithmetic *a, function f, double *value) {
    if (f <= LOG10 && *value <= 0) return no_value(a, "the logarithm of a number that is not positive");
    if (f == SQRT && *value < 0) return no_value(a, "the square root of a negative number");
    *value = f == LG      ? log2(*value)
             : f == LN    ? log(*value)
             : f == LOG10 ? log10(*value)
             : f == SQRT  ? sqrt(*value)
                          : *value;
    return BOUGH_OK;
}

static bough_status read_arguments(arithmetic *a, function f, double *value) {
    arithmetic_value other;
    bough_status status = arithmetic_sum(a, &other);
    unsigned arguments = 1;
    for (*value = other.real; !status && arithmetic_next(a) == ','; arguments++) {
        a->at++;
        status = arithmetic_sum(a, &other);
        if (!status) *value = f == MIN ? fmin(*value, other.real) : fmax(*value, other.real);
    }
    TRY(arithmetic_close(a));
    if (status) return status;
    if ((arguments > 1) != (f >= MIN))
        return bough_fail(a->error, BOUGH_INVALID, NULL, "'%.100s': %s takes %s", a->text, function_name[f],
                          f >= MIN ? "two arguments or more" : "one argument");
    return evaluate(a, f, value);
}

static bough_status call(arithmetic *a, const char *name, size_t length, arithmetic_value *value) {
    char word[WORD];
    word_of(name, length, word);
    for (function f = LG; f < FUNCTIONS; f++)
        if (strcmp(function_name[f], word) == 0) return read_arguments(a, f, &value->real);
    return unknown_function(a, word);
}

/* ---- numbers and axes ---- */

static bough_status find_axis(const arithmetic *a, const char *name, size_t length, arithmetic_value *value) {
    const real_axes *axes = a->context;
    char word[WORD];
    word_of(name, length, word);
    for (size_t i = axes->count; i-- > 0;) {
        if (strcmp(axes->name[i], word) != 0) continue;
        if (axes->used) axes->used[i] = true;
        value->real = axes->value[i];
        if (!isnan(value->real)) return BOUGH_OK;
        return bough_fail(a->error, BOUGH_INVALID, NULL, "'%.100s': the values of axis %s are not numbers",
                          a->text, word);
    }
    return unknown_axis(a, word);
}

static bough_status read_number(arithmetic *a, arithmetic_value *value) {
    static const char prefixes[] = "KMGT";
    char *end;
    value->real = strtod(a->at, &end);
    a->at = end;
    const char *prefix = *end ? strchr(prefixes, *end) : NULL;
    if (!prefix || end[1] != 'i') return BOUGH_OK;
    value->real = ldexp(value->real, 10 * (1 + (int)(prefix - prefixes)));
    a->at += 2;
    return BOUGH_OK;
}

/* ---- operators ---- */

static bough_status power(const arithmetic *a, double exponent, double *value) {
    if (*value == 0 && exponent < 0) return no_value(a, "division by 0");
    *value = pow(*value, exponent);
    return isnan(*value) ? no_value(a, "a power of a negative number that is not real") : BOUGH_OK;
}

static bough_status apply(const arithmetic *a, char op, arithmetic_value right, arithmetic_value *value) {
    if (op == '^') return power(a, right.real, &value->real);
    if (op == '/' && right.real == 0) return no_value(a, "division by 0");
    if (op == '/')
        value->real /= right.real;
    else if (op == '*')
        value->real *= right.real;
    else
        value->real += op == '-' ? -right.real : right.real;
    return BOUGH_OK;
}

static bough_status negate(const arithmetic *a, arithmetic_value *value) {
    (void)a;
    value->real = -value->real;
    return BOUGH_OK;
}

bough_status real_expression_value(const char *text, const real_axes *axes, double *value,
                                   bough_error *error) {
    static const arithmetic_numbers reals = {
        "a number, an axis, a function or '('", "+-*/^", read_number, find_axis, call, apply, negate};
    arithmetic a = {.numbers = &reals, .text = text, .at = text, .context = axes, .error = error};
    arithmetic_value result = {.real = 0};
    bough_status status = arithmetic_sum(&a, &result);
    *value = result.real;
    if (status) return status;
    if (arithmetic_next(&a)) return arithmetic_expected(&a, "an operator");
    return isfinite(*value) ? BOUGH_OK : no_value(&a, "the value is not finite");
}

void real_axes_of_point(const bough_study *study, const bough_study_point *point, double *value) {
    for (size_t i = 0; i < study->axes; i++) {
        char *end;
        value[i] = strtod(point->value[i], &end);
        if (end == point->value[i] || *end) value[i] = NAN;
    }
}

/* ---- x and metrics ---- */

size_t real_names_most(const bough_study *study) {
    return study->axes + 1 + BOUGH_METRIC_COUNT;
}

/* Names are looked up from the last to the first, so axes would come last: those that an axis has are left
 * empty, which no expression can name. */
size_t real_names_of(const bough_study *study, char **name) {
    size_t count = real_names_most(study);
    for (size_t i = 0; i < count; i++) {
        const char *text = i < study->axes    ? study->axis[i]
                           : i == study->axes ? "x"
                                              : bough_metrics[i - study->axes - 1].name;
        for (size_t k = 0; k < study->axes && i >= study->axes; k++)
            if (strcmp(study->axis[k], text) == 0) text = "";
        if (i > study->axes && *bough_metrics[i - study->axes - 1].index) text = "";
        memcpy(&name[i], &text, sizeof text);
    }
    return count;
}

static void put_cells(const bough_answer *a, double *metric) {
    for (size_t c = 0; c < a->cells; c++) {
        const bough_cell *cell = &a->cell[c];
        if (cell->index == BOUGH_NO_ROW_INDEX && isnan(metric[cell->metric]))
            metric[cell->metric] = cell->stats.mean;
    }
}

void real_values_of_point(const bough_study *study, const bough_study_point *point, double x, double *value) {
    double *metric = value + study->axes + 1;
    real_axes_of_point(study, point, value);
    value[study->axes] = x;
    for (int m = 0; m < BOUGH_METRIC_COUNT; m++) metric[m] = NAN;
    for (size_t k = 0; k < point->answers; k++) put_cells(&point->answer[k], metric);
}
