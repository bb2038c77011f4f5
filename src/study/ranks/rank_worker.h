/* The part of a rank that computes: binds the points of its pieces and runs their trials on threads. */
#ifndef BOUGH_STUDY_RANKS_RANK_WORKER_H
#define BOUGH_STUDY_RANKS_RANK_WORKER_H

#include "study/ranks/rank_mailbox.h"
#include "study/study.h"

/* Computes pieces until the mailbox is closed; then calls mailbox_end. Errors of trials go to rank 0 with the
 * piece. */
void rank_work(bough_study *study, unsigned threads, rank_mailbox *box);

#endif
