/* The words and numbers that the reports of a check share. */
#include "fabric/check/check_words.h"
#include "base/text/text.h"
#include "method/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *check_number(double value, char buffer[CHECK_NUMBER]) {
    return quantity_format(value, 0, buffer);
}

const char *check_interval(double value, double ci95, const char *sign, char buffer[CHECK_INTERVAL]) {
    char number[QUANTITY_TEXT], interval[QUANTITY_TEXT];
    bool has = isfinite(ci95) && ci95 > 0;
    snprintf(buffer, CHECK_INTERVAL, "%s%s%s", quantity_format(value, ci95, number), has ? sign : "",
             has ? quantity_format_interval(value, ci95, interval) : "");
    return buffer;
}

const char *check_ratio(double value, char buffer[CHECK_NUMBER]) {
    if (value > 0 && value < 0.001)
        snprintf(buffer, CHECK_NUMBER, "less than 0.001");
    else if (value > 1 && value < 1.0005)
        snprintf(buffer, CHECK_NUMBER, "less than 1.001");
    else if (value > 1 && value < 1.005) /* not "1 times as fast" */
        snprintf(buffer, CHECK_NUMBER, "%.4g", value);
    else
        snprintf(buffer, CHECK_NUMBER, fabs(value) < 999.5 ? "%.3g" : "%.0f", value);
    return buffer;
}

const char *check_seconds(double value, double ci95, const char *sign, char buffer[CHECK_INTERVAL]) {
    quantity_unit unit = quantity_unit_of(BOUGH_METRIC_COMPLETION_TIME, value);
    check_interval(value * unit.factor, ci95 * unit.factor, sign, buffer);
    size_t used = strlen(buffer);
    snprintf(buffer + used, CHECK_INTERVAL - used, " %s", unit.name);
    return buffer;
}

const char *check_flows(double count) {
    return count == 1 ? "flow" : "flows";
}

const char *check_severity(bough_severity severity) {
    return severity == BOUGH_ERROR ? "error" : severity == BOUGH_WARN ? "warn" : "info";
}

bool check_job_ends(const bough_check_job_row *row) {
    return row->outcome == BOUGH_RUN_OK;
}

/* ---- cables ---- */

uint64_t check_cable(const bough_net *net, uint64_t link) {
    const uint64_t twin = bough_link_twin(net, link);
    return twin < link ? twin : link; /* BOUGH_NONE, for a link without one, is larger */
}

const char *check_cable_name(const bough_net *net, uint64_t link, char *buffer, size_t size) {
    uint64_t twin = net->ops->link_twin ? net->ops->link_twin(net, link) : BOUGH_NONE;
    if (twin == BOUGH_NONE || !net->ops->link_port) return bough_link_name(net, link, buffer, size);
    const uint64_t node[] = {bough_link_start(net, link), bough_link_start(net, twin)};
    char name[2][160], port[2][BOUGH_PORT_NAME];
    snprintf(buffer, size, "%s/%s - %s/%s", bough_node_name(net, node[0], name[0], sizeof name[0]),
             bough_port_name(net, node[0], net->ops->link_port(net, link), port[0], sizeof port[0]),
             bough_node_name(net, node[1], name[1], sizeof name[1]),
             bough_port_name(net, node[1], net->ops->link_port(net, twin), port[1], sizeof port[1]));
    return buffer;
}

const char *failure_name(const bough_net *net, const bough_failure *failure, char *buffer, size_t size) {
    if (failure->link == BOUGH_NONE) return bough_node_name(net, failure->node, buffer, size);
    return check_cable_name(net, failure->link, buffer, size);
}

/* ---- ratings ---- */

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

void check_slow_phrase(bough_text *out, const bough_check_report *report, const bough_routing_report *part) {
    char name[400];
    bough_text_printf(
        out,
        "the slow cable %s limits all-to-all, which would reach %.1f %% if all cables had their "
        "nominal rate",
        check_cable_name(report->net, check_cable(report->net, part->result.alltoall_limit), name,
                         sizeof name),
        100 * part->result.alltoall_repaired);
}

void check_rating_reason(bough_text *out, const bough_check_report *report,
                         const bough_routing_report *part) {
    const bough_check_result *r = &part->result;
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
    if (part->rating.slow_cable) {
        bough_text_put(out, "; ");
        check_slow_phrase(out, report, part);
    }
}

void check_deadlock_phrase(bough_text *out, const bough_check_result *r) {
    if (r->cycle)
        bough_text_printf(
            out, "on one virtual lane messages can wait for each other in a cycle of %" PRIu64 " links",
            r->cycle);
    else
        bough_text_put(out, "no deadlock on one virtual lane");
}

/* ---- headlines ---- */

typedef struct headlines {
    const bough_check_report *report;
    const char *const *name;
    check_headline_visit *visit;
    void *context;
    bool failed;
} headlines;

static void visit(headlines *h, const char *label, bough_text *sentence) {
    h->failed |= sentence->failed;
    if (!sentence->failed) h->visit(h->context, label, sentence->data);
    bough_text_fini(sentence);
}

/* What a failure costs, and until when: the answer to a question about faults. */
static void visit_failure(headlines *h, size_t part, const char *what, const bough_failure *f) {
    const uint64_t pairs = h->report->part[part].failures.whole.pairs;
    bough_text text = {0};
    bough_text_printf(&text, "%s: ", what);
    if (f->cut)
        bough_text_printf(&text, "%" PRIu64 " of %" PRIu64 " pairs have no path left", f->cut, pairs);
    else if (f->rerouted.slowdown < 1.0005)
        bough_text_put(&text, "all-to-all takes no longer");
    else
        bough_text_printf(&text, "all-to-all takes %.3f times as long", f->rerouted.slowdown);
    bough_text_printf(&text, " with the %s%s", failure_answer(f->anew),
                      h->report->part[part].failures.made ? " (minimal tables, as none were given)" : "");
    if (f->lost)
        bough_text_printf(&text, "; until then %" PRIu64 " of %" PRIu64 " pairs are lost", f->lost, pairs);
    if (h->report->parts > 1) bough_text_printf(&text, " (%s)", h->name[part]);
    visit(h, "failures", &text);
}

/* Whether it cuts only hosts of its own off, which is no news. */
static bool cuts_own(const bough_failure *f) {
    return f->cut && f->cut == f->own;
}

static const bough_failure *worst_of(const bough_failure_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (!cuts_own(&list->item[i])) return &list->item[i];
    return list->count ? list->item : NULL;
}

/* "the worst single cable, leaf1/9 - spine1/1"; "8 of 12 cut only their own hosts off; the worst other
 * switch, spine1". */
static void put_worst(const bough_failure_list *list, const char *name, char *buffer, size_t size) {
    size_t own = 0;
    for (size_t i = 0; i < list->count; i++) own += cuts_own(&list->item[i]);
    if (own && own < list->count)
        snprintf(buffer, size, "%zu of %zu cut only their own hosts off; the worst other %s, %s", own,
                 list->count, list->what, name);
    else
        snprintf(buffer, size, "the worst single %s, %s", list->what, name);
}

static void visit_failures(headlines *h, size_t part) {
    const bough_check_failures *r = &h->report->part[part].failures;
    char name[400], what[600];
    if (r->missing) {
        snprintf(what, sizeof what, "without %s", r->missing);
        visit_failure(h, part, what, &r->without);
    }
    for (size_t i = 0; i < r->lists; i++) {
        const bough_failure *worst = worst_of(&r->list[i]);
        if (!worst) continue;
        put_worst(&r->list[i], failure_name(h->report->net, worst, name, sizeof name), what, sizeof what);
        visit_failure(h, part, what, worst);
    }
}

static void visit_faster(headlines *h, size_t part) {
    const bough_check_failures *failures = &h->report->part[part].failures;
    char name[400];
    for (size_t i = 0; i < failures->lists; i++) {
        const bough_failure *f = bough_failure_fastest(&failures->list[i]);
        bough_text text = {0};
        if (!f) continue;
        bough_text_printf(&text, "without %s: with new tables, all-to-all takes %.1f %% less time (%s)%s",
                          failure_name(h->report->net, f, name, sizeof name),
                          100 * (1 - f->rerouted.slowdown), h->name[part],
                          h->report->part[part].rating.slow_cable ? "; a slow cable limits it, see below"
                                                                  : "");
        visit(h, "faster", &text);
    }
}

enum { MISSING_NAMED = 3 };

/* Cables that are missing between switches, which can cost half the bandwidth: some by name, and how many
 * more. Those that the same words are true of share them. */
static void visit_missing(headlines *h) {
    const bough_findings *f = &h->report->wiring;
    const bough_finding *first = NULL;
    bough_text text = {0};
    size_t named = 0, more = 0;
    for (size_t i = 0; i < f->count; i++) {
        const bough_finding *now = &f->item[i];
        if (strcmp(now->kind, "missing-cable") != 0) continue;
        if (!first) first = now;
        if (named < MISSING_NAMED && strcmp(now->text, first->text) == 0)
            bough_text_printf(&text, "%s%s", named++ ? ", " : "", now->where);
        else
            more++;
    }
    if (!first) return;
    bough_text_printf(&text, ": %s", first->text);
    if (more) bough_text_printf(&text, "; and %zu more (missing-cable)", more);
    visit(h, "missing", &text);
}

static void visit_slow(headlines *h) {
    const bough_link_rates *r = &h->report->rates;
    char words[200];
    for (size_t i = 0; i < r->kinds; i++) {
        bough_text text = {0};
        if (!bough_rate_class_mixed(&r->kind[i])) continue;
        bough_text_put(&text, bough_rate_class_text(h->report->net, &r->kind[i], words, sizeof words));
        visit(h, r->kind[i].level ? "slow cables" : "slow hosts", &text);
    }
}

bool check_headlines(const bough_check_report *report, const char *const *name, check_headline_visit *see,
                     void *context) {
    headlines h = {report, name, see, context, false};
    for (size_t i = 0; i < report->parts; i++) visit_failures(&h, i);
    for (size_t i = 0; i < report->parts; i++) visit_faster(&h, i);
    visit_missing(&h);
    visit_slow(&h);
    return !h.failed;
}

bool check_worst_bounded(const bough_check_report *report, const bough_routing_report *part) {
    return report->worst == BOUGH_CHECK_WORST_CHEAP && !part->worst_known &&
           report->net->endpoints > BOUGH_CHECK_WORST_CHEAP_ENDPOINTS && !isnan(part->worst_least);
}

static bool any_worst_bounded(const bough_check_report *report) {
    for (size_t i = 0; i < report->parts; i++)
        if (check_worst_bounded(report, &report->part[i])) return true;
    return false;
}

bool check_worst_known(const bough_check_report *report) {
    for (size_t i = 0; i < report->parts; i++)
        if (!report->part[i].worst_known) return false;
    return true;
}

const char *check_not_looked_at(const bough_check_report *report, char buffer[CHECK_NOT_LOOKED_AT_MAX]) {
    snprintf(buffer, CHECK_NOT_LOOKED_AT_MAX,
             "Not checked: %sservice levels and virtual lanes (deadlock: on one lane), "
             "%s%sand traffic other than all-to-all, %s.",
             check_adaptive_known(report) ? "" : "adaptive routing, ",
             report->counters ? "" : "cable errors, ",
             any_worst_bounded(report) ? "the worst permutation (ask with --worst), " : "",
             check_worst_known(report) ? "shifts, random permutations and the worst one"
                                       : "shifts and random permutations");
    return buffer;
}
