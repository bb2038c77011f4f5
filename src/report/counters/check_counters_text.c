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

typedef struct link_table {
    const char *title;
    const uint64_t *link;
    size_t count;
    bool wait;
} link_table;

/* Four digits, but no exponents of large numbers. */
static void add_amount(text_table *t, double value) {
    char text[CHECK_NUMBER];
    snprintf(text, sizeof text, fabs(value) >= 1000 && value < 1e18 ? "%.0f" : "%.4g", value);
    text_table_add(t, isnan(value) ? "-" : text);
}

static void add_link(const check_writer *w, text_table *t, uint64_t link, bool wait) {
    const bough_counters *c = w->report->counters;
    const bough_counters_fit *fit = &c->fit[c->best];
    const bough_net *net = w->report->net;
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

static void print_table(check_writer *w, const link_table *list) {
    text_table t = {.labels = 1};
    if (!list->count) return;
    check_empty_line(w);
    check_line_at(w, 2, "%s:", list->title);
    text_table_head(&t, "link", false);
    text_table_head(&t, "MB", true);
    if (!isnan(w->report->counters->interval)) {
        text_table_head(&t, "MB/s", true);
        text_table_head(&t, "% of rate", true);
    }
    text_table_head(&t, "% of all", true);
    text_table_head(&t, "predicted", true);
    if (list->wait) text_table_head(&t, "ticks", true);
    text_table_end_row(&t);
    for (size_t i = 0; i < shown_of(w, list->count); i++) add_link(w, &t, list->link[i], list->wait);
    check_table(w, &t, 2);
    print_rest(w, list->count);
}

/* ---- the busiest links ---- */

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

static void print_busy(check_writer *w, const bough_counters *c) {
    const uint64_t links = w->report->net->links;
    busy_link *busy = malloc((links + 1) * sizeof *busy);
    uint64_t *link = malloc((links + 1) * sizeof *link);
    if (busy && link) {
        const size_t count = list_busy(w->report->net, c, busy);
        for (size_t i = 0; i < count; i++) link[i] = busy[i].link;
        print_table(w, &(link_table){"busiest links", link, count, false});
    } else {
        w->out.failed = true;
    }
    free(busy);
    free(link);
}

/* ---- errors ---- */

/* "leaf1/19: SymbolErrorCounter 12, LinkDownedCounter 1" */
static void put_end(check_writer *w, const bough_counted_cable *cable, int end) {
    const bough_net *net = w->report->net;
    const bough_link_end far = net->ops->link_end(net, cable->link);
    const uint64_t node = end ? far.node : bough_link_start(net, cable->link);
    const uint32_t port = bough_net_fabric_port(net, cable->link);
    const bough_fabric_port *p = &net->fabric->port[port];
    char name[160];
    size_t count = 0;
    for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++) {
        if (!cable->error[end][c]) continue;
        if (!count++)
            check_put(w, "; %s/%" PRIu32 ":", bough_node_name(net, node, name, sizeof name),
                      end ? net->fabric->port[p->peer].number : p->number);
        check_put(w, "%s %s %" PRIu64, count > 1 ? "," : "", bough_counter_name((bough_counter)c),
                  cable->error[end][c]);
    }
    if (cable->at_least[end]) check_put(w, " (at least)");
}

static void print_cables(check_writer *w, const bough_counters *c) {
    char name[300], share[CHECK_NUMBER];
    if (c->cables) {
        check_empty_line(w);
        check_line_at(w, 2, "%zu cable%s with errors, by predicted traffic:", c->cables, plural(c->cables));
    }
    for (size_t i = 0; i < shown_of(w, c->cables); i++) {
        const bough_counted_cable *cable = &c->cable[i];
        check_begin_at(w, 4);
        check_put(w, "  %s: %s %% of the predicted traffic",
                  check_cable_name(w->report->net, cable->link, name, sizeof name),
                  check_number(100 * cable->predicted, share));
        if (!isnan(cable->measured))
            check_put(w, ", %s %% of the measured", check_number(100 * cable->measured, share));
        put_end(w, cable, 0);
        put_end(w, cable, 1);
        check_end(w);
    }
    print_rest(w, c->cables);
    if (c->other_errors)
        check_line_at(w, 2, "%" PRIu64 " port%s beside these counted errors; the network has no cable there",
                      c->other_errors, plural(c->other_errors));
}

void check_counters_text(check_writer *w) {
    const bough_counters *c = w->report->counters;
    if (!c) return;
    const bough_counters_fit *best = &c->fit[c->best];
    print_files(w, c);
    for (size_t i = 0; i < c->fits; i++) print_fit(w, c, &c->fit[i]);
    print_busy(w, c);
    print_table(w, &(link_table){"more than predicted", best->hot, best->hots, false});
    print_table(w, &(link_table){"predicted, and almost idle", best->idle, best->idles, false});
    print_table(w, &(link_table){"waited, no contention predicted", best->wait, best->waits, true});
    print_cables(w, c);
}
