/* Failures: the worst of each list, the fabric without some parts, curves of degradation. */
#include "report/charts/chart_svg.h"
#include "report/check/check_render.h"
#include "report/pages/fabric_html.h"

#include "base/memory/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *number(double value, int digits, char *buffer) {
    if (isnan(value)) return "-";
    snprintf(buffer, 32, "%.*f", digits, value);
    return buffer;
}

static void add_count(text_table *t, uint64_t count) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    text_table_add(t, text);
}

/* Flows on the most loaded link, and the times that follow. */
static void add_load_heads(text_table *t) {
    static const char *const head[] = {"slowdown", "all-to-all", "worst shift", "mean over shifts"};
    for (int i = 0; i < 4; i++) text_table_head(t, head[i], true);
}

/* Where pairs are disconnected less is sent, so there is no slowdown to compare. */
static void add_load(text_table *t, const bough_failure_load *load, bool complete) {
    char text[32];
    text_table_add(t, number(complete ? load->slowdown : NAN, 3, text));
    add_count(t, load->alltoall_max);
    add_count(t, load->shift_max);
    text_table_add(t, number(load->shift_mean, 2, text));
}

/* ---- single failures ---- */

static void add_failure(text_table *t, const bough_net *net, const bough_failure *r) {
    char name[400];
    text_table_add(t, failure_name(net, r, name, sizeof name));
    add_count(t, r->alike);
    add_count(t, r->lost);
    add_count(t, r->cut);
    add_count(t, r->own);
    add_load(t, &r->rerouted, r->cut == 0);
    text_table_end_row(t);
}

/* Rows of failures with the same figures: the first `most`; *rows: of all. */
static text_table list_failures(const bough_net *net, const bough_failure_list *list, size_t most,
                                size_t *rows) {
    text_table t = {0};
    text_table_head(&t, list->what, false);
    text_table_head(&t, "failures alike", true);
    text_table_head(&t, "pairs lost", true);
    text_table_head(&t, "disconnected", true);
    text_table_head(&t, "of its own hosts", true);
    add_load_heads(&t);
    text_table_end_row(&t);
    *rows = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->item[i].alike && (*rows)++ < most) add_failure(&t, net, &list->item[i]);
    return t;
}

static void put_counts(html_writer *h, const bough_failure_list *list) {
    size_t whole = 0, more = 0;
    for (size_t i = 0; i < list->count; i++) {
        whole += list->item[i].cut == 0;
        more += list->item[i].cut > list->item[i].own;
    }
    bool switches = strcmp(list->what, "switch") == 0;
    html_put(h, "<p>");
    html_textf(h,
               "%zu %s%s, one dead at a time. With the %s %zu disconnect no endpoint, %zu disconnect "
               "%s, and %zu are harmless: all-to-all is no slower, and the largest loads are no higher.",
               list->count, list->what,
               list->count == 1 ? ""
               : switches       ? "es"
                                : "s",
               failure_answer(list->anew), whole, more, switches ? "others than their own hosts" : "some",
               list->harmless);
    html_put(h, "</p>\n");
}

static void put_list(html_writer *h, const bough_net *net, const bough_failure_list *list) {
    char caption[200];
    size_t rows;
    html_element(h, "h4", list->spec);
    put_counts(h, list);
    snprintf(caption, sizeof caption, "The worst single failures, %s", list->spec);
    text_table worst = list_failures(net, list, FABRIC_HTML_FAILURES, &rows);
    html_table(h, &worst, caption);
    if (rows <= FABRIC_HTML_FAILURES) return;
    html_put(h, "<details><summary>");
    if (rows > FABRIC_HTML_ALL)
        html_textf(h, "The first %d of %zu rows; --json has all", FABRIC_HTML_ALL, rows);
    else
        html_textf(h, "All %zu rows", rows);
    html_put(h, "</summary>\n");
    snprintf(caption, sizeof caption, "All single failures, %s", list->spec);
    text_table all = list_failures(net, list, FABRIC_HTML_ALL, &rows);
    html_table(h, &all, caption);
    html_put(h, "</details>\n");
}

/* ---- the fabric without some parts ---- */

static void add_state(text_table *t, const char *what, const bough_failure_load *load, uint64_t whole) {
    text_table_add(t, what);
    add_count(t, load->pairs);
    add_load(t, load, load->pairs == whole);
    text_table_end_row(t);
}

static void put_without(html_writer *h, const bough_check_failures *f) {
    text_table t = {0};
    html_put(h, "<h4>Without ");
    html_text(h, f->missing);
    html_put(h, "</h4>\n<p>");
    html_textf(h,
               "%" PRIu64 " pairs are lost until there are new tables; %" PRIu64
               " have no path left, and %" PRIu64 " endpoint%s disconnected from all others.",
               f->without.lost, f->without.cut, f->without.gone, f->without.gone == 1 ? " is" : "s are");
    html_put(h, "</p>\n");
    text_table_head(&t, "tables", false);
    text_table_head(&t, "pairs", true);
    add_load_heads(&t);
    text_table_end_row(&t);
    add_state(&t, "whole fabric", &f->whole, f->whole.pairs);
    add_state(&t, "as they are", &f->without.as_is, f->whole.pairs);
    add_state(&t, failure_answer(f->without.anew), &f->without.rerouted, f->whole.pairs);
    html_table(h, &t, "The fabric with and without these parts");
}

/* ---- curves ---- */

static void add_interval(text_table *t, const bough_stats *s, double factor) {
    char text[CHECK_INTERVAL];
    double ci95 = s->count > 1 ? factor * bough_stats_ci95(s) : 0;
    text_table_add(t, check_interval(factor * s->mean, ci95, CHECK_SIGN_HTML, text));
}

static void put_steps(html_writer *h, const bough_degradation *c) {
    static const char *const head[] = {"share",
                                       "connected, tables as they are",
                                       "connected, rerouted",
                                       "worst draw",
                                       "all-to-all",
                                       "mean load",
                                       "slowdown"};
    text_table t = {0};
    char text[64], whole[CHECK_NUMBER];
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) text_table_head(&t, head[i], true);
    text_table_end_row(&t);
    for (size_t i = 0; i < c->count; i++) {
        const bough_degradation_step *s = &c->step[i];
        snprintf(text, sizeof text, "%s %%", check_number(100 * s->share, whole));
        text_table_add(&t, text);
        add_interval(&t, &s->as_is, 100);
        add_interval(&t, &s->rerouted, 100);
        text_table_add(&t, check_number(100 * s->worst, whole));
        add_interval(&t, &s->max, 1);
        add_interval(&t, &s->mean, 1);
        add_interval(&t, &s->slowdown, 1);
        text_table_end_row(&t);
    }
    html_table(h, &t, "Steps of the curve");
}

static chart_point point_of(double share, const bough_stats *s) {
    return (chart_point){.x = 100 * share,
                         .mean = 100 * s->mean,
                         .ci95 = s->count > 1 ? 100 * bough_stats_ci95(s) : NAN,
                         .label = ""};
}

static void put_curve(html_writer *h, const bough_degradation *c) {
    chart_series series[2] = {{.name = "tables as they are", .style = 0}, {.name = "rerouted", .style = 1}};
    chart_point *point = NULL;
    html_element(h, "h4", c->spec);
    html_put(h, "<p>");
    html_textf(h,
               "%" PRIu64
               " draw%s for each share, means with 95 %% intervals; connected: %% of the pairs of the whole "
               "fabric; loads in flows, with the %s.",
               c->trials, c->trials == 1 ? "" : "s", failure_answer(c->anew));
    html_put(h, "</p>\n");
    if (bough_alloc(&point, 2 * (uint64_t)c->count, sizeof *point, NULL)) {
        h->out.failed = true;
        return;
    }
    for (size_t i = 0; i < c->count; i++) {
        point[i] = point_of(c->step[i].share, &c->step[i].as_is);
        point[c->count + i] = point_of(c->step[i].share, &c->step[i].rerouted);
    }
    series[0].point = point, series[1].point = point + c->count;
    series[0].points = series[1].points = c->count;
    chart_svg(&(chart){.title = "Connected pairs by the share of dead parts",
                       .x_title = "share of dead parts, %",
                       .y_title = "connected pairs, %",
                       .series = series,
                       .count = 2},
              &h->out);
    FREE_ALL(point);
    put_steps(h, c);
}

static void put_part(html_writer *h, const bough_check_report *report, size_t i) {
    const bough_check_failures *f = &report->part[i].failures;
    char name[1000];
    if (!f->missing && !f->lists && !f->curves) return;
    html_element(h, "h3", fabric_routing_name(report, i, name, sizeof name));
    if (f->made)
        html_put(h,
                 "<p>It names no tables, so bough makes minimal ones, balanced by addresses a port.</p>\n");
    if (f->missing) put_without(h, f);
    for (size_t k = 0; k < f->lists; k++) put_list(h, report->part[i].routing->net, &f->list[k]);
    for (size_t k = 0; k < f->curves; k++) put_curve(h, &f->curve[k]);
}

void fabric_html_failures(html_writer *h, const bough_check_report *report) {
    bool any = false;
    for (size_t i = 0; i < report->parts; i++) {
        const bough_check_failures *f = &report->part[i].failures;
        any |= f->missing || f->lists || f->curves;
    }
    if (!any) return;
    html_begin_section(h, "failures", "Failures");
    for (size_t i = 0; i < report->parts; i++) put_part(h, report, i);
    html_put(
        h,
        "<p class=\"note\">Lost: pairs, until there are new tables; disconnected: pairs without a path. "
        "Slowdown: the time of all-to-all over that of the whole fabric (none where pairs are disconnected, "
        "as "
        "less is sent). Loads: flows on the most loaded link of all-to-all and of the worst shift, mean over "
        "shifts.</p>\n");
    html_end_section(h);
}
