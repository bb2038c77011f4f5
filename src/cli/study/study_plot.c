#include "cli/study/study_plot.h"

#include "base/text/text.h"
#include "report/charts/chart_marks.h"
#include "report/charts/text_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST = 8, WIDEST = 120 };

int cli_plot_check(const cli_args *args) {
    if (cli_has(args, "ascii") && !cli_has(args, "plot"))
        return cli_wrong(args->usage->command, "--ascii needs --plot");
    if (cli_has(args, "plot") && (cli_has(args, "json") || cli_has(args, "csv") || cli_has(args, "csv-safe")))
        return cli_wrong(args->usage->command,
                         "--plot adds to the table; it does not work with --json or --csv");
    return 0;
}

/* True if the locale in the environment uses UTF-8; a name without a character set does not. */
static bool utf8(void) {
    const char *name = getenv("LC_ALL");
    if (!name || !*name) name = getenv("LC_CTYPE");
    if (!name || !*name) name = getenv("LANG");
    const char *set = name ? strchr(name, '.') : NULL;
    return set && (strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0);
}

static size_t chart_width(void) {
    size_t width = cli_line_width();
    return width < WIDEST ? width : WIDEST;
}

void cli_without_x(const charts *all, char *buffer, size_t size) {
    bough_text text = {0};
    chart_put_without_x(&text, all);
    snprintf(buffer, size, "%s", text.length && !text.failed ? text.data : "");
    bough_text_fini(&text);
}

bough_status cli_plot(const cli_args *args, const struct bough_study *study, bough_text *out,
                      cli_plotted *plotted, bough_error *error) {
    *plotted = (cli_plotted){0};
    if (!cli_has(args, "plot")) return BOUGH_OK;
    charts all = {0};
    plot_options o = {.width = chart_width(), .ascii = cli_has(args, "ascii") || !utf8()};
    cli_colours(args, &o.colours);
    bough_status status = charts_make(study, &all, error);
    for (size_t i = 0; i < all.count && i < MOST && !status; i++) {
        bough_text_put(out, "\n");
        status = plot_chart(&all.chart[i], &o, out, error);
    }
    plotted->charts = all.count;
    cli_without_x(&all, plotted->without_x, sizeof plotted->without_x);
    if (all.count > MOST) plotted->left_out = all.count - MOST + all.left_out;
    charts_fini(&all);
    return status;
}

void cli_plot_notes(const cli_args *args, const cli_plotted *plotted) {
    if (!cli_has(args, "plot")) return;
    if (plotted->left_out)
        cli_note("%zu more chart%s; use --figures DIR to draw all", plotted->left_out,
                 bough_s(plotted->left_out));
    if (*plotted->without_x) cli_note("%s", plotted->without_x);
    if (!plotted->charts) cli_note("no results yet to show in a chart");
}
