/* The rates of flows that came together and share links with each other only, as when all start at once.
 *
 * Filling (max_min_rates.h) takes links in order of level, ties by link. While no flow on a link is kept, a
 * flow that is done leaves the others of its links no lower level. So levels only grow, and a link that is
 * before all other links of its open flows stays so until it is filled: it may be filled at once, at the
 * level that it has now. The rates are those of filling in order, bit by bit, and links like that have no
 * flow in common, so threads can fill them at a time:
 *
 *   - every open flow *names* the first of its links; link.bound is the weight of the flows that name it;
 *   - a link that all its open flows name is *ready*: it is filled, and its flows are done;
 *   - another link of these flows *rises*: it gets its new level, and flows that named it name a link again.
 *
 * A round does this for all that are ready. In a random permutation of 2^18 there are a dozen rounds, and a
 * flow names a link about twice. Where many flows share each link, as all pairs of 128 endpoints do under
 * random routing, few links are ready at a time, and most flows name one again in every round. So when a
 * round visits MOST times as many crossings to name as to fill, the rest is left to filling in order. */
#include "engines/flow/max_min/max_min_rates.h"

#include "base/memory/prefetch.h"

#include <string.h>

#define FIRST 16 /* of so many flows one is filled in the first round, or none is filled here */
#define MOST  4
#define AHEAD 2  /* prefetch distance of flows */
#define LINKS 16 /* ready links of a step of a divided loop */

#define RISEN (UINT64_C(1) << 63) /* in link.growing: it is listed */

typedef struct filling {
    max_min *f;
    thread_team *team;    /* of the current loop; NULL: one thread */
    const uint32_t *item; /* of the current loop: flows, or links */
    uint32_t items, ready, named, risens;
    uint64_t work;
    bool mixed; /* there are kept flows on their links */
} filling;

/* ---- what threads share within a loop ---- */

static uint64_t add(const filling *x, uint64_t *sum, uint64_t more) {
    if (x->team) return __atomic_add_fetch(sum, more, __ATOMIC_RELAXED);
    return *sum += more;
}

/* True for one of those that call it. */
static bool rises_first(const filling *x, max_min_link *k) {
    if (x->team) return !(__atomic_fetch_or(&k->growing, RISEN, __ATOMIC_RELAXED) & RISEN);
    k->growing |= RISEN;
    return true;
}

/* Items that a step adds to a list. Their order there has no effect. */
typedef struct batch {
    uint32_t *list, *count;
    uint32_t item[MAX_MIN_STEP], items;
} batch;

static void flush(const filling *x, batch *b) {
    uint32_t at;
    if (!b->items) return;
    if (x->team)
        at = __atomic_fetch_add(b->count, b->items, __ATOMIC_RELAXED);
    else
        at = *b->count, *b->count += b->items;
    memcpy(b->list + at, b->item, b->items * sizeof *b->item);
    b->items = 0;
}

static void push(const filling *x, batch *b, uint32_t item) {
    b->item[b->items++] = item;
    if (b->items == MAX_MIN_STEP) flush(x, b);
}

static void each(filling *x, uint32_t count, uint32_t step,
                 void (*loop)(void *context, unsigned worker, uint64_t i)) {
    x->team = count >= x->f->few ? x->f->team : NULL;
    team_each(x->team, ((uint64_t)count + step - 1) / step, loop, x);
}

static uint32_t end_of(uint64_t step, uint32_t size, uint32_t count) {
    uint64_t end = (step + 1) * size;
    return end < count ? (uint32_t)end : count;
}

BOUGH_FETCHES void prefetch_links(const max_min *f, const uint32_t *flow, uint32_t i, uint32_t end) {
    if (i >= end) return;
    const max_min_flow *g = &f->flow[flow[i]];
    for (uint32_t c = g->first; c < g->first + g->hops; c++)
        __builtin_prefetch(&f->link[f->crossing[c].link].level);
}

/* ---- steps ---- */

static void set_level(max_min_link *k) {
    k->level = (k->capacity - (uint64_t)k->load) / k->growing;
}

/* The first levels: that of a link is due to the flow that came last. */
static void begin(void *context, unsigned worker, uint64_t step) {
    filling *x = context;
    const max_min *f = x->f;
    const uint32_t end = end_of(step, MAX_MIN_STEP, x->items);
    (void)worker;
    for (uint32_t i = (uint32_t)step * MAX_MIN_STEP; i < end; i++) {
        const max_min_flow *g = &f->flow[x->item[i]];
        prefetch_links(f, x->item, i + AHEAD, end);
        for (uint32_t c = g->first; c < g->first + g->hops; c++) {
            max_min_link *k = &f->link[f->crossing[c].link];
            if (k->load) {
                __atomic_store_n(&x->mixed, true, __ATOMIC_RELAXED);
                return;
            }
            if (k->head == c) set_level(k);
        }
    }
}

static void name_link(const filling *x, uint32_t id, batch *ready) {
    const max_min *f = x->f;
    max_min_flow *g = &f->flow[id];
    const uint32_t first = g->first, end = first + g->hops;
    uint32_t link = f->crossing[first].link;
    uint64_t level = f->link[link].level, weight = max_min_weight(f, first);
    for (uint32_t c = first + 1; c < end; c++) {
        uint32_t l = f->crossing[c].link;
        uint64_t its = f->link[l].level;
        if (its < level || (its == level && l < link))
            link = l, level = its, weight = max_min_weight(f, c);
        else if (l == link)
            weight += max_min_weight(f, c);
    }
    g->bottleneck = link;
    max_min_link *k = &f->link[link];
    if (add(x, &k->bound, weight) == k->growing) push(x, ready, link);
}

static void name_links(void *context, unsigned worker, uint64_t step) {
    filling *x = context;
    max_min *f = x->f;
    batch ready = {.list = f->ready, .count = &x->ready};
    const uint32_t end = end_of(step, MAX_MIN_STEP, x->items);
    uint64_t work = 0;
    (void)worker;
    for (uint32_t i = (uint32_t)step * MAX_MIN_STEP; i < end; i++) {
        prefetch_links(f, x->item, i + AHEAD, end);
        name_link(x, x->item[i], &ready);
        work += f->flow[x->item[i]].hops;
    }
    flush(x, &ready);
    add(x, &x->work, work);
}

/* A flow gets the level of the link that it names; its other links may rise. */
static void settle(const filling *x, uint32_t id, uint32_t link, batch *risen) {
    const max_min *f = x->f;
    max_min_flow *g = &f->flow[id];
    const uint64_t level = f->link[link].level;
    g->rate = level;
    g->state = MAX_MIN_DONE;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        uint32_t l = f->crossing[c].link;
        max_min_link *k = &f->link[l];
        uint64_t weight = max_min_weight(f, c);
        if (l == link) continue;
        add(x, (uint64_t *)&k->load, weight * level);
        uint64_t left = add(x, &k->growing, -weight);
        if (left & ~RISEN && !(left & RISEN) && rises_first(x, k)) push(x, risen, l);
    }
}

static void fill_some(void *context, unsigned worker, uint64_t step) {
    filling *x = context;
    const max_min *f = x->f;
    batch risen = {.list = f->risen, .count = &x->risens};
    const uint32_t end = end_of(step, LINKS, x->items);
    uint64_t work = 0;
    (void)worker;
    for (uint32_t i = (uint32_t)step * LINKS; i < end; i++) {
        max_min_link *k = &f->link[x->item[i]];
        for (uint32_t c = k->head; c != MAX_MIN_NONE; c = f->crossing[c].next) {
            const max_min_flow *g = &f->flow[f->crossing[c].flow];
            if (g->state != MAX_MIN_OPEN) continue;
            settle(x, f->crossing[c].flow, x->item[i], &risen);
            work += g->hops;
        }
        k->load += (int64_t)(k->bound * k->level);
        k->growing = 0;
        work += k->flows;
    }
    flush(x, &risen);
    add(x, &x->work, work);
}

/* The flows that named a link are to name one again. Others read their bottleneck meanwhile. */
static void forget(const filling *x, uint32_t link, batch *named) {
    const max_min *f = x->f;
    for (uint32_t c = f->link[link].head; c != MAX_MIN_NONE; c = f->crossing[c].next) {
        uint32_t id = f->crossing[c].flow;
        max_min_flow *g = &f->flow[id];
        if (g->state != MAX_MIN_OPEN || __atomic_load_n(&g->bottleneck, __ATOMIC_RELAXED) != link) continue;
        __atomic_store_n(&g->bottleneck, MAX_MIN_NONE, __ATOMIC_RELAXED);
        push(x, named, id);
    }
    f->link[link].bound = 0;
}

static void raise_some(void *context, unsigned worker, uint64_t step) {
    filling *x = context;
    const max_min *f = x->f;
    batch named = {.list = f->named, .count = &x->named}, ready = {.list = f->ready, .count = &x->ready};
    const uint32_t end = end_of(step, MAX_MIN_STEP, x->items);
    uint64_t work = 0;
    (void)worker;
    for (uint32_t i = (uint32_t)step * MAX_MIN_STEP; i < end; i++) {
        max_min_link *k = &f->link[x->item[i]];
        const uint64_t before = k->level;
        k->growing &= ~RISEN;
        if (!k->growing) continue;
        set_level(k);
        if (k->level == before) {
            if (k->bound == k->growing) push(x, &ready, x->item[i]);
            continue;
        }
        if (!k->bound) continue;
        forget(x, x->item[i], &named);
        work += k->flows;
    }
    flush(x, &named);
    flush(x, &ready);
    add(x, &x->work, work);
}

/* ---- rounds ---- */

static void run_loop(filling *x, const uint32_t *list, uint32_t *count, uint32_t step,
                     void (*loop)(void *context, unsigned worker, uint64_t i)) {
    x->item = list;
    x->items = *count;
    *count = 0;
    each(x, x->items, step, loop);
}

/* Filling in order goes on from here. */
static void leave_rest(const max_min *f) {
    for (uint32_t i = 0; i < f->came; i++) {
        max_min_flow *g = &f->flow[f->changed[i]];
        if (g->state != MAX_MIN_OPEN) continue;
        g->bottleneck = MAX_MIN_NONE;
        for (uint32_t c = g->first; c < g->first + g->hops; c++) f->link[f->crossing[c].link].bound = 0;
    }
}

/* Whether the links that are ready first have one of so many flows. */
static bool begins_well(const filling *x, uint32_t open) {
    uint64_t flows = 0;
    for (uint32_t i = 0; i < x->ready; i++) flows += x->f->link[x->f->ready[i]].flows;
    return flows * FIRST >= open;
}

void max_min_fill_new(max_min *f, uint32_t open) {
    filling x = {.f = f};
    uint32_t count = open;
    run_loop(&x, f->named, &count, MAX_MIN_STEP, begin);
    if (x.mixed) return;
    run_loop(&x, f->named, &open, MAX_MIN_STEP, name_links);
    bool pays = begins_well(&x, x.items);
    while (x.ready && pays && !max_min_stopped(f)) {
        const uint64_t before = x.work;
        run_loop(&x, f->ready, &x.ready, LINKS, fill_some);
        const uint64_t filled = x.work;
        run_loop(&x, f->risen, &x.risens, MAX_MIN_STEP, raise_some);
        run_loop(&x, f->named, &x.named, MAX_MIN_STEP, name_links);
        pays = x.work - filled <= MOST * (filled - before);
    }
    f->work += x.work;
    if (x.ready) leave_rest(f);
}
