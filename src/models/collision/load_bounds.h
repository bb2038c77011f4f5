/* Leiserson's load factor of a batch, for bounds on rounds that hold for any set of messages. */
#ifndef BOUGH_MODELS_COLLISION_LOAD_BOUNDS_H
#define BOUGH_MODELS_COLLISION_LOAD_BOUNDS_H

#include "traffic/traffic.h"

/* The largest (up + down messages) / capacity of a channel. The network must have channels. O(levels x
 * (messages + endpoints)). */
bough_status load_factor_measure(const bough_net *net, const bough_batch *batch, double *factor,
                                 bough_error *error);

#endif
