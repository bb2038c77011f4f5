#include "report/comparison/measured_gap.h"

#include "method/rows.h"
#include "report/tables/table_labels.h"

#include <math.h>

typedef struct gap {
    const bough_answer *given, *computed;
    double ratio, use; /* use: of the link; NAN: not reported */
    int64_t link;      /* BOUGH_NO_ROW_INDEX: the prediction has none */
    char name[BOUGH_NOTE_MAX];
} gap;

static double value_of(const bough_answer *a, bough_metric_id metric) {
    const bough_cell *cell = table_find_cell(a, metric, BOUGH_NO_ROW_INDEX);
    return cell ? cell->stats.mean : NAN;
}

static bool find_gap(const bough_answer *given, const bough_answer *computed, gap *g) {
    bool same_routing = !given->routed || !computed->routed || given->routing == computed->routing;
    if (!given->given || computed->given || !same_routing) return false;
    *g = (gap){.given = given, .computed = computed, .link = BOUGH_NO_ROW_INDEX};
    g->ratio =
        value_of(given, BOUGH_METRIC_COMPLETION_TIME) / value_of(computed, BOUGH_METRIC_COMPLETION_TIME);
    if (!isfinite(g->ratio) || (g->ratio <= MEASURED_GAP && g->ratio * MEASURED_GAP >= 1)) return false;
    g->use = value_of(computed, BOUGH_METRIC_LINK_USE_MAX);
    if (!index_name_first(computed->note, MOST_USED_LINK, &g->link, g->name)) g->link = BOUGH_NO_ROW_INDEX;
    return true;
}

/* ---- text ---- */

static void put_gap(bough_text *out, const bough_study_point *p, const gap *g) {
    bough_text method = {0};
    table_put_method(&method, p, g->computed);
    const char *name = method.data ? method.data : "";
    bough_text_printf(out, "%s%.3g times the completion_time of %s", out->length ? "; " : "", g->ratio, name);
    if (p->routings > 1 && g->computed->routed)
        bough_text_printf(out, " under %s", p->routing[g->computed->routing].spec);
    if (g->link != BOUGH_NO_ROW_INDEX) {
        bough_text_printf(out, "; the most loaded link of %s is %s", name, g->name);
        if (isfinite(g->use)) bough_text_printf(out, ", used %.3g %% of the time", 100 * g->use);
    }
    out->failed = out->failed || method.failed;
    bough_text_fini(&method);
}

void measured_gap_put(bough_text *out, const bough_study_point *p, const bough_answer *given) {
    gap g;
    for (size_t i = 0; i < p->answers; i++)
        if (find_gap(given, &p->answer[i], &g)) put_gap(out, p, &g);
}

/* ---- JSON ---- */

static void gap_json(json_writer *w, const bough_study_point *p, const gap *g) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "method", g->given->method);
    json_put_text(w, "against", g->computed->method);
    json_put_text(w, "against_routing", g->computed->routed ? p->routing[g->computed->routing].spec : NULL);
    json_put_text(w, "metric", bough_metrics[BOUGH_METRIC_COMPLETION_TIME].name);
    json_put_real(w, "ratio", g->ratio);
    if (g->link != BOUGH_NO_ROW_INDEX) {
        json_put_whole(w, "link", g->link);
        json_put_text(w, "link_name", g->name);
        json_put_real(w, "link_use", g->use);
    }
    json_end_object(w);
}

void measured_gap_json(json_writer *w, const bough_study_point *p) {
    gap g;
    size_t gaps = 0;
    for (size_t i = 0; i < p->answers * p->answers; i++) {
        if (!find_gap(&p->answer[i / p->answers], &p->answer[i % p->answers], &g)) continue;
        if (!gaps++) json_begin_array(w, "measured_gaps", false);
        gap_json(w, p, &g);
    }
    if (gaps) json_end_array(w);
}
