/* A team of processes that compute one study: ranks 0 .. ranks-1, which exchange messages. How they are
 * carried is not known here: the command has a team over MPI (cli/ranks/mpi_module.c), the tests one of
 * threads. */
#ifndef BOUGH_STUDY_RANKS_RANK_TEAM_H
#define BOUGH_STUDY_RANKS_RANK_TEAM_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rank_message {
    unsigned from;
    unsigned char *bytes; /* heap, owned by the receiver */
    size_t size;
} rank_message;

typedef struct rank_team {
    unsigned rank, ranks;
    unsigned local;  /* ranks on this machine, this one included: they share its memory */
    double patience; /* seconds without a message after which a rank counts as lost */
    void *context;
    /* Sends a copy of the bytes and returns before they arrive. Messages of one rank to another arrive
     * in order. Only one thread calls these functions at a time. */
    bough_status (*send)(void *context, unsigned to, const void *bytes, size_t size, bough_error *error);
    /* Takes a message that has arrived; *any is false if there is none. Does not wait. */
    bough_status (*receive)(void *context, rank_message *message, bool *any, bough_error *error);
} rank_team;

#endif
