#include "cli/study_text.h"

#include "base/text.h"
#include "bough/report.h"
#include "cli/plot.h"

int cli_study_text_check(const cli_args *args) {
    if (!cli_has(args, "json") || !cli_has(args, "csv")) return 0;
    return cli_wrong(args->usage->verb, "--json and --csv are two different outputs; choose one");
}

static bough_status make_text(const cli_args *args, const bough_study *study, bool single, char **text,
                              bough_error *error) {
    if (cli_has(args, "json")) return bough_report_json(study, single, text, error);
    if (cli_has(args, "csv")) return bough_report_csv(study, text, error);
    return bough_report_table(study, single, text, error);
}

bough_status cli_study_print(const cli_args *args, const bough_study *study, bool single,
                             bough_error *error) {
    char *text = NULL;
    cli_plotted plotted;
    bough_status status = make_text(args, study, single, &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    status = cli_plot(args, study, &out, &plotted, error);
    if (!status) status = cli_print_text(&out, error);
    if (!status) cli_plot_notes(args, &plotted);
    bough_text_fini(&out);
    return status;
}
