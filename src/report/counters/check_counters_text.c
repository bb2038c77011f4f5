#include "report/check/check_render.h"
#include "report/counters/check_counters_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* Rows to print of a list. */
static size_t shown_of(const check_writer *w, size_t count) {
    const uint64_t most = w->options.findings;
    return most && most < count ? most : count;
}

static void print_rest(check_writer *w, size_t count) {
    const size_t shown = shown_of(w, count);
    if (shown < count) check_line_at(w, 2, "... and %zu more", count - shown);
}

/* ---- files ---- */

static void print_files(check_writer *w, const bough_counters *c) {
    char number[CHECK_NUMBER];
    if (!c->after)
        check_heading(w, "counters", "%s, since the counters were cleared", c->before);
    else
        check_heading(w, "counters", "from %s to %s", c->before, c->after);
    if (isnan(c->interval))
        check_line(w, "", "the time is not known, so that there are no rates (--interval SECONDS)");
    else
        check_line(w, "", "%s s, %s", check_number(c->interval, number),
                   c->interval_given ? "as given" : "as the files say");
    check_begin(w, "links");
    check_put(w, "%" PRIu64 " of %" PRIu64 " counted, %s MB in all", c->count[BOUGH_LINK_COUNTED], c->links,
              check_number(c->total / 1e6, number));
    if (c->count[BOUGH_LINK_NOT_BEFORE] + c->count[BOUGH_LINK_NOT_AFTER])
        check_put(w, "; %" PRIu64 " without counters",
                  c->count[BOUGH_LINK_NOT_BEFORE] + c->count[BOUGH_LINK_NOT_AFTER]);
    if (c->count[BOUGH_LINK_RESET])
        check_put(w, "; %" PRIu64 " whose counters went down", c->count[BOUGH_LINK_RESET]);
    if (c->count[BOUGH_LINK_SATURATED])
        check_put(w, "; %" PRIu64 " whose counters stand at their maximum", c->count[BOUGH_LINK_SATURATED]);
    check_end(w);
    if (c->after && c->count[BOUGH_LINK_RESET] && c->count[BOUGH_LINK_RESET] == c->links)
        check_line(w, "", "all went down: --counters takes the earlier file first");
}

/* ---- predictions ---- */

static void print_fit(check_writer *w, const bough_counters *c, const bough_counters_fit *fit) {
    char share[CHECK_NUMBER], one[CHECK_NUMBER], all[CHECK_NUMBER];
    check_begin(w, fit == &c->fit[c->best] && c->fits > 1 ? "fits best" : "prediction");
    check_put(w, "%s under %s: ", fit->traffic, w->name[fit->part]);
    if (c->total > 0 && fit->covered < BOUGH_COUNTERS_COVERED) {
        check_put(w, "not compared, as the counted links have %s %% of the predicted traffic",
                  check_number(100 * fit->covered, share));
    } else if (isnan(fit->elsewhere)) {
        check_put(w, "no traffic was counted where it predicts some");
    } else {
        check_put(w, "%s %% of the traffic is on other links than predicted",
                  check_number(100 * fit->elsewhere, share));
        check_put(w, "; 1 predicted %s is %s bytes (median of the links; of the totals %s)",
                  fit->bytes ? "byte" : "flow", check_number(fit->factor, one),
                  check_number(fit->factor_mean, all));
    }
    check_end(w);
}

/* ---- tables of links ---- */

static void print_table(check_writer *w, const counters_list *list) {
    text_table t = {.labels = 1};
    if (!list->count) return;
    check_empty_line(w);
    check_line_at(w, 2, "%s:", list->title);
    check_counters_table(w->report, list, shown_of(w, list->count), &t);
    check_table(w, &t, 2);
    print_rest(w, list->count);
}

static void print_busy(check_writer *w) {
    counters_list list;
    uint64_t *link = check_counters_busy(w->report, &list);
    w->out.failed |= !link;
    print_table(w, &list);
    free(link);
}

/* ---- errors ---- */

static void print_cables(check_writer *w, const bough_counters *c) {
    char name[300], share[CHECK_NUMBER];
    if (c->cables) {
        check_empty_line(w);
        check_line_at(w, 2, "%zu cable%s with errors, the worst first:", c->cables, plural(c->cables));
    }
    for (size_t i = 0; i < shown_of(w, c->cables); i++) {
        const bough_counted_cable *cable = &c->cable[i];
        check_begin_at(w, 4);
        check_put(w, "  %s: %s %% of the predicted traffic",
                  check_cable_name(w->report->net, cable->link, name, sizeof name),
                  check_number(100 * cable->predicted, share));
        if (!isnan(cable->measured))
            check_put(w, ", %s %% of the measured", check_number(100 * cable->measured, share));
        bough_text ends = {0};
        bough_text_put(&ends, "");
        check_counters_errors(w->report->net, cable, 0, &ends);
        check_counters_errors(w->report->net, cable, 1, &ends);
        check_put(w, "%s", ends.failed ? "" : ends.data);
        if (cable->nominal)
            check_put(w, "; runs at %g Gb/s, most of its kind at %g Gb/s",
                      (double)bough_net_link_rate(w->report->net, cable->link) / 1e9,
                      (double)cable->nominal / 1e9);
        w->out.failed |= ends.failed;
        bough_text_fini(&ends);
        check_end(w);
    }
    print_rest(w, c->cables);
    if (c->other_errors)
        check_line_at(w, 2, "%" PRIu64 " port%s beside these counted errors; the network has no cable there",
                      c->other_errors, plural(c->other_errors));
}

void check_counters_text(check_writer *w) {
    const bough_counters *c = w->report->counters;
    counters_list list[COUNTERS_LISTS];
    if (!c) return;
    print_files(w, c);
    for (size_t i = 0; i < c->fits; i++) print_fit(w, c, &c->fit[i]);
    print_busy(w);
    for (size_t i = 0; i < check_counters_lists(c, list); i++) print_table(w, &list[i]);
    print_cables(w, c);
}
