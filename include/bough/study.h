/* Studies: a grid of points, each answered by methods over trials. From a study file or made by code,
 * checked, run over threads, kept in a store, and afterwards one table of results (bough/report.h).
 *
 *     bough_study study;
 *     bough_study_read(&study, "strumpen2005/fig4", NULL, 0, &error);   what is asked
 *     bough_study_resolve(&study, &error);                              every point is bound and checked once
 *     bough_store_open("results", &study, &store, &error);              optional
 *     bough_study_run(&study, &(bough_study_options){.store = store}, &error);
 *     ... study.point[i].answer[j].cell[k].stats ...
 *
 * Results are the same to the last bit for any number of threads, and whether a study ran through or was
 * stopped and resumed: trials are folded in trial order, and rules look only at fixed checkpoints in that
 * order. */
#ifndef BOUGH_STUDY_H
#define BOUGH_STUDY_H

#include "bough/method.h"
#include "bough/stats.h"

/* How many trials a random answer takes (an exact one takes one). Without precision exactly `trials`. With
 * it, the rule is asked after 16, 24, 36, 54, 81, ... trials (each half as many again) and stops at the first
 * of them where ci95 <= precision * |mean| of the watched metric; at most `trials`. Where all trials gave the
 * same value, there are at least 54. */
typedef struct bough_effort {
    uint64_t trials;       /* 0: BOUGH_PRECISION_TRIALS where precision is given, else wrong */
    double precision;      /* 0: none; else below 1 */
    bough_metric_id watch; /* BOUGH_METRIC_COUNT: each method's headline, as for methods that do not answer
                              it; where a mode of a method does not answer that either, its first metric */
} bough_effort;
#define BOUGH_PRECISION_TRIALS 100000
#define BOUGH_TRIALS_MAX       1000000000
#define BOUGH_FIRST_CHECKPOINT 16
#define BOUGH_CONSTANT_TRIALS  54
/* "1%", "latency:1%", "0.01". Errors: INVALID. */
bough_status bough_effort_precision(bough_effort *effort, const char *text, bough_error *error);

/* The values of one metric and index over the trials. A metric may have other indices in other trials
 * (rounds, say): where a trial has none, it counts as absent, not as 0, so stats.count can be below the
 * number of trials. */
typedef struct bough_cell {
    bough_metric_id metric;
    int64_t index; /* or BOUGH_NO_ROW_INDEX */
    bough_stats stats;
    double ci95; /* of a single trial's value, where it names one; else 0 */
} bough_cell;

/* What one method says at one point. */
typedef struct bough_answer {
    char *method;          /* canonical spec */
    size_t asked, routing; /* indices into point->method and point->routing */
    bool routed; /* false: the method does not look at the routing, and stands here once for all of them */
    bool exact;  /* one trial says all, there is no interval */
    bough_metric_id headline;
    uint64_t bytes; /* memory of one running trial */
    /* the result */
    uint64_t trials;
    bool complete;             /* the rule is satisfied */
    bough_outcome outcome;     /* the worst of the trials; PARTIAL while not complete */
    char note[BOUGH_NOTE_MAX]; /* of the first trial with that outcome */
    bough_cell *cell;          /* metrics in the method's order, each with ascending index */
    size_t cells;
} bough_answer;

/* Half the width of the 95 % interval: over the trials, or that of a single trial's value where it names one;
 * NAN where there is none: so of fewer than BOUGH_CONSTANT_TRIALS trials that all gave the same value, which
 * do not show that there is no other. */
double bough_cell_ci95(const bough_answer *answer, const bough_cell *cell);

/* Two answers of one point in one metric: difference and ratio of their means. Traffic keys do not contain
 * the method, so what common trials have in common is taken out of the intervals: with equal numbers of
 * trials they are those of paired values. An exact answer counts as a constant. Values are NAN where they do
 * not exist. */
typedef struct bough_comparison {
    bough_metric_id metric;
    size_t answer, against; /* indices of answers: answer - against, answer / against */
    double difference, difference_ci95, ratio, ratio_ci95;
    uint64_t trials; /* that both have */
    bool exact;      /* both are: there are no intervals */
} bough_comparison;
#define BOUGH_COMPARED_TRIALS 65536 /* what later trials have in common is not looked for */

/* A spec as it was asked for, canonical once the study is resolved. */
typedef struct bough_asked {
    char *spec;
    unsigned line; /* of the study file; 0: none */
    uint64_t hash; /* of the file it names; 0: none */
} bough_asked;

typedef struct bough_study_point {
    char **value;                         /* of each axis of the study, as text */
    bough_asked network, faults, traffic; /* faults.spec and traffic.spec may be NULL: none */
    bough_asked *routing;                 /* none: resolving adds the network's default */
    size_t routings;
    bough_asked *method;
    size_t methods;
    /* filled by bough_study_resolve */
    uint64_t endpoints, switches, links, bytes; /* bytes: memory of all that its answers share: the network,
                                                   its faults, the routings, the traffic */
    bough_answer *answer;                       /* routing by routing, in each method by method */
    size_t answers;
    bough_comparison *comparison;
    size_t comparisons;
} bough_study_point;

/* How to show it: columns of tables now, charts later. Names are checked when a study file is read. */
typedef struct bough_plot {
    char *x, *xscale, *series, *facet;
    bough_metric_id y[8];
    unsigned ys;
} bough_plot;

typedef struct bough_binding bough_binding;

/* Zero-initialise; plain data, all owned. */
typedef struct bough_study {
    char *title, *source; /* source: the file, for messages; may be NULL */
    char *command; /* that runs it again, for a person; set by who runs it, kept in stores; may be NULL */
    char **axis;   /* names, outermost first */
    size_t axes;
    bool network_varies, faults_vary, traffic_varies; /* by a list of specs of their own, not by an axis */
    bough_study_point *point;
    size_t points;
    uint64_t seed;
    bough_effort effort;
    bough_plot plot;
    char *pool;   /* the innermost axis, when tables merge the points along it; NULL: none */
    bool compare; /* tables show ratios to the first method */
    char **note;  /* lines for a person: what resolving found out (loads given by relload=) */
    size_t notes;
    bough_binding
        *binding; /* the point bound last: a network may come from standard input, which is read once */
} bough_study;

void bough_study_fini(bough_study *study);

/* KEY=VALUE in place of a top-level key or an axis of the file. */
typedef struct bough_setting {
    const char *key, *value;
} bough_setting;

/* The study of a file (name may be a path, `-`, or the name of an embedded study such as strumpen2005/fig4),
 * with settings laid over it, expanded. Errors: INVALID "file.yaml:LINE: what; what would be right";
 * TOO_LARGE beyond BOUGH_POINTS_MAX points. */
#define BOUGH_POINTS_MAX 1000000
bough_status bough_study_read(bough_study *study, const char *name, const bough_setting *setting,
                              size_t settings, bough_error *error);
/* The same from memory; at most `limit` points. */
bough_status bough_study_parse(bough_study *study, const char *name, const char *text, size_t size,
                               const bough_setting *setting, size_t settings, size_t limit,
                               bough_error *error);

/* Binds every point once: specs become canonical, answers are laid out, whatever does not fit together or in
 * memory is refused before anything starts. A stream's relload= becomes the load that it stands for under the
 * point's first routing: the method named there runs one trial, so this may take a while; points that share
 * the saturation find it once. Errors: as those of networks, routings, traffic and methods, with the line and
 * the point. */
bough_status bough_study_resolve(bough_study *study, bough_error *error);

typedef struct bough_store bough_store;

typedef struct bough_study_options {
    unsigned threads;   /* 0: one a processor; fewer where the memory does not hold so many trials at once */
    bool check_only;    /* compute nothing: take what the store holds */
    atomic_bool *stop;  /* may be NULL; set: end soon with INTERRUPTED, everything in the store */
    bough_store *store; /* may be NULL: nothing is kept */
    /* share of the work, an estimate; called a few times a second, one call at a time; may be NULL */
    void (*progress)(void *context, double share, const char *what);
    void *context;
} bough_study_options;

/* Runs a resolved study; answers are filled in. Errors: INTERRUPTED, TOO_LARGE, those of the methods and the
 * store; after each of them the answers and the store hold what was done. */
bough_status bough_study_run(bough_study *study, const bough_study_options *options, bough_error *error);
unsigned bough_default_threads(void);

/* Memory of the answer of a resolved study that takes most: what its point shares, and its trials at the same
 * time (one where it is exact). threads: as in bough_study_options; *used (may be NULL) is set to those it
 * runs in. */
uint64_t bough_study_memory(const bough_study *study, unsigned threads, unsigned *used);

/* How long bough_study_run may take: trials of the small answers are timed, at most for about 2 s, the others
 * extrapolated in proportion to their memory. An estimate. memory: of the largest point. */
typedef struct bough_forecast {
    double seconds;
    uint64_t trials, memory;
    unsigned threads; /* that fit, of those asked for */
} bough_forecast;
bough_status bough_study_forecast(bough_study *study, unsigned threads, atomic_bool *stop,
                                  bough_forecast *forecast, bough_error *error);

/* ---- the store: one SQLite file, DIR/results.sqlite ---- */

/* Opens the store of a resolved study, creating directory and file where they do not exist. Whatever was
 * committed survives the death of the process at any moment. Continuing with other trials or precision is
 * fine. Every part of the file has a checksum: trials that are damaged are left out, and bough_study_run
 * computes them again. Errors: INVALID when the store holds another study, when another process works on it,
 * when it is no store; FAILED when it is damaged so that it cannot be told what was asked; IO. */
bough_status bough_store_open(const char *directory, const bough_study *study, bough_store **store,
                              bough_error *error);
/* "2 trials are lost (trial 5 of bins at n=16, ...)": what was damaged in the file, NULL when nothing was. */
const char *bough_store_damage(const bough_store *store);
void bough_store_close(bough_store *store);
/* The study of a store with all answers in it, without computing anything; fine while another process runs
 * it. path: the directory or the file. Errors: INVALID; FAILED when anything in it is damaged. */
bough_status bough_store_load(const char *path, bough_study *study, bough_error *error);

#endif
