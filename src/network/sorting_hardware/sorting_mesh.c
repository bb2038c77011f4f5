#include "network/sorting_hardware/sorting_mesh.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <string.h>

/* What is on a set of edges in one direction: `bit` counts where `on` is 1. */
typedef struct wires {
    uint64_t *bit, *on;
} wires;

struct sorting_mesh {
    uint64_t rows, words; /* R; integers that hold R bits */
    unsigned lg, bits;
    /* Row trees: level k = 1 .. L has 2^k vertices, each a vector over the rows. */
    wires row_down, row_up;
    uint64_t *carry; /* of the sums; per vertex of levels 0 .. L-1, a vector over the rows */
    /* Column trees: per column, level k is a vector over its 2^k vertices. */
    wires column_down, column_up;
    uint64_t column_words; /* per column */
    /* Leaves: per column, vectors over the rows. */
    uint64_t *decided, *first, *takes;
    uint64_t *plane;        /* the words: b vectors over the rows */
    uint64_t *present;      /* rows with a word */
    uint64_t *rank, *is_on; /* what the roots of the rows read in this step */
    uint64_t *out;          /* words that the column roots have read so far */
    uint8_t *got;           /* their bits */
    uint64_t step;
    bool works, lost;
};

static unsigned lg_of(uint64_t x) {
    return (unsigned)__builtin_ctzll(x);
}

static uint64_t words_for(uint64_t bits) {
    return (bits + 63) / 64;
}

/* First integer of a level of a column tree. */
static uint64_t column_level(unsigned k) {
    uint64_t at = 0;
    for (unsigned below = 1; below < k; below++) at += words_for(UINT64_C(1) << below);
    return at;
}

/* First integer of vertex p of level k of the row trees. */
static uint64_t row_vertex(const sorting_mesh *m, unsigned k, uint64_t p) {
    return ((UINT64_C(1) << k) - 2 + p) * m->words;
}

typedef struct sizes {
    uint64_t rows, columns, leaves;
} sizes;

static sizes sizes_of(uint64_t rows) {
    uint64_t words = words_for(rows);
    return (sizes){(2 * rows - 2) * words, rows * column_level(lg_of(rows) + 1), rows * words};
}

uint64_t sorting_mesh_bytes(uint64_t rows) {
    sizes s = sizes_of(rows);
    uint64_t vectors = 4 * s.rows + s.rows + 4 * s.columns + 3 * s.leaves;
    return sizeof(sorting_mesh) + 8 * (vectors + words_for(rows) * (SORTING_MESH_BITS_MAX + 3)) + 9 * rows;
}

bough_status sorting_mesh_create(uint64_t rows, unsigned bits, sorting_mesh **out, bough_error *error) {
    if (rows < 2 || rows > SORTING_MESH_ROWS_MAX || (rows & (rows - 1)) || bits < 1 ||
        bits > SORTING_MESH_BITS_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "mesh of trees for %" PRIu64
                          " words of %u bits: the words must be a power of two from 2 to %d, of 1 to %d bits",
                          rows, bits, SORTING_MESH_ROWS_MAX, SORTING_MESH_BITS_MAX);
    sorting_mesh *m;
    bough_status status = bough_alloc(out, 1, sizeof *m, error);
    if (status) return status;
    m = *out;
    *m = (sorting_mesh){.rows = rows, .words = words_for(rows), .lg = lg_of(rows), .bits = bits};
    m->column_words = column_level(m->lg + 1);
    sizes s = sizes_of(rows);
    const bough_array arrays[] = {
        {&m->row_down.bit, s.rows, 8},
        {&m->row_down.on, s.rows, 8},
        {&m->row_up.bit, s.rows, 8},
        {&m->row_up.on, s.rows, 8},
        {&m->carry, s.rows, 8},
        {&m->column_down.bit, s.columns, 8},
        {&m->column_down.on, s.columns, 8},
        {&m->column_up.bit, s.columns, 8},
        {&m->column_up.on, s.columns, 8},
        {&m->decided, s.leaves, 8},
        {&m->first, s.leaves, 8},
        {&m->takes, s.leaves, 8},
        {&m->plane, bits * m->words, 8},
        {&m->present, m->words, 8},
        {&m->rank, m->words, 8},
        {&m->is_on, m->words, 8},
        {&m->out, rows, sizeof *m->out},
        {&m->got, rows, 1},
    };
    status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    if (status) {
        sorting_mesh_destroy(m);
        *out = NULL;
    }
    return status;
}

void sorting_mesh_destroy(sorting_mesh *m) {
    if (!m) return;
    FREE_ALL(m->row_down.bit, m->row_down.on, m->row_up.bit, m->row_up.on, m->carry);
    FREE_ALL(m->column_down.bit, m->column_down.on, m->column_up.bit, m->column_up.on);
    FREE_ALL(m->decided, m->first, m->takes, m->plane, m->present, m->rank, m->is_on, m->out, m->got, m);
}

/* ---- the clock ---- */

/* Whether the step lies in the `count` steps from `start` on; then *which is its number among them. */
static bool within(const sorting_mesh *m, uint64_t start, uint64_t count, uint64_t *which) {
    *which = m->step - start;
    return m->step >= start && *which < count;
}

/* ---- roots of the rows ---- */

/* A sum of two bits that come at the same time, with a carry; one bit without the other is lost. */
static void add(sorting_mesh *m, const uint64_t *a, const uint64_t *b, uint64_t *carry, uint64_t *sum) {
    for (uint64_t w = 0; w < m->words; w++) {
        uint64_t both = a[w] ^ b[w];
        sum[w] = both ^ carry[w];
        carry[w] = (a[w] & b[w]) | (both & carry[w]);
    }
}

static void check_pairs(sorting_mesh *m, const uint64_t *a, const uint64_t *b, uint64_t *on) {
    for (uint64_t w = 0; w < m->words; w++) {
        m->lost |= a[w] != b[w];
        m->works |= a[w] != 0;
        on[w] = a[w] & b[w];
    }
}

static void roots_read_rank(sorting_mesh *m) {
    uint64_t left = row_vertex(m, 1, 0), right = row_vertex(m, 1, 1), bit;
    check_pairs(m, m->row_up.on + left, m->row_up.on + right, m->is_on);
    add(m, m->row_up.bit + left, m->row_up.bit + right, m->carry, m->rank);
    bool due = within(m, m->bits + 2 * m->lg, m->lg, &bit);
    for (uint64_t w = 0; w < m->words; w++) m->lost |= m->is_on[w] && !due;
}

/* What the roots send down the rows in this step: word, then rank, then the word again. */
static void roots_send(sorting_mesh *m) {
    uint64_t bit;
    const uint64_t *value = m->rank, *on = m->is_on;
    if (within(m, 1, m->bits, &bit) || within(m, m->bits + 3 * m->lg, m->bits, &bit))
        value = m->plane + bit * m->words, on = m->present;
    for (unsigned child = 0; child < 2; child++) {
        uint64_t at = row_vertex(m, 1, child);
        memcpy(m->row_down.bit + at, value, m->words * sizeof *value);
        memcpy(m->row_down.on + at, on, m->words * sizeof *on);
    }
    for (uint64_t w = 0; w < m->words; w++) m->works |= on[w] != 0;
}

/* ---- roots of the columns ---- */

static void root_sends_down_column(sorting_mesh *m, uint64_t j) {
    uint64_t bit, at = j * m->column_words, value = 0, on = 0;
    if (within(m, 1, m->bits, &bit)) {
        value = m->plane[bit * m->words + j / 64] >> (j % 64) & 1;
        on = m->present[j / 64] >> (j % 64) & 1;
    } else if (within(m, m->bits + 2 * m->lg, m->lg, &bit)) {
        value = j >> bit & 1;
        on = 1;
    }
    m->column_down.bit[at] = value * 3;
    m->column_down.on[at] = on * 3;
    m->works |= on;
}

static void root_reads_column(sorting_mesh *m, uint64_t j) {
    uint64_t at = j * m->column_words, bits = m->column_up.bit[at], on = m->column_up.on[at], which;
    if (!on) return;
    m->works = true;
    if (on == 3 || !within(m, m->bits + 5 * m->lg, m->bits, &which) || which != m->got[j]) m->lost = true;
    m->out[j] = m->out[j] << 1 | ((bits & on) != 0);
    m->got[j]++;
}

/* ---- leaves ---- */

/* What the leaves of a column have in front of them: the wires of their rows and of the column. */
typedef struct leaf_wires {
    const uint64_t *row, *row_on, *column, *column_on;
} leaf_wires;

static void compare(sorting_mesh *m, uint64_t j, leaf_wires in, bool only) {
    uint64_t *decided = m->decided + j * m->words, *first = m->first + j * m->words;
    for (uint64_t w = 0; w < m->words; w++) {
        uint64_t on = in.row_on[w] & in.column_on[w], differ = on & (in.row[w] ^ in.column[w]);
        if (only) differ |= in.row_on[w] ^ in.column_on[w]; /* one of the lines has no word */
        differ &= ~decided[w];
        decided[w] |= differ;
        first[w] |= differ & in.column_on[w] & (~in.row_on[w] | in.row[w]);
    }
}

static void match(sorting_mesh *m, uint64_t j, leaf_wires in) {
    uint64_t *takes = m->takes + j * m->words;
    for (uint64_t w = 0; w < m->words; w++) {
        m->lost |= in.row_on[w] != in.column_on[w];
        takes[w] &= ~(in.row[w] ^ in.column[w]);
    }
}

/* Rows below a line, in integer w of a vector over the rows. */
static uint64_t rows_after(uint64_t j, uint64_t w) {
    if (w < j / 64) return 0;
    return w > j / 64 ? UINT64_MAX : ~(UINT64_C(2) << (j % 64)) + 1;
}

static uint64_t rows_in(const sorting_mesh *m) {
    return m->rows < 64 ? (UINT64_C(1) << m->rows) - 1 : UINT64_MAX;
}

/* The bit of leaf (i, j) for the rank of word i: word j comes first. Then zeros, for the carries. */
static void send_rank(sorting_mesh *m, uint64_t j) {
    uint64_t bit, at = row_vertex(m, m->lg, j);
    bool due = within(m, m->bits + m->lg, m->lg, &bit);
    for (uint64_t w = 0; w < m->words; w++) {
        uint64_t undecided = ~m->decided[j * m->words + w] & rows_after(j, w);
        m->row_up.on[at + w] = due ? rows_in(m) : 0;
        m->row_up.bit[at + w] = due && bit == 0 ? (m->first[j * m->words + w] | undecided) & rows_in(m) : 0;
    }
    m->works |= due;
}

static void hand_on(sorting_mesh *m, uint64_t j, leaf_wires in, bool due) {
    uint64_t at = j * m->column_words + column_level(m->lg), bit;
    bool others = within(m, m->lg + 1, m->bits, &bit) || within(m, m->bits + 3 * m->lg, m->lg, &bit);
    for (uint64_t w = 0; w < m->words; w++) {
        uint64_t on = due ? in.row_on[w] & m->takes[j * m->words + w] : 0;
        m->lost |= !due && !others && (in.row_on[w] | in.column_on[w]);
        m->works |= (in.row_on[w] | in.column_on[w]) != 0;
        m->column_up.on[at + w] = on;
        m->column_up.bit[at + w] = on & in.row[w];
    }
}

static void leaves_of_column(sorting_mesh *m, uint64_t j) {
    uint64_t row = row_vertex(m, m->lg, j), column = j * m->column_words + column_level(m->lg), bit;
    const leaf_wires in = {m->row_down.bit + row, m->row_down.on + row, m->column_down.bit + column,
                           m->column_down.on + column};
    if (within(m, m->lg + 1, m->bits, &bit)) compare(m, j, in, bit == 0);
    if (within(m, m->bits + 3 * m->lg, m->lg, &bit)) match(m, j, in);
    send_rank(m, j);
    hand_on(m, j, in, within(m, m->bits + 4 * m->lg, m->bits, &bit));
}

/* ---- inner vertices: from the far end, so that each reads what was written in the step before ---- */

static bool any(const uint64_t *on, uint64_t words) {
    uint64_t all = 0;
    for (uint64_t w = 0; w < words; w++) all |= on[w];
    return all != 0;
}

static void move_down_rows(sorting_mesh *m) {
    for (unsigned k = m->lg; k > 1; k--) {
        uint64_t above = row_vertex(m, k - 1, 0), words = m->words << (k - 1);
        m->works |= any(m->row_down.on + above, words);
        for (unsigned child = 0; child < 2; child++) {
            uint64_t at = row_vertex(m, k, 0) + child * words;
            memcpy(m->row_down.bit + at, m->row_down.bit + above, words * sizeof(uint64_t));
            memcpy(m->row_down.on + at, m->row_down.on + above, words * sizeof(uint64_t));
        }
    }
}

static void move_up_rows(sorting_mesh *m) {
    for (unsigned k = 1; k < m->lg; k++)
        for (uint64_t p = 0; p < UINT64_C(1) << k; p++) {
            uint64_t at = row_vertex(m, k, p), left = row_vertex(m, k + 1, p);
            uint64_t right = left + (m->words << k), sum = at + m->words; /* carry: the root has vertex 0 */
            check_pairs(m, m->row_up.on + left, m->row_up.on + right, m->row_up.on + at);
            add(m, m->row_up.bit + left, m->row_up.bit + right, m->carry + sum, m->row_up.bit + at);
        }
}

/* Level k of a tree twice, side by side. */
static void spread(const uint64_t *level, unsigned k, uint64_t *below) {
    uint64_t bits = UINT64_C(1) << k, words = words_for(bits);
    if (bits < 64) {
        *below = *level | *level << bits;
        return;
    }
    memcpy(below, level, words * sizeof *level);
    memcpy(below + words, level, words * sizeof *level);
}

static void move_down_column(sorting_mesh *m, uint64_t j) {
    for (unsigned k = m->lg - 1; k > 0; k--) {
        uint64_t at = j * m->column_words + column_level(k),
                 below = j * m->column_words + column_level(k + 1);
        m->works |= any(m->column_down.on + at, words_for(UINT64_C(1) << k));
        spread(m->column_down.bit + at, k, m->column_down.bit + below);
        spread(m->column_down.on + at, k, m->column_down.on + below);
    }
}

/* Integer w of the left (right) children of level k. */
static uint64_t child_of(const uint64_t *below, unsigned k, uint64_t w, bool right) {
    uint64_t bits = UINT64_C(1) << k;
    if (bits >= 64) return below[w + (right ? words_for(bits) : 0)];
    return below[0] >> (right ? bits : 0) & ((UINT64_C(1) << bits) - 1);
}

static void move_up_column(sorting_mesh *m, uint64_t j) {
    for (unsigned k = 1; k < m->lg; k++) {
        uint64_t at = j * m->column_words + column_level(k),
                 below = j * m->column_words + column_level(k + 1);
        const uint64_t *bit = m->column_up.bit + below, *on = m->column_up.on + below;
        for (uint64_t w = 0; w < words_for(UINT64_C(1) << k); w++) {
            uint64_t left = child_of(on, k, w, false), right = child_of(on, k, w, true);
            m->lost |= (left & right) != 0;
            m->works |= (left | right) != 0;
            m->column_up.on[at + w] = left | right;
            m->column_up.bit[at + w] = child_of(bit, k, w, false) | child_of(bit, k, w, true);
        }
    }
}

/* ---- a run ---- */

static void put_words(sorting_mesh *m, const uint64_t *word) {
    memset(m->plane, 0, m->bits * m->words * sizeof *m->plane);
    memset(m->present, 0, m->words * sizeof *m->present);
    for (uint64_t i = 0; i < m->rows; i++) {
        if (word[i] == SORTING_MESH_EMPTY) continue;
        m->present[i / 64] |= UINT64_C(1) << (i % 64);
        for (unsigned bit = 0; bit < m->bits; bit++)
            m->plane[bit * m->words + i / 64] |= (word[i] >> (m->bits - 1 - bit) & 1) << (i % 64);
    }
}

/* All edges are silent from the last run on. */
static void restart(sorting_mesh *m) {
    sizes s = sizes_of(m->rows);
    memset(m->carry, 0, s.rows * sizeof *m->carry);
    memset(m->decided, 0, s.leaves * sizeof *m->decided);
    memset(m->first, 0, s.leaves * sizeof *m->first);
    memset(m->takes, 0xff, s.leaves * sizeof *m->takes);
    memset(m->out, 0, m->rows * sizeof *m->out);
    memset(m->got, 0, m->rows);
    m->lost = false;
}

static void run_step(sorting_mesh *m) {
    m->works = m->step < m->bits + m->lg; /* the leaves wait for their step */
    roots_read_rank(m);
    for (uint64_t j = 0; j < m->rows; j++) root_reads_column(m, j);
    move_up_rows(m);
    for (uint64_t j = 0; j < m->rows; j++) {
        move_up_column(m, j);
        leaves_of_column(m, j);
        move_down_column(m, j);
        root_sends_down_column(m, j);
    }
    move_down_rows(m);
    roots_send(m);
}

/* A line has received a whole word or none. */
static bool take_words(const sorting_mesh *m, uint64_t *word) {
    bool whole = true;
    for (uint64_t j = 0; j < m->rows; j++) {
        whole = whole && (m->got[j] == 0 || m->got[j] == m->bits);
        word[j] = m->got[j] ? m->out[j] : SORTING_MESH_EMPTY;
    }
    return whole;
}

bough_status sorting_mesh_run(sorting_mesh *m, uint64_t *word, uint64_t *steps, bough_error *error) {
    put_words(m, word);
    restart(m);
    *steps = 0;
    for (m->step = 1;; m->step++) {
        run_step(m);
        if (!m->works) break;
        ++*steps;
    }
    if (take_words(m, word) && !m->lost) return BOUGH_OK;
    return bough_fail(error, BOUGH_FAILED, NULL,
                      "mesh of trees for %" PRIu64 " words of %u bits: bits were lost in %" PRIu64 " steps",
                      m->rows, m->bits, *steps);
}

uint64_t sorting_mesh_steps(uint64_t rows, uint64_t bits) {
    return 2 * bits + 5 * lg_of(rows) - 1;
}
