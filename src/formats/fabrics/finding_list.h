/* Lists of findings. A log of findings lists the first ones of each kind, and counts the rest. */
#ifndef BOUGH_FORMATS_FABRICS_FINDING_LIST_H
#define BOUGH_FORMATS_FABRICS_FINDING_LIST_H

#include "formats/fabrics/fabric.h"

#define BOUGH_FINDINGS_OF_A_KIND 20

/* Zero-initialise all but out and source. status keeps the first failure. */
typedef struct bough_finding_log {
    bough_findings *out;
    const char *source; /* of findings without another place */
    struct {
        const char *kind;
        bough_severity worst;
        size_t count;
    } kind[32];
    size_t kinds;
    bough_status status;
    bough_error error;
} bough_finding_log;

/* Adds a finding. Its kind must outlive the log. where: NULL for the source of the log. */
void bough_log_finding(bough_finding_log *log, const bough_finding_head *head, const char *format, ...)
    BOUGH_PRINTF(3, 4);
/* Adds "and N more" for kinds with unlisted findings. Returns the first failure. */
bough_status bough_finding_log_end(bough_finding_log *log, bough_error *error);

#endif
