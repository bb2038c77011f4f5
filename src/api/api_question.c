#include "api/api_question.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/network_handle.h"
#include "extension/owned_registry.h"
#include "fabric/check/check_keys.h"
#include "study/study_keys.h"

#include <stdlib.h>
#include <string.h>

/* Of all verbs. */
static const question_key *const tables[] = {point_keys, grid_keys, check_keys};
enum { TABLES = sizeof tables / sizeof *tables, KEYS_MAX = 96 };

static const question_key *find_key(const char *name) {
    const question_key *key = NULL;
    for (int i = 0; i < TABLES && !key; i++) key = keys_find(tables[i], name);
    return key;
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
    const char *names[KEYS_MAX];
    char hint[BOUGH_HINT_MAX];
    size_t count = 0;
    for (int i = 0; i < TABLES; i++)
        for (const question_key *k = tables[i]; k->name && count < KEYS_MAX; k++)
            if (!(k->flags & KEY_COMMAND)) names[count++] = k->name;
    return bough_fail(error, BOUGH_INVALID, "bough_question_set", "no key '%.40s'%s", name,
                      bough_hint(hint, name, names, count));
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
    key_settings *s = &question->settings;
    for (size_t i = 0; i < s->count && !(k->flags & KEY_REPEAT); i++) {
        if (s->item[i].key != k) continue;
        free((char *)s->item[i].value);
        s->item[i].value = copy;
        return BOUGH_OK;
    }
    status = bough_grow(&s->item, &question->capacity, s->count + 1, sizeof *s->item, error);
    if (status)
        free(copy);
    else
        s->item[s->count++] = (key_setting){k, copy};
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

static void forget(key_settings *s, const char *key) {
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->item[i].key->name, key) == 0)
            free((char *)s->item[i].value);
        else
            s->item[kept++] = s->item[i];
    s->count = kept;
}

bough_status bough_question_use_network(bough_question *question, const bough_network *network,
                                        bough_error *error) {
    bough_status status = api_require_object(question, "question", __func__, error);
    TRY(api_require_object(network, "network", __func__, error));
    TRY(bough_question_set(question, "network", network->whole->spec, error));
    if (status) return status;
    forget(&question->settings, "faults");
    forget(&question->settings, "physical");
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
    for (size_t i = 0; i < question->settings.count; i++) free((char *)question->settings.item[i].value);
    registry_release(question->registry);
    bough_network_destroy(question->network);
    free(question->settings.item);
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

/* ---- checks ---- */

bool api_is_study(const bough_question *question) {
    return keys_value(&question->settings, "study") || keys_value(&question->settings, "study-text");
}

static bough_status check_study(const key_settings *s, bough_error *error) {
    if (keys_value(s, "study") && keys_value(s, "study-text"))
        return bough_fail(error, BOUGH_INVALID, "bough_simulate",
                          "the keys 'study' and 'study-text' are mutually exclusive");
    for (size_t i = 0; i < s->count; i++)
        if (!keys_find(grid_keys, s->item[i].key->name))
            return bough_fail(error, BOUGH_INVALID, "bough_simulate",
                              "the key '%s' belongs to a point, and a study has its own; "
                              "change it by the key 'set'",
                              s->item[i].key->name);
    return BOUGH_OK;
}

bough_status api_question_check(const bough_question *question, const char *verb, bough_error *error) {
    const key_settings *s = &question->settings;
    const bool simulate = strcmp(verb, "bough_simulate") == 0;
    for (size_t i = 0; i < s->count; i++) {
        const char *name = s->item[i].key->name;
        if (simulate ? keys_find(point_keys, name) || keys_find(grid_keys, name)
                     : keys_find(check_keys, name) != NULL)
            continue;
        return bough_fail(error, BOUGH_INVALID, verb, "the key '%s' belongs to %s", name,
                          simulate ? "bough_diagnose" : "bough_simulate");
    }
    return simulate && api_is_study(question) ? check_study(s, error)
           : keys_value(s, "network")
               ? BOUGH_OK
               : bough_fail(error, BOUGH_INVALID, verb, "the key 'network' is not set");
}
