/* The first lines of the page of a check: a sentence for each routing, and bars. */
#include "base/text/escape.h"
#include "report/check/check_render.h"
#include "report/check/check_writer.h"
#include "report/comparison/routing_comparison.h"
#include "report/finding_groups.h"
#include "report/pages/fabric_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fabric_routing_name(const bough_check_report *report, size_t part, char *buffer, size_t size) {
    static const char tables[] = "lft:file=";
    const char *spec = report->part[part].routing->spec, *name = spec;
    size_t before = 0, length;
    for (size_t i = 0; i < part; i++) before += strcmp(report->part[i].routing->spec, spec) == 0;
    if (strncmp(spec, tables, strlen(tables)) == 0 && spec[strlen(tables)]) name += strlen(tables);
    length = strlen(name);
    if (length > 2 && name[0] == '"' && name[length - 1] == '"') name++, length -= 2;
    if (before)
        snprintf(buffer, size, "%.*s (%zu)", (int)length, name, before + 1);
    else
        snprintf(buffer, size, "%.*s", (int)length, name);
    return buffer;
}

/* ---- sentences ---- */

static void put_statement(html_writer *h, const bough_verdict *v) {
    bough_text sentence = {0};
    check_sentence(&sentence, v);
    if (sentence.data) html_text(h, sentence.data);
    h->out.failed |= sentence.failed;
    bough_text_fini(&sentence);
}

/* A phrase without full stop. */
static void put_phrase(html_writer *h, bough_text *phrase) {
    if (phrase->data) html_text(h, phrase->data);
    h->out.failed |= phrase->failed;
    bough_text_fini(phrase);
}

static void put_sentence(html_writer *h, const bough_check_report *report, size_t i) {
    static const char *const mark[] = {[BOUGH_RATING_NONE] = "\xe2\x80\xa2",
                                       [BOUGH_RATING_GOOD] = "\xe2\x9c\x94",
                                       [BOUGH_RATING_USABLE] = "\xe2\x96\xb2",
                                       [BOUGH_RATING_BAD] = "\xe2\x9c\x96"};
    const bough_routing_report *part = &report->part[i];
    const char *word = bough_rating_name(part->rating.word);
    bough_text reason = {0};
    char name[1000];
    bough_text_printf(&h->out, "<p class=\"rating %s\"><span aria-hidden=\"true\">%s</span> <strong>", word,
                      mark[part->rating.word]);
    html_text(h, fabric_routing_name(report, i, name, sizeof name));
    html_textf(h, ": %s", word);
    html_put(h, "</strong>: ");
    check_rating_reason(&reason, report, part);
    put_phrase(h, &reason);
    html_put(h, ".");
    for (size_t k = 0; k < part->verdicts; k++) {
        html_put(h, " ");
        put_statement(h, &part->verdict[k]);
    }
    html_put(h, "</p>\n");
}

/* ---- beside the ratings ---- */

static void put_headline(void *writer, const char *label, const char *sentence) {
    html_writer *h = writer;
    html_put(h, "<p class=\"headline\"><strong>");
    html_text(h, label);
    html_put(h, "</strong> ");
    html_text(h, sentence);
    html_put(h, ".</p>\n");
}

static void put_headlines(html_writer *h, const bough_check_report *report) {
    char **name = check_names_make(report);
    if (!name || !check_headlines(report, (const char *const *)name, put_headline, h)) h->out.failed = true;
    free(name);
}

/* ---- several routings ---- */

static void put_comparison(html_writer *h, const bough_check_report *report) {
    if (report->parts < 2) return;
    char **name = check_names_make(report);
    const routing_words words = {report, (const char *const *)name, CHECK_SIGN_HTML};
    html_put(h, "<h3>Which routing is best</h3>\n<ul>\n");
    for (int m = 0; m < BOUGH_MEASURES && name; m++) {
        bough_text phrase = {0};
        html_put(h, "<li>");
        html_textf(h, "%s: ", check_measure_words((bough_measure)m));
        routing_comparison_put_measure(&phrase, &words, (bough_measure)m);
        put_phrase(h, &phrase);
        html_put(h, "</li>\n");
    }
    html_put(h, "</ul>\n");
    h->out.failed |= !name;
    free(name);
}

/* ---- the fabric ---- */

enum { SHOWN = 3 };

static void put_single(html_writer *h, const bough_check_report *report) {
    const bough_single_points *s = &report->single;
    char name[400];
    if (s->unknown || !s->count) return;
    html_put(h, "<h3>Single points of failure</h3>\n<ul>\n");
    for (size_t i = 0; i < s->count && i < SHOWN; i++) {
        const bough_single_point *p = &s->item[i];
        bool cable = p->link != BOUGH_NONE;
        html_put(h, "<li>");
        html_textf(h, "%s %s alone joins %" PRIu64 " of %" PRIu64 " pairs", cable ? "cable" : "switch",
                   cable ? check_cable_name(report->net, p->link, name, sizeof name)
                         : bough_node_name(report->net, p->node, name, sizeof name),
                   p->pairs, s->pairs);
        html_put(h, "</li>\n");
    }
    if (s->count > SHOWN) {
        html_put(h, "<li>");
        html_textf(h, "%zu more", s->count - SHOWN);
        html_put(h, "</li>\n");
    }
    html_put(h, "</ul>\n");
}

static void put_counts(html_writer *h, const bough_check_report *report) {
    uint64_t errors = findings_count(report, BOUGH_ERROR), warnings = findings_count(report, BOUGH_WARN),
             remarks = findings_count(report, BOUGH_INFO);
    html_put(h, "<p>");
    if (errors + warnings + remarks)
        html_textf(h, "Findings: %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " remark%s.", errors,
                   errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s", remarks,
                   remarks == 1 ? "" : "s");
    else
        html_put(h, "There are no findings.");
    html_put(h, "</p>\n");
}

void fabric_html_summary(html_writer *h, const bough_check_report *report) {
    html_begin_section(h, "summary", "Summary");
    for (size_t i = 0; i < report->parts; i++) put_sentence(h, report, i);
    put_headlines(h, report);
    fabric_html_shares(h, report);
    put_comparison(h, report);
    put_single(h, report);
    put_counts(h, report);
    char text[CHECK_NOT_LOOKED_AT_MAX];
    html_element(h, "p class=\"note\"", check_not_looked_at(report, text));
    html_end_section(h);
    fabric_html_failures(h, report);
    fabric_html_jobs(h, report);
    fabric_html_against(h, report);
    fabric_html_counters(h, report);
    fabric_html_placements(h, report);
    fabric_html_slurm(h, report);
}
