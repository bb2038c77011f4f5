/* The machine beside the engine: after every pass of the engine the machine runs one, and every message must
 * be at the same leaf. The first difference ends the run with FAILED. */
#ifndef BOUGH_ENGINES_BAY1991_BIT_FOLLOW_H
#define BOUGH_ENGINES_BAY1991_BIT_FOLLOW_H

#include "papers/bay1991/bitserial/bit_machine.h"

typedef struct bit_follow {
    bit_machine *machine;
    sidetrack_watch watch;
    const sidetrack_watch *inner; /* another observer, called first; may be NULL */
} bit_follow;

/* Starts the machine with a batch, which must outlive the run. Returns the observer for the engine. */
const sidetrack_watch *bit_follow_begin(bit_follow *follow, const sidetrack_machine *shape,
                                        const bough_batch *batch, const sidetrack_watch *inner);
/* Runs the stages after the engine's last pass, in which the machine may not have any messages. */
bough_status bit_follow_end(bit_follow *follow, bough_error *error);

#endif
