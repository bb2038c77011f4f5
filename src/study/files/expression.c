/* clang-format off */
/* expression := term {(+|-) term};  term := factor {(*|/|%) factor};  factor := [-] primary [^ factor];
 * primary := number | name | ( expression ). Integers only: a size that is not an integer is an error in the
 * grid, which is reported with its place instead of being rounded. */
/* clang-format on */
#include "study/files/expression.h"

#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 50, NAMES_MAX = 32 };

typedef struct parser {
    const char *text, *at;
    const environment *env;
    unsigned depth;
    bough_error *error;
} parser;

static bough_status parse_sum(parser *p, int64_t *value);

static void skip_blanks(parser *p) {
    while (*p->at == ' ' || *p->at == '\t') p->at++;
}

bool is_axis_name(const char *text, size_t length) {
    if (length == 0 || isdigit((unsigned char)*text)) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') return false;
    return true;
}

static size_t name_length(const char *text) {
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    return n;
}

/* "n=12, m=3": the current axes, for messages. */
static void put_environment(bough_text *out, const environment *env) {
    for (size_t i = 0; i < env->count; i++)
        bough_text_printf(out, "%s%s=%s", i ? ", " : "", env->name[i], env->value[i].text);
}

static bough_status unknown_name(const parser *p, const char *name, size_t length) {
    char word[64];
    const char *names[NAMES_MAX] = {NULL};
    size_t count = p->env->count < NAMES_MAX ? p->env->count : NAMES_MAX;
    for (size_t i = 0; i < count; i++) names[i] = p->env->name[i];
    if (length >= sizeof word) length = sizeof word - 1;
    memcpy(word, name, length);
    word[length] = 0;
    char hint[BOUGH_HINT_MAX];
    bough_text reason = {0};
    bough_text_printf(&reason, "'%s': there is no axis '%s' %s%s%s", p->text, word,
                      count ? "so far" : "at all so far", bough_hint(hint, word, names, count),
                      count ? "; there are: " : "");
    bough_text_put_list(&reason, names, count);
    return bough_fail_text(p->error, BOUGH_INVALID, NULL, &reason);
}

static bough_status not_whole(const parser *p) {
    bough_text reason = {0};
    bough_text_printf(&reason, "'%s' is not a whole number%s", p->text, p->env->count ? " at " : "");
    put_environment(&reason, p->env);
    bough_text_put(&reason, "; every intermediate result must be an integer");
    return bough_fail_text(p->error, BOUGH_INVALID, NULL, &reason);
}

static bough_status too_large(const parser *p) {
    return bough_fail(p->error, BOUGH_INVALID, NULL, "'%s' is beyond 2^63", p->text);
}

static bough_status parse_number(parser *p, int64_t *value) {
    const char *s = p->at;
    size_t n = strspn(s, "0123456789");
    if (s[n] == '.' && isdigit((unsigned char)s[n + 1])) n += 1 + strspn(s + n + 1, "0123456789");
    if ((s[n] == 'e' || s[n] == 'E') && isdigit((unsigned char)s[n + 1]))
        n += 1 + strspn(s + n + 1, "0123456789");
    if (s[n] && strchr("KMGT", s[n]) && s[n + 1] == 'i') n += 2;
    char word[48];
    if (n >= sizeof word) return too_large(p);
    memcpy(word, s, n);
    word[n] = 0;
    p->at += n;
    if (bough_parse_int(word, "", value, NULL)) return not_whole(p);
    return BOUGH_OK;
}

static bough_status parse_name(parser *p, int64_t *value) {
    const char *name = p->at;
    size_t n = name_length(name);
    p->at += n;
    for (size_t i = p->env->count; i-- > 0;)
        if (strlen(p->env->name[i]) == n && strncmp(p->env->name[i], name, n) == 0) {
            const axis_value *v = &p->env->value[i];
            if (!v->is_whole)
                return bough_fail(p->error, BOUGH_INVALID, NULL, "'%s': axis %s is '%s', not a whole number",
                                  p->text, p->env->name[i], v->text);
            *value = v->whole;
            return BOUGH_OK;
        }
    return unknown_name(p, name, n);
}

static bough_status parse_primary(parser *p, int64_t *value) {
    skip_blanks(p);
    if (*p->at == '(') {
        p->at++;
        bough_status status = parse_sum(p, value);
        if (status) return status;
        skip_blanks(p);
        if (*p->at != ')') return bough_fail(p->error, BOUGH_INVALID, NULL, "'%s': missing ')'", p->text);
        p->at++;
        return BOUGH_OK;
    }
    if (isdigit((unsigned char)*p->at)) return parse_number(p, value);
    if (isalpha((unsigned char)*p->at) || *p->at == '_') return parse_name(p, value);
    return bough_fail(p->error, BOUGH_INVALID, NULL, "'%s': expected a number, an axis or '(' %s%.20s%s",
                      p->text, *p->at ? "before '" : "at the end", p->at, *p->at ? "'" : "");
}

static bough_status power(const parser *p, int64_t base, int64_t exponent, int64_t *value) {
    if (exponent < 0) return not_whole(p);
    int64_t result = 1;
    if (base == 0 || base == 1 || base == -1) {
        *value = exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
        return BOUGH_OK;
    }
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(result, base, &result)) return too_large(p);
    *value = result;
    return BOUGH_OK;
}

static bough_status parse_factor(parser *p, int64_t *value) {
    if (++p->depth > DEPTH_MAX)
        return bough_fail(p->error, BOUGH_INVALID, NULL, "'%.60s' is nested too deeply", p->text);
    skip_blanks(p);
    bool negative = *p->at == '-';
    if (negative) p->at++;
    bough_status status = negative ? parse_factor(p, value) : parse_primary(p, value);
    skip_blanks(p);
    if (!status && !negative && *p->at == '^') {
        p->at++;
        int64_t exponent;
        status = parse_factor(p, &exponent);
        TRY(power(p, *value, exponent, value));
    }
    if (!status && negative && __builtin_sub_overflow((int64_t)0, *value, value)) status = too_large(p);
    p->depth--;
    return status;
}

static bough_status parse_product(parser *p, int64_t *value) {
    bough_status status = parse_factor(p, value);
    while (!status) {
        skip_blanks(p);
        char op = *p->at;
        if (op != '*' && op != '/' && op != '%') break;
        p->at++;
        int64_t right;
        status = parse_factor(p, &right);
        if (status) break;
        if (op == '*') {
            if (__builtin_mul_overflow(*value, right, value)) status = too_large(p);
        } else if (op == '%' && right > 0) {
            *value = (*value % right + right) % right; /* 0 .. right-1, also for negative values */
        } else if (op == '%' || right == 0 || (right != -1 && *value % right != 0)) {
            status = not_whole(p);
        } else if (right == -1) { /* INT64_MIN / -1 overflows */
            if (__builtin_sub_overflow((int64_t)0, *value, value)) status = too_large(p);
        } else {
            *value /= right;
        }
    }
    return status;
}

static bough_status parse_sum(parser *p, int64_t *value) {
    bough_status status = parse_product(p, value);
    while (!status) {
        skip_blanks(p);
        char op = *p->at;
        if (op != '+' && op != '-') break;
        p->at++;
        int64_t right;
        status = parse_product(p, &right);
        if (status) break;
        bool over = op == '+' ? __builtin_add_overflow(*value, right, value)
                              : __builtin_sub_overflow(*value, right, value);
        if (over) status = too_large(p);
    }
    return status;
}

bough_status expression_value(const char *text, const environment *env, int64_t *value, bough_error *error) {
    parser p = {.text = text, .at = text, .env = env, .error = error};
    bough_status status = parse_sum(&p, value);
    if (status) return status;
    skip_blanks(&p);
    if (*p.at)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "'%s': unexpected '%.40s'; quote the value if it is a text", text, p.at);
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
    bough_status status = expression_fill(path, env, &filled, error);
    if (!status) *holds = access(filled, R_OK) == 0;
    free(filled);
    return status;
}

bough_status expression_holds(const char *text, const environment *env, bool *holds, bough_error *error) {
    const char *path = path_of(text);
    if (path) return file_exists(path, env, holds, error);
    parser p = {.text = text, .at = text, .env = env, .error = error};
    int64_t left, right;
    bough_status status = parse_sum(&p, &left);
    if (status) return status;
    skip_blanks(&p);
    static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
    size_t op = 0;
    while (op < 6 && strncmp(p.at, ops[op], strlen(ops[op])) != 0) op++;
    if (op == 6)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "'%s' is not a condition; write one with < <= > >= == !=, as in m <= n, or exists FILE", text);
    p.at += strlen(ops[op]);
    status = parse_sum(&p, &right);
    if (status) return status;
    skip_blanks(&p);
    if (*p.at) return bough_fail(error, BOUGH_INVALID, NULL, "'%s': unexpected '%.40s'", text, p.at);
    const bool result[] = {(left <= right), (left >= right), (left == right),
                           (left != right), (left < right),  (left > right)};
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

bough_status expression_fill(const char *text, const environment *env, char **filled, bough_error *error) {
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
    return bough_text_finish(&out, filled, error);
}
