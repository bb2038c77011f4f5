/* Jobs as JSON. */
#include "fabric/check/check_json_parts.h"
#include "fabric/check/check_words.h"
#include "study/assumption_lines.h"

#include <math.h>

static void put_row(json_writer *w, const bough_check_job_row *r, const bough_routing *routing) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "routing", routing->spec);
    if (r->loaded) {
        json_put_real(w, "link_load_max", r->load);
        json_put_real(w, "link_load_max_ci95", r->load_ci95);
    }
    json_put_real(w, "completion_time", check_job_ends(r) ? r->seconds : NAN);
    json_put_real(w, "completion_time_ci95", check_job_ends(r) ? r->seconds_ci95 : NAN);
    json_put_whole(w, "trials", (int64_t)r->trials);
    json_put_text(w, "status", bough_outcome_name(r->outcome));
    if (*r->note) json_put_text(w, "note", r->note);
    json_end_object(w);
}

static void put_job(json_writer *w, const bough_check_report *report, const bough_check_job *job) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "job", job->traffic);
    json_begin_array(w, "ranking", false);
    for (size_t k = 0; k < report->parts; k++)
        put_row(w, &job->row[k], report->part[job->row[k].routing].routing);
    json_end_array(w);
    assumption_lines_json(w, job->study->point);
    if (report->parts > 1) {
        json_put_real(w, "ahead", job->ahead);
        json_put_real(w, "ahead_ci95", job->exact ? NAN : job->ahead_ci95);
        json_put_flag(w, "decided", job->decided);
    }
    json_end_object(w);
}

void check_put_jobs(json_writer *w, const bough_check_report *report) {
    json_begin_array(w, "jobs", false);
    for (size_t i = 0; i < report->jobs; i++) put_job(w, report, &report->job[i]);
    json_end_array(w);
}
