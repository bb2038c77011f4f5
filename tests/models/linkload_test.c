/* linkload: what it refuses, loads done by hand, what must add up, and the count by channels against the walk
 * flow by flow. */
#include "network/faults/faults.h"
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

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NO_INDEX BOUGH_NO_ROW_INDEX

static double answer(const bough_point *point, const char *method, bough_metric_id metric) {
    bough_run *run = run_make(point, method);
    bough_rows rows = run_once(run, 0);
    double value = row_value(&rows, metric, NO_INDEX);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    return value;
}

static double answer_of(const char *network, const char *routing, const char *traffic,
                        bough_metric_id metric) {
    bough_point point = point_make(network, routing, traffic);
    double value = answer(&point, "linkload", metric);
    point_free(&point);
    return value;
}

/* ---- bad input ---- */

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", "least", "shift");
    run_refused(&point, "linkload", BOUGH_UNSUPPORTED, "no simulation time");
    point_free(&point);
    point = point_make("fattree:n=8", "first", "shift");
    run_refused(&point, "linkload", BOUGH_UNSUPPORTED, "no link is free or loaded");
    run_refused(&point, "linkload:engine=fast", BOUGH_INVALID, "auto");
    run_refused(&point, "linkload:histogramm=1", BOUGH_INVALID, "did you mean 'histogram'");
    point_free(&point);
    const char *path = temporary_file("late.csv", "time,source,destination\n5,0,1\n", 0);
    char *spec = spec_of("messages", path);
    point = point_make("fattree:n=8", "random", spec);
    run_refused(&point, "linkload", BOUGH_UNSUPPORTED, "linkload"); /* a stream is no batch */
    point_free(&point);
    free(spec);
    point = point_make("fattree:n=8", "random", NULL);
    run_refused(&point, "linkload", BOUGH_UNSUPPORTED, "needs traffic");
    point_free(&point);
}

/* ---- by hand ---- */

static void known_maxima(void **state) {
    (void)state;
    static const struct {
        const char *network, *routing, *traffic;
        double max, factor;
    } known[] = {
        /* every message crosses the root: 1 up and 1 down a link at each level, over capacity 1 */
        {"fattree:n=16", "random", "bitcomp", 1, 2},
        {"fattree:n=16", "dmodk", "shift:k=3", 1, 2},
        {"fattree:n=16", "random", "neighbor", 1, 2},
        {"fattree:n=16", "random", "alltoall", 15, 30},
        {"fattree:n=16", "dmodk", "incast:m=15", 15, 15},
        {"xgft:down=4x4,up=1x2", "random", "shift:k=4", 2, 4}, /* tapered 2:1 */
        {"xgft:down=4x4,up=1x2", "dmodk", "shift:k=4", 2, 4},
        {"xgft:down=4x4,up=1x1,links=1x4", "dmodk", "shift:k=4", 1, 2}, /* parallel links instead of spines */
        {"kary:k=4,levels=1", "random", "shift:k=1", 1, 2},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        double max =
            answer_of(known[i].network, known[i].routing, known[i].traffic, BOUGH_METRIC_LINK_LOAD_MAX);
        double factor =
            answer_of(known[i].network, known[i].routing, known[i].traffic, BOUGH_METRIC_LOAD_FACTOR);
        if (fabs(max - known[i].max) > 1e-12 || fabs(factor - known[i].factor) > 1e-12)
            fail_msg("%s %s %s: %g, %g", known[i].network, known[i].routing, known[i].traffic, max, factor);
    }
}

/* kary:k=2,levels=2: 0 and 1 at one switch, 2 and 3 at the other; up and down links 8 between switches, 8 of
 * endpoints. Messages 0 -> 2 and 1 -> 0: two own links up (0, 1), two down (2, 0), and 4 links between that
 * carry 1/2 each. */
static void every_row_by_hand(void **state) {
    (void)state;
    static const char *const methods[] = {"linkload:histogram=1,levels=1",
                                          "linkload:histogram=1,levels=1,engine=generic"};
    char *traffic = spec_of("messages", temporary_file("two.csv", "source,destination\n0,2\n1,0\n", 0));
    bough_point point = point_make("kary:k=2,levels=2", "random", traffic);
    for (size_t i = 0; i < COUNT(methods); i++) {
        bough_run *run = run_make(&point, methods[i]);
        assert_true(bough_run_exact(run));
        bough_rows rows = run_once(run, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX), 1, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MEAN, NO_INDEX), (4 + 4 * 0.5) / 8, 1e-12);
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_UNUSED, NO_INDEX), 8, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, NO_INDEX), 2,
                    0); /* endpoint 0: one up, one down */
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_LEVEL, 0), 1, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_LEVEL, 1), 0.5, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_COUNT, 0), 8, 0);
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_COUNT, 1), 8, 0); /* 1/2 counts as 1 */
        assert_false(row_given(&rows, BOUGH_METRIC_LINK_LOAD_COUNT, 2));
        assert_false(row_given(&rows, BOUGH_METRIC_LINK_LOAD_LEVEL, 2));
        assert_false(row_given(&rows, BOUGH_METRIC_UNROUTED, NO_INDEX));
        assert_false(row_given(&rows, BOUGH_METRIC_LINK_TIME_MAX, NO_INDEX));
        assert_int_equal(rows.outcome, BOUGH_RUN_OK);
        bough_rows_fini(&rows);
        bough_run_destroy(run);
    }
    point_free(&point);
    free(traffic);
}

static void no_messages_load_nothing(void **state) {
    (void)state;
    char *traffic = spec_of("messages", temporary_file("none.csv", "# nobody\nsource,destination\n3,3\n", 0));
    bough_point point = point_make("fattree:n=8", "random", traffic);
    assert_near(answer(&point, "linkload", BOUGH_METRIC_LINK_LOAD_MAX), 0, 0);
    assert_near(answer(&point, "linkload", BOUGH_METRIC_LINK_LOAD_MEAN), 0, 0);
    assert_near(answer(&point, "linkload:engine=generic", BOUGH_METRIC_LINK_LOAD_UNUSED), 48, 0);
    point_free(&point);
    free(traffic);
}

/* Two hosts on SDR and one on QDR under one switch. */
static void rates_give_times(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",        "H1 lid 2",        "H2 lid 3",  "H3 lid 4",
                                        "H1:1 S1:1 4xSDR", "H2:1 S1:2 4xSDR", "H3:1 S1:3", NULL};
    bough_net *net = fabric_net(lines, NULL);
    bough_routing *routing = routing_make(net, "random");
    static const struct {
        const char *csv;
        double time;
    } known[] = {
        {"source,destination\n0,1\n", 1 / 8e9},
        {"source,destination\n2,1\n2,0\n", 1 / 8e9}, /* 2 flows at 32 Gb/s are faster than one at 8 */
        {"source,destination\n0,2\n1,2\n", 1 / 8e9},
        {"source,destination\n1,0\n2,0\n", 2 / 8e9}};
    for (size_t i = 0; i < COUNT(known); i++) {
        char *spec = spec_of("messages", temporary_file("rates.csv", known[i].csv, 0));
        bough_traffic *traffic;
        bough_error error;
        assert_int_equal(bough_traffic_create(net, spec, &traffic, &error), BOUGH_OK);
        bough_point point = {net, routing, traffic};
        assert_near(answer(&point, "linkload", BOUGH_METRIC_LINK_TIME_MAX), known[i].time, 1e-18);
        bough_traffic_destroy(traffic);
        free(spec);
    }
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* S1's table lacks LID 4: two of six messages cannot go further. */
static void what_has_no_route_loads_the_links_that_it_reaches(void **state) {
    (void)state;
    static const char *const lines[] = {"S1 lid 1",  "H1 lid 2",  "H2 lid 3",  "H3 lid 4",
                                        "H1:1 S1:1", "H2:1 S1:2", "H3:1 S1:3", NULL};
    static const char *const tables[] = {"S1 2>1 3>2", NULL};
    bough_routing *routing = fabric_routing(lines, tables);
    bough_traffic *traffic;
    bough_error error;
    assert_int_equal(bough_traffic_create(routing->net, "alltoall", &traffic, &error), BOUGH_OK);
    bough_point point = {routing->net, routing, traffic};
    bough_run *run = run_make(&point, "linkload");
    bough_rows rows = run_once(run, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_UNROUTED, NO_INDEX), 2, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX), 2, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MEAN, NO_INDEX), 2, 1e-12);
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_UNUSED, NO_INDEX), 1, 0); /* the one to H3 */
    assert_int_equal(rows.outcome, BOUGH_RUN_PARTIAL);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_net *net = (bough_net *)routing->net;
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* ---- agreement ---- */

/* All rows of one trial but those that only one way can give. */
static void same_rows(const bough_rows *a, const bough_rows *b, const char *what) {
    if (a->count != b->count) fail_msg("%s: %zu rows and %zu", what, a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const bough_row *x = &a->row[i], *y = &b->row[i];
        if (x->metric != y->metric || x->index != y->index ||
            fabs(x->value - y->value) > 1e-9 * (1 + fabs(x->value)))
            fail_msg("%s: %s %" PRId64 " = %.12g, %s %" PRId64 " = %.12g", what,
                     bough_metrics[x->metric].name, x->index, x->value, bough_metrics[y->metric].name,
                     y->index, y->value);
    }
}

static void counting_channels_agrees_with_following_flows(void **state) {
    (void)state;
    static const char *const nets[] = {"fattree:n=32",
                                       "xgft:down=4x4,up=1x2,links=1x3",
                                       "xgft:down=2x4x2,up=1x2x3",
                                       "kary:k=2,levels=4",
                                       "xgft:down=4x3x2,up=1x2x2,hosts=17",
                                       "kary:k=4,levels=2",
                                       "bft:n=64",
                                       "clos:radix=8,hosts=64,taper=3",
                                       "clos:radix=4,hosts=16",
                                       "xgft:down=4x4,up=2x3"};
    static const char *const traffics[] = {"uniform", "shift:k=5", "transpose",  "bitrev",   "bitcomp",
                                           "shuffle", "tornado",   "neighbor",   "randperm", "hotspot",
                                           "incast",  "alltoall",  "uniform:m=3"};
    size_t compared = 0;
    for (size_t n = 0; n < COUNT(nets); n++)
        for (size_t t = 0; t < COUNT(traffics); t++) {
            bough_net *net = net_make(nets[n]);
            bough_traffic *traffic;
            bough_error error;
            if (bough_traffic_create(net, traffics[t], &traffic,
                                     &error)) { /* bit patterns want powers of two */
                bough_net_destroy(net);
                continue;
            }
            bough_routing *routing = routing_make(net, "random");
            bough_point point = {net, routing, traffic};
            bough_run *fast = run_make(&point, "linkload:histogram=1,levels=1");
            bough_run *generic = run_make(&point, "linkload:histogram=1,levels=1,engine=generic");
            if (net->capabilities & BOUGH_HAS_EVEN) assert_true(fast->bytes < generic->bytes);
            for (uint64_t trial = 0; trial < 3; trial++) {
                bough_rows a = run_once(fast, trial), b = run_once(generic, trial);
                char what[160];
                snprintf(what, sizeof what, "%s %s", nets[n], traffics[t]);
                same_rows(&a, &b, what);
                compared++;
                bough_rows_fini(&a);
                bough_rows_fini(&b);
            }
            bough_run_destroy(fast);
            bough_run_destroy(generic);
            bough_traffic_destroy(traffic);
            bough_routing_destroy(routing);
            bough_net_destroy(net);
        }
    assert_true(compared > 200);
}

/* All pairs are not listed where routes do not depend on the source: by residues under dmodk on full trees,
 * by one tree for each address elsewhere. */
static void all_pairs_agree_with_their_messages(void **state) {
    (void)state;
    static const char *const nets[] = {"fattree:n=32",
                                       "kary:k=3,levels=3",
                                       "xgft:down=4x6x3,up=2x3x2,links=1x2x3",
                                       "xgft:down=3x5x2,up=2x2x7",
                                       "xgft:down=1x4,up=1x2",
                                       "clos:radix=8,hosts=100",
                                       "bft:n=64",
                                       "cube:n=16",
                                       "transit:n=64"};
    static const char *const routings[] = {"dmodk", "updn", "minhop"};
    for (size_t n = 0; n < COUNT(nets); n++)
        for (size_t r = 0; r < COUNT(routings); r++) {
            bough_net *net = net_make(nets[n]), *broken;
            bough_error error;
            if (r == 0 && !(net->capabilities & BOUGH_HAS_MODK)) {
                bough_net_destroy(net);
                continue;
            }
            assert_int_equal(bough_net_with_faults(net, "cables:count=2,key=3", &broken, &error), BOUGH_OK);
            for (int faulty = 0; faulty < 2; faulty++) {
                bough_net *on = faulty ? broken : net;
                bough_point point = {on, routing_make(on, routings[r]), traffic_make(on, "alltoall")};
                bough_run *fast = run_make(&point, "linkload:histogram=1,levels=1");
                bough_run *listed = run_make(&point, "linkload:histogram=1,levels=1,engine=generic");
                bough_rows a = run_once(fast, 0), b = run_once(listed, 0);
                assert_true(fast->bytes < listed->bytes || net->endpoints < 32);
                same_rows(&a, &b, nets[n]);
                bough_rows_fini(&a);
                bough_rows_fini(&b);
                bough_run_destroy(fast);
                bough_run_destroy(listed);
                bough_traffic_destroy((bough_traffic *)point.traffic);
                bough_routing_destroy((bough_routing *)point.routing);
            }
            bough_net_destroy(broken);
            bough_net_destroy(net);
        }
}

static bough_rows rows_on(const bough_point *point, const char *method, unsigned threads) {
    bough_run *run = run_make(point, method);
    run->threads = threads;
    bough_rows rows = run_once(run, 0);
    bough_run_destroy(run);
    return rows;
}

static void threads_do_not_matter(void **state) {
    (void)state;
    static const char *const points[][3] = {
        {"kary:k=4,levels=5", "dmodk", "alltoall"},        {"clos:radix=16,hosts=500", "updn", "alltoall"},
        {"xgft:down=24x24,up=1x12", "minhop", "alltoall"}, {"kary:k=4,levels=6", "dmodk", "uniform"},
        {"fattree:n=2048", "hash:key=3", "hrelation"},     {"cube:n=4096", "valiant", "randperm"},
        {"kary:k=3,levels=7", "random", "randperm"}, /* loads are fractions */
    };
    static const char *const methods[] = {"linkload:histogram=1,levels=1", "linkload:engine=generic"};
    static const unsigned threads[] = {2, 3, 4, 7};
    for (size_t i = 0; i < COUNT(points); i++) {
        bough_point point = point_make(points[i][0], points[i][1], points[i][2]);
        for (size_t m = 0; m < COUNT(methods); m++) {
            bough_rows one = rows_on(&point, methods[m], 1);
            for (unsigned t = 0; t < COUNT(threads); t++) {
                bough_rows more = rows_on(&point, methods[m], threads[t]);
                assert_int_equal(one.count, more.count);
                for (size_t k = 0; k < one.count; k++) /* to the last bit */
                    assert_memory_equal(&one.row[k].value, &more.row[k].value, sizeof one.row[k].value);
                bough_rows_fini(&more);
            }
            bough_rows_fini(&one);
        }
        point_free(&point);
    }
}

/* Methods that need no list of the messages take it. */
static void too_many_pairs_are_not_listed(void **state) {
    (void)state;
    bough_net *net = net_make("fattree:n=131072");
    bough_traffic *t = traffic_make(net, "alltoall");
    bough_source *source;
    bough_error error;
    assert_true(t->all_pairs && t->messages == UINT64_C(131072) * 131071);
    assert_int_equal(bough_traffic_open(t, bough_key_make(1, 0), NULL, &source, &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "2^32 messages"));
    bough_traffic_destroy(t);
    bough_net_destroy(net);
}

/* Every link has as many flows up as its subtree sends out over it, shared equally: 4^9 endpoints, 7e10
 * pairs. */
static void all_pairs_of_a_large_tree(void **state) {
    (void)state;
    bough_point point = point_make("kary:k=4,levels=9", "dmodk", "alltoall");
    bough_run *run = run_make(&point, "linkload:levels=1");
    bough_rows rows = run_once(run, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX), 262143, 0);
    for (int l = 0; l < 9; l++) /* 4^l endpoints and 4^l links, 4^9 - 4^l addresses outside */
        assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_LEVEL, l), 262144 - (double)(1 << 2 * l), 0);
    trial_refused(&point, "linkload:engine=generic", BOUGH_TOO_LARGE, "more than 2^32 messages");
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
}

/* Flows are neither lost nor made: the loads add up to the lengths of the paths. */
static void loads_add_up_to_path_lengths(void **state) {
    (void)state;
    static const char *const routings[] = {"random", "hash:key=5", "dmodk", "smodk"};
    for (size_t r = 0; r < COUNT(routings); r++) {
        bough_point point = point_make("xgft:down=3x4x2,up=1x2x2,links=1x1x2", routings[r], "alltoall");
        bough_run *run = run_make(&point, "linkload:engine=generic");
        bough_rows rows = run_once(run, 0);
        double used = (double)point.net->links - row_value(&rows, BOUGH_METRIC_LINK_LOAD_UNUSED, NO_INDEX);
        double sum = used * row_value(&rows, BOUGH_METRIC_LINK_LOAD_MEAN, NO_INDEX);
        assert_near(sum, 24 * (2 * 2 + 9 * 4 + 12 * 6),
                    1e-6); /* 2 at the own leaf, 9 at the next, 12 over the root */
        bough_rows_fini(&rows);
        bough_run_destroy(run);
        point_free(&point);
    }
}

/* A pattern and the same messages from a file load the same links. */
static void messages_from_a_file_are_the_pattern(void **state) {
    (void)state;
    static const char *const patterns[] = {"bitrev", "uniform:m=40", "alltoall", "tornado"};
    for (size_t i = 0; i < COUNT(patterns); i++) {
        bough_point point = point_make("fattree:n=64", "hash:key=2", patterns[i]);
        bough_batch batch;
        bough_error error;
        assert_int_equal(bough_batch_read(point.traffic, bough_key_make(1, 0), &batch, &error), BOUGH_OK);
        char *text = malloc(64 + batch.count * 24);
        size_t length = (size_t)sprintf(text, "source, destination ,size\n");
        for (uint64_t m = 0; m < batch.count; m++)
            length += (size_t)sprintf(text + length, "%" PRIu32 ",%" PRIu32 ",1\n", batch.source[m],
                                      batch.address[m]);
        char *spec = spec_of("messages", temporary_gz("fed.csv.gz", text));
        bough_point fed = point_make("fattree:n=64", "hash:key=2", spec);
        bough_run *a = run_make(&point, "linkload:histogram=1"), *b = run_make(&fed, "linkload:histogram=1");
        bough_rows x = run_once(a, 0), y = run_once(b, 0);
        same_rows(&x, &y, patterns[i]);
        bough_rows_fini(&x);
        bough_rows_fini(&y);
        bough_run_destroy(a);
        bough_run_destroy(b);
        bough_batch_fini(&batch);
        point_free(&point);
        point_free(&fed);
        free(spec);
        free(text);
    }
}

/* On a fabric messages name hosts as bough does, quoted where a name needs it; names and numbers mean the
 * same. */
static void messages_name_the_hosts_of_a_fabric(void **state) {
    (void)state;
    static const char *const lines[] = {
        "S1 lid 1",  "H1 lid 4",      "a\"b,c lid 6", "H3 lid 8", "H1:1 S1:1",
        "H1:2 S1:2", "a\"b,c:1 S1:3", "H3:1 S1:4",    NULL}; /* H1 has LIDs 4 and 5 */
    static const struct {
        const char *text;
        size_t size;
        bool good;
        const char *say;
    } known[] = {
        {"\xef\xbb\xbfsource,destination\nH1:1,H3\nH1:2,H3\n\"a\"\"b,c\" , \"H3\"\n", 0, true, ""},
        {"destination,source\n1,0\n1,2\nH3,H1:2\n", 0, true, ""}, /* hosts have numbers */
        {"source,destination\nH1,H3\nH1:1,H3\n2,1\n", 0, true, ""},
        {"source,destination\nH2,H3\n", 0, false, "source 'H2' is not the number or name of an endpoint"},
        {"source,destination\nH1:1,3\n", 0, false, "there are 3 hosts, counted from 0"},
        {"source,destination,source\n", 0, false, "column source is given twice"},
        {"source,destination\n\"H3,H1:1\n", 0, false, "missing closing quote"},
        {"source,destination\n\"H3\"x,H1:1\n", 0, false, "expected a comma"},
        {"source,destination\nH3,H1:1\0\n", 27, false, "NUL byte"},
    };
    bough_net *net = fabric_net(lines, NULL);
    bough_routing *routing = routing_make(net, "random");
    for (size_t i = 0; i < COUNT(known); i++) {
        char *spec = spec_of("messages", temporary_file("named.csv", known[i].text, known[i].size));
        bough_traffic *traffic;
        bough_error error = {0};
        bough_status status = bough_traffic_create(net, spec, &traffic, &error);
        assert_int_equal(status, known[i].good ? BOUGH_OK : BOUGH_INVALID);
        if (known[i].good) {
            bough_point point = {net, routing, traffic};
            assert_near(answer(&point, "linkload", BOUGH_METRIC_LINK_LOAD_MAX), 3, 0); /* all to H3 */
            bough_traffic_destroy(traffic);
        } else if (!strstr(error.reason, known[i].say)) {
            fail_msg("'%s' does not say '%s'", error.reason, known[i].say);
        }
        free(spec);
    }
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* The fullest link of all-to-all, and of each shift, as the check knows them of the example. */
static void tables_load_what_the_check_says(void **state) {
    (void)state;
    char *path = data_path("example:cluster.ibnetdiscover"),
         *tables = data_path("example:cluster.ftree.lfts.gz");
    char *spec = spec_of("ibnet", path), *lft = spec_of("lft", tables), network[512];
    snprintf(network, sizeof network, "%s,order=name", spec);
    double sum = 0, max = 0;
    assert_near(answer_of(network, lft, "alltoall", BOUGH_METRIC_LINK_LOAD_MAX), 252, 0);
    for (int k = 1; k < 95; k++) {
        char traffic[32];
        snprintf(traffic, sizeof traffic, "shift:k=%d", k);
        double load = answer_of(network, lft, traffic, BOUGH_METRIC_LINK_LOAD_MAX);
        sum += load;
        if (load > max) max = load;
    }
    assert_near(max, 4, 0);
    assert_near(sum / 94, 2.7553, 5e-5);
    free(path);
    free(tables);
    free(spec);
    free(lft);
}

/* Two phases: every message is on two paths, whatever it meets. */
static void valiant_loads_both_phases(void **state) {
    (void)state;
    bough_point point = point_make("kary:k=4,levels=2", "valiant", "shift:k=4");
    bough_run *run = run_make(&point, "linkload");
    double least = 1e9, most = 0;
    for (uint64_t trial = 0; trial < 20; trial++) {
        bough_rows rows = run_once(run, trial);
        double used = (double)point.net->links - row_value(&rows, BOUGH_METRIC_LINK_LOAD_UNUSED, NO_INDEX);
        double sum = used * row_value(&rows, BOUGH_METRIC_LINK_LOAD_MEAN, NO_INDEX);
        if (sum < least) least = sum;
        if (sum > most) most = sum;
        bough_rows_fini(&rows);
    }
    assert_true(least >= 16 * 4 && most <= 16 * 8 && most > 16 * 5.5 && least < most);
    bough_run_destroy(run);
    point_free(&point);
}

/* A million endpoints by channels: D-mod-K's promise holds in expectation for the random pick. */
static void a_million_endpoints(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=2^20", "random", "shift:k=123457");
    bough_run *run = run_make(&point, "linkload");
    bough_rows rows = run_once(run, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, NO_INDEX), 1, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, NO_INDEX), 2, 0);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
}

static void it_can_be_stopped(void **state) {
    (void)state;
    static const char *const routings[] = {"random", "dmodk"}; /* by channels, and flow by flow */
    for (int i = 0; i < 2; i++) {
        bough_point point = point_make("kary:k=4,levels=3", routings[i], "alltoall");
        bough_run *run = run_make(&point, "linkload");
        atomic_bool stop = true;
        bough_rows rows = {0};
        void *workspace = NULL;
        run->stop = &stop;
        assert_int_equal(bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, NULL),
                         BOUGH_INTERRUPTED);
        bough_run_free_workspace(run, workspace);
        bough_rows_fini(&rows);
        bough_run_destroy(run);
        point_free(&point);
    }
}

/* Three messages to leaf 3 of four: 3 down its channel of 2 edges; 2 of them up from the other half, on 2. */
static void load_factors_of_one_direction(void **state) {
    (void)state;
    char *spec = spec_of("messages", temporary_file("three.csv", "source,destination\n0,3\n1,3\n2,3\n", 0));
    bough_point point = point_make("pruned:n=4", "random", spec);
    bough_rows rows = rows_of(&point, "linkload");
    assert_near(row_value(&rows, BOUGH_METRIC_LOAD_FACTOR, BOUGH_NO_ROW_INDEX), 1.5, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LAMBDA_A, BOUGH_NO_ROW_INDEX), 1, 0);
    assert_near(row_value(&rows, BOUGH_METRIC_LAMBDA_D, BOUGH_NO_ROW_INDEX), 1.5, 0);
    bough_rows_fini(&rows);
    point_free(&point);
    free(spec);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_factors_of_one_direction),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(known_maxima),
        cmocka_unit_test(every_row_by_hand),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(no_messages_load_nothing),
        cmocka_unit_test(rates_give_times),
        cmocka_unit_test(what_has_no_route_loads_the_links_that_it_reaches),
        cmocka_unit_test(counting_channels_agrees_with_following_flows),
        cmocka_unit_test(all_pairs_agree_with_their_messages),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(too_many_pairs_are_not_listed),
        cmocka_unit_test(all_pairs_of_a_large_tree),
        cmocka_unit_test(loads_add_up_to_path_lengths),
        cmocka_unit_test(messages_from_a_file_are_the_pattern),
        cmocka_unit_test(messages_name_the_hosts_of_a_fabric),
        cmocka_unit_test(tables_load_what_the_check_says),
        cmocka_unit_test(valiant_loads_both_phases),
        cmocka_unit_test(a_million_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
