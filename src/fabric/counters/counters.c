#include "fabric/counters/counters_internal.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/spec.h"
#include "fabric/placement/place_load.h"
#include "fabric/placement/placement_hosts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the question ---- */

static bough_status read_interval(const char *text, double *interval, bough_error *error) {
    *interval = NAN;
    bough_status status = text ? bough_parse_real(text, "--interval", interval, error) : BOUGH_OK;
    if (!status && text && !(*interval > 0 && isfinite(*interval)))
        status =
            bough_fail(error, BOUGH_INVALID, NULL, "--interval %s must be a number of seconds above 0", text);
    return status;
}

bough_status counters_check(const bough_check_question *q, bough_error *error) {
    double interval;
    if (q->interval && !q->counter_files)
        return bough_fail(error, BOUGH_INVALID, NULL, "--interval needs --counters");
    if (q->counter_files > 2)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--counters takes one file, or two, the earlier first; %zu are given",
                          q->counter_files);
    return read_interval(q->interval, &interval, error);
}

/* ---- files ---- */

static bough_status find_interval(const bough_check_question *q, const counter_files *files,
                                  bough_counters *c, bough_error *error) {
    bough_status status = read_interval(q->interval, &c->interval, error);
    c->interval_given = q->interval != NULL;
    if (status || c->interval_given || !c->after) return status;
    c->interval = files->after.time - files->before.time;
    if (c->interval <= 0)
        return bough_fail(error, BOUGH_INVALID, c->after,
                          "its counters are not later than those of the other file; --counters takes the "
                          "earlier file first (--interval SECONDS overrides the times of the files)");
    return BOUGH_OK;
}

static bough_status read_files(const bough_check_question *q, const bough_net *net, bough_counters *c,
                               bough_error *error) {
    counter_files files = {.before.time = NAN, .after.time = NAN};
    const bool two = q->counter_files == 2;
    bough_status status = arena_copy(c->memory, &c->before, q->counters[0], error);
    if (two) TRY(arena_copy(c->memory, &c->after, q->counters[1], error));
    if (two) TRY(counter_ports_read(net->fabric, c->before, &files.before, error));
    TRY(counter_ports_read(net->fabric, two ? c->after : c->before, &files.after, error));
    TRY(find_interval(q, &files, c, error));
    TRY(counter_links_find(net, &files, c, error));
    c->unknown = files.after.unknown;
    c->skipped = files.before.skipped + files.after.skipped;
    TRY(arena_copy(c->memory, &c->unknown_first, files.after.unknown_first, error));
    counter_ports_fini(&files.before);
    counter_ports_fini(&files.after);
    return status;
}

bough_status counters_read(const bough_check_question *q, bough_check_report *report, bough_error *error) {
    const bough_net *net = report->net;
    if (!q->counter_files) return BOUGH_OK;
    if (!net->fabric || net->fabric->made_ids)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "--counters needs a fabric with GUIDs and LIDs, as ibnetdiscover and ibdiagnet write "
            "it; '%s' has none",
            net->spec);
    bough_status status = arena_alloc(&report->memory, &report->counters, 1, sizeof *report->counters, error);
    if (status) return status;
    report->counters->memory = &report->memory;
    TRY(read_files(q, net, report->counters, error));
    return status;
}

/* ---- predictions ---- */

/* Endpoints of the job: those of the hosts of --place, else all. */
typedef struct job_ends {
    uint32_t *endpoint;
    uint64_t count;
    bool all;
} job_ends;

static bough_status take_hosts(const placement_hosts *h, job_ends *ends, bough_error *error) {
    const compressed_rows *all = &h->machines.endpoints;
    bough_status status = BOUGH_OK;
    uint64_t count = 0;
    for (uint32_t i = 0; i < h->askeds; i++) count += rows_count(all, h->asked[i]);
    status = bough_alloc(&ends->endpoint, count, sizeof *ends->endpoint, error);
    for (uint32_t i = 0; i < h->askeds && !status; i++)
        for (uint32_t e = all->first[h->asked[i]]; e < all->first[h->asked[i] + 1]; e++)
            ends->endpoint[ends->count++] = all->item[e];
    return status;
}

static bough_status job_ends_make(const bough_check_question *q, const bough_net *net, job_ends *ends,
                                  bough_error *error) {
    placement_hosts hosts = {.frees = 0};
    bough_status status = BOUGH_OK;
    if (q->place) status = placement_hosts_make(net, q->place, q->busy, &hosts, error);
    ends->all = !hosts.asked;
    if (hosts.asked) {
        TRY(take_hosts(&hosts, ends, error));
    } else if (!status) {
        status = bough_alloc(&ends->endpoint, net->endpoints, sizeof *ends->endpoint, error);
        for (uint64_t i = 0; i < net->endpoints && !status; i++) ends->endpoint[ends->count++] = (uint32_t)i;
    }
    placement_hosts_fini(&hosts);
    return status;
}

/* What a prediction is made from. */
typedef struct prediction {
    const bough_check_question *question;
    const bough_routing_report *part;
    const char *job; /* spec; NULL: all-to-all */
    const job_ends *ends;
    arena *memory; /* of the report */
    bough_error *error;
} prediction;

static bough_status take_load(const prediction *p, const double *load, bough_counters_fit *fit) {
    const uint64_t links = p->part->routing->net->links;
    bough_status status = arena_alloc(p->memory, &fit->load, links, sizeof *fit->load, p->error);
    if (!status) memcpy(fit->load, load, links * sizeof *fit->load);
    return status;
}

static bough_status predict_job(const prediction *p, bough_counters_fit *fit) {
    place_job job = {.ranks = 0};
    place_loads loads = {.routing = NULL};
    place_result result;
    const uint64_t seed = p->question->seed;
    bough_status status = place_job_make(p->question, p->job, p->ends->count, &job, p->error);
    TRY(place_loads_make(p->part->routing, seed, "--counters with --job", &loads, p->error));
    if (!status) {
        place_loads_add(&loads, &job, p->ends->endpoint, &result);
        fit->bytes = job.bytes;
        status = take_load(p, loads.sums.load, fit);
        TRY(arena_copy(p->memory, &fit->traffic, job.traffic ? job.traffic->spec : "alltoall", p->error));
    }
    place_loads_fini(&loads);
    place_job_fini(&job);
    return status;
}

/* All-to-all of all endpoints: the check has counted it. */
static bough_status predict_alltoall(const prediction *p, bough_counters_fit *fit) {
    bough_status status = take_load(p, p->part->result.load, fit);
    TRY(arena_copy(p->memory, &fit->traffic, "alltoall", p->error));
    return status;
}

static bough_status find_fit(const prediction *p, bough_counters *c, bough_counters_fit *fit) {
    bough_status status = p->job || !p->ends->all ? predict_job(p, fit) : predict_alltoall(p, fit);
    TRY(counter_fit_find(p->part->routing->net, c, fit, p->error));
    return status;
}

static void find_best(bough_counters *c) {
    for (size_t i = 1; i < c->fits; i++)
        if (c->fit[i].elsewhere < c->fit[c->best].elsewhere) c->best = i;
}

bough_status counters_compare(const bough_check_question *q, bough_check_report *report, bough_error *error) {
    bough_counters *c = report->counters;
    const size_t jobs = q->jobs ? q->jobs : 1;
    job_ends ends = {.count = 0};
    if (!c) return BOUGH_OK;
    bough_status status = job_ends_make(q, report->net, &ends, error);
    TRY(arena_alloc(c->memory, &c->fit, report->parts * jobs, sizeof *c->fit, error));
    for (size_t i = 0; i < report->parts * jobs && !status; i++) {
        const prediction p = {.question = q,
                              .part = &report->part[i / jobs],
                              .job = q->jobs ? q->job[i % jobs] : NULL,
                              .ends = &ends,
                              .memory = c->memory,
                              .error = error};
        c->fit[c->fits++].part = i / jobs;
        status = find_fit(&p, c, &c->fit[i]);
    }
    if (!status) find_best(c);
    if (!status) counter_cables_rank(report->net, &report->rates, c);
    TRY(counter_findings_add(report->net, c, &report->wiring, error));
    free(ends.endpoint);
    return status;
}
