#include "cli/check/check_failures.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "bough/faults.h"
#include "bough/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARES_MAX 1000

/* ---- what is asked for ---- */

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

/* Each from the first by one operation, so that errors do not add up; twelve digits hide what is left. */
static bough_status list_shares(struct check_curve *c, double from, double to, double by, bool times,
                                const char *text, bough_error *error) {
    size_t capacity = 0;
    if (times ? !(by > 1 && from > 0) : !(by > 0))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "share=%s never ends; a step is above 0, a factor above 1 from above 0", text);
    for (size_t i = 0;; i++) {
        char digits[40];
        double v = times ? from * pow(by, (double)i) : from + (double)i * by;
        if (v > to * (1 + 1e-9)) return BOUGH_OK;
        if (i == SHARES_MAX)
            return bough_fail(error, BOUGH_INVALID, NULL, "share=%s has more than %d values", text,
                              SHARES_MAX);
        bough_status status = bough_grow(&c->share, &capacity, i + 1, sizeof *c->share, error);
        if (status) return status;
        snprintf(digits, sizeof digits, "%.12g", v);
        c->share[i] = strtod(digits, NULL);
        c->shares = i + 1;
    }
}

/* a..b, a..b step s, a..b times f; without either ten steps. A unit at the end is that of what stands before
 * it. */
static bough_status read_range(struct check_curve *c, const char *text, bough_error *error) {
    const char *dots = strstr(text, ".."), *step = strstr(text, " step "), *times = strstr(text, " times ");
    const char *word = step ? step : times, *end = text + strlen(text);
    double from, to, by = 0;
    if (!word) word = end;
    bool percent = memchr(dots, '%', (size_t)(word - dots)) != NULL;
    bough_status status = read_share(text, (size_t)(dots - text),
                                     percent && !memchr(text, '%', (size_t)(dots - text)), &from, error);
    TRY(read_share(dots + 2, (size_t)(word - dots - 2), false, &to, error));
    if (!status && from > to)
        status = bough_fail(error, BOUGH_INVALID, NULL, "share=%s is empty; write a..b with a <= b", text);
    if (!status && step)
        status = read_share(step + 6, strlen(step + 6), percent && !strchr(step, '%'), &by, error);
    if (!status && times) status = bough_parse_real(times + 7, "share", &by, error);
    if (!status && !step && !times) by = to > from ? (to - from) / 10 : 1;
    return status ? status : list_shares(c, from, to, by, times != NULL, text, error);
}

static bough_status add_curve(check_faults *f, const char *text, bough_error *error) {
    struct check_curve *c = &f->curve[f->curves++];
    bough_spec spec = {0};
    bough_text rest = {0};
    bool ranged = false;
    bough_status status = bough_spec_parse(text, &spec, error);
    bough_text_put(&rest, spec.name ? spec.name : "");
    for (unsigned i = 0, kept = 0; i < spec.count && !status; i++) {
        const char *key = spec.arg[i].key, *value = spec.arg[i].value;
        if (key && strcmp(key, "share") == 0 && strstr(value, "..")) {
            ranged = true;
            status = read_range(c, value, error);
            continue;
        }
        bough_text_put(&rest, kept++ ? "," : ":");
        if (key) bough_text_printf(&rest, "%s=", key);
        bough_text_put(&rest, value);
    }
    if (!status && !ranged)
        status = bough_fail(error, BOUGH_INVALID, NULL, "'%s': only share= takes a range", text);
    c->spec = bough_text_take(&rest);
    if (!status && !c->spec) status = bough_fail_memory(error, strlen(text));
    bough_spec_fini(&spec);
    return status;
}

static bool is_curve(const char *text) {
    const char *share = strstr(text, "share=");
    return share && strstr(share, "..") && strstr(share, "..") < share + strcspn(share, ",+");
}

bough_status check_faults_read(const cli_args *args, check_faults *f, bough_error *error) {
    const char **missing = NULL;
    size_t count = 0, gone = 0;
    while (cli_value_at(args, "faults", count)) count++;
    bough_status status = bough_alloc(&f->each, count, sizeof *f->each, error);
    TRY(bough_alloc(&f->curve, count, sizeof *f->curve, error));
    TRY(bough_alloc(&missing, count, sizeof *missing, error));
    for (size_t i = 0; i < count && !status; i++) {
        const char *text = cli_value_at(args, "faults", i);
        if (bough_failures_is_each(text))
            f->each[f->eaches++] = text;
        else if (is_curve(text))
            status = add_curve(f, text, error);
        else
            missing[gone++] = text;
    }
    if (!status) f->missing = bough_faults_join(missing, gone, &status);
    free(missing);
    return status;
}

void check_faults_fini(check_faults *f) {
    for (size_t i = 0; i < f->curves; i++) {
        free(f->curve[i].spec);
        free(f->curve[i].share);
    }
    free(f->curve);
    free(f->each);
    free(f->missing);
    *f = (check_faults){0};
}

/* ---- what comes out ---- */

/* What the tables of the whole fabric come to without it: as they are, and mended. */
static bough_status find_without(const check_faults *faults, const bough_net *whole,
                                 const bough_routing *routing, const bough_failures_options *options,
                                 check_failures *r, bough_error *error) {
    const bough_net *net = routing->net;
    bough_routing *before = NULL;
    bough_failures *f = NULL;
    uint64_t *dead = NULL, words = (net->links + 63) / 64;
    if (!faults->missing || !bough_routing_deterministic(routing) || bough_failures_check(routing, NULL))
        return BOUGH_OK;
    bough_status status = bough_routing_create(whole, routing->spec, &before, error);
    TRY(bough_failures_create(before, options, &f, error));
    TRY(bough_alloc(&dead, words, sizeof *dead, error));
    for (uint64_t w = 0; w < words && !status; w++)
        dead[w] = (net->dead ? net->dead[w] : 0) | (net->lost ? net->lost[w] : 0);
    TRY(bough_failures_dead(f, dead, &r->without, error));
    if (!status) {
        r->whole = *bough_failures_whole(f);
        r->missing = bough_strdup(net->faults->spec);
        if (!r->missing) status = bough_fail_memory(error, 256);
    }
    free(dead);
    bough_failures_destroy(f);
    bough_routing_destroy(before);
    return status;
}

bough_status check_failures_find(const check_faults *faults, const bough_net *whole,
                                 const bough_routing *routing, uint64_t trials,
                                 const bough_failures_options *options, check_failures *r,
                                 bough_findings *findings, bough_error *error) {
    bough_failures *f = NULL;
    if (!faults->eaches && !faults->curves) return find_without(faults, whole, routing, options, r, error);
    bough_status status = bough_alloc(&r->list, faults->eaches, sizeof *r->list, error);
    TRY(bough_alloc(&r->curve, faults->curves, sizeof *r->curve, error));
    TRY(bough_failures_create(routing, options, &f, error));
    if (!status) {
        r->made = bough_failures_made(f);
        r->whole = *bough_failures_whole(f);
    }
    for (size_t i = 0; i < faults->eaches && !status; i++) {
        status = bough_failures_each(f, faults->each[i], options, &r->list[i], error);
        if (!status) r->lists++;
        TRY(bough_failures_say(f, &r->list[i], findings, error));
    }
    for (size_t i = 0; i < faults->curves && !status; i++) {
        const struct check_curve *c = &faults->curve[i];
        status =
            bough_failures_degrade(f, c->spec, c->share, c->shares, trials, options, &r->curve[i], error);
        if (!status) r->curves++;
    }
    bough_failures_destroy(f);
    return status;
}

void check_failures_fini(check_failures *r) {
    for (size_t i = 0; i < r->lists; i++) bough_failure_list_fini(&r->list[i]);
    for (size_t i = 0; i < r->curves; i++) bough_degradation_fini(&r->curve[i]);
    free(r->list);
    free(r->curve);
    free(r->missing);
    *r = (check_failures){0};
}
