/* Better settings of an engine of OpenSM: roots of updn, and the order in which minhop and updn route
 * destinations. The engine then makes better tables by itself, also after a change of the fabric. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_ENGINE_H
#define BOUGH_FABRIC_TUNE_TUNE_ENGINE_H

#include "fabric/tune/tune.h"
#include "fabric/tune/tune_graph.h"
#include "routing/computed/engine_settings.h"

typedef struct tune_engine_search {
    const tune_graph *graph;
    const bough_routing_kind *kind; /* minhop or updn */
    uint64_t seed;
    double effort; /* of 1: about 1e9 entries of tables, 50 to 2000 settings */
    double bound;  /* the search ends at a score of this value */
    atomic_bool *stop;
    /* Score and unrouted pairs of a routing. */
    bough_status (*measure)(void *context, const bough_routing *routing, bough_tune_row *row,
                            bough_error *error);
    void (*progress)(void *context, double share);
    void *context;
} tune_engine_search;

typedef struct tune_engine_result {
    engine_settings settings; /* NULL members: the engine's own are the best that were found */
    bough_routing *routing;
    bough_tune_row row; /* spec: NULL */
    uint64_t evaluated;
    bool interrupted;
} tune_engine_result;
void tune_engine_result_fini(tune_engine_result *result);

/* The best settings found; never worse than the engine's own. Depends on the search only, not on time, unless
 * it is interrupted. Errors: those of the engine, NO_MEMORY. */
bough_status tune_engine(const tune_engine_search *search, tune_engine_result *result, bough_error *error);

#endif
