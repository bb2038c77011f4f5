/* State of the execution of a schedule. ranks.c processes events, ranks_setup.c creates the state and
 * reports. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_RANKS_STATE_H
#define BOUGH_TRAFFIC_SCHEDULES_RANKS_STATE_H

#include "base/memory/event_lanes.h"
#include "traffic/schedules/compute_time.h"
#include "traffic/schedules/ranks.h"
#include "traffic/timeline/timeline.h"

#define NOBODY UINT32_MAX
#define NEVER  UINT64_MAX
#define WAKE   (UINT32_C(1) << 31)

/* States of an operation. For a send, the state of its message: in flight, arrived but not received,
 * received. */
enum { WAITING, LEFT, HERE, POSTED, ENDED };

/* Data of an operation needed by events, in half a cache line; rarely used fields stay in the schedule. */
typedef struct operation {
    union {
        uint64_t ready; /* time at which its dependencies ended */
        /* In a queue or channel; of a receive with wildcards: {next, posting number}. */
        uint32_t link[2];
    };
    union {
        uint32_t waits;    /* number of remaining dependencies; then */
        uint32_t sequence; /* its sequence number */
    };
    uint32_t then;    /* its follower, or the start of several in the list (many), or NOBODY */
    uint32_t peer;    /* of a send: the receiver; else its own rank */
    uint32_t channel; /* as in match_plan */
    uint32_t size;    /* LONG: see the schedule */
    uint8_t kind : 2, wild : 2, state : 3, many : 1;
    uint8_t cpu, nic, label;
} operation;
#define LONG UINT32_MAX

typedef struct waiters {
    uint32_t head, tail; /* a list in order; link[0] is the next */
    uint32_t heap;
} waiters;

#define ALONE UINT32_MAX
typedef struct cpu {
    uint64_t free, wake;
    uint32_t wake_sequence, wake_line; /* ALONE or an index of io: the queue to serve */
    uint32_t send;                     /* the send that it started last; NOBODY: another operation since */
    waiters alone;                     /* operations without a NIC */
    waiters io[];                      /* [nic][0: sends, 1: messages] */
} cpu;

typedef struct nic {
    uint64_t sent, received; /* time from which each side is free */
} nic;

/* Waiting entries: posted receives (head | RECEIVES), or arrived messages. */
#define RECEIVES (UINT32_C(1) << 31)
typedef struct channel {
    uint32_t head, tail;
} channel;

typedef struct departure {
    uint64_t time;
    uint32_t op;
} departure;

/* Messages of ranks with the same cost o, which leave in order of time: a ring buffer. */
typedef struct departures {
    departure *entry;
    size_t count, first, capacity;
} departures;

struct rank_engine {
    const bough_schedule *s;
    const bough_workload *w;
    const match_plan *match;
    const bough_net *net;   /* NULL: not known */
    timeline *seen;         /* NULL: nothing is recorded */
    bough_host host, adder; /* of adders: no costs */
    uint32_t hosts;         /* ranks from this one on are adders */
    bool network;
    bool disconnects;    /* faults of the network lose messages */
    uint32_t cpus, nics; /* per rank */
    operation *op;       /* [ops] */
    channel *channel;
    uint32_t (*also)[3]; /* next message in its other channels */
    unsigned char *cpu;  /* [rank][cpu], cpu_bytes each */
    size_t cpu_bytes;
    nic *nic;      /* [rank][nic] */
    uint64_t *end; /* [ranks] */
    event_lanes events;
    departures *out; /* [outs]: of adders, which leave at once; of hosts, those of jobs by their o */
    unsigned outs;
    uint8_t out_of[256]; /* [jobs] with costs of their own: an index of out, less one */
    uint32_t *list;  /* followers of operations with several: their number, then each as in the schedule */
    uint32_t *freed; /* released by the current event */
    uint32_t frees, sequence, posted;
    uint32_t busy;                 /* the CPU whose wake-up is set after the current event */
    uint32_t *start, *start_first; /* operations without dependencies, in sequence order; [ranks + 1] */
    uint64_t now;
    bool begun, late;
    rank_span only[2];   /* active ranks, ascending */
    bool starts, shares; /* some operation waits for a start; some messages stay within an endpoint */
    bool varies;         /* times of computations are not those of the schedule */
    compute_times times;
    bough_status status;
    bough_error error;
    ranks_totals t;
};

static inline cpu *cpu_at(const rank_engine *m, uint32_t c) {
    return (cpu *)(void *)(m->cpu + c * m->cpu_bytes);
}

static inline uint64_t size_of(const rank_engine *m, uint32_t o) {
    return m->op[o].size == LONG ? m->s->op[o].size : m->op[o].size;
}

static inline const bough_host *host_of(const rank_engine *m, uint32_t rank) {
    if (__builtin_expect(rank >= m->hosts, 0)) return &m->adder;
    return __builtin_expect(m->w->job_host != NULL, 0) ? bough_rank_host(m->w, rank) : &m->host;
}

/* Returns whether a send of a rank waits for its receive. Adders have the S of hosts. */
static inline bool ranks_rendezvous(const rank_engine *m, uint32_t send, uint64_t size) {
    const uint64_t S = __builtin_expect(m->w->job_host != NULL, 0)
                           ? bough_rank_host(m->w, m->match->rank[send])->S
                           : m->host.S;
    return S && size > S;
}

/* Returns whether the message of a send stays within an endpoint. */
static inline bool ranks_inside(const rank_engine *m, uint32_t o) {
    return m->shares && bough_ranks_inside(m->w, m->match->rank[o], m->op[o].peer);
}

#endif
