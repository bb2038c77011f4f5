/* What is announced before a run is what it takes: the sum of all that its point shares and of its trials. */
#include "study/run/point_binding.h"
#include "study/study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void parse(bough_study *study, const char *network, const char *traffic, const char *method,
                  const char *routing) {
    char text[1024];
    bough_error error;
    snprintf(text, sizeof text, "network: '%s'\n%s%s%srouting: '%s'\nmethods: ['%s']\ntrials: 4\n", network,
             traffic ? "traffic: '" : "", traffic ? traffic : "", traffic ? "'\n" : "", routing, method);
    if (bough_study_parse(
            study, &(bough_study_text){.name = "test", .text = text, .size = strlen(text), .limit = 10},
            &error) ||
        bough_study_resolve(study, &error))
        fail_msg("%s: %s: %s", method, error.place, error.reason);
}

static void the_sum_has_all_parts(void **state) {
    (void)state;
    bough_study study;
    unsigned threads;
    parse(&study, "xgft:down=8x8,up=1x4", "alltoall:algo=linear", "loggops", "dmodk");
    const bough_study_point *p = &study.point[0];
    uint64_t ops = 2 * 64 * 63; /* a send and a receive of every pair */
    /* 24 of an operation, 12 for its waits, 8 for its channel and rank; 32 and more of it at work */
    assert_in_range(p->bytes, 44 * ops, 52 * ops + 20000); /* and 4 of a wait, and the network */
    assert_in_range(p->answer[0].bytes, 36 * ops, 60 * ops);
    assert_int_equal(bough_study_memory(&study, 8, &threads), p->bytes + p->answer[0].bytes);
    assert_int_equal(threads, 1); /* exact: one trial says all */
    bough_study_fini(&study);

    parse(&study, "xgft:down=8x8,up=1x4", "uniform", "circuit:mode=rounds", "free");
    p = &study.point[0];
    assert_int_equal(bough_study_memory(&study, 3, &threads), p->bytes + 3 * p->answer[0].bytes);
    assert_int_equal(threads, 3);
    assert_int_equal(bough_study_memory(&study, 8, &threads), p->bytes + 4 * p->answer[0].bytes);
    assert_int_equal(threads, 4); /* no more than there are trials */
    bough_study_fini(&study);

    /* One trial on a team. */
    parse(&study, "xgft:down=8x8,up=1x4", "alltoall", "linkload", "dmodk");
    p = &study.point[0];
    assert_int_equal(p->answer[0].bytes_each, 16 * 64); /* two counts for each endpoint, and no loads */
    assert_int_equal(answer_team(&study, p, &p->answer[0], 3), 3);
    assert_int_equal(bough_study_memory(&study, 3, &threads),
                     p->bytes + p->answer[0].bytes + 2 * p->answer[0].bytes_each);
    assert_int_equal(threads, 1);
    bough_study_fini(&study);

    /* Two runs at a time, on any number of threads. */
    parse(&study, "xgft:down=8x8,up=1x4", "alltoall:algo=linear", "flow:spray=0", "dmodk");
    p = &study.point[0];
    study.effort.trials = 1;
    assert_int_equal(p->answer[0].bytes_each, 0);
    assert_true(p->answer[0].bytes_team > 0);
    assert_int_equal(bough_study_memory(&study, 1, &threads), p->bytes + p->answer[0].bytes);
    for (unsigned team = 2; team <= 64; team *= 2)
        assert_int_equal(bough_study_memory(&study, team, &threads),
                         p->bytes + p->answer[0].bytes + p->answer[0].bytes_team);
    bough_study_fini(&study);

    /* Trials that run at a time have no teams. */
    parse(&study, "xgft:down=8x8,up=1x4", "uniform", "linkload", "dmodk");
    p = &study.point[0];
    assert_int_equal(answer_team(&study, p, &p->answer[0], 3), 1);
    bough_study_fini(&study);

    parse(&study, "xgft:down=8x8,up=1x4", "uniform", "linkload", "minhop");
    uint64_t entries = UINT64_C(64) * (8 + 4); /* addresses x switches */
    assert_true(study.point[0].bytes >= 4 * entries);
    bough_study_fini(&study);

    /* Trees for each address: a load for each link, too. */
    parse(&study, "xgft:down=8x8,up=1x4", "alltoall", "linkload", "minhop");
    assert_true(study.point[0].answer[0].bytes_each >= 8 * 2 * (64 + 32) + 16 * 64);
    bough_study_fini(&study);
}

typedef struct measured {
    double announced, taken; /* KiB */
} measured;

enum { DIFFER = 256 }; /* KiB: two processes of one question differ by that, as memory is counted in pages */

/* Runs the question in a process of its own, whose heap nothing else has grown. */
static measured run_alone(const char *network, const char *traffic, const char *method, const char *routing) {
    struct rusage usage;
    measured m = {0};
    int status, ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bough_study study;
        bough_error error;
        parse(&study, network, traffic, method, routing);
        m.announced = (double)bough_study_memory(&study, 1, NULL) / 1024;
        bool bad = write(ends[1], &m, sizeof m) != sizeof m;
        _exit(bad || bough_study_run(&study, &(bough_study_options){.threads = 1}, &error));
    }
    assert_int_equal(read(ends[0], &m, sizeof m), sizeof m);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    m.taken = (double)usage.ru_maxrss;
    return m;
}

static void what_is_announced_is_what_is_taken(void **state) {
    (void)state;
#ifdef BOUGH_SANITIZED
    skip(); /* it takes memory of its own */
#endif
    static const struct {
        const char *network, *traffic, *method, *routing;
        double most; /* times what it takes */
    } cases[] = {
        {"xgft:down=16x32,up=1x16", "alltoall:algo=linear,size=1kB", "loggops", "dmodk", 1.25},
        {"xgft:down=16x16,up=1x16", "allreduce:algo=ring,size=1MB", "loggops", "dmodk", 1.5},
        {"xgft:down=16x32,up=1x16", "alltoall", "flow", "dmodk", 1.5},
        {"xgft:down=16x16,up=1x16", "allreduce:algo=ring,size=100MB", "packet", "dmodk", 2},
        {"xgft:down=16x16,up=1x4", "alltoall:algo=linear,size=16MB", "packet", "dmodk", 2},
        {"xgft:down=16x16,up=1x16", "alltoall:algo=linear,size=4MB", "packet", "free", 2.1},
        {"xgft:down=32x32,up=1x32", "alltoall", "linkload:engine=generic", "minhop", 1.5},
    };
    double base = run_alone("fattree:n=16", "uniform", "bins:model=1", "free").taken;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        measured m = run_alone(cases[i].network, cases[i].traffic, cases[i].method, cases[i].routing);
        m.taken -= base;
        if (m.announced < 0.9 * m.taken || m.announced > cases[i].most * (m.taken + DIFFER))
            fail_msg("%s %s: %.0f KiB announced, %.0f taken", cases[i].traffic, cases[i].method, m.announced,
                     m.taken);
    }
}

/* 2^15 ranks: 2^31 operations. Refused by their number or, before any is made, by their memory. */
static void what_cannot_fit_is_refused_before_it_is_made(void **state) {
    (void)state;
    static const char text[] = "network: 'xgft:down=32x32x32,up=1x32x32'\n"
                               "traffic: 'alltoall:algo=linear,ranks=32000'\nmethods: [loggops]\ntrials: 1\n";
    bough_study study;
    bough_error error;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(bough_study_parse(
                         &study,
                         &(bough_study_text){.name = "test", .text = text, .size = strlen(text), .limit = 10},
                         &error),
                     BOUGH_OK);
    assert_int_equal(bough_study_resolve(&study, &error), BOUGH_TOO_LARGE);
    assert_non_null(strstr(error.reason, "the schedule and its execution would take"));
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 100000);
    bough_study_fini(&study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            what_is_announced_is_what_is_taken), /* first: a child begins with what its parent has */
        cmocka_unit_test(the_sum_has_all_parts),
        cmocka_unit_test(what_cannot_fit_is_refused_before_it_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
