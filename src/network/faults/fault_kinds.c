/* The kinds of faults. Random kinds define their candidates and the effect of each. */
#include "base/status/try.h"
#include "network/faults/fault_marks.h"

#include "base/memory/memory.h"

#include <stdio.h>

#define DRAWN                                                                                                \
    {"share", "fraction of the candidates, rounded to a whole number", BOUGH_SHARE, "", 0, 1, .echo = true}, \
    {                                                                                                        \
        "count", "number of candidates, instead of a fraction", BOUGH_INT, "", 0, 0x1p40, .echo = true       \
    }
#define KEYED                                                                                                \
    {"key",     "selects another draw; with one key, a smaller fraction is part of a larger one",            \
     BOUGH_INT, "1",                                                                                         \
     0,         0x1p53},                                                                                     \
    {                                                                                                        \
        "mode",                                                                                              \
            "reaction of routes: neighbours avoid dead links (masked), none (blind), recomputed (rerouted)", \
            BOUGH_CHOICE, "masked", .choices = FAULT_MODES                                                   \
    }

/* ---- chips ---- */

static const bough_param chip_params[] = {
    DRAWN,
    {"level", "only chips with a switch of this level; default: chips without links to endpoints", BOUGH_INT,
     "", 0, 255},
    {"edge", "include chips with links to endpoints", BOUGH_FLAG, "0"},
    KEYED,
    BOUGH_PARAMS_END,
};

typedef struct chips {
    const bough_net *net;
    uint64_t *candidate, *hit; /* one bit per chip */
} chips;

static uint64_t chip_of(const bough_net *net, uint64_t node) {
    return net->ops->node_chip ? net->ops->node_chip(net, node) : node;
}

static bool is_candidate_chip(void *context, uint64_t chip) {
    return bit_of(((chips *)context)->candidate, chip);
}

static void hit_chip(void *context, uint64_t chip) {
    set_bit(((chips *)context)->hit, chip);
}

/* Excludes chips at both ends of links from or to endpoints. */
static void exclude_edge(chips *c) {
    const bough_net *net = c->net;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t from = bough_link_start(net, l), to = net->ops->link_end(net, l).node, chip = BOUGH_NONE;
        if (from < net->endpoints && bough_is_switch(net, to)) chip = chip_of(net, to);
        if (chip != BOUGH_NONE) c->candidate[chip >> 6] &= ~(UINT64_C(1) << (chip & 63));
        chip = to < net->endpoints && bough_is_switch(net, from) ? chip_of(net, from) : BOUGH_NONE;
        if (chip != BOUGH_NONE) c->candidate[chip >> 6] &= ~(UINT64_C(1) << (chip & 63));
    }
}

static bough_status mark_chips(const bough_args *args, bough_fault_marks *m, bough_error *error) {
    const bough_net *net = m->net;
    const bough_value *level = bough_args_get(args, "level"), *edge = bough_args_get(args, "edge");
    chips c = {.net = net};
    char what[96] = "chips without links to endpoints";
    bool inner = !level->set && !edge->integer;
    if (level->set)
        snprintf(what, sizeof what, "chips of level %lld", (long long)level->integer);
    else if (!inner)
        snprintf(what, sizeof what, "chips");
    bough_status status = bough_alloc(&c.candidate, words_for(net->nodes), 8, error);
    TRY(bough_alloc(&c.hit, words_for(net->nodes), 8, error));
    for (uint64_t v = 0; v < net->nodes && !status; v++)
        if (bough_is_switch(net, v) &&
            (!level->set || net->ops->node_level(net, v) == (uint64_t)level->integer))
            set_bit(c.candidate, chip_of(net, v));
    if (!status && inner) exclude_edge(&c);
    const fault_draw draw = {net->nodes, is_candidate_chip, hit_chip, &c, m, what};
    TRY(fault_strike(&draw, args, "chips", error));
    for (uint64_t v = 0; v < net->nodes && !status; v++)
        if (bough_is_switch(net, v) && bit_of(c.hit, chip_of(net, v))) marks_node(m, v, fault_mode_of(args));
    FREE_ALL(c.candidate, c.hit);
    return status;
}

static const bough_fault_kind chips_kind = {
    .name = "chips",
    .summary = "chips with all their switches",
    .source = "dehon1991",
    .params = chip_params,
    .mark = mark_chips,
};

/* ---- links and cables ---- */

static const bough_param link_params[] = {
    DRAWN,
    {"level", "only links whose lower end has this level (0: endpoint links); default: between switches",
     BOUGH_INT, "", 0, 255},
    KEYED,
    BOUGH_PARAMS_END,
};

typedef struct wires {
    bough_fault_marks *marks;
    const bough_value *level;
    bool both; /* directions */
    fault_mode mode;
} wires;

/* A cable is identified by the lower of its link ids. */
static bool is_candidate_wire(void *context, uint64_t link) {
    const wires *w = context;
    const bough_net *net = w->marks->net;
    if (w->both && bough_link_twin(net, link) < link) return false;
    if (w->level->set) return bough_link_level(net, link) == (uint64_t)w->level->integer;
    return bough_is_switch(net, bough_link_start(net, link)) &&
           bough_is_switch(net, net->ops->link_end(net, link).node);
}

static void hit_wire(void *context, uint64_t link) {
    const wires *w = context;
    uint64_t twin = w->both ? bough_link_twin(w->marks->net, link) : BOUGH_NONE;
    marks_link(w->marks, link, w->mode);
    if (twin != BOUGH_NONE) marks_link(w->marks, twin, w->mode);
}

bough_status fault_mark_wires(const bough_args *args, bough_fault_marks *m, const char *name, bool both,
                              bough_error *error) {
    wires w = {m, bough_args_get(args, "level"), both, fault_mode_of(args)};
    char what[96];
    if (w.level->set)
        snprintf(what, sizeof what, "%s of level %lld", name, (long long)w.level->integer);
    else
        snprintf(what, sizeof what, "%s between switches", name);
    const fault_draw draw = {m->net->links, is_candidate_wire, hit_wire, &w, m, what};
    return fault_strike(&draw, args, name, error);
}

static bough_status mark_links(const bough_args *args, bough_fault_marks *m, bough_error *error) {
    return fault_mark_wires(args, m, "links", false, error);
}

static bough_status mark_cables(const bough_args *args, bough_fault_marks *m, bough_error *error) {
    return fault_mark_wires(args, m, "cables", true, error);
}

static const bough_fault_kind links_kind = {
    .name = "links",
    .summary = "directed links, each independently",
    .source = "dehon1991",
    .params = link_params,
    .mark = mark_links,
};

static const bough_fault_kind cables_kind = {
    .name = "cables",
    .summary = "cables, both directions together",
    .source = "",
    .params = link_params,
    .mark = mark_cables,
};

/* ---- parts ---- */

static const bough_param part_params[] = {
    DRAWN,
    KEYED,
    BOUGH_PARAMS_END,
};

typedef struct parts {
    uint64_t *candidate, *hit; /* one bit per member */
} parts;

static bool is_candidate_part(void *context, uint64_t member) {
    return bit_of(((parts *)context)->candidate, member);
}

static void hit_part(void *context, uint64_t member) {
    set_bit(((parts *)context)->hit, member);
}

static bough_status mark_parts(const bough_args *args, bough_fault_marks *m, bough_error *error) {
    const bough_net *net = m->net;
    unsigned kind = (unsigned)(m->part - net->modules);
    parts p = {0};
    char what[80];
    snprintf(what, sizeof what, "%.64ss", m->part->name);
    bough_status status = bough_alloc(&p.candidate, words_for(m->part->count), 8, error);
    TRY(bough_alloc(&p.hit, words_for(m->part->count), 8, error));
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        uint64_t member = net->ops->node_module(net, kind, v);
        if (member != BOUGH_NONE) set_bit(p.candidate, member);
    }
    const fault_draw draw = {m->part->count, is_candidate_part, hit_part, &p, m, what};
    TRY(fault_strike(&draw, args, what, error));
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        uint64_t member = net->ops->node_module(net, kind, v);
        if (member != BOUGH_NONE && bit_of(p.hit, member)) marks_node(m, v, fault_mode_of(args));
    }
    FREE_ALL(p.candidate, p.hit);
    return status;
}

const bough_fault_kind bough_fault_parts = {
    .name = "parts",
    .summary =
        "whole modules of a network (stacks, layers, pods, planes) by their own name, as in pods:count=1",
    .source = "dehon1991",
    .params = part_params,
    .mark = mark_parts,
};

/* ---- names ---- */

static const bough_param name_params[] = {
    {"name",
     "a node; the cable at NODE/PORT, or those of \"A - B\"; a module as in pod3; everything called NAME "
     "and a dot, as in s2.u0; a host; words that one node name has; or a regular expression (PCRE2) that "
     "matches whole node "
     "names, as in leaf.*",
     BOUGH_TEXT, NULL, .echo = true},
    {"mode", "reaction of routes: neighbours avoid dead links (masked), none (blind), recomputed (rerouted)",
     BOUGH_CHOICE, "masked", .choices = FAULT_MODES},
    BOUGH_PARAMS_END,
};

static const bough_fault_kind name_kind = {
    .name = "name",
    .summary = "nodes, cables or modules by name",
    .source = "",
    .params = name_params,
    .mark = fault_by_name,
};

const bough_fault_kind *const bough_fault_kinds[] = {
    &chips_kind, &links_kind, &cables_kind, &bough_fault_parts, &name_kind, &bough_fault_slow, NULL,
};
