/* Area and time together (bay1991, section 5): of a method that counts bit steps on a network that has a
 * layout. */
#ifndef BOUGH_MODELS_GEOMETRY_AREA_TIME_H
#define BOUGH_MODELS_GEOMETRY_AREA_TIME_H

#include "bough/method.h"

#define AT2_PARAM                                                                                            \
    {                                                                                                        \
        "area", "also area x time^2, of the H-tree layout (method layout) under its default rules",          \
            BOUGH_FLAG, "0"                                                                                  \
    }

/* Whether the network of a run has a layout; to be asked when it is opened with area=1. */
bough_status at2_open(const bough_run *run, bough_error *error);

/* Adds area_grid, at2, and at2 over what section 5 says any router needs, b^2 eta^2 n. steps: bit steps of
 * the trial with this key, body: bits of a message's body. Cost: O(messages + endpoints), and measuring. */
bough_status at2_add(const bough_run *run, bough_key key, double steps, double body, bough_rows *rows,
                     bough_error *error);

#endif
