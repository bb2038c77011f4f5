/* Traffic: the messages to send. An engine reads them from a message source. */
#ifndef BOUGH_TRAFFIC_TRAFFIC_H
#define BOUGH_TRAFFIC_TRAFFIC_H

#include "base/random/random.h"
#include "network/net.h"
#include "traffic/schedules/schedule.h"

typedef struct bough_message {
    uint64_t time;    /* earliest start, in the engine's unit (cycles) */
    uint64_t size;    /* flits, packets or bytes, as the method defines; 1 if the traffic has no sizes */
    uint32_t source;  /* endpoint */
    uint32_t address; /* destination */
    uint32_t id;      /* counted from 0 in order of creation */
} bough_message;

/* Generates the messages of one trial, for an engine. Batches, streams, retries and schedules (whose sends
 * wait for deliveries) all implement it. */
typedef struct bough_source bough_source;
struct timeline;

/* Result of a schedule. */
typedef struct bough_source_report {
    bough_status status; /* OK; NO_MEMORY or FAILED if it could not continue */
    uint64_t end;        /* ps: end of the last operation */
    uint64_t left;       /* operations that never ended */
    uint64_t lost;       /* messages that arrived but were never received */
    uint64_t waiting;    /* ranks (of a list: messages) that never finish; 0: the schedule completes */
    char text[300];      /* explanation, for example who waits for whom; empty: none */
} bough_source_report;

struct bough_source {
    /* The time of the next message. BOUGH_NONE: no message is left, or none before the next delivery. */
    uint64_t (*next_time)(bough_source *source);
    /* Writes up to capacity messages with time <= now, in order of (time, id). Returns their number. */
    uint32_t (*pop)(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity);
    /* A message has arrived completely. Other messages may become ready, also at the same time: within a
     * cycle, deliveries precede pop. That of a schedule may be told ahead of the time, in any order. May be
     * NULL; calling it is optional for batches. */
    void (*delivered)(bough_source *source, uint32_t id, uint64_t time);
    void (*close)(bough_source *source);
    /* Reports the result when no message is in flight any more. NULL: no result besides the messages. */
    void (*report)(bough_source *source, bough_source_report *report);
    /* Before the first message: records the trial (traffic/timeline). NULL: this is not possible. */
    void (*observe)(bough_source *source, struct timeline *seen);
};

typedef enum bough_traffic_shape { BOUGH_BATCH, BOUGH_STREAM, BOUGH_SCHEDULE } bough_traffic_shape;

typedef struct bough_traffic bough_traffic;

/* Distribution of destinations. Streams draw from it, models sum over it. */
typedef struct bough_pattern {
    /* Allocates the state of a trial (a drawn permutation). Both NULL: no state. */
    bough_status (*open)(const bough_traffic *traffic, bough_key key, void **state, bough_error *error);
    void (*close)(void *state);
    /* The destination of a message from `source`, selected by a random word. Returns `source` for every word
     * if that endpoint sends nothing. */
    uint32_t (*draw)(const bough_traffic *traffic, const void *state, uint32_t source, uint64_t word);
    /* Calls each for every destination of source with its probability, in ascending order; not at all if
     * source sends nothing. O(destinations). */
    void (*visit)(const bough_traffic *traffic, const void *state, uint32_t source,
                  void (*each)(void *context, uint32_t destination, double probability), void *context);
    bool uniform; /* every endpoint sends to all others with equal probability: models may use the symmetry */
    /* Where sources do not send alike: the rate of a source, of the mean over those that send, and the source
     * of a message, in proportion to the rates, selected by a random word. Both NULL: alike. */
    double (*rate)(const bough_traffic *traffic, uint32_t source);
    uint32_t (*sender)(const bough_traffic *traffic, uint64_t word);
} bough_pattern;

#define BOUGH_LENGTHS_MAX 16

/* Distribution of the flits of a message: a list, or geometric. */
typedef struct bough_lengths {
    double moment[3]; /* E[L], E[L^2], E[L^3] */
    uint64_t shortest, longest;
    unsigned count; /* of the list; 0: geometric, 1, 2, ... flits */
    uint64_t value[BOUGH_LENGTHS_MAX];
    double share[BOUGH_LENGTHS_MAX];
    uint64_t until[BOUGH_LENGTHS_MAX]; /* words below it, and not below the previous one, select value[i] */
} bough_lengths;
/* The fraction of the messages that have this length. */
double bough_lengths_share(const bough_lengths *lengths, uint64_t flits);

/* Arrival process of a stream, for models. */
typedef struct bough_stream_law {
    double rate;    /* messages per cycle and sending endpoint, in the mean over these */
    double fastest; /* the rate of the fastest one, of the mean; 1: all are alike */
    uint64_t flits; /* flits of a message; of the shortest one if lengths differ */
    const bough_traffic *pattern;
    bool poisson; /* exponential gaps in continuous time; else one draw per cycle (Bernoulli) */
    const bough_lengths *lengths; /* NULL: every message has `flits` */
    double burst; /* mean number of messages that an endpoint sends at a time, geometric; 0 and 1: one */
} bough_stream_law;

static inline double bough_law_mean_flits(const bough_stream_law *law) {
    return law->lengths ? law->lengths->moment[0] : (double)law->flits;
}
static inline uint64_t bough_law_longest(const bough_stream_law *law) {
    return law->lengths ? law->lengths->longest : law->flits;
}

/* Distribution of a random batch, for models. Endpoints draw independently and identically: `draws` times,
 * each time a message with probability p. share[level], level = 1 .. levels: the fraction of messages whose
 * source and destination have their nearest common ancestor at that level, and among these destinations all
 * are equally probable; the fractions sum up to 1. NULL: uniform over all other endpoints. */
typedef struct bough_batch_law {
    double p;
    uint32_t draws;
    unsigned levels;
    const double *share;
    double total; /* sum of the fractions as given by the user */
} bough_batch_law;

/* Receives one message that enters the network: endpoint to endpoint, bytes. */
typedef void bough_visit_bytes(void *context, uint32_t from, uint32_t to, uint64_t bytes);

struct bough_sources;
struct bough_batch;

typedef struct bough_traffic_kind {
    const char *name, *summary, *source;
    const char *const *aliases; /* other names of the kind; NULL-terminated; may be NULL */
    const bough_param *params;
    bough_traffic_shape shape;
    bool random; /* different messages in every trial */
    /* Completes defaults (m = n) and checks parameters against the network. */
    bough_status (*bind)(bough_args *args, const bough_net *net, bough_traffic *traffic, bough_error *error);
    /* Opens the messages of one trial. */
    bough_status (*open)(const bough_traffic *traffic, bough_key key, const bough_clock *clock,
                         bough_source **source, bough_error *error);
    void (*fini)(bough_traffic *traffic); /* frees data; may be NULL */
    const bough_pattern *pattern;         /* NULL: cannot be the pattern of a stream */
    /* Reads the messages from some of the endpoints only, in their order, for threads that divide a batch;
     * called if messages equals the endpoints. NULL: one thread reads all. */
    bough_status (*part)(const bough_traffic *traffic, bough_key key, struct bough_sources part,
                         struct bough_batch *batch, bough_error *error);
} bough_traffic_kind;

extern const bough_traffic_kind *const bough_traffic_kinds[]; /* ends with NULL */
/* The i-th of these and those of the registry, which may be NULL; NULL beyond the last. */
const bough_traffic_kind *bough_traffic_kind_at(const bough_registry *registry, size_t i);
/* The one with this name or alias; NULL: none. length: of the name. */
const bough_traffic_kind *bough_traffic_kind_find(const bough_registry *registry, const char *name,
                                                  size_t length);

/* Traffic bound to a network. Immutable, may be shared by threads; borrows the network. */
struct bough_traffic {
    const bough_net *net;
    const bough_traffic_kind *kind;
    bough_args args;
    char *spec;
    bough_traffic_shape shape; /* the shape of the kind, unless its parameters change it */
    uint64_t messages;         /* per trial; 0: endless; an upper bound if fixed points are left out */
    uint64_t bytes; /* allocated memory, including temporary memory of its construction; 0: negligible */
    uint64_t source_bytes; /* memory of a message source that holds more than messages (schedules) */
    bool sized;            /* a list: its messages have different sizes */
    bool units;            /* a list that states sizes, in units of the method */
    const char *ignored;   /* what its file states and no method uses: "priorities"; NULL: nothing */
    bool distinct;         /* no endpoint sends more than one message */
    bool all_pairs;        /* a batch: one message between every ordered pair of endpoints */
    uint64_t input_hash;   /* hash of its input file; 0: none */
    bool of_stream;        /* bound as the pattern of a stream: never read as a batch */
    bough_stream_law *law; /* for streams that have one; owned by data; NULL: none */
    /* Only for BOUGH_SCHEDULE: visits all messages that enter the network, regardless of dependencies. */
    void (*each)(const bough_traffic *traffic, bough_visit_bytes *visit, void *context);
    const bough_workload *workload;   /* for schedules; owned by data; NULL: none */
    const bough_batch_law *batch_law; /* for batches that have one; owned by data; NULL: none */
    void *data;
};

/* The rate of an endpoint that sends, of the mean. */
static inline double bough_pattern_rate(const bough_traffic *pattern, uint32_t source) {
    const bough_pattern *p = pattern->kind->pattern;
    return p->rate ? p->rate(pattern, source) : 1;
}

/* Whether a spec names a traffic and its parameters are in range: what can be refused before there is a
 * network. */
bough_status bough_traffic_check(const bough_registry *registry, const char *spec, bough_error *error);
bough_status bough_traffic_create(const bough_net *net, const char *spec, bough_traffic **traffic,
                                  bough_error *error);
/* The same for a kind that is not in bough_traffic_kinds. */
bough_status bough_traffic_make(const bough_net *net, const bough_traffic_kind *kind, const bough_spec *spec,
                                bough_traffic **traffic, bough_error *error);
void bough_traffic_destroy(bough_traffic *traffic);

/* The same stream at another rate (messages per cycle and sending endpoint). Requires traffic->law. The
 * caller owns *out. */
bough_status bough_traffic_at_rate(const bough_traffic *traffic, double rate, bough_traffic **out,
                                   bough_error *error);

/* Opens the messages of one trial. clock: tick and unit of the engine, required by schedules, whose times are
 * picoseconds and whose sizes are bytes. All other traffic uses the engine's units; engines that refuse
 * schedules pass NULL. */
static inline bough_status bough_traffic_open(const bough_traffic *traffic, bough_key key,
                                              const bough_clock *clock, bough_source **source,
                                              bough_error *error) {
    return traffic->kind->open(traffic, key, clock, source, error);
}

/* All messages of a batch as arrays, for fast paths; 8 bytes per message. The caller owns the arrays and
 * frees them with bough_batch_fini. Errors: UNSUPPORTED for streams and schedules. */
typedef struct bough_batch {
    uint32_t *source, *address;
    uint64_t count;
} bough_batch;
bough_status bough_batch_read(const bough_traffic *traffic, bough_key key, bough_batch *batch,
                              bough_error *error);
void bough_batch_fini(bough_batch *batch);
/* The endpoints first .. first + count - 1. */
typedef struct bough_sources {
    uint64_t first, count;
} bough_sources;

/* Writes a permutation as a file for `messages:FILE`: endpoint e sends to destination[e], in order of e.
 * Fixed points are written but are not messages. comment: introductory comment lines, or NULL. The file is
 * replaced atomically. Errors: INVALID if the file cannot be created; IO. */
bough_status bough_permutation_write(const char *path, const char *comment, const uint32_t *destination,
                                     uint64_t endpoints, bough_error *error);

#endif
