/* Lemma 12 of bay1991: a routing run is a layout. Every bit of every message goes its way over a router
 * that is laid out in area A, one bit a wire and step; what was active at step t is drawn on the t-th of T
 * interleaved copies of the layout, stretched T times. No two wires of the result touch on one layer, it
 * takes A T^2, and what bit k of all messages went over is copy k of the graph. (The bends inside stretched
 * boxes, on further layers, are not drawn.) */
#include "network/layout/layout.h"
#include "support/fabrics.h"
#include "support/layout_names.h"
#include "support/points.h"
#include "traffic/traffic.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HOPS = 64 };

/* A bit under way. */
typedef struct bit {
    uint64_t path[HOPS];
    int hops, done;
    unsigned when[HOPS]; /* the step of each hop */
} bit;

typedef struct run {
    const bough_net *net;
    bough_batch batch;
    unsigned bits; /* of a message */
    bit *bit;      /* bit k of message m is bit[m bits + k] */
    unsigned steps;
} run;

static uint64_t cable_of(const bough_net *net, uint64_t link) {
    uint64_t twin = net->ops->link_twin(net, link);
    return twin < link ? twin : link;
}

/* The first link of every route; greedy, the smaller bit first; a cable carries one bit a step, either way.
 */
static run route(const bough_point *p, unsigned bits) {
    run r = {.net = p->net, .bits = bits};
    bough_error error;
    if (bough_batch_read(p->traffic, bough_key_make(1, 0), &r.batch, &error)) fail_msg("%s", error.reason);
    uint64_t all = r.batch.count * bits, left = all;
    r.bit = calloc(all, sizeof *r.bit);
    for (uint64_t i = 0; i < all; i++) {
        bit *b = &r.bit[i];
        uint64_t node = r.batch.source[i / bits], to = r.batch.address[i / bits];
        while (node != to) {
            bough_route way;
            p->net->ops->route(p->net, node, to, &way);
            assert_true(way.count > 0 && b->hops < HOPS);
            b->path[b->hops] = bough_route_link(&way, 0);
            node = p->net->ops->link_end(p->net, b->path[b->hops++]).node;
        }
        left -= b->hops == 0;
    }
    uint8_t *busy = calloc(p->net->links, 1);
    for (; left > 0; r.steps++) {
        memset(busy, 0, p->net->links);
        for (uint64_t i = 0; i < all; i++) {
            bit *b = &r.bit[i];
            if (b->done == b->hops || (b->done > 0 && b->when[b->done - 1] == r.steps)) continue;
            uint8_t *taken = &busy[cable_of(p->net, b->path[b->done])];
            if (*taken) continue;
            *taken = 1;
            b->when[b->done++] = r.steps;
            left -= b->done == b->hops;
        }
    }
    free(busy);
    return r;
}

static void run_free(run *r) {
    free(r->bit);
    bough_batch_fini(&r->batch);
}

/* ---- the layout ---- */

/* Metal of the stretched layout: on line `line` of a layer, from `from` to `to`. wire: a net at a step; its
 * pieces may touch each other. */
typedef struct segment {
    uint64_t layer, line, from, to, wire;
} segment;

static int by_place(const void *a, const void *b) {
    const segment *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

typedef struct plan {
    bough_layout *layout;
    drawing flat;
    connections joined;
    size_t *net_of;                /* by cable: the net of the drawing that is it */
    uint64_t pitch, width, height; /* in tracks */
} plan;

static plan lay_out(const bough_net *net) {
    plan p = {0};
    bough_error error;
    if (bough_layout_draw(net, NULL, &p.layout, &error)) fail_msg("%s", error.reason);
    const bough_layout_cell *top = &p.layout->cell[p.layout->cells - 1];
    p.pitch = p.layout->size.rules.pitch_nm;
    p.width = (uint64_t)top->width / p.pitch;
    p.height = (uint64_t)top->height / p.pitch;
    p.flat = drawing_flat(p.layout);
    p.joined = drawing_check(&p.flat, (uint32_t)p.pitch, top->width, top->height, net->spec);
    p.net_of = malloc(net->links * sizeof *p.net_of);
    for (uint64_t l = 0; l < net->links; l++) p.net_of[l] = SIZE_MAX;
    naming names = naming_make(net, &p.layout->size);
    for (size_t i = 0; i < p.flat.count; i++) {
        size_t j = p.joined.partner[i];
        if (p.flat.item[i].shape.layer != DRAWN_PORT || j == SIZE_MAX || j < i) continue;
        uint64_t a = naming_node(&names, &p.flat.item[i]), b = naming_node(&names, &p.flat.item[j]);
        for (uint64_t l = 0; l < net->links; l++)
            if (bough_link_start(net, l) == a && net->ops->link_end(net, l).node == b)
                p.net_of[cable_of(net, l)] = p.joined.net[i];
    }
    naming_free(&names);
    return p;
}

static void plan_free(plan *p) {
    free(p->net_of);
    connections_free(&p->joined);
    drawing_free(&p->flat);
    bough_layout_destroy(p->layout);
}

/* Tracks whose middle lies between two places. */
static void tracks(uint64_t pitch, int32_t low, int32_t high, uint64_t *first, uint64_t *last) {
    *first = ((uint64_t)low + pitch / 2 - 1) / pitch;
    *last = ((uint64_t)high - pitch / 2) / pitch;
}

/* All wires of a net, at step t of T. */
static size_t stretch(const plan *p, size_t net, unsigned t, unsigned steps, uint64_t wire, segment *out) {
    size_t count = 0;
    for (size_t i = 0; i < p->flat.count; i++) {
        const bough_layout_shape *s = &p->flat.item[i].shape;
        uint64_t x0, x1, y0, y1;
        if (p->joined.net[i] != net) continue;
        if (s->layer != BOUGH_LAYER_HORIZONTAL && s->layer != BOUGH_LAYER_VERTICAL) continue;
        tracks(p->pitch, s->x0, s->x1, &x0, &x1);
        tracks(p->pitch, s->y0, s->y1, &y0, &y1);
        bool across = s->layer == BOUGH_LAYER_HORIZONTAL;
        assert_true(across ? y0 == y1 : x0 == x1); /* in the middle of one track */
        out[count++] = across ? (segment){s->layer, y0 * steps + t, x0 * steps + t, x1 * steps + t, wire}
                              : (segment){s->layer, x0 * steps + t, y0 * steps + t, y1 * steps + t, wire};
    }
    return count;
}

static bool touch(segment *all, size_t count) {
    qsort(all, count, sizeof *all, by_place);
    for (size_t i = 1; i < count; i++)
        if (all[i].layer == all[i - 1].layer && all[i].line == all[i - 1].line &&
            all[i].from <= all[i - 1].to && all[i].wire != all[i - 1].wire)
            return true;
    return false;
}

/* All of a run; all_at_once: as if every bit went in one step. */
static bool stretched_wires_touch(const run *r, const plan *p, bool all_at_once) {
    size_t capacity = 0, count = 0;
    for (uint64_t i = 0; i < r->batch.count * r->bits; i++)
        capacity += (size_t)r->bit[i].hops * p->flat.count;
    segment *all = malloc((capacity + 1) * sizeof *all);
    for (uint64_t i = 0; i < r->batch.count * r->bits; i++)
        for (int h = 0; h < r->bit[i].hops; h++) {
            size_t net = p->net_of[cable_of(r->net, r->bit[i].path[h])];
            assert_true(net != SIZE_MAX);
            uint64_t wire =
                all_at_once ? i * HOPS + (unsigned)h : (uint64_t)net * r->steps + r->bit[i].when[h];
            count += stretch(p, net, all_at_once ? 0 : r->bit[i].when[h], r->steps, wire, all + count);
        }
    for (size_t i = 0; i < count; i++) {
        bool across = all[i].layer == BOUGH_LAYER_HORIZONTAL; /* in the area A T^2 */
        assert_true(all[i].to < (across ? p->width : p->height) * r->steps);
        assert_true(all[i].line < (across ? p->height : p->width) * r->steps);
    }
    bool result = touch(all, count);
    free(all);
    return result;
}

/* Bit k of every message goes from its source to its destination, in ascending steps. */
static void copies_are_copies(const run *r) {
    for (uint64_t i = 0; i < r->batch.count * r->bits; i++) {
        const bit *b = &r->bit[i];
        uint64_t at = r->batch.source[i / r->bits];
        for (int h = 0; h < b->hops; h++) {
            assert_true(bough_link_start(r->net, b->path[h]) == at);
            assert_true(h == 0 || b->when[h] > b->when[h - 1]);
            assert_true(b->when[h] < r->steps);
            at = r->net->ops->link_end(r->net, b->path[h]).node;
        }
        assert_true(at == r->batch.address[i / r->bits]);
    }
}

static void a_run_is_a_layout(void **state) {
    (void)state;
    static const char *const network[] = {"meshoftrees:n=16", "meshoftrees:n=64", "pruned:n=64",
                                          "fattree:n=16"};
    static const char *const traffic[] = {"motexp:eta=1", "motexp:eta=2", "bitrev"};
    for (unsigned n = 0; n < 4; n++) {
        bough_point whole = point_make(network[n], "free", NULL);
        plan p = lay_out(whole.net);
        for (unsigned t = 0; t < 3; t++) {
            bough_point point = point_make(network[n], "free", traffic[t]);
            run r = route(&point, 3);
            copies_are_copies(&r);
            if (stretched_wires_touch(&r, &p, false)) fail_msg("%s %s: wires touch", network[n], traffic[t]);
            assert_true(stretched_wires_touch(&r, &p, true)); /* the check can fail */
            run_free(&r);
            point_free(&point);
        }
        plan_free(&p);
        point_free(&whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_is_a_layout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
