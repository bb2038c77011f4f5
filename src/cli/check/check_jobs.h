/* `bough check --job TRAFFIC`: which of the routings is better for a job. */
#ifndef BOUGH_CLI_CHECK_CHECK_JOBS_H
#define BOUGH_CLI_CHECK_CHECK_JOBS_H

#include "base/text/text.h"
#include "bough/method.h"
#include "bough/routing.h"
#include "bough/study.h"
#include "cli/cli.h"

#include <jansson.h>

/* One routing under a job; values are means over trials. */
typedef struct check_job_row {
    size_t routing;        /* as asked for */
    bool loaded;           /* linkload answers */
    bough_outcome outcome; /* of flow; but for OK something is never delivered, and there is no time */
    double load, load_ci95, seconds, seconds_ci95;
    uint64_t trials;
    char note[BOUGH_NOTE_MAX];
} check_job_row;

typedef struct check_job {
    char *traffic;
    check_job_row *row; /* [routings], the fastest first; last those that do not end it */
    /* The fastest against the next, where both end it: how much longer that one takes, as a share, with its
     * interval. */
    double ahead, ahead_ci95;
    bool exact, decided; /* decided: outside the interval, or one alone ends it */
} check_job;

/* Zero-initialise. */
typedef struct check_jobs {
    const char **asked;
    size_t count, done, routings;
    check_job *job;
} check_jobs;

/* Looks at the words of --job only. */
bough_status check_jobs_read(const cli_args *args, check_jobs *jobs, bough_error *error);
/* faults may be NULL. */
bough_status check_jobs_run(const cli_args *args, const char *network, const char *faults,
                            const bough_routing *const *routing, size_t routings,
                            const bough_study_options *options, check_jobs *jobs, bough_error *error);
void check_jobs_fini(check_jobs *jobs);

void check_jobs_print(bough_text *out, const check_jobs *jobs, const bough_routing *const *routing);
json_t *check_jobs_json(const check_jobs *jobs, const bough_routing *const *routing);

#endif
