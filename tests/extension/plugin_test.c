/* Plug-ins: those that are refused, those that do wrong things, and the examples against what the library has
 * itself. */
#include "bough-ext.h"
#include "bough.h"
#include "method/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_registry *registry;

static bough_status load(const char *name, bough_error *error) {
    char path[512];
    snprintf(path, sizeof path, PLUGINS "/%s.so", name);
    return bough_registry_load(registry, path, error);
}

static int set_up(void **state) {
    (void)state;
    static const char *const names[] = {"groups", "spread", "opposite", "paths", "wrong"};
    bough_error e;
    if (bough_registry_create(&registry, &e)) return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (load(names[i], &e)) return print_error("%s: %s\n", e.place, e.reason), -1;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    bough_registry_destroy(registry);
    return 0;
}

static void expect(bough_status status, bough_status wanted, const bough_error *error, const char *part) {
    char line[1024];
    snprintf(line, sizeof line, "%s: %s", error->place, error->reason);
    if (status != wanted) fail_msg("status %d, not %d: %s", (int)status, (int)wanted, line);
    if (part && !strstr(line, part)) fail_msg("'%s' is not in: %s", part, line);
}

/* ---- refused ---- */

static void wrong_files(void **state) {
    (void)state;
    bough_error e;
    expect(bough_registry_load(registry, "no_such_file.so", &e), BOUGH_INVALID, &e, "no_such_file.so");
    expect(bough_registry_load(registry, SOURCE_DIR "/README.md", &e), BOUGH_INVALID, &e, "cannot be loaded");
    expect(load("no_entry", &e), BOUGH_INVALID, &e, "is not a plug-in: it does not define BOUGH_PLUGIN");
    expect(load("other_version", &e), BOUGH_INVALID, &e,
           "for version 2 of bough-ext.h; this library has version 1");
    expect(load("no_reason", &e), BOUGH_IO, &e, "plug-in: its code failed");
    expect(load("opposite", &e), BOUGH_INVALID, &e, "the name 'opposite' is in use");
    expect(bough_registry_load(NULL, "x", &e), BOUGH_INVALID, &e, "registry is NULL");
    expect(bough_registry_load(registry, NULL, &e), BOUGH_INVALID, &e, "path is NULL");
}

static uint64_t nowhere(const void *state, uint64_t endpoints, uint64_t source, uint64_t word) {
    (void)state, (void)endpoints, (void)word;
    return source;
}

static void wrong_descriptors(void **state) {
    (void)state;
    const bough_ext_host *host = bough_extensions();
    bough_error e;
    bough_ext_pattern p = {.size = sizeof p, .name = "Odd name", .summary = "", .destination = nowhere};
    expect(host->add_pattern(registry, &p, &e), BOUGH_INVALID, &e, "'Odd name' is not of the form");
    p.name = "uniform";
    expect(host->add_pattern(registry, &p, &e), BOUGH_INVALID, &e, "'uniform' is in use");
    p.name = "circuit";
    expect(host->add_pattern(registry, &p, &e), BOUGH_INVALID, &e, "'circuit' is in use");
    p.name = "fine";
    p.size = 8;
    expect(host->add_pattern(registry, &p, &e), BOUGH_INVALID, &e, "must be sizeof(bough_ext_pattern)");
    p.size = sizeof p;
    p.destination = NULL;
    expect(host->add_pattern(registry, &p, &e), BOUGH_INVALID, &e, "needs destination");
    const bough_ext_param choice[] = {{"c", "", BOUGH_EXT_CHOICE, "a", 0, 0, NULL}, {NULL}};
    p.destination = nowhere;
    p.params = choice;
    expect(host->add_pattern(registry, &p, &e), BOUGH_INVALID, &e, "parameter c has no choices");
    static const char *const keys[] = {"k", "", "a\nb", "a=b", "k\x1b[31m"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const bough_ext_param twice[] = {
            {"k", "", BOUGH_EXT_INT, "1", 0, 9, NULL}, {keys[i], "", BOUGH_EXT_INT, "1", 0, 9, NULL}, {NULL}};
        p.params = twice;
        expect(host->add_pattern(registry, &p, &e), BOUGH_INVALID, &e, "the key of parameter 2");
    }
    const bough_ext_routing r = {.size = sizeof r, .name = "r", .summary = ""};
    expect(host->add_routing(registry, &r, &e), BOUGH_INVALID, &e, "exactly one of link, choose and via");
    const bough_ext_method m = {.size = sizeof m, .name = "m", .summary = "", .headline = "fast"};
    expect(host->add_method(registry, &m, &e), BOUGH_INVALID, &e, "headline 'fast' is no metric");
    expect(host->add_method(NULL, &m, &e), BOUGH_INVALID, &e, "registry is NULL");
    expect(host->add_network(registry, NULL, &e), BOUGH_INVALID, &e, "network is NULL");
}

/* ---- what callbacks do ---- */

static void callbacks_that_fail(void **state) {
    (void)state;
    bough_net *net;
    bough_error e;
    expect(bough_net_open("nosizes", registry, &net, &e), BOUGH_INVALID, &e, "cable: is called before sizes");
    expect(bough_net_open("nostatus", registry, &net, &e), BOUGH_FAILED, &e,
           "returned 77, which is no status");
    expect(bough_net_open("three:0", registry, &net, &e), BOUGH_INVALID, &e,
           "cable 1: joins node 0 to itself");
    expect(bough_net_open("three:3", registry, &net, &e), BOUGH_INVALID, &e, "node 3 does not exist");
    expect(bough_net_open("three:2", registry, &net, &e), BOUGH_OK, &e, NULL);
    bough_net_destroy(net);
    expect(bough_net_open("groups:a=1", registry, &net, &e), BOUGH_INVALID, &e, "a=1 is out of range");
    expect(bough_net_open("groups:b=1", registry, &net, &e), BOUGH_INVALID, &e, "'b'");
    expect(bough_net_open("group", registry, &net, &e), BOUGH_INVALID, &e, "did you mean 'groups'");
}

typedef struct question {
    const char *network, *routing, *traffic, *method;
} question;

/* The value of a metric in trial 0; NAN: it has none. */
static bough_status ask(const question *q, const char *metric, double *value, bough_error *e) {
    bough_net *net = NULL;
    bough_routing *routing = NULL;
    bough_traffic *traffic = NULL;
    bough_run *run = NULL;
    bough_rows rows = {0};
    void *workspace = NULL;
    *value = -1;
    bough_status status = bough_net_open(q->network, registry, &net, e);
    if (!status) status = bough_routing_create(net, q->routing, &routing, e);
    if (!status && q->traffic) status = bough_traffic_create(net, q->traffic, &traffic, e);
    const bough_point point = {net, routing, traffic};
    if (!status) status = bough_run_create(q->method, &point, &run, e);
    if (!status) status = bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, e);
    for (size_t i = 0; i < rows.count; i++)
        if (strcmp(bough_metrics[rows.row[i].metric].name, metric) == 0) *value = rows.row[i].value;
    if (run) bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    return status;
}

static double value_of(const question *q, const char *metric) {
    double value;
    bough_error e = {0};
    expect(ask(q, metric, &value, &e), BOUGH_OK, &e, NULL);
    return value;
}

/* A link that does not exist is no route; a destination that does not exist is refused, and so is no number.
 */
static void wrong_results(void **state) {
    (void)state;
    double value;
    bough_error e;
    const question loose = {"fattree:n=16", "loose", "shift", "paths"};
    assert_true(value_of(&loose, "unrouted") == 16);
    expect(ask(&(question){"fattree:n=16", "random", "out", "circuit"}, "rounds", &value, &e), BOUGH_INVALID,
           &e, "endpoint 0 sends to");
    expect(ask(&(question){"fattree:n=16", "random", "out", "linkload"}, "link_load_max", &value, &e),
           BOUGH_INVALID, &e, "which does not exist; there are 16");
    expect(ask(&(question){"fattree:n=16", "random", NULL, "nonumber"}, "rounds", &value, &e), BOUGH_INVALID,
           &e, "gives rounds as a number that is none");
    expect(ask(&(question){"fattree:n=16", "random", "uniform", "nothing"}, "rounds", &value, &e),
           BOUGH_INVALID, &e, "no metric 'nothing'");
    expect(ask(&(question){"fattree:n=16", "random", "uniform", "paths"}, "distance", &value, &e),
           BOUGH_UNSUPPORTED, &e, "paths");
    expect(ask(&(question){"fattree:n=16", "dmodk", "poisson:load=0.1", "paths"}, "distance", &value, &e),
           BOUGH_UNSUPPORTED, &e, "paths");
}

/* 2^32 - 1 stands for no node, so one less is the most. */
static void sizes_of_networks(void **state) {
    (void)state;
    bough_net *net;
    bough_error e;
    static const char *const large[] = {"many:endpoints=4294967294,switches=1",
                                        "many:endpoints=1,switches=4e18",
                                        "many:endpoints=9223372036854775808,switches=9223372036854775808"};
    for (size_t i = 0; i < 3; i++)
        expect(bough_net_open(large[i], registry, &net, &e), BOUGH_TOO_LARGE, &e, "2^32 nodes are the limit");
    expect(bough_net_open("many:endpoints=4294967293,switches=1", registry, &net, &e), BOUGH_INVALID, &e,
           "sizes: is called twice");
}

/* A message of a callback that stops is that of an interrupted run, whichever callback it is. */
static void callbacks_that_stop(void **state) {
    (void)state;
    bough_net *net;
    double value;
    bough_error e;
    expect(bough_net_open("stopped", registry, &net, &e), BOUGH_INTERRUPTED, &e, NULL);
    assert_string_equal(e.reason, "interrupted");
    expect(ask(&(question){"fattree:n=16", "random", "uniform", "stops"}, "rounds", &value, &e),
           BOUGH_INTERRUPTED, &e, NULL);
    assert_string_equal(e.reason, "interrupted");
    assert_string_equal(e.place, "");
}

/* Sources whose probabilities are all 0 send nothing; others must sum up to 1. */
static void probabilities_are_checked(void **state) {
    (void)state;
    double value;
    bough_error e;
    question q = {"fattree:n=16", "dmodk", "nextone:p=1", "linkload"};
    assert_true(value_of(&q, "link_load_max") == 1);
    static const char *const wrong[][2] = {{"nextone:p=0.5", "endpoint 0 sum up to 0.5, not to 1"},
                                           {"nextone:p=1.001", "endpoint 0 sum up to 1.001, not to 1"},
                                           {"nextone:p=2", "endpoint 0 sum up to 2, not to 1"}};
    for (size_t i = 0; i < 3; i++) {
        q.traffic = wrong[i][0];
        expect(ask(&q, "link_load_max", &value, &e), BOUGH_INVALID, &e, wrong[i][1]);
    }
}

/* One metric may stand with several indices, but once with each. */
static void rows_stand_once(void **state) {
    (void)state;
    double value;
    bough_error e;
    question q = {"fattree:n=16", "dmodk", NULL, "tworows:second=8"};
    assert_true(value_of(&q, "rounds") == 3);
    q.method = "tworows";
    expect(ask(&q, "rounds", &value, &e), BOUGH_FAILED, &e,
           "tworows: gives link_load_level twice in a trial");
}

/* ---- the examples ---- */

/* a h + 1 groups of a switches; every switch has a - 1 + h cables to switches. */
static void a_plugin_network(void **state) {
    (void)state;
    static const unsigned shape[][3] = {{4, 2, 2}, {2, 1, 1}, {3, 1, 2}, {5, 3, 1}, {8, 4, 4}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        const unsigned a = shape[i][0], h = shape[i][1], p = shape[i][2], groups = a * h + 1;
        char spec[64];
        bough_net *net;
        bough_error e;
        snprintf(spec, sizeof spec, "groups:a=%u,h=%u,p=%u", a, h, p);
        expect(bough_net_open(spec, registry, &net, &e), BOUGH_OK, &e, NULL);
        assert_int_equal(net->endpoints, groups * a * p);
        assert_int_equal(net->switches, groups * a);
        assert_int_equal(net->cables, groups * a * (a - 1 + h) / 2);
        assert_true(net->hops_max <= 5); /* local, global, local between the cables of the endpoints */
        expect(bough_net_check(net, 100000, &e), BOUGH_OK, &e, NULL);
        bough_net_destroy(net);
    }
}

static void opposite_is_a_shift(void **state) {
    (void)state;
    static const char *const methods[][2] = {{"circuit", "rounds"},
                                             {"worm", "latency"},
                                             {"flow", "completion_time"},
                                             {"linkload", "link_load_mean"}};
    for (size_t i = 0; i < 4; i++) {
        question a = {"fattree:n=64", "dmodk", "opposite", methods[i][0]}, b = a;
        b.traffic = "shift:32";
        assert_true(value_of(&a, methods[i][1]) == value_of(&b, methods[i][1]));
        a.traffic = "opposite:by=5";
        b.traffic = "shift:5";
        assert_true(value_of(&a, methods[i][1]) == value_of(&b, methods[i][1]));
    }
    const question stream = {"kary:k=4,levels=2", "dmodk", "poisson:load=0.1,pattern=opposite", "queueing"};
    question same = stream;
    same.traffic = "poisson:load=0.1,pattern=\"shift:k=8\"";
    assert_true(value_of(&stream, "latency") == value_of(&same, "latency") && value_of(&same, "latency") > 1);
}

/* Without intermediate endpoints `spread` is `random`; always over one it is `valiant`. */
static void spread_between_minimal_and_valiant(void **state) {
    (void)state;
    const char *const network = "kary:k=4,levels=3";
    const question none = {network, "spread:share=0", "shift:16", "packet"},
                   random = {network, "random", "shift:16", "packet"},
                   all = {network, "spread:share=1", "shift:16", "packet"},
                   valiant = {network, "valiant:phase2=async", "shift:16", "packet"};
    assert_true(value_of(&none, "distance") == value_of(&random, "distance"));
    assert_true(value_of(&none, "steps") == value_of(&random, "steps"));
    assert_true(value_of(&all, "steps") > value_of(&random, "steps"));
    assert_true(value_of(&valiant, "steps") > value_of(&random, "steps"));
}

/* From a leaf of four endpoints to the next: two links up, two down. */
static void paths_by_hand(void **state) {
    (void)state;
    const question next = {"xgft:down=4x4,up=1x2", "dmodk", "shift:4", "paths"},
                   within = {"xgft:down=4x4,up=1x2", "dmodk", "shift:1", "paths"};
    assert_true(value_of(&next, "distance") == 4);
    assert_true(value_of(&within, "distance") == (12 * 2 + 4 * 4) / 16.0);
    assert_true(value_of(&next, "unrouted") == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files),         cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(callbacks_that_fail), cmocka_unit_test(wrong_results),
        cmocka_unit_test(sizes_of_networks),   cmocka_unit_test(callbacks_that_stop),
        cmocka_unit_test(rows_stand_once),     cmocka_unit_test(probabilities_are_checked),
        cmocka_unit_test(a_plugin_network),    cmocka_unit_test(opposite_is_a_shift),
        cmocka_unit_test(paths_by_hand),       cmocka_unit_test(spread_between_minimal_and_valiant),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
