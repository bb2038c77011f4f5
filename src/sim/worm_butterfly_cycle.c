#include "sim/worm_butterfly_state.h"

/* Loops of a few turns: vectors would cost more than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#define FEW_TURNS                                                                                            \
    __attribute__((optimize("no-tree-vectorize", "no-unroll-loops", "no-tree-loop-distribute-patterns")))
#else
#define FEW_TURNS
#endif

static inline worm *at(const butterfly *b, uint32_t who) {
    return (worm *)(void *)(b->pool + who);
}

/* ---- labels (topology/families/bft.c) ---- */

static inline const stride *stride_of(const butterfly *b, const worm *w) {
    return &b->strides[w->apex][w->step];
}
/* The group where it asks. */
static inline uint32_t group_of(const butterfly *b, const worm *w) {
    const stride *s = stride_of(b, w);
    return w->path[w->step] + ((w->root & s->mask) << s->shift);
}

void butterfly_plan_strides(butterfly *b) {
    for (unsigned apex = 1; apex < LEVELS; apex++)
        for (unsigned step = 0; step < 2 * apex; step++) {
            bool down = step >= apex;
            unsigned level = down ? 2 * apex - step : step;
            b->strides[apex][step] = (stride){level ? (UINT32_C(1) << (level - 1)) - 1 : 0, down ? 2 : 0,
                                              (uint8_t)(2 * level - down)};
        }
}

/* The groups of a way, if root were 0. */
FEW_TURNS static void plan_way(const butterfly *b, worm *w) {
    uint32_t *path = w->path;
    unsigned apex = w->apex;
    path[0] = w->source;
    for (unsigned l = 1; l < apex; l++) path[l] = b->first[l] + (w->source >> 2 * l << (l - 1));
    for (unsigned l = apex; l > 0; l--) {
        uint32_t node = b->first[l] + (w->address >> 2 * l << (l - 1));
        path[2 * apex - l] = b->down + 4 * node + (w->address >> (2 * l - 2) & 3);
    }
}

/* Every other bit, closed up. */
static uint32_t even_bits(uint32_t x) {
    x &= 0x55555555;
    x = (x | x >> 1) & 0x33333333;
    x = (x | x >> 2) & 0x0f0f0f0f;
    x = (x | x >> 4) & 0x00ff00ff;
    return (x | x >> 8) & 0xffff;
}

uint64_t butterfly_link(const butterfly *b, uint32_t group, unsigned which) {
    if (group < b->n) return group;
    if (group < b->below_roots) return 2 * (uint64_t)group - b->n + which;
    return group - b->below_roots + 2 * b->below_roots - b->n;
}
unsigned butterfly_links(const butterfly *b, uint32_t group) {
    return group >= b->n && group < b->below_roots ? 2 : 1;
}

/* ---- the calendar ---- */

static void schedule(butterfly *b, uint32_t time, uint32_t group) {
    uint32_t slot = b->free_event;
    if (slot != NOBODY) {
        b->free_event = b->event[slot].next;
    } else {
        if (!GROW(b, event, b->events + 1)) return;
        slot = b->events++;
    }
    uint32_t *bucket = &b->bucket[time & b->bucket_mask];
    b->event[slot] = (event){time, group, *bucket};
    *bucket = slot;
    b->pending++;
}

/* ---- heads go on ---- */

/* Two links up: a coin may have to choose. */
static inline uint32_t is_pair(const butterfly *b, uint32_t group) {
    return group - (uint32_t)b->n < b->pairs;
}

/* It asks in the next cycle. */
static inline void come(butterfly *b, uint32_t group, uint32_t who) {
    port *p = &b->port[group];
    if (p->asked != b->now + 1) {
        p->asked = b->now + 1;
        b->coming[b->comings++] = (ask){group, who};
        b->entity[b->coins] = group >> 7;
        b->coins += is_pair(b, group);
    } else {
        at(b, p->last)->next = who;
    }
    p->last = who;
}

/* The head is in: when its links are free is known. */
FEW_TURNS static void arrive(butterfly *b, uint32_t who) {
    worm *w = at(b, who);
    uint32_t d = w->step, first = b->now + b->flits - d + 1;
    uint32_t *cell = (uint32_t *)(void *)b->port; /* eight to a port */
    for (uint32_t k = 0; k < d; k++) {
        uint32_t at_link = w->path[k];
        cell[at_link] = first + k;                                  /* free_at */
        cell[at_link + 2] += first + k;                             /* held */
        if (cell[(at_link & ~UINT32_C(7)) + 4] == NOBODY) continue; /* head */
        schedule(b, first + k, at_link >> 3);
    }
    uint64_t in = clock_of(b) + b->flits;
    if (in > b->last_free) b->last_free = in;
    if (!GROW(b, out, b->outs + 1)) return;
    b->out[b->outs++] =
        (sim_delivery){w->offered, w->offered + w->entry, in, w->id, w->source, w->address, d};
    b->base.arrived++;
    w->next = b->free_worm;
    b->free_worm = who;
}

/* It takes a link of the group where it asks. */
static inline void take(butterfly *b, uint32_t group, unsigned which, uint32_t who) {
    worm *w = at(b, who);
    port *p = &b->port[group];
    unsigned step = w->step;
    b->grants[stride_of(b, w)->kind]++;
    p->free_at[which] = NEVER;
    p->held[which] -= b->now;
    w->path[step] = 8 * group + which;
    w->next = NOBODY;
    w->step = (uint16_t)(step + 1);
    if (step + 1u == 2u * w->apex) {
        arrive(b, who);
        return;
    }
    w->root ^= which << step >> 1;
    come(b, group_of(b, w), who);
}

static void take_later(butterfly *b, uint32_t group, unsigned which, uint32_t who) {
    worm *w = at(b, who);
    uint32_t wait = (uint32_t)clock_of(b) - w->since;
    b->waited[stride_of(b, w)->kind] += wait;
    if (w->step == 0) w->entry = wait;
    take(b, group, which, who);
}

/* ---- what is not so simple ---- */

static uint32_t input_of(const butterfly *b, const worm *w) {
    if (w->step == 0) return BOUGH_SOURCE_PORT;
    uint32_t last = w->path[w->step - 1];
    return b->net->ops->link_end(b->net, butterfly_link(b, last >> 3, last & 1)).port;
}

static bool before(const butterfly *b, const worm *x, const worm *y) {
    uint32_t p = input_of(b, x), q = input_of(b, y);
    return p < q || (p == q && x->id < y->id);
}

/* Those that came in this cycle, first being the first of them, join the queue in keyed random order. */
static void queue_up(butterfly *b, uint32_t group, uint32_t first) {
    port *p = &b->port[group];
    uint32_t count = 0;
    for (uint32_t who = first; who != NOBODY; who = at(b, who)->next) {
        if (!GROW(b, chain, count + 1)) return;
        b->chain[count++] = who;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t who = b->chain[i], j = i;
        for (; j > 0 && before(b, at(b, who), at(b, b->chain[j - 1])); j--) b->chain[j] = b->chain[j - 1];
        b->chain[j] = who;
    }
    if (!GROW(b, order, count)) return;
    bough_serve_order(b->key, group, clock_of(b), count, b->order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t who = b->chain[b->order[i]];
        at(b, who)->next = NOBODY;
        at(b, who)->since = (uint32_t)clock_of(b);
        if (p->head == NOBODY)
            p->head = who;
        else
            at(b, p->tail)->next = who;
        p->tail = who;
    }
}

static unsigned coin(const butterfly *b, uint32_t group, const worm *w) {
    return bough_bit(b->key, BOUGH_DRAW_PICK_BIT, group, clock_of(b)) ^ (input_of(b, w) & 1);
}

/* The queue of a group, where somebody came (first) or a link became free (NOBODY). */
static void serve(butterfly *b, uint32_t group, uint32_t first) {
    port *p = &b->port[group];
    bool waited = p->head != NOBODY, open = false;
    unsigned served = 0;
    if (first != NOBODY) queue_up(b, group, first);
    while (p->head != NOBODY && !b->status) {
        bool a = p->free_at[0] <= b->now, c = p->free_at[1] <= b->now;
        if (!a && !c) break;
        open = true;
        uint32_t who = p->head;
        p->head = at(b, who)->next;
        take_later(b, group, a && c ? coin(b, group, at(b, who)) : c, who);
        if (++served == 2) break;
    }
    if (p->head == NOBODY || (waited && !open)) return;
    uint32_t soonest = NEVER;
    for (unsigned i = 0; i < 2; i++)
        if (p->free_at[i] > b->now && p->free_at[i] < soonest) soonest = p->free_at[i];
    if (soonest != NEVER) schedule(b, soonest, group);
}

/* ---- a cycle ---- */

static void enter(butterfly *b, const bough_message *m) {
    uint32_t who = b->free_worm;
    if (who != NOBODY) {
        b->free_worm = at(b, who)->next;
    } else {
        if (!GROW(b, pool, b->used + b->words)) return;
        who = (uint32_t)b->used;
        b->used += b->words;
    }
    unsigned high = 31 - (unsigned)__builtin_clz((m->source ^ m->address) | 1);
    worm *w = at(b, who);
    w->offered = m->time;
    w->next = NOBODY;
    w->id = m->id;
    w->source = m->source;
    w->address = m->address;
    w->step = 0;
    w->entry = 0;
    w->apex = (uint16_t)(high / 2 + 1);
    w->even = even_bits(m->source);
    w->root = w->even >> 1;
    plan_way(b, w);
    b->base.offered++;
    port *p = &b->port[m->source];
    if (p->asked != b->now) {
        p->asked = b->now;
        if (!GROW(b, ask, b->asks + 1)) return;
        b->ask[b->asks++] = (ask){m->source, who};
    } else {
        at(b, p->last)->next = who;
    }
    p->last = who;
}

static void births(butterfly *b) {
    bough_message batch[64];
    uint32_t got;
    uint64_t cycle = clock_of(b);
    if (b->birth > cycle) return;
    do {
        got = b->source->pop(b->source, cycle, batch, 64);
        for (uint32_t i = 0; i < got && !b->status; i++) enter(b, &batch[i]);
    } while (got == 64 && !b->status);
    b->birth = b->source->next_time(b->source);
}

/* A coin for each pair that is asked, drawn together, whether or not it will be needed. */
FEW_TURNS static void draw_coins(butterfly *b) {
    uint32_t coins = b->coins;
    b->coins = 0;
    if (coins == 0) return;
    while (coins % 4) b->entity[coins++] = 0; /* four at once cost no more */
    bough_blocks(b->key, BOUGH_DRAW_PICK_BIT, b->entity, coins, clock_of(b), b->low, b->high);
}

/* Everybody who asks in this cycle. What is at hand stands in locals: the compiler must take every store to a
 * port or a worm for one to the engine. */
FEW_TURNS static void serve_asks(butterfly *b) {
    port *const ports = b->port;
    uint32_t *const pool = b->pool;
    const ask *const asks = b->ask;
    ask *const coming = b->coming;
    const uint64_t *low = b->low, *high = b->high;
    uint64_t *const grants = b->grants;
    uint64_t *const entity = b->entity;
    const uint32_t now = b->now, count = b->asks, n = (uint32_t)b->n, pairs = b->pairs;
    const bool far = b->groups > NEAR;
    uint32_t comings = b->comings, coins = b->coins;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group = asks[i].group, who = asks[i].who;
        if (far) {
            const uint32_t *ahead = pool + asks[i + AHEAD < count ? i + AHEAD : i].who;
            __builtin_prefetch(ahead, 1);
            __builtin_prefetch(ahead + 16, 1);
        }
        port *p = &ports[group];
        const unsigned first = p->free_at[0] <= now, second = p->free_at[1] <= now, both = first & second;
        const uint64_t word = *low ^ ((*low ^ *high) & -(uint64_t)(group >> 6 & 1));
        const uint32_t pair = group - n < pairs;
        low += pair;
        high += pair;
        if ((p->head != NOBODY) | (p->last != who) | !(first | second)) {
            b->comings = comings;
            b->coins = coins;
            serve(b, group, who);
            comings = b->comings;
            coins = b->coins;
            continue;
        }
        worm *w = (worm *)(void *)(pool + who);
        const unsigned step = w->step, face = (unsigned)(word >> (group & 63)) ^ w->even << 1 >> step;
        const unsigned which = (face & both) | (first ^ 1);
        const stride *s = &b->strides[w->apex][step];
        grants[s->kind]++;
        p->free_at[which] = NEVER;
        p->held[which] -= now;
        w->path[step] = 8 * group + which;
        w->next = NOBODY;
        w->step = (uint16_t)(step + 1);
        if (step + 1u == 2u * w->apex) {
            arrive(b, who);
            continue;
        }
        w->root ^= which << step >> 1;
        const uint32_t next = w->path[step + 1] + ((w->root & s[1].mask) << s[1].shift);
        port *q = &ports[next];
        if (q->asked != now + 1) {
            q->asked = now + 1;
            coming[comings++] = (ask){next, who};
            entity[coins] = next >> 7;
            coins += next - n < pairs;
        } else {
            ((worm *)(void *)(pool + q->last))->next = who;
        }
        q->last = who;
    }
    b->comings = comings;
    b->coins = coins;
}

/* Space for what a cycle can bring forth. */
static bool make_room(butterfly *b) {
    uint64_t coming = 2 * ((uint64_t)b->asks + b->pending) + 8, coins = (uint64_t)b->coins + 8;
    return GROW(b, coming, coming) && GROW(b, entity, coming > coins ? coming : coins) &&
           GROW(b, low, coins) && GROW(b, high, coins);
}

FEW_TURNS void butterfly_cycle(butterfly *b) {
    births(b);
    uint32_t *bucket = &b->bucket[b->now & b->bucket_mask], slot = *bucket;
    if (!make_room(b)) return;
    draw_coins(b);
    serve_asks(b);
    *bucket = NOBODY;
    while (slot != NOBODY && !b->status) {
        event e = b->event[slot];
        b->event[slot].next = b->free_event;
        b->free_event = slot;
        b->pending--;
        serve(b, e.group, NOBODY);
        slot = e.next;
    }
    ask *was = b->ask;
    size_t capacity = b->ask_capacity;
    b->ask = b->coming;
    b->ask_capacity = b->coming_capacity;
    b->asks = b->comings;
    b->coming = was;
    b->coming_capacity = capacity;
    b->comings = 0;
}
