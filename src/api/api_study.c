/* The study that answers a question: of one point, or the one that the question names. */
#include "api/api_study.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/faults/faults.h"

#include <stdlib.h>
#include <string.h>

/* ---- one point ---- */

static bough_status copy_specs(const bough_question *q, const char *key, bough_asked **list, size_t *count,
                               bough_error *error) {
    const char **value = NULL;
    size_t found;
    bough_status status = api_values(q, key, &value, &found, error);
    if (found) TRY(bough_alloc(list, found, sizeof **list, error)); /* none: left to the study */
    for (size_t i = 0; i < found && !status; i++) {
        (*list)[i].spec = bough_strdup(value[i]);
        if (!(*list)[i].spec) status = bough_fail_memory(error, strlen(value[i]));
        *count = i + 1;
    }
    free(value);
    return status;
}

static bough_status copy_spec(const bough_question *q, const char *key, char **spec, bough_error *error) {
    const char *value = api_value(q, key);
    if (value && !(*spec = bough_strdup(value))) return bough_fail_memory(error, strlen(value));
    return BOUGH_OK;
}

static bough_status join_faults(const bough_question *q, char **spec, bough_error *error) {
    const char **value = NULL;
    size_t count;
    bough_status status = api_values(q, "faults", &value, &count, error);
    TRY(bough_faults_join(value, count, spec, error));
    free(value);
    return status;
}

/* As `bough sim`: to 1 % with at most 1000 trials, unless trials or precision say otherwise. */
static bough_status read_effort(const bough_question *q, bough_effort *effort, bough_error *error) {
    const char *precision = api_value(q, "precision");
    *effort = (bough_effort){1000, 0.01, BOUGH_METRIC_COUNT};
    if (api_value(q, "trials") || precision) *effort = (bough_effort){0, 0, BOUGH_METRIC_COUNT};
    bough_status status = precision ? bough_effort_precision(effort, precision, error) : BOUGH_OK;
    return status ? status
                  : api_number(q, "trials", (bough_bounds){1, BOUGH_TRIALS_MAX}, &effort->trials, error);
}

/* Statistics beside those of a study file. */
static bough_status read_statistics(const bough_question *q, bough_study *study, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < q->settings && !status; i++) {
        const api_setting *s = &q->setting[i];
        if (strcmp(s->key, "quantiles") == 0) status = bough_study_add_quantiles(study, s->value, error);
        if (strcmp(s->key, "above") == 0) status = bough_study_add_above(study, s->value, error);
    }
    return status;
}

static bough_status make_point(const bough_question *q, bough_study *study, bough_error *error) {
    bough_status status = bough_alloc(&study->point, 1, sizeof *study->point, error);
    if (status) return status;
    bough_study_point *p = &study->point[0];
    study->points = 1;
    study->seed = 1;
    status = api_network_spec(study->registry, api_value(q, "network"), &p->network.spec, error);
    TRY(join_faults(q, &p->faults.spec, error));
    TRY(copy_spec(q, "physical", &p->physical.spec, error));
    TRY(copy_spec(q, "traffic", &p->traffic.spec, error));
    TRY(copy_specs(q, "routing", &p->routing, &p->routings, error));
    TRY(copy_specs(q, "method", &p->method, &p->methods, error));
    TRY(read_effort(q, &study->effort, error));
    TRY(api_number(q, "seed", (bough_bounds){0, INT64_MAX}, &study->seed, error));
    if (!status && !p->methods)
        status = bough_fail(error, BOUGH_INVALID, "bough_simulate", "the key 'method' is not set");
    return status;
}

/* ---- a study file ---- */

typedef struct settings {
    bough_override *item;
    char **text;
    size_t count;
} settings;

static void settings_fini(settings *s) {
    for (size_t i = 0; i < s->count; i++) free(s->text[i]);
    FREE_ALL(s->text, s->item);
}

static bough_status add_setting(settings *s, const char *given, const char *dashes, bough_error *error) {
    const char *equals = strchr(given, '=');
    if (!equals || equals == given)
        return bough_fail(error, BOUGH_INVALID, NULL, "%sset %s: write KEY=VALUE, as in %sset seed=7", dashes,
                          given, dashes);
    char *copy = bough_strdup(given);
    if (!copy) return bough_fail_memory(error, strlen(given));
    copy[equals - given] = 0;
    s->text[s->count] = copy;
    s->item[s->count++] = (bough_override){copy, copy + (equals - given) + 1};
    return BOUGH_OK;
}

static bough_status read_settings(const bough_question *q, settings *s, bough_error *error) {
    const char **value = NULL;
    size_t count = 0;
    bough_status status = api_values(q, "set", &value, &count, error);
    TRY(bough_alloc(&s->item, count, sizeof *s->item, error));
    TRY(bough_alloc(&s->text, count, sizeof *s->text, error));
    for (size_t i = 0; i < count; i++) TRY(add_setting(s, value[i], q->dashes ? q->dashes : "", error));
    free(value);
    return status;
}

static bough_status read_study(const bough_question *q, bough_study *study, bough_error *error) {
    const char *name = api_value(q, "study"), *text = api_value(q, "study-text");
    bough_registry *registry = (bough_registry *)study->registry;
    settings s = {0};
    bough_status status = read_settings(q, &s, error);
    if (!status && name)
        status = bough_study_read(study, name, s.item, s.count, error);
    else if (!status)
        status = bough_study_parse(
            study, &(bough_study_text){"study-text", text, strlen(text), s.item, s.count, 0}, error);
    settings_fini(&s);
    study->registry = registry;
    if (api_value(q, "trials") || api_value(q, "precision")) TRY(read_effort(q, &study->effort, error));
    return status;
}

bough_status api_study_make(const bough_question *question, bough_study *study, bough_error *error) {
    bough_status status =
        api_is_study(question) ? read_study(question, study, error) : make_point(question, study, error);
    TRY(read_statistics(question, study, error));
    return status;
}
