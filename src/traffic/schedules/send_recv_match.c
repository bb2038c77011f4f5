/* Operations are sorted by receiving rank, so a small table of the channels of that rank suffices. Ranks are
 * divided into parts, of which threads sort and match one each at a time. A part numbers its channels from 0;
 * those of the parts before it are added in the end. */
#include "traffic/schedules/send_recv_match.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "base/thread_team.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint32_t source, tag, channel; /* channel MATCH_NONE: free */
    uint32_t recvs, sends;
} entry;

/* Ranks first .. end - 1. */
typedef struct part {
    uint32_t first, end;
    uint32_t *place; /* [ranks]: of receiving ranks: counts of its operations, then where they go in op */
    bool wild;       /* a receive has a wildcard */
    uint32_t channels, base; /* base: channels of the parts before it */
    bough_status status;
    bough_error error;
} part;

/* All ranks. */
typedef struct matching {
    const bough_schedule *s;
    match_plan *m;
    uint64_t *first; /* [ranks + 1]: into op */
    uint32_t *op;    /* sends and receives by receiving rank, then by id */
    part *part;
    unsigned parts, threads;
} matching;

/* The ranks of a part, one after the other. */
typedef struct matcher {
    const bough_schedule *s;
    match_plan *m;
    const uint64_t *first;
    const uint32_t *op;
    uint32_t channels;
    entry *table; /* of one rank; its size is a power of two, at most half full */
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
                          " matching message%s, rank %" PRIu32 " receives %" PRIu32,
                          own, text, e->source, e->sends, bough_s(e->sends), rank, e->recvs);
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
                      "rank %" PRIu32 " is the destination of %" PRIu64 " message%s but receives %" PRIu64,
                      rank, sends, bough_s(sends), recvs);
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
        if (e->channel == MATCH_NONE) *e = (entry){o->peer, o->tag, w->channels++, 0, 0};
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

/* The most receives of a rank of a part. */
static uint64_t most_recvs(const bough_schedule *s, const part *p) {
    uint64_t most = 0;
    for (uint32_t r = p->first; r < p->end; r++) {
        uint64_t recvs = 0;
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) recvs += s->op[o].kind == BOUGH_OP_RECV;
        if (recvs > most) most = recvs;
    }
    return most;
}

/* ---- parts ---- */

static uint32_t receiver(const bough_schedule *s, uint32_t op, uint32_t own) {
    return s->op[op].kind == BOUGH_OP_SEND ? s->op[op].peer : own;
}

static void count_receivers(void *context, unsigned worker, uint64_t i) {
    const matching *all = context;
    const bough_schedule *s = all->s;
    part *p = &all->part[i];
    (void)worker;
    for (uint32_t r = p->first; r < p->end; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            all->m->rank[o] = r;
            if (s->op[o].kind == BOUGH_OP_CALC) continue;
            p->place[receiver(s, o, r)]++;
            p->wild |= s->op[o].kind == BOUGH_OP_RECV &&
                       (s->op[o].peer == BOUGH_ANY_RANK || s->op[o].tag == BOUGH_ANY_TAG);
        }
}

/* Operations of a receiving rank are in the order of parts. */
static void find_places(matching *all) {
    uint64_t sum = 0;
    for (uint32_t r = 0; r < all->s->ranks; r++) {
        all->first[r] = sum;
        for (unsigned i = 0; i < all->parts; i++) {
            uint32_t count = all->part[i].place[r];
            all->part[i].place[r] = (uint32_t)sum;
            sum += count;
        }
    }
    all->first[all->s->ranks] = sum;
}

static void sort_by_receiver(void *context, unsigned worker, uint64_t i) {
    const matching *all = context;
    const bough_schedule *s = all->s;
    part *p = &all->part[i];
    (void)worker;
    for (uint32_t r = p->first; r < p->end; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++)
            if (s->op[o].kind != BOUGH_OP_CALC) all->op[p->place[receiver(s, o, r)]++] = o;
}

static void match_part(void *context, unsigned worker, uint64_t i) {
    const matching *all = context;
    part *p = &all->part[i];
    matcher w = {.s = all->s, .m = all->m, .first = all->first, .op = all->op, .error = &p->error};
    uint64_t most = most_recvs(all->s, p), size = 2;
    (void)worker;
    while (size < 2 * most) size *= 2;
    p->status = bough_alloc(&w.table, size, sizeof *w.table, w.error);
    for (uint32_t r = p->first; r < p->end && !p->status; r++) p->status = match_rank(&w, r);
    p->channels = w.channels;
    free(w.table);
}

static void renumber(uint32_t *channel, uint32_t base) {
    if (*channel != MATCH_NONE) *channel += base;
}

static void number_channels(void *context, unsigned worker, uint64_t i) {
    const matching *all = context;
    const part *p = &all->part[i];
    (void)worker;
    for (uint64_t k = all->first[p->first]; p->base && k < all->first[p->end]; k++) {
        uint32_t o = all->op[k];
        renumber(&all->m->channel[o], p->base);
        if (!all->m->also || all->s->op[o].kind != BOUGH_OP_SEND) continue;
        for (unsigned a = 0; a < 3; a++) renumber(&all->m->also[o][a], p->base);
    }
}

/* ---- all ranks ---- */

enum {
    PART_OPS = 1 << 12, /* parts are not smaller than this */
    PARTS = 4           /* of a thread, so that one that is slower takes fewer */
};

static bough_status make_parts(matching *all, bough_error *error) {
    const bough_schedule *s = all->s;
    uint64_t most = s->ops / PART_OPS;
    bough_status status = BOUGH_OK;
    /* Places of all parts are not more than the operations. */
    if (most > s->ops / s->ranks) most = s->ops / s->ranks;
    const uint64_t parts = all->threads > 1 ? (uint64_t)all->threads * PARTS : 1;
    all->parts = (unsigned)(parts < most ? parts : most ? most : 1);
    TRY(bough_alloc(&all->part, all->parts, sizeof *all->part, error));
    for (unsigned i = 0; i < all->parts && !status; i++) {
        part *p = &all->part[i];
        p->first = (uint32_t)team_part(s->ranks, all->parts, i);
        p->end = (uint32_t)team_part(s->ranks, all->parts, i + 1);
        status = bough_alloc(&p->place, s->ranks, sizeof *p->place, error);
    }
    return status;
}

static void each_part(matching *all, void (*step)(void *context, unsigned worker, uint64_t i)) {
    team_loop(all->threads, all->parts, step, all);
}

/* The first error in the order of ranks. */
static bough_status add_channels(matching *all, bough_error *error) {
    for (unsigned i = 0; i < all->parts; i++) {
        part *p = &all->part[i];
        if (p->status && error) *error = p->error;
        if (p->status) return p->status;
        p->base = all->m->channels;
        all->m->channels += p->channels;
    }
    return BOUGH_OK;
}

static bough_status match_all(matching *all, bough_error *error) {
    const bough_schedule *s = all->s;
    match_plan *m = all->m;
    bool wild = false;
    bough_status status = make_parts(all, error);
    TRY(bough_alloc(&m->channel, s->ops, sizeof *m->channel, error));
    TRY(bough_alloc(&m->rank, s->ops, sizeof *m->rank, error));
    TRY(bough_alloc(&all->first, (uint64_t)s->ranks + 1, sizeof *all->first, error));
    TRY(bough_alloc(&all->op, s->sends + s->recvs, sizeof *all->op, error));
    if (status) return status;
    each_part(all, count_receivers);
    for (unsigned i = 0; i < all->parts; i++) wild |= all->part[i].wild;
    if (wild) status = bough_alloc(&m->also, s->ops, sizeof *m->also, error);
    if (status) return status;
    if (wild) memset(m->also, 0xff, (uint64_t)s->ops * sizeof *m->also);
    find_places(all);
    each_part(all, sort_by_receiver);
    each_part(all, match_part);
    status = add_channels(all, error);
    if (!status) each_part(all, number_channels);
    return status;
}

bough_status match_make(const bough_schedule *s, unsigned threads, match_plan *m, bough_error *error) {
    matching all = {.s = s, .m = m, .threads = threads ? threads : 1};
    *m = (match_plan){0};
    bough_status status = match_all(&all, error);
    for (unsigned i = 0; i < all.parts && all.part; i++) free(all.part[i].place);
    FREE_ALL(all.first, all.op, all.part);
    if (status) match_fini(m);
    return status;
}
