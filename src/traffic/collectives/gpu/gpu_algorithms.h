/* Algorithms of GPU libraries (NCCL, RCCL), as entries of the tables of collectives. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_GPU_ALGORITHMS_H
#define BOUGH_TRAFFIC_COLLECTIVES_GPU_ALGORITHMS_H

#include "traffic/collectives/gpu/nccl_model.h"

void gpu_ring_allreduce(collective *c);
void gpu_ring_allgather(collective *c);
void gpu_ring_reducescatter(collective *c);
void gpu_ring_broadcast(collective *c);
void gpu_tree_allreduce(collective *c);
void gpu_hierarchical_allreduce(collective *c);
void gpu_nvls_tree_allreduce(collective *c);
void gpu_sharp_allreduce(collective *c);
void gpu_pxn_alltoall(collective *c);
void gpu_direct_alltoall(collective *c);

/* The schedule of c->program. */
void gpu_msccl(collective *c);
uint64_t gpu_msccl_items(const collective *c);

/* Items of the vector, as collective_algorithm.blocks. */
uint64_t gpu_ring_items(const collective *c);
uint64_t gpu_ring_gather_items(const collective *c);
uint64_t gpu_ring_broadcast_items(const collective *c);
uint64_t gpu_tree_items(const collective *c);
uint64_t gpu_hierarchical_items(const collective *c);
uint64_t gpu_nvls_tree_items(const collective *c);
uint64_t gpu_sharp_items(const collective *c);

void gpu_chosen_allreduce(collective *c);
void gpu_chosen_allgather(collective *c);
void gpu_chosen_reducescatter(collective *c);
void gpu_chosen_broadcast(collective *c);
void gpu_chosen_alltoall(collective *c);
uint64_t gpu_chosen_allreduce_items(const collective *c);
uint64_t gpu_chosen_allgather_items(const collective *c);
uint64_t gpu_chosen_reducescatter_items(const collective *c);
uint64_t gpu_chosen_broadcast_items(const collective *c);

#define GPU_SOURCE "NVIDIA NCCL 2.29; Hu et al. 2025"

#endif
