#include "network/faults/reachability_islands.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"

#include <stdlib.h>

bough_status islands_make(island_finder *f, const bough_net *net, address_sets *sets, reach *r) {
    *f = (island_finder){.net = net, .sets = sets, .r = r};
    return bough_alloc(&f->islanded, words_for(net->addresses), sizeof *f->islanded, sets->growth->error);
}

void islands_fini(island_finder *f) {
    free(f->islanded);
    bough_index_map_fini(&f->entry_counts);
}

/* ---- entry groups (entry_counts) ---- */

static uint64_t key_of(uint64_t from, uint64_t to) {
    return from << 32 | to;
}

/* Called once, when the first entry group misses something. */
static void count_entries(island_finder *f) {
    const bough_net *net = f->net;
    growth *g = f->sets->growth;
    if (f->entry_counts.size) return;
    for (uint64_t group = 0; group < net->groups && !g->status; group++) {
        bough_group_coverage s = net->ops->group_coverage(net, group);
        if (!scope_is_entry(net, &s)) continue;
        uint64_t key = key_of(s.to.within.first, s.to.within.first + s.to.within.count);
        g->status = bough_index_map_count(&f->entry_counts, key, g->error);
    }
}

/* ---- islands ---- */

/* The first address in from .. to - 1 whose bit is (or is not) set, or to. */
static uint64_t next_bit(const uint64_t *bits, uint64_t from, uint64_t to, bool set_bits) {
    while (from < to) {
        uint64_t word = (set_bits ? bits[from >> 6] : ~bits[from >> 6]) >> (from & 63);
        if (word) return lower(from + (uint64_t)__builtin_ctzll(word), to);
        from = (from | 63) + 1;
    }
    return to;
}

/* Removes smaller islands: senders that pass this entry group are outside their home ranges. */
static uint32_t leave_islands(const island_finder *f, uint32_t set) {
    address_sets *sets = f->sets;
    address_set old = sets->set[set];
    sets_begin(sets);
    for (uint32_t i = 0; i < old.count && f->r->islands; i++) {
        interval a = sets->pool[old.first + i];
        for (uint64_t at = next_bit(f->islanded, a.from, a.to, true), end; at < a.to;
             at = next_bit(f->islanded, end, a.to, true)) {
            end = next_bit(f->islanded, at, a.to, false);
            sets_put(sets, at, end);
        }
    }
    return sets->now.count ? sets_subtract(sets, set) : set;
}

static void make_island(island_finder *f, interval own, interval home) {
    reach *r = f->r;
    if (!ROOM(f->sets->growth, r->island, f->island_capacity, r->islands + 1)) return;
    r->island[r->islands++] = (island){own, home};
    for (uint32_t at = own.from; at < own.to; at++) set_bit(f->islanded, at);
}

/* Given all entry groups of a range, which all miss something: their common missed addresses are an
 * island. */
static void find_island(island_finder *f, loss *all, uint64_t count) {
    address_sets *sets = f->sets;
    if (bough_index_map_get(&f->entry_counts, key_of(all->range.from, all->range.to)) != count) return;
    address_set first = sets->set[all->set];
    sets_begin(sets);
    for (uint32_t j = 0; j < first.count; j++) {
        interval i = sets->pool[first.first + j];
        sets_put(sets, i.from, i.to);
    }
    for (uint64_t i = 1; i < count && sets->now.count; i++) sets_intersect(sets, all[i].set);
    for (size_t j = 0; j < sets->now.count; j++) make_island(f, sets->now.item[j], all->home);
    for (uint64_t i = 0; i < count && sets->now.count; i++) all[i].set = sets_subtract(sets, all[i].set);
}

static int by_range(const void *a, const void *b) {
    const loss *x = a, *y = b;
    if (x->entry != y->entry) return x->entry ? -1 : 1;
    if (x->range.from != y->range.from) return x->range.from < y->range.from ? -1 : 1;
    if (x->range.to != y->range.to) return x->range.to < y->range.to ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

void islands_find(island_finder *f, loss *losses, uint64_t count) {
    uint64_t entries = 0;
    if (count) qsort(losses, count, sizeof *losses, by_range);
    while (entries < count && losses[entries].entry) entries++;
    if (entries) count_entries(f);
    for (uint64_t i = 0; i < entries; i++) losses[i].set = leave_islands(f, losses[i].set);
    for (uint64_t i = 0, end; i < entries && !f->sets->growth->status; i = end) {
        const interval *range = &losses[i].range;
        for (end = i + 1;
             end < entries && losses[end].range.from == range->from && losses[end].range.to == range->to;)
            end++;
        find_island(f, &losses[i], end - i);
    }
}

/* ---- home ranges ---- */

static int by_own(const void *a, const void *b) {
    const island *x = a, *y = b;
    return (x->own.from > y->own.from) - (x->own.from < y->own.from);
}

/* The start (+) or end (-) of a home range, and its number of addresses. */
typedef struct edge {
    uint32_t at;
    int64_t change;
} edge;

static int by_place(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Computes, as a step function, the number of island addresses whose home range contains an address. */
static void sum_homes(island_finder *f) {
    growth *g = f->sets->growth;
    reach *r = f->r;
    edge *edges;
    uint64_t count = 0;
    int64_t home = 0;
    g->status = bough_alloc(&edges, 2 * r->islands, sizeof *edges, g->error);
    if (g->status) return;
    g->status = bough_alloc(&r->home_count, 2 * r->islands, sizeof *r->home_count, g->error);
    for (uint64_t i = 0; i < r->islands && !g->status; i++) {
        const island *s = &r->island[i];
        int64_t length = s->own.to - s->own.from;
        r->island_addresses += (uint64_t)length;
        edges[count++] = (edge){s->home.from, length};
        edges[count++] = (edge){s->home.to, -length};
    }
    if (count) qsort(edges, count, sizeof *edges, by_place);
    for (uint64_t e = 0; e < count && !g->status; e++) {
        home += edges[e].change;
        if (e + 1 < count && edges[e + 1].at == edges[e].at) continue;
        r->home_count[r->home_counts++] = (interval){edges[e].at, (uint32_t)home};
    }
    free(edges);
}

void islands_end(island_finder *f) {
    if (f->r->islands) qsort(f->r->island, f->r->islands, sizeof *f->r->island, by_own);
    sum_homes(f);
}
