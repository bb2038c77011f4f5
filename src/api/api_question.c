#include "api/api_question.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/network_handle.h"
#include "extension/owned_registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct question_key {
    const char *name;
    bool several, simulate, diagnose; /* may be set several times; the verbs that have it */
    bool point;                       /* of one point: a study has its own */
} question_key;

static const question_key keys[] = {
    {"network", false, true, true, true},        {"faults", true, true, true, true},
    {"physical", false, true, true, true},       {"routing", true, true, true, true},
    {"seed", false, true, true, true},           {"traffic", false, true, false, true},
    {"method", true, true, false, true},         {"trials", false, true, false, false},
    {"precision", false, true, false, false},    {"study", false, true, false, false},
    {"quantiles", true, true, false, false},     {"above", true, true, false, false},
    {"study-text", false, true, false, false},   {"set", true, true, false, false},
    {"store", false, true, false, false},        {"job", true, false, true, false},
    {"against", false, false, true, false},      {"against-lft", false, false, true, false},
    {"permutations", false, false, true, false}, {"draws", false, false, true, false},
    {"job-trials", false, false, true, false},   {"lft", true, false, true, false},
    {"worst", false, false, true, false},        {"slurm", false, false, true, false},
    {"place", false, false, true, false},        {"busy", false, false, true, false},
    {"counters", true, false, true, false},      {"interval", false, false, true, false},
    {"expect", false, false, true, false},
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
    status = bough_alloc(question, 1, sizeof **question, error);
    if (!status) (*question)->handle.word = HANDLE_ALIVE;
    return status;
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
    bough_status status = api_require_object(question, "question", __func__, error);
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

bough_status bough_question_use_registry(bough_question *question, bough_registry *registry,
                                         bough_error *error) {
    bough_status status = api_require_object(question, "question", __func__, error);
    TRY(api_require_registry(registry, __func__, error));
    if (status) return status;
    registry_keep(registry);
    registry_release(question->registry);
    question->registry = registry;
    return BOUGH_OK;
}

static void forget(bough_question *question, const char *key) {
    size_t kept = 0;
    for (size_t i = 0; i < question->settings; i++)
        if (strcmp(question->setting[i].key, key) == 0)
            free(question->setting[i].value);
        else
            question->setting[kept++] = question->setting[i];
    question->settings = kept;
}

bough_status bough_question_use_network(bough_question *question, const bough_network *network,
                                        bough_error *error) {
    bough_status status = api_require_object(question, "question", __func__, error);
    TRY(api_require_object(network, "network", __func__, error));
    TRY(bough_question_set(question, "network", network->whole->spec, error));
    if (status) return status;
    forget(question, "faults");
    forget(question, "physical");
    if (network->faults) TRY(bough_question_set(question, "faults", network->faults, error));
    if (network->physical) TRY(bough_question_set(question, "physical", network->physical->spec, error));
    if (status) return status;
    bough_network *kept = (bough_network *)network;
    atomic_fetch_add(&kept->users, 1);
    bough_network_destroy(question->network);
    question->network = kept;
    return BOUGH_OK;
}

void bough_question_destroy(bough_question *question) {
    if (!handle_alive(question)) return;
    for (size_t i = 0; i < question->settings; i++) free(question->setting[i].value);
    registry_release(question->registry);
    bough_network_destroy(question->network);
    free(question->setting);
    handle_free(question);
}

static void release_network(void *network) {
    bough_network_destroy(network);
}

bough_status api_question_names(const bough_question *question, bough_registry **registry,
                                bough_error *error) {
    bough_network *n = question->network;
    bough_registry *parent = question->registry ? question->registry : n ? n->registry : NULL;
    bough_status status = registry_make(parent, registry, error);
    if (status || !n) return status;
    atomic_fetch_add(&n->users, 1);
    status = registry_own(*registry, (owned_object){n, release_network}, error);
    TRY(bough_registry_put(*registry, BOUGH_LIST_NETWORKS, n->whole, error));
    if (!status) return BOUGH_OK;
    registry_release(*registry);
    *registry = NULL;
    return status;
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
    char what[48];
    snprintf(what, sizeof what, "%s%s", question->dashes ? question->dashes : "", key);
    return text ? bough_parse_between(text, what, bounds, value, error) : BOUGH_OK;
}

bool api_is_study(const bough_question *question) {
    return api_value(question, "study") || api_value(question, "study-text");
}

static bough_status check_study(const bough_question *question, bough_error *error) {
    if (api_value(question, "study") && api_value(question, "study-text"))
        return bough_fail(error, BOUGH_INVALID, "bough_simulate",
                          "the keys 'study' and 'study-text' are mutually exclusive");
    for (size_t i = 0; i < question->settings; i++)
        if (find_key(question->setting[i].key)->point)
            return bough_fail(error, BOUGH_INVALID, "bough_simulate",
                              "the key '%s' belongs to a point, and a study has its own; "
                              "change it by the key 'set'",
                              question->setting[i].key);
    return BOUGH_OK;
}

bough_status api_question_check(const bough_question *question, const char *verb, bough_error *error) {
    bool simulate = strcmp(verb, "bough_simulate") == 0;
    for (size_t i = 0; i < question->settings; i++) {
        const question_key *k = find_key(question->setting[i].key);
        if (simulate ? k->simulate : k->diagnose) continue;
        return bough_fail(error, BOUGH_INVALID, verb, "the key '%s' belongs to %s", k->name,
                          simulate ? "bough_diagnose" : "bough_simulate");
    }
    return simulate && api_is_study(question) ? check_study(question, error)
           : api_value(question, "network")
               ? BOUGH_OK
               : bough_fail(error, BOUGH_INVALID, verb, "the key 'network' is not set");
}
