/* Forwarding tables over a tune_graph, and what a change of one entry moves. Entries are arcs, in rows of
 * destinations, as a search changes and follows one path millions of times; loads/ reads finished tables. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_TABLES_H
#define BOUGH_FABRIC_TUNE_TUNE_TABLES_H

#include "fabric/tune/tune_graph.h"
#include "routing/routing.h"

typedef struct tune_tables {
    const tune_graph *graph;
    uint32_t *next; /* [host * switches + switch]: an arc; BOUGH_NO_INDEX: none, or the leaf of the host */
} tune_tables;

/* Entries: the first choice of each. Errors: TOO_LARGE, NO_MEMORY. */
bough_status tune_tables_make(tune_tables *tables, const tune_graph *graph, bough_error *error);
void tune_tables_fini(tune_tables *tables);
void tune_tables_copy(tune_tables *to, const tune_tables *from);

/* Takes the entries of a routing, where they are choices; the others become the choice that the fewest hosts
 * have taken so far. Returns the number of the latter. The routing depends on node and address only. */
uint64_t tune_tables_take(tune_tables *tables, const bough_routing *routing);
/* Destinations one after another, one of each leaf in turn; each switch takes the choice whose arc, and the
 * rest of whose path, the fewest hosts have taken. */
bough_status tune_tables_spread(tune_tables *tables, uint64_t turn, bough_error *error);

static inline uint32_t *tune_entry(const tune_tables *t, uint32_t host, uint32_t node) {
    return &t->next[(uint64_t)host * t->graph->switches + node];
}

/* D-mod-K on whatever tree the levels of switches make: on the way up, destination d (counted leaf after
 * leaf) takes choice d / stride, modulo the number of choices, where stride is the product of these numbers
 * at the levels below; on the way down it takes the cable that it would take in the other direction. */
bough_status tune_tables_modk(tune_tables *tables, bough_error *error);

/* Arrays of the caller, [switches]. */
typedef struct tune_leaves {
    uint32_t *stack, *leaf;
} tune_leaves;
/* Writes the leaves whose paths to a host use a switch; returns their number. */
uint32_t tune_leaves_through(const tune_tables *tables, uint32_t host, uint32_t node,
                             const tune_leaves *leaves);

bool tune_is_choice(const tune_choices *choices, uint32_t arc);

/* No path has as many links. */
enum { TUNE_PATH_MAX = 256 };

#endif
