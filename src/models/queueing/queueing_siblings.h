/* Links that lead down to one switch: messages that part at a port group meet there again. */
#ifndef BOUGH_MODELS_QUEUEING_SIBLINGS_H
#define BOUGH_MODELS_QUEUEING_SIBLINGS_H

#include "models/queueing/queueing.h"
#include "models/queueing/queueing_inputs.h"

/* Groups of several links that lead up from a level: over their messages, the other links of the group that
 * are taken when a message takes its link, and those that are taken at any time. */
typedef struct siblings_level {
    double met, taken;
} siblings_level;

typedef struct queueing_siblings {
    /* By input: the probability that a message of the link, and one of another link that leads down to the
     * same switch, come from the same group. 0: the link leads up, or this is not known. */
    double *common;
    siblings_level *level;
    uint64_t levels;
} queueing_siblings;

bough_status queueing_siblings_make(const queueing_net *q, const queueing_inputs *in, queueing_siblings *s,
                                    bough_error *error);
void queueing_siblings_fini(queueing_siblings *s);

void siblings_clear(queueing_siblings *s);
/* A group of m > 1 links: `met` and `use` of its other links, on average over its messages. */
void siblings_count(queueing_siblings *s, const queueing_net *q, uint32_t queue, double met, double use);
/* Ratio of the presence of a sibling's messages, as an arriving head of this input meets them, to that at any
 * time. */
double siblings_factor(const queueing_siblings *s, const queueing_net *q, const queueing_inputs *in,
                       uint64_t input);

#endif
