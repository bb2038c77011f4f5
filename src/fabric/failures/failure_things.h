/* What an `each:` fault names: every cable, or every switch, that can die alone. */
#ifndef BOUGH_FABRIC_FAILURES_FAILURE_THINGS_H
#define BOUGH_FABRIC_FAILURES_FAILURE_THINGS_H

#include "network/wiring.h"

typedef struct failure_things {
    const bough_net *net;
    bool switches;
    const char *what;        /* "cable", "switch"; static */
    char *spec;              /* canonical */
    uint32_t *item;          /* [count], ascending: a switch, or the lower link of a cable */
    uint32_t count;          /* at least 1 */
    compressed_rows in, out; /* of switches: links into a node, links out of it */
} failure_things;

/* Links and nodes must be fewer than 2^32. Dead parts are left out. Errors: INVALID for the spec, or if
 * nothing matches it; NO_MEMORY. */
bough_status failure_things_find(const bough_net *net, const char *spec, arena *memory,
                                 failure_things *things, bough_error *error);
/* Sets the bits of the links that die with a thing. */
void failure_things_kill(const failure_things *things, uint32_t item, uint64_t *dead);
/* Whether one of these links has bit base + link. */
bool failure_things_among(const failure_things *things, uint32_t item, const uint64_t *bits, uint64_t base);

#endif
