/* Expands texts to points: reads numbers, multiplies axes (the first outermost; before them lists of
 * networks, faults and traffics) and replaces names in specs. Routings and methods are not multiplied: a
 * point has all of them, so that they are compared on the same messages. */
#include "base/status/try.h"
#include "study/files/study_file.h"

#include "base/memory/memory.h"
#include "bough/spec.h"
#include "study/files/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct expansion {
    const raw_study *raw;
    bough_study *study;
    size_t limit, capacity;
    const raw_text *network, *faults, *traffic; /* of the current point; faults and traffic may be NULL */
    axis_value *current;                        /* one per axis; texts are borrowed */
    environment env;                            /* the axes that have a value so far */
    bough_error *error;
} expansion;

/* Prefixes a place to an error without one. */
static bough_status put_place(const raw_study *raw, const raw_list *list, unsigned line, const char *what,
                              bough_status status, bough_error *error) {
    if (!error) return status;
    char place[256], reason[sizeof error->reason];
    snprintf(reason, sizeof reason, "%s", error->reason);
    raw_place(raw, list, line, place, sizeof place);
    return bough_fail(error, status, place, "%s%s%s", what, *what ? ": " : "", reason);
}

/* ---- single values ---- */

static bough_status read_trials(const raw_study *raw, bough_study *study, bough_error *error) {
    const raw_list *list = &raw->key[RAW_TRIALS];
    if (!list->count) return BOUGH_OK;
    int64_t trials;
    bough_status status = bough_parse_int(list->item->text, "trials", &trials, error);
    if (!status && (trials < 1 || trials > BOUGH_TRIALS_MAX))
        status =
            bough_fail(error, BOUGH_INVALID, NULL, "trials: %s is out of range; write a number from 1 to %d",
                       list->item->text, BOUGH_TRIALS_MAX);
    if (status) return put_place(raw, list, list->item->line, "", status, error);
    study->effort.trials = (uint64_t)trials;
    return BOUGH_OK;
}

static bough_status read_numbers(const raw_study *raw, bough_study *study, bough_error *error) {
    study->effort.watch = BOUGH_METRIC_COUNT;
    bough_status status = read_trials(raw, study, error);
    const raw_list *list = &raw->key[RAW_PRECISION];
    if (!status && list->count) {
        status = bough_effort_precision(&study->effort, list->item->text, error);
        if (status) return put_place(raw, list, list->item->line, "", status, error);
    }
    list = &raw->key[RAW_SEED];
    study->seed = 1;
    if (!status && list->count) {
        int64_t seed = 0;
        status = bough_parse_int(list->item->text, "seed", &seed, error);
        if (!status && seed < 0)
            status = bough_fail(error, BOUGH_INVALID, NULL, "seed: %s is negative", list->item->text);
        if (status) return put_place(raw, list, list->item->line, "", status, error);
        study->seed = (uint64_t)seed;
    }
    list = &raw->key[RAW_COMPARE];
    if (!status && list->count) {
        const char *text = list->item->text;
        study->compare = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
        if (!study->compare && strcmp(text, "false") != 0 && strcmp(text, "no") != 0)
            return put_place(
                raw, list, list->item->line, "",
                bough_fail(error, BOUGH_INVALID, NULL, "compare: '%s' is not true or false", text), error);
    }
    if (!status && !study->effort.trials && !(study->effort.precision > 0)) {
        study->effort.precision = 0.01; /* the same as in `bough sim` */
        study->effort.trials = 1000;
    }
    return status;
}

static bough_status copy_text(char **out, const char *text, bough_error *error) {
    *out = bough_strdup(text);
    return *out ? BOUGH_OK : bough_fail_memory(error, strlen(text));
}

/* Only the innermost axis may be pooled, because its points are adjacent. */
static bough_status read_pool(const raw_study *raw, bough_study *study, bough_error *error) {
    const raw_list *list = &raw->key[RAW_POOL];
    if (!list->count) return BOUGH_OK;
    if (raw->axes && strcmp(raw->axis[raw->axes - 1].name, list->item->text) == 0)
        return copy_text(&study->pool, list->item->text, error);
    bough_status status = bough_fail(
        error, BOUGH_INVALID, NULL,
        "pool: '%.80s' is not the last axis of the grid, along which points are merged%s%s", list->item->text,
        raw->axes ? ", here " : "", raw->axes ? raw->axis[raw->axes - 1].name : "");
    return put_place(raw, list, list->item->line, "", status, error);
}

/* ---- plot ---- */

static bool is_one_of(const char *text, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], text) == 0) return true;
    return false;
}

static bough_status one_of(const raw_study *raw, const raw_list *list, const char *what,
                           const char *const *names, size_t count, char **out, bough_error *error) {
    if (!list->count) return BOUGH_OK;
    if (is_one_of(list->item->text, names, count)) return copy_text(out, list->item->text, error);
    char hint[BOUGH_HINT_MAX];
    bough_status status =
        bough_fail(error, BOUGH_INVALID, NULL,
                   "%s: '%.80s' is unknown%s; name an axis, method, routing, network or traffic", what,
                   list->item->text, bough_hint(hint, list->item->text, names, count));
    return put_place(raw, list, list->item->line, "plot", status, error);
}

static bough_status read_plot(const raw_study *raw, bough_study *study, bough_error *error) {
    static const char *const scales[] = {"linear", "log2", "log10"};
    bough_plot *plot = &study->plot;
    const char **names;
    size_t n = 0;
    bough_status status = bough_alloc(&names, raw->axes + 5, sizeof *names, error);
    if (status) return status;
    for (size_t i = 0; i < raw->axes; i++) names[n++] = raw->axis[i].name;
    names[n++] = "method";
    names[n++] = "routing";
    names[n++] = "network";
    names[n++] = "traffic";
    names[n++] = "faults";
    status = one_of(raw, &raw->key[RAW_PLOT_X], "x", names, n, &plot->x, error);
    TRY(one_of(raw, &raw->key[RAW_PLOT_SERIES], "series", names, n, &plot->series, error));
    TRY(one_of(raw, &raw->key[RAW_PLOT_FACET], "facet", names, n, &plot->facet, error));
    free(names);
    const raw_list *scale = &raw->key[RAW_PLOT_XSCALE];
    if (!status && scale->count && !is_one_of(scale->item->text, scales, 3))
        status = put_place(raw, scale, scale->item->line, "plot",
                           bough_fail(error, BOUGH_INVALID, NULL,
                                      "xscale: '%.80s' is not linear, log2 or log10", scale->item->text),
                           error);
    if (!status && scale->count) status = copy_text(&plot->xscale, scale->item->text, error);
    const raw_list *y = &raw->key[RAW_PLOT_Y];
    for (size_t i = 0; i < y->count && !status; i++) {
        bough_metric_id metric = bough_metric_find(y->item[i].text);
        if (metric == BOUGH_METRIC_COUNT)
            status = bough_fail(error, BOUGH_INVALID, NULL, "y: no metric '%.80s'; see `bough list metrics`",
                                y->item[i].text);
        else if (plot->ys == sizeof plot->y / sizeof *plot->y)
            status = bough_fail(error, BOUGH_INVALID, NULL, "y: more than %zu metrics",
                                sizeof plot->y / sizeof *plot->y);
        else
            plot->y[plot->ys++] = metric;
        if (status) return put_place(raw, y, y->item[i].line, "plot", status, error);
    }
    return status;
}

/* ---- points ---- */

static bough_status fill(const expansion *x, const raw_list *list, const raw_text *from, const char *what,
                         bough_asked *to) {
    to->line = list->setting ? 0 : from->line;
    bough_status status = expression_fill(from->text, &x->env, &to->spec, x->error);
    return status ? put_place(x->raw, list, from->line, what, status, x->error) : BOUGH_OK;
}

static bough_status fill_list(const expansion *x, raw_key key, const char *what, bough_asked **to,
                              size_t *count) {
    const raw_list *list = &x->raw->key[key];
    if (!list->count) return BOUGH_OK;
    bough_status status = bough_alloc(to, list->count, sizeof **to, x->error);
    for (size_t i = 0; i < list->count && !status; i++) {
        *count = i + 1;
        status = fill(x, list, &list->item[i], what, &(*to)[i]);
    }
    return status;
}

static bough_status is_wanted(const expansion *x, bool *wanted) {
    const raw_list *only = &x->raw->key[RAW_ONLY];
    *wanted = true;
    for (size_t i = 0; i < only->count && *wanted; i++) {
        bough_status status = expression_holds(only->item[i].text, &x->env, wanted, x->error);
        if (status) return put_place(x->raw, only, only->item[i].line, "only", status, x->error);
    }
    return BOUGH_OK;
}

static bough_status add_point(expansion *x) {
    bough_study *study = x->study;
    bool wanted;
    bough_status status = is_wanted(x, &wanted);
    if (status || !wanted) return status;
    if (study->points >= x->limit)
        return bough_fail(x->error, BOUGH_TOO_LARGE, x->raw->file,
                          "more than %zu points; make the grid coarser", x->limit);
    status = bough_grow(&study->point, &x->capacity, study->points + 1, sizeof *study->point, x->error);
    if (status) return status;
    bough_study_point *p = &study->point[study->points];
    *p = (bough_study_point){0};
    status = bough_alloc(&p->value, study->axes, sizeof *p->value, x->error);
    if (status) return status;
    study->points++;
    for (size_t i = 0; i < study->axes && !status; i++)
        status = copy_text(&p->value[i], x->current[i].text, x->error);
    TRY(fill(x, &x->raw->key[RAW_NETWORK], x->network, "network", &p->network));
    if (!status && x->faults) status = fill(x, &x->raw->key[RAW_FAULTS], x->faults, "faults", &p->faults);
    if (!status && x->traffic)
        status = fill(x, &x->raw->key[RAW_TRAFFIC], x->traffic, "traffic", &p->traffic);
    TRY(fill_list(x, RAW_ROUTING, "routing", &p->routing, &p->routings));
    TRY(fill_list(x, RAW_METHODS, "methods", &p->method, &p->methods));
    return status;
}

/* Iterates over all values of the axis after those in env, and recursively over the later axes. */
static bough_status expand_axes(expansion *x) {
    size_t at = x->env.count;
    if (at == x->raw->axes) return add_point(x);
    const raw_axis *axis = &x->raw->axis[at];
    axis_values values = {0};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < axis->values.count && !status; i++) {
        const raw_text *text = &axis->values.item[i];
        status = axis_values_add(&values, text->text, text->quoted, &x->env, x->limit, x->error);
        if (status) put_place(x->raw, &axis->values, text->line, axis->name, status, x->error);
    }
    for (size_t i = 0; i < values.count && !status; i++) {
        x->current[at] = values.item[i];
        x->env.count = at + 1;
        status = expand_axes(x);
    }
    x->env.count = at;
    axis_values_fini(&values);
    return status;
}

static bough_status expand_specs(expansion *x) {
    const raw_list *network = &x->raw->key[RAW_NETWORK], *faults = &x->raw->key[RAW_FAULTS],
                   *traffic = &x->raw->key[RAW_TRAFFIC];
    size_t inner = traffic->count ? traffic->count : 1, middle = faults->count ? faults->count : 1;
    for (size_t i = 0; i < network->count * middle * inner; i++) {
        x->network = &network->item[i / inner / middle];
        x->faults = faults->count ? &faults->item[i / inner % middle] : NULL;
        x->traffic = traffic->count ? &traffic->item[i % inner] : NULL;
        bough_status status = expand_axes(x);
        if (status) return status;
    }
    return BOUGH_OK;
}

static bough_status copy_axes(const raw_study *raw, bough_study *study, bough_error *error) {
    bough_status status = bough_alloc(&study->axis, raw->axes, sizeof *study->axis, error);
    for (size_t i = 0; i < raw->axes && !status; i++) {
        study->axes = i + 1;
        status = copy_text(&study->axis[i], raw->axis[i].name, error);
    }
    return status;
}

static bough_status nothing_left(const raw_study *raw, bough_error *error) {
    const raw_list *only = &raw->key[RAW_ONLY];
    return bough_fail(error, BOUGH_INVALID, raw->file,
                      "no points left: `only: %.200s`%s is false for all%s%.60s%s",
                      only->count ? only->item[0].text : "", only->count > 1 ? " and so on" : "",
                      raw->axes ? "; --set replaces the values of an axis, as in --set " : "",
                      raw->axes ? raw->axis[0].name : "", raw->axes ? "=..." : "");
}

bough_status raw_expand(const raw_study *raw, bough_study *study, size_t limit, bough_error *error) {
    if (!raw->key[RAW_NETWORK].count)
        return bough_fail(error, BOUGH_INVALID, raw->file,
                          "the key network is missing, as in network: fattree:n=1024");
    if (!raw->key[RAW_METHODS].count)
        return bough_fail(error, BOUGH_INVALID, raw->file,
                          "the key methods is missing, as in methods: [bins]");
    bough_status status = copy_text(&study->source, raw->file, error);
    const raw_list *title = &raw->key[RAW_STUDY];
    if (!status && title->count) status = copy_text(&study->title, title->item->text, error);
    TRY(copy_axes(raw, study, error));
    TRY(read_numbers(raw, study, error));
    TRY(read_plot(raw, study, error));
    TRY(read_pool(raw, study, error));
    if (status) return status;
    study->network_varies = raw->key[RAW_NETWORK].count > 1;
    study->faults_vary = raw->key[RAW_FAULTS].count > 1;
    study->traffic_varies = raw->key[RAW_TRAFFIC].count > 1;
    expansion x = {.raw = raw, .study = study, .limit = limit, .error = error};
    status = bough_alloc(&x.current, raw->axes, sizeof *x.current, error);
    if (status) return status;
    x.env = (environment){study->axis, x.current, 0};
    status = expand_specs(&x);
    free(x.current);
    return !status && !study->points ? nothing_left(raw, error) : status;
}
