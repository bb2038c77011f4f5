/* Tables of numbers that come from outside: what a paper prints, what was measured, what another simulator
 * said. */
#ifndef BOUGH_MODELS_PRINTED_DATA_H
#define BOUGH_MODELS_PRINTED_DATA_H

#include "base/files/input.h"
#include "bough/method.h"

/* Appends to rows what the CSV in input says about point, in its order. The first line names the columns:
 *
 *   metric, value         what the row says: a metric's name and a finite number; both columns are needed
 *   index                 the metric's index; empty or absent: none
 *   ci95                  half the width of the value's 95 % confidence interval
 *   n, m                  endpoints of the network, messages of the traffic
 *   network, traffic,     spec strings (in "..." where they hold commas). One matches the point's when the
 * name routing               is the same and every parameter that it gives has the point's value: `uniform`
 * matches any m
 *
 * A row is about the point when all its keys match; an empty cell matches everything. Cells may be quoted as
 * in RFC 4180 (within a line); blank lines and lines starting with # are skipped.
 *
 * Errors: INVALID with file:line for what cannot be read, with the file when no row is about the point, and
 * with both lines when two rows give the same metric and index. O(length of the input). */
bough_status data_read(const bough_input *input, const bough_point *point, bough_rows *rows,
                       bough_error *error);

#endif
