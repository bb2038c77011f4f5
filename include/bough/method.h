/* Methods: anything that turns network x routing x traffic into metrics. Simulators and models are the same
 * here. */
#ifndef BOUGH_METHOD_H
#define BOUGH_METHOD_H

#include "bough/metric.h"
#include "bough/random.h"
#include "bough/routing.h"
#include "bough/traffic.h"

#include <stdatomic.h>

/* One question. Borrows everything; shared by all threads. routing and traffic may be NULL for methods that
 * need neither. */
typedef struct bough_point {
    const bough_net *net;
    const bough_routing *routing;
    const bough_traffic *traffic;
} bough_point;

/* One answer: a metric, its index (level, round, ... or BOUGH_NO_ROW_INDEX), its value. */
#define BOUGH_NO_ROW_INDEX INT64_MIN
typedef struct bough_row {
    bough_metric_id metric;
    int64_t index;
    double value;
    double ci95; /* half the width of this one value's own 95 % interval (batch means, a measurement's); 0: it
                    names none */
} bough_row;

typedef enum bough_outcome {
    BOUGH_RUN_OK,
    BOUGH_RUN_SATURATED,
    BOUGH_RUN_DEADLOCK,
    BOUGH_RUN_PARTIAL
} bough_outcome;
const char *bough_outcome_name(bough_outcome outcome); /* "ok", "saturated", "deadlock", "partial" */

#define BOUGH_NOTE_MAX 256

/* The answers of one trial, in an order that is the same in every trial. Zero-initialise; reuse by count = 0.
 */
typedef struct bough_rows {
    bough_row *row;
    size_t count, capacity;
    bough_outcome outcome;
    char note[BOUGH_NOTE_MAX]; /* in words what figures do not say: why the outcome is not ok, names of links;
                                  empty: nothing */
} bough_rows;
bough_status bough_rows_add(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                            bough_error *error);
/* The same for a value that knows its own interval. */
bough_status bough_rows_add_interval(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                                     double ci95, bough_error *error);
void bough_rows_fini(bough_rows *rows);

typedef struct bough_method bough_method;

/* A method bound to a point. Immutable while trials run, except workspaces, which belong to one thread each.
 */
typedef struct bough_run {
    const bough_method *method;
    bough_args args;
    bough_point point;
    char *spec;          /* canonical */
    uint64_t bytes;      /* memory one running trial takes; set by open */
    bool draws;          /* trials differ although the traffic does not; set by open */
    uint64_t input_hash; /* of the file it reads; 0: none; set by open */
    void *data;          /* the method's */
    atomic_bool *stop;   /* set from outside: end soon with INTERRUPTED; may be NULL */
    bool rehearsal;      /* set from outside: the trials of a forecast, which write no files */
    /* For methods with long trials: what share of the trial is done. Called now and then by the trial's
     * thread; set only where one trial runs at a time, else NULL. */
    void (*progress)(void *context, double share);
    void *progress_context;
} bough_run;

struct bough_method {
    const char *name, *summary, *source;
    const bough_param *params;
    bough_metric_id headline; /* what --precision is about, unless another is named */
    unsigned needs_net;       /* bough_capability bits */
    /* What of net the method needs and lacks ("the pruned butterfly (pruned:n=...)"), or NULL. NULL: no needs
     * beyond capabilities. */
    const char *(*lacks)(const bough_net *net);
    unsigned needs_traffic; /* bits 1 << bough_traffic_shape of what it can take; 0: needs none */
    bool needs_law;         /* takes only streams with a law, and sees nothing but the law */
    bool needs_routing;
    bool needs_deterministic; /* refuses routings that choose */
    bool takes_via;           /* can send by an intermediate node */
    bool averages_via;        /* and knows the mean over all of them, so that it stays exact */
    bool takes_lost;          /* stands links that lead nowhere without anybody knowing (bough_net.lost) */
    bool exact;               /* the same in every trial unless the traffic is random, or the run draws */
    bool ignores_traffic;     /* exact whatever the traffic (models that know only n and m) */
    /* Checks arguments against the point; fills run->bytes and run->data. Allocates nothing large. May be
     * NULL. */
    bough_status (*open)(bough_run *run, bough_error *error);
    /* One trial. *workspace is NULL at a thread's first trial and kept for its next ones. */
    bough_status (*trial)(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                          bough_error *error);
    void (*free_workspace)(void *workspace);
    void (*close)(bough_run *run);
};

extern const bough_method *const bough_methods[]; /* ends with NULL */

/* Binds spec to point, after the one check that method, network, routing and traffic fit together: the
 * message names the missing need. */
bough_status bough_run_create(const char *spec, const bough_point *point, bough_run **run,
                              bough_error *error);
void bough_run_destroy(bough_run *run);
/* True when one trial says all. */
bool bough_run_exact(const bough_run *run);

bough_status bough_run_trial(const bough_run *run, uint64_t seed, uint64_t trial, void **workspace,
                             bough_rows *rows, bough_error *error);
void bough_run_free_workspace(const bough_run *run, void *workspace);

static inline bool bough_run_stopped(const bough_run *run) {
    return run->stop && atomic_load_explicit(run->stop, memory_order_relaxed);
}

#endif
