/* Compression of a batch (bay1991, Routing of the batches): rank, least bit first, destination, body. At even
 * heights a vertex has two parents; it takes the first bit that comes for its choice and sends on the rest.
 */
#include "network/families/pruned_shape.h"
#include "papers/bay1991/bitserial/bit_machine.h"

#include <string.h>

static bool chooses(unsigned height) {
    return pruned_growth(height) == 2;
}

/* Bit `place` of a message's word: the destination from the bit that the top node needs, cyclically; body. */
static unsigned word_bit(const bit_machine *m, const bit_parcel *p, unsigned place) {
    unsigned d = bit_lg_top(m),
             bit = place < m->lg ? m->shape.body + (d + m->lg - 1 - place) % m->lg : m->word_bits - 1 - place;
    return p->word >> bit & 1;
}

static void receive(bit_top *top, unsigned bit) {
    top->word = top->word << 1 | bit;
    top->bits++;
}

static void to_parent(bit_machine *m, bit_place at, unsigned choice, unsigned bit) {
    uint32_t e = at.k | (uint32_t)choice << pruned_lg_vertices(at.height);
    bit_send(m, &m->up, bit_edge(m, at.height, at.node, e), bit);
}

/* A leaf that is itself the root of T: its word goes from the register of its queue to that of the top. */
static bool leave(bit_machine *m, bit_place at, unsigned which) {
    const bit_parcel *p = &m->leaf[at.node].out[which];
    bit_switch *s = &m->vertex[bit_vertex(m, at)];
    unsigned place = (unsigned)m->step - 1, v = m->width;
    if (!p->present || place >= v + m->word_bits) return false;
    unsigned bit = place < v ? p->rank >> place & 1 : word_bit(m, p, place - v);
    if (bit_lg_top(m) == 0)
        receive(bit_top_of(m, at.node, 0), bit);
    else if (place == 0)
        s->choice[which] = (uint8_t)bit;
    else
        to_parent(m, at, s->choice[which], bit);
    return true;
}

/* The top node: at the peak, what comes from T will be sorted in T'. */
static void arrive(bit_machine *m, bit_place at, unsigned side, unsigned bit) {
    uint32_t subtree = m->shape.top == SIDETRACK_PEAK ? 2 * at.node + !side : at.node;
    receive(bit_top_of(m, subtree, at.k), bit);
}

static bool climb(bit_machine *m, bit_place at, unsigned side) {
    bit_switch *s = &m->vertex[bit_vertex(m, at)];
    unsigned bit = m->up.now[bit_edge(m, at.height - 1, 2 * at.node + side, at.k)];
    if (bit == BIT_SILENT) return false;
    if (at.height == bit_lg_top(m)) {
        arrive(m, at, side, bit);
    } else if (chooses(at.height) && !s->got[side]) {
        s->got[side] = 1;
        s->choice[side] = (uint8_t)bit;
    } else {
        to_parent(m, at, s->choice[side], bit);
    }
    return true;
}

static bool compress(bit_machine *m, bit_place at) {
    bool first = at.height ? climb(m, at, 0) : leave(m, at, 0);
    bool second = at.height ? climb(m, at, 1) : leave(m, at, 1);
    return first || second;
}

static uint64_t run(bit_machine *m, bit_work *work, unsigned highest) {
    uint64_t steps = 0;
    bit_run_steps(m, (bit_run){work, highest, false}, &steps);
    return steps;
}

uint64_t bit_compress(bit_machine *m) {
    m->width = pruned_lg_vertices(bit_lg_top(m));
    uint64_t words = (uint64_t)(m->leaves >> (m->peak - 1)) << m->width;
    memset(m->top, 0, words * sizeof *m->top);
    return run(m, compress, bit_lg_top(m));
}

/* ---- 11: from the root of T by vertex k of the peak to the root of T' ---- */

static bool transfer(bit_machine *m, bit_place at) {
    unsigned q = m->peak - 1;
    bool works = false;
    if (at.height < q) return false;
    if (at.height > q) {
        for (unsigned side = 0; side < 2; side++) {
            unsigned bit = m->up.now[bit_edge(m, q, 2 * at.node + side, at.k)];
            if (bit == BIT_SILENT) continue;
            bit_send(m, &m->down, bit_edge(m, q, 2 * at.node + !side, at.k), bit);
            works = true;
        }
        return works;
    }
    bit_top *top = bit_top_of(m, at.node, at.k);
    uint64_t edge = bit_edge(m, q, at.node, at.k);
    if (top->bits && m->step <= m->word_bits) {
        bit_send(m, &m->up, edge, top->word >> (m->word_bits - m->step) & 1);
        works = true;
    }
    unsigned bit = m->down.now[edge];
    if (bit == BIT_SILENT) return works;
    top->sorted = top->sorted << 1 | bit;
    top->sorted_bits++;
    return true;
}

uint64_t bit_transfer(bit_machine *m) {
    if (m->shape.top == SIDETRACK_PEAK) return 0;
    uint64_t steps = run(m, transfer, m->peak), words = (uint64_t)(m->leaves >> (m->peak - 1))
                                                        << pruned_lg_vertices(m->peak - 1);
    for (bit_top *top = m->top; top < m->top + words; top++)
        *top = (bit_top){.word = top->sorted, .bits = top->sorted_bits};
    return steps;
}
