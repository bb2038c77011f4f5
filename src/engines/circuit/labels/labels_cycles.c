/* Simulation of cycles with paths as labels.
 *
 * A message from s to t turns at its apex L, the highest bit in which they differ. Going up it makes the
 * choices p. The router of level l that it passes is (s >> (l+1)) << l | (p mod 2^l); its up links there are
 * that number and the face of the choice. Going down it requests link (t >> l) << l | (p mod 2^l) of level l
 * = L .. 0 (levels as in strumpen2005).
 *
 * Batches. A message that starts in cycle c0 is at level l of its way up in cycle c0 + 2l. The messages of
 * one start cycle and apex move in step and form the batch up[c0][L]. A message that turns in cycle c0 + 2L
 * requests level l in cycle e - 2l, e = c0 + 4L. These form the batch down[e], which joins messages of many
 * start cycles and apexes; all requests for a link in one cycle come from one batch. A message that is
 * refused at level l in cycle c frees its link of level l + i in cycle c + i: the batch back[c - l][L]. Then,
 * from level L - 1 of its way up, it frees level l in cycle r - 2 - l and restarts in cycle r: the batch
 * up[r][L], ahead of time. An acknowledgement returns in the same way. So in one cycle a batch accesses one
 * level, one or two bits per link, 128 or 256 KiB at n = 2^20. Only the way down needs arbitration.
 *
 * The way up is never refused. A message that came by the same port before has released its link of this
 * router before it released the link to this router, so at most the link of the other port is taken. If two
 * messages arrive together both links are free, and the first to be served leaves the other the face that the
 * coin selects for it. */
#include "engines/circuit/labels/labels_cycles.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/labels/labels_down.h"
#include "engines/circuit/labels/labels_up.h"
#include "traffic/patterns/batch_team.h"

#include <string.h>

#define RING 256 /* cycles covered by batches: 2h back, 2h ahead */

/* Parts. On the way up a message is in the part of its source's highest bit, on the way down in that of its
 * target: they have their own links. Only messages of the highest apex change the part. */
enum { PARTS = 2, PARTS_FROM = 10 }; /* PARTS_FROM: levels; below it the parts would share words */

typedef struct return_path {
    labels_batch up[RING][LABELS_LEVELS_MAX], down[RING][LABELS_LEVELS_MAX]; /* by apex */
} return_path;

/* What a thread needs. */
typedef struct cycle_worker {
    batch_pool pool;
    labels_down links;
    uint32_t *coins;                                /* scratch: coins of one level in one cycle */
    uint64_t attempts, claims, done, first, cycles; /* counts of the cycle */
} cycle_worker;

struct labels_cycles {
    unsigned h, parts; /* parts: 1 or PARTS */
    uint64_t messages, payload;
    uint64_t tail_ring;        /* mask of a ring that is a few cycles longer than the payload */
    return_path trying[PARTS]; /* up: also messages on their way up */
    return_path arrived[PARTS];
    labels_batch down[PARTS][RING];
    labels_batch *tail[PARTS]; /* [cycle in which the acknowledgement frees its first link] */
    batch_store store;
    cycle_worker **worker;
    unsigned workers, pools; /* pools: that the store provides for */
    uint64_t *state;         /* [level][link]: two bits (labels_down.h) */
    uint64_t *up_held;       /* [level][router]: two bits, the taken links */
    uint32_t *tries;         /* history: attempts of the message of an endpoint, and ARRIVED */
    uint64_t *per_attempt;
    size_t attempt_capacity;
};

#define ARRIVED (UINT32_C(1) << 31)

/* One trial; for a step, one thread and part of it. */
typedef struct engine {
    labels_cycles *w;
    cycle_worker *k;
    thread_team *team;
    bough_key key;
    uint64_t now, payload, done;
    unsigned part;
    circuit_result *r;
} engine;

static unsigned part_of(const labels_cycles *w, uint32_t endpoint) {
    return w->parts > 1 ? endpoint >> (w->h - 1) : 0;
}

/* The part, on the way up, of messages with this apex that are in `part` on the way down, and the reverse. */
static unsigned other_part(const labels_cycles *w, unsigned L, unsigned part) {
    return w->parts > 1 && L == w->h - 1 ? !part : part;
}

static inline uint64_t router_of(unsigned l, uint32_t s, uint32_t p) {
    uint32_t low = (UINT32_C(1) << l) - 1;
    return (s >> 1 & ~low) | (p & low);
}

static uint64_t up_words(unsigned h) {
    return ((UINT64_C(1) << h) + 63) / 64;
}

/* ---- the way back ---- */

static void free_up(const engine *e, unsigned l, const labels_batch *batch) {
    uint64_t *held = e->w->up_held + l * up_words(e->w->h);
    for (const batch_chunk *c = batch->first; c; c = c->next)
        for (uint64_t i = 0; i < c->count; i++) {
            uint64_t place = router_of(l, c->s[i], c->p[i]) << 1 | (c->p[i] >> l & 1);
            held[place >> 6] &= ~(UINT64_C(1) << (place & 63));
        }
}

static void go_back(const engine *e, return_path *back, unsigned l) {
    labels_cycles *w = e->w;
    for (unsigned L = l + 1; L < w->h && l + 1 < w->h; L++)
        free_up(e, l, &back[e->part].up[(e->now + 2 + l) % RING][L]);
    for (unsigned L = l; L < w->h; L++)
        labels_down_free(&e->k->links, l, &back[e->part].down[(e->now - l) % RING][L]);
}

/* Messages that have freed their last link of the way down go on along the way up. Called when all levels
 * have freed their links. */
static void turn_back(const engine *e, return_path *back) {
    labels_cycles *w = e->w;
    for (unsigned l = 0; l < w->h; l++)
        for (unsigned part = 0; part < w->parts; part++)
            batch_join(&e->k->pool, &back[other_part(w, l, part)].up[(e->now + 2 + l) % RING][l],
                       &back[part].down[(e->now - l) % RING][l]);
}

/* ---- the way up ---- */

/* Coins of the up-groups of level l in this cycle: drawn for all routers, or one by one. */
typedef struct coins {
    const uint32_t *all; /* NULL: drawn one by one */
    bough_draw draw;
    uint64_t first;
    uint64_t from; /* the first router of the part, whose coin is the first of `all` */
} coins;

/* A block of the generator serves 128 routers. */
#define COINS_IN_A_BLOCK 128

static coins draw_coins(const engine *e, unsigned l, uint64_t wanted) {
    uint64_t half = UINT64_C(1) << (e->w->h - 1), routers = half / e->w->parts;
    coins c = {NULL, {e->key, BOUGH_DRAW_PICK_BIT, e->now}, 2 * half + l * half, e->part * routers};
    if (wanted < routers / COINS_IN_A_BLOCK) return c;
    bough_bits(&c.draw, c.first + c.from, routers, e->k->coins);
    c.all = e->k->coins;
    return c;
}

static inline unsigned coin(const coins *c, uint64_t router) {
    if (c->all) return c->all[(router - c->from) >> 5] >> (router & 31) & 1;
    return bough_bit(c->draw.key, c->draw.purpose, c->first + router, c->draw.occasion);
}

/* The free link, or if both are free, the face of the coin for the message's input port. */
static inline void climb_level(uint64_t *held, const coins *faces, unsigned l, batch_chunk *c) {
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t router = router_of(l, c->s[i], c->p[i]), *word = &held[router >> 5];
        unsigned at = 2 * (router & 31), taken = (unsigned)(*word >> at) & 3, face = taken & 1;
        if (faces->all) {
            unsigned shown = (coin(faces, router) ^ c->s[i] >> l) & 1;
            face = taken ? face : shown;
        } else if (!taken) {
            face = (coin(faces, router) ^ c->s[i] >> l) & 1;
        }
        *word |= UINT64_C(1) << (at + face);
        c->p[i] = (c->p[i] & ((UINT32_C(1) << l) - 1)) | face << l;
    }
}

/* Level l: messages with this apex turn, the others get a link up. */
static void climb(const engine *e, unsigned l) {
    labels_cycles *w = e->w;
    const uint64_t slot = (e->now - 2 * l) % RING;
    labels_batch *up = w->trying[e->part].up[slot];
    uint64_t count = 0;
    batch_join(&e->k->pool, &w->down[e->part][(e->now + 2 * l) % RING],
               &w->trying[other_part(w, l, e->part)].up[slot][l]);
    for (unsigned L = l + 1; L < w->h; L++) count += up[L].count;
    if (!count) return;
    e->k->claims += count;
    coins faces = draw_coins(e, l, count);
    uint64_t *held = w->up_held + l * up_words(w->h);
    for (unsigned L = l + 1; L < w->h; L++)
        for (batch_chunk *c = up[L].first; c; c = c->next) climb_level(held, &faces, l, c);
}

/* ---- the way down ---- */

/* Refused at level l. A message that was to turn at this level holds up links only. */
static void refuse(const engine *e, unsigned l, labels_batch *lost) {
    labels_cycles *w = e->w;
    return_path *back = &w->trying[e->part];
    labels_batch(*turned)[LABELS_LEVELS_MAX] = w->trying[other_part(w, l, e->part)].up;
    e->k->attempts += lost->count;
    for (batch_chunk *c; (c = batch_take_chunk(lost)); batch_return_chunk(&e->k->pool, c))
        for (uint64_t i = 0; i < c->count; i++) {
            unsigned L = labels_apex(c->s[i], c->t[i]);
            if (w->tries) w->tries[c->s[i]]++;
            labels_batch *to =
                L == l ? &turned[(e->now + 2 + l) % RING][L] : &back->down[(e->now - l) % RING][L];
            batch_add(&e->k->pool, to, c->s[i], c->t[i], c->p[i]);
        }
}

static void arrive(const engine *e, labels_batch *won) {
    labels_cycles *w = e->w;
    uint64_t tail = e->now + 2 + e->payload;
    e->k->done += won->count;
    for (const batch_chunk *c = won->first; c; c = c->next)
        for (uint64_t i = 0; i < c->count; i++) {
            unsigned L = labels_apex(c->s[i], c->t[i]);
            if (tail + 2 * L + 1 > e->k->cycles) e->k->cycles = tail + 2 * L + 1;
            e->k->first += e->now == 4 * L; /* true if it started in cycle 0 */
            if (w->tries) w->tries[c->s[i]] |= ARRIVED;
        }
    batch_join(&e->k->pool, &w->tail[e->part][(tail + 1) & w->tail_ring], won);
}

/* Messages whose tails have arrived and whose acknowledgements now free their first links. */
static void acknowledge(const engine *e) {
    labels_cycles *w = e->w;
    labels_batch *tails = &w->tail[e->part][e->now & w->tail_ring];
    for (batch_chunk *c; (c = batch_take_chunk(tails)); batch_return_chunk(&e->k->pool, c))
        for (uint64_t i = 0; i < c->count; i++)
            batch_add(&e->k->pool, &w->arrived[e->part].down[e->now % RING][labels_apex(c->s[i], c->t[i])],
                      c->s[i], c->t[i], c->p[i]);
}

static void descend(const engine *e, unsigned l) {
    labels_cycles *w = e->w;
    labels_batch *down = &w->down[e->part][(e->now + 2 * l) % RING];
    if (!down->count) return;
    e->k->claims += down->count;
    labels_requests r = {.cycle = e->now, .level = l, .messages = *down};
    labels_down_request(&e->k->links, &r);
    *down = l ? r.granted : (labels_batch){0};
    refuse(e, l, &r.refused);
    if (l == 0) arrive(e, &r.granted);
}

/* ---- the run ---- */

/* One level and part in one cycle. It has its own links, and its own batches: a batch is at one level in a
 * cycle. */
static void serve_level(void *context, unsigned worker, uint64_t i) {
    engine e = *(const engine *)context;
    unsigned l = (unsigned)(i / e.w->parts);
    e.k = e.w->worker[worker];
    e.part = (unsigned)(i % e.w->parts);
    if (l == 0) acknowledge(&e);
    go_back(&e, e.w->trying, l);
    go_back(&e, e.w->arrived, l);
    climb(&e, l);
    descend(&e, l);
}

static void serve(engine *e) {
    labels_cycles *w = e->w;
    team_each(e->team, w->h * (uint64_t)w->parts, serve_level, e);
    turn_back(e, w->trying);
    turn_back(e, w->arrived);
    for (unsigned part = 0; part < w->parts; part++)
        for (unsigned L = 0; L < w->h; L++) batch_clear(&e->k->pool, &w->arrived[part].up[e->now % RING][L]);
    for (unsigned i = 0; i < w->workers; i++) {
        e->done += w->worker[i]->done;
        w->worker[i]->done = 0;
    }
}

/* The start of a trial. */
typedef struct start {
    const engine *e;
    const bough_batch *messages;
} start;

static void clear_back(labels_cycles *w, return_path *back) {
    batch_pool *pool = &w->worker[0]->pool;
    for (unsigned i = 0; i < RING; i++)
        for (unsigned L = 0; L < w->h; L++) {
            batch_clear(pool, &back->up[i][L]);
            batch_clear(pool, &back->down[i][L]);
        }
}

/* Removes what the last trial has left. */
static void clear(labels_cycles *w) {
    batch_pool *pool = &w->worker[0]->pool;
    for (unsigned part = 0; part < w->parts; part++) {
        clear_back(w, &w->trying[part]);
        clear_back(w, &w->arrived[part]);
        for (unsigned i = 0; i < RING; i++) batch_clear(pool, &w->down[part][i]);
        for (uint64_t i = 0; i <= w->tail_ring; i++) batch_clear(pool, &w->tail[part][i]);
    }
}

/* The messages of a part of the sources. */
static void start_part(void *context, unsigned worker, uint64_t part) {
    const engine *e = ((const start *)context)->e;
    const bough_batch *messages = ((const start *)context)->messages;
    labels_cycles *w = e->w;
    for (uint64_t i = 0; i < messages->count; i++) {
        uint32_t s = messages->source[i], t = messages->address[i];
        if (part_of(w, s) != part) continue;
        batch_add(&w->worker[worker]->pool, &w->trying[part].up[0][labels_apex(s, t)], s, t, 0);
    }
}

static void begin(engine *e, const bough_batch *messages) {
    labels_cycles *w = e->w;
    start all = {e, messages};
    memset(w->state, 0, labels_down_words(w->h) * sizeof *w->state);
    memset(w->up_held, 0, (w->h - 1) * up_words(w->h) * sizeof *w->up_held);
    for (unsigned i = 0; i < w->workers; i++) {
        cycle_worker *k = w->worker[i];
        k->links.key = e->key;
        k->attempts = k->claims = k->done = k->first = k->cycles = 0;
    }
    team_each(e->team, w->parts, start_part, &all);
    e->r->messages = e->r->attempts = messages->count;
}

/* Adds the counts of the threads. */
static void end(const engine *e) {
    circuit_result *r = e->r;
    for (unsigned i = 0; i < e->w->workers; i++) {
        const cycle_worker *k = e->w->worker[i];
        r->attempts += k->attempts;
        r->claims += k->claims;
        r->first += k->first;
        if (k->cycles > r->cycles) r->cycles = k->cycles;
    }
    r->undelivered = r->messages - e->done;
    r->cut_off = r->undelivered > 0;
}

static bough_status begin_history(labels_cycles *w, const circuit_options *o, bough_error *error) {
    bough_status status = BOUGH_OK;
    const uint64_t n = UINT64_C(1) << w->h;
    if (o->history && !w->tries) status = bough_alloc(&w->tries, n, sizeof *w->tries, error);
    if (!status && w->tries) memset(w->tries, 0, n * sizeof *w->tries);
    return status;
}

/* Deliveries by attempts: an endpoint has at most one message. */
static bough_status report_history(labels_cycles *w, circuit_result *r, bough_error *error) {
    for (uint64_t s = 0; w->tries && s < UINT64_C(1) << w->h; s++) {
        uint32_t attempts = (w->tries[s] & ~ARRIVED) + 1;
        if (!(w->tries[s] & ARRIVED)) continue;
        bough_status status =
            bough_grow(&w->per_attempt, &w->attempt_capacity, attempts, sizeof *w->per_attempt, error);
        if (status) return status;
        while (r->attempts_most < attempts) w->per_attempt[r->attempts_most++] = 0;
        w->per_attempt[attempts - 1]++;
        r->per_attempt = w->per_attempt;
    }
    return BOUGH_OK;
}

static bough_status start_team(labels_cycles *w, thread_team *team, bough_error *error);

bough_status labels_cycles_run(labels_cycles *w, const circuit_trial *trial, circuit_result *result,
                               bough_error *error) {
    const bough_run *run = trial->run;
    engine e = {.w = w, .key = trial->key, .payload = trial->options->payload, .r = result};
    bough_batch messages;
    e.team = w->h < PARTS_FROM ? NULL : trial->team;
    bough_status status = begin_history(w, trial->options, error);
    TRY(start_team(w, e.team, error));
    TRY(batch_read_team(run->point.traffic, e.key, e.team, &messages, error));
    if (status) return status;
    e.k = w->worker[0];
    begin(&e, &messages);
    bough_batch_fini(&messages);
    for (; e.done < result->messages && e.now <= trial->options->cycle_limit; e.now++) {
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        serve(&e);
    }
    end(&e);
    return report_history(w, result, error);
}

/* ---- memory ---- */

static uint64_t tail_ring(uint64_t payload) {
    uint64_t size = 4;
    while (size < payload + 4) size *= 2;
    return size;
}

/* Maximum number of non-empty batches: one per level and direction, on four paths; and tails. */
static uint64_t batches(unsigned h, uint64_t payload) {
    return 4 * (uint64_t)h * h + 2 * h + payload + 4;
}

static uint64_t coin_words(unsigned h) {
    return ((UINT64_C(1) << h) / 2 + 31) / 32;
}

uint64_t labels_cycles_bytes(unsigned h, uint64_t m, uint64_t payload) {
    uint64_t bytes = sizeof(labels_cycles) + tail_ring(payload) * sizeof(labels_batch) + 4 * coin_words(h);
    bytes =
        bough_add(bytes, bough_add(batch_store_bytes(m, batches(h, payload), 1), labels_down_bytes(h, m)));
    bytes = bough_add(bytes, labels_down_words(h) * sizeof(uint64_t));
    return bough_add(bytes, (h - 1) * up_words(h) * sizeof(uint64_t));
}

/* The batches of the second part, and what a thread needs. */
uint64_t labels_cycles_bytes_each(unsigned h, uint64_t m, uint64_t payload) {
    uint64_t bytes = sizeof(cycle_worker) + tail_ring(payload) * sizeof(labels_batch) + 4 * coin_words(h);
    return bough_add(bytes, bough_add(batch_store_bytes(0, batches(h, payload), 1), labels_down_bytes(h, m)));
}

static bough_status make_worker(labels_cycles *w, cycle_worker **out, bough_error *error) {
    cycle_worker *k;
    bough_status status = bough_alloc(&k, 1, sizeof *k, error);
    if (status) return status;
    *out = k;
    status = labels_down_make(&k->links, w->h, w->messages, error);
    TRY(bough_alloc(&k->coins, coin_words(w->h), sizeof *k->coins, error));
    k->links.pool = &k->pool;
    k->links.state = w->state;
    k->pool.store = &w->store;
    return status;
}

static void free_worker(cycle_worker *k) {
    if (!k) return;
    labels_down_fini(&k->links);
    FREE_ALL(k->coins, k);
}

/* Chunks for so many pools, all of them unused. */
static bough_status make_store(labels_cycles *w, unsigned pools, bough_error *error) {
    uint64_t parts = pools > 1 ? PARTS : 1;
    batch_store_fini(&w->store);
    w->store = (batch_store){0};
    for (unsigned i = 0; i < w->workers; i++) w->worker[i]->pool = (batch_pool){.store = &w->store};
    w->pools = pools;
    return batch_store_make(&w->store, w->messages, parts * batches(w->h, w->payload), pools, error);
}

static bough_status start_team(labels_cycles *w, thread_team *team, bough_error *error) {
    unsigned count = team_size(team);
    bough_status status = BOUGH_OK;
    if (w->workers) clear(w);
    w->parts = count > 1 ? PARTS : 1;
    if (count > w->workers) {
        size_t capacity = w->workers;
        status = bough_grow(&w->worker, &capacity, count, sizeof *w->worker, error);
        if (!w->tail[1] && count > 1)
            TRY(bough_alloc(&w->tail[1], w->tail_ring + 1, sizeof *w->tail[1], error));
    }
    while (!status && w->workers < count) {
        w->worker[w->workers] = NULL;
        status = make_worker(w, &w->worker[w->workers++], error);
    }
    if (!status && count > w->pools) status = make_store(w, count, error);
    return status;
}

bough_status labels_cycles_make(unsigned h, uint64_t m, uint64_t payload, labels_cycles **out,
                                bough_error *error) {
    labels_cycles *w;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    *out = w;
    w->h = h;
    w->messages = m;
    w->payload = payload;
    w->tail_ring = tail_ring(payload) - 1;
    status = bough_alloc(&w->tail[0], w->tail_ring + 1, sizeof *w->tail[0], error);
    TRY(large_alloc(&w->state, labels_down_words(h), sizeof *w->state, error));
    TRY(large_alloc(&w->up_held, (h - 1) * up_words(h), sizeof *w->up_held, error));
    return status;
}

void labels_cycles_free(labels_cycles *w) {
    if (!w) return;
    for (unsigned i = 0; i < w->workers; i++) free_worker(w->worker[i]);
    batch_store_fini(&w->store);
    FREE_ALL(w->tail[0], w->tail[1], w->state, w->up_held, w->worker, w->tries, w->per_attempt, w);
}
