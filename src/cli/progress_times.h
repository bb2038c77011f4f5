/* When the progress of long work is reported: pure functions of the elapsed time. */
#ifndef BOUGH_CLI_PROGRESS_TIMES_H
#define BOUGH_CLI_PROGRESS_TIMES_H

#include <stdbool.h>

typedef struct progress_times {
    double shown;     /* elapsed time of the last bar, seconds */
    double next;      /* elapsed time of the next line; not on terminals */
    double suggested; /* seconds in all, estimated from the first part; 0: not known yet */
    bool terminal, corrected;
} progress_times;

void progress_times_init(progress_times *p, bool terminal);

/* What to report after `spent` seconds, when `share` (0..1) of the work is finished. On a terminal: a bar,
 * from 2 s on, five times a second. Elsewhere: a line after 30 s, and then whenever the elapsed time has
 * doubled. */
bool progress_bar_due(progress_times *p, double spent);
bool progress_line_due(progress_times *p, double spent);
/* Seconds after which to ask again. */
double progress_times_pause(const progress_times *p);

/* The seconds that the whole takes, where they are more than ten times what the first part suggested
 * (p->suggested) and at least 30; else 0. Answers once. */
double progress_correction(progress_times *p, double spent, double share);

#endif
