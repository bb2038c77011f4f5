/* The state of the engine of `flow`. flow_events.c processes events, flow_blocks.c what threads divide. */
#ifndef BOUGH_ENGINES_FLOW_FLOW_STATE_H
#define BOUGH_ENGINES_FLOW_FLOW_STATE_H

#include "engines/flow/flow_events.h"
#include "engines/flow/flow_queue.h"
#include "engines/flow/flow_watch.h"

typedef unsigned __int128 volume; /* rate units x ps */

typedef struct message {
    volume left;
    uint64_t since;               /* time to which `left` applies */
    uint64_t start, bytes, delay; /* bytes: with headers */
    uint64_t data;
    uint32_t source, address, id, next_free;
    uint16_t hops;   /* of its path */
    bool flows;      /* shares links; else its last bit is in transit, or it has no bits */
    bool left_links; /* in the instant of its last bit: its crossings are not free yet */
} message;

#define FLOW_BLOCK    512 /* messages that are processed together, if threads divide them */
#define FLOW_ALONE    64  /* ... on one thread: their paths stay in the cache */
#define FLOW_STEP     32  /* those of a step of a divided loop */
#define FLOW_POP      64  /* that a source is asked for at once */
#define FLOW_SECTIONS 64  /* of links, at most */
#define FLOW_FEW      256 /* fewer are not divided */

/* Crossings that leave their links, by sections: those of section i end at end[i]. */
typedef struct flow_leaving {
    uint32_t *crossing;
    size_t capacity;
    uint32_t end[FLOW_SECTIONS];
    uint64_t needs;      /* bytes */
    bough_status status; /* NO_MEMORY: there is no room for them */
} flow_leaving;

typedef struct flow_block {
    bough_message message[FLOW_BLOCK]; /* that start */
    message_links links[FLOW_BLOCK];
    bool has[FLOW_BLOCK];             /* its path is in `links` */
    uint32_t slot[FLOW_BLOCK], count; /* whose next event is now */
    uint32_t next[FLOW_BLOCK], due;   /* ... of the block after it */
    uint32_t left[FLOW_BLOCK], lefts; /* ... of the block before it: they have left their links */
    bough_status status;              /* of those */
    struct flow_entry {
        uint32_t slot;
        const message_links *links; /* of which it does not have crossings yet; NULL: it has */
    } entering[FLOW_BLOCK];         /* not in the lists of their links yet */
    uint32_t entered;
    flow_leaving leaving[FLOW_BLOCK / FLOW_STEP];
    uint32_t sections; /* of links, in the current loop */
    void (*meanwhile)(flow_engine *e);
} flow_block;

struct flow_engine {
    const bough_routing *routing;
    const bough_net *net;
    flow_options o;
    max_min share;
    flow_paths *paths; /* [workers] */
    unsigned workers;
    flow_spray spray;
    volume of_bit;
    unsigned coarse; /* binary digits by which units are larger: fast links */
    message *message;
    size_t capacity;
    uint32_t used, first_free; /* slots from `used` on were never allocated */
    flow_queue next;           /* messages by (time of next event, id) */
    uint64_t *time;            /* of those that arrived */
    size_t time_capacity;
    /* NULL: not beside another engine. One that is does not know what links carried, and the rates of those
     * only whose bits are set. */
    uint64_t *known;
    bool ran;       /* links may have carried something */
    uint8_t *sends; /* per endpoint */
    flow_totals t;
    uint64_t now;
    flow_input in;
    flow_watch watch;
    flow_block *block;
    bough_error *error;
};

/* Provides for this number of threads. Errors: NO_MEMORY. */
bough_status flow_blocks_workers(flow_engine *e, unsigned workers, bough_error *error);

/* The threads that divide loops; NULL: no other one is free. */
static inline thread_team *flow_blocks_team(const flow_engine *e) {
    return team_free(e->in.team) > 1 ? e->in.team : NULL;
}
static inline uint32_t flow_blocks_size(const flow_engine *e) {
    return flow_blocks_team(e) ? FLOW_BLOCK : FLOW_ALONE;
}

/* Paths depend on nothing that changes during an instant, so they are found for a block. */
static inline bool flow_blocks_ahead(const flow_engine *e) {
    return !e->o.spray && !e->routing->kind->wants_load;
}
void flow_find_path(flow_engine *e, const bough_message *b, message_links *l);
/* Of the first messages of the block. */
void flow_find_paths(flow_engine *e, uint32_t count);

/* Flows that are `entering` enter the lists of their links. */
void flow_blocks_attach(flow_engine *e);
/* Takes messages whose next event is now, in order, to block->next; their number is in block->due. */
void flow_blocks_take(flow_engine *e);
/* The first slots of the block leave their links, to which what they carried is added. Meanwhile one thread
 * calls a function, and takes the next block. Errors: NO_MEMORY. */
bough_status flow_blocks_detach(flow_engine *e, uint32_t count, void (*meanwhile)(flow_engine *e));
void flow_blocks_fini(flow_engine *e);

/* Its crossings leave their links, to which what it carried is added. */
void flow_blocks_leave(flow_engine *e, uint32_t slot);

#endif
