/* The class that turns above two subtrees, of which each of two ranks has one. Its messages turn at level h,
 * the highest one, where a position of one subtree is the partner of the same position of the other. So a
 * rank sends the planes of the class to the other, and both go on as if the class had turned here. No class
 * comes after it, so what returns is a plane of the messages that have arrived. */
#include "engines/circuit/labels/planes/labels_bitplanes.h"
#include "engines/circuit/labels/planes/labels_planes.h"

#include <string.h>

/* Of a high tile in out and in: the messages of the class, then bits 0 .. h-1 of their targets. */
static uint64_t tile_size(const labels_planes *p) {
    return (p->places->h + 1) * p->places->high_words;
}

static void leave_group(void *context, unsigned worker, uint64_t group) {
    const planes_pass *c = context;
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    const uint64_t words = s->high_words;
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->high_tiles); tile++) {
        tile_planes joint = {p->joint.word + tile * p->joint.stride, tile, true};
        uint64_t *to = p->out + tile * tile_size(p);
        planes_climb(p, &joint, p->bits + 1, p->at, s->h);
        planes_find_class(p, &joint, c->L, to);
        memcpy(to + words, joint.plane + words, s->h * words * sizeof *to);
        if (c->r->count_claims) /* up, and the first link down */
            p->worker[worker].claims += plane_count(to, words) * (c->L + 1);
    }
}

static void arrive_group(void *context, unsigned worker, uint64_t group) {
    planes_pass c = *(const planes_pass *)context;
    const labels_places *s = c.p->places;
    c.k = &c.p->worker[worker];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->high_tiles); tile++) {
        tile_planes t = planes_staged(c.p, c.k, tile, true);
        memcpy(t.plane, c.p->in + tile * tile_size(c.p), tile_size(c.p) * sizeof *t.plane);
        planes_descend_high(&c, &t, s->h);
    }
}

/* out: [tile] the messages that have arrived. */
static void back_group(void *context, unsigned worker, uint64_t group) {
    const planes_pass *c = context;
    labels_planes *p = c->p;
    const labels_places *s = p->places;
    (void)worker;
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->high_tiles); tile++) {
        uint64_t *trail = p->rise.word + tile * p->rise.stride;
        planes_lift(c, trail, s->cut, s->h, tile);
        memcpy(p->out + tile * s->high_words, trail, s->high_words * sizeof *trail);
    }
}

static bough_status swap(const labels_planes *p, const rank_group *g, uint64_t words, bough_error *error) {
    rank_block out[2] = {{0}}, in[2] = {{0}};
    out[1 - g->rank] = (rank_block){p->out, words * sizeof *p->out};
    in[1 - g->rank] = (rank_block){p->in, words * sizeof *p->in};
    return group_swap(g, BOUGH_OK, out, in, error);
}

bough_status labels_planes_run_crossing(labels_planes *p, labels_round *r, const rank_group *g,
                                        uint64_t *arrived, bough_error *error) {
    const labels_places *s = p->places;
    planes_pass c = planes_begin(p, r, s->h);
    planes_climb_to_cut(&c);
    each_group(p, s->high_tiles, leave_group, &c);
    bough_status status = swap(p, g, s->high_tiles * tile_size(p), error);
    if (status) return status;
    each_group(p, s->high_tiles, arrive_group, &c);
    planes_low_levels(&c);
    each_group(p, s->high_tiles, back_group, &c);
    *arrived = planes_finish(&c);
    status = swap(p, g, s->words, error);
    if (!status) memcpy(p->arrived + (s->h - p->lowest) * s->words, p->in, s->words * sizeof *p->in);
    return status;
}
