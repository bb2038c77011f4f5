#ifndef BOUGH_FABRIC_CHECK_CHECK_AGAINST_H
#define BOUGH_FABRIC_CHECK_CHECK_AGAINST_H

#include "bough/check.h"

/* Opens the old network and its routing, where the question asks for them, and compares the files. The report
 * has its network and routings. Before the long work. */
bough_status check_against_open(const bough_check_question *question, bough_check_report *report,
                                bough_error *error);
/* Compares the routings, after the check of the first one under the same options. */
bough_status check_against_find(const bough_check_options *options, bough_check_report *report,
                                bough_error *error);
void check_against_fini(bough_check_against *against);

#endif
