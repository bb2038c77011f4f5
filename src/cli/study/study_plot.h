/* --plot: the charts of a study in the terminal. */
#ifndef BOUGH_CLI_STUDY_STUDY_PLOT_H
#define BOUGH_CLI_STUDY_STUDY_PLOT_H

#include "cli/cli.h"

#include <stddef.h>

struct bough_study;

typedef struct cli_plotted {
    size_t charts, left_out;
    char without_x[120]; /* a note; "": none */
} cli_plotted;

#define CLI_PLOT_OPTIONS                                                                                     \
    {"plot", 0, NULL, "also draw the charts as text", 0}, {                                                  \
        "ascii", 0, NULL, "with --plot: ASCII characters only, no braille", 0                                \
    }

/* Appends the charts to a text; no-op without --plot. The width is that of the terminal, or 80 characters.
 * Colours are used only in a terminal, and not if the environment sets NO_COLOR or TERM=dumb; braille if the
 * locale uses UTF-8. */
struct bough_text;
bough_status cli_plot(const cli_args *args, const struct bough_study *study, struct bough_text *out,
                      cli_plotted *plotted, bough_error *error);
/* "3 points without area_grid are left out", or "". */
struct charts;
void cli_without_x(const struct charts *all, char *buffer, size_t size);
/* Reports omitted charts on standard error; called after the charts are printed. */
void cli_plot_notes(const cli_args *args, const cli_plotted *plotted);
/* Checks --plot and --ascii against the other options; 0, or the exit status. */
int cli_plot_check(const cli_args *args);

#endif
