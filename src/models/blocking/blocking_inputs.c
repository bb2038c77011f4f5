/* Finding the stages of a network: the links that can request a group.
 *
 * Nodes with groups of the same classes are of one type. All nodes of a type are examined, or a random sample
 * if there are many. One pass over all links gathers the inputs of these nodes. Which groups of the node a
 * link can request is tested with a few addresses behind each group: the node where the link starts must send
 * them over that link's group. */
#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "models/blocking/blocking_stages.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MAX = 2048, ADDRESSES = 8, TRIES = 64 };

typedef struct arrival {
    uint32_t sample; /* index of the node */
    uint32_t class, links;
    uint64_t start, group;
} arrival;

typedef struct sampler {
    blocking_search *f;
    bough_index_map types; /* number of nodes of each type, by type_hash */
    uint32_t *mark;        /* per node: 1 + index among the examined nodes */
    uint64_t *sample;
    arrival *arrival;
    uint64_t arrivals;
    size_t sample_capacity, arrival_capacity;
    uint32_t samples;
    /* of one node */
    uint64_t *group;
    uint64_t (*address)[ADDRESSES];
    uint32_t *addresses, groups;
    bool *requests; /* by arrival and group */
    size_t group_capacity, address_capacity, addresses_capacity, requests_capacity;
    bough_stream stream;
} sampler;

/* ---- sample of nodes ---- */

static uint64_t type_hash(const blocking_search *f, uint64_t node) {
    uint64_t sum = 0;
    uint32_t count = f->net->ops->node_group_count(f->net, node);
    for (uint32_t i = 0; i < count; i++)
        sum += blocking_mix(f->group_class[f->net->ops->node_group(f->net, node, i)]);
    return blocking_mix(sum);
}

static bough_status choose_nodes(sampler *k) {
    const bough_net *net = k->f->net;
    bough_status status = bough_alloc(&k->mark, net->nodes, sizeof *k->mark, k->f->error);
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++)
        status = bough_index_map_count(&k->types, type_hash(k->f, v), k->f->error);
    bough_key key = bough_key_make(1, 0);
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
        uint64_t of = bough_index_map_get(&k->types, type_hash(k->f, v));
        if (of > SAMPLE_MAX && bough_scale(bough_word(key, BOUGH_DRAW_SAMPLE, v, 1), of) >= SAMPLE_MAX)
            continue;
        status = bough_grow(&k->sample, &k->sample_capacity, k->samples + 1, sizeof *k->sample, k->f->error);
        if (status) break;
        k->sample[k->samples++] = v;
        k->mark[v] = k->samples;
    }
    return status;
}

/* ---- their inputs ---- */

/* Number of links of a group that end at a node, reported once: at the first of them. */
static uint32_t links_into(const bough_net *net, bough_range links, uint64_t first, uint64_t node) {
    uint32_t count = 0;
    for (uint64_t l = links.first; l < links.first + links.count; l++) {
        if (!bough_link_alive(net, l) || net->ops->link_end(net, l).node != node) continue;
        if (l < first) return 0;
        count++;
    }
    return count;
}

/* Adds the inputs that a group of node v is of sampled nodes. */
static bough_status add_inputs(sampler *k, uint64_t v, uint64_t group) {
    const bough_net *net = k->f->net;
    bough_range links = net->ops->group_links(net, group);
    for (uint64_t l = links.first; l < links.first + links.count; l++) {
        uint64_t node = net->ops->link_end(net, l).node;
        uint32_t together = k->mark[node] && bough_link_alive(net, l) ? links_into(net, links, l, node) : 0;
        if (!together) continue;
        bough_status status =
            bough_grow(&k->arrival, &k->arrival_capacity, k->arrivals + 1, sizeof *k->arrival, k->f->error);
        if (status) return status;
        k->arrival[k->arrivals++] =
            (arrival){k->mark[node] - 1, k->f->group_class[group], together, v, group};
    }
    return BOUGH_OK;
}

static bough_status gather_inputs(sampler *k) {
    const bough_net *net = k->f->net;
    bough_status status = BOUGH_OK;
    for (uint64_t v = 0; v < net->nodes; v++) {
        uint32_t groups = net->ops->node_group_count(net, v);
        for (uint32_t i = 0; i < groups && !status; i++)
            status = add_inputs(k, v, net->ops->node_group(net, v, i));
    }
    return status;
}

static int by_sample(const void *a, const void *b) {
    const arrival *x = a, *y = b;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

/* ---- requests ---- */

static bough_status find_addresses(sampler *k, uint64_t node) {
    const bough_net *net = k->f->net;
    k->groups = net->ops->node_group_count(net, node);
    bough_status status = bough_grow(&k->group, &k->group_capacity, k->groups, sizeof *k->group, k->f->error);
    TRY(bough_grow(&k->address, &k->address_capacity, k->groups, sizeof *k->address, k->f->error));
    if (!status)
        status =
            bough_grow(&k->addresses, &k->addresses_capacity, k->groups, sizeof *k->addresses, k->f->error);
    for (uint32_t i = 0; i < k->groups && !status; i++) {
        k->group[i] = net->ops->node_group(net, node, i);
        k->addresses[i] = 0;
        for (int t = 0; t < TRIES && k->addresses[i] < ADDRESSES; t++)
            k->addresses[i] +=
                blocking_find_address(k->f, &k->stream, node, k->group[i], &k->address[i][k->addresses[i]]);
    }
    return status;
}

static bool can_request(const sampler *k, const arrival *a, uint32_t group) {
    const bough_net *net = k->f->net;
    bough_route route;
    for (uint32_t i = 0; i < k->addresses[group]; i++) {
        uint64_t address = k->address[group][i];
        if (a->start == bough_address_node(net, address)) continue;
        net->ops->route(net, a->start, address, &route);
        if (route.count && route.group == a->group) return true;
    }
    return false;
}

/* ---- kinds ---- */

static int by_bundle(const void *a, const void *b) {
    const blocking_bundle *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    if (x->links != y->links) return x->links < y->links ? -1 : 1;
    return (x->choices > y->choices) - (x->choices < y->choices);
}

static bough_status add_bundle(const sampler *k, blocking_kind *kind, size_t *capacity,
                               blocking_bundle like) {
    for (uint32_t i = 0; i < kind->bundles; i++)
        if (by_bundle(&kind->bundle[i], &like) == 0) {
            kind->bundle[i].count++;
            return BOUGH_OK;
        }
    bough_status status =
        bough_grow(&kind->bundle, capacity, kind->bundles + 1, sizeof *kind->bundle, k->f->error);
    if (!status) kind->bundle[kind->bundles++] = like;
    return status;
}

/* Counts a kind, or adds it as a new one; takes ownership of its bundles. */
static bough_status count_kind(const sampler *k, blocking_kind *kind) {
    blocking_net *b = k->f->b;
    size_t bytes = kind->bundles * sizeof *kind->bundle;
    if (kind->bundles) qsort(kind->bundle, kind->bundles, sizeof *kind->bundle, by_bundle);
    for (uint32_t i = 0; i < b->kinds; i++) {
        blocking_kind *have = &b->kind[i];
        if (have->class != kind->class || have->bundles != kind->bundles ||
            (bytes && memcmp(have->bundle, kind->bundle, bytes) != 0))
            continue;
        have->groups++;
        free(kind->bundle);
        return BOUGH_OK;
    }
    bough_status status = bough_grow(&b->kind, &b->kind_capacity, b->kinds + 1, sizeof *b->kind, k->f->error);
    if (status) {
        free(kind->bundle);
        return status;
    }
    b->kind[b->kinds++] = *kind;
    return BOUGH_OK;
}

static bough_status count_turn(const sampler *k, uint32_t from, uint32_t to, double links) {
    blocking_net *b = k->f->b;
    for (uint32_t i = 0; i < b->turns; i++)
        if (b->turn[i].from == from && b->turn[i].to == to) {
            b->turn[i].links += links;
            return BOUGH_OK;
        }
    bough_status status = bough_grow(&b->turn, &b->turn_capacity, b->turns + 1, sizeof *b->turn, k->f->error);
    if (!status) b->turn[b->turns++] = (blocking_turn){from, to, links};
    return status;
}

/* Number of groups of the class of group i that an arrival can request. */
static uint32_t choices_of(const sampler *k, uint64_t a, uint32_t i) {
    const uint32_t *class = k->f->group_class;
    uint32_t count = 0;
    for (uint32_t g = 0; g < k->groups; g++)
        count += class[k->group[g]] == class[k->group[i]] && k->requests[a * k->groups + g];
    return count;
}

/* A turn counts once per node, at the first group of its class. */
static bool is_first(const sampler *k, uint32_t i) {
    const uint32_t *class = k->f->group_class;
    for (uint32_t g = 0; g < i; g++)
        if (class[k->group[g]] == class[k->group[i]]) return false;
    return true;
}

static bough_status examine_node(sampler *k, uint64_t node, const arrival *in, uint64_t count) {
    double stands_for = bough_index_map_get(&k->types, type_hash(k->f, node));
    if (stands_for < SAMPLE_MAX) stands_for = SAMPLE_MAX; /* in units of 1 / SAMPLE_MAX */
    bough_status status = find_addresses(k, node);
    TRY(bough_grow(&k->requests, &k->requests_capacity, count * k->groups, sizeof *k->requests, k->f->error));
    if (status) return status;
    for (uint64_t a = 0; a < count && !status; a++)
        status = count_turn(k, in[a].class, BLOCKING_ALL, stands_for * in[a].links);
    for (uint64_t a = 0; a < count; a++)
        for (uint32_t i = 0; i < k->groups; i++) k->requests[a * k->groups + i] = can_request(k, &in[a], i);
    for (uint32_t i = 0; i < k->groups && !status; i++) {
        uint32_t class = k->f->group_class[k->group[i]];
        blocking_kind kind = {.class = class, .groups = 1};
        size_t capacity = 0;
        bool first = is_first(k, i);
        for (uint64_t a = 0; a < count && !status; a++) {
            uint32_t choices = choices_of(k, a, i);
            if (first && choices) status = count_turn(k, in[a].class, class, stands_for * in[a].links);
            if (!status && k->requests[a * k->groups + i])
                status =
                    add_bundle(k, &kind, &capacity, (blocking_bundle){in[a].class, in[a].links, choices, 1});
        }
        if (status)
            free(kind.bundle);
        else
            status = count_kind(k, &kind);
    }
    return status;
}

static int by_class(const void *a, const void *b) {
    const blocking_kind *x = a, *y = b;
    return (x->class > y->class) - (x->class < y->class);
}

bough_status blocking_find_inputs(blocking_search *f) {
    sampler k = {.f = f, .stream = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_SAMPLE, 0, 2)};
    bough_status status = choose_nodes(&k);
    TRY(gather_inputs(&k));
    if (!status && k.arrivals) qsort(k.arrival, k.arrivals, sizeof *k.arrival, by_sample);
    for (uint64_t i = 0, end; i < k.arrivals && !status; i = end) {
        for (end = i + 1; end < k.arrivals && k.arrival[end].sample == k.arrival[i].sample;) end++;
        status = examine_node(&k, k.sample[k.arrival[i].sample], &k.arrival[i], end - i);
    }
    if (!status && f->b->kinds) qsort(f->b->kind, f->b->kinds, sizeof *f->b->kind, by_class);
    FREE_ALL(k.mark, k.sample, k.arrival, k.group, k.address, k.addresses, k.requests);
    bough_index_map_fini(&k.types);
    return status;
}
