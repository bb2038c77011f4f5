/* jobs:FILE.csv - several jobs at once: a CSV with the columns traffic and hosts, and, if wished, name,
 * place, start and size. A job is any batch or schedule over its own hosts, numbered from 0; its place says
 * which endpoints these are: linear        the first ones that are free (the default) stride=K      every
 * K-th that is free, then those behind them, and so on random        any that are free list=0-7 16   these,
 * in this order Jobs get their places in the order of the file. */
#ifndef BOUGH_TRAFFIC_JOBS_JOB_LIST_H
#define BOUGH_TRAFFIC_JOBS_JOB_LIST_H

#include "base/files/input.h"
#include "bough/traffic.h"

typedef struct job {
    char *name, *traffic, *place;
    uint32_t hosts;
    uint64_t start_ps, size; /* bytes of a message of a batch */
    uint64_t line;
    uint32_t *endpoint; /* [hosts]; after job_list_place */
} job;

/* Zero-initialise. */
typedef struct job_list {
    char *file;
    job *job;
    size_t jobs, capacity;
} job_list;
void job_list_fini(job_list *list);

/* Errors: INVALID with file:line. */
bough_status job_list_read(const bough_input *input, job_list *list, bough_error *error);
/* Fills endpoint. key: of random places. overlap: a list may name endpoints that other jobs have. Errors:
 * INVALID with file:line, NO_MEMORY. */
bough_status job_list_place(job_list *list, const bough_net *net, uint64_t key, bool overlap,
                            bough_error *error);
/* status, with the job's line as the place of the error. */
bough_status job_list_at(const job_list *list, const job *job, bough_status status, bough_error *error);

extern const bough_traffic_kind bough_traffic_jobs;

#endif
