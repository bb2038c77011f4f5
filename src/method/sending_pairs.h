/* Which pairs the messages of a point make a routing answer for. */
#ifndef BOUGH_METHOD_SENDING_PAIRS_H
#define BOUGH_METHOD_SENDING_PAIRS_H

#include "bough/method.h"

/* bough_routing_survey for the messages of a point: pairs that they leave out need no route. Those of random
 * traffic and of streams may be any, and under a routing with intermediate nodes so may parts of their paths.
 * Errors: as bough_routing_survey's; NO_MEMORY. */
bough_status sent_survey(const bough_point *point, unsigned *longest, bough_error *error);

#endif
