/* What `bough check` prints: a text, or a format for other tools. */
#ifndef BOUGH_CLI_CHECK_CHECK_FORMATS_H
#define BOUGH_CLI_CHECK_CHECK_FORMATS_H

#include "cli/cli.h"
#include "report/report.h"

/* The options that choose it. */
#define CHECK_FORMAT_OPTIONS                                                                                 \
    {"json", 0, NULL, "print one JSON object", 0},                                                           \
        {"prometheus", 0, NULL, "print gauges for Prometheus, as the textfile collector reads them", 0},     \
        {"markdown", 0, NULL, "print a summary in GitHub's Markdown", 0},                                    \
        {"nagios", 0, NULL,                                                                                  \
         "print one line and exit with 0 to 3, as plugins of Nagios and Icinga do; --fail-on error:\n"       \
         "warnings do not count",                                                                            \
         0},                                                                                                 \
        {"warning", 0, "RANGE",                                                                              \
         "--nagios: WARNING outside this range of percent of what tables can reach (default 80:)", 0},       \
        {"critical", 0, "RANGE", "--nagios: CRITICAL outside this range (default 50:)", 0}, {                \
        "output", 'o', "FILE", "write to FILE, whole or not at all, instead of printing", CLI_WRITES, "FILE" \
    }

/* From now on errors are one line of a plugin where the command line has --nagios, also errors of the command
 * line. */
void check_formats_begin(int argc, char **argv);
/* Before the long work. Errors: INVALID for options that do not fit. */
bough_status check_formats_test(const cli_args *args, bough_error *error);
/* Prints or writes the report. *code: the exit status, changed by --nagios only. */
bough_status check_formats_print(const cli_args *args, const bough_check_report *report,
                                 const bough_check_text_options *how, int *code, bough_error *error);

#endif
