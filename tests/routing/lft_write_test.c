/* Tables that bough writes: refused where a routing is none, by hand, and read back by bough's own reader. */
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "network/faults/faults.h"
#include "network/node_identifiers.h"
#include "routing/routing.h"
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

static char *written(const bough_routing *r) {
    bough_text out = {0};
    bough_error error;
    assert_string_equal(bough_table_formats[0].name, "lfts");
    if (bough_table_formats[0].write(r, &out, &error)) fail_msg("%s: %s", r->spec, error.reason);
    return bough_text_take(&out);
}

/* ---- bad input ---- */

static void what_is_no_table_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing, *reason;
    } bad[] = {
        {"fattree:n=8", "random", "`random` is not a forwarding table: it leaves a choice of links"},
        {"fattree:n=8", "valiant", "it leaves a choice"},
        {"fattree:n=8", "smodk", "it depends on more than the destination"},
        {"fattree:n=8", "hash", "it depends on more than the destination"},
        {"xgft:down=4x4,up=2x2", "updn", "endpoints with one cable"},
        {"cube:n=8", "bitfix", "endpoints with one cable"},
        {"fattree:n=2^17", "dmodk", "more nodes than LIDs exist"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        bough_routing *r = routing_make(net_make(bad[i].net), bad[i].routing);
        bough_text out = {0};
        bough_error error;
        assert_int_equal(bough_table_formats[0].write(r, &out, &error), BOUGH_UNSUPPORTED);
        if (!strstr(error.reason, bad[i].reason))
            fail_msg("'%s' does not say '%s'", error.reason, bad[i].reason);
        assert_int_equal(out.length, 0);
        routing_free(r);
    }
}

/* One reason, and the true one. */
static void what_has_no_lids_is_said(void **state) {
    (void)state;
    static const char *const some[] = {"S1 lid 1",  "S2 lid 0",  "S9 lid 9",  "H1 lid 11", "H2 lid 12",
                                       "H1:1 S1:1", "H2:1 S2:1", "S1:5 S9:1", "S2:5 S9:2", NULL};
    const char *path = temporary_file("two.dot",
                                      "digraph {\n H1 -> S1\n S1 -> H1\n H2 -> S2\n S2 -> H2\n"
                                      " S1 -> S2\n S2 -> S1\n}\n",
                                      0);
    char *spec = spec_of("ibnet", path), orcs[400];
    snprintf(orcs, sizeof orcs,
             "forwarding tables require LIDs of switches, which %s, an ORCS file, does not have", path);
    bough_net *nets[] = {net_make(spec), fabric_net(some, NULL)};
    const char *const whys[] = {orcs, "forwarding tables require LIDs of switches, and S2 has none in "};
    for (size_t i = 0; i < COUNT(nets); i++) {
        bough_routing *r = routing_make(nets[i], "minhop");
        bough_text out = {0};
        bough_error error;
        assert_int_equal(bough_table_formats[0].write(r, &out, &error), BOUGH_UNSUPPORTED);
        if (strncmp(error.reason, whys[i], strlen(whys[i])) != 0) fail_msg("%s", error.reason);
        routing_free(r);
    }
    free(spec);
}

/* ---- by hand ---- */

/* H3 answers to two LIDs; H4 is left out of the endpoints, and still has entries. */
static const char *const lines[] = {"S1 lid 1",        "S2 lid 2",  "S9 lid 9",  "H1 lid 11", "H2 lid 12",
                                    "H3 lid 20 lmc 1", "H4 lid 30", "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1",
                                    "H4:1 S2:2",       "S1:5 S9:1", "S2:5 S9:2", NULL};

static void all_lids_have_entries(void **state) {
    (void)state;
    const bough_fabric_options options = {.endpoints = "H[123]"};
    bough_routing *r = routing_make(fabric_net(lines, &options), "updn");
    char *text = written(r);
    assert_int_equal(r->net->endpoints, 3);
    assert_non_null(strstr(text, "Unicast lids [0-30] of switch Lid 1 guid 0x0000000000000100 ('S1'):\n"
                                 "0x0001 000 # Switch portguid 0x0000000000000100: 'S1'\n"
                                 "0x0002 005 # Switch portguid 0x0000000000000200: 'S2'\n"
                                 "0x0009 005 # Switch portguid 0x0000000000000300: 'S9'\n"
                                 "0x000b 001 # Channel Adapter portguid 0x0000000000000401: 'H1'\n"
                                 "0x000c 002 # Channel Adapter portguid 0x0000000000000501: 'H2'\n"
                                 "0x0014 005 # Channel Adapter portguid 0x0000000000000601: 'H3'\n"
                                 "0x0015 005 # Channel Adapter portguid 0x0000000000000601: 'H3'\n"
                                 "0x001e 005 # Channel Adapter portguid 0x0000000000000701: 'H4'\n"
                                 "30 lids dumped\n"
                                 "Unicast lids [0-30] of switch Lid 2 guid 0x0000000000000200 ('S2'):\n"));
    assert_non_null(strstr(text, "0x001e 002 # Channel Adapter portguid 0x0000000000000701: 'H4'\n"));
    free(text);
    routing_free(r);
}

/* ---- read back ---- */

/* All entries of a table in a network made from the netlist of another are what its routing says. */
static void expect_same(const bough_routing *r, const bough_routing *read) {
    const bough_net *net = r->net, *other = read->net;
    assert_int_equal(other->endpoints, net->endpoints);
    assert_int_equal(read->findings.count, 0);
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t t = 0; t < net->endpoints; t++) {
            uint64_t x[32], y[32];
            char a[300], b[300];
            bough_flow f = {s, bough_endpoint_address(net, t), 0},
                       g = {s, bough_endpoint_address(other, t), 0};
            if (s == t) continue;
            int length = bough_path(r, &f, x, 32);
            assert_int_equal(bough_path(read, &g, y, 32), length);
            for (int i = 1; i < length; i++) {
                bough_node_name(net, bough_link_start(net, x[i]), a, sizeof a);
                assert_string_equal(bough_node_name(other, bough_link_start(other, y[i]), b, sizeof b), a);
                assert_int_equal(other->ops->link_port(other, y[i]),
                                 net->ops->link_port(net, x[i]) + (net->fabric ? 0 : 1));
            }
        }
}

static void round_trip(const bough_net *net, const char *spec) {
    bough_text netlist = {0};
    bough_fabric fabric;
    bough_net *other;
    bough_error error;
    bough_routing *r = routing_make(net, spec);
    char *text = written(r), *lft = spec_of("lft", temporary_file("written.lfts", text, 0));
    assert_int_equal(export_netlist(net, &netlist, &error), BOUGH_OK);
    if (bough_fabric_parse("x.net", netlist.data, netlist.length, &fabric, &error))
        fail_msg("%s", error.reason);
    bough_text_fini(&netlist);
    assert_int_equal(bough_net_from_fabric(&fabric, NULL, "x.net", &other, &error), BOUGH_OK);
    bough_routing *read = routing_make(other, lft);
    expect_same(r, read);
    free(text);
    free(lft);
    bough_routing_destroy(r);
    routing_free(read);
}

static void what_is_written_reads_back(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
    } known[] = {
        {"xgft:down=4x4,up=1x4", "dmodk"},
        {"xgft:down=4x4,up=1x2,links=1x2", "dmodk"},
        {"xgft:down=2x4x3,up=1x2x3", "updn"},
        {"clos:radix=8,hosts=64,taper=2", "minhop"},
        {"kary:k=3,levels=3", "dmodk"},
        {"fattree:n=16", "updn"},
        {"bft:n=64", "dmodk"},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_net *net = net_make(known[i].net);
        round_trip(net, known[i].routing);
        bough_net_destroy(net);
    }
    bough_net *net = fabric_net(lines, NULL);
    round_trip(net, "minhop");
    bough_net_destroy(net);
}

/* With faults: the netlist lacks the cables, the tables do not use them. */
static void what_is_left_reads_back(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x4,up=1x4"), *left;
    bough_error error;
    assert_int_equal(bough_net_with_faults(net, "cables:count=4,key=2,mode=rerouted", &left, &error),
                     BOUGH_OK);
    round_trip(left, "updn");
    round_trip(left, "minhop");
    round_trip(left, "dmodk");
    bough_net_destroy(left);
    bough_net_destroy(net);
    net = fabric_net(lines, NULL);
    assert_int_equal(bough_net_with_faults(net, "name:S2/5,mode=rerouted", &left, &error), BOUGH_OK);
    round_trip(left, "updn");
    bough_net_destroy(left);
    bough_net_destroy(net);
}

static void recorded_tables_are_written_as_they_are(void **state) {
    (void)state;
    char *fabric = data_path("example:cluster.ibnetdiscover"),
         *tables = data_path("example:cluster.ftree.lfts.gz");
    char *net_spec = spec_of("ibnet", fabric), *lft = spec_of("lft", tables);
    bough_net *net = net_make(net_spec);
    bough_routing *r = routing_make(net, lft);
    char *text = written(r), *again = spec_of("lft", temporary_file("again.lfts", text, 0));
    bough_routing *read = routing_make(net, again);
    expect_same(r, read);
    bough_routing_destroy(read);
    routing_free(r);
    free(text);
    free(again);
    free(fabric);
    free(tables);
    free(net_spec);
    free(lft);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(what_has_no_lids_is_said),
        cmocka_unit_test(all_lids_have_entries),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_is_left_reads_back),
        cmocka_unit_test(recorded_tables_are_written_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
