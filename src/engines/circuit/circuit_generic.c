#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/circuit_state.h"
#include "traffic/patterns/batch_team.h"

#include <stdlib.h>
#include <string.h>

uint64_t circuit_generic_bytes(const bough_point *p, const circuit_options *o) {
    uint64_t bytes = bough_mul(p->net->links, sizeof(link_state));
    if (p->routing->kind->wants_load) bytes = bough_add(bytes, bough_mul(p->net->links, 4));
    if (o->scenarios) bytes = bough_add(bytes, bough_mul(p->net->links, sizeof(link_requests)));
    if (o->wires)
        bytes =
            bough_add(bytes, bough_add(bough_mul(p->net->links, 2), link_clocks_bytes(p->net, &o->clock)));
    bytes = bough_add(bytes, bough_mul(p->net->groups, 8));
    uint64_t messages = bough_mul(p->traffic->messages, o->reply == CIRCUIT_MESSAGE ? 2 : 1);
    uint64_t each = sizeof(message_state) + sizeof(request) + 5 * 4;
    if (p->routing->kind->via) each += 4;
    if (o->scenarios && o->wait) each += 4;
    if (o->latency) each += 4;
    if (o->same_path) each += 4 * (uint64_t)circuit_hops(p->net, p->routing);
    return bough_add(bytes, bough_mul(messages, each));
}

void circuit_clear_calendars(circuit_generic *w) {
    for (unsigned i = 0; i < w->workers; i++) {
        calendar_clear(&w->worker[i]->calendar);
        w->worker[i]->released_count = w->worker[i]->delivered_count = 0;
    }
}

/* Of each further thread: lists of messages. */
uint64_t circuit_generic_bytes_each(const bough_point *p) {
    return bough_add(bough_mul(p->traffic->messages, 8), UINT64_C(1) << 17);
}

static void free_worker(circuit_worker *k) {
    if (!k) return;
    calendar_fini(&k->calendar);
    FREE_ALL(k->free, k->load, k->order, k->member, k->touched, k->delivered, k->released, k);
}

void circuit_generic_free(circuit_generic *w) {
    if (!w) return;
    for (unsigned i = 0; i < w->workers; i++) free_worker(w->worker[i]);
    FREE_ALL(w->link, w->use, w->wire, w->id, w->used, w->seen, w->group, w->message, w->request, w->path,
             w->goal, w->sorted, w->tally, w->shard, w->slip, w->slip_first, w->list, w->range, w->worker,
             w->claim, w->per_round, w->per_attempt, w->latency.latency, w->waited, w->stage, w);
}

/* Cycles that the ring of a calendar covers. */
static uint32_t ring_size(const engine *e) {
    uint64_t reach = 4 * ((uint64_t)e->net->hops_max + 2) + e->o->payload + e->o->answer;
    uint32_t size = 64;
    while (size < reach && size < 1u << 16) size *= 2;
    return size;
}

static bough_status make_worker(engine *e, circuit_worker **out) {
    const uint64_t most = bough_add(e->net->group_max, THREAD_APART / sizeof *e->k->load);
    circuit_worker *k;
    bough_status status = bough_alloc(&k, 1, sizeof *k, e->error);
    if (status) return status;
    *out = k;
    status = calendar_make(&k->calendar, ring_size(e), e->error);
    TRY(bough_alloc(&k->free, most, sizeof *k->free, e->error));
    TRY(bough_alloc(&k->load, most, sizeof *k->load, e->error));
    return status;
}

/* Makes the workers of e->team; e->k is the first. */
static bough_status make_workers(engine *e) {
    circuit_generic *w = e->w;
    unsigned count = team_size(e->team);
    bough_status status = BOUGH_OK;
    if (count > w->workers) {
        size_t capacity = w->workers, lists = w->workers, claims = w->workers,
               ranges = w->workers ? CIRCUIT_RANGES * w->workers : 0;
        status = bough_grow(&w->worker, &capacity, count, sizeof *w->worker, e->error);
        TRY(bough_grow(&w->list, &lists, count, sizeof *w->list, e->error));
        TRY(bough_grow(&w->claim, &claims, count, sizeof *w->claim, e->error));
        TRY(bough_grow(&w->range, &ranges, CIRCUIT_RANGES * (uint64_t)count, sizeof *w->range, e->error));
    }
    while (!status && w->workers < count) {
        w->worker[w->workers] = NULL;
        status = make_worker(e, &w->worker[w->workers++]);
    }
    if (!status) e->k = w->worker[0];
    return status;
}

/* An array that is filled by several threads. */
typedef struct fill {
    char *array;
    uint64_t bytes;
    int byte;
} fill;

enum { FILL_PARTS = 64 };

static void fill_part(void *context, unsigned worker, uint64_t part) {
    const fill *f = context;
    uint64_t first = team_part(f->bytes, FILL_PARTS, part), end = team_part(f->bytes, FILL_PARTS, part + 1);
    (void)worker;
    memset(f->array + first, f->byte, end - first);
}

static void fill_array(const engine *e, void *array, uint64_t bytes, int byte) {
    fill f = {array, bytes, byte};
    team_each(e->team, FILL_PARTS, fill_part, &f);
}

bough_status circuit_make_workspace(engine *e) {
    circuit_generic *w;
    const bough_net *net = e->net;
    bough_status status = bough_alloc(&w, 1, sizeof *w, e->error);
    if (status) return status;
    e->w = w;
    if (e->o->wires) status = bough_alloc(&w->wire, net->links, sizeof *w->wire, e->error);
    if (w->wire) TRY(link_clocks_fill(net, &e->o->clock, w->wire, e->error));
    if (status) return status;
    w->links = net->links;
    w->groups = net->groups;
    status = large_alloc(&w->link, net->links, sizeof *w->link, e->error);
    TRY(large_alloc(&w->group, net->groups, sizeof *w->group, e->error));
    TRY(bough_alloc(&w->shard, CIRCUIT_SHARDS + 1, sizeof *w->shard, e->error));
    TRY(make_workers(e));
    if (!status && e->routing->kind->wants_load)
        status = bough_alloc(&w->used, net->links, sizeof *w->used, e->error);
    if (!status && e->o->scenarios) status = bough_alloc(&w->seen, net->links, sizeof *w->seen, e->error);
    if (status) return status;
    fill_array(e, w->group, net->groups * sizeof *w->group, 0xff);
    return BOUGH_OK;
}

/* The results that depend on the order of deliveries, and some that are counted in common arrays, need one
 * thread. */
bool circuit_generic_divides(const circuit_options *o) {
    return !o->stages && !o->latency && !(o->history && !circuit_in_rounds(o));
}

/* Paths of the messages that may use them, once all messages are known. */
static bough_status make_paths(engine *e) {
    circuit_generic *w = e->w;
    uint64_t hops = bough_mul(e->r->messages, e->hops_max);
    bough_status status = BOUGH_OK;
    if (e->routing->kind->via)
        status = bough_grow(&w->goal, &w->goal_capacity, e->r->messages + 1, sizeof *w->goal, e->error);
    if (!status && e->o->same_path)
        status = bough_grow(&w->path, &w->path_capacity, hops + 1, sizeof *w->path, e->error);
    if (e->o->scenarios && e->o->wait)
        TRY(bough_grow(&w->waited, &w->waited_capacity, e->r->messages + 1, sizeof *w->waited, e->error));
    if (status) return status;
    if (w->waited) memset(w->waited, 0, e->r->messages * sizeof *w->waited);
    if (w->goal) memset(w->goal, 0xff, e->r->messages * sizeof *w->goal);
    if (w->path) memset(w->path, 0xff, hops * sizeof *w->path);
    return BOUGH_OK;
}

/* Appends the replies to all requests, in the same order. A reply starts when its request has arrived. */
static bough_status add_replies(engine *e) {
    circuit_generic *w = e->w;
    uint64_t count = e->requests;
    bough_status status =
        bough_grow(&w->message, &w->message_capacity, 2 * count, sizeof *w->message, e->error);
    if (status) return status;
    for (uint64_t i = 0; i < count; i++) {
        const message_state *m = &w->message[i];
        w->message[count + i] =
            (message_state){.source = m->target,
                            .address = (uint32_t)bough_endpoint_address(e->net, m->source),
                            .target = m->source};
    }
    e->r->messages = 2 * count;
    return BOUGH_OK;
}

enum { TOGETHER = 4096 }; /* messages that a thread makes or starts */

static bough_status make_some(engine *e, void *context, uint64_t i) {
    const bough_batch *batch = context;
    uint64_t m = i * TOGETHER, end = m + TOGETHER < batch->count ? m + TOGETHER : batch->count;
    for (; m < end; m++)
        e->w->message[m] = (message_state){.source = batch->source[m],
                                           .address = batch->address[m],
                                           .target = (uint32_t)bough_address_node(e->net, batch->address[m])};
    return BOUGH_OK;
}

static bough_status load_messages(engine *e) {
    circuit_generic *w = e->w;
    bough_batch batch;
    bough_status status = batch_read_team(e->run->point.traffic, e->key, e->team, &batch, e->error);
    if (status) return status;
    e->r->messages = e->requests = batch.count;
    status = bough_grow(&w->message, &w->message_capacity, batch.count, sizeof *w->message, e->error);
    TRY(circuit_each(e, (batch.count + TOGETHER - 1) / TOGETHER, make_some, &batch));
    bough_batch_fini(&batch);
    return status || e->o->reply != CIRCUIT_MESSAGE ? status : add_replies(e);
}

/* ---- the run ---- */

/* One attempt does not reveal the messages without a route, since some are refused for other reasons
 * first. */
static void count_unrouted(engine *e) {
    const bough_net *net = e->net;
    e->counted = e->o->mode == CIRCUIT_ATTEMPT && net->ops->reaches && !e->routing->kind->oblivious;
    for (uint64_t m = 0; m < e->r->messages && e->counted; m++)
        e->r->unrouted += !net->ops->reaches(net, e->w->message[m].source, e->w->message[m].address);
}

/* All heads wait, and no link will become free. */
static bool is_deadlocked(const engine *e) {
    return e->waiting && e->waiting == e->pending && e->freed <= e->now;
}

/* Serves cycles until no head is moving. */
static bough_status serve_until_quiet(engine *e) {
    bough_status status = BOUGH_OK;
    /* If routes ascend and continue, at least one message always succeeds. */
    bool lock = e->o->mode == CIRCUIT_CYCLES && !circuit_waits_randomly(e->o) && !e->o->wait &&
                (e->net->dead_ends || !bough_routing_ordered(e->routing) || e->w->goal);
    for (; e->pending && !status; e->now++) {
        if (bough_run_stopped(e->run)) return bough_fail(e->error, BOUGH_INTERRUPTED, NULL, "interrupted");
        e->r->locked = lock && e->now - e->success > PATIENCE * e->o->slot;
        if (e->r->locked || e->now > e->o->cycle_limit || e->now > CIRCUIT_CYCLES_MAX) {
            e->r->cut_off = true;
            return BOUGH_OK;
        }
        status = circuit_serve_cycle(e);
        e->r->deadlocked = !status && is_deadlocked(e);
        if (e->r->deadlocked) break;
    }
    return status;
}

static bough_status end_round(engine *e) {
    circuit_generic *w = e->w;
    if (w->seen) memset(w->seen, 0, w->links * sizeof *w->seen);
    bough_status status = circuit_free_delivered(e);
    if (e->o->history && !status) {
        status =
            bough_grow(&w->per_round, &w->round_capacity, e->r->rounds + 1, sizeof *w->per_round, e->error);
        if (!status) w->per_round[e->r->rounds] = e->round_delivered;
        e->r->per_round = w->per_round;
    }
    e->round_delivered = 0;
    e->r->rounds++;
    return status;
}

/* Starts messages: all in the first round, then those that have not arrived. */
static bough_status start_some(engine *e, void *context, uint64_t i) {
    const bool first = *(const bool *)context;
    uint64_t m = i * TOGETHER, end = m + TOGETHER < e->messages ? m + TOGETHER : e->messages;
    bough_status status = BOUGH_OK;
    for (; m < end && !status; m++) {
        const message_state *s = &e->w->message[m]; /* skipped: at the target, or given up */
        if (first || (s->attempts == e->r->rounds && s->node != s->target))
            status = circuit_start(e, (uint32_t)m, e->now);
    }
    return status;
}

static bough_status run_rounds(engine *e) {
    bough_status status = BOUGH_OK;
    bool first = true;
    while (e->done < e->r->messages && !e->r->cut_off && !status) {
        if (e->r->rounds == e->o->round_limit || (e->o->mode == CIRCUIT_ATTEMPT && !first)) {
            e->r->cut_off = e->o->mode != CIRCUIT_ATTEMPT;
            break;
        }
        if (e->now <= e->latest && !first) e->now = e->latest + 1;
        e->base = e->now;
        uint64_t done = e->done;
        e->messages = e->r->messages;
        TRY(circuit_each(e, (e->messages + TOGETHER - 1) / TOGETHER, start_some, &first));
        first = false;
        TRY(serve_until_quiet(e));
        TRY(end_round(e));
        if (e->done == done && e->o->mode != CIRCUIT_ATTEMPT && e->r->rounds > 1000) {
            /* 1000 rounds plus this one without a delivery: the run will not end */
            e->r->cut_off = e->r->locked = true;
            break;
        }
    }
    return status;
}

bough_status circuit_generic_run(const circuit_trial *trial, circuit_generic **workspace,
                                 circuit_result *result, bough_error *error) {
    const circuit_options *options = trial->options;
    engine e = {.w = *workspace,
                .run = trial->run,
                .net = trial->run->point.net,
                .routing = trial->run->point.routing,
                .o = options,
                .r = result,
                .key = trial->key,
                .error = error,
                .team = circuit_generic_divides(trial->options) ? trial->team : NULL,
                .hops_max = circuit_hops(trial->run->point.net, trial->run->point.routing)};
    *result = (circuit_result){0};
    bough_status status = BOUGH_OK;
    if (!e.w) {
        status = circuit_make_workspace(&e);
        *workspace = e.w;
        if (status) return status;
    } else if (!e.w->clean) {
        circuit_clear_calendars(e.w);
        fill_array(&e, e.w->group, e.w->groups * sizeof *e.w->group, 0xff);
    }
    status = make_workers(&e);
    if (status) return status;
    fill_array(&e, e.w->link, e.w->links * sizeof *e.w->link, 0);
    if (e.w->used) memset(e.w->used, 0, e.w->links * sizeof *e.w->used);
    if (e.w->seen) memset(e.w->seen, 0, e.w->links * sizeof *e.w->seen);
    e.w->clean = false;
    e.w->latency.count = 0;
    status = load_messages(&e);
    if (status) return status;
    status = make_paths(&e);
    if (status) return status;
    count_unrouted(&e);
    if (circuit_in_rounds(options)) {
        status = run_rounds(&e);
    } else {
        for (uint64_t m = 0; m < e.requests && !status; m++) status = circuit_start(&e, (uint32_t)m, 0);
        TRY(serve_until_quiet(&e));
    }
    result->undelivered = result->messages - e.done + e.given_up;
    if (options->latency) result->latency = &e.w->latency;
    if (status == BOUGH_OK && !result->cut_off && !result->deadlocked) e.w->clean = true;
    return status;
}

circuit_fate circuit_generic_fate(const circuit_generic *w, uint64_t i) {
    const message_state *m = &w->message[i];
    return (circuit_fate){m->source, m->target,
                          m->node == m->target && m->tries == 1 && m->attempts != GIVEN_UP};
}
