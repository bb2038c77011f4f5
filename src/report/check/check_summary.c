/* What a reader has to know first: how good each routing is, which is better, and what weakens the fabric. */
#include "network/physical/physical.h"
#include "report/check/check_rates.h"
#include "report/check/check_render.h"
#include "report/check/check_writer.h"
#include "report/comparison/routing_comparison.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SHOWN = 3 };

/* ---- one routing ---- */

static void put_score(bough_text *out, const bough_check_report *report, const bough_routing_report *part) {
    const bough_check_result *r = &part->result;
    bough_text_printf(out, "all-to-all reaches %.1f %% of the ideal", 100 * r->alltoall_score);
    if (report->tables_score < 0.9995)
        bough_text_printf(out, ", %.1f %% of what tables can reach (%.1f %%)", 100 * part->rating.of_tables,
                          100 * report->tables_score);
    if (report->rates.counts && report->rates.unknown)
        bough_text_put(out, " (unknown rates are taken as those of the setting)");
    if (r->expected) bough_text_put(out, " (expected values; single runs are slower)");
}

void check_rating_reason(bough_text *out, const bough_check_report *report,
                         const bough_routing_report *part) {
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
        put_score(out, report, part);
        break;
    }
    if (part->rating.slow_cable)
        bough_text_printf(
            out, "; the slow cable %s limits all-to-all: %.1f %% if all cables had their nominal rate",
            check_cable_name(report->net, r->alltoall_limit, name, sizeof name), 100 * r->alltoall_repaired);
}

void check_deadlock_phrase(bough_text *out, const bough_check_result *r) {
    if (r->cycle)
        bough_text_printf(
            out, "on one virtual lane messages can wait for each other in a cycle of %" PRIu64 " links",
            r->cycle);
    else
        bough_text_put(out, "no deadlock on one virtual lane");
}

const text_style check_rating_style[] = {[BOUGH_RATING_NONE] = TEXT_PLAIN,
                                         [BOUGH_RATING_GOOD] = TEXT_GOOD,
                                         [BOUGH_RATING_USABLE] = TEXT_WARNING,
                                         [BOUGH_RATING_BAD] = TEXT_ERROR};

static void print_rating(check_writer *w, size_t i) {
    const bough_routing_report *part = &w->report->part[i];
    check_begin(w, "rating");
    check_put_styled(w, check_rating_style[part->rating.word], bough_rating_name(part->rating.word));
    check_put(w, ": %s", w->name[i]);
    check_end(w);
    check_begin(w, "");
    check_rating_reason(&w->line, w->report, part);
    check_end(w);
    check_begin(w, "");
    check_deadlock_phrase(&w->line, &part->result);
    check_end(w);
}

/* What stands in no column of the table of routings. */
void check_rating_note(check_writer *w, size_t i) {
    const bough_routing_report *part = &w->report->part[i];
    const bool slow = part->rating.slow_cable, words = part->rating.reason != BOUGH_RATING_ALLTOALL;
    if (part->result.expected)
        check_line(w, w->name[i], "chooses at run time: expected values; single runs are slower");
    if (!words && !slow && !w->report->rates.unknown) return;
    check_begin(w, w->name[i]);
    check_rating_reason(&w->line, w->report, part);
    check_end(w);
}

/* ---- several ---- */

const char *check_measure_words(bough_measure measure) {
    static const char *const words[] = {"all-to-all", "shifts", "random permutations",
                                        "the worst permutation"};
    return words[measure];
}

/* ---- the fabric ---- */

static void print_slow(check_writer *w) {
    const bough_link_rates *r = &w->report->rates;
    char name[400], rate[CHECK_NUMBER], nominal[CHECK_NUMBER];
    size_t shown = 0;
    for (size_t i = 0; i < r->slows; i++) {
        const bough_slow_cable *slow = &r->slow[i];
        if (!slow->single || shown++ >= SHOWN) continue;
        check_line(w, shown > 1 ? "" : "slow cables", "%s: %s Gb/s instead of %s Gb/s",
                   check_cable_name(w->report->net, slow->link, name, sizeof name),
                   check_number((double)slow->rate / 1e9, rate),
                   check_number((double)slow->nominal / 1e9, nominal));
    }
    if (shown > SHOWN) check_line(w, "", "and %zu more", shown - SHOWN);
}

static void print_single_point(check_writer *w, size_t i) {
    const bough_net *net = w->report->net;
    const bough_single_points *s = &w->report->single;
    const bough_single_point *p = &s->item[i];
    const bool cable = p->link != BOUGH_NONE;
    char name[400];
    check_line(w, i ? "" : "weak points", "%s %s alone joins %" PRIu64 " of %" PRIu64 " pairs%s",
               cable ? "cable" : "switch",
               cable ? check_cable_name(net, p->link, name, sizeof name)
                     : bough_node_name(net, p->node, name, sizeof name),
               p->pairs, s->pairs, p->own ? ", beside those of its own hosts" : "");
}

static void print_single(check_writer *w) {
    const bough_single_points *s = &w->report->single;
    if (s->unknown)
        check_line(w, "weak points", "not looked for, as %s", s->unknown);
    else if (!s->count)
        check_line(w, "weak points",
                   "none: no single cable or switch separates endpoints, except hosts from their own");
    for (size_t i = 0; i < s->count && i < SHOWN; i++) print_single_point(w, i);
    if (s->count > SHOWN)
        check_line(w, "", "and %zu more; in all %zu cable%s and %zu switch%s", s->count - SHOWN, s->cables,
                   s->cables == 1 ? "" : "s", s->switches, s->switches == 1 ? "" : "es");
}

static void print_headline(void *writer, const char *label, const char *sentence) {
    check_line(writer, label, "%s", sentence);
}

static void print_ideal(check_writer *w) {
    const bough_check_report *report = w->report;
    const bough_rate_class *hosts = report->rates.kinds ? report->rates.kind : NULL;
    char rate[CHECK_NUMBER];
    if (hosts && hosts->level) hosts = NULL;
    check_begin(w, "ideal");
    check_put(w, "every host sends at %s Gb/s%s", check_number((double)report->rates.nominal / 1e9, rate),
              report->rates.equal   ? ""
              : hosts && hosts->tie ? ", the faster of the most common host rates"
                                    : ", the most common host rate");
    if (report->wiring_score < 0.9995)
        check_put(w, "; the wiring limits all-to-all to %.1f %% of that", 100 * report->wiring_score);
    check_end(w);
}

void check_facts_text(check_writer *w) {
    check_begin(w, "rates");
    check_rates_words(&w->line, w->report->net, &w->report->rates);
    check_end(w);
    print_ideal(w);
    check_empty_line(w);
}

void check_weak_text(check_writer *w) {
    w->out.failed |= !check_headlines(w->report, w->name, print_headline, w);
    print_slow(w);
    print_single(w);
}

void check_scale_text(check_writer *w) {
    check_line(w, "scale",
               "good from %g %%, usable from %g %% of the all-to-all that forwarding tables can reach",
               100 * BOUGH_RATING_GOOD_FROM, 100 * BOUGH_RATING_USABLE_FROM);
}

void check_better_text(check_writer *w) {
    if (w->report->parts < 2) return;
    check_begin(w, "comparison");
    routing_comparison_put(&w->line, &(routing_words){w->report, w->name, CHECK_SIGN});
    check_end(w);
}

void check_summary_text(check_writer *w) {
    check_facts_text(w);
    for (size_t i = 0; i < w->report->parts; i++) print_rating(w, i);
    check_better_text(w);
    check_weak_text(w);
    check_scale_text(w);
}
