/* The canvas is a grid of characters, each of 2 by 4 dots in braille and of 1 by 1 in ASCII. Lines between
 * points are drawn as dots first; points then replace whole characters. */
#include "report/charts/text_plot.h"

#include "base/memory/memory.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "document/narrow_table.h"
#include "report/charts/chart_marks.h"
#include "report/charts/chart_scale.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 80,
    HEIGHT = 20,
    WIDTH_LEAST = 40,
    HEIGHT_LEAST = 8,
    WIDTH_MOST = 400,
    HEIGHT_MOST = 200,
    LABEL = 10
};

static const char letters[] = "oxabcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#";
enum { LETTERS = sizeof letters - 1, SEVERAL = '=' };

/* The same series has the same letter in all charts of a study. */
static char letter_of(const chart_series *series) {
    return letters[series->style % LETTERS];
}

/* Hollow marks are capitals, where small letters suffice for the series. */
static char mark_of(const chart_series *series, const chart_point *p) {
    char letter = letter_of(series);
    return chart_point_is_hollow(p) && islower((unsigned char)letter) ? (char)toupper((unsigned char)letter)
                                                                      : letter;
}

static char mark_of_curve(size_t k) {
    return (char)('1' + k % 9);
}

/* Readable on dark and light backgrounds. */
static const int colour[] = {34, 31, 32, 35, 33, 36};
enum { COLOURS = sizeof colour / sizeof *colour };

typedef struct cell {
    unsigned char dots; /* braille; ASCII: 1 line, 2 interval */
    char mark;          /* of a point; 0: none */
    unsigned char ink;  /* series + 1, of the mark or of the latest line; 0: none */
} cell;

typedef struct canvas {
    const chart *c;
    const plot_options *o;
    axis x, y;
    size_t columns, rows; /* size of the inner field in characters */
    size_t dx, dy;        /* dots per character */
    cell *cell;
} canvas;

static double back(chart_scale scale, double value) {
    if (scale == CHART_LOG2) return exp2(value);
    if (scale == CHART_LOG10) return pow(10, value);
    return value;
}

/* ---- ranges ---- */

static void find_ranges(canvas *v) {
    const chart *c = v->c;
    v->x = (axis){INFINITY, -INFINITY, c->xscale};
    v->y = (axis){INFINITY, -INFINITY, c->yscale};
    for (size_t s = 0; s < c->count; s++)
        for (size_t i = 0; i < c->series[s].points; i++) {
            const chart_point *p = &c->series[s].point[i];
            chart_bar across = chart_x_bar_of(c, p);
            axis_widen(&v->x, p->x);
            axis_widen(&v->x, across.low);
            axis_widen(&v->x, across.high);
            axis_widen(&v->y, p->mean);
        }
    chart_range range;
    if (chart_y_range(c, &range)) {
        axis_widen(&v->y, range.low); /* on a log scale: only if positive */
        axis_widen(&v->y, range.high);
    }
    for (size_t s = 0; s < c->count; s++)
        if (c->series[s].saturates) axis_widen(&v->x, c->series[s].saturated_from);
    for (size_t k = 0; k < c->curves; k++)
        for (size_t i = 0; i < c->curve[k].points; i++) axis_widen(&v->x, c->curve[k].x[i]);
    if (c->ratio) axis_widen(&v->y, 1);
    if (c->xscale == CHART_CATEGORY) v->x.low = -0.5, v->x.high = (double)c->categories - 0.5;
    axis_end_range(&v->x);
    axis_end_range(&v->y);
}

/* ---- dots ---- */

static double place(const axis *a, double value, size_t dots) {
    double t = axis_transform(a->scale, value);
    if (!isfinite(t)) t = a->low;
    double share = (t - a->low) / (a->high - a->low);
    return fmin(fmax(share, 0), 1) * (double)(dots - 1);
}

static size_t dot_x(const canvas *v, double x) {
    return (size_t)lround(place(&v->x, x, v->columns * v->dx));
}
static size_t dot_y(const canvas *v, double y) {
    return v->rows * v->dy - 1 - (size_t)lround(place(&v->y, y, v->rows * v->dy));
}

static void set_dot(canvas *v, size_t x, size_t y, unsigned char ink, bool interval) {
    static const unsigned char braille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cell *at = &v->cell[y / v->dy * v->columns + x / v->dx];
    if (v->o->ascii)
        at->dots |= interval ? 2 : 1;
    else
        at->dots |= braille[y % 4][x % 2];
    at->ink = ink;
}

static void draw_line(canvas *v, const chart_point *p, const chart_point *q, unsigned char ink) {
    double x0 = (double)dot_x(v, p->x), y0 = (double)dot_y(v, p->mean), x1 = (double)dot_x(v, q->x),
           y1 = (double)dot_y(v, q->mean);
    size_t steps = (size_t)fmax(fabs(x1 - x0), fabs(y1 - y0));
    for (size_t i = 0; i <= steps; i++) {
        double share = steps ? (double)i / (double)steps : 0;
        set_dot(v, (size_t)lround(x0 + share * (x1 - x0)), (size_t)lround(y0 + share * (y1 - y0)), ink,
                false);
    }
}

static void draw_interval(canvas *v, const chart_point *p, unsigned char ink) {
    const chart_bar bar = chart_bar_of(v->c, p), across = chart_x_bar_of(v->c, p);
    size_t end_x = dot_x(v, across.high), row = dot_y(v, p->mean);
    for (size_t at = dot_x(v, across.low); at < end_x; at++) set_dot(v, at, row, ink, true);
    if (!(bar.high > bar.low)) return;
    size_t x = dot_x(v, p->x), top = dot_y(v, bar.high), end = dot_y(v, bar.low);
    for (size_t y = top; y <= end; y++) set_dot(v, x, y, ink, true);
}

/* A number at the end of a curve, where no point stands. */
static void mark_curve(canvas *v, size_t k) {
    const chart_curve *curve = &v->c->curve[k];
    size_t last = curve->points - 1;
    size_t row = curve->vertical ? 0 : dot_y(v, curve->y[last]) / v->dy;
    cell *at = &v->cell[row * v->columns + dot_x(v, curve->x[last]) / v->dx];
    if (at->mark) return;
    at->mark = mark_of_curve(k);
    at->ink = 0;
}

/* A dotted vertical line. */
static void draw_saturation(canvas *v, double at, unsigned char ink) {
    size_t x = dot_x(v, at);
    for (size_t y = 0; y < v->rows * v->dy; y += 2) set_dot(v, x, y, ink, true);
}

static void draw_curve(canvas *v, const chart_curve *curve) {
    if (curve->vertical) draw_saturation(v, *curve->x, 0);
    for (size_t i = 1; i < curve->points && !curve->vertical; i++) {
        const chart_point from = {.x = curve->x[i - 1], .mean = curve->y[i - 1]};
        const chart_point to = {.x = curve->x[i], .mean = curve->y[i]};
        draw_line(v, &from, &to, 0);
    }
}

static void draw_series(canvas *v, size_t s) {
    const chart_series *series = &v->c->series[s];
    unsigned char ink = (unsigned char)(s + 1);
    if (series->saturates) draw_saturation(v, series->saturated_from, ink);
    for (size_t i = 0; i < series->points; i++) {
        if (i && v->c->xscale != CHART_CATEGORY && !v->c->scatter)
            draw_line(v, &series->point[i - 1], &series->point[i], ink);
        draw_interval(v, &series->point[i], ink);
    }
}

static void mark_series(canvas *v, size_t s) {
    const chart_series *series = &v->c->series[s];
    for (size_t i = 0; i < series->points; i++) {
        const chart_point *p = &series->point[i];
        cell *at = &v->cell[dot_y(v, p->mean) / v->dy * v->columns + dot_x(v, p->x) / v->dx];
        bool other = at->mark && at->ink != s + 1;
        at->mark = other ? SEVERAL : mark_of(series, p);
        at->ink = other ? 0 : (unsigned char)(s + 1);
    }
}

/* ---- text ---- */

static void put_colour(const canvas *v, bough_text *out, unsigned char *now, unsigned char ink) {
    if (!v->o->colours || *now == ink) return;
    if (ink)
        bough_text_printf(out, "\033[%dm", colour[v->c->series[ink - 1].style % COLOURS]);
    else
        bough_text_put(out, "\033[0m");
    *now = ink;
}

static void put_cell(const canvas *v, const cell *at, bough_text *out) {
    char text[4];
    if (at->mark) {
        bough_text_add(out, &at->mark, 1);
    } else if (v->o->ascii) {
        bough_text_put(out, at->dots & 2 ? "|" : at->dots ? "." : " ");
    } else if (at->dots) { /* U+2800 and the dots, in UTF-8 */
        text[0] = (char)0xe2;
        text[1] = (char)(0xa0 | at->dots >> 6);
        text[2] = (char)(0x80 | (at->dots & 0x3f));
        bough_text_add(out, text, 3);
    } else {
        bough_text_put(out, " ");
    }
}

/* As many digits as fit. */
static void format_tick(double value, char *buffer, size_t size) {
    for (int digits = 4; digits > 0; digits--)
        if (snprintf(buffer, size, "%.*g", digits, value) <= LABEL - 2) break;
}

/* Five values along the side, each centred on its row. */
static bool is_tick_row(const canvas *v, size_t row) {
    size_t steps = 4;
    for (size_t k = 0; k <= steps; k++)
        if (row == k * (v->rows - 1) / steps) return true;
    return false;
}

static double row_value(const canvas *v, size_t row) {
    double share = 1 - (double)row / (double)(v->rows - 1);
    return back(v->y.scale, v->y.low + share * (v->y.high - v->y.low));
}

static void put_field(const canvas *v, bough_text *out) {
    char tick[32];
    for (size_t row = 0; row < v->rows; row++) {
        unsigned char ink = 0;
        size_t last = v->columns;
        bool labelled = is_tick_row(v, row);
        if (labelled) format_tick(row_value(v, row), tick, sizeof tick);
        bough_text_printf(out, "%*s %s", LABEL - 2, labelled ? tick : "",
                          v->o->ascii ? "|"
                          : labelled  ? "\xe2\x94\xa4"
                                      : "\xe2\x94\x82");
        while (last > 0 && !v->cell[row * v->columns + last - 1].mark &&
               !v->cell[row * v->columns + last - 1].dots)
            last--; /* no trailing blanks */
        for (size_t x = 0; x < last; x++) {
            const cell *at = &v->cell[row * v->columns + x];
            put_colour(v, out, &ink, at->mark || at->dots ? at->ink : 0);
            put_cell(v, at, out);
        }
        put_colour(v, out, &ink, 0);
        bough_text_put(out, "\n");
    }
}

/* Writes text into line, centred on column, unless that overlaps other text. */
static void put_tick(char *line, size_t room, double column, const char *text) {
    size_t length = strlen(text),
           at = column > (double)length / 2 ? (size_t)(column - (double)length / 2) : 0;
    if (length > room) return;
    if (at + length > room) at = room - length;
    size_t from = at ? at - 1 : 0, to = at + length < room ? at + length + 1 : room;
    for (size_t i = from; i < to; i++)
        if (line[i] != ' ') return;
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): the line goes on behind the text */
    memcpy(line + at, text, length);
}

/* The middle of the column in which a value is. */
static double middle_of(const canvas *v, double x) {
    const size_t column = dot_x(v, x) / v->dx;
    return (double)column + 0.5;
}

/* The tick of a point on the x axis. */
static void put_x_tick(const canvas *v, char *line, const chart_point *p) {
    char tick[32];
    format_tick(p->x, tick, sizeof tick);
    if (p->x == floor(p->x) && fabs(p->x) < 1e9) snprintf(tick, sizeof tick, "%.0f", p->x);
    put_tick(line, v->columns, middle_of(v, p->x), tick);
}

/* The ticks at both ends of the axis, or the others. */
static void put_series_ticks(const canvas *v, char *line, const chart_series *s, bool ends) {
    for (size_t i = 0; i < s->points; i++) {
        double x = axis_transform(v->c->xscale, s->point[i].x);
        if ((x == v->x.low || x == v->x.high) == ends) put_x_tick(v, line, &s->point[i]);
    }
}

static void put_x_axis(const canvas *v, bough_text *out) {
    char line[WIDTH_MOST + 1], tick[32];
    bough_text_printf(out, "%*s%s", LABEL - 1, "", v->o->ascii ? "+" : "\xe2\x94\x94");
    for (size_t i = 0; i < v->columns; i++) bough_text_put(out, v->o->ascii ? "-" : "\xe2\x94\x80");
    memset(line, ' ', v->columns);
    line[v->columns] = 0;
    const chart *c = v->c;
    for (size_t i = 0; i < c->categories && c->xscale == CHART_CATEGORY; i++) {
        snprintf(tick, sizeof tick, "%zu", i + 1); /* the legend contains the names of categories */
        put_tick(line, v->columns, middle_of(v, (double)i), tick);
    }
    if (c->xscale != CHART_CATEGORY) {
        for (size_t s = 0; s < c->count; s++) put_series_ticks(v, line, &c->series[s], true);
        for (size_t s = 0; s < c->count; s++) put_series_ticks(v, line, &c->series[s], false);
    }
    size_t last = v->columns;
    while (last > 0 && line[last - 1] == ' ') last--;
    bough_text_printf(out, "\n%*s%.*s\n", LABEL, "", (int)last, line);
    if (*c->x_title) {
        size_t length = strlen(c->x_title), middle = v->columns / 2 + LABEL;
        bough_text_printf(out, "%*s", middle > length / 2 ? (int)(middle - length / 2) : 0, "");
        bough_text_put_shown(out, c->x_title);
        bough_text_put(out, "\n");
    }
}

static void put_legend(const canvas *v, size_t width, bough_text *out) {
    const chart *c = v->c;
    bool several = false;
    for (size_t i = 0; i < v->rows * v->columns; i++) several |= v->cell[i].mark == SEVERAL;
    for (size_t s = 0; s < c->count; s++) {
        unsigned char ink = 0;
        bough_text name = {0};
        bough_text_printf(&name, "%c ", letter_of(&c->series[s]));
        chart_put_series_name(&name, &c->series[s]);
        put_colour(v, out, &ink, (unsigned char)(s + 1));
        put_wrapped_text(out, &name, width);
        if (v->o->colours && out->length) { /* the colour ends before the line end */
            out->data[--out->length] = 0;
            put_colour(v, out, &ink, 0);
            bough_text_put(out, "\n");
        }
    }
    for (size_t k = 0; k < c->curves; k++) {
        bough_text name = {0};
        bough_text_printf(&name, "%c %s: %s", mark_of_curve(k),
                          c->curve[k].vertical ? "vertical line" : "line", c->curve[k].name);
        put_wrapped_text(out, &name, width);
    }
    if (several) bough_text_put(out, "= several\n");
    bough_text hollow = {0};
    chart_put_hollow(&hollow, c);
    if (hollow.length) bough_text_put(out, "capitals: ");
    if (hollow.length) bough_text_put(&hollow, "\n");
    bough_text_join(out, &hollow);
    for (size_t i = 0; i < c->categories && c->xscale == CHART_CATEGORY; i++) {
        bough_text name = {0};
        bough_text_printf(&name, "%zu %s", i + 1, c->category[i]);
        put_wrapped_text(out, &name, width);
    }
}

static size_t within(size_t value, size_t fallback, size_t least, size_t most) {
    if (value == 0) value = fallback;
    return value < least ? least : value > most ? most : value;
}

bough_status plot_chart(const chart *c, const plot_options *options, bough_text *out, bough_error *error) {
    size_t width = within(options->width, WIDTH, WIDTH_LEAST, WIDTH_MOST),
           height = within(options->height, HEIGHT, HEIGHT_LEAST, HEIGHT_MOST);
    canvas v = {.c = c, .o = options, .columns = width - LABEL, .rows = height - 4};
    v.dx = options->ascii ? 1 : 2;
    v.dy = options->ascii ? 1 : 4;
    bough_status status = bough_alloc(&v.cell, v.columns * v.rows, sizeof *v.cell, error);
    if (status) return status;
    find_ranges(&v);
    put_wrapped(out, c->title, width);
    if (c->ratio) {
        chart_point one = {.x = back(v.x.scale, v.x.low), .mean = 1},
                    end = {.x = back(v.x.scale, v.x.high), .mean = 1};
        draw_line(&v, &one, &end, 0);
    }
    for (size_t k = 0; k < c->curves; k++) draw_curve(&v, &c->curve[k]);
    for (size_t s = 0; s < c->count && s < 254; s++) draw_series(&v, s);
    for (size_t s = 0; s < c->count && s < 254; s++) mark_series(&v, s);
    for (size_t k = 0; k < c->curves; k++) mark_curve(&v, k);
    put_field(&v, out);
    put_x_axis(&v, out);
    put_legend(&v, width, out);
    if (c->left_out)
        bough_text_printf(out, "%zu point%s %s omitted\n", c->left_out, bough_s(c->left_out),
                          c->left_out == 1 ? "is" : "are");
    if (c->left_lines) {
        chart_put_left_lines(out, c);
        bough_text_put(out, "\n");
    }
    free(v.cell);
    return out->failed ? bough_fail_memory(error, out->length) : BOUGH_OK;
}
