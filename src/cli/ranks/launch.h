/* Commands that were started on several ranks by mpirun or srun. */
#ifndef BOUGH_CLI_RANKS_LAUNCH_H
#define BOUGH_CLI_RANKS_LAUNCH_H

#include "bough/status.h"
#include "study/ranks/ranks_run.h"

/* Called by main before anything is printed. Only rank 0 prints; a command that does not run on ranks is
 * refused. Returns 0, or the exit status. */
int cli_check_launch(const char *command);

/* Starts MPI if there are several ranks; else session->team is NULL. Returns 0, or the exit status. */
int cli_ranks_open(rank_session *session);
/* Ends MPI. Returns the exit status of rank 0 on all ranks. */
int cli_ranks_close(rank_session *session, int code);

/* Gives all ranks the standard input of rank 0. Errors: NO_MEMORY, IO. */
bough_status cli_ranks_share_input(rank_session *session, bough_error *error);

/* Compares the studies of all ranks. code: the exit status so far, 0
 * if the study is resolved; error: with a code, its reason. The same result on all ranks: 0, or the exit
 * status. */
struct bough_study;
int cli_ranks_agree(rank_session *session, int code, const bough_error *error,
                    const struct bough_study *study);

/* Runs a study that all ranks have agreed about, or without a team in this process. */
struct bough_study_options;
bough_status cli_ranks_study(rank_session *session, struct bough_study *study,
                             const struct bough_study_options *options, bough_error *error);
/* Prints the error of a run and returns the exit status. Of ranks that print nothing a rank says why it has
 * to end the others, unless rank 0 does so before. */
int cli_ranks_fail(const rank_session *session, const bough_error *error);

/* The number of threads of a rank, if --threads does not say it: the processors that the launcher gave it, or
 * its part of those of the machine. */
unsigned cli_ranks_threads(const rank_session *session);

#endif
