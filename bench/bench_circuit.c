/* What a link claim costs in the fast paths of `circuit`, and how that grows with n.
 *
 *     bench_circuit [rounds|cycles [FROM [TO [TRIALS]]]]        n = 2^FROM .. 2^TO, m = n uniform messages
 *
 * One line a size: a claim is a head that asks for a link, up or down; an access is a random one, independent
 * of the others, in an array as large as the run's memory, measured beside it. Memory: what the run foretells
 * against what the process came to need. Every size is a process of its own, so that the peak is its own too.
 */
#include "base/memory/memory.h"
#include "bench.h"
#include "engines/circuit/labels/labels.h"
#include "method/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct point {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
    bough_run *run;
} point;

static void open_point(point *p, const char *mode, unsigned h) {
    bough_error error = {0};
    char net[64], method[64];
    snprintf(net, sizeof net, "fattree:n=2^%u", h);
    snprintf(method, sizeof method, "circuit:mode=%s", mode);
    must(bough_net_create(net, &p->net, &error), &error);
    must(bough_routing_create(p->net, "random", &p->routing, &error), &error);
    must(bough_traffic_create(p->net, "uniform", &p->traffic, &error), &error);
    bough_point where = {p->net, p->routing, p->traffic};
    must(bough_run_create(method, &where, &p->run, &error), &error);
}

static void close_point(point *p) {
    bough_run_destroy(p->run);
    bough_traffic_destroy(p->traffic);
    bough_routing_destroy(p->routing);
    bough_net_destroy(p->net);
}

enum { TRIALS_MAX = 100 };

/* The fastest of the trials: others may be at work on the machine. */
static void measure(const char *mode, unsigned h, unsigned trials) {
    point p;
    bough_error error = {0};
    circuit_labels *workspace = NULL;
    circuit_options options = {.mode = strcmp(mode, "cycles") == 0 ? CIRCUIT_CYCLES : CIRCUIT_ROUNDS,
                               .hold_to_end = true,
                               .forward = 2,
                               .back = 1,
                               .round_limit = UINT64_MAX,
                               .cycle_limit = UINT64_MAX};
    double claims[TRIALS_MAX];
    double before = peak_bytes(), best = 0, best_claim = 0, n = (double)(UINT64_C(1) << h);
    open_point(&p, mode, h);
    if (trials > TRIALS_MAX) trials = TRIALS_MAX;
    for (unsigned trial = 0; trial < trials; trial++) { /* counting takes time */
        options.count_claims = true;
        circuit_result result;
        must(circuit_labels_run(&(circuit_trial){p.run, &options, bough_key_make(1, trial)}, &workspace,
                                &result, &error),
             &error);
        claims[trial] = (double)result.claims;
    }
    options.count_claims = false;
    for (unsigned trial = 0; trial < trials; trial++) {
        circuit_result result;
        double start = cpu_seconds();
        must(circuit_labels_run(&(circuit_trial){p.run, &options, bough_key_make(1, trial)}, &workspace,
                                &result, &error),
             &error);
        double seconds = cpu_seconds() - start;
        double claim = seconds / claims[trial] * 1e9;
        if (trial == 0 || seconds < best) best = seconds;
        if (trial == 0 || claim < best_claim) best_claim = claim;
    }
    double used = peak_bytes() - before, predicted = (double)p.run->bytes, access = access_ns(p.run->bytes);
    printf("%-7s 2^%-3u %11.5f %10.1f %10.2f %10.2f %8.2f %10.1f %10.1f %10.1f\n", mode, h, best,
           claims[trials - 1] / n, best_claim, access, best_claim / access, used / 0x1p20, predicted / 0x1p20,
           used / n);
    circuit_labels_free(workspace);
    close_point(&p);
}

static void in_a_process(const char *mode, unsigned h, unsigned trials) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        measure(mode, h, trials);
        fflush(stdout);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) exit(1);
}

static void sweep(const char *mode, unsigned from, unsigned to, unsigned trials) {
    for (unsigned h = from; h <= to; h += 2)
        in_a_process(mode, h, trials ? trials : h <= 14 ? 50 : h <= 18 ? 8 : h <= 20 ? 4 : 2);
}

int main(int argc, char **argv) {
    unsigned from = argc > 2 ? (unsigned)atoi(argv[2]) : 10;
    unsigned trials = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    if (argc > 1 && strcmp(argv[1], "rounds") != 0 && strcmp(argv[1], "cycles") != 0) {
        fprintf(stderr, "usage: bench_circuit [rounds|cycles [FROM [TO [TRIALS]]]]\n");
        return 2;
    }
    printf("%-7s %-5s %11s %10s %10s %10s %8s %10s %10s %10s\n", "mode", "n", "CPU s/trial", "claims/msg",
           "ns/claim", "ns/access", "ratio", "peak MiB", "predicted", "bytes/msg");
    if (argc < 2 || strcmp(argv[1], "rounds") == 0)
        sweep("rounds", from, argc > 3 ? (unsigned)atoi(argv[3]) : 24, trials);
    if (argc < 2 || strcmp(argv[1], "cycles") == 0)
        sweep("cycles", from, argc > 3 ? (unsigned)atoi(argv[3]) : 20, trials);
    return 0;
}
