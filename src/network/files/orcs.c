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
#include "network/files/orcs.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "network/files/dot_language.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A cable between nodes a and b; next: of the same two. */
typedef struct cable {
    uint32_t a, b, port_a, port_b, next;
} cable;

/* The cables between two nodes. waiting: the first one whose line is still missing, in the direction from the
 * node with the lower index, and in the other. */
typedef struct couple {
    uint32_t last, waiting[2];
} couple;

typedef struct reader {
    bough_dot dot;
    bough_parsed_fabric *parsed;
    bough_orcs *orcs;
    bough_error *error;
    cable *cable;
    couple *couple;
    size_t cables, cable_capacity, couples, couple_capacity;
    bough_index_map between; /* two nodes -> their cables */
} reader;

static bough_status fail(const reader *r, uint32_t line, const char *what) {
    return bough_dot_fail(&r->dot, line, r->error, what);
}

static bough_status next(reader *r) {
    return bough_dot_next(&r->dot, r->error);
}

/* The number in H12 or S3; UINT64_MAX if the name has another form or the number is above max. */
static uint64_t name_number(const bough_dot_token *name, char letter, uint64_t max) {
    uint64_t value = 0;
    if (name->length < 2 || name->text[0] != letter) return UINT64_MAX;
    for (size_t i = 1; i < name->length; i++) {
        if (name->text[i] < '0' || name->text[i] > '9') return UINT64_MAX;
        value = value * 10 + (uint64_t)(name->text[i] - '0');
        if (value > max) return UINT64_MAX;
    }
    return value;
}

/* Returns the node with this name; adds it if new. */
static bough_status find_node(reader *r, const bough_dot_token *name, uint32_t *node) {
    bool host = name->length && name->text[0] == 'H';
    bough_fabric_kind kind = host ? BOUGH_FABRIC_ADAPTER : BOUGH_FABRIC_SWITCH;
    uint64_t number = host ? name_number(name, 'H', BOUGH_LID_MAX) : name_number(name, 'S', UINT32_MAX);
    if (number == UINT64_MAX || (host && number == 0)) {
        char text[40], place[256];
        bough_copy_printable(name->text, name->length, text, sizeof text);
        return bough_fail(
            r->error, BOUGH_INVALID, bough_place(place, sizeof place, r->parsed->name, name->line),
            "\"%s\" is not a node of an ORCS file; expected H and a number from 1 to %d, or S and a number",
            text, BOUGH_LID_MAX);
    }
    bough_index_map *guids = &r->parsed->guids[kind];
    *node = bough_index_map_get(guids, number);
    if (*node != BOUGH_NO_INDEX) return BOUGH_OK;
    bough_status status =
        bough_parsed_add_node(r->parsed, kind, number, name->text, name->length, name->line, node, r->error);
    return status ? status : bough_index_map_put(guids, number, *node, r->error);
}

/* Takes the next free port number of a node. */
static bough_status take_port(reader *r, uint32_t node, uint32_t line, uint32_t *number) {
    bough_fabric_node *n = &r->parsed->node[node];
    if (n->ports_declared == BOUGH_PORT_MAX) return fail(r, line, "a node has more than 254 cables");
    n->made_ports = true;
    *number = ++n->ports_declared;
    return BOUGH_OK;
}

static bough_status new_cable(reader *r, couple *c, uint32_t from, uint32_t to, uint32_t line) {
    cable added = {.a = from, .b = to, .next = BOUGH_NO_INDEX};
    bough_status status = take_port(r, from, line, &added.port_a);
    TRY(take_port(r, to, line, &added.port_b));
    TRY(bough_grow(&r->cable, &r->cable_capacity, r->cables + 1, sizeof *r->cable, r->error));
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
            bough_grow(&r->couple, &r->couple_capacity, r->couples + 1, sizeof *r->couple, r->error);
        if (status) return status;
        index = (uint32_t)r->couples++;
        r->couple[index] = (couple){BOUGH_NO_INDEX, {BOUGH_NO_INDEX, BOUGH_NO_INDEX}};
        status = bough_index_map_put(&r->between, key, index, r->error);
        if (status) return status;
    }
    *c = &r->couple[index];
    return BOUGH_OK;
}

/* Finds the port numbers at both ends of the cable of which this line is one direction. */
static bough_status find_cable(reader *r, uint32_t from, uint32_t to, uint32_t line, uint32_t *port,
                               uint32_t *peer) {
    bool down = from > to;
    uint64_t key = down ? ((uint64_t)to << 32 | from) : ((uint64_t)from << 32 | to);
    couple *c;
    bough_status status = find_couple(r, key, &c);
    if (status) return status;
    uint32_t found = c->waiting[down];
    if (found == BOUGH_NO_INDEX) {
        status = new_cable(r, c, from, to, line);
        if (status) return status;
        found = c->last;
        if (c->waiting[!down] == BOUGH_NO_INDEX) c->waiting[!down] = found;
    } else {
        c->waiting[down] = r->cable[found].next;
    }
    const cable *k = &r->cable[found];
    *port = k->a == from ? k->port_a : k->port_b;
    *peer = k->a == from ? k->port_b : k->port_a;
    return BOUGH_OK;
}

/* Reads [hostname="login1", comment="*"] up to the next token; missing attributes stay empty. */
static bough_status read_attributes(reader *r, bough_dot_token *comment, bough_dot_token *hostname) {
    bough_status status;
    while (!(status = next(r)) && !bough_dot_is(&r->dot, "]")) {
        if (bough_dot_is(&r->dot, ",") || bough_dot_is(&r->dot, ";")) continue;
        bough_dot_token *into = bough_dot_is(&r->dot, "comment")    ? comment
                                : bough_dot_is(&r->dot, "hostname") ? hostname
                                                                    : NULL;
        if (!bough_dot_named(&r->dot)) break;
        status = next(r);
        if (status || !bough_dot_is(&r->dot, "=")) break;
        status = next(r);
        if (status || !bough_dot_named(&r->dot)) break;
        if (into) *into = r->dot.token;
    }
    if (status) return status;
    if (!bough_dot_is(&r->dot, "]"))
        return fail(r, r->dot.token.line, "expected attributes in brackets: [name=\"text\", ..]");
    return next(r);
}

static bough_status set_hostname(reader *r, uint32_t node, const bough_dot_token *name) {
    char *text;
    bough_status status = bough_alloc(&text, (uint64_t)name->length + 1, 1, r->error);
    if (status) return status;
    memcpy(text, name->text, name->length);
    free(r->parsed->node[node].description);
    r->parsed->node[node].description = text;
    return BOUGH_OK;
}

static bough_status add_route(reader *r, uint32_t node, uint32_t number, const bough_dot_token *hosts,
                              uint32_t line) {
    bough_orcs *o = r->orcs;
    bough_status status = bough_grow(&o->route, &o->capacity, o->count + 1, sizeof *o->route, r->error);
    if (status) return status;
    o->route[o->count++] = (bough_orcs_route){
        .node = node, .number = number, .line = line, .hosts = hosts->text, .length = hosts->length};
    return BOUGH_OK;
}

/* Adds one direction of a cable from the two names and the attributes after them. */
static bough_status add_edge(reader *r, uint32_t from, uint32_t to, uint32_t line,
                             const bough_dot_token *comment, const bough_dot_token *hostname) {
    const bough_fabric_node *node = r->parsed->node;
    bool from_host = node[from].kind == BOUGH_FABRIC_ADAPTER, to_host = node[to].kind == BOUGH_FABRIC_ADAPTER;
    uint32_t number, peer;
    bough_parsed_port *p;
    if (from == to) return fail(r, line, "cable from a node to itself");
    if (from_host && to_host) return fail(r, line, "cable between two hosts; expected a switch at one end");
    bough_status status = find_cable(r, from, to, line, &number, &peer);
    TRY(bough_parsed_add_port(r->parsed, from, number, line, &p, r->error));
    if (status) return status;
    p->cabled = true;
    p->peer_kind = node[to].kind;
    p->peer_key = node[to].guid;
    p->peer_number = peer;
    /* A host has one LID for all its cables. */
    if (from_host && number == 1) p->own.lid = (uint32_t)node[from].guid;
    if (to_host && peer == 1) p->peer_lid = (uint32_t)node[to].guid;
    if (!from_host) return add_route(r, from, number, comment, line);
    return hostname->length ? set_hostname(r, from, hostname) : BOUGH_OK;
}

/* Reads a statement that starts with a name: an edge, or another dot statement (node attributes, settings),
 * which is skipped. */
static bough_status read_statement(reader *r) {
    bough_dot_token name = r->dot.token, comment = {.text = ""}, hostname = {.text = ""};
    uint32_t from, to;
    bough_status status = next(r);
    if (status) return status;
    if (bough_dot_is(&r->dot, "[")) return read_attributes(r, &comment, &hostname);
    if (bough_dot_is(&r->dot, "=")) {
        status = next(r);
        return status ? status : next(r);
    }
    if (r->dot.token.kind != BOUGH_DOT_ARROW)
        return fail(r, name.line, "expected a cable: A -> B [comment=\"..\"]");
    status = find_node(r, &name, &from);
    TRY(next(r));
    TRY(find_node(r, &r->dot.token, &to));
    TRY(next(r));
    if (!status && bough_dot_is(&r->dot, "[")) status = read_attributes(r, &comment, &hostname);
    return status ? status : add_edge(r, from, to, name.line, &comment, &hostname);
}

static bough_status read_graph(reader *r) {
    bough_dot *dot = &r->dot;
    bough_status status = next(r);
    if (!status && bough_dot_is(dot, "strict")) status = next(r);
    if (status) return status;
    if (!bough_dot_is(dot, "digraph")) return fail(r, dot->token.line, "expected \"digraph {\"");
    status = next(r);
    if (!status && bough_dot_named(dot)) status = next(r);
    if (status) return status;
    if (!bough_dot_is(dot, "{")) return fail(r, dot->token.line, "expected \"digraph {\"");
    status = next(r);
    while (!status && !bough_dot_is(dot, "}")) {
        if (dot->token.kind == BOUGH_DOT_END)
            return fail(r, dot->token.line, "missing closing brace; the file may be truncated");
        if (bough_dot_is(dot, ";"))
            status = next(r);
        else if (bough_dot_named(dot))
            status = read_statement(r);
        else
            return fail(r, dot->token.line, "expected a cable: A -> B [comment=\"..\"]");
    }
    TRY(next(r));
    if (!status && dot->token.kind != BOUGH_DOT_END)
        return fail(r, dot->token.line, "unexpected text after the closing brace");
    return status;
}

bough_status bough_orcs_read(const char *data, size_t size, bough_parsed_fabric *parsed, bough_orcs *orcs,
                             bough_error *error) {
    reader r = {.dot = {.name = parsed->name, .at = data, .stop = data + size, .line = 1},
                .parsed = parsed,
                .orcs = orcs,
                .error = error};
    bough_status status = read_graph(&r);
    free(r.cable);
    free(r.couple);
    bough_index_map_fini(&r.between);
    return status;
}

void bough_orcs_fini(bough_orcs *orcs) {
    free(orcs->route);
    *orcs = (bough_orcs){0};
}
