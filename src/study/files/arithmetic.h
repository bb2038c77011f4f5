/* The grammar of expressions, over numbers of a kind:
 *
 *   sum      one product, or several with + or - between them
 *   product  one factor, or several with *, / or % between them
 *   factor   - factor, primary, or primary ^ factor
 *   primary  a number, a name, name ( sum , sum ... ), or ( sum ) */
#ifndef BOUGH_STUDY_FILES_ARITHMETIC_H
#define BOUGH_STUDY_FILES_ARITHMETIC_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

typedef union arithmetic_value {
    int64_t whole;
    double real;
} arithmetic_value;

typedef struct arithmetic {
    const struct arithmetic_numbers *numbers;
    const char *text, *at; /* the expression, and where it is read */
    const void *context;   /* of the names */
    unsigned depth;
    bough_error *error;
} arithmetic;

typedef struct arithmetic_numbers {
    const char *primary;   /* in errors: "a number, an axis or '('" */
    const char *operators; /* those of + - * / % ^ that there are */
    /* Reads the number at a->at, which is a digit, or a point before one. */
    bough_status (*number)(arithmetic *a, arithmetic_value *value);
    bough_status (*name)(const arithmetic *a, const char *name, size_t length, arithmetic_value *value);
    /* After the opening parenthesis; reads the closing one. NULL: there are no functions. */
    bough_status (*call)(arithmetic *a, const char *name, size_t length, arithmetic_value *value);
    /* value = value OP right. */
    bough_status (*apply)(const arithmetic *a, char op, arithmetic_value right, arithmetic_value *value);
    bough_status (*negate)(const arithmetic *a, arithmetic_value *value);
} arithmetic_numbers;

/* Reads a sum from a->at on. Errors: INVALID, of the syntax, or of the functions above. */
bough_status arithmetic_sum(arithmetic *a, arithmetic_value *value);
/* Skips blanks; returns the character at a->at, 0 at the end. */
char arithmetic_next(arithmetic *a);
/* Reads the closing parenthesis. */
bough_status arithmetic_close(arithmetic *a);
/* "'2n': expected an operator before 'n'" */
bough_status arithmetic_expected(const arithmetic *a, const char *wanted);

#endif
