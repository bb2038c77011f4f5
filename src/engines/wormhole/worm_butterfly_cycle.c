#include "engines/wormhole/worm_butterfly_state.h"

uint64_t butterfly_link(const butterfly *b, uint32_t group, unsigned which) {
    if (group < b->n) return group;
    if (group < b->below_roots) return 2 * (uint64_t)group - b->n + which;
    return group - b->below_roots + 2 * b->below_roots - b->n;
}

/* ---- the calendar ---- */

void butterfly_schedule(butterfly *b, uint32_t time, uint32_t group) {
    uint32_t slot = b->free_event;
    if (slot != NONE) {
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

/* ---- heads move on ---- */

/* Frequently used fields in local variables: the compiler must assume that every store to a port or a worm
 * may modify the engine. */
typedef struct registers {
    port *ports;
    uint32_t *pool;
    request *coming;       /* end of the list */
    head_arrival *arrival; /* likewise */
    uint64_t *entity;
    uint32_t now, n, pairs, sink, coins;
} registers;

static INLINE registers load_registers(const butterfly *b) {
    request *coming = b->coming + b->coming_count;
    head_arrival *arrival = b->arrival + b->arrival_count;
    uint32_t n = (uint32_t)b->n;
    return (registers){b->port, b->pool, coming, arrival, b->entity, b->now, n, b->pairs, b->sink, b->coins};
}

static INLINE void store_registers(butterfly *b, const registers *r) {
    b->coming_count = (uint32_t)(r->coming - b->coming);
    b->arrival_count = (uint32_t)(r->arrival - b->arrival);
    b->coins = r->coins;
}

/* The head takes a link. Returns the group at the end of the link. */
static INLINE uint32_t cross(butterfly *b, const registers *r, worm *w, uint32_t group, unsigned which) {
    port *p = &r->ports[group];
    const uint32_t stage = w->stage, step = stage % STEPS;
    const path_step *s = &b->path_steps[stage + 1];
    b->grants[stage]++;
    p->free_at[which] = NEVER;
    p->held[which] -= r->now;
    w->path[step] = 8 * group + which;
    w->stage = stage + 1;
    const uint32_t root = w->root ^ which << step >> 1;
    w->root = root;
    return w->path[step + 1] + ((root & s->mask) << s->shift);
}

/* The head requests a link there in the next cycle, or has arrived. ahead: coins need not be recorded. */
static INLINE void request_next(registers *r, uint32_t group, uint32_t who, const bool ahead) {
    const uint32_t then = r->now + 1, in = group == r->sink;
    port *p = &r->ports[group];
    if (p->latest == then) {
        ((worm *)(void *)(r->pool + p->last))->next = who;
        p->last = who;
        return;
    }
    p->latest = then & (in - 1); /* the sink receives no requests */
    p->last = who;
    *r->coming = (request){group, who};
    *r->arrival = (head_arrival){who, r->now};
    r->coming += in ^ 1;
    r->arrival += in;
    if (!ahead) {
        r->entity[r->coins] = group >> 7;
        r->coins += group - r->n < r->pairs;
    }
}

/* The head moves on from where it has waited. */
static void take(butterfly *b, uint32_t group, unsigned which, uint32_t who) {
    worm *w = worm_at(b, who);
    registers r = load_registers(b);
    const uint32_t wait = (uint32_t)clock_of(b) - w->since;
    b->waited[b->path_steps[w->stage].kind] += wait;
    if (w->stage % STEPS == 0) w->entry = wait;
    request_next(&r, cross(b, &r, w, group, which), who, b->coin_cycles > 0);
    store_registers(b, &r);
}

/* ---- the general case ---- */

static uint32_t input_of(const butterfly *b, const worm *w) {
    if (w->stage % STEPS == 0) return BOUGH_SOURCE_PORT;
    uint32_t last = w->path[w->stage % STEPS - 1];
    return b->net->ops->link_end(b->net, butterfly_link(b, last >> 3, last & 1)).port;
}

static bool before(const butterfly *b, const worm *x, const worm *y) {
    uint32_t p = input_of(b, x), q = input_of(b, y);
    return p < q || (p == q && x->id < y->id);
}

/* Appends the arrivals of this cycle, starting with `first`, to the queue in keyed random order. */
static void queue_up(butterfly *b, uint32_t group, uint32_t first) {
    port *p = &b->port[group];
    uint32_t count = 0;
    for (uint32_t who = first; who != NONE; who = worm_at(b, who)->next) {
        if (!GROW(b, chain, count + 1)) return;
        b->chain[count++] = who;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t who = b->chain[i], j = i;
        for (; j > 0 && before(b, worm_at(b, who), worm_at(b, b->chain[j - 1])); j--)
            b->chain[j] = b->chain[j - 1];
        b->chain[j] = who;
    }
    if (!GROW(b, order, count)) return;
    bough_arbitration_order(b->key, group, clock_of(b), count, b->order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t who = b->chain[b->order[i]];
        worm_at(b, who)->next = NONE;
        worm_at(b, who)->since = (uint32_t)clock_of(b);
        if (p->head == NONE)
            p->head = who;
        else
            worm_at(b, p->tail)->next = who;
        p->tail = who;
    }
}

static unsigned coin(const butterfly *b, uint32_t group, const worm *w) {
    return bough_bit(b->key, BOUGH_DRAW_PICK_BIT, group, clock_of(b)) ^ (input_of(b, w) & 1);
}

/* Serves the queue of a group where a worm arrived (first) or a link became free (NONE). */
static void serve(butterfly *b, uint32_t group, uint32_t first) {
    port *p = &b->port[group];
    bool waited = p->head != NONE, open = false;
    unsigned served = 0;
    if (first != NONE) queue_up(b, group, first);
    while (p->head != NONE && !b->status) {
        bool a = p->free_at[0] <= b->now, c = p->free_at[1] <= b->now;
        if (!a && !c) break;
        open = true;
        uint32_t who = p->head;
        p->head = worm_at(b, who)->next;
        worm_at(b, who)->next = NONE;
        take(b, group, a && c ? coin(b, group, worm_at(b, who)) : c, who);
        if (++served == 2) break;
    }
    if (p->head == NONE || (waited && !open)) return;
    uint32_t soonest = NEVER;
    for (unsigned i = 0; i < 2; i++)
        if (p->free_at[i] > b->now && p->free_at[i] < soonest) soonest = p->free_at[i];
    if (soonest != NEVER) butterfly_schedule(b, soonest, group);
}

/* ---- a cycle ---- */

/* Adds the requests of messages offered in this cycle. The first two are processed whether or not their time
 * has come. */
static inline void start_messages(butterfly *b) {
    const uint64_t cycle = clock_of(b);
    for (;;) {
        if (b->future_at == b->future_count) butterfly_take_messages(b);
        if (b->status || !GROW(b, request, b->request_count + 2)) return;
        const future_message *n = b->future + b->future_at;
        request *a = b->request + b->request_count;
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t come = n->time <= cycle;
            *a = (request){n->source, n->who};
            b->port[n->source].last = n->last;
            a += come;
            n += come;
        }
        b->request_count = (uint32_t)(a - b->request);
        b->future_at = (uint32_t)(n - b->future);
        if (n->time > cycle && (b->future_at < b->future_count || b->future_count == 0)) return;
    }
}

/* The coins of this cycle, by group / 64, of all pairs. */
static inline const uint64_t *coins_ahead(butterfly *b) {
    uint64_t row = clock_of(b) - b->coin_from;
    if (row >= b->coin_cycles) {
        b->coin_from = clock_of(b);
        bough_draw draw = {b->key, BOUGH_DRAW_PICK_BIT, b->coin_from};
        bough_words(&draw, b->coin_block, b->coin_row, COINS, b->coin);
        row = 0;
    }
    return b->coin + b->coin_words * row;
}

/* Draws a coin for each pair that is requested, together, needed or not. */
FEW_ITERATIONS static void draw_coins(butterfly *b) {
    uint32_t coins = b->coins;
    b->coins = 0;
    if (coins == 0) return;
    while (coins % 8) b->entity[coins++] = 0; /* eight at once cost the same */
    bough_blocks(&(bough_draw){b->key, BOUGH_DRAW_PICK_BIT, clock_of(b)}, b->entity, coins, b->low, b->high);
}

/* Serves all requests of this cycle. ahead: all coins are drawn; else those of requested pairs, in order. */
FEW_ITERATIONS static INLINE void serve_requests(butterfly *b, const bool ahead) {
    const request *a = b->request, *const end = a + b->request_count;
    const uint64_t *const coin = ahead ? coins_ahead(b) : NULL, *low = b->low, *high = b->high;
    const uint32_t wrap = b->coin_words - 1;
    registers r = load_registers(b);
    for (; a < end; a++) {
        const uint32_t group = a->group, who = a->who;
        port *p = &r.ports[group];
        const unsigned first = p->free_at[0] <= r.now, second = p->free_at[1] <= r.now;
        uint64_t word;
        if (ahead) {
            word = coin[group >> 6 & wrap];
        } else {
            const uint32_t *then = r.pool + a[a + AHEAD < end ? AHEAD : 0].who, pair = group - r.n < r.pairs;
            __builtin_prefetch(then, 1);
            __builtin_prefetch(then + 16, 1);
            word = *low ^ ((*low ^ *high) & -(uint64_t)(group >> 6 & 1));
            low += pair;
            high += pair;
        }
        if ((p->head != NONE) | (p->last != who) | !(first | second)) {
            store_registers(b, &r);
            serve(b, group, who);
            r = load_registers(b);
            continue;
        }
        worm *w = (worm *)(void *)(r.pool + who);
        const unsigned face = (unsigned)(word >> (group & 63)) ^ w->even << 1 >> w->stage % STEPS;
        const unsigned which = (face & first & second) | (first ^ 1);
        request_next(&r, cross(b, &r, w, group, which), who, ahead);
    }
    store_registers(b, &r);
}

/* Reserves memory for all that a cycle can produce. */
static inline bool make_room(butterfly *b) {
    const uint64_t coming = 2 * ((uint64_t)b->request_count + b->pending) + 8;
    if (coming <= b->room && b->arrival_count + coming <= b->arrival_capacity) return true;
    b->room = coming;
    return GROW(b, coming, coming) && GROW(b, request, coming) &&
           GROW(b, arrival, b->arrival_count + coming) && GROW(b, entity, coming) && GROW(b, low, coming) &&
           GROW(b, high, coming);
}

NEWER FEW_ITERATIONS void butterfly_cycle(butterfly *b) {
    start_messages(b);
    uint32_t *bucket = &b->bucket[b->now & b->bucket_mask], slot = *bucket;
    if (b->status || !make_room(b)) return;
    bool none = b->arrival_count == 0;
    if (b->coin_cycles) {
        serve_requests(b, true);
    } else {
        draw_coins(b);
        serve_requests(b, false);
    }
    *bucket = NONE;
    while (slot != NONE && !b->status) {
        event e = b->event[slot];
        b->event[slot].next = b->free_event;
        b->free_event = slot;
        b->pending--;
        serve(b, e.group, NONE);
        slot = e.next;
    }
    b->release_by = none ? b->now + b->slack : b->release_by;
    request *was = b->request;
    size_t capacity = b->request_capacity;
    b->request = b->coming;
    b->request_capacity = b->coming_capacity;
    b->request_count = b->coming_count;
    b->coming = was;
    b->coming_capacity = capacity;
    b->coming_count = 0;
}
