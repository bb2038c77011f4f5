/* One point of a study as objects: network, traffic, routings and a run per answer. */
#ifndef BOUGH_STUDY_RUN_POINT_BINDING_H
#define BOUGH_STUDY_RUN_POINT_BINDING_H

#include "study/run/relative_load.h"
#include "study/study.h"

struct bough_binding {
    size_t point;               /* point of the study; SIZE_MAX: none */
    char *asked, *asked_faults; /* the specs as requested */
    bough_net *whole, *faulty;  /* kept from point to point while the specs are equal */
    bough_net *ported;          /* with ports of endpoints, over either of them; NULL: none */
    bough_net *gpus;            /* of compute nodes, over either of them; NULL: none */
    bough_net *adding;          /* with aggregation nodes, over any of them; NULL: none */
    const bough_net *net;       /* the one that is used */
    bough_physical *physical;   /* of the point; NULL: the default */
    bough_traffic *traffic;
    bough_routing **routing;
    size_t routings;
    bough_run **run; /* one per answer of the point */
    size_t runs;
    saturation_book saturations; /* saturation loads that relload= has determined so far */
};

/* Sets study->binding to a point. The first call for a point also creates its answers and makes its specs
 * canonical. Errors are prefixed by the line of the study file and the values of the axes. */
bough_status bind_point(bough_study *study, size_t point, bough_error *error);
void binding_destroy(bough_binding *binding);

/* Prefixes the line of the study file (0: only the file) and the values of the axes to an error at a
 * point. */
bough_status point_fail(const bough_study *study, size_t point, unsigned line, bough_status status,
                        bough_error *error);

/* "n=1024, m=128"; empty without axes. Returns buffer, truncated to size. */
char *point_label(const bough_study *study, const bough_study_point *point, char *buffer, size_t size);

/* Number of threads of an answer, given the requested number (0: one per processor): at most its number of
 * trials and what the memory allows; at least one, which resolving has checked. */
unsigned answer_threads(const bough_study *study, const bough_study_point *point, const bough_answer *answer,
                        unsigned wanted);
/* Number of threads of one trial: the same where trials run one at a time and it is parallel; else 1.
 */
unsigned answer_team(const bough_study *study, const bough_study_point *point, const bough_answer *answer,
                     unsigned wanted);

#endif
