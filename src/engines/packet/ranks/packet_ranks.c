/* A batch on several ranks: each has some nodes, the queues that start at them, and the packets in these. All
 * ranks take the same messages from their sources, so a packet has the same number, and the same slot, on
 * every rank; only the rank of the node where it is has its contents. After each step packets on links that
 * end on another rank are sent there, with what all ranks need to know about the step. Packets then join
 * queues in the order of their numbers, as on one rank, so the results are the same. Figures, which are sums
 * and maxima, are added up after the last step.
 *
 * The nodes of a rank are a part of the endpoints and the same part of the nodes of each level: of a cube
 * with a power of two of ranks a subcube, of a tree the subtrees over its endpoints and a part of the levels
 * above. */
#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/rank_group.h"
#include "base/status/try.h"
#include "engines/packet/packet_state.h"
#include "network/wiring.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 256 };

/* Consecutive nodes of one level. */
typedef struct node_run {
    uint64_t first, end;
} node_run;

struct packet_ranks {
    const rank_group *group;
    uint64_t *away; /* as engine.away */
    node_run run[RUNS_MAX];
    unsigned runs;
    uint64_t *size;          /* scratch, [ranks] */
    uint64_t moving, queued; /* packets of all ranks after the last exchange */
    uint64_t arrived;        /* messages, likewise */
    uint64_t gathered;       /* deliveries that rank 0 has, or the caller of an earlier advance */
    bool finished;           /* the figures are those of all ranks */
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

/* What a rank says at the end; then come the entries of both spills. */
typedef struct totals {
    packet_figures figures;
    uint64_t entered, entry_waited, moves, spills[2];
    uint64_t waited[SIM_KINDS], grants[SIM_KINDS];
} totals;

typedef struct overflow {
    uint32_t link, times;
} overflow;

/* ---- nodes ---- */

/* Nodes in no order of levels make one run: any division is right. */
static void find_runs(const bough_net *net, packet_ranks *p) {
    unsigned level = 0;
    p->run[p->runs++] = (node_run){0, net->endpoints};
    for (uint64_t v = net->endpoints; v < net->nodes && p->runs < RUNS_MAX; v++) {
        unsigned here = net->ops->node_level(net, v);
        if (v == net->endpoints || here != level) p->run[p->runs++] = (node_run){v, v};
        p->run[p->runs - 1].end = v + 1;
        level = here;
    }
    if (p->run[p->runs - 1].end == net->nodes) return;
    p->runs = 1;
    p->run[0].end = net->nodes;
}

static unsigned rank_of(const packet_ranks *p, uint64_t node) {
    const node_run *r = p->run;
    while (node >= r->end) r++;
    return (unsigned)((node - r->first) * p->group->ranks / (r->end - r->first));
}

bool packet_ranks_own(const engine *e, uint64_t node) {
    return rank_of(e->ranks, node) == e->ranks->group->rank;
}

bough_status packet_ranks_make(engine *e, bough_error *error) {
    packet_ranks *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    e->ranks = p;
    p->group = e->o.group;
    status = bough_alloc(&p->away, words_for(e->links), sizeof *p->away, error);
    TRY(bough_alloc(&p->size, p->group->ranks, sizeof *p->size, error));
    if (status) return status;
    find_runs(e->net, p);
    for (uint64_t v = 0; v < e->net->nodes; v++) {
        if (!packet_ranks_own(e, v)) continue;
        for (node_links at = node_links_of(e->net, v); node_links_next(&at);)
            if (!packet_ranks_own(e, e->ops->link_end(e->net, at.link).node)) set_bit(p->away, at.link);
    }
    e->away = p->away;
    return BOUGH_OK;
}

void packet_ranks_free(engine *e) {
    if (e->ranks) FREE_ALL(e->ranks->away, e->ranks->size);
    FREE_ALL(e->ranks, e->leaving);
}

void packet_ranks_start(engine *e) {
    packet_ranks *p = e->ranks;
    p->moving = p->queued = p->arrived = p->gathered = 0;
    p->finished = false;
    e->leavings = 0;
}

/* ---- steps ---- */

static unsigned goes_to(const engine *e, uint32_t slot) {
    return rank_of(e->ranks, e->ops->link_end(e->net, e->packet[slot].spot).node);
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

static void gather_deliveries(engine *e) {
    packet_ranks *p = e->ranks;
    rank_parts out = {0}, in = {0};
    const uint64_t count = e->base.arrived - p->gathered;
    memset(p->size, 0, p->group->ranks * sizeof *p->size);
    p->size[0] = e->outs * sizeof *e->out;
    bough_status status = rank_parts_make(&out, p->group->ranks, p->size, e->error);
    if (!status && p->size[0]) memcpy(out.bytes, e->out, p->size[0]);
    e->status = group_exchange(p->group, status, &out, &in, e->error);
    rank_parts_fini(&out);
    if (!e->status && GROW(e, out, count)) {
        if (p->group->rank)
            memset(e->out, 0, count * sizeof *e->out);
        else
            memcpy(e->out, in.bytes, count * sizeof *e->out);
        e->outs = count;
        p->gathered = e->base.arrived;
    }
    rank_parts_fini(&in);
}

static unsigned char *put_spill(const spill *s, unsigned char *at) {
    for (uint64_t i = 0; i < s->size; i++) {
        const overflow o = {s->link[i], s->times[i]};
        if (!o.times) continue;
        memcpy(at, &o, sizeof o);
        at += sizeof o;
    }
    return at;
}

/* The same for all ranks. */
static bough_status pack_totals(engine *e, rank_parts *out) {
    packet_ranks *p = e->ranks;
    totals mine = {.figures = e->figures,
                   .entered = e->entered,
                   .entry_waited = e->entry_waited,
                   .moves = e->base.moves,
                   .spills = {e->spill[0].count, e->spill[1].count}};
    memcpy(mine.waited, e->waited, sizeof mine.waited);
    memcpy(mine.grants, e->grants, sizeof mine.grants);
    for (unsigned r = 0; r < p->group->ranks; r++)
        p->size[r] = sizeof mine + (mine.spills[0] + mine.spills[1]) * sizeof(overflow);
    bough_status status = rank_parts_make(out, p->group->ranks, p->size, e->error);
    for (unsigned r = 0; r < p->group->ranks && !status; r++) {
        unsigned char *at = out->bytes + out->at[r];
        memcpy(at, &mine, sizeof mine);
        put_spill(&e->spill[1], put_spill(&e->spill[0], at + sizeof mine));
    }
    return status;
}

static void add_totals(engine *e, const unsigned char *bytes) {
    totals t;
    memcpy(&t, bytes, sizeof t);
    bytes += sizeof t;
    packet_add_figures(&e->figures, &t.figures);
    e->entered += t.entered;
    e->entry_waited += t.entry_waited;
    e->base.moves += t.moves;
    for (unsigned k = 0; k < SIM_KINDS; k++) {
        e->waited[k] += t.waited[k];
        e->grants[k] += t.grants[k];
    }
    for (unsigned phase = 0; phase < 2; phase++)
        for (uint64_t i = 0; i < t.spills[phase]; i++) {
            overflow o;
            memcpy(&o, bytes, sizeof o);
            bytes += sizeof o;
            packet_add_overflows(e, o.link, phase, o.times);
        }
}

/* Each byte of `crossed` is counted by one rank, and 0 on the others. */
static void finish(engine *e) {
    packet_ranks *p = e->ranks;
    rank_parts out = {0}, in = {0};
    e->status = group_exchange(p->group, pack_totals(e, &out), &out, &in, e->error);
    rank_parts_fini(&out);
    for (unsigned r = 0; r < p->group->ranks && !e->status; r++)
        if (r != p->group->rank) add_totals(e, in.bytes + in.at[r]);
    rank_parts_fini(&in);
    e->status = group_agree(p->group, e->status, e->error);
    if (!e->status)
        e->status = group_or(p->group, (uint64_t *)(void *)e->crossed, e->links / 8 + 1, e->error);
    p->finished = true;
}

void packet_ranks_gather(engine *e) {
    packet_ranks *p = e->ranks;
    if (p->gathered != e->base.arrived) gather_deliveries(e);
    if (!e->status && !p->finished && packet_ranks_still(e) && e->next_offer == BOUGH_NONE) finish(e);
}
