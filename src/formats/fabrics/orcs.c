/* The topology of an ORCS file:
 *
 *   digraph {
 *       H1 -> S34 [hostname="login1", comment="*"]      the cable of a host
 *       S34 -> H1 [comment="H1"]                        its other direction
 *       S34 -> S2 [comment="H28, H44, H45"]             a cable, and the hosts routed over it
 *   }
 *
 * A host's LID is its number; switches have no LID. The file has no port numbers: the cables of a node get 1,
 * 2, .. in the order in which they first appear in the file, from either side. The i-th line from A to B and
 * the i-th line from B to A are the two directions of one cable. */
#include "formats/fabrics/parsed_fabric.h"

#include "base/status/try.h"
#include "formats/fabrics/dot_language.h"

#include <inttypes.h>
#include <stdlib.h>

/* A cable from node a; next: of the same two nodes. */
typedef struct cable {
    uint32_t a, port_a, port_b, next;
} cable;

/* The cables between two nodes. waiting: the first one whose line is still missing, in the direction from the
 * node with the lower index, and in the other. */
typedef struct couple {
    uint32_t last, waiting[2];
} couple;

/* One direction of a cable: a line of the file. */
typedef struct edge {
    uint32_t from, to, line;
    bough_slice comment, hostname;
    uint32_t port, peer; /* numbers of the ports at both ends */
} edge;

typedef struct reader {
    bough_dot dot;
    bough_parsed_fabric *parsed;
    cable *cable;
    couple *couple;
    size_t cables, couples;
    bough_index_map between; /* two nodes -> their cables */
} reader;

/* The number in H12 or S3; UINT64_MAX if the name has another form or the number is above max. */
static uint64_t name_number(bough_slice name, char letter, uint64_t max) {
    uint64_t value = 0;
    if (name.length < 2 || name.text[0] != letter) return UINT64_MAX;
    for (size_t i = 1; i < name.length; i++) {
        if (name.text[i] < '0' || name.text[i] > '9') return UINT64_MAX;
        value = value * 10 + (uint64_t)(name.text[i] - '0');
        if (value > max) return UINT64_MAX;
    }
    return value;
}

/* Returns the node with this name; adds it if new. */
static bough_status find_node(reader *r, const bough_dot_token *token, uint32_t *node) {
    const bough_slice name = token->text;
    bool host = name.length && name.text[0] == 'H';
    bough_fabric_kind kind = host ? BOUGH_FABRIC_ADAPTER : BOUGH_FABRIC_SWITCH;
    uint64_t number = host ? name_number(name, 'H', BOUGH_LID_MAX) : name_number(name, 'S', UINT32_MAX);
    if (number == UINT64_MAX || (host && number == 0))
        return scan_fail_line(
            &r->dot.in, token->line,
            "\"%s\" is not a node of an ORCS file; expected H and a number from 1 to %d, or S and a number",
            SHOWN(name), BOUGH_LID_MAX);
    bough_index_map *guids = &r->parsed->guids[kind];
    *node = bough_index_map_get(guids, number);
    if (*node != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_parsed_node new = {.own = {.kind = kind, .guid = number}, .description = name, .line = token->line};
    bough_status status = bough_parsed_add_node(r->parsed, &new, node);
    return status ? status : bough_index_map_put(guids, number, *node, r->parsed->error);
}

/* Takes the next free port number of a node. */
static bough_status take_port(reader *r, uint32_t node, uint32_t line, uint32_t *number) {
    bough_fabric_node *n = &r->parsed->node[node];
    if (n->ports_declared == BOUGH_PORT_MAX)
        return scan_fail_line(&r->dot.in, line, "a node has more than 254 cables");
    n->made_ports = true;
    *number = ++n->ports_declared;
    return BOUGH_OK;
}

static bough_status new_cable(reader *r, couple *c, const edge *e) {
    cable added = {.a = e->from, .next = BOUGH_NO_INDEX};
    bough_status status = take_port(r, e->from, e->line, &added.port_a);
    TRY(take_port(r, e->to, e->line, &added.port_b));
    TRY(arena_grow(&r->parsed->memory, &r->cable, r->cables + 1, sizeof *r->cable, r->parsed->error));
    if (status) return status;
    if (c->last != BOUGH_NO_INDEX) r->cable[c->last].next = (uint32_t)r->cables;
    c->last = (uint32_t)r->cables;
    r->cable[r->cables++] = added;
    return BOUGH_OK;
}

static bough_status find_couple(reader *r, uint64_t key, couple **c) {
    uint32_t index = bough_index_map_get(&r->between, key);
    if (index == BOUGH_NO_INDEX) {
        bough_status status =
            arena_grow(&r->parsed->memory, &r->couple, r->couples + 1, sizeof *r->couple, r->parsed->error);
        if (status) return status;
        index = (uint32_t)r->couples++;
        r->couple[index] = (couple){BOUGH_NO_INDEX, {BOUGH_NO_INDEX, BOUGH_NO_INDEX}};
        status = bough_index_map_put(&r->between, key, index, r->parsed->error);
        if (status) return status;
    }
    *c = &r->couple[index];
    return BOUGH_OK;
}

/* Finds the port numbers at both ends of the cable of which this edge is one direction. */
static bough_status find_ports(reader *r, edge *e) {
    bool down = e->from > e->to;
    uint64_t key = down ? ((uint64_t)e->to << 32 | e->from) : ((uint64_t)e->from << 32 | e->to);
    couple *c;
    bough_status status = find_couple(r, key, &c);
    if (status) return status;
    uint32_t found = c->waiting[down];
    if (found == BOUGH_NO_INDEX) {
        status = new_cable(r, c, e);
        if (status) return status;
        found = c->last;
        if (c->waiting[!down] == BOUGH_NO_INDEX) c->waiting[!down] = found;
    } else {
        c->waiting[down] = r->cable[found].next;
    }
    const cable *k = &r->cable[found];
    e->port = k->a == e->from ? k->port_a : k->port_b;
    e->peer = k->a == e->from ? k->port_b : k->port_a;
    return BOUGH_OK;
}

/* Reads [hostname="login1", comment="*"] up to the next token; missing attributes stay empty. */
static bough_status read_attributes(reader *r, edge *e) {
    bough_status status;
    while (!(status = bough_dot_next(&r->dot)) && !bough_dot_is(&r->dot, "]")) {
        if (bough_dot_is(&r->dot, ",") || bough_dot_is(&r->dot, ";")) continue;
        bough_slice *into = bough_dot_is(&r->dot, "comment")    ? &e->comment
                            : bough_dot_is(&r->dot, "hostname") ? &e->hostname
                                                                : NULL;
        if (!bough_dot_named(&r->dot)) break;
        status = bough_dot_next(&r->dot);
        if (status || !bough_dot_is(&r->dot, "=")) break;
        status = bough_dot_next(&r->dot);
        if (status || !bough_dot_named(&r->dot)) break;
        if (into) *into = r->dot.token.text;
    }
    if (status) return status;
    if (!bough_dot_is(&r->dot, "]"))
        return bough_dot_fail(&r->dot, "expected attributes in brackets: [name=\"text\", ..]");
    return bough_dot_next(&r->dot);
}

static bough_status set_hostname(reader *r, const edge *e) {
    if (!e->hostname.length) return BOUGH_OK;
    return arena_copy_bytes(r->parsed->kept, &r->parsed->node[e->from].description, e->hostname.text,
                            e->hostname.length, r->parsed->error);
}

static bough_status add_route(reader *r, const edge *e) {
    bough_parsed_fabric *p = r->parsed;
    bough_status status =
        arena_grow(&p->memory, &p->route, p->route_count + 1, sizeof *p->route, r->parsed->error);
    if (!status)
        p->route[p->route_count++] =
            (bough_parsed_route){.node = e->from, .port = e->port, .line = e->line, .hosts = e->comment};
    return status;
}

static bough_status add_edge(reader *r, edge *e) {
    const bough_fabric_node *from = &r->parsed->node[e->from], *to = &r->parsed->node[e->to];
    bool from_host = from->kind == BOUGH_FABRIC_ADAPTER, to_host = to->kind == BOUGH_FABRIC_ADAPTER;
    if (from == to) return scan_fail_line(&r->dot.in, e->line, "cable from a node to itself");
    if (from_host && to_host)
        return scan_fail_line(&r->dot.in, e->line, "cable between two hosts; expected a switch at one end");
    bough_status status = find_ports(r, e);
    if (status) return status;
    bough_parsed_port p = {.own = {.node = e->from, .number = e->port},
                           .line = e->line,
                           .cabled = true,
                           .peer_kind = to->kind,
                           .peer_key = to->guid,
                           .peer_number = e->peer};
    /* A host has one LID for all its cables. */
    if (from_host && e->port == 1) p.own.lid = (uint32_t)from->guid;
    if (to_host && e->peer == 1) p.peer_lid = (uint32_t)to->guid;
    status = bough_parsed_add_port(r->parsed, &p);
    if (status) return status;
    return from_host ? set_hostname(r, e) : add_route(r, e);
}

/* Reads a statement that starts with a name: an edge, or another dot statement (node attributes, settings),
 * which is skipped. */
static bough_status read_statement(reader *r) {
    bough_dot_token name = r->dot.token;
    edge e = {.line = name.line, .comment.text = "", .hostname.text = ""};
    bough_status status = bough_dot_next(&r->dot);
    if (status) return status;
    if (bough_dot_is(&r->dot, "[")) return read_attributes(r, &e);
    if (bough_dot_is(&r->dot, "=")) {
        status = bough_dot_next(&r->dot);
        return status ? status : bough_dot_next(&r->dot);
    }
    if (r->dot.token.kind != BOUGH_DOT_ARROW)
        return scan_fail_line(&r->dot.in, name.line, "expected a cable: A -> B [comment=\"..\"]");
    status = find_node(r, &name, &e.from);
    TRY(bough_dot_next(&r->dot));
    TRY(find_node(r, &r->dot.token, &e.to));
    TRY(bough_dot_next(&r->dot));
    if (!status && bough_dot_is(&r->dot, "[")) status = read_attributes(r, &e);
    return status ? status : add_edge(r, &e);
}

static bough_status read_graph(reader *r) {
    bough_dot *dot = &r->dot;
    bough_status status = bough_dot_next(&r->dot);
    if (!status && bough_dot_is(dot, "strict")) status = bough_dot_next(&r->dot);
    if (status) return status;
    if (!bough_dot_is(dot, "digraph")) return bough_dot_fail(dot, "expected \"digraph {\"");
    status = bough_dot_next(&r->dot);
    if (!status && bough_dot_named(dot)) status = bough_dot_next(&r->dot);
    if (status) return status;
    if (!bough_dot_is(dot, "{")) return bough_dot_fail(dot, "expected \"digraph {\"");
    status = bough_dot_next(&r->dot);
    while (!status && !bough_dot_is(dot, "}")) {
        if (dot->token.kind == BOUGH_DOT_END)
            return bough_dot_fail(dot, "missing closing brace; the file may be truncated");
        if (bough_dot_is(dot, ";"))
            status = bough_dot_next(&r->dot);
        else if (bough_dot_named(dot))
            status = read_statement(r);
        else
            return bough_dot_fail(dot, "expected a cable: A -> B [comment=\"..\"]");
    }
    TRY(bough_dot_next(&r->dot));
    if (!status && dot->token.kind != BOUGH_DOT_END)
        return bough_dot_fail(dot, "unexpected text after the closing brace");
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.dot = bough_dot_start(scan), .parsed = parsed, .between.memory = &parsed->memory};
    return read_graph(&r);
}

static bool recognise(const scanner *scan) {
    return scan_starts(scan, "digraph") || scan_starts(scan, "strict");
}

const bough_fabric_reader bough_reader_orcs = {
    .format = "orcs", .has_routes = true, .recognise = recognise, .read = read_file};
