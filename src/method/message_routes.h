/* The routes that the messages of a point need. */
#ifndef BOUGH_METHOD_MESSAGE_ROUTES_H
#define BOUGH_METHOD_MESSAGE_ROUTES_H

#include "method/method.h"

/* Like bough_routing_survey, limited to the messages of a point: pairs that do not send need no route. Random
 * traffic and streams may use any pair, and under a routing with intermediate nodes so may the parts of their
 * paths. Errors: those of bough_routing_survey; NO_MEMORY. */
bough_status survey_message_routes(const bough_point *point, unsigned *longest, bough_error *error);

#endif
