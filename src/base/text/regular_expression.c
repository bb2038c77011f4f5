#include "base/text/regular_expression.h"

#include "base/memory/memory.h"
#include "base/text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Names have about 100 characters. Without nested repeats an expression takes far fewer than a million steps;
 * a list of 2000 names, the longest that PCRE2 supports, takes about one per name. */
enum { STEPS_MAX = 1000000, DEPTH_MAX = 20000, HEAP_KIB = 16 * 1024, NESTED_MAX = 60 };

struct bough_pattern {
    pcre2_code *code;
    pcre2_match_context *limits;
    pcre2_match_data *data;
    char start[64]; /* start of the expression, for messages */
};

static bough_status compile(const char *text, bool whole, pcre2_code **code, bough_error *error) {
    uint32_t options = PCRE2_UTF | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C |
                       (whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
    int wrong;
    PCRE2_SIZE at;
    PCRE2_UCHAR reason[160];
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context) return bough_fail_memory(error, 64);
    pcre2_set_parens_nest_limit(context, NESTED_MAX);
    *code = pcre2_compile((PCRE2_SPTR)text, strlen(text), options, &wrong, &at, context);
    pcre2_compile_context_free(context);
    if (*code) return BOUGH_OK;
    if (wrong == PCRE2_ERROR_HEAP_FAILED) return bough_fail_memory(error, strlen(text));
    if (pcre2_get_error_message(wrong, reason, sizeof reason) < 0) reason[0] = 0;
    return bough_fail(error, BOUGH_INVALID, NULL, "'%.60s' is not a regular expression: byte %zu: %s", text,
                      (size_t)at + 1, (const char *)reason);
}

bough_status bough_pattern_create(const char *text, bool whole, bough_pattern **pattern, bough_error *error) {
    size_t length = strlen(text);
    *pattern = NULL;
    if (length > BOUGH_PATTERN_MAX)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "'%.60s...' is a regular expression of %zu bytes; the limit is %zu", text, length,
                          BOUGH_PATTERN_MAX);
    bough_pattern *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    memcpy(p->start, text, length < sizeof p->start ? length : sizeof p->start - 1);
    status = compile(text, whole, &p->code, error);
    if (!status) {
        p->limits = pcre2_match_context_create(NULL);
        p->data = pcre2_match_data_create(1, NULL);
        if (!p->limits || !p->data) status = bough_fail_memory(error, length);
    }
    if (status) {
        bough_pattern_destroy(p);
        return status;
    }
    pcre2_set_match_limit(p->limits, STEPS_MAX);
    pcre2_set_depth_limit(p->limits, DEPTH_MAX);
    pcre2_set_heap_limit(p->limits, HEAP_KIB);
    *pattern = p;
    return BOUGH_OK;
}

static int search(const bough_pattern *p, const char *name) {
    return pcre2_match(p->code, (PCRE2_SPTR)name, strlen(name), 0, 0, p->data, p->limits);
}

/* Searches a UTF-8 copy of the name. */
static bough_status search_mended(const bough_pattern *p, const char *name, int *found, bough_error *error) {
    char *copy = bough_strdup(name);
    if (!copy) return bough_fail_memory(error, strlen(name));
    bough_utf8_mend(copy);
    *found = search(p, copy);
    free(copy);
    return BOUGH_OK;
}

bough_status bough_pattern_match(bough_pattern *p, const char *name, bool *matches, bough_error *error) {
    int found = search(p, name);
    bough_status status = BOUGH_OK;
    *matches = false;
    if (found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21)
        status = search_mended(p, name, &found, error);
    if (status) return status;
    *matches = found >= 0; /* 0: there are more groups than data has space for */
    if (found >= 0 || found == PCRE2_ERROR_NOMATCH) return BOUGH_OK;
    if (found == PCRE2_ERROR_NOMEMORY) return bough_fail_memory(error, strlen(name));
    if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_DEPTHLIMIT || found == PCRE2_ERROR_HEAPLIMIT)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "matching '%.60s' against '%.100s' takes too many steps; use fewer nested + * ? { }", p->start,
            name);
    return bough_fail(error, BOUGH_INVALID, NULL, "matching '%.60s' against '%.100s' failed (PCRE2: %d)",
                      p->start, name, found);
}

void bough_pattern_destroy(bough_pattern *p) {
    if (!p) return;
    pcre2_match_data_free(p->data);
    pcre2_match_context_free(p->limits);
    pcre2_code_free(p->code);
    free(p);
}
