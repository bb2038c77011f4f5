/* bough tune: forwarding tables with smaller loads than those of routing engines, and lower bounds. */
#include "base/files/output.h"
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

/* ---- the question ---- */

typedef struct asked {
    bough_tune_question question;
    const bough_registry *registry;
    network_asked place;
    bough_network *network;
    const char *const *lft, *const *routing; /* as given */
    size_t lfts, routings;
    const char *output;
    bool json;
    arena memory; /* of lists and texts */
} asked;

static bough_status take_objective(const key_given *given, void *to, bough_error *error) {
    asked *a = to;
    return bough_tune_objective_find(given->value, &a->question.objective, error);
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

static bough_status take_job(const key_given *given, void *to, bough_error *error) {
    bough_tune_question *q = &((asked *)to)->question;
    bough_status status = arena_grow(given->memory, &q->job, q->jobs + 1, sizeof *q->job, error);
    if (status) return status;
    bough_tune_job *job = (bough_tune_job *)&q->job[q->jobs++];
    status = read_job(given->value, job, error);
    TRY(bough_traffic_check(((asked *)to)->registry, job->traffic, error));
    return status;
}

static bough_status take_effort(const key_given *given, void *to, bough_error *error) {
    double *effort = &((asked *)to)->question.effort;
    bough_status status = bough_parse_real(given->value, given->name, effort, error);
    if (!status && !(*effort > 0 && *effort <= 1e6))
        status = bough_fail(error, BOUGH_INVALID, given->name,
                            "%s is out of range; it must be above 0 and at most 1e6", given->value);
    return status;
}

#define AT(member) offsetof(asked, member)

static const question_key keys[] = {
    {"for", 0, "OBJECTIVE",
     "what is minimised, as the load of the most loaded link: alltoall (default), shifts (mean over all),\n"
     "worst-shift, random (mean over permutations), worst (what any permutation can load)",
     0, "alltoall|shifts|worst-shift|random|worst", KEY_TAKEN, .take = take_objective},
    {"job", 0, "TRAFFIC",
     "instead: the load by this traffic (`bough list traffic`); repeat it for several jobs at once,\n"
     "with a weight as in 3*TRAFFIC",
     KEY_REPEAT, "TRAFFIC", KEY_TAKEN, .take = take_job},
    {"lft", 0, "TABLES", "forwarding tables to start from; what changes against the first ones is reported",
     KEY_REPEAT, "FILE", KEY_LIST, AT(lft), AT(lfts)},
    {"routing", 0, "R", "a routing to start from, beside minhop, updn and dmodk (`bough list routings`)",
     KEY_REPEAT, "ROUTINGS", KEY_LIST, AT(routing), AT(routings)},
    {"engine", 0, "ENGINE",
     "instead of tables: roots and order of destinations with which this engine of OpenSM makes better ones\n"
     "(minhop: the order only)",
     0, "minhop|updn", KEY_TEXT, AT(question.engine)},
    {"lmc", 0, "N",
     "alltoall and jobs: 2^N LIDs of an endpoint have paths of their own, over which what it receives is\n"
     "divided equally (default 0). The fabric has these LIDs where OpenSM runs with lmc N",
     0, NULL, KEY_SMALL, AT(question.lmc), .bounds = {0, 7}},
    {"output", 'o', "FILE",
     "write the tables to FILE.lfts, which OpenSM loads with -R file -U FILE; with --engine write "
     "FILE.roots\n"
     "and FILE.order, for opensm -a and -X",
     0, "FILE", KEY_TEXT, AT(output)},
    FAULTS_KEY(asked, place),
    PHYSICAL_KEY(asked, place.physical),
    ENDPOINT_KEYS(asked, place.argument),
    {"effort", 0, "E", "length of the search (default 1); 10 takes about ten times as long", 0, NULL,
     KEY_TAKEN, .take = take_effort},
    {"trials", 0, "N", "permutations of --for random (default 100)", 0, NULL, KEY_WHOLE,
     AT(question.permutations), .bounds = {1, 100000}},
    {"seed", 0, "S", "seed of the search and of the permutations (default 1)", 0, NULL, KEY_WHOLE,
     AT(question.seed), .bounds = {0, UINT64_MAX}, .fallback = 1},
    {"json", 0, NULL, "print one JSON object", 0, NULL, KEY_FLAG, AT(json)},
    KEYS_END,
};

static const cli_help_group groups[] = {
    {"most used", "lft output for job engine"},
    {"paths and search", "lmc routing effort trials seed"},
    {"the fabric", "faults physical names endpoints aggregation order"},
    {"output", "json"},
    {NULL, NULL},
};

const cli_usage tune_usage = {
    "tune",
    "FABRIC [--lft TABLES] [--for OBJECTIVE] -o FILE.lfts",
    "Finds better forwarding tables, and a bound that no tables can pass.",
    NULL,
    "The tables have one path for each switch and destination, route all connected pairs, and have no\n"
    "deadlock on one virtual lane. Ctrl-C ends the search and writes the best tables so far.\n",
    {{"FABRIC", "FAMILIES|FILE", 0}},
    keys,
    groups};

static void asked_fini(asked *a) {
    arena_fini(&a->memory);
    bough_network_destroy(a->network);
}

/* The first of --lft comes first: it is that of the fabric now. */
static bough_status join_routings(asked *a, bough_error *error) {
    bough_tune_question *q = &a->question;
    const size_t count = a->lfts + a->routings;
    char **spec = NULL;
    bough_status status = arena_alloc(&a->memory, &spec, count, sizeof *spec, error);
    q->old = a->lfts > 0;
    q->routing = (const char *const *)spec;
    q->routings = count;
    for (size_t i = 0; i < count && !status; i++) {
        bough_text text = {0};
        if (i < a->lfts)
            put_tables_spec(&text, a->lft[i]);
        else
            bough_text_put(&text, a->routing[i - a->lfts]);
        status = bough_text_keep(&text, &a->memory, &spec[i], error);
    }
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

static bough_status check_output(const asked *a, bough_error *error) {
    const char *path = a->output, *dot = path ? strrchr(path, '.') : NULL;
    if (!path) return BOUGH_OK;
    if (a->question.engine) {
        bough_status status = check_settings(path, "roots", error);
        return status ? status : check_settings(path, "order", error);
    }
    if (!dot || strcmp(dot, ".lfts") != 0)
        return bough_fail(error, BOUGH_INVALID, "-o", "%s: forwarding tables are written to FILE.lfts", path);
    return bough_output_check(path, error);
}

static bough_status read_question(const cli_args *args, asked *a, bough_error *error) {
    bough_tune_question *q = &a->question;
    a->registry = args->registry;
    a->place.argument.text = args->positional[0];
    bough_status status = keys_read(keys, &args->given, &a->memory, a, error);
    if (!status && q->jobs && cli_has(args, "for"))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--for and --job are mutually exclusive: jobs are an objective");
    if (q->jobs) q->objective = BOUGH_TUNE_JOBS;
    TRY(join_routings(a, error));
    TRY(check_output(a, error));
    TRY(cli_network_open(args, &a->place, &a->network, error));
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

static bough_status print(const asked *a, const bough_tune_report *report, bough_error *error) {
    char *text = NULL;
    bough_status status = a->json ? bough_tune_report_json(report, &text, error)
                                  : bough_tune_report_text(report, cli_line_width(), &text, error);
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
        TRY(write_tables(a.output, report, &error));
        TRY(print(&a, report, &error));
        code = status ? cli_fail(&error) : 0;
    }
    bough_tune_report_destroy(report);
    asked_fini(&a);
    cli_args_fini(&args);
    return code;
}
