/* The page as bytes: what of it is markup, what is data, and what is neither. In a browser: tests/web. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json/json_writer.h"
#include "document/html.h"
#include "report/charts/chart_svg.h"
#include "report/pages/page.h"
#include "report/pages/page_assets.h"
#include "report/report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(bough_status status, const bough_error *error) {
    if (status) fail_msg("%s: %s", error->place, error->reason);
}

static size_t count(const char *text, const char *word) {
    size_t n = 0;
    for (text = strstr(text, word); text; text = strstr(text + 1, word)) n++;
    return n;
}

/* Without a script there is a style, and a page of markup. */
static void test_missing(void **state) {
    (void)state;
    bough_error error = {0};
    assert_non_null(page_assets.style);
    if (!page_is_static()) {
        assert_non_null(page_assets.script);
        assert_int_equal(strncmp(page_assets.script_hash, "sha256-", 7), 0);
        assert_int_equal(strncmp(page_assets.style_hash, "sha256-", 7), 0);
        return;
    }
    char *html = NULL;
    const page_parts parts = {.title = "t<", .body = "<p>s</p>"};
    ok(page_write(&parts, &html, &error), &error);
    assert_non_null(strstr(html, "<h1>t&lt;</h1>"));
    assert_non_null(strstr(html, "<p>s</p></main>"));
    assert_null(strstr(html, "<script"));
    assert_non_null(strstr(html, "default-src 'none'"));
    free(html);
}

/* Texts of others: escaped, without the directories of the page's files, the longest first. */
static void test_markup(void **state) {
    (void)state;
    static const char *const path[] = {"/a", "/a/b/c.net", "/a/b/d/"};
    const html_files files = {.path = path, .paths = 3};
    html_writer h = {.files = &files};
    html_element(&h, "p class=\"x\"", "/a/b/c.net: <b> & \"/a/b/d/\"");
    assert_string_equal(h.out.data, "<p class=\"x\">c.net: &lt;b&gt; &amp; &quot;d/&quot;</p>\n");
    bough_text_fini(&h.out);
    text_table t = {0};
    text_table_head(&t, "a", false);
    text_table_head(&t, "empty", true);
    text_table_head(&t, "n", true);
    text_table_end_row(&t);
    text_table_add(&t, "<i>");
    text_table_add(&t, "");
    text_table_add(&t, "3");
    text_table_end_row(&t);
    html_table(&h, &t, "c");
    assert_non_null(
        strstr(h.out.data, "<th scope=\"col\">a</th><th scope=\"col\" class=\"number\">n</th></tr>"));
    assert_non_null(strstr(h.out.data, "<td>&lt;i&gt;</td><td class=\"number\">3</td>"));
    assert_null(strstr(h.out.data, "empty"));
    bough_text_fini(&h.out);
}

/* Two points by hand: the first at the left edge, the other at the right; the range of y ends at ticks. */
static void test_chart(void **state) {
    (void)state;
    chart_point point[] = {{.x = 16, .mean = 3, .ci95 = 1, .label = "16"},
                           {.x = 64, .mean = 9, .ci95 = NAN, .label = "64"}};
    chart_series series = {.name = "<s>", .point = point, .points = 2};
    chart c = {
        .title = "t", .x_title = "n", .y_title = "y", .xscale = CHART_LOG2, .series = &series, .count = 1};
    bough_text out = {0};
    chart_svg(&c, &out);
    assert_non_null(strstr(out.data, "points=\"54.0,159.8 428.0,31.4\""));
    assert_non_null(strstr(out.data, "<title>&lt;s&gt;, 16: 3.0 \xc2\xb1 1.0</title>"));
    assert_non_null(strstr(out.data, ">10</text>"));
    assert_int_equal(count(out.data, "</path>"), 2);
    bough_text_fini(&out);
    chart nothing = {.title = "t", .x_title = "", .y_title = ""};
    chart_svg(&nothing, &out);
    assert_false(out.failed);
    bough_text_fini(&out);
}

/* The JSON of a page. */
static json_t *data_of(const char *html) {
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    const char *from = strstr(html, begin);
    assert_non_null(from);
    from += strlen(begin);
    const char *to = strstr(from, "</script>");
    assert_non_null(to);
    for (const char *c = from; c < to; c++)
        if (*c == '<' || *c == '>' || *c == '&') fail_msg("a bare %c in the data", *c);
    json_error_t reason;
    json_t *json = json_loadb(from, (size_t)(to - from), 0, &reason);
    if (!json) fail_msg("%s", reason.text);
    return json;
}

static void test_escapes(void **state) {
    (void)state;
    if (page_assets.missing) skip();
    static const char evil[] = "</script><!--<b> & \"'\xe2\x80\xa8\xe2\x80\xa9\xe2\x82\xac\x01";
    bough_text json = {0};
    json_writer w = {.out = &json, .compact = true};
    json_begin_object(&w, NULL, true);
    json_put_text(&w, "title", evil);
    json_put_real(&w, "nothing", NAN);
    json_end_object(&w);
    char *html = NULL;
    bough_error error = {0};
    ok(page_write(&(page_parts){.title = evil, .body = "<p/>", .json = json.data}, &html, &error), &error);
    json_t *data = data_of(html);
    assert_string_equal(json_string_value(json_object_get(data, "title")), evil);
    assert_true(json_is_null(json_object_get(data, "nothing")));
    assert_int_equal(count(html, "<script"), 2);
    assert_int_equal(count(html, "</script"), 2);
    assert_int_equal(count(html, "<!--"), 0);
    assert_int_equal(count(html, "\\u2028\\u2029"), 1);
    assert_non_null(strstr(html, "<title>&lt;/script&gt;&lt;!--&lt;b&gt; &amp; &quot;'"));
    assert_non_null(strstr(html, page_assets.script_hash));
    assert_int_equal(html[strlen(html) - 1], '\n');
    json_decref(data);
    free(html);
    bough_text_fini(&json);
}

static void test_strings(void **state) {
    (void)state;
    page_strings s = {0};
    char text[32];
    assert_int_equal(page_string(&s, NULL), -1);
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 1000; i++) {
            snprintf(text, sizeof text, "text %d", i * 7919 % 1000);
            assert_int_equal(page_string(&s, text), i);
        }
    assert_int_equal(page_string(&s, ""), 1000);
    assert_int_equal(s.count, 1001);
    assert_string_equal(s.text[1000], "");
    page_strings_fini(&s);
}

static void run(bough_study *study, const char *text) {
    bough_error error = {0};
    *study = (bough_study){0};
    ok(bough_study_parse(
           study,
           &(bough_study_text){.name = "study.yaml", .text = text, .size = strlen(text), .limit = 1000},
           &error),
       &error);
    ok(bough_study_resolve(study, &error), &error);
    ok(bough_study_run(study, &(bough_study_options){.threads = 1}, &error), &error);
}

/* The value of a study that a point is of. */
static const bough_cell *cell_of(const bough_study *study, double x, const char *method, const char *metric) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers && strtod(study->point[i].value[0], NULL) == x; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            for (size_t c = 0; c < a->cells && strcmp(a->method, method) == 0; c++)
                if (strcmp(bough_metrics[a->cell[c].metric].name, metric) == 0) return &a->cell[c];
        }
    return NULL;
}

static const char *string_at(const json_t *json, const json_t *row, size_t column) {
    json_int_t at = json_integer_value(json_array_get(row, column));
    return at < 0 ? "" : json_string_value(json_array_get(json_object_get(json, "strings"), (size_t)at));
}

/* A point has what results.csv says of it. */
static void test_values(void **state) {
    (void)state;
    if (page_assets.missing) skip();
    bough_study study;
    char *html = NULL;
    bough_error error = {0};
    run(&study,
        "network: fattree:n={n}\ntraffic: uniform\nmethods: [circuit:mode=rounds, bins:model=1, bound]\n"
        "grid: [n: [16, 32]]\ntrials: 4\nplot: {x: n, y: [rounds, curve]}\n");
    ok(bough_report_html(&study, &html, &error), &error);
    json_t *json = data_of(html), *drawn, *series, *point;
    size_t i, k, n, points = 0;
    json_array_foreach(json_object_get(json, "charts"), i, drawn)
        json_array_foreach(json_object_get(drawn, "series"), k, series)
            json_array_foreach(json_object_get(series, "points"), n, point) {
        points++;
        if (json_is_true(json_object_get(drawn, "ratio"))) continue;
        const char *metric = json_string_value(json_object_get(drawn, "metric"));
        const bough_cell *cell =
            cell_of(&study, json_number_value(json_array_get(point, 0)), string_at(json, point, 13), metric);
        assert_non_null(cell);
        assert_true(json_number_value(json_array_get(point, 2)) == cell->stats.mean);
        assert_true(json_number_value(json_array_get(point, 4)) == cell->stats.min);
        assert_int_equal(json_integer_value(json_array_get(point, 6)), cell->stats.count);
        assert_string_equal(string_at(json, point, 8), "ok");
    }
    assert_int_equal(points, 3 * 2 + 2 * 2 + 2);
    json_decref(json);
    free(html);
    bough_study_fini(&study);
}

/* A curve that saturates carries its load, although it has no point there. */
static void test_saturation(void **state) {
    (void)state;
    if (page_assets.missing) skip();
    bough_study study;
    char *html = NULL;
    bough_error error = {0};
    run(&study, "network: bft:n=64\ntraffic: poisson:load={load},flits=16\nmethods: [queueing]\n"
                "grid: [load: [0.02, 0.1, 0.2]]\nplot: {x: load, y: [latency]}\n");
    ok(bough_report_html(&study, &html, &error), &error);
    json_t *json = data_of(html), *drawn = json_object_get(json, "charts");
    json_t *series = json_array_get(json_object_get(json_array_get(drawn, 0), "series"), 0);
    assert_true(json_number_value(json_object_get(series, "saturated")) == 0.2);
    assert_int_equal(json_array_size(json_object_get(series, "points")), 2);
    assert_non_null(strstr(html, "saturated from load 0.2"));
    json_decref(json);
    free(html);
    bough_study_fini(&study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),    cmocka_unit_test(test_markup),  cmocka_unit_test(test_chart),
        cmocka_unit_test(test_escapes),    cmocka_unit_test(test_strings), cmocka_unit_test(test_values),
        cmocka_unit_test(test_saturation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
