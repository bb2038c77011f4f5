/* A loop is published as a ticket: the number of its steps and the next one to be claimed. Whoever increments
 * the ticket owns that step, and the loop cannot end before the step has, so its other fields are valid. A
 * thread without work spins for a short time, about the length of a gap between two loops, then sleeps. */
#include "base/thread_team.h"

#include "base/clock.h"
#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PATIENCE 50e-6 /* seconds before a thread sleeps: about what to sleep and to be woken take */
enum { PAUSES = 16 };  /* between two looks at the clock */

/* What the threads of a team, or of two, sleep by. */
typedef struct sleepers {
    atomic_uint asleep; /* threads that wait for a loop */
    pthread_mutex_t lock;
    pthread_cond_t loop;
} sleepers;

struct thread_team {
    unsigned workers, leader; /* leader: its number */
    thread_team *beside;      /* the other of two teams of the same threads; NULL: none */
    sleepers *sleepers;
    void (*lead)(void *context, thread_team *team);
    void *lead_context;
    /* the current loop */
    void (*step)(void *context, unsigned worker, uint64_t i);
    void *context;
    _Atomic uint64_t ticket; /* steps << 32 | next */
    _Atomic uint64_t ended;  /* steps that have returned */
    atomic_bool over;        /* the leader has returned */
    atomic_bool waits;       /* the leader sleeps until a loop has ended */
    pthread_cond_t end;
};

static void sleepers_init(sleepers *s) {
    *s = (sleepers){0};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->loop, NULL);
}

static void sleepers_fini(sleepers *s) {
    pthread_cond_destroy(&s->loop);
    pthread_mutex_destroy(&s->lock);
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
        if (worker != t->leader && ended == ticket >> 32 && atomic_load(&t->waits)) {
            pthread_mutex_lock(&t->sleepers->lock);
            pthread_mutex_unlock(&t->sleepers->lock);
            pthread_cond_signal(&t->end);
        }
        ticket = atomic_load(&t->ticket);
    }
    return any;
}

static bool all_over(thread_team *t) {
    return atomic_load(&t->over) && (!t->beside || atomic_load(&t->beside->over));
}

static bool idle(thread_team *t) {
    if (claimable(atomic_load(&t->ticket)) || (t->beside && claimable(atomic_load(&t->beside->ticket))))
        return false;
    return !all_over(t);
}

static bool has_ended(thread_team *t, uint64_t count) {
    return atomic_load(&t->ended) == count;
}

static bool has_work(thread_team *t, uint64_t unused) {
    (void)unused;
    return !idle(t);
}

/* Waits for a condition without sleeping; false: it took too long. */
static bool await_awake(thread_team *t, bool (*holds)(thread_team *t, uint64_t count), uint64_t count) {
    const double begun = clock_seconds();
    do {
        for (unsigned i = 0; i < PAUSES; i++) {
            if (holds(t, count)) return true;
            thread_pause();
        }
    } while (clock_seconds() - begun < PATIENCE);
    return false;
}

static void await_loop(thread_team *t) {
    if (await_awake(t, has_work, 0)) return;
    pthread_mutex_lock(&t->sleepers->lock);
    atomic_fetch_add(&t->sleepers->asleep, 1);
    while (idle(t)) pthread_cond_wait(&t->sleepers->loop, &t->sleepers->lock);
    atomic_fetch_sub(&t->sleepers->asleep, 1);
    pthread_mutex_unlock(&t->sleepers->lock);
}

static void await_end(thread_team *t, uint64_t count) {
    if (await_awake(t, has_ended, count)) return;
    pthread_mutex_lock(&t->sleepers->lock);
    atomic_store(&t->waits, true);
    while (!has_ended(t, count)) pthread_cond_wait(&t->end, &t->sleepers->lock);
    atomic_store(&t->waits, false);
    pthread_mutex_unlock(&t->sleepers->lock);
}

static void wake(thread_team *t) {
    if (!atomic_load(&t->sleepers->asleep)) return;
    pthread_mutex_lock(&t->sleepers->lock);
    pthread_mutex_unlock(&t->sleepers->lock);
    pthread_cond_broadcast(&t->sleepers->loop);
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
    work_on(t, t->leader);
    await_end(t, count);
}

unsigned team_size(const thread_team *t) {
    return t ? t->workers : 1;
}

unsigned team_free(thread_team *t) {
    if (!t) return 1;
    return t->workers - (t->beside && !atomic_load_explicit(&t->beside->over, memory_order_relaxed));
}

static void run_leader(thread_team *t, unsigned worker) {
    t->leader = worker;
    t->lead(t->lead_context, t);
    atomic_store(&t->over, true);
    wake(t);
}

/* Runs loops of a team, and of the one beside it, until their leaders have returned. */
static void follow(thread_team *t, unsigned worker) {
    while (!all_over(t)) {
        bool any = work_on(t, worker);
        if (t->beside && work_on(t->beside, worker)) any = true;
        if (!any) await_loop(t);
    }
}

static void serve(void *context, unsigned worker) {
    thread_team *t = context;
    if (worker == 0)
        run_leader(t, worker);
    else
        follow(t, worker);
}

void team_run(unsigned workers, void (*lead)(void *context, thread_team *team), void *context) {
    if (workers <= 1) {
        lead(context, NULL);
        return;
    }
    sleepers s;
    sleepers_init(&s);
    thread_team t = {.workers = workers, .sleepers = &s, .lead = lead, .lead_context = context};
    pthread_cond_init(&t.end, NULL);
    parallel_run(workers, serve, &t);
    pthread_cond_destroy(&t.end);
    sleepers_fini(&s);
}

/* Two teams of the same threads. */
typedef struct two_teams {
    thread_team team[2];
    atomic_flag taken; /* the second has a leader */
} two_teams;

static void serve_two(void *context, unsigned worker) {
    two_teams *two = context;
    if (worker == 0) run_leader(&two->team[0], worker);
    if (worker < 2 && !atomic_flag_test_and_set(&two->taken)) run_leader(&two->team[1], worker);
    follow(&two->team[0], worker);
}

void team_run_two(unsigned workers, void (*const leads[2])(void *context, thread_team *team), void *context) {
    if (workers <= 1) {
        for (unsigned i = 0; i < 2; i++) leads[i](context, NULL);
        return;
    }
    sleepers s;
    sleepers_init(&s);
    two_teams two = {.taken = ATOMIC_FLAG_INIT};
    for (unsigned i = 0; i < 2; i++) {
        thread_team *t = &two.team[i];
        t->workers = workers;
        t->sleepers = &s;
        t->beside = &two.team[1 - i];
        t->lead = leads[i];
        t->lead_context = context;
        pthread_cond_init(&t->end, NULL);
    }
    parallel_run(workers, serve_two, &two);
    for (unsigned i = 0; i < 2; i++) pthread_cond_destroy(&two.team[i].end);
    sleepers_fini(&s);
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

typedef struct trial_loop {
    bough_status (*step)(void *context, unsigned worker, uint64_t i, bough_error *error);
    void *context;
    atomic_bool failed; /* a step has set what follows, or does so */
    bough_status status;
    bough_error error;
} trial_loop;

static void try_step(void *context, unsigned worker, uint64_t i) {
    trial_loop *l = context;
    bough_error error = {0};
    if (atomic_load(&l->failed)) return;
    const bough_status status = l->step(l->context, worker, i, &error);
    if (!status || atomic_exchange(&l->failed, true)) return;
    l->status = status;
    l->error = error;
}

bough_status team_try(unsigned workers, uint64_t count,
                      bough_status (*step)(void *context, unsigned worker, uint64_t i, bough_error *error),
                      void *context, bough_error *error) {
    trial_loop loop = {.step = step, .context = context};
    team_loop(workers, count, try_step, &loop);
    if (loop.status && error) *error = loop.error;
    return loop.status;
}
