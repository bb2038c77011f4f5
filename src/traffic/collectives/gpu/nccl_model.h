/* The tuning model of NCCL: latencies and bandwidths of algorithms and protocols, and the choice that follows
 * from them (NCCL 2.29, src/graph/tuning.cc and src/enqueue.cc; constants of Hopper). */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_NCCL_MODEL_H
#define BOUGH_TRAFFIC_COLLECTIVES_NCCL_MODEL_H

#include "traffic/collectives/gpu/pipeline.h"

typedef enum nccl_algorithm {
    NCCL_RING,
    NCCL_TREE,
    NCCL_NVLS_TREE,    /* NCCL: NVLS within a node, NVLSTree between nodes */
    NCCL_HIERARCHICAL, /* rings between nodes; never chosen */
    NCCL_PXN,
    NCCL_DIRECT,
    NCCL_SHARP, /* NCCL: CollNetDirect; never chosen */
    NCCL_ALGORITHMS
} nccl_algorithm;
extern const char *const nccl_algorithm_name[NCCL_ALGORITHMS]; /* as in algo= */
extern const char *const nccl_protocol_name[COLLECTIVE_SIMPLE + 1];

/* Collectives whose algorithm can be chosen. */
typedef enum nccl_collective {
    NCCL_ALLREDUCE,
    NCCL_ALLGATHER,
    NCCL_REDUCESCATTER,
    NCCL_BROADCAST,
    NCCL_ALLTOALL,
    NCCL_COLLECTIVES
} nccl_collective;
extern const char *const nccl_collective_name[NCCL_COLLECTIVES];

/* Starts all members, with the latencies of the protocol. */
void nccl_start(pipeline *p, nccl_algorithm algorithm);

typedef struct nccl_choice {
    nccl_algorithm algorithm;
    collective_protocol protocol;
    uint32_t channels; /* 0: one per NIC */
} nccl_choice;

/* One line of a table: the first that fits is the choice. */
typedef struct nccl_rule {
    nccl_collective collective;
    uint32_t nodes_from, nodes_to;
    uint64_t bytes_to;
    nccl_choice choice;
} nccl_rule;

/* Rates are bits per second. Without rules the choice is computed from them. */
typedef struct collective_tuning {
    nccl_rule *rule;
    size_t rules;
    const char *file;
    bool no_nvls;                /* NVSwitches do not add: NVLS is not available */
    uint64_t nic_rate, gpu_rate; /* of a NIC, and of a GPU to the others of its node; 0: 400 Gb/s, 3.6 Tb/s */
} collective_tuning;

/* What a choice depends on. */
typedef struct nccl_question {
    nccl_collective collective;
    uint32_t ranks, nodes, rails; /* rails: NICs of a node that are used */
    uint64_t bytes;
} nccl_question;

/* The time in us that NCCL's model gives; negative: the combination is not available. */
double nccl_time(const collective_tuning *tuning, const nccl_question *question, nccl_choice choice);
/* Whether PAT, which is not simulated, would be faster in NCCL's model. */
bool nccl_prefers_pat(const collective_tuning *tuning, const nccl_question *question, nccl_choice choice);
/* Errors: INVALID if a table has no line that fits. */
bough_status nccl_choose(const collective_tuning *tuning, const nccl_question *question, nccl_choice *choice,
                         bough_error *error);

#endif
