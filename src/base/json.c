#include "base/json.h"

#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void bough_json_put(json_t **object, const char *key, json_t *value) {
    if (!json_object_set_new(*object, key, value)) return;
    json_decref(*object);
    *object = NULL;
}

void bough_json_append(json_t **array, json_t *value) {
    if (!json_array_append_new(*array, value)) return;
    json_decref(*array);
    *array = NULL;
}

/* Jansson refuses both what is no UTF-8 and what it has no memory for; errno tells them apart. */
json_t *bough_json_string(const char *bytes) {
    if (!bytes) return NULL;
    errno = 0;
    json_t *string = json_string(bytes);
    if (string || errno == ENOMEM) return string;
    char *clean = bough_strdup(bytes);
    for (char *c = clean; c && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    string = clean ? json_string(clean) : NULL;
    free(clean);
    return string;
}

json_t *bough_json_real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

char *bough_json_text(json_t *value, size_t flags) {
    char *text = value ? json_dumps(value, flags) : NULL;
    json_decref(value);
    return text;
}
