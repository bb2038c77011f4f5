/* --plot: the charts of a study in the terminal. */
#ifndef BOUGH_CLI_PLOT_H
#define BOUGH_CLI_PLOT_H

#include "cli/cli.h"

struct bough_study;

#define CLI_PLOT_OPTIONS                                                                                     \
    {"plot", 0, NULL, "also draw the charts, in characters", 0}, {                                           \
        "ascii", 0, NULL, "with --plot: ASCII characters only, no braille", 0                                \
    }

/* Nothing without --plot. As wide as the terminal, or 80 characters; colours only in a terminal, and not
 * where the environment has NO_COLOR or TERM=dumb. Braille where the locale's characters are UTF-8. */
bough_status cli_plot(const cli_args *args, const struct bough_study *study, bough_error *error);
/* --plot and --ascii against the other options; 0, or the exit status. */
int cli_plot_check(const cli_args *args);

#endif
