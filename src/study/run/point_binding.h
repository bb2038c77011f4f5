/* One point of a study as objects: network, traffic, routings and a run for each answer. */
#ifndef BOUGH_STUDY_RUN_POINT_BINDING_H
#define BOUGH_STUDY_RUN_POINT_BINDING_H

#include "bough/study.h"
#include "study/run/relative_load.h"

struct bough_binding {
    size_t point;               /* of the study; SIZE_MAX: none */
    char *asked, *asked_faults; /* the specs as they were asked for */
    bough_net *whole, *faulty;  /* kept from point to point while the specs are the same */
    const bough_net *net;       /* one of them */
    bough_traffic *traffic;
    bough_routing **routing;
    size_t routings;
    bough_run **run; /* one for each answer of the point */
    size_t runs;
    saturation_book saturations; /* those that relload= asked for so far */
    size_t notes;                /* that study->note has room for */
};

/* Makes study->binding that of a point. The first time it also lays out the point's answers and makes its
 * specs canonical. Errors carry the line of the study file and the values of the axes. */
bough_status bind_point(bough_study *study, size_t point, bough_error *error);
void binding_destroy(bough_binding *binding);

/* Puts the line of the study file (0: only the file) and the values of the axes before what an object said of
 * a point. */
bough_status point_fail(const bough_study *study, size_t point, unsigned line, bough_status status,
                        bough_error *error);

/* "n=1024, m=128"; empty without axes. buffer is returned, cut to size. */
char *point_label(const bough_study *study, const bough_study_point *point, char *buffer, size_t size);

/* In how many threads an answer runs of those wanted (0: one a processor): no more than it has trials, nor
 * than the memory holds; at least one, which resolving has checked. */
unsigned answer_threads(const bough_study *study, const bough_study_point *point, const bough_answer *answer,
                        unsigned wanted);
/* What it takes then: what the point shares, and a trial for each. */
uint64_t answer_memory(const bough_study_point *point, const bough_answer *answer, unsigned threads);

#endif
