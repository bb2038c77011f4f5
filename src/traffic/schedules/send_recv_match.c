/* Operations are sorted by receiving rank, so a small table of the channels of that rank suffices. */
#include "traffic/schedules/send_recv_match.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct entry {
    uint32_t source, tag, channel; /* channel MATCH_NONE: free */
    uint32_t recvs, sends;
} entry;

typedef struct matcher {
    const bough_schedule *s;
    match_plan *m;
    uint64_t *first; /* [ranks + 1]: into op */
    uint32_t *op;    /* sends and receives by receiving rank, then by id */
    entry *table;    /* of one rank; its size is a power of two, at most half full */
    uint32_t mask;
    bough_error *error;
} matcher;

void match_fini(match_plan *m) {
    FREE_ALL(m->channel, m->rank, m->also);
    *m = (match_plan){0};
}

/* ---- text ---- */

char *match_op_text(const bough_op *op, char *buffer, size_t size) {
    char peer[16] = "any", tag[16] = "any";
    if (op->kind == BOUGH_OP_CALC) {
        snprintf(buffer, size, "calc %" PRIu64 " ns", op->size);
        return buffer;
    }
    bool send = op->kind == BOUGH_OP_SEND;
    if (send || op->peer != BOUGH_ANY_RANK) snprintf(peer, sizeof peer, "%" PRIu32, op->peer);
    if (op->tag != BOUGH_ANY_TAG) snprintf(tag, sizeof tag, "%" PRIu32, op->tag);
    snprintf(buffer, size, "%s %" PRIu64 " byte%s %s %s tag %s", send ? "send" : "recv", op->size,
             op->size == 1 ? "" : "s", send ? "to" : "from", peer, tag);
    return buffer;
}

char *match_op_place(const bough_schedule *s, uint32_t op, char *buffer, size_t size) {
    if (s->op[op].line)
        snprintf(buffer, size, "%.200s:%" PRIu32, s->name, s->op[op].line);
    else
        snprintf(buffer, size, "%.200s", s->name);
    return buffer;
}

/* ---- the table ---- */

static entry *find(const matcher *w, uint32_t source, uint32_t tag) {
    uint64_t hash = ((uint64_t)source << 32 | tag) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(hash >> 32) & w->mask;
    while (w->table[at].channel != MATCH_NONE && (w->table[at].source != source || w->table[at].tag != tag))
        at = (at + 1) & w->mask;
    return &w->table[at];
}

static uint32_t channel_of(const matcher *w, uint32_t source, uint32_t tag) {
    return find(w, source, tag)->channel;
}

/* ---- unbalanced operations ---- */

/* Reports the surplus operation of one kind: the one after `enough` others of its source and tag. */
static bough_status one_too_many(const matcher *w, uint32_t rank, const entry *e, bough_op_kind kind,
                                 uint32_t enough) {
    const bough_schedule *s = w->s;
    char place[256], text[96];
    for (uint64_t i = w->first[rank]; i < w->first[rank + 1]; i++) {
        uint32_t o = w->op[i], own = w->m->rank[o];
        uint32_t source = kind == BOUGH_OP_SEND ? own : s->op[o].peer;
        if (s->op[o].kind != kind || source != e->source || s->op[o].tag != e->tag) continue;
        if (enough--) continue;
        match_op_text(&s->op[o], text, sizeof text);
        match_op_place(s, o, place, sizeof place);
        return bough_fail(w->error, BOUGH_INVALID, place,
                          "rank %" PRIu32 ": %s has no partner: rank %" PRIu32 " sends %" PRIu32
                          " matching messages, rank %" PRIu32 " receives %" PRIu32,
                          own, text, e->source, e->sends, rank, e->recvs);
    }
    return BOUGH_OK;
}

static bough_status no_receive(const matcher *w, uint32_t rank, uint32_t op) {
    const bough_op *o = &w->s->op[op];
    char place[256], text[96];
    return bough_fail(w->error, BOUGH_INVALID, match_op_place(w->s, op, place, sizeof place),
                      "rank %" PRIu32 ": %s has no partner: no receive of rank %" PRIu32 " matches it",
                      w->m->rank[op], match_op_text(o, text, sizeof text), rank);
}

static bough_status check_counts(const matcher *w, uint32_t rank, bool wild, uint64_t recvs, uint64_t sends) {
    for (uint32_t i = 0; i <= w->mask; i++) {
        const entry *e = &w->table[i];
        if (e->channel == MATCH_NONE || e->source == BOUGH_ANY_RANK || e->tag == BOUGH_ANY_TAG) continue;
        if (e->recvs > e->sends) return one_too_many(w, rank, e, BOUGH_OP_RECV, e->sends);
        if (e->sends > e->recvs && !wild) return one_too_many(w, rank, e, BOUGH_OP_SEND, e->recvs);
    }
    if (recvs == sends) return BOUGH_OK;
    return bough_fail(w->error, BOUGH_INVALID, w->s->name,
                      "rank %" PRIu32 " is the destination of %" PRIu64 " messages but receives %" PRIu64,
                      rank, sends, recvs);
}

/* ---- one rank ---- */

static bough_status match_rank(matcher *w, uint32_t rank) {
    const bough_schedule *s = w->s;
    uint64_t recvs = 0, sends = 0, size = 2;
    bool wild = false;
    for (uint64_t i = w->first[rank]; i < w->first[rank + 1]; i++)
        recvs += s->op[w->op[i]].kind == BOUGH_OP_RECV;
    sends = w->first[rank + 1] - w->first[rank] - recvs;
    while (size < 2 * recvs) size *= 2;
    w->mask = (uint32_t)(size - 1);
    for (uint64_t i = 0; i < size; i++) w->table[i].channel = MATCH_NONE;
    for (uint64_t i = w->first[rank]; i < w->first[rank + 1]; i++) {
        const bough_op *o = &s->op[w->op[i]];
        if (o->kind != BOUGH_OP_RECV) continue;
        entry *e = find(w, o->peer, o->tag);
        if (e->channel == MATCH_NONE) *e = (entry){o->peer, o->tag, w->m->channels++, 0, 0};
        e->recvs++;
        w->m->channel[w->op[i]] = e->channel;
        wild |= o->peer == BOUGH_ANY_RANK || o->tag == BOUGH_ANY_TAG;
    }
    for (uint64_t i = w->first[rank]; i < w->first[rank + 1]; i++) {
        uint32_t op = w->op[i], own = w->m->rank[op];
        const bough_op *o = &s->op[op];
        if (o->kind != BOUGH_OP_SEND) continue;
        entry *e = find(w, own, o->tag);
        bool taken = e->channel != MATCH_NONE;
        w->m->channel[op] = e->channel;
        if (taken) e->sends++;
        if (wild) {
            uint32_t *also = w->m->also[op];
            also[0] = channel_of(w, BOUGH_ANY_RANK, o->tag);
            also[1] = channel_of(w, own, BOUGH_ANY_TAG);
            also[2] = channel_of(w, BOUGH_ANY_RANK, BOUGH_ANY_TAG);
            taken |= also[0] != MATCH_NONE || also[1] != MATCH_NONE || also[2] != MATCH_NONE;
        }
        if (!taken) return no_receive(w, rank, op);
    }
    return check_counts(w, rank, wild, recvs, sends);
}

static uint32_t receiver(const bough_schedule *s, uint32_t op, uint32_t own) {
    return s->op[op].kind == BOUGH_OP_SEND ? s->op[op].peer : own;
}

static bough_status sort_by_receiver(matcher *w, uint64_t *most) {
    const bough_schedule *s = w->s;
    bough_status status = bough_alloc(&w->first, (uint64_t)s->ranks + 1, sizeof *w->first, w->error);
    TRY(bough_alloc(&w->op, s->sends + s->recvs, sizeof *w->op, w->error));
    if (status) return status;
    *most = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        uint64_t recvs = 0;
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            if (s->op[o].kind == BOUGH_OP_CALC) continue;
            w->first[receiver(s, o, r)]++;
            recvs += s->op[o].kind == BOUGH_OP_RECV;
        }
        if (recvs > *most) *most = recvs;
    }
    for (uint64_t r = 0, sum = 0; r <= s->ranks; r++) w->first[r] = sum += w->first[r];
    for (uint32_t r = s->ranks; r-- > 0;)
        for (uint32_t o = s->first[r + 1]; o-- > s->first[r];)
            if (s->op[o].kind != BOUGH_OP_CALC) w->op[--w->first[receiver(s, o, r)]] = o;
    return BOUGH_OK;
}

bough_status match_make(const bough_schedule *s, match_plan *m, bough_error *error) {
    matcher w = {.s = s, .m = m, .error = error};
    uint64_t most = 0, size = 2;
    bool wild = false;
    *m = (match_plan){0};
    for (uint32_t o = 0; o < s->ops && !wild; o++)
        wild = s->op[o].kind == BOUGH_OP_RECV &&
               (s->op[o].peer == BOUGH_ANY_RANK || s->op[o].tag == BOUGH_ANY_TAG);
    bough_status status = bough_alloc(&m->channel, s->ops, sizeof *m->channel, error);
    TRY(bough_alloc(&m->rank, s->ops, sizeof *m->rank, error));
    for (uint32_t r = 0; r < s->ranks && !status; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) m->rank[o] = r;
    if (!status && wild) status = bough_alloc(&m->also, s->ops, sizeof *m->also, error);
    if (!status && wild) memset(m->also, 0xff, (uint64_t)s->ops * sizeof *m->also);
    TRY(sort_by_receiver(&w, &most));
    while (size < 2 * most) size *= 2;
    TRY(bough_alloc(&w.table, size, sizeof *w.table, error));
    for (uint32_t r = 0; r < s->ranks && !status; r++) status = match_rank(&w, r);
    FREE_ALL(w.first, w.op, w.table);
    if (status) match_fini(m);
    return status;
}
