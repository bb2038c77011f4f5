/* bough plan: fat-trees that meet requirements, their cost, and their load under standard patterns. */
#include "base/status/try.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "fabric/plan/plan_report.h"
#include "network/spec_or_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked. */
typedef struct plan {
    bough_plan_question question;
    bough_stack_limits limits; /* of --packaging */
    const char *packaging;
    bool json, csv;
} plan;

/* Options that only one kind of plan takes, or only a job. */
enum { OF_TREES = KEY_OWN, OF_STACKS = 2 * KEY_OWN, OF_JOB = 4 * KEY_OWN };

/* Of trees or of stacks, which have other bounds. */
static bough_status take_size(const key_given *given, void *to, bough_error *error) {
    plan *p = to;
    uint64_t size;
    const bool stacks = keys_value(given->all, "packaging"), hosts = strstr(given->name, "hosts");
    const bough_bounds bounds = stacks && hosts ? (bough_bounds){1, UINT64_C(1) << 30}
                                : stacks        ? (bough_bounds){1, 1u << 20}
                                : hosts         ? (bough_bounds){1, UINT64_C(1) << 40}
                                                : (bough_bounds){2, 1024};
    bough_status status = bough_parse_between(given->value, given->name, bounds, &size, error);
    if (status) return status;
    if (hosts)
        p->question.ask.hosts = p->limits.hosts = size;
    else
        p->question.ask.radix = p->limits.radix = (uint32_t)size;
    return BOUGH_OK;
}

/* Accepts 2 or 2:1. */
static bough_status read_taper(const char *text, double *taper, bough_error *error) {
    char down[64];
    double up = 1;
    if (snprintf(down, sizeof down, "%s", text) >= (int)sizeof down)
        return bough_parse_real(text, "--taper", taper, error);
    char *colon = strchr(down, ':');
    if (colon) *colon++ = 0;
    bough_status status = bough_parse_real(down, "--taper", taper, error);
    if (!status && colon) status = bough_parse_real(colon, "--taper", &up, error);
    if (!status && !(up > 0))
        status = bough_fail(error, BOUGH_INVALID, NULL, "--taper %s: write it as 2 or 2:1", text);
    if (!status) *taper /= up;
    return status;
}

static bough_status take_taper(const key_given *given, void *to, bough_error *error) {
    return read_taper(given->value, &((plan *)to)->question.ask.taper, error);
}

static bough_status take_prices(const key_given *given, void *to, bough_error *error) {
    return bough_prices_read(given->value, &((plan *)to)->question.ask.prices, error);
}

#define AT(member) offsetof(plan, member)

static const question_key keys[] = {
    {"hosts", 0, "H", "hosts to connect", 0, NULL, KEY_TAKEN, .take = take_size},
    {"radix", 0, "R", "ports per switch", 0, NULL, KEY_TAKEN, .take = take_size},
    {"taper", 0, "T",
     "maximum ratio of endpoints below a subtree to its cables up, as in 2 or 2:1 (default 1: full "
     "bandwidth)",
     OF_TREES, NULL, KEY_TAKEN, .take = take_taper},
    {"levels", 0, "L", "switch levels (default: any up to 4)", OF_TREES, NULL, KEY_SMALL,
     AT(question.ask.levels), .bounds = {1, BOUGH_PLAN_LEVELS}},
    {"prices", 0, "FILE",
     "price list: lines `item,price` for switch, cable and host; see examples/prices.csv", OF_TREES, "FILE",
     KEY_TAKEN, .take = take_prices},
    {"job", 0, "JOB",
     "the time of a job on every tree: a traffic such as allreduce:size=1GB, or the description of a "
     "training\n"
     "step, NAME.yaml",
     OF_TREES, "TRAFFIC|FILE", KEY_TEXT, AT(question.job.traffic)},
    {"routing", 0, "R", "routing of the job (default dmodk, static tables; adaptive: that of GPU fabrics)",
     OF_JOB, "ROUTINGS", KEY_TEXT, AT(question.job.routing)},
    {"spray", 0, NULL, "divide the job's messages over all paths of the routing (adaptive does so anyway)",
     OF_JOB, NULL, KEY_FLAG, AT(question.job.spray)},
    PHYSICAL_KEY(plan, question.job.physical),
    {"threads", 0, "N", "threads (default: one per processor)", OF_JOB, NULL, KEY_SMALL,
     AT(question.job.threads), .bounds = {1, CLI_THREADS_MAX}},
    {"packaging", 0, "P",
     "transit: routers in stacks and hollow cubes instead, under limits of package, board and stack", 0,
     "transit", KEY_TEXT, AT(packaging)},
    {"dilation", 0, "D", "transit: wires per direction of a router (default: any; --radix likewise)",
     OF_STACKS, NULL, KEY_SMALL, AT(limits.dilation), .bounds = {1, 1u << 20}},
    {"ports", 0, "N", "transit: wires of a processor each way (default 2)", OF_STACKS, NULL, KEY_SMALL,
     AT(limits.ports), .bounds = {1, 1u << 20}},
    {"pins", 0, "N", "transit: signal pins of a router (default 144)", OF_STACKS, NULL, KEY_SMALL,
     AT(limits.pins), .bounds = {1, 1u << 20}},
    {"width", 0, "N", "transit: wires of a channel (default 9)", OF_STACKS, NULL, KEY_SMALL, AT(limits.width),
     .bounds = {1, 1u << 20}},
    {"board", 0, "IN", "transit: side of a board in inches (default 24)", OF_STACKS, NULL, KEY_REAL,
     AT(limits.board)},
    {"pitch", 0, "IN", "transit: distance of routers on a board in inches (default 3)", OF_STACKS, NULL,
     KEY_REAL, AT(limits.pitch)},
    {"height", 0, "IN", "transit: height of a stack in inches (default 2)", OF_STACKS, NULL, KEY_REAL,
     AT(limits.height)},
    {"layer", 0, "IN", "transit: height of a layer of routers with its board in inches (default 0.5)",
     OF_STACKS, NULL, KEY_REAL, AT(limits.layer)},
    {"fill", 0, "F", "transit: ratio of the sides of a hollow cube to its top, at most (default 1: equal)",
     OF_STACKS, NULL, KEY_REAL, AT(limits.fill)},
    {"limit", 0, "N", "show at most N trees (default 8) or designs (default 16)", 0, NULL, KEY_WHOLE,
     AT(question.limit), .bounds = {1, 1000}},
    {"seed", 0, "S", "seed of the random permutations (default 1)", OF_TREES, NULL, KEY_WHOLE,
     AT(question.job.seed), .bounds = {0, UINT64_MAX}, .fallback = 1},
    {"json", 0, NULL, "print one JSON object", 0, NULL, KEY_FLAG, AT(json)},
    {"csv", 0, NULL, "print the trees as CSV", OF_TREES, NULL, KEY_FLAG, AT(csv)},
    KEYS_END,
};

static const cli_help_group groups[] = {
    {"most used", "hosts radix taper prices job"},
    {"the list", "levels limit json csv"},
    {"the job", "routing spray physical seed threads"},
    {"routers in stacks (--packaging transit)",
     "packaging dilation ports pins width board pitch height layer fill"},
    {NULL, NULL},
};

const cli_usage plan_usage = {
    "plan",
    "--hosts H --radix R [--taper T] [--levels L]",
    "Lists fat-trees for given hosts and switches, with their costs.",
    NULL,
    "The list has the trees that no other beats in both cost (without prices: in switches and cables) and\n"
    "taper. Hosts are spread evenly over the leaf switches; some of their ports may stay free. The time of "
    "a\n"
    "job is that of the method flow. The limits of stacks are those of dehon1991.\n\n"
    "  bough plan --hosts 512 --radix 64 --taper 2\n",
    {{0}},
    keys,
    groups};

static void say_how_long(void *progress, double seconds) {
    char time[32];
    (void)progress;
    cli_note("the job on all trees takes about %s; --limit shows fewer trees",
             bough_format_seconds(seconds, time, sizeof time));
}

static bough_status answer_trees(plan *p, bough_error *error) {
    bough_plan_report report;
    bough_text out = {0};
    p->question.progress = cli_on_progress;
    p->question.job.expect = say_how_long;
    p->question.ask.stop = p->question.job.stop = cli_catch_signals();
    bough_status status = bough_plan_report_find(&p->question, &report, error);
    if (!status && p->json)
        bough_plan_report_json(&report, &out);
    else if (!status && p->csv)
        bough_plan_report_csv(&report, &out);
    else if (!status)
        bough_plan_report_text(&report, cli_line_width(), &out);
    if (!status) status = (p->csv ? cli_print_data : cli_print_text)(&out, error);
    bough_plan_report_fini(&report);
    return status;
}

static bough_status answer_stacks(plan *p, bough_error *error) {
    bough_stack_report report;
    bough_text out = {0};
    bough_status status =
        bough_stack_report_find(&p->limits, p->question.limit, cli_on_progress, &report, error);
    if (!status && p->json)
        bough_stack_report_json(&report, &out);
    else if (!status)
        bough_stack_report_text(&report, cli_line_width(), &out);
    if (!status) status = cli_print_text(&out, error);
    free(report.row);
    return status;
}

/* ---- the command ---- */

/* The first option with one of these flags that was given; NULL: none. */
static const char *given(const cli_args *args, unsigned flags) {
    for (const question_key *k = keys; k->name; k++)
        if (k->flags & flags && cli_has(args, k->name)) return k->name;
    return NULL;
}

/* Refuses options that do not fit. Returns CLI_GO, or the exit status. */
static int check_options(const cli_args *args) {
    const char *packaging = args->positionals ? NULL : cli_value(args, "packaging"), *wrong;
    if (packaging && strcmp(packaging, "transit") != 0)
        return cli_wrong("plan", "no packaging '%s'; there is transit", packaging);
    if (packaging && (wrong = given(args, OF_TREES)))
        return cli_wrong("plan", "--%s does not apply to --packaging transit", wrong);
    if (packaging) return CLI_GO;
    if ((wrong = given(args, OF_STACKS)))
        return cli_wrong("plan", "--%s requires --packaging transit", wrong);
    if (!cli_has(args, "job") && (wrong = given(args, OF_JOB)))
        return cli_wrong("plan", "--%s requires --job", wrong);
    if (cli_has(args, "json") && cli_has(args, "csv"))
        return cli_wrong("plan", "--json and --csv are mutually exclusive");
    if (args->positionals || !cli_has(args, "hosts") || !cli_has(args, "radix"))
        return cli_wrong("plan", "plan needs --hosts and --radix, or --packaging transit, and takes no other "
                                 "arguments without a dash");
    return CLI_GO;
}

int plan_command(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    plan p = {.question = {.ask.taper = 1, .job.routing = "dmodk"}, .limits = bough_stack_limits_default};
    int code = cli_parse(&plan_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    code = check_options(&args);
    if (code == CLI_GO) {
        bough_status status = keys_read(keys, &args.given, NULL, &p, &error);
        p.question.job.registry = args.registry;
        TRY((p.packaging ? answer_stacks : answer_trees)(&p, &error));
        code = status ? cli_fail(&error) : 0;
    }
    cli_args_fini(&args);
    return code;
}
