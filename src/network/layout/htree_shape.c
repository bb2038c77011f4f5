/* The steps of a network. A node of an XGFT with m = 2^a children takes a steps: the first a - 1 only combine
 * wires of equal subtrees, the last connects them to the nodes. The switches of a tree node (which serve the
 * same endpoints) form one stack of boxes; the parents of one are neighbours in the next stack. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/families/bft.h"
#include "network/families/mesh_of_trees_family.h"
#include "network/families/pruned_shape.h"
#include "network/families/sorting_shape.h"
#include "network/families/xgft_tree.h"
#include "network/faults/faults.h"
#include "network/layout/htree.h"
#include "network/sorting_hardware/sorting_circuit.h"

#include <inttypes.h>

#define SWITCH_TRACKS 4

static unsigned ceil_lg(uint64_t x) {
    unsigned lg = 0;
    while (UINT64_C(1) << lg < x) lg++;
    return lg;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- networks ---- */

static bool xgft_of(const bough_net *net, xgft_shape *shape) {
    const xgft_shape *known = xgft_shape_of(net);
    if (known) *shape = *known;
    if (known || !is_bft(net)) return known;
    *shape = (xgft_shape){.levels = net->levels}; /* greenberg1997's tree has the same shape */
    for (unsigned i = 0; i < shape->levels; i++) shape->m[i] = 4, shape->w[i] = i ? 2 : 1, shape->p[i] = 1;
    return true;
}

static const bough_net *whole(const bough_net *net) {
    return net->faults ? net->faults->base : net;
}

bough_status bough_layout_known(const bough_net *net, bough_error *error) {
    xgft_shape x;
    net = whole(net);
    if (sorting_shape_of(net) || mesh_family_lg_side(net)) return BOUGH_OK;
    if (!xgft_of(net, &x))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "H-tree layouts support fattree, bft, pruned, sorting, meshoftrees, and kary, clos "
                          "and xgft with a power of two of children and no unpopulated ports, not %s",
                          net->spec);
    for (unsigned i = 0; i < x.levels; i++)
        if (x.m[i] < 2 || (x.m[i] & (x.m[i] - 1)))
            return bough_fail(
                error, BOUGH_UNSUPPORTED, NULL,
                "H-tree layouts require 2, 4, 8, ... children; a node of level %u of %s has %" PRIu64
                " children",
                i + 1, net->spec, x.m[i]);
    return BOUGH_OK;
}

/* ---- steps ---- */

typedef struct builder {
    htree_shape *shape;
    uint64_t box; /* minimum side of a switch, in tracks */
    uint64_t bit; /* length of a bit of a register, in tracks; two registers are as high as a switch */
    const bough_layout_rules *rules;
    bough_error *error;
} builder;

/* Length of this many bits beside a switch. */
static uint64_t length_of(const builder *b, uint64_t bits) {
    return (bits + 1) / 2 * b->bit;
}

/* Section 3.2, at a node: for every vertex a buffer of one record (Lemma 3), an adder of the mesh of trees,
 * and the direction, active and delayed bits; for the whole node an adder and a shift register (Lemma 2), and
 * the same for the maximum. */
static uint64_t circuits_beside(const builder *b, uint64_t vertices) {
    const bough_layout_rules *r = b->rules;
    if (!r->record_bits) return 0;
    uint64_t vertex = b->box + length_of(b, r->record_bits + 4),
             node = 2 * (b->box + length_of(b, r->counter_bits));
    return vertex + (node + vertices - 1) / vertices;
}

/* Section 3.2, at a leaf, in square tracks: the priority queue (Lei79: a row of cells of two registers and a
 * comparator), a counter for each of the lg n peaks, two records going out and two coming in, two
 * destinations and a record of the sort, a comparator, and a divider of c rows of c adders. */
static uint64_t circuits_of_leaf(const builder *b, unsigned lg_n) {
    const bough_layout_rules *r = b->rules;
    uint64_t bits = bough_mul(r->queue, 2 * (uint64_t)r->record_bits) + (uint64_t)lg_n * r->counter_bits +
                    5 * (uint64_t)r->record_bits + 3 * lg_n;
    uint64_t logic = (uint64_t)r->counter_bits * r->counter_bits + r->queue + 2;
    return (length_of(b, bits) + logic * b->box) * b->box;
}

static uint64_t side_of(uint64_t area) {
    uint64_t side = 0;
    while (side * side < area) side++;
    return side;
}

static bough_status add_step(builder *b, htree_step step) {
    uint64_t wires = step.down + step.up;
    if (b->shape->steps == BOUGH_LAYOUT_STEPS)
        return bough_fail(b->error, BOUGH_TOO_LARGE, NULL, "the layout has more than 2^%d leaves",
                          BOUGH_LAYOUT_STEPS);
    if (step.boxes && !step.sorter) {
        step.along = larger(b->box, wires);
        step.across = bough_add(step.along, circuits_beside(b, step.boxes));
    }
    b->shape->step[b->shape->steps++] = step;
    return BOUGH_OK;
}

static bough_status xgft_steps(builder *b, const xgft_shape *x) {
    uint64_t vertices = 1;
    bough_status status = BOUGH_OK;
    b->shape->wires = bough_mul(x->w[0], x->p[0]);
    for (unsigned i = 0; i < x->levels && !status; i++) {
        uint64_t wires = x->p[i];
        for (uint64_t left = x->m[i]; left > 2 && !status; left /= 2, wires *= 2)
            status = add_step(b, (htree_step){.level = i, .group = wires});
        vertices = bough_mul(vertices, x->w[i]);
        uint64_t up = i + 1 < x->levels ? bough_mul(x->w[i + 1], x->p[i + 1]) : 0;
        if (!status && bough_mul(vertices, larger(wires, up)) > HTREE_WIRES_MAX)
            return bough_fail(b->error, BOUGH_TOO_LARGE, NULL,
                              "the layout has %" PRIu64 " x %" PRIu64
                              " wires at one node; the limit is %" PRIu64,
                              vertices, larger(wires, up), HTREE_WIRES_MAX);
        TRY(add_step(b, (htree_step){.level = i + 1, .boxes = vertices, .down = wires, .up = up}));
    }
    return status;
}

/* Row trees and column trees alternate; wires that end in one pass the other. */
static bough_status mesh_of_trees_steps(builder *b, unsigned lg_side) {
    bough_status status = BOUGH_OK;
    b->shape->wires = b->shape->kinds = 2;
    for (unsigned s = 0; s < lg_side && !status; s++)
        for (unsigned kind = 0; kind < 2 && !status; kind++)
            status = add_step(b, (htree_step){.level = s + 1,
                                              .boxes = UINT64_C(1) << (s + kind),
                                              .down = 1,
                                              .up = s + 1 < lg_side,
                                              .kind = kind});
    return status;
}

/* The sides of a sorter, along and across its s lines, each as high as a switch: Figure 4, or Theorem 2 with
 * constant 1, where the sorting circuit takes ceil(b / lg s) switches per line (Lemma 9), the permuter l / s
 * cells of b + lg l bits; or the circuit of sorting_circuit.h, which is higher than its lines. */
static bough_status sorter_box(const builder *b, const bough_sorter *sorter, htree_step *size) {
    bough_sorter_length l;
    bough_status status = bough_sorter_lay_out(sorter, &l, b->error);
    uint64_t bits = b->rules->formula ? l.formula - l.circuit : l.words + l.cells + l.omega;
    uint64_t circuit = l.circuit * b->box;
    size->across = sorter->lines * b->box;
    if (b->rules->circuit) {
        sorting_circuit_size real = sorting_circuit_measure(sorter->lines, sorter->bits, b->box, b->bit);
        circuit = real.length;
        size->across = real.height;
    }
    size->along = circuit + bits * b->bit + (b->rules->formula ? 0 : l.wires);
    return status;
}

static bough_status sorting_steps(builder *b, const sorting_shape *s) {
    bough_status status = BOUGH_OK;
    b->shape->mesh = b->shape->wires = s->side;
    for (unsigned level = 1; level <= s->height && !status; level++) {
        uint64_t down = sorting_capacity(s, level - 1), lines = 2 * down;
        uint64_t holds = (s->side * s->side << level) * b->rules->degree;
        htree_step size = {0};
        b->shape->sorter = (bough_sorter){lines, holds, b->rules->bits};
        status = sorter_box(b, &b->shape->sorter, &size);
        if (status) break;
        uint64_t up = level < s->height ? sorting_capacity(s, level) : 0;
        uint64_t along = larger(size.along, down + up);
        status = add_step(b, (htree_step){.level = level,
                                          .boxes = 1,
                                          .down = down,
                                          .up = up,
                                          .across = size.across,
                                          .along = along,
                                          .skip = (along - down - up) / 2,
                                          .sorter = true});
    }
    return status;
}

/* ---- rules ---- */

static bough_status check_rules(const bough_layout_rules *r, bough_error *error) {
    if (r->pitch_nm < 4 || r->pitch_nm % 4)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "pitch=%" PRIu32
            "nm: a wire is half a pitch wide and centred, so a pitch must be a multiple of 4 nm",
            r->pitch_nm);
    if (r->degree & (r->degree - 1))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "degree=%" PRIu32 ": the capacity of a sorter must be a power of two", r->degree);
    return BOUGH_OK;
}

/* Rounds a length up to whole tracks; 0: the default. */
static uint64_t to_tracks(uint32_t nm, uint32_t pitch, uint64_t usual) {
    return nm ? ((uint64_t)nm + pitch - 1) / pitch : usual;
}

bough_status htree_shape_of(const bough_net *net, bough_layout_rules *rules, htree_shape *shape,
                            bough_error *error) {
    net = whole(net);
    *shape = (htree_shape){.mesh = 1, .kinds = 1};
    bough_status status = bough_layout_known(net, error);
    if (!status && rules->pitch_nm == 0) rules->pitch_nm = 100;
    if (rules->degree == 0) rules->degree = 1;
    TRY(check_rules(rules, error));
    if (status) return status;
    const xgft_shape *tree = xgft_shape_of(net);
    if (rules->record_bits && !(tree && xgft_is_pruned(tree)))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "the circuits of section 3.2 of bay1991 belong to the pruned butterfly (pruned:n=...); %s is "
            "not one",
            net->spec);
    const sorting_shape *sorting = sorting_shape_of(net);
    unsigned lg_side = mesh_family_lg_side(net), lg_n = ceil_lg(net->endpoints);
    builder b = {shape, to_tracks(rules->switch_nm, rules->pitch_nm, SWITCH_TRACKS),
                 to_tracks(rules->bit_nm, rules->pitch_nm, 1), rules, error};
    rules->bit_nm = (uint32_t)(b.bit * rules->pitch_nm);
    rules->switch_nm = (uint32_t)(b.box * rules->pitch_nm);
    if (sorting && rules->bits == 0) rules->bits = 3 * lg_n + ceil_lg(sorting->height) + ceil_lg(lg_n);
    xgft_shape x;
    if (sorting)
        status = sorting_steps(&b, sorting);
    else if (lg_side)
        status = mesh_of_trees_steps(&b, lg_side);
    else if (xgft_of(net, &x))
        status = xgft_steps(&b, &x);
    if (status) return status;
    uint64_t wires = sorting ? 1 : shape->wires, usual = lg_n;
    if (rules->record_bits) usual = larger(usual, side_of(circuits_of_leaf(&b, lg_n)));
    shape->terminal = larger(to_tracks(rules->terminal_nm, rules->pitch_nm, usual), wires);
    rules->terminal_nm = (uint32_t)(shape->terminal * rules->pitch_nm);
    return BOUGH_OK;
}
