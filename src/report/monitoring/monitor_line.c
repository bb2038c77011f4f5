/* A check as one line of a monitoring plugin: FABRIC STATE - text | performance data. */
#include "base/status/try.h"
#include "base/text/escape.h"
#include "fabric/check/check_document.h"
#include "fabric/check/check_words.h"
#include "fabric/check/finding_groups.h"
#include "report/monitoring/threshold.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const states[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

typedef struct monitor {
    const bough_check_report *report;
    const bough_monitor_options *options;
    const char *warning, *critical; /* as they are given */
    threshold warn, crit;
    const char *const *name; /* of routings */
    bough_monitor_state state;
    bough_text text, data;
} monitor;

static void raise_to(monitor *m, bough_monitor_state state) {
    if (state > m->state) m->state = state;
}

static void judge_routing(monitor *m, const bough_routing_report *part) {
    const double percent = 100 * part->rating.of_tables;
    if (part->result.routed < part->result.pairs) raise_to(m, BOUGH_MONITOR_CRITICAL);
    if (isnan(percent)) return;
    if (threshold_alert(&m->warn, percent)) raise_to(m, BOUGH_MONITOR_WARNING);
    if (threshold_alert(&m->crit, percent)) raise_to(m, BOUGH_MONITOR_CRITICAL);
}

static void judge(monitor *m) {
    const bough_check_report *report = m->report;
    for (size_t i = 0; i < report->parts; i++) judge_routing(m, &report->part[i]);
    if (report->severity < m->options->from) return;
    if (report->severity == BOUGH_WARN) raise_to(m, BOUGH_MONITOR_WARNING);
    if (report->severity == BOUGH_ERROR) raise_to(m, BOUGH_MONITOR_CRITICAL);
}

/* ---- the text ---- */

/* Names of others: a pipe would begin the performance data. */
static void put_plain(bough_text *out, const char *text) {
    const size_t from = out->length;
    bough_text_put_shown(out, text);
    for (size_t i = from; i < out->length && !out->failed; i++)
        if (out->data[i] == '|') out->data[i] = '/';
}

static void put_routing(monitor *m, size_t i) {
    const bough_routing_report *part = &m->report->part[i];
    const bough_check_result *r = &part->result;
    bough_text_put(&m->text, i ? "; " : "");
    put_plain(&m->text, m->name[i]);
    bough_text_printf(&m->text, ": %s", bough_rating_name(part->rating.word));
    if (!isnan(part->rating.of_tables))
        bough_text_printf(&m->text, ", %.1f %% of what tables can reach", 100 * part->rating.of_tables);
    if (r->routed < r->pairs)
        bough_text_printf(&m->text, ", %" PRIu64 " of %" PRIu64 " pairs are not routed", r->pairs - r->routed,
                          r->pairs);
}

static const bough_finding *first_of(const finding_group *group, bough_severity severity) {
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; group->list[k] && i < group->list[k]->count; i++)
            if (group->list[k]->item[i].severity == severity) return &group->list[k]->item[i];
    return NULL;
}

/* The first of the worst findings: an alert should say where to go. */
static void put_first(monitor *m, bough_severity severity, bool alone) {
    const bough_finding *f = NULL;
    finding_group group;
    for (size_t i = 0; !f && finding_group_at(m->report, i, &group); i++) f = first_of(&group, severity);
    if (!f) return;
    bough_text_printf(&m->text, "%s %s", alone ? ":" : ", the first", f->kind);
    if (strcmp(f->where, group.name) == 0) return; /* of the whole routing */
    bough_text_put(&m->text, " at ");
    put_plain(&m->text, f->where);
}

static void put_text(monitor *m) {
    const uint64_t errors = findings_count(m->report, BOUGH_ERROR);
    const uint64_t warnings = findings_count(m->report, BOUGH_WARN);
    for (size_t i = 0; i < m->report->parts; i++) put_routing(m, i);
    bough_text_printf(&m->text, "; %" PRIu64 " error%s, %" PRIu64 " warning%s", errors,
                      errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
    if (errors || warnings) put_first(m, errors ? BOUGH_ERROR : BOUGH_WARN, errors + warnings == 1);
    bough_text_printf(&m->text, "; %" PRIu64 " endpoint%s", m->report->net->endpoints,
                      m->report->net->endpoints == 1 ? "" : "s");
}

/* ---- performance data ---- */

/* 'label'=value[UOM];warn;crit;min;max. Of several routings labels end with their names; quotes are doubled,
 * and = may not be in a label. */
static void put_label(monitor *m, const char *what, size_t routing) {
    bough_text label = {0};
    bough_text_put(&label, what);
    if (routing != SIZE_MAX && m->report->parts > 1) {
        bough_text_put(&label, " ");
        put_plain(&label, m->name[routing]);
    }
    if (label.failed) m->data.failed = true;
    bough_text_put(&m->data, m->data.length ? " '" : "'");
    for (const char *at = label.failed ? "" : label.data; *at; at++)
        bough_text_add(&m->data, *at == '=' ? ":" : *at == '\'' ? "''" : at, *at == '\'' ? 2 : 1);
    bough_text_put(&m->data, "'=");
    bough_text_fini(&label);
}

static void put_routing_data(monitor *m, size_t i) {
    const bough_routing_report *part = &m->report->part[i];
    if (!isnan(part->rating.of_tables)) {
        put_label(m, "of_tables", i);
        bough_text_printf(&m->data, "%.2f%%;%s;%s;0;100", 100 * part->rating.of_tables, m->warning,
                          m->critical);
    }
    put_label(m, "unrouted_pairs", i);
    bough_text_printf(&m->data, "%" PRIu64 ";;0;0;%" PRIu64, part->result.pairs - part->result.routed,
                      part->result.pairs);
    put_label(m, "alltoall_max", i);
    bough_text_printf(&m->data, "%.6g;;;0;", part->result.alltoall_max);
}

static void put_counts(monitor *m) {
    static const struct {
        const char *label;
        bough_severity severity;
    } counts[] = {{"errors", BOUGH_ERROR}, {"warnings", BOUGH_WARN}};
    for (size_t i = 0; i < 2; i++) {
        const bool judged = counts[i].severity >= m->options->from;
        put_label(m, counts[i].label, SIZE_MAX);
        bough_text_printf(&m->data, "%" PRIu64 ";%s;%s;0;", findings_count(m->report, counts[i].severity),
                          judged && counts[i].severity == BOUGH_WARN ? "0" : "",
                          judged && counts[i].severity == BOUGH_ERROR ? "0" : "");
    }
    put_label(m, "endpoints", SIZE_MAX);
    bough_text_printf(&m->data, "%" PRIu64 ";;;0;", m->report->net->endpoints);
}

/* ---- the line ---- */

static bough_status read_options(monitor *m, bough_error *error) {
    m->warning = m->options->warning ? m->options->warning : "80:";
    m->critical = m->options->critical ? m->options->critical : "50:";
    bough_status status = threshold_read(m->warning, "--warning", &m->warn, error);
    TRY(threshold_read(m->critical, "--critical", &m->crit, error));
    return status;
}

bough_status bough_monitor_check(const bough_monitor_options *options, bough_error *error) {
    monitor m = {.options = options};
    return read_options(&m, error);
}

bough_status bough_report_check_monitor(const bough_check_report *report,
                                        const bough_monitor_options *options, bough_monitor_state *state,
                                        char **text, bough_error *error) {
    monitor m = {.report = report, .options = options};
    bough_text line = {0};
    bough_status status = read_options(&m, error);
    if (status) return status;
    char **name = check_names_make(report);
    if (!name) return bough_fail_memory(error, report->parts);
    m.name = (const char *const *)name;
    judge(&m);
    put_text(&m);
    for (size_t i = 0; i < report->parts; i++) put_routing_data(&m, i);
    put_counts(&m);
    free(name);
    bough_text_printf(&line, "FABRIC %s - ", states[m.state]);
    bough_text_join(&line, &m.text);
    bough_text_put(&line, " | ");
    bough_text_join(&line, &m.data);
    bough_text_put(&line, "\n");
    *state = m.state;
    return bough_text_finish(&line, text, error);
}
