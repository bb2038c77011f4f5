/* Each series is a table of x, mean and the lengths of its bars, because pgfplots draws bars relative to the
 * value. Untrusted texts stand in braces, with all characters escaped that TeX reads as more than a letter.
 */
#include "report/charts/figure_pgf.h"

#include "base/text/escape.h"
#include "base/text/utf8.h"
#include "report/charts/chart_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIGURE_CM 8.5 /* the width of a column */
#define SHAPE     0.7
enum { CATEGORIES_FLAT = 4 };

/* Filled, and the same with white inside. */
static const char *const mark[] = {"*", "square*", "triangle*", "diamond*", "pentagon*", "halfsquare*"};
static const char *const dash[] = {"solid", "dashed", "dotted", "dash dot", "densely dashed"};
enum { MARKS = sizeof mark / sizeof *mark, DASHES = sizeof dash / sizeof *dash };

/* ---- texts ---- */

static const char *escape_of(char c) {
    switch (c) {
    case '\\':
        return "\\textbackslash{}";
    case '{':
        return "\\{";
    case '}':
        return "\\}";
    case '$':
        return "\\$";
    case '&':
        return "\\&";
    case '#':
        return "\\#";
    case '%':
        return "\\%";
    case '_':
        return "\\_";
    case '^':
        return "\\textasciicircum{}";
    case '~':
        return "\\textasciitilde{}";
    case '<':
        return "\\textless{}";
    case '>':
        return "\\textgreater{}";
    case '|':
        return "\\textbar{}";
    case '"':
        return "\\textquotedbl{}";
    default:
        return NULL;
    }
}

/* {text} */
static void put_tex(bough_text *out, const char *text) {
    const size_t length = strlen(text);
    char *clean = malloc(length + 1);
    if (!clean) {
        out->failed = true;
        return;
    }
    bough_copy_printable(text, length, clean, length + 1);
    bough_text_put(out, "{");
    for (const char *c = clean; *c; c++) {
        const char *escaped = escape_of(*c);
        bough_text_add(out, escaped ? escaped : c, escaped ? strlen(escaped) : 1);
    }
    bough_text_put(out, "}");
    free(clean);
}

static void put_real(bough_text *out, double value) {
    char number[40];
    bough_text_put(out, bough_format_real(value, number, sizeof number));
}

/* ---- axes ---- */

static void put_size(bough_text *out, const chart *c) {
    const double width = c->width_cm > 0 ? c->width_cm : FIGURE_CM;
    bough_text_printf(out, "  width=%.4gcm, height=%.4gcm,\n", width,
                      c->height_cm > 0 ? c->height_cm : SHAPE * width);
    if (c->font_pt > 0)
        bough_text_printf(out, "  every node/.append style={font=\\fontsize{%g}{%g}\\selectfont},\n",
                          c->font_pt, 1.2 * c->font_pt);
}

static void put_scales(bough_text *out, const chart *c) {
    if (c->xscale == CHART_LOG2) bough_text_put(out, "  xmode=log, log basis x=2,\n");
    if (c->xscale == CHART_LOG10) bough_text_put(out, "  xmode=log, log basis x=10,\n");
    if (c->yscale == CHART_LOG10) bough_text_put(out, "  ymode=log, log basis y=10,\n");
}

static void put_categories(bough_text *out, const chart *c) {
    bough_text_printf(out, "  xmin=-0.5, xmax=%.1f, xtick={", (double)c->categories - 0.5);
    for (size_t i = 0; i < c->categories; i++) bough_text_printf(out, "%s%zu", i ? "," : "", i);
    bough_text_put(out, "},\n  xticklabels={");
    for (size_t i = 0; i < c->categories; i++) {
        bough_text_put(out, i ? "," : "");
        put_tex(out, c->category[i]);
    }
    bough_text_put(out, "},\n");
    if (c->categories > CATEGORIES_FLAT)
        bough_text_put(out, "  xticklabel style={rotate=35, anchor=north east},\n");
}

static void put_text_key(bough_text *out, const char *key, const char *text) {
    if (!*text) return;
    bough_text_printf(out, "  %s=", key);
    put_tex(out, text);
    bough_text_put(out, ",\n");
}

static bool has_legend(const chart *c) {
    return c->count > 1 || c->curves;
}

static void put_axis(bough_text *out, const chart *c) {
    bough_text_put(out, "\\begin{axis}[\n");
    put_size(out, c);
    put_text_key(out, "title", c->title);
    put_text_key(out, "xlabel", c->x_title);
    put_text_key(out, "ylabel", c->y_title);
    put_scales(out, c);
    if (c->xscale == CHART_CATEGORY) put_categories(out, c);
    bough_text_put(out, "  axis lines=left, axis line style={-}, grid=major, grid style={gray!25},\n"
                        "  title style={align=center, text width=0.9*\\pgfkeysvalueof{/pgfplots/width}},\n"
                        "  enlargelimits=0.04, mark size=1.6pt, legend cell align=left,\n"
                        "  legend style={draw=none, at={(0.5,-0.3)}, anchor=north},\n]\n");
}

/* ---- series ---- */

static void put_colours(bough_text *out, const chart *c) {
    unsigned used = 0;
    for (size_t s = 0; s < c->count; s++) used |= 1U << chart_colour_of(c->series[s].style);
    for (size_t k = 0; k < c->curves; k++) used |= 1U << chart_colour_of(c->curve[k].style);
    for (unsigned i = 0; i < CHART_COLOURS; i++)
        if (used >> i & 1)
            bough_text_printf(out, "\\definecolor{bough%u}{HTML}{%s}\n", i, chart_colour[i] + 1);
}

/* How far a bar reaches down and up: an interval as it is known, extremes from the value. A logarithmic axis
 * has no place for an end that is not above 0: that side has no bar. */
static chart_bar lengths_of(chart_bar bar, double value, double ci95, chart_scale scale) {
    const bool log = scale == CHART_LOG2 || scale == CHART_LOG10;
    chart_bar length = {value - bar.low, bar.high - value};
    if (isfinite(ci95)) length.low = length.high = ci95;
    if (log && !(bar.low > 0)) length.low = 0;
    return length;
}

static void put_row(bough_text *out, const chart *c, const chart_point *p) {
    const chart_bar y = lengths_of(chart_bar_of(c, p), p->mean, c->minmax ? NAN : p->ci95, c->yscale),
                    x = lengths_of(chart_x_bar_of(c, p), p->x, c->minmax ? NAN : p->x_ci95, c->xscale);
    const double value[] = {p->x, p->mean, y.low, y.high, x.low, x.high};
    for (size_t i = 0; i < (c->metric_x ? 6 : 4); i++) {
        bough_text_put(out, i ? " " : "    ");
        put_real(out, value[i]);
    }
    bough_text_put(out, "\n");
}

/* The points that are hollow, or the others; as a part of a series that is drawn without a line. */
static void put_table(bough_text *out, const chart *c, const chart_series *s, bool hollow_alone) {
    bough_text_put(out, c->metric_x ? "    x y low high left right\n" : "    x y low high\n");
    for (size_t i = 0; i < s->points; i++)
        if (!hollow_alone || chart_point_is_hollow(&s->point[i])) put_row(out, c, &s->point[i]);
    bough_text_put(out, "  };\n");
}

static void put_entry(bough_text *out, const char *name) {
    bough_text_put(out, "  \\addlegendentry");
    put_tex(out, name);
    bough_text_put(out, "\n");
}

static bool has_hollow(const chart_series *s) {
    for (size_t i = 0; i < s->points; i++)
        if (chart_point_is_hollow(&s->point[i])) return true;
    return false;
}

static void put_hollow(bough_text *out, const chart *c, const chart_series *s) {
    const unsigned style = s->style;
    bough_text_printf(out,
                      "  \\addplot[bough%u, only marks, mark=%s, mark options={solid, fill=white}, forget "
                      "plot] table {\n",
                      chart_colour_of(style), mark[(style + style / CHART_COLOURS) % MARKS]);
    put_table(out, c, s, true);
}

static void put_series_name(bough_text *out, const chart_series *s) {
    bough_text name = {0};
    chart_put_series_name(&name, s);
    if (name.failed)
        out->failed = true;
    else
        put_entry(out, name.data ? name.data : "");
    bough_text_fini(&name);
}

static void put_series(bough_text *out, const chart *c, const chart_series *s) {
    const unsigned style = s->style;
    const bool apart = c->scatter || c->xscale == CHART_CATEGORY;
    bough_text_printf(out,
                      "  \\addplot[bough%u, %s, mark=%s, mark options={solid}, error bars/.cd, y dir=both, "
                      "y explicit%s, error bar style={solid}]\n  table[x=x, y=y, y error minus=low, y "
                      "error plus=high%s] {\n",
                      chart_colour_of(style), apart ? "only marks" : dash[style % DASHES],
                      mark[(style + style / CHART_COLOURS) % MARKS],
                      c->metric_x ? ", x dir=both, x explicit" : "",
                      c->metric_x ? ", x error minus=left, x error plus=right" : "");
    put_table(out, c, s, false);
    if (has_legend(c)) put_series_name(out, s);
    if (has_hollow(s)) put_hollow(out, c, s);
}

/* A vertical from bottom to top, in coordinates of the frame. */
static void put_vertical(bough_text *out, const chart_curve *curve) {
    bough_text_put(out, "  \\draw[bough");
    bough_text_printf(out, "%u, %s] ({axis cs:", chart_colour_of(curve->style), dash[curve->style % DASHES]);
    put_real(out, *curve->x);
    bough_text_put(out, ",1}|-{rel axis cs:0,0}) -- ({axis cs:");
    put_real(out, *curve->x);
    bough_text_put(out, ",1}|-{rel axis cs:0,1});\n");
    bough_text_printf(out, "  \\addlegendimage{bough%u, %s}\n", chart_colour_of(curve->style),
                      dash[curve->style % DASHES]);
    put_entry(out, curve->name);
}

static void put_curve(bough_text *out, const chart_curve *curve) {
    if (curve->vertical) {
        put_vertical(out, curve);
        return;
    }
    bough_text_printf(out, "  \\addplot[bough%u, %s, no marks%s] table {\n", chart_colour_of(curve->style),
                      dash[curve->style % DASHES], curve->mean ? ", opacity=0.6" : "");
    for (size_t i = 0; i < curve->points; i++) {
        bough_text_put(out, "    ");
        put_real(out, curve->x[i]);
        bough_text_put(out, " ");
        put_real(out, curve->y[i]);
        bough_text_put(out, "\n");
    }
    bough_text_put(out, "  };\n");
    put_entry(out, curve->name);
}

static void put_hollow_entry(bough_text *out, const chart *c) {
    bough_text text = {0};
    chart_put_hollow(&text, c);
    if (text.length) {
        bough_text_put(out, "  % hollow marks: ");
        bough_text_put(out, text.data);
        bough_text_put(out, "\n");
    }
    out->failed |= text.failed;
    bough_text_fini(&text);
}

void figure_pgf(const chart *c, bough_text *out) {
    bough_text_put(out, "% Written by bough --figures, which writes it again; to change it, copy it.\n"
                        "% Preamble: \\usepackage[T1]{fontenc} \\usepackage{pgfplots} "
                        "\\pgfplotsset{compat=1.15}\n"
                        "\\begin{tikzpicture}\n");
    put_colours(out, c);
    put_axis(out, c);
    put_hollow_entry(out, c);
    for (size_t s = 0; s < c->count; s++) put_series(out, c, &c->series[s]);
    for (size_t k = 0; k < c->curves; k++) put_curve(out, &c->curve[k]);
    bough_text_put(out, "\\end{axis}\n\\end{tikzpicture}\n");
}
