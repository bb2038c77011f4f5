/* Real-valued expressions over the axes of a study, for the lines of charts. (Specs and axes are integers:
 * study/files/expression.h.) */
#ifndef BOUGH_STUDY_FILES_REAL_EXPRESSION_H
#define BOUGH_STUDY_FILES_REAL_EXPRESSION_H

#include "bough/study.h"

typedef struct real_axes {
    char *const *name;
    const double *value; /* NAN: the value of the axis is a text */
    bool *used;          /* [count], set for each axis that the expression names; may be NULL */
    size_t count;
} real_axes;

/* Evaluates "lg(m)/10 + m*lg(n)/(2*n) + 1": + - * / ^, parentheses, numbers, axes, lg, ln, log10, sqrt, and
 * min and max of two or more. Errors: INVALID: syntax; an unknown axis, or one that is a text; division by 0;
 * a value that is not finite. */
bough_status real_expression_value(const char *text, const real_axes *axes, double *value,
                                   bough_error *error);

/* The values of the axes of a point as numbers: value[study->axes]. */
void real_axes_of_point(const bough_study *study, const bough_study_point *point, double *value);

#endif
