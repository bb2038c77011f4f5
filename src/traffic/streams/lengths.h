/* Distributions of the lengths of a stream's messages. */
#ifndef BOUGH_TRAFFIC_STREAMS_LENGTHS_H
#define BOUGH_TRAFFIC_STREAMS_LENGTHS_H

#include "traffic/traffic.h"

/* Reads "geometric", of mean `flits`, or a list of lengths and their shares, "4:0.8+64:0.2". Errors: INVALID.
 */
bough_status lengths_parse(const char *text, uint64_t flits, bough_lengths *out, bough_error *error);

/* The length that a random word selects. */
uint64_t lengths_draw(const bough_lengths *lengths, uint64_t word);

#endif
