/* Jobs: the routings in the order in which they end them. */
#include "report/check/check_render.h"
#include "report/comparison/assumption_lines.h"
#include "report/pages/fabric_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void add_row(text_table *t, const bough_check_report *report, const bough_check_job_row *r) {
    char name[1000], text[CHECK_INTERVAL];
    text_table_add(t, fabric_routing_name(report, r->routing, name, sizeof name));
    text_table_add(t, r->loaded ? check_interval(r->load, r->load_ci95, CHECK_SIGN_HTML, text) : "-");
    text_table_add(t, check_job_ends(r) ? check_seconds(r->seconds, r->seconds_ci95, CHECK_SIGN_HTML, text)
                                        : "never");
    text_table_add(t, r->note);
    text_table_end_row(t);
}

static void put_ranking(html_writer *h, const bough_check_report *report, const bough_check_job *job) {
    char best[500], next[500], ratio[CHECK_NUMBER];
    fabric_routing_name(report, job->row[0].routing, best, sizeof best);
    fabric_routing_name(report, job->row[1].routing, next, sizeof next);
    html_put(h, "<p><strong>");
    if (!check_job_ends(&job->row[0]))
        html_put(h, "None of the routings ends it.");
    else if (!check_job_ends(&job->row[1]))
        html_textf(h, "Better: %s; %s never ends it.", best, next);
    else if (job->ahead == 0 && (job->exact || job->ahead_ci95 == 0))
        html_textf(h, "The same%s: %s and %s.", job->exact ? "" : " in every draw", best, next);
    else if (job->exact)
        html_textf(h, "Better: %s; %s takes %s %% longer (exact).", best, next,
                   check_ratio(100 * job->ahead, ratio));
    else if (job->decided)
        html_textf(h, "Better: %s; %s takes %.2f \xc2\xb1 %.2f %% longer.", best, next, 100 * job->ahead,
                   100 * job->ahead_ci95);
    else
        html_textf(h,
                   "Undecided: %s takes %.2f \xc2\xb1 %.2f %% longer than %s, which is within the interval.",
                   next, 100 * job->ahead, 100 * job->ahead_ci95, best);
    html_put(h, "</strong></p>\n");
}

static void put_assumptions(html_writer *h, const bough_check_job *job) {
    bough_text lines = {0};
    assumption_lines_put(&lines, job->study, SIZE_MAX / 2);
    html_lines(h, &lines);
}

void fabric_html_jobs(html_writer *h, const bough_check_report *report) {
    if (!report->jobs) return;
    html_begin_section(h, "jobs", "Jobs");
    for (size_t i = 0; i < report->jobs; i++) {
        const bough_check_job *job = &report->job[i];
        text_table t = {0};
        html_element(h, "h3", job->traffic);
        if (report->parts > 1) put_ranking(h, report, job);
        put_assumptions(h, job);
        text_table_head(&t, "routing, the fastest first", false);
        text_table_head(&t, "flows on the most loaded link", true);
        text_table_head(&t, "done after", true);
        text_table_head(&t, "remark", false);
        text_table_end_row(&t);
        for (size_t k = 0; k < report->parts; k++) add_row(&t, report, &job->row[k]);
        html_table(h, &t, "Routings under the job, the fastest first");
    }
    html_put(h, "<p class=\"note\">Flows by linkload; time until the last message has arrived by flow, 1 MB "
                "messages, or "
                "a schedule's own, that share links fairly; means with 95 % intervals over the draws of the "
                "job, which "
                "are the same for all routings.</p>\n");
    html_end_section(h);
}
