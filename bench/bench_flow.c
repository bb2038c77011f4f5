/* What a flow costs: random permutations, rounds of them, all-to-all, growth; and, where it was built with
 * SimGrid, the same messages there.
 *
 *     bench_flow [perm|rounds|alltoall|growth]...       default: all of them
 *     bench_flow simgrid K ROUNDS SPREAD [far] [cross] [full]
 *         kary:k=K,levels=3; sizes within 1 MB +- SPREAD MB; far: all over the roots; cross: SimGrid's
 *         crosstraffic; full: SimGrid shares all links anew at every event, not only those that changed
 *
 * CPU time of engine, paths and source; the network stands. A rate is a new rate for one flow, crossings are
 * the places of links on paths that were looked at for it. */
#include "base/memory/memory.h"
#include "bench.h"
#include "engines/flow/flow_events.h"
#include "simgrid_flows.h"
#include "traffic/patterns/batch.h"
#include "traffic/traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEST_OF = 7 };

static const flow_options options = {
    .unit = 1, .rate = UINT64_C(100000000000), .delay = 100000 /* 100 Gb/s, 100 ns */};

typedef struct place {
    bough_net *net;
    bough_routing *routing;
} place;

static place place_make(const char *net, const char *routing) {
    place p;
    bough_error error;
    must(bough_net_create(net, &p.net, &error), &error);
    must(bough_routing_create(p.net, routing, &p.routing, &error), &error);
    return p;
}

static void place_free(place *p) {
    bough_routing_destroy(p->routing);
    bough_net_destroy(p->net);
}

/* ---- messages: rounds of random permutations ---- */

typedef enum order { AT_ONCE, CHAINED } order;

/* Round r of host h is message r n + h; chained, it starts when round r - 1 of h has arrived. */
typedef struct rounds {
    bough_source base;
    uint32_t *to;
    uint64_t *size;
    uint32_t *ready; /* messages that may start, in order */
    uint64_t *end;   /* when they arrived */
    uint32_t n, count, next, known;
    bool chained;
    uint64_t now;
} rounds;

static uint64_t rounds_next_time(bough_source *source) {
    const rounds *r = (const rounds *)source;
    return r->next < r->known ? r->now : BOUGH_NONE;
}

static uint32_t rounds_pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    rounds *r = (rounds *)source;
    uint32_t got = 0;
    for (; got < capacity && r->next < r->known; got++) {
        uint32_t id = r->ready[r->next++];
        out[got] = (bough_message){now, r->size[id], id % r->n, r->to[id], id};
    }
    return got;
}

static void rounds_delivered(bough_source *source, uint32_t id, uint64_t time) {
    rounds *r = (rounds *)source;
    r->end[id] = time;
    if (!r->chained) return;
    r->now = time;
    if (id + r->n < r->count) r->ready[r->known++] = id + r->n;
}

static void rounds_close(bough_source *source) {
    rounds *r = (rounds *)source;
    free(r->to);
    free(r->size);
    free(r->ready);
    free(r->end);
}

/* spread: sizes are uniform within 1 MB +- that. */
static rounds rounds_make(const bough_net *net, uint32_t count, order o, double spread, uint64_t seed) {
    uint32_t n = (uint32_t)net->endpoints;
    rounds r = {.base = {rounds_next_time, rounds_pop, rounds_delivered, rounds_close},
                .chained = o == CHAINED,
                .n = n,
                .count = count * n,
                .known = o == CHAINED ? n : count * n};
    bough_error error;
    must(bough_alloc(&r.to, r.count, sizeof *r.to, &error), &error);
    must(bough_alloc(&r.size, r.count, sizeof *r.size, &error), &error);
    must(bough_alloc(&r.ready, r.count, sizeof *r.ready, &error), &error);
    must(bough_alloc(&r.end, r.count, sizeof *r.end, &error), &error);
    bough_stream draw = bough_stream_make(bough_key_make(seed, 0), BOUGH_DRAW_TEST, 0, 0);
    for (uint32_t first = 0; first < r.count; first += n)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t j = (uint32_t)bough_stream_below(&draw, i + 1);
            r.to[first + i] = r.to[first + j];
            r.to[first + j] = i;
        }
    for (uint32_t i = 0; i < r.count; i++) {
        r.ready[i] = i;
        r.size[i] = (uint64_t)(1e6 * (1 + spread * (2 * bough_unit(bough_stream_next(&draw)) - 1)));
    }
    return r;
}

/* ---- measuring ---- */

typedef struct cost {
    double seconds, end;
    uint64_t messages, instants, rates, work;
} cost;

static cost run(flow_engine *e, bough_source *source, uint64_t seed) {
    bough_error error;
    double start = cpu_seconds();
    must(flow_run(e, &(flow_input){source, bough_key_make(seed, 0)}, &error), &error);
    const flow_totals *t = flow_result(e);
    return (cost){cpu_seconds() - start, (double)t->end * 1e-12, t->arrived, t->instants, t->rates,
                  flow_work(e)};
}

/* The best of several times the same. */
static cost measure_rounds(const char *net, const char *routing, uint32_t count, order o, double spread) {
    place p = place_make(net, routing);
    flow_engine *e;
    bough_error error;
    cost best = {.seconds = INFINITY};
    must(flow_make(p.routing, &options, count * p.net->endpoints, &e, &error), &error);
    for (int i = 0; i < BEST_OF; i++) {
        rounds r = rounds_make(p.net, count, o, spread, 1);
        cost c = run(e, &r.base, 1);
        if (c.seconds < best.seconds) best = c;
        rounds_close(&r.base);
    }
    flow_destroy(e);
    place_free(&p);
    return best;
}

static void head(void) {
    printf("%-34s %-7s %-22s %9s %9s %9s %9s %8s %8s %9s\n", "network", "routing", "messages", "CPU ms",
           "messages", "instants", "rates", "ns/rate", "cross/rt", "end us");
}

static void print(const char *net, const char *routing, const char *what, const cost *c) {
    printf("%-34s %-7s %-22s %9.2f %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %8.0f %8.1f %9.1f\n", net, routing,
           what, c->seconds * 1e3, c->messages, c->instants, c->rates, c->seconds / (double)c->rates * 1e9,
           (double)c->work / (double)c->rates, c->end * 1e6);
    fflush(stdout);
}

#define THOUSAND "xgft:down=8x8x16,up=1x8x8"

static void bench_perm(void) {
    static const char *const routing[] = {"dmodk", "random", "hash"};
    head();
    for (int i = 0; i < 3; i++)
        for (int spread = 0; spread < 2; spread++) {
            cost c = measure_rounds("kary:k=16,levels=3", routing[i], 1, AT_ONCE, spread ? 0.5 : 0);
            print("kary:k=16,levels=3", routing[i], spread ? "0.5 to 1.5 MB" : "1 MB", &c);
        }
}

static void bench_rounds(void) {
    static const struct {
        order o;
        double spread;
        const char *what;
    } is[] = {{CHAINED, 0, "10 rounds, chained"},
              {CHAINED, 0.5, "the same, 0.5 - 1.5 MB"},
              {AT_ONCE, 0, "10 rounds at once"},
              {AT_ONCE, 0.5, "the same, 0.5 - 1.5 MB"}};
    head();
    for (int i = 0; i < 4; i++) {
        cost c = measure_rounds(THOUSAND, "dmodk", 10, is[i].o, is[i].spread);
        print(THOUSAND, "dmodk", is[i].what, &c);
    }
}

static void alltoall(const char *net, const char *routing) {
    place p = place_make(net, routing);
    bough_traffic *t;
    bough_source *source;
    flow_engine *e;
    bough_error error;
    flow_options o = options;
    o.unit = 1000000;
    double start = cpu_seconds();
    must(bough_traffic_create(p.net, "alltoall", &t, &error), &error);
    must(bough_traffic_open(t, bough_key_make(1, 0), NULL, &source, &error), &error);
    must(flow_make(p.routing, &o, t->messages, &e, &error), &error);
    cost c = run(e, source, 1);
    c.seconds = cpu_seconds() - start;
    print(net, routing, "alltoall, with set-up", &c);
    printf("    %.0f MiB, predicted %.0f\n", peak_bytes() / 0x1p20,
           (double)(flow_bytes(p.routing, t->messages, false) + 8 * t->messages) / 0x1p20);
    source->close(source);
    bough_traffic_destroy(t);
    flow_destroy(e);
    place_free(&p);
}

static void bench_alltoall(void) {
    head();
    alltoall("xgft:down=4x4x8,up=1x4x4", "random");
    alltoall("kary:k=32,levels=2", "dmodk");
    alltoall(THOUSAND, "dmodk");
}

static void bench_growth(void) {
    head();
    for (unsigned k = 4; k <= 32; k *= 2) {
        char net[64];
        snprintf(net, sizeof net, "kary:k=%u,levels=3", k);
        for (int spread = 0; spread < 2; spread++) {
            cost c = measure_rounds(net, "random", 1, AT_ONCE, spread ? 0.5 : 0);
            print(net, "random", spread ? "0.5 to 1.5 MB" : "1 MB", &c);
        }
    }
}

/* ---- SimGrid ---- */

/* Leads every message out of its part of the tree, so that all paths are equally long: SimGrid gives longer
 * ones less, which max-min fairness does not. It stays a permutation. */
static void send_far(rounds *r, unsigned k) {
    uint32_t part = r->n / k;
    for (uint32_t first = 0; first < r->count; first += r->n) {
        uint32_t at = 0;
        uint32_t *to = &r->to[first], *from = malloc(2 * r->n * sizeof *from), *fill = from + r->n;
        if (!from) exit(1);
        for (uint32_t p = 0; p < k; p++) fill[p] = p * part;
        for (uint32_t i = 0; i < r->n; i++) from[fill[to[i] / part]++] = to[i]; /* by part, in random order */
        for (uint32_t i = 0; i < r->n; i++, at++) to[i] = from[(i + part) % r->n];
        free(from);
    }
}

static int compare(int argc, char **argv) {
    char net[64];
    unsigned k = argc > 0 ? (unsigned)atoi(argv[0]) : 8;
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
    double spread = argc > 2 ? atof(argv[2]) : 0, seconds = 0, last = 0, worst = 0, off = 0;
    bool far = false, cross = false, full = false;
    for (int i = 3; i < argc; i++) {
        far |= strcmp(argv[i], "far") == 0;
        cross |= strcmp(argv[i], "cross") == 0;
        full |= strcmp(argv[i], "full") == 0;
    }
    snprintf(net, sizeof net, "kary:k=%u,levels=3", k);
    place p = place_make(net, "dmodk");
    rounds r = rounds_make(p.net, count, AT_ONCE, spread, 1);
    if (far) send_far(&r, k);
    flow_engine *e;
    bough_error error;
    cost best = {.seconds = INFINITY};
    double *end;
    must(bough_alloc(&end, r.count, sizeof *end, &error), &error);
    must(flow_make(p.routing, &options, r.count, &e, &error), &error);
    for (int i = 0; i < BEST_OF; i++) {
        r.next = 0;
        cost c = run(e, &r.base, 1);
        if (c.seconds < best.seconds) best = c;
    }
    if (!simgrid_flows(k, cross, full, r.n, r.count, r.to, r.size, end, &seconds)) {
        fprintf(stderr, "bench_flow was built without SimGrid (Debian: libsimgrid-dev, g++)\n");
        return 1;
    }
    for (uint32_t i = 0; i < r.count; i++) {
        double have = (double)r.end[i] * 1e-12, ratio = fabs(have / end[i] - 1);
        if (i % r.n == r.to[i]) continue; /* to itself: in flow at once, in SimGrid over a loopback */
        if (end[i] > last) last = end[i];
        if (ratio > worst) worst = ratio;
        off += ratio / r.count;
    }
    printf("%s, %" PRIu32 " messages of 1 MB +- %g MB%s\n", net, r.count, spread, far ? ", all far" : "");
    printf("  flow     %10.2f ms CPU, ends after %.3f us\n", best.seconds * 1e3, best.end * 1e6);
    printf("  SimGrid  %10.2f ms CPU, ends after %.3f us%s%s\n", seconds * 1e3, last * 1e6,
           cross ? ", crosstraffic" : "", full ? ", full" : "");
    printf("  speed ratio %.1f; messages end %.3g %% apart on average, %.3g %% at most\n",
           seconds / best.seconds, off * 100, worst * 100);
    free(end);
    rounds_close(&r.base);
    flow_destroy(e);
    place_free(&p);
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*bench)(void);
    } is[] = {{"perm", bench_perm},
              {"rounds", bench_rounds},
              {"alltoall", bench_alltoall},
              {"growth", bench_growth}};
    if (argc > 1 && strcmp(argv[1], "simgrid") == 0) return compare(argc - 2, argv + 2);
    for (int i = 0; i < 4; i++) {
        bool wanted = argc == 1;
        for (int a = 1; a < argc; a++) wanted |= strcmp(argv[a], is[i].name) == 0;
        if (wanted) is[i].bench();
    }
    return 0;
}
