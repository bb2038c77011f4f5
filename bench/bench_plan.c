/* What a plan costs: CPU time of the search, and of the loads of eight of its trees.
 *
 *     bench_plan [RADIX [TAPER]] */
#include "bench.h"
#include "fabric/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 8 };

static void measure(const bough_plan_ask *ask) {
    bough_error error = {0};
    bough_plan_tree *tree;
    const bough_plan_tree *some[SHOWN];
    bough_plan_loads loads[SHOWN];
    size_t count, shown;
    double start = cpu_seconds();
    must(bough_plan(ask, &tree, &count, &error), &error);
    double search = cpu_seconds() - start;
    shown = count < SHOWN ? count : SHOWN;
    for (size_t i = 0; i < shown; i++) some[i] = &tree[shown > 1 ? i * (count - 1) / (shown - 1) : 0];
    start = cpu_seconds();
    must(bough_plan_loads_find(some, shown, &(bough_plan_loads_options){.seed = 1}, loads, &error), &error);
    printf("%8llu %6u %6g %8zu %8.3f %8.3f\n", (unsigned long long)ask->hosts, ask->radix, ask->taper, count,
           search, cpu_seconds() - start);
    free(tree);
}

int main(int argc, char **argv) {
    static const uint64_t hosts[] = {1000, 10000, 50000, 100000};
    bough_plan_ask ask = {.radix = argc > 1 ? (uint32_t)atoi(argv[1]) : 64,
                          .taper = argc > 2 ? atof(argv[2]) : 2};
    printf("%8s %6s %6s %8s %8s %8s\n", "hosts", "radix", "taper", "trees", "search", "loads");
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        ask.hosts = hosts[i];
        measure(&ask);
    }
    return 0;
}
