/* Recorded programs: what every rank of a job did, as its trace says.
 *
 * An operation of a rank is a computation, a send, a receive or its part in a collective. Operations are
 * numbered in the order in which they are added. Dependencies are explicit; both ends belong to one rank.
 * Messages and collectives belong to a group (an MPI communicator, a process group): messages match within
 * it, and the i-th collective of each of its members is one collective. */
#ifndef BOUGH_FORMATS_TRACES_RECORDING_H
#define BOUGH_FORMATS_TRACES_RECORDING_H

#include "base/memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDED_ANY_TAG  UINT64_MAX
#define RECORDED_ANY_RANK UINT32_MAX
#define RECORDED_OPS_MAX  2147483648u

typedef enum recorded_kind { RECORDED_CALC, RECORDED_SEND, RECORDED_RECV, RECORDED_COLLECTIVE } recorded_kind;

typedef enum recorded_what {
    RECORDED_ALLREDUCE,
    RECORDED_ALLGATHER,
    RECORDED_REDUCESCATTER,
    RECORDED_ALLTOALL,
    RECORDED_BROADCAST,
    RECORDED_REDUCE,
    RECORDED_BARRIER,
    RECORDED_GATHER, /* all to the root at once */
    RECORDED_SCATTER,
    RECORDED_COLLECTIVES
} recorded_what;

typedef struct recorded_op {
    uint64_t size; /* bytes; of a computation: ns; of a collective: the vector, as in collective.h; of a
                      gather and a scatter: all blocks */
    uint64_t tag;  /* of a message, below 2^32; RECORDED_ANY_TAG for receives */
    uint32_t rank;
    uint32_t peer; /* of a message: a rank, or RECORDED_ANY_RANK; of a collective: the position of the root */
    uint32_t group; /* of messages and collectives */
    uint32_t line;  /* line or record of its file */
    uint8_t kind;   /* recorded_kind */
    uint8_t what;   /* of a collective: recorded_what */
    uint8_t cpu;
} recorded_op;

/* after waits for the end of before, or for its start. */
typedef struct recorded_wait {
    uint32_t after, before;
    bool start;
} recorded_wait;

typedef struct recorded_group {
    uint32_t *member; /* [n], different ranks; NULL: all ranks, in order */
    uint32_t n;
} recorded_group;

/* Zero-initialise. */
typedef struct recording {
    uint32_t ranks;
    recorded_op *op;
    recorded_wait *wait;
    recorded_group *group;
    size_t ops, waits, groups;
    arena memory; /* of all of it; the caller frees it */
    /* The members of a collective may state different sizes. The vector is their sum in a gather and a
     * scatter, their mean in an alltoall, the largest in others. */
    bool uneven;
} recording;

bough_status recording_add(recording *r, recorded_op op, uint32_t *id, bough_error *error);
bough_status recording_wait(recording *r, uint32_t after, uint32_t before, bool start, bough_error *error);
/* member is copied; NULL: all ranks. */
bough_status recording_group(recording *r, const uint32_t *member, uint32_t n, bough_error *error);

/* ---- a rank as a sequence of calls ---- */

/* The operation that the next one of a rank follows. */
typedef struct recorded_tail {
    recording *out;
    bough_error *error;
    uint32_t rank, last; /* UINT32_MAX: none */
    bool start;          /* the next operation waits for the start of it only: it does not block */
} recorded_tail;

/* Adds an operation after the last one. blocks: the next one waits for its end. */
bough_status recorded_next(recorded_tail *tail, recorded_op op, bool blocks, uint32_t *id);

#endif
