#include "report/comparison/comparison_text.h"

#include "base/text/escape.h"
#include "document/narrow_table.h"
#include "method/quantity.h"
#include "report/tables/table_labels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATIO = 64 };

static bool same_pair(const bough_comparison *a, const bough_comparison *b) {
    return a->answer == b->answer && a->against == b->against;
}

/* Equal in every trial, or exactly. */
static bool is_equal(const bough_comparison *c) {
    return c->difference == 0 && !(c->difference_ci95 > 0);
}

static char *format_ratio(const bough_comparison *c, char text[RATIO]) {
    char number[QUANTITY_TEXT], interval[QUANTITY_TEXT];
    double ci = isfinite(c->ratio_ci95) ? c->ratio_ci95 : 0;
    quantity_format(c->ratio, ci, number);
    if (!isfinite(c->ratio))
        strcpy(text, "-");
    else if (ci > 0)
        snprintf(text, RATIO, "%.20sx +- %.20s", number, quantity_format_interval(c->ratio, ci, interval));
    else
        snprintf(text, RATIO, "%.20sx", number);
    return text;
}

static void put_name(bough_text *out, const bough_study_point *p, const bough_comparison *c, size_t answer) {
    const bough_answer *a = &p->answer[answer];
    bool routings = p->answer[c->answer].routing != p->answer[c->against].routing;
    table_put_method(out, p, a);
    if (routings || (p->routings > 1 && a->routed))
        bough_text_printf(out, " under %s", p->routing[a->routing].spec);
    if (a->outcome != BOUGH_RUN_OK) bough_text_printf(out, " (%s)", bough_outcome_name(a->outcome));
}

/* Reports which of the two has no value, and why. */
static void put_no_comparison(bough_text *out, const bough_study_point *p, const bough_comparison *c) {
    const bough_answer *of[] = {&p->answer[c->answer], &p->answer[c->against]};
    bough_text_put(out, "not compared:");
    for (size_t i = 0, said = 0; i < 2; i++) {
        const bough_cell *cell = table_find_cell(of[i], c->metric, BOUGH_NO_ROW_INDEX);
        if (cell && isfinite(cell->stats.mean)) continue;
        bough_text_put(out, said++ ? ", " : " ");
        table_put_method(out, p, of[i]);
        if (of[i]->outcome != BOUGH_RUN_OK)
            bough_text_printf(out, " is %s", bough_outcome_name(of[i]->outcome));
        else
            bough_text_put(out, " has no value");
    }
}

/* "(13.30 ms against 974.8 us)", with the paired difference if it has an interval. */
static void put_values(bough_text *out, const bough_study_point *p, const bough_comparison *c) {
    const bough_answer *of[] = {&p->answer[c->answer], &p->answer[c->against]};
    char text[2][QUANTITY_TEXT], number[QUANTITY_TEXT], interval[QUANTITY_TEXT];
    quantity_unit unit[2];
    for (size_t i = 0; i < 2; i++) {
        const bough_cell *cell = table_find_cell(of[i], c->metric, BOUGH_NO_ROW_INDEX);
        double mean = cell ? cell->stats.mean : NAN, ci = cell ? bough_cell_ci95(of[i], cell) : 0;
        unit[i] = quantity_unit_of(c->metric, mean);
        quantity_format(mean * unit[i].factor, isfinite(ci) ? ci * unit[i].factor : 0, text[i]);
    }
    bool same = unit[0].factor == unit[1].factor;
    bough_text_printf(out, "(%s%s%s against %s%s%s", text[0], same || !*unit[0].name ? "" : " ",
                      same ? "" : unit[0].name, text[1], *unit[1].name ? " " : "", unit[1].name);
    if (isfinite(c->difference_ci95) && c->difference_ci95 > 0) {
        double factor = unit[1].factor, difference = c->difference * factor, ci = c->difference_ci95 * factor;
        quantity_format(difference, ci, number);
        quantity_format_interval(difference, ci, interval);
        bough_text_printf(out, ", difference %s +- %s%s%s", number, interval, same ? "" : " ",
                          same ? "" : unit[1].name);
    }
    bough_text_put(out, ")");
}

typedef struct comparison_frame {
    const bough_study_point *point;
    const metric_choice *choice;
    size_t width; /* of a line */
} comparison_frame;

/* Widths of the first two columns. */
typedef struct widths {
    int metric, ratio;
} widths;

static bool is_chosen(const comparison_frame *f, const bough_comparison *c) {
    return metric_is_chosen(f->choice, &f->point->answer[c->answer], c->metric);
}

static widths find_widths(const comparison_frame *f, const bough_comparison *c, size_t count) {
    widths w = {0, 0};
    char ratio[RATIO];
    for (size_t i = 0; i < count; i++) {
        int metric = (int)strlen(bough_metrics[c[i].metric].name);
        if (is_equal(&c[i]) || !is_chosen(f, &c[i])) continue;
        if (metric > w.metric) w.metric = metric;
        if (!isfinite(c[i].difference)) continue;
        int length = (int)strlen(format_ratio(&c[i], ratio));
        if (length > w.ratio) w.ratio = length;
    }
    return w;
}

static void put_pair(bough_text *out, const comparison_frame *f, const bough_comparison *c, size_t count) {
    const bough_study_point *p = f->point;
    bough_text head = {0}, equal = {0};
    widths w = find_widths(f, c, count);
    char ratio[RATIO];
    put_name(&head, p, c, c->answer);
    bough_text_put(&head, " / ");
    put_name(&head, p, c, c->against);
    bough_text_put(&head, ":");
    put_wrapped_text(out, &head, f->width);
    for (size_t i = 0; i < count; i++) {
        const char *metric = bough_metrics[c[i].metric].name;
        bough_text row = {0};
        if (!is_chosen(f, &c[i])) continue;
        if (is_equal(&c[i])) {
            bough_text_printf(&equal, "%s %s", equal.length ? "," : "  equal:", metric);
            continue;
        }
        bough_text_printf(&row, "  %-*s  ", w.metric, metric);
        if (isfinite(c[i].difference)) {
            bough_text_printf(&row, "%-*s  ", w.ratio, format_ratio(&c[i], ratio));
            put_values(&row, p, &c[i]);
        } else {
            put_no_comparison(&row, p, &c[i]);
        }
        put_wrapped_text(out, &row, f->width);
    }
    put_wrapped_text(out, &equal, f->width);
}

static bool any_chosen(const comparison_frame *f, const bough_comparison *c, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_chosen(f, &c[i])) return true;
    return false;
}

/* What hangs has counts only, of what was sent until then. */
static bool is_told(const bough_study_point *p, const bough_comparison *c) {
    return p->answer[c->answer].outcome != BOUGH_RUN_HANGS &&
           p->answer[c->against].outcome != BOUGH_RUN_HANGS;
}

void comparison_text_put(bough_text *out, const bough_study_point *p, const metric_choice *choice,
                         size_t width) {
    const comparison_frame f = {p, choice, width};
    for (size_t i = 0, end; i < p->comparisons; i = end) {
        for (end = i + 1; end < p->comparisons && same_pair(&p->comparison[i], &p->comparison[end]);) end++;
        if (!is_told(p, &p->comparison[i]) || !any_chosen(&f, &p->comparison[i], end - i)) continue;
        bough_text_put(out, "\n");
        put_pair(out, &f, &p->comparison[i], end - i);
    }
}
