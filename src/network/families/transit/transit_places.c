/* Placement of the routers of a transit network: chips, layers, stacks, and their names. */
#include "network/families/transit/transit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const transit *of(const bough_net *net) {
    return net->data;
}

/* ---- chips and names ---- */

/* Halves come in pairs, two per position: the first is on chip p, the second on that of its neighbour. */
static uint64_t chip_number(const transit_layer *l, uint64_t router) {
    if (!l->siblings) return router;
    uint64_t position = router / 2, first = position / l->siblings * l->siblings;
    return router % 2 == 0 ? position : first + (position - first + l->siblings - 1u) % l->siblings;
}

uint64_t transit_node_chip(const bough_net *net, uint64_t node) {
    const transit_layer *l = transit_layer_of(of(net), node);
    return l->siblings ? l->node + 2 * chip_number(l, node - l->node) : node;
}

transit_place transit_place_of(const transit *t, uint64_t node) {
    const transit_layer *l = transit_layer_of(t, node);
    if (l->kind == TRANSIT_PROCESSORS) return (transit_place){.router = node};
    uint64_t router = node - l->node, halves = l->siblings ? 2 : 1, set = transit_size(l->set) / halves;
    transit_place place = {.stage = l->stage, .layer = l->number};
    if (l->siblings) place.half = 1 + router % 2;
    uint64_t chip = chip_number(l, router), q = chip / set; /* halves: set is 1 */
    uint64_t position = q >> l->unit_shift, unit = q & ((UINT64_C(1) << l->unit_shift) - 1);
    /* positions of a stack: 16 groups, 16, 4 or 1 subtrees; of a leaf cluster its parts */
    uint64_t parts = l->stage ? UINT64_C(1) << (l->number < 2 ? 4 : 6 - 2 * l->number)
                              : l->count / halves / set / (t->processors / t->leaf);
    place.stack = (position / parts << l->unit_shift) + unit;
    place.router = position % parts * set + chip % set;
    return place;
}

void transit_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    static const char *const layer[] = {"up", "d1", "d2", "d3"}, *const half[] = {"", "a", "b"};
    const transit *t = of(net);
    if (node < net->endpoints) {
        snprintf(buffer, size, "h%" PRIu64, node);
        return;
    }
    transit_place p = transit_place_of(t, node);
    if (p.stage)
        snprintf(buffer, size, "s%u.u%" PRIu64 ".%s.r%" PRIu64 "%s", p.stage, p.stack, layer[p.layer],
                 p.router, half[p.half]);
    else if (t->flat)
        snprintf(buffer, size, "l%u.r%" PRIu64 "%s", p.layer, p.router, half[p.half]);
    else
        snprintf(buffer, size, "b%" PRIu64 ".l%u.r%" PRIu64 "%s", p.stack, p.layer, p.router, half[p.half]);
}

/* ---- flat networks ---- */

/* The layers of a flat network are planes of chips, the fullest of one chip for each stack's 64. Stacks are
 * squares of two feet, numbered row by row. Consecutive chips of a layer are in one quarter of the plane, of
 * that quarter, and so on down to a stack (Morton's order), so the routers that lead to one subset of
 * addresses are neighbours. */
enum { CHIPS_OF_STACK = 64 };

static uint64_t flat_stack(const transit *t, uint64_t chip, uint64_t chips) {
    uint64_t stacks = t->packaging.stage[0].stacks, number = chip * stacks / chips, column = 0, row = 0,
             columns = 1;
    for (uint64_t quarter = stacks / 4; quarter; quarter /= 4, columns *= 2) {
        unsigned digit = (unsigned)(number / quarter & 3);
        column = 2 * column + digit % 2;
        row = 2 * row + digit / 2;
    }
    return row * columns + column;
}

/* Endpoints are beside their last routers, four to a chip. */
static bough_place flat_place(const transit *t, uint64_t node) {
    if (node < t->processors) return (bough_place){0, 0, flat_stack(t, node / 4, t->processors / 4)};
    const transit_layer *l = transit_layer_of(t, node);
    transit_place p = transit_place_of(t, node);
    return (bough_place){0, p.layer, flat_stack(t, p.router, l->count / (l->siblings ? 2 : 1))};
}

static void pack_flat(transit *t) {
    bough_packaging *p = &t->packaging;
    bough_stack_stage *s = &p->stage[0];
    uint64_t fullest = transit_size(t->layer[1].set); /* a power of 4 */
    if (t->layer[1].siblings) fullest /= 2;
    *p = (bough_packaging){.stages = 1};
    s->stacks = fullest > CHIPS_OF_STACK ? fullest / CHIPS_OF_STACK : 1;
    s->side = 2 * sqrt((double)fullest / (double)s->stacks / CHIPS_OF_STACK);
    s->thickness = (t->layers - 1) / 24.0; /* four layers take two inches */
    snprintf(s->name, sizeof s->name, "flat");
}

bool transit_node_place(const bough_net *net, uint64_t node, bough_place *place) {
    const transit *t = of(net);
    if (t->flat) *place = flat_place(t, node);
    if (t->flat) return true;
    if (node < net->endpoints) return false;
    transit_place p = transit_place_of(t, node);
    *place = (bough_place){p.stage - (t->leaf == 1), p.layer, p.stack};
    return true;
}

/* Stacks are counted stage by stage, from the endpoints up; each has four layers. */
enum { STACK, LAYER, STACK_LAYERS = 4 };

static uint64_t stacks_below(const bough_packaging *p, unsigned stage) {
    uint64_t stacks = 0;
    for (unsigned s = 0; s < stage; s++) stacks += bough_packaging_stacks(p, s);
    return stacks;
}

uint64_t transit_node_module(const bough_net *net, unsigned module, uint64_t node) {
    const transit *t = of(net);
    if (t->flat || node < net->endpoints) return BOUGH_NONE;
    transit_place place = transit_place_of(t, node);
    uint64_t stack = stacks_below(&t->packaging, place.stage - (t->leaf == 1)) + place.stack;
    return module == STACK ? stack : STACK_LAYERS * stack + place.layer - (place.stage == 0);
}

/* Chips per layer of one stack of a stage, and its channels. */
static void look_inside(const transit *t, unsigned stage, uint64_t stacks, bough_stack_inside *inside) {
    unsigned units = 0, top = (t->leaf > 1) + 3 * stage; /* level of the subtree above it */
    for (unsigned k = 1; k < t->layers; k++) {
        const transit_layer *l = &t->layer[k];
        if (l->stage != stage) continue;
        unsigned layer = stage ? l->number : l->number - 1u;
        inside->chips[layer] = l->count / (l->siblings ? 2 : 1) / stacks;
        if (layer >= inside->layers) inside->layers = layer + 1;
        units = l->unit_shift;
    }
    inside->channels = stage ? 64 : t->leaf;
    inside->channel_capacity = stage ? t->capacity[top - 3] >> units : t->capacity[0];
    inside->root_capacity = stage < t->stages ? t->capacity[top] >> units : 0;
}

/* The size of a stack is that of its largest layer: 64 routers take two feet square (section 3.2). */
static void find_packaging(transit *t) {
    bough_packaging *p = &t->packaging;
    p->first = t->leaf == 1;
    p->stages = t->stages + 1 - p->first;
    for (unsigned i = 1; i < t->layers; i++)
        p->stage[t->layer[i].stage - p->first].stacks = UINT64_C(1) << t->layer[i].unit_shift;
    for (unsigned k = 0; k < p->stages; k++) {
        bough_stack_stage *s = &p->stage[k];
        uint64_t fullest = 0;
        look_inside(t, p->first + k, bough_packaging_stacks(p, k), &s->inside);
        for (unsigned l = 0; l < s->inside.layers; l++)
            if (s->inside.chips[l] > fullest) fullest = s->inside.chips[l];
        s->side = 2 * sqrt((double)fullest / 64);
        s->thickness = 2 / 12.0;
        if (p->first + k)
            snprintf(s->name, sizeof s->name, "UT64x%" PRIu64, s->inside.channel_capacity);
        else
            snprintf(s->name, sizeof s->name, "B%u", (unsigned)t->leaf);
    }
}

void transit_pack(transit *t) {
    if (t->flat) {
        pack_flat(t);
        return;
    }
    find_packaging(t);
    uint64_t stacks = stacks_below(&t->packaging, t->packaging.stages);
    t->module[STACK] = (bough_module){"stack", stacks};
    t->module[LAYER] = (bough_module){"layer", STACK_LAYERS * stacks};
}
