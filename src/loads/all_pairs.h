/* Loads of all-to-all without its messages, where routes do not depend on the source and leave no choice. */
#ifndef BOUGH_LOADS_ALL_PAIRS_H
#define BOUGH_LOADS_ALL_PAIRS_H

#include "routing/routing.h"

#include <stdatomic.h>

/* Whether all_pairs_loads takes the routing. */
bool all_pairs_fit(const bough_routing *routing);

typedef struct all_pairs_question {
    const bough_routing *routing; /* all_pairs_fit */
    unsigned threads;             /* 0: one; the loads do not depend on their number */
    atomic_bool *stop;            /* may be NULL */
} all_pairs_question;

/* Adds the flows of every ordered pair of endpoints to load[link], and the number of those that do not
 * arrive, which load no link, to *lost. Cost: links x levels under dmodk on a full tree, else
 * endpoints x (nodes + switches with endpoints x hops). Errors: TOO_LARGE, NO_MEMORY, INTERRUPTED. */
bough_status all_pairs_loads(const all_pairs_question *question, double *load, double *lost,
                             bough_error *error);
/* Memory of it for each thread; each but the first also has loads of its own. */
uint64_t all_pairs_bytes(const bough_routing *routing);

/* Whether the load of a link is found at once, so that no array of loads is needed: dmodk on a full tree. */
bool all_pairs_direct(const bough_routing *routing);

/* Receives a link that carries flows. thread: below question->threads. */
typedef void all_pairs_visit(void *context, unsigned thread, uint64_t link, double load);

/* Requires all_pairs_direct. Visits every link that carries flows once, on one thread. Errors:
 * INTERRUPTED. */
bough_status all_pairs_each(const all_pairs_question *question, all_pairs_visit *visit, void *context,
                            bough_error *error);

#endif
