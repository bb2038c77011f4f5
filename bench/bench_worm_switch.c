/* clang-format off */
/* What a flit over a link costs in the switch engine of `worm`, with virtual channels, and how it grows with
 * n.
 *
 *     bench_worm_switch channels [MESSAGES]               kary:k=4,levels=5 with V, B and credit
 *     bench_worm_switch sizes [MESSAGES [LEVELS]]         kary:k=4, levels 2 .. LEVELS, V = 2, B = 4, one credit
 *
 * Poisson arrivals at every endpoint, uniform destinations, 16 flits, half of what endpoints can inject,
 * routing `random`. Time is from the beginning until all have arrived, without that of making the messages;
 * the fastest of three runs, as others may be at work on the machine. */
/* clang-format on */
#include "bench.h"
#include "engines/wormhole/switches/worm_switch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLITS 16
#define LOAD  0.5

/* ---- the traffic ---- */

typedef struct list {
    bough_source base;
    bough_message *message;
    uint32_t count, next;
} list;

static uint64_t next_time(bough_source *source) {
    list *l = (list *)source;
    return l->next < l->count ? l->message[l->next].time : BOUGH_NONE;
}
static uint32_t pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    list *l = (list *)source;
    uint32_t got = 0;
    while (got < capacity && l->next < l->count && l->message[l->next].time <= now)
        out[got++] = l->message[l->next++];
    return got;
}

static list make_list(const bough_net *net, uint32_t count) {
    list l = {.base = {next_time, pop, NULL, NULL}, .count = count};
    bough_stream stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_ARRIVAL, 0, 0);
    double time = 0, rate = LOAD / FLITS * (double)net->endpoints;
    l.message = malloc(count * sizeof *l.message);
    if (!l.message) exit(1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t target = bough_stream_below(&stream, net->endpoints - 1);
        uint64_t source = bough_stream_below(&stream, net->endpoints);
        time -= log(1 - bough_unit(bough_stream_next(&stream))) / rate;
        l.message[i] = (bough_message){.time = (uint64_t)ceil(time),
                                       .size = 1,
                                       .source = (uint32_t)source,
                                       .address = (uint32_t)(target + (target >= source)),
                                       .id = i};
    }
    return l;
}

/* ---- a run ---- */

typedef struct figures {
    double seconds, hops, latency;
} figures;

static figures run(sim_engine *e, list *l) {
    figures f = {0};
    sim_advance part = {.until = UINT64_MAX, .want = 4096};
    bough_error error = {0};
    l->next = 0;
    double start = cpu_seconds();
    e->ops->start(e, bough_key_make(1, 0), &l->base);
    do {
        must(e->ops->advance(e, &part, &error), &error);
        for (uint64_t i = 0; i < part.count; i++) {
            const sim_delivery *d = &part.deliveries[i];
            f.hops += FLITS * d->hops;
            f.latency += (double)(d->arrived - d->offered) / l->count;
        }
    } while (part.count);
    f.seconds = cpu_seconds() - start;
    return f;
}

static void measure(unsigned levels, uint32_t messages, worm_options o) {
    char spec[64];
    bough_net *net;
    bough_routing *routing;
    sim_engine *e;
    bough_error error = {0};
    snprintf(spec, sizeof spec, "kary:k=4,levels=%u", levels);
    must(bough_net_create(spec, &net, &error), &error);
    must(bough_routing_create(net, "random", &routing, &error), &error);
    must(worm_switch_make(routing, &o, &e, &error), &error);
    list l = make_list(net, messages);
    figures best = run(e, &l);
    for (int i = 1; i < 3; i++) {
        figures f = run(e, &l);
        if (f.seconds < best.seconds) best = f;
    }
    printf("%-9u %2u %2u %6u %10.0f %10.1f %10.1f %10.1f %9.2f\n", (unsigned)net->endpoints, o.vcs, o.buffer,
           o.credit, messages / best.seconds, best.hops / best.seconds / 1e6, best.seconds / best.hops * 1e9,
           best.latency, (double)worm_switch_bytes(routing, &o, 0) / 0x1p20);
    fflush(stdout);
    free(l.message);
    e->ops->destroy(e);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void channels(uint32_t messages) {
    for (uint32_t vcs = 1; vcs <= 4; vcs *= 2)
        for (uint32_t buffer = 4; buffer <= 8; buffer *= 2)
            for (uint32_t credit = 0; credit <= 2; credit++)
                measure(5, messages, (worm_options){FLITS, buffer, vcs, credit, false});
}

/* Big networks get more messages, about 4 an endpoint. */
static void sizes(uint32_t messages, unsigned most) {
    for (unsigned levels = 2; levels <= most; levels++) {
        uint64_t least = UINT64_C(4) << 2 * levels;
        measure(levels, least > messages ? (uint32_t)least : messages, (worm_options){FLITS, 4, 2, 1, false});
    }
}

int main(int argc, char **argv) {
    bool both = argc < 2;
    uint32_t messages = argc > 2 ? (uint32_t)atoi(argv[2]) : 100000;
    printf("%-9s %2s %2s %6s %10s %10s %10s %10s %9s\n", "n", "V", "B", "credit", "messages/s", "Mflits/s",
           "ns/flit", "latency", "MiB");
    if (both || strcmp(argv[1], "channels") == 0) channels(messages);
    if (both || strcmp(argv[1], "sizes") == 0) sizes(messages, argc > 3 ? (unsigned)atoi(argv[3]) : 8);
    return 0;
}
