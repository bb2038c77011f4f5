/* Rates as people write them. */
#ifndef BOUGH_NETWORK_GRAPH_FILES_CABLE_RATE_H
#define BOUGH_NETWORK_GRAPH_FILES_CABLE_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses 100Gb/s, 25 Gbps, 400G; false if invalid, or not a positive whole number of bits. */
bool cable_rate_read(const char *text, size_t length, uint64_t *rate);

#endif
