/* Classes that turn above the subtree of a rank.
 *
 * The levels from h on decompose into columns (labels_border.h), of which each rank has an equal part. Planes
 * of the subtrees at level h are exchanged for planes of the columns of this rank at that level, and back:
 *
 *     once      subtrees -> columns: all messages, with their targets
 *     a class   columns -> subtrees: the messages that descend there, with their targets
 *               subtrees -> columns: the record of their way (labels_dense.c)
 *     once      columns -> subtrees: the messages that have arrived
 *
 * The columns of a high tile of the subtree form a tile (labels_column_first), so the levels from h on are
 * levels like others. A rank sends another one its words of all planes of all tiles, tile by tile. */
#include "engines/circuit/labels/planes/labels_bitplanes.h"
#include "engines/circuit/labels/planes/labels_planes.h"

#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- exchanges ---- */

static unsigned ranks_of(const labels_planes *p) {
    return 1u << (p->places->top - p->places->h);
}

static unsigned rank_of(const labels_planes *p) {
    return p->places->base >> p->places->h;
}

/* Words of a plane and tile for each rank. */
static uint64_t part_of(const labels_planes *p) {
    return p->places->high_words / ranks_of(p);
}

/* Where the words for a rank, or from it, are in out and in, of so many planes of each tile. */
static uint64_t place_of(const labels_planes *p, unsigned rank, uint64_t tile, uint64_t planes) {
    return (rank * p->places->high_tiles + tile) * planes * part_of(p);
}

/* Writes the planes of a tile to out, or what this rank has itself to `in`. */
static void scatter(const labels_planes *p, const tile_planes *t, uint64_t planes, uint64_t *in) {
    const uint64_t words = p->places->high_words, part = part_of(p);
    for (unsigned r = 0; r < ranks_of(p); r++) {
        uint64_t *to = (r == rank_of(p) ? in : p->out) + place_of(p, r, t->tile, planes);
        for (uint64_t j = 0; j < planes; j++)
            memcpy(to + j * part, t->plane + j * words + r * part, part * sizeof *to);
    }
}

/* The planes of a tile, after they have been exchanged. */
static void gather(const labels_planes *p, const tile_planes *t, uint64_t planes, const uint64_t *in) {
    const uint64_t words = p->places->high_words, part = part_of(p);
    for (unsigned r = 0; r < ranks_of(p); r++) {
        const uint64_t *from = in + place_of(p, r, t->tile, planes);
        for (uint64_t j = 0; j < planes; j++)
            memcpy(t->plane + j * words + r * part, from + j * part, part * sizeof *from);
    }
}

static bough_status exchange(const labels_planes *p, const rank_group *g, uint64_t planes, uint64_t *in,
                             bough_error *error) {
    const uint64_t size = place_of(p, 1, 0, planes);
    rank_block *block = NULL;
    bough_status status = bough_alloc(&block, 2 * (uint64_t)g->ranks, sizeof *block, error);
    for (unsigned r = 0; r < g->ranks && !status; r++) {
        block[r] = (rank_block){p->out + r * size, size * sizeof *in};
        block[g->ranks + r] = (rank_block){in + r * size, size * sizeof *in};
    }
    status = group_swap(g, status, block, block + g->ranks, error);
    free(block);
    return status;
}

/* ---- tiles ---- */

/* One step of a class, on the tiles of a group. */
typedef void tile_step(const planes_pass *pass, uint64_t tile);

typedef struct class_step {
    const planes_pass *pass;
    tile_step *step;
} class_step;

static void step_group(void *context, unsigned worker, uint64_t group) {
    const class_step *s = context;
    planes_pass c = *s->pass;
    c.k = &c.p->worker[worker];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, c.p->places->high_tiles); tile++)
        s->step(&c, tile);
}

static void each_tile(const planes_pass *c, tile_step *step) {
    class_step s = {c, step};
    each_group(c->p, c->p->places->high_tiles, step_group, &s);
}

/* From the subtree to the columns: all messages, with their targets as they are in the whole network. */
static void leave(const planes_pass *c, uint64_t tile) {
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    const tile_planes t = {p->joint.word + tile * p->joint.stride, tile, TILE_HIGH};
    planes_climb(p, &t, p->bits + 1, p->at, s->h);
    for (unsigned j = s->h; j < s->top; j++)
        for (uint64_t i = 0; i < s->high_words && (s->base >> j & 1); i++)
            t.plane[(j + 1) * s->high_words + i] ^= UINT64_MAX;
    scatter(p, &t, p->bits + 1, p->up);
}

/* The class in the columns: up from level h, and down to it. */
static void pass_columns(const planes_pass *c, uint64_t tile) {
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    const tile_planes all = {c->k->scratch[0], tile, TILE_COLUMN}, t = {c->k->scratch[1], tile, TILE_COLUMN};
    gather(p, &all, p->bits + 1, p->up);
    planes_climb(p, &all, p->bits + 1, s->h, c->L);
    planes_turn(c, &all, t.plane);
    if (c->r->count_claims) /* up, and the first link down */
        c->k->claims += plane_count(t.plane, s->high_words) * (c->L + 1);
    planes_descend(c, &t, c->L, s->h);
    scatter(p, &t, s->h + 1, p->in);
}

static void arrive(const planes_pass *c, uint64_t tile) {
    const tile_planes t = planes_staged(c->p, c->k, tile, TILE_HIGH);
    gather(c->p, &t, c->p->places->h + 1, c->p->in);
    planes_descend_high(c, &t, c->p->places->h);
}

/* The record crosses the border without its second plane, G_0 of the level below. */
static void leave_back(const planes_pass *c, uint64_t tile) {
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    uint64_t *trail = p->rise.word + tile * p->rise.stride;
    planes_lift(c, trail, s->cut, s->h, tile);
    memcpy(trail + s->high_words, trail, s->high_words * sizeof *trail);
    scatter(p, &(tile_planes){trail + s->high_words, tile, TILE_HIGH}, c->trail + 1, p->in);
}

static void back_in_columns(const planes_pass *c, uint64_t tile) {
    const labels_places *s = c->p->places;
    uint64_t *trail = c->k->scratch[0];
    gather(c->p, &(tile_planes){trail + s->high_words, tile, TILE_COLUMN}, c->trail + 1, c->p->in);
    memcpy(trail, trail + s->high_words, s->high_words * sizeof *trail);
    planes_lift(c, trail, s->h, c->L, tile);
    planes_leave_at_apex(c, tile, trail);
}

/* ---- a class ---- */

bough_status labels_planes_cross(labels_planes *p, labels_round *r, planes_crossing *class,
                                 bough_error *error) {
    const labels_places *s = p->places;
    const planes_pass c = planes_begin(p, r, class->L);
    bough_status status = BOUGH_OK;
    if (p->at < s->h) {
        planes_climb_to_cut(&c);
        each_tile(&c, leave);
        p->at = s->h;
        status = exchange(p, class->group, p->bits + 1, p->up, error);
    }
    if (status) return status;
    each_tile(&c, pass_columns);
    status = exchange(p, class->group, s->h + 1, p->in, error);
    if (status) return status;
    each_tile(&c, arrive);
    planes_low_levels(&c);
    each_tile(&c, leave_back);
    status = exchange(p, class->group, c.trail + 1, p->in, error);
    if (status) return status;
    each_tile(&c, back_in_columns);
    class->arrived = planes_finish(&c);
    return BOUGH_OK;
}

/* ---- the messages that have arrived ---- */

static void return_columns(const planes_pass *c, uint64_t tile) {
    const tile_planes t = {c->k->scratch[0], tile, TILE_COLUMN};
    memset(t.plane, 0, c->p->places->high_words * sizeof *t.plane);
    planes_gather(c->p, &t, false);
    scatter(c->p, &t, 1, c->p->in);
}

static void return_above(const planes_pass *c, uint64_t tile) {
    const tile_planes t = {c->p->above + tile * c->p->places->high_words, tile, TILE_HIGH};
    gather(c->p, &t, 1, c->p->in);
}

bough_status labels_planes_return(labels_planes *p, const rank_group *g, bough_error *error) {
    const planes_pass c = {.p = p};
    if (!(p->ran >> p->places->h)) return BOUGH_OK;
    each_tile(&c, return_columns);
    bough_status status = exchange(p, g, 1, p->in, error);
    if (!status) each_tile(&c, return_above);
    return status;
}
