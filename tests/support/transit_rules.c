#include "support/transit_rules.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t power(uint64_t base, unsigned exponent) {
    uint64_t x = 1;
    while (exponent--) x *= base;
    return x;
}

static uint64_t exact(uint64_t a, uint64_t b) {
    if (a % b) {
        fprintf(stderr, "%llu wires do not fill routers or stacks of %llu\n", (unsigned long long)a,
                (unsigned long long)b);
        abort();
    }
    return a / b;
}

uint64_t transit_rules_processors(const transit_rules *r) {
    return r->leaf * power(r->radix, r->levels * r->stages);
}

/* Wires each way of a channel at the bottom of a unit tree of a stage. */
static uint64_t channel(const transit_rules *r, unsigned stage) {
    return r->leaf == 1 && stage == 1 ? r->ports : r->capacity;
}

/* Wires of one unit tree from a level to the next within it, and out of its top: of the routers of layer 0
 * above each of `radix` subtrees, those directions that lead further than the level. */
static uint64_t wires_from_level(const transit_rules *r, unsigned stage, unsigned level) {
    uint64_t groups = power(r->radix, r->levels - 1), inputs = groups * r->radix * channel(r, stage);
    uint64_t direction = exact(inputs, r->radix); /* wires of one of the directions of all groups */
    if (level == 0) return inputs;
    return direction * (r->radix - level);
}

uint64_t transit_rules_wires_up(const transit_rules *r, unsigned stage) {
    if (stage == 0) return r->leaf == 1 ? r->ports : exact(r->leaf * r->ports, r->radix - 1);
    return transit_rules_unit_trees(r, stage) * wires_from_level(r, stage, r->levels);
}

uint64_t transit_rules_unit_trees(const transit_rules *r, unsigned stage) {
    uint64_t below = power(r->radix, r->levels); /* nodes of the stage below */
    return exact(below * transit_rules_wires_up(r, stage - 1), below * channel(r, stage));
}

/* Inputs of a layer over those of a router. The wires down out of a level are as many as those up into it. */
uint64_t transit_rules_routers(const transit_rules *r, unsigned stage, bool up, unsigned number) {
    unsigned inputs = r->radix * r->dilation;
    if (stage == 0) { /* a share of radix - 1 of radix of the first inputs comes from processors; all go on */
        uint64_t first = exact(r->leaf * r->ports * r->radix, r->radix - 1);
        return exact(number == 1 ? first : r->leaf * r->ports, inputs);
    }
    if (up) return exact(wires_from_level(r, stage, number - 1), inputs);
    uint64_t crossing = exact(wires_from_level(r, stage, 0), r->radix);
    return exact(wires_from_level(r, stage, number) + crossing, inputs);
}

static unsigned leaf_layers(const transit_rules *r) {
    unsigned layers = 0;
    if (r->leaf > 1)
        for (uint64_t size = r->leaf; size > 1; size /= layers++ ? r->radix : r->radix - 1) continue;
    return layers;
}

uint64_t transit_rules_all_routers(const transit_rules *r) {
    uint64_t sum = 0, nodes = power(r->radix, r->levels * r->stages);
    for (unsigned k = 1; k <= leaf_layers(r); k++) sum += nodes * transit_rules_routers(r, 0, false, k);
    for (unsigned s = 1; s <= r->stages; s++) {
        uint64_t stack = 0;
        for (unsigned k = 1; k <= r->levels; k++) stack += transit_rules_routers(r, s, false, k);
        for (unsigned k = 1; k <= (r->shortcuts ? 1 : r->levels); k++)
            stack += transit_rules_routers(r, s, true, k);
        nodes /= power(r->radix, r->levels);
        sum += nodes * transit_rules_unit_trees(r, s) * stack;
    }
    return sum;
}

typedef struct path {
    transit_rules_hop *hop;
    unsigned count, room;
} path;

static void add(path *p, unsigned stage, const char *layer, unsigned number, uint64_t subtree) {
    if (p->count == p->room) abort();
    transit_rules_hop *h = &p->hop[p->count++];
    *h = (transit_rules_hop){.stage = stage, .subtree = subtree};
    if (number)
        snprintf(h->layer, sizeof h->layer, "%s%u", layer, number);
    else
        snprintf(h->layer, sizeof h->layer, "%s", layer);
}

unsigned transit_rules_path(const transit_rules *r, uint64_t source, uint64_t target, transit_rules_hop *hop,
                            unsigned room) {
    path p = {hop, 0, room};
    uint64_t from = source / r->leaf, to = target / r->leaf; /* leaf clusters, or processors */
    unsigned top = 0;                                        /* level of the NCA above leaf clusters */
    while (from / power(r->radix, top) != to / power(r->radix, top)) top++;
    if (r->leaf > 1) add(&p, 0, "l", 1, from);
    for (unsigned level = 1; level <= top; level++) {
        unsigned stage = (level - 1) / r->levels + 1, number = (level - 1) % r->levels + 1;
        if (r->shortcuts && number == 1) add(&p, stage, "up", 0, from / power(r->radix, level));
        if (!r->shortcuts) add(&p, stage, "up", number, from / power(r->radix, level));
    }
    for (unsigned level = top; level >= 1; level--)
        add(&p, (level - 1) / r->levels + 1, "d", (level - 1) % r->levels + 1, to / power(r->radix, level));
    if (r->leaf > 1 && top) add(&p, 0, "l", 1, to);
    uint64_t size = r->leaf;
    for (unsigned k = 2; k <= leaf_layers(r); k++) {
        size /= k == 2 ? r->radix - 1 : r->radix;
        add(&p, 0, "l", k, target / size);
    }
    return p.count;
}
