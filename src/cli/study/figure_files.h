/* --figures DIR: the charts of a study as files. */
#ifndef BOUGH_CLI_STUDY_FIGURE_FILES_H
#define BOUGH_CLI_STUDY_FIGURE_FILES_H

#include "bough/status.h"

struct bough_study;

/* For every chart NAME.csv and NAME.gp, and where gnuplot is installed NAME.svg and NAME.pdf, each whole or
 * not at all. Says on standard error what there is. Errors: INVALID when the directory cannot be made or
 * written, IO, FAILED with what gnuplot said. */
bough_status cli_figures_write(const struct bough_study *study, const char *directory, bough_error *error);
/* Makes the directory, so that a wrong one shows before long work. */
bough_status cli_figures_directory(const char *directory, bough_error *error);

#define CLI_FIGURES_OPTION                                                                                   \
    { "figures", 0, "DIR", "write each chart to DIR: CSV, gnuplot script, and by gnuplot SVG\nand PDF", 0 }

#endif
