/* An algorithm runs twice: first to count, so that large schedules are refused before they are built, then to
 * build. If it consists of exchanges, threads do both: each runs all of it and counts or makes the operations
 * of its own ranks, which depend on no other ones. */
#include "traffic/collectives/collective_build.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "traffic/collectives/gpu/adder_trees.h"

#include <stdlib.h>
#include <string.h>

/* A thread makes more operations than this, and counts those of more ranks. */
enum { PART_OPS = 1 << 12, PART_RANKS = 1 << 5 };

/* What one thread makes. */
typedef struct part {
    collective c;
    bough_error error;
    char apart[THREAD_APART];
} part;

typedef struct building {
    const collective_algorithm *a;
    const collective *fresh;
    const collective_building *how;
    uint32_t ranks, rounds; /* rounds: 1 while operations are counted */
    uint64_t ops, waits;    /* most dependencies */
    part *part;
    unsigned parts;
} building;

static void generate_part(void *context, unsigned worker, uint64_t i) {
    const building *b = context;
    collective *c = &b->part[i].c;
    (void)worker;
    for (uint32_t round = 0; round < b->rounds && !c->status; round++) b->a->generate(c);
}

static bough_status begin(building *b, unsigned parts, bough_error *error) {
    b->parts = parts;
    bough_status status = bough_alloc(&b->part, parts, sizeof *b->part, error);
    for (unsigned i = 0; i < parts && !status; i++) {
        collective *c = &b->part[i].c;
        *c = *b->fresh;
        c->error = error ? &b->part[i].error : NULL;
        if (parts == 1) continue;
        c->first = (uint32_t)team_part(b->ranks, parts, i);
        c->end = (uint32_t)team_part(b->ranks, parts, i + 1);
    }
    return status;
}

static bough_status generate(building *b, bough_error *error) {
    bough_status status = BOUGH_OK;
    memset(b->fresh->last, 0xff, b->ranks * sizeof *b->fresh->last);
    team_loop(b->parts, b->parts, generate_part, b);
    for (unsigned i = 0; i < b->parts && !status; i++) {
        status = b->part[i].c.status;
        if (status && error) *error = b->part[i].error;
    }
    return status;
}

/* Those of one round. */
static bough_status count(building *b, unsigned parts, collective_made *made, bough_error *error) {
    b->rounds = 1;
    bough_status status = begin(b, parts, error);
    TRY(generate(b, error));
    for (unsigned i = 0; i < parts && !status; i++) {
        b->ops += b->part[i].c.ops;
        b->waits += b->part[i].c.waits;
    }
    if (!status) *made = b->part[0].c.made;
    free(b->part);
    b->part = NULL;
    return status;
}

static bough_status give_builder(building *b, unsigned i, bough_error *error) {
    collective *c = &b->part[i].c;
    bough_status status = bough_schedule_begin(b->how->name, b->ranks, &c->builder, error);
    TRY(bough_schedule_reserve(c->builder, b->ops / b->parts, b->waits / b->parts, error));
    if (!status && b->parts > 1) bough_schedule_only(c->builder, c->first, c->end);
    return status;
}

/* Consumes the builders. */
static bough_status join(building *b, bough_schedule **out, bough_error *error) {
    bough_schedule_builder **all;
    bough_status status = bough_alloc(&all, b->parts, sizeof(bough_schedule_builder *), error);
    for (unsigned i = 0; i < b->parts && !status; i++) {
        all[i] = b->part[i].c.builder;
        b->part[i].c.builder = NULL;
    }
    TRY(bough_schedule_join(all, b->parts, out, error));
    free(all);
    return status;
}

static bough_status build(building *b, unsigned parts, bough_schedule **out, bough_error *error) {
    b->rounds = b->ops ? b->how->rounds : 0;
    bough_status status = begin(b, parts, error);
    for (unsigned i = 0; i < parts && !status; i++) status = give_builder(b, i, error);
    TRY(generate(b, error));
    TRY(join(b, out, error));
    for (unsigned i = 0; i < parts && b->part; i++) bough_schedule_abandon(b->part[i].c.builder);
    free(b->part);
    return status;
}

/* At most this many threads each have enough to do. */
static unsigned parts_of(const building *b, uint64_t most) {
    if (!b->a->exchanges || most < 2) return 1;
    if (most > b->ranks) most = b->ranks;
    if (most > b->how->threads) most = b->how->threads;
    return most ? (unsigned)most : 1;
}

bough_status collective_build(const collective_algorithm *a, collective *fresh,
                              const collective_building *how, bough_schedule **out) {
    bough_error *error = fresh->error;
    uint32_t adders = fresh->adders ? fresh->adders->ranks : 0, ranks = fresh->n + adders;
    building b = {.a = a, .fresh = fresh, .how = how, .ranks = ranks};
    *out = NULL;
    bough_status status = count(&b, parts_of(&b, ranks / PART_RANKS), &fresh->made, error);
    if (status) return status;
    b.ops = bough_mul(b.ops, how->rounds);
    b.waits = bough_add(bough_mul(b.waits, how->rounds), bough_mul(2 * (uint64_t)ranks, how->rounds));
    status = collective_check_size(b.ops, b.waits, how->name, error);
    TRY(build(&b, parts_of(&b, b.ops / PART_OPS), out, error));
    if (status) return status;
    (*out)->streams = (*out)->cpus > 1; /* the others only delay */
    (*out)->adders = adders;
    return status;
}
