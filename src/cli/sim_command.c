/* bough sim: one point, run as a study made from the command line. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "bough/study.h"
#include "cli/cli.h"
#include "cli/network_argument.h"
#include "cli/study/study_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUCH_MEMORY (UINT64_C(128) << 20)

static const cli_option options[] = {
    {"routing", 0, "R", "a routing (`bough list routings`); repeat it to compare", CLI_REPEAT, "ROUTINGS"},
    CLI_FAULTS_OPTION,
    CLI_PHYSICAL_OPTION,
    {"trials", 0, "N", "number of trials of random results; with --precision the maximum", 0},
    {"precision", 0, "P",
     "run until the 95 % interval is within P of the mean, as in 1%\n"
     "or latency:1%; without a metric: each method's headline",
     0},
    {"seed", 0, "S", "seed of all random numbers (default 1)", 0},
    {"threads", 0, "T", "concurrent trials (default: one per processor)", 0},
    CLI_STUDY_TEXT_OPTIONS,
    {"order", 0, "ORDER", "order of a fabric's endpoints: lid (default), guid, name, or a file", 0,
     "lid|guid|name|FILE"},
    {"endpoints", 0, "REGEX", "fabrics: only adapters whose name matches", 0},
    CLI_OPTIONS_END,
};

const cli_usage sim_usage = {
    "sim",
    "NETWORK [TRAFFIC] METHOD...",
    "Evaluates one point: a network under traffic, by one or more methods.",
    options,
    "Without --trials and --precision: --precision 1% --trials 1000. Results do not depend on the number\n"
    "of threads.\n"
    "Several methods, or several routings, use the same messages. Their differences and ratios are\n"
    "printed below the table, with paired intervals, which exclude common variation.\n\n"
    "  bough sim fattree:n=1024 uniform circuit:mode=rounds bins:model=1\n"
    "  bough sim fabric.txt shift linkload --routing updn --routing lft:tables.dump\n",
    {{"NETWORK", "FAMILIES|FILE", 0},
     {"TRAFFIC", "TRAFFIC", CLI_OPTIONAL},
     {"METHOD", "METHODS", CLI_REPEAT}}};

static bool is_name(const char *spec, const char *name) {
    size_t length = strcspn(spec, ":");
    return strlen(name) == length && strncmp(spec, name, length) == 0;
}

static bool is_traffic(const char *spec) {
    for (const bough_traffic_kind *const *k = bough_traffic_kinds; *k; k++) {
        if (is_name(spec, (*k)->name)) return true;
        for (const char *const *a = (*k)->aliases; a && *a; a++)
            if (is_name(spec, *a)) return true;
    }
    return false;
}

static bool is_method(const char *spec) {
    for (const bough_method *const *m = bough_methods; *m; m++)
        if (is_name(spec, (*m)->name)) return true;
    return false;
}

static int unknown_word(const char *spec) {
    const char *names[128];
    size_t count = 0;
    for (const bough_method *const *m = bough_methods; *m && count < 128; m++) names[count++] = (*m)->name;
    for (const bough_traffic_kind *const *k = bough_traffic_kinds; *k && count < 128; k++)
        names[count++] = (*k)->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
    char hint[BOUGH_HINT_MAX];
    return cli_wrong("sim", "'%s' is neither a traffic nor a method%s", word,
                     bough_hint(hint, word, names, count));
}

static int no_method(bough_error *error) {
    bough_text known = {0};
    for (const bough_method *const *m = bough_methods; *m; m++)
        bough_text_printf(&known, "%s%s", m == bough_methods ? "" : ", ", (*m)->name);
    char *names = bough_text_take(&known);
    if (!names) bough_fail_memory(error, 0);
    int code = names ? cli_wrong("sim", "a method is missing; there are: %s", names) : cli_fail(error);
    free(names);
    return code;
}

static bough_status add_spec(bough_asked *list, size_t *count, const char *spec, bough_error *error) {
    list[*count].spec = bough_strdup(spec);
    if (!list[*count].spec) return bough_fail_memory(error, strlen(spec));
    ++*count;
    return BOUGH_OK;
}

/* Classifies the words after the network. Returns CLI_GO, or the exit status. */
static int sort_words(const cli_args *args, bough_study_point *p, bough_error *error) {
    for (size_t i = 1; i < args->positionals; i++) {
        const char *word = args->positional[i];
        if (is_method(word)) {
            if (add_spec(p->method, &p->methods, word, error)) return cli_fail(error);
        } else if (!is_traffic(word)) {
            return unknown_word(word);
        } else if (p->traffic.spec) {
            return cli_wrong("sim", "'%s' is a second traffic after '%s'; sim takes one", word,
                             p->traffic.spec);
        } else {
            p->traffic.spec = bough_strdup(word);
            if (!p->traffic.spec) {
                bough_fail_memory(error, strlen(word));
                return cli_fail(error);
            }
        }
    }
    return p->methods ? CLI_GO : no_method(error);
}

static int make_study(const cli_args *args, bough_study *study, bough_error *error) {
    if (args->positionals < 1) return cli_wrong("sim", "a network is missing");
    bough_status status = bough_alloc(&study->point, 1, sizeof *study->point, error);
    if (status) return cli_fail(error);
    study->points = 1;
    study->seed = 1;
    study->effort = (bough_effort){1000, 0.01, BOUGH_METRIC_COUNT};
    bough_study_point *p = &study->point[0];
    size_t routings = 0;
    while (cli_value_at(args, "routing", routings)) routings++;
    status = cli_network_spec(args, args->positional[0], false, &p->network.spec, error);
    TRY(cli_faults(args, &p->faults.spec, error));
    const char *physical = cli_value(args, "physical");
    if (!status && physical && !(p->physical.spec = bough_strdup(physical)))
        status = bough_fail_memory(error, strlen(physical));
    TRY(bough_alloc(&p->method, args->positionals, sizeof *p->method, error));
    if (!status && routings) status = bough_alloc(&p->routing, routings, sizeof *p->routing, error);
    for (size_t i = 0; i < routings && !status; i++)
        status = add_spec(p->routing, &p->routings, cli_value_at(args, "routing", i), error);
    bool given;
    TRY(cli_effort(args, &study->effort, &given, error));
    TRY(cli_integer(args, "seed", (cli_range){0, INT64_MAX}, &study->seed, error));
    if (status) return cli_fail(error);
    return sort_words(args, p, error);
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
        cli_note("%u concurrent trials need up to %s of memory", trials, bytes);
}

static bough_status refuse_routing_twice(const bough_study_point *p, bough_error *error) {
    for (size_t k = 1; k < p->routings; k++)
        for (size_t i = 0; i < k; i++)
            if (strcmp(p->routing[i].spec, p->routing[k].spec) == 0)
                return bough_fail(error, BOUGH_INVALID, NULL, "the routing %s is given twice; give it once",
                                  p->routing[k].spec);
    return BOUGH_OK;
}

static bough_status run_study(const cli_args *args, bough_study *study, bough_error *error) {
    uint64_t threads = 0;
    cli_progress progress;
    bough_study_options run = {.progress = cli_on_progress, .context = &progress};
    bough_status status = cli_integer(args, "threads", CLI_THREADS, &threads, error);
    run.threads = (unsigned)threads;
    TRY(bough_study_resolve(study, error));
    TRY(refuse_routing_twice(&study->point[0], error));
    if (status) return status;
    cli_study_notes(study);
    note_memory(study, run.threads);
    run.stop = cli_catch_signals(); /* not earlier: resolving may take long and does not check the flag */
    cli_progress_start(&progress);
    status = bough_study_run(study, &run, error);
    cli_progress_end(&progress);
    return status;
}

int sim_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    bough_study study = {0};
    int code = cli_parse(&sim_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    if ((code = cli_study_text_check(&args)) != 0) goto done;
    code = make_study(&args, &study, &error);
    if (code != CLI_GO) goto done;
    bough_status status = run_study(&args, &study, &error);
    TRY(cli_study_print(&args, &study, true, &error));
    code = status ? cli_fail(&error) : 0;
done:
    bough_study_fini(&study);
    cli_args_fini(&args);
    return code;
}
