#include "routing/computed/table_filler.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/rank_group.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEARCHES = 64,           /* of a batch at most */
    SEARCH_BYTES = 16 << 20, /* of their results together, unless one alone has more */
    BATCH = 2048,            /* destinations of a batch at most */
    ROUND_BYTES = 8 << 20,   /* of the results of a round, unless those of one batch are more */
    BATCHES = 32,            /* of a round at most */
    ROWS = 16                /* a block: that a thread takes at a time */
};

#define NO_RESULT UINT32_MAX

/* Memory of one thread. */
typedef struct scratch {
    uint32_t *queue;
    uint32_t *links; /* 3 arrays of the links of a row */
    uint64_t room;   /* of each */
} scratch;

/* How the links towards a destination are found. */
struct way {
    uint32_t result; /* its search; NO_RESULT: the network's routes */
    uint32_t seed;   /* up_down_seed, or BOUGH_NO_INDEX */
};

/* Rows are filled a batch of destinations at a time, so that the results of its searches stay in a cache.
 * Ranks divide searches, and wait for each other at their exchange, so they search for many batches, a round,
 * at once. In the first round they claim blocks of rows, as one may be faster than another; each fills these
 * in all rounds. */
typedef struct filling {
    const table_filler *filler;
    unsigned threads;
    scratch *scratch;
    uint16_t *hops; /* [searches_max * batches_max][reached]: results; their queue is that of the thread */
    bool *down;     /* the same */
    uint64_t reached;
    uint32_t searches_max, batches_max; /* of a batch, of a round */
    /* The round: */
    uint32_t searches;                            /* number of results in use */
    const struct next_table_destination **search; /* [searches_max * batches_max] */
    uint64_t *at;                                 /* [ranks + 1]: of arrays of which each rank has a part */
    bough_status status;                          /* of what ranks exchange */
    bough_error *error;
    uint32_t batches;
    struct batch {
        uint64_t first, count; /* destinations */
        struct way *way;       /* [BATCH] */
    } batch[BATCHES];
    struct way *way; /* [batches_max * BATCH] */
    /* Blocks of rows: */
    group_loop loop; /* in which they are claimed */
    uint64_t *owner; /* of each: 1 + its rank; 0: another one */
    uint64_t *own;   /* those of this rank */
    uint64_t owned;
} filling;

static const rank_group *group_of(const filling *f) {
    return f->filler->table->net->group;
}

static uint64_t rows_of(const filling *f) {
    return f->filler->table->entries.rows;
}

static uint64_t blocks_of(const filling *f) {
    return (rows_of(f) + ROWS - 1) / ROWS;
}

/* ---- memory ---- */

static uint64_t links_at_most(const bough_net *net, const up_down *paths) {
    uint64_t most = net->group_max;
    for (uint64_t v = 0; v < net->nodes && paths; v++)
        if (rows_count(&paths->out, v) > most) most = rows_count(&paths->out, v);
    return most;
}

/* each: the bytes of a result. */
static uint32_t batches_at_most(const filling *f, uint64_t each) {
    const uint64_t fit = ROUND_BYTES / (f->searches_max * each);
    return group_ranks(group_of(f)) == 1 || fit < 1 ? 1 : fit < BATCHES ? (uint32_t)fit : BATCHES;
}

static bough_status make(filling *f, bough_error *error) {
    const bough_net *net = f->filler->table->net;
    const up_down *paths = f->filler->paths;
    f->reached = paths ? net->nodes - paths->first : 0;
    uint64_t each = f->reached * (sizeof *f->hops + sizeof *f->down) + 1, links = links_at_most(net, paths);
    bough_status status = bough_alloc(&f->scratch, f->threads, sizeof *f->scratch, error);
    TRY(bough_alloc(&f->at, (uint64_t)group_ranks(group_of(f)) + 1, sizeof *f->at, error));
    f->loop = (group_loop){.group = group_of(f), .steps = blocks_of(f)};
    TRY(bough_alloc(&f->owner, f->loop.steps, sizeof *f->owner, error));
    TRY(bough_alloc(&f->own, f->loop.steps, sizeof *f->own, error));
    for (unsigned i = 0; i < f->threads && !status; i++) {
        f->scratch[i].room = links;
        status = bough_alloc(&f->scratch[i].links, bough_mul(3, links), sizeof *f->scratch[i].links, error);
        if (paths) TRY(bough_alloc(&f->scratch[i].queue, net->nodes + 2, sizeof *f->scratch[i].queue, error));
    }
    f->searches_max = each < SEARCH_BYTES / SEARCHES ? SEARCHES : (uint32_t)(SEARCH_BYTES / each);
    if (f->searches_max == 0) f->searches_max = 1;
    f->batches_max = paths ? batches_at_most(f, each) : 1;
    const uint32_t results = f->searches_max * f->batches_max;
    TRY(bough_alloc(&f->way, (uint64_t)f->batches_max * BATCH, sizeof *f->way, error));
    TRY(bough_alloc(&f->search, results, sizeof *f->search, error));
    if (!paths) return status;
    TRY(large_alloc(&f->hops, bough_mul(results, f->reached), sizeof *f->hops, error));
    TRY(large_alloc(&f->down, bough_mul(results, f->reached), sizeof *f->down, error));
    return status;
}

static void fini(filling *f) {
    for (unsigned i = 0; i < f->threads && f->scratch; i++)
        FREE_ALL(f->scratch[i].links, f->scratch[i].queue);
    FREE_ALL(f->scratch, f->way, f->search, f->hops, f->down, f->at, f->owner, f->own);
}

/* ---- a batch ---- */

static bool needs_search(const filling *f, const struct next_table_destination *d) {
    return !f->filler->routes || d->address == BOUGH_NONE;
}

/* The first destinations from b->first on that need no more than searches_max searches. Neighbours in the
 * order often have the same seed. */
static void plan_batch(filling *f, struct batch *b) {
    const next_table *t = f->filler->table;
    const uint32_t before_batch = f->searches;
    uint64_t before = BOUGH_NONE;
    while (b->count < BATCH && b->first + b->count < t->destinations) {
        const struct next_table_destination *d = &t->order[b->first + b->count];
        struct way way = {NO_RESULT, BOUGH_NO_INDEX};
        if (needs_search(f, d)) {
            uint64_t seed = up_down_seed(f->filler->paths, d->node);
            bool same = f->searches > before_batch && seed != BOUGH_NONE && seed == before;
            if (!same && f->searches - before_batch == f->searches_max) return;
            if (!same) f->search[f->searches++] = d;
            before = seed;
            way = (struct way){f->searches - 1, (uint32_t)seed}; /* BOUGH_NONE becomes BOUGH_NO_INDEX */
        }
        b->way[b->count++] = way;
    }
}

/* Returns the first destination that is left. */
static uint64_t plan_round(filling *f, uint64_t first) {
    f->searches = f->batches = 0;
    while (f->batches < f->batches_max && first < f->filler->table->destinations) {
        struct batch *b = &f->batch[f->batches];
        *b = (struct batch){.first = first, .way = f->way + (uint64_t)f->batches++ * BATCH};
        plan_batch(f, b);
        first += b->count;
    }
    return first;
}

static up_down view_of(const filling *f, uint32_t result, unsigned worker) {
    const uint64_t first = result * f->reached;
    const up_down_memory memory = {f->hops + first, f->down + first, f->scratch[worker].queue};
    return up_down_view(f->filler->paths, &memory);
}

static void search_one(void *context, unsigned worker, uint64_t i) {
    filling *f = context;
    i += f->at[group_rank(group_of(f))];
    up_down view = view_of(f, (uint32_t)i, worker);
    up_down_search(&view, f->search[i]->node);
}

/* Ranks divide the searches. */
static void search_all(filling *f, thread_team *team) {
    const rank_group *group = group_of(f);
    const unsigned ranks = group_ranks(group), rank = group_rank(group);
    for (unsigned r = 0; r <= ranks; r++) f->at[r] = team_part(f->searches, ranks, r);
    team_each(team, f->at[rank + 1] - f->at[rank], search_one, f);
    if (ranks == 1 || !f->searches || f->status) return;
    for (unsigned r = 0; r <= ranks; r++) f->at[r] *= f->reached * sizeof *f->down;
    f->status = group_gather(group, f->status, f->down, f->at, f->error);
    for (unsigned r = 0; r <= ranks; r++) f->at[r] *= sizeof *f->hops / sizeof *f->down;
    if (!f->status) f->status = group_gather(group, f->status, f->hops, f->at, f->error);
}

/* ---- a row ---- */

/* The links of a row towards a destination. Those towards the next destinations are often the same. */
typedef struct row_links {
    uint64_t node;
    uint32_t *link;        /* by port */
    uint32_t *found, *now; /* in the order in which they were found, and those that are being found */
    uint32_t count;
    uint32_t result; /* they apply to all destinations of this search; NO_RESULT: to one destination */
    /* No link has a lower load than `least`, and none before `next` has that one. */
    uint32_t least, next;
} row_links;

static row_links start_row(const scratch *s, uint64_t node) {
    return (row_links){.node = node,
                       .link = s->links,
                       .found = s->links + s->room,
                       .now = s->links + 2 * s->room,
                       .result = NO_RESULT};
}

/* The links in `now` are those of the row. */
static void set_links(const next_table *t, row_links *row, uint32_t count) {
    if (count == row->count && memcmp(row->now, row->found, count * sizeof *row->now) == 0) return;
    uint32_t *found = row->now;
    row->now = row->found;
    row->found = found;
    row->count = row->next = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && t->port[row->link[at - 1]] > t->port[found[i]]; at--)
            row->link[at] = row->link[at - 1];
        row->link[at] = found[i];
    }
}

/* Takes the link with the lowest load, of equal ones that with the lowest port. While the links stay the
 * same, their loads only grow, so that they are passed in turn. */
static uint32_t take_link(next_table *t, row_links *row) {
    uint32_t i = row->next;
    while (i < row->count && t->load[row->link[i]] != row->least) i++;
    if (i == row->count) {
        i = 0;
        for (uint32_t k = 1; k < row->count; k++)
            if (t->load[row->link[k]] < t->load[row->link[i]]) i = k;
        row->least = t->load[row->link[i]];
    }
    row->next = i + 1;
    t->load[row->link[i]]++;
    return row->link[i];
}

static void links_by_route(const next_table *t, uint64_t address, row_links *row) {
    bough_route route;
    t->net->ops->route(t->net, row->node, address, &route);
    for (uint32_t k = 0; k < route.count; k++) row->now[k] = (uint32_t)bough_route_link(&route, k);
    set_links(t, row, route.count);
    row->result = NO_RESULT;
}

/* Only nodes with a link to the destination itself distinguish destinations of one search. */
static void links_by_search(const next_table *t, up_down *view, uint64_t target, struct way way,
                            row_links *row) {
    bool common = way.seed != BOUGH_NO_INDEX && way.seed != row->node && view->forwards[row->node];
    if (common && row->result == way.result) return;
    view->target = target;
    view->seed = way.seed == BOUGH_NO_INDEX ? BOUGH_NONE : way.seed;
    set_links(t, row, up_down_links(view, row->node, row->now));
    row->result = common ? way.result : NO_RESULT;
}

static void fill_row(filling *f, const struct batch *b, uint64_t node, unsigned worker) {
    const table_filler *filler = f->filler;
    next_table *t = filler->table;
    row_links row = start_row(&f->scratch[worker], node);
    up_down view = {0};
    for (uint64_t i = 0; i < b->count; i++) {
        const struct next_table_destination *d = &t->order[b->first + i];
        const struct way way = b->way[i];
        if (way.result == NO_RESULT && node == d->node) continue;
        if (way.result == NO_RESULT) {
            links_by_route(t, d->address, &row);
        } else {
            if (i == 0 || b->way[i - 1].result != way.result) view = view_of(f, way.result, worker);
            links_by_search(t, &view, d->node, way, &row);
        }
        uint32_t link = row.count ? take_link(t, &row) : BOUGH_NO_INDEX;
        if (d->counted_only) continue;
        next_table_set(t, node, d->address, link);
        if (!row.count && filler->missing) filler->missing(filler->context, node, b->first + i);
    }
}

/* Its first row; that of the block after the last one is behind the last row. */
static uint64_t first_row(const filling *f, uint64_t block) {
    return block * ROWS < rows_of(f) ? block * ROWS : rows_of(f);
}

static void fill_block(filling *f, uint64_t block, unsigned worker) {
    for (const struct batch *b = f->batch; b < f->batch + f->batches; b++)
        for (uint64_t row = first_row(f, block); row < first_row(f, block + 1); row++)
            fill_row(f, b, f->filler->table->entries.first_row + row, worker);
}

static void claim_blocks(void *context, unsigned worker, uint64_t unused) {
    filling *f = context;
    (void)unused;
    for (uint64_t block; (block = group_loop_claim(&f->loop)) < f->loop.steps;) {
        f->owner[block] = 1 + group_rank(group_of(f));
        link_table_clear(&f->filler->table->entries, first_row(f, block), first_row(f, block + 1));
        fill_block(f, block, worker);
    }
}

static void fill_own(void *context, unsigned worker, uint64_t i) {
    filling *f = context;
    fill_block(f, f->own[i], worker);
}

static void first_round(filling *f, thread_team *team) {
    f->status = group_loop_begin(&f->loop, f->status, f->error);
    if (f->status) return;
    team_each(team, team_size(team), claim_blocks, f);
    for (uint64_t block = 0; block < f->loop.steps; block++)
        if (f->owner[block]) f->own[f->owned++] = block;
}

static void fill_rounds(void *context, thread_team *team) {
    filling *f = context;
    uint64_t first = 0;
    do {
        const bool claims = first == 0;
        first = plan_round(f, first);
        search_all(f, team);
        if (claims)
            first_round(f, team);
        else if (!f->status)
            team_each(team, f->owned, fill_own, f);
    } while (first < f->filler->table->destinations && !f->status);
}

static uint64_t hash_input(const table_filler *filler) {
    const next_table *t = filler->table;
    return filler->input_hash ^ bough_mul(t->net->nodes, t->entries.stride) ^ t->destinations << 32;
}

static uint64_t next_of(const filling *f, unsigned rank, uint64_t block) {
    while (block < f->loop.steps && f->owner[block] != rank + 1) block++;
    return block;
}

static rank_block rows_in(const filling *f, uint64_t block) {
    const link_table *t = &f->filler->table->entries;
    const uint64_t first = first_row(f, block), each = link_table_row_bytes(t);
    return (rank_block){(char *)link_table_entries(t) + first * each,
                        (first_row(f, block + 1) - first) * each};
}

/* The next block of every rank. next: [ranks]; out, in: the same. Returns whether there was any. */
static bool list_next(const filling *f, uint64_t *next, rank_block *out, rank_block *in) {
    const unsigned ranks = group_ranks(group_of(f)), rank = group_rank(group_of(f));
    bool any = false;
    for (unsigned r = 0; r < ranks; r++) {
        const uint64_t block = next_of(f, r, next[r]);
        any = any || block < f->loop.steps;
        in[r] = rows_in(f, block);
        next[r] = block + 1;
    }
    for (unsigned r = 0; r < ranks; r++) out[r] = in[rank];
    return any;
}

static bough_status share_rows(filling *f, bough_error *error) {
    const rank_group *group = group_of(f);
    const unsigned ranks = group_ranks(group);
    rank_block *blocks = NULL; /* out, in */
    uint64_t *next = NULL;
    if (ranks == 1) return BOUGH_OK;
    bough_status status = bough_alloc(&blocks, 2 * (uint64_t)ranks, sizeof *blocks, error);
    TRY(bough_alloc(&next, ranks, sizeof *next, error));
    status = group_agree(group, status, error);
    TRY(group_or(group, f->owner, f->loop.steps, error));
    while (!status && list_next(f, next, blocks, blocks + ranks))
        status = group_swap(group, status, blocks, blocks + ranks, error);
    FREE_ALL(blocks, next);
    return status;
}

bough_status table_fill(const table_filler *filler, bough_error *error) {
    unsigned threads = filler->table->net->threads;
    filling f = {.filler = filler, .threads = threads ? threads : 1, .error = error};
    bough_status status = make(&f, error);
    status = group_compare(group_of(&f), status, hash_input(filler), error);
    if (!status) team_run(f.threads, fill_rounds, &f);
    if (!status) status = f.status;
    TRY(share_rows(&f, error));
    fini(&f);
    return status;
}
