#include "report/tables/precision_note.h"

#include <inttypes.h>

void precision_note_put(bough_text *out, const bough_study *study, const bough_answer *a) {
    if (!(a->imprecision > 0)) return;
    bough_text_printf(
        out, "%s is known to %.2g %%, not to %.3g %%, after %" PRIu64 " trials, the most allowed",
        bough_metrics[a->imprecise].name, 100 * a->imprecision, 100 * study->effort.precision, a->trials);
}
