/* A trial of `circuit` on several threads has the rows of the trial on one, bit for bit. */
#include "bough/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    bough_net *net;
    bough_routing *routing;
    bough_traffic *traffic;
} bench;

static void must(bough_status status, const bough_error *error, const char *what) {
    if (status) fail_msg("%s: %s", what, error->reason);
}

static bench open_bench(const char *net, const char *routing, const char *traffic) {
    bough_error error = {0};
    bench b = {0};
    must(bough_net_create(net, &b.net, &error), &error, net);
    must(bough_routing_create(b.net, routing, &b.routing, &error), &error, net);
    must(bough_traffic_create(b.net, traffic, &b.traffic, &error), &error, traffic);
    return b;
}

static void close_bench(bench *b) {
    bough_traffic_destroy(b->traffic);
    bough_routing_destroy(b->routing);
    bough_net_destroy(b->net);
}

static void assert_same_rows(const bough_rows *have, const bough_rows *want, const char *what,
                             unsigned threads) {
    if (have->count != want->count || have->outcome != want->outcome)
        fail_msg("%s: other rows with %u threads", what, threads);
    for (size_t i = 0; i < want->count; i++)
        if (have->row[i].metric != want->row[i].metric || have->row[i].index != want->row[i].index ||
            memcmp(&have->row[i].value, &want->row[i].value, sizeof want->row[i].value) != 0)
            fail_msg("%s, %u threads: %s is %.17g, not %.17g", what, threads,
                     bough_metrics[want->row[i].metric].name, have->row[i].value, want->row[i].value);
}

/* Two trials in one workspace: the second finds what the first has left, with another number of threads. */
static void compare(const bench *b, const char *method) {
    static const unsigned threads[] = {2, 3, 4, 7};
    bough_error error = {0};
    bough_run *run;
    bough_point point = {b->net, b->routing, b->traffic};
    must(bough_run_create(method, &point, &run, &error), &error, method);
    assert_true(run->method->parallel);
    assert_true(run->bytes_each > 0);
    void *one = NULL, *several = NULL;
    bough_rows want = {0}, have = {0};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        bough_key key = bough_key_make(5, i / 2);
        run->threads = 1;
        must(bough_run_trial(run, key, &one, &want, &error), &error, method);
        run->threads = threads[i];
        must(bough_run_trial(run, key, &several, &have, &error), &error, method);
        assert_same_rows(&have, &want, method, threads[i]);
    }
    bough_rows_fini(&want);
    bough_rows_fini(&have);
    bough_run_free_workspace(run, one);
    bough_run_free_workspace(run, several);
    bough_run_destroy(run);
}

typedef struct question {
    const char *net, *routing, *traffic;
} question;

static void compare_all(const question *q, const char *const *method, size_t methods) {
    bench b = open_bench(q->net, q->routing, q->traffic);
    for (size_t i = 0; i < methods; i++) compare(&b, method[i]);
    close_bench(&b);
}

#define COMPARE(net, routing, traffic, method)                                                               \
    compare_all(&(question){net, routing, traffic}, method, sizeof method / sizeof *method)

static void labels_agree(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=rounds,history=1", "circuit:mode=rounds,hold=ack",
                                         "circuit:mode=cycles,retry=round,payload=7,history=1",
                                         "circuit:mode=cycles,history=1"};
    COMPARE("fattree:n=16", NULL, "uniform", method); /* fewer tiles than threads */
    COMPARE("fattree:n=8192", NULL, "uniform:m=700", method);
    COMPARE("fattree:n=16384", NULL, "uniform", method);
    COMPARE("fattree:n=32768", NULL, "bitrev", method);
    COMPARE("fattree:n=4096", NULL, "incast:m=200", method);
}

static void generic_agrees(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=rounds,history=1",
                                         "circuit:mode=rounds,release=end,scenarios=1",
                                         "circuit:mode=cycles,history=1",
                                         "circuit:mode=cycles,latency=1",
                                         "circuit:mode=cycles,retry=backoff,jitter=3,scenarios=1",
                                         "circuit:mode=cycles,retry=persistent,give_up=5,payload=3",
                                         "circuit:mode=cycles,retry=round,priority=attempts,same_path=1",
                                         "circuit:mode=cycles,blocked=wait,payload=2",
                                         "circuit:mode=cycles,reply=message,reply_payload=4",
                                         "circuit:mode=cycles,reply=reverse,blocked=discard"};
    COMPARE("kary:k=4,levels=2", NULL, "uniform", method);
    COMPARE("kary:k=4,levels=6", NULL, "uniform", method);
    COMPARE("kary:k=4,levels=6", "least", "incast:m=64", method);
}

static void intermediate_nodes_agree(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=rounds", "circuit:mode=cycles"};
    COMPARE("cube:n=1024", "valiant", "uniform", method);
}

static void attempts_agree(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=attempt", "circuit:mode=attempt,stages=1"};
    COMPARE("transit:n=64", NULL, "local:p=1", method);
    COMPARE("transit:n=4096", NULL, "local:p=1", method);
    COMPARE("fattree:n=4096", NULL, "uniform", method);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_agree),
        cmocka_unit_test(generic_agrees),
        cmocka_unit_test(intermediate_nodes_agree),
        cmocka_unit_test(attempts_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
