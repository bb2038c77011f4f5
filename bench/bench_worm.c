/* What a message and a hop cost in the engines of `worm`, and how that grows with N.
 *
 *     bench_worm [labels|generic|timed [NETWORK [FLITS [LOAD [MESSAGES]]]]]
 *
 * Without NETWORK: bft:n=4^3 .. 4^10 at half of the model's saturation. One line a network: CPU time of
 * everything, the traffic included, after a warm-up; an access is a random one, independent of the others, in
 * an array as large as the state of the links; excess: what a hop costs more than in the first line, in such
 * accesses. Memory: what is predicted against what the process came to need. Every line is a process of its
 * own. */
#include "base/memory/memory.h"
#include "bench.h"
#include "engines/wormhole/timed/worm_timed.h"
#include "engines/wormhole/worm_butterfly.h"
#include "engines/wormhole/worm_events.h"
#include "method/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef enum which { LABELS, GENERIC, TIMED } which;
static const char *const names[] = {"labels", "generic", "timed"};

typedef struct figures {
    double message, hop, access;
} figures;

static uint64_t deliver(sim_engine *e, uint64_t messages) {
    bough_error error = {0};
    sim_advance part = {.until = UINT64_MAX, .want = 4096};
    uint64_t done = 0;
    while (done < messages) {
        must(e->ops->advance(e, &part, &error), &error);
        done += part.count;
    }
    return done;
}

static void measure(which engine, const char *net_spec, unsigned flits, double load, uint64_t messages,
                    figures *f, double base) {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
    bough_source *source;
    sim_engine *e;
    bough_error error = {0};
    char spec[96];
    snprintf(spec, sizeof spec, "poisson:load=%.17g,flits=%u", load, flits);
    must(bough_net_create(net_spec, &net, &error), &error);
    must(bough_routing_create(net, "free", &routing, &error), &error);
    must(bough_traffic_create(net, spec, &traffic, &error), &error);
    must(bough_traffic_open(traffic, bough_key_make(1, 0), NULL, &source, &error), &error);
    worm_options o = {.flits = 1, .buffer = 1, .vcs = 1};
    if (engine == LABELS && !worm_butterfly_fits(&(bough_point){net, routing, traffic}, &o)) engine = GENERIC;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    if (engine == LABELS)
        must(worm_butterfly_make(&(bough_point){net, routing, traffic}, 1, &e, &error), &error);
    else if (engine == TIMED)
        must(worm_timed_make(routing, &o, net->hops_max, &e, &error), &error);
    else
        must(worm_events_make(routing, &o, net->hops_max, &e, &error), &error);
    e->ops->start(e, bough_key_make(1, 0), source);
    deliver(e, messages / 4);
    f->message = 1e300;
    for (int i = 0; i < 4; i++) { /* the fastest part: others may be at work on the machine */
        uint64_t moves = e->moves;
        double start = cpu_seconds();
        uint64_t done = deliver(e, messages / 4);
        double seconds = cpu_seconds() - start;
        if (seconds / (double)done * 1e9 > f->message) continue;
        f->message = seconds / (double)done * 1e9;
        f->hop = seconds / (double)(e->moves - moves) * 1e9;
    }
    getrusage(RUSAGE_SELF, &after);
    uint64_t live = e->offered - e->arrived,
             predicted = engine == LABELS  ? worm_butterfly_bytes(net, live)
                         : engine == TIMED ? worm_timed_bytes(net, net->hops_max, live)
                                           : worm_events_bytes(net, &o, net->hops_max, live);
    f->access = access_ns(predicted);
    printf("%-22s %7.3f %9.1f %7.1f %7.1f %7.2f %9.1f %9.1f\n", net_spec, 1e3 / f->message, f->message,
           f->hop, f->access, base > 0 ? (f->hop - base) / f->access : 0,
           (double)(after.ru_maxrss - before.ru_maxrss) / 1024, (double)predicted / 0x1p20);
    fflush(stdout);
    e->ops->destroy(e);
    source->close(source);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void in_a_process(which engine, const char *net, unsigned flits, double load, uint64_t messages,
                         figures *f, double base) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        measure(engine, net, flits, load, messages, f, base);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) exit(1);
}

int main(int argc, char **argv) {
    which engine = LABELS;
    for (unsigned i = 0; argc > 1 && i < 3; i++)
        if (strcmp(argv[1], names[i]) == 0) engine = (which)i;
    unsigned flits = argc > 3 ? (unsigned)atoi(argv[3]) : 32;
    uint64_t messages = argc > 5 ? strtoull(argv[5], NULL, 10) : 2000000;
    figures *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED) return 1;
    printf("%-22s %7s %9s %7s %7s %7s %9s %9s\n", names[engine], "M msg/s", "ns/msg", "ns/hop", "access",
           "excess", "MiB", "predicted");
    if (argc > 2) {
        in_a_process(engine, argv[2], flits, argc > 4 ? atof(argv[4]) : 0.02, messages, f, 0);
        return 0;
    }
    double base = 0;
    for (unsigned k = 3; k <= 10; k++) {
        char net[64], point[64];
        snprintf(net, sizeof net, "bft:n=4^%u", k);
        snprintf(point, sizeof point, "%s", net);
        /* half of the model's saturation, which halves with every level (queueing:find=saturation) */
        static const double half[] = {0.078, 0.0391, 0.01955, 0.00977, 0.00489, 0.00244, 0.00122, 0.00061};
        in_a_process(engine, point, flits, half[k - 3], k > 8 ? 2 * messages : messages, f, base);
        if (k == 3) base = f->hop;
    }
    return 0;
}
