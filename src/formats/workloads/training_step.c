#include "formats/workloads/training_step.h"

#include "base/memory/memory.h"

#include <stdlib.h>

void training_fini(training *t) {
    for (size_t s = 0; s < t->stages; s++) free(t->stage[s].item);
    FREE_ALL(t->stage, t->file);
    *t = (training){0};
}

bough_status training_new_stage(training *t, bough_error *error) {
    bough_status status = bough_grow(&t->stage, &t->stage_capacity, t->stages + 1, sizeof *t->stage, error);
    if (!status) t->stage[t->stages++] = (training_stage){0};
    return status;
}

bough_status training_add(training *t, training_item item, bough_error *error) {
    training_stage *s = &t->stage[t->stages - 1];
    bough_status status = bough_grow(&s->item, &s->capacity, s->count + 1, sizeof *s->item, error);
    if (!status) s->item[s->count++] = item;
    return status;
}
