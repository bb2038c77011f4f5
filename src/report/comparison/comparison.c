/* Answers of a point side by side: a line for each metric of each pair. */
#include "method/quantity.h"
#include "report/tables/result_document.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static bool same_pair(const bough_comparison *a, const bough_comparison *b) {
    return a->answer == b->answer && a->against == b->against;
}

/* Equal in every trial, or exactly. */
static bool is_equal(const bough_comparison *c) {
    return c->difference == 0 && !(c->difference_ci95 > 0);
}

/* What hangs has counts only, of what was sent until then. */
static bool is_told(const bough_study_point *p, const bough_comparison *c) {
    return p->answer[c->answer].outcome != BOUGH_RUN_HANGS &&
           p->answer[c->against].outcome != BOUGH_RUN_HANGS;
}

static bool is_chosen(const bough_study_point *p, const bough_comparison *c, const metric_choice *choice) {
    return is_told(p, c) && metric_is_chosen(choice, &p->answer[c->answer], c->metric);
}

/* ---- names ---- */

static void put_name(bough_text *out, const bough_study_point *p, const bough_comparison *c, size_t answer) {
    const bough_answer *a = &p->answer[answer];
    bool routings = p->answer[c->answer].routing != p->answer[c->against].routing;
    table_put_method(out, p, a);
    if (routings || (p->routings > 1 && a->routed))
        bough_text_printf(out, " under %s", p->routing[a->routing].spec);
    if (a->outcome != BOUGH_RUN_OK) bough_text_printf(out, " (%s)", bough_outcome_name(a->outcome));
}

static void put_pair(bough_text *out, const bough_study_point *p, const bough_comparison *c) {
    put_name(out, p, c, c->answer);
    bough_text_put(out, " / ");
    put_name(out, p, c, c->against);
}

/* ---- numbers ---- */

static void add_ratio(text_table *t, const bough_comparison *c) {
    char number[QUANTITY_TEXT], text[QUANTITY_TEXT + 1] = "-", interval[QUANTITY_TEXT];
    double ci = isfinite(c->ratio_ci95) ? c->ratio_ci95 : 0;
    quantity_format(c->ratio, ci, number);
    if (isfinite(c->ratio)) snprintf(text, sizeof text, "%sx", number);
    text_table_add(t, text);
    text_table_add(t, ci > 0 ? quantity_format_interval(c->ratio, ci, interval) : "");
}

typedef struct shown_value {
    char text[QUANTITY_TEXT];
    quantity_unit unit;
} shown_value;

static shown_value value_of(const bough_answer *a, bough_metric_id metric) {
    const bough_cell *cell = table_find_cell(a, metric, BOUGH_NO_ROW_INDEX);
    const double mean = cell ? cell->stats.mean : NAN, ci = cell ? bough_cell_ci95(a, cell) : 0;
    shown_value v = {.unit = quantity_unit_of(metric, mean)};
    quantity_format(mean * v.unit.factor, isfinite(ci) ? ci * v.unit.factor : 0, v.text);
    return v;
}

/* The paired difference, in the unit of the second value, if it has an interval. */
static void add_difference(text_table *t, const bough_comparison *c, const quantity_unit *unit) {
    char text[QUANTITY_TEXT], interval[QUANTITY_TEXT];
    const double difference = c->difference * unit->factor, ci = c->difference_ci95 * unit->factor;
    const bool known = isfinite(ci) && ci > 0;
    text_table_add(t, known ? quantity_format(difference, ci, text) : "");
    text_table_add(t, known ? quantity_format_interval(difference, ci, interval) : "");
}

/* Values of one unit name it once. first: of its pair. */
static void add_row(text_table *t, const bough_study_point *p, const bough_comparison *c, bool first) {
    const shown_value first_value = value_of(&p->answer[c->answer], c->metric),
                      second = value_of(&p->answer[c->against], c->metric);
    bough_text pair = {0};
    if (first) put_pair(&pair, p, c);
    t->failed |= pair.failed;
    if (!t->failed) text_table_add(t, first ? pair.data : "");
    text_table_add(t, bough_metrics[c->metric].name);
    add_ratio(t, c);
    text_table_add(t, first_value.text);
    text_table_add(t, first_value.unit.factor == second.unit.factor ? "" : first_value.unit.name);
    text_table_add(t, second.text);
    text_table_add(t, second.unit.name);
    add_difference(t, c, &second.unit);
    text_table_end_row(t);
    bough_text_fini(&pair);
}

static void add_head(text_table *t) {
    text_table_head(t, "comparison", false);
    t->labels = 1;
    t->layout = TEXT_LAYOUT_HEADED;
    text_table_head(t, "metric", false);
    text_table_head(t, "ratio", true);
    text_table_head_joined(t, "+-95%", true);
    text_table_head(t, "first", true);
    text_table_head_unit(t);
    text_table_head(t, "second", true);
    text_table_head_unit(t);
    text_table_head(t, "difference", true);
    text_table_head_joined(t, "+-95%", true);
    text_table_end_row(t);
}

/* ---- what has no row ---- */

/* Reports which of the two has no value, and why. */
static void put_no_comparison(document *d, const bough_study_point *p, const bough_comparison *c) {
    const bough_answer *of[] = {&p->answer[c->answer], &p->answer[c->against]};
    bough_text line = {0};
    put_pair(&line, p, c);
    bough_text_printf(&line, ": %s is not compared:", bough_metrics[c->metric].name);
    for (size_t i = 0, said = 0; i < 2; i++) {
        const bough_cell *cell = table_find_cell(of[i], c->metric, BOUGH_NO_ROW_INDEX);
        if (cell && isfinite(cell->stats.mean)) continue;
        bough_text_put(&line, said++ ? ", " : " ");
        table_put_method(&line, p, of[i]);
        if (of[i]->outcome != BOUGH_RUN_OK)
            bough_text_printf(&line, " is %s", bough_outcome_name(of[i]->outcome));
        else
            bough_text_put(&line, " has no value");
    }
    document_list(d, &line);
}

/* A pair has `count` comparisons. */
static void put_equal(document *d, const bough_study_point *p, const bough_comparison *c, size_t count,
                      const metric_choice *choice) {
    bough_text line = {0};
    size_t equal = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_equal(&c[i]) || !is_chosen(p, &c[i], choice)) continue;
        if (!equal) put_pair(&line, p, c);
        bough_text_printf(&line, "%s %s", equal++ ? "," : ": equal", bough_metrics[c[i].metric].name);
    }
    document_list(d, &line);
}

void comparison_describe(document *d, const bough_study_point *p, const metric_choice *choice) {
    text_table t = {0};
    bool any = false;
    add_head(&t);
    for (size_t i = 0, told = SIZE_MAX; i < p->comparisons; i++) {
        const bough_comparison *c = &p->comparison[i];
        if (!is_chosen(p, c, choice)) continue;
        any = true;
        if (is_equal(c) || !isfinite(c->difference)) continue;
        add_row(&t, p, c, told == SIZE_MAX || !same_pair(&p->comparison[told], c));
        told = i;
    }
    if (any) document_section(d, "comparison", "Comparison");
    if (text_table_rows(&t) > 1) document_table(d, &t, "Answers side by side");
    text_table_fini(&t);
    for (size_t i = 0, end; i < p->comparisons; i = end) {
        const bough_comparison *c = &p->comparison[i];
        for (end = i + 1; end < p->comparisons && same_pair(c, &p->comparison[end]);) end++;
        put_equal(d, p, c, end - i, choice);
        for (size_t k = i; k < end; k++)
            if (is_chosen(p, &p->comparison[k], choice) && !is_equal(&p->comparison[k]) &&
                !isfinite(p->comparison[k].difference))
                put_no_comparison(d, p, &p->comparison[k]);
    }
}
