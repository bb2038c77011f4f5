/* The faults that a question of bough_check names, sorted. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_FAULTS_H
#define BOUGH_FABRIC_CHECK_CHECK_FAULTS_H

#include "fabric/failures/failures.h"

typedef struct check_curve {
    char *spec; /* without its share */
    double *share;
    size_t shares;
} check_curve;

enum { CHECK_DRAWS = 20 }; /* of each share of a curve, unless the question says */

/* Zero-initialise. */
typedef struct check_faults {
    const char **each; /* borrowed specs */
    size_t eaches;
    check_curve *curve;
    size_t curves;
    char *missing; /* all others, joined; NULL: none */
} check_faults;

/* Specs are borrowed, all else is in the memory. Errors: INVALID for the share of a curve. */
bough_status check_faults_read(const char *const *spec, size_t count, arena *memory, check_faults *faults,
                               bough_error *error);

#endif
