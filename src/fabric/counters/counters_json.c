#include "fabric/check/check_json_parts.h"
#include "fabric/check/check_words.h"

#include <math.h>
#include <stdio.h>

static void put_names(json_writer *w, const char *key, const bough_net *net, const uint64_t *link,
                      size_t count) {
    json_begin_array(w, key, false);
    for (size_t i = 0; i < count; i++) check_put_link(w, NULL, net, link[i]);
    json_end_array(w);
}

static void put_fit(json_writer *w, const bough_check_report *report, const bough_counters_fit *fit) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "routing", report->part[fit->part].routing->spec);
    json_put_text(w, "traffic", fit->traffic);
    json_put_text(w, "unit", fit->bytes ? "bytes" : "flows");
    json_put_real(w, "covered", fit->covered);
    json_put_real(w, "factor", fit->factor);
    json_put_real(w, "factor_of_totals", fit->factor_mean);
    json_put_real(w, "elsewhere", fit->elsewhere);
    put_names(w, "hot", report->net, fit->hot, fit->hots);
    put_names(w, "idle", report->net, fit->idle, fit->idles);
    put_names(w, "waiting", report->net, fit->wait, fit->waits);
    json_end_object(w);
}

static void put_link(json_writer *w, const bough_check_report *report, uint64_t link) {
    const bough_counters *c = report->counters;
    const double rate = (double)bough_net_link_rate(report->net, link), bytes = c->bytes[link];
    json_begin_object(w, NULL, true);
    check_put_link(w, "link", report->net, link);
    json_put_real(w, "bytes", bytes);
    json_put_real(w, "bytes_per_second", bytes / c->interval);
    json_put_real(w, "use", rate > 0 ? 8 * bytes / c->interval / rate : NAN);
    json_put_real(w, "share", c->total > 0 ? bytes / c->total : NAN);
    json_begin_array(w, "predicted_shares", true);
    for (size_t i = 0; i < c->fits; i++)
        json_put_real(w, NULL, c->fit[i].total > 0 ? c->fit[i].load[link] / c->fit[i].total : NAN);
    json_end_array(w);
    json_put_real(w, "wait", c->wait[link]);
    json_end_object(w);
}

static void put_errors(json_writer *w, const char *key, const bough_counted_cable *cable, int end) {
    json_begin_object(w, key, true);
    for (int c = BOUGH_COUNTER_FIRST_ERROR; c < BOUGH_COUNTERS; c++)
        if (cable->error[end][c])
            json_put_whole(w, bough_counter_name((bough_counter)c), (int64_t)cable->error[end][c]);
    json_end_object(w);
}

static void put_cable(json_writer *w, const bough_net *net, const bough_counted_cable *cable) {
    char name[300];
    json_begin_object(w, NULL, false);
    json_put_text(w, "cable", check_cable_name(net, cable->link, name, sizeof name));
    json_put_real(w, "predicted", cable->predicted);
    json_put_real(w, "measured", cable->measured);
    put_errors(w, "first_end", cable, 0);
    put_errors(w, "second_end", cable, 1);
    json_put_flag(w, "at_least", cable->at_least[0] || cable->at_least[1]);
    json_end_object(w);
}

static void put_counts(json_writer *w, const bough_counters *c) {
    static const char *const name[] = {"counted", "not_before", "not_after", "reset", "saturated"};
    json_begin_object(w, "links", true);
    json_put_whole(w, "all", (int64_t)c->links);
    for (int i = 0; i < BOUGH_LINK_COUNTS; i++) json_put_whole(w, name[i], (int64_t)c->count[i]);
    json_end_object(w);
    json_put_whole(w, "unknown_ports", (int64_t)c->unknown);
}

void check_put_counters(json_writer *w, const bough_check_report *report) {
    const bough_counters *c = report->counters;
    if (!c) return;
    json_begin_object(w, "counters", false);
    json_put_text(w, "before", c->before);
    json_put_text(w, "after", c->after);
    json_put_real(w, "seconds", c->interval);
    put_counts(w, c);
    json_put_real(w, "bytes", c->total);
    json_begin_array(w, "fits", false);
    for (size_t i = 0; i < c->fits; i++) put_fit(w, report, &c->fit[i]);
    json_end_array(w);
    json_put_whole(w, "best", (int64_t)c->best);
    json_begin_array(w, "cables_with_errors", false);
    for (size_t i = 0; i < c->cables; i++) put_cable(w, report->net, &c->cable[i]);
    json_end_array(w);
    json_put_whole(w, "other_ports_with_errors", (int64_t)c->other_errors);
    json_begin_array(w, "traffic", false);
    for (uint64_t l = 0; l < report->net->links; l++)
        if (bough_link_alive(report->net, l) && !(isnan(c->bytes[l]) && isnan(c->wait[l])))
            put_link(w, report, l);
    json_end_array(w);
    json_end_object(w);
}
