/* CSV and JSON of results made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json/json_writer.h"
#include "report/report.h"
#include "support/results.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_csv(void **state) {
    (void)state;
    bough_study s = study_by_hand();
    char *text;
    s.point[1].network.spec = copied("ibnet:file=\"a,b\"");
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
    s.point[0].traffic.spec = NULL;
    json = json_of(&s, true);
    assert_true(json_is_null(json_object_get(json, "traffic")));
    json_decref(json);
    bough_study_fini(&s);
}

static void test_json_of_several_routings(void **state) {
    (void)state;
    bough_study s = {.points = 1};
    s.point = made(1, sizeof *s.point);
    bough_study_point *p = &s.point[0];
    *p = point("", "fattree:n=16", "bitrev", 2);
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
    s.point[1].value[0] = copied("nan"); /* a text, as any other word */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json_of_one_point),
        cmocka_unit_test(test_json_of_several_routings),
        cmocka_unit_test(test_json_of_a_study),
        cmocka_unit_test(test_json_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
