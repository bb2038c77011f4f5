/* Difficulty of a message set, independent of the routing; trees only. */
#ifndef BOUGH_MODELS_LINK_LOAD_DIFFICULTY_H
#define BOUGH_MODELS_LINK_LOAD_DIFFICULTY_H

#include "models/link_load/link_tally.h"

typedef struct difficulty {
    double load_factor;           /* Leiserson's */
    double ascending, descending; /* the same of one direction */
    double eta;                   /* bay1991 */
    uint64_t degree;
} difficulty;

typedef struct difficulty_question {
    const bough_run *run;
    const bough_batch *batch; /* NULL: all pairs */
    unsigned threads;         /* they divide the levels */
    link_tally *tally;        /* also receives the links of all channels, which share evenly; then one thread.
                               * NULL: nothing is added */
} difficulty_question;

/* Arrays that are used again by later trials. Zero-initialise. */
typedef struct difficulty_space {
    uint64_t *up, *down; /* [endpoints]: messages that cross a channel of a level */
    uint64_t *crossing;  /* of the binary tree over the endpoints */
} difficulty_space;

bough_status difficulty_make(const bough_net *net, difficulty_space *space, bough_error *error);
void difficulty_fini(difficulty_space *space);
uint64_t difficulty_bytes(const bough_net *net);
uint64_t difficulty_bytes_each(const bough_net *net); /* of each further thread */

/* Errors: NO_MEMORY. Ends early, without an error, if the run is stopped. */
bough_status difficulty_measure(const difficulty_question *question, difficulty_space *space, difficulty *d,
                                bough_error *error);

#endif
