/* A team of ranks in one process: each is a thread, with a study of its own. */
#ifndef TESTS_SUPPORT_RANK_THREADS_H
#define TESTS_SUPPORT_RANK_THREADS_H

#include "study/ranks/ranks_run.h"

#include <pthread.h>
#include <stdatomic.h>

enum { TEAM_MOST = 8 };

typedef struct team_queue {
    rank_message *message;
    size_t count, capacity;
} team_queue;

typedef struct rank_threads rank_threads;

typedef struct team_rank {
    rank_threads *all;
    unsigned rank;
    uint64_t random; /* delays: now and then nothing has arrived */
} team_rank;

struct rank_threads {
    unsigned ranks;
    pthread_mutex_t mutex;
    team_queue queue[TEAM_MOST]; /* of what has been sent to a rank */
    team_rank rank[TEAM_MOST];
    /* what goes wrong; UINT64_MAX: nothing */
    uint64_t stop_after; /* messages to rank 0 until *stop is set */
    atomic_bool stop;
    unsigned mute;                     /* what this rank sends is lost after mute_after messages; 0: none */
    uint64_t mute_after, damage_after; /* messages to rank 0 until one is damaged */
    uint64_t received, sent[TEAM_MOST];
};

void rank_threads_init(rank_threads *t, unsigned ranks);
void rank_threads_fini(rank_threads *t);
rank_team rank_threads_team(rank_threads *t, unsigned rank);

/* Calls work(context, rank) on a thread for each rank. */
void rank_threads_run(unsigned ranks, void (*work)(void *context, unsigned rank), void *context);

#endif
