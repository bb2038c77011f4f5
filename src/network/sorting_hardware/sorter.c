#include "network/sorting_hardware/sorter.h"
#include "base/status/try.h"

#include "base/memory/memory.h"
#include "network/sorting_hardware/columnsort.h"
#include "network/sorting_hardware/permuter.h"
#include "network/sorting_hardware/sorting_circuit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MAX (UINT64_C(1) << 40)

static bool power_of_two(uint64_t x) {
    return x && !(x & (x - 1));
}

static uint64_t power_from(uint64_t x) {
    uint64_t p = 1;
    while (p < x) p *= 2;
    return p;
}

static bough_status check(const bough_sorter *s, uint64_t words, bough_error *error) {
    if (s->lines < 2 || !power_of_two(s->lines) || s->capacity < s->lines || s->capacity % s->lines ||
        !power_of_two(s->capacity / s->lines) || s->capacity > CAPACITY_MAX || s->bits < 1 ||
        s->bits > UINT32_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "flexible sorter of words of %" PRIu64 " bits, s = %" PRIu64 " lines, l = %" PRIu64
                          ": s must be a power of two >= 2 and l a power of two from s to 2^40",
                          s->bits, s->lines, s->capacity);
    if (words > s->capacity)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%" PRIu64 " words exceed the capacity l = %" PRIu64
                          " of a flexible sorter with s = %" PRIu64,
                          words, s->capacity, s->lines);
    return BOUGH_OK;
}

static bough_status plan_for(const bough_sorter *s, uint64_t columns, bough_columnsort *plan,
                             bough_error *error) {
    return bough_columnsort_plan(columns * s->lines, s->lines, plan, error);
}

/* Bits of the fields before that of w: one column needs no permutation, so the fields start with w' = 2. */
static bough_status setup_bits(const bough_sorter *s, uint64_t columns, uint64_t *bits, bough_error *error) {
    bough_status status = BOUGH_OK;
    *bits = 0;
    for (uint64_t w = 2; w < columns && !status; w *= 2) {
        bough_columnsort plan;
        status = plan_for(s, w, &plan, error);
        if (!status) *bits += 2 * w * plan.phases;
    }
    return status;
}

bough_status bough_sorter_measure(const bough_sorter *s, uint64_t words, bough_sorter_time *time,
                                  bough_error *error) {
    *time = (bough_sorter_time){.words = words};
    bough_columnsort plan;
    bough_status status = check(s, words, error);
    if (status || words == 0) return status;
    uint64_t groups = (words + s->lines - 1) / s->lines, w = power_from(groups);
    status = plan_for(s, w, &plan, error);
    TRY(setup_bits(s, w, &time->setup, error));
    if (status) return status;
    bough_permuter_steps each = bough_permuter_time(&(bough_permuter){s->lines, w, s->bits});
    time->columns = w;
    time->phases = plan.phases;
    time->permutations = w > 1 ? plan.phases : 0;
    time->passes = plan.phases * w;
    time->word_steps = groups + time->passes + time->permutations * each.words;
    time->load = groups * s->bits;
    time->sort = time->passes * (s->bits + (unsigned)__builtin_ctzll(s->lines));
    time->permute = time->permutations * each.bits;
    time->bit_steps = time->load + time->setup + time->sort + time->permute;
    return BOUGH_OK;
}

/* ---- the circuit ---- */

static unsigned ceil_lg(uint64_t x) {
    return x > 1 ? 64 - (unsigned)__builtin_clzll(x - 1) : 0;
}

/* Even labels above 2^(m-1), up to 2^m, are 2^(m-2) cells; m = 1 is the single label 2. */
static uint64_t cells_of(unsigned m) {
    return m < 2 ? 1 : UINT64_C(1) << (m - 2);
}

bough_status bough_sorter_lay_out(const bough_sorter *s, bough_sorter_length *length, bough_error *error) {
    *length = (bough_sorter_length){0};
    bough_status status = check(s, 0, error);
    if (status) return status;
    uint64_t cells = s->capacity / s->lines, lg = ceil_lg(s->lines), control = 0;
    length->circuit = bough_mul(s->lines, (s->bits + lg - 1) / lg);
    length->words = bough_mul(cells, s->bits);
    length->wires = s->lines - 1;
    length->formula = bough_add(length->circuit, bough_mul(cells, s->bits + ceil_lg(s->capacity)));
    for (unsigned k = ceil_lg(cells); k > 0 && !status; k--) {
        bough_columnsort plan;
        status = plan_for(s, UINT64_C(1) << k, &plan, error);
        if (status) break;
        control += 2 * plan.phases * k;
        length->cells += control * cells_of(k); /* of the cells that widths >= 2^k use */
        length->omega += lg * (2 * plan.phases << k);
    }
    return status;
}

/* ---- the machine ---- */

typedef struct machine {
    const bough_sorter *sorter;
    bough_columnsort plan;
    uint64_t *word;   /* w s elements; places without a word hold the largest key */
    uint32_t *target; /* w s elements, and w for the permuter */
    bough_benes benes;
    sorting_circuit *circuit;
    uint64_t longest; /* steps of a sort on the circuit */
} machine;

static bough_status sort_column(machine *m, uint64_t *column, bough_error *error) {
    uint64_t steps;
    bough_status status = sorting_circuit_run(m->circuit, column, &steps, error);
    if (steps > m->longest) m->longest = steps;
    for (uint64_t p = 1; p < m->sorter->lines && !status; p++)
        if (column[p - 1] > column[p])
            status = bough_fail(error, BOUGH_FAILED, NULL,
                                "the sorting circuit for %" PRIu64 " words put word %" PRIu64
                                " behind a larger one",
                                m->sorter->lines, p);
    return status;
}

static bough_status sort_columns(machine *m, bough_sorter_time *time, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t c = 0; c < m->plan.words && !status; c += m->sorter->lines) {
        status = sort_column(m, m->word + c, error);
        time->passes++;
        time->word_steps++;
    }
    return status;
}

static bough_status permute(machine *m, uint64_t phase, bough_sorter_time *time, bough_error *error) {
    uint32_t words = (uint32_t)m->plan.words;
    const bough_permuter permuter = {m->sorter->lines, words / m->sorter->lines, m->sorter->bits};
    for (uint32_t p = 0; p < words; p++) m->target[p] = (uint32_t)bough_columnsort_target(&m->plan, phase, p);
    bough_status status = bough_benes_find(&m->benes, m->target, error);
    if (status) return status;
    bough_permuter_steps took = bough_permuter_run(&permuter, &m->benes, m->word, m->target + words);
    time->permutations++;
    time->word_steps += took.words;
    time->permute += took.bits;
    return BOUGH_OK;
}

static bough_status run_phases(machine *m, bough_sorter_time *time, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint64_t phase = 0; phase < m->plan.phases && !status; phase++) {
        status = sort_columns(m, time, error);
        time->phases++;
        if (!status && time->columns > 1) status = permute(m, phase, time, error);
    }
    return status;
}

bough_status bough_sorter_run(const bough_sorter *s, const bough_sorter_words *in, bough_sorter_time *time,
                              bough_error *error) {
    *time = (bough_sorter_time){.words = in->words};
    machine m = {.sorter = s, .circuit = in->circuit};
    bough_status status = check(s, in->words, error);
    if (status || in->words == 0) return status;
    uint64_t groups = (in->words + s->lines - 1) / s->lines, w = power_from(groups), places = w * s->lines;
    status = plan_for(s, w, &m.plan, error);
    TRY(setup_bits(s, w, &time->setup, error));
    TRY(bough_permuter_network(&(bough_permuter){s->lines, w, s->bits}, &m.benes, error));
    TRY(bough_alloc(&m.word, places, sizeof *m.word, error));
    TRY(bough_alloc(&m.target, places + w, sizeof *m.target, error));
    if (!status) {
        time->columns = w;
        time->word_steps = groups;
        time->load = groups * s->bits;
        memset(m.word, 0xff, places * sizeof *m.word);
        memcpy(m.word, in->key, in->words * sizeof *in->key);
        status = run_phases(&m, time, error);
    }
    if (!status) memcpy(in->key, m.word, in->words * sizeof *in->key);
    time->sort = time->passes * m.longest;
    time->bit_steps = time->load + time->setup + time->sort + time->permute;
    bough_benes_fini(&m.benes);
    FREE_ALL(m.word, m.target);
    return status;
}

bough_sorter bough_sorter_at(uint64_t terminals, uint64_t degree, uint64_t bits) {
    unsigned lg = (unsigned)__builtin_ctzll(terminals);
    uint64_t lines = UINT64_C(1) << (lg % 2 ? (lg + 1) / 2 : lg / 2 + 1);
    return (bough_sorter){lines, terminals * power_from(degree), bits};
}
