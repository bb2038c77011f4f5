#include "fabric/check/routing_comparison.h"

#include "fabric/check/check_words.h"

#include <math.h>
#include <string.h>

enum { SLOWER_SHOWN = 3 };

/* ---- the standings ---- */

static const bough_standing *standing_of(const bough_better *b, size_t part) {
    const bough_standing *s = b->standing;
    while (s->part != part) s++;
    return s;
}

/* No routing is slower than the others. */
static bool is_undecided(const routing_words *w, const bough_better *b) {
    return b->bests == w->report->parts;
}

/* Of the best ones: the one that differs most from the fastest. */
static const bough_standing *last_best(const bough_better *b) {
    const bough_standing *last = b->standing;
    for (size_t i = 0, left = b->bests; left; i++)
        if (!b->standing[i].slower) last = &b->standing[i], left--;
    return last;
}

static bool is_equal(const bough_standing *s) {
    return s->ratio <= 1 + 1e-9;
}

static bool same_bests(const routing_words *w, const bough_better *a, const bough_better *b) {
    for (size_t i = 0; i < w->report->parts; i++)
        if (standing_of(a, i)->slower != standing_of(b, i)->slower) return false;
    return true;
}

/* ---- words ---- */

static void put_interval(bough_text *out, const routing_words *w, const bough_standing *s) {
    char ratio[CHECK_NUMBER];
    bough_text_put(out, check_ratio(s->ratio, ratio));
    if (s->ratio_ci95 > 0) bough_text_printf(out, "%s%.2g", w->sign, s->ratio_ci95);
}

/* "a", "a and b", "a, b and c" */
static void put_name(bough_text *out, const char *name, size_t at, size_t count) {
    bough_text_printf(out, "%s%s", at == 0 ? "" : at + 1 < count ? ", " : " and ", name);
}

static void put_bests(bough_text *out, const routing_words *w, const bough_better *b) {
    for (size_t i = 0, at = 0; i < w->report->parts; i++)
        if (!standing_of(b, i)->slower) put_name(out, w->name[i], at++, b->bests);
}

/* " is best", " are equally good" */
static void put_praise(bough_text *out, const routing_words *w, const bough_better *b) {
    put_bests(out, w, b);
    bough_text_put(out, b->bests > 1           ? " are equally good"
                        : w->report->parts > 2 ? " is best"
                                               : " is better");
}

static bool same_ratio(const bough_standing *a, const bough_standing *b) {
    return fabs(a->ratio - b->ratio) <= 1e-9 * a->ratio &&
           (a->ratio_ci95 > 0 ? a->ratio_ci95 == b->ratio_ci95 : !(b->ratio_ci95 > 0));
}

/* The slower routings from the at-th standing on that share its ratio. */
static size_t count_alike(const routing_words *w, const bough_better *b, size_t at) {
    size_t count = 0;
    for (size_t i = at; i < w->report->parts; i++)
        count += b->standing[i].slower && same_ratio(&b->standing[i], &b->standing[at]);
    return count;
}

static bool is_first_of_ratio(const bough_better *b, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (b->standing[i].slower && same_ratio(&b->standing[i], &b->standing[at])) return false;
    return b->standing[at].slower;
}

static void put_names_alike(bough_text *out, const routing_words *w, const bough_better *b, size_t at) {
    size_t count = count_alike(w, b, at), named = 0;
    for (size_t i = at; i < w->report->parts; i++)
        if (b->standing[i].slower && same_ratio(&b->standing[i], &b->standing[at]))
            put_name(out, w->name[b->standing[i].part], named++, count);
}

/* "1.1 times as fast as a, 1.2 times as fast as b and c" */
static void put_slower(bough_text *out, const routing_words *w, const bough_better *b) {
    size_t groups = 0, more = 0;
    bool noise = false;
    for (size_t i = 0; i < w->report->parts; i++) {
        if (!is_first_of_ratio(b, i)) continue;
        noise = noise || b->standing[i].ratio_ci95 > 0;
        if (groups++ >= SLOWER_SHOWN) {
            more += count_alike(w, b, i);
            continue;
        }
        if (groups > 1) bough_text_put(out, ", ");
        put_interval(out, w, &b->standing[i]);
        bough_text_put(out, " times as fast");
        if (w->report->parts == 2) continue;
        bough_text_put(out, " as ");
        put_names_alike(out, w, b, i);
    }
    if (more) bough_text_printf(out, ", %zu more %s slower still", more, more == 1 ? "is" : "are");
    if (noise) bough_text_put(out, ", beyond the noise");
}

/* How far the best ones are apart, where they are not equal. */
static void put_apart(bough_text *out, const routing_words *w, const bough_better *b) {
    const bough_standing *last = last_best(b);
    if (is_equal(last)) return;
    if (b->bests > 2) bough_text_put(out, "up to ");
    put_interval(out, w, last);
    if (isnan(last->ratio_ci95)) bough_text_put(out, " in a single draw");
}

static void put_ratios(bough_text *out, const routing_words *w, const bough_better *b) {
    if (!is_equal(last_best(b))) {
        put_apart(out, w, b);
        bough_text_put(out, " apart, within the noise; ");
    }
    put_slower(out, w, b);
}

/* ---- all of them ---- */

/* The measures in which the same routings are the best, from this one on; those before it had others. */
static void put_alike(bough_text *out, const routing_words *w, int first) {
    const bough_better *better = w->report->better;
    const char *separator = " for ";
    put_praise(out, w, &better[first]);
    for (int m = first; m < BOUGH_MEASURES; m++) {
        if (!better[m].standing || !same_bests(w, &better[first], &better[m])) continue;
        bough_text_printf(out, "%s%s (", separator, check_measure_words((bough_measure)m));
        put_ratios(out, w, &better[m]);
        bough_text_put(out, ")");
        separator = ", ";
    }
}

static bool is_first_of_bests(const routing_words *w, int at) {
    const bough_better *better = w->report->better;
    for (int m = 0; m < at; m++)
        if (better[m].standing && same_bests(w, &better[m], &better[at])) return false;
    return true;
}

static void put_undecided(bough_text *out, const routing_words *w, bool equal, const char *before) {
    const char *separator = before;
    for (int m = 0; m < BOUGH_MEASURES; m++) {
        const bough_better *b = &w->report->better[m];
        if (!b->standing || !is_undecided(w, b) || is_equal(last_best(b)) != equal) continue;
        bough_text_printf(out, "%s%s", separator, check_measure_words((bough_measure)m));
        separator = ", ";
        if (equal) continue;
        bough_text_put(out, " (");
        put_apart(out, w, b);
        bough_text_put(out, ")");
    }
}

void routing_comparison_put(bough_text *out, const routing_words *w) {
    const bough_better *better = w->report->better;
    const size_t from = out->length;
    bool expected = false, any = false;
    for (int m = 0; m < BOUGH_MEASURES; m++) {
        expected = expected || better[m].expected;
        any = any || better[m].standing;
        if (!better[m].standing || is_undecided(w, &better[m]) || !is_first_of_bests(w, m)) continue;
        if (out->length > from) bough_text_put(out, "; ");
        put_alike(out, w, m);
    }
    if (!any) {
        bough_text_put(out, "not compared: pairs are not routed");
        return;
    }
    put_undecided(out, w, true, out->length > from ? "; equal for " : "equal for ");
    put_undecided(out, w, false,
                  out->length > from     ? "; within the noise for "
                  : w->report->parts > 2 ? "the differences are within the noise for "
                                         : "the difference is within the noise for ");
    if (expected)
        bough_text_put(out, " (a routing that chooses at run time: expected values, runs are slower)");
}
