#include "base/threads.h"

#ifdef _OPENMP

unsigned parallel_processors(void) {
    return (unsigned)omp_get_num_procs();
}

void parallel_run(unsigned workers, void (*work)(void *context, unsigned worker), void *context) {
    if (workers == 1) {
        work(context, 0);
        return;
    }
#pragma omp parallel num_threads(workers)
    work(context, (unsigned)omp_get_thread_num());
}

void lock_init(bough_lock *lock) {
    omp_init_lock(lock);
}
void lock_take(bough_lock *lock) {
    omp_set_lock(lock);
}
void lock_leave(bough_lock *lock) {
    omp_unset_lock(lock);
}
void lock_fini(bough_lock *lock) {
    omp_destroy_lock(lock);
}

#else

unsigned parallel_processors(void) {
    return 1;
}

void parallel_run(unsigned workers, void (*work)(void *context, unsigned worker), void *context) {
    (void)workers;
    work(context, 0);
}

void lock_init(bough_lock *lock) {
    *lock = 0;
}
void lock_take(bough_lock *lock) {
    (void)lock;
}
void lock_leave(bough_lock *lock) {
    (void)lock;
}
void lock_fini(bough_lock *lock) {
    (void)lock;
}

#endif
