/* JSON values in memory, for what is read back (the store); output is written by json_writer.h. Built with
 * Jansson, every call of which may run out of memory. If a value cannot be added to an object or array, that
 * becomes NULL, and so does everything that contains it, so only the last step needs a check:
 *
 *     json_t *root = json_object(), *list = json_array();
 *     bough_json_append(&list, json_integer(1));
 *     bough_json_put(&root, "list", list);
 *     char *text = bough_json_text(root, 0);   NULL: out of memory */
#ifndef BOUGH_BASE_JSON_JSON_BUILD_H
#define BOUGH_BASE_JSON_JSON_BUILD_H

#include "bough/status.h"

#include <jansson.h>

/* Take ownership of value, also on failure. A NULL value means that its creation failed. */
void bough_json_put(json_t **object, const char *key, json_t *value);
void bough_json_append(json_t **array, json_t *value);

/* Formats and frees the value; flags are those of json_dumps. The caller frees the string; NULL: out of
 * memory. */
char *bough_json_text(json_t *value, size_t flags);

/* Parses JSON. Errors: INVALID with reason and position; NO_MEMORY. */
bough_status bough_json_read(const char *text, json_t **value, bough_error *error);

#endif
