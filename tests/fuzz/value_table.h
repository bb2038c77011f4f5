/* Any bytes as a table of values for the method `data`: refused with a place and a reason, or at least one
 * row with a known metric. */
#ifndef BOUGH_FUZZ_VALUE_TABLE_H
#define BOUGH_FUZZ_VALUE_TABLE_H

#include "models/external_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One point for the whole run; it lives as long as the program. */
static inline const bough_point *fuzz_point(const char *spec) {
    static bough_net *net;
    static bough_routing *routing;
    static bough_traffic *traffic;
    static bough_point point;
    bough_error error;
    if (point.net) return &point;
    if (bough_net_create("fattree:n=8", &net, &error) ||
        bough_routing_create(net, "hash:key=3", &routing, &error) ||
        bough_traffic_create(net, spec, &traffic, &error)) {
        fprintf(stderr, "%s\n", error.reason);
        abort();
    }
    point = (bough_point){net, routing, traffic};
    return &point;
}

/* traffic: what the table is about. */
static inline int fuzz_value_table(const char *traffic, const char *name, const unsigned char *data,
                                   size_t size) {
    const bough_point *point = fuzz_point(traffic);
    bough_input input;
    bough_rows rows = {0};
    bough_error error = {0};
    if (bough_input_from(name, data, size, &input, &error)) return 0;
    bough_status status = external_table_read(&input, point, &rows, &error);
    if (status && (!*error.reason || !*error.place)) abort();
    if (!status && rows.count == 0) abort();
    for (size_t i = 0; i < rows.count; i++)
        if ((unsigned)rows.row[i].metric >= BOUGH_METRIC_COUNT || !isfinite(rows.row[i].value)) abort();
    bough_rows_fini(&rows);
    bough_input_fini(&input);
    return 0;
}

#endif
