/* clang-format off */
/* Randomised on-line routing on fat-trees (Greenberg, Leiserson: Randomized routing on fat-trees, 1989).
 * The load factor is unknown. In a delivery cycle every message that has not arrived is sent with probability
 * 1 / (r guess). If more messages want a channel than it has wires, as many as it has wires pass (perfect
 * concentrators), in a keyed order drawn for every cycle. The others are lost, after using the channels up to
 * there. Sources are notified of arrivals.
 *
 * The guess of the load factor follows this schedule, with constants that the paper leaves open:
 *   guess = 2; while k1 guess < k2 lg n: k2 lg n cycles, then the guess is squared;
 *   z = 1; forever: the guess is z k2 lg n / k1; for each of lg z + 1 rounds: k1 guess cycles, then the
 *   guess is halved; z is doubled.
 * It ends with the last message: O(lambda + lg n lg lg n) cycles with high probability. */
/* clang-format on */
#ifndef BOUGH_ENGINES_CHANNELS_ONLINE_H
#define BOUGH_ENGINES_CHANNELS_ONLINE_H

#include "base/random/random.h"
#include "engines/channels/channel_tree.h"

#include <stdatomic.h>

typedef struct online_options {
    double r, k1, k2;
    bough_key key;
    const atomic_bool *stop; /* set externally: INTERRUPTED; may be NULL */
} online_options;

typedef struct online_result {
    uint64_t cycles, sent, lost; /* attempts; attempts that did not arrive */
    const uint32_t *cycle;       /* arrival of each message, from 0; UINT32_MAX for messages that do not move.
                                    Owned by the engine; until the next run */
} online_result;

typedef struct online_engine online_engine;
uint64_t online_bytes(const bough_net *net, uint64_t messages);
/* Borrows tree. messages: of the largest batch. */
bough_status online_create(const channel_tree *tree, uint64_t messages, online_engine **engine,
                           bough_error *error);
void online_destroy(online_engine *engine); /* NULL is allowed */

bough_status online_run(online_engine *engine, const bough_batch *batch, const online_options *options,
                        online_result *result, bough_error *error);

#endif
