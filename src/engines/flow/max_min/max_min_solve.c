/* Progressive filling: see max_min_rates.h. x is the current level; it only grows. */
#include "engines/flow/max_min/max_min_rates.h"

#include "base/memory/prefetch.h"

#define NEVER UINT64_MAX
#define AHEAD 8 /* prefetch distance of links */

/* Computes the remaining capacity of a link of which no flow has been opened or settled yet. */
static void residual_capacity(max_min_link *k) {
    k->left = (int64_t)k->capacity - k->load + (int64_t)(k->bound * (k->bound ? k->level : 0));
    k->growing += k->bound;
}

/* The level of the next event on a link: its old level, or the level at which it is full. The latter is never
 * too late: flows kept at a higher rate count fully, which makes it earlier. */
static uint64_t full_from(const max_min_link *k, uint64_t x) {
    if (!k->growing) return k->left < 0 ? x : NEVER;
    uint64_t level = k->left > 0 ? (uint64_t)k->left / k->growing : 0;
    return level > x ? level : x;
}

/* NEVER: there is none. */
static uint64_t next_event(const max_min_link *k, uint64_t x) {
    uint64_t level = full_from(k, x);
    return k->bound && k->level < level ? k->level : level;
}

static void enqueue(max_min *f, uint32_t link, uint64_t x) {
    uint64_t level = next_event(&f->link[link], x);
    if (level != NEVER) max_min_queue_put(&f->queue, link, level);
}

BOUGH_FETCHES void prefetch_touched(const max_min *f, uint32_t i) {
    if (i < f->touches) __builtin_prefetch(&f->link[f->touched[i]], 1);
}

static void enqueue_touched(max_min *f) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->touches; i++) {
        uint32_t link = f->touched[i];
        prefetch_touched(f, i + AHEAD);
        uint64_t level = next_event(&f->link[link], 0);
        if (level != NEVER) f->queue.sorted[count++] = (heap_entry){level, link, link};
    }
    max_min_queue_sort(&f->queue, count);
}

/* True the first time in a round: the caller enqueues the link after its update. */
static bool touch(max_min *f, uint32_t link) {
    max_min_link *k = &f->link[link];
    if (k->touched) return false;
    k->touched = true;
    f->touched[f->touches++] = link;
    residual_capacity(k);
    return true;
}

/* The level at which a link is full. Up to level y, flows kept above y count y like open ones. The load of a
 * link is concave in y, so Newton's method from below converges without overshooting. The loop over the flows
 * has no branch on them: most are not in a near cache, and each wrong guess would wait for one. */
static uint64_t full_at(max_min *f, uint32_t link, uint64_t y) {
    const max_min_link *k = &f->link[link];
    for (;;) {
        int64_t left = k->left;
        uint64_t growing = k->growing;
        for (uint32_t c = k->head; c != MAX_MIN_NONE; c = f->crossing[c].next) {
            const max_min_flow *g = &f->flow[f->crossing[c].flow];
            const uint64_t above = (g->state == MAX_MIN_KEPT) & (g->rate > y) & (g->bottleneck != link);
            const uint64_t weight = -above & max_min_weight(f, c);
            left += (int64_t)(weight * g->rate);
            growing += weight;
        }
        f->work += k->flows;
        if (growing == 0) return NEVER;
        uint64_t next = left > 0 ? (uint64_t)left / growing : 0;
        if (next <= y || growing == k->growing) return next > y ? next : y;
        y = next;
    }
}

/* A flow that is open, or kept above x, gets x, because `link` is full. */
static void settle(max_min *f, uint32_t id, uint32_t link, uint64_t x) {
    max_min_flow *g = &f->flow[id];
    bool open = g->state == MAX_MIN_OPEN;
    int64_t rate = (int64_t)x, more = rate - (int64_t)g->rate;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        uint32_t l = f->crossing[c].link;
        max_min_link *k = &f->link[l];
        int64_t weight = (int64_t)max_min_weight(f, c);
        bool fresh = touch(f, l), mine = g->bottleneck == l;
        if (open || mine) {
            k->growing -= (uint64_t)weight;
            k->left -= weight * rate;
        } else {
            k->left -= weight * more;
        }
        k->load += weight * more;
        if (l == link) k->bound += (uint64_t)weight;
        if (mine) k->bound -= (uint64_t)weight;
        if (fresh) enqueue(f, l, x);
    }
    f->work += g->hops;
    g->before = g->rate;
    g->rate = x;
    g->bottleneck = link;
    if (!open || g->before) f->changed[f->came++] = id;
    g->state = MAX_MIN_DONE;
}

static void fill(max_min *f, uint32_t link, uint64_t x) {
    max_min_link *k = &f->link[link];
    k->full = true;
    k->level = x;
    for (uint32_t c = k->head; c != MAX_MIN_NONE; c = f->crossing[c].next) {
        uint32_t id = f->crossing[c].flow;
        const max_min_flow *g = &f->flow[id];
        if (g->state == MAX_MIN_OPEN || (g->state == MAX_MIN_KEPT && g->rate > x)) settle(f, id, link, x);
    }
    f->work += k->flows;
}

/* True if another link of the path limits the flow at the same level. */
static bool finds_another(max_min *f, uint32_t id, uint32_t link, uint64_t x) {
    max_min_flow *g = &f->flow[id];
    uint32_t other = MAX_MIN_NONE, end = g->first + g->hops;
    for (uint32_t c = g->first; c < end && other == MAX_MIN_NONE; c++) {
        uint32_t l = f->crossing[c].link;
        if (l != link && f->link[l].bound && f->link[l].level == x) other = l;
    }
    if (other == MAX_MIN_NONE) return false;
    for (uint32_t c = g->first; c < end; c++) {
        uint32_t l = f->crossing[c].link;
        max_min_link *k = &f->link[l];
        uint64_t weight = max_min_weight(f, c);
        if (l == link) {
            k->bound -= weight;
            k->growing -= weight;
            k->left -= (int64_t)(weight * x);
        } else if (l == other) {
            k->bound += weight;
            if (!k->touched || k->full) continue;
            k->growing += weight;
            k->left += (int64_t)(weight * x);
        }
    }
    g->bottleneck = other;
    return true;
}

static void open(max_min *f, uint32_t id, uint64_t x) {
    max_min_flow *g = &f->flow[id];
    g->state = MAX_MIN_OPEN;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        uint32_t l = f->crossing[c].link;
        max_min_link *k = &f->link[l];
        touch(f, l);
        uint64_t weight = max_min_weight(f, c);
        if (l == g->bottleneck) { /* already counted as growing */
            k->bound -= weight;
        } else {
            k->growing += weight;
            k->left += (int64_t)(weight * g->rate);
            enqueue(f, l, x);
        }
    }
    f->work += g->hops;
    g->bottleneck = MAX_MIN_NONE;
}

/* The old level of a link is reached and the link is not full: it is no longer a bottleneck. */
static void release(max_min *f, uint32_t link, uint64_t x) {
    const max_min_link *k = &f->link[link];
    for (uint32_t c = k->head; c != MAX_MIN_NONE; c = f->crossing[c].next) {
        uint32_t id = f->crossing[c].flow;
        const max_min_flow *g = &f->flow[id];
        if (g->state != MAX_MIN_KEPT || g->bottleneck != link) continue;
        if (!finds_another(f, id, link, x)) open(f, id, x);
    }
    f->work += k->flows;
    enqueue(f, link, x);
}

static void examine_link(max_min *f, uint32_t link, uint64_t x) {
    const max_min_link *k = &f->link[link];
    uint64_t full = full_from(k, x);
    /* no flow on it is kept above its old level */
    if (full != NEVER && (!k->bound || full < k->level)) full = full_at(f, link, full);
    bool more = k->bound && full > k->level;
    uint64_t next = more ? k->level : full;
    if (next == NEVER) return;
    if (next > x)
        max_min_queue_put(&f->queue, link, next);
    else if (more)
        release(f, link, x);
    else
        fill(f, link, x);
}

/* Sorted links are known before they are examined. */
BOUGH_FETCHES void prefetch_later(const max_min *f) {
    const max_min_queue *q = &f->queue;
    if (q->next + AHEAD >= q->count) return;
    const heap_entry *later = &q->sorted[q->next];
    if (later[AHEAD].item != HEAP_OUT) __builtin_prefetch(&f->link[later[AHEAD].item], 1);
}

/* ---- flows that came ---- */

/* The link that limits a flow which is alone on all its links; MAX_MIN_NONE: it shares one. */
static uint32_t alone_behind(const max_min *f, const max_min_flow *g) {
    uint32_t least = f->crossing[g->first].link;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        uint32_t l = f->crossing[c].link;
        const max_min_link *k = &f->link[l], *best = &f->link[least];
        if (k->flows > 1) return MAX_MIN_NONE;
        if (k->capacity < best->capacity || (k->capacity == best->capacity && l < least)) least = l;
    }
    return least;
}

static void settle_alone(max_min *f, max_min_flow *g, uint32_t link) {
    uint64_t rate = f->link[link].capacity;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        max_min_link *k = &f->link[f->crossing[c].link];
        k->load = (int64_t)rate;
        k->growing = 0;
    }
    f->link[link].bound = 1;
    f->link[link].level = rate;
    g->rate = rate;
    g->bottleneck = link;
    g->state = MAX_MIN_DONE;
}

BOUGH_FETCHES void prefetch_flow(const max_min *f, uint32_t i) {
    if (!f->flow[f->changed[i]].alone) return;
    const max_min_flow *g = &f->flow[f->changed[i]];
    for (uint32_t c = g->first; c < g->first + g->hops && c < g->first + 2 * AHEAD; c++)
        __builtin_prefetch(&f->link[f->crossing[c].link], 1);
}

static void settle_those_alone(max_min *f, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        max_min_flow *g = &f->flow[f->changed[i]];
        if (end - i > AHEAD / 2) prefetch_flow(f, i + AHEAD / 2);
        if (!g->alone) continue;
        uint32_t link = alone_behind(f, g);
        g->alone = link != MAX_MIN_NONE;
        if (g->alone) settle_alone(f, g, link);
    }
}

static void settle_some(void *context, unsigned worker, uint64_t step) {
    max_min *f = context;
    uint64_t first = step * MAX_MIN_STEP, end = first + MAX_MIN_STEP;
    (void)worker;
    settle_those_alone(f, (uint32_t)first, end < f->came ? (uint32_t)end : f->came);
}

/* Gives the flows that came their rates if their links have no others, and adds the links of the rest to the
 * round. */
static void admit(max_min *f) {
    if (f->team && f->came >= f->few)
        team_each(f->team, (f->came + MAX_MIN_STEP - 1) / MAX_MIN_STEP, settle_some, f);
    else
        settle_those_alone(f, 0, f->came);
    for (uint32_t i = 0; i < f->came; i++) {
        const max_min_flow *g = &f->flow[f->changed[i]];
        for (uint32_t c = g->first; c < g->first + g->hops && g->state == MAX_MIN_OPEN; c++)
            max_min_mark(f, f->crossing[c].link);
        if (g->state != MAX_MIN_OPEN) f->work += g->hops;
    }
}

void max_min_solve(max_min *f) {
    admit(f);
    for (uint32_t i = 0; i < f->touches; i++) {
        prefetch_touched(f, i + AHEAD);
        residual_capacity(&f->link[f->touched[i]]);
    }
    enqueue_touched(f);
    heap_entry e;
    while (max_min_queue_pop(&f->queue, &e)) {
        prefetch_later(f);
        if (!max_min_stopped(f)) examine_link(f, e.item, e.key);
    }
    for (uint32_t i = 0; i < f->touches; i++) {
        prefetch_touched(f, i + AHEAD);
        max_min_link *k = &f->link[f->touched[i]];
        k->touched = k->full = false;
        k->growing = 0;
    }
    f->changes = 0;
    for (uint32_t i = 0; i < f->came; i++) {
        max_min_flow *g = &f->flow[f->changed[i]];
        g->state = MAX_MIN_KEPT;
        if (g->rate != g->before) f->changed[f->changes++] = f->changed[i];
    }
    f->touches = f->came = 0;
}
