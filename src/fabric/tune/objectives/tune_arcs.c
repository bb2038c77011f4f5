#include "fabric/tune/objectives/tune_model.h"

#include <math.h>

void tune_arcs_score(tune_model *model, bough_tune_score *s) {
    const uint32_t arcs = model->tables->graph->arcs;
    double most = 0, at = 0, squares = 0;
    for (uint32_t a = 0; a < arcs; a++) {
        const double value = model->ops->value(model, a);
        squares += value * value;
        if (value > most) most = value, at = 0;
        at += value == most;
    }
    *s = (bough_tune_score){fmax(most, model->base), most, most >= model->base ? at : 0, squares};
}

uint32_t tune_arcs_peaks(tune_model *model, tune_peak *peak, uint32_t most) {
    const uint32_t arcs = model->tables->graph->arcs;
    double largest = 0;
    uint32_t count = 0;
    for (uint32_t a = 0; a < arcs; a++) largest = fmax(largest, model->ops->value(model, a));
    for (uint32_t a = 0; a < arcs && count < most; a++)
        if (model->ops->value(model, a) == largest) peak[count++] = (tune_peak){a, 0};
    return count;
}
