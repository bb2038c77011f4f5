/* A job is a study of one point: linkload and flow under every routing, on the same messages. Studies compare
 * routings with the first one; where another one turns out to be the fastest, the study runs again with the
 * routings in their order, so that the fastest stands against the next. */
#include "cli/check/check_jobs.h"

#include "base/json/json_build.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "bough/traffic.h"
#include "cli/network_argument.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS    100
#define PRECISION 0.01

/* ---- what is asked for ---- */

static const bough_traffic_kind *find_kind(const char *spec) {
    size_t length = strcspn(spec, ":");
    for (const bough_traffic_kind *const *k = bough_traffic_kinds; *k; k++) {
        if (strlen((*k)->name) == length && strncmp(spec, (*k)->name, length) == 0) return *k;
        for (const char *const *a = (*k)->aliases; a && *a; a++)
            if (strlen(*a) == length && strncmp(spec, *a, length) == 0) return *k;
    }
    return NULL;
}

static bough_status unknown_traffic(const char *spec, bough_error *error) {
    const char *names[128];
    size_t count = 0;
    char word[64];
    for (const bough_traffic_kind *const *k = bough_traffic_kinds; *k && count < 128; k++)
        names[count++] = (*k)->name;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
    char hint[BOUGH_HINT_MAX];
    return bough_fail(error, BOUGH_INVALID, NULL, "--job: no traffic '%s'%s; see `bough list traffic`", word,
                      bough_hint(hint, word, names, count));
}

bough_status check_jobs_read(const cli_args *args, check_jobs *jobs, bough_error *error) {
    size_t count = 0;
    while (cli_value_at(args, "job", count)) count++;
    bough_status status = bough_alloc(&jobs->asked, count, sizeof *jobs->asked, error);
    TRY(bough_alloc(&jobs->job, count, sizeof *jobs->job, error));
    for (size_t i = 0; i < count && !status; i++) {
        const char *spec = jobs->asked[i] = cli_value_at(args, "job", i);
        const bough_traffic_kind *kind = find_kind(spec);
        if (!kind)
            status = unknown_traffic(spec, error);
        else if (kind->shape == BOUGH_STREAM)
            status = bough_fail(error, BOUGH_INVALID, NULL,
                                "--job: '%s' never ends; a job is a batch, or a schedule", spec);
    }
    if (!status && count && args->positionals && strcmp(args->positional[0], "-") == 0)
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "--job reads the fabric again, which standard input cannot; give a file");
    jobs->count = status ? 0 : count;
    return status;
}

void check_jobs_fini(check_jobs *jobs) {
    for (size_t i = 0; i < jobs->count; i++) {
        free(jobs->job[i].traffic);
        free(jobs->job[i].row);
    }
    free(jobs->asked);
    free(jobs->job);
    *jobs = (check_jobs){0};
}

/* ---- one study ---- */

typedef struct inputs {
    const char *network, *faults;
    const bough_routing *const *routing;
    size_t routings;
    bough_effort effort;
    uint64_t seed;
    const bough_study_options *options;
} inputs;

static bough_status put(bough_asked *asked, const char *spec, bough_error *error) {
    asked->spec = bough_strdup(spec);
    return asked->spec ? BOUGH_OK : bough_fail_memory(error, strlen(spec));
}

/* order: of routings; linkload: of a batch it counts flows. */
static bough_status make_study(const inputs *in, const char *traffic, bool linkload, const size_t *order,
                               bough_study *study, bough_error *error) {
    *study = (bough_study){.seed = in->seed, .effort = in->effort};
    bough_status status = bough_alloc(&study->point, 1, sizeof *study->point, error);
    if (status) return status;
    bough_study_point *p = study->point;
    study->points = 1;
    status = put(&p->network, in->network, error);
    if (!status && in->faults) status = put(&p->faults, in->faults, error);
    TRY(put(&p->traffic, traffic, error));
    TRY(bough_alloc(&p->method, 2, sizeof *p->method, error));
    TRY(put(&p->method[p->methods++], "flow", error));
    if (!status && linkload) status = put(&p->method[p->methods++], "linkload", error);
    TRY(bough_alloc(&p->routing, in->routings, sizeof *p->routing, error));
    for (size_t i = 0; i < in->routings && !status; i++) {
        p->routings++;
        status = put(&p->routing[i], in->routing[order[i]]->spec, error);
    }
    TRY(bough_study_resolve(study, error));
    TRY(bough_study_run(study, in->options, error));
    return status;
}

static const bough_cell *find_cell(const bough_answer *a, bough_metric_id metric) {
    for (size_t k = 0; k < a->cells; k++)
        if (a->cell[k].metric == metric && a->cell[k].index == BOUGH_NO_ROW_INDEX) return &a->cell[k];
    return NULL;
}

static void take_answer(const bough_answer *a, check_job_row *row) {
    const bough_cell *load = find_cell(a, BOUGH_METRIC_LINK_LOAD_MAX);
    const bough_cell *end = find_cell(a, BOUGH_METRIC_COMPLETION_TIME);
    if (load) {
        row->loaded = true;
        row->load = load->stats.mean;
        row->load_ci95 = a->exact ? 0 : bough_cell_ci95(a, load);
    } else if (end) {
        row->outcome = a->outcome;
        row->seconds = end->stats.mean;
        row->seconds_ci95 = a->exact ? 0 : bough_cell_ci95(a, end);
        row->trials = a->trials;
    }
    if (*a->note && !*row->note) snprintf(row->note, sizeof row->note, "%s", a->note);
}

static void take_rows(const bough_study_point *p, const size_t *order, size_t routings, check_job_row *row) {
    for (size_t i = 0; i < routings; i++) row[i] = (check_job_row){.routing = order[i]};
    for (size_t i = 0; i < p->answers; i++) take_answer(&p->answer[i], &row[p->answer[i].routing]);
}

static bool ends(const check_job_row *row) {
    return row->outcome == BOUGH_RUN_OK;
}

static int by_speed(const void *a, const void *b) {
    const check_job_row *x = a, *y = b;
    double p = ends(x) ? x->seconds : INFINITY, q = ends(y) ? y->seconds : INFINITY;
    if (p != q) return p > q ? 1 : -1;
    return (x->routing > y->routing) - (x->routing < y->routing);
}

/* The second routing of the study against the first. The rows are in order. */
static void take_comparison(const bough_study_point *p, size_t routings, check_job *job) {
    job->ahead = job->ahead_ci95 = NAN;
    job->exact = false;
    job->decided = routings > 1 && ends(&job->row[0]) && !ends(&job->row[1]);
    if (routings < 2 || !ends(&job->row[1])) return;
    for (size_t i = 0; i < p->comparisons; i++) {
        const bough_comparison *c = &p->comparison[i];
        if (c->metric != BOUGH_METRIC_COMPLETION_TIME || p->answer[c->answer].routing != 1) continue;
        job->ahead = c->ratio - 1;
        job->ahead_ci95 = c->exact ? 0 : c->ratio_ci95;
        job->exact = c->exact;
        job->decided = c->exact ? c->difference != 0 : fabs(c->difference) > c->difference_ci95;
    }
}

static bough_status run_job(const inputs *in, const char *traffic, check_job *job, bough_error *error) {
    size_t *order = NULL;
    bool again = true, batch = false;
    bough_traffic *t;
    bough_status status = bough_traffic_create(in->routing[0]->net, traffic, &t, error);
    if (!status) {
        batch = t->shape == BOUGH_BATCH;
        bough_traffic_destroy(t);
        status = bough_alloc(&order, in->routings, sizeof *order, error);
    }
    TRY(bough_alloc(&job->row, in->routings, sizeof *job->row, error));
    for (size_t i = 0; i < in->routings && !status; i++) order[i] = i;
    for (int pass = 0; pass < 2 && again && !status; pass++) {
        bough_study study;
        status = make_study(in, traffic, batch, order, &study, error);
        if (!status) {
            take_rows(study.point, order, in->routings, job->row);
            qsort(job->row, in->routings, sizeof *job->row, by_speed);
            take_comparison(study.point, in->routings, job);
            again = false;
            for (size_t i = 0; i < in->routings; i++) {
                again |= i < 2 && order[i] != job->row[i].routing;
                order[i] = job->row[i].routing;
            }
            free(job->traffic);
            job->traffic = bough_strdup(study.point->traffic.spec);
            if (!job->traffic) status = bough_fail_memory(error, strlen(traffic));
        }
        bough_study_fini(&study);
    }
    free(order);
    return status;
}

bough_status check_jobs_run(const cli_args *args, const char *network, const char *faults,
                            const bough_routing *const *routing, size_t routings,
                            const bough_study_options *options, check_jobs *jobs, bough_error *error) {
    inputs in = {network, faults, routing, routings, {TRIALS, PRECISION, BOUGH_METRIC_COUNT}, 1, options};
    uint64_t trials = 0;
    bough_status status = cli_integer(args, "trials", 0, 1000000, &trials, error);
    TRY(cli_integer(args, "seed", 0, INT64_MAX, &in.seed, error));
    if (trials) in.effort = (bough_effort){trials, 0, BOUGH_METRIC_COUNT};
    jobs->routings = routings;
    for (; jobs->done < jobs->count && !status; jobs->done++)
        status = run_job(&in, jobs->asked[jobs->done], &jobs->job[jobs->done], error);
    return status;
}

/* ---- text ---- */

/* The end of a long spec says most. */
static const char *tail(const char *spec, char *buffer, size_t size) {
    size_t length = strlen(spec), most = 40;
    snprintf(buffer, size, "%s%s", length > most ? "..." : "",
             length > most ? spec + length - (most - 3) : spec);
    return buffer;
}

static const char *seconds(double value, char *buffer, size_t size) {
    double unit = value >= 1 ? 1 : value >= 1e-3 ? 1e-3 : 1e-6;
    snprintf(buffer, size, "%.4g %s", value / unit, unit == 1 ? "s" : unit == 1e-3 ? "ms" : "us");
    return buffer;
}

static void print_row(bough_text *out, const check_job_row *r, const bough_routing *routing) {
    char name[64], load[48] = "-", end[48] = "-", a[24], b[24];
    if (r->loaded && r->load_ci95 > 0)
        snprintf(load, sizeof load, "%.4g +- %.2g", r->load, r->load_ci95);
    else if (r->loaded)
        snprintf(load, sizeof load, "%.4g", r->load);
    if (ends(r) && r->seconds_ci95 > 0)
        snprintf(end, sizeof end, "%s +- %s", seconds(r->seconds, a, sizeof a),
                 seconds(r->seconds_ci95, b, sizeof b));
    else if (ends(r))
        snprintf(end, sizeof end, "%s", seconds(r->seconds, a, sizeof a));
    else
        snprintf(end, sizeof end, "never");
    bough_text_put_line(out, "  %-40s %17s  %24s", tail(routing->spec, name, sizeof name), load, end);
    if (*r->note) bough_text_put_line(out, "    (%s)", r->note);
}

static void print_ranking(bough_text *out, const check_job *job, const bough_routing *const *routing) {
    char first[64], second[64];
    const char *a = tail(routing[job->row[0].routing]->spec, first, sizeof first);
    const char *b = tail(routing[job->row[1].routing]->spec, second, sizeof second);
    if (!ends(&job->row[0])) {
        bough_text_printf(out, "  none of them ends it\n");
        return;
    }
    if (!ends(&job->row[1])) {
        bough_text_printf(out, "  better: %s; %s never ends it\n", a, b);
        return;
    }
    if (job->exact && !job->decided)
        bough_text_printf(out, "  the same: %s and %s\n", a, b);
    else if (job->exact)
        bough_text_printf(out, "  better: %s; %s takes %.3g %% longer (exact)\n", a, b, 100 * job->ahead);
    else if (job->decided)
        bough_text_printf(out, "  better: %s; %s takes %.2f +- %.2f %% longer\n", a, b, 100 * job->ahead,
                          100 * job->ahead_ci95);
    else
        bough_text_printf(
            out, "  undecided: %s takes %.2f +- %.2f %% longer than %s, which is within the interval\n", b,
            100 * job->ahead, 100 * job->ahead_ci95, a);
}

void check_jobs_print(bough_text *out, const check_jobs *jobs, const bough_routing *const *routing) {
    for (size_t i = 0; i < jobs->done; i++) {
        const check_job *job = &jobs->job[i];
        bough_text_printf(out, "\njob         %s\n", job->traffic);
        bough_text_printf(out, "  %-40s %17s  %24s\n", "routing, the fastest first", "fullest link",
                          "done after");
        for (size_t k = 0; k < jobs->routings; k++)
            print_row(out, &job->row[k], routing[job->row[k].routing]);
        if (jobs->routings > 1) print_ranking(out, job, routing);
    }
    if (jobs->done)
        bough_text_printf(out, "  (flows on the fullest link by linkload; until the last message has arrived "
                               "by flow, 1 MB messages, or a\n"
                               "  schedule's own, that share links fairly; means +- 95 %% interval over the "
                               "draws of the job, which are the\n"
                               "  same for all routings)\n");
}

/* ---- JSON ---- */

static json_t *json_row(const check_job_row *r, const bough_routing *routing) {
    json_t *o = json_object();
    bough_json_put(&o, "routing", bough_json_string(routing->spec));
    if (r->loaded) {
        bough_json_put(&o, "link_load_max", bough_json_real(r->load));
        bough_json_put(&o, "link_load_max_ci95", bough_json_real(r->load_ci95));
    }
    bough_json_put(&o, "completion_time", ends(r) ? bough_json_real(r->seconds) : json_null());
    bough_json_put(&o, "completion_time_ci95", ends(r) ? bough_json_real(r->seconds_ci95) : json_null());
    bough_json_put(&o, "trials", json_integer((json_int_t)r->trials));
    bough_json_put(&o, "status", json_string(bough_outcome_name(r->outcome)));
    if (*r->note) bough_json_put(&o, "note", bough_json_string(r->note));
    return o;
}

json_t *check_jobs_json(const check_jobs *jobs, const bough_routing *const *routing) {
    json_t *list = json_array();
    for (size_t i = 0; i < jobs->done; i++) {
        const check_job *job = &jobs->job[i];
        json_t *o = json_object(), *rows = json_array();
        bough_json_put(&o, "job", bough_json_string(job->traffic));
        for (size_t k = 0; k < jobs->routings; k++)
            bough_json_append(&rows, json_row(&job->row[k], routing[job->row[k].routing]));
        bough_json_put(&o, "ranking", rows);
        if (jobs->routings > 1) {
            bough_json_put(&o, "ahead", bough_json_real(job->ahead));
            bough_json_put(&o, "ahead_ci95", job->exact ? json_null() : bough_json_real(job->ahead_ci95));
            bough_json_put(&o, "decided", json_boolean(job->decided));
        }
        bough_json_append(&list, o);
    }
    return list;
}
