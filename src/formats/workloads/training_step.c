#include "formats/workloads/training_step.h"

bough_status training_new_stage(training *t, bough_error *error) {
    bough_status status = arena_grow(&t->memory, &t->stage, t->stages + 1, sizeof *t->stage, error);
    if (!status) t->stage[t->stages++] = (training_stage){0};
    return status;
}

bough_status training_add(training *t, training_item item, bough_error *error) {
    training_stage *s = &t->stage[t->stages - 1];
    bough_status status = arena_grow(&t->memory, &s->item, s->count + 1, sizeof *s->item, error);
    if (!status) s->item[s->count++] = item;
    return status;
}
