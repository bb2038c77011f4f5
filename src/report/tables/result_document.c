/* The order of what results say. */
#include "report/tables/result_document.h"

#include "base/status/try.h"
#include "base/text/text.h"
#include "document/narrow_table.h"
#include "method/quantity.h"
#include "method/rows.h"
#include "report/charts/chart_marks.h"
#include "report/charts/chart_svg.h"
#include "report/charts/chart_verdict.h"
#include "report/comparison/measured_gap.h"
#include "report/comparison/premise_lines.h"
#include "report/comparison/statistic_lines.h"
#include "report/report.h"
#include "report/tables/pooled_results.h"
#include "report/tables/precision_note.h"
#include "study/assumption_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    NOTES_SHOWN = 12,
    NOTES_MOST = 200,  /* of a page */
    METRICS_BRIEF = 8, /* of an answer */
    CARDS = 8,
    FACETS = 3 /* charts of one metric that stand together at first */
};

typedef struct result_view {
    document *doc;
    const bough_study *study; /* whose points the table has */
    const bough_study *whole; /* before an axis was merged */
    const table_labels *labels;
    const result_options *options;
    const charts *charts; /* NULL: not needed */
} result_view;

/* ---- what was asked ---- */

static void put_effort(document *d, const bough_effort *e) {
    char number[40];
    document_begin(d, DOCUMENT_SHORT, "");
    if (e->precision > 0) {
        const uint64_t most = bough_effort_trials(e);
        document_put(d, "precision %s%s%s%%",
                     e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : "",
                     e->watch < BOUGH_METRIC_COUNT ? ":" : "",
                     bough_format_real(e->precision * 100, number, sizeof number));
        document_put(d, ", at most %" PRIu64 " trial%s", most, most == 1 ? "" : "s");
    } else {
        document_put(d, "%" PRIu64 " trial%s", e->trials, e->trials == 1 ? "" : "s");
    }
    document_end(d);
}

/* Then trials and their precision are of no account. */
static bool all_exact(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            if (!study->point[i].answer[k].exact) return false;
    return true;
}

static void put_run(const result_view *w) {
    document_short(w->doc, "seed", "%" PRIu64, w->study->seed);
    if (!all_exact(w->study)) put_effort(w->doc, &w->study->effort);
    if (w->study != w->whole) document_short(w->doc, "merged over", "%s", w->whole->pool);
}

static void put_point(const result_view *w) {
    const bough_study_point *p = &w->study->point[0];
    document *d = w->doc;
    document_short(d, "", "%s", p->network.spec);
    document_short(d, "", "%" PRIu64 " endpoint%s, %" PRIu64 " switch%s, %" PRIu64 " link%s", p->endpoints,
                   p->endpoints == 1 ? "" : "s", p->switches, p->switches == 1 ? "" : "es", p->links,
                   p->links == 1 ? "" : "s");
    document_short(d, "", "%s", "");
    if (p->used) document_short(d, "", "%" PRIu64 " of %" PRIu64 " endpoints used", p->used, p->endpoints);
    if (p->used) document_short(d, "", "%s", "");
    if (p->faults.spec) document_short(d, "faults", "%s", p->faults.spec);
    if (p->physical.spec) document_short(d, "physical", "%s", p->physical.spec);
    if (p->routings == 1) document_short(d, "routing", "%s", p->routing[0].spec);
    document_short(d, "traffic", "%s", p->traffic.spec ? p->traffic.spec : "none");
    put_run(w);
}

/* What all points have in common. */
static void put_study(const result_view *w) {
    const table_labels *l = w->labels;
    const bough_study_point *p = w->study->points ? &w->study->point[0] : NULL;
    const bool plain = p && !w->study->axes;
    if (plain && !l->network) document_short(w->doc, "", "%s", p->network.spec);
    if (plain && !l->faults && p->faults.spec) document_short(w->doc, "", "%s", p->faults.spec);
    if (plain && !l->traffic && p->traffic.spec) document_short(w->doc, "", "%s", p->traffic.spec);
    for (size_t i = 0; i < l->axes && p; i++)
        if (!l->axis[i] && !(w->study != w->whole && i + 1 == w->study->axes))
            document_short(w->doc, "", "%s=%s", w->study->axis[i], p->value[i]);
    put_run(w);
}

/* ---- the answer in a few words ---- */

/* The headline of an answer over all points: "6.974 +- 0.068", "3.50 to 11". False without a value. */
static bool put_headline(const result_view *w, size_t k, bough_text *out) {
    const bough_answer *a = &w->study->point[0].answer[k];
    char number[QUANTITY_TEXT], other[QUANTITY_TEXT];
    double low = INFINITY, high = -INFINITY, ci = NAN;
    for (size_t i = 0; i < w->study->points; i++) {
        const bough_answer *at = &w->study->point[i].answer[k];
        const bough_cell *c = table_find_cell(at, a->headline, BOUGH_NO_ROW_INDEX);
        if (!c || !isfinite(c->stats.mean)) continue;
        low = fmin(low, c->stats.mean);
        high = fmax(high, c->stats.mean);
        ci = bough_cell_ci95(at, c);
    }
    if (low > high) return false;
    const quantity_unit unit = quantity_unit_of(a->headline, high);
    const bool interval = w->study->points == 1 && isfinite(ci) && ci > 0;
    if (low < high) bough_text_printf(out, "%s to ", quantity_format(low * unit.factor, 0, number));
    ci = interval ? ci * unit.factor : 0;
    bough_text_put(out, quantity_format(high * unit.factor, ci, number));
    if (interval) bough_text_printf(out, " +- %s", quantity_format_interval(high * unit.factor, ci, other));
    if (*unit.name) bough_text_printf(out, " %s", unit.name);
    return true;
}

/* The worst end of an answer at any point. */
static bough_outcome outcome_of(const bough_study *study, size_t k, size_t *points) {
    bough_outcome worst = BOUGH_RUN_OK;
    *points = 0;
    for (size_t i = 0; i < study->points; i++) {
        const bough_answer *a = &study->point[i].answer[k];
        if (!a->trials || a->outcome == BOUGH_RUN_OK) continue;
        if (a->outcome > worst) worst = a->outcome;
        ++*points;
    }
    return worst;
}

static void put_answer_card(const result_view *w, size_t k) {
    const bough_study_point *p = &w->study->point[0];
    const bough_answer *a = &p->answer[k];
    bough_text label = {0}, answer = {0}, about = {0};
    size_t points;
    const bough_outcome outcome = outcome_of(w->study, k, &points);
    table_put_method(&label, p, a);
    if (p->routings > 1 && a->routed) bough_text_printf(&label, " under %s", p->routing[a->routing].spec);
    const bool known = put_headline(w, k, &answer);
    if (!known) bough_text_put(&answer, outcome == BOUGH_RUN_OK ? "-" : bough_outcome_name(outcome));
    bough_text_put(&about, bough_metrics[a->headline].name);
    if (w->study->points > 1) bough_text_printf(&about, ", %zu points", w->study->points);
    if (outcome != BOUGH_RUN_OK && known) bough_text_printf(&about, ", %s", bough_outcome_name(outcome));
    if (outcome != BOUGH_RUN_OK && w->study->points > 1) bough_text_printf(&about, " at %zu", points);
    w->doc->failed |= label.failed || answer.failed || about.failed;
    if (!w->doc->failed) document_card(w->doc, label.data, answer.data, about.data, true);
    const bool some = outcome == BOUGH_RUN_PARTIAL || points < w->study->points;
    document_style(w->doc, outcome == BOUGH_RUN_OK ? TEXT_PLAIN : some ? TEXT_WARNING : TEXT_ERROR);
    bough_text_fini(&label);
    bough_text_fini(&answer);
    bough_text_fini(&about);
}

/* All points have these answers. */
static bool has_same_answers(const bough_study *study) {
    for (size_t i = 1; i < study->points; i++)
        if (study->point[i].answers != study->point[0].answers) return false;
    return study->points > 0;
}

static void put_cards(const result_view *w) {
    char text[64];
    size_t asked = 0, complete = 0;
    for (size_t i = 0; i < w->whole->points; i++)
        for (size_t k = 0; k < w->whole->point[i].answers; k++, asked++)
            complete += w->whole->point[i].answer[k].complete;
    if (complete < asked) {
        snprintf(text, sizeof text, "%zu of %zu", complete, asked);
        document_card(w->doc, "answers", text, "are complete", true);
        document_style(w->doc, TEXT_WARNING);
    }
    if (has_same_answers(w->study))
        for (size_t k = 0; k < w->study->point[0].answers && k < CARDS; k++) put_answer_card(w, k);
    if (w->charts) charts_describe(w->doc, w->charts);
}

/* ---- charts ---- */

/* How many stand together at first: those of one metric. */
static size_t first_charts(const charts *all) {
    size_t count = 0;
    while (count < all->count && count < FACETS && all->chart[count].metric == all->chart[0].metric &&
           all->chart[count].ratio == all->chart[0].ratio)
        count++;
    return count;
}

static void put_figures(const result_view *w, size_t from, size_t to) {
    bough_text markup = {0};
    bough_text_put(&markup, "<div class=\"charts\">\n");
    for (size_t i = from; i < to; i++) chart_svg(&w->charts->chart[i], &markup);
    bough_text_put(&markup, "</div>\n");
    document_figure(w->doc, "", &markup);
}

static void put_charts(const result_view *w, bool more) {
    const charts *all = w->charts;
    const size_t first = first_charts(all), shown = all->count < RESULT_CHARTS ? all->count : RESULT_CHARTS;
    bough_text without = {0};
    if (!all->count || (more && first == shown)) return;
    document_section(w->doc, more ? "more-charts" : "charts", more ? "More charts" : "Chart");
    put_figures(w, more ? first : 0, more ? shown : first);
    if (more) {
        const size_t left = all->count + all->left_out - shown;
        if (left) document_note(w->doc, "%zu more chart%s left out.", left, left == 1 ? " is" : "s are");
        return;
    }
    chart_put_without_x(&without, all);
    if (without.length) document_note(w->doc, "%s.", without.data);
    w->doc->failed |= without.failed;
    bough_text_fini(&without);
}

/* ---- notes ---- */

/* "METHOD under ROUTING, AXIS=VALUE: " */
static void put_whose(bough_text *line, const table_labels *l, const bough_study_point *p,
                      const bough_answer *a) {
    table_put_method(line, p, a);
    if (p->routings > 1 && a->routed) bough_text_printf(line, " under %s", p->routing[a->routing].spec);
    if (l->network) bough_text_printf(line, ", %s", p->network.spec);
    for (size_t x = 0; x < l->axes; x++)
        if (l->axis[x]) bough_text_printf(line, ", %s=%s", l->study->axis[x], p->value[x]);
    bough_text_put(line, ": ");
}

typedef struct note_list {
    size_t from, to; /* of all notes of a study, those that are listed */
    size_t count;    /* so far */
} note_list;

/* The notes of an answer: of its trials (names of indices are in the rows), of its precision, and where
 * measured and computed times part. */
static void put_answer_notes(const result_view *w, const bough_study_point *p, const bough_answer *a,
                             note_list *list) {
    bough_text note[3] = {0};
    size_t said = index_names_at(a->note);
    if (said && a->outcome != BOUGH_RUN_OK)
        bough_text_printf(&note[0], "%s: ", bough_outcome_name(a->outcome));
    bough_text_add(&note[0], a->note, said);
    precision_note_put(&note[1], w->study, a);
    measured_gap_put(&note[2], p, a);
    for (size_t i = 0; i < 3; i++) {
        bough_text line = {0};
        w->doc->failed |= note[i].failed;
        if (!note[i].length) continue;
        const size_t at = list->count++;
        if (at < list->from || at >= list->to) continue;
        if (at == list->from)
            document_section(w->doc, at ? "more-notes" : "notes", at ? "More notes" : "Notes");
        put_whose(&line, w->labels, p, a);
        bough_text_join(&line, &note[i]);
        document_list(w->doc, &line);
    }
    for (size_t i = 0; i < 3; i++) bough_text_fini(&note[i]);
}

static void put_notes(const result_view *w, size_t from, size_t to) {
    note_list list = {from, to, 0};
    for (size_t i = 0; i < w->study->points; i++)
        for (size_t k = 0; k < w->study->point[i].answers; k++)
            put_answer_notes(w, &w->study->point[i], &w->study->point[i].answer[k], &list);
    if (list.count > to)
        document_item_of_list(w->doc, "... and %zu more note%s in --json", list.count - to,
                              bough_s(list.count - to));
}

/* Metrics that the table leaves out. */
static void put_left_out(const result_view *w) {
    const bough_study *study = w->study;
    bool left[BOUGH_METRIC_COUNT] = {false};
    size_t count = 0;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_answer *a = &study->point[i].answer[k];
            for (size_t c = 0; c < a->cells; c++)
                left[a->cell[c].metric] |= !metric_is_chosen(&w->labels->choice, a, a->cell[c].metric);
        }
    for (int m = 0; m < BOUGH_METRIC_COUNT; m++) count += left[m];
    if (count && !w->labels->choice.only)
        document_item_of_list(w->doc, "%zu more metric%s: --metrics all, or a list of names", count,
                              count == 1 ? "" : "s");
}

/* ---- the whole ---- */

static bough_status describe(const result_view *w, bough_error *error) {
    const bool single = w->options->single;
    document *d = w->doc;
    bough_text assumptions = {0};
    document_section(d, "summary", "Summary");
    if (single)
        put_point(w);
    else
        put_study(w);
    put_cards(w);
    assumption_lines_put(&assumptions, w->study, SIZE_MAX / 2);
    if (assumptions.length) document_section(d, "assumptions", "Assumptions");
    document_list(d, &assumptions);
    premises_describe(d, w->study);
    bough_status status = w->options->insert ? w->options->insert(d, w->options->context, error) : BOUGH_OK;
    if (w->options->figures) put_charts(w, false);
    document_section(d, "results", "Results");
    result_table_describe(d, w->labels, single, w->study != w->whole ? w->whole->pool : NULL);
    put_left_out(w);
    if (single) comparison_describe(d, &w->study->point[0], &w->labels->choice);
    statistics_describe(d, w->labels, w->study != w->whole);
    put_notes(w, 0, NOTES_SHOWN);
    d->details = true;
    if (w->options->figures) put_charts(w, true);
    put_notes(w, NOTES_SHOWN, NOTES_MOST);
    result_table_describe_all(d, w->whole, w->labels, single);
    d->details = false;
    if (!status && d->failed) status = bough_fail_memory(error, d->items);
    return status;
}

static size_t count_metrics(const bough_answer *a) {
    size_t count = 0;
    for (size_t c = 0; c < a->cells; c++) count += !c || a->cell[c].metric != a->cell[c - 1].metric;
    return count;
}

/* Whether an answer has so many metrics that the main ones suffice. */
static bool is_long(const bough_study *study) {
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++)
            if (count_metrics(&study->point[i].answer[k]) > METRICS_BRIEF) return true;
    return false;
}

/* Whether charts say what a table does not: where curves saturate, how series compare. */
static bool needs_charts(const bough_study *study, const result_options *options) {
    bool any = options->figures;
    for (size_t i = 0; i < study->points && !any && !options->single; i++) {
        any = study->point[i].comparisons > 0;
        for (size_t k = 0; k < study->point[i].answers; k++)
            any |= study->point[i].answer[k].outcome == BOUGH_RUN_SATURATED;
    }
    return any && !options->charts;
}

static bough_status describe_labelled(result_view *w, bough_error *error) {
    table_labels labels = table_labels_of(w->study);
    labels.choice = w->options->choice;
    labels.choice.brief = labels.choice.brief && is_long(w->study);
    if (w->study != w->whole && labels.axes == w->study->axes) labels.axis[w->study->axes - 1] = false;
    w->labels = &labels;
    return describe(w, error);
}

bough_status result_document_make(const bough_study *study, const result_options *options, document *d,
                                  bough_error *error) {
    bough_study pooled;
    charts own = {0};
    result_options o = *options;
    result_view w = {d, study, study, NULL, &o, options->charts};
    bough_status status = study->pool ? pool_study(study, &pooled, error) : BOUGH_OK;
    if (status) return status;
    if (study->pool) w.study = &pooled;
    if (study->pool) o.single = false;
    if (needs_charts(study, &o)) {
        status = charts_make(study, &own, error);
        w.charts = &own;
    }
    TRY(describe_labelled(&w, error));
    charts_fini(&own);
    if (study->pool) bough_study_fini(&pooled);
    return status;
}

bough_status bough_report_table(const bough_study *study, const bough_table_options *options, char **text,
                                bough_error *error) {
    enum { WIDTH = 80 };
    const bough_table_options plain = {0}, *how = options ? options : &plain;
    const result_options what = {.single = how->single, .choice = {how->brief, how->only}};
    const document_text_options to = {how->width ? how->width : WIDTH, how->colours, .brief = true};
    document d = {0};
    bough_text title = {0}, out = {0};
    bough_status status = result_document_make(study, &what, &d, error);
    if (!status && !(how->single && !study->pool) && study->title)
        put_wrapped(&title, study->title, to.width);
    if (!status) document_write_text(&d, &to, &out);
    document_fini(&d);
    bough_text_join(&title, &out);
    if (!status) return bough_text_finish(&title, text, error);
    bough_text_fini(&title);
    return status;
}
