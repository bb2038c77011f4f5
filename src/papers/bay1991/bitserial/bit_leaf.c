/* What leaves do by themselves: which of their messages are in a batch, queues, new peaks (bay1991, 3.2). */
#include "network/families/pruned_shape.h"
#include "papers/bay1991/bitserial/bit_machine.h"

#include <string.h>

static uint64_t low_bits(unsigned bits) {
    return (UINT64_C(1) << bits) - 1;
}

static uint64_t run_leaves(bit_machine *m, bit_work *work) {
    uint64_t steps = 0;
    bit_run_steps(m, (bit_run){work, 0, true}, &steps);
    return steps;
}

/* ---- 7: modulo ---- */

/* -x mod lambda_T: the number, from 0, of the leaf's message that batch 0 takes. D is lambda_T shifted by z
 * places so that its greatest bit is in place c - 1; then (-x mod lambda_T) 2^z = (-x 2^z) mod D, and R = -x
 * is reduced by D, doubled and reduced z times. R is carry-save, because carries would take c steps: the four
 * greatest bits of both words say whether to subtract D, to add it, or neither, so that |R| stays at most D.
 * At the end R and R + D are added up from the least bit, without the z lowest, and the sign, bit c, selects.
 */
static void reduce(const bit_machine *m, bit_leaf *l) {
    unsigned c = m->width;
    uint64_t all = low_bits(c + 3), top = ((l->sum >> (c - 1)) + (l->carries >> (c - 1))) & 15, term, one = 0;
    if (top < 8) {
        term = ~l->divisor & all;
        one = 1;
    } else {
        term = top == 15 ? 0 : l->divisor;
    }
    uint64_t sum = l->sum ^ l->carries ^ term;
    l->carries = (((l->sum & l->carries) | (l->sum & term) | (l->carries & term)) << 1 | one) & all;
    l->sum = sum;
}

static void modulo_row(const bit_machine *m, bit_leaf *l) {
    uint64_t all = low_bits(m->width + 3);
    if (m->step == 1) {
        l->sum = ~l->x & all;
        l->carries = 1;
    } else if (m->step <= l->zeros + 1u) {
        l->sum = l->sum << 1 & all;
        l->carries = l->carries << 1 & all;
    }
    if (m->step <= l->zeros + 1u) reduce(m, l);
}

static void modulo_bit(const bit_machine *m, bit_leaf *l) {
    unsigned place = (unsigned)m->step - m->width - 1;
    unsigned both = (unsigned)(l->sum >> place & 1) + (unsigned)(l->carries >> place & 1);
    unsigned plain = both + l->carry[0], plus = both + (l->divisor >> place & 1) + l->carry[1];
    l->carry[0] = (uint8_t)(plain >> 1);
    l->carry[1] = (uint8_t)(plus >> 1);
    if (place == m->width) {
        if (plain & 1) l->wait = l->plus;
    } else if (place >= l->zeros) {
        l->wait |= (uint64_t)(plain & 1) << (place - l->zeros);
        l->plus |= (uint64_t)(plus & 1) << (place - l->zeros);
    }
}

static bool modulo(bit_machine *m, bit_place at) {
    bit_leaf *l = &m->leaf[at.node];
    if (m->step > 2 * m->width + 1) return false;
    if (m->step <= m->width)
        modulo_row(m, l);
    else
        modulo_bit(m, l);
    return true;
}

uint64_t bit_modulo(bit_machine *m) {
    return run_leaves(m, modulo);
}

/* ---- 17: messages of the leaf in the batch ---- */

/* a < b, from the least bit. */
static void compare(uint8_t *less, unsigned a, unsigned b) {
    if (a != b) *less = a < b;
}

static unsigned add(uint8_t *carry, unsigned a, unsigned b) {
    unsigned s = a + b + *carry;
    *carry = (uint8_t)(s >> 1);
    return s & 1;
}

static void put(uint64_t *word, unsigned place, unsigned bit) {
    *word = (*word & ~(UINT64_C(1) << place)) | (uint64_t)bit << place;
}

/* The leaf's messages wait, wait + lambda_T, ... are in this batch, as far as there are so many; no more than
 * two. Counts one in the same steps: wait + 1, or 0 after lambda_T - 1; and the batches. */
static bool select_messages(bit_machine *m, bit_place at) {
    bit_leaf *l = &m->leaf[at.node];
    unsigned place = (unsigned)m->step - 1;
    if (m->step > m->width) return false;
    unsigned wait = l->wait >> place & 1, y = l->y >> place & 1, lambda = l->lambda >> place & 1,
             turn = l->turn >> place & 1, next = add(&l->carry[0], wait, 0);
    compare(&l->is[0], wait, y);
    compare(&l->is[1], add(&l->carry[1], wait, lambda), y);
    compare(&l->is[2], turn, lambda);
    if (next != lambda) l->is[3] = 0;
    put(&l->wait, place, next);
    put(&l->turn, place, add(&l->carry[2], turn, 0));
    if (m->step < m->width) return true;
    if (l->is[3]) l->wait = 0;
    l->due = (uint8_t)(l->is[2] ? l->is[0] + (l->is[1] && !l->carry[1]) : 0);
    return true;
}

uint64_t bit_select(bit_machine *m) {
    m->width = m->shape.counter;
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) {
        bit_leaf *l = &m->leaf[leaf];
        l->carry[0] = l->carry[2] = l->is[3] = 1; /* adds one */
        l->carry[1] = l->is[0] = l->is[1] = l->is[2] = 0;
    }
    return run_leaves(m, select_messages);
}

/* ---- 8: two deletemins; 15: two inserts ---- */

static bool deletemin(bit_machine *m, bit_place at) {
    bit_leaf *l = &m->leaf[at.node];
    unsigned which = (unsigned)(m->step - 1) / m->record_bits,
             place = (unsigned)(m->step - 1) % m->record_bits;
    if (which >= l->due) return false;
    unsigned bit = bit_queue_deletemin(&m->queues, at.node, place);
    if (bit == BIT_SILENT) {
        m->clash = true; /* the counter says that there is one */
        return false;
    }
    l->out[which].present = true;
    l->out[which].word = l->out[which].word << 1 | bit;
    return true;
}

uint64_t bit_deletemin(bit_machine *m) {
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) memset(m->leaf[leaf].out, 0, sizeof m->leaf[leaf].out);
    return run_leaves(m, deletemin);
}

/* The counter of the message's level is increased meanwhile. */
static void count_one(bit_machine *m, uint32_t leaf, unsigned level, unsigned place) {
    bit_leaf *l = &m->leaf[leaf];
    if (place >= m->shape.counter) return;
    uint64_t *counter = &m->counter[(uint64_t)leaf * m->lg + level];
    if (place == 0) l->carry[0] = 1;
    put(counter, place, add(&l->carry[0], *counter >> place & 1, 0));
}

static bool insert(bit_machine *m, bit_place at) {
    unsigned which = (unsigned)(m->step - 1) / m->record_bits,
             place = (unsigned)(m->step - 1) % m->record_bits;
    if (which > 1) return false;
    bit_parcel *p = &m->leaf[at.node].in[which];
    if (!p->present) return which == 0 && m->leaf[at.node].in[1].present; /* waits for the second */
    bit_queue_insert(&m->queues, at.node, p->word >> (m->record_bits - 1 - place) & 1);
    count_one(m, at.node, (unsigned)(p->word >> m->word_bits), place);
    return true;
}

uint64_t bit_insert(bit_machine *m) {
    return run_leaves(m, insert);
}

/* ---- 14: new peaks ---- */

/* A bit of the destination: an active message has lost a bit of it at each vertex, a sidetracked one those
 * before it was sidetracked. These bits are the leaf's own. In the packet follow the destination's bits above
 * the top, the rank, and the body. */
static unsigned destination_bit(const bit_machine *m, uint32_t leaf, const bit_parcel *p, unsigned place) {
    unsigned d = bit_lg_top(m), after = m->shape.body + pruned_lg_vertices(d) + m->lg - d;
    return place < p->bits - after ? p->word >> (after + place) & 1 : leaf >> place & 1;
}

static void compare_own(const bit_machine *m, uint32_t leaf, bit_parcel *p) {
    unsigned place = m->lg - (unsigned)m->step, bit = destination_bit(m, leaf, p, place);
    p->record = p->record << 1 | bit;
    if (p->peak == 0 && bit != (leaf >> place & 1)) p->peak = (uint8_t)(place + 1);
}

static bool find_peak(bit_machine *m, bit_place at) {
    bit_leaf *l = &m->leaf[at.node];
    if (m->step > m->lg) return false;
    for (unsigned i = 0; i < 2; i++)
        if (l->in[i].present) compare_own(m, at.node, &l->in[i]);
    return l->in[0].present || l->in[1].present;
}

/* Forms the record of a message that has to go on; others are delivered. */
static void store_or_deliver(bit_machine *m, uint32_t leaf, bit_parcel *p) {
    if (!p->present) return;
    uint64_t body = p->word & low_bits(m->shape.body);
    if (body < m->messages)
        m->at[body] = leaf;
    else
        m->clash = true;
    if (p->peak == 0) p->present = false;
    p->word = (uint64_t)(m->lg - p->peak) << m->word_bits | p->record << m->shape.body | body;
}

uint64_t bit_peak(bit_machine *m) {
    uint64_t steps = run_leaves(m, find_peak);
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++)
        for (unsigned i = 0; i < 2; i++) store_or_deliver(m, leaf, &m->leaf[leaf].in[i]);
    return steps;
}
