/* The results of a study as text: a table, or what --json and --csv ask for. */
#ifndef BOUGH_CLI_STUDY_TEXT_H
#define BOUGH_CLI_STUDY_TEXT_H

#include "cli/cli.h"

struct bough_study;

/* 0, or the exit status where both are asked for. */
int cli_study_text_check(const cli_args *args);
/* single: a study of one point from the command line. Heap string. */
bough_status cli_study_text(const cli_args *args, const struct bough_study *study, bool single, char **text,
                            bough_error *error);

#endif
