#include "support/sortroute_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 512, WORDS = 4096, EMPTY = -1 };

typedef struct message {
    uint32_t source, target;
    int peak; /* level of the lowest common ancestor, 0 at the root; EMPTY: within a mesh */
    int batch;
} message;

/* A node of the fat-tree. Level 0 is the root; nodes of level `height` are the meshes. */
typedef struct node {
    int received[WORDS], words; /* messages by slot; EMPTY where no wire brought one */
    int sorted[WORDS], up;      /* what goes on, in order; step 7: all, the first `up` of them to the left */
    int all, sent;
    int stored[WORDS], held;
} node;

/* A mesh: columns of registers. In step 4 the words still to go, each with its column, in row-major order; in
 * step 7 the columns from the top. */
typedef struct mesh {
    int order[WORDS], words, gone;
    int column[64][WORDS], depth[64];
} mesh;

typedef struct machine {
    int lg, side, lg_side, height, registers;
    uint64_t n;
    message *message;
    int count;
    node *node[8];
    mesh *mesh;
    uint64_t gap;
    const sortroute_observer *watch;
    sortroute_oracle_result *result;
    unsigned step; /* what the comparison of words looks at */
} machine;

/* ---- places ---- */

static int index_of(const machine *m, int level, uint32_t terminal) {
    return (int)(terminal / (m->n >> level));
}

static uint64_t node_id(const machine *m, int level, int i) {
    uint64_t id = m->n; /* the lowest tree nodes come first */
    for (int l = m->height - 1; l > level; l--) id += UINT64_C(1) << l;
    return id + (uint64_t)i;
}

static void at_node(const machine *m, int word, int level, int i, sortroute_part part, int slot) {
    m->watch->moved(m->watch->context, (uint64_t)word,
                    (sortroute_place){node_id(m, level, i), part, (uint64_t)slot});
}

static void at_terminal(const machine *m, int word, uint64_t terminal, sortroute_part part, int slot) {
    m->watch->moved(m->watch->context, (uint64_t)word, (sortroute_place){terminal, part, (uint64_t)slot});
}

static void at_register(const machine *m, int word, int mesh_index, int column, int depth) {
    int row = depth % m->side;
    at_terminal(m, word, (uint64_t)((mesh_index * m->side + row) * m->side + column), SORTROUTE_TERMINAL,
                depth / m->side);
}

static void moment(const machine *m, unsigned step, uint64_t stage, uint64_t wave) {
    m->watch->moment(m->watch->context, (sortroute_moment){step, stage, wave});
}

/* ---- the order of words: what stands in front, destination, source, number ---- */

static int compare(const machine *m, int a, int b) {
    if (a == b) return 0;
    if (a == EMPTY || b == EMPTY) return a == EMPTY ? 1 : -1; /* no word is larger than any */
    const message *x = &m->message[a], *y = &m->message[b];
    if ((m->step == 3 || m->step == 6) && x->batch != y->batch) return x->batch - y->batch;
    if ((m->step == 3 || m->step == 4) && x->peak != y->peak) return x->peak - y->peak;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return a - b;
}

/* ---- Columnsort with a column of -infinity and +infinity ---- */

enum { BELOW = -2 };

static int compare_any(const machine *m, int a, int b) {
    if (a == BELOW || b == BELOW) return (b == BELOW) - (a == BELOW);
    return compare(m, a, b);
}

static void sort_column(const machine *m, int *word, int rows) {
    for (int i = 1; i < rows; i++) {
        int one = word[i], k = i;
        for (; k > 0 && compare_any(m, one, word[k - 1]) < 0; k--) word[k] = word[k - 1];
        word[k] = one;
    }
}

/* Sorts `words` of them in columns of s; returns the columns sorted. Both are powers of two. */
static uint64_t column_sort(const machine *m, int *word, int words, int s) {
    if (words <= s) {
        sort_column(m, word, words);
        return 1;
    }
    int rows = s, columns, *other = malloc((size_t)(words + s + words) * sizeof *other);
    uint64_t passes = 0;
    while (rows < 2 * (words / rows - 1) * (words / rows - 1)) rows *= 2;
    columns = words / rows;
    int half = rows / 2;
    for (int c = 0; c < columns; c++) passes += column_sort(m, word + c * rows, rows, s);
    for (int p = 0; p < words; p++) other[p % columns * rows + p / columns] = word[p];
    for (int c = 0; c < columns; c++) passes += column_sort(m, other + c * rows, rows, s);
    for (int p = 0; p < words; p++) word[p] = other[p % columns * rows + p / columns];
    for (int c = 0; c < columns; c++) passes += column_sort(m, word + c * rows, rows, s);
    for (int p = 0; p < half; p++) other[p] = BELOW, other[half + words + p] = EMPTY;
    memcpy(other + half, word, (size_t)words * sizeof *word);
    for (int c = 0; c <= columns; c++) {
        uint64_t took = column_sort(m, other + c * rows, rows, s);
        if (c < columns) passes += took; /* the first and the last are one column in the circuit */
    }
    memcpy(word, other + half, (size_t)words * sizeof *word);
    free(other);
    return passes;
}

/* The flexible sorter of a node: `count` words, s lines. Closed off at the next power of two of columns. */
static uint64_t sort_words(const machine *m, int *word, int count, int s) {
    int columns = (count + s - 1) / s, w = 1;
    if (count == 0) return 0;
    while (w < columns) w *= 2;
    int *place = malloc((size_t)(w * s) * sizeof *place);
    for (int p = 0; p < w * s; p++) place[p] = p < count ? word[p] : EMPTY;
    uint64_t passes = column_sort(m, place, w * s, s);
    memcpy(word, place, (size_t)count * sizeof *word);
    for (int p = 1; p < count; p++) assert_true(compare(m, word[p - 1], word[p]) <= 0);
    free(place);
    return passes;
}

/* ---- meshes: bitonic sorting in shuffled row-major order, and spreading ---- */

/* Words and where each is to go: a cell (in shuffled order) times registers, plus a register. */
typedef struct cells {
    int word[WORDS];
    int key[WORDS]; /* what is sorted by; large where there is no word */
    int target[WORDS];
} cells;

#define NO_WORD 0x7fffffff

static int shuffled(const machine *m, int row, int column) {
    int index = 0;
    for (int b = 0; b < m->lg_side; b++) index |= (column >> b & 1) << 2 * b | (row >> b & 1) << (2 * b + 1);
    return index;
}

static void swap_places(cells *c, int a, int b) {
    int word = c->word[a], key = c->key[a], target = c->target[a];
    c->word[a] = c->word[b], c->key[a] = c->key[b], c->target[a] = c->target[b];
    c->word[b] = word, c->key[b] = key, c->target[b] = target;
}

/* Both cells' words in order; the smaller ones to the cell that is to have them. */
static void merge_split(const machine *m, cells *c, int low, int high) {
    int r = m->registers, at[32];
    for (int i = 0; i < r; i++) at[i] = low * r + i, at[r + i] = high * r + i;
    for (int i = 0; i < 2 * r; i++)
        for (int k = i; k > 0 && c->key[at[k]] < c->key[at[k - 1]]; k--) swap_places(c, at[k], at[k - 1]);
}

static uint64_t distance(int bit) {
    return UINT64_C(1) << bit / 2;
}

/* Unit routes: a word goes one place in one direction. */
static uint64_t bitonic_sort(const machine *m, cells *c) {
    int all = m->side * m->side;
    uint64_t routes = 0;
    for (int phase = 0; phase < 2 * m->lg_side; phase++)
        for (int bit = phase; bit >= 0; bit--) {
            for (int i = 0; i < all; i++) {
                bool falls = (i >> phase >> 1 & 1) && phase + 1 < 2 * m->lg_side;
                if (i >> bit & 1) continue;
                merge_split(m, c, falls ? i | 1 << bit : i, falls ? i : i | 1 << bit);
            }
            routes += 2 * distance(bit) * (uint64_t)m->registers;
        }
    return routes;
}

/* Words in the first places, targets ascending: the bits of the target, the highest first. */
static uint64_t spread(const machine *m, cells *c) {
    int r = m->registers, all = m->side * m->side * r;
    uint64_t routes = 0;
    for (int bit = 2 * m->lg_side - 1; bit >= 0; bit--) {
        cells next;
        for (int p = 0; p < all; p++) next.word[p] = EMPTY;
        for (int p = 0; p < all; p++) {
            if (c->word[p] == EMPTY) continue;
            int to = (p & ~(r << bit)) | (c->target[p] & (r << bit));
            assert_int_equal(next.word[to], EMPTY);
            next.word[to] = c->word[p], next.target[to] = c->target[p];
        }
        *c = next;
        routes += 2 * distance(bit) * (uint64_t)r;
    }
    for (int p = 0; p < all; p++) /* within a terminal registers are free to choose */
        if (c->word[p] != EMPTY) assert_int_equal(p / r, c->target[p] / r);
    return routes;
}

/* Takes words at places (terminal in the mesh, register) to the terminals of their destinations. */
static uint64_t deliver(const machine *m, int mesh_index, cells *c) {
    int r = m->registers, all = m->side * m->side * r;
    uint64_t routes = bitonic_sort(m, c);
    for (int p = 0, run = 0; p < all && c->word[p] != EMPTY; p++) {
        run = p > 0 && c->key[p] / WORDS == c->key[p - 1] / WORDS ? run + 1
                                                                  : 0; /* the prefix: words of one terminal */
        assert_true(run < r);
        c->target[p] = c->key[p] / WORDS * r + run;
    }
    routes += 2 * 2 * ((uint64_t)m->side - 1); /* up and down the order of cells */
    routes += spread(m, c);
    for (int p = 0; p < all; p++) {
        if (c->word[p] == EMPTY) continue;
        int in = (int)m->message[c->word[p]].target - mesh_index * m->side * m->side;
        assert_int_equal(p / r, shuffled(m, in / m->side, in % m->side));
        at_terminal(m, c->word[p], m->message[c->word[p]].target, SORTROUTE_DELIVERED, 0);
    }
    return routes;
}

static void put(const machine *m, cells *c, int row, int column, int reg, int word, int key) {
    int p = shuffled(m, row, column) * m->registers + reg;
    assert_int_equal(c->word[p], EMPTY);
    assert_true(reg < m->registers);
    c->word[p] = word;
    c->key[p] = key;
}

static void clear(cells *c) {
    for (int p = 0; p < WORDS; p++) c->word[p] = EMPTY, c->key[p] = NO_WORD, c->target[p] = 0;
}

static int key_of_target(const machine *m, int word, int mesh_index) {
    int in = (int)m->message[word].target - mesh_index * m->side * m->side;
    return shuffled(m, in / m->side, in % m->side) * WORDS + word;
}

/* ---- the steps ---- */

static void start(machine *m) {
    for (int i = 0; i < m->count; i++) {
        int reg = 0;
        for (int k = 0; k < i; k++) reg += m->message[k].source == m->message[i].source;
        at_terminal(m, i, m->message[i].source, SORTROUTE_TERMINAL, reg);
    }
    moment(m, 0, 0, 0);
}

static void step_1(machine *m) {
    int mesh_size = m->side * m->side;
    for (int i = 0; i < 1 << m->height; i++) {
        cells c;
        int taken[WORDS] = {0};
        clear(&c);
        for (int w = 0; w < m->count; w++) {
            int in = (int)m->message[w].source - i * mesh_size;
            if (in < 0 || in >= mesh_size || m->message[w].peak != EMPTY) continue;
            put(m, &c, in / m->side, in % m->side, taken[in]++, w, key_of_target(m, w, i));
        }
        m->result->routes[1] = deliver(m, i, &c);
    }
    moment(m, 1, 0, 0);
}

/* Rank in order of the sources among all messages of a peak level; mod lg N. */
static void step_2(machine *m) {
    for (int level = 0; level < m->height; level++) {
        int rank = 0;
        for (uint64_t s = 0; s < m->n; s++)
            for (int i = 0; i < m->count; i++)
                if (m->message[i].source == s && m->message[i].peak == level)
                    m->message[i].batch = rank++ % m->lg;
    }
    moment(m, 2, 0, 0);
}

/* Sort by batch, so that a word knows its rank; sort by where that rank stands row by row; spread. */
static void arrange(machine *m, int i) {
    int mesh_size = m->side * m->side, taken[WORDS] = {0};
    mesh *h = &m->mesh[i];
    cells c;
    clear(&c);
    for (int w = 0; w < m->count; w++) {
        if (m->message[w].peak == EMPTY || (int)m->message[w].source / mesh_size != i) continue;
        int in = (int)m->message[w].source % mesh_size, rank = 0;
        for (int o = 0; o < m->count; o++) /* a key whose order is that of the words */
            rank += m->message[o].peak != EMPTY && compare(m, o, w) < 0;
        put(m, &c, in / m->side, in % m->side, taken[in]++, w, rank);
        h->words++;
    }
    m->result->routes[3] = bitonic_sort(m, &c);
    for (int q = 0; q < h->words; q++) {
        h->order[q] = c.word[q];
        int cell = shuffled(m, q / m->side % m->side, q % m->side);
        c.key[q] = c.target[q] = cell * m->registers + q / mesh_size;
    }
    m->result->routes[3] += bitonic_sort(m, &c);
    m->result->routes[3] += spread(m, &c);
    for (int q = 0; q < h->words; q++) at_register(m, h->order[q], i, q % m->side, q / m->side);
}

static void step_3(machine *m) {
    m->step = 3;
    for (int i = 0; i < 1 << m->height; i++) arrange(m, i);
    moment(m, 3, 0, 0);
}

static int capacity(const machine *m, int level) {
    uint64_t under = m->n >> level, wires = 1; /* sqrt n, or sqrt 2n */
    while (wires * wires < under) wires *= 2;
    return (int)wires;
}

static void hold(machine *m, const node *v, int in_hand) {
    uint64_t words = (uint64_t)(v->held + in_hand);
    if (words > m->result->queue_max) m->result->queue_max = words;
}

/* A node sorts what it received and puts away what has its peak here. */
static uint64_t sort_up(machine *m, int level, int i) {
    node *v = &m->node[level][i];
    int words = 0;
    for (int p = 0; p < v->words; p++)
        if (v->received[p] != EMPTY) v->sorted[words++] = v->received[p];
    hold(m, v, words);
    uint64_t passes = sort_words(m, v->sorted, words, 2 * capacity(m, level + 1));
    v->words = v->up = v->sent = 0;
    for (int p = 0; p < words; p++) {
        if (m->message[v->sorted[p]].peak < level) {
            assert_int_equal(v->up, p);
            at_node(m, v->sorted[p], level, i, SORTROUTE_SORTED, p);
            v->up++;
        } else {
            at_node(m, v->sorted[p], level, i, SORTROUTE_STORED, v->held);
            v->stored[v->held++] = v->sorted[p];
        }
    }
    return passes;
}

static void receive(machine *m, int level, int i, int slot, int word) {
    node *v = &m->node[level][i];
    while (v->words <= slot) v->received[v->words++] = EMPTY;
    assert_int_equal(v->received[slot], EMPTY);
    v->received[slot] = word;
    at_node(m, word, level, i, SORTROUTE_RECEIVED, slot);
}

/* The next words of a batch, at most one a wire. A mesh's words leave by their own columns, which move up. */
static bool wave_up(machine *m, int level, int i, int batch, int wave) {
    int wires = capacity(m, level), base = wave * 2 * wires + i % 2 * wires, moved = 0;
    if (level == m->height) {
        mesh *h = &m->mesh[i];
        for (; moved < wires && h->gone < h->words && m->message[h->order[h->gone]].batch == batch;
             moved++, h->gone++)
            receive(m, level - 1, i / 2, base + h->gone % m->side, h->order[h->gone]);
        int depth[64] = {0};
        for (int q = h->gone; moved && q < h->words; q++)
            at_register(m, h->order[q], i, q % m->side, depth[q % m->side]++);
    } else {
        node *v = &m->node[level][i];
        for (; moved < wires && v->sent < v->up; moved++, v->sent++)
            receive(m, level - 1, i / 2, base + moved, v->sorted[v->sent]);
    }
    return moved > 0;
}

static bool works(const machine *m, uint64_t stage, int distance_from_entry) {
    return stage >= (uint64_t)distance_from_entry && (stage - (uint64_t)distance_from_entry) % m->gap == 0 &&
           (stage - (uint64_t)distance_from_entry) / m->gap < (uint64_t)m->lg;
}

static void stage_up(machine *m, uint64_t stage) {
    uint64_t passes = 0, wave = 0;
    bool more = true;
    for (int level = 0; level < m->height; level++)
        for (int i = 0; works(m, stage, m->height - level) && i < 1 << level; i++) {
            uint64_t here = sort_up(m, level, i);
            if (here > passes) passes = here;
        }
    moment(m, 4, stage, 0);
    while (more) {
        more = false;
        for (int level = 1; level <= m->height; level++)
            for (int i = 0; works(m, stage, m->height - level) && i < 1 << level; i++)
                more |= wave_up(m, level, i, (int)(stage / m->gap), (int)wave);
        if (more) moment(m, 4, stage, ++wave);
    }
    m->result->waves[4] += wave;
    m->result->passes[4] += passes;
}

static void sort_stores(machine *m, unsigned step) {
    m->step = step;
    for (int level = 0; level < m->height; level++)
        for (int i = 0; i < 1 << level; i++) {
            node *v = &m->node[level][i];
            uint64_t passes = sort_words(m, v->stored, v->held, 2 * capacity(m, level + 1));
            if (passes > m->result->passes[step]) m->result->passes[step] = passes;
            for (int p = 0; p < v->held; p++) at_node(m, v->stored[p], level, i, SORTROUTE_STORED, p);
            for (int p = 0; p < v->held && step == 5; p++) m->message[v->stored[p]].batch = p % m->lg;
        }
    moment(m, step, 0, 0);
}

static uint64_t sort_down(machine *m, int level, int i, int batch) {
    node *v = &m->node[level][i];
    int words = 0, left = 0;
    for (int p = 0; p < v->words; p++) v->sorted[words++] = v->received[p];
    for (int p = 0; p < v->held; p++)
        if (m->message[v->stored[p]].batch == batch)
            v->sorted[words++] = v->stored[p];
        else
            v->stored[left++] = v->stored[p];
    v->held = left;
    hold(m, v, words);
    uint64_t passes = sort_words(m, v->sorted, words, 2 * capacity(m, level + 1));
    v->words = v->up = v->sent = 0;
    v->all = words;
    for (int p = 0; p < words; p++) {
        v->up += index_of(m, level + 1, m->message[v->sorted[p]].target) % 2 == 0;
        at_node(m, v->sorted[p], level, i, SORTROUTE_SORTED, p);
    }
    return passes;
}

/* One word a wire to both children. What enters a mesh pushes down the words in its column. */
static bool wave_down(machine *m, int level, int i, int wave) {
    node *v = &m->node[level][i];
    int wires = capacity(m, level + 1);
    bool more = false;
    for (int child = 0; child < 2; child++)
        for (int q = wave * wires; q < (wave + 1) * wires; q++) {
            int p = child ? v->up + q : q, below = 2 * i + child;
            if (p >= (child ? v->all : v->up)) break;
            more = true;
            if (level + 1 < m->height) {
                receive(m, level + 1, below, q, v->sorted[p]);
                continue;
            }
            int column = q % wires, *in = m->mesh[below].column[column],
                depth = m->mesh[below].depth[column]++;
            memmove(in + 1, in, (size_t)depth * sizeof *in);
            in[0] = v->sorted[p];
            for (int k = 0; k <= depth; k++) at_register(m, in[k], below, column, k);
        }
    return more;
}

static void stage_down(machine *m, uint64_t stage) {
    uint64_t passes = 0, wave = 0;
    bool more = true;
    for (int level = 0; level < m->height; level++)
        for (int i = 0; works(m, stage, level) && i < 1 << level; i++) {
            uint64_t here = sort_down(m, level, i, (int)((stage - (uint64_t)level) / m->gap));
            if (here > passes) passes = here;
        }
    moment(m, 7, stage, 0);
    while (more) {
        more = false;
        for (int level = 0; level < m->height; level++)
            for (int i = 0; works(m, stage, level) && i < 1 << level; i++)
                more |= wave_down(m, level, i, (int)wave);
        if (more) moment(m, 7, stage, ++wave);
    }
    m->result->waves[7] += wave;
    m->result->passes[7] += passes;
}

static void step_8(machine *m) {
    for (int i = 0; i < 1 << m->height; i++) {
        cells c;
        clear(&c);
        for (int column = 0; column < m->side; column++)
            for (int depth = 0; depth < m->mesh[i].depth[column]; depth++) {
                int word = m->mesh[i].column[column][depth];
                put(m, &c, depth % m->side, column, depth / m->side, word, key_of_target(m, word, i));
            }
        m->result->routes[8] = deliver(m, i, &c);
    }
    moment(m, 8, 0, 0);
}

static void set_up(machine *m, const uint32_t *source, const uint32_t *target) {
    int degree = 1;
    while (UINT64_C(1) << m->lg < m->n) m->lg++;
    while (1 << m->lg_side < m->lg) m->lg_side++;
    m->side = 1 << m->lg_side;
    m->height = m->lg - 2 * m->lg_side;
    assert_true(m->height >= 1 && m->height < 8);
    m->message = calloc((size_t)m->count + 1, sizeof *m->message);
    m->mesh = calloc((size_t)1 << m->height, sizeof *m->mesh);
    for (int l = 0; l < m->height; l++) m->node[l] = calloc((size_t)1 << l, sizeof **m->node);
    for (int i = 0; i < m->count; i++) {
        message *w = &m->message[i];
        int out = 0, in = 0;
        *w = (message){source[i], target[i], EMPTY, 0};
        for (int l = 0; l < m->height; l++)
            if (index_of(m, l, w->source) == index_of(m, l, w->target)) w->peak = l;
        if (index_of(m, m->height, w->source) == index_of(m, m->height, w->target)) w->peak = EMPTY;
        for (int k = 0; k < m->count; k++) out += source[k] == source[i], in += target[k] == target[i];
        if (out > degree) degree = out;
        if (in > degree) degree = in;
    }
    m->registers = 1;
    while (m->registers < degree + 1) m->registers *= 2;
    assert_true(m->side * m->side * m->registers <= WORDS && m->registers <= 16);
}

void sortroute_oracle(uint64_t n, const uint32_t *source, const uint32_t *target, uint64_t count,
                      uint64_t gap, const sortroute_observer *observer, sortroute_oracle_result *result) {
    machine m = {.n = n, .count = (int)count, .gap = gap, .watch = observer, .result = result};
    *result = (sortroute_oracle_result){0};
    set_up(&m, source, target);
    uint64_t last =
        gap * (uint64_t)(m.lg - 1) + (uint64_t)m.height; /* the last batch is at the root, or in a mesh */
    start(&m);
    step_1(&m);
    step_2(&m);
    step_3(&m);
    m.step = 4;
    for (uint64_t stage = 0; stage <= last; stage++) stage_up(&m, stage);
    sort_stores(&m, 5);
    sort_stores(&m, 6);
    m.step = 7;
    for (uint64_t stage = 0; stage < last; stage++) stage_down(&m, stage);
    step_8(&m);
    for (int l = 0; l < m.height; l++) free(m.node[l]);
    free(m.mesh);
    free(m.message);
}
