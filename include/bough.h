/* bough: predicts how fat-tree networks behave. This is the interface of the library, for C17 and C++17.
 *
 *     bough_question *question = NULL;
 *     bough_results *results = NULL;
 *     bough_error error;
 *     bough_status status = bough_question_create(&question, &error);
 *     if (!status) status = bough_question_set(question, "network", "fattree:n=1024", &error);
 *     if (!status) status = bough_question_set(question, "traffic", "uniform", &error);
 *     if (!status) status = bough_question_set(question, "method", "circuit:mode=rounds", &error);
 *     if (!status) status = bough_simulate(question, NULL, &results, &error);
 *     for (size_t i = 0; i < bough_results_count(results); i++) {
 *         bough_result row = bough_results_get(results, i);
 *         printf("%s %g +- %g\n", row.metric, row.mean, row.ci95);
 *     }
 *
 * Errors. A function that can fail returns a bough_status, and fills *error, which belongs to the caller and
 * may be NULL, with one line (bough/status.h). After an error a created object is NULL. Destroying NULL does
 * nothing. Arguments that are NULL where an object or a text is needed are INVALID.
 *
 * Ownership. Objects are destroyed by the function that stands beside the one that creates them. An object
 * copies the texts and arrays that it is given, and keeps the networks and registries that it uses, so that
 * all of them may be destroyed after the call. Texts in rows belong to the results. Texts returned through
 * `char **` are freed by bough_free.
 *
 * Threads. Two threads may use different objects at any time, and one object where both only read it:
 * networks, results and diagnoses are constant; a registry is, once all names are added. The library has no
 * global state, prints nothing and never exits. Calls may start threads, and join them before they return.
 *
 * Stability. Until version 1.0 the interface may change with the minor version, and SONAME with it. Functions
 * and keys are added; structures with options and arrays have their size as first member. */
#ifndef BOUGH_H
#define BOUGH_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

#define BOUGH_VERSION_MAJOR  0
#define BOUGH_VERSION_MINOR  1
#define BOUGH_VERSION_PATCH  0
#define BOUGH_VERSION_NUMBER (BOUGH_VERSION_MAJOR * 10000 + BOUGH_VERSION_MINOR * 100 + BOUGH_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that runs: "0.1.0". */
BOUGH_API const char *bough_version(void);
/* Frees a text that the library returned. */
BOUGH_API void bough_free(char *text);

/* ---- names ---- */

/* Names that specs may use beside the built-in ones: those of plug-ins, and arrays of the program. A name is
 * [a-z][a-z0-9_]*, and not in use. */
typedef struct bough_registry bough_registry;
BOUGH_API bough_status bough_registry_create(bough_registry **registry, bough_error *error);
/* Loads a plug-in: a shared object made with bough-ext.h. It stays loaded while anything uses the registry.
 * Errors: INVALID if it is none, is of another version, or its names are in use; those of the plug-in. */
BOUGH_API bough_status bough_registry_load(bough_registry *registry, const char *path, bough_error *error);
/* Messages, as the traffic `name`: all at time 0, in this order. */
typedef struct bough_message_arrays {
    size_t size; /* sizeof(bough_message_arrays) */
    const char *name;
    const uint64_t *source, *destination; /* [count]: endpoints, different in each pair */
    const uint64_t *bytes;                /* [count]; NULL: a message is one unit of its method (a packet, a
                                             worm, its option size=) */
    size_t count;                         /* at least 1 */
} bough_message_arrays;
BOUGH_API bough_status bough_registry_add_messages(bough_registry *registry,
                                                   const bough_message_arrays *messages, bough_error *error);
/* Weights of pairs, as the traffic `name`: random pairs, each as probable as its weight. As the pattern of a
 * stream ("poisson:load=0.1,pattern=NAME") it also says what each source sends of all. */
typedef struct bough_weight_arrays {
    size_t size; /* sizeof(bough_weight_arrays) */
    const char *name;
    const uint64_t *source, *destination; /* [count]: endpoints; a pair of one endpoint does not count */
    const double *weight;                 /* [count]: finite, 0 or more; those of a pair add up */
    size_t count;                         /* at least 1 */
} bough_weight_arrays;
BOUGH_API bough_status bough_registry_add_weights(bough_registry *registry,
                                                  const bough_weight_arrays *weights, bough_error *error);
/* Forwarding tables, as the routing `name`, for networks with this number of nodes and endpoints. */
typedef struct bough_table_arrays {
    size_t size; /* sizeof(bough_table_arrays) */
    const char *name;
    uint64_t nodes, endpoints;
    /* [nodes][endpoints]: the link that messages for an endpoint take at a node; UINT64_MAX: none. Entries of
     * endpoints are not read, since they have one link. */
    const uint64_t *link;
} bough_table_arrays;
BOUGH_API bough_status bough_registry_add_tables(bough_registry *registry, const bough_table_arrays *tables,
                                                 bough_error *error);
BOUGH_API void bough_registry_destroy(bough_registry *registry);

/* All networks, routings, traffic, methods, metrics, ... with their parameters, as the JSON object of
 * `bough list --json`. registry: may be NULL. */
BOUGH_API bough_status bough_list(const bough_registry *registry, char **json, bough_error *error);

/* ---- stopping ---- */

/* A request to stop, which any thread or signal handler may set while a call runs. */
typedef struct bough_stop bough_stop;
BOUGH_API bough_status bough_stop_create(bough_stop **stop, bough_error *error);
/* The call that has this stop ends soon with INTERRUPTED. Safe in signal handlers. */
BOUGH_API void bough_stop_request(bough_stop *stop);
BOUGH_API void bough_stop_destroy(bough_stop *stop);

/* How a long call runs. NULL in its place: on all processors, to its end. */
typedef struct bough_control {
    size_t size;      /* sizeof(bough_control) */
    unsigned threads; /* 0: one per processor. Results do not depend on it */
    bough_stop *stop; /* may be NULL */
    /* Called a few times per second, by one thread at a time. share: finished fraction, 0..1; what: the
     * current step. A result other than 0 ends the call with INTERRUPTED. May be NULL. */
    int (*progress)(void *context, double share, const char *what);
    void *context;
} bough_control;

/* ---- networks ---- */

/* A network, without the parts that faults remove. */
typedef struct bough_network bough_network;

/* All may be NULL. */
typedef struct bough_network_options {
    size_t size;          /* sizeof(bough_network_options) */
    const char *faults;   /* parts to remove, as --faults */
    const char *physical; /* rates and delays, as --physical */
    bough_registry *registry;
} bough_network_options;
/* spec: a network as in `bough list networks` ("fattree:n=1024"), or the path of a fabric file. options:
 * NULL: none. Errors: INVALID, TOO_LARGE, IO. */
BOUGH_API bough_status bough_network_open(const char *spec, const bough_network_options *options,
                                          bough_network **network, bough_error *error);
/* A fabric file in memory, of any format that files may have. name: for messages. */
BOUGH_API bough_status bough_network_parse(const char *name, const void *data, size_t size,
                                           bough_network **network, bough_error *error);
/* Cables between nodes 0 .. nodes-1, each two links. */
typedef struct bough_cable_arrays {
    size_t size;               /* sizeof(bough_cable_arrays) */
    const char *name;          /* of the network, in results */
    uint64_t nodes, endpoints; /* nodes 0 .. endpoints-1 are endpoints: each has one cable, to a switch */
    const uint64_t *a, *b;     /* [count]: the nodes that a cable joins */
    const double *rate;        /* [count]: bit/s; 0: unknown; NULL: all unknown */
    size_t count;
    const char *const *node_name; /* [nodes], all different; NULL: "h0", ..., "s16", ... */
} bough_cable_arrays;
/* Errors: INVALID, TOO_LARGE. Cost: O(switches x links). */
BOUGH_API bough_status bough_network_from_cables(const bough_cable_arrays *cables, bough_network **network,
                                                 bough_error *error);

/* The network `of` with other names, faults or setting, in O(1) without faults: it uses the data of `of`,
 * which it keeps. Members of options, which is not NULL, that are NULL are those of `of`. Errors: INVALID if
 * both have faults. */
BOUGH_API bough_status bough_network_with(const bough_network *of, const bough_network_options *options,
                                          bough_network **network, bough_error *error);

/* Lets specs name a network by its spec (bough_network_spec), as the networks of a study. Errors: INVALID if
 * the registry has another one of this spec; UNSUPPORTED for a network with faults or a setting. */
BOUGH_API bough_status bough_registry_use_network(bough_registry *registry, const bough_network *network,
                                                  bough_error *error);
BOUGH_API void bough_network_destroy(bough_network *network);

typedef struct bough_network_sizes {
    uint64_t nodes, endpoints, switches;
    uint64_t links;  /* directed; numbered from 0 */
    uint64_t cables; /* between switches */
    unsigned levels; /* level of the roots; endpoints have level 0 */
} bough_network_sizes;
/* Endpoints are the nodes 0 .. endpoints-1. Sizes are those without faults. */
BOUGH_API bough_network_sizes bough_network_size(const bough_network *network);
/* The spec in canonical form; belongs to the network. */
BOUGH_API const char *bough_network_spec(const bough_network *network);
/* Writes the name of a node, at most size - 1 bytes. Errors: INVALID if there is no such node. */
BOUGH_API bough_status bough_network_node_name(const bough_network *network, uint64_t node, char *buffer,
                                               size_t size, bough_error *error);
/* Fills arrays of `links` elements, each of which may be NULL: nodes at both ends, data rate in bit/s, and
 * whether the link is alive. O(links). */
typedef struct bough_link_arrays {
    size_t size; /* sizeof(bough_link_arrays) */
    uint64_t *from, *to;
    double *rate;
    unsigned char *alive;
} bough_link_arrays;
BOUGH_API bough_status bough_network_links(const bough_network *network, const bough_link_arrays *arrays,
                                           bough_error *error);
/* The links of a path. */
typedef struct bough_links {
    uint64_t *link; /* array of the caller */
    size_t room;    /* its elements */
    size_t count;   /* set: links of the path, in their order; 0: there is no route */
} bough_links;
/* The path from endpoint pair[0] to pair[1], under a routing that leaves no choice. routing: a spec; NULL:
 * the network's. Errors: INVALID; UNSUPPORTED for a routing that leaves a choice; TOO_LARGE if there is no
 * room. */
BOUGH_API bough_status bough_network_path(const bough_network *network, const char *routing,
                                          const uint64_t pair[2], bough_links *links, bough_error *error);
/* What every link carries. */
typedef struct bough_loads {
    size_t size;         /* sizeof(bough_loads) */
    const char *routing; /* a spec; NULL: the network's */
    const char *traffic; /* a spec; NULL: every endpoint sends one message to every other one. Of random
                            traffic: the messages of the first trial with seed 1 */
    double *load;        /* [links], set: messages on each link; expected values under random selection */
    double unrouted;     /* set: messages that do not arrive, because there is no route, or a loop */
} bough_loads;
/* control: as of bough_simulate, without progress. Errors: INVALID; UNSUPPORTED for endless traffic, and for
 * routings that select by load; INTERRUPTED. Cost: O(messages x hops). */
BOUGH_API bough_status bough_network_loads(const bough_network *network, const bough_control *control,
                                           bough_loads *loads, bough_error *error);
/* The network as a text in a format of `bough list formats`: "json", "dot", "csv", "svg" (a drawing), ...
 * routing: a spec, for formats with routes ("lfts", "xml") and the colours of drawings; NULL: the network's,
 * for drawings none. Errors: INVALID; UNSUPPORTED for a binary format ("gds"). */
BOUGH_API bough_status bough_network_text(const bough_network *network, const char *routing,
                                          const char *format, char **text, bough_error *error);

/* Forwarding tables with a smaller load of the most loaded link, as `bough tune`. All inputs may be 0 or
 * NULL. */
typedef struct bough_tuning {
    size_t size;            /* sizeof(bough_tuning) */
    const char *objective;  /* alltoall (NULL), shifts, worst-shift, random, worst; NULL with job */
    const char *const *job; /* [jobs]: batches or schedules whose loads are minimised together */
    size_t jobs;
    const char *const *routing; /* [routings]: to start from, beside minhop, updn and dmodk */
    size_t routings;
    double effort; /* length of the search, 0 .. 1e6; 0: 1 */
    uint64_t seed; /* 0: 1 */
    /* set; freed by bough_free; NULL after an error: */
    char *report; /* the JSON object of `bough tune --json` */
    char *tables; /* as FILE.lfts */
} bough_tuning;
/* If the control is asked to stop, the best tables so far are the result. Errors: those of specs; UNSUPPORTED
 * for endpoints with several cables and for jobs that never end; INTERRUPTED before there are tables. */
BOUGH_API bough_status bough_network_tune(const bough_network *network, const bough_control *control,
                                          bough_tuning *tuning, bough_error *error);

/* Fat-trees for hosts and switches that no other beats in cost and taper, as `bough plan`. Inputs but hosts
 * and radix may be 0 or NULL. */
typedef struct bough_planning {
    size_t size;          /* sizeof(bough_planning) */
    uint64_t hosts;       /* 1 .. 2^40 */
    unsigned radix;       /* ports of a switch, 2 .. 1024 */
    unsigned levels;      /* of switches, 1 .. 4; 0: any */
    double taper;         /* endpoints below a switch over its cables up, at most, 1 .. 1024; 0: 1 */
    const char *prices;   /* file of lines `item,price` */
    const char *job;      /* traffic, or NAME.yaml, whose time each tree gets */
    const char *routing;  /* of the job; NULL: dmodk */
    const char *physical; /* of the job */
    int spray;            /* 1: the messages of the job are divided over all paths */
    uint64_t limit;       /* trees, at most, 1 .. 1000; 0: 8 */
    uint64_t seed;        /* 0: 1 */
    char *report; /* set, freed by bough_free, NULL after an error: the JSON object of `bough plan --json` */
} bough_planning;
/* control: as of bough_simulate, without progress. Errors: INVALID; UNSUPPORTED if no tree fits; those of
 * specs and files; INTERRUPTED. */
BOUGH_API bough_status bough_plan_trees(const bough_control *control, bough_planning *planning,
                                        bough_error *error);

/* ---- questions ---- */

/* What is asked of a network: keys and values, as options of `bough sim` and `bough check`. */
typedef struct bough_question bough_question;
BOUGH_API bough_status bough_question_create(bough_question **question, bough_error *error);
/* Keys, as the options of the same names; `questions` of bough_list has all of them, with types and bounds.
 * Those with a star may be set several times and accumulate; others are replaced.
 *
 *     both            network, physical, seed, order, endpoints, names
 *     bough_simulate  faults, routing*, traffic, method*, trials, precision, quantiles*, above*
 *                     of a study in their place: study (a file, or a name of `bough list studies`) or
 *                     study-text (the text of such a file), set* ("KEY=VALUE"), trials, precision,
 *                     quantiles*, above*, store (a directory; a run that was stopped resumes there)
 *     bough_diagnose  what `bough check --help` lists before --threads, but for --opensm; worst (no,
 *                     cheap or always); and what --trials sets at once: permutations, draws (of a curve
 *                     of faults), job-trials
 *
 * Values are checked when the question is asked, keys here. Errors: INVALID for another key. */
BOUGH_API bough_status bough_question_set(bough_question *question, const char *key, const char *value,
                                          bough_error *error);
/* The names of a registry, or a network with its faults and its setting in place of these keys. */
BOUGH_API bough_status bough_question_use_registry(bough_question *question, bough_registry *registry,
                                                   bough_error *error);
BOUGH_API bough_status bough_question_use_network(bough_question *question, const bough_network *network,
                                                  bough_error *error);
BOUGH_API void bough_question_destroy(bough_question *question);

/* ---- simulation ---- */

/* One metric of one method at one point. Texts belong to the results, and are never NULL. */
typedef struct bough_result {
    size_t point;                                     /* of the grid of a study; else 0 */
    const char *network, *faults, *routing, *traffic; /* canonical specs; "": none */
    const char *method, *metric, *unit;
    int64_t index;             /* of metrics that have one (a level, a round); else -1 */
    double mean;               /* over trials; in `unit` */
    double ci95;               /* half width of the 95 % interval of the mean; NAN: exact, or unknown */
    double min, max;           /* over trials */
    uint64_t trials;           /* that have this metric */
    int exact;                 /* one trial is all there is */
    const char *status, *note; /* "ok", "saturated", "partial", "deadlock", "hangs"; a remark, or "" */
    /* What the method assumes and the question breaks, so that the number may mislead; "": nothing. */
    const char *premises;
} bough_result;

typedef struct bough_results bough_results;
/* Errors: those of specs, with the place; INTERRUPTED; TOO_LARGE. */
BOUGH_API bough_status bough_simulate(const bough_question *question, const bough_control *control,
                                      bough_results **results, bough_error *error);
/* Number of rows. NULL has none. */
BOUGH_API size_t bough_results_count(const bough_results *results);
/* Row i; all zero beyond the last. O(1). */
BOUGH_API bough_result bough_results_get(const bough_results *results, size_t i);
/* The name of axis i of a study, and its value at a point; NULL beyond the last axis or point. */
BOUGH_API const char *bough_results_axis(const bough_results *results, size_t point, size_t i,
                                         const char **value);
/* Two rows of one metric without index at one point, on the same messages. NAN: unknown. */
typedef struct bough_compared {
    size_t row, against;                /* row - against, row / against */
    double difference, difference_ci95; /* half width of the 95 % interval, from paired trials */
    double ratio, ratio_ci95;
    uint64_t trials; /* in common */
} bough_compared;
/* Comparison i; *compared is all zero, and the result 0, beyond the last. */
BOUGH_API int bough_results_compare(const bough_results *results, size_t i, bough_compared *compared);
/* All results as "table", "csv", "json" or "html". */
BOUGH_API bough_status bough_results_text(const bough_results *results, const char *format, char **text,
                                          bough_error *error);
BOUGH_API void bough_results_destroy(bough_results *results);

/* ---- diagnosis of a fabric ---- */

/* What `bough check` reports. */
typedef struct bough_diagnosis bough_diagnosis;
BOUGH_API bough_status bough_diagnose(const bough_question *question, const bough_control *control,
                                      bough_diagnosis **diagnosis, bough_error *error);
/* Severity of the worst finding: 0 none, or information; 1 a warning; 2 an error. */
BOUGH_API int bough_diagnosis_severity(const bough_diagnosis *diagnosis);
/* "text", "json" or "html". */
BOUGH_API bough_status bough_diagnosis_text(const bough_diagnosis *diagnosis, const char *format, char **text,
                                            bough_error *error);
BOUGH_API void bough_diagnosis_destroy(bough_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif

#endif
