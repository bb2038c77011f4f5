/* Bit steps of the operations of bay1991, section 4.3, each bit-serial, by its own formula.
 *
 * Word: destination, source and body, preceded by the peak level and the batch: b = body + 2 lg N + ceil(lg
 * height) + ceil(lg lg N).
 *
 * Mesh steps ("standard mesh routing techniques based on sorting and prefix computation"). A unit route moves
 * a word to an adjacent terminal in b bit steps. A terminal holds R words, the smallest power of two above d
 * ("a pair of b-bit shift registers" for d = 1). Sorting: bitonic sort in shuffled row-major order, 14 (side
 * - 1) - 8 lg side unit routes (Thompson, Kung: Sorting on a mesh-connected parallel computer, 1977), R times
 * as many for blocks of R words. Spreading sorted words to ascending places: the bits of the place from the
 * highest on, 4 (side - 1) unit routes, R times. A prefix: another 4 (side - 1). Steps 1 and 8 sort by
 * destination, count words of one destination, spread; step 3 sorts by batch, sorts by the place row by row,
 * spreads. (O(lg N) words, so O(lg^2 N) bit steps; the paper's O(log N) holds for links as wide as a word.
 * Theorem 3 is not affected.)
 *
 * Step 2: comparison of source and destination, lg N; a prefix for each of the `height` peak levels, up and
 * down the N-leaf tree bit by bit, 2 lg N and the bits of a count (Lemma 2); the remainder mod lg N, lg N
 * (section 3.2).
 *
 * A stage: the longest job, which is a sort without its loading (done by the waves of the previous stage; in
 * step 7 a node's own words are shifted in) and b for each wave; then synchronization, up and down the tree
 * of nodes. Step 5: the longest sort. Step 6: marking with the place mod lg N, and the longest sort. */
#include "base/memory/memory.h"
#include "papers/bay1991/sortroute_state.h"

uint64_t sortroute_word_bits(const sortroute *r) {
    return bough_mul(r->options.body, r->set.size) + 2 * r->shape.lg_n + ceil_lg(r->shape.height) +
           ceil_lg(r->shape.lg_n);
}

static uint64_t mesh_sort(const sortroute *r) {
    return r->registers * (14 * (r->shape.side - 1) - 8 * r->shape.lg_side);
}

static uint64_t mesh_spread(const sortroute *r) {
    return r->registers * 4 * (r->shape.side - 1);
}

static uint64_t mesh_prefix(const sortroute *r) {
    return 4 * (r->shape.side - 1);
}

uint64_t sortroute_step_bits(const sortroute *r, unsigned step) {
    uint64_t lg = r->shape.lg_n, count_bits = lg + ceil_lg(r->set.degree + 1);
    switch (step) {
    case 1:
        return lg + r->word_bits * (mesh_sort(r) + mesh_prefix(r) + mesh_spread(r));
    case 2:
        return lg + r->shape.height * (2 * lg + count_bits) + lg;
    case 3:
        return r->word_bits * (2 * mesh_sort(r) + mesh_spread(r));
    default:
        return r->word_bits * (mesh_sort(r) + mesh_prefix(r) + mesh_spread(r));
    }
}

uint64_t sortroute_sync_bits(const sortroute *r) {
    return 2 * r->shape.height;
}

bough_status sortroute_make_times(sortroute *r) {
    bough_status status = BOUGH_OK;
    for (unsigned t = 1; t <= r->shape.height && !status; t++) {
        bough_sorter *s = &r->sorter[t];
        *s = bough_sorter_at(UINT64_C(1) << (2 * r->shape.lg_side + t), r->set.degree, r->word_bits);
        unsigned sizes = ceil_lg(s->capacity / s->lines) + 1;
        if (!r->time[t]) status = bough_alloc(&r->time[t], SORTING_LEVELS, sizeof **r->time, r->error);
        for (unsigned i = 0; i < sizes && !status; i++) {
            status = bough_sorter_measure(s, s->lines << i, &r->time[t][i], r->error);
            r->time[t][i].bit_steps -= r->time[t][i].load;
        }
    }
    return status;
}

const bough_sorter_time *sortroute_sort_time(const sortroute *r, unsigned t, uint64_t words) {
    return &r->time[t][ceil_lg(ceil_div(words, r->sorter[t].lines))];
}
