/* An algorithm runs twice: first to count, so that large schedules are refused before they are built, then to
 * build. If it consists of exchanges, threads build: each runs all of it and makes the operations of its own
 * ranks, which depend on no other ones. */
#include "traffic/collectives/collective_build.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "traffic/collectives/gpu/adder_trees.h"

#include <stdlib.h>
#include <string.h>

enum { PART_OPS = 1 << 12 }; /* a thread makes more operations than this */

/* What one thread makes. */
typedef struct part {
    collective c;
    bough_error error;
} part;

typedef struct building {
    const collective_algorithm *a;
    const collective *fresh;
    const collective_building *how;
    uint32_t ranks;
    uint64_t ops, waits; /* most dependencies */
    part *part;
    unsigned parts;
} building;

static bough_status begin(building *b, unsigned i, bough_error *error) {
    collective *c = &b->part[i].c;
    *c = *b->fresh;
    c->error = error ? &b->part[i].error : NULL;
    bough_status status = bough_schedule_begin(b->how->name, b->ranks, &c->builder, error);
    TRY(bough_schedule_reserve(c->builder, b->ops / b->parts, b->waits / b->parts, error));
    if (status || b->parts == 1) return status;
    c->first = (uint32_t)team_part(b->ranks, b->parts, i);
    c->end = (uint32_t)team_part(b->ranks, b->parts, i + 1);
    bough_schedule_only(c->builder, c->first, c->end);
    return BOUGH_OK;
}

static void build_part(void *context, unsigned worker, uint64_t i) {
    const building *b = context;
    collective *c = &b->part[i].c;
    (void)worker;
    for (uint32_t round = 0; round < b->how->rounds && !c->status && b->ops; round++) b->a->generate(c);
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

static bough_status build(building *b, bough_schedule **out, bough_error *error) {
    bough_status status = bough_alloc(&b->part, b->parts, sizeof *b->part, error);
    for (unsigned i = 0; i < b->parts && !status; i++) status = begin(b, i, error);
    memset(b->fresh->last, 0xff, b->ranks * sizeof *b->fresh->last);
    if (!status) team_loop(b->parts, b->parts, build_part, b);
    for (unsigned i = 0; i < b->parts && !status; i++) {
        status = b->part[i].c.status;
        if (status && error) *error = b->part[i].error;
    }
    TRY(join(b, out, error));
    for (unsigned i = 0; i < b->parts && b->part; i++) bough_schedule_abandon(b->part[i].c.builder);
    free(b->part);
    return status;
}

static unsigned parts_of(const building *b) {
    uint64_t most = b->ops / PART_OPS;
    if (!b->a->exchanges || most < 2) return 1;
    if (most > b->ranks) most = b->ranks;
    if (most > b->how->threads) most = b->how->threads;
    return most ? (unsigned)most : 1;
}

bough_status collective_build(const collective_algorithm *a, collective *fresh,
                              const collective_building *how, bough_schedule **out) {
    collective counted = *fresh;
    bough_error *error = fresh->error;
    uint32_t adders = fresh->adders ? fresh->adders->ranks : 0, ranks = fresh->n + adders;
    *out = NULL;
    memset(fresh->last, 0xff, ranks * sizeof *fresh->last);
    a->generate(&counted);
    if (counted.status) return counted.status;
    fresh->made = counted.made;
    building b = {.a = a, .fresh = fresh, .how = how, .ranks = ranks};
    b.ops = bough_mul(counted.ops, how->rounds);
    b.waits = bough_add(bough_mul(counted.waits, how->rounds), bough_mul(2 * (uint64_t)ranks, how->rounds));
    bough_status status = collective_check_size(b.ops, b.waits, how->name, error);
    if (status) return status;
    b.parts = parts_of(&b);
    status = build(&b, out, error);
    if (status) return status;
    (*out)->streams = (*out)->cpus > 1; /* the others only delay */
    (*out)->adders = adders;
    return status;
}
