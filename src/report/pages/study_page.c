/* The data: texts stand once, in `strings`; a point has all that the script shows of it. 10 000 points are
 * about 0.6 MB. */
#include "report/pages/study_page.h"

#include "base/json/json_writer.h"
#include "base/status/try.h"
#include "document/document_html.h"
#include "report/charts/chart_marks.h"
#include "report/pages/page.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

typedef struct page_data {
    json_writer w;
    page_strings strings;
} page_data;

static void put_string(page_data *p, const char *text) {
    json_put_whole(&p->w, NULL, page_string(&p->strings, text));
}

/* What a ratio is to: another method, or the same under another routing. */
static const char *against_name(const chart_point *point) {
    if (!point->against) return NULL;
    bool routings = point->against->asked == point->answer->asked;
    return routings ? point->of->routing[point->against->routing].spec : point->against->method;
}

/* PointRow of web/src/data.ts. */
static void put_point(page_data *p, const chart *c, const chart_point *point) {
    const bough_study_point *of = point->of;
    const bough_answer *a = point->answer;
    const chart_bar across = chart_x_bar_of(c, point);
    json_begin_array(&p->w, NULL, true);
    json_put_real(&p->w, NULL, point->x);
    put_string(p, point->label);
    json_put_real(&p->w, NULL, point->mean);
    json_put_real(&p->w, NULL, point->ci95);
    json_put_real(&p->w, NULL, point->min);
    json_put_real(&p->w, NULL, point->max);
    json_put_whole(&p->w, NULL, (int64_t)point->trials);
    json_put_whole(&p->w, NULL, point->exact);
    put_string(p, bough_outcome_name(a->outcome));
    put_string(p, of->network.spec);
    put_string(p, of->faults.spec);
    put_string(p, a->routed || of->routings == 1 ? of->routing[a->routing].spec : NULL);
    put_string(p, of->traffic.spec);
    put_string(p, a->method);
    put_string(p, against_name(point));
    if (c->metric_x) {
        json_put_real(&p->w, NULL, across.low);
        json_put_real(&p->w, NULL, across.high);
    }
    json_end_array(&p->w);
}

static void put_reals(json_writer *w, const char *key, const double *value, size_t count) {
    json_begin_array(w, key, true);
    for (size_t i = 0; i < count; i++) json_put_real(w, NULL, value[i]);
    json_end_array(w);
}

/* Lines without marks. */
static void put_curves(json_writer *w, const chart *c) {
    if (!c->curves) return;
    json_begin_array(w, "curves", true);
    for (size_t i = 0; i < c->curves; i++) {
        const chart_curve *curve = &c->curve[i];
        json_begin_object(w, NULL, true);
        json_put_text(w, "name", curve->name);
        json_put_whole(w, "style", curve->style);
        json_put_flag(w, "mean", curve->mean);
        json_put_flag(w, "vertical", curve->vertical);
        put_reals(w, "x", curve->x, curve->points);
        put_reals(w, "y", curve->y, curve->points);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_series(page_data *p, const chart *c, const chart_series *s) {
    json_writer *w = &p->w;
    json_begin_object(w, NULL, true);
    json_put_text(w, "name", s->name);
    json_put_whole(w, "style", s->style);
    if (c->overlay) json_put_text(w, "metric", bough_metrics[s->metric].name);
    json_put_real(w, "saturated", s->saturates ? s->saturated_from : NAN);
    json_begin_array(w, "points", true);
    for (size_t k = 0; k < s->points; k++) put_point(p, c, &s->point[k]);
    json_end_array(w);
    json_end_object(w);
}

static void put_chart(page_data *p, const chart *c) {
    static const char *const scales[] = {"linear", "log2", "log10", "category"};
    json_writer *w = &p->w;
    json_begin_object(w, NULL, true);
    json_put_text(w, "title", c->title);
    json_put_text(w, "x", c->x_title);
    json_put_text(w, "y", c->y_title);
    json_put_text(w, "metric", bough_metrics[c->metric].name);
    json_put_text(w, "facet", c->facet);
    json_put_text(w, "xscale", scales[c->xscale]);
    json_put_text(w, "yscale", scales[c->yscale]);
    json_put_flag(w, "ratio", c->ratio);
    if (c->overlay) json_put_flag(w, "overlay", true);
    if (c->minmax) json_put_flag(w, "minmax", true);
    if (c->metric_x) json_put_flag(w, "metric_x", true);
    if (c->scatter) json_put_flag(w, "scatter", true);
    json_begin_array(w, "categories", true);
    for (size_t i = 0; i < c->categories; i++) json_put_text(w, NULL, c->category[i]);
    json_end_array(w);
    json_put_whole(w, "left_out", (int64_t)c->left_out);
    if (c->left_lines) json_put_whole(w, "left_lines", (int64_t)c->left_lines);
    json_begin_array(w, "series", true);
    for (size_t i = 0; i < c->count; i++) put_series(p, c, &c->series[i]);
    json_end_array(w);
    put_curves(w, c);
    json_end_object(w);
}

static void make_data(const charts *all, bough_text *json) {
    page_data p = {.w = {.out = json, .compact = true}};
    json_begin_document(&p.w);
    json_begin_array(&p.w, "charts", true);
    for (size_t i = 0; i < all->count && i < RESULT_CHARTS; i++) put_chart(&p, &all->chart[i]);
    json_end_array(&p.w);
    json_begin_array(&p.w, "strings", true);
    for (size_t i = 0; i < p.strings.count; i++) json_put_text(&p.w, NULL, p.strings.text[i]);
    json_end_array(&p.w);
    json_end_document(&p.w);
    json->failed |= p.strings.failed;
    page_strings_fini(&p.strings);
}

bough_status study_page_write(const bough_study *study, const study_page *page, char **text,
                              bough_error *error) {
    result_options options = page->results;
    html_writer body = {.files = page->files};
    bough_text json = {0};
    document d = {0};
    charts all = {0};
    /* a single point has no curves */
    bough_status status = options.single ? BOUGH_OK : charts_make(study, &all, error);
    options.figures = !options.single;
    options.charts = &all;
    TRY(result_document_make(study, &options, &d, error));
    if (!status) document_write_html(&d, &body);
    document_fini(&d);
    if (!status && body.out.failed) status = bough_fail_memory(error, body.out.length);
    if (!status && !page_is_static()) make_data(&all, &json);
    if (!status && json.failed) status = bough_fail_memory(error, json.length);
    const page_parts parts = {
        .title = page->title, .command = page->command, .body = body.out.data, .json = json.data};
    TRY(page_write(&parts, text, error));
    charts_fini(&all);
    bough_text_fini(&json);
    bough_text_fini(&body.out);
    return status;
}

bough_status bough_report_html(const bough_study *study, char **text, bough_error *error) {
    const study_page page = {.title = study->title ? study->title : "Results", .command = study->command};
    return study_page_write(study, &page, text, error);
}
