/* Which pairs of endpoints need a route for the messages of a point. */
#ifndef BOUGH_METHOD_SENDING_PAIRS_H
#define BOUGH_METHOD_SENDING_PAIRS_H

#include "bough/method.h"

/* Like bough_routing_survey, limited to the messages of a point: pairs that do not send need no route. Random
 * traffic and streams may use any pair, and under a routing with intermediate nodes so may the parts of their
 * paths. Errors: those of bough_routing_survey; NO_MEMORY. */
bough_status sent_survey(const bough_point *point, unsigned *longest, bough_error *error);

#endif
