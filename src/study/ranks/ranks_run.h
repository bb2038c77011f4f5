/* A study on a team of ranks. Every rank makes and resolves the study by itself, then calls
 *
 *     ranks_share_input   if the study comes from standard input, before it is read
 *     ranks_agree         all ranks have the same study, and none has failed
 *     ranks_study         rank 0 with the store; all ranks compute
 *     ranks_end           all ranks have the exit status of rank 0
 *
 * Rank 0 may call ranks_end at any time after ranks_agree; a rank in ranks_study then returns without an
 * error.
 *
 * Results are identical to those of bough_study_run for any numbers of ranks and threads. */
#ifndef BOUGH_STUDY_RANKS_RANKS_RUN_H
#define BOUGH_STUDY_RANKS_RANKS_RUN_H

#include "study/ranks/rank_team.h"
#include "study/study.h"

typedef struct rank_session {
    const rank_team *team;
    bool ended; /* the status of rank 0 has arrived */
    bool lost;  /* a rank does not answer, or this one cannot: the end must not wait for the others */
    int code;
} rank_session;

/* On rank 0 sends the text (NULL: it cannot be read) to the others, which get a heap copy. */
bough_status ranks_share_input(rank_session *s, char **text, size_t *size, bough_error *error);

/* What a rank has to say before the study runs. */
typedef struct rank_report {
    int code;          /* 0: ready to run; else the exit status of the command */
    uint64_t hash;     /* of the study: ranks_hash */
    bough_error error; /* with a code; empty if it is known to be that of rank 0 too */
} rank_report;
/* Identifies the resolved study, the number of trials, and the program. */
bough_status ranks_hash(const bough_study *study, const char *version, uint64_t *hash, bough_error *error);
/* The same result on all ranks: 0, or the exit status of the command. On rank 0, if it is ready itself and
 * another rank is not, *error says which one and why; else error->status is OK. */
int ranks_agree(rank_session *s, const rank_report *mine, bough_error *error);

/* Refuses a study of which a trial of some answer does not fit in the memory of this machine together with
 * those of its other ranks, nor if all ranks compute it together. Errors: TOO_LARGE. */
bough_status ranks_check_memory(const bough_study *study, const rank_team *team, bough_error *error);

/* options->threads: of this rank. On other ranks than 0 the store and the progress are not used, and the
 * study has no results. Errors: as bough_study_run; FAILED if a rank is lost. */
bough_status ranks_study(rank_session *s, bough_study *study, const bough_study_options *options,
                         bough_error *error);

/* Sends the exit status of rank 0 to all others, where it waits for it and returns it. */
int ranks_end(rank_session *s, int code);

#endif
