/* Which node of a network a box of its drawing is. */
#ifndef BOUGH_TESTS_LAYOUT_NAMES_H
#define BOUGH_TESTS_LAYOUT_NAMES_H

#include "support/layout_oracle.h"

/* Numbers of vertices by their place in a stack, for trees of switches; node ids for all. Borrows net and
 * size. */
typedef struct naming {
    const bough_net *net;
    const bough_layout_size *size;
    uint64_t first[64], vertices[64]; /* node id and switches of a subtree, by level */
    uint64_t *label[64];
} naming;

naming naming_make(const bough_net *net, const bough_layout_size *size);
void naming_free(naming *names);
/* The node that a box or port of a flat drawing belongs to. */
uint64_t naming_node(const naming *names, const drawn *item);

#endif
