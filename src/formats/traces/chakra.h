/* Chakra execution traces (Sridharan et al. 2023; github.com/mlcommons/chakra): what the readers of its two
 * forms share. A trace of a rank is a graph of nodes: computations, messages, parts in collectives. */
#ifndef BOUGH_FORMATS_TRACES_CHAKRA_H
#define BOUGH_FORMATS_TRACES_CHAKRA_H

#include "base/json/json_build.h"
#include "base/memory/index_map.h"
#include "base/memory/name_map.h"
#include "base/text/scanner.h"
#include "formats/traces/recorded_readers.h"

/* As in the schema. */
typedef enum chakra_type {
    CHAKRA_INVALID,
    CHAKRA_METADATA,
    CHAKRA_LOAD,
    CHAKRA_STORE,
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECV,
    CHAKRA_COLLECTIVE,
    CHAKRA_TYPES
} chakra_type;

/* Attributes. */
enum { CHAKRA_SIZE = 1, CHAKRA_KIND = 2, CHAKRA_SOURCE = 4, CHAKRA_DESTINATION = 8 };

typedef struct chakra_node {
    uint64_t id, type; /* chakra_type */
    uint64_t us;       /* duration */
    unsigned given;    /* which of these attributes it has */
    uint64_t size, kind, source, destination, tag;
    bool host;         /* runs on the host's CPU, not on the GPU */
    bool some;         /* a collective of some dimensions of the network only */
    const char *group; /* name of the process group; length 0: all ranks */
    size_t group_length;
    const char *values; /* of its inputs: metadata; may be NULL */
    size_t values_length;
} chakra_node;

typedef struct chakra_dependency {
    uint64_t before; /* id */
    uint32_t op, record;
} chakra_dependency;

/* The state of reading one job. */
typedef struct chakra {
    scanner in; /* line: the record of the present node, counted from 1 */
    uint32_t rank;
    bool alike; /* one file for all ranks */
    recording *out;
    bough_index_map ids; /* of this rank: operations */
    chakra_dependency *dependency;
    size_t dependencies;
    bough_name_map groups; /* names: groups of the recording */
    arena memory;          /* of all of it but the recording */
} chakra;

/* Adds a node, which the dependencies of this record refer to. */
bough_status chakra_add(chakra *c, const chakra_node *node, uint32_t *op);
bough_status chakra_depends(chakra *c, uint32_t op, uint64_t before);
/* Defines the members of a process group; the same definition may come again. */
bough_status chakra_group(chakra *c, const char *name, size_t length, const uint32_t *member, uint32_t n);

/* Read one rank. */
bough_status chakra_read_wire(chakra *c, const bough_input_piece *piece);
bough_status chakra_read_json(chakra *c, const json_t *root);
/* The value of a file; json_decref frees it. */
bough_status chakra_parse_json(const chakra *c, const bough_input_piece *piece, json_t **root);
/* How many ranks the groups in a trace name; 0: none. *whole: one of the groups has all ranks. */
uint64_t chakra_json_ranks(const json_t *root, bool *whole);
/* Process groups as JSON: {"1": [0, 1], ..}, the form of ASTRA-sim. */
bough_status chakra_read_groups(chakra *c, const bough_input_piece *piece);
/* The groups in a metadata node of PyTorch: a list of {"pg_name": .., "ranks": [..]} in brackets and quotes.
 */
bough_status chakra_read_values(chakra *c, const chakra_node *node);

bool chakra_wire_is(const char *data, size_t size);

#endif
