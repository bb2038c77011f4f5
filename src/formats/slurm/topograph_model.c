/* A model of a cluster for NVIDIA topograph, as YAML: a tree of switches, and nodes in blocks.
 *
 *   switches:
 *     core:
 *       switches: [leaf1, leaf2]
 *   blocks:
 *     - switch: leaf1
 *       nodes: ["node[01-04]"]
 *
 * Switches without entries of their own may be named by others. As Slurm's tree it has one cable to each
 * child. Labels and annotations (domains of NVLink) are ignored. */
#include "base/status/try.h"
#include "base/text/yaml_tree.h"
#include "formats/fabrics/cable_list.h"
#include "formats/slurm/host_list.h"

#include <inttypes.h>
#include <string.h>

typedef struct model_reader {
    yaml_tree tree;
    bough_cables cables;
    host_list names; /* of all blocks */
} model_reader;

static bool recognise(const scanner *scan) {
    scanner s = *scan;
    if (scan_starts(&s, "---") && !scan_line(&s)) return false;
    while (scan_done(&s) || *s.at == '#')
        if (!scan_line(&s)) return false;
    return (scan_text(&s, "switches:") || scan_text(&s, "blocks:")) && (scan_done(&s) || *s.at == '#');
}

static bough_status add_node(model_reader *r, const yaml_node_t *at, bough_slice name, bough_cable_kind kind,
                             uint32_t *node) {
    if (!name.length) return yaml_tree_fail(&r->tree, at, "expected the name of a switch");
    bough_status status = bough_cables_node(&r->cables, name, yaml_tree_line(at), node);
    if (status) return status;
    bough_cable_kind *old = &r->cables.node[*node].kind;
    if (*old != BOUGH_CABLE_OPEN && *old != kind)
        return yaml_tree_fail(
            &r->tree, at, "%s is the name of a switch and of a node; expected different names", SHOWN(name));
    *old = kind;
    return BOUGH_OK;
}

static bough_status add_cable(model_reader *r, const yaml_node_t *at, uint32_t above, uint32_t below) {
    const bough_cable cable = {.end = {{.node = above}, {.node = below}}, .line = yaml_tree_line(at)};
    if (r->cables.count == HOST_LIST_MAX) /* aliases may repeat a list */
        return yaml_tree_fail(&r->tree, at, "more than %" PRIu32 " cables", HOST_LIST_MAX);
    return bough_cables_add(&r->cables, &cable);
}

static bough_status read_switch(model_reader *r, const yaml_node_t *key, const yaml_node_t *value) {
    const yaml_node_t *children = yaml_tree_get(&r->tree, value, "switches"), *item;
    uint32_t node, child;
    bough_status status = add_node(r, key, yaml_tree_text(key), BOUGH_CABLE_SWITCH, &node);
    for (size_t i = 0; !status && (item = yaml_tree_item(&r->tree, children, i)); i++) {
        status = add_node(r, item, yaml_tree_text(item), BOUGH_CABLE_SWITCH, &child);
        TRY(add_cable(r, item, node, child));
    }
    return status;
}

/* Adds the hosts of a block below its switch. */
static bough_status read_hosts(model_reader *r, const yaml_node_t *item, uint32_t above) {
    char place[256];
    uint32_t host;
    const size_t before = r->names.count;
    bough_status status = host_list_expand(
        &r->names, bough_format_place(place, sizeof place, r->tree.file, yaml_tree_line(item)),
        yaml_tree_text(item), r->tree.error);
    for (size_t i = before; i < r->names.count && !status; i++) {
        const char *name = r->names.name[i];
        status = add_node(r, item, (bough_slice){name, strlen(name)}, BOUGH_CABLE_HOST, &host);
        TRY(add_cable(r, item, above, host));
    }
    return status;
}

static bough_status read_block(model_reader *r, const yaml_node_t *block) {
    const yaml_node_t *name = yaml_tree_get(&r->tree, block, "switch"),
                      *nodes = yaml_tree_get(&r->tree, block, "nodes"), *item;
    uint32_t above;
    if (!name)
        return yaml_tree_fail(&r->tree, block,
                              "the block has no `switch:`; blocks without switches are no network");
    if (!yaml_tree_item(&r->tree, nodes, 0))
        return yaml_tree_fail(&r->tree, block, "expected a list `nodes:`, as in [\"node[01-04]\"]");
    bough_status status = add_node(r, name, yaml_tree_text(name), BOUGH_CABLE_SWITCH, &above);
    for (size_t i = 0; !status && (item = yaml_tree_item(&r->tree, nodes, i)); i++)
        status = read_hosts(r, item, above);
    return status;
}

static bough_status read_model(model_reader *r) {
    const yaml_node_t *switches = yaml_tree_get(&r->tree, r->tree.root, "switches"),
                      *blocks = yaml_tree_get(&r->tree, r->tree.root, "blocks"), *key, *value;
    bough_status status = BOUGH_OK;
    if (!yaml_tree_item(&r->tree, blocks, 0))
        return yaml_tree_fail(
            &r->tree, r->tree.root,
            "is read as a model of topograph; expected a list `blocks:` with the nodes below each switch");
    for (size_t i = 0; !status && (value = yaml_tree_pair(&r->tree, switches, i, &key)); i++)
        status = read_switch(r, key, value);
    for (size_t i = 0; !status && (value = yaml_tree_item(&r->tree, blocks, i)); i++)
        status = read_block(r, value);
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    model_reader r = {.cables = BOUGH_CABLES(parsed)};
    bough_status status =
        yaml_tree_read(scan->file, scan->cursor, (size_t)(scan->end - scan->cursor), &r.tree, scan->error);
    TRY(read_model(&r));
    TRY(bough_cables_finish(&r.cables));
    if (!status) bough_cables_note_levels(&r.cables, "topograph's model");
    arena_fini(&r.names.memory);
    yaml_tree_fini(&r.tree);
    return status;
}

const bough_fabric_reader bough_reader_topograph = {
    .format = "topograph", .recognise = recognise, .read = read_file};
