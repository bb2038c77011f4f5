/* Any bytes as the output of nccl-tests: refused with a place and a reason, or time and bandwidths of the
 * size. */
#include "models/external_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bough_point point;

/* One point for the whole run; it lives as long as the program. */
static void make_point(void) {
    static bough_net *net;
    static bough_routing *routing;
    static bough_traffic *traffic;
    bough_error error;
    if (bough_net_create("fattree:n=8", &net, &error) ||
        bough_routing_create(net, "hash:key=3", &routing, &error) ||
        bough_traffic_create(net, "allreduce:nccl-ring,ranks=2,size=2048", &traffic, &error)) {
        fprintf(stderr, "%s\n", error.reason);
        abort();
    }
    point = (bough_point){net, routing, traffic};
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (!point.net) make_point();
    bough_input input;
    bough_rows rows = {0};
    bough_error error = {0};
    if (bough_input_from("fuzz.txt", data, size, &input, &error)) return 0;
    bough_status status = external_table_read(&input, &point, &rows, &error);
    if (status && (!*error.reason || !*error.place)) abort();
    if (!status && rows.count == 0) abort();
    for (size_t i = 0; i < rows.count; i++)
        if ((unsigned)rows.row[i].metric >= BOUGH_METRIC_COUNT || !isfinite(rows.row[i].value)) abort();
    bough_rows_fini(&rows);
    bough_input_fini(&input);
    return 0;
}
