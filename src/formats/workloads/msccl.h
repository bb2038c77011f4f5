/* Collective algorithms of MSCCL (github.com/microsoft/msccl-tools, msccl): XML files with the steps of every
 * thread block of every GPU. A buffer is divided into chunks: the input, the output and a scratch buffer. A
 * block runs its steps in order, with at most one GPU to send to and one to receive from. */
#ifndef BOUGH_FORMATS_WORKLOADS_MSCCL_H
#define BOUGH_FORMATS_WORKLOADS_MSCCL_H

#include "base/files/input.h"
#include "base/memory/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define MSCCL_NONE UINT32_MAX

typedef enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH, MSCCL_BUFFERS } msccl_buffer;
typedef enum msccl_collective {
    MSCCL_ALLREDUCE,
    MSCCL_ALLGATHER,
    MSCCL_REDUCESCATTER,
    MSCCL_ALLTOALL,
    MSCCL_COLLECTIVES
} msccl_collective;

/* What a step does, in this order: receives, adds what is there, stores, sends. */
enum { MSCCL_RECEIVES = 1, MSCCL_ADDS = 2, MSCCL_STORES = 4, MSCCL_SENDS = 8 };

typedef struct msccl_chunks {
    uint32_t first;
    uint8_t buffer; /* msccl_buffer */
} msccl_chunks;

typedef struct msccl_step {
    uint8_t does;          /* 0: nothing but wait */
    msccl_chunks from, to; /* what it sends, copies or adds; where it stores */
    uint32_t count;        /* chunks */
    uint32_t after;        /* a step that it waits for beside the one before; MSCCL_NONE */
    uint32_t partner;      /* of a receive: the step that sends; MSCCL_NONE: it does not receive */
    uint32_t number;       /* of a send: of its message on the connection, from 0 */
    uint32_t line, block;
} msccl_step;

typedef struct msccl_block {
    uint32_t gpu, send, receive, channel; /* send, receive: GPUs; MSCCL_NONE */
    uint32_t first, steps;                /* in step */
    uint32_t line;
} msccl_block;

typedef struct msccl_gpu {
    uint32_t chunks[MSCCL_BUFFERS];
    uint32_t first, blocks; /* in block */
    uint32_t line;
} msccl_gpu;

/* Zero-initialise. */
typedef struct msccl {
    char *file, *name; /* name: of the algorithm */
    msccl_collective collective;
    uint32_t gpus, channels, vector; /* vector: chunks that the vector of the collective is divided into */
    bool in_place, out_of_place;     /* how it may be called */
    msccl_gpu *gpu;
    msccl_block *block;
    msccl_step *step;
    size_t blocks, steps;
    uint32_t *order; /* [steps]: a legal order of all steps */
    arena memory;    /* of all of it; the caller frees it */
} msccl;

extern const char *const msccl_collective_name[MSCCL_COLLECTIVES]; /* as traffic is called */

/* Reads a file, and checks that every GPU ends with what the collective demands: each chunk is followed
 * through the steps, in two legal orders. Linear in the bytes and steps. Errors: INVALID with file:line;
 * UNSUPPORTED without libxml2; TOO_LARGE, NO_MEMORY. */
bough_status msccl_read(const bough_input *input, msccl *m, bough_error *error);

/* ---- for the reader ---- */

bough_status msccl_check(msccl *m, bough_error *error);

/* The chunk of the vector that a chunk of a buffer is: of the scratch buffer, its number. */
uint32_t msccl_vector_chunk(const msccl *m, uint32_t gpu, msccl_chunks c);

#endif
