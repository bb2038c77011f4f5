/* Numbers of messages: sums, maximum, broadcast and prefixes on the tree of the vertices 0 of all nodes,
 * whose edges are edges 0 of the channels (bay1991, Partition and Lemma 2). */
#include "network/families/pruned_shape.h"
#include "papers/bay1991/bitserial/bit_machine.h"

#include <string.h>

static unsigned q_of(const bit_machine *m) {
    return m->peak - 1;
}

static bit_node *node_at(const bit_machine *m, bit_place at) {
    return &m->node[bit_node_of(m, at.height, at.node)];
}

static unsigned from_child(const bit_machine *m, bit_place at, unsigned side) {
    return m->up.now[bit_edge(m, at.height - 1, 2 * at.node + side, 0)];
}

static unsigned from_parent(const bit_machine *m, bit_place at) {
    return at.height == m->lg ? BIT_SILENT : m->down.now[bit_edge(m, at.height, at.node, 0)];
}

static void to_parent(bit_machine *m, bit_place at, unsigned bit) {
    bit_send(m, &m->up, bit_edge(m, at.height, at.node, 0), bit);
}

static void to_child(bit_machine *m, bit_place at, unsigned side, unsigned bit) {
    bit_send(m, &m->down, bit_edge(m, at.height - 1, 2 * at.node + side, 0), bit);
}

static void to_children(bit_machine *m, bit_place at, unsigned bit) {
    to_child(m, at, 0, bit);
    to_child(m, at, 1, bit);
}

/* Bit `place` of a number that is sent from its greatest bit. */
static unsigned from_top(const bit_machine *m, uint64_t number, uint64_t place) {
    return number >> (m->width - 1 - place) & 1;
}

static uint64_t run_nodes(bit_machine *m, bit_work *work, unsigned highest) {
    uint64_t steps = 0;
    bit_run_steps(m, (bit_run){work, highest, true}, &steps);
    return steps;
}

/* ---- 1: counters; 2: sums ---- */

static bool load(bit_machine *m, bit_place at) {
    if (m->step > m->width) return false;
    bit_leaf *l = &m->leaf[at.node];
    uint64_t *counter = &m->counter[(uint64_t)at.node * m->lg + (m->lg - m->peak)];
    uint64_t mask = UINT64_C(1) << (m->step - 1);
    l->y |= *counter & mask;
    *counter &= ~mask;
    return true;
}

uint64_t bit_load(bit_machine *m) {
    m->width = m->shape.counter;
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) {
        bit_leaf *l = &m->leaf[leaf];
        memset(l, 0, sizeof *l);
    }
    return run_nodes(m, load, 0);
}

static bool sum(bit_machine *m, bit_place at) {
    bit_node *n = node_at(m, at);
    unsigned s;
    if (at.height == 0) {
        if (m->step > m->width) return false;
        s = m->leaf[at.node].y >> (m->step - 1) & 1;
    } else {
        unsigned a = from_child(m, at, 0), b = from_child(m, at, 1);
        if (a == BIT_SILENT) return false;
        s = a + b + n->carry;
        n->carry = (uint8_t)(s >> 1);
    }
    n->sum |= (uint64_t)(s & 1) << n->put++;
    if (at.height < q_of(m)) to_parent(m, at, s & 1);
    return true;
}

uint64_t bit_sum(bit_machine *m) {
    memset(m->node, 0, (2 * (uint64_t)m->leaves - 1) * sizeof *m->node);
    return run_nodes(m, sum, q_of(m));
}

/* ---- 3: ceilings ---- */

/* The bits that are shifted out are collected in the carry. */
static bool round_up(bit_machine *m, bit_place at) {
    if (m->step > m->width) return false;
    bit_node *n = node_at(m, at);
    unsigned place = (unsigned)m->step - 1, shift = pruned_lg_capacity(at.height), bit = n->sum >> place & 1;
    if (at.height == q_of(m) && m->shape.top == SIDETRACK_ROOT) shift = pruned_lg_vertices(at.height);
    if (place < shift) {
        n->carry |= (uint8_t)bit;
    } else {
        unsigned s = bit + n->carry;
        n->carry = (uint8_t)(s >> 1);
        n->sum = (n->sum & ~(UINT64_C(1) << (place - shift))) | (uint64_t)(s & 1) << (place - shift);
    }
    if (m->step < m->width) return true;
    unsigned kept = m->width > shift ? m->width - shift : 0;
    n->sum = (n->sum & ((UINT64_C(1) << kept) - 1)) | (uint64_t)n->carry << kept;
    return true;
}

static void restart(bit_machine *m) {
    for (uint64_t i = 0; i < 2 * (uint64_t)m->leaves - 1; i++) {
        bit_node *n = &m->node[i];
        n->carry = n->carry2 = n->put = n->taken = n->down = 0;
        n->alive = 7;
        n->left = 0;
    }
}

uint64_t bit_ceiling(bit_machine *m) {
    restart(m);
    return run_nodes(m, round_up, q_of(m));
}

/* ---- 4: maximum; 5: broadcast; 16: passes of the stage ---- */

/* Of numbers that come from the greatest bit: those that have a 0 where another one has a 1 drop out. bits:
 * own, left and right. */
static unsigned greatest(bit_node *n, unsigned bits) {
    unsigned alive = n->alive & bits;
    if (!alive) return 0;
    n->alive = (uint8_t)alive;
    return 1;
}

static bool maximum(bit_machine *m, bit_place at) {
    bit_node *n = node_at(m, at);
    unsigned bits = 0;
    if (at.height == 0) {
        if (m->step > m->width) return false;
    } else {
        if (from_child(m, at, 0) == BIT_SILENT) return false;
        bits = from_child(m, at, 0) << 1 | from_child(m, at, 1) << 2;
    }
    unsigned out = greatest(n, bits | from_top(m, n->sum, n->put++));
    if (at.height == q_of(m))
        n->most = n->most << 1 | out;
    else
        to_parent(m, at, out);
    return true;
}

uint64_t bit_maximum(bit_machine *m) {
    restart(m);
    return run_nodes(m, maximum, q_of(m));
}

/* A leaf shifts lambda_T in from the top of `divisor` too, without the zeros in front. */
static void take_lambda(const bit_machine *m, bit_leaf *l, unsigned bit) {
    l->lambda = l->lambda << 1 | bit;
    if (!l->lambda)
        l->zeros++;
    else
        l->divisor |= (uint64_t)bit << (m->width - 1 - (l->got - l->zeros));
    l->got++;
}

static bool broadcast(bit_machine *m, bit_place at) {
    unsigned bit = BIT_SILENT;
    if (at.height < q_of(m))
        bit = from_parent(m, at);
    else if (m->step <= m->width)
        bit = from_top(m, node_at(m, at)->most, m->step - 1);
    if (bit == BIT_SILENT) return false;
    if (at.height)
        to_children(m, at, bit);
    else
        take_lambda(m, &m->leaf[at.node], bit);
    return true;
}

uint64_t bit_broadcast(bit_machine *m) {
    return run_nodes(m, broadcast, q_of(m));
}

/* The maximum of all lambda_T goes up from the roots of the subtrees and, from the root, down to the leaves.
 */
static bool passes_up(bit_machine *m, bit_place at) {
    bit_node *n = node_at(m, at);
    unsigned out;
    if (at.height < q_of(m)) return false;
    if (at.height == q_of(m)) {
        if (m->step > m->width) return false;
        out = from_top(m, n->most, m->step - 1);
    } else {
        if (from_child(m, at, 0) == BIT_SILENT) return false;
        out = greatest(n, from_child(m, at, 0) << 1 | from_child(m, at, 1) << 2);
    }
    if (at.height == m->lg)
        to_children(m, at, out);
    else
        to_parent(m, at, out);
    return true;
}

static bool passes(bit_machine *m, bit_place at) {
    bool works = passes_up(m, at);
    unsigned bit = from_parent(m, at);
    if (bit == BIT_SILENT) return works;
    if (at.height)
        to_children(m, at, bit);
    else
        m->leaf[at.node].passes = m->leaf[at.node].passes << 1 | bit;
    return true;
}

uint64_t bit_passes(bit_machine *m) {
    restart(m);
    return run_nodes(m, passes, m->lg);
}

/* ---- 6: prefixes; 9: ranks ---- */

/* Sums go up, least bit first. A node keeps that of its left child until the prefix of the node itself comes
 * down, and adds it for the right child. */
static bool prefix_of_node(bit_machine *m, bit_place at) {
    bit_node *n = node_at(m, at);
    unsigned a = from_child(m, at, 0), b = from_child(m, at, 1), q = q_of(m);
    bool works = a != BIT_SILENT;
    if (works) {
        unsigned s = a + b + n->carry;
        n->carry = (uint8_t)(s >> 1);
        n->left |= (uint64_t)a << n->put++;
        if (at.height < q) to_parent(m, at, s & 1);
    }
    unsigned prefix = at.height < q ? from_parent(m, at) : works ? 0 : BIT_SILENT;
    if (prefix == BIT_SILENT) return works;
    unsigned s = prefix + (n->left >> n->taken++ & 1) + n->carry2;
    n->carry2 = (uint8_t)(s >> 1);
    to_child(m, at, 0, prefix);
    to_child(m, at, 1, s & 1);
    return true;
}

/* A leaf sends its number and receives the sum of those to its left. */
static bool prefix_of_leaf(bit_machine *m, bit_place at, uint64_t number, uint64_t *before) {
    bit_node *n = node_at(m, at);
    bool sends = m->step <= m->width;
    if (sends && q_of(m)) to_parent(m, at, number >> (m->step - 1) & 1);
    if (q_of(m) == 0) return sends; /* nothing is to the left */
    unsigned bit = from_parent(m, at);
    if (bit == BIT_SILENT) return sends;
    *before |= (uint64_t)bit << n->taken++;
    return true;
}

static bool prefix(bit_machine *m, bit_place at) {
    bit_leaf *l = &m->leaf[at.node];
    return at.height ? prefix_of_node(m, at) : prefix_of_leaf(m, at, l->y, &l->x);
}

uint64_t bit_prefix(bit_machine *m) {
    restart(m);
    return run_nodes(m, prefix, q_of(m));
}

/* The rank of a leaf's second message is one more: it is computed as the bits come. */
static bool rank(bit_machine *m, bit_place at) {
    bit_leaf *l = &m->leaf[at.node];
    if (at.height) return prefix_of_node(m, at);
    bool works = prefix_of_leaf(m, at, l->due, &l->out[0].rank);
    l->out[1].rank = l->out[0].rank + 1;
    return works;
}

uint64_t bit_rank(bit_machine *m) {
    restart(m);
    m->width = pruned_lg_vertices(bit_lg_top(m));
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) m->leaf[leaf].out[0].rank = 0;
    return run_nodes(m, rank, q_of(m));
}
