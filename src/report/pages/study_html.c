#include "report/pages/study_html.h"

#include "method/quantity.h"
#include "method/rows.h"
#include "report/charts/chart_marks.h"
#include "report/charts/chart_svg.h"
#include "report/comparison/measured_gap.h"
#include "report/comparison/premise_lines.h"
#include "report/tables/table_labels.h"
#include "study/assumption_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NOTES_MAX = 40 };

static void put_effort(html_writer *h, const bough_effort *e) {
    char text[160], number[40];
    if (e->precision > 0)
        snprintf(text, sizeof text,
                 "until the 95 %% interval of %s is within %s %%, at most %" PRIu64 " trials",
                 e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : "each headline",
                 bough_format_real(100 * e->precision, number, sizeof number),
                 e->trials ? e->trials : (uint64_t)BOUGH_PRECISION_TRIALS);
    else
        snprintf(text, sizeof text, "%" PRIu64 " %s", e->trials, e->trials == 1 ? "trial" : "trials");
    html_fact(h, "effort", text);
}

void study_html_facts(html_writer *h, const bough_study *study) {
    char text[64];
    size_t asked = 0, complete = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++, asked++)
            complete += study->point[i].answer[k].complete;
    snprintf(text, sizeof text, "%" PRIu64, study->seed);
    html_fact(h, "seed", text);
    put_effort(h, &study->effort);
    if (complete < asked)
        snprintf(text, sizeof text, "%zu of %zu complete", complete, asked);
    else
        snprintf(text, sizeof text, "%zu, all complete", asked);
    html_fact(h, "answers", text);
}

/* ---- charts ---- */

static void put_charts(html_writer *h, const bough_study *study, const charts *all) {
    size_t shown = all->count < STUDY_HTML_CHARTS ? all->count : STUDY_HTML_CHARTS;
    bough_text without = {0};
    if (!shown && !all->without_x) return;
    html_begin_section(h, "charts", "Charts");
    chart_put_without_x(&without, all);
    if (without.length) html_textf(h, "%s. ", without.data);
    h->out.failed = h->out.failed || without.failed;
    bough_text_fini(&without);
    html_put(h, "<p class=\"note\">Bars: ");
    html_put(h, study->plot.minmax ? "minimum to maximum; of ratios " : "");
    html_put(h, "95 % intervals. Hollow marks: saturated or partial "
                "results.</p>\n<div class=\"charts\">\n");
    for (size_t i = 0; i < shown; i++) chart_svg(&all->chart[i], &h->out);
    html_put(h, "</div>\n");
    if (shown < all->count + all->left_out) {
        html_put(h, "<p class=\"note\">");
        html_textf(h, "%zu more charts are left out.", all->count + all->left_out - shown);
        html_put(h, "</p>\n");
    }
    html_end_section(h);
}

/* ---- results ---- */

static void add_result(text_table *t, const table_labels *l, const bough_study_point *p,
                       const bough_answer *a, const bough_cell *c) {
    const quantity_unit unit = quantity_unit_of(c->metric, c->stats.mean);
    const double ci95 = bough_cell_ci95(a, c) * unit.factor;
    const double value[] = {c->stats.mean * unit.factor, c->stats.min * unit.factor,
                            c->stats.max * unit.factor};
    char text[QUANTITY_TEXT];
    table_labels_add(t, l, p);
    if (l->routing) text_table_add(t, a->routed ? p->routing[a->routing].spec : "any");
    text_table_add(t, a->method);
    table_add_metric(t, a, c);
    text_table_add(t, isfinite(value[0]) ? quantity_format(value[0], ci95, text) : "");
    text_table_add(t, isfinite(ci95) ? quantity_format_interval(value[0], ci95, text) : "");
    text_table_add(t, unit.name);
    for (int i = 1; i < 3; i++)
        text_table_add(t, !a->exact && isfinite(value[i]) ? quantity_format(value[i], 0, text) : "");
    table_add_trials(t, l, a, c->stats.count);
    text_table_end_row(t);
}

static text_table head_results(const table_labels *l) {
    text_table t = {0};
    table_labels_head(&t, l);
    if (l->routing) text_table_head(&t, "routing", false);
    text_table_head(&t, "method", false);
    text_table_head(&t, "metric", false);
    text_table_head(&t, "mean", true);
    text_table_head(&t, "\xc2\xb1 95 %", true);
    text_table_head(&t, "unit", false);
    text_table_head(&t, "min", true);
    text_table_head(&t, "max", true);
    table_head_trials(&t, l);
    text_table_end_row(&t);
    return t;
}

/* *rows counts all results. */
static void add_answer(text_table *t, const table_labels *l, const bough_study_point *p,
                       const bough_answer *a, size_t *rows) {
    for (size_t c = 0; c < a->cells; c++)
        if ((*rows)++ < STUDY_HTML_ROWS) add_result(t, l, p, a, &a->cell[c]);
}

static void put_results(html_writer *h, const bough_study *study) {
    const table_labels labels = table_labels_of(study);
    text_table t = head_results(&labels);
    size_t rows = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            add_answer(&t, &labels, &study->point[i], &study->point[i].answer[k], &rows);
    html_begin_section(h, "results", "Results");
    html_table(h, &t, "All results");
    if (rows > STUDY_HTML_ROWS) {
        html_put(h, "<p class=\"note\">");
        html_textf(h, "The first %d of %zu results; results.csv has all.", STUDY_HTML_ROWS, rows);
        html_put(h, "</p>\n");
    }
    html_end_section(h);
}

/* ---- notes ---- */

static void study_note(bough_text *out, const bough_study_point *p, const bough_answer *a) {
    size_t said = index_names_at(a->note);
    bough_text gap = {0};
    measured_gap_put(&gap, p, a);
    if (said && a->outcome != BOUGH_RUN_OK) bough_text_printf(out, "%s: ", bough_outcome_name(a->outcome));
    bough_text_add(out, a->note, said);
    if (said && gap.length) bough_text_put(out, "; ");
    bough_text_join(out, &gap);
}

static void put_note(html_writer *h, const bough_study *study, const bough_study_point *p,
                     const bough_answer *a, const char *note) {
    html_put(h, "<li>");
    html_text(h, a->method);
    if (p->routings > 1 && a->routed) html_put(h, " under ");
    if (p->routings > 1 && a->routed) html_text(h, p->routing[a->routing].spec);
    for (size_t x = 0; x < study->axes; x++) html_textf(h, ", %s=%s", study->axis[x], p->value[x]);
    html_put(h, ": ");
    html_text(h, note);
    html_put(h, "</li>\n");
}

/* Broken premises: what the methods assume, and this study does not have. */
static void put_premises(html_writer *h, const bough_study *study) {
    premise_lines lines;
    if (premise_lines_make(study, &lines, NULL)) h->out.failed = true;
    for (size_t i = 0; i < lines.count; i++) html_element(h, "li", lines.text[i]);
    if (lines.more) {
        html_put(h, "<li>");
        html_textf(h, "%" PRIu64 " more broken premises", lines.more);
        html_put(h, "</li>\n");
    }
    premise_lines_fini(&lines);
}

static void put_notes(html_writer *h, const bough_study *study) {
    html_writer list = {0};
    size_t notes = 0;
    put_premises(&list, study);
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            bough_text note = {0};
            study_note(&note, &study->point[i], a);
            if (note.length && notes++ < NOTES_MAX) put_note(&list, study, &study->point[i], a, note.data);
            list.out.failed = list.out.failed || note.failed;
            bough_text_fini(&note);
        }
    if (list.out.length || list.out.failed) {
        html_begin_section(h, "notes", "Notes");
        html_put(h, "<ul>\n");
        bough_text_join(&h->out, &list.out);
        html_put(h, "</ul>\n<p class=\"note\">");
        if (notes > NOTES_MAX) html_textf(h, "%zu more notes are left out.", notes - NOTES_MAX);
        html_put(h, "</p>\n");
        html_end_section(h);
    }
    bough_text_fini(&list.out);
}

static void put_assumptions(html_writer *h, const bough_study *study) {
    bough_text text = {0};
    assumption_lines_put(&text, study, SIZE_MAX / 2);
    if (text.length || text.failed) {
        html_begin_section(h, "assumptions", "Assumptions");
        html_lines(h, &text);
        html_end_section(h);
    }
    bough_text_fini(&text);
}

void study_html_notes(html_writer *h, const bough_study *study) {
    put_assumptions(h, study);
    put_notes(h, study); /* premises before numbers */
}

void study_html_rest(html_writer *h, const bough_study *study, const charts *all) {
    put_charts(h, study, all);
    put_results(h, study);
}
