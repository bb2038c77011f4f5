/* Writers: the results of a study as a table for people, as CSV, as JSON and as a page of charts; the report
 * of a check as text, as JSON and as a page with drawings. They only read; each returns a heap string (*text,
 * to be freed by the caller) that ends with a line end.
 *
 * single: the study is one point (`bough sim`): the JSON is that point's object, the table has a line for
 * each metric. */
#ifndef BOUGH_REPORT_REPORT_H
#define BOUGH_REPORT_REPORT_H

#include "fabric/check/check.h"
#include "fabric/tune/tune.h"
#include "study/study.h"

typedef struct bough_table_options {
    bool single;  /* see above; comparisons follow below the table */
    bool colours; /* escape sequences: bold headline metrics, red saturated and yellow partial results */
    size_t width; /* of a line, in characters; 0: 80 */
    /* Lines of metrics: where an answer has many, the main ones (method/metric.h); or only these,
     * [BOUGH_METRIC_COUNT]; NULL: all. */
    bool brief;
    const bool *only;
} bough_table_options;
/* Aligned columns: the axes that vary, routing and method, then - where study->plot names metrics - those
 * side by side, else a line for each metric. Numbers are rounded, with SI prefixes. Folded to the width where
 * that is possible. options may be NULL. */
bough_status bough_report_table(const bough_study *study, const bough_table_options *options, char **text,
                                bough_error *error);

/* A header, then a line for each point, answer, metric and index (RFC 4180). Columns: the axes, network,
 * routing, traffic, method, metric, index, unit, mean, ci95, min, max, trials, status. Empty: index where
 * there is none, ci95 of exact values and of single trials. Numbers read back to the last bit. */
bough_status bough_report_csv(const bough_study *study, char **text, bough_error *error);
/* The same for spreadsheets: a cell that begins with = + - @ or a tab, and is no number, would be taken for a
 * formula; it gets a ' before it. */
bough_status bough_report_csv_safe(const bough_study *study, char **text, bough_error *error);

/* What every directed link carries: a header, then a line for each link that faults have left, for each
 * answer of a method that has such loads (linkload, flow). Columns: docs/interchange.md. Means over the
 * trials of the answer; expected values under random selection. study: resolved and run, of one point; its
 * point is bound again. stop: may be NULL. Errors: INVALID without such a method; those of methods;
 * INTERRUPTED. Cost: that of following all messages of all trials. */
bough_status bough_report_links_csv(bough_study *study, const atomic_bool *stop, char **text,
                                    bough_error *error);

/* Files of the timeline of a schedule: trial 0 of the point, which is run once more and recorded. The study
 * has one method out of flow, packet, worm and loggops, and one routing. Formats: docs/timeline.md. */
typedef struct bough_timeline_request {
    const char *trace;    /* events for Chrome and Perfetto, JSON */
    const char *messages; /* a line for each message, CSV */
    const char *link_use; /* what links carried over time, CSV; each NULL: not wanted; .gz: compressed */
    uint32_t first_rank, ranks; /* in the trace; ranks 0: all */
    const char *page;    /* the page of bough_report_html, which says first where the time goes; NULL: none */
    const char *command; /* that makes this page again, for a person; NULL: unknown */
} bough_timeline_request;
/* Checks, after bough_study_resolve and before the run, the method, the size and the paths. Errors: INVALID;
 * TOO_LARGE for the memory, or for a trace of more than 4 million events. */
bough_status bough_report_timeline_check(bough_study *study, const bough_timeline_request *request,
                                         bough_error *error);
/* stop: may be NULL. Errors: those of the method; IO, NO_MEMORY, INTERRUPTED. */
bough_status bough_report_timeline(bough_study *study, const bough_timeline_request *request,
                                   const atomic_bool *stop, bough_error *error);

/* One object; see docs/json.md. null, never NaN; exact values have no ci95. */
bough_status bough_report_json(const bough_study *study, bool single, char **text, bough_error *error);

/* One HTML file that opens without a network: the answer in cards, charts with intervals, the table, all
 * results, each of at most 2000 rows. The same results give the same bytes. Where Node and npm were there
 * when bough was built, a script makes its charts and tables interactive. Cost: 10 KB, 200 bytes a row and 60
 * a point of a chart; a script is 0.8 MB. */
bough_status bough_report_html(const bough_study *study, char **text, bough_error *error);

typedef struct bough_check_text_options {
    uint64_t findings; /* of each kind and severity, at most; 0: all */
    bool colours;      /* escape sequences: red errors, yellow warnings, ratings, bold headings */
    size_t width;      /* of a line, in characters; 0: 80 */
    /* One screen: what is wrong, a line for each routing, what was asked for, and what to ask next. */
    bool brief;
} bough_check_text_options;
/* Folded to the width where that is possible: words are not broken. Names of the fabric and of its files are
 * safe to display. options may be NULL. */
bough_status bough_report_check_text(const bough_check_report *report,
                                     const bough_check_text_options *options, char **text,
                                     bough_error *error);
/* One object; see docs/json.md. */
bough_status bough_report_check_json(const bough_check_report *report, char **text, bough_error *error);

/* Gauges in the text exposition format of Prometheus; names and labels: docs/monitoring.md. */
bough_status bough_report_check_prometheus(const bough_check_report *report, char **text, bough_error *error);
/* A summary in GitHub Flavored Markdown: ratings, a table of figures, findings. Names are escaped. findings:
 * of each severity, at most; 0: all. */
bough_status bough_report_check_markdown(const bough_check_report *report, uint64_t findings, char **text,
                                         bough_error *error);

/* The exit statuses of plugins of monitoring systems (Nagios, Icinga). */
typedef enum bough_monitor_state {
    BOUGH_MONITOR_OK,
    BOUGH_MONITOR_WARNING,
    BOUGH_MONITOR_CRITICAL,
    BOUGH_MONITOR_UNKNOWN
} bough_monitor_state;
typedef struct bough_monitor_options {
    /* Ranges in which the measure of a rating is fine, in percent of what the wiring allows, as the
     * Monitoring Plugins write them; NULL: 80: and 50: */
    const char *warning, *critical;
    bough_severity from; /* of findings that count */
} bough_monitor_options;
/* Errors: INVALID for a range. */
bough_status bough_monitor_check(const bough_monitor_options *options, bough_error *error);
/* One line: FABRIC STATE - text | performance data. Pairs without a route are critical. */
bough_status bough_report_check_monitor(const bough_check_report *report,
                                        const bough_monitor_options *options, bough_monitor_state *state,
                                        char **text, bough_error *error);

/* What every directed link carries, as bough_report_links_csv has it: for each routing under all-to-all and,
 * with jobs, under each job by linkload and flow. */
bough_status bough_report_check_links_csv(const bough_check_report *report, const atomic_bool *stop,
                                          char **text, bough_error *error);

/* What stands around the drawings; borrowed. */
typedef struct bough_check_page {
    const char *command;     /* that makes the page again, for a person; may be NULL */
    const char *const *path; /* [paths]: of input files; their directories are left out wherever they occur */
    size_t paths;
} bough_check_page;
/* One HTML file that opens without a network, interactive or static as above. The same report gives the same
 * bytes, wherever the files were. Its size is bounded for any fabric. */
bough_status bough_report_check_html(const bough_check_report *report, const bough_check_page *page,
                                     char **text, bough_error *error);

#endif
