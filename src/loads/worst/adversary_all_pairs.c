/* All pairs in two orders. Results must not depend on the assignment to threads: they are counted (integers,
 * in any order), or summed by blocks, which are the same for any number of threads. */
#include "base/status/stop.h"
#include "loads/worst/adversary_internal.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "loads/address_tree.h"
#include "loads/link_sums.h"

#include <stdlib.h>

/* Workspace of one thread to trace the paths of a flow. */
typedef struct path_tracer {
    const adversary_job *job;
    uint64_t *link;     /* of the path */
    uint32_t count;     /* links of the path */
    link_sums sums;     /* of one flow, whose branches may meet again on a link; none between flows */
    double *share;      /* of sums.link[i] */
    bool follows_trees; /* one tree for each destination */
    address_tree tree;
    origin_list origins;
    uint64_t *injection; /* [endpoints]: the first link, if the origin is another node */
    uint32_t origin;     /* of the path in `link`; BOUGH_NO_INDEX: of none to the current destination */
} path_tracer;

static bough_status path_tracer_init(path_tracer *w, const adversary_job *job, bool by_destination,
                                     bough_error *error) {
    const uint64_t links = job->routing->net->links;
    *w = (path_tracer){.job = job};
    w->follows_trees = by_destination && address_tree_fits(job->routing);
    bough_status status = bough_alloc(&w->link, ADVERSARY_LONGEST, sizeof *w->link, error);
    if (job->chooses) TRY(bough_alloc(&w->share, links, sizeof *w->share, error));
    if (job->chooses) TRY(link_sums_make(&w->sums, links, error));
    if (w->follows_trees) {
        TRY(address_tree_make(&w->tree, job->routing, error));
        TRY(origin_list_make(job->routing->net, &w->origins, error));
        TRY(bough_alloc(&w->injection, w->origins.endpoints, sizeof *w->injection, error));
        for (uint32_t e = 0; !status && e < w->origins.endpoints; e++)
            if (origin_lead(&w->origins, w->origins.of[e]))
                w->injection[e] = bough_injection_link(job->routing->net, e);
    }
    return status;
}

static void path_tracer_fini(path_tracer *w) {
    address_tree_fini(&w->tree);
    origin_list_fini(&w->origins);
    link_sums_fini(&w->sums);
    FREE_ALL(w->link, w->share, w->injection);
}

bough_flow adversary_flow_between(const bough_routing *routing, uint32_t source, uint32_t destination) {
    return (bough_flow){source, bough_endpoint_address(routing->net, destination), source};
}

/* The path to the destination of the tree; 0: there is none of at most ADVERSARY_LONGEST links. Those of one
 * origin differ in the first link only. */
static uint32_t trace_tree(path_tracer *w, uint32_t source) {
    const uint32_t origin = w->origins.of[source];
    const unsigned lead = origin_lead(&w->origins, origin);
    uint32_t node = w->origins.node[origin];
    if (lead) w->link[0] = w->injection[source];
    if (origin == w->origin) return w->count;
    w->origin = origin;
    w->count = 0;
    if (address_tree_from(&w->tree, &w->origins, origin) != SPREAD_ARRIVES ||
        w->tree.links[node] + lead > ADVERSARY_LONGEST)
        return 0;
    uint32_t count = lead;
    for (; node != w->tree.target; node = w->tree.to[node]) w->link[count++] = w->tree.link[node];
    return w->count = count;
}

static adversary_flow trace(path_tracer *w, uint32_t source, uint32_t destination) {
    const bough_routing *routing = w->job->routing;
    adversary_flow f = {.source = source, .destination = destination, .link = w->link};
    if (w->follows_trees) {
        f.joined = w->origins.of[source] == w->origin;
        f.links = trace_tree(w, source);
        return f;
    }
    bough_flow flow = adversary_flow_between(routing, source, destination);
    if (!w->job->chooses) {
        int links = bough_path(routing, &flow, w->link, ADVERSARY_LONGEST);
        f.links = links > 0 ? (uint32_t)links : 0;
        return f;
    }
    spread_result r;
    spread_end end = spread_flow(routing, &flow, link_sums_visit, &w->sums, &r);
    f.link = w->sums.link;
    f.share = w->share;
    f.links = end == SPREAD_ARRIVES ? (uint32_t)w->sums.count : 0;
    for (uint64_t i = 0; i < w->sums.count; i++) w->share[i] = w->sums.load[w->sums.link[i]];
    link_sums_clear(&w->sums);
    return f;
}

void adversary_report_progress(adversary_job *job, double share) {
    if (job->options->progress) job->options->progress(job->options->progress_context, share);
}

static bough_status visit_row(path_tracer *w, const adversary_pass *pass, void *context, uint32_t row,
                              bough_error *error) {
    const adversary_job *job = w->job;
    uint32_t n = (uint32_t)job->routing->net->endpoints;
    bough_status status = stop_check(job->options->stop, error);
    if (w->follows_trees) address_tree_start(&w->tree, bough_endpoint_address(job->routing->net, row));
    w->origin = BOUGH_NO_INDEX;
    for (uint32_t i = 0; i < n && !status; i++) {
        if (i == row) continue;
        adversary_flow flow = pass->by_destination ? trace(w, i, row) : trace(w, row, i);
        pass->visit(context, &flow);
        if (job->chooses) status = stop_check(job->options->stop, error); /* one flow can have many paths */
    }
    return status;
}

/* What the threads of a pass share. */
typedef struct team {
    adversary_job *job;
    const adversary_pass *pass;
    path_tracer *tracer; /* [threads] */
    unsigned blocks;
    unsigned done; /* blocks */
} team;

static bough_status work(void *context, unsigned thread, uint64_t b, bough_error *error) {
    team *c = context;
    const uint64_t n = c->job->routing->net->endpoints, end = n * (b + 1) / c->blocks;
    void *visitor = c->pass->context[c->pass->by_block ? b : thread];
    bough_status status = BOUGH_OK;
    for (uint64_t row = n * b / c->blocks; row < end && !status; row++)
        status = visit_row(&c->tracer[thread], c->pass, visitor, (uint32_t)row, error);
#ifdef _OPENMP
#pragma omp critical(bough_adversary)
#endif
    adversary_report_progress(c->job, c->job->told + c->pass->part * ++c->done / c->blocks);
    return status;
}

bough_status adversary_all_pairs(adversary_job *job, const adversary_pass *pass, bough_error *error) {
    /* small blocks, unless each has a context: the last ones end at about the same time */
    team c = {.job = job, .pass = pass, .blocks = ADVERSARY_BLOCKS * (pass->by_block ? 1 : 8)};
    bough_status status = bough_alloc(&c.tracer, job->threads, sizeof *c.tracer, error);
    for (unsigned t = 0; t < job->threads && !status; t++)
        status = path_tracer_init(&c.tracer[t], job, pass->by_destination, error);
    TRY(team_try(job->threads, c.blocks, work, &c, error));
    for (unsigned t = 0; c.tracer && t < job->threads; t++) path_tracer_fini(&c.tracer[t]);
    free(c.tracer);
    job->told += pass->part;
    return status;
}
