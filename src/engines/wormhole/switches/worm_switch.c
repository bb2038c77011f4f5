/* The engine: its memory, a trial, and the steps of a cycle as defined in worm_switch.h. */
#include "engines/wormhole/switches/worm_switch.h"
#include "base/compare.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/wormhole/switches/worm_switch_state.h"

#include <stdlib.h>
#include <string.h>

static unsigned shift_for(uint32_t vcs) {
    unsigned shift = 0;
    while (1u << shift < vcs) shift++;
    return shift;
}

/* At most two credits per link and cycle are in flight; a cycle brings at most one delivery per link. */
uint64_t worm_switch_bytes(const bough_routing *routing, const worm_options *o, uint64_t messages) {
    const bough_net *net = routing->net;
    uint64_t channels = bough_mul(net->links, UINT64_C(1) << shift_for(o->vcs));
    if (channels >= SWITCH_NEW || net->groups >= SWITCH_NEW || net->nodes >= SWITCH_NEW) return UINT64_MAX;
    uint64_t slots = bough_mul(channels, o->buffer), most = 2 * net->links * (o->credit + UINT64_C(2));
    uint64_t link = sizeof(switch_link) + 3 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + sizeof(uint64_t) +
                    (routing->kind->wants_load ? sizeof(uint32_t) : 0);
    uint64_t bytes = bough_mul(net->links, link);
    bytes = bough_add(bytes, bough_mul(channels, sizeof(switch_channel)));
    bytes = bough_add(bytes, bough_mul(slots < most ? slots : most, sizeof(uint32_t)));
    bytes = bough_add(bytes, bough_mul(net->groups, sizeof(switch_group) + sizeof(uint32_t)));
    bytes = bough_add(bytes, bough_mul(net->endpoints, sizeof(sim_delivery)));
    bytes = bough_add(bytes, bough_mul(messages, sizeof(switch_message)));
    if (o->wires)
        bytes = bough_add(bytes, switch_wires_bytes(net->links, channels, slots < most ? slots : most));
    return o->credit ? bytes : bough_add(bytes, switch_order_bytes(net->groups));
}

static bough_status check(const bough_routing *routing, const worm_options *o, bough_error *error) {
    const struct {
        const char *place;
        uint32_t value, least, most;
    } want[] = {{"vcs", o->vcs, 1, WORM_SWITCH_VCS},
                {"buffer", o->buffer, 1, WORM_SWITCH_BUFFER},
                {"credit", o->credit, 0, WORM_SWITCH_CREDIT}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (want[i].value < want[i].least || want[i].value > want[i].most)
            return bough_fail(error, BOUGH_INVALID, want[i].place, "%u is not in %u .. %u", want[i].value,
                              want[i].least, want[i].most);
    return bough_memory_check(worm_switch_bytes(routing, o, 0), "the switches", error);
}

static bough_status allocate(worm_switch *w, bough_error *error) {
    uint64_t links = w->net->links, groups = w->net->groups;
    bough_status status = bough_alloc(&w->link, links, sizeof *w->link, error);
    TRY(bough_alloc(&w->channel, links << w->shift, sizeof *w->channel, error));
    TRY(bough_alloc(&w->group, groups, sizeof *w->group, error));
    TRY(bough_alloc(&w->active, w->words << 6, sizeof *w->active, error));
    TRY(bough_alloc(&w->some, w->words, sizeof *w->some, error));
    TRY(bough_alloc(&w->busy, groups, sizeof *w->busy, error));
    TRY(bough_alloc(&w->credit, w->o.credit + UINT64_C(2), sizeof *w->credit, error));
    TRY(bough_alloc(&w->free, w->net->group_max, sizeof *w->free, error));
    TRY(bough_alloc(&w->load, w->net->group_max, sizeof *w->load, error));
    if (!status && w->routing->kind->wants_load)
        status = bough_alloc(&w->used, links, sizeof *w->used, error);
    TRY(bough_alloc(&w->grants, links, sizeof *w->grants, error));
    TRY(bough_alloc(&w->waited, links, sizeof *w->waited, error));
    TRY(bough_alloc(&w->crossed, links, sizeof *w->crossed, error));
    if (!status && w->o.credit == 0) status = switch_order_make(groups, &w->sequence, error);
    if (!status && w->o.wires) status = switch_wires_make(w, &w->wires, error);
    return status;
}

static void destroy(sim_engine *engine) {
    worm_switch *w = (worm_switch *)engine;
    for (uint64_t i = 0; w->credit && i < w->o.credit + UINT64_C(2); i++) free(w->credit[i].item);
    FREE_ALL(w->link, w->channel, w->group, w->message, w->active, w->some, w->busy, w->moved.item,
             w->heads.item, w->credit, w->member.item, w->order.item, w->tail, w->out, w->free, w->load,
             w->used, w->grants, w->waited, w->crossed);
    switch_order_free(w->sequence);
    switch_wires_free(w->wires);
    free(w);
}

/* ---- the tally ---- */

static void reset(sim_engine *engine) {
    worm_switch *w = (worm_switch *)engine;
    w->reset_at = w->base.now;
    w->entered = w->entry_waited = 0;
    memset(w->grants, 0, w->net->links * sizeof *w->grants);
    memset(w->waited, 0, w->net->links * sizeof *w->waited);
    memset(w->crossed, 0, w->net->links * sizeof *w->crossed);
}

static void tally(const sim_engine *engine, sim_tally *t) {
    const worm_switch *w = (const worm_switch *)engine;
    *t = (sim_tally){
        .cycles = w->base.now - w->reset_at, .entered = w->entered, .entry_waited = w->entry_waited};
    for (uint64_t l = 0; l < w->net->links; l++) {
        unsigned kind = sim_kind(w->net, l);
        t->grants[kind] += w->grants[l];
        t->waited[kind] += w->waited[l];
        sim_tally_link(t, l, kind, w->crossed[l]);
    }
}

/* ---- a trial ---- */

static void start(sim_engine *engine, bough_key key, bough_source *source) {
    worm_switch *w = (worm_switch *)engine;
    uint64_t links = w->net->links, groups = w->net->groups;
    w->key = key;
    w->source = source;
    w->base.now = w->base.offered = w->base.arrived = w->base.moves = w->base.unrouted = 0;
    w->outs = w->moved_last = 0;
    w->busy_count = w->tails = w->messages = w->moved.count = w->heads.count = 0;
    w->unused = SWITCH_NONE;
    memset(w->active, 0, (w->words << 6) * sizeof *w->active);
    memset(w->some, 0, w->words * sizeof *w->some);
    for (uint64_t i = 0; i < w->o.credit + UINT64_C(2); i++) w->credit[i].count = 0;
    for (uint64_t l = 0; l < links; l++)
        w->link[l] = (switch_link){.free = UINT32_MAX >> (32 - w->o.vcs), .last = (uint8_t)(w->o.vcs - 1)};
    for (uint64_t c = 0; c < links << w->shift; c++)
        w->channel[c] = (switch_channel){.message = SWITCH_NONE, .credits = (uint16_t)w->o.buffer};
    for (uint64_t g = 0; g < groups; g++) w->group[g] = (switch_group){.first = SWITCH_NONE};
    if (w->used) memset(w->used, 0, links * sizeof *w->used);
    if (w->sequence) switch_order_start(w->sequence);
    if (w->wires) switch_wires_start(w);
    reset(engine);
}

static bough_status deliver(worm_switch *w, bough_error *error) {
    bough_status status = bough_grow(&w->out, &w->out_capacity, w->outs + w->tails, sizeof *w->out, error);
    if (status) return status;
    if (w->tails > 1) qsort(w->tail, w->tails, sizeof *w->tail, bough_compare_u64);
    for (uint32_t i = 0; i < w->tails; i++) {
        uint32_t m = (uint32_t)w->tail[i];
        switch_message *s = &w->message[m];
        w->out[w->outs++] =
            (sim_delivery){s->offered, s->entered, w->base.now, s->id, s->source, s->address, s->hops};
        if (w->source->delivered) w->source->delivered(w->source, s->id, w->base.now);
        s->next = w->unused;
        w->unused = m;
    }
    w->base.arrived += w->tails;
    w->tails = 0;
    return BOUGH_OK;
}

static bough_status cycle(worm_switch *w, bough_error *error) {
    bough_status status = deliver(w, error);
    if (status) return status;
    switch_take_credits(w);
    status = switch_join_all(w, error);
    if (!status && w->o.credit) status = switch_serve_all(w, error);
    TRY(switch_make_room(w, error));
    if (status) return status;
    if (w->o.credit)
        switch_cross_all(w);
    else
        status = switch_in_order(w, error);
    switch_settle(w);
    return status;
}

/* True if nothing is in flight, so that nothing happens until the source has a message. */
static bool asleep(const worm_switch *w) {
    if (w->base.now <= w->moved_last + w->o.credit + 1) return false; /* a credit is in flight */
    return !w->busy_count && !w->heads.count && !w->tails && !switch_any_active(w) &&
           (!w->wires || switch_wires_empty(w));
}

static bough_status advance(sim_engine *engine, sim_advance *part, bough_error *error) {
    worm_switch *w = (worm_switch *)engine;
    const uint64_t until = part->until, want = part->want;
    bough_status status = BOUGH_OK;
    w->outs = 0;
    while (w->base.now < until && w->outs < want && !status) {
        if (asleep(w)) {
            uint64_t next = w->source->next_time(w->source);
            if (next == BOUGH_NONE) break;
            if (next > until) next = until;
            if (next > w->base.now) w->base.now = next;
            if (next == until) break;
        }
        status = cycle(w, error);
        w->base.now++;
    }
    part->deliveries = w->out;
    part->count = w->outs;
    return status;
}

static void divide_channels(worm_switch *w) {
    uint32_t all = UINT32_MAX >> (32 - w->o.vcs);
    w->class[0] = w->class[1] = all;
    if (!w->routing->kind->via || w->o.vcs == 1) return;
    w->class[0] = (UINT32_C(1) << w->o.vcs / 2) - 1;
    w->class[1] = all & ~w->class[0];
}

static const sim_engine_ops ops = {destroy, start, advance, switch_stuck, reset, tally};

bough_status worm_switch_make(const bough_routing *routing, const worm_options *o, sim_engine **out,
                              bough_error *error) {
    worm_switch *w;
    *out = NULL;
    bough_status status = check(routing, o, error);
    TRY(bough_alloc(&w, 1, sizeof *w, error));
    if (status) return status;
    w->base.ops = &ops;
    w->net = routing->net;
    w->routing = routing;
    w->o = *o;
    w->shift = shift_for(o->vcs);
    w->words = (w->net->links >> 12) + 1;
    divide_channels(w);
    status = allocate(w, error);
    w->o.wires = NULL;
    if (status)
        destroy(&w->base);
    else
        *out = &w->base;
    return status;
}
