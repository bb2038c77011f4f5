/* Rates and times as people write them, the same in files and options. */
#ifndef BOUGH_BASE_TEXT_MEASURES_H
#define BOUGH_BASE_TEXT_MEASURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads 100Gb/s, 25 Gbps, 400G, and 12.5GB/s, which is 100 Gb/s, to the nearest bit/s. plain: a number
 * without a unit is bit/s; else it is invalid. False if invalid, or not positive. */
bool measure_rate(const char *text, size_t length, bool plain, uint64_t *rate);
/* Reads 1us or 0.000025ms, to the nearest ps; a number without a unit is seconds. False if invalid, negative
 * or more than 1 s. */
bool measure_time(const char *text, size_t length, uint64_t *ps);

#endif
