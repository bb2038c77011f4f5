/* Shares of links are added in the order of messages. Whole links are counted: threads follow a block of
 * messages and sort the links of their paths by ranges of links, then each takes ranges and counts. So no
 * thread needs an array of all links, and a range fits a cache, which the links of paths in their order do
 * not: one thread gains from it, too. */
#include "models/link_load/message_loads.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "loads/flow_spread.h"

#include <stdlib.h>
#include <string.h>

enum {
    GRAIN = 1024,        /* messages that a thread takes at once */
    RANGE_BITS = 17,     /* a range: 1 MiB of loads at most, */
    RANGE_BITS_MIN = 8,  /* less where */
    RANGES_OF_THREAD = 8 /* threads would find too few */
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

typedef struct following {
    const message_question *question;
    double *load;
    uint64_t links, ranges;
    unsigned range_bits;
    follower *follower;
    sorted_links *grain; /* [in_block] */
    uint64_t grains, in_block;
    uint64_t first, count; /* of the block: its first grain, their number */
} following;

/* ---- shares ---- */

/* Returns what of the messages does not arrive. */
static double follow_grain(const message_question *q, uint64_t grain, spread_visit visit, void *context) {
    const bough_batch *b = q->batch;
    const uint64_t first = grain * GRAIN, end = first + GRAIN < b->count ? first + GRAIN : b->count;
    double unrouted = 0;
    for (uint64_t i = first; i < end; i++) {
        bough_flow flow = {b->source[i], b->address[i], i};
        unrouted += 1 - spread_message(q->run->point.routing, q->key, &flow, visit, context);
    }
    return unrouted;
}

static void follow_in_order(const following *f, double *unrouted) {
    memset(f->load, 0, f->links * sizeof *f->load);
    for (uint64_t g = 0; g < f->grains && !bough_run_stopped(f->question->run); g++)
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
    memset(to->end, 0, f->ranges * sizeof *to->end);
    for (uint64_t i = 0; i < own->count; i++) to->end[own->link[i] >> f->range_bits]++;
    for (uint64_t r = 0, sum = 0; r < f->ranges; r++) {
        uint32_t here = to->end[r];
        to->end[r] = (uint32_t)sum; /* its start, which grows to its end */
        sum += here;
    }
    for (uint64_t i = 0; i < own->count; i++) {
        uint64_t range = own->link[i] >> f->range_bits;
        to->link[to->end[range]++] = (uint32_t)(own->link[i] - (range << f->range_bits));
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

static void count_range(void *context, unsigned thread, uint64_t range) {
    const following *f = context;
    const uint64_t first = range << f->range_bits, most = UINT64_C(1) << f->range_bits;
    double *load = f->load + first;
    (void)thread;
    if (f->first == 0) memset(load, 0, (f->links - first < most ? f->links - first : most) * sizeof *load);
    for (uint64_t g = 0; g < f->count; g++) {
        const sorted_links *from = &f->grain[g];
        for (uint32_t i = range ? from->end[range - 1] : 0; i < from->end[range]; i++) load[from->link[i]]++;
    }
}

static void follow_blocks(void *context, thread_team *team) {
    following *f = context;
    f->first = 0;
    do {
        f->count = f->grains - f->first < f->in_block ? f->grains - f->first : f->in_block;
        team_each(team, f->count, follow, f);
        team_each(team, f->ranges, count_range, f);
        f->first += f->count;
    } while (f->first < f->grains && !bough_run_stopped(f->question->run));
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

static void choose_ranges(following *f, unsigned threads) {
    f->range_bits = RANGE_BITS;
    while (f->range_bits > RANGE_BITS_MIN && f->links >> f->range_bits < RANGES_OF_THREAD * threads)
        f->range_bits--;
    f->ranges = (f->links + (UINT64_C(1) << f->range_bits) - 1) >> f->range_bits;
}

static bough_status make(following *f, unsigned threads, bough_error *error) {
    choose_ranges(f, threads);
    f->in_block = grains_of_block(f->question->run->point.net, threads);
    if (f->in_block > f->grains) f->in_block = f->grains;
    bough_status status = bough_alloc(&f->follower, threads, sizeof *f->follower, error);
    TRY(bough_alloc(&f->grain, f->in_block, sizeof *f->grain, error));
    for (uint64_t g = 0; g < f->in_block && !status; g++)
        status = bough_alloc(&f->grain[g].end, f->ranges, sizeof *f->grain[g].end, error);
    return status;
}

static bough_status take(following *f, unsigned threads, double *unrouted, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < threads; i++) {
        *unrouted += f->follower[i].unrouted;
        if (status || !f->follower[i].status) continue;
        status = f->follower[i].status;
        if (error) *error = f->follower[i].error;
    }
    return status;
}

static void fini(following *f, unsigned threads) {
    for (unsigned i = 0; f->follower && i < threads; i++) free(f->follower[i].link);
    for (uint64_t g = 0; f->grain && g < f->in_block; g++) FREE_ALL(f->grain[g].link, f->grain[g].end);
    FREE_ALL(f->follower, f->grain);
}

bough_status message_loads(const message_question *q, double *load, double *unrouted, bough_error *error) {
    const unsigned threads = q->threads;
    following f = {.question = q,
                   .load = load,
                   .links = q->run->point.net->links,
                   .grains = (q->batch->count + GRAIN - 1) / GRAIN};
    if (!q->whole) {
        follow_in_order(&f, unrouted);
        return BOUGH_OK;
    }
    bough_status status = make(&f, threads, error);
    if (!status) {
        team_run(threads, follow_blocks, &f);
        status = take(&f, threads, unrouted, error);
    }
    fini(&f, threads);
    return status;
}

void message_loads_memory(bough_run *run) {
    const bough_net *net = run->point.net;
    const uint64_t of_grain = bough_mul(usual_hops(net), GRAIN),
                   block = bough_mul(bough_mul(grains_of_block(net, 1), of_grain), sizeof(uint32_t));
    run->bytes = bough_add(run->bytes, bough_add(bough_mul(net->links, 8), block));
    run->bytes_each =
        bough_add(run->bytes_each, bough_mul(of_grain, sizeof(uint64_t) + 4 * sizeof(uint32_t)));
}
