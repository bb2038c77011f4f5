/* updn and minhop: tables of bough's own, against ways from the definition, and entry by entry against
 * OpenSM's. */
#include "base/random/random.h"
#include "loads/pair_survey.h"
#include "network/faults/faults.h"
#include "routing/computed/up_down_paths.h"
#include "routing/deadlock.h"
#include "support/fabrics.h"
#include "support/up_down_oracle.h"

#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void expect_no_deadlock(const bough_routing *r) {
    bough_link_cycle cycle;
    bough_error error;
    if (bough_deadlock_find(r, &cycle, &error)) fail_msg("%s: %s", r->spec, error.reason);
    if (cycle.count)
        fail_msg("%s on %s: %s", r->spec, r->net->spec, bough_link_cycle_text(r->net, &cycle, 9));
}

static const char *ports_of(const bough_routing *r, uint64_t source, uint64_t address) {
    static char text[128];
    uint64_t path[32];
    bough_flow flow = {source, address, 0};
    int length = bough_path(r, &flow, path, 32);
    size_t used = 0;
    if (length <= 0) return length ? "loop" : "none";
    for (int i = 0; i < length; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? " " : "",
                                 r->net->ops->link_port(r->net, path[i]));
    return text;
}

/* ---- bad input ---- */

static const char *const tree[] = {"S1 lid 1",  "S2 lid 2",  "S8 lid 8",  "S9 lid 9",  "H1 lid 11",
                                   "H2 lid 12", "H3 lid 13", "H4 lid 14", "H1:1 S1:1", "H2:1 S1:2",
                                   "H3:1 S2:1", "H4:1 S2:2", "S1:5 S8:1", "S1:6 S9:1", "S2:5 S8:2",
                                   "S2:6 S9:2", NULL};

static void wrong_roots_are_refused(void **state) {
    (void)state;
    bough_net *net = fabric_net(tree, NULL);
    bough_routing *routing;
    bough_error error;
    assert_int_equal(bough_routing_create(net, "updn:roots=nowhere", &routing, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "'nowhere' is neither a readable file nor the name of a switch"));
    assert_null(routing);
    assert_int_equal(bough_routing_create(net, "updn:roots=H1", &routing, &error), BOUGH_INVALID);
    char spec[300];
    snprintf(spec, sizeof spec, "updn:roots=\"%s\"", temporary_file("roots", "# none\n0x1234\nS17\n", 0));
    assert_int_equal(bough_routing_create(net, spec, &routing, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "no line of"));
    assert_int_equal(bough_routing_create(net, "minhop:roots=S8", &routing, &error), BOUGH_INVALID);
    bough_net_destroy(net);
}

static void unknown_roots_are_said(void **state) {
    (void)state;
    bough_net *net = fabric_net(tree, NULL);
    bough_routing *routing = routing_make(net, "updn:roots=\"S8, S17,0xabc\"");
    assert_int_equal(count_findings(&routing->findings, "roots"), 1);
    assert_non_null(strstr(find_finding(&routing->findings, "roots")->text, "2 roots are not switches"));
    assert_non_null(strstr(find_finding(&routing->findings, "roots")->text, "'S17'"));
    routing_free(routing);
}

/* A GUID by itself, or as ibnetdiscover writes the ids of switches. */
static void guids_are_read_both_ways(void **state) {
    (void)state;
    bough_net *net = fabric_net(tree, NULL); /* S8, the third node, has GUID 0x300 */
    static const char *const same[] = {"0x300", "0X0000000000000300", "S-0000000000000300", "S8"};
    for (size_t i = 0; i < COUNT(same); i++) {
        char spec[80], path[300];
        snprintf(spec, sizeof spec, "updn:roots=\"S9,%s\"", same[i]);
        bough_routing *named = routing_make(net, spec);
        assert_int_equal(named->findings.count, 0);
        bough_routing_destroy(named);
        char line[60], file[400];
        snprintf(line, sizeof line, "# spines\n%s\n", same[i]);
        snprintf(path, sizeof path, "%s", temporary_file("spines", line, 0));
        snprintf(file, sizeof file, "updn:roots=\"%s\"", path);
        named = routing_make(net, file);
        assert_string_equal(ports_of(named, 0, 3), "1 5 2 2");
        bough_routing_destroy(named);
    }
    bough_routing *none = NULL;
    bough_error error;
    static const char *const wrong[] = {"S-300", "S-000000000000030", "S-00000000000003zz",
                                        "H-0000000000000300", "S-0000000000000f00"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "updn:roots=%s", wrong[i]);
        assert_int_equal(bough_routing_create(net, spec, &none, &error), BOUGH_INVALID);
    }
    bough_net_destroy(net);
}

static void what_does_not_fit_is_said(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=2^30");
    static const char *const specs[] = {"updn", "minhop"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_routing *routing;
        bough_error error;
        assert_int_equal(bough_routing_create(net, specs[i], &routing, &error), BOUGH_TOO_LARGE);
        assert_non_null(strstr(error.reason, "forwarding table"));
    }
    bough_net_destroy(net);
}

/* ---- by hand ---- */

/* Two spines: addresses of the other leaf alternate; one root: all go by it. */
static void ports_are_taken_in_turn(void **state) {
    (void)state;
    bough_net *net = fabric_net(tree, NULL);
    bough_routing *both = routing_make(net, "updn"), *one = routing_make(net, "updn:roots=S9"),
                  *minhop = routing_make(net, "minhop");
    assert_string_equal(ports_of(both, 0, 2), "1 5 2 1");
    assert_string_equal(ports_of(both, 0, 3), "1 6 2 2");
    assert_string_equal(ports_of(both, 1, 3), "1 6 2 2");
    assert_string_equal(ports_of(both, 2, 0), "1 5 1 1");
    assert_string_equal(ports_of(both, 3, 1), "1 6 1 2");
    assert_string_equal(ports_of(minhop, 0, 3), "1 6 2 2");
    assert_string_equal(ports_of(one, 0, 2), "1 6 2 1"); /* S8 is below both leaves: down, then up */
    assert_string_equal(ports_of(one, 0, 3), "1 6 2 2");
    assert_true(bough_routing_deterministic(both));
    bough_routing_destroy(one);
    bough_routing_destroy(minhop);
    routing_free(both);
}

/* A ring of five, the root S1: S3 and S4 have the same rank, and S3 is the upper one. */
static const char *const ring[] = {
    "S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S5 lid 5",  "H1 lid 11", "H2 lid 12",
    "H3 lid 13", "H4 lid 14", "H5 lid 15", "H1:1 S1:3", "H2:1 S2:3", "H3:1 S3:3", "H4:1 S4:3",
    "H5:1 S5:3", "S1:1 S2:2", "S2:1 S3:2", "S3:1 S4:2", "S4:1 S5:2", "S5:1 S1:2", NULL};

/* In trees by formula the ids of links up come first, and their ports last. */
static void links_are_listed_by_port(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=3x4,up=2x3,links=1x2");
    up_down w = {0};
    bool *root = calloc(net->nodes, sizeof *root);
    uint64_t turns = 0;
    assert_int_equal(up_down_make(&w, net, root, NULL), BOUGH_OK);
    const compressed_rows *out = &w.out;
    for (uint64_t v = 0; v < net->nodes; v++)
        for (uint32_t i = out->first[v]; i < out->first[v + 1]; i++) {
            assert_int_equal(w.end[i], net->ops->link_end(net, out->item[i]).node);
            if (i == out->first[v]) continue;
            assert_true(net->ops->link_port(net, out->item[i]) > net->ops->link_port(net, out->item[i - 1]));
            turns += out->item[i] < out->item[i - 1];
        }
    assert_true(turns > 0);
    up_down_fini(&w);
    free(root);
    bough_net_destroy(net);
}

static void a_ring_is_cut_where_up_would_follow_down(void **state) {
    (void)state;
    bough_net *net = fabric_net(ring, NULL);
    bough_routing *updn = routing_make(net, "updn:roots=S1"), *minhop = routing_make(net, "minhop");
    assert_string_equal(ports_of(updn, 2, 3), "1 1 3");     /* S3 S4 */
    assert_string_equal(ports_of(updn, 4, 2), "1 1 1 1 3"); /* not S5 S4 S3, which is down, then up */
    assert_string_equal(ports_of(updn, 1, 3), "1 1 1 3");   /* S2 S3 S4: down only */
    assert_string_equal(ports_of(minhop, 4, 2), "1 2 2 3");
    expect_no_deadlock(updn);
    bough_link_cycle cycle;
    bough_error error;
    assert_int_equal(bough_deadlock_find(minhop, &cycle, &error), BOUGH_OK);
    assert_true(cycle.count > 0);
    bough_link_cycle_fini(&cycle);
    bough_routing_destroy(minhop);
    routing_free(updn);
}

/* Roots S1, S2, S3 above S4, S5, S6, S7, which also stand in a row, the upper ones first. The nearest way
 * from S4 to S7 goes up over S1; then S2, which can only go down over S4, would have none. So S4 takes the
 * row. */
static const char *const row[] = {
    "S1 lid 1",  "S2 lid 2",  "S3 lid 3",  "S4 lid 4",  "S5 lid 5",  "S6 lid 6",  "S7 lid 7",  "H1 lid 11",
    "H2 lid 12", "H3 lid 13", "H1:1 S7:9", "H2:1 S2:9", "H3:1 S4:9", "S1:1 S4:1", "S1:2 S7:1", "S2:1 S4:2",
    "S3:1 S5:1", "S3:2 S6:1", "S4:3 S5:3", "S5:4 S6:3", "S6:4 S7:3", NULL};

static void nobody_with_a_legal_way_is_cut_off(void **state) {
    (void)state;
    bough_net *net = fabric_net(row, NULL);
    static const char *const roots[] = {"S1", "S2", "S3", NULL};
    bough_routing *r = routing_make(net, "updn:roots=\"S1,S2,S3\"");
    up_down_oracle o = up_down_oracle_make(net, roots);
    assert_string_equal(ports_of(r, 1, 0), "1 1 3 4 4 9");
    assert_string_equal(ports_of(r, 2, 0), "1 3 4 4 9");
    assert_int_equal(o.shortest[2 * net->nodes], 4);   /* over S1 */
    assert_string_equal(ports_of(r, 0, 2), "1 1 1 9"); /* where it harms nobody */
    up_down_oracle_free(&o);
    routing_free(r);
}

/* ---- against the definition ---- */

/* All pairs: legal; routed where a legal way exists. Returns the links that paths have more than the shortest
 * ones. */
static uint64_t compare_with_definition(const bough_routing *r, const up_down_oracle *o) {
    const bough_net *net = r->net;
    uint64_t path[64], longer = 0;
    for (uint64_t a = 0; a < net->addresses; a++)
        for (uint64_t s = 0; s < net->endpoints; s++) {
            uint64_t t = bough_address_node(net, a);
            bough_flow flow = {s, a, 0};
            if (s == t) continue;
            int length = bough_path(r, &flow, path, 64);
            unsigned shortest = o->shortest[s * net->nodes + t];
            if (length < 0) fail_msg("a loop from %" PRIu64 " to %" PRIu64, s, t);
            if ((length == 0) != (shortest == UINT_MAX))
                fail_msg("from %" PRIu64 " to %" PRIu64 ": %d links, %u are legal", s, t, length, shortest);
            if (length == 0) continue;
            if (!up_down_oracle_legal(o, path, length))
                fail_msg("from %" PRIu64 " to %" PRIu64 ": up after down", s, t);
            assert_true((unsigned)length >= shortest);
            longer += (unsigned)length - shortest;
        }
    return longer;
}

/* The roots of the highest level leave pairs without a way, and a root above them leaves none. */
static void expect_all_connected(const bough_routing *r, const up_down_oracle *o) {
    const bough_net *net = r->net;
    uint64_t path[64], *part = up_down_oracle_parts(net), left = 0;
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t t = 0; t < net->endpoints; t++) {
            bough_flow flow = {s, bough_endpoint_address(net, t), 0};
            if (s == t) continue;
            assert_int_equal(bough_path(r, &flow, path, 64) > 0, part[s] == part[t]);
            left += part[s] == part[t] && o->shortest[s * net->nodes + t] == UINT_MAX;
        }
    assert_true(left > 0);
    free(part);
}

enum { SWITCHES = 12, HOSTS = 12, LINES = 64 };

/* Switches in a row that cables join at random, some of them twice, some not at all. */
static bough_net *random_net(uint64_t trial) {
    static char text[LINES][32];
    static const char *lines[LINES + 1];
    unsigned n = 0, port[SWITCHES] = {0};
    bough_key key = bough_key_make(7, trial);
#define DRAW(i, range) (unsigned)bough_scale(bough_word(key, BOUGH_DRAW_HASH, i, 0), range)
    for (unsigned s = 0; s < SWITCHES; s++) snprintf(text[n++], 32, "S%u lid %u", s, 100 + s);
    for (unsigned h = 0; h < HOSTS; h++) snprintf(text[n++], 32, "H%u lid %u", h, 1 + h);
    for (unsigned h = 0; h < HOSTS; h++) {
        unsigned s = DRAW(h, SWITCHES);
        snprintf(text[n++], 32, "H%u:1 S%u:%u", h, s, ++port[s]);
    }
    for (unsigned c = 0; c < 17; c++) {
        unsigned a = DRAW(100 + 2 * c, SWITCHES), b = DRAW(101 + 2 * c, SWITCHES);
        if (a == b) continue;
        snprintf(text[n], 32, "S%u:%u", a, ++port[a]);
        size_t used = strlen(text[n]);
        snprintf(text[n++] + used, 32 - used, " S%u:%u", b, ++port[b]);
    }
    for (unsigned i = 0; i < n; i++) lines[i] = text[i];
    lines[n] = NULL;
    return fabric_net(lines, NULL);
}

static void irregular_networks_are_routed_legally(void **state) {
    (void)state;
    uint64_t longer = 0, cut_off = 0, joined = 0;
    for (uint64_t trial = 0; trial < 400; trial++) {
        bough_net *net = random_net(trial);
        static const char *const roots[] = {"S0", "S1", "S2", "S3", NULL};
        bough_routing *r = routing_make(net, trial & 1 ? "updn:roots=\"S0,S1,S2,S3\"" : "updn");
        up_down_oracle o = up_down_oracle_make(net, trial & 1 ? roots : NULL);
        if (find_finding(&r->findings, "roots") && !(trial & 1))
            joined++, expect_all_connected(r, &o);
        else
            longer += compare_with_definition(r, &o);
        for (uint64_t e = 1; e < net->endpoints; e++) cut_off += o.shortest[e] == UINT_MAX;
        expect_no_deadlock(r);
        up_down_oracle_free(&o);
        routing_free(r);
    }
    assert_true(longer > 0 && longer < 400); /* these networks do have conflicts of ways, and few */
    assert_true(cut_off > 0);
    assert_true(joined > 20 && joined < 180);
}

/* In layered trees, whole or damaged, every way is a shortest one of all. */
static void trees_are_routed_minimally(void **state) {
    (void)state;
    static const char *const files[] = {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft3-16.ibnetdiscover",
                                        "ibsim/ft3-128-cut5.ibnetdiscover", "example:cluster.ibnetdiscover"};
    for (size_t i = 0; i < COUNT(files); i++) {
        char *path = data_path(files[i]);
        if (!path) continue;
        char *spec = spec_of("ibnet", path);
        bough_routing *r = routing_make(net_make(spec), "updn"), *minhop = routing_make(r->net, "minhop");
        up_down_oracle o = up_down_oracle_make(r->net, NULL);
        assert_int_equal(compare_with_definition(r, &o), 0);
        expect_no_deadlock(r);
        expect_no_deadlock(minhop);
        uint64_t x[32];
        for (uint64_t s = 0; s < r->net->endpoints; s++)
            for (uint64_t t = 0; t < r->net->endpoints; t++) {
                bough_flow flow = {s, t, 0};
                if (s != t)
                    assert_int_equal(bough_path(minhop, &flow, x, 32), o.shortest[s * r->net->nodes + t]);
            }
        up_down_oracle_free(&o);
        bough_routing_destroy(minhop);
        routing_free(r);
        free(spec);
        free(path);
    }
}

/* ---- families ---- */

static void families_are_routed_too(void **state) {
    (void)state;
    static const char *const specs[] = {"xgft:down=4x4,up=1x4",
                                        "xgft:down=2x2x4,up=1x2x2,links=1x2x1",
                                        "xgft:down=4x4,up=2x2",
                                        "fattree:n=32",
                                        "kary:k=3,levels=3",
                                        "bft:n=64",
                                        "cube:n=16"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        bough_routing *updn = routing_make(net, "updn"), *minhop = routing_make(net, "minhop");
        unsigned longest = 0, shortest = 0;
        bough_error error;
        if (bough_routing_survey(updn, &longest, &error)) fail_msg("%s: %s", specs[i], error.reason);
        if (bough_routing_survey(minhop, &shortest, &error)) fail_msg("%s: %s", specs[i], error.reason);
        assert_int_equal(shortest, net->hops_max);
        assert_true(longest >= shortest);
        if (strncmp(specs[i], "cube", 4) != 0) assert_int_equal(longest, shortest);
        expect_no_deadlock(updn);
        bough_routing_destroy(minhop);
        routing_free(updn);
    }
}

static void dead_cables_are_gone_round(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4x4,up=1x4"), *faulty;
    bough_error error;
    static const char *const specs[] = {"updn", "minhop"}; /* the tree's own routes do not turn upwards */
    unsigned longer = 0;
    assert_int_equal(bough_net_with_faults(net, "cables:count=5,key=3,mode=rerouted", &faulty, &error),
                     BOUGH_OK);
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_routing *r = routing_make(faulty, specs[i]);
        uint64_t path[32];
        for (uint64_t s = 0; s < 16; s++)
            for (uint64_t t = 0; t < 16; t++) {
                bough_flow flow = {s, t, 0};
                if (s == t) continue;
                int length = bough_path(r, &flow, path, 32);
                assert_int_equal(length > 0, i == 0 || faulty->ops->reaches(faulty, s, t));
                if (i == 0) assert_int_equal(length > 4, !faulty->ops->reaches(faulty, s, t));
                longer += length > 4;
                for (int k = 0; k < length; k++) assert_true(bough_link_alive(faulty, path[k]));
            }
        expect_no_deadlock(r);
        bough_routing_destroy(r);
    }
    assert_int_equal(longer, 2 * 4 * 4); /* two leaves have no spine in common */
    bough_net_destroy(faulty);
    bough_net_destroy(net);
}

/* ---- against OpenSM ---- */

/* Entries for endpoints of all switches that differ. */
static uint64_t differing(const bough_routing *a, const bough_routing *b) {
    const bough_net *net = a->net;
    uint64_t differ = 0;
    for (uint64_t v = net->endpoints; v < net->nodes; v++)
        for (uint64_t t = 0; t < net->addresses; t++) {
            bough_route x, y;
            bough_flow flow = {BOUGH_NONE, t, 0};
            bough_route_at(a, v, &flow, &x);
            bough_route_at(b, v, &flow, &y);
            differ += x.count != y.count || (x.count && x.first != y.first);
        }
    return differ;
}

/* OpenSM counts aggregation nodes too, which are no endpoints unless asked for. */
static void tables_equal_those_of_opensm(void **state) {
    (void)state;
    static const struct {
        const char *fabric, *tables, *routing, *roots;
    } known[] = {
        {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft2-16.updn.lfts", "updn", NULL},
        {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft2-16.minhop.lfts", "minhop", NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.updn.lfts", "updn", NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.minhop.lfts", "minhop", NULL},
        {"ibsim/ft2-128.ibnetdiscover", "ibsim/ft2-128.updn.lfts.gz", "updn", NULL},
        {"ibsim/ft2-128.ibnetdiscover", "ibsim/ft2-128.minhop.lfts.gz", "minhop", NULL},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.updn.lfts.gz", "updn", NULL},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.minhop.lfts.gz", "minhop", NULL},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.updn.lfts.gz", "updn",
         "ibsim/ft3-128-cut5.roots"},
        {"ibsim/ft2-1024.ibnetdiscover.gz", "ibsim/ft2-1024.updn.lfts.gz", "updn", NULL},
        {"ibsim/ft3-1024.ibnetdiscover.gz", "ibsim/ft3-1024.updn.lfts.gz", "updn", NULL},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-updn.lfts.gz", "updn",
         "fabrics/psmn-x5.opensm.roots"},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-minhop.lfts.gz", "minhop", NULL},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-updn.lfts.gz", "updn",
         "fabrics/dgx-ndr.opensm.roots"},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-minhop.lfts.gz", "minhop", NULL},
        {"example:cluster.ibnetdiscover", "example:cluster.updn.lfts.gz", "updn", "example:cluster.roots"},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        char *fabric = data_path(known[i].fabric), *tables = data_path(known[i].tables), spec[600];
        char *roots = known[i].roots ? data_path(known[i].roots) : NULL, *net_spec, *lft;
        if (!fabric || !tables) {
            free(fabric);
            free(tables);
            free(roots);
            continue;
        }
        net_spec = spec_of("ibnet", fabric);
        lft = spec_of("lft", tables);
        bough_net *net = net_make(net_spec);
        snprintf(spec, sizeof spec, roots ? "%s:roots=\"%s\"" : "%s", known[i].routing, roots);
        bough_routing *theirs = routing_make(net, lft), *ours = routing_make(net, spec);
        uint64_t differ = differing(theirs, ours);
        if (differ)
            fail_msg("%s of %s: %" PRIu64 " of %" PRIu64 " entries differ", known[i].routing, known[i].fabric,
                     differ, net->switches * net->addresses);
        bough_routing_destroy(ours);
        routing_free(theirs);
        snprintf(spec, sizeof spec, "%s,aggregation=1", net_spec); /* as endpoints they are as well */
        net = net_make(spec);
        snprintf(spec, sizeof spec, roots ? "%s:roots=\"%s\"" : "%s", known[i].routing, roots);
        theirs = routing_make(net, lft);
        ours = routing_make(net, spec);
        assert_int_equal(differing(theirs, ours), 0);
        bough_routing_destroy(ours);
        routing_free(theirs);
        free(net_spec);
        free(lft);
        free(fabric);
        free(tables);
        free(roots);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_roots_are_refused),
        cmocka_unit_test(unknown_roots_are_said),
        cmocka_unit_test(guids_are_read_both_ways),
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(ports_are_taken_in_turn),
        cmocka_unit_test(links_are_listed_by_port),
        cmocka_unit_test(a_ring_is_cut_where_up_would_follow_down),
        cmocka_unit_test(nobody_with_a_legal_way_is_cut_off),
        cmocka_unit_test(irregular_networks_are_routed_legally),
        cmocka_unit_test(trees_are_routed_minimally),
        cmocka_unit_test(families_are_routed_too),
        cmocka_unit_test(dead_cables_are_gone_round),
        cmocka_unit_test(tables_equal_those_of_opensm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
