#include "engines/channels/online.h"
#include "base/compare.h"
#include "base/status/stop.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct online_engine {
    const channel_tree *tree;
    uint32_t *waiting; /* messages that have not arrived */
    uint32_t *cycle;   /* per message: its arrival */
    uint64_t *sent;    /* word (upper bits) and message (lower), for one cycle */
    uint32_t *used[2]; /* per channel: up, down; 0 between cycles */
};

/* State of a run. */
typedef struct online_state {
    online_engine *e;
    const bough_batch *batch;
    const online_options *options;
    online_result *r;
    uint32_t waiting;
} online_state;

uint64_t online_bytes(const bough_net *net, uint64_t messages) {
    return bough_add(bough_mul(messages, sizeof(uint32_t) + 2 * sizeof(uint64_t)),
                     bough_mul(net->endpoints, 4 * sizeof(uint32_t)));
}

bough_status online_create(const channel_tree *tree, uint64_t messages, online_engine **out,
                           bough_error *error) {
    online_engine *e;
    bough_status status = bough_alloc(out, 1, sizeof *e, error);
    if (status) return status;
    e = *out;
    e->tree = tree;
    TRY(bough_alloc(&e->waiting, messages, sizeof *e->waiting, error));
    TRY(bough_alloc(&e->cycle, messages, sizeof *e->cycle, error));
    TRY(bough_alloc(&e->sent, bough_mul(messages, 2), sizeof *e->sent, error));
    for (unsigned i = 0; i < 2; i++) TRY(bough_alloc(&e->used[i], tree->channels, sizeof *e->used[i], error));
    if (!status) return BOUGH_OK;
    online_destroy(e);
    *out = NULL;
    return status;
}

void online_destroy(online_engine *e) {
    if (!e) return;
    FREE_ALL(e->waiting, e->cycle, e->sent, e->used[0], e->used[1], e);
}

/* ---- one cycle ---- */

/* Draws the messages to send, in the order in which channels admit them. One word per message decides both:
 * sent messages have the smallest words, which are uniform among themselves. */
static uint32_t choose(online_state *s, double p) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->waiting; i++) {
        uint64_t word = bough_word(s->options->key, BOUGH_DRAW_ONLINE, s->e->waiting[i], s->r->cycles);
        if (bough_unit(word) >= p) continue;
        s->e->sent[2 * count] = word;
        s->e->sent[2 * count++ + 1] = s->e->waiting[i];
    }
    qsort(s->e->sent, count, 2 * sizeof *s->e->sent, bough_compare_u64_pair);
    return count;
}

static uint64_t end_of(const online_state *s, unsigned side, uint64_t message) {
    return side ? bough_address_node(s->e->tree->net, s->batch->address[message]) : s->batch->source[message];
}

/* Passes all channels of a level and direction; losers are removed from `sent`. Messages with an NCA below
 * are done. */
static uint32_t cross(online_state *s, unsigned level, unsigned side, uint32_t count) {
    const channel_tree *t = s->e->tree;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t m = s->e->sent[2 * i + 1], a = channel_at(t, level, end_of(s, side, m));
        if (a != channel_at(t, level, end_of(s, !side, m)) && s->e->used[side][a]++ >= t->capacity[a])
            continue;
        s->e->sent[2 * kept] = s->e->sent[2 * i];
        s->e->sent[2 * kept++ + 1] = m;
    }
    return kept;
}

static void note_arrivals(online_state *s, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) s->e->cycle[s->e->sent[2 * i + 1]] = (uint32_t)s->r->cycles;
    for (uint32_t i = 0; i < s->waiting; i++)
        if (s->e->cycle[s->e->waiting[i]] == UINT32_MAX) s->e->waiting[kept++] = s->e->waiting[i];
    s->waiting = kept;
}

static bough_status cycles(online_state *s, double guess, double count, bough_error *error) {
    const channel_tree *t = s->e->tree;
    for (double i = 0; i < count && s->waiting > 0; i++, s->r->cycles++) {
        uint32_t sent = choose(s, 1 / (s->options->r * guess)), left = sent;
        memset(s->e->used[0], 0, t->channels * sizeof *s->e->used[0]);
        memset(s->e->used[1], 0, t->channels * sizeof *s->e->used[1]);
        for (unsigned l = 0; l < t->levels; l++) left = cross(s, l, 0, left);
        for (unsigned l = t->levels; l-- > 0;) left = cross(s, l, 1, left);
        note_arrivals(s, left);
        s->r->sent += sent;
        s->r->lost += sent - left;
        if (stop_asked(s->options->stop)) return stop_check(s->options->stop, error);
        if (s->r->cycles == UINT32_MAX - 1)
            return bough_fail(error, BOUGH_FAILED, NULL, "more than 2^32 delivery cycles");
    }
    return BOUGH_OK;
}

static bough_status run_guesses(online_state *s, bough_error *error) {
    double lg = log2((double)s->e->tree->net->endpoints), k1 = s->options->k1, k2 = s->options->k2, guess = 2;
    bough_status status = BOUGH_OK;
    if (lg < 1) lg = 1;
    for (; k1 * guess < k2 * lg && !status && s->waiting; guess *= guess)
        status = cycles(s, guess, ceil(k2 * lg), error);
    for (double z = 1; s->waiting && !status; z *= 2) {
        guess = fmax(z * k2 * lg / k1, 1);
        for (double round = z; round >= 1 && !status && s->waiting; round /= 2, guess = fmax(guess / 2, 1))
            status = cycles(s, guess, ceil(k1 * guess), error);
    }
    return status;
}

bough_status online_run(online_engine *e, const bough_batch *batch, const online_options *options,
                        online_result *r, bough_error *error) {
    online_state s = {e, batch, options, r, 0};
    *r = (online_result){.cycle = e->cycle};
    for (uint64_t i = 0; i < batch->count; i++) {
        e->cycle[i] = UINT32_MAX;
        if (batch->source[i] != bough_address_node(e->tree->net, batch->address[i]))
            e->waiting[s.waiting++] = (uint32_t)i;
    }
    return run_guesses(&s, error);
}
