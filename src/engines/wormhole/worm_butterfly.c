#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/wormhole/worm_butterfly_state.h"
#include "network/families/bft.h"

#include "base/memory/large_pages.h"
#include "routing/routing_list.h"

#include <stdlib.h>
#include <string.h>

/* Reduces times before they overflow. */
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
        if (g >= b->n) p->latest = p->latest > past ? p->latest - past : 0;
    }
    for (uint32_t i = 0; i < b->events; i++) b->event[i].time -= past;
    b->epoch += past;
    b->now -= past;
}

/* Without requests: advances to the next cycle with an event, or to `until`. False if there is no event. */
static bool go_ahead(butterfly *b, uint64_t until) {
    butterfly_release(b);
    if (b->future_at == b->future_count) butterfly_take_messages(b);
    uint64_t now = clock_of(b), offer = b->future[b->future_at].time, next = offer < until ? offer : until;
    bool over = offer == BOUGH_NONE && !b->pending;
    if (over) next = b->last_free < until ? b->last_free : until;
    for (uint64_t c = now; b->pending && c < next && c <= now + b->bucket_mask; c++)
        if (b->bucket[(b->now + (c - now)) & b->bucket_mask] != NONE) next = c;
    if (next > now) b->now += (uint32_t)(next - now < REBASED ? next - now : REBASED);
    return !over;
}

/* Computes the engine's counters from its statistics. */
static void sum_up(butterfly *b) {
    b->base.now = clock_of(b);
    b->base.offered = b->taken;
    for (uint32_t i = b->future_at; i < b->future_count; i++) b->base.offered -= b->future[i].messages;
    b->base.moves = b->moves;
    for (unsigned k = 0; k < LEVELS * STEPS; k++) b->base.moves += b->grants[k];
}

static bough_status advance(sim_engine *engine, sim_advance *part, bough_error *error) {
    butterfly *b = (butterfly *)engine;
    const uint64_t until = part->until, want = part->want;
    b->error = error;
    b->outs = 0;
    while (clock_of(b) < until && b->outs + b->arrival_count < want && !b->status) {
        bool more = b->request_count || go_ahead(b, until);
        if (b->now >= b->release_by || b->now >= REBASED) butterfly_release(b);
        if (b->now >= REBASED) rebase(b);
        if (!more || clock_of(b) == until) break;
        butterfly_cycle(b);
        b->now++;
    }
    butterfly_release(b);
    sum_up(b);
    part->deliveries = b->out;
    part->count = b->outs;
    return b->status;
}

/* ---- the tally ---- */

/* The part of `held` that lies ahead of the current cycle: negative while free_at is unknown. Modulo 2^32. */
static uint32_t held_ahead(const butterfly *b, uint32_t free_at) {
    if (free_at == NEVER) return -b->now;
    return free_at > b->now ? free_at - b->now : 0;
}

static void reset(sim_engine *engine) {
    butterfly *b = (butterfly *)engine;
    b->reset_at = b->base.now;
    b->moves = b->base.moves;
    memset(b->grants, 0, sizeof b->grants);
    memset(b->waited, 0, sizeof b->waited);
    for (uint64_t g = 0; g < b->groups; g++)
        for (unsigned i = 0; i < 2; i++) b->port[g].held[i] = held_ahead(b, b->port[g].free_at[i]);
}

static void count(const sim_engine *engine, sim_tally *t) {
    const butterfly *b = (const butterfly *)engine;
    *t = (sim_tally){.cycles = b->base.now - b->reset_at};
    for (unsigned k = 0; k < LEVELS * STEPS; k++) t->grants[b->path_steps[k].kind] += b->grants[k];
    t->entered = t->grants[0]; /* kind 0: up from level 0 */
    t->entry_waited = b->waited[0];
    memcpy(t->waited, b->waited, sizeof b->waited);
    for (uint64_t g = 0; g < b->groups; g++)
        for (unsigned i = 0; i < links_of(b, (uint32_t)g); i++) {
            const port *p = &b->port[g];
            uint64_t link = butterfly_link(b, (uint32_t)g, i);
            sim_tally_link(t, link, sim_kind(b->net, link), p->held[i] - held_ahead(b, p->free_at[i]));
        }
}

/* ---- memory ---- */

static uint32_t bucket_count(uint64_t flits) {
    uint32_t size = 64;
    while (size < flits + 2 * LEVELS + 2) size *= 2;
    return size;
}

/* Places of a worm's path, plus one; paths are planned eight at a time. */
static uint32_t places_of(const bough_net *net) {
    return (2 * net->levels + 8) & ~7u;
}
static uint32_t words_of(const bough_net *net) {
    uint32_t words = (uint32_t)(sizeof(worm) / 4) + places_of(net);
    return words + words % 2; /* `offered` needs alignment to 8 bytes */
}

bool worm_butterfly_fits(const bough_point *p, const worm_options *o) {
    const bough_stream_law *law = p->traffic->law;
    uint64_t flits = law ? bough_mul(law->flits, o->flits) : 0;
    uint64_t longest = law ? bough_mul(bough_law_longest(law), o->flits) : 0;
    return is_bft(p->net) && p->routing->kind == &bough_routing_free && !p->net->dead &&
           p->net->levels < LEVELS && p->net->groups < UINT32_C(1) << 29 && law &&
           flits >= p->net->hops_max && longest <= 65536 && o->buffer == 1 && o->vcs == 1 && o->credit == 0 &&
           !o->detect;
}

uint64_t worm_butterfly_bytes(const bough_net *net, uint64_t messages) {
    return bough_add(bough_mul(net->groups, sizeof(port)),
                     bough_mul(messages, 4 * (uint64_t)words_of(net) + sizeof(event)));
}

static void destroy(sim_engine *engine) {
    butterfly *b = (butterfly *)engine;
    FREE_ALL(b->port, b->pool, b->event, b->request, b->coming, b->arrival, b->bucket, b->chain, b->order,
             b->out, b->entity, b->low, b->high);
    free(b);
}

static void start(sim_engine *engine, bough_key key, bough_source *source) {
    butterfly *b = (butterfly *)engine;
    b->key = key;
    b->source = source;
    b->base.now = b->base.offered = b->base.arrived = b->base.moves = 0;
    b->epoch = 0;
    b->now = 1;
    b->request_count = b->coming_count = b->coins = b->arrival_count = b->outs = b->events = b->pending = 0;
    b->used = b->last_free = b->taken = 0;
    b->coin_from = UINT64_C(1) << 63; /* far from every cycle */
    b->release_by = NEVER;
    b->free_worm = b->free_event = NONE;
    b->future_at = b->future_count = 0;
    b->future[0] = (future_message){BOUGH_NONE, b->sink, NONE, NONE, 0};
    b->status = BOUGH_OK;
    memset(b->bucket, 0xff, ((size_t)b->bucket_mask + 1) * sizeof *b->bucket);
    for (uint64_t g = 0; g <= b->sink; g++)
        b->port[g] = (port){.free_at = {0, links_of(b, (uint32_t)g) == 2 ? 0 : NEVER},
                            .head = NONE,
                            .tail = NONE,
                            .last = NONE};
    reset(engine);
}

/* Decides whether the coins of all pairs are drawn ahead, which needs few blocks. */
static void plan_coins(butterfly *b) {
    uint32_t blocks = b->n < 256 ? 1 : (uint32_t)(b->n / 256); /* a power of two that covers all pairs */
    b->coin_cycles = COINS / blocks;
    b->coin_words = 2 * blocks;
    for (uint32_t i = 0; i < COINS; i++) {
        b->coin_block[i] = (b->n >> 7) + i % blocks;
        b->coin_row[i] = i / blocks;
    }
}

/* Paths go up and then down, so there is no deadlock. */
static const sim_engine_ops ops = {destroy, start, advance, NULL, reset, count};

bough_status worm_butterfly_make(const bough_point *point, uint64_t unit, sim_engine **out,
                                 bough_error *error) {
    const bough_net *net = point->net;
    const bough_stream_law *law = point->traffic->law;
    butterfly *b;
    *out = NULL;
    bough_status status = bough_alloc(&b, 1, sizeof *b, error);
    if (status) return status;
    *out = &b->base;
    b->base.ops = &ops;
    b->net = net;
    b->n = net->endpoints;
    b->below_roots = net->nodes - (net->endpoints >> (net->levels + 1));
    b->pairs = (uint32_t)(b->below_roots - b->n);
    b->down = (uint32_t)(b->below_roots - 4 * b->n);
    for (unsigned l = 1; l <= net->levels; l++) b->first[l] = (uint32_t)(b->n / 2 * 3 - (b->n >> l));
    b->unit = (uint32_t)unit;
    b->hops_max = (uint32_t)net->hops_max;
    b->slack = (uint32_t)(law->flits * unit) - b->hops_max + 1;
    b->words = words_of(net);
    b->places = places_of(net);
    b->groups = net->groups;
    b->sink = (uint32_t)net->groups;
    butterfly_plan(b);
    plan_coins(b);
    b->bucket_mask = bucket_count(bough_law_longest(law) * unit) - 1;
    status = large_alloc(&b->port, b->groups + 1, sizeof *b->port, error);
    TRY(bough_alloc(&b->bucket, (uint64_t)b->bucket_mask + 1, sizeof *b->bucket, error));
    return status;
}
