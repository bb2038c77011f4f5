/* Several jobs: what is refused, where they sit, and that they are what they would be alone. */
#include "support/points.h"
#include "traffic/jobs/job_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "jobs_test.XXXXXX";

static const char *file_of(const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    fclose(f);
    return path;
}

static void refused(const char *text, unsigned line, const char *reason) {
    bough_net *net;
    bough_traffic *t;
    bough_error error = {0};
    char spec[64], place[64];
    snprintf(spec, sizeof spec, "jobs:%s", file_of(text));
    if (line)
        snprintf(place, sizeof place, "%s:%u", path, line);
    else /* an empty file */
        snprintf(place, sizeof place, "%s", path);
    if (bough_net_create("xgft:down=4x4,up=1x4", &net, &error)) fail_msg("%s", error.reason);
    bough_status status = bough_traffic_create(net, spec, &t, &error);
    if (status != BOUGH_INVALID || strcmp(error.place, place) != 0 || !strstr(error.reason, reason))
        fail_msg("'%s': status %d, '%s: %s', expected '%s: %s'", text, status, error.place, error.reason,
                 place, reason);
    assert_null(t);
    bough_net_destroy(net);
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    refused("", 0, "no jobs");
    refused("name,traffic,hosts\n", 1, "no jobs");
    refused("name,hosts\n", 1, "columns traffic and hosts are required");
    refused("traffic,hosts,colour\n", 1, "unknown column 'colour'");
    refused("traffic,hosts,hosts\n", 1, "hosts is given twice");
    refused("traffic,hosts\nrandperm\n", 2, "1 cell, but the first line has 2");
    refused("traffic,hosts\n,4\n", 2, "no traffic");
    refused("traffic,hosts\nrandperm,x\n", 2, "x");
    refused("traffic,hosts\nrandperm,1\n", 2, "a job has 2 to 2147483647");
    refused("traffic,hosts\n\"randperm,4\n", 2, "missing closing quote");
    refused("traffic,hosts,start\nrandperm,4,5\n", 2, "not a time with its unit");
    refused("name,traffic,hosts\na,randperm,4\na,randperm,4\n", 3, "the first is in line 2");
    refused("traffic,hosts,place\nrandperm,4,here\n", 2, "unknown place 'here'");
    refused("traffic,hosts,place\nrandperm,4,stride=0\n", 2, "too small");
    refused("traffic,hosts,place\nrandperm,4,list=0-2\n", 2, "the list has 3 endpoints for 4 hosts");
    refused("traffic,hosts,place\nrandperm,4,list=0-4\n", 2, "more endpoints than the 4 hosts");
    refused("traffic,hosts,place\nrandperm,4,list=0 1 2 16\n", 2,
            "endpoint 16 is out of range; there are 16");
    refused("traffic,hosts,place\nrandperm,4,list=3-0\n", 2, "not an endpoint or range");
    refused("traffic,hosts,place\nrandperm,4,list=0 1 2 2\n", 2, "endpoint h2 is used by another job");
    refused("traffic,hosts,place\nrandperm,4,list=0-3\nshift,4,list=3-6\n", 3,
            "endpoint h3 is used by another");
    refused("traffic,hosts\nrandperm,10\nshift,7\n", 3, "7 hosts, and 6 of 16 endpoints are free");
    refused("traffic,hosts,place\nshift,2147483647,random\n", 2, "2147483647 hosts, and 16 of 16");
    refused("traffic,hosts,place\nshift,2147483647,list=0-3\n", 2,
            "the list has 4 endpoints for 2147483647 hosts");
    refused("traffic,hosts,place\nshift,10,\nshift,7,stride=4e18\n", 3, "6 of 16 endpoints are free");
    refused("traffic,hosts\nrandporm,4\n", 2, "did you mean 'randperm'");
    refused("traffic,hosts\npoisson:load=0.1,4\n", 2, "cannot be a job");
    refused("traffic,hosts\njobs:jobs_test.csv,4\n", 2, "a list of jobs cannot be a job");
    refused("traffic,hosts\nrandperm,4\njobs:file=jobs_test.csv,4\n", 3, "a list of jobs cannot be a job");
    refused("traffic,hosts\n\"allreduce:ring,ranks=5\",4\n", 2, "5 ranks");
    refused("traffic,hosts\n\"allreduce:ring,L=1us,G=5ns\",4\n", 2,
            "L= of allreduce:algo=ring,size=1MB,ranks=4,L=1us,G=5ns "
            "applies to all jobs; give it to jobs:");
    refused("traffic,hosts\n\"allreduce:ring,jitter=exponential:5%\",4\n", 2, "jitter= of");
    refused("traffic,hosts\nallreduce:ring,size=1KiB,4\n", 2,
            "3 cells, but the first line has 2 columns; quote a traffic with commas: \"allreduce:ring");
}

static double job_time(const bough_point *p, const char *method, int64_t number) {
    bough_rows rows = rows_of(p, method);
    const double time = row_value(&rows, BOUGH_METRIC_JOB_TIME, number);
    bough_rows_fini(&rows);
    return time;
}

/* What an algorithm sets, and what a job gives, are its own: each takes as long as alone, on leaves of its
 * own. */
static void jobs_have_costs_of_their_own(void **state) {
    (void)state;
    static const char *const traffics[] = {"allreduce:ring,size=4KiB,o=5us", "allreduce:nccl,size=1KiB",
                                           "allreduce:ring,size=4KiB,g=3us,S=1",
                                           "alltoall:nccl-direct,size=1KiB"};
    static const char *const methods[] = {"flow", "packet", "loggops"};
    char list[512] = "traffic,hosts\n", spec[64];
    for (int i = 0; i < 4; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "\"%s\",4\n", traffics[i]);
    }
    snprintf(spec, sizeof spec, "jobs:%s", file_of(list));
    bough_point all = point_make("xgft:down=4x4,up=1x4", "dmodk", spec);
    for (int i = 0; i < 4; i++) {
        bough_point alone = point_make("xgft:down=4,up=1", "dmodk", traffics[i]);
        for (int m = 0; m < 3; m++) {
            bough_rows rows = rows_of(&alone, methods[m]);
            const double time = row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
            assert_close(job_time(&all, methods[m], i), time, 1e-12);
            bough_rows_fini(&rows);
        }
        point_free(&alone);
    }
    point_free(&all);
}

/* With compute nodes a job has whole ones, and its algorithms know them. */
static void whole_nodes(void **state) {
    (void)state;
    static const char jobs[] =
        "traffic,hosts,place\nshift,4,random\nshift,4,stride=2\n\"allgather:rails,size=64\",4,\n";
    bough_net *fabric, *net;
    bough_node_setting *node;
    bough_traffic *t;
    bough_error error = {0};
    char spec[64];
    bool taken[16] = {false};
    snprintf(spec, sizeof spec, "jobs:%s", file_of(jobs));
    assert_int_equal(bough_net_create("xgft:down=4x4,up=1x4", &fabric, &error), BOUGH_OK);
    assert_int_equal(bough_node_setting_create("dgx-h100:gpus=2,nics=2", &node, &error), BOUGH_OK);
    assert_int_equal(bough_compute_nodes_create(fabric, node, &net, &error), BOUGH_OK);
    if (bough_traffic_create(net, spec, &t, &error)) fail_msg("%s", error.reason);
    const bough_workload *w = t->workload;
    for (uint32_t r = 0; r < 12; r++) {
        assert_false(taken[w->endpoint[r]]);
        taken[w->endpoint[r]] = true;
        if (r % 2) assert_int_equal(w->endpoint[r], w->endpoint[r - 1] + 1);
        if (r % 2 == 0) assert_int_equal(w->endpoint[r] % 2, 0);
    }
    assert_int_equal((w->endpoint[6] - w->endpoint[4]) % 4,
                     0); /* every second node, as far as they are free */
    assert_int_equal(w->schedule->sends, 4 + 4 + 4 * (1 + 1)); /* along the rail, and in the node */
    bough_traffic_destroy(t);
    snprintf(spec, sizeof spec, "jobs:%s", file_of("traffic,hosts\nshift,3\n"));
    assert_int_equal(bough_traffic_create(net, spec, &t, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "3 hosts (GPUs): no whole compute nodes of 2"));
    bough_net_destroy(net);
    bough_net_destroy(fabric);
    bough_node_setting_destroy(node);
}

static void places_are_those_named(void **state) {
    (void)state;
    static const char text[] =
        "traffic,hosts,place\nshift,3,\nshift,3,stride=5\nshift,4,list=1 8-9 0\nshift,6,random\n";
    static const uint32_t want[4][6] = {{2, 3, 4}, {5, 10, 15}, {1, 8, 9, 0}};
    bough_input input;
    bough_error error;
    bough_net *net;
    job_list l = {0};
    bool taken[16] = {false};
    if (bough_net_create("xgft:down=4x4,up=1x4", &net, &error)) fail_msg("%s", error.reason);
    if (bough_input_from("jobs", text, strlen(text), &input, &error)) fail_msg("%s", error.reason);
    if (job_list_read(&input, &l, &error) || job_list_place(&l, net, 3, false, &error))
        fail_msg("%s: %s", error.place, error.reason);
    for (size_t i = 0; i < l.jobs; i++)
        for (uint32_t h = 0; h < l.job[i].hosts; h++) {
            uint32_t e = l.job[i].endpoint[h];
            assert_true(e < 16 && !taken[e]);
            taken[e] = true;
            if (i < 3) assert_int_equal(e, want[i][h]);
        }
    arena_fini(&l.memory);
    bough_input_fini(&input);
    bough_net_destroy(net);
}

#define NET  "xgft:down=4x4,up=1x1" /* one cable up from a leaf */
#define HOST ",o=0ns,g=0ns,S=0"

static double time_alone(const char *traffic) {
    bough_point p = point_make(NET, "dmodk", traffic);
    bough_rows rows = rows_of(&p, "flow");
    double time = row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    return time;
}

static bough_rows run_jobs(const char *text, const char *method) {
    char spec[128];
    snprintf(spec, sizeof spec, "jobs:%s" HOST, file_of(text));
    bough_point p = point_make(NET, "dmodk", spec);
    bough_rows rows = rows_of(&p, method);
    point_free(&p);
    return rows;
}

/* A job that has its leaves for itself takes what it takes without jobs, whatever the others do and whenever
 * it starts. */
static void jobs_apart_do_not_matter(void **state) {
    (void)state;
    bough_rows rows = run_jobs("name,traffic,hosts,start\na,\"allreduce:ring,size=80kB\",8,7us\n"
                               "b,\"alltoall:shift,size=80kB\",4,\nc,\"halo:2x2,size=1kB\",4,1ms\n",
                               "flow:alone=1");
    double a = time_alone("allreduce:ring,size=80kB,ranks=8" HOST);
    double b = time_alone("alltoall:shift,size=80kB,ranks=4" HOST), c = time_alone("halo:2x2,size=1kB" HOST);
    assert_close(row_value(&rows, BOUGH_METRIC_JOB_TIME, 0), a, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_JOB_TIME, 1), b, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_JOB_TIME, 2), c, 1e-12);
    for (int64_t j = 0; j < 3; j++) assert_close(row_value(&rows, BOUGH_METRIC_JOB_SLOWDOWN, j), 1, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX), 1e-3 + c, 1e-12);
    assert_non_null(strstr(rows.note, "0 a, 1 b, 2 c"));
    bough_rows_fini(&rows);
}

/* Two shifts that cross the same cable, one message of 1 MB each: 80 us alone, 160 us together. A batch's
 * messages all start at once. */
static void jobs_on_one_cable_share_it(void **state) {
    (void)state;
    static const char text[] = "traffic,hosts,place\nshift,2,list=0 4\nshift,2,list=1 5\n";
    bough_rows rows = run_jobs(text, "flow:delay=0ns,alone=1");
    for (int64_t j = 0; j < 2; j++) {
        assert_close(row_value(&rows, BOUGH_METRIC_JOB_TIME, j), 160e-6, 1e-12);
        assert_close(row_value(&rows, BOUGH_METRIC_JOB_SLOWDOWN, j), 2, 1e-12);
    }
    bough_rows_fini(&rows);
    /* the second starts when the first is half done */
    rows = run_jobs("traffic,hosts,place,start\nshift,2,list=0 4,0us\nshift,2,list=1 5,40us\n",
                    "flow:delay=0ns,alone=1");
    assert_close(row_value(&rows, BOUGH_METRIC_JOB_TIME, 0), 120e-6, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_JOB_TIME, 1), 120e-6, 1e-12);
    assert_close(row_value(&rows, BOUGH_METRIC_JOB_SLOWDOWN, 1), 1.5, 1e-12);
    bough_rows_fini(&rows);
    rows = run_jobs(text, "loggops"); /* no network to share */
    assert_true(row_value(&rows, BOUGH_METRIC_JOB_TIME, 0) == row_value(&rows, BOUGH_METRIC_JOB_TIME, 1));
    bough_rows_fini(&rows);
}

static void alone_is_about_jobs(void **state) {
    (void)state;
    bough_point p = point_make(NET, "dmodk", "allreduce");
    run_refused(&p, "flow:alone=1", BOUGH_UNSUPPORTED, "alone=1 needs jobs");
    point_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(places_are_those_named),
        cmocka_unit_test(jobs_apart_do_not_matter),
        cmocka_unit_test(jobs_on_one_cable_share_it),
        cmocka_unit_test(jobs_have_costs_of_their_own),
        cmocka_unit_test(alone_is_about_jobs),
        cmocka_unit_test(whole_nodes),
    };
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
