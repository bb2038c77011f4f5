/* The output of nccl-tests and rccl-tests (all_reduce_perf, ...) as values of the method `data`. */
#ifndef BOUGH_MODELS_NCCL_TESTS_OUTPUT_H
#define BOUGH_MODELS_NCCL_TESTS_OUTPUT_H

#include "base/files/input.h"
#include "method/method.h"

/* True if a text has the header of such a table, a line with # and the word algbw, or begins as JSON. */
bool nccl_tests_recognise(const bough_input_piece *piece);

/* Appends the line of JSON for the size of the collective; of a table: time, algorithm and bus bandwidth of
 * the line whose size is that of the point's collective: of the out-of-place run. Other lines of a log are
 * skipped. Of several runs in one log, those with another collective or number of ranks than the point's are
 * left out, and the result is the mean of the others. Errors: INVALID with file:line for a malformed line of
 * the table, for two lines of this size in a run, and where no run has the point's collective and number of
 * ranks. */
bough_status nccl_tests_read(const bough_input_piece *piece, const bough_point *point, bough_rows *rows,
                             bough_error *error);

#endif
