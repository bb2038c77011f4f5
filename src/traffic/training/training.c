#include "traffic/training/training.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- collectives ---- */

static const collective_kind *const kinds[TRAINING_COLLECTIVES] = {
    [TRAINING_ALLREDUCE] = &collective_allreduce,
    [TRAINING_ALLGATHER] = &collective_allgather,
    [TRAINING_REDUCESCATTER] = &collective_reducescatter,
    [TRAINING_ALLTOALL] = &collective_alltoall,
    [TRAINING_BROADCAST] = &collective_broadcast,
    [TRAINING_REDUCE] = &collective_reduce,
    [TRAINING_BARRIER] = &collective_barrier,
};

/* ---- expansion ---- */

/* A pass over all stages: the first pass only counts, the second builds. */
typedef struct expansion {
    const training *t;
    const training_options *options;
    collective c;
    uint32_t (*last)[2], (*aside)[2];        /* [ranks]; aside: operations that run in the background */
    uint32_t *member;                        /* [ranks] of one group */
    uint32_t (*stream[TRAINING_STREAMS])[2]; /* [ranks]; with streams: the last operations of each */
    bool (*covered)[TRAINING_STREAMS]; /* [stages]: the last operation of the compute stream follows those of
                                          this stream */
    size_t *at;                        /* [stages]: the next item */
    uint32_t *sent[2], *got[2]; /* [stages]: messages so far to the next [1] and the previous [0] stage */
    uint8_t label[TRAINING_GROUPS + 1];
} expansion;

static const char *const label_name[TRAINING_GROUPS + 1] = {
    [TRAINING_TENSOR] = "tensor",           [TRAINING_DATA] = "data",
    [TRAINING_PIPELINE] = "pipeline",       [TRAINING_EXPERT] = "expert",
    [TRAINING_EXPERT_DATA] = "expert data", [TRAINING_ALL] = "all",
    [TRAINING_CONTEXT] = "context",         [TRAINING_EMBEDDING] = "embedding",
    [TRAINING_GROUPS] = "compute",
};

static uint32_t of_stage(const training *t) {
    return t->tensor * t->data;
}

uint32_t training_group_size(const training *t, unsigned group) {
    switch (group) {
    case TRAINING_TENSOR:
        return t->tensor;
    case TRAINING_DATA:
        return t->data;
    case TRAINING_PIPELINE:
        return t->pipeline;
    case TRAINING_EXPERT:
        return t->expert;
    case TRAINING_EXPERT_DATA:
        return t->data / t->expert;
    case TRAINING_EMBEDDING:
        return t->pipeline > 1 ? 2 : 1;
    case TRAINING_CONTEXT:
        return t->context ? t->context : 1;
    default:
        return t->ranks;
    }
}

/* The members of the g-th group of its kind in a stage (of all stages if the group spans them). */
static void list_members(const training *t, unsigned group, uint32_t stage, uint32_t g, uint32_t *member) {
    uint32_t each = of_stage(t), base = stage * each, n = training_group_size(t, group), tensor = t->tensor;
    uint32_t lane = g % tensor, rest = g / tensor; /* groups with equal t: one per t, and so on */
    for (uint32_t i = 0; i < n; i++) switch (group) {
        case TRAINING_TENSOR:
            member[i] = base + (t->data_first ? g + i * t->data : g * tensor + i);
            break;
        case TRAINING_DATA:
            member[i] = base + (t->data_first ? g * n + i : g + i * tensor);
            break;
        case TRAINING_PIPELINE:
            member[i] = g + i * each;
            break;
        case TRAINING_EXPERT:
        case TRAINING_CONTEXT:
            member[i] = base + lane + (rest * n + i) * tensor;
            break;
        case TRAINING_EXPERT_DATA:
            member[i] = base + lane + (rest + i * t->expert) * tensor;
            break;
        case TRAINING_EMBEDDING:
            member[i] = g + i * (t->ranks - each);
            break;
        default:
            member[i] = i;
        }
}

static bool crosses(const training *t, const training_item *item) {
    return item->what < TRAINING_COLLECTIVES && t->pipeline > 1 &&
           (item->group == TRAINING_PIPELINE || item->group == TRAINING_ALL ||
            item->group == TRAINING_EMBEDDING);
}

/* A background operation of a rank starts when its previous operations have ended, in the background and
 * not. */
static void join_aside(expansion *x, uint32_t rank) {
    uint32_t *aside = x->aside[rank];
    x->c.last = x->last;
    uint32_t join = collective_add(&x->c, rank, (bough_op){.kind = BOUGH_OP_CALC});
    collective_wait(&x->c, join, aside[0]);
    collective_wait(&x->c, join, aside[1]);
    aside[0] = join;
    aside[1] = COLLECTIVE_NOBODY;
}

/* An item of a stream starts when the preceding ones of its stream and of the compute stream have ended. */
static void join_stream(expansion *x, unsigned stream, uint32_t rank) {
    uint32_t *last = x->stream[stream][rank], *computed = x->stream[TRAINING_STREAM_COMPUTE][rank];
    if (x->covered[rank / of_stage(x->t)][stream]) {
        memcpy(last, computed, sizeof x->stream[stream][rank]);
        return;
    }
    x->c.last = x->stream[stream];
    x->c.cpu = (uint8_t)stream;
    uint32_t join = collective_add(&x->c, rank, (bough_op){.kind = BOUGH_OP_CALC});
    collective_wait(&x->c, join, computed[0]);
    collective_wait(&x->c, join, computed[1]);
    last[0] = join;
    last[1] = COLLECTIVE_NOBODY;
}

/* The stages of the groups have a new operation in the stream. */
static void uncover(expansion *x, const training_item *item, uint32_t stage) {
    bool every = item->group == TRAINING_PIPELINE || item->group == TRAINING_ALL;
    for (uint32_t p = every ? 0 : stage; p < (every ? x->t->pipeline : stage + 1); p++)
        x->covered[p][item->stream] = false;
}

/* The compute stream waits for another one; the label tells for what. */
static void expand_wait(expansion *x, const training_item *item, uint32_t stage) {
    uint32_t each = of_stage(x->t);
    x->c.label = x->label[item->group];
    x->c.last = x->stream[TRAINING_STREAM_COMPUTE];
    for (uint32_t r = stage * each; r < (stage + 1) * each && !x->c.status; r++) {
        uint32_t wait = collective_add(&x->c, r, (bough_op){.kind = BOUGH_OP_CALC});
        collective_wait(&x->c, wait, x->stream[item->stream][r][0]);
        collective_wait(&x->c, wait, x->stream[item->stream][r][1]);
        x->c.last[r][0] = wait;
        x->c.last[r][1] = COLLECTIVE_NOBODY;
    }
    x->covered[stage][item->stream] = true;
    x->c.last = x->last;
}

static void expand_collective(expansion *x, const training_item *item, uint32_t stage) {
    const training *t = x->t;
    collective *c = &x->c;
    uint32_t n = training_group_size(t, item->group), tag = c->tag, end = tag;
    bool each = item->group == TRAINING_PIPELINE || item->group == TRAINING_EMBEDDING;
    uint32_t all = each ? of_stage(t) : item->group == TRAINING_ALL ? 1 : of_stage(t) / n;
    c->label = x->label[item->group];
    c->n = n;
    c->rank = x->member;
    c->size = item->size;
    c->root = item->root;
    for (uint32_t g = 0; g < all && n > 1 && !c->status; g++) {
        list_members(t, item->group, stage, g, x->member);
        for (uint32_t i = 0; i < n && item->aside; i++) join_aside(x, x->member[i]);
        for (uint32_t i = 0; i < n && t->streams; i++) join_stream(x, item->stream, x->member[i]);
        c->last = t->streams ? x->stream[item->stream] : item->aside ? x->aside : x->last;
        c->cpu = t->streams ? item->stream : 0;
        c->tag = tag; /* groups of one kind are disjoint */
        collective_matching(kinds[item->what], x->options->algorithm)->generate(c);
        if (c->tag > end) end = c->tag;
    }
    c->tag = end;
    c->last = x->last;
    c->cpu = 0;
    if (t->streams) uncover(x, item, stage);
}

static void expand_compute(expansion *x, const training_item *item, uint32_t stage) {
    uint32_t each = of_stage(x->t);
    const bool beside = x->t->streams && item->stream != TRAINING_STREAM_COMPUTE;
    x->c.label = x->label[TRAINING_GROUPS];
    x->c.cpu = beside ? item->stream : 0;
    for (uint32_t r = stage * each; r < (stage + 1) * each && !x->c.status; r++) {
        uint32_t(*last)[2] = x->c.last = beside ? x->stream[item->stream] : item->aside ? x->aside : x->last;
        uint32_t id = collective_add(&x->c, r, (bough_op){.size = item->size, .kind = BOUGH_OP_CALC});
        last[r][0] = id;
        last[r][1] = COLLECTIVE_NOBODY;
    }
    x->c.last = x->last;
    x->c.cpu = 0;
    if (beside) uncover(x, item, stage);
}

/* The rank with the same position in the next or previous stage. */
static uint32_t neighbour(const training *t, uint32_t rank, bool next) {
    return (rank + (next ? of_stage(t) : t->ranks - of_stage(t))) % t->ranks;
}

/* Messages up and down between two stages have different tags. */
static uint32_t message_tag(uint32_t count, bool up) {
    return UINT32_C(1) << 31 | (uint32_t)up << 30 | count;
}

/* Consecutive sends and receives are posted together; the next operation, or that which waits for their
 * stream, waits for the receives. The partner of a rank has the same position in its stage. */
static size_t expand_messages(expansion *x, uint32_t stage) {
    const training *t = x->t;
    const training_stage *s = &t->stage[stage];
    uint32_t each = of_stage(t);
    size_t first = x->at[stage], end = first;
    while (end < s->count && s->item[end].what >= TRAINING_SEND && s->item[end].what <= TRAINING_RECV) end++;
    x->c.label = x->label[TRAINING_PIPELINE];
    x->c.cpu = t->streams ? TRAINING_STREAM_PIPELINE : 0;
    for (uint32_t r = stage * each; r < (stage + 1) * each && !x->c.status; r++) {
        uint32_t came[2] = {COLLECTIVE_NOBODY, COLLECTIVE_NOBODY}, sent[2], got[2];
        for (int next = 0; next < 2; next++) {
            sent[next] = x->sent[next][stage];
            got[next] = x->got[next][stage];
        }
        for (size_t i = first; i < end; i++) {
            const training_item *item = &s->item[i];
            bool send = item->what == TRAINING_SEND;
            uint32_t count = send ? sent[item->next]++ : got[item->next]++;
            uint32_t id = collective_add(&x->c, r,
                                         (bough_op){.size = item->size,
                                                    .peer = neighbour(t, r, item->next),
                                                    .tag = message_tag(count, send == item->next),
                                                    .kind = send ? BOUGH_OP_SEND : BOUGH_OP_RECV});
            if (send) continue;
            collective_wait(&x->c, id, came[1]); /* limits the dependencies to two */
            came[1] = came[0];
            came[0] = id;
        }
        uint32_t(*last)[2] = t->streams ? x->stream[TRAINING_STREAM_PIPELINE] : x->last;
        if (came[0] != COLLECTIVE_NOBODY) memcpy(last[r], came, sizeof came);
    }
    x->c.cpu = 0;
    if (t->streams) x->covered[stage][TRAINING_STREAM_PIPELINE] = false;
    for (size_t i = first; i < end; i++) {
        const training_item *item = &s->item[i];
        ++*(item->what == TRAINING_SEND ? &x->sent[item->next][stage] : &x->got[item->next][stage]);
    }
    return end;
}

/* ---- errors of a file as a whole ---- */

static bough_status at_line(const training *t, uint32_t line, bough_error *error) {
    return bough_at_line(BOUGH_INVALID, t->file, line, error);
}

/* The first and last stage have a neighbour on one side only; messages sent by a stage must be received by
 * the next. */
static bough_status check_messages(const training *t, bough_error *error) {
    if (t->wraps) return BOUGH_OK; /* not from a file */
    /* sent to and received from the next stage, by the previous stage */
    uint64_t sent[2], got[2], before[2] = {0};
    for (uint32_t p = 0; p < t->pipeline; p++) {
        memset(sent, 0, sizeof sent);
        memset(got, 0, sizeof got);
        for (size_t i = 0; i < t->stage[p].count; i++) {
            const training_item *item = &t->stage[p].item[i];
            if (item->what != TRAINING_SEND && item->what != TRAINING_RECV) continue;
            if (item->next ? p + 1 == t->pipeline : p == 0) {
                bough_fail(error, BOUGH_INVALID, NULL, "stage %" PRIu32 " of %" PRIu32 " has no %s stage", p,
                           t->pipeline, item->next ? "next" : "previous");
                return at_line(t, item->line, error);
            }
            ++*(item->what == TRAINING_SEND ? &sent[item->next] : &got[item->next]);
        }
        if (p > 0 && (before[0] != got[0] || before[1] != sent[0]))
            return bough_fail(error, BOUGH_INVALID, t->file,
                              "stage %" PRIu32 " sends %" PRIu64
                              " message%s to the next stage and expects %" PRIu64 " back, stage %" PRIu32
                              " expects %" PRIu64 " and sends %" PRIu64,
                              p - 1, before[0], bough_s(before[0]), before[1], p, got[0], sent[0]);
        before[0] = sent[1];
        before[1] = got[1];
    }
    return BOUGH_OK;
}

/* The next item of a stage; NULL at its end. */
static const training_item *item_at(const expansion *x, uint32_t p) {
    const training_stage *s = &x->t->stage[p];
    return x->at[p] < s->count ? &s->item[x->at[p]] : NULL;
}

/* Whether the first and the last stage are at a collective of their own. */
static bool at_embedding(const expansion *x) {
    const training_item *a = item_at(x, 0), *b = item_at(x, x->t->pipeline - 1);
    return a && b && a->group == TRAINING_EMBEDDING && b->group == TRAINING_EMBEDDING && a->what == b->what &&
           a->size == b->size;
}

/* A collective over all stages must be the same in all of them. */
static bough_status check_meeting(const expansion *x) {
    const training *t = x->t;
    const training_item *first = NULL;
    for (uint32_t p = 0; p < t->pipeline; p++) {
        const training_item *item = item_at(x, p);
        if (p == 0) first = item;
        if (item && first && item->what == first->what && item->group == first->group &&
            item->size == first->size)
            continue;
        const training_item *any = item ? item : first;
        bough_fail(x->c.error, BOUGH_INVALID, NULL,
                   "this %s spans all stages, but stage %" PRIu32 " has another one, or none",
                   any ? kinds[any->what]->name : "collective", item ? 0 : p);
        return at_line(t, any ? any->line : 0, x->c.error);
    }
    return BOUGH_OK;
}

/* ---- the whole schedule ---- */

static void expand_stage(expansion *x, uint32_t p) {
    const training_stage *s = &x->t->stage[p];
    while (x->at[p] < s->count && !x->c.status) {
        const training_item *item = &s->item[x->at[p]];
        if (crosses(x->t, item)) return;
        if (item->what == TRAINING_SEND || item->what == TRAINING_RECV) {
            x->at[p] = expand_messages(x, p);
            continue;
        }
        if (item->what == TRAINING_COMPUTE)
            expand_compute(x, item, p);
        else if (item->what == TRAINING_WAIT)
            expand_wait(x, item, p);
        else
            expand_collective(x, item, p);
        x->at[p]++;
    }
}

static bool any_left(const expansion *x) {
    for (uint32_t p = 0; p < x->t->pipeline; p++)
        if (x->at[p] < x->t->stage[p].count) return true;
    return false;
}

/* The next step also waits for background operations. */
static void end_step(expansion *x) {
    for (uint32_t r = 0; r < x->t->ranks && !x->c.status; r++) {
        if (x->aside[r][0] == COLLECTIVE_NOBODY) continue;
        x->c.label = 0;
        join_aside(x, r);
        memcpy(x->last[r], x->aside[r], sizeof x->last[r]);
    }
}

static bough_status expand(expansion *x) {
    const training *t = x->t;
    memset(x->last, 0xff, t->ranks * sizeof *x->last);
    memset(x->aside, 0xff, t->ranks * sizeof *x->aside);
    for (unsigned k = 1; k < TRAINING_STREAMS && t->streams; k++)
        memset(x->stream[k], 0xff, t->ranks * sizeof *x->stream[k]);
    memset(x->covered, 0, t->pipeline * sizeof *x->covered);
    for (int next = 0; next < 2; next++) {
        memset(x->sent[next], 0, t->pipeline * sizeof **x->sent);
        memset(x->got[next], 0, t->pipeline * sizeof **x->got);
    }
    for (uint32_t step = 0; step < x->options->steps && !x->c.status; step++) {
        memset(x->at, 0, t->pipeline * sizeof *x->at);
        do {
            for (uint32_t p = 0; p < t->pipeline; p++) expand_stage(x, p);
            if (x->c.status || !any_left(x)) break;
            bool ends = t->pipeline > 1 && at_embedding(x); /* of the first and last stage only */
            if (!ends) x->c.status = check_meeting(x);
            if (x->c.status) break;
            expand_collective(x, item_at(x, 0), 0);
            for (uint32_t p = 0; p < t->pipeline; p++) x->at[p] += !ends || p == 0 || p + 1 == t->pipeline;
        } while (!x->c.status);
        if (step + 1 < x->options->steps) end_step(x);
    }
    return x->c.status;
}

static bough_status make_room(expansion *x, bough_error *error) {
    const training *t = x->t;
    bough_status status = bough_alloc(&x->last, t->ranks, sizeof *x->last, error);
    TRY(bough_alloc(&x->aside, t->ranks, sizeof *x->aside, error));
    TRY(bough_alloc(&x->member, t->ranks, sizeof *x->member, error));
    TRY(bough_alloc(&x->at, t->pipeline, sizeof *x->at, error));
    TRY(bough_alloc(&x->covered, t->pipeline, sizeof *x->covered, error));
    for (unsigned k = 1; k < TRAINING_STREAMS && t->streams && !status; k++)
        status = bough_alloc(&x->stream[k], t->ranks, sizeof *x->stream[k], error);
    x->stream[TRAINING_STREAM_COMPUTE] = x->last;
    for (int next = 0; next < 2 && !status; next++) {
        status = bough_alloc(&x->sent[next], t->pipeline, sizeof **x->sent, error);
        TRY(bough_alloc(&x->got[next], t->pipeline, sizeof **x->got, error));
    }
    return status;
}

static bough_status build(expansion *x, bough_schedule **out, bough_error *error) {
    collective fresh = {
        .last = x->last,
        .error = error,
        .reduce_ps = x->options->reduce_ps,
        .gpu = {.gpus = x->options->gpus, .nics = x->options->nics, .seat = x->options->seat}};
    x->c = fresh;
    bough_status status = expand(x); /* counts */
    uint64_t ops = x->c.ops, waits = x->c.waits;
    x->c = fresh;
    TRY(collective_check_size(ops, waits, x->t->file, error));
    TRY(bough_schedule_begin(x->t->file, x->t->ranks, &x->c.builder, error));
    TRY(bough_schedule_reserve(x->c.builder, ops, waits, error));
    for (unsigned g = 0; g <= TRAINING_GROUPS && !status; g++)
        status = bough_schedule_label(x->c.builder, label_name[g], &x->label[g], error);
    TRY(expand(x));
    if (status) {
        bough_schedule_abandon(x->c.builder);
        return status;
    }
    status = bough_schedule_finish(x->c.builder, out, error);
    if (status) return status;
    (*out)->streams = x->t->streams;
    (*out)->tokens = x->t->tokens * x->options->steps;
    (*out)->flops = x->t->flops * x->options->steps;
    (*out)->peak = x->t->peak;
    return status;
}

bough_status training_schedule(const training *t, const training_options *options, bough_schedule **out,
                               bough_error *error) {
    expansion x = {.t = t, .options = options};
    *out = NULL;
    bough_status status = check_messages(t, error);
    TRY(make_room(&x, error));
    TRY(build(&x, out, error));
    FREE_ALL(x.last, x.aside, x.member, x.at, x.covered);
    for (unsigned k = 1; k < TRAINING_STREAMS; k++) free(x.stream[k]);
    for (int next = 0; next < 2; next++) FREE_ALL(x.sent[next], x.got[next]);
    return status;
}
