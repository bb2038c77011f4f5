/* What nccl-tests writes with -J FILE.json. */
#ifndef BOUGH_MODELS_NCCL_TESTS_JSON_H
#define BOUGH_MODELS_NCCL_TESTS_JSON_H

#include "base/files/input.h"
#include "method/method.h"

/* True if a text begins with an opening brace: no table does. */
bool nccl_tests_is_json(const bough_input_piece *piece);

/* Appends the rows of the result whose size is that of the point's collective: of the out-of-place run.
 * Errors: INVALID with the file for a text that is not such JSON, for another collective or number of ranks
 * than the point's, and for two results of this size; TOO_LARGE, NO_MEMORY. */
bough_status nccl_tests_read_json(const bough_input_piece *piece, const bough_point *point, bough_rows *rows,
                                  bough_error *error);

#endif
