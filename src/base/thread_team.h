/* A team of threads for one sequential program, its leader, which distributes loops from time to time.
 *
 *     static void lead(void *context, thread_team *team) {
 *         ...
 *         team_each(team, tiles, serve_tile, context);      all tiles are done when it returns
 *         ...
 *     }
 *     team_run(threads, lead, context);
 *
 * Steps of a loop are claimed one by one, so a thread that the system suspends between two steps delays
 * nobody. Results do not depend on the number of threads if the steps of a loop are independent of each other
 * and of their order. */
#ifndef BOUGH_BASE_THREAD_TEAM_H
#define BOUGH_BASE_THREAD_TEAM_H

#include "bough/status.h"

#include <stdint.h>

/* Bytes between what one thread writes often and what others use: processors fetch cache lines, some of them
 * in pairs. The last member of elements of an array of which each thread has one: char apart[THREAD_APART].
 */
enum { THREAD_APART = 128 };

typedef struct thread_team thread_team;

/* A moment, for a thread that waits for another without sleeping. */
static inline void thread_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Calls lead(context, team) on the calling thread, with a team of `workers` threads in all. There may be
 * fewer. workers <= 1: the team is NULL, and no thread is started. */
void team_run(unsigned workers, void (*lead)(void *context, thread_team *team), void *context);

/* Two leaders at a time, on threads 0 and 1, each with a team of all threads: a thread whose leader has
 * returned runs loops of the other team. There may be fewer threads: then the first leads both teams in turn.
 * workers <= 1: the teams are NULL. */
void team_run_two(unsigned workers, void (*const leads[2])(void *context, thread_team *team), void *context);

/* Threads of the team, at most; 1 for NULL. */
unsigned team_size(const thread_team *team);

/* Called by the leader: how many of these would run the next loop, itself included; that is without the
 * leader of another team, until it returns. */
unsigned team_free(thread_team *team);

/* Called by the leader: calls step(context, worker, i) for i = 0 .. count-1 < 2^32, each on one of the
 * threads, and returns when all have returned. worker < team_size: the number of the thread, 0 for the
 * leader (of two teams, 0 or 1). Steps must not call team_each. team may be NULL. */
void team_each(thread_team *team, uint64_t count, void (*step)(void *context, unsigned worker, uint64_t i),
               void *context);

/* A single loop, on a team of its own of `workers` threads, or on the calling thread. The caller is worker 0.
 */
void team_loop(unsigned workers, uint64_t count, void (*step)(void *context, unsigned worker, uint64_t i),
               void *context);

/* The same for steps that can fail. After a failure the steps that have not begun are left out. Returns the
 * first failure. */
bough_status team_try(unsigned workers, uint64_t count,
                      bough_status (*step)(void *context, unsigned worker, uint64_t i, bough_error *error),
                      void *context, bough_error *error);

/* Part i of 0 .. count-1 divided into `parts` equal parts: its first element. Part i ends where i + 1 begins.
 */
static inline uint64_t team_part(uint64_t count, uint64_t parts, uint64_t i) {
    return (uint64_t)((unsigned __int128)count * i / parts);
}

#endif
