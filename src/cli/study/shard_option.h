/* --shard I/N of `bough run`. */
#ifndef BOUGH_CLI_STUDY_SHARD_OPTION_H
#define BOUGH_CLI_STUDY_SHARD_OPTION_H

#include "cli/cli.h"
#include "study/study.h"

typedef struct shard_choice {
    unsigned shard, shards; /* 0 of 0: no shard */
} shard_choice;

/* Returns 0, or the exit status. */
int cli_shard(const cli_args *args, shard_choice *choice);

/* Says which points are of other shards; nothing for a whole study. */
void cli_note_shard(const bough_study *study);

#endif
