/* Tables that spread traffic better: forwarding tables of one path per switch and destination, found by a
 * local search, with lower bounds that no table can pass.
 *
 * Tables are as InfiniBand switches load them: the next link depends on switch and destination. All pairs of
 * endpoints that are connected are routed; links cannot wait for each other in a cycle, so one virtual lane
 * is enough. If all shortest paths together have no such cycle, tables take shortest paths; otherwise
 * shortest up/down paths under the roots that `updn` takes. Endpoints with several addresses (LMC) are routed
 * alike under all of them, unless lmc is set. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_H
#define BOUGH_FABRIC_TUNE_TUNE_H

#include "fabric/check/check_routing.h"
#include "routing/routing.h"

#include <stdatomic.h>

/* What is minimised. The load of a link is the number of flows on it, times the nominal rate of hosts
 * (bough_link_rates) over the rate of the link. Endpoints are in the order of the network.
 *   alltoall     every endpoint sends to every other at a time: the largest load of a link
 *   shifts       shift k sends endpoint i to i + k: the largest load of a link, the mean over all shifts
 *   worst-shift  the same, the maximum over all shifts
 *   random       the mean over random permutations of the largest load (those that the seed draws)
 *   worst        the worst permutation has at most this load: over links, the smaller one of the number of
 *                sources and the number of destinations whose flows use the link
 *   jobs         given traffic; what all its messages together load (in bytes, where it has sizes) */
#define BOUGH_TUNE_MAP(X)                                                                                    \
    X(ALLTOALL, "alltoall")                                                                                  \
    X(SHIFTS, "shifts")                                                                                      \
    X(WORST_SHIFT, "worst-shift")                                                                            \
    X(RANDOM, "random")                                                                                      \
    X(WORST, "worst")                                                                                        \
    X(JOBS, "jobs")
typedef enum bough_tune_objective {
#define X(id, name) BOUGH_TUNE_##id,
    BOUGH_TUNE_MAP(X)
#undef X
        BOUGH_TUNE_OBJECTIVES
} bough_tune_objective;
const char *bough_tune_objective_name(bough_tune_objective objective); /* "worst-shift", static */
/* Errors: INVALID with the names. */
bough_status bough_tune_objective_find(const char *name, bough_tune_objective *objective, bough_error *error);

/* A measure of tables. The search compares value, then most, at, squares; less is better. */
typedef struct bough_tune_score {
    double value; /* the objective, links of endpoints included */
    double most;  /* shifts, random: the maximum over them; worst-shift: the mean; else the largest load of a
                     link between switches */
    double at;    /* number of shifts or permutations with the maximum; else of links between switches */
    double squares; /* sum of the squares of loads of links between switches */
} bough_tune_score;

/* A job and its weight. */
typedef struct bough_tune_job {
    const char *traffic; /* spec of a batch or schedule */
    double weight;       /* > 0; loads are multiplied by it */
} bough_tune_job;

typedef struct bough_tune_question {
    const bough_net *net;
    bough_tune_objective objective;
    const bough_tune_job *job; /* [jobs], for BOUGH_TUNE_JOBS */
    size_t jobs;
    const char *const *routing; /* [routings]: specs to start from, beside those that bough makes itself */
    size_t routings;
    const char
        *engine;   /* "minhop" or "updn": no tables are searched, but settings of this engine. NULL: tables */
    bool old;      /* the first routing is that of the fabric now: what changes is reported */
    unsigned lmc;  /* alltoall, jobs: 2^lmc addresses of an endpoint have paths of their own, over which what
                      it  receives is divided equally. Address k of more has that of k modulo 2^lmc */
    uint64_t seed; /* of the search, and of random permutations */
    uint64_t permutations; /* of `random`; 0: 100 */
    double effort;         /* of the search; 0: 1. Time grows with it */
    atomic_bool *stop;     /* may be NULL; if it is set, the best tables so far are the result */
    void (*progress)(void *context, double share, const char *what); /* may be NULL */
    void *progress_context;
} bough_tune_question;

/* A routing beside the tuned one. */
typedef struct bough_tune_row {
    char *spec; /* "minhop"; owned */
    bough_tune_score score;
    uint64_t unrouted; /* connected pairs that it does not route, for each path; they load nothing */
    uint64_t cycle;    /* links in a cycle of dependencies; 0: no deadlock on one lane */
    uint64_t outside;  /* entries that a tuned table may not take: longer, or against the order */
    bool start;        /* the result descends from it */
} bough_tune_row;

/* Where the bound comes from. */
typedef enum bough_tune_bound_kind {
    BOUGH_TUNE_BOUND_HOSTS, /* the links of endpoints */
    BOUGH_TUNE_BOUND_CUT,   /* the links out of, or into, a set of switches */
    BOUGH_TUNE_BOUND_DUAL   /* lengths of links: every flow takes at least the shortest path */
} bough_tune_bound_kind;
const char *bough_tune_bound_name(bough_tune_bound_kind kind); /* "cut", static */

typedef struct bough_tune_bound {
    double value; /* no table has less; only rounding errors below 1e-9 of it are neglected */
    bough_tune_bound_kind kind;
    uint64_t switches; /* of a cut: those of the set */
    uint64_t links;    /* of a cut: those that leave (or enter) it */
    uint64_t node;     /* of a cut: a switch in it; else BOUGH_NONE */
} bough_tune_bound;

/* An order in which switches can be updated one at a time, each with its whole table, so that no packet meets
 * a loop: see docs/tune.md. */
typedef struct bough_tune_change {
    bool known;                /* the old routing is a table; else nothing of this is set */
    uint64_t entries, changed; /* of all switches towards endpoints; those that differ */
    uint64_t switches;         /* with a changed entry */
    uint64_t pairs, moved;     /* pairs that both route, for each path; those whose path differs */
    uint64_t *order;           /* [switches]: nodes; NULL: there is no such order. owned */
    uint64_t stuck;            /* switches that are left where there is none */
    uint64_t destinations;     /* with a changed entry */
    uint64_t far;   /* of them those with old entries that are no choices; 0: any order is free of loops */
    uint64_t depth; /* most switches that one of these changes */
} bough_tune_change;

typedef struct bough_tune_report {
    const bough_net *net; /* borrowed */
    bough_tune_objective objective;
    unsigned lmc; /* of the question */
    uint64_t seed, permutations;
    uint64_t endpoints, pairs; /* ordered pairs that are connected */
    uint64_t choices;          /* entries with more than one choice */
    bool shortest;             /* paths are shortest ones; else up/down paths */
    bough_tune_row *row;       /* [rows]; owned */
    size_t rows;
    bough_tune_score score;   /* of the result */
    uint64_t unrouted, cycle; /* of the result, as followed by bough check: both 0 */
    bough_tune_bound bound;
    bool optimal;           /* score.value is the bound */
    bool interrupted;       /* the search was ended by `stop` */
    uint64_t evaluated;     /* changes that were evaluated */
    double seconds;         /* CPU time of search and bound */
    bough_routing *routing; /* the result: owned; bough_table_formats writes it */
    bough_tune_change change;
    const char *engine;   /* of the question */
    uint64_t *root;       /* [roots]: switches, by node: what updn is to take as roots; owned */
    uint64_t *first;      /* [firsts]: endpoints in the order in which the engine is to route them; owned */
    size_t roots, firsts; /* 0: the engine's own are not worse */
} bough_tune_report;

/* With an engine, `routing` is what the engine makes of the settings found, and `change` is not set. *report:
 * heap, to be destroyed by the caller; NULL after an error. Memory: 12 bytes per switch and
 * endpoint (with lmc: and path), 2 per link and endpoint for shifts. Errors: INVALID for specs and lmc;
 * UNSUPPORTED for endpoints with several cables and for jobs that never end; TOO_LARGE; INTERRUPTED only
 * before there are tables; NO_MEMORY.
 */
bough_status bough_tune(const bough_tune_question *question, bough_tune_report **report, bough_error *error);
void bough_tune_report_destroy(bough_tune_report *report); /* NULL is fine */

/* The report of a tuned routing. width: of a line, in characters; 0: 80. */
bough_status bough_tune_report_text(const bough_tune_report *report, size_t width, char **text,
                                    bough_error *error);
/* One object; see docs/json.md. */
bough_status bough_tune_report_json(const bough_tune_report *report, char **text, bough_error *error);

#endif
