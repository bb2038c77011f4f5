/* The state of ranks at work, and how ranks.h is done at a constant cost an operation: ranks.c has the
 * events, ranks_setup.c makes and reports. */
#ifndef BOUGH_TRAFFIC_RANKS_STATE_H
#define BOUGH_TRAFFIC_RANKS_STATE_H

#include "traffic/rank_events.h"
#include "traffic/ranks.h"

#define NOBODY UINT32_MAX
#define NEVER  UINT64_MAX
#define WAKE   (UINT32_C(1) << 31)

/* What an operation's `waits` says when it waits for no other any more. Of a send, what became of its
 * message: it is under way, it came and nobody took it, a receive took it. */
#define ENDED  UINT32_MAX
#define LEFT   (UINT32_MAX - 1)
#define HERE   (UINT32_MAX - 2)
#define POSTED (UINT32_MAX - 3)

typedef struct operation {
    uint32_t waits; /* for so many others, or one of these */
    uint32_t sequence;
    union {
        uint64_t ready; /* those it waited for have ended by then */
        uint32_t
            link[2]; /* in a line, in a channel; of a receive with wildcards: {next, number of posting} */
    };
} operation;

typedef struct waiters {
    uint32_t head, tail; /* a list, in order; link[0] is the next */
    uint32_t heap;
} waiters;

typedef struct cpu {
    uint64_t free, wake;
    uint32_t wake_sequence;
    waiters alone; /* what wants no NIC */
} cpu;

typedef struct nic {
    uint64_t sent, received; /* each side is free from then on */
} nic;

/* Who waits: posted receives (head | RECEIVES), or messages that came. */
#define RECEIVES (UINT32_C(1) << 31)
typedef struct channel {
    uint32_t head, tail;
} channel;

typedef struct departure {
    uint64_t time;
    uint32_t op;
} departure;

struct rank_engine {
    const bough_schedule *s;
    const bough_workload *w;
    const match_plan *match;
    bough_host host;
    bool network;
    uint32_t cpus, nics; /* of a rank */
    bool labels;         /* some operation has one */
    operation *op;
    channel *channel;
    uint32_t (*also)[3]; /* the next of a message in its other channels */
    cpu *cpu;            /* [rank][cpu] */
    nic *nic;            /* [rank][nic] */
    waiters *io;         /* [rank][cpu][nic][0: sends, 1: messages] */
    uint64_t *end;       /* [ranks] */
    rank_events events;
    departure *out; /* a ring */
    size_t outs, out_first, out_capacity;
    uint32_t *freed; /* by the event at hand */
    uint32_t frees, sequence, posted, initial;
    uint64_t now;
    bool begun, late;
    uint32_t only_first, only_end; /* who does anything */
    bool starts, shares;           /* somebody waits for a start; some messages stay within an endpoint */
    bough_status status;
    bough_error error;
    ranks_totals t;
};

/* Whether a send's message stays within an endpoint. */
static inline bool ranks_inside(const rank_engine *m, uint32_t o) {
    return m->shares && bough_ranks_inside(m->w, m->match->rank[o], m->s->op[o].peer);
}

#endif
