/* The keys of plot: columns of tables, charts and their lines. */
#include "study/files/study_file.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/spec.h"
#include "study/files/real_expression.h"

#include <stdlib.h>
#include <string.h>

typedef struct plot_reader {
    const raw_study *raw;
    bough_study *study;
    bough_error *error;
} plot_reader;

static bough_status copy_text(const plot_reader *x, char **out, const char *text) {
    return arena_copy(&x->study->memory, out, text, x->error);
}

/* Reads the values of a key, if the study has it. */
static bough_status read_key(const plot_reader *x, raw_key key,
                             bough_status (*read)(const plot_reader *x, const char *text)) {
    const raw_list *list = &x->raw->key[key];
    for (size_t i = 0; i < list->count; i++) {
        bough_status status = read(x, list->item[i].text);
        if (!status) continue;
        raw_add_place(x->raw, list, &list->item[i], "plot", x->error);
        return status;
    }
    return BOUGH_OK;
}

/* ---- axes and metrics ---- */

static const char *const fixed[] = {"method", "routing", "network", "traffic", "faults"};
enum { FIXED = sizeof fixed / sizeof *fixed };

static bool is_dimension(const char *const *axis, size_t axes, const char *text) {
    for (size_t i = 0; i < axes; i++)
        if (strcmp(axis[i], text) == 0) return true;
    for (size_t i = 0; i < FIXED; i++)
        if (strcmp(fixed[i], text) == 0) return true;
    return false;
}

/* The names of axes and fixed dimensions, and for x of metrics with one value; *count of them. */
static bough_status list_names(const plot_reader *x, bool metrics, const char ***out, size_t *count) {
    size_t most = x->raw->axes + FIXED + BOUGH_METRIC_COUNT;
    bough_status status = bough_alloc(out, most, sizeof **out, x->error);
    if (status) return status;
    *count = 0;
    for (size_t i = 0; i < x->raw->axes; i++) (*out)[(*count)++] = x->raw->axis[i].name;
    for (size_t i = 0; i < FIXED; i++) (*out)[(*count)++] = fixed[i];
    for (int m = 0; m < BOUGH_METRIC_COUNT && metrics; m++)
        if (!*bough_metrics[m].index) (*out)[(*count)++] = bough_metrics[m].name;
    return BOUGH_OK;
}

/* The name of an axis or of a fixed dimension; for x also of a metric. */
static bough_status read_dimension(const plot_reader *x, const char *what, const char *text, char **out) {
    const char **names;
    size_t count;
    char hint[BOUGH_HINT_MAX];
    bool metrics = out == &x->study->plot.x, known = false;
    bough_status status = list_names(x, metrics, &names, &count);
    if (status) return status;
    for (size_t i = 0; i < count && !known; i++) known = strcmp(names[i], text) == 0;
    if (known)
        status = copy_text(x, out, text);
    else
        status = bough_fail(x->error, BOUGH_INVALID, NULL,
                            "%s: '%.80s' is unknown%s; name an axis, method, routing, network or traffic%s",
                            what, text, bough_hint(hint, text, names, count), metrics ? ", or a metric" : "");
    free(names);
    return status;
}

/* A metric with indices has no one value at a point. */
static bough_status read_x(const plot_reader *x, const char *text) {
    bough_metric_id metric = bough_metric_find(text);
    bool axis = false;
    for (size_t i = 0; i < x->raw->axes && !axis; i++) axis = strcmp(x->raw->axis[i].name, text) == 0;
    if (!axis && metric != BOUGH_METRIC_COUNT && *bough_metrics[metric].index)
        return bough_fail(x->error, BOUGH_INVALID, NULL,
                          "x: metric %s has a value for each %s; name a metric with one value", text,
                          bough_metrics[metric].index);
    return read_dimension(x, "x", text, &x->study->plot.x);
}

bough_metric_id bough_plot_x_metric(const bough_study *study) {
    const char *x = study->plot.x;
    if (!x || is_dimension((const char *const *)study->axis, study->axes, x)) return BOUGH_METRIC_COUNT;
    bough_metric_id metric = bough_metric_find(x);
    return metric != BOUGH_METRIC_COUNT && *bough_metrics[metric].index ? BOUGH_METRIC_COUNT : metric;
}

static bough_status read_series(const plot_reader *x, const char *text) {
    char **series = x->study->plot.series;
    unsigned i = 0;
    while (i < BOUGH_PLOT_SERIES && series[i] && strcmp(series[i], text) != 0) i++;
    if (i == BOUGH_PLOT_SERIES)
        return bough_fail(x->error, BOUGH_INVALID, NULL, "series: more than %d names", BOUGH_PLOT_SERIES);
    if (series[i]) return bough_fail(x->error, BOUGH_INVALID, NULL, "series: '%.80s' occurs twice", text);
    return read_dimension(x, "series", text, &series[i]);
}

static bough_status read_facet(const plot_reader *x, const char *text) {
    return read_dimension(x, "facet", text, &x->study->plot.facet);
}

static bough_status read_xscale(const plot_reader *x, const char *text) {
    if (strcmp(text, "linear") == 0 || strcmp(text, "log2") == 0 || strcmp(text, "log10") == 0)
        return copy_text(x, &x->study->plot.xscale, text);
    return bough_fail(x->error, BOUGH_INVALID, NULL, "xscale: '%.80s' is not linear, log2 or log10", text);
}

static bough_status add_y(const plot_reader *x, const char *text) {
    enum { MOST = BOUGH_PLOT_METRICS };
    bough_plot *plot = &x->study->plot;
    bough_metric_id metric = bough_metric_find(text);
    if (metric == BOUGH_METRIC_COUNT)
        return bough_fail(x->error, BOUGH_INVALID, NULL, "y: no metric '%.80s'; see `bough list metrics`",
                          text);
    if (plot->ys == MOST) return bough_fail(x->error, BOUGH_INVALID, NULL, "y: more than %d metrics", MOST);
    plot->y[plot->ys++] = metric;
    return BOUGH_OK;
}

/* ---- appearance ---- */

static bough_status read_yscale(const plot_reader *x, const char *text) {
    if (strcmp(text, "linear") == 0 || strcmp(text, "log10") == 0)
        return copy_text(x, &x->study->plot.yscale, text);
    return bough_fail(x->error, BOUGH_INVALID, NULL, "yscale: '%.80s' is not linear or log10", text);
}

static bough_status read_bars(const plot_reader *x, const char *text) {
    x->study->plot.minmax = strcmp(text, "minmax") == 0;
    if (x->study->plot.minmax || strcmp(text, "interval") == 0) return BOUGH_OK;
    return bough_fail(x->error, BOUGH_INVALID, NULL, "bars: '%.80s' is not interval or minmax", text);
}

static bough_status read_ratio(const plot_reader *x, const char *text) {
    bough_plot *plot = &x->study->plot;
    bool mean = strcmp(text, "mean") == 0, max = strcmp(text, "max") == 0;
    plot->ratio = true;
    plot->ratio_mean = plot->ratio_mean || mean;
    plot->ratio_max = plot->ratio_max || max;
    if (mean || max || strcmp(text, "none") == 0) return BOUGH_OK;
    return bough_fail(x->error, BOUGH_INVALID, NULL, "ratio: '%.80s' is not mean, max or none", text);
}

const char *const bough_plot_join_name[BOUGH_JOINS] = {"none", "x", "grid", "lower", "upper"};

static bough_status read_join(const plot_reader *x, const char *text) {
    for (int join = 0; join < BOUGH_JOINS; join++)
        if (strcmp(text, bough_plot_join_name[join]) == 0) {
            x->study->plot.join = (bough_plot_join)join;
            return BOUGH_OK;
        }
    return bough_fail(x->error, BOUGH_INVALID, NULL, "join: '%.80s' is not none, x, grid, lower or upper",
                      text);
}

/* x of the study file, before the study has its axes. */
static bool x_is_metric(const plot_reader *x) {
    const char *text = x->study->plot.x;
    bool axis = !text;
    for (size_t i = 0; i < x->raw->axes && !axis; i++) axis = strcmp(x->raw->axis[i].name, text) == 0;
    return !axis && !is_dimension(NULL, 0, text) && bough_metric_find(text) != BOUGH_METRIC_COUNT;
}

/* What a metric as x alone has, and what it cannot have. */
static bough_status check_metric_x(const plot_reader *x) {
    const raw_list *join = &x->raw->key[RAW_PLOT_JOIN], *ratio = &x->raw->key[RAW_PLOT_RATIO];
    const raw_list *list = NULL;
    if (!x_is_metric(x) && join->count) {
        list = join;
        bough_fail(x->error, BOUGH_INVALID, NULL, "join: applies where x is a metric");
    } else if (x_is_metric(x) && ratio->count) {
        list = ratio;
        bough_fail(x->error, BOUGH_INVALID, NULL,
                   "ratio: needs series with common values of x; here x is the metric %s", x->study->plot.x);
    }
    if (!list) return BOUGH_OK;
    raw_add_place(x->raw, list, list->item, "plot", x->error);
    return BOUGH_INVALID;
}

/* ---- overlay ---- */

static bough_status overlay_all(const plot_reader *x) {
    bough_plot *plot = &x->study->plot;
    for (unsigned y = 0; y < plot->ys; y++) plot->overlay[y] = true;
    return plot->ys ? BOUGH_OK
                    : bough_fail(x->error, BOUGH_INVALID, NULL,
                                 "overlay: plot has no y; name the metrics, as in y: [rounds, norm_cycles]");
}

/* true, false, or a metric of y. */
static bough_status read_overlay(const plot_reader *x, const char *text) {
    bough_plot *plot = &x->study->plot;
    if (strcmp(text, "true") == 0 || strcmp(text, "yes") == 0) return overlay_all(x);
    if (strcmp(text, "false") == 0 || strcmp(text, "no") == 0) return BOUGH_OK;
    for (unsigned y = 0; y < plot->ys; y++) {
        if (strcmp(bough_metrics[plot->y[y]].name, text) != 0) continue;
        plot->overlay[y] = true;
        return BOUGH_OK;
    }
    return bough_fail(x->error, BOUGH_INVALID, NULL, "overlay: '%.80s' is not true, false or a metric of y",
                      text);
}

/* All metrics of one chart have one axis. */
static bough_status check_overlay(const plot_reader *x) {
    const bough_plot *plot = &x->study->plot;
    const raw_list *list = &x->raw->key[RAW_PLOT_OVERLAY];
    unsigned first = 0;
    while (first < plot->ys && !plot->overlay[first]) first++;
    for (unsigned y = first + 1; y < plot->ys; y++) {
        if (!plot->overlay[y] || bough_metrics_share_axis(plot->y[first], plot->y[y])) continue;
        const bough_metric *a = &bough_metrics[plot->y[first]], *b = &bough_metrics[plot->y[y]];
        bough_fail(x->error, BOUGH_INVALID, NULL,
                   "overlay: %s (%s) and %s (%s) have no common unit; name metrics of one unit, as in "
                   "overlay: [rounds, norm_cycles]",
                   a->name, *a->unit ? a->unit : "no unit", b->name, *b->unit ? b->unit : "no unit");
        raw_add_place(x->raw, list, list->item, "plot", x->error);
        return BOUGH_INVALID;
    }
    return BOUGH_OK;
}

/* ---- texts and size ---- */

enum { TEXT_MOST = 200 };
#define COLUMN_CM  8.5
#define COLUMNS_CM 17.5
#define SHAPE      0.7 /* height over width, where only the width is given */

static bough_status read_text(const plot_reader *x, const char *what, const char *text, char **out) {
    if (strlen(text) > TEXT_MOST)
        return bough_fail(x->error, BOUGH_INVALID, NULL, "%s: longer than %d bytes", what, TEXT_MOST);
    return copy_text(x, out, text);
}

static bough_status read_title(const plot_reader *x, const char *text) {
    return read_text(x, "title", text, &x->study->plot.title);
}

static bough_status read_xlabel(const plot_reader *x, const char *text) {
    return read_text(x, "xlabel", text, &x->study->plot.xlabel);
}

static bool is_one_chart(const bough_plot *plot) {
    bool all = true;
    for (unsigned y = 0; y < plot->ys; y++) all = all && plot->overlay[y];
    return plot->ys < 2 || all;
}

/* One for each of y, so that no axis has the label of another metric. */
static bough_status read_ylabel(const plot_reader *x, const char *text) {
    bough_plot *plot = &x->study->plot;
    const size_t given = x->raw->key[RAW_PLOT_YLABEL].count;
    const bool fits = given == (plot->ys ? plot->ys : 1) || (given == 1 && is_one_chart(plot));
    if (!fits)
        return bough_fail(x->error, BOUGH_INVALID, NULL,
                          "ylabel: %zu labels for %u metrics in y; write one for each, as in ylabel: [Time, "
                          "Load]",
                          given, plot->ys);
    return read_text(x, "ylabel", text, &plot->ylabel[plot->ylabels++]);
}

/* A decimal number of 1 or more at the start of text; strtod alone would also read 0x10, inf and blanks. */
static bool read_length(const char *text, char **end, double *value) {
    if (*text < '1' || *text > '9') return false;
    *value = strtod(text, end);
    return true;
}

static bool parse_size(const char *text, double *width, double *height) {
    char *end;
    if (strcmp(text, "column") == 0 || strcmp(text, "columns") == 0) {
        *width = text[6] ? COLUMNS_CM : COLUMN_CM;
        *height = (text[6] ? 0.5 : 1) * SHAPE * *width;
        return true;
    }
    if (!read_length(text, &end, width)) return false;
    *height = SHAPE * *width;
    if (*end == 'x' && !read_length(end + 1, &end, height)) return false;
    return !*end || strcmp(end, "cm") == 0;
}

static bough_status read_size(const plot_reader *x, const char *text) {
    bough_plot *plot = &x->study->plot;
    double width = 0, height = 0;
    const bool fits =
        parse_size(text, &width, &height) && width >= 3 && width <= 100 && height >= 2 && height <= 100;
    if (!fits)
        return bough_fail(x->error, BOUGH_INVALID, NULL,
                          "size: '%.80s' is not a width and a height in cm, as in 8.5x6 (from 3x2 to "
                          "100x100), column or columns",
                          text);
    plot->width_cm = width, plot->height_cm = height;
    return BOUGH_OK;
}

static bough_status read_font(const plot_reader *x, const char *text) {
    char *end = NULL;
    double size = 0;
    if (read_length(text, &end, &size) && (!*end || strcmp(end, "pt") == 0) && size >= 4 && size <= 40) {
        x->study->plot.font_pt = size;
        return BOUGH_OK;
    }
    return bough_fail(x->error, BOUGH_INVALID, NULL,
                      "font: '%.80s' is not a size from 4 to 40 points, as in 8", text);
}

static bough_status read_order(const plot_reader *x, const char *text) {
    bough_plot *plot = &x->study->plot;
    if (plot->orders == BOUGH_PLOT_NAMES)
        return bough_fail(x->error, BOUGH_INVALID, NULL, "order: more than %d names", BOUGH_PLOT_NAMES);
    return read_text(x, "order", text, &plot->order[plot->orders++]);
}

/* Two values with one label would become one series. */
static bough_status check_label(const plot_reader *x, const raw_text *item) {
    const bough_plot *plot = &x->study->plot;
    if (plot->labels == BOUGH_PLOT_NAMES)
        return bough_fail(x->error, BOUGH_INVALID, NULL, "more than %d names", BOUGH_PLOT_NAMES);
    if (!*item->text)
        return bough_fail(x->error, BOUGH_INVALID, NULL, "the label of '%.80s' is empty", item->name);
    for (unsigned i = 0; i < plot->labels; i++)
        if (strcmp(plot->label[i].expression, item->text) == 0)
            return bough_fail(x->error, BOUGH_INVALID, NULL,
                              "'%.80s' and '%.80s' have the same label '%.80s'", plot->label[i].name,
                              item->name, item->text);
    return BOUGH_OK;
}

static bough_status read_label(const plot_reader *x, const raw_text *item) {
    bough_plot *plot = &x->study->plot;
    bough_status status = check_label(x, item);
    if (status) return status;
    bough_plot_line *label = &plot->label[plot->labels++];
    status = read_text(x, "labels", item->name, &label->name);
    TRY(read_text(x, "labels", item->text, &label->expression));
    return status;
}

static bough_status read_labels(const plot_reader *x) {
    const raw_list *list = &x->raw->key[RAW_PLOT_LABELS];
    for (size_t i = 0; i < list->count; i++) {
        bough_status status = read_label(x, &list->item[i]);
        if (!status) continue;
        raw_add_place(x->raw, list, &list->item[i], "plot: labels", x->error);
        return status;
    }
    return BOUGH_OK;
}

static bough_status read_look(const plot_reader *x) {
    bough_status status = read_key(x, RAW_PLOT_TITLE, read_title);
    TRY(read_key(x, RAW_PLOT_XLABEL, read_xlabel));
    TRY(read_key(x, RAW_PLOT_YLABEL, read_ylabel));
    TRY(read_labels(x));
    TRY(read_key(x, RAW_PLOT_ORDER, read_order));
    TRY(read_key(x, RAW_PLOT_SIZE, read_size));
    TRY(read_key(x, RAW_PLOT_FONT, read_font));
    return status;
}

bough_status raw_read_plot(const raw_study *raw, bough_study *study, bough_error *error) {
    const plot_reader x = {raw, study, error};
    bough_status status = read_key(&x, RAW_PLOT_X, read_x);
    TRY(read_key(&x, RAW_PLOT_SERIES, read_series));
    TRY(read_key(&x, RAW_PLOT_FACET, read_facet));
    TRY(read_key(&x, RAW_PLOT_XSCALE, read_xscale));
    TRY(read_key(&x, RAW_PLOT_YSCALE, read_yscale));
    TRY(read_key(&x, RAW_PLOT_Y, add_y));
    TRY(read_key(&x, RAW_PLOT_BARS, read_bars));
    TRY(read_key(&x, RAW_PLOT_RATIO, read_ratio));
    TRY(read_key(&x, RAW_PLOT_OVERLAY, read_overlay));
    TRY(read_key(&x, RAW_PLOT_JOIN, read_join));
    TRY(check_overlay(&x));
    TRY(check_metric_x(&x));
    TRY(read_look(&x));
    return status;
}

/* ---- lines ---- */

/* The axes of the points of a study as numbers. */
typedef struct line_check {
    plot_reader x;
    double *value;
    bool *used;
    char **name; /* [names]: axes, x and metrics, where x is a metric; else names is 0 */
    size_t names;
} line_check;

static bough_status refuse_pooled(const line_check *c, const char *text) {
    const bough_study *study = c->x.study;
    for (size_t i = 0; i < study->axes && study->pool; i++)
        if (c->used[i] && strcmp(study->axis[i], study->pool) == 0)
            return bough_fail(c->x.error, BOUGH_INVALID, NULL,
                              "'%.100s': the points are merged along axis %s, which it names", text,
                              study->pool);
    return BOUGH_OK;
}

/* Before anything runs metrics have no values: any positive number checks the names and the syntax. */
static bough_status check_metric_line(const line_check *c, const char *text) {
    bool undefined = false;
    real_axes axes = {c->name, c->value, c->used, c->names, c->x.study->axes + 1, &undefined};
    double ignored;
    for (size_t i = c->x.study->axes; i < c->names; i++) c->value[i] = 1.5;
    bough_status status = real_expression_value(text, &axes, &ignored, c->x.error);
    return undefined ? BOUGH_OK : status;
}

static bough_status check_line(const line_check *c, const char *text) {
    const bough_study *study = c->x.study;
    const real_axes axes = {study->axis, c->value, c->used, study->axes, 0, NULL};
    double ignored;
    if (study->points) real_axes_of_point(study, &study->point[0], c->value);
    if (c->names) return check_metric_line(c, text);
    memset(c->used, 0, study->axes * sizeof *c->used);
    for (size_t i = 0; i < study->points; i++) {
        real_axes_of_point(study, &study->point[i], c->value);
        bough_status status = real_expression_value(text, &axes, &ignored, c->x.error);
        if (status) return status;
    }
    return refuse_pooled(c, text);
}

/* Lines are told apart by their names, in legends and in JSON. */
static bough_status check_name(const line_check *c, const char *name) {
    const bough_plot *plot = &c->x.study->plot;
    if (!*name) return bough_fail(c->x.error, BOUGH_INVALID, NULL, "a line has no name");
    for (unsigned i = 0; i < plot->curves; i++)
        if (plot->curve[i].name && strcmp(plot->curve[i].name, name) == 0)
            return bough_fail(c->x.error, BOUGH_INVALID, NULL, "two lines have the name '%.80s'", name);
    return BOUGH_OK;
}

static bough_status read_line(const line_check *c, const raw_text *item, bough_plot_line *line) {
    bough_status status = check_name(c, item->name);
    TRY(check_line(c, item->text));
    TRY(copy_text(&c->x, &line->name, item->name));
    TRY(copy_text(&c->x, &line->expression, item->text));
    return status;
}

static bough_status read_lines(const line_check *c, raw_key key, const char *what, bough_plot_line *line,
                               unsigned *lines) {
    const raw_list *list = &c->x.raw->key[key];
    for (size_t i = 0; i < list->count; i++) {
        bough_status status = BOUGH_OK;
        if (i == BOUGH_PLOT_LINES)
            status = bough_fail(c->x.error, BOUGH_INVALID, NULL, "more than %d lines", BOUGH_PLOT_LINES);
        else
            status = read_line(c, &list->item[i], &line[(*lines)++]);
        if (!status) continue;
        raw_add_place(c->x.raw, list, &list->item[i], what, c->x.error);
        return status;
    }
    return BOUGH_OK;
}

bough_status raw_read_lines(const raw_study *raw, bough_study *study, bough_error *error) {
    line_check c = {.x = {raw, study, error}};
    bough_plot *plot = &study->plot;
    if (!raw->key[RAW_PLOT_CURVES].count && !raw->key[RAW_PLOT_VERTICALS].count) return BOUGH_OK;
    if (study->axes > BOUGH_PLOT_AXES)
        return bough_fail(error, BOUGH_INVALID, raw->file, "plot: curves of a study with more than %d axes",
                          BOUGH_PLOT_AXES);
    bool metric = bough_plot_x_metric(study) != BOUGH_METRIC_COUNT;
    bough_status status = bough_alloc(&c.value, real_names_most(study), sizeof *c.value, error);
    TRY(bough_alloc(&c.used, real_names_most(study), sizeof *c.used, error));
    TRY(bough_alloc(&c.name, real_names_most(study), sizeof *c.name, error));
    if (!status && metric) c.names = real_names_of(study, c.name);
    TRY(read_lines(&c, RAW_PLOT_CURVES, "plot: curves", plot->curve, &plot->curves));
    TRY(read_lines(&c, RAW_PLOT_VERTICALS, "plot: verticals", plot->vertical, &plot->verticals));
    FREE_ALL(c.value, c.used, c.name);
    return status;
}
