/* State shared by the parts of `sortroute`. Messages are renumbered in order of (destination, source,
 * number), so that sorting by destination compares one integer, the id. */
#ifndef BOUGH_ENGINES_BAY1991_SORTROUTE_STATE_H
#define BOUGH_ENGINES_BAY1991_SORTROUTE_STATE_H

#include "network/sorting_hardware/sorter.h"
#include "papers/bay1991/sortroute.h"

/* The messages of a trial. peak: height of the node where a message turns, 0 if it stays in its mesh. */
typedef struct message_set {
    uint64_t count, crossing, capacity; /* all; those with a peak; allocated */
    uint64_t degree, size;              /* the largest degree and size */
    uint32_t *from, *to;                /* by number */
    uint32_t *source, *target, *number; /* by id */
    uint32_t *by_source;                /* ids in order of (source, number) */
    uint8_t *peak, *batch;              /* batch: of step 2 */
} message_set;

/* Messages of one batch in transit, by node: key[first[v] .. first[v] + count[v] - 1], sorted; the first
 * go[v] of them continue to the parent (step 4) or to the left child, the rest to the right one (step 7). A
 * key is (height - peak) << 32 | id in step 4, so that higher peaks come first; in step 7 it is the id. */
typedef struct level {
    uint64_t *key;
    uint64_t capacity;
    uint32_t used; /* keys of the nodes processed so far */
    uint32_t *first, *count, *go;
} level;

/* Keys that cross a channel in a batch. */
typedef struct key_list {
    const uint64_t *key;
    uint64_t count;
} key_list;

/* Work of a stage: the maximum over its nodes. */
typedef struct stage_work {
    uint64_t waves, passes, bits, counted; /* counted: bits with those of the circuits; 0 without them */
} stage_work;

struct sortroute {
    const bough_run *run;
    sorting_shape shape;
    sortroute_options options;
    const sortroute_observer *observer;
    uint64_t batches, word_bits, registers;  /* lg N; b; per terminal */
    bough_sorter sorter[SORTING_LEVELS];     /* per level; 0: none */
    bough_sorter_time *time[SORTING_LEVELS]; /* for 2^i columns; NULL until loaded */
    message_set set;
    uint64_t *mesh_key;   /* step 3: by mesh, batch, key */
    uint32_t *mesh_first; /* start of (mesh, batch): meshes x batches + 1 */
    level level[SORTING_LEVELS];
    uint64_t first_node[SORTING_LEVELS]; /* per level, among the tree nodes, as in the network */
    uint32_t *stored, *store_first;      /* per tree node: messages held; start of its own in store (+ 1) */
    uint32_t *store;                     /* by peak node: in order of arrival, then of destination */
    uint32_t *arrived, *arrival_first;   /* per mesh: arrivals; start of its own in arrival (+ 1) */
    uint32_t *arrival, *arrival_wire;    /* by mesh, in order of arrival: ids and columns */
    uint32_t *scratch;                   /* one word per terminal */
    uint32_t *counter;                   /* verify: crossings by channel, peak and batch */
    struct sorter_bits *bits;            /* engine=bits; else NULL (bitserial/sorter_bits.h) */
    sortroute_result *result;
    bough_error *error;
};

static inline uint64_t sortroute_nodes(const sortroute *r, unsigned t) {
    return UINT64_C(1) << (r->shape.height - t);
}
static inline uint64_t sortroute_capacity(const sortroute *r, unsigned t) {
    return sorting_capacity(&r->shape, t);
}
static inline uint64_t ceil_div(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}
static inline unsigned ceil_lg(uint64_t x) {
    return x < 2 ? 0 : 64 - (unsigned)__builtin_clzll(x - 1);
}
static inline void stage_work_max(stage_work *j, stage_work of) {
    if (of.waves > j->waves) j->waves = of.waves;
    if (of.passes > j->passes) j->passes = of.passes;
    if (of.bits > j->bits) j->bits = of.bits;
    if (of.counted > j->counted) j->counted = of.counted;
}

/* Loads the messages: numbers, peaks and the batches of step 2 (sortroute_messages.c). */
bough_status sortroute_load(sortroute *r, bough_key key);
bough_status sortroute_set_make(message_set *set, uint64_t capacity, bough_error *error);
void sortroute_set_fini(message_set *set);
/* lambda: the largest (up + down messages) / wires of a channel. */
double sortroute_load_factor(sortroute *r);

/* Steps 3 and 4; 5, 6 and 7 with the arrival in the meshes (sortroute_climb.c, sortroute_descend.c). */
void sortroute_arrange(sortroute *r);
bough_status sortroute_climb(sortroute *r);
bough_status sortroute_sort_peaks(sortroute *r);
bough_status sortroute_descend(sortroute *r);
/* Adds a stage to the result of a step. */
void sortroute_add_stage(sortroute *r, unsigned step, const stage_work *longest);
/* Counts messages in process and in store against the capacity of a node. */
bough_status sortroute_hold(sortroute *r, unsigned t, uint64_t node, uint64_t words);

/* Bit steps (sortroute_time.c). */
uint64_t sortroute_word_bits(const sortroute *r);
uint64_t sortroute_step_bits(const sortroute *r, unsigned step); /* steps 1, 2, 3, 8 */
uint64_t sortroute_sync_bits(const sortroute *r);
const bough_sorter_time *sortroute_sort_time(const sortroute *r, unsigned t, uint64_t words);
bough_status sortroute_make_times(sortroute *r);

/* Lemma 10 and its counterpart on the way down; delivery (sortroute_verify.c). No-ops unless enabled. */
uint64_t sortroute_verify_counters(const sorting_shape *shape);
void sortroute_verify_start(sortroute *r);
/* The messages of a batch cross the channel above node (or mesh) v of level t, up or down. */
void sortroute_verify_cross(sortroute *r, unsigned t, uint64_t v, uint64_t batch, key_list list);
bough_status sortroute_verify_channels(sortroute *r, unsigned step);
bough_status sortroute_verify_delivery(sortroute *r);

/* Calls of the observer (sortroute_watch.c); not used without one. */
void watch_start(const sortroute *r);
void watch_local(const sortroute *r);
void watch_arranged(const sortroute *r);
void watch_climb(const sortroute *r, uint64_t stage, uint64_t waves);
void watch_stores(const sortroute *r, unsigned step);
void watch_descend(sortroute *r, uint64_t stage, uint64_t waves);
void watch_delivered(const sortroute *r);

/* The batch that a level processes in a stage. distance: levels from the one where batches enter; BOUGH_NONE:
 * none. */
static inline uint64_t stage_batch(const sortroute *r, uint64_t stage, unsigned distance) {
    if (stage < distance || (stage - distance) % r->options.gap) return BOUGH_NONE;
    uint64_t batch = (stage - distance) / r->options.gap;
    return batch < r->batches ? batch : BOUGH_NONE;
}

#endif
