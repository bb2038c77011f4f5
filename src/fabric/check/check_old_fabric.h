#ifndef BOUGH_FABRIC_CHECK_CHECK_OLD_FABRIC_H
#define BOUGH_FABRIC_CHECK_CHECK_OLD_FABRIC_H

#include "fabric/check/check.h"

/* Opens the old network and its routing, where the question asks for them, and compares the files. The report
 * has its network and routings. Before the long work. */
bough_status check_old_fabric_open(const bough_check_question *question, bough_check_report *report,
                                   bough_error *error);
/* Compares the routings, after the check of the first one under the same options. */
bough_status check_old_fabric_compare(const bough_check_options *options, bough_check_report *report,
                                      bough_error *error);
void check_old_fabric_fini(bough_check_against *against);

#endif
