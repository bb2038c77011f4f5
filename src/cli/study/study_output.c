#include "cli/study/study_output.h"

#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/study/study_plot.h"
#include "report/report.h"

static bool as_csv(const cli_args *args) {
    return cli_has(args, "csv") || cli_has(args, "csv-safe");
}

int cli_study_text_check(const cli_args *args) {
    if (cli_has(args, "csv") && cli_has(args, "csv-safe"))
        return cli_wrong(args->usage->command, "--csv and --csv-safe are mutually exclusive");
    if (cli_has(args, "json") && as_csv(args))
        return cli_wrong(args->usage->command, "--json and --csv are mutually exclusive");
    bool colours;
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
    bough_table_options options = {.single = single, .width = cli_line_width()};
    cli_colours(args, &options.colours);
    bough_status status = make_text(args, study, &options, &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    status = cli_plot(args, study, &out, &plotted, error);
    TRY(print(args, &out, error));
    if (!status) cli_plot_notes(args, &plotted);
    bough_text_fini(&out);
    return status;
}
