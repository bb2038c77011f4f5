/* Methods compute metrics from a network, a routing and traffic. Simulators and analytic models share this
 * interface. */
#ifndef BOUGH_METHOD_METHOD_H
#define BOUGH_METHOD_METHOD_H

#include "base/random/random.h"
#include "base/status/stop.h"
#include "method/metric.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

#include <stdatomic.h>

/* The input of a method. Borrows its members; may be shared by threads. routing and traffic may be NULL for
 * methods that need neither. */
typedef struct bough_point {
    const bough_net *net;
    const bough_routing *routing;
    const bough_traffic *traffic;
} bough_point;

/* One result: metric, index (level, round, ...; BOUGH_NO_ROW_INDEX: none) and value. */
#define BOUGH_NO_ROW_INDEX INT64_MIN
typedef struct bough_row {
    bough_metric_id metric;
    int64_t index;
    double value;
    /* half width of the 95 % interval of this value alone (batch means, a measurement); 0: none */
    double ci95;
} bough_row;

/* Premises of methods (bough_method.assumes). */
typedef enum bough_premise {
    BOUGH_ASSUMES_UNIFORM = 1 << 0,      /* destinations are uniform over the other endpoints, independent */
    BOUGH_ASSUMES_RANDOM_LINKS = 1 << 1, /* switches select at random among the free links of all routes */
    BOUGH_ASSUMES_ONE_SIZE = 1 << 2,     /* messages are counted, whatever their size */
    BOUGH_ASSUMES_ONE_RATE = 1 << 3,     /* a flit or a packet takes the same time on every link */
    BOUGH_ASSUMES_NO_FAULTS = 1 << 4,    /* the network is evaluated as built */
    BOUGH_ASSUMES_LONG_WORMS = 1 << 5,   /* a worm covers its path; for traffic with a law */
    BOUGH_ASSUMES_POISSON = 1 << 6,      /* exponential gaps; for traffic with a law */
} bough_premise;
#define BOUGH_PREMISES 7
/* The premise of a bit in words: "uniformly random destinations". NULL beyond the last. */
const char *bough_premise_text(unsigned bit);

typedef enum bough_outcome {
    BOUGH_RUN_OK,
    BOUGH_RUN_SATURATED,
    BOUGH_RUN_DEADLOCK,
    BOUGH_RUN_PARTIAL,
    BOUGH_RUN_HANGS /* a schedule that never completes: it has no times */
} bough_outcome;
/* "ok", "saturated", "deadlock", "partial", "hangs" */
const char *bough_outcome_name(bough_outcome outcome);

#define BOUGH_NOTE_MAX 1024

/* The results of one trial, in the same order in every trial. Zero-initialise; set count = 0 to reuse. */
typedef struct bough_rows {
    bough_row *row;
    size_t count, capacity;
    bough_outcome outcome;
    char note[BOUGH_NOTE_MAX]; /* text for the reader: why the outcome is not ok, names of links; empty: none
                                */
} bough_rows;
bough_status bough_rows_add(bough_rows *rows, bough_metric_id metric, int64_t index, double value,
                            bough_error *error);
bough_status bough_rows_add_row(bough_rows *rows, const bough_row *row, bough_error *error);
void bough_rows_fini(bough_rows *rows);

/* What a run takes for granted about links, switches and hosts: "delay", "100 ns a link". */
typedef struct bough_assumption {
    char what[16], value[200];
} bough_assumption;
#define BOUGH_ASSUMPTIONS_MAX 16

/* What links carry in a trial: arrays of net->links elements, in the order of link numbers. */
typedef struct bough_link_loads {
    double *flows; /* expected values under random selection */
    double *bytes; /* on the wire; set only if sized */
    double *rate;  /* bit/s, as the method assumes; 0: unknown */
    bool sized;    /* messages have sizes */
} bough_link_loads;

typedef struct bough_method bough_method;

/* A method bound to a point. Immutable while trials run. Each workspace belongs to one thread. */
typedef struct bough_run {
    const bough_method *method;
    bough_args args;
    bough_point point;
    char *spec;          /* canonical */
    uint64_t bytes;      /* memory of one running trial on one thread; set by open */
    uint64_t bytes_each; /* memory of each further thread of a trial; set by open */
    uint64_t bytes_team; /* once, if there are further threads; set by open */
    /* A trial uses `threads` threads; its results do not depend on their number. Set by open. */
    bool parallel;
    unsigned threads;         /* that one trial may use, if parallel; set by the caller; 0: one */
    const char *random_links; /* replaces that of the method; may be NULL; set by open */
    bool draws;               /* trials differ even if the traffic does not; set by open */
    bool in_seconds;          /* rates and delays of links count; else time is in cycles; set by open */
    bough_metric_id headline; /* that of the method, unless open sets another */
    uint64_t input_hash;      /* hash of its input file; 0: none; set by open */
    bough_assumption assumption[BOUGH_ASSUMPTIONS_MAX]; /* set by open */
    unsigned assumptions;
    void *data;        /* private to the method */
    atomic_bool *stop; /* set by the caller: end soon with INTERRUPTED; may be NULL */
    /* The premises in method->assumes that the point breaks, each a sentence without its subject, the method:
     * "assumes uniformly random destinations, but the traffic is incast". Owned. */
    char **premise;
    size_t premises;
    unsigned waived; /* bits of method->assumes that these arguments do without; set by open */
    /* Records a trial of a schedule: traffic/timeline/timeline.h. Set by the caller, for a single trial at a
     * time of a method that takes it; NULL: nothing is recorded. */
    struct timeline *timeline;
    bool rehearsal; /* set by the caller: trials of a cost estimate, which write no files */
    /* Reports the completed fraction of a long trial. Called from time to time by the thread of the trial.
     * May be NULL. */
    void (*progress)(void *context, double share);
    void *progress_context;
} bough_run;

struct bough_method {
    const char *name, *summary, *source;
    const bough_param *params;
    bough_metric_id headline; /* target of --precision by default */
    unsigned needs_net;       /* required capabilities: bough_capability bits */
    /* Returns what the method needs and net is not ("the pruned butterfly (pruned:n=...)"), or NULL. NULL: no
     * needs beyond capabilities. */
    const char *(*lacks)(const bough_net *net);
    unsigned needs_traffic; /* accepted traffic: bits 1 << bough_traffic_shape; 0: needs no traffic */
    bool needs_law;         /* accepts only streams with a law */
    bool reads_law;         /* reads of such a stream the law, and draws none of its messages */
    bool needs_routing;
    bool needs_deterministic; /* refuses routings that leave a choice */
    bool takes_via;           /* supports an intermediate node */
    bool takes_draws;         /* draws a key for each flow: bough_flow_key */
    bool averages_via;        /* computes the mean over all intermediate nodes, and so stays exact */
    bool takes_lost;          /* supports links that lose messages (bough_net.lost) */
    bool takes_timeline;      /* records trials of schedules in bough_run.timeline */
    bool exact;               /* the same in every trial unless the traffic is random or the run draws */
    bool ignores_traffic;     /* exact for any traffic (models that depend on n and m only) */
    bool given;               /* values of a table: printed or measured, not computed */
    unsigned assumes; /* bough_premise bits; the results at points that break one are marked with it */
    /* What a routing that draws links (free, random) means to the method, as a predicate: "draws one path for
     * each message". It is printed with the results. NULL: nothing, or no routing is used. */
    const char *random_links;
    /* Checks arguments against the point and sets run->bytes and run->data. Makes no large allocation. May be
     * NULL. */
    bough_status (*open)(bough_run *run, bough_error *error);
    /* Runs one trial. *workspace is NULL in the first trial of a thread and kept for its later trials. */
    bough_status (*trial)(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                          bough_error *error);
    void (*free_workspace)(void *workspace);
    void (*close)(bough_run *run);
    /* Sets the loads of links for the messages of a trial. NULL: the method has no such loads. */
    bough_status (*links)(const bough_run *run, bough_key key, bough_link_loads *loads, bough_error *error);
};

/* The i-th of these and those of the registry, which may be NULL; NULL beyond the last. */
const bough_method *bough_method_at(const bough_registry *registry, size_t i);
/* The one with this name; NULL: none. length: of the name. */
const bough_method *bough_method_find(const bough_registry *registry, const char *name, size_t length);

/* Whether a spec names a method and its parameters are in range: what can be refused before there is a point.
 */
bough_status bough_method_check(const bough_registry *registry, const char *spec, bough_error *error);

/* Binds a method spec to a point. This function alone checks that method, network, routing and traffic fit
 * together; its message names the missing capability. The caller owns the run. Errors: INVALID,
 * UNSUPPORTED. */
bough_status bough_run_create(const char *spec, const bough_point *point, bough_run **run,
                              bough_error *error);
void bough_run_destroy(bough_run *run);
/* True if all trials have the same result, so one is enough. */
bool bough_run_exact(const bough_run *run);

/* Runs the trial with a key (bough_key_make(seed, trial)) and replaces the rows by its results. *workspace is
 * initially NULL and can be reused for all trials of the run. */
bough_status bough_run_trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                             bough_error *error);
void bough_run_free_workspace(const bough_run *run, void *workspace);

static inline bool bough_run_stopped(const bough_run *run) {
    return stop_asked(run->stop);
}

#endif
