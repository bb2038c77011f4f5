/* Start and end of worms, both batched. The coins and the path of a message are prepared before its cycle,
 * and the links of an arrived head are released later, since they stay taken for long enough. */
#include "engines/wormhole/worm_butterfly_state.h"

/* ---- paths (network/families/bft.c) ---- */

void butterfly_plan(butterfly *b) {
    for (unsigned apex = 1; apex <= b->net->levels; apex++) {
        plan *p = &b->plans[apex];
        for (unsigned step = 0; step < STEPS; step++) {
            unsigned down = step >= apex, level = down ? 2 * apex - step : step;
            if (step >= 2 * apex) {
                p->base[step] = step == 2 * apex ? b->sink : 8 * b->sink;
                continue;
            }
            b->path_steps[STEPS * apex + step] = (path_step){level ? (UINT32_C(1) << (level - 1)) - 1 : 0,
                                                             down ? 2 : 0, (uint8_t)(2 * level - down)};
            p->base[step] = down ? b->down + 4 * b->first[level] : b->first[level];
            p->keep[step] = -(UINT32_C(1) << 2 * level);
            p->shift[step] = down ? level - 1 : level ? level + 1 : 0;
            p->low[step] = down ? 2 * level - 2 : 0;
            p->child[step] = down ? 3 : 0;
            p->down[step] = down ? UINT32_MAX : 0;
        }
    }
}

/* The groups on the paths of several worms, if root were 0. */
NEWER static void plan_paths(butterfly *b, const uint32_t *who, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        worm *w = worm_at(b, who[i]);
        const plan *p = &b->plans[w->stage / STEPS];
        const uint32_t source = w->source, both = source ^ w->address;
        for (uint32_t k = 0; k < b->places; k += 8)
            for (uint32_t j = k; j < k + 8; j++) {
                uint32_t x = source ^ (both & p->down[j]);
                w->path[j] = p->base[j] + ((x & p->keep[j]) >> p->shift[j]) + (x >> p->low[j] & p->child[j]);
            }
    }
}

/* ---- messages from the source ---- */

/* Compacts every other bit. */
static uint32_t even_bits(uint32_t x) {
    x &= 0x55555555;
    x = (x | x >> 1) & 0x33333333;
    x = (x | x >> 2) & 0x0f0f0f0f;
    x = (x | x >> 4) & 0x00ff00ff;
    return (x | x >> 8) & 0xffff;
}

static uint32_t new_worm(butterfly *b, const bough_message *m) {
    uint32_t who = b->free_worm;
    if (who != NONE) {
        b->free_worm = worm_at(b, who)->next;
    } else {
        if (!GROW(b, pool, b->used + b->words)) return NONE;
        who = (uint32_t)b->used;
        b->used += b->words;
    }
    unsigned high = 31 - (unsigned)__builtin_clz((m->source ^ m->address) | 1);
    worm *w = worm_at(b, who);
    w->offered = m->time;
    w->next = NONE;
    w->id = m->id;
    w->source = m->source;
    w->address = m->address;
    w->even = even_bits(m->source);
    w->root = w->even >> 1;
    w->entry = 0;
    w->stage = STEPS * (high / 2 + 1);
    w->flits = (uint32_t)m->size * b->unit;
    return who;
}

/* Chains the message behind the one of the same source and cycle, if any, in this batch or already
 * requesting. */
static bool joins(butterfly *b, const bough_message *m, uint32_t who) {
    port *p = &b->port[m->source];
    for (uint32_t i = b->future_count; i > 0 && b->future[i - 1].time == m->time; i--) {
        future_message *n = &b->future[i - 1];
        if (n->source != m->source) continue;
        worm_at(b, n->last)->next = who;
        n->last = who;
        n->messages++;
        return true;
    }
    if (p->last == NONE || p->last == who) return false; /* who: of a worm that no longer exists */
    worm *last = worm_at(b, p->last);
    if (last->source != m->source || last->offered != m->time) return false;
    last->next = p->last = who;
    return true;
}

void butterfly_take_messages(butterfly *b) {
    bough_message batch[BATCH];
    uint32_t who[BATCH], got;
    do {
        got = b->source->pop(b->source, UINT64_MAX, batch, BATCH);
        b->future_at = b->future_count = 0;
        for (uint32_t i = 0; i < got; i++) __builtin_prefetch(&b->port[batch[i].source], 1);
        for (uint32_t i = 0; i < got; i++) {
            const bough_message *m = &batch[i];
            who[i] = new_worm(b, m);
            if (who[i] == NONE) return;
            port *p = &b->port[m->source];
            bool maybe = p->latest == (uint32_t)m->time; /* at a source: the last time in a batch */
            p->latest = (uint32_t)m->time;
            if (maybe && joins(b, m, who[i])) continue;
            b->future[b->future_count++] = (future_message){m->time, m->source, who[i], who[i], 1};
        }
        b->taken += got;
        b->future[b->future_count] = (future_message){BOUGH_NONE, b->sink, NONE, NONE, 0};
        plan_paths(b, who, got);
    } while (got && b->future_count == 0);
}

/* ---- arrivals ---- */

/* Sets the times at which the links of a worm become free. Beyond the path is the sink, so that the number of
 * iterations is constant. */
FEW_ITERATIONS static void release_links(butterfly *b, worm *w, uint32_t since, unsigned steps) {
    uint32_t *cell = (uint32_t *)(void *)b->port; /* eight per port */
    uint32_t first = since + w->flits - steps + 1;
    w->path[steps] = 8 * b->sink;
    for (uint32_t k = 0; k < b->hops_max; k++) {
        uint32_t link = w->path[k];
        cell[link] = first + k;                                /* free_at */
        cell[link + 2] += first + k;                           /* held */
        if (cell[(link & ~UINT32_C(7)) + 4] == NONE) continue; /* head */
        butterfly_schedule(b, first + k, link >> 3);
    }
}

void butterfly_release(butterfly *b) {
    uint32_t ins = b->arrival_count;
    b->arrival_count = 0;
    b->release_by = NEVER;
    if (ins == 0 || !GROW(b, out, b->outs + ins)) return;
    for (uint32_t i = 0; i < ins && !b->status; i++) {
        head_arrival e = b->arrival[i];
        worm *w = worm_at(b, e.who);
        unsigned steps = w->stage % STEPS;
        uint64_t in = b->epoch + e.at - 1 + w->flits;
        release_links(b, w, e.at, steps);
        if (in > b->last_free) b->last_free = in;
        b->out[b->outs++] =
            (sim_delivery){w->offered, w->offered + w->entry, in, w->id, w->source, w->address, steps};
        w->next = b->free_worm;
        b->free_worm = e.who;
    }
    b->base.arrived += ins;
}
