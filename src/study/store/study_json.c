#include "study/store/study_json.h"

#include "base/json/json_build.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "study/trial_statistics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static json_t *hash_text(uint64_t hash) {
    return hash ? json_sprintf("%016" PRIx64, hash) : json_null();
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *text_array(char *const *text, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) bough_json_append(&array, json_string(text[i]));
    return array;
}

static json_t *asked_json(const bough_asked *asked) {
    return json_pack("{s:o, s:o}", "spec", text_or_null(asked->spec), "hash", hash_text(asked->hash));
}

static json_t *asked_array(const bough_asked *asked, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) bough_json_append(&array, asked_json(&asked[i]));
    return array;
}

static json_t *assumption_array(const bough_answer *a) {
    json_t *array = json_array();
    for (unsigned i = 0; i < a->assumptions; i++)
        bough_json_append(&array, json_pack("[s, s]", a->assumption[i].what, a->assumption[i].value));
    return array;
}

static json_t *answer_json(const bough_answer *a) {
    json_t *premises = a->premises ? text_array(a->premise, a->premises) : NULL;
    return json_pack("{s:s, s:I, s:I, s:b, s:b, s:s, s:o, s:o*}", "method", a->method, "asked",
                     (json_int_t)a->asked, "routing", (json_int_t)a->routing, "routed", (int)a->routed,
                     "exact", (int)a->exact, "headline", bough_metrics[a->headline].name, "assumes",
                     assumption_array(a), "premises", premises);
}

static json_t *point_json(const bough_study *study, const bough_study_point *p) {
    json_t *answers = json_array(), *point = json_object();
    for (size_t i = 0; i < p->answers; i++) bough_json_append(&answers, answer_json(&p->answer[i]));
    bough_json_put(&point, "values", text_array(p->value, study->axes));
    bough_json_put(&point, "network", asked_json(&p->network));
    if (p->faults.spec) bough_json_put(&point, "faults", asked_json(&p->faults));
    if (p->physical.spec) bough_json_put(&point, "physical", asked_json(&p->physical));
    bough_json_put(&point, "traffic", asked_json(&p->traffic));
    bough_json_put(&point, "routings", asked_array(p->routing, p->routings));
    bough_json_put(&point, "methods", asked_array(p->method, p->methods));
    bough_json_put(&point, "endpoints", json_integer((json_int_t)p->endpoints));
    bough_json_put(&point, "switches", json_integer((json_int_t)p->switches));
    bough_json_put(&point, "links", json_integer((json_int_t)p->links));
    bough_json_put(&point, "answers", answers);
    return point;
}

char *question_write(const bough_study *study) {
    errno = 0;
    json_t *points = json_array();
    for (size_t i = 0; i < study->points; i++)
        bough_json_append(&points, point_json(study, &study->point[i]));
    return bough_json_text(json_pack("{s:I, s:o, s:b, s:o*, s:b, s:o}", "seed", (json_int_t)study->seed,
                                     "axes", text_array(study->axis, study->axes), "network_varies",
                                     (int)study->network_varies, "faults_vary",
                                     study->faults_vary ? json_true() : NULL, "traffic_varies",
                                     (int)study->traffic_varies, "points", points),
                           JSON_COMPACT);
}

static const char *metric_or_empty(bough_metric_id metric) {
    return metric == BOUGH_METRIC_COUNT ? "" : bough_metrics[metric].name;
}

/* {"metric": "rounds", "quantile": 0.99}, {"metric": "rounds", "above": 12} or {..., "above": "bound"} */
static json_t *statistic_array(const bough_study *study) {
    json_t *array = json_array();
    for (size_t i = 0; i < study->statistics; i++) {
        const bough_trial_statistic *s = &study->statistic[i];
        json_t *value = s->quantile > 0 ? json_real(s->quantile)
                        : s->method     ? json_string(s->method)
                                        : json_real(s->limit);
        bough_json_append(&array, json_pack("{s:s, s:o}", "metric", bough_metrics[s->metric].name,
                                            s->quantile > 0 ? "quantile" : "above", value));
    }
    return array;
}

static json_t *lines_json(const bough_plot_line *line, unsigned lines) {
    json_t *array = json_array();
    for (unsigned i = 0; i < lines; i++)
        bough_json_append(&array, json_pack("[s, s]", line[i].name, line[i].expression));
    return array;
}

/* What older versions do not have; NULL if the plot has none of it. */
static json_t *charts_json(const bough_plot *plot) {
    bool overlay = false;
    for (unsigned i = 0; i < plot->ys; i++) overlay = overlay || plot->overlay[i];
    if (!plot->yscale && !plot->minmax && !plot->ratio && !plot->curves && !plot->verticals && !overlay &&
        !plot->join)
        return NULL;
    json_t *overlays = json_array();
    for (unsigned i = 0; i < plot->ys; i++) bough_json_append(&overlays, json_boolean(plot->overlay[i]));
    return json_pack("{s:o, s:b, s:b, s:b, s:b, s:o, s:o, s:o, s:s}", "yscale", text_or_null(plot->yscale),
                     "minmax", (int)plot->minmax, "ratio", (int)plot->ratio, "ratio_mean",
                     (int)plot->ratio_mean, "ratio_max", (int)plot->ratio_max, "overlay", overlays, "curves",
                     lines_json(plot->curve, plot->curves), "verticals",
                     lines_json(plot->vertical, plot->verticals), "join", bough_plot_join_name[plot->join]);
}

static json_t *texts_json(char *const *text, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count && text[i]; i++) bough_json_append(&array, json_string(text[i]));
    return array;
}

/* Texts and sizes of charts, which older versions do not have; NULL if the plot has none of it. */
static json_t *look_json(const bough_plot *plot) {
    if (!plot->title && !plot->xlabel && !plot->ylabels && !plot->labels && !plot->orders &&
        !plot->width_cm && !plot->font_pt && !(plot->series[0] && plot->series[1]))
        return NULL;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f}", "title", text_or_null(plot->title),
                     "xlabel", text_or_null(plot->xlabel), "ylabel", texts_json(plot->ylabel, plot->ylabels),
                     "labels", lines_json(plot->label, plot->labels), "order",
                     texts_json(plot->order, plot->orders), "series",
                     texts_json(plot->series + 1, BOUGH_PLOT_SERIES - 1), "width_cm", plot->width_cm,
                     "height_cm", plot->height_cm, "font_pt", plot->font_pt);
}

/* {"shard": 2, "of": 4, "points": the shard of each point}; NULL: the whole study */
static json_t *shard_json(const bough_study *study) {
    if (!study->shards) return NULL;
    json_t *points = json_array();
    for (size_t i = 0; i < study->points; i++)
        bough_json_append(&points, json_integer((json_int_t)study->point[i].shard));
    return json_pack("{s:i, s:i, s:o}", "shard", (int)study->shard, "of", (int)study->shards, "points",
                     points);
}

char *view_write(const bough_study *study) {
    const bough_plot *plot = &study->plot;
    errno = 0;
    json_t *y = json_array();
    for (unsigned i = 0; i < plot->ys; i++)
        bough_json_append(&y, json_string(bough_metrics[plot->y[i]].name));
    return bough_json_text(
        json_pack("{s:s, s:o, s:I, s:f, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o*, s:o*, s:o*, s:o*}",
                  "title", study->title ? study->title : "", "command", text_or_null(study->command),
                  "trials", (json_int_t)study->effort.trials, "precision", study->effort.precision, "watch",
                  metric_or_empty(study->effort.watch), "compare", (int)study->compare, "pool",
                  text_or_null(study->pool), "x", text_or_null(plot->x), "xscale", text_or_null(plot->xscale),
                  "series", text_or_null(plot->series[0]), "facet", text_or_null(plot->facet), "y", y,
                  "statistics", study->statistics ? statistic_array(study) : NULL, "charts",
                  charts_json(plot), "look", look_json(plot), "shard", shard_json(study)),
        JSON_COMPACT);
}

/* ---- reading: everything is checked, as in any input file ---- */

typedef struct reader {
    arena *memory; /* of the study */
    bough_error *error;
} reader;

static bough_status damaged(const char *what, bough_error *error) {
    return bough_fail(error, BOUGH_FAILED, NULL, "the study in it is damaged (%s)", what);
}

static bough_status read_text(const json_t *object, const char *key, bool may_be_null, char **text,
                              const reader *r) {
    const json_t *value = json_object_get(object, key);
    if (may_be_null && json_is_null(value)) return BOUGH_OK;
    if (!json_is_string(value)) return damaged(key, r->error);
    return arena_copy(r->memory, text, json_string_value(value), r->error);
}

static bough_status read_count(const json_t *object, const char *key, uint64_t *count, const reader *r) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return damaged(key, r->error);
    *count = (uint64_t)json_integer_value(value);
    return BOUGH_OK;
}

static bough_status read_flag(const json_t *object, const char *key, bool *flag, const reader *r) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value)) return damaged(key, r->error);
    *flag = json_is_true(value);
    return BOUGH_OK;
}

static bough_status read_metric(const json_t *value, bool may_be_empty, bough_metric_id *metric,
                                const reader *r) {
    if (!json_is_string(value)) return damaged("a metric", r->error);
    *metric = bough_metric_find(json_string_value(value));
    if (*metric < BOUGH_METRIC_COUNT || (may_be_empty && !*json_string_value(value))) return BOUGH_OK;
    return bough_fail(r->error, BOUGH_FAILED, NULL, "metric '%s' is unknown to this version of bough",
                      json_string_value(value));
}

static bough_status read_texts(const json_t *array, char **text, size_t count, const char *what,
                               const reader *r) {
    if (json_array_size(array) != count) return damaged(what, r->error);
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_string(value)) return damaged(what, r->error);
        status = arena_copy(r->memory, &text[i], json_string_value(value), r->error);
    }
    return status;
}

static bough_status read_asked(const json_t *object, bough_asked *asked, const reader *r) {
    bough_status status = read_text(object, "spec", true, &asked->spec, r);
    const json_t *hash = json_object_get(object, "hash");
    if (!status && json_is_string(hash)) asked->hash = strtoull(json_string_value(hash), NULL, 16);
    return status;
}

static bough_status read_asked_array(const json_t *array, bough_asked **asked, size_t *count,
                                     const reader *r) {
    bough_status status = arena_alloc(r->memory, asked, json_array_size(array), sizeof **asked, r->error);
    if (status) return status;
    *count = json_array_size(array);
    for (size_t i = 0; i < *count && !status; i++)
        status = read_asked(json_array_get(array, i), &(*asked)[i], r);
    return status;
}

/* Absent in older stores. */
static bough_status read_assumptions(const json_t *array, bough_answer *a, const reader *r) {
    size_t count = json_array_size(array);
    if (count > BOUGH_ASSUMPTIONS_MAX) return damaged("assumes", r->error);
    bough_status status = arena_alloc(r->memory, &a->assumption, count, sizeof *a->assumption, r->error);
    for (size_t i = 0; i < count && !status; i++) {
        const json_t *pair = json_array_get(array, i);
        const char *what = json_string_value(json_array_get(pair, 0));
        const char *value = json_string_value(json_array_get(pair, 1));
        if (!what || !value) return damaged("assumes", r->error);
        bough_assumption *to = &a->assumption[a->assumptions++];
        snprintf(to->what, sizeof to->what, "%s", what);
        snprintf(to->value, sizeof to->value, "%s", value);
    }
    return status;
}

/* Absent in older stores, and if the answer breaks none. */
static bough_status read_premises(const json_t *array, bough_answer *a, const reader *r) {
    size_t count = json_array_size(array);
    if (!count) return BOUGH_OK;
    bough_status status = arena_alloc(r->memory, &a->premise, count, sizeof *a->premise, r->error);
    if (status) return status;
    a->premises = count;
    return read_texts(array, a->premise, count, "premises", r);
}

static bough_status read_answer(const json_t *object, const bough_study_point *p, bough_answer *a,
                                const reader *r) {
    uint64_t asked = 0, routing = 0;
    a->outcome = BOUGH_RUN_PARTIAL;
    bough_status status = read_text(object, "method", false, &a->method, r);
    TRY(read_count(object, "asked", &asked, r));
    TRY(read_count(object, "routing", &routing, r));
    TRY(read_flag(object, "routed", &a->routed, r));
    TRY(read_flag(object, "exact", &a->exact, r));
    TRY(read_metric(json_object_get(object, "headline"), false, &a->headline, r));
    TRY(read_assumptions(json_object_get(object, "assumes"), a, r));
    TRY(read_premises(json_object_get(object, "premises"), a, r));
    if (!status && (asked >= p->methods || routing >= p->routings)) status = damaged("an answer", r->error);
    a->asked = asked;
    a->routing = routing;
    return status;
}

static bough_status read_point(const json_t *object, bough_study *study, bough_study_point *p,
                               const reader *r) {
    bough_status status = arena_alloc(r->memory, &p->value, study->axes, sizeof *p->value, r->error);
    TRY(read_texts(json_object_get(object, "values"), p->value, study->axes, "values", r));
    TRY(read_asked(json_object_get(object, "network"), &p->network, r));
    if (!status && !p->network.spec) status = damaged("network", r->error);
    const json_t *faults = json_object_get(object, "faults"); /* present only if there are faults */
    if (!status && faults) status = read_asked(faults, &p->faults, r);
    const json_t *physical = json_object_get(object, "physical"); /* present only if it was chosen */
    if (!status && physical) status = read_asked(physical, &p->physical, r);
    TRY(read_asked(json_object_get(object, "traffic"), &p->traffic, r));
    TRY(read_asked_array(json_object_get(object, "routings"), &p->routing, &p->routings, r));
    TRY(read_asked_array(json_object_get(object, "methods"), &p->method, &p->methods, r));
    TRY(read_count(object, "endpoints", &p->endpoints, r));
    TRY(read_count(object, "switches", &p->switches, r));
    TRY(read_count(object, "links", &p->links, r));
    const json_t *answers = json_object_get(object, "answers");
    if (!status && json_array_size(answers) == 0) status = damaged("a point has no answers", r->error);
    TRY(arena_alloc(r->memory, &p->answer, json_array_size(answers), sizeof *p->answer, r->error));
    for (size_t i = 0; i < json_array_size(answers) && !status; i++) {
        p->answers = i + 1;
        status = read_answer(json_array_get(answers, i), p, &p->answer[i], r);
    }
    return status;
}

static bough_status load(const char *text, json_t **json, bough_error *error) {
    bough_error reason;
    bough_status status = bough_json_read(text, json, &reason);
    return status == BOUGH_INVALID ? damaged(reason.reason, error)
           : status                ? bough_fail_memory(error, strlen(text))
                                   : BOUGH_OK;
}

bough_status question_read(const char *text, bough_study *study, bough_error *error) {
    const reader r = {&study->memory, error};
    json_t *json;
    bough_status status = load(text, &json, error);
    if (status) return status;
    const json_t *axes = json_object_get(json, "axes"), *points = json_object_get(json, "points");
    status = read_count(json, "seed", &study->seed, &r);
    TRY(read_flag(json, "network_varies", &study->network_varies, &r));
    study->faults_vary = json_is_true(json_object_get(json, "faults_vary"));
    TRY(read_flag(json, "traffic_varies", &study->traffic_varies, &r));
    TRY(arena_alloc(r.memory, &study->axis, json_array_size(axes), sizeof *study->axis, error));
    if (!status) {
        study->axes = json_array_size(axes);
        status = read_texts(axes, study->axis, study->axes, "axes", &r);
    }
    if (!status && json_array_size(points) == 0) status = damaged("the study has no points", error);
    TRY(arena_alloc(r.memory, &study->point, json_array_size(points), sizeof *study->point, error));
    for (size_t i = 0; i < json_array_size(points) && !status; i++) {
        study->points = i + 1;
        status = read_point(json_array_get(points, i), study, &study->point[i], &r);
    }
    json_decref(json);
    return status;
}

static bough_status check_effort(const bough_effort *e, bough_error *error) {
    bool precise = e->precision > 0 && e->precision < 1;
    if (e->trials > BOUGH_TRIALS_MAX || (e->precision != 0 && !precise) || (e->trials == 0 && !precise))
        return damaged("trials or precision", error);
    return BOUGH_OK;
}

/* Absent in older stores, and if there are none. */
static bough_status read_statistics(const json_t *array, bough_study *study, const reader *r) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(array) && !status; i++) {
        const json_t *object = json_array_get(array, i), *above = json_object_get(object, "above");
        bough_trial_statistic s = {.quantile = json_number_value(json_object_get(object, "quantile")),
                                   .limit = json_number_value(above)};
        bool quantile = s.quantile > 0 && s.quantile < 1;
        if (!quantile && !json_is_number(above) && !json_is_string(above))
            return damaged("statistics", r->error);
        status = read_metric(json_object_get(object, "metric"), false, &s.metric, r);
        if (!status && json_is_string(above)) status = read_text(object, "above", false, &s.method, r);
        TRY(trial_statistics_add(study, s, r->error));
    }
    return status;
}

static bough_status read_lines(const json_t *array, bough_plot_line *line, unsigned most, unsigned *lines,
                               const reader *r) {
    if (json_array_size(array) > most) return damaged("lines of charts", r->error);
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < json_array_size(array) && !status; i++) {
        const json_t *pair = json_array_get(array, i);
        char *text[2] = {NULL, NULL};
        status = read_texts(pair, text, 2, "a line of charts", r);
        line[(*lines)++] = (bough_plot_line){text[0], text[1]};
    }
    return status;
}

/* Absent in older stores. */
static bough_status read_charts(const json_t *object, bough_plot *plot, const reader *r) {
    if (!object) return BOUGH_OK;
    const json_t *overlay = json_object_get(object, "overlay");
    for (unsigned i = 0; i < plot->ys; i++) plot->overlay[i] = json_is_true(json_array_get(overlay, i));
    bough_status status = read_text(object, "yscale", true, &plot->yscale, r);
    TRY(read_flag(object, "minmax", &plot->minmax, r));
    TRY(read_flag(object, "ratio", &plot->ratio, r));
    TRY(read_flag(object, "ratio_mean", &plot->ratio_mean, r));
    TRY(read_flag(object, "ratio_max", &plot->ratio_max, r));
    TRY(read_lines(json_object_get(object, "curves"), plot->curve, BOUGH_PLOT_LINES, &plot->curves, r));
    TRY(read_lines(json_object_get(object, "verticals"), plot->vertical, BOUGH_PLOT_LINES, &plot->verticals,
                   r));
    return status;
}

/* At most `most` texts; text is zeroed. */
static bough_status read_up_to(const json_t *object, const char *key, char **text, size_t most,
                               const reader *r) {
    const json_t *array = json_object_get(object, key);
    if (!json_is_array(array) || json_array_size(array) > most) return damaged(key, r->error);
    return read_texts(array, text, json_array_size(array), key, r);
}

static unsigned count_texts(char *const *text, unsigned most) {
    unsigned count = 0;
    while (count < most && text[count]) count++;
    return count;
}

static bough_status read_size(const json_t *object, const char *key, double *size, const reader *r) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value) || !(json_number_value(value) >= 0 && json_number_value(value) <= 100))
        return damaged(key, r->error);
    *size = json_number_value(value);
    return BOUGH_OK;
}

/* Absent in older stores. */
static bough_status read_look(const json_t *object, bough_plot *plot, const reader *r) {
    if (!object) return BOUGH_OK;
    bough_status status = read_text(object, "title", true, &plot->title, r);
    TRY(read_text(object, "xlabel", true, &plot->xlabel, r));
    TRY(read_up_to(object, "ylabel", plot->ylabel, BOUGH_PLOT_METRICS, r));
    TRY(read_lines(json_object_get(object, "labels"), plot->label, BOUGH_PLOT_NAMES, &plot->labels, r));
    TRY(read_up_to(object, "order", plot->order, BOUGH_PLOT_NAMES, r));
    TRY(read_up_to(object, "series", plot->series + 1, BOUGH_PLOT_SERIES - 1, r));
    TRY(read_size(object, "width_cm", &plot->width_cm, r));
    TRY(read_size(object, "height_cm", &plot->height_cm, r));
    TRY(read_size(object, "font_pt", &plot->font_pt, r));
    plot->ylabels = count_texts(plot->ylabel, BOUGH_PLOT_METRICS);
    plot->orders = count_texts(plot->order, BOUGH_PLOT_NAMES);
    return status;
}

/* Absent in older stores. */
static bough_status read_join(const json_t *value, bough_plot_join *join, const reader *r) {
    if (!value) return BOUGH_OK;
    for (int i = 0; i < BOUGH_JOINS && json_is_string(value); i++)
        if (strcmp(json_string_value(value), bough_plot_join_name[i]) == 0) {
            *join = (bough_plot_join)i;
            return BOUGH_OK;
        }
    return damaged("join", r->error);
}

static bough_status read_shard(const json_t *json, bough_study *study, const reader *r) {
    if (!json) return BOUGH_OK;
    const json_t *points = json_object_get(json, "points");
    json_int_t shard = json_integer_value(json_object_get(json, "shard")),
               shards = json_integer_value(json_object_get(json, "of"));
    if (shard < 1 || shards < shard || shards > BOUGH_POINTS_MAX) return damaged("shard", r->error);
    if (json_array_size(points) != study->points) return damaged("shard", r->error);
    for (size_t i = 0; i < study->points; i++) {
        json_int_t of = json_integer_value(json_array_get(points, i));
        if (of < 1 || of > shards) return damaged("shard", r->error);
        study->point[i].shard = (unsigned)of;
    }
    study->shard = (unsigned)shard;
    study->shards = (unsigned)shards;
    return BOUGH_OK;
}

/* Points are merged along the last axis, as grid_expand.c demands. */
static bough_status read_pool(const json_t *json, bough_study *study, const reader *r) {
    bough_status status = read_text(json, "pool", true, &study->pool, r);
    if (status || !study->pool) return status;
    const bool last = study->axes > 0 && strcmp(study->axis[study->axes - 1], study->pool) == 0;
    return last ? BOUGH_OK : damaged("pool", r->error);
}

bough_status view_read(const char *text, bough_study *study, bough_error *error) {
    const reader r = {&study->memory, error};
    json_t *json;
    bough_status status = load(text, &json, error);
    if (status) return status;
    bough_plot *plot = &study->plot;
    study->effort.precision = json_number_value(json_object_get(json, "precision"));
    status = read_text(json, "title", false, &study->title, &r);
    if (!status && json_object_get(json, "command")) /* absent in older stores */
        status = read_text(json, "command", true, &study->command, &r);
    TRY(read_count(json, "trials", &study->effort.trials, &r));
    TRY(check_effort(&study->effort, error));
    TRY(read_metric(json_object_get(json, "watch"), true, &study->effort.watch, &r));
    TRY(read_flag(json, "compare", &study->compare, &r));
    TRY(read_pool(json, study, &r));
    TRY(read_text(json, "x", true, &plot->x, &r));
    TRY(read_text(json, "xscale", true, &plot->xscale, &r));
    TRY(read_text(json, "series", true, &plot->series[0], &r));
    TRY(read_text(json, "facet", true, &plot->facet, &r));
    const json_t *y = json_object_get(json, "y");
    for (size_t i = 0; i < json_array_size(y) && i < sizeof plot->y / sizeof *plot->y && !status; i++) {
        status = read_metric(json_array_get(y, i), false, &plot->y[i], &r);
        plot->ys = (unsigned)i + 1;
    }
    TRY(read_statistics(json_object_get(json, "statistics"), study, &r));
    TRY(read_charts(json_object_get(json, "charts"), plot, &r));
    TRY(read_join(json_object_get(json_object_get(json, "charts"), "join"), &plot->join, &r));
    TRY(read_look(json_object_get(json, "look"), plot, &r));
    TRY(read_shard(json_object_get(json, "shard"), study, &r));
    json_decref(json);
    return status;
}

/* ---- comparing ---- */

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool asked_differs(const char *what, const bough_asked *old, const bough_asked *now, char *difference,
                          size_t size) {
    if (!same_text(old->spec, now->spec))
        snprintf(difference, size, "%s %s, now %s", what, old->spec ? old->spec : "none",
                 now->spec ? now->spec : "none");
    else if (old->hash != now->hash)
        snprintf(difference, size, "the file of %s %s has changed", what, now->spec ? now->spec : "");
    else
        return false;
    return true;
}

static bool point_differs(const bough_study_point *old, const bough_study_point *now, size_t axes,
                          char *difference, size_t size) {
    if (asked_differs("network", &old->network, &now->network, difference, size)) return true;
    if (asked_differs("faults", &old->faults, &now->faults, difference, size)) return true;
    if (asked_differs("physical setting", &old->physical, &now->physical, difference, size)) return true;
    if (asked_differs("traffic", &old->traffic, &now->traffic, difference, size)) return true;
    for (size_t i = 0; i < axes; i++)
        if (!same_text(old->value[i], now->value[i])) {
            snprintf(difference, size, "an axis is %s, now %s", old->value[i], now->value[i]);
            return true;
        }
    if (old->routings != now->routings || old->answers != now->answers) {
        snprintf(difference, size, "%zu method%s under %zu routing%s, now %zu under %zu", old->methods,
                 bough_s(old->methods), old->routings, bough_s(old->routings), now->methods, now->routings);
        return true;
    }
    for (size_t i = 0; i < old->routings; i++)
        if (asked_differs("routing", &old->routing[i], &now->routing[i], difference, size)) return true;
    for (size_t i = 0; i < old->answers; i++)
        if (!same_text(old->answer[i].method, now->answer[i].method)) {
            snprintf(difference, size, "method %s, now %s", old->answer[i].method, now->answer[i].method);
            return true;
        } else if (old->method[old->answer[i].asked].hash != now->method[now->answer[i].asked].hash) {
            snprintf(difference, size, "the file of method %s has changed", now->answer[i].method);
            return true;
        }
    return false;
}

bool question_differs(const bough_study *old, const bough_study *now, char *difference, size_t size) {
    if (old->seed != now->seed) {
        snprintf(difference, size, "seed %" PRIu64 ", now %" PRIu64, old->seed, now->seed);
        return true;
    }
    if (old->points != now->points || old->axes != now->axes) {
        snprintf(difference, size, "%zu point%s over %zu %s, now %zu over %zu", old->points,
                 bough_s(old->points), old->axes, old->axes == 1 ? "axis" : "axes", now->points, now->axes);
        return true;
    }
    for (size_t i = 0; i < old->axes; i++)
        if (strcmp(old->axis[i], now->axis[i]) != 0) {
            snprintf(difference, size, "axis %s, now %s", old->axis[i], now->axis[i]);
            return true;
        }
    for (size_t i = 0; i < old->points; i++)
        if (point_differs(&old->point[i], &now->point[i], old->axes, difference, size)) return true;
    return false;
}
