/* The cluster of Parsimon's evaluation (a fabric of planes and pods), as its `Cluster` is written in JSON:
 *
 *   {"planes": [[NODE, ..], ..],
 *    "pods": [{"fabs": [NODE, ..], "racks": [{"tor": NODE, "hosts": [NODE, ..], "host2tor": [LINK, ..]}, ..],
 *              "tor2fab": [LINK, ..]}, ..],
 *    "fab2spine": [LINK, ..]}
 *
 * A NODE is {"id": 3, "kind": "Host"}, or "Switch"; a LINK is {"a": 3, "b": 8, "bandwidth": 10000000000,
 * "delay": 1000}, in bit/s and ns, of both directions. As those of ns-3, nodes are called node3 and switch8,
 * and hosts are in the order of their ids. */
#include "base/status/try.h"
#include "formats/fabrics/graphs/json_graphs.h"

#include <stdio.h>
#include <string.h>

#define DELAY_MAX 1000000000 /* ns */
#define RATE_MAX  1000000000000000000

bool json_is_parsimon(const json_t *root) {
    return json_object_get(root, "pods") && json_object_get(root, "fab2spine");
}

/* A whole number from `least` to `most`; -1: it is none. */
static json_int_t number_of(const json_t *item, const char *key, json_int_t least, json_int_t most) {
    const json_t *value = json_object_get(item, key);
    const json_int_t number = json_integer_value(value);
    return json_is_integer(value) && number >= least && number <= most ? number : -1;
}

static const char *const kinds[] = {"node", "switch"};

/* The node with an id, or BOUGH_NO_INDEX. */
static uint32_t find_node(const bough_cables *c, json_int_t id) {
    uint32_t node = BOUGH_NO_INDEX;
    for (size_t i = 0; i < 2 && node == BOUGH_NO_INDEX; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s%" JSON_INTEGER_FORMAT, kinds[i], id);
        node = bough_name_map_get(&c->names, name, strlen(name));
    }
    return node;
}

static bough_status fail_id(const bough_cables *c, const char *before, json_int_t id, const char *after) {
    char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, id);
    return json_graph_fail(c, before, text, after);
}

static bough_status parsimon_node(bough_cables *c, const json_t *item) {
    const json_int_t id = number_of(item, "id", 0, UINT32_MAX);
    const char *kind = json_string_value(json_object_get(item, "kind"));
    const bool host = kind && strcmp(kind, "Host") == 0;
    char name[48];
    uint32_t node;
    if (id < 0 || !kind || (!host && strcmp(kind, "Switch") != 0))
        return json_graph_fail(c, "a node is not as {\"id\": 3, \"kind\": \"Host\"}, or \"Switch\"", NULL,
                               "");
    if (find_node(c, id) != BOUGH_NO_INDEX) return fail_id(c, "two nodes have the id ", id, "");
    snprintf(name, sizeof name, "%s%" JSON_INTEGER_FORMAT, kinds[!host], id);
    bough_status status = bough_cables_node(c, (bough_slice){name, strlen(name)}, 0, &node);
    if (status) return status;
    c->node[node].kind = host ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH;
    c->node[node].order = (uint64_t)id;
    return BOUGH_OK;
}

static bough_status parsimon_end(const bough_cables *c, const json_t *item, const char *key, uint32_t *node) {
    const json_int_t id = number_of(item, key, 0, UINT32_MAX);
    if (id < 0)
        return json_graph_fail(
            c, "a link is not as {\"a\": 3, \"b\": 8, \"bandwidth\": 10000000000, \"delay\": 1000}: ", key,
            " is no id");
    *node = find_node(c, id);
    return *node == BOUGH_NO_INDEX ? fail_id(c, "a link ends at ", id, ", which is no id of a node")
                                   : BOUGH_OK;
}

static bough_status parsimon_link(bough_cables *c, const json_t *item) {
    const json_int_t rate = number_of(item, "bandwidth", 1, RATE_MAX),
                     delay = number_of(item, "delay", 0, DELAY_MAX);
    bough_cable cable = {.rate = (uint64_t)rate, .delay = (uint64_t)delay * 1000, .delayed = true};
    bough_status status = parsimon_end(c, item, "a", &cable.end[0].node);
    TRY(parsimon_end(c, item, "b", &cable.end[1].node));
    if (!status && rate < 0)
        status = json_graph_fail(c, "the bandwidth of a link is no whole number of bit/s", NULL, "");
    if (!status && delay < 0)
        status = json_graph_fail(c, "the delay of a link is no whole number of ns from 0 to 10^9", NULL, "");
    TRY(bough_cables_add(c, &cable));
    return status;
}

typedef bough_status read_item(bough_cables *c, const json_t *item);

static bough_status read_list(bough_cables *c, const json_t *list, const char *what, read_item *read) {
    bough_status status = BOUGH_OK;
    if (!json_is_array(list)) return json_graph_fail(c, "expected a list ", what, "");
    for (size_t i = 0; i < json_array_size(list) && !status; i++) status = read(c, json_array_get(list, i));
    return status;
}

static bough_status read_member(bough_cables *c, const json_t *item, const char *key, read_item *read) {
    return read_list(c, json_object_get(item, key), key, read);
}

static bough_status plane_nodes(bough_cables *c, const json_t *plane) {
    return read_list(c, plane, "of nodes in planes", parsimon_node);
}

static bough_status rack_nodes(bough_cables *c, const json_t *rack) {
    bough_status status = parsimon_node(c, json_object_get(rack, "tor"));
    TRY(read_member(c, rack, "hosts", parsimon_node));
    return status;
}

static bough_status rack_links(bough_cables *c, const json_t *rack) {
    return read_member(c, rack, "host2tor", parsimon_link);
}

static bough_status pod_nodes(bough_cables *c, const json_t *pod) {
    bough_status status = read_member(c, pod, "fabs", parsimon_node);
    TRY(read_member(c, pod, "racks", rack_nodes));
    return status;
}

static bough_status pod_links(bough_cables *c, const json_t *pod) {
    bough_status status = read_member(c, pod, "racks", rack_links);
    TRY(read_member(c, pod, "tor2fab", parsimon_link));
    return status;
}

bough_status json_read_parsimon(bough_cables *c, const json_t *root) {
    bough_status status = read_member(c, root, "planes", plane_nodes);
    TRY(read_member(c, root, "pods", pod_nodes));
    TRY(read_member(c, root, "pods", pod_links));
    TRY(read_member(c, root, "fab2spine", parsimon_link));
    return status;
}
