/* Threads: runs a function on several workers, and a lock. Uses OpenMP, so a parallel region inside a trial
 * of a method runs on one thread. Without OpenMP there is one worker and no locking. */
#ifndef BOUGH_BASE_THREADS_H
#define BOUGH_BASE_THREADS_H

#ifdef _OPENMP
#include <omp.h>
typedef omp_lock_t bough_lock;
#else
typedef int bough_lock;
#endif

unsigned parallel_processors(void);
/* Calls work(context, w) for w = 0 .. workers-1 concurrently and waits. There may be fewer workers than
 * requested, so work must not wait for another worker. workers = 1 opens no parallel region, so the work
 * may. */
void parallel_run(unsigned workers, void (*work)(void *context, unsigned worker), void *context);

void lock_init(bough_lock *lock);
void lock_take(bough_lock *lock);
void lock_leave(bough_lock *lock);
void lock_fini(bough_lock *lock);

#endif
