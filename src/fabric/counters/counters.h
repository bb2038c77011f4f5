/* Measured port counters beside the predicted loads of links. bough_check fills a bough_counters where its
 * question names files of counters; docs/counters.md has the formats and the rules. */
#ifndef BOUGH_FABRIC_COUNTERS_COUNTERS_H
#define BOUGH_FABRIC_COUNTERS_COUNTERS_H

#include "base/memory/arena.h"
#include "formats/counters/port_counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of the traffic on a link: PortXmitData where it starts, else PortRcvData where it ends. */
typedef enum bough_link_count {
    BOUGH_LINK_COUNTED,
    BOUGH_LINK_NOT_BEFORE, /* the first file has no counter of either end */
    BOUGH_LINK_NOT_AFTER,  /* only the second file has none */
    BOUGH_LINK_RESET,      /* the counter went down: it was cleared, or it wrapped */
    BOUGH_LINK_SATURATED,  /* a counter of 32 bits stands at its maximum */
    BOUGH_LINK_COUNTS
} bough_link_count;

/* A cable with errors. Ends: 0 where `link` starts, 1 where it ends. */
typedef struct bough_counted_cable {
    uint64_t link; /* the lower one of the two */
    uint64_t error[2][BOUGH_COUNTERS];
    bool at_least[2]; /* a counter of this end went down, or stands at its maximum */
    bool harmless;    /* PortRcvSwitchRelayErrors only: multicast packets that return to their port */
    uint64_t nominal; /* bit/s, where the cable is slower than that (bough_link_nominal); else 0 */
    double predicted; /* share of the predicted traffic of all counted links, in both directions; NAN */
    double measured;  /* the same of the measured traffic; NAN: not counted, or there is none */
} bough_counted_cable;

/* Measured traffic against what one routing predicts for one kind of traffic. Links that were not counted
 * take no part. */
typedef struct bough_counters_fit {
    size_t part;        /* index of the routing in the report */
    char *traffic;      /* spec; "alltoall" if the question has no job */
    bool bytes;         /* predicted loads are bytes: the job is a schedule; else flows */
    double *load;       /* [links] of the network, as predicted; owned */
    double total;       /* of load, over the counted links */
    double covered;     /* share of the predicted loads of all links that is on counted links; NAN: none */
    double factor;      /* measured bytes for one of load: median over links, weighted by load; NAN: none */
    double factor_mean; /* the same by the totals */
    /* Share of the measured traffic that is on other links than predicted: half the sum of differences
     * between measured and predicted shares, 0..1; NAN: there is no traffic. */
    double elsewhere;
    uint64_t *hot; /* [hots]: links that carry more than predicted, the largest excess first */
    size_t hots;
    uint64_t *idle; /* [idles]: links with predicted traffic that are almost idle, the largest loss first */
    size_t idles;
    /* [waits]: links with PortXmitWait that take no longer than the slowest link of a host for their
     * predicted load, so that no contention is expected; the most ticks first. */
    uint64_t *wait;
    size_t waits;
} bough_counters_fit;

/* A link is hot if its traffic exceeds the prediction (load x factor) by more than half of it, and by more
 * than a tenth of the mean prediction of a link. It is idle if its prediction is at least a tenth of the
 * mean, and it has less than a tenth of its prediction. Nothing is compared if less than a quarter of the
 * predicted loads is covered: ibqueryerrors, for example, prints the data of ports with errors only. */
#define BOUGH_COUNTERS_HOT     0.5
#define BOUGH_COUNTERS_FLOOR   0.1
#define BOUGH_COUNTERS_COVERED 0.25
#define BOUGH_COUNTERS_IDLE    0.1

typedef struct bough_counters {
    arena *memory;        /* of all of it: that of the report */
    char *before, *after; /* files; after NULL: one file, counted since its counters were cleared */
    double interval;      /* s between the two; NAN: not known */
    bool interval_given;  /* by the question; else by the files */
    uint64_t links;       /* alive links of the network, by what is known of them: */
    uint64_t count[BOUGH_LINK_COUNTS];
    uint64_t skipped;    /* lines of the files that are not counters */
    uint64_t unknown;    /* ports in the files whose node the fabric does not have */
    char *unknown_first; /* the first of them: "LID 7 port 1"; NULL: there is none */
    uint8_t *state;      /* [links] of the network: bough_link_count; owned */
    double *bytes;       /* [links]: traffic; NAN: not counted; owned */
    double *wait;        /* [links]: ticks of PortXmitWait where the link starts; NAN: not counted; owned */
    double total;        /* of bytes */
    bough_counters_fit *fit; /* [fits]: for each routing each job, or all-to-all if there is none */
    size_t fits;
    size_t best;                /* the fit with the least traffic elsewhere */
    bough_counted_cable *cable; /* [cables] with errors, the most predicted traffic of `best` first */
    size_t cables;
    uint64_t other_errors; /* ports with errors whose cable the network does not have */
} bough_counters;

#endif
