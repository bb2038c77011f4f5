/* The topology graph of NVIDIA NetQ, as its API answers it:
 *
 *   [{"nodes": [{"compounded_nodes": [{"id": "node0", "name": "leaf1", "device_type": "switch", "tier": 1},
 *                                     {"id": "node2", "name": "dgx-04", "tier": -1, ...}]}],
 *     "links": [{"compounded_links": [{"interfaces": [{"node": "node0", "interface": "swp17s0"},
 *                                                     {"node": "node2", "interface": "ens4f0np0"}]}]}]}]
 *
 * Nodes stand in groups, a tier each, and cables in groups, a pair of nodes each. Hosts have the tier -1;
 * what is neither that nor a switch is a host if it has one cable. */
#include "base/status/try.h"
#include "formats/fabrics/graphs/json_graphs.h"

#include <string.h>

typedef struct netq_reader {
    bough_cables *c;
    bough_name_map ids; /* of nodes: their numbers */
} netq_reader;

static const json_t *groups_of(const json_t *root, const char *key) {
    return json_object_get(json_array_get(root, 0), key);
}

bool json_is_netq(const json_t *root) {
    return json_is_array(groups_of(root, "links")) &&
           json_object_get(json_array_get(groups_of(root, "nodes"), 0), "compounded_nodes");
}

static bough_status read_node(netq_reader *r, const json_t *item) {
    const json_t *id = json_object_get(item, "id"), *tier = json_object_get(item, "tier");
    const char *type = json_string_value(json_object_get(item, "device_type"));
    const size_t before = r->c->parsed->node_count;
    uint32_t node;
    if (!json_is_string(id)) return json_graph_fail(r->c, "a node of compounded_nodes has no id", NULL, "");
    if (bough_name_map_get(&r->ids, json_string_value(id), json_string_length(id)) != BOUGH_NO_INDEX)
        return json_graph_fail(r->c, "two nodes have the id ", json_string_value(id), "");
    bough_status status = json_graph_node(r->c, json_object_get(item, "name"), &node);
    if (!status && r->c->parsed->node_count == before)
        status = json_graph_fail(r->c, "two nodes have the name of ", json_string_value(id), "");
    TRY(bough_name_map_add(&r->ids, json_string_value(id), json_string_length(id), node,
                           r->c->parsed->error));
    if (status) return status;
    if (type && strcmp(type, "switch") == 0)
        r->c->node[node].kind = BOUGH_CABLE_SWITCH;
    else if (json_is_integer(tier) && json_integer_value(tier) < 0)
        r->c->node[node].kind = BOUGH_CABLE_HOST;
    return BOUGH_OK;
}

static bough_status read_end(netq_reader *r, const json_t *item, struct bough_cable_end *end) {
    const json_t *id = json_object_get(item, "node"), *port = json_object_get(item, "interface");
    if (!json_is_string(id))
        return json_graph_fail(r->c, "an end of a link has no node; expected its id", NULL, "");
    end->node = bough_name_map_get(&r->ids, json_string_value(id), json_string_length(id));
    if (end->node == BOUGH_NO_INDEX)
        return json_graph_fail(r->c, "a link ends at ", json_string_value(id),
                               ", which is no id of compounded_nodes");
    if (json_is_string(port)) end->port = (bough_slice){json_string_value(port), json_string_length(port)};
    return BOUGH_OK;
}

static bough_status read_link(netq_reader *r, const json_t *item) {
    const json_t *ends = json_object_get(item, "interfaces");
    bough_cable cable = {.rate = 0};
    if (json_array_size(ends) != 2)
        return json_graph_fail(r->c, "a link of compounded_links needs two interfaces", NULL, "");
    bough_status status = read_end(r, json_array_get(ends, 0), &cable.end[0]);
    TRY(read_end(r, json_array_get(ends, 1), &cable.end[1]));
    TRY(bough_cables_add(r->c, &cable));
    return status;
}

static bough_status read_groups(netq_reader *r, const json_t *groups, const char *key,
                                bough_status (*read)(netq_reader *r, const json_t *item)) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *items = json_object_get(json_array_get(groups, i), key);
        if (!json_is_array(items)) return json_graph_fail(r->c, "a group has no list ", key, "");
        for (size_t j = 0; j < json_array_size(items) && !status; j++)
            status = read(r, json_array_get(items, j));
        if (status) return status;
    }
    return BOUGH_OK;
}

bough_status json_read_netq(bough_cables *c, const json_t *root) {
    netq_reader r = {.c = c, .ids.memory = &c->parsed->memory};
    bough_status status = read_groups(&r, groups_of(root, "nodes"), "compounded_nodes", read_node);
    TRY(read_groups(&r, groups_of(root, "links"), "compounded_links", read_link));
    return status;
}
