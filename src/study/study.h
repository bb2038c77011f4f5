/* Studies: a grid of points, each evaluated by methods over trials. A study comes from a file or from code,
 * is checked, run by threads, kept in a store, and produces one table of results (report/report.h).
 *
 *     bough_study study;
 *     bough_study_read(&study, "strumpen2005/fig4", NULL, 0, &error);   the grid
 *     bough_study_resolve(&study, &error);                              binds and checks every point
 *     bough_store_open("results", &study, &store, &error);              optional
 *     bough_study_run(&study, &(bough_study_options){.store = store}, &error);
 *     ... study.point[i].answer[j].cell[k].stats ...
 *
 * Results are bit-identical for any number of threads, and for interrupted and resumed studies: trials are
 * accumulated in trial order, and stopping rules apply at fixed checkpoints in that order. */
#ifndef BOUGH_STUDY_STUDY_H
#define BOUGH_STUDY_STUDY_H

#include "base/memory/arena.h"
#include "base/statistics.h"
#include "method/method.h"

/* Number of trials of a random answer (an exact one takes one). Without precision: `trials`. With it, the
 * rule is evaluated after 16, 24, 36, 54, 81, ... trials (each half as many again) and stops at the first
 * checkpoint with ci95 <= precision * |mean| of the watched metric; at most `trials`. If all trials have the
 * same value, at least 54. */
typedef struct bough_effort {
    uint64_t trials;  /* 0: BOUGH_PRECISION_TRIALS if precision is given, else invalid */
    double precision; /* 0: none; otherwise below 1 */
    /* BOUGH_METRIC_COUNT: the headline metric of each method. Methods without the watched metric also use
     * their headline, and modes without that their first metric. */
    bough_metric_id watch;
} bough_effort;
#define BOUGH_PRECISION_TRIALS 100000
#define BOUGH_TRIALS_MAX       1000000000
#define BOUGH_FIRST_CHECKPOINT 16
#define BOUGH_CONSTANT_TRIALS  54
/* The number of trials at most. */
static inline uint64_t bough_effort_trials(const bough_effort *effort) {
    return effort->trials || !(effort->precision > 0) ? effort->trials : BOUGH_PRECISION_TRIALS;
}
/* Parses "1%", "latency:1%" or "0.01". Errors: INVALID. */
bough_status bough_effort_precision(bough_effort *effort, const char *text, bough_error *error);

/* Statistics of one metric and index over the trials. Indices may differ between trials (rounds, for
 * example). A trial without this index counts as absent, not as 0, so stats.count can be below the number of
 * trials. */
typedef struct bough_cell {
    bough_metric_id metric;
    int64_t index; /* or BOUGH_NO_ROW_INDEX */
    bough_stats stats;
    double ci95; /* interval of a single trial's value, if it has one; else 0 */
} bough_cell;

/* The results of one method at one point. */
typedef struct bough_answer {
    char *method;          /* canonical spec */
    size_t asked, routing; /* indices into point->method and point->routing */
    bool routed; /* false: the method does not use the routing, and has one answer for all routings */
    bool exact;  /* one trial is enough; no interval */
    bool given;  /* values of a table: printed or measured, not computed */
    bough_metric_id headline;
    bool parallel;                /* one trial may use several threads */
    uint64_t bytes, bytes_each;   /* memory of one running trial; of each further thread of a trial */
    uint64_t bytes_team;          /* once, if there are further threads */
    bough_assumption *assumption; /* what the method assumes about the machine */
    unsigned assumptions;
    /* Broken premises (bough_run.premise); without `routed`, under any routing of the point. */
    char **premise;
    size_t premises;
    /* results */
    uint64_t trials;
    bool complete; /* the stopping rule is satisfied */
    /* Set if all trials were used before the requested precision was reached: the metric that the rule
     * observes, and the half width of its interval relative to its mean. Else 0. */
    double imprecision;
    bough_metric_id imprecise;
    bough_outcome outcome;     /* worst of the trials; PARTIAL while not complete */
    char note[BOUGH_NOTE_MAX]; /* of the first trial with that outcome */
    bough_cell *cell;          /* metrics in the order of the method, each with ascending index */
    size_t cells;
} bough_answer;

/* Half width of the 95 % interval over the trials, or of a single trial's own interval. NAN if there is none,
 * also for fewer than BOUGH_CONSTANT_TRIALS trials with equal values, which do not show that the value is
 * constant. */
double bough_cell_ci95(const bough_answer *answer, const bough_cell *cell);

/* Comparison of two answers of one point in one metric: difference and ratio of their means. Traffic keys do
 * not depend on the method, so common trials are compared in pairs, and their correlation reduces the
 * intervals. An exact answer counts as a constant. Missing values are NAN. */
typedef struct bough_comparison {
    bough_metric_id metric;
    size_t answer, against; /* indices of answers: answer - against, answer / against */
    double difference, difference_ci95, ratio, ratio_ci95;
    uint64_t trials; /* common trials */
    bool exact;      /* both are exact: no intervals */
} bough_comparison;
#define BOUGH_COMPARED_TRIALS 65536 /* correlation of later trials is not used */

/* A spec as given; canonical after bough_study_resolve. */
typedef struct bough_asked {
    char *spec;
    unsigned line; /* line in the study file; 0: none */
    uint64_t hash; /* hash of its input file; 0: none */
} bough_asked;

/* What is asked of the values of a metric over the trials of an answer, beyond their mean: a quantile, or the
 * fraction of trials that lie above a limit. Metrics with an index have neither, and exact answers neither.
 */
typedef struct bough_trial_statistic {
    bough_metric_id metric;
    double quantile; /* fraction of the trials, between 0 and 1; 0: the fraction above a limit is asked for */
    double limit;    /* if method is NULL */
    char *method;    /* the limit is what exact answers of this method at the same point say of the metric */
} bough_trial_statistic;

/* The value of a statistic for one answer, with a 95 % interval that assumes no distribution: from order
 * statistics, or of Clopper and Pearson. */
typedef struct bough_statistic_value {
    size_t statistic, answer; /* indices into those of the study and of the point */
    size_t against;           /* the answer that gives the limit; SIZE_MAX: none */
    double limit;             /* NAN: a quantile */
    uint64_t above, trials;   /* trials above the limit; trials that have the metric */
    /* NAN: the trials are too few for this limit. A quantile without one of its limits has no value either:
     * the largest of 100 trials is no 99.9th percentile. */
    double value, low, high;
    uint64_t needed; /* number of trials that give both limits */
} bough_statistic_value;

typedef struct bough_study_point {
    char **value;                         /* value of each axis of the study, as text */
    bough_asked network, faults, traffic; /* faults.spec and traffic.spec may be NULL: none */
    bough_asked physical;                 /* spec NULL: the default setting */
    bough_asked *routing;                 /* none: resolve adds the default routing of the network */
    size_t routings;
    bough_asked *method;
    size_t methods;
    unsigned shard; /* to which the point belongs, if the study has shards */
    /* set by bough_study_resolve */
    /* bytes: memory shared by the answers: network, faults, routings, traffic. */
    uint64_t endpoints, switches, links, bytes;
    uint64_t used;        /* endpoints on which the traffic, a schedule, has ranks; 0: all, or not known */
    bough_answer *answer; /* for each routing, one per method */
    size_t answers;
    bough_comparison *comparison;
    size_t comparisons;
    bough_statistic_value *statistic; /* by answer, then by statistic */
    size_t statistics;
} bough_study_point;

/* A line of charts: a real-valued expression over the axes, "2*n/lg(n)". */
typedef struct bough_plot_line {
    char *name, *expression;
} bough_plot_line;

/* How the points of a series are joined where x is a metric: by nothing, in order of x or of the study, or by
 * a staircase through the points that no other of the series beats (smaller x and smaller y; smaller x and
 * larger y). */
typedef enum bough_plot_join {
    BOUGH_JOIN_NONE,
    BOUGH_JOIN_X,
    BOUGH_JOIN_GRID,
    BOUGH_JOIN_LOWER,
    BOUGH_JOIN_UPPER,
    BOUGH_JOINS
} bough_plot_join;
extern const char *const bough_plot_join_name[BOUGH_JOINS];

/* Presentation: columns of tables and charts. Names are checked when a study file is read, and expressions
 * evaluated at all points. */
#define BOUGH_PLOT_METRICS 8
#define BOUGH_PLOT_LINES   8
#define BOUGH_PLOT_AXES    64 /* axes of a study with lines, at most */
#define BOUGH_PLOT_SERIES  4  /* dimensions that distinguish series */
#define BOUGH_PLOT_NAMES   64 /* names in `labels`, and in `order` */
typedef struct bough_plot {
    char *x, *xscale, *yscale, *facet;
    char *series[BOUGH_PLOT_SERIES]; /* the first ones are set */
    bough_plot_join join;
    bough_metric_id y[BOUGH_PLOT_METRICS];
    bool overlay[BOUGH_PLOT_METRICS]; /* of y: in one chart with all others that have this */
    unsigned ys;
    bool minmax;                                /* bars from minimum to maximum, not 95 % intervals */
    bool ratio, ratio_mean, ratio_max;          /* ratio: only the ratios that follow are drawn */
    bough_plot_line curve[BOUGH_PLOT_LINES];    /* y of a line over x */
    bough_plot_line vertical[BOUGH_PLOT_LINES]; /* x of a vertical line */
    unsigned curves, verticals;

    /* Texts of the study's author in place of those that charts derive; NULL: none, "": nothing is written.
     */
    char *title, *xlabel;
    char *ylabel[BOUGH_PLOT_METRICS]; /* of each of y, or one of all */
    unsigned ylabels;
    bough_plot_line label[BOUGH_PLOT_NAMES]; /* name: a value that series have; expression: what is written */
    unsigned labels;
    char *order[BOUGH_PLOT_NAMES]; /* values or labels; series with the first one are drawn first */
    unsigned orders;
    double width_cm, height_cm, font_pt; /* of figures; 0: default */
} bough_plot;

/* What is written for a value that series have: its label, or the value. */
const char *bough_plot_label(const bough_plot *plot, const char *value);

typedef struct bough_binding bough_binding;

/* Zero-initialise; plain data. Texts and lists are in `memory`, but results of answers and points (cell,
 * comparison, statistic), which are replaced as trials come, are on the heap. */
typedef struct bough_study {
    arena memory;
    char *title, *source; /* file name, for messages; may be NULL */
    char *command;        /* command line that reproduces the study, kept in stores; may be NULL */
    char **axis;          /* names, outermost first */
    size_t axes;
    bool network_varies, faults_vary, traffic_varies; /* by a list of specs, not by an axis */
    bough_study_point *point;
    size_t points;
    const bough_registry *registry; /* names that specs may use; NULL: the built-in ones; borrowed */
    uint64_t seed;
    bough_effort effort;
    bough_trial_statistic *statistic; /* what `quantiles` and `above` ask for */
    size_t statistics;
    bough_plot plot;
    unsigned threads;       /* that the construction of networks, routings and traffic may use; 0: one */
    unsigned sharers;       /* processes on this machine that run the study and share its memory; 0: one */
    unsigned shard, shards; /* only the points of this shard of 1 .. shards are computed; 0 of 0: all */
    char *pool;             /* innermost axis if tables merge the points along it; NULL: none */
    bool compare;           /* tables show ratios to the first method */
    bool skip_unsupported; /* methods that a point does not support have no answer there; a note names them */
    char **note;           /* remarks for the reader from resolving (loads given by relload=) */
    size_t notes;
    /* The point bound last; kept because a network may come from standard input, which is read once. */
    bough_binding *binding;
} bough_study;

void bough_study_fini(bough_study *study);

/* A point as specs, which are copied; faults, physical and traffic may be NULL. */
typedef struct bough_point_asked {
    const char *network, *faults, *physical, *traffic;
    const char *const *routing, *const *method;
    size_t routings, methods; /* no routing: that of the network */
} bough_point_asked;
/* Makes a study without points one of this point; what else it has is the caller's. */
bough_status bough_study_add_point(bough_study *study, const bough_point_asked *asked, bough_error *error);

/* The metric that x of the plot names; BOUGH_METRIC_COUNT if it names an axis, another dimension or nothing.
 */
bough_metric_id bough_plot_x_metric(const bough_study *study);

/* Adds the statistics of "rounds:50,99.9" (in percent of the trials; "rounds": 50,90,99,99.9), or of
 * "rounds:12" or "rounds:bound" (a limit: a number, or the name of an exact method). Errors: INVALID, with
 * the name of the key. */
bough_status bough_study_add_quantiles(bough_study *study, const char *text, bough_error *error);
bough_status bough_study_add_above(bough_study *study, const char *text, bough_error *error);

/* KEY=VALUE, replaces a top-level key or an axis of the file. */
typedef struct bough_override {
    const char *key, *value;
} bough_override;

/* Reads and expands a study. name: a path, `-`, or an embedded study such as strumpen2005/fig4. settings
 * override the file. Errors: INVALID "file.yaml:LINE: reason; accepted input"; TOO_LARGE above
 * BOUGH_POINTS_MAX points. */
#define BOUGH_POINTS_MAX 1000000
bough_status bough_study_read(bough_study *study, const char *name, const bough_override *setting,
                              size_t settings, bough_error *error);
/* The same from memory. */
typedef struct bough_study_text {
    const char *name; /* for messages, and the title if the text has none */
    const char *text;
    size_t size;
    const bough_override *setting;
    size_t settings;
    size_t limit; /* maximum number of points; 0: BOUGH_POINTS_MAX */
} bough_study_text;
bough_status bough_study_parse(bough_study *study, const bough_study_text *text, bough_error *error);

/* Binds every point: specs become canonical, answers are allocated, and points that are inconsistent or do
 * not fit in memory are refused before anything runs. relload= of a stream is replaced by a load: the method
 * that it names runs one trial under the first routing of the point, which may take time; points with the
 * same saturation share that run. Errors: those of networks, routings, traffic and methods, with the line and
 * the point; INVALID for two methods that are the same at every point, and for a limit of `above` that no
 * exact method of a point gives. */
bough_status bough_study_resolve(bough_study *study, bough_error *error);

typedef struct bough_store bough_store;

typedef struct bough_study_options {
    unsigned threads;   /* 0: one per processor; fewer if memory does not hold as many trials */
    bool check_only;    /* do not compute; use only the results in the store */
    atomic_bool *stop;  /* may be NULL; if set, ends soon with INTERRUPTED, with all results in the store */
    bough_store *store; /* may be NULL: results are not kept */
    /* Reports an estimate of the completed fraction a few times per second, one call at a time. May be
     * NULL. */
    void (*progress)(void *context, double share, const char *what);
    void *context;
} bough_study_options;

/* Runs a resolved study and fills in its answers. Errors: INTERRUPTED, TOO_LARGE, those of methods and the
 * store. After an error, answers and store contain all completed work. */
bough_status bough_study_run(bough_study *study, const bough_study_options *options, bough_error *error);
unsigned bough_default_threads(void);

/* Memory of the largest answer of a resolved study: the shared memory of its point, plus its concurrent
 * trials (one if exact). threads: as in bough_study_options. *used (may be NULL) is set to the number of
 * threads that fit. */
uint64_t bough_study_memory(const bough_study *study, unsigned threads, unsigned *used);

#define BOUGH_FORECAST_SECONDS 1.5

typedef struct bough_forecast_options {
    unsigned threads;  /* of the study; 0: all processors */
    double seconds;    /* CPU time at most; 0: BOUGH_FORECAST_SECONDS */
    atomic_bool *stop; /* as in bough_study_options */
} bough_forecast_options;

/* Estimates the run time of bough_study_run on a machine without other work: times trials of some answers,
 * for 1 s of CPU time or a fifth of the estimate, at most `seconds`, and interpolates the others by their
 * memory. memory: of the largest point. Errors: INTERRUPTED, those of methods. */
typedef struct bough_forecast {
    double seconds;
    bool least; /* a trial took longer than the limit and was stopped: `seconds` and `trials` are lower bounds
                 */
    uint64_t trials, memory;
    unsigned threads; /* the number that fits, at most the number requested */
} bough_forecast;
bough_status bough_study_forecast(bough_study *study, const bough_forecast_options *options,
                                  bough_forecast *forecast, bough_error *error);

/* ---- the store: one SQLite file, DIR/results.sqlite ---- */

/* Opens the store of a resolved study; creates directory and file if missing. Committed results survive a
 * crash at any time. A study may continue with other trials or precision. Every part of the file has a
 * checksum; damaged trials are dropped, and bough_study_run repeats them. Errors: INVALID if a name of the
 * study is code of the program (BOUGH_HASH_UNKNOWN), if the store
 * contains another study, is in use by another process, or is not a store; FAILED if the definition of the
 * study is damaged; IO. */
bough_status bough_store_open(const char *directory, const bough_study *study, bough_store **store,
                              bough_error *error);
/* Describes the damage found in the file: "2 trials are lost (trial 5 of bins at n=16, ...)"; NULL if
 * none. */
const char *bough_store_damage(const bough_store *store);
void bough_store_close(bough_store *store);
/* Loads the study of a store with all its answers; computes nothing. Another process may be running the
 * study. path: the directory or the file. Errors: INVALID; FAILED if any part is damaged. */
bough_status bough_store_load(const char *path, bough_study *study, bough_error *error);
/* Joins stores of one study, usually those of its shards, in a new store. A trial that several stores have
 * must be the same in all. Errors: INVALID for different questions, trials or precisions, for unequal trials,
 * or if the directory has a store; those of bough_store_load for the stores. */
bough_status bough_store_merge(const char *directory, const char *const *store, size_t stores,
                               bough_error *error);
/* The same with the statistics of another study beside those of the store; asked: only these are used. */
bough_status bough_store_load_asked(const char *path, const bough_study *asked, bough_study *study,
                                    bough_error *error);

#endif
