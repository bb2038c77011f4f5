/* bough: networks, routings, patterns and methods of one's own, in a plug-in or in a program.
 *
 * A plug-in is a shared object that contains
 *
 *     #include <bough-ext.h>
 *
 *     static uint64_t to_opposite(const void *state, uint64_t endpoints, uint64_t source, uint64_t word) {
 *         return (source + endpoints / 2) % endpoints;
 *     }
 *     static const bough_ext_pattern opposite = {
 *         .size = sizeof opposite, .name = "opposite", .summary = "to the endpoint half-way round",
 *         .destination = to_opposite,
 *     };
 *     BOUGH_PLUGIN(host, registry, error) {
 *         return host->add_pattern(registry, &opposite, error);
 *     }
 *
 * and is used by `bough --plugin ./opposite.so sim fattree:n=64 opposite circuit`, or through
 * bough_registry_load. It needs no library: everything it calls is in `host`. A program that links libbough
 * gets the same functions from bough_extensions().
 *
 * Descriptors, and all that they point to, must outlive the registry. Callbacks are called by several threads
 * at the same time; they must not change what they share. The same arguments must give the same result: use
 * the random words that callbacks receive, no generator of your own, so that results do not depend on
 * threads. Names are [a-z][a-z0-9_]*, and not in use. Exceptions of C++ must not leave a callback. */
#ifndef BOUGH_EXT_H
#define BOUGH_EXT_H

#include "bough.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. It grows by members at the end of structures, whose size is their first member;
 * a change of another kind increments the version, and plug-ins of other versions are refused. */
#define BOUGH_EXT_VERSION 1

#define BOUGH_EXT_NONE UINT64_MAX

/* ---- parameters ---- */

typedef enum bough_ext_type {
    BOUGH_EXT_INT = 1, /* whole number: integer */
    BOUGH_EXT_REAL,    /* real */
    BOUGH_EXT_SHARE,   /* 0..1 or with %: real */
    BOUGH_EXT_FLAG,    /* 0 or 1: integer */
    BOUGH_EXT_TEXT,    /* text */
    BOUGH_EXT_CHOICE,  /* a word of choices: integer, its index; text */
    BOUGH_EXT_BYTES,   /* with a unit, 1MB: integer */
    BOUGH_EXT_TIME,    /* with a unit, 10ns: integer, picoseconds */
    BOUGH_EXT_RATE     /* with a unit, 100Gb/s: integer, bit/s */
} bough_ext_type;

typedef struct bough_ext_param {
    const char *key, *summary;
    bough_ext_type type;
    const char *fallback; /* default, as in a spec; NULL: required */
    double low, high;     /* bounds of numbers, inclusive; both 0: none */
    const char *choices;  /* of BOUGH_EXT_CHOICE: "a|b|c" */
} bough_ext_param;

/* The value of a parameter; arrays of them are in the order of the parameters. */
typedef struct bough_ext_value {
    int64_t integer;
    double real;
    const char *text;
} bough_ext_value;

/* ---- networks ---- */

typedef struct bough_ext_builder bough_ext_builder;

/* A family of networks. Their default routing selects at random among all minimal routes. */
typedef struct bough_ext_network {
    size_t size; /* sizeof(bough_ext_network) */
    const char *name, *summary, *source;
    const bough_ext_param *params; /* end with a NULL key; NULL: none */
    void *context;
    /* Calls host->sizes once, then host->cable for each cable. Every endpoint has one cable, to a switch. */
    bough_status (*build)(void *context, const bough_ext_value *value, bough_ext_builder *builder,
                          bough_error *error);
} bough_ext_network;

/* ---- routings ---- */

/* The head of a message at a node that is not its destination. */
typedef struct bough_ext_hop {
    uint64_t node, source, destination; /* source and destination are endpoints */
    uint64_t key;                       /* distinguishes messages of one pair */
    /* The links of minimal routes that leave the node and are alive; see bough_ext_link. */
    const uint32_t *list;
    uint64_t first, count;
} bough_ext_hop;

/* The i-th of these links. */
static inline uint64_t bough_ext_link(const bough_ext_hop *hop, uint64_t i) {
    return hop->list ? hop->list[i] : hop->first + i;
}

/* Links among which a switch selects. */
typedef struct bough_ext_choice {
    const uint64_t *free; /* [count], ascending */
    const uint32_t *load; /* [count]: messages that wait for each; NULL unless the method counts them */
    uint32_t count;       /* at least 1 */
    uint32_t word;        /* random */
} bough_ext_choice;

/* Exactly one of link, choose and via is set. state is what open returned; without open: context. */
typedef struct bough_ext_routing {
    size_t size; /* sizeof(bough_ext_routing) */
    const char *name, *summary, *source;
    const bough_ext_param *params;
    void *context;
    /* May be NULL. The network lives at least as long as the state. */
    bough_status (*open)(void *context, const bough_network *network, const bough_ext_value *value,
                         void **state, bough_error *error);
    void (*close)(void *state); /* may be NULL */
    /* The link that the message takes: one of the hop, or with any_link any link that leaves the node.
     * BOUGH_EXT_NONE: there is no route. A result of another kind counts as none, and so does a loop, in
     * methods that follow paths; worm and packet refuse it. */
    uint64_t (*link)(const void *state, const bough_ext_hop *hop);
    int any_link;
    /* The index of the free link that a message takes; beyond the last: the first. */
    uint32_t (*choose)(const void *state, const bough_ext_choice *choice);
    /* The endpoint to whose switch a message goes first, on minimal routes over random free links.
     * BOUGH_EXT_NONE, or one that does not exist: none. */
    uint64_t (*via)(const void *state, uint64_t source, uint64_t destination, uint64_t word);
} bough_ext_routing;

/* ---- patterns ---- */

/* A pattern: as a traffic each endpoint sends one message, and streams may use it (`poisson:pattern=NAME`).
 */
typedef struct bough_ext_pattern {
    size_t size; /* sizeof(bough_ext_pattern) */
    const char *name, *summary, *source;
    const bough_ext_param *params;
    void *context;
    /* The destination of a message. The source itself: it sends nothing. */
    uint64_t (*destination)(const void *state, uint64_t endpoints, uint64_t source, uint64_t word);
    int random; /* destinations depend on `word` */
    /* The probability of a destination, for models. May be NULL; then a random pattern is none for streams.
     */
    double (*probability)(const void *state, uint64_t endpoints, uint64_t source, uint64_t destination);
    /* state of a traffic; NULL: state is context. */
    bough_status (*open)(void *context, uint64_t endpoints, const bough_ext_value *value, void **state,
                         bough_error *error);
    void (*close)(void *state); /* may be NULL */
} bough_ext_pattern;

/* ---- methods ---- */

typedef struct bough_ext_trial bough_ext_trial;

/* Messages of a trial, all at time 0. */
typedef struct bough_ext_messages {
    const uint32_t *source, *destination;
    uint64_t count;
} bough_ext_messages;

typedef struct bough_ext_method {
    size_t size; /* sizeof(bough_ext_method) */
    const char *name, *summary, *source;
    const bough_ext_param *params;
    void *context;
    const char *headline; /* the metric of --precision, one of `bough list metrics` */
    int needs_messages;   /* takes patterns and lists of messages, no streams and schedules */
    int needs_paths;      /* takes routings that leave no choice */
    int draws;            /* trials differ even if the messages do not */
    /* Calls host->row for each result, in the same order in every trial. */
    bough_status (*trial)(void *context, const bough_ext_value *value, bough_ext_trial *trial,
                          bough_error *error);
} bough_ext_method;

/* ---- what plug-ins call ---- */

typedef struct bough_ext_host {
    size_t size;
    const char *version; /* of the library */

    /* Errors: INVALID for a wrong name or descriptor; NO_MEMORY. */
    bough_status (*add_network)(bough_registry *registry, const bough_ext_network *network,
                                bough_error *error);
    bough_status (*add_routing)(bough_registry *registry, const bough_ext_routing *routing,
                                bough_error *error);
    bough_status (*add_pattern)(bough_registry *registry, const bough_ext_pattern *pattern,
                                bough_error *error);
    bough_status (*add_method)(bough_registry *registry, const bough_ext_method *method, bough_error *error);

    /* Fills *error, which may be NULL, and returns the status. */
    bough_status (*fail)(bough_error *error, bough_status status, const char *reason);

    /* For build. Nodes 0 .. endpoints-1 are endpoints, the others switches. */
    bough_status (*sizes)(bough_ext_builder *builder, uint64_t endpoints, uint64_t switches,
                          bough_error *error);
    /* A cable between nodes a and b: two links. rate: bit/s; 0: that of the setting. */
    bough_status (*cable)(bough_ext_builder *builder, uint64_t a, uint64_t b, double rate,
                          bough_error *error);

    /* As bough_network_size and bough_network_links. */
    bough_network_sizes (*network_size)(const bough_network *network);
    bough_status (*network_links)(const bough_network *network, const bough_link_arrays *arrays,
                                  bough_error *error);

    /* For trial. */
    const bough_network *(*network)(const bough_ext_trial *trial);
    bough_ext_messages (*messages)(const bough_ext_trial *trial);
    /* The links of the path of message i, as bough_network_path. */
    bough_status (*path)(const bough_ext_trial *trial, uint64_t i, bough_links *links, bough_error *error);
    /* The i-th random word of the trial. */
    uint64_t (*word)(const bough_ext_trial *trial, uint64_t i);
    /* A result: metric of `bough list metrics`; index -1: none. */
    bough_status (*row)(bough_ext_trial *trial, const char *metric, int64_t index, double value,
                        bough_error *error);
    /* Whether the run was asked to stop: return INTERRUPTED soon. */
    int (*stopped)(const bough_ext_trial *trial);
} bough_ext_host;

/* The functions for plug-ins, for programs that add names themselves. Never NULL. */
BOUGH_API const bough_ext_host *bough_extensions(void);

#if defined __GNUC__
#define BOUGH_EXT_EXPORT __attribute__((visibility("default")))
#else
#define BOUGH_EXT_EXPORT
#endif

#ifdef __cplusplus
#define BOUGH_EXT_BEGIN extern "C" {
#define BOUGH_EXT_END   }
#else
#define BOUGH_EXT_BEGIN
#define BOUGH_EXT_END
#endif

/* The head of the function that adds the names of a plug-in, once per registry. */
#define BOUGH_PLUGIN(host, registry, error)                                                                  \
    BOUGH_EXT_BEGIN                                                                                          \
    BOUGH_EXT_EXPORT extern const unsigned bough_plugin_version;                                             \
    BOUGH_EXT_EXPORT bough_status bough_plugin_add(const bough_ext_host *host, bough_registry *registry,     \
                                                   bough_error *error);                                      \
    BOUGH_EXT_END                                                                                            \
    const unsigned bough_plugin_version = BOUGH_EXT_VERSION;                                                 \
    bough_status bough_plugin_add(const bough_ext_host *host, bough_registry *registry, bough_error *error)

#ifdef __cplusplus
}
#endif

#endif
