/* Distances of all switches to some destinations at a time, each on one thread, then the links on minimal
 * paths to them, each part of the switches on one thread. */
#include "network/imported/minimal_paths_build.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>

#define FAR UINT16_MAX

/* A loop over all columns. */
typedef struct search {
    paths_build *b;
    uint32_t first, end; /* the current columns */
    struct search_part {
        next_links lists;
        uint32_t *list; /* the next links of a switch */
        uint32_t hops_max;
        bough_status status;
        bough_error error;
    } part[PATHS_PARTS];
} search;

static uint16_t *distances_to(const paths_build *b, uint32_t column) {
    return b->distance + (size_t)(column % b->measured) * b->switches;
}

/* Computes the distances of all switches to a destination, over switches only. */
static void measure(void *context, unsigned worker, uint64_t i) {
    const search *s = context;
    const paths_build *b = s->b;
    const uint32_t to = b->destination[s->first + i];
    uint16_t *distance = distances_to(b, s->first + (uint32_t)i);
    uint32_t head = 0, tail = 0, *queue = b->queue + (size_t)worker * b->switches;
    for (uint32_t v = 0; v < b->switches; v++) distance[v] = FAR;
    distance[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t p = b->peer_first[v]; p < b->peer_first[v + 1]; p++) {
            /* cables are bidirectional, so distances to and from are equal */
            uint32_t u = b->peer[p];
            if (distance[u] != FAR) continue;
            distance[u] = (uint16_t)(distance[v] + 1);
            queue[tail++] = u;
        }
    }
}

/* Calls visit for each part of the switches, for some columns at a time. */
static void search_all(search *s, void (*visit)(void *context, unsigned worker, uint64_t part)) {
    paths_build *b = s->b;
    const uint32_t columns = (uint32_t)b->f->minimal.columns;
    for (s->first = 0; s->first < columns; s->first = s->end) {
        s->end = columns - s->first < b->measured ? columns : s->first + b->measured;
        if (!b->measured_all) team_each(b->team, s->end - s->first, measure, s);
        team_each(b->team, b->parts, visit, s);
    }
    b->measured_all = columns <= b->measured;
}

/* Whether the way to the destination leads from switch v to its neighbour u. */
static bool is_next(const uint16_t *distance, uint32_t v, uint32_t u) {
    return distance[v] != FAR && distance[u] + 1 == distance[v];
}

static void unite_next_links(const paths_build *b, const uint16_t *distance, uint32_t v) {
    uint32_t before = BOUGH_NO_INDEX, *parent = b->parent;
    for (uint32_t i = b->peer_first[v]; i < b->peer_first[v + 1]; i++) {
        uint32_t link = b->peer_link[i];
        if (!is_next(distance, v, b->peer[i])) continue;
        if (before != BOUGH_NO_INDEX && parent[before] != parent[link]) union_join(parent, before, link);
        before = link;
    }
}

/* Only links of one switch are united, so parts do not share any. */
static void unite_part(void *context, unsigned worker, uint64_t i) {
    const search *s = context;
    const unsigned part = (unsigned)i;
    (void)worker;
    for (uint32_t c = s->first; c < s->end; c++)
        for (uint32_t v = paths_part(s->b, part); v < paths_part(s->b, part + 1); v++)
            unite_next_links(s->b, distances_to(s->b, c), v);
}

void paths_find_groups(paths_build *b) {
    search s = {.b = b};
    for (uint32_t l = 0; l < b->w->links; l++) b->parent[l] = l;
    search_all(&s, unite_part);
}

/* Lists the links of v on shortest paths to the destination; returns their number. */
static uint32_t next_links_of(const paths_build *b, const uint16_t *distance, uint32_t v, uint32_t *list) {
    const flat *f = b->f;
    const uint32_t e = f->endpoints, group = f->node_group[v + e];
    uint32_t count = 0, end = f->group_first[f->node_group[v + e + 1]];
    for (uint32_t l = f->group_first[group]; l < end; l++)
        if (f->link_end[l] >= e && is_next(distance, v, f->link_end[l] - e)) list[count++] = l;
    return count;
}

/* Stores the next links of a part to one destination, and the longest minimal path from another one, with the
 * links of both endpoints. */
static void list_links(const search *s, struct search_part *part, uint32_t column, unsigned number) {
    const paths_build *b = s->b;
    const uint16_t *distance = distances_to(b, column);
    const uint32_t first = paths_part(b, number), end = paths_part(b, number + 1);
    for (uint32_t v = first; v < end && !part->status; v++) {
        uint32_t count = next_links_of(b, distance, v, part->list);
        uint64_t entry = (v - first) * part->lists.columns + column;
        part->status = next_links_set(&part->lists, entry, part->list, count, &part->error);
        if (distance[v] != FAR && b->f->destination_of[v] != BOUGH_NO_INDEX &&
            distance[v] + 2u > part->hops_max)
            part->hops_max = distance[v] + 2u;
    }
}

static void list_part(void *context, unsigned worker, uint64_t i) {
    search *s = context;
    (void)worker;
    for (uint32_t c = s->first; c < s->end; c++) list_links(s, &s->part[i], c, (unsigned)i);
}

bough_status paths_find_lists(paths_build *b, bough_net *net, bough_error *error) {
    search s = {.b = b};
    next_links *lists[PATHS_PARTS];
    bough_status status = next_links_make(&b->f->minimal, error);
    for (unsigned i = 0; i < b->parts; i++) {
        const uint32_t first = paths_part(b, i), rows = paths_part(b, i + 1) - first;
        lists[i] = &s.part[i].lists;
        TRY(next_links_part(&b->f->minimal, first, rows, lists[i], error));
        TRY(bough_alloc(&s.part[i].list, b->w->links, sizeof *s.part[i].list, error));
    }
    if (!status) search_all(&s, list_part);
    for (unsigned i = 0; i < b->parts && !status; i++) {
        status = s.part[i].status;
        if (status && error) *error = s.part[i].error;
        if (s.part[i].hops_max > net->hops_max) net->hops_max = s.part[i].hops_max;
    }
    TRY(next_links_join(&b->f->minimal, lists, b->parts, error));
    for (unsigned i = 0; i < b->parts; i++) {
        next_links_fini(lists[i]);
        free(s.part[i].list);
    }
    return status;
}
