/* Threads: a function on several workers, and a lock. OpenMP, so that a parallel region inside a method's
 * trial runs on one thread instead of multiplying; without OpenMP there is one worker and nothing to lock. */
#ifndef BOUGH_BASE_THREADS_H
#define BOUGH_BASE_THREADS_H

#ifdef _OPENMP
#include <omp.h>
typedef omp_lock_t bough_lock;
#else
typedef int bough_lock;
#endif

unsigned parallel_processors(void);
/* Calls work(context, w) for w = 0 .. workers-1 at the same time and waits. It may give fewer workers than
 * asked for, so work must not wait for another worker. workers = 1 opens no parallel region: the work may. */
void parallel_run(unsigned workers, void (*work)(void *context, unsigned worker), void *context);

void lock_init(bough_lock *lock);
void lock_take(bough_lock *lock);
void lock_leave(bough_lock *lock);
void lock_fini(bough_lock *lock);

#endif
