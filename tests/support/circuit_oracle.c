/* Labels. n = 2^h. Router (l, x, P): level l (0 joins two leaves), subtree x = endpoint >>
 * (l+1), and the choices P = p_{l-1}..p_0 that lead to it. A link of level l lies above the 2^l leaves of a
 * subtree; its number is the leaf (the source going up, the destination going down) with the low l bits
 * replaced by P. */
#include "support/circuit_oracle.h"

#include <stdlib.h>
#include <string.h>

#define HELD UINT64_MAX

typedef struct link_state {
    uint64_t free_from; /* can be taken from this cycle on; HELD: nobody knows yet */
    bool beside;        /* whoever took it last came from a port below */
    bool asked_beside;  /* since the round began, or since it was taken: from a port below, */
    uint32_t asked[2];  /* and the first two messages from above */
    unsigned asks;
} link_state;

typedef struct head {
    uint32_t s, t, P;
    unsigned L, K, k;    /* k: the router (1..K) where it decides next */
    uint64_t start, lag; /* lag: cycles in wires on the way to router k */
    bool waiting, done;  /* waiting: for the next round */
    unsigned met;        /* the router where it was last found waiting for a link */
    uint32_t before;     /* the choices of the attempt before, */
    unsigned known;      /* and how many there were */
} head;

typedef struct world {
    const bough_net *net;
    const oracle_ask *ask;
    bough_key key;
    unsigned h;
    uint32_t n, m;
    head *head;
    link_state *up, *down; /* [level * n + number] */
    uint64_t *router; /* [l * n + number of the link under it without its own bit]: node ids for the coins */
    uint64_t round;
    uint8_t *granted, *refused, *held; /* of this cycle, if it is watched */
    oracle_fate *fate;
    oracle_result *result;
} world;

static uint64_t forward(const world *w) {
    return w->ask->forward ? w->ask->forward : 2;
}

static uint64_t back(const world *w) {
    return w->ask->back ? w->ask->back : 1;
}

static uint32_t replaced(uint32_t leaf, uint32_t P, unsigned l) {
    uint32_t mask = (UINT32_C(1) << l) - 1;
    return (leaf & ~mask) | (P & mask);
}

/* The output link of router j of a head's path; its choices up to there are made. */
static link_state *output(world *w, const head *q, unsigned j) {
    if (j <= q->L) return &w->up[j * w->n + replaced(q->s, q->P, j)];
    unsigned l = 2 * q->L + 1 - j;
    return &w->down[l * w->n + replaced(q->t, q->P, l)];
}

static unsigned router_level(const head *q, unsigned k) {
    return k <= q->L + 1 ? k - 1 : 2 * q->L + 1 - k;
}

/* 0: port a (left child), 1: port b, 2 and 3: from above by choice bit. */
static uint32_t input_port(const head *q) {
    unsigned l = router_level(q, q->k);
    return q->k <= q->L + 1 ? q->s >> l & 1 : 2 + (q->P >> l & 1);
}

static bool goes_up(const head *q) {
    return q->k <= q->L;
}

/* When router k decides: a cycle, or without a clock the rank of its group (levels as in the API: one more).
 */
static uint64_t due(const world *w, const head *q) {
    if (w->ask->mode != ORACLE_ATTEMPT) return q->start + forward(w) * (q->k - 1) + q->lag;
    return goes_up(q) ? q->k : 2 * w->h - (router_level(q, q->k) + 1);
}

/* The node of router k. */
static uint64_t router_of(const world *w, const head *q) {
    unsigned l = router_level(q, q->k);
    uint32_t below = q->k <= q->L + 1 ? q->s : q->t;
    return w->router[l * w->n + replaced(below >> 1, q->P, l)];
}

static uint64_t group_id(const world *w, const head *q) {
    bough_route route;
    w->net->ops->route(w->net, router_of(w, q), q->t, &route);
    return route.group;
}

/* Cycles in the wire between router j and the next one; j = 0: between the source and router 1. */
static uint64_t wire(const world *w, const head *q, unsigned j) {
    head at = *q;
    bough_route route;
    at.k = j;
    if (!w->ask->wire) return 0;
    if (j == 0) return w->ask->wire[bough_injection_link(w->net, q->s)];
    w->net->ops->route(w->net, router_of(w, &at), q->t, &route);
    return w->ask->wire[bough_route_link(&route, goes_up(&at) ? q->P >> (j - 1) & 1 : 0)];
}

/* Cycles that a notification takes from the far end of router j's output link, j <= last, to the source, or
 * until it has freed the link of router `first`. */
static uint64_t way_back(const world *w, const head *q, unsigned first, unsigned last) {
    uint64_t sum = 0;
    for (unsigned j = first; j <= last; j++) sum += wire(w, q, j) + (j ? back(w) : 0);
    return sum;
}

static bool same_group(const head *a, const head *b) {
    unsigned l = router_level(a, a->k);
    if (goes_up(a) != goes_up(b) || l != router_level(b, b->k)) return false;
    if (goes_up(a)) return replaced(a->s >> 1, a->P, l) == replaced(b->s >> 1, b->P, l);
    return replaced(a->t, a->P, l) == replaced(b->t, b->P, l);
}

/* Slots that a message waits after this attempt. */
static uint64_t slots(const world *w, const head *q, uint64_t attempt) {
    uint64_t who = (uint64_t)(q - w->head), range = 1, bound = w->ask->bound ? w->ask->bound : 1024,
             passed = 0;
    if (w->ask->retry == ORACLE_BACKOFF) {
        for (uint64_t i = 0; i < attempt && range < bound; i++) range *= 2;
        if (range > bound) range = bound;
        return bough_scale(bough_word(w->key, BOUGH_DRAW_BACKOFF, who, attempt), range);
    }
    if (w->ask->retry != ORACLE_PERSISTENT) return 0;
    while ((double)(bough_word(w->key, BOUGH_DRAW_BACKOFF, who, attempt | (passed + 1) << 32) >> 11) *
               0x1p-53 >=
           w->ask->p)
        passed++;
    return passed;
}

static void again(world *w, head *q, uint64_t learned) {
    uint64_t attempt = w->fate[q - w->head].attempts, who = (uint64_t)(q - w->head), jitter = 0;
    q->before = q->P;
    q->known = q->k - 1 < q->L ? q->k - 1 : q->L;
    if (w->ask->mode != ORACLE_CYCLES || w->ask->retry == ORACLE_ROUND) {
        q->waiting = true;
        return;
    }
    if (w->ask->jitter)
        jitter = bough_scale(bough_word(w->key, BOUGH_DRAW_BACKOFF, who, attempt | UINT64_C(1) << 63),
                             w->ask->jitter + 1);
    q->start = learned + 1 + slots(w, q, attempt) * w->ask->slot + jitter;
    q->k = 1;
    q->P = 0;
    q->lag = wire(w, q, 0);
}

static void end_at(world *w, uint64_t cycle) {
    if (cycle > w->result->cycles) w->result->cycles = cycle;
}

static bool three_ask(const link_state *link) {
    return link->asked_beside && link->asks >= 2;
}

static void note_request(world *w, const head *q, link_state *link) {
    bool before = three_ask(link);
    uint32_t who = (uint32_t)(q - w->head);
    if (goes_up(q)) return;
    if (input_port(q) < 2) link->asked_beside = true;
    unsigned i = 0;
    while (i < link->asks && link->asked[i] != who) i++;
    if (input_port(q) >= 2 && i == link->asks && i < 2) link->asked[link->asks++] = who;
    w->result->scenario[3] += !before && three_ask(link);
}

static void refuse(world *w, head *q, link_state *link, uint64_t cycle) {
    unsigned scenario = goes_up(q) ? 0 : link->beside || input_port(q) < 2 ? 2 : 1;
    if (q->met != q->k) note_request(w, q, link);
    if (q->met != q->k) w->result->scenario[scenario]++;
    if (w->ask->wait) {
        q->met = q->k;
        q->start++;
        return;
    }
    w->fate[q - w->head].attempts++;
    if (w->ask->discard) cycle += w->ask->payload;
    for (unsigned j = 1; j < q->k && w->ask->mode != ORACLE_ATTEMPT && !w->ask->keep; j++)
        output(w, q, j)->free_from = cycle + way_back(w, q, j, q->k - 1);
    uint64_t learned = cycle + back(w) + way_back(w, q, 0, q->k - 1);
    end_at(w, learned);
    if (w->ask->give_up && w->fate[q - w->head].attempts == w->ask->give_up)
        q->done = true;
    else
        again(w, q, learned);
}

/* Whether a delivered message lets its links go before the round ends. */
static bool acknowledges(const oracle_ask *ask) {
    return ask->hold == ORACLE_DEFAULT ? ask->mode == ORACLE_CYCLES : ask->hold == ORACLE_ACK;
}

static void deliver(world *w, head *q) {
    oracle_fate *fate = &w->fate[q - w->head];
    uint64_t tail = q->start + forward(w) * q->K + q->lag + w->ask->payload;
    fate->attempts++;
    fate->delivered = q->done = true;
    fate->time = tail;
    fate->round = w->round + 1;
    for (unsigned j = 1; j <= q->K && acknowledges(w->ask); j++)
        output(w, q, j)->free_from = tail + way_back(w, q, j, q->K);
    end_at(w, tail + way_back(w, q, 0, q->K));
}

static void take(world *w, head *q, link_state *link) {
    bool rounds = w->ask->mode != ORACLE_CYCLES || w->ask->retry == ORACLE_ROUND;
    if (!rounds) link->asks = 0, link->asked_beside = false;
    note_request(w, q, link);
    link->free_from = HELD;
    link->beside = input_port(q) < 2;
    q->lag += wire(w, q, q->k);
    if (q->k++ == q->K) deliver(w, q);
}

/* Among equals the order stays as drawn. */
static void veterans_first(const world *w, head *const *asking, uint32_t count, uint32_t *order) {
    for (uint32_t a = 1; a < count; a++)
        for (uint32_t b = a; b > 0; b--) {
            uint32_t t = order[b];
            if (w->fate[asking[t] - w->head].attempts <= w->fate[asking[order[b - 1]] - w->head].attempts)
                break;
            order[b] = order[b - 1];
            order[b - 1] = t;
        }
}

/* Serves all heads that ask for the links of one router in one direction in this cycle; they are in port
 * order. */
static void serve(world *w, head **asking, uint32_t count, uint64_t cycle) {
    uint64_t group = group_id(w, asking[0]);
    uint64_t occasion = w->ask->mode == ORACLE_ROUNDS ? w->round << 32 | cycle : cycle;
    uint32_t order[4] = {0, 1, 2, 3};
    bool up = goes_up(asking[0]);
    uint32_t bit = UINT32_C(1) << (asking[0]->k - 1); /* of the choice, going up */
    uint32_t free_links = 0;
    link_state *link[2];
    for (uint32_t i = 0; i < (up ? 2u : 1u); i++) {
        head probe = *asking[0];
        if (up) probe.P = i ? probe.P | bit : probe.P & ~bit;
        link[i] = output(w, &probe, probe.k);
        free_links += link[i]->free_from <= cycle;
    }
    if (count > free_links || (count > 1 && up && w->ask->same_way))
        bough_arbitration_order(w->key, group, occasion, count, order);
    if (count > free_links && w->ask->veterans) veterans_first(w, asking, count, order);
    for (uint32_t i = 0; i < count; i++) {
        head *q = asking[order[i]];
        uint32_t choice = 0;
        if (up) {
            bool both = link[0]->free_from <= cycle && link[1]->free_from <= cycle;
            choice = both ? bough_bit(w->key, BOUGH_DRAW_PICK_BIT, group, occasion) ^ (input_port(q) & 1)
                          : link[0]->free_from > cycle;
            if (both && w->ask->same_way && q->k <= q->known) choice = q->before >> (q->k - 1) & 1;
            q->P = choice ? q->P | bit : q->P & ~bit;
        }
        bool free = link[choice]->free_from <= cycle;
        if (w->ask->watch)
            (free ? w->granted : w->refused)[router_of(w, q) - w->n] |= (uint8_t)(1 << input_port(q));
        if (free)
            take(w, q, link[choice]);
        else
            refuse(w, q, link[choice], cycle);
    }
}

/* The links of router (l, x): down to the leaves below it, up with the choice bit of its level. */
static void report(world *w, uint64_t cycle) {
    for (unsigned l = 0; l < w->h; l++)
        for (uint32_t x = 0; x < w->n; x++) {
            uint32_t low = (UINT32_C(1) << l) - 1, leaf = (x & ~low) << 1 | (x & low);
            if (leaf >= w->n) continue;
            uint8_t *held = &w->held[w->router[l * w->n + x] - w->n];
            for (unsigned i = 0; i < 2; i++) {
                uint32_t number = leaf | i << l;
                *held |= (uint8_t)((w->down[l * w->n + number].free_from > cycle) << i);
                if (l + 1 < w->h)
                    *held |= (uint8_t)((w->up[(l + 1) * w->n + number].free_from > cycle) << (2 + i));
            }
        }
    w->ask->watch->cycle(w->ask->watch, &(oracle_cycle){w->granted, w->refused, w->held});
    memset(w->granted, 0, w->n * w->h);
    memset(w->refused, 0, w->n * w->h);
    memset(w->held, 0, w->n * w->h);
}

/* Everything that happens in one cycle. Whatever is let go is free later, so the order of groups does not
 * matter. */
static void step(world *w, uint64_t cycle) {
    bool *now = calloc(w->m + 1, sizeof *now);
    if (!now) abort();
    for (uint32_t i = 0; i < w->m; i++) {
        head *q = &w->head[i];
        now[i] = !q->done && !q->waiting && due(w, q) == cycle;
    }
    for (uint32_t i = 0; i < w->m; i++) {
        if (!now[i]) continue;
        head *asking[4], at = w->head[i];
        uint32_t count = 0;
        for (uint32_t j = i; j < w->m; j++) {
            if (!now[j] || !same_group(&at, &w->head[j])) continue;
            now[j] = false;
            if (count == 4) abort(); /* four ports, and each holds one head */
            asking[count++] = &w->head[j];
        }
        for (uint32_t a = 1; a < count; a++)
            for (uint32_t b = a; b > 0 && input_port(asking[b]) < input_port(asking[b - 1]); b--) {
                head *t = asking[b];
                asking[b] = asking[b - 1];
                asking[b - 1] = t;
            }
        serve(w, asking, count, cycle);
    }
    free(now);
    if (w->ask->watch) report(w, cycle);
}

static void free_links(world *w) {
    for (uint32_t i = 0; i < w->n * (w->h + 1); i++) w->up[i] = w->down[i] = (link_state){0};
}

/* Starts the messages that wait for a round. False: none does. */
static bool start_round(world *w, uint64_t cycle) {
    bool any = false;
    for (uint32_t i = 0; i < w->m; i++) {
        head *q = &w->head[i];
        if (!q->waiting) continue;
        *q = (head){.s = q->s,
                    .t = q->t,
                    .L = q->L,
                    .K = q->K,
                    .k = 1,
                    .start = cycle,
                    .lag = wire(w, q, 0),
                    .before = q->before,
                    .known = q->known};
        any = true;
    }
    return any;
}

static bool moving(const world *w) {
    for (uint32_t i = 0; i < w->m; i++)
        if (!w->head[i].done && !w->head[i].waiting) return true;
    return false;
}

static void run(world *w) {
    uint64_t cycle = 0;
    while (start_round(w, cycle)) {
        for (; moving(w); cycle++) step(w, cycle);
        for (; w->ask->watch && cycle <= w->result->cycles; cycle++) step(w, cycle);
        w->round++;
        if (w->ask->mode == ORACLE_ATTEMPT) break;
        cycle = w->result->cycles + 1; /* everybody knows */
        if (w->ask->mode == ORACLE_ROUNDS) cycle = 0;
        free_links(w);
    }
}

/* Follows up-links from the leaves: the second of a router's two adds its level's bit. */
static void find_routers(world *w) {
    const bough_net_ops *o = w->net->ops;
    for (uint32_t x = 0; x < w->n; x++)
        for (unsigned l = 0; l < w->h; l++) {
            uint32_t P = x & ((UINT32_C(1) << l) - 1), leaf = x >> l << (l + 1);
            if (leaf >= w->n) continue;
            uint64_t node = leaf, away = leaf ^ (w->n >> 1);
            for (unsigned i = 0; i <= l; i++) {
                bough_route route;
                o->route(w->net, node, away, &route);
                node = o->link_end(w->net, bough_route_link(&route, i ? P >> (i - 1) & 1 : 0)).node;
            }
            w->router[l * w->n + x] = node;
        }
}

void circuit_oracle(const bough_net *net, const oracle_ask *ask, const uint32_t *source,
                    const uint32_t *destination, uint32_t m, bough_key key, oracle_fate *fate,
                    oracle_result *result) {
    world w = {.net = net,
               .ask = ask,
               .key = key,
               .n = (uint32_t)net->endpoints,
               .m = m,
               .fate = fate,
               .result = result};
    while (UINT32_C(1) << w.h < w.n) w.h++;
    size_t links = (size_t)w.n * (w.h + 1);
    w.head = calloc(m + 1, sizeof *w.head);
    w.up = calloc(links, sizeof *w.up);
    w.down = calloc(links, sizeof *w.down);
    w.router = calloc(links, sizeof *w.router);
    w.granted = calloc(links, 1);
    w.refused = calloc(links, 1);
    w.held = calloc(links, 1);
    if (!w.head || !w.up || !w.down || !w.router || !w.granted || !w.refused || !w.held) abort();
    *result = (oracle_result){0};
    for (uint32_t i = 0; i < m; i++) {
        head *q = &w.head[i];
        fate[i] = (oracle_fate){0};
        *q = (head){.s = source[i], .t = destination[i], .waiting = true};
        while ((q->s ^ q->t) >> 1 >> q->L) q->L++;
        q->K = 2 * q->L + 1;
    }
    find_routers(&w);
    run(&w);
    result->rounds = w.round;
    for (uint32_t i = 0; i < m; i++) {
        result->attempts += fate[i].attempts;
        result->first += fate[i].delivered && fate[i].attempts == 1;
    }
    free(w.head);
    free(w.up);
    free(w.down);
    free(w.router);
    free(w.granted);
    free(w.refused);
    free(w.held);
}
