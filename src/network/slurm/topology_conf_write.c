/* Slurm's topology.conf, for the plug-ins topology/tree and topology/block, and its topology.yaml. LinkSpeed
 * is not written: Slurm does not use it. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "network/slurm/switch_tree.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <string.h>

/* Lists of the tree: hosts by leaf, children by parent. */
typedef struct tree_lists {
    const switch_tree *tree;
    const char **name; /* for a hostlist */
    uint32_t *at;      /* [count + 1]: where the list of each switch starts in `entry` */
    uint32_t *entry;
    uint32_t *several; /* [hosts]: endpoints */
    bough_text *out;
    arena *memory; /* of the tree */
    bough_error *error;
} tree_lists;

/* The switch in whose list an entry is: hosts first, then switches of the tree. */
static uint32_t list_of(const switch_tree *t, uint32_t entry) {
    return entry < t->hosts ? t->host_leaf[entry] : t->item[entry - t->hosts].parent;
}

static bough_status tree_lists_make(tree_lists *l) {
    const switch_tree *t = l->tree;
    const uint32_t entries = t->hosts + (uint32_t)t->count;
    const bough_array array[] = {{&l->name, entries + 1, sizeof *l->name},
                                 {&l->at, t->count + 2, sizeof *l->at},
                                 {&l->entry, entries, sizeof *l->entry},
                                 {&l->several, t->hosts, sizeof *l->several}};
    bough_status status = arena_alloc_all(l->memory, array, 4, l->error);
    if (status) return status;
    for (uint64_t e = 0; e < t->net->endpoints; e++) l->several[t->endpoint_host[e]]++;
    for (uint32_t i = 0; i < entries; i++)
        if (list_of(t, i) != BOUGH_NO_INDEX) l->at[list_of(t, i) + 2]++;
    for (size_t i = 2; i < t->count + 2; i++) l->at[i] += l->at[i - 1];
    for (uint32_t i = 0; i < entries; i++)
        if (list_of(t, i) != BOUGH_NO_INDEX) l->entry[l->at[list_of(t, i) + 1]++] = i;
    return BOUGH_OK;
}

static bough_status put_hosts(tree_lists *l, uint32_t leaf) {
    size_t count = 0;
    for (uint32_t i = l->at[leaf]; i < l->at[leaf + 1]; i++) {
        uint32_t entry = l->entry[i];
        l->name[count++] =
            entry < l->tree->hosts ? l->tree->host[entry] : l->tree->item[entry - l->tree->hosts].name;
    }
    return host_list_put(l->out, l->name, count, l->error);
}

/* ---- comments ---- */

static bough_status put_several(tree_lists *l) {
    size_t count = 0;
    for (uint32_t h = 0; h < l->tree->hosts; h++)
        if (l->several[h] > 1 && !l->tree->unfit[h]) l->name[count++] = l->tree->host[h];
    if (count == 0) return BOUGH_OK;
    bough_text_put(l->out, "# one node each, although they have several adapters or ports: ");
    bough_status status = host_list_put(l->out, l->name, count, l->error);
    bough_text_put(l->out, "\n");
    return status;
}

static bough_status put_lone(tree_lists *l) {
    size_t count = 0;
    for (uint32_t h = 0; h < l->tree->hosts; h++)
        if (l->tree->host_leaf[h] == BOUGH_NO_INDEX && !l->tree->unfit[h])
            l->name[count++] = l->tree->host[h];
    if (count == 0) return BOUGH_OK;
    bough_text_put(l->out, "# left out, as they have no cable to a switch: ");
    bough_status status = host_list_put(l->out, l->name, count, l->error);
    bough_text_put(l->out, "\n");
    return status;
}

static void put_unfit(tree_lists *l) {
    const switch_tree *t = l->tree;
    uint32_t h = 0;
    char name[200];
    if (!t->unfits) return;
    while (!t->unfit[h]) h++;
    bough_text_printf(l->out, "# left out, as Slurm cannot hold their names: '%s'",
                      export_name(t->host[h], name, sizeof name));
    if (t->unfits > 1) bough_text_printf(l->out, " and %" PRIu32 " more", t->unfits - 1);
    bough_text_put(l->out, "\n");
}

static uint32_t count_roots(const switch_tree *t) {
    uint32_t roots = 0;
    for (size_t i = 0; i < t->count; i++) roots += t->item[i].parent == BOUGH_NO_INDEX;
    return roots;
}

static bough_status put_head(tree_lists *l, const char *file) {
    const switch_tree *t = l->tree;
    char name[200];
    uint32_t roots = count_roots(t);
    bough_text_printf(l->out, "# Slurm's %s\n# %s: %" PRIu32 " node%s, %" PRIu32 " leaf switch%s\n", file,
                      export_name(t->net->spec, name, sizeof name), t->hosts - t->unfits,
                      bough_s(t->hosts - t->unfits), t->leaves, t->leaves == 1 ? "" : "es");
    bough_status status = put_several(l);
    TRY(put_lone(l));
    put_unfit(l);
    if (roots > 1)
        bough_text_printf(l->out,
                          "# %" PRIu32
                          " part%s without a path between them: no job of topology/tree spans two of them\n",
                          roots, bough_s(roots));
    return status;
}

/* The hardware behind a line, where that is not the switch of its name alone. */
static void put_origin(tree_lists *l, uint32_t item) {
    const tree_switch *s = &l->tree->item[item];
    char name[160], printable[200];
    if (s->first == BOUGH_NONE) {
        bough_text_printf(l->out, "# %s: no switch of its own\n", s->name);
        return;
    }
    bough_node_name(l->tree->net, s->first, name, sizeof name);
    if (s->switches == 1 && strcmp(name, s->name) == 0) return;
    bough_text_printf(l->out, "# %s: %s", s->name, export_name(name, printable, sizeof printable));
    if (s->switches > 1) bough_text_printf(l->out, " and %" PRIu32 " more", s->switches - 1);
    if (s->switches > 1) bough_text_put(l->out, s->level ? ", merged" : ", with the same hosts");
    bough_text_put(l->out, "\n");
}

/* ---- topology/tree ---- */

/* The two forms of the file. */
typedef struct tree_form {
    const char *head, *before; /* after the name of Slurm; before the switches */
    bough_status (*put)(tree_lists *l, uint32_t item);
} tree_form;

static bough_status put_conf_switch(tree_lists *l, uint32_t i) {
    const switch_tree *t = l->tree;
    put_origin(l, i);
    bough_text_printf(l->out, "SwitchName=%s %s=", t->item[i].name, i < t->leaves ? "Nodes" : "Switches");
    bough_status status = put_hosts(l, i);
    bough_text_put(l->out, "\n");
    return status;
}

/* Quoted, as a name may be a number or a word of YAML. */
static bough_status put_yaml_switch(tree_lists *l, uint32_t i) {
    const switch_tree *t = l->tree;
    put_origin(l, i);
    bough_text_printf(l->out, "      - switch: \"%s\"\n        %s: \"", t->item[i].name,
                      i < t->leaves ? "nodes" : "children");
    bough_status status = put_hosts(l, i);
    bough_text_put(l->out, "\"\n");
    return status;
}

static bough_status export_tree(const bough_net *net, const tree_form *form, bough_text *out,
                                bough_error *error) {
    switch_tree tree;
    tree_lists lists = {.tree = &tree, .out = out, .memory = &tree.memory, .error = error};
    bough_status status = switch_tree_make(net, &tree, error);
    if (status) return status;
    status = tree_lists_make(&lists);
    TRY(put_head(&lists, form->head));
    bough_text_put(out, form->before);
    for (uint32_t i = 0; i < tree.count && !status; i++) status = form->put(&lists, i);
    arena_fini(&tree.memory);
    return status ? status : export_finished(out, error);
}

bough_status export_topology_conf(const bough_net *net, bough_text *out, bough_error *error) {
    const tree_form form = {"topology.conf for TopologyPlugin=topology/tree", "", put_conf_switch};
    return export_tree(net, &form, out, error);
}

bough_status export_topology_yaml(const bough_net *net, bough_text *out, bough_error *error) {
    const tree_form form = {"topology.yaml (25.05 and later)",
                            "- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n",
                            put_yaml_switch};
    return export_tree(net, &form, out, error);
}

/* ---- topology/block ---- */

/* Blocks in the order of the tree, which keeps those below one switch together. */
typedef struct block_order {
    tree_lists *lists;
    uint32_t *leaf;
    uint32_t count;
} block_order;

/* The leaves below a switch; iterative over parents would need marks, and trees are flat. */
static void list_leaves(block_order *o, uint32_t item) {
    const tree_lists *l = o->lists;
    if (item < l->tree->leaves) {
        o->leaf[o->count++] = item;
        return;
    }
    for (uint32_t i = l->at[item]; i < l->at[item + 1]; i++) list_leaves(o, l->entry[i] - l->tree->hosts);
}

/* The number of blocks below each switch of a level, if it is the same for all of them, else 0. */
static uint32_t blocks_of_level(const switch_tree *t, const uint32_t *blocks, unsigned level) {
    uint32_t same = 0;
    for (size_t i = t->leaves; i < t->count; i++) {
        if (t->item[i].level != level) continue;
        if (same && blocks[i] != same) return 0;
        same = blocks[i];
    }
    return same;
}

/* BlockSizes: the smallest block, and what a switch of each level has, if that is a power of two of blocks.
 */
static bough_status put_sizes(tree_lists *l, uint32_t base) {
    const switch_tree *t = l->tree;
    uint32_t *blocks = NULL, last = 1;
    unsigned highest = 0;
    bough_status status = arena_alloc(l->memory, &blocks, t->count, sizeof *blocks, l->error);
    if (status) return status;
    for (size_t i = 0; i < t->count; i++) {
        if (i < t->leaves) blocks[i] = 1;
        if (t->item[i].parent != BOUGH_NO_INDEX) blocks[t->item[i].parent] += blocks[i];
        if (t->item[i].level > highest) highest = t->item[i].level;
    }
    bough_text_printf(l->out, "BlockSizes=%" PRIu32, base);
    for (unsigned level = 0; level <= highest; level++) {
        uint32_t count = blocks_of_level(t, blocks, level);
        if (count <= last || (count & (count - 1)) || bough_mul(count, base) > UINT32_MAX) continue;
        bough_text_printf(l->out, ",%" PRIu32, count * base);
        last = count;
    }
    bough_text_put(l->out, "\n");
    return BOUGH_OK;
}

/* Blocks need about the same size. */
static bough_status find_base(const switch_tree *t, uint32_t *base, bough_error *error) {
    const tree_switch *small = NULL, *large = NULL;
    for (uint32_t i = 0; i < t->leaves; i++) {
        const tree_switch *s = &t->item[i];
        if (!small || s->hosts < small->hosts) small = s;
        if (!large || s->hosts > large->hosts) large = s;
    }
    if (!small)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "topology/block needs a switch with hosts; %s has none", t->net->spec);
    *base = small->hosts;
    if (2 * (uint64_t)small->hosts > large->hosts) return BOUGH_OK;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "topology/block needs leaves of about the same size; %s has %" PRIu32
                      " node%s and %s has %" PRIu32
                      "; write a topology.conf, or leave hosts out: --endpoints REGEX",
                      small->name, small->hosts, bough_s(small->hosts), large->name, large->hosts);
}

static bough_status put_blocks(tree_lists *l) {
    const switch_tree *t = l->tree;
    block_order order = {.lists = l};
    bough_status status = arena_alloc(l->memory, &order.leaf, t->leaves, sizeof *order.leaf, l->error);
    for (uint32_t i = 0; i < t->count && !status; i++)
        if (t->item[i].parent == BOUGH_NO_INDEX) list_leaves(&order, i);
    for (uint32_t i = 0; i < order.count && !status; i++) {
        put_origin(l, order.leaf[i]);
        bough_text_printf(l->out, "BlockName=%s Nodes=", t->item[order.leaf[i]].name);
        status = put_hosts(l, order.leaf[i]);
        bough_text_put(l->out, "\n");
    }
    return status;
}

bough_status export_block_conf(const bough_net *net, bough_text *out, bough_error *error) {
    switch_tree tree;
    tree_lists lists = {.tree = &tree, .out = out, .memory = &tree.memory, .error = error};
    uint32_t base = 0;
    bough_status status = switch_tree_make(net, &tree, error);
    if (status) return status;
    status = find_base(&tree, &base, error);
    TRY(tree_lists_make(&lists));
    TRY(put_head(&lists, "topology.conf for TopologyPlugin=topology/block"));
    TRY(put_blocks(&lists));
    TRY(put_sizes(&lists, base));
    arena_fini(&tree.memory);
    return status ? status : export_finished(out, error);
}
