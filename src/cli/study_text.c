#include "cli/study_text.h"

#include "bough/report.h"

int cli_study_text_check(const cli_args *args) {
    if (!cli_has(args, "json") || !cli_has(args, "csv")) return 0;
    return cli_wrong(args->usage->verb, "--json and --csv are two different outputs; choose one");
}

bough_status cli_study_text(const cli_args *args, const bough_study *study, bool single, char **text,
                            bough_error *error) {
    if (cli_has(args, "json")) return bough_report_json(study, single, text, error);
    if (cli_has(args, "csv")) return bough_report_csv(study, text, error);
    return bough_report_table(study, single, text, error);
}
