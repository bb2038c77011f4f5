/* Links and cables with their counters, as rows for text and page. */
#include "report/check/check_render.h"
#include "report/counters/check_counters_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

void check_counters_table(const bough_check_report *report, const counters_list *list, size_t rows,
                          text_table *t) {
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
    for (size_t i = 0; i < rows; i++) add_link(report, t, list->link[i], list->wait);
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

uint64_t *check_counters_busy(const bough_check_report *report, counters_list *list) {
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

size_t check_counters_lists(const bough_counters *c, counters_list list[COUNTERS_LISTS]) {
    const bough_counters_fit *best = &c->fit[c->best];
    list[0] = (counters_list){"more than predicted", best->hot, best->hots, false};
    list[1] = (counters_list){"predicted, and almost idle", best->idle, best->idles, false};
    list[2] = (counters_list){"waited, no contention predicted", best->wait, best->waits, true};
    return COUNTERS_LISTS;
}

/* ---- errors ---- */

void check_counters_errors(const bough_net *net, const bough_counted_cable *cable, int end, bough_text *out) {
    const bough_link_end far = net->ops->link_end(net, cable->link);
    const uint64_t node = end ? far.node : bough_link_start(net, cable->link);
    const uint32_t port = bough_net_fabric_port(net, cable->link);
    const bough_fabric_port *p = &net->fabric->port[port];
    char name[160];
    size_t count = 0;
    for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++) {
        if (!cable->error[end][c]) continue;
        if (!count++)
            bough_text_printf(out, "; %s/%" PRIu32 ":", bough_node_name(net, node, name, sizeof name),
                              end ? net->fabric->port[p->peer].number : p->number);
        bough_text_printf(out, "%s %s %" PRIu64, count > 1 ? "," : "", bough_counter_name((bough_counter)c),
                          cable->error[end][c]);
    }
    if (cable->at_least[end]) bough_text_put(out, " (at least)");
}
