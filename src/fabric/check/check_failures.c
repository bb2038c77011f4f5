/* Single failures, curves of degradation, and what is missing, under one routing. */
#include "fabric/check/check_failures.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/adaptive/check_adaptive_internal.h"

#include <stdlib.h>

/* What the tables of the whole fabric come to without the missing parts: as they are, and rerouted. */
static bough_status find_without(const check_faults *faults, const bough_failures_options *options,
                                 bough_routing_report *part, bough_error *error) {
    bough_check_failures *r = &part->failures;
    const bough_net *net = part->routing->net;
    bough_routing *before = NULL;
    bough_failures *f = NULL;
    uint64_t *dead = NULL, words = (net->links + 63) / 64;
    if (!faults->missing || bough_failures_check(part->routing, NULL)) return BOUGH_OK;
    bough_status status = bough_routing_create(net->faults->base, part->routing->spec, &before, error);
    TRY(bough_failures_create(before, options, &f, error));
    TRY(bough_alloc(&dead, words, sizeof *dead, error));
    for (uint64_t w = 0; w < words && !status; w++)
        dead[w] = (net->dead ? net->dead[w] : 0) | (net->lost ? net->lost[w] : 0);
    TRY(bough_failures_dead(f, dead, &r->without, error));
    if (!status) {
        r->made = bough_failures_made(f);
        r->whole = *bough_failures_whole(f);
        status = arena_copy(options->memory, &r->missing, net->faults->spec, error);
    }
    free(dead);
    bough_failures_destroy(f);
    bough_routing_destroy(before);
    return status;
}

typedef struct lists_job {
    check_progress *progress;
    const check_faults *faults;
    const bough_check_report *report;
    const bough_failures_options *options;
} lists_job;

/* The report has warned of single points of failure, unless it could not look for them. */
static bough_status find_lists(const lists_job *job, bough_failures *f, bough_routing_report *part,
                               bough_error *error) {
    const check_faults *faults = job->faults;
    const bough_failures_options *options = job->options;
    const bool warn = job->report->single.unknown;
    bough_check_failures *r = &part->failures;
    bough_status status = arena_alloc(options->memory, &r->list, faults->eaches, sizeof *r->list, error);
    for (size_t i = 0; i < faults->eaches && !status; i++) {
        check_progress_begin(job->progress, CHECK_LIST);
        status = bough_failures_each(f, faults->each[i], options, &r->list[i], error);
        if (!status) r->lists++;
        if (warn) TRY(bough_failures_warn(f, &r->list[i], &part->findings, error));
        TRY(bough_failures_faster(f, &r->list[i], &part->findings, error));
    }
    return status;
}

static bough_status find_curves(const lists_job *job, bough_failures *f, bough_routing_report *part,
                                bough_error *error) {
    const check_faults *faults = job->faults;
    const uint64_t asked = job->progress->question->draws, draws = asked ? asked : CHECK_DRAWS;
    bough_check_failures *r = &part->failures;
    bough_status status =
        arena_alloc(job->options->memory, &r->curve, faults->curves, sizeof *r->curve, error);
    for (size_t i = 0; i < faults->curves && !status; i++) {
        const check_curve *c = &faults->curve[i];
        check_progress_begin(job->progress, CHECK_CURVE);
        status = bough_failures_degrade(f, &(bough_degradation_ask){c->spec, c->share, c->shares, draws},
                                        job->options, &r->curve[i], error);
        if (!status) r->curves++;
    }
    return status;
}

/* Groups stay as they are; only curves take the tables that bough makes instead. */
static bough_status find_adaptive(const lists_job *job, bough_routing_report *part, bough_error *error) {
    const check_faults *faults = job->faults;
    bough_check_adaptive *a = &part->adaptive;
    bough_status status = arena_alloc(job->options->memory, &a->list, faults->eaches, sizeof *a->list, error);
    for (size_t i = 0; i < faults->eaches && !status; i++) {
        check_progress_begin(job->progress, CHECK_LIST);
        status = check_adaptive_failures(part->routing, faults->each[i], job->options, a, error);
    }
    return status;
}

bough_status check_failures_find(check_progress *progress, const check_faults *faults,
                                 bough_check_report *report, bough_routing_report *part, bough_error *error) {
    const bough_failures_options o = {.threads = check_threads(progress->question),
                                      .stop = progress->question->stop,
                                      .progress = check_progress_show,
                                      .progress_context = progress,
                                      .memory = &report->memory};
    const lists_job job = {progress, faults, report, &o};
    bough_check_failures *r = &part->failures;
    bough_failures *f = NULL;
    check_progress_begin(progress, CHECK_PREPARE);
    if (check_adaptive_fails(part->routing)) {
        bough_status failed = find_adaptive(&job, part, error);
        if (failed || !faults->curves) return failed;
    }
    if (!faults->eaches && !faults->curves) return find_without(faults, &o, part, error);
    bough_status status = bough_failures_create(part->routing, &o, &f, error);
    if (!status) {
        r->made = bough_failures_made(f);
        r->whole = *bough_failures_whole(f);
    }
    if (!check_adaptive_fails(part->routing)) TRY(find_lists(&job, f, part, error));
    TRY(find_curves(&job, f, part, error));
    bough_failures_destroy(f);
    return status;
}
