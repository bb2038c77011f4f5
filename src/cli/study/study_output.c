#include "cli/study/study_output.h"

#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/study/study_plot.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

static bool as_csv(const cli_args *args) {
    return cli_has(args, "csv") || cli_has(args, "csv-safe");
}

/* The metrics of --metrics, names with commas between, in `only`, which the options then refer to. */
static bough_status read_metrics(const cli_args *args, bool only[BOUGH_METRIC_COUNT],
                                 bough_table_options *options, bough_error *error) {
    const char *at = cli_value(args, "metrics");
    char name[64];
    options->brief = !at && options->single;
    if (!at || strcmp(at, "all") == 0) return BOUGH_OK;
    memset(only, 0, BOUGH_METRIC_COUNT * sizeof *only);
    options->only = only;
    for (size_t length; *at; at += length + (at[length] == ',')) {
        length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const bough_metric_id metric = bough_metric_find(name);
        if (metric == BOUGH_METRIC_COUNT)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "--metrics: no metric '%s'; `bough list metrics` has all", name);
        only[metric] = true;
    }
    return BOUGH_OK;
}

int cli_study_text_check(const cli_args *args) {
    if (cli_has(args, "csv") && cli_has(args, "csv-safe"))
        return cli_wrong(args->usage->command, "--csv and --csv-safe are mutually exclusive");
    if (cli_has(args, "json") && as_csv(args))
        return cli_wrong(args->usage->command, "--json and --csv are mutually exclusive");
    bool colours, only[BOUGH_METRIC_COUNT];
    bough_error error = {0};
    if (read_metrics(args, only, &(bough_table_options){0}, &error)) return cli_fail(&error);
    return cli_colours(args, &colours);
}

static bool as_table(const cli_args *args) {
    return !cli_has(args, "json") && !as_csv(args);
}

static bough_status make_text(const cli_args *args, const bough_study *study,
                              const bough_table_options *options, char **text, bough_error *error) {
    if (cli_has(args, "json")) return bough_report_json(study, options->single, text, error);
    if (cli_has(args, "csv")) return bough_report_csv(study, text, error);
    if (cli_has(args, "csv-safe")) return bough_report_csv_safe(study, text, error);
    return bough_report_table(study, options, text, error);
}

/* Tables and charts filter external text themselves, and may contain escape sequences. */
static bough_status print(const cli_args *args, bough_text *text, bough_error *error) {
    if (as_table(args)) return cli_print_coloured(text, error);
    return as_csv(args) ? cli_print_data(text, error) : cli_print_text(text, error);
}

bough_status cli_study_print(const cli_args *args, const bough_study *study, bool single,
                             bough_error *error) {
    char *text = NULL;
    cli_plotted plotted;
    bool only[BOUGH_METRIC_COUNT];
    bough_table_options options = {.single = single, .width = cli_line_width()};
    cli_colours(args, &options.colours);
    bough_status status = read_metrics(args, only, &options, error);
    TRY(make_text(args, study, &options, &text, error));
    if (status) return status;
    bough_text out = bough_text_own(text);
    status = cli_plot(args, study, &out, &plotted, error);
    TRY(print(args, &out, error));
    if (!status) cli_plot_notes(args, &plotted);
    bough_text_fini(&out);
    return status;
}
