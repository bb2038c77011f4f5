#include "base/json/json_writer.h"

#include "base/text/escape.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void break_line(json_writer *w) {
    if (w->compact || (w->line && w->depth >= w->line)) return;
    bough_text_put(w->out, "\n");
    for (unsigned i = 0; i < w->depth; i++) bough_text_put(w->out, "  ");
}

static void begin_value(json_writer *w, const char *key) {
    if (w->inner) bough_text_put(w->out, !w->compact && w->line && w->depth >= w->line ? ", " : ",");
    if (w->depth) break_line(w);
    w->inner = true;
    if (!key) return;
    bough_text_put_json(w->out, key);
    bough_text_put(w->out, w->compact ? ":" : ": ");
}

static void begin(json_writer *w, const char *key, bool one_line, const char *bracket) {
    begin_value(w, key);
    bough_text_put(w->out, bracket);
    w->depth++;
    w->inner = false;
    if (one_line && !w->line) w->line = w->depth;
}

static void end(json_writer *w, const char *bracket) {
    bool one_line = w->line && w->depth >= w->line;
    if (w->line == w->depth) w->line = 0;
    w->depth--;
    if (w->inner && !one_line) break_line(w);
    bough_text_put(w->out, bracket);
    w->inner = true;
}

void json_begin_object(json_writer *w, const char *key, bool one_line) {
    begin(w, key, one_line, "{");
}
void json_begin_array(json_writer *w, const char *key, bool one_line) {
    begin(w, key, one_line, "[");
}
void json_end_object(json_writer *w) {
    end(w, "}");
}
void json_end_array(json_writer *w) {
    end(w, "]");
}

void json_begin_document(json_writer *w) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "bough", BOUGH_VERSION);
    json_put_whole(w, "schema", BOUGH_JSON_SCHEMA);
}

void json_end_document(json_writer *w) {
    json_end_object(w);
    if (!w->compact) bough_text_put(w->out, "\n");
}

void json_put_text(json_writer *w, const char *key, const char *value) {
    begin_value(w, key);
    if (value)
        bough_text_put_json(w->out, value);
    else
        bough_text_put(w->out, "null");
}

void json_put_whole(json_writer *w, const char *key, int64_t value) {
    begin_value(w, key);
    bough_text_printf(w->out, "%" PRId64, value);
}

void json_put_real(json_writer *w, const char *key, double value) {
    char number[40];
    begin_value(w, key);
    bough_text_put(w->out, isfinite(value) ? bough_format_real(value, number, sizeof number) : "null");
}

void json_put_axis(json_writer *w, const char *key, const char *value) {
    char *end, number[40];
    double real = strtod(value, &end);
    if (*value && !*end && isfinite(real) &&
        strcmp(bough_format_real(real, number, sizeof number), value) == 0)
        json_put_real(w, key, real);
    else
        json_put_text(w, key, value);
}

void json_put_flag(json_writer *w, const char *key, bool value) {
    begin_value(w, key);
    bough_text_put(w->out, value ? "true" : "false");
}

void json_put_hash(json_writer *w, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    json_put_text(w, key, text);
}
