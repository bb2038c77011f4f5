/* What the methods of a study assume about the machine: what all share, and in what they differ. */
#ifndef BOUGH_STUDY_ASSUMPTION_LINES_H
#define BOUGH_STUDY_ASSUMPTION_LINES_H

#include "base/json/json_writer.h"
#include "base/text/text.h"
#include "study/study.h"

/* "assumes: ...", and "points differ: ..." and "methods differ: ..." if they do; nothing if no method states
 * an assumption. line: width. */
void assumption_lines_put(bough_text *out, const bough_study *study, size_t line);
/* "assumptions": an entry for each answer of a point. */
void assumption_lines_json(json_writer *w, const bough_study_point *point);

#endif
