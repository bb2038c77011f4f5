/* bough sim: one point, run as a study made from the command line. */
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/ranks/launch.h"
#include "cli/study/study_output.h"
#include "cli/study/timeline_files.h"
#include "report/report.h"
#include "study/study_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUCH_MEMORY (UINT64_C(128) << 20)

static const question_key options[] = {
    {"threads", 0, "T", "threads (default: one per processor): trials at a time, or of a single trial", 0,
     .after = "seed"},
    {"metrics", 0, "LIST",
     "the metrics to print: names (`bough list metrics`), or all (default: the main ones, where there are "
     "many)",
     0, "METRICS"},
    CLI_STUDY_TEXT_OPTIONS(NULL),
    {"links", 0, "FILE", "write what every link carries to FILE, as CSV (linkload, flow)", KEY_WRITES,
     "FILE"},
    CLI_TIMELINE_OPTIONS,
    KEYS_END,
};

static const cli_help_group groups[] = {
    {"most used", "routing physical faults trials metrics"},
    {"effort and statistics", "precision quantiles above seed threads"},
    {"output", "html json csv csv-safe color"},
    {"files of links and messages", "links trace trace-ranks messages link-use"},
    {"recorded fabrics", "names order endpoints"},
    {NULL, NULL},
};

const cli_usage sim_usage = {
    "sim",
    "NETWORK [TRAFFIC] METHOD...",
    "Evaluates one network under one traffic, by one or more methods.",
    options,
    "Without --trials and --precision: --precision 1% --trials 1000. Results do not depend on the number\n"
    "of threads. Several methods or routings get the same messages; their ratios below the table have\n"
    "intervals of the paired differences.\n\n"
    "`mpirun -n N bough sim` and `srun` compute on N ranks, with the same results.\n\n"
    "  bough sim fattree:n=64 allreduce:size=64MB flow\n"
    "  bough sim mesh:dims=8x8 poisson:load=0.1,flits=4 worm queueing\n"
    "  bough sim fabric.ibnetdiscover shift linkload --routing lft:tables.dump\n",
    {{"NETWORK", "FAMILIES|FILE", 0},
     {"TRAFFIC", "TRAFFIC", CLI_OPTIONAL},
     {"METHOD", "METHODS", KEY_REPEAT}},
    point_keys,
    groups};

static bool is_traffic(const cli_args *args, const char *spec) {
    return bough_traffic_kind_find(args->registry, spec, strcspn(spec, ":"));
}

static bool is_method(const cli_args *args, const char *spec) {
    return bough_method_find(args->registry, spec, strcspn(spec, ":"));
}

static int unknown_word(const cli_args *args, const char *spec) {
    const char *names[128];
    size_t count = 0;
    const bough_method *m;
    const bough_traffic_kind *k;
    for (size_t i = 0; count < 128 && (m = bough_method_at(args->registry, i)); i++) names[count++] = m->name;
    for (size_t i = 0; count < 128 && (k = bough_traffic_kind_at(args->registry, i)); i++)
        names[count++] = k->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
    char hint[BOUGH_HINT_MAX];
    return cli_wrong("sim", "'%s' is neither a traffic nor a method%s", word,
                     bough_hint(hint, word, names, count));
}

static int no_method(const cli_args *args, bough_error *error) {
    bough_text known = {0};
    const bough_method *m;
    for (size_t i = 0; (m = bough_method_at(args->registry, i)); i++)
        bough_text_printf(&known, "%s%s", i ? ", " : "", m->name);
    char *names = bough_text_take(&known);
    if (!names) bough_fail_memory(error, 0);
    int code = names ? cli_wrong("sim", "a method is missing; there are: %s", names) : cli_fail(error);
    free(names);
    return code;
}

/* What is asked, and the ranks that answer it. */
typedef struct job {
    cli_args args;
    study_asked asked;
    arena memory; /* of what is asked */
    bough_study study;
    uint64_t threads;
    rank_session *session; /* with a team if there are several ranks */
} job;

/* Sorts the words after the network. Returns CLI_GO, or the exit status. */
static int sort_words(job *j, bough_error *error) {
    const cli_args *args = &j->args;
    study_asked *asked = &j->asked;
    for (size_t i = 1; i < args->positionals; i++) {
        const char *word = args->positional[i];
        bool method = is_method(args, word);
        if (!method && !is_traffic(args, word)) return unknown_word(args, word);
        if (!method && asked->traffic)
            return cli_wrong("sim", "'%s' is a second traffic after '%s'; sim takes one", word,
                             asked->traffic);
        if (!method)
            asked->traffic = word;
        else if (key_list_add(&j->memory, &asked->method, &asked->methods, word, error))
            return cli_fail(error);
    }
    return asked->methods ? CLI_GO : no_method(args, error);
}

/* Returns CLI_GO, or the exit status. */
static int read_question(job *j, bough_error *error) {
    const cli_args *args = &j->args;
    if (args->positionals < 1) return cli_wrong("sim", "a network is missing");
    j->asked.network.argument.text = args->positional[0];
    bough_status status = keys_read(point_keys, &args->given, &j->memory, &j->asked, error);
    return status ? cli_fail(error) : sort_words(j, error);
}

/* Rank 0, or the only process, prints and writes. */
static bool prints(const job *j) {
    return !j->session->team || j->session->team->rank == 0;
}

/* --links, before the work. */
static bough_status check_links(const job *j, bough_error *error) {
    const cli_args *args = &j->args;
    const bough_study_point *p = &j->study.point[0];
    const char *path = cli_value(args, "links");
    bool any = !path;
    for (size_t i = 0; i < p->methods && path; i++) {
        const char *spec = p->method[i].spec;
        any = any || bough_method_find(args->registry, spec, strcspn(spec, ":"))->links;
    }
    if (!any)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--links needs a method that knows what links carry: linkload or flow");
    return path && prints(j) ? bough_output_check(path, error) : BOUGH_OK;
}

static bough_status write_links(const cli_args *args, bough_study *study, bough_error *error) {
    const char *path = cli_value(args, "links");
    char *text = NULL;
    if (!path) return BOUGH_OK;
    bough_status status = bough_report_links_csv(study, cli_catch_signals(), &text, error);
    if (!status) status = bough_output_write(path, text, strlen(text), error);
    free(text);
    return status;
}

/* Reports runs that need much memory. */
static void note_memory(const bough_study *study, unsigned threads) {
    unsigned trials;
    char bytes[32];
    uint64_t most = bough_study_memory(study, threads, &trials);
    if (most < MUCH_MEMORY) return;
    bough_format_bytes(most, bytes, sizeof bytes);
    if (trials == 1)
        cli_note("a trial needs up to %s of memory", bytes);
    else
        cli_note("%u concurrent trial%s %s up to %s of memory", trials, bough_s(trials),
                 trials == 1 ? "needs" : "need", bytes);
}

static bough_status refuse_routing_twice(const bough_study_point *p, bough_error *error) {
    for (size_t k = 1; k < p->routings; k++)
        for (size_t i = 0; i < k; i++)
            if (strcmp(p->routing[i].spec, p->routing[k].spec) == 0)
                return bough_fail(error, BOUGH_INVALID, NULL, "the routing %s is given twice; give it once",
                                  p->routing[k].spec);
    return BOUGH_OK;
}

static bough_status prepare(job *j, bough_error *error) {
    const rank_team *team = j->session->team;
    j->study.registry = j->args.registry;
    bool input = team && strcmp(j->args.positional[0], "-") == 0;
    bough_status status = input ? cli_ranks_share_input(j->session, error) : BOUGH_OK;
    if (team) j->threads = cli_ranks_threads(j->session);
    TRY(study_asked_make(&j->asked, "--", &j->study, error));
    TRY(check_links(j, error));
    TRY(cli_integer(&j->args, "threads", CLI_THREADS, &j->threads, error));
    j->study.threads = j->threads ? (unsigned)j->threads : bough_default_threads();
    TRY(bough_study_resolve(&j->study, error));
    TRY(refuse_routing_twice(&j->study.point[0], error));
    if (prints(j)) TRY(cli_timeline_check(&j->args, &j->study, error));
    if (status) return status;
    cli_study_notes(&j->study);
    if (!team) note_memory(&j->study, (unsigned)j->threads);
    return BOUGH_OK;
}

static bough_status compute(job *j, bough_error *error) {
    /* not earlier: resolving may take long and does not check the flag */
    bough_study_options run = {.threads = (unsigned)j->threads, .stop = cli_catch_signals()};
    if (!prints(j)) return cli_ranks_study(j->session, &j->study, &run, error);
    run.progress = cli_on_progress;
    cli_progress_step("simulating");
    bough_status status = cli_ranks_study(j->session, &j->study, &run, error);
    return status;
}

static bough_status run_job(job *j, bough_error *error) {
    bough_status status = compute(j, error);
    if (status || !prints(j)) return status;
    TRY(write_links(&j->args, &j->study, error));
    TRY(cli_timeline_write(&j->args, &j->study, error));
    TRY(cli_study_print(&j->args, &j->study, true, error));
    return status;
}

static int run(int argc, char **argv, job *j) {
    bough_error error = {0};
    int code = cli_parse(&sim_usage, argc, argv, &j->args);
    if (!code) return code; /* help was printed */
    bool parsed = code == CLI_GO;
    if (parsed) code = cli_study_text_check(&j->args);
    if (!code) code = read_question(j, &error);
    if (code == CLI_GO) code = prepare(j, &error) ? cli_fail(&error) : 0;
    if (j->session->team) code = cli_ranks_agree(j->session, code, &error, &j->study);
    if (!code && run_job(j, &error)) code = cli_ranks_fail(j->session, &error);
    bough_study_fini(&j->study);
    arena_fini(&j->memory);
    if (parsed) cli_args_fini(&j->args);
    return code;
}

int sim_command(int argc, char **argv) {
    rank_session session;
    int code = cli_ranks_open(&session);
    if (code) return code;
    job j = {.session = &session};
    return cli_ranks_close(&session, run(argc, argv, &j));
}
