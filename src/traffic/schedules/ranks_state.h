/* The state of ranks at work, and how ranks.h is done at a constant cost an operation: ranks.c has the
 * events, ranks_setup.c makes and reports. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_RANKS_STATE_H
#define BOUGH_TRAFFIC_SCHEDULES_RANKS_STATE_H

#include "traffic/schedules/rank_events.h"
#include "traffic/schedules/ranks.h"

#define NOBODY UINT32_MAX
#define NEVER  UINT64_MAX
#define WAKE   (UINT32_C(1) << 31)

/* What became of an operation. Of a send, of its message: it is under way, it came and nobody took it, a
 * receive took it. */
enum { WAITING, LEFT, HERE, POSTED, ENDED };

/* What an event looks at, in half a cache line; of the schedule's operation all but what is rarely asked. */
typedef struct operation {
    union {
        uint64_t ready; /* those it waited for have ended by then */
        uint32_t
            link[2]; /* in a line, in a channel; of a receive with wildcards: {next, number of posting} */
    };
    union {
        uint32_t waits;    /* for so many others; then */
        uint32_t sequence; /* its number */
    };
    uint32_t then;    /* its follower, or where they begin in the list (many), or NOBODY */
    uint32_t peer;    /* of a send, who receives; else its own rank */
    uint32_t channel; /* as in match_plan */
    uint32_t size;    /* LONG: ask the schedule */
    uint8_t kind : 2, wild : 2, state : 3, many : 1;
    uint8_t cpu, nic, label;
} operation;
#define LONG UINT32_MAX

typedef struct waiters {
    uint32_t head, tail; /* a list, in order; link[0] is the next */
    uint32_t heap;
} waiters;

#define ALONE UINT32_MAX
typedef struct cpu {
    uint64_t free, wake;
    uint32_t wake_sequence, wake_line; /* ALONE or of io: whose first it is */
    uint32_t send; /* the send that it began last; NOBODY: it began something else since */
    waiters alone; /* what wants no NIC */
    waiters io[];  /* [nic][0: sends, 1: messages] */
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
    operation *op;       /* [ops] */
    channel *channel;
    uint32_t (*also)[3]; /* the next of a message in its other channels */
    unsigned char *cpu;  /* [rank][cpu], of cpu_bytes each */
    size_t cpu_bytes;
    nic *nic;      /* [rank][nic] */
    uint64_t *end; /* [ranks] */
    rank_events events;
    departure *out; /* a ring */
    size_t outs, out_first, out_capacity;
    uint32_t *list;  /* followers of those with many: their number, then each as in the schedule */
    uint32_t *freed; /* by the event at hand */
    uint32_t frees, sequence, posted;
    uint32_t busy;                 /* this CPU is set to wake up when the event at hand is over */
    uint32_t *start, *start_first; /* what waits for nothing, in the order of numbers; [ranks + 1] */
    uint64_t now;
    bool begun, late;
    uint32_t only_first, only_end; /* who does anything */
    bool starts, shares;           /* somebody waits for a start; some messages stay within an endpoint */
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

/* Whether a send's message stays within an endpoint. */
static inline bool ranks_inside(const rank_engine *m, uint32_t o) {
    return m->shares && bough_ranks_inside(m->w, m->match->rank[o], m->op[o].peer);
}

#endif
