/* Slurm's topology.yaml, which came with 25.05:
 *
 *   - topology: fabric
 *     cluster_default: true
 *     tree:
 *       switches:
 *         - switch: core
 *           children: leaf[1-2]
 *         - switch: leaf1
 *           nodes: node[01-04]
 *
 * Of several topologies the default is read if it is a tree, else the first that is one. */
#include "base/status/try.h"
#include "base/text/yaml_tree.h"
#include "formats/slurm/conf_parser.h"

bool topology_yaml_starts(const scanner *line) {
    scanner s = *line;
    while (scan_starts(&s, "---") || scan_done(&s) || *s.at == '#')
        if (!scan_line(&s)) return false;
    return scan_text(&s, "-") && scan_blanks(&s) && scan_text(&s, "topology:");
}

static bool is_true(const yaml_node_t *node) {
    const bough_slice text = yaml_tree_text(node);
    return bough_slice_is(text, "true") || bough_slice_is(text, "True") || bough_slice_is(text, "TRUE");
}

static bough_status add_switch(conf_parser *p, yaml_tree *tree, const yaml_node_t *node) {
    const bough_slice name = yaml_tree_text(yaml_tree_get(tree, node, "switch")),
                      nodes = yaml_tree_text(yaml_tree_get(tree, node, "nodes")),
                      children = yaml_tree_text(yaml_tree_get(tree, node, "children"));
    p->line = yaml_tree_line(node);
    if (!name.length)
        return yaml_tree_fail(tree, node, "expected `switch: NAME` with `nodes:` or `children:`");
    if (nodes.text && children.text)
        return conf_fail(p, "", name, " has both nodes and children; a switch has one of them");
    return conf_add_switch(p, name, nodes, children);
}

/* The tree that is read; NULL: there is none. *of: its topology. */
static yaml_node_t *choose(yaml_tree *tree, const yaml_node_t **of) {
    yaml_node_t *first = NULL, *item;
    for (size_t i = 0; (item = yaml_tree_item(tree, tree->root, i)); i++) {
        yaml_node_t *found = yaml_tree_get(tree, item, "tree");
        if (!found) continue;
        if (!first) first = found, *of = item;
        if (!is_true(yaml_tree_get(tree, item, "cluster_default"))) continue;
        *of = item;
        return found;
    }
    return first;
}

static bough_status read_tree(conf_parser *p, yaml_tree *tree) {
    const yaml_node_t *of = NULL, *item;
    const yaml_node_t *chosen = choose(tree, &of);
    bough_status status = BOUGH_OK;
    while (yaml_tree_item(tree, tree->root, p->conf->topologies)) p->conf->topologies++;
    if (!chosen)
        return yaml_tree_fail(tree, tree->root,
                              "no topology has switches, as those of topology/tree; expected `tree:`");
    const yaml_node_t *list = yaml_tree_get(tree, chosen, "switches");
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return yaml_tree_fail(tree, chosen, "expected a list `switches:` below `tree:`");
    const bough_slice name = yaml_tree_text(yaml_tree_get(tree, of, "topology"));
    if (name.length)
        status =
            arena_copy_bytes(&p->conf->memory, &p->conf->topology, name.text, name.length, p->scan.error);
    for (size_t i = 0; !status && (item = yaml_tree_item(tree, list, i)); i++)
        status = add_switch(p, tree, item);
    return status;
}

bough_status topology_yaml_read(conf_parser *p) {
    yaml_tree tree;
    bough_status status = yaml_tree_read(p->scan.file, p->scan.cursor, (size_t)(p->scan.end - p->scan.cursor),
                                         &tree, p->scan.error);
    p->neither = " has neither nodes nor children";
    TRY(read_tree(p, &tree));
    yaml_tree_fini(&tree);
    p->scan.cursor = p->scan.end;
    return status;
}
