/* One physical setting for all methods. On random networks, schedules and settings: a message alone takes the
 * same time in flow and loggops, the closed form of docs/physical.md; no engine undercuts bound_time;
 * schedules without contention agree, worms but for a flit on
 * every link; loggops, in which only hosts contend, is not slower than flow where a
 * host has one message at a time. */
#include "network/faults/faults.h"
#include "network/physical/physical.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
    const char *network, *routing, *faults;
} networks[] = {
    {"xgft:down=4x4,up=1x4", "dmodk"},
    {"xgft:down=4x4,up=1x2", "dmodk"},
    {"xgft:down=2x2x4,up=1x2x2,links=1x1x2", "smodk"},
    {"kary:k=2,levels=4", "dmodk"},
    {"kary:k=4,levels=2", "smodk"},
    {"fattree:n=16", "dmodk"},
    {"clos:radix=8,hosts=16,taper=2", "dmodk"},
    {"bft:n=16", "dmodk"},
    {"cube:n=16", "bitfix"},
    {"ibnet:" SOURCE_DIR "/examples/ethernet/leaf-spine.csv", "minhop"},
    {"mixed", "minhop"}, /* links of 8, 16 and 32 Gb/s */
    {"mixed", "updn"},
    {"xgft:down=4x4,up=1x4", "dmodk", "slow:links,share=40%,rate=30%"},
    {"mixed", "minhop", "slow:hosts,count=5,rate=45%"},
};

/* With node=: endpoints are GPUs, for networks whose endpoints have one address each. */
static const char *const settings[] = {
    "ndr:node=\"dgx-h100:gpus=4,nics=4\"",
    "default:node=\"dgx-a100:gpus=4,nics=2,wiring=linear\",host_rate=40Gb/s",
    "hdr:node=\"dgx-h100:gpus=4,nics=2,pxn=0,unit=2,nvlink_delay=70ns\"",
    "default:node=pcie",
    "ndr:sharp=100ns",
    "hdr:sharp=0ns,host_rate=50Gb/s,node=\"dgx-h100:gpus=4,nics=2\"",
    "ideal:node=\"pcie:gpus=4,nics=2,pcie=30Gb/s,pcie_delay=0ns\"",
    "default",
    "ideal",
    "hdr",
    "ndr",
    "ethernet400",
    "loggopsim",
    "default:rate=25Gb/s,delay=0ns,switch=77ns,header=40",
    "default:host_rate=10Gb/s,o=0ns,g=0ns",
    "ideal:rate=56Gb/s,delay=3ns,packet=1000",
};

/* one: a host has at most one message to send and one to receive at a time. */
static const struct {
    const char *spec;
    bool one;
} schedules[] = {
    {"allreduce:ring,ranks=16", true},
    {"allreduce:doubling,ranks=16", true},
    {"allgather:ring,ranks=16", true},
    {"reducescatter:ring,ranks=16", true},
    {"broadcast:binomial,ranks=16", false},
    {"reduce:binomial,ranks=16", false},
    {"alltoall:pairwise,ranks=16", true},
    {"alltoall:linear,ranks=16", false},
    {"halo:dims=4x4", false},
};

static const char *const sizes[] = {"1", "1000", "70001", "3000000"};

static const char *const mixed[] = {
    "S1 lid 1",  "S2 lid 2",        "S3 lid 3",        "S4 lid 4",
    "H1 lid 5",  "H2 lid 6",        "H3 lid 7",        "H4 lid 8",
    "H5 lid 9",  "H6 lid 10",       "H7 lid 11",       "H8 lid 12",
    "H9 lid 13", "Ha lid 14",       "Hb lid 15",       "Hc lid 16",
    "Hd lid 17", "He lid 18",       "Hf lid 19",       "Hg lid 20",
    "S1:1 H1:1", "S1:2 H2:1",       "S1:3 H3:1 4xDDR", "S1:4 H4:1",
    "S1:5 H5:1", "S1:6 H6:1",       "S2:1 H7:1",       "S2:2 H8:1",
    "S2:3 H9:1", "S2:4 Ha:1",       "S2:5 Hb:1 4xSDR", "S3:1 Hc:1",
    "S3:2 Hd:1", "S3:3 He:1",       "S3:4 Hf:1",       "S3:5 Hg:1",
    "S1:7 S4:1", "S2:7 S4:2 4xDDR", "S3:7 S4:3",       "S3:8 S4:4 4xSDR",
    NULL,
};

static bough_net *make_net(const char *spec) {
    return strcmp(spec, "mixed") == 0 ? fabric_net(mixed, NULL) : net_make(spec);
}

/* A network with a setting and a routing; the traffic is made by the test. */
typedef struct machine {
    bough_net *whole, *net; /* without and with the faults; the same if there are none */
    bough_net *fabric;      /* of networks with compute nodes, which net is then */
    bough_net *base;        /* of networks with switches that add, which net is then */
    bough_physical *physical;
    bough_routing *routing;
} machine;

static machine machine_make(size_t network, const char *setting) {
    bough_error error;
    machine m = {.whole = make_net(networks[network].network)};
    const char *faults = networks[network].faults;
    m.net = m.whole;
    if (faults && bough_net_with_faults(m.whole, faults, &m.net, &error)) fail_msg("%s", error.reason);
    if (bough_physical_create(setting, &m.physical, &error)) fail_msg("%s: %s", setting, error.reason);
    bough_net_set_physical(m.net, m.physical);
    if (m.physical->node) {
        m.fabric = m.net;
        if (bough_compute_nodes_create(m.fabric, m.physical->node, &m.net, &error))
            fail_msg("%s, %s: %s", m.fabric->spec, setting, error.reason);
    }
    if (m.physical->sharp) {
        m.base = m.net;
        if (bough_aggregation_create(m.base, m.physical->sharp_delay, &m.net, &error))
            fail_msg("%s, %s: %s", m.base->spec, setting, error.reason);
    }
    m.routing = routing_make(m.net, networks[network].routing);
    return m;
}

/* Switches that are endpoints do not add. */
static bool is_possible(size_t network, const char *setting) {
    return !strstr(setting, "sharp=") || !strstr(networks[network].network, "cube");
}

static const bough_net *fabric_of(const machine *m) {
    return m->fabric ? m->fabric : m->base ? m->base : m->net;
}

/* The network of the GPUs, the one with faults, the whole one. */
static void machine_free(machine *m) {
    bough_routing_destroy(m->routing);
    if (m->base) bough_net_destroy(m->net);
    bough_net_destroy(m->fabric ? (m->base ? m->base : m->net) : NULL);
    if (fabric_of(m) != m->whole) bough_net_destroy((bough_net *)fabric_of(m));
    bough_net_destroy(m->whole);
    bough_physical_destroy(m->physical);
}

static bough_traffic *traffic_on(const machine *m, const char *spec) {
    bough_traffic *traffic;
    bough_error error;
    if (bough_traffic_create(m->net, spec, &traffic, &error)) fail_msg("%s: %s", spec, error.reason);
    return traffic;
}

static double time_of(const machine *m, const bough_traffic *traffic, const char *method) {
    const bough_point point = {m->net, m->routing, traffic};
    bough_rows rows = rows_of(&point, method);
    bool bound = strcmp(method, "linkload") == 0;
    double time =
        row_value(&rows, bound ? BOUGH_METRIC_BOUND_TIME : BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    return time;
}

/* ---- one message ---- */

/* Times of a message in ps. */
typedef struct lone {
    double
        flow; /* S' / min r + h delay + (h - 1) switch and the costs of the hosts, over the routing's path */
    double worm; /* of F flits: sum of their times on the links + (F - 1) on the slowest, instead of S' / r */
    double flits;  /* a flit on every link of the path */
    double packet; /* max-plus: a packet leaves a link when it and the packet before it have arrived there */
} lone;

enum { LINKS = 64 };

/* Rate and delay of a link, by the names of its ends, and what the node at its end adds. */
typedef struct hop {
    double rate, delay, onward;
} hop;

static bool named(const char *name, const char *part) {
    return strstr(name, part) != NULL;
}

static hop hop_of(const machine *m, uint64_t link) {
    const bough_physical *p = m->physical;
    const bough_node_setting *s = p->node;
    const bough_net *fabric = fabric_of(m);
    char from[100], to[100];
    uint64_t start = bough_link_start(m->net, link), end = m->net->ops->link_end(m->net, link).node;
    bough_node_name(m->net, start, from, sizeof from);
    bough_node_name(m->net, end, to, sizeof to);
    bool nvlink = named(from, ".nvswitch") || named(to, ".nvswitch");
    bool pcie =
        !nvlink && (named(from, ".pcie") || named(to, ".pcie") || named(from, ".gpu") || named(to, ".gpu"));
    if (nvlink) return (hop){(double)s->nvlink, (double)s->nvlink_delay, 0};
    if (pcie) return (hop){(double)s->pcie, (double)s->pcie_delay, 0};
    if (m->fabric || (m->base && start >= bough_net_hosts(m->net)))
        start -= m->net->endpoints - (m->fabric ? 0 : m->base->endpoints);
    if (m->fabric || (m->base && end >= bough_net_hosts(m->net)))
        end -= m->net->endpoints - (m->fabric ? 0 : m->base->endpoints);
    bool host = start < fabric->endpoints || end < fabric->endpoints;
    double own = fabric->ops->link_rate ? (double)fabric->ops->link_rate(fabric, link) : 0;
    double rate = host && p->host_rate ? (double)p->host_rate : own > 0 ? own : (double)p->rate;
    if (fabric->speeds) rate = floor(rate * fabric->speeds->rate[link] / 1e6 + 0.5);
    bool nic = m->fabric && end < fabric->endpoints;
    return (hop){rate, (double)p->delay, nic ? 0 : (double)p->switch_delay};
}

static double packets_alone(const bough_physical *p, const hop *path, unsigned links, uint64_t bytes) {
    double left[LINKS] = {0}, at = 0;
    for (uint64_t sent = 0; sent < bytes; sent += p->packet) {
        uint64_t data = bytes - sent < p->packet ? bytes - sent : p->packet;
        at = 0;
        for (unsigned i = 0; i < links; i++) {
            left[i] = fmax(at, left[i]) + (double)(data + p->header) * 8e12 / path[i].rate;
            at = left[i] + path[i].delay + (i + 1 < links ? path[i].onward : 0);
        }
    }
    return at;
}

static lone alone(const machine *m, uint64_t from, uint64_t to, uint64_t bytes) {
    const bough_physical *p = m->physical;
    bough_flow flow = {from, (uint32_t)bough_endpoint_address(m->net, to), 0};
    double slowest = INFINITY, flits = 0, delay = 0;
    hop hops[LINKS];
    unsigned links = 0;
    double wire = (double)bytes + (double)p->header * fmax(1, ceil((double)bytes / (double)p->packet));
    for (uint64_t node = from; node != to && links < LINKS; links++) {
        bough_route route;
        bough_route_at(m->routing, node, &flow, &route);
        uint64_t link = bough_route_link(&route, 0);
        hops[links] = hop_of(m, link);
        slowest = fmin(slowest, hops[links].rate);
        flits += (double)p->flit * 8e12 / hops[links].rate;
        delay += hops[links].delay + hops[links].onward;
        node = m->net->ops->link_end(m->net, link).node;
    }
    double hosts = 2 * ((double)p->host.o + (double)p->host.O * fmax(0, (double)bytes - 1));
    double rest = delay - hops[links - 1].onward + hosts;
    double more = ceil(wire / (double)p->flit) - 1;
    return (lone){wire * 8e12 / slowest + rest, flits + more * (double)p->flit * 8e12 / slowest + rest, flits,
                  packets_alone(p, hops, links, bytes) + hosts};
}

static void a_message_alone(void **state) {
    (void)state;
    static const uint64_t bytes[] = {1, 999, 4096, 4097, 1000003};
    unsigned seen = 0;
    for (size_t n = 0; n < COUNT(networks); n++)
        for (size_t s = 0; s < COUNT(settings); s++) {
            if (strcmp(settings[s], "loggopsim") == 0 || !is_possible(n, settings[s])) continue;
            machine m = machine_make(n, settings[s]);
            for (size_t b = 0; b < COUNT(bytes); b++) {
                uint64_t to = bough_net_hosts(m.net) - 1 - b;
                char goal[300], place[100], spec[600];
                snprintf(goal, sizeof goal,
                         "num_ranks 2\nrank 0 {\nsend %" PRIu64 "b to 1\n}\nrank 1 {\nrecv %" PRIu64
                         "b from 0\n}\n",
                         bytes[b], bytes[b]);
                snprintf(place, sizeof place, "0 %zu\n1 %" PRIu64 "\n", b, to);
                char *file = strdup(temporary_file("alone.goal", goal, 0));
                snprintf(spec, sizeof spec, "goal:file=\"%s\",place=\"%s\"", file,
                         temporary_file("alone.place", place, 0));
                bough_traffic *t = traffic_on(&m, spec);
                lone want = alone(&m, b, to, bytes[b]);
                double flow = time_of(&m, t, "flow") * 1e12, loggops = time_of(&m, t, "loggops") * 1e12,
                       worm = time_of(&m, t, "worm") * 1e12, packet = time_of(&m, t, "packet") * 1e12;
                if (fabs(packet - want.packet) > 7)
                    fail_msg("%s, %s, %" PRIu64 " bytes: packet %.1f ps, want %.1f ps", networks[n].network,
                             settings[s], bytes[b], packet, want.packet);
                if (fabs(flow - want.flow) > 1 || fabs(loggops - want.flow) > 1 ||
                    fabs(worm - want.worm) > 12)
                    fail_msg(
                        "%s, %s, %" PRIu64
                        " bytes: flow %.1f ps, loggops %.1f ps, want %.1f ps; worm %.1f ps, want %.1f ps",
                        networks[n].network, settings[s], bytes[b], flow, loggops, want.flow, worm,
                        want.worm);
                assert_true(packet > want.flow - 7);
                assert_true(worm > want.flow - 12 && worm < want.flow + want.flits + 12);
                bough_traffic_destroy(t);
                free(file);
                seen++;
            }
            machine_free(&m);
        }
    print_message("%u messages alone\n", seen);
}

/* ---- schedules ---- */

static void check_schedule(const machine *m, const char *what, const char *traffic, bool one) {
    static const char *const engine[] = {"flow", "loggops", "packet", "worm"};
    bough_traffic *t = traffic_on(m, traffic);
    double bound = time_of(m, t, "linkload"), time[COUNT(engine)];
    bool constant = t->workload->host.G != BOUGH_FROM_NETWORK; /* loggops has a network of its own */
    for (size_t e = 0; e < COUNT(engine); e++) {
        time[e] = time_of(m, t, engine[e]);
        if (strcmp(engine[e], "loggops") == 0) continue; /* links within the network do not bound it */
        if (time[e] < bound * (1 - 1e-9) - 16 * 0.5e-12) /* messages end at whole picoseconds */
            fail_msg("%s, %s, %s: %.17g s, but no less than %.17g s", what, traffic, engine[e], time[e],
                     bound);
    }
    if (one && !constant && time[1] > time[0] * (1 + 1e-9) + 1e-9)
        fail_msg("%s, %s: loggops %.17g s, flow %.17g s", what, traffic, time[1], time[0]);
    bough_traffic_destroy(t);
}

static void no_engine_undercuts_a_bound(void **state) {
    (void)state;
    unsigned seen = 0;
    for (size_t n = 0; n < COUNT(networks); n++)
        for (size_t s = 0; s < COUNT(settings); s++) {
            if (!is_possible(n, settings[s])) continue;
            machine m = machine_make(n, settings[s]);
            char what[200];
            snprintf(what, sizeof what, "%s, %s", networks[n].network, settings[s]);
            for (size_t i = 0; i < COUNT(schedules) * COUNT(sizes); i++) {
                char spec[200];
                size_t k = i / COUNT(sizes), size = i % COUNT(sizes);
                if (size == COUNT(sizes) - 1 && (n + s + k) % 4) continue; /* large ones take longer */
                snprintf(spec, sizeof spec, "%s,size=%s", schedules[k].spec, sizes[size]);
                check_schedule(&m, what, spec,
                               schedules[k].one && strcmp(networks[n].network, "mixed") != 0 &&
                                   !networks[n].faults);
                seen++;
            }
            machine_free(&m);
        }
    print_message("%u networks x settings x schedules\n", seen);
    assert_true(seen >= 2000);
}

/* Under dmodk a full tree carries every shift without contention: all flows have the full rate. */
static void without_contention_they_agree(void **state) {
    (void)state;
    static const char *const traffic[] = {"allreduce:ring,size=1MB", "barrier",
                                          "alltoall:pairwise,size=20000", "allgather:ring,size=3200"};
    for (size_t s = 0; s < COUNT(settings); s++) {
        if (strcmp(settings[s], "loggopsim") == 0) continue;
        machine m = machine_make(0, settings[s]);
        const bough_node_setting *node = m.physical->node;
        bool shared = node && node->gpus > node->nics; /* GPUs share NICs */
        for (size_t i = 0; i < COUNT(traffic) && !shared; i++) {
            char spec[200];
            if (node && i == 2) continue; /* meets in the fabric, where NICs are in another order */
            snprintf(spec, sizeof spec, "%s,o=0ns,g=0ns", traffic[i]);
            bough_traffic *t = traffic_on(&m, strcmp(traffic[i], "barrier") ? spec : "barrier:o=0ns,g=0ns");
            double flow = time_of(&m, t, "flow"), loggops = time_of(&m, t, "loggops"),
                   worm = time_of(&m, t, "worm"), packet = time_of(&m, t, "packet");
            /* a packet more on each link but one; times are whole picoseconds */
            double packets = 90 * (double)(m.physical->packet + m.physical->header) * 8 /
                             (double)bough_net_rate_range(m.net).low;
            if (packet < flow * (1 - 1e-9) || packet > flow + packets + 90e-12)
                fail_msg("%s, %s: flow %.17g s, packet %.17g s", settings[s], spec, flow, packet);
            /* a flit more on each of at most four links, in each of at most 30 steps */
            double flits = 120 * (double)m.physical->flit * 8 / (double)bough_net_rate_range(m.net).low;
            if (fabs(flow - loggops) > 1e-4 * flow)
                fail_msg("%s, %s: flow %.17g s, loggops %.17g s", settings[s], spec, flow, loggops);
            if (worm < flow * (1 - 1e-9) || worm > flow + flits)
                fail_msg("%s, %s: flow %.17g s, worm %.17g s", settings[s], spec, flow, worm);
            bough_traffic_destroy(t);
        }
        machine_free(&m);
    }
}

/* ---- wrong settings ---- */

static void wrong_settings_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"", "name"},
        {"ndx", "did you mean 'ndr'?"},
        {"default:rate=0b/s", "rate"},
        {"default:rate=100", "unit"},
        {"default:L=1us", "L= and G= are given together"},
        {"default:packet=0", "packet"},
        {"default:sharp=3", "unit"},
        {"default:sharp=-1ns", "sharp"},
        {"default:speed=1Gb/s", "no parameter 'speed'"},
        {"ndr:node=dgx-h10", "did you mean 'dgx-h100'?"},
        {"ndr:node=\"dgx-h100:gpus=1,nics=4\"",
         "nics=1,pcie=2048Gb/s and a network whose links have 4 times"},
        {"ndr:node=\"server:gpus=4,nics=6\"", "nics=4 and a network whose links have 1.5 times"},
        {"ndr:node=\"dgx-h100:gpus=8,nics=3\"", "cannot be divided evenly"},
        {"ndr:node=\"pcie:pxn=1\"", "needs an NVSwitch"},
        {"ndr:node=\"dgx-h100:wiring=linear,unit=4\"", "needs wiring=rail"},
        {"ndr:node=\"dgx-h100:nic=4\"", "no parameter 'nic'"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        bough_physical *physical;
        bough_error error = {0};
        assert_int_equal(bough_physical_create(bad[i][0], &physical, &error), BOUGH_INVALID);
        assert_null(physical);
        if (!strstr(error.reason, bad[i][1]))
            fail_msg("%s: '%s' does not say '%s'", bad[i][0], error.reason, bad[i][1]);
    }
}

/* A cable without a rate has that of the setting; the others keep theirs. */
static void unknown_rates_are_those_of_the_setting(void **state) {
    (void)state;
    bough_physical *physical;
    bough_error error;
    char *text = strdup("node,port,node,port,rate\nh0,1,s,1,25Gb/s\nh1,1,s,2,\n");
    char *spec = spec_of("ibnet", temporary_file("two.csv", text, 0));
    bough_net *net = net_make(spec);
    assert_int_equal(bough_physical_create("ndr", &physical, &error), BOUGH_OK);
    bough_net_set_physical(net, physical);
    bough_rate_range range = bough_net_rate_range(net);
    assert_true(range.low == UINT64_C(25000000000) && range.high == UINT64_C(400000000000));
    assert_int_equal(range.own, 2);
    bough_net_destroy(net);
    bough_physical_destroy(physical);
    free(spec);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(unknown_rates_are_those_of_the_setting),
        cmocka_unit_test(a_message_alone),
        cmocka_unit_test(without_contention_they_agree),
        cmocka_unit_test(no_engine_undercuts_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
