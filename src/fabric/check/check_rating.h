/* One word for each routing, and which of several is better. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_RATING_H
#define BOUGH_FABRIC_CHECK_CHECK_RATING_H

#include "fabric/check/check.h"

/* Fills report->wiring_score; needs its network, rates and single points. */
bough_status check_wiring_score(bough_check_report *report, bough_error *error);
/* Fills report->tables_score; needs the results of all parts. */
bough_status check_tables_score(bough_check_report *report, bough_error *error);
/* Fills the rating of a part; needs report->tables_score. */
void check_rating_find(const bough_check_report *report, bough_routing_report *part);
/* Fills report->better from the results of two parts or more. */
bough_status check_ratings_compare(bough_check_report *report, bough_error *error);

#endif
