/* What results say, in every medium: each item of a document is found in the text, the markup and the
 * Markdown, in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/document_html.h"
#include "report/tables/forecast_document.h"
#include "report/tables/result_document.h"

#include <stdlib.h>
#include <string.h>

typedef enum medium { TEXT, HTML, MARKDOWN } medium;

static void ok(bough_status status, const bough_error *error) {
    if (status) fail_msg("%s: %s", error->place, error->reason);
}

/* Without what the medium adds to words of others. */
static void unescape(char *text, medium m) {
    static const char *const entity[] = {"&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", "\""};
    char *to = text;
    for (const char *at = text; *at;) {
        size_t k = 0;
        if (m == MARKDOWN && *at == '\\') at++;
        while (k < 8 && (m != HTML || strncmp(at, entity[k], strlen(entity[k])) != 0)) k += 2;
        if (k < 8) {
            *to++ = *entity[k + 1];
            at += strlen(entity[k]);
        } else {
            *to++ = *at++;
        }
    }
    *to = 0;
}

/* Behind the words. */
static const char *find(const char *at, const char *words, const char *whole) {
    const char *found = strstr(at, words);
    if (!found) fail_msg("'%s' is not there, or stands too early, in: %s", words, whole);
    return found + strlen(words);
}

static const char *walk_table(const text_table *t, const char *at, const char *whole) {
    for (size_t i = 0; i < t->cells; i++) {
        const bool head = i / t->width < text_table_heads(t), used = text_table_width(t, i % t->width);
        if (!used || !*t->cell[i]) continue;
        const char *behind = find(head ? whole : at, t->cell[i], whole);
        if (!head) at = behind;
    }
    return at;
}

static void walk(const document *d, char *out, medium m) {
    const char *at = out;
    unescape(out, m);
    for (size_t i = 0; i < d->items; i++) {
        const document_item *item = &d->item[i];
        if ((item->details && m != HTML) || (item->said && m != HTML)) continue;
        if (item->kind == DOCUMENT_SECTION && m != TEXT) at = find(at, item->text, out);
        if (item->kind == DOCUMENT_SECTION || item->kind == DOCUMENT_FIGURE) continue;
        if (item->kind == DOCUMENT_TABLE) {
            at = walk_table(&item->table, at, out);
            continue;
        }
        if (item->label) at = find(at, item->label, out);
        at = find(at, item->text, out);
        if (item->about) at = find(at, item->about, out);
    }
}

/* Finishes the document. */
static void walk_all(document *d) {
    bough_text text = {0}, marked = {0};
    html_writer h = {0};
    document_write_text(d, &(document_text_options){.width = 4000, .brief = true}, &text);
    document_write_html(d, &h);
    document_write_markdown(d, 0, &marked);
    assert_false(text.failed || h.out.failed || marked.failed);
    walk(d, text.data, TEXT);
    walk(d, h.out.data, HTML);
    walk(d, marked.data, MARKDOWN);
    bough_text_fini(&text);
    bough_text_fini(&h.out);
    bough_text_fini(&marked);
    document_fini(d);
}

static void check(const bough_study *study, const result_options *options) {
    document d = {0};
    bough_error error = {0};
    ok(result_document_make(study, options, &d, &error), &error);
    walk_all(&d);
}

static void parse(bough_study *study, const char *text) {
    bough_error error = {0};
    const bough_study_text source = {.name = "study.yaml", .text = text, .size = strlen(text), .limit = 1000};
    *study = (bough_study){0};
    ok(bough_study_parse(study, &source, &error), &error);
    ok(bough_study_resolve(study, &error), &error);
}

static void run(bough_study *study, const char *text) {
    bough_error error = {0};
    parse(study, text);
    ok(bough_study_run(study, &(bough_study_options){.threads = 1}, &error), &error);
}

static void says(const char *text, const char *line) {
    if (!strstr(text, line)) fail_msg("'%s' is not in: %s", line, text);
}

/* What would run: every medium has it, and of a study of many points as text eight lines. */
static void test_planned_run(void **state) {
    (void)state;
    static const char of_two[] =
        "study: Two\nnetwork: fattree:n={n}\ntraffic: shift:k=1\nmethods: [circuit:mode=rounds, collision]\n"
        "routing: [free, first]\nfaults: links:count=1\nphysical: \"default:rate=100Gb/s\"\ngrid: [n: [8, "
        "16]]\n"
        "precision: rounds:2%\n";
    static const char of_four[] =
        "study: Four\nnetwork: fattree:n={n}\ntraffic: uniform\nmethods: [collision]\n"
        "grid: [n: [8, 16, 32, 64]]\ntrials: 3\n";
    const bough_forecast f = {.seconds = 80, .trials = 12, .memory = 2048, .threads = 2};
    const bough_forecast late = {.seconds = 2, .least = true, .threads = 1};
    bough_study study;
    document d = {0};
    bough_text out = {0};
    parse(&study, of_two);
    planned_run_describe(&d, &(planned_run){&study, &late, "results/x"});
    document_write_text(&d, &(document_text_options){.width = 100}, &out);
    says(out.data,
         "trials      at most 100000, until the 95 % interval of rounds is within 2 % of the mean\n");
    says(out.data, "time        more than 2.0 s: a trial takes longer than an estimate may (1.5 s)\n");
    says(out.data, "2. n=16\n  fattree:n=16, faults links:count=1, physical default:rate=100Gb/s");
    says(out.data, "  collision            any");
    says(out.data, "collision: assumes uniformly random destinations, but the traffic is shift");
    walk_all(&d);
    bough_study_fini(&study);
    out.length = 0;
    parse(&study, of_four);
    planned_run_describe(&d, &(planned_run){&study, &f, "results/x"});
    document_write_text(&d, &(document_text_options){.width = 80}, &out);
    assert_string_equal(out.data,
                        "study       Four\n"
                        "points      4, answers 4 (--json lists them)\n"
                        "seed        1\n"
                        "trials      3 of each random answer\n"
                        "threads     2\n"
                        "memory      2.00 KiB for the largest answer\n"
                        "time        about 1 min 20 s, an estimate from single trials (about 12 in all)\n"
                        "results     results/x (nothing was created)\n");
    walk_all(&d);
    bough_text_fini(&out);
    bough_study_fini(&study);
}

static void test_media(void **state) {
    (void)state;
    static const char *const texts[] = {
        "network: bft:n=64\ntraffic: poisson:load={load},flits=4\nmethods: [queueing, worm]\ncompare: yes\n"
        "grid: [load: [0.02, 0.1, 0.3]]\ntrials: 2\nplot: {x: load, y: [latency, accepted]}\n",
        "network: fattree:n={n}\ntraffic: \"allreduce:size=1MB\"\nmethods: [flow, loggops]\ntrials: 2\n"
        "grid: [n: [8, 16]]\ncompare: yes\nquantiles: \"completion_time:0.5\"\n",
        "network: transit:n={n}\ntraffic: local:p=1\nmethods: [locality]\ngrid: [n: [64, 4096]]\ntrials: 1\n"
        "plot: {y: [p_any], series: method}\n",
        "network: fattree:n={n}\ntraffic: shift:k={k}\nmethods: [circuit:mode=rounds]\ntrials: 2\npool: k\n"
        "grid: [n: [16, 32], k: [1, 2, 3]]\nplot: {x: n, y: [rounds]}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bough_study study;
        run(&study, texts[i]);
        check(&study, &(result_options){0});
        check(&study, &(result_options){.figures = true});
        bough_study_fini(&study);
    }
}

/* Of one point: main metrics, all, and some. */
static void test_point(void **state) {
    (void)state;
    bool only[BOUGH_METRIC_COUNT] = {[BOUGH_METRIC_COMPLETION_TIME] = true};
    bough_study study;
    run(&study, "network: fattree:n=16\ntraffic: \"allreduce:size=1MB\"\nmethods: [flow, loggops, packet]\n"
                "trials: 2\n");
    check(&study, &(result_options){.single = true});
    check(&study, &(result_options){.single = true, .choice = {.brief = true}});
    check(&study, &(result_options){.single = true, .choice = {.only = only}});
    bough_study_fini(&study);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_media), cmocka_unit_test(test_point),
                                       cmocka_unit_test(test_planned_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
