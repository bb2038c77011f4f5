/* Everything that `bough check` finds out about a fabric: one question, one report.
 *
 *     const char *tables[] = {"lft:file=ftree.lfts", "lft:file=updn.lfts"};
 *     bough_check_question question = {.network = "ibnet:file=cluster.ibnetdiscover",
 *                                      .routing = tables, .routings = 2, .permutations = 100, .seed = 1};
 *     bough_check_report *report;
 *     status = bough_check(&question, &report, &error);
 *     ... report->part[0].result.alltoall_max ...
 *     bough_check_report_destroy(report);
 *
 * report/report.h writes a report as text, as JSON and as a page. fabric/check/check_routing.h, failures.h,
 * changes.h and adversary.h compute its parts, for programs that need one of them only. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_H
#define BOUGH_FABRIC_CHECK_CHECK_H

#include "fabric/changes/changes.h"
#include "fabric/check/adaptive/check_adaptive.h"
#include "fabric/check/check_routing.h"
#include "fabric/counters/counters.h"
#include "fabric/expect/expect.h"
#include "fabric/failures/failures.h"
#include "fabric/planes/planes.h"
#include "loads/worst/adversary.h"
#include "method/method.h"
#include "network/physical/physical.h"

#include <stdatomic.h>

/* ---- the question ---- */

typedef enum bough_check_worst {
    BOUGH_CHECK_WORST_NO,
    BOUGH_CHECK_WORST_CHEAP, /* deterministic routings of up to BOUGH_CHECK_WORST_CHEAP_ENDPOINTS endpoints;
                                of up to about 9,000 where all flows to an address follow one tree. Elsewhere
                                `worst_least` of a routing is a lower bound */
    BOUGH_CHECK_WORST_ALWAYS /* and an error where a routing cannot be asked (bough_adversary_check) */
} bough_check_worst;
#define BOUGH_CHECK_WORST_CHEAP_ENDPOINTS 1024

/* Zero-initialise, then set at least the network. Everything is borrowed until bough_check returns. */
typedef struct bough_check_question {
    const char *network;            /* spec; a fabric file is ibnet:file=FILE */
    const bough_registry *registry; /* names that specs may use; NULL: the built-in ones */
    const char *const *routing;     /* [routings]: specs; tables are lft:file=FILE */
    size_t routings;                /* 0: the network's default routing */
    /* [routings], or NULL: what the report calls a routing instead of its spec; NULL elements: the spec. */
    const char *const *label;
    const bough_findings *findings; /* to be repeated among those of the wiring; may be NULL */
    /* [faults_count]: each: (every single failure), a spec whose share is a range (a curve of degradation),
     * or any other fault spec: the fabric without it. */
    const char *const *faults;
    size_t faults_count;
    const char *const *job;  /* [jobs]: traffic specs, batches or schedules; the network is read again */
    size_t jobs;             /* for each of them */
    const char *physical;    /* physical setting: rates of links that state none, delays; NULL: the default */
    const char *against;     /* spec of the fabric before a change; NULL: none. One routing only */
    const char *against_lft; /* routing spec of its tables; NULL: none */
    const char *expect;      /* plan of the cabling, see fabric/expect/expect.h; NULL: none */
    const char *slurm;       /* Slurm's topology.conf, to compare with the fabric; NULL: none */
    const char *place; /* hosts of a job (a hostlist), or their number; NULL: none. Jobs then run there */
    const char *busy;  /* hostlist of hosts that no placement takes; NULL: none */
    /* [counter_files]: files of measured port counters, to compare with what is predicted for the jobs or
     * all-to-all: none, one, or two, the earlier first. */
    const char *const *counters;
    size_t counter_files;
    const char *interval; /* s between them; NULL: as the files say */

    uint64_t permutations; /* random permutations to draw; 0: none */
    uint64_t draws;        /* for each share of a curve of degradation; 0: 20 */
    uint64_t job_trials;   /* draws of a job; 0: until its interval is 1 % of the mean, at most 100 */
    uint64_t seed;         /* of all random numbers; with jobs below 2^63 */
    unsigned threads;      /* 0: one a processor. The report is the same for any number */
    bough_check_worst worst;

    atomic_bool *stop; /* set from outside: ends with INTERRUPTED; may be NULL */
    /* share: of all work, 0..1, about in proportion to the time; it never falls. phase: what is done, static.
     * Called by one thread at a time; may be NULL. */
    void (*progress)(void *context, double share, const char *phase);
    /* Called before work of more than FORECAST_SAID_S: about how long it takes; may be NULL. */
    void (*forecast)(void *context, double seconds);
    void *progress_context; /* of both */
} bough_check_question;

/* ---- the report; all of it is owned by the report, unless a field says otherwise ---- */

/* Fields of a statement of the verdict. */
enum {
    BOUGH_VERDICT_HAS_EXPECTED = 1,
    BOUGH_VERDICT_HAS_COUNT = 2,
    BOUGH_VERDICT_HAS_PAIRS = 4,
    BOUGH_VERDICT_HAS_LOAD = 8,
    BOUGH_VERDICT_HAS_MEAN = 16,
    BOUGH_VERDICT_HAS_SHARE = 32,
    BOUGH_VERDICT_HAS_RATIO = 64,
};

/* X(NAME, "name", fields that it has; the others are 0)
 * no_pairs: there is one endpoint. some_routed: count pairs have no route. alltoall_ideal: only the
 * endpoints' own links limit all-to-all; else the load of the most loaded link, with its ratio to that of an
 * endpoint's own link, or where link rates are known the share of the ideal throughput. shifts_free: no two
 * flows of any shift share a link; else the load of the worst shift and the mean over shifts. deadlock: on
 * one virtual lane messages can wait for each other in a cycle of count links. unused_links: count directed
 * links carry nothing. */
#define BOUGH_VERDICT_LOADS (BOUGH_VERDICT_HAS_LOAD | BOUGH_VERDICT_HAS_EXPECTED)
#define BOUGH_VERDICT_MAP(X)                                                                                 \
    X(NO_PAIRS, "no_pairs", 0)                                                                               \
    X(NONE_ROUTED, "none_routed", BOUGH_VERDICT_HAS_PAIRS)                                                   \
    X(ALL_ROUTED, "all_routed", BOUGH_VERDICT_HAS_PAIRS)                                                     \
    X(SOME_ROUTED, "some_routed", BOUGH_VERDICT_HAS_PAIRS | BOUGH_VERDICT_HAS_COUNT)                         \
    X(ALLTOALL_IDEAL, "alltoall_ideal", BOUGH_VERDICT_LOADS)                                                 \
    X(ALLTOALL_LOAD, "alltoall_load", BOUGH_VERDICT_LOADS | BOUGH_VERDICT_HAS_RATIO)                         \
    X(ALLTOALL_SHARE, "alltoall_share", BOUGH_VERDICT_LOADS | BOUGH_VERDICT_HAS_SHARE)                       \
    X(SHIFTS_FREE, "shifts_free", BOUGH_VERDICT_LOADS)                                                       \
    X(SHIFTS_SHARED, "shifts_shared", BOUGH_VERDICT_LOADS | BOUGH_VERDICT_HAS_MEAN)                          \
    X(WORST_PERMUTATION, "worst_permutation", BOUGH_VERDICT_LOADS)                                           \
    X(DEADLOCK_FREE, "deadlock_free", 0)                                                                     \
    X(DEADLOCK, "deadlock", BOUGH_VERDICT_HAS_COUNT)                                                         \
    X(UNUSED_LINKS, "unused_links", BOUGH_VERDICT_HAS_COUNT)

typedef enum bough_verdict_kind {
#define X(id, name, fields) BOUGH_VERDICT_##id,
    BOUGH_VERDICT_MAP(X)
#undef X
        BOUGH_VERDICT_KINDS
} bough_verdict_kind;

/* One statement. */
typedef struct bough_verdict {
    bough_verdict_kind kind;
    bough_severity severity; /* ERROR: pairs without a route; WARN: flows share links; INFO: the rest */
    bool expected;           /* load and mean are expected values, as the routing chooses at run time */
    uint64_t count;          /* of pairs or links */
    uint64_t pairs;          /* ordered pairs of different endpoints */
    double load;             /* flows on the most loaded link */
    double mean;             /* of load, over all shifts */
    double share;            /* of the ideal (fabric/check/check_routing.h), 0..1 */
    double ratio;
} bough_verdict;
const char *bough_verdict_name(bough_verdict_kind kind); /* "no_pairs", static */
unsigned bough_verdict_fields(bough_verdict_kind kind);  /* BOUGH_VERDICT_HAS_... */

/* The scale. The measure is the score of all-to-all as a fraction of what tables can reach:
 * bough_check_report.tables_score. It does not depend on the order of endpoints. A routing with a pair that
 * is not routed is bad, and one with a cycle on one virtual lane at most usable. */
#define BOUGH_RATING_GOOD_FROM   0.8
#define BOUGH_RATING_USABLE_FROM 0.5
typedef enum bough_rating_word {
    BOUGH_RATING_NONE, /* there is one endpoint */
    BOUGH_RATING_GOOD,
    BOUGH_RATING_USABLE,
    BOUGH_RATING_BAD
} bough_rating_word;
typedef enum bough_rating_reason {
    BOUGH_RATING_NO_REASON,
    BOUGH_RATING_UNROUTED, /* pairs are not routed */
    BOUGH_RATING_ALLTOALL, /* the score of all-to-all */
    BOUGH_RATING_CYCLE     /* good but for the cycle */
} bough_rating_reason;
typedef struct bough_rating {
    bough_rating_word word;
    bough_rating_reason reason;
    double of_tables; /* the measure, 0..1; NAN: no pair is routed */
    bool slow_cable;  /* the link that limits all-to-all (result.alltoall_limit) is one of a slow cable */
} bough_rating;
const char *bough_rating_name(bough_rating_word word);            /* "good", static */
const char *bough_rating_reason_name(bough_rating_reason reason); /* "alltoall", static */

/* Which of several routings is the fastest in one measure, and how much longer the others take: the time
 * of all-to-all, the mean time over shifts and over random permutations, the load of the worst permutation.
 */
typedef enum bough_measure {
    BOUGH_MEASURE_ALLTOALL,
    BOUGH_MEASURE_SHIFTS,
    BOUGH_MEASURE_RANDOM,
    BOUGH_MEASURE_WORST,
    BOUGH_MEASURES
} bough_measure;
const char *bough_measure_name(bough_measure measure); /* "alltoall", static */
/* One routing, compared with the fastest. */
typedef struct bough_standing {
    size_t part;
    double ratio;      /* its time over that of the fastest */
    double ratio_ci95; /* from the differences draw by draw; 0: exact */
    bool slower;       /* the ratio is above 1, beyond its interval: it is none of the best */
} bough_standing;
typedef struct bough_better {
    bough_measure measure;
    size_t best, second;      /* parts */
    double ratio;             /* time of the second over that of the best; NAN: not known for all routings */
    double ratio_ci95;        /* from the differences draw by draw; 0: exact */
    bool expected;            /* of expected values: what a routing that chooses takes in a run is more */
    bool decided;             /* the ratio is above 1, beyond its interval */
    bough_standing *standing; /* [parts], the fastest first, equal ones in the order of the question;
                                 NULL: not known for all routings */
    size_t bests;             /* routings that are not slower than the fastest */
} bough_better;

/* The faults of the question under one routing. */
typedef struct bough_check_failures {
    bool made;                /* the routing names no tables, so bough made minimal ones */
    bough_failure_load whole; /* the whole fabric, where anything below is there */
    bough_failure_list *list; /* [lists]: one for each `each:` */
    size_t lists;
    bough_degradation *curve; /* [curves] */
    size_t curves;
    /* The fault specs that the network of the report is without; NULL: none, or the routing is no set of
     * tables, and `without` is not set. */
    char *missing;
    bough_failure without;
} bough_check_failures;

/* What was found under one routing. */
typedef struct bough_routing_report {
    bough_routing *routing; /* of the report's network; its own findings are in routing->findings. Its spec is
                               the label of the question, where that has one */
    bough_check_result result;
    bough_findings findings; /* of paths, loads and single failures */
    bool worst_known;        /* `worst` was looked for */
    bough_adversary_result worst;
    /* The worst permutation has at least this load: that of a shift or random permutation, or of pairs that
     * use one link. NAN: not known: `worst` is, or was not asked for, or the routing chooses, or there are at
     * most BOUGH_CHECK_WORST_CHEAP_ENDPOINTS. */
    double worst_least;
    bough_check_failures failures;
    bough_check_adaptive adaptive;
    bough_rating rating;
    bough_verdict verdict[BOUGH_VERDICT_KINDS]; /* in the order in which they are read */
    size_t verdicts;
} bough_routing_report;

/* One routing under a job; values are means over the draws of the job. */
typedef struct bough_check_job_row {
    size_t routing;            /* index into the report's parts */
    bool loaded;               /* load is known: the job is a batch */
    double load, load_ci95;    /* flows on the most loaded link, by `linkload`; 95 % interval, 0: exact */
    bough_outcome outcome;     /* of `flow`; unless OK a message never arrives, and there is no time */
    double seconds;            /* until the last message has arrived */
    double seconds_ci95;       /* 95 % interval, 0: exact */
    uint64_t trials;           /* of `flow` */
    char note[BOUGH_NOTE_MAX]; /* "": none */
} bough_check_job_row;

typedef struct bough_check_job {
    char *traffic;            /* canonical spec */
    bough_check_job_row *row; /* [parts]: the fastest first; last those that never end */
    /* The first row against the second, where both end: how much longer the second takes, as a share of the
     * first, with the 95 % interval; else NAN. */
    double ahead, ahead_ci95;
    /* Its point was evaluated by `flow` and, for a batch, by `linkload`: answer[].assumption says what they
     * assume about the machine. */
    struct bough_study *study;
    bool exact;   /* neither is random */
    bool decided; /* the difference is outside its interval, or only the first row ends */
} bough_check_job;

/* The comparison with the fabric before a change. */
typedef struct bough_check_against {
    bool asked; /* else nothing of this is set */
    bough_net *old;
    bough_routing *routing; /* of old; NULL where it could not be made */
    bough_fabric_changes fabric;
    bool routed;   /* `changes` is set */
    char why[960]; /* else: why the routings were not compared */
    bough_routing_changes changes;
    bough_findings findings;
} bough_check_against;

/* Slurm's topology.conf against the fabric. Hosts are those of the fabric, nodes those of the file. Lines
 * with Nodes are leaf lines; the lines with Switches are above them. Leaves match by their hosts, one to one.
 */
typedef struct bough_check_slurm {
    char *file; /* NULL: not asked for; else the rest is set */
    uint64_t hosts, nodes;
    uint64_t right;   /* hosts below the line that matches their leaf */
    uint64_t moved;   /* hosts below another one */
    uint64_t missing; /* hosts that the file does not have */
    uint64_t unknown; /* nodes that the fabric does not have */
    uint64_t twice;   /* nodes that an earlier line has too */
    uint64_t leaves, leaf_lines, leaves_matched;
    uint64_t upper, upper_lines; /* switches of the tree of the fabric above leaves; lines above leaf lines */
    uint64_t upper_matched;      /* lines that join the leaves of one of these, or fewer than two */
} bough_check_slurm;

/* Hosts of a job, and the link that takes longest for its traffic. */
typedef struct bough_placed {
    char *hosts;     /* a hostlist in the order of the ranks; NULL: there is none */
    uint64_t leaves; /* with one of these hosts */
    double load;     /* flows or bytes on the link that takes longest */
    uint64_t link;   /* that link; BOUGH_NONE: nothing enters the network */
    uint64_t limits; /* links that take as long */
    double ratio; /* its time over that of the slowest link of a host; 1: only the hosts' own cables limit */
    double lost;  /* messages that do not arrive */
    double by_name; /* the ratio with ranks in the order of names, as Slurm numbers them */
    bool named;     /* that order is as good, and `hosts` of the best placement is in it */
} bough_placed;

/* A job on some hosts, under one routing. Loads are static, expected values where the routing chooses; other
 * jobs do not count. */
typedef struct bough_check_placement {
    size_t part;
    char *traffic;         /* spec; "alltoall" if the question has no job */
    bool bytes;            /* loads are bytes: the job is a schedule; else flows */
    uint64_t hosts, ranks; /* ranks: endpoints of the hosts */
    uint64_t free;         /* hosts with a cable that are not busy */
    bool given; /* the question lists hosts: `asked` is set, and `best` is the best contiguous placement */
    bough_placed asked;
    bough_placed
        best;       /* contiguous: free hosts in a row, in the order of the leaves in the tree of switches */
    uint64_t tried; /* placements */
    uint64_t possible; /* contiguous ones; 0: any hosts may be taken */
    bool exact;        /* all of them were tried, or all subsets of the free hosts */
    bool ideal;        /* best.ratio is 1, by cables of the fastest hosts: no placement is faster */
} bough_check_placement;

typedef struct bough_check_report {
    arena memory;              /* of what is not freed by a function of its own */
    const bough_net *net;      /* with the faults of the question; one of those below */
    bough_net *whole, *faulty; /* faulty: NULL where nothing is missing */
    bough_net *ported;         /* where endpoints forward messages: with a port each way; else NULL */
    bough_physical *physical;  /* of all networks of the report */
    uint64_t *level_switches;  /* [net->levels + 1]: switches with a cable, by level from 1 on */
    uint64_t lone_switches;    /* switches without a cable */
    bough_link_rates rates;
    bough_single_points single;
    bough_planes planes;
    double wiring_score;        /* no routing gets all-to-all above this fraction of the ideal; NAN: there is
                                   one endpoint */
    double wiring_repaired;     /* the same if single slow cables had their nominal rate */
    double tables_score;        /* no forwarding tables get it above this one: at most wiring_score */
    uint64_t seed;              /* of the question */
    bough_check_worst worst;    /* of the question */
    bough_findings wiring;      /* those of reading the file are in net->fabric->findings */
    bough_routing_report *part; /* [parts]: in the order of the question; at least one */
    bool assumed;               /* the question named no routing */
    size_t parts;
    bough_better better[BOUGH_MEASURES]; /* of two parts or more */
    bough_check_job *job;                /* [jobs] */
    size_t jobs;
    bough_check_against against;
    bough_expected expected;
    bough_check_slurm slurm;          /* its findings are in `wiring` */
    bough_check_placement *placement; /* [placements]: for each routing, each job */
    size_t placements;
    bough_counters *counters; /* NULL: not asked for; its findings are in `wiring` */
    bough_severity
        severity; /* of the worst finding, wherever it is in the report; INFO where there is none */
} bough_check_report;

/* *report: heap, to be destroyed by the caller; NULL after an error. The specs of the question are checked
 * before the long work. Messages about them name the options of `bough check`. Errors: INVALID for a spec
 * that is wrong or does not fit the others; UNSUPPORTED, TOO_LARGE as of the functions that compute the
 * parts; INTERRUPTED; IO; NO_MEMORY. Cost: that of these functions, for each routing. */
bough_status bough_check(const bough_check_question *question, bough_check_report **report,
                         bough_error *error);
void bough_check_report_destroy(bough_check_report *report); /* NULL is fine */

#endif
