/* JSON values that are built with Jansson, whose every step may run out of memory. What could not be put into
 * an object or array turns that into NULL, and then whatever it is put into, so that only the last step needs
 * a check:
 *
 *     json_t *root = json_object(), *list = json_array();
 *     bough_json_append(&list, json_integer(1));
 *     bough_json_put(&root, "list", list);
 *     char *text = bough_json_text(root, 0);   NULL: out of memory
 */
#ifndef BOUGH_BASE_JSON_JSON_BUILD_H
#define BOUGH_BASE_JSON_JSON_BUILD_H

#include "bough/status.h"

#include <jansson.h>

/* Take value over, also where they fail. NULL for a value is one that could not be made. */
void bough_json_put(json_t **object, const char *key, json_t *value);
void bough_json_append(json_t **array, json_t *value);

/* A string; NULL for NULL. Arguments and fabric files hold any bytes, JSON is UTF-8: bytes that are not
 * become U+FFFD. */
json_t *bough_json_string(const char *bytes);

/* A number; null for infinities and NaN, which JSON does not have. */
json_t *bough_json_real(double value);

/* Frees the value; flags are those of json_dumps. Heap; NULL: out of memory. */
char *bough_json_text(json_t *value, size_t flags);

/* Errors: INVALID, what is wrong and where; NO_MEMORY. */
bough_status bough_json_read(const char *text, json_t **value, bough_error *error);

#endif
