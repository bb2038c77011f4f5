#include "sim/worm_butterfly.h"

#include "base/memory.h"
#include "routing/kinds.h"
#include "sim/large_pages.h"

#include <stdlib.h>
#include <string.h>

#define NEVER   UINT32_MAX
#define NOBODY  UINT32_MAX
#define LEVELS  16
#define AHEAD   8 /* asks whose worms are fetched meanwhile */
#define REBASED (UINT32_C(1) << 31)

/* Loops of a few turns: vectors would cost more than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#define FEW_TURNS                                                                                            \
    __attribute__((optimize("no-tree-vectorize", "no-unroll-loops", "no-tree-loop-distribute-patterns")))
#else
#define FEW_TURNS
#endif

/* A group: the link or the two links that it has, who waits, and who asks next. Times are cycles since the
 * epoch, from 1. */
typedef struct port {
    uint32_t free_at[2];  /* from then on the next head can take the link; NEVER: not known yet */
    uint32_t held[2];     /* cycles, modulo 2^32 */
    uint32_t head, tail;  /* who waits */
    uint32_t asked, last; /* the cycle that somebody comes in, and the last who does so far */
} port;

/* The way of a worm is known when it is born, but for which of the 2^(l-1) roots of a subtree of level l it
 * comes to: number `root` mod 2^(l-1) (W in families/bft.c). Bit l of `even` is bit 2l of its source, which
 * decides what the document calls parent_0. */
typedef struct worm {
    uint64_t offered;
    uint32_t next, id, source, address, root, even;
    uint32_t since;      /* it waits, modulo 2^32 */
    uint32_t entry;      /* cycles from its offer to its first link */
    uint16_t step, apex; /* links crossed; the level where it turns */
    uint32_t path[];     /* of links crossed: 2 group + which; of those to come: the group if root were 0 */
} worm;

/* A step of the way, by the apex and the links crossed. */
typedef struct stride {
    uint32_t mask; /* of root, the bits that count */
    uint8_t shift; /* in group numbers: a switch has four groups down, one up */
    uint8_t kind;
} stride;

typedef struct ask {
    uint32_t group, who;
} ask;

typedef struct event {
    uint32_t time, group, next;
} event;

typedef struct butterfly {
    worm_engine base;
    const bough_net *net;
    uint64_t n, below_roots; /* processors; nodes below the roots */
    uint32_t first[LEVELS];  /* switch of a level */
    stride strides[LEVELS][2 * LEVELS];
    uint32_t down;         /* the group to child c of a switch is down + 4 switch + c */
    uint32_t flits, words; /* words: of a worm in the pool */
    uint64_t groups, epoch;
    uint32_t now; /* since the epoch */
    port *port;
    uint32_t *pool; /* worms, by offset */
    event *event;
    ask *ask, *coming; /* who asks in this cycle, and in the next */
    uint32_t *bucket, *chain, *order;
    uint64_t *entity, *low, *high; /* of coins */
    worm_delivery *out;
    size_t pool_capacity, event_capacity, ask_capacity, coming_capacity, chain_capacity, order_capacity,
        entity_capacity, low_capacity, high_capacity, out_capacity;
    uint32_t asks, comings, outs;
    uint64_t used; /* words of the pool */
    uint32_t events, pending, free_worm, free_event, bucket_mask;
    bough_key key;
    bough_source *source;
    uint64_t birth, last_free, reset_at;
    uint64_t grants[2 * LEVELS], waited[2 * LEVELS], moves; /* moves: before the reset */
    bough_status status;
    bough_error *error;
} butterfly;

#define GROW(b, array, need)                                                                                 \
    ((uint64_t)(need) <= (b)->array##_capacity ||                                                            \
     !((b)->status = bough_grow(&(b)->array, &(b)->array##_capacity, need, sizeof *(b)->array, (b)->error)))
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

static void plan_strides(butterfly *b) {
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

static uint64_t link_of(const butterfly *b, uint32_t group, unsigned which) {
    if (group < b->n) return group;
    if (group < b->below_roots) return 2 * (uint64_t)group - b->n + which;
    return group - b->below_roots + 2 * b->below_roots - b->n;
}
static unsigned links_of(const butterfly *b, uint32_t group) {
    return group >= b->n && group < b->below_roots ? 2 : 1;
}

/* The cycle at hand, in the traffic's time. */
static inline uint64_t clock_of(const butterfly *b) {
    return b->epoch + b->now - 1;
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

/* It asks in the next cycle. */
static inline void come(butterfly *b, uint32_t group, uint32_t who) {
    port *p = &b->port[group];
    if (p->asked != b->now + 1) {
        p->asked = b->now + 1;
        b->coming[b->comings++] = (ask){group, who};
    } else {
        at(b, p->last)->next = who;
    }
    p->last = who;
}

/* The head is in: when its links are free is known. */
FEW_TURNS static void arrive(butterfly *b, uint32_t who) {
    worm *w = at(b, who);
    uint32_t d = w->step, first = b->now + b->flits - d + 1;
    const uint32_t *restrict path = w->path;
    for (uint32_t k = 0; k < d; k++) {
        port *p = &b->port[path[k] >> 1];
        unsigned which = path[k] & 1;
        p->free_at[which] = first + k;
        p->held[which] += first + k;
        if (p->head != NOBODY) schedule(b, first + k, path[k] >> 1);
    }
    uint64_t in = clock_of(b) + b->flits;
    if (in > b->last_free) b->last_free = in;
    if (!GROW(b, out, b->outs + 1)) return;
    b->out[b->outs++] =
        (worm_delivery){w->offered, w->offered + w->entry, in, w->id, w->source, w->address, d};
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
    w->path[step] = 2 * group + which;
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
    return b->net->ops->link_end(b->net, link_of(b, last >> 1, last & 1)).port;
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

/* Coins of the asks that find both links free, drawn together. */
FEW_TURNS static void draw_coins(butterfly *b) {
    uint32_t coins = 0, now = b->now, asks = b->asks;
    const port *ports = b->port;
    const ask *who = b->ask;
    uint64_t *entity = b->entity;
    for (uint32_t i = 0; i < asks; i++) {
        const port *p = &ports[who[i].group];
        entity[coins] = who[i].group >> 7;
        coins += (p->free_at[0] <= now) & (p->free_at[1] <= now);
    }
    if (coins == 0) return;
    while (coins % 4) entity[coins++] = 0; /* four at once cost no more */
    bough_blocks(b->key, BOUGH_DRAW_PICK_BIT, entity, coins, clock_of(b), b->low, b->high);
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
    const uint32_t now = b->now, count = b->asks;
    uint32_t comings = b->comings;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group = asks[i].group, who = asks[i].who;
        const uint32_t *ahead = pool + asks[i + AHEAD < count ? i + AHEAD : i].who;
        __builtin_prefetch(ahead, 1);
        __builtin_prefetch(ahead + 16, 1);
        port *p = &ports[group];
        const unsigned first = p->free_at[0] <= now, second = p->free_at[1] <= now, both = first & second;
        const uint64_t word = *low ^ ((*low ^ *high) & -(uint64_t)(group >> 6 & 1));
        low += both;
        high += both;
        if ((p->head != NOBODY) | (p->last != who) | !(first | second)) {
            b->comings = comings;
            serve(b, group, who);
            comings = b->comings;
            continue;
        }
        worm *w = (worm *)(void *)(pool + who);
        const unsigned step = w->step, face = (unsigned)(word >> (group & 63)) ^ w->even >> (step - 1);
        const unsigned which = (face & both) | (first ^ 1);
        const stride *s = &b->strides[w->apex][step];
        grants[s->kind]++;
        p->free_at[which] = NEVER;
        p->held[which] -= now;
        w->path[step] = 2 * group + which;
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
        } else {
            ((worm *)(void *)(pool + q->last))->next = who;
        }
        q->last = who;
    }
    b->comings = comings;
}

/* Space for what a cycle can bring forth. */
static bool make_room(butterfly *b) {
    uint64_t asks = (uint64_t)b->asks + 8, coming = 2 * ((uint64_t)b->asks + b->pending);
    return GROW(b, coming, coming) && GROW(b, entity, asks) && GROW(b, low, asks) && GROW(b, high, asks);
}

FEW_TURNS static void cycle(butterfly *b) {
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

/* Times grow small again, before they do not fit. */
static void rebase(butterfly *b) {
    uint32_t past = (b->now - 1) & ~b->bucket_mask; /* so that events stay in their buckets */
    for (uint64_t g = 0; g < b->groups; g++) {
        port *p = &b->port[g];
        for (unsigned i = 0; i < 2; i++) {
            if (p->free_at[i] == NEVER)
                p->held[i] += past;
            else
                p->free_at[i] = p->free_at[i] > past ? p->free_at[i] - past : 0;
        }
        p->asked = p->asked > past ? p->asked - past : 0;
    }
    for (uint32_t i = 0; i < b->events; i++) b->event[i].time -= past;
    b->epoch += past;
    b->now -= past;
}

/* The next cycle in which something happens, at most until. */
static uint64_t next_cycle(const butterfly *b, uint64_t until) {
    uint64_t now = clock_of(b), next = b->birth < until ? b->birth : until;
    if (b->asks || next <= now) return now;
    for (uint64_t c = now; b->pending && c < next && c <= now + b->bucket_mask; c++)
        if (b->bucket[(b->now + (c - now)) & b->bucket_mask] != NOBODY) return c;
    return next;
}

static bough_status advance(worm_engine *engine, uint64_t until, uint64_t want, const worm_delivery **out,
                            uint64_t *count, bough_error *error) {
    butterfly *b = (butterfly *)engine;
    b->error = error;
    b->outs = 0;
    while (clock_of(b) < until && b->outs < want && !b->status) {
        bool idle = !b->asks && !b->pending;
        uint64_t next = next_cycle(b, until);
        if (idle && b->birth == BOUGH_NONE) next = b->last_free < until ? b->last_free : until;
        if (next > clock_of(b)) {
            uint64_t ahead = next - clock_of(b), most = REBASED;
            b->now += (uint32_t)(ahead < most ? ahead : most);
        }
        if (b->now >= REBASED) rebase(b);
        b->base.now = clock_of(b);
        if (idle && b->birth == BOUGH_NONE) break;
        if (clock_of(b) == until) break;
        cycle(b);
        b->now++;
        b->base.now = clock_of(b);
    }
    b->base.moves = b->moves;
    for (unsigned k = 0; k < 2 * LEVELS; k++) b->base.moves += b->grants[k];
    *out = b->out;
    *count = b->outs;
    return b->status;
}

/* ---- the tally ---- */

static void reset(worm_engine *engine) {
    butterfly *b = (butterfly *)engine;
    b->reset_at = b->base.now;
    b->moves = b->base.moves;
    memset(b->grants, 0, sizeof b->grants);
    memset(b->waited, 0, sizeof b->waited);
    for (uint64_t g = 0; g < b->groups; g++) {
        port *p = &b->port[g];
        for (unsigned i = 0; i < 2; i++)
            p->held[i] = p->free_at[i] == NEVER   ? -b->now
                         : p->free_at[i] > b->now ? p->free_at[i] - b->now
                                                  : 0;
    }
}

static void count(const worm_engine *engine, worm_tally *t) {
    const butterfly *b = (const butterfly *)engine;
    *t = (worm_tally){.cycles = b->base.now - b->reset_at,
                      .entered = b->grants[0], /* kind 0: up from level 0 */
                      .entry_waited = b->waited[0]};
    memcpy(t->grants, b->grants, sizeof b->grants);
    memcpy(t->waited, b->waited, sizeof b->waited);
    for (uint64_t g = 0; g < b->groups; g++)
        for (unsigned i = 0; i < links_of(b, (uint32_t)g); i++) {
            const port *p = &b->port[g];
            uint32_t held = p->held[i];
            uint64_t link = link_of(b, (uint32_t)g, i);
            if (p->free_at[i] == NEVER)
                held += b->now;
            else if (p->free_at[i] > b->now)
                held -= p->free_at[i] - b->now;
            worm_tally_link(t, link, worm_kind(b->net, link), held);
        }
}

/* Up and then down: nobody waits for himself. */
static bough_status stuck(worm_engine *engine, uint64_t *messages, uint64_t *link, uint64_t limit,
                          bough_error *error) {
    (void)engine;
    (void)link;
    (void)limit;
    (void)error;
    *messages = 0;
    return BOUGH_OK;
}

/* ---- memory ---- */

static uint32_t bucket_count(uint64_t flits) {
    uint32_t size = 64;
    while (size < flits + 2 * LEVELS + 2) size *= 2;
    return size;
}

static uint32_t words_of(const bough_net *net) {
    uint32_t words = (uint32_t)(sizeof(worm) / 4) + 2 * net->levels;
    return words + words % 2; /* offered wants 8 bytes */
}

bool worm_butterfly_fits(const bough_point *p, const worm_options *o) {
    const bough_stream_law *law = p->traffic->law;
    uint64_t flits = law ? bough_mul(law->flits, o->flits) : 0;
    return (p->net->gives & BOUGH_GIVES_BUTTERFLY) && p->routing->kind == &bough_routing_random &&
           !p->net->dead && p->net->levels < LEVELS && p->net->links < UINT32_MAX / 2 && law &&
           flits >= p->net->hops_max && flits <= 65536 && o->buffer == 1 && o->vcs == 1 && o->credit == 0 &&
           !o->detect;
}

uint64_t worm_butterfly_bytes(const bough_net *net, uint64_t messages) {
    return bough_add(bough_mul(net->groups, sizeof(port)),
                     bough_mul(messages, 4 * (uint64_t)words_of(net) + sizeof(event)));
}

static void destroy(worm_engine *engine) {
    butterfly *b = (butterfly *)engine;
    void *all[] = {b->port,  b->pool,  b->event, b->ask,    b->coming, b->bucket,
                   b->chain, b->order, b->out,   b->entity, b->low,    b->high};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(b);
}

static void start(worm_engine *engine, bough_key key, bough_source *source) {
    butterfly *b = (butterfly *)engine;
    b->key = key;
    b->source = source;
    b->base.now = b->base.offered = b->base.arrived = b->base.moves = 0;
    b->epoch = 0;
    b->now = 1;
    b->asks = b->comings = b->outs = b->events = b->pending = 0;
    b->used = b->last_free = 0;
    b->free_worm = b->free_event = NOBODY;
    b->birth = source->next_time(source);
    b->status = BOUGH_OK;
    memset(b->bucket, 0xff, ((size_t)b->bucket_mask + 1) * sizeof *b->bucket);
    for (uint64_t g = 0; g < b->groups; g++)
        b->port[g] = (port){.free_at = {0, links_of(b, (uint32_t)g) == 2 ? 0 : NEVER},
                            .head = NOBODY,
                            .tail = NOBODY,
                            .last = NOBODY};
    reset(engine);
}

static const worm_engine_ops ops = {destroy, start, advance, stuck, reset, count};

bough_status worm_butterfly_make(const bough_net *net, uint64_t flits, worm_engine **out,
                                 bough_error *error) {
    butterfly *b;
    *out = NULL;
    bough_status status = bough_alloc(&b, 1, sizeof *b, error);
    if (status) return status;
    *out = &b->base;
    b->base.ops = &ops;
    b->net = net;
    b->n = net->endpoints;
    b->below_roots = net->nodes - (net->endpoints >> (net->levels + 1));
    b->down = (uint32_t)(b->below_roots - 4 * b->n);
    plan_strides(b);
    for (unsigned l = 1; l <= net->levels; l++) b->first[l] = (uint32_t)(b->n / 2 * 3 - (b->n >> l));
    b->flits = (uint32_t)flits;
    b->words = words_of(net);
    b->groups = net->groups;
    b->bucket_mask = bucket_count(flits) - 1;
    status = large_alloc(&b->port, b->groups, sizeof *b->port, error);
    if (!status) status = bough_alloc(&b->bucket, (uint64_t)b->bucket_mask + 1, sizeof *b->bucket, error);
    return status;
}
