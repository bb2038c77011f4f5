/* Totals over the loads of all links. */
#ifndef BOUGH_MODELS_LINK_LOAD_LINK_TALLY_H
#define BOUGH_MODELS_LINK_LOAD_LINK_TALLY_H

#include "base/thread_team.h"
#include "method/method_run.h"

#define LINK_HISTOGRAM_MAX 65536

typedef struct link_tally {
    double max, sum, time_max;
    uint64_t used, unused;
    double *level;       /* per level: maximum load; NULL: not requested */
    uint64_t *histogram; /* links by load rounded up; NULL: not requested */
    uint64_t highest;    /* last used entry of the histogram */
    uint64_t messages;
    double unrouted; /* undelivered messages: an expected value if a flow may take paths that end early */
} link_tally;

/* Adds links of one load. level: not read unless requested. rate: 0: unknown. */
void link_tally_count(link_tally *tally, double load, uint64_t links, unsigned level, double rate);

/* Tallies of threads. More than one thread only if loads are whole numbers, whose sum does not depend on the
 * order. Zero-initialise. */
typedef struct link_tallies {
    const bough_run *run;
    struct thread_tally {
        link_tally tally;
        char apart[THREAD_APART];
    } * of; /* [threads] */
    unsigned threads;
} link_tallies;

/* asked: a tally that requests the same. Errors: NO_MEMORY. */
bough_status link_tallies_make(link_tallies *tallies, const bough_run *run, unsigned threads,
                               const link_tally *asked, bough_error *error);
void link_tallies_fini(link_tallies *tallies);
/* Counts a link on a thread; context: link_tallies. Links without load need not be counted. */
void link_tallies_count(void *context, unsigned thread, uint64_t link, double load);
/* Counts all links on all threads. load: [links]. */
void link_tallies_add(link_tallies *tallies, const double *load);
/* Adds the tallies of all threads to *tally, and all other links of the network as links without load. */
void link_tallies_join(const link_tallies *tallies, link_tally *tally);

/* Links that a thread takes at once. */
enum { LINK_RANGE = 1 << 14 };

static inline uint64_t link_ranges(uint64_t links) {
    return (links + LINK_RANGE - 1) / LINK_RANGE;
}

#endif
