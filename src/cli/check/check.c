/* bough check: a real fabric, its tables, and a verdict. */
#include "bough/check.h"
#include "base/files/output.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "bough/faults.h"
#include "bough/report.h"
#include "cli/check/check_print.h"
#include "cli/cli.h"
#include "cli/network_argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"lft", 0, "TABLES",
     "forwarding tables: opensm-lfts.dump, opensm.fdbs, ibroute or dump_fts output,\n"
     "one file or a directory of per-switch files; repeat it to compare",
     CLI_REPEAT},
    {"routing", 0, "R", "any other routing (see `bough list routings`); repeat it to compare", CLI_REPEAT},
    {"faults", 0, "SPEC",
     "each:cable or each:switch: every single failure, the worst first; links:share=0..10%: a curve of\n"
     "degradation, also with `step 2%`; any other (`bough list faults`): the fabric without it; repeatable",
     CLI_REPEAT},
    {"job", 0, "TRAFFIC",
     "which routing is better for this job (`bough list traffic`): the fullest link, and when\nit is done; "
     "repeatable",
     CLI_REPEAT},
    {"against", 0, "OLD",
     "what has changed since the fabric file OLD: hosts, cables, paths, loads; a --routing\nis computed for "
     "OLD too",
     0},
    {"against-lft", 0, "TABLES", "the tables of OLD, to compare --lft with", 0},
    {"order", 0, "ORDER", "of the endpoints: lid (default), guid, name, or a file of names or LIDs", 0},
    {"endpoints", 0, "REGEX", "only adapters whose name matches", 0},
    {"aggregation", 0, NULL, "count aggregation nodes as endpoints", 0},
    {"trials", 0, "N",
     "random permutations to draw (default 100), draws for each share of --faults (20), draws\n"
     "of a --job (until its interval is 1 %, at most 100)",
     0},
    {"seed", 0, "S", "of the random permutations (default 1)", 0},
    {"threads", 0, "T", "threads (default: all cores)", 0},
    {"worst", 0, NULL,
     "find the worst permutation, however long it takes (the text has it anyway for up to\n"
     "1024 endpoints under tables and other routings that do not choose)",
     0},
    {"permutation", 0, "FILE", "write the worst permutation to FILE, which messages:FILE reads", 0},
    {"findings", 0, "N", "findings to print of each kind (default 6; 0: all)", 0},
    {"fail-on", 0, "SEVERITY", "exit with 3 when there is a finding of warn or error, or worse", 0},
    {"json", 0, NULL, "one JSON object", 0},
    {"html", 0, "FILE", "write a page with drawings to FILE", 0},
    CLI_OPTIONS_END,
};

static const cli_usage usage = {
    "check", "FABRIC [--lft TABLES]... [--worst] [--html FILE]", "analyse a real fabric and its routing",
    options,
    "FABRIC is the output of ibnetdiscover (plain or -p), an ORCS dot file, a list of cables (.csv), an "
    "anynet or a "
    ".topo; - and .gz work.\n"
    "A network spec (xgft:down=...) is taken too. Without tables every minimal path is used at random.\n"};

/* The routings asked for, in the order of the command line; the network's default when there are none. */
static bough_status make_routings(const cli_args *args, const bough_net *net, check_report *report,
                                  bough_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < args->values; i++)
        count += strcmp(args->option[i]->name, "lft") == 0 || strcmp(args->option[i]->name, "routing") == 0;
    bough_status status = bough_alloc(&report->part, count ? count : 1, sizeof *report->part, error);
    if (!status && count == 0) {
        report->parts = 1;
        return bough_routing_create(net, NULL, &report->part[0].routing, error);
    }
    for (size_t i = 0; i < args->values && !status; i++) {
        bool lft = strcmp(args->option[i]->name, "lft") == 0;
        if (!lft && strcmp(args->option[i]->name, "routing") != 0) continue;
        bough_text spec = {0};
        if (lft) {
            bough_text_put(&spec, "lft:file=");
            bough_text_put_quoted(&spec, args->value[i]);
        } else {
            bough_text_put(&spec, args->value[i]);
        }
        char *text = bough_text_take(&spec);
        if (!text) status = bough_fail_memory(error, strlen(args->value[i]));
        TRY(bough_routing_create(net, text, &report->part[report->parts++].routing, error));
        free(text);
    }
    return status;
}

static void show_progress(void *context, double share) {
    cli_progress_show(context, share, "following all pairs");
}

static void show_search(void *context, double share) {
    cli_progress_show(context, share, "looking for the worst permutation");
}

/* Up to here it takes less than a second, and nobody needs to ask. */
#define CHEAP_ENDPOINTS 1024

static bough_status find_worst(const check_report *report, check_part *part, const bough_check_options *check,
                               bough_error *error) {
    bool cheap = report->net->endpoints <= CHEAP_ENDPOINTS && bough_routing_deterministic(part->routing);
    if (!report->worst_asked && !(cheap && report->worst_shown)) return BOUGH_OK;
    bough_adversary_options o = {.threads = check->threads,
                                 .stop = check->stop,
                                 .progress = show_search,
                                 .progress_context = check->progress_context};
    bough_status status = bough_adversary_find(part->routing, &o, &part->worst, error);
    part->worst_known = !status;
    return status;
}

static void show_failures(void *context, double share) {
    cli_progress_show(context, share, "looking at failures");
}

static bough_status find_failures(const cli_args *args, const check_faults *faults, check_part *part,
                                  const bough_check_options *check, bough_error *error) {
    bough_failures_options o = {.threads = check->threads,
                                .stop = check->stop,
                                .progress = show_failures,
                                .progress_context = check->progress_context};
    const bough_net *net = part->routing->net;
    uint64_t draws = 20;
    bough_status status = cli_integer(args, "trials", faults->curves > 0, 1000000, &draws, error);
    return status ? status
                  : check_failures_find(faults, net->faults ? net->faults->base : net, part->routing, draws,
                                        &o, &part->failures, &part->findings, error);
}

static bough_status write_worst(const cli_args *args, const check_report *report, bough_error *error) {
    const char *path = cli_value(args, "permutation");
    return path ? bough_adversary_write(report->part[0].routing, &report->part[0].worst, path, error)
                : BOUGH_OK;
}

static bough_status analyse(const cli_args *args, const bough_net *net, const check_faults *faults,
                            check_report *report, bough_error *error) {
    uint64_t trials = 100, seed = 1, threads = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    bough_status status = cli_integer(args, "trials", 0, 1000000, &trials, error);
    TRY(cli_integer(args, "seed", 0, UINT64_MAX, &seed, error));
    TRY(cli_integer(args, "threads", 1, 4096, &threads, error));
    cli_progress progress = {0};
    cli_progress_start(&progress);
    bough_check_options o = {.seed = seed,
                             .permutations = trials,
                             .threads = (unsigned)threads,
                             .stop = cli_catch_signals(),
                             .progress = show_progress,
                             .progress_context = &progress};
    report->seed = seed;
    for (size_t i = 0; i < report->parts && !status; i++) { /* before the long work */
        const bough_routing *routing = report->part[i].routing;
        if (report->worst_asked) status = bough_adversary_check(routing, "the worst permutation", error);
        if (!status && faults->eaches + faults->curves) status = bough_failures_check(routing, error);
    }
    for (size_t i = 0; i < report->parts && !status; i++) {
        check_part *part = &report->part[i];
        status = bough_check_routing(part->routing, &o, &part->result, &part->findings, error);
        TRY(find_worst(report, part, &o, error));
        TRY(find_failures(args, faults, part, &o, error));
    }
    if (!status)
        status =
            check_against_find(&report->against, report->part[0].routing, &o, &report->part[0].result, error);
    cli_progress_end(&progress);
    /* Last: the routing's check refuses what would not fit. */
    TRY(bough_check_wiring(net, &report->wiring, error));
    return status;
}

static bough_status run_jobs(const cli_args *args, const char *spec, const char *faults, check_report *report,
                             bough_error *error) {
    uint64_t threads = 0;
    cli_progress progress;
    bough_study_options o = {.progress = cli_on_progress, .context = &progress};
    bough_status status = cli_integer(args, "threads", 1, 4096, &threads, error);
    TRY(bough_alloc(&report->routings, report->parts, sizeof *report->routings, error));
    for (size_t i = 0; i < report->parts && !status; i++) report->routings[i] = report->part[i].routing;
    if (status || !report->jobs.count) return status;
    o.threads = (unsigned)threads;
    o.stop = cli_catch_signals();
    cli_progress_start(&progress);
    status = check_jobs_run(args, spec, faults, report->routings, report->parts, &o, &report->jobs, error);
    cli_progress_end(&progress);
    return status;
}

static bough_severity worst_finding(const check_report *r) {
    bough_severity worst = BOUGH_INFO;
    const bough_findings *lists[] = {r->net->fabric ? &r->net->fabric->findings : NULL, &r->wiring,
                                     &r->against.findings};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; lists[k] && i < lists[k]->count; i++)
            if (lists[k]->item[i].severity > worst) worst = lists[k]->item[i].severity;
    for (size_t p = 0; p < r->parts; p++) {
        const bough_findings *of[] = {&r->part[p].findings, &r->part[p].routing->findings};
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < of[k]->count; i++)
                if (of[k]->item[i].severity > worst) worst = of[k]->item[i].severity;
    }
    return worst;
}

static void report_fini(check_report *r) {
    for (size_t i = 0; i < r->parts; i++) {
        bough_check_fini(&r->part[i].result);
        bough_findings_fini(&r->part[i].findings);
        bough_adversary_fini(&r->part[i].worst);
        check_failures_fini(&r->part[i].failures);
        bough_routing_destroy(r->part[i].routing);
    }
    free(r->part);
    free(r->routings);
    check_jobs_fini(&r->jobs);
    check_against_fini(&r->against);
    bough_findings_fini(&r->wiring);
}

int bough_verb_check(int argc, char **argv) {
    cli_args args;
    bough_error error = {0};
    bough_net *whole = NULL, *faulty = NULL;
    char *spec = NULL;
    check_report report = {0};
    check_faults faults = {0};
    uint64_t shown = 6;
    int code = cli_parse(&usage, argc, argv, &args);
    if (code != CLI_GO) return code;
    const char *fail_on = cli_value(&args, "fail-on"), *permutation = cli_value(&args, "permutation");
    const char *page = cli_value(&args, "html");
    if (args.positionals != 1) {
        code = cli_wrong("check", "check needs exactly one fabric file");
        goto done;
    }
    if (fail_on && strcmp(fail_on, "warn") != 0 && strcmp(fail_on, "error") != 0) {
        code = cli_wrong("check", "--fail-on is warn or error, not '%s'", fail_on);
        goto done;
    }
    bough_status status = cli_integer(&args, "findings", 0, 1000000, &shown, &error);
    TRY(cli_network_spec(&args, args.positional[0], true, &spec, &error));
    TRY(check_faults_read(&args, &faults, &error));
    TRY(check_jobs_read(&args, &report.jobs, &error));
    TRY(bough_net_create(spec, &whole, &error));
    if (!status && faults.missing) status = bough_net_with_faults(whole, faults.missing, &faulty, &error);
    const bough_net *net = report.net = faulty ? faulty : whole;
    TRY(make_routings(&args, net, &report, &error));
    report.worst_asked = cli_has(&args, "worst") || permutation;
    report.worst_shown = !cli_has(&args, "json") || page;
    if (!status && permutation && report.parts > 1)
        status = bough_fail(&error, BOUGH_INVALID, NULL,
                            "--permutation writes that of one routing, and %zu are given", report.parts);
    if (!status && permutation) status = bough_output_check(permutation, &error);
    if (!status && page) status = bough_report_html_check(&error);
    if (!status && page) status = bough_output_check(page, &error);
    TRY(check_against_open(&args, report.part[0].routing, report.parts, &report.against, &error));
    TRY(analyse(&args, net, &faults, &report, &error));
    TRY(run_jobs(&args, spec, faults.missing, &report, &error));
    TRY(write_worst(&args, &report, &error));
    if (!status && page) status = check_write_page(&report, &args, page, &error);
    TRY(cli_has(&args, "json") ? check_print_json(&report, &error)
                               : check_print_text(&report, shown, &error));
    code = status ? cli_fail(&error) : 0;
    if (!status && fail_on &&
        worst_finding(&report) >= (strcmp(fail_on, "warn") == 0 ? BOUGH_WARN : BOUGH_ERROR))
        code = 3;
done:
    report_fini(&report);
    check_faults_fini(&faults);
    bough_net_destroy(faulty);
    bough_net_destroy(whole);
    free(spec);
    cli_args_fini(&args);
    return code;
}
