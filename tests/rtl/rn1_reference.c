/* Trials of circuit:mode=cycles on a network of RN1 routers, for tests/rtl/rn1_bench.cpp: messages, the
 * random numbers of all routers and processors in each cycle, and what the engine says of the trial.
 *
 *     rn1_reference NETWORK TRAFFIC RETRY PAYLOAD SEED TRIALS
 *
 * RETRY: 0 immediate, 1 round, 2 backoff. Output per trial, 32-bit words of this machine:
 *     RETRY PAYLOAD SLOT CYCLES DRAWS, attempts, messages delivered by their first attempt, last cycle
 *     per processor: destination (2^32 - 1: no message), route, DRAWS draws as in rtl_reference
 *     CYCLES + 1 times, from cycle -1 on, as bytes: coins (172 bits per router); choices (one bit per
 * processor) of heads that are at their first routers in the cycle after it */
#include "method/method.h"
#include "support/circuit_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_MESSAGE   UINT32_MAX
#define QUIET_CYCLES 3
#define DRAWS        24 /* more attempts than any message of these trials needs */

static void die(const char *what) {
    fprintf(stderr, "rn1_reference: %s\n", what);
    exit(1);
}

static void put_bits(uint8_t *to, size_t first, unsigned bits, unsigned value) {
    for (unsigned i = 0; i < bits; i++) to[(first + i) / 8] |= (uint8_t)((value >> i & 1) << (first + i) % 8);
}

static void put_word(uint64_t word) {
    uint32_t w = (uint32_t)word;
    if (fwrite(&w, sizeof w, 1, stdout) != 1) exit(1); /* nobody reads it */
}

/* Two bits per router, those of the first one lowest: the direction is the group's place at its router. */
static uint64_t route_of(const bough_net *net, uint64_t source, uint64_t address) {
    uint64_t node = source, route = 0;
    for (unsigned hop = 0; node != address || hop == 0; hop++) {
        bough_route to;
        net->ops->route(net, node, address, &to);
        if (to.count == 0 || hop > 16) die("no route");
        if (hop > 0) route |= (to.group - net->ops->node_group(net, node, 0)) << 2 * (hop - 1);
        node = net->ops->link_end(net, bough_route_link(&to, 0)).node;
    }
    return route;
}

/* Of one direction: the link if both are free, then the first and the second of 2 .. 8 heads. */
static void put_direction(uint8_t *to, size_t first, bough_key key, const uint64_t *group_and_cycle) {
    uint64_t group = group_and_cycle[0], cycle = group_and_cycle[1];
    put_bits(to, first, 1, bough_bit(key, BOUGH_DRAW_PICK_BIT, group, cycle));
    for (uint32_t k = 2; k <= 8; k++) {
        uint32_t order[8];
        bough_arbitration_order(key, group, cycle, k, order);
        put_bits(to, first + 1 + 6 * (k - 2), 6, order[0] | order[1] << 3);
    }
}

static void put_cycle(const bough_net *net, bough_key key, uint64_t cycle, uint8_t *row, size_t size) {
    size_t choices = (172 * net->switches + 7) / 8;
    memset(row, 0, size);
    for (uint64_t r = 0; r < net->switches; r++) {
        uint64_t node = net->endpoints + r;
        for (uint32_t d = 0; d < net->ops->node_group_count(net, node); d++)
            put_direction(row, 172 * r + 43 * d, key,
                          (uint64_t[]){net->ops->node_group(net, node, d), cycle});
    }
    for (uint64_t e = 0; e < net->endpoints; e++) {
        unsigned face = bough_bit(key, BOUGH_DRAW_PICK_BIT, net->ops->node_group(net, e, 0), cycle + 1);
        put_bits(row + choices, e, 1, face ^ (BOUGH_SOURCE_PORT & 1));
    }
    fwrite(row, size, 1, stdout);
}

static void put_messages(const bough_net *net, const bough_batch *batch, bough_key key) {
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint32_t i = 0;
        while (i < batch->count && batch->source[i] != e) i++;
        bool sends = i < batch->count;
        put_word(sends ? batch->address[i] : NO_MESSAGE);
        put_word(sends ? route_of(net, e, batch->address[i]) : 0);
        for (uint64_t k = 1; k <= DRAWS; k++) {
            uint64_t range = UINT64_C(1) << (k < 10 ? k : 10);
            put_word(bough_scale(bough_word(key, BOUGH_DRAW_BACKOFF, i, k), range) | (1023 & ~(range - 1)));
        }
    }
}

int main(int count, char **arg) {
    static const char *const retries[] = {"immediate", "round", "backoff"};
    char method[128];
    uint64_t number[4]; /* RETRY PAYLOAD SEED TRIALS */
    if (count != 7) die("usage: rn1_reference NETWORK TRAFFIC RETRY PAYLOAD SEED TRIALS");
    for (int i = 0; i < 4; i++) number[i] = strtoull(arg[3 + i], NULL, 10);
    if (number[0] > 2) die("RETRY is 0, 1 or 2");
    snprintf(method, sizeof method, "circuit:mode=cycles,retry=%s,payload=%u", retries[number[0]],
             (unsigned)number[1]);
    bench b;
    bough_error error;
    if (bench_try(&b, arg[1], NULL, arg[2], method, &error)) die(error.reason);
    size_t size = (172 * b.net->switches + 7) / 8 + (b.net->endpoints + 7) / 8;
    uint8_t *row = malloc(size);
    if (!row) die("no memory");
    for (uint64_t t = 0; t < number[3]; t++) {
        bough_batch batch;
        bough_key key = bough_key_make(number[2], t);
        if (bough_batch_read(b.traffic, key, &batch, NULL)) die("no messages");
        bench_trial(&b, number[2], t);
        double m = (double)batch.count;
        uint64_t last = (uint64_t)bench_plain(&b, BOUGH_METRIC_CYCLES), cycles = last + QUIET_CYCLES;
        put_word(number[0]);
        put_word(number[1]);
        put_word(3 * ((uint64_t)b.net->hops_max - 1));
        put_word(cycles);
        put_word(DRAWS);
        put_word((uint64_t)(bench_plain(&b, BOUGH_METRIC_ATTEMPTS) * m + 0.5));
        put_word((uint64_t)(bench_plain(&b, BOUGH_METRIC_FIRST_SUCCESS) * m + 0.5));
        put_word(last);
        put_messages(b.net, &batch, key);
        /* choices are those of the heads that start in a cycle, on their links one before: so from cycle -1
         * on */
        for (uint64_t c = 0; c <= cycles; c++) put_cycle(b.net, key, c - 1, row, size);
        bough_batch_fini(&batch);
    }
    free(row);
    bench_close(&b);
    return 0;
}
