#include "formats/traces/recording.h"

#include "base/status/try.h"

#include <string.h>

bough_status recording_add(recording *r, recorded_op op, uint32_t *id, bough_error *error) {
    if (r->ops >= RECORDED_OPS_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "more than 2^31 operations");
    bough_status status = arena_grow(&r->memory, &r->op, r->ops + 1, sizeof *r->op, error);
    if (status) return status;
    if (id) *id = (uint32_t)r->ops;
    r->op[r->ops++] = op;
    return BOUGH_OK;
}

bough_status recording_wait(recording *r, uint32_t after, uint32_t before, bool start, bough_error *error) {
    bough_status status = arena_grow(&r->memory, &r->wait, r->waits + 1, sizeof *r->wait, error);
    if (!status) r->wait[r->waits++] = (recorded_wait){after, before, start};
    return status;
}

bough_status recording_group(recording *r, const uint32_t *member, uint32_t n, bough_error *error) {
    recorded_group group = {.n = n};
    bough_status status = arena_grow(&r->memory, &r->group, r->groups + 1, sizeof *r->group, error);
    if (member) TRY(arena_alloc(&r->memory, &group.member, n, sizeof *group.member, error));
    if (status) return status;
    if (member) memcpy(group.member, member, n * sizeof *member);
    r->group[r->groups++] = group;
    return BOUGH_OK;
}

bough_status recorded_next(recorded_tail *tail, recorded_op op, bool blocks, uint32_t *id) {
    uint32_t own = 0;
    op.rank = tail->rank;
    bough_status status = recording_add(tail->out, op, &own, tail->error);
    if (tail->last != UINT32_MAX) TRY(recording_wait(tail->out, own, tail->last, tail->start, tail->error));
    if (status) return status;
    tail->last = own;
    tail->start = !blocks;
    if (id) *id = own;
    return BOUGH_OK;
}
