/* Odd cables of a tree as deviations, with the reason why each is odd. */
#include "fabric/expect/tree_report.h"

#include "base/memory/index_map.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "fabric/expect/deviations.h"

#include <inttypes.h>
#include <stdio.h>

enum { NODE_NAME = 128, REASON = 480 };

typedef struct reporter {
    const tree *t;
    odd_cables *odd;
    bool planned;
    const char *would;              /* what the other cable would be */
    compressed_rows missing, extra; /* rows: nodes; items: twice the place in the list, plus the side */
    bough_index_map between;        /* cables from a group to another one */
    bough_expected *e;
    bough_error *error;
} reporter;

static const char *name_of(const reporter *r, uint32_t node, char *buffer) {
    return bough_node_name(r->t->net, node, buffer, NODE_NAME);
}

/* ---- indices ---- */

static uint32_t node_of(const void *context, uint32_t item) {
    const odd_list *list = context;
    return list->item[item / 2].node[item % 2];
}

static bough_status index_list(const reporter *r, const odd_list *list, compressed_rows *rows) {
    *rows = (compressed_rows){
        .rows = (uint32_t)r->t->net->nodes, .items = 2 * (uint32_t)list->count, .memory = &r->odd->memory};
    return rows_make(rows, node_of, list, r->error);
}

/* A loop over the cables of a list at a node that are not taken. */
typedef struct odd_at {
    const compressed_rows *rows;
    const odd_list *list;
    uint32_t at, stop, other; /* other: the node at the other end */
} odd_at;

static odd_at odd_at_node(const compressed_rows *rows, const odd_list *list, uint32_t node) {
    return (odd_at){rows, list, rows->first[node], rows->first[node + 1], 0};
}

static odd_cable *odd_next(odd_at *a) {
    while (a->at < a->stop) {
        uint32_t item = a->rows->item[a->at++];
        odd_cable *c = &a->list->item[item / 2];
        a->other = c->node[1 - item % 2];
        if (!c->taken) return c;
    }
    return NULL;
}

/* ---- reasons ---- */

/* The group of a switch on the way to another one. */
static uint32_t group_towards(const tree *t, uint32_t v, uint32_t w) {
    return t->level[v] < t->level[w] ? t->up[v] : t->down[v];
}

static uint64_t groups_key(const tree *t, const odd_cable *c) {
    return (uint64_t)group_towards(t, c->node[0], c->node[1]) << 32 |
           group_towards(t, c->node[1], c->node[0]);
}

/* Whether a cable joins switches of neighbouring levels. */
static bool is_step(const tree *t, const odd_cable *c) {
    return t->level[c->node[1]] == t->level[c->node[0]] + 1;
}

static bough_status count_between(reporter *r) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < r->odd->extra.count && !status; i++) {
        const odd_cable *c = &r->odd->extra.item[i];
        if (!c->usual && is_step(r->t, c))
            status = bough_index_map_count(&r->between, groups_key(r->t, c), r->error);
    }
    return status;
}

static const char *first_of(const reporter *r, unsigned level, uint32_t group, char *buffer) {
    if (group == TREE_NONE) {
        snprintf(buffer, NODE_NAME, "no switch");
        return buffer;
    }
    return name_of(r, r->t->layer[level].group[group].first, buffer);
}

static void say_extra(const reporter *r, const odd_cable *c, char reason[REASON]) {
    const tree *t = r->t;
    char a[NODE_NAME], b[NODE_NAME];
    unsigned low = t->level[c->node[0]], high = t->level[c->node[1]];
    if (low == high) {
        snprintf(reason, REASON, "it joins two switches of level %u", low);
    } else if (high != low + 1) {
        snprintf(reason, REASON, "it joins level %u with level %u", low, high);
    } else if (c->usual) {
        snprintf(reason, REASON, "%" PRIu32 " cable%s between these switches, %u %s", c->count,
                 bough_s(c->count), c->usual, r->planned ? "planned" : "between others");
    } else {
        uint32_t count = bough_index_map_get(&r->between, groups_key(t, c));
        if (count == 1)
            snprintf(reason, REASON, "the only cable between the group of %s and that of %s",
                     first_of(r, low, group_towards(t, c->node[0], c->node[1]), a),
                     first_of(r, low, group_towards(t, c->node[1], c->node[0]), b));
        else
            snprintf(reason, REASON, "one of %" PRIu32 " cables between the group of %s and that of %s",
                     count, first_of(r, low, group_towards(t, c->node[0], c->node[1]), a),
                     first_of(r, low, group_towards(t, c->node[1], c->node[0]), b));
    }
}

static void say_missing(const reporter *r, const odd_cable *c, char reason[REASON]) {
    const tree *t = r->t;
    const unsigned level = t->level[c->node[0]];
    const tree_group *g = &t->layer[level].group[t->up[c->node[0]]];
    uint32_t up = tree_links_to(t, c->node[0], level + 1), down = tree_links_to(t, c->node[1], level);
    char a[NODE_NAME], b[NODE_NAME];
    snprintf(reason, REASON,
             "%" PRIu32 " cable%s, %u %s; %s has %" PRIu32 " cable%s up (usual: %" PRIu32 "), %s %" PRIu32
             " down (%" PRIu32 ")",
             c->count, c->count == 1 ? "" : "s", c->usual, r->planned ? "planned" : "between others",
             name_of(r, c->node[0], a), up, bough_s(up), c->usual * g->uppers, name_of(r, c->node[1], b),
             down, c->usual * g->lowers);
}

/* ---- deviations ---- */

static const char *put_now(const reporter *r, const odd_cable *c, char buffer[CABLE_NAME]) {
    return bough_link_name(r->t->net, c->link, buffer, CABLE_NAME);
}

static const char *put_missing(const reporter *r, const odd_cable *c, char buffer[CABLE_NAME]) {
    odd_cable_name(r->t->net, c, buffer, CABLE_NAME);
    return buffer;
}

typedef struct odd_swap {
    odd_cable *extra[2], *missing[2];
} odd_swap;

/* s->extra[0] joins x and y. Two missing cables, x-b and z-y, and an extra one, z-b. */
static bool find_partner(const reporter *r, uint32_t b, uint32_t z, odd_swap *s) {
    odd_at at = odd_at_node(&r->extra, &r->odd->extra, b);
    while ((s->extra[1] = odd_next(&at)))
        if (at.other == z && s->extra[1] != s->extra[0]) return true;
    return false;
}

static bool find_swap(const reporter *r, odd_cable *extra, odd_swap *s) {
    odd_at x = odd_at_node(&r->missing, &r->odd->missing, extra->node[0]);
    s->extra[0] = extra;
    while ((s->missing[0] = odd_next(&x))) {
        odd_at y = odd_at_node(&r->missing, &r->odd->missing, extra->node[1]);
        while ((s->missing[1] = odd_next(&y)))
            if (s->missing[1] != s->missing[0] && find_partner(r, x.other, y.other, s)) return true;
    }
    return false;
}

static bough_status report_swap(const reporter *r, odd_swap *s) {
    char now[2][CABLE_NAME], then[2][CABLE_NAME], reason[REASON];
    deviation_head head = {BOUGH_DEVIATION_SWAPPED, BOUGH_WARN, {0}, {0}, NULL};
    for (int i = 0; i < 2; i++) {
        head.now[i] = put_now(r, s->extra[i], now[i]);
        head.planned[i] = put_missing(r, s->missing[i], then[i]);
    }
    say_extra(r, s->extra[0], reason);
    for (int i = 0; i < 2; i++) s->extra[i]->taken = s->missing[i]->taken = true;
    return deviation_add(r->e, &head, r->error, "is swapped with %s; %s: %s and %s (%s)", now[1], r->would,
                         then[0], then[1], reason);
}

static bough_status try_moved(const reporter *r, odd_cable *extra) {
    char now[CABLE_NAME], then[CABLE_NAME], reason[REASON];
    odd_cable *missing = NULL;
    for (int side = 0; side < 2 && !missing; side++) {
        odd_at at = odd_at_node(&r->missing, &r->odd->missing, extra->node[side]);
        missing = odd_next(&at);
    }
    if (!missing) return BOUGH_OK;
    deviation_head head = {
        BOUGH_DEVIATION_MOVED, BOUGH_WARN, {put_now(r, extra, now)}, {put_missing(r, missing, then)}, NULL};
    say_extra(r, extra, reason);
    extra->taken = missing->taken = true;
    return deviation_add(r->e, &head, r->error, "one end is at another switch; %s: %s (%s)", r->would, then,
                         reason);
}

static bough_status report_extra(const reporter *r, const odd_cable *c) {
    char name[CABLE_NAME], reason[REASON];
    if (c->taken) return BOUGH_OK;
    deviation_head head = {BOUGH_DEVIATION_EXTRA, BOUGH_WARN, {put_now(r, c, name)}, {0}, NULL, 1};
    say_extra(r, c, reason);
    return deviation_add(r->e, &head, r->error, "this cable does not fit: %s", reason);
}

/* Of several missing cables between two switches the first one stands for all. */
static bough_status report_missing(const reporter *r, size_t first) {
    const odd_list *list = &r->odd->missing;
    const odd_cable *c = &list->item[first];
    char name[CABLE_NAME], reason[REASON];
    uint64_t count = 0;
    if (c->taken) return BOUGH_OK;
    for (size_t i = first;
         i < list->count && list->item[i].node[0] == c->node[0] && list->item[i].node[1] == c->node[1]; i++) {
        count += !list->item[i].taken;
        list->item[i].taken = true;
    }
    const bool ports = odd_cable_name(r->t->net, c, name, CABLE_NAME);
    deviation_head head = {BOUGH_DEVIATION_MISSING, BOUGH_WARN, {0}, {name}, NULL, count};
    say_missing(r, c, reason);
    return deviation_add(r->e, &head, r->error, "missing: %s%s", reason, ports ? ODD_CABLE_PORTS : "");
}

static bough_status report_all(const reporter *r) {
    const odd_list *extra = &r->odd->extra, *missing = &r->odd->missing;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < extra->count && !status; i++) {
        odd_swap s;
        if (!extra->item[i].taken && find_swap(r, &extra->item[i], &s)) status = report_swap(r, &s);
    }
    for (size_t i = 0; i < extra->count && !status; i++)
        if (!extra->item[i].taken) status = try_moved(r, &extra->item[i]);
    for (size_t i = 0; i < extra->count && !status; i++) status = report_extra(r, &extra->item[i]);
    for (size_t i = 0; i < missing->count && !status; i++) status = report_missing(r, i);
    return status;
}

bough_status tree_report_cables(const tree *t, odd_cables *odd, bool planned, bough_expected *expected,
                                bough_error *error) {
    reporter r = {.t = t,
                  .odd = odd,
                  .between.memory = &odd->memory,
                  .planned = planned,
                  .would = planned ? "planned" : "regular would be",
                  .e = expected,
                  .error = error};
    bough_status status = index_list(&r, &odd->missing, &r.missing);
    TRY(index_list(&r, &odd->extra, &r.extra));
    TRY(count_between(&r));
    TRY(report_all(&r));
    return status;
}
