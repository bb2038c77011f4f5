/* Jobs as JSON. */
#include "base/json/json_build.h"
#include "report/check/check_json_parts.h"
#include "report/check/check_render.h"

static json_t *json_row(const bough_check_job_row *r, const bough_routing *routing) {
    json_t *o = json_object();
    bough_json_put(&o, "routing", bough_json_string(routing->spec));
    if (r->loaded) {
        bough_json_put(&o, "link_load_max", bough_json_real(r->load));
        bough_json_put(&o, "link_load_max_ci95", bough_json_real(r->load_ci95));
    }
    bough_json_put(&o, "completion_time", check_job_ends(r) ? bough_json_real(r->seconds) : json_null());
    bough_json_put(&o, "completion_time_ci95",
                   check_job_ends(r) ? bough_json_real(r->seconds_ci95) : json_null());
    bough_json_put(&o, "trials", json_integer((json_int_t)r->trials));
    bough_json_put(&o, "status", json_string(bough_outcome_name(r->outcome)));
    if (*r->note) bough_json_put(&o, "note", bough_json_string(r->note));
    return o;
}

json_t *check_jobs_json(const bough_check_report *report) {
    json_t *list = json_array();
    for (size_t i = 0; i < report->jobs; i++) {
        const bough_check_job *job = &report->job[i];
        json_t *o = json_object(), *rows = json_array();
        bough_json_put(&o, "job", bough_json_string(job->traffic));
        for (size_t k = 0; k < report->parts; k++)
            bough_json_append(&rows, json_row(&job->row[k], report->part[job->row[k].routing].routing));
        bough_json_put(&o, "ranking", rows);
        if (report->parts > 1) {
            bough_json_put(&o, "ahead", bough_json_real(job->ahead));
            bough_json_put(&o, "ahead_ci95", job->exact ? json_null() : bough_json_real(job->ahead_ci95));
            bough_json_put(&o, "decided", json_boolean(job->decided));
        }
        bough_json_append(&list, o);
    }
    return list;
}
