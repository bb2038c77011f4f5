/* What a random permutation costs on the pruned butterfly, and how it grows with n.
 *
 *     bench_sidetrack [FROM [TO [TRIALS]]]        n = 4^FROM .. 4^TO, both rules of compression
 *
 * A move takes a message from leaf to leaf; what it costs is set beside lg n, the heights it goes through at
 * most, and beside an access: a read-change-write of a random word, independent of the others, in an array as
 * large as the run's whole memory. Time is that of whole trials, the traffic included; the fastest, as others
 * may be at work. */
#include "bench.h"
#include "method/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double row(const bough_rows *rows, bough_metric_id metric) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].metric == metric) return rows->row[i].value;
    return 0;
}

static void measure(const bough_point *point, const char *method, unsigned trials) {
    bough_error error = {0};
    bough_run *run;
    bough_rows rows = {0};
    void *space = NULL;
    double best = 0;
    must(bough_run_create(method, point, &run, &error), &error);
    for (unsigned trial = 0; trial < trials; trial++) {
        double start = cpu_seconds();
        must(bough_run_trial(run, bough_key_make(1, trial), &space, &rows, &error), &error);
        double seconds = cpu_seconds() - start;
        if (trial == 0 || seconds < best) best = seconds;
    }
    double moves = row(&rows, BOUGH_METRIC_MESSAGES) * (1 + row(&rows, BOUGH_METRIC_SIDETRACKED));
    double peak = peak_bytes(), access = access_ns(run->bytes);
    printf("4^%-2u %-24s %8.0f %10.5f %8.1f %8.2f %9.2f %7.2f %8.1f %8.1f\n", point->net->levels / 2,
           run->spec, row(&rows, BOUGH_METRIC_PASSES), best, best / moves * 1e9,
           best / moves * 1e9 / point->net->levels, access, best / moves * 1e9 / point->net->levels / access,
           (double)run->bytes / 0x1p20, peak / 0x1p20);
    fflush(stdout);
    bough_rows_fini(&rows);
    bough_run_free_workspace(run, space);
    bough_run_destroy(run);
}

int main(int argc, char **argv) {
    unsigned from = argc > 1 ? (unsigned)atoi(argv[1]) : 4, to = argc > 2 ? (unsigned)atoi(argv[2]) : 10;
    unsigned trials = argc > 3 ? (unsigned)atoi(argv[3]) : 5;
    bough_error error = {0};
    printf("%-4s %-24s %8s %10s %8s %8s %9s %7s %8s %8s\n", "n", "method", "passes", "CPU s", "ns/move",
           "/ lg n", "ns/access", "ratio", "predicted", "peak MiB");
    for (unsigned k = from; k <= to; k++)
        for (unsigned rule = 0; rule < 2; rule++) {
            char spec[32];
            bough_net *net;
            bough_traffic *traffic;
            snprintf(spec, sizeof spec, "pruned:n=4^%u", k);
            must(bough_net_create(spec, &net, &error), &error);
            must(bough_traffic_create(net, "randperm", &traffic, &error), &error);
            const bough_point point = {net, NULL, traffic};
            measure(&point, rule ? "sidetrack:compress=root" : "sidetrack", trials);
            bough_traffic_destroy(traffic);
            bough_net_destroy(net);
        }
    return 0;
}
