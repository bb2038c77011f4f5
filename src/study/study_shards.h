/* Shards: a study is split into parts of whole points that run independently, each into its own store. */
#ifndef BOUGH_STUDY_STUDY_SHARDS_H
#define BOUGH_STUDY_STUDY_SHARDS_H

#include "study/study.h"

/* Restricts a resolved study to shard 1 .. shards: sets the shard of each point. The split depends on the
 * question alone, not on the number of trials, so that a shard may be run again with more of them. */
bough_status study_take_shard(bough_study *study, unsigned shard, unsigned shards, bough_error *error);

/* The point is not left to another shard. */
static inline bool study_point_is_mine(const bough_study *study, size_t point) {
    return !study->shards || study->point[point].shard == study->shard;
}

#endif
