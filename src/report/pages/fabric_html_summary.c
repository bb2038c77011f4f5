/* The first lines of the page of a check: a sentence for each routing, and bars. */
#include "base/text/escape.h"
#include "report/check/check_render.h"
#include "report/pages/fabric_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *fabric_routing_name(const bough_check_report *report, size_t part, char *buffer, size_t size) {
    static const char tables[] = "lft:file=";
    const char *spec = report->part[part].routing->spec, *name = spec;
    size_t before = 0, length;
    for (size_t i = 0; i < part; i++) before += strcmp(report->part[i].routing->spec, spec) == 0;
    if (strncmp(spec, tables, strlen(tables)) == 0 && spec[strlen(tables)]) name += strlen(tables);
    length = strlen(name);
    if (length > 2 && name[0] == '"' && name[length - 1] == '"') name++, length -= 2;
    if (before)
        snprintf(buffer, size, "%.*s (%zu)", (int)length, name, before + 1);
    else
        snprintf(buffer, size, "%.*s", (int)length, name);
    return buffer;
}

/* ---- sentences ---- */

static bough_severity worst_severity(const bough_routing_report *part) {
    bough_severity worst = BOUGH_INFO;
    const bough_findings *lists[] = {&part->routing->findings, &part->findings};
    for (size_t i = 0; i < part->verdicts; i++)
        if (part->verdict[i].severity > worst) worst = part->verdict[i].severity;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            if (lists[k]->item[i].severity > worst) worst = lists[k]->item[i].severity;
    return worst;
}

static void put_statement(html_writer *h, const bough_verdict *v) {
    bough_text sentence = {0};
    check_sentence(&sentence, v, " ");
    if (sentence.data) html_text(h, sentence.data);
    h->out.failed |= sentence.failed;
    bough_text_fini(&sentence);
}

static void put_sentence(html_writer *h, const bough_check_report *report, size_t i) {
    static const char *const mark[] = {
        [BOUGH_INFO] = "\xe2\x9c\x94", [BOUGH_WARN] = "\xe2\x96\xb2", [BOUGH_ERROR] = "\xe2\x9c\x96"};
    static const char *const kind[] = {[BOUGH_INFO] = "good", [BOUGH_WARN] = "usable", [BOUGH_ERROR] = "bad"};
    const bough_routing_report *part = &report->part[i];
    bough_severity worst = worst_severity(part);
    char name[1000];
    bough_text_printf(&h->out, "<p class=\"rating %s\"><span aria-hidden=\"true\">%s</span> <strong>",
                      kind[worst], mark[worst]);
    html_text(h, fabric_routing_name(report, i, name, sizeof name));
    html_put(h, "</strong>:");
    for (size_t k = 0; k < part->verdicts; k++) {
        html_put(h, " ");
        put_statement(h, &part->verdict[k]);
    }
    html_put(h, "</p>\n");
}

static uint64_t count_findings(const bough_findings *list, bough_severity severity) {
    uint64_t count = 0;
    for (size_t i = 0; list && i < list->count; i++) count += list->item[i].severity == severity;
    return count;
}

static uint64_t count_all(const bough_check_report *report, bough_severity severity) {
    const bough_net *net = report->net;
    uint64_t count = count_findings(net->fabric ? &net->fabric->findings : NULL, severity) +
                     count_findings(&report->wiring, severity) +
                     count_findings(&report->against.findings, severity);
    for (size_t i = 0; i < report->parts; i++)
        count += count_findings(&report->part[i].findings, severity) +
                 count_findings(&report->part[i].routing->findings, severity);
    return count;
}

static void put_counts(html_writer *h, const bough_check_report *report) {
    uint64_t errors = count_all(report, BOUGH_ERROR), warnings = count_all(report, BOUGH_WARN),
             remarks = count_all(report, BOUGH_INFO);
    html_put(h, "<p>");
    if (errors + warnings + remarks)
        html_textf(h, "Findings: %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " remark%s.", errors,
                   errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s", remarks,
                   remarks == 1 ? "" : "s");
    else
        html_put(h, "There are no findings.");
    html_put(h, "</p>\n");
}

void fabric_html_summary(html_writer *h, const bough_check_report *report) {
    html_begin_section(h, "summary", "Summary");
    for (size_t i = 0; i < report->parts; i++) put_sentence(h, report, i);
    put_counts(h, report);
    fabric_html_shares(h, report);
    html_element(h, "p class=\"note\"", "Not looked at: " CHECK_NOT_LOOKED_AT);
    html_end_section(h);
    fabric_html_failures(h, report);
    fabric_html_jobs(h, report);
    fabric_html_against(h, report);
}
