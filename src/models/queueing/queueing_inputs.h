/* The links that lead to each queue, for variants that count the messages that they have there. */
#ifndef BOUGH_MODELS_QUEUEING_INPUTS_H
#define BOUGH_MODELS_QUEUEING_INPUTS_H

#include "models/queueing/queueing.h"

/* Links of one channel that lead to a queue. */
typedef struct queueing_input {
    uint32_t channel, turn;
    uint64_t links;
    double rate;  /* of one link into the queue */
    double share; /* fraction of the messages of the link */
} queueing_input;

typedef struct queueing_inputs {
    queueing_input *input; /* by queue */
    uint64_t *first;       /* [queues + 1] */
    uint64_t most;         /* links to one queue */
} queueing_inputs;

/* Errors: UNSUPPORTED if nodes both send and forward, or if routes offer different parts of a group to
 * different addresses. */
bough_status queueing_inputs_check(const queueing_net *q, const char *variant, bough_error *error);
bough_status queueing_inputs_make(const queueing_net *q, queueing_inputs *in, bough_error *error);
uint64_t queueing_inputs_bytes(const queueing_counts *c);
void queueing_inputs_fini(queueing_inputs *in);

#endif
