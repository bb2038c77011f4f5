#ifndef BOUGH_REPORT_TABLES_RESULT_JSON_H
#define BOUGH_REPORT_TABLES_RESULT_JSON_H

#include "base/json/json_writer.h"
#include "study/study.h"

/* "network", "faults" where there are some, "routings", "traffic" of a resolved point. */
void result_put_inputs(json_writer *w, const bough_study_point *point);
/* "premises" of an answer that breaks some. */
void result_put_premises(json_writer *w, const bough_answer *answer);

#endif
