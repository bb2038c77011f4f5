#include "network/physical/physical.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "formats/fabrics/fabric.h"
#include "network/compute_nodes/compute_nodes.h"
#include "network/net.h"

#include <stdlib.h>
#include <string.h>

#define NS(x)   ((x)*UINT64_C(1000))
#define GBPS(x) ((x)*UINT64_C(1000000000))

/* clang-format off */
#define NO_NETWORK_COSTS .L = BOUGH_FROM_NETWORK, .G = BOUGH_FROM_NETWORK
#define LOGGOPSIM_HOST   .o = NS(1500), .g = NS(1000), .S = 65535
#define SIZES            .packet = 4096, .flit = 64, .channels = 1
#define DEFAULT_LINKS    .rate = GBPS(100), .delay = NS(100), .buffer = 1, SIZES
#define DEFAULT_VALUES   DEFAULT_LINKS, .host = {NO_NETWORK_COSTS, LOGGOPSIM_HOST}
/* 5 m of cable at 5 ns/m; receive buffers of 16 KiB a virtual lane. */
#define TODAY            .delay = NS(25), .buffer = 256, SIZES, \
                         .host = {NO_NETWORK_COSTS, .o = NS(300), .g = NS(5), .S = 8192}
/* Local route header 8, base transport header 12, invariant CRC 4, variant CRC 2. */
#define INFINIBAND_HEADER 26
/* Preamble and gap 20, Ethernet 14 + 4, IPv4 20, UDP 8, base transport header 12, invariant CRC 4. */
#define ROCE_HEADER       82

/* The setting of networks for which none was chosen. */
static const bough_physical default_setting = {.spec = (char *)"default", DEFAULT_VALUES};

const bough_physical_preset bough_physical_presets[] = {
    {"default", "links of 100 Gb/s and 100 ns; hosts with the overheads of LogGOPSim",
     "Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010 (hosts)", {NULL, DEFAULT_VALUES}},
    /* links as fast as G, and as slow as L over two of them */
    {"loggopsim", "the defaults of LogGOPSim: loggops uses its constant latency and bandwidth",
     "Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010",
     {NULL, .rate = UINT64_C(1333333333), .delay = NS(1250), .buffer = 1, SIZES, .host = {.L = NS(2500), .G = 6000, LOGGOPSIM_HOST}}},
    {"ideal", "bandwidth alone: no delays, no headers, hosts without overheads", "-",
     {NULL, .rate = GBPS(100), .buffer = 1, SIZES, .host = {NO_NETWORK_COSTS, .S = 8192}}},
    {"hdr", "InfiniBand HDR: 200 Gb/s, 5 m cables, 130 ns a switch", "typical values",
     {NULL, .rate = GBPS(200), .switch_delay = NS(130), .header = INFINIBAND_HEADER, TODAY}},
    {"ndr", "InfiniBand NDR: 400 Gb/s, 5 m cables, 250 ns a switch", "typical values",
     {NULL, .rate = GBPS(400), .switch_delay = NS(250), .header = INFINIBAND_HEADER, TODAY}},
    {"ethernet400", "Ethernet with RoCEv2: 400 Gb/s, 5 m cables, 700 ns a switch", "typical values",
     {NULL, .rate = GBPS(400), .switch_delay = NS(700), .header = ROCE_HEADER, TODAY}},
    {0},
};
/* clang-format on */

enum {
    P_RATE,
    P_HOST_RATE,
    P_DELAY,
    P_SWITCH,
    P_HEADER,
    P_PACKET,
    P_FLIT,
    P_BUFFER,
    P_CHANNELS,
    P_O,
    P_GAP,
    P_O_BYTE,
    P_S,
    P_L,
    P_G_BYTE,
    P_JITTER,
    P_NODE,
    P_SHARP
};

const bough_param bough_physical_params[] = {
    [P_RATE] = {"rate", "rate of links that have none of their own", BOUGH_RATE, "", 1e6, 6e12},
    [P_HOST_RATE] = {"host_rate", "injection rate: of links of endpoints; default: as other links",
                     BOUGH_RATE, "", 1e6, 6e12},
    [P_DELAY] = {"delay", "delay of a link", BOUGH_TIME, "", 0, 1e12},
    [P_SWITCH] = {"switch", "delay of a switch", BOUGH_TIME, "", 0, 1e12},
    [P_HEADER] = {"header", "bytes added to every packet", BOUGH_BYTES, "", 0, 65536},
    [P_PACKET] = {"packet", "bytes of data in a packet", BOUGH_BYTES, "", 1, 0x1p40},
    [P_FLIT] = {"flit", "bytes of a flit", BOUGH_BYTES, "", 1, 0x1p40},
    [P_BUFFER] = {"buffer", "wormhole buffer at the end of a link (or virtual channel), in flits", BOUGH_INT,
                  "", 1, 65535},
    [P_CHANNELS] = {"vcs", "virtual channels of a link", BOUGH_INT, "", 1, 64},
    [P_O] = {"o", "hosts: CPU time per message, at either end", BOUGH_TIME, "", 0, 1e15},
    [P_GAP] = {"g", "hosts: minimum time between two messages of a NIC", BOUGH_TIME, "", 0, 1e15},
    [P_O_BYTE] = {"O", "hosts: CPU time per byte after the first", BOUGH_TIME, "", 0, 1e15},
    [P_S] = {"S", "hosts: larger messages are sent by rendezvous; 0: none", BOUGH_BYTES, "", 0, 0x1p62},
    [P_L] = {"L",
             "without a network: from the departure of the last byte to its arrival; default: the path's",
             BOUGH_TIME, "", 0, 1e15},
    [P_G_BYTE] = {"G", "without a network: NIC time per byte after the first; default: the path's",
                  BOUGH_TIME, "", 0, 1e15},
    [P_JITTER] = {"jitter",
                  "hosts: variation of the time of computations: lognormal:5%, exponential:5%, or "
                  "\"spike:share=1%,time=1ms\"",
                  BOUGH_TEXT, ""},
    [P_NODE] = {"node",
                "compute nodes, whose GPUs are then the endpoints: dgx-h100, or \"dgx-h100:nics=4\" "
                "(`bough list nodes`); none; default: those that the file of the network describes",
                BOUGH_TEXT, ""},
    [P_SHARP] =
        {"sharp",
         "switches add, as SHARP does (allreduce:algo=sharp): the delay from a switch to where it adds; "
         "for schedules",
         BOUGH_TIME, "", 0, 1e12},
    BOUGH_PARAMS_END,
};

static const bough_physical_preset *find_preset(const char *name) {
    for (const bough_physical_preset *p = bough_physical_presets; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}

static bough_status unknown_preset(const char *name, bough_error *error) {
    const char *names[16];
    size_t count = 0;
    for (const bough_physical_preset *p = bough_physical_presets; p->name; p++) names[count++] = p->name;
    char hint[BOUGH_HINT_MAX];
    return bough_fail(error, BOUGH_INVALID, NULL, "no physical setting '%s'%s; see `bough list physical`",
                      name, bough_hint(hint, name, names, count));
}

static bough_status apply(const bough_args *args, bough_physical *p, bough_error *error) {
    const bough_value *v = args->value;
    const struct {
        unsigned param;
        uint64_t *value;
    } wide[] = {
        {P_RATE, &p->rate},     {P_HOST_RATE, &p->host_rate},
        {P_DELAY, &p->delay},   {P_SWITCH, &p->switch_delay},
        {P_HEADER, &p->header}, {P_PACKET, &p->packet},
        {P_FLIT, &p->flit},     {P_O, &p->host.o},
        {P_GAP, &p->host.g},    {P_O_BYTE, &p->host.O},
        {P_S, &p->host.S},      {P_L, &p->host.L},
        {P_G_BYTE, &p->host.G},
    };
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (v[wide[i].param].given) *wide[i].value = (uint64_t)v[wide[i].param].integer;
    if (v[P_BUFFER].given) p->buffer = (uint32_t)v[P_BUFFER].integer;
    if (v[P_CHANNELS].given) p->channels = (uint32_t)v[P_CHANNELS].integer;
    p->sharp = v[P_SHARP].given;
    if (p->sharp) p->sharp_delay = (uint64_t)v[P_SHARP].integer;
    return v[P_JITTER].given ? bough_jitter_read(v[P_JITTER].text, &p->host.jitter, error) : BOUGH_OK;
}

static bough_status check(const bough_physical *p, bough_error *error) {
    if ((p->host.L == BOUGH_FROM_NETWORK) == (p->host.G == BOUGH_FROM_NETWORK)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "physical setting: L= and G= are given together (hosts without a network), or neither");
}

/* Makes the spec of the node canonical. servers: compute nodes, where args have none; NULL: there are none.
 */
static bough_status set_node(bough_args *args, const char *servers, bough_physical *p, bough_error *error) {
    const bough_value *node = &args->value[P_NODE];
    if (!node->given && !servers) return BOUGH_OK;
    if (node->given && strcmp(node->text, "none") == 0) return BOUGH_OK;
    bough_status status = bough_node_setting_create(node->given ? node->text : servers, &p->node, error);
    return status ? status : bough_args_set_text(args, "node", p->node->spec, error);
}

static bough_status create(const char *text, const char *servers, bough_physical **out, bough_error *error) {
    bough_spec spec = {0};
    bough_args args = {0};
    bough_physical *made = NULL;
    *out = NULL;
    bough_status status = bough_spec_parse(text ? text : bough_physical_presets[0].name, &spec, error);
    if (status) return status;
    const bough_physical_preset *preset = find_preset(spec.name);
    if (!preset) status = unknown_preset(spec.name, error);
    TRY(bough_args_bind(&spec, bough_physical_params, "physical setting", &args, error));
    TRY(bough_alloc(&made, 1, sizeof *made, error));
    if (!status) {
        *made = preset->values;
        status = apply(&args, made, error);
        TRY(check(made, error));
    }
    TRY(set_node(&args, servers, made, error));
    if (!status && !(made->spec = bough_args_format(preset->name, &args)))
        status = bough_fail_memory(error, strlen(spec.name));
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    if (status)
        bough_physical_destroy(made);
    else
        *out = made;
    return status;
}

bough_status bough_physical_create(const char *text, bough_physical **out, bough_error *error) {
    return create(text, NULL, out, error);
}

bough_status bough_physical_create_for(const bough_net *net, const char *text, bough_physical **out,
                                       bough_error *error) {
    const char *servers = net->fabric ? net->fabric->servers : NULL;
    *out = NULL;
    return text || servers ? create(text, servers, out, error) : BOUGH_OK;
}

void bough_physical_destroy(bough_physical *p) {
    if (!p) return;
    bough_node_setting_destroy(p->node);
    FREE_ALL(p->spec, p);
}

const bough_physical *bough_net_physical(const bough_net *net) {
    return net->physical ? net->physical : &default_setting;
}

void bough_net_set_physical(bough_net *net, const bough_physical *physical) {
    net->physical = physical;
}

uint64_t bough_net_endpoint_rate(const bough_net *net, uint64_t endpoint, uint64_t rate) {
    const bool forwards = bough_is_switch(net, endpoint);
    uint64_t sum = 0, most = 0;
    for (uint32_t i = 0, groups = net->ops->node_group_count(net, endpoint); i < groups; i++) {
        const bough_range links = net->ops->group_links(net, net->ops->node_group(net, endpoint, i));
        for (uint64_t l = links.first; l < links.first + links.count; l++) {
            const uint64_t of_link = rate ? bough_net_slowed_rate(net, l, rate) : bough_net_link_rate(net, l);
            sum = bough_add(sum, of_link);
            if (of_link > most) most = of_link;
        }
    }
    return forwards ? most : sum;
}

uint64_t bough_net_endpoint_rate_max(const bough_net *net, uint64_t rate) {
    uint64_t most = 0;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        const uint64_t of_endpoint = bough_net_endpoint_rate(net, e, rate);
        if (of_endpoint > most) most = of_endpoint;
    }
    return most;
}

uint64_t bough_physical_delay(const bough_physical *p, uint64_t links) {
    if (links == 0) return 0;
    return bough_add(bough_mul(links, p->delay), bough_mul(links - 1, p->switch_delay));
}

uint64_t bough_net_link_delay(const bough_net *net, uint64_t link) {
    return net->ops->link_delay ? net->ops->link_delay(net, link) : bough_net_physical(net)->delay;
}

uint64_t bough_net_node_delay(const bough_net *net, uint64_t node) {
    return net->ops->node_delay ? net->ops->node_delay(net, node) : bough_net_physical(net)->switch_delay;
}

bool bough_net_own_delays(const bough_net *net) {
    return net->ops->link_delay || net->ops->node_delay;
}

uint64_t bough_net_hop_delay(const bough_net *net, uint64_t link, bool last) {
    uint64_t delay = bough_net_link_delay(net, link);
    if (last) return delay;
    return bough_add(delay, bough_net_node_delay(net, net->ops->link_end(net, link).node));
}

uint64_t bough_physical_wire_bytes(const bough_physical *p, uint64_t bytes) {
    uint64_t packets = bytes > p->packet ? (bytes - 1) / p->packet + 1 : 1;
    return p->header ? bough_add(bytes, bough_mul(packets, p->header)) : bytes;
}

uint64_t bough_physical_time(uint64_t bytes, uint64_t rate) {
    unsigned __int128 bits = (unsigned __int128)bytes * 8 * UINT64_C(1000000000000);
    unsigned __int128 time = (bits + rate / 2) / rate;
    return time < UINT64_MAX ? (uint64_t)time : UINT64_MAX;
}
