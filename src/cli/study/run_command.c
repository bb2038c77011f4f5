/* bough run: a study. */
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/ranks/launch.h"
#include "cli/study/figure_files.h"
#include "cli/study/shard_option.h"
#include "cli/study/study_output.h"
#include "cli/study/study_plot.h"
#include "report/charts/chart.h"
#include "report/report.h"
#include "report/tables/forecast_document.h"
#include "study/store/finished_study.h"
#include "study/study_keys.h"
#include "study/study_shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- run command ---- */

static const question_key options[] = {
    {"out", 'o', "DIR", "directory of the results (results/NAME)", 0, "DIRECTORY"},
    {"dry-run", 'n', NULL, "print what would run (with --json as one JSON object), create nothing", 0,
     .after = "set"},
    {"threads", 0, "T",
     "threads (default: one per processor), in each rank under mpirun:\ntrials at a time, or of a single "
     "trial",
     0, .after = "above"},
    {"shard", 0, "I/N", "run part I of N of the points; `bough merge` joins the results", 0},
    CLI_FIGURES_OPTION,
    CLI_PLOT_OPTIONS,
    CLI_STUDY_TEXT_OPTIONS(NULL),
    KEYS_END,
};

static const cli_help_group groups[] = {
    {"most used", "dry-run out set trials figures"},
    {"effort and statistics", "precision quantiles above threads shard"},
    {"output", "plot ascii json csv csv-safe color"},
    {NULL, NULL},
};

const cli_usage run_usage = {
    "run",
    "STUDY",
    "Runs a study: a YAML file, or one of `bough list studies`.",
    options,
    "Trials are stored in DIR/results.sqlite during the run; the same command resumes an interrupted run.\n"
    "At the end the results are printed, and written to DIR/results.csv, DIR/results.json and the page\n"
    "DIR/report.html. More trials or another precision reuse what is in DIR; another study needs another "
    "DIR.\n\n"
    "`mpirun -n N bough run` and `srun` compute on N ranks, with the same results. Or run the parts\n"
    "--shard 1/N ... N/N anywhere, each with its own DIR, and join them with `bough merge`.\n\n"
    "A study file (docs/studies.md):\n\n"
    "  network: fattree:n={n}\n"
    "  traffic: uniform\n"
    "  methods: [circuit, bins]\n"
    "  grid: [n: 2^4..2^8 times 4]\n"
    "  plot: {x: n, y: rounds}\n\n"
    "  bough run strumpen2005/fig4 --dry-run\n"
    "  bough run strumpen2005/fig4 --set 'n=2^4..2^12 times 4' --out fig4\n",
    {{"STUDY", "STUDIES|FILE", 0}},
    grid_keys,
    groups};

/* "strumpen2005/fig4" -> "results/strumpen2005-fig4", "studies/mine.yaml" -> "results/mine". */
static char *default_out(const char *name) {
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    bool file = dot && (!slash || dot > slash);
    const char *from = file && slash ? slash + 1 : name;
    bough_text out = {0};
    bough_text_put(&out, "results/");
    if (strcmp(name, "-") == 0) bough_text_put(&out, "study");
    for (const char *c = from; *c && !(file && c == dot) && strcmp(name, "-") != 0; c++)
        bough_text_add(&out, *c == '/' ? "-" : c, 1);
    return bough_text_take(&out);
}

/* The command that reproduces the study anywhere: without directories and threads. */
static bough_status make_command(const cli_args *args, bough_study *study, bough_error *error) {
    const char *name = args->positional[0], *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    bough_text out = {0};
    bough_text_put(&out, "bough run ");
    /* a file, not the name of a built-in study */
    bough_text_put_word(&out, slash && dot > slash ? slash + 1 : name);
    cli_put_options(&out, args, grid_keys); /* others say where and how, not what runs */
    return bough_text_keep(&out, &study->memory, &study->command, error);
}

static bough_status write_file(const char *directory, const char *name, const char *text,
                               bough_error *error) {
    bough_text path = {0};
    bough_text_printf(&path, "%s/%s", directory, name);
    bough_status status = path.failed ? bough_fail_memory(error, strlen(directory))
                                      : bough_output_write(path.data, text, strlen(text), error);
    bough_text_fini(&path);
    return status;
}

static bough_status make_json(const bough_study *study, char **text, bough_error *error) {
    return bough_report_json(study, false, text, error);
}

/* Writes all files even if one fails; returns the first failure. */
static bough_status write_results(const bough_study *study, const char *directory, bough_error *error) {
    static const struct {
        const char *name;
        bough_status (*make)(const bough_study *study, char **text, bough_error *error);
    } file[] = {
        {"results.csv", bough_report_csv}, {"results.json", make_json}, {"report.html", bough_report_html}};
    bough_status first = BOUGH_OK;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        bough_error why = {0};
        char *text = NULL;
        bough_status status = file[i].make(study, &text, &why);
        if (!status && text) status = write_file(directory, file[i].name, text, &why);
        free(text);
        if (first || !status) continue;
        first = status;
        *error = why;
    }
    return first;
}

/* Reports the number of completed answers after an interruption. */
static bough_status fail_interrupted(const bough_study *study, bough_error *error) {
    answer_count count = study_count_answers(study);
    return bough_fail(error, BOUGH_INTERRUPTED, NULL,
                      "interrupted; %zu of %zu answers are complete; run the same command again to resume",
                      count.complete, count.all);
}

/* What is to run, and where. */
typedef struct job {
    cli_args args;
    bough_study study;
    char *directory;
    uint64_t threads;
    shard_choice shard;
    rank_session *session; /* with a team if there are several ranks */
} job;

static bough_status run_study(job *j, bough_error *error) {
    bough_store *store;
    bough_study_options run = {
        .threads = (unsigned)j->threads, .stop = cli_catch_signals(), .progress = cli_on_progress};
    bough_status status = bough_store_open(j->directory, &j->study, &store, error);
    if (status) return status;
    run.store = store;
    if (bough_store_damage(store))
        cli_note("%s/results.sqlite: was damaged: %s; the file is repaired, lost trials are recomputed",
                 j->directory, bough_store_damage(store));
    cli_progress_step("simulating");
    status = cli_ranks_study(j->session, &j->study, &run, error);
    bough_store_close(store);
    if (status == BOUGH_INTERRUPTED) return fail_interrupted(&j->study, error);
    return status;
}

/* A rank that keeps and prints nothing. */
static bough_status run_rank(job *j, bough_error *error) {
    bough_study_options run = {.threads = (unsigned)j->threads, .stop = cli_catch_signals()};
    return cli_ranks_study(j->session, &j->study, &run, error);
}

/* Results are printed even if their files cannot be written, so that the run need not be repeated. */
static bough_status run_and_print(job *j, bough_error *error) {
    const cli_args *args = &j->args;
    bough_study *study = &j->study;
    const char *directory = j->directory;
    const char *figures = cli_value(args, "figures");
    bool sealed = study_is_sealed(directory);
    bough_error why = {0}, other = {0};
    bough_status wrote = BOUGH_OK, status = figures ? cli_figures_directory(figures, error) : BOUGH_OK;
    TRY(sealed ? study_take_finished(directory, study, error) : run_study(j, error));
    if (status) return status;
    if (!sealed) wrote = write_results(study, directory, &why);
    bough_status drew = figures ? cli_figures_write(study, figures, &other) : BOUGH_OK;
    cli_note_shard(study);
    status = cli_study_print(args, study, false, error);
    if (status || (!wrote && !drew)) return status;
    *error = wrote ? why : other;
    return wrote ? wrote : drew;
}

/* ---- --dry-run ---- */

static bough_status dry_run(const cli_args *args, bough_study *study, const char *directory, unsigned threads,
                            bough_error *error) {
    bough_forecast forecast;
    const planned_run run = {study, &forecast, directory};
    bough_text out = {0};
    document d = {0};
    bough_status status = bough_study_forecast(
        study, &(bough_forecast_options){.threads = threads, .stop = cli_catch_signals()}, &forecast, error);
    if (status) return status;
    if (cli_has(args, "json")) {
        planned_run_put_json(&out, &run);
        return cli_print_text(&out, error);
    }
    planned_run_describe(&d, &run);
    document_write_text(&d, &(document_text_options){.width = cli_line_width()}, &out);
    document_fini(&d);
    return cli_print_text(&out, error);
}

/* ---- the command ---- */

static int check_arguments(job *j) {
    const cli_args *args = &j->args;
    int code = cli_study_text_check(args);
    if (!code) code = cli_plot_check(args);
    if (code) return code;
    bool dry = cli_has(args, "dry-run");
    if (dry && (cli_has(args, "csv") || cli_has(args, "csv-safe")))
        return cli_wrong("run",
                         "--dry-run prints text, or with --json one JSON object; it does not support CSV");
    if (dry && j->session->team)
        return cli_wrong("run", "--dry-run computes almost nothing; use it without mpirun");
    if (dry && cli_has(args, "shard"))
        return cli_wrong("run", "--dry-run describes the whole study; leave out --shard");
    if (args->positionals != 1)
        return cli_wrong("run", args->positionals ? "run takes exactly one study" : "a study is missing");
    return cli_shard(args, &j->shard);
}

static bough_status read_study(job *j, bough_error *error) {
    const cli_args *args = &j->args;
    bough_study *study = &j->study;
    study_asked asked = {.study = args->positional[0]};
    arena memory = {0};
    study->registry = args->registry;
    study->threads = j->threads ? (unsigned)j->threads : bough_default_threads();
    bough_status status = keys_read(grid_keys, &args->given, &memory, &asked, error);
    TRY(study_asked_make(&asked, "--", study, error));
    arena_fini(&memory);
    TRY(bough_study_resolve(study, error));
    TRY(charts_check_names(study, error));
    if (!status) cli_study_notes(study);
    return status ? status : make_command(args, study, error);
}

static bough_status prepare(job *j, bough_error *error) {
    const char *out = cli_value(&j->args, "out"), *name = j->args.positional[0];
    bough_status status = BOUGH_OK;
    if (j->session->team && strcmp(name, "-") == 0) status = cli_ranks_share_input(j->session, error);
    j->directory = out ? bough_strdup(out) : default_out(name);
    if (!j->directory) status = bough_fail_memory(error, 64);
    if (j->session->team) j->threads = cli_ranks_threads(j->session);
    TRY(cli_integer(&j->args, "threads", CLI_THREADS, &j->threads, error));
    TRY(read_study(j, error));
    if (j->shard.shards) TRY(study_take_shard(&j->study, j->shard.shard, j->shard.shards, error));
    return status;
}

static bough_status run_job(job *j, bough_error *error) {
    if (cli_has(&j->args, "dry-run"))
        return dry_run(&j->args, &j->study, j->directory, (unsigned)j->threads, error);
    return j->session->team && j->session->team->rank ? run_rank(j, error) : run_and_print(j, error);
}

static int run(int argc, char **argv, job *j) {
    bough_error error = {0};
    int code = cli_parse(&run_usage, argc, argv, &j->args);
    if (!code) return code; /* help was printed */
    bool parsed = code == CLI_GO;
    if (parsed) code = check_arguments(j);
    if (!code && prepare(j, &error)) code = cli_fail(&error);
    if (j->session->team) code = cli_ranks_agree(j->session, code, &error, &j->study);
    if (!code && run_job(j, &error)) code = cli_ranks_fail(j->session, &error);
    free(j->directory);
    bough_study_fini(&j->study);
    if (parsed) cli_args_fini(&j->args);
    return code;
}

int run_command(int argc, char **argv) {
    rank_session session;
    int code = cli_ranks_open(&session);
    if (code) return code;
    job j = {.session = &session};
    return cli_ranks_close(&session, run(argc, argv, &j));
}
