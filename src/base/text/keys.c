#include "base/text/keys.h"

#include "base/status/try.h"

#include <ctype.h>
#include <stdio.h>
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

bough_status key_list_add(arena *memory, const char *const **list, size_t *count, const char *text,
                          bough_error *error) {
    bough_status status = arena_grow(memory, list, *count + 1, sizeof **list, error);
    if (!status) ((const char **)*list)[(*count)++] = text;
    return status;
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
        return key_list_add(given->memory, at, (size_t *)(question + key->count), given->value, error);
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

/* given: a setting without its name. */
static bough_status put_setting(const question_key *keys, key_given given, void *question,
                                bough_error *error) {
    const bool command = given.all->command;
    const char *key = given.all->item[given.at].key->name;
    char name[48];
    bough_status status = BOUGH_OK;
    snprintf(name, sizeof name, "%s%s", command ? "--" : "", key);
    given.name = name;
    for (; keys->name; keys++)
        if (!(keys->flags & (command ? KEY_PROGRAM : KEY_COMMAND)) && strcmp(keys->name, key) == 0)
            TRY(put(keys, &given, question, error));
    return status;
}

bough_status keys_read(const question_key *keys, const key_settings *settings, arena *memory, void *question,
                       bough_error *error) {
    bough_status status = BOUGH_OK;
    for (const question_key *k = keys; k->name; k++)
        if (k->fallback) *(uint64_t *)((char *)question + k->at) = k->fallback;
    for (size_t i = 0; i < settings->count; i++) {
        const key_given given = {settings->item[i].value, NULL, settings, i, memory};
        TRY(put_setting(keys, given, question, error));
    }
    return status;
}
