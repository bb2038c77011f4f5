/* Measured counters: predictions, and links and cables that deviate. */
#include "report/check/check_render.h"
#include "report/counters/check_counters_report.h"
#include "report/pages/fabric_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_count(html_writer *h, uint64_t count, const char *what) {
    if (count) html_textf(h, "; %" PRIu64 " %s", count, what);
}

static void put_files(html_writer *h, const bough_counters *c) {
    char number[CHECK_NUMBER];
    html_put(h, "<p>");
    html_text(h, c->after ? "From " : "");
    html_text(h, c->before);
    html_text(h, c->after ? " to " : ", since the counters were cleared");
    if (c->after) html_text(h, c->after);
    if (!isnan(c->interval)) html_textf(h, ", %s s", check_number(c->interval, number));
    html_textf(h, ": %" PRIu64 " of %" PRIu64 " links counted, %s MB in all", c->count[BOUGH_LINK_COUNTED],
               c->links, check_number(c->total / 1e6, number));
    put_count(h, c->count[BOUGH_LINK_NOT_BEFORE] + c->count[BOUGH_LINK_NOT_AFTER], "without counters");
    put_count(h, c->count[BOUGH_LINK_RESET], "whose counters went down");
    put_count(h, c->count[BOUGH_LINK_SATURATED], "whose counters stand at their maximum");
    html_put(h, ".</p>\n");
}

static void add_fit(text_table *t, const bough_check_report *report, size_t i) {
    const bough_counters *c = report->counters;
    const bough_counters_fit *fit = &c->fit[i];
    const bool compared = fit->covered >= BOUGH_COUNTERS_COVERED && !isnan(fit->elsewhere);
    char text[1000];
    text_table_add(t, fit->traffic);
    text_table_add(t, fabric_routing_name(report, fit->part, text, sizeof text));
    text_table_add_number(t, 4, compared ? 100 * fit->elsewhere : NAN);
    text_table_add(t, compared ? check_number(fit->factor, text) : "");
    snprintf(text, sizeof text, "not compared: the counted links have %.3g %% of the predicted traffic",
             100 * fit->covered);
    text_table_add(t, compared                                ? c->fits > 1 && i == c->best ? "fits best" : ""
                      : fit->covered < BOUGH_COUNTERS_COVERED ? text
                                                              : "no traffic where it predicts some");
    text_table_end_row(t);
}

static void put_fits(html_writer *h, const bough_check_report *report) {
    text_table t = {0};
    text_table_head(&t, "traffic", false);
    text_table_head(&t, "routing", false);
    text_table_head(&t, "% on other links than predicted", true);
    text_table_head(&t, report->counters->fit[0].bytes ? "bytes a predicted byte" : "bytes a predicted flow",
                    true);
    text_table_head(&t, "remark", false);
    text_table_end_row(&t);
    for (size_t i = 0; i < report->counters->fits; i++) add_fit(&t, report, i);
    html_table(h, &t, "Measured traffic and predictions");
}

static void put_rest(html_writer *h, size_t shown, size_t count) {
    if (shown == count) return;
    html_put(h, "<p class=\"note\">");
    html_textf(h, "%zu more; bough check --findings 0 prints them.", count - shown);
    html_put(h, "</p>\n");
}

static size_t rows_of(size_t count) {
    return count < FABRIC_HTML_LINKS ? count : FABRIC_HTML_LINKS;
}

static void put_links(html_writer *h, const bough_check_report *report, const counters_list *list,
                      const char *heading) {
    text_table t = {0};
    if (!list->count) return;
    html_put(h, "<h3>");
    html_textf(h, "%s%s", heading, list->title);
    html_put(h, "</h3>\n");
    check_counters_table(report, list, rows_of(list->count), &t);
    html_table(h, &t, list->title);
    put_rest(h, rows_of(list->count), list->count);
}

static void put_busy(html_writer *h, const bough_check_report *report) {
    counters_list list;
    uint64_t *link = check_counters_busy(report, &list);
    h->out.failed |= !link;
    put_links(h, report, &list, "The ");
    free(link);
}

static void add_cable(text_table *t, const bough_net *net, const bough_counted_cable *cable) {
    char name[300];
    bough_text errors = {0};
    check_counters_errors(net, cable, 0, &errors);
    check_counters_errors(net, cable, 1, &errors);
    text_table_add(t, check_cable_name(net, cable->link, name, sizeof name));
    text_table_add_number(t, 4, 100 * cable->predicted);
    text_table_add_number(t, 4, 100 * cable->measured);
    text_table_add(t, errors.length > 2 ? errors.data + 2 : ""); /* without "; " */
    t->failed |= errors.failed;
    bough_text_fini(&errors);
    text_table_end_row(t);
}

static void put_cables(html_writer *h, const bough_check_report *report) {
    const bough_counters *c = report->counters;
    text_table t = {0};
    if (!c->cables) return;
    html_element(h, "h3", "Cables with errors");
    text_table_head(&t, "cable", false);
    text_table_head(&t, "% of the predicted traffic", true);
    text_table_head(&t, "% of the measured", true);
    text_table_head(&t, "errors", false);
    text_table_end_row(&t);
    for (size_t i = 0; i < rows_of(c->cables); i++) add_cable(&t, report->net, &c->cable[i]);
    html_table(h, &t, "Cables with errors, the worst first");
    put_rest(h, rows_of(c->cables), c->cables);
}

void fabric_html_counters(html_writer *h, const bough_check_report *report) {
    const bough_counters *c = report->counters;
    counters_list list[COUNTERS_LISTS];
    if (!c) return;
    html_begin_section(h, "counters", "Measured counters");
    put_files(h, c);
    put_fits(h, report);
    const size_t lists = check_counters_lists(c, list);
    for (size_t i = 0; i < lists; i++) put_links(h, report, &list[i], "Links: ");
    put_cables(h, report);
    put_busy(h, report);
    html_end_section(h);
}
