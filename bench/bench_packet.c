/* What a link crossing costs in `packet`, and how that grows with the cube.
 *
 *     bench_packet [ROUTING [TRAFFIC [QUEUE [FROM [TO]]]]]        cube:n=2^FROM .. 2^TO
 *
 * Without arguments: valiant randperm fifo 10 22. CPU time of a whole run: births, vias, both phases and all
 * deliveries, without making the traffic; the best of several. An access is a random one, independent of the
 * others, in an array as large as what the engine holds. Memory: the peak of the process, network and traffic
 * included, over the packets, and what the method foretells. Every line is a process of its own. */
#include "bench.h"
#include "engines/packet/packet.h"
#include "method/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static packet_discipline discipline(const char *name) {
    static const char *const names[] = {"fifo", "lifo", "farthest", "random"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) return (packet_discipline)i;
    fprintf(stderr, "bench: no discipline '%s'\n", name);
    exit(2);
}

/* Returns the CPU seconds of one run; the last cycle into *steps. */
static double run_once(sim_engine *e, const bough_traffic *traffic, uint64_t trial, uint64_t *steps) {
    bough_error error = {0};
    bough_source *source;
    sim_advance part = {.until = UINT64_MAX, .want = 4096};
    must(bough_traffic_open(traffic, bough_key_make(1, trial), NULL, &source, &error), &error);
    double start = cpu_seconds();
    e->ops->start(e, bough_key_make(1, trial), source);
    do {
        must(e->ops->advance(e, &part, &error), &error);
        if (part.count) *steps = part.deliveries[part.count - 1].arrived;
    } while (part.count);
    double seconds = cpu_seconds() - start;
    source->close(source);
    return seconds;
}

static void measure(unsigned dimensions, const char *routing_spec, const char *traffic_spec,
                    const char *queue) {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
    sim_engine *e;
    bough_error error = {0};
    char spec[32];
    double best = 1e300, spent = 0;
    uint64_t steps = 0;
    snprintf(spec, sizeof spec, "cube:n=2^%u", dimensions);
    must(bough_net_create(spec, &net, &error), &error);
    must(bough_routing_create(net, routing_spec, &routing, &error), &error);
    must(bough_traffic_create(net, traffic_spec, &traffic, &error), &error);
    packet_options o = {.queue = discipline(queue), .hops = net->hops_max};
    must(packet_make(routing, &o, &e, &error), &error);
    for (uint64_t trial = 0; trial < 3 || (spent < 1 && trial < 1000); trial++) {
        double seconds = run_once(e, traffic, trial, &steps);
        spent += seconds;
        if (seconds / (double)e->moves < best) best = seconds / (double)e->moves;
    }
    double packets = (double)net->endpoints, peak = peak_bytes(),
           predicted = (double)packet_bytes(routing, &o, net->endpoints),
           access = access_ns((uint64_t)predicted);
    printf("2^%-4u %6llu %10llu %8.2f %8.1f %8.1f %8.2f %8.1f %8.1f %8.1f\n", dimensions,
           (unsigned long long)steps, (unsigned long long)e->moves, 1e-6 / best, best * 1e9, access,
           best * 1e9 / access, peak / 0x1p20, predicted / 0x1p20, peak / packets);
    e->ops->destroy(e);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

int main(int argc, char **argv) {
    const char *routing = argc > 1 ? argv[1] : "valiant", *traffic = argc > 2 ? argv[2] : "randperm",
               *queue = argc > 3 ? argv[3] : "fifo";
    unsigned from = argc > 4 ? (unsigned)atoi(argv[4]) : 10, to = argc > 5 ? (unsigned)atoi(argv[5]) : 22;
    printf("%-6s %6s %10s %8s %8s %8s %8s %8s %8s %8s\n", "n", "steps", "crossings", "M/s", "ns", "access",
           "ratio", "MiB", "predicted", "B/packet");
    for (unsigned d = from; d <= to; d += 2) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            measure(d, routing, traffic, queue);
            fflush(stdout);
            _exit(0);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) return 1;
    }
    return 0;
}
