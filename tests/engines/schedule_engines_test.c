/* One schedule on every engine: by hand where nothing is contended, and what must hold whoever carries the
 * messages. */
#include "method/method.h"
#include "network/faults/faults.h"

#include "method/rows.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bough_error error;

static bough_traffic *goal(const bough_net *net, const char *name, const char *text, const char *more) {
    char spec[512];
    bough_traffic *t;
    snprintf(spec, sizeof spec, "goal:file=\"%s\"%s", temporary_file(name, text, 0), more);
    if (bough_traffic_create(net, spec, &t, &error)) fail_msg("%s: %s", error.place, error.reason);
    return t;
}

static bough_rows rows;

static double value_of(bough_metric_id metric) {
    for (size_t i = 0; i < rows.count; i++)
        if (rows.row[i].metric == metric && rows.row[i].index == BOUGH_NO_ROW_INDEX) return rows.row[i].value;
    fail_msg("no %s", bough_metrics[metric].name);
    return 0;
}

/* completion_time of one trial. */
static double run(const bough_traffic *t, const bough_routing *routing, const char *method) {
    bough_point point = {t->net, routing, t};
    bough_run *r;
    void *space = NULL;
    double time[2];
    if (bough_run_create(method, &point, &r, &error)) fail_msg("%s: %s", method, error.reason);
    for (int twice = 0; twice < 2; twice++) { /* what a trial leaves behind does not matter */
        if (bough_run_trial(r, bough_key_make(1, 0), &space, &rows, &error))
            fail_msg("%s: %s", method, error.reason);
        time[twice] =
            value_of(strncmp(method, "linkload", 8) ? BOUGH_METRIC_COMPLETION_TIME : BOUGH_METRIC_BOUND_TIME);
    }
    assert_true(time[0] == time[1]);
    bough_run_free_workspace(r, space);
    bough_run_destroy(r);
    return time[0];
}

/* One trial of a schedule that never completes: it has counts, and nothing that depends on a time. */
static void run_that_hangs(const bough_traffic *t, const bough_routing *routing, const char *method) {
    bough_point point = {t->net, routing, t};
    bough_run *r;
    void *space = NULL;
    if (bough_run_create(method, &point, &r, &error)) fail_msg("%s: %s", method, error.reason);
    for (int twice = 0; twice < 2; twice++)
        if (bough_run_trial(r, bough_key_make(1, 0), &space, &rows, &error))
            fail_msg("%s: %s", method, error.reason);
    assert_int_equal(rows.outcome, BOUGH_RUN_HANGS);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.row[i].metric != BOUGH_METRIC_MESSAGES && rows.row[i].metric != BOUGH_METRIC_UNROUTED)
            fail_msg("%s: %s of a job that never ends", method, bough_metrics[rows.row[i].metric].name);
    bough_run_free_workspace(r, space);
    bough_run_destroy(r);
}

static void same_time(double have, double want_ps) {
    if (have * 1e12 < want_ps - 0.5 || have * 1e12 > want_ps + 0.5)
        fail_msg("%.17g ps, not %.17g", have * 1e12, want_ps);
}

#define PING                                                                                                 \
    "num_ranks 2\nrank 0 {\nsend 100000b to 1\nrecv 100000b from 1\n}\n"                                     \
    "rank 1 {\na: recv 100000b from 0\nb: send 100000b to 0\nb requires a\n}\n"

/* Two endpoints of one switch: two links each way. */
static void ping_pong(void **state) {
    (void)state;
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    bough_traffic *t = goal(net, "ping.goal", PING, "");
    double o = 1500000, bytes = 100000;
    bough_traffic *constant = goal(net, "ping.goal", PING, ",L=2500ns,G=6ns");
    same_time(run(constant, routing, "loggops"), 2 * (2 * o + 2500000 + (bytes - 1) * 6000));
    bough_traffic_destroy(constant);
    /* 8e5 bits at 100 Gb/s are 8 us; two links of 100 ns */
    same_time(run(t, routing, "flow"), 2 * (2 * o + 8e6 + 2e5));
    same_time(run(t, routing, "loggops"), 2 * (2 * o + 8e6 + 2e5));
    assert_true(value_of(BOUGH_METRIC_MESSAGES) == 2);
    /* 24 packets of 4096 B and one of 1696 B: the message, a packet more for the second link, and the delays.
     */
    same_time(run(t, routing, "packet:packet=4096B,rate=100Gb/s"), 2 * (2 * o + 8e6 + 327680 + 2e5));
    /* 1563 flits of 64 B, of 5120 ps each; a head takes 105120 ps over a link. */
    same_time(run(t, routing, "worm:flit=64B,rate=100Gb/s"), 2 * (2 * o + 2 * 105120.0 + 1562 * 5120.0));
    same_time(value_of(BOUGH_METRIC_FCT), 2 * 105120.0 + 1562 * 5120.0);
    same_time(run(t, routing, "worm"), 2 * (2 * o + 2 * 105120.0 + 1562 * 5120.0));
    /* In cycles of 5120 ps a link delays by 20 (19.5), so a message takes 2 * 21 + 1562. It starts in 293
     * (292.97) and is there in 1897, 9712640 ps; the answer leaves at 12712640 ps, cycle 2483 (2482.9), and
     * is there in 4087. */
    same_time(run(t, routing, "worm:flit=64B,rate=100Gb/s,vcs=2,credit=0,buffer=4"), 4087 * 5120.0 + o);
    same_time(value_of(BOUGH_METRIC_FCT_MAX), 1604 * 5120.0);
    /* A link carries 8e5 bits; a CPU has two messages of o. */
    same_time(run(t, routing, "linkload"), 8e6);
    same_time(value_of(BOUGH_METRIC_BOUND_CPU), 2 * o);
    assert_true(value_of(BOUGH_METRIC_LINK_BYTES_MAX) == 100000);
    bough_traffic_destroy(t);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* What is between ranks of one endpoint does not enter the network, and what comes after the last message
 * still counts. */
static void after_the_last(void **state) {
    (void)state;
    static const char text[] = "num_ranks 2\nrank 0 {\na: send 5b to 1\nb: calc 7000\nb requires a\n}\n"
                               "rank 1 {\na: recv 5b from 0\nb: calc 9000\nb requires a\n}\n";
    static const char *const method[] = {"loggops", "flow", "packet", "worm"};
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    char more[300];
    snprintf(more, sizeof more, ",place=\"%s\"", temporary_file("place.txt", "0 3\n1 3\n", 0));
    bough_traffic *t = goal(net, "last.goal", text, more);
    for (size_t i = 0; i < 4; i++) {
        same_time(run(t, routing, method[i]), 12e6);
        if (i) assert_true(value_of(BOUGH_METRIC_MESSAGES) == 0);
    }
    same_time(run(t, routing, "linkload"), 10.5e6); /* o and the calc of rank 1 */
    same_time(value_of(BOUGH_METRIC_BOUND_CHAIN), 9e6);
    bough_traffic_destroy(t);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* Ranks 4 to 7 are on a dead leaf: rank 3 sends to the first of them, and rank 0 waits for the last. */
static void ranks_on_a_dead_leaf(void **state) {
    (void)state;
    static const struct {
        const char *method, *reason;
    } of[] = {{"flow:levels=1,hot=3", " (no next link at h4)"},
              {"packet:levels=1,hot=3", ""},
              {"worm:levels=1,hot=3", ""},
              {"loggops:ranks=0", ""}};
    static const char allreduce[] = "allreduce:algo=ring,size=8MB,ranks=8";
    bough_net *whole = net_make("xgft:down=4x4,up=1x4"), *net;
    bough_traffic *t;
    char note[BOUGH_NOTE_MAX];
    assert_int_equal(bough_net_with_faults(whole, "name:s1.1,mode=rerouted", &net, &error), BOUGH_OK);
    bough_routing *routing = routing_make(net, "dmodk");
    assert_int_equal(bough_traffic_create(net, allreduce, &t, &error), BOUGH_OK);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        run_that_hangs(t, routing, of[i].method);
        assert_int_equal(value_of(BOUGH_METRIC_UNROUTED), 5); /* 3 to 4, 4 to 5, .. 7 to 0, in one step */
        snprintf(
            note, sizeof note,
            "8 of 8 ranks never finish; the first: rank 4 on h4 waits for 1000000 bytes of rank 3 on h3 that "
            "are "
            "lost on the way; 4 ranks have no live cable; 5 messages have no route; the first: h3 to h4, "
            "as switch s1.1 is dead%s",
            i ? of[i].reason : " (no next link at h3)");
        assert_string_equal(rows.note, note);
    }
    run_that_hangs(t, routing, "linkload");
    assert_string_equal(rows.note, "70 of 112 messages do not arrive, and their ranks never finish");
    bough_traffic_destroy(t);
    /* the ranks of the other leaves have a time */
    assert_int_equal(bough_traffic_create(net, "allreduce:algo=ring,size=8MB,ranks=4", &t, &error), BOUGH_OK);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) assert_true(run(t, routing, of[i].method) > 0);
    bough_traffic_destroy(t);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    bough_net_destroy(whole);
}

/* Both send by rendezvous before they receive. */
static void hangs(void **state) {
    (void)state;
    static const char text[] =
        "num_ranks 2\nrank 0 {\na: send 99b to 1\nb: recv 99b from 1\nb requires a\n}\n"
        "rank 1 {\na: send 99b to 0\nb: recv 99b from 0\nb requires a\n}\n";
    static const char *const method[] = {"loggops", "flow", "packet", "worm"};
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    bough_traffic *t = goal(net, "hangs.goal", text, ",S=98");
    for (size_t i = 0; i < 4; i++) {
        run_that_hangs(t, routing, method[i]);
        assert_string_equal(rows.note,
                            "2 of 2 ranks never finish; the first: rank 0 on h0 (line 3) waits until "
                            "rank 1 on h1 receives its 99 bytes");
    }
    bough_traffic_destroy(t);
    t = goal(net, "hangs.goal", text, ",S=99");
    for (size_t i = 0; i < 4; i++) {
        run(t, routing, method[i]);
        assert_int_equal(rows.outcome, BOUGH_RUN_OK);
        assert_true(index_names_at(rows.note) == 0);
    }
    bough_traffic_destroy(t);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* A rendezvous is told at once when the receive takes the message, here 1 ms late; then 2 ms are computed. */
static void rendezvous(void **state) {
    (void)state;
    static const char text[] =
        "num_ranks 2\nrank 0 {\na: send 70000b to 1\nb: calc 2000000\nb requires a\n}\n"
        "rank 1 {\na: recv 70000b from 0\nb: calc 1000000\na requires b\n}\n";
    static const char *const method[] = {"loggops", "flow", "packet", "worm"};
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    bough_traffic *eager = goal(net, "late.goal", text, ",S=0"), *late = goal(net, "late.goal", text, "");
    for (size_t i = 0; i < 4; i++) {
        same_time(run(late, routing, method[i]), 3e9);
        same_time(run(eager, routing, method[i]), 2e9 + 1.5e6);
    }
    bough_traffic_destroy(eager);
    bough_traffic_destroy(late);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* All to one: the link down to it is the bound, and nobody is faster. */
static void incast(void **state) {
    (void)state;
    enum { N = 12 };
    char text[4096] = "num_ranks 12\nrank 0 {\n";
    size_t length = strlen(text);
    for (int r = 1; r < N; r++)
        length += (size_t)snprintf(text + length, sizeof text - length, "recv 50000b from %d\n", r);
    for (int r = 1; r < N; r++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "}\nrank %d {\nsend 50000b to 0\n", r);
    snprintf(text + length, sizeof text - length, "}\n");
    bough_net *net = net_make("xgft:down=4x4,up=1x2");
    bough_routing *routing = routing_make(net, "dmodk");
    bough_traffic *t = goal(net, "incast.goal", text, ",o=0ps,g=0ps");
    double bound = run(t, routing, "linkload");
    same_time(bound, 11 * 4e6);
    assert_true(value_of(BOUGH_METRIC_LINK_BYTES_MAX) == 550000);
    const char *const method[] = {"flow", "packet", "worm"};
    for (size_t i = 0; i < 3; i++) {
        double time = run(t, routing, method[i]);
        assert_true(time >= bound && time < 1.1 * bound);
    }
    bough_traffic_destroy(t);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* Every algorithm of every collective, on everything; nobody beats the bound. */
static void collectives_run_everywhere(void **state) {
    (void)state;
    static const char *const method[] = {"loggops", "flow", "packet", "worm"};
    bough_net *net = net_make("xgft:down=3x2,up=1x2");
    bough_routing *routing = routing_make(net, "dmodk");
    unsigned kinds = 0, algorithms = 0;
    for (const bough_traffic_kind *const *k = bough_traffic_kinds; *k; k++) {
        const bough_param *algo = (*k)->params;
        if (!algo->key || strcmp(algo->key, "algo") != 0) continue;
        kinds++;
        for (const char *name = algo->choices; *name; name += strcspn(name, "|"), name += *name == '|') {
            char spec[80];
            bough_traffic *t;
            if (strncmp(name, "sharp", strcspn(name, "|")) == 0) continue; /* needs a physical setting */
            if (memchr(name, 58, strcspn(name, "|"))) continue;            /* needs a file */
            snprintf(spec, sizeof spec, "%s:algo=%.*s", (*k)->name, (int)strcspn(name, "|"), name);
            if (strstr(spec, "sharp")) continue; /* needs switches that add: in_network_reduction_test */
            if (bough_traffic_create(net, spec, &t, &error)) fail_msg("%s: %s", spec, error.reason);
            double bound = run(t, routing, "linkload");
            assert_true(bound > 0);
            for (size_t i = 0; i < 4; i++) {
                double time = run(t, routing, method[i]);
                assert_int_equal(rows.outcome, BOUGH_RUN_OK);
                if (i && time < bound)
                    fail_msg("%s: %s takes %g s, the bound is %g s", spec, method[i], time, bound);
            }
            bough_traffic_destroy(t);
            algorithms++;
        }
    }
    assert_int_equal(kinds, 7); /* with alltoall, which is a batch without algo= */
    assert_int_equal(algorithms, 38);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *traffic, *method, *reason;
    } bad[] = {
        {"uniform", "loggops", "does not accept a batch"},
        {"uniform", "packet:packet=4kB", "packet= and rate= apply to time=physical"},
        {"uniform", "worm:rate=1Gb/s", "flit= and rate= apply to time=physical"},
        {"uniform", "packet:time=physical,buffer=2",
         "buffer= applies to batches and streams that count steps"},
        {"uniform", "packet:time=physical,verify=1", "need a batch that counts steps"},
        {"uniform", "worm:sharing=flits,vcs=2,buffer=4", "sharing=flits needs vcs=1"},
        {"goal", "worm:time=cycles", "time=cycles applies to batches and streams"},
        {"goal", "packet:time=cycles", "time=cycles applies to batches and streams"},
        {"uniform", "linkload:rate=1Gb/s", "rate= applies to schedules"},
        {"goal", "linkload:levels=1", "count flows of a batch"},
        {"goal", "circuit", "does not accept a schedule"},
        {"goal", "packet:packet=1TB,rate=1Mb/s", "takes more than 18 minutes"},
        {"goal", "packet:limit=1000", "limit= counts steps; goal:"},
        {"goal", "packet:find=saturation", "needs a stream with a rate"},
        {"goal", "packet:messages=100", "apply to streams"},
        {"goal", "packet:sets=1", "need a batch"},
        {"goal", "packet:verify=1", "need a batch"},
    };
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    bough_traffic *schedule = goal(net, "ping.goal", PING, ""), *batch;
    assert_int_equal(bough_traffic_create(net, "uniform", &batch, &error), BOUGH_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bough_point point = {net, routing, strcmp(bad[i].traffic, "goal") ? batch : schedule};
        bough_run *r;
        assert_true(bough_run_create(bad[i].method, &point, &r, &error) != BOUGH_OK);
        if (!strstr(error.reason, bad[i].reason)) fail_msg("%s: %s", bad[i].method, error.reason);
    }
    bough_source *source;
    assert_int_equal(bough_traffic_open(schedule, bough_key_make(1, 0), NULL, &source, &error),
                     BOUGH_UNSUPPORTED);
    bough_traffic_destroy(schedule);
    bough_traffic_destroy(batch);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

static int fini(void **state) {
    (void)state;
    bough_rows_fini(&rows);
    return 0;
}

/* The link of a host carries one message after the other, out and in: twice 8 us, and two links of 100 ns. */
static void hosts_contend(void **state) {
    (void)state;
    static const char out[] =
        "num_ranks 3\nrank 0 {\nsend 100000b to 1 cpu 0\nsend 100000b to 2 cpu 1\n}\n"
        "rank 1 {\nrecv 100000b from 0 cpu 0\n}\nrank 2 {\nrecv 100000b from 0 cpu 1\n}\n";
    static const char in[] = "num_ranks 3\nrank 0 {\nrecv 100000b from 1\nrecv 100000b from 2\n}\n"
                             "rank 1 {\nsend 100000b to 0\n}\nrank 2 {\nsend 100000b to 0\n}\n";
    bough_net *net = net_make("xgft:down=4,up=1");
    bough_routing *routing = routing_make(net, "dmodk");
    for (int i = 0; i < 2; i++) {
        bough_traffic *t = goal(net, i ? "in.goal" : "out.goal", i ? in : out, ",o=0ns,g=0ns,S=0");
        same_time(run(t, routing, "loggops"), 2 * 8e6 + 2e5);
        same_time(run(t, routing, "flow"), 2 * 8e6 + 2e5);
        bough_traffic_destroy(t);
    }
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

/* `loggops` follows the path of every message if it records it, else one path to each level of a tree. */
static void paths_by_level(void **state) {
    (void)state;
    static const char *const net[] = {"kary:k=2,levels=5", "xgft:down=3x4,up=2x3,links=2x1", "fattree:n=32",
                                      "bft:n=64",          "clos:radix=8,hosts=27,taper=2",  "mesh:dims=4x4"};
    static const char *const setting[] = {"default", "default:host_rate=30Gb/s", "default:switch=0ns"};
    static const char *const traffic[] = {"alltoall:algo=pairwise,size=100KB", "barrier:rounds=2",
                                          "allreduce:algo=ring,size=1MB,place=random"};
    for (size_t i = 0; i < sizeof net / sizeof *net * 9; i++) {
        bough_net *n = net_make(net[i / 9]);
        bough_physical *physical;
        bough_routing *r;
        bough_traffic *t;
        if (bough_physical_create(setting[i / 3 % 3], &physical, &error)) fail_msg("%s", error.reason);
        bough_net_set_physical(n, physical);
        assert_int_equal(bough_routing_create(n, NULL, &r, &error), BOUGH_OK);
        assert_int_equal(bough_traffic_create(n, traffic[i % 3], &t, &error), BOUGH_OK);
        assert_true(run(t, r, "loggops") == run(t, r, "loggops:critical=1"));
        bough_traffic_destroy(t);
        bough_routing_destroy(r);
        bough_net_destroy(n);
        bough_physical_destroy(physical);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ping_pong),      cmocka_unit_test(hosts_contend),
        cmocka_unit_test(paths_by_level), cmocka_unit_test(after_the_last),
        cmocka_unit_test(hangs),          cmocka_unit_test(ranks_on_a_dead_leaf),
        cmocka_unit_test(rendezvous),     cmocka_unit_test(incast),
        cmocka_unit_test(refusals),       cmocka_unit_test(collectives_run_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, fini);
}
