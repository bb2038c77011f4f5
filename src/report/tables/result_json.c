/* The JSON of points and studies (docs/json.md): one object for a point, the same for every method and any
 * number of routings; a study is an array of them. */
#include "report/tables/result_json.h"
#include "report/tables/precision_note.h"

#include "base/text/text.h"
#include "method/rows.h"
#include "report/comparison/measured_gap.h"
#include "report/comparison/statistic_lines.h"
#include "report/report.h"
#include "study/assumption_lines.h"
#include "study/files/real_expression.h"
#include "study/store/finished_study.h"

#include <math.h>
#include <stdio.h>

static void put_network(json_writer *w, const bough_study_point *p) {
    json_begin_object(w, "network", true);
    json_put_text(w, "spec", p->network.spec);
    if (p->network.hash) json_put_hash(w, "file_hash", p->network.hash);
    json_put_whole(w, "endpoints", (int64_t)p->endpoints);
    if (p->used) json_put_whole(w, "endpoints_used", (int64_t)p->used);
    json_put_whole(w, "switches", (int64_t)p->switches);
    json_put_whole(w, "links", (int64_t)p->links);
    json_end_object(w);
}

static void put_asked(json_writer *w, const char *key, const bough_asked *asked) {
    json_begin_object(w, key, true);
    json_put_text(w, "spec", asked->spec);
    if (asked->hash) json_put_hash(w, "file_hash", asked->hash);
    json_end_object(w);
}

void result_put_inputs(json_writer *w, const bough_study_point *p) {
    put_network(w, p);
    if (p->faults.spec) put_asked(w, "faults", &p->faults);
    if (p->physical.spec) put_asked(w, "physical", &p->physical);
    json_begin_array(w, "routings", p->routings == 1);
    for (size_t i = 0; i < p->routings; i++) put_asked(w, NULL, &p->routing[i]);
    json_end_array(w);
    if (p->traffic.spec)
        put_asked(w, "traffic", &p->traffic);
    else
        json_put_text(w, "traffic", NULL);
}

static void put_routing(json_writer *w, const bough_study_point *p, const bough_answer *a) {
    json_put_text(w, "routing", a->routed ? p->routing[a->routing].spec : NULL);
}

void result_put_premises(json_writer *w, const bough_answer *a) {
    if (!a->premises) return;
    json_begin_array(w, "premises", true);
    for (size_t i = 0; i < a->premises; i++) json_put_text(w, NULL, a->premise[i]);
    json_end_array(w);
}

static void put_cell(json_writer *w, const bough_study_point *p, const bough_answer *a, const bough_cell *c) {
    char name[BOUGH_NOTE_MAX];
    json_begin_object(w, NULL, true);
    json_put_text(w, "method", a->method);
    put_routing(w, p, a);
    json_put_text(w, "metric", bough_metrics[c->metric].name);
    if (c->index != BOUGH_NO_ROW_INDEX) json_put_whole(w, "index", c->index);
    if (c->index != BOUGH_NO_ROW_INDEX && index_metric_name(a->note, c->metric, c->index, name))
        json_put_text(w, "index_name", name);
    json_put_text(w, "unit", bough_metrics[c->metric].unit);
    json_put_real(w, "mean", c->stats.mean);
    if (!a->exact || c->ci95 > 0) json_put_real(w, "ci95", bough_cell_ci95(a, c));
    json_put_real(w, "min", c->stats.min);
    json_put_real(w, "max", c->stats.max);
    json_put_whole(w, "trials", (int64_t)c->stats.count);
    json_put_text(w, "status", bough_outcome_name(a->outcome));
    result_put_premises(w, a);
    json_end_object(w);
}

static void put_comparison(json_writer *w, const bough_study_point *p, const bough_comparison *c) {
    const bough_answer *a = &p->answer[c->answer], *b = &p->answer[c->against];
    json_begin_object(w, NULL, true);
    json_put_text(w, "metric", bough_metrics[c->metric].name);
    json_put_text(w, "method", a->method);
    put_routing(w, p, a);
    json_put_text(w, "against", b->method);
    json_put_text(w, "against_routing", b->routed ? p->routing[b->routing].spec : NULL);
    json_put_real(w, "difference", c->difference);
    if (!c->exact) json_put_real(w, "difference_ci95", c->difference_ci95);
    json_put_real(w, "ratio", c->ratio);
    if (!c->exact) json_put_real(w, "ratio_ci95", c->ratio_ci95);
    json_end_object(w);
}

static void put_note(json_writer *w, const bough_study_point *p, const bough_answer *a, const char *text) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "method", a->method);
    put_routing(w, p, a);
    json_put_text(w, "status", bough_outcome_name(a->outcome));
    json_put_text(w, "text", text);
    json_end_object(w);
}

/* Names of indices are beside the values: "index_name". */
static void put_notes(json_writer *w, const bough_study *study, const bough_study_point *p) {
    size_t notes = 0;
    for (size_t i = 0; i < p->answers; i++) {
        bough_text note[2] = {0};
        bough_text_add(&note[0], p->answer[i].note, index_names_at(p->answer[i].note));
        precision_note_put(&note[1], study, &p->answer[i]);
        for (size_t k = 0; k < 2; k++) {
            if (note[k].length && notes++ == 0) json_begin_array(w, "notes", false);
            if (note[k].length) put_note(w, p, &p->answer[i], note[k].data);
            w->out->failed |= note[k].failed;
            bough_text_fini(&note[k]);
        }
    }
    if (notes) json_end_array(w);
}

static void put_results(json_writer *w, const bough_study *study, const bough_study_point *p) {
    json_begin_array(w, "results", false);
    for (size_t i = 0; i < p->answers; i++)
        for (size_t k = 0; k < p->answer[i].cells; k++) put_cell(w, p, &p->answer[i], &p->answer[i].cell[k]);
    json_end_array(w);
    statistic_lines_json(w, study, p);
    assumption_lines_json(w, p);
    put_notes(w, study, p);
    measured_gap_json(w, p);
    if (!p->comparisons) return;
    json_begin_array(w, "comparisons", false);
    for (size_t i = 0; i < p->comparisons; i++) put_comparison(w, p, &p->comparison[i]);
    json_end_array(w);
}

static void put_remarks(json_writer *w, const bough_study *study) {
    if (!study->notes) return;
    json_begin_array(w, "remarks", false);
    for (size_t i = 0; i < study->notes; i++) json_put_text(w, NULL, study->note[i]);
    json_end_array(w);
}

/* ---- the plot of a study ---- */

static void put_lines(json_writer *w, const char *key, const bough_plot_line *line, unsigned lines) {
    if (!lines) return;
    json_begin_array(w, key, false);
    for (unsigned i = 0; i < lines; i++) {
        json_begin_object(w, NULL, true);
        json_put_text(w, "name", line[i].name);
        json_put_text(w, "expression", line[i].expression);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_metrics(json_writer *w, const char *key, const bough_plot *plot, const bool *wanted) {
    bool any = false;
    for (unsigned y = 0; y < plot->ys; y++) any = any || !wanted || wanted[y];
    if (!any) return;
    json_begin_array(w, key, true);
    for (unsigned y = 0; y < plot->ys; y++)
        if (!wanted || wanted[y]) json_put_text(w, NULL, bough_metrics[plot->y[y]].name);
    json_end_array(w);
}

static void put_ratio(json_writer *w, const bough_plot *plot) {
    if (!plot->ratio) return;
    json_begin_array(w, "ratio", true);
    if (plot->ratio_mean) json_put_text(w, NULL, "mean");
    if (plot->ratio_max) json_put_text(w, NULL, "max");
    json_end_array(w);
}

/* One as a text, several as a list. */
static void put_texts(json_writer *w, const char *key, char *const *text, size_t count) {
    if (count == 1) json_put_text(w, key, text[0]);
    if (count < 2) return;
    json_begin_array(w, key, true);
    for (size_t i = 0; i < count; i++) json_put_text(w, NULL, text[i]);
    json_end_array(w);
}

static void put_labels(json_writer *w, const bough_plot *plot) {
    if (!plot->labels) return;
    json_begin_object(w, "labels", false);
    for (unsigned i = 0; i < plot->labels; i++)
        json_put_text(w, plot->label[i].name, plot->label[i].expression);
    json_end_object(w);
}

/* Texts and sizes of figures. */
static void put_look(json_writer *w, const bough_plot *plot) {
    char size[64];
    if (plot->title) json_put_text(w, "title", plot->title);
    if (plot->xlabel) json_put_text(w, "xlabel", plot->xlabel);
    put_texts(w, "ylabel", plot->ylabel, plot->ylabels);
    put_labels(w, plot);
    put_texts(w, "order", plot->order, plot->orders);
    snprintf(size, sizeof size, "%.4gx%.4gcm", plot->width_cm, plot->height_cm);
    if (plot->width_cm > 0) json_put_text(w, "size", size);
    if (plot->font_pt > 0) json_put_real(w, "font", plot->font_pt);
}

static size_t count_series(const bough_plot *plot) {
    size_t count = 0;
    while (count < BOUGH_PLOT_SERIES && plot->series[count]) count++;
    return count;
}

static bool has_plot(const bough_plot *plot) {
    return plot->x || plot->xscale || plot->yscale || plot->series[0] || plot->facet || plot->ys ||
           plot->minmax || plot->ratio || plot->curves || plot->verticals || plot->title || plot->xlabel ||
           plot->ylabels || plot->labels || plot->orders || plot->width_cm > 0 || plot->font_pt > 0;
}

/* The keys that the study gives. */
static void put_plot(json_writer *w, const bough_plot *plot) {
    const char *const key[] = {"x", "xscale", "yscale", "facet"};
    const char *const value[] = {plot->x, plot->xscale, plot->yscale, plot->facet};
    if (!has_plot(plot)) return;
    json_begin_object(w, "plot", false);
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (value[i]) json_put_text(w, key[i], value[i]);
    put_texts(w, "series", plot->series, count_series(plot));
    put_metrics(w, "y", plot, NULL);
    put_metrics(w, "overlay", plot, plot->overlay);
    if (plot->minmax) json_put_text(w, "bars", "minmax");
    if (plot->join) json_put_text(w, "join", bough_plot_join_name[plot->join]);
    put_ratio(w, plot);
    put_lines(w, "curves", plot->curve, plot->curves);
    put_lines(w, "verticals", plot->vertical, plot->verticals);
    put_look(w, plot);
    json_end_object(w);
}

static void put_line_value(json_writer *w, const bough_study *study, const bough_study_point *p,
                           const bough_plot_line *line) {
    double axis[BOUGH_PLOT_AXES], value = NAN;
    const real_axes axes = {.name = study->axis, .value = axis, .count = study->axes};
    real_axes_of_point(study, p, axis);
    if (real_expression_value(line->expression, &axes, &value, NULL)) value = NAN;
    json_put_real(w, line->name, value);
}

/* What the lines of charts are at a point. */
static void put_line_values(json_writer *w, const bough_study *study, const bough_study_point *p) {
    const bough_plot *plot = &study->plot;
    if (!plot->curves && !plot->verticals) return;
    if (bough_plot_x_metric(study) != BOUGH_METRIC_COUNT) return; /* x is one value per answer */
    json_begin_object(w, "lines", true);
    for (unsigned i = 0; i < plot->curves; i++) put_line_value(w, study, p, &plot->curve[i]);
    for (unsigned i = 0; i < plot->verticals; i++) put_line_value(w, study, p, &plot->vertical[i]);
    json_end_object(w);
}

static void put_study(json_writer *w, const bough_study *study) {
    answer_count count = study_count_answers(study);
    json_put_text(w, "study", study->title);
    json_put_whole(w, "seed", (int64_t)study->seed);
    json_put_flag(w, "complete", count.complete == count.all);
    put_remarks(w, study);
    put_plot(w, &study->plot);
    json_begin_array(w, "points", false);
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        json_begin_object(w, NULL, false);
        json_begin_object(w, "axes", true);
        for (size_t k = 0; k < study->axes; k++) json_put_axis(w, study->axis[k], p->value[k]);
        json_end_object(w);
        result_put_inputs(w, p);
        put_line_values(w, study, p);
        json_put_whole(w, "seed", (int64_t)study->seed);
        put_results(w, study, p);
        json_end_object(w);
    }
    json_end_array(w);
}

bough_status bough_report_json(const bough_study *study, bool single, char **text, bough_error *error) {
    bough_text out = {0};
    json_writer w = {.out = &out};
    json_begin_document(&w);
    if (single) {
        result_put_inputs(&w, &study->point[0]);
        json_put_whole(&w, "seed", (int64_t)study->seed);
        put_remarks(&w, study);
        put_results(&w, study, &study->point[0]);
    } else {
        put_study(&w, study);
    }
    json_end_document(&w);
    return bough_text_finish(&out, text, error);
}
