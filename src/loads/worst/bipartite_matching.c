#include "loads/worst/bipartite_matching.h"

#include "base/memory/memory.h"

#include <math.h>
#include <stdbool.h>

/* All arrays of a side grow together. */
static bough_status make_room(const matching_graph *g, matching *m, bough_error *error) {
    void *left[] = {&m->left, &m->order, &m->stack, &m->level, &m->next, &m->left_price, &m->left_way};
    const size_t left_size[] = {sizeof *m->left, sizeof *m->order,      sizeof *m->stack,   sizeof *m->level,
                                sizeof *m->next, sizeof *m->left_price, sizeof *m->left_way};
    void *right[] = {&m->right, &m->from, &m->seen, &m->price, &m->way};
    const size_t right_size[] = {sizeof *m->right, sizeof *m->from, sizeof *m->seen, sizeof *m->price,
                                 sizeof *m->way};
    bough_status status = BOUGH_OK;
    size_t capacity = m->left_capacity;
    for (size_t i = 0; i < sizeof left / sizeof *left && !status; i++) {
        capacity = m->left_capacity;
        status = bough_grow(left[i], &capacity, g->lefts, left_size[i], error);
    }
    if (!status) m->left_capacity = capacity;
    for (size_t i = 0; i < sizeof right / sizeof *right && !status; i++) {
        capacity = m->right_capacity;
        status = bough_grow(right[i], &capacity, g->rights, right_size[i], error);
    }
    if (!status) m->right_capacity = capacity;
    for (uint32_t l = 0; l < g->lefts && !status; l++) m->left[l] = MATCHING_NONE;
    for (uint32_t r = 0; r < g->rights && !status; r++) m->right[r] = MATCHING_NONE;
    m->size = 0;
    m->weight = 0;
    return status;
}

void matching_fini(matching *m) {
    FREE_ALL(m->left, m->right, m->order, m->stack, m->next, m->level, m->from, m->left_price, m->left_way,
             m->price, m->way, m->seen);
    *m = (matching){0};
}

/* ---- most edges ---- */

static void match_greedily(const matching_graph *g, matching *m) {
    for (uint32_t l = 0; l < g->lefts; l++)
        for (uint64_t e = g->start[l]; e < g->start[l + 1]; e++)
            if (m->right[g->to[e]] == MATCHING_NONE) {
                m->left[l] = g->to[e];
                m->right[g->to[e]] = l;
                m->size++;
                break;
            }
}

/* Levels of left vertices: lengths of alternating paths from unmatched ones, up to the first level from which
 * an unmatched right vertex is reached. False: none is, and the matching is maximum. */
static bool find_levels(const matching_graph *g, matching *m) {
    uint32_t head = 0, tail = 0, last = MATCHING_NONE;
    for (uint32_t l = 0; l < g->lefts; l++) {
        m->level[l] = m->left[l] == MATCHING_NONE ? 0 : MATCHING_NONE;
        if (m->level[l] == 0) m->order[tail++] = l;
    }
    for (; head < tail && m->level[m->order[head]] < last; head++) {
        uint32_t l = m->order[head];
        for (uint64_t e = g->start[l]; e < g->start[l + 1]; e++) {
            uint32_t mate = m->right[g->to[e]];
            if (mate == MATCHING_NONE) {
                last = m->level[l] + 1;
            } else if (m->level[mate] == MATCHING_NONE) {
                m->level[mate] = m->level[l] + 1;
                m->order[tail++] = mate;
            }
        }
    }
    return last != MATCHING_NONE;
}

/* Depth first along the levels, with a stack; m->next is the search position of each vertex. */
static bool augment(const matching_graph *g, matching *m, uint32_t root) {
    uint32_t depth = 0;
    m->stack[0] = root;
    for (;;) {
        uint32_t l = m->stack[depth];
        if (m->next[l] == g->start[l + 1]) {
            m->level[l] = MATCHING_NONE; /* a dead end for this phase, also for its predecessor */
            if (depth-- == 0) return false;
            continue;
        }
        uint32_t mate = m->right[g->to[m->next[l]]];
        if (mate == MATCHING_NONE) break;
        if (m->level[mate] == m->level[l] + 1)
            m->stack[++depth] = mate;
        else
            m->next[l]++;
    }
    for (uint32_t i = 0; i <= depth; i++) {
        uint32_t l = m->stack[i], r = g->to[m->next[l]];
        m->left[l] = r;
        m->right[r] = l;
    }
    return true;
}

bough_status matching_largest(const matching_graph *g, matching *m, bough_error *error) {
    bough_status status = make_room(g, m, error);
    if (status) return status;
    match_greedily(g, m);
    uint32_t most = g->lefts < g->rights ? g->lefts : g->rights;
    while (m->size < most && find_levels(g, m)) {
        for (uint32_t l = 0; l < g->lefts; l++) m->next[l] = g->start[l];
        for (uint32_t l = 0; l < g->lefts; l++)
            if (m->left[l] == MATCHING_NONE) m->size += augment(g, m, l);
    }
    return BOUGH_OK;
}

/* ---- largest weight ----
 *
 * Prices p with p(l) + p(r) >= weight for every edge, equality on matched edges, and 0 for unmatched vertices
 * prove that no matching is heavier. Initially p(l) = weight of its heaviest edge and p(r) = 0, which
 * satisfies all conditions except that left vertices are unmatched. Each is then matched in turn. The slacks
 * of edges are lengths: from the vertex, a shortest alternating path leads to an unmatched right vertex, or
 * to a left vertex that can become unmatched at the cost of its price (`way + price` is that distance). */

/* State of one search. Matched right vertices that were reached are in m->seen. */
typedef struct search {
    uint32_t touched, closed; /* in m->seen: the first `closed` are final */
    uint32_t lefts;           /* in m->order: the left vertices of the tree */
    double best;              /* to the nearest end */
    uint32_t end;             /* a right vertex, or a left one if `alone` */
    bool alone;
} search;

static void enter(const matching_graph *g, matching *m, search *s, uint32_t l, double way) {
    m->left_way[l] = way;
    m->order[s->lefts++] = l;
    if (way + m->left_price[l] < s->best) {
        s->best = way + m->left_price[l];
        s->end = l;
        s->alone = true;
    }
    for (uint64_t e = g->start[l]; e < g->start[l + 1]; e++) {
        uint32_t r = g->to[e];
        double slack = m->left_price[l] + m->price[r] - g->weight[e];
        double reach = way + (slack > 0 ? slack : 0);
        if (reach >= s->best || reach >= m->way[r]) continue;
        m->from[r] = l;
        if (m->right[r] == MATCHING_NONE) {
            s->best = reach;
            s->end = r;
            s->alone = false;
        } else {
            if (m->way[r] == INFINITY) m->seen[s->touched++] = r;
            m->way[r] = reach;
        }
    }
}

/* Closes the nearest of the seen, open right vertices. */
static uint32_t close_nearest(matching *m, search *s) {
    uint32_t best = s->closed;
    for (uint32_t i = s->closed + 1; i < s->touched; i++)
        if (m->way[m->seen[i]] < m->way[m->seen[best]]) best = i;
    uint32_t r = m->seen[best];
    m->seen[best] = m->seen[s->closed];
    m->seen[s->closed++] = r;
    return r;
}

static void change_prices(matching *m, const search *s) {
    for (uint32_t i = 0; i < s->lefts; i++) {
        uint32_t l = m->order[i];
        double price = m->left_price[l] - (s->best - m->left_way[l]);
        m->left_price[l] = price > 0 ? price : 0;
    }
    for (uint32_t i = 0; i < s->closed; i++)
        if (m->way[m->seen[i]] < s->best) m->price[m->seen[i]] += s->best - m->way[m->seen[i]];
}

/* Augments along the path from the end to the root. */
static void turn_path(matching *m, const search *s, uint32_t root) {
    uint32_t r = s->end;
    if (s->alone) {
        if (s->end == root) return;
        r = m->left[s->end];
        m->left[s->end] = MATCHING_NONE;
    }
    for (;;) {
        uint32_t l = m->from[r], before = m->left[l];
        m->left[l] = r;
        m->right[r] = l;
        if (l == root) return;
        r = before;
    }
}

static void place(const matching_graph *g, matching *m, uint32_t root) {
    search s = {.best = INFINITY};
    enter(g, m, &s, root, 0);
    while (s.closed < s.touched) {
        uint32_t r = close_nearest(m, &s);
        if (m->way[r] >= s.best) break;
        enter(g, m, &s, m->right[r], m->way[r]);
    }
    change_prices(m, &s);
    turn_path(m, &s, root);
    for (uint32_t i = 0; i < s.touched; i++) m->way[m->seen[i]] = INFINITY;
}

static void add_up(const matching_graph *g, matching *m) {
    for (uint32_t l = 0; l < g->lefts; l++)
        for (uint64_t e = g->start[l]; e < g->start[l + 1]; e++)
            if (g->to[e] == m->left[l]) {
                m->weight += g->weight[e];
                m->size++;
            }
}

bough_status matching_heaviest(const matching_graph *g, matching *m, bough_error *error) {
    bough_status status = make_room(g, m, error);
    if (status) return status;
    for (uint32_t r = 0; r < g->rights; r++) m->price[r] = 0, m->way[r] = INFINITY;
    for (uint32_t l = 0; l < g->lefts; l++) {
        double heaviest = 0;
        for (uint64_t e = g->start[l]; e < g->start[l + 1]; e++)
            if (g->weight[e] > heaviest) heaviest = g->weight[e];
        m->left_price[l] = heaviest;
    }
    for (uint32_t l = 0; l < g->lefts; l++) place(g, m, l);
    add_up(g, m);
    return BOUGH_OK;
}
