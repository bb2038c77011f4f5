/* Time of flight of data through a network on an established connection (dehon1991, Table 3), for one pair of
 * endpoints.
 *
 * One clock per switch; the clocks of links (network/layout/link_clocks.h): whole clocks for a wire between
 * stacks, and one or more where a route turns within a stack from the layer that leads up to one that leads
 * down. */
#ifndef BOUGH_MODELS_GEOMETRY_TIME_OF_FLIGHT_H
#define BOUGH_MODELS_GEOMETRY_TIME_OF_FLIGHT_H

#include "network/layout/link_clocks.h"

/* Over all routes of a pair; means are over random links at every switch. In clocks. */
typedef struct flight_clocks {
    uint64_t longest, shortest;
    double mean, wires, switches; /* wires and switches: means of these parts */
} flight_clocks;

typedef struct flight_state flight_state;

typedef struct flight {
    const bough_net *net;
    link_clocks clocks;
    /* Count the switches of a tree without lateral crossovers, whose routes pass every level of it twice. */
    bool plain;
    uint32_t *slot; /* by node: its state among the next, + 1 */
    flight_state *now, *next;
    size_t count, now_capacity, next_capacity; /* count: of next */
} flight;

/* Memory that flight_make allocates. */
uint64_t flight_bytes(const bough_net *net, const link_clock_rules *rules);
/* Borrows net, which has routes. Errors: as for link_clocks_make. */
bough_status flight_make(const bough_net *net, const link_clock_rules *rules, flight *f, bough_error *error);
void flight_fini(flight *f);
/* Errors: FAILED without a route. Cost: the links on the routes of the pair. */
bough_status flight_measure(flight *f, uint64_t from, uint64_t to, flight_clocks *clocks, bough_error *error);

#endif
