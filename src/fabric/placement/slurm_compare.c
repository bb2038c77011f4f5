#include "fabric/placement/slurm_compare.h"

#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "formats/slurm/host_map.h"
#include "formats/slurm/topology_conf.h"
#include "network/slurm/switch_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE BOUGH_NO_INDEX

typedef struct comparison {
    bough_check_slurm *slurm;
    switch_tree tree;
    topology_conf conf;
    const char *file;
    uint32_t *conf_host; /* [node.count]: host of the fabric; NONE: unknown */
    uint32_t *host_line; /* [hosts]: the line of its leaf in the file, or NONE */
    uint32_t *leaf_line; /* [leaves]: the line that matches a leaf */
    uint32_t *line_leaf; /* [conf.count]: and the leaf that matches a line */
    uint64_t *below;     /* [conf.count + tree.count] sets of `words`: matched leaves below */
    size_t words;
    bough_findings *findings;
    bough_error *error;
} comparison;

static const char *line_name(const comparison *c, uint32_t line) {
    return c->conf.name.name[c->conf.item[line].name];
}

#define WARN(c, kind, line, ...)                                                                             \
    bough_findings_add((c)->findings, &(bough_finding_head){BOUGH_WARN, kind, (c)->file, line}, (c)->error,  \
                       __VA_ARGS__)

/* ---- hosts ---- */

static bough_status find_hosts(comparison *c) {
    host_map map = {{0}};
    const host_list *node = &c->conf.node;
    bough_status status = bough_alloc(&c->conf_host, node->count, sizeof *c->conf_host, c->error);
    for (uint32_t h = 0; h < c->tree.hosts && !status; h++)
        status = host_map_add(&map, c->tree.host[h], strlen(c->tree.host[h]), h, c->error);
    for (size_t i = 0; i < node->count && !status; i++) {
        const char *name = node->name[i];
        c->conf_host[i] = host_map_get(&map, name, strlen(name));
    }
    host_map_fini(&map);
    return status;
}

/* The line of each host; the first, if there are several. */
static bough_status find_lines(comparison *c) {
    bough_status status = bough_alloc(&c->host_line, c->tree.hosts, sizeof *c->host_line, c->error);
    for (uint32_t h = 0; h < c->tree.hosts && !status; h++) c->host_line[h] = NONE;
    for (uint32_t i = 0; i < c->conf.count && !status; i++) {
        const conf_switch *s = &c->conf.item[i];
        for (uint32_t k = s->first_node; k < s->first_node + s->nodes && !status; k++) {
            const char *name = c->conf.node.name[k];
            uint32_t h = c->conf_host[k];
            c->slurm->nodes++;
            if (h == NONE) {
                c->slurm->unknown++;
                status =
                    WARN(c, "slurm-unknown", s->line,
                         "the fabric has no host %s, which the file has below %s", name, line_name(c, i));
            } else if (c->host_line[h] != NONE) {
                c->slurm->twice++;
                status = WARN(c, "slurm-twice", s->line, "%s is below %s and below %s", name,
                              line_name(c, c->host_line[h]), line_name(c, i));
            } else {
                c->host_line[h] = i;
            }
        }
    }
    return status;
}

/* ---- leaves ---- */

/* Common hosts of a leaf and a line. */
typedef struct overlap {
    uint32_t leaf, line, hosts;
} overlap;

static int by_pair(const void *a, const void *b) {
    const overlap *x = a, *y = b;
    if (x->leaf != y->leaf) return x->leaf < y->leaf ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int by_hosts(const void *a, const void *b) {
    const overlap *x = a, *y = b;
    if (x->hosts != y->hosts) return x->hosts > y->hosts ? -1 : 1;
    return by_pair(a, b);
}

static size_t count_overlaps(const comparison *c, overlap *list) {
    size_t count = 0, kept = 0;
    for (uint32_t h = 0; h < c->tree.hosts; h++)
        if (c->host_line[h] != NONE && c->tree.host_leaf[h] != NONE)
            list[count++] = (overlap){c->tree.host_leaf[h], c->host_line[h], 1};
    if (count) qsort(list, count, sizeof *list, by_pair);
    for (size_t i = 0; i < count; i++) {
        if (kept && by_pair(&list[i], &list[kept - 1]) == 0)
            list[kept - 1].hosts++;
        else
            list[kept++] = list[i];
    }
    return kept;
}

static bough_status match_leaves(comparison *c) {
    overlap *list = NULL;
    const bough_array array[] = {{&list, c->tree.hosts, sizeof *list},
                                 {&c->leaf_line, c->tree.leaves, sizeof *c->leaf_line},
                                 {&c->line_leaf, c->conf.count, sizeof *c->line_leaf}};
    bough_status status = bough_alloc_all(array, 3, c->error);
    for (uint32_t i = 0; i < c->tree.leaves && !status; i++) c->leaf_line[i] = NONE;
    for (uint32_t i = 0; i < c->conf.count && !status; i++) c->line_leaf[i] = NONE;
    size_t count = status ? 0 : count_overlaps(c, list);
    if (count) qsort(list, count, sizeof *list, by_hosts);
    for (size_t i = 0; i < count; i++) {
        if (c->leaf_line[list[i].leaf] != NONE || c->line_leaf[list[i].line] != NONE) continue;
        c->leaf_line[list[i].leaf] = list[i].line;
        c->line_leaf[list[i].line] = list[i].leaf;
        c->slurm->leaves_matched++;
    }
    free(list);
    return status;
}

static bough_status judge_host(comparison *c, uint32_t h) {
    const switch_tree *t = &c->tree;
    const uint32_t leaf = t->host_leaf[h], line = c->host_line[h];
    if (t->unfit[h]) return BOUGH_OK; /* no node of Slurm */
    if (line == NONE) {
        c->slurm->missing++;
        return WARN(c, "slurm-missing", 0, "%s, on %s of the fabric, is not in the file", t->host[h],
                    leaf == NONE ? "no switch" : t->item[leaf].name);
    }
    if (leaf != NONE && c->leaf_line[leaf] == line) {
        c->slurm->right++;
        return BOUGH_OK;
    }
    c->slurm->moved++;
    const uint32_t other = c->line_leaf[line];
    const char *matches = other == NONE ? line_name(c, line) : t->item[other].name;
    const bool renamed = strcmp(matches, line_name(c, line)) != 0;
    return WARN(c, "slurm-leaf", c->conf.item[line].line,
                "%s is on %s of the fabric; the file has it below %s%s%s%s", t->host[h],
                leaf == NONE ? "no switch" : t->item[leaf].name, line_name(c, line),
                renamed ? " (which matches " : "", renamed ? matches : "", renamed ? ")" : "");
}

static bough_status judge_leaves(comparison *c) {
    bough_status status = BOUGH_OK;
    for (uint32_t h = 0; h < c->tree.hosts && !status; h++) status = judge_host(c, h);
    for (uint32_t i = 0; i < c->conf.count && !status; i++) {
        if (c->conf.item[i].children) continue;
        c->slurm->leaf_lines++;
        if (c->line_leaf[i] == NONE)
            status = WARN(c, "slurm-switch", c->conf.item[i].line, "no leaf of the fabric matches %s",
                          line_name(c, i));
    }
    for (uint32_t i = 0; i < c->tree.leaves && !status; i++)
        if (c->leaf_line[i] == NONE)
            status = WARN(c, "slurm-switch", 0,
                          "no line of the file matches %s of the fabric (%" PRIu32 " host%s)",
                          c->tree.item[i].name, c->tree.item[i].hosts, bough_s(c->tree.item[i].hosts));
    c->slurm->leaves = c->tree.leaves;
    return status;
}

/* ---- switches above leaves ---- */

static uint64_t *set_of_line(const comparison *c, uint32_t line) {
    return c->below + line * c->words;
}

static uint64_t *set_of_item(const comparison *c, size_t item) {
    return c->below + (c->conf.count + item) * c->words;
}

static void unite(uint64_t *set, const uint64_t *other, size_t words) {
    for (size_t i = 0; i < words; i++) set[i] |= other[i];
}

static uint32_t size_of(const uint64_t *set, size_t words) {
    uint32_t size = 0;
    for (size_t i = 0; i < words; i++) size += (uint32_t)__builtin_popcountll(set[i]);
    return size;
}

/* Sets of leaves that have a line. Lines come in an order with parents first. */
static bough_status collect_leaves(comparison *c) {
    const size_t sets = c->conf.count + c->tree.count;
    c->words = c->tree.leaves / 64 + 1;
    bough_status status =
        bough_memory_check(bough_mul(sets, c->words * sizeof *c->below), "comparing the trees", c->error);
    TRY(bough_alloc(&c->below, bough_mul(sets, c->words), sizeof *c->below, c->error));
    for (size_t i = c->conf.count; i-- > 0 && !status;) {
        const uint32_t line = c->conf.order[i];
        const conf_switch *s = &c->conf.item[line];
        const uint32_t leaf = c->line_leaf[line];
        if (leaf != NONE) set_of_line(c, line)[leaf / 64] |= UINT64_C(1) << leaf % 64;
        for (uint32_t k = s->first_child; k < s->first_child + s->children; k++)
            unite(set_of_line(c, line), set_of_line(c, c->conf.child_item[k]), c->words);
    }
    for (size_t i = 0; i < c->tree.count && !status; i++) {
        const uint32_t parent = c->tree.item[i].parent;
        if (i < c->tree.leaves && c->leaf_line[i] != NONE) set_of_item(c, i)[i / 64] |= UINT64_C(1) << i % 64;
        if (parent != NONE) unite(set_of_item(c, parent), set_of_item(c, i), c->words);
    }
    return status;
}

/* Whether an item of the tree above leaves has the set; a line, for a set of the tree. */
static bool tree_has(const comparison *c, const uint64_t *set) {
    for (size_t i = c->tree.leaves; i < c->tree.count; i++)
        if (memcmp(set_of_item(c, i), set, c->words * sizeof *set) == 0) return true;
    return false;
}

static bool file_has(const comparison *c, const uint64_t *set) {
    for (uint32_t i = 0; i < c->conf.count; i++)
        if (c->conf.item[i].children && memcmp(set_of_line(c, i), set, c->words * sizeof *set) == 0)
            return true;
    return false;
}

/* A switch above fewer than two matched leaves joins nothing. */
static bough_status judge_upper(comparison *c) {
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < c->conf.count && !status; i++) {
        const uint32_t leaves = size_of(set_of_line(c, i), c->words);
        if (!c->conf.item[i].children) continue;
        c->slurm->upper_lines++;
        if (leaves < 2 || tree_has(c, set_of_line(c, i)))
            c->slurm->upper_matched++;
        else
            status = WARN(c, "slurm-switch", c->conf.item[i].line,
                          "%s joins %" PRIu32 " %s; no level of the fabric joins exactly these",
                          line_name(c, i), leaves, leaves == 1 ? "leaf" : "leaves");
    }
    for (size_t i = c->tree.leaves; i < c->tree.count && !status; i++) {
        const uint32_t leaves = size_of(set_of_item(c, i), c->words);
        c->slurm->upper++;
        if (leaves >= 2 && !file_has(c, set_of_item(c, i)))
            status = WARN(c, "slurm-switch", 0,
                          "%s joins %" PRIu32 " %s of the fabric; no line of the file joins exactly these",
                          c->tree.item[i].name, leaves, leaves == 1 ? "leaf" : "leaves");
    }
    return status;
}

/* ---- the whole ---- */

static bough_status read_conf(comparison *c, const char *path) {
    bough_input input;
    bough_status status = bough_input_read(path, &input, c->error);
    if (status) return status;
    terminal_clean_all(&input);
    status = bough_input_single(&input, "topology.conf", c->error);
    TRY(topology_conf_parse(input.piece[0].name, input.piece[0].data, input.piece[0].size, &c->conf,
                            c->error));
    bough_input_fini(&input);
    return status;
}

bough_status slurm_compare(const bough_net *net, const char *path, bough_check_slurm *slurm,
                           bough_findings *findings, bough_error *error) {
    comparison c = {.slurm = slurm, .file = path, .findings = findings, .error = error};
    bough_status status = read_conf(&c, path);
    TRY(switch_tree_make(net, &c.tree, error));
    slurm->hosts = c.tree.hosts - c.tree.unfits;
    TRY(find_hosts(&c));
    TRY(find_lines(&c));
    TRY(match_leaves(&c));
    TRY(judge_leaves(&c));
    TRY(collect_leaves(&c));
    TRY(judge_upper(&c));
    FREE_ALL(c.conf_host, c.host_line, c.leaf_line, c.line_leaf, c.below);
    topology_conf_fini(&c.conf);
    arena_fini(&c.tree.memory);
    return status;
}
