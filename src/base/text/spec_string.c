#include "base/text/spec.h"

#include "base/memory/memory.h"
#include "base/text/measures.h"
#include "base/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- syntax ---- */

static char *copy_range(const char *from, size_t length) {
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, from, length);
        copy[length] = 0;
    }
    return copy;
}

/* Reads one value at *cursor: quoted, or up to the next comma. */
static bough_status read_value(const char **cursor, const char *spec, char **value, bough_error *error) {
    const char *p = *cursor;
    if (*p != '"') {
        size_t length = strcspn(p, ",");
        *value = copy_range(p, length);
        *cursor = p + length;
        return *value ? BOUGH_OK : bough_fail_memory(error, length);
    }
    bough_text text = {0};
    for (p++; *p && *p != '"'; p++) {
        if (*p == '\\' && (p[1] == '"' || p[1] == '\\')) p++;
        bough_text_add(&text, p, 1);
    }
    if (*p != '"') {
        bough_text_fini(&text);
        return bough_fail(error, BOUGH_INVALID, NULL, "'%s': missing \" at the end of the quoted value",
                          spec);
    }
    p++;
    if (*p && *p != ',') {
        bough_text_fini(&text);
        return bough_fail(error, BOUGH_INVALID, NULL, "'%s': expected a comma after the quoted value", spec);
    }
    *cursor = p;
    *value = bough_text_take(&text);
    return *value ? BOUGH_OK : bough_fail_memory(error, strlen(spec));
}

static bool is_key(const char *p, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)p[i]) && p[i] != '_' && p[i] != '-') return false;
    return length > 0;
}

bough_status bough_spec_parse(const char *text, bough_spec *spec, bough_error *error) {
    *spec = (bough_spec){0};
    size_t length = strcspn(text, ":");
    if (!is_key(text, length))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "'%s' is not a spec; expected name or name:key=value,key=value", text);
    spec->name = copy_range(text, length);
    if (!spec->name) return bough_fail_memory(error, length);
    bough_status status = BOUGH_OK;
    const char *p = text + length;
    if (*p == ':') p++;
    while (*p) {
        if (spec->count == BOUGH_PARAM_MAX) {
            status = bough_fail(error, BOUGH_INVALID, NULL, "'%s' has more than %d parameters", text,
                                BOUGH_PARAM_MAX);
            goto fail;
        }
        size_t key = strcspn(p, "=,\"");
        char **slot_key = &spec->arg[spec->count].key, **slot_value = &spec->arg[spec->count].value;
        if (p[key] == '=' && is_key(p, key)) {
            *slot_key = copy_range(p, key);
            if (!*slot_key) {
                status = bough_fail_memory(error, key);
                goto fail;
            }
            p += key + 1;
        } else if (spec->count > 0) {
            status = bough_fail(error, BOUGH_INVALID, NULL,
                                "'%s': '%.*s' has no key; only the first value may omit it", text,
                                (int)strcspn(p, ","), p);
            goto fail;
        }
        spec->count++;
        status = read_value(&p, text, slot_value, error);
        if (status) goto fail;
        if (*p == ',') {
            p++;
            if (!*p) {
                status = bough_fail(error, BOUGH_INVALID, NULL, "'%s' ends with a comma", text);
                goto fail;
            }
        }
    }
    return BOUGH_OK;
fail:
    bough_spec_fini(spec);
    return status;
}

void bough_spec_fini(bough_spec *spec) {
    free(spec->name);
    for (unsigned i = 0; i < spec->count; i++) free(spec->arg[i].key), free(spec->arg[i].value);
    *spec = (bough_spec){0};
}

/* ---- numbers ---- */

typedef struct unit {
    const char *name;
    double factor;
} unit;

static const unit unit_none[] = {{"", 1}, {NULL, 0}};
static const unit unit_share[] = {{"", 1}, {"%", 0.01}, {NULL, 0}};
static const unit unit_bytes[] = {{"", 1},          {"B", 1},        {"kB", 1e3},     {"KB", 1e3},
                                  {"MB", 1e6},      {"GB", 1e9},     {"TB", 1e12},    {"KiB", 1024},
                                  {"MiB", 1048576}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"PB", 1e15},
                                  {"PiB", 0x1p50},  {NULL, 0}};
static const unit unit_time[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}, {NULL, 0}};
/* Those that values are printed in; others are read (rate_factor). */
static const unit unit_rate[] = {{"b/s", 1},    {"kb/s", 1e3},  {"Mb/s", 1e6},
                                 {"Gb/s", 1e9}, {"Tb/s", 1e12}, {NULL, 0}};
static const unit unit_length[] = {{"nm", 1}, {"um", 1e3}, {"mm", 1e6}, {"cm", 1e7}, {"m", 1e9}, {NULL, 0}};

/* For types with more than one unit. */
static const unit *units_of(bough_type type) {
    return type == BOUGH_BYTES    ? unit_bytes
           : type == BOUGH_TIME   ? unit_time
           : type == BOUGH_RATE   ? unit_rate
           : type == BOUGH_LENGTH ? unit_length
                                  : NULL;
}

/* [k|M|G|T[i]] and b, bit or B (8 bits) by /s or ps, or a prefix alone. */
static bool rate_factor(const char *text, double *factor) {
    static const char prefixes[] = "kMGT";
    while (*text == ' ') text++;
    const char *prefix = *text ? strchr(prefixes, *text == 'K' ? 'k' : *text) : NULL;
    *factor = 1;
    if (prefix) {
        bool binary = *++text == 'i';
        text += binary;
        *factor = pow(binary ? 1024 : 1000, (double)(prefix - prefixes + 1));
        if (!*text && !binary) return true;
    }
    if (*text == 'B' && strncmp(text, "Bit", 3) != 0)
        *factor *= 8;
    else if (*text != 'b' && *text != 'B')
        return false;
    text += strncmp(text + 1, "it", 2) == 0 ? 3 : 1;
    return strcmp(text, "/s") == 0 || strcmp(text, "ps") == 0;
}

/* number [^ number] [Ki|Mi|Gi|Ti] [unit] */
static bool read_number(const char *text, const unit *units, double *value) {
    char *end;
    if (!isdigit((unsigned char)*text) && *text != '-' && *text != '+' && *text != '.') return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return false;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || (errno == ERANGE && (v == 0 || !isfinite(v))))
        return false; /* denormal numbers are valid */
    if (*end == '^') {
        const char *from = end + 1;
        if (!isdigit((unsigned char)*from)) return false;
        double exponent = strtod(from, &end);
        v = pow(v, exponent);
    }
    if (units == unit_rate) {
        double factor;
        bool good = rate_factor(end, &factor);
        *value = good ? v * factor : 0;
        return good && isfinite(*value);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (const unit *u = units; u->name; u++)
            if (strcmp(end, u->name) == 0) {
                *value = v * u->factor;
                return isfinite(*value);
            }
        static const char *const prefix[] = {"Ki", "Mi", "Gi", "Ti"};
        for (int i = 0; i < 4 && pass == 0; i++)
            if (strncmp(end, prefix[i], 2) == 0) {
                v *= pow(1024, i + 1);
                end += 2;
                break;
            }
    }
    return false;
}

static bool read_whole(const char *text, const unit *units, int64_t *value) {
    /* plain digits exactly, also above 2^53 */
    if (units == unit_none && text[strspn(text, "0123456789")] == 0 && *text) {
        errno = 0;
        long long v = strtoll(text, NULL, 10);
        *value = v;
        return errno == 0;
    }
    double v;
    if (!read_number(text, units, &v) || fabs(v) > 0x1p62) return false;
    double nearest = nearbyint(v);
    if (units != unit_rate && fabs(v - nearest) > fmax(1e-9, 4e-16 * fabs(v)))
        return false; /* 0.3 us: the factor is rounded */
    *value = (int64_t)nearest;
    return true;
}

/* Copies a number with its unit; one of digits alone gets the usual unit. */
static bool copy_measure(const char *given, size_t length, const char *usual, char text[48]) {
    if (length == 0 || length > 40 || *given < '0' || *given > '9') return false;
    memcpy(text, given, length);
    text[length] = 0;
    if (strspn(text, "0123456789.") == length) strcpy(text + length, usual);
    return true;
}

bool measure_rate(const char *given, size_t length, bool plain, uint64_t *rate) {
    char text[48];
    int64_t value;
    if (!copy_measure(given, length, plain ? "b/s" : "", text)) return false;
    if (!read_whole(text, unit_rate, &value)) return false;
    if (value < 1 || value >= INT64_C(1000000000000000000)) return false;
    *rate = (uint64_t)value;
    return true;
}

bool measure_time(const char *given, size_t length, uint64_t *ps) {
    char text[48];
    double value;
    if (!copy_measure(given, length, "s", text)) return false;
    if (!read_number(text, unit_time, &value) || !(value >= 0 && value <= 1e12)) return false;
    *ps = (uint64_t)llround(value);
    return true;
}

bough_status bough_parse_int(const char *text, const char *what, int64_t *value, bough_error *error) {
    double v;
    if (read_whole(text, unit_none, value)) return BOUGH_OK;
    if (read_number(text, unit_none, &v) && fabs(v) > 0x1p62)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: '%s' is too large; 2^62 is the limit", what, text);
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "%s: '%s' is not a whole number (accepted: 1024, 1Ki, 2^20, 1e6)", what, text);
}

bough_status bough_parse_between(const char *text, const char *what, bough_bounds bounds, uint64_t *value,
                                 bough_error *error) {
    int64_t number = 0;
    bough_status status = bough_parse_int(text, what, &number, error);
    if (status) return status;
    if (number < 0 || (uint64_t)number < bounds.low || (uint64_t)number > bounds.high)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: %s is out of range; it must lie between %" PRIu64 " and %" PRIu64, what, text,
                          bounds.low, bounds.high);
    *value = (uint64_t)number;
    return BOUGH_OK;
}

bough_status bough_parse_real(const char *text, const char *what, double *value, bough_error *error) {
    if (read_number(text, unit_none, value)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL, "%s: '%s' is not a number", what, text);
}

char *bough_format_measure(bough_type type, int64_t value, char *buffer, size_t size) {
    const unit *units = units_of(type), *best = units;
    for (const unit *u = units; u->name && value; u++)
        if (u->factor > best->factor && value % (int64_t)u->factor == 0) best = u;
    snprintf(buffer, size, "%" PRId64 "%s", value / (int64_t)best->factor, best->name);
    return buffer;
}

/* ---- binding ---- */

static char *format_bound(const bough_param *p, double value, char *buffer, size_t size) {
    if (units_of(p->type)) return bough_format_measure(p->type, (int64_t)value, buffer, size);
    return bough_format_real(value, buffer, size);
}

static bough_status out_of_bounds(const bough_param *p, const char *text, bough_error *error) {
    char low[32], high[32];
    return bough_fail(error, BOUGH_INVALID, NULL, "%s=%s is out of range; %s must lie between %s and %s",
                      p->key, text, p->key, format_bound(p, p->min, low, sizeof low),
                      format_bound(p, p->max, high, sizeof high));
}

static bool within(const bough_param *p, double v) {
    return (p->min == 0 && p->max == 0) || (v >= p->min && v <= p->max);
}

/* A choice with a colon, as in table:FILE, has any text behind it. */
static bool is_choice(const char *choice, const char *text) {
    const char *colon = strchr(choice, ':');
    const size_t length = colon ? (size_t)(colon - choice) + 1 : 0;
    return colon ? strncmp(choice, text, length) == 0 && text[length] : strcmp(choice, text) == 0;
}

static bough_status read_choice(const bough_param *p, const char *text, bough_value *v, bough_error *error) {
    const char *names[16];
    size_t count = 0;
    char buffer[256];
    snprintf(buffer, sizeof buffer, "%s", p->choices);
    char *rest; /* strtok itself keeps its place in one variable of all threads */
    for (char *c = strtok_r(buffer, "|", &rest); c && count < 16; c = strtok_r(NULL, "|", &rest))
        names[count++] = c;
    for (size_t i = 0; i < count; i++)
        if (is_choice(names[i], text)) {
            v->integer = (int64_t)i;
            return BOUGH_OK;
        }
    char hint[BOUGH_HINT_MAX];
    return bough_fail(error, BOUGH_INVALID, NULL, "%s=%s is unknown%s; %s is one of %s", p->key, text,
                      bough_hint(hint, text, names, count), p->key, p->choices);
}

static bough_status read_list(const bough_param *p, const char *text, bough_value *v, bough_error *error) {
    char element[32];
    for (const char *c = text;; c++) {
        size_t length = strcspn(c, "x");
        if (v->count == BOUGH_LIST_MAX || length == 0 || length >= sizeof element)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "%s=%s is not a list; expected up to %d whole numbers joined by x, as in 16x16",
                              p->key, text, BOUGH_LIST_MAX);
        memcpy(element, c, length);
        element[length] = 0;
        int64_t whole;
        bough_status status = bough_parse_int(element, p->key, &whole, error);
        if (status) return status;
        if (!within(p, (double)whole)) return out_of_bounds(p, element, error);
        v->list[v->count++] = whole;
        c += length;
        if (!*c) return BOUGH_OK;
    }
}

static bough_status read_typed(const bough_param *p, const char *text, bough_value *v, bough_error *error) {
    static const struct {
        const unit *units;
        const char *expected;
        bool whole;
    } kind[] = {
        [BOUGH_INT] = {unit_none, "a whole number (accepted: 1024, 1Ki, 2^20, 1e6)", true},
        [BOUGH_REAL] = {unit_none, "a number", false},
        [BOUGH_SHARE] = {unit_share, "a fraction, as in 0.05 or 5%", false},
        [BOUGH_BYTES] = {unit_bytes, "a size, as in 4096, 64KiB or 1MB", true},
        [BOUGH_TIME] = {unit_time, "a time with its unit, as in 10ns or 1us", true},
        [BOUGH_RATE] = {unit_rate, "a rate with its unit, as in 100Gb/s", true},
        [BOUGH_LENGTH] = {unit_length, "a length with its unit, as in 100nm or 2.5um", true},
        [BOUGH_FLAG] = {unit_none, "0 or 1", true},
    };
    v->set = true;
    switch (p->type) {
    case BOUGH_TEXT:
        break;
    case BOUGH_CHOICE: {
        bough_status status = read_choice(p, text, v, error);
        if (status) return status;
        break;
    }
    case BOUGH_LIST:
        return read_list(p, text, v, error);
    default: {
        bool good = kind[p->type].whole ? read_whole(text, kind[p->type].units, &v->integer)
                                        : read_number(text, kind[p->type].units, &v->real);
        if (!good && kind[p->type].whole && read_number(text, kind[p->type].units, &v->real) &&
            fabs(v->real) > 0x1p62)
            return bough_fail(error, BOUGH_INVALID, NULL, "%s=%s is too large; 2^62 is the limit", p->key,
                              text);
        if (!good)
            return bough_fail(error, BOUGH_INVALID, NULL, "%s=%s is not %s", p->key, text,
                              kind[p->type].expected);
        double number = kind[p->type].whole ? (double)v->integer : v->real;
        if (p->type == BOUGH_FLAG && number != 0 && number != 1)
            return bough_fail(error, BOUGH_INVALID, NULL, "%s=%s is not 0 or 1", p->key, text);
        if (p->type == BOUGH_SHARE && (number < 0 || number > 1))
            return bough_fail(error, BOUGH_INVALID, NULL, "%s=%s is not between 0 and 1 (0%% and 100%%)",
                              p->key, text);
        if (!within(p, number)) return out_of_bounds(p, text, error);
        return BOUGH_OK;
    }
    }
    v->text = bough_strdup(text);
    return v->text ? BOUGH_OK : bough_fail_memory(error, strlen(text));
}

static bough_status unknown_key(const bough_spec *spec, const char *key, const bough_param *params,
                                const char *what, bough_error *error) {
    const char *names[BOUGH_PARAM_MAX] = {NULL};
    size_t count = 0;
    for (const bough_param *p = params; p->key; p++) names[count++] = p->key;
    if (count == 0)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s %s has no parameters, but '%s' was given", what,
                          spec->name, key);
    bough_text reason = {0};
    char hint[BOUGH_HINT_MAX];
    bough_text_printf(&reason, "%s %s has no parameter '%s'%s; available: ", what, spec->name, key,
                      bough_hint(hint, key, names, count));
    bough_text_put_list(&reason, names, count);
    return bough_fail_text(error, BOUGH_INVALID, NULL, &reason);
}

bough_status bough_args_bind(const bough_spec *spec, const bough_param *params, const char *what,
                             bough_args *args, bough_error *error) {
    *args = (bough_args){.params = params};
    bough_status status;
    for (unsigned i = 0; i < spec->count; i++) {
        unsigned k = 0;
        if (spec->arg[i].key)
            while (params[k].key && strcmp(params[k].key, spec->arg[i].key) != 0) k++;
        if (!params[k].key) {
            status = unknown_key(spec, spec->arg[i].key ? spec->arg[i].key : spec->arg[i].value, params, what,
                                 error);
            goto fail;
        }
        if (args->value[k].given) {
            status = bough_fail(error, BOUGH_INVALID, NULL, "%s %s: %s is given twice", what, spec->name,
                                params[k].key);
            goto fail;
        }
        args->value[k].given = true;
        status = read_typed(&params[k], spec->arg[i].value, &args->value[k], error);
        if (status) goto fail;
    }
    for (unsigned k = 0; params[k].key; k++) {
        if (args->value[k].given) continue;
        if (!params[k].fallback) {
            status = bough_fail(error, BOUGH_INVALID, NULL, "%s %s needs %s=... (%s)", what, spec->name,
                                params[k].key, params[k].summary);
            goto fail;
        }
        if (!*params[k].fallback) continue;
        status = read_typed(&params[k], params[k].fallback, &args->value[k], error);
        if (status) goto fail;
    }
    return BOUGH_OK;
fail:
    bough_args_fini(args);
    return status;
}

void bough_args_fini(bough_args *args) {
    if (args->params)
        for (unsigned k = 0; args->params[k].key; k++) free(args->value[k].text);
    *args = (bough_args){0};
}

unsigned bough_args_index(const bough_args *args, const char *key) {
    unsigned k = 0;
    while (args->params[k].key && strcmp(args->params[k].key, key) != 0) k++;
    return k;
}

const bough_value *bough_args_get(const bough_args *args, const char *key) {
    return &args->value[bough_args_index(args, key)];
}

void bough_args_set_int(bough_args *args, const char *key, int64_t value) {
    bough_value *v = &args->value[bough_args_index(args, key)];
    v->given = v->set = true;
    v->integer = value;
}

void bough_args_derive_int(bough_args *args, const char *key, int64_t value) {
    bough_value *v = &args->value[bough_args_index(args, key)];
    if (v->given) return;
    bough_args_set_int(args, key, value);
    v->derived = true;
}

bough_status bough_args_set_text(bough_args *args, const char *key, const char *value, bough_error *error) {
    bough_value *v = &args->value[bough_args_index(args, key)];
    char *copy = bough_strdup(value);
    if (!copy) return bough_fail_memory(error, strlen(value));
    free(v->text);
    v->given = v->set = true;
    v->text = copy;
    return BOUGH_OK;
}

static void put_quoted(bough_text *out, const char *value) {
    if (!value[strcspn(value, ",\"=+")] && *value) /* + joins faults */
        bough_text_put(out, value);
    else
        bough_text_put_quoted(out, value);
}

static void put_value(bough_text *out, const bough_param *p, const bough_value *v) {
    char number[40];
    switch (p->type) {
    case BOUGH_REAL:
    case BOUGH_SHARE:
        bough_text_put(out, bough_format_real(v->real, number, sizeof number));
        break;
    case BOUGH_BYTES:
    case BOUGH_TIME:
    case BOUGH_RATE:
    case BOUGH_LENGTH:
        bough_text_put(out, bough_format_measure(p->type, v->integer, number, sizeof number));
        break;
    case BOUGH_CHOICE:
    case BOUGH_TEXT:
        put_quoted(out, v->text);
        break;
    case BOUGH_LIST:
        for (unsigned i = 0; i < v->count; i++)
            bough_text_printf(out, "%s%" PRId64, i ? "x" : "", v->list[i]);
        break;
    default:
        bough_text_printf(out, "%" PRId64, v->integer);
    }
}

/* *usual: whether a value equals the default of its parameter. */
static bough_status is_usual(const bough_param *p, const char *value, bool *usual) {
    bough_value fallback = {0};
    bough_text text = {0};
    bough_status status =
        p->fallback && *p->fallback ? read_typed(p, p->fallback, &fallback, NULL) : BOUGH_INVALID;
    if (!status) put_value(&text, p, &fallback);
    free(fallback.text);
    *usual = !status && text.data && strcmp(value, text.data) == 0;
    if (text.failed) status = BOUGH_NO_MEMORY;
    bough_text_fini(&text);
    return status == BOUGH_NO_MEMORY ? status : BOUGH_OK; /* a default may not be a valid value of the type */
}

char *bough_args_format(const char *name, const bough_args *args) {
    bough_text out = {0};
    bough_text_put(&out, name);
    const char *separator = ":";
    for (unsigned k = 0; args->params && args->params[k].key; k++) {
        const bough_param *p = &args->params[k];
        const bough_value *v = &args->value[k];
        bough_text text = {0};
        bool usual = false;
        if (!v->set || v->derived) continue;
        put_value(&text, p, v);
        char *value = bough_text_take(&text);
        if (!value || is_usual(p, value, &usual)) out.failed = true;
        if (p->echo || !usual) {
            bough_text_printf(&out, "%s%s=%s", separator, p->key, value ? value : "");
            separator = ",";
        }
        free(value);
    }
    return bough_text_take(&out);
}

/* ---- suggestions ---- */

static unsigned distance(const char *a, const char *b) {
    enum { LIMIT = 40 };
    size_t la = strlen(a), lb = strlen(b);
    if (la >= LIMIT || lb >= LIMIT) return LIMIT;
    unsigned d[LIMIT + 1][LIMIT + 1];
    for (size_t i = 0; i <= la; i++) d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= lb; j++) d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++)
        for (size_t j = 1; j <= lb; j++) {
            unsigned cost = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            unsigned best = d[i - 1][j - 1] + cost;
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[la][lb];
}

const char *bough_suggest(const char *word, const char *const *candidates, size_t count) {
    const char *best = NULL;
    unsigned best_distance = (unsigned)strlen(word) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        unsigned d = distance(word, candidates[i]);
        size_t prefix = strlen(word);
        if (prefix >= 3 && strncmp(word, candidates[i], prefix) == 0 && d > 1) d = 1;
        if (d < best_distance && d < strlen(candidates[i])) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best;
}

const char *bough_hint(char hint[BOUGH_HINT_MAX], const char *word, const char *const *candidates,
                       size_t count) {
    const char *near = bough_suggest(word, candidates, count);
    hint[0] = 0;
    if (near) snprintf(hint, BOUGH_HINT_MAX, " (did you mean '%.120s'?)", near);
    return hint;
}
