#include "topology/faults/reach.h"

#include "base/memory.h"
#include "topology/faults/marks.h"
#include "topology/scopes.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX
#define SHUT    UINT32_MAX /* as a set: everything */

typedef struct intervals {
    interval *item;
    size_t count, capacity;
} intervals;

typedef struct set {
    uint32_t first, count; /* in pool */
} set;

/* A group that misses something, until its rank is done. */
typedef struct loss {
    uint32_t group, set;
    bool gate;
    interval scope, home; /* of a gate */
} loss;

/* How many gates there are to a range of addresses. */
typedef struct gates {
    uint64_t *key; /* from << 32 | to; 0: empty */
    uint32_t *count;
    uint64_t used, slots;
} gates;

typedef struct finder {
    const bough_net *net;
    const uint64_t *cut;
    reach *r;
    choices *choices;
    bough_error *error;
    fault_inputs inputs;
    uint32_t *set_of;   /* per group of an endpoint: 1 + its set; 0: it misses nothing */
    uint32_t *node_set; /* per node: 1 + the set of what its groups so far miss */
    set *set;
    interval *pool;
    uint64_t *islanded; /* bit an address: in an island */
    uint64_t *queued;   /* bits: groups to be looked at */
    uint32_t **bucket;  /* per rank: groups */
    size_t *bucket_count, *bucket_capacity;
    uint64_t ranks, rank;
    intervals now, both; /* scratch */
    /* Of the group at hand, per link: the set that it misses (0: none; SHUT), and how far it has been run
     * through; the links that miss nothing here. before: the sets of the group that was looked at before. */
    uint32_t *misses, *before, *at, *eligible;
    uint64_t links_before;
    uint32_t all_before; /* the set that all of its links miss, whatever its scope */
    bool chosen_before;  /* it has choices */
    loss *loss;
    uint32_t *last; /* groups of endpoints that miss something */
    gates gates;
    uint64_t sets, pooled, losses, lasts, islands;
    size_t set_capacity, pool_capacity, edge_capacity, loss_capacity, last_capacity, island_capacity;
    uint64_t taken; /* bytes of all that grows */
    bough_status status;
} finder;

static bool room(finder *f, void *array, size_t *capacity, uint64_t need, size_t size) {
    if (!f->status) f->status = budget_grow(&f->taken, array, capacity, need, size, f->error);
    return !f->status;
}
#define ROOM(f, array, capacity, need) room(f, &(array), &(capacity), need, sizeof *(array))

static void put(finder *f, intervals *list, uint64_t from, uint64_t to) {
    if (from >= to) return;
    if (list->count && list->item[list->count - 1].to == from) {
        list->item[list->count - 1].to = (uint32_t)to;
        return;
    }
    if (!ROOM(f, list->item, list->capacity, list->count + 1)) return;
    list->item[list->count++] = (interval){(uint32_t)from, (uint32_t)to};
}

static uint64_t lower(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static uint64_t upper(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Adds what of from .. to lies in the scope. */
static void put_in_scope(finder *f, intervals *list, const bough_scope *s, uint64_t from, uint64_t to) {
    uint64_t hole = s->without.first, end = hole + s->without.count;
    from = upper(from, s->within.first);
    to = lower(to, s->within.first + s->within.count);
    if (s->without.count == 0 || to <= hole || from >= end) {
        put(f, list, from, to);
        return;
    }
    put(f, list, from, lower(to, hole));
    put(f, list, upper(from, end), to);
}

/* ---- groups to look at ---- */

static void enqueue(finder *f, uint64_t group) {
    uint64_t rank = f->net->ops->group_rank(f->net, group);
    if (rank >= f->ranks || bit_of(f->queued, group)) return;
    if (!ROOM(f, f->bucket[rank], f->bucket_capacity[rank], f->bucket_count[rank] + 1)) return;
    set_bit(f->queued, group);
    f->bucket[rank][f->bucket_count[rank]++] = (uint32_t)group;
}

/* Links of lower rank only: the others were asked before, and heads that come by them do not ask for this. */
static void enqueue_input(void *context, uint64_t link) {
    finder *f = context;
    uint64_t group = f->net->ops->link_group(f->net, link);
    if (f->net->ops->group_rank(f->net, group) < f->rank) enqueue(f, group);
}

static void enqueue_cut(finder *f) {
    for (uint64_t w = 0; w < words_for(f->net->links); w++)
        for (uint64_t bits = f->cut[w]; bits && !f->status; bits &= bits - 1)
            enqueue(f, f->net->ops->link_group(f->net, 64 * w + (uint64_t)__builtin_ctzll(bits)));
}

static void make_buckets(finder *f) {
    for (uint64_t w = 0; w < words_for(f->net->links); w++)
        for (uint64_t bits = f->cut[w]; bits; bits &= bits - 1) {
            uint64_t link = 64 * w + (uint64_t)__builtin_ctzll(bits);
            uint64_t rank = f->net->ops->group_rank(f->net, f->net->ops->link_group(f->net, link));
            if (rank >= f->ranks) f->ranks = rank + 1;
        }
    f->status = bough_alloc(&f->bucket, f->ranks, sizeof *f->bucket, f->error);
    if (!f->status) f->status = bough_alloc(&f->bucket_count, f->ranks, sizeof *f->bucket_count, f->error);
    if (!f->status)
        f->status = bough_alloc(&f->bucket_capacity, f->ranks, sizeof *f->bucket_capacity, f->error);
}

/* ---- sets ---- */

static uint32_t keep_set(finder *f, const intervals *list) {
    if (!ROOM(f, f->set, f->set_capacity, f->sets + 1)) return 0;
    if (!ROOM(f, f->pool, f->pool_capacity, f->pooled + list->count)) return 0;
    f->set[f->sets] = (set){(uint32_t)f->pooled, (uint32_t)list->count};
    if (list->count) memcpy(f->pool + f->pooled, list->item, list->count * sizeof *list->item);
    f->pooled += list->count;
    return (uint32_t)f->sets++;
}

/* The part of a set in a scope: the set itself where that is all of it. */
static uint32_t clip(finder *f, uint32_t s, const bough_scope *scope) {
    set whole = f->set[s];
    uint64_t before = 0, after = 0;
    f->now.count = 0;
    for (uint32_t i = 0; i < whole.count; i++) {
        interval a = f->pool[whole.first + i];
        before += a.to - a.from;
        put_in_scope(f, &f->now, scope, a.from, a.to);
    }
    for (size_t i = 0; i < f->now.count; i++) after += f->now.item[i].to - f->now.item[i].from;
    return before == after ? s : keep_set(f, &f->now);
}

/* Of two sets without common addresses. */
static uint32_t unite(finder *f, uint32_t one, uint32_t other) {
    set a = f->set[one], b = f->set[other];
    uint32_t i = 0, k = 0;
    f->now.count = 0;
    while (i < a.count || k < b.count) {
        bool first = k == b.count || (i < a.count && f->pool[a.first + i].from < f->pool[b.first + k].from);
        interval next = f->pool[first ? a.first + i++ : b.first + k++];
        put(f, &f->now, next.from, next.to);
    }
    return keep_set(f, &f->now);
}

/* ---- one group ---- */

/* What each link misses. Whether it is what those of the group before miss, as with switches that have the
 * same parents. */
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

/* Links that miss nothing at an address; *next: where that changes. */
static uint32_t list_eligible(finder *f, bough_range links, uint64_t at, uint64_t *next) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < links.count; i++) {
        uint32_t m = f->misses[i];
        bool open = m != SHUT;
        if (m != SHUT && m != 0) {
            const set *s = &f->set[m - 1];
            const interval *item = f->pool + s->first;
            while (f->at[i] < s->count && item[f->at[i]].to <= at) f->at[i]++;
            open = f->at[i] == s->count || item[f->at[i]].from > at;
            if (f->at[i] < s->count) *next = lower(*next, open ? item[f->at[i]].from : item[f->at[i]].to);
        }
        if (open) f->eligible[count++] = (uint32_t)links.first + i;
    }
    return count;
}

/* From address to address: what all links miss, a set; what is left goes into the choices. */
static uint32_t sweep(finder *f, bough_range links, bool choosing) {
    uint64_t next, all = f->net->addresses;
    f->now.count = 0;
    memset(f->at, 0, links.count * sizeof *f->at);
    for (uint64_t at = 0; at < all && !f->status; at = next) {
        next = all;
        uint32_t left = list_eligible(f, links, at, &next);
        if (left == 0) put(f, &f->now, at, next);
        if (choosing) f->status = choices_add(f->choices, (uint32_t)at, f->eligible, left, f->error);
    }
    return keep_set(f, &f->now);
}

/* Whatever the scope: of one link it is the set of the switch behind it. */
static uint32_t find_missed(finder *f, uint32_t group, bough_range links, bool choosing) {
    bool same = look_beyond(f, links) && (!choosing || f->chosen_before);
    f->chosen_before = choosing;
    if (choosing && same)
        f->status = choices_repeat(f->choices, group, links.first, f->error);
    else if (choosing)
        f->status = choices_begin(f->choices, group, links.first, f->error);
    if (same || f->status) return f->all_before;
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
    bough_group_scope scope = net->ops->group_scope(net, group);
    bool source = net->ops->group_node(net, group) < net->endpoints;
    uint32_t s = find_missed(f, group, links, f->choices && (links.count > 1 || source));
    if (!f->status && f->set[s].count) s = clip(f, s, &scope.to);
    if (f->status || !f->set[s].count || !ROOM(f, f->loss, f->loss_capacity, f->losses + 1)) return;
    f->loss[f->losses++] = (loss){.group = group,
                                  .set = s,
                                  .gate = scope_is_gate(net, &scope),
                                  .scope = interval_of(scope.to.within),
                                  .home = interval_of(scope.from.without)};
    if (source && ROOM(f, f->last, f->last_capacity, f->lasts + 1)) f->last[f->lasts++] = group;
}

/* ---- islands ---- */

static uint64_t slot_of(const gates *t, uint64_t key) {
    uint64_t i = key * UINT64_C(0x9E3779B97F4A7C15);
    i = (i ^ i >> 32) & (t->slots - 1);
    while (t->key[i] && t->key[i] != key) i = (i + 1) & (t->slots - 1);
    return i;
}

static void grow_gates(finder *f) {
    gates old = f->gates, *t = &f->gates;
    *t = (gates){.slots = old.slots ? 2 * old.slots : 1024};
    f->status = bough_memory_check(bough_mul(t->slots, 12), "who reaches whom", f->error);
    if (!f->status) f->status = bough_alloc(&t->key, t->slots, sizeof *t->key, f->error);
    if (!f->status) f->status = bough_alloc(&t->count, t->slots, sizeof *t->count, f->error);
    for (uint64_t i = 0; i < old.slots && !f->status; i++) {
        if (!old.key[i]) continue;
        uint64_t at = slot_of(t, old.key[i]);
        t->key[at] = old.key[i];
        t->count[at] = old.count[i];
        t->used++;
    }
    free(old.key);
    free(old.count);
}

static uint64_t key_of(uint64_t from, uint64_t to) {
    return from << 32 | to; /* never 0, as to is not */
}

/* Once, and only when a gate misses something. */
static void count_gates(finder *f) {
    const bough_net *net = f->net;
    gates *t = &f->gates;
    if (t->slots) return;
    for (uint64_t g = 0; g < net->groups && !f->status; g++) {
        bough_group_scope s = net->ops->group_scope(net, g);
        if (!scope_is_gate(net, &s)) continue;
        if (2 * (t->used + 1) > t->slots) grow_gates(f);
        if (f->status) return;
        uint64_t key = key_of(s.to.within.first, s.to.within.first + s.to.within.count), at = slot_of(t, key);
        t->used += !t->key[at];
        t->key[at] = key;
        t->count[at]++;
    }
}

/* Both lists ascend. */
static void intersect(finder *f, intervals *list, const set *with) {
    const interval *b = f->pool + with->first, *end = b + with->count;
    f->both.count = 0;
    for (size_t i = 0; i < list->count && b < end;) {
        interval a = list->item[i];
        put(f, &f->both, upper(a.from, b->from), lower(a.to, b->to));
        if (a.to < b->to)
            i++;
        else
            b++;
    }
    intervals swap = *list;
    *list = f->both;
    f->both = swap;
}

/* The set without what is in list: the same one where that is nothing of it. */
static uint32_t subtract(finder *f, uint32_t s, const intervals *list) {
    set old = f->set[s];
    size_t k = 0;
    f->both.count = 0;
    for (uint32_t i = 0; i < old.count && !f->status; i++) {
        interval a = f->pool[old.first + i];
        while (k < list->count && list->item[k].to <= a.from) k++;
        for (size_t j = k; j < list->count && list->item[j].from < a.to; j++) {
            put(f, &f->both, a.from, list->item[j].from);
            a.from = (uint32_t)upper(a.from, list->item[j].to);
        }
        put(f, &f->both, a.from, a.to);
    }
    bool same = f->both.count == old.count &&
                memcmp(f->both.item, f->pool + old.first, old.count * sizeof *f->pool) == 0;
    return same ? s : keep_set(f, &f->both);
}

/* The first address from .. to - 1 whose bit is (or is not) set, or to. */
static uint64_t next_bit(const uint64_t *bits, uint64_t from, uint64_t to, bool set_bits) {
    while (from < to) {
        uint64_t word = (set_bits ? bits[from >> 6] : ~bits[from >> 6]) >> (from & 63);
        if (word) return lower(from + (uint64_t)__builtin_ctzll(word), to);
        from = (from | 63) + 1;
    }
    return to;
}

/* Leaves out what is in smaller islands: whoever passes this gate is not at home there. */
static uint32_t leave_islands(finder *f, uint32_t s) {
    set old = f->set[s];
    f->now.count = 0;
    for (uint32_t i = 0; i < old.count && f->r->islands; i++) {
        interval a = f->pool[old.first + i];
        for (uint64_t at = next_bit(f->islanded, a.from, a.to, true), end; at < a.to;
             at = next_bit(f->islanded, end, a.to, true)) {
            end = next_bit(f->islanded, at, a.to, false);
            put(f, &f->now, at, end);
        }
    }
    return f->now.count ? subtract(f, s, &f->now) : s;
}

static void make_island(finder *f, interval own, interval home) {
    reach *r = f->r;
    if (!ROOM(f, r->island, f->island_capacity, r->islands + 1)) return;
    r->island[r->islands++] = (island){own, home};
    for (uint32_t at = own.from; at < own.to; at++) set_bit(f->islanded, at);
}

/* All gates to a range, which miss something: what none of them has is an island. */
static void find_island(finder *f, loss *all, uint64_t count) {
    const gates *t = &f->gates;
    if (t->count[slot_of(t, key_of(all->scope.from, all->scope.to))] != count) return;
    f->now.count = 0;
    for (uint32_t j = 0; j < f->set[all->set].count; j++) {
        interval i = f->pool[f->set[all->set].first + j];
        put(f, &f->now, i.from, i.to);
    }
    for (uint64_t i = 1; i < count && f->now.count; i++) intersect(f, &f->now, &f->set[all[i].set]);
    for (size_t j = 0; j < f->now.count; j++) make_island(f, f->now.item[j], all->home);
    for (uint64_t i = 0; i < count && f->now.count; i++) all[i].set = subtract(f, all[i].set, &f->now);
}

static int by_scope(const void *a, const void *b) {
    const loss *x = a, *y = b;
    if (x->gate != y->gate) return x->gate ? -1 : 1;
    if (x->scope.from != y->scope.from) return x->scope.from < y->scope.from ? -1 : 1;
    if (x->scope.to != y->scope.to) return x->scope.to < y->scope.to ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static void find_islands(finder *f) {
    qsort(f->loss, f->losses, sizeof *f->loss, by_scope);
    if (f->loss[0].gate) count_gates(f);
    for (uint64_t i = 0; i < f->losses && f->loss[i].gate; i++)
        f->loss[i].set = leave_islands(f, f->loss[i].set);
    for (uint64_t i = 0, end; i < f->losses && f->loss[i].gate && !f->status; i = end) {
        for (end = i + 1; end < f->losses && f->loss[end].gate &&
                          f->loss[end].scope.from == f->loss[i].scope.from &&
                          f->loss[end].scope.to == f->loss[i].scope.to;)
            end++;
        find_island(f, &f->loss[i], end - i);
    }
}

/* ---- all groups ---- */

static void end_rank(finder *f) {
    const bough_net *net = f->net;
    if (f->losses) find_islands(f);
    for (uint64_t i = 0; i < f->losses && !f->status; i++) {
        const loss *l = &f->loss[i];
        uint64_t node = net->ops->group_node(net, l->group);
        if (!f->set[l->set].count) continue;
        if (node < net->endpoints) f->set_of[node] = l->set + 1;
        uint32_t *all = &f->node_set[node];
        *all = *all ? unite(f, *all - 1, l->set) + 1 : l->set + 1;
    }
    for (uint64_t i = 0; i < f->losses && !f->status; i++)
        if (f->set[f->loss[i].set].count)
            inputs_visit(&f->inputs, net->ops->group_node(net, f->loss[i].group), enqueue_input, f);
    f->losses = 0;
    f->links_before = 0; /* sets have changed */
}

static int by_own(const void *a, const void *b) {
    const island *x = a, *y = b;
    return (x->own.from > y->own.from) - (x->own.from < y->own.from);
}

/* The place where a home begins (+) or ends (-), and how many addresses are at home there. */
typedef struct edge {
    uint32_t at;
    int64_t change;
} edge;

static int by_place(const void *a, const void *b) {
    const edge *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* How many island addresses have an address in their home, as steps. */
static void sum_homes(finder *f) {
    reach *r = f->r;
    edge *edges;
    uint64_t count = 0;
    int64_t home = 0;
    f->status = bough_alloc(&edges, 2 * r->islands, sizeof *edges, f->error);
    if (f->status) return;
    f->status = bough_alloc(&r->homely, 2 * r->islands, sizeof *r->homely, f->error);
    for (uint64_t i = 0; i < r->islands && !f->status; i++) {
        const island *s = &r->island[i];
        int64_t length = s->own.to - s->own.from;
        r->island_addresses += (uint64_t)length;
        edges[count++] = (edge){s->home.from, length};
        edges[count++] = (edge){s->home.to, -length};
    }
    if (count) qsort(edges, count, sizeof *edges, by_place);
    for (uint64_t e = 0; e < count && !f->status; e++) {
        home += edges[e].change;
        if (e + 1 < count && edges[e + 1].at == edges[e].at) continue;
        r->homely[r->homelies++] = (interval){edges[e].at, (uint32_t)home};
    }
    free(edges);
}

/* Groups with all links cut miss islands too; these count once. */
static uint32_t subtract_islands(finder *f, uint32_t s, uint64_t source) {
    f->now.count = 0;
    for (uint64_t k = 0; k < f->r->islands; k++)
        if (reach_bars(f->r, source, f->r->island[k].own.from))
            put(f, &f->now, f->r->island[k].own.from, f->r->island[k].own.to);
    return subtract(f, s, &f->now);
}

static bool is_whole(const finder *f, const set *s, const bough_scope *scope) {
    uint64_t sum = 0;
    for (uint32_t j = 0; j < s->count; j++) sum += f->pool[s->first + j].to - f->pool[s->first + j].from;
    return sum == scope->within.count - scope->without.count;
}

static void add_missed(finder *f, uint32_t s) {
    const uint32_t yes = 0;
    choices *missed = &f->r->missed;
    uint64_t at = 0;
    for (uint32_t j = 0; j < f->set[s].count && !f->status; j++) {
        interval miss = f->pool[f->set[s].first + j];
        if (at < miss.from) f->status = choices_add(missed, (uint32_t)at, &yes, 0, f->error);
        if (!f->status) f->status = choices_add(missed, miss.from, &yes, 1, f->error);
        at = miss.to;
    }
    if (at < f->net->addresses && !f->status)
        f->status = choices_add(missed, (uint32_t)at, &yes, 0, f->error);
}

/* What a group of an endpoint misses, islands of others apart; a whole scope as a piece of all addresses.
 * Those of one switch mostly miss the same. */
static void keep_missed(finder *f, uint32_t group) {
    const uint32_t yes = 0;
    choices *missed = &f->r->missed;
    uint64_t node = f->net->ops->group_node(f->net, group);
    bough_group_scope scope = f->net->ops->group_scope(f->net, group);
    uint32_t s = f->set_of[node] - 1;
    bool whole = is_whole(f, &f->set[s], &scope.to);
    if (!whole && f->all_before == s && missed->count) {
        f->status = choices_repeat(missed, group, 0, f->error);
        return;
    }
    uint32_t rest = whole ? s : subtract_islands(f, s, node);
    f->all_before = whole || rest != s ? NOTHING : s;
    if (f->status || !f->set[rest].count) return;
    f->status = choices_begin(missed, group, 0, f->error);
    if (whole && !f->status)
        f->status = choices_add(missed, 0, &yes, 1, f->error);
    else if (!f->status)
        add_missed(f, rest);
}

/* A group, and where its links lead first and at all: switches with the same parents stand together. */
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
    f->status = bough_alloc(&sorted, count, sizeof *sorted, f->error);
    for (uint64_t i = 0; i < count && !f->status; i++) {
        bough_range links = net->ops->group_links(net, group[i]);
        uint64_t first = net->ops->link_end(net, links.first).node, lowest = first;
        for (uint64_t l = 1; l < links.count; l++)
            lowest = lower(lowest, net->ops->link_end(net, links.first + l).node);
        sorted[i] = (kin){(uint32_t)lowest, (uint32_t)first, group[i]};
    }
    if (count && !f->status) qsort(sorted, count, sizeof *sorted, by_kin);
    for (uint64_t i = 0; i < count && !f->status; i++) group[i] = sorted[i].group;
    free(sorted);
}

static void run(finder *f) {
    enqueue_cut(f);
    for (uint64_t rank = f->ranks; rank-- > 0 && !f->status;) {
        f->rank = rank;
        sort_bucket(f, f->bucket[rank], f->bucket_count[rank]);
        for (size_t i = 0; i < f->bucket_count[rank] && !f->status; i++) look_at(f, f->bucket[rank][i]);
        end_rank(f);
    }
    if (f->status) return;
    if (f->r->islands) qsort(f->r->island, f->r->islands, sizeof *f->r->island, by_own);
    sum_homes(f);
    f->all_before = NOTHING;
    for (uint64_t i = 0; i < f->lasts && !f->status; i++)
        if (f->set_of[f->net->ops->group_node(f->net, f->last[i])]) keep_missed(f, f->last[i]);
    if (!f->status) f->status = choices_end(&f->r->missed, f->net->groups, f->error);
    if (!f->status && f->choices) f->status = choices_end(f->choices, f->net->groups, f->error);
}

static void allocate(finder *f) {
    const bough_net *net = f->net;
    const struct {
        void *slot;
        uint64_t count, size;
    } want[] = {
        {&f->set_of, net->endpoints, 4},
        {&f->node_set, net->nodes, 4},
        {&f->queued, words_for(net->groups), 8},
        {&f->islanded, words_for(net->addresses), 8},
        {&f->misses, net->group_max, 4},
        {&f->before, net->group_max, 4},
        {&f->at, net->group_max, 4},
        {&f->eligible, net->group_max, 4},
    };
    f->status = bough_memory_check(bough_add(bough_mul(net->nodes, 8), net->groups / 8), "who reaches whom",
                                   f->error);
    for (size_t i = 0; i < sizeof want / sizeof *want && !f->status; i++)
        f->status = bough_alloc(want[i].slot, want[i].count, want[i].size, f->error);
    if (!f->status) f->status = inputs_make(&f->inputs, net, f->error);
    if (!f->status) make_buckets(f);
}

bough_status reach_find(const bough_net *net, const uint64_t *cut, reach *r, choices *left,
                        bough_error *error) {
    finder f = {.net = net, .cut = cut, .r = r, .choices = left, .error = error};
    *r = (reach){0};
    if (!net->ops->group_scope || !(net->gives & BOUGH_GIVES_RANKS))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s has no scopes", net->spec);
    r->missed.taken = &f.taken;
    if (left) left->taken = &f.taken;
    allocate(&f);
    if (!f.status) run(&f);
    r->missed.taken = NULL;
    if (left) left->taken = NULL;
    for (uint64_t i = 0; i < f.ranks && f.bucket; i++) free(f.bucket[i]);
    void *all[] = {
        f.islanded,     f.set_of,   f.node_set,  f.set,         f.pool,           f.queued, f.bucket,
        f.bucket_count, f.now.item, f.both.item, f.misses,      f.before,         f.at,     f.eligible,
        f.loss,         f.last,     f.gates.key, f.gates.count, f.bucket_capacity};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    inputs_fini(&f.inputs);
    return f.status;
}
