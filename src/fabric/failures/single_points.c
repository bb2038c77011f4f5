/* Single points of failure, by one depth-first search (Tarjan, Depth-first search and linear graph
 * algorithms, 1972) over the cables between switches.
 *
 * order[v] counts nodes as they are found. low[v] is the least order that v's subtree reaches by one cable
 * outside the tree, so a cable of the tree into v is a bridge if low[v] is above the order of its upper end.
 * A second cable beside that one leads to the upper end too: it is not left out. Removing v separates the
 * subtree of a child c if low[c] is not below order[v]. Endpoints are weights of their switches. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "fabric/failures/failures.h"
#include "network/hosts.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };

typedef struct frame {
    node_links at;
    uint64_t link, back; /* the link of the tree that leads here, and its twin; BOUGH_NONE at the root */
} frame;

typedef struct search {
    const bough_net *net;
    uint64_t *order, *low;     /* [node]; order 0: not found yet */
    uint64_t *weight;          /* [node]: endpoints of its subtree */
    uint64_t *own;             /* [node]: its own endpoints */
    uint64_t *up, *parent;     /* [node]: the link of the tree into it, and where that starts */
    uint64_t *apart, *squares; /* [node]: endpoints of the subtrees that it separates, and their squares */
    uint64_t *found;           /* nodes of the part at hand, in their order */
    frame *stack;
    uint64_t depth, count, clock;
    bough_single_points *points;
    arena *memory;
    bough_error *error;
} search;

/* Why the search cannot answer; NULL: it can. */
static const char *find_obstacle(const bough_net *net) {
    if (net->fabric && net->fabric->merged) return "a line of Slurm's file may stand for several cables";
    for (uint64_t l = 0; l < net->links; l++) {
        if (!bough_link_works(net, l)) continue;
        uint64_t twin = bough_link_twin(net, l);
        if (twin == BOUGH_NONE || !bough_link_works(net, twin))
            return "some links work in one direction only (--faults each:cable tries every one)";
    }
    for (uint64_t e = 0; e < net->endpoints; e++) {
        uint64_t first = BOUGH_NONE;
        if (bough_is_switch(net, e)) continue;
        for (node_links at = node_links_of(net, e); node_links_next(&at);) {
            uint64_t to = net->ops->link_end(net, at.link).node;
            if (!bough_link_works(net, at.link)) continue;
            if (first != BOUGH_NONE && to != first)
                return "endpoints have cables to several switches (--faults each:cable tries every one)";
            first = to;
        }
    }
    return NULL;
}

static void place_endpoints(search *s) {
    const bough_net *net = s->net;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        if (bough_is_switch(net, e)) {
            s->own[e]++;
            continue;
        }
        for (node_links at = node_links_of(net, e); node_links_next(&at);) {
            if (!bough_link_works(net, at.link)) continue;
            s->own[net->ops->link_end(net, at.link).node]++;
            break;
        }
    }
}

static void push(search *s, uint64_t v, uint64_t link) {
    uint64_t back = link == BOUGH_NONE ? BOUGH_NONE : bough_link_twin(s->net, link);
    s->stack[s->depth++] = (frame){node_links_of(s->net, v), link, back};
    s->order[v] = s->low[v] = ++s->clock;
    s->weight[v] = s->own[v];
    s->up[v] = link;
    s->parent[v] = link == BOUGH_NONE ? BOUGH_NONE : bough_link_start(s->net, link);
    s->found[s->count++] = v;
}

static void pop(search *s) {
    uint64_t v = s->stack[--s->depth].at.node, p = s->parent[v];
    if (p == BOUGH_NONE) return;
    if (s->low[v] < s->low[p]) s->low[p] = s->low[v];
    s->weight[p] += s->weight[v];
    if (s->low[v] < s->order[p]) return;
    s->apart[p] += s->weight[v];
    s->squares[p] += s->weight[v] * s->weight[v];
}

static void look_along(search *s, uint64_t v, const frame *f) {
    uint64_t link = f->at.link;
    if (!bough_link_works(s->net, link) || link == f->back) return;
    uint64_t to = s->net->ops->link_end(s->net, link).node;
    if (!bough_is_switch(s->net, to)) return;
    if (!s->order[to])
        push(s, to, link);
    else if (s->order[to] < s->low[v])
        s->low[v] = s->order[to];
}

static void walk(search *s, uint64_t root) {
    s->count = 0;
    push(s, root, BOUGH_NONE);
    while (s->depth) {
        frame *f = &s->stack[s->depth - 1];
        if (node_links_next(&f->at))
            look_along(s, f->at.node, f);
        else
            pop(s);
    }
}

static bough_status add(search *s, bough_single_point point) {
    bough_single_points *p = s->points;
    if (!point.pairs) return BOUGH_OK;
    bough_status status = arena_grow(s->memory, &p->item, p->count + 1, sizeof *p->item, s->error);
    if (status) return status;
    p->item[p->count++] = point;
    *(point.link == BOUGH_NONE ? &p->switches : &p->cables) += 1;
    return BOUGH_OK;
}

/* Of the part that was walked. */
static bough_status collect(search *s) {
    uint64_t all = s->weight[s->found[0]];
    bough_status status = BOUGH_OK;
    s->points->pairs += all * (all - (all > 0));
    for (uint64_t i = 0; i < s->count && !status; i++) {
        uint64_t v = s->found[i], p = s->parent[v];
        uint64_t others = all - s->own[v], rest = others - s->apart[v];
        status = add(
            s, (bough_single_point){BOUGH_NONE, v, s->own[v], others * others - s->squares[v] - rest * rest});
        if (p == BOUGH_NONE || s->low[v] <= s->order[p]) continue;
        uint64_t twin = bough_link_twin(s->net, s->up[v]), link = s->up[v] < twin ? s->up[v] : twin;
        TRY(add(s, (bough_single_point){link, BOUGH_NONE, 0, 2 * s->weight[v] * (all - s->weight[v])}));
    }
    return status;
}

/* Worst first; cables before switches, as a switch at the end of a bridge is no worse. */
static int by_pairs(const void *a, const void *b) {
    const bough_single_point *x = a, *y = b;
    if (x->pairs != y->pairs) return x->pairs < y->pairs ? 1 : -1;
    if (x->link != y->link) return x->link < y->link ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bough_status search_all(search *s, bough_error *error) {
    uint64_t nodes = s->net->nodes, **array[] = {&s->order,  &s->low,   &s->weight,  &s->own,  &s->up,
                                                 &s->parent, &s->apart, &s->squares, &s->found};
    bough_status status =
        bough_net_memory_check(s->net, bough_mul(nodes, sizeof array / sizeof *array * 8 + sizeof *s->stack),
                               "the search for single points of failure", error);
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        TRY(bough_alloc(array[i], nodes, sizeof **array[i], error));
    TRY(bough_alloc(&s->stack, nodes, sizeof *s->stack, error));
    if (!status) place_endpoints(s);
    for (uint64_t v = 0; v < nodes && !status; v++) {
        if (s->order[v] || !bough_is_switch(s->net, v)) continue;
        walk(s, v);
        status = collect(s);
    }
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) free(*array[i]);
    free(s->stack);
    return status;
}

bough_status bough_single_points_find(const bough_net *net, arena *memory, bough_single_points *points,
                                      bough_error *error) {
    search s = {.net = net, .points = points, .memory = memory, .error = error};
    *points = (bough_single_points){.unknown = find_obstacle(net)};
    if (points->unknown) return BOUGH_OK;
    bough_status status = search_all(&s, error);
    if (!status && points->count) qsort(points->item, points->count, sizeof *points->item, by_pairs);
    return status;
}

bough_status bough_single_points_warn(const bough_net *net, const bough_single_points *points,
                                      bough_findings *findings, bough_error *error) {
    /* with planes hosts reach each other by another one */
    const bough_severity severity = net->hosts && net->hosts->plane ? BOUGH_INFO : BOUGH_WARN;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < points->count && i < SHOWN && !status; i++) {
        const bough_single_point *p = &points->item[i];
        bool cable = p->link != BOUGH_NONE;
        char name[300];
        bough_finding_head head = {.severity = severity, .kind = "single-point"};
        head.where = cable ? bough_link_name(net, p->link, name, sizeof name)
                           : bough_node_name(net, p->node, name, sizeof name);
        status = bough_findings_add(findings, &head, error,
                                    "this one %s alone joins %" PRIu64 " of %" PRIu64 " pairs%s",
                                    cable ? "cable" : "switch", p->pairs, points->pairs,
                                    p->own ? ", those of its own hosts not counted" : "");
    }
    if (status || points->count <= SHOWN) return status;
    return bough_findings_add(
        findings,
        &(bough_finding_head){severity, "single-point", net->fabric ? net->fabric->source : net->spec}, error,
        "and %zu more single point%s of failure", points->count - SHOWN, bough_s(points->count - SHOWN));
}
