/* bough tune: forwarding tables with smaller loads than those of routing engines, and lower bounds. */
#include "api/api_check.h"
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/network_argument.h"
#include "extension/network_handle.h"
#include "fabric/tune/tune.h"
#include "network/node_identifiers.h"
#include "report/report.h"
#include "traffic/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"for", 0, "OBJECTIVE",
     "what is minimised, as the load of the most loaded link: alltoall (default), shifts (mean over all),\n"
     "worst-shift, random (mean over permutations), worst (what any permutation can load)",
     0, "alltoall|shifts|worst-shift|random|worst"},
    {"job", 0, "TRAFFIC",
     "instead: the load by this traffic (`bough list traffic`); repeat it for several jobs at once,\n"
     "with a weight as in 3*TRAFFIC",
     CLI_REPEAT, "TRAFFIC"},
    {"lft", 0, "TABLES", "forwarding tables to start from; what changes against the first ones is reported",
     CLI_REPEAT, "FILE"},
    {"routing", 0, "R", "a routing to start from, beside minhop, updn and dmodk (`bough list routings`)",
     CLI_REPEAT, "ROUTINGS"},
    {"engine", 0, "ENGINE",
     "instead of tables: roots and order of destinations with which this engine of OpenSM makes better ones\n"
     "(minhop: the order only)",
     0, "minhop|updn"},
    {"lmc", 0, "N",
     "alltoall and jobs: 2^N LIDs of an endpoint have paths of their own, over which what it receives is\n"
     "divided equally (default 0). The fabric has these LIDs where OpenSM runs with lmc N",
     0},
    {"output", 'o', "FILE",
     "write the tables to FILE.lfts, which OpenSM loads with -R file -U FILE; with --engine write "
     "FILE.roots\n"
     "and FILE.order, for opensm -a and -X",
     0, "FILE"},
    CLI_FAULTS_OPTION,
    CLI_PHYSICAL_OPTION,
    {"order", 0, "ORDER", "order of the endpoints: name (default), lid, guid, or a file of names or LIDs", 0,
     "lid|guid|name|FILE"},
    {"endpoints", 0, "REGEX", "only adapters whose name matches", 0},
    {"aggregation", 0, NULL, "count aggregation nodes as endpoints", 0},
    {"effort", 0, "E", "length of the search (default 1); 10 takes about ten times as long", 0},
    {"trials", 0, "N", "permutations of --for random (default 100)", 0},
    {"seed", 0, "S", "seed of the search and of the permutations (default 1)", 0},
    {"json", 0, NULL, "print one JSON object", 0},
    CLI_OPTIONS_END,
};

const cli_usage tune_usage = {
    "tune",
    "FABRIC [--lft TABLES] [--for OBJECTIVE] -o FILE.lfts",
    "Finds better forwarding tables, and a bound that no tables can pass.",
    options,
    "The tables have one path for each switch and destination, route all connected pairs, and have no\n"
    "deadlock on one virtual lane. Interrupted by ctrl-C, the best ones so far are written.\n",
    {{"FABRIC", "FAMILIES|FILE", 0}}};

/* ---- the question ---- */

typedef struct asked {
    bough_tune_question question;
    bough_network *network;
    char **spec; /* [question.routings]: of routings; owned */
    bough_tune_job *job;
} asked;

static void asked_fini(asked *a) {
    for (size_t i = 0; i < a->question.routings; i++) free(a->spec[i]);
    FREE_ALL(a->spec, a->job);
    bough_network_destroy(a->network);
}

/* The first of --lft comes first: it is that of the fabric now. */
static bough_status take_routings(const cli_args *args, asked *a, bough_error *error) {
    size_t count = 0;
    const char *value;
    bough_status status = bough_alloc(&a->spec, args->values, sizeof *a->spec, error);
    for (size_t i = 0; !status && (value = cli_value_at(args, "lft", i)); i++)
        a->spec[count++] = api_tables_spec(value);
    a->question.old = count > 0;
    for (size_t i = 0; !status && (value = cli_value_at(args, "routing", i)); i++)
        a->spec[count++] = bough_strdup(value);
    for (size_t i = 0; i < count && !status; i++)
        if (!a->spec[i]) status = bough_fail_memory(error, 64);
    a->question.routings = count;
    a->question.routing = (const char *const *)a->spec;
    return status;
}

/* "3*TRAFFIC" or "TRAFFIC". */
static bough_status read_job(const char *text, bough_tune_job *job, bough_error *error) {
    char number[32];
    const size_t length = strspn(text, "0123456789.");
    *job = (bough_tune_job){text, 1};
    if (!length || text[length] != '*' || length >= sizeof number) return BOUGH_OK;
    memcpy(number, text, length);
    number[length] = 0;
    job->traffic = text + length + 1;
    bough_status status = bough_parse_real(number, "--job", &job->weight, error);
    if (!status && !(job->weight > 0))
        status = bough_fail(error, BOUGH_INVALID, "--job", "%s: a weight is above 0", text);
    return status;
}

static bough_status take_objective(const cli_args *args, asked *a, bough_error *error) {
    const char *name = cli_value(args, "for"), *value;
    bough_status status = bough_alloc(&a->job, args->values, sizeof *a->job, error);
    for (size_t i = 0; !status && (value = cli_value_at(args, "job", i)); i++)
        if (!(status = read_job(value, &a->job[a->question.jobs++], error)))
            status = bough_traffic_check(args->registry, a->job[a->question.jobs - 1].traffic, error);
    if (!status && name && a->question.jobs)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--for and --job are mutually exclusive: jobs are an objective");
    if (name) TRY(bough_tune_objective_find(name, &a->question.objective, error));
    if (a->question.jobs) a->question.objective = BOUGH_TUNE_JOBS;
    a->question.job = a->job;
    return status;
}

/* FILE.roots or FILE.order. */
static bough_status settings_path(const char *path, const char *kind, char **file, bough_error *error) {
    bough_text out = {0};
    bough_text_printf(&out, "%s.%s", path, kind);
    return bough_text_finish(&out, file, error);
}

static bough_status check_settings(const char *path, const char *kind, bough_error *error) {
    char *file;
    bough_status status = settings_path(path, kind, &file, error);
    TRY(bough_output_check(file, error));
    free(file);
    return status;
}

static bough_status check_output(const cli_args *args, bough_error *error) {
    const char *path = cli_value(args, "output"), *dot = path ? strrchr(path, '.') : NULL;
    if (!path) return BOUGH_OK;
    if (cli_has(args, "engine")) {
        bough_status status = check_settings(path, "roots", error);
        return status ? status : check_settings(path, "order", error);
    }
    if (!dot || strcmp(dot, ".lfts") != 0)
        return bough_fail(error, BOUGH_INVALID, "-o", "%s: forwarding tables are written to FILE.lfts", path);
    return bough_output_check(path, error);
}

static bough_status read_question(const cli_args *args, asked *a, bough_error *error) {
    bough_tune_question *q = &a->question;
    const char *effort = cli_value(args, "effort");
    uint64_t lmc = 0;
    q->seed = 1;
    bough_status status = cli_integer(args, "seed", (cli_range){0, UINT64_MAX}, &q->seed, error);
    TRY(cli_integer(args, "trials", (cli_range){1, 100000}, &q->permutations, error));
    TRY(cli_integer(args, "lmc", (cli_range){0, 7}, &lmc, error));
    q->lmc = (unsigned)lmc;
    if (effort) TRY(bough_parse_real(effort, "--effort", &q->effort, error));
    if (!status && effort && !(q->effort > 0 && q->effort <= 1e6))
        status = bough_fail(error, BOUGH_INVALID, "--effort",
                            "%s is out of range; it must be above 0 and at most 1e6", effort);
    TRY(take_objective(args, a, error));
    TRY(take_routings(args, a, error));
    TRY(check_output(args, error));
    q->engine = cli_value(args, "engine");
    TRY(cli_network_open(args, args->positional[0], false, &a->network, error));
    if (!status) q->net = a->network->net;
    return status;
}

/* ---- the answer ---- */

static bough_status ask(asked *a, bough_tune_report **report, bough_error *error) {
    cli_progress_step("reading the tables");
    a->question.stop = cli_catch_signals();
    a->question.progress = cli_on_progress;
    return bough_tune(&a->question, report, error);
}

/* A GUID and a name on each line, as OpenSM reads it. */
static bough_status write_settings(const char *path, const bough_tune_report *r, bool roots,
                                   bough_error *error) {
    const size_t count = roots ? r->roots : r->firsts;
    bough_text text = {0};
    char name[160], *file;
    if (count == 0) return BOUGH_OK;
    bough_status status = settings_path(path, roots ? "roots" : "order", &file, error);
    for (size_t i = 0; i < count; i++) {
        const uint64_t node = roots ? r->root[i] : r->first[i];
        bough_text_printf(&text, "0x%016" PRIx64 " # %s\n", net_port_guid(r->net, node),
                          bough_node_name(r->net, node, name, sizeof name));
    }
    TRY(bough_output_write_text(file, &text, error));
    bough_text_fini(&text);
    free(file);
    return status;
}

static bough_status write_tables(const char *path, const bough_tune_report *report, bough_error *error) {
    const bough_table_format *format = bough_table_formats;
    bough_text text = {0};
    if (!path) return BOUGH_OK;
    if (report->engine) {
        bough_status status = write_settings(path, report, true, error);
        return status ? status : write_settings(path, report, false, error);
    }
    while (strcmp(format->name, "lfts") != 0) format++;
    bough_status status = format->write(report->routing, &text, error);
    TRY(bough_output_write_text(path, &text, error));
    bough_text_fini(&text);
    return status;
}

static bough_status print(const cli_args *args, const bough_tune_report *report, bough_error *error) {
    char *text = NULL;
    bough_status status = cli_has(args, "json")
                              ? bough_report_tune_json(report, &text, error)
                              : bough_report_tune_text(report, cli_line_width(), &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    return cli_print_text(&out, error);
}

int tune_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    asked a = {0};
    bough_tune_report *report = NULL;
    int code = cli_parse(&tune_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    if (args.positionals != 1) {
        code = cli_wrong("tune", "tune needs exactly one fabric");
    } else {
        bough_status status = read_question(&args, &a, &error);
        TRY(ask(&a, &report, &error));
        TRY(write_tables(cli_value(&args, "output"), report, &error));
        TRY(print(&args, report, &error));
        code = status ? cli_fail(&error) : 0;
    }
    bough_tune_report_destroy(report);
    asked_fini(&a);
    cli_args_fini(&args);
    return code;
}
