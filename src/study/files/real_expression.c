/* clang-format off */
/* sum := product {(+|-) product};  product := factor {(*|/) factor};  factor := [-] primary [^ factor];
 * primary := number | axis | function ( sum {, sum} ) | ( sum ). The grammar of study/files/expression.c
 * with functions and without %. */
/* clang-format on */
#include "study/files/real_expression.h"

#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 50, NAMES_MAX = 32, WORD = 64 };

typedef struct parser {
    const char *text, *at;
    const real_axes *axes;
    unsigned depth;
    bough_error *error;
} parser;

static bough_status parse_sum(parser *p, double *value);

static char next(parser *p) {
    while (*p->at == ' ' || *p->at == '\t') p->at++;
    return *p->at;
}

/* ---- errors ---- */

static size_t listed_axes(const real_axes *axes) {
    return axes->listed ? axes->listed : axes->count;
}

/* "'1/(n-16)': division by 0 at n=16, m=2" */
static bough_status no_value(const parser *p, const char *why) {
    bough_text reason = {0};
    char number[40];
    bough_text_printf(&reason, "'%.100s': %s", p->text, why);
    const char *before = " at ";
    if (p->axes->undefined) *p->axes->undefined = true;
    for (size_t i = 0; i < listed_axes(p->axes); i++) {
        double value = p->axes->value[i];
        if (isnan(value)) continue;
        bough_text_printf(&reason, "%s%s=%s", before, p->axes->name[i],
                          bough_format_real(value, number, sizeof number));
        before = ", ";
    }
    return bough_fail_text(p->error, BOUGH_INVALID, NULL, &reason);
}

static bough_status no_syntax(const parser *p, const char *wanted) {
    return bough_fail(p->error, BOUGH_INVALID, NULL, "'%.100s': expected %s %s%.20s%s", p->text, wanted,
                      *p->at ? "before '" : "at the end", p->at, *p->at ? "'" : "");
}

static bough_status unknown_axis(const parser *p, const char *word) {
    const char *names[NAMES_MAX] = {NULL};
    size_t all = listed_axes(p->axes), count = all < NAMES_MAX ? all : NAMES_MAX;
    for (size_t i = 0; i < count; i++) names[i] = p->axes->name[i];
    char hint[BOUGH_HINT_MAX];
    bough_text reason = {0};
    bough_text_printf(&reason, "'%.100s': the study has no axis%s '%s'%s%s", p->text,
                      all < p->axes->count ? " or metric" : "", word, bough_hint(hint, word, names, count),
                      count ? "; axes: " : "");
    bough_text_put_list(&reason, names, count);
    return bough_fail_text(p->error, BOUGH_INVALID, NULL, &reason);
}

/* ---- functions ---- */

typedef enum function { LG, LN, LOG10, SQRT, MIN, MAX, FUNCTIONS } function;
static const char *const function_name[FUNCTIONS] = {"lg", "ln", "log10", "sqrt", "min", "max"};

static bough_status unknown_function(const parser *p, const char *word) {
    char hint[BOUGH_HINT_MAX];
    bough_text reason = {0};
    bough_text_printf(&reason, "'%.100s': no function '%s'%s; functions: ", p->text, word,
                      bough_hint(hint, word, function_name, FUNCTIONS));
    bough_text_put_list(&reason, function_name, FUNCTIONS);
    return bough_fail_text(p->error, BOUGH_INVALID, NULL, &reason);
}

static bough_status apply(const parser *p, function f, double *value) {
    if (f <= LOG10 && *value <= 0) return no_value(p, "the logarithm of a number that is not positive");
    if (f == SQRT && *value < 0) return no_value(p, "the square root of a negative number");
    *value = f == LG      ? log2(*value)
             : f == LN    ? log(*value)
             : f == LOG10 ? log10(*value)
             : f == SQRT  ? sqrt(*value)
                          : *value;
    return BOUGH_OK;
}

/* After the opening parenthesis. */
static bough_status parse_call(parser *p, function f, double *value) {
    bough_status status = parse_sum(p, value);
    unsigned arguments = 1;
    for (; !status && next(p) == ','; arguments++) {
        double other;
        p->at++;
        status = parse_sum(p, &other);
        if (!status) *value = f == MIN ? fmin(*value, other) : fmax(*value, other);
    }
    if (status) return status;
    if (next(p) != ')') return no_syntax(p, "')'");
    p->at++;
    if ((arguments > 1) != (f >= MIN))
        return bough_fail(p->error, BOUGH_INVALID, NULL, "'%.100s': %s takes %s", p->text, function_name[f],
                          f >= MIN ? "two arguments or more" : "one argument");
    return apply(p, f, value);
}

/* ---- primaries ---- */

static bough_status axis_value_of(parser *p, const char *word, double *value) {
    for (size_t i = p->axes->count; i-- > 0;) {
        if (strcmp(p->axes->name[i], word) != 0) continue;
        if (p->axes->used) p->axes->used[i] = true;
        *value = p->axes->value[i];
        if (!isnan(*value)) return BOUGH_OK;
        return bough_fail(p->error, BOUGH_INVALID, NULL, "'%.100s': the values of axis %s are not numbers",
                          p->text, word);
    }
    return unknown_axis(p, word);
}

static bough_status parse_name(parser *p, double *value) {
    char word[WORD];
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_') n++;
    size_t kept = n < sizeof word ? n : sizeof word - 1;
    memcpy(word, p->at, kept);
    word[kept] = 0;
    p->at += n;
    if (next(p) != '(') return axis_value_of(p, word, value);
    p->at++;
    for (function f = LG; f < FUNCTIONS; f++)
        if (strcmp(function_name[f], word) == 0) return parse_call(p, f, value);
    return unknown_function(p, word);
}

static bough_status parse_number(parser *p, double *value) {
    static const char prefixes[] = "KMGT";
    char *end;
    *value = strtod(p->at, &end);
    p->at = end;
    const char *prefix = *end ? strchr(prefixes, *end) : NULL;
    if (!prefix || end[1] != 'i') return BOUGH_OK;
    *value = ldexp(*value, 10 * (1 + (int)(prefix - prefixes)));
    p->at += 2;
    return BOUGH_OK;
}

static bough_status parse_primary(parser *p, double *value) {
    char c = next(p);
    if (isalpha((unsigned char)c) || c == '_') return parse_name(p, value);
    bool point = c == '.' && isdigit((unsigned char)p->at[1]);
    bool hexadecimal = c == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    if ((isdigit((unsigned char)c) || point) && !hexadecimal) return parse_number(p, value);
    if (c != '(') return no_syntax(p, "a number, an axis, a function or '('");
    p->at++;
    bough_status status = parse_sum(p, value);
    if (status) return status;
    if (next(p) != ')') return no_syntax(p, "')'");
    p->at++;
    return BOUGH_OK;
}

/* ---- operators ---- */

static bough_status power(const parser *p, double base, double exponent, double *value) {
    if (base == 0 && exponent < 0) return no_value(p, "division by 0");
    *value = pow(base, exponent);
    return isnan(*value) ? no_value(p, "a power of a negative number that is not real") : BOUGH_OK;
}

static bough_status parse_factor(parser *p, double *value) {
    if (++p->depth > DEPTH_MAX)
        return bough_fail(p->error, BOUGH_INVALID, NULL, "'%.60s' is nested too deeply", p->text);
    bool negative = next(p) == '-';
    if (negative) p->at++;
    bough_status status = negative ? parse_factor(p, value) : parse_primary(p, value);
    if (!status && !negative && next(p) == '^') {
        double exponent;
        p->at++;
        status = parse_factor(p, &exponent);
        TRY(power(p, *value, exponent, value));
    }
    if (!status && negative) *value = -*value;
    p->depth--;
    return status;
}

static bough_status parse_product(parser *p, double *value) {
    bough_status status = parse_factor(p, value);
    while (!status && (next(p) == '*' || *p->at == '/')) {
        bool divide = *p->at++ == '/';
        double right;
        status = parse_factor(p, &right);
        if (status) break;
        if (divide && right == 0) return no_value(p, "division by 0");
        *value = divide ? *value / right : *value * right;
    }
    return status;
}

static bough_status parse_sum(parser *p, double *value) {
    bough_status status = parse_product(p, value);
    while (!status && (next(p) == '+' || *p->at == '-')) {
        bool minus = *p->at++ == '-';
        double right;
        status = parse_product(p, &right);
        if (!status) *value += minus ? -right : right;
    }
    return status;
}

bough_status real_expression_value(const char *text, const real_axes *axes, double *value,
                                   bough_error *error) {
    parser p = {.text = text, .at = text, .axes = axes, .error = error};
    *value = 0;
    bough_status status = parse_sum(&p, value);
    if (status) return status;
    if (next(&p)) return no_syntax(&p, "an operator");
    return isfinite(*value) ? BOUGH_OK : no_value(&p, "the value is not finite");
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
