/* What a head finds at a queue of m links: the number of messages there from other links. */
#ifndef BOUGH_MODELS_QUEUEING_PRESENCE_H
#define BOUGH_MODELS_QUEUEING_PRESENCE_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

enum { PRESENCE_TIMES = 16 };

/* Links that lead to the queue and are alike. A link has a message in service for the fraction `served` of
 * the time, and one that waits for the fraction `waits`; `rate`: messages over the link, to this and other
 * queues. */
typedef struct presence_class {
    double served, waits, rate;
    uint64_t links;
    double in_service, waiting; /* weights, to be found; 0: not yet */
    double comes;               /* likewise: rate at which its messages come while none of them is there */
    /* Links that lead down to the same switch are siblings: their messages are there `sibling` times as often
     * when a head of one of them arrives as at any time. 0: no siblings. */
    double sibling;
} presence_class;

typedef struct presence {
    uint32_t servers;
    presence_class *class;
    size_t classes;
    uint64_t links;                 /* of all classes */
    double sojourn[PRESENCE_TIMES]; /* equally probable times from a head's arrival until it is served */
    double *work;                   /* presence_work(servers, links) */
} presence;

size_t presence_work(uint32_t servers, uint64_t links);

/* Finds the weights. Those that are there already are the start. */
void presence_solve(presence *p);
/* Probabilities of 0 .. links - 1 others, for a head that arrives while no message of its own link, of class
 * `own`, is there. */
void presence_any(const presence *p, size_t own, double *n);
/* The same for a head that directly follows a message of its link to the same queue. */
void presence_heels(const presence *p, size_t own, double *n);

#endif
