/* A trial of `circuit` on several threads has the rows of the trial on one, bit for bit. */
#include "support/thread_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const unsigned threads[] = {2, 3, 4, 7, 0};

static void compare(threads_question q, const char *const *method, size_t methods) {
    for (size_t i = 0; i < methods; i++) {
        q.method = method[i];
        threads_agree(&q, threads, true);
    }
}

#define COMPARE(net, routing, traffic, method)                                                               \
    compare((threads_question){net, routing, traffic, NULL}, method, sizeof method / sizeof *method)

static void labels_agree(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=rounds,history=1", "circuit:mode=rounds,hold=ack",
                                         "circuit:mode=cycles,retry=round,payload=7,history=1",
                                         "circuit:mode=cycles,history=1"};
    COMPARE("fattree:n=16", "free", "uniform", method); /* fewer tiles than threads */
    COMPARE("fattree:n=8192", "free", "uniform:m=700", method);
    COMPARE("fattree:n=16384", "free", "uniform", method);
    COMPARE("fattree:n=32768", "free", "bitrev", method);
    COMPARE("fattree:n=4096", "free", "incast:m=200", method);
}

static void generic_agrees(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=rounds,history=1",
                                         "circuit:mode=rounds,release=end,scenarios=1",
                                         "circuit:mode=cycles,retry=backoff,jitter=3,scenarios=1",
                                         "circuit:mode=cycles,retry=persistent,give_up=5,payload=3",
                                         "circuit:mode=cycles,retry=round,priority=attempts,same_path=1",
                                         "circuit:mode=cycles,blocked=wait,payload=2",
                                         "circuit:mode=cycles,reply=message,reply_payload=4",
                                         "circuit:mode=cycles,reply=reverse,blocked=discard"};
    COMPARE("kary:k=4,levels=2", "free", "uniform", method);
    COMPARE("kary:k=4,levels=6", "free", "uniform", method);
    COMPARE("kary:k=4,levels=6", "least", "incast:m=64", method);
}

/* Results in the order of deliveries. */
static void left_to_one_thread(void **state) {
    (void)state;
    static const threads_question list[] = {
        {"kary:k=4,levels=3", "free", "uniform", "circuit:mode=cycles,history=1"},
        {"kary:k=4,levels=3", "free", "uniform", "circuit:mode=cycles,latency=1"},
        {"transit:n=64", "free", "local:p=1", "circuit:mode=attempt,stages=1"},
        {"fattree:n=64", "free", "poisson:load=0.2", "circuit:mode=cycles,messages=500,warmup=50"},
    };
    static const unsigned three[] = {3, 0};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) threads_agree(&list[i], three, false);
}

static void intermediate_nodes_agree(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=rounds", "circuit:mode=cycles"};
    COMPARE("cube:n=1024", "valiant", "uniform", method);
}

static void attempts_agree(void **state) {
    (void)state;
    static const char *const method[] = {"circuit:mode=attempt"};
    COMPARE("transit:n=64", "free", "local:p=1", method);
    COMPARE("transit:n=4096", "free", "local:p=1", method);
    COMPARE("transit:leaf=12,stages=2", "free", "local:p=0.9", method); /* threads draw the messages */
    COMPARE("fattree:n=4096", "free", "uniform", method);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_agree),
        cmocka_unit_test(generic_agrees),
        cmocka_unit_test(intermediate_nodes_agree),
        cmocka_unit_test(attempts_agree),
        cmocka_unit_test(left_to_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
