/* What a message of a stream costs to draw: nanoseconds of CPU, popped 64 at a time.
 *
 *     bench_traffic [NETWORK [TRAFFIC...]] */
#include "bench.h"
#include "traffic/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MESSAGES = 1 << 23, TRIALS = 5 };

/* The fastest of the trials: others may be at work on the machine. */
static void measure(const bough_net *net, const char *spec) {
    bough_error error = {0};
    bough_traffic *t;
    uint64_t sum = 0;
    double best = 0;
    must(bough_traffic_create(net, spec, &t, &error), &error);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        bough_source *source;
        bough_message m[64];
        must(bough_traffic_open(t, bough_key_make(1, trial), NULL, &source, &error), &error);
        clock_t start = clock();
        for (uint32_t done = 0, got; done < MESSAGES; done += got) {
            got = source->pop(source, UINT64_MAX - 1, m, 64);
            if (got == 0) break;
            sum += m[0].address;
        }
        double ns = (double)(clock() - start) / CLOCKS_PER_SEC / MESSAGES * 1e9;
        if (trial == 0 || ns < best) best = ns;
        source->close(source);
    }
    volatile uint64_t sink = sum;
    (void)sink;
    printf("%-60s %8.1f\n", t->spec, best);
    bough_traffic_destroy(t);
}

int main(int argc, char **argv) {
    static const char *const usual[] = {"poisson:rate=0.01",
                                        "poisson:rate=0.01,pattern=bitrev",
                                        "poisson:rate=0.01,pattern=randperm",
                                        "poisson:rate=0.01,pattern=\"hotspot:share=10%\"",
                                        "bernoulli:rate=0.01",
                                        "bernoulli:rate=0.9"};
    bough_error error = {0};
    bough_net *net;
    must(bough_net_create(argc > 1 ? argv[1] : "fattree:n=1024", &net, &error), &error);
    printf("%-60s %8s\n", net->spec, "ns/message");
    if (argc > 2)
        for (int i = 2; i < argc; i++) measure(net, argv[i]);
    else
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) measure(net, usual[i]);
    bough_net_destroy(net);
    return 0;
}
