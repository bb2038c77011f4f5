/* A loop is published as a ticket: the number of its steps and the next one to be claimed. Whoever increments
 * the ticket owns that step, and the loop cannot end before the step has, so its other fields are valid. A
 * thread without work spins for a short time, about the length of a gap between two loops, then sleeps. */
#include "base/thread_team.h"

#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { PATIENCE = 300 }; /* pauses before a thread sleeps: some 20 us */

struct thread_team {
    unsigned workers;
    void (*lead)(void *context, thread_team *team);
    void *lead_context;
    /* the current loop */
    void (*step)(void *context, unsigned worker, uint64_t i);
    void *context;
    _Atomic uint64_t ticket; /* steps << 32 | next */
    _Atomic uint64_t ended;  /* steps that have returned */
    atomic_bool over;        /* the leader has returned */
    atomic_uint asleep;      /* threads that wait for a loop */
    atomic_bool waits;       /* the leader sleeps until a loop has ended */
    pthread_mutex_t lock;
    pthread_cond_t loop, end;
};

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool claimable(uint64_t ticket) {
    return (uint32_t)ticket < ticket >> 32;
}

/* Runs steps of the current loop until all are claimed. Returns whether it ran any. */
static bool work_on(thread_team *t, unsigned worker) {
    bool any = false;
    uint64_t ticket = atomic_load(&t->ticket);
    while (claimable(ticket)) {
        if (!atomic_compare_exchange_weak(&t->ticket, &ticket, ticket + 1)) continue;
        any = true;
        t->step(t->context, worker, (uint32_t)ticket);
        uint64_t ended = atomic_fetch_add(&t->ended, 1) + 1;
        if (worker && ended == ticket >> 32 && atomic_load(&t->waits)) {
            pthread_mutex_lock(&t->lock);
            pthread_mutex_unlock(&t->lock);
            pthread_cond_signal(&t->end);
        }
        ticket = atomic_load(&t->ticket);
    }
    return any;
}

static bool idle(thread_team *t) {
    return !claimable(atomic_load(&t->ticket)) && !atomic_load(&t->over);
}

static void await_loop(thread_team *t) {
    for (unsigned i = 0; i < PATIENCE; i++) {
        if (!idle(t)) return;
        pause_briefly();
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->asleep, 1);
    while (idle(t)) pthread_cond_wait(&t->loop, &t->lock);
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->lock);
}

static void await_end(thread_team *t, uint64_t count) {
    for (unsigned i = 0; i < PATIENCE; i++) {
        if (atomic_load(&t->ended) == count) return;
        pause_briefly();
    }
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->waits, true);
    while (atomic_load(&t->ended) != count) pthread_cond_wait(&t->end, &t->lock);
    atomic_store(&t->waits, false);
    pthread_mutex_unlock(&t->lock);
}

static void wake(thread_team *t) {
    if (!atomic_load(&t->asleep)) return;
    pthread_mutex_lock(&t->lock);
    pthread_mutex_unlock(&t->lock);
    pthread_cond_broadcast(&t->loop);
}

void team_each(thread_team *t, uint64_t count, void (*step)(void *context, unsigned worker, uint64_t i),
               void *context) {
    if (!t || count < 2) {
        for (uint64_t i = 0; i < count; i++) step(context, 0, i);
        return;
    }
    t->step = step;
    t->context = context;
    atomic_store(&t->ended, 0);
    atomic_store(&t->ticket, count << 32);
    wake(t);
    work_on(t, 0);
    await_end(t, count);
}

unsigned team_size(const thread_team *t) {
    return t ? t->workers : 1;
}

static void serve(void *context, unsigned worker) {
    thread_team *t = context;
    if (worker == 0) {
        t->lead(t->lead_context, t);
        atomic_store(&t->over, true);
        wake(t);
        return;
    }
    while (!atomic_load(&t->over))
        if (!work_on(t, worker)) await_loop(t);
}

void team_run(unsigned workers, void (*lead)(void *context, thread_team *team), void *context) {
    if (workers <= 1) {
        lead(context, NULL);
        return;
    }
    thread_team t = {.workers = workers, .lead = lead, .lead_context = context};
    pthread_mutex_init(&t.lock, NULL);
    pthread_cond_init(&t.loop, NULL);
    pthread_cond_init(&t.end, NULL);
    parallel_run(workers, serve, &t);
    pthread_cond_destroy(&t.end);
    pthread_cond_destroy(&t.loop);
    pthread_mutex_destroy(&t.lock);
}

typedef struct single_loop {
    uint64_t count;
    void (*step)(void *context, unsigned worker, uint64_t i);
    void *context;
} single_loop;

static void lead_loop(void *context, thread_team *team) {
    const single_loop *l = context;
    team_each(team, l->count, l->step, l->context);
}

void team_loop(unsigned workers, uint64_t count, void (*step)(void *context, unsigned worker, uint64_t i),
               void *context) {
    single_loop loop = {count, step, context};
    team_run(count < workers ? (unsigned)count : workers, lead_loop, &loop);
}
