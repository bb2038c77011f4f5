/* bough plan: fat-trees that meet requirements, their cost, and their load under standard patterns. */
#include "base/json/json_writer.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/cli.h"
#include "cli/plan_stacks.h"
#include "document/narrow_table.h"
#include "document/text_table.h"
#include "fabric/plan/plan.h"
#include "fabric/plan/stack_plan.h"
#include "network/spec_or_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked, and what is printed: `shown` of the trees, the first, the last, and others evenly spaced. */
typedef struct plan {
    bough_plan_ask ask;
    bough_plan_job job;
    bough_stack_limits limits; /* of --packaging */
    const char *packaging;
    uint64_t limit; /* 0: not given */
    bool json, csv;
    bough_plan_tree *tree;
    size_t count, shown;
    bough_plan_loads *load; /* of each tree shown */
    bough_plan_time *time;  /* the same; NULL: no job */
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
        p->ask.hosts = p->limits.hosts = size;
    else
        p->ask.radix = p->limits.radix = (uint32_t)size;
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
    return read_taper(given->value, &((plan *)to)->ask.taper, error);
}

static bough_status take_prices(const key_given *given, void *to, bough_error *error) {
    return bough_prices_read(given->value, &((plan *)to)->ask.prices, error);
}

#define AT(member) offsetof(plan, member)

static const question_key keys[] = {
    {"hosts", 0, "H", "hosts to connect", 0, NULL, KEY_TAKEN, .take = take_size},
    {"radix", 0, "R", "ports per switch", 0, NULL, KEY_TAKEN, .take = take_size},
    {"taper", 0, "T",
     "maximum ratio of endpoints below a subtree to its cables up, as in 2 or 2:1 (default 1: full "
     "bandwidth)",
     OF_TREES, NULL, KEY_TAKEN, .take = take_taper},
    {"levels", 0, "L", "switch levels (default: any up to 4)", OF_TREES, NULL, KEY_SMALL, AT(ask.levels),
     .bounds = {1, BOUGH_PLAN_LEVELS}},
    {"prices", 0, "FILE",
     "price list: lines `item,price` for switch, cable and host; see examples/prices.csv", OF_TREES, "FILE",
     KEY_TAKEN, .take = take_prices},
    {"job", 0, "JOB",
     "the time of a job on every tree: a traffic such as allreduce:size=1GB, or the description of a "
     "training\n"
     "step, NAME.yaml",
     OF_TREES, "TRAFFIC|FILE", KEY_TEXT, AT(job.traffic)},
    {"routing", 0, "R", "routing of the job (default dmodk, static tables; adaptive: that of GPU fabrics)",
     OF_JOB, "ROUTINGS", KEY_TEXT, AT(job.routing)},
    {"spray", 0, NULL, "divide the job's messages over all paths of the routing (adaptive does so anyway)",
     OF_JOB, NULL, KEY_FLAG, AT(job.spray)},
    PHYSICAL_KEY(plan, job.physical),
    {"threads", 0, "N", "threads (default: one per processor)", OF_JOB, NULL, KEY_SMALL, AT(job.threads),
     .bounds = {1, CLI_THREADS_MAX}},
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
     AT(limit), .bounds = {1, 1000}},
    {"seed", 0, "S", "seed of the random permutations (default 1)", OF_TREES, NULL, KEY_WHOLE, AT(job.seed),
     .bounds = {0, UINT64_MAX}, .fallback = 1},
    {"json", 0, NULL, "print one JSON object", 0, NULL, KEY_FLAG, AT(json)},
    {"csv", 0, NULL, "print the trees as CSV", OF_TREES, NULL, KEY_FLAG, AT(csv)},
    KEYS_END,
};

const cli_usage plan_usage = {
    "plan",
    "--hosts H --radix R [--taper T] [--levels L]",
    "Lists costed fat-trees for given hosts and switches.",
    NULL,
    "Only Pareto-optimal trees in cost (without prices: in switches and cables) and taper are listed.\n"
    "The endpoints are spread evenly over the leaf switches; some ports for endpoints may stay free.\n"
    "bisection: cables across the middle, 1 is full. tornado, random: flows on the most loaded link when\n"
    "every endpoint sends to the one half way around, and in a random permutation, under D-mod-K.\n"
    "--job: `job s` is its time by the method flow, and `front` marks the trees that no other beats in time\n"
    "and cost.\n"
    "--packaging transit: all designs of routers in stacks that fit, with the limits of dehon1991 as "
    "defaults.\n",
    {{0}},
    keys};

static const bough_plan_tree *shown_tree(const plan *p, size_t i) {
    return &p->tree[p->shown > 1 ? i * (p->count - 1) / (p->shown - 1) : 0];
}

static void show_search(void *progress, double share) {
    cli_on_progress(progress, share, "trees");
}

static void show_progress(void *progress, double share) {
    cli_on_progress(progress, share, "loads");
}

static void show_job(void *progress, double share) {
    cli_on_progress(progress, share, "job");
}

static void say_how_long(void *progress, double seconds) {
    char text[32];
    (void)progress;
    if (seconds > 60)
        cli_note("the job on all trees takes up to %s; --limit shows fewer trees",
                 cli_format_seconds(seconds, text, sizeof text));
}

static bough_status find_times(plan *p, const bough_plan_tree *const *tree, bough_error *error) {
    bough_status status = bough_alloc(&p->time, p->shown, sizeof *p->time, error);
    if (status) return status;
    cli_progress_step("job");
    p->job.expect = say_how_long;
    p->job.progress = show_job;
    p->job.stop = cli_catch_signals();
    return bough_plan_times_find(tree, p->shown, &p->job, p->time, error);
}

static bough_status find_loads(plan *p, bough_error *error) {
    const bough_plan_tree **tree;
    bough_status status = bough_alloc(&p->load, p->shown, sizeof *p->load, error);
    if (status) return status;
    status = bough_alloc(&tree, p->shown, sizeof *tree, error);
    if (status) return status;
    for (size_t i = 0; i < p->shown; i++) tree[i] = shown_tree(p, i);
    cli_progress_step("loads");
    const bough_plan_loads_options how = {p->job.seed, show_progress, NULL};
    status = bough_plan_loads_find(tree, p->shown, &how, p->load, error);
    if (!status && p->job.traffic) status = find_times(p, tree, error);
    free(tree);
    return status;
}

/* ---- output ---- */

/* A command to copy; one that is wider than a line continues after a backslash. */
static void put_command(bough_text *out, size_t number, const char *spec) {
    static const char rest[] = "--routing dmodk --trials 100";
    char name[32];
    int column = snprintf(name, sizeof name, "%zu  ", number);
    bough_text line = {0};
    bough_text_printf(&line, "%sbough sim %s randperm linkload", name, spec);
    bool fits = line.length + 1 + strlen(rest) <= cli_line_width();
    if (fits)
        bough_text_printf(&line, " %s\n", rest);
    else
        bough_text_printf(&line, " \\\n%*s%s\n", column + 4, "", rest);
    bough_text_join(out, &line);
}

static bough_status print_table(const plan *p, bough_error *error) {
    static const char *const heading[] = {"switches",  "cables",  "free",  "taper",
                                          "bisection", "tornado", "random"};
    const bough_plan_ask *ask = &p->ask;
    text_table table = {0};
    bough_text out = {0};
    char cost[48];
    text_table_head(&table, "", true);
    for (size_t i = 0; i < 7; i++) text_table_head(&table, heading[i], true);
    snprintf(cost, sizeof cost, "cost%s%s", *ask->prices.currency ? " " : "", ask->prices.currency);
    text_table_head(&table, cost, true);
    if (p->time) text_table_head(&table, "job s", true);
    if (p->time) text_table_head(&table, "front", false);
    text_table_end_row(&table);
    for (size_t i = 0; i < p->shown; i++) {
        const bough_plan_tree *t = shown_tree(p, i);
        text_table_add_number(&table, 0, (double)(i + 1));
        text_table_add_number(&table, 0, (double)t->switches);
        text_table_add_number(&table, 0, (double)t->cables);
        text_table_add_number(&table, 0, (double)t->free_ports);
        text_table_add_number(&table, 3, t->taper);
        text_table_add_number(&table, 3, t->bisection);
        text_table_add_number(&table, 0, p->load[i].tornado);
        text_table_add_number(&table, 3, p->load[i].random);
        if (ask->prices.given)
            text_table_add_number(&table, 0, t->cost);
        else
            text_table_add(&table, "");
        if (p->time) text_table_add_number(&table, 4, p->time[i].seconds);
        if (p->time) text_table_add(&table, p->time[i].pareto ? "*" : "");
        text_table_end_row(&table);
    }
    bough_text head = {0};
    bough_text_printf(&head, "%" PRIu64 " hosts, switches of %u ports, taper at most %g: %zu tree%s%s",
                      ask->hosts, ask->radix, ask->taper, p->count, p->count == 1 ? "" : "s, Pareto-optimal",
                      p->shown < p->count ? " (--limit shows more)" : "");
    put_wrapped_text(&out, &head, cli_line_width());
    bough_text_put(&out, "\n");
    text_table_write(&table, &out);
    text_table_fini(&table);
    if (p->time) {
        bough_text job = {0};
        bough_text_printf(&job, "job s: %s by flow under %s, %s", p->job.traffic, p->job.routing,
                          p->time[0].spray ? "messages divided over all paths" : "one path a message");
        bough_text_put(&out, "\n");
        put_wrapped_text(&out, &job, cli_line_width());
    }
    if (p->tree[0].levels > 3)
        bough_text_put(&out,
                       "\nOf trees of four levels only those were tried whose middle switches have as many "
                       "ports up as down.\n");
    bough_text_put(&out, "\n");
    for (size_t i = 0; i < p->shown; i++) put_command(&out, i + 1, shown_tree(p, i)->spec);
    return cli_print_text(&out, error);
}

static void put_network(json_writer *w, const bough_plan_tree *t) {
    json_begin_object(w, "network", true);
    json_put_text(w, "spec", t->spec);
    json_put_whole(w, "endpoints", (int64_t)t->endpoints);
    json_put_whole(w, "switches", (int64_t)t->switches);
    json_put_whole(w, "cables", (int64_t)t->cables);
    json_put_whole(w, "levels", t->levels);
    json_end_object(w);
}

static bough_status print_json(const plan *p, bough_error *error) {
    const bough_plan_ask *ask = &p->ask;
    bough_text out = {0};
    json_writer w = {.out = &out};
    json_begin_document(&w);
    json_put_whole(&w, "hosts", (int64_t)ask->hosts);
    json_put_whole(&w, "radix", ask->radix);
    json_put_real(&w, "taper", ask->taper);
    json_put_text(&w, "currency", ask->prices.given ? ask->prices.currency : NULL);
    if (p->time) {
        json_put_text(&w, "job", p->job.traffic);
        json_put_text(&w, "job_routing", p->job.routing);
        json_put_flag(&w, "job_spray", p->time[0].spray);
    }
    json_put_whole(&w, "found", (int64_t)p->count);
    json_begin_array(&w, "trees", false);
    for (size_t i = 0; i < p->shown; i++) {
        const bough_plan_tree *t = shown_tree(p, i);
        json_begin_object(&w, NULL, true);
        put_network(&w, t);
        json_put_whole(&w, "free_ports", (int64_t)t->free_ports);
        json_put_real(&w, "taper", t->taper);
        json_put_real(&w, "bisection", t->bisection);
        json_put_real(&w, "cost", ask->prices.given ? t->cost : NAN);
        json_put_real(&w, "tornado", p->load[i].tornado);
        json_put_real(&w, "random", p->load[i].random);
        json_put_real(&w, "random_ci95", p->load[i].random_ci95);
        if (p->time) {
            json_put_real(&w, "job_time", p->time[i].seconds);
            json_put_real(&w, "job_time_ci95", isnan(p->time[i].seconds) ? NAN : p->time[i].ci95);
            json_put_flag(&w, "pareto", p->time[i].pareto);
        }
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_document(&w);
    return cli_print_text(&out, error);
}

static void put_value(bough_text *out, double value) {
    bough_text_put(out, ",");
    if (isfinite(value)) bough_text_printf(out, "%.10g", value);
}

static bough_status print_csv(const plan *p, bough_error *error) {
    bough_text out = {0};
    bough_text_put(&out, "network,switches,cables,free_ports,taper,bisection,cost,tornado,random");
    bough_text_put(&out, p->time ? ",job_time,pareto\n" : "\n");
    for (size_t i = 0; i < p->shown; i++) {
        const bough_plan_tree *t = shown_tree(p, i);
        bough_text_put_csv(&out, t->spec);
        bough_text_printf(&out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, t->switches, t->cables, t->free_ports);
        put_value(&out, t->taper);
        put_value(&out, t->bisection);
        put_value(&out, p->ask.prices.given ? t->cost : NAN);
        put_value(&out, p->load[i].tornado);
        put_value(&out, p->load[i].random);
        if (p->time) {
            put_value(&out, p->time[i].seconds);
            bough_text_put(&out, p->time[i].pareto ? ",1" : ",0");
        }
        bough_text_put(&out, "\n");
    }
    return cli_print_data(&out, error);
}

/* ---- the command ---- */

static bough_status find_trees(const cli_args *args, plan *p, bough_error *error) {
    const uint64_t limit = p->limit ? p->limit : 8;
    p->job.registry = args->registry;
    bough_status status = p->job.traffic ? bough_plan_job_check(&p->job, error) : BOUGH_OK;
    cli_progress_step("trees");
    p->ask.progress = show_search;
    TRY(bough_plan(&p->ask, &p->tree, &p->count, error));
    p->shown = p->count < limit ? p->count : (size_t)limit;
    TRY(find_loads(p, error));
    return status;
}

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
    plan p = {.ask.taper = 1, .job.routing = "dmodk", .limits = bough_stack_limits_default};
    int code = cli_parse(&plan_usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    code = check_options(&args);
    if (code == CLI_GO) {
        bough_status status = keys_read(keys, &args.given, &p, &error);
        if (p.packaging) {
            TRY(plan_stacks(&p.limits, p.limit, p.json, &error));
        } else {
            TRY(find_trees(&args, &p, &error));
            TRY((p.json ? print_json : p.csv ? print_csv : print_table)(&p, &error));
        }
        code = status ? cli_fail(&error) : 0;
    }
    FREE_ALL(p.load, p.tree, p.time);
    cli_args_fini(&args);
    return code;
}
