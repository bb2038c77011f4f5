/* Two recordings of a fabric, node by node and port by port. */
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "fabric/changes/changes.h"
#include "fabric/changes/changes_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cable by its ends, ports of its own fabric. */
typedef struct cable {
    uint32_t a, b; /* a < b; a may change places with b when two are compared */
    bool taken;    /* the same cable, or a moved one, is in the other fabric */
} cable;

/* What became of a host: of any of its adapters. */
enum { KEPT = 1, REPLACED = 2, RENAMED = 4, RELABELLED = 8 };

typedef struct side {
    const bough_fabric *fabric;
    uint32_t *host; /* [node]: of an adapter */
    uint8_t *fate;  /* [host] */
    uint32_t hosts;
    changes_same same; /* nodes and ports of the other fabric */
    cable *cable;
    size_t cables;
    uint32_t *cable_at; /* [port]: or BOUGH_NO_INDEX */
} side;

typedef struct compare {
    side old, now;
    bough_fabric_changes *changes;
    uint64_t relabelled;              /* nodes */
    bough_node_changes node_inside;   /* adapters, and what switches have inside: */
    bough_cable_changes cable_inside; /* findings, but no numbers */
    bough_findings *findings;
    bough_error *error;
} compare;

/* ---- preparation ---- */

static bool is_host(const bough_fabric_node *node) {
    return node->kind == BOUGH_FABRIC_ADAPTER && !node->aggregation;
}

static bough_status find_hosts(side *s, bough_error *error) {
    const bough_fabric *f = s->fabric;
    arena *a = &s->same.memory;
    bough_name_map map = {.memory = a};
    char(*name)[BOUGH_FABRIC_HOST_NAME]; /* the map borrows them */
    bough_status status = arena_alloc(a, &s->host, f->node_count, sizeof *s->host, error);
    TRY(arena_alloc(a, &s->fate, f->node_count, 1, error));
    TRY(arena_alloc(a, &name, f->node_count, sizeof *name, error));
    for (uint32_t v = 0; v < f->node_count && !status; v++) {
        if (!is_host(&f->node[v])) continue;
        const char *text = bough_fabric_host_name(&f->node[v], name[s->hosts], sizeof *name);
        s->host[v] = bough_name_map_get(&map, text, strlen(text));
        if (s->host[v] != BOUGH_NO_INDEX) continue;
        s->host[v] = s->hosts++;
        status = bough_name_map_add(&map, text, strlen(text), s->host[v], error);
    }
    return status;
}

static bough_status make_side(side *s, const bough_fabric *f, const bough_fabric *to, bough_error *error) {
    s->fabric = f;
    bough_status status = arena_alloc(&s->same.memory, &s->cable, f->port_count, sizeof *s->cable, error);
    TRY(arena_alloc(&s->same.memory, &s->cable_at, f->port_count, sizeof *s->cable_at, error));
    TRY(find_hosts(s, error));
    TRY(changes_match(f, to, &s->same, error));
    if (!status && !s->same.sure)
        status = bough_fail(error, BOUGH_INVALID, f->source,
                            "no %s in it is in %s; both files have to be of one fabric",
                            s->same.by_name ? "name" : "GUID", to->source);
    for (uint32_t p = 0; p < f->port_count && !status; p++) {
        uint32_t peer = f->port[p].peer;
        if (peer == BOUGH_NO_INDEX) s->cable_at[p] = BOUGH_NO_INDEX;
        if (peer == BOUGH_NO_INDEX || peer < p) continue;
        s->cable_at[p] = s->cable_at[peer] = (uint32_t)s->cables;
        s->cable[s->cables++] = (cable){.a = p, .b = peer};
    }
    return status;
}

static const bough_fabric_node *node_of(const side *s, uint32_t port) {
    return &s->fabric->node[s->fabric->port[port].node];
}

static const char *name_port(const side *s, uint32_t port, char *buffer, size_t size) {
    return bough_fabric_port_text(s->fabric, port, buffer, size);
}

static const char *kind_of(const bough_fabric_node *node) {
    return node->aggregation                    ? "aggregation node"
           : node->kind == BOUGH_FABRIC_ADAPTER ? "host adapter"
           : node->kind == BOUGH_FABRIC_SWITCH  ? "switch"
                                                : "router";
}

/* Switches count by themselves, adapters by their hosts: see count_hosts. */
static bough_node_changes *nodes_of(compare *c, const bough_fabric_node *node) {
    return node->kind == BOUGH_FABRIC_ADAPTER ? &c->node_inside : &c->changes->other;
}

static bough_cable_changes *cables_of(compare *c, const side *s, const cable *k) {
    const bough_fabric_node *a = node_of(s, k->a), *b = node_of(s, k->b);
    if (a->aggregation || b->aggregation) return &c->cable_inside;
    const bool access = a->kind == BOUGH_FABRIC_ADAPTER || b->kind == BOUGH_FABRIC_ADAPTER;
    return access ? &c->changes->access : &c->changes->inner;
}

/* ---- nodes ---- */

/* Nodes that names tell apart are named only. */
static const char *guid_text(const compare *c, const bough_fabric_node *node, char *buffer, size_t size) {
    snprintf(buffer, size, " (GUID 0x%016" PRIx64 ")", node->guid);
    return c->old.same.by_name ? "" : buffer;
}

static void set_fate(side *s, uint32_t node, int fate) {
    if (is_host(&s->fabric->node[node])) s->fate[s->host[node]] |= (uint8_t)fate;
}

static bough_status report_gone(compare *c, const bough_fabric_node *node) {
    char guid[40];
    nodes_of(c, node)->gone++;
    return bough_findings_add(c->findings, &(bough_finding_head){BOUGH_WARN, "node-gone", node->name},
                              c->error, "this %s%s is gone", kind_of(node),
                              guid_text(c, node, guid, sizeof guid));
}

static bough_status report_new(compare *c, const bough_fabric_node *node) {
    char guid[40];
    nodes_of(c, node)->fresh++;
    return bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "node-new", node->name},
                              c->error, "this %s%s is new", kind_of(node),
                              guid_text(c, node, guid, sizeof guid));
}

static bough_status report_replaced(compare *c, const bough_fabric_node *old, const bough_fabric_node *now) {
    nodes_of(c, old)->replaced++;
    return bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "node-replaced", now->name},
                              c->error, "this %s has another GUID: 0x%016" PRIx64 " was 0x%016" PRIx64,
                              kind_of(now), now->guid, old->guid);
}

static bough_status report_renamed(compare *c, const bough_fabric_node *old, const bough_fabric_node *now) {
    nodes_of(c, old)->renamed++;
    return bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "node-renamed", now->name},
                              c->error, "this %s was called %s", kind_of(now), old->name);
}

static bool has_other_lid(const compare *c, uint32_t old, uint32_t now) {
    const bough_fabric *a = c->old.fabric, *b = c->now.fabric;
    uint32_t first, count;
    if (a->node[old].lid != b->node[now].lid) return true;
    bough_fabric_ports(a, old, &first, &count);
    for (uint32_t p = first; p < first + count; p++) {
        uint32_t q = c->old.same.port[p];
        if (q != BOUGH_NO_INDEX && a->port[p].lid != b->port[q].lid) return true;
    }
    return false;
}

/* A node that both have; without GUIDs its GUID, LID and text are not of one kind. */
static bough_status compare_node(compare *c, uint32_t v, uint32_t other) {
    const bough_fabric_node *old = &c->old.fabric->node[v], *now = &c->now.fabric->node[other];
    set_fate(&c->old, v, KEPT);
    set_fate(&c->now, other, KEPT);
    if (c->old.same.by_name) return BOUGH_OK;
    if (has_other_lid(c, v, other)) {
        c->relabelled++;
        nodes_of(c, old)->relabelled++;
        set_fate(&c->old, v, RELABELLED);
    }
    if (now->guid != old->guid) {
        set_fate(&c->old, v, REPLACED);
        return report_replaced(c, old, now);
    }
    if (strcmp(old->description, now->description) == 0) return BOUGH_OK;
    set_fate(&c->old, v, RENAMED);
    return report_renamed(c, old, now);
}

static void count_hosts(compare *c) {
    bough_node_changes *n = &c->changes->host;
    n->before = c->old.hosts;
    n->now = c->now.hosts;
    for (uint32_t i = 0; i < c->old.hosts; i++) {
        const uint8_t fate = c->old.fate[i];
        n->gone += !(fate & KEPT);
        n->replaced += (fate & REPLACED) != 0;
        n->renamed += (fate & RENAMED) != 0;
        n->relabelled += (fate & RELABELLED) != 0;
    }
    for (uint32_t i = 0; i < c->now.hosts; i++) n->fresh += !(c->now.fate[i] & KEPT);
}

static bough_status compare_nodes(compare *c) {
    const bough_fabric *a = c->old.fabric, *b = c->now.fabric;
    bough_status status = BOUGH_OK;
    for (uint32_t v = 0; v < a->node_count && !status; v++) {
        const uint32_t other = c->old.same.node[v];
        nodes_of(c, &a->node[v])->before++;
        status = other == BOUGH_NO_INDEX ? report_gone(c, &a->node[v]) : compare_node(c, v, other);
    }
    for (uint32_t v = 0; v < b->node_count && !status; v++) {
        nodes_of(c, &b->node[v])->now++;
        if (c->now.same.node[v] == BOUGH_NO_INDEX) status = report_new(c, &b->node[v]);
    }
    count_hosts(c);
    if (!status && c->relabelled)
        status = bough_findings_add(c->findings, &(bough_finding_head){BOUGH_INFO, "lids", b->source},
                                    c->error, "%" PRIu64 " nodes have another LID", c->relabelled);
    return status;
}

/* ---- cables ---- */

/* As the file says it: InfiniBand's lanes, or a rate. */
static const char *speed_text(const bough_fabric_port *p, char *buffer, size_t size) {
    char number[32];
    if (p->width)
        snprintf(buffer, size, "%ux%s", (unsigned)p->width, *p->speed ? p->speed : "?");
    else
        snprintf(buffer, size, "%s Gb/s", bough_format_real((double)p->rate / 1e9, number, sizeof number));
    return buffer;
}

static bough_status compare_speed(compare *c, const cable *old, uint32_t port) {
    const bough_fabric_port *was = &c->old.fabric->port[old->a], *is = &c->now.fabric->port[port];
    bough_cable_changes *k = cables_of(c, &c->old, old);
    int order = changes_speed(was, is);
    char a[48], b[48], at[160], to[160];
    if (order == 0) return BOUGH_OK;
    if (order < 0)
        k->slower++;
    else
        k->faster++;
    return bough_findings_add(c->findings,
                              &(bough_finding_head){order < 0 ? BOUGH_WARN : BOUGH_INFO,
                                                    order < 0 ? "cable-slower" : "cable-faster",
                                                    name_port(&c->now, port, at, sizeof at)},
                              c->error, "the cable to %s runs at %s, and ran at %s",
                              name_port(&c->now, is->peer, to, sizeof to), speed_text(is, a, sizeof a),
                              speed_text(was, b, sizeof b));
}

/* The cable between the same ports, if there is one. */
static bough_status match_same(compare *c) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < c->old.cables && !status; i++) {
        cable *k = &c->old.cable[i];
        uint32_t a = c->old.same.port[k->a], b = c->old.same.port[k->b];
        if (a == BOUGH_NO_INDEX || b == BOUGH_NO_INDEX || c->now.fabric->port[a].peer != b) continue;
        k->taken = c->now.cable[c->now.cable_at[a]].taken = true;
        status = compare_speed(c, k, a);
    }
    return status;
}

/* One end stays in its port. port: that end's, in the new fabric. */
static bough_status report_moved(compare *c, cable *old, cable *now, uint32_t stays_old, uint32_t stays_now) {
    uint32_t was = stays_old == old->a ? old->b : old->a, is = c->now.fabric->port[stays_now].peer;
    char at[160], from[160], to[160];
    old->taken = now->taken = true;
    cables_of(c, &c->now, now)->moved++;
    return bough_findings_add(
        c->findings,
        &(bough_finding_head){BOUGH_WARN, "cable-moved", name_port(&c->now, stays_now, at, sizeof at)},
        c->error, "the cable leads to %s, and led to %s", name_port(&c->now, is, to, sizeof to),
        name_port(&c->old, was, from, sizeof from));
}

static bough_status match_ends(compare *c) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < c->old.cables && !status; i++) {
        cable *k = &c->old.cable[i];
        const uint32_t end[] = {k->a, k->b};
        for (int e = 0; e < 2 && !k->taken && !status; e++) {
            uint32_t port = c->old.same.port[end[e]];
            uint32_t at = port == BOUGH_NO_INDEX ? BOUGH_NO_INDEX : c->now.cable_at[port];
            if (at == BOUGH_NO_INDEX || c->now.cable[at].taken) continue;
            status = report_moved(c, k, &c->now.cable[at], end[e], port);
        }
    }
    return status;
}

/* An untaken new cable between two nodes, of which v is one. */
static cable *between(compare *c, uint32_t v, uint32_t w) {
    const bough_fabric *f = c->now.fabric;
    uint32_t first, count;
    if (v == BOUGH_NO_INDEX || w == BOUGH_NO_INDEX) return NULL;
    bough_fabric_ports(f, v, &first, &count);
    for (uint32_t p = first; p < first + count; p++) {
        uint32_t at = c->now.cable_at[p];
        if (at == BOUGH_NO_INDEX || c->now.cable[at].taken) continue;
        if (f->port[f->port[p].peer].node == w) return &c->now.cable[at];
    }
    return NULL;
}

/* Both ends in other ports of the same nodes. */
static bough_status match_nodes(compare *c) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < c->old.cables && !status; i++) {
        cable *k = &c->old.cable[i], *by;
        if (k->taken) continue;
        by = between(c, c->old.same.node[c->old.fabric->port[k->a].node],
                     c->old.same.node[c->old.fabric->port[k->b].node]);
        if (!by) continue;
        char a[160], b[160], x[160], y[160];
        k->taken = by->taken = true;
        cables_of(c, &c->now, by)->moved++;
        status = bough_findings_add(
            c->findings,
            &(bough_finding_head){BOUGH_WARN, "cable-moved", name_port(&c->now, by->a, a, sizeof a)},
            c->error, "the cable to %s was between %s and %s", name_port(&c->now, by->b, b, sizeof b),
            name_port(&c->old, k->a, x, sizeof x), name_port(&c->old, k->b, y, sizeof y));
    }
    return status;
}

/* What is left, on one side. Cables of nodes that are on this side only go without saying. */
static bough_status report_rest(compare *c, const side *s, bool gone) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < s->cables && !status; i++) {
        const cable *k = &s->cable[i];
        char a[160], b[160];
        bough_cable_changes *n = cables_of(c, s, k);
        *(gone ? &n->before : &n->now) += 1;
        if (k->taken) continue;
        *(gone ? &n->gone : &n->fresh) += 1;
        if (s->same.node[s->fabric->port[k->a].node] == BOUGH_NO_INDEX ||
            s->same.node[s->fabric->port[k->b].node] == BOUGH_NO_INDEX)
            continue;
        status = bough_findings_add(
            c->findings,
            &(bough_finding_head){gone ? BOUGH_WARN : BOUGH_INFO, gone ? "cable-gone" : "cable-new",
                                  name_port(s, k->a, a, sizeof a)},
            c->error, "the cable to %s is %s", name_port(s, k->b, b, sizeof b), gone ? "gone" : "new");
    }
    return status;
}

bough_status bough_fabric_compare(const bough_fabric *old, const bough_fabric *now,
                                  bough_fabric_changes *changes, bough_findings *findings,
                                  bough_error *error) {
    compare c = {.changes = changes, .findings = findings, .error = error};
    *changes = (bough_fabric_changes){0};
    bough_status status = make_side(&c.old, old, now, error);
    TRY(make_side(&c.now, now, old, error));
    TRY(compare_nodes(&c));
    TRY(match_same(&c));
    TRY(match_ends(&c));
    TRY(match_nodes(&c));
    TRY(report_rest(&c, &c.old, true));
    TRY(report_rest(&c, &c.now, false));
    arena_fini(&c.old.same.memory);
    arena_fini(&c.now.same.memory);
    return status;
}
