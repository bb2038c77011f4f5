/* The output of nccl-tests as `data`: what is refused, then values beside a collective. */
#include "models/external_table.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                                 \
    "# nThread 1 nGpus 1 minBytes 1024 maxBytes 4096 step: 2(factor)\n#\n# Using devices\n"                  \
    "#  Rank  0 Group  0 Pid 1 on h1 device  0 [0x18] NVIDIA H100\n"                                         \
    "#  Rank  1 Group  0 Pid 2 on h1 device  1 [0x2a] NVIDIA H100\n#\n"                                      \
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw " \
    "  "                                                                                                     \
    "busbw #wrong\n"                                                                                         \
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)\n"

static bough_status read(const char *text, const char *traffic, bough_rows *rows, bough_error *error) {
    bough_point p = point_make("xgft:down=4,up=1", "dmodk", traffic);
    bough_input input;
    *rows = (bough_rows){0};
    assert_int_equal(bough_input_from("log.txt", text, strlen(text), &input, error), BOUGH_OK);
    bough_status status = external_table_read(&input, &p, rows, error);
    bough_input_fini(&input);
    point_free(&p);
    return status;
}

static void refused(const char *text, const char *traffic, const char *place, const char *reason) {
    bough_error error = {0};
    bough_rows rows;
    bough_status status = read(text, traffic, &rows, &error);
    bough_rows_fini(&rows);
    assert_int_equal(status, BOUGH_INVALID);
    assert_string_equal(error.place, place);
    if (!strstr(error.reason, reason)) fail_msg("'%s' lacks '%s'", error.reason, reason);
}

#define TWO "allreduce:ring,ranks=2,size=2048"

static void wrong_texts_are_refused(void **state) {
    (void)state;
    refused(HEAD "2048 512 float sum -1 10.0 0.20\n", TWO, "log.txt:9", "7 columns; expected size, count");
    refused(HEAD "2048 512 float sum -1 ten 0.20 0.20 0 10.0 0.20 0.20 0\n", TWO, "log.txt:9", "time");
    refused(HEAD "2048 512 float sum -1 10 -0.20 0.20 0 10.0 0.20 0.20 0\n", TWO, "log.txt:9", "algbw");
    refused(HEAD "99999999999999999999 512 float sum -1 10 0.20 0.20 0 10.0 0.20 0.20 0\n", TWO, "log.txt:9",
            "size");
    refused(
        HEAD
        "2048 512 float sum -1 10 0.2 0.2 0 10 0.2 0.2 0\n2048 512 float sum -1 10 0.2 0.2 0 10 0.2 0.2 0\n",
        TWO, "log.txt:10", "a second line of 2048 bytes; the first is line 9");
    refused(HEAD "1024 256 float sum -1 10 0.2 0.2 0 10 0.2 0.2 0\n", TWO, "log.txt", "no row matches");
    refused(HEAD "2048 512 float sum -1 10 0.2 0.2 0 10 0.2 0.2 0\n", "allreduce:ring,ranks=4,size=2048",
            "log.txt", "measured with 2 ranks, but the traffic has 4");
    refused("# Collective test starting: all_gather_perf\n" HEAD, TWO, "log.txt:1",
            "the test is all_gather_perf, but the traffic allreduce");
    refused(HEAD "2048 512 float sum -1 10 0.2 0.2 0 10 0.2 0.2 0\n", "shift:k=1", "log.txt",
            "answers collectives");
}

static double value(const bough_rows *rows, bough_metric_id metric) {
    return row_value(rows, metric, BOUGH_NO_ROW_INDEX);
}

/* Logs of NCCL and mpirun stand between the lines; older versions have no root, or no redop. */
static void the_line_of_the_size_is_the_result(void **state) {
    (void)state;
    static const char *const lines[] = {
        "  2048  512  float  sum  -1  12.34  0.17  0.25  0  11.1  0.18  0.27  0\n",
        "  2048  512  float  sum  -1  12.34  0.17  0.25  N/A  11.1  0.18  0.27  N/A\r\n",
        "  2048  512  float  sum  12.34  0.17  0.25  1e-07  11.1  0.18  0.27  1e-07\n",
        "  2048  512  float  12.34  0.17  0.25  0  11.1  0.18  0.27  0\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[2000];
        bough_error error = {0};
        bough_rows rows;
        snprintf(text, sizeof text,
                 "mpirun noise\n# Collective test starting: all_reduce_perf\n%shost:1:2 [0] NCCL INFO "
                 "Channel 00/16 : 0 1\n%s4096 1024 float sum -1 "
                 "20 0.2 0.3 0 20 0.2 0.3 0\n# Avg bus bandwidth : 0.2\n",
                 HEAD, lines[i]);
        if (read(text, TWO, &rows, &error)) fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(rows.count, 3);
        assert_close(value(&rows, BOUGH_METRIC_COMPLETION_TIME), 12.34e-6, 1e-12);
        assert_close(value(&rows, BOUGH_METRIC_ALGO_BANDWIDTH), 0.17, 1e-12);
        assert_close(value(&rows, BOUGH_METRIC_BUS_BANDWIDTH), 0.25, 1e-12);
        bough_rows_fini(&rows);
    }
}

/* mpirun --tag-output, with Open MPI 5 too, mpiexec -prepend-rank, srun -l with many ranks, kubectl logs,
 * pdsh, and one within another. */
static void labels_of_launchers_are_skipped(void **state) {
    (void)state;
    static const char *const labels[] = {"0: ",
                                         "[1,0]<stdout>:",
                                         "[1,0]<stdout>: ",
                                         "[prterun-h1-7@1,0]<stdout>: ",
                                         "[0] ",
                                         "  0: ",
                                         "[pod/nccl-launcher-x7/main] ",
                                         "worker-0: ",
                                         "10.0.0.7:\t",
                                         "[pod/nccl-x7/main] [1,0]<stdout>:",
                                         "[pod/nccl-x7/main] worker-0: "};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const char *l = labels[i];
        char text[1000];
        bough_error error = {0};
        bough_rows rows;
        snprintf(text, sizeof text,
                 "%s#  Rank  0 Group  0 Pid 2 on h1 device  0 [0x2a] NVIDIA H100\n"
                 "%s#  Rank  1 Group  0 Pid 2 on h2 device  0 [0x2a] NVIDIA H100\n"
                 "%s#   size   count   type   redop   root   time   algbw   busbw #wrong\n"
                 "%s    2048  512  float  sum  -1  12.34  0.17  0.25  0  11.1  0.18  0.27  0\n",
                 l, l, l, l);
        if (read(text, TWO, &rows, &error)) fail_msg("%s: %s: %s", l, error.place, error.reason);
        assert_close(value(&rows, BOUGH_METRIC_COMPLETION_TIME), 12.34e-6, 1e-12);
        bough_rows_fini(&rows);
    }
}

#define LINE(size, time, gb) #size " 512 float sum -1 " #time " " #gb " " #gb " 0 10 0.2 0.2 0\n"
#define GATHER               "# Collective test starting: all_gather_perf\n"

/* Runs that do not fit are left out; the others count with their time: (10 x 0.2 + 30 x 0.1) / 40. */
static void runs_in_one_log(void **state) {
    (void)state;
    bough_error error = {0};
    bough_rows rows;
    static const char three[] = HEAD "#  Rank  2 Group  0 Pid 2 on h1 device  2 [0x2a] NVIDIA H100\n";
    char text[4000];
    snprintf(text, sizeof text, "%s%s%s%s%s", HEAD LINE(1024, 1, 9) LINE(2048, 10, 0.2), three,
             LINE(2048, 77, 7), GATHER HEAD LINE(2048, 99, 5), HEAD LINE(2048, 30, 0.1));
    if (read(text, TWO, &rows, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_int_equal(rows.count, 3);
    assert_close(value(&rows, BOUGH_METRIC_COMPLETION_TIME), 20e-6, 1e-12);
    assert_close(value(&rows, BOUGH_METRIC_ALGO_BANDWIDTH), 0.125, 1e-12);
    assert_close(value(&rows, BOUGH_METRIC_BUS_BANDWIDTH), 0.125, 1e-12);
    bough_rows_fini(&rows);
    if (read(text, "allgather:ring,ranks=2,size=2048", &rows, &error)) fail_msg("%s", error.reason);
    assert_close(value(&rows, BOUGH_METRIC_COMPLETION_TIME), 139e-6 / 3, 1e-12); /* two state nothing */
    bough_rows_fini(&rows);
    refused(text, "allreduce:ring,ranks=4,size=2048", "log.txt", "measured with 2 ranks, but the traffic");
    refused(GATHER HEAD LINE(2048, 99, 5) GATHER HEAD LINE(2048, 99, 5), TWO, "log.txt:1",
            "the test is all_gather_perf");
    refused(HEAD LINE(2048, 1, 5) HEAD LINE(2048, 1, 5) LINE(2048, 1, 5), TWO, "log.txt:19",
            "a second line of 2048 bytes; the first is line 18");
}

/* A script often runs all programs of nccl-tests and rccl-tests into one log, those for which bough has no
 * traffic too. */
static void programs_in_one_log(void **state) {
    (void)state;
    static const char *const others[] = {"all_gather_perf", "reduce_scatter_perf", "broadcast_perf",
                                         "alltoall_perf",   "all_to_all_perf",     "alltoallv_perf",
                                         "reduce_perf",     "scatter_perf",        "gather_perf",
                                         "sendrecv_perf",   "hypercube_perf"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[4000];
        bough_error error = {0};
        bough_rows rows;
        snprintf(text, sizeof text,
                 "# Collective test starting: all_reduce_perf\n%s# Collective test starting: %s\n%s",
                 HEAD LINE(2048, 10, 0.2), others[i], HEAD LINE(2048, 30, 0.1));
        if (read(text, TWO, &rows, &error)) fail_msg("%s: %s", error.place, error.reason);
        if (fabs(value(&rows, BOUGH_METRIC_COMPLETION_TIME) - 10e-6) > 1e-12)
            fail_msg("%s counts", others[i]);
        bough_rows_fini(&rows);
    }
}

/* srun -l writes the rank before every line. */
static void labels_of_ranks_are_skipped(void **state) {
    (void)state;
    bough_error error = {0};
    bough_rows rows;
    static const char text[] =
        "0: #   size   count   type   redop   root   time   algbw   busbw #wrong\n"
        "13:#  Rank  1 Group  0 Pid 2 on h1 device  1 [0x2a] NVIDIA H100\n"
        "0:         2048  512  float  sum  -1  12.34  0.17  0.25  0  11.1  0.18  0.27  0\n"
        "1: noise\n2:\n";
    refused(text, TWO, "log.txt", "measured with 1 rank, but the traffic has 2");
    char two[600];
    snprintf(two, sizeof two, "0: #  Rank  0 Group  0 Pid 2 on h1 device  0 [0x2a] NVIDIA H100\n%s", text);
    if (read(two, TWO, &rows, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_close(value(&rows, BOUGH_METRIC_COMPLETION_TIME), 12.34e-6, 1e-12);
    bough_rows_fini(&rows);
}

/* A word and a colon before a number need not be a label. */
static void labels_of_hosts_are_those_of_the_header(void **state) {
    (void)state;
    bough_error error = {0};
    bough_rows rows;
    static const char head[] = "w0: #   size   count   type   redop   root   time   algbw   busbw #wrong\n";
    static const char row[] = "w0: 2048  512  float  sum  -1  12.34  0.17  0.25  0  11.1  0.18  0.27  0\n";
    char text[600];
    snprintf(text, sizeof text, "%sNOTE: # of GPUs\nwarning: 8 GPUs\n:\n:  #\nw1: 2048 7\n%s", head, row);
    if (read(text, TWO, &rows, &error)) fail_msg("%s: %s", error.place, error.reason);
    assert_close(value(&rows, BOUGH_METRIC_COMPLETION_TIME), 12.34e-6, 1e-12);
    bough_rows_fini(&rows);
    snprintf(text, sizeof text, "%sw0: 2048 7\n%s", head, row);
    refused(text, TWO, "log.txt:2", "2 columns");
}

/* ---- JSON ---- */

#define CONFIG(test, ngpus)                                                                                  \
    "{\"version\":3,\"args\":[\"/opt/build/" test                                                            \
    "\",\"-J\",\"x.json\"],\"env\":[\"A=1\"],\"nccl_version\":23004,"                                        \
    "\"config\":{\"nthreads\":1,\"ngpus\":" #ngpus                                                           \
    ",\"blocking_collectives\":\"false\",\"devices\":[{\"rank\":0,"                                          \
    "\"hostname\":\"h1\"}]},\"results\":["
#define RESULT(size, run)                                                                                    \
    "{\"size\":" #size                                                                                       \
    ",\"count\":512,\"type\":\"float\",\"redop\":\"sum\",\"root\":\"    -1\",\"out_of_place\":" run          \
    ",\"in_place\":{\"time\":11,\"alg_bw\":1,\"bus_bw\":1,\"nwrong\":0},\"actual_iterations\":20}"
#define RUN "{\"time\":12.34,\"alg_bw\":0.17,\"bus_bw\":0.25,\"nwrong\":null}"
#define END "],\"average_bus_bandwidth\":{\"bandwidth\":0.2,\"okay\":\"unchecked\"},\"errors\":[]}\n"

static void wrong_json_is_refused(void **state) {
    (void)state;
    refused("{\"results\":", TWO, "log.txt", "");
    refused("{}", TWO, "log.txt", "no array results; expected what nccl-tests writes with -J");
    refused("{\"results\":{}}", TWO, "log.txt", "no array results");
    refused(CONFIG("all_reduce_perf", 2) "7" END, TWO, "log.txt", "size of a result is not a whole number");
    refused(CONFIG("all_reduce_perf", 2) "{\"size\":-1}" END, TWO, "log.txt", "size of a result");
    refused(CONFIG("all_reduce_perf", 2) "{\"size\":2048}" END, TWO, "log.txt", "out_of_place of a result");
    refused(CONFIG("all_reduce_perf", 2) RESULT(2048, "{\"time\":1}") END, TWO, "log.txt",
            "alg_bw of a result is not a number");
    refused(CONFIG("all_reduce_perf", 2) RESULT(2048, "{\"time\":-1,\"alg_bw\":1,\"bus_bw\":1}") END, TWO,
            "log.txt", "time of a result is not a number");
    refused(CONFIG("all_reduce_perf", 2) RESULT(2048, RUN) "," RESULT(2048, RUN) END, TWO, "log.txt",
            "a second result of 2048 bytes");
    refused(CONFIG("all_reduce_perf", 2) RESULT(1024, RUN) END, TWO, "log.txt", "no row matches");
    refused(CONFIG("all_reduce_perf", 2) RESULT(2048, "null") END, TWO, "log.txt", "no row matches");
    refused(CONFIG("all_gather_perf", 2) RESULT(2048, RUN) END, TWO, "log.txt",
            "the test is all_gather_perf, but the traffic allreduce");
    refused(CONFIG("all_reduce_perf_mpi", 4) RESULT(2048, RUN) END, TWO, "log.txt",
            "measured with 4 ranks, but the traffic has 2");
    refused(CONFIG("all_reduce_perf", 2) RESULT(2048, RUN) END, "shift:k=1", "log.txt",
            "answers collectives");
}

static void the_result_of_the_size_is_read(void **state) {
    (void)state;
    static const char *const text[] = {
        CONFIG("all_reduce_perf_mpi", 2) RESULT(1024, RUN) "," RESULT(2048, RUN) END,
        " \n" CONFIG("other", 2) RESULT(2048, "{\"cpu_time\":12.34,\"alg_bw\":0.17,\"bus_bw\":0.25}") END,
        "{\"results\":[" RESULT(2048, RUN) END,
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        bough_error error = {0};
        bough_rows rows;
        if (read(text[i], TWO, &rows, &error)) fail_msg("%s: %s", error.place, error.reason);
        assert_int_equal(rows.count, 3);
        assert_close(value(&rows, BOUGH_METRIC_COMPLETION_TIME), 12.34e-6, 1e-12);
        assert_close(value(&rows, BOUGH_METRIC_ALGO_BANDWIDTH), 0.17, 1e-12);
        assert_close(value(&rows, BOUGH_METRIC_BUS_BANDWIDTH), 0.25, 1e-12);
        bough_rows_fini(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_in_one_log),
        cmocka_unit_test(programs_in_one_log),
        cmocka_unit_test(labels_of_ranks_are_skipped),
        cmocka_unit_test(labels_of_launchers_are_skipped),
        cmocka_unit_test(labels_of_hosts_are_those_of_the_header),
        cmocka_unit_test(wrong_json_is_refused),
        cmocka_unit_test(the_result_of_the_size_is_read),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(the_line_of_the_size_is_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
