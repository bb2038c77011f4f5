/* bough_adversary_find: what it refuses, networks done by hand, all permutations of small networks, what must
 * hold of larger ones, real fabrics; then the method. */
#include "bough/adversary.h"

#include "base/text.h"
#include "model/adversary.h"
#include "support/all_permutations.h"
#include "support/cube.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

static bough_adversary_result find_with(const bough_routing *routing, unsigned threads) {
    bough_adversary_options o = {.threads = threads};
    bough_adversary_result r;
    bough_error error;
    if (bough_adversary_find(routing, &o, &r, &error)) fail_msg("%s: %s", routing->spec, error.reason);
    return r;
}

static bough_adversary_result find(const bough_routing *routing) {
    return find_with(routing, 1);
}

static void free_both(bough_routing *routing) {
    bough_net *net = (bough_net *)routing->net;
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void near(double have, double want) {
    if (!(fabs(have - want) <= 1e-9 * (1 + fabs(want)))) fail_msg("%.12g is not %.12g", have, want);
}

/* A permutation that puts the load on the link; no fixed point, unless it is alone without a flow there. */
static void check_permutation(const bough_routing *routing, const uint32_t *destination, uint64_t link,
                              double load, uint64_t flows) {
    const bough_net *net = routing->net;
    double *have = calloc(net->links + 1, sizeof *have);
    bool *taken = calloc(net->endpoints, sizeof *taken);
    uint64_t fixed = 0;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        assert_true(destination[e] < net->endpoints);
        assert_false(taken[destination[e]]);
        taken[destination[e]] = true;
        fixed += destination[e] == e;
    }
    assert_true(fixed <= (flows + 1 == net->endpoints || net->endpoints == 1));
    permutation_loads(routing, destination, have);
    if (link != BOUGH_NONE) near(have[link], load);
    free(have);
    free(taken);
}

static void check_result(const bough_routing *routing, const bough_adversary_result *r) {
    check_permutation(routing, r->destination, r->link, r->load, r->flows);
    assert_int_equal(r->expected, !bough_routing_deterministic(routing));
    if (r->expected) {
        assert_null(r->counted_destination);
        assert_int_equal(r->bound, 0);
        return;
    }
    check_permutation(routing, r->counted_destination, BOUGH_NONE, 0, r->counted);
    assert_true(r->bound <= r->counted && (double)r->counted <= r->load);
    assert_int_equal(r->flows, (uint64_t)r->load);
    if (!r->counted) return;
    double *load = calloc(routing->net->links, sizeof *load);
    permutation_loads(routing, r->counted_destination, load);
    assert_true(load[r->counted_link] >= (double)r->counted);
    free(load);
}

/* ---- bad input ---- */

static void refused(const char *network, const char *kind, bough_status status, const char *text) {
    bough_net *net = net_make(network);
    bough_routing *routing = routing_make(net, kind);
    bough_adversary_options o = {.threads = 1};
    bough_adversary_result r;
    bough_error error;
    assert_int_equal(bough_adversary_find(routing, &o, &r, &error), status);
    if (!strstr(error.reason, text)) fail_msg("'%s' does not say '%s'", error.reason, text);
    free_both(routing);
}

static void what_sees_the_network_is_refused(void **state) {
    (void)state;
    refused("fattree:n=8", "least", BOUGH_UNSUPPORTED,
            "needs an oblivious routing: under `least` the way of");
    refused("fattree:n=8", "first", BOUGH_UNSUPPORTED, "depends on what else is sent");
    refused("bft:n=16", "first", BOUGH_UNSUPPORTED, "use random, hash, dmodk");
    refused("fattree:n=2^17", "dmodk", BOUGH_TOO_LARGE, "at most 65536");
    refused("fattree:n=4096", "random", BOUGH_TOO_LARGE, "on all its ways, and fattree:n=4096 has 4096");
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
        bough_adversary_result r = find(routing);
        check_result(routing, &r);
        assert_true(r.load == 2 && !r.expected);
        bough_adversary_fini(&r);
        free_both(routing);
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
        .name = "by_itself", .params = none, .needs = BOUGH_GIVES_ROUTES, .via = via_nothing};
    bough_net *net = net_make("fattree:n=8");
    bough_spec spec;
    bough_routing *routing;
    bough_error error;
    assert_int_equal(bough_spec_parse("by_itself", &spec, &error), BOUGH_OK);
    assert_int_equal(bough_routing_make(net, &kind, &spec, &routing, &error), BOUGH_OK);
    assert_int_equal(bough_adversary_check(routing, "it", &error), BOUGH_UNSUPPORTED);
    assert_non_null(strstr(error.reason, "those of `by_itself` are not"));
    bough_spec_fini(&spec);
    free_both(routing);
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
            free_both(routing);
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
        free_both(routing);
    }
}

/* ---- by hand ---- */

static void one_endpoint_has_nobody_to_hurt(void **state) {
    (void)state;
    static const char *const kinds[] = {"dmodk", "random", "valiant"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        bough_routing *routing = routing_make(net_make("kary:k=1,levels=1"), kinds[i]);
        bough_adversary_result r = find(routing);
        assert_true(r.load == 0 && r.link == BOUGH_NONE && r.pairs == 0 && r.destination[0] == 0);
        bough_adversary_fini(&r);
        free_both(routing);
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
    bough_adversary_result r = find(routing);
    char name[300];
    check_result(routing, &r);
    assert_true(r.load == 3 && r.counted == 3 && r.flows == 3 && r.open == 0);
    assert_non_null(strstr(bough_link_name(routing->net, r.link, name, sizeof name), "S1/4 -> "));
    for (uint32_t e = 0; e < 3; e++) assert_true(r.destination[e] >= 3 && r.destination[e + 3] < 3);
    /* ties go to the smallest link, and the rest is put together in ascending order */
    assert_true(r.destination[3] == 0 && r.destination[4] == 1 && r.destination[5] == 2);
    bough_adversary_fini(&r);
    free_both(routing);
}

/* S1 does not know H3: pairs to it are left out, and named. */
static void tables_that_do_not_reach(void **state) {
    (void)state;
    static const char *const fabric[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 3",  "H2 lid 4",
                                         "H3 lid 5",  "H4 lid 6",  "H1:1 S1:1", "H2:1 S1:2",
                                         "H3:1 S2:1", "H4:1 S2:2", "S1:4 S2:4", NULL};
    static const char *const tables[] = {"S1 3>1 4>2 6>4", "S2 5>1 6>2 3>4 4>4", NULL};
    bough_routing *routing = fabric_routing(fabric, tables);
    bough_adversary_result r = find(routing);
    char name[96];
    check_result(routing, &r);
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
    free_both(routing);
}

/* H3 is on an island. */
static void islands(void **state) {
    (void)state;
    static const char *const fabric[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 3",  "H2 lid 4", "H3 lid 5",
                                         "H1:1 S1:1", "H2:1 S1:2", "H3:1 S2:1", NULL};
    bough_net *net = fabric_net(fabric, NULL);
    bough_routing *random = routing_make(net, "random"), *valiant = routing_make(net, "valiant");
    bough_adversary_result r = find(random);
    check_result(random, &r);
    assert_true(r.load == 1 && r.routed == 2 && r.pairs == 6);
    assert_true(r.failed_source == 0 && r.failed_destination == 2);
    bough_adversary_fini(&r);
    bough_adversary_options o = {.threads = 2};
    bough_error error;
    assert_int_equal(bough_adversary_find(valiant, &o, &r, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "H1 to H3 has none (it ends at"));
    bough_routing_destroy(valiant);
    free_both(random);
}

/* ---- all permutations ---- */

static void check_counted(const bough_routing *routing, const bough_adversary_result *r) {
    uint64_t links = routing->net->links, most = 0, link = BOUGH_NONE;
    uint64_t *counted = calloc(links, sizeof *counted);
    counted_loads(routing, counted);
    for (uint64_t l = 0; l < links; l++)
        if (counted[l] > most) most = counted[l], link = l;
    assert_int_equal(r->counted, most);
    assert_int_equal(r->counted_link, link);
    free(counted);
}

/* The largest load, and the smallest link that has it. */
static void check_against_all(const bough_routing *routing, unsigned threads) {
    uint64_t links = routing->net->links, link = BOUGH_NONE;
    double *worst = calloc(links, sizeof *worst), most = 0;
    worst_loads(routing, worst);
    for (uint64_t l = 0; l < links; l++)
        if (worst[l] > most * (1 + 1e-9)) most = worst[l], link = l;
    bough_adversary_result r = find_with(routing, threads);
    check_result(routing, &r);
    if (fabs(r.load - most) > 1e-9 || r.link != link)
        fail_msg("%s under %s: %.9g on link %" PRIu64 ", not %.9g on %" PRIu64, routing->net->spec,
                 routing->spec, r.load, r.link, most, link);
    if (!r.expected) check_counted(routing, &r);
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
            free_both(routing);
        }
}

static void many_hashes(void **state) {
    (void)state;
    for (unsigned key = 0; key < 40; key++) {
        char spec[32];
        snprintf(spec, sizeof spec, "hash:key=%u", key);
        bough_routing *routing = routing_make(net_make("xgft:down=2x3,up=1x3"), spec);
        check_against_all(routing, 1);
        free_both(routing);
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
        free_both(routing);
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
        bough_adversary_result r = find(routing);
        partial += r.routed < r.pairs;
        bough_adversary_fini(&r);
        free_both(routing);
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
            free_both(routing);
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
        adversary_choice worst[2], counted[2];
        for (int order = 0; order < 2; order++) {
            adversary_pairs pairs = {3, UINT64_MAX, count, pair[order], weights ? share[order] : NULL};
            adversary_room room;
            bough_error error;
            worst[order] = counted[order] = (adversary_choice){.link = BOUGH_NONE};
            assert_int_equal(adversary_room_init(&room, N, &error), BOUGH_OK);
            assert_int_equal(adversary_match_link(&room, &pairs, N, &worst[order], &counted[order], &error),
                             BOUGH_OK);
            adversary_room_fini(&room);
        }
        assert_true(worst[0].load == worst[1].load && worst[0].flows == worst[1].flows);
        assert_memory_equal(worst[0].source, worst[1].source, worst[0].flows * sizeof *worst[0].source);
        assert_memory_equal(worst[0].destination, worst[1].destination,
                            worst[0].flows * sizeof *worst[0].destination);
        assert_true(counted[0].flows == counted[1].flows && (counted[0].link == 3) == !weights);
        for (int order = 0; order < 2; order++) {
            adversary_choice_fini(&worst[order]);
            adversary_choice_fini(&counted[order]);
        }
    }
}

/* The link and load of a plain matching of every link; how many links counting leaves open. */
static void check_against_plain(const bough_routing *routing, const bough_adversary_result *r) {
    uint64_t links = routing->net->links, most = 0, link = BOUGH_NONE;
    uint64_t *matched = calloc(links, sizeof *matched);
    matched_loads(routing, matched);
    for (uint64_t l = 0; l < links; l++)
        if (matched[l] > most) most = matched[l], link = l;
    if (r->load != (double)most || r->link != link)
        fail_msg("%s under %s: %g on %" PRIu64 ", not %" PRIu64 " on %" PRIu64, routing->net->spec,
                 routing->spec, r->load, r->link, most, link);
    free(matched);
}

static void larger_networks(void **state) {
    (void)state;
    static const char *const networks[] = {"fattree:n=32", "xgft:down=5x4x2,up=1x2x3", "kary:k=3,levels=3",
                                           "bft:n=64", "xgft:down=6x5,up=2x3,links=1x2"};
    static const char *const kinds[] = {"dmodk", "smodk", "hash", "hash:key=1", "hash:key=2"};
    for (size_t i = 0; i < COUNT(networks); i++)
        for (size_t k = 0; k < COUNT(kinds); k++) {
            bough_routing *routing = routing_make(net_make(networks[i]), kinds[k]);
            bough_adversary_result r = find(routing);
            check_result(routing, &r);
            check_against_plain(routing, &r);
            check_counted(routing, &r);
            bough_adversary_fini(&r);
            free_both(routing);
        }
}

/* ---- what holds of larger networks ---- */

/* Whatever threads, and however few pairs are held at a time. */
static void threads_and_batches_change_nothing(void **state) {
    (void)state;
    static const struct {
        const char *network, *kind;
    } point[] = {{"xgft:down=4x4x2,up=1x3x2", "dmodk"},
                 {"xgft:down=4x4x2,up=1x3x2", "hash"},
                 {"fattree:n=64", "smodk"},
                 {"xgft:down=3x3x2,up=1x2x3", "random"},
                 {"fattree:n=32", "valiant"}};
    for (size_t i = 0; i < COUNT(point); i++) {
        bough_routing *routing = routing_make(net_make(point[i].network), point[i].kind);
        bough_adversary_result one = find_with(routing, 1);
        check_result(routing, &one);
        uint64_t n = routing->net->endpoints;
        for (unsigned threads = 2; threads <= 64; threads *= 2) {
            bough_adversary_result many = find_with(routing, threads);
            assert_true(many.load == one.load && many.link == one.link && many.counted == one.counted);
            assert_true(many.counted_link == one.counted_link && many.open == one.open);
            assert_memory_equal(many.destination, one.destination, n * sizeof *one.destination);
            if (one.counted_destination)
                assert_memory_equal(many.counted_destination, one.counted_destination,
                                    n * sizeof *one.counted_destination);
            bough_adversary_fini(&many);
        }
        for (uint64_t held = 1; held < (1 << 20) && !one.any; held *= 97) {
            bough_adversary_options o = {0};
            adversary_job job = {routing, &o, 1, one.expected, held, 0};
            adversary_counts counts;
            adversary_choice worst = {.link = BOUGH_NONE}, counted = {.link = BOUGH_NONE};
            bough_error error;
            assert_int_equal(adversary_count(&job, &counts, &error), BOUGH_OK);
            assert_int_equal(adversary_match(&job, &counts, &worst, &counted, &error), BOUGH_OK);
            assert_true(worst.load == one.load && worst.link == one.link && worst.flows == one.flows);
            for (uint64_t f = 0; f < worst.flows; f++)
                assert_int_equal(one.destination[worst.source[f]], worst.destination[f]);
            if (!one.expected) assert_true(counted.link == one.counted_link && counted.flows == one.counted);
            adversary_counts_fini(&counts);
            adversary_choice_fini(&worst);
            adversary_choice_fini(&counted);
        }
        bough_adversary_fini(&one);
        free_both(routing);
    }
}

/* The bound that rules links out is one: for every link at least what the given permutations put there. */
static void counting_bounds_all_loads(void **state) {
    (void)state;
    static const char *const kinds[] = {"dmodk", "hash", "random"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        bough_routing *routing = routing_make(net_make("xgft:down=2x2x2,up=1x2x2"), kinds[i]);
        bough_adversary_options o = {0};
        adversary_job job = {routing, &o, 1, !bough_routing_deterministic(routing), ADVERSARY_HELD, 0};
        adversary_counts counts;
        bough_error error;
        double *worst = calloc(routing->net->links, sizeof *worst);
        worst_loads(routing, worst);
        assert_int_equal(adversary_count(&job, &counts, &error), BOUGH_OK);
        assert_int_equal(counts.routed, 56);
        for (uint64_t l = 0; l < routing->net->links; l++)
            assert_true(counts.bound[l] >= worst[l] - 1e-12 && (counts.pairs[l] > 0) == (worst[l] > 0));
        adversary_counts_fini(&counts);
        free(worst);
        free_both(routing);
    }
}

static void completing_avoids_fixed_points(void **state) {
    (void)state;
    enum { N = 5, NO = -1 };
    static const struct {
        int given[N];
        uint32_t want[N];
    } known[] = {
        {{1, 2, 3, 4, NO}, {1, 2, 3, 4, 0}},    {{NO, NO, NO, NO, NO}, {1, 0, 3, 4, 2}},
        {{NO, 0, NO, 2, NO}, {1, 0, 4, 2, 3}},  {{2, NO, 0, NO, NO}, {2, 3, 0, 4, 1}},
        {{NO, NO, 4, NO, NO}, {1, 0, 4, 2, 3}}, {{3, NO, NO, 0, NO}, {3, 2, 4, 0, 1}},
        {{1, 0, NO, 4, 3}, {1, 0, 2, 4, 3}}, /* nobody is left to change with */
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        uint32_t d[N];
        bough_error error;
        for (int e = 0; e < N; e++)
            d[e] = known[i].given[e] < 0 ? MATCHING_NONE : (uint32_t)known[i].given[e];
        assert_int_equal(adversary_complete(d, N, &error), BOUGH_OK);
        for (int e = 0; e < N; e++)
            if (d[e] != known[i].want[e])
                fail_msg("case %zu: %d to %u, not %u", i, e, d[e], known[i].want[e]);
    }
}

/* ---- Theorem 1 ---- */

static void bound_by_hand(void **state) {
    (void)state;
    assert_int_equal(bough_adversary_bound(0, 1, 1), 0);
    assert_int_equal(bough_adversary_bound(1, 4, 0), 0);
    assert_int_equal(bough_adversary_bound(2, 1, 2), 1);
    /* k = 4: ceil(1024 / 49) - 1 = 20 links or more for each of 1024 destinations, shared by 6144 links: 4 */
    assert_int_equal(bough_adversary_bound(1024, 16, 6144), 4);
    /* a ring: k = 10: ceil(440 / 19) - 1 = 23, half of it is 12; k = 11: ceil(440 / 21) - 1 = 20, half is 10
     */
    assert_int_equal(bough_adversary_bound(440, 2, 880), 10);
    for (unsigned d = 2; d <= 40; d++) {
        double n = ldexp(1, (int)d);
        uint64_t bound = bough_adversary_bound(UINT64_C(1) << d, d, (uint64_t)d << d);
        assert_true((double)bound >= floor(sqrt(n) / d) && (double)bound >= sqrt(n / d / d / d));
        assert_true(bound <= UINT64_C(1) << (d - 1) / 2); /* what bit fixing comes to */
    }
}

/* ---- the hypercube ---- */

/* A link that fixes bit k is used by 2^k sources for 2^(d-1-k) destinations, all with all. */
static void cubes(void **state) {
    (void)state;
    for (unsigned d = 2; d <= 9; d++) {
        bough_net *net;
        bough_error error;
        assert_int_equal(cube_create(d, &net, &error), BOUGH_OK);
        bough_routing *routing = routing_make(net, "random"), *valiant = routing_make(net, "valiant");
        bough_adversary_result r = find_with(routing, 2), v = find_with(valiant, 2);
        assert_true(r.load == ldexp(1, (int)(d - 1) / 2));
        assert_true((double)r.counted == r.load && r.open == 0);
        check_result(routing, &r);
        near(v.load, 1); /* 1/2 on average over each phase, on every link alike */
        assert_true(v.any && v.link == 0);
        static const char *const traffic[] = {"transpose", "bitrev"};
        bough_point point = {net, routing, NULL};
        bough_rows own = rows_of(&point, "adversary");
        for (int t = 0; t < 2; t++) {
            bough_traffic *pattern;
            assert_int_equal(bough_traffic_create(net, traffic[t], &pattern, &error), BOUGH_OK);
            bough_point with = {net, routing, pattern};
            bough_rows rows = rows_of(&with, "linkload");
            double load = row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX);
            assert_true(load == (double)bough_bitfix_load(d) && load <= r.load);
            assert_near(row_value(&own, t ? BOUGH_METRIC_LOAD_BITREV : BOUGH_METRIC_LOAD_TRANSPOSE, NO_INDEX),
                        load, 0);
            bough_rows_fini(&rows);
            bough_traffic_destroy(pattern);
        }
        bough_rows_fini(&own);
        bough_adversary_fini(&r);
        bough_adversary_fini(&v);
        bough_routing_destroy(valiant);
        free_both(routing);
    }
    assert_int_equal(bough_bitfix_load(0), 0);
    assert_int_equal(bough_bitfix_load(1), 0);
}

/* ---- the method ---- */

static void method_refuses(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", "least", NULL);
    run_refused(&point, "adversary", BOUGH_UNSUPPORTED, "adversary needs an oblivious routing");
    point_free(&point);
    point = point_make("fattree:n=8", "dmodk", NULL);
    run_refused(&point, "adversary:ot=x.csv", BOUGH_INVALID, "did you mean 'out'");
    run_refused(&point, "adversary:out=nowhere/x.csv", BOUGH_INVALID, "nowhere/x.csv");
    run_refused(&point, "adversary:out=.", BOUGH_INVALID, "directory");
    run_refused(&point, "adversary:out=\"\"", BOUGH_INVALID, "");
    point_free(&point);
}

static void rows_say_it_all(void **state) {
    (void)state;
    bough_point point = point_make("xgft:down=4x4,up=1x2", "dmodk", NULL);
    bough_run *run = run_make(&point, "adversary");
    assert_true(bough_run_exact(run) && run->bytes > 0);
    bough_rows rows = run_once(run, 0);
    bough_adversary_result r = find(point.routing);
    char link[300];
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX), r.load, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_WORST_LINK, (int64_t)r.link), r.load, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LOAD_COUNTED, NO_INDEX), (double)r.counted, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LOAD_BOUND, NO_INDEX), (double)r.bound, 0);
    assert_false(row_given(&rows, BOUGH_METRIC_LOAD_TRANSPOSE, NO_INDEX));
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    assert_non_null(strstr(rows.note, bough_link_name(point.net, r.link, link, sizeof link)));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    bough_adversary_fini(&r);
    point_free(&point);
    point = point_make("fattree:n=16", "valiant", NULL);
    run = run_make(&point, "adversary");
    assert_true(bough_run_exact(run)); /* the mean over all intermediate nodes */
    rows = run_once(run, 0);
    assert_non_null(strstr(rows.note, "every permutation without fixed points"));
    assert_false(row_given(&rows, BOUGH_METRIC_LOAD_COUNTED, NO_INDEX));
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
}

static char *writing(const char *path) {
    bough_text spec = {0};
    bough_text_put(&spec, "adversary:out=");
    bough_text_put_quoted(&spec, path);
    return bough_text_take(&spec);
}

/* The permutation, written, read and sent, comes to the load that was told. */
static void check_round_trip(const bough_net *net, const bough_routing *routing) {
    const char *path = temporary_name("worst.csv");
    char *method = writing(path), *spec = spec_of("messages", path);
    bough_point point = {net, routing, NULL};
    bough_rows said = rows_of(&point, method);
    bough_traffic *traffic;
    bough_error error;
    if (bough_traffic_create(net, spec, &traffic, &error)) fail_msg("%s: %s", error.place, error.reason);
    bough_point with = {net, routing, traffic};
    bough_rows have = rows_of(&with, "linkload:path=generic");
    near(row_value(&have, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX),
         row_value(&said, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX));
    bough_rows_fini(&said);
    bough_rows_fini(&have);
    bough_traffic_destroy(traffic);
    free(method);
    free(spec);
}

static void permutations_come_back(void **state) {
    (void)state;
    static const struct {
        const char *network, *kind;
    } known[] = {{"fattree:n=64", "dmodk"},
                 {"fattree:n=64", "smodk"},
                 {"xgft:down=4x4x2,up=1x3x2", "hash"},
                 {"xgft:down=4x4x2,up=1x3x2", "hash:key=5"},
                 {"xgft:down=4x4,up=1x1", "random"},
                 {"xgft:down=3x3x2,up=1x2x3", "random"}};
    for (size_t i = 0; i < COUNT(known); i++) {
        bough_routing *routing = routing_make(net_make(known[i].network), known[i].kind);
        check_round_trip(routing->net, routing);
        free_both(routing);
    }
}

static void a_rehearsal_writes_nothing(void **state) {
    (void)state;
    const char *path = temporary_name("rehearsed.csv");
    char *method = writing(path);
    bough_point point = point_make("fattree:n=8", "dmodk", NULL);
    bough_run *run = run_make(&point, method);
    run->rehearsal = true;
    bough_rows rows = run_once(run, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    run->rehearsal = false;
    bough_rows_fini(&rows);
    rows = run_once(run, 0);
    assert_int_equal(access(path, F_OK), 0);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
    free(method);
}

/* ---- real fabrics ---- */

static void real_fabrics(void **state) {
    (void)state;
    static const struct {
        const char *fabric, *tables;
        double load;
    } known[] = {
        {"fabrics/avakas.ports", "fabrics/avakas.ibroute.gz", 16},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.ftree.lfts.gz", 7},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.updn.lfts.gz", 16},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-updn.lfts.gz", 8},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.ftree.lfts.gz", 14},
        {"fabrics/plafrim2-a.ports", "fabrics/plafrim2-a.ibroute", 7},
    };
    unsigned seen = 0, opened = 0;
    for (size_t i = 0; i < COUNT(known); i++) {
        char *fabric = data_path(known[i].fabric), *tables = data_path(known[i].tables);
        if (fabric && tables) {
            char *network = spec_of("ibnet", fabric), *spec = spec_of("lft", tables);
            bough_routing *routing = routing_make(net_make(network), spec);
            bough_adversary_result r = find_with(routing, 2);
            if (r.load != known[i].load) fail_msg("%s: %g, not %g", spec, r.load, known[i].load);
            check_result(routing, &r);
            check_round_trip(routing->net, routing);
            if (routing->net->endpoints <= 128) check_against_plain(routing, &r);
            opened += r.open > 0;
            bough_adversary_fini(&r);
            free_both(routing);
            free(network);
            free(spec);
            seen++;
        }
        free(fabric);
        free(tables);
    }
    if (!seen) skip();
    if (seen == COUNT(known)) assert_int_equal(opened, 1); /* a link with more sources than it can serve */
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
        cmocka_unit_test(threads_and_batches_change_nothing),
        cmocka_unit_test(counting_bounds_all_loads),
        cmocka_unit_test(completing_avoids_fixed_points),
        cmocka_unit_test(bound_by_hand),
        cmocka_unit_test(cubes),
        cmocka_unit_test(method_refuses),
        cmocka_unit_test(rows_say_it_all),
        cmocka_unit_test(permutations_come_back),
        cmocka_unit_test(a_rehearsal_writes_nothing),
        cmocka_unit_test(real_fabrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
