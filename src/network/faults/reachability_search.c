#include "base/memory/bits.h"
#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "network/faults/address_sets.h"
#include "network/faults/fault_marks.h"
#include "network/faults/reachability.h"

#include <stdlib.h>
#include <string.h>

/* ---- reachability islands ---- */

/* Islands: addresses that all entry groups of their range miss (reachability.h). */

/* A group that misses something; kept while groups of its order are processed. */
typedef struct loss {
    uint32_t group, set;
    bool entry;
    interval range, home; /* of an entry group */
} loss;

typedef struct island_finder {
    const bough_net *net;
    address_sets *sets;
    reach *r;
    uint64_t *islanded;           /* one bit per address: in an island */
    bough_index_map entry_counts; /* number of entry groups of each range, from << 32 | to */
    size_t island_capacity;
} island_finder;

static bough_status islands_make(island_finder *f, const bough_net *net, address_sets *sets, reach *r) {
    *f = (island_finder){.net = net, .sets = sets, .r = r};
    return bough_alloc(&f->islanded, words_for(net->addresses), sizeof *f->islanded, sets->growth->error);
}

static void islands_fini(island_finder *f) {
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

/* Processes the sorted losses of one order: removes addresses in new or old islands from the sets of entry
 * groups. */
static void islands_find(island_finder *f, loss *losses, uint64_t count) {
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

/* After all groups: sorts the islands and sums up their home ranges. */
static void islands_end(island_finder *f) {
    if (f->r->islands) qsort(f->r->island, f->r->islands, sizeof *f->r->island, by_own);
    sum_homes(f);
}

/* ---- reachability search ---- */

#define NOTHING UINT32_MAX
#define SHUT    UINT32_MAX /* as a set: all addresses */

typedef struct finder {
    const bough_net *net;
    const uint64_t *cut;
    reach *r;
    choices *choices;
    growth growth;
    address_sets sets;
    island_finder islands;
    fault_inputs inputs;
    uint32_t *set_of;   /* per endpoint group: 1 + its set; 0: misses nothing */
    uint32_t *node_set; /* per node: 1 + the set that its groups so far miss */
    uint64_t *queued;   /* bits: groups to visit */
    uint32_t **bucket;  /* per order: groups */
    size_t *bucket_count, *bucket_capacity;
    uint64_t ranks, rank;
    /* Of the current group, per link: the set that it misses (0: none; SHUT) and the current position in it;
     * the links that miss nothing here. before: the sets of the previous group. */
    uint32_t *misses, *before, *at, *eligible;
    uint64_t links_before;
    uint32_t all_before; /* set missed by all of its links, without regard to range */
    bool chosen_before;  /* it has choices */
    loss *loss;
    uint32_t *last; /* endpoint groups that miss something */
    uint64_t losses, lasts;
    size_t loss_capacity, last_capacity;
} finder;

/* ---- groups to visit ---- */

static void enqueue(finder *f, uint64_t group) {
    uint64_t rank = f->net->ops->group_order(f->net, group);
    if (rank >= f->ranks || bit_of(f->queued, group)) return;
    if (!ROOM(&f->growth, f->bucket[rank], f->bucket_capacity[rank], f->bucket_count[rank] + 1)) return;
    set_bit(f->queued, group);
    f->bucket[rank][f->bucket_count[rank]++] = (uint32_t)group;
}

/* Only links of lower order: the others were passed before, and their messages do not use this group. */
static void enqueue_input(void *context, uint64_t link) {
    finder *f = context;
    uint64_t group = f->net->ops->link_group(f->net, link);
    if (f->net->ops->group_order(f->net, group) < f->rank) enqueue(f, group);
}

static void enqueue_cut(finder *f) {
    for (uint64_t w = 0; w < words_for(f->net->links); w++)
        for (uint64_t bits = f->cut[w]; bits && !f->growth.status; bits &= bits - 1)
            enqueue(f, f->net->ops->link_group(f->net, 64 * w + (uint64_t)__builtin_ctzll(bits)));
}

static void make_buckets(finder *f) {
    for (uint64_t w = 0; w < words_for(f->net->links); w++)
        for (uint64_t bits = f->cut[w]; bits; bits &= bits - 1) {
            uint64_t link = 64 * w + (uint64_t)__builtin_ctzll(bits);
            uint64_t rank = f->net->ops->group_order(f->net, f->net->ops->link_group(f->net, link));
            if (rank >= f->ranks) f->ranks = rank + 1;
        }
    f->growth.status = bough_alloc(&f->bucket, f->ranks, sizeof *f->bucket, f->growth.error);
    if (!f->growth.status)
        f->growth.status = bough_alloc(&f->bucket_count, f->ranks, sizeof *f->bucket_count, f->growth.error);
    if (!f->growth.status)
        f->growth.status =
            bough_alloc(&f->bucket_capacity, f->ranks, sizeof *f->bucket_capacity, f->growth.error);
}

/* ---- one group ---- */

/* Finds the set that each link misses. Returns whether these equal those of the previous group (switches with
 * the same parents). */
static bool look_beyond(finder *f, bough_range links) {
    bool same = links.count == f->links_before;
    uint32_t *swap = f->before;
    f->before = f->misses;
    f->misses = swap;
    for (uint64_t i = 0; i < links.count; i++) {
        uint64_t link = links.first + i;
        f->misses[i] = bit_of(f->cut, link) ? SHUT : f->node_set[f->net->ops->link_end(f->net, link).node];
        same = same && f->misses[i] == f->before[i];
    }
    f->links_before = links.count;
    return same;
}

/* Lists the links that miss nothing at an address; *next: where that changes. */
static uint32_t list_eligible(finder *f, bough_range links, uint64_t at, uint64_t *next) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < links.count; i++) {
        uint32_t m = f->misses[i];
        bool open = m != SHUT;
        if (m != SHUT && m != 0) {
            const address_set *s = &f->sets.set[m - 1];
            const interval *item = f->sets.pool + s->first;
            while (f->at[i] < s->count && item[f->at[i]].to <= at) f->at[i]++;
            open = f->at[i] == s->count || item[f->at[i]].from > at;
            if (f->at[i] < s->count) *next = lower(*next, open ? item[f->at[i]].from : item[f->at[i]].to);
        }
        if (open) f->eligible[count++] = (uint32_t)links.first + i;
    }
    return count;
}

/* Scans the addresses: returns the set that all links miss, and stores the remaining links as choices. */
static uint32_t sweep(finder *f, bough_range links, bool choosing) {
    uint64_t next, all = f->net->addresses;
    sets_begin(&f->sets);
    memset(f->at, 0, links.count * sizeof *f->at);
    for (uint64_t at = 0; at < all && !f->growth.status; at = next) {
        next = all;
        uint32_t left = list_eligible(f, links, at, &next);
        if (left == 0) sets_put(&f->sets, at, next);
        if (choosing)
            f->growth.status = choices_add(f->choices, (uint32_t)at, f->eligible, left, f->growth.error);
    }
    return sets_keep(&f->sets);
}

/* The set missed by a group, without regard to range; for one link, that of the switch behind it. */
static uint32_t find_missed(finder *f, uint32_t group, bough_range links, bool choosing) {
    bool same = look_beyond(f, links) && (!choosing || f->chosen_before);
    f->chosen_before = choosing;
    if (choosing && same)
        f->growth.status = choices_repeat(f->choices, group, links.first, f->growth.error);
    else if (choosing)
        f->growth.status = choices_begin(f->choices, group, links.first, f->growth.error);
    if (same || f->growth.status) return f->all_before;
    bool alone = links.count == 1 && !choosing && f->misses[0] != SHUT && f->misses[0] != 0;
    f->all_before = alone ? f->misses[0] - 1 : sweep(f, links, choosing);
    return f->all_before;
}

static interval interval_of(bough_range r) {
    return (interval){(uint32_t)r.first, (uint32_t)(r.first + r.count)};
}

static void look_at(finder *f, uint32_t group) {
    const bough_net *net = f->net;
    bough_range links = net->ops->group_links(net, group);
    bough_group_coverage range = net->ops->group_coverage(net, group);
    bool source = net->ops->group_node(net, group) < net->endpoints;
    uint32_t s = find_missed(f, group, links, f->choices && (links.count > 1 || source));
    if (!f->growth.status && f->sets.set[s].count) s = sets_clip(&f->sets, s, &range.to);
    if (f->growth.status || !f->sets.set[s].count ||
        !ROOM(&f->growth, f->loss, f->loss_capacity, f->losses + 1))
        return;
    f->loss[f->losses++] = (loss){.group = group,
                                  .set = s,
                                  .entry = scope_is_entry(net, &range),
                                  .range = interval_of(range.to.within),
                                  .home = interval_of(range.from.without)};
    if (source && ROOM(&f->growth, f->last, f->last_capacity, f->lasts + 1)) f->last[f->lasts++] = group;
}

/* ---- all groups ---- */

static void end_rank(finder *f) {
    const bough_net *net = f->net;
    islands_find(&f->islands, f->loss, f->losses);
    for (uint64_t i = 0; i < f->losses && !f->growth.status; i++) {
        const loss *l = &f->loss[i];
        uint64_t node = net->ops->group_node(net, l->group);
        if (!f->sets.set[l->set].count) continue;
        if (node < net->endpoints) f->set_of[node] = l->set + 1;
        uint32_t *all = &f->node_set[node];
        *all = *all ? sets_unite(&f->sets, *all - 1, l->set) + 1 : l->set + 1;
    }
    for (uint64_t i = 0; i < f->losses && !f->growth.status; i++)
        if (f->sets.set[f->loss[i].set].count)
            inputs_visit(&f->inputs, net->ops->group_node(net, f->loss[i].group), enqueue_input, f);
    f->losses = 0;
    f->links_before = 0; /* sets have changed */
}

/* Groups whose links are all cut also miss islands; count these once. */
static uint32_t subtract_islands(finder *f, uint32_t s, uint64_t source) {
    sets_begin(&f->sets);
    for (uint64_t k = 0; k < f->r->islands; k++)
        if (reach_bars(f->r, source, f->r->island[k].own.from))
            sets_put(&f->sets, f->r->island[k].own.from, f->r->island[k].own.to);
    return sets_subtract(&f->sets, s);
}

static bool is_whole(const finder *f, const address_set *s, const bough_covered_range *range) {
    uint64_t sum = 0;
    for (uint32_t j = 0; j < s->count; j++)
        sum += f->sets.pool[s->first + j].to - f->sets.pool[s->first + j].from;
    return sum == range->within.count - range->without.count;
}

static void add_missed(finder *f, uint32_t s) {
    const uint32_t yes = 0;
    choices *missed = &f->r->missed;
    uint64_t at = 0;
    for (uint32_t j = 0; j < f->sets.set[s].count && !f->growth.status; j++) {
        interval miss = f->sets.pool[f->sets.set[s].first + j];
        if (at < miss.from) f->growth.status = choices_add(missed, (uint32_t)at, &yes, 0, f->growth.error);
        if (!f->growth.status) f->growth.status = choices_add(missed, miss.from, &yes, 1, f->growth.error);
        at = miss.to;
    }
    if (at < f->net->addresses && !f->growth.status)
        f->growth.status = choices_add(missed, (uint32_t)at, &yes, 0, f->growth.error);
}

/* Stores what an endpoint group misses, without foreign islands; a whole range as one piece. Groups of one
 * switch usually miss the same. */
static void keep_missed(finder *f, uint32_t group) {
    const uint32_t yes = 0;
    choices *missed = &f->r->missed;
    uint64_t node = f->net->ops->group_node(f->net, group);
    bough_group_coverage range = f->net->ops->group_coverage(f->net, group);
    uint32_t s = f->set_of[node] - 1;
    bool whole = is_whole(f, &f->sets.set[s], &range.to);
    if (!whole && f->all_before == s && missed->count) {
        f->growth.status = choices_repeat(missed, group, 0, f->growth.error);
        return;
    }
    uint32_t rest = whole ? s : subtract_islands(f, s, node);
    f->all_before = whole || rest != s ? NOTHING : s;
    if (f->growth.status || !f->sets.set[rest].count) return;
    f->growth.status = choices_begin(missed, group, 0, f->growth.error);
    if (whole && !f->growth.status)
        f->growth.status = choices_add(missed, 0, &yes, 1, f->growth.error);
    else if (!f->growth.status)
        add_missed(f, rest);
}

/* A group with the first and lowest nodes of its links; sorts switches with the same parents next to each
 * other. */
typedef struct kin {
    uint32_t lowest, first, group;
} kin;

static int by_kin(const void *a, const void *b) {
    const kin *x = a, *y = b;
    if (x->lowest != y->lowest) return x->lowest < y->lowest ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static void sort_bucket(finder *f, uint32_t *group, uint64_t count) {
    const bough_net *net = f->net;
    kin *sorted;
    f->growth.status = bough_alloc(&sorted, count, sizeof *sorted, f->growth.error);
    for (uint64_t i = 0; i < count && !f->growth.status; i++) {
        bough_range links = net->ops->group_links(net, group[i]);
        uint64_t first = net->ops->link_end(net, links.first).node, lowest = first;
        for (uint64_t l = 1; l < links.count; l++)
            lowest = lower(lowest, net->ops->link_end(net, links.first + l).node);
        sorted[i] = (kin){(uint32_t)lowest, (uint32_t)first, group[i]};
    }
    if (count && !f->growth.status) qsort(sorted, count, sizeof *sorted, by_kin);
    for (uint64_t i = 0; i < count && !f->growth.status; i++) group[i] = sorted[i].group;
    free(sorted);
}

static void run(finder *f) {
    enqueue_cut(f);
    for (uint64_t rank = f->ranks; rank-- > 0 && !f->growth.status;) {
        f->rank = rank;
        sort_bucket(f, f->bucket[rank], f->bucket_count[rank]);
        for (size_t i = 0; i < f->bucket_count[rank] && !f->growth.status; i++)
            look_at(f, f->bucket[rank][i]);
        end_rank(f);
    }
    if (f->growth.status) return;
    islands_end(&f->islands);
    f->all_before = NOTHING;
    for (uint64_t i = 0; i < f->lasts && !f->growth.status; i++)
        if (f->set_of[f->net->ops->group_node(f->net, f->last[i])]) keep_missed(f, f->last[i]);
    if (!f->growth.status) f->growth.status = choices_end(&f->r->missed, f->net->groups, f->growth.error);
    if (!f->growth.status && f->choices)
        f->growth.status = choices_end(f->choices, f->net->groups, f->growth.error);
}

static void allocate(finder *f) {
    const bough_net *net = f->net;
    const bough_array want[] = {
        {&f->set_of, net->endpoints, 4},         {&f->node_set, net->nodes, 4},
        {&f->queued, words_for(net->groups), 8}, {&f->misses, net->group_max, 4},
        {&f->before, net->group_max, 4},         {&f->at, net->group_max, 4},
        {&f->eligible, net->group_max, 4},
    };
    f->growth.status = bough_memory_check(bough_add(bough_mul(net->nodes, 8), net->groups / 8),
                                          "reachability", f->growth.error);
    if (!f->growth.status)
        f->growth.status = bough_alloc_all(want, sizeof want / sizeof *want, f->growth.error);
    if (!f->growth.status) f->growth.status = islands_make(&f->islands, net, &f->sets, f->r);
    if (!f->growth.status) f->growth.status = inputs_make(&f->inputs, net, f->growth.error);
    if (!f->growth.status) make_buckets(f);
}

bough_status reach_find(const bough_net *net, const uint64_t *cut, reach *r, choices *left,
                        bough_error *error) {
    finder f = {.net = net, .cut = cut, .r = r, .choices = left, .growth.error = error};
    f.sets.growth = &f.growth;
    *r = (reach){0};
    if (!net->ops->group_coverage || !(net->capabilities & BOUGH_HAS_ORDER))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s has no group covered ranges", net->spec);
    r->missed.taken = &f.growth.taken;
    if (left) left->taken = &f.growth.taken;
    allocate(&f);
    if (!f.growth.status) run(&f);
    r->missed.taken = NULL;
    if (left) left->taken = NULL;
    for (uint64_t i = 0; i < f.ranks && f.bucket; i++) free(f.bucket[i]);
    FREE_ALL(f.set_of, f.node_set, f.queued, f.bucket, f.bucket_count, f.bucket_capacity, f.misses, f.before,
             f.at, f.eligible, f.loss, f.last);
    sets_fini(&f.sets);
    islands_fini(&f.islands);
    inputs_fini(&f.inputs);
    return f.growth.status;
}
