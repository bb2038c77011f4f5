#include "fabric/expect/tree_cables.h"

#include "base/status/try.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct finding {
    const tree *t;
    const uint32_t *cables;
    odd_cables *odd;
    odd_list strays, doubles;
    uint32_t *count; /* [node]: cables from the switch at hand */
    bough_error *error;
} finding;

/* times: this number of cables, the last of a bundle. */
static bough_status add(finding *f, odd_list *list, odd_cable cable, uint32_t times) {
    bough_status status =
        arena_grow(&f->odd->memory, &list->item, list->count + times, sizeof *list->item, f->error);
    for (uint32_t i = 0; i < times && !status; i++) list->item[list->count++] = cable;
    return status;
}

/* The links of a bundle are consecutive in the row of their start. */
static bough_status add_extra(finding *f, odd_list *list, uint32_t v, const tree_bundle *b, uint32_t usual) {
    bough_status status = BOUGH_OK;
    for (uint32_t i = b->at - b->count + usual; i < b->at && !status; i++)
        status = add(f, list, (odd_cable){{v, b->node}, f->t->out.item[i], b->count, usual, false}, 1);
    return status;
}

static bool is_within(const tree *t, uint32_t v, uint32_t w) {
    return t->level[w] == t->level[v] + 1 && t->up[v] != TREE_NONE && t->up[v] == t->down[w];
}

/* A cable belongs to the switch at its lower end, of one level to the first one. */
static bool owns(const tree *t, uint32_t v, uint32_t w) {
    if (t->level[w] == 0 || t->level[w] == TREE_NO_LEVEL) return false;
    return t->level[v] != t->level[w] ? t->level[v] < t->level[w] : v < w;
}

static bough_status find_strays(finding *f, uint32_t v) {
    const tree *t = f->t;
    bough_status status = BOUGH_OK;
    for (tree_bundle b = tree_bundles(t, v); tree_bundle_next(&b) && !status;) {
        if (!owns(t, v, b.node)) continue;
        f->odd->cables += b.count;
        if (!is_within(t, v, b.node)) status = add_extra(f, &f->strays, v, &b, 0);
    }
    return status;
}

/* The cables of a lower switch within its group. */
static bough_status find_in_group(finding *f, uint32_t v, const tree_layer *layer, uint32_t usual) {
    const tree *t = f->t;
    const compressed_rows *high = &layer->high;
    bough_status status = BOUGH_OK;
    for (tree_bundle b = tree_bundles(t, v); tree_bundle_next(&b) && !status;) {
        if (!is_within(t, v, b.node)) continue;
        f->count[b.node] = b.count;
        if (b.count > usual) status = add_extra(f, &f->doubles, v, &b, usual);
    }
    for (uint32_t i = high->first[t->up[v]]; i < high->first[t->up[v] + 1] && !status; i++) {
        uint32_t w = high->item[i], count = f->count[w];
        f->count[w] = 0;
        if (count >= usual) continue;
        status = add(f, &f->odd->missing, (odd_cable){{v, w}, TREE_NONE, count, usual, false}, usual - count);
    }
    return status;
}

/* Pairs of switches in a list, from an item on. */
static uint64_t count_pairs(const odd_list *list, size_t from) {
    uint64_t pairs = 0;
    for (size_t i = from; i < list->count; i++) pairs += i == from || odd_is_new_pair(list, i);
    return pairs;
}

static bough_status find_in_layer(finding *f, unsigned level) {
    const tree_layer *layer = &f->t->layer[level];
    const uint32_t usual = f->cables[level], members = layer->low.first[layer->groups];
    const size_t missing = f->odd->missing.count, doubles = f->doubles.count;
    uint64_t pairs = 0;
    bough_status status = BOUGH_OK;
    for (uint32_t k = 0; k < layer->groups; k++)
        pairs += (uint64_t)layer->group[k].lowers * layer->group[k].uppers;
    for (uint32_t i = 0; i < members && !status; i++)
        status = find_in_group(f, layer->low.item[i], layer, usual);
    f->odd->planned += usual * pairs;
    const uint64_t fewer = count_pairs(&f->odd->missing, missing), more = count_pairs(&f->doubles, doubles);
    const uint64_t most = fewer > more ? fewer : more;
    if (most == 1 || 4 * most <= pairs) return status;
    f->odd->skipped[level] = true;
    f->odd->irregular += f->doubles.count - doubles;
    f->odd->missing.count = missing;
    f->doubles.count = doubles;
    return status;
}

/* Strays of a layer that is skipped are not listed either. */
static bough_status collect(finding *f) {
    const odd_list *lists[] = {&f->strays, &f->doubles};
    bough_status status = BOUGH_OK;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count && !status; i++) {
            const odd_cable *c = &lists[k]->item[i];
            if (f->odd->skipped[f->t->level[c->node[0]]])
                f->odd->irregular++;
            else
                status = add(f, &f->odd->extra, *c, 1);
        }
    return status;
}

bough_status odd_cables_find(const tree *t, const uint32_t cables[TREE_LEVELS], odd_cables *odd,
                             bough_error *error) {
    finding f = {.t = t, .cables = cables, .odd = odd, .error = error};
    bough_status status = arena_alloc(&odd->memory, &f.count, t->net->nodes, sizeof *f.count, error);
    for (uint64_t v = 0; v < t->net->nodes && !status; v++)
        if (t->level[v] && t->level[v] != TREE_NO_LEVEL) status = find_strays(&f, (uint32_t)v);
    for (unsigned level = 1; level < t->levels && !status; level++) status = find_in_layer(&f, level);
    TRY(collect(&f));
    return status;
}

/* ---- names of missing cables ---- */

/* Counts by number the ports by which other switches have cables to a switch. Returns the number of cables.
 */
static uint32_t count_ports_to(const bough_fabric *f, uint32_t to, uint32_t except,
                               uint32_t uses[BOUGH_PORT_MAX + 1]) {
    uint32_t first, count, cables = 0;
    bough_fabric_ports(f, to, &first, &count);
    for (uint32_t i = first; i < first + count; i++) {
        if (f->port[i].peer == BOUGH_NO_INDEX) continue;
        const bough_fabric_port *peer = &f->port[f->port[i].peer];
        if (peer->node == except || f->node[peer->node].kind != BOUGH_FABRIC_SWITCH ||
            peer->number > BOUGH_PORT_MAX)
            continue;
        uses[peer->number]++;
        cables++;
    }
    return cables;
}

/* 0: no free port of `at` is one that at least two thirds of the other switches use; usual: cables of each.
 */
static uint32_t usual_port(const bough_fabric *f, uint32_t at, uint32_t to, unsigned usual) {
    uint32_t uses[BOUGH_PORT_MAX + 1] = {0}, first, count, best = 0;
    const uint32_t cables = count_ports_to(f, to, at, uses);
    if (f->node[at].made_ports) return 0;
    bough_fabric_ports(f, at, &first, &count);
    for (uint32_t i = first; i < first + count; i++)
        if (f->port[i].peer != BOUGH_NO_INDEX && f->port[i].number <= BOUGH_PORT_MAX)
            uses[f->port[i].number] = 0;
    for (uint32_t n = 1; n <= BOUGH_PORT_MAX; n++)
        if (uses[n] > uses[best]) best = n;
    return uses[best] && 3 * (uint64_t)uses[best] * usual >= 2 * (uint64_t)cables ? best : 0;
}

bool odd_cable_name(const bough_net *net, const odd_cable *missing, char *buffer, size_t size) {
    const uint32_t *node = missing->node;
    char a[128], b[128];
    uint32_t port[2] = {0};
    bough_node_name(net, node[0], a, sizeof a);
    bough_node_name(net, node[1], b, sizeof b);
    if (net->fabric && missing->usual == missing->count + 1)
        for (int i = 0; i < 2; i++)
            port[i] = usual_port(net->fabric, bough_net_fabric_node(net, node[i]),
                                 bough_net_fabric_node(net, node[1 - i]), missing->usual);
    if (port[0] && port[1])
        snprintf(buffer, size, "%s/%" PRIu32 " - %s/%" PRIu32, a, port[0], b, port[1]);
    else
        snprintf(buffer, size, "%s - %s", a, b);
    return port[0] && port[1];
}
