#include "engines/circuit/labels/labels_down.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "routing/routing.h"

/* State of a link, two bits. FRESH: taken in this cycle, provisionally; CONTESTED: by more than one
 * message. */
enum { FREE, HELD, FRESH, CONTESTED };

#define NO_RIVAL UINT32_MAX

/* Levels as in strumpen2005: 0 at the endpoints. */
static inline uint64_t link_of(unsigned l, uint32_t t, uint32_t p) {
    uint32_t low = (UINT32_C(1) << l) - 1;
    return (t & ~low) | (p & low);
}

static uint64_t words(unsigned h) {
    return ((UINT64_C(2) << h) + 63) / 64;
}

static inline unsigned state_of(const uint64_t *state, uint64_t link) {
    return (unsigned)(state[link >> 5] >> 2 * (link & 31)) & 3;
}

static inline void change(uint64_t *state, uint64_t link, unsigned difference) {
    state[link >> 5] ^= (uint64_t)difference << 2 * (link & 31);
}

void labels_down_free(labels_down *d, unsigned l, const labels_batch *batch) {
    uint64_t *state = d->state + l * words(d->h);
    for (const batch_chunk *c = batch->first; c; c = c->next)
        for (uint64_t i = 0; i < c->count; i++) change(state, link_of(l, c->t[i], c->p[i]), HELD);
}

/* ---- requests ---- */

static void set_apart(labels_down *d, const batch_chunk *c, const uint16_t *which, uint64_t count) {
    for (uint64_t k = 0; k < count; k++)
        d->rival[d->rivals++] = (labels_rival){c->s[which[k]], c->t[which[k]], c->p[which[k]], NO_RIVAL};
}

static inline void copy(batch_chunk *to, uint64_t k, const batch_chunk *from, uint64_t i) {
    to->s[k] = from->s[i];
    to->t[k] = from->t[i];
    to->p[k] = from->p[i];
}

/* First pass: free links are taken provisionally. To avoid unpredictable branches, each message is written to
 * all output lists, and only the end of the right one advances. */
static void take_free_links(labels_down *d, labels_requests *r, labels_batch *taken) {
    const unsigned l = r->level;
    uint64_t *state = d->state + l * words(d->h);
    batch_chunk won;
    uint16_t refused[BATCH_CHUNK], apart[BATCH_CHUNK];
    for (batch_chunk *c; (c = batch_take_chunk(&r->messages)); batch_return_chunk(d->pool, c)) {
        uint64_t wins = 0, refusals = 0, aparts = 0;
        for (uint64_t i = 0; i < c->count; i++) {
            uint64_t link = link_of(l, c->t[i], c->p[i]);
            unsigned was = state_of(state, link);
            change(state, link, was == FREE ? FRESH : was >> 1 & ~was); /* FRESH becomes CONTESTED */
            copy(&won, wins, c, i);
            refused[refusals] = apart[aparts] = (uint16_t)i;
            wins += was == FREE;
            refusals += was == HELD;
            aparts += was >> 1;
        }
        batch_append(d->pool, taken, &won, wins);
        set_apart(d, c, apart, aparts);
        for (uint64_t k = 0; k < refusals; k++)
            batch_add(d->pool, &r->refused, c->s[refused[k]], c->t[refused[k]], c->p[refused[k]]);
    }
}

/* Second pass over the messages that took a link: uncontested links become held. */
static void confirm(labels_down *d, labels_requests *r, labels_batch *taken) {
    const unsigned l = r->level;
    uint64_t *state = d->state + l * words(d->h);
    uint16_t apart[BATCH_CHUNK];
    for (batch_chunk *c; (c = batch_take_chunk(taken));) {
        uint64_t aparts = 0;
        for (uint64_t i = 0; i < c->count; i++) {
            uint64_t link = link_of(l, c->t[i], c->p[i]);
            unsigned is = state_of(state, link);
            change(state, link, is == FRESH ? FRESH ^ HELD : 0);
            apart[aparts] = (uint16_t)i;
            aparts += is & 1;
        }
        set_apart(d, c, apart, aparts);
        for (uint64_t k = aparts; k-- > 0;) copy(c, apart[k], c, --c->count);
        labels_batch one = {c, c, c->count};
        c->next = NULL;
        batch_join(d->pool, &r->granted, &one);
    }
}

/* ---- rivals ---- */

/* The input port of a message at the router where it requests a link of level l. */
static unsigned port_of(unsigned l, const labels_rival *m) {
    bool turns = (m->s ^ m->t) >> l == 1;
    return turns ? m->s >> l & 1 : 2 + (m->p >> l & 1);
}

/* The down-group of a link. Up-groups come first: n, and n/2 per level. */
static uint64_t group_of(const labels_down *d, unsigned l, uint64_t link) {
    uint64_t n = UINT64_C(1) << d->h, low = (UINT64_C(1) << l) - 1;
    return n + (d->h - 1) * (n / 2) + l * n + ((link & ~(2 * low + 1)) | (link & low) << 1 | (link >> l & 1));
}

/* Arbitrates one link among its rivals, from `first` on, in order of ports; one is granted. */
static void arbitrate(const labels_down *d, labels_requests *r, uint32_t first) {
    const labels_rival *who[3];
    uint32_t count = 0, order[3];
    for (uint32_t i = first; i != NO_RIVAL; i = d->rival[i].next) {
        uint32_t k = count++;
        for (; k > 0 && port_of(r->level, who[k - 1]) > port_of(r->level, &d->rival[i]); k--)
            who[k] = who[k - 1];
        who[k] = &d->rival[i];
    }
    uint64_t group = group_of(d, r->level, link_of(r->level, who[0]->t, who[0]->p));
    bough_arbitration_order(d->key, group, r->cycle, count, order);
    for (uint32_t i = 0; i < count; i++) {
        const labels_rival *m = who[order[i]];
        batch_add(d->pool, i == 0 ? &r->granted : &r->refused, m->s, m->t, m->p);
    }
}

/* Chains the rivals by link (FRESH marks a started chain), then arbitrates each chain. */
static void resolve(labels_down *d, labels_requests *r) {
    uint64_t *state = d->state + r->level * words(d->h);
    for (uint32_t i = 0; i < d->rivals; i++) {
        uint64_t link = link_of(r->level, d->rival[i].t, d->rival[i].p);
        unsigned is = state_of(state, link);
        d->rival[i].next = is == FRESH ? d->first_rival[link] : NO_RIVAL;
        d->first_rival[link] = i;
        change(state, link, is ^ FRESH);
    }
    for (uint32_t i = 0; i < d->rivals; i++) {
        uint64_t link = link_of(r->level, d->rival[i].t, d->rival[i].p);
        if (state_of(state, link) == HELD) continue;
        change(state, link, FRESH ^ HELD);
        arbitrate(d, r, d->first_rival[link]);
    }
    d->rivals = 0;
}

void labels_down_request(labels_down *d, labels_requests *r) {
    labels_batch taken = {0};
    take_free_links(d, r, &taken);
    confirm(d, r, &taken);
    resolve(d, r);
}

/* ---- memory ---- */

uint64_t labels_down_words(unsigned h) {
    return h * words(h);
}

/* There can be as many rivals as messages, but if all start together hardly a quarter of them compete on one
 * level. */
uint64_t labels_down_bytes(unsigned h, uint64_t messages) {
    uint64_t bytes = (UINT64_C(1) << h) * sizeof(uint32_t);
    return bough_add(bytes, bough_mul(messages / 4, sizeof(labels_rival)));
}

bough_status labels_down_make(labels_down *d, unsigned h, uint64_t messages, bough_error *error) {
    *d = (labels_down){.h = h};
    bough_status status = large_alloc(&d->first_rival, UINT64_C(1) << h, sizeof *d->first_rival, error);
    TRY(large_alloc(&d->rival, messages, sizeof *d->rival, error));
    return status;
}

void labels_down_fini(labels_down *d) {
    FREE_ALL(d->first_rival, d->rival);
}
