#include "papers/bay1991/bitserial/bit_follow.h"

#include "base/status/try.h"

#include <inttypes.h>

static bough_status on_subtree(void *context, const sidetrack_subtree *t, const uint32_t *leaf,
                               bough_error *error) {
    const sidetrack_watch *w = ((bit_follow *)context)->inner;
    return w && w->subtree ? w->subtree(w->context, t, leaf, error) : BOUGH_OK;
}

static bough_status on_descent(void *context, const sidetrack_front *front, bough_error *error) {
    const sidetrack_watch *w = ((bit_follow *)context)->inner;
    return w && w->descent ? w->descent(w->context, front, error) : BOUGH_OK;
}

static bough_status on_stage(void *context, unsigned peak, bough_error *error) {
    const sidetrack_watch *w = ((bit_follow *)context)->inner;
    return w && w->stage ? w->stage(w->context, peak, error) : BOUGH_OK;
}

static bough_status compare(const bit_machine *m, unsigned peak, uint32_t pass, const uint32_t *leaf,
                            bough_error *error) {
    if (m->peak != peak || m->pass != pass + UINT64_C(1))
        return bough_fail(error, BOUGH_FAILED, NULL,
                          "engine=bits: pass %" PRIu64 " of stage %u, the engine is in pass %" PRIu32
                          " of stage %u",
                          m->pass, m->lg - m->peak, pass + 1, m->lg - peak);
    for (uint64_t i = 0; i < m->messages; i++)
        if (m->at[i] != leaf[i])
            return bough_fail(error, BOUGH_FAILED, NULL,
                              "engine=bits: stage %u, pass %" PRIu32 ": message %" PRIu64
                              " is at leaf %" PRIu32 ", in the engine at %" PRIu32,
                              m->lg - peak, pass + 1, i, m->at[i], leaf[i]);
    return BOUGH_OK;
}

static bough_status on_pass(void *context, unsigned peak, uint32_t pass, const uint32_t *leaf,
                            bough_error *error) {
    const bit_follow *f = context;
    const sidetrack_watch *w = f->inner;
    bough_status status = w && w->pass ? w->pass(w->context, peak, pass, leaf, error) : BOUGH_OK;
    bool more;
    TRY(bit_machine_pass(f->machine, &more, error));
    TRY(compare(f->machine, peak, pass, leaf, error));
    return status;
}

const sidetrack_watch *bit_follow_begin(bit_follow *f, const sidetrack_machine *shape,
                                        const bough_batch *batch, const sidetrack_watch *inner) {
    f->watch = (sidetrack_watch){f, on_subtree, on_descent, on_pass, on_stage};
    f->inner = inner;
    bit_machine_begin(f->machine, shape, batch);
    return &f->watch;
}

bough_status bit_follow_end(bit_follow *f, bough_error *error) {
    bool more = false;
    bough_status status = bit_machine_pass(f->machine, &more, error);
    if (status || !more) return status;
    return bough_fail(error, BOUGH_FAILED, NULL, "engine=bits: a pass in stage %u after the engine's last",
                      f->machine->lg - f->machine->peak);
}
