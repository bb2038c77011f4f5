/* The findings of a check, in the groups in which reports show them. What else has findings is added here. */
#ifndef BOUGH_FABRIC_CHECK_FINDING_GROUPS_H
#define BOUGH_FABRIC_CHECK_FINDING_GROUPS_H

#include "fabric/check/check.h"

typedef enum finding_subject {
    FINDINGS_OF_WIRING, /* of the file and the wiring; counters, placements and Slurm's file add to these */
    FINDINGS_OF_ROUTING,
    FINDINGS_OF_COMPARISON, /* with an old fabric */
    FINDINGS_OF_PLAN
} finding_subject;

typedef struct finding_group {
    finding_subject subject;
    size_t part;                   /* of a routing */
    const char *name;              /* "the wiring"; of a routing its spec */
    const bough_findings *list[2]; /* NULL: there is none */
} finding_group;

/* part: of a routing, else 0. */
finding_group finding_group_of(const bough_check_report *report, finding_subject subject, size_t part);
/* The i-th group, in the order of the text; false: there is no i-th one. */
bool finding_group_at(const bough_check_report *report, size_t i, finding_group *group);
/* Findings of a severity, in all groups. */
uint64_t findings_count(const bough_check_report *report, bough_severity severity);

#endif
