/* The looping algorithm, level by level from the outside. Before level i the network consists of 2^i smaller
 * ones, each with its own lines (those with equal order[0 .. i-1]); the word of line x must reach go[x] in
 * it. The switches of the two outer stages send the two words of every switch, at both ends, through
 * different halves. A walk that alternates between "the partner at the entrance takes the other half" and
 * "the partner of the exit comes by the other half" returns to its start. */
#include "network/sorting_hardware/benes.h"
#include "base/status/try.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

unsigned bough_benes_stages(uint32_t lines) {
    return 2 * (unsigned)__builtin_ctz(lines) - 1;
}

uint64_t bough_benes_switches(uint32_t lines) {
    return (uint64_t)bough_benes_stages(lines) * (lines / 2);
}

static bough_status check_order(unsigned dimensions, const uint8_t *order, bough_error *error) {
    uint32_t seen = 0;
    for (unsigned i = 0; i < dimensions; i++) {
        if (order[i] >= dimensions || seen >> order[i] & 1)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "Benes: dimension %u at place %u of the order; each of 0 to %u must occur once",
                              order[i], i, dimensions - 1);
        seen |= UINT32_C(1) << order[i];
    }
    return BOUGH_OK;
}

bough_status bough_benes_make(uint32_t lines, const uint8_t *order, bough_benes *benes, bough_error *error) {
    *benes = (bough_benes){0};
    if (lines < 2 || (lines & (lines - 1)) || lines > UINT32_C(1) << BOUGH_BENES_DIMENSIONS)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "Benes network of %" PRIu32 " lines: a power of two from 2 to 2^%d is needed",
                          lines, BOUGH_BENES_DIMENSIONS);
    bough_benes b = {.lines = lines, .dimensions = (unsigned)__builtin_ctz(lines)};
    for (unsigned i = 0; i < b.dimensions; i++) b.order[i] = order ? order[i] : (uint8_t)i;
    bough_status status = check_order(b.dimensions, b.order, error);
    TRY(bough_alloc(&b.control, (bough_benes_switches(lines) + 63) / 64, 8, error));
    TRY(bough_alloc(&b.space, 3 * (uint64_t)lines, sizeof *b.space, error));
    if (status)
        bough_benes_fini(&b);
    else
        *benes = b;
    return status;
}

void bough_benes_fini(bough_benes *benes) {
    FREE_ALL(benes->control, benes->space);
    *benes = (bough_benes){0};
}

static void set_switch(bough_benes *b, unsigned stage, uint32_t line) {
    unsigned d = bough_benes_dimension(b, stage);
    uint64_t i = (line >> (d + 1) << d) | (line & ((UINT32_C(1) << d) - 1));
    i += (uint64_t)stage * (b->lines / 2);
    b->control[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* Computes half[x]: whether the word of line x takes the half where its bit d is 0 or 1. */
static void walk_loops(uint32_t lines, unsigned d, const uint32_t *go, const uint32_t *from, uint32_t *half) {
    uint32_t bit = UINT32_C(1) << d;
    for (uint32_t x = 0; x < lines; x++) half[x] = NOBODY;
    for (uint32_t start = 0; start < lines; start++) {
        uint32_t x = start;
        uint32_t mine = x >> d & 1; /* the first of a loop goes straight */
        while (half[x] == NOBODY) {
            half[x] = mine;
            half[x ^ bit] = !mine;
            /* the line that leaves next to the partner takes the half of the first */
            x = from[go[x ^ bit] ^ bit];
        }
    }
}

static void set_level(bough_benes *b, unsigned level, uint32_t *go, uint32_t *from, uint32_t *half) {
    unsigned d = b->order[level], exit = 2 * b->dimensions - 2 - level;
    uint32_t bit = UINT32_C(1) << d;
    for (uint32_t x = 0; x < b->lines; x++) from[go[x]] = x;
    if (level == b->dimensions - 1) {
        for (uint32_t x = 0; x < b->lines; x++)
            if (!(x & bit) && go[x] != x) set_switch(b, level, x);
        return;
    }
    walk_loops(b->lines, d, go, from, half);
    for (uint32_t x = 0; x < b->lines; x++) {
        if (half[x] != (x >> d & 1)) set_switch(b, level, x);
        if (half[x] != (go[x] >> d & 1)) set_switch(b, exit, go[x]);
    }
    for (uint32_t x = 0; x < b->lines; x++) {
        uint32_t side = half[x] << d;
        from[(x & ~bit) | side] = (go[x] & ~bit) | side;
    }
    memcpy(go, from, b->lines * sizeof *go);
}

bough_status bough_benes_find(bough_benes *b, const uint32_t *target, bough_error *error) {
    uint32_t *go = b->space, *from = go + b->lines, *half = from + b->lines;
    memset(half, 0, b->lines * sizeof *half);
    for (uint32_t x = 0; x < b->lines; x++) {
        if (target[x] >= b->lines || half[target[x]])
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "Benes: line %" PRIu32 " goes to %" PRIu32 ", %s; a permutation is needed", x,
                              target[x], target[x] >= b->lines ? "which does not exist" : "which is taken");
        half[target[x]] = 1;
        go[x] = target[x];
    }
    memset(b->control, 0, (bough_benes_switches(b->lines) + 63) / 64 * 8);
    for (unsigned level = 0; level < b->dimensions; level++) set_level(b, level, go, from, half);
    return BOUGH_OK;
}
