/* bough check: a real fabric, its tables, and a verdict. */
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/opensm_run.h"
#include "fabric/check/check_faults.h"
#include "fabric/check/check_keys.h"
#include "models/adversary_file.h"
#include "network/faults/faults.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is printed: a text, or a format for other tools ---- */

/* From now on errors are one line of a plugin where the command line has --nagios, also errors of the command
 * line. */
static void check_formats_begin(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--nagios") == 0) cli_answer_errors("FABRIC UNKNOWN - ", BOUGH_MONITOR_UNKNOWN);
}

static bough_monitor_options monitor_options(const cli_args *args) {
    const char *from = cli_value(args, "fail-on");
    return (bough_monitor_options){.warning = cli_value(args, "warning"),
                                   .critical = cli_value(args, "critical"),
                                   .from = from && strcmp(from, "error") == 0 ? BOUGH_ERROR : BOUGH_WARN};
}

/* Before the long work. Errors: INVALID for options that do not fit. */
static bough_status check_formats_test(const cli_args *args, bough_error *error) {
    static const char *const formats[] = {"json", "prometheus", "markdown", "nagios"};
    const char *chosen = NULL;
    const bough_monitor_options monitor = monitor_options(args);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!cli_has(args, formats[i])) continue;
        if (chosen)
            return bough_fail(error, BOUGH_INVALID, NULL, "--%s and --%s are mutually exclusive", chosen,
                              formats[i]);
        chosen = formats[i];
    }
    const bool nagios = chosen && strcmp(chosen, "nagios") == 0;
    if (!nagios && (monitor.warning || monitor.critical))
        return bough_fail(error, BOUGH_INVALID, NULL, "--%s needs --nagios",
                          monitor.warning ? "warning" : "critical");
    if (nagios && cli_has(args, "output"))
        return bough_fail(error, BOUGH_INVALID, NULL, "--nagios prints its line; it has no --output");
    return nagios ? bough_monitor_check(&monitor, error) : BOUGH_OK;
}

static bough_status make(const cli_args *args, const bough_check_report *report,
                         const bough_check_text_options *how, char **text, bough_error *error) {
    bough_check_text_options plain = *how;
    if (cli_has(args, "output") && !cli_has(args, "color")) plain.colours = false;
    if (cli_has(args, "json")) return bough_report_check_json(report, text, error);
    if (cli_has(args, "prometheus")) return bough_report_check_prometheus(report, text, error);
    if (cli_has(args, "markdown")) return bough_report_check_markdown(report, how->findings, text, error);
    if (plain.brief && !cli_has(args, "findings")) plain.findings = 3;
    return bough_report_check_text(report, &plain, text, error);
}

static bough_status print_line(const cli_args *args, const bough_check_report *report, int *code,
                               bough_error *error) {
    const bough_monitor_options options = monitor_options(args);
    bough_monitor_state state;
    char *text = NULL;
    bough_status status = bough_report_check_monitor(report, &options, &state, &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    *code = (int)state;
    return cli_print_text(&out, error);
}

/* Prints or writes the report. *code: the exit status, changed by --nagios only. */
static bough_status check_formats_print(const cli_args *args, const bough_check_report *report,
                                        const bough_check_text_options *how, int *code, bough_error *error) {
    const char *file = cli_value(args, "output");
    char *text = NULL;
    if (cli_has(args, "nagios")) return print_line(args, report, code, error);
    bough_status status = make(args, report, how, &text, error);
    if (status) return status;
    bough_text out = bough_text_own(text);
    const bool coloured =
        !cli_has(args, "json") && !cli_has(args, "prometheus") && !cli_has(args, "markdown");
    if (!file) return coloured ? cli_print_coloured(&out, error) : cli_print_text(&out, error);
    if (!coloured) out.length = bough_show_lines(out.data, out.length);
    status = bough_output_write_text(file, &out, error);
    bough_text_fini(&out);
    return status;
}

/* ---- the options ---- */

/* Beside check_keys. */
static const question_key options[] = {
    {"opensm", 0, "ENGINES",
     "the tables that OpenSM itself makes with these engines, in the simulator ibsim: ftree,updn,dfsssp;\n"
     "files of GUIDs with roots= (-a) cn= (-u) io= (-G) order= (-X), and hops= (-H): ftree:io=FILE,hops=2\n"
     "(needs the packages opensm, ibsim-utils and infiniband-diags); repeatable",
     KEY_LISTED | KEY_REPEAT, "minhop|updn|dnup|ftree|lash|dor|torus-2QoS|dfsssp|sssp|nue",
     .after = "adaptive"},
    {"opensm-roots", 0, "FILE",
     "GUIDs of the root switches, one a line, for engines without roots= (default: OpenSM finds them)", 0,
     "FILE"},
    {"threads", 0, "T", "number of threads (default: one per processor)", KEY_REPORT, .after = "seed"},
    {"permutation", 0, "FILE", "write the worst permutation to FILE, which messages:FILE reads",
     KEY_WRITES | KEY_REPORT, "FILE", .after = "worst"},
    {"details", 0, NULL, "print more than one screen: loads, all findings, a verdict in sentences",
     KEY_REPORT},
    {"findings", 0, "N", "findings to print of each kind (default 6, without --details 3; 0: all)",
     KEY_REPORT},
    {"fail-on", 0, "SEVERITY",
     "exit with status 3 if a finding is as severe as this, or worse: warn or error", KEY_REPORT,
     "warn|error"},
    {"links", 0, "FILE",
     "write what every link carries under all-to-all, and under each --job, to FILE, as CSV",
     KEY_WRITES | KEY_REPORT, "FILE"},
    {"json", 0, NULL, "print one JSON object", KEY_REPORT},
    {"prometheus", 0, NULL, "print gauges for Prometheus, as the textfile collector reads them", KEY_REPORT},
    {"markdown", 0, NULL, "print a summary in GitHub's Markdown", KEY_REPORT},
    {"nagios", 0, NULL,
     "print one line and exit with 0 to 3, as plugins of Nagios and Icinga do; --fail-on error:\n"
     "warnings do not count",
     KEY_REPORT},
    {"warning", 0, "RANGE",
     "--nagios: WARNING outside this range of percent of what tables can reach (default 80:)", KEY_REPORT},
    {"critical", 0, "RANGE", "--nagios: CRITICAL outside this range (default 50:)", KEY_REPORT},
    {"output", 'o', "FILE", "write to FILE, whole or not at all, instead of printing",
     KEY_WRITES | KEY_REPORT, "FILE"},
    {"html", 0, "FILE", "write a page with drawings to FILE", KEY_WRITES | KEY_REPORT, "FILE"},
    CLI_COLOUR_OPTION,
    KEYS_END,
};

static const cli_help_group groups[] = {
    {"most used", "lft routing faults expect html"},
    {"more routings", "adaptive opensm opensm-roots"},
    {"more questions", "job place busy against against-lft slurm counters interval worst permutation"},
    {"the fabric", "names endpoints aggregation order physical"},
    {"effort", "trials seed threads"},
    {"output",
     "details findings fail-on links output json markdown prometheus nagios warning critical color"},
    {NULL, NULL},
};

const cli_usage check_usage = {
    "check",
    "FABRIC [--lft TABLES]... [--worst] [--html FILE]",
    "Checks a fabric: its cables, its forwarding tables, and which routing is better.",
    options,
    "FABRIC is the output of ibnetdiscover or iblinkinfo, ibdiagnet2.db_csv, a list of cables (.csv), any\n"
    "other network of `bough list formats`, or a spec (xgft:down=16x16,up=1x4). It may be compressed, - for\n"
    "standard input, or a whole archive such as ibdiagnet2.tar.gz, whose tables are then checked. Without\n"
    "tables every minimal path is used at random.\n\n"
    "  bough check fabric.ibnetdiscover --lft opensm-lfts.dump\n"
    "  bough check fabric.ibnetdiscover --faults each:switch --html page.html\n",
    {{"FABRIC", "FAMILIES|FILE", 0}},
    check_keys,
    groups};

/* ---- the question ---- */

/* The question of a command line, and what it borrows beside that. */
typedef struct asked {
    check_asked check;
    const char **label;
    opensm_run opensm;
} asked;

static void asked_fini(asked *a) {
    opensm_fini(&a->opensm);
    arena_fini(&a->check.memory);
}

static bough_status read_question(const cli_args *args, asked *a, bough_error *error) {
    uint64_t threads = 0;
    bough_check_question *q = &a->check.question;
    bough_status status = BOUGH_OK;
    q->registry = args->registry;
    a->check.network.text = args->positional[0];
    a->check.worst = cli_has(args, "permutation");
    for (size_t i = 0; cli_value_at(args, "opensm", i) && !status; i++)
        status = opensm_read_engines(cli_value_at(args, "opensm", i), &a->opensm, error);
    TRY(check_asked_read(&args->given, &a->check, error));
    TRY(arena_alloc(&a->check.memory, &a->label, q->routings + a->opensm.count, sizeof *a->label, error));
    TRY(cli_integer(args, "threads", CLI_THREADS, &threads, error));
    q->threads = (unsigned)threads;
    if (!status && q->jobs && strcmp(args->positional[0], "-") == 0)
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "--job reads the fabric again, which standard input cannot; give a file");
    return status;
}

/* ---- OpenSM ---- */

/* The fabric without what --faults takes away. */
static bough_status open_fabric(check_asked *a, bough_net **whole, bough_net **faulty, bough_error *error) {
    const bough_check_question *q = &a->question;
    check_faults faults = {0};
    bough_status status = check_faults_read(q->faults, q->faults_count, &a->memory, &faults, error);
    TRY(bough_net_open(q->network, q->registry, whole, error));
    if (!status && faults.missing) status = bough_net_with_faults(*whole, faults.missing, faulty, error);
    return status;
}

/* Adds a routing for each engine that made tables. */
static bough_status ask_opensm(const cli_args *args, asked *a, bough_error *error) {
    bough_net *whole = NULL, *faulty = NULL;
    bough_check_question *q = &a->check.question;
    if (!a->opensm.count && cli_has(args, "opensm-roots"))
        return bough_fail(error, BOUGH_INVALID, NULL, "--opensm-roots needs --opensm");
    if (!a->opensm.count) return BOUGH_OK;
    if (strcmp(args->positional[0], "-") == 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--opensm reads the fabric again, which standard input cannot; give a file");
    a->opensm.stop = cli_catch_signals();
    bough_status status = cli_has(args, "opensm-roots")
                              ? opensm_set_roots(&a->opensm, cli_value(args, "opensm-roots"), error)
                              : BOUGH_OK;
    TRY(open_fabric(&a->check, &whole, &faulty, error));
    TRY(opensm_route(&a->opensm, faulty ? faulty : whole, error));
    cli_progress_step("preparing"); /* its time says nothing of the check's */
    bough_net_destroy(faulty);
    bough_net_destroy(whole);
    for (size_t i = 0; i < a->opensm.count && !status; i++) {
        const opensm_tables *t = &a->opensm.item[i];
        if (!t->path) continue;
        a->label[q->routings] = t->label;
        status = check_asked_add_tables(&a->check, t->path, error);
    }
    q->label = a->label;
    q->findings = &a->opensm.findings;
    return status;
}

/* What is to be written, before the long work. */
static bough_status check_outputs(const cli_args *args, const bough_check_question *q, bough_error *error) {
    bough_status status = check_formats_test(args, error);
    if (!status && cli_has(args, "permutation") && q->routings > 1)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--permutation writes that of one routing, and %zu are given", q->routings);
    for (size_t i = 0; i < args->given.count; i++)
        if (args->given.item[i].key->flags & KEY_WRITES)
            TRY(bough_output_check(args->given.item[i].value, error));
    return status;
}

static void announce(void *context, double seconds) {
    char time[32];
    (void)context;
    cli_note("this takes about %s", bough_format_seconds(seconds, time, sizeof time));
}

static bough_status ask(asked *a, bough_check_report **report, bough_error *error) {
    bough_check_question *q = &a->check.question;
    q->stop = cli_catch_signals();
    q->progress = cli_on_progress;
    q->forecast = announce;
    return bough_check(q, report, error);
}

/* ---- the page ---- */

/* The files that were read: a page does not tell where they lie. */
static bough_status find_paths(const cli_args *args, const bough_net *net, const char ***path, size_t *count,
                               bough_error *error) {
    bough_status status = bough_alloc(path, args->given.count + 2, sizeof **path, error);
    if (status) return status;
    if (net->fabric) (*path)[(*count)++] = net->fabric->source;
    (*path)[(*count)++] = args->positional[0];
    for (size_t i = 0; i < args->given.count; i++) {
        const key_setting *s = &args->given.item[i];
        bool reads = s->key->values && strstr(s->key->values, "FILE") && !(s->key->flags & KEY_WRITES);
        if (reads) (*path)[(*count)++] = s->value;
    }
    return BOUGH_OK;
}

/* Files without their directories. */
static void put_engines(bough_text *out, const char *engines) {
    char *text = bough_strdup(engines), *to = text;
    for (const char *c = engines; text && *c;) {
        *to++ = *c;
        if (*c++ != '=') continue;
        if (*c == '"') *to++ = *c++;
        for (size_t n; c[n = strcspn(c, ",/")] == '/';) c += n + 1;
    }
    if (text) *to = 0;
    bough_text_put_word(out, text ? text : "");
    free(text);
}

static char *make_command(const cli_args *args) {
    bough_text out = {0};
    bough_text_put(&out, "bough check ");
    bough_text_put_word(&out, args->positional[0]);
    for (size_t i = 0; i < args->given.count; i++) {
        const key_setting *s = &args->given.item[i];
        if (s->key->flags & KEY_REPORT) continue; /* changes nothing of the page */
        bough_text_printf(&out, " --%s", s->key->name);
        if (!s->key->argument) continue;
        bough_text_put(&out, " ");
        if (strcmp(s->key->name, "opensm") == 0)
            put_engines(&out, s->value);
        else
            bough_text_put_word(&out, s->value);
    }
    return bough_text_take(&out);
}

static bough_status write_page(const cli_args *args, const bough_check_report *report, bough_error *error) {
    const char *file = cli_value(args, "html"), **path = NULL;
    bough_check_page page = {0};
    char *html = NULL, *command = NULL;
    if (!file) return BOUGH_OK;
    bough_status status = find_paths(args, report->net, &path, &page.paths, error);
    if (!status && !(command = make_command(args))) status = bough_fail_memory(error, 256);
    page.path = path;
    page.command = command;
    TRY(bough_report_check_html(report, &page, &html, error));
    TRY(bough_output_write(file, html, strlen(html), error));
    FREE_ALL(path, html, command);
    return status;
}

/* ---- the command ---- */

static bough_status write_worst(const cli_args *args, const bough_check_report *report, bough_error *error) {
    const char *path = cli_value(args, "permutation");
    return path ? bough_adversary_write(report->part[0].routing, &report->part[0].worst, path, error)
                : BOUGH_OK;
}

static bough_status write_links(const cli_args *args, const bough_check_report *report, bough_error *error) {
    const char *path = cli_value(args, "links");
    char *text = NULL;
    if (!path) return BOUGH_OK;
    bough_status status = bough_report_check_links_csv(report, cli_catch_signals(), &text, error);
    TRY(bough_output_write(path, text, strlen(text), error));
    free(text);
    return status;
}

/* What a line of options says about the output. */
typedef struct output {
    bough_check_text_options how;
    bough_severity fail_from;
} output;

static bough_status write_all(const cli_args *args, const bough_check_report *report, const output *out,
                              int *code, bough_error *error) {
    bough_status status = write_worst(args, report, error);
    TRY(write_page(args, report, error));
    TRY(write_links(args, report, error));
    *code = !status && report->severity >= out->fail_from ? 3 : 0;
    TRY(check_formats_print(args, report, &out->how, code, error));
    return status;
}

/* The exit status. */
static int answer(const cli_args *args, asked *a, const output *out) {
    bough_error error = {0};
    bough_check_report *report = NULL;
    int code = 0;
    bough_status status = ask(a, &report, &error);
    if (!status) status = write_all(args, report, out, &code, &error);
    if (status) code = cli_fail(&error);
    bough_check_report_destroy(report);
    return code;
}

static int check(const cli_args *args, output *out) {
    bough_error error = {0};
    asked a = {0};
    bough_status status = cli_integer(args, "findings", (cli_range){0, 1000000}, &out->how.findings, &error);
    TRY(read_question(args, &a, &error));
    TRY(check_outputs(args, &a.check.question, &error));
    TRY(ask_opensm(args, &a, &error));
    int code = status ? cli_fail(&error) : answer(args, &a, out);
    asked_fini(&a);
    return code;
}

/* Returns CLI_GO, or the exit status. */
static int read_output(const cli_args *args, output *out) {
    const char *fail_on = cli_value(args, "fail-on");
    bool warn = fail_on && strcmp(fail_on, "warn") == 0;
    *out = (output){{.findings = 6, .width = cli_line_width(), .brief = !cli_has(args, "details")},
                    warn      ? BOUGH_WARN
                    : fail_on ? BOUGH_ERROR
                              : BOUGH_ERROR + 1};
    if (args->positionals > 1)
        return cli_wrong("check", "check takes one fabric file; --against OLD compares an earlier recording, "
                                  "and planes in files of their own are checked one by one");
    if (args->positionals != 1) return cli_wrong("check", "check needs a fabric file");
    if (fail_on && !warn && strcmp(fail_on, "error") != 0)
        return cli_wrong("check", "--fail-on is warn or error, not '%s'", fail_on);
    int code = cli_colours(args, &out->how.colours);
    return code ? code : CLI_GO;
}

int check_command(int argc, char **argv) {
    cli_args args;
    output out;
    check_formats_begin(argc, argv);
    int code = cli_parse(&check_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    code = read_output(&args, &out);
    if (code == CLI_GO) code = check(&args, &out);
    cli_args_fini(&args);
    return code;
}
