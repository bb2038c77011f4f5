/* Any bytes as AICB's list (or, where they begin with H, SimAI's layers; with <, a program of MSCCL): refused
 * with a place and a reason, or a schedule in which every message has its receive. */
#include "formats/workloads/msccl.h"
#include "fuzz/must.h"
#include "traffic/training/training.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static uint64_t items(const training *t) {
    uint64_t count = 0;
    for (size_t s = 0; s < t->stages; s++) count += t->stage[s].count;
    return count;
}

static void look_at_program(const bough_input *input) {
    bough_error error = {0};
    msccl m = {0};
    if (msccl_read(input, &m, &error)) MUST(*error.place && *error.reason && !strchr(error.reason, '\n'));
    arena_fini(&m.memory);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bough_input input;
    bough_error error = {0};
    training t = {0};
    bough_schedule *s = NULL;
    training_options options = {"ring", 10, 1};
    bool simai = size > 0 && data[0] == 'H';
    if (bough_input_from("fuzz", data, size, &input, &error)) return 0;
    if (size > 0 && data[0] == '<') look_at_program(&input);
    bough_status status = simai ? training_read_simai(&input, &(training_room){0, 8, 2}, &t, &error)
                                : training_read_aicb(&input, size % 2, &t, &error);
    if (status) {
        MUST(*error.place && *error.reason && !strchr(error.reason, '\n'));
    } else if (t.ranks <= 32 && items(&t) <= 64) {
        status = training_schedule(&t, &options, &s, &error);
        MUST(status ? *error.place && *error.reason : s->sends == s->recvs && s->ranks == t.ranks);
    }
    bough_schedule_destroy(s);
    arena_fini(&t.memory);
    bough_input_fini(&input);
    return 0;
}
