/* Measured counters beside the predicted loads: which prediction fits, the links that differ, cables with
 * errors.
 */
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A list of links of the fit that is best, or of the busiest ones. */
typedef struct counters_list {
    const char *title;
    const uint64_t *link;
    size_t count;
    bool wait; /* with ticks of PortXmitWait */
} counters_list;
enum { LISTS = 3 };

/* Four digits, but no exponents of large numbers. */
static void add_amount(text_table *t, double value) {
    char text[CHECK_NUMBER];
    snprintf(text, sizeof text, fabs(value) >= 1000 && value < 1e18 ? "%.0f" : "%.4g", value);
    text_table_add(t, isnan(value) ? "-" : text);
}

static void add_link(const bough_check_report *report, text_table *t, uint64_t link, bool wait) {
    const bough_counters *c = report->counters;
    const bough_counters_fit *fit = &c->fit[c->best];
    const bough_net *net = report->net;
    const double bytes = c->bytes[link], rate = (double)bough_net_link_rate(net, link);
    const bool counted = !isnan(bytes) && fit->total > 0;
    char name[300];
    text_table_add(t, bough_link_name(net, link, name, sizeof name));
    add_amount(t, bytes / 1e6);
    if (!isnan(c->interval)) {
        add_amount(t, bytes / 1e6 / c->interval);
        text_table_add_number(t, 3, rate > 0 ? 100 * 8 * bytes / c->interval / rate : NAN);
    }
    text_table_add_number(t, 4, c->total > 0 ? 100 * bytes / c->total : NAN);
    text_table_add_number(t, 4, counted ? 100 * fit->load[link] / fit->total : NAN);
    if (wait) text_table_add_number(t, 0, c->wait[link]);
    text_table_end_row(t);
}

static void list_links(const bough_check_report *report, const counters_list *list, text_table *t) {
    text_table_head(t, "link", false);
    text_table_head(t, "MB", true);
    if (!isnan(report->counters->interval)) {
        text_table_head(t, "MB/s", true);
        text_table_head(t, "% of rate", true);
    }
    text_table_head(t, "% of all", true);
    text_table_head(t, "predicted", true);
    if (list->wait) text_table_head(t, "ticks", true);
    text_table_end_row(t);
    for (size_t i = 0; i < list->count; i++) add_link(report, t, list->link[i], list->wait);
}

/* ---- lists of links ---- */

typedef struct busy_link {
    double use;
    uint64_t link;
} busy_link;

static int by_use(const void *a, const void *b) {
    const busy_link *x = a, *y = b;
    if (x->use != y->use) return x->use > y->use ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

static size_t list_busy(const bough_net *net, const bough_counters *c, busy_link *busy) {
    size_t count = 0;
    for (uint64_t l = 0; l < net->links; l++) {
        const double rate = (double)bough_net_link_rate(net, l);
        if (c->bytes[l] > 0) busy[count++] = (busy_link){rate > 0 ? c->bytes[l] / rate : c->bytes[l], l};
    }
    if (count) qsort(busy, count, sizeof *busy, by_use);
    return count;
}

static uint64_t *find_busy(const bough_check_report *report, counters_list *list) {
    const uint64_t links = report->net->links;
    busy_link *busy = malloc((links + 1) * sizeof *busy);
    uint64_t *link = busy ? malloc((links + 1) * sizeof *link) : NULL;
    *list = (counters_list){.title = "busiest links", .link = link};
    if (link) {
        list->count = list_busy(report->net, report->counters, busy);
        for (size_t i = 0; i < list->count; i++) link[i] = busy[i].link;
    }
    free(busy);
    return link;
}

static size_t find_lists(const bough_counters *c, counters_list list[LISTS]) {
    const bough_counters_fit *best = &c->fit[c->best];
    list[0] = (counters_list){"more than predicted", best->hot, best->hots, false};
    list[1] = (counters_list){"predicted, and almost idle", best->idle, best->idles, false};
    list[2] = (counters_list){"waited, no contention predicted", best->wait, best->waits, true};
    return LISTS;
}

/* ---- errors ---- */

static void put_errors(const bough_net *net, const bough_counted_cable *cable, int end, bough_text *out) {
    const bough_link_end far = net->ops->link_end(net, cable->link);
    const uint64_t node = end ? far.node : bough_link_start(net, cable->link);
    const uint32_t port = end ? far.port : net->ops->link_port(net, cable->link);
    char name[160], port_name[BOUGH_PORT_NAME];
    size_t count = 0;
    for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++) {
        if (!cable->error[end][c]) continue;
        if (!count++)
            bough_text_printf(out, "; %s/%s:", bough_node_name(net, node, name, sizeof name),
                              bough_port_name(net, node, port, port_name, sizeof port_name));
        bough_text_printf(out, "%s %s %" PRIu64, count > 1 ? "," : "", bough_counter_name((bough_counter)c),
                          cable->error[end][c]);
    }
    if (cable->at_least[end]) bough_text_put(out, " (at least)");
}

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

enum { SHOWN = 6 }; /* links and cables of a list */

/* ---- files ---- */

static void put_files(const check_view *w, const bough_counters *c) {
    char number[CHECK_NUMBER];
    if (!c->after)
        document_heading(w->doc, "counters", "%s, since the counters were cleared", c->before);
    else
        document_heading(w->doc, "counters", "from %s to %s", c->before, c->after);
    if (isnan(c->interval))
        document_fact(w->doc, "", "the time is not known, so that there are no rates (--interval SECONDS)");
    else
        document_fact(w->doc, "", "%s s, %s", check_number(c->interval, number),
                      c->interval_given ? "as given" : "as the files say");
    document_begin(w->doc, DOCUMENT_FACT, "links");
    document_put(w->doc, "%" PRIu64 " of %" PRIu64 " counted, %s MB in all", c->count[BOUGH_LINK_COUNTED],
                 c->links, check_number(c->total / 1e6, number));
    if (c->count[BOUGH_LINK_NOT_BEFORE] + c->count[BOUGH_LINK_NOT_AFTER])
        document_put(w->doc, "; %" PRIu64 " without counters",
                     c->count[BOUGH_LINK_NOT_BEFORE] + c->count[BOUGH_LINK_NOT_AFTER]);
    if (c->count[BOUGH_LINK_RESET])
        document_put(w->doc, "; %" PRIu64 " whose counters went down", c->count[BOUGH_LINK_RESET]);
    if (c->count[BOUGH_LINK_SATURATED])
        document_put(w->doc, "; %" PRIu64 " whose counters stand at their maximum",
                     c->count[BOUGH_LINK_SATURATED]);
    document_end(w->doc);
    if (c->after && c->count[BOUGH_LINK_RESET] && c->count[BOUGH_LINK_RESET] == c->links)
        document_fact(w->doc, "", "all went down: --counters takes the earlier file first");
}

/* ---- predictions ---- */

static void put_fit(const check_view *w, const bough_counters *c, const bough_counters_fit *fit) {
    char share[CHECK_NUMBER], one[CHECK_NUMBER], all[CHECK_NUMBER];
    document_begin(w->doc, DOCUMENT_FACT,
                   fit == &c->fit[c->best] && c->fits > 1 ? "fits best" : "prediction");
    document_put(w->doc, "%s under %s: ", fit->traffic, w->name[fit->part]);
    if (c->total > 0 && fit->covered < BOUGH_COUNTERS_COVERED) {
        document_put(w->doc, "not compared, as the counted links have %s %% of the predicted traffic",
                     check_number(100 * fit->covered, share));
    } else if (isnan(fit->elsewhere)) {
        document_put(w->doc, "no traffic was counted where it predicts some");
    } else {
        document_put(w->doc, "%s %% of the traffic is on other links than predicted",
                     check_number(100 * fit->elsewhere, share));
        document_put(w->doc, "; 1 predicted %s is %s bytes (median of the links; of the totals %s)",
                     fit->bytes ? "byte" : "flow", check_number(fit->factor, one),
                     check_number(fit->factor_mean, all));
    }
    document_end(w->doc);
}

/* ---- tables of links ---- */

static void put_table(const check_view *w, const counters_list *list) {
    text_table t = {.labels = 1};
    bough_text more = {0};
    if (!list->count) return;
    document_line(w->doc, "%s:", list->title);
    list_links(w->report, list, &t);
    bough_text_printf(&more, "... and %zu more", list->count > SHOWN ? list->count - SHOWN : 0);
    document_long_table(w->doc, &t, list->title, SHOWN, &more);
}

static void put_busy(const check_view *w) {
    counters_list list;
    uint64_t *link = find_busy(w->report, &list);
    w->doc->failed |= !link;
    put_table(w, &list);
    free(link);
}

/* ---- errors ---- */

static void put_cables(const check_view *w, const bough_counters *c) {
    char name[300], share[CHECK_NUMBER];
    if (c->cables) {
        document_line(w->doc, "%zu cable%s with errors, the worst first:", c->cables, plural(c->cables));
    }
    for (size_t i = 0; i < c->cables && i < SHOWN; i++) {
        const bough_counted_cable *cable = &c->cable[i];
        document_begin(w->doc, DOCUMENT_LINE, NULL);
        document_put(w->doc, "%s: %s %% of the predicted traffic",
                     check_cable_name(w->report->net, cable->link, name, sizeof name),
                     check_number(100 * cable->predicted, share));
        if (!isnan(cable->measured))
            document_put(w->doc, ", %s %% of the measured", check_number(100 * cable->measured, share));
        bough_text ends = {0};
        bough_text_put(&ends, "");
        put_errors(w->report->net, cable, 0, &ends);
        put_errors(w->report->net, cable, 1, &ends);
        document_put(w->doc, "%s", ends.failed ? "" : ends.data);
        if (cable->nominal)
            document_put(w->doc, "; runs at %g Gb/s, most of its kind at %g Gb/s",
                         (double)bough_net_link_rate(w->report->net, cable->link) / 1e9,
                         (double)cable->nominal / 1e9);
        w->doc->failed |= ends.failed;
        bough_text_fini(&ends);
        document_end(w->doc);
    }
    if (c->cables > SHOWN) document_line(w->doc, "... and %zu more (--json has all)", c->cables - SHOWN);
    if (c->other_errors)
        document_line(w->doc,
                      "%" PRIu64 " port%s beside these counted errors; the network has no cable there",
                      c->other_errors, plural(c->other_errors));
}

void check_counters_describe(const check_view *w) {
    const bough_counters *c = w->report->counters;
    counters_list list[LISTS];
    if (!c) return;
    document_section(w->doc, "counters", "Measured counters");
    put_files(w, c);
    for (size_t i = 0; i < c->fits; i++) put_fit(w, c, &c->fit[i]);
    put_busy(w);
    for (size_t i = 0; i < find_lists(c, list); i++) put_table(w, &list[i]);
    put_cables(w, c);
}
