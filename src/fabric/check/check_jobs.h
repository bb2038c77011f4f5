/* Which of the routings is better for a job. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_JOBS_H
#define BOUGH_FABRIC_CHECK_CHECK_JOBS_H

#include "fabric/check/check.h"
#include "fabric/check/check_progress.h"
#include "study/study.h"

bough_effort check_job_effort(const bough_check_question *question);
/* Looks at the names of the jobs only. */
bough_status check_jobs_read(const bough_check_question *question, bough_error *error);
/* faults: what the network is without; may be NULL. */
bough_status check_jobs_run(check_progress *progress, const char *faults, bough_check_report *report,
                            bough_error *error);
/* Names a routing otherwise in the studies of the jobs. */
bough_status check_jobs_rename(bough_check_report *report, const char *spec, const char *label,
                               bough_error *error);
void check_jobs_fini(bough_check_report *report);

#endif
