#include "study/files/arithmetic.h"

#include "base/status/try.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { DEPTH_MAX = 50 };

char arithmetic_next(arithmetic *a) {
    while (*a->at == ' ' || *a->at == '\t') a->at++;
    return *a->at;
}

bough_status arithmetic_expected(const arithmetic *a, const char *wanted) {
    return bough_fail(a->error, BOUGH_INVALID, NULL, "'%.100s': expected %s %s%.20s%s", a->text, wanted,
                      *a->at ? "before '" : "at the end", a->at, *a->at ? "'" : "");
}

bough_status arithmetic_close(arithmetic *a) {
    if (arithmetic_next(a) != ')') return arithmetic_expected(a, "')'");
    a->at++;
    return BOUGH_OK;
}

/* One of the operators `among` that numbers of this kind have; 0: none comes next. */
static char take_operator(arithmetic *a, const char *among) {
    const char op = arithmetic_next(a);
    if (!op || !strchr(among, op) || !strchr(a->numbers->operators, op)) return 0;
    a->at++;
    return op;
}

static bough_status read_name(arithmetic *a, arithmetic_value *value) {
    const char *name = a->at;
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
    a->at += length;
    if (!a->numbers->call || arithmetic_next(a) != '(') return a->numbers->name(a, name, length, value);
    a->at++;
    return a->numbers->call(a, name, length, value);
}

static bool is_number(const char *at) {
    const bool hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    return !hexadecimal && (isdigit((unsigned char)at[0]) || (at[0] == '.' && isdigit((unsigned char)at[1])));
}

static bough_status read_primary(arithmetic *a, arithmetic_value *value) {
    const char c = arithmetic_next(a);
    if (isalpha((unsigned char)c) || c == '_') return read_name(a, value);
    if (is_number(a->at)) return a->numbers->number(a, value);
    if (c != '(') return arithmetic_expected(a, a->numbers->primary);
    a->at++;
    bough_status status = arithmetic_sum(a, value);
    return status ? status : arithmetic_close(a);
}

static bough_status read_factor(arithmetic *a, arithmetic_value *value) {
    arithmetic_value exponent;
    if (++a->depth > DEPTH_MAX)
        return bough_fail(a->error, BOUGH_INVALID, NULL, "'%.60s' is nested too deeply", a->text);
    const bool negative = arithmetic_next(a) == '-';
    if (negative) a->at++;
    bough_status status = negative ? read_factor(a, value) : read_primary(a, value);
    if (!status && negative) {
        status = a->numbers->negate(a, value);
    } else if (!status && take_operator(a, "^")) {
        status = read_factor(a, &exponent);
        TRY(a->numbers->apply(a, '^', exponent, value));
    }
    a->depth--;
    return status;
}

static bough_status read_product(arithmetic *a, arithmetic_value *value) {
    arithmetic_value right;
    char op;
    bough_status status = read_factor(a, value);
    while (!status && (op = take_operator(a, "*/%"))) {
        status = read_factor(a, &right);
        TRY(a->numbers->apply(a, op, right, value));
    }
    return status;
}

bough_status arithmetic_sum(arithmetic *a, arithmetic_value *value) {
    arithmetic_value right;
    char op;
    bough_status status = read_product(a, value);
    while (!status && (op = take_operator(a, "+-"))) {
        status = read_product(a, &right);
        TRY(a->numbers->apply(a, op, right, value));
    }
    return status;
}
