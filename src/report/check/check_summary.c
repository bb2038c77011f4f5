/* What a reader has to know first: how good each routing is, which is better, and what weakens the fabric. */
#include "base/text/escape.h"
#include "report/check/check_rates.h"
#include "report/check/check_render.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SHOWN = 3, SPEC = 48 };

static const char *spec_of(const bough_check_report *report, size_t part, char *buffer) {
    return check_spec_end(report->part[part].routing->spec, SPEC, buffer);
}

/* ---- one routing ---- */

static void put_score(bough_text *out, const bough_check_report *report, const bough_routing_report *part,
                      bool shifts) {
    const bough_check_result *r = &part->result;
    bough_text_printf(out, "%s %.1f %% of the ideal",
                      shifts ? "shifts reach on average" : "all-to-all reaches",
                      100 * (shifts ? r->shift_score : r->alltoall_score));
    if (report->wiring_score < 0.9995)
        bough_text_printf(out, ", %.1f %% of what the wiring allows (%.1f %%)", 100 * part->rating.of_wiring,
                          100 * report->wiring_score);
    if (r->expected) bough_text_put(out, " (expected values; single runs are slower)");
}

void check_rating_reason(bough_text *out, const bough_check_report *report, const bough_routing_report *part,
                         const char *line_break) {
    const bough_check_result *r = &part->result;
    char name[400];
    switch (part->rating.reason) {
    case BOUGH_RATING_NO_REASON:
        bough_text_put(out, "there is only one endpoint");
        return;
    case BOUGH_RATING_UNROUTED:
        bough_text_printf(out, "%" PRIu64 " of %" PRIu64 " pairs are not routed", r->pairs - r->routed,
                          r->pairs);
        return;
    case BOUGH_RATING_CYCLE:
        bough_text_put(out, "good but for the cycle");
        return;
    case BOUGH_RATING_ALLTOALL:
    case BOUGH_RATING_SHIFTS:
        put_score(out, report, part, part->rating.reason == BOUGH_RATING_SHIFTS);
        break;
    }
    if (part->rating.slow_cable)
        bough_text_printf(
            out, ";%sthe slow cable %s limits all-to-all: %.1f %% if all cables had their nominal rate",
            line_break, check_cable_name(report->net, r->alltoall_limit, name, sizeof name),
            100 * r->alltoall_repaired);
}

void check_deadlock_phrase(bough_text *out, const bough_check_result *r) {
    if (r->cycle)
        bough_text_printf(
            out, "on one virtual lane messages can wait for each other in a cycle of %" PRIu64 " links",
            r->cycle);
    else
        bough_text_put(out, "no deadlock on one virtual lane");
}

static void put_rating(bough_text *out, const bough_check_report *report, const bough_routing_report *part) {
    char spec[SPEC + 1];
    size_t from = out->length;
    bough_text_printf(out, "rating      %s: %s", bough_rating_name(part->rating.word),
                      check_spec_end(part->routing->spec, SPEC, spec));
    bough_text_show(out, from);
    bough_text_put(out, "\n            ");
    check_rating_reason(out, report, part, "\n            ");
    bough_text_put(out, "\n            ");
    check_deadlock_phrase(out, &part->result);
    bough_text_put(out, "\n");
}

/* ---- several ---- */

const char *check_measure_words(bough_measure measure) {
    static const char *const words[] = {"all-to-all", "shifts", "random permutations",
                                        "the worst permutation"};
    return words[measure];
}

static void put_ratio(bough_text *out, const bough_check_report *report, const bough_better *b) {
    char spec[SPEC + 1];
    bough_text_printf(out, "%s (%.3g", check_measure_words(b->measure), b->ratio);
    if (b->ratio_ci95 > 0) bough_text_printf(out, " +- %.2g", b->ratio_ci95);
    bough_text_put(out, " times as fast");
    if (report->parts > 2) bough_text_printf(out, " as %s", spec_of(report, b->second, spec));
    if (b->ratio_ci95 > 0) bough_text_put(out, ", beyond the noise");
    bough_text_put(out, ")");
}

/* What one routing is the best for; false: nothing. */
static bool put_best(bough_text *out, const bough_check_report *report, size_t part, const char *before) {
    const char *separator = NULL;
    char spec[SPEC + 1];
    for (int m = 0; m < BOUGH_MEASURES; m++) {
        const bough_better *b = &report->better[m];
        if (!b->decided || b->best != part) continue;
        if (!separator)
            bough_text_printf(out, "%s%s is %s for ", before, spec_of(report, part, spec),
                              report->parts > 2 ? "best" : "better");
        else
            bough_text_put(out, separator);
        separator = ", ";
        put_ratio(out, report, b);
    }
    return separator;
}

static bool put_undecided(bough_text *out, const bough_check_report *report, bool equal, const char *before) {
    const char *separator = before;
    for (int m = 0; m < BOUGH_MEASURES; m++) {
        const bough_better *b = &report->better[m];
        if (b->decided || isnan(b->ratio) || (b->ratio <= 1 + 1e-9) != equal) continue;
        bough_text_printf(out, "%s%s", separator, check_measure_words(b->measure));
        if (!equal) bough_text_printf(out, " (%.3g +- %.2g)", b->ratio, b->ratio_ci95);
        separator = ", ";
    }
    return separator != before;
}

void check_better_sentence(bough_text *out, const bough_check_report *report) {
    const char *before = "";
    bool expected = false, any = false;
    for (int m = 0; m < BOUGH_MEASURES; m++) {
        expected = expected || report->better[m].expected;
        any = any || !isnan(report->better[m].ratio);
    }
    if (!any) {
        bough_text_put(out, "not compared: pairs are not routed");
        return;
    }
    for (size_t i = 0; i < report->parts; i++)
        if (put_best(out, report, i, before)) before = "; ";
    if (put_undecided(out, report, true, *before ? "; equal for " : "equal for ")) before = "; ";
    put_undecided(out, report, false,
                  *before ? "; within the noise for " : "the difference is within the noise for ");
    if (expected)
        bough_text_put(out, " (a routing that chooses at run time: expected values, runs are slower)");
}

/* ---- the fabric ---- */

static void put_slow(bough_text *out, const bough_check_report *report) {
    const bough_link_rates *r = &report->rates;
    char name[400];
    for (size_t i = 0; i < r->slows && i < SHOWN; i++) {
        size_t from = out->length;
        bough_text_printf(out, "%s%s: %g Gb/s instead of %g Gb/s", i ? "            " : "slow cables ",
                          check_cable_name(report->net, r->slow[i].link, name, sizeof name),
                          (double)r->slow[i].rate / 1e9, (double)r->slow[i].nominal / 1e9);
        bough_text_show(out, from);
        bough_text_put(out, "\n");
    }
    if (r->slows > SHOWN) bough_text_printf(out, "            and %zu more\n", r->slows - SHOWN);
}

static void put_spines(bough_text *out, const bough_check_report *report) {
    const bough_check_spines *s = &report->spines;
    if (!s->tried || s->roots_score <= s->score) return; /* the findings name the switches anyway */
    for (size_t i = 0; i < report->parts; i++)
        if (strcmp(report->part[i].routing->spec, s->roots) == 0) return; /* it is used */
    size_t from = out->length;
    bough_text_printf(out, "spines?     %" PRIu64 " switch%s with hosts look%s like %s: try --routing '%s'",
                      s->count, s->count == 1 ? "" : "es", s->count == 1 ? "s" : "",
                      s->count == 1 ? "a spine" : "spines", s->roots);
    bough_text_show(out, from);
    bough_text_printf(out,
                      "\n            all-to-all reaches %.1f %% of the ideal with these roots, %.1f %% with "
                      "those that updn chooses\n",
                      100 * s->roots_score, 100 * s->score);
    if (s->unrouted)
        bough_text_printf(out, "            %" PRIu64 " pairs have no route with these roots\n", s->unrouted);
}

static void put_single(bough_text *out, const bough_check_report *report) {
    const bough_single_points *s = &report->single;
    char name[400];
    if (s->unknown)
        bough_text_printf(out, "weak points not looked for, as %s (--faults each:cable tries every one)\n",
                          s->unknown);
    else if (!s->count)
        bough_text_put(out,
                       "weak points none: no single cable or switch separates endpoints, except hosts from "
                       "their own\n");
    for (size_t i = 0; i < s->count && i < SHOWN; i++) {
        const bough_single_point *p = &s->item[i];
        bool cable = p->link != BOUGH_NONE;
        size_t from = out->length;
        bough_text_printf(out, "%s%s %s alone joins %" PRIu64 " of %" PRIu64 " pairs%s",
                          i ? "            " : "weak points ", cable ? "cable" : "switch",
                          cable ? check_cable_name(report->net, p->link, name, sizeof name)
                                : bough_node_name(report->net, p->node, name, sizeof name),
                          p->pairs, s->pairs, p->own ? ", beside those of its own hosts" : "");
        bough_text_show(out, from);
        bough_text_put(out, "\n");
    }
    if (s->count > SHOWN)
        bough_text_printf(out, "            and %zu more; in all %zu cables and %zu switches\n",
                          s->count - SHOWN, s->cables, s->switches);
}

static void put_faster(bough_text *out, const bough_check_report *report, const bough_routing_report *part) {
    char name[400];
    for (size_t i = 0; i < part->failures.lists; i++) {
        const bough_failure *f = bough_failure_fastest(&part->failures.list[i]);
        if (!f) continue;
        size_t from = out->length;
        bough_text_printf(
            out, "faster      without %s: with the tables rerouted, all-to-all takes %.1f %% less time (%s)",
            failure_name(report->net, f, name, sizeof name), 100 * (1 - f->rerouted.slowdown),
            part->routing->spec);
        bough_text_show(out, from);
        bough_text_put(out, "\n");
    }
}

void check_summary_text(bough_text *out, const bough_check_report *report) {
    check_rates_text(out, &report->rates);
    if (report->rates.known)
        bough_text_printf(out, "ideal       every host at %g Gb/s, its commonest rate, and no other limit",
                          (double)report->rates.nominal / 1e9);
    else
        bough_text_put(out, "ideal       only the hosts' own links limit");
    if (report->wiring_score < 0.9995)
        bough_text_printf(out, "; the wiring allows all-to-all %.1f %% of it at most",
                          100 * report->wiring_score);
    bough_text_put(out, "\n\n");
    for (size_t i = 0; i < report->parts; i++) put_rating(out, report, &report->part[i]);
    if (report->parts > 1) {
        size_t from = out->length;
        bough_text_put(out, "comparison  ");
        check_better_sentence(out, report);
        bough_text_show(out, from);
        bough_text_put(out, "\n");
    }
    for (size_t i = 0; i < report->parts; i++) put_faster(out, report, &report->part[i]);
    put_spines(out, report);
    put_slow(out, report);
    put_single(out, report);
    bough_text_printf(
        out,
        "scale       good from %g %%, usable from %g %% of what the wiring allows any routing, for "
        "all-to-all and shifts\n",
        100 * BOUGH_RATING_GOOD_FROM, 100 * BOUGH_RATING_USABLE_FROM);
}
