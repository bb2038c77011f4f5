/* A check as a summary in GitHub Flavored Markdown, for comments of pull requests and job summaries. Its own
 * words begin each line, so that a name never does. */
#include "report/check/check_render.h"
#include "report/check/check_writer.h"
#include "report/comparison/routing_comparison.h"
#include "report/finding_groups.h"
#include "report/monitoring/markdown_text.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct summary {
    bough_text out;
    const bough_check_report *report;
    const char *const *name; /* of routings */
    uint64_t findings;       /* of each severity; 0: all */
} summary;

/* Frees a text, and writes it escaped. */
static void put_own(summary *s, bough_text *text) {
    if (text->failed) s->out.failed = true;
    if (!text->failed && text->data) markdown_put(&s->out, text->data);
    bough_text_fini(text);
}

static void put_head(summary *s) {
    const bough_net *net = s->report->net;
    bough_text_put(&s->out, "## Check of ");
    markdown_put(&s->out, net->fabric ? net->fabric->source : net->spec);
    bough_text_printf(
        &s->out, "\n\n%" PRIu64 " endpoint%s, %" PRIu64 " switch%s, %" PRIu64 " cable%s between switches\n\n",
        net->endpoints, net->endpoints == 1 ? "" : "s", net->switches, net->switches == 1 ? "" : "es",
        net->cables, net->cables == 1 ? "" : "s");
}

static void put_headline(void *context, const char *label, const char *sentence) {
    summary *s = context;
    bough_text_printf(&s->out, "- **%s** ", label);
    markdown_put(&s->out, sentence);
    bough_text_put(&s->out, "\n");
}

static void put_ratings(summary *s) {
    const bough_check_report *report = s->report;
    for (size_t i = 0; i < report->parts; i++) {
        bough_text reason = {0};
        bough_text_printf(&s->out, "- **%s** ", bough_rating_name(report->part[i].rating.word));
        markdown_put(&s->out, s->name[i]);
        bough_text_put(&s->out, ": ");
        check_rating_reason(&reason, report, &report->part[i]);
        bough_text_put(&reason, "; ");
        check_deadlock_phrase(&reason, &report->part[i].result);
        put_own(s, &reason);
        bough_text_put(&s->out, "\n");
    }
    if (report->parts > 1) {
        bough_text comparison = {0};
        routing_comparison_put(&comparison, &(routing_words){report, s->name, CHECK_SIGN});
        bough_text_put(&s->out, "- **comparison** ");
        put_own(s, &comparison);
        bough_text_put(&s->out, "\n");
    }
    s->out.failed |= !check_headlines(report, s->name, put_headline, s);
}

/* ---- figures ---- */

typedef void put_cell(bough_text *out, const bough_routing_report *part);

static void cell_pairs(bough_text *out, const bough_routing_report *part) {
    bough_text_printf(out, "%" PRIu64 " of %" PRIu64, part->result.routed, part->result.pairs);
}

static void put_load(bough_text *out, double load, double score) {
    char number[CHECK_NUMBER];
    bough_text_put(out, check_number(load, number));
    if (isfinite(score)) bough_text_printf(out, " (%.1f %% of the ideal)", 100 * score);
}

static void cell_alltoall(bough_text *out, const bough_routing_report *part) {
    put_load(out, part->result.alltoall_max, part->result.alltoall_share);
}

static void cell_shifts(bough_text *out, const bough_routing_report *part) {
    put_load(out, part->result.shift_mean, part->result.shift_share_mean);
}

static void cell_worst_shift(bough_text *out, const bough_routing_report *part) {
    put_load(out, part->result.shift_max, NAN);
}

static void cell_random(bough_text *out, const bough_routing_report *part) {
    const bough_check_result *r = &part->result;
    char number[CHECK_INTERVAL];
    if (r->random.count)
        bough_text_put(out, check_interval(r->random.mean, bough_stats_ci95(&r->random), CHECK_SIGN, number));
    else
        bough_text_put(out, "-");
}

static void cell_worst(bough_text *out, const bough_routing_report *part) {
    char number[CHECK_NUMBER];
    bough_text_put(out, part->worst_known ? check_number(part->worst.load, number) : "-");
}

static const struct figure {
    const char *name;
    put_cell *put;
} figures[] = {
    {"routed pairs", cell_pairs},
    {"all-to-all: flows on the most loaded link", cell_alltoall},
    {"shifts, mean", cell_shifts},
    {"shifts, worst", cell_worst_shift},
    {"random permutations, mean", cell_random},
    {"worst permutation", cell_worst},
};

static void put_figures(summary *s) {
    const size_t parts = s->report->parts;
    bough_text_put(&s->out, "\n| |");
    for (size_t i = 0; i < parts; i++) {
        bough_text_put(&s->out, " ");
        markdown_put(&s->out, s->name[i]);
        bough_text_put(&s->out, " |");
    }
    bough_text_put(&s->out, "\n|---|");
    for (size_t i = 0; i < parts; i++) bough_text_put(&s->out, "---:|");
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        bough_text_printf(&s->out, "\n| %s |", figures[f].name);
        for (size_t i = 0; i < parts; i++) {
            bough_text_put(&s->out, " ");
            figures[f].put(&s->out, &s->report->part[i]);
            bough_text_put(&s->out, " |");
        }
    }
    bough_text_put(&s->out, "\n");
}

/* ---- findings ---- */

/* A finding about a whole routing is at its spec. */
static const char *place_of(const summary *s, const bough_finding *f) {
    for (size_t i = 0; i < s->report->parts; i++)
        if (strcmp(f->where, s->report->part[i].routing->spec) == 0) return s->name[i];
    return f->where;
}

static void put_finding(summary *s, const bough_finding *f) {
    static const char *const words[] = {"remark", "warning", "**error**"};
    bough_text_printf(&s->out, "| %s | ", words[f->severity]);
    markdown_put(&s->out, place_of(s, f));
    bough_text_put(&s->out, " | ");
    markdown_put(&s->out, f->text);
    bough_text_put(&s->out, " |\n");
}

/* Those of a severity; list may be NULL. Returns how many of `room` are left. */
static uint64_t put_list(summary *s, const bough_findings *list, bough_severity severity, uint64_t room) {
    for (size_t i = 0; list && i < list->count && room; i++) {
        if (list->item[i].severity != severity) continue;
        put_finding(s, &list->item[i]);
        room--;
    }
    return room;
}

static void put_severity(summary *s, bough_severity severity) {
    finding_group group;
    uint64_t room = s->findings ? s->findings : UINT64_MAX;
    for (size_t i = 0; finding_group_at(s->report, i, &group); i++) {
        room = put_list(s, group.list[0], severity, room);
        room = put_list(s, group.list[1], severity, room);
    }
}

static void put_left_out(summary *s) {
    static const char *const words[] = {"remark", "warning", "error"};
    const char *separator = "\nLeft out here: ";
    for (int severity = BOUGH_ERROR; severity >= BOUGH_INFO && s->findings; severity--) {
        const uint64_t all = findings_count(s->report, (bough_severity)severity);
        if (all <= s->findings) continue;
        bough_text_printf(&s->out, "%s%" PRIu64 " %s%s", separator, all - s->findings, words[severity],
                          all - s->findings == 1 ? "" : "s");
        separator = ", ";
    }
    if (*separator == ',') bough_text_put(&s->out, ".\n");
}

static void put_findings(summary *s) {
    uint64_t count[BOUGH_ERROR + 1];
    for (int i = BOUGH_INFO; i <= BOUGH_ERROR; i++) count[i] = findings_count(s->report, (bough_severity)i);
    bough_text_printf(
        &s->out, "\n### Findings: %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " remark%s\n",
        count[BOUGH_ERROR], count[BOUGH_ERROR] == 1 ? "" : "s", count[BOUGH_WARN],
        count[BOUGH_WARN] == 1 ? "" : "s", count[BOUGH_INFO], count[BOUGH_INFO] == 1 ? "" : "s");
    if (count[BOUGH_ERROR] + count[BOUGH_WARN] + count[BOUGH_INFO] == 0) return;
    bough_text_put(&s->out, "\n| severity | where | finding |\n|---|---|---|\n");
    for (int severity = BOUGH_ERROR; severity >= BOUGH_INFO; severity--)
        put_severity(s, (bough_severity)severity);
    put_left_out(s);
}

bough_status bough_report_check_markdown(const bough_check_report *report, uint64_t findings, char **text,
                                         bough_error *error) {
    char **name = check_names_make(report);
    if (!name) return bough_fail_memory(error, report->parts);
    summary s = {.report = report, .name = (const char *const *)name, .findings = findings};
    put_head(&s);
    put_ratings(&s);
    put_figures(&s);
    put_findings(&s);
    free(name);
    return bough_text_finish(&s.out, text, error);
}
