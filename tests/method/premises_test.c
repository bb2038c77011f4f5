/* Points outside the premises of a method: refused, or marked with the broken premise. */
#include "support/points.h"

#include "network/faults/faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What the run must have recorded: up to two sentences, in order. */
typedef struct question {
    const char *network, *routing, *traffic, *method;
    const char *premise[2];
} question;

#define UNIFORM(traffic)      "assumes uniformly random destinations, but the traffic is " traffic
#define RANDOM_LINKS(routing) "assumes links drawn among the free ones, but the routing is " routing

static void check(const question *q) {
    bough_point point = point_make(q->network, q->routing, q->traffic);
    bough_run *run = run_make(&point, q->method);
    size_t wanted = !q->premise[0] ? 0 : q->premise[1] ? 2 : 1;
    for (size_t i = 0; i < run->premises && i < wanted; i++)
        assert_string_equal(run->premise[i], q->premise[i]);
    if (run->premises != wanted)
        fail_msg("%s under %s: %zu premises, not %zu: %s", q->method, q->traffic, run->premises, wanted,
                 run->premises ? run->premise[0] : "");
    bough_run_destroy(run);
    point_free(&point);
}

static void a_proven_bound_is_refused_where_it_bounds_nothing(void **state) {
    (void)state;
    static const char *const traffic[] = {"incast", "transpose", "randperm", "hotspot", "shift:3"};
    for (size_t i = 0; i < COUNT(traffic); i++) {
        bough_point point = point_make("fattree:n=64", NULL, traffic[i]);
        run_refused(&point, "bound", BOUGH_UNSUPPORTED, "Theorem 1 needs uniformly random destinations");
        point_free(&point);
    }
    bough_point point = point_make("fattree:n=64", "dmodk", "uniform");
    run_refused(&point, "bound", BOUGH_UNSUPPORTED, "Theorem 1 needs --routing free");
    point_free(&point);
    check(&(question){"fattree:n=64", "free", "uniform:m=32", "bound", {NULL}});
}

static void models_of_random_messages(void **state) {
    (void)state;
    static const question questions[] = {
        {"fattree:n=16", NULL, "uniform", "bins", {NULL}},
        {"fattree:n=16", "free", "uniform:m=3", "bins:model=2", {NULL}},
        {"fattree:n=16", "free", "incast", "bins:model=2", {UNIFORM("incast")}},
        {"fattree:n=16", "dmodk", "uniform", "bins", {RANDOM_LINKS("dmodk")}},
        {"fattree:n=16", "first", "randperm", "bins", {UNIFORM("randperm"), RANDOM_LINKS("first")}},
        {"fattree:n=16", "free", NULL, "collision", {NULL}},
        {"fattree:n=16", "free", "poisson:load=0.1,flits=4", "collision", {NULL}},
        {"fattree:n=16",
         "free",
         "poisson:load=0.1,flits=4,pattern=tornado",
         "collision",
         {UNIFORM("tornado")}},
        {"fattree:n=16", "dmodk", NULL, "collision", {RANDOM_LINKS("dmodk")}},
        {"fattree:n=16", "valiant", NULL, "collision", {RANDOM_LINKS("valiant")}},
        {"fattree:n=16", "hash", "transpose", "circuit", {NULL}},
    };
    for (size_t i = 0; i < COUNT(questions); i++) check(&questions[i]);
}

#define SHORT_WORMS(flits, links)                                                                            \
    "assumes worms at least as long as their paths, but messages have " flits " and paths up to " links      \
    " links"

/* bft:n=16: two levels, paths of up to four links; n=64: six. */
static void queueing_needs_worms_that_cover_their_paths(void **state) {
    (void)state;
    static const question questions[] = {
        {"bft:n=16", "free", "poisson:load=0.1,flits=4", "queueing", {NULL}},
        {"bft:n=16", "free", "poisson:load=0.1,flits=3", "queueing", {SHORT_WORMS("3 flits", "4")}},
        {"bft:n=16",
         "free",
         "poisson:load=0.1,flits=1",
         "queueing:find=saturation",
         {SHORT_WORMS("1 flit", "4")}},
        {"bft:n=64",
         "free",
         "bernoulli:load=0.1,flits=5",
         "queueing",
         {SHORT_WORMS("5 flits", "6"), "assumes Poisson arrivals, but the traffic is bernoulli"}},
        {"bft:n=64", "free", "poisson:load=0.1,flits=6", "queueing:variant=finite", {NULL}},
        {"bft:n=16", "free", "poisson:load=0.1,flits=1", "worm", {NULL}},
    };
    for (size_t i = 0; i < COUNT(questions); i++) check(&questions[i]);
}

static void network_faults(void **state) {
    (void)state;
    bough_net *whole, *faulty;
    assert_int_equal(bough_net_create("fattree:n=16", &whole, NULL), BOUGH_OK);
    assert_int_equal(bough_net_with_faults(whole, "cables:count=2", &faulty, NULL), BOUGH_OK);
    bough_traffic *traffic;
    assert_int_equal(bough_traffic_create(faulty, "allreduce:ring,size=64B", &traffic, NULL), BOUGH_OK);
    bough_point point = {faulty, NULL, traffic};
    static const char *const method[] = {"layout", "channels"}; /* channels counts what is left */
    for (size_t i = 0; i < COUNT(method); i++) {
        bough_run *run = run_make(&point, method[i]);
        assert_int_equal(run->premises, i < 1);
        if (i < 1)
            assert_string_equal(run->premise[0],
                                "assumes a network without faults, and cables:count=2 changes nothing");
        bough_run_destroy(run);
    }
    bough_traffic_destroy(traffic);
    bough_net_destroy(faulty);
    bough_net_destroy(whole);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Batches hand the sizes to some engines; others count messages. */
static void sizes_of_messages(void **state) {
    (void)state;
    static const char sizes[] =
        "assumes messages of one size, but those of messages:file=premises_sizes.csv differ";
    static const char *const counts[] = {"circuit", "linkload", "offline", "online", "atbound", "sidetrack"};
    static const char *const reads[] = {"packet", "worm", "flow", "sortroute"};
    write_file("premises_sizes.csv", "source,destination,size\n0,5,1\n1,5,2\n");
    write_file("premises_equal.csv", "source,destination,size\n0,5,2\n1,5,2\n");
    for (size_t i = 0; i < COUNT(counts); i++) {
        const char *network = strcmp(counts[i], "sidetrack") == 0 ? "pruned:n=16" : "fattree:n=16";
        check(&(question){network, "free", "messages:premises_sizes.csv", counts[i], {sizes}});
        check(&(question){network, "free", "messages:premises_equal.csv", counts[i], {NULL}});
    }
    for (size_t i = 0; i < COUNT(reads); i++) {
        const char *network = strcmp(reads[i], "sortroute") == 0 ? "sorting:n=256" : "fattree:n=16";
        check(&(question){network, "free", "messages:premises_sizes.csv", reads[i], {NULL}});
    }
}

static void rates_of_links(void **state) {
    (void)state;
    static const char rates[] = "assumes equally fast links, but their rates are 25 to 100 Gb/s";
    static const char *const method[] = {"queueing", "worm", "packet"};
    write_file("premises_rates.csv", "node,port,node,port,rate\n"
                                     "leaf1,1,host1,1,25Gb/s\nleaf1,2,host2,1,25Gb/s\n"
                                     "leaf2,1,host3,1,25Gb/s\nleaf2,2,host4,1,25Gb/s\n"
                                     "leaf1,3,leaf2,3,100Gb/s\n");
    for (size_t i = 0; i < COUNT(method); i++)
        check(
            &(question){"ibnet:premises_rates.csv", "updn", "poisson:load=0.1,flits=8", method[i], {rates}});
    check(&(question){"ibnet:premises_rates.csv", "updn", "randperm", "flow", {NULL}});
}

static int delete_files(void **state) {
    (void)state;
    return remove("premises_sizes.csv") | remove("premises_equal.csv") | remove("premises_rates.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proven_bound_is_refused_where_it_bounds_nothing),
        cmocka_unit_test(models_of_random_messages),
        cmocka_unit_test(queueing_needs_worms_that_cover_their_paths),
        cmocka_unit_test(network_faults),
        cmocka_unit_test(sizes_of_messages),
        cmocka_unit_test(rates_of_links),
    };
    return cmocka_run_group_tests(tests, NULL, delete_files);
}
