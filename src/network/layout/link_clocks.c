#include "network/layout/link_clocks.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/layout/layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double nm_per_foot = 304.8e6;

/* Whole clocks; a length that is whole but for rounding is not rounded up. */
static double clocks_of(const link_clock_rules *rules, double feet) {
    if (feet <= 0) return 0;
    double clocks = ceil(feet * (double)rules->foot_ps / (double)rules->period_ps - 1e-9);
    return clocks < 1 ? 1 : clocks;
}

bough_status link_arrangement_fits(const char *method, const link_clock_rules *rules, bool room_given,
                                   bough_error *error) {
    if (rules->arrange && rules->wires == LINK_WIRES_CUBE)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: arrange= applies to wires with the layout's own or its longest lengths",
                          method);
    if (room_given && !rules->arrange)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: room= applies to arrange=plane, solid or cubes",
                          method);
    return BOUGH_OK;
}

const char *link_arrangement_text(const link_clock_rules *rules, char *buffer, size_t size) {
    static const char *const text[] = {"stacks in hollow cubes", "stacks in a plane",
                                       "stacks in a solid block", "a block of cubes"};
    snprintf(buffer, size, "%s, room %g", text[rules->arrange], rules->room > 0 ? rules->room : 1);
    return buffer;
}

static bool states_lengths(const bough_net *net, link_wires wires) {
    return net->ops->link_length && wires == LINK_WIRES_LAYOUT;
}

static bool has_stacks(const bough_net *net) {
    return net->packaging && net->ops->node_place;
}

/* Whether wires of the network have lengths. Errors: UNSUPPORTED with the reason. O(1). */
static bough_status check_known(const bough_net *net, link_wires wires, bough_error *error) {
    if (states_lengths(net, wires) || has_stacks(net)) return BOUGH_OK;
    if (wires == LINK_WIRES_CUBE)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "a solid cube needs a network made of stacks (transit:...); %s is not one",
                          net->spec);
    return bough_layout_known(net, error);
}

static uint64_t stacks_of(const bough_net *net) {
    uint64_t stacks = 0;
    for (unsigned s = 0; s < net->packaging->stages; s++)
        stacks = bough_add(stacks, bough_packaging_stacks(net->packaging, s));
    return stacks;
}

uint64_t link_clocks_bytes(const bough_net *net, const link_clock_rules *rules) {
    if (!has_stacks(net) || rules->wires != LINK_WIRES_LAYOUT || states_lengths(net, rules->wires)) return 0;
    return bough_mul(stacks_of(net), sizeof(stack_faces));
}

/* ---- stacks ---- */

static void keep_faces(void *context, const bough_box *box) {
    link_clocks *c = context;
    stack_faces *face = &c->face[c->first_stack[box->stage] + box->number];
    double half = c->net->packaging->stage[box->stage].thickness / 2;
    if (c->blocks) half = 0; /* from middle to middle */
    for (int k = 0; k < 3; k++) {
        face->middle[k] = c->scale * box->centre[k];
        face->top[k] = c->scale * (box->centre[k] + half * box->up[k]);
        face->bottom[k] = c->scale * (box->centre[k] - half * box->up[k]);
    }
}

static bough_status measure_stacks(link_clocks *c, bough_error *error) {
    const bough_packaging *p = c->net->packaging;
    const double room = c->rules.room > 0 ? c->rules.room : 1;
    bough_arrangement kind = c->rules.arrange;
    c->blocks = kind != BOUGH_ARRANGE_HOLLOW;
    c->scale = kind == BOUGH_ARRANGE_HOLLOW ? 1 : kind == BOUGH_ARRANGE_PLANE ? sqrt(room) : cbrt(room);
    if (c->blocks) return bough_stack_blocks(p, kind, c->block, error);
    bough_status status = bough_hollow_cube(p, c->cube, error);
    if (!status) c->solid = sqrt(3) * cbrt(c->cube[p->stages - 1].stack_volume);
    return status;
}

static bough_status place_stacks(link_clocks *c, bough_error *error) {
    const bough_packaging *p = c->net->packaging;
    uint64_t stacks = 0;
    for (unsigned s = 0; s < p->stages; s++) {
        c->first_stack[s] = stacks;
        stacks = bough_add(stacks, bough_packaging_stacks(p, s));
    }
    bough_status status = bough_alloc(&c->face, stacks, sizeof *c->face, error);
    if (c->blocks)
        TRY(bough_stack_block_boxes(p, c->rules.arrange, keep_faces, c, error));
    else
        TRY(bough_hollow_cube_boxes(p, keep_faces, c, error));
    return status;
}

/* The longest wire of a stage; built: of stacks with thickness. */
static double stage_wire(const link_clocks *c, unsigned stage, bool built) {
    if (c->blocks) return c->scale * c->block[stage].wire;
    return c->scale * (built ? c->cube[stage].built_wire : c->cube[stage].wire);
}

static double between(const double a[3], const double b[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* In a flat network every layer of wires crosses the plane, except that to the endpoints beside the last
 * routers. */
static double longest(const link_clocks *c, const bough_place *a, const bough_place *b, bool leaves) {
    unsigned stage = a->stage > b->stage ? a->stage : b->stage;
    bool flat = c->net->packaging->stages == 1;
    if (flat ? leaves : a->stage == b->stage && a->stack == b->stack) return 0;
    if (flat && stage_wire(c, 0, false) == 0) return 0;
    return c->rules.wires == LINK_WIRES_CUBE ? c->solid : stage_wire(c, stage, false);
}

static double own(const link_clocks *c, const bough_place *a, const bough_place *b) {
    if (a->stage == b->stage && a->stack == b->stack) return 0;
    const stack_faces *from = &c->face[c->first_stack[a->stage] + a->stack];
    const stack_faces *to = &c->face[c->first_stack[b->stage] + b->stack];
    if (a->stage == b->stage) return between(from->middle, to->middle);
    return a->stage < b->stage ? between(from->top, to->bottom) : between(from->bottom, to->top);
}

static link_time stack_time(const link_clocks *c, uint64_t link) {
    const bough_net *net = c->net;
    uint64_t from = bough_link_start(net, link), to = net->ops->link_end(net, link).node;
    bough_place a, b;
    if (!net->ops->node_place(net, from, &a) || !net->ops->node_place(net, to, &b)) return (link_time){0, 0};
    bool switches = bough_is_switch(net, from) && bough_is_switch(net, to);
    if (switches && a.stage == b.stage && a.stack == b.stack && a.up && !b.up)
        return (link_time){0, (uint32_t)c->rules.lateral};
    double feet =
        c->rules.wires == LINK_WIRES_LAYOUT ? own(c, &a, &b) : longest(c, &a, &b, !bough_is_switch(net, to));
    return (link_time){(uint32_t)clocks_of(&c->rules, feet), 0};
}

/* ---- chips ---- */

static bough_status measure_chip(link_clocks *c, bough_error *error) {
    bough_layout_size size;
    bough_status status = bough_layout_measure(c->net, NULL, &size, error);
    TRY(bough_alloc(&c->level, (uint64_t)c->net->levels + 1, sizeof *c->level, error));
    if (status) return status;
    for (unsigned level = 0; level <= c->net->levels; level++) {
        uint64_t wire = c->rules.wires == LINK_WIRES_LONGEST ? size.wire_max_nm : 0;
        for (unsigned i = 1; i <= size.steps; i++)
            if (size.step[i].joins && size.step[i].level == level + 1 && size.step[i].wire_max_nm > wire)
                wire = size.step[i].wire_max_nm;
        double clocks = clocks_of(&c->rules, (double)wire / nm_per_foot);
        c->level[level] = clocks > UINT32_MAX ? UINT32_MAX : (uint32_t)clocks;
    }
    return BOUGH_OK;
}

/* ---- any network ---- */

static bough_status too_long(const link_clocks *c, double clocks, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "a wire of %s takes %.0f clocks at %" PRIu64 " ps a foot and %" PRIu64
                      " ps a clock; the limit is %d",
                      c->net->spec, clocks, c->rules.foot_ps, c->rules.period_ps, LINK_CLOCKS_MAX);
}

/* The longest wire; lengths that the network states are checked one by one. */
static double longest_clocks(const link_clocks *c) {
    double most = (double)c->rules.lateral;
    if (states_lengths(c->net, c->rules.wires)) return most;
    if (c->level)
        for (unsigned l = 0; l <= c->net->levels; l++) most = fmax(most, c->level[l]);
    if (c->level) return most;
    for (unsigned s = 0; s < c->net->packaging->stages; s++)
        most = fmax(most, clocks_of(&c->rules, fmax(stage_wire(c, s, false), stage_wire(c, s, true))));
    return most;
}

/* Lengths that do not depend on the positions of stacks. */
static bough_status measure(link_clocks *c, bough_error *error) {
    bough_status status = check_known(c->net, c->rules.wires, error);
    if (!status && c->rules.arrange && !has_stacks(c->net))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "an arrangement of stacks needs a network made of them (transit:...); %s is not one",
            c->net->spec);
    if (!status && has_stacks(c->net))
        status = measure_stacks(c, error);
    else if (!status && !states_lengths(c->net, c->rules.wires))
        status = measure_chip(c, error);
    return !status && longest_clocks(c) > LINK_CLOCKS_MAX ? too_long(c, longest_clocks(c), error) : status;
}

bough_status link_clocks_make(const bough_net *net, const link_clock_rules *rules, link_clocks *c,
                              bough_error *error) {
    *c = (link_clocks){.net = net, .rules = *rules};
    bough_status status = measure(c, error);
    if (!status && link_clocks_bytes(net, rules)) status = place_stacks(c, error);
    if (status) link_clocks_fini(c);
    return status;
}

void link_clocks_fini(link_clocks *c) {
    free(c->face);
    free(c->level);
    *c = (link_clocks){0};
}

link_time link_clocks_of(const link_clocks *c, uint64_t link) {
    const bough_net *net = c->net;
    if (states_lengths(net, c->rules.wires)) {
        double clocks = clocks_of(&c->rules, net->ops->link_length(net, link));
        return (link_time){clocks > UINT32_MAX ? UINT32_MAX : (uint32_t)clocks, 0};
    }
    if (c->level) return (link_time){c->level[bough_link_level(net, link)], 0};
    return stack_time(c, link);
}

bough_status link_clocks_fill(const bough_net *net, const link_clock_rules *rules, uint16_t *clocks,
                              bough_error *error) {
    link_clocks c;
    bough_status status = link_clocks_make(net, rules, &c, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links && !status; l++) {
        link_time t = link_clocks_of(&c, l);
        uint64_t sum = (uint64_t)t.wire + t.turn;
        if (sum > LINK_CLOCKS_MAX)
            status = too_long(&c, (double)sum, error);
        else
            clocks[l] = (uint16_t)sum;
    }
    link_clocks_fini(&c);
    return status;
}

/* Up and down again; a flat network is crossed once per layer. */
static double across_stacks(const link_clocks *c) {
    unsigned stages = c->net->packaging->stages;
    double sum = 0;
    for (unsigned s = 0; s < stages; s++) {
        double feet = stage_wire(c, s, c->rules.wires == LINK_WIRES_LAYOUT);
        if (feet > 0 && c->rules.wires == LINK_WIRES_CUBE) feet = c->solid;
        sum += (stages == 1 ? c->net->hops_max - 1 : 2) * clocks_of(&c->rules, feet);
    }
    return sum + (stages == 1 && stage_wire(c, 0, false) > 0 ? 0 : (double)c->rules.lateral);
}

static double across_links(const link_clocks *c) {
    double most = 0;
    for (uint64_t l = 0; l < c->net->links; l++)
        most = fmax(most, clocks_of(&c->rules, c->net->ops->link_length(c->net, l)));
    return most * c->net->hops_max;
}

bough_status link_clocks_diameter(const bough_net *net, const link_clock_rules *rules, uint64_t *clocks,
                                  bough_error *error) {
    link_clocks c = {.net = net, .rules = *rules};
    bough_status status = measure(&c, error);
    double sum = 0;
    if (!status && states_lengths(net, rules->wires))
        sum = across_links(&c);
    else if (!status && c.level)
        for (unsigned l = 0; l < net->levels; l++) sum += 2.0 * c.level[l];
    else if (!status)
        sum = across_stacks(&c);
    *clocks = (uint64_t)fmin(sum, 1e15);
    link_clocks_fini(&c);
    return status;
}
