#include "network/compute_nodes/compute_nodes.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "formats/fabrics/fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS(x)   ((x)*UINT64_C(1000))
#define GBPS(x) ((x)*UINT64_C(1000000000))

/* clang-format off */
/* A message between two GPUs of a node crosses two NVLinks, 0.6 us in NCCL's model of a ring with the protocol
 * LL (src/graph/tuning.cc, hwLat). It allows 1 us for PCIe. */
#define LATENCIES .nvlink_delay = NS(300), .pcie_delay = NS(500)

const bough_node_preset bough_node_presets[] = {
    {"dgx-a100", "8 GPUs with NVLink 3 (600 GB/s both ways), 8 NICs, PCIe 4.0 x16",
     "NVIDIA DGX A100 system architecture, white paper WP-10083-001, 2020",
     {NULL, .gpus = 8, .nics = 8, .nvlink = GBPS(2400), .pcie = GBPS(256), LATENCIES, .pxn = true, .rail = true}},
    {"dgx-h100", "8 GPUs with NVLink 4 (900 GB/s both ways), 8 NICs, PCIe 5.0 x16",
     "NVIDIA DGX H100 system architecture, white paper, 2023; NVIDIA H100 datasheet",
     {NULL, .gpus = 8, .nics = 8, .nvlink = GBPS(3600), .pcie = GBPS(512), LATENCIES, .pxn = true, .nvls = true, .rail = true}},
    {"dgx-b200", "8 GPUs with NVLink 5 (1.8 TB/s both ways), 8 NICs, PCIe 5.0 x16",
     "NVIDIA DGX B200 datasheet, 2024",
     {NULL, .gpus = 8, .nics = 8, .nvlink = GBPS(7200), .pcie = GBPS(512), LATENCIES, .pxn = true, .nvls = true, .rail = true}},
    {"gb200-nvl72", "72 GPUs with NVLink 5 (1.8 TB/s both ways), 72 NICs, PCIe 5.0 x16",
     "NVIDIA GB200 NVL72 datasheet, 2024",
     {NULL, .gpus = 72, .nics = 72, .nvlink = GBPS(7200), .pcie = GBPS(512), LATENCIES, .pxn = true, .nvls = true, .rail = true}},
    {"server", "GPUs with an NVSwitch and a NIC on each GPU, as SimAI's topology files describe them", "SimAI, NSDI 2025",
     {NULL, .gpus = 8, .nics = 8, .nvlink = GBPS(2880), .nvlink_delay = UINT64_C(25000), .pcie = BOUGH_PCIE_NONE, .pxn = true}},
    {"pcie", "4 GPUs and 1 NIC on PCIe 4.0 x16, without NVLink", "PCI Express Base Specification 4.0, 2017",
     {NULL, .gpus = 4, .nics = 1, .pcie = GBPS(256), LATENCIES}},
    {0},
};
/* clang-format on */

enum {
    P_GPUS,
    P_NICS,
    P_NVLINK,
    P_NVLINK_DELAY,
    P_PCIE,
    P_PCIE_DELAY,
    P_PXN,
    P_FAILOVER,
    P_NVLS,
    P_WIRING,
    P_UNIT
};

const bough_param bough_node_params[] = {
    [P_GPUS] = {"gpus", "GPUs of a node", BOUGH_INT, "", 1, BOUGH_SERVER_GPUS},
    [P_NICS] = {"nics", "NICs of a node, divided among its GPUs", BOUGH_INT, "", 1, 1024},
    [P_NVLINK] = {"nvlink", "rate of a GPU to the NVSwitch, in each direction; 0b/s: no NVSwitch", BOUGH_RATE,
                  "", 0, BOUGH_SERVER_RATE},
    [P_NVLINK_DELAY] = {"nvlink_delay", "delay between a GPU and the NVSwitch", BOUGH_TIME, "", 0, 1e12},
    [P_PCIE] = {"pcie", "rate between a GPU and its NIC, in each direction", BOUGH_RATE, "", 1e6,
                BOUGH_PCIE_NONE},
    [P_PCIE_DELAY] = {"pcie_delay", "delay between a GPU and its NIC", BOUGH_TIME, "", 0, 1e12},
    [P_PXN] = {"pxn", "messages to a GPU of another rail change rails inside the node of the sender",
               BOUGH_FLAG, ""},
    [P_FAILOVER] = {"failover", "the next live NIC of the node takes the place of a dead one", BOUGH_FLAG,
                    ""},
    [P_NVLS] = {"nvls", "the NVSwitch adds vectors (NVLink SHARP): algo=nccl may choose nvls-tree",
                BOUGH_FLAG, ""},
    [P_WIRING] =
        {"wiring",
         "endpoints of the network: rail (the first NICs of all nodes, then the second ones), linear "
         "(those of a node together)",
         BOUGH_CHOICE, "", 0, 0, "linear|rail"},
    [P_UNIT] = {"unit", "wiring=rail: nodes of a scalable unit, whose NICs are neighbours; 0: all nodes",
                BOUGH_INT, "", 0, 0x1p28},
    BOUGH_PARAMS_END,
};

static const bough_node_preset *find_preset(const char *name, bough_error *error) {
    const char *names[16];
    size_t count = 0;
    for (const bough_node_preset *p = bough_node_presets; p->name; p++) {
        if (strcmp(p->name, name) == 0) return p;
        names[count++] = p->name;
    }
    char hint[BOUGH_HINT_MAX];
    bough_fail(error, BOUGH_INVALID, NULL, "no compute node '%s'%s; see `bough list nodes`", name,
               bough_hint(hint, name, names, count));
    return NULL;
}

static void apply(const bough_args *args, bough_node_setting *n) {
    const bough_value *v = args->value;
    if (v[P_GPUS].given) n->gpus = (uint32_t)v[P_GPUS].integer;
    if (v[P_NICS].given) n->nics = (uint32_t)v[P_NICS].integer;
    if (v[P_NVLINK].given) n->nvlink = (uint64_t)v[P_NVLINK].integer;
    if (v[P_NVLINK_DELAY].given) n->nvlink_delay = (uint64_t)v[P_NVLINK_DELAY].integer;
    if (v[P_PCIE].given) n->pcie = (uint64_t)v[P_PCIE].integer;
    if (v[P_PCIE_DELAY].given) n->pcie_delay = (uint64_t)v[P_PCIE_DELAY].integer;
    if (v[P_PXN].given) n->pxn = v[P_PXN].integer != 0;
    if (v[P_FAILOVER].given) n->failover = v[P_FAILOVER].integer != 0;
    if (v[P_NVLS].given) n->nvls = v[P_NVLS].integer != 0;
    if (v[P_WIRING].given) n->rail = v[P_WIRING].integer != 0;
    if (v[P_UNIT].given) n->unit = (uint32_t)v[P_UNIT].integer;
}

/* Refuses several NICs for a GPU, and says what carries as much: one whose links, also to the GPU, are
 * faster. */
static bough_status refuse_nics(const bough_node_setting *n, bough_error *error) {
    const double times = (double)n->nics / n->gpus;
    char rate[40], pcie[48] = "";
    if (n->pcie != BOUGH_PCIE_NONE)
        snprintf(pcie, sizeof pcie, ",pcie=%s",
                 bough_format_measure(BOUGH_RATE, (int64_t)(times * (double)n->pcie), rate, sizeof rate));
    return bough_fail(
        error, BOUGH_INVALID, NULL,
        "compute node: nics=%" PRIu32 " for gpus=%" PRIu32 ", but a GPU uses one NIC; nics=%" PRIu32
        "%s and a network whose links have %g times the rate (as rate= beside node= says) carry "
        "as much",
        n->nics, n->gpus, n->gpus, pcie, times);
}

static bough_status check(const bough_args *args, bough_node_setting *n, bough_error *error) {
    if (n->nics > n->gpus) return refuse_nics(n, error);
    if (n->gpus % n->nics != 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "compute node: gpus=%" PRIu32 " cannot be divided evenly among nics=%" PRIu32,
                          n->gpus, n->nics);
    if (n->pxn && !n->nvlink && args->value[P_PXN].given)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "compute node: pxn=1 needs an NVSwitch (nvlink= above 0)");
    if (n->failover && !n->nvlink)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "compute node: failover=1 needs an NVSwitch (nvlink= above 0)");
    if (n->unit && !n->rail)
        return bough_fail(error, BOUGH_INVALID, NULL, "compute node: unit= needs wiring=rail");
    if (!n->nvlink) n->pxn = n->nvls = false;
    return BOUGH_OK;
}

bough_status bough_node_setting_create(const char *text, bough_node_setting **out, bough_error *error) {
    bough_spec spec = {0};
    bough_args args = {0};
    bough_node_setting *made = NULL;
    *out = NULL;
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    const bough_node_preset *preset = find_preset(spec.name, error);
    if (!preset) status = BOUGH_INVALID;
    TRY(bough_args_bind(&spec, bough_node_params, "compute node", &args, error));
    TRY(bough_alloc(&made, 1, sizeof *made, error));
    if (!status) {
        *made = preset->values;
        apply(&args, made);
        status = check(&args, made, error);
    }
    if (!status && !(made->spec = bough_args_format(preset->name, &args)))
        status = bough_fail_memory(error, strlen(spec.name));
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    if (status)
        bough_node_setting_destroy(made);
    else
        *out = made;
    return status;
}

void bough_node_setting_destroy(bough_node_setting *n) {
    if (n) FREE_ALL(n->spec, n);
}
