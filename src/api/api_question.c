#include "api/api_question.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

typedef struct question_key {
    const char *name;
    bool several, simulate, diagnose; /* may be set several times; the verbs that have it */
} question_key;

static const question_key keys[] = {
    {"network", false, true, true},       {"faults", true, true, true},
    {"physical", false, true, true},      {"routing", true, true, true},
    {"seed", false, true, true},          {"traffic", false, true, false},
    {"method", true, true, false},        {"trials", false, true, false},
    {"precision", false, true, false},    {"job", true, false, true},
    {"against", false, false, true},      {"against-lft", false, false, true},
    {"permutations", false, false, true}, {"draws", false, false, true},
    {"worst", false, false, true},
};
enum { KEYS = sizeof keys / sizeof *keys };

static const question_key *find_key(const char *name) {
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0) return &keys[i];
    return NULL;
}

bough_status bough_question_create(bough_question **question, bough_error *error) {
    bough_status status = api_require(question, "question", __func__, error);
    if (status) return status;
    *question = NULL;
    return bough_alloc(question, 1, sizeof **question, error);
}

static bough_status unknown_key(const char *name, bough_error *error) {
    const char *names[KEYS];
    char hint[BOUGH_HINT_MAX];
    for (size_t i = 0; i < KEYS; i++) names[i] = keys[i].name;
    return bough_fail(error, BOUGH_INVALID, "bough_question_set", "no key '%.40s'%s", name,
                      bough_hint(hint, name, names, KEYS));
}

bough_status bough_question_set(bough_question *question, const char *key, const char *value,
                                bough_error *error) {
    bough_status status = api_require(question, "question", __func__, error);
    TRY(api_require(key, "key", __func__, error));
    TRY(api_require(value, "value", __func__, error));
    if (status) return status;
    const question_key *k = find_key(key);
    if (!k) return unknown_key(key, error);
    char *copy = bough_strdup(value);
    if (!copy) return bough_fail_memory(error, strlen(value));
    for (size_t i = 0; i < question->settings && !k->several; i++) {
        if (question->setting[i].key != k->name) continue;
        free(question->setting[i].value);
        question->setting[i].value = copy;
        return BOUGH_OK;
    }
    status = bough_grow(&question->setting, &question->capacity, question->settings + 1,
                        sizeof *question->setting, error);
    if (status)
        free(copy);
    else
        question->setting[question->settings++] = (api_setting){k->name, copy};
    return status;
}

void bough_question_destroy(bough_question *question) {
    if (!question) return;
    for (size_t i = 0; i < question->settings; i++) free(question->setting[i].value);
    FREE_ALL(question->setting, question);
}

/* ---- reading ---- */

const char *api_value(const bough_question *question, const char *key) {
    for (size_t i = 0; i < question->settings; i++)
        if (strcmp(question->setting[i].key, key) == 0) return question->setting[i].value;
    return NULL;
}

bough_status api_values(const bough_question *question, const char *key, const char ***value, size_t *count,
                        bough_error *error) {
    *count = 0;
    bough_status status = bough_alloc(value, question->settings, sizeof **value, error);
    for (size_t i = 0; i < question->settings && !status; i++)
        if (strcmp(question->setting[i].key, key) == 0) (*value)[(*count)++] = question->setting[i].value;
    return status;
}

bough_status api_number(const bough_question *question, const char *key, bough_bounds bounds, uint64_t *value,
                        bough_error *error) {
    const char *text = api_value(question, key);
    return text ? bough_parse_between(text, key, bounds, value, error) : BOUGH_OK;
}

bough_status api_question_check(const bough_question *question, const char *verb, bough_error *error) {
    bool simulate = strcmp(verb, "bough_simulate") == 0;
    for (size_t i = 0; i < question->settings; i++) {
        const question_key *k = find_key(question->setting[i].key);
        if (simulate ? k->simulate : k->diagnose) continue;
        return bough_fail(error, BOUGH_INVALID, verb, "the key '%s' belongs to %s", k->name,
                          simulate ? "bough_diagnose" : "bough_simulate");
    }
    if (!api_value(question, "network"))
        return bough_fail(error, BOUGH_INVALID, verb, "the key 'network' is not set");
    return BOUGH_OK;
}
