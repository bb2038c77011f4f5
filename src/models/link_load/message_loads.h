/* Loads of the links under single messages, each followed on its own; threads divide them. */
#ifndef BOUGH_MODELS_LINK_LOAD_MESSAGE_LOADS_H
#define BOUGH_MODELS_LINK_LOAD_MESSAGE_LOADS_H

#include "method/method_run.h"

typedef struct message_question {
    const bough_run *run;
    bough_key key; /* of the trial */
    const bough_batch *batch;
    bool whole; /* every message loads whole links; else they are followed on one thread, as sums of shares
                 * depend on their order */
    unsigned threads;
} message_question;

/* Sets the loads of all links, and adds the messages that do not arrive to *unrouted. load: [links]. Errors:
 * NO_MEMORY. Ends early, without an error, if the run is stopped. */
bough_status message_loads(const message_question *question, double *load, double *unrouted,
                           bough_error *error);
/* Adds the memory of it if links are whole, with the loads, to bytes and bytes_each of the run. */
void message_loads_memory(bough_run *run);

#endif
