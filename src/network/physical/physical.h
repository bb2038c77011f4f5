/* The physical setting: rates and delays of links, sizes of packets and flits, buffers, and the costs of
 * hosts. A network has one, and every method derives from it what its model needs, so that all methods
 * evaluate the same machine. Rates that a network knows itself (imported fabrics) take precedence.
 *
 *     ndr                     a named setting
 *     ndr:switch=200ns,o=0ns  the same with other values
 */
#ifndef BOUGH_NETWORK_PHYSICAL_PHYSICAL_H
#define BOUGH_NETWORK_PHYSICAL_PHYSICAL_H

#include "base/text/spec.h"
#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bough_net bough_net;

#define BOUGH_FROM_NETWORK UINT64_MAX

/* clang-format off */
/* Variation of the time t of computations, drawn for each one:
 *   lognormal     t exp(s z - s^2 / 2), z normal with variance 1, s such that the standard deviation is
 *                 share t: the mean is t
 *   exponential   t (1 + share x), x exponential with mean 1: the mean is t (1 + share), and none is below t
 *   spike         t + time with probability share, else t */
/* clang-format on */
typedef enum bough_jitter_kind {
    BOUGH_JITTER_NONE,
    BOUGH_JITTER_LOGNORMAL,
    BOUGH_JITTER_EXPONENTIAL,
    BOUGH_JITTER_SPIKE
} bough_jitter_kind;
typedef struct bough_jitter {
    bough_jitter_kind kind;
    double share;
    uint64_t time; /* ps */
} bough_jitter;
/* Reads "none", "lognormal:5%", "exponential:5%" or "spike:share=1%,time=1ms". Errors: INVALID. */
bough_status bough_jitter_read(const char *spec, bough_jitter *jitter, bough_error *error);
/* Writes it back as "lognormal:share=0.05". Returns buffer; 80 characters suffice. */
char *bough_jitter_text(const bough_jitter *jitter, char *buffer, size_t size);

/* Host parameters of LogGOPS (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010), in picoseconds. L and G are
 * BOUGH_FROM_NETWORK if the paths of the network determine them. */
typedef struct bough_host {
    uint64_t L;          /* without a network: from the departure of the last byte to its arrival */
    uint64_t o;          /* CPU time per message, at either end */
    uint64_t g;          /* minimum gap between two messages of one NIC */
    uint64_t G;          /* without a network: NIC time per byte after the first */
    uint64_t O;          /* CPU time per byte after the first */
    uint64_t S;          /* bytes: larger messages are sent by rendezvous; 0: none are */
    bough_jitter jitter; /* of computations */
} bough_host;

typedef struct bough_physical {
    char *spec;            /* canonical; owned */
    uint64_t rate;         /* bit/s of links that have no rate of their own */
    uint64_t host_rate;    /* bit/s of links of endpoints; 0: as other links */
    uint64_t delay;        /* ps from one end of a link to the other */
    uint64_t switch_delay; /* ps in a switch */
    uint64_t header;       /* bytes added to every packet */
    uint64_t packet, flit; /* bytes of data in a packet; bytes of a flit */
    uint32_t buffer,
        channels; /* flits that a buffer of a virtual channel holds; virtual channels of a link */
    bough_host host;
    struct bough_node_setting
        *node;            /* network/compute_nodes/compute_nodes.h; owned; NULL: endpoints are not divided */
    bool sharp;           /* switches add (network/aggregation/aggregation.h) */
    uint64_t sharp_delay; /* ps of a sum */
} bough_physical;

/* A named setting. */
typedef struct bough_physical_preset {
    const char *name, *summary, *source;
    bough_physical values; /* spec: NULL */
} bough_physical_preset;
extern const bough_physical_preset
    bough_physical_presets[];                     /* ends with a NULL name; the first is the default */
extern const bough_param bough_physical_params[]; /* defaults are those of the preset */

/* The caller owns the setting. NULL: the default. Errors: INVALID, NO_MEMORY. */
bough_status bough_physical_create(const char *spec, bough_physical **physical, bough_error *error);
/* The same for a network: where its file describes servers (bough_fabric.servers), they are the compute
 * nodes, unless spec has node=. *physical is NULL if spec is and the file describes none. */
bough_status bough_physical_create_for(const bough_net *net, const char *spec, bough_physical **physical,
                                       bough_error *error);
void bough_physical_destroy(bough_physical *physical); /* NULL is allowed */

/* The setting of a network; never NULL. */
const bough_physical *bough_net_physical(const bough_net *net);
/* Sets the setting of a network. To be called before routings and traffic are created. Borrows physical.
 * NULL: the default. */
void bough_net_set_physical(bough_net *net, const bough_physical *physical);

/* Rate of a link in bit/s: its own, if the network knows it, else that of the setting. host_rate takes
 * precedence on links of endpoints. Slow links (bough_net.speeds) have a fraction of it. */
uint64_t bough_net_link_rate(const bough_net *net, uint64_t link);
/* The rate that the network knows of a link; 0: none. Where links are slow, the rates of all are known. */
uint64_t bough_net_known_rate(const bough_net *net, uint64_t link);
/* False: no link has a known rate. */
bool bough_net_knows_rates(const bough_net *net);
/* What a link makes of a rate that was meant for all: a fraction of it, if it is slow. */
uint64_t bough_net_slowed_rate(const bough_net *net, uint64_t link, uint64_t rate);
/* Time of a computation of this many ps on the host of an endpoint; at most UINT64_MAX. */
uint64_t bough_net_compute_time(const bough_net *net, uint64_t endpoint, uint64_t time);
/* False: this is the time itself on every host. */
bool bough_net_computes_slowly(const bough_net *net);
/* Lowest and highest of these rates. *own: number of links whose rate the network knows. O(links). */
typedef struct bough_rate_range {
    uint64_t low, high, own;
} bough_rate_range;
bough_rate_range bough_net_rate_range(const bough_net *net);
/* Rate in bit/s at which an endpoint sends: of all its links, or of the fastest if it forwards messages too.
 * rate: of all links of the network; 0: their own. */
uint64_t bough_net_endpoint_rate(const bough_net *net, uint64_t endpoint, uint64_t rate);
/* The highest of all endpoints. O(links). */
uint64_t bough_net_endpoint_rate_max(const bough_net *net, uint64_t rate);
/* Delay of the first bit over a path of this number of links, in ps, if all links and switches have the
 * delays of the setting. */
uint64_t bough_physical_delay(const bough_physical *physical, uint64_t links);
/* Delay of a link, and of a node between two links of a path, in ps. */
uint64_t bough_net_link_delay(const bough_net *net, uint64_t link);
uint64_t bough_net_node_delay(const bough_net *net, uint64_t node);
/* False: bough_physical_delay holds for every path. */
bool bough_net_own_delays(const bough_net *net);
/* Delay of the first bit over a link; last: the message does not go on from its end. */
uint64_t bough_net_hop_delay(const bough_net *net, uint64_t link, bool last);

/* Bytes that a message of this size occupies on links: its data and the headers of its packets (at least
 * one). */
uint64_t bough_physical_wire_bytes(const bough_physical *physical, uint64_t bytes);
/* Time of a number of bytes at a rate in bit/s, in ps, to the nearest; at most UINT64_MAX. */
uint64_t bough_physical_time(uint64_t bytes, uint64_t rate);

#endif
