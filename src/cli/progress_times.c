#include "cli/progress_times.h"

enum { FIRST_BAR = 2, FIRST_LINE = 30, MUCH_LONGER = 10 }; /* seconds, seconds, times */
static const double BAR_EVERY = 0.2;                       /* seconds */
static const double LEAST_SHARE = 0.005, LEAST_SPENT = 1;  /* too little for an estimate of the whole */

void progress_times_init(progress_times *p, bool terminal) {
    *p = (progress_times){.next = FIRST_LINE, .terminal = terminal};
}

bool progress_bar_due(progress_times *p, double spent) {
    if (!p->terminal || spent < FIRST_BAR || spent - p->shown < BAR_EVERY) return false;
    p->shown = spent;
    return true;
}

bool progress_line_due(progress_times *p, double spent) {
    if (p->terminal || spent < p->next) return false;
    while (p->next <= spent) p->next *= 2;
    return true;
}

double progress_times_pause(const progress_times *p) {
    return p->terminal ? BAR_EVERY : 1;
}

double progress_correction(progress_times *p, double spent, double share) {
    if (!(share > LEAST_SHARE) || spent < LEAST_SPENT) return 0;
    double total = spent / share;
    if (p->suggested == 0) p->suggested = total;
    if (p->corrected || total < MUCH_LONGER * p->suggested || total < FIRST_LINE) return 0;
    if (!p->terminal && spent < FIRST_LINE) return 0; /* nobody has read an estimate */
    p->corrected = true;
    return total;
}
