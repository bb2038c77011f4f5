/* Measured counters, in the report of a check. */
#ifndef BOUGH_REPORT_COUNTERS_CHECK_COUNTERS_REPORT_H
#define BOUGH_REPORT_COUNTERS_CHECK_COUNTERS_REPORT_H

#include "base/json/json_writer.h"
#include "report/check/check_writer.h"
#include "report/tables/text_table.h"

/* Nothing where none were asked for. */
void check_counters_text(check_writer *w);
void check_put_counters(json_writer *w, const bough_check_report *report);
/* A list of links of the fit that is best, or of the busiest ones. */
typedef struct counters_list {
    const char *title;
    const uint64_t *link;
    size_t count;
    bool wait; /* with ticks of PortXmitWait */
} counters_list;
enum { COUNTERS_LISTS = 3 };

/* Links that carry more than predicted, or less, or that waited. */
size_t check_counters_lists(const bough_counters *counters, counters_list list[COUNTERS_LISTS]);
/* Links by use. Returns list->link, which the caller frees; NULL if memory is exhausted. */
uint64_t *check_counters_busy(const bough_check_report *report, counters_list *list);
/* Heads and the first rows of a list. */
void check_counters_table(const bough_check_report *report, const counters_list *list, size_t rows,
                          text_table *t);
/* Errors at one end of a cable: "; leaf1/19: SymbolErrorCounter 12, LinkDownedCounter 1", or nothing. */
void check_counters_errors(const bough_net *net, const bough_counted_cable *cable, int end, bough_text *out);
/* The traffic of all counted links as lines of --links; the method is `counters`. */
bough_status check_counters_csv(bough_text *out, const bough_check_report *report, bough_error *error);

#endif
