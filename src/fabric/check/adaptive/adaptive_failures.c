/* Single failures while groups stay as they are. The loads of the whole fabric are found once, with the links
 * that the flows to each endpoint may take. A failure concerns only endpoints of which it is among these:
 * their flows are taken off the loads and put back as they go without what died. Ranks take failures in turn.
 */
#include "base/memory/bits.h"
#include "base/memory/memory.h"
#include "base/rank_group.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "fabric/check/adaptive/check_adaptive_internal.h"
#include "network/hosts.h"
#include "network/physical/physical.h"
#include "network/wiring.h"
#include "routing/routing.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- adaptive spread ---- */

/* All flows to one address under an adaptive routing, in expectation: each switch divides what comes to it
 * equally among the live links of its group. */

/* Switches are put into an order in which each comes after those that it sends to, by a depth-first search
 * from those that have sources. Flows are divided in the reverse of that order; losses are found in that
 * order. A link back to a switch on the stack of the search closes a loop. */

/* One thread's. Zero-initialise. */
typedef struct adaptive_spread {
    const bough_routing *routing;
    uint32_t *order;   /* [nodes]: switches that flows reach, each after those that it sends to */
    uint32_t *stack;   /* [nodes] */
    uint32_t *tried;   /* [nodes]: links of a switch on the stack that were looked at */
    uint8_t *mark;     /* [nodes] */
    double *weight;    /* [nodes]: flows that come to a switch */
    uint64_t *sources; /* [nodes]: endpoints that send to it */
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

/* Marks of switches. BAD: packets from there may not arrive. */
enum { NEW, OPEN, DONE, BAD };

static bough_status adaptive_spread_make(adaptive_spread *s, const bough_routing *routing,
                                         bough_error *error) {
    const uint64_t nodes = routing->net->nodes;
    s->routing = routing;
    bough_status status = bough_alloc(&s->order, nodes, sizeof *s->order, error);
    TRY(bough_alloc(&s->stack, nodes, sizeof *s->stack, error));
    TRY(bough_alloc(&s->tried, nodes, sizeof *s->tried, error));
    TRY(bough_alloc(&s->mark, nodes, sizeof *s->mark, error));
    TRY(bough_alloc(&s->weight, nodes, sizeof *s->weight, error));
    TRY(bough_alloc(&s->sources, nodes, sizeof *s->sources, error));
    return status;
}

static void adaptive_spread_fini(adaptive_spread *s) {
    FREE_ALL(s->order, s->stack, s->tried, s->mark, s->weight, s->sources);
    *s = (adaptive_spread){0};
}

static bool is_dead(const adaptive_question *q, uint64_t link) {
    return q->dead && bit_of(q->dead, link);
}

static uint64_t end_of(const adaptive_spread *s, uint64_t link) {
    return s->routing->net->ops->link_end(s->routing->net, link).node;
}

static bough_flow flow_to(const adaptive_spread *s, const adaptive_question *q, uint64_t source) {
    return (bough_flow){source, bough_endpoint_address(s->routing->net, q->target), 0};
}

static void ask(const adaptive_spread *s, const adaptive_question *q, uint64_t node, bough_route *route) {
    bough_flow flow = flow_to(s, q, node);
    bough_route_at(s->routing, node, &flow, route);
}

/* Endpoints send to their switches. */
static void start(adaptive_spread *s, const adaptive_question *q, adaptive_answer *a) {
    const bough_net *net = s->routing->net;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        bough_route route;
        if (e == q->target || !net_same_plane(net, e, q->target)) continue;
        ask(s, q, e, &route);
        uint64_t link = route.count ? bough_route_link(&route, 0) : BOUGH_NONE;
        if (link == BOUGH_NONE || is_dead(q, link)) {
            a->lost++;
            a->missing += 1;
            continue;
        }
        q->load[link] += q->scale;
        uint64_t node = end_of(s, link);
        s->weight[node] += 1;
        s->sources[node]++;
    }
}

/* The next switch behind a switch on the stack that the search has not come to; BOUGH_NONE: there is none. */
static uint64_t next_of(adaptive_spread *s, const adaptive_question *q, uint64_t node) {
    bough_route route;
    ask(s, q, node, &route);
    while (s->tried[node] < route.count) {
        uint64_t link = bough_route_link(&route, s->tried[node]++);
        if (is_dead(q, link)) continue;
        uint64_t end = end_of(s, link);
        if (end != q->target && bough_is_switch(s->routing->net, end) && s->mark[end] == NEW) return end;
    }
    return BOUGH_NONE;
}

/* Appends what can be reached from a switch. Returns the number of switches in the order. */
static uint64_t search(adaptive_spread *s, const adaptive_question *q, uint64_t from, uint64_t found) {
    uint64_t depth = 0;
    s->stack[depth++] = (uint32_t)from;
    s->mark[from] = OPEN;
    while (depth) {
        uint64_t node = s->stack[depth - 1], next = next_of(s, q, node);
        if (next != BOUGH_NONE) {
            s->stack[depth++] = (uint32_t)next;
            s->mark[next] = OPEN;
            continue;
        }
        s->mark[node] = DONE;
        s->order[found++] = (uint32_t)node;
        depth--;
    }
    return found;
}

/* In the order: whether packets from a switch may not arrive. Of a loop the link to a switch later in the
 * order is one to a switch that is not yet OPEN again. */
static bool is_bad(const adaptive_spread *s, const adaptive_question *q, uint64_t node) {
    const bough_net *net = s->routing->net;
    bough_route route;
    uint32_t live = 0;
    ask(s, q, node, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i), end = end_of(s, link);
        if (is_dead(q, link)) continue;
        live++;
        if (end == q->target) continue;
        if (bough_link_lost(net, link) || !bough_is_switch(net, end) || s->mark[end] != OPEN) return true;
    }
    return live == 0;
}

static void divide(adaptive_spread *s, const adaptive_question *q, uint64_t node, adaptive_answer *a) {
    const bough_net *net = s->routing->net;
    bough_route route;
    uint32_t live = 0;
    ask(s, q, node, &route);
    for (uint32_t i = 0; i < route.count; i++) live += !is_dead(q, bough_route_link(&route, i));
    if (!live) a->missing += s->weight[node];
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i), end = end_of(s, link);
        double part = s->weight[node] / live;
        if (is_dead(q, link)) continue;
        q->load[link] += q->scale * part;
        if (end == q->target) continue;
        if (bough_link_lost(net, link) || !bough_is_switch(net, end))
            a->missing += part;
        else
            s->weight[end] += part;
    }
}

/* O(switches x links of an entry + endpoints). */
static adaptive_answer adaptive_spread_to(adaptive_spread *s, const adaptive_question *q) {
    const uint64_t nodes = s->routing->net->nodes;
    adaptive_answer a = {0};
    uint64_t found = 0;
    memset(s->tried, 0, nodes * sizeof *s->tried);
    memset(s->mark, NEW, nodes);
    memset(s->weight, 0, nodes * sizeof *s->weight);
    memset(s->sources, 0, nodes * sizeof *s->sources);
    start(s, q, &a);
    for (uint64_t v = 0; v < nodes; v++)
        if (s->sources[v] && s->mark[v] == NEW) found = search(s, q, v, found);
    for (uint64_t i = found; i-- > 0;) divide(s, q, s->order[i], &a);
    for (uint64_t i = 0; i < found; i++) { /* OPEN again: all packets arrive */
        uint64_t node = s->order[i];
        s->mark[node] = is_bad(s, q, node) ? BAD : OPEN;
        if (s->mark[node] == BAD) a.lost += s->sources[node];
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
    bool switches;
    compressed_rows out, in;
    uint64_t *used; /* bit endpoint * links + link: flows to the endpoint may take the link */
    double *whole;  /* [links] loads */
    double time;    /* of all-to-all, in flows over rate */
    uint64_t lost;  /* pairs of the whole fabric */
    bough_adaptive_failure *item;
    size_t count;
    worker *worker;
    unsigned threads;
    atomic_size_t done; /* by this rank */
} job;

/* ---- what can die ---- */

static bool touches_endpoint(const job *j, uint64_t node) {
    for (node_links at = node_links_of(j->net, node); node_links_next(&at);)
        if (!bough_is_switch(j->net, j->net->ops->link_end(j->net, at.link).node)) return true;
    return false;
}

static uint64_t twin_of(const job *j, uint64_t link) {
    return bough_link_twin(j->net, link);
}

static bool fits_part(const bough_args *args, bool leaf) {
    const char *of = bough_args_get(args, "of")->text;
    return strcmp(of, "all") == 0 || leaf == (strcmp(of, "leaf") == 0);
}

static bool is_cable(const job *j, const bough_args *args, uint64_t link) {
    const bough_net *net = j->net;
    const bough_value *level = bough_args_get(args, "level");
    uint64_t twin = twin_of(j, link), start = bough_link_start(net, link),
             end = net->ops->link_end(net, link).node;
    bool alive = bough_link_alive(net, link) || (twin != BOUGH_NONE && bough_link_alive(net, twin));
    if (twin < link || !alive) return false;
    if (level->set) {
        if (bough_link_level(net, link) != (uint64_t)level->integer) return false;
    } else if (!bough_is_switch(net, start) || !bough_is_switch(net, end)) {
        return false;
    }
    return fits_part(args, touches_endpoint(j, start) || touches_endpoint(j, end) ||
                               !bough_is_switch(net, start) || !bough_is_switch(net, end));
}

static bool is_switch(const job *j, const bough_args *args, uint64_t node) {
    const bough_net *net = j->net;
    const bough_value *level = bough_args_get(args, "level");
    bool alive = false;
    if (!bough_is_switch(net, node)) return false;
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        alive |= bough_link_alive(net, at.link);
    if (!alive || (level->set && net->ops->node_level(net, node) != (uint64_t)level->integer)) return false;
    return fits_part(args, touches_endpoint(j, node));
}

static bough_status find_things(job *j, const bough_args *args, const char *text, bough_error *error) {
    const uint64_t range = j->switches ? j->net->nodes : j->net->links;
    bough_status status = bough_alloc(&j->item, range, sizeof *j->item, error);
    for (uint64_t id = 0; id < range && !status; id++) {
        if (j->switches ? !is_switch(j, args, id) : !is_cable(j, args, id)) continue;
        j->item[j->count++] = (bough_adaptive_failure){.link = j->switches ? BOUGH_NONE : id,
                                                       .node = j->switches ? id : BOUGH_NONE};
    }
    if (status || j->count) return status;
    return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s has no such %s", text, j->net->spec,
                      j->switches ? "switch" : "cable");
}

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

static void kill(const job *j, const bough_adaptive_failure *f, uint64_t *dead) {
    memset(dead, 0, words_for(j->net->links) * sizeof *dead);
    if (f->link != BOUGH_NONE) {
        uint64_t twin = twin_of(j, f->link);
        set_bit(dead, f->link);
        if (twin != BOUGH_NONE) set_bit(dead, twin);
        return;
    }
    for (uint32_t i = j->out.first[f->node]; i < j->out.first[f->node + 1]; i++)
        set_bit(dead, j->out.item[i]);
    for (uint32_t i = j->in.first[f->node]; i < j->in.first[f->node + 1]; i++) set_bit(dead, j->in.item[i]);
}

static bool uses_row(const job *j, const compressed_rows *rows, uint64_t node, uint64_t target) {
    for (uint32_t i = rows->first[node]; i < rows->first[node + 1]; i++)
        if (bit_of(j->used, target * j->net->links + rows->item[i])) return true;
    return false;
}

static bool concerns(const job *j, const bough_adaptive_failure *f, uint64_t target) {
    const uint64_t base = target * j->net->links;
    if (f->link == BOUGH_NONE)
        return uses_row(j, &j->out, f->node, target) || uses_row(j, &j->in, f->node, target);
    uint64_t twin = twin_of(j, f->link);
    return bit_of(j->used, base + f->link) || (twin != BOUGH_NONE && bit_of(j->used, base + twin));
}

/* Pairs of which an endpoint hangs on the switch. */
static uint64_t own_pairs(const job *j, uint64_t node) {
    const uint64_t n = net_partners(j->net) + 1;
    uint64_t own = 0;
    for (uint32_t i = j->in.first[node]; i < j->in.first[node + 1]; i++)
        own += !bough_is_switch(j->net, bough_link_start(j->net, j->in.item[i]));
    return own * (n - 1) + (n - own) * own;
}

static void look_at(job *j, worker *w, bough_adaptive_failure *f) {
    uint64_t lost = j->lost;
    double missing = 0;
    kill(j, f, w->dead);
    memcpy(w->load, j->whole, j->net->links * sizeof *w->load);
    for (uint64_t t = 0; t < j->net->endpoints; t++) {
        if (!concerns(j, f, t)) continue;
        adaptive_answer before = adaptive_spread_to(&w->spread, &(adaptive_question){t, NULL, -1, w->load});
        adaptive_answer now = adaptive_spread_to(&w->spread, &(adaptive_question){t, w->dead, 1, w->load});
        lost += now.lost - before.lost;
        missing += now.missing - before.missing;
    }
    double time = time_of(j, w->load, w->dead, &f->alltoall);
    f->lost = lost - j->lost;
    f->own = f->node == BOUGH_NONE ? 0 : own_pairs(j, f->node);
    if (f->own > f->lost) f->own = f->lost;
    f->packets = f->lost ? missing / (double)f->lost : 0;
    f->slowdown = f->lost ? NAN : j->time > 0 ? time / j->time : 1;
}

static void step(void *context, unsigned number, uint64_t i) {
    job *j = context;
    const unsigned ranks = group_ranks(j->options->group);
    if (stop_asked(j->options->stop)) return;
    look_at(j, &j->worker[number], &j->item[i * ranks + group_rank(j->options->group)]);
    double done = (double)(atomic_fetch_add(&j->done, 1) + 1);
    if (number == 0 && j->options->progress)
        j->options->progress(j->options->progress_context, fmin(1, done * ranks / (double)j->count));
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
    TRY(wiring_out(&j->out, j->net, NULL, error));
    TRY(wiring_in(&j->in, j->net, NULL, error));
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
    rows_fini(&j->out);
    rows_fini(&j->in);
    FREE_ALL(j->used, j->whole, j->worker, j->item);
}

static bough_status look_at_all(job *j, bough_check_adaptive *adaptive, bough_error *error) {
    bough_status status = make_workers(j, error);
    TRY(follow_whole(j, adaptive, error));
    if (status) return status;
    const rank_group *group = j->options->group;
    const uint64_t ranks = group_ranks(group), words = sizeof *j->item / sizeof(uint64_t);
    team_loop(j->threads, (j->count + ranks - 1 - group_rank(group)) / ranks, step, j);
    status = stop_check(j->options->stop, error);
    status = group_agree(group, status, error);
    TRY(group_or(group, (uint64_t *)j->item, j->count * words,
                 error)); /* the others have only link and node */
    if (status) return status;
    qsort(j->item, j->count, sizeof *j->item, by_rank);
    return BOUGH_OK;
}

static void hand_over(job *j, bough_adaptive_list *list) {
    list->item = j->item;
    list->count = j->count;
    j->item = NULL;
    for (size_t i = 0; i < list->count; i++) list->whole += list->item[i].lost == list->item[i].own;
}

bough_status check_adaptive_failures(const bough_routing *routing, const char *text,
                                     const bough_failures_options *options, bough_check_adaptive *adaptive,
                                     bough_error *error) {
    job j = {.routing = routing, .net = routing->net, .options = options};
    bough_spec spec = {0};
    bough_args args = {0};
    bough_adaptive_list list = {0};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    status = bough_args_bind(&spec, bough_fault_each.params, "fault", &args, error);
    if (!status) {
        j.switches = strcmp(bough_args_get(&args, "what")->text, "switch") == 0;
        list.what = j.switches ? "switch" : "cable";
        list.spec = bough_args_format("each", &args);
        if (!list.spec) status = bough_fail_memory(error, strlen(text));
    }
    TRY(find_things(&j, &args, text, error));
    TRY(look_at_all(&j, adaptive, error));
    if (!status) {
        hand_over(&j, &list);
        adaptive->list[adaptive->lists++] = list;
    } else {
        free(list.spec);
    }
    job_fini(&j);
    bough_args_fini(&args);
    bough_spec_fini(&spec);
    return status;
}
