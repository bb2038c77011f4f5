#include "network/sorting_hardware/permuter.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stddef.h>

static void add_up(const bough_permuter *p, bough_permuter_steps *s) {
    s->words = s->neighbour + s->turn;
    s->bits = (p->bits + 1) * s->neighbour + p->bits * s->turn + 2 * (unsigned)__builtin_ctzll(p->lines);
}

bough_permuter_steps bough_permuter_time(const bough_permuter *p) {
    /* Interleaving blocks of 2^(j+1) cells takes 2^j - 1 steps, the exchange 1; both ways. */
    bough_permuter_steps s = {.neighbour = 2 * (p->cells - 1), .turn = 2 * p->cells};
    add_up(p, &s);
    return s;
}

bough_status bough_permuter_network(const bough_permuter *p, bough_benes *benes, bough_error *error) {
    uint8_t order[BOUGH_BENES_DIMENSIONS];
    uint64_t lines = p->lines, cells = p->cells, words = bough_mul(lines, cells);
    if (lines < 2 || cells < 1 || (lines & (lines - 1)) || (cells & (cells - 1)) ||
        words > UINT64_C(1) << BOUGH_BENES_DIMENSIONS) {
        *benes = (bough_benes){0};
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "permuter of %" PRIu64 " cycles of %" PRIu64
                          " cells: powers of two are needed, at least 2 cycles and at most 2^%d words",
                          lines, cells, BOUGH_BENES_DIMENSIONS);
    }
    unsigned between = (unsigned)__builtin_ctzll(lines), within = (unsigned)__builtin_ctzll(cells);
    for (unsigned j = 0; j < within; j++) order[j] = (uint8_t)(between + j);
    for (unsigned i = 0; i < between; i++) order[within + i] = (uint8_t)(between - 1 - i);
    return bough_benes_make((uint32_t)words, order, benes, error);
}

/* ---- the machine ---- */

typedef struct machine {
    uint32_t lines, cells;
    const bough_benes *benes;
    uint64_t *word;   /* of cell c, cycle l: word[c lines + l] */
    uint32_t *number; /* per cell: the cell whose words it holds initially; the same in every cycle */
    bough_permuter_steps took;
} machine;

static void exchange_words(machine *m, uint64_t a, uint64_t b) {
    uint64_t word = m->word[a];
    m->word[a] = m->word[b];
    m->word[b] = word;
}

/* Exchanges cells c and c + 1 of every cycle, regardless of their contents. */
static void exchange_cells(machine *m, uint32_t c) {
    uint32_t number = m->number[c];
    m->number[c] = m->number[c + 1];
    m->number[c + 1] = number;
    for (uint32_t l = 0; l < m->lines; l++)
        exchange_words(m, (uint64_t)c * m->lines + l, (uint64_t)(c + 1) * m->lines + l);
}

/* One step of interleaving blocks of 2 half cells: exchanges neighbours in a growing triangle about the
 * middle. */
static void triangle(machine *m, uint32_t half, uint32_t width) {
    for (uint32_t block = 0; block < m->cells; block += 2 * half)
        for (uint32_t i = 0; i < width; i++) exchange_cells(m, block + half - width + 2 * i);
    m->took.neighbour++;
}

/* Neighbours 2 i and 2 i + 1 exchange words: one Benes stage. */
static void meet(machine *m, unsigned stage) {
    for (uint32_t c = 0; c < m->cells; c += 2)
        for (uint32_t l = 0; l < m->lines; l++)
            if (bough_benes_set(m->benes, stage, m->number[c] * m->lines + l))
                exchange_words(m, (uint64_t)c * m->lines + l, (uint64_t)(c + 1) * m->lines + l);
    m->took.neighbour++;
}

/* The words of a cell pass a stage between cycles. */
static void pass_stage(machine *m, uint32_t cell, unsigned stage) {
    uint32_t bit = UINT32_C(1) << bough_benes_dimension(m->benes, stage);
    for (uint32_t l = 0; l < m->lines; l++)
        if (!(l & bit) && bough_benes_set(m->benes, stage, m->number[cell] * m->lines + l))
            exchange_words(m, (uint64_t)cell * m->lines + l, (uint64_t)cell * m->lines + (l | bit));
}

/* The cycles rotate once: the words of each cell in turn pass stages first .. last - 1. */
static void turn(machine *m, unsigned first, unsigned last) {
    for (uint32_t c = 0; c < m->cells; c++, m->took.turn++)
        for (unsigned t = first; t < last; t++) pass_stage(m, c, t);
}

bough_permuter_steps bough_permuter_run(const bough_permuter *p, const bough_benes *benes, uint64_t *word,
                                        uint32_t *space) {
    machine m = {(uint32_t)p->lines, (uint32_t)p->cells, benes, word, space, {0}};
    unsigned within = (unsigned)__builtin_ctz(m.cells), stages = bough_benes_stages(m.lines * m.cells);
    for (uint32_t c = 0; c < m.cells; c++) m.number[c] = c;
    for (unsigned j = 0; j < within; j++) {
        for (uint32_t width = 1; width < UINT32_C(1) << j; width++) triangle(&m, UINT32_C(1) << j, width);
        meet(&m, j);
    }
    turn(&m, within, benes->dimensions);
    turn(&m, benes->dimensions, stages - within); /* the middle stage is passed again, but not used */
    for (unsigned j = within; j-- > 0;) {
        meet(&m, stages - 1 - j);
        for (uint32_t width = (UINT32_C(1) << j) - 1; width > 0; width--)
            triangle(&m, UINT32_C(1) << j, width);
    }
    add_up(p, &m.took);
    return m.took;
}
