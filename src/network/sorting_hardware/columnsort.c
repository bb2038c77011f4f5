#include "network/sorting_hardware/columnsort.h"
#include "base/compare.h"
#include "base/status/try.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX (UINT64_C(1) << 40)

/* 2 (C-1)^2, or a value larger than any R on overflow. */
static uint64_t least_rows(uint64_t columns) {
    return bough_mul(2, bough_mul(columns - 1, columns - 1));
}

static bool level_works(uint64_t rows, uint64_t columns) {
    return rows % columns == 0 && rows >= least_rows(columns);
}

static bough_status check_sizes(uint64_t words, uint64_t column, bough_error *error) {
    if (words < 1 || words > WORDS_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "Columnsort of %" PRIu64 " words: between 1 and 2^40 are supported", words);
    if (column < 1 || words % column)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "Columnsort of %" PRIu64 " words: columns of %" PRIu64 " do not divide them", words,
                          column);
    return BOUGH_OK;
}

bough_status bough_columnsort_level(uint64_t rows, uint64_t columns, bool below, bough_columnsort *plan,
                                    bough_error *error) {
    bough_status status = check_sizes(bough_mul(rows, columns), rows ? rows : 1, error);
    if (status) return status;
    if (columns > 1 && rows % columns)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "Columnsort of %" PRIu64 " columns of %" PRIu64
                          " words: the number of columns must divide the number of words in one",
                          columns, rows);
    if (!below && rows < least_rows(columns))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "Columnsort of C = %" PRIu64 " columns needs R >= 2 (C-1)^2 = %" PRIu64
                          " words per column; these have %" PRIu64,
                          columns, least_rows(columns), rows);
    *plan = (bough_columnsort){.words = rows * columns, .column = rows, .phases = 1};
    if (columns > 1) plan->phases = 4, plan->levels = 1, plan->rows[0] = rows;
    return BOUGH_OK;
}

/* ---- fewest levels ---- */

/* A virtual column consists of whole columns: count[i] columns, which divides their total number. */
typedef struct chain {
    uint64_t count; /* columns in the block */
    size_t next;    /* the block that it is sorted by */
    unsigned levels;
    bool known;
} chain;

static bough_status list_divisors(uint64_t number, chain **out, size_t *size, bough_error *error) {
    size_t capacity = 0, low = 0;
    *out = NULL;
    *size = 0;
    bough_status status = BOUGH_OK;
    for (uint64_t d = 1; d <= number / d && !status; d++) {
        if (number % d) continue;
        status = bough_grow(out, &capacity, *size + 1, sizeof **out, error);
        if (!status) (*out)[(*size)++] = (chain){.count = d};
    }
    low = *size;
    for (size_t i = low; i-- > 0 && !status;) {
        uint64_t other = number / (*out)[i].count;
        if (other == (*out)[i].count) continue;
        status = bough_grow(out, &capacity, *size + 1, sizeof **out, error);
        if (!status) (*out)[(*size)++] = (chain){.count = other};
    }
    if (status) free(*out);
    return status;
}

/* Blocks in ascending size: each is sorted by the smaller block that needs the fewest levels itself; ties:
 * the smallest. */
static void find_chains(chain *block, size_t size, uint64_t column) {
    block[0].known = true;
    for (size_t i = 1; i < size; i++)
        for (size_t k = 0; k < i; k++) {
            if (!block[k].known || block[i].count % block[k].count) continue;
            if (!level_works(block[k].count * column, block[i].count / block[k].count)) continue;
            if (block[i].known && block[k].levels + 1 >= block[i].levels) continue;
            block[i].known = true;
            block[i].levels = block[k].levels + 1;
            block[i].next = k;
        }
}

bough_status bough_columnsort_plan(uint64_t words, uint64_t column, bough_columnsort *plan,
                                   bough_error *error) {
    chain *block;
    size_t size;
    bough_status status = check_sizes(words, column, error);
    TRY(list_divisors(words / column, &block, &size, error));
    if (status) return status;
    find_chains(block, size, column);
    const chain *at = &block[size - 1];
    if (!at->known || at->levels > BOUGH_COLUMNSORT_LEVELS) {
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "Columnsort of %" PRIu64 " words in columns of %" PRIu64
                            ": no virtual columns of R words, C of them, have R >= 2 (C-1)^2 and C dividing "
                            "R at every level; use higher columns",
                            words, column);
    } else {
        *plan = (bough_columnsort){words, column, UINT64_C(1) << 2 * at->levels, at->levels, {0}};
        for (unsigned i = 0; i < plan->levels; i++) {
            at = &block[at->next];
            plan->rows[i] = at->count * column;
        }
    }
    free(block);
    return status;
}

/* ---- the permutations ---- */

/* Within a block of `words` words that a level sorts by columns of `rows`. */
static uint64_t move(uint64_t words, uint64_t rows, unsigned step, uint64_t place) {
    uint64_t columns = words / rows, half = rows / 2;
    switch (step) {
    case 0: /* transpose: read by columns, written by rows */
        return place % columns * rows + place / columns;
    case 1: /* inverse transpose */
        return place % rows * columns + place / rows;
    case 2: /* shift by half a column; the last half moves to the front */
        return place + half < words ? place + half : place + half - words;
    default: /* shift back; the words moved to the front were sorted with the first column: its upper half
                belongs at the end */
        if (place < rows - half) return place;
        return place < rows ? words - rows + place : place - half;
    }
}

uint64_t bough_columnsort_target(const bough_columnsort *plan, uint64_t phase, uint64_t place) {
    /* The innermost level advances after every phase, the next outer one after each fourth, and so on. */
    for (unsigned level = plan->levels; level-- > 0; phase /= 4) {
        uint64_t words = level ? plan->rows[level - 1] : plan->words;
        unsigned step = phase % 4;
        place = place / words * words + move(words, plan->rows[level], step, place % words);
        if (step != 3) break;
    }
    return place;
}
