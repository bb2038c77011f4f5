/* Any bytes as recorded programs: MPI traces where they begin with M or #, one rank after the other with a
 * NUL between them; otherwise a Chakra trace of three ranks. Refused with a reason, or a schedule that is
 * whole. */
#include "formats/traces/recorded_readers.h"
#include "fuzz/must.h"
#include "traffic/recorded/recording_schedule.h"

#include <string.h>

enum { RANKS_MAX = 6 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static bough_status read_mpi(const char *text, size_t size, recording *r, bough_error *error) {
    static const char *const names[RANKS_MAX] = {"t-0", "t-1", "t-2", "t-3", "t-4", "t-5"};
    bough_input_piece piece[RANKS_MAX];
    bough_input input = {.name = "fuzz", .piece = piece};
    const char *at = text, *end = text + size;
    while (input.count < RANKS_MAX && (at < end || input.count == 0)) {
        const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!stop) stop = end;
        piece[input.count] = (bough_input_piece){(char *)names[input.count], (char *)at, (size_t)(stop - at)};
        input.count++;
        at = stop + 1;
    }
    return mpi_trace_read(&input, r, error);
}

static void look_at(const bough_schedule *s) {
    uint64_t sends = 0;
    MUST(s->first[0] == 0 && s->first[s->ranks] == s->ops);
    for (uint32_t o = 0; o < s->ops; o++) {
        const bough_op *op = &s->op[o];
        sends += op->kind == BOUGH_OP_SEND;
        MUST(op->kind == BOUGH_OP_CALC || op->peer < s->ranks ||
             (op->kind == BOUGH_OP_RECV && op->peer == BOUGH_ANY_RANK));
        MUST(op->tag != BOUGH_ANY_TAG);
    }
    MUST(sends == s->sends);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bough_input input;
    bough_error error = {0};
    bough_schedule *s = NULL;
    recording r = {0};
    recording_options options = {"fuzz", "doubling", 10};
    if (bough_input_from("fuzz", data, size, &input, &error)) return 0;
    const bough_input_piece *piece = &input.piece[0];
    bool mpi = piece->size > 0 && (*piece->data == 'M' || *piece->data == '#');
    uint32_t ranks = 0;
    bough_status status = mpi ? read_mpi(piece->data, piece->size, &r, &error)
                              : chakra_count(&input, size % 2 ? 3 : 0, &ranks, &error);
    if (!mpi && !status) status = chakra_read(&input, ranks, NULL, &r, &error);
    if (!status && r.ops <= 4096 && r.ranks <= 64) status = recording_schedule(&r, &options, &s, &error);
    MUST(!status || (*error.reason && !strchr(error.reason, '\n')));
    if (s) look_at(s);
    bough_schedule_destroy(s);
    arena_fini(&r.memory);
    bough_input_fini(&input);
    return 0;
}
