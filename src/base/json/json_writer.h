/* Writes JSON as a stream. Jansson is not used because it prints all numbers with the same precision: results
 * must read back to the last bit, and 0.1 must stay 0.1. */
#ifndef BOUGH_BASE_JSON_JSON_WRITER_H
#define BOUGH_BASE_JSON_JSON_WRITER_H

#include "base/text/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The version of all JSON that bough writes: docs/json.md, docs/schema. */
#define BOUGH_JSON_SCHEMA 2

typedef struct json_writer {
    bough_text *out;
    unsigned depth;
    bool inner;    /* this object or array has an element */
    unsigned line; /* depth from which everything is on one line; 0: none */
    bool compact;  /* no blanks */
} json_writer;

/* The object of a whole document: begins with the version of bough and of the schema, ends with a line
 * break. */
void json_begin_document(json_writer *w);
void json_end_document(json_writer *w);
/* key: NULL in arrays and at the top level. */
void json_begin_object(json_writer *w, const char *key, bool one_line);
void json_begin_array(json_writer *w, const char *key, bool one_line);
void json_end_object(json_writer *w);
void json_end_array(json_writer *w);
void json_put_text(json_writer *w, const char *key, const char *value); /* NULL: null */
void json_put_whole(json_writer *w, const char *key, int64_t value);
void json_put_real(json_writer *w, const char *key, double value); /* NaN and infinities: null */
/* Writes a text (the value of an axis) as a number if that reads back as the same text. */
void json_put_axis(json_writer *w, const char *key, const char *value);
void json_put_flag(json_writer *w, const char *key, bool value);
void json_put_hash(json_writer *w, const char *key, uint64_t value); /* 16 hex digits */

#endif
