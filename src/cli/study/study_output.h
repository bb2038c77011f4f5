/* The results of a study as text: a table, or the output of --json and --csv. */
#ifndef BOUGH_CLI_STUDY_STUDY_OUTPUT_H
#define BOUGH_CLI_STUDY_STUDY_OUTPUT_H

#include "cli/cli.h"

struct bough_study;

/* after: a key, or NULL to follow other options. */
#define CLI_STUDY_TEXT_OPTIONS(key)                                                                          \
    {"json", 0, NULL, "print one JSON object", 0, .after = key},                                             \
        {"csv", 0, NULL, "print CSV, one line per metric", 0},                                               \
        {"csv-safe", 0, NULL,                                                                                \
         "print CSV for spreadsheets: a ' before cells that they would read as formulas", 0},                \
        CLI_COLOUR_OPTION

/* 0, or the exit status if more than one format is given, or --color is wrong. */
int cli_study_text_check(const cli_args *args);
/* Prints the results and, with --plot, the charts. single: a study of one point from the command line. */
bough_status cli_study_print(const cli_args *args, const struct bough_study *study, bool single,
                             bough_error *error);

#endif
