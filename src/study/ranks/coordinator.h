/* Rank 0 of a team decides which rank computes which trials, and folds the results. Points are opened by
 * descending work. A rank stays with its point while this has trials to give out, so that it rarely binds
 * another; then it opens the next point, and when all are open it helps with another one.
 *
 * Pieces are dealt ahead of need: a rank has one per thread, and further ones for AHEAD seconds, so that it
 * does not wait for messages. */
#ifndef BOUGH_STUDY_RANKS_COORDINATOR_H
#define BOUGH_STUDY_RANKS_COORDINATOR_H

#include "study/ranks/open_point.h"
#include "study/study.h"

/* A piece that a rank has. */
typedef struct flying_piece {
    open_point *point;
    open_answer *answer;
    rank_piece piece;
} flying_piece;

typedef struct rank_state {
    unsigned threads; /* 0: the rank has not joined yet */
    open_point *own;  /* the point of its latest piece; NULL: none, or closed */
    open_answer *latest;
    flying_piece *flying;
    size_t flyings, capacity;
} rank_state;

typedef struct coordinator {
    open_target target;
    const bough_study_options *options;
    size_t *order; /* points, by descending work */
    size_t points, next;
    open_point **open;
    size_t opens, capacity;
    rank_state *rank;
    unsigned ranks, joined, turn;
    uint64_t slots; /* threads of all ranks */
    double *rate;   /* per method of a point: seconds for each unit of its weight; 0: unknown */
    size_t rates;
    double total, done;  /* work: of all answers, of closed points */
    double reported;     /* time of the last progress report */
    bough_status status; /* the first failure */
    bough_error error;
} coordinator;

bough_status coordinator_init(coordinator *c, bough_study *study, const bough_study_options *options,
                              unsigned ranks, bough_error *error);
/* Copies the statistics of open points to the study. */
void coordinator_fini(coordinator *c);

void coordinator_join(coordinator *c, unsigned rank, unsigned threads);
/* The next piece to give out, and the rank that computes it; false: none now. */
bool coordinator_next(coordinator *c, unsigned *rank, rank_piece *piece);
/* The result of a piece; takes ownership of the message, of which the first byte is the kind. */
void coordinator_take(coordinator *c, rank_message *message);
/* A failure ends the study; the first one counts. */
void coordinator_fail(coordinator *c, bough_status status, const bough_error *error);
/* All points are closed. */
bool coordinator_done(const coordinator *c);

#endif
