/* Single failures while groups stay as they are. The loads of the whole fabric are found once, with the links
 * that the flows to each endpoint may take. A failure concerns only endpoints of which it is among these:
 * their flows are taken off the loads and put back as they go without what died. Ranks take failures in turn.
 */
#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/check/adaptive/check_adaptive_internal.h"
#include "fabric/failures/failure_things.h"
#include "loads/route_search.h"
#include "network/hosts.h"
#include "network/physical/physical.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- adaptive spread ---- */

/* All flows to one address under an adaptive routing, in expectation: each switch divides what comes to it
 * equally among the live links of its group. */

/* One thread's. Zero-initialise. */
typedef struct adaptive_spread {
    route_search search; /* from the switches of endpoints */
    double *amount;      /* [nodes]: flows that come to a switch */
    uint64_t *sources;   /* [nodes]: endpoints that send to it */
    bool *arrive;        /* [nodes]: all packets from there arrive */
} adaptive_spread;

/* What to follow. Each endpoint but that of the address sends one flow. */
typedef struct adaptive_question {
    uint64_t target;      /* endpoint; its first address is taken */
    const uint64_t *dead; /* bit a link; NULL: none */
    double scale;         /* what is added to load for one flow */
    double *load;         /* [links] */
} adaptive_question;

typedef struct adaptive_answer {
    uint64_t lost;  /* endpoints of which packets do not arrive */
    double missing; /* flows that do not arrive, in expectation; of flows in loops nothing is counted */
} adaptive_answer;

static bough_status adaptive_spread_make(adaptive_spread *s, const bough_routing *routing,
                                         bough_error *error) {
    const uint64_t nodes = routing->net->nodes;
    bough_status status = route_search_make(&s->search, routing, error);
    TRY(bough_alloc(&s->amount, nodes, sizeof *s->amount, error));
    TRY(bough_alloc(&s->sources, nodes, sizeof *s->sources, error));
    TRY(bough_alloc(&s->arrive, nodes, sizeof *s->arrive, error));
    return status;
}

static void adaptive_spread_fini(adaptive_spread *s) {
    route_search_fini(&s->search);
    FREE_ALL(s->amount, s->sources, s->arrive);
    *s = (adaptive_spread){.amount = NULL};
}

/* Endpoints send to their switches. */
static void start(adaptive_spread *s, const adaptive_question *q, adaptive_answer *a) {
    const bough_net *net = s->search.routing->net;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        const bough_flow flow = {e, s->search.address, 0};
        bough_route route;
        if (e == q->target || !net_same_plane(net, e, q->target)) continue;
        bough_route_at(s->search.routing, e, &flow, &route);
        uint64_t link = route.count ? bough_route_link(&route, 0) : BOUGH_NONE;
        if (link == BOUGH_NONE || !route_search_takes(&s->search, link)) {
            a->lost++;
            a->missing += 1;
            continue;
        }
        q->load[link] += q->scale;
        uint64_t node = net->ops->link_end(net, link).node;
        s->amount[node] += 1;
        s->sources[node]++;
    }
}

/* Whether all packets from a switch arrive: those behind it in the order are known. Of a loop one link leads
 * to a switch that is not. */
static bool is_good(const adaptive_spread *s, uint64_t node) {
    const route_search *search = &s->search;
    const bough_net *net = search->routing->net;
    const bough_route *route = &search->route[node];
    uint32_t live = 0;
    for (uint32_t i = 0; i < route->count; i++) {
        const uint64_t link = bough_route_link(route, i), end = net->ops->link_end(net, link).node;
        if (!route_search_takes(search, link)) continue;
        live++;
        const bool goes_on = route_search_passes(search, link, end);
        if (goes_on ? !s->arrive[end] : !route_search_arrives(search, link, end)) return false;
    }
    return live > 0;
}

/* O(switches x links of an entry + endpoints). */
static adaptive_answer adaptive_spread_to(adaptive_spread *s, const adaptive_question *q) {
    route_search *search = &s->search;
    const bough_net *net = search->routing->net;
    adaptive_answer a = {0};
    search->dead = q->dead;
    route_search_start(search, bough_endpoint_address(net, q->target));
    memset(s->amount, 0, net->nodes * sizeof *s->amount);
    memset(s->sources, 0, net->nodes * sizeof *s->sources);
    memset(s->arrive, 0, net->nodes * sizeof *s->arrive);
    start(s, q, &a);
    for (uint64_t v = 0; v < net->nodes; v++)
        if (s->sources[v]) route_search_from(search, v);
    route_amounts amounts = {s->amount, q->load, q->scale, a.missing};
    route_search_divide(search, &amounts);
    a.missing = amounts.missing;
    for (uint64_t i = 0; i < search->count; i++) {
        const uint64_t node = search->order[i];
        s->arrive[node] = is_good(s, node);
        if (!s->arrive[node]) a.lost += s->sources[node];
    }
    return a;
}

/* ---- adaptive failures ---- */

typedef struct worker {
    adaptive_spread spread;
    double *load;
    uint64_t *dead;
} worker;

typedef struct job {
    const bough_routing *routing;
    const bough_net *net;
    const bough_failures_options *options;
    failure_things things;
    uint64_t *used;               /* bit endpoint * links + link: flows to the endpoint may take the link */
    double *whole;                /* [links] loads */
    double time;                  /* of all-to-all, in flows over rate */
    uint64_t lost;                /* pairs of the whole fabric */
    bough_adaptive_failure *item; /* [things.count] */
    worker *worker;
    unsigned threads;
    atomic_size_t done; /* by this rank */
} job;

/* ---- the whole fabric ---- */

static double time_of(const job *j, const double *load, const uint64_t *dead, double *most) {
    double time = 0;
    *most = 0;
    for (uint64_t l = 0; l < j->net->links; l++) {
        if (dead && bit_of(dead, l)) continue;
        *most = fmax(*most, load[l]);
        time = fmax(time, load[l] / (double)bough_net_link_rate(j->net, l));
    }
    return time;
}

static bough_status follow_whole(job *j, bough_check_adaptive *adaptive, bough_error *error) {
    const uint64_t links = j->net->links;
    double *load;
    bough_status status = bough_alloc(&load, links, sizeof *load, error);
    for (uint64_t t = 0; t < j->net->endpoints && !status; t++) {
        memset(load, 0, links * sizeof *load);
        j->lost += adaptive_spread_to(&j->worker->spread, &(adaptive_question){t, NULL, 1, load}).lost;
        for (uint64_t l = 0; l < links; l++) {
            if (load[l] == 0) continue;
            j->whole[l] += load[l];
            set_bit(j->used, t * links + l);
        }
    }
    if (!status) j->time = time_of(j, j->whole, NULL, &adaptive->alltoall);
    adaptive->pairs = net_pairs(j->net) - j->lost;
    free(load);
    return status;
}

/* ---- one failure ---- */

/* Pairs of which an endpoint hangs on the switch. */
static uint64_t own_pairs(const job *j, uint64_t node) {
    const compressed_rows *in = &j->things.in;
    const uint64_t n = net_partners(j->net) + 1;
    uint64_t own = 0;
    for (uint32_t i = in->first[node]; i < in->first[node + 1]; i++)
        own += !bough_is_switch(j->net, bough_link_start(j->net, in->item[i]));
    return own * (n - 1) + (n - own) * own;
}

static void look_at(job *j, worker *w, bough_adaptive_failure *f) {
    const uint32_t item = (uint32_t)(f->node == BOUGH_NONE ? f->link : f->node);
    uint64_t lost = j->lost;
    double missing = 0;
    memset(w->dead, 0, words_for(j->net->links) * sizeof *w->dead);
    failure_things_kill(&j->things, item, w->dead);
    memcpy(w->load, j->whole, j->net->links * sizeof *w->load);
    for (uint64_t t = 0; t < j->net->endpoints; t++) {
        if (!failure_things_among(&j->things, item, j->used, t * j->net->links)) continue;
        adaptive_answer before = adaptive_spread_to(&w->spread, &(adaptive_question){t, NULL, -1, w->load});
        adaptive_answer now = adaptive_spread_to(&w->spread, &(adaptive_question){t, w->dead, 1, w->load});
        lost += now.lost - before.lost;
        missing += now.missing - before.missing;
    }
    double time = time_of(j, w->load, w->dead, &f->alltoall);
    f->lost = lost > j->lost ? lost - j->lost : 0; /* without a dead part fewer may be lost than with it */
    f->own = f->node == BOUGH_NONE ? 0 : own_pairs(j, f->node);
    if (f->own > f->lost) f->own = f->lost;
    f->packets = f->lost ? missing / (double)f->lost : 0;
    f->slowdown = f->lost ? NAN : j->time > 0 ? time / j->time : 1;
}

static void step(void *context, unsigned number, uint64_t i) {
    job *j = context;
    if (stop_asked(j->options->stop)) return;
    look_at(j, &j->worker[number], &j->item[i]);
    double done = (double)(atomic_fetch_add(&j->done, 1) + 1);
    if (number == 0 && j->options->progress)
        j->options->progress(j->options->progress_context, done / (double)j->things.count);
}

/* ---- all of them ---- */

static int compare(double a, double b) {
    return (a > b) - (a < b);
}

/* Worst first. */
static int by_rank(const void *x, const void *y) {
    const bough_adaptive_failure *a = x, *b = y;
    int order = compare((double)(b->lost - b->own), (double)(a->lost - a->own));
    if (!order) order = compare((double)b->lost, (double)a->lost);
    if (!order && !isnan(a->slowdown) && !isnan(b->slowdown)) order = compare(b->slowdown, a->slowdown);
    if (!order) order = compare(b->alltoall, a->alltoall);
    if (!order) order = compare((double)a->link, (double)b->link);
    return order ? order : compare((double)a->node, (double)b->node);
}

static bough_status make_workers(job *j, bough_error *error) {
    const uint64_t links = j->net->links, bits = bough_mul(j->net->endpoints, links);
    bough_status status = bough_net_memory_check(j->net, bits / 8, "the check of failures", error);
    j->threads = j->options->threads ? j->options->threads : 1;
    TRY(bough_alloc(&j->used, bits / 64 + 1, sizeof *j->used, error));
    TRY(bough_alloc(&j->whole, links, sizeof *j->whole, error));
    TRY(arena_alloc(j->options->memory, &j->item, j->things.count, sizeof *j->item, error));
    for (uint32_t i = 0; i < j->things.count && !status; i++)
        j->item[i] = j->things.switches ? (bough_adaptive_failure){BOUGH_NONE, j->things.item[i]}
                                        : (bough_adaptive_failure){j->things.item[i], BOUGH_NONE};
    TRY(bough_alloc(&j->worker, j->threads, sizeof *j->worker, error));
    for (unsigned i = 0; i < j->threads && !status; i++) {
        status = adaptive_spread_make(&j->worker[i].spread, j->routing, error);
        TRY(bough_alloc(&j->worker[i].load, links, sizeof *j->worker[i].load, error));
        TRY(bough_alloc(&j->worker[i].dead, words_for(links), sizeof *j->worker[i].dead, error));
    }
    return status;
}

static void job_fini(job *j) {
    for (unsigned i = 0; j->worker && i < j->threads; i++) {
        adaptive_spread_fini(&j->worker[i].spread);
        FREE_ALL(j->worker[i].load, j->worker[i].dead);
    }
    FREE_ALL(j->used, j->whole, j->worker);
}

static bough_status look_at_all(job *j, bough_check_adaptive *adaptive, bough_error *error) {
    bough_status status = make_workers(j, error);
    TRY(follow_whole(j, adaptive, error));
    if (status) return status;
    team_loop(j->threads, j->things.count, step, j);
    status = stop_check(j->options->stop, error);
    if (status) return status;
    qsort(j->item, j->things.count, sizeof *j->item, by_rank);
    return BOUGH_OK;
}

static void hand_over(const job *j, bough_adaptive_list *list) {
    *list = (bough_adaptive_list){j->things.spec, j->things.what, j->item, j->things.count, 0};
    for (size_t i = 0; i < list->count; i++) list->whole += list->item[i].lost == list->item[i].own;
}

bough_status check_adaptive_failures(const bough_routing *routing, const char *text,
                                     const bough_failures_options *options, bough_check_adaptive *adaptive,
                                     bough_error *error) {
    job j = {.routing = routing, .net = routing->net, .options = options};
    bough_status status = failure_things_find(routing->net, text, options->memory, &j.things, error);
    TRY(look_at_all(&j, adaptive, error));
    if (!status) hand_over(&j, &adaptive->list[adaptive->lists++]);
    job_fini(&j);
    return status;
}
