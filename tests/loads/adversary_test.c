/* bough_adversary_find: what it refuses, networks done by hand, all permutations of small networks. */
#include "loads/worst/adversary_internal.h"
#include "support/all_permutations.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/points.h"
#include "support/worst_check.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

/* ---- bad input ---- */

static void refused(const char *network, const char *kind, bough_status status, const char *text) {
    bough_net *net = net_make(network);
    bough_routing *routing = routing_make(net, kind);
    bough_adversary_options o = {.threads = 1};
    bough_adversary_result r;
    bough_error error;
    assert_int_equal(bough_adversary_find(routing, &o, &r, &error), status);
    if (!strstr(error.reason, text)) fail_msg("'%s' does not say '%s'", error.reason, text);
    routing_free(routing);
}

static void what_sees_the_network_is_refused(void **state) {
    (void)state;
    refused("fattree:n=8", "least", BOUGH_UNSUPPORTED,
            "needs an oblivious routing: under `least` the path of");
    refused("fattree:n=8", "first", BOUGH_UNSUPPORTED, "depends on other traffic");
    refused("bft:n=16", "first", BOUGH_UNSUPPORTED, "use random, hash, dmodk");
    refused("fattree:n=2^17", "dmodk", BOUGH_TOO_LARGE, "at most 65536");
    refused("fattree:n=4096", "random", BOUGH_TOO_LARGE, "on all its paths, and fattree:n=4096 has 4096");
    refused("fattree:n=4096", "valiant", BOUGH_TOO_LARGE, "at most 2048");
}

/* Without a choice `first` and `least` are as good as any. */
static void a_pick_without_a_choice_is_fine(void **state) {
    (void)state;
    static const char *const kinds[] = {"first", "least", "random", "hash"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        bough_net *net;
        bough_error error;
        assert_int_equal(cube_create(3, &net, &error), BOUGH_OK);
        bough_routing *routing = routing_make(net, kinds[i]);
        bough_adversary_result r = worst_find(routing);
        worst_check(routing, &r);
        assert_true(r.load == 2 && !r.expected);
        bough_adversary_fini(&r);
        routing_free(routing);
    }
}

static uint64_t via_nothing(const bough_routing *routing, bough_key key, const bough_flow *flow) {
    (void)routing;
    (void)key;
    return flow->address;
}

static void a_via_that_is_not_uniform_is_refused(void **state) {
    (void)state;
    static const bough_param none[] = {BOUGH_PARAMS_END};
    static const bough_routing_kind kind = {
        .name = "by_itself", .params = none, .needs = BOUGH_HAS_ROUTES, .via = via_nothing};
    bough_net *net = net_make("fattree:n=8");
    bough_spec spec;
    bough_routing *routing;
    bough_error error;
    assert_int_equal(bough_spec_parse("by_itself", &spec, &error), BOUGH_OK);
    assert_int_equal(bough_routing_make(net, &kind, &spec, &routing, &error), BOUGH_OK);
    assert_int_equal(bough_adversary_check(routing, "it", &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "which `by_itself` does not provide"));
    bough_spec_fini(&spec);
    routing_free(routing);
}

typedef struct told {
    double last;
    unsigned calls;
    atomic_bool *stop;
    double when;
} told;

static void on_progress(void *context, double share) {
    told *t = context;
    assert_true(share >= t->last && share <= 1 + 1e-9);
    t->last = share;
    t->calls++;
    if (t->stop && share >= t->when) atomic_store(t->stop, true);
}

static void it_can_be_stopped(void **state) {
    (void)state;
    static const char *const kinds[] = {"dmodk", "random", "valiant"};
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (double when = 0; when < 0.7; when += 0.3) {
            bough_routing *routing = routing_make(net_make("fattree:n=64"), kinds[i]);
            atomic_bool stop = false;
            told t = {.stop = &stop, .when = when};
            bough_adversary_options o = {
                .threads = 1, .stop = &stop, .progress = on_progress, .progress_context = &t};
            bough_adversary_result r;
            bough_error error;
            assert_int_equal(bough_adversary_find(routing, &o, &r, &error), BOUGH_INTERRUPTED);
            assert_null(r.destination);
            routing_free(routing);
        }
}

static void progress_ends_at_one(void **state) {
    (void)state;
    static const char *const kinds[] = {"dmodk", "random", "valiant"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        bough_routing *routing = routing_make(net_make("fattree:n=64"), kinds[i]);
        told t = {0};
        bough_adversary_options o = {.threads = 1, .progress = on_progress, .progress_context = &t};
        bough_adversary_result r;
        bough_error error;
        assert_int_equal(bough_adversary_find(routing, &o, &r, &error), BOUGH_OK);
        assert_true(t.calls > 30 && t.last == 1);
        bough_adversary_fini(&r);
        routing_free(routing);
    }
}

/* ---- by hand ---- */

static void one_endpoint_has_nobody_to_hurt(void **state) {
    (void)state;
    static const char *const kinds[] = {"dmodk", "random", "valiant"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        bough_routing *routing = routing_make(net_make("kary:k=1,levels=1"), kinds[i]);
        bough_adversary_result r = worst_find(routing);
        assert_true(r.load == 0 && r.link == BOUGH_NONE && r.pairs == 0 && r.destination[0] == 0);
        bough_adversary_fini(&r);
        routing_free(routing);
    }
}

/* Two leaves of three hosts, one cable between them: everybody crosses. */
static void a_thin_cable(void **state) {
    (void)state;
    static const char *const fabric[] = {
        "S1 lid 1",  "S2 lid 2",  "H1 lid 3",  "H2 lid 4",  "H3 lid 5",  "H4 lid 6",  "H5 lid 7",  "H6 lid 8",
        "H1:1 S1:1", "H2:1 S1:2", "H3:1 S1:3", "H4:1 S2:1", "H5:1 S2:2", "H6:1 S2:3", "S1:4 S2:4", NULL};
    static const char *const tables[] = {"S1 3>1 4>2 5>3 6>4 7>4 8>4", "S2 6>1 7>2 8>3 3>4 4>4 5>4", NULL};
    bough_routing *routing = fabric_routing(fabric, tables);
    bough_adversary_result r = worst_find(routing);
    char name[300];
    worst_check(routing, &r);
    assert_true(r.load == 3 && r.counted == 3 && r.flows == 3 && r.open == 0);
    assert_non_null(strstr(bough_link_name(routing->net, r.link, name, sizeof name), "S1/4 -> "));
    for (uint32_t e = 0; e < 3; e++) assert_true(r.destination[e] >= 3 && r.destination[e + 3] < 3);
    /* ties go to the smallest link, and the rest is put together in ascending order */
    assert_true(r.destination[3] == 0 && r.destination[4] == 1 && r.destination[5] == 2);
    bough_adversary_fini(&r);
    routing_free(routing);
}

/* S1 does not know H3: pairs to it are left out, and named. */
static void tables_that_do_not_reach(void **state) {
    (void)state;
    static const char *const fabric[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 3",  "H2 lid 4",
                                         "H3 lid 5",  "H4 lid 6",  "H1:1 S1:1", "H2:1 S1:2",
                                         "H3:1 S2:1", "H4:1 S2:2", "S1:4 S2:4", NULL};
    static const char *const tables[] = {"S1 3>1 4>2 6>4", "S2 5>1 6>2 3>4 4>4", NULL};
    bough_routing *routing = fabric_routing(fabric, tables);
    bough_adversary_result r = worst_find(routing);
    char name[96];
    worst_check(routing, &r);
    assert_int_equal(r.pairs, 12);
    assert_int_equal(r.routed, 10);
    assert_true(r.failed_source == 0 && r.failed_destination == 2);
    assert_non_null(strstr(bough_node_name(routing->net, r.failed_at, name, sizeof name), "S1"));
    assert_true(r.load == 2); /* down to the left; up only H4 can be sent to */
    assert_non_null(strstr(bough_link_name(routing->net, r.link, name, sizeof name), "S2/4 -> "));
    assert_int_equal(r.bound, 0);
    bough_point point = {routing->net, routing, NULL};
    bough_rows rows = rows_of(&point, "adversary");
    assert_int_equal(rows.outcome, BOUGH_RUN_PARTIAL);
    assert_near(row_value(&rows, BOUGH_METRIC_UNROUTED, NO_INDEX), 2, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX), 2, 0);
    assert_false(row_given(&rows, BOUGH_METRIC_LOAD_BOUND, NO_INDEX));
    if (!strstr(rows.note, "2 of 12 pairs have no route") || !strstr(rows.note, "ends at S1"))
        fail_msg("'%s'", rows.note);
    bough_rows_fini(&rows);
    bough_adversary_fini(&r);
    routing_free(routing);
}

/* H3 is on an island. */
static void islands(void **state) {
    (void)state;
    static const char *const fabric[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 3",  "H2 lid 4", "H3 lid 5",
                                         "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1", NULL};
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *random = routing_make(net, "random"), *valiant = routing_make(net, "valiant");
    bough_adversary_result r = worst_find(random);
    worst_check(random, &r);
    assert_true(r.load == 1 && r.routed == 2 && r.pairs == 6);
    assert_true(r.failed_source == 0 && r.failed_destination == 2);
    bough_adversary_fini(&r);
    bough_adversary_options o = {.threads = 2};
    bough_error error;
    assert_int_equal(bough_adversary_find(valiant, &o, &r, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "H1 to H3 has none (it ends at"));
    bough_routing_destroy(valiant);
    routing_free(random);
}

/* ---- all permutations ---- */

/* The largest load, and the smallest link that has it. */
static void check_against_all(const bough_routing *routing, unsigned threads) {
    uint64_t links = routing->net->links, link = BOUGH_NONE;
    double *worst = calloc(links, sizeof *worst), most = 0;
    worst_loads(routing, worst);
    for (uint64_t l = 0; l < links; l++)
        if (worst[l] > most * (1 + 1e-9)) most = worst[l], link = l;
    bough_adversary_result r = worst_find_with(routing, threads);
    worst_check(routing, &r);
    if (fabs(r.load - most) > 1e-9 || r.link != link)
        fail_msg("%s under %s: %.9g on link %" PRIu64 ", not %.9g on %" PRIu64, routing->net->spec,
                 routing->spec, r.load, r.link, most, link);
    if (!r.expected) worst_check_counted(routing, &r);
    bough_adversary_fini(&r);
    free(worst);
}

static void small_networks(void **state) {
    (void)state;
    static const char *const networks[] = {
        "fattree:n=2",
        "fattree:n=4",
        "fattree:n=8",
        "kary:k=2,levels=3",
        "bft:n=4",
        "xgft:down=3x2,up=1x2",
        "xgft:down=2x3,up=1x3",
        "xgft:down=2x2x2,up=1x1x2",
        "kary:k=7,levels=1",
        "xgft:down=4x2,up=1x1,links=1x3",
        "xgft:down=2x4,up=2x3",
        "xgft:down=8,up=1",
    };
    static const char *const kinds[] = {"dmodk", "smodk", "hash", "hash:key=7", "random", "valiant"};
    for (size_t i = 0; i < COUNT(networks); i++)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            bough_routing *routing = routing_make(net_make(networks[i]), kinds[k]);
            check_against_all(routing, 1 + (unsigned)(i + k) % 3);
            routing_free(routing);
        }
}

static void many_hashes(void **state) {
    (void)state;
    for (unsigned key = 0; key < 40; key++) {
        char spec[32];
        snprintf(spec, sizeof spec, "hash:key=%u", key);
        bough_routing *routing = routing_make(net_make("xgft:down=2x3,up=1x3"), spec);
        check_against_all(routing, 1);
        routing_free(routing);
    }
}

static void small_cubes(void **state) {
    (void)state;
    for (unsigned d = 1; d <= 3; d++) {
        bough_net *net;
        bough_error error;
        assert_int_equal(cube_create(d, &net, &error), BOUGH_OK);
        bough_routing *routing = routing_make(net, "random"), *valiant = routing_make(net, "valiant");
        check_against_all(routing, 2);
        check_against_all(valiant, 2);
        bough_routing_destroy(valiant);
        routing_free(routing);
    }
}

/* Tables of no sense at all, drawn: routes that loop, that end elsewhere, that nobody else would take; and
 * hosts with two ports, and with several addresses. */
static void wild_tables(void **state) {
    (void)state;
    static const char *const fabric[] = {"S1 lid 1",       "S2 lid 2",  "S3 lid 3",  "H1 lid 4",  "H2 lid 5",
                                         "H3 lid 6 lmc 1", "H4 lid 8",  "H5 lid 10", "H1:1 S1:1", "H2:1 S1:2",
                                         "H3:1 S2:1",      "H3:2 S2:2", "H4:1 S3:1", "H5:1 S3:2", "S1:5 S2:5",
                                         "S1:6 S3:5",      "S2:6 S3:6", "S1:7 S2:7", "S2:8 S3:8", NULL};
    static const unsigned port[3][6] = {{1, 2, 5, 6, 7, 5}, {1, 2, 5, 6, 7, 8}, {1, 2, 5, 6, 8, 5}};
    bough_stream random = bough_stream_make(bough_key_make(5, 0), BOUGH_DRAW_TEST, 0, 0);
    unsigned partial = 0;
    for (unsigned trial = 0; trial < 60; trial++) {
        char text[3][200];
        const char *tables[4] = {text[0], text[1], text[2], NULL};
        for (unsigned s = 0; s < 3; s++) {
            int length = snprintf(text[s], sizeof text[s], "S%u", s + 1);
            for (unsigned lid = 4; lid <= 10; lid++)
                length += snprintf(text[s] + length, sizeof text[s] - (size_t)length, " %u>%u", lid,
                                   port[s][bough_stream_below(&random, 6)]);
        }
        bough_routing *routing = fabric_routing(fabric, tables);
        check_against_all(routing, 1);
        bough_adversary_result r = worst_find(routing);
        partial += r.routed < r.pairs;
        bough_adversary_fini(&r);
        routing_free(routing);
    }
    assert_true(partial > 20);
}

/* Five switches joined at random, and paths of different numbers of branches: shares that differ from pair to
 * pair. */
static void random_fabrics(void **state) {
    (void)state;
    enum { S = 5, H = 7 };
    static const char *const kinds[] = {"random", "valiant", "hash"};
    bough_stream random = bough_stream_make(bough_key_make(6, 0), BOUGH_DRAW_TEST, 0, 0);
    for (unsigned trial = 0; trial < 40; trial++) {
        char text[64][40];
        const char *lines[64] = {NULL};
        unsigned count = 0, port[S + 1];
        for (unsigned s = 1; s <= S; s++) snprintf(text[count++], sizeof *text, "S%u lid %u", s, s);
        for (unsigned h = 1; h <= H; h++) snprintf(text[count++], sizeof *text, "H%u lid %u", h, 10 + h);
        for (unsigned s = 1; s <= S; s++) port[s] = 1;
        for (unsigned h = 1; h <= H; h++) {
            unsigned s = 1 + (unsigned)bough_stream_below(&random, S);
            snprintf(text[count++], sizeof *text, "H%u:1 S%u:%u", h, s, port[s]++);
        }
        for (unsigned c = 0; c < 10; c++) { /* a path through all of them, and what chance adds */
            unsigned a = c < S - 1 ? c + 1 : 1 + (unsigned)bough_stream_below(&random, S);
            unsigned b = c < S - 1 ? c + 2 : 1 + (unsigned)bough_stream_below(&random, S);
            if (a == b) continue;
            snprintf(text[count++], sizeof *text, "S%u:%u S%u:%u", a, port[a], b, port[b]);
            port[a]++, port[b]++;
        }
        for (unsigned i = 0; i < count; i++) lines[i] = text[i];
        for (size_t k = 0; k < COUNT(kinds); k++) {
            bough_routing *routing = routing_make(fabric_net(lines, NULL), kinds[k]);
            check_against_all(routing, 1 + trial % 3);
            routing_free(routing);
        }
    }
}

/* The same pairs in another order are the same link. */
static void the_order_of_pairs_does_not_matter(void **state) {
    (void)state;
    enum { N = 40, PAIRS = 300 };
    bough_stream random = bough_stream_make(bough_key_make(7, 0), BOUGH_DRAW_TEST, 0, 0);
    uint32_t pair[2][PAIRS], count = 0;
    double share[2][PAIRS];
    for (uint32_t s = 0; s < N; s++)
        for (uint32_t d = 0; d < N; d++) {
            if (s == d || count == PAIRS || bough_stream_below(&random, 5)) continue;
            pair[0][count] = s << 16 | d;
            share[0][count++] = bough_unit(bough_stream_next(&random));
        }
    for (uint32_t i = 0; i < count; i++) { /* another order: drawn, as it grows */
        uint32_t at = (uint32_t)bough_stream_below(&random, i + 1);
        pair[1][i] = pair[1][at], share[1][i] = share[1][at];
        pair[1][at] = pair[0][i], share[1][at] = share[0][i];
    }
    for (int weights = 0; weights < 2; weights++) {
        adversary_matching worst[2], counted[2];
        for (int order = 0; order < 2; order++) {
            adversary_pairs pairs = {3, UINT64_MAX, count, pair[order], weights ? share[order] : NULL};
            adversary_workspace space;
            bough_error error;
            worst[order] = counted[order] = (adversary_matching){.link = BOUGH_NONE};
            assert_int_equal(adversary_workspace_init(&space, N, &error), BOUGH_OK);
            assert_int_equal(adversary_match_link(&space, &pairs, &worst[order], &counted[order], &error),
                             BOUGH_OK);
            adversary_workspace_fini(&space);
        }
        assert_true(worst[0].load == worst[1].load && worst[0].flows == worst[1].flows);
        assert_memory_equal(worst[0].source, worst[1].source, worst[0].flows * sizeof *worst[0].source);
        assert_memory_equal(worst[0].destination, worst[1].destination,
                            worst[0].flows * sizeof *worst[0].destination);
        assert_true(counted[0].flows == counted[1].flows && (counted[0].link == 3) == !weights);
        for (int order = 0; order < 2; order++) {
            adversary_matching_fini(&worst[order]);
            adversary_matching_fini(&counted[order]);
        }
    }
}

static void larger_networks(void **state) {
    (void)state;
    static const char *const networks[] = {"fattree:n=32", "xgft:down=5x4x2,up=1x2x3", "kary:k=3,levels=3",
                                           "bft:n=64", "xgft:down=6x5,up=2x3,links=1x2"};
    static const char *const kinds[] = {"dmodk", "smodk", "hash", "hash:key=1", "hash:key=2"};
    for (size_t i = 0; i < COUNT(networks); i++)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            bough_routing *routing = routing_make(net_make(networks[i]), kinds[k]);
            bough_adversary_result r = worst_find(routing);
            worst_check(routing, &r);
            worst_check_plain(routing, &r);
            worst_check_counted(routing, &r);
            bough_adversary_fini(&r);
            routing_free(routing);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_sees_the_network_is_refused),
        cmocka_unit_test(a_pick_without_a_choice_is_fine),
        cmocka_unit_test(a_via_that_is_not_uniform_is_refused),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(progress_ends_at_one),
        cmocka_unit_test(one_endpoint_has_nobody_to_hurt),
        cmocka_unit_test(a_thin_cable),
        cmocka_unit_test(tables_that_do_not_reach),
        cmocka_unit_test(islands),
        cmocka_unit_test(small_networks),
        cmocka_unit_test(many_hashes),
        cmocka_unit_test(small_cubes),
        cmocka_unit_test(wild_tables),
        cmocka_unit_test(larger_networks),
        cmocka_unit_test(random_fabrics),
        cmocka_unit_test(the_order_of_pairs_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
