/* Points by descending work, each to the shard with the least work so far. */
#include "study/study_shards.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/run/answer_weight.h"

#include <stdlib.h>

typedef struct weighed_point {
    double weight;
    size_t point;
} weighed_point;

static int heavier(const void *a, const void *b) {
    const weighed_point *p = a, *q = b;
    if (p->weight != q->weight) return p->weight > q->weight ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

bough_status study_take_shard(bough_study *study, unsigned shard, unsigned shards, bough_error *error) {
    enum { TRIALS = 64 };
    weighed_point *all = NULL;
    double *load = NULL;
    bough_status status = bough_alloc(&all, study->points, sizeof *all, error);
    TRY(bough_alloc(&load, shards, sizeof *load, error));
    for (size_t i = 0; i < study->points && !status; i++)
        all[i] = (weighed_point){point_weight(&study->point[i], TRIALS), i};
    if (!status) qsort(all, study->points, sizeof *all, heavier);
    for (size_t i = 0; i < study->points && !status; i++) {
        unsigned least = 0;
        for (unsigned s = 1; s < shards; s++)
            if (load[s] < load[least]) least = s;
        load[least] += all[i].weight;
        study->point[all[i].point].shard = least + 1;
    }
    FREE_ALL(all, load);
    study->shard = shard;
    study->shards = shards;
    return status;
}
