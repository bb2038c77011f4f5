/* The cable of an adapter has one flow in each direction, or none, so its rate is all that matters. */
#include "fabric/check/pairs/permutation_loads.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "traffic/patterns/batch.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANGE = 256, /* links that a thread settles at once */
    LINE = 16    /* endpoints in a cache line */
};

#define NO_LINE UINT64_MAX

typedef struct drawing {
    const permutation_loads *loads;
    uint64_t first;  /* permutation */
    uint32_t *image; /* [workers * 2 * endpoints] */
} drawing;

static void draw_one(void *context, unsigned worker, uint64_t k) {
    const drawing *d = context;
    const check_pass *p = d->loads->pass;
    const uint64_t n = p->net->endpoints;
    uint32_t *image = d->image + 2 * worker * n, *source = d->loads->source + k * n;
    random_permutation_in_planes(bough_key_make(p->options->seed, d->first + k), &p->planes, image);
    for (uint64_t e = 0; e < n; e++) source[image[e]] = (uint32_t)e;
}

static bough_status draw_all(permutation_loads *l, uint64_t first, bough_status status, bough_error *error) {
    drawing d = {.loads = l, .first = first};
    TRY(bough_alloc(&d.image, bough_mul(2 * l->pass->net->endpoints, l->workers), sizeof *d.image, error));
    if (!status) team_loop(l->workers, l->count, draw_one, &d);
    free(d.image);
    return status;
}

/* Puts the sources of an endpoint side by side, for all endpoints of its cache line. */
static void turn_line(const permutation_loads *l, struct permutation_worker *w, uint64_t line) {
    const uint64_t n = l->pass->net->endpoints, first = line * LINE;
    const uint64_t end = first + LINE < n ? first + LINE : n;
    for (uint64_t k = 0; k < l->count; k++)
        for (uint64_t e = first; e < end; e++) w->source[(e - first) * l->count + k] = l->source[k * n + e];
    w->line = line;
}

/* [count]: who sends to the endpoint. */
static const uint32_t *sources_of(const permutation_loads *l, struct permutation_worker *w,
                                  uint32_t endpoint) {
    if (w->line != endpoint / LINE) turn_line(l, w, endpoint / LINE);
    return w->source + (uint64_t)(endpoint % LINE) * l->count;
}

static bool is_adapter(const bough_net *net, uint64_t node) {
    return node < net->endpoints && !bough_is_switch(net, node);
}

/* A link of an adapter, which is not in the table of loads. */
static bool is_apart(const permutation_loads *l, uint64_t link) {
    const bough_net *net = l->pass->net;
    const uint64_t start = bough_link_start(net, link);
    return is_adapter(net, net->ops->link_end(net, link).node) ||
           (is_adapter(net, start) && origin_lead(&l->origins, l->origins.of[start]));
}

/* Many networks number the links of adapters first or last. */
static void find_range(permutation_loads *l) {
    l->end = l->pass->net->links;
    while (l->first < l->end && is_apart(l, l->first)) l->first++;
    while (l->end > l->first && is_apart(l, l->end - 1)) l->end--;
}

static uint64_t entries_of(const permutation_loads *l) {
    return bough_mul(l->end - l->first, l->count);
}

static void clear_loads(void *context, unsigned worker, uint64_t i) {
    const permutation_loads *l = context;
    const uint64_t entries = entries_of(l);
    (void)worker;
    if (entries) memset(l->worker[i].load, 0, entries * sizeof *l->worker[i].load);
}

static bough_status make_workers(permutation_loads *l, bough_error *error) {
    bough_status status = bough_alloc(&l->worker, l->workers, sizeof *l->worker, error);
    for (unsigned i = 0; i < l->workers && !status; i++) {
        struct permutation_worker *w = &l->worker[i];
        w->line = NO_LINE;
        status = large_alloc(&w->load, entries_of(l), sizeof *w->load, error);
        TRY(bough_alloc(&w->source, (uint64_t)LINE * l->count, sizeof *w->source, error));
    }
    return status;
}

bough_status permutation_loads_make(check_pass *p, uint64_t first, unsigned count, permutation_loads *l,
                                    bough_error *error) {
    const uint64_t n = p->net->endpoints;
    *l = (permutation_loads){
        .pass = p, .count = count, .workers = p->options->threads ? p->options->threads : 1};
    bough_status status = origin_list_make(p->net, &l->origins, error);
    if (!status) find_range(l);
    uint64_t bytes = bough_mul(bough_mul(entries_of(l), sizeof *l->worker->load), l->workers);
    bytes = bough_add(bytes, bough_mul(n, ((uint64_t)count + l->workers) * sizeof *l->source));
    TRY(bough_net_memory_check(p->net, bytes, "the random permutations", error));
    TRY(large_alloc(&l->source, bough_mul(n, count), sizeof *l->source, error));
    TRY(bough_alloc(&l->rate, n, sizeof *l->rate, error));
    for (uint64_t e = 0; e < n && !status; e++)
        if (origin_lead(&l->origins, l->origins.of[e]))
            l->rate[e] = check_rate(p, bough_injection_link(p->net, e));
    TRY(make_workers(l, error));
    if (!status) team_loop(l->workers, l->workers, clear_loads, l);
    return draw_all(l, first, status, error);
}

void permutation_loads_fini(permutation_loads *l) {
    for (unsigned i = 0; l->worker && i < l->workers; i++) FREE_ALL(l->worker[i].load, l->worker[i].source);
    origin_list_fini(&l->origins);
    FREE_ALL(l->source, l->rate, l->worker);
    *l = (permutation_loads){0};
}

static void note_adapter(struct permutation_worker *w, unsigned k, double rate) {
    if (w->slowest[k] == 0 || rate < w->slowest[k]) w->slowest[k] = rate;
}

/* The load of a link in permutation k; NULL if it is before or behind those with loads. */
static uint16_t *load_of(const permutation_loads *l, const struct permutation_worker *w, uint32_t link,
                         uint64_t k) {
    const uint64_t i = link - l->first;
    return i < l->end - l->first ? &w->load[i * l->count + k] : NULL;
}

static void count_flow(const permutation_loads *l, const struct permutation_worker *w, uint32_t link,
                       uint64_t k) {
    uint16_t *load = load_of(l, w, link, k);
    if (load) ++*load;
}

/* Where the path in permutation k begins, if it leads to another endpoint and arrives; else BOUGH_NO_INDEX.
 * Paths from different endpoints have their first two links apart in memory. */
static uint32_t find_start(permutation_loads *l, struct permutation_worker *w, address_tree *t, uint64_t k,
                           uint32_t source) {
    const origin_list *o = &l->origins;
    const uint32_t origin = o->of[source];
    const uint32_t node = o->node[origin];
    if (source == w->target || address_tree_from(t, o, origin) != SPREAD_ARRIVES) return BOUGH_NO_INDEX;
    if (origin_lead(o, origin)) note_adapter(w, (unsigned)k, l->rate[source]);
    if (node == t->target) return node;
    __builtin_prefetch(load_of(l, w, t->link[node], k), 1);
    const uint32_t to = t->to[node];
    if (to != t->target) __builtin_prefetch(load_of(l, w, t->link[to], k), 1);
    return node;
}

void permutation_loads_add(permutation_loads *l, unsigned worker, address_tree *t, uint32_t target) {
    struct permutation_worker *w = &l->worker[worker];
    const bool adapter = !bough_is_switch(l->pass->net, t->target);
    uint32_t last = BOUGH_NO_INDEX; /* the link that ended a path before */
    double last_rate = 0;
    uint32_t start[PERMUTATION_BATCH];
    const uint32_t *source = sources_of(l, w, target);
    w->target = target;
    for (unsigned k = 0; k < l->count; k++) start[k] = find_start(l, w, t, k, source[k]);
    for (unsigned k = 0; k < l->count; k++) {
        uint32_t node = start[k];
        if (node == BOUGH_NO_INDEX) continue;
        for (uint32_t to; node != t->target; node = to) {
            to = t->to[node];
            const uint32_t link = t->link[node];
            if (!adapter || to != t->target) {
                count_flow(l, w, link, k);
                continue;
            }
            if (link != last) last_rate = check_rate(l->pass, link);
            last = link;
            note_adapter(w, k, last_rate);
        }
    }
}

/* One link, loads of all permutations. */
static void settle_link(const permutation_loads *l, uint64_t link, outcome *found) {
    const check_pass *p = l->pass;
    const double rate = check_rate(p, link);
    const bool endpoint = p->of_endpoint[link];
    for (unsigned k = 0; k < l->count; k++) {
        uint32_t load = l->worker[0].load[(link - l->first) * l->count + k];
        if (!load) continue;
        outcome_add(&found[k], load, rate);
        if (endpoint) outcome_add_ideal(p, &found[k], load);
    }
}

/* Of the adapters' cables. */
static void settle_adapters(const permutation_loads *l, unsigned k, outcome *found) {
    double slowest = 0;
    for (unsigned i = 0; i < l->workers; i++) {
        const double rate = l->worker[i].slowest[k];
        if (rate != 0 && (slowest == 0 || rate < slowest)) slowest = rate;
    }
    if (slowest == 0) return;
    outcome_add(found, 1, slowest);
    outcome_add_ideal(l->pass, found, 1);
}

static void join_links(void *context, unsigned worker, uint64_t range) {
    const permutation_loads *l = context;
    const uint64_t entries = entries_of(l), first = range * RANGE * l->count;
    const uint64_t end = first + RANGE * l->count < entries ? first + RANGE * l->count : entries;
    (void)worker;
    for (unsigned i = 1; i < l->workers; i++)
        for (uint64_t e = first; e < end; e++)
            l->worker[0].load[e] = (uint16_t)(l->worker[0].load[e] + l->worker[i].load[e]);
}

static void settle_links(void *context, unsigned worker, uint64_t range) {
    permutation_loads *l = context;
    const uint64_t first = l->first + range * RANGE;
    for (uint64_t link = first; link < first + RANGE && link < l->end; link++)
        settle_link(l, link, l->worker[worker].found);
}

void permutation_loads_settle(permutation_loads *l, outcome *found) {
    const uint64_t ranges = (l->end - l->first + RANGE - 1) / RANGE;
    if (l->workers > 1) team_loop(l->workers, ranges, join_links, l);
    team_loop(l->workers, ranges, settle_links, l);
    for (unsigned k = 0; k < l->count; k++) {
        found[k] = (outcome){0};
        for (unsigned i = 0; i < l->workers; i++) outcome_join(&found[k], &l->worker[i].found[k]);
        settle_adapters(l, k, &found[k]);
    }
}
