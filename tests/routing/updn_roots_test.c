/* Roots of updn that nobody named: a layer where it serves, one above the others where it does not. */
#include "base/random/random.h"
#include "network/faults/faults.h"
#include "routing/deadlock.h"
#include "support/fabrics.h"
#include "support/up_down_oracle.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint64_t links_of(const bough_routing *r, uint64_t source, uint64_t endpoint) {
    uint64_t path[64];
    bough_flow flow = {source, bough_endpoint_address(r->net, endpoint), 0};
    int length = bough_path(r, &flow, path, 64);
    if (length < 0) fail_msg("%s on %s: a loop", r->spec, r->net->spec);
    return (uint64_t)length;
}

/* Who is connected is routed, nobody else, and nothing can deadlock. Returns the pairs that are routed. */
static uint64_t expect_routed(const bough_routing *r) {
    uint64_t *part = up_down_oracle_parts(r->net), routed = 0;
    bough_link_cycle cycle;
    bough_error error;
    for (uint64_t s = 0; s < r->net->endpoints; s++)
        for (uint64_t t = 0; t < r->net->endpoints; t++) {
            if (s == t) continue;
            bool there = links_of(r, s, t) > 0;
            if (there != (part[s] == part[t]))
                fail_msg("%s on %s: from %" PRIu64 " to %" PRIu64, r->spec, r->net->spec, s, t);
            routed += there;
        }
    if (bough_deadlock_find(r, &cycle, &error)) fail_msg("%s: %s", r->spec, error.reason);
    if (cycle.count) fail_msg("%s: %s", r->spec, bough_link_cycle_text(r->net, &cycle, 9));
    free(part);
    return routed;
}

/* ---- networks of switches with a host each ---- */

enum { SWITCHES = 40, LINES = 200 };

typedef struct drawing {
    char text[LINES][32];
    const char *line[LINES + 1];
    unsigned count, port[SWITCHES], switches;
} drawing;

static void put_switches(drawing *d, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        unsigned s = d->switches++;
        snprintf(d->text[d->count++], 32, "S%u lid %u", s, 100 + s);
    }
}

static void put_host(drawing *d, unsigned s) {
    snprintf(d->text[d->count++], 32, "H%u lid %u", s, 1 + s);
    snprintf(d->text[d->count++], 32, "H%u:1 S%u:%u", s, s, ++d->port[s]);
}

/* With fewer hosts than cables to leaves a switch would be above them. */
static void put_second_host(drawing *d, unsigned s) {
    snprintf(d->text[d->count++], 32, "H%u lid %u", 50 + s, 51 + s);
    snprintf(d->text[d->count++], 32, "H%u:1 S%u:%u", 50 + s, s, ++d->port[s]);
}

static void put_cable(drawing *d, unsigned a, unsigned b) {
    unsigned p = ++d->port[a], q = ++d->port[b];
    snprintf(d->text[d->count++], 32, "S%u:%u S%u:%u", a, p, b, q);
}

/* Nodes stand before cables, as fabric_net wants them. */
static bough_net *drawn(drawing *d) {
    unsigned n = 0;
    for (int cables = 0; cables < 2; cables++)
        for (unsigned i = 0; i < d->count; i++)
            if ((strchr(d->text[i], ':') != NULL) == cables) d->line[n++] = d->text[i];
    d->line[n] = NULL;
    return fabric_net(d->line, NULL);
}

static bough_routing *leaves(drawing *d) {
    for (unsigned s = 0; s < d->switches; s++) put_host(d, s);
    return routing_make(drawn(d), "updn");
}

/* S0 and S1 with S2 between them: by GUID alone S2 is the lowest, and the way over it a valley. */
static void a_chain_is_routed(void **state) {
    (void)state;
    drawing d = {0};
    put_switches(&d, 3);
    put_cable(&d, 0, 2);
    put_cable(&d, 1, 2);
    put_second_host(&d, 2);
    bough_routing *r = leaves(&d), *named = routing_make(r->net, "updn:roots=\"S0,S1,S2\"");
    assert_int_equal(expect_routed(r), 12);
    const bough_finding *said = find_finding(&r->findings, "roots");
    assert_non_null(said);
    assert_int_equal(said->severity, BOUGH_INFO);
    assert_string_equal(said->where, "S2"); /* the middle is the nearest to all */
    assert_non_null(strstr(said->text, "2 connected pairs would have no path"));

    assert_int_equal(links_of(named, 0, 1),
                     0); /* roots that are named are used as they are, and it is said */
    said = find_finding(&named->findings, "roots");
    assert_non_null(said);
    assert_int_equal(said->severity, BOUGH_WARN);
    assert_non_null(strstr(said->text, "2 pairs are connected"));
    assert_non_null(strstr(said->text, "from H1 to H0"));
    bough_routing_destroy(named);
    routing_free(r);
}

static void rings_and_meshes_are_routed(void **state) {
    (void)state;
    drawing ring = {0}, mesh = {0};
    put_switches(&ring, 6);
    static const unsigned order[] = {0, 5, 1, 4, 2, 3};
    for (unsigned i = 0; i < 6; i++) put_cable(&ring, order[i], order[(i + 1) % 6]);
    bough_routing *r = leaves(&ring);
    assert_int_equal(expect_routed(r), 30);
    routing_free(r);

    put_switches(&mesh, 9);
    static const unsigned at[] = {0, 7, 2, 5, 8, 1, 6, 3, 4}; /* GUIDs that do not follow the place */
    for (unsigned y = 0; y < 3; y++)
        for (unsigned x = 0; x < 3; x++) {
            if (x < 2) put_cable(&mesh, at[3 * y + x], at[3 * y + x + 1]);
            if (y < 2) put_cable(&mesh, at[3 * y + x], at[3 * y + x + 3]);
        }
    r = leaves(&mesh);
    assert_int_equal(expect_routed(r), 72);
    assert_string_equal(find_finding(&r->findings, "roots")->where, "S8");
    for (unsigned i = 0; i < 9; i++)
        if (at[i] != 8)
            assert_int_equal(links_of(r, at[i], 8), 2 + (i % 2 ? 1 : 2)); /* shortest to the root */
    routing_free(r);
}

/* One tree, or two apart; in half of them a third of the switches has no host. */
static void random_trees_are_routed(void **state) {
    (void)state;
    unsigned joined = 0;
    for (uint64_t trial = 0; trial < 200; trial++) {
        bough_key key = bough_key_make(11, trial);
        drawing d = {0};
        uint64_t hosts = 0, parts = trial % 3 ? 1 : 2;
#define DRAW(i, range) (unsigned)bough_scale(bough_word(key, BOUGH_DRAW_HASH, i, 0), range)
        unsigned n = 3 + DRAW(0, 28);
        unsigned name[SWITCHES],
            half = parts == 1 ? 0 : n / 2; /* in an order of its own: GUIDs decide ties */
        put_switches(&d, n);
        for (unsigned i = 0; i < n; i++) {
            unsigned k = DRAW(200 + i, i + 1);
            name[i] = name[k];
            name[k] = i;
        }
        for (unsigned i = 1; i < n; i++)
            if (i < half)
                put_cable(&d, name[i], name[DRAW(i, i)]);
            else if (i > half)
                put_cable(&d, name[i], name[half + DRAW(i, i - half)]);
        for (unsigned s = 0; s < n; s++)
            if (trial % 2 || s == 0 || DRAW(100 + s, 3)) put_host(&d, s), hosts++;
        bough_routing *r = routing_make(drawn(&d), "updn");
        uint64_t routed = expect_routed(r);
        if (parts == 1) assert_int_equal(routed, hosts * (hosts - 1));
        joined += count_findings(&r->findings, "roots") > 0;
        routing_free(r);
    }
    assert_true(joined > 100);
}

/* ---- layers ---- */

/* 1 and 2: a tree of two spines and two leaves. 3: a row of leaves apart from it, which has no switch of its
 * level; there the roots are its own highest ones, and its middle comes first. */
static void each_part_has_its_roots(void **state) {
    (void)state;
    drawing d = {0};
    put_switches(&d, 7);
    for (unsigned s = 0; s < 2; s++)
        for (unsigned leaf = 2; leaf < 4; leaf++) put_cable(&d, s, leaf);
    put_cable(&d, 4, 6);
    put_cable(&d, 5, 6);
    for (unsigned s = 2; s < 7; s++) put_host(&d, s);
    put_second_host(&d, 6);
    bough_routing *r = routing_make(drawn(&d), "updn");
    assert_int_equal(expect_routed(r), 2 + 12);
    assert_string_equal(find_finding(&r->findings, "roots")->where, "S6");
    routing_free(r);
}

/* Spines 0 to 3 above leaves 4 to 9. Leaf 4 keeps spines 0 and 1, leaf 5 spines 2 and 3: they have no spine
 * in common, and meet over another leaf. Everybody else goes on as before, over all four spines. */
static void damaged_layers_stay_layers(void **state) {
    (void)state;
    drawing d = {0};
    put_switches(&d, 10);
    for (unsigned leaf = 4; leaf < 10; leaf++)
        for (unsigned s = 0; s < 4; s++)
            if ((leaf != 4 || s < 2) && (leaf != 5 || s > 1)) put_cable(&d, leaf, s);
    for (unsigned s = 4; s < 10; s++) put_host(&d, s);
    bough_routing *r = routing_make(drawn(&d), "updn");
    assert_int_equal(expect_routed(r), 30);
    assert_non_null(
        strstr(find_finding(&r->findings, "roots")->text, "2 connected pairs would have no path"));
    bool used[4] = {false};
    for (uint64_t s = 0; s < 6; s++)
        for (uint64_t t = 0; t < 6; t++) {
            uint64_t path[64];
            bough_flow flow = {s, t, 0};
            if (s == t) continue;
            int length = bough_path(r, &flow, path, 64);
            assert_int_equal(length, s + t == 1 ? 6 : 4);
            used[r->net->ops->link_end(r->net, path[1]).node - 6] = true;
        }
    for (unsigned s = 0; s < 4; s++) assert_true(used[s]);
    routing_free(r);
}

/* Where the layer serves, nothing is said, and it is the same as naming it. */
static void layers_that_serve_are_kept(void **state) {
    (void)state;
    static const char *const specs[] = {"xgft:down=4x4,up=1x4", "xgft:down=2x2x4,up=1x2x2,links=1x2x1",
                                        "kary:k=3,levels=3", "fattree:n=32"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        bough_net *net = net_make(specs[i]);
        char names[2000] = "", name[160], spec[2100];
        for (uint64_t v = net->endpoints; v < net->nodes; v++) {
            if (net->ops->node_level(net, v) != net->levels) continue;
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? "," : "",
                     bough_node_name(net, v, name, sizeof name));
        }
        snprintf(spec, sizeof spec, "updn:roots=\"%s\"", names);
        bough_routing *r = routing_make(net, "updn"), *named = routing_make(net, spec);
        assert_int_equal(r->findings.count, 0);
        assert_int_equal(named->findings.count, 0);
        for (uint64_t v = net->endpoints; v < net->nodes; v++)
            for (uint64_t a = 0; a < net->addresses; a++) {
                bough_route x, y;
                bough_flow flow = {BOUGH_NONE, a, 0};
                bough_route_at(r, v, &flow, &x);
                bough_route_at(named, v, &flow, &y);
                assert_true(x.count == y.count && (!x.count || x.first == y.first));
            }
        bough_routing_destroy(named);
        routing_free(r);
    }
}

/* The tree is joined over and over: up to a third of its cables is dead. */
static void what_faults_leave_is_routed(void **state) {
    (void)state;
    unsigned joined = 0;
    for (unsigned key = 0; key < 40; key++) {
        bough_net *net = net_make("xgft:down=3x3x2,up=1x2x2"), *faulty;
        bough_error error;
        char spec[80];
        snprintf(spec, sizeof spec, "cables:share=%u%%,key=%u,mode=rerouted", 10 + key % 30, key);
        if (bough_net_with_faults(net, spec, &faulty, &error)) fail_msg("%s: %s", spec, error.reason);
        bough_routing *r = routing_make(faulty, "updn");
        expect_routed(r);
        joined += r->findings.count > 0;
        bough_routing_destroy(r);
        bough_net_destroy(faulty);
        bough_net_destroy(net);
    }
    assert_true(joined > 5 && joined < 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_routed),           cmocka_unit_test(rings_and_meshes_are_routed),
        cmocka_unit_test(random_trees_are_routed),     cmocka_unit_test(each_part_has_its_roots),
        cmocka_unit_test(damaged_layers_stay_layers),  cmocka_unit_test(layers_that_serve_are_kept),
        cmocka_unit_test(what_faults_leave_is_routed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
