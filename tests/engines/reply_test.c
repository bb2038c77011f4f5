/* Replies in `circuit:mode=cycles`: back over the opened path, or as messages of their own. By hand on one
 * switch, where a path has one router (K = 1) and a message alone takes 3 + payload cycles, and in what must
 * hold anywhere. */
#include "support/fabrics.h"
#include "support/points.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NONE BOUGH_NO_ROW_INDEX

static void wrong_options_are_refused(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", "free", "uniform");
    run_refused(&point, "circuit:mode=rounds,reply=reverse", BOUGH_INVALID, "reply= applies to mode=cycles");
    run_refused(&point, "circuit:mode=attempt,reply=message", BOUGH_INVALID, "reply= applies to mode=cycles");
    run_refused(&point, "circuit:mode=cycles,reply_payload=3", BOUGH_INVALID,
                "reply_payload= applies to reply=");
    run_refused(&point, "circuit:mode=cycles,reply=back", BOUGH_INVALID,
                "reply is one of none|reverse|message");
    run_refused(&point, "circuit:mode=cycles,retry=round,reply=message", BOUGH_UNSUPPORTED, "retry=round");
    run_refused(&point, "circuit:mode=cycles,stages=1", BOUGH_INVALID, "stages= applies to mode=attempt");
    point_free(&point);
    point = point_make("fattree:n=8", "free", "uniform");
    run_refused(&point, "circuit:levels=2", BOUGH_INVALID, "levels=2 is not 0 or 1");
    point_free(&point);
}

typedef struct answer {
    double cycles, attempts, messages, first, norm;
} answer;

static answer ask(const char *network, const char *traffic, const char *method, uint64_t trial) {
    bough_point point = point_make(network, "free", traffic);
    bough_run *run = run_make(&point, method);
    bough_rows rows = run_once(run, trial);
    answer a = {row_value(&rows, BOUGH_METRIC_CYCLES, NONE), row_value(&rows, BOUGH_METRIC_ATTEMPTS, NONE),
                row_value(&rows, BOUGH_METRIC_MESSAGES, NONE),
                row_value(&rows, BOUGH_METRIC_FIRST_SUCCESS, NONE),
                row_value(&rows, BOUGH_METRIC_NORM_CYCLES, NONE)};
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    point_free(&point);
    return a;
}

static const char *messages(const char *text) {
    static char spec[300];
    char list[200];
    snprintf(list, sizeof list, "source,destination\n%s", text);
    snprintf(spec, sizeof spec, "messages:%s", temporary_file("reply_test.csv", list, 0));
    return spec;
}

static void one_message_alone(void **state) {
    (void)state;
    const char *one = messages("0,1\n");
    /* tail at 2 + 5, known at 8 */
    answer a = ask("xgft:down=4,up=1", one, "circuit:mode=cycles,payload=5", 0);
    assert_near(a.cycles, 8, 0);
    assert_near(a.norm, 1, 1e-12);
    /* back with 7 flits behind the head */
    a = ask("xgft:down=4,up=1", one, "circuit:mode=cycles,payload=5,reply=reverse,reply_payload=7", 0);
    assert_near(a.cycles, 15, 0);
    assert_near(a.norm, 1, 1e-12);
    assert_near(a.messages, 1, 0);
    /* starts in the cycle after the tail, 8: tail at 8 + 2 + 7, known at 18 */
    a = ask("xgft:down=4,up=1", one, "circuit:mode=cycles,payload=5,reply=message,reply_payload=7", 0);
    assert_near(a.cycles, 18, 0);
    assert_near(a.messages, 2, 0);
    assert_near(a.attempts, 1, 0);
    assert_near(a.first, 1, 0);
    assert_near(a.norm, 1, 1e-12);
    /* a fat-tree of 8: five routers across the diameter, known at 3 * 5, the reply 4 flits later */
    one = messages("0,7\n");
    assert_near(ask("fattree:n=8", one, "circuit:mode=cycles,reply=reverse,reply_payload=4", 0).cycles, 19,
                0);
}

/* Two for one link: the winner's circuit is free again when its reply has passed; the loser learns in cycle 1
 * and tries again every 2 cycles. */
static void a_reversed_circuit_stays_closed(void **state) {
    (void)state;
    const char *two = messages("0,2\n1,2\n");
    answer plain = ask("xgft:down=4,up=1", two, "circuit:mode=cycles", 0);
    /* first: link to 2 free in 3; second tries in 2, 4: delivered at 6, known at 7 */
    assert_near(plain.cycles, 7, 0);
    assert_near(plain.attempts * 2, 1 + 3, 1e-12);
    answer reverse = ask("xgft:down=4,up=1", two, "circuit:mode=cycles,reply=reverse,reply_payload=4", 0);
    /* free in 7; second tries in 2, 4, 6, 8: tail at 10, known at 11, its reply at 15 */
    assert_near(reverse.cycles, 15, 0);
    assert_near(reverse.attempts * 2, 1 + 5, 1e-12);
}

/* A reply that says nothing is the acknowledgement; one of its own is not. All are delivered in the end. */
/* One message over 5 routers, forward and back, with a reply of 4 flits over the path that is turned in 7
 * cycles of 3 ns. */
static void a_connection_is_turned(void **state) {
    (void)state;
    bough_point point = point_make("fattree:n=8", "free", messages("5,0\n"));
    const char *method = "circuit:mode=cycles,reply=reverse,reply_payload=4";
    bough_rows rows = rows_of(&point, method);
    assert_same(row_value(&rows, BOUGH_METRIC_CYCLES, NONE), 15 + 4);
    assert_false(row_given(&rows, BOUGH_METRIC_CYCLES_NS, NONE) ||
                 row_given(&rows, BOUGH_METRIC_ARRIVAL, NONE));
    bough_rows_fini(&rows);
    rows = rows_of(&point, "circuit:mode=cycles,reply=reverse,reply_payload=4,turnaround=7,period=3ns");
    assert_same(row_value(&rows, BOUGH_METRIC_CYCLES, NONE), 15 + 4 + 7);
    assert_same(row_value(&rows, BOUGH_METRIC_CYCLES_NS, NONE), 3 * (15 + 4 + 7));
    assert_same(row_value(&rows, BOUGH_METRIC_ARRIVAL, NONE), 10);
    assert_same(row_value(&rows, BOUGH_METRIC_ARRIVAL_NS, NONE), 30);
    assert_same(row_value(&rows, BOUGH_METRIC_NORM_CYCLES, NONE), 1);
    bough_rows_fini(&rows);
    point_free(&point);
}

static void replies_hold_anywhere(void **state) {
    (void)state;
    static const char *const networks[] = {"transit:n=64", "fattree:n=32", "bft:n=64"};
    for (int i = 0; i < 3; i++)
        for (uint64_t trial = 0; trial < 5; trial++) {
            answer plain = ask(networks[i], "uniform", "circuit:mode=cycles,engine=generic", trial);
            answer empty = ask(networks[i], "uniform", "circuit:mode=cycles,reply=reverse", trial);
            assert_true(plain.cycles == empty.cycles && plain.attempts == empty.attempts);
            answer reverse =
                ask(networks[i], "uniform", "circuit:mode=cycles,reply=reverse,reply_payload=20", trial);
            answer message =
                ask(networks[i], "uniform", "circuit:mode=cycles,reply=message,reply_payload=20", trial);
            assert_true(reverse.cycles >= plain.cycles + 20 && reverse.attempts > plain.attempts);
            assert_true(message.messages == 2 * plain.messages && message.attempts >= 1);
            assert_true(message.cycles > plain.cycles);
        }
}

/* Rounds and retries on a transit network: everything arrives, the first round is an attempt where nobody
 * lets go before its end. */
static void rounds_begin_with_an_attempt(void **state) {
    (void)state;
    bough_point point = point_make("transit:n=4096", "free", "local:p=1");
    bough_rows attempt = rows_of(&point, "circuit:mode=attempt,levels=1"),
               rounds = rows_of(&point, "circuit:mode=rounds,release=end,history=1,levels=1");
    double first = row_value(&attempt, BOUGH_METRIC_FIRST_SUCCESS, NONE), delivered = 0;
    assert_near(row_value(&rounds, BOUGH_METRIC_FIRST_SUCCESS, NONE), first, 0.03); /* other coins */
    for (int64_t r = 1; row_given(&rounds, BOUGH_METRIC_DELIVERED_ROUND, r); r++)
        delivered += row_value(&rounds, BOUGH_METRIC_DELIVERED_ROUND, r);
    assert_near(delivered, 4096, 0);
    for (const bough_rows *r = &attempt; r; r = r == &attempt ? &rounds : NULL) {
        double sum = 0, all = 0;
        for (int64_t l = 1; l <= 6; l++) {
            double n = row_value(r, BOUGH_METRIC_MESSAGES_LEVEL, l);
            all += n;
            sum += n * row_value(r, BOUGH_METRIC_FIRST_SUCCESS_LEVEL, l);
        }
        assert_near(all, 4096, 0);
        assert_near(sum / all, row_value(r, BOUGH_METRIC_FIRST_SUCCESS, NONE), 1e-12);
    }
    bough_rows_fini(&attempt);
    bough_rows_fini(&rounds);
    point_free(&point);
}

/* No requests: no share of successes, and nothing else goes wrong. */
static void nobody_asks(void **state) {
    (void)state;
    bough_point point = point_make("transit:n=64", "free", "local:p=0");
    static const char *const method[] = {"circuit:mode=attempt,levels=1,stages=1", "circuit:mode=rounds",
                                         "circuit:mode=cycles,reply=message"};
    for (int i = 0; i < 3; i++) {
        bough_rows rows = rows_of(&point, method[i]);
        assert_near(row_value(&rows, BOUGH_METRIC_MESSAGES, NONE), 0, 0);
        assert_false(row_given(&rows, BOUGH_METRIC_FIRST_SUCCESS, NONE));
        bough_rows_fini(&rows);
    }
    point_free(&point);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(one_message_alone),
        cmocka_unit_test(a_connection_is_turned),
        cmocka_unit_test(a_reversed_circuit_stays_closed),
        cmocka_unit_test(replies_hold_anywhere),
        cmocka_unit_test(rounds_begin_with_an_attempt),
        cmocka_unit_test(nobody_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
