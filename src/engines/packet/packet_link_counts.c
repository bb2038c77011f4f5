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
    memset(e->crossed, 0, e->links);
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

uint64_t packet_crossed(const sim_engine *base, uint64_t link, unsigned phase) {
    return crossed_in((const engine *)base, link, phase);
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
static void find_hot_in_bytes(const engine *e, sim_tally *t) {
    for (uint64_t first = 0; first < e->links; first += TOGETHER) {
        uint64_t end = first + TOGETHER < e->links ? first + TOGETHER : e->links;
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
    find_hot_in_bytes(e, t);
}

void packet_tally(const sim_engine *base, sim_tally *t) {
    const engine *e = (const engine *)base;
    bool done = !e->moving.count && !e->queued && e->next_offer == BOUGH_NONE;
    uint64_t end = done ? e->sent_until : e->base.now; /* processing of the last arrivals is not a step */
    *t = (sim_tally){.cycles = end > e->reset_at ? end - e->reset_at : 0,
                     .entered = e->entered,
                     .entry_waited = e->entry_waited};
    memcpy(t->grants, e->grants, sizeof e->grants);
    memcpy(t->waited, e->waited, sizeof e->waited);
    find_hot(e, t);
    if (!e->kind) t->links[0] = e->links, t->held[0] = e->grants[0];
    for (uint64_t l = 0; l < e->links && e->kind; l++) {
        t->links[e->kind[l]]++;
        t->held[e->kind[l]] += crossed_in_all(e, l);
    }
}

static void update_maxima(const engine *e, uint64_t link, packet_figures *f) {
    uint64_t first = crossed_in(e, link, 0), second = crossed_in(e, link, 1);
    if (first > f->phase[0].load_max) f->phase[0].load_max = first;
    if (second > f->phase[1].load_max) f->phase[1].load_max = second;
    if (first + second > f->load_max) f->load_max = first + second;
}

void packet_figures_of(const sim_engine *base, packet_figures *f) {
    const engine *e = (const engine *)base;
    const most_crossed most = most_in_bytes(e, 0, e->links);
    *f = e->figures;
    for (unsigned phase = 0; phase < 2; phase++) f->phase[phase].load_max = most.phase[phase];
    f->load_max = most.both;
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
