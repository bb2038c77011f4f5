/* Which nodes and ports of two fabrics are the same: what a file says of them counts, and what its reader
 * made up does not. A made-up GUID or port number is a place in the file, which moves with every line above
 * it. */
#include "fabric/changes/changes_match.h"

#include "base/memory/index_map.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

typedef struct match {
    const bough_fabric *from, *to;
    changes_same *same;
    uint8_t *node_taken, *port_taken; /* [of to] */
} match;

/* ---- nodes ---- */

static void take_node(match *m, uint32_t v, uint32_t other) {
    m->same->node[v] = other;
    m->node_taken[other] = 1;
}

/* A GUID is one of its kind only: ORCS files number hosts and switches apart. */
static bough_status match_guids(match *m, bough_error *error) {
    arena *a = &m->same->memory;
    bough_index_map guids[3] = {{.memory = a}, {.memory = a}, {.memory = a}};
    bough_status status = BOUGH_OK;
    for (uint32_t v = 0; v < m->to->node_count && !status; v++)
        status = bough_index_map_put(&guids[m->to->node[v].kind], m->to->node[v].guid, v, error);
    for (uint32_t v = 0; v < m->from->node_count && !status; v++) {
        uint32_t other = bough_index_map_get(&guids[m->from->node[v].kind], m->from->node[v].guid);
        if (other == BOUGH_NO_INDEX) continue;
        take_node(m, v, other);
        m->same->sure++;
    }
    return status;
}

typedef struct named {
    const char *name;
    bough_fabric_kind kind;
    uint32_t node;
} named;

static int compare_names(const named *a, const named *b) {
    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->name, b->name);
}

static int by_name(const void *a, const void *b) {
    return compare_names(a, b);
}

typedef struct name_list {
    named *item;
    size_t count;
} name_list;

/* Nodes of from, or of to, that are not matched, by kind and name. Between files without GUIDs the full text
 * of a node is its name, which distinguishes nodes in a list of cables; elsewhere the text may contain the
 * GUID. */
static bough_status list_names(const match *m, bool of_to, name_list *list, bough_error *error) {
    const bough_fabric *f = of_to ? m->to : m->from;
    bool whole = m->from->made_ids && m->to->made_ids;
    bough_status status =
        arena_alloc(&m->same->memory, &list->item, f->node_count, sizeof *list->item, error);
    for (uint32_t v = 0; v < f->node_count && !status; v++) {
        const bough_fabric_node *n = &f->node[v];
        if (of_to ? m->node_taken[v] : m->same->node[v] != BOUGH_NO_INDEX) continue;
        list->item[list->count++] = (named){whole ? n->description : n->name, n->kind, v};
    }
    if (list->count) qsort(list->item, list->count, sizeof *list->item, by_name);
    return status;
}

static bough_status match_names(match *m, bough_error *error) {
    name_list a = {0}, b = {0};
    size_t i = 0, k = 0;
    bough_status status = list_names(m, false, &a, error);
    TRY(list_names(m, true, &b, error));
    while (!status && i < a.count && k < b.count) {
        int order = compare_names(&a.item[i], &b.item[k]);
        if (order == 0) {
            take_node(m, a.item[i].node, b.item[k].node);
            m->same->sure += m->same->by_name;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return status;
}

/* ---- ports ---- */

bool changes_tell_ports(const bough_fabric_node *a, const bough_fabric_node *b) {
    return a->made_ports ? a->named_ports && b->named_ports : !b->made_ports;
}

int changes_speed(const bough_fabric_port *old, const bough_fabric_port *now) {
    /* The rate is what counts; where it is not known, lanes do. */
    if (old->rate && now->rate) return (now->rate > old->rate) - (now->rate < old->rate);
    if (old->width && now->width) return (now->width > old->width) - (now->width < old->width);
    return 0;
}

static void take_port(match *m, uint32_t p, uint32_t other) {
    m->same->port[p] = other;
    m->port_taken[other] = 1;
}

/* Whether both files say which port of node v of from, and of its like, is which. */
static bool numbered(const match *m, uint32_t v) {
    return changes_tell_ports(&m->from->node[v], &m->to->node[m->same->node[v]]);
}

static void match_numbers(match *m) {
    for (uint32_t p = 0; p < m->from->port_count; p++) {
        uint32_t v = m->from->port[p].node, other = m->same->node[v];
        if (other == BOUGH_NO_INDEX || !numbered(m, v)) continue;
        uint32_t port = bough_fabric_port_like(m->to, other, &m->from->port[p]);
        if (port != BOUGH_NO_INDEX) take_port(m, p, port);
    }
}

/* Whether port q of to can be p: it is already, or both are free and numbers say nothing. */
static bool can_be(const match *m, uint32_t p, uint32_t q) {
    uint32_t v = m->from->port[p].node;
    if (m->same->port[p] != BOUGH_NO_INDEX || m->port_taken[q]) return m->same->port[p] == q;
    return m->same->node[v] == m->to->port[q].node && !numbered(m, v);
}

/* Ports on a cable between the same two nodes, as fast first, as parallel cables may have changed places. */
static void match_neighbours(match *m, bool as_fast) {
    const bough_fabric *a = m->from, *b = m->to;
    for (uint32_t p = 0; p < a->port_count; p++) {
        uint32_t v = a->port[p].node, w, peer = a->port[p].peer, first, count;
        if (peer == BOUGH_NO_INDEX || m->same->port[p] != BOUGH_NO_INDEX) continue;
        if (m->same->node[v] == BOUGH_NO_INDEX) continue;
        w = a->port[peer].node;
        if (m->same->node[w] == BOUGH_NO_INDEX || numbered(m, v)) continue;
        bough_fabric_ports(b, m->same->node[v], &first, &count);
        for (uint32_t q = first; q < first + count; q++) {
            uint32_t end = b->port[q].peer;
            if (end == BOUGH_NO_INDEX || !can_be(m, p, q) || !can_be(m, peer, end)) continue;
            if (as_fast && changes_speed(&a->port[p], &b->port[q])) continue;
            take_port(m, p, q);
            take_port(m, peer, end);
            break;
        }
    }
}

/* A host whose cable leads elsewhere has no other port for it. A switch may have: there a cable is gone, and
 * one is new. */
static void match_hosts(match *m) {
    for (uint32_t v = 0; v < m->from->node_count; v++) {
        uint32_t other = m->same->node[v], first, count, at, end;
        if (m->from->node[v].kind != BOUGH_FABRIC_ADAPTER || other == BOUGH_NO_INDEX || numbered(m, v))
            continue;
        bough_fabric_ports(m->to, other, &at, &end);
        end += at;
        bough_fabric_ports(m->from, v, &first, &count);
        for (uint32_t p = first; p < first + count; p++) {
            if (m->same->port[p] != BOUGH_NO_INDEX) continue;
            while (at < end && m->port_taken[at]) at++;
            if (at < end) take_port(m, p, at);
        }
    }
}

bough_status changes_match(const bough_fabric *from, const bough_fabric *to, changes_same *same,
                           bough_error *error) {
    match m = {.from = from, .to = to, .same = same};
    arena *a = &same->memory;
    bough_status status = arena_alloc(a, &same->node, from->node_count, sizeof *same->node, error);
    TRY(arena_alloc(a, &same->port, from->port_count, sizeof *same->port, error));
    TRY(arena_alloc(a, &m.node_taken, to->node_count, 1, error));
    TRY(arena_alloc(a, &m.port_taken, to->port_count, 1, error));
    for (uint32_t v = 0; v < from->node_count && !status; v++) same->node[v] = BOUGH_NO_INDEX;
    for (uint32_t p = 0; p < from->port_count && !status; p++) same->port[p] = BOUGH_NO_INDEX;
    same->by_name = from->made_ids || to->made_ids;
    if (!status && !same->by_name) status = match_guids(&m, error);
    TRY(match_names(&m, error));
    if (!status) {
        match_numbers(&m);
        match_neighbours(&m, true);
        match_neighbours(&m, false);
        match_hosts(&m);
    }
    return status;
}
