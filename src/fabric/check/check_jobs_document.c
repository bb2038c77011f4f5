/* Jobs: the routings in the order in which they end them. */
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"
#include "study/assumption_lines.h"

#include <string.h>

/* Loads are those of a batch. */
static bool is_loaded(const check_view *w, const bough_check_job *job) {
    for (size_t k = 0; k < w->report->parts; k++)
        if (job->row[k].loaded) return true;
    return false;
}

static void add_row(const check_view *w, text_table *t, const bough_check_job_row *r, bool loaded) {
    char text[CHECK_INTERVAL];
    text_table_add(t, w->name[r->routing]);
    if (loaded) text_table_add(t, r->loaded ? check_interval(r->load, r->load_ci95, CHECK_SIGN, text) : "-");
    if (!check_job_ends(r)) t->now = TEXT_ERROR;
    text_table_add(t, check_job_ends(r) ? check_seconds(r->seconds, r->seconds_ci95, CHECK_SIGN, text)
                                        : "never");
    t->now = TEXT_PLAIN;
    text_table_end_row(t);
}

/* "assumes: ...", and in what the two methods differ. */
static void put_assumptions(const check_view *w, const bough_check_job *job) {
    bough_text lines = {0};
    assumption_lines_put(&lines, job->study, SIZE_MAX / 2);
    document_list(w->doc, &lines);
}

static void put_rows(const check_view *w, const bough_check_job *job) {
    text_table t = {.labels = 1};
    text_table_head(&t, "routing, the fastest first", false);
    const bool loaded = is_loaded(w, job);
    if (loaded) text_table_head(&t, "most loaded link", true);
    text_table_head(&t, "done after", true);
    text_table_end_row(&t);
    for (size_t k = 0; k < w->report->parts; k++) add_row(w, &t, &job->row[k], loaded);
    document_table(w->doc, &t, "Routings under the job, the fastest first");
    for (size_t k = 0; k < w->report->parts; k++)
        if (*job->row[k].note)
            document_note(w->doc, "%s: %s", w->name[job->row[k].routing], job->row[k].note);
}

static void put_ranking(const check_view *w, const bough_check_job *job) {
    const char *a = w->name[job->row[0].routing], *b = w->name[job->row[1].routing];
    char ratio[CHECK_NUMBER];
    if (!check_job_ends(&job->row[0])) {
        document_line(w->doc, "none of them ends it");
        return;
    }
    if (!check_job_ends(&job->row[1])) {
        document_line(w->doc, "better: %s; %s never ends it", a, b);
        return;
    }
    if (job->ahead == 0 && (job->exact || job->ahead_ci95 == 0))
        document_line(w->doc, "the same%s: %s and %s", job->exact ? "" : " in every draw", a, b);
    else if (job->exact)
        document_line(w->doc, "better: %s; %s takes %s %% longer (exact)", a, b,
                      check_ratio(100 * job->ahead, ratio));
    else if (job->decided)
        document_line(w->doc, "better: %s; %s takes %.2f +- %.2f %% longer", a, b, 100 * job->ahead,
                      100 * job->ahead_ci95);
    else
        document_line(w->doc,
                      "undecided: %s takes %.2f +- %.2f %% longer than %s, which is within the interval", b,
                      100 * job->ahead, 100 * job->ahead_ci95, a);
}

void check_job_cards(const check_view *w) {
    char text[CHECK_INTERVAL];
    for (size_t i = 0; i < w->report->jobs && !w->doc->failed; i++) {
        const bough_check_job *job = &w->report->job[i];
        const bough_check_job_row *best = &job->row[0];
        bough_text about = {0};
        bough_text_printf(&about, "%s under %s", job->traffic, w->name[best->routing]);
        w->doc->failed |= about.failed;
        if (!about.failed)
            document_card(w->doc, "job",
                          check_job_ends(best)
                              ? check_seconds(best->seconds, best->seconds_ci95, CHECK_SIGN, text)
                              : "never ends",
                          about.data, true);
        bough_text_fini(&about);
    }
}

void check_jobs_describe(const check_view *w) {
    const bough_check_report *report = w->report;
    if (!report->jobs) return;
    document_section(w->doc, "jobs", "Jobs");
    for (size_t i = 0; i < report->jobs; i++) {
        document_heading(w->doc, "job", "%s", report->job[i].traffic);
        put_assumptions(w, &report->job[i]);
        put_rows(w, &report->job[i]);
        if (report->parts > 1) put_ranking(w, &report->job[i]);
    }
    document_note(w->doc, "flows on the most loaded link by linkload; until the last message has arrived by "
                          "flow, 1 MB messages, or a schedule's own, that share links fairly; means +- 95 %% "
                          "interval over the draws of the job, which are the same for all routings");
}
