/* Compute nodes: GPUs, the network inside a node, and its network adapters (NICs). They are part of the
 * physical setting (`node=` of network/physical/physical.h). A network whose endpoints are GPUs is made from
 * one whose endpoints are NICs, so that messages inside a node take time and share links in every method.
 *
 *     dgx-h100                         a named node
 *     dgx-h100:nics=4,pxn=0            the same with other values
 *
 * Compute node k has GPUs k gpus .. k gpus + gpus - 1, which are the endpoints of the new network, and `nics`
 * endpoints of the old one. GPU g of a node has a link to NIC g nics / gpus of the node at the rate of PCIe.
 * The GPUs of a node are also joined by one NVSwitch (rate nvlink for each GPU and direction); with nvlink=0
 * its NICs are joined by one PCIe switch instead. A message between nodes leaves through the NIC of its GPU,
 * or (pxn) through the NIC with the index of the receiver's, which it reaches over the NVSwitch and the GPU
 * of that NIC. With failover the tasks of a NIC whose cables are dead are those of the next live one of its
 * node: messages reach it, and leave it, over the GPU of that NIC and the NVSwitch. */
#ifndef BOUGH_NETWORK_COMPUTE_NODES_COMPUTE_NODES_H
#define BOUGH_NETWORK_COMPUTE_NODES_COMPUTE_NODES_H

#include "base/text/spec.h"
#include "bough/status.h"

#include <stdint.h>

typedef struct bough_net bough_net;

/* The rate of PCIe where the NIC is a part of the GPU: bit/s that bound nothing. */
#define BOUGH_PCIE_NONE UINT64_C(60000000000000)

typedef struct bough_node_setting {
    char *spec; /* canonical; owned */
    uint32_t gpus, nics;
    uint64_t nvlink, nvlink_delay; /* bit/s of a GPU to the NVSwitch, in each direction; 0: no NVSwitch. ps */
    uint64_t pcie, pcie_delay;     /* between a GPU and its NIC */
    bool pxn, failover;
    bool nvls; /* the NVSwitch adds vectors (NVLink SHARP) */
    bool rail; /* NICs of one index are neighbours in the network (rail-optimized); else those of a node */
    uint32_t unit; /* rail: nodes of a scalable unit, whose NICs are neighbours; 0: all nodes */
} bough_node_setting;

typedef struct bough_node_preset {
    const char *name, *summary, *source;
    bough_node_setting values; /* spec: NULL */
} bough_node_preset;
extern const bough_node_preset bough_node_presets[]; /* ends with a NULL name */
extern const bough_param bough_node_params[];        /* defaults are those of the preset */

/* The caller owns the setting. Errors: INVALID, NO_MEMORY. */
bough_status bough_node_setting_create(const char *spec, bough_node_setting **setting, bough_error *error);
void bough_node_setting_destroy(bough_node_setting *setting); /* NULL is allowed */

/* What bough_net.compute points to. */
typedef struct bough_compute_nodes {
    const bough_net *fabric; /* its endpoints are NICs; its links and groups have the same ids in the new
                                network, its nodes are numbered from first_fabric_node */
    const bough_node_setting *setting;
    uint64_t nodes; /* compute nodes */
    /* Where the file of the fabric names hosts with several endpoints, compute nodes are those with `nics` or
     * more: [nodes * nics] the endpoint of a NIC; [endpoints of the fabric] the number in that array,
     * UINT32_MAX: not used. NULL: by `rail` and `unit`. */
    const uint32_t *nic, *nic_of;
    const uint16_t *live; /* [nodes x nics]: the NIC of the node that has its tasks; NULL: each has its own */
    uint64_t first_fabric_node, first_switch; /* first_switch: the NVSwitch or PCIe switch of node 0 */
} bough_compute_nodes;

/* Makes the network of the GPUs of endpoints / nics compute nodes; endpoints that are left are not used.
 * Borrows fabric, with its faults and its physical setting, and the setting. O(links / 64) with faults
 * (failover: O(endpoints)), else O(1). Errors: INVALID if no node fits; TOO_LARGE; NO_MEMORY. */
bough_status bough_compute_nodes_create(const bough_net *fabric, const bough_node_setting *setting,
                                        bough_net **net, bough_error *error);

/* The NIC of a GPU, as an endpoint of the fabric. */
uint64_t bough_gpu_nic(const bough_compute_nodes *compute, uint64_t gpu);
/* The NIC through which messages to it arrive (another one only with failover), and its first address. */
uint64_t bough_gpu_nic_in(const bough_compute_nodes *compute, uint64_t gpu);
uint64_t bough_gpu_address(const bough_compute_nodes *compute, uint64_t gpu);
/* The NIC, as an endpoint of the fabric, through which messages of a GPU to one of another node leave. */
uint64_t bough_gpu_nic_towards(const bough_compute_nodes *compute, uint64_t gpu, uint64_t to);
/* The link inside a compute node that a message to a GPU takes at a node, or BOUGH_NONE: the fabric carries
 * it on from there. */
uint64_t bough_compute_link(const bough_net *net, uint64_t node, uint64_t gpu);

#endif
