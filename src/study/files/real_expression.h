/* Real-valued expressions over the axes of a study, and over metrics where x is one, for the lines of charts.
 * (Specs and axes are integers: study/files/axis_expression.h.) */
#ifndef BOUGH_STUDY_FILES_REAL_EXPRESSION_H
#define BOUGH_STUDY_FILES_REAL_EXPRESSION_H

#include "study/study.h"

typedef struct real_axes {
    char *const *name;
    const double *value; /* NAN: the value of the axis is a text */
    bool *used;          /* [count], set for each axis that the expression names; may be NULL */
    size_t count;
    size_t listed;   /* errors list the first of them alone; 0: all */
    bool *undefined; /* set if the syntax is right up to a place without a value; may be NULL */
} real_axes;

/* Evaluates "lg(m)/10 + m*lg(n)/(2*n) + 1": + - * / ^, parentheses, numbers, axes, lg, ln, log10, sqrt, and
 * min and max of two or more. Errors: INVALID: syntax; an unknown axis, or one that is a text; division by 0;
 * a value that is not finite. */
bough_status real_expression_value(const char *text, const real_axes *axes, double *value,
                                   bough_error *error);

/* Names where x is a metric: the axes, "x", and the metrics that have one value, in this order. An axis of
 * the same name hides the others. */
size_t real_names_most(const bough_study *study);
/* Fills name[real_names_most()], borrowed, and returns how many there are. */
size_t real_names_of(const bough_study *study, char **name);
/* The values at an answer of a point: of the axes, x, and of every metric that an answer of the point has
 * (the first that does); NAN for the others. */
void real_values_of_point(const bough_study *study, const bough_study_point *point, double x, double *value);

/* The values of the axes of a point as numbers: value[study->axes]. */
void real_axes_of_point(const bough_study *study, const bough_study_point *point, double *value);

#endif
