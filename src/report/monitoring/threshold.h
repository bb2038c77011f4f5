/* Ranges of values as plugins of monitoring systems write them: 80: is 80 or more, 10 is 0 to 10, 5:10, ~:10
 * has no lower end, and @5:10 is what lies outside 5:10. */
#ifndef BOUGH_REPORT_MONITORING_THRESHOLD_H
#define BOUGH_REPORT_MONITORING_THRESHOLD_H

#include "bough/status.h"

#include <stdbool.h>

typedef struct threshold {
    double low, high; /* may be infinite */
    bool outside;     /* the range is what is not between them: an alert is inside */
} threshold;

/* name: of the option, for messages: "--warning". Errors: INVALID. */
bough_status threshold_read(const char *text, const char *name, threshold *range, bough_error *error);
/* Whether a value is an alert: it is not in the range. */
bool threshold_alert(const threshold *range, double value);

#endif
