/* Port counters beside predicted loads: the part of a check that fabric/counters/counters.h describes. */
#ifndef BOUGH_FABRIC_COUNTERS_COUNTERS_INTERNAL_H
#define BOUGH_FABRIC_COUNTERS_COUNTERS_INTERNAL_H

#include "fabric/check/check.h"
#include "fabric/counters/counter_ports.h"

/* Checks what can be checked without the network: at most two files, an interval above 0. */
bough_status counters_check(const bough_check_question *question, bough_error *error);
/* Reads the files and sets report->counters but for its fits and shares. Errors: those of counter_ports_read;
 * INVALID for files in the wrong order; UNSUPPORTED for a network without GUIDs and LIDs of its own. */
bough_status counters_read(const bough_check_question *question, bough_check_report *report,
                           bough_error *error);
/* Compares them with what each routing of the report predicts, and adds findings to report->wiring. */
bough_status counters_compare(const bough_check_question *question, bough_check_report *report,
                              bough_error *error);

/* ---- the steps ---- */

/* The two files; before.port NULL: there is one. */
typedef struct counter_files {
    counter_ports before, after;
} counter_files;
/* Sets what is known of links, and cables with errors. */
bough_status counter_links_find(const bough_net *net, const counter_files *files, bough_counters *counters,
                                bough_error *error);
/* Sets factor, elsewhere and the lists of a fit whose loads are set. */
bough_status counter_fit_find(const bough_net *net, const bough_counters *counters, bough_counters_fit *fit,
                              bough_error *error);
/* Sets the shares of cables by the best fit, and sorts them. */
void counter_cables_rank(const bough_net *net, const bough_link_rates *rates, bough_counters *counters);
bough_status counter_findings_add(const bough_net *net, const bough_counters *counters,
                                  bough_findings *findings, bough_error *error);

#endif
