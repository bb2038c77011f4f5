/* A topology of containerlab, as YAML:
 *
 *   name: lab
 *   topology:
 *     nodes:
 *       leaf1: {kind: nokia_srlinux}
 *       host1: {kind: linux}
 *     links:
 *       - endpoints: ["leaf1:e1-1", "host1:eth1"]
 *
 * or, in the extended form, an endpoint {node: leaf1, interface: e1-1} and a type of link. Links to the host
 * of the lab and the like (type: host, mgmt-net, macvlan, ..; "host:eth0") are no cables, and are left out.
 * Nodes of another kind than linux are switches. */
#include "base/status/try.h"
#include "base/text/yaml_tree.h"
#include "formats/fabrics/cable_list.h"

#include <inttypes.h>

typedef struct reader {
    yaml_tree tree;
    bough_cables cables;
    uint64_t left_out;
} reader;

/* "leaf1:e1-1", or a mapping. */
static bough_status read_endpoint(reader *r, const yaml_node_t *node, bough_slice *name, bough_slice *port) {
    const bough_slice text = yaml_tree_text(node);
    const char *colon = text.length ? memchr(text.text, ':', text.length) : NULL;
    *name = yaml_tree_text(yaml_tree_get(&r->tree, node, "node"));
    *port = yaml_tree_text(yaml_tree_get(&r->tree, node, "interface"));
    if (colon) {
        *name = (bough_slice){text.text, (size_t)(colon - text.text)};
        *port = (bough_slice){colon + 1, text.length - name->length - 1};
    }
    if (!name->length || !port->length)
        return yaml_tree_fail(&r->tree, node, "expected an endpoint NODE:INTERFACE, as in \"leaf1:e1-1\"");
    return BOUGH_OK;
}

/* What is not a node of the lab. */
static bool is_outside(bough_slice name) {
    return bough_slice_is(name, "host") || bough_slice_is(name, "mgmt-net") ||
           bough_slice_is(name, "macvlan");
}

static bough_status read_link(reader *r, const yaml_node_t *link) {
    const yaml_node_t *ends = yaml_tree_get(&r->tree, link, "endpoints");
    const bough_slice type = yaml_tree_text(yaml_tree_get(&r->tree, link, "type"));
    const uint32_t line = yaml_tree_line(link);
    bough_cable cable = {.line = line};
    bough_slice name[2];
    bough_status status = BOUGH_OK;
    if (type.length && !bough_slice_is(type, "veth")) return r->left_out++, BOUGH_OK;
    if (!yaml_tree_item(&r->tree, ends, 1) || yaml_tree_item(&r->tree, ends, 2))
        return yaml_tree_fail(&r->tree, link, "expected `endpoints:` with two ends");
    for (int k = 0; k < 2 && !status; k++)
        status = read_endpoint(r, yaml_tree_item(&r->tree, ends, (size_t)k), &name[k], &cable.end[k].port);
    if (status) return status;
    if (is_outside(name[0]) || is_outside(name[1])) return r->left_out++, BOUGH_OK;
    for (int k = 0; k < 2 && !status; k++)
        status = bough_cables_node(&r->cables, name[k], line, &cable.end[k].node);
    return status ? status : bough_cables_add(&r->cables, &cable);
}

/* Network devices are switches; a container of linux may be either, which its cables say. */
static void note_kinds(reader *r, const yaml_node_t *topology) {
    const yaml_node_t *nodes = yaml_tree_get(&r->tree, topology, "nodes"), *key, *value;
    const bough_slice usual =
        yaml_tree_text(yaml_tree_get(&r->tree, yaml_tree_get(&r->tree, topology, "defaults"), "kind"));
    for (size_t i = 0; (value = yaml_tree_pair(&r->tree, nodes, i, &key)); i++) {
        const bough_slice name = yaml_tree_text(key);
        const uint32_t node =
            name.text ? bough_name_map_get(&r->cables.names, name.text, name.length) : BOUGH_NO_INDEX;
        bough_slice kind = yaml_tree_text(yaml_tree_get(&r->tree, value, "kind"));
        if (!kind.text) kind = usual;
        if (node != BOUGH_NO_INDEX && kind.length && !bough_slice_is(kind, "linux"))
            r->cables.node[node].kind = BOUGH_CABLE_SWITCH;
    }
}

static bough_status read_links(reader *r) {
    const yaml_node_t *topology = yaml_tree_get(&r->tree, r->tree.root, "topology"),
                      *links = yaml_tree_get(&r->tree, topology, "links"), *link;
    bough_status status = BOUGH_OK;
    if (!links || links->type != YAML_SEQUENCE_NODE)
        return yaml_tree_fail(&r->tree, topology, "expected a list `links:` below `topology:`");
    for (size_t i = 0; !status && (link = yaml_tree_item(&r->tree, links, i)); i++)
        status = read_link(r, link);
    if (!status) note_kinds(r, topology);
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.cables = BOUGH_CABLES(parsed)};
    bough_status status =
        yaml_tree_read(scan->file, scan->cursor, (size_t)(scan->end - scan->cursor), &r.tree, parsed->error);
    TRY(read_links(&r));
    TRY(bough_cables_finish(&r.cables));
    if (!status && r.left_out)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "outside-link"},
                          "links to the outside of the lab, which are left out: %" PRIu64, r.left_out);
    yaml_tree_fini(&r.tree);
    return status;
}

/* Keys of the first level may stand before the topology. */
static bool recognise(const scanner *scan) {
    enum { LINES = 256 };
    static const char *const keys[] = {"---", "topology:", "name:", "prefix:", "mgmt:", "settings:"};
    scanner s = *scan;
    bool known = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) known |= scan_starts(&s, keys[i]);
    for (unsigned i = 0; known && i < LINES; i++) {
        if (scan_starts(&s, "topology:")) return true;
        if (!scan_line(&s)) return false;
    }
    return false;
}

const bough_fabric_reader bough_reader_containerlab = {
    .format = "containerlab", .hosts_by_name = true, .recognise = recognise, .read = read_file};
