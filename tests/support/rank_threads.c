#include "support/rank_threads.h"

#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

void rank_threads_init(rank_threads *t, unsigned ranks) {
    memset(t, 0, sizeof *t);
    t->ranks = ranks;
    pthread_mutex_init(&t->mutex, NULL);
    t->stop_after = t->damage_after = t->mute_after = UINT64_MAX;
    for (unsigned i = 0; i < ranks; i++) t->rank[i] = (team_rank){t, i, 0x9e3779b97f4a7c15u * (i + 1)};
}

void rank_threads_fini(rank_threads *t) {
    for (unsigned i = 0; i < t->ranks; i++) {
        for (size_t k = 0; k < t->queue[i].count; k++) free(t->queue[i].message[k].bytes);
        free(t->queue[i].message);
    }
    pthread_mutex_destroy(&t->mutex);
}

static void put(rank_threads *t, unsigned to, rank_message m) {
    team_queue *q = &t->queue[to];
    if (bough_grow(&q->message, &q->capacity, q->count + 1, sizeof *q->message, NULL)) abort();
    q->message[q->count++] = m;
    if (to != 0) return;
    if (t->received++ == t->stop_after) atomic_store(&t->stop, true);
    if (t->received > t->damage_after && m.size > 40) m.bytes[20] ^= 64;
}

static bough_status send_bytes(void *context, unsigned to, const void *bytes, size_t size,
                               bough_error *error) {
    team_rank *r = context;
    (void)error;
    rank_message m = {r->rank, malloc(size + 1), size};
    memcpy(m.bytes, bytes, size);
    pthread_mutex_lock(&r->all->mutex);
    if (r->rank && r->rank == r->all->mute && r->all->sent[r->rank]++ >= r->all->mute_after)
        free(m.bytes);
    else
        put(r->all, to, m);
    pthread_mutex_unlock(&r->all->mutex);
    return BOUGH_OK;
}

static bough_status receive_bytes(void *context, rank_message *m, bool *any, bough_error *error) {
    team_rank *r = context;
    (void)error;
    *any = false;
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    if (r->random >> 62 == 0) return BOUGH_OK;
    pthread_mutex_lock(&r->all->mutex);
    team_queue *q = &r->all->queue[r->rank];
    if (q->count) {
        *any = true;
        *m = q->message[0];
        memmove(q->message, q->message + 1, --q->count * sizeof *q->message);
    }
    pthread_mutex_unlock(&r->all->mutex);
    return BOUGH_OK;
}

rank_team rank_threads_team(rank_threads *t, unsigned rank) {
    return (rank_team){.rank = rank,
                       .ranks = t->ranks,
                       .local = 1,
                       .patience = 60,
                       .context = &t->rank[rank],
                       .send = send_bytes,
                       .receive = receive_bytes};
}

typedef struct task {
    void (*work)(void *context, unsigned rank);
    void *context;
    unsigned rank;
} task;

static void *start(void *given) {
    task *t = given;
    t->work(t->context, t->rank);
    return NULL;
}

void rank_threads_run(unsigned ranks, void (*work)(void *context, unsigned rank), void *context) {
    pthread_t thread[TEAM_MOST];
    task t[TEAM_MOST];
    for (unsigned i = 0; i < ranks; i++) {
        t[i] = (task){work, context, i};
        if (pthread_create(&thread[i], NULL, start, &t[i])) abort();
    }
    for (unsigned i = 0; i < ranks; i++) pthread_join(thread[i], NULL);
}
