/* Chains of changes that lower a largest load, where no single change and no exchange does. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_CHAINS_H
#define BOUGH_FABRIC_TUNE_TUNE_CHAINS_H

#include "fabric/tune/objectives/tune_model.h"

enum { TUNE_CHAIN_MOVES = 6, TUNE_CHAIN_CANDIDATES = 1024 };

typedef struct tune_move {
    uint32_t host, node, arc;
    double delta; /* of the potential */
} tune_move;

/* The model has values of arcs, and a power and reference that suit its largest loads. */
typedef struct tune_chains {
    tune_model *model;
    atomic_bool *stop;                /* may be NULL */
    uint64_t evaluated, budget;       /* changes */
    uint32_t *stack;                  /* [switches], of the caller */
    tune_move *first, *next;          /* [TUNE_CHAIN_CANDIDATES], of the caller */
    uint32_t peak;                    /* the arc of the chain */
    double limit;                     /* arcs of this load, or more, are to be relieved */
    tune_move done[TUNE_CHAIN_MOVES]; /* arc: the one before */
    unsigned moves;
} tune_chains;

/* Lowers the load of an arc, so that no other one rises to it or above: changes of entries of which each
 * relieves the arc that those before it have loaded most. Returns whether it did; else the tables are as
 * before. */
bool tune_chains_lower(tune_chains *chains, uint32_t arc);

#endif
