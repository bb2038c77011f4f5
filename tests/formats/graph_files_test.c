/* Fabrics from ns-3 topologies and from JSON (node-link data, lldpctl): what is refused, and small cases by
 * hand. tests/cli/networkx_test.py reads what NetworkX writes. */
#include "network/net.h"
#include "support/fabric_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define NETQ(nodes, links)                                                                                   \
    "[{\"nodes\": [{\"compounded_nodes\": [" nodes "]}], \"links\": [{\"compounded_links\": [" links "]}]}]"
#define NETQ_NODE(id, name, tier) "{\"id\": \"" id "\", \"name\": \"" name "\", " tier "}"
#define NETQ_END(node, port)      "{\"node\": \"" node "\", \"interface\": \"" port "\"}"
#define NETQ_LINK(ends)           "{\"interfaces\": [" ends "]}"
#define IS_SWITCH                 "\"device_type\": \"switch\", \"tier\": 1"
#define IS_HOST                   "\"device_type\": \"discovered_via_lldp\", \"tier\": -1"

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"3 1 2\n2\n0 2 1Gbps 1us 0\n", "f:3", "ends before node"},
        {"3 1 2\n2\n0 2 1Gbps 1us\n", "f:3", "ends before the error rate of a link"},
        {"3 1 1\n3\n", "f:2", "'3' is no switch; expected a number from 0 to 2"},
        {"3 1 1\n2\n0 x 1Gbps 1us 0\n", "f:3", "'x' is no node"},
        {"3 1 1\n2\n0 2 1x 1us 0\n", "f:3", "'1x' is not a rate"},
        {"3 2 1\n2 2\n", "f:2", "switch 2 is listed twice"},
        {"3 4 1\n", "f:1", "has more switches than nodes"},
        {"3 4 1 1\n", "f:1", "has more switches than nodes"},
        {"3 1 1 1 400 100 7\n", "f:1", "is not a fabric file"},
        {"2 0 1\n\n0 2 1Gbps 1us 0\n", "f:3", "'2' is no node; expected a number from 0 to 1"},
        {"0 0 0\n", "f:1", "expected 1 to 1048576 nodes"},
        {"99999999 1 1\n", "f:1", "expected 1 to 1048576 nodes"},
        {"4 2 18446744073709551615 1 1 A100\n", "f:1", "has more switches than nodes"},
        {"3 1\n", "f:1", "is not a fabric file"},
        {"{\"nodes\": [", "f", "invalid JSON in line 1, byte 11"},
        {"{\"nodes\": [\n{\"id\": \"a\"},\n{\"id\": }\n]}", "f", "invalid JSON in line 3, byte 7: "},
        {"{\"nodes\": []}", "f:1", "is not a fabric file, but JSON of another kind"},
        {"[1]", "f:1", "is not a fabric file; expected"},
        {"[{\"a\": 1}]", "f:1", "is not a fabric file, but JSON of another kind"},
        {"{ X Ports:01 }", "f:1", "is not a fabric file; expected"},
        {"{\"nodes\": [], \"edges\": []}", "f", "is read as json, but contains no nodes"},
        {"{\"nodes\": [{\"id\": 1.5}], \"edges\": []}", "f", "no text and no whole number"},
        {"{\"nodes\": [{\"id\": \"\"}], \"edges\": []}", "f", "no text and no whole number"},
        {"{\"nodes\": [{\"id\": 1}, {\"id\": 1}], \"edges\": []}", "f", "two nodes have the name 1"},
        {"{\"nodes\": [{\"id\": 1, \"name\": \"a\"}, {\"id\": 1, \"name\": \"b\"}], \"edges\": []}", "f",
         "two nodes have the id of b"},
        {"{\"nodes\": [{\"id\": 1, \"kind\": \"router\"}], \"edges\": []}", "f",
         "kind 'router' is not host or switch"},
        {"{\"nodes\": [{\"id\": 1}], \"edges\": [{\"source\": 1, \"target\": 2}]}", "f",
         "link 1 has no target"},
        {"{\"nodes\": [{\"id\": 1}, {\"id\": 2}], \"edges\": [{\"source\": 1, \"target\": 2, \"rate\": "
         "\"fast\"}]}",
         "f", "the rate of a link"},
        {"{\"directed\": true, \"nodes\": [{\"id\": 1}, {\"id\": 2}], \"edges\": [{\"source\": 2, "
         "\"target\": 1}]}",
         "f", "has not as many links from 1 to a neighbour as back"},
        {"{\"lldp\": {\"interface\": {}}}", "f", "does not name the device of each output"},
        {"[{\"lldp\": {\"interface\": {}}}]", "f", "does not name the device of each output"},
        {"{\"a\": {\"lldp\": {\"interface\": {\"eth0\": {}}}}}", "f", "an interface of a has no chassis"},
        {"[{\"source_guid\": \"1\", \"source_port\": \"1\", \"destination_guid\": \"2\"}, {\"source_guid\": "
         "\"1\"}]",
         "f", "item 2 names one node"},
        {"[{\"source_guid\": \"1\", \"source_port\": \"1\", \"destination_guid\": \"2\"}, 5]", "f",
         "item 2 is no object"},
        {NETQ("{\"name\": \"a\"}", ""), "f", "a node of compounded_nodes has no id"},
        {NETQ("{\"id\": \"1\"}", ""), "f", "the name of a node is no text"},
        {NETQ(NETQ_NODE("1", "a", IS_HOST) "," NETQ_NODE("1", "b", IS_HOST), ""), "f",
         "two nodes have the id 1"},
        {NETQ(NETQ_NODE("1", "a", IS_HOST) "," NETQ_NODE("2", "a", IS_HOST), ""), "f",
         "two nodes have the name of 2"},
        {NETQ(NETQ_NODE("1", "a", IS_HOST), NETQ_LINK(NETQ_END("1", "p"))), "f", "needs two interfaces"},
        {NETQ(NETQ_NODE("1", "a", IS_HOST), NETQ_LINK("{},{}")), "f", "an end of a link has no node"},
        {NETQ(NETQ_NODE("1", "a", IS_HOST), NETQ_LINK(NETQ_END("1", "p") "," NETQ_END("7", "q"))), "f",
         "a link ends at 7, which is no id"},
        {"[{\"nodes\": [{\"compounded_nodes\": []}, {}], \"links\": []}]", "f",
         "a group has no list compounded_nodes"},
        {"{\"instances\": [{\"id\": \"a\", \"network_layers\": []}]}", "f",
         "instance a has no network_layers"},
        {"{\"instances\": [{\"id\": \"a\", \"network_layers\": [1, 2]}]}", "f",
         "a name in network_layers is no text"},
        {"{\"instances\": [{\"id\": \"a\", \"network_layers\": [\"a\"]}]}", "f",
         "a is the id of an instance and a name in network_layers"},
        {"{\"instances\": [{\"id\": \"a\", \"network_layers\": [\"l\", \"s\"]}, {\"id\": \"b\", "
         "\"network_layers\": [\"l\", \"t\"]}]}",
         "f", "switch l has two switches above it"},
        {"[{\"hostname\": \"a\", \"peerHostname\": \"\"}]", "f", "is read as json, but contains no nodes"},
        {"[{\"system_name\": \"a\", \"peer_node_name\": \"\"}]", "f",
         "is read as json, but contains no nodes"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

/* endpoints, switches, cables between switches, and the name of the first endpoint. */
static void has_sizes(const char *text, const unsigned sizes[3], const char *first) {
    bough_net *net = fabric_net_from(text, NULL);
    char name[160];
    assert_int_equal(net->endpoints, sizes[0]);
    assert_int_equal(net->switches, sizes[1]);
    assert_int_equal(net->cables, sizes[2]);
    assert_string_equal(bough_node_name(net, 0, name, sizeof name), first);
    bough_net_destroy(net);
}

/* Words may be in any line; what follows the last link is ignored; hosts are in the order of their numbers.
 */
static void ns3_topologies(void **state) {
    (void)state;
    has_sizes(
        "5 2 5\n3 4\n2 3 100Gbps 1us 0\n0 3 100Gbps 1us 0.000000\n1 4 100Gbps 1us 0\n3 4 400Gbps 1us 0\n"
        "3 4 400Gbps 1us 0\n\nFirst line: total node #, switch node #, link #\n",
        (unsigned[]){3, 2, 2}, "node0");
    has_sizes("3 1 2\r\n2 0 2\r\n1Gbps 1us 0 1 2 1Gbps 1us 0", (unsigned[]){2, 1, 0}, "node0");
    /* servers of two GPUs with an NVSwitch each */
    has_sizes("7 2 2 1 8 A100\n4 5\n6\n0 4 2400Gbps 1us 0\n1 4 2400Gbps 1us 0\n2 5 2400Gbps 1us 0\n3 5 "
              "2400Gbps 1us 0\n"
              "0 6 400Gbps 1us 0\n1 6 400Gbps 1us 0\n2 6 400Gbps 1us 0\n3 6 400Gbps 1us 0\n",
              (unsigned[]){4, 1, 0}, "node0");
}

/* The number of ToR switches, and capacities of links, are left out. */
static void ns3_counts(void **state) {
    (void)state;
    static const char links[] =
        "\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100000000000 1us 0\n";
    static const char *const first[] = {"5 2 4", "5 2 1 4", "5 2 1 4 100 400"};
    for (size_t i = 0; i < COUNT(first); i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", first[i], links);
        has_sizes(text, (unsigned[]){3, 2, 1}, "node0");
    }
}

/* A ring of three hosts, one of which has two cables to another: a switch within each has the cables, and the
 * host's port the sum of their rates. */
static void ns3_hosts_joined(void **state) {
    (void)state;
    bough_net *net = fabric_net_from("4 0 4\n\n0 2 100Gbps 1us 0\n2 3 100Gbps 1us 0\n3 0 100Gbps 2us 0\n"
                                     "0 2 50Gbps 1us 0\n",
                                     NULL);
    static const unsigned rate[] = {250, 250, 200}; /* Gb/s, of node 0, 2, 3 */
    static const char *const names[] = {"node0", "node2", "node3"};
    char name[160];
    assert_int_equal(net->endpoints, 3);
    assert_int_equal(net->switches, 3);
    assert_int_equal(net->cables, 4);
    for (unsigned e = 0; e < 3; e++) {
        assert_string_equal(bough_node_name(net, e, name, sizeof name), names[e]);
        const uint32_t node = fabric_node(net->fabric, names[e]);
        const bough_fabric_port *port = net->fabric->port;
        while (port->node != node) port++; /* it has one */
        assert_true(port->rate == UINT64_C(1000000000) * rate[e]);
        assert_true(port->delayed && port->delay == 0);
    }
    assert_int_equal(fabric_findings(net->fabric, "joined-hosts", BOUGH_INFO), 1);
    bough_net_destroy(net);
    bough_fabric switched = fabric_from("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n");
    assert_int_equal(fabric_findings(&switched, "joined-hosts", BOUGH_INFO), 0);
    bough_fabric_fini(&switched);
}

/* Both ends, or one of them; of NetQ in an object, of SuzieQ alone; and as text, after a prompt. */
static void neighbours(void **state) {
    (void)state;
#define SEEN(a, p, b, q)                                                                                     \
    "{\"hostname\": \"" a "\", \"ifname\": \"" p "\", \"peerHostname\": \"" b "\", \"peerIfname\": \"" q     \
    "\", \"n\": 1}"
    has_sizes("{\"lldp\": [" SEEN("l1", "swp1", "h1", "eth0") "," SEEN("l1", "swp2", "h2", "eth0") "," SEEN(
                  "l1", "swp3", "l2", "swp3") "," SEEN("l2", "swp3", "l1",
                                                       "swp3") "," SEEN("l2", "swp1", "h3",
                                                                        "eth0") "],"
                                                                                "\"truncatedResult\": false}",
              (unsigned[]){3, 2, 1}, "h1");
    has_sizes("[" SEEN("l1", "swp1", "h1", "eth0") "," SEEN("l1", "swp2", "h2", "eth0") "," SEEN("l1", "swp4",
                                                                                                 "", "") "]",
              (unsigned[]){2, 1, 0}, "h1");
    has_sizes("cumulus@l1:~$ netq show lldp\nMatching lldp records:\n"
              "Hostname  Interface  Peer Hostname  Peer Interface  Last Changed\n"
              "--------  ---------  -------------  --------------  ------------\n"
              "l1        swp1       h1             eth0            Mon Dec  2\n"
              "l1        swp2       h2             eth0            47.9s\r\n"
              "l1        swp3\n",
              (unsigned[]){2, 1, 0}, "h1");
}

/* A management network whose switch lets LLDP pass: mgmt0 of s sees one of its neighbours, which all see s.
 */
static void ports_with_several_neighbours(void **state) {
    (void)state;
    bough_fabric f = fabric_from(
        "[" SEEN("s", "1", "h1", "e") "," SEEN("s", "2", "h2", "e") "," SEEN("s", "mgmt0", "t", "mgmt0") "," SEEN(
            "t", "mgmt0", "s",
            "mgmt0") "," SEEN("u", "mgmt0", "s",
                              "mgmt0") "," SEEN("t", "1", "h3",
                                                "e") "," SEEN("t", "2", "s",
                                                              "3") "," SEEN("u", "1", "s",
                                                                            "4") "," SEEN("u", "2", "h4",
                                                                                          "e") "]");
    assert_int_equal(f.port_count, 2 * 6);
    assert_int_equal(fabric_findings(&f, "shared-port", BOUGH_WARN), 1);
    assert_string_equal(
        fabric_finding(&f, "shared-port")->text,
        "port mgmt0 of s has 2 neighbours, as on a shared network: their cables to it are left out");
    bough_fabric_fini(&f);
}

static void wrong_tables_of_neighbours(void **state) {
    (void)state;
    static const fabric_bad spaces[] = {
        {"[{\"namespace\": \"x\", \"hostname\": \"a\", \"peerHostname\": \"b\"}, {\"namespace\": \"y\", "
         "\"hostname\": \"a\", \"peerHostname\": \"c\"}]",
         "f", "has the namespace y beside another; expected one, as of `lldp show --namespace=NAME"},
    };
    fabric_all_refused(spaces, COUNT(spaces));
#define TEXT_HEAD "Hostname  Interface  Peer Hostname\n--------  ---------  -------------\n"
    static const fabric_bad bad[] = {
        {"Matching lldp records:\n", "f:1", "is not a fabric file"},
        {"Hostname  Peer Hostname\nl1        h1\n", "f:1", "is not a fabric file"},
        {"Hostname  Interface\n--------  ---------\n", "f:1", "is not a fabric file"},
        {TEXT_HEAD, "f", "is read as csv, but contains no nodes"},
        {TEXT_HEAD "a-long-name  swp1     h1\n", "f:3", "a word goes beyond its column"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

/* topograph: the switches above each node, and the tree with its nodes in blocks. */
static void levels_of_topograph(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"instances\": [{\"id\": \"n1\", \"network_layers\": [\"l1\", \"s\"]}, {\"id\": \"n2\", "
        "\"labels\": {}, "
        "\"network_layers\": [\"l1\", \"s\"]}, {\"id\": \"n3\", \"network_layers\": [\"l2\", \"s\"]}]}",
        "# a model\n---\nswitches:\n  s:\n    switches: [l1, l2]\n  l2: {}\nblocks:\n- switch: l1\n  nodes: "
        "[\"n[1-2]\"]\n- switch: l2\n  nodes: [n3]\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        bough_fabric f = fabric_from(texts[i]);
        assert_string_equal(f.format, i ? "topograph" : "json");
        assert_int_equal(f.node_count, 6);
        assert_int_equal(f.port_count, 10);
        assert_true(f.merged);
        assert_int_equal(fabric_findings(&f, "merged-switches", BOUGH_INFO), 1);
        assert_int_equal(f.node[fabric_node(&f, "n2")].kind, BOUGH_FABRIC_ADAPTER);
        bough_fabric_fini(&f);
    }
}

static void wrong_models_of_topograph(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"switches:\n  s: {switches: [l]}\n", "f:1", "expected a list `blocks:`"},
        {"blocks:\n- nodes: [a]\n", "f:2", "the block has no `switch:`"},
        {"blocks:\n- switch: l\n", "f:2", "expected a list `nodes:`"},
        {"blocks:\n- switch: l\n  nodes: [\"a[1\"]\n", "f:3", "hostlist 'a[1'"},
        {"blocks:\n- switch: l\n  nodes: [l]\n", "f:3", "l is the name of a switch and of a node"},
        {"blocks:\n- switch: l\n nodes: [l]\n", "f:3", "not valid YAML"},
        {"switches: 5\n", "f:1", "is not a fabric file"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

/* On one line, too: of a digraph its ports say that it is no file of ORCS. */
static void plans_on_one_line(void **state) {
    (void)state;
    has_sizes("digraph t { \"h1\":\"e\" -> \"s\":\"p1\"; \"h2\":\"e\" -> \"s\":\"p2\"; }\n",
              (unsigned[]){2, 1, 0}, "h1");
    has_sizes("graph t { \"h1\":\"e\" -- \"s\":\"p1\"; \"h2\":\"e\" -- \"s\":\"p2\"; }",
              (unsigned[]){2, 1, 0}, "h1");
}

/* Hosts alone are joined directly in every list: the ring above, and one cable between two hosts. */
static void hosts_joined_in_every_list(void **state) {
    (void)state;
    static const char *const ring[] = {
        "node,kind,node,kind,rate\na,host,b,host,1Gb/s\nb,host,c,host,1Gb/s\nc,host,a,host,1Gb/s\n",
        "graph G {\na [function=host]\nb [function=host]\nc [function=host]\n"
        "a:e1 -- b:e1\nb:e2 -- c:e1\nc:e2 -- a:e2\n}\n",
        "{\"nodes\": [{\"id\": \"a\", \"kind\": \"host\"}, {\"id\": \"b\", \"kind\": \"host\"},"
        " {\"id\": \"c\", \"kind\": \"host\"}], \"links\": [{\"source\": \"a\", \"target\": \"b\"},"
        " {\"source\": \"b\", \"target\": \"c\"}, {\"source\": \"c\", \"target\": \"a\"}]}\n"};
    static const char *const pair[] = {"node,node\na,b\n", "graph G {\na:e1 -- b:e1\n}\n",
                                       ("{\"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}], \"links\": "
                                        "[{\"source\": \"a\", \"target\": \"b\"}]}\n"),
                                       "2 0 1\n\n0 1 1Gbps 1us 0\n"};
    for (size_t i = 0; i < COUNT(ring); i++) has_sizes(ring[i], (unsigned[]){3, 3, 3}, "a");
    for (size_t i = 0; i < COUNT(pair); i++)
        has_sizes(pair[i], (unsigned[]){2, 2, 1}, i + 1 < COUNT(pair) ? "a" : "node0");
    bough_fabric f = fabric_from(ring[0]);
    assert_int_equal(fabric_findings(&f, "joined-hosts", BOUGH_INFO), 1);
    bough_fabric_fini(&f);
    f = fabric_from("node,kind,node,kind\na,host,b,host\ns,switch,c,host\n"); /* a switch: no */
    assert_int_equal(fabric_findings(&f, "joined-hosts", BOUGH_INFO), 0);
    bough_fabric_fini(&f);
}

/* A cable whose ends are at one node is a warning in every list. */
static void cables_to_themselves(void **state) {
    (void)state;
    static const char ptm[] = "graph G {\n\"a\":\"p1\" -- \"s\":\"p1\"\n\"b\":\"p1\" -- \"s\":\"p2\"\n"
                              "\"s\":\"p3\" -- \"s\":\"p4\"\n}\n";
    static const char *const texts[] = {
        "3 1 3\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n2 2 1Gbps 1us 0\n",
        "node,port,node,port\na,1,s,1\nb,1,s,2\ns,3,s,4\n",
        ptm,
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        bough_net *net = fabric_net_from(texts[i], NULL);
        assert_int_equal(net->endpoints, 2);
        assert_int_equal(net->switches, 1);
        const bough_finding *loop = fabric_finding(net->fabric, "loop-cable");
        assert_non_null(loop);
        assert_int_equal(loop->severity, BOUGH_WARN);
        bough_net_destroy(net);
    }
}

/* Two servers of two GPUs: their NVLinks, and their cables, are given. */
static bough_fabric with_servers(const char *first, const char *nvlinks, const char *cables) {
    char text[1024];
    snprintf(text, sizeof text, "%s\n4 5\n6\n%s%s", first, nvlinks, cables);
    return fabric_from(text);
}

#define CABLES "0 6 400Gbps 1us 0\n1 6 400Gbps 1us 0\n2 6 400Gbps 1us 0\n3 6 400Gbps 1us 0\n"

/* GPUs 0 and 3 share an NVSwitch. */
static void ns3_servers(void **state) {
    (void)state;
    static const char nvlinks[] =
        "0 4 2400Gbps 25ns 0\n5 1 2400Gbps 25ns 0\n2 5 2400Gbps 25ns 0\n3 4 2400Gbps 25ns 0\n";
    bough_fabric f = with_servers("7 2 2 1 8 H800", nvlinks, CABLES);
    assert_string_equal(f.servers, "server:gpus=2,nics=2,nvlink=2400Gb/s,nvlink_delay=25ns,nvls=1");
    static const uint32_t server[] = {1, 2, 2, 1};
    for (uint32_t i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "node%u", i);
        assert_int_equal(f.node[fabric_node(&f, name)].server, server[i]);
    }
    assert_int_equal(f.node[fabric_node(&f, "switch6")].server, 0);
    assert_int_equal(fabric_findings(&f, "nvswitches", BOUGH_INFO), 0);
    bough_fabric_fini(&f);
    /* a GPU with two NVLinks has the sum of their rates; Ampere does not add */
    f = fabric_from("6 2 2 1 6 A100\n3 4\n5\n0 3 1200Gbps 25ns 0\n0 4 1200Gbps 25ns 0\n1 3 1200Gbps 25ns 0\n"
                    "1 4 1200Gbps 25ns 0\n0 5 400Gbps 1us 0\n1 5 400Gbps 1us 0\n2 5 400Gbps 1us 0\n");
    assert_null(f.servers); /* node 2 has no NVLink */
    bough_fabric_fini(&f);
    f = fabric_from("5 2 2 1 6 A100\n2 3\n4\n0 2 1200Gbps 25ns 0\n0 3 1200Gbps 25ns 0\n1 2 1200Gbps 25ns 0\n"
                    "1 3 1200Gbps 25ns 0\n0 4 400Gbps 1us 0\n1 4 400Gbps 1us 0\n");
    assert_string_equal(f.servers, "server:gpus=2,nics=2,nvlink=2400Gb/s,nvlink_delay=25ns");
    bough_fabric_fini(&f);
}

/* What compute nodes cannot be is left out with the reason. */
static void servers_that_differ(void **state) {
    (void)state;
    static const struct {
        const char *first, *nvlinks, *cables, *reason;
    } unlike[] = {
        {"7 2 2 1 8 A", "0 4 9Gbps 1ns 0\n1 4 9Gbps 1ns 0\n2 5 8Gbps 1ns 0\n3 5 9Gbps 1ns 0\n", CABLES,
         "2 NVSwitches with 4 links are left out, as the rates of GPUs differ"},
        {"7 2 2 1 8 A", "0 4 9Gbps 1ns 0\n1 4 9Gbps 1ns 0\n2 5 9Gbps 2ns 0\n3 5 9Gbps 1ns 0\n", CABLES,
         "the delays of NVLinks differ"},
        {"7 2 2 1 8 A", "0 4 9Gbps 1ns 0\n1 4 9Gbps 1ns 0\n2 4 9Gbps 1ns 0\n3 5 9Gbps 1ns 0\n", CABLES,
         "the numbers of their GPUs differ"},
        {"7 2 2 1 7 A", "0 4 9Gbps 1ns 0\n1 4 9Gbps 1ns 0\n2 5 9Gbps 1ns 0\n", CABLES,
         "other nodes have no NVLink"},
        {"7 2 2 1 9 A", "0 4 9Gbps 1ns 0\n1 4 9Gbps 1ns 0\n2 5 9Gbps 1ns 0\n3 5 9Gbps 1ns 0\n",
         CABLES "3 6 400Gbps 1us 0\n", "GPUs have no cable to a switch, or several"},
        {"7 2 2 1 9 A",
         "0 4 9Gbps 1ns 0\n1 4 9Gbps 1ns 0\n2 5 9Gbps 1ns 0\n3 5 9Gbps 1ns 0\n4 6 9Gbps 1ns 0\n", CABLES,
         "2 NVSwitches with 5 links are left out, as NVSwitches are joined to switches"},
        {"7 2 2 1 8 A", "0 4 90Tbps 1ns 0\n1 4 90Tbps 1ns 0\n2 5 90Tbps 1ns 0\n3 5 90Tbps 1ns 0\n", CABLES,
         "a compute node has at most 1024 GPUs, and 60 Tb/s to the NVSwitch"},
    };
    for (size_t i = 0; i < COUNT(unlike); i++) {
        bough_fabric f = with_servers(unlike[i].first, unlike[i].nvlinks, unlike[i].cables);
        assert_null(f.servers);
        const bough_finding *left = fabric_finding(&f, "nvswitches");
        if (!left || !strstr(left->text, unlike[i].reason))
            fail_msg("%zu: %s", i, left ? left->text : "none");
        for (uint32_t n = 0; n < f.node_count; n++) assert_int_equal(f.node[n].server, 0);
        bough_fabric_fini(&f);
    }
    /* without switches, NVSwitches are the network */
    bough_fabric alone = fabric_from("3 2 1 0 2 H100\n2\n0 2 2880Gbps 25ns 0\n1 2 2880Gbps 25ns 0\n");
    assert_int_equal(alone.node[fabric_node(&alone, "switch2")].kind, BOUGH_FABRIC_SWITCH);
    assert_null(alone.servers);
    bough_fabric_fini(&alone);
}

/* A rate means the same in every format and in options: B is bytes. */
static void rates_of_all_formats(void **state) {
    (void)state;
    enum { NS3, CSV, JSON, FORMATS };
    static const struct {
        const char *text;
        uint64_t rate;
    } rates[] = {
        {"25Gbps", UINT64_C(25000000000)},    {"25Gb/s", UINT64_C(25000000000)},
        {"25G", UINT64_C(25000000000)},       {"25Gbit/s", UINT64_C(25000000000)},
        {"12.5GB/s", UINT64_C(100000000000)}, {"12.5GBps", UINT64_C(100000000000)},
        {"1000KB/s", UINT64_C(8000000)},      {"1000kBps", UINT64_C(8000000)},
        {"1GiB/s", UINT64_C(8589934592)},     {"14.0625Gb/s", UINT64_C(14062500000)},
        {"1000000b/s", UINT64_C(1000000)},    {"1000000B/s", UINT64_C(8000000)},
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        for (int f = NS3; f < FORMATS; f++) {
            const char *rate = rates[i].text;
            char file[256];
            if (f == NS3)
                snprintf(file, sizeof file, "3 1 2\n2\n0 2 %s 1us 0\n1 2 %s 1us 0\n", rate, rate);
            else if (f == CSV)
                snprintf(file, sizeof file, "node,port,node,port,rate\nh1,1,s,1,%s\nh2,1,s,2,%s\n", rate,
                         rate);
            else
                snprintf(
                    file, sizeof file,
                    "{\"nodes\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}], \"links\": [{\"source\": 1, "
                    "\"target\": 2, \"rate\": \"%s\"}, {\"source\": 3, \"target\": 2, \"rate\": \"%s\"}]}",
                    rate, rate);
            bough_net *net = fabric_net_from(file, NULL);
            if (bough_net_link_rate(net, 0) != rates[i].rate) fail_msg("%s", file);
            bough_net_destroy(net);
        }
        char spec[64];
        bough_physical *physical;
        bough_error error;
        snprintf(spec, sizeof spec, "default:rate=%s", rates[i].text);
        if (bough_physical_create(spec, &physical, &error)) fail_msg("%s: %s", spec, error.reason);
        assert_int_equal(physical->rate, rates[i].rate);
        bough_physical_destroy(physical);
    }
    bough_net *net = fabric_net_from("3 1 2\n2\n0 2 25000000000.0 1us 0\n1 2 25e9b/s 1us 0\n", NULL);
    assert_int_equal(bough_net_link_rate(net, 0), UINT64_C(25000000000)); /* ns-3: bit/s */
    assert_int_equal(bough_net_link_rate(net, 1), UINT64_C(25000000000));
    bough_net_destroy(net);
}

static void node_link_data(void **state) {
    (void)state;
    has_sizes("{\"directed\": false, \"multigraph\": true, \"nodes\": [{\"id\": \"h1\"}, {\"id\": 7}, "
              "{\"id\": \"s\"}],"
              "\"edges\": [{\"source\": \"h1\", \"target\": \"s\", \"rate\": 1e11}, {\"source\": 7, "
              "\"target\": \"s\"}]}",
              (unsigned[]){2, 1, 0}, "7");
    /* kinds, and the older name of the list */
    has_sizes(
        "{\"nodes\": [{\"id\": 1, \"kind\": \"host\"}, {\"id\": 2, \"kind\": \"switch\"}, {\"id\": 3, "
        "\"endpoint\": false}], \"links\": [{\"source\": 1, \"target\": 2}, {\"source\": 1, \"target\": 3}, "
        "{\"source\": 2, \"target\": 3}]}",
        (unsigned[]){2, 2, 1}, "1:1");
    /* two directions are a cable */
    has_sizes(
        "{\"directed\": true, \"nodes\": [{\"id\": 1}, {\"id\": 2}, {\"id\": 3}], \"links\": ["
        "{\"source\": 1, \"target\": 2}, {\"source\": 2, \"target\": 1}, {\"source\": 3, \"target\": 2}, "
        "{\"source\": 2, \"target\": 3}]}",
        (unsigned[]){2, 1, 0}, "1");
}

#define CHASSIS(name, kind) "{\"" name "\": {\"capability\": [{\"type\": \"" kind "\", \"enabled\": true}]}}"

/* One neighbour is an object, several are an array; both ends of a cable have seen it. */
static void lldp_neighbours(void **state) {
    (void)state;
    has_sizes(
        "{\"n1\": {\"lldp\": {\"interface\": {\"eth0\": {\"chassis\": " CHASSIS(
            "leaf",
            "Bridge") "}}}},"
                      "\"n2\": {\"lldp\": {\"interface\": [{\"eth0\": {\"chassis\": " CHASSIS(
                          "leaf",
                          "Bridge") "}}]}},"
                                    "\"leaf\": {\"lldp\": {\"interface\": [{\"1\": "
                                    "{\"chassis\": " CHASSIS(
                                        "n1",
                                        "Station") "}},"
                                                   "{\"2\": {\"chassis\": " CHASSIS(
                                                       "n2",
                                                       "St"
                                                       "at"
                                                       "io"
                                                       "n") "}}, {\"3\": {\"chassis\": " CHASSIS("spine",
                                                                                                 "Router") "}"
                                                                                                           "}"
                                                                                                           ","
                                                                                                           " "
                                                                                                           "{"
                                                                                                           "\"4\": "
                                                                                                           "{"
                                                                                                           "\"chassis\":"
                                                                                                           " " CHASSIS(
                                                                                                               "spine",
                                                                                                               "Route"
                                                                                                               "r") "}"
                                                                                                                    "}"
                                                                                                                    "]"
                                                                                                                    "}"
                                                                                                                    "}"
                                                                                                                    "}",
        (unsigned[]){2, 2, 2}, "n1");
    /* json0, in an array */
    has_sizes(
        "[{\"host\": \"n1\", \"lldp\": [{\"interface\": [{\"name\": \"eth0\", \"chassis\": [{\"name\": "
        "[{\"value\": "
        "\"leaf\"}], \"capability\": [{\"type\": \"Bridge\", \"enabled\": true}]}]}]}]},"
        "{\"host\": \"n2\", \"lldp\": [{\"interface\": [{\"name\": \"eth0\", \"chassis\": [{\"id\": "
        "[{\"type\": "
        "\"mac\", \"value\": \"leaf\"}], \"capability\": [{\"type\": \"Bridge\", \"enabled\": true}]}]}]}]}]",
        (unsigned[]){2, 1, 0}, "n1");
}

#define LINK(from, port, to, peer)                                                                           \
    "{\"source_guid\": \"0a\", \"source_port_node_description\": \"" from "\", \"source_port\": \"" port     \
    "\", \"destination_guid\": \"0b\", \"destination_port_node_description\": \"" to                         \
    "\", \"destination_port\": \"" peer "\", \"width\": \"IB_4x\"}"
#define UFM_PORT(own, port, peer, other)                                                                     \
    "{\"system_name\": \"" own "\", \"dname\": \"" port                                                      \
    "\", \"active_width\": \"4x\", \"active_speed\": \"HDR\","                                               \
    "\"peer_node_name\": \"" peer "\", \"peer_port_dname\": \"" other "\"}"

/* Links of UFM name each cable once, its ports name it from both ends. */
static void links_and_ports_of_ufm(void **state) {
    (void)state;
    has_sizes("[" LINK("leaf1", "1", "n1 mlx5_0", "1") "," LINK("n2 mlx5_0", "1", "leaf2", "1") "," LINK(
                  "leaf1", "33", "spine", "1") "," LINK("leaf2", "33", "spine", "2") "]",
              (unsigned[]){2, 3, 2}, "n1");
    /* the name of a maker is that of many adapters */
    has_sizes(
        "[{\"source_guid\": \"a\", \"source_port\": 1, \"source_port_node_description\": \"MT4129 Mellanox "
        "Technologies\", \"destination_guid\": \"c\", \"destination_port\": 1},{\"source_guid\": \"b\", "
        "\"source_port\": 1, \"source_port_node_description\": \"MT4129 Mellanox Technologies\", "
        "\"destination_guid\": \"c\", \"destination_port\": 2}]",
        (unsigned[]){2, 1, 0}, "MT4129 Mellanox Technologies a");
    static const char ports[] =
        "[" UFM_PORT("leaf1", "1", "n1", "HCA-1") "," UFM_PORT("n1", "HCA-1", "leaf1", "1") "," UFM_PORT(
            "leaf1", "2", "n2", "HCA-1") "," UFM_PORT("n2", "HCA-1", "leaf1", "2") "," UFM_PORT("leaf1", "3",
                                                                                                "", "") "]";
    bough_fabric f;
    fabric_good(ports, &f);
    assert_int_equal(f.node_count, 3);
    assert_int_equal(f.port_count, 4);
    assert_int_equal(f.port[0].rate, 200000000000);
    assert_int_equal(fabric_findings(&f, "both-ends", BOUGH_INFO), 1);
    assert_int_equal(fabric_findings(&f, "uncabled-port", BOUGH_INFO), 1);
    bough_fabric_fini(&f);
}

/* Two hosts at two leaves below a spine, one of them with two cables. */
static void graph_of_netq(void **state) {
    (void)state;
    has_sizes(
        NETQ(
            NETQ_NODE("1", "leaf1", IS_SWITCH) "," NETQ_NODE("2", "leaf2", IS_SWITCH) "," NETQ_NODE(
                "3", "spine", IS_SWITCH) "," NETQ_NODE("4", "dgx-01", IS_HOST) "," NETQ_NODE("5", "n2",
                                                                                             "\"tier\": 0"),
            NETQ_LINK(NETQ_END("1", "swp1") "," NETQ_END("4", "eth0")) "," NETQ_LINK(NETQ_END("4", "eth1") "," NETQ_END("2", "swp1")) "," NETQ_LINK(
                NETQ_END("5", "eth0") "," NETQ_END(
                    "2",
                    "swp2")) "," NETQ_LINK(NETQ_END("1",
                                                    "swp9") "," NETQ_END("3",
                                                                         "swp1")) "," NETQ_LINK(NETQ_END("2",
                                                                                                         "swp"
                                                                                                         "9") "," NETQ_END("3",
                                                                                                                           "swp2"))),
        (unsigned[]){3, 3, 2}, "dgx-01:1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(ns3_topologies),
        cmocka_unit_test(ns3_counts),
        cmocka_unit_test(ns3_hosts_joined),
        cmocka_unit_test(hosts_joined_in_every_list),
        cmocka_unit_test(plans_on_one_line),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(wrong_tables_of_neighbours),
        cmocka_unit_test(ports_with_several_neighbours),
        cmocka_unit_test(levels_of_topograph),
        cmocka_unit_test(wrong_models_of_topograph),
        cmocka_unit_test(cables_to_themselves),
        cmocka_unit_test(ns3_servers),
        cmocka_unit_test(servers_that_differ),
        cmocka_unit_test(rates_of_all_formats),
        cmocka_unit_test(node_link_data),
        cmocka_unit_test(lldp_neighbours),
        cmocka_unit_test(links_and_ports_of_ufm),
        cmocka_unit_test(graph_of_netq),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
