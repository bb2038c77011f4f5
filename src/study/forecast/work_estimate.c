#include "study/forecast/work_estimate.h"

#include "base/memory/memory.h"

#include <stdlib.h>

double answer_weight(const bough_answer *a, double trials) {
    return ((double)a->bytes + 4096) * (a->exact ? 1 : trials);
}

double effort_guess(const bough_effort *e) {
    if (!(e->precision > 0)) return (double)e->trials;
    return e->trials && e->trials < 64 ? (double)e->trials : 64;
}

double point_weight(const bough_study_point *p, double trials) {
    double weight = 0;
    for (size_t k = 0; k < p->answers; k++) weight += answer_weight(&p->answer[k], trials);
    return weight;
}

typedef struct weighed_point {
    double weight;
    size_t point;
} weighed_point;

static int heavier(const void *a, const void *b) {
    const weighed_point *p = a, *q = b;
    if (p->weight != q->weight) return p->weight > q->weight ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

bough_status points_by_weight(const bough_study *study, double trials, size_t *order, bough_error *error) {
    weighed_point *all;
    bough_status status = bough_alloc(&all, study->points, sizeof *all, error);
    if (status) return status;
    for (size_t i = 0; i < study->points; i++)
        all[i] = (weighed_point){point_weight(&study->point[i], trials), i};
    if (study->points) qsort(all, study->points, sizeof *all, heavier);
    for (size_t i = 0; i < study->points; i++) order[i] = all[i].point;
    free(all);
    return BOUGH_OK;
}

double job_seconds(const bough_traffic *job, const bough_effort *effort) {
    /* 0.8e-6 for a ring, 2 to 12e-6 for all messages at once */
    const double message = 3e-6;
    return message * (double)job->messages * (job->kind->random ? effort_guess(effort) : 1);
}
