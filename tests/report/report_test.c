/* Table, CSV and JSON of results made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json/json_writer.h"
#include "base/memory/memory.h"
#include "bough/report.h"
#include "report/tables/text_table.h"
#include "report/tables/units.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE         BOUGH_NO_ROW_INDEX
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bough_cell cell(bough_metric_id metric, int64_t index, size_t count, const double *value) {
    bough_cell c = {.metric = metric, .index = index};
    for (size_t i = 0; i < count; i++) bough_stats_add(&c.stats, value[i]);
    return c;
}

static bough_answer answer(const char *method, bool exact, size_t asked, size_t routing,
                           const bough_cell *cells, size_t count) {
    bough_answer a = {.method = bough_strdup(method),
                      .exact = exact,
                      .asked = asked,
                      .routing = routing,
                      .routed = true,
                      .complete = true,
                      .cells = count,
                      .trials = cells[0].stats.count};
    a.cell = malloc(count * sizeof *a.cell);
    memcpy(a.cell, cells, count * sizeof *cells);
    return a;
}

static bough_study_point point(const char *value, const char *network, const char *traffic, size_t routings) {
    bough_study_point p = {.endpoints = 16, .switches = 32, .links = 128, .routings = routings};
    p.value = malloc(sizeof *p.value);
    *p.value = bough_strdup(value);
    p.network.spec = bough_strdup(network);
    p.traffic.spec = traffic ? bough_strdup(traffic) : NULL;
    p.routing = calloc(routings, sizeof *p.routing);
    for (size_t i = 0; i < routings; i++) p.routing[i].spec = bough_strdup(i ? "dmodk" : "random");
    p.answer = calloc(4, sizeof *p.answer);
    return p;
}

/* Two points n = 16, 32; a random answer and an exact one. */
static bough_study study_by_hand(void) {
    bough_study s = {.title = bough_strdup("by hand"),
                     .axes = 1,
                     .points = 2,
                     .seed = 1,
                     .effort = {3, 0, BOUGH_METRIC_COUNT}};
    s.axis = malloc(sizeof *s.axis);
    s.axis[0] = bough_strdup("n");
    s.point = calloc(2, sizeof *s.point);
    for (int i = 0; i < 2; i++) {
        bough_study_point *p = &s.point[i];
        *p = point(i ? "32" : "16", "fattree:n=16", "uniform:m=2", 1);
        double v[] = {1 + i, 2 + i, 3 + i}, many[] = {0.1, 0.1, 0.1};
        bough_cell first[] = {cell(BOUGH_METRIC_ROUNDS, NONE, 3, v),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 1, 3, many),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 2, 1, many)};
        bough_cell second[] = {cell(BOUGH_METRIC_ROUNDS, NONE, 1, v),
                               cell(BOUGH_METRIC_LG_M, NONE, 1, (double[]){NAN})};
        p->answer[p->answers++] = answer("circuit:mode=rounds", false, 0, 0, first, 3);
        p->answer[p->answers++] = answer("bound", true, 1, 0, second, 2);
        p->comparison = malloc(sizeof *p->comparison);
        p->comparison[p->comparisons++] =
            (bough_comparison){BOUGH_METRIC_ROUNDS, 1, 0, -1, 0.5, 0.75, NAN, 3};
    }
    return s;
}

static void test_csv(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    free(s.point[1].network.spec);
    s.point[1].network.spec = bough_strdup("ibnet:file=\"a,b\"");
    static const char plain[] = "fattree:n=16,random,uniform:m=2,circuit:mode=rounds";
    static const char quoted[] = "\"ibnet:file=\"\"a,b\"\"\",random,uniform:m=2,circuit:mode=rounds";
    char ci[40], expected[4000];
    bough_format_real(bough_stats_ci95(&s.point[0].answer[0].cell[0].stats), ci, sizeof ci);
    assert_true(strlen(ci) > 15); /* all its digits */
    assert_int_equal(bough_report_csv(&s, &text, NULL), BOUGH_OK);
    snprintf(expected, sizeof expected,
             "n,network,routing,traffic,method,metric,index,unit,mean,ci95,min,max,trials,status\n"
             "16,%s,rounds,,rounds,2,%s,1,3,3,ok\n"
             "16,%s,delivered_round,1,messages,0.1,,0.1,0.1,3,ok\n"
             "16,%s,delivered_round,2,messages,0.1,,0.1,0.1,1,ok\n"
             "16,fattree:n=16,random,uniform:m=2,bound,rounds,,rounds,1,,1,1,1,ok\n"
             "16,fattree:n=16,random,uniform:m=2,bound,lg_m,,rounds,,,,,1,ok\n"
             "32,%s,rounds,,rounds,3,%s,2,4,3,ok\n"
             "32,%s,delivered_round,1,messages,0.1,,0.1,0.1,3,ok\n"
             "32,%s,delivered_round,2,messages,0.1,,0.1,0.1,1,ok\n"
             "32,\"ibnet:file=\"\"a,b\"\"\",random,uniform:m=2,bound,rounds,,rounds,2,,2,2,1,ok\n"
             "32,\"ibnet:file=\"\"a,b\"\"\",random,uniform:m=2,bound,lg_m,,rounds,,,,,1,ok\n",
             plain, ci, plain, plain, quoted, ci, quoted, quoted);
    assert_string_equal(text, expected);
    free(text);
    bough_study_fini(&s);
}

/* Answers side by side: metrics with indices, the methods as series. */
static void test_table_across(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot = (bough_plot){
        .series = bough_strdup("method"), .y = {BOUGH_METRIC_DELIVERED_ROUND, BOUGH_METRIC_ROUNDS}, .ys = 2};
    s.compare = true;
    for (int i = 0; i < 2; i++) { /* what the model says of the same rounds */
        bough_answer *a = &s.point[i].answer[1];
        free(a->cell);
        const double same[] = {0.1004}, other[] = {0.102}, large[] = {1118208};
        bough_cell cells[] = {cell(BOUGH_METRIC_DELIVERED_ROUND, 1, 1, same),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 2, 1, other),
                              cell(BOUGH_METRIC_DELIVERED_ROUND, 3, 1, large)};
        a->cell = malloc(sizeof cells);
        memcpy(a->cell, cells, sizeof cells);
        a->cells = 3;
    }
    assert_int_equal(bough_report_table(&s, false, &text, NULL), BOUGH_OK);
    const char *table = strstr(text, " n  metric");
    assert_non_null(table);
    assert_string_equal(table, " n  metric               (1)      (2)\n"
                               "16  delivered_round[1]   0.1   0.1004\n"
                               "16  delivered_round[2]  *0.1    0.102\n"
                               "16  delivered_round[3]        1118208\n"
                               "16  rounds               2.0\n"
                               "32  delivered_round[1]   0.1   0.1004\n"
                               "32  delivered_round[2]  *0.1    0.102\n"
                               "32  delivered_round[3]        1118208\n"
                               "32  rounds               3.0\n"
                               "\n"
                               "(1) circuit:mode=rounds\n"
                               "(2) bound\n"
                               "*: more than 1 % from (2)\n\n"
                               "messages: delivered_round\n");
    free(text);
    bough_study_fini(&s);
}

static json_t *json_of(const bough_study *s, bool single) {
    char *text;
    json_error_t error;
    assert_int_equal(bough_report_json(s, single, &text, NULL), BOUGH_OK);
    assert_null(strstr(text, ": nan"));
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json) fail_msg("%s in %s", error.text, text);
    free(text);
    return json;
}

static void test_json_of_one_point(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    s.point[0].network.hash = 0xabc;
    json_t *json = json_of(&s, true);
    const char *version, *network, *hash, *routing, *traffic;
    int schema, endpoints, switches, links, seed;
    json_t *results, *comparisons;
    assert_int_equal(
        json_unpack_ex(json, NULL, JSON_STRICT,
                       "{s:s, s:i, s:{s:s, s:i, s:i, s:i, s:s}, s:[{s:s}], s:{s:s}, s:i, s:o, s:o}", "bough",
                       &version, "schema", &schema, "network", "spec", &network, "endpoints", &endpoints,
                       "switches", &switches, "links", &links, "file_hash", &hash, "routings", "spec",
                       &routing, "traffic", "spec", &traffic, "seed", &seed, "results", &results,
                       "comparisons", &comparisons),
        0);
    assert_int_equal(schema, 2);
    assert_int_equal(links, 128);
    assert_string_equal(hash, "0000000000000abc");
    assert_string_equal(routing, "random");
    assert_int_equal(json_array_size(results), 5);
    json_t *first = json_array_get(results, 0), *second = json_array_get(results, 2),
           *last = json_array_get(results, 4);
    assert_true(json_real_value(json_object_get(first, "ci95")) ==
                bough_stats_ci95(&s.point[0].answer[0].cell[0].stats)); /* to the last bit */
    assert_null(json_object_get(first, "index"));
    assert_non_null(json_object_get(first, "routing")); /* the same shape for one and for several */
    assert_string_equal(json_string_value(json_object_get(first, "unit")), "rounds");
    assert_string_equal(json_string_value(json_object_get(first, "status")), "ok");
    assert_int_equal(json_integer_value(json_object_get(second, "index")), 2);
    assert_true(json_is_null(json_object_get(second, "ci95")));       /* one trial: unknown */
    assert_null(json_object_get(json_array_get(results, 3), "ci95")); /* exact: none */
    assert_true(json_is_null(json_object_get(last, "mean")));         /* never NaN */
    json_t *c = json_array_get(comparisons, 0);
    assert_string_equal(json_string_value(json_object_get(c, "against")), "circuit:mode=rounds");
    assert_true(json_real_value(json_object_get(c, "ratio")) == 0.75);
    assert_true(json_is_null(json_object_get(c, "ratio_ci95")));
    json_decref(json);
    free(s.point[0].traffic.spec);
    s.point[0].traffic.spec = NULL;
    json = json_of(&s, true);
    assert_true(json_is_null(json_object_get(json, "traffic")));
    json_decref(json);
    bough_study_fini(&s);
}

static void test_json_of_several_routings(void **state) {
    (void)state;
    bough_study s = {.points = 1};
    s.point = calloc(1, sizeof *s.point);
    bough_study_point *p = &s.point[0];
    *p = point("", "fattree:n=16", "bitrev", 2);
    free(*p->value);
    free(p->value);
    p->value = NULL;
    bough_cell one = cell(BOUGH_METRIC_LOAD_FACTOR, NONE, 1, (double[]){2});
    for (size_t i = 0; i < 2; i++) p->answer[p->answers++] = answer("linkload", true, 0, i, &one, 1);
    p->answer[p->answers] = answer("bins", true, 1, 0, &one, 1);
    p->answer[p->answers++].routed = false;
    json_t *json = json_of(&s, true);
    assert_null(json_object_get(json, "routing"));
    assert_int_equal(json_array_size(json_object_get(json, "routings")), 2);
    json_t *results = json_object_get(json, "results");
    assert_string_equal(json_string_value(json_object_get(json_array_get(results, 1), "routing")), "dmodk");
    assert_true(json_is_null(json_object_get(json_array_get(results, 2), "routing")));
    json_decref(json);
    bough_study_fini(&s);
}

static void test_json_of_a_study(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    s.point[1].answer[0].complete = false;
    s.point[1].answer[0].outcome = BOUGH_RUN_PARTIAL;
    free(s.point[1].value[0]);
    s.point[1].value[0] = bough_strdup("nan"); /* a text, as any other word */
    json_t *json = json_of(&s, false);
    assert_string_equal(json_string_value(json_object_get(json, "study")), "by hand");
    assert_true(json_is_false(json_object_get(json, "complete")));
    json_t *points = json_object_get(json, "points");
    assert_int_equal(json_array_size(points), 2);
    json_t *axes = json_object_get(json_array_get(points, 0), "axes");
    assert_int_equal(json_integer_value(json_object_get(axes, "n")), 16); /* a number */
    json_t *second = json_array_get(points, 1);
    assert_true(json_is_string(json_object_get(json_object_get(second, "axes"), "n")));
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(json_object_get(second, "results"), 0), "status")),
        "partial");
    json_decref(json);
    bough_study_fini(&s);
}

static void test_json_writer(void **state) {
    (void)state;
    bough_text out = {0};
    json_writer w = {.out = &out};
    json_begin_object(&w, NULL, false);
    json_put_text(&w, "quo\"te", "line\nend \xc3\xa4");
    json_put_text(&w, "latin", "caf\xe9");
    json_put_real(&w, "tenth", 0.1);
    json_put_real(&w, "third", 1.0 / 3);
    json_put_real(&w, "nan", NAN);
    json_put_real(&w, "inf", -INFINITY);
    json_begin_array(&w, "empty", false);
    json_end_array(&w);
    json_begin_array(&w, "line", true);
    json_begin_object(&w, NULL, false);
    json_put_flag(&w, "yes", true);
    json_put_whole(&w, "least", INT64_MIN);
    json_end_object(&w);
    json_put_hash(&w, NULL, UINT64_MAX);
    json_end_array(&w);
    json_put_flag(&w, "after", false);
    json_end_object(&w);
    assert_string_equal(
        out.data,
        "{\n  \"quo\\\"te\": \"line\\nend \xc3\xa4\",\n  \"latin\": \"caf\xef\xbf\xbd\",\n  \"tenth\": 0.1,\n"
        "  \"third\": 0.3333333333333333,\n  \"nan\": null,\n  \"inf\": null,\n  \"empty\": [],\n"
        "  \"line\": [{\"yes\": true, \"least\": -9223372036854775808}, \"ffffffffffffffff\"],\n"
        "  \"after\": false\n}");
    bough_text_fini(&out);
}

static void test_columns(void **state) {
    (void)state;
    text_table t = {0};
    bough_text out = {0};
    text_table_head(&t, "name", false);
    text_table_head(&t, "unused", false);
    text_table_head(&t, "n", true);
    text_table_end_row(&t);
    text_table_add(&t, "\xc3\xa4");
    text_table_add(&t, "");
    text_table_add(&t, "1000");
    text_table_end_row(&t);
    text_table_add(&t, "longer than the head");
    text_table_end_row(&t);
    assert_int_equal(text_table_line(&t), 26);
    text_table_write(&t, &out);
    assert_string_equal(
        out.data, "name                     n\n\xc3\xa4                     1000\nlonger than the head\n");
    text_table_fini(&t);
    bough_text_fini(&out);
}

static void test_long_table(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    assert_int_equal(bough_report_table(&s, true, &text, NULL), BOUGH_OK);
    assert_string_equal(text, "fattree:n=16   16 endpoints, 32 switches, 128 links\n"
                              "routing random   traffic uniform:m=2   seed 1   3 trials\n\n"
                              " n  method               metric              mean  +-95%  min  max  trials\n"
                              "16  circuit:mode=rounds  rounds               2.0    2.5    1    3       3\n"
                              "                         delivered_round[1]   0.1      -  0.1  0.1       3\n"
                              "                         delivered_round[2]   0.1      -  0.1  0.1       1\n"
                              "16  bound                rounds                 1                    exact\n"
                              "                         lg_m                   -                    exact\n"
                              "32  circuit:mode=rounds  rounds               3.0    2.5    2    4       3\n"
                              "                         delivered_round[1]   0.1      -  0.1  0.1       3\n"
                              "                         delivered_round[2]   0.1      -  0.1  0.1       1\n"
                              "32  bound                rounds                 2                    exact\n"
                              "                         lg_m                   -                    exact\n\n"
                              "messages: delivered_round\n"
                              "rounds: lg_m\n\n"
                              "bound / circuit:mode=rounds:\n"
                              "  rounds  0.75  (difference -1.00 +- 0.50)\n");
    free(text);
    bough_study_fini(&s);
}

static void test_wide_table(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_ROUNDS;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_LG_M;
    s.compare = true;
    assert_int_equal(bough_report_table(&s, false, &text, NULL), BOUGH_OK);
    assert_string_equal(text, "by hand\n"
                              "seed 1   3 trials\n\n"
                              " n  method               rounds  +-95%  min  max  ratio  lg_m  trials\n"
                              "16  circuit:mode=rounds     2.0    2.5    1    3                    3\n"
                              "16  bound                     1                   0.750     -   exact\n"
                              "32  circuit:mode=rounds     3.0    2.5    2    4                    3\n"
                              "32  bound                     2                   0.750     -   exact\n\n"
                              "ratio: of the metric to its left, relative to the point's first method\n\n"
                              "rounds: lg_m\n");
    free(text);
    bough_study_fini(&s);
}

/* Of two metrics that both have, each with its own ratio; and one that was not compared. */
static void test_ratios(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_ROUNDS;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_LG_M;
    s.compare = true;
    for (int i = 0; i < 2; i++) {
        bough_study_point *p = &s.point[i];
        p->comparison = realloc(p->comparison, 2 * sizeof *p->comparison);
        p->comparison[p->comparisons++] =
            (bough_comparison){BOUGH_METRIC_LG_M, 1, 0, i ? NAN : 1, NAN, i ? NAN : 1.25, NAN, 3};
    }
    assert_int_equal(bough_report_table(&s, false, &text, NULL), BOUGH_OK);
    assert_non_null(
        strstr(text, " n  method               rounds  +-95%  min  max  ratio  lg_m  ratio  trials\n"));
    assert_non_null(
        strstr(text, "16  bound                     1                   0.750     -  1.250   exact\n"));
    assert_non_null(
        strstr(text, "32  bound                     2                   0.750     -          exact\n"));
    free(text);
    s.points = 1;
    s.point[0].comparison[1].difference = NAN;
    s.point[0].answer[1].outcome = BOUGH_RUN_SATURATED;
    assert_int_equal(bough_report_table(&s, true, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "  rounds  0.75  (difference -1.00 +- 0.50)\n"
                                 "  lg_m  not compared: "));
    if (!strstr(text, "not compared: bound is saturated")) fail_msg("%s", text);
    free(text);
    s.points = 2;
    bough_study_fini(&s);
}

/* Along n: {1 2 3} and {2 3 4}: the mean of six, the interval that of the values 2 and 3; the exact answer
 * two values. */
static void test_pool(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.plot.y[s.plot.ys++] = BOUGH_METRIC_ROUNDS;
    s.pool = bough_strdup("n");
    assert_int_equal(bough_report_table(&s, false, &text, NULL), BOUGH_OK);
    assert_string_equal(text, "by hand\n"
                              "seed 1   3 trials   merged over n\n\n"
                              "method               rounds  +-95%  min  max  trials\n"
                              "circuit:mode=rounds     2.5    6.4    1    4       6\n"
                              "bound                   1.5    6.4    1    2       2\n");
    free(text);
    /* A method that gives the same numbers everywhere does not look at the axis: its trials count once. */
    s.point[1].answer[0].cell[0] = s.point[0].answer[0].cell[0];
    assert_int_equal(bough_report_table(&s, false, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "circuit:mode=rounds     2.0    2.5    1    3       3\n"));
    free(text);
    /* Means of three and of one thing: (3 * 1 + 5) / 4, and of 2 (3^2 (1 - 2)^2 + (5 - 2)^2) / 4^2 the root.
     */
    for (int i = 0; i < 2; i++) {
        bough_stats *stats = &s.point[i].answer[0].cell[0].stats;
        *stats = (bough_stats){0};
        bough_stats_add_weighted(stats, i ? 5 : 1, i ? 1 : 3);
    }
    assert_int_equal(bough_report_table(&s, false, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "circuit:mode=rounds       2     19    1    5       6\n"));
    free(text);
    bough_study_fini(&s);
}

/* Each once, by units as they come; lines are broken. */
static void test_units(void **state) {
    (void)state;
    static const bough_metric_id metrics[] = {
        BOUGH_METRIC_COMPLETION_TIME, BOUGH_METRIC_THROUGHPUT,      BOUGH_METRIC_FCT,
        BOUGH_METRIC_MESSAGES,        BOUGH_METRIC_PR_C2_NUMERATOR, BOUGH_METRIC_FCT_P99,
        BOUGH_METRIC_FCT_MAX,         BOUGH_METRIC_RANK_COMPUTE,    BOUGH_METRIC_RANK_OVERHEAD};
    bough_study s = study_by_hand();
    bough_cell cells[COUNT(metrics)];
    bough_text out = {0};
    for (size_t i = 0; i < COUNT(metrics); i++) cells[i] = cell(metrics[i], NONE, 1, (double[]){0.5});
    for (size_t k = 0; k < 2; k++)
        s.point[k].answer[s.point[k].answers++] = answer("flow", true, 0, 0, cells, COUNT(cells));
    units_put(&out, &s, false);
    assert_string_equal(out.data, "\nmessages: delivered_round\n"
                                  "rounds: lg_m\n"
                                  "s: completion_time, fct, fct_p99, fct_max, rank_compute, rank_overhead\n"
                                  "Gb/s: throughput\n");
    bough_text_fini(&out);
    s.plot.y[0] = BOUGH_METRIC_FCT;
    s.plot.ys = 1;
    out = (bough_text){0};
    units_put(&out, &s, true);
    assert_string_equal(out.data, "\ns: fct\n");
    bough_text_fini(&out);
    s.plot.y[0] = BOUGH_METRIC_ROUNDS;
    out = (bough_text){0};
    units_put(&out, &s, true);
    assert_null(out.data);
    bough_study_fini(&s);
}

static void test_many_indices_are_cut(void **state) {
    (void)state;
    bough_study s = {.title = bough_strdup("t"), .points = 1, .effort = {1, 0, BOUGH_METRIC_COUNT}};
    bough_cell cells[40];
    char *text;
    s.point = calloc(1, sizeof *s.point);
    s.point[0] = point("", "fattree:n=16", NULL, 1);
    free(*s.point[0].value);
    free(s.point[0].value);
    s.point[0].value = NULL;
    for (int i = 0; i < 39; i++) cells[i] = cell(BOUGH_METRIC_PR_KIJ, i, 1, (double[]){i});
    cells[39] = cell(BOUGH_METRIC_PR_C2, NONE, 1, (double[]){0.5});
    s.point[0].answer[s.point[0].answers++] = answer("collision", true, 0, 0, cells, 40);
    assert_int_equal(bough_report_table(&s, true, &text, NULL), BOUGH_OK);
    assert_non_null(strstr(text, "pr_kij[23]"));
    assert_null(strstr(text, "pr_kij[24]"));
    assert_non_null(strstr(text, "... 15 more in --csv\n"));
    assert_non_null(strstr(text, "pr_c2 "));
    free(text);
    bough_study_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_table_across),
        cmocka_unit_test(test_json_of_one_point),
        cmocka_unit_test(test_json_of_several_routings),
        cmocka_unit_test(test_json_of_a_study),
        cmocka_unit_test(test_json_writer),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_long_table),
        cmocka_unit_test(test_wide_table),
        cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_many_indices_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
