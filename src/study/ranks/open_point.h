/* A point of a study while ranks compute it: the statistics of its answers, which trials are given out, and
 * results that wait for an earlier trial. */
#ifndef BOUGH_STUDY_RANKS_OPEN_POINT_H
#define BOUGH_STUDY_RANKS_OPEN_POINT_H

#include "study/ranks/rank_codec.h"
#include "study/ranks/rank_team.h"
#include "study/store/store.h"

/* The result of a piece whose predecessors are missing. */
typedef struct held_result {
    struct held_result *next;
    piece_result header;
    rank_message message; /* owned */
    rank_reader rows;
} held_result;

typedef struct open_answer {
    answer_place at;
    answer_stats *stats;
    uint64_t given;    /* the first trial that was not given out; those before stats->trials are folded */
    uint64_t until;    /* trials from this one on are in the store; 0: none are */
    double seconds;    /* of a trial, from the latest result; 0: unknown */
    held_result *held; /* by first trial */
    double weight;     /* estimated work, without the trials that the store had */
    double since;      /* trials that the store had */
} open_answer;

typedef struct open_point {
    size_t point;
    answer_stats *stats;
    open_answer *answer; /* one per answer of the point */
    size_t answers;
    size_t left;     /* answers that are not complete */
    unsigned flying; /* pieces given out */
    double bind;     /* seconds that a rank took to bind the point; 0: unknown */
} open_point;

/* Where results go. */
typedef struct open_target {
    bough_study *study;
    bough_store *store; /* may be NULL */
} open_target;

/* Makes a point, with the trials that the store has. */
bough_status open_point_create(const open_target *target, size_t point, open_point **out, bough_error *error);
/* Copies the statistics to the study. With complete answers also compares them. Destroys the point. */
bough_status open_point_close(const open_target *target, open_point *p, bough_error *error);

/* Takes the result of a piece, and folds all trials whose predecessors are there, in order, until an answer
 * is done. Takes ownership of the message. Errors: that of the lowest trial that failed, once all before it
 * are folded; those of the store. */
bough_status open_point_take(const open_target *target, open_point *p, held_result *held, bough_error *error);

/* The number of trials that may be given out now: none beyond the next checkpoint of the stopping rule. */
uint64_t open_answer_available(const open_answer *a);
/* All its trials are given out, whatever their results are. */
bool open_answer_dealt(const open_answer *a);

#endif
