#include "routing/computed/table_filler.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEARCHES = 64,           /* of a batch at most */
    SEARCH_BYTES = 16 << 20, /* of their results together, unless one alone has more */
    BATCH = 2048,            /* destinations of a batch at most */
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

/* Rows are filled a batch of destinations at a time, so that the results of its searches stay in a cache. */
typedef struct filling {
    const table_filler *filler;
    unsigned threads;
    scratch *scratch;
    uint16_t *hops; /* [searches_max][reached]: results; their queue is that of the thread */
    bool *down;     /* the same */
    uint64_t reached;
    uint32_t searches_max;
    /* The batch: */
    uint32_t searches;                            /* number of results in use */
    const struct next_table_destination **search; /* [searches_max] */
    uint64_t first, count;                        /* destinations */
    struct way *way;                              /* [BATCH] */
} filling;

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

static bough_status make(filling *f, bough_error *error) {
    const bough_net *net = f->filler->table->net;
    const up_down *paths = f->filler->paths;
    f->reached = paths ? net->nodes - paths->first : 0;
    uint64_t each = f->reached * (sizeof *f->hops + sizeof *f->down) + 1, links = links_at_most(net, paths);
    bough_status status = bough_alloc(&f->scratch, f->threads, sizeof *f->scratch, error);
    for (unsigned i = 0; i < f->threads && !status; i++) {
        f->scratch[i].room = links;
        status = bough_alloc(&f->scratch[i].links, bough_mul(3, links), sizeof *f->scratch[i].links, error);
        if (paths) TRY(bough_alloc(&f->scratch[i].queue, net->nodes + 2, sizeof *f->scratch[i].queue, error));
    }
    f->searches_max = each < SEARCH_BYTES / SEARCHES ? SEARCHES : (uint32_t)(SEARCH_BYTES / each);
    if (f->searches_max == 0) f->searches_max = 1;
    TRY(bough_alloc(&f->way, BATCH, sizeof *f->way, error));
    TRY(bough_alloc(&f->search, f->searches_max, sizeof *f->search, error));
    if (!paths) return status;
    TRY(large_alloc(&f->hops, bough_mul(f->searches_max, f->reached), sizeof *f->hops, error));
    TRY(large_alloc(&f->down, bough_mul(f->searches_max, f->reached), sizeof *f->down, error));
    return status;
}

static void fini(filling *f) {
    for (unsigned i = 0; i < f->threads && f->scratch; i++)
        FREE_ALL(f->scratch[i].links, f->scratch[i].queue);
    FREE_ALL(f->scratch, f->way, f->search, f->hops, f->down);
}

/* ---- a batch ---- */

static bool needs_search(const filling *f, const struct next_table_destination *d) {
    return !f->filler->routes || d->address == BOUGH_NONE;
}

/* The first destinations from f->first on that need no more than searches_max searches. Neighbours in the
 * order often have the same seed. */
static void plan_batch(filling *f) {
    const next_table *t = f->filler->table;
    uint64_t before = BOUGH_NONE;
    f->searches = 0;
    f->count = 0;
    while (f->count < BATCH && f->first + f->count < t->destinations) {
        const struct next_table_destination *d = &t->order[f->first + f->count];
        struct way way = {NO_RESULT, BOUGH_NO_INDEX};
        if (needs_search(f, d)) {
            uint64_t seed = up_down_seed(f->filler->paths, d->node);
            bool same = f->searches > 0 && seed != BOUGH_NONE && seed == before;
            if (!same && f->searches == f->searches_max) return;
            if (!same) f->search[f->searches++] = d;
            before = seed;
            way = (struct way){f->searches - 1, (uint32_t)seed}; /* BOUGH_NONE becomes BOUGH_NO_INDEX */
        }
        f->way[f->count++] = way;
    }
}

static up_down view_of(const filling *f, uint32_t result, unsigned worker) {
    const uint64_t first = result * f->reached;
    const up_down_memory memory = {f->hops + first, f->down + first, f->scratch[worker].queue};
    return up_down_view(f->filler->paths, &memory);
}

static void search_one(void *context, unsigned worker, uint64_t i) {
    filling *f = context;
    up_down view = view_of(f, (uint32_t)i, worker);
    up_down_search(&view, f->search[i]->node);
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

static void fill_row(const filling *f, uint64_t node, unsigned worker) {
    const table_filler *filler = f->filler;
    next_table *t = filler->table;
    row_links row = start_row(&f->scratch[worker], node);
    up_down view = {0};
    for (uint64_t i = 0; i < f->count; i++) {
        const struct next_table_destination *d = &t->order[f->first + i];
        const struct way way = f->way[i];
        if (way.result == NO_RESULT && node == d->node) continue;
        if (way.result == NO_RESULT) {
            links_by_route(t, d->address, &row);
        } else {
            if (i == 0 || f->way[i - 1].result != way.result) view = view_of(f, way.result, worker);
            links_by_search(t, &view, d->node, way, &row);
        }
        uint32_t link = row.count ? take_link(t, &row) : BOUGH_NO_INDEX;
        if (d->counted_only) continue;
        next_table_set(t, node, d->address, link);
        if (!row.count && filler->missing) filler->missing(filler->context, node, f->first + i);
    }
}

/* Its first row; that of the block after the last one is behind the last row. */
static uint64_t first_row(const filling *f, uint64_t block) {
    return block * ROWS < rows_of(f) ? block * ROWS : rows_of(f);
}

static void fill_block(void *context, unsigned worker, uint64_t block) {
    const filling *f = context;
    const uint64_t first = first_row(f, block), end = first_row(f, block + 1);
    link_table *entries = &f->filler->table->entries;
    if (f->first == 0) link_table_clear(entries, first, end);
    for (uint64_t row = first; row < end; row++) fill_row(f, entries->first_row + row, worker);
}

static void fill_batches(void *context, thread_team *team) {
    filling *f = context;
    do {
        plan_batch(f);
        team_each(team, f->searches, search_one, f);
        team_each(team, blocks_of(f), fill_block, f);
        f->first += f->count;
    } while (f->first < f->filler->table->destinations);
}

bough_status table_fill(const table_filler *filler, bough_error *error) {
    unsigned threads = filler->table->net->threads;
    filling f = {.filler = filler, .threads = threads ? threads : 1};
    bough_status status = make(&f, error);
    if (!status) team_run(f.threads, fill_batches, &f);
    fini(&f);
    return status;
}
