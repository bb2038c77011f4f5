#include "base/json.h"

#include "base/escape.h"

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

json_t *bough_json_string(const char *bytes) {
    if (!bytes) return NULL;
    bough_text quoted = {0};
    bough_text_put_json(&quoted, bytes);
    json_t *string = quoted.failed ? NULL : json_loads(quoted.data, JSON_DECODE_ANY, NULL);
    bough_text_fini(&quoted);
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
