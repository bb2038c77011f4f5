/* A check as gauges in the text exposition format of Prometheus. Names and labels are a contract
 * (docs/monitoring.md). A value that is not known has no sample, and a metric without samples no lines. */
#include "base/text/escape.h"
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"
#include "fabric/check/finding_groups.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct gauges {
    bough_text out;
    const bough_check_report *report;
    const char *fabric;
    const char *const *name; /* of routings */
    const char *metric, *help;
    bool begun; /* the metric has its HELP and TYPE lines */
} gauges;

/* A further label of a sample. */
typedef struct label {
    const char *name, *value; /* name NULL: none */
} label;

/* ---- lines ---- */

/* Hidden characters are shown as '?' first, so that only these three need an escape. */
static void put_label(bough_text *out, const char *name, const char *value) {
    bough_text shown = {0};
    bough_text_put_shown(&shown, value);
    if (shown.failed) out->failed = true;
    bough_text_printf(out, "%s=\"", name);
    for (const char *at = shown.failed ? "" : shown.data; *at; at++)
        if (*at == '\n')
            bough_text_put(out, "\\n");
        else if (*at == '"' || *at == '\\')
            bough_text_printf(out, "\\%c", *at);
        else
            bough_text_add(out, at, 1);
    bough_text_put(out, "\"");
    bough_text_fini(&shown);
}

/* routing: index, or SIZE_MAX. */
static void put_sample(gauges *g, size_t routing, label more, double value) {
    char number[40];
    if (!isfinite(value)) return;
    if (!g->begun)
        bough_text_printf(&g->out, "# HELP %s %s\n# TYPE %s gauge\n", g->metric, g->help, g->metric);
    g->begun = true;
    bough_text_printf(&g->out, "%s{", g->metric);
    put_label(&g->out, "fabric", g->fabric);
    if (routing != SIZE_MAX) {
        bough_text_put(&g->out, ",");
        put_label(&g->out, "routing", g->name[routing]);
    }
    if (more.name) {
        bough_text_put(&g->out, ",");
        put_label(&g->out, more.name, more.value);
    }
    bough_text_printf(&g->out, "} %s\n", bough_format_real(value, number, sizeof number));
}

/* ---- the fabric ---- */

static void put_version(gauges *g) {
    put_sample(g, SIZE_MAX, (label){"version", BOUGH_VERSION}, 1);
}

static void put_hosts(gauges *g) {
    put_sample(g, SIZE_MAX, (label){0}, (double)g->report->net->endpoints);
}

static void put_switches(gauges *g) {
    put_sample(g, SIZE_MAX, (label){0}, (double)g->report->net->switches);
}

static void put_cables(gauges *g) {
    put_sample(g, SIZE_MAX, (label){0}, (double)g->report->net->cables);
}

static void put_slow_cables(gauges *g) {
    put_sample(g, SIZE_MAX, (label){0}, (double)g->report->rates.slows);
}

static void put_single_points(gauges *g) {
    const bough_single_points *s = &g->report->single;
    if (s->unknown) return;
    put_sample(g, SIZE_MAX, (label){"kind", "cable"}, (double)s->cables);
    put_sample(g, SIZE_MAX, (label){"kind", "switch"}, (double)s->switches);
}

static void put_host_rate(gauges *g) {
    if (g->report->rates.known) put_sample(g, SIZE_MAX, (label){0}, (double)g->report->rates.nominal / 8);
}

static void put_wiring(gauges *g) {
    put_sample(g, SIZE_MAX, (label){0}, g->report->wiring_score);
}

static void put_tables(gauges *g) {
    put_sample(g, SIZE_MAX, (label){0}, g->report->tables_score);
}

static void put_finding_counts(gauges *g) {
    for (int s = BOUGH_INFO; s <= BOUGH_ERROR; s++)
        put_sample(g, SIZE_MAX, (label){"severity", check_severity((bough_severity)s)},
                   (double)findings_count(g->report, (bough_severity)s));
}

/* ---- routings ---- */

static void put_ratings(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++)
        for (int w = BOUGH_RATING_GOOD; w <= BOUGH_RATING_BAD; w++)
            put_sample(g, i, (label){"rating", bough_rating_name((bough_rating_word)w)},
                       (int)g->report->part[i].rating.word == w);
}

static void put_of_tables(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++)
        put_sample(g, i, (label){0}, g->report->part[i].rating.of_tables);
}

static void put_pairs(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++)
        put_sample(g, i, (label){0}, (double)g->report->part[i].result.pairs);
}

static void put_unrouted(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++) {
        const bough_check_result *r = &g->report->part[i].result;
        put_sample(g, i, (label){0}, (double)(r->pairs - r->routed));
    }
}

static void put_loads(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++) {
        const bough_routing_report *part = &g->report->part[i];
        const bough_check_result *r = &part->result;
        put_sample(g, i, (label){"traffic", "all-to-all"}, r->alltoall_max);
        put_sample(g, i, (label){"traffic", "shift"}, r->shift_max);
        put_sample(g, i, (label){"traffic", "random"}, r->random.count ? r->random.mean : NAN);
        put_sample(g, i, (label){"traffic", "worst"}, part->worst_known ? part->worst.load : NAN);
    }
}

static void put_scores(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++) {
        const bough_check_result *r = &g->report->part[i].result;
        put_sample(g, i, (label){"traffic", "all-to-all"}, r->alltoall_score);
        put_sample(g, i, (label){"traffic", "shift"}, r->shift_score);
        put_sample(g, i, (label){"traffic", "random"}, r->random.count ? r->random_score : NAN);
    }
}

static void put_cycles(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++)
        put_sample(g, i, (label){0}, (double)g->report->part[i].result.cycle);
}

static void put_unused(gauges *g) {
    for (size_t i = 0; i < g->report->parts; i++)
        put_sample(g, i, (label){0}, (double)g->report->part[i].result.unused_links);
}

static bool is_repeated(const bough_check_report *report, size_t job) {
    for (size_t i = 0; i < job; i++)
        if (strcmp(report->job[i].traffic, report->job[job].traffic) == 0) return true;
    return false;
}

static void put_jobs(gauges *g) {
    for (size_t j = 0; j < g->report->jobs; j++) {
        const bough_check_job *job = &g->report->job[j];
        for (size_t i = 0; i < g->report->parts && !is_repeated(g->report, j); i++)
            put_sample(g, job->row[i].routing, (label){"job", job->traffic},
                       check_job_ends(&job->row[i]) ? job->row[i].seconds : NAN);
    }
}

/* ---- the list ---- */

static const struct metric {
    const char *name, *help;
    void (*put)(gauges *g);
} metrics[] = {
    {"bough_info", "The version of bough that made these metrics.", put_version},
    {"bough_fabric_hosts", "Endpoints of the fabric: ports of host adapters.", put_hosts},
    {"bough_fabric_switches", "Switches of the fabric.", put_switches},
    {"bough_fabric_switch_cables", "Cables between switches.", put_cables},
    {"bough_fabric_slow_cables", "Cables below the commonest rate of their level.", put_slow_cables},
    {"bough_fabric_single_points",
     "Cables and switches without which endpoints lose each other, except hosts from their own.",
     put_single_points},
    {"bough_fabric_host_rate_bytes_per_second", "Commonest rate of the cables of hosts.", put_host_rate},
    {"bough_fabric_wiring_ratio", "Fraction of the ideal that the wiring allows all-to-all at most.",
     put_wiring},
    {"bough_fabric_tables_ratio",
     "Fraction of the ideal that forwarding tables can reach under all-to-all at most.", put_tables},
    {"bough_check_findings", "Findings of the check.", put_finding_counts},
    {"bough_check_rating", "1 for the rating of the routing, 0 for the others.", put_ratings},
    {"bough_check_of_tables_ratio",
     "Throughput of all-to-all as a fraction of what forwarding tables can reach.", put_of_tables},
    {"bough_check_pairs", "Ordered pairs of different endpoints.", put_pairs},
    {"bough_check_unrouted_pairs", "Ordered pairs of endpoints without a route.", put_unrouted},
    {"bough_check_link_load_max",
     "Flows on the most loaded directed link; of random permutations the mean over the draws.", put_loads},
    {"bough_check_throughput_ratio", "Throughput as a fraction of the ideal; of shifts and draws the mean.",
     put_scores},
    {"bough_check_cycle_links", "Links in a cycle of dependencies on one virtual lane; 0: no deadlock.",
     put_cycles},
    {"bough_check_unused_links", "Directed links that carry nothing between endpoints.", put_unused},
    {"bough_check_job_seconds", "Time of a job until its last message has arrived.", put_jobs},
};

bough_status bough_report_check_prometheus(const bough_check_report *report, char **text,
                                           bough_error *error) {
    char **name = check_names_make(report);
    gauges g = {.report = report,
                .fabric = report->net->fabric ? report->net->fabric->source : report->net->spec,
                .name = (const char *const *)name};
    if (!name) g.out.failed = true;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics && !g.out.failed; i++) {
        g.metric = metrics[i].name;
        g.help = metrics[i].help;
        g.begun = false;
        metrics[i].put(&g);
    }
    free(name);
    return bough_text_finish(&g.out, text, error);
}
