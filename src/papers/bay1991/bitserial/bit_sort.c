/* The sort of Lemma 3 on the mesh of trees of the leaves of T' (network/graphs/mesh_of_trees.h): V rows and V
 * columns, of which 2^floor(q/2) rows and 2^ceil(q/2) columns have leaves of their own. Every leaf simulates
 * the places (row, column) + (row turn 2^floor(q/2), column turn 2^ceil(q/2)), one after another.
 *
 * Word k is on vertex k of the top node. The tree of row (column) k consists of vertex k mod 2^v of the nodes
 * of T' in whose rows (columns) k is. Below a node of even height the two children have different rows, below
 * one of odd height different columns; which child has row or column k is the greatest bit of the number of
 * the vertex. Upwards, a vertex with two parents takes the one whose number has the next bit of k. */
#include "network/families/pruned_shape.h"
#include "papers/bay1991/bitserial/bit_machine.h"

static unsigned q_of(const bit_machine *m) {
    return m->peak - 1;
}

/* lg of the rows (columns) that have leaves of their own. */
static unsigned lg_lines(const bit_machine *m, bool columns) {
    return (q_of(m) + columns) / 2;
}

/* Even bits of a leaf's number are those of its column, odd ones of its row. */
static uint32_t line_of(const bit_machine *m, uint32_t leaf, bool columns) {
    uint32_t line = 0;
    for (unsigned b = 0; b < lg_lines(m, columns); b++) line |= (leaf >> (2 * b + !columns) & 1) << b;
    return line | (columns ? m->column_turn : m->row_turn) << lg_lines(m, columns);
}

/* Whether the children of a node have different lines. */
static bool splits(unsigned height, bool columns) {
    return height % 2 == columns;
}

static unsigned side_of(bit_place at) {
    unsigned v = pruned_lg_vertices(at.height);
    return at.k >> (v - 1) & 1;
}

/* ---- what is sent ---- */

typedef enum sending { ROW_KEY, COLUMN_KEY, ROW_RANK, ROW_WORD, COLUMN_WORD } sending;

static bool of_columns(sending what) {
    return what == COLUMN_KEY || what == COLUMN_WORD;
}

/* ---- leaves ---- */

static void compare_keys(const bit_machine *m, bit_leaf *l, unsigned bit) {
    unsigned own = l->row >> (m->lg - 1 - l->column_bits++) & 1;
    if (l->decided || bit == own) return;
    l->decided = 1;
    l->less = bit < own;
}

/* Of equal destinations that of the lower rank is first. */
static unsigned precedes(const bit_machine *m, uint32_t leaf) {
    const bit_leaf *l = &m->leaf[leaf];
    if (!l->column_bits) return 0;
    return l->decided ? l->less : line_of(m, leaf, true) < line_of(m, leaf, false);
}

/* Rank, then the word, which the leaf keeps if its column is the rank. */
static void take_word(const bit_machine *m, uint32_t leaf, unsigned bit) {
    bit_leaf *l = &m->leaf[leaf];
    if (l->row_bits < m->width)
        l->rank |= (uint64_t)bit << l->row_bits;
    else
        l->row = l->row << 1 | bit;
    if (++l->row_bits > m->width) l->takes = l->rank == line_of(m, leaf, true);
}

static void leaf_reads(const bit_machine *m, uint32_t leaf, sending what, unsigned bit) {
    bit_leaf *l = &m->leaf[leaf];
    if (what == ROW_KEY) {
        l->row = l->row << 1 | bit;
        l->row_bits++;
    } else if (what == COLUMN_KEY) {
        compare_keys(m, l, bit);
    } else {
        take_word(m, leaf, bit);
    }
}

static unsigned leaf_sends(const bit_machine *m, uint32_t leaf, sending what) {
    const bit_leaf *l = &m->leaf[leaf];
    if (what == ROW_RANK) return m->step > m->width ? BIT_SILENT : m->step == 1 ? precedes(m, leaf) : 0;
    return l->takes && m->step <= m->word_bits ? l->row >> (m->word_bits - m->step) & 1 : BIT_SILENT;
}

/* ---- the top ---- */

static unsigned top_sends(const bit_machine *m, const bit_top *top, uint32_t k, sending what) {
    bool columns = of_columns(what);
    uint64_t word_step = m->step;
    if (!top->bits || k >> lg_lines(m, columns) != (columns ? m->column_turn : m->row_turn))
        return BIT_SILENT;
    if (what == ROW_WORD) {
        if (m->step <= m->width) return top->rank >> (m->step - 1) & 1;
        word_step -= m->width;
    }
    bool ends = word_step > (what == ROW_WORD ? m->word_bits : m->lg);
    return ends ? BIT_SILENT : top->word >> (m->word_bits - word_step) & 1;
}

static void top_reads(bit_top *top, sending what, unsigned bit) {
    if (what == COLUMN_WORD) {
        top->sorted = top->sorted << 1 | bit;
        top->sorted_bits++;
        return;
    }
    unsigned place = top->rank_bits++, s = (unsigned)(top->rank >> place & 1) + bit + top->carry;
    top->carry = (uint8_t)(s >> 1);
    top->rank = (top->rank & ~(UINT64_C(1) << place)) | (uint64_t)(s & 1) << place;
}

/* ---- down a tree ---- */

static bool hand_down(bit_machine *m, bit_place at, sending what, unsigned bit) {
    if (bit == BIT_SILENT) return false;
    if (at.height == 0) {
        leaf_reads(m, at.node, what, bit);
        return true;
    }
    bool one = splits(at.height, of_columns(what));
    for (unsigned side = 0; side < 2; side++)
        if (!one || side == side_of(at))
            bit_send(m, &m->down, bit_edge(m, at.height - 1, 2 * at.node + side, at.k), bit);
    return true;
}

static bool start_down(bit_machine *m, bit_place at, sending what) {
    if (m->shape.top == SIDETRACK_ROOT)
        return hand_down(m, at, what, top_sends(m, bit_top_of(m, at.node, at.k), at.k, what));
    bool works = false;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t subtree = 2 * at.node + side;
        unsigned bit = top_sends(m, bit_top_of(m, subtree, at.k), at.k, what);
        if (bit == BIT_SILENT) continue;
        bit_send(m, &m->down, bit_edge(m, at.height - 1, subtree, at.k), bit);
        works = true;
    }
    return works;
}

static bool down(bit_machine *m, bit_place at, sending what) {
    if (at.height == bit_lg_top(m)) return start_down(m, at, what);
    bool works = false;
    unsigned v = pruned_lg_vertices(at.height);
    for (uint32_t parent = 0; parent < pruned_growth(at.height); parent++) {
        unsigned bit = m->down.now[bit_edge(m, at.height, at.node, at.k | parent << v)];
        works |= hand_down(m, at, what, bit);
    }
    return works;
}

/* ---- up a tree ---- */

/* The next bit of the number of the row or column: that of the leaves below, or that of the turn. */
static uint32_t next_bit(const bit_machine *m, bit_place at, bool columns) {
    unsigned bit = at.height + !columns; /* of the leaf's number */
    if (bit < q_of(m)) return at.node >> !columns & 1;
    return columns ? m->column_turn : m->row_turn;
}

static bool hand_up(bit_machine *m, bit_place at, sending what, unsigned bit) {
    if (bit == BIT_SILENT) return false;
    if (at.height == bit_lg_top(m)) {
        top_reads(bit_top_of(m, at.node, at.k), what, bit);
        return true;
    }
    uint32_t e = at.k;
    if (pruned_growth(at.height) == 2)
        e |= next_bit(m, at, of_columns(what)) << pruned_lg_vertices(at.height);
    bit_send(m, &m->up, bit_edge(m, at.height, at.node, e), bit);
    return true;
}

/* Sums of rows; in a column at most one leaf sends. */
static unsigned gather(bit_machine *m, bit_place at, sending what) {
    unsigned bit[2];
    bool one = splits(at.height, of_columns(what));
    for (unsigned side = 0; side < 2; side++)
        bit[side] = one && side != side_of(at)
                        ? BIT_SILENT
                        : m->up.now[bit_edge(m, at.height - 1, 2 * at.node + side, at.k)];
    if (bit[0] == BIT_SILENT || bit[1] == BIT_SILENT) return bit[0] == BIT_SILENT ? bit[1] : bit[0];
    if (what == COLUMN_WORD) m->clash = true;
    uint8_t *carry = &m->vertex[bit_vertex(m, at)].carry;
    unsigned s = bit[0] + bit[1] + *carry;
    *carry = (uint8_t)(s >> 1);
    return s & 1;
}

static bool end_up(bit_machine *m, bit_place at, sending what) {
    bool works = false;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t subtree = 2 * at.node + side;
        unsigned bit = m->up.now[bit_edge(m, at.height - 1, subtree, at.k)];
        if (bit == BIT_SILENT) continue;
        top_reads(bit_top_of(m, subtree, at.k), what, bit);
        works = true;
    }
    return works;
}

static bool up(bit_machine *m, bit_place at, sending what) {
    if (at.height > q_of(m)) return end_up(m, at, what);
    return hand_up(m, at, what, at.height ? gather(m, at, what) : leaf_sends(m, at.node, what));
}

/* ---- the sort ---- */

static bool row_key(bit_machine *m, bit_place at) {
    return down(m, at, ROW_KEY);
}

static bool column_key(bit_machine *m, bit_place at) {
    return down(m, at, COLUMN_KEY);
}

static bool row_rank(bit_machine *m, bit_place at) {
    return up(m, at, ROW_RANK);
}

static bool row_word(bit_machine *m, bit_place at) {
    return down(m, at, ROW_WORD);
}

static bool column_word(bit_machine *m, bit_place at) {
    return up(m, at, COLUMN_WORD);
}

static void restart(bit_machine *m) {
    uint64_t words = (uint64_t)(m->leaves >> q_of(m)) << m->width;
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) {
        bit_leaf *l = &m->leaf[leaf];
        l->row = l->rank = l->row_bits = l->column_bits = l->decided = l->takes = 0;
    }
    for (bit_top *top = m->top; top < m->top + words; top++) top->rank_bits = top->carry = 0;
}

static void run(bit_machine *m, bit_work *work, uint64_t *steps) {
    bit_run_steps(m, (bit_run){work, bit_lg_top(m), false}, steps);
}

/* The leaves compare the keys as the second one comes. */
static void rank_place(bit_machine *m, uint64_t *steps) {
    restart(m);
    run(m, row_key, steps);
    run(m, column_key, steps);
    run(m, row_rank, steps);
}

static void move_place(bit_machine *m, uint64_t *steps) {
    restart(m);
    run(m, row_word, steps);
    run(m, column_word, steps);
}

uint64_t bit_sort(bit_machine *m) {
    m->width = pruned_lg_vertices(bit_lg_top(m));
    unsigned rows = 1u << (m->width - lg_lines(m, false)), columns = 1u << (m->width - lg_lines(m, true));
    uint64_t steps = 0;
    for (unsigned moving = 0; moving < 2; moving++)
        for (m->row_turn = 0; m->row_turn < rows; m->row_turn++)
            for (m->column_turn = 0; m->column_turn < columns; m->column_turn++)
                (moving ? move_place : rank_place)(m, &steps);
    return steps;
}
