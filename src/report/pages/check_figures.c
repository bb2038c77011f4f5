/* The drawings and curves of the page of a check. Every one has a bounded size. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "document/html.h"
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"
#include "report/charts/chart_svg.h"
#include "report/drawings/drawing.h"
#include "report/pages/fabric_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    DRAWINGS = 3, /* one for each routing */
    POINTS = 600  /* of a curve over shifts */
};

/* ---- the network ---- */

static void put_drawing(const check_view *w, size_t i, const drawing *d, bough_text *svg) {
    html_writer h = {0};
    html_put(&h, "<figure class=\"net\">\n<figcaption><span class=\"note\">");
    html_text(&h, d->caption);
    html_put(&h, "</span></figcaption>\n<div class=\"scroll drawn\" tabindex=\"0\" role=\"group\" "
                 "aria-label=\"Drawing of the network\">\n");
    bough_text_join(&h.out, svg);
    html_put(&h, "</div>\n</figure>\n");
    document_figure(w->doc, d->loads ? w->name[i] : "", &h.out);
}

/* The largest load of any of the routings, so that the same colour is the same load in all drawings. */
static double find_scale(const bough_check_report *report) {
    const bough_net *net = report->net;
    double most = 0;
    for (size_t i = 0; i < report->parts && net->nodes <= DRAWING_COUNTED; i++)
        for (uint64_t l = 0; l < net->links && report->part[i].result.load; l++)
            most = fmax(most, report->part[i].result.load[l] * bough_link_weight(net, &report->rates, l));
    return most;
}

static bough_status draw(const check_view *w, size_t i, double scale, bough_error *error) {
    const bough_check_result *r = &w->report->part[i].result;
    bough_text svg = {0};
    drawing d = {0};
    bough_status status =
        drawing_make(w->report->net,
                     &(drawing_options){.load = r->load, .scale = scale, .expected = r->expected}, &d, error);
    TRY(drawing_svg_inline(&d, &svg, error));
    if (!status) put_drawing(w, i, &d, &svg);
    bough_text_fini(&svg);
    drawing_fini(&d);
    return status;
}

static bough_status put_network(const check_view *w, bough_error *error) {
    const bough_check_report *report = w->report;
    const bool loads = report->net->nodes <= DRAWING_COUNTED;
    const size_t drawings = !loads ? 1 : report->parts < DRAWINGS ? report->parts : DRAWINGS;
    const double scale = find_scale(report);
    bough_status status = BOUGH_OK;
    document_section(w->doc, "network", "Network");
    for (size_t i = 0; i < drawings && !status; i++) status = draw(w, i, scale, error);
    return status;
}

/* ---- shifts ---- */

/* The largest load of each of so many runs of shifts: peaks stay. */
static size_t thin_out(const bough_check_result *r, chart_point *point) {
    const uint64_t shifts = r->shifts, run = (shifts + POINTS - 1) / POINTS;
    size_t points = 0;
    for (uint64_t k = 1; k <= shifts; k += run) {
        uint64_t at = k;
        for (uint64_t i = k; i < k + run && i <= shifts; i++)
            if (r->shift[i] > r->shift[at]) at = i;
        point[points++] = (chart_point){.x = (double)at, .mean = r->shift[at], .ci95 = NAN, .label = ""};
    }
    return points;
}

static void put_shift_curve(const check_view *w, size_t i, chart_point *point) {
    const bough_check_result *r = &w->report->part[i].result;
    bough_text svg = {0};
    chart_series series = {.name = "", .style = (unsigned)i, .point = point, .points = thin_out(r, point)};
    chart_svg(&(chart){.title = "Flows on the most loaded link of every shift permutation",
                       .x_title = "k: endpoint e sends to e + k",
                       .y_title = "flows on the most loaded link",
                       .series = &series,
                       .count = 1},
              &svg);
    document_figure(w->doc, w->name[i], &svg);
}

static bough_status put_shifts(const check_view *w, bough_error *error) {
    const bough_check_report *report = w->report;
    chart_point *point;
    if (report->net->endpoints < 3) return BOUGH_OK;
    bough_status status = bough_alloc(&point, POINTS + 1, sizeof *point, error);
    if (status) return status;
    document_section(w->doc, "shifts", "Shifts");
    document_line(w->doc, "Flows on the most loaded link of every shift permutation.%s",
                  report->net->endpoints > POINTS + 1 ? " A point is the largest of several shifts." : "");
    for (size_t i = 0; i < report->parts; i++)
        if (report->part[i].result.shift && report->part[i].result.routed) put_shift_curve(w, i, point);
    free(point);
    return BOUGH_OK;
}

/* ---- degradation ---- */

static chart_point point_of(double share, const bough_stats *s) {
    return (chart_point){.x = 100 * share,
                         .mean = 100 * s->mean,
                         .ci95 = s->count > 1 ? 100 * bough_stats_ci95(s) : NAN,
                         .label = ""};
}

static void put_degradation(document *d, const bough_degradation *c) {
    chart_series series[2] = {{.name = "tables as they are", .style = 0}, {.name = "rerouted", .style = 1}};
    chart_point *point = NULL;
    bough_text svg = {0};
    if (bough_alloc(&point, 2 * (uint64_t)c->count, sizeof *point, NULL)) {
        d->failed = true;
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
              &svg);
    free(point);
    document_figure(d, "", &svg);
}

const check_figures check_page_figures = {put_network, put_shifts, put_degradation};
