/* The parts of the page of a check that are markup. The summary opens the page in every build; the rest
 * stands where there is no script that shows it. */
#ifndef BOUGH_REPORT_PAGES_FABRIC_HTML_H
#define BOUGH_REPORT_PAGES_FABRIC_HTML_H

#include "report/pages/html.h"

/* What a page without scripts shows at most; more is counted. */
enum {
    FABRIC_HTML_FAILURES = 10, /* of a list, beneath the sentences */
    FABRIC_HTML_ALL = 500,     /* rows of a table that can be opened */
    FABRIC_HTML_FINDINGS = 50, /* of each kind and severity */
    FABRIC_HTML_LINKS = 10,    /* most loaded ones, of a routing */
    FABRIC_HTML_DRAWINGS = 3,  /* one for each routing */
    FABRIC_HTML_POINTS = 600,  /* of a curve over shifts */
};

/* Sentences, shares, failures, jobs, the fabric before a change, measured counters, placements, Slurm's file;
 * nothing where one was not asked for. */
void fabric_html_summary(html_writer *h, const bough_check_report *report);
void fabric_html_shares(html_writer *h, const bough_check_report *report);
void fabric_html_failures(html_writer *h, const bough_check_report *report);
void fabric_html_jobs(html_writer *h, const bough_check_report *report);
void fabric_html_against(html_writer *h, const bough_check_report *report);
void fabric_html_counters(html_writer *h, const bough_check_report *report);
void fabric_html_placements(html_writer *h, const bough_check_report *report);
void fabric_html_slurm(html_writer *h, const bough_check_report *report);

/* Facts; figures, drawings, findings, shifts, links. */
void fabric_html_facts(html_writer *h, const bough_check_report *report);
bough_status fabric_html_rest(html_writer *h, const bough_check_report *report, bough_error *error);

/* The files or the spec of a routing; the second of the same name is "name (2)". buffer: any size. */
const char *fabric_routing_name(const bough_check_report *report, size_t part, char *buffer, size_t size);

#endif
