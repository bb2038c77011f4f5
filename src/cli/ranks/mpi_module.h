/* The module bough-mpi.so, which alone is linked with MPI: the command loads it when a launcher started
 * several ranks, so that it starts as fast as without MPI otherwise. */
#ifndef BOUGH_CLI_RANKS_MPI_MODULE_H
#define BOUGH_CLI_RANKS_MPI_MODULE_H

#include "study/ranks/rank_team.h"

#define MPI_MODULE_FILE "bough-mpi.so"
#define MPI_MODULE_NAME "bough_mpi_module"

typedef struct mpi_module {
    size_t size; /* sizeof(mpi_module) + sizeof(rank_team): that of another version differs */
    /* Starts MPI. Errors: FAILED. */
    bough_status (*open)(rank_team *team, bough_error *error);
    /* Waits until all messages are sent, and ends MPI. lost: a rank does not answer, so that the launcher has
     * to end the job; does not return then. */
    void (*close)(rank_team *team, int code, bool lost);
    char library[256]; /* "Open MPI 4.1.4": what it was built with */
} mpi_module;

#endif
