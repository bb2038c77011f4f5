#include "engines/flow/flow_jobs.h"

#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/rows.h"
#include "method/transfers/schedule_rows.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- what is possible ---- */

static uint64_t jobs_of(const bough_run *run) {
    return run->point.traffic->workload ? run->point.traffic->workload->jobs : 0;
}

bough_status flow_jobs_check(const bough_run *run, flow_jobs_wanted wanted, bough_error *error) {
    const char *key = wanted == FLOW_JOBS_PAIRS ? "interference" : "alone";
    const uint64_t jobs = jobs_of(run);
    if (wanted == FLOW_JOBS_TOGETHER) return BOUGH_OK;
    if (!jobs)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s=1 needs jobs, and %s has none", key,
                          run->point.traffic->spec);
    if (wanted == FLOW_JOBS_PAIRS && jobs > INDEX_PAIRS)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "interference=1 runs every pair of jobs; %s has %" PRIu64
                          " jobs, and at most %d are possible",
                          run->point.traffic->spec, jobs, INDEX_PAIRS);
    return BOUGH_OK;
}

uint64_t flow_jobs_runs(const bough_run *run, flow_jobs_wanted wanted) {
    const uint64_t jobs = jobs_of(run);
    if (wanted == FLOW_JOBS_TOGETHER) return 1;
    return 1 + jobs + (wanted == FLOW_JOBS_PAIRS ? jobs * (jobs - 1) / 2 : 0);
}

uint64_t flow_jobs_bytes(const bough_run *run, flow_jobs_wanted wanted) {
    if (wanted != FLOW_JOBS_PAIRS) return 0;
    return bough_mul(jobs_of(run), bough_mul(words_for(run->point.net->links), sizeof(uint64_t)));
}

/* ---- runs ---- */

/* What the runs found; NULL: not wanted. */
typedef struct found {
    uint64_t *alone;  /* [jobs], ps */
    uint64_t *beside; /* [job][other job], ps */
    uint64_t *links;  /* [job][words]: bits of the links that carry its messages when it is alone */
    uint64_t runs;    /* done */
} found;

static bough_status run_jobs(const flow_jobs *jobs, uint32_t one, uint32_t other, found *f,
                             bough_error *error) {
    const bough_run *run = jobs->run;
    const bough_traffic *traffic = run->point.traffic;
    const bough_clock clock = {1, jobs->unit};
    const workload_jobs pair = {jobs->key, &clock, one, other};
    flow_input input = {.key = jobs->key, .run = run};
    bough_status status = workload_open_jobs(traffic, &pair, &input.source, error);
    if (status) return status;
    status = flow_run(jobs->engine, &input, error);
    const rank_engine *ranks = workload_ranks(input.source);
    if (!status && one == other) f->alone[one] = workload_job_time(traffic, ranks, one);
    if (!status && one != other) {
        const uint64_t n = traffic->workload->jobs;
        f->beside[one * n + other] = workload_job_time(traffic, ranks, one);
        f->beside[other * n + one] = workload_job_time(traffic, ranks, other);
    }
    input.source->close(input.source);
    f->runs++;
    if (run->progress)
        run->progress(run->progress_context,
                      (double)(1 + f->runs) / (double)flow_jobs_runs(run, jobs->wanted));
    return status;
}

static void note_links(const flow_jobs *jobs, uint64_t *bits) {
    for (uint64_t l = 0; l < jobs->run->point.net->links; l++)
        if (flow_carried(jobs->engine, l) > 0) set_bit(bits, l);
}

static bough_status run_all(const flow_jobs *jobs, found *f, bough_error *error) {
    const uint32_t n = (uint32_t)jobs_of(jobs->run);
    const uint64_t words = words_for(jobs->run->point.net->links);
    bool pairs = jobs->wanted == FLOW_JOBS_PAIRS;
    bough_status status = bough_alloc(&f->alone, n, sizeof *f->alone, error);
    if (pairs) TRY(bough_alloc(&f->beside, (uint64_t)n * n, sizeof *f->beside, error));
    if (pairs) TRY(bough_alloc(&f->links, bough_mul(n, words), sizeof *f->links, error));
    for (uint32_t i = 0; i < n && !status; i++) {
        status = run_jobs(jobs, i, i, f, error);
        if (!status && pairs) note_links(jobs, f->links + i * words);
    }
    for (uint32_t i = 0; i < n && pairs; i++)
        for (uint32_t j = i + 1; j < n && !status; j++) status = run_jobs(jobs, i, j, f, error);
    return status;
}

/* ---- rows ---- */

static bough_status slowdown_rows(const found *f, uint32_t jobs, bough_rows *rows, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < jobs; i++)
        for (uint32_t j = 0; j < jobs && !status; j++) {
            uint64_t alone = f->alone[i], beside = f->beside[(uint64_t)i * jobs + j];
            if (i == j || !alone || alone == BOUGH_NONE || beside == BOUGH_NONE) continue;
            status = bough_rows_add(rows, BOUGH_METRIC_JOB_SLOWDOWN_BY, index_pair(i, j),
                                    (double)beside / (double)alone, error);
        }
    return status;
}

static uint64_t shared(const uint64_t *a, const uint64_t *b, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t w = 0; w < words; w++) count += (uint64_t)__builtin_popcountll(a[w] & b[w]);
    return count;
}

static bough_status link_rows(const flow_jobs *jobs, const found *f, bough_rows *rows, bough_error *error) {
    const uint32_t n = (uint32_t)jobs_of(jobs->run);
    const uint64_t words = words_for(jobs->run->point.net->links);
    bough_status status = BOUGH_OK;
    for (uint32_t i = 0; i < n && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_JOB_LINKS, i,
                                (double)shared(f->links + i * words, f->links + i * words, words), error);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n && !status; j++)
            if (i != j)
                status =
                    bough_rows_add(rows, BOUGH_METRIC_JOB_LINKS_SHARED, index_pair(i, j),
                                   (double)shared(f->links + i * words, f->links + j * words, words), error);
    return status;
}

/* The runs of single jobs come last because they reuse the engine. */
bough_status flow_jobs_rows(const flow_jobs *jobs, const uint64_t *time, bough_rows *rows,
                            bough_error *error) {
    const bough_workload *w = jobs->run->point.traffic->workload;
    found f = {0};
    bough_status status = BOUGH_OK;
    if (!w->jobs) return BOUGH_OK;
    if (jobs->wanted != FLOW_JOBS_TOGETHER) status = run_all(jobs, &f, error);
    TRY(schedule_job_rows(w, time, f.alone, rows, error));
    if (f.beside) TRY(slowdown_rows(&f, w->jobs, rows, error));
    if (f.links) TRY(link_rows(jobs, &f, rows, error));
    FREE_ALL(f.alone, f.beside, f.links);
    return status;
}
