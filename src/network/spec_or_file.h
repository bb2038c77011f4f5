/* Network arguments that people write: a spec, or the path of a fabric file. */
#ifndef BOUGH_NETWORK_SPEC_OR_FILE_H
#define BOUGH_NETWORK_SPEC_OR_FILE_H

#include "base/text/keys.h"
#include "base/text/text.h"
#include "network/registry.h"

#include <stdbool.h>

/* Appends the argument as a spec (of the registry, which may be NULL): itself, or ibnet:file=PATH if it is
 * the path of a file. file: it must be one, so that a missing one is reported as such. */
void put_network_spec(bough_text *out, const bough_registry *registry, const char *argument, bool file);

/* A network as a question has it: the argument, and what is said of the endpoints of a fabric beside it. */
typedef struct network_argument {
    const char *text;
    bool file;                             /* as above */
    const char *order, *endpoints, *names; /* of the family ibnet; NULL: not given */
    bool aggregation;
} network_argument;

/* All of it as one spec, in the memory (NULL: on the heap). Errors: NO_MEMORY. */
bough_status network_argument_spec(const network_argument *argument, const bough_registry *registry,
                                   arena *memory, char **spec, bough_error *error);
/* Appends forwarding tables as a routing: lft:file=PATH. */
void put_tables_spec(bough_text *out, const char *path);

/* A network of a question. */
typedef struct network_asked {
    network_argument argument;
    const char *const *faults; /* [faults_count]: specs of the parts that are missing */
    size_t faults_count;
    const char *physical; /* NULL: the default setting */
} network_asked;

/* Keys (base/text/keys.h) that land in the network_asked `field` of a question. */
#define FAULTS_KEY(type, field)                                                                              \
    {                                                                                                        \
        "faults", 0, "SPEC",                                                                                 \
            "without the parts that SPEC names (`bough list faults`), as in\nchips:share=5%; several "       \
            "accumulate",                                                                                    \
            KEY_REPEAT, "FAULTS", KEY_LIST, offsetof(type, field.faults), offsetof(type, field.faults_count) \
    }
#define PHYSICAL_KEY(type, field)                                                                            \
    {                                                                                                        \
        "physical", 0, "SPEC",                                                                               \
            "rates, delays, sizes and hosts (`bough list physical`),\nas in ndr or default:rate=25Gb/s", 0,  \
            "PHYSICAL", KEY_TEXT, offsetof(type, field)                                                      \
    }
#define NAMES_KEY(type, field)                                                                               \
    {                                                                                                        \
        "names", 0, "FILE", "names of nodes by GUID, as in ib-node-name-map", 0, "FILE", KEY_TEXT,           \
            offsetof(type, field.names)                                                                      \
    }
/* The same of a network_argument: for fabrics, and for networks that need not be fabrics. */
#define ENDPOINT_KEYS(type, field)                                                                           \
    {"order",  0,                                                                                            \
     "ORDER",  "order of the endpoints: name (default), lid, guid, or a file of names or LIDs",              \
     0,        "lid|guid|name|FILE",                                                                         \
     KEY_TEXT, offsetof(type, field.order)},                                                                 \
        {"endpoints", 0,    "REGEX",  "only adapters whose name matches",                                    \
         0,           NULL, KEY_TEXT, offsetof(type, field.endpoints)},                                      \
        NAMES_KEY(type, field), {                                                                            \
        "aggregation", 0, NULL, "count aggregation nodes as endpoints", 0, NULL, KEY_FLAG,                   \
            offsetof(type, field.aggregation)                                                                \
    }
#define ENDPOINT_KEYS_OF_NETWORKS(type, field)                                                               \
    NAMES_KEY(type, field),                                                                                  \
        {"order",  0,                                                                                        \
         "ORDER",  "order of a fabric's endpoints: name (default), lid, guid, or a file",                    \
         0,        "lid|guid|name|FILE",                                                                     \
         KEY_TEXT, offsetof(type, field.order)},                                                             \
    {                                                                                                        \
        "endpoints", 0, "REGEX", "fabrics: only adapters whose name matches", 0, NULL, KEY_TEXT,             \
            offsetof(type, field.endpoints)                                                                  \
    }

#endif
