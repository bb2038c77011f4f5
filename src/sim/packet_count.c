/* What links and packets have done since the last reset. */
#include "sim/packet_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- crossings that a byte cannot count: a hash table by links, with linear probing ---- */

static uint64_t spill_home(const spill *s, uint32_t link) {
    return (link * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->size - 1);
}

static uint64_t spill_find(const spill *s, uint32_t link) {
    uint64_t i = spill_home(s, link);
    while (s->times[i] && s->link[i] != link) i = (i + 1) & (s->size - 1);
    return i;
}

static bough_status spill_grow(spill *s, bough_error *error) {
    spill bigger = {.size = s->size ? 2 * s->size : 1024, .count = s->count};
    bough_status status = bough_alloc(&bigger.link, bigger.size, sizeof *bigger.link, error);
    if (!status) status = bough_alloc(&bigger.times, bigger.size, sizeof *bigger.times, error);
    if (status) {
        free(bigger.link);
        return status;
    }
    for (uint64_t i = 0; i < s->size; i++) {
        if (!s->times[i]) continue;
        uint64_t to = spill_find(&bigger, s->link[i]);
        bigger.link[to] = s->link[i];
        bigger.times[to] = s->times[i];
    }
    packet_spill_fini(s);
    *s = bigger;
    return BOUGH_OK;
}

void packet_spill_fini(spill *s) {
    free(s->link);
    free(s->times);
    *s = (spill){0};
}

void packet_count_overflow(engine *e, uint32_t link, unsigned phase) {
    spill *s = &e->spill[phase];
    if (2 * s->count >= s->size) {
        bough_status status = spill_grow(s, e->error);
        if (status) {
            e->status = status;
            return;
        }
    }
    uint64_t i = spill_find(s, link);
    if (!s->times[i]) s->link[i] = link, s->count++;
    s->times[i]++;
}

/* ---- the tally ---- */

void packet_reset(sim_engine *base) {
    engine *e = (engine *)base;
    e->reset_at = e->base.now;
    e->entered = e->entry_waited = 0;
    e->figures = (packet_figures){0};
    memset(e->grants, 0, sizeof e->grants);
    memset(e->waited, 0, sizeof e->waited);
    memset(e->crossed, 0, e->links);
    for (unsigned phase = 0; phase < 2; phase++) {
        spill *s = &e->spill[phase];
        if (s->count) memset(s->times, 0, s->size * sizeof *s->times);
        s->count = 0;
    }
}

uint64_t packet_crossed(const sim_engine *base, uint64_t link, unsigned phase) {
    const engine *e = (const engine *)base;
    const spill *s = &e->spill[phase];
    if (!e->two && phase) return 0;
    uint64_t byte = e->crossed[link], part = !e->two ? byte : phase ? byte >> 4 : byte & 15;
    return part + (s->count ? s->times[spill_find(s, (uint32_t)link)] * UINT64_C(16) * (e->two ? 1 : 16) : 0);
}

static uint64_t crossed_in_all(const sim_engine *base, uint64_t link) {
    return packet_crossed(base, link, 0) + packet_crossed(base, link, 1);
}

void packet_tally(const sim_engine *base, sim_tally *t) {
    const engine *e = (const engine *)base;
    *t = (sim_tally){
        .cycles = e->base.now - e->reset_at, .entered = e->entered, .entry_waited = e->entry_waited};
    memcpy(t->grants, e->grants, sizeof e->grants);
    memcpy(t->waited, e->waited, sizeof e->waited);
    for (uint64_t l = 0; l < e->links; l++) {
        uint64_t held = crossed_in_all(base, l);
        unsigned kind = e->kind ? e->kind[l] : 0;
        if (held > t->hot_held[SIM_HOT - 1]) {
            sim_tally_link(t, l, kind, held);
        } else { /* none of the hottest, as most */
            t->links[kind]++;
            t->held[kind] += held;
        }
    }
}

void packet_figures_of(const sim_engine *base, packet_figures *f) {
    const engine *e = (const engine *)base;
    *f = e->figures;
    for (uint64_t l = 0; l < e->links; l++) {
        uint64_t first = packet_crossed(base, l, 0), second = packet_crossed(base, l, 1);
        if (first > f->phase[0].load_max) f->phase[0].load_max = first;
        if (second > f->phase[1].load_max) f->phase[1].load_max = second;
        if (first + second > f->load_max) f->load_max = first + second;
    }
}

void packet_trace_of(const sim_engine *base, packet_trace *t) {
    const engine *e = (const engine *)base;
    *t = (packet_trace){.packets = e->used,
                        .links = e->links,
                        .stride = e->limit,
                        .route = e->route,
                        .length = (const uint16_t(*)[2])e->length,
                        .delay = (const uint32_t(*)[2])e->late};
}

void packet_ends_of(const sim_engine *base, uint64_t packet, uint32_t *source, uint32_t *address) {
    const cold *c = &((const engine *)base)->cold[packet];
    *source = c->source;
    *address = c->address;
}
