/* jobs:FILE.csv: several concurrent jobs, as CSV with the columns traffic and hosts, and optionally name,
 * place, start and size. A job is any batch or schedule over its own hosts, numbered from 0. Its place
 * selects their endpoints:
 *   linear        the first free ones (default)
 *   stride=K      every K-th free one, then the free ones after those, and so on
 *   random        random free ones
 *   list=0-7 n16  these, in this order, by number or name
 * Jobs are placed in file order. With compute nodes hosts are GPUs, and jobs get whole nodes: `linear`,
 * `stride` and `random` count these. Where hosts have several endpoints, `hosts` counts endpoints, `linear`,
 * `stride` and `random` take those of a host together, and a number in a list is that of a host, which stands
 * for its first endpoint, listed again for the next. */
#ifndef BOUGH_FORMATS_LISTS_JOB_LIST_H
#define BOUGH_FORMATS_LISTS_JOB_LIST_H

#include "base/files/input.h"
#include "base/memory/arena.h"

#include <stdint.h>

typedef struct job {
    char *name, *traffic, *place;
    uint32_t hosts;
    uint64_t start_ps, size; /* size: bytes per message of a batch */
    uint64_t line;
    uint32_t *endpoint; /* [hosts]; set by job_list_place */
} job;

/* Zero-initialise. */
typedef struct job_list {
    char *file;
    job *job;
    size_t jobs;
    arena memory; /* of all of it; the caller frees it */
} job_list;

/* Errors: INVALID with file:line. */
bough_status job_list_read(const bough_input *input, job_list *list, bough_error *error);
/* Returns status, with the line of the job as the place of the error. */
bough_status job_list_at(const job_list *list, const job *job, bough_status status, bough_error *error);

#endif
