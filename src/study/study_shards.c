/* Points by descending work, each to the shard with the least work so far. */
#include "study/study_shards.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/forecast/work_estimate.h"

bough_status study_take_shard(bough_study *study, unsigned shard, unsigned shards, bough_error *error) {
    enum { TRIALS = 64 };
    size_t *order = NULL;
    double *load = NULL;
    bough_status status = bough_alloc(&order, study->points, sizeof *order, error);
    TRY(bough_alloc(&load, shards, sizeof *load, error));
    TRY(points_by_weight(study, TRIALS, order, error));
    for (size_t i = 0; i < study->points && !status; i++) {
        unsigned least = 0;
        for (unsigned s = 1; s < shards; s++)
            if (load[s] < load[least]) least = s;
        bough_study_point *p = &study->point[order[i]];
        load[least] += point_weight(p, TRIALS);
        p->shard = least + 1;
    }
    FREE_ALL(order, load);
    study->shard = shard;
    study->shards = shards;
    return status;
}
