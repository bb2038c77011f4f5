/* Tables of external numbers: printed in a paper, measured, or computed by another simulator. */
#ifndef BOUGH_MODELS_EXTERNAL_TABLE_H
#define BOUGH_MODELS_EXTERNAL_TABLE_H

#include "base/files/input.h"
#include "method/method.h"

/* clang-format off */
/* Appends to rows the values that the CSV in input contains for point, in file order. The first line names
 * the columns:
 *
 *   metric, value         name of a metric, and a finite number; both columns are required
 *   index                 index of the metric; empty or absent: none
 *   ci95                  half-width of the 95 % confidence interval of the value
 *   n, m                  endpoints of the network, messages of the traffic
 *   network, traffic,     spec strings (in "..." if they contain commas). A spec matches the point's if the
 *   routing               name is the same and every given parameter has the point's value: `uniform`
 *                         matches any m
 *
 * A row applies to the point if all its keys match; an empty cell matches everything. Cells may be quoted
 * as in RFC 4180 (within a line); blank lines and lines starting with # are skipped.
 *
 * The output of nccl-tests (models/nccl_tests_output.h) is recognised and read as such.
 *
 * Errors: INVALID with file:line for unreadable input, with the file if no row applies to the point, and with
 * both lines if two rows give the same metric and index. O(length of the input). */
/* clang-format on */
bough_status external_table_read(const bough_input *input, const bough_point *point, bough_rows *rows,
                                 bough_error *error);

#endif
