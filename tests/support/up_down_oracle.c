#include "support/up_down_oracle.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static uint64_t guid(const bough_net *net, uint64_t node) {
    return net->fabric->node[bough_net_fabric_node(net, node)].guid;
}

bool up_down_oracle_up(const up_down_oracle *o, uint64_t link) {
    uint64_t a = bough_link_start(o->net, link), b = o->net->ops->link_end(o->net, link).node;
    return o->rank[a] != o->rank[b] ? o->rank[b] < o->rank[a] : guid(o->net, b) < guid(o->net, a);
}

static bool endpoint(const bough_net *net, uint64_t node) {
    return node < net->endpoints;
}

/* Relaxation until nothing changes: no queue, no order. */
static void find_ranks(up_down_oracle *o) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t l = 0; l < o->net->links; l++) {
            uint64_t a = bough_link_start(o->net, l), b = o->net->ops->link_end(o->net, l).node;
            if (endpoint(o->net, a) || endpoint(o->net, b) || !bough_link_alive(o->net, l)) continue;
            if (o->rank[a] != UINT_MAX && o->rank[b] > o->rank[a] + 1)
                o->rank[b] = o->rank[a] + 1, changed = true;
            if (o->rank[b] != UINT_MAX && o->rank[a] > o->rank[b] + 1)
                o->rank[a] = o->rank[b] + 1, changed = true;
        }
    }
}

/* Lengths of ways from one endpoint that are still going up (0) or have gone down (1). */
static void find_shortest(up_down_oracle *o, uint64_t from) {
    const bough_net *net = o->net;
    unsigned *length[2] = {calloc(net->nodes, sizeof(unsigned)), calloc(net->nodes, sizeof(unsigned))};
    for (uint64_t v = 0; v < net->nodes; v++) length[0][v] = length[1][v] = UINT_MAX;
    length[0][from] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t a = bough_link_start(net, l), b = net->ops->link_end(net, l).node;
            if (!bough_link_alive(net, l) || (endpoint(net, a) && a != from)) continue;
            bool up = endpoint(net, a) || (!endpoint(net, b) && up_down_oracle_up(o, l));
            for (int phase = 0; phase < 2; phase++) {
                int next = up ? 0 : 1;
                if (length[phase][a] == UINT_MAX || (phase == 1 && up)) continue;
                if (length[next][b] > length[phase][a] + 1)
                    length[next][b] = length[phase][a] + 1, changed = true;
            }
        }
    }
    for (uint64_t v = 0; v < net->nodes; v++)
        o->shortest[from * net->nodes + v] = length[0][v] < length[1][v] ? length[0][v] : length[1][v];
    free(length[0]);
    free(length[1]);
}

up_down_oracle up_down_oracle_make(const bough_net *net, const char *const *roots) {
    up_down_oracle o = {.net = net,
                        .rank = calloc(net->nodes, sizeof(unsigned)),
                        .shortest = calloc(net->endpoints * net->nodes, sizeof(unsigned))};
    for (uint64_t v = 0; v < net->nodes; v++) {
        char name[160];
        bool root = !roots && net->ops->node_level(net, v) == net->levels;
        bough_node_name(net, v, name, sizeof name);
        for (size_t i = 0; roots && roots[i]; i++) root |= strcmp(roots[i], name) == 0;
        o.rank[v] = root && !endpoint(net, v) ? 0 : UINT_MAX;
    }
    find_ranks(&o);
    for (uint64_t e = 0; e < net->endpoints; e++) find_shortest(&o, e);
    return o;
}

void up_down_oracle_free(up_down_oracle *o) {
    free(o->rank);
    free(o->shortest);
}

bool up_down_oracle_legal(const up_down_oracle *o, const uint64_t *path, int length) {
    bool down = false;
    for (int i = 1; i + 1 < length; i++) { /* not the links of the endpoints */
        bool up = up_down_oracle_up(o, path[i]);
        if (up && down) return false;
        down |= !up;
    }
    return true;
}

uint64_t *up_down_oracle_parts(const bough_net *net) {
    uint64_t *part = calloc(net->nodes, sizeof *part);
    for (uint64_t v = 0; v < net->nodes; v++) part[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t l = 0; l < net->links; l++) {
            uint64_t a = bough_link_start(net, l), b = net->ops->link_end(net, l).node;
            if (!bough_link_alive(net, l)) continue;
            if (part[a] < part[b]) part[b] = part[a], changed = true;
            if (part[b] < part[a]) part[a] = part[b], changed = true;
        }
    }
    return part;
}
