#include "traffic/recorded/mpi_calls.h"

#include "traffic/recorded/recording.h"

#include <stddef.h>
#include <string.h>

#define SEND(name)                                                                                           \
    { name, MPI_CALL_MESSAGE, 9, RECORDED_SEND, 3, 0, 7, 0, false, NULL }
#define ISEND(name)                                                                                          \
    { name, MPI_CALL_MESSAGE, 10, RECORDED_SEND, 3, 0, 7, 8, false, NULL }
/* name, fields, what, count, root, comm, request, blocks */
#define COLLECTIVE(name, ...)                                                                                \
    { name, MPI_CALL_COLLECTIVE, __VA_ARGS__, NULL }
#define REFUSED(name, reason)                                                                                \
    { name, MPI_CALL_REFUSED, 0, 0, 0, 0, 0, 0, false, reason }

static const char sizes[] = "its sizes are arrays, which the trace does not contain";
static const char which[] = "the trace does not say which request was complete";
static const char prefix[] = "there is no algorithm for prefix sums";

static const mpi_call calls[] = {
    {"MPI_Init", MPI_CALL_INIT, 5, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Init_thread", MPI_CALL_INIT, 7, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Finalize", MPI_CALL_FINALIZE, 3, 0, 0, 0, 0, 0, false, NULL},
    SEND("MPI_Send"),
    SEND("MPI_Ssend"),
    SEND("MPI_Rsend"),
    SEND("MPI_Bsend"),
    ISEND("MPI_Isend"),
    ISEND("MPI_Issend"),
    ISEND("MPI_Irsend"),
    ISEND("MPI_Ibsend"),
    {"MPI_Recv", MPI_CALL_MESSAGE, 10, RECORDED_RECV, 3, 0, 7, 0, false, NULL},
    {"MPI_Irecv", MPI_CALL_MESSAGE, 10, RECORDED_RECV, 3, 0, 7, 8, false, NULL},
    {"MPI_Send_init", MPI_CALL_PERSISTENT, 10, RECORDED_SEND, 3, 0, 7, 8, false, NULL},
    {"MPI_Recv_init", MPI_CALL_PERSISTENT, 10, RECORDED_RECV, 3, 0, 7, 8, false, NULL},
    {"MPI_Start", MPI_CALL_START, 4, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Request_free", MPI_CALL_FREE, 4, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Sendrecv", MPI_CALL_SENDRECV, 15, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Wait", MPI_CALL_WAIT, 5, 0, 0, 0, 0, 0, false, NULL},
    {"MPI_Waitall", MPI_CALL_WAITALL, 6, 0, 0, 0, 0, 0, false, NULL},
    COLLECTIVE("MPI_Barrier", 4, RECORDED_BARRIER, 0, 0, 2, 0, false),
    COLLECTIVE("MPI_Ibarrier", 5, RECORDED_BARRIER, 0, 0, 2, 3, false),
    COLLECTIVE("MPI_Bcast", 8, RECORDED_BROADCAST, 3, 5, 6, 0, false),
    COLLECTIVE("MPI_Ibcast", 9, RECORDED_BROADCAST, 3, 5, 6, 7, false),
    COLLECTIVE("MPI_Reduce", 10, RECORDED_REDUCE, 4, 7, 8, 0, false),
    COLLECTIVE("MPI_Allreduce", 9, RECORDED_ALLREDUCE, 4, 0, 7, 0, false),
    COLLECTIVE("MPI_Iallreduce", 10, RECORDED_ALLREDUCE, 4, 0, 7, 8, false),
    COLLECTIVE("MPI_Reduce_scatter_block", 9, RECORDED_REDUCESCATTER, 4, 0, 7, 0, true),
    COLLECTIVE("MPI_Allgather", 10, RECORDED_ALLGATHER, 3, 0, 8, 0, true),
    COLLECTIVE("MPI_Iallgather", 11, RECORDED_ALLGATHER, 3, 0, 8, 9, true),
    COLLECTIVE("MPI_Alltoall", 10, RECORDED_ALLTOALL, 3, 0, 8, 0, true),
    COLLECTIVE("MPI_Ialltoall", 11, RECORDED_ALLTOALL, 3, 0, 8, 9, true),
    COLLECTIVE("MPI_Gather", 11, RECORDED_GATHER, 3, 8, 9, 0, true),
    COLLECTIVE("MPI_Scatter", 11, RECORDED_SCATTER, 6, 8, 9, 0, true),
    REFUSED("MPI_Alltoallv", sizes),
    REFUSED("MPI_Alltoallw", sizes),
    REFUSED("MPI_Allgatherv", sizes),
    REFUSED("MPI_Gatherv", sizes),
    REFUSED("MPI_Scatterv", sizes),
    REFUSED("MPI_Reduce_scatter", sizes),
    REFUSED("MPI_Scan", prefix),
    REFUSED("MPI_Exscan", prefix),
    REFUSED("MPI_Waitany", which),
    REFUSED("MPI_Waitsome", which),
    REFUSED("MPI_Startall", "its requests are an array, which the trace does not contain"),
    REFUSED("MPI_Sendrecv_replace", "its fields are not known"),
};

const mpi_call *mpi_call_find(const char *name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0) return &calls[i];
    return NULL;
}
