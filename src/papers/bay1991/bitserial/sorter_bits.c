#include "papers/bay1991/bitserial/sorter_bits.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/sorting_hardware/sorting_circuit.h"

#include <inttypes.h>
#include <string.h>

struct sorter_bits {
    sorting_circuit *circuit[SORTING_LEVELS];
    uint64_t *given, *wanted;
    uint64_t givens, wants, capacity;
    double ratio;
};

/* Flexible sorters are made anew for every sort: words, permutation, settings of the switches. */
uint64_t sorter_bits_bytes(const sorting_shape *shape, uint64_t messages) {
    uint64_t bytes = sizeof(sorter_bits) + bough_mul(messages, 16 + 4 * (8 + 4 + shape->lg_n / 4));
    for (unsigned t = 1; t <= shape->height; t++)
        bytes = bough_add(bytes, sorting_circuit_bytes(2 * sorting_capacity(shape, t - 1)));
    return bytes;
}

void sorter_bits_free(sorter_bits *b) {
    if (!b) return;
    for (unsigned t = 0; t < SORTING_LEVELS; t++) sorting_circuit_destroy(b->circuit[t]);
    FREE_ALL(b->given, b->wanted, b);
}

static bough_status check_words(const sortroute *r) {
    uint64_t body = bough_mul(r->options.body, r->set.size), least = ceil_lg(r->set.capacity);
    if (r->word_bits > SORTING_MESH_BITS_MAX)
        return bough_fail(r->error, BOUGH_INVALID, NULL,
                          "sortroute: engine=bits has registers of %d bits: words of %" PRIu64
                          " bits are too long; a shorter body= helps",
                          SORTING_MESH_BITS_MAX, r->word_bits);
    if (body >= least) return BOUGH_OK;
    return bough_fail(r->error, BOUGH_INVALID, NULL,
                      "sortroute: engine=bits numbers %" PRIu64
                      " messages in their bodies, which takes body=%" PRIu64 "; here body=%" PRIu64,
                      r->set.capacity, least, body);
}

bough_status sorter_bits_make(sortroute *r) {
    sorter_bits *b;
    bough_status status = check_words(r);
    sorter_bits_free(r->bits);
    r->bits = NULL;
    TRY(bough_alloc(&b, 1, sizeof *b, r->error));
    if (status) return status;
    r->bits = b;
    b->capacity = r->set.capacity;
    status = bough_alloc(&b->given, b->capacity, sizeof *b->given, r->error);
    TRY(bough_alloc(&b->wanted, b->capacity, sizeof *b->wanted, r->error));
    for (unsigned t = 1; t <= r->shape.height; t++)
        TRY(sorting_circuit_create(r->sorter[t].lines, (unsigned)r->word_bits, &b->circuit[t], r->error));
    return status;
}

/* ---- words ---- */

static uint64_t word_of(const sortroute *r, uint64_t id, sorter_prefix prefix) {
    const message_set *s = &r->set;
    uint64_t lg = r->shape.lg_n, word = prefix.peak;
    word = word << ceil_lg(lg) | prefix.batch;
    word = word << lg | s->target[id];
    word = word << lg | s->source[id];
    return word << bough_mul(r->options.body, s->size) | s->number[id];
}

void sorter_bits_give(sortroute *r, uint64_t id, sorter_prefix prefix) {
    r->bits->given[r->bits->givens++] = word_of(r, id, prefix);
}

void sorter_bits_want(sortroute *r, uint64_t id, sorter_prefix prefix) {
    r->bits->wanted[r->bits->wants++] = word_of(r, id, prefix);
}

/* ---- a sort ---- */

static bough_status check_order(const sortroute *r, unsigned t, bough_error *error) {
    const sorter_bits *b = r->bits;
    for (uint64_t i = 0; i < b->wants || i < b->givens; i++)
        if (i >= b->wants || i >= b->givens || b->given[i] != b->wanted[i])
            return bough_fail(error, BOUGH_FAILED, NULL,
                              "sortroute: engine=bits: a sorter of level %u with %" PRIu64
                              " words has another word than the engine at place %" PRIu64,
                              t, b->givens, i);
    return BOUGH_OK;
}

static bough_status check_steps(const sortroute *r, unsigned t, const bough_sorter_time *time) {
    uint64_t lines = r->sorter[t].lines, want = sorting_circuit_steps(lines, r->word_bits);
    uint64_t lemma = r->word_bits + ceil_lg(lines), took = time->sort / time->passes;
    if (took == want && took <= SORTING_CIRCUIT_STEPS_MAX * lemma) return BOUGH_OK;
    return bough_fail(
        r->error, BOUGH_FAILED, NULL,
        "sortroute: engine=bits: a sorting circuit for %" PRIu64 " words of %" PRIu64 " bits took %" PRIu64
        " bit steps; its formula says %" PRIu64 ", Lemma 9 at most %d (b + lg s) = %" PRIu64,
        lines, r->word_bits, took, want, SORTING_CIRCUIT_STEPS_MAX, SORTING_CIRCUIT_STEPS_MAX * lemma);
}

bough_status sorter_bits_sort(sortroute *r, unsigned t, uint64_t *steps) {
    sorter_bits *b = r->bits;
    bough_sorter_time time = {0};
    const bough_sorter_words words = {b->given, b->givens, b->circuit[t]};
    bough_status status = bough_sorter_run(&r->sorter[t], &words, &time, r->error);
    TRY(check_order(r, t, r->error));
    if (time.passes) TRY(check_steps(r, t, &time));
    *steps = time.bit_steps - time.load;
    if (time.passes) {
        const uint64_t steps_each = time.sort / time.passes;
        double ratio = (double)steps_each / (double)(r->word_bits + ceil_lg(r->sorter[t].lines));
        if (ratio > b->ratio) b->ratio = ratio;
    }
    b->givens = b->wants = 0;
    return status;
}

double sorter_bits_ratio(sorter_bits *b) {
    double ratio = b->ratio;
    b->ratio = 0;
    return ratio;
}
