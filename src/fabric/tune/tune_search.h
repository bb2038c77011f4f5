/* Local search over the entries of tables. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_SEARCH_H
#define BOUGH_FABRIC_TUNE_TUNE_SEARCH_H

#include "fabric/tune/objectives/tune_model.h"

typedef struct tune_search_options {
    uint64_t seed;
    double effort; /* changes to evaluate, in multiples of all possible ones */
    double bound;  /* the search ends at a score of this value */
    atomic_bool *stop;
    void (*progress)(void *context, double share);
    void *context;
} tune_search_options;

typedef struct tune_search_result {
    bough_tune_score score;
    uint64_t evaluated, changes;
    bool interrupted;
} tune_search_result;

/* Changes the tables of the model to the best ones found; they are at least as good as they were. The
 * result depends on the tables, seed and effort only. Errors: NO_MEMORY. Interruption is no error. */
bough_status tune_search(tune_model *model, const tune_search_options *options, tune_search_result *result,
                         bough_error *error);
/* a before b: a smaller maximum, then fewer loads at it, then a smaller sum of squares. */
bool tune_score_less(const bough_tune_score *a, const bough_tune_score *b);

#endif
