/* The memory of an engine, and the storage of packets. Slots are always in the order of the packets' numbers.
 * When they are full and half of their packets have been delivered, they are compacted. */
#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "engines/packet/packet_state.h"
#include "network/families/xgft_tree.h"

#include <stdlib.h>
#include <string.h>

#define COMPACT_FROM 1024

uint32_t slots_take(slots *s, uint64_t *from, uint32_t *out, uint32_t limit) {
    uint32_t got = 0;
    if (limit > s->count) limit = (uint32_t)s->count;
    while (got < limit) {
        uint64_t used = s->used[*from];
        if (!used) {
            ++*from;
            continue;
        }
        uint64_t w = *from << 6 | (uint64_t)__builtin_ctzll(used), bits = s->word[w];
        for (; bits && got < limit; bits &= bits - 1)
            out[got++] = (uint32_t)(w << 6 | (uint64_t)__builtin_ctzll(bits));
        s->word[w] = bits;
        if (!bits) s->used[*from] = used & (used - 1);
    }
    s->count -= got;
    return got;
}

static bool grow_words(engine *e, uint64_t **word, size_t *capacity, uint64_t need) {
    size_t had = *capacity;
    e->status = bough_grow(word, capacity, need, sizeof **word, e->error);
    if (e->status) return false;
    memset(*word + had, 0, (*capacity - had) * sizeof **word);
    return true;
}

static bool slots_reserve(engine *e, slots *s, uint64_t need) {
    return (need >> 6 < s->word_capacity || grow_words(e, &s->word, &s->word_capacity, (need >> 6) + 1)) &&
           (need >> 12 < s->used_capacity || grow_words(e, &s->used, &s->used_capacity, (need >> 12) + 1));
}

bool packet_reserve_slots(engine *e, slots *s) {
    return slots_reserve(e, s, e->used);
}

/* ---- compaction ---- */

static uint32_t moved(const engine *e, uint32_t slot) {
    return slot == NONE ? NONE : e->map[slot];
}

static void move_set(engine *e, slots *set) {
    uint64_t from = 0;
    uint32_t some[64], got;
    while ((got = slots_take(set, &from, some, 64)))
        for (uint32_t i = 0; i < got; i++) slots_add(&e->moving, e->map[some[i]]);
    slots moved_set = e->moving;
    e->moving = *set; /* empty */
    *set = moved_set;
}

/* Called while no packet is crossing a link. */
static void compact(engine *e) {
    uint32_t to = 0;
    packet_gather_active(e);
    if (!GROW(e, map, e->used)) return;
    for (uint32_t from = 0; from < e->used; from++) {
        if (e->packet[from].aim == NONE) continue;
        e->map[from] = to;
        e->packet[to] = e->packet[from];
        e->record[to] = e->record[from];
        if (e->other) e->other[to] = e->other[from];
        to++;
    }
    e->used = to;
    for (uint64_t i = 0; i < e->active_count; i++) e->queue[e->active[i]] = moved(e, e->queue[e->active[i]]);
    for (uint32_t slot = 0; slot < to; slot++) {
        e->packet[slot].next = moved(e, e->packet[slot].next);
        if (e->other) e->other[slot] = moved(e, e->other[slot]);
    }
    move_set(e, &e->held);
    if (!e->limited) return;
    move_set(e, &e->stopped);
    packet_limits_move(e);
}

/* ---- creation ---- */

static bool make_room(engine *e) {
    bool keep = e->o.trace; /* slots are the numbers of the packets */
    if (e->used == e->packet_capacity && !keep && e->used >= COMPACT_FROM && e->live <= e->used / 2)
        compact(e);
    uint64_t need = (uint64_t)e->used + 1;
    if (need >= NONE && !e->status)
        e->status = bough_fail(e->error, BOUGH_TOO_LARGE, NULL, "2^32 packets are in flight");
    if (e->status) return false;
    if (!GROW(e, packet, need) || !GROW(e, record, need) || !GROW(e, active, need)) return false;
    if (!slots_reserve(e, &e->moving, need) || !slots_reserve(e, &e->held, need)) return false;
    if (e->limited && !slots_reserve(e, &e->stopped, need)) return false;
    if (e->o.queue >= PACKET_FARTHEST && !GROW(e, other, need)) return false;
    return !e->o.trace ||
           (GROW(e, route, bough_mul(need, e->limit)) && GROW(e, length, need) && GROW(e, late, need));
}

uint32_t packet_new(engine *e) {
    if (!make_room(e)) return NONE;
    uint32_t slot = e->used++;
    e->live++;
    e->created++;
    if (e->o.trace) {
        memset(e->length[slot], 0, sizeof e->length[slot]);
        memset(e->late[slot], 0, sizeof e->late[slot]);
    }
    e->packet[slot] = (packet){.next = NONE, .spot = NONE};
    if (e->other) e->other[slot] = NONE;
    return slot;
}

uint32_t packet_new_large(engine *e) {
    if (e->free_larges) return e->free_large[--e->free_larges];
    uint64_t need = (uint64_t)e->larges + 1;
    return GROW(e, large, need) && GROW(e, free_large, need) ? e->larges++ : NONE;
}

/* ---- the engine ---- */

static void clear(slots *s) {
    memset(s->word, 0, s->word_capacity * sizeof *s->word);
    memset(s->used, 0, s->used_capacity * sizeof *s->used);
    s->count = 0;
}

static void start(sim_engine *base, bough_key key, bough_source *source) {
    engine *e = (engine *)base;
    packet_gather_moving(e);
    packet_gather_active(e);
    for (uint32_t i = 0; i < e->active_count; i++) e->queue[e->active[i]] = NONE;
    for (uint32_t i = 0; i < e->touched_count; i++) e->served[e->touched[i]] = 0;
    if (e->moving.word) clear(&e->moving);
    if (e->held.word) clear(&e->held);
    if (e->limited) packet_limits_start(e);
    memset(e->waiting, 0, sizeof e->waiting);
    e->key = key;
    e->source = source;
    e->jammed = false;
    e->used = e->live = e->born = e->active_count = e->touched_count = e->larges = e->free_larges = 0;
    e->created = e->queued = e->outs = 0;
    e->sent_until = e->base.now = e->base.offered = e->base.arrived = e->base.moves = 0;
    e->base.unrouted = 0;
    e->status = BOUGH_OK;
    e->next_offer = source->next_time(source);
    packet_reset(base);
}

static void destroy(sim_engine *base) {
    engine *e = (engine *)base;
    FREE_ALL(e->packet, e->record, e->other, e->moving.word, e->moving.used, e->held.word, e->held.used,
             e->large, e->free_large, e->map, e->queue, e->active, e->served, e->touched, e->eligible,
             e->load, e->crossed, e->kind, e->route, e->length, e->late, e->out);
    packet_limits_free(e);
    packet_parts_free(e);
    for (unsigned phase = 0; phase < 2; phase++) packet_spill_fini(&e->spill[phase]);
    free(e);
}

static const sim_engine_ops ops = {destroy, start, packet_advance, NULL, packet_reset, packet_tally};
static const sim_engine_ops buffer_ops = {destroy,      start,        packet_advance,
                                          packet_stuck, packet_reset, packet_tally};

static bool asks_served(const bough_routing *routing) {
    return routing->kind->select && routing->net->group_max > 1;
}

static unsigned links_at_most(const bough_routing *routing, const packet_options *o) {
    return o->hops * (routing->kind->via ? 2 : 1);
}

uint64_t packet_bytes(const bough_routing *routing, const packet_options *o, uint64_t packets) {
    const bough_net *net = routing->net;
    uint64_t per_packet = sizeof(packet) + sizeof(packet_record) + 4;
    per_packet += sizeof(sim_delivery); /* all may arrive at one time */
    if (o->queue >= PACKET_FARTHEST) per_packet += 4;
    if (o->trace) per_packet += 4 * (uint64_t)links_at_most(routing, o) + 12;
    uint64_t bytes = bough_mul(net->links, sizeof(uint32_t) + 1 + (net->levels > 0));
    bytes = bough_add(bytes, bough_mul(packets, per_packet));
    bytes = bough_add(bytes, packet_limits_bytes(net, o));
    return asks_served(routing) ? bough_add(bytes, bough_mul(net->groups, 8)) : bytes;
}

/* The threads of a trial, as they are the first to use this memory. */
enum { EMPTIED = 1 << 19 }; /* links: a large page of queues */

static void empty_some(void *context, unsigned worker, uint64_t i) {
    engine *e = context;
    uint64_t from = i * EMPTIED, end = from + EMPTIED < e->links ? from + EMPTIED : e->links;
    (void)worker;
    memset(e->queue + from, 0xff, (end - from) * sizeof *e->queue);
    memset(e->crossed + from, 0, end - from);
}

/* In a full tree links of one kind follow each other: those up from each level, then those down to each. */
static void find_tree_kinds(engine *e, const xgft_shape *shape) {
    uint64_t link = 0;
    for (unsigned down = 0; down < 2; down++) {
        uint64_t nodes = e->net->endpoints;
        for (unsigned l = 0; l < shape->levels; l++) {
            const uint64_t links = nodes * shape->w[l] * shape->p[l];
            memset(e->kind + link, (int)sim_kind(e->net, link), links);
            link += links;
            nodes = nodes / shape->m[l] * shape->w[l];
        }
    }
}

static bough_status find_kinds(engine *e, bough_error *error) {
    const xgft_shape *shape = xgft_shape_of(e->net);
    bough_status status = bough_alloc(&e->kind, e->links, 1, error);
    if (status) return status;
    if (shape)
        find_tree_kinds(e, shape);
    else
        for (uint64_t l = 0; l < e->links; l++) e->kind[l] = (uint8_t)sim_kind(e->net, l);
    return BOUGH_OK;
}

static bough_status alloc_links(engine *e, bough_error *error) {
    const bough_net *net = e->net;
    bough_status status = large_alloc(&e->queue, net->links, sizeof *e->queue, error);
    TRY(large_alloc(&e->crossed, net->links, 1, error));
    if (!status) team_loop(e->o.threads, (e->links + EMPTIED - 1) / EMPTIED, empty_some, e);
    if (!status && net->levels) status = find_kinds(e, error);
    TRY(bough_alloc(&e->eligible, net->group_max, sizeof *e->eligible, error));
    TRY(bough_alloc(&e->load, net->group_max, sizeof *e->load, error));
    if (!status && asks_served(e->routing)) {
        status = bough_alloc(&e->served, net->groups, sizeof *e->served, error);
        TRY(bough_alloc(&e->touched, net->groups, sizeof *e->touched, error));
    }
    if (!status && e->limited) status = packet_limits_make(e, error);
    if (!status && e->o.threads > 1) status = packet_parts_make(e, error);
    return status;
}

/* Packets are accessed in the order of queues. */
static bough_status alloc_packets(engine *e, bough_error *error) {
    const uint64_t count = e->o.packets < NONE ? e->o.packets : 0;
    bough_status status = count ? large_alloc(&e->packet, count, sizeof *e->packet, error) : BOUGH_OK;
    if (count) TRY(large_alloc(&e->record, count, sizeof *e->record, error));
    if (!status) e->packet_capacity = e->record_capacity = count;
    return status;
}

bough_status packet_check(const bough_routing *routing, const packet_options *o, bough_error *error) {
    const bough_net *net = routing->net;
    if (net->links >= NONE || net->addresses >= NONE || links_at_most(routing, o) > PACKET_HOPS_MAX ||
        2 * net->levels + 2 > SIM_KINDS)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                          "%s: packets support at most 2^32 links, routes of %d, and %d levels", net->spec,
                          PACKET_HOPS_MAX, SIM_KINDS / 2 - 1);
    if (o->half && !net->ops->link_twin)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "packet: duplex=half needs cables with two directions, which %s does not have",
                          net->spec);
    return BOUGH_OK;
}

bough_status packet_make(const bough_routing *routing, const packet_options *o, sim_engine **out,
                         bough_error *error) {
    const bough_net *net = routing->net;
    engine *e;
    *out = NULL;
    bough_status status = packet_check(routing, o, error);
    TRY(bough_alloc(&e, 1, sizeof *e, error));
    if (status) return status;
    *out = &e->base;
    e->base.ops = o->buffer ? &buffer_ops : &ops;
    e->limited = o->half || o->buffer;
    e->routing = routing;
    e->net = net;
    e->ops = net->ops;
    e->o = *o;
    e->two = routing->kind->via != NULL;
    e->limit = links_at_most(routing, o);
    e->kinds = 2 * net->levels + 2;
    e->quick = net->ops->step && !routing->kind->route && !net->dead;
    e->links = net->links;
    status = alloc_links(e, error);
    TRY(alloc_packets(e, error));
    return status;
}
