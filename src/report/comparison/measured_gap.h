/* Where a measured time and a predicted one part: the most loaded link of the prediction. */
#ifndef BOUGH_REPORT_COMPARISON_MEASURED_GAP_H
#define BOUGH_REPORT_COMPARISON_MEASURED_GAP_H

#include "base/json/json_writer.h"
#include "base/text/text.h"
#include "study/study.h"

/* A ratio of times above this, or below its inverse, is a gap. */
#define MEASURED_GAP 1.25

/* The remark on an answer from a table, for each prediction under the same routing whose completion_time
 * parts from it: "1.83 times the completion_time of flow; the most loaded link of flow is h3 -> s1.0, used
 * 93.1 % of the time". Nothing for other answers, and if there is no gap. */
void measured_gap_put(bough_text *out, const bough_study_point *point, const bough_answer *given);
/* The same as the array "measured_gaps" of a point; nothing if there is no gap. */
void measured_gap_json(json_writer *w, const bough_study_point *point);

#endif
