/* What every single failure costs: CPU time of preparing a fabric (all pairs once), then of all cables and of
 * all switches, a failure and a lost pair; and of one failure when everything is computed anew, as a draw of
 * a curve is.
 *
 *     bench_failures [NETWORK [ROUTING]] */
#include "bench.h"
#include "fabric/failures/failures.h"

#include <stdio.h>
#include <stdlib.h>

static void each(bough_failures *f, const char *spec, double *lost) {
    arena memory = {0};
    const bough_failures_options o = {.threads = 1, .memory = &memory};
    bough_failure_list list;
    bough_error error = {0};
    double start = cpu_seconds();
    must(bough_failures_each(f, spec, &o, &list, &error), &error);
    double seconds = cpu_seconds() - start;
    *lost = 0;
    for (size_t i = 0; i < list.count; i++) *lost += (double)list.item[i].lost;
    printf(" %8zu %8.2f %8.2f %8.0f", list.count, seconds, seconds / (double)list.count * 1e3,
           seconds / *lost * 1e9);
    arena_fini(&memory);
}

static void measure(const char *network, const char *kind) {
    static const bough_failures_options o = {.threads = 1};
    bough_error error = {0};
    bough_net *net;
    bough_routing *routing;
    bough_failures *f;
    bough_failure one;
    double lost;
    must(bough_net_create(network, &net, &error), &error);
    must(bough_routing_create(net, kind, &routing, &error), &error);
    double start = cpu_seconds();
    must(bough_failures_create(routing, &o, &f, &error), &error);
    printf("%-28s %-7s %6.0f %8.2f", network, kind, (double)net->endpoints, cpu_seconds() - start);
    each(f, "each:cable", &lost);
    each(f, "each:switch", &lost);
    uint64_t *dead = calloc((net->links + 63) / 64, sizeof *dead);
    dead[net->links / 2 / 64] = 1;
    start = cpu_seconds();
    must(bough_failures_dead(f, dead, &one, &error), &error);
    printf(" %8.1f %8.1f\n", (cpu_seconds() - start) * 1e3, peak_bytes() / (1 << 20));
    fflush(stdout);
    free(dead);
    bough_failures_destroy(f);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

int main(int argc, char **argv) {
    printf("%-28s %-7s %6s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "network", "routing", "ends",
           "prepare", "cables", "s", "ms each", "ns/pair", "switches", "s", "ms each", "ns/pair", "ms alone",
           "MiB");
    if (argc > 1) {
        measure(argv[1], argc > 2 ? argv[2] : "dmodk");
        return 0;
    }
    measure("xgft:down=8x16,up=1x8", "dmodk");
    measure("xgft:down=8x8x8,up=1x8x8", "dmodk");
    measure("xgft:down=16x64,up=1x16", "dmodk");
    measure("xgft:down=8x8x16,up=1x8x8", "dmodk");
    measure("xgft:down=8x8x16,up=1x8x8", "random");
    return 0;
}
