/* lft: routing by forwarding tables. */
#include "routing/routing.h"

#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Two leaves, two spines; H3 answers to LIDs 20 and 21, which take different spines. */
static const char *const fabric[] = {"S1 lid 1",  "S2 lid 2",        "S8 lid 8",  "S9 lid 9",  "H1 lid 11",
                                     "H2 lid 12", "H3 lid 20 lmc 1", "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1",
                                     "S1:5 S8:1", "S1:6 S9:1",       "S2:5 S8:2", "S2:6 S9:2", NULL};
#define S1 "S1 11>1 12>2 20>5 21>6"
#define S2 "S2 11>5 12>6 20>1 21>1"
#define S8 "S8 11>1 12>1 20>2 21>2"
#define S9 "S9 11>1 12>1 20>2 21>2"

static uint64_t address_of_lid(const bough_net *net, uint32_t lid) {
    for (uint64_t a = 0; a < net->addresses; a++)
        if (bough_net_lid(net, a) == lid) return a;
    fail_msg("no address has LID %u", lid);
    return 0;
}

/* The ports a flow leaves by, "1 5 2 1", or how it ends. */
static const char *path_of(const bough_routing *routing, uint64_t source, uint32_t lid) {
    static char text[256];
    uint64_t path[16];
    bough_flow flow = {source, address_of_lid(routing->net, lid), 7};
    int length = bough_path(routing, &flow, path, 16);
    size_t used = 0;
    if (length <= 0) return length < 0 ? "loop" : "none";
    for (int i = 0; i < length; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "",
                                 routing->net->ops->link_port(routing->net, path[i]));
    return text;
}

/* ---- bad input ---- */

static void what_cannot_be_read_is_refused(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL), *family = net_make("fattree:n=8");
    static const struct {
        const char *file, *text, *reason;
    } bad[] = {{"empty.lfts", "\n", "contains"}, {"words.lfts", "these are no tables\n", "expected"}};
    bough_routing *routing;
    bough_error error;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char *spec = spec_of("lft", temporary_file(bad[i].file, bad[i].text, 0));
        assert_int_equal(bough_routing_create(net, spec, &routing, &error), BOUGH_INVALID);
        if (!strstr(error.reason, bad[i].reason))
            fail_msg("'%s' does not say '%s'", error.reason, bad[i].reason);
        assert_null(routing);
        free(spec);
    }
    assert_int_equal(bough_routing_create(net, "lft:/nowhere", &routing, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "cannot be opened"));
    assert_int_equal(bough_routing_create(net, "lft", &routing, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "made contains no tables"));
    assert_int_equal(bough_routing_create(family, "lft:x", &routing, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "an imported fabric"));
    bough_net_destroy(net);
    bough_net_destroy(family);
}

/* ---- by hand ---- */

static void tables_name_the_path(void **state) {
    (void)state;
    static const char *const tables[] = {S1, S2, S8, S9, NULL};
    bough_routing *routing = fabric_routing(fabric, tables);
    assert_true(bough_routing_deterministic(routing));
    assert_string_equal(path_of(routing, 0, 20), "1 5 2 1"); /* by S8 */
    assert_string_equal(path_of(routing, 0, 21), "1 6 2 1"); /* by S9 */
    assert_string_equal(path_of(routing, 2, 11), "1 5 1 1");
    assert_string_equal(path_of(routing, 2, 12), "1 6 1 2");
    assert_string_equal(path_of(routing, 1, 11), "1 1");
    assert_int_equal(routing->findings.count, 0);
    bough_route route;
    bough_flow flow = {0, address_of_lid(routing->net, 20), 0};
    bough_route_at(routing, 3, &flow, &route); /* S1 */
    assert_int_equal(route.count, 1);
    assert_null(route.list);
    assert_int_equal(route.group, routing->net->ops->link_group(routing->net, route.first));
    routing_free(routing);
}

static void what_tables_lack_is_no_route(void **state) {
    (void)state;
    static const struct {
        const char *tables[5];
        uint64_t source;
        uint32_t lid;
        const char *path;
    } known[] = {
        {{S1, S2, S9, NULL}, 0, 20, "none"}, /* no table of S8 */
        {{S1, S2, S9, NULL}, 0, 21, "1 6 2 1"},
        {{"S1 11>1 12>2", S2, S8, S9, NULL}, 0, 20, "none"},           /* no entry */
        {{"S1 11>1 12>2 20>0", S2, S8, S9, NULL}, 0, 20, "none"},      /* to the switch itself */
        {{"S1 11>1 12>2 20>9", S2, S8, S9, NULL}, 0, 20, "none"},      /* a port without a cable */
        {{"S1 11>1 12>2 20>2", S2, S8, S9, NULL}, 0, 20, "none"},      /* to H2 */
        {{S1, S2, "S8 11>1 12>1 20>1 21>2", S9, NULL}, 0, 20, "loop"}, /* back to S1 */
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_routing *routing = fabric_routing(fabric, known[i].tables);
        const char *path = path_of(routing, known[i].source, known[i].lid);
        if (strcmp(path, known[i].path) != 0) fail_msg("case %zu: '%s', not '%s'", i, path, known[i].path);
        routing_free(routing);
    }
}

static void missing_tables_are_said(void **state) {
    (void)state;
    static const char *const tables[] = {S1, S2, S9, NULL};
    bough_routing *routing = fabric_routing(fabric, tables);
    assert_true(routing->findings.count > 0);
    bool said = false;
    for (size_t i = 0; i < routing->findings.count; i++)
        said |= strstr(routing->findings.item[i].text, "S8") != NULL;
    assert_true(said);
    routing_free(routing);
}

/* One file a switch in a directory, one of them packed, says the same as one file. */
static void a_directory_is_one_routing(void **state) {
    (void)state;
    static const char *const all[] = {S1, S2, S8, S9, NULL};
    char directory[] = "/tmp/bough-lft-XXXXXX", path[4][64];
    assert_non_null(mkdtemp(directory));
    for (int i = 0; i < 4; i++) {
        const char *one[] = {all[i], NULL};
        char *text = tables_text(fabric, one);
        snprintf(path[i], sizeof path[i], "%s/switch-%d%s", directory, i, i == 2 ? ".gz" : "");
        const char *made = i == 2 ? temporary_gz("one.gz", text) : temporary_file("one", text, 0);
        assert_int_equal(rename(made, path[i]), 0);
        free(text);
    }
    char *spec = spec_of("lft", directory);
    bough_routing *whole = fabric_routing(fabric, all), *pieces = routing_make(whole->net, spec);
    const bough_net *net = whole->net;
    for (uint64_t v = 0; v < net->nodes; v++)
        for (uint64_t a = 0; a < net->addresses; a++) {
            bough_route x, y;
            bough_flow flow = {0, a, 0};
            if (v < net->endpoints && v != 0) continue; /* only the source's own link is asked for */
            if (v == bough_address_node(net, a)) continue;
            bough_route_at(whole, v, &flow, &x);
            bough_route_at(pieces, v, &flow, &y);
            assert_int_equal(x.count, 1);
            assert_int_equal(y.count, 1);
            assert_int_equal(x.first, y.first);
        }
    bough_routing_destroy(pieces);
    routing_free(whole);
    free(spec);
    for (int i = 0; i < 4; i++) remove(path[i]);
    rmdir(directory);
}

static void a_fabric_with_tables_is_routed_by_them(void **state) {
    (void)state;
    char *path = data_path("fabrics/monch.orcs.dot");
    if (!path) skip();
    char *spec = spec_of("ibnet", path);
    bough_net *net = net_make(spec);
    bough_routing *routing = routing_make(net, NULL), *asked = routing_make(net, "lft");
    assert_string_equal(routing->spec, "lft");
    assert_string_equal(asked->kind->name, "lft");
    bough_routing_destroy(asked);
    routing_free(routing);
    free(spec);
    free(path);
    net = fabric_net(fabric, NULL);
    routing = routing_make(net, NULL);
    assert_string_equal(routing->spec, "free");
    assert_false(bough_routing_deterministic(routing));
    routing_free(routing);
}

/* The order and choice of endpoints changes addresses, not the ways. */
static void orders_do_not_change_the_ways(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"),
         *tables = data_path("example:cluster.updn.lfts.gz");
    char *spec = spec_of("ibnet", path), *lft = spec_of("lft", tables), named[512], names[2][300];
    snprintf(named, sizeof named, "%s,order=name,endpoints=node0[1-4]", spec);
    bough_net *by_lid = net_make(spec), *by_name = net_make(named);
    bough_routing *a = routing_make(by_lid, lft), *b = routing_make(by_name, lft);
    assert_int_equal(by_name->endpoints, 40);
    for (uint64_t s = 0; s < 40; s++)
        for (uint64_t t = 0; t < 40; t++) {
            uint64_t from = 0, x[16], y[16];
            if (s == t) continue;
            while (strcmp(bough_node_name(by_lid, from, names[0], 300),
                          bough_node_name(by_name, s, names[1], 300)))
                from++;
            bough_flow f = {from, address_of_lid(by_lid, bough_net_lid(by_name, t)), 0}, g = {s, t, 0};
            int length = bough_path(a, &f, x, 16);
            assert_true(length > 0);
            assert_int_equal(bough_path(b, &g, y, 16), length);
            for (int i = 0; i < length; i++)
                assert_string_equal(bough_link_name(by_lid, x[i], names[0], 300),
                                    bough_link_name(by_name, y[i], names[1], 300));
        }
    routing_free(a);
    routing_free(b);
    free(path);
    free(tables);
    free(spec);
    free(lft);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(tables_name_the_path),
        cmocka_unit_test(what_tables_lack_is_no_route),
        cmocka_unit_test(missing_tables_are_said),
        cmocka_unit_test(a_directory_is_one_routing),
        cmocka_unit_test(a_fabric_with_tables_is_routed_by_them),
        cmocka_unit_test(orders_do_not_change_the_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
