/* Fabrics from lists of cables (CSV), BookSim's anynet and htsim's .topo: what is refused, small cases by
 * hand, and exports read back. */
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "network/faults/faults.h"
#include "routing/routing.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define HEAD     "node,port,node,port,rate\n"

#define LAB "name: lab\ntopology:\n  links:\n"

/* ---- bad input ---- */

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"node,port\na,1\n", "f:1", "names 1 column node; expected two"},
        {"node,node,node\n", "f:1", "column 3: a third node"},
        {"node,node,rate,rate\n", "f:1", "column 4: rate is given twice"},
        {"node,node,port,port,port\n", "f:1", "a third port"},
        {"node,\"node\n", "f:1", "is not a fabric file"},
        {HEAD "a,1,b,1\n", "f:2", "has 4 cells; the first line has 5"},
        {HEAD "a,1,b,1,,\n", "f:2", "has more cells than the first line (5)"},
        {HEAD "a,1,b,1,\na,1,c,1,\n", "f:3", "a has two cables at one port; the other is on line 2"},
        {HEAD "a,e1,b,1,\na,e1,c,1,\n", "f:3", "a has two cables at one port"},
        {"graph \"x\"\n", "f:2", "expected { after graph"},
        {"graph {\n", "f:2", "expected }, but the file ends"},
        {"graph {\na -> b\n}", "f:2", "expected the name of a node"},
        {"graph {\na - b\n}", "f:2", "expected -- between the ends of a cable"},
        {"graph {\na:1 --\n}", "f:3", "expected the name of a node"},
        {"graph {\na: -- b\n}", "f:2", "expected the name of a port after ':'"},
        {"graph {\na [x=1\n", "f:3", "expected ], but the file ends"},
        {"graph {\nx = ]\n}", "f:2", "expected a value after '='"},
        {"graph {\na -- \"b\n}", "f:2", "unterminated quoted text"},
        {"graph {\na -- b\n}\nc\n", "f:4", "expected the end of the file"},
        {"graph {\na:1 -- b:1\na:1 -- c:1\n}", "f:3", "a has two cables at one port; the other is on line 2"},
        {"graph {\n{ a -- b }\n}", "f:2", "expected the name of a node"},
        {"digraph {\na:\"1\" ->\n}", "f:3", "expected the name of a node"},
        {"digraph { a:\"1\" -> }", "f:1", "expected the name of a node"},
        {"digraph {\na:\"1\" - b\n}", "f:2", "expected -- between the ends of a cable"},
        {HEAD "a,e1,b,1,\na,e01,c,1,\n", "f:3", "a has two cables at one port; the other is on line 2"},
        {HEAD ",1,a,2,\n", "f:2", "column 1: missing node name"},
        {HEAD "a,1,\"b,2,\n", "f:2", "column 3: missing closing quote"},
        {HEAD "a,1,\"b\"c,2,\n", "f:2", "column 3: expected a comma after the quoted cell"},
        {HEAD "a,1,b,1,fast\n", "f:2",
         "column 5: 'fast' is not a rate; expected a number with its unit, as in 100Gb/s"},
        {HEAD "a,1,b,1,100\n", "f:2", "column 5: '100' is not a rate"},
        {HEAD "a,1,b,1,-1G\n", "f:2", "is not a rate"},
        {HEAD "a,1,b,1,0G\n", "f:2", "is not a rate"},
        {HEAD "a,1,b,1,0x10G\n", "f:2", "is not a rate"},
        {HEAD "a,1,b,1,1e30G\n", "f:2", "is not a rate"},
        {HEAD "a,1,b,1,inf\n", "f:2", "is not a rate"},
        {"node,kind,node,kind\na,hosts,b,\n", "f:2", "column 2: 'hosts' is not a kind of node"},
        {"node,kind,node,kind\na,host,b,\na,switch,c,\n", "f:3",
         "a is listed both as a host and as a switch"},
        {HEAD, "f", "is read as csv, but contains no nodes"},
        {"topology: x\n", "f:1", "expected a list `links:`"},
        {LAB "    - endpoints: [\"a:1\"]\n", "f:4", "expected `endpoints:` with two ends"},
        {LAB "    - endpoints: [\"a:1\", \"b:1\", \"c:1\"]\n", "f:4", "expected `endpoints:` with two ends"},
        {LAB "    - endpoints: [\"a:1\", \"b\"]\n", "f:4", "expected an endpoint NODE:INTERFACE"},
        {LAB "    - endpoints: [\"a:1\", \":b\"]\n", "f:4", "expected an endpoint NODE:INTERFACE"},
        {LAB "    - endpoints: [\"a:1\", \"b:1\"]\n    - endpoints: [\"a:1\", \"c:1\"]\n", "f:5",
         "a has two cables at one port"},
        {LAB "    - [\n", "f:5", "not valid YAML"},
        {"System,Port,Peer Port\na,1,1\n", "f:1", "is not a fabric file"},
        {"switch1,1,host2,1\n", "f:1", "is not a fabric file"},
        {"# x\n#StartDevice,StartPort,EndDevice,EndPort\na,1,b,1\na,1,c,1\n", "f:4",
         "a has two cables at one port"},
        {"System,Port,Peer Node,Peer Port\na,1,b,1\na,1,c,1\n", "f:3", "a has two cables at one port"},
        {"System,Port,Peer Node,Peer Port\na,1,b\n", "f:2", "has 3 cells; the first line has 4"},
        {"node,port,node,port\na,1,patch,1\npatch,1,b,1\nc,1,patch,1\n", "f:4",
         "patch has a third cable at one place"},
        {"router 0 node 0\nrouter x\n", "f:2", "expected a router or a node"},
        {"router 0 node 0 15x\n", "f:1", "expected router or node and a number"},
        {"router 0 node 0 node\n", "f:1", "expected router or node and a number"},
        {"router 0 node 0\nrouter 1 node 0\n", "f:2", "node0 has a second router"},
        {"node 0 node 1\n", "f:1", "a channel between two nodes"},
        {"router 0 node 0 node 2\n", "f", "node 2 exists and there are only 2 of them"},
        {"router 1 node 0\n", "f", "router 1 exists and there are only 1 of them"},
        {"router 0 node 99999\n", "f:1", "number 99999 is too large"},
        {"Nodes 8\nTiers 4\nPodsize 8\n", "f", "must have 2 or 3 tiers"},
        {"Nodes 8\nTiers 2\n", "f", "podsize is missing"},
        {"Nodes 8\nTiers 2\nPodsize 8\nTier 0\n", "f", "tier 0: downlink_speed_gbps is missing"},
        {"Nodes 8\nTiers 2\nTiers 2\n", "f:3", "tiers is given twice"},
        {"Nodes 0\nTiers 2\n", "f:1", "nodes 0 is out of range"},
        {"Podsize 8\nTier 3\n", "f:2", "tier 3 does not exist"},
        {"Podsize 8\nTier 0\nTier 0\n", "f:3", "tier 0 is described twice"},
        {"Podsize 8\nRadix_Up 1\n", "f:2",
         "unknown key 'Radix_Up'; expected Nodes, Tiers or Podsize before the tiers"},
        {"Podsize 8\nTier 0\nColour 1\n", "f:3", "unknown key 'Colour' in a tier"},
        {"Podsize 8\nTiers two\n", "f:2", "expected a word and a whole number, as Radix_Down 8"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

static void wide_nodes_are_refused(void **state) {
    (void)state;
    bough_text t = {0};
    bough_fabric f;
    bough_error error;
    bough_text_put(&t, "node,node\n");
    for (int i = 0; i < 255; i++) bough_text_printf(&t, "s,h%d\n", i);
    assert_int_equal(bough_fabric_parse("f", t.data, t.length, &f, &error), BOUGH_INVALID);
    assert_string_equal(error.place, "f:256");
    assert_non_null(strstr(error.reason, "s has more than 254 cables"));
    bough_text_fini(&t);
}

/* ---- by hand ---- */

static const bough_fabric_node *node_named(const bough_fabric *f, const char *name) {
    for (uint32_t n = 0; n < f->node_count; n++)
        if (strcmp(f->node[n].name, name) == 0) return &f->node[n];
    fail_msg("no node '%s'", name);
    return NULL;
}

/* "b 2 25000000000": what a port is cabled to, and the rate. */
static const char *at(const bough_fabric *f, const char *node, uint32_t port) {
    static char text[128];
    uint32_t i = bough_fabric_port_find(f, (uint32_t)(node_named(f, node) - f->node), port);
    if (i == BOUGH_NO_INDEX || f->port[i].peer == BOUGH_NO_INDEX) return "none";
    const bough_fabric_port *q = &f->port[f->port[i].peer];
    snprintf(text, sizeof text, "%s %u %" PRIu64, f->node[q->node].name, q->number, f->port[i].rate);
    return text;
}

static void lists_are_read(void **state) {
    (void)state;
    bough_fabric f = fabric_from("\xef\xbb\xbfNode, Port, Node, Port, Rate, length\r\n"
                                 "# plan\r\n"
                                 "\r\n"
                                 "leaf1,1,\"host, 1\",eth0,25Gb/s,3m\r\n"
                                 "leaf1, 2 ,host2,eth0,25 Gbps,\r\n"
                                 "host3,p1,leaf2,7,10000M,\"x\"\r\n"
                                 "leaf1,49,spine,,1.6Tb/s,\r\n"
                                 "spine,a,leaf2,49,,\r\n");
    assert_string_equal(f.format, "csv");
    assert_int_equal(f.findings.count, 0);
    assert_int_equal(f.node_count, 6);
    assert_string_equal(at(&f, "leaf1", 1), "host, 1 1 25000000000");
    assert_string_equal(at(&f, "leaf1", 2), "host2 1 25000000000");
    assert_string_equal(at(&f, "leaf2", 7), "host3 1 10000000000");
    assert_string_equal(at(&f, "leaf1", 49), "spine 1 1600000000000");
    assert_string_equal(at(&f, "leaf2", 49), "spine 2 0"); /* not all of its ports are numbers */
    assert_int_equal(node_named(&f, "spine")->kind, BOUGH_FABRIC_SWITCH);
    assert_int_equal(node_named(&f, "host3")->kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(node_named(&f, "leaf1")->lid, 4);
    uint32_t first, count;
    bough_fabric_ports(&f, (uint32_t)(node_named(&f, "host3") - f.node), &first, &count);
    assert_int_equal(f.port[first].lid, 3);
    bough_fabric_fini(&f);
}

static void expect_lids(const bough_fabric *f, const char *node, uint32_t of_port_1, uint32_t of_port_2) {
    uint32_t first, count;
    bough_fabric_ports(f, (uint32_t)(node_named(f, node) - f->node), &first, &count);
    assert_int_equal(count, 2);
    assert_int_equal(f->port[first].lid, of_port_1);
    assert_int_equal(f->port[first + 1].lid, of_port_2);
}

/* LIDs go host by host, whatever stands between the cables of a host; those of a host in the order of its
 * cables. */
static void lids_go_host_by_host(void **state) {
    (void)state;
    bough_fabric f = fabric_from("node,port,kind,node,port,kind\n"
                                 "s1,1,switch,b,1,host\n"
                                 "s1,2,switch,a,2,host\n"
                                 "s2,1,switch,a,1,host\n"
                                 "s2,2,switch,b,2,host\n");
    expect_lids(&f, "b", 1, 2);
    expect_lids(&f, "a", 4, 3);
    assert_int_equal(node_named(&f, "s1")->lid, 5);
    assert_int_equal(node_named(&f, "s2")->lid, 6);
    bough_fabric_fini(&f);
}

/* RFC 4180: in a quoted cell two quotes stand for one; in another one it is a character like any. */
static void quotes_are_doubled(void **state) {
    (void)state;
    bough_fabric f = fabric_from("node,port,node,port\n"
                                 "\"a \"\"b\"\"\",1,\"\"\"\",1\n"
                                 "\"\"\"\",2,c\"\"d,1\n"
                                 "\" \"\" \",3,c'd,1\n");
    assert_int_equal(f.node_count, 4);
    assert_string_equal(at(&f, "\"", 1), "a \"b\" 1 0");
    assert_string_equal(at(&f, "\"", 2), "c\"\"d 1 0");
    bough_fabric_fini(&f);
}

static void plans_in_dot_are_read(void **state) {
    (void)state;
    bough_fabric f = fabric_from("# plan\ngraph \"dc 1\" { LLDP=\"subtype=interface\";\n"
                                 "\"leaf-1\" [ label=\"leaf-1\" role=\"leaf\" ] lonely [role=\"leaf\"]\n"
                                 "\"leaf-1\":\"swp1\" -- \"server 1\":\"eth0\"; // a host\n"
                                 "\"leaf-1\":\"swp49\" -- spine1:swp3 [speed=100G]\n"
                                 "spine1:swp4 -- leaf2:swp7 spine1:swp9 -- leaf2:swp8 }\n");
    assert_string_equal(f.format, "ptm");
    assert_int_equal(f.node_count, 4);
    assert_string_equal(at(&f, "leaf-1", 1), "server 1 1 0");
    assert_string_equal(at(&f, "leaf-1", 49), "spine1 3 0");
    assert_string_equal(at(&f, "spine1", 4), "leaf2 7 0");
    assert_int_equal(node_named(&f, "server 1")->kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(node_named(&f, "spine1")->kind, BOUGH_FABRIC_SWITCH);
    bough_fabric_fini(&f);
}

/* Names that end in numbers from 1 to 254 behind the same text are these numbers, at each node. */
static void numbers_behind_names(void **state) {
    (void)state;
    static const struct {
        const char *first, *second;
        uint32_t number[2];
    } ports[] = {
        {"swp7", "swp12", {7, 12}},   {"Eth1/1", "Eth1/2", {1, 2}}, {"p01", "p254", {1, 254}},
        {"swp7", "swp255", {1, 2}},   {"swp0", "swp1", {1, 2}},     {"swp7", "eth9", {1, 2}},
        {"swp7", "12", {1, 2}},       {"Eth1/9", "Eth2/9", {1, 2}}, {"swp7s0", "swp9s1", {1, 2}},
        {"swp7", "swp", {1, 2}},      {"swp7", "", {1, 2}},         {"swp7", "swp7x", {1, 2}},
        {"swp7", "swp00012", {1, 2}},
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        char text[200], to[20];
        snprintf(text, sizeof text, "node,port,node,port\na,%s,b,3\na,%s,c,4\nb,5,c,6\n", ports[i].first,
                 ports[i].second);
        bough_fabric f = fabric_from(text);
        for (int k = 0; k < 2; k++) {
            snprintf(to, sizeof to, "%c %d 0", "bc"[k], 3 + k);
            if (strcmp(at(&f, "a", ports[i].number[k]), to))
                fail_msg("%s and %s", ports[i].first, ports[i].second);
        }
        bough_fabric_fini(&f);
    }
}

/* h has two cables, so its ports are h:1 and h:2. */
static void names_of_ports_are_no_names_of_nodes(void **state) {
    (void)state;
    bough_net *net =
        fabric_net_from("node,kind,port,node,port\n"
                        "h,host,1,s,1\nh,host,2,s,2\nh:2,host,1,s,3\nh:x,host,1,s,4\nk:2,host,1,s,5\n",
                        NULL);
    static const char *const names[] = {"h:1", "h:2", "h:2-0000000000000300", "h:x", "k:2", "s"};
    for (uint64_t v = 0; v < net->nodes; v++) {
        char name[200];
        assert_string_equal(bough_node_name(net, v, name, sizeof name), names[v]);
    }
    bough_net_destroy(net);
}

/* A host with two cables, and a switch with one. */
static void kinds_can_be_said(void **state) {
    (void)state;
    static const char text[] = "kind,node,node,kind\n"
                               "host,h1,s1,\n,h1,s2,switch\n,h2,s1,\n,s1,s3,switch\n";
    /* kind belongs to the first and the second node in turn */
    bough_fabric f = fabric_from(text), g, h;
    bough_error error;
    assert_int_equal(node_named(&f, "h1")->kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(node_named(&f, "h2")->kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(node_named(&f, "s2")->kind, BOUGH_FABRIC_SWITCH);
    assert_int_equal(node_named(&f, "s3")->kind, BOUGH_FABRIC_SWITCH);
    bough_fabric_fini(&f);
    const char *path = temporary_file("kinds.csv", text, 0);
    assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){path, "^s[23]$", 0}, &g, &error), BOUGH_OK);
    assert_int_equal(node_named(&g, "h1")->kind, BOUGH_FABRIC_SWITCH);
    assert_int_equal(node_named(&g, "s2")->kind, BOUGH_FABRIC_ADAPTER);
    bough_fabric_fini(&g);
    assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){path, "(", 0}, &h, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "not a regular expression"));
    assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){path, "^x", 0}, &h, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.place, "kinds.csv"));
    assert_non_null(strstr(error.reason, "hosts=^x: matches none of"));
    path = temporary_file("x.anynet", "router 0 node 0\n", 0);
    assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){path, "x", 0}, &h, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "hosts= applies to lists of cables"));
    char *spec = spec_of("ibnet", temporary_file("two.csv", text, 0)), whole[500];
    snprintf(whole, sizeof whole, "%s,hosts=^h", spec);
    bough_net *net = net_make(whole);
    assert_int_equal(net->endpoints, 3); /* both ports of h1 */
    bough_net_destroy(net);
    free(spec);
}

static void anynets_are_read(void **state) {
    (void)state;
    bough_fabric f = fabric_from("router 0 node 1 node 0 5 router 1\n"
                                 "router 1 node 2 router 0 15\n\n"
                                 "node 3 router 2\nrouter 2 router 1 router 0 \n");
    assert_string_equal(f.format, "anynet");
    assert_int_equal(f.node_count, 7);
    assert_string_equal(at(&f, "router0", 3), "router1 1 0");
    assert_string_equal(at(&f, "router2", 1), "node3 1 0");
    assert_int_equal(count_findings(&f.findings, "latencies"), 1);
    assert_non_null(strstr(find_finding(&f.findings, "latencies")->text, "2 channels"));
    bough_net *net;
    bough_error error;
    assert_int_equal(bough_net_from_fabric(&f, NULL, "made", &net, &error), BOUGH_OK);
    char name[64];
    for (uint64_t e = 0; e < 4; e++) { /* by number, not in the order of the file */
        char want[16];
        snprintf(want, sizeof want, "node%" PRIu64, e);
        assert_string_equal(bough_node_name(net, e, name, sizeof name), want);
    }
    assert_int_equal(net->cables, 3);
    bough_net_destroy(net);
}

/* Two of htsim's own examples: leaf_spine_tiny and test. */
static void topos_are_read(void **state) {
    (void)state;
    bough_net *net = fabric_net_from(
        "Nodes 32\nTiers 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n"
        "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed 4\n\nTier 1\n"
        "Downlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 0\n",
        NULL);
    assert_int_equal(net->endpoints, 32);
    assert_int_equal(net->switches, 6);
    assert_int_equal(net->cables, 8);
    assert_string_equal(at(net->fabric, "tor3", 10), "agg1 4 100000000000");
    bough_net_destroy(net);
    net = fabric_net_from(
        "Nodes 8\nTiers 3\nPodsize 4\n\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\n"
        "Downlink_Latency_ns 1000\n\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\n"
        "Downlink_Latency_ns 1000\nBundle 1\n\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
        "Downlink_Latency_ns 1000\nBundle 2",
        NULL);
    assert_int_equal(net->endpoints, 8);
    assert_int_equal(net->switches, 12);
    assert_int_equal(net->cables, 8 + 16);
    assert_string_equal(at(net->fabric, "agg3", 3), "core1 3 100000000000");
    assert_string_equal(at(net->fabric, "agg3", 6), "core3 4 100000000000");
    assert_string_equal(at(net->fabric, "tor0", 3), "agg0 1 200000000000");
    bough_net_destroy(net);
}

static void topos_that_do_not_add_up_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *nodes, *down, *up, *over, *above, *reason;
    } bad[] = {
        {"30", "8", "2", "4", "4", "must be a multiple of Podsize"},
        {"32", "5", "2", "4", "4", "Radix_Down of tier 0"},
        {"32", "8", "2", "2", "4", "inconsistent cables between tier 0 and tier 1"},
        {"32", "8", "2", "4", "8", "inconsistent cables between"},
        {"64", "8", "2", "4", "4", "several pods"},
        {"65536", "8", "2", "4", "4", "49151"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[400];
        bough_fabric f;
        bough_error error;
        snprintf(
            text, sizeof text,
            "Nodes %s\nTiers 2\nPodsize 32\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down %s\nRadix_Up %s\n"
            "Downlink_Latency_ns 1\nOversubscribed %s\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down %s\n"
            "Downlink_Latency_ns 1\n",
            bad[i].nodes, bad[i].down, bad[i].up, bad[i].over, bad[i].above);
        assert_int_equal(bough_fabric_parse("f", text, strlen(text), &f, &error), BOUGH_INVALID);
        if (!strstr(error.reason, bad[i].reason)) fail_msg("case %zu: %s", i, error.reason);
    }
}

/* ---- exports read back ---- */

typedef bough_status (*exporter)(const bough_net *net, bough_text *out, bough_error *error);

static bough_net *round_trip(const bough_net *net, exporter write) {
    bough_text out = {0};
    bough_error error;
    if (write(net, &out, &error)) fail_msg("%s: %s", net->spec, error.reason);
    bough_net *read = fabric_net_from(out.data, NULL);
    bough_text_fini(&out);
    return read;
}

/* Sizes, and the links of the shortest path of every pair; endpoint e is endpoint e. */
static void expect_alike(const bough_net *a, const bough_net *b) {
    assert_int_equal(b->endpoints, a->endpoints);
    assert_int_equal(b->switches, a->switches);
    assert_int_equal(b->levels, a->levels);
    bough_routing *x = routing_make(a, "minhop"), *y = routing_make(b, "minhop");
    uint64_t path[32];
    for (uint64_t s = 0; s < a->endpoints; s++)
        for (uint64_t t = 0; t < a->endpoints; t++) {
            bough_flow f = {s, bough_endpoint_address(a, t), 0}, g = {s, bough_endpoint_address(b, t), 0};
            if (s != t) assert_int_equal(bough_path(y, &g, path, 32), bough_path(x, &f, path, 32));
        }
    bough_routing_destroy(x);
    bough_routing_destroy(y);
}

static void exports_read_back(void **state) {
    (void)state;
    static const struct {
        const char *net;
        exporter write;
    } known[] = {
        {"xgft:down=4x4,up=1x2,links=1x2", export_csv},
        {"xgft:down=2x3x4,up=1x2x3", export_csv},
        {"fattree:n=16", export_csv},
        {"bft:n=64", export_csv},
        {"xgft:down=4x4,up=1x4", export_anynet},
        {"xgft:down=2x3x4,up=1x2x3", export_anynet},
        {"bft:n=64", export_anynet},
        {"xgft:down=4x4,up=1x4", export_topo},
        {"xgft:down=8x4,up=1x2,links=1x2", export_topo},
        {"kary:k=4,levels=3", export_topo},
        {"xgft:down=4x4x3,up=1x2x2,links=1x1x2", export_topo},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_net *net = net_make(known[i].net), *read = round_trip(net, known[i].write);
        expect_alike(net, read);
        assert_int_equal(read->cables, net->cables);
        bough_net_destroy(read);
        bough_net_destroy(net);
    }
}

/* What other names would be if a character were lost. */
static void lists_tell_names_apart(void **state) {
    (void)state;
    bough_net *net = fabric_net_from(
                  "node,port,node,port\n"
                  "leaf',1,s1,1\n\"leaf\"\"\",1,s1,2\n\"a,b\",1,s1,3\na b,1,s1,4\n\"#\",1,s1,5\n",
                  NULL),
              *read = round_trip(net, export_csv);
    expect_alike(net, read);
    for (uint64_t v = 0; v < net->nodes; v++) {
        char a[200], b[200];
        assert_string_equal(bough_node_name(read, v, a, sizeof a), bough_node_name(net, v, b, sizeof b));
    }
    bough_net_destroy(read);
    bough_net_destroy(net);
}

/* Names of ports are written where they are no numbers. */
static void lists_keep_names_of_ports(void **state) {
    (void)state;
    static const char lines[] = "node,kind,port,node,kind,port,rate\n"
                                "h1,host,eth0,s,switch,swp1,\nh2,host,eth0,s,switch,Ethernet1/2,\n";
    bough_net *net = fabric_net_from(lines, NULL);
    bough_text out = {0};
    bough_error error;
    assert_int_equal(export_csv(net, &out, &error), BOUGH_OK);
    assert_string_equal(out.data, lines);
    bough_text_fini(&out);
    bough_net_destroy(net);
}

/* Names, ports and rates of a fabric stay as they are. */
static void lists_keep_names_ports_and_rates(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"), *spec = spec_of("ibnet", path);
    bough_net *net = net_make(spec), *read = round_trip(net, export_csv), *left;
    bough_error error;
    expect_alike(net, read);
    for (uint64_t l = 0; l < net->links; l++) {
        char a[200], b[200];
        uint64_t from = 0, start = bough_link_start(net, l);
        bough_node_name(net, start, a, sizeof a);
        while (strcmp(bough_node_name(read, from, b, sizeof b), a) != 0) from++;
        uint64_t k = bough_net_link_at(read, from, net->ops->link_port(net, l));
        assert_true(k != BOUGH_NONE);
        assert_string_equal(bough_link_name(read, k, a, sizeof a), bough_link_name(net, l, b, sizeof b));
        assert_int_equal(read->ops->link_rate(read, k), net->ops->link_rate(net, l));
    }
    bough_net_destroy(read);
    assert_int_equal(bough_net_with_faults(net, "cables:count=3,key=1", &left, &error), BOUGH_OK);
    read = round_trip(left, export_csv);
    assert_int_equal(read->cables, net->cables - 3);
    bough_net_destroy(read);
    bough_net_destroy(left);
    bough_net_destroy(net);
    free(spec);
    free(path);
}

static void what_a_format_cannot_say_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *net;
        exporter write;
        const char *reason;
    } bad[] = {
        {"cube:n=8", export_csv, "a node is both"},
        {"transit:n=64", export_csv, "one-way wires"},
        {"xgft:down=4x4,up=1x2,links=1x2", export_anynet, "have several cables"},
        {"xgft:down=4x4,up=2x2", export_anynet, "has several"},
        {"bft:n=64", export_topo, "not bft:n=64"},
        {"fattree:n=16", export_topo, "not fattree:n=16"},
        {"xgft:down=3x4,up=1x2", export_topo, "level 1 of xgft:down=3x4,up=1x2 has 3 cables down and 2 up"},
        {"fattree:n=2^40", export_csv, "the limit is"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        bough_net *net = net_make(bad[i].net);
        bough_text out = {0};
        bough_error error = {0};
        assert_int_not_equal(bad[i].write(net, &out, &error), BOUGH_OK);
        if (!strstr(error.reason, bad[i].reason)) fail_msg("case %zu: %s", i, error.reason);
        bough_text_fini(&out);
        bough_net_destroy(net);
    }
}

/* Hosts with several cables, by their function; a cable from a switch to itself; a node without a cable. */
static void functions_of_nodes(void **state) {
    (void)state;
    static const char *const edge[] = {"--", "->"};
    for (int i = 0; i < 2; i++) {
        char text[500];
        const char *e = edge[i];
        snprintf(
            text, sizeof text,
            "%sgraph dc {\n \"leaf1\" [function=\"leaf\", os=\"x\"]\n \"s1\" [os=\"y\" function=\"host\"]\n "
            "\"gone\" [function=\"host\"]\n s2 [role=\"oob-server\"]\n \"leaf1\":\"swp1\" %s \"s1\":\"eth1\" "
            "[function=\"host\"]\n\"leaf2\":\"swp1\" %s \"s1\":\"eth2\"\n\"leaf1\":\"swp2\" %s "
            "s2:\"eth1\"\n\"leaf2\":\"swp2\" %s s2:\"eth2\"\n\"leaf1\":\"swp8\" %s \"leaf1\":\"swp9\"\n}\n",
            i ? "di" : "", e, e, e, e, e);
        bough_fabric f = fabric_from(text);
        assert_string_equal(f.format, "ptm");
        assert_int_equal(f.node_count, 4);
        assert_int_equal(node_named(&f, "s1")->kind, BOUGH_FABRIC_ADAPTER);
        assert_int_equal(node_named(&f, "s2")->kind, BOUGH_FABRIC_ADAPTER);
        assert_int_equal(node_named(&f, "leaf1")->kind, BOUGH_FABRIC_SWITCH);
        assert_int_equal(node_named(&f, "leaf2")->kind, BOUGH_FABRIC_SWITCH);
        assert_int_equal(fabric_findings(&f, "loop-cable", BOUGH_WARN), 1);
        bough_fabric_fini(&f);
    }
}

static void labs_of_containers(void **state) {
    (void)state;
    bough_fabric f =
        fabric_from("# a lab\nname: lab\ntopology:\n  defaults:\n    kind: ceos\n  nodes:\n    leaf1: {}\n"
                    "    h1: {kind: linux}\n    h2: {kind: linux}\n    lone:\n  links:\n"
                    "    - endpoints: [\"leaf1:eth1\", \"h1:eth1\"]\n    - type: veth\n      endpoints:\n"
                    "        - {node: leaf1, interface: eth2}\n        - node: h2\n"
                    "          interface: eth1\n    - type: mgmt-net\n      endpoint: {node: h1}\n"
                    "    - endpoints: [\"host:x\", \"leaf1:eth9\"]\n"
                    "    - endpoints: [\"spine:eth1\", \"leaf1:eth7\"]\n");
    assert_string_equal(f.format, "containerlab");
    assert_int_equal(f.node_count, 4);
    assert_string_equal(at(&f, "leaf1", 2), "h2 1 0");
    assert_string_equal(at(&f, "leaf1", 7), "spine 1 0");
    assert_int_equal(node_named(&f, "h1")->kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(node_named(&f, "leaf1")->kind, BOUGH_FABRIC_SWITCH);
    assert_int_equal(fabric_findings(&f, "outside-link", BOUGH_INFO), 1);
    bough_fabric_fini(&f);
}

/* Names that look like lines of a terminal are written so that they read back. */
static void names_like_noise_read_back(void **state) {
    (void)state;
    bough_net *net =
        fabric_net_from("node,node\n\"ibwarn: a\",s\n\"root@head:~$ b\",s\n\"sudo: c\",s\n", NULL);
    bough_text out = {0};
    bough_error error;
    assert_int_equal(net->endpoints, 3);
    assert_int_equal(export_csv(net, &out, &error), BOUGH_OK);
    bough_fabric f = fabric_from(out.data);
    assert_int_equal(f.node_count, 4);
    assert_int_equal(fabric_findings(&f, "tool-message", BOUGH_INFO), 0);
    bough_fabric_fini(&f);
    bough_text_fini(&out);
    bough_net_destroy(net);
}

/* ---- tables of neighbours ---- */

#define LEAF_AND_SPINE                                                                                       \
    "leaf1,1,n1 mlx5_0,1\nleaf1,33,spine1,1\nspine1,1,leaf1,33\nspine1,2,leaf2,33\nleaf2,33,spine1,2\n"      \
    "leaf2,1,n2 mlx5_0,1\n"

/* Names of columns of several programs, for the same cables. */
static void headers_of_other_programs(void **state) {
    (void)state;
    static const char *const heads[] = {"System,Port,Peer Node,Peer Port\n",
                                        "system_name,port,peer_node_name,peer_port\n",
                                        "StartDevice,StartPort,EndDevice,EndPort\n",
                                        "Local Device,Local Interface,Remote Device,Remote Interface\n",
                                        "source_host,source_port,dest_host,dest_port\n",
                                        "node1,port1,node2,port2\n",
                                        "# of the plan\n#StartDevice,StartPort,EndDevice,EndPort\n",
                                        "#Fields:StartDevice,StartPort,EndDevice,EndPort\n",
                                        "Hostname,Interface,Neighbor Hostname,Neighbor Interface\n",
                                        "switch,port,host,nic\n",
                                        "node,port,node,port\n"};
    for (size_t i = 0; i < COUNT(heads); i++) {
        char text[400];
        snprintf(text, sizeof text, "%s" LEAF_AND_SPINE, heads[i]);
        bough_fabric f = fabric_from(text);
        assert_int_equal(f.node_count, 5);
        assert_int_equal(f.port_count, 8);
        assert_string_equal(at(&f, "leaf1", 33), "spine1 1 0");
        assert_string_equal(at(&f, "leaf2", 33), "spine1 2 0");
        assert_int_equal(fabric_findings(&f, "both-ends", BOUGH_INFO), 1);
        bough_fabric_fini(&f);
    }
}

/* SONiC's tables of links have Mb/s. */
static void rates_of_tables(void **state) {
    (void)state;
    bough_fabric f = fabric_from("StartDevice,StartPort,EndDevice,EndPort,BandWidth,VlanID,VlanMode\n"
                                 "tor,Ethernet0,server-1,p1p1,40000,1681,Access\n"
                                 "tor,Ethernet4,server-2,p1p1,100G,,\ntor,Ethernet8,server-3,p1,HDR,,\n");
    assert_int_equal(f.node_count, 4);
    assert_string_equal(at(&f, "server-1", 1), "tor 1 40000000000");
    assert_string_equal(at(&f, "server-2", 1), "tor 2 100000000000");
    assert_string_equal(at(&f, "server-3", 1), "tor 3 0");
    bough_fabric_fini(&f);
}

static void ports_without_a_neighbour(void **state) {
    (void)state;
    bough_fabric f =
        fabric_from("System,Port,Peer Node,Peer Port\nleaf,1,n1,1\nleaf,2,n2,1\nleaf,3,,\nspare,1,,\n");
    assert_int_equal(f.node_count, 3);
    assert_int_equal(fabric_findings(&f, "uncabled-port", BOUGH_INFO), 1);
    bough_fabric_fini(&f);
}

/* Without ports a cable counts once if all cables are listed twice; two cables of two nodes stay two. */
static void both_ends_without_ports(void **state) {
    (void)state;
    bough_fabric f = fabric_from("node,node\na,s\ns,a\nb,s\ns,b\ns,t\nt,s\nt,c\nc,t\n");
    assert_int_equal(f.port_count, 8);
    assert_int_equal(node_named(&f, "a")->kind, BOUGH_FABRIC_ADAPTER);
    bough_fabric_fini(&f);
    f = fabric_from("node,node\na,s\nb,s\ns,t\nt,s\nt,c\n");
    assert_int_equal(f.port_count, 10);
    bough_fabric_fini(&f);
    /* the rate of either line counts */
    f = fabric_from(HEAD "a,1,s,1,\ns,1,a,1,100G\nb,1,s,2,\n");
    assert_string_equal(at(&f, "a", 1), "s 1 100000000000");
    bough_fabric_fini(&f);
}

/* ---- patch panels ---- */

#define NETBOX "Device A,Termination A,Device B,Termination B\n"

static void panels_are_passed_through(void **state) {
    (void)state;
    static const char *const texts[] = {
        NETBOX "leaf,1,n1,1\nleaf,49,panel-A,1\npanel-A,1,spine,1\nspine,2,leaf2,1\nleaf2,2,n2,1\n",
        /* through two panels, whose sides have other names; an end that hangs loose */
        NETBOX
        "leaf,1,n1,1\nleaf,49,Patch 1,Front 7\nPatch 2,Rear 3,Patch 1,Rear 7\nspine,1,Patch 2,Front 3\n"
        "spine,2,leaf2,1\nleaf2,2,n2,1\nleaf2,9,Patch 2,Front 9\n",
        "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name\n"
        "leaf,dcim.interface,1,n1,dcim.interface,1\nleaf,dcim.interface,49,box,dcim.frontport,F5\n"
        "box,dcim.rearport,R5,spine,dcim.interface,1\nspine,dcim.interface,2,leaf2,dcim.interface,1\n"
        "leaf2,dcim.interface,2,n2,dcim.interface,1\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        bough_fabric f = fabric_from(texts[i]);
        assert_int_equal(f.node_count, 5);
        assert_int_equal(f.port_count, 8);
        assert_string_equal(at(&f, "leaf", 49), "spine 1 0");
        assert_int_equal(fabric_findings(&f, "patch-panel", BOUGH_INFO), 1);
        assert_int_equal(fabric_findings(&f, "loose-cable", BOUGH_WARN), i == 1);
        for (uint32_t n = 0; n < f.node_count; n++) assert_int_equal(f.node[n].guid, 256 * (n + 1));
        bough_fabric_fini(&f);
    }
    /* a switch that is only called so, and a host */
    bough_fabric f = fabric_from(
        "node,port,node,port\npatch-sw,1,n1,1\npatch-sw,2,panel2,1\ndispatch,1,n2,1\ndispatch,1b,n3,1\n");
    assert_int_equal(f.node_count, 6);
    assert_int_equal(fabric_findings(&f, "patch-panel", BOUGH_INFO), 0);
    bough_fabric_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(wide_nodes_are_refused),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(lids_go_host_by_host),
        cmocka_unit_test(quotes_are_doubled),
        cmocka_unit_test(names_of_ports_are_no_names_of_nodes),
        cmocka_unit_test(numbers_behind_names),
        cmocka_unit_test(plans_in_dot_are_read),
        cmocka_unit_test(kinds_can_be_said),
        cmocka_unit_test(anynets_are_read),
        cmocka_unit_test(topos_are_read),
        cmocka_unit_test(topos_that_do_not_add_up_are_refused),
        cmocka_unit_test(exports_read_back),
        cmocka_unit_test(lists_tell_names_apart),
        cmocka_unit_test(lists_keep_names_ports_and_rates),
        cmocka_unit_test(lists_keep_names_of_ports),
        cmocka_unit_test(what_a_format_cannot_say_is_refused),
        cmocka_unit_test(names_like_noise_read_back),
        cmocka_unit_test(functions_of_nodes),
        cmocka_unit_test(labs_of_containers),
        cmocka_unit_test(headers_of_other_programs),
        cmocka_unit_test(rates_of_tables),
        cmocka_unit_test(ports_without_a_neighbour),
        cmocka_unit_test(both_ends_without_ports),
        cmocka_unit_test(panels_are_passed_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
