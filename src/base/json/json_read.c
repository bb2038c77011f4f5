/* Reads JSON into Jansson values. Jansson's own reader is not used: on allocation failure in a long token,
 * version 2.14 drops a character and continues, or reads beyond the end. */
#include "base/json/json_build.h"
#include "base/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 };

typedef struct reader {
    const char *at;
    unsigned depth;
    const char *wrong; /* NULL after a failure: out of memory */
} reader;

static json_t *read_value(reader *r);

static json_t *refuse(reader *r, const char *wrong) {
    r->wrong = wrong;
    return NULL;
}

/* Skips blanks; consumes the next character if it is c and returns whether it was. */
static bool take(reader *r, char c) {
    r->at += strspn(r->at, " \t\n\r");
    if (*r->at != c) return false;
    r->at++;
    return true;
}

/* ---- strings ---- */

/* Four hexadecimal digits; 0 if there are fewer. */
static unsigned read_hex(reader *r) {
    static const char digits[] = "0123456789abcdefABCDEF";
    char four[5] = {0};
    if (strspn(r->at, digits) < 4) return 0;
    memcpy(four, r->at, 4);
    r->at += 4;
    return (unsigned)strtoul(four, NULL, 16);
}

/* After \u. */
static bool read_code(reader *r, bough_text *out) {
    unsigned c = read_hex(r);
    if (c >= 0xd800 && c < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        unsigned low = read_hex(r);
        c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0;
    }
    if (!c && r->at[-1] == '0') r->wrong = "a null character (\\u0000), which no name may have";
    if (!c || (c >= 0xd800 && c < 0xe000)) return false;
    if (c < 0x80)
        bough_text_printf(out, "%c", (int)c);
    else if (c < 0x800)
        bough_text_printf(out, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 63)));
    else if (c < 0x10000)
        bough_text_printf(out, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 63)),
                          (int)(0x80 | (c & 63)));
    else
        bough_text_printf(out, "%c%c%c%c", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 63)),
                          (int)(0x80 | (c >> 6 & 63)), (int)(0x80 | (c & 63)));
    return true;
}

/* After the backslash. */
static bool read_escape(reader *r, bough_text *out) {
    static const char name[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    const char *found = *r->at ? strchr(name, *r->at) : NULL;
    if (!found && *r->at != 'u') return false;
    r->at++;
    if (!found) return read_code(r, out);
    bough_text_add(out, &meaning[found - name], 1);
    return true;
}

/* From after the opening quote to after the closing quote; heap. */
static char *read_string(reader *r) {
    bough_text out = {0};
    while (*r->at != '"') {
        bool good = (unsigned char)*r->at >= 0x20;
        if (good && *r->at != '\\')
            bough_text_add(&out, r->at++, 1);
        else if (!good || (r->at++, !read_escape(r, &out))) {
            bough_text_fini(&out);
            if (!r->wrong) r->wrong = "an unterminated string, or an invalid character in it";
            return NULL;
        }
    }
    r->at++;
    return bough_text_take(&out);
}

/* ---- values ---- */

/* Jansson accepts valid UTF-8 only; errno distinguishes this from lack of memory. */
static void note_refusal(reader *r) {
    if (errno != ENOMEM) r->wrong = "a string is not UTF-8";
}

static json_t *read_text(reader *r) {
    char *text = read_string(r);
    if (!text) return NULL;
    errno = 0;
    json_t *value = json_string(text);
    if (!value) note_refusal(r);
    free(text);
    return value;
}

static json_t *read_number(reader *r) {
    const char *start = r->at, *p = start + (*start == '-');
    size_t whole = strspn(p, "0123456789");
    bool real = false;
    if (!whole || (*p == '0' && whole > 1)) return refuse(r, "neither a value nor a number");
    p += whole;
    if (*p == '.') {
        size_t digits = strspn(p + 1, "0123456789");
        if (!digits) return refuse(r, "a number without digits after its point");
        p += 1 + digits;
        real = true;
    }
    if (*p == 'e' || *p == 'E') {
        p += 1 + (p[1] == '-' || p[1] == '+');
        size_t digits = strspn(p, "0123456789");
        if (!digits) return refuse(r, "a number without digits in its exponent");
        p += digits;
        real = true;
    }
    r->at = p;
    errno = 0;
    long long integer = real ? 0 : strtoll(start, NULL, 10);
    double number = real ? strtod(start, NULL) : 0;
    if (errno == ERANGE && (!real || number > 1 || number < -1)) return refuse(r, "a number is too large");
    return real ? json_real(number) : json_integer(integer);
}

static json_t *read_array(reader *r) {
    json_t *array = json_array();
    if (!array || take(r, ']')) return array;
    do {
        json_t *value = read_value(r);
        bough_json_append(&array, value);
        if (!array) return NULL;
    } while (take(r, ','));
    if (take(r, ']')) return array;
    json_decref(array);
    return refuse(r, "an unterminated list");
}

static bool read_member(reader *r, json_t *object) {
    if (!take(r, '"')) return refuse(r, "a key is missing");
    char *key = read_string(r);
    if (!key) return false;
    json_t *value = take(r, ':') ? read_value(r) : refuse(r, "a key has no value");
    errno = 0;
    bool good = value && json_object_set_new(object, key, value) == 0;
    if (value && !good) note_refusal(r);
    free(key);
    return good;
}

static json_t *read_object(reader *r) {
    json_t *object = json_object();
    if (!object || take(r, '}')) return object;
    do {
        if (read_member(r, object)) continue;
        json_decref(object);
        return NULL;
    } while (take(r, ','));
    if (take(r, '}')) return object;
    json_decref(object);
    return refuse(r, "an unterminated object");
}

static json_t *read_word(reader *r) {
    static const char *const word[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(word[i]);
        if (strncmp(r->at, word[i], length) != 0) continue;
        r->at += length;
        return i == 0 ? json_true() : i == 1 ? json_false() : json_null();
    }
    return read_number(r);
}

static json_t *read_value(reader *r) {
    json_t *value;
    if (++r->depth > DEPTH) return refuse(r, "values are nested too deeply");
    if (take(r, '{'))
        value = read_object(r);
    else if (take(r, '['))
        value = read_array(r);
    else if (take(r, '"'))
        value = read_text(r);
    else
        value = read_word(r);
    r->depth--;
    return value;
}

/* Says in which line of the text, and at which byte of this line, reading ended. */
static bough_status fail_there(const reader *r, const char *text, bough_error *error) {
    size_t line = 1;
    for (const char *end; (end = memchr(text, '\n', (size_t)(r->at - text))); line++) text = end + 1;
    return bough_fail(error, BOUGH_INVALID, NULL, "invalid JSON in line %zu, byte %zu: %s", line,
                      (size_t)(r->at - text), r->wrong);
}

bough_status bough_json_read(const char *text, json_t **value, bough_error *error) {
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as some editors write it */
    reader r = {.at = strncmp(text, mark, strlen(mark)) == 0 ? text + strlen(mark) : text};
    *value = read_value(&r);
    if (*value && !take(&r, 0)) {
        json_decref(*value);
        *value = refuse(&r, "unexpected text after the value");
    }
    if (*value) return BOUGH_OK;
    if (!r.wrong) return bough_fail_memory(error, strlen(text));
    return fail_there(&r, text, error);
}
