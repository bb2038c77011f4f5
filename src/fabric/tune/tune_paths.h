/* The choices of a tune_graph. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_PATHS_H
#define BOUGH_FABRIC_TUNE_TUNE_PATHS_H

#include "fabric/tune/tune_graph.h"

/* Sets shortest, pairs, first and choice; the rest of the graph is set. */
bough_status tune_paths_find(tune_graph *graph, bough_error *error);

#endif
