/* From a fabric to a network: what is refused, which ports are endpoints, in which order, what is said of the
 * others, and which LID is which address. */
#include "network/net.h"
#include "support/fabrics.h"
#include "support/own_directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void parse(const char *const *lines, bough_fabric *fabric) {
    bough_error error;
    char *text = fabric_text(lines);
    if (bough_fabric_parse("made", text, strlen(text), fabric, &error))
        fail_msg("%s: %s", error.place, error.reason);
    free(text);
}

/* The names of all endpoints, in order, joined by blanks. */
static void endpoints_are(const bough_net *net, const char *names) {
    char have[1024] = "", one[128];
    for (uint64_t e = 0; e < net->endpoints; e++) {
        if (e) strcat(have, " ");
        strcat(have, bough_node_name(net, e, one, sizeof one));
    }
    assert_string_equal(have, names);
}

static void fabric_says(const bough_net *net, const char *kind, bough_severity severity, const char *text) {
    const bough_finding *f = find_finding(&net->fabric->findings, kind);
    if (!f) fail_msg("no finding %s", kind);
    assert_int_equal(f->severity, severity);
    if (!strstr(f->text, text)) fail_msg("'%s' does not say '%s'", f->text, text);
}

/* In the order of nodes, GUIDs go H3 H1 H2, LIDs H1 H2 H3. */
static const char *const plain[] = {"S1 lid 1",  "H3 lid 13", "H1 lid 11", "H2 lid 12",
                                    "H1:1 S1:1", "H2:1 S1:2", "H3:1 S1:3", NULL};

/* ---- bad input ---- */

static void refused(const char *const *lines, const bough_fabric_options *options, const char *place,
                    const char *reason) {
    bough_fabric fabric;
    bough_net *net;
    bough_error error;
    parse(lines, &fabric);
    assert_int_equal(bough_net_from_fabric(&fabric, options, NULL, &net, &error), BOUGH_INVALID);
    assert_null(net);
    if (!strstr(error.place, place)) fail_msg("'%s' is not at '%s'", error.place, place);
    if (!strstr(error.reason, reason)) fail_msg("'%s' does not say '%s'", error.reason, reason);
    assert_true(fabric.node_count > 0); /* still the caller's */
    bough_fabric_fini(&fabric);
}

static void fabrics_without_endpoints_are_refused(void **state) {
    (void)state;
    static const char *const lidless[] = {"S1 lid 1", "H1 lid 0", "H2 lid 0", "H1:1 S1:1", "H2:1 S1:2", NULL};
    static const char *const bare[] = {"S1 lid 1", "S2 lid 2", "S1:1 S2:1", NULL};
    static const char *const pair[] = {"H1 lid 1", "H2 lid 2", "H1:1 H2:1", NULL};
    static const char *const sharp[] = {"S1 lid 1", "A1 lid 2", "A1:1 S1:1", NULL};
    bough_fabric_options nobody = {.endpoints = "^x"}, wrong = {.endpoints = "H("}, order = {.order = "nmae"};
    refused(lidless, NULL, "made", "adapter ports with a cable (2) have no LIDs");
    refused(bare, NULL, "made", "none of 2 nodes is a host with a cable to a switch");
    refused(pair, NULL, "made", "the adapter ports with a cable (2) are joined to other hosts");
    refused(sharp, NULL, "made", "none of 2 nodes is a host with a cable to a switch");
    refused(plain, &nobody, "made", "none of 3 adapter ports has a matching name");
    refused(plain, &wrong, "", "'H(' is not a regular expression");
    refused(plain, &order, "nmae", "order= must be name, lid, guid, or a file");
}

static void the_family_refuses_bad_files(void **state) {
    (void)state;
    static const struct {
        const char *spec, *reason;
    } bad[] = {{"ibnet", "needs file="},
               {"ibnet:/nowhere/at/all", "cannot be opened"},
               {"ibnet:file=x,ordre=lid", "did you mean 'order'"},
               {"ibnet:file=/dev/null", "is empty"}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        bough_net *net;
        bough_error error;
        assert_int_equal(bough_net_create(bad[i].spec, &net, &error), BOUGH_INVALID);
        if (!strstr(error.reason, bad[i].reason)) fail_msg("%s: '%s'", bad[i].spec, error.reason);
        assert_null(net);
    }
}

/* ---- orders ---- */

static void keywords_order_endpoints(void **state) {
    (void)state;
    static const struct {
        const char *order, *names;
    } known[] = {{NULL, "H1 H2 H3"}, {"lid", "H1 H2 H3"}, {"guid", "H3 H1 H2"}, {"name", "H1 H2 H3"}};
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_fabric_options options = {.order = known[i].order};
        bough_net *net = fabric_net(plain, &options);
        endpoints_are(net, known[i].names);
        bough_net_destroy(net);
    }
}

static bough_net *net_in_order(bough_fabric *fabric, const char *file, size_t size) {
    const bough_fabric_options options = {.order = "order.txt"};
    bough_net *net;
    bough_error error;
    file_write("order.txt", file, size);
    if (bough_net_from_fabric(fabric, &options, NULL, &net, &error)) fail_msg("%s", error.reason);
    return net;
}

static void in_order(const char *const *lines, const char *file, const char *names, size_t findings,
                     const char *said) {
    bough_fabric fabric;
    parse(lines, &fabric);
    bough_net *net = net_in_order(&fabric, file, strlen(file));
    endpoints_are(net, names);
    assert_int_equal(count_findings(&net->fabric->findings, "order"), findings);
    if (findings) fabric_says(net, "order", BOUGH_WARN, said);
    bough_net_destroy(net);
}

static void files_order_endpoints(void **state) {
    (void)state;
    in_order(plain, "H3\nH1\nH2\n", "H3 H1 H2", 0, "");
    in_order(plain, "H3", "H3 H1 H2", 0, ""); /* the others after it, by LID */
    in_order(plain, "", "H1 H2 H3", 0, "");
    in_order(plain, "# all of them\r\n\r\n 0xd \t\r\n12\r\nH1\r\n", "H3 H2 H1", 0, "");
    in_order(plain, "H2\nH2\nH3\nH2\n", "H2 H3 H1", 0, "");
    in_order(plain, "0x000c\tH1 HCA-1\n0x000b\tH1 HCA-1\n", "H2 H1 H3", 0, ""); /* as OpenSM writes it */
    in_order(plain, "H2\n010\nH\nH22\nH1\n", "H2 H1 H3", 1,
             "3 of 5 lines name no endpoint (the first is '010')");
    in_order(plain, "0\n99999999999999999999\n-1\n", "H1 H2 H3", 1, "3 of 3");
    in_order(plain, "S1\n1\n", "H1 H2 H3", 1, "2 of 2"); /* a switch is no endpoint */
}

static void a_nul_byte_in_an_order_names_nobody(void **state) {
    (void)state;
    bough_fabric fabric;
    parse(plain, &fabric);
    bough_net *net = net_in_order(&fabric, "H3\0and very much more of it\nH2\n", 31);
    endpoints_are(net, "H2 H1 H3");
    fabric_says(net, "order", BOUGH_WARN, "1 of 2 lines");
    bough_net_destroy(net);
}

/* A host called 12 is meant by its name, not by that LID. */
static void names_come_before_lids(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "H1 lid 11", "12 lid 13", "H2 lid 12",
                                        "H1:1 S1:1", "12:1 S1:2", "H2:1 S1:3", NULL};
    in_order(lines, "12\n", "12 H1 H2", 0, "");
}

static void order_files_are_read(void **state) {
    (void)state;
    const char *path = temporary_file("order.txt", "H2\nnobody\n", 0);
    bough_fabric_options options = {.order = path};
    bough_net *net = fabric_net(plain, &options);
    endpoints_are(net, "H2 H1 H3");
    const bough_finding *f = find_finding(&net->fabric->findings, "order");
    assert_non_null(f);
    assert_string_equal(f->where, path);
    bough_net_destroy(net);
    options.order = temporary_gz("order.gz", "H3\nH2\n");
    net = fabric_net(plain, &options);
    endpoints_are(net, "H3 H2 H1");
    bough_net_destroy(net);
}

/* ---- which ports ---- */

static const char *const odd[] = {
    "S1 lid 1",  "S2 lid 2",   "A1 lid 3",   "R1 lid 4",  "H1 lid 10",       "H2 lid 0",    "H3 lid 30 lmc 2",
    "H4 lid 40", "H5 lid 50",  "H6 lid 60",  "H7 lid 70", "H1:1 S1:1",       "H1:2 S2:1", /* on two switches
                                                                                           */
    "H2:1 S1:2",                                                                          /* no LID */
    "H3:1 S2:2", "A1:1 S1:36", "R1:1 S2:35", "H4:1 H5:1", "H6:1 S1:6 4xSDR", "S1:10 S2:10", NULL};

static void ports_that_are_left_out_are_said(void **state) {
    (void)state;
    bough_net *net = fabric_net(odd, NULL);
    bough_error error;
    endpoints_are(net, "H1:1 H1:2 H3 H6");
    assert_int_equal(bough_net_check(net, 1000, &error), BOUGH_OK);
    fabric_says(net, "aggregation-node", BOUGH_INFO, "1 aggregation node of switches");
    fabric_says(net, "back-to-back", BOUGH_WARN, "2 adapter ports");
    fabric_says(net, "router", BOUGH_WARN, "1 router port excluded");
    fabric_says(net, "no-lid", BOUGH_WARN, "LID");
    assert_int_equal(net->switches, 2);
    assert_int_equal(net->cables, 1);
    assert_int_equal(net->links, 2 * 5);
    bough_net_destroy(net);
    bough_fabric_options options = {.aggregation = true};
    net = fabric_net(odd, &options);
    endpoints_are(net, "A1 Aggregation Node H1:1 H1:2 H3 H6");
    assert_null(find_finding(&net->fabric->findings, "aggregation-node"));
    bough_net_destroy(net);
}

static void filters_take_names(void **state) {
    (void)state;
    bough_fabric_options options = {.endpoints = "^H[36]$|^H9"};
    bough_net *net = fabric_net(odd, &options);
    endpoints_are(net, "H3 H6");
    fabric_says(net, "filtered", BOUGH_INFO, "2 adapter ports");
    bough_net_destroy(net);
}

/* An order can name one port of an adapter by bough's own name for it. */
static void orders_know_ports(void **state) {
    (void)state;
    in_order(odd, "H6\nH1:2\n", "H6 H1:2 H1:1 H3", 0, "");
    in_order(odd, "H3\nH1\n", "H3 H1:1 H1:2 H6", 0, "");
    in_order(odd, "33\n", "H3 H1:1 H1:2 H6", 0, ""); /* its last LID */
    in_order(odd, "H1:3\nH1:\n:1\nH1:999\nH6:0\n", "H1:1 H1:2 H3 H6", 1, "5 of 5");
}

static void lids_are_addresses(void **state) {
    (void)state;
    bough_net *net = fabric_net(odd, NULL);
    static const uint32_t lids[] = {10, 11, 30, 31, 32, 33, 60};
    static const uint64_t nodes[] = {0, 1, 2, 2, 2, 2, 3}, first[] = {0, 1, 2, 6};
    assert_int_equal(net->addresses, COUNT(lids));
    for (uint64_t a = 0; a < COUNT(lids); a++) {
        assert_int_equal(bough_net_lid(net, a), lids[a]);
        assert_int_equal(bough_address_node(net, a), nodes[a]);
    }
    for (uint64_t e = 0; e < 4; e++) assert_int_equal(bough_endpoint_address(net, e), first[e]);
    bough_route route;
    net->ops->route(net, 0, 5, &route); /* towards LID 33 */
    assert_int_equal(route.count, 1);
    bough_net_destroy(net);
}

static void links_are_ports_of_the_fabric(void **state) {
    (void)state;
    bough_net *net = fabric_net(odd, NULL);
    const bough_fabric *f = net->fabric;
    for (uint64_t l = 0; l < net->links; l++) {
        const bough_fabric_port *p = &f->port[bough_net_fabric_port(net, l)];
        assert_int_equal(p->node, bough_net_fabric_node(net, bough_link_start(net, l)));
        assert_int_equal(p->number, net->ops->link_port(net, l));
        assert_int_equal(f->port[p->peer].node, bough_net_fabric_node(net, net->ops->link_end(net, l).node));
        assert_int_equal(f->port[p->peer].number, net->ops->link_end(net, l).port);
        assert_true(bough_net_link_at(net, bough_link_start(net, l), p->number) == l);
    }
    uint64_t slow = bough_net_link_at(net, 3, 1);
    assert_int_equal(net->ops->link_rate(net, slow), 8000000000);
    assert_int_equal(net->ops->link_rate(net, net->ops->link_twin(net, slow)), 8000000000);
    bough_net_destroy(net);
    net = net_make("fattree:n=4");
    assert_int_equal(bough_net_fabric_node(net, 0), BOUGH_NO_INDEX);
    assert_int_equal(bough_net_fabric_port(net, 0), BOUGH_NO_INDEX);
    assert_int_equal(bough_net_lid(net, 0), 0);
    bough_net_destroy(net);
}

/* Where the ends of a cable say different rates, the lower one counts for both directions. */
static void the_slower_end_counts(void **state) {
    (void)state;
    char *text = fabric_text(plain), *rate = strstr(text, "4xQDR");
    bough_fabric f;
    bough_net *net;
    bough_error error;
    memcpy(rate, "4xSDR", 5); /* at the switch, of H1's cable */
    assert_int_equal(bough_fabric_parse("made", text, strlen(text), &f, &error), BOUGH_OK);
    assert_int_equal(bough_net_from_fabric(&f, NULL, NULL, &net, &error), BOUGH_OK);
    uint64_t up = bough_net_link_at(net, 0, 1), down = net->ops->link_twin(net, up);
    assert_int_equal(net->ops->link_rate(net, up), 8000000000);
    assert_int_equal(net->ops->link_rate(net, down), 8000000000);
    bough_net_destroy(net);
    free(text);
}

/* Levels are a matter of the wiring: neither a filter nor a lacking LID moves a switch, nor does an
 * aggregation node on every spine. */
static void levels_do_not_depend_on_the_endpoints(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "S8 lid 8",   "H1 lid 11",
                                        "H2 lid 0",  "A8 lid 18", "H1:1 S1:1",  "H2:1 S2:1",
                                        "S1:5 S8:1", "S2:5 S8:2", "A8:1 S8:36", NULL};
    for (int aggregation = 0; aggregation < 2; aggregation++) {
        bough_fabric_options options = {.endpoints = aggregation ? "A8|H1" : "H1",
                                        .aggregation = aggregation};
        bough_net *net = fabric_net(lines, &options);
        bough_error error;
        assert_int_equal(net->levels, 2);
        assert_int_equal(net->ops->node_level(net, net->endpoints + 0), 1);
        assert_int_equal(net->ops->node_level(net, net->endpoints + 1), 1);
        assert_int_equal(net->ops->node_level(net, net->endpoints + 2), 2);
        assert_int_equal(bough_net_check(net, 100, &error), BOUGH_OK);
        bough_net_destroy(net);
    }
}

/* ---- files ---- */

static void files_and_gz_give_the_same_network(void **state) {
    (void)state;
    char *text = fabric_text(odd);
    char *spec = spec_of("ibnet", temporary_file("odd.ibnetdiscover", text, 0));
    char *packed = spec_of("ibnet", temporary_gz("odd.ibnetdiscover.gz", text));
    bough_net *a = net_make(spec), *b = net_make(packed);
    assert_int_equal(a->fabric->hash, b->fabric->hash);
    assert_int_equal(a->links, b->links);
    assert_string_equal(strchr(a->spec, '/'), temporary_name("odd.ibnetdiscover")); /* without its quotes */
    endpoints_are(b, "H1:1 H1:2 H3 H6");
    bough_net_destroy(a);
    bough_net_destroy(b);
    free(spec);
    free(packed);
    free(text);
}

static void recorded_fabrics(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool aggregation;
        uint64_t endpoints, switches, cables;
        unsigned levels;
    } known[] = {{"example:cluster.ibnetdiscover", false, 95, 12, 62, 2},
                 {"fabrics/dgx-ndr.ibnetdiscover", false, 542, 40, 532, 2},
                 {"fabrics/dgx-ndr.ibnetdiscover", true, 582, 40, 532, 2},
                 {"fabrics/psmn-x5.ibnetdiscover", false, 89, 11, 70, 2},
                 {"fabrics/avakas.ports", false, 281, 25, 288, 2},
                 {"fabrics/plafrim2-a.ports", false, 96, 7, 59, 2},
                 {"fabrics/plafrim2-b.ports", false, 23, 1, 0, 1},
                 {"fabrics/monch.orcs.dot", false, 393, 41, 413, 2},
                 {"ibsim/ft3-16.ports", false, 16, 20, 32, 3},
                 {"ibsim/ft3-1024.ibnetdiscover.gz", false, 1024, 320, 2048, 3},
                 {"ibsim/ft2-1024.ibnetdiscover.gz", false, 1024, 48, 1024, 2}};
    for (size_t i = 0; i < COUNT(known); i++) {
        char *path = data_path(known[i].name);
        if (!path) continue;
        char *spec = spec_of("ibnet", path), full[512];
        snprintf(full, sizeof full, "%s,aggregation=%d", spec, known[i].aggregation);
        bough_net *net = net_make(full);
        assert_int_equal(net->endpoints, known[i].endpoints);
        assert_int_equal(net->switches, known[i].switches);
        assert_int_equal(net->cables, known[i].cables);
        assert_int_equal(net->levels, known[i].levels);
        bough_net_destroy(net);
        free(spec);
        free(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fabrics_without_endpoints_are_refused),
        cmocka_unit_test(the_family_refuses_bad_files),
        cmocka_unit_test(keywords_order_endpoints),
        cmocka_unit_test_setup_teardown(files_order_endpoints, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(a_nul_byte_in_an_order_names_nobody, own_directory_enter,
                                        own_directory_leave),
        cmocka_unit_test_setup_teardown(names_come_before_lids, own_directory_enter, own_directory_leave),
        cmocka_unit_test(order_files_are_read),
        cmocka_unit_test(ports_that_are_left_out_are_said),
        cmocka_unit_test(filters_take_names),
        cmocka_unit_test_setup_teardown(orders_know_ports, own_directory_enter, own_directory_leave),
        cmocka_unit_test(lids_are_addresses),
        cmocka_unit_test(links_are_ports_of_the_fabric),
        cmocka_unit_test(the_slower_end_counts),
        cmocka_unit_test(levels_do_not_depend_on_the_endpoints),
        cmocka_unit_test(files_and_gz_give_the_same_network),
        cmocka_unit_test(recorded_fabrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
