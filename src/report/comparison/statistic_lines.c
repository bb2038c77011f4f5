#include "report/comparison/statistic_lines.h"

#include "method/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 160 };

/* ---- numbers ---- */

static bool is_quantile(const bough_statistic_value *v) {
    return isnan(v->limit);
}

/* "5 .. 6", "7 or more", "at most 0.0092". */
static void put_interval(text_table *t, const bough_statistic_value *v, double factor) {
    char low[QUANTITY_TEXT], high[QUANTITY_TEXT], text[TEXT] = "";
    quantity_format(v->low * factor, 0, low);
    quantity_format(v->high * factor, 0, high);
    bool below = is_quantile(v) ? isnan(v->low) : v->above == 0;
    bool above = is_quantile(v) ? isnan(v->high) : v->above == v->trials;
    if (below && !above)
        snprintf(text, sizeof text, is_quantile(v) ? "%s or less" : "at most %s", high);
    else if (above && !below)
        snprintf(text, sizeof text, is_quantile(v) ? "%s or more" : "at least %s", low);
    else if (!above)
        snprintf(text, sizeof text, "%s .. %s", low, high);
    text_table_add(t, text);
}

static void put_quantile(text_table *t, const bough_trial_statistic *s, const bough_statistic_value *v) {
    char text[TEXT], number[QUANTITY_TEXT];
    double known = isnan(v->value) ? isnan(v->low) ? v->high : v->low : v->value;
    quantity_unit unit = quantity_unit_of(s->metric, known);
    snprintf(text, sizeof text, "%.12g %%", s->quantile * 100);
    text_table_add(t, text);
    text_table_add(t, quantity_format(v->value * unit.factor, 0, number));
    text_table_add(t, isnan(v->value) ? "" : unit.name);
    put_interval(t, v, unit.factor);
    if (isnan(v->value))
        snprintf(text, sizeof text, "%" PRIu64 ", needs %" PRIu64, v->trials, v->needed);
    else
        snprintf(text, sizeof text, "%" PRIu64, v->trials);
    text_table_add(t, text);
}

static void put_above(text_table *t, const bough_study_point *p, const bough_trial_statistic *s,
                      const bough_statistic_value *v) {
    char text[TEXT], limit[QUANTITY_TEXT], share[QUANTITY_TEXT];
    quantity_unit unit = quantity_unit_of(s->metric, v->limit);
    const char *method = v->against == SIZE_MAX ? "" : p->answer[v->against].method;
    bool named = *unit.name && unit.factor != 1;
    snprintf(text, sizeof text, "above %s%s%s%s%.80s%s", quantity_format(v->limit * unit.factor, 0, limit),
             named ? " " : "", named ? unit.name : "", *method ? " (" : "", method, *method ? ")" : "");
    text_table_add(t, text);
    text_table_add(t, quantity_format(v->value, 0, share));
    text_table_add(t, "");
    put_interval(t, v, 1);
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, v->above, v->trials);
    text_table_add(t, text);
}

/* ---- the table ---- */

static void put_head(text_table *t, const table_labels *l) {
    table_answer_head(t, l);
    t->layout = TEXT_LAYOUT_HEADED;
    text_table_head(t, "metric", false);
    text_table_head(t, "of trials", false);
    text_table_head(t, "value", true);
    text_table_head_unit(t);
    text_table_head(t, "95 % interval", false);
    text_table_head(t, "trials", false);
    text_table_end_row(t);
}

/* first: of its answer, which has the labels. */
static void put_line(text_table *t, const table_labels *l, const bough_study_point *p,
                     const bough_statistic_value *v, bool first) {
    const bough_answer *a = &p->answer[v->answer];
    const bough_trial_statistic *s = &l->study->statistic[v->statistic];
    if (first) table_answer_add(t, l, p, a);
    for (size_t i = 0; i < t->labels && !first; i++) text_table_add(t, "");
    text_table_add(t, bough_metrics[s->metric].name);
    if (is_quantile(v))
        put_quantile(t, s, v);
    else
        put_above(t, p, s, v);
    text_table_end_row(t);
}

static bool has_value(const bough_study *study, bough_metric_id metric) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].statistics; k++)
            if (study->statistic[study->point[i].statistic[k].statistic].metric == metric) return true;
    return false;
}

/* The metrics that no answer over trials has. */
static void put_missing(document *d, const bough_study *study) {
    for (size_t k = 0; k < study->statistics; k++) {
        bough_metric_id metric = study->statistic[k].metric;
        bool said = k > 0 && study->statistic[k - 1].metric == metric;
        if (!said && !has_value(study, metric))
            document_item_of_list(d, "%s: no method has this metric in random trials",
                                  bough_metrics[metric].name);
    }
}

void statistics_describe(document *d, const table_labels *l, bool pooled) {
    const bough_study *study = l->study;
    text_table t = {0};
    if (!study->statistics) return;
    document_section(d, "statistics", "Quantiles and shares of trials");
    if (pooled) document_item_of_list(d, "quantiles, above: of single points, in --csv and --json");
    if (pooled) return;
    put_head(&t, l);
    for (size_t i = 0; i < study->points; i++) {
        const bough_study_point *p = &study->point[i];
        for (size_t k = 0; k < p->statistics; k++)
            put_line(&t, l, p, &p->statistic[k], !k || p->statistic[k - 1].answer != p->statistic[k].answer);
    }
    if (text_table_rows(&t) > 1) document_table(d, &t, "Quantiles and shares of trials");
    text_table_fini(&t);
    put_missing(d, study);
}

/* ---- JSON ---- */

static void put_json(json_writer *w, const bough_study *study, const bough_study_point *p,
                     const bough_statistic_value *v) {
    const bough_answer *a = &p->answer[v->answer];
    const bough_trial_statistic *s = &study->statistic[v->statistic];
    json_begin_object(w, NULL, true);
    json_put_text(w, "method", a->method);
    json_put_text(w, "routing", a->routed ? p->routing[a->routing].spec : NULL);
    json_put_text(w, "metric", bough_metrics[s->metric].name);
    if (is_quantile(v)) {
        json_put_real(w, "quantile", s->quantile);
        json_put_text(w, "unit", bough_metrics[s->metric].unit);
    } else {
        json_put_real(w, "limit", v->limit);
        if (v->against != SIZE_MAX) json_put_text(w, "limit_method", p->answer[v->against].method);
        json_put_whole(w, "above", (int64_t)v->above);
    }
    json_put_real(w, "value", v->value);
    json_put_real(w, "low", v->low);
    json_put_real(w, "high", v->high);
    json_put_whole(w, "trials", (int64_t)v->trials);
    if (is_quantile(v)) json_put_whole(w, "trials_needed", (int64_t)v->needed);
    json_end_object(w);
}

void statistic_lines_json(json_writer *w, const bough_study *study, const bough_study_point *p) {
    static const char *const key[] = {"quantiles", "above"};
    for (size_t kind = 0; kind < 2; kind++) {
        size_t count = 0;
        for (size_t i = 0; i < p->statistics; i++) {
            if (is_quantile(&p->statistic[i]) == (kind == 1)) continue;
            if (!count++) json_begin_array(w, key[kind], false);
            put_json(w, study, p, &p->statistic[i]);
        }
        if (count) json_end_array(w);
    }
}
