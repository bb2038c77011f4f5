/* Collectives as schedules: the sends and receives of every member of a group, for any number of members. An
 * algorithm is one descriptor. It uses members 0 .. n-1 and blocks of the vector; the functions below
 * translate these to operations of ranks.
 *
 * The vector (size bytes) is what a member has after an allgather, before a reducescatter, before and after
 * an allreduce, and what it sends in an alltoall, including its own block: the size that NCCL's bandwidths
 * refer to. It is divided into blocks as evenly as possible.
 *
 * In a step a member sends and receives simultaneously (MPI_Sendrecv). Its next step waits for both and for
 * the reduction of the received data. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_H
#define BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_H

#include "traffic/schedules/schedule.h"

#include <stdbool.h>

#define COLLECTIVE_NOBODY UINT32_MAX

/* Observer, for tests. Called after each send, for each item that it carries: a block of the vector; in an
 * alltoall origin n + destination. reduced: the receiver adds the item to its own, otherwise it replaces it.
 * from and to are ranks; with the tag they identify the send. */
typedef struct collective_watch {
    void (*carries)(void *context, uint32_t from, uint32_t to, uint32_t tag, uint64_t item, bool reduced);
    void *context;
} collective_watch;

/* The protocols of NCCL: how data and its arrival are told apart on the wire. */
typedef enum collective_protocol {
    COLLECTIVE_PLAIN, /* the bytes of the data, no latency but that of hosts and network */
    COLLECTIVE_LL,
    COLLECTIVE_LL128,
    COLLECTIVE_SIMPLE
} collective_protocol;

struct collective_tuning;
struct collective_adders; /* gpu/adder_trees.h */
struct msccl;             /* formats/workloads/msccl.h */

/* Where a rank is: its node, numbered in the order of first ranks, its place among the GPUs of the node, and
 * the NIC that it is nearest to. */
typedef struct collective_seat {
    uint32_t node, gpu, nic;
} collective_seat;

/* What the algorithms of GPU libraries use besides the members. All zero: one rank on each node, defaults. */
typedef struct collective_gpu {
    uint32_t gpus, nics; /* GPUs of a node, and the NICs that they share evenly; 0: one */
    uint32_t channels;   /* 0: one per NIC */
    uint64_t chunk;      /* bytes of data that are passed on together; 0: COLLECTIVE_CHUNK */
    collective_protocol protocol;
    uint32_t path_ns[2]; /* that a message takes anyway, within a node and to another on the same switch: a
                            part of the latencies of protocols */
    const struct collective_tuning *tuning; /* of algorithm nccl; NULL: the built-in one */
    const collective_seat *seat;            /* [ranks]; NULL: consecutive ranks are on a node */
} collective_gpu;
#define COLLECTIVE_CHUNK        (UINT64_C(512) << 10)
#define COLLECTIVE_CHANNELS_MAX 32

/* What an algorithm of GPU libraries made of its options; algorithm is NULL for the others. */
typedef struct collective_made {
    const char *algorithm;
    collective_protocol protocol;
    uint32_t channels;
    uint64_t pieces, chunks; /* of a block or a channel: messages, and the chunks that were asked for */
    uint32_t hops;           /* of a pipeline: messages one after the other; 0: pieces cost no time */
    bool chosen;             /* by the tuning */
    bool pat;                /* NCCL would take PAT, which is not simulated */
} collective_made;

/* State of the generation of one or more consecutive collectives. Zero-initialise, then set the first
 * part. */
typedef struct collective {
    bough_schedule_builder *builder; /* NULL: operations are only counted */
    uint32_t n;                      /* members */
    const uint32_t *rank;            /* [n]: the rank of member i; NULL: i */
    uint64_t size;                   /* bytes of the vector */
    uint32_t first, end;             /* exchanges of other ranks are left out; end 0: of none */
    uint32_t root;                   /* if applicable; member v of an algorithm is v + root */
    uint64_t segment;                /* bytes per segment of pipelines */
    uint64_t reduce_ps;              /* time to add one byte to another */
    collective_gpu gpu;
    const struct collective_adders *adders; /* of algorithms that need them; NULL: none */
    const struct msccl *program;            /* the same */
    uint8_t label, cpu;                     /* of its operations */
    uint32_t (*last)[2]; /* [ranks]: dependencies of the next operation of a rank; COLLECTIVE_NOBODY: none */
    const collective_watch *watch;
    bough_error *error;

    uint32_t tag; /* increases with every step: no two messages between two ranks share a tag */
    uint64_t ops, waits;
    uint32_t from, to; /* ranks of the last send */
    collective_made made;
    bough_status status;
} collective;

typedef struct collective_algorithm {
    const char *name, *summary, *source;
    void (*generate)(collective *c);         /* sets c->status */
    uint64_t (*blocks)(collective const *c); /* number of blocks of the vector */
    bool adders;                             /* needs switches that add */
    bool program;   /* needs the program of a file, which its name is followed by: msccl:FILE */
    bool exchanges; /* it consists of collective_exchange, so threads may each make those of some ranks */
} collective_algorithm;

typedef struct collective_kind {
    const char *name, *summary;
    const collective_algorithm *algorithm; /* ends with a NULL name; the first is the default */
    double (*bus)(uint32_t n);             /* bus bandwidth over algorithm bandwidth */
} collective_kind;

extern const collective_kind collective_allreduce, collective_allgather, collective_reducescatter,
    collective_alltoall, collective_broadcast, collective_reduce, collective_barrier;

/* NULL if there is no such algorithm. Of a name with a colon, what is before it counts. */
const collective_algorithm *collective_find(const collective_kind *kind, const char *name);
/* Whether it is one of GPU libraries, which use `gpu`. */
bool collective_is_gpu(const collective_algorithm *algorithm);
/* The algorithm of a kind that matches one of allreduce; the default of kinds that have no choice. */
const collective_algorithm *collective_matching(const collective_kind *kind, const char *allreduce);

/* Checks that a schedule with these numbers of operations and dependencies fits in memory while it is built.
 * place: for the message. Errors: TOO_LARGE. */
bough_status collective_check_size(uint64_t ops, uint64_t waits, const char *place, bough_error *error);

/* ---- for algorithms ---- */

/* Offset of block b; blocks differ by at most one byte. */
static inline uint64_t collective_cut(uint64_t size, uint64_t blocks, uint64_t b) {
    return (uint64_t)((unsigned __int128)size * b / blocks);
}
/* Bytes of blocks first .. first+count-1. */
static inline uint64_t collective_bytes(uint64_t size, uint64_t blocks, uint64_t first, uint64_t count) {
    return collective_cut(size, blocks, first + count) - collective_cut(size, blocks, first);
}
/* The same modulo blocks: first below blocks, count at most blocks. */
uint64_t collective_circle(uint64_t size, uint64_t blocks, uint64_t first, uint64_t count);

/* One direction of an exchange. */
typedef struct collective_transfer {
    uint32_t peer; /* or COLLECTIVE_NOBODY */
    uint64_t bytes;
} collective_transfer;
#define COLLECTIVE_NO_TRANSFER ((collective_transfer){COLLECTIVE_NOBODY, 0})
/* Member v sends to one member and receives from another simultaneously; reduce: it adds what it receives to
 * its own data. */
void collective_exchange(collective *c, uint32_t v, collective_transfer sent, collective_transfer received,
                         bool reduce);
/* All members send to all others at once. item: the one that `from` sends to `to`, whose block of the vector
 * is item modulo n. reduce: receivers add it. A computation of no time waits for all of it, which ends the
 * step. */
typedef uint64_t collective_item(const collective *c, uint64_t from, uint64_t to);
void collective_at_once(collective *c, collective_item *item, bool reduce);
/* Ends a step of all members. */
void collective_step(collective *c);
/* Adds a send of member v, as in collective_exchange; returns its id. */
uint32_t collective_send(collective *c, uint32_t v, uint32_t to, uint64_t bytes);
uint32_t collective_recv(collective *c, uint32_t v, uint32_t from, uint64_t bytes);
/* Adds an operation of a rank after its last operation (which stays the last); returns its id. */
uint32_t collective_add(collective *c, uint32_t rank, bough_op op);
/* The time (ns) to add so many bytes. */
static inline uint64_t collective_reduction(const collective *c, uint64_t bytes) {
    return (uint64_t)(((unsigned __int128)bytes * c->reduce_ps + 500) / 1000);
}
/* Adds a dependency between operations of one rank. */
void collective_wait(collective *c, uint32_t after, uint32_t before);
/* The rank of member v; from n on these are adders, which have the ranks with their numbers. */
uint32_t collective_rank(const collective *c, uint32_t v);
/* Of the GPUs of a node the first gpus / nics share the first NIC, and so on. */
static inline collective_seat collective_seat_made(uint32_t gpu, uint32_t gpus, uint32_t nics) {
    return (collective_seat){gpu / gpus, gpu % gpus, (uint32_t)((uint64_t)(gpu % gpus) * nics / gpus)};
}
/* Where a rank is that is no adder. */
static inline collective_seat collective_seat_of(const collective *c, uint32_t rank) {
    if (c->gpu.seat) return c->gpu.seat[rank];
    return collective_seat_made(rank, c->gpu.gpus ? c->gpu.gpus : 1, c->gpu.nics ? c->gpu.nics : 1);
}
/* Reports the items of the last send to the observer. */
void collective_carries(const collective *c, uint64_t first, uint64_t count, bool reduced);

/* The largest power of two that is at most n. */
static inline uint32_t collective_power(uint32_t n) {
    uint32_t p = 1;
    while (p <= n / 2) p *= 2;
    return p;
}

/* Building blocks of other algorithms. */
void collective_direct_reducescatter(collective *c);
void collective_direct_allgather(collective *c);
void collective_ring_reducescatter(collective *c);
void collective_ring_allgather(collective *c);
void collective_rails_reducescatter(collective *c);
void collective_rails_allgather(collective *c);
void collective_rails_allreduce(collective *c);
void collective_tree_reduce(collective *c);
void collective_tree_broadcast(collective *c);

/* Members folded to a power of two: of the first 2 r (r: members beyond the power) each odd one represents
 * two. Virtual member w < power is member collective_unfold(w). */
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

uint64_t collective_n_blocks(const collective *c); /* one per member */
uint64_t collective_one_block(const collective *c);
uint64_t collective_power_blocks(const collective *c);

#endif
