/* Fabrics from platforms of SimGrid: what is refused, and small cases by hand. */
#include "network/net.h"
#include "support/fabric_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a)                   (sizeof(a) / sizeof *(a))
#define PLATFORM(...)              "<platform version='4.1'>\n" __VA_ARGS__ "</platform>\n"
#define ZONE(kind, ...)            PLATFORM("<zone id='z' routing='" kind "'>\n" __VA_ARGS__ "</zone>\n")
#define HOST(id)                   "<host id='" id "' speed='1Gf'/>\n"
#define LINK(id, more)             "<link id='" id "' bandwidth='1GBps' latency='2us' " more "/>\n"
#define ROUTE(src, dst, more, ...) "<route src='" src "' dst='" dst "' " more ">" __VA_ARGS__ "</route>\n"
#define ON(id)                     "<link_ctn id='" id "'/>"
#define CLUSTER(more)                                                                                        \
    PLATFORM("<cluster id='c' prefix='n' suffix='' speed='1Gf' bw='10Gbps' lat='1us' " more "/>\n")

/* bough may have been built without libxml2. */
static void need_xml(void) {
    static const char text[] = CLUSTER("radical='0-1'");
    bough_fabric f;
    bough_error error = {0};
    const bough_status status = bough_fabric_parse("f", text, strlen(text), &f, &error);
    if (!status) bough_fabric_fini(&f);
    if (status == BOUGH_UNSUPPORTED) skip();
}

static void wrong_platforms_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"<?xml version='1.0'?>\n<!DOCTYPE platform [<!ENTITY a 'b'>]>\n<platform/>", "f:2",
         "a document type with declarations of its own"},
        {"<platform/>", "f:1", "version= is missing"},
        {"<platform version='3'/>", "f:1", "expected 4 or later: simgrid_update_xml converts"},
        {ZONE("Vivaldi"), "f:2", "zones of routing Vivaldi are not supported"},
        {PLATFORM("<cabinet/>"), "f:2", "<cabinet> and <peer> are not supported"},
        {PLATFORM("<AS id='z' routing='Vivaldi'/>"), "f:2", "zones of routing Vivaldi are not supported"},
        {PLATFORM("<AS/>"), "f:2", "routing= is missing"},
        {ZONE("Full", "<host/>\n"), "f:3", "id= is missing"},
        {ZONE("Full", HOST("a") HOST("a")), "f:4", "a second node 'a'"},
        {ZONE("Full", LINK("l", "") LINK("l", "")), "f:4", "a second link 'l'"},
        {ZONE("Full", "<link id='l' bandwidth='fast'/>\n"), "f:3", "bandwidth=\"fast\" is no rate"},
        {ZONE("Full", "<link id='l' bandwidth='1Gbps' latency='soon'/>\n"), "f:3",
         "latency=\"soon\" is no time"},
        {ZONE("Full", HOST("a") LINK("l", "") ROUTE("a", "b", "", ON("l"))), "f:5",
         "no host or router 'b' is declared"},
        {ZONE("Full", HOST("a") HOST("b") ROUTE("a", "b", "", ON("l"))), "f:5", "no link 'l' is declared"},
        {ZONE("Full", HOST("a") HOST("b") ROUTE("a", "b", "")), "f:5", "a route without links"},
        {ZONE("Full", ON("l")), "f:3", "a link_ctn outside of a route"},
        {ZONE("Full", HOST("a") HOST("b") LINK("l", "") ROUTE("a", "b", "", ON("l_UP"))), "f:6",
         "no link 'l_UP' is declared"}, /* it has no directions */
        {ZONE("Full", HOST("a") HOST("b") LINK("l", "") LINK("k", "") ROUTE("a", "b", "", ON("l") ON("k"))),
         "f:7", "does not say which nodes its 2 links join"},
        {ZONE("Full", HOST("a") HOST("b") HOST("c") LINK("l", "") ROUTE("a", "b", "", ON("l"))
                          ROUTE("a", "c", "", ON("l"))),
         "f:8", "shared media are not supported"},
        {ZONE("Full",
              HOST("a") HOST("b") LINK("l", "") LINK("k", "") ROUTE("a", "b", "symmetrical='NO'", ON("l"))
                  ROUTE("b", "a", "symmetrical='NO'", ON("l") ON("k"))),
         "f:8", "the route is at 'a' before its last link"},
        {ZONE("Full", HOST("a") LINK("l", "") "<host_link id='a' up='l' down='l'/>\n"), "f:5",
         "outside of a zone of routing Cluster"},
        {CLUSTER(""), "f:2", "has no radical"},
        {CLUSTER("radical='0-'"), "f:2", "expected numbers and ranges, as 0-3,7"},
        {CLUSTER("radical='3-1'"), "f:2", "expected numbers and ranges"},
        {CLUSTER("radical='0-99999999'"), "f:2", "expected numbers and ranges"},
        {CLUSTER("radical='0,0'"), "f:2", "a second node 'n0'"},
        {CLUSTER("radical='0-3' topology='DRAGONFLY'"), "f:2", "topology DRAGONFLY is not supported"},
        {CLUSTER("radical='0-3' topology='TORUS' topo_parameters='3,2'"), "f:2",
         "has 4 hosts, but topo_parameters has places for 6"},
        {CLUSTER("radical='0-3' topology='TORUS' topo_parameters='2;2'"), "f:2", "expected one list"},
        {CLUSTER("radical='0-3' topology='TORUS' topo_parameters='2,x'"), "f:2", "topo_parameters=\"2,x\""},
        {CLUSTER("radical='0-3' topology='FAT_TREE' topo_parameters='2;2,2;1,2'"), "f:2",
         "expected topo_parameters levels;children"},
        {CLUSTER("radical='0-4' topology='FAT_TREE' topo_parameters='2;2,2;1,2;1,1'"), "f:2",
         "has 5 hosts, but topo_parameters has places for 4"},
        {PLATFORM("<cluster id='c' radical='0-1' bw='x' lat='1us'/>"), "f:2", "bw=\"x\" is no rate"},
        {PLATFORM("<cluster id='c' radical='0-1' bw='1e9' lat='x'/>"), "f:2", "lat=\"x\" is no time"},
    };
    need_xml();
    fabric_all_refused(bad, COUNT(bad));
}

/* endpoints, switches and cables between switches. */
static bough_net *has(const char *text, uint64_t endpoints, uint64_t switches, uint64_t cables) {
    bough_net *net = fabric_net_from(text, NULL);
    assert_string_equal(net->fabric->format, "simgrid");
    assert_int_equal(net->endpoints, endpoints);
    assert_int_equal(net->switches, switches);
    assert_int_equal(net->cables, cables);
    return net;
}

/* The port of an adapter, or the first of a switch. */
static const bough_fabric_port *port_of(const bough_net *net, const char *name) {
    const bough_fabric_port *port = net->fabric->port;
    while (port->node != fabric_node(net->fabric, name)) port++;
    return port;
}

static bool joined(const bough_net *net, const char *a, const char *b) {
    const bough_fabric *f = net->fabric;
    for (uint32_t p = 0; p < f->port_count; p++)
        if (f->port[p].node == fabric_node(f, a) && f->port[p].peer != BOUGH_NO_INDEX &&
            f->port[f->port[p].peer].node == fabric_node(f, b))
            return true;
    return false;
}

/* Rates of links are bytes a second where they have no unit; a document type without declarations is skipped.
 */
static void routes_between_neighbours(void **state) {
    (void)state;
    need_xml();
    bough_net *net =
        has("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" ZONE(
                "Floyd", HOST("a") HOST("b") "<router id='r'/><router id='q'/>\n"
                                             "<link id='la' bandwidth='125E6' latency='5E-6'/>\n" LINK(
                                                 "lb", "sharing_policy='SPLITDUPLEX'") LINK("t", "")
                                                 ROUTE("a", "r", "", ON("la"))
                                                     ROUTE("b", "q", "", "<link_ctn id='lb' direction='UP'/>")
                                                         ROUTE("r", "q", "symmetrical='NO'", ON("t"))
                                                             ROUTE("q", "r", "symmetrical='NO'", ON("t"))),
            2, 2, 1);
    assert_true(joined(net, "a", "r") && joined(net, "r", "q") && joined(net, "b", "q"));
    assert_true(port_of(net, "a")->rate == UINT64_C(1000000000) && port_of(net, "a")->delay == 5000000);
    assert_true(port_of(net, "b")->rate == UINT64_C(8000000000) && port_of(net, "b")->delay == 2000000);
    assert_int_equal(fabric_findings(net->fabric, "shared-links", BOUGH_INFO), 1);
    assert_int_equal(fabric_findings(net->fabric, "one-way", BOUGH_INFO), 0);
    bough_net_destroy(net);
}

/* Version 4.0 calls zones AS and their routes ASroute. */
static void zones_of_older_name(void **state) {
    (void)state;
    need_xml();
    bough_net *net = has(
        PLATFORM(
            "<AS id='z' routing='Full'>\n<AS id='y' routing='Floyd'>\n" HOST("a") "<router id='r'/>\n" LINK(
                "la", "")
                ROUTE("a", "r", "", ON("la")) "</AS>\n<AS id='x' routing='Floyd'>\n" HOST(
                    "b") "<router id='q'/>\n" LINK("lb", "")
                    ROUTE("b", "q", "", ON("lb")) "</AS>\n" LINK(
                        "t",
                        "") "<ASroute src='y' dst='x' gw_src='r' gw_dst='q'>" ON("t") "</ASroute>\n</AS>\n"),
        2, 2, 1);
    assert_true(joined(net, "a", "r") && joined(net, "r", "q") && joined(net, "b", "q"));
    bough_net_destroy(net);
}

/* Links that routes pass both ways. That of c to a comes before any that says where the end of lc is: its
 * other links do, from the end of the route. */
static void links_passed_both_ways(void **state) {
    (void)state;
    need_xml();
#define BOTH(a, b, up, down) ROUTE(a, b, "symmetrical='NO'", ON(up) ON(down))
    /* Nodes that reach themselves by one and the same link. */
    bough_net_destroy(
        has(ZONE("Full", HOST("a") HOST("b") "<router id='r'/>\n" LINK("la", "") LINK("lb", "")
                             LINK("loop", "") ROUTE("a", "a", "", ON("loop")) ROUTE("b", "b", "", ON("loop"))
                                 ROUTE("a", "r", "", ON("la")) ROUTE("b", "r", "", ON("lb"))),
            2, 1, 0));
    bough_net *net = has(ZONE("Full", HOST("a") HOST("b") HOST("c") LINK("la", "") LINK("lb", "")
                                          LINK("lc", "") BOTH("a", "b", "la", "lb") BOTH("c", "a", "lc", "la")
                                              BOTH("b", "a", "lb", "la") BOTH("a", "c", "la", "lc")
                                                  BOTH("b", "c", "lb", "lc") BOTH("c", "b", "lc", "lb")),
                         3, 1, 0);
    assert_int_equal(fabric_findings(net->fabric, "one-way", BOUGH_INFO), 0);
    assert_int_equal(fabric_findings(net->fabric, "shared-links", BOUGH_INFO), 1);
    bough_net_destroy(net);
}

/* The route of every pair, a link for each direction: the switch in the middle has no name. */
static void places_without_names_are_switches(void **state) {
    (void)state;
    need_xml();
#define PAIR(a, b, up, down) ROUTE(a, b, "symmetrical='NO'", ON(up) ON(down))
    static const char three[] =
        ZONE("Full", HOST("a") HOST("b") HOST("c") LINK("ua", "") LINK("da", "") LINK("ub", "") LINK("db", "")
                         LINK("uc", "") LINK("dc", "") PAIR("a", "b", "ua", "db") PAIR("b", "a", "ub", "da")
                             PAIR("a", "c", "ua", "dc") PAIR("c", "a", "uc", "da") PAIR("b", "c", "ub", "dc")
                                 PAIR("c", "b", "uc", "db"));
    bough_net *net = has(three, 3, 1, 0);
    assert_true(joined(net, "a", "switch0") && joined(net, "b", "switch0") && joined(net, "c", "switch0"));
    bough_net_destroy(net);
    /* two hosts: routes do not tell that both pass the same switch */
    net = has(ZONE("Full", HOST("a") HOST("b") LINK("ua", "") LINK("da", "") LINK("ub", "") LINK("db", "")
                               PAIR("a", "b", "ua", "db") PAIR("b", "a", "ub", "da")),
              2, 1, 0);
    assert_int_equal(fabric_findings(net->fabric, "one-way", BOUGH_INFO), 0);
    bough_net_destroy(net);
    net = has(ZONE("Full", HOST("a") HOST("b") LINK("ua", "") LINK("db", "") PAIR("a", "b", "ua", "db")), 2,
              1, 0);
    assert_int_equal(fabric_findings(net->fabric, "one-way", BOUGH_INFO), 1);
    bough_net_destroy(net);
}

static void zones_are_joined_by_gateways(void **state) {
    (void)state;
    need_xml();
    bough_net *net =
        has(PLATFORM("<zone id='w' routing='Full'>\n"
                     "<cluster id='A' prefix='a' suffix='.x' radical='0-1,7' speed='1' bw='1GBps' lat='1us' "
                     "bb_bw='9GBps'/>\n"
                     "<cluster id='B' prefix='b' suffix='' radical='5' speed='1' bw='1GBps' lat='1us' "
                     "router_id='rb'/>\n" LINK("l", "") "<zoneRoute src='A' dst='B' gw_src='aA_router.x' "
                                                        "gw_dst='rb'>" ON("l") "</zoneRoute></zone>\n"),
            4, 2, 1);
    assert_true(joined(net, "a7.x", "aA_router.x") && joined(net, "b5", "rb") &&
                joined(net, "aA_router.x", "rb"));
    assert_int_equal(fabric_findings(net->fabric, "backbone", BOUGH_INFO), 1);
    bough_net_destroy(net);
    net =
        has(ZONE("Cluster",
                 HOST("a") HOST("b") LINK("u", "")
                     LINK("v", "") "<host_link id='a' up='u' down='u'/><host_link id='b' up='v' down='v'/>\n"
                                   "<router id='r'/><backbone id='bb' bandwidth='1GBps' latency='0'/>\n"),
            2, 1, 0);
    assert_true(joined(net, "a", "r") && joined(net, "b", "r"));
    bough_net_destroy(net);
}

/* The directions of u are named u_UP and u_DOWN; those of v are links of their own. */
static void directions_have_names(void **state) {
    (void)state;
    need_xml();
    bough_net *net =
        has(ZONE("Cluster",
                 HOST("a") HOST("b") LINK("u", "sharing_policy='SPLITDUPLEX'") LINK("v_UP", "")
                     LINK("v_DOWN", "") "<host_link id='a' up='u_UP' down='u_DOWN'/>"
                                        "<host_link id='b' up='v_UP' down='v_DOWN'/><router id='r'/>\n"),
            2, 1, 0);
    assert_true(joined(net, "a", "r") && joined(net, "b", "r"));
    bough_net_destroy(net);
    net = has(ZONE("Full", HOST("a") HOST("b") "<router id='r'/>\n" LINK("u", "sharing_policy='SPLITDUPLEX'")
                               LINK("v", "sharing_policy='SPLITDUPLEX'") ROUTE("a", "r", "", ON("u_UP"))
                                   ROUTE("r", "b", "", ON("v_DOWN"))),
              2, 1, 0);
    assert_true(joined(net, "a", "r") && joined(net, "b", "r"));
    bough_net_destroy(net);
}

/* Routes that some pairs take instead of the others are not read. */
static void bypasses_are_left_out(void **state) {
    (void)state;
    need_xml();
    bough_net *net =
        has(ZONE("Full", HOST("a") HOST("b") "<router id='r'/>\n" LINK("u", "") LINK("v", "") LINK("w", "")
                             ROUTE("a", "r", "", ON("u"))
                                 ROUTE("b", "r", "", ON("v")) "<bypassRoute src='a' dst='b'>" ON("w")
                                     ON("u") "</bypassRoute>\n"),
            2, 1, 0);
    assert_true(joined(net, "a", "r") && joined(net, "b", "r"));
    bough_net_destroy(net);
}

static void clusters_have_topologies(void **state) {
    (void)state;
    need_xml();
    /* xgft:down=2x3,up=1x2,links=1x2: 3 leaves of 2 hosts, 2 spines, 2 cables between each pair */
    bough_net *net =
        has(CLUSTER("radical='0-5' topology='FAT_TREE' topo_parameters='2;2,3;1,2;1,2'"), 6, 5, 3 * 2 * 2);
    assert_true(joined(net, "n0", "c.s1.0") && joined(net, "n5", "c.s1.2") &&
                joined(net, "c.s1.2", "c.s2.1"));
    assert_true(port_of(net, "n3")->rate == UINT64_C(10000000000) && port_of(net, "n3")->delay == 1000000);
    bough_net_destroy(net);
    /* hosts of a torus forward */
    net = has(CLUSTER("radical='0-5' topology='TORUS' topo_parameters='3,2'"), 6, 6, 6 + 6);
    assert_true(joined(net, "n2.switch", "n0.switch") && joined(net, "n1.switch", "n4.switch"));
    assert_false(joined(net, "n2.switch", "n3.switch"));
    assert_int_equal(fabric_findings(net->fabric, "joined-hosts", BOUGH_INFO), 1);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_platforms_are_refused),
        cmocka_unit_test(routes_between_neighbours),
        cmocka_unit_test(zones_of_older_name),
        cmocka_unit_test(links_passed_both_ways),
        cmocka_unit_test(places_without_names_are_switches),
        cmocka_unit_test(zones_are_joined_by_gateways),
        cmocka_unit_test(directions_have_names),
        cmocka_unit_test(bypasses_are_left_out),
        cmocka_unit_test(clusters_have_topologies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
