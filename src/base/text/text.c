#include "base/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bough_text_add(bough_text *t, const char *bytes, size_t length) {
    if (t->failed) return;
    if (t->length + length + 1 > t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 128;
        while (capacity < t->length + length + 1) capacity *= 2;
        char *grown = realloc(t->data, capacity);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->data = grown;
        t->capacity = capacity;
    }
    if (length) memcpy(t->data + t->length, bytes, length); /* bytes may be NULL if there are none */
    t->length += length;
    t->data[t->length] = 0;
}

void bough_text_put(bough_text *t, const char *string) {
    bough_text_add(t, string, strlen(string));
}

void bough_text_vprintf(bough_text *t, const char *format, va_list args) {
    char small[256];
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(small, sizeof small, format, again);
    va_end(again);
    if (length < 0) t->failed = true; /* the C library ran out of memory */
    if (length < 0) return;
    if ((size_t)length < sizeof small) {
        bough_text_add(t, small, (size_t)length);
        return;
    }
    char *large = malloc((size_t)length + 1);
    if (!large) {
        t->failed = true;
        return;
    }
    vsnprintf(large, (size_t)length + 1, format, args);
    bough_text_add(t, large, (size_t)length);
    free(large);
}

void bough_text_printf(bough_text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bough_text_vprintf(t, format, args);
    va_end(args);
}

void bough_text_put_quoted(bough_text *t, const char *value) {
    bough_text_put(t, "\"");
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') bough_text_put(t, "\\");
        bough_text_add(t, value, 1);
    }
    bough_text_put(t, "\"");
}

void bough_text_join(bough_text *t, bough_text *other) {
    if (other->failed) t->failed = true;
    if (other->length) bough_text_add(t, other->data, other->length);
    bough_text_fini(other);
}

void bough_text_put_list(bough_text *t, const char *const *item, size_t count) {
    for (size_t i = 0; i < count; i++) bough_text_printf(t, "%s%s", i ? ", " : "", item[i]);
}

bough_text bough_text_own(char *string) {
    if (!string) return (bough_text){.failed = true};
    size_t length = strlen(string);
    return (bough_text){.data = string, .length = length, .capacity = length + 1};
}

char *bough_text_take(bough_text *t) {
    if (!t->data && !t->failed) bough_text_add(t, "", 0);
    char *data = t->failed ? NULL : t->data;
    if (t->failed) free(t->data);
    *t = (bough_text){0};
    return data;
}

void bough_text_fini(bough_text *t) {
    free(t->data);
    *t = (bough_text){0};
}

bough_status bough_text_finish(bough_text *text, char **string, bough_error *error) {
    size_t length = text->length;
    *string = bough_text_take(text);
    return *string ? BOUGH_OK : bough_fail_memory(error, length);
}

bough_status bough_text_keep(bough_text *text, arena *a, char **string, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->length)
                                       : arena_copy_bytes(a, string, text->data, text->length, error);
    bough_text_fini(text);
    return status;
}

bough_status bough_fail_text(bough_error *error, bough_status status, const char *place, bough_text *reason) {
    char *text = bough_text_take(reason);
    status = text ? bough_fail(error, status, place, "%s", text) : bough_fail_memory(error, 0);
    free(text);
    return status;
}

char *bough_format_real(double value, char *buffer, size_t size) {
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (isnan(value) || strtod(buffer, NULL) == value) break;
    }
    return buffer;
}

char *bough_format_seconds(double seconds, char *buffer, size_t size) {
    if (!(seconds < 1e9))
        snprintf(buffer, size, "years");
    else if (seconds < 9.95)
        snprintf(buffer, size, "%.1f s", seconds);
    else if (seconds < 59.5)
        snprintf(buffer, size, "%.0f s", seconds);
    else if (seconds < 3600)
        snprintf(buffer, size, "%d min %d s", (int)(seconds + 0.5) / 60, (int)(seconds + 0.5) % 60);
    else if (seconds < 48 * 3600)
        snprintf(buffer, size, "%.1f h", seconds / 3600);
    else
        snprintf(buffer, size, "%.1f days", seconds / 86400);
    return buffer;
}
