/* Computes the layers of a transit network: sizes, targets of directions, levels, order of groups. Router
 * counts are from Table 1 and section 5.1 of the paper; wires per direction: 2 per router. */
#include "network/families/transit/transit.h"

/* Routers per position: the up layer (a group of 4 subtrees), down layers 1 to 3. */
typedef struct unit_tree {
    transit_part up, down[4];
    bool halves; /* down layer 1 */
} unit_tree;

static const unit_tree ut64x8 = {{2, false}, {{0}, {2, false}, {2, true}, {5, false}}, false};
static const unit_tree ut64x2 = {{0, false}, {{0}, {1, false}, {0, true}, {3, false}}, true};

enum { DOWN_LAYERS = 3 };

typedef struct builder {
    transit *t;
    const transit_ask *ask;
    unsigned leaf_layers; /* of a leaf cluster or flat network */
} builder;

static unsigned log4(uint64_t x) {
    return (63 - (unsigned)__builtin_clzll(x)) / 2;
}

static transit_part part_of(uint64_t size) {
    unsigned twos = (unsigned)__builtin_ctzll(size);
    return (transit_part){(uint8_t)twos, size >> twos == 3};
}

/* log2 of the unit trees of one tree node: 512 wires lead up into each from 64 subtrees. */
static unsigned units_shift(const transit_ask *ask, unsigned stage) {
    if (ask->leaf == 1) return stage == 1 ? 0 : 4 * stage - 6; /* 1, 4, 64, ... */
    return 2 * (log4(ask->leaf / 12)) + 4 * (stage - 1);       /* leaf / 12, 16 times as many, ... */
}

static const unit_tree *tree_of(const transit_ask *ask, unsigned stage) {
    return ask->leaf == 1 && stage == 1 ? &ut64x2 : &ut64x8;
}

/* Number of subtrees, of 4^height leaf clusters each, of a level of the tree. */
static uint64_t positions(const transit_ask *ask, unsigned height) {
    return ask->processors / ask->leaf >> 2 * height;
}

static transit_layer *add_layer(builder *b, transit_kind kind, uint64_t served, transit_part set,
                                unsigned unit_shift) {
    transit_layer *l = &b->t->layer[b->t->layers++];
    *l = (transit_layer){.kind = kind,
                         .count = (served * transit_size(set)) << unit_shift,
                         .set = set,
                         .unit_shift = (uint8_t)unit_shift,
                         .directions = 4,
                         .dilation = 2};
    return l;
}

/* Replaces a router by two halves of two chips. */
static void split(transit_layer *l, unsigned siblings) {
    l->set = part_of(2 * transit_size(l->set));
    l->count *= 2;
    l->dilation = 1;
    l->siblings = (uint8_t)siblings;
}

/* ---- layers ---- */

static void add_processors(builder *b) {
    const transit_ask *ask = b->ask;
    /* processors that share a first router, or a leaf cluster */
    uint64_t together = ask->leaf == 1 ? 4 : ask->leaf;
    transit_layer *l = add_layer(b, TRANSIT_PROCESSORS, ask->processors / together, part_of(together), 0);
    l->directions = 1;
}

static void add_entry(builder *b) {
    const transit_ask *ask = b->ask;
    transit *t = b->t;
    bool third = t->leaf_part.third;
    transit_part set = part_of(third ? ask->leaf / 3 : ask->leaf / 4);
    transit_layer *l = add_layer(b, TRANSIT_ENTRY, ask->processors / ask->leaf, set, 0);
    l->directions = (uint8_t)((third ? 3 : 4) + (ask->stages > 0));
    l->shift = (uint8_t)(2 * t->leaf_digits - 2);
    l->top = (uint8_t)(2 * t->leaf_digits);
    l->number = 1;
}

static void add_leaf_layers(builder *b) {
    const transit_ask *ask = b->ask;
    uint64_t served = ask->processors / ask->leaf * (b->t->leaf_part.third ? 3 : 4);
    for (unsigned k = 2; k <= b->leaf_layers; k++, served *= 4) {
        transit_layer *l =
            add_layer(b, TRANSIT_DOWN, served, part_of(UINT64_C(1) << 2 * (b->leaf_layers - k)), 0);
        l->shift = (uint8_t)(2 * (b->leaf_layers - k));
        l->number = (uint8_t)k;
    }
}

static void add_up_layers(builder *b) {
    for (unsigned s = 1; s <= b->ask->stages; s++) {
        unsigned height = 3 * s - 2;
        transit_layer *l = add_layer(b, TRANSIT_UP, positions(b->ask, height), tree_of(b->ask, s)->up,
                                     units_shift(b->ask, s));
        l->shift = (uint8_t)(2 * (height + b->t->leaf_digits));
        l->stage = (uint8_t)s;
        if (s == b->ask->stages) l->directions = 3; /* there is nothing above the root */
    }
}

static void add_down_layers(builder *b) {
    for (unsigned s = b->ask->stages; s >= 1; s--)
        for (unsigned k = DOWN_LAYERS; k >= 1; k--) {
            unsigned height = 3 * (s - 1) + k;
            const unit_tree *tree = tree_of(b->ask, s);
            transit_layer *l =
                add_layer(b, TRANSIT_DOWN, positions(b->ask, height), tree->down[k], units_shift(b->ask, s));
            if (k == 1 && tree->halves) l->dilation = 1, l->siblings = 4;
            l->shift = (uint8_t)(2 * (height - 1 + b->t->leaf_digits));
            l->stage = (uint8_t)s;
            l->number = (uint8_t)k;
        }
}

/* ---- targets of directions ---- */

static unsigned find(const transit *t, transit_kind kind, unsigned stage, unsigned number) {
    unsigned i = 0;
    while (t->layer[i].kind != kind || t->layer[i].stage != stage || t->layer[i].number != number) i++;
    return i;
}

static transit_aim aim_at(const transit *t, unsigned layer, unsigned drop, unsigned times, unsigned before) {
    return (transit_aim){.layer = (uint8_t)layer,
                         .drop = (uint8_t)drop,
                         .times = (uint8_t)times,
                         .before = (uint16_t)before,
                         .set = layer ? t->layer[layer].set : (transit_part){0, false}};
}

static void make_leave(transit_aim *aim, const transit *t, unsigned groups_shift, unsigned shared_shift) {
    aim->leaves = true;
    aim->groups_shift = (uint8_t)groups_shift;
    aim->shared_shift = (uint8_t)shared_shift;
    aim->unit_shift = t->layer[aim->layer].unit_shift;
}

/* Wires from above into a set of a down layer of a unit tree. */
static unsigned from_above(const transit *t, unsigned stage, unsigned number) {
    bool wide = number == DOWN_LAYERS;
    const transit_layer *l = &t->layer[find(t, TRANSIT_DOWN, stage, wide ? number : number + 1)];
    return (unsigned)transit_size(l->set) * (wide ? 4 : 2);
}

static void aim_up(transit *t, transit_layer *l) {
    for (unsigned d = 0; d < DOWN_LAYERS; d++)
        l->aim[d] =
            aim_at(t, find(t, TRANSIT_DOWN, l->stage, d + 1), 2 * d, 1, from_above(t, l->stage, d + 1));
    if (l->directions < 4) return;
    l->aim[3] = aim_at(t, find(t, TRANSIT_UP, l->stage + 1u, 0), 6, 1, 0);
    make_leave(&l->aim[3], t, 4, 2);
}

static void aim_entry(transit *t, transit_layer *l, unsigned next) {
    bool last = next == t->layers;
    unsigned digits = l->directions - (t->stages > 0);
    for (unsigned d = 0; d < digits; d++) l->aim[d] = aim_at(t, last ? 0 : next, 0, digits, 0);
    if (!t->stages) return;
    l->aim[digits] = aim_at(t, find(t, TRANSIT_UP, 1, 0), 2, 1, 0);
    make_leave(&l->aim[digits], t, 0, 2);
}

/* Targets the next layer in order; after the last one, the processors. Layer 1 of a unit tree leads to the
 * stage below: layer 3 of its unit trees, or the first layer of leaf clusters, whose processors come
 * first. */
static void aim_down(transit *t, transit_layer *l, unsigned next) {
    bool last = next == t->layers, leaves = l->stage && l->number == 1 && !last;
    bool to_leaf = leaves && l->stage == 1;
    unsigned layer = last ? 0 : to_leaf ? find(t, TRANSIT_ENTRY, 0, 1) : next;
    for (unsigned d = 0; d < 4; d++) {
        l->aim[d] = aim_at(t, layer, 0, 4, to_leaf ? 2 * (unsigned)t->leaf : 0);
        if (leaves) make_leave(&l->aim[d], t, 0, 0);
    }
}

static void aim_layers(transit *t) {
    for (unsigned i = 0; i < t->layers; i++) {
        transit_layer *l = &t->layer[i];
        if (l->kind == TRANSIT_PROCESSORS)
            l->aim[0] = aim_at(t, 1, 0, 1, 0);
        else if (l->kind == TRANSIT_UP)
            aim_up(t, l);
        else if (l->kind == TRANSIT_ENTRY)
            aim_entry(t, l, t->layers > 2 ? find(t, TRANSIT_DOWN, 0, 2) : t->layers);
        else
            aim_down(t, l, i + 1);
    }
}

/* ---- ids, levels, order of groups ---- */

/* A leaf cluster and a flat network are one level; an up layer has the level of the adjacent down layer 1. */
static void set_levels(transit *t) {
    unsigned below = t->leaf > 1;
    for (unsigned i = 1; i < t->layers; i++) {
        transit_layer *l = &t->layer[i];
        l->level = (uint8_t)(l->stage ? below + 3 * (l->stage - 1u) + (l->number ? l->number : 1) : 1);
    }
}

/* Order along the longest path: entry, up layers, down layers, leaf cluster down. */
static void set_ranks(transit *t) {
    unsigned rank = t->stages && t->leaf > 1 ? 2 : 1;
    for (unsigned i = 1; i < t->layers; i++)
        if (t->layer[i].kind != TRANSIT_ENTRY && t->layer[i].stage) t->layer[i].rank = (uint16_t)rank++;
    for (unsigned i = 1; i < t->layers; i++)
        if (!t->layer[i].stage) t->layer[i].rank = (uint16_t)rank++;
}

static void set_ids(transit *t) {
    uint64_t node = 0, link = 0, group = 0;
    for (unsigned i = 0; i < t->layers; i++) {
        transit_layer *l = &t->layer[i];
        l->fan = part_of((uint64_t)l->directions * l->dilation);
        l->node = node;
        l->link = link;
        l->group = group;
        node += l->count;
        link += l->count * transit_size(l->fan);
        group += l->count * l->directions;
    }
}

/* Wires that leave a subtree upwards, including the crossovers above it within a unit tree. Equally many lead
 * down, except more in the unit trees of the root, whose top layer has unused inputs from above. */
static void set_capacities(transit *t) {
    unsigned level = 0;
    t->capacity[level++] = 2;
    if (t->leaf > 1) t->capacity[level++] = t->stages ? t->leaf / 3 * 2 : 0;
    for (unsigned s = 1; s <= t->stages; s++) {
        const transit_layer *up = &t->layer[find(t, TRANSIT_UP, s, 0)];
        uint64_t wires = (2 * transit_size(up->set)) << up->unit_shift; /* per direction, for 4 subtrees */
        for (unsigned k = 1; k <= DOWN_LAYERS; k++, wires *= 4)
            t->capacity[level++] = wires * (up->directions - k);
    }
}

void transit_shape(const transit_ask *ask, transit *t) {
    builder b = {.t = t, .ask = ask};
    *t = (transit){.processors = ask->processors,
                   .leaf = ask->leaf,
                   .leaf_part = part_of(ask->leaf),
                   .stages = ask->stages,
                   .flat = ask->stages == 0};
    if (ask->leaf > 1) {
        uint64_t power = t->leaf_part.third ? ask->leaf / 3 : ask->leaf; /* a power of 4 */
        b.leaf_layers = log4(power) + t->leaf_part.third;
        t->leaf_digits = (uint8_t)b.leaf_layers;
    }
    add_processors(&b);
    if (ask->leaf > 1) add_entry(&b);
    add_up_layers(&b);
    add_down_layers(&b);
    add_leaf_layers(&b);
    if (ask->leaf > 1 && ask->dual_leaf) {
        transit_layer *last = &t->layer[t->layers - 1];
        split(last, last->kind == TRANSIT_ENTRY ? 1 : b.leaf_layers == 2 && t->leaf_part.third ? 3 : 4);
    }
    set_levels(t);
    set_ranks(t);
    aim_layers(t);
    set_ids(t);
    set_capacities(t);
}
