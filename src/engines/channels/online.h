/* Randomised on-line routing on fat-trees (Greenberg, Leiserson: Randomized routing on fat-trees, 1989).
 * Nobody knows the load factor. In a delivery cycle every message that has not arrived is sent with
 * probability 1 / (r guess); where more want a channel than it has wires, as many as it has get through
 * (perfect concentrators), by a keyed order that is drawn anew for every cycle, and the others are lost, at
 * what they took up to there. Sources learn what has arrived.
 *
 * The guess (of the load factor) runs like this, with constants that the paper leaves open:
 *   guess = 2; while k1 guess < k2 lg n: k2 lg n cycles, then the guess is squared;
 *   z = 1; for ever: the guess is z k2 lg n / k1; for each of lg z + 1 rounds: k1 guess cycles, then the
 * guess is halved; z is doubled. It ends with the last message: O(lambda + lg n lg lg n) cycles with high
 * probability. */
#ifndef BOUGH_ENGINES_CHANNELS_ONLINE_H
#define BOUGH_ENGINES_CHANNELS_ONLINE_H

#include "bough/random.h"
#include "engines/channels/channel_tree.h"

#include <stdatomic.h>

typedef struct online_options {
    double r, k1, k2;
    const atomic_bool *stop; /* set from outside: INTERRUPTED; may be NULL */
} online_options;

typedef struct online_result {
    uint64_t cycles, sent, lost; /* attempts; those that did not arrive */
    double guess;                /* the last one */
} online_result;

typedef struct online_engine online_engine;
uint64_t online_bytes(const bough_net *net, uint64_t messages);
/* Borrows tree. */
bough_status online_create(const channel_tree *tree, online_engine **engine, bough_error *error);
void online_destroy(online_engine *engine); /* NULL is fine */

/* cycle (may be NULL): when each message arrived, counted from 0; UINT32_MAX for those that stay where they
 * are. */
bough_status online_run(online_engine *engine, const bough_batch *batch, bough_key key,
                        const online_options *options, uint32_t *cycle, online_result *result,
                        bough_error *error);

#endif
