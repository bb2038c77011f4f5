/* The calls of MPI in traces of liballprof: where their arguments are. Field 0 is the name, 1 the time at
 * which the call begins, the last the time at which it ends. */
#ifndef BOUGH_TRAFFIC_RECORDED_MPI_CALLS_H
#define BOUGH_TRAFFIC_RECORDED_MPI_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum mpi_call_form {
    MPI_CALL_INIT,
    MPI_CALL_FINALIZE,
    MPI_CALL_MESSAGE, /* count in field 3; type, peer, tag and communicator follow */
    MPI_CALL_PERSISTENT,
    MPI_CALL_SENDRECV,
    MPI_CALL_COLLECTIVE,
    MPI_CALL_WAIT,
    MPI_CALL_WAITALL,
    MPI_CALL_START,
    MPI_CALL_FREE,
    MPI_CALL_REFUSED
} mpi_call_form;

typedef struct mpi_call {
    const char *name;
    uint8_t form; /* mpi_call_form */
    uint8_t fields;
    uint8_t what;                       /* recorded_kind of a message, recorded_what of a collective */
    uint8_t count, root, comm, request; /* fields; 0: none. The type follows the count */
    bool blocks;                        /* the count is of one block: the vector has one for each member */
    const char *reason;                 /* why it is refused */
} mpi_call;

/* NULL: not a call that communicates. */
const mpi_call *mpi_call_find(const char *name);

#endif
