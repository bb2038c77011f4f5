/* Schedule builder: stores operations and dependencies in order of arrival, and sorts them by rank at the
 * end. Ids have 31 bits, so a dependency and its kind (end or start) fit in one word. */
#include "traffic/schedules/schedule.h"
#include "base/status/try.h"

#include "base/memory/memory.h"
#include "base/text/text.h"
#include "base/thread_team.h"
#include "traffic/schedules/ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_MAX 255 /* in addition to labels[0] */
#define NOBODY     UINT32_MAX

/* `before` as in bough_schedule.follower: operation << 1 | 1 if it waits for the start only. */
typedef struct wait {
    uint32_t after, before;
} wait;

struct bough_schedule_builder {
    char *name;
    uint32_t ranks, ops;
    uint32_t first, end; /* it takes operations of the ranks first .. end - 1 */
    bough_op *op;
    uint32_t *rank; /* [ops]; after renumbering: the new id */
    size_t op_capacity, rank_capacity;
    wait *wait;
    size_t waits, wait_capacity;
    bool backward;   /* some operation waits for one that was added after it, so there may be a cycle */
    unsigned labels; /* in addition to label[0] */
    uint64_t bytes;
    char *label[LABELS_MAX + 1]; /* label[0] stays NULL; last: what changes with each operation lies apart
                                    from the next builder, which may be another thread's */
};

static const char *const kind_name[] = {"send", "recv", "calc"};

void bough_schedule_destroy(bough_schedule *s) {
    if (!s) return;
    FREE_ALL(s->first, s->op, s->then, s->follower, s->waits);
    for (char **label = s->labels; label && *label; label++) free(*label);
    FREE_ALL(s->labels, s->name, s);
}

void bough_schedule_abandon(bough_schedule_builder *b) {
    if (!b) return;
    FREE_ALL(b->name, b->op, b->rank, b->wait);
    for (unsigned i = 1; i <= b->labels; i++) free(b->label[i]);
    free(b);
}

bough_status bough_schedule_begin(const char *name, uint32_t ranks, bough_schedule_builder **out,
                                  bough_error *error) {
    *out = NULL;
    if (ranks == 0 || ranks == BOUGH_ANY_RANK)
        return bough_fail(error, BOUGH_INVALID, name, "%" PRIu32 " ranks; the range is 1 to 2^32 - 2", ranks);
    bough_status status = bough_alloc(out, 1, sizeof **out, error);
    if (status) return status;
    (*out)->ranks = (*out)->end = ranks;
    (*out)->name = bough_strdup(name);
    if ((*out)->name) return BOUGH_OK;
    bough_schedule_abandon(*out);
    *out = NULL;
    return bough_fail_memory(error, strlen(name) + 1);
}

void bough_schedule_only(bough_schedule_builder *b, uint32_t first, uint32_t end) {
    b->first = first;
    b->end = end;
}

static bough_status too_many(const bough_schedule_builder *b, bough_error *error) {
    return bough_fail(error, BOUGH_TOO_LARGE, b->name, "a schedule has at most 2^31 operations");
}

bough_status bough_schedule_reserve(bough_schedule_builder *b, uint64_t ops, uint64_t waits,
                                    bough_error *error) {
    uint64_t all = bough_add(b->ops, ops);
    if (all > BOUGH_OPS_MAX) return too_many(b, error);
    bough_status status = bough_grow(&b->op, &b->op_capacity, all, sizeof *b->op, error);
    TRY(bough_grow(&b->rank, &b->rank_capacity, all, sizeof *b->rank, error));
    if (status) return status;
    return bough_grow(&b->wait, &b->wait_capacity, bough_add(b->waits, waits), sizeof *b->wait, error);
}

static bough_status check_op(const bough_schedule_builder *b, uint32_t rank, const bough_op *op,
                             bough_error *error) {
    if (rank >= b->ranks)
        return bough_fail(error, BOUGH_INVALID, b->name,
                          "rank %" PRIu32 " of %" PRIu32 "; ranks count from 0", rank, b->ranks);
    if (rank < b->first || rank >= b->end)
        return bough_fail(error, BOUGH_INVALID, b->name,
                          "rank %" PRIu32 " is not one of %" PRIu32 " .. %" PRIu32 ", which this builder has",
                          rank, b->first, b->end - 1);
    if (op->kind > BOUGH_OP_CALC)
        return bough_fail(error, BOUGH_INVALID, b->name, "unknown kind of operation %u", op->kind);
    if (op->label > b->labels)
        return bough_fail(error, BOUGH_INVALID, b->name, "label %u of %u does not exist", op->label,
                          b->labels);
    bool any = op->kind == BOUGH_OP_RECV && op->peer == BOUGH_ANY_RANK;
    if (op->kind != BOUGH_OP_CALC && op->peer >= b->ranks && !any)
        return bough_fail(error, BOUGH_INVALID, b->name,
                          "%s %s rank %" PRIu32 " does not exist; there are %" PRIu32
                          " ranks, counted from 0",
                          kind_name[op->kind], op->kind == BOUGH_OP_SEND ? "to" : "from", op->peer, b->ranks);
    if (op->kind == BOUGH_OP_SEND && op->tag == BOUGH_ANY_TAG)
        return bough_fail(error, BOUGH_INVALID, b->name, "the tag of a send must be below 2^32 - 1");
    return BOUGH_OK;
}

static bough_status too_large(const bough_schedule_builder *b, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, b->name, "total size of all sends exceeds 2^64 bytes");
}

bough_status bough_schedule_add(bough_schedule_builder *b, uint32_t rank, bough_op op, uint32_t *id,
                                bough_error *error) {
    bough_status status = check_op(b, rank, &op, error);
    if (status) return status;
    if (b->ops == BOUGH_OPS_MAX) return too_many(b, error);
    if (op.kind == BOUGH_OP_CALC) op.peer = 0;
    if (op.kind == BOUGH_OP_SEND && bough_add(b->bytes, op.size) == UINT64_MAX) return too_large(b, error);
    status = bough_grow(&b->op, &b->op_capacity, (uint64_t)b->ops + 1, sizeof *b->op, error);
    TRY(bough_grow(&b->rank, &b->rank_capacity, (uint64_t)b->ops + 1, sizeof *b->rank, error));
    if (status) return status;
    if (op.kind == BOUGH_OP_SEND) b->bytes += op.size;
    b->op[b->ops] = op;
    b->rank[b->ops] = rank;
    if (id) *id = b->ops;
    b->ops++;
    return BOUGH_OK;
}

bough_status bough_schedule_wait(bough_schedule_builder *b, uint32_t after, uint32_t before, bool start,
                                 bough_error *error) {
    if (after >= b->ops || before >= b->ops)
        return bough_fail(error, BOUGH_INVALID, b->name,
                          "operation %" PRIu32 " depends on %" PRIu32 "; there are only %" PRIu32, after,
                          before, b->ops);
    if (after == before)
        return bough_fail(error, BOUGH_INVALID, b->name, "an operation cannot depend on itself");
    if (b->rank[after] != b->rank[before])
        return bough_fail(error, BOUGH_INVALID, b->name,
                          "an operation of rank %" PRIu32 " cannot depend on one of rank %" PRIu32
                          "; use messages between ranks",
                          b->rank[after], b->rank[before]);
    bough_status status =
        bough_grow(&b->wait, &b->wait_capacity, (uint64_t)b->waits + 1, sizeof *b->wait, error);
    if (status) return status;
    b->backward = b->backward || before > after;
    b->wait[b->waits++] = (wait){after, before << 1 | start};
    return BOUGH_OK;
}

bough_status bough_schedule_label(bough_schedule_builder *b, const char *text, uint8_t *label,
                                  bough_error *error) {
    *label = 0;
    if (!*text) return BOUGH_OK;
    for (unsigned i = b->labels; i > 0; i--)
        if (strcmp(b->label[i], text) == 0) {
            *label = (uint8_t)i;
            return BOUGH_OK;
        }
    if (b->labels == LABELS_MAX)
        return bough_fail(error, BOUGH_INVALID, b->name, "too many labels at '%.60s'; at most %d", text,
                          LABELS_MAX);
    char *copy = bough_strdup(text);
    if (!copy) return bough_fail_memory(error, strlen(text) + 1);
    b->label[++b->labels] = copy;
    *label = (uint8_t)b->labels;
    return BOUGH_OK;
}

/* ---- completion ---- */

/* What one builder makes of the schedule: its operations and dependencies follow those of the builders before
 * it, as its ranks do. */
typedef struct piece {
    bough_schedule_builder *b;
    uint32_t base;       /* id of its first operation */
    uint64_t first_wait; /* place of its first dependency in follower */
    bool ordered;        /* its operations were added in the order of ranks */
    uint64_t sends, recvs, calcs;
    unsigned cpus, nics;
} piece;

typedef struct joining {
    bough_schedule *s;
    piece *piece;
    unsigned pieces;
} joining;

/* Sorts operations by rank; afterwards b->rank contains the new ids. */
static void renumber(void *context, unsigned worker, uint64_t i) {
    const joining *j = context;
    piece *p = &j->piece[i];
    const bough_schedule_builder *b = p->b;
    uint32_t *first = j->s->first, sum = p->base;
    (void)worker;
    p->ordered = true;
    for (uint32_t o = 0; o < b->ops; o++) {
        p->ordered &= o == 0 || b->rank[o - 1] <= b->rank[o];
        first[b->rank[o]]++; /* counts, then end positions, which are decremented to start positions */
    }
    for (uint32_t r = b->first; r < b->end; r++) first[r] = sum += first[r];
    for (uint32_t o = b->ops; o-- > 0;) b->rank[o] = --first[b->rank[o]];
}

static void count_ops(const bough_schedule *s, piece *p) {
    piece sum = {.cpus = 1, .nics = 1}; /* here, as pieces of other threads are beside p */
    for (uint32_t o = p->base; o < p->base + p->b->ops; o++) {
        const bough_op *op = &s->op[o];
        sum.sends += op->kind == BOUGH_OP_SEND;
        sum.recvs += op->kind == BOUGH_OP_RECV;
        sum.calcs += op->kind == BOUGH_OP_CALC;
        if (op->cpu >= sum.cpus) sum.cpus = op->cpu + 1u;
        if (op->nic >= sum.nics) sum.nics = op->nic + 1u;
    }
    p->sends = sum.sends;
    p->recvs = sum.recvs;
    p->calcs = sum.calcs;
    p->cpus = sum.cpus;
    p->nics = sum.nics;
}

/* Followers of an operation are in the order in which their dependencies were added. */
static void link_waits(bough_schedule *s, const piece *p) {
    const bough_schedule_builder *b = p->b;
    uint64_t sum = p->first_wait;
    for (size_t w = 0; w < b->waits; w++) {
        s->then[b->rank[b->wait[w].before >> 1]]++;
        s->waits[b->rank[b->wait[w].after]]++;
    }
    for (uint32_t o = p->base; o < p->base + b->ops; o++) s->then[o] = sum += s->then[o];
    for (size_t w = b->waits; w-- > 0;)
        s->follower[--s->then[b->rank[b->wait[w].before >> 1]]] =
            b->rank[b->wait[w].after] << 1 | (b->wait[w].before & 1);
}

static void fill(void *context, unsigned worker, uint64_t i) {
    const joining *j = context;
    piece *p = &j->piece[i];
    (void)worker;
    for (uint32_t o = 0; p->b->op && o < p->b->ops; o++) j->s->op[p->b->rank[o]] = p->b->op[o];
    count_ops(j->s, p);
    link_waits(j->s, p);
}

/* Reports a cycle among operations that all wait for another one of them (left[o] > 0). */
static bough_status describe_cycle(const bough_schedule *s, const uint32_t *left, uint32_t *before,
                                   bough_error *error) {
    enum { SAID = 6 };
    bough_text text = {0};
    uint32_t at = NOBODY, rank = 0, length = 1;
    for (uint32_t o = 0; o < s->ops; o++) before[o] = NOBODY;
    for (uint32_t o = 0; o < s->ops; o++) {
        if (!left[o]) continue;
        if (at == NOBODY) at = o;
        for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++) before[s->follower[f] >> 1] = o;
    }
    for (uint32_t steps = s->ops; steps > 0; steps--) at = before[at]; /* certainly on the cycle after this */
    while (s->first[rank + 1] <= at) rank++;
    for (uint32_t o = before[at]; o != at; o = before[o]) length++;
    bough_text_printf(&text,
                      "rank %" PRIu32 ": a cycle of %" PRIu32 " operations that wait for each other: ", rank,
                      length);
    for (uint32_t o = at, i = 0; i <= length; i++, o = before[o]) {
        if (i == SAID && length > SAID) i = length, o = at, bough_text_put(&text, " ...");
        const bough_op *op = &s->op[o];
        if (i) bough_text_put(&text, " waits for ");
        bough_text_put(&text, kind_name[op->kind]);
        if (op->line)
            bough_text_printf(&text, " (line %" PRIu32 ")", op->line);
        else
            bough_text_printf(&text, " (number %" PRIu32 ")", o - s->first[rank]);
    }
    return bough_fail_text(error, BOUGH_INVALID, s->name, &text);
}

/* Repeatedly removes operations without dependencies, and returns their number. left: remaining dependencies
 * of each operation. */
static uint32_t remove_ready(const bough_schedule *s, uint32_t *left, uint32_t *ready) {
    uint32_t got = 0;
    for (uint32_t o = 0; o < s->ops; o++)
        if ((left[o] = s->waits[o]) == 0) ready[got++] = o;
    for (uint32_t i = 0; i < got; i++)
        for (uint64_t f = s->then[ready[i]]; f < s->then[ready[i] + 1]; f++)
            if (--left[s->follower[f] >> 1] == 0) ready[got++] = s->follower[f] >> 1;
    return got;
}

/* Operations that cannot be removed are on a cycle or behind one. */
static bough_status find_cycle(const bough_schedule *s, bough_error *error) {
    uint32_t *left = NULL, *ready = NULL;
    bough_status status = bough_alloc(&left, s->ops, sizeof *left, error);
    TRY(bough_alloc(&ready, s->ops, sizeof *ready, error));
    if (!status && remove_ready(s, left, ready) < s->ops) status = describe_cycle(s, left, ready, error);
    FREE_ALL(left, ready);
    return status;
}

static bough_status take_labels(bough_schedule_builder *b, bough_schedule *s, bough_error *error) {
    bough_status status = bough_alloc(&s->labels, b->labels + 2, sizeof *s->labels, error);
    if (status) return status;
    s->labels[0] = bough_strdup("");
    if (!s->labels[0]) return bough_fail_memory(error, 1);
    for (unsigned i = 1; i <= b->labels; i++) {
        s->labels[i] = b->label[i];
        b->label[i] = NULL;
    }
    return BOUGH_OK;
}

/* Memory needed in addition to the builders: ranks_room minus their part. */
static uint64_t bytes_to_finish(const joining *j, uint64_t ops, uint64_t waits) {
    const bough_schedule_builder *b = j->piece[0].b;
    uint64_t here = bough_add(bough_mul(ops, sizeof *b->op), bough_mul(waits, sizeof *b->wait));
    return ranks_room(ops, waits) - here;
}

/* Where the pieces begin, and their sums. */
static bough_status add_up(joining *j, uint64_t *waits, bough_error *error) {
    uint64_t ops = 0, bytes = 0;
    *waits = 0;
    for (unsigned i = 0; i < j->pieces; i++) {
        piece *p = &j->piece[i];
        p->base = (uint32_t)ops;
        p->first_wait = *waits;
        ops += p->b->ops;
        *waits += p->b->waits;
        bytes = bough_add(bytes, p->b->bytes);
        if (ops > BOUGH_OPS_MAX) return too_many(p->b, error);
        if (bytes == UINT64_MAX) return too_large(p->b, error);
    }
    j->s->ops = (uint32_t)ops;
    j->s->bytes = bytes;
    return bough_memory_check(bytes_to_finish(j, ops, *waits), "the schedule and its execution", error);
}

static bough_status allocate(joining *j, uint64_t waits, bough_error *error) {
    bough_schedule *s = j->s;
    bough_schedule_builder *b = j->piece[0].b;
    bough_status status = bough_alloc(&s->then, (uint64_t)s->ops + 1, sizeof *s->then, error);
    TRY(bough_alloc(&s->waits, s->ops, sizeof *s->waits, error));
    TRY(bough_alloc(&s->follower, waits, sizeof *s->follower, error));
    if (status) return status;
    s->first[s->ranks] = s->ops;
    s->then[s->ops] = waits;
    if (j->pieces > 1 || !j->piece[0].ordered || !b->op)
        return bough_alloc(&s->op, s->ops, sizeof *s->op, error);
    s->op = b->op; /* no operation moves */
    b->op = NULL;
    return BOUGH_OK;
}

static void count_all(joining *j) {
    bough_schedule *s = j->s;
    for (unsigned i = 0; i < j->pieces; i++) {
        const piece *p = &j->piece[i];
        s->sends += p->sends;
        s->recvs += p->recvs;
        s->calcs += p->calcs;
        if (p->cpus > s->cpus) s->cpus = p->cpus;
        if (p->nics > s->nics) s->nics = p->nics;
    }
}

static bough_status join(joining *j, bough_error *error) {
    bough_schedule *s = j->s;
    bough_schedule_builder *b = j->piece[0].b;
    uint64_t waits;
    s->ranks = b->ranks;
    s->name = b->name;
    b->name = NULL;
    bough_status status = take_labels(b, s, error);
    TRY(add_up(j, &waits, error));
    TRY(bough_alloc(&s->first, (uint64_t)s->ranks + 1, sizeof *s->first, error));
    if (status) return status;
    team_loop(j->pieces, j->pieces, renumber, j);
    status = allocate(j, waits, error);
    if (status) return status;
    team_loop(j->pieces, j->pieces, fill, j);
    count_all(j);
    return BOUGH_OK;
}

bough_status bough_schedule_join(bough_schedule_builder *const *builder, unsigned count, bough_schedule **out,
                                 bough_error *error) {
    joining j = {.pieces = count};
    bool backward = false;
    *out = NULL;
    bough_status status = bough_alloc(&j.piece, count, sizeof *j.piece, error);
    TRY(bough_alloc(&j.s, 1, sizeof *j.s, error));
    for (unsigned i = 0; i < count && !status; i++) j.piece[i].b = builder[i];
    TRY(join(&j, error));
    for (unsigned i = 0; i < count; i++) {
        backward |= builder[i]->backward;
        bough_schedule_abandon(builder[i]);
    }
    if (!status && backward) status = find_cycle(j.s, error);
    free(j.piece);
    if (status)
        bough_schedule_destroy(j.s);
    else
        *out = j.s;
    return status;
}

bough_status bough_schedule_finish(bough_schedule_builder *b, bough_schedule **out, bough_error *error) {
    return bough_schedule_join(&b, 1, out, error);
}
