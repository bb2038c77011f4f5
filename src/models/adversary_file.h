/* The worst permutation as a file. */
#ifndef BOUGH_MODELS_ADVERSARY_FILE_H
#define BOUGH_MODELS_ADVERSARY_FILE_H

#include "loads/worst/adversary.h"

/* Writes the permutation and a comment that describes it for `messages:FILE`; see bough_permutation_write. */
bough_status bough_adversary_write(const bough_routing *routing, const bough_adversary_result *result,
                                   const char *path, bough_error *error);

#endif
