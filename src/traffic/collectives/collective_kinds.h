/* Collectives as kinds of traffic: common parameters. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_KINDS_H
#define BOUGH_TRAFFIC_COLLECTIVES_COLLECTIVE_KINDS_H

#include "traffic/collectives/collective.h"
#include "traffic/schedules/workload.h"

/* After "algo", before WORKLOAD_PARAM_LIST. */
#define COLLECTIVE_PARAM_LIST(bytes, show)                                                                   \
    {"size",                                                                                                 \
     "bytes of the vector: of a rank after an allgather, before a reducescatter, sent in an "                \
     "alltoall",                                                                                             \
     BOUGH_BYTES,                                                                                            \
     bytes,                                                                                                  \
     0,                                                                                                      \
     0x1p50,                                                                                                 \
     .echo = show},                                                                                          \
        {"ranks", "number of ranks; default: as many as fit", BOUGH_INT, "", 1, 0x1p28},                     \
        {"rounds", "number of repetitions", BOUGH_INT, "1", 1, 0x1p28}, {                                    \
        "reduce", "CPU time to add one byte to another", BOUGH_TIME, "0ps", 0, 1e9                           \
    }

/* Creates the schedule and workload of a traffic whose arguments are bound. */
bough_status collective_bind(const collective_kind *kind, bough_args *args, const bough_net *net,
                             bough_traffic *traffic, bough_error *error);

extern const bough_traffic_kind bough_traffic_allreduce, bough_traffic_allgather, bough_traffic_reducescatter,
    bough_traffic_broadcast, bough_traffic_reduce, bough_traffic_barrier, bough_traffic_halo;

#endif
