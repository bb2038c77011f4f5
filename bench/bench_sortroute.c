/* What a message and a crossing cost in `sortroute`, and how that grows with n.
 *
 *     bench_sortroute [FROM [TO [TRIALS]]]        n = 2^FROM .. 2^TO, random permutations
 *
 * A crossing is a message that crosses a channel, up or down. An access is a random one, independent of the
 * others, in an array as large as the run's memory. Every size is a process of its own, so that the peak is
 * its own too. */
#include "base/memory/memory.h"
#include "bench.h"
#include "method/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Messages that have their peak at height a cross 2 a channels: of n, half at the root, a quarter below, ...
 */
static double crossings(const bough_net *net) {
    double all = 0, share = 0.5;
    for (unsigned a = net->levels; a > 0; a--, share /= 2) all += 2 * a * share;
    return all * (double)net->endpoints;
}

static double value_of(const bough_rows *rows, bough_metric_id metric) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].metric == metric) return rows->row[i].value;
    return 0;
}

static void measure(unsigned lg, unsigned trials) {
    bough_error error = {0};
    bough_net *net;
    bough_traffic *traffic;
    bough_run *run;
    bough_rows rows = {0};
    void *space = NULL;
    char spec[40];
    double before = peak_bytes(), best = 0;
    snprintf(spec, sizeof spec, "sorting:n=2^%u", lg);
    must(bough_net_create(spec, &net, &error), &error);
    must(bough_traffic_create(net, "randperm", &traffic, &error), &error);
    bough_point point = {net, NULL, traffic};
    must(bough_run_create("sortroute", &point, &run, &error), &error);
    for (unsigned trial = 0; trial < trials; trial++) {
        double start = cpu_seconds();
        must(bough_run_trial(run, bough_key_make(1, trial), &space, &rows, &error), &error);
        double seconds = cpu_seconds() - start;
        if (trial == 0 || seconds < best) best = seconds;
    }
    double n = (double)net->endpoints, used = peak_bytes() - before;
    printf("2^%-3u %11.6f %9.0f %9.1f %9.1f %9.1f %9.1f %8.0f %9.2f %9.2f\n", lg, best, best / n * 1e9,
           best / crossings(net) * 1e9, access_ns(run->bytes), used / 0x1p20, (double)run->bytes / 0x1p20,
           value_of(&rows, BOUGH_METRIC_WAVES), value_of(&rows, BOUGH_METRIC_NORM_WAVES),
           value_of(&rows, BOUGH_METRIC_NORM_PASSES));
    bough_rows_fini(&rows);
    bough_run_free_workspace(run, space);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_net_destroy(net);
}

static void in_a_process(unsigned lg, unsigned trials) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        measure(lg, trials);
        fflush(stdout);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) exit(1);
}

int main(int argc, char **argv) {
    unsigned from = argc > 1 ? (unsigned)atoi(argv[1]) : 8, to = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
    unsigned trials = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    printf("%-5s %11s %9s %9s %9s %9s %9s %8s %9s %9s\n", "n", "CPU s/trial", "ns/msg", "ns/cross",
           "ns/access", "peak MiB", "predicted", "waves", "/(l+lg n)", "passes/..");
    for (unsigned lg = from; lg <= to; lg++)
        in_a_process(lg, trials ? trials : lg <= 14 ? 100 : lg <= 18 ? 10 : 5);
    return 0;
}
