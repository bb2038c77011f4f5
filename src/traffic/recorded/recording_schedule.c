/* A recording as a schedule. Every part in a collective becomes two computations without time, its beginning
 * and its end; the messages of the collective are between them. So the order in which collectives are
 * expanded does not matter, and collectives may overlap each other and computations.
 *
 * Tags. Those of messages in group 0 remain as they are, if they are below 2^31. Those of other groups are
 * numbered from 2^31, those of the messages of collectives from 3 * 2^30. So messages never match across
 * groups. */
#include "traffic/recorded/recording_schedule.h"
#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/collectives/collective.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(RECORDED_ANY_RANK == BOUGH_ANY_RANK && RECORDED_OPS_MAX == BOUGH_OPS_MAX,
               "operations of recordings become those of schedules as they are");

#define GROUP_TAGS      (UINT32_C(1) << 31)
#define COLLECTIVE_TAGS (UINT32_C(3) << 30)

/* One member's part in a collective; sorted by group, number, rank. */
typedef struct part {
    uint32_t group, number, rank, op;
} part;

/* The tags of the messages to one rank in one group. */
typedef struct inbox {
    uint64_t tag;
    bool several;
} inbox;

typedef struct expansion {
    const recording *r;
    const recording_options *options;
    collective c;
    uint32_t (*last)[2]; /* [ranks] */
    uint32_t *id;  /* [ops]: the operation of the schedule; of a collective: its beginning, before its end */
    uint32_t *tag; /* [ops]: of messages */
    part *part;
    size_t parts;
    uint32_t *all; /* [ranks]: 0, 1, ..: the members of groups that have all ranks */
    uint8_t label[RECORDED_COLLECTIVES + 2];
} expansion;

static const char *const label_name[RECORDED_COLLECTIVES + 2] = {
    [RECORDED_ALLREDUCE] = "allreduce",
    [RECORDED_ALLGATHER] = "allgather",
    [RECORDED_REDUCESCATTER] = "reducescatter",
    [RECORDED_ALLTOALL] = "alltoall",
    [RECORDED_BROADCAST] = "broadcast",
    [RECORDED_REDUCE] = "reduce",
    [RECORDED_BARRIER] = "barrier",
    [RECORDED_GATHER] = "gather",
    [RECORDED_SCATTER] = "scatter",
    [RECORDED_COLLECTIVES] = "messages",
    [RECORDED_COLLECTIVES + 1] = "compute",
};

static bough_status fail_at(const expansion *x, const recorded_op *op, const char *text) {
    return bough_fail(x->c.error, BOUGH_INVALID, x->options->name, "rank %" PRIu32 ", line %" PRIu32 ": %s",
                      op->rank, op->line, text);
}

/* ---- tags ---- */

static uint64_t inbox_key(uint32_t group, uint32_t rank) {
    return (uint64_t)group << 32 | rank;
}

/* Notes the tags that each rank is sent, if a receive accepts any. */
static bough_status note_tags(const recording *r, bough_index_map *map, inbox *in, bough_error *error) {
    uint32_t count = 0;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < r->ops && !status; i++) {
        const recorded_op *op = &r->op[i];
        if (op->kind != RECORDED_SEND) continue;
        uint64_t key = inbox_key(op->group, op->peer);
        uint32_t at = bough_index_map_get(map, key);
        if (at == UINT32_MAX) {
            status = bough_index_map_put(map, key, at = count++, error);
            in[at] = (inbox){op->tag, false};
        }
        in[at].several |= in[at].tag != op->tag;
    }
    return status;
}

static bool any_tag(const recorded_op *op) {
    return op->kind == RECORDED_RECV && op->tag == RECORDED_ANY_TAG;
}

/* A receive of any tag is one of the only tag that its rank is sent: the trace does not say which it took. */
static bough_status any_tags(const expansion *x, const bough_index_map *map, const inbox *in, size_t i,
                             uint64_t *tag) {
    const recorded_op *op = &x->r->op[i];
    uint32_t at = bough_index_map_get(map, inbox_key(op->group, op->rank));
    if (at == UINT32_MAX) return fail_at(x, op, "a receive of any tag, but nothing is sent to this rank");
    if (in[at].several)
        return fail_at(
            x, op,
            "a receive of any tag, and this rank is sent messages of several; the trace does not say "
            "which one it took");
    *tag = in[at].tag;
    return BOUGH_OK;
}

static bough_status number_tag(bough_index_map *numbers, uint32_t group, uint64_t tag, uint32_t *number,
                               bough_error *error) {
    if (group == 0 && tag < GROUP_TAGS) {
        *number = (uint32_t)tag;
        return BOUGH_OK;
    }
    uint64_t key = (uint64_t)group << 32 | tag;
    uint32_t at = bough_index_map_get(numbers, key);
    bough_status status = BOUGH_OK;
    if (at == UINT32_MAX) {
        at = (uint32_t)numbers->count;
        if (at >= COLLECTIVE_TAGS - GROUP_TAGS)
            return bough_fail(error, BOUGH_TOO_LARGE, NULL, "more than 2^30 different tags");
        status = bough_index_map_put(numbers, key, at, error);
    }
    *number = GROUP_TAGS + at;
    return status;
}

static bough_status number_tags(expansion *x) {
    const recording *r = x->r;
    bough_index_map map = {0}, numbers = {0};
    inbox *in = NULL;
    bool any = false;
    size_t sends = 0;
    for (size_t i = 0; i < r->ops; i++) {
        any |= any_tag(&r->op[i]);
        sends += r->op[i].kind == RECORDED_SEND;
    }
    bough_status status = bough_alloc(&in, any ? sends : 0, sizeof *in, x->c.error);
    if (any) TRY(note_tags(r, &map, in, x->c.error));
    for (size_t i = 0; i < r->ops && !status; i++) {
        uint64_t tag = r->op[i].tag;
        if (r->op[i].kind != RECORDED_SEND && r->op[i].kind != RECORDED_RECV) continue;
        if (any_tag(&r->op[i])) status = any_tags(x, &map, in, i, &tag);
        TRY(number_tag(&numbers, r->op[i].group, tag, &x->tag[i], x->c.error));
    }
    bough_index_map_fini(&map);
    bough_index_map_fini(&numbers);
    free(in);
    return status;
}

/* ---- parts of collectives ---- */

static int by_collective(const void *a, const void *b) {
    const part *p = a, *q = b;
    if (p->group != q->group) return p->group < q->group ? -1 : 1;
    if (p->number != q->number) return p->number < q->number ? -1 : 1;
    return p->rank < q->rank ? -1 : p->rank > q->rank;
}

static bough_status list_parts(expansion *x) {
    const recording *r = x->r;
    bough_index_map count = {0};
    size_t parts = 0;
    for (size_t i = 0; i < r->ops; i++) parts += r->op[i].kind == RECORDED_COLLECTIVE;
    bough_status status = bough_alloc(&x->part, parts, sizeof *x->part, x->c.error);
    for (size_t i = 0; i < r->ops && !status; i++) {
        const recorded_op *op = &r->op[i];
        if (op->kind != RECORDED_COLLECTIVE) continue;
        uint64_t key = inbox_key(op->group, op->rank);
        uint32_t number = bough_index_map_get(&count, key);
        if (number == UINT32_MAX) number = 0;
        x->part[x->parts++] = (part){op->group, number, op->rank, (uint32_t)i};
        status = bough_index_map_put(&count, key, number + 1, x->c.error);
    }
    bough_index_map_fini(&count);
    if (!status) qsort(x->part, x->parts, sizeof *x->part, by_collective);
    return status;
}

/* ---- expansion ---- */

/* Computations without time are waits for messages. */
static unsigned label_of(const recorded_op *op) {
    if (op->kind == RECORDED_COLLECTIVE) return op->what;
    return RECORDED_COLLECTIVES + (op->kind == RECORDED_CALC && op->size > 0);
}

static void add_op(expansion *x, size_t i) {
    const recorded_op *op = &x->r->op[i];
    bough_op own = {.size = op->size, .line = op->line, .kind = BOUGH_OP_CALC};
    x->c.cpu = op->cpu;
    x->c.label = x->label[label_of(op)];
    if (op->kind == RECORDED_COLLECTIVE) {
        own.size = 0;
    } else if (op->kind != RECORDED_CALC) {
        own.kind = op->kind == RECORDED_SEND ? BOUGH_OP_SEND : BOUGH_OP_RECV;
        own.peer = op->peer;
        own.tag = x->tag[i];
    }
    x->id[i] = collective_add(&x->c, op->rank, own);
    if (op->kind == RECORDED_COLLECTIVE) collective_add(&x->c, op->rank, own);
}

static void add_wait(expansion *x, const recorded_wait *w) {
    const recorded_op *before = &x->r->op[w->before];
    uint32_t id = x->id[w->before] + (before->kind == RECORDED_COLLECTIVE && !w->start);
    collective *c = &x->c;
    if (!w->start || c->status) {
        collective_wait(c, x->id[w->after], id);
        return;
    }
    c->waits++;
    if (c->builder) c->status = bough_schedule_wait(c->builder, x->id[w->after], id, true, c->error);
}

/* Every member sends its block to the root at once, or gets its own from it. The ids of the operations of the
 * root are consecutive. */
static void linear(collective *c, bool gather) {
    uint32_t root = collective_rank(c, 0), *last = c->last[root], id = 0, join;
    for (uint32_t v = 1; v < c->n && !c->status; v++) {
        uint64_t bytes = collective_bytes(c->size, c->n, ((uint64_t)v + c->root) % c->n, 1);
        id = gather ? collective_send(c, v, 0, bytes) : collective_recv(c, v, 0, bytes);
        c->last[collective_rank(c, v)][0] = id;
    }
    for (uint32_t v = 1; v < c->n && !c->status; v++) {
        uint64_t bytes = collective_bytes(c->size, c->n, ((uint64_t)v + c->root) % c->n, 1);
        id = gather ? collective_recv(c, 0, v, bytes) : collective_send(c, 0, v, bytes);
    }
    last[0] = last[1] = COLLECTIVE_NOBODY;
    join = collective_add(c, root, (bough_op){.kind = BOUGH_OP_CALC});
    for (uint32_t v = 1; v < c->n && !c->status; v++) collective_wait(c, join, id - (v - 1));
    last[0] = join;
    collective_step(c);
}

static void generate(expansion *x, unsigned what) {
    static const collective_kind *const kinds[] = {
        &collective_allreduce, &collective_allgather, &collective_reducescatter, &collective_alltoall,
        &collective_broadcast, &collective_reduce,    &collective_barrier,
    };
    if (what == RECORDED_GATHER || what == RECORDED_SCATTER)
        linear(&x->c, what == RECORDED_GATHER);
    else
        collective_matching(kinds[what], x->options->algorithm)->generate(&x->c);
}

/* The members of a collective must agree. */
static bough_status check_parts(expansion *x, const part *p, size_t count, uint64_t *size) {
    const recorded_op *first = &x->r->op[p[0].op];
    const recorded_group *g = &x->r->group[p[0].group];
    unsigned __int128 sum = 0;
    uint64_t most = 0;
    if (count != g->n)
        return bough_fail(x->c.error, BOUGH_INVALID, x->options->name,
                          "rank %" PRIu32 ", line %" PRIu32 ": %s number %" PRIu32 " of a group of %" PRIu32
                          " ranks, but only %zu of them have one",
                          first->rank, first->line, label_name[first->what], p[0].number + 1, g->n, count);
    for (size_t i = 0; i < count; i++) {
        const recorded_op *op = &x->r->op[p[i].op];
        sum += op->size;
        if (op->size > most) most = op->size;
        if (op->what == first->what && op->peer == first->peer && (op->size == first->size || x->r->uneven))
            continue;
        return bough_fail(x->c.error, BOUGH_INVALID, x->options->name,
                          "rank %" PRIu32 ", line %" PRIu32 ": %s of %" PRIu64 " bytes (root %" PRIu32
                          "), but %s of %" PRIu64 " bytes (root %" PRIu32 ") on rank %" PRIu32
                          ", line %" PRIu32,
                          op->rank, op->line, label_name[op->what], op->size, op->peer,
                          label_name[first->what], first->size, first->peer, first->rank, first->line);
    }
    if (!x->r->uneven)
        *size = first->size;
    else if (first->what == RECORDED_GATHER || first->what == RECORDED_SCATTER)
        *size = (uint64_t)sum;
    else
        *size = first->what == RECORDED_ALLTOALL ? (uint64_t)(sum / count) : most;
    return BOUGH_OK;
}

static void add_collective(expansion *x, const part *p, size_t count) {
    const recorded_op *op = &x->r->op[p[0].op];
    const recorded_group *g = &x->r->group[op->group];
    collective *c = &x->c;
    uint64_t size = 0;
    c->status = check_parts(x, p, count, &size);
    if (c->status) return;
    c->n = g->n;
    c->rank = g->member ? g->member : x->all;
    c->size = size;
    c->root = op->peer < g->n ? op->peer : 0;
    c->segment = 0;
    c->label = x->label[op->what];
    c->cpu = op->cpu;
    for (size_t i = 0; i < count; i++) {
        x->last[p[i].rank][0] = x->id[p[i].op];
        x->last[p[i].rank][1] = COLLECTIVE_NOBODY;
    }
    if (c->n > 1) generate(x, op->what);
    for (size_t i = 0; i < count; i++) {
        uint32_t *last = x->last[p[i].rank];
        collective_wait(c, x->id[p[i].op] + 1, last[0]);
        collective_wait(c, x->id[p[i].op] + 1, last[1]);
        last[0] = last[1] = COLLECTIVE_NOBODY;
    }
    if (c->tag < COLLECTIVE_TAGS && !c->status)
        c->status =
            bough_fail(c->error, BOUGH_TOO_LARGE, x->options->name, "more than 2^30 steps of collectives");
}

static bough_status expand(expansion *x) {
    const recording *r = x->r;
    memset(x->last, 0xff, r->ranks * sizeof *x->last);
    for (size_t i = 0; i < r->ops && !x->c.status; i++) add_op(x, i);
    for (size_t i = 0; i < r->waits && !x->c.status; i++) add_wait(x, &r->wait[i]);
    for (size_t i = 0, end; i < x->parts && !x->c.status; i = end) {
        for (end = i + 1; end < x->parts && x->part[end].group == x->part[i].group &&
                          x->part[end].number == x->part[i].number;)
            end++;
        add_collective(x, &x->part[i], end - i);
    }
    return x->c.status;
}

/* Only labels that occur. */
static bough_status make_labels(expansion *x) {
    bool used[RECORDED_COLLECTIVES + 2] = {false};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < x->r->ops; i++) used[label_of(&x->r->op[i])] = true;
    for (unsigned l = 0; l < RECORDED_COLLECTIVES + 2 && !status; l++)
        if (used[l]) status = bough_schedule_label(x->c.builder, label_name[l], &x->label[l], x->c.error);
    return status;
}

static bough_status build(expansion *x, bough_schedule **out) {
    const recording *r = x->r;
    bough_error *error = x->c.error;
    collective fresh = {
        .last = x->last, .error = error, .reduce_ps = x->options->reduce_ps, .tag = COLLECTIVE_TAGS};
    x->c = fresh;
    bough_status status = expand(x); /* counts */
    uint64_t ops = x->c.ops, waits = x->c.waits;
    x->c = fresh;
    TRY(collective_check_size(ops, waits, x->options->name, error));
    TRY(bough_schedule_begin(x->options->name, r->ranks, &x->c.builder, error));
    TRY(bough_schedule_reserve(x->c.builder, ops, waits, error));
    TRY(make_labels(x));
    TRY(expand(x));
    if (!status) return bough_schedule_finish(x->c.builder, out, error);
    bough_schedule_abandon(x->c.builder);
    return status;
}

bough_status recording_schedule(const recording *r, const recording_options *options, bough_schedule **out,
                                bough_error *error) {
    expansion x = {.r = r, .options = options, .c.error = error};
    *out = NULL;
    bough_status status = bough_alloc(&x.last, r->ranks, sizeof *x.last, error);
    TRY(bough_alloc(&x.all, r->ranks, sizeof *x.all, error));
    TRY(bough_alloc(&x.id, r->ops, sizeof *x.id, error));
    TRY(bough_alloc(&x.tag, r->ops, sizeof *x.tag, error));
    for (uint32_t i = 0; i < r->ranks && !status; i++) x.all[i] = i;
    TRY(number_tags(&x));
    TRY(list_parts(&x));
    TRY(build(&x, out));
    FREE_ALL(x.last, x.all, x.id, x.tag, x.part);
    return status;
}
