/* What `circuit` refuses: parameters, networks and points that do not fit. */
#include "base/statistics.h"
#include "method/method.h"
#include "support/circuit_bench.h"
#include "support/cube.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FABRIC   "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"
#define TABLES   "lft:" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz"

static void refuses_bad_input(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing, *traffic, *method;
        bough_status status;
        const char *names; /* a word that the message must hold */
    } bad[] = {
        {"fattree:n=64", NULL, "uniform", "circuit:mod=rounds", BOUGH_INVALID, "mod"},
        {"fattree:n=64", NULL, "uniform", "circuits", BOUGH_INVALID, "circuit"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=round", BOUGH_INVALID, "rounds"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,retry=backoff", BOUGH_INVALID, "retry"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=attempt,retry=round", BOUGH_INVALID, "retry"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,payload=5", BOUGH_INVALID, "payload"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,release=end", BOUGH_INVALID, "release"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,payload=-1", BOUGH_INVALID, "payload"},
        {"fattree:n=64", NULL, "uniform", "circuit:limit=0", BOUGH_INVALID, "limit"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,retry=backoff,slot=0", BOUGH_INVALID, "slot"},
        {"fattree:n=64", NULL, "uniform:m=65", "circuit", BOUGH_INVALID, "m=65"},
        {"fattree:n=64", NULL, "shift:k=1,m=65", "circuit", BOUGH_INVALID, "m=65"},
        {"fattree:n=48", NULL, "uniform", "circuit", BOUGH_INVALID, "n=48"},
        {"fattree:n=1", NULL, "uniform", "circuit", BOUGH_INVALID, "n"},
        {FABRIC, TABLES, "uniform", "circuit:mode=attempt", BOUGH_UNSUPPORTED, "attempt"},
        {"fattree:n=64", "valiant", "uniform", "circuit:mode=attempt", BOUGH_UNSUPPORTED, "attempt"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,hold=end", BOUGH_INVALID, "hold"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=attempt,hold=ack", BOUGH_INVALID, "hold"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,bound=4", BOUGH_INVALID, "bound"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,retry=backoff,bound=0", BOUGH_INVALID,
         "bound"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,retry=round,jitter=4", BOUGH_INVALID,
         "jitter"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,jitter=4", BOUGH_INVALID, "jitter"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,give_up=4", BOUGH_INVALID, "give_up"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,retry=round,give_up=4", BOUGH_INVALID,
         "give_up"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,give_up=0", BOUGH_INVALID, "give_up"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,latency=1", BOUGH_INVALID, "latency"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,reply=message,latency=1", BOUGH_INVALID,
         "latency"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,p=0.5", BOUGH_INVALID, "p="},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,retry=persistent,p=0", BOUGH_INVALID, "p"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=attempt,priority=attempts", BOUGH_INVALID,
         "priority"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=attempt,same_path=1", BOUGH_INVALID, "same_path"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,blocked=wait", BOUGH_INVALID, "blocked"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,blocked=wait,retry=round", BOUGH_INVALID,
         "retry"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=attempt,forward=1", BOUGH_INVALID, "forward"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,back=0", BOUGH_INVALID, "back"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,blocked=discard", BOUGH_INVALID, "blocked"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=attempt,clock=layout", BOUGH_INVALID, "clock"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,clock=wires", BOUGH_INVALID, "clock"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,foot=1ns", BOUGH_INVALID, "foot"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,lateral=2", BOUGH_INVALID, "lateral"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=rounds,period=1ns", BOUGH_INVALID, "period"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,turnaround=1", BOUGH_INVALID, "turnaround"},
        {"fattree:n=64", NULL, "uniform", "circuit:mode=cycles,clock=cube", BOUGH_UNSUPPORTED, "stacks"},
        {"cube:n=64", NULL, "uniform", "circuit:mode=cycles,clock=layout", BOUGH_UNSUPPORTED, "layout"},
        {"transit:n=4096", NULL, "uniform", "circuit:mode=cycles,clock=longest,foot=1s", BOUGH_INVALID,
         "65535"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        bench b;
        bough_error error = {0};
        bough_status status =
            bench_try(&b, bad[i].net, bad[i].routing, bad[i].traffic, bad[i].method, &error);
        if (status != bad[i].status ||
            (!strstr(error.reason, bad[i].names) && !strstr(error.place, bad[i].names)))
            fail_msg("%s %s %s: status %d, %s: %s", bad[i].net, bad[i].traffic, bad[i].method, (int)status,
                     error.place, error.reason);
        bench_close(&b);
    }
}

static void needs_routing_and_traffic(void **state) {
    (void)state;
    bench b;
    bench_open(&b, "fattree:n=8", NULL, "uniform", "circuit");
    bough_error error;
    bough_run *run;
    bough_point point = {b.net, NULL, b.traffic};
    assert_int_equal(bough_run_create("circuit", &point, &run, &error), BOUGH_UNSUPPORTED);
    point = (bough_point){b.net, b.routing, NULL};
    assert_int_equal(bough_run_create("circuit", &point, &run, &error), BOUGH_UNSUPPORTED);
    assert_null(run);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(needs_routing_and_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
