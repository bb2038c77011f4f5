#include "base/text/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const question_key *keys_find(const question_key *keys, const char *name) {
    for (; keys->name; keys++)
        if (!(keys->flags & KEY_COMMAND) && strcmp(keys->name, name) == 0) return keys;
    return NULL;
}

const char *keys_value(const key_settings *settings, const char *name) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->item[i].key->name, name) == 0) return settings->item[i].value;
    return NULL;
}

const char *key_name(const key_settings *settings, size_t i, char name[KEY_NAME_MAX]) {
    snprintf(name, KEY_NAME_MAX, "%s%s", settings->command ? "--" : "", settings->item[i].key->name);
    return name;
}

bough_status key_list_add(const char *const **list, size_t *count, const char *text, bough_error *error) {
    const char **grown = realloc((void *)*list, (*count + 1) * sizeof *grown);
    if (!grown) return bough_fail_memory(error, (*count + 1) * sizeof *grown);
    grown[(*count)++] = text;
    *list = grown;
    return BOUGH_OK;
}

static bough_status put_number(const question_key *key, const key_settings *settings, size_t i, void *at,
                               bough_error *error) {
    char name[KEY_NAME_MAX];
    const char *text = settings->item[i].value;
    uint64_t number;
    key_name(settings, i, name);
    if (key->kind == KEY_REAL) return bough_parse_real(text, name, at, error);
    bough_status status = bough_parse_between(text, name, key->bounds, &number, error);
    if (status) return status;
    if (key->kind == KEY_WHOLE)
        *(uint64_t *)at = number;
    else
        *(unsigned *)at = (unsigned)number;
    return BOUGH_OK;
}

static bough_status put_setting(const question_key *key, const key_settings *settings, size_t i,
                                void *question, bough_error *error) {
    char *base = question;
    void *at = base + key->at;
    switch (key->kind) {
    case KEY_NOWHERE:
        return BOUGH_OK;
    case KEY_TEXT:
        *(const char **)at = settings->item[i].value;
        return BOUGH_OK;
    case KEY_LIST:
        return key_list_add(at, (size_t *)(base + key->count), settings->item[i].value, error);
    case KEY_FLAG:
        *(bool *)at = true;
        return BOUGH_OK;
    case KEY_TAKEN:
        return key->take(settings, i, question, error);
    default:
        return put_number(key, settings, i, at, error);
    }
}

bough_status keys_read(const question_key *keys, const key_settings *settings, void *question,
                       bough_error *error) {
    bough_status status = BOUGH_OK;
    for (const question_key *k = keys; k->name; k++)
        if (k->fallback) *(uint64_t *)((char *)question + k->at) = k->fallback;
    for (size_t i = 0; i < settings->count && !status; i++)
        for (const question_key *k = keys; k->name && !status; k++)
            if (strcmp(k->name, settings->item[i].key->name) == 0)
                status = put_setting(k, settings, i, question, error);
    return status;
}

void keys_free(const question_key *keys, void *question) {
    for (; keys->name; keys++) {
        void **list = (void **)((char *)question + keys->at);
        if (keys->kind != KEY_LIST) continue;
        free(*list);
        *list = NULL;
    }
}
