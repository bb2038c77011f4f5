/* The question of a check, from that of bough.h. */
#ifndef BOUGH_API_API_CHECK_H
#define BOUGH_API_API_CHECK_H

#include "api/api_question.h"
#include "fabric/check/check.h"

typedef struct api_check {
    bough_check_question question;
    /* what the question borrows; `routing` has room for more */
    char *network, *against, *against_lft, **routing;
    const char **faults, **job, **counters;
} api_check;

/* Zero-initialise. registry: of the question; may be NULL. room: routings that the caller adds, heap strings.
 * The caller calls api_check_fini, also after an error. */
bough_status api_check_make(const bough_question *question, const bough_registry *registry, size_t room,
                            api_check *check, bough_error *error);
void api_check_fini(api_check *check);

/* Forwarding tables as a routing: lft:file=PATH. Heap; NULL: no memory. */
char *api_tables_spec(const char *path);

#endif
