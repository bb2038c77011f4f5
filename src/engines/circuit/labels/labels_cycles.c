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

#include <string.h>

#define RING 256 /* cycles covered by batches: 2h back, 2h ahead */

typedef struct return_path {
    labels_batch up[RING][LABELS_LEVELS_MAX], down[RING][LABELS_LEVELS_MAX]; /* by apex */
} return_path;

struct labels_cycles {
    unsigned h;
    uint64_t tail_ring; /* mask of a ring that is a few cycles longer than the payload */
    return_path trying; /* up: also messages on their way up */
    return_path arrived;
    labels_batch down[RING];
    labels_batch *tail; /* [cycle in which the acknowledgement frees its first link] */
    batch_pool pool;
    labels_down links;
    uint64_t *up_held; /* [level][router]: two bits, the taken links */
    uint32_t *coins;   /* scratch: coins of one level in one cycle */
    uint32_t *tries;   /* history: attempts of the message of an endpoint, and ARRIVED */
    uint64_t *per_attempt;
    size_t attempt_capacity;
};

#define ARRIVED (UINT32_C(1) << 31)

/* One trial. */
typedef struct engine {
    labels_cycles *w;
    bough_key key;
    uint64_t now, payload, done;
    circuit_result *r;
} engine;

static inline uint64_t router_of(unsigned l, uint32_t s, uint32_t p) {
    uint32_t low = (UINT32_C(1) << l) - 1;
    return (s >> 1 & ~low) | (p & low);
}

static uint64_t up_words(unsigned h) {
    return ((UINT64_C(1) << h) + 63) / 64;
}

/* ---- the way back ---- */

static void free_up(engine *e, unsigned l, const labels_batch *batch) {
    uint64_t *held = e->w->up_held + l * up_words(e->w->h);
    for (const batch_chunk *c = batch->first; c; c = c->next)
        for (uint64_t i = 0; i < c->count; i++) {
            uint64_t place = router_of(l, c->s[i], c->p[i]) << 1 | (c->p[i] >> l & 1);
            held[place >> 6] &= ~(UINT64_C(1) << (place & 63));
        }
}

/* First the batches on the last part of their way, since those of the first part join them in the next
 * cycle. */
static void go_back(engine *e, return_path *back) {
    labels_cycles *w = e->w;
    for (unsigned l = 0; l + 1 < w->h; l++)
        for (unsigned L = l + 1; L < w->h; L++) free_up(e, l, &back->up[(e->now + 2 + l) % RING][L]);
    for (unsigned l = 0; l < w->h; l++)
        for (unsigned L = l; L < w->h; L++) {
            labels_batch *batch = &back->down[(e->now - l) % RING][L];
            labels_down_free(&w->links, l, batch);
            if (l == L) batch_join(&w->pool, &back->up[(e->now + 2 + l) % RING][L], batch);
        }
}

/* ---- the way up ---- */

/* Coins of the up-groups of level l in this cycle: drawn for all routers, or one by one. */
typedef struct coins {
    const uint32_t *all; /* NULL: drawn one by one */
    bough_draw draw;
    uint64_t first;
} coins;

/* A block of the generator serves 128 routers. */
#define COINS_IN_A_BLOCK 128

static coins draw_coins(const engine *e, unsigned l, uint64_t wanted) {
    uint64_t half = UINT64_C(1) << (e->w->h - 1);
    coins c = {NULL, {e->key, BOUGH_DRAW_PICK_BIT, e->now}, 2 * half + l * half};
    if (wanted < half / COINS_IN_A_BLOCK) return c;
    bough_bits(&c.draw, c.first, half, e->w->coins);
    c.all = e->w->coins;
    return c;
}

static inline unsigned coin(const coins *c, uint64_t router) {
    if (c->all) return c->all[router >> 5] >> (router & 31) & 1;
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
static void climb(engine *e, unsigned l) {
    labels_cycles *w = e->w;
    labels_batch *up = w->trying.up[(e->now - 2 * l) % RING];
    uint64_t count = 0;
    batch_join(&w->pool, &w->down[(e->now + 2 * l) % RING], &up[l]);
    for (unsigned L = l + 1; L < w->h; L++) count += up[L].count;
    if (!count) return;
    e->r->claims += count;
    coins faces = draw_coins(e, l, count);
    uint64_t *held = w->up_held + l * up_words(w->h);
    for (unsigned L = l + 1; L < w->h; L++)
        for (batch_chunk *c = up[L].first; c; c = c->next) climb_level(held, &faces, l, c);
}

/* ---- the way down ---- */

/* Refused at level l. A message that was to turn at this level holds up links only. */
static void refuse(engine *e, unsigned l, labels_batch *lost) {
    labels_cycles *w = e->w;
    e->r->attempts += lost->count;
    for (batch_chunk *c; (c = batch_take_chunk(lost)); batch_return_chunk(&w->pool, c))
        for (uint64_t i = 0; i < c->count; i++) {
            unsigned L = labels_apex(c->s[i], c->t[i]);
            if (w->tries) w->tries[c->s[i]]++;
            labels_batch *to =
                L == l ? &w->trying.up[(e->now + 2 + l) % RING][L] : &w->trying.down[(e->now - l) % RING][L];
            batch_add(&w->pool, to, c->s[i], c->t[i], c->p[i]);
        }
}

static void arrive(engine *e, labels_batch *won) {
    labels_cycles *w = e->w;
    uint64_t tail = e->now + 2 + e->payload;
    e->done += won->count;
    for (const batch_chunk *c = won->first; c; c = c->next)
        for (uint64_t i = 0; i < c->count; i++) {
            unsigned L = labels_apex(c->s[i], c->t[i]);
            if (tail + 2 * L + 1 > e->r->cycles) e->r->cycles = tail + 2 * L + 1;
            e->r->first += e->now == 4 * L; /* true if it started in cycle 0 */
            if (w->tries) w->tries[c->s[i]] |= ARRIVED;
        }
    batch_join(&w->pool, &w->tail[(tail + 1) & w->tail_ring], won);
}

/* Messages whose tails have arrived and whose acknowledgements now free their first links. */
static void acknowledge(engine *e) {
    labels_cycles *w = e->w;
    labels_batch *tails = &w->tail[e->now & w->tail_ring];
    for (batch_chunk *c; (c = batch_take_chunk(tails)); batch_return_chunk(&w->pool, c))
        for (uint64_t i = 0; i < c->count; i++)
            batch_add(&w->pool, &w->arrived.down[e->now % RING][labels_apex(c->s[i], c->t[i])], c->s[i],
                      c->t[i], c->p[i]);
}

static void descend(engine *e, unsigned l) {
    labels_cycles *w = e->w;
    labels_batch *down = &w->down[(e->now + 2 * l) % RING];
    if (!down->count) return;
    e->r->claims += down->count;
    labels_requests r = {.cycle = e->now, .level = l, .messages = *down};
    labels_down_request(&w->links, &r);
    *down = l ? r.granted : (labels_batch){0};
    refuse(e, l, &r.refused);
    if (l == 0) arrive(e, &r.granted);
}

/* ---- the run ---- */

static void serve(engine *e) {
    labels_cycles *w = e->w;
    acknowledge(e);
    go_back(e, &w->trying);
    go_back(e, &w->arrived);
    for (unsigned L = 0; L < w->h; L++) batch_clear(&w->pool, &w->arrived.up[e->now % RING][L]);
    for (unsigned l = 0; l < w->h; l++) climb(e, l);
    for (unsigned l = 0; l < w->h; l++) descend(e, l);
}

static void clear_back(labels_cycles *w, return_path *back) {
    for (unsigned i = 0; i < RING; i++)
        for (unsigned L = 0; L < w->h; L++) {
            batch_clear(&w->pool, &back->up[i][L]);
            batch_clear(&w->pool, &back->down[i][L]);
        }
}

static void begin(engine *e, const bough_batch *messages) {
    labels_cycles *w = e->w;
    clear_back(w, &w->trying);
    clear_back(w, &w->arrived);
    for (unsigned i = 0; i < RING; i++) batch_clear(&w->pool, &w->down[i]);
    for (uint64_t i = 0; i <= w->tail_ring; i++) batch_clear(&w->pool, &w->tail[i]);
    labels_down_start(&w->links, e->key);
    memset(w->up_held, 0, (w->h - 1) * up_words(w->h) * sizeof *w->up_held);
    for (uint64_t i = 0; i < messages->count; i++) {
        uint32_t s = messages->source[i], t = messages->address[i];
        batch_add(&w->pool, &w->trying.up[0][labels_apex(s, t)], s, t, 0);
    }
    e->r->messages = e->r->attempts = messages->count;
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

bough_status labels_cycles_run(labels_cycles *w, const circuit_trial *trial, circuit_result *result,
                               bough_error *error) {
    const bough_run *run = trial->run;
    engine e = {.w = w, .key = trial->key, .payload = trial->options->payload, .r = result};
    bough_batch messages;
    bough_status status = begin_history(w, trial->options, error);
    TRY(bough_batch_read(run->point.traffic, e.key, &messages, error));
    if (status) return status;
    begin(&e, &messages);
    bough_batch_fini(&messages);
    for (; e.done < result->messages && e.now <= trial->options->cycle_limit; e.now++) {
        if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        serve(&e);
    }
    result->undelivered = result->messages - e.done;
    result->cut_off = result->undelivered > 0;
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

uint64_t labels_cycles_bytes(unsigned h, uint64_t m, uint64_t payload) {
    uint64_t bytes =
        sizeof(labels_cycles) + tail_ring(payload) * sizeof(labels_batch) + (UINT64_C(1) << h) / 16;
    bytes = bough_add(bytes, bough_add(batch_pool_bytes(m, batches(h, payload)), labels_down_bytes(h, m)));
    return bough_add(bytes, (h - 1) * up_words(h) * sizeof(uint64_t));
}

bough_status labels_cycles_make(unsigned h, uint64_t m, uint64_t payload, labels_cycles **out,
                                bough_error *error) {
    labels_cycles *w;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    *out = w;
    w->h = h;
    w->tail_ring = tail_ring(payload) - 1;
    status = batch_pool_make(&w->pool, m, batches(h, payload), error);
    TRY(labels_down_make(&w->links, h, m, &w->pool, error));
    TRY(bough_alloc(&w->tail, w->tail_ring + 1, sizeof *w->tail, error));
    TRY(large_alloc(&w->up_held, (h - 1) * up_words(h), sizeof *w->up_held, error));
    TRY(bough_alloc(&w->coins, ((UINT64_C(1) << h) / 2 + 31) / 32, sizeof *w->coins, error));
    return status;
}

void labels_cycles_free(labels_cycles *w) {
    if (!w) return;
    batch_pool_fini(&w->pool);
    labels_down_fini(&w->links);
    FREE_ALL(w->tail, w->up_held, w->coins, w->tries, w->per_attempt, w);
}
