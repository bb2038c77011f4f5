/* What the files of InfiniBand's tools have in common: limits of their numbers. */
#ifndef BOUGH_FORMATS_FABRICS_INFINIBAND_INFINIBAND_LINES_H
#define BOUGH_FORMATS_FABRICS_INFINIBAND_INFINIBAND_LINES_H

#include "base/text/scanner.h"
#include "formats/fabrics/fabric.h"

/* Errors: INVALID at this line for a LID that is not unicast. */
bough_status lid_check(const scanner *s, uint64_t lid);
/* The same; 0 and 65535 mean none, which is 0. */
bough_status lid_or_none(const scanner *s, uint64_t value, uint32_t *lid);
/* Errors: INVALID at this line for a port that is not 1 to 254. */
bough_status port_check(const scanner *s, uint64_t port);
/* Returns whether the line continues with word, blanks and a number, as in "Switch  36 ..". */
bool count_follows(const scanner *s, const char *word);

#endif
