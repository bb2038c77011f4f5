/* The switches of a network, the cables between them, and the links that a table may use.
 *
 * A destination of tables is a host or, where there are several paths to a host, one of its addresses (LIDs
 * under LMC). What is sent to a host is divided equally over its destinations. A leaf is a switch with hosts.
 * An arc is a live link between two switches. For every leaf and switch there is a list of arcs, the choices:
 * those at the beginning of a legal path to the leaf, all of one length. A table takes any of them for each
 * host of the leaf. Legal are all shortest paths, if links cannot wait for each other in a cycle whatever is
 * taken; otherwise the shortest up/down paths (up_down_paths.h). */
#ifndef BOUGH_FABRIC_TUNE_TUNE_GRAPH_H
#define BOUGH_FABRIC_TUNE_TUNE_GRAPH_H

#include "base/memory/compressed_rows.h"
#include "network/net.h"

typedef struct tune_graph {
    const bough_net *net;
    uint32_t switches, hosts, destinations, leaves, arcs;
    uint32_t *first_of;      /* [hosts + 1]: destinations of a host: first_of[host] .., up to the next */
    uint32_t *host_of;       /* [destinations] */
    uint32_t *leaf_of;       /* [destinations]: leaf; BOUGH_NO_INDEX: the cable of the host is dead */
    uint32_t *leaf_switch;   /* [leaves] */
    uint32_t *leaf_hosts;    /* [leaves] */
    uint32_t *leaf_at;       /* [switches]: leaf or BOUGH_NO_INDEX */
    uint32_t *link;          /* [arcs]: of the network */
    uint32_t *from, *to;     /* [arcs]: switches */
    double *scale;           /* [arcs]: nominal rate over the rate of the link */
    uint32_t *arc_of;        /* [links]: arc or BOUGH_NO_INDEX */
    compressed_rows out, in; /* arcs by switch */
    double *host_scale;      /* [hosts]: of the links of a host, the larger one */
    bool equal;              /* all links between switches have one rate */
    bool shortest;           /* legal are all shortest paths */
    uint64_t pairs;          /* ordered pairs of hosts that are connected */
    uint32_t *first;         /* [leaves * switches + 1] */
    uint32_t *choice;        /* of leaf l at switch s: choice[first[l * switches + s]] .. */
} tune_graph;

/* With 2^lmc destinations a host, as far as it has so many addresses. Zero-initialise. Errors: UNSUPPORTED
 * unless every host has one cable, to a switch; INVALID if none has so many addresses; TOO_LARGE; NO_MEMORY.
 * Cost: leaves x links. */
bough_status tune_graph_make(tune_graph *graph, const bough_net *net, unsigned lmc, bough_error *error);
void tune_graph_fini(tune_graph *graph);
/* Whether an endpoint has one cable, to a switch. */
bool tune_graph_fits(const bough_net *net, uint64_t endpoint);

static inline uint32_t tune_paths_to(const tune_graph *g, uint32_t host) {
    return g->first_of[host + 1] - g->first_of[host];
}
/* The fraction of what is sent to the host of a destination. */
static inline double tune_share(const tune_graph *g, uint32_t destination) {
    return 1.0 / tune_paths_to(g, g->host_of[destination]);
}
/* Its first address; others follow at distances of tune_paths_to(). */
static inline uint64_t tune_address(const tune_graph *g, uint32_t destination) {
    const uint32_t host = g->host_of[destination];
    return bough_endpoint_address(g->net, host) + destination - g->first_of[host];
}

/* The choices at a switch towards a leaf. */
typedef struct tune_choices {
    const uint32_t *arc;
    uint32_t count;
} tune_choices;

static inline tune_choices tune_choices_at(const tune_graph *g, uint32_t leaf, uint32_t node) {
    const uint32_t *first = &g->first[(uint64_t)leaf * g->switches + node];
    return (tune_choices){g->choice + first[0], first[1] - first[0]};
}

#endif
