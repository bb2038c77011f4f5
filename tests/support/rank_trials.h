/* Trials that ranks compute together, as threads, compared with those of one rank: the same rows, bit for
 * bit. */
#ifndef TESTS_SUPPORT_RANK_TRIALS_H
#define TESTS_SUPPORT_RANK_TRIALS_H

#include "method/method.h"
#include "support/rank_threads.h"

/* A point, and how it is run. */
typedef struct rank_question {
    const char *net, *routing, *traffic, *method; /* routing: NULL: the network's */
    uint64_t trials;                              /* 6 at most */
    unsigned ranks;                               /* TEAM_MOST at most */
    unsigned threads;                             /* of each rank */
    uint64_t break_after;                         /* swaps of the last rank until one fails; 0: none does */
} rank_question;

/* Fails the test where rows differ, or the method cannot be computed together. Nothing if the network does
 * not have the traffic. With break_after every rank has to end with the same error. Returns the exchanges of
 * rank 0. */
uint64_t rank_trials_compare(const rank_question *question);

/* The same on teams of 1 to 8 ranks, of one and two threads. `ranks` and `threads` are not read. */
void rank_trials_teams(rank_question question);

/* The same, where the last rank fails at each of its first swaps in turn. */
void rank_trials_lost(rank_question question, uint64_t swaps);

#endif
