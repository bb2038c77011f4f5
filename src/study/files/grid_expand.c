/* Expands texts to points: reads numbers, multiplies axes (the first outermost; before them lists of
 * networks, faults and traffics) and replaces names in specs. Routings and methods are not multiplied: a
 * point has all of them, so that they are compared on the same messages. */
#include "study/files/study_file.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/spec.h"
#include "study/files/axis_expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct expansion {
    const raw_study *raw;
    bough_study *study;
    size_t limit;
    uint64_t first;   /* combinations of values, if each axis has as many as for the first of the others */
    uint64_t visited; /* combinations so far, wanted or not */
    const raw_text *network, *faults, *traffic; /* of the current point; faults and traffic may be NULL */
    axis_value *current;                        /* one per axis; texts are borrowed */
    environment env;                            /* the axes that have a value so far */
    bough_error *error;
} expansion;

static bough_status put_place(const expansion *x, const raw_list *list, const raw_text *item,
                              const char *what, bough_status status) {
    raw_add_place(x->raw, list, item, what, x->error);
    return status;
}

/* ---- single values ---- */

static bough_status read_trials(const expansion *x, const char *text) {
    int64_t trials;
    bough_status status = bough_parse_int(text, "trials", &trials, x->error);
    if (!status && (trials < 1 || trials > BOUGH_TRIALS_MAX))
        status =
            bough_fail(x->error, BOUGH_INVALID, NULL,
                       "trials: %s is out of range; write a number from 1 to %d", text, BOUGH_TRIALS_MAX);
    if (!status) x->study->effort.trials = (uint64_t)trials;
    return status;
}

static bough_status read_precision(const expansion *x, const char *text) {
    return bough_effort_precision(&x->study->effort, text, x->error);
}

static bough_status read_seed(const expansion *x, const char *text) {
    int64_t seed = 0;
    bough_status status = bough_parse_int(text, "seed", &seed, x->error);
    if (!status && seed < 0) status = bough_fail(x->error, BOUGH_INVALID, NULL, "seed: %s is negative", text);
    x->study->seed = (uint64_t)seed;
    return status;
}

static bough_status read_compare(const expansion *x, const char *text) {
    bool yes = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
    x->study->compare = yes;
    if (yes || strcmp(text, "false") == 0 || strcmp(text, "no") == 0) return BOUGH_OK;
    return bough_fail(x->error, BOUGH_INVALID, NULL, "compare: '%s' is not true or false", text);
}

static bough_status read_unsupported(const expansion *x, const char *text) {
    x->study->skip_unsupported = strcmp(text, "skip") == 0;
    if (x->study->skip_unsupported || strcmp(text, "stop") == 0) return BOUGH_OK;
    return bough_fail(x->error, BOUGH_INVALID, NULL, "unsupported: '%.80s' is not stop or skip", text);
}

/* Only the innermost axis may be pooled, because its points are adjacent. */
static bough_status read_pool(const expansion *x, const char *text) {
    const char *last = x->raw->axes ? x->raw->axis[x->raw->axes - 1].name : "";
    if (x->raw->axes && strcmp(last, text) == 0)
        return arena_copy(&x->study->memory, &x->study->pool, text, x->error);
    return bough_fail(x->error, BOUGH_INVALID, NULL,
                      "pool: '%.80s' is not the last axis of the grid, along which points are merged%s%s",
                      text, *last ? ", here " : "", last);
}

static bough_status read_quantiles(const expansion *x, const char *text) {
    return bough_study_add_quantiles(x->study, text, x->error);
}

static bough_status read_above(const expansion *x, const char *text) {
    return bough_study_add_above(x->study, text, x->error);
}

/* Reads every value of a key. */
static bough_status read_list(const expansion *x, raw_key key,
                              bough_status (*read)(const expansion *x, const char *text)) {
    const raw_list *list = &x->raw->key[key];
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < list->count && !status; i++) {
        status = read(x, list->item[i].text);
        if (status) status = put_place(x, list, &list->item[i], "", status);
    }
    return status;
}

/* Reads the value of a key, if the study has it. */
static bough_status read_value(const expansion *x, raw_key key, const char *what,
                               bough_status (*read)(const expansion *x, const char *text)) {
    const raw_list *list = &x->raw->key[key];
    bough_status status = list->count ? read(x, list->item->text) : BOUGH_OK;
    return status ? put_place(x, list, list->item, what, status) : BOUGH_OK;
}

static bough_status read_values(const expansion *x) {
    bough_effort *effort = &x->study->effort;
    effort->watch = BOUGH_METRIC_COUNT;
    x->study->seed = 1;
    bough_status status = read_value(x, RAW_TRIALS, "", read_trials);
    TRY(read_value(x, RAW_PRECISION, "", read_precision));
    TRY(read_value(x, RAW_SEED, "", read_seed));
    TRY(read_value(x, RAW_COMPARE, "", read_compare));
    TRY(read_value(x, RAW_POOL, "", read_pool));
    TRY(read_value(x, RAW_UNSUPPORTED, "", read_unsupported));
    TRY(read_list(x, RAW_QUANTILES, read_quantiles));
    TRY(read_list(x, RAW_ABOVE, read_above));
    if (!effort->trials && !(effort->precision > 0)) { /* the same as in `bough sim` */
        effort->precision = 0.01;
        effort->trials = 1000;
    }
    return status;
}

/* ---- points ---- */

static bough_status fill(const expansion *x, const raw_list *list, const raw_text *from, const char *what,
                         bough_asked *to) {
    to->line = list->setting ? 0 : from->line;
    bough_status status = expression_fill(from->text, &x->env, &x->study->memory, &to->spec, x->error);
    return status ? put_place(x, list, from, what, status) : BOUGH_OK;
}

static bough_status fill_list(const expansion *x, raw_key key, const char *what, bough_asked **to,
                              size_t *count) {
    const raw_list *list = &x->raw->key[key];
    if (!list->count) return BOUGH_OK;
    bough_status status = arena_alloc(&x->study->memory, to, list->count, sizeof **to, x->error);
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
        if (status) return put_place(x, only, &only->item[i], "only", status);
    }
    return BOUGH_OK;
}

/* `only` looks at every combination, which takes a microsecond. */
static bough_status check_combinations(const expansion *x, uint64_t count) {
    enum { MOST = 10000000 };
    if (count <= MOST) return BOUGH_OK;
    return bough_fail(
        x->error, BOUGH_TOO_LARGE, x->raw->file,
        "the grid has more than %d combinations of values, from which `only` would choose; at most "
        "as many are possible: make the grid coarser",
        MOST);
}

static bough_status add_point(expansion *x) {
    bough_study *study = x->study;
    bool wanted = true;
    bough_status status = check_combinations(x, ++x->visited);
    TRY(is_wanted(x, &wanted));
    if (status || !wanted) return status;
    if (study->points >= x->limit)
        return bough_fail(x->error, BOUGH_TOO_LARGE, x->raw->file,
                          "more than %zu points; make the grid coarser", x->limit);
    status = arena_grow(&study->memory, &study->point, study->points + 1, sizeof *study->point, x->error);
    if (status) return status;
    bough_study_point *p = &study->point[study->points];
    *p = (bough_study_point){0};
    status = arena_alloc(&study->memory, &p->value, study->axes, sizeof *p->value, x->error);
    if (status) return status;
    study->points++;
    for (size_t i = 0; i < study->axes && !status; i++)
        status = arena_copy(&study->memory, &p->value[i], x->current[i].text, x->error);
    TRY(fill(x, &x->raw->key[RAW_NETWORK], x->network, "network", &p->network));
    if (!status && x->faults) status = fill(x, &x->raw->key[RAW_FAULTS], x->faults, "faults", &p->faults);
    if (!status && x->traffic)
        status = fill(x, &x->raw->key[RAW_TRAFFIC], x->traffic, "traffic", &p->traffic);
    const raw_list *physical = &x->raw->key[RAW_PHYSICAL];
    if (!status && physical->count) status = fill(x, physical, physical->item, "physical", &p->physical);
    TRY(fill_list(x, RAW_ROUTING, "routing", &p->routing, &p->routings));
    TRY(fill_list(x, RAW_METHODS, "methods", &p->method, &p->methods));
    return status;
}

/* Iterates over all values of the axis after those in env, and recursively over the later axes. */
static bough_status expand_axes(expansion *x) {
    size_t at = x->env.count;
    if (at == x->raw->axes) return add_point(x);
    const raw_axis *axis = &x->raw->axis[at];
    axis_values values = {.limit = x->limit};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < axis->values.count && !status; i++) {
        const raw_text *text = &axis->values.item[i];
        status = axis_values_add(&values, text->text, text->quoted, &x->env, x->error);
        if (status) put_place(x, &axis->values, text, axis->name, status);
    }
    if (!x->visited && x->raw->key[RAW_ONLY].count && !status) {
        x->first = bough_mul(x->first, values.count);
        status = check_combinations(x, x->first);
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
    bough_status status = arena_alloc(&study->memory, &study->axis, raw->axes, sizeof *study->axis, error);
    for (size_t i = 0; i < raw->axes && !status; i++) {
        study->axes = i + 1;
        status = arena_copy(&study->memory, &study->axis[i], raw->axis[i].name, error);
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
    bough_status status = arena_copy(&study->memory, &study->source, raw->file, error);
    const raw_list *title = &raw->key[RAW_STUDY];
    if (!status && title->count) status = arena_copy(&study->memory, &study->title, title->item->text, error);
    TRY(copy_axes(raw, study, error));
    expansion x = {.raw = raw, .study = study, .limit = limit, .first = 1, .error = error};
    TRY(read_values(&x));
    TRY(raw_read_plot(raw, study, error));
    if (status) return status;
    study->network_varies = raw->key[RAW_NETWORK].count > 1;
    study->faults_vary = raw->key[RAW_FAULTS].count > 1;
    study->traffic_varies = raw->key[RAW_TRAFFIC].count > 1;
    status = bough_alloc(&x.current, raw->axes, sizeof *x.current, error);
    if (status) return status;
    x.env = (environment){study->axis, x.current, 0};
    status = expand_specs(&x);
    free(x.current);
    if (!status && !study->points) return nothing_left(raw, error);
    TRY(raw_read_lines(raw, study, error));
    return status;
}
