/* Untrusted texts (specs, facets, file names) are written to a script as 'single quoted' strings, in which
 * only the quote is special, and are drawn without gnuplot's markup. They are never used unchanged in file
 * names. Rows are selected by the number of their series, not by its name, so that a name may contain
 * anything. */
#include "report/charts/figure_gnuplot.h"

#include "base/text/escape.h"
#include "base/text/utf8.h"
#include "report/charts/chart_marks.h"
#include "report/charts/chart_scale.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 110, SERIES_NAME = 90, LABEL = 40, UPRIGHT = 6, STUDY = 48 };
#define WIDTH_CM  16.0
#define FONT_PT   9.0
#define SVG_CM    50.0 /* units of an SVG in a cm, and in a point of its text */
#define SVG_POINT (12.0 / 9.0)
#define APART     0.006 /* of the width, between bars of extremes */

static const int shape[] = {7, 5, 9, 13, 11, 15}; /* filled: hollow ones mark saturated and partial results */
enum { SHAPES = sizeof shape / sizeof *shape, DASHES = 5 };

/* ---- names ---- */

static void put_plain(char *buffer, size_t size, const char *text) {
    size_t at = strlen(buffer);
    bool gap = false;
    for (; *text && at + 2 < size; text++) {
        if (isalnum((unsigned char)*text) || strchr("._=", *text)) {
            if (gap && at && buffer[at - 1] != '-' && buffer[at - 1] != '=' && *text != '=')
                buffer[at++] = '-';
            buffer[at++] = *text;
            gap = false;
        } else {
            gap = true;
        }
    }
    buffer[at] = 0;
}

static char *base_name(const chart *c, const char *study, char *buffer, size_t size) {
    *buffer = 0;
    if (study) put_plain(buffer, size < STUDY ? size : STUDY, study);
    const size_t at = strlen(buffer);
    snprintf(buffer + at, size - at, "%s%s%s%s%s", at ? "-" : "", bough_metrics[c->metric].name,
             c->overlay ? "-and-others" : "", c->ratio ? "-ratio" : "", c->facet ? "-" : "");
    if (c->facet) put_plain(buffer, size, c->facet);
    return buffer;
}

char *figure_name(const charts *all, const char *study, size_t i, char *buffer, size_t size) {
    char other[FIGURE_NAME];
    unsigned before = 0;
    size_t most = size - 8 < FIGURE_NAME - 8 ? size - 8 : FIGURE_NAME - 8; /* space for a number */
    base_name(&all->chart[i], study, buffer, most);
    for (size_t k = 0; k < i; k++)
        before += strcmp(base_name(&all->chart[k], study, other, most), buffer) == 0;
    size_t at = strlen(buffer);
    if (before) snprintf(buffer + at, size - at, "+%u", before + 1); /* names do not contain + themselves */
    return buffer;
}

/* ---- CSV ---- */

static void put_real(bough_text *out, double value) {
    char number[40];
    if (isfinite(value)) bough_text_put(out, bough_format_real(value, number, sizeof number));
    bough_text_put(out, ",");
}

/* A curve as a series without intervals and trials. Verticals are in the script. */
static void put_curve_rows(bough_text *out, const chart_curve *curve, size_t number, bool both) {
    for (size_t i = 0; i < curve->points && !curve->vertical; i++) {
        bough_text_printf(out, "%zu,", number);
        put_real(out, curve->x[i]);
        for (int column = 0; column < 3; column++) put_real(out, curve->y[i]);
        bough_text_put(out, ",,,,0,,");
        bough_text_put_csv(out, curve->name);
        bough_text_put(out, both ? ",,\n" : "\n");
    }
}

/* Where x is a metric: two more columns. */
static void put_x_bar(bough_text *out, const chart *c, const chart_point *p) {
    const chart_bar bar = chart_x_bar_of(c, p);
    char low[40], high[40];
    if (c->metric_x)
        bough_text_printf(out, ",%s,%s", bough_format_real(bar.low, low, sizeof low),
                          bough_format_real(bar.high, high, sizeof high));
}

bough_status figure_csv(const chart *c, bough_text *out, bough_error *error) {
    bough_text_put(out, FIGURE_CSV_HEAD);
    bough_text_put(out, c->metric_x ? ",x_low,x_high\n" : "\n");
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++) {
            const chart_point *p = &c->series[s].point[i];
            double ci = isfinite(p->ci95) ? p->ci95 : 0;
            bough_text_printf(out, "%zu,", s);
            put_real(out, p->x);
            put_real(out, p->mean);
            put_real(out, p->mean - ci);
            put_real(out, p->mean + ci);
            put_real(out, p->ci95);
            put_real(out, p->min);
            put_real(out, p->max);
            bough_text_printf(out, "%" PRIu64 ",%d,", p->trials, chart_point_is_hollow(p));
            bough_text_put_csv(out, p->label);
            bough_text_put(out, ",");
            bough_text_put_csv(out, c->series[s].name);
            put_x_bar(out, c, p);
            bough_text_put(out, "\n");
        }
    for (size_t k = 0; k < c->curves; k++) put_curve_rows(out, &c->curve[k], c->count + k, c->metric_x);
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}

/* ---- the script ---- */

/* 'text', at most `most` bytes of it, in whole characters. format: gnuplot reads % as the start of a format.
 */
static void put_label(bough_text *out, const char *text, size_t most, bool format) {
    size_t length = strlen(text);
    char *clean = malloc(length + 1);
    if (!clean) {
        out->failed = true;
        return;
    }
    bough_copy_printable(text, length, clean, length + 1);
    bool cut = strlen(clean) > most;
    if (cut) {
        while (most > 0 && ((unsigned char)clean[most] & 0xc0) == 0x80) most--;
        clean[most] = 0;
    }
    bough_text_put(out, "'");
    for (const char *c = clean; *c; c++) {
        if (*c == '\'') bough_text_put(out, "'");
        if (*c == '%' && format) bough_text_put(out, "%");
        if (*c == '>' && c - clean >= 2 && c[-1] == ']' && c[-2] == ']')
            bough_text_put(out, " "); /* gnuplot copies ]]> into its SVG, which XML forbids */
        bough_text_add(out, c, 1);
    }
    bough_text_put(out, cut ? "...'" : "'");
    free(clean);
}

static void put_quoted(bough_text *out, const char *text, size_t most) {
    put_label(out, text, most, false);
}

static bool has_hollow(const chart_series *s) {
    for (size_t i = 0; i < s->points; i++)
        if (chart_point_is_hollow(&s->point[i])) return true;
    return false;
}

/* Lines of the key: a chart of one series needs none, unless it has marks to explain. */
static size_t key_lines(const chart *c) {
    bool hollow = false, saturates = false;
    for (size_t s = 0; s < c->count; s++) {
        hollow = hollow || has_hollow(&c->series[s]);
        saturates = saturates || c->series[s].saturates;
    }
    return c->count > 1 || c->curves || hollow || saturates ? c->count + c->curves + hollow : 0;
}

static void put_terminal(bough_text *out, const chart *c, const char *name) {
    size_t keys = key_lines(c);
    bough_text_printf(out,
                      "# gnuplot %s.gp                     writes %s.svg\n"
                      "# gnuplot -e \"out='pdf'\" %s.gp      writes %s.pdf\n"
                      "if (!exists(\"out\")) out = 'svg'\n"
                      "if (!exists(\"file\")) file = '%s.'.out\n",
                      name, name, name, name, name);
    const double width = c->width_cm > 0 ? c->width_cm : WIDTH_CM,
                 height = c->height_cm > 0 ? c->height_cm : 10 + 0.42 * (double)keys;
    const double font = c->font_pt > 0 ? c->font_pt : FONT_PT;
    bough_text_printf(out,
                      "if (out eq 'pdf') {\n"
                      "    set terminal pdfcairo enhanced font 'sans,%g' size %gcm,%.3gcm\n"
                      "} else {\n"
                      "    set terminal svg enhanced font 'sans-serif,%g' size %.0f,%.0f dynamic background "
                      "rgb 'white'\n"
                      "}\n"
                      "set output file\n\n",
                      font, width, height, font * SVG_POINT, width * SVG_CM,
                      c->height_cm > 0 ? height * SVG_CM : 480 + 19 * (double)keys);
}

/* A metric seldom spans many powers of ten: then 1, 2 and 5 times each of them. */
static void put_log_ticks(bough_text *out, const chart *c) {
    axis x = {INFINITY, -INFINITY, CHART_LOG10, 0, 0};
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++) axis_widen(&x, c->series[s].point[i].x);
    if (!(x.high - x.low < 2)) return;
    bough_text_put(out, "set format x '%g'\nset xtics (");
    for (double e = floor(x.low) - 1; e <= x.high; e++)
        bough_text_printf(out, "%s%.9g, %.9g, %.9g", e > floor(x.low) - 1 ? ", " : "", pow(10, e),
                          2 * pow(10, e), 5 * pow(10, e));
    bough_text_put(out, ")\n");
}

static void put_axes(bough_text *out, const chart *c) {
    bough_text_put(out, "set title ");
    put_quoted(out, c->title, TITLE);
    bough_text_put(out, " noenhanced\nset xlabel ");
    put_quoted(out, c->x_title, TITLE);
    bough_text_put(out, " noenhanced offset 0,0.4\nset ylabel ");
    put_quoted(out, c->y_title, TITLE);
    bough_text_put(out, " noenhanced\nset border 3\nset tics nomirror\nset bars 0.6\nset grid lc rgb "
                        "'#dddddd' lt 1 lw 0.5\n");
    size_t keys = key_lines(c);
    if (keys)
        bough_text_printf(
            out, "set key noenhanced bmargin left Left reverse vertical maxrows %zu samplen 3\n", keys);
    else
        bough_text_put(out, "set key noenhanced off\n");
    if (c->xscale == CHART_LOG2) bough_text_put(out, "set logscale x 2\nset format x '2^{%L}'\n");
    if (c->xscale == CHART_LOG10) bough_text_put(out, "set logscale x 10\nset format x '10^{%L}'\n");
    if (c->xscale == CHART_LOG10 && c->metric_x) put_log_ticks(out, c);
    if (c->yscale == CHART_LOG10) bough_text_put(out, "set logscale y 10\nset format y '10^{%L}'\n");
    if (c->xscale == CHART_CATEGORY) {
        bough_text_printf(out, "set xrange [-0.5:%.1f]\nset xtics noenhanced %s(",
                          (double)c->categories - 0.5, c->categories > UPRIGHT ? "rotate by -35 " : "");
        for (size_t i = 0; i < c->categories; i++) {
            if (i) bough_text_put(out, ", ");
            put_label(out, c->category[i], LABEL, true);
            bough_text_printf(out, " %zu", i);
        }
        bough_text_put(out, ")\n");
    } else {
        bough_text_put(out, "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\n");
    }
}

static void put_styles(bough_text *out, const chart *c) {
    for (size_t s = 0; s < c->count; s++) {
        unsigned k = c->series[s].style;
        bough_text_printf(out, "set linetype %zu lc rgb '%s' pt %d ps 0.7 lw 1.5 dt %u\n", s + 1,
                          chart_colour[chart_colour_of(k)], shape[(k + k / CHART_COLOURS) % SHAPES],
                          k % DASHES + 1);
    }
}

/* Intervals of x: columns 13 and 14. On a log scale one that reaches 0 ends at the mean. */
static bool has_x_bars(const chart *c, const chart_series *s) {
    for (size_t i = 0; i < s->points; i++) {
        const chart_bar bar = chart_x_bar_of(c, &s->point[i]);
        if (bar.high > bar.low) return true;
    }
    return false;
}

static void put_x_bars(bough_text *out, const chart *c, size_t s, const char *name) {
    const char *ends = c->xscale == CHART_LINEAR ? "13:14" : "($13>0?$13:$2):14";
    bough_text_printf(
        out,
        "     '%s.csv' skip 1 using ($1==%zu?$2:1/0):3:%s with xerrorbars lc rgb '%s' pt -1 dt 1 "
        "notitle, \\\n",
        name, s, ends, chart_colour[chart_colour_of(c->series[s].style)]);
}

static bool has_bars(const chart *c, const chart_series *s) {
    for (size_t i = 0; i < s->points; i++) {
        const chart_bar bar = chart_bar_of(c, &s->point[i]);
        if (bar.high > bar.low) return true;
    }
    return false;
}

/* x of the bars of a series, side by side with those of the others: extremes of different series often are
 * equal. By a share of the width, on a logarithmic scale as a factor. */
static const char *extremes_x(const chart *c, size_t s, char *buffer, size_t size) {
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < c->count; k++)
        for (size_t i = 0; i < c->series[k].points; i++) {
            double x = axis_transform(c->xscale, c->series[k].point[i].x);
            low = fmin(low, x), high = fmax(high, x);
        }
    double aside = APART * (high - low) * ((double)s - 0.5 * (double)(c->count - 1));
    if (c->xscale == CHART_LOG2 || c->xscale == CHART_LOG10)
        snprintf(buffer, size, "($1==%zu?$2*%.6g:1/0)", s, pow(c->xscale == CHART_LOG2 ? 2 : 10, aside));
    else
        snprintf(buffer, size, "($1==%zu?$2%+.6g:1/0)", s, aside);
    return buffer;
}

static void put_bars(bough_text *out, const chart *c, size_t s, const char *name, const char *x) {
    char aside[96];
    const char *ends = c->minmax ? "7:8" : c->yscale == CHART_LOG10 ? "($4>0?$4:$3):5" : "4:5";
    if (c->minmax && c->xscale != CHART_CATEGORY && !c->metric_x) x = extremes_x(c, s, aside, sizeof aside);
    bough_text_printf(out, "     '%s.csv' skip 1 using %s:3:%s", name, x, ends);
    bough_text_printf(out, " with yerrorbars lc rgb '%s' pt -1 dt 1 notitle, \\\n",
                      chart_colour[chart_colour_of(c->series[s].style)]);
}

/* Columns of the CSV: 1 series, 2 x, 3 mean, 4 low, 5 high, 7 min, 8 max. On a log scale an interval that
 * reaches 0 ends at the mean. Categories of several series are placed side by side and not joined. Intervals
 * are a separate plot, because they are never dashed. */
static void put_series(bough_text *out, const chart *c, size_t s, const char *name) {
    bool apart = c->xscale == CHART_CATEGORY;
    double shift = apart && c->count > 1 ? 0.6 * ((double)s / (double)(c->count - 1) - 0.5) : 0;
    char x[64];
    snprintf(x, sizeof x, "($1==%zu?$2%+.3f:1/0)", s, shift);
    if (shift == 0) snprintf(x, sizeof x, "($1==%zu?$2:1/0)", s);
    if (has_bars(c, &c->series[s])) put_bars(out, c, s, name, x);
    if (has_x_bars(c, &c->series[s])) put_x_bars(out, c, s, name);
    bough_text_printf(out, "     '%s.csv' skip 1 using %s:3 with %s lt %zu title ", name, x,
                      apart || c->scatter ? "points" : "linespoints", s + 1);
    bough_text title = {0};
    chart_put_series_name(&title, &c->series[s]);
    if (title.failed)
        out->failed = true;
    else
        put_quoted(out, title.data ? title.data : "", SERIES_NAME);
    bough_text_fini(&title);
    if (!has_hollow(&c->series[s])) return;
    unsigned k = c->series[s].style;
    bough_text_printf(out,
                      ", \\\n     '%s.csv' skip 1 using %s:($10==1?$3:1/0) with points pt %d ps 0.4 "
                      "lc rgb 'white' notitle",
                      name, x, shape[(k + k / CHART_COLOURS) % SHAPES]);
}

/* A dashed vertical line where a series saturates, which may be beyond its points. */
static void put_saturation(bough_text *out, const chart *c) {
    double last = -INFINITY, beyond = -INFINITY;
    for (size_t s = 0; s < c->count; s++) {
        const chart_series *series = &c->series[s];
        if (series->points) last = fmax(last, series->point[series->points - 1].x);
        if (series->saturates) beyond = fmax(beyond, series->saturated_from);
    }
    if (beyond > last) bough_text_printf(out, "set xrange [*:%.17g]\n", beyond);
    for (size_t s = 0; s < c->count; s++)
        if (c->series[s].saturates)
            bough_text_printf(out,
                              "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead dt 2 lw "
                              "0.8 lc rgb '%s'\n",
                              c->series[s].saturated_from, c->series[s].saturated_from,
                              chart_colour[chart_colour_of(c->series[s].style)]);
}

/* Of a vertical, which is an arrow, only the sample in the key. */
static void put_curve(bough_text *out, const chart *c, size_t k, const char *name) {
    const chart_curve *curve = &c->curve[k];
    if (curve->vertical)
        bough_text_put(out, ", \\\n     NaN");
    else
        bough_text_printf(out, ", \\\n     '%s.csv' skip 1 using ($1==%zu?$2:1/0):3", name, c->count + k);
    bough_text_printf(out, " with lines lc rgb '%s' lw %s dt %u title ",
                      chart_colour[chart_colour_of(curve->style)], curve->mean ? "0.8" : "1.2",
                      curve->style % DASHES + 1);
    put_quoted(out, curve->name, SERIES_NAME);
}

/* Lines across the frame, and a range of x that contains them. */
static void put_verticals(bough_text *out, const chart *c) {
    double low = INFINITY, high = -INFINITY, first = INFINITY, last = -INFINITY;
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++)
            low = fmin(low, c->series[s].point[i].x), high = fmax(high, c->series[s].point[i].x);
    for (size_t k = 0; k < c->curves; k++) {
        const chart_curve *curve = &c->curve[k];
        if (!curve->vertical) continue;
        first = fmin(first, *curve->x), last = fmax(last, *curve->x);
        bough_text_printf(out,
                          "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead dt %u lw 1.2 "
                          "lc rgb '%s'\n",
                          *curve->x, *curve->x, curve->style % DASHES + 1,
                          chart_colour[chart_colour_of(curve->style)]);
    }
    if (first < low || last > high)
        bough_text_printf(out, "set xrange [%.17g:%.17g]\n", fmin(first, low), fmax(last, high));
}

/* Intervals that are cut off by the frame, so that one wild point does not press all others flat. */
static void put_range(bough_text *out, const chart *c) {
    chart_range r;
    if (c->yscale == CHART_LOG10 || !chart_y_range(c, &r) || !r.clipped) return;
    double room = 0.03 * (r.high - r.low);
    bough_text_printf(out, "set yrange [%.17g:%.17g]\n", r.low == 0 ? 0 : r.low - room, r.high + room);
}

static void put_hollow_key(bough_text *out, const chart *c) {
    bough_text text = {0};
    bough_text_put(&text, "hollow: ");
    chart_put_hollow(&text, c);
    bough_text_put(out, ", \\\n     NaN with points pt 6 ps 0.7 lc rgb '#3d3d3d' title ");
    if (text.failed)
        out->failed = true;
    else
        put_quoted(out, text.data, SERIES_NAME);
    bough_text_fini(&text);
}

bough_status figure_script(const chart *c, const char *name, bough_text *out, bough_error *error) {
    put_terminal(out, c, name);
    put_axes(out, c);
    put_styles(out, c);
    put_range(out, c);
    put_saturation(out, c);
    put_verticals(out, c);
    bough_text_put(out, "set datafile separator comma\nplot \\\n");
    if (c->ratio) bough_text_put(out, "     1 with lines lc rgb '#999999' dt 1 lw 0.8 notitle, \\\n");
    for (size_t s = 0; s < c->count; s++) {
        put_series(out, c, s, name);
        if (s + 1 < c->count) bough_text_put(out, ", \\\n");
    }
    for (size_t k = 0; k < c->curves; k++) put_curve(out, c, k, name);
    size_t keys = key_lines(c);
    if (keys > c->count + c->curves) put_hollow_key(out, c);
    bough_text_put(out, "\n");
    bough_text_put(out, "set output\n");
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}
