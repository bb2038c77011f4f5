/* What the engine `graph` of NVIDIA topograph writes: the switches above each instance, from its leaf up.
 *
 *   {"instances": [{"id": "n1", "network_layers": ["leaf-a", "spine-a"], "labels": {...}}, ...]}
 *
 * As Slurm's tree it says which levels there are, with one cable to each child. Labels are ignored. */
#include "base/status/try.h"
#include "formats/fabrics/graphs/json_graphs.h"

#include <string.h>

typedef struct layer_reader {
    bough_cables *c;
    bough_name_map above; /* of each switch: the one above it */
} layer_reader;

bool json_is_topograph(const json_t *root) {
    const json_t *first = json_array_get(json_object_get(root, "instances"), 0);
    return json_object_get(first, "id") && json_is_array(json_object_get(first, "network_layers"));
}

static bough_status add_cable(bough_cables *c, uint32_t below, uint32_t above) {
    const bough_cable cable = {.end = {{.node = above}, {.node = below}}};
    return bough_cables_add(c, &cable);
}

/* The cable from a switch up, once. */
static bough_status read_switch(layer_reader *r, const json_t *name, uint32_t node, uint32_t above) {
    const char *text = json_string_value(name);
    const size_t length = json_string_length(name);
    const uint32_t known = text ? bough_name_map_get(&r->above, text, length) : BOUGH_NO_INDEX;
    if (known == above) return BOUGH_OK;
    if (known != BOUGH_NO_INDEX)
        return json_graph_fail(r->c, "switch ", text, " has two switches above it; expected a tree");
    bough_status status = text ? bough_name_map_add(&r->above, text, length, above, r->c->parsed->error)
                               : json_graph_fail(r->c, "a name in network_layers is no text", NULL, "");
    return status ? status : add_cable(r->c, node, above);
}

static bough_status set_kind(layer_reader *r, uint32_t node, bough_cable_kind kind) {
    bough_cable_kind *old = &r->c->node[node].kind;
    if (*old != BOUGH_CABLE_OPEN && *old != kind)
        return json_graph_fail(r->c, "", r->c->parsed->node[node].description,
                               " is the id of an instance and a name in network_layers");
    *old = kind;
    return BOUGH_OK;
}

static bough_status read_instance(layer_reader *r, const json_t *item) {
    const json_t *id = json_object_get(item, "id"), *layers = json_object_get(item, "network_layers");
    uint32_t node, above;
    if (!json_is_array(layers) || !json_array_size(layers))
        return json_graph_fail(r->c, "instance ", json_is_string(id) ? json_string_value(id) : "",
                               " has no network_layers; expected the names of the switches above it");
    bough_status status = json_graph_node(r->c, id, &node);
    TRY(set_kind(r, node, BOUGH_CABLE_HOST));
    for (size_t i = 0; i < json_array_size(layers) && !status; i++) {
        status = json_graph_node(r->c, json_array_get(layers, i), &above);
        TRY(set_kind(r, above, BOUGH_CABLE_SWITCH));
        if (!status)
            status =
                i ? read_switch(r, json_array_get(layers, i - 1), node, above) : add_cable(r->c, node, above);
        node = above;
    }
    return status;
}

bough_status json_read_topograph(bough_cables *c, const json_t *root) {
    layer_reader r = {.c = c, .above.memory = &c->parsed->memory};
    const json_t *list = json_object_get(root, "instances");
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(list) && !status; i++)
        status = read_instance(&r, json_array_get(list, i));
    if (!status) bough_cables_note_levels(c, "topograph's file");
    return status;
}
