/* bough report: prints the results of a study from its store. */
#include "base/files/output.h"
#include "base/status/try.h"
#include "cli/cli.h"
#include "cli/study/figure_files.h"
#include "cli/study/shard_option.h"
#include "cli/study/study_output.h"
#include "cli/study/study_plot.h"
#include "report/report.h"
#include "study/store/finished_study.h"
#include "study/study_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const question_key options[] = {
    {"html", 0, "FILE", "write a page with charts to FILE", 0, "FILE"},
    CLI_FIGURES_OPTION,
    CLI_PLOT_OPTIONS,
    CLI_STUDY_TEXT_OPTIONS("above"),
    KEYS_END,
};

static const cli_help_group groups[] = {
    {"most used", "html figures plot json csv"},
    {"more", "ascii csv-safe quantiles above color"},
    {NULL, NULL},
};

const cli_usage report_usage = {"report",
                                "RESULTS [--html FILE] [--figures DIR]",
                                "Prints the results of a study: RESULTS is the DIR of `bough run`.",
                                options,
                                "Nothing is computed. Also works while the study runs.\n",
                                {{"RESULTS", "DIRECTORY", 0}},
                                statistics_keys,
                                groups};

static void note_partial(const bough_study *study) {
    answer_count c = study_count_answers(study);
    if (c.complete < c.all)
        cli_note("the study is not finished: %zu of %zu answers are complete", c.complete, c.all);
}

/* Results are printed even if their files cannot be written. */
static bough_status show(const cli_args *args, const bough_study *study, const char *html,
                         bough_error *error) {
    const char *page = cli_value(args, "html"), *figures = cli_value(args, "figures");
    bough_error why = {0}, other = {0};
    bough_status wrote = html ? bough_output_write(page, html, strlen(html), &why) : BOUGH_OK,
                 drew = figures ? cli_figures_write(study, figures, &other) : BOUGH_OK;
    if (study->shards)
        cli_note_shard(study);
    else
        note_partial(study);
    bough_status status = cli_study_print(args, study, false, error);
    if (status || (!wrote && !drew)) return status;
    *error = wrote ? why : other;
    return wrote ? wrote : drew;
}

int report_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    bough_study study = {0}, wanted = {0};
    study_asked asked = {0};
    arena memory = {0};
    char *html = NULL;
    int code = cli_parse(&report_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    if ((code = cli_study_text_check(&args)) != 0) goto done;
    if ((code = cli_plot_check(&args)) != 0) goto done;
    if (args.positionals != 1) {
        code = cli_wrong("report", args.positionals ? "report takes exactly one directory"
                                                    : "the directory of results is missing");
        goto done;
    }
    const char *page = cli_value(&args, "html");
    bough_status status = page ? bough_output_check(page, &error) : BOUGH_OK;
    TRY(keys_read(statistics_keys, &args.given, &memory, &asked, &error));
    TRY(study_asked_statistics(&asked, &wanted, &error));
    TRY(bough_store_load_asked(args.positional[0], &wanted, &study, &error));
    if (!status && page) status = bough_report_html(&study, &html, &error);
    TRY(show(&args, &study, html, &error));
    code = status ? cli_fail(&error) : 0;
done:
    free(html);
    bough_study_fini(&study);
    bough_study_fini(&wanted);
    arena_fini(&memory);
    cli_args_fini(&args);
    return code;
}
