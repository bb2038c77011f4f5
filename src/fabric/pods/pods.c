/* Hosts belong to their switch from level 1 on. */
#include "fabric/pods/pods.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/level_sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WANTED_NODES = 8192, PODS_FEW = 8 };

typedef struct joining {
    const bough_net *net;
    level_sets sets;
    uint32_t *number; /* per node, if it is the first of a set: of its pod */
    unsigned levels;  /* of switches */
} joining;

static bough_status open_joining(joining *j, const bough_net *net, bough_error *error) {
    *j = (joining){.net = net};
    bough_status status = level_sets_make(&j->sets, net, NULL, error);
    TRY(bough_alloc(&j->number, net->nodes, sizeof *j->number, error));
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        const unsigned level = net->ops->node_level(net, v);
        if (bough_is_switch(net, v) && level > j->levels) j->levels = level;
    }
    return status;
}

static void close_joining(joining *j) {
    level_sets_fini(&j->sets);
    free(j->number);
}

/* Whether nodes of this kind and level are in a pod, if pods reach up to `top`. */
static bool is_below(const joining *j, uint64_t v, unsigned top) {
    return j->net->ops->node_level(j->net, v) <= top && j->net->ops->node_group_count(j->net, v);
}

/* Numbers the sets by their first node, hosts first; returns how many contain a switch. */
static uint32_t number_sets(joining *j, unsigned top) {
    const bough_net *net = j->net;
    uint32_t sets = 0;
    for (uint64_t v = 0; v < net->nodes; v++) j->number[v] = PODS_NONE;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t *number = &j->number[j->sets.set[v]];
        if (is_below(j, v, top) && *number == PODS_NONE) *number = sets++;
    }
    return sets;
}

/* Every `per` consecutive ones become one. */
static bough_status take_pods(joining *j, pods *p, unsigned top, uint32_t sets, bough_error *error) {
    const bough_net *net = j->net;
    const uint32_t per = (sets + PODS_MOST - 1) / PODS_MOST;
    p->count = per ? (sets + per - 1) / per : 0;
    p->blocks = per > 1;
    bough_status status = bough_alloc(&p->pod, p->count, sizeof *p->pod, error);
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        bool below = is_below(j, v, top);
        p->of[v] = below ? j->number[j->sets.set[v]] / per : PODS_NONE;
        if (!below) continue;
        net_pod *d = &p->pod[p->of[v]];
        if (!bough_is_switch(j->net, v))
            d->hosts++;
        else if (!d->switches++)
            d->first = v;
    }
    return status;
}

/* Nothing divides the network: consecutive switches, with their hosts. */
static void part_switches(joining *j) {
    const bough_net *net = j->net;
    const uint64_t size = net->switches / 64 + 1;
    uint64_t seen = 0;
    uint32_t first = 0;
    uint32_t *set = j->sets.set;
    level_sets_part(&j->sets);
    for (uint64_t v = 0; v < net->nodes; v++) {
        if (!bough_is_switch(j->net, v)) continue;
        if (seen++ % size == 0) first = (uint32_t)v;
        set[v] = first;
    }
    for (uint64_t l = 0; l < net->links; l++)
        if (!bough_is_switch(j->net, j->sets.from[l])) set[j->sets.from[l]] = set[j->sets.to[l]];
}

/* The highest level with a number of pods that is easy to look through, else the lowest with not too many. */
static unsigned choose_level(joining *j) {
    unsigned few = 0, top = 0;
    for (unsigned level = 1; level < j->levels; level++) {
        level_sets_raise(&j->sets, level);
        uint32_t sets = number_sets(j, level);
        if (sets >= PODS_FEW && sets <= PODS_MOST) top = level;
        if (sets > 1 && sets <= PODS_MOST && !few) few = level;
        if (sets < PODS_FEW) break;
    }
    level_sets_part(&j->sets);
    return top ? top : few ? few : j->levels ? j->levels - 1 : 0;
}

static bough_status divide(joining *j, pods *p, bough_error *error) {
    const unsigned top = choose_level(j);
    for (unsigned level = 1; level <= top; level++) level_sets_raise(&j->sets, level);
    uint32_t sets = top ? number_sets(j, top) : 0;
    if (sets > 1) return take_pods(j, p, top, sets, error);
    part_switches(j);
    sets = number_sets(j, j->levels);
    bough_status status = take_pods(j, p, j->levels, sets, error);
    p->blocks = true;
    return status;
}

bough_status pods_find(const bough_net *net, pods *p, bough_error *error) {
    joining j = {0};
    *p = (pods){0};
    if (net->nodes >= PODS_NONE - 1)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "%s has too many nodes to be divided", net->spec);
    bough_status status = bough_alloc(&p->of, net->nodes, sizeof *p->of, error);
    TRY(open_joining(&j, net, error));
    TRY(divide(&j, p, error));
    for (uint64_t v = 0; v < net->nodes && !status; v++)
        p->above += p->of[v] == PODS_NONE && bough_is_switch(j.net, v);
    close_joining(&j);
    if (status) pods_fini(p);
    return status;
}

void pods_fini(pods *p) {
    FREE_ALL(p->pod, p->of);
    *p = (pods){0};
}

const char *pods_name(const pods *p, uint32_t i, char *buffer, size_t size) {
    snprintf(buffer, size, "%s %" PRIu32, p->blocks ? "group" : "pod", i);
    return buffer;
}

uint32_t pods_of_link(const pods *p, const bough_net *net, uint64_t link) {
    uint32_t pod = p->of[bough_link_start(net, link)];
    return pod != PODS_NONE ? pod : p->of[net->ops->link_end(net, link).node];
}

bool pods_wanted(const bough_net *net) {
    return net->nodes > WANTED_NODES;
}
