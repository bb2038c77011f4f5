/* Error handling for sequences of fallible calls. */
#ifndef BOUGH_BASE_STATUS_TRY_H
#define BOUGH_BASE_STATUS_TRY_H

#include "bough/status.h"

/* Makes the call unless an earlier one failed. The function must have a variable `bough_status status`, which
 * receives the result.
 *
 *     bough_status status = bough_alloc(&node, nodes, sizeof *node, error);
 *     TRY(bough_alloc(&link, links, sizeof *link, error));
 *     TRY(read_cables(input, node, link, error));
 *     if (status) free_all(node, link);
 *     return status; */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if (!status) status = (call);                                                                        \
    } while (0)

#endif
