/* What transit networks cost: drawing the wiring, and one attempt of all processors.
 *
 *     bench_transit [NETWORK...]        default: full trees to 262144 processors, hybrids to 786432
 *
 * One line a network, each in a process of its own: CPU seconds to build it, nanoseconds a wire that has a
 * choice, bytes a processor; CPU seconds of an attempt in which every processor has a request, the first one
 * (all memory is new) and the best of those after it, nanoseconds a link that is taken; peak of memory, and
 * what the run predicted of its own. */
#include "bench.h"
#include "method/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGAIN = 4 };

static double value(const bough_rows *rows, bough_metric_id metric) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].metric == metric) return rows->row[i].value;
    return 0;
}

/* Requests of all stages that got a link. */
static double taken(const bough_point *point) {
    bough_run *run;
    bough_rows rows = {0};
    bough_error error = {0};
    void *workspace = NULL;
    double sum = 0;
    must(bough_run_create("circuit:mode=attempt,stages=1", point, &run, &error), &error);
    must(bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, &error), &error);
    for (size_t i = 0; i + 1 < rows.count; i++)
        if (rows.row[i].metric == BOUGH_METRIC_STAGE_REQUESTS)
            sum += rows.row[i].value * rows.row[i + 1].value;
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    return sum;
}

static void measure(const char *spec) {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
    bough_run *run;
    bough_error error = {0};
    bough_rows rows = {0};
    void *workspace = NULL;
    double empty = peak_bytes(), start = cpu_seconds();
    must(bough_net_create(spec, &net, &error), &error);
    double build = cpu_seconds() - start, network = peak_bytes() - empty;
    must(bough_routing_create(net, "random", &routing, &error), &error);
    must(bough_traffic_create(net, "local:p=1", &traffic, &error), &error);
    bough_point point = {net, routing, traffic};
    must(bough_run_create("circuit:mode=attempt", &point, &run, &error), &error);
    double first = 0, best = 0, n = (double)net->endpoints;
    for (int i = 0; i <= AGAIN; i++) {
        start = cpu_seconds();
        must(bough_run_trial(run, bough_key_make(1, (uint64_t)i), &workspace, &rows, &error), &error);
        double seconds = cpu_seconds() - start;
        if (i == 0) first = seconds;
        if (i == 1 || (i > 1 && seconds < best)) best = seconds;
    }
    double peak = peak_bytes() - empty, success = value(&rows, BOUGH_METRIC_FIRST_SUCCESS);
    bough_run_free_workspace(run, workspace);
    double links = taken(&point);
    printf("%-28s %9.0f %9.4f %8.2f %8.1f %9.4f %9.4f %8.1f %9.1f %9.1f %8.4f\n", spec, n, build,
           build / (double)net->links * 1e9, network / n, first, best, best / links * 1e9, peak / 0x1p20,
           (double)run->bytes / 0x1p20, success);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void in_a_process(const char *spec) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        measure(spec);
        fflush(stdout);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) exit(1);
}

int main(int argc, char **argv) {
    static const char *const usual[] = {"transit:n=64",
                                        "transit:n=4096",
                                        "transit:n=262144",
                                        "transit:leaf=12",
                                        "transit:leaf=192",
                                        "transit:leaf=12,stages=2",
                                        "transit:leaf=48,stages=2",
                                        "transit:leaf=192,stages=2",
                                        "transit:flat=786432"};
    printf("%-28s %9s %9s %8s %8s %9s %9s %8s %9s %9s %8s\n", "network", "n", "build s", "ns/link", "bytes/n",
           "first s", "again s", "ns/taken", "peak MiB", "predicted", "success");
    for (int i = 1; i < argc; i++) in_a_process(argv[i]);
    for (size_t i = 0; i < sizeof usual / sizeof *usual && argc == 1; i++) in_a_process(usual[i]);
    return 0;
}
