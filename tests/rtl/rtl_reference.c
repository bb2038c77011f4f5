/* What the network of rtl/ must do, for tests/rtl/rtl_bench.cpp: trials of circuit:mode=cycles on fattree:n=N
 * with their coins, cycle by cycle, as the oracle of tests/support says, whose totals are compared with the
 * engine's.
 *
 *     rtl_reference N TRAFFIC RETRY PAYLOAD SLOT SEED TRIALS [FIRST]
 *
 * RETRY: 0 immediate, 1 round, 2 backoff. SLOT: 0 for the default. Trials FIRST .. FIRST + TRIALS - 1. Output
 * per trial, 32-bit words of this machine: RETRY PAYLOAD SLOT CYCLES, the number D of draws of each message
 *     N times: destination (2^32 - 1: no message), attempts, cycle of the tail, cycle of the acknowledgement,
 *         D draws: after the k-th refusal the lowest min(k, 10) bits count, the others are ones
 *     CYCLES times, as bytes: coins of all routers (7 bits each), granted, refused, held (4 bits each) */
#include "method/method.h"
#include "support/circuit_bench.h"
#include "support/circuit_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_MESSAGE   UINT32_MAX
#define QUIET_CYCLES 3 /* after the last one */

static void die(const char *what) {
    fprintf(stderr, "rtl_reference: %s\n", what);
    exit(1);
}

/* Groups of links of one router: up, to port 0, to port 1. */
typedef struct router_groups {
    uint64_t group[3];
} router_groups;

typedef struct recorder {
    oracle_watch watch; /* first */
    const bough_net *net;
    const router_groups *router;
    bough_key key;
    uint8_t *cycle; /* [cycles][size] */
    size_t size, cycles, capacity;
} recorder;

static void put_bits(uint8_t *to, size_t first, unsigned bits, unsigned value) {
    for (unsigned i = 0; i < bits; i++) to[(first + i) / 8] |= (uint8_t)((value >> i & 1) << (first + i) % 8);
}

static size_t bytes_of(size_t bits) {
    return (bits + 7) / 8;
}

/* The face of the up link, then for ports 0 and 1 the first of two and of three. */
static unsigned coins_of(const recorder *r, const router_groups *g, uint64_t cycle) {
    unsigned coins = bough_bit(r->key, BOUGH_DRAW_PICK_BIT, g->group[0], cycle);
    for (unsigned port = 0; port < 2; port++) {
        uint32_t two[2], three[3];
        bough_arbitration_order(r->key, g->group[1 + port], cycle, 2, two);
        bough_arbitration_order(r->key, g->group[1 + port], cycle, 3, three);
        coins |= (two[0] | three[0] << 1) << (1 + 3 * port);
    }
    return coins;
}

static void record(oracle_watch *watch, const oracle_cycle *c) {
    recorder *r = (recorder *)watch;
    size_t routers = r->net->switches, at = bytes_of(7 * routers), step = bytes_of(4 * routers);
    if (r->cycles == r->capacity) {
        r->capacity = 2 * r->capacity + 64;
        r->cycle = realloc(r->cycle, r->capacity * r->size);
        if (!r->cycle) die("no memory");
    }
    uint8_t *row = r->cycle + r->cycles * r->size;
    memset(row, 0, r->size);
    for (size_t i = 0; i < routers; i++) {
        put_bits(row, 7 * i, 7, coins_of(r, &r->router[i], r->cycles));
        put_bits(row + at, 4 * i, 4, c->granted[i]);
        put_bits(row + at + step, 4 * i, 4, c->refused[i]);
        put_bits(row + at + 2 * step, 4 * i, 4, c->held[i]);
    }
    r->cycles++;
}

static void find_groups(const bough_net *net, router_groups *router) {
    for (uint64_t node = net->endpoints; node < net->nodes; node++) {
        router_groups *g = &router[node - net->endpoints];
        for (uint64_t e = 0; e < net->endpoints; e++) {
            bough_route route;
            net->ops->route(net, node, e, &route);
            bool up = bough_link_direction(net, bough_route_link(&route, 0)) >= 0;
            uint32_t port = up ? 0 : net->ops->link_port(net, bough_route_link(&route, 0));
            g->group[up ? 0 : 1 + port] = route.group;
        }
    }
}

static void put_word(uint64_t word) {
    uint32_t w = (uint32_t)word;
    if (fwrite(&w, sizeof w, 1, stdout) != 1) exit(1); /* nobody reads it */
}

typedef struct trial {
    const bough_batch *messages;
    const oracle_ask *ask;
    const oracle_fate *fate;
    const oracle_result *result;
    const recorder *r;
} trial;

static void put_message(const trial *t, uint32_t source, uint64_t draws) {
    uint32_t i = 0, m = (uint32_t)t->messages->count;
    while (i < m && t->messages->source[i] != source) i++;
    unsigned apex = 0;
    if (i == m) {
        put_word(NO_MESSAGE);
        for (uint64_t k = 0; k < 3 + draws; k++) put_word(0);
        return;
    }
    uint32_t to = t->messages->address[i];
    while ((source ^ to) >> 1 >> apex) apex++;
    put_word(to);
    put_word(t->fate[i].attempts);
    put_word(t->fate[i].time);
    put_word(t->fate[i].time + 2 * apex + 1);
    for (uint64_t k = 1; k <= draws; k++) {
        uint64_t range = UINT64_C(1) << (k < 10 ? k : 10);
        uint64_t drawn = bough_scale(bough_word(t->r->key, BOUGH_DRAW_BACKOFF, i, k), range);
        put_word(drawn | (1023 & ~(range - 1)));
    }
}

static void put_trial(const trial *t, uint32_t endpoints) {
    uint64_t draws = 0;
    for (size_t i = 0; i < t->messages->count; i++)
        if (t->fate[i].attempts > draws) draws = t->fate[i].attempts;
    put_word(t->ask->retry);
    put_word(t->ask->payload);
    put_word(t->ask->slot);
    put_word(t->r->cycles);
    put_word(draws);
    for (uint32_t e = 0; e < endpoints; e++) put_message(t, e, draws);
    fwrite(t->r->cycle, t->r->size, t->r->cycles, stdout);
}

/* The engine must say the same of the whole trial. */
static void compare(bench *b, const trial *t, uint64_t seed, uint64_t number) {
    double m = (double)t->messages->count;
    bench_trial(b, seed, number);
    if (m == 0 && bench_plain(b, BOUGH_METRIC_MESSAGES) == 0) return; /* there are no shares of nothing */
    if (bench_plain(b, BOUGH_METRIC_MESSAGES) != m ||
        bench_plain(b, BOUGH_METRIC_CYCLES) != (double)t->result->cycles ||
        bench_plain(b, BOUGH_METRIC_ATTEMPTS) != (double)t->result->attempts / m ||
        bench_plain(b, BOUGH_METRIC_FIRST_SUCCESS) != (double)t->result->first / m)
        die("the oracle and the engine differ");
}

static void one_trial(bench *b, recorder *r, const oracle_ask *ask, const uint64_t *seed_and_number) {
    bough_batch batch;
    oracle_result result;
    oracle_ask watched = *ask;
    r->key = bough_key_make(seed_and_number[0], seed_and_number[1]);
    r->cycles = 0;
    watched.watch = &r->watch;
    if (bough_batch_read(b->traffic, r->key, &batch, NULL)) die("no messages");
    uint32_t m = (uint32_t)batch.count;
    oracle_fate *fate = calloc(m + 1, sizeof *fate);
    uint8_t *zero = calloc(r->net->switches, 1);
    if (!fate || !zero) die("no memory");
    circuit_oracle(b->net, &watched, batch.source, batch.address, m, r->key, fate, &result);
    const oracle_cycle quiet = {zero, zero, zero};
    for (int i = 0; i < QUIET_CYCLES; i++) record(&r->watch, &quiet);
    trial t = {&batch, ask, fate, &result, r};
    compare(b, &t, seed_and_number[0], seed_and_number[1]);
    put_trial(&t, (uint32_t)b->net->endpoints);
    free(zero);
    free(fate);
    bough_batch_fini(&batch);
}

int main(int count, char **arg) {
    static const char *const retries[] = {"immediate", "round", "backoff"};
    char net[64], method[128];
    uint64_t number[6] = {0}; /* RETRY PAYLOAD SLOT SEED TRIALS FIRST */
    if (count < 8 || count > 9) die("usage: rtl_reference N TRAFFIC RETRY PAYLOAD SLOT SEED TRIALS [FIRST]");
    for (int i = 3; i < count; i++) number[i - 3] = strtoull(arg[i], NULL, 10);
    if (number[0] > 2) die("RETRY is 0, 1 or 2");
    snprintf(net, sizeof net, "fattree:n=%s", arg[1]);
    int length = snprintf(method, sizeof method, "circuit:mode=cycles,retry=%s,payload=%u",
                          retries[number[0]], (unsigned)number[1]);
    if (number[2]) snprintf(method + length, sizeof method - (size_t)length, ",slot=%u", (unsigned)number[2]);
    bench b;
    bough_error error;
    if (bench_try(&b, net, NULL, arg[2], method, &error)) die(error.reason);
    oracle_ask ask = {ORACLE_CYCLES, (oracle_retry)number[0], .payload = number[1], .slot = number[2]};
    if (!ask.slot) ask.slot = 3 * ((uint64_t)b.net->hops_max - 1);
    router_groups *router = calloc(b.net->switches, sizeof *router);
    if (!router) die("no memory");
    find_groups(b.net, router);
    recorder r = {.watch = {record}, .net = b.net, .router = router};
    r.size = bytes_of(7 * b.net->switches) + 3 * bytes_of(4 * b.net->switches);
    for (uint64_t i = 0; i < number[4]; i++) one_trial(&b, &r, &ask, (uint64_t[]){number[3], number[5] + i});
    free(r.cycle);
    free(router);
    bench_close(&b);
    return 0;
}
