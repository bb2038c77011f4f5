/* The summary of a check as JSON. */
#include "fabric/check/check_document.h"
#include "fabric/check/check_json_parts.h"
#include "fabric/check/check_words.h"
#include "fabric/check/routing_comparison.h"

#include <math.h>
#include <stdlib.h>

static void put_text(json_writer *w, const char *key, bough_text *text) {
    char *string = bough_text_take(text);
    if (string)
        json_put_text(w, key, string);
    else
        w->out->failed = true;
    free(string);
}

void check_put_rating(json_writer *w, const bough_check_report *report, const bough_routing_report *part) {
    const bough_rating *rating = &part->rating;
    bough_text reason = {0};
    check_rating_reason(&reason, report, part);
    json_begin_object(w, "rating", true);
    json_put_text(w, "word", bough_rating_name(rating->word));
    json_put_text(w, "reason", bough_rating_reason_name(rating->reason));
    json_put_real(w, "of_tables", rating->of_tables);
    json_put_flag(w, "slow_cable", rating->slow_cable);
    put_text(w, "text", &reason);
    json_end_object(w);
}

static void put_plane_scores(json_writer *w, const bough_check_report *report, const bough_check_result *r) {
    double score[BOUGH_PLANES_MAX];
    if (report->planes.count < 2 || !r->load) return;
    bough_check_plane_scores(r, report->net, &report->rates, &report->planes, score);
    json_begin_array(w, "plane_scores", true);
    for (size_t i = 0; i < report->planes.count; i++) json_put_real(w, NULL, score[i]);
    json_end_array(w);
}

void check_put_scores(json_writer *w, const bough_check_report *report, const bough_check_result *r) {
    const bough_net *net = report->net;
    json_put_real(w, "alltoall_score", r->alltoall_score);
    put_plane_scores(w, report, r);
    json_put_real(w, "alltoall_repaired", r->alltoall_repaired);
    check_put_link(w, "alltoall_limit", net, r->alltoall_max > 0 ? r->alltoall_limit : BOUGH_NONE);
    json_put_real(w, "shift_score", r->shift_score);
    if (r->random.count) json_put_real(w, "random_score", r->random_score);
    json_put_whole(w, "cycle_links", (int64_t)r->cycle);
}

static void put_standing(json_writer *w, const bough_check_report *report, const bough_better *b,
                         const bough_standing *s) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "routing", report->part[s->part].routing->spec);
    json_put_real(w, "ratio", s->ratio);
    if (b->measure == BOUGH_MEASURE_RANDOM) json_put_real(w, "ratio_ci95", s->ratio_ci95);
    json_put_flag(w, "slower", s->slower);
    json_end_object(w);
}

static void put_better(json_writer *w, const bough_check_report *report, const bough_better *b) {
    if (!b->standing) return;
    json_begin_object(w, NULL, false);
    json_put_text(w, "measure", bough_measure_name(b->measure));
    json_put_text(w, "best", report->part[b->best].routing->spec);
    json_put_text(w, "second", report->part[b->second].routing->spec);
    json_put_real(w, "ratio", b->ratio);
    if (b->measure == BOUGH_MEASURE_RANDOM) json_put_real(w, "ratio_ci95", b->ratio_ci95);
    json_put_flag(w, "expected", b->expected);
    json_put_flag(w, "decided", b->decided);
    json_begin_array(w, "standings", false);
    for (size_t i = 0; i < report->parts; i++) put_standing(w, report, b, &b->standing[i]);
    json_end_array(w);
    json_end_object(w);
}

static void put_single_points(json_writer *w, const bough_check_report *report) {
    const bough_single_points *s = &report->single;
    char name[400];
    json_begin_object(w, "single_points", false);
    json_put_text(w, "not_looked_for", s->unknown);
    json_put_whole(w, "pairs", (int64_t)s->pairs);
    json_begin_array(w, "items", false);
    for (size_t i = 0; i < s->count; i++) {
        const bough_single_point *p = &s->item[i];
        bool cable = p->link != BOUGH_NONE;
        json_begin_object(w, NULL, true);
        json_put_text(w, "kind", cable ? "cable" : "switch");
        json_put_text(w, "name",
                      cable ? check_cable_name(report->net, p->link, name, sizeof name)
                            : bough_node_name(report->net, p->node, name, sizeof name));
        json_put_whole(w, "pairs", (int64_t)p->pairs);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void put_headline(void *writer, const char *label, const char *sentence) {
    json_writer *w = writer;
    json_begin_object(w, NULL, true);
    json_put_text(w, "label", label);
    json_put_text(w, "text", sentence);
    json_end_object(w);
}

static void put_headlines(json_writer *w, const bough_check_report *report) {
    char **name = check_names_make(report);
    json_begin_array(w, "headlines", false);
    if (!name || !check_headlines(report, (const char *const *)name, put_headline, w)) w->out->failed = true;
    json_end_array(w);
    free(name);
}

void check_put_summary(json_writer *w, const bough_check_report *report) {
    bough_text sentence = {0};
    check_put_rates(w, report->net, &report->rates);
    json_put_real(w, "wiring_score", report->wiring_score);
    if (report->wiring_repaired > report->wiring_score)
        json_put_real(w, "wiring_repaired", report->wiring_repaired);
    json_put_real(w, "tables_score", report->tables_score);
    json_begin_object(w, "scale", true);
    json_put_real(w, "good_from", BOUGH_RATING_GOOD_FROM);
    json_put_real(w, "usable_from", BOUGH_RATING_USABLE_FROM);
    json_end_object(w);
    put_single_points(w, report);
    put_headlines(w, report);
    if (report->parts < 2) return;
    json_begin_object(w, "comparison", false);
    char **name = check_names_make(report);
    if (name)
        routing_comparison_put(&sentence, &(routing_words){report, (const char *const *)name, CHECK_SIGN});
    else
        sentence.failed = true;
    free(name);
    put_text(w, "text", &sentence);
    json_begin_array(w, "measures", false);
    for (int m = 0; m < BOUGH_MEASURES; m++) put_better(w, report, &report->better[m]);
    json_end_array(w);
    json_end_object(w);
}
