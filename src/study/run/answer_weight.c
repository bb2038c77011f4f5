#include "study/run/answer_weight.h"

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
