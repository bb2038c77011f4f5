#include "formats/traces/otf2_events.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdlib.h>

/* Adds the computation up to now. */
static bough_status add_gap(otf2_events *r) {
    recorded_op gap = {.kind = RECORDED_CALC, .size = r->now - r->clock, .line = r->in.line};
    r->clock = r->now;
    return gap.size ? recorded_next(&r->tail, gap, true, NULL) : BOUGH_OK;
}

bough_status otf2_at(otf2_events *r, uint64_t ns) {
    r->in.line++;
    if (!r->begun) r->clock = r->now = ns;
    r->begun = true;
    if (ns < r->now) return FAIL_HERE("an event before the one that precedes it");
    r->now = ns;
    return BOUGH_OK;
}

void otf2_enter(otf2_events *r) {
    if (r->inside++ == 0) r->status = r->status ? r->status : add_gap(r);
}

void otf2_leave(otf2_events *r) {
    if (r->inside > 0 && --r->inside == 0) r->clock = r->now;
}

/* Events outside of regions of MPI take no time. */
static bough_status add(otf2_events *r, recorded_op op, bool blocks, uint32_t *id) {
    bough_status status = r->status;
    if (r->inside == 0) TRY(add_gap(r));
    op.line = r->in.line;
    TRY(recorded_next(&r->tail, op, blocks, id));
    return status;
}

static recorded_op message_op(recorded_kind kind, otf2_message m) {
    return (recorded_op){
        .kind = (uint8_t)kind, .size = m.size, .peer = m.peer, .tag = m.tag, .group = m.group};
}

bough_status otf2_send(otf2_events *r, otf2_message m) {
    return add(r, message_op(RECORDED_SEND, m), true, NULL);
}

bough_status otf2_recv(otf2_events *r, otf2_message m) {
    return add(r, message_op(RECORDED_RECV, m), true, NULL);
}

static bough_status add_request(otf2_events *r, recorded_op op, uint64_t request, bool known) {
    otf2_request q = {.id = request, .known = known};
    bough_status status = add(r, op, false, &q.op);
    TRY(bough_grow(&r->request, &r->request_capacity, r->requests + 1, sizeof *r->request, r->in.error));
    if (!status) r->request[r->requests++] = q;
    return status;
}

bough_status otf2_isend(otf2_events *r, otf2_message m, uint64_t request) {
    return add_request(r, message_op(RECORDED_SEND, m), request, true);
}

/* What is received is known at the end; until then it is a computation without time. */
bough_status otf2_irecv_request(otf2_events *r, uint64_t request) {
    return add_request(r, (recorded_op){.kind = RECORDED_CALC}, request, false);
}

/* Takes an open request of this number; a wait follows unless it is NULL. */
static bough_status complete(otf2_events *r, uint64_t request, bool known, uint32_t *op) {
    recorded_op join = {.kind = RECORDED_CALC};
    uint32_t id = 0;
    size_t i = 0;
    while (i < r->requests && (r->request[i].id != request || r->request[i].known != known)) i++;
    if (i == r->requests) return FAIL_HERE("the end of request %" PRIu64 ", which has not begun", request);
    *op = r->request[i].op;
    r->request[i] = r->request[--r->requests];
    bough_status status = add(r, join, true, &id);
    TRY(recording_wait(r->out, id, *op, false, r->in.error));
    return status;
}

bough_status otf2_isend_complete(otf2_events *r, uint64_t request) {
    uint32_t op;
    return complete(r, request, true, &op);
}

bough_status otf2_irecv(otf2_events *r, otf2_message m, uint64_t request) {
    uint32_t op = 0;
    bough_status status = complete(r, request, false, &op);
    if (status) return status;
    recorded_op *recv = &r->out->op[op], filled = message_op(RECORDED_RECV, m);
    filled.rank = recv->rank;
    filled.line = recv->line;
    *recv = filled;
    return BOUGH_OK;
}

bough_status otf2_cancelled(otf2_events *r, uint64_t request) {
    for (size_t i = 0; i < r->requests; i++) {
        if (r->request[i].id != request) continue;
        uint32_t op = r->request[i].op;
        r->out->op[op] =
            (recorded_op){.kind = RECORDED_CALC, .rank = r->out->op[op].rank, .line = r->out->op[op].line};
        r->request[i] = r->request[--r->requests];
        return BOUGH_OK;
    }
    return FAIL_HERE("request %" PRIu64 " is cancelled, but has not begun", request);
}

bough_status otf2_collective(otf2_events *r, recorded_op op) {
    op.kind = RECORDED_COLLECTIVE;
    return add(r, op, true, NULL);
}

bough_status otf2_end(otf2_events *r) {
    bough_status status = r->status;
    if (!status && r->inside == 0 && r->begun) status = add_gap(r);
    free(r->request);
    r->request = NULL;
    r->requests = r->request_capacity = 0;
    return status;
}
