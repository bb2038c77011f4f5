/* Ranks at work without a network: by hand, against the slow oracle, and in what they say when they hang. */
#include "traffic/schedules/ranks.h"

#include "support/loggops_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_error error;

/* Runs a schedule without a network: when it ended, and what it says. */
static uint64_t run(const bough_workload *w, uint64_t *end, bough_source_report *report) {
    match_plan match;
    rank_engine *ranks;
    assert_int_equal(match_make(w->schedule, 1, &match, &error), BOUGH_OK);
    assert_int_equal(ranks_make(w, &match, false, &ranks, &error), BOUGH_OK);
    for (int twice = 0; twice < 2; twice++) {
        ranks_start(ranks);
        while (ranks_go(ranks, 7)) continue;
    }
    ranks_report(ranks, report);
    for (uint32_t r = 0; r < w->schedule->ranks && end; r++) end[r] = ranks_end_of(ranks, r);
    uint64_t ended = ranks_result(ranks)->ended;
    ranks_destroy(ranks);
    match_fini(&match);
    return ended;
}

static const bough_host usual = {2500000, 1500000, 1000000, 6000, 0, 65535};

typedef struct made {
    bough_schedule_builder *b;
    bough_workload w;
    uint32_t endpoint[64];
} made;

static made begin(uint32_t ranks) {
    made m = {.w.host = usual};
    assert_int_equal(bough_schedule_begin("test", ranks, &m.b, &error), BOUGH_OK);
    for (uint32_t r = 0; r < 64; r++) m.endpoint[r] = r;
    return m;
}

static uint32_t add(made *m, uint32_t rank, bough_op_kind kind, uint64_t size, uint32_t peer) {
    uint32_t id;
    bough_op op = {.size = size, .peer = peer, .kind = (uint8_t)kind};
    assert_int_equal(bough_schedule_add(m->b, rank, op, &id, &error), BOUGH_OK);
    return id;
}

static void after(made *m, uint32_t later, uint32_t earlier) {
    assert_int_equal(bough_schedule_wait(m->b, later, earlier, false, &error), BOUGH_OK);
}

static uint64_t finish(made *m, bough_source_report *report) {
    bough_schedule *s;
    assert_int_equal(bough_schedule_finish(m->b, &s, &error), BOUGH_OK);
    m->w.schedule = s;
    m->w.endpoint = m->endpoint;
    run(&m->w, NULL, report);
    bough_schedule_destroy(s);
    return report->end;
}

/* There and back: twice o + L + (s - 1) G + o. */
static void ping_pong(void **state) {
    (void)state;
    bough_source_report r;
    for (uint64_t size = 0; size < 3000; size += 999) {
        made m = begin(2);
        uint64_t bytes = size ? size - 1 : 0;
        add(&m, 0, BOUGH_OP_SEND, size, 1);
        after(&m, add(&m, 1, BOUGH_OP_SEND, size, 0), add(&m, 1, BOUGH_OP_RECV, size, 0));
        add(&m, 0, BOUGH_OP_RECV, size, 1);
        assert_int_equal(finish(&m, &r), 2 * (1500000 + 2500000 + bytes * 6000 + 1500000));
        assert_true(r.left == 0 && r.lost == 0 && r.text[0] == 0);
    }
}

/* Binomial broadcast of one byte: rank 0 sends to 1, 2, 4, ...; whoever has it goes on. The last to have it
 * is n - 1: lg n sends, of which the first waits for nothing and all others for their receive: o at both ends
 * and L, lg n times. */
static void binomial(void **state) {
    (void)state;
    bough_source_report r;
    for (uint32_t n = 2, lg = 1; n <= 64; n *= 2, lg++) {
        made m = begin(n);
        for (uint32_t rank = 0; rank < n; rank++) {
            uint32_t have = UINT32_MAX, top = 0;
            while (rank >> top) top++;
            if (rank) have = add(&m, rank, BOUGH_OP_RECV, 1, rank - (1u << (top - 1)));
            for (uint32_t k = rank ? top : 0; rank + (1u << k) < n; k++) {
                uint32_t send = add(&m, rank, BOUGH_OP_SEND, 1, rank + (1u << k));
                if (rank) after(&m, send, have);
            }
        }
        /* The path to n - 1 has lg n hops; a rank that has it sends on at once to the next power of two. */
        assert_int_equal(finish(&m, &r), lg * (2 * 1500000 + 2500000));
    }
}

/* Dissemination: lg n rounds; in each a send and a receive of o, and L between them. Both ends send at the
 * same time, so a round is o + L + o. */
static void dissemination(void **state) {
    (void)state;
    bough_source_report r;
    enum { N = 32 };
    made m = begin(N);
    for (uint32_t rank = 0; rank < N; rank++) {
        uint32_t had = UINT32_MAX;
        for (uint32_t hop = 1; hop < N; hop *= 2) {
            uint32_t send = add(&m, rank, BOUGH_OP_SEND, 1, (rank + hop) % N);
            uint32_t recv = add(&m, rank, BOUGH_OP_RECV, 1, (rank + N - hop) % N);
            if (hop > 1) after(&m, send, had);
            had = recv;
        }
    }
    assert_int_equal(finish(&m, &r), 5 * (2 * 1500000 + 2500000));
}

/* k sends of one rank leave g apart where g > o, o apart where not; G counts for the NIC. */
static void gaps(void **state) {
    (void)state;
    bough_source_report r;
    enum { K = 5 };
    for (int wide = 0; wide < 3; wide++) {
        made m = begin(K + 1);
        uint64_t size = wide == 2 ? 1001 : 1, gap = wide ? 4000000 : 1000000;
        m.w.host.g = gap;
        gap = wide == 2 ? gap + 1000 * 6000 : wide ? gap : 1500000;
        for (uint32_t k = 1; k <= K; k++) {
            add(&m, 0, BOUGH_OP_SEND, size, k);
            add(&m, k, BOUGH_OP_RECV, size, 0);
        }
        assert_int_equal(finish(&m, &r), (K - 1) * gap + 5500000 + (size - 1) * 6000);
    }
}

/* A rendezvous send ends when the receive is posted: 1 ms later here. An eager one does not wait. */
static void rendezvous(void **state) {
    (void)state;
    bough_source_report r;
    for (int eager = 0; eager < 2; eager++) {
        made m = begin(2);
        if (eager) m.w.host.S = 0;
        uint32_t send = add(&m, 0, BOUGH_OP_SEND, 65536, 1), calc = add(&m, 0, BOUGH_OP_CALC, 5000000, 0);
        after(&m, calc, send);
        after(&m, add(&m, 1, BOUGH_OP_RECV, 65536, 0), add(&m, 1, BOUGH_OP_CALC, 1000000, 0));
        assert_int_equal(finish(&m, &r), eager ? 5001500000 : 6000000000);
    }
}

static uint32_t add_calc(made *m, uint32_t rank, uint64_t ns, uint8_t cpu) {
    uint32_t id;
    bough_op op = {.size = ns, .peer = rank, .kind = BOUGH_OP_CALC, .cpu = cpu};
    assert_int_equal(bough_schedule_add(m->b, rank, op, &id, &error), BOUGH_OK);
    return id;
}

/* A send of 101 bytes takes CPU 0 for 1500 + 100 * 10 ns. The receive has taken it at once (L = 0), or 4000
 * ns later, when CPU 0 computes something else. What waits for the send on CPU 1 begins at 2500 ns, or at
 * 5500 ns. */
static void rendezvous_beside_another_cpu(void **state) {
    (void)state;
    bough_source_report r;
    for (int late = 0; late < 2; late++) {
        made m = begin(2);
        m.w.host = (bough_host){.o = 1500000, .O = 10000, .S = 100};
        uint32_t send = add(&m, 0, BOUGH_OP_SEND, 101, 1);
        add_calc(&m, 0, 50000000, 0);
        after(&m, add_calc(&m, 0, 60000000, 1), send);
        uint32_t recv = add(&m, 1, BOUGH_OP_RECV, 101, 0);
        if (late) after(&m, recv, add_calc(&m, 1, 5500, 1));
        assert_int_equal(finish(&m, &r), UINT64_C(60000000000) + (late ? 5500000 : 2500000));
    }
}

/* Between ranks of one endpoint there is no L, g or G. */
static void one_endpoint(void **state) {
    (void)state;
    bough_source_report r;
    made m = begin(2);
    m.endpoint[1] = 0;
    add(&m, 0, BOUGH_OP_SEND, 1000, 1);
    add(&m, 0, BOUGH_OP_SEND, 1000, 1);
    add(&m, 1, BOUGH_OP_RECV, 1000, 0);
    add(&m, 1, BOUGH_OP_RECV, 1000, 0);
    assert_int_equal(finish(&m, &r), 3 * 1500000);
}

/* A wildcard takes what came first; then nothing is left for the other receive. */
static void hangs(void **state) {
    (void)state;
    bough_source_report r;
    made m = begin(3);
    add(&m, 1, BOUGH_OP_SEND, 8, 0);
    after(&m, add(&m, 2, BOUGH_OP_SEND, 8, 0), add(&m, 2, BOUGH_OP_CALC, 100000, 0));
    uint32_t any = add(&m, 0, BOUGH_OP_RECV, 8, BOUGH_ANY_RANK), one = add(&m, 0, BOUGH_OP_RECV, 8, 1);
    after(&m, one, any);
    after(&m, add(&m, 0, BOUGH_OP_CALC, 5, 0), one);
    finish(&m, &r);
    assert_int_equal(r.left, 2);
    assert_int_equal(r.lost, 1);
    assert_int_equal(r.waiting, 1);
    assert_string_equal(r.text, "rank 0 waits for 8 bytes from rank 1");
}

/* A send that must wait for its receive, which waits for the send of the other side, and so on around. */
static void rendezvous_ring(void **state) {
    (void)state;
    bough_source_report r;
    made m = begin(2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        uint32_t send = add(&m, rank, BOUGH_OP_SEND, 100000, !rank);
        after(&m, add(&m, rank, BOUGH_OP_RECV, 100000, !rank), send);
    }
    finish(&m, &r);
    assert_int_equal(r.left, 4);
    assert_int_equal(r.waiting, 2);
    assert_string_equal(r.text, "rank 0 waits until rank 1 receives its 100000 bytes (S=0B: no send waits)");
}

static void against_oracle(void **state) {
    (void)state;
    static const bough_host hosts[] = {
        {2500000, 1500000, 1000000, 6000, 0, 65535},
        {0, 0, 0, 0, 0, 0},
        {1000, 1000, 5000, 1000, 1000, 50},
        {10000, 100000, 0, 0, 2000, 0},
        {1000, 10, 2000, 3000, 0, 999},
        {1000000, 1000000, 1000000, 0, 0, 0}, /* much at one time */
        {0, 100, 50, 0, 70, 7}, /* the message may come, and be taken, while its sender is still at it */
        {2500000, 1500000, 1000000, 6000, 9000, 1},
    };
    unsigned hung = 0;
    for (uint64_t seed = 0; seed < 12000; seed++) {
        random_schedule how = {.ranks = 2 + (uint32_t)(seed % 7),
                               .messages = 5 + (uint32_t)(seed % 40),
                               .cpus = 1 + seed % 3,
                               .nics = 1 + seed / 3 % 2,
                               .starts = seed % 2,
                               .wildcards = seed % 5 == 0};
        uint32_t endpoint[8];
        uint64_t have[8], want[8];
        bough_source_report r;
        bough_schedule *s = schedule_random(&how, seed);
        bough_workload w = {.schedule = s, .endpoint = endpoint, .host = hosts[seed / 5 % 8]};
        for (uint32_t k = 0; k < how.ranks; k++) endpoint[k] = seed % 4 ? k : k / 2;
        uint64_t ended = run(&w, have, &r);
        assert_int_equal(ended, loggops_oracle(&w, want));
        for (uint32_t k = 0; k < how.ranks; k++) assert_int_equal(have[k], want[k]);
        assert_int_equal(r.left, s->ops - ended);
        hung += r.left > 0;
        bough_schedule_destroy(s);
    }
    assert_true(hung > 100 && hung < 6000); /* the way to hang is tested too */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ping_pong),
        cmocka_unit_test(binomial),
        cmocka_unit_test(dissemination),
        cmocka_unit_test(gaps),
        cmocka_unit_test(rendezvous),
        cmocka_unit_test(one_endpoint),
        cmocka_unit_test(rendezvous_beside_another_cpu),
        cmocka_unit_test(hangs),
        cmocka_unit_test(rendezvous_ring),
        cmocka_unit_test(against_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
