#include "study/forecast/trial_limit.h"

#include "base/clock.h"

#include <time.h>

/* How often the clock is read. */
static const struct timespec PAUSE = {.tv_nsec = 10000000};

static double used_seconds(clockid_t clock) {
    struct timespec t;
    if (clock_gettime(clock, &t)) return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *watch(void *context) {
    trial_limit *l = context;
    while (!atomic_load(&l->ended)) {
        if (used_seconds(l->clock) >= l->end) atomic_store(&l->reached, true);
        if (atomic_load(&l->reached) || (l->stop && atomic_load(l->stop))) {
            atomic_store(&l->over, true);
            return NULL;
        }
        nanosleep(&PAUSE, NULL);
    }
    return NULL;
}

void trial_limit_start(trial_limit *l, double seconds, const atomic_bool *stop) {
    *l = (trial_limit){.stop = stop, .end = clock_thread_seconds() + seconds};
    l->watched = pthread_getcpuclockid(pthread_self(), &l->clock) == 0 &&
                 pthread_create(&l->thread, NULL, watch, l) == 0;
}

void trial_limit_end(trial_limit *l) {
    atomic_store(&l->ended, true);
    if (l->watched) pthread_join(l->thread, NULL);
}
