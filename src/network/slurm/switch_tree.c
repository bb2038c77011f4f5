#include "network/slurm/switch_tree.h"

#include "base/memory/memory.h"
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "network/export/network_exports.h"
#include "network/slurm/switch_tree_build.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bough_status check_cables(const bough_net *net, bough_error *error) {
    bough_status status = export_check_size(net, error);
    for (uint64_t l = 0; l < net->links && !status; l++)
        if (!net->ops->link_twin || net->ops->link_twin(net, l) == BOUGH_NONE)
            status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                "topology.conf describes cables; %s has one-way wires", net->spec);
    return status;
}

/* ---- names ---- */

/* Characters that Slurm cannot hold become '_'. */
static void base_name(const switch_tree *t, const tree_switch *s, char *name, size_t size) {
    if (s->first == BOUGH_NONE)
        snprintf(name, size, "group");
    else
        bough_node_name(t->net, s->first, name, size);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c)) *c = '_';
}

static bough_status name_switches(switch_tree *t, bough_error *error) {
    bough_name_map used = {0};
    bough_status status = BOUGH_OK;
    uint32_t next = 2, group = 1;
    for (size_t i = 0; i < t->count && !status; i++) {
        tree_switch *s = &t->item[i];
        char base[160];
        base_name(t, s, base, sizeof base);
        if (s->first == BOUGH_NONE)
            snprintf(s->name, sizeof s->name, "group%u", group++);
        else
            snprintf(s->name, sizeof s->name, "%.*s", HOST_NAME_MAX_, base);
        while (bough_name_map_get(&used, s->name, strlen(s->name)) != BOUGH_NO_INDEX)
            snprintf(s->name, sizeof s->name, "%.48s_%u", base, next++);
        status = bough_name_map_add(&used, s->name, strlen(s->name), (uint32_t)i, error);
    }
    bough_name_map_fini(&used);
    return status;
}

bough_status switch_tree_make(const bough_net *net, switch_tree *t, bough_error *error) {
    *t = (switch_tree){.net = net};
    tree_builder b = {.tree = t, .net = net, .error = error};
    bough_status status = check_cables(net, error);
    TRY(tree_find_hosts(&b));
    TRY(tree_find_groups(&b));
    TRY(tree_find_levels(&b));
    TRY(tree_join_leaves(&b));
    TRY(name_switches(t, error));
    FREE_ALL(b.attached, b.group, b.host_group, b.hosts, b.level, b.root);
    if (status) arena_fini(&t->memory);
    return status;
}
