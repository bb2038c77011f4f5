/* What the REST API of NVIDIA's UFM answers, as saved: ufmRest/resources/links,
 *
 *   [{"source_guid": "248a070300f88fe0", "source_port": "20", "source_port_node_description": "leaf1",
 *     "destination_guid": "b8599f03000a77d0", "destination_port": "1", ...}, ...]
 *
 * or ufmRest/resources/ports, which has every cable from both ends:
 *
 *   [{"node_description": "leaf1", "dname": "20", "number": 20, "guid": "..", "active_speed": "HDR",
 *     "active_width": "4x", "peer_node_description": "node1 mlx5_0", "peer_port_dname": "1", ...}, ...]
 *
 * A node without a description has its GUID as name; one with that of its maker has both. Ports without a
 * peer are left out. */
#include "base/status/try.h"
#include "formats/fabrics/graphs/json_graphs.h"
#include "formats/fabrics/neighbour_columns.h"

#include <stdio.h>
#include <string.h>

/* The names of what describes an end of a cable: in turn, the first that is there counts. */
typedef struct end_keys {
    const char *name[4], *guid[3], *port[3];
} end_keys;

static const end_keys link_ends[2] = {
    {{"source_port_node_description", "source_node_description"}, {"source_guid"}, {"source_port"}},
    {{"destination_port_node_description", "destination_node_description"},
     {"destination_guid"},
     {"destination_port"}}};
static const end_keys port_ends[2] = {
    {{"node_description", "system_name"}, {"systemID", "guid"}, {"dname", "number"}},
    {{"peer_node_description", "peer_node_name"},
     {"peer_node_guid", "peer_guid"},
     {"peer_port_dname", "peer_port"}}};

static const json_t *first_of(const json_t *item, const char *const *keys) {
    const json_t *value = NULL;
    for (; *keys && !value; keys++) {
        value = json_object_get(item, *keys);
        if (json_is_null(value) || (json_is_string(value) && !json_string_length(value))) value = NULL;
        if (json_is_string(value) && strcmp(json_string_value(value), "N/A") == 0) value = NULL;
    }
    return value;
}

static bool has_end(const json_t *item, const end_keys *keys) {
    return first_of(item, keys->name) || first_of(item, keys->guid);
}

static bool is_link(const json_t *item) {
    return json_object_get(item, "source_port") && has_end(item, &link_ends[0]) &&
           has_end(item, &link_ends[1]);
}

static bool is_port(const json_t *item) {
    return (json_object_get(item, "peer_node_name") || json_object_get(item, "peer_port_dname")) &&
           has_end(item, &port_ends[0]);
}

bool json_is_ufm(const json_t *root) {
    const json_t *first = json_array_get(root, 0);
    return is_link(first) || is_port(first);
}

typedef struct ufm_reader {
    bough_cables *c;
    const end_keys *ends;
    size_t item; /* that is read, from 1 */
    uint64_t uncabled;
} ufm_reader;

static bough_status item_fail(const ufm_reader *r, const char *what) {
    char before[40];
    snprintf(before, sizeof before, "item %zu ", r->item);
    return json_graph_fail(r->c, before, NULL, what);
}

/* The description that adapters and aggregation nodes have before anybody names them, which is no name. */
static bool is_generic(const json_t *name) {
    return json_is_string(name) && strstr(json_string_value(name), "Mellanox Technologies");
}

static bough_status read_node(ufm_reader *r, const json_t *item, const end_keys *keys, uint32_t *node) {
    const json_t *name = first_of(item, keys->name), *guid = first_of(item, keys->guid);
    char *both = NULL;
    if (!name && !guid) return item_fail(r, "names one node; a cable has two ends");
    if (!is_generic(name) || !json_is_string(guid)) return json_graph_node(r->c, name ? name : guid, node);
    bough_status status = arena_printf(&r->c->parsed->memory, &both, r->c->parsed->error, "%s %s",
                                       json_string_value(name), json_string_value(guid));
    return status ? status : bough_cables_node(r->c, (bough_slice){both, strlen(both)}, 0, node);
}

static bough_slice slice_of(const json_t *text) {
    return (bough_slice){json_is_string(text) ? json_string_value(text) : "", json_string_length(text)};
}

static uint64_t rate_of(const json_t *item) {
    bough_parsed_port port = {.cabled = true};
    const json_t *width = json_object_get(item, "active_width"),
                 *speed = json_object_get(item, "active_speed");
    return width && speed && bough_parsed_rate(&port, slice_of(width), slice_of(speed)) ? port.own.rate : 0;
}

static bough_status read_item(ufm_reader *r, const json_t *item) {
    bough_cable cable = {.rate = rate_of(item)};
    bough_status status = BOUGH_OK;
    if (!json_is_object(item)) return item_fail(r, "is no object; expected links or ports of UFM");
    if (r->ends == port_ends && !has_end(item, &r->ends[1])) return r->uncabled++, BOUGH_OK;
    for (int k = 0; k < 2 && !status; k++) {
        status = read_node(r, item, &r->ends[k], &cable.end[k].node);
        TRY(json_graph_text(r->c, first_of(item, r->ends[k].port), &cable.end[k].port));
    }
    return status ? status : bough_cables_add(r->c, &cable);
}

bough_status json_read_ufm(bough_cables *c, const json_t *root) {
    ufm_reader r = {
        .c = c,
        .ends = is_link(json_array_get(root, 0)) ? link_ends : port_ends,
    };
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(root) && !status; i++) {
        r.item = i + 1;
        status = read_item(&r, json_array_get(root, i));
    }
    if (!status) neighbours_note_uncabled(c, r.uncabled);
    return status;
}
