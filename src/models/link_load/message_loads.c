/* Shares of links are added in the order of messages. Whole links are counted: threads follow a block of
 * messages and sort the links of their paths by ranges of links, then each takes ranges and counts. So no
 * thread needs an array of all links, and a range fits a cache, which the links of paths in their order do
 * not: one thread gains from it, too. Where messages are few, ranks send each other the sorted
 * links of each block, so that a rank counts, and has loads for, its part of the ranges only. Where many
 * messages share a link, each rank counts its own messages, and the loads are added at the end. */
#include "models/link_load/message_loads.h"

#include "base/memory/memory.h"
#include "base/rank_group.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "loads/flow_spread.h"

#include <stdlib.h>
#include <string.h>

enum {
    GRAIN = 1024,         /* messages that a thread takes at once */
    RANGE_BITS = 17,      /* a range: 1 MiB of loads at most, */
    RANGE_BITS_MIN = 8,   /* less where */
    RANGES_OF_THREAD = 8, /* threads would find too few */
    RANK_THREADS = 8,     /* of a rank, at most, for this; ranks may have different numbers of them */
    LOAD_SHARED = 16,     /* messages on a link from which on ranks add loads */
    RANK_BLOCK = 1 << 19  /* links of a block of a rank, at least: it takes some ms */
};

/* The links on the paths of a grain, in the order of ranges. */
typedef struct sorted_links {
    uint32_t *link; /* in its range */
    size_t capacity;
    uint32_t *end; /* [ranges] */
} sorted_links;

/* A thread: the links in the order of paths. */
typedef struct follower {
    uint64_t *link;
    size_t capacity;
    uint64_t count;
    double unrouted;
    bough_status status;
    bough_error error;
} follower;

/* How links are divided: a rank has the ranges team_part(ranges, ranks, rank). */
typedef struct range_list {
    unsigned bits;
    uint64_t ranges, first, own; /* all; of this rank */
} range_list;

/* The links of a grain, of this rank or another one, in the ranges of this rank. */
typedef struct piece {
    const uint32_t *link, *end; /* [own ranges] */
    uint32_t start;
} piece;

typedef struct following {
    const message_question *question;
    const rank_group *group;
    double *load; /* of the own ranges */
    uint64_t links;
    range_list list;
    follower *follower;
    sorted_links *grain; /* [in_block] */
    uint64_t in_block, first,
        count;    /* grains of this rank: of a block, the first of this one, their number */
    piece *piece; /* [in_block x ranks] */
    uint64_t pieces;
    rank_parts received;
    bough_status status; /* of exchanges */
    bough_error error;
} following;

/* ---- shares ---- */

/* Messages of a grain of this rank: its first, and the end. */
static uint64_t grain_start(const message_question *q, uint64_t own) {
    return (own * group_ranks(q->run->group) + group_rank(q->run->group)) * GRAIN;
}

static uint64_t grain_end(const message_question *q, uint64_t own) {
    uint64_t end = grain_start(q, own) + GRAIN;
    return end < q->batch->count ? end : q->batch->count;
}

/* Grains of a rank. */
static uint64_t grains_of(const message_question *q, unsigned rank) {
    uint64_t grains = (q->batch->count + GRAIN - 1) / GRAIN, ranks = group_ranks(q->run->group);
    return (grains + ranks - 1 - rank) / ranks;
}

/* Returns what of the messages does not arrive. */
static double follow_grain(const message_question *q, uint64_t own, spread_visit visit, void *context) {
    const bough_batch *b = q->batch;
    double unrouted = 0;
    for (uint64_t i = grain_start(q, own); i < grain_end(q, own); i++) {
        bough_flow flow = {b->source[i], b->address[i], i};
        unrouted += 1 - spread_message(q->run->point.routing, q->key, &flow, visit, context);
    }
    return unrouted;
}

static void follow_in_order(const following *f, double *unrouted) {
    memset(f->load, 0, f->links * sizeof *f->load);
    for (uint64_t g = 0; g < grains_of(f->question, 0) && !bough_run_stopped(f->question->run); g++)
        *unrouted += follow_grain(f->question, g, spread_add, f->load);
}

/* ---- whole links ---- */

static void note_link(void *context, uint64_t link, double share) {
    follower *own = context;
    (void)share;
    if (own->count == own->capacity && !own->status)
        own->status = bough_grow(&own->link, &own->capacity, own->count + 1, sizeof *own->link, &own->error);
    if (!own->status) own->link[own->count++] = link;
}

/* Sorts the links of a thread into those of a grain. */
static void sort_links(const following *f, follower *own, sorted_links *to) {
    const unsigned bits = f->list.bits;
    memset(to->end, 0, f->list.ranges * sizeof *to->end);
    for (uint64_t i = 0; i < own->count; i++) to->end[own->link[i] >> bits]++;
    for (uint64_t r = 0, sum = 0; r < f->list.ranges; r++) {
        uint32_t here = to->end[r];
        to->end[r] = (uint32_t)sum; /* its start, which grows to its end */
        sum += here;
    }
    for (uint64_t i = 0; i < own->count; i++) {
        uint64_t range = own->link[i] >> bits;
        to->link[to->end[range]++] = (uint32_t)(own->link[i] - (range << bits));
    }
}

static void follow(void *context, unsigned thread, uint64_t i) {
    const following *f = context;
    follower *own = &f->follower[thread];
    sorted_links *to = &f->grain[i];
    own->count = 0;
    if (!own->status && !bough_run_stopped(f->question->run))
        own->unrouted += follow_grain(f->question, f->first + i, note_link, own);
    if (!own->status)
        own->status = bough_grow(&to->link, &to->capacity, own->count, sizeof *to->link, &own->error);
    if (own->status) own->count = 0;
    sort_links(f, own, to);
}

/* range: of the own ones */
static void count_range(void *context, unsigned thread, uint64_t range) {
    const following *f = context;
    const uint64_t first = range << f->list.bits, most = UINT64_C(1) << f->list.bits;
    const uint64_t left = f->links - (f->list.first << f->list.bits) - first;
    double *load = f->load + first;
    (void)thread;
    if (f->first == 0) memset(load, 0, (left < most ? left : most) * sizeof *load);
    for (uint64_t p = 0; p < f->pieces; p++) {
        const piece *from = &f->piece[p];
        uint32_t i = range ? from->end[range - 1] : from->start;
        for (; i < from->end[range]; i++) load[from->link[i]]++;
    }
}

/* ---- ranks ---- */

static bough_range ranges_of(const following *f, unsigned rank) {
    const unsigned ranks = group_ranks(f->group);
    const uint64_t first = team_part(f->list.ranges, ranks, rank);
    return (bough_range){first, team_part(f->list.ranges, ranks, (uint64_t)rank + 1) - first};
}

/* Grains of a rank in the current block. */
static uint64_t block_grains(const following *f, unsigned rank) {
    const uint64_t grains = grains_of(f->question, rank);
    return grains <= f->first ? 0 : grains - f->first < f->in_block ? grains - f->first : f->in_block;
}

/* The links of a grain in these ranges. */
static uint32_t links_start(const sorted_links *g, bough_range of) {
    return of.first ? g->end[of.first - 1] : 0;
}

static uint32_t links_within(const sorted_links *g, bough_range of) {
    return of.count ? g->end[of.first + of.count - 1] - links_start(g, of) : 0;
}

/* What a rank receives of each grain: the ends of its ranges, and the links. */
static void pack_grains(const following *f, bough_range of, uint32_t *to) {
    for (uint64_t g = 0; g < f->count; g++) {
        const sorted_links *from = &f->grain[g];
        const uint32_t start = links_start(from, of), links = links_within(from, of);
        for (uint64_t r = 0; r < of.count; r++) *to++ = from->end[of.first + r] - start;
        if (links) memcpy(to, from->link + start, links * sizeof *to);
        to += links;
    }
}

static void take_grains(following *f, unsigned rank, const uint32_t *from) {
    for (uint64_t g = block_grains(f, rank); g > 0 && f->list.own; g--) {
        const uint32_t *link = from + f->list.own;
        f->piece[f->pieces++] = (piece){link, from, 0};
        from = link + from[f->list.own - 1];
    }
}

static bough_status first_failure(const following *f, bough_error *error) {
    for (unsigned i = 0; i < f->question->threads; i++) {
        if (!f->follower[i].status) continue;
        if (error) *error = f->follower[i].error;
        return f->follower[i].status;
    }
    return BOUGH_OK;
}

/* Ranks send each other the links that are not their own. */
static bough_status exchange(following *f, bough_error *error) {
    const rank_group *g = f->group;
    rank_parts out = {0};
    uint64_t *size;
    bough_status status = first_failure(f, error);
    bough_status made = bough_alloc(&size, g->ranks, sizeof *size, status ? NULL : error);
    if (!status) status = made;
    for (unsigned r = 0; r < g->ranks && !status; r++) {
        const bough_range of = ranges_of(f, r);
        for (uint64_t i = 0; i < f->count && r != g->rank; i++)
            size[r] += (of.count + links_within(&f->grain[i], of)) * sizeof(uint32_t);
    }
    TRY(rank_parts_make(&out, g->ranks, size, error));
    for (unsigned r = 0; r < g->ranks && !status; r++)
        if (r != g->rank) pack_grains(f, ranges_of(f, r), (uint32_t *)(out.bytes + out.at[r]));
    status = group_exchange(g, status, &out, &f->received, error);
    for (unsigned r = 0; r < g->ranks && !status; r++)
        if (r != g->rank) take_grains(f, r, (const uint32_t *)(f->received.bytes + f->received.at[r]));
    rank_parts_fini(&out);
    free(size);
    return status;
}

/* ---- blocks ---- */

static void take_own_grains(following *f) {
    const bough_range own = {f->list.first, f->list.own};
    f->pieces = 0;
    for (uint64_t g = 0; g < f->count && own.count; g++) {
        const sorted_links *from = &f->grain[g];
        f->piece[f->pieces++] = (piece){from->link, from->end + own.first, links_start(from, own)};
    }
}

/* Rank 0 has the most grains, so all have as many blocks as it has. */
static void follow_blocks(void *context, thread_team *team) {
    following *f = context;
    const unsigned rank = group_rank(f->question->run->group);
    const uint64_t grains = grains_of(f->question, 0);
    f->first = 0;
    do {
        f->count = block_grains(f, rank);
        team_each(team, f->count, follow, f);
        take_own_grains(f);
        if (f->group) f->status = exchange(f, &f->error);
        if (!f->status) team_each(team, f->list.own, count_range, f);
        rank_parts_fini(&f->received);
        f->first += f->in_block;
    } while (f->first < grains && !f->status && (f->group || !bough_run_stopped(f->question->run)));
}

/* Links of a path, about. */
static uint64_t usual_hops(const bough_net *net) {
    uint64_t hops = net->hops_max ? net->hops_max : 2 * (uint64_t)net->levels;
    return hops ? hops : 1;
}

/* As many grains as have half as many links on their paths as the network has. */
static uint64_t grains_of_block(const bough_net *net, unsigned threads) {
    uint64_t grains = net->links / 2 / (usual_hops(net) * GRAIN), least = 4 * (uint64_t)threads;
    return grains > least ? grains : least;
}

/* The same of each rank: it does not depend on the number of threads. */
static uint64_t grains_of_rank_block(const bough_net *net, unsigned ranks) {
    uint64_t links = net->links / 2 / ranks;
    return (links > RANK_BLOCK ? links : RANK_BLOCK) / (usual_hops(net) * GRAIN) + 1;
}

/* Whether so few messages share a link that their links are less to send than all loads. */
static bool links_are_fewer(const bough_run *run) {
    const bough_net *net = run->point.net;
    return bough_mul(run->point.traffic->messages, usual_hops(net)) <= bough_mul(net->links, LOAD_SHARED);
}

bool message_loads_apart(const bough_run *run) {
    return group_ranks(run->group) > 1 && links_are_fewer(run);
}

/* Where loads are not apart, a rank has all ranges. */
static range_list range_list_of(const bough_run *run, unsigned threads) {
    const bool apart = message_loads_apart(run);
    const unsigned ranks = apart ? group_ranks(run->group) : 1, rank = apart ? group_rank(run->group) : 0;
    const uint64_t links = run->point.net->links, least = apart ? RANK_THREADS * ranks : threads;
    range_list l = {.bits = RANGE_BITS};
    while (l.bits > RANGE_BITS_MIN && links >> l.bits < RANGES_OF_THREAD * least) l.bits--;
    l.ranges = (links + (UINT64_C(1) << l.bits) - 1) >> l.bits;
    l.first = team_part(l.ranges, ranks, rank);
    l.own = team_part(l.ranges, ranks, (uint64_t)rank + 1) - l.first;
    return l;
}

bough_range message_loads_part(const bough_run *run) {
    const uint64_t links = run->point.net->links, ranks = group_ranks(run->group),
                   rank = group_rank(run->group);
    const range_list l = range_list_of(run, 1);
    uint64_t first = team_part(links, ranks, rank), end = team_part(links, ranks, rank + 1);
    if (message_loads_apart(run)) {
        first = l.first << l.bits;
        end = (l.first + l.own) << l.bits;
    }
    return (bough_range){first, (end < links ? end : links) - first};
}

static bough_status make(following *f, bough_error *error) {
    const message_question *q = f->question;
    const unsigned ranks = group_ranks(f->group);
    f->in_block = ranks == 1 ? grains_of_block(q->run->point.net, q->threads)
                             : grains_of_rank_block(q->run->point.net, ranks);
    if (f->in_block > grains_of(q, 0)) f->in_block = grains_of(q, 0);
    bough_status status = bough_alloc(&f->follower, q->threads, sizeof *f->follower, error);
    TRY(bough_alloc(&f->grain, f->in_block, sizeof *f->grain, error));
    TRY(bough_alloc(&f->piece, bough_mul(f->in_block, ranks), sizeof *f->piece, error));
    for (uint64_t g = 0; g < f->in_block && !status; g++)
        status = bough_alloc(&f->grain[g].end, f->list.ranges, sizeof *f->grain[g].end, error);
    return status;
}

static void fini(following *f) {
    for (unsigned i = 0; f->follower && i < f->question->threads; i++) free(f->follower[i].link);
    for (uint64_t g = 0; f->grain && g < f->in_block; g++) FREE_ALL(f->grain[g].link, f->grain[g].end);
    FREE_ALL(f->follower, f->grain, f->piece);
}

bough_status message_loads(const message_question *q, double *load, double *unrouted, bough_error *error) {
    const bool apart = message_loads_apart(q->run);
    const rank_group *group = apart ? q->run->group : NULL;
    following f = {.question = q, .group = group, .load = load, .links = q->run->point.net->links};
    if (!q->whole) {
        follow_in_order(&f, unrouted);
        return BOUGH_OK;
    }
    f.list = range_list_of(q->run, q->threads);
    bough_status status = group_agree(group, make(&f, error), error);
    if (!status) {
        team_run(q->threads, follow_blocks, &f);
        status = f.status ? f.status : first_failure(&f, error);
        if (f.status && error) *error = f.error;
        for (unsigned i = 0; i < q->threads; i++) *unrouted += f.follower[i].unrouted;
    }
    fini(&f);
    if (!apart) {
        status = group_agree(q->run->group, status, error);
        TRY(group_sum_part(q->run->group, load, f.links, error));
    }
    return status;
}

static uint64_t blocks_bytes(const bough_net *net) {
    uint64_t of_path = bough_mul(usual_hops(net), sizeof(uint32_t));
    return bough_mul(bough_mul(grains_of_block(net, 1), GRAIN), of_path);
}

static uint64_t thread_bytes(const bough_net *net) {
    return bough_mul(bough_mul(usual_hops(net), GRAIN), sizeof(uint64_t) + 4 * sizeof(uint32_t));
}

void message_loads_memory(bough_run *run) {
    const bough_net *net = run->point.net;
    const uint64_t loads = bough_mul(net->links, 8), each = thread_bytes(net);
    run->bytes = bough_add(run->bytes, bough_add(loads, blocks_bytes(net)));
    run->bytes_each = bough_add(run->bytes_each, each);
    if (links_are_fewer(run)) { /* the links of a block: those of paths, sent and received */
        run->joint_bytes = bough_mul(net->links, 8 + 3 * sizeof(uint32_t) / 2);
        run->joint_bytes_each = bough_mul(RANK_BLOCK + usual_hops(net) * GRAIN, 3 * sizeof(uint32_t));
    } else {
        run->joint_bytes_each = bough_add(loads, blocks_bytes(net));
    }
}
