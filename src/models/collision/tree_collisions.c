/* Pr[C2] of a tree XGFT(h; m; w; p) under random selection, in closed form.
 *
 * Message 1 goes from s1 to t1, message 2 from s2 to t2. The classes of pairs are k = nca(s1, s2), a1 =
 * nca(s1, t1), a2 = nca(s2, t2) and d = nca(t1, t2) as levels, d = 0 if t1 = t2. A message that turns at
 * level a draws a parent x_j among w_j at each level j < a. With L = min(a1, a2):
 *
 * - Both request one group up from level j if and only if k <= j < L and x_0 .. x_(j-1) agree. It has w_j p_j
 *   links, and they take different ones; they collide if there is only one.
 * - Both request one group down to level i if and only if d <= i < L and x_0 .. x_i agree. It has p_i links.
 *
 * The parents drawn below level k are independent; two heads at one node take the same parent with
 * probability (p_j - 1) / (w_j p_j - 1). So the event that the first `length` parents agree has the
 * probability agree[length], and these events are nested, as are therefore all collisions of a class. */
#include "models/collision/collision.h"
#include "network/families/xgft_tree.h"

#include <math.h>

typedef struct tree {
    const xgft_shape *shape;
    double size[XGFT_LEVELS + 1];  /* endpoints below a node of a level */
    double agree[XGFT_LEVELS + 1]; /* of the present k */
    collision_pair *pair;          /* the result */
} tree;

/* A class of pairs and its probability. */
typedef struct pair_class {
    unsigned k, top, d; /* top: L */
    double weight;
} pair_class;

static bool tree_of(const bough_net *net, tree *t) {
    t->shape = xgft_shape_of(net);
    if (!t->shape) return false;
    t->size[0] = 1;
    for (unsigned l = 0; l < t->shape->levels; l++) t->size[l + 1] = t->size[l] * (double)t->shape->m[l];
    return true;
}

/* Endpoints whose nearest common ancestor with a given one is at a level; itself at level 0. */
static double at_level(const tree *t, unsigned level) {
    return level ? t->size[level] - t->size[level - 1] : 1;
}

static double lines_up(const tree *t, unsigned j) {
    return (double)t->shape->w[j] * (double)t->shape->p[j];
}

static void fill_agree(tree *t, unsigned k) {
    double *agree = t->agree;
    agree[0] = 1;
    for (unsigned j = 0; j < t->shape->levels; j++) {
        double w = (double)t->shape->w[j], p = (double)t->shape->p[j], links = w * p;
        double same = j < k ? 1 / w : links > 1 ? (p - 1) / (links - 1) : 1;
        agree[j + 1] = agree[j] * same;
    }
}

static void add_class(const tree *t, const pair_class *c) {
    const double *agree = t->agree;
    collision_pair *pair = t->pair;
    unsigned collided = XGFT_LEVELS + 1; /* heads whose first `collided` parents agree have collided */
    for (unsigned j = c->k; j < c->top && collided > XGFT_LEVELS; j++) {
        pair->up[j] += c->weight * agree[j];
        if (lines_up(t, j) > 1) continue;
        pair->probability += c->weight * agree[j];
        collided = j;
    }
    for (unsigned i = c->top; i-- > c->d;) {
        if (i + 1 >= collided) continue;
        double meet = c->weight * (agree[i + 1] - (collided <= XGFT_LEVELS ? agree[collided] : 0));
        pair->down[i] += meet;
        if (t->shape->p[i] > 1) continue;
        pair->probability += meet;
        collided = i + 1;
    }
}

/* e = nca(s1, t2); t1 is uniform over the endpoints at a1 from s1. */
static void add_destinations(const tree *t, const pair_class *c, unsigned a1, unsigned e) {
    pair_class at = *c;
    if (e != a1) {
        at.d = e > a1 ? e : a1;
        add_class(t, &at);
        return;
    }
    for (unsigned d = 0; d <= a1; d++) {
        double count = d < a1 ? at_level(t, d) : t->size[a1] - 2 * t->size[a1 - 1];
        at.d = d;
        at.weight = c->weight * count / at_level(t, a1);
        add_class(t, &at);
    }
}

/* t2 is uniform over the endpoints at a2 from s2, which is at k from s1. */
static void add_turns(const tree *t, unsigned k, unsigned a1, unsigned a2) {
    double others = t->size[t->shape->levels] - 1;
    pair_class c = {.k = k, .top = a1 < a2 ? a1 : a2};
    double weight = at_level(t, k) / others * (at_level(t, a1) / others) * (at_level(t, a2) / others);
    if (weight == 0) return; /* a level without branches */
    c.weight = weight;
    if (a2 != k) {
        add_destinations(t, &c, a1, a2 > k ? a2 : k);
        return;
    }
    for (unsigned e = 0; e <= k; e++) {
        double count = e < k ? at_level(t, e) : t->size[k] - 2 * t->size[k - 1];
        c.weight = weight * count / at_level(t, k);
        add_destinations(t, &c, a1, e);
    }
}

bool collision_of_tree(const bough_net *net, collision_pair *pair) {
    tree t;
    if (!tree_of(net, &t)) return false;
    unsigned h = t.shape->levels;
    *pair = (collision_pair){.levels = h};
    if (net->endpoints < 2) return true;
    t.pair = pair;
    for (unsigned k = 1; k <= h; k++) {
        fill_agree(&t, k);
        for (unsigned a1 = 1; a1 <= h; a1++)
            for (unsigned a2 = 1; a2 <= h; a2++) add_turns(&t, k, a1, a2);
    }
    return true;
}

static unsigned nca_level(const tree *t, uint64_t a, uint64_t b) {
    unsigned level = 0;
    for (; a != b; level++) a /= t->shape->m[level], b /= t->shape->m[level];
    return level;
}

/* The pairs of message i with all later ones. */
static void add_pairs(tree *t, const bough_batch *batch, uint64_t i, double weight) {
    unsigned a1 = nca_level(t, batch->source[i], batch->address[i]), filled = XGFT_LEVELS + 1;
    for (uint64_t j = i + 1; j < batch->count; j++) {
        unsigned a2 = nca_level(t, batch->source[j], batch->address[j]);
        pair_class c = {.k = nca_level(t, batch->source[i], batch->source[j]),
                        .top = a1 < a2 ? a1 : a2,
                        .d = nca_level(t, batch->address[i], batch->address[j]),
                        .weight = weight};
        if (c.k != filled) fill_agree(t, filled = c.k);
        add_class(t, &c);
    }
}

bool collision_of_batch(const bough_net *net, const bough_batch *batch, collision_pair *pair) {
    tree t;
    if (!tree_of(net, &t)) return false;
    *pair = (collision_pair){.levels = t.shape->levels};
    t.pair = pair;
    double pairs = (double)batch->count * ((double)batch->count - 1) / 2;
    for (uint64_t i = 0; i < batch->count; i++) add_pairs(&t, batch, i, 1 / pairs);
    return true;
}

bool collision_tree_shares(const bough_net *net, double share[COLLISION_LEVELS + 1]) {
    tree t;
    if (!tree_of(net, &t) || net->endpoints < 2) return false;
    share[0] = 0;
    for (unsigned l = 1; l <= t.shape->levels; l++)
        share[l] = at_level(&t, l) / (t.size[t.shape->levels] - 1);
    return true;
}

bool collision_is_binary(const bough_net *net) {
    const xgft_shape *shape = xgft_shape_of(net);
    return shape && xgft_is_binary(shape);
}

double collision_bins(const bough_net *net) {
    collision_pair pair;
    double n = (double)net->endpoints;
    if (collision_is_binary(net)) return 2 * n / log2(n);
    return collision_of_tree(net, &pair) ? 1 / pair.probability : 0;
}
