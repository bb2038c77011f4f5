/* Loads of the links under single messages, each followed on its own; threads and ranks divide them. */
#ifndef BOUGH_MODELS_LINK_LOAD_MESSAGE_LOADS_H
#define BOUGH_MODELS_LINK_LOAD_MESSAGE_LOADS_H

#include "method/method_run.h"

typedef struct message_question {
    const bough_run *run; /* its ranks take every ranks-th grain of messages */
    bough_key key;        /* of the trial */
    const bough_batch *batch;
    bool whole; /* every message loads whole links; else they are followed on one thread, as sums of shares
                 * depend on their order */
    unsigned threads;
} message_question;

/* Whether each rank has an array of the loads of its own links only. */
bool message_loads_apart(const bough_run *run);
/* The links whose loads a rank finds: all links without ranks. */
bough_range message_loads_part(const bough_run *run);

/* Sets the loads of these links, and adds the messages of this rank that do not arrive to *unrouted. load:
 * [links], or those of message_loads_part if they are apart. Errors: NO_MEMORY, those of other ranks. Ends
 * early, without an error, if the run is stopped. */
bough_status message_loads(const message_question *question, double *load, double *unrouted,
                           bough_error *error);
/* Adds the memory of it if links are whole, with the loads, to bytes and bytes_each of the run, and sets that
 * of ranks. */
void message_loads_memory(bough_run *run);

#endif
