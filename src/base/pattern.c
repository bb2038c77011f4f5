#include "base/pattern.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { DEEP = 64 };
static const uint64_t REPEATED_MAX = 2000; /* memory grows with its square */

/* Behind a [: the character behind its ]. */
static const char *behind_bracket(const char *at) {
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        if (*at == '[' && at[1] && strchr(".:=", at[1])) { /* [:digit:] */
            char kind = at[1];
            for (at += 2; *at && !(*at == kind && at[1] == ']');) at++;
            at += *at ? 2 : 0;
        } else {
            at++;
        }
    }
    return at + (*at == ']');
}

/* Behind a {: the most times it says, and the character behind its }. */
static uint64_t read_times(const char **at) {
    uint64_t most = 1;
    while (**at && **at != '}') {
        char *stop;
        uint64_t number = strtoull(*at, &stop, 10);
        if (stop == *at) stop++;
        if (number > most) most = number;
        *at = stop;
    }
    *at += **at == '}';
    return most + 1;
}

/* How many characters longer the expression is with everything that repeats written out; UINT64_MAX where
 * groups are too deep. */
static uint64_t repeated(const char *at) {
    uint64_t sum[DEEP] = {0}, last = 0; /* of the group at hand; its last atom, which is in the sum */
    int depth = 0;
    uint64_t more = 0;
    while (*at) {
        char c = *at++;
        uint64_t times = 1;
        if (c == '(') {
            if (++depth == DEEP) return UINT64_MAX;
            sum[depth] = last = 0;
        } else if (c == ')' && depth > 0) {
            last = bough_add(sum[depth--], 1);
            sum[depth] = bough_add(sum[depth], last);
        } else if (c == '*' || c == '+' || c == '?') {
            times = 2;
        } else if (c == '{') {
            times = read_times(&at);
        } else {
            if (c == '\\' && *at) at++;
            if (c == '[') at = behind_bracket(at);
            last = 1;
            sum[depth] = bough_add(sum[depth], 1);
        }
        if (times == 1) continue;
        more = bough_add(more, bough_mul(last, times - 1));
        sum[depth] = bough_add(sum[depth], bough_mul(last, times - 1));
        last = bough_mul(last, times);
    }
    return more;
}

/* Not in POSIX's extended expressions, and may take for ever. */
static bool looks_back(const char *at) {
    for (; *at; at++)
        if (*at == '\\' && at[1]) {
            at++;
            if (*at >= '1' && *at <= '9') return true;
        }
    return false;
}

bough_status bough_pattern_make(const char *text, bool whole, regex_t *pattern, bough_error *error) {
    bough_text all = {0};
    if (looks_back(text))
        return bough_fail(error, BOUGH_INVALID, NULL, "'%.60s' looks back, which is not to be had here",
                          text);
    if (repeated(text) > REPEATED_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "'%.60s' repeats too much; fewer of + * ? { } within each other would do", text);
    bough_text_printf(&all, whole ? "^(%s)$" : "%s", text);
    if (all.failed) return bough_fail_memory(error, strlen(text));
    int wrong = regcomp(pattern, all.data, REG_EXTENDED | REG_NOSUB);
    bough_text_fini(&all);
    if (wrong == REG_ESPACE) return bough_fail_memory(error, strlen(text));
    return wrong ? bough_fail(error, BOUGH_INVALID, NULL, "'%.60s' is not a regular expression", text)
                 : BOUGH_OK;
}
