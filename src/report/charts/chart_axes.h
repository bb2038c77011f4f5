/* The varying dimensions of a study, with a number and a name for each of their values. */
#ifndef BOUGH_REPORT_CHARTS_CHART_AXES_H
#define BOUGH_REPORT_CHARTS_CHART_AXES_H

#include "base/memory/arena.h"
#include "study/study.h"

/* The first five, then one per axis of the grid. */
enum { DIM_METHOD, DIM_ROUTING, DIM_NETWORK, DIM_FAULTS, DIM_TRAFFIC, DIM_AXES };
#define DIM_NONE SIZE_MAX

typedef struct chart_dim {
    const char *name; /* "method", "n" */
    bool varies;
    bool numeric; /* an axis with numeric values only */
    bool follows; /* determined by the others: m of n in a grid with m: n + 1 */
    char **label; /* per value: a spec without what changes along axes, "m = n/8" */
    size_t labels;
    uint32_t *at; /* value of each point; NULL for methods and routings, which answers store */
} chart_dim;

/* Zero-initialise. */
typedef struct chart_dims {
    const bough_study *study;
    chart_dim *dim;
    size_t count;
    arena memory; /* of all of it; the caller frees it */
} chart_dims;

/* merged: an axis to ignore, or NULL. */
bough_status chart_dims_make(const bough_study *study, const char *merged, chart_dims *dims,
                             bough_error *error);
/* Replaces labels by those that the plot gives. Errors: INVALID if two of a dimension become equal. */
bough_status chart_dims_rename(chart_dims *dims, const bough_plot *plot, bough_error *error);
/* DIM_NONE if there is none of that name, or name is NULL. */
size_t chart_dims_find(const chart_dims *dims, const char *name);
/* Finds the axes that are determined by the others, except those in kept (each may be DIM_NONE). Of axes that
 * determine each other, the later ones are marked. O(points^2); skipped beyond some thousand points. */
void chart_dims_follow(chart_dims *dims, const size_t *kept, size_t count);
/* The label of a dimension at an answer of a point; "" if the method ignores the routing. */
const char *chart_dims_label(const chart_dims *dims, size_t dim, size_t point, const bough_answer *answer);
/* The common part of two specs: "bins:model=1" of "bins:model=1,n=16" and "bins:model=1,n=32". */
bough_status chart_common_spec(arena *memory, const char *a, const char *b, char **common,
                               bough_error *error);

#endif
