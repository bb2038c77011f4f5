#include "base/json/json_build.h"

#include "base/text/text.h"

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

/* json_dumps of Jansson 2.14 omits keys on allocation failure and continues, so the text records the
 * failure. */
static int add(const char *bytes, size_t size, void *text) {
    bough_text_add(text, bytes, size);
    return ((bough_text *)text)->failed ? -1 : 0;
}

char *bough_json_text(json_t *value, size_t flags) {
    bough_text out = {0};
    if (!value || json_dump_callback(value, add, &out, flags)) out.failed = true;
    json_decref(value);
    return bough_text_take(&out);
}
