/* What the faults of a question ask for. */
#include "fabric/check/check_faults.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "network/faults/faults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARES_MAX 1000

/* "5%", "0.05"; percent: the unit of a bare number. */
static bough_status read_share(const char *text, size_t length, bool percent, double *share,
                               bough_error *error) {
    char number[64];
    while (length && text[0] == ' ') text++, length--;
    while (length && text[length - 1] == ' ') length--;
    bool own = length && text[length - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(length - own), text);
    bough_status status = bough_parse_real(number, "share", share, error);
    if (own || percent) *share /= 100;
    if (!status && !(*share >= 0 && *share <= 1))
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "share=%.*s is out of range; it lies between 0 and 100%%", (int)length, text);
    return status;
}

/* a..b step by, or times by. */
typedef struct range {
    double from, to, by;
    bool times;
    const char *text;
    arena *memory;
} range;

/* Each from the first by one operation, so that errors do not add up; twelve digits hide what is left. */
static bough_status list_shares(const range *r, check_curve *c, bough_error *error) {
    if (r->times ? !(r->by > 1 && r->from > 0) : !(r->by > 0))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "share=%s never ends; a step is above 0, a factor above 1 from above 0", r->text);
    for (size_t i = 0;; i++) {
        char digits[40];
        double v = r->times ? r->from * pow(r->by, (double)i) : r->from + (double)i * r->by;
        if (v > r->to * (1 + 1e-9)) return BOUGH_OK;
        if (i == SHARES_MAX)
            return bough_fail(error, BOUGH_INVALID, NULL, "share=%s has more than %d values", r->text,
                              SHARES_MAX);
        bough_status status = arena_grow(r->memory, &c->share, i + 1, sizeof *c->share, error);
        if (status) return status;
        snprintf(digits, sizeof digits, "%.12g", v);
        c->share[i] = strtod(digits, NULL);
        c->shares = i + 1;
    }
}

/* a..b, a..b step s, a..b times f; without either ten steps. A unit at the end is that of what stands before
 * it. */
static bough_status read_range(arena *memory, check_curve *c, const char *text, bough_error *error) {
    const char *dots = strstr(text, ".."), *step = strstr(text, " step "), *times = strstr(text, " times ");
    const char *word = step ? step : times, *end = text + strlen(text);
    range r = {.times = times != NULL, .text = text, .memory = memory};
    if (!word) word = end;
    bool percent = memchr(dots, '%', (size_t)(word - dots)) != NULL;
    bough_status status = read_share(text, (size_t)(dots - text),
                                     percent && !memchr(text, '%', (size_t)(dots - text)), &r.from, error);
    TRY(read_share(dots + 2, (size_t)(word - dots - 2), false, &r.to, error));
    if (!status && r.from > r.to)
        status = bough_fail(error, BOUGH_INVALID, NULL, "share=%s is empty; write a..b with a <= b", text);
    if (!status && step)
        status = read_share(step + 6, strlen(step + 6), percent && !strchr(step, '%'), &r.by, error);
    if (!status && times) status = bough_parse_real(times + 7, "share", &r.by, error);
    if (!status && !step && !times) r.by = r.to > r.from ? (r.to - r.from) / 10 : 1;
    return status ? status : list_shares(&r, c, error);
}

static bough_status add_curve(check_faults *f, arena *memory, const char *text, bough_error *error) {
    check_curve *c = &f->curve[f->curves++];
    bough_spec spec = {0};
    bough_text rest = {0};
    bool ranged = false;
    bough_status status = bough_spec_parse(text, &spec, error);
    bough_text_put(&rest, spec.name ? spec.name : "");
    for (unsigned i = 0, kept = 0; i < spec.count && !status; i++) {
        const char *key = spec.arg[i].key, *value = spec.arg[i].value;
        if (key && strcmp(key, "share") == 0 && strstr(value, "..")) {
            ranged = true;
            status = read_range(memory, c, value, error);
            continue;
        }
        bough_text_put(&rest, kept++ ? "," : ":");
        if (key) bough_text_printf(&rest, "%s=", key);
        bough_text_put(&rest, value);
    }
    if (!status && !ranged)
        status = bough_fail(error, BOUGH_INVALID, NULL, "'%s': only share= takes a range", text);
    TRY(bough_text_keep(&rest, memory, &c->spec, error));
    bough_text_fini(&rest);
    bough_spec_fini(&spec);
    return status;
}

bough_status check_faults_read(const char *const *spec, size_t count, arena *memory, check_faults *f,
                               bough_error *error) {
    const char **missing = NULL;
    size_t gone = 0;
    bough_status status = arena_alloc(memory, &f->each, count, sizeof *f->each, error);
    TRY(arena_alloc(memory, &f->curve, count, sizeof *f->curve, error));
    TRY(bough_alloc(&missing, count, sizeof *missing, error));
    for (size_t i = 0; i < count && !status; i++) {
        if (bough_failures_is_each(spec[i]))
            f->each[f->eaches++] = spec[i];
        else if (bough_failures_is_curve(spec[i]))
            status = add_curve(f, memory, spec[i], error);
        else
            missing[gone++] = spec[i];
    }
    TRY(bough_faults_join(missing, gone, memory, &f->missing, error));
    free(missing);
    return status;
}
