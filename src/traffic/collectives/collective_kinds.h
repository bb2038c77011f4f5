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

/* Options of the algorithms of GPU libraries. */
#define COLLECTIVE_GPU_PARAM_LIST                                                                              \
    {"channels", "of algorithms of GPU libraries: rings or trees side by side; default: one per NIC",          \
     BOUGH_INT,  "",                                                                                           \
     1,          COLLECTIVE_CHANNELS_MAX},                                                                     \
        {"chunk", "of these: bytes that are passed on together; default: 512KiB", BOUGH_BYTES, "", 1, 0x1p40}, \
        {"protocol",                                                                                           \
         "of these: bytes on the wire and latencies of NCCL; none: those of the network",                      \
         BOUGH_CHOICE,                                                                                         \
         "",                                                                                                   \
         0,                                                                                                    \
         0,                                                                                                    \
         "none|ll|ll128|simple"},                                                                              \
    {                                                                                                          \
        "tuning", "of algo=nccl: CSV of choices by collective, nodes and bytes; default: NCCL's model",        \
            BOUGH_TEXT, ""                                                                                     \
    }

/* Creates the schedule and workload of a traffic whose arguments are bound. */
bough_status collective_bind(const collective_kind *kind, bough_args *args, const bough_net *net,
                             bough_traffic *traffic, bough_error *error);

extern const bough_traffic_kind bough_traffic_allreduce, bough_traffic_allgather, bough_traffic_reducescatter,
    bough_traffic_broadcast, bough_traffic_reduce, bough_traffic_barrier, bough_traffic_halo;

#endif
