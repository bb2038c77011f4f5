/* Collectives as schedules: what every member of a group sends and receives, step by step, at any number of
 * members. An algorithm is one descriptor; it speaks of members 0 .. n-1 and of blocks of the vector, and the
 * functions below turn that into operations of ranks.
 *
 * The vector (size bytes) is what a member holds after an allgather, before a reducescatter, before and after
 * an allreduce, and what it gives in an alltoall, its own block included: the size that NCCL's bandwidths
 * are about. It is cut into blocks as evenly as possible.
 *
 * In a step a member sends and receives at the same time (MPI_Sendrecv); its next step waits for both, and
 * for the reduction of what came. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_H
#define BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_H

#include "bough/schedule.h"

#include <stdbool.h>

#define COLLECTIVE_NOBODY UINT32_MAX

/* For those who look on. Called after a send was added, for each item it carries: a block of the vector; in
 * an alltoall origin n + destination. reduced: it is added to what the receiver has, else it takes its place.
 * from and to are ranks; with the tag they name the send. */
typedef struct collective_watch {
    void (*carries)(void *context, uint32_t from, uint32_t to, uint32_t tag, uint64_t item, bool reduced);
    void *context;
} collective_watch;

/* One collective in the making, or a sequence of them. Zero-initialise, then fill the first part. */
typedef struct collective {
    bough_schedule_builder *builder; /* NULL: operations are only counted */
    uint32_t n;                      /* members */
    const uint32_t *rank;            /* [n]: the rank of member i; NULL: i */
    uint64_t size;                   /* bytes of the vector */
    uint32_t root;                   /* where there is one; member v of an algorithm is v + root */
    uint64_t segment;                /* bytes, of pipelines */
    uint64_t reduce_ps;              /* to add a byte to another */
    uint8_t label;
    uint32_t (*last)[2]; /* [ranks]: what a rank's next operation waits for; COLLECTIVE_NOBODY: nothing */
    const collective_watch *watch;
    bough_error *error;

    uint32_t tag; /* goes on from step to step: no two messages between two ranks share one */
    uint64_t ops, waits;
    uint32_t from, to; /* of the last send: ranks */
    bough_status status;
} collective;

typedef struct collective_algorithm {
    const char *name, *summary, *source;
    void (*generate)(collective *c);         /* sets c->status */
    uint64_t (*blocks)(collective const *c); /* of the vector */
} collective_algorithm;

typedef struct collective_kind {
    const char *name, *summary;
    const collective_algorithm *algorithm; /* ends with a NULL name; the first is the default */
    double (*bus)(uint32_t n);             /* bus bandwidth over algorithm bandwidth */
} collective_kind;

extern const collective_kind collective_allreduce, collective_allgather, collective_reducescatter,
    collective_alltoall, collective_broadcast, collective_reduce, collective_barrier;

/* NULL where there is none of that name. */
const collective_algorithm *collective_find(const collective_kind *kind, const char *name);

/* Whether a schedule of so many operations and waits would fit in memory while it is made. place: for the
 * message. Errors: TOO_LARGE. */
bough_status collective_room(uint64_t ops, uint64_t waits, const char *place, bough_error *error);

/* ---- for algorithms ---- */

/* Where block b of so many begins: blocks differ by at most one byte. */
static inline uint64_t collective_cut(uint64_t size, uint64_t blocks, uint64_t b) {
    return (uint64_t)((unsigned __int128)size * b / blocks);
}
/* Bytes of blocks first .. first+count-1. */
static inline uint64_t collective_bytes(uint64_t size, uint64_t blocks, uint64_t first, uint64_t count) {
    return collective_cut(size, blocks, first + count) - collective_cut(size, blocks, first);
}
/* The same around the end: first below blocks, count at most blocks. */
uint64_t collective_circle(uint64_t size, uint64_t blocks, uint64_t first, uint64_t count);

/* Member v sends to one and receives from another at once; either may be NOBODY. */
void collective_exchange(collective *c, uint32_t v, uint32_t to, uint64_t sent, uint32_t from,
                         uint64_t received, bool reduce);
/* The end of a step of all members. */
void collective_step(collective *c);
/* Member v's send, as it stands in collective_exchange; its id. */
uint32_t collective_send(collective *c, uint32_t v, uint32_t to, uint64_t bytes);
uint32_t collective_recv(collective *c, uint32_t v, uint32_t from, uint64_t bytes);
/* One operation of a rank that waits for what its rank did last (which stays the last); its id. */
uint32_t collective_add(collective *c, uint32_t rank, bough_op op);
/* Waits for one more of its rank. */
void collective_wait(collective *c, uint32_t after, uint32_t before);
/* The rank of member v. */
uint32_t collective_rank(const collective *c, uint32_t v);
/* Of the last send. */
void collective_carries(const collective *c, uint64_t first, uint64_t count, bool reduced);

/* The largest power of two that is at most n. */
static inline uint32_t collective_power(uint32_t n) {
    uint32_t p = 1;
    while (p <= n / 2) p *= 2;
    return p;
}

/* Pieces that other algorithms are made of. */
void collective_ring_reducescatter(collective *c);
void collective_ring_allgather(collective *c);
void collective_tree_reduce(collective *c);
void collective_tree_broadcast(collective *c);

/* Members folded to a power of two: of the first 2 r (r: what is beyond the power) the odd ones stand for
 * two. virtual member w < power is member collective_unfold(w). */
typedef struct collective_fold {
    uint32_t power, rest;
} collective_fold;
static inline collective_fold collective_folded(uint32_t n) {
    uint32_t p = collective_power(n);
    return (collective_fold){p, n - p};
}
static inline uint32_t collective_unfold(collective_fold f, uint32_t w) {
    return w < f.rest ? 2 * w + 1 : w + f.rest;
}

uint64_t collective_n_blocks(const collective *c); /* as many as members */
uint64_t collective_one_block(const collective *c);
uint64_t collective_power_blocks(const collective *c);

#endif
