#include "base/text/keys.h"

#include <ctype.h>
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

bool key_next_value(const char **values, char value[KEY_VALUE_MAX]) {
    if (!*values || !**values) return false;
    size_t length = strcspn(*values, "|");
    snprintf(value, KEY_VALUE_MAX, "%.*s", (int)length, *values);
    *values += length + ((*values)[length] == '|');
    return true;
}

bool key_value_is_word(const char *value) {
    return !isupper((unsigned char)*value);
}

bough_status key_list_add(const char *const **list, size_t *count, const char *text, bough_error *error) {
    const char **grown = realloc((void *)*list, (*count + 1) * sizeof *grown);
    if (!grown) return bough_fail_memory(error, (*count + 1) * sizeof *grown);
    grown[(*count)++] = text;
    *list = grown;
    return BOUGH_OK;
}

static bough_status put_whole(const question_key *key, const key_given *given, void *at, bough_error *error) {
    uint64_t number;
    bough_status status = bough_parse_between(given->value, given->name, key->bounds, &number, error);
    if (status) return status;
    if (key->kind == KEY_WHOLE)
        *(uint64_t *)at = number;
    else
        *(unsigned *)at = (unsigned)number;
    return BOUGH_OK;
}

/* A word of a command line is enough; programs say 0 or 1. */
static bough_status put_flag(const key_given *given, bool *at, bough_error *error) {
    uint64_t flag = 1;
    bough_status status =
        *given->value ? bough_parse_between(given->value, given->name, (bough_bounds){0, 1}, &flag, error)
                      : BOUGH_OK;
    *at = flag;
    return status;
}

static bough_status put(const question_key *key, const key_given *given, char *question, bough_error *error) {
    void *at = question + key->at;
    switch (key->kind) {
    case KEY_NOWHERE:
        return BOUGH_OK;
    case KEY_TEXT:
        *(const char **)at = given->value;
        return BOUGH_OK;
    case KEY_LIST:
        return key_list_add(at, (size_t *)(question + key->count), given->value, error);
    case KEY_REAL:
        return bough_parse_real(given->value, given->name, at, error);
    case KEY_FLAG:
        return put_flag(given, at, error);
    case KEY_TAKEN:
        return key->take(given, question, error);
    default:
        return put_whole(key, given, at, error);
    }
}

static bough_status put_setting(const question_key *keys, const key_settings *settings, size_t i,
                                void *question, bough_error *error) {
    const key_setting *s = &settings->item[i];
    char name[48];
    bough_status status = BOUGH_OK;
    snprintf(name, sizeof name, "%s%s", settings->command ? "--" : "", s->key->name);
    const key_given given = {s->value, name, settings, i};
    const unsigned others = settings->command ? KEY_PROGRAM : KEY_COMMAND;
    for (; keys->name && !status; keys++)
        if (!(keys->flags & others) && strcmp(keys->name, s->key->name) == 0)
            status = put(keys, &given, question, error);
    return status;
}

bough_status keys_read(const question_key *keys, const key_settings *settings, void *question,
                       bough_error *error) {
    bough_status status = BOUGH_OK;
    for (const question_key *k = keys; k->name; k++)
        if (k->fallback) *(uint64_t *)((char *)question + k->at) = k->fallback;
    for (size_t i = 0; i < settings->count && !status; i++)
        status = put_setting(keys, settings, i, question, error);
    return status;
}

void keys_free(const question_key *keys, void *question) {
    for (; keys->name; keys++) {
        if (keys->kind != KEY_LIST) continue;
        const char *const **list = (void *)((char *)question + keys->at);
        free((void *)*list);
        *list = NULL;
    }
}
