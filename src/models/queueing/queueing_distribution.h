/* The state of the variant `distribution`, shared by queueing_distribution.c (services and waits) and
 * queueing_percentiles.c (sources and latencies). Times are in steps of the lattice. */
#ifndef BOUGH_MODELS_QUEUEING_DISTRIBUTION_H
#define BOUGH_MODELS_QUEUEING_DISTRIBUTION_H

#include "models/queueing/queueing.h"
#include "models/queueing/queueing_inputs.h"
#include "models/queueing/queueing_lattice.h"
#include "models/queueing/queueing_presence.h"
#include "models/queueing/queueing_siblings.h"

/* Transforms of times: services of links by messages that did not wait for them (calm) and that did (late);
 * the first release of a link of a group that is taken, for a head that comes at any time, and for one that
 * follows a message (fresh); the time between further releases; from a link to the destination. */
typedef struct distribution_queue {
    lattice_point *calm, *late, *first, *fresh, *next, *transit_calm, *transit_late;
    lattice_moments calm_time, late_time;
    double mean;   /* service of all messages */
    double waited; /* fraction of messages that waited */
    double met;    /* other links of the group that are taken when a message takes one */
    double first_mean, fresh_mean, next_mean;
} distribution_queue;

/* Of a message that comes by one link. */
typedef struct distribution_turn {
    double blocked,
        heels_blocked; /* fraction that waits: of those that come at any time, that follow another */
    double any_mean, heels_mean; /* waits, 0 if not blocked */
    double met;                  /* links of the group that are taken besides the one that it takes */
    double wait;
    uint64_t input;
} distribution_turn;

/* Batches of messages at a source, all offered in one step. */
typedef struct distribution_source {
    double rate, burst;        /* of messages; mean of a batch */
    double idle, alone, first; /* P(no work is left), P(no message comes), P(first of its batch) */
    double wait;               /* mean */
} distribution_source;

struct queueing_distribution {
    queueing_lattice lattice;
    double step; /* cycles */
    distribution_queue *queue;
    distribution_turn *turn;
    uint32_t *queue_of; /* by channel */
    queueing_inputs inputs;
    queueing_siblings siblings;
    double *any, *heels; /* [input][n]: probability that n more links than servers are there */
    double *in_service, *waiting;
    presence presence;
    size_t *class_of;
    lattice_point *spectra, *length, *sum[2];
    double *p, *r, *n;
    bool too_long; /* a time exceeds the lattice */
};

/* Adds the times behind one link of a channel, for messages that did not wait for it and that did. transit:
 * times to the destination. */
typedef struct distribution_part {
    const queueing_net *q;
    uint32_t channel;
    double share;
    bool transit;
} distribution_part;
void distribution_add(queueing_distribution *d, const distribution_part *part, lattice_point *calm,
                      lattice_point *late);

/* Solves the queue of a source from its service times. */
distribution_source distribution_source_of(const queueing_net *q, uint32_t queue, double rate,
                                           const queueing_distribution *d);

#endif
