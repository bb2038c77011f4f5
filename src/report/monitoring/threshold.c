#include "report/monitoring/threshold.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads a decimal number; strtod alone also takes "inf", "0x1p3" and blanks. */
static bool read_number(const char **at, double *value) {
    const char *first = *at + (**at == '-' || **at == '+');
    char *end;
    if (!isdigit((unsigned char)*first) && *first != '.') return false;
    if (first[0] == '0' && (first[1] | 0x20) == 'x') return false;
    *value = strtod(*at, &end);
    if (end == *at || !isfinite(*value)) return false;
    *at = end;
    return true;
}

static bool read_range(const char *at, threshold *range) {
    *range = (threshold){0, INFINITY, *at == '@'};
    if (*at == '@') at++;
    if (*at == '~') {
        range->low = -INFINITY;
        if (*++at != ':') return false;
    } else if (*at != ':' && !read_number(&at, &range->low)) {
        return false;
    }
    if (!*at) { /* one number is the upper end */
        range->high = range->low;
        range->low = 0;
        return range->high >= 0;
    }
    if (*at++ != ':') return false;
    if (*at && !read_number(&at, &range->high)) return false;
    return !*at && range->low <= range->high;
}

bough_status threshold_read(const char *text, const char *name, threshold *range, bough_error *error) {
    if (read_range(text, range)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "%s is a range of percent as 80: (80 or more), 10 (0 to 10), 5:10, ~:10 or @5:10, "
                      "not '%.60s'",
                      name, text);
}

bool threshold_alert(const threshold *range, double value) {
    const bool between = value >= range->low && value <= range->high;
    return between == range->outside;
}
