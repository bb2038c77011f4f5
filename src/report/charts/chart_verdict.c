#include "report/charts/chart_verdict.h"

#include "method/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- saturation ---- */

static bool any_saturates(const charts *all) {
    for (size_t i = 0; i < all->count; i++)
        for (size_t s = 0; s < all->chart[i].count; s++)
            if (all->chart[i].series[s].saturates) return true;
    return false;
}

static void put_card(document *d, bough_text text[3], text_style style) {
    bool failed = false;
    for (int i = 0; i < 3; i++) {
        bough_text_put(&text[i], "");
        failed |= text[i].failed;
    }
    d->failed |= failed;
    if (!failed) document_card(d, text[0].data, text[1].data, text[2].data, false);
    if (!failed) document_style(d, style);
    for (int i = 0; i < 3; i++) bough_text_fini(&text[i]);
}

static void put_saturation(document *d, const chart *c, const chart_series *s) {
    bough_text text[3] = {0};
    char to[QUANTITY_TEXT], from[QUANTITY_TEXT];
    quantity_format(s->stable_to, 0, to);
    quantity_format(s->saturated_from, 0, from);
    bough_text_printf(&text[0], "%s%s%s", s->name, c->facet ? ", " : "", c->facet ? c->facet : "");
    if (s->saturates)
        bough_text_printf(&text[1], "saturated from %s %s", c->x_title, from);
    else
        bough_text_printf(&text[1], "not saturated up to %s %s", c->x_title, to);
    if (s->saturates && s->stable) bough_text_printf(&text[2], "(stable at %s)", to);
    put_card(d, text, s->saturates ? TEXT_WARNING : TEXT_GOOD);
}

/* All metrics of an answer saturate together, so the charts of the first one that has points are enough. */
static void put_saturations(document *d, const charts *all) {
    for (size_t i = 0; i < all->count; i++) {
        const chart *c = &all->chart[i];
        if (c->ratio || c->metric != all->chart[0].metric) continue;
        for (size_t s = 0; s < c->count; s++)
            if (c->series[s].saturates || c->series[s].stable) put_saturation(d, c, &c->series[s]);
    }
}

/* ---- ratios ---- */

/* Of a series, in all charts of one ratio. */
typedef struct ratios {
    double low, high;
    size_t points, agree, known; /* known: that have an interval */
    const char *of, *against;
    bool routings;
} ratios;

static void add_point(ratios *r, const chart_point *p) {
    r->low = fmin(r->low, p->mean);
    r->high = fmax(r->high, p->mean);
    r->points++;
    r->known += isfinite(p->ci95);
    r->agree += isfinite(p->ci95) ? fabs(p->mean - 1) <= p->ci95 : p->mean == 1;
    r->against = p->against ? p->against->method : "";
    r->routings = p->against && p->against->asked == p->answer->asked;
    if (r->routings) r->against = p->of->routing[p->against->routing].spec;
}

static bool is_same(const chart *a, const chart *b) {
    return a->ratio && !a->overlay && a->metric == b->metric && strcmp(a->y_title, b->y_title) == 0;
}

static const char *ratio_text(double value, char buffer[QUANTITY_TEXT]) {
    if (fabs(value) < 100 && fabs(value) >= 0.01)
        snprintf(buffer, QUANTITY_TEXT, "%.3f", value);
    else
        quantity_format(value, 0, buffer);
    return buffer;
}

static void put_ratio(document *d, const char *name, const chart *c, const ratios *r) {
    bough_text text[3] = {0};
    char low[QUANTITY_TEXT], high[QUANTITY_TEXT];
    const char *metric = bough_metrics[c->metric].name;
    bough_text_put(&text[0], name);
    ratio_text(r->low, low);
    ratio_text(r->high, high);
    bough_text_printf(&text[1], strcmp(low, high) == 0 ? "%s" : "%s to %s", low, high);
    bough_text_printf(&text[2], "times the %s %s %s, over %zu point%s; ", metric,
                      r->routings ? "under" : "of", r->against, r->points, r->points == 1 ? "" : "s");
    if (r->agree == r->points)
        bough_text_put(&text[2], r->points == 1 ? "it agrees" : "all agree");
    else
        bough_text_printf(&text[2], "%zu of %zu agree", r->agree, r->points);
    if (r->known) bough_text_put(&text[2], " within the interval");
    put_card(d, text, TEXT_PLAIN);
}

/* Whether an earlier chart of the same ratio has this series. */
static bool is_told(const charts *all, size_t at, const char *name) {
    for (size_t i = 0; i < at; i++)
        for (size_t s = 0; s < all->chart[i].count && is_same(&all->chart[i], &all->chart[at]); s++)
            if (strcmp(all->chart[i].series[s].name, name) == 0) return true;
    return false;
}

static void put_series(document *d, const charts *all, size_t at, const chart_series *of) {
    ratios r = {.low = INFINITY, .high = -INFINITY};
    for (size_t i = at; i < all->count; i++)
        for (size_t s = 0; s < all->chart[i].count && is_same(&all->chart[i], &all->chart[at]); s++) {
            const chart_series *series = &all->chart[i].series[s];
            if (series->maxima || strcmp(series->name, of->name) != 0) continue;
            for (size_t k = 0; k < series->points; k++) add_point(&r, &series->point[k]);
        }
    if (r.points) put_ratio(d, of->name, &all->chart[at], &r);
}

void charts_describe(document *d, const charts *all) {
    if (any_saturates(all)) {
        put_saturations(d, all);
        return;
    }
    for (size_t i = 0; i < all->count; i++) {
        const chart *c = &all->chart[i];
        for (size_t s = 0; s < c->count && is_same(c, c); s++)
            if (!c->series[s].maxima && !is_told(all, i, c->series[s].name))
                put_series(d, all, i, &c->series[s]);
    }
}
