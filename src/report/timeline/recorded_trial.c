#include "report/timeline/recorded_trial.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "report/pages/study_page.h"
#include "report/timeline/timeline_document.h"
#include "study/run/point_binding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the trial ---- */

/* Whether the traffic can be recorded: a schedule, or a list of messages. */
static bool takes(const bough_run *run) {
    placed_flows list;
    return run->method->takes_timeline &&
           (run->point.traffic->workload || flow_list_of(run->point.traffic, &list));
}

static bough_status refuse(const bough_study *study, unsigned count, bough_error *error) {
    if (count)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "--trace, --messages and --link-use record one method under one routing; there are %u here",
            count);
    return bough_fail(
        error, BOUGH_UNSUPPORTED, NULL,
        "--trace, --messages and --link-use record schedules (collectives, GOAL, training) and lists "
        "(cm:, flows:, matrix:) under flow, packet, worm or loggops; this is %s",
        study->point->traffic.spec);
}

/* Finds the answer that can be recorded: there must be exactly one. Errors: INVALID. */
static bough_status find(bough_study *study, recorded_trial *trial, bough_error *error) {
    unsigned count = 0;
    bough_status status = bind_point(study, 0, error);
    if (status) return status;
    *trial = (recorded_trial){.seed = study->seed};
    for (size_t i = 0; i < study->point->answers; i++)
        if (takes(study->binding->run[i])) {
            trial->run = study->binding->run[i];
            count++;
        }
    if (count != 1) return refuse(study, count, error);
    trial->w = trial->run->point.traffic->workload;
    trial->s = trial->w ? trial->w->schedule : NULL;
    if (!trial->w) flow_list_of(trial->run->point.traffic, &trial->list);
    return BOUGH_OK;
}

static uint64_t record_bytes(const recorded_trial *trial, uint64_t links) {
    return trial->s ? timeline_bytes(trial->s, links) : timeline_list_bytes(trial->list.list->flows, links);
}

static bough_status make_record(recorded_trial *trial, bough_error *error) {
    const uint64_t links = trial->uses ? trial->run->point.net->links : 0;
    return trial->s ? timeline_make(trial->s, links, &trial->t, error)
                    : timeline_list_make(trial->list.list->flows, links, &trial->t, error);
}

/* The run belongs to the study, and no other trial of it runs now. */
static bough_status run_again(recorded_trial *trial, const atomic_bool *stop, bough_error *error) {
    bough_run *run = (bough_run *)trial->run;
    void *workspace = NULL;
    bough_rows rows = {0};
    bough_status status = make_record(trial, error);
    if (status) return status;
    atomic_bool *stop_before = run->stop;
    run->timeline = trial->t;
    run->stop = (atomic_bool *)stop;
    status = bough_run_trial(run, bough_key_make(trial->seed, 0), &workspace, &rows, error);
    run->timeline = NULL;
    run->stop = stop_before;
    if (workspace) bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    return status;
}

static void fini(recorded_trial *trial) {
    timeline_destroy(trial->t);
    trial->t = NULL;
}

/* ---- requests ---- */

/* Ranks of a trace, or of a page. */
static bough_status check_ranks(const recorded_trial *trial, const bough_timeline_request *r,
                                bough_error *error) {
    if (!trial->s)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "%s shows ranks, and a list of messages has none; --messages and --link-use record it",
            r->trace ? "--trace" : "--html");
    if (!r->trace) return BOUGH_OK;
    if (r->ranks && (r->first_rank >= trial->s->ranks || r->ranks > trial->s->ranks - r->first_rank))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--trace-ranks: there are %" PRIu32 " ranks, counted from 0", trial->s->ranks);
    uint64_t events = timeline_trace_events(trial, r);
    if (events > TIMELINE_TRACE_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "--trace: up to %" PRIu64 " events of %" PRIu32 " ranks, but at most %" PRIu64
                          " are written; --trace-ranks 0-63 selects some ranks",
                          events, r->ranks ? r->ranks : trial->s->ranks, TIMELINE_TRACE_MAX);
    return BOUGH_OK;
}

bough_status bough_report_timeline_check(bough_study *study, const bough_timeline_request *r,
                                         bough_error *error) {
    recorded_trial trial;
    bough_status status = find(study, &trial, error);
    if (r->trace || r->page) TRY(check_ranks(&trial, r, error));
    if (!status) {
        uint64_t links = r->trace || r->link_use ? trial.run->point.net->links : 0;
        status = bough_memory_check(bough_add(record_bytes(&trial, links), trial.run->bytes),
                                    "the timeline of the schedule", error);
    }
    if (r->trace) TRY(bough_output_check(r->trace, error));
    if (r->messages) TRY(bough_output_check(r->messages, error));
    if (r->link_use) TRY(bough_output_check(r->link_use, error));
    if (r->page) TRY(bough_output_check(r->page, error));
    return status;
}

/* ---- files ---- */

typedef bough_status put_file(const recorded_trial *trial, output_stream *out, bough_error *error);

static bough_status write_file(const char *path, put_file *put, const recorded_trial *trial,
                               bough_error *error) {
    output_stream out;
    bough_status status = output_stream_begin(path, &out, error);
    if (status) return status;
    return output_stream_end(&out, put(trial, &out, error), error);
}

static bough_status write_trace(const recorded_trial *trial, const bough_timeline_request *r,
                                bough_error *error) {
    output_stream out;
    bough_status status = output_stream_begin(r->trace, &out, error);
    if (status) return status;
    return output_stream_end(&out, timeline_put_trace(trial, r, &out, error), error);
}

/* The files that specs name: a page does not tell where they lie. */
typedef struct file_names {
    char *path[32];
    size_t count;
} file_names;

static void find_files(file_names *names, const char *text) {
    for (const char *at = text ? text : ""; *at; at += strspn(at, ",=:\"")) {
        const size_t length = strcspn(at, ",=:\"");
        const bool room = names->count < sizeof names->path / sizeof *names->path;
        char *path = room && memchr(at, '/', length) ? strndup(at, length) : NULL;
        at += length;
        if (path && access(path, F_OK) == 0)
            names->path[names->count++] = path;
        else
            free(path);
    }
}

static bough_status insert(document *d, void *trial, bough_error *error) {
    return timeline_describe(d, trial, error);
}

/* What the page is of: its network, routing, job and method. */
static void put_title(bough_text *title, const recorded_trial *trial, const bough_study_point *p,
                      const html_files *files) {
    bough_text whole = {0};
    bough_text_printf(&whole, "%s on %s", p->traffic.spec, p->network.spec);
    if (p->faults.spec) bough_text_printf(&whole, " without %s", p->faults.spec);
    if (p->routings) bough_text_printf(&whole, ", routing %s", p->routing[0].spec);
    bough_text_printf(&whole, ", by %s", trial->run->spec);
    if (!whole.failed) html_put_short(title, files, whole.data);
    title->failed |= whole.failed;
    bough_text_fini(&whole);
}

static bough_status write_page(const recorded_trial *trial, const bough_study *study,
                               const bough_timeline_request *r, bough_error *error) {
    const bough_study_point *p = &study->point[0];
    const char *const specs[] = {p->network.spec, p->traffic.spec, p->faults.spec, p->physical.spec};
    file_names names = {0};
    bough_text title = {0}, command = {0};
    char *html = NULL;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) find_files(&names, specs[i]);
    for (size_t i = 0; i < p->routings; i++) find_files(&names, p->routing[i].spec);
    const html_files files = {(const char *const *)names.path, names.count};
    put_title(&title, trial, p, &files);
    if (r->command) html_put_short(&command, &files, r->command);
    const study_page page = {
        .title = title.data,
        .command = command.data,
        .files = &files,
        .results = {.single = true, .choice = {.brief = true}, .insert = insert, .context = (void *)trial}};
    bough_status status = title.failed || command.failed ? bough_fail_memory(error, title.length) : BOUGH_OK;
    TRY(study_page_write(study, &page, &html, error));
    TRY(bough_output_write(r->page, html, strlen(html), error));
    for (size_t i = 0; i < names.count; i++) free(names.path[i]);
    bough_text_fini(&title);
    bough_text_fini(&command);
    free(html);
    return status;
}

bough_status bough_report_timeline(bough_study *study, const bough_timeline_request *r,
                                   const atomic_bool *stop, bough_error *error) {
    recorded_trial trial;
    bough_status status = find(study, &trial, error);
    if (status) return status;
    trial.uses = r->trace || r->link_use;
    status = run_again(&trial, stop, error);
    if (r->trace) TRY(write_trace(&trial, r, error));
    if (r->messages) TRY(write_file(r->messages, timeline_put_messages, &trial, error));
    if (r->link_use) TRY(write_file(r->link_use, timeline_put_link_use, &trial, error));
    if (r->page) TRY(write_page(&trial, study, r, error));
    fini(&trial);
    return status;
}
