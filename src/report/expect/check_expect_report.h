/* The cabling against its plan, in the report of a check. */
#ifndef BOUGH_REPORT_EXPECT_CHECK_EXPECT_REPORT_H
#define BOUGH_REPORT_EXPECT_CHECK_EXPECT_REPORT_H

#include "base/json/json_writer.h"
#include "report/check/check_writer.h"

/* Nothing where none was asked for. */
void check_expect_text(check_writer *w);
void check_put_expected(json_writer *w, const bough_check_report *report);

#endif
