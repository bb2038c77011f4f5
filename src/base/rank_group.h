/* Processes that compute one trial together, in steps: all ranks of the group call the same functions in the
 * same order, and none continues before it has what the others sent it. How bytes are carried is not known
 * here: the command has a group over MPI (cli/ranks/mpi_module.c), the tests one of threads.
 *
 * Every function agrees about failures: if one rank passes a status, runs out of memory, or is asked to stop,
 * the function fails on all ranks, and so does every later one. So a rank that fails between two calls passes
 * its status to the next one, whichever that is. A rank that cannot take part in an agreement, as it lacks a
 * few bytes or bytes do not arrive, sets state->broken: others may wait for it, so its caller must end them.
 *
 * group may be NULL everywhere: rank 0 of 1. */
#ifndef BOUGH_BASE_RANK_GROUP_H
#define BOUGH_BASE_RANK_GROUP_H

#include "bough/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rank_block {
    void *bytes;
    uint64_t size;
} rank_block;

/* What has happened in a group, on one rank. */
typedef struct group_state {
    uint64_t exchanges, sums; /* of data: without those that agree about sizes and failures */
    uint64_t sent;            /* bytes to other ranks, in all */
    bough_status failed;      /* agreed by all ranks: later calls fail at once, without messages */
    bool broken;              /* bytes could not be exchanged: other ranks may wait for this one */
    bough_error error;
} group_state;

typedef struct rank_group {
    unsigned rank, ranks;
    unsigned local; /* ranks on this machine, this one included: they share its memory; 0: not known */
    void *context;
    /* Sends out[r] to every other rank r < ranks, and receives in[r] from it. Both sides know the sizes. Only
     * the calling thread of a trial calls it. Errors: FAILED; INTERRUPTED: this rank was asked to stop, and
     * others do not answer. */
    bough_status (*swap)(const struct rank_group *group, const rank_block *out, const rank_block *in,
                         bough_error *error);
    atomic_bool *stop; /* of this rank: calls fail with INTERRUPTED on all ranks; may be NULL */
    group_state *state;
    /* A number in memory that all ranks share, for loops; NULL: they share none. */
    _Atomic uint64_t *claimed;
} rank_group;

static inline unsigned group_rank(const rank_group *g) {
    return g ? g->rank : 0;
}
static inline unsigned group_ranks(const rank_group *g) {
    return g ? g->ranks : 1;
}

static inline unsigned group_local(const rank_group *g) {
    return g && g->local ? g->local : 1;
}

/* The first ranks of a group as a group with a state of its own. The others must not call its functions. */
rank_group group_first(const rank_group *group, unsigned ranks, group_state *state);

/* Adds the costs of a group of the first ranks to those of the whole group, and sets them to 0. */
void group_add_costs(const rank_group *group, group_state *first);

/* Fails on all ranks if it is called with a status on one: with the own error, or that of the first rank that
 * has one. */
bough_status group_agree(const rank_group *group, bough_status status, bough_error *error);

/* A loop whose steps ranks and their threads divide: as processors differ in speed from moment to moment, who
 * is free claims the next step, so that none waits long for another at the end. What the steps find must not
 * depend on the rank that does them. Ranks that share no memory take steps in turn. */
typedef struct group_loop {
    const rank_group *group;
    uint64_t steps;
    bool in_turn;         /* step i is that of rank i % ranks in any case */
    _Atomic uint64_t own; /* steps that this rank has claimed in turn; 0 */
} group_loop;
static inline bool group_can_claim(const rank_group *g) {
    return g && g->ranks > 1 && g->claimed;
}
/* Before the first step; called by all ranks. status: of this rank so far. */
bough_status group_loop_begin(const group_loop *loop, bough_status status, bough_error *error);
/* The next step, which no other thread of any rank has; loop->steps or above: there is none. Called by any
 * thread. A rank that fails just claims no more. */
uint64_t group_loop_claim(group_loop *loop);

/* Bytes by rank: those of rank r are bytes[at[r]] .. bytes[at[r + 1] - 1]. Zero-initialise. */
typedef struct rank_parts {
    unsigned char *bytes;
    uint64_t *at; /* [ranks + 1] */
} rank_parts;
void rank_parts_fini(rank_parts *parts);
/* Allocates parts of these sizes. */
bough_status rank_parts_make(rank_parts *parts, unsigned ranks, const uint64_t *size, bough_error *error);

/* Sends each rank its part, also the own one, and returns what all have sent in *in, which the caller frees.
 * status: of this rank so far. */
bough_status group_exchange(const rank_group *group, bough_status status, const rank_parts *out,
                            rank_parts *in, bough_error *error);

/* The same for blocks of which both sides know the sizes, into memory of the caller: out[r] goes to rank r,
 * in[r] comes from it. The own ones are not used. */
bough_status group_swap(const rank_group *group, bough_status status, const rank_block *out,
                        const rank_block *in, bough_error *error);

/* Fails on all ranks, with a line for the user, if one has another number than rank 0: a hash of what all
 * must have alike. */
bough_status group_compare(const rank_group *group, bough_status status, uint64_t number, bough_error *error);

/* bytes[at[r]] .. bytes[at[r + 1] - 1] become those of rank r, for every r. at: [ranks + 1], the same on all
 * ranks. */
bough_status group_gather(const rank_group *group, bough_status status, void *bytes, const uint64_t *at,
                          bough_error *error);

/* Replaces the array by its sum over all ranks, which must be exact in any order: whole numbers below 2^53. A
 * rank sends two times the array at most. */
bough_status group_sum(const rank_group *group, double *value, uint64_t count, bough_error *error);
/* The same of the part team_part(count, ranks, rank) of the array only (base/thread_team.h); what the others
 * hold then is undefined. A rank sends the array at most. */
bough_status group_sum_part(const rank_group *group, double *value, uint64_t count, bough_error *error);
/* The same of 16-bit numbers, whose sums are below 2^16: elements at[r] .. at[r + 1] - 1 are the part of rank
 * r. at: [ranks + 1], the same on all ranks. */
bough_status group_sum_parts16(const rank_group *group, bough_status status, uint16_t *value,
                               const uint64_t *at, bough_error *error);
bough_status group_sum_counts(const rank_group *group, uint64_t *value, uint64_t count, bough_error *error);
/* Replaces the bits by those that any rank has. */
bough_status group_or(const rank_group *group, uint64_t *value, uint64_t count, bough_error *error);
/* An array of 16-bit numbers, of GROUP_ROOM16(count) elements, the last of them 0: the largest of all ranks.
 */
#define GROUP_ROOM16(count) (((count) + 3) / 4 * 4)
bough_status group_max16(const rank_group *group, uint16_t *value, uint64_t count, bough_error *error);

#endif
