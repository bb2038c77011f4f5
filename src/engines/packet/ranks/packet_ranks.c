/* A batch on several ranks: each has some nodes, the queues that start at them, and the packets in these. All
 * ranks take the same messages from their sources, so a packet has the same number, and the same slot, on
 * every rank; only the rank of the node where it is has its contents. After each step packets on links that
 * end on another rank are sent there, with what all ranks need to know about the step. Packets then join
 * queues in the order of their numbers, as on one rank, so the results are the same. Figures, which are sums
 * and maxima, are added up after the last step. */
#include "base/memory/memory.h"
#include "base/rank_group.h"
#include "base/status/try.h"
#include "engines/packet/packet_state.h"

#include <stdlib.h>
#include <string.h>

struct packet_ranks {
    const rank_group *group;
    rank_nodes nodes;
    uint64_t *size;          /* scratch, [ranks] */
    uint64_t moving, queued; /* packets of all ranks after the last exchange */
    uint64_t arrived;        /* messages, likewise */
    uint64_t finished;       /* of these, those of earlier advances */
    bool complete;           /* the figures and `links` are those of all ranks */
    sim_tally links;
};

/* What a rank says of a step. */
typedef struct step_news {
    uint64_t arrived, sent, queued;
} step_news;

/* A packet that changes its rank. */
typedef struct traveller {
    uint32_t slot;
    packet packet;
    packet_record record;
} traveller;

/* What a rank says at the end. */
typedef struct totals {
    packet_figures figures;
    uint64_t entered, entry_waited, moves;
    uint64_t waited[SIM_KINDS], grants[SIM_KINDS];
    uint64_t links[SIM_KINDS], held[SIM_KINDS], hot_link[SIM_HOT], hot_held[SIM_HOT];
} totals;

bool packet_ranks_own(const engine *e, uint64_t node) {
    return rank_of_node(e->nodes, node) == e->nodes->rank;
}

bough_status packet_ranks_make(engine *e, bough_error *error) {
    packet_ranks *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    e->ranks = p;
    p->group = e->o.group;
    p->nodes.rank = p->group->rank;
    p->nodes.ranks = p->group->ranks;
    status = bough_alloc(&p->size, p->group->ranks, sizeof *p->size, error);
    TRY(rank_nodes_make(&p->nodes, e->net, error));
    e->nodes = &p->nodes;
    e->own = p->nodes.own;
    e->owns = p->nodes.owns;
    return status;
}

void packet_ranks_free(engine *e) {
    if (e->ranks) {
        rank_nodes_fini(&e->ranks->nodes);
        free(e->ranks->size);
    }
    FREE_ALL(e->ranks, e->leaving);
}

void packet_ranks_start(engine *e) {
    packet_ranks *p = e->ranks;
    p->moving = p->queued = p->arrived = p->finished = 0;
    p->complete = false;
    e->leavings = 0;
}

/* ---- steps ---- */

static unsigned goes_to(const engine *e, uint32_t slot) {
    return rank_of_node(e->nodes, e->ops->link_end(e->net, e->packet[slot].spot).node);
}

/* For each rank the news of the step, then the packets that go there. */
static bough_status pack(engine *e, const step_news *news, rank_parts *out) {
    packet_ranks *p = e->ranks;
    uint64_t *size = p->size;
    const unsigned ranks = p->group->ranks;
    for (unsigned r = 0; r < ranks; r++) size[r] = sizeof *news;
    for (uint64_t i = 0; i < e->leavings; i++) size[goes_to(e, e->leaving[i])] += sizeof(traveller);
    bough_status status = rank_parts_make(out, ranks, size, e->error);
    if (status) return status;
    for (unsigned r = 0; r < ranks; r++) {
        memcpy(out->bytes + out->at[r], news, sizeof *news);
        size[r] = out->at[r] + sizeof *news; /* from here on: where the next one goes */
    }
    for (uint64_t i = 0; i < e->leavings; i++) {
        uint32_t slot = e->leaving[i];
        const traveller t = {slot, e->packet[slot], e->record[slot]};
        uint64_t *at = &size[goes_to(e, slot)];
        memcpy(out->bytes + *at, &t, sizeof t);
        *at += sizeof t;
    }
    return BOUGH_OK;
}

static void unpack(engine *e, const unsigned char *bytes, const unsigned char *end) {
    packet_ranks *p = e->ranks;
    step_news news;
    traveller t;
    memcpy(&news, bytes, sizeof news);
    p->arrived += news.arrived;
    p->moving += news.sent;
    p->queued += news.queued;
    for (bytes += sizeof news; bytes < end; bytes += sizeof t) {
        memcpy(&t, bytes, sizeof t);
        e->packet[t.slot] = t.packet;
        e->record[t.slot] = t.record;
        slots_add(&e->moving, t.slot);
    }
}

void packet_ranks_exchange(engine *e, uint64_t sent) {
    packet_ranks *p = e->ranks;
    const step_news news = {e->base.arrived - p->arrived, sent, e->queued};
    rank_parts out = {0}, in = {0};
    bough_status status = e->status;
    TRY(pack(e, &news, &out));
    e->status = group_exchange(p->group, status, &out, &in, e->error);
    p->moving = p->queued = 0;
    for (unsigned r = 0; r < p->group->ranks && !e->status; r++)
        unpack(e, in.bytes + in.at[r], in.bytes + in.at[r + 1]);
    rank_parts_fini(&out);
    rank_parts_fini(&in);
    e->leavings = 0;
    e->base.arrived = p->arrived;
    if (p->moving) e->sent_until = e->base.now + 1;
}

bool packet_ranks_still(const engine *e) {
    return !e->ranks->moving && !e->ranks->queued;
}

bool packet_ranks_release(engine *e) {
    uint64_t queued = e->queued;
    /* queues that were not empty after the last step have only grown since */
    if (!e->two || !e->routing->synchronous || e->ranks->queued || e->status) return false;
    e->status = group_sum_counts(e->ranks->group, &queued, 1, e->error);
    return !e->status && !queued;
}

/* ---- the end ---- */

/* The same for all ranks. */
static bough_status pack_totals(engine *e, rank_parts *out) {
    packet_ranks *p = e->ranks;
    sim_tally links = {0};
    totals mine = {.entered = e->entered, .entry_waited = e->entry_waited, .moves = e->base.moves};
    packet_figures_of(&e->base, &mine.figures);
    packet_tally_links(e, &links);
    memcpy(mine.waited, e->waited, sizeof mine.waited);
    memcpy(mine.grants, e->grants, sizeof mine.grants);
    memcpy(mine.links, links.links, sizeof mine.links);
    memcpy(mine.held, links.held, sizeof mine.held);
    memcpy(mine.hot_link, links.hot_link, sizeof mine.hot_link);
    memcpy(mine.hot_held, links.hot_held, sizeof mine.hot_held);
    for (unsigned r = 0; r < p->group->ranks; r++) p->size[r] = sizeof mine;
    bough_status status = rank_parts_make(out, p->group->ranks, p->size, e->error);
    for (unsigned r = 0; r < p->group->ranks && !status; r++)
        memcpy(out->bytes + out->at[r], &mine, sizeof mine);
    return status;
}

static void add_totals(engine *e, const unsigned char *bytes) {
    sim_tally *links = &e->ranks->links;
    totals t;
    memcpy(&t, bytes, sizeof t);
    packet_add_figures(&e->figures, &t.figures);
    e->entered += t.entered;
    e->entry_waited += t.entry_waited;
    e->base.moves += t.moves;
    for (unsigned k = 0; k < SIM_KINDS; k++) {
        e->waited[k] += t.waited[k];
        e->grants[k] += t.grants[k];
        links->links[k] += t.links[k];
        links->held[k] += t.held[k];
    }
    for (unsigned i = 0; i < SIM_HOT; i++) sim_tally_hot(links, t.hot_link[i], t.hot_held[i]);
}

static void complete(engine *e) {
    packet_ranks *p = e->ranks;
    rank_parts out = {0}, in = {0};
    e->status = group_exchange(p->group, pack_totals(e, &out), &out, &in, e->error);
    rank_parts_fini(&out);
    if (!e->status) {
        e->figures = (packet_figures){0};
        e->entered = e->entry_waited = e->base.moves = 0;
        memset(e->waited, 0, sizeof e->waited);
        memset(e->grants, 0, sizeof e->grants);
        p->links = (sim_tally){0};
    }
    for (unsigned r = 0; r < p->group->ranks && !e->status; r++) add_totals(e, in.bytes + in.at[r]);
    rank_parts_fini(&in);
    p->complete = !e->status;
}

uint64_t packet_ranks_delivered(const engine *e) {
    return e->ranks->arrived - e->ranks->finished;
}

uint64_t packet_ranks_finish(engine *e) {
    packet_ranks *p = e->ranks;
    const uint64_t delivered = packet_ranks_delivered(e);
    p->finished = p->arrived;
    if (!p->complete && packet_ranks_still(e) && e->next_offer == BOUGH_NONE) complete(e);
    return delivered - e->outs;
}

const sim_tally *packet_ranks_links(const engine *e) {
    return e->ranks->complete ? &e->ranks->links : NULL;
}
