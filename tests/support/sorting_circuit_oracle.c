#include "support/sorting_circuit_oracle.h"

#include <stdlib.h>
#include <string.h>

/* Trees 0 .. R-1 of the rows, R .. 2R-1 of the columns; vertex 1 is the root, v has children 2v and 2v + 1,
 * R + x is leaf x. down: what comes to v from its parent; up: what v sent to its parent. */
typedef struct mesh {
    unsigned rows, lg, bits;
    uint64_t *word, *out, time;
    char *down, *up, *next_down, *next_up;
    int *carry; /* per vertex of a tree */
    int *order; /* per leaf: -1 row first, 1 column first, 0 undecided */
    bool *takes;
    bool busy;
} mesh;

static size_t edge(const mesh *m, unsigned tree, unsigned v) {
    return (size_t)tree * 2 * m->rows + v;
}

static void send_down(mesh *m, unsigned tree, unsigned parent, char c) {
    m->next_down[edge(m, tree, 2 * parent)] = c;
    m->next_down[edge(m, tree, 2 * parent + 1)] = c;
    if (c != ' ') m->busy = true;
}

static char bit_char(uint64_t x, unsigned place) {
    return (x >> place & 1) ? '1' : '0';
}

static bool in_window(const mesh *m, uint64_t from, uint64_t length) {
    return m->time >= from && m->time < from + length;
}

/* The word of a line at a time, counted from the step in which it starts. */
static char word_bit(const mesh *m, unsigned line, uint64_t from) {
    if (m->word[line] == ORACLE_EMPTY) return ' ';
    return bit_char(m->word[line], m->bits - 1 - (unsigned)(m->time - from));
}

/* Adds what the children sent; ' ' if nothing. */
static char sum_of(mesh *m, unsigned tree, unsigned v) {
    char a = m->up[edge(m, tree, 2 * v)], b = m->up[edge(m, tree, 2 * v + 1)];
    if (a == ' ' || b == ' ') return ' ';
    int s = (a == '1') + (b == '1') + m->carry[edge(m, tree, v)];
    m->carry[edge(m, tree, v)] = s / 2;
    m->busy = true;
    return s % 2 ? '1' : '0';
}

static void root_of_row(mesh *m, unsigned i) {
    char c = sum_of(m, i, 1);
    if (in_window(m, 1, m->bits)) c = word_bit(m, i, 1);
    uint64_t again = m->bits + 3 * m->lg;
    if (in_window(m, again, m->bits)) c = word_bit(m, i, again);
    send_down(m, i, 1, c);
}

static char either(const mesh *m, unsigned tree, unsigned v) {
    char a = m->up[edge(m, tree, 2 * v)];
    return a == ' ' ? m->up[edge(m, tree, 2 * v + 1)] : a;
}

static void root_of_column(mesh *m, unsigned j) {
    char c = ' ', got = either(m, m->rows + j, 1);
    uint64_t rank = m->bits + 2 * m->lg;
    if (in_window(m, 1, m->bits)) c = word_bit(m, j, 1);
    if (in_window(m, rank, m->lg)) c = bit_char(j, (unsigned)(m->time - rank));
    send_down(m, m->rows + j, 1, c);
    if (got == ' ') return;
    m->busy = true;
    if (m->out[j] == ORACLE_EMPTY) m->out[j] = 0;
    m->out[j] = 2 * m->out[j] + (got == '1');
}

static void inner_vertex(mesh *m, unsigned tree, unsigned v) {
    char c = tree < m->rows ? sum_of(m, tree, v) : either(m, tree, v);
    m->next_up[edge(m, tree, v)] = c;
    if (c != ' ') m->busy = true;
    send_down(m, tree, v, m->down[edge(m, tree, v)]);
}

static void compare(mesh *m, unsigned i, unsigned j, char row, char column) {
    int *order = &m->order[i * m->rows + j];
    if (*order || row == column) return;
    if (row == ' ' || column == ' ')
        *order = row == ' ' ? 1 : -1;
    else
        *order = row == '1' ? 1 : -1;
}

static void leaf(mesh *m, unsigned i, unsigned j) {
    unsigned at = i * m->rows + j, lg = m->lg;
    size_t on_row = edge(m, i, m->rows + j), on_column = edge(m, m->rows + j, m->rows + i);
    char row = m->down[on_row], column = m->down[on_column];
    if (row != ' ' || column != ' ') m->busy = true;
    if (in_window(m, lg + 1, m->bits)) compare(m, i, j, row, column);
    bool first = m->order[at] == 1 || (m->order[at] == 0 && j < i);
    m->next_up[on_row] = m->next_up[on_column] = ' ';
    if (in_window(m, m->bits + lg, lg))
        m->next_up[on_row] = first && m->time == m->bits + lg ? '1' : '0', m->busy = true;
    if (in_window(m, m->bits + 3 * lg, lg)) m->takes[at] = m->takes[at] && row == column;
    if (in_window(m, m->bits + 4 * lg, m->bits) && m->takes[at]) m->next_up[on_column] = row;
}

static void swap(char **a, char **b) {
    char *t = *a;
    *a = *b;
    *b = t;
}

static void run_step(mesh *m) {
    for (unsigned x = 0; x < m->rows; x++) {
        root_of_row(m, x);
        root_of_column(m, x);
    }
    for (unsigned tree = 0; tree < 2 * m->rows; tree++)
        for (unsigned v = 2; v < m->rows; v++) inner_vertex(m, tree, v);
    for (unsigned i = 0; i < m->rows; i++)
        for (unsigned j = 0; j < m->rows; j++) leaf(m, i, j);
    swap(&m->down, &m->next_down);
    swap(&m->up, &m->next_up);
}

static void *array_of(size_t count, size_t size, int fill) {
    void *p = malloc(count * size);
    if (!p) abort();
    memset(p, fill, count * size);
    return p;
}

uint64_t oracle_mesh_sort(uint64_t *word, unsigned rows, unsigned bits) {
    mesh m = {.rows = rows, .bits = bits, .word = word};
    size_t edges = (size_t)4 * rows * rows, leaves = (size_t)rows * rows;
    uint64_t last = 0;
    while (1u << m.lg < rows) m.lg++;
    m.down = array_of(edges, 1, ' '), m.up = array_of(edges, 1, ' ');
    m.next_down = array_of(edges, 1, ' '), m.next_up = array_of(edges, 1, ' ');
    m.carry = array_of(edges, sizeof *m.carry, 0);
    m.order = array_of(leaves, sizeof *m.order, 0);
    m.takes = array_of(leaves, sizeof *m.takes, 1);
    m.out = array_of(rows, sizeof *m.out, 0xff);
    for (m.time = 1; m.time < 4 * bits + 10 * m.lg; m.time++) {
        m.busy = false;
        run_step(&m);
        if (m.busy) last = m.time;
    }
    memcpy(word, m.out, rows * sizeof *word);
    free(m.down), free(m.up), free(m.next_down), free(m.next_up);
    free(m.carry), free(m.order), free(m.takes), free(m.out);
    return last;
}

/* ---- Columnsort, as a book has it: a matrix of `rows` rows, kept column by column ---- */

static uint64_t sort_all(uint64_t *word, unsigned rows, unsigned columns, unsigned bits) {
    uint64_t longest = 0;
    for (unsigned c = 0; c < columns; c++) {
        uint64_t took = oracle_mesh_sort(word + (size_t)c * rows, rows, bits);
        if (took > longest) longest = took;
    }
    return longest;
}

/* Picks the words up column by column and puts them down row by row, or the other way. */
static void transpose(uint64_t *word, unsigned rows, unsigned columns, bool back) {
    size_t n = (size_t)rows * columns;
    uint64_t *copy = array_of(n, sizeof *copy, 0);
    memcpy(copy, word, n * sizeof *copy);
    for (size_t k = 0; k < n; k++) {
        size_t by_rows = k % columns * rows + k / columns;
        if (back)
            word[k] = copy[by_rows];
        else
            word[by_rows] = copy[k];
    }
    free(copy);
}

static void rotate(uint64_t *word, size_t n, size_t by) {
    uint64_t *copy = array_of(n, sizeof *copy, 0);
    for (size_t k = 0; k < n; k++) copy[(k + by) % n] = word[k];
    memcpy(word, copy, n * sizeof *copy);
    free(copy);
}

/* Column 0 of the shifted matrix holds the first half column (small words) and the last half (large ones):
 * sorted, its lower half is first and its upper half last. */
static void shift_back(uint64_t *word, unsigned rows, unsigned columns) {
    size_t n = (size_t)rows * columns, half = rows / 2;
    uint64_t *copy = array_of(n, sizeof *copy, 0);
    memcpy(copy, word, half * sizeof *copy);
    memcpy(copy + half, word + rows, (n - rows) * sizeof *copy);
    memcpy(copy + n - half, word + half, half * sizeof *copy);
    memcpy(word, copy, n * sizeof *copy);
    free(copy);
}

uint64_t oracle_circuit_sort(uint64_t *word, unsigned rows, unsigned columns, unsigned bits) {
    uint64_t steps = sort_all(word, rows, columns, bits);
    if (columns == 1) return steps;
    transpose(word, rows, columns, false);
    steps += sort_all(word, rows, columns, bits);
    transpose(word, rows, columns, true);
    steps += sort_all(word, rows, columns, bits);
    rotate(word, (size_t)rows * columns, rows / 2);
    steps += sort_all(word, rows, columns, bits);
    shift_back(word, rows, columns);
    return steps;
}
