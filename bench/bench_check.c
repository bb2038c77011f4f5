/* What `check` costs for one routing: CPU time for all shifts, all-to-all, the search for deadlocks and
 * random permutations, and how it grows.
 *
 *     bench_check [NETWORK [ROUTING]] */
#include "bench.h"
#include "fabric/check/check_routing.h"

#include <stdio.h>

static arena memory; /* of results */

enum { TRIALS = 3, PERMUTATIONS = 50 };

/* Returns the time. before: that of a quarter of the endpoints; 0: not known. */
static double measure(const char *network, const char *kind, double before) {
    bough_error error = {0};
    bough_net *net;
    bough_routing *routing;
    const bough_check_options o = {.memory = &memory, .seed = 1, .permutations = PERMUTATIONS, .threads = 1};
    double best = 0;
    must(bough_net_create(network, &net, &error), &error);
    must(bough_routing_create(net, kind, &routing, &error), &error);
    double n = (double)net->endpoints;
    for (int trial = 0; trial < TRIALS; trial++) {
        bough_check_result r;
        bough_findings findings = {0};
        double start = cpu_seconds();
        must(bough_check_routing(routing, &o, &r, &findings, &error), &error);
        double seconds = cpu_seconds() - start;
        if (trial == 0 || seconds < best) best = seconds;
        arena_fini(&memory);
        bough_findings_fini(&findings);
    }
    printf("%-28s %-8s %9.0f %8.3f %8.3f %8.1f", net->spec, kind, n, best, best / n / (n - 1) * 1e9,
           peak_bytes() / (1 << 20));
    if (before > 0) printf(" %7.1f", best / before);
    printf("\n");
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    return best;
}

int main(int argc, char **argv) {
    static const char *const kinds[] = {"random", "dmodk", "updn", "hash"};
    printf("%-28s %-8s %9s %8s %8s %8s %7s\n", "network", "routing", "endpoints", "seconds", "ns/pair", "MiB",
           "growth");
    if (argc > 1) return measure(argv[1], argc > 2 ? argv[2] : "dmodk", 0) < 0;
    for (int k = 0; k < 4; k++) {
        double before = 0;
        for (unsigned n = 1024; n <= (k == 3 ? 4096 : k == 2 ? 16384 : 65536); n *= 4) {
            char network[64];
            snprintf(network, sizeof network, "clos:radix=64,hosts=%u", n);
            before = measure(network, kinds[k], before);
        }
    }
    return 0;
}
