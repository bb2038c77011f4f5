/* Node-link data of NetworkX, and what bough writes as .json:
 *
 *   {"directed": false, "nodes": [{"id": "h1", "kind": "host"}, ...],
 *    "edges": [{"source": "h1", "target": "s1", "rate": "100Gb/s"}, ...]}
 *
 * The list of edges is called links by older versions. Attributes: of a node name, and kind (host or switch),
 * or endpoint (true); of an edge rate, in bit/s or with its unit. A directed graph must have as many edges
 * there as back: two of them are a cable. */
#include "base/memory/index_map.h"
#include "base/status/try.h"
#include "base/text/measures.h"
#include "formats/fabrics/graphs/json_graphs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *edges_of(const json_t *root) {
    const json_t *edges = json_object_get(root, "edges");
    return edges ? edges : json_object_get(root, "links");
}

bool json_is_node_link(const json_t *root) {
    return json_is_array(json_object_get(root, "nodes")) && json_is_array(edges_of(root));
}

/* ---- nodes ---- */

typedef struct node_reader {
    bough_cables *c;
    bough_name_map ids; /* of texts */
    bough_index_map numbers;
    size_t link; /* that is read, from 1 */
} node_reader;

/* The node with an id, or BOUGH_NO_INDEX. */
static uint32_t find_id(const node_reader *r, const json_t *id) {
    if (json_is_integer(id)) return bough_index_map_get(&r->numbers, (uint64_t)json_integer_value(id));
    return json_is_string(id) ? bough_name_map_get(&r->ids, json_string_value(id), json_string_length(id))
                              : BOUGH_NO_INDEX;
}

static bough_status add_id(node_reader *r, const json_t *id, uint32_t node) {
    if (find_id(r, id) != BOUGH_NO_INDEX)
        return json_graph_fail(r->c, "two nodes have the id of ", r->c->parsed->node[node].description, "");
    if (json_is_integer(id))
        return bough_index_map_put(&r->numbers, (uint64_t)json_integer_value(id), node, r->c->parsed->error);
    if (json_is_string(id))
        return bough_name_map_add(&r->ids, json_string_value(id), json_string_length(id), node,
                                  r->c->parsed->error);
    return json_graph_fail(r->c, "a node has no id that is a text or a whole number", NULL, "");
}

static bough_status read_kind(node_reader *r, const json_t *item, bough_cable_kind *kind) {
    const char *text = json_string_value(json_object_get(item, "kind"));
    const json_t *endpoint = json_object_get(item, "endpoint");
    if (text && strcmp(text, "host") != 0 && strcmp(text, "switch") != 0)
        return json_graph_fail(r->c, "kind '", text, "' is not host or switch");
    if (!text && json_is_true(endpoint) && json_is_true(json_object_get(item, "switch")))
        return json_graph_fail(r->c, "a node is an endpoint and a switch; expected one of them", NULL, "");
    if (text)
        *kind = *text == 'h' ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    else if (json_is_boolean(endpoint))
        *kind = json_is_true(endpoint) ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    return BOUGH_OK;
}

/* A label is for people: if another node has it, the id stands behind it. */
static bough_status label_node(node_reader *r, const json_t *label, const json_t *id, uint32_t *node) {
    bough_cables *c = r->c;
    bough_slice text;
    char *both = NULL;
    if (bough_name_map_get(&c->names, json_string_value(label), json_string_length(label)) == BOUGH_NO_INDEX)
        return json_graph_node(c, label, node);
    bough_status status = json_graph_text(c, id, &text);
    TRY(arena_printf(&c->parsed->memory, &both, c->parsed->error, "%s (%.*s)", json_string_value(label),
                     (int)text.length, text.length ? text.text : ""));
    return status ? status : bough_cables_node(c, (bough_slice){both, strlen(both)}, 0, node);
}

static bough_status read_node(node_reader *r, const json_t *item) {
    bough_cables *c = r->c;
    const json_t *id = json_object_get(item, "id"), *name = json_object_get(item, "name"),
                 *label = json_object_get(item, "label");
    const size_t count = c->parsed->node_count;
    uint32_t node;
    bough_status status = !json_is_string(name) && json_string_length(label)
                              ? label_node(r, label, id, &node)
                              : json_graph_node(r->c, json_is_string(name) ? name : id, &node);
    if (!status && node != count)
        status = json_graph_fail(r->c, "two nodes have the name ", c->parsed->node[node].description, "");
    TRY(add_id(r, id, node));
    if (!status) status = read_kind(r, item, &c->node[node].kind);
    return status;
}

/* ---- edges ---- */

static bough_status read_rate(node_reader *r, const json_t *value, uint64_t *rate) {
    const double number = json_number_value(value);
    *rate = 0;
    if (!value || json_is_null(value)) return BOUGH_OK;
    if (json_is_number(value) && number >= 1 && number < 1e18) return *rate = (uint64_t)number, BOUGH_OK;
    if (json_is_string(value) &&
        measure_rate(json_string_value(value), json_string_length(value), false, rate))
        return BOUGH_OK;
    return json_graph_fail(r->c, "the rate of a link is no positive number of bit/s, and no text as 100Gb/s",
                           NULL, "");
}

static bough_status link_fail(const node_reader *r, const char *key, const char *after) {
    char before[40];
    snprintf(before, sizeof before, "link %zu has no ", r->link);
    return json_graph_fail(r->c, before, key, after);
}

static bough_status read_end(node_reader *r, const json_t *item, const char *key, uint32_t *node) {
    *node = find_id(r, json_object_get(item, key));
    if (*node == BOUGH_NO_INDEX) return link_fail(r, key, " among the ids of nodes");
    return BOUGH_OK;
}

static bough_status read_edge(node_reader *r, const json_t *item, bough_cable *cable) {
    bough_status status = read_end(r, item, "source", &cable->end[0].node);
    TRY(read_end(r, item, "target", &cable->end[1].node));
    TRY(read_rate(r, json_object_get(item, "rate"), &cable->rate));
    return status;
}

/* Of a directed graph, edges from the lower node up are cables; the others only cancel them. balance: by
 * pair. */
static bough_status read_edges(node_reader *r, const json_t *edges, bool directed) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(edges) && !status; i++) {
        bough_cable cable = {.line = 0};
        r->link = i + 1;
        status = read_edge(r, json_array_get(edges, i), &cable);
        if (!status && (!directed || cable.end[0].node <= cable.end[1].node))
            status = bough_cables_add(r->c, &cable);
    }
    return status;
}

/* An edge of a directed graph: the pair of its nodes, the lower one first, and its direction. */
typedef struct direction {
    uint64_t pair;
    int up;
} direction;

static int by_pair(const void *a, const void *b) {
    const direction *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static bough_status check_directions(node_reader *r, const json_t *edges) {
    direction *list = NULL;
    const size_t count = json_array_size(edges);
    bough_status status = arena_alloc(&r->c->parsed->memory, &list, count, sizeof *list, r->c->parsed->error);
    for (size_t i = 0; i < count && !status; i++) {
        bough_cable cable = {.line = 0};
        r->link = i + 1;
        status = read_edge(r, json_array_get(edges, i), &cable);
        const uint64_t a = cable.end[0].node, b = cable.end[1].node;
        list[i] = (direction){a < b ? a << 32 | b : b << 32 | a, a < b ? 1 : -1};
    }
    if (count && !status) qsort(list, count, sizeof *list, by_pair);
    for (size_t i = 0, next; i < count && !status; i = next) {
        int sum = 0;
        for (next = i; next < count && list[next].pair == list[i].pair; next++) sum += list[next].up;
        if (sum)
            status = json_graph_fail(r->c, "has not as many links from ",
                                     r->c->parsed->node[list[i].pair >> 32].description,
                                     " to a neighbour as back; expected cables, which have two directions");
    }
    return status;
}

bough_status json_read_node_link(bough_cables *c, const json_t *root) {
    arena *m = &c->parsed->memory;
    node_reader r = {.c = c, .ids.memory = m, .numbers.memory = m};
    const json_t *nodes = json_object_get(root, "nodes"), *edges = edges_of(root);
    const bool directed = json_is_true(json_object_get(root, "directed"));
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(nodes) && !status; i++)
        status = read_node(&r, json_array_get(nodes, i));
    if (directed) TRY(check_directions(&r, edges));
    TRY(read_edges(&r, edges, directed));
    return status;
}
