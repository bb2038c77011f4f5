/* One size for all charts, so small that it is readable on a telephone; the page scales it up to 1.3. */
#include "report/charts/chart_svg.h"

#include "base/text/escape.h"
#include "base/text/text.h"
#include "method/quantity.h"
#include "report/charts/chart_marks.h"
#include "report/charts/chart_scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 440,
    HEIGHT = 264,
    LEFT = 54,
    RIGHT = 12,
    TOP = 10,
    BOTTOM = 40,
    TICKS = 6,
    MARKS_MOST = 100,   /* points of a series with marks */
    TITLES_MOST = 1000, /* points of a chart with titles */
    CAP = 3,            /* half of the line at the end of a bar of extremes */
    APART = 3,
    CATEGORIES_SHOWN = 8,
    COLOURS = 8,
};

#define ROOM 0.04 /* of the length of an axis */

typedef struct figure {
    const chart *c;
    bough_text *out;
    axis x, y;
    bool titles;
} figure;

/* ---- scales ---- */

/* 1, 2 or 5 times a power of ten, so that there are at most TICKS steps. */
static double step_of(const axis *a) {
    double rough = (a->high - a->low) / TICKS, power = pow(10, floor(log10(rough)));
    for (double digit = 1; digit <= 5; digit = digit == 2 ? 5 : 2 * digit)
        if (digit * power >= rough * (1 - 1e-9)) return digit * power;
    return 10 * power;
}

/* Linear axes end at ticks; those of counts and shares begin at 0 where that is near. */
static void round_range(axis *a, bool zero) {
    if (a->scale != CHART_LINEAR) return;
    if (zero && a->low > 0 && a->low < 0.6 * a->high) a->low = 0;
    double step = step_of(a);
    a->low = step * floor(a->low / step + 1e-9);
    a->high = step * ceil(a->high / step - 1e-9);
}

/* A metric has any values: its first and last one are not at the ends of a logarithmic axis. */
static void add_room(axis *a) {
    double room = ROOM * (a->high - a->low);
    a->low -= room;
    a->high += room;
}

static double interval(const chart_point *p) {
    return isfinite(p->ci95) ? p->ci95 : 0;
}

static void find_ranges(figure *f) {
    const chart *c = f->c;
    f->x = (axis){INFINITY, -INFINITY, c->xscale, LEFT, WIDTH - RIGHT};
    f->y = (axis){INFINITY, -INFINITY, c->yscale, HEIGHT - BOTTOM, TOP};
    size_t points = 0;
    for (size_t s = 0; s < c->count; s++) {
        if (c->series[s].saturates) axis_widen(&f->x, c->series[s].saturated_from);
        for (size_t i = 0; i < c->series[s].points; i++, points++) {
            const chart_point *p = &c->series[s].point[i];
            chart_bar across = chart_x_bar_of(c, p);
            axis_widen(&f->x, p->x);
            axis_widen(&f->x, across.low);
            axis_widen(&f->x, across.high);
            axis_widen(&f->y, p->mean);
            chart_bar bar = chart_bar_of(c, p);
            axis_widen(&f->y, bar.low); /* on a log scale: only if positive */
            axis_widen(&f->y, bar.high);
        }
    }
    for (size_t k = 0; k < c->curves; k++)
        for (size_t i = 0; i < c->curve[k].points; i++) {
            axis_widen(&f->x, c->curve[k].x[i]);
            if (!c->curve[k].vertical) axis_widen(&f->y, c->curve[k].y[i]);
        }
    if (c->ratio) axis_widen(&f->y, 1);
    if (c->xscale == CHART_CATEGORY) f->x.low = -0.5, f->x.high = (double)c->categories - 0.5;
    axis_end_range(&f->x);
    axis_end_range(&f->y);
    round_range(&f->y, !c->ratio);
    if (c->metric_x) round_range(&f->x, true);
    if (c->metric_x && c->xscale != CHART_LINEAR) add_room(&f->x);
    f->titles = points <= TITLES_MOST;
}

static double place(const axis *a, double value) {
    double t = axis_transform(a->scale, value);
    if (!isfinite(t)) t = a->low;
    return a->from + (a->to - a->from) * fmin(fmax((t - a->low) / (a->high - a->low), 0), 1);
}

/* ---- axes ---- */

static void put_label(figure *f, double x, double y, const char *anchor, const char *text) {
    bough_text_printf(f->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    bough_text_put_xml(f->out, text);
    bough_text_put(f->out, "</text>");
}

static void put_y_tick(figure *f, double value) {
    char text[QUANTITY_TEXT];
    double y = place(&f->y, value);
    quantity_format(value, 0, text);
    bough_text_printf(f->out, "<line class=\"tick\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
                      WIDTH - RIGHT, y, y);
    put_label(f, LEFT - 5, y + 4, "end", text);
}

static void put_x_tick(figure *f, double value, const char *text) {
    double x = place(&f->x, value);
    bough_text_printf(f->out, "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x,
                      HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4);
    put_label(f, x, HEIGHT - BOTTOM + 16, "middle", text);
}

static void put_tick(figure *f, bool horizontal, double value) {
    char text[QUANTITY_TEXT];
    quantity_format(value, 0, text);
    if (horizontal)
        put_x_tick(f, value, text);
    else
        put_y_tick(f, value);
}

/* 1, 2 and 5 times powers of ten, for a metric that spans few of them. */
static void put_fine_ticks(figure *f) {
    static const double digit[] = {1, 2, 5};
    for (double e = floor(f->x.low); e <= f->x.high; e++)
        for (size_t i = 0; i < sizeof digit / sizeof *digit; i++) {
            double value = digit[i] * pow(10, e), at = log10(value);
            if (at >= f->x.low && at <= f->x.high) put_tick(f, true, value);
        }
}

/* Powers of the base; where they are too few, equal steps of the linear value. */
static void put_ticks(figure *f, bool horizontal) {
    const axis *a = horizontal ? &f->x : &f->y;
    if (horizontal && f->c->metric_x && a->scale == CHART_LOG10 && a->high - a->low < 2) {
        put_fine_ticks(f);
        return;
    }
    if (a->scale == CHART_LOG2 || a->scale == CHART_LOG10) {
        double first = ceil(a->low - 1e-9), last = floor(a->high + 1e-9),
               base = a->scale == CHART_LOG2 ? 2 : 10;
        double by = fmax(1, ceil((last - first) / TICKS));
        for (double e = first; e <= last; e += by) put_tick(f, horizontal, pow(base, e));
        if (last > first) return;
        put_tick(f, horizontal, pow(base, a->low));
        put_tick(f, horizontal, pow(base, a->high));
        return;
    }
    double step = step_of(a);
    for (double k = ceil(a->low / step - 1e-9); k * step <= a->high + 1e-9 * step; k++)
        put_tick(f, horizontal, k * step + 0.0); /* no -0 */
}

/* Every k-th, shortened. */
static void put_categories(figure *f) {
    size_t every = (f->c->categories + CATEGORIES_SHOWN - 1) / CATEGORIES_SHOWN;
    size_t most = 64 / (f->c->categories < CATEGORIES_SHOWN ? f->c->categories + !f->c->categories
                                                            : (size_t)CATEGORIES_SHOWN);
    for (size_t i = 0; i < f->c->categories; i += every) {
        char text[128];
        int wanted = snprintf(text, sizeof text, "%s", f->c->category[i]);
        bool cut = (size_t)wanted > most && most + 4 < sizeof text;
        bough_show_cut(text, wanted, cut ? most : sizeof text);
        if (cut) snprintf(text + strlen(text), 4, "\xe2\x80\xa6");
        put_x_tick(f, (double)i, text);
    }
}

static void put_axes(figure *f) {
    put_ticks(f, false);
    if (f->c->xscale == CHART_CATEGORY)
        put_categories(f);
    else
        put_ticks(f, true);
    if (f->c->ratio) {
        double y = place(&f->y, 1);
        bough_text_printf(f->out, "<line class=\"nominal\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                          LEFT, WIDTH - RIGHT, y, y);
    }
    bough_text_printf(f->out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", LEFT,
                      WIDTH - RIGHT, HEIGHT - BOTTOM, HEIGHT - BOTTOM);
    put_label(f, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, "middle", f->c->x_title);
}

/* ---- series ---- */

static const char *const dash[] = {"", "7 3", "2 2", "9 3 2 3", "5 2", "1 3"};
enum { DASHES = sizeof dash / sizeof *dash };

static void put_dash(bough_text *out, unsigned style) {
    const char *d = dash[(style + style / COLOURS) % DASHES];
    if (*d) bough_text_printf(out, " stroke-dasharray=\"%s\"", d);
}

/* A circle, square, triangle or diamond. */
static void put_mark(bough_text *out, unsigned style, bool hollow, double x, double y) {
    unsigned shape = (style + style / COLOURS) % 4;
    bough_text_printf(out, "<path class=\"%s%u\" d=\"M%.1f %.1f", hollow ? "hollow line" : "fill",
                      style % COLOURS, x, y);
    bough_text_put(out, shape == 0   ? "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z\""
                        : shape == 1 ? "m-3-3h6v6h-6z\""
                        : shape == 2 ? "m0-4l4 7h-8z\""
                                     : "m0-4l4 4l-4 4l-4-4z\"");
}

/* A vertical line; extremes have a short line at each end, and stand side by side. */
static void put_bar(figure *f, const chart_series *s, const chart_point *p, double x) {
    const chart_bar bar = chart_bar_of(f->c, p);
    if (f->c->minmax && !f->c->metric_x)
        x += APART * ((double)(s - f->c->series) - 0.5 * (double)(f->c->count - 1));
    if (!(bar.high > bar.low)) return;
    double low = place(&f->y, bar.low), high = place(&f->y, bar.high);
    bough_text_printf(f->out, "<line class=\"line%u\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                      s->style % COLOURS, x, x, low, high);
    if (f->c->minmax)
        bough_text_printf(f->out, "<path class=\"line%u\" d=\"M%.1f %.1fh%dM%.1f %.1fh%d\"/>",
                          s->style % COLOURS, x - CAP, low, 2 * CAP, x - CAP, high, 2 * CAP);
}

/* The interval of x, where it is a metric. */
static void put_x_bar(figure *f, const chart_series *s, const chart_point *p) {
    const chart_bar bar = chart_x_bar_of(f->c, p);
    if (!(bar.high > bar.low)) return;
    double low = place(&f->x, bar.low), high = place(&f->x, bar.high), y = place(&f->y, p->mean);
    bough_text_printf(f->out, "<line class=\"line%u\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                      s->style % COLOURS, low, high, y, y);
}

static void put_point(figure *f, const chart_series *s, const chart_point *p) {
    double x = place(&f->x, p->x);
    put_bar(f, s, p, x);
    put_x_bar(f, s, p);
    put_mark(f->out, s->style, chart_point_is_hollow(p), x, place(&f->y, p->mean));
    if (!f->titles) {
        bough_text_put(f->out, "/>");
        return;
    }
    char text[QUANTITY_TEXT];
    bough_text_put(f->out, "><title>");
    bough_text_put_xml(f->out, s->name);
    bough_text_put(f->out, ", ");
    if (p->label[0])
        bough_text_put_xml(f->out, p->label);
    else
        bough_text_put(f->out, quantity_format(p->x, 0, text));
    if (f->c->metric_x)
        bough_text_printf(f->out, "%s%s", p->label[0] ? ", " : "",
                          p->label[0] ? quantity_format(p->x, 0, text) : "");
    bough_text_printf(f->out, ": %s", quantity_format(p->mean, interval(p), text));
    if (interval(p) > 0)
        bough_text_printf(f->out, " \xc2\xb1 %s", quantity_format_interval(p->mean, interval(p), text));
    if (f->c->minmax && p->max > p->min) {
        bough_text_printf(f->out, ", %s", quantity_format(p->min, 0, text));
        bough_text_printf(f->out, " to %s", quantity_format(p->max, 0, text));
    }
    if (chart_point_is_hollow(p)) bough_text_printf(f->out, ", %s", bough_outcome_name(p->answer->outcome));
    bough_text_put(f->out, "</title></path>\n");
}

/* A line across the chart, where there may be no point. */
static void put_saturation(figure *f, const chart_series *s) {
    double x = place(&f->x, s->saturated_from);
    bough_text_printf(f->out,
                      "<line class=\"line%u\" stroke-dasharray=\"1 4\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
                      "y2=\"%d\"><title>",
                      s->style % COLOURS, x, x, TOP, HEIGHT - BOTTOM);
    char text[QUANTITY_TEXT];
    bough_text_put_xml(f->out, s->name);
    bough_text_printf(f->out, ": saturated from %s</title></line>\n",
                      quantity_format(s->saturated_from, 0, text));
}

static void put_series(figure *f, const chart_series *s) {
    if (s->saturates) put_saturation(f, s);
    if (s->points > 1 && f->c->xscale != CHART_CATEGORY && !f->c->scatter) {
        bough_text_printf(f->out, "<polyline class=\"line%u\"", s->style % COLOURS);
        if (s->points <= MARKS_MOST) put_dash(f->out, s->style); /* a dense curve has none */
        bough_text_put(f->out, " points=\"");
        for (size_t i = 0; i < s->points; i++)
            bough_text_printf(f->out, "%s%.1f,%.1f", i ? " " : "", place(&f->x, s->point[i].x),
                              place(&f->y, s->point[i].mean));
        bough_text_put(f->out, "\"/>\n");
    }
    bool marks = s->points <= MARKS_MOST || f->c->scatter || f->c->xscale == CHART_CATEGORY;
    for (size_t i = 0; i < s->points && marks; i++) put_point(f, s, &s->point[i]);
}

static void put_curve(figure *f, const chart_curve *curve) {
    bough_text_printf(f->out, "<polyline class=\"line%u\"%s", curve->style % COLOURS,
                      curve->mean ? " opacity=\"0.6\"" : "");
    put_dash(f->out, curve->style);
    bough_text_put(f->out, " points=\"");
    for (size_t i = 0; i < curve->points; i++) {
        double y = curve->vertical ? (i ? TOP : HEIGHT - BOTTOM) : place(&f->y, curve->y[i]);
        bough_text_printf(f->out, "%s%.1f,%.1f", i ? " " : "", place(&f->x, curve->x[i]), y);
    }
    bough_text_put(f->out, "\"><title>");
    bough_text_put_xml(f->out, curve->name);
    bough_text_put(f->out, "</title></polyline>\n");
}

/* Lines without marks. */
static void put_curve_legend(const chart_curve *curve, bough_text *out) {
    bough_text_printf(out,
                      "<li><svg width=\"26\" height=\"10\" aria-hidden=\"true\"><line class=\"line%u\"%s",
                      curve->style % COLOURS, curve->mean ? " opacity=\"0.6\"" : "");
    put_dash(out, curve->style);
    bough_text_put(out, curve->vertical ? " x1=\"13\" x2=\"13\" y1=\"0\" y2=\"10\"/></svg> "
                                        : " x1=\"0\" x2=\"26\" y1=\"5\" y2=\"5\"/></svg> ");
    bough_text_put_xml(out, curve->name);
    bough_text_put(out, "</li>\n");
}

static void put_legend(const chart *c, bough_text *out) {
    if (c->count < 2 && !c->curves && !(c->count && *c->series[0].name)) return;
    bough_text_put(out, "<ul class=\"legend\">\n");
    for (size_t s = 0; s < c->count; s++) {
        unsigned style = c->series[s].style;
        char text[QUANTITY_TEXT];
        bough_text_put(out, "<li><svg width=\"26\" height=\"10\" aria-hidden=\"true\">");
        if (!c->scatter) {
            bough_text_printf(out, "<line class=\"line%u\"", style % COLOURS);
            put_dash(out, style);
            bough_text_put(out, " x1=\"0\" x2=\"26\" y1=\"5\" y2=\"5\"/>");
        }
        put_mark(out, style, false, 13, 5);
        bough_text_put(out, "/></svg> ");
        bough_text_put_xml(out, c->series[s].name);
        if (c->series[s].saturates)
            bough_text_printf(out, ": saturated from %s",
                              quantity_format(c->series[s].saturated_from, 0, text));
        bough_text_put(out, "</li>\n");
    }
    for (size_t k = 0; k < c->curves; k++) put_curve_legend(&c->curve[k], out);
    bough_text_put(out, "</ul>\n");
}

static bool has_bars(const chart *c) {
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++)
            if (interval(&c->series[s].point[i]) > 0) return true;
    return false;
}

/* What bars and hollow marks are. */
static void put_note(const chart *c, bough_text *out) {
    bough_text hollow = {0};
    const bool bars = c->minmax || has_bars(c);
    chart_put_hollow(&hollow, c);
    if (bars || hollow.length)
        bough_text_printf(out, "<p class=\"note\">%s%s%s%s</p>\n",
                          c->minmax ? "Bars: minimum to maximum. "
                          : bars    ? "Bars: 95 % intervals. "
                                    : "",
                          hollow.length ? "Hollow marks: " : "", hollow.length ? hollow.data : "",
                          hollow.length ? "." : "");
    out->failed |= hollow.failed;
    bough_text_fini(&hollow);
}

void chart_svg(const chart *c, bough_text *out) {
    figure f = {.c = c, .out = out};
    find_ranges(&f);
    bough_text_put(out, "<figure class=\"plain\">\n<figcaption>");
    bough_text_put_xml(out, c->title);
    bough_text_put(out, "<br/><span class=\"note\">");
    bough_text_put_xml(out, c->y_title);
    bough_text_printf(out, "</span></figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
                      WIDTH, HEIGHT);
    bough_text_put_xml(out, c->title);
    bough_text_put(out, "\">\n");
    put_axes(&f);
    for (size_t k = 0; k < c->curves; k++) put_curve(&f, &c->curve[k]);
    for (size_t s = 0; s < c->count; s++) put_series(&f, &c->series[s]);
    bough_text_put(out, "</svg>\n");
    put_legend(c, out);
    put_note(c, out);
    if (c->left_out)
        bough_text_printf(out, "<p class=\"note\">%zu point%s %s left out of this chart.</p>\n", c->left_out,
                          bough_s(c->left_out), c->left_out == 1 ? "is" : "are");
    if (c->left_lines) {
        bough_text_put(out, "<p class=\"note\">");
        chart_put_left_lines(out, c);
        bough_text_put(out, ".</p>\n");
    }
    bough_text_put(out, "</figure>\n");
}

/* ---- a file ---- */

enum { HEAD = 40, LEGEND_LINE = 17, FILE_CM = 16, FILE_PT = 9 };
#define CM_OF_POINT (2.54 / 72)

/* unit_cm: the size of a unit of the picture. */
static void put_file_style(const chart *c, double unit_cm, bough_text *out) {
    const double font = (c->font_pt > 0 ? c->font_pt : FILE_PT) * CM_OF_POINT / unit_cm;
    bough_text_printf(out,
                      "<style>text{font:%.2fpx sans-serif}.tick{stroke:#ddd}.axis,.nominal{stroke:#999}"
                      "[class*=line]{stroke-width:1.5}polyline{fill:none}",
                      font);
    for (unsigned i = 0; i < CHART_COLOURS; i++)
        bough_text_printf(out, ".line%u{stroke:%s;fill:none}.fill%u{fill:%s}", i, chart_colour[i], i,
                          chart_colour[i]);
    bough_text_put(out, ".hollow{fill:#fff}</style>\n");
}

static void put_file_legend(figure *f) {
    const chart *c = f->c;
    bough_text name = {0};
    for (size_t k = 0; k < c->count + c->curves; k++) {
        const bool is_series = k < c->count;
        const unsigned style = is_series ? c->series[k].style : c->curve[k - c->count].style;
        const double y = HEIGHT + LEGEND_LINE * ((double)k + 0.5);
        bough_text_printf(f->out, "<line class=\"line%u\"", style % COLOURS);
        put_dash(f->out, style);
        bough_text_printf(f->out, " x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, LEFT + 26, y, y);
        if (is_series) put_mark(f->out, style, false, LEFT + 13, y);
        bough_text_put(f->out, is_series ? "/>" : "");
        name.length = 0;
        if (is_series)
            chart_put_series_name(&name, &c->series[k]);
        else
            bough_text_put(&name, c->curve[k - c->count].name);
        put_label(f, LEFT + 32, y + 4, "start", name.data ? name.data : "");
        bough_text_put(f->out, "\n");
    }
    f->out->failed |= name.failed;
    bough_text_fini(&name);
}

void chart_svg_file(const chart *c, bough_text *out) {
    figure f = {.c = c, .out = out};
    const size_t keys = c->count > 1 || c->curves ? c->count + c->curves : 0;
    const double rows = HEAD + HEIGHT + LEGEND_LINE * (double)keys + LEGEND_LINE;
    const double width = c->width_cm > 0 ? c->width_cm : FILE_CM;
    const double height = c->height_cm > 0 ? c->height_cm : width * rows / WIDTH;
    find_ranges(&f);
    bough_text_printf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.4gcm\" height=\"%.4gcm\" "
                      "viewBox=\"0 %d %d %.0f\">\n",
                      width, height, -HEAD, WIDTH, rows);
    put_file_style(c, fmin(width / WIDTH, height / rows), out);
    bough_text_printf(out, "<rect x=\"0\" y=\"%d\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                      -HEAD);
    put_label(&f, WIDTH / 2.0, 16 - HEAD, "middle", c->title);
    put_label(&f, 4, -4, "start", c->y_title);
    bough_text_put(out, "\n");
    put_axes(&f);
    for (size_t k = 0; k < c->curves; k++) put_curve(&f, &c->curve[k]);
    for (size_t s = 0; s < c->count; s++) put_series(&f, &c->series[s]);
    if (keys) put_file_legend(&f);
    bough_text_put(out, "</svg>\n");
}
