/* The trees of all endpoints, one after the other, on threads. */
#ifndef BOUGH_LOADS_TREE_LOOP_H
#define BOUGH_LOADS_TREE_LOOP_H

#include "loads/address_tree.h"

#include <stdatomic.h>

typedef struct tree_loop {
    const bough_routing *routing; /* address_tree_fits */
    unsigned threads;             /* 0: one */
    uint64_t grain;               /* endpoints that a thread takes at once: tables are read by cache lines */
    const atomic_bool *stop;      /* may be NULL */
    /* Called once for every endpoint, by thread < threads, with the tree of its first address. */
    bough_status (*visit)(void *context, unsigned thread, address_tree *tree, uint32_t target,
                          bough_error *error);
    void *context;
} tree_loop;

/* Errors: those of visit; INTERRUPTED; NO_MEMORY. */
bough_status tree_loop_run(const tree_loop *loop, bough_error *error);

#endif
