/* What the worst permutation costs: CPU time for all pairs, per pair and per link of a path; and matchings
 * alone, in random graphs, per edge.
 *
 *     bench_adversary [NETWORK [ROUTING]]
 *     bench_adversary matchings */
#include "bench.h"
#include "loads/worst/adversary.h"
#include "loads/worst/bipartite_matching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 3, DEGREE = 16 };

static void measure(const char *network, const char *kind) {
    bough_error error = {0};
    bough_net *net;
    bough_routing *routing;
    bough_adversary_options o = {.threads = 1};
    double best = 0, load = 0;
    must(bough_net_create(network, &net, &error), &error);
    must(bough_routing_create(net, kind, &routing, &error), &error);
    double n = (double)net->endpoints, pairs = n * (n - 1);
    for (int trial = 0; trial < TRIALS; trial++) {
        bough_adversary_result r;
        double start = cpu_seconds();
        must(bough_adversary_find(routing, &o, &r, &error), &error);
        double seconds = cpu_seconds() - start;
        if (trial == 0 || seconds < best) best = seconds;
        load = r.load;
        bough_adversary_fini(&r);
    }
    printf("%-28s %-8s %9.0f %8g %8.3f %8.1f %8.1f %8.1f\n", net->spec, kind, n, load, best,
           best / pairs * 1e9, peak_bytes() / (1 << 20),
           (double)bough_adversary_bytes(routing, 1) / (1 << 20));
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* Left and right sides of n, DEGREE edges of each left vertex. */
static void match(uint32_t n) {
    bough_error error = {0};
    bough_stream random = bough_stream_make(bough_key_make(1, n), BOUGH_DRAW_TEST, 0, 0);
    uint64_t *start = malloc((n + UINT64_C(1)) * sizeof *start), edges = 0;
    uint32_t *to = malloc((uint64_t)n * DEGREE * sizeof *to);
    double *weight = malloc((uint64_t)n * DEGREE * sizeof *weight), seconds[2] = {0};
    matching m = {0};
    start[0] = 0;
    for (uint32_t l = 0; l < n; l++) {
        for (int e = 0; e < DEGREE; e++) {
            to[edges] = (uint32_t)bough_stream_below(&random, n);
            weight[edges] = bough_unit(bough_stream_next(&random));
            bool twice = false;
            for (uint64_t f = start[l]; f < edges; f++) twice = twice || to[f] == to[edges];
            edges += !twice;
        }
        start[l + 1] = edges;
    }
    matching_graph g = {n, n, start, to, weight};
    for (int heavy = 0; heavy < 2; heavy++)
        for (int trial = 0; trial < TRIALS; trial++) {
            double begin = cpu_seconds();
            must(heavy ? matching_heaviest(&g, &m, &error) : matching_largest(&g, &m, &error), &error);
            double spent = cpu_seconds() - begin;
            if (trial == 0 || spent < seconds[heavy]) seconds[heavy] = spent;
        }
    printf("%10u %10llu %12.1f %12.1f\n", n, (unsigned long long)edges, seconds[0] / (double)edges * 1e9,
           seconds[1] / (double)edges * 1e9);
    matching_fini(&m);
    free(start);
    free(to);
    free(weight);
}

int main(int argc, char **argv) {
    static const struct {
        const char *network, *kind;
    } usual[] = {{"kary:k=8,levels=3", "dmodk"},         {"kary:k=8,levels=3", "hash"},
                 {"xgft:down=8x8x16,up=1x8x8", "dmodk"}, {"xgft:down=8x8x16,up=1x8x8", "hash"},
                 {"kary:k=13,levels=3", "dmodk"},        {"kary:k=13,levels=3", "hash"},
                 {"kary:k=16,levels=3", "dmodk"},        {"kary:k=16,levels=3", "hash"},
                 {"kary:k=8,levels=3", "random"},        {"xgft:down=8x8x16,up=1x8x8", "random"}};
    if (argc > 1 && strcmp(argv[1], "matchings") == 0) {
        printf("%10s %10s %12s %12s\n", "n", "edges", "largest", "heaviest");
        for (uint32_t n = 1 << 8; n <= 1 << 12; n *= 2) match(n);
        return 0;
    }
    printf("%-28s %-8s %9s %8s %8s %8s %8s %8s\n", "network", "routing", "n", "load", "CPU s", "ns/pair",
           "peak MiB", "predicted");
    if (argc > 1)
        measure(argv[1], argc > 2 ? argv[2] : NULL);
    else
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) measure(usual[i].network, usual[i].kind);
    return 0;
}
