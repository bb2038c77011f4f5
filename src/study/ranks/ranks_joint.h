/* Answers whose trials all ranks compute together, one trial at a time (base/rank_group.h). They come before
 * all others, which the coordinator deals. */
#ifndef BOUGH_STUDY_RANKS_RANKS_JOINT_H
#define BOUGH_STUDY_RANKS_RANKS_JOINT_H

#include "base/rank_group.h"
#include "study/ranks/rank_team.h"
#include "study/run/answer_stats.h"

/* Memory of a trial that `ranks` ranks compute together, in each of them. */
uint64_t joint_memory(const bough_answer *answer, unsigned ranks);

/* Whether the ranks of the team compute the trials of an answer together: the method supports it, and a trial
 * fits only so, or the answer has fewer trials than there are ranks, these are enough for the method, and a
 * trial is more work than a rank's part of the study. This depends on the memory of the rank. */
bool answer_is_joint(const bough_study *study, size_t point, size_t answer, const rank_team *team);

/* The results of these answers, on rank 0: by point and answer, with `done` if the answer is complete. */
typedef struct joint_results {
    answer_stats **stats; /* [point]; NULL: the point has none */
    size_t points;
    const bough_study *study;
    /* on all ranks */
    uint64_t *set;   /* a bit for each answer of the study: it is joint; NULL: none is */
    bool lost;       /* a rank could not be reached */
    uint64_t trials; /* computed in this run */
    group_state cost;
} joint_results;
void joint_results_fini(joint_results *results);
/* Copies the results of complete answers to the study, of which no more is computed. */
void joint_results_finish(joint_results *results, bough_study *study);
/* Moves the statistics of an answer to *stats; false: it is not among the results. */
bool joint_results_take(joint_results *results, size_t point, size_t answer, answer_stats *stats);

/* Computes all answers that are joint. Called by all ranks. Errors: those of bough_study_run. */
bough_status ranks_joint(const rank_team *team, bough_study *study, const bough_study_options *options,
                         joint_results *results, bough_error *error);

#endif
