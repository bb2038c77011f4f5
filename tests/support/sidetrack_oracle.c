#include "support/sidetrack_oracle.h"

#include <stdlib.h>
#include <string.h>

#define N_MAX 256
#define L_MAX 8
#define K_MAX 16 /* vertices of a node: sqrt(N) at the root */

typedef struct parcel {
    int message; /* -1: none */
    bool active;
    int rank; /* h: its place in the sorted batch */
} parcel;

typedef struct machine {
    sidetrack_oracle *o;
    int n, levels, count;
    uint32_t *at;
    int *peak; /* level; -1 when delivered */
    bool *moved;
    int *queue[N_MAX], length[N_MAX]; /* of a leaf, in the order of arrival */
    unsigned char direction[L_MAX + 1][N_MAX][K_MAX];
} machine;

/* ---- the network ---- */

static int vertices(const machine *m, int i) { /* of a level-i node */
    int root = 1 << m->levels / 2;
    return root >> i / 2;
}

static int capacity(const machine *m, int i) { /* of the channel between levels i and i - 1 */
    int root = 1 << m->levels / 2;
    return root >> (i - 1) / 2;
}

static int path_vertex(const machine *m, int i,
                       int r) { /* of the path between a leaf and root r, at level i */
    return r % (1 << (m->levels - i + 1) / 2);
}

static int node_of(const machine *m, int i, int leaf) {
    return leaf >> (m->levels - i);
}

static int common_level(const machine *m, int a, int b) {
    int i = m->levels;
    while (node_of(m, i, a) != node_of(m, i, b)) i--;
    return i;
}

/* ---- queues ---- */

static void deliver_or_store(machine *m, int message, int leaf) {
    m->at[message] = (uint32_t)leaf;
    if (m->o->destination[message] == (uint32_t)leaf) {
        m->peak[message] = -1;
        return;
    }
    m->peak[message] = common_level(m, leaf, (int)m->o->destination[message]);
    m->queue[leaf][m->length[leaf]++] = message;
}

/* The first to arrive of those whose peak is lowest in number. */
static int delete_min(machine *m, int leaf) {
    int best = 0, *queue = m->queue[leaf];
    for (int q = 1; q < m->length[leaf]; q++)
        if (m->peak[queue[q]] < m->peak[queue[best]]) best = q;
    int message = queue[best];
    m->length[leaf]--;
    memmove(queue + best, queue + best + 1, (size_t)(m->length[leaf] - best) * sizeof *queue);
    return message;
}

static int with_peak(const machine *m, int leaf, int i) {
    int count = 0;
    for (int q = 0; q < m->length[leaf]; q++) count += m->peak[m->queue[leaf][q]] == i;
    return count;
}

static void note_queues(machine *m) {
    for (int leaf = 0; leaf < m->n; leaf++) {
        unsigned stored = 0;
        for (int q = 0; q < m->length[leaf]; q++) stored += m->moved[m->queue[leaf][q]];
        if (stored > m->o->queue_max) m->o->queue_max = stored;
    }
}

/* ---- partition ---- */

typedef struct subtree {
    int first, leaves, lambda;
    int x[N_MAX], y[N_MAX];
    int batch[2 * K_MAX * K_MAX], size;
} subtree;

static int ceiling(int a, int b) {
    return (a + b - 1) / b;
}

/* lambda_T, and x and y of the leaves, of the subtree whose root is node j of level i + 1. */
static void prepare(const machine *m, subtree *t, int i, int j) {
    int total = 0;
    t->leaves = m->n >> (i + 1);
    t->first = j * t->leaves;
    t->lambda = 0;
    for (int l = 0; l < t->leaves; l++) {
        t->x[l] = total;
        t->y[l] = with_peak(m, t->first + l, i);
        total += t->y[l];
    }
    for (int level = m->levels; level > i; level--) {
        int below = m->n >> level;
        for (int first = 0; first < t->leaves; first += below) {
            int load = 0;
            for (int l = first; l < first + below; l++) load += t->y[l];
            int lambda = ceiling(load, capacity(m, level));
            if (lambda > t->lambda) t->lambda = lambda;
        }
    }
    if (m->o->root_rule && ceiling(total, vertices(m, i + 1)) > t->lambda)
        t->lambda = ceiling(total, vertices(m, i + 1));
    if ((unsigned)t->lambda > m->o->lambda_max) m->o->lambda_max = (unsigned)t->lambda;
}

/* Takes the messages of a batch from their leaves, in the order of the leaves. */
static void take_batch(machine *m, subtree *t, int pass) {
    t->size = 0;
    for (int l = 0; l < t->leaves && pass < t->lambda; l++)
        for (int x = 0; x < t->y[l]; x++)
            if ((t->x[l] + x) % t->lambda == pass) t->batch[t->size++] = delete_min(m, t->first + l);
}

/* ---- compression ---- */

/* Message h of the batch goes to vertex h of the top node, one level after another; no two on one edge. */
static void compress(machine *m, const subtree *t, int top) {
    for (int i = m->levels; i > top; i--)
        for (int a = 0; a < t->size; a++)
            for (int b = 0; b < a; b++) {
                int u = node_of(m, i, (int)m->at[t->batch[a]]), v = node_of(m, i, (int)m->at[t->batch[b]]);
                if (u == v && path_vertex(m, i, a) == path_vertex(m, i, b) &&
                    path_vertex(m, i - 1, a) == path_vertex(m, i - 1, b))
                    m->o->compression_clash++;
            }
}

static void sort_by_destination(const machine *m, subtree *t) {
    for (int a = 1; a < t->size; a++) {
        int message = t->batch[a], b = a;
        for (; b > 0 && m->o->destination[t->batch[b - 1]] > m->o->destination[message]; b--)
            t->batch[b] = t->batch[b - 1];
        t->batch[b] = message;
    }
}

/* ---- expansion ---- */

static int wanted_side(const machine *m, int i, int message) { /* at a level-i node above the destination */
    return node_of(m, i + 1, (int)m->o->destination[message]) & 1;
}

/* What one vertex does: in[0] came from the lower-indexed parent; out[0] is the left edge. */
static void switch_vertex(machine *m, int i, int j, int k, parcel in[2], parcel out[2]) {
    out[0].message = out[1].message = -1;
    if (in[0].message < 0 || in[1].message < 0) {
        parcel one = in[0].message < 0 ? in[1] : in[0];
        if (one.message < 0) return;
        int side = wanted_side(m, i, one.message);
        if (!one.active) {
            side = m->direction[i][j][k];
            m->direction[i][j][k] ^= 1;
        }
        out[side] = one;
        return;
    }
    int first = 0; /* who chooses */
    if (in[0].active && in[1].active) {
        uint32_t d0 = m->o->destination[in[0].message], d1 = m->o->destination[in[1].message];
        first = d1 < d0 || (d1 == d0 && in[1].rank < in[0].rank);
        if (wanted_side(m, i, in[0].message) == wanted_side(m, i, in[1].message)) {
            in[!first].active = false;
            m->o->sidetracked++;
        }
    } else if (in[1].active) {
        first = 1;
    }
    int side = in[first].active ? wanted_side(m, i, in[first].message) : 0;
    out[side] = in[first];
    out[!side] = in[!first];
}

typedef parcel floor_of[N_MAX][K_MAX][2];

/* From vertex h of node j of level top, message h of the sorted batch, to the leaves. */
static void expand(machine *m, const subtree *t, int top, int j) {
    static floor_of at[2]; /* too large for a stack; this program has one thread */
    floor_of *here = &at[0], *next = &at[1];
    memset(here, -1, sizeof *here);
    for (int h = 0; h < t->size; h++) (*here)[j][h][0] = (parcel){t->batch[h], true, h};
    for (int i = top; i < m->levels; i++) {
        memset(next, -1, sizeof *next);
        for (int node = j << (i - top); node < (j + 1) << (i - top); node++)
            for (int k = 0; k < vertices(m, i); k++) {
                parcel out[2];
                switch_vertex(m, i, node, k, (*here)[node][k], out);
                int below = vertices(m, i + 1); /* children: k, or k and k + below share one */
                for (int side = 0; side < 2; side++)
                    if (out[side].message >= 0) (*next)[2 * node + side][k % below][k / below] = out[side];
            }
        floor_of *swap = here;
        here = next;
        next = swap;
    }
    for (int leaf = 0; leaf < m->n; leaf++)
        for (int parent = 0; parent < 2; parent++)
            if ((*here)[leaf][0][parent].message >= 0) {
                int message = (*here)[leaf][0][parent].message;
                m->moved[message] = true;
                deliver_or_store(m, message, leaf);
            }
}

/* ---- all of it ---- */

static void run_stage(machine *m, subtree *t, int i) {
    int subtrees = 2 << i, passes = 0, top = m->o->root_rule ? i + 1 : i;
    for (int j = 0; j < subtrees; j++) {
        prepare(m, &t[j], i, j);
        if (t[j].lambda > passes) passes = t[j].lambda;
    }
    for (int pass = 0; pass < passes; pass++) {
        for (int j = 0; j < subtrees; j++) {
            take_batch(m, &t[j], pass);
            compress(m, &t[j], top);
            sort_by_destination(m, &t[j]);
        }
        for (int j = 0; j < subtrees; j++) expand(m, &t[j], top, m->o->root_rule ? j ^ 1 : j / 2);
        note_queues(m);
        if (m->o->after_pass) m->o->after_pass(m->o->context, (unsigned)i, (unsigned)pass, m->at);
    }
    m->o->stage_passes[i] = (unsigned)passes;
    m->o->passes += (unsigned)passes;
}

void sidetrack_oracle_run(sidetrack_oracle *o) {
    static machine m; /* likewise */
    subtree *t = calloc(N_MAX, sizeof *t);
    m = (machine){.o = o, .n = (int)o->leaves, .count = (int)o->messages};
    while (1 << m.levels < m.n) m.levels++;
    m.at = calloc(o->messages + 1, sizeof *m.at);
    m.peak = calloc(o->messages + 1, sizeof *m.peak);
    m.moved = calloc(o->messages + 1, sizeof *m.moved);
    if (!t || !m.at || !m.peak || !m.moved) abort();
    o->passes = o->lambda_max = o->queue_max = o->sidetracked = o->undelivered = o->compression_clash = 0;
    for (int leaf = 0; leaf < m.n; leaf++) {
        m.queue[leaf] = calloc(o->messages + 1, sizeof *m.queue[leaf]);
        if (!m.queue[leaf]) abort();
    }
    for (int a = 0; a < m.count; a++) deliver_or_store(&m, a, (int)o->source[a]);
    for (int i = 0; i < m.levels; i++) run_stage(&m, t, i);
    for (int leaf = 0; leaf < m.n; leaf++) {
        o->undelivered += (unsigned)m.length[leaf];
        free(m.queue[leaf]);
    }
    free(m.at);
    free(m.peak);
    free(m.moved);
    free(t);
}
