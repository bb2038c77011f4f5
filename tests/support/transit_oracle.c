#include "support/transit_oracle.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 4, WIRES = 2, LINKS_MAX = 512 };

/* A router, or half a one in dual mode: where its wires lead. */
typedef struct router {
    uint32_t to[DIRECTIONS][WIRES]; /* router, or processor behind the last layer */
    bool busy[DIRECTIONS][WIRES];
    uint8_t wires; /* of a direction: 2, in dual mode 1 */
    bool up;       /* else down */
    uint8_t level; /* of a down router: 1 .. 3 stages; of an up router: the lowest it crosses to */
} router;

/* A message on its way. */
typedef struct head {
    uint32_t destination, at; /* the router it stands at */
    uint8_t level;
    bool alive;
} head;

/* Wires that lead into a set of routers, in the order in which they are dealt out. */
typedef struct wire {
    uint32_t router;
    uint8_t direction, number;
} wire;

struct transit_oracle {
    unsigned stages;
    uint64_t random;
    router *router;
    uint32_t routers, processors;
    uint32_t *first_up; /* per processor: the router its wires lead to */
    uint32_t *order;    /* routers by rank: up layers, then down layers from the top */
    head *head;
    uint32_t *queue;
};

/* xorshift64* (Vigna) */
static uint64_t draw(transit_oracle *o) {
    uint64_t x = o->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    o->random = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}
static uint32_t below(transit_oracle *o, uint32_t n) {
    return (uint32_t)((draw(o) >> 32) * n >> 32);
}
static double chance(transit_oracle *o) {
    return (double)(draw(o) >> 11) * 0x1p-53;
}

static void shuffle(transit_oracle *o, uint32_t *item, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = below(o, i), t = item[i - 1];
        item[i - 1] = item[k];
        item[k] = t;
    }
}

/* ---- wiring ---- */

static uint32_t add_routers(transit_oracle *o, uint32_t count, bool up, unsigned level, unsigned wires) {
    uint32_t first = o->routers;
    for (uint32_t i = 0; i < count; i++)
        o->router[o->routers++] = (router){.up = up, .level = (uint8_t)level, .wires = (uint8_t)wires};
    return first;
}

/* Adds the wires of one direction of some routers, in random order of the routers. */
static uint32_t collect(transit_oracle *o, uint32_t first, uint32_t count, unsigned direction, wire *wires) {
    uint32_t order[LINKS_MAX], n = 0;
    for (uint32_t i = 0; i < count; i++) order[i] = first + i;
    shuffle(o, order, count);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < o->router[order[i]].wires; k++)
            wires[n++] = (wire){order[i], (uint8_t)direction, (uint8_t)k};
    return n;
}

/* Deals `count` wires to targets first .. first + targets - 1 in random rounds; `dealt` wires came before.
 * The two wires of a router come to different targets. */
static void deal(transit_oracle *o, const wire *wires, uint32_t count, uint32_t first, uint32_t targets,
                 uint32_t *round, uint32_t *dealt) {
    for (uint32_t i = 0; i < count; i++, ++*dealt) {
        uint32_t at = *dealt % targets;
        if (at == 0) {
            uint32_t last = round[targets - 1];
            do {
                for (uint32_t k = 0; k < targets; k++) round[k] = k;
                shuffle(o, round, targets);
            } while (targets > 1 && wires[i].number == 1 && round[0] == last);
        }
        const wire *w = &wires[i];
        o->router[w->router].to[w->direction][w->number] = first + round[at];
    }
}

/* A tree node of stage s is units[s] unit trees. What its children and its parent have to know of it. */
typedef struct unit {
    uint32_t up, down3, down1;
} unit;

/* Routers of layer 0 that serve a group, of layers 3, 2, 1 that serve a position of theirs. */
typedef struct shape {
    uint32_t up, down3, down2, down1;
} shape;

static unit make_unit(transit_oracle *o, unsigned stage) {
    const shape s = stage == 1 ? (shape){1, 8, 3, 2} : (shape){4, 32, 12, 4};
    unsigned low = 3 * stage - 2;
    wire wires[LINKS_MAX];
    uint32_t round[64], dealt;
    unit u;
    u.up = add_routers(o, 16 * s.up, true, low, WIRES);
    u.down3 = add_routers(o, s.down3, false, low + 2, WIRES);
    uint32_t down2 = add_routers(o, 4 * s.down2, false, low + 1, WIRES);
    u.down1 = add_routers(o, 16 * s.down1, false, low, stage == 1 ? 1 : WIRES);
    /* crossovers to the top: after the inputs from above, which come in whole rounds */
    dealt = 0;
    deal(o, wires, collect(o, u.up, 16 * s.up, 2, wires), u.down3, s.down3, round, &dealt);
    for (uint32_t region = 0; region < 4; region++) {
        dealt = 0;
        uint32_t to = down2 + region * s.down2;
        deal(o, wires, collect(o, u.down3, s.down3, region, wires), to, s.down2, round, &dealt);
        deal(o, wires, collect(o, u.up + 4 * region * s.up, 4 * s.up, 1, wires), to, s.down2, round, &dealt);
    }
    for (uint32_t group = 0; group < 16; group++) {
        dealt = 0;
        uint32_t to = u.down1 + group * s.down1;
        deal(o, wires, collect(o, down2 + group / 4 * s.down2, s.down2, group % 4, wires), to, s.down1, round,
             &dealt);
        deal(o, wires, collect(o, u.up + group * s.up, s.up, 0, wires), to, s.down1, round, &dealt);
    }
    return u;
}

/* Wires of one direction of the unit trees of a node, each of `per` routers from first[i] on: to other unit
 * trees, there to `inner` routers from target[i] on. */
static void join(transit_oracle *o, const uint32_t *first, uint32_t units, uint32_t per, unsigned direction,
                 const uint32_t *target, uint32_t targets, uint32_t inner) {
    uint32_t outer_round[64], dealt = 0;
    uint32_t(*round)[32] = calloc(targets, sizeof *round), *arrived = calloc(targets, sizeof *arrived);
    wire wires[LINKS_MAX];
    for (uint32_t i = 0; i < units; i++) {
        uint32_t count = collect(o, first[i], per, direction, wires);
        deal(o, wires, count, 0, targets, outer_round, &dealt);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t *to = &o->router[wires[k].router].to[direction][wires[k].number], t = *to;
            if (targets == 1)
                deal(o, &wires[k], 1, target[t], inner, round[t], &arrived[t]);
            else { /* its twin is in another unit tree */
                wire alone = {wires[k].router, wires[k].direction, 0};
                uint32_t kept = o->router[alone.router].to[direction][0];
                deal(o, &alone, 1, target[t], inner, round[t], &arrived[t]);
                uint32_t found = o->router[alone.router].to[direction][0];
                o->router[alone.router].to[direction][0] = kept;
                *to = found;
            }
        }
    }
    free(round);
    free(arrived);
}

/* The unit trees of the tree node of a stage over processors from `first` on, and all below. */
static void make_node(transit_oracle *o, unsigned stage, uint32_t first, unit *units, uint32_t *count) {
    *count = stage == 1 ? 1 : 1u << (4 * stage - 6);
    for (uint32_t u = 0; u < *count; u++) units[u] = make_unit(o, stage);
    if (stage == 1) {
        for (uint32_t i = 0; i < 64; i++) o->first_up[first + i] = units->up + i / 4;
        for (uint32_t r = 0; r < 32; r++)
            for (unsigned d = 0; d < 4; d++) o->router[units->down1 + r].to[d][0] = first + r / 2 * 4 + d;
        return;
    }
    uint32_t size = 1;
    for (unsigned s = 1; s < stage; s++) size *= 64;
    unit *below_units = calloc(64, sizeof *below_units);
    for (uint32_t child = 0; child < 64; child++) {
        uint32_t n, from[64], to[64];
        make_node(o, stage - 1, first + child * size, below_units, &n);
        for (uint32_t u = 0; u < n; u++) from[u] = below_units[u].up;
        for (uint32_t u = 0; u < *count; u++) to[u] = units[u].up + child / 4 * 4;
        join(o, from, n, stage == 2 ? 16 : 64, 3, to, *count, 4);
        for (uint32_t u = 0; u < *count; u++) from[u] = units[u].down1 + child / 4 * 4;
        for (uint32_t u = 0; u < n; u++) to[u] = below_units[u].down3;
        join(o, from, *count, 4, child % 4, to, n, stage == 2 ? 8 : 32);
    }
    free(below_units);
}

static int rank_of(const router *r, unsigned stages) {
    return r->up ? (int)(r->level + 2) / 3 : (int)(stages + 3 * stages + 1) - r->level;
}

transit_oracle *transit_oracle_make(unsigned stages, uint64_t seed) {
    transit_oracle *o = calloc(1, sizeof *o);
    uint32_t most = 0, count;
    o->stages = stages;
    o->random = seed * 2 + 1;
    for (int i = 0; i < 8; i++) draw(o);
    o->processors = 1;
    for (unsigned s = 0; s < stages; s++) o->processors *= 64;
    most = 2 * o->processors; /* more than there are */
    o->router = calloc(most, sizeof *o->router);
    o->first_up = calloc(o->processors, sizeof *o->first_up);
    o->head = calloc(2 * (size_t)o->processors, sizeof *o->head);
    unit *units = calloc(64, sizeof *units);
    make_node(o, stages, 0, units, &count);
    free(units);
    o->order = calloc(o->routers, sizeof *o->order);
    o->queue = calloc(2 * (size_t)o->processors, sizeof *o->queue);
    uint32_t n = 0;
    for (int rank = 1; rank <= (int)(4 * stages); rank++)
        for (uint32_t r = 0; r < o->routers; r++)
            if (rank_of(&o->router[r], stages) == rank) o->order[n++] = r;
    return o;
}

void transit_oracle_free(transit_oracle *o) {
    if (!o) return;
    free(o->router);
    free(o->first_up);
    free(o->order);
    free(o->head);
    free(o->queue);
    free(o);
}

/* ---- one attempt ---- */

static uint32_t random_destination(transit_oracle *o, uint32_t source, unsigned level) {
    uint32_t outer = 1u << (2 * level), inner = outer / 4;
    uint32_t first = source / outer * outer, mine = source / inner * inner;
    uint32_t d = first + below(o, outer - inner);
    return d >= mine ? d + inner : d;
}

/* Up: how far above the router's own group the message turns. Down: the child. */
static unsigned direction_of(const router *r, const head *h) {
    if (!r->up) return h->destination >> (2 * (r->level - 1)) & 3;
    unsigned over = h->level - r->level;
    return over < 3 ? over : 3;
}

/* All heads at a router: those that want one direction in random order, each takes a random free wire. */
static void serve(transit_oracle *o, uint32_t at, uint32_t *heads, uint32_t count, uint64_t *delivered) {
    router *r = &o->router[at];
    shuffle(o, heads, count);
    for (uint32_t i = 0; i < count; i++) {
        head *h = &o->head[heads[i]];
        unsigned d = direction_of(r, h), free_wires[WIRES], n = 0;
        for (unsigned k = 0; k < r->wires; k++)
            if (!r->busy[d][k]) free_wires[n++] = k;
        if (!n) { /* blocked: discarded; what it took stays taken */
            h->alive = false;
            continue;
        }
        unsigned k = free_wires[below(o, n)];
        r->busy[d][k] = true;
        if (!r->up && r->level == 1) {
            h->alive = false;
            delivered[h->level] += r->to[d][k] == h->destination;
        } else {
            h->at = r->to[d][k];
        }
    }
}

void transit_oracle_attempt(transit_oracle *o, double p, bool line, const double *share, uint64_t *asked,
                            uint64_t *delivered) {
    uint32_t heads = 0;
    for (uint32_t r = 0; r < o->routers; r++) memset(o->router[r].busy, 0, sizeof o->router[r].busy);
    for (uint32_t s = 0; s < o->processors; s++)
        for (int w = 0; w < (line ? 2 : 1); w++) {
            if (chance(o) >= p) continue;
            double u = chance(o);
            unsigned level = 1;
            while (level < 3 * o->stages && u >= share[level]) u -= share[level++];
            asked[level]++;
            o->head[heads++] = (head){random_destination(o, s, level), o->first_up[s], (uint8_t)level, true};
        }
    /* heads at each router: those of a rank are put together, rank by rank, as a list by router */
    uint32_t *next = o->queue, *first = malloc((o->routers + 1) * sizeof *first), list[64];
    for (uint32_t i = 0; i < o->routers;) {
        int rank = rank_of(&o->router[o->order[i]], o->stages);
        for (uint32_t r = 0; r < o->routers; r++) first[r] = UINT32_MAX;
        for (uint32_t h = 0; h < heads; h++)
            if (o->head[h].alive) next[h] = first[o->head[h].at], first[o->head[h].at] = h;
        for (; i < o->routers && rank_of(&o->router[o->order[i]], o->stages) == rank; i++) {
            uint32_t count = 0;
            for (uint32_t h = first[o->order[i]]; h != UINT32_MAX && count < 64; h = next[h])
                list[count++] = h;
            serve(o, o->order[i], list, count, delivered);
        }
    }
    free(first);
}
