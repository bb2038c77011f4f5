/* Integers only: a size that is not an integer is an error in the grid, which is reported with its place
 * instead of being rounded. */
#include "study/files/axis_expression.h"

#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "study/files/arithmetic.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 32 };

bool is_axis_name(const char *text, size_t length) {
    if (length == 0 || isdigit((unsigned char)*text)) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') return false;
    return true;
}

/* "n=12, m=3": the current axes, for messages. */
static void put_environment(bough_text *out, const environment *env) {
    for (size_t i = 0; i < env->count; i++)
        bough_text_printf(out, "%s%s=%s", i ? ", " : "", env->name[i], env->value[i].text);
}

static bough_status unknown_name(const arithmetic *a, const char *name, size_t length) {
    const environment *env = a->context;
    char word[64];
    const char *names[NAMES_MAX] = {NULL};
    size_t count = env->count < NAMES_MAX ? env->count : NAMES_MAX;
    for (size_t i = 0; i < count; i++) names[i] = env->name[i];
    if (length >= sizeof word) length = sizeof word - 1;
    memcpy(word, name, length);
    word[length] = 0;
    char hint[BOUGH_HINT_MAX];
    bough_text reason = {0};
    bough_text_printf(&reason, "'%s': there is no axis '%s' %s%s%s", a->text, word,
                      count ? "so far" : "at all so far", bough_hint(hint, word, names, count),
                      count ? "; there are: " : "");
    bough_text_put_list(&reason, names, count);
    return bough_fail_text(a->error, BOUGH_INVALID, NULL, &reason);
}

static bough_status not_whole(const arithmetic *a) {
    const environment *env = a->context;
    bough_text reason = {0};
    bough_text_printf(&reason, "'%s' is not a whole number%s", a->text, env->count ? " at " : "");
    put_environment(&reason, env);
    bough_text_put(&reason, "; every intermediate result must be an integer");
    return bough_fail_text(a->error, BOUGH_INVALID, NULL, &reason);
}

static bough_status too_large(const arithmetic *a) {
    return bough_fail(a->error, BOUGH_INVALID, NULL, "'%s' is beyond 2^63", a->text);
}

static bough_status read_number(arithmetic *a, arithmetic_value *value) {
    const char *s = a->at;
    size_t n = strspn(s, "0123456789");
    if (s[n] == '.' && isdigit((unsigned char)s[n + 1])) n += 1 + strspn(s + n + 1, "0123456789");
    if ((s[n] == 'e' || s[n] == 'E') && isdigit((unsigned char)s[n + 1]))
        n += 1 + strspn(s + n + 1, "0123456789");
    if (s[n] && strchr("KMGT", s[n]) && s[n + 1] == 'i') n += 2;
    char word[48];
    if (n >= sizeof word) return too_large(a);
    memcpy(word, s, n);
    word[n] = 0;
    a->at += n;
    return bough_parse_int(word, "", &value->whole, NULL) ? not_whole(a) : BOUGH_OK;
}

static bough_status find_axis(const arithmetic *a, const char *name, size_t length, arithmetic_value *value) {
    const environment *env = a->context;
    for (size_t i = env->count; i-- > 0;) {
        const axis_value *v = &env->value[i];
        if (strlen(env->name[i]) != length || strncmp(env->name[i], name, length) != 0) continue;
        if (!v->is_whole)
            return bough_fail(a->error, BOUGH_INVALID, NULL, "'%s': axis %s is '%s', not a whole number",
                              a->text, env->name[i], v->text);
        value->whole = v->whole;
        return BOUGH_OK;
    }
    return unknown_name(a, name, length);
}

static bough_status power(const arithmetic *a, int64_t exponent, int64_t *value) {
    const int64_t base = *value;
    if (exponent < 0) return not_whole(a);
    *value = 1;
    if (base == 0 || base == 1 || base == -1) {
        *value = exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
        return BOUGH_OK;
    }
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(*value, base, value)) return too_large(a);
    return BOUGH_OK;
}

static bough_status negate(const arithmetic *a, arithmetic_value *value) {
    return __builtin_sub_overflow((int64_t)0, value->whole, &value->whole) ? too_large(a) : BOUGH_OK;
}

static bough_status divide(const arithmetic *a, int64_t right, int64_t *value) {
    if (right == -1) /* INT64_MIN / -1 overflows */
        return __builtin_sub_overflow((int64_t)0, *value, value) ? too_large(a) : BOUGH_OK;
    if (right == 0 || *value % right != 0) return not_whole(a);
    *value /= right;
    return BOUGH_OK;
}

static bough_status apply(const arithmetic *a, char op, arithmetic_value right, arithmetic_value *value) {
    const int64_t r = right.whole;
    int64_t *v = &value->whole;
    bool over = false;
    if (op == '^') return power(a, r, v);
    if (op == '/') return divide(a, r, v);
    if (op == '%' && r <= 0) return not_whole(a);
    if (op == '%')
        *v = (*v % r + r) % r; /* 0 .. right-1, also for negative values */
    else
        over = op == '+'   ? __builtin_add_overflow(*v, r, v)
               : op == '-' ? __builtin_sub_overflow(*v, r, v)
                           : __builtin_mul_overflow(*v, r, v);
    return over ? too_large(a) : BOUGH_OK;
}

static const arithmetic_numbers whole_numbers = {
    "a number, an axis or '('", "+-*/%^", read_number, find_axis, NULL, apply, negate};

static arithmetic begin(const char *text, const environment *env, bough_error *error) {
    return (arithmetic){.numbers = &whole_numbers, .text = text, .at = text, .context = env, .error = error};
}

bough_status expression_value(const char *text, const environment *env, int64_t *value, bough_error *error) {
    arithmetic a = begin(text, env, error);
    arithmetic_value result;
    bough_status status = arithmetic_sum(&a, &result);
    if (status) return status;
    *value = result.whole;
    if (arithmetic_next(&a))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "'%s': unexpected '%.40s'; quote the value if it is a text", text, a.at);
    return BOUGH_OK;
}

/* The path of `exists PATH`; NULL for a comparison, including one with an axis named `exists`. */
static const char *path_of(const char *text) {
    static const char word[] = "exists ";
    if (strncmp(text, word, sizeof word - 1) != 0) return NULL;
    const char *path = text + sizeof word - 1;
    path += strspn(path, " \t");
    return *path && !strchr("<>=!+-*%", *path) ? path : NULL;
}

static bough_status file_exists(const char *path, const environment *env, bool *holds, bough_error *error) {
    char *filled;
    bough_status status = expression_fill(path, env, NULL, &filled, error);
    if (!status) *holds = access(filled, R_OK) == 0;
    free(filled);
    return status;
}

bough_status expression_holds(const char *text, const environment *env, bool *holds, bough_error *error) {
    const char *path = path_of(text);
    if (path) return file_exists(path, env, holds, error);
    arithmetic a = begin(text, env, error);
    arithmetic_value left, right;
    bough_status status = arithmetic_sum(&a, &left);
    if (status) return status;
    arithmetic_next(&a);
    static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
    size_t op = 0;
    while (op < 6 && strncmp(a.at, ops[op], strlen(ops[op])) != 0) op++;
    if (op == 6)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "'%s' is not a condition; write one with < <= > >= == !=, as in m <= n, or exists FILE", text);
    a.at += strlen(ops[op]);
    status = arithmetic_sum(&a, &right);
    if (status) return status;
    if (arithmetic_next(&a))
        return bough_fail(error, BOUGH_INVALID, NULL, "'%s': unexpected '%.40s'", text, a.at);
    const int64_t l = left.whole, r = right.whole;
    const bool result[] = {(l <= r), (l >= r), (l == r), (l != r), (l < r), (l > r)};
    *holds = result[op];
    return BOUGH_OK;
}

/* Fills in the text between braces: the value of an axis, or an expression. */
static bough_status fill_one(bough_text *out, const char *inner, const environment *env, bough_error *error) {
    for (size_t i = env->count; i-- > 0;)
        if (strcmp(env->name[i], inner) == 0) {
            bough_text_put(out, env->value[i].text);
            return BOUGH_OK;
        }
    int64_t value;
    bough_status status = expression_value(inner, env, &value, error);
    if (!status) bough_text_printf(out, "%" PRId64, value);
    return status;
}

bough_status expression_fill(const char *text, const environment *env, arena *memory, char **filled,
                             bough_error *error) {
    bough_text out = {0};
    *filled = NULL;
    for (const char *p = text; *p;) {
        size_t plain = strcspn(p, "{");
        bough_text_add(&out, p, plain);
        p += plain;
        if (!*p) break;
        size_t length = strcspn(p + 1, "}");
        bool names = isalpha((unsigned char)p[1]) || p[1] == '_' || p[1] == '(';
        char inner[128];
        if (!names || !p[1 + length] || length >= sizeof inner) {
            bough_text_add(&out, p++, 1);
            continue;
        }
        memcpy(inner, p + 1, length);
        inner[length] = 0;
        bough_status status = fill_one(&out, inner, env, error);
        if (status) {
            bough_text_fini(&out);
            return status;
        }
        p += length + 2;
    }
    return bough_text_keep(&out, memory, filled, error);
}
