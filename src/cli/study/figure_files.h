/* --figures DIR: the charts of a study as files. */
#ifndef BOUGH_CLI_STUDY_FIGURE_FILES_H
#define BOUGH_CLI_STUDY_FIGURE_FILES_H

#include "bough/status.h"

struct bough_study;

/* Writes NAME.csv, NAME.gp, NAME.tex and NAME.svg for every chart, and NAME.pdf if gnuplot or rsvg-convert is
 * installed, each completely or not at all. NAME: figure_name. Files that are not of an earlier call are
 * never replaced. Reports the files on standard error. Errors: INVALID if the directory cannot be created or
 * written, or has such a file, IO, FAILED with gnuplot's message. */
bough_status cli_figures_write(const struct bough_study *study, const char *directory, bough_error *error);
/* Creates the directory, so that errors are reported before long work. */
bough_status cli_figures_directory(const char *directory, bough_error *error);

#define CLI_FIGURES_OPTION                                                                                   \
    {                                                                                                        \
        "figures", 0, "DIR",                                                                                 \
            "write each chart to DIR: SVG, LaTeX (pgfplots), CSV, gnuplot\nscript and, by gnuplot or "       \
            "rsvg-convert, PDF",                                                                             \
            0, "DIRECTORY"                                                                                   \
    }

#endif
