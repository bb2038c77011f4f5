#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/flow/flow_state.h"
#include "method/transfers/transfer_rows.h"

#include <inttypes.h>
#include <string.h>

/* ---- memory ---- */

static bough_status reserve(flow_engine *e, uint64_t messages, bough_error *error) {
    if (messages <= e->capacity) return BOUGH_OK;
    if (messages >= FLOW_ITEMS_MAX / 2)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "more than 2^30 concurrent messages");
    bough_status status = bough_grow(&e->message, &e->capacity, messages, sizeof *e->message, error);
    TRY(flow_queue_reserve(&e->next, e->capacity, error));
    return status ? status : max_min_reserve(&e->share, e->capacity, 0, error);
}

/* Usual path length, or number of parts. Tables may have longer paths; then more memory is allocated on
 * demand. */
static unsigned usual_hops(const bough_routing *routing, bool spray) {
    const bough_net *net = routing->net;
    if (spray) return flow_spray_usual(routing);
    unsigned hops = net->hops_max ? net->hops_max : 2 * net->levels;
    return routing->kind->via ? 2 * hops : hops;
}

static uint64_t bytes_with(const bough_routing *routing, uint64_t messages, bool spray, unsigned hops) {
    const bough_net *net = routing->net;
    uint64_t of_message =
        sizeof(message) + (1 + FLOW_LISTS) * sizeof(heap_entry) + sizeof(uint32_t) + sizeof(uint64_t);
    uint64_t bytes = max_min_bytes(net->links, messages, hops, spray);
    if (spray) bytes = bough_add(bytes, flow_spray_bytes(routing));
    bytes = bough_add(bytes, bough_mul(messages, of_message));
    bytes = bough_add(bytes, sizeof(flow_block));
    return bough_add(bytes, net->endpoints);
}

uint64_t flow_bytes(const bough_routing *routing, uint64_t messages, bool spray) {
    return bytes_with(routing, messages, spray, usual_hops(routing, spray));
}

/* Its links may be anywhere in the array. */
uint64_t flow_bytes_beside(const bough_routing *routing, uint64_t messages, bool spray) {
    bool all = spray || routing->net->compute;
    uint64_t bytes = bytes_with(routing, messages, spray, all ? usual_hops(routing, spray) : 2);
    bytes = bough_add(bytes, routing->net->links / 8);
    return spray ? bytes : bough_add(bytes, flow_path_ring_bytes(messages, usual_hops(routing, spray)));
}

uint64_t flow_link_rate(const bough_net *net, const flow_options *o, uint64_t link) {
    if (o->host_rate &&
        (bough_link_start(net, link) < net->endpoints || net->ops->link_end(net, link).node < net->endpoints))
        return bough_net_slowed_rate(net, link, o->host_rate);
    if (o->rate) return bough_net_slowed_rate(net, link, o->rate);
    return bough_net_link_rate(net, link);
}

/* ---- rates of links ---- */

static uint64_t units(const flow_engine *e, uint64_t rate) {
    return rate * (FLOW_UNIT >> e->coarse);
}

/* False: no link can be faster than FLOW_RATE_FAST. */
static bool may_be_fast(const flow_engine *e) {
    uint64_t most = e->o.rate ? e->o.rate : bough_net_rate_range(e->net).high;
    if (e->o.host_rate > most) most = e->o.host_rate;
    return (double)most > FLOW_RATE_FAST;
}

static void set_unit(flow_engine *e) {
    const uint64_t links = may_be_fast(e) ? e->net->links : 0;
    bool fast = false;
    for (uint64_t l = 0; l < links && !fast; l++)
        fast = (double)flow_link_rate(e->net, &e->o, l) > FLOW_RATE_FAST;
    e->coarse = fast ? FLOW_COARSE : 0;
    e->of_bit = (volume)(e->o.spray ? 1 : FLOW_UNIT) * UINT64_C(1000000000000) >> e->coarse;
}

enum { LINKS = 1 << 16 }; /* of a step: threads seldom touch one large page first at a time */

typedef struct rates_of_all {
    flow_engine *e;
    uint64_t wrong; /* the first link whose rate is out of bounds; BOUGH_NONE: none */
} rates_of_all;

static void set_some(void *context, unsigned worker, uint64_t step) {
    rates_of_all *all = context;
    const flow_engine *e = all->e;
    const uint64_t first = step * LINKS, left = e->net->links - first,
                   end = first + (left < LINKS ? left : LINKS);
    (void)worker;
    for (uint64_t l = first; l < end; l++) {
        uint64_t rate = flow_link_rate(e->net, &e->o, l);
        if ((double)rate < FLOW_RATE_MIN || (double)rate > FLOW_RATE_MAX) {
            uint64_t before = __atomic_load_n(&all->wrong, __ATOMIC_RELAXED);
            while (l < before && !__atomic_compare_exchange_n(&all->wrong, &before, l, true, __ATOMIC_RELAXED,
                                                              __ATOMIC_RELAXED))
                ;
            return;
        }
        e->share.link[l].capacity = units(e, rate);
    }
}

static bough_status set_rates(flow_engine *e, bough_error *error) {
    rates_of_all all = {e, BOUGH_NONE};
    char name[200];
    set_unit(e);
    team_loop(e->o.threads, (e->net->links + LINKS - 1) / LINKS, set_some, &all);
    if (all.wrong == BOUGH_NONE) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "the rate of link %s is %" PRIu64
                      " bit/s; flow supports 1 Mb/s to 100 Tb/s; rate= sets the rate of all links",
                      bough_link_name(e->net, all.wrong, name, sizeof name),
                      flow_link_rate(e->net, &e->o, all.wrong));
}

/* ---- creation ---- */

static bough_status make(const bough_routing *routing, const flow_options *options, uint64_t messages,
                         flow_engine **out, bough_error *error) {
    const bough_net *net = routing->net;
    flow_engine *e;
    *out = NULL;
    bough_status status = bough_alloc(out, 1, sizeof *e, error);
    if (status) return status;
    e = *out;
    e->routing = routing;
    e->net = net;
    e->o = *options;
    status = max_min_init(&e->share, net->links, options->spray, error);
    if (options->spray) TRY(flow_spray_init(&e->spray, routing, error));
    TRY(bough_alloc(&e->block, 1, sizeof *e->block, error));
    TRY(flow_blocks_workers(e, 1, error));
    TRY(bough_alloc(&e->sends, net->endpoints, sizeof *e->sends, error));
    TRY(reserve(e, messages, error));
    TRY(max_min_reserve(&e->share, 0, bough_mul(messages, usual_hops(routing, options->spray)), error));
    TRY(bough_grow(&e->time, &e->time_capacity, messages, sizeof *e->time, error));
    return status;
}

static bough_status check_made(flow_engine **out, bough_status status) {
    if (!status) return BOUGH_OK;
    flow_destroy(*out);
    *out = NULL;
    return status;
}

bough_status flow_make(const bough_routing *routing, const flow_options *options, uint64_t messages,
                       flow_engine **out, bough_error *error) {
    bough_status status = make(routing, options, messages, out, error);
    TRY(set_rates(*out, error));
    return check_made(out, status);
}

bough_status flow_make_beside(const flow_engine *e, uint64_t messages, flow_engine **out,
                              bough_error *error) {
    bough_status status = make(e->routing, &e->o, messages, out, error);
    TRY(bough_alloc(&(*out)->known, e->net->links / 64 + 1, sizeof *(*out)->known, error));
    if (!status) {
        (*out)->coarse = e->coarse;
        (*out)->of_bit = e->of_bit;
    }
    return check_made(out, status);
}

bough_status flow_make_ring(const flow_engine *e, uint64_t messages, flow_path_ring **ring,
                            bough_error *error) {
    *ring = NULL;
    if (!flow_blocks_ahead(e)) return BOUGH_OK;
    return flow_path_ring_make(messages, usual_hops(e->routing, false), ring, error);
}

void flow_destroy(flow_engine *e) {
    if (!e) return;
    max_min_fini(&e->share);
    flow_blocks_fini(e);
    flow_watch_fini(&e->watch);
    flow_spray_fini(&e->spray);
    flow_queue_fini(&e->next);
    FREE_ALL(e->message, e->time, e->sends, e->known, e);
}

const flow_totals *flow_result(const flow_engine *e) {
    return &e->t;
}

uint64_t *flow_times(flow_engine *e) {
    return e->time;
}

double flow_carried(const flow_engine *e, uint64_t link) {
    return e->share.link[link].carried;
}

double flow_capacity(const flow_engine *e, uint64_t link) {
    const uint64_t units = e->share.link[link].capacity / (FLOW_UNIT >> e->coarse);
    return (double)units;
}

uint64_t flow_work(const flow_engine *e) {
    return e->share.work;
}

/* ---- one message ---- */

static bough_status fail(flow_engine *e, uint32_t id, uint32_t source, uint32_t address, const char *what) {
    char from[96], to[96];
    return bough_fail(e->error, BOUGH_FAILED, NULL, "message %" PRIu32 " from %s to %s %s", id,
                      bough_node_name(e->net, source, from, sizeof from),
                      bough_node_name(e->net, bough_address_node(e->net, address), to, sizeof to), what);
}

/* Allocates a slot for a message, and memory for its path. */
static bough_status allocate(flow_engine *e, uint32_t hops, uint32_t *slot) {
    *slot = e->first_free;
    if (*slot != MAX_MIN_NONE) {
        e->first_free = e->message[*slot].next_free;
        return max_min_reserve(&e->share, 0, hops, e->error);
    }
    bough_status status = reserve(e, (uint64_t)e->used + 1, e->error);
    TRY(max_min_reserve(&e->share, 0, hops, e->error));
    if (!status) *slot = e->used++;
    return status;
}

static void arrive(flow_engine *e, uint32_t slot) {
    message *m = &e->message[slot];
    e->time[e->t.arrived++] = e->now - m->start;
    e->t.end = e->now;
    e->t.bits += 8 * (double)m->data;
    if (transfer_inside(e->net, m->source, bough_address_node(e->net, m->address)))
        e->t.inside += 8 * (double)m->data;
    e->t.hops += m->hops;
    e->t.senders += !e->sends[m->source];
    e->sends[m->source] = 1;
    m->next_free = e->first_free;
    e->first_free = slot;
    if (e->in.source->delivered) e->in.source->delivered(e->in.source, m->id, e->now);
}

/* The time since the last change of the rate of a flow, at a rate. */
static void watch_phase(flow_engine *e, uint32_t slot, uint64_t rate) {
    const message *m = &e->message[slot];
    const flow_phase phase = {slot, m->id, m->since, e->now, rate};
    flow_watch_phase(&e->watch, &e->share, &phase);
}

/* A message has entered; a message without data or links takes its delay. */
static bough_status watch_start(flow_engine *e, uint32_t slot) {
    const message *m = &e->message[slot];
    timeline_alone(e->watch.seen, m->id, m->delay);
    if (!m->flows) return BOUGH_OK;
    bough_status status = flow_watch_enter(&e->watch, &e->share, slot, e->error);
    if (status) return status;
    uint64_t full = e->watch.flow[slot].full;
    timeline_alone(e->watch.seen, m->id, bough_add((uint64_t)((m->left + full / 2) / full), m->delay));
    return BOUGH_OK;
}

/* The last bit has left the source. */
static bough_status leave_source(flow_engine *e, uint32_t slot) {
    message *m = &e->message[slot];
    const max_min_flow *g = &e->share.flow[slot];
    if (m->left_links) {
        max_min_release(&e->share, slot);
        m->left_links = false;
    }
    if (m->flows) { /* a record has the phases of flows in order */
        watch_phase(e, slot, g->rate);
        flow_watch_leave(&e->watch, &e->share, slot, m->id);
        flow_blocks_leave(e, slot);
        max_min_release(&e->share, slot);
        m->flows = false;
    }
    if (m->delay > FLOW_TIME_MAX - e->now)
        return fail(e, m->id, m->source, m->address, "would arrive after more than 53 days");
    if (m->delay) {
        flow_queue_put(&e->next, FLOW_ARRIVALS, (heap_entry){e->now + m->delay, m->id, slot});
        m->delay = 0;
    } else {
        arrive(e, slot);
    }
    return BOUGH_OK;
}

static uint64_t delay_of(const flow_engine *e, const message_links *l) {
    uint64_t delay = 0;
    if (e->o.delay != BOUGH_NONE) return bough_mul(l->hops, e->o.delay);
    if (!bough_net_own_delays(e->net)) return bough_physical_delay(bough_net_physical(e->net), l->hops);
    if (e->o.spray) return e->spray.delay;
    for (uint32_t i = 0; i < l->hops; i++)
        delay = bough_add(delay, bough_net_hop_delay(e->net, l->path[i], i + 1 == l->hops));
    return delay;
}

/* Paths are known if they are found ahead. */
static flow_path_end find_links(flow_engine *e, const bough_message *b, message_links *l) {
    if (!e->o.spray) {
        if (!flow_blocks_ahead(e)) flow_find_path(e, b, l);
        return l->end;
    }
    flow_path_end end = flow_spray_find(&e->spray, b, &l->at);
    l->hops = e->spray.hops;
    l->count = e->spray.parts;
    return end;
}

/* An engine beside another has the rates of links that it needs. */
static void set_needed(flow_engine *e, const uint32_t *link, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bit = UINT64_C(1) << link[i] % 64;
        if (e->known[link[i] / 64] & bit) continue;
        e->known[link[i] / 64] |= bit;
        e->share.link[link[i]].capacity = units(e, flow_link_rate(e->net, &e->o, link[i]));
    }
}

/* Leaves only the links at both ends: the first and the last, and those of compute nodes and of their NICs.
 */
static void keep_ends(const bough_net *net, message_links *l) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->hops; i++)
        if (i == 0 || i + 1 == l->hops || flow_own_link(net, l->path[i])) l->path[kept++] = l->path[i];
    l->count = kept;
}

/* Enters the links, or only those at both ends. */
static void enter(flow_engine *e, uint32_t slot, const bough_message *b, message_links *l) {
    if (!e->o.spray) {
        if (e->in.ends_only) keep_ends(e->net, l);
        if (e->known) set_needed(e, l->path, l->count);
        max_min_come(&e->share, slot, l->count);
        if (e->watch.seen) max_min_place(&e->share, slot, l->path, NULL);
    } else {
        if (e->in.ends_only) flow_spray_ends(&e->spray, b);
        if (e->known) set_needed(e, e->spray.link, e->spray.parts);
        max_min_come(&e->share, slot, e->spray.parts);
        max_min_place(&e->share, slot, e->spray.link, e->spray.weight);
    }
    const bool placed = e->o.spray || e->watch.seen;
    e->block->entering[e->block->entered++] = (struct flow_entry){slot, placed ? NULL : l};
    if (e->routing->kind->wants_load) flow_blocks_attach(e);
}

static bough_status start(flow_engine *e, uint32_t i) {
    const bough_message *b = &e->block->message[i];
    message_links *l = &e->block->links[i];
    uint32_t slot;
    uint64_t data = bough_mul(b->size, e->o.unit),
             bytes = bough_physical_wire_bytes(bough_net_physical(e->net), data);
    if (bytes > FLOW_BYTES_MAX) return fail(e, b->id, b->source, b->address, "has more than 2^60 bytes");
    flow_path_end end = find_links(e, b, l);
    if (end == FLOW_TOO_WIDE)
        return fail(e, b->id, b->source, b->address,
                    "is divided over more than 65535 links; spray=0 gives it one path");
    if (end != FLOW_ARRIVES) {
        if (!e->t.unrouted++) e->t.lost = *b, e->t.lost_at = l->at, e->t.lost_end = end;
        return BOUGH_OK;
    }
    bough_status status = allocate(e, l->count, &slot);
    TRY(bough_grow(&e->time, &e->time_capacity, e->t.arrived + e->used, sizeof *e->time, e->error));
    if (status) return status;
    message *m = &e->message[slot];
    *m = (message){.left = bytes * 8 * e->of_bit,
                   .since = e->now,
                   .start = b->time < e->now ? b->time : e->now,
                   .bytes = bytes,
                   .data = data,
                   .delay = delay_of(e, l),
                   .source = b->source,
                   .address = b->address,
                   .id = b->id,
                   .hops = (uint16_t)l->hops,
                   .flows = bytes && l->hops};
    if (m->flows)
        enter(e, slot, b, l);
    else
        flow_queue_put(&e->next, FLOW_ENDS, (heap_entry){e->now, m->id, slot});
    return e->watch.seen ? watch_start(e, slot) : BOUGH_OK;
}

/* The rate of a flow changes. */
static bough_status change_rate(flow_engine *e, uint32_t slot) {
    message *m = &e->message[slot];
    const max_min_flow *g = &e->share.flow[slot];
    m->left -= (volume)g->before * (e->now - m->since);
    if (e->watch.seen) {
        watch_phase(e, slot, g->before);
        flow_watch_limit(&e->watch, &e->share, slot);
    }
    m->since = e->now;
    volume lasts = (m->left + g->rate / 2) / g->rate;
    if (lasts > FLOW_TIME_MAX - e->now)
        return fail(e, m->id, m->source, m->address, "would take more than 53 days");
    flow_queue_put(&e->next, FLOW_ENDS, (heap_entry){e->now + (uint64_t)lasts, m->id, slot});
    return BOUGH_OK;
}

/* ---- one instant ---- */

static bool interrupted(const flow_engine *e) {
    return e->in.run && bough_run_stopped(e->in.run);
}

/* In parts, as a source may take long. */
static uint32_t pop(flow_engine *e, uint32_t most) {
    const uint32_t part = most < FLOW_POP ? most : FLOW_POP;
    uint32_t count = 0, got;
    do {
        got = e->in.source->pop(e->in.source, e->now, e->block->message + count, part);
        count += got;
    } while (got == part && count < most);
    return count;
}

static bough_status start_all(flow_engine *e) {
    uint32_t got, most;
    bough_status status = BOUGH_OK;
    do {
        most = flow_blocks_size(e); /* more from when another thread is free */
        got = pop(e, most);
        if (flow_blocks_ahead(e)) flow_find_paths(e, got);
        for (uint32_t i = 0; i < got && !status; i++) status = start(e, i);
        flow_blocks_attach(e);
        if (interrupted(e)) return bough_fail(e->error, BOUGH_INTERRUPTED, NULL, "interrupted");
    } while (got == most && !status);
    return status;
}

/* Those of the block before the current one leave their sources. */
static void finish(flow_engine *e) {
    flow_block *b = e->block;
    for (uint32_t i = 0; i < b->lefts && !b->status; i++) b->status = leave_source(e, b->left[i]);
    b->lefts = 0;
}

static bough_status leave_all(flow_engine *e) {
    flow_block *b = e->block;
    bough_status status = BOUGH_OK;
    b->status = BOUGH_OK;
    b->lefts = 0;
    flow_blocks_take(e);
    while (!status && !b->status && b->due) {
        const uint32_t count = b->due;
        memcpy(b->slot, b->next, count * sizeof *b->slot);
        if (e->watch.seen)
            flow_blocks_take(e);
        else
            status = flow_blocks_detach(e, count, finish);
        memcpy(b->left, b->slot, count * sizeof *b->slot);
        b->lefts = count;
        if (e->watch.seen) finish(e);
    }
    if (!status) finish(e);
    return status ? status : b->status;
}

static bough_status recompute_rates(flow_engine *e) {
    bough_status status = BOUGH_OK;
    if (!max_min_pending(&e->share)) return status;
    max_min_solve(&e->share);
    if (interrupted(e)) return bough_fail(e->error, BOUGH_INTERRUPTED, NULL, "interrupted");
    if (e->share.changes >= FLOW_MANY) flow_queue_collect(&e->next);
    for (uint32_t i = 0; i < e->share.changes && !status; i++) status = change_rate(e, e->share.changed[i]);
    flow_queue_order(&e->next);
    e->t.instants++;
    e->t.rates += e->share.changes;
    return status;
}

static bough_status instant(flow_engine *e) {
    bough_status status = leave_all(e);
    if (!status && e->in.source->next_time(e->in.source) <= e->now) status = start_all(e);
    return status ? status : recompute_rates(e);
}

static void report_progress(flow_engine *e) {
    const bough_run *run = e->in.run;
    if (!run || !run->progress || !e->in.messages) return;
    double share = (double)(e->t.arrived + e->t.unrouted) / (double)e->in.messages;
    run->progress(run->progress_context, share);
}

static void clear(flow_engine *e) {
    max_min_clear(&e->share);
    e->used = 0;
    e->first_free = MAX_MIN_NONE;
    flow_queue_clear(&e->next);
    for (uint64_t l = 0; l < e->net->links && e->ran && !e->known; l++) e->share.link[l].carried = 0;
    e->ran = true;
    memset(e->sends, 0, e->net->endpoints * sizeof *e->sends);
    e->block->entered = 0;
    memset(e->block->has, 0, sizeof e->block->has);
    e->t = (flow_totals){0};
}

/* An instant can take a second to compute, so the stop flag is also checked after this many crossings. */
#define CHECK_AFTER (UINT64_C(1) << 16)

bough_status flow_run(flow_engine *e, const flow_input *input, bough_error *error) {
    bough_source *source = input->source;
    bough_status status = BOUGH_OK;
    clear(e);
    e->in = *input;
    if (!e->in.few) e->in.few = FLOW_FEW;
    e->share.team = input->team; /* a thread may become free in the middle of a long solve */
    e->share.few = e->in.few;
    status = flow_blocks_workers(e, team_size(input->team), error);
    e->watch.seen = input->seen;
    e->watch.unit = 1.0 / (FLOW_UNIT >> e->coarse);
    e->share.stop = input->run ? input->run->stop : NULL;
    e->error = error;
    e->spray.key = input->key;
    for (unsigned i = 0; i < e->workers; i++) e->paths[i].key = input->key;
    e->now = 0;
    uint64_t checked = 0;
    for (uint64_t count = 0; !status; count++) {
        uint64_t birth = source->next_time(source);
        const heap_entry *first = flow_queue_first(&e->next);
        uint64_t next = first ? first->key : BOUGH_NONE;
        if (birth < next) next = birth;
        if (next == BOUGH_NONE) break;
        if (next > FLOW_TIME_MAX)
            return bough_fail(error, BOUGH_FAILED, NULL, "a message starts after more than 53 days");
        if (next > e->now) e->now = next;
        status = instant(e);
        if (count % 64 && e->share.work - checked < CHECK_AFTER) continue;
        checked = e->share.work;
        report_progress(e);
        if (!status && interrupted(e)) status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    }
    return status;
}
