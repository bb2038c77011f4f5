#include "traffic/collectives/gpu/nccl_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const nccl_algorithm_name[NCCL_ALGORITHMS] = {
    [NCCL_RING] = "nccl-ring",
    [NCCL_TREE] = "nccl-tree",
    [NCCL_NVLS_TREE] = "nvls-tree",
    [NCCL_HIERARCHICAL] = "hierarchical",
    [NCCL_PXN] = "pxn",
    [NCCL_DIRECT] = "nccl-direct",
    [NCCL_SHARP] = "sharp",
};
const char *const nccl_protocol_name[COLLECTIVE_SIMPLE + 1] = {"none", "ll", "ll128", "simple"};
const char *const nccl_collective_name[NCCL_COLLECTIVES] = {"allreduce", "allgather", "reducescatter",
                                                            "broadcast", "alltoall"};

/* ---- latencies, ns ---- */

typedef struct latency {
    uint32_t base, inside, between; /* once; for each message within a node, between nodes */
} latency;

/* ncclTunerConstantsDefaults. NVLS: 25 us within the node, half of it for either phase. Data that is sent
 * point to point has no entry in NCCL's model; that of a ring is used. CollNetDirect: 31 us once, for the
 * whole way through the network, and 3.7 us for either phase in the node. */
static const latency latencies[NCCL_ALGORITHMS][COLLECTIVE_SIMPLE + 1] = {
    [NCCL_RING] = {{0}, {6600, 600, 2700}, {14000, 1900, 4000}, {8400, 3400, 14000}},
    [NCCL_TREE] = {{0}, {6800, 600, 5000}, {14000, 1250, 8500}, {8400, 4000, 14000}},
    [NCCL_NVLS_TREE] = {{0}, {0, 12500, 20900}, {0, 12500, 20900}, {0, 12500, 20900}},
    [NCCL_HIERARCHICAL] = {{0}, {6600, 12500, 2700}, {14000, 12500, 4000}, {8400, 12500, 14000}},
    [NCCL_PXN] = {{0}, {6600, 600, 2700}, {14000, 1900, 4000}, {8400, 3400, 14000}},
    [NCCL_DIRECT] = {{0}, {6600, 600, 2700}, {14000, 1900, 4000}, {8400, 3400, 14000}},
    [NCCL_SHARP] = {{0}, {31000, 3700, 0}, {31000, 3700, 0}, {31000, 3700, 0}},
};

/* A ring between nodes posts each step to the network (1 us, three times with Simple); with one rank on a
 * node its latency is that of a tree. */
static latency latency_of(nccl_algorithm a, collective_protocol protocol, uint32_t ranks, uint32_t nodes) {
    latency l = latencies[a][protocol];
    uint32_t post = protocol == COLLECTIVE_SIMPLE ? 3000 : 1000;
    if (protocol == COLLECTIVE_PLAIN || a != NCCL_RING || nodes == 1) return l;
    if (l.inside < post) l.inside = post;
    if (ranks == nodes) l.between = latencies[NCCL_TREE][protocol].between;
    return l;
}

void nccl_start(pipeline *p, nccl_algorithm a) {
    collective *c = p->c;
    if (c->status) return;
    latency l = latency_of(a, c->gpu.protocol, p->n, p->nodes);
    const uint32_t *path = c->gpu.path_ns;
    p->delay[0] = l.inside > path[0] ? l.inside - path[0] : 0;
    p->delay[1] = l.between > path[1] ? l.between - path[1] : 0;
    c->made.algorithm = nccl_algorithm_name[a];
    c->made.chosen = false;
    c->made.protocol = c->gpu.protocol;
    pipeline_start(p, l.base);
}

/* ---- bandwidths, GB/s ---- */

typedef struct machine {
    double inside, between; /* of a GPU; of all channels of a node */
    double ranks, nodes;
    unsigned scale;           /* 0: one node, 1: two, 2: more */
    double channels, channel; /* of rings and trees; the rate of one */
    double heads;             /* channels of NVLS: GPUs of one node; else NICs, at most one for each GPU */
    double head;              /* the rate of one, between nodes */
} machine;

/* The rates of a channel between nodes that NCCL's search tries (sm90SpeedArrayInter), from the fastest on.
 */
static const double speeds[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};
enum { SPEEDS = sizeof speeds / sizeof *speeds };

/* The fastest that a NIC allows. */
static double speed_of(double nic) {
    for (unsigned i = 0; i < SPEEDS; i++)
        if (speeds[i] <= nic) return speeds[i];
    return nic;
}

/* Of trees over two nodes, whose rate within the node counts: up to twice that of a channel. */
static double raised(double channel) {
    unsigned i = 0;
    while (i + 1 < SPEEDS && speeds[i + 1] >= 2 * channel) i++;
    return speeds[i];
}

static void set_channels(machine *m, double nic, double rails) {
    m->head = m->channel = speed_of(nic);
    m->channels = rails * floor(nic / m->channel);
    m->between = m->channels * m->channel;
    if (m->channel < 25 || (m->channel < 50 && m->channels > 4)) return;
    m->channels *= 2; /* ncclTopoDupChannels */
    m->channel /= 2;
}

static machine machine_of(const collective_tuning *t, const nccl_question *q) {
    double nic = t && t->nic_rate ? (double)t->nic_rate : 400e9;
    double gpu = t && t->gpu_rate ? (double)t->gpu_rate : 3600e9;
    machine m = {
        .inside = gpu / 8e9, .ranks = q->ranks, .nodes = q->nodes, .scale = q->nodes > 2 ? 2 : q->nodes - 1};
    set_channels(&m, nic / 8e9, q->rails);
    if (q->nodes == 1) m.channels = 16;
    m.heads = q->nodes == 1 || m.ranks < m.nodes * q->rails ? m.ranks / m.nodes : q->rails;
    return m;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

/* llMaxBws: of the GPU in one node (Hopper); of the CPU between nodes (Intel; of AMD they are 22.5 and 19).
 */
static double ll_most(const machine *m) {
    static const double most[] = {141, 39, 20.4};
    return most[m->scale];
}

static double ring_bandwidth(const machine *m, double bus, collective_protocol protocol) {
    if (protocol == COLLECTIVE_LL) return least(ll_most(m), bus / 2);
    if (protocol == COLLECTIVE_LL128) return least(0.92 * bus, m->channels * 36.7);
    return bus;
}

static double tree_bandwidth(const machine *m, double bus, collective_protocol protocol) {
    static const double ll128[] = {36.7, 36.7, 29}, simple[] = {38.7, 41.4, 36};
    bus = least(0.92 * bus, m->channels * simple[m->scale]);
    if (protocol == COLLECTIVE_LL) return least(bus / 3.8, ll_most(m));
    if (protocol == COLLECTIVE_LL128)
        return least(bus * (m->nodes == 1 ? 7. / 9 : 120. / 128), m->channels * ll128[m->scale]);
    return bus;
}

/* All channels of a node; more for trees over two nodes, each of which carries half of the data in a
 * direction (ncclTopoCompute: bwIntra up to 2 bwInter, which counts up to two nodes). */
static double trees_between(const machine *m) {
    return m->nodes == 2 ? m->channels * raised(m->channel) : m->between;
}

/* The vector is reduced in the NVLink switches: 85 % of the rate of a GPU, or of a channel, on Hopper, twice,
 * without the share of a channel. Between nodes a channel has at most the rate of perChMaxNVLSTreeBws. */
static double nvls_bandwidth(const machine *m, collective_protocol protocol) {
    static const double tree[] = {0, 57.7, 45.5};
    if (protocol != COLLECTIVE_SIMPLE || m->heads < 2) return 0;
    double inside = 0.85 * 2 * (m->heads - 1) / m->heads, head = m->head * (m->nodes == 2 ? 2 : 1);
    if (m->nodes == 1) return m->inside * inside;
    return m->heads * least(least(m->head * inside, head), tree[m->scale]);
}

static unsigned log_of(uint64_t number) {
    unsigned log = 0;
    while (number >>= 1) log++;
    return log;
}

/* Trees are slower than the model for medium sizes (treeCorrectionFactor): powers of two from 64 bytes. */
static double tree_correction(collective_protocol protocol, uint64_t bytes) {
    static const double factor[3][24] = {
        {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
        {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
    };
    unsigned log = log_of(bytes / 64);
    return bytes >= 64 && log < 23 ? factor[protocol - COLLECTIVE_LL][log] : 1;
}

static double steps_of(const nccl_question *q) {
    if (q->collective == NCCL_ALLREDUCE) return 2.0 * (q->ranks - 1);
    return q->collective == NCCL_BROADCAST ? q->ranks : q->ranks - 1.0;
}

static double ring_time(const machine *m, const nccl_question *q, collective_protocol protocol) {
    latency l = latency_of(NCCL_RING, protocol, q->ranks, q->nodes);
    double steps = steps_of(q), hops = q->nodes - 1.0;
    double bus = ring_bandwidth(m, q->nodes == 1 ? m->inside : least(m->inside, m->between), protocol);
    double us = l.base / 1e3;
    if (q->collective == NCCL_ALLREDUCE) hops *= 2;
    if (q->collective == NCCL_BROADCAST)
        us += (q->nodes > 1 ? l.between : l.inside) / 1e3;
    else
        us += ((steps - hops) * l.inside + hops * l.between) / 1e3;
    if (protocol == COLLECTIVE_SIMPLE && q->nodes > 1 && q->collective == NCCL_ALLREDUCE &&
        (double)q->bytes / (m->channels * m->ranks) >= 64)
        us *= 1.4; /* the "plateau effect" of rings */
    return us + (double)q->bytes / 1e3 / (bus * m->ranks / steps);
}

static double tree_time(const machine *m, const nccl_question *q, collective_protocol protocol) {
    latency l = latency_of(NCCL_TREE, protocol, q->ranks, q->nodes);
    uint32_t local = q->ranks / q->nodes;
    double most = q->nodes == 1 ? m->inside : least(m->inside, trees_between(m));
    double bus = tree_bandwidth(m, most, protocol);
    double us = (l.base + 2.0 * ((local - 1) * l.inside + log_of(q->nodes) * (double)l.between)) / 1e3;
    return us + (double)q->bytes / 1e3 / (bus / 2 * tree_correction(protocol, q->bytes));
}

static double nvls_time(const machine *m, const nccl_question *q, collective_protocol protocol) {
    double bus = nvls_bandwidth(m, protocol), us = 25 + (q->nodes > 1 ? 2 * log_of(q->nodes) * 20.9 : 0);
    if (bus <= 0 || q->ranks / q->nodes < 2) return -1;
    return us + (double)q->bytes / 1e3 / (bus * m->ranks / steps_of(q));
}

/* PAT: allgather and reducescatter with one GPU on each node. bough has no such algorithm. */
static double pat_time(const machine *m, const nccl_question *q) {
    double us =
        8 + log_of(q->nodes) * latencies[NCCL_TREE][COLLECTIVE_SIMPLE].between / 1e3 / 3.5 + 2.8 * m->ranks;
    return us + (double)q->bytes / 1e3 / (0.75 * least(m->inside, m->between));
}

bool nccl_prefers_pat(const collective_tuning *t, const nccl_question *q, nccl_choice choice) {
    machine m = machine_of(t, q);
    if (q->collective != NCCL_ALLGATHER && q->collective != NCCL_REDUCESCATTER) return false;
    if (q->nodes != q->ranks || q->ranks < 2 || (t && t->rules)) return false;
    return pat_time(&m, q) < nccl_time(t, q, choice);
}

double nccl_time(const collective_tuning *t, const nccl_question *q, nccl_choice choice) {
    machine m = machine_of(t, q);
    if (choice.protocol < COLLECTIVE_LL || q->ranks < 2 || q->nodes < 1) return -1;
    if (choice.algorithm == NCCL_RING && q->collective != NCCL_ALLTOALL)
        return ring_time(&m, q, choice.protocol);
    if (q->collective != NCCL_ALLREDUCE) return -1;
    if (choice.algorithm == NCCL_TREE) return tree_time(&m, q, choice.protocol);
    return choice.algorithm == NCCL_NVLS_TREE && !(t && t->no_nvls) ? nvls_time(&m, q, choice.protocol) : -1;
}

/* ---- choice ---- */

/* Each thread of a channel has at least this much to do, or there are fewer channels (topoGetAlgoInfo). */
static uint32_t channels_of(const nccl_question *q, nccl_choice choice) {
    static const uint64_t threads[] = {0, 512, 640, 512}, threshold[] = {0, 8, 8, 64};
    uint64_t least = threads[choice.protocol] * threshold[choice.protocol];
    uint32_t usual = q->nodes > 1 ? q->rails : 1, channels = usual;
    if (choice.algorithm == NCCL_NVLS_TREE) return 0;
    if (choice.algorithm == NCCL_RING && choice.protocol == COLLECTIVE_LL) least *= q->ranks;
    while (channels > 1 && q->bytes < channels * least) channels--;
    return channels == usual ? 0 : channels;
}

static nccl_choice compute(const collective_tuning *t, const nccl_question *q) {
    nccl_choice best = {.algorithm = NCCL_RING, .protocol = COLLECTIVE_SIMPLE};
    double least_time = -1;
    for (int a = NCCL_RING; a <= NCCL_NVLS_TREE; a++)
        for (int protocol = COLLECTIVE_LL; protocol <= COLLECTIVE_SIMPLE; protocol++) {
            nccl_choice k = {(nccl_algorithm)a, (collective_protocol)protocol, 0};
            double us = nccl_time(t, q, k);
            if (us < 0 || (least_time >= 0 && us >= least_time)) continue;
            least_time = us;
            best = k;
        }
    best.channels = channels_of(q, best);
    return best;
}

/* Point to point: LL up to 16 KiB for each peer (NCCL_P2P_LL_THRESHOLD), Simple above. */
static nccl_choice compute_alltoall(const nccl_question *q) {
    bool forward = q->nodes > 1 && q->rails > 1;
    return (nccl_choice){forward ? NCCL_PXN : NCCL_DIRECT,
                         q->bytes / q->ranks <= 16384 ? COLLECTIVE_LL : COLLECTIVE_SIMPLE, 0};
}

bough_status nccl_choose(const collective_tuning *t, const nccl_question *q, nccl_choice *choice,
                         bough_error *error) {
    for (size_t i = 0; t && i < t->rules; i++) {
        const nccl_rule *r = &t->rule[i];
        if (r->collective != q->collective || q->nodes < r->nodes_from || q->nodes > r->nodes_to ||
            q->bytes > r->bytes_to)
            continue;
        *choice = r->choice;
        return BOUGH_OK;
    }
    if (t && t->rules)
        return bough_fail(error, BOUGH_INVALID, t->file,
                          "no line for %s of %" PRIu64 " bytes on %" PRIu32 " node%s",
                          nccl_collective_name[q->collective], q->bytes, q->nodes, q->nodes > 1 ? "s" : "");
    *choice = q->collective == NCCL_ALLTOALL ? compute_alltoall(q) : compute(t, q);
    return BOUGH_OK;
}
