/* The remark on an answer that used all trials before it reached the requested precision. */
#ifndef BOUGH_REPORT_TABLES_PRECISION_NOTE_H
#define BOUGH_REPORT_TABLES_PRECISION_NOTE_H

#include "base/text/text.h"
#include "study/study.h"

/* "rounds is known to 6.8 %, not to 1 %, after 20 trials"; nothing if the precision was reached. */
void precision_note_put(bough_text *out, const bough_study *study, const bough_answer *answer);

#endif
