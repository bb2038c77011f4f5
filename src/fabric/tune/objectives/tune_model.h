/* What a search minimises: a measure of tables, kept up to date while entries change. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_MODEL_H
#define BOUGH_FABRIC_TUNE_TUNE_MODEL_H

#include "fabric/tune/tune.h"
#include "fabric/tune/tune_tables.h"

typedef struct tune_model tune_model;

/* A load that is among the largest: the arc, and with rounds one of them. */
typedef struct tune_peak {
    uint32_t arc, round;
} tune_peak;

typedef struct tune_model_ops {
    /* The change of the potential if an entry changes to another choice. */
    double (*delta)(tune_model *model, uint32_t host, uint32_t node, uint32_t arc);
    void (*apply)(tune_model *model, uint32_t host, uint32_t node, uint32_t arc);
    /* Recounts everything from the tables, which have changed. */
    void (*recount)(tune_model *model);
    void (*score)(tune_model *model, bough_tune_score *score);
    /* Writes the largest loads, at most `most`; returns their number. */
    uint32_t (*peaks)(tune_model *model, tune_peak *peak, uint32_t most);
    /* Whether a change of the entry can lower a peak: messages that cause it use the entry. */
    bool (*matters)(tune_model *model, uint32_t host, uint32_t node, const tune_peak *peak);
    void (*destroy)(tune_model *model);
    double (*value)(const tune_model *model, uint32_t arc); /* the load of an arc; for tune_arcs_... */
} tune_model_ops;

/* score and peaks of a model whose measure is the largest value of an arc. */
void tune_arcs_score(tune_model *model, bough_tune_score *score);
uint32_t tune_arcs_peaks(tune_model *model, tune_peak *peak, uint32_t most);

struct tune_model {
    const tune_model_ops *ops;
    tune_tables *tables; /* borrowed; changed by apply only */
    /* The potential is the sum of (load / reference)^power over links (and rounds). */
    unsigned power; /* a power of two */
    unsigned steep; /* a power that suits the last steps: the measure is a maximum, or a mean of such */
    double reference;
    double base; /* the score of links of hosts, which no table changes */
};

/* x^power */
static inline double tune_power(double x, unsigned power) {
    for (; power > 1; power >>= 1) x *= x;
    return x;
}

/* Flows between a leaf and a host, of one round: demand[host * leaves + leaf], owned by the model. NULL: one
 * flow between any two hosts. base: see above. Errors: NO_MEMORY, TOO_LARGE. */
bough_status tune_model_flows(tune_tables *tables, double *demand, double base, tune_model **model,
                              bough_error *error);

/* What jobs send, for tune_model_flows: *demand is owned by the caller; *base: the largest load of a link of
 * a host. Errors: INVALID, UNSUPPORTED for traffic that never ends, NO_MEMORY. */
bough_status tune_jobs_demand(const tune_graph *graph, const bough_tune_question *question, double **demand,
                              double *base, bough_error *error);
/* The base of all-to-all. */
double tune_alltoall_base(const tune_graph *graph);

/* Rounds, each of which is a permutation: all shifts, or random ones. */
typedef struct tune_rounds_kind {
    bough_tune_objective objective;
    uint64_t seed, permutations;
} tune_rounds_kind;
bough_status tune_model_rounds(tune_tables *tables, const tune_rounds_kind *kind, tune_model **model,
                               bough_error *error);

/* BOUGH_TUNE_WORST. */
bough_status tune_model_worst(tune_tables *tables, tune_model **model, bough_error *error);
/* A lower bound of the mean over rounds, and of their maximum, from cuts. */
struct tune_cuts;
bough_status tune_rounds_bound(const tune_graph *graph, const struct tune_cuts *cuts,
                               const tune_rounds_kind *kind, bough_tune_bound *bound, bough_error *error);

static inline void tune_model_destroy(tune_model *model) {
    if (model) model->ops->destroy(model);
}

#endif
