/* Steps on several threads. A step has three stages, and the parts of a stage are independent:
 *   1. a part has a range of packets: those on links are routed, and listed by the part of their next link;
 * so are new packets, and those that are released for their second phase;
 *   2. a part has some links: packets join their queues, in the order of the packets' numbers;
 *   3. the same links send. Packets on links are then in the set of the part.
 * A part works on a copy of the engine with counters and lists of its own, which are added up after the
 * stage. So queues are those of one thread, and so is every result. Messages of several packets, limits and
 * selections that depend on queues or on earlier packets are left to one thread, and so are small steps. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "engines/packet/packet_state.h"

#include <stdlib.h>

enum {
    MANY = 1 << 10, /* packets of a step that are worth several threads */
    PARTS_MAX = 64,
    BLOCK = 64, /* neighbouring links that are in one part */
    LIST = 64   /* packets that are routed at a time */
};

typedef struct joining_list {
    packet_joining *item;
    size_t item_capacity;
    uint64_t count;
} joining_list;

struct packet_part {
    engine own;   /* a copy; active, out, spill and scratch belong to the part */
    slots moving; /* packets that its links sent; its count is not used */
    joining_list *to;
    uint64_t sent; /* in this step: packets in its set */
    bough_error error;
};

/* ---- memory ---- */

bool packet_divides(const bough_routing *routing, const packet_options *o) {
    return !o->half && !o->buffer && !(routing->kind->select && routing->net->group_max > 1);
}

bough_status packet_parts_make(engine *e, bough_error *error) {
    if (!packet_divides(e->routing, &e->o)) return BOUGH_OK;
    unsigned parts = e->o.threads < PARTS_MAX ? e->o.threads : PARTS_MAX; /* more: more sets to read */
    bough_status status = bough_alloc(&e->part, parts, sizeof *e->part, error);
    if (!status) e->parts = parts;
    for (unsigned i = 0; i < e->parts && !status; i++) {
        packet_part *p = &e->part[i];
        status = bough_alloc(&p->to, parts, sizeof *p->to, error);
        TRY(bough_alloc(&p->own.eligible, e->net->group_max, sizeof *p->own.eligible, error));
        TRY(bough_alloc(&p->own.load, e->net->group_max, sizeof *p->own.load, error));
    }
    return status;
}

void packet_parts_free(engine *e) {
    for (unsigned i = 0; i < e->parts; i++) {
        packet_part *p = &e->part[i];
        for (unsigned k = 0; k < e->parts && p->to; k++) free(p->to[k].item);
        for (unsigned phase = 0; phase < 2; phase++) packet_spill_fini(&p->own.spill[phase]);
        FREE_ALL(p->to, p->own.eligible, p->own.load, p->own.active, p->own.out, p->moving.word,
                 p->moving.used);
    }
    free(e->part);
}

/* ---- the copy of a part ---- */

static void begin(const engine *e, packet_part *p) {
    const engine before = p->own;
    engine *own = &p->own;
    *own = *e;
    own->moving = p->moving;
    own->active = before.active;
    own->active_capacity = before.active_capacity;
    own->active_count = before.active_count;
    own->out = before.out;
    own->out_capacity = before.out_capacity;
    own->eligible = before.eligible;
    own->load = before.load;
    for (unsigned phase = 0; phase < 2; phase++) own->spill[phase] = before.spill[phase];
    for (unsigned k = 0; k < SIM_KINDS; k++) own->waiting[k] = own->grants[k] = 0;
    own->figures = (packet_figures){0};
    own->base.arrived = own->queued = own->entered = own->entry_waited = own->outs = own->held.count = 0;
    own->live = 0; /* counts down from here, modulo 2^32 */
    own->status = BOUGH_OK;
    own->error = &p->error;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Sums and maxima of both. */
static void add_figures(packet_figures *to, const packet_figures *f) {
    for (unsigned i = 0; i < 2; i++) {
        to->phase[i].packets += f->phase[i].packets;
        to->phase[i].crossings += f->phase[i].crossings;
        to->phase[i].delay += f->phase[i].delay;
        to->phase[i].delay_max = larger(to->phase[i].delay_max, f->phase[i].delay_max);
        to->phase[i].end = larger(to->phase[i].end, f->phase[i].end);
    }
    to->packets += f->packets;
    to->delay += f->delay;
    to->delay_max = larger(to->delay_max, f->delay_max);
    to->queue_max = larger(to->queue_max, f->queue_max);
}

/* Called in the order of parts, so deliveries and the first error are those of one thread. */
static void add_up(engine *e, packet_part *p) {
    const engine *own = &p->own;
    e->base.arrived += own->base.arrived;
    e->live += own->live;
    e->queued += own->queued;
    e->entered += own->entered;
    e->entry_waited += own->entry_waited;
    e->held.count += own->held.count;
    for (unsigned k = 0; k < SIM_KINDS; k++) {
        e->waiting[k] += own->waiting[k];
        e->grants[k] += own->grants[k];
    }
    add_figures(&e->figures, &own->figures);
    for (unsigned phase = 0; phase < 2; phase++) packet_add_spill(e, &p->own.spill[phase], phase);
    if (own->status && !e->status) {
        e->status = own->status;
        if (e->error) *e->error = p->error;
    }
    if (!own->outs || !GROW(e, out, e->outs + own->outs)) return;
    for (uint64_t i = 0; i < own->outs; i++) e->out[e->outs++] = own->out[i];
}

/* ---- stages ---- */

typedef struct stage {
    engine *e;
    void (*work)(engine *e, unsigned part);
} stage;

static void run_part(void *context, unsigned worker, uint64_t part) {
    stage *s = context;
    (void)worker;
    begin(s->e, &s->e->part[part]);
    s->work(s->e, (unsigned)part);
}

static void run(engine *e, void (*work)(engine *e, unsigned part)) {
    stage s = {.e = e, .work = work};
    team_each(e->base.team, e->parts, run_part, &s);
    for (unsigned i = 0; i < e->parts; i++) add_up(e, &e->part[i]);
}

static unsigned part_of(const engine *e, uint32_t link) {
    return link / BLOCK % e->parts;
}

static bool divides(const engine *e, uint64_t packets) {
    return e->parts && packets >= MANY && !e->source->delivered && !e->larges;
}

/* ---- routing ---- */

/* Moves a word of a set, and its place in the set, to the caller. */
static uint64_t take_used(slots *s, uint64_t at) {
    if (at >= s->used_capacity) return 0;
    uint64_t used = s->used[at];
    s->used[at] = 0;
    return used;
}

static uint64_t take_word(slots *s, uint64_t at) {
    if (at >= s->word_capacity) return 0;
    uint64_t word = s->word[at];
    s->word[at] = 0;
    return word;
}

/* Packets on links are in the sets of all parts and of the engine. at: of the word in each. */
static uint64_t take_moving(engine *e, uint64_t (*take)(slots *s, uint64_t at), uint64_t at) {
    uint64_t all = take(&e->moving, at);
    for (unsigned i = 0; i < e->parts; i++) all |= take(&e->part[i].moving, at);
    return all;
}

static void list_joining(engine *e, packet_part *p, const packet_joining *joining, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        joining_list *list = &p->to[part_of(e, joining[i].link)];
        if (list->count == list->item_capacity && !p->own.status)
            p->own.status =
                bough_grow(&list->item, &list->item_capacity, list->count + 1, sizeof *list->item, &p->error);
        if (p->own.status) return;
        list->item[list->count++] = joining[i];
    }
}

static void route_list(engine *e, packet_part *p, const uint32_t *slot, uint32_t count) {
    packet_joining joining[LIST];
    list_joining(e, p, joining, packet_route_some(&p->own, slot, count, joining));
}

/* The packets of a block of 4096, whose bits are in words of their own. */
static void route_block(engine *e, packet_part *p, uint64_t block, const bool held) {
    uint32_t slot[LIST], count = 0;
    uint64_t used = held ? take_used(&e->held, block) : take_moving(e, take_used, block);
    for (; used; used &= used - 1) {
        uint64_t at = block << 6 | (uint64_t)__builtin_ctzll(used);
        uint64_t bits = held ? take_word(&e->held, at) : take_moving(e, take_word, at);
        for (; bits; bits &= bits - 1) {
            slot[count] = (uint32_t)(at << 6 | (uint64_t)__builtin_ctzll(bits));
            if (held) e->record[slot[count]].since = (uint32_t)e->base.now;
            if (++count < LIST) continue;
            route_list(e, p, slot, count);
            count = 0;
        }
    }
    route_list(e, p, slot, count);
}

static void clear_lists(engine *e, packet_part *p) {
    for (unsigned i = 0; i < e->parts; i++) p->to[i].count = 0;
}

static void route_blocks(engine *e, unsigned part, const bool held) {
    packet_part *p = &e->part[part];
    uint64_t blocks = ((uint64_t)e->used >> 12) + 1, end = (part + 1) * blocks / e->parts;
    clear_lists(e, p);
    for (uint64_t block = part * blocks / e->parts; block < end && !p->own.status; block++)
        route_block(e, p, block, held);
}

static void route_moving(engine *e, unsigned part) {
    route_blocks(e, part, false);
}

static void route_held(engine *e, unsigned part) {
    route_blocks(e, part, true);
}

/* New packets have the last slots. Some may be held at once, so a part has whole blocks, as above. */
static void route_born(engine *e, unsigned part) {
    packet_part *p = &e->part[part];
    const uint64_t born = e->used - e->born, from = born >> 12, blocks = ((e->used - 1) >> 12) - from + 1;
    uint64_t first = (from + team_part(blocks, e->parts, part)) << 12;
    uint64_t end = (from + team_part(blocks, e->parts, part + 1)) << 12;
    packet_joining joining[LIST];
    if (first < born) first = born;
    if (end > e->used) end = e->used;
    clear_lists(e, p);
    for (uint64_t slot = first; slot < end && !p->own.status; slot += LIST) {
        uint32_t some = end - slot < LIST ? (uint32_t)(end - slot) : LIST;
        list_joining(e, p, joining, packet_start_some(&p->own, (uint32_t)slot, some, joining));
    }
}

/* ---- joining ---- */

/* Reserves the memory for the links that may get a queue. */
static void reserve_active(engine *e) {
    for (unsigned k = 0; k < e->parts; k++) {
        engine *own = &e->part[k].own;
        uint64_t need = own->active_count;
        for (unsigned i = 0; i < e->parts; i++) need += e->part[i].to[k].count;
        own->status = e->status;
        own->error = e->error;
        if (!GROW(own, active, need)) e->status = own->status;
    }
}

static void join_part(engine *e, unsigned part) {
    for (unsigned i = 0; i < e->parts; i++) {
        const joining_list *list = &e->part[i].to[part];
        packet_join_all(&e->part[part].own, list->item, list->count);
    }
}

static void join_all(engine *e) {
    if (!e->status) reserve_active(e);
    if (!e->status) run(e, join_part);
}

bool packet_parts_place(engine *e) {
    if (!divides(e, e->moving.count)) return false;
    run(e, route_moving);
    e->moving.count = 0;
    for (unsigned i = 0; i < e->parts; i++) e->part[i].sent = 0;
    join_all(e);
    return true;
}

bool packet_parts_release(engine *e) {
    if (!divides(e, e->held.count)) return false;
    e->held.count = 0;
    run(e, route_held);
    join_all(e);
    return true;
}

bool packet_parts_start(engine *e) {
    if (!divides(e, e->born)) return false;
    run(e, route_born);
    join_all(e);
    return true;
}

/* ---- sending ---- */

static bool spread_active(engine *e) {
    for (uint32_t i = 0; i < e->active_count; i++) {
        engine *own = &e->part[part_of(e, e->active[i])].own;
        own->status = BOUGH_OK;
        own->error = e->error;
        if (!GROW(own, active, own->active_count + 1)) {
            e->status = own->status;
            return false;
        }
        own->active[own->active_count++] = e->active[i];
    }
    e->active_count = 0;
    return true;
}

static bool reserve_sets(engine *e) {
    for (unsigned i = 0; i < e->parts; i++)
        if (!packet_reserve_slots(e, &e->part[i].moving)) return false;
    return true;
}

static void send_part(engine *e, unsigned part) {
    packet_part *p = &e->part[part];
    p->sent = packet_send_active(&p->own);
}

bool packet_parts_send(engine *e, uint64_t *sent) {
    uint64_t active = e->active_count;
    for (unsigned i = 0; i < e->parts; i++) active += e->part[i].own.active_count;
    *sent = 0;
    if (!divides(e, active)) return false;
    if (!reserve_sets(e) || !spread_active(e)) return true;
    run(e, send_part);
    for (unsigned i = 0; i < e->parts; i++) *sent += e->part[i].sent;
    e->moving.count += *sent;
    return true;
}

/* ---- back to one thread ---- */

void packet_gather_moving(engine *e) {
    for (unsigned i = 0; i < e->parts; i++) {
        packet_part *p = &e->part[i];
        slots *from = &p->moving;
        for (uint64_t w = 0; w < from->word_capacity && p->sent; w++) {
            if (!from->word[w]) continue;
            e->moving.word[w] |= take_word(from, w);
            e->moving.used[w >> 6] |= UINT64_C(1) << (w & 63);
        }
        for (uint64_t u = 0; u < from->used_capacity && p->sent; u++) from->used[u] = 0;
        p->sent = 0;
    }
}

void packet_gather_active(engine *e) {
    for (unsigned i = 0; i < e->parts; i++) {
        engine *own = &e->part[i].own;
        for (uint32_t k = 0; k < own->active_count; k++) e->active[e->active_count++] = own->active[k];
        own->active_count = 0;
    }
}
