#include "network/sorting_hardware/sorting_circuit.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <string.h>

struct sorting_circuit {
    bough_columnsort plan;
    sorting_mesh *mesh; /* the C meshes work at the same time; the program runs them one after another */
    uint64_t *wired;    /* words on the wires of a permutation */
    unsigned bits;
};

/* C grows as long as its double still satisfies the condition of Columnsort, which also makes C divide R. */
uint64_t sorting_circuit_rows(uint64_t lines) {
    uint64_t columns = 1;
    while (lines / (2 * columns) >= 2 && lines / (2 * columns) >= 2 * (2 * columns - 1) * (2 * columns - 1))
        columns *= 2;
    return lines / columns;
}

uint64_t sorting_circuit_steps(uint64_t lines, uint64_t bits) {
    uint64_t rows = sorting_circuit_rows(lines), once = sorting_mesh_steps(rows, bits);
    return rows == lines ? once : 4 * once;
}

sorting_circuit_size sorting_circuit_measure(uint64_t lines, uint64_t bits, uint64_t switch_side,
                                             uint64_t bit) {
    uint64_t rows = sorting_circuit_rows(lines), meshes = lines / rows;
    uint64_t lg = (unsigned)__builtin_ctzll(rows), side = rows * (2 * switch_side + 2 * lg + 5);
    uint64_t high = lines * switch_side, stacked = high / side;
    if (stacked == 0) stacked = 1;
    if (stacked > meshes) stacked = meshes;
    uint64_t stacks = (meshes + stacked - 1) / stacked, buses = stacks > 1 ? 2 * lines : 0;
    sorting_circuit_size size = {stacked * side + buses, stacks * side + bits * bit};
    if (meshes > 1) size.length += 4 * lines;
    if (size.height < high) size.height = high;
    return size;
}

uint64_t sorting_circuit_bytes(uint64_t lines) {
    return sizeof(sorting_circuit) + sorting_mesh_bytes(sorting_circuit_rows(lines)) + lines * 8;
}

bough_status sorting_circuit_create(uint64_t lines, unsigned bits, sorting_circuit **out,
                                    bough_error *error) {
    sorting_circuit *c;
    if (lines < 2 || (lines & (lines - 1)))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "sorting circuit for %" PRIu64 " words: the words must be a power of two >= 2",
                          lines);
    bough_status status = bough_alloc(out, 1, sizeof *c, error);
    if (status) return status;
    c = *out;
    *c = (sorting_circuit){.bits = bits};
    uint64_t rows = sorting_circuit_rows(lines);
    status = sorting_mesh_create(rows, bits, &c->mesh, error);
    TRY(bough_columnsort_level(rows, lines / rows, false, &c->plan, error));
    TRY(bough_alloc(&c->wired, lines, sizeof *c->wired, error));
    if (status) {
        sorting_circuit_destroy(c);
        *out = NULL;
    }
    return status;
}

void sorting_circuit_destroy(sorting_circuit *c) {
    if (!c) return;
    sorting_mesh_destroy(c->mesh);
    FREE_ALL(c->wired, c);
}

/* All meshes sort; the phase takes as long as the longest. */
static bough_status sort_columns(sorting_circuit *c, uint64_t *word, uint64_t *steps, bough_error *error) {
    uint64_t longest = 0, took;
    bough_status status = BOUGH_OK;
    for (uint64_t at = 0; at < c->plan.words && !status; at += c->plan.column) {
        status = sorting_mesh_run(c->mesh, word + at, &took, error);
        if (took > longest) longest = took;
    }
    *steps += longest;
    return status;
}

/* The root of a column writes its line of the next sort: the wires take no step of their own. */
static void permute(sorting_circuit *c, uint64_t *word, uint64_t phase) {
    for (uint64_t p = 0; p < c->plan.words; p++)
        c->wired[bough_columnsort_target(&c->plan, phase, p)] = word[p];
    memcpy(word, c->wired, c->plan.words * sizeof *word);
}

static bough_status check_words(const sorting_circuit *c, const uint64_t *word, bough_error *error) {
    for (uint64_t p = 0; p < c->plan.words; p++)
        if (word[p] != SORTING_MESH_EMPTY && word[p] >> c->bits)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "sorting circuit: word %" PRIu64 " is %" PRIu64 ", more than %u bits", p,
                              word[p], c->bits);
    return BOUGH_OK;
}

bough_status sorting_circuit_run(sorting_circuit *c, uint64_t *word, uint64_t *steps, bough_error *error) {
    bough_status status = check_words(c, word, error);
    *steps = 0;
    for (uint64_t phase = 0; phase < c->plan.phases && !status; phase++) {
        status = sort_columns(c, word, steps, error);
        if (!status && c->plan.levels) permute(c, word, phase);
    }
    return status;
}
