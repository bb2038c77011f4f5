#include "report/tables/precision_note.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Near saturation, from this many times the latency of the empty network on, means of short trials are
 * skewed: their relative standard deviation is above the second number. Trials of an interval that this makes
 * too narrow. */
static const double SKEWED_FROM = 1.5, SPREAD_FROM = 0.02;
enum { FEW_FOR_SKEWED = 64 };

static const bough_stats *stats_of(const bough_answer *a, bough_metric_id metric) {
    for (size_t i = 0; i < a->cells; i++)
        if (a->cell[i].metric == metric && a->cell[i].index == BOUGH_NO_ROW_INDEX) return &a->cell[i].stats;
    return NULL;
}

/* Whether the rule stopped the trials of a stream as soon as an interval was narrow by chance: measured over
 * 150 runs, intervals of 16 to 28 trials cover 89 % near saturation. */
static bool is_skewed(const bough_study *study, const bough_answer *a) {
    const bough_stats *latency = stats_of(a, BOUGH_METRIC_LATENCY),
                      *links = stats_of(a, BOUGH_METRIC_DISTANCE), *flits = stats_of(a, BOUGH_METRIC_OFFERED),
                      *messages = stats_of(a, BOUGH_METRIC_OFFERED_MESSAGES);
    if (!(study->effort.precision > 0) || a->exact || a->outcome != BOUGH_RUN_OK ||
        a->trials >= FEW_FOR_SKEWED || !latency || !links || !flits || !messages || latency->count < 2)
        return false;
    double empty = flits->mean / messages->mean + links->mean - 1;
    double spread = sqrt(latency->m2 / (double)(latency->count - 1)) / latency->mean;
    return latency->mean > SKEWED_FROM * empty && spread > SPREAD_FROM;
}

/* As many digits as part the two: 2.03 % and 2 %. */
void precision_note_put(bough_text *out, const bough_study *study, const bough_answer *a) {
    const double reached = 100 * a->imprecision, asked = 100 * study->effort.precision;
    char have[40], want[40];
    if (is_skewed(study, a))
        bough_text_printf(out,
                          "near saturation, where intervals of %" PRIu64
                          " short trials may cover less than 95 %%; "
                          "use more messages, or --trials %d without --precision%s",
                          a->trials, 2 * FEW_FOR_SKEWED, a->imprecision > 0 ? "; " : "");
    if (!(a->imprecision > 0)) return;
    snprintf(want, sizeof want, "%.3g", asked);
    for (int digits = 2; digits < 17; digits++) {
        snprintf(have, sizeof have, "%.*g", digits, reached);
        if (strtod(have, NULL) > strtod(want, NULL)) break;
    }
    bough_text_printf(out, "%s is known to %s %%, not to %s %%, after %" PRIu64 " trials, the most allowed",
                      bough_metrics[a->imprecise].name, have, want, a->trials);
}
