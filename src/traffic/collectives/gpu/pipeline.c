#include "traffic/collectives/gpu/pipeline.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "traffic/collectives/gpu/adder_trees.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

typedef struct seated {
    collective_seat seat;
    uint32_t rank, member;
} seated;

static int by_seat(const void *a, const void *b) {
    const seated *x = a, *y = b;
    if (x->seat.node != y->seat.node) return x->seat.node < y->seat.node ? -1 : 1;
    if (x->seat.gpu != y->seat.gpu) return x->seat.gpu < y->seat.gpu ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static uint32_t at_least_one(uint32_t number) {
    return number ? number : 1;
}

static uint32_t nic_at(const pipeline *p, uint32_t i) {
    return collective_seat_of(p->c, collective_rank(p->c, p->order[i])).nic;
}

/* Positions on a node of the first member of each NIC; members are in the order of GPUs, hence of NICs. */
static void list_entries(pipeline *p, uint32_t node) {
    const uint32_t first = p->first[node], members = p->first[node + 1] - first;
    uint32_t *entry = p->entry + first, count = 0;
    for (uint32_t i = 0; i < members; i++)
        if (i == 0 || nic_at(p, first + i) != nic_at(p, first + i - 1)) entry[count++] = i;
    for (uint32_t k = 0; k < count && count > 1; k++)
        p->cross |= (k + 1 < count ? entry[k + 1] : members) - entry[k] == 1;
    p->entries[node] = count;
    if (node == 0 || count < p->rails) p->rails = count;
    if (members > p->most) p->most = members;
}

static void list_nodes(pipeline *p, seated *list) {
    for (uint32_t v = 0; v < p->n; v++) {
        const uint32_t rank = collective_rank(p->c, v);
        list[v] = (seated){collective_seat_of(p->c, rank), rank, v};
    }
    qsort(list, p->n, sizeof *list, by_seat);
    for (uint32_t i = 0; i < p->n; i++) {
        p->order[i] = list[i].member;
        if (i == 0 || list[i].seat.node != list[i - 1].seat.node) p->first[p->nodes++] = i;
        p->node[p->order[i]] = p->nodes - 1;
    }
    p->first[p->nodes] = p->n;
    for (uint32_t i = 0; p->c->adders && i < p->c->adders->ranks; i++) {
        p->node[p->n + i] = p->nodes + i;
        p->start[p->n + i] = COLLECTIVE_NOBODY;
    }
    for (uint32_t k = 0; k < p->nodes; k++) list_entries(p, k);
}

void pipeline_begin(pipeline *p, collective *c) {
    seated *list = NULL;
    const uint64_t all = c->n + (c->adders ? (uint64_t)c->adders->ranks : 0);
    *p = (pipeline){.c = c, .n = c->n, .lanes = 1, .under_way = 8};
    if (c->status) return;
    bough_status status = bough_alloc(&list, p->n, sizeof *list, c->error);
    TRY(bough_alloc(&p->order, p->n, sizeof *p->order, c->error));
    TRY(bough_alloc(&p->first, (uint64_t)p->n + 1, sizeof *p->first, c->error));
    TRY(bough_alloc(&p->node, all, sizeof *p->node, c->error));
    TRY(bough_alloc(&p->entry, p->n, sizeof *p->entry, c->error));
    TRY(bough_alloc(&p->entries, p->n, sizeof *p->entries, c->error));
    TRY(bough_alloc(&p->start, all, sizeof *p->start, c->error));
    TRY(bough_alloc(&p->turns, p->n, sizeof *p->turns, c->error));
    if (!status) list_nodes(p, list);
    free(list);
    c->status = status;
}

void pipeline_start(pipeline *p, uint64_t latency) {
    collective *c = p->c;
    for (uint32_t v = 0; v < p->n && !c->status; v++)
        p->start[v] =
            collective_add(c, collective_rank(c, v), (bough_op){.size = latency, .kind = BOUGH_OP_CALC});
}

void pipeline_tail_add(pipeline *p, uint32_t member, uint32_t op) {
    collective *c = p->c;
    if (op == COLLECTIVE_NOBODY || c->status) return;
    c->status = bough_grow(&p->tail, &p->capacity, p->tails + 1, sizeof *p->tail, c->error);
    if (!c->status) p->tail[p->tails++] = (pipeline_tail){member, op};
}

void pipeline_end(pipeline *p) {
    collective *c = p->c;
    for (uint32_t v = 0; v < p->n && p->tails && !c->status; v++) {
        uint32_t *last = c->last[collective_rank(c, v)];
        last[0] = p->start[v];
        last[1] = COLLECTIVE_NOBODY;
        last[0] = p->start[v] = collective_add(c, collective_rank(c, v), (bough_op){.kind = BOUGH_OP_CALC});
    }
    for (size_t i = 0; i < p->tails && !c->status; i++)
        collective_wait(c, p->start[p->tail[i].member], p->tail[i].op);
    pipeline_fini(p);
}

void pipeline_fini(pipeline *p) {
    FREE_ALL(p->order, p->first, p->node, p->entry, p->entries, p->start, p->turns, p->tail);
}

/* ---- pieces ---- */

void pipeline_lane(pipeline *p, uint32_t lane) {
    p->lane = lane;
    if (!p->c->status) memset(p->turns, 0, p->n * sizeof *p->turns);
}

/* LL sends a flag with every 4 bytes, LL128 one of 8 with every 120. */
static uint64_t on_the_wire(collective_protocol protocol, uint64_t bytes) {
    if (protocol == COLLECTIVE_LL) return 2 * bytes;
    if (protocol == COLLECTIVE_LL128) return bytes + bytes / 15 + (bytes % 15 > 0);
    return bytes;
}

/* The CPU of a delay: none of those of messages and computations, which callers number from 0, and another
 * one for each of the pieces that are under way in a channel. */
static uint8_t cpu_of_delay(pipeline *p, uint32_t member) {
    enum { FIRST = 16, CPUS = 256 - FIRST };
    uint32_t slots = CPUS / p->lanes < p->under_way ? at_least_one(CPUS / p->lanes) : p->under_way;
    return (uint8_t)(FIRST + (p->lane * slots + p->turns[member]++ % slots) % CPUS);
}

/* Latency and reduction of a piece that has arrived. */
static uint32_t add_delay(pipeline *p, uint32_t member, uint64_t ns, uint32_t recv) {
    collective *c = p->c;
    uint32_t rank = collective_rank(c, member);
    c->last[rank][0] = recv;
    c->last[rank][1] = COLLECTIVE_NOBODY;
    return collective_add(c, rank,
                          (bough_op){.size = ns, .kind = BOUGH_OP_CALC, .cpu = cpu_of_delay(p, member)});
}

static uint64_t delay_of(const pipeline *p, pipeline_link l, pipeline_piece piece, uint64_t bytes) {
    if (l.to >= p->n) return 0; /* switches add while data passes */
    unsigned __int128 ps = piece.reduce ? (unsigned __int128)bytes * p->c->reduce_ps : 0;
    uint64_t latency = piece.quick ? 0 : p->delay[p->node[l.from] != p->node[l.to]];
    return latency + (uint64_t)((ps + 500) / 1000);
}

uint32_t pipeline_hop(pipeline *p, pipeline_link l, const uint32_t after[PIPELINE_AFTER],
                      pipeline_piece piece) {
    collective *c = p->c;
    if (c->status) return COLLECTIVE_NOBODY;
    uint64_t bytes = p->items ? collective_bytes(c->size, p->items, piece.item, piece.count) : piece.bytes;
    uint64_t wire = on_the_wire(c->gpu.protocol, bytes), ns = delay_of(p, l, piece, bytes);
    uint32_t *last = c->last[collective_rank(c, l.from)];
    last[0] = after[0] == COLLECTIVE_NOBODY ? p->start[l.from] : after[0];
    last[1] = *l.sent;
    *l.sent = collective_send(c, l.from, l.to, wire);
    for (unsigned i = 1; i < PIPELINE_AFTER; i++) collective_wait(c, *l.sent, after[i]);
    if (p->items) collective_carries(c, piece.item, piece.count, piece.reduce);
    last = c->last[collective_rank(c, l.to)];
    last[0] = *l.got == COLLECTIVE_NOBODY ? p->start[l.to] : *l.got;
    last[1] = COLLECTIVE_NOBODY;
    *l.got = collective_recv(c, l.to, l.from, wire);
    return ns ? add_delay(p, l.to, ns, *l.got) : *l.got;
}

/* ---- sizes ---- */

uint64_t pipeline_budget(uint64_t messages) {
    enum { MESSAGES = 1 << 21 };
    uint64_t most = messages ? MESSAGES / messages : 1;
    return most ? most : 1;
}

uint32_t pipeline_pieces(pipeline *p, uint64_t bytes, uint64_t most) {
    uint64_t chunk = p->c->gpu.chunk ? p->c->gpu.chunk : COLLECTIVE_CHUNK;
    uint64_t chunks = bytes / chunk + (bytes % chunk > 0), pieces = chunks ? chunks : 1;
    if (pieces > most) pieces = most;
    if (pieces > 1 << 16) pieces = 1 << 16;
    p->c->made.chunks = chunks ? chunks : 1;
    p->c->made.pieces = pieces;
    return (uint32_t)pieces;
}

uint32_t pipeline_channels(const pipeline *p) {
    uint32_t asked = p->c->gpu.channels, most = COLLECTIVE_CHANNELS_MAX;
    if (!asked) asked = p->nodes > 1 ? p->rails : 1;
    return asked < most ? asked : most;
}

/* The way from the entry of a channel to its exit, in members. */
static uint32_t exit_of(const pipeline *p, uint32_t node, uint32_t channel, uint32_t count) {
    const uint32_t *entry = p->entry + p->first[node], nics = p->entries[node], nic = channel % nics;
    if (!p->cross || nics == 1) return 1;
    return (entry[(nic + 1) % nics] + count - entry[nic]) % count;
}

uint32_t pipeline_member(const pipeline *p, uint32_t node, uint32_t channel, uint32_t position) {
    const uint32_t *entry = p->entry + p->first[node];
    uint32_t count = p->first[node + 1] - p->first[node], away = exit_of(p, node, channel, count);
    if (position == 1)
        position = away;
    else if (position > 1 && position <= away)
        position--;
    return p->order[p->first[node] + (entry[channel % p->entries[node]] + position) % count];
}
