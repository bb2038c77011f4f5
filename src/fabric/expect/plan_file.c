/* A plan with names against a fabric. Nodes and ports match as in a comparison of two recordings
 * (fabric/changes/); what differs there as time differs here as swapped, moved, missing and extra cables.
 *
 * An end of a planned cable is a port of the fabric, where both files number or name the ports of the node.
 * Else it is any port of the node that no planned cable has yet. */
#include "base/memory/index_map.h"
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "fabric/changes/changes_match.h"
#include "fabric/expect/deviations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare {
    const bough_fabric *fabric;
    bough_fabric *plan;
    changes_same to;                 /* from nodes and ports of the plan to those of the fabric */
    uint32_t *node_from, *port_from; /* the reverse */
    uint8_t *taken_planned, *taken;  /* [port]: the cable there is reported, or as planned */
    bool hosts;                      /* the plan has hosts */
    bough_expected *e;
    bough_error *error;
} compare;

/* ---- reading ---- */

static bough_status read_plan(const char *text, bough_fabric *plan, bough_error *error) {
    bough_spec spec;
    const char *path = NULL, *hosts = NULL;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    for (unsigned i = 0; i < spec.count; i++) {
        const char *key = spec.arg[i].key;
        if (!key || strcmp(key, "file") == 0)
            path = spec.arg[i].value;
        else if (strcmp(key, "hosts") == 0)
            hosts = spec.arg[i].value;
        else if (!status)
            status = bough_fail(error, BOUGH_INVALID, NULL,
                                "--expect: a plan has no %.40s; it takes file and hosts", key);
    }
    if (!status && !path) status = bough_fail(error, BOUGH_INVALID, NULL, "--expect: %s has no file", text);
    TRY(bough_fabric_read_file(&(bough_fabric_file){.path = path, .hosts = hosts}, plan, error));
    bough_spec_fini(&spec);
    return status;
}

/* A list of cables tells hosts from switches by the number of their cables, which may not all be in a plan:
 * nodes of one name are of one kind. A name of the plan may be a GUID. */
static bough_status adopt_kinds(compare *c) {
    bough_name_map names = {.memory = &c->to.memory};
    bough_index_map guids = {.memory = &c->to.memory};
    const bough_fabric *f = c->fabric;
    bough_status status = BOUGH_OK;
    if (!c->plan->made_ids) return BOUGH_OK;
    for (uint32_t v = 0; v < f->node_count && !status; v++) {
        const bough_fabric_node *n = &f->node[v];
        const char *name = f->made_ids ? n->description : n->name;
        status = bough_name_map_add(&names, name, strlen(name), v, c->error);
        if (!f->made_ids) TRY(bough_index_map_put(&guids, n->guid, v, c->error));
    }
    for (uint32_t v = 0; v < c->plan->node_count && !status; v++) {
        bough_fabric_node *n = &c->plan->node[v];
        const char *name = f->made_ids ? n->description : n->name;
        char *end;
        uint64_t guid = strtoull(n->name, &end, 16);
        uint32_t same = bough_name_map_get(&names, name, strlen(name));
        if (same == BOUGH_NO_INDEX && !f->made_ids && !*end && strlen(n->name) >= 16) {
            same = bough_index_map_get(&guids, guid);
            if (same != BOUGH_NO_INDEX) memcpy(n->name, f->node[same].name, sizeof n->name);
        }
        if (same != BOUGH_NO_INDEX) n->kind = f->node[same].kind;
    }
    return status;
}

static bough_status match(compare *c) {
    const bough_fabric *f = c->fabric, *p = c->plan;
    bough_status status = changes_match(p, f, &c->to, c->error);
    if (!status && !c->to.sure)
        status = bough_fail(c->error, BOUGH_INVALID, p->source, "no %s in it is in %s; expected a plan of it",
                            c->to.by_name ? "name" : "GUID", f->source);
    TRY(arena_alloc(&c->to.memory, &c->node_from, f->node_count, sizeof *c->node_from, c->error));
    TRY(arena_alloc(&c->to.memory, &c->port_from, f->port_count, sizeof *c->port_from, c->error));
    TRY(arena_alloc(&c->to.memory, &c->taken_planned, p->port_count, 1, c->error));
    TRY(arena_alloc(&c->to.memory, &c->taken, f->port_count, 1, c->error));
    if (status) return status;
    memset(c->node_from, 0xff, f->node_count * sizeof *c->node_from);
    memset(c->port_from, 0xff, f->port_count * sizeof *c->port_from);
    for (uint32_t v = 0; v < p->node_count; v++) {
        if (c->to.node[v] != BOUGH_NO_INDEX) c->node_from[c->to.node[v]] = v;
        c->hosts |= p->node[v].kind == BOUGH_FABRIC_ADAPTER && !p->node[v].aggregation;
    }
    for (uint32_t k = 0; k < p->port_count; k++)
        if (c->to.port[k] != BOUGH_NO_INDEX) c->port_from[c->to.port[k]] = k;
    return BOUGH_OK;
}

/* ---- names ---- */

/* The cable at a port, from there. Returns buffer. */
static char *put_cable(const bough_fabric *f, uint32_t port, char buffer[CABLE_NAME]) {
    char a[140], b[140];
    snprintf(buffer, CABLE_NAME, "%s -> %s", bough_fabric_port_text(f, port, a, sizeof a),
             bough_fabric_port_text(f, f->port[port].peer, b, sizeof b));
    return buffer;
}

/* ---- ends ---- */

/* Whether cables of a node are compared. */
static bool is_wanted(const compare *c, const bough_fabric_node *node) {
    return node->kind != BOUGH_FABRIC_ADAPTER || c->hosts;
}

static void take_planned(compare *c, uint32_t port) {
    c->taken_planned[port] = c->taken_planned[c->plan->port[port].peer] = 1;
}

static void take(compare *c, uint32_t port) {
    c->taken[port] = c->taken[c->fabric->port[port].peer] = 1;
}

static bool is_open(const bough_fabric *f, const uint8_t *taken, uint32_t port) {
    return f->port[port].peer != BOUGH_NO_INDEX && !taken[port];
}

/* A loop over the open cables at one end: while ((x = ends_next(&at)) != BOUGH_NO_INDEX). */
typedef struct ends {
    const bough_fabric *f;
    const uint8_t *taken;
    const uint32_t *matched; /* [port]: of the other file, or BOUGH_NO_INDEX */
    uint32_t at, stop;
    bool free; /* only ports that are not matched */
} ends;

static ends ends_of(const bough_fabric *f, const uint8_t *taken, const uint32_t *matched) {
    return (ends){.f = f, .taken = taken, .matched = matched};
}

static uint32_t ends_next(ends *e) {
    while (e->at < e->stop) {
        uint32_t port = e->at++;
        if (is_open(e->f, e->taken, port) && !(e->free && e->matched[port] != BOUGH_NO_INDEX)) return port;
    }
    return BOUGH_NO_INDEX;
}

static void set_range(ends *e, uint32_t port, uint32_t node, bool numbered) {
    uint32_t first, count;
    if (port != BOUGH_NO_INDEX) {
        e->at = port;
        e->stop = port + 1;
    } else if (node != BOUGH_NO_INDEX && !numbered) {
        bough_fabric_ports(e->f, node, &first, &count);
        e->at = first;
        e->stop = first + count;
        e->free = true;
    }
}

/* Ports of the fabric that can be a planned port. */
static ends ends_at(const compare *c, uint32_t planned) {
    ends e = ends_of(c->fabric, c->taken, c->port_from);
    uint32_t v = c->plan->port[planned].node, w = c->to.node[v];
    bool numbered = w != BOUGH_NO_INDEX && changes_tell_ports(&c->plan->node[v], &c->fabric->node[w]);
    set_range(&e, c->to.port[planned], w, numbered);
    return e;
}

/* Planned ports that a port of the fabric can be. */
static ends planned_at(const compare *c, uint32_t port) {
    ends e = ends_of(c->plan, c->taken_planned, c->to.port);
    uint32_t w = c->fabric->port[port].node, v = c->node_from[w];
    bool numbered = v != BOUGH_NO_INDEX && changes_tell_ports(&c->plan->node[v], &c->fabric->node[w]);
    set_range(&e, c->port_from[port], v, numbered);
    return e;
}

static bool is_end(const compare *c, uint32_t planned, uint32_t port) {
    ends e = ends_at(c, planned);
    for (uint32_t x; (x = ends_next(&e)) != BOUGH_NO_INDEX;)
        if (x == port) return true;
    return false;
}

/* ---- cables ---- */

static const char *rate_text(const bough_fabric_port *p, char *buffer, size_t size) {
    char number[32];
    if (p->width && *p->speed)
        snprintf(buffer, size, "%ux%s", (unsigned)p->width, p->speed);
    else
        snprintf(buffer, size, "%s Gb/s", bough_format_real((double)p->rate / 1e9, number, sizeof number));
    return buffer;
}

static bough_status compare_rate(compare *c, uint32_t planned, uint32_t port) {
    const bough_fabric_port *p = &c->plan->port[planned], *q = &c->fabric->port[port];
    char now[CABLE_NAME], then[CABLE_NAME], a[48], b[48];
    if (changes_speed(p, q) == 0) return BOUGH_OK;
    deviation_head head = {BOUGH_DEVIATION_OTHER_RATE,
                           BOUGH_WARN,
                           {put_cable(c->fabric, port, now)},
                           {put_cable(c->plan, planned, then)},
                           NULL};
    return deviation_add(c->e, &head, c->error, "runs at %s, planned %s", rate_text(q, a, sizeof a),
                         rate_text(p, b, sizeof b));
}

static bough_status find_right(compare *c) {
    const bough_fabric *p = c->plan;
    bough_status status = BOUGH_OK;
    for (uint32_t k = 0; k < p->port_count && !status; k++) {
        uint32_t peer = p->port[k].peer;
        if (peer == BOUGH_NO_INDEX || peer < k || !is_open(p, c->taken_planned, k)) continue;
        uint32_t a = c->to.port[k], b = c->to.port[peer];
        if (a == BOUGH_NO_INDEX || b == BOUGH_NO_INDEX || c->fabric->port[a].peer != b) continue;
        take_planned(c, k);
        take(c, a);
        c->e->right++;
        status = compare_rate(c, k, a);
    }
    return status;
}

/* Two planned cables and two of the fabric on the same four ends: a-b, z-w are planned; a-w, z-b are. */
typedef struct swap {
    uint32_t a, z;    /* planned */
    uint32_t at, out; /* of the fabric: the ends at a and z */
} swap;

static bool find_out(const compare *c, uint32_t b, swap *s) {
    ends e = ends_at(c, b);
    for (uint32_t y; (y = ends_next(&e)) != BOUGH_NO_INDEX;) {
        s->out = c->fabric->port[y].peer;
        if (y != s->at && s->out != s->at && is_end(c, s->z, s->out)) return true;
    }
    return false;
}

static bool find_swap(const compare *c, uint32_t a, swap *s) {
    const uint32_t b = c->plan->port[a].peer;
    ends at = ends_at(c, a);
    s->a = a;
    for (uint32_t x; (x = ends_next(&at)) != BOUGH_NO_INDEX;) {
        ends other = planned_at(c, c->fabric->port[x].peer);
        s->at = x;
        for (uint32_t w; (w = ends_next(&other)) != BOUGH_NO_INDEX;) {
            s->z = c->plan->port[w].peer;
            if (w != a && w != b && find_out(c, b, s)) return true;
        }
    }
    return false;
}

static bough_status report_swap(compare *c, const swap *s) {
    char now[2][CABLE_NAME], then[2][CABLE_NAME];
    deviation_head head = {BOUGH_DEVIATION_SWAPPED,
                           BOUGH_WARN,
                           {put_cable(c->fabric, s->at, now[0]), put_cable(c->fabric, s->out, now[1])},
                           {put_cable(c->plan, s->a, then[0]), put_cable(c->plan, s->z, then[1])},
                           NULL};
    take_planned(c, s->a);
    take_planned(c, s->z);
    take(c, s->at);
    take(c, s->out);
    return deviation_add(c->e, &head, c->error, "is swapped with %s; planned: %s and %s", now[1], then[0],
                         then[1]);
}

/* An open cable of the fabric between the nodes of a planned one, from its end; one that shares a port first.
 */
static uint32_t find_between(const compare *c, uint32_t k) {
    const bough_fabric *f = c->fabric, *p = c->plan;
    uint32_t v = c->to.node[p->port[k].node], w = c->to.node[p->port[p->port[k].peer].node];
    uint32_t a = c->to.port[k], b = c->to.port[p->port[k].peer], best = BOUGH_NO_INDEX, first, count;
    if (v == BOUGH_NO_INDEX || w == BOUGH_NO_INDEX) return BOUGH_NO_INDEX;
    bough_fabric_ports(f, v, &first, &count);
    for (uint32_t x = first; x < first + count; x++) {
        if (!is_open(f, c->taken, x) || f->port[f->port[x].peer].node != w) continue;
        if (x == a || f->port[x].peer == b) return x;
        if (best == BOUGH_NO_INDEX) best = x;
    }
    return best;
}

static bough_status report_pair(compare *c, uint32_t planned, uint32_t port, bough_deviation_kind kind) {
    char now[CABLE_NAME], then[CABLE_NAME];
    deviation_head head = {
        kind, BOUGH_WARN, {put_cable(c->fabric, port, now)}, {put_cable(c->plan, planned, then)}, NULL};
    take_planned(c, planned);
    take(c, port);
    bough_status status =
        deviation_add(c->e, &head, c->error,
                      kind == BOUGH_DEVIATION_MOVED ? "one end is at another node; planned: %s"
                                                    : "at another port; planned: %s",
                      then);
    if (kind == BOUGH_DEVIATION_OTHER_PORT) TRY(compare_rate(c, planned, port));
    return status;
}

/* Of an open planned cable: the open one of the fabric at its end whose other end is a node of the plan. */
static uint32_t find_moved(const compare *c, uint32_t k) {
    const bough_fabric *f = c->fabric;
    uint32_t other = c->plan->port[c->plan->port[k].peer].node;
    ends e = ends_at(c, k);
    if (c->to.node[other] == BOUGH_NO_INDEX) return BOUGH_NO_INDEX;
    for (uint32_t x; (x = ends_next(&e)) != BOUGH_NO_INDEX;)
        if (c->node_from[f->port[f->port[x].peer].node] != BOUGH_NO_INDEX) return x;
    return BOUGH_NO_INDEX;
}

typedef bough_status step(compare *c, uint32_t k);

static bough_status try_swap(compare *c, uint32_t k) {
    swap s;
    return find_swap(c, k, &s) ? report_swap(c, &s) : BOUGH_OK;
}

static bough_status try_between(compare *c, uint32_t k) {
    uint32_t x = find_between(c, k);
    return x == BOUGH_NO_INDEX ? BOUGH_OK : report_pair(c, k, x, BOUGH_DEVIATION_OTHER_PORT);
}

static bough_status try_moved(compare *c, uint32_t k) {
    for (int side = 0; side < 2; side++, k = c->plan->port[k].peer) {
        uint32_t x = find_moved(c, k);
        if (x != BOUGH_NO_INDEX) return report_pair(c, k, x, BOUGH_DEVIATION_MOVED);
    }
    return BOUGH_OK;
}

static bough_status report_missing(compare *c, uint32_t k) {
    const bough_fabric *p = c->plan;
    char name[CABLE_NAME];
    if (c->to.node[p->port[k].node] == BOUGH_NO_INDEX ||
        c->to.node[p->port[p->port[k].peer].node] == BOUGH_NO_INDEX) {
        c->e->cables_of_missing++;
        return BOUGH_OK;
    }
    deviation_head head = {BOUGH_DEVIATION_MISSING, BOUGH_WARN, {0}, {put_cable(p, k, name)}, NULL};
    return deviation_add(c->e, &head, c->error, "this cable is missing");
}

/* For each planned cable that is still open. */
static bough_status each_planned(compare *c, step *visit) {
    const bough_fabric *p = c->plan;
    bough_status status = BOUGH_OK;
    for (uint32_t k = 0; k < p->port_count && !status; k++)
        if (is_open(p, c->taken_planned, k) && k < p->port[k].peer) status = visit(c, k);
    return status;
}

/* What is not in the plan, and the numbers of cables. */
static bough_status report_extra(compare *c) {
    const bough_fabric *f = c->fabric;
    bough_status status = BOUGH_OK;
    for (uint32_t x = 0; x < f->port_count && !status; x++) {
        char name[CABLE_NAME];
        if (!is_open(f, c->taken, x) || f->port[x].peer < x) continue;
        uint32_t v = f->port[x].node, w = f->port[f->port[x].peer].node;
        if (!is_wanted(c, &f->node[v]) || !is_wanted(c, &f->node[w])) continue;
        if (c->node_from[v] == BOUGH_NO_INDEX || c->node_from[w] == BOUGH_NO_INDEX) {
            c->e->cables_of_extra++;
            continue;
        }
        deviation_head head = {BOUGH_DEVIATION_EXTRA, BOUGH_WARN, {put_cable(f, x, name)}, {0}, NULL};
        status = deviation_add(c->e, &head, c->error, "this cable is not in the plan");
    }
    return status;
}

static uint64_t count_cables(const compare *c, const bough_fabric *f) {
    uint64_t count = 0;
    for (uint32_t x = 0; x < f->port_count; x++) {
        uint32_t peer = f->port[x].peer;
        if (peer == BOUGH_NO_INDEX || peer < x) continue;
        count += is_wanted(c, &f->node[f->port[x].node]) && is_wanted(c, &f->node[f->port[peer].node]);
    }
    return count;
}

/* ---- nodes ---- */

/* Its cables, and where the only one is. */
static bough_status report_node(compare *c, const bough_fabric *f, uint32_t v, bough_deviation_kind kind) {
    const bool missing = kind == BOUGH_DEVIATION_NODE_MISSING;
    const char *word = f->node[v].kind == BOUGH_FABRIC_ADAPTER ? "host" : "switch";
    deviation_head head = {kind, BOUGH_WARN, {0}, {0}, f->node[v].name};
    uint32_t first, count, cables = 0, only = BOUGH_NO_INDEX;
    char cable[CABLE_NAME];
    bough_fabric_ports(f, v, &first, &count);
    for (uint32_t x = first; x < first + count; x++) {
        if (f->port[x].peer == BOUGH_NO_INDEX) continue;
        cables++;
        only = x;
    }
    const char *is = missing ? "is missing" : "is not in the plan";
    if (cables == 1)
        return deviation_add(c->e, &head, c->error, "this %s %s; %s: %s", word, is,
                             missing ? "planned" : "its cable", put_cable(f, only, cable));
    return deviation_add(c->e, &head, c->error, "this %s %s; it has %" PRIu32 " cables%s", word, is, cables,
                         missing ? " in the plan" : "");
}

static bough_status compare_nodes(compare *c, const bough_fabric *f, const uint32_t *other,
                                  bough_deviation_kind kind) {
    bough_status status = BOUGH_OK;
    uint64_t *count = kind == BOUGH_DEVIATION_NODE_MISSING ? &c->e->nodes_planned : &c->e->nodes;
    for (uint32_t v = 0; v < f->node_count && !status; v++) {
        const bough_fabric_node *node = &f->node[v];
        if (!is_wanted(c, node) || (node->aggregation && other[v] == BOUGH_NO_INDEX)) continue;
        (*count)++;
        if (other[v] == BOUGH_NO_INDEX) status = report_node(c, f, v, kind);
    }
    return status;
}

static bough_status note_hosts(compare *c) {
    if (c->hosts) return BOUGH_OK;
    return bough_findings_add(
        &c->e->findings, &(bough_finding_head){BOUGH_INFO, "plan", c->plan->source, 0}, c->error,
        "the plan has no hosts: only switches and the cables between them are compared");
}

static bough_status compare_cables(compare *c) {
    bough_status status = find_right(c);
    TRY(each_planned(c, try_swap));
    TRY(each_planned(c, try_between));
    TRY(each_planned(c, try_moved));
    TRY(each_planned(c, report_missing));
    TRY(report_extra(c));
    if (status) return status;
    c->e->cables_planned = count_cables(c, c->plan);
    c->e->cables = count_cables(c, c->fabric);
    return BOUGH_OK;
}

bough_status expect_plan(const bough_fabric *fabric, bough_fabric *plan, bough_expected *expected,
                         bough_error *error) {
    compare c = {.fabric = fabric, .plan = plan, .e = expected, .error = error};
    bough_status status = adopt_kinds(&c);
    TRY(match(&c));
    TRY(compare_cables(&c));
    TRY(compare_nodes(&c, plan, c.to.node, BOUGH_DEVIATION_NODE_MISSING));
    TRY(compare_nodes(&c, fabric, c.node_from, BOUGH_DEVIATION_NODE_EXTRA));
    TRY(note_hosts(&c));
    arena_fini(&c.to.memory);
    return status;
}

bough_status expect_file(const bough_fabric *fabric, const char *spec, bough_expected *expected,
                         bough_error *error) {
    bough_fabric plan = {0};
    bough_status status = read_plan(spec, &plan, error);
    TRY(expect_plan(fabric, &plan, expected, error));
    bough_fabric_fini(&plan);
    return status;
}
