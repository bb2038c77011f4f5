/* Traffic: what is sent. An engine sees only a source of messages. */
#ifndef BOUGH_TRAFFIC_H
#define BOUGH_TRAFFIC_H

#include "bough/net.h"
#include "bough/random.h"
#include "bough/schedule.h"

typedef struct bough_message {
    uint64_t time;    /* when it may start, in the engine's unit (cycles) */
    uint64_t size;    /* flits, packets or bytes, as the method says; 1 where the traffic names none */
    uint32_t source;  /* endpoint */
    uint32_t address; /* destination */
    uint32_t id;      /* counted from 0 in the order of birth */
} bough_message;

/* What an engine needs of traffic, and all it knows: a batch, a stream, retries, a schedule whose sends wait
 * for deliveries are all sources. One source belongs to one trial. */
typedef struct bough_source bough_source;

/* What a schedule came to. */
typedef struct bough_source_report {
    bough_status status; /* NO_MEMORY, FAILED: it could not go on; else OK */
    uint64_t end;        /* ps: the last operation ended */
    uint64_t left;       /* operations that never ended */
    uint64_t lost;       /* messages that came and that nobody received */
    char text[200];      /* which of them, or why, in words; empty: nothing to say */
} bough_source_report;

struct bough_source {
    /* The time of the next message, or BOUGH_NONE when none is left (or none until a delivery). */
    uint64_t (*next_time)(bough_source *source);
    /* Up to capacity messages whose time is <= now, in order of (time, id). Returns how many. */
    uint32_t (*pop)(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity);
    /* A message has arrived whole. May make other messages ready, also for this very time: within a cycle
     * deliveries come before pop. May be NULL; batches need not be told. */
    void (*delivered)(bough_source *source, uint32_t id, uint64_t time);
    void (*close)(bough_source *source);
    /* What a run came to, when nothing is under way any more. NULL: nothing but its messages. */
    void (*report)(bough_source *source, bough_source_report *report);
};

typedef enum bough_traffic_shape { BOUGH_BATCH, BOUGH_STREAM, BOUGH_SCHEDULE } bough_traffic_shape;

typedef struct bough_traffic bough_traffic;

/* Where the messages of an endpoint go: what a stream draws from again and again, and a model sums over. */
typedef struct bough_pattern {
    /* What a trial needs beyond the traffic (a drawn permutation); both NULL where nothing. */
    bough_status (*open)(const bough_traffic *traffic, bough_key key, void **state, bough_error *error);
    void (*close)(void *state);
    /* The endpoint that a message from source goes to, by a random word. source itself: it sends nothing,
     * whatever the word. */
    uint32_t (*draw)(const bough_traffic *traffic, const void *state, uint32_t source, uint64_t word);
    /* Every destination of source with its probability; none where it sends nothing. Ascending;
     * O(destinations). */
    void (*visit)(const bough_traffic *traffic, const void *state, uint32_t source,
                  void (*each)(void *context, uint32_t destination, double probability), void *context);
    bool uniform; /* from everywhere to every other endpoint alike: models may use the symmetry */
} bough_pattern;

/* A stream whose messages come at a rate, for models. */
typedef struct bough_stream_law {
    double rate;    /* messages per cycle and endpoint that sends */
    uint64_t flits; /* of a message */
    const bough_traffic *pattern;
    bool poisson; /* memoryless in real time; else one trial a cycle (Bernoulli) */
} bough_stream_law;

/* A batch that every endpoint draws for itself, all alike and independently, for models: `draws` times it has
 * a message with probability p. share[level], level = 1 .. levels: the share of messages whose source and
 * destination meet there, in the smallest subtree that holds both; they sum up to 1. NULL: to every other
 * endpoint alike. */
typedef struct bough_batch_law {
    double p;
    uint32_t draws;
    unsigned levels;
    const double *share;
    double total; /* what the shares summed up to as they were stated */
} bough_batch_law;

/* A message that enters the network: from one endpoint to another, bytes. */
typedef void bough_visit_bytes(void *context, uint32_t from, uint32_t to, uint64_t bytes);

typedef struct bough_traffic_kind {
    const char *name, *summary, *source;
    const char *const *aliases; /* other names of the field; NULL-terminated; may be NULL */
    const bough_param *params;
    bough_traffic_shape shape;
    bool random; /* different messages in every trial */
    /* Completes defaults (m = n) and checks them against the network. */
    bough_status (*bind)(bough_args *args, const bough_net *net, bough_traffic *traffic, bough_error *error);
    /* The messages of one trial. */
    bough_status (*open)(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                         bough_source **source, bough_error *error);
    void (*fini)(bough_traffic *traffic); /* frees data; may be NULL */
    const bough_pattern *pattern;         /* NULL: cannot be the pattern of a stream */
} bough_traffic_kind;

extern const bough_traffic_kind *const bough_traffic_kinds[]; /* ends with NULL */

/* Traffic bound to a network: immutable, shared by all threads; borrows the network. */
struct bough_traffic {
    const bough_net *net;
    const bough_traffic_kind *kind;
    bough_args args;
    char *spec;
    bough_traffic_shape shape; /* the kind's, unless its parameters change it */
    uint64_t messages;         /* in one trial, 0 where it has no end; an upper bound where fixed points
                                  drop out */
    uint64_t bytes;            /* of memory that it holds, or took while it was made; 0: next to nothing */
    uint64_t source_bytes;     /* memory of a source that keeps more than messages (of a schedule) */
    bool distinct;             /* no endpoint sends more than one of them */
    uint64_t input_hash;       /* of the file it was made from; 0: none */
    bool of_stream;            /* bound as the pattern of a stream: nobody will ask for a batch of it */
    bough_stream_law *law;     /* of a stream that has one; owned by its data; NULL: none */
    /* Of the shape BOUGH_SCHEDULE: all messages that enter the network, whatever waits for what. */
    void (*each)(const bough_traffic *traffic, bough_visit_bytes *visit, void *context);
    const bough_workload *workload;   /* of a schedule; owned by its data; NULL: no schedule */
    const bough_batch_law *batch_law; /* of a batch that has one; owned by its data; NULL: none */
    void *data;
};

bough_status bough_traffic_create(const bough_net *net, const char *spec, bough_traffic **traffic,
                                  bough_error *error);
/* The same for a kind that stands in no table. */
bough_status bough_traffic_make(const bough_net *net, const bough_traffic_kind *kind, const bough_spec *spec,
                                bough_traffic **traffic, bough_error *error);
void bough_traffic_destroy(bough_traffic *traffic);

/* The same stream at another rate (messages per cycle and endpoint that sends). Only where traffic->law. */
bough_status bough_traffic_at_rate(const bough_traffic *traffic, double rate, bough_traffic **out,
                                   bough_error *error);

/* clock: how the engine counts, for schedules, whose times are picoseconds and whose sizes are bytes. All
 * others have times and sizes in the engine's own units; an engine that takes no schedules passes NULL. */
static inline bough_status bough_traffic_open(const bough_traffic *traffic, bough_key key,
                                              const bough_clock *clock, bough_source **source,
                                              bough_error *error) {
    return traffic->kind->open(traffic, key, clock, source, error);
}

/* All messages of a batch at once, as arrays owned by the caller: what a fast path wants. Fails with
 * UNSUPPORTED for streams and schedules. Bytes of one message: 8 (source, address). */
typedef struct bough_batch {
    uint32_t *source, *address;
    uint64_t count;
} bough_batch;
bough_status bough_batch_read(const bough_traffic *traffic, bough_key key, bough_batch *batch,
                              bough_error *error);
void bough_batch_fini(bough_batch *batch);

/* Writes a permutation as a file that `messages:FILE` reads: endpoint e sends to destination[e], in order of
 * e; those that would send to themselves stand in it and are no messages. comment: lines for a person before
 * it, or NULL. The file is replaced as a whole, or not at all. Errors: INVALID when it cannot be made there,
 * IO. */
bough_status bough_permutation_write(const char *path, const char *comment, const uint32_t *destination,
                                     uint64_t endpoints, bough_error *error);

#endif
