/* The files of a timeline: --trace, --messages, --link-use and --html of bough sim. */
#ifndef BOUGH_CLI_STUDY_TIMELINE_FILES_H
#define BOUGH_CLI_STUDY_TIMELINE_FILES_H

#include "cli/cli.h"
#include "study/study.h"

#define CLI_TIMELINE_OPTIONS                                                                                 \
    {"trace",    0,     "FILE", "write a timeline to FILE for Perfetto and Chrome (JSON; .gz: compressed)",  \
     KEY_WRITES, "FILE"},                                                                                    \
        {"trace-ranks", 0, "A-B", "only these ranks in the timeline", 0},                                    \
        {"html",     0,     "FILE", "write a page that shows where the time goes to FILE (schedules)",       \
         KEY_WRITES, "FILE"},                                                                                \
        {"messages", 0,     "FILE", "write the times of every message to FILE, as CSV (schedules, lists)",   \
         KEY_WRITES, "FILE"},                                                                                \
    {                                                                                                        \
        "link-use", 0, "FILE", "write what links carry over time to FILE, as CSV (schedules, lists)",        \
            KEY_WRITES, "FILE"                                                                               \
    }

/* Before the work, of a resolved study. */
bough_status cli_timeline_check(const cli_args *args, bough_study *study, bough_error *error);
/* After it. */
bough_status cli_timeline_write(const cli_args *args, bough_study *study, bough_error *error);

#endif
