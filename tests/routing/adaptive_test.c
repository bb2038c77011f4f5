/* adaptive: groups by a rule, and of ibdiagnet2.far. */
#include "routing/adaptive/adaptive.h"

#include "fabric/check/check_routing.h"
#include "network/faults/faults.h"
#include "support/adaptive_oracle.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static arena memory; /* of results */

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Three leaves and two spines, with one or two cables between them. */
static const char *const fabric[] = {
    "S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S7 lid 7",  "S8 lid 8",  "H1 lid 11", "H2 lid 12",
    "H3 lid 13", "H4 lid 14", "H5 lid 15", "H6 lid 16", "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1",
    "H4:1 S2:2", "H5:1 S2:3", "H6:1 S3:1", "S1:5 S7:1", "S1:6 S7:2", "S1:7 S8:1", "S2:5 S7:3",
    "S2:6 S8:2", "S2:7 S8:3", "S3:5 S7:4", "S3:6 S8:4", NULL};
static const char *const tables[] = {"S1 11>1 12>2 13>5 14>6 15>7 16>5", "S2 11>5 12>6 13>1 14>2 15>3 16>7",
                                     "S3 11>5 12>6 13>5 14>6 15>5 16>1", "S7 11>1 12>2 13>3 14>3 15>3 16>4",
                                     "S8 11>1 12>1 13>2 14>3 15>2 16>4", NULL};

#define FAR_HEAD "# comment\nFile version: 1\n\n"
#define FAR_S1   "Switch 0x0000000000000100 ar_enabled, fr_enabled\n"
#define GROUPS   "Groups Definition:\nGroup  Sub Group  WHBF  Ports\n-----------\n"
#define LFT      "LFT Definition:\nPLFT_NUM: 0, top:0x10\nLID Static Port Lid State Group\n-----\n"

static uint64_t address_of_lid(const bough_net *net, uint32_t lid) {
    for (uint64_t a = 0; a < net->addresses; a++)
        if (bough_net_lid(net, a) == lid) return a;
    fail_msg("no address has LID %u", lid);
    return 0;
}

static uint64_t node_called(const bough_net *net, const char *name) {
    char text[160];
    for (uint64_t v = 0; v < net->nodes; v++)
        if (strcmp(bough_node_name(net, v, text, sizeof text), name) == 0) return v;
    fail_msg("no node is called %s", name);
    return 0;
}

/* The ports of the group of a switch: "5 6 7". */
static const char *ports_of(const bough_routing *r, const char *node, uint32_t lid) {
    static char text[256];
    bough_route route;
    size_t used = 0;
    bough_route_at(r, node_called(r->net, node), &(bough_flow){0, address_of_lid(r->net, lid), 0}, &route);
    text[0] = 0;
    for (uint32_t i = 0; i < route.count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "",
                                 r->net->ops->link_port(r->net, bough_route_link(&route, i)));
    return text;
}

static bough_routing *routing_of(const bough_net *net, const char *spec) {
    bough_routing *r;
    bough_error error;
    if (bough_routing_create(net, spec, &r, &error)) fail_msg("%s: %s", spec, error.reason);
    return r;
}

/* "adaptive:KEY=PATH" with the path quoted. */
static char *adaptive_spec(const char *key, const char *path) {
    static char text[1200];
    snprintf(text, sizeof text, "adaptive:%s=\"%s\"", key, path);
    return text;
}

static bough_routing *far_routing(const bough_net *net, const char *text) {
    return routing_of(net, adaptive_spec("file", temporary_file("some.far", text, 0)));
}

/* ---- bad input ---- */

static void what_cannot_be_read_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *place, *reason;
    } bad[] = {
        {"\n# nothing\n", "bad.far", "contains no adaptive routing groups"},
        {"1 0 0 5,\n", ":1", "expected \"Switch 0x..\""},
        {"Switch leaf\n", ":1", "invalid GUID of the switch"},
        {FAR_S1 GROUPS "x 0 0 5,\n", ":5", "invalid group; expected its number"},
        {FAR_S1 GROUPS "65536 0 0 5,\n", ":5", "at most 65535"},
        {FAR_S1 GROUPS "1 0\n", ":5", "invalid group"},
        {FAR_S1 GROUPS "1 0 0 5 6\n", ":5", "expected a comma"},
        {FAR_S1 GROUPS "1 0 0 5,255,\n", ":5", "up to 254"},
        {FAR_S1 "LFT Definition:\nPLFT_NUM: none\n", ":3", "invalid number of the table"},
        {FAR_S1 LFT "leaf 5 Free 1\n", ":6", "invalid LID"},
        {FAR_S1 LFT "0xc000 5 Free 1\n", ":6", "unicast LIDs end at"},
        {FAR_S1 LFT "0x0001 256 Free 1\n", ":6", "invalid static port"},
        {FAR_S1 LFT "0x0001 5 Maybe 1\n", ":6", "expected Static, Free, Bounded or HBF"},
        {FAR_S1 LFT "0x0001 5 Free\n", ":6", "invalid group of the LID"},
        {FAR_S1 LFT "0x0001 5 Free 65536\n", ":6", "up to 65535"},
        {FAR_S1 LFT "0x0001 5 Free 1 1\n", ":6", "invalid group of the LID"},
    };
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *r;
    bough_error error;
    for (size_t i = 0; i < COUNT(bad); i++) {
        const char *spec = adaptive_spec("file", temporary_file("bad.far", bad[i].text, 0));
        assert_int_equal(bough_routing_create(net, spec, &r, &error), BOUGH_INVALID);
        if (!strstr(error.reason, bad[i].reason) || !strstr(error.place, bad[i].place))
            fail_msg("%zu: %s: %s", i, error.place, error.reason);
        assert_null(r);
    }
    bough_net_destroy(net);
}

static void specs_that_contradict_themselves_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *spec, *reason;
        bough_status status;
    } bad[] = {{"adaptive:minimal,file=x", "give `file` or `groups`, not both", BOUGH_INVALID},
               {"adaptive:minimal,lft=x", "uses no forwarding tables", BOUGH_INVALID},
               {"adaptive:same-switch", "requires forwarding tables", BOUGH_INVALID},
               {"adaptive:file=/nowhere", "cannot be opened", BOUGH_INVALID},
               {"adaptive:up", "minimal", BOUGH_INVALID},
               {"adaptive:choose=best", "random", BOUGH_INVALID}};
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *r;
    bough_error error;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(bough_routing_create(net, bad[i].spec, &r, &error), bad[i].status);
        if (!strstr(error.reason, bad[i].reason)) fail_msg("%s: %s", bad[i].spec, error.reason);
    }
    bough_net_destroy(net);
}

/* The canonical spec of a routing makes the same routing. */
static void specs_are_read_again(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL);
    const char *far = temporary_file("again.far", FAR_S1 GROUPS "1 0 0 5,6,\n" LFT "0x000d 5 Free 1\n", 0);
    const char *spec[] = {"adaptive", "adaptive:minimal", "adaptive:choose=least", NULL};
    spec[3] = adaptive_spec("file", far);
    for (size_t i = 0; i < COUNT(spec); i++) {
        bough_routing *once = routing_of(net, spec[i]), *again = routing_of(net, once->spec);
        assert_string_equal(once->spec, again->spec);
        assert_string_equal(ports_of(once, "S1", 13), i == 3 ? "5 6" : "5 6 7");
        assert_string_equal(ports_of(again, "S1", 13), i == 3 ? "5 6" : "5 6 7");
        bough_routing_destroy(once);
        bough_routing_destroy(again);
    }
    bough_net_destroy(net);
}

/* ---- by hand ---- */

static void minimal_groups_are_all_shortest_paths(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *r = routing_of(net, "adaptive");
    bough_adaptive_groups groups;
    bough_adaptive_counts counts;
    const char *choose;
    assert_string_equal(ports_of(r, "S1", 13), "5 6 7");
    assert_string_equal(ports_of(r, "S7", 11), "1 2");
    assert_string_equal(ports_of(r, "S7", 16), "4");
    assert_string_equal(ports_of(r, "S1", 12), "2");
    assert_true(bough_routing_adaptive(r, &groups, &choose));
    assert_int_equal(groups, BOUGH_ADAPTIVE_MINIMAL);
    assert_string_equal(choose, "free");
    assert_string_equal(bough_adaptive_name(groups), "minimal");
    bough_adaptive_count(r, &counts);
    assert_int_equal(counts.entries, 5 * 6);
    /* leaves to other leaves: S1 4, S2 3, S3 5; S7 to S1: 2; S8 to S2: 3 */
    assert_int_equal(counts.choices, 4 + 3 + 5 + 2 + 3);
    assert_int_equal(counts.largest, 3);
    assert_int_equal(counts.links, 4 * 3 + 3 * 3 + 5 * 2 + 2 * 2 + 3 * 2 + (30 - 17));
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* Two leaves with four hosts and two cables to each of two spines. */
static void trees_have_minimal_groups(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x2,up=1x2,links=1x2"), *mesh = net_make("mesh:dims=4x4");
    bough_routing *r = routing_of(net, "adaptive"), *none;
    bough_adaptive_groups groups;
    bough_adaptive_counts counts;
    bough_error error;
    bough_adaptive_count(r, &counts);
    assert_int_equal(counts.entries, 4 * 8);
    assert_int_equal(counts.choices, 2 * 4 + 2 * 8);
    assert_int_equal(counts.links, 2 * (4 + 4 * 4) + 2 * 8 * 2);
    assert_int_equal(counts.largest, 4);
    assert_true(bough_routing_adaptive(r, &groups, NULL) && groups == BOUGH_ADAPTIVE_MINIMAL);
    assert_true(bough_routing_ordered(r));
    bough_routing_destroy(r);
    assert_int_equal(bough_routing_create(net, "adaptive:same-switch", &none, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "adaptive:same-switch needs the LIDs of an imported fabric"));
    assert_int_equal(bough_routing_create(mesh, "adaptive", &none, &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "the shortest paths of a tree or an imported fabric"));
    bough_net_destroy(mesh);
    bough_net_destroy(net);
}

static void same_switch_groups_follow_the_tables(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL);
    char *text = tables_text(fabric, tables), spec[1300];
    snprintf(spec, sizeof spec, "adaptive:same-switch,lft=\"%s\"", temporary_file("some.lfts", text, 0));
    bough_routing *r = routing_of(net, spec);
    assert_string_equal(ports_of(r, "S1", 13), "5 6");
    assert_string_equal(ports_of(r, "S1", 14), "5 6");
    assert_string_equal(ports_of(r, "S1", 15), "7");
    assert_string_equal(ports_of(r, "S2", 16), "6 7");
    assert_string_equal(ports_of(r, "S3", 13), "5");
    assert_string_equal(ports_of(r, "S8", 13), "2 3");
    bough_routing_destroy(r);
    free(text);
    bough_net_destroy(net);
}

static void a_file_names_the_groups(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *r = far_routing(net, FAR_HEAD FAR_S1 GROUPS "1 0 0 5,6,\n"
                                                               "2 0 0 \n"
                                                               "3 0 0 5,\n"
                                                               "3 1 0 7, \n" LFT "0x000b 1 Static 0\n"
                                                               "0x000c 2 Static 1\n"
                                                               "0x000d 5 Free 1\n"
                                                               "0x000e 6 Free 2\n"
                                                               "0x000f 7 HBF 3\n"
                                                               "0x0010 7 Bounded 1\n"
                                                               "\nLFT Definition:\nPLFT_NUM: 1, top:0x10\n"
                                                               "0x0010 7 Static 1\n");
    assert_string_equal(ports_of(r, "S1", 11), "1");
    assert_string_equal(ports_of(r, "S1", 12), "2");
    assert_string_equal(ports_of(r, "S1", 13), "5 6");
    assert_string_equal(ports_of(r, "S1", 14), "6"); /* an empty group */
    assert_string_equal(ports_of(r, "S1", 15), "5 7");
    assert_string_equal(ports_of(r, "S1", 16), "5 6");
    assert_string_equal(ports_of(r, "S2", 16), ""); /* not in the file */
    assert_non_null(find_finding(&r->findings, "empty-group"));
    assert_non_null(find_finding(&r->findings, "no-groups"));
    assert_non_null(find_finding(&r->findings, "sub-group"));
    assert_non_null(find_finding(&r->findings, "hashed-entry"));
    assert_non_null(find_finding(&r->findings, "private-table"));
    assert_null(find_finding(&r->findings, "split-group"));
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void ports_on_unequal_paths_are_no_group(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *r = far_routing(net, FAR_S1 GROUPS "1 0 0 1,5,6,\n" LFT "0x000d 1 Free 1\n");
    const bough_finding *f = find_finding(&r->findings, "split-group");
    assert_string_equal(ports_of(r, "S1", 13), "5 6");
    assert_non_null(f);
    assert_non_null(strstr(f->text, "is used: 1"));
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

static void sections_of_other_switches_are_ignored(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *r = far_routing(net, "Switch 0xdead\n" GROUPS "1 0 0 5,\n" LFT
                                        "0x000d 5 Free 1\n" FAR_S1 LFT "0x000d 5 Static 0\n");
    assert_non_null(find_finding(&r->findings, "absent-switch"));
    assert_string_equal(ports_of(r, "S1", 13), "5");
    assert_true(bough_routing_deterministic(r)); /* no group has two links */
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

/* ---- a group that loses a link ---- */

static void groups_lose_dead_links(void **state) {
    (void)state;
    bough_net *net = fabric_net(fabric, NULL), *faulty;
    char *text = tables_text(fabric, tables), spec[1300];
    const char *file = temporary_file("some.lfts", text, 0);
    bough_error error;
    assert_int_equal(bough_net_with_faults(net, "name:S1/5", &faulty, &error), BOUGH_OK);
    snprintf(spec, sizeof spec, "adaptive:same-switch,lft=\"%s\"", file);
    bough_routing *same = routing_of(faulty, spec), *minimal = routing_of(faulty, "adaptive");
    char *single = spec_of("lft", file);
    assert_string_equal(ports_of(same, "S1", 13), "6"); /* the table names port 5 */
    assert_string_equal(ports_of(minimal, "S1", 13), "6 7");
    bough_routing_destroy(same);
    bough_routing_destroy(minimal);
    free(single);
    free(text);
    bough_net_destroy(faulty);
    bough_net_destroy(net);
}

/* ---- agreement ---- */

/* The minimal groups of a network as ibdiagnet writes them. */
static char *far_text(const bough_net *net) {
    size_t size = 0;
    char *text;
    FILE *f = open_memstream(&text, &size);
    uint32_t number = 1;
    fputs(FAR_HEAD, f);
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        fprintf(f, "Switch 0x%016llx\n" GROUPS,
                (unsigned long long)net->fabric->node[bough_net_fabric_node(net, v)].guid);
        for (uint64_t a = 0; a < net->addresses; a++) {
            bough_route route;
            net->ops->route(net, v, a, &route);
            fprintf(f, "%-6llu 0 0 ", (unsigned long long)a);
            for (uint32_t i = 0; i < route.count; i++)
                fprintf(f, "%u,", net->ops->link_port(net, bough_route_link(&route, i)));
            fputs("\n", f);
        }
        fputs(LFT, f);
        for (uint64_t a = 0; a < net->addresses; a++)
            fprintf(f, "0x%04x 0 Free %llu\n", bough_net_lid(net, a), (unsigned long long)a);
        number++;
    }
    fclose(f);
    return text;
}

static void expect_same_routes(const bough_routing *a, const bough_routing *b) {
    const bough_net *net = a->net;
    for (uint64_t v = 0; v < net->nodes; v++)
        for (uint64_t address = 0; address < net->addresses; address++) {
            bough_route x = {0}, y = {0};
            const bough_flow flow = {v < net->endpoints ? v : 0, address, 0};
            if (v == bough_address_node(net, address)) continue;
            bough_route_at(a, v, &flow, &x);
            bough_route_at(b, v, &flow, &y);
            assert_int_equal(x.count, y.count);
            assert_int_equal(x.group, y.group);
            for (uint32_t i = 0; i < x.count; i++)
                assert_int_equal(bough_route_link(&x, i), bough_route_link(&y, i));
        }
}

static void minimal_groups_in_a_file_are_minimal_groups(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"), *spec = spec_of("ibnet", path);
    bough_net *net = net_make(spec);
    char *text = far_text(net);
    bough_routing *file = far_routing(net, text), *minimal = routing_of(net, "adaptive"),
                  *random = routing_of(net, "random");
    expect_same_routes(file, minimal);
    expect_same_routes(minimal, random);
    assert_int_equal(file->findings.count, 0);
    bough_routing_destroy(file);
    bough_routing_destroy(minimal);
    bough_routing_destroy(random);
    free(text);
    free(spec);
    free(path);
    bough_net_destroy(net);
}

static void expect_same_loads(const bough_net *net, const char *a, const char *b) {
    const char *spec[] = {a, b};
    bough_check_result result[2];
    for (int i = 0; i < 2; i++) {
        bough_routing *r = routing_of(net, spec[i]);
        bough_findings findings = {0};
        bough_error error;
        assert_int_equal(bough_check_routing(r, &(bough_check_options){&memory, 1, 20, 1, NULL, NULL, NULL},
                                             &result[i], &findings, &error),
                         BOUGH_OK);
        bough_findings_fini(&findings);
        bough_routing_destroy(r);
    }
    assert_int_equal(result[0].expected, result[1].expected);
    assert_int_equal(result[0].routed, result[1].routed);
    assert_memory_equal(result[0].load, result[1].load, net->links * sizeof(double));
    assert_memory_equal(result[0].shift, result[1].shift, net->endpoints * sizeof(double));
    assert_memory_equal(&result[0].random, &result[1].random, sizeof result[0].random);
    arena_fini(&memory);
}

/* One cable between two switches: the group of an entry is its link. */
static void groups_of_one_link_are_tables(void **state) {
    (void)state;
    static const char *const single[] = {"S1 lid 1",  "S2 lid 2",  "S7 lid 7",  "S8 lid 8",  "H1 lid 11",
                                         "H2 lid 12", "H3 lid 13", "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1",
                                         "S1:5 S7:1", "S1:6 S8:1", "S2:5 S7:2", "S2:6 S8:2", NULL};
    static const char *const entries[] = {"S1 11>1 12>2 13>5", "S2 11>5 12>6 13>1", "S7 11>1 12>1 13>2",
                                          "S8 11>1 12>1 13>2", NULL};
    bough_net *net = fabric_net(single, NULL);
    char *text = tables_text(single, entries), same[1300];
    const char *file = temporary_file("single.lfts", text, 0);
    char *lft = spec_of("lft", file);
    snprintf(same, sizeof same, "adaptive:same-switch,lft=\"%s\"", file);
    bough_routing *r = routing_of(net, same);
    bough_adaptive_counts counts;
    bough_adaptive_count(r, &counts);
    assert_int_equal(counts.choices, 0);
    assert_int_equal(counts.links, 12);
    assert_true(bough_routing_deterministic(r));
    expect_same_loads(net, same, lft);
    expect_same_loads(net, "adaptive", "random");
    bough_routing_destroy(r);
    free(text);
    free(lft);
    bough_net_destroy(net);
}

/* The mean of what `choose=random` takes, hop by hop, against the probabilities of paths: 5 standard errors.
 */
static void selections_come_to_the_expected_loads(void **state) {
    (void)state;
    enum { TRIALS = 4000 };
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *r = routing_of(net, "adaptive");
    double expected[64] = {0}, mean[64] = {0};
    const uint64_t source = 0, target = 5;
    adaptive_oracle o = {.net = net, .group = adaptive_minimal};
    assert_true(adaptive_oracle_flow(&o, source, target, expected) == 1);
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        bough_key key = bough_key_make(3, trial);
        bough_flow flow = {source, bough_endpoint_address(net, target), 0};
        uint32_t port = BOUGH_SOURCE_PORT;
        for (uint64_t node = source; node != target;) {
            bough_route route;
            uint64_t free_link[8];
            bough_route_at(r, node, &flow, &route);
            for (uint32_t i = 0; i < route.count; i++) free_link[i] = bough_route_link(&route, i);
            bough_choice choice = {
                .key = key, .group = route.group, .port = port, .count = route.count, .free = free_link};
            uint64_t link = free_link[bough_select_free(r, &choice)];
            mean[link] += 1.0 / TRIALS;
            port = net->ops->link_end(net, link).port;
            node = net->ops->link_end(net, link).node;
        }
    }
    for (uint64_t l = 0; l < net->links; l++) {
        double variance = expected[l] * (1 - expected[l]) / TRIALS, difference = mean[l] - expected[l];
        if (difference * difference > 25 * variance + 1e-12)
            fail_msg("link %d: %g, not %g", (int)l, mean[l], expected[l]);
    }
    bough_routing_destroy(r);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_read_is_refused),
        cmocka_unit_test(specs_that_contradict_themselves_are_refused),
        cmocka_unit_test(specs_are_read_again),
        cmocka_unit_test(minimal_groups_are_all_shortest_paths),
        cmocka_unit_test(trees_have_minimal_groups),
        cmocka_unit_test(same_switch_groups_follow_the_tables),
        cmocka_unit_test(a_file_names_the_groups),
        cmocka_unit_test(ports_on_unequal_paths_are_no_group),
        cmocka_unit_test(sections_of_other_switches_are_ignored),
        cmocka_unit_test(groups_lose_dead_links),
        cmocka_unit_test(minimal_groups_in_a_file_are_minimal_groups),
        cmocka_unit_test(groups_of_one_link_are_tables),
        cmocka_unit_test(selections_come_to_the_expected_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
