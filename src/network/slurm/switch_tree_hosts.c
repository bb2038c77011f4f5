/* Hosts, and the groups of hosts that have cables to the same switches. */
#include "base/memory/compressed_rows.h"
#include "base/memory/memory.h"
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "network/export/network_exports.h"
#include "network/hosts.h"
#include "network/slurm/switch_tree_build.h"
#include "network/wiring.h"

#include <stdlib.h>
#include <string.h>

/* ---- hosts ---- */

static bough_status refuse_name(const bough_net *net, uint64_t endpoint, bough_error *error) {
    char name[160];
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "'%s' is no name of a host for Slurm (1 to %d letters, digits, '.', '_', '-'); describe "
        "it as HOST DEVICE, or leave it out: --endpoints REGEX",
        bough_node_name(net, endpoint, name, sizeof name), HOST_NAME_MAX_);
}

static bough_status new_host(tree_builder *b, bough_name_map *map, const char *name, uint32_t *host) {
    switch_tree *t = b->tree;
    char *kept = NULL;
    *host = t->hosts++;
    t->unfit[*host] = !host_name_fits(name);
    t->unfits += t->unfit[*host];
    bough_status status = arena_copy(&t->memory, &kept, name, b->error);
    t->host[*host] = kept;
    TRY(bough_name_map_add(map, kept, strlen(name), *host, b->error));
    return status;
}

static bough_status add_host(tree_builder *b, bough_name_map *map, uint64_t endpoint) {
    char name[160];
    if (b->net->fabric)
        net_host_name(b->net, endpoint, name, sizeof name);
    else
        bough_node_name(b->net, endpoint, name, sizeof name);
    uint32_t host = bough_name_map_get(map, name, strlen(name));
    bough_status status = host == BOUGH_NO_INDEX ? new_host(b, map, name, &host) : BOUGH_OK;
    b->tree->endpoint_host[endpoint] = host;
    return status;
}

static bough_status add_attachment(tree_builder *b, uint32_t host, uint64_t node) {
    bough_status status =
        bough_grow(&b->attached, &b->capacity, b->attachments + 1, sizeof *b->attached, b->error);
    if (!status) b->attached[b->attachments++] = (attachment){host, (uint32_t)node};
    return status;
}

/* An endpoint that is a switch is attached to itself. What Slurm cannot name is attached to nothing. */
static bough_status attach(tree_builder *b, uint64_t endpoint) {
    const bough_net *net = b->net;
    uint32_t host = b->tree->endpoint_host[endpoint];
    if (b->tree->unfit[host]) return BOUGH_OK;
    if (bough_is_switch(net, endpoint)) return add_attachment(b, host, endpoint);
    bough_status status = BOUGH_OK;
    for (node_links at = node_links_of(net, endpoint); !status && node_links_next(&at);) {
        uint64_t to = net->ops->link_end(net, at.link).node;
        if (bough_cable_works(net, at.link) && bough_is_switch(net, to)) status = add_attachment(b, host, to);
    }
    return status;
}

static int by_host(const void *a, const void *b) {
    const attachment *x = a, *y = b;
    if (x->host != y->host) return x->host < y->host ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_attachments(tree_builder *b) {
    size_t kept = 0;
    if (b->attachments) qsort(b->attached, b->attachments, sizeof *b->attached, by_host);
    for (size_t i = 0; i < b->attachments; i++)
        if (kept == 0 || by_host(&b->attached[i], &b->attached[kept - 1]) != 0)
            b->attached[kept++] = b->attached[i];
    b->attachments = kept;
    for (size_t i = 0; i < kept; i++) b->hosts[b->attached[i].node]++;
}

bough_status tree_find_hosts(tree_builder *b) {
    switch_tree *t = b->tree;
    const uint64_t endpoints = b->net->endpoints;
    bough_name_map map = {0};
    const bough_array array[] = {{&t->unfit, endpoints, sizeof *t->unfit},
                                 {&t->host, endpoints, sizeof *t->host},
                                 {&t->endpoint_host, endpoints, sizeof *t->endpoint_host}};
    bough_status status = bough_memory_check(bough_mul(endpoints, 160), "the tree of switches", b->error);
    TRY(arena_alloc_all(&t->memory, array, 3, b->error));
    TRY(bough_alloc(&b->hosts, b->net->nodes, sizeof *b->hosts, b->error));
    for (uint64_t e = 0; e < endpoints && !status; e++) status = add_host(b, &map, e);
    if (!status && t->hosts && t->unfits == t->hosts) status = refuse_name(b->net, 0, b->error);
    for (uint64_t e = 0; e < endpoints && !status; e++) status = attach(b, e);
    if (!status) sort_attachments(b);
    bough_name_map_fini(&map);
    return status;
}

/* ---- groups ---- */

static int compare_switches(const tree_builder *b, const host_group *x, const host_group *y) {
    if (x->switches != y->switches) return x->switches < y->switches ? -1 : 1;
    for (uint32_t i = 0; i < x->switches; i++) {
        uint32_t p = b->attached[x->first + i].node, q = b->attached[y->first + i].node;
        if (p != q) return p < q ? -1 : 1;
    }
    return 0;
}

/* A group for qsort, which passes no context. */
typedef struct sorted_group {
    const tree_builder *b;
    host_group group;
} sorted_group;

static int by_switches(const void *a, const void *b) {
    const sorted_group *x = a, *y = b;
    int order = compare_switches(x->b, &x->group, &y->group);
    return order ? order : (x->group.host > y->group.host) - (x->group.host < y->group.host);
}

static int by_first_host(const void *a, const void *b) {
    const host_group *x = a, *y = b;
    return (x->host > y->host) - (x->host < y->host);
}

/* One group for each host that has a switch; returns their number. */
static uint32_t list_hosts(const tree_builder *b, sorted_group *list) {
    uint32_t count = 0;
    for (size_t i = 0, next; i < b->attachments; i = next) {
        for (next = i + 1; next < b->attachments && b->attached[next].host == b->attached[i].host;) next++;
        list[count++] = (sorted_group){
            b, {.first = (uint32_t)i, .switches = (uint32_t)(next - i), .host = b->attached[i].host}};
    }
    return count;
}

/* Groups of hosts with equal switches. */
static bough_status merge_equal(tree_builder *b) {
    sorted_group *list = NULL;
    const uint32_t hosts = b->tree->hosts;
    bough_status status = bough_alloc(&list, hosts, sizeof *list, b->error);
    TRY(bough_alloc(&b->group, hosts, sizeof *b->group, b->error));
    TRY(bough_alloc(&b->host_group, hosts, sizeof *b->host_group, b->error));
    uint32_t count = status ? 0 : list_hosts(b, list);
    if (count) qsort(list, count, sizeof *list, by_switches);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || compare_switches(b, &list[i].group, &list[i - 1].group) != 0)
            b->group[b->groups++] = list[i].group;
        b->group[b->groups - 1].hosts++;
    }
    free(list);
    if (b->groups) qsort(b->group, b->groups, sizeof *b->group, by_first_host);
    for (uint32_t g = 0; g < b->groups; g++) b->group[g].into = g;
    return status;
}

/* ---- hosts that have lost cables ---- */

/* The switches of all groups, one after the other. */
typedef struct memberships {
    const tree_builder *b;
    uint32_t *group, *node;
    compressed_rows at; /* by switch */
} memberships;

static uint32_t switch_of_membership(const void *context, uint32_t item) {
    const memberships *m = context;
    return m->node[item];
}

static bough_status list_memberships(const tree_builder *b, memberships *m) {
    uint64_t total = 0, at = 0;
    for (uint32_t g = 0; g < b->groups; g++) total += b->group[g].switches;
    bough_status status = bough_alloc(&m->group, total, sizeof *m->group, b->error);
    TRY(bough_alloc(&m->node, total, sizeof *m->node, b->error));
    for (uint32_t g = 0; g < b->groups && !status; g++)
        for (uint32_t i = 0; i < b->group[g].switches; i++, at++) {
            m->group[at] = g;
            m->node[at] = b->attached[b->group[g].first + i].node;
        }
    m->b = b;
    m->at = (compressed_rows){.rows = (uint32_t)b->net->nodes, .items = (uint32_t)total};
    TRY(rows_make(&m->at, switch_of_membership, m, b->error));
    return status;
}

/* Whether group y has all switches of x, more of them, and more hosts: a few hosts with cables to two leaves
 * do not swallow these. */
static bool contains(const tree_builder *b, const host_group *y, const host_group *x) {
    if (y->switches <= x->switches || y->hosts <= x->hosts) return false;
    uint32_t k = 0;
    for (uint32_t i = 0; i < y->switches && k < x->switches; i++)
        k += b->attached[y->first + i].node == b->attached[x->first + k].node;
    return k == x->switches;
}

/* The groups that contain a group: none, one (*found), or more (2). part: groups to leave out; may be NULL.
 */
static unsigned count_containing(const memberships *m, uint32_t g, const bool *part, uint32_t *found) {
    const tree_builder *b = m->b;
    const host_group *own = &b->group[g];
    uint32_t node = b->attached[own->first].node;
    unsigned count = 0;
    for (uint32_t i = m->at.first[node]; i < m->at.first[node + 1] && count < 2; i++) {
        uint32_t other = m->group[m->at.item[i]];
        if ((part && part[other]) || !contains(b, &b->group[other], own)) continue;
        *found = other;
        count++;
    }
    return count;
}

static bough_status merge_parts(tree_builder *b) {
    memberships m = {0};
    bool *part = NULL;
    uint32_t most = 0, found = 0;
    for (uint32_t g = 0; g < b->groups; g++)
        if (b->group[g].switches > most) most = b->group[g].switches;
    if (most < 2) return BOUGH_OK;
    bough_status status = list_memberships(b, &m);
    TRY(bough_alloc(&part, b->groups, sizeof *part, b->error));
    for (uint32_t g = 0; g < b->groups && !status; g++) part[g] = count_containing(&m, g, NULL, &found) > 0;
    for (uint32_t g = 0; g < b->groups && !status; g++) {
        if (!part[g] || count_containing(&m, g, part, &found) != 1) continue;
        b->group[g].into = found;
    }
    for (uint32_t g = 0; g < b->groups && !status; g++)
        if (b->group[g].into != g) b->group[b->group[g].into].hosts += b->group[g].hosts;
    rows_fini(&m.at);
    FREE_ALL(m.group, m.node, part);
    return status;
}

/* The group of each host: its own switches are those of one group exactly. */
static bough_status assign_hosts(tree_builder *b) {
    sorted_group *sorted = NULL;
    bough_status status = bough_alloc(&sorted, b->groups, sizeof *sorted, b->error);
    for (uint32_t h = 0; h < b->tree->hosts && !status; h++) b->host_group[h] = BOUGH_NO_INDEX;
    for (uint32_t g = 0; g < b->groups && !status; g++) {
        sorted[g] = (sorted_group){b, b->group[g]};
        sorted[g].group.item = g;
        sorted[g].group.host = 0; /* compare by switches only */
    }
    if (!status && b->groups) qsort(sorted, b->groups, sizeof *sorted, by_switches);
    for (size_t i = 0, next; i < b->attachments && !status; i = next) {
        for (next = i + 1; next < b->attachments && b->attached[next].host == b->attached[i].host;) next++;
        sorted_group key = {b, {.first = (uint32_t)i, .switches = (uint32_t)(next - i)}};
        const sorted_group *at = bsearch(&key, sorted, b->groups, sizeof *sorted, by_switches);
        b->host_group[b->attached[i].host] = b->group[at->group.item].into;
    }
    free(sorted);
    return status;
}

bough_status tree_find_groups(tree_builder *b) {
    bough_status status = merge_equal(b);
    TRY(merge_parts(b));
    TRY(assign_hosts(b));
    return status;
}
