#include "traffic/patterns/batch_team.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/patterns/batch.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_A_THREAD = 4, WORTH = 1 << 14 }; /* messages that are worth several threads */

typedef struct part {
    bough_batch batch;
    uint64_t first; /* of its messages in the whole */
    bough_status status;
    bough_error error;
} part;

typedef struct part_list {
    const bough_traffic *traffic;
    bough_key key;
    uint64_t parts;
    part *part;
    bough_batch *whole;
} part_list;

static void draw_part(void *context, unsigned worker, uint64_t i) {
    const part_list *all = context;
    const uint64_t n = all->traffic->net->endpoints, first = team_part(n, all->parts, i);
    const bough_sources from = {first, team_part(n, all->parts, i + 1) - first};
    part *p = &all->part[i];
    (void)worker;
    p->status = all->traffic->kind->part(all->traffic, all->key, from, &p->batch, &p->error);
}

static void copy_part(void *context, unsigned worker, uint64_t i) {
    const part_list *all = context;
    const part *p = &all->part[i];
    (void)worker;
    memcpy(all->whole->source + p->first, p->batch.source, p->batch.count * sizeof *p->batch.source);
    memcpy(all->whole->address + p->first, p->batch.address, p->batch.count * sizeof *p->batch.address);
}

/* The number of messages; the error is that of the first part that failed. */
static bough_status count_parts(part_list *all, uint64_t *count, bough_error *error) {
    *count = 0;
    for (uint64_t i = 0; i < all->parts; i++) {
        part *p = &all->part[i];
        if (p->status && error) *error = p->error;
        if (p->status) return p->status;
        p->first = *count;
        *count += p->batch.count;
    }
    return BOUGH_OK;
}

static bool divides(const bough_traffic *traffic, const thread_team *team) {
    return team && traffic->kind->part && traffic->messages == traffic->net->endpoints &&
           traffic->messages >= WORTH;
}

bough_status batch_read_team(const bough_traffic *traffic, bough_key key, thread_team *team,
                             bough_batch *batch, bough_error *error) {
    if (!divides(traffic, team)) return bough_batch_read(traffic, key, batch, error);
    part_list all = {.traffic = traffic, .key = key, .whole = batch};
    uint64_t count;
    *batch = (bough_batch){0};
    all.parts = (uint64_t)team_size(team) * PARTS_A_THREAD;
    bough_status status = bough_alloc(&all.part, all.parts, sizeof *all.part, error);
    if (status) return status;
    team_each(team, all.parts, draw_part, &all);
    status = count_parts(&all, &count, error);
    TRY(batch_alloc(count, batch, error));
    if (!status) team_each(team, all.parts, copy_part, &all);
    for (uint64_t i = 0; i < all.parts; i++) bough_batch_fini(&all.part[i].batch);
    free(all.part);
    return status;
}
