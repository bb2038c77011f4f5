#include "network/graph_files/cable_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cable_rate_read(const char *given, size_t length, uint64_t *rate) {
    char text[40], *end;
    if (length >= sizeof text) return false;
    memcpy(text, given, length);
    text[length] = 0;
    if (*text < '0' || *text > '9' || strcspn(text, "xX") < length) return false;
    double value = strtod(text, &end);
    while (*end == ' ') end++;
    bool prefix = *end && strchr("kKMGT", *end);
    if (prefix) value *= *end == 'T' ? 1e12 : *end == 'G' ? 1e9 : *end == 'M' ? 1e6 : 1e3;
    end += prefix;
    if (strcasecmp(end, "b/s") != 0 && strcasecmp(end, "bps") != 0 && strcasecmp(end, "bit/s") != 0 &&
        !(prefix && *end == 0))
        return false;
    if (!(value >= 1 && value < 1e18)) return false;
    *rate = (uint64_t)llround(value);
    return true;
}
