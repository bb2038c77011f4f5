/* Any bytes as the description of a model: refused with a place and a reason, or a step in which every
 * message has its receive. */
#include "fuzz/must.h"
#include "traffic/training/model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void make_schedule(const training_model *model, uint32_t merge) {
    training t = {.file = strdup("fuzz")};
    bough_error error = {0};
    bough_schedule *s = NULL;
    training_options options = {"ring", 10, 1};
    bough_status status = training_from_model(model, merge, &t, &error);
    if (!status) status = training_schedule(&t, &options, &s, &error);
    MUST(status ? *error.reason : s->sends == s->recvs && s->ranks == t.ranks);
    bough_schedule_destroy(s);
    arena_fini(&t.memory);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bough_input input;
    bough_error error = {0};
    training_model model;
    if (bough_input_from("fuzz", data, size, &input, &error)) return 0;
    bough_status status = training_read_model(&input, &model, &error);
    if (status)
        MUST(*error.place && *error.reason && !strchr(error.reason, '\n'));
    else if (training_model_size(&model, 1, 1) < 20000)
        make_schedule(&model, 1 + size % 5);
    bough_input_fini(&input);
    return 0;
}
