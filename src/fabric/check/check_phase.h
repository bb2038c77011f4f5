/* What the phases of bough_check share: progress under a name, and the number of threads. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_PHASE_H
#define BOUGH_FABRIC_CHECK_CHECK_PHASE_H

#include "bough/check.h"

typedef struct check_phase {
    const bough_check_question *question;
    const char *name;
} check_phase;

/* The progress callback of a phase; context: its check_phase. */
void check_phase_show(void *context, double share);
/* At least 1. */
unsigned check_threads(const bough_check_question *question);

#endif
