#include "support/rings.h"

#include "support/fabrics.h"

#include <stdio.h>

bough_routing *ring_routing(unsigned size, unsigned hosts) {
    static char text[192][24], table[64][1024];
    static const char *lines[193], *tables[65];
    unsigned n = 0;
    for (unsigned k = 0; k < size; k++) snprintf(text[n++], sizeof text[0], "S%u lid %u", k, 101 + k);
    for (unsigned h = 0; h < size * hosts; h++) snprintf(text[n++], sizeof text[0], "H%u lid %u", h, 1 + h);
    for (unsigned h = 0; h < size * hosts; h++)
        snprintf(text[n++], sizeof text[0], "H%u:1 S%u:%u", h, h / hosts, 3 + h % hosts);
    for (unsigned k = 0; k < size; k++) snprintf(text[n++], sizeof text[0], "S%u:1 S%u:2", k, (k + 1) % size);
    for (unsigned k = 0; k < size; k++) {
        int at = snprintf(table[k], sizeof table[k], "S%u", k);
        for (unsigned h = 0; h < size * hosts; h++)
            at += snprintf(table[k] + at, sizeof table[k] - (size_t)at, " %u>%u", 1 + h,
                           h / hosts == k ? 3 + h % hosts : 1);
        tables[k] = table[k];
    }
    for (unsigned i = 0; i < n; i++) lines[i] = text[i];
    lines[n] = tables[size] = NULL;
    return fabric_routing(lines, tables);
}
