/* Statistics of links and packets since the last reset. */
#include "base/status/try.h"
#include "engines/packet/packet_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- crossings that overflow a byte: a hash table by links, with linear probing ---- */

static uint64_t spill_find(const spill *s, uint32_t link) {
    uint64_t i = (link * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->size - 1);
    while (s->times[i] && s->link[i] != link) i = (i + 1) & (s->size - 1);
    return i;
}

/* Entries of one run of occupied places ascend, so the table does not depend on the order in which links
 * came.
 */
static void spill_insert(spill *s, uint32_t link, uint32_t times) {
    uint64_t i = (link * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->size - 1);
    for (; s->times[i]; i = (i + 1) & (s->size - 1)) {
        if (s->link[i] < link) continue;
        uint32_t other = s->link[i], count = s->times[i];
        s->link[i] = link, s->times[i] = times;
        link = other, times = count;
    }
    s->link[i] = link, s->times[i] = times;
}

static bough_status spill_grow(spill *s, bough_error *error) {
    spill bigger = {.size = s->size ? 2 * s->size : 1024, .count = s->count};
    bough_status status = bough_alloc(&bigger.link, bigger.size, sizeof *bigger.link, error);
    TRY(bough_alloc(&bigger.times, bigger.size, sizeof *bigger.times, error));
    if (status) {
        free(bigger.link);
        return status;
    }
    for (uint64_t i = 0; i < s->size; i++) {
        if (s->times[i]) spill_insert(&bigger, s->link[i], s->times[i]);
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

static void add_overflows(engine *e, uint32_t link, unsigned phase, uint32_t times) {
    spill *s = &e->spill[phase];
    if (2 * s->count >= s->size) {
        bough_status status = spill_grow(s, e->error);
        if (status) {
            e->status = status;
            return;
        }
    }
    uint64_t i = spill_find(s, link);
    if (s->times[i]) {
        s->times[i] += times;
    } else {
        spill_insert(s, link, times);
        s->count++;
    }
}

void packet_count_overflow(engine *e, uint32_t link, unsigned phase) {
    add_overflows(e, link, phase, 1);
}

void packet_add_spill(engine *e, spill *of, unsigned phase) {
    for (uint64_t i = 0; i < of->size && of->count; i++) {
        if (!of->times[i]) continue;
        add_overflows(e, of->link[i], phase, of->times[i]);
        of->times[i] = 0;
        of->count--;
    }
}

void packet_reset(sim_engine *base) {
    engine *e = (engine *)base;
    e->reset_at = e->base.now;
    e->entered = e->entry_waited = 0;
    e->figures = (packet_figures){0};
    memset(e->grants, 0, sizeof e->grants);
    memset(e->waited, 0, sizeof e->waited);
    for (uint64_t r = 0; r < e->owns; r++)
        memset(e->crossed + e->own[r].first, 0, e->own[r].end - e->own[r].first);
    for (unsigned phase = 0; phase < 2; phase++) {
        spill *s = &e->spill[phase];
        if (s->count) memset(s->times, 0, s->size * sizeof *s->times);
        s->count = 0;
    }
}

/* The value of a link's byte for a phase. */
static uint64_t in_byte(const engine *e, uint64_t link, unsigned phase) {
    uint64_t byte = e->crossed[link];
    return !e->two ? phase ? 0 : byte : phase ? byte >> 4 : byte & 15;
}

static bool is_spilled(const engine *e, uint64_t link, unsigned phase) {
    const spill *s = &e->spill[phase];
    return s->count && s->times[spill_find(s, (uint32_t)link)];
}

static uint64_t crossed_in(const engine *e, uint64_t link, unsigned phase) {
    const spill *s = &e->spill[phase];
    uint64_t times = s->count ? s->times[spill_find(s, (uint32_t)link)] : 0;
    return in_byte(e, link, phase) + times * (e->two ? 16 : 256);
}

static bool is_own(const engine *e, uint64_t link) {
    for (uint64_t r = 0; r < e->owns; r++)
        if (link - e->own[r].first < e->own[r].end - e->own[r].first) return true;
    return false;
}

uint64_t packet_crossed(const sim_engine *base, uint64_t link, unsigned phase) {
    const engine *e = (const engine *)base;
    return is_own(e, link) ? crossed_in(e, link, phase) : 0;
}

static uint64_t crossed_in_all(const engine *e, uint64_t link) {
    return crossed_in(e, link, 0) + crossed_in(e, link, 1);
}

/* True if entry i holds a link that overflowed, and no earlier phase has an entry for it. */
static bool is_first_entry(const engine *e, unsigned phase, uint64_t i) {
    const spill *s = &e->spill[phase];
    return s->times[i] && !(phase && is_spilled(e, s->link[i], 0));
}

/* ---- the tally ---- */

/* The largest values of some links' bytes, for each phase and for both. */
typedef struct most_crossed {
    uint8_t phase[2], both;
} most_crossed;

enum { TOGETHER = 256 }; /* links */

static most_crossed most_in_bytes(const engine *e, uint64_t from, uint64_t end) {
    uint8_t most[3] = {0}, low = e->two ? 15 : 255; /* in bytes, so that the loop is vectorised */
    for (uint64_t l = from; l < end; l++) {
        uint8_t first = e->crossed[l] & low, second = (e->crossed[l] & (uint8_t)~low) >> 4,
                both = (uint8_t)(first + second);
        most[0] = first > most[0] ? first : most[0];
        most[1] = second > most[1] ? second : most[1];
        most[2] = both > most[2] ? both : most[2];
    }
    return (most_crossed){{most[0], most[1]}, most[2]};
}

/* Of a million links few are among the hottest, and the byte suffices to exclude the others. */
static void find_hot_in(const engine *e, link_range links, sim_tally *t) {
    for (uint64_t first = links.first; first < links.end; first += TOGETHER) {
        uint64_t end = first + TOGETHER < links.end ? first + TOGETHER : links.end;
        if (most_in_bytes(e, first, end).both <= t->hot_held[SIM_HOT - 1]) continue;
        for (uint64_t l = first; l < end; l++) {
            uint64_t crossed = in_byte(e, l, 0) + in_byte(e, l, 1);
            if (crossed > t->hot_held[SIM_HOT - 1] && !is_spilled(e, l, 0) && !is_spilled(e, l, 1))
                sim_tally_hot(t, l, crossed);
        }
    }
}

static void find_hot(const engine *e, sim_tally *t) {
    for (unsigned phase = 0; phase < 2; phase++)
        for (uint64_t i = 0; i < e->spill[phase].size; i++) {
            uint64_t link = e->spill[phase].link[i];
            if (is_first_entry(e, phase, i)) sim_tally_hot(t, link, crossed_in_all(e, link));
        }
    for (uint64_t r = 0; r < e->owns; r++) find_hot_in(e, e->own[r], t);
}

void packet_tally_links(const engine *e, sim_tally *t) {
    find_hot(e, t);
    for (uint64_t r = 0; r < e->owns; r++) {
        const link_range own = e->own[r];
        if (!e->kind) t->links[0] += own.end - own.first;
        for (uint64_t l = own.first; l < own.end && e->kind; l++) {
            t->links[e->kind[l]]++;
            t->held[e->kind[l]] += crossed_in_all(e, l);
        }
    }
}

static void copy_links(const sim_tally *of, sim_tally *t) {
    memcpy(t->links, of->links, sizeof t->links);
    memcpy(t->held, of->held, sizeof t->held);
    memcpy(t->hot_link, of->hot_link, sizeof t->hot_link);
    memcpy(t->hot_held, of->hot_held, sizeof t->hot_held);
}

void packet_tally(const sim_engine *base, sim_tally *t) {
    const engine *e = (const engine *)base;
    const sim_tally *all = e->ranks ? packet_ranks_links(e) : NULL;
    bool done = !e->moving.count && !e->queued && e->next_offer == BOUGH_NONE;
    uint64_t end = done ? e->sent_until : e->base.now; /* processing of the last arrivals is not a step */
    *t = (sim_tally){.cycles = end > e->reset_at ? end - e->reset_at : 0,
                     .entered = e->entered,
                     .entry_waited = e->entry_waited};
    memcpy(t->grants, e->grants, sizeof e->grants);
    memcpy(t->waited, e->waited, sizeof e->waited);
    if (all)
        copy_links(all, t);
    else
        packet_tally_links(e, t);
    if (!e->kind) t->held[0] = e->grants[0];
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void update_maxima(const engine *e, uint64_t link, packet_figures *f) {
    uint64_t first = crossed_in(e, link, 0), second = crossed_in(e, link, 1);
    if (first > f->phase[0].load_max) f->phase[0].load_max = first;
    if (second > f->phase[1].load_max) f->phase[1].load_max = second;
    if (first + second > f->load_max) f->load_max = first + second;
}

void packet_figures_of(const sim_engine *base, packet_figures *f) {
    const engine *e = (const engine *)base;
    *f = e->figures;
    if (e->ranks && packet_ranks_links(e)) return; /* they have those of all ranks */
    for (uint64_t r = 0; r < e->owns; r++) {
        const most_crossed most = most_in_bytes(e, e->own[r].first, e->own[r].end);
        for (unsigned phase = 0; phase < 2; phase++)
            f->phase[phase].load_max = larger(f->phase[phase].load_max, most.phase[phase]);
        f->load_max = larger(f->load_max, most.both);
    }
    for (unsigned phase = 0; phase < 2; phase++)
        for (uint64_t i = 0; i < e->spill[phase].size; i++)
            if (is_first_entry(e, phase, i)) update_maxima(e, e->spill[phase].link[i], f);
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

void packet_ends_of(const sim_engine *base, uint64_t number, uint32_t *source, uint32_t *address) {
    const packet_record *c = &((const engine *)base)->record[number];
    *source = c->source;
    *address = c->address;
}
