/* Computes the layers of a transit network: sizes, targets of directions, levels, order of groups.
 *
 * Sizes follow from the rules of the paper for radix r, dilation d and unit trees of L levels, in which `up`
 * routers serve a group of r subtrees. The up layer has r^(L-1) groups, and all its inputs are used; of the r
 * directions of its routers, L cross over, the others (one, if L = r - 1) lead up. A set of down layer L has
 * the wires from above and the crossovers of all groups as inputs, a set of a layer k below it those of layer
 * k + 1 and the crossovers of r^(k-1) groups. So layer k has up (r - k + 1) r^(k-2) routers per position,
 * layer 1 `up`: as many wires lead down to each subtree as up from it. For r = 4, L = 3 these are Table 1 (up
 * = 4 and 1) and Table 2. Without short cuts the up layers mirror the down layers, with the same crossovers
 * and the same wires up to the next stage.
 *
 * A leaf cluster of (r - 1) r^m processors of p ports has r^m p / d routers in its first layer (section 5.1).
 */
#include "network/families/transit/transit.h"

#include "base/memory/memory.h"

#include <inttypes.h>

#define LINKS_MAX (UINT64_C(1) << 35)
#define ODD_MAX   (UINT64_C(1) << 28) /* x odd < 2^64 for every id x */

typedef struct builder {
    transit *t;
    const transit_ask *ask;
    bool too_large;
} builder;

uint64_t transit_power(uint64_t base, unsigned exponent) {
    uint64_t power = 1;
    while (exponent--) power = bough_mul(power, base);
    return power;
}

static transit_part part_of(builder *b, uint64_t size) {
    unsigned shift = size ? (unsigned)__builtin_ctzll(size) : 0;
    uint64_t odd = size >> shift;
    if (odd >= ODD_MAX || shift > 40) b->too_large = true, odd = 1, shift = 0;
    return (transit_part){UINT64_MAX / (odd ? odd : 1) + 1, (uint32_t)odd, (uint8_t)shift};
}

static transit_part power_part(builder *b, unsigned exponent) {
    return part_of(b, transit_power(b->ask->radix, exponent));
}

/* ---- sizes ---- */

/* Routers per group of a unit tree of a stage. */
static uint64_t up_routers(const transit_ask *ask, unsigned stage) {
    return (ask->leaf == 1 && stage == 1 ? ask->ports : ask->capacity) / ask->dilation;
}

uint64_t transit_layer_routers(const transit_ask *ask, uint64_t up, unsigned k) {
    if (k == 1) return up;
    return bough_mul(bough_mul(up, ask->radix - k + 1), transit_power(ask->radix, k - 2));
}

/* Wires up from a tree node of a stage; stage 0: a leaf cluster. */
static uint64_t wires_up(const transit_ask *ask, unsigned stage) {
    if (stage == 0) return bough_mul(ask->ports, ask->leaf / ask->lead);
    uint64_t each = bough_mul(up_routers(ask, stage) * (ask->radix - ask->levels) * ask->dilation,
                              transit_power(ask->radix, ask->levels - 1));
    return bough_mul(each, transit_unit_trees(ask, stage));
}

uint64_t transit_unit_trees(const transit_ask *ask, unsigned stage) {
    if (ask->leaf == 1 && stage == 1) return 1;
    uint64_t wires = wires_up(ask, stage - 1);
    return wires % ask->capacity ? 0 : wires / ask->capacity;
}

/* Number of subtrees, of radix^height leaf clusters each, of a level of the tree. */
static uint64_t positions(const transit_ask *ask, unsigned height) {
    return ask->processors / ask->leaf / transit_power(ask->radix, height);
}

static transit_layer *add_layer(builder *b, transit_kind kind, uint64_t served, uint64_t set) {
    transit_layer *l = &b->t->layer[b->t->layers++];
    transit_part one = part_of(b, 1);
    *l = (transit_layer){.kind = kind,
                         .count = bough_mul(served, set),
                         .set = part_of(b, set),
                         .units = one,
                         .digit = one,
                         .top = one,
                         .stack = one,
                         .directions = (uint8_t)b->ask->radix,
                         .dilation = (uint8_t)b->ask->dilation,
                         .parts = 1};
    l->fan = part_of(b, (uint64_t)b->ask->radix * b->ask->dilation);
    return l;
}

/* A layer of the unit trees of a stage; its positions have radix^height subtrees of the stage below. */
static transit_layer *add_stage_layer(builder *b, transit_kind kind, unsigned stage, unsigned height,
                                      uint64_t set) {
    const transit_ask *ask = b->ask;
    uint64_t units = transit_unit_trees(ask, stage);
    transit_layer *l = add_layer(b, kind, positions(ask, ask->levels * (stage - 1) + height), set);
    l->count = bough_mul(l->count, units);
    l->units = part_of(b, units);
    l->stage = (uint8_t)stage;
    l->stack = power_part(b, ask->levels - height);
    return l;
}

/* Replaces a router by the parts of chips in dual mode. */
static void split(builder *b, transit_layer *l, uint64_t siblings) {
    unsigned parts = b->ask->dilation;
    if (parts == 1) return;
    l->set = part_of(b, parts * transit_size(l->set));
    l->count *= parts;
    l->fan = part_of(b, l->directions);
    l->dilation = 1;
    l->parts = (uint8_t)parts;
    l->siblings = (uint32_t)siblings;
}

/* ---- layers ---- */

static void add_processors(builder *b) {
    const transit_ask *ask = b->ask;
    /* processors that share a first set of routers, or a leaf cluster */
    uint64_t together = ask->leaf == 1 ? ask->radix : ask->leaf;
    transit_layer *l = add_layer(b, TRANSIT_PROCESSORS, ask->processors / together, together);
    l->directions = 1;
    l->dilation = (uint8_t)ask->ports;
    l->fan = part_of(b, ask->ports);
}

static void add_entry(builder *b) {
    const transit_ask *ask = b->ask;
    uint64_t set = ask->leaf / ask->lead * ask->ports / ask->dilation;
    transit_layer *l = add_layer(b, TRANSIT_ENTRY, ask->processors / ask->leaf, set);
    l->directions = (uint8_t)(ask->lead + (ask->stages > 0));
    l->fan = part_of(b, (uint64_t)l->directions * l->dilation);
    l->digit = power_part(b, b->t->leaf_digits - 1);
    l->top = b->t->leaf_codes;
    l->number = l->place = 1;
}

static void add_leaf_layers(builder *b) {
    const transit_ask *ask = b->ask;
    uint64_t parts = ask->lead, clusters = ask->processors / ask->leaf;
    for (unsigned k = 2; k <= b->t->leaf_digits; k++, parts *= ask->radix) {
        uint64_t set = ask->leaf / parts / ask->radix * ask->ports / ask->dilation;
        transit_layer *l = add_layer(b, TRANSIT_DOWN, clusters * parts, set);
        l->digit = power_part(b, b->t->leaf_digits - k);
        l->stack = part_of(b, parts);
        l->number = l->place = (uint8_t)k;
    }
}

/* Without short cuts: r^(k-1) up dilations of a set cross over, spread over its routers; at the top of the
 * root, where nothing leads up, all wires do. */
static void set_crossovers(builder *b, transit_layer *l, unsigned k) {
    const transit_ask *ask = b->ask;
    uint64_t set = transit_size(l->set);
    uint64_t cross = bough_mul(up_routers(ask, l->stage), transit_power(ask->radix, k - 1));
    bool top = l->stage == ask->stages && k == ask->levels;
    l->directions = top ? 1 : 2;
    l->uneven = true;
    if (top) return;
    l->cross = (uint8_t)(cross / set);
    l->cross_more = (uint32_t)(cross % set);
}

static void add_up_layers(builder *b, unsigned stage) {
    const transit_ask *ask = b->ask;
    uint64_t up = up_routers(ask, stage);
    for (unsigned k = 1; k <= (ask->shortcuts ? 1 : ask->levels); k++) {
        transit_layer *l = add_stage_layer(b, TRANSIT_UP, stage, k, transit_layer_routers(ask, up, k));
        l->digit = power_part(b, ask->levels * (stage - 1) + k + b->t->leaf_digits);
        if (!ask->shortcuts) {
            l->number = (uint8_t)k;
            l->place = (uint8_t)(k - 1);
            set_crossovers(b, l, k);
            continue;
        }
        bool root = stage == ask->stages; /* there is nothing above */
        l->directions = (uint8_t)(ask->levels + !root);
        l->uneven = !root && ask->radix > ask->levels + 1;
        if (root) l->fan = part_of(b, (uint64_t)ask->levels * ask->dilation);
    }
}

static void add_down_layers(builder *b, unsigned stage) {
    const transit_ask *ask = b->ask;
    uint64_t up = up_routers(ask, stage);
    for (unsigned k = ask->levels; k >= 1; k--) {
        transit_layer *l = add_stage_layer(b, TRANSIT_DOWN, stage, k, transit_layer_routers(ask, up, k));
        l->digit = power_part(b, ask->levels * (stage - 1) + k - 1 + b->t->leaf_digits);
        l->number = (uint8_t)k;
        l->place = (uint8_t)(ask->shortcuts ? k : ask->levels - 1 + k);
        if (k == 1 && stage == 1 && ask->leaf == 1) split(b, l, ask->radix);
    }
}

static void add_layers(builder *b) {
    const transit_ask *ask = b->ask;
    add_processors(b);
    if (ask->leaf > 1) add_entry(b);
    for (unsigned s = 1; s <= ask->stages; s++) add_up_layers(b, s);
    for (unsigned s = ask->stages; s >= 1; s--) add_down_layers(b, s);
    if (ask->leaf > 1) add_leaf_layers(b);
    if (ask->leaf == 1 || !ask->dual_leaf) return;
    transit_layer *last = &b->t->layer[b->t->layers - 1];
    split(b, last, last->kind == TRANSIT_ENTRY ? 1 : b->t->leaf_digits == 2 ? ask->lead : ask->radix);
}

/* ---- targets of directions ---- */

static unsigned find(const transit *t, transit_kind kind, unsigned stage, unsigned number) {
    unsigned i = 0;
    while (t->layer[i].kind != kind || t->layer[i].stage != stage || t->layer[i].number != number) i++;
    return i;
}

/* The lowest up layer of a stage. */
static unsigned find_up(const transit *t, unsigned stage) {
    return find(t, TRANSIT_UP, stage, t->ask.shortcuts ? 0 : 1);
}

static transit_aim aim_at(builder *b, unsigned layer, unsigned drop, unsigned times, uint64_t before) {
    transit_part one = part_of(b, 1);
    return (transit_aim){.layer = (uint8_t)layer,
                         .drop = power_part(b, drop),
                         .times = (uint8_t)times,
                         .before = before,
                         .set = layer ? b->t->layer[layer].set : one,
                         .groups = one,
                         .units = one,
                         .shared = one};
}

static void make_leave(builder *b, transit_aim *aim, unsigned groups, unsigned shared) {
    aim->leaves = true;
    aim->groups = power_part(b, groups);
    aim->shared = power_part(b, shared);
    aim->units = b->t->layer[aim->layer].units;
}

/* Wires from above into a set of a down layer of a unit tree; none lead to the root, whose inputs for them
 * are kept free as long as all crossovers fit beside them. */
static uint64_t from_above(const builder *b, const transit_layer *up, unsigned number) {
    const transit_ask *ask = b->ask;
    if (number == ask->levels)
        return !ask->shortcuts && up->stage == ask->stages
                   ? 0
                   : up_routers(ask, up->stage) * (ask->radix - ask->levels) * ask->dilation *
                         transit_power(ask->radix, number - 1);
    return transit_size(b->t->layer[find(b->t, TRANSIT_DOWN, up->stage, number + 1)].set) * ask->dilation;
}

static void aim_up(builder *b, transit_layer *l) {
    const transit *t = b->t;
    const transit_ask *ask = b->ask;
    bool cuts = ask->shortcuts;
    for (unsigned d = 0; d < (cuts ? ask->levels : 1); d++) {
        unsigned to = cuts ? d + 1 : l->number;
        l->aim[d] = aim_at(b, find(t, TRANSIT_DOWN, l->stage, to), d, 1, from_above(b, l, to));
    }
    unsigned last = l->directions - 1u;
    if (last < (cuts ? ask->levels : 1)) return; /* the root */
    if (!cuts && l->number < ask->levels) {
        l->aim[last] = aim_at(b, find(t, TRANSIT_UP, l->stage, l->number + 1u), 1, 1, 0);
        return;
    }
    l->aim[last] = aim_at(b, find_up(t, l->stage + 1u), cuts ? ask->levels : 1, 1, 0);
    make_leave(b, &l->aim[last], cuts ? ask->levels - 1 : 0, 1);
}

static void aim_entry(builder *b, transit_layer *l, unsigned next) {
    const transit *t = b->t;
    bool last = next == t->layers;
    unsigned digits = b->ask->lead;
    for (unsigned d = 0; d < digits; d++) l->aim[d] = aim_at(b, last ? 0 : next, 0, digits, 0);
    if (!b->ask->stages) return;
    l->aim[digits] = aim_at(b, find_up(t, 1), 1, 1, 0);
    make_leave(b, &l->aim[digits], 0, 1);
}

/* Targets the next layer in order; after the last one, the processors. Layer 1 of a unit tree leads to the
 * stage below: the top layer of its unit trees, or the first layer of leaf clusters, whose processors come
 * first. */
static void aim_down(builder *b, transit_layer *l, unsigned next) {
    const transit *t = b->t;
    bool last = next == t->layers, leaves = l->stage && l->number == 1 && !last;
    bool to_leaf = leaves && l->stage == 1;
    unsigned layer = last ? 0 : to_leaf ? find(t, TRANSIT_ENTRY, 0, 1) : next;
    uint64_t before = to_leaf ? b->ask->ports * b->ask->leaf : 0;
    for (unsigned d = 0; d < l->directions; d++) {
        l->aim[d] = aim_at(b, layer, 0, b->ask->radix, before);
        if (leaves) make_leave(b, &l->aim[d], 0, 0);
    }
}

static void aim_layers(builder *b) {
    transit *t = b->t;
    for (unsigned i = 0; i < t->layers; i++) {
        transit_layer *l = &t->layer[i];
        if (l->kind == TRANSIT_PROCESSORS)
            l->aim[0] = aim_at(b, 1, 0, 1, 0);
        else if (l->kind == TRANSIT_UP)
            aim_up(b, l);
        else if (l->kind == TRANSIT_ENTRY)
            aim_entry(b, l, t->leaf_digits > 1 ? find(t, TRANSIT_DOWN, 0, 2) : t->layers);
        else
            aim_down(b, l, i + 1);
    }
}

/* ---- ids, levels, order of groups ---- */

/* A leaf cluster and a flat network are one level. With short cuts, the up layer has the level of the
 * adjacent down layer 1. */
static void set_levels(builder *b) {
    transit *t = b->t;
    unsigned below = b->ask->leaf > 1, top = below + b->ask->levels * b->ask->stages;
    for (unsigned i = 1; i < t->layers; i++) {
        transit_layer *l = &t->layer[i];
        unsigned number = l->number ? l->number : 1;
        l->level = (uint8_t)(l->stage ? below + b->ask->levels * (l->stage - 1u) + number : 1);
    }
    t->span[0] = part_of(b, 1);
    for (unsigned level = 1; level <= top; level++)
        t->span[level] = part_of(b, bough_mul(b->ask->leaf, transit_power(b->ask->radix, level - below)));
}

/* Order along the longest path: entry, up layers, down layers, leaf cluster down. */
static void set_ranks(transit *t) {
    unsigned rank = t->ask.stages && t->ask.leaf > 1 ? 2 : 1;
    for (unsigned i = 1; i < t->layers; i++)
        if (t->layer[i].kind != TRANSIT_ENTRY && t->layer[i].stage) t->layer[i].rank = (uint16_t)rank++;
    for (unsigned i = 1; i < t->layers; i++)
        if (!t->layer[i].stage) t->layer[i].rank = (uint16_t)rank++;
}

static void set_ids(transit *t) {
    uint64_t node = 0, link = 0, group = 0;
    for (unsigned i = 0; i < t->layers; i++) {
        transit_layer *l = &t->layer[i];
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
    const transit_ask *ask = &t->ask;
    unsigned level = 0;
    t->capacity[level++] = ask->ports;
    if (ask->leaf > 1) t->capacity[level++] = ask->stages ? wires_up(ask, 0) : 0;
    for (unsigned s = 1; s <= ask->stages; s++) {
        uint64_t wires = up_routers(ask, s) * ask->dilation * transit_unit_trees(ask, s);
        bool root = s == ask->stages; /* its routers have no direction up, or all of the top one cross over */
        for (unsigned k = 1; k <= ask->levels; k++, wires *= ask->radix) {
            unsigned top = root && (ask->shortcuts || k == ask->levels) ? ask->levels : ask->radix;
            t->capacity[level++] = wires * (top - k);
        }
    }
}

static bool too_large(builder *b) {
    uint64_t links = 0;
    for (unsigned i = 0; i < b->t->layers; i++) {
        transit_layer *l = &b->t->layer[i];
        links = bough_add(links, bough_mul(l->count, transit_size(l->fan)));
        if (transit_size(l->set) >= UINT32_MAX / TRANSIT_RADIX_MAX) return true;
    }
    return b->too_large || links > LINKS_MAX;
}

static bough_status check_units(const transit_ask *ask, bough_error *error) {
    for (unsigned s = 1; s <= ask->stages; s++)
        if (transit_unit_trees(ask, s) == 0)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "transit: the %" PRIu64 " wires up of a node of stage %u are not a multiple of "
                              "capacity=%u, the wires into a unit tree; choose another capacity",
                              wires_up(ask, s - 1), s - 1, ask->capacity);
    return BOUGH_OK;
}

bough_status transit_shape(const transit_ask *ask, transit *t, bough_error *error) {
    builder b = {.t = t, .ask = &t->ask};
    *t = (transit){.ask = *ask, .flat = ask->stages == 0};
    bough_status status = check_units(ask, error);
    if (status) return status;
    t->radix = part_of(&b, ask->radix);
    t->leaf = part_of(&b, ask->leaf);
    if (ask->leaf > 1) t->leaf_digits = 1;
    for (uint64_t rest = ask->leaf / ask->lead; rest > 1; rest /= ask->radix) t->leaf_digits++;
    t->leaf_codes = power_part(&b, t->leaf_digits);
    while ((1u << t->port_bits) < ask->radix * ask->dilation || (1u << t->port_bits) < ask->ports)
        t->port_bits++;
    add_layers(&b);
    if (too_large(&b)) return bough_fail(error, BOUGH_TOO_LARGE, NULL, "transit: more than 2^35 wires");
    set_levels(&b);
    set_ranks(t);
    aim_layers(&b);
    set_ids(t);
    for (unsigned i = 0; i < t->layers; i++)
        t->layer[i].served = part_of(&b, transit_size(t->layer[i].set) * transit_size(t->layer[i].units));
    set_capacities(t);
    return b.too_large ? bough_fail(error, BOUGH_TOO_LARGE, NULL, "transit: more than 2^35 wires") : BOUGH_OK;
}
