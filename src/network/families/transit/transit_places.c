/* Placement of the routers of a transit network: chips, layers, stacks, and their names. */
#include "network/families/transit/transit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const transit *of(const bough_net *net) {
    return net->data;
}

/* ---- chips and names ---- */

/* The parts of a position are on the chips of neighbouring positions: part i of its chip on that of the i-th
 * neighbour before it. */
static uint64_t chip_number(const transit_layer *l, uint64_t router) {
    if (!l->siblings) return router;
    uint64_t position = transit_quotient(router, l->served), first = position / l->siblings * l->siblings;
    uint64_t r = router - position * transit_size(l->served), part = r % l->parts;
    uint64_t chip = first + (position - first + (uint64_t)l->siblings * l->parts - part) % l->siblings;
    return (chip * transit_size(l->served) + r) / l->parts;
}

uint64_t transit_node_chip(const bough_net *net, uint64_t node) {
    const transit_layer *l = transit_layer_of(of(net), node);
    return l->siblings ? l->node + l->parts * chip_number(l, node - l->node) : node;
}

transit_place transit_place_of(const transit *t, uint64_t node) {
    const transit_layer *l = transit_layer_of(t, node);
    if (l->kind == TRANSIT_PROCESSORS) return (transit_place){.router = node};
    uint64_t router = node - l->node, set = transit_size(l->set) / l->parts;
    transit_place place = {.stage = l->stage, .layer = l->place};
    if (l->siblings) place.part = 1 + (unsigned)(router % l->parts);
    uint64_t chip = chip_number(l, router), q = chip / set;
    uint64_t position = transit_quotient(q, l->units), unit = transit_rest(q, l->units);
    place.stack = transit_quotient(position, l->stack) * transit_size(l->units) + unit;
    place.router = transit_rest(position, l->stack) * set + chip % set;
    return place;
}

/* "up", "up2", "d3", "l2" */
static void layer_name(const transit_layer *l, char *buffer, size_t size) {
    if (l->kind == TRANSIT_UP && l->number == 0)
        snprintf(buffer, size, "up");
    else
        snprintf(buffer, size, "%s%u", l->kind == TRANSIT_UP ? "up" : l->stage ? "d" : "l", l->number);
}

void transit_node_name(const bough_net *net, uint64_t node, char *buffer, size_t size) {
    const transit *t = of(net);
    if (node < net->endpoints) {
        snprintf(buffer, size, "h%" PRIu64, node);
        return;
    }
    transit_place p = transit_place_of(t, node);
    char layer[16], part[2] = {p.part ? (char)('a' + p.part - 1) : 0, 0};
    layer_name(transit_layer_of(t, node), layer, sizeof layer);
    if (p.stage)
        snprintf(buffer, size, "s%u.u%" PRIu64 ".%s.r%" PRIu64 "%s", p.stage, p.stack, layer, p.router, part);
    else if (t->flat)
        snprintf(buffer, size, "%s.r%" PRIu64 "%s", layer, p.router, part);
    else
        snprintf(buffer, size, "b%" PRIu64 ".%s.r%" PRIu64 "%s", p.stack, layer, p.router, part);
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

/* Endpoints are beside their last routers, as many to a chip as it has directions. */
static bough_place flat_place(const transit *t, uint64_t node) {
    uint64_t chips = t->ask.processors / t->ask.radix;
    if (node < t->ask.processors)
        return (bough_place){0, 0, flat_stack(t, transit_quotient(node, t->radix), chips), false};
    const transit_layer *l = transit_layer_of(t, node);
    transit_place p = transit_place_of(t, node);
    return (bough_place){0, p.layer, flat_stack(t, p.router, l->count / l->parts), false};
}

static void pack_flat(transit *t) {
    bough_packaging *p = &t->packaging;
    bough_stack_stage *s = &p->stage[0];
    uint64_t fullest = transit_size(t->layer[1].set) / t->layer[1].parts;
    *p = (bough_packaging){.stages = 1};
    for (s->stacks = 1; s->stacks * CHIPS_OF_STACK < fullest;) s->stacks *= 4;
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
    bool up = transit_layer_of(t, node)->kind == TRANSIT_UP;
    *place = (bough_place){p.stage - (t->ask.leaf == 1), p.layer, p.stack, up};
    return true;
}

/* Stacks are counted stage by stage, from the endpoints up; each has as many layers as the highest. */
enum { STACK, LAYER };

static uint64_t stacks_below(const bough_packaging *p, unsigned stage) {
    uint64_t stacks = 0;
    for (unsigned s = 0; s < stage; s++) stacks += bough_packaging_stacks(p, s);
    return stacks;
}

uint64_t transit_node_module(const bough_net *net, unsigned module, uint64_t node) {
    const transit *t = of(net);
    if (t->flat || node < net->endpoints) return BOUGH_NONE;
    transit_place place = transit_place_of(t, node);
    uint64_t stack = stacks_below(&t->packaging, place.stage - (t->ask.leaf == 1)) + place.stack;
    return module == STACK ? stack : t->stack_layers * stack + place.layer - (place.stage == 0);
}

/* Chips per layer of one stack of a stage, and its channels. */
static void look_inside(const transit *t, unsigned stage, uint64_t stacks, bough_stack_inside *inside) {
    unsigned top = (t->ask.leaf > 1) + t->ask.levels * stage; /* level of the subtree above it */
    uint64_t units = 1;
    for (unsigned k = 1; k < t->layers; k++) {
        const transit_layer *l = &t->layer[k];
        if (l->stage != stage) continue;
        unsigned layer = stage ? l->place : l->place - 1u;
        units = transit_size(l->units);
        if (layer >= BOUGH_STACK_LAYERS_MAX) continue;
        inside->chips[layer] = l->count / l->parts / stacks;
        if (layer >= inside->layers) inside->layers = layer + 1;
        if (l->kind == TRANSIT_UP && layer >= inside->up) inside->up = layer + 1;
    }
    inside->channels = stage ? transit_power(t->ask.radix, t->ask.levels) : t->ask.leaf;
    inside->channel_capacity = stage ? t->capacity[top - t->ask.levels] / units : t->capacity[0];
    inside->root_capacity = stage < t->ask.stages ? t->capacity[top] / units : 0;
}

/* The size of a stack is that of its largest layer: 64 routers take two feet square, and four layers are two
 * inches thick (section 3.2). */
static void find_packaging(transit *t) {
    bough_packaging *p = &t->packaging;
    p->first = t->ask.leaf == 1;
    p->stages = t->ask.stages + 1 - p->first;
    p->nodes = transit_power(t->ask.radix, t->ask.levels);
    for (unsigned i = 1; i < t->layers; i++)
        p->stage[t->layer[i].stage - p->first].stacks = transit_size(t->layer[i].units);
    for (unsigned k = 0; k < p->stages; k++) {
        bough_stack_stage *s = &p->stage[k];
        uint64_t fullest = 0;
        look_inside(t, p->first + k, bough_packaging_stacks(p, k), &s->inside);
        for (unsigned l = 0; l < s->inside.layers; l++)
            if (s->inside.chips[l] > fullest) fullest = s->inside.chips[l];
        if (s->inside.layers > t->stack_layers) t->stack_layers = s->inside.layers;
        s->side = 2 * sqrt((double)fullest / 64);
        s->thickness = 2 / 12.0 * (s->inside.layers > 4 ? s->inside.layers / 4.0 : 1);
        if (p->first + k)
            snprintf(s->name, sizeof s->name, "UT%" PRIu64 "x%" PRIu64, s->inside.channels,
                     s->inside.channel_capacity);
        else
            snprintf(s->name, sizeof s->name, "B%u", (unsigned)t->ask.leaf);
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
    t->module[LAYER] = (bough_module){"layer", t->stack_layers * stacks};
}
