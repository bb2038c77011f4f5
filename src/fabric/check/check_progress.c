/* Work is counted in nanoseconds of a machine of 2020. Only ratios count, and a factor of two does not
 * matter: the largest differences are those between a pass over all pairs and a list of all failures, which
 * is some hundred times as long. */
#include "fabric/check/check_progress.h"

#include "base/status/try.h"
#include "base/text/text.h"
#include "fabric/check/check_jobs.h"
#include "fabric/check/pairs/check_pass.h"
#include "loads/address_tree.h"
#include "loads/flow_spread.h"
#include "loads/worst/adversary_internal.h"
#include "study/forecast/work_estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

unsigned check_threads(const bough_check_question *question) {
    return question->threads ? question->threads : bough_default_threads();
}

enum {
    FOLLOW_NS = 40,
    WORST_NS = 90,
    FOLLOW_TREE_NS = 3, /* a pair, whatever its path: pairs/check_trees.c */
    WORST_TREE_NS = 30, /* a pair, whatever its path: adversary_tree_bounds.c */
    TABLE_NS = 40,
    WALK_NS = 40,
    NOTE_NS = 25,
    MOVE_NS = 100
};

/* A default routing that takes longer is refused; seconds. */
#define CHECK_DEFAULT_MAX_S 600

/* About the time in which all pairs of so many endpoints are followed. */
#define WORST_CHEAP_NS 2.5e9

static double pairs_of(const bough_net *net) {
    return (double)net->endpoints * ((double)net->endpoints - 1);
}

static bool is_large(const bough_net *net) {
    return net->endpoints > BOUGH_CHECK_WORST_CHEAP_ENDPOINTS;
}

static bool worst_is_cheap(const bough_routing *routing) {
    if (!bough_routing_deterministic(routing)) return false;
    if (!is_large(routing->net)) return true;
    return WORST_TREE_NS * pairs_of(routing->net) <= WORST_CHEAP_NS && address_tree_fits(routing) &&
           !bough_adversary_check(routing, "check", NULL);
}

bool check_worst_wanted(const bough_check_question *question, const bough_routing *routing) {
    return question->worst == BOUGH_CHECK_WORST_ALWAYS ||
           (question->worst == BOUGH_CHECK_WORST_CHEAP && worst_is_cheap(routing));
}

/* ---- the work of a phase ---- */

/* Larger networks are refused when the first routing is followed. */
static bool is_followed(const bough_net *net) {
    return net->endpoints > 1 && net->endpoints <= 65536;
}

/* What the work depends on. */
typedef struct size {
    double pairs, endpoints, links, nodes, threads;
    double steps;  /* links that a flow visits, on average */
    bool trees;    /* pairs are followed by one tree for each address */
    bool channels; /* messages across channels are counted, no pairs followed */
} size;

static void count_step(void *context, uint64_t link, double share) {
    (void)link;
    (void)share;
    ++*(double *)context;
}

/* A flow that is counted until its paths are too many: 16! in a hypercube. */
typedef struct path_count {
    const bough_routing *routing;
    bough_flow flow;
    double steps;
} path_count;

static void count_paths(path_count *c, uint64_t node, unsigned depth) {
    enum { DEPTH_MAX = 256, STEPS_MAX = 1000000 };
    const bough_net *net = c->routing->net;
    bough_route route;
    uint64_t before = BOUGH_NONE;
    if (node == bough_address_node(net, c->flow.address) || depth == DEPTH_MAX) return;
    bough_route_at(c->routing, node, &c->flow, &route);
    for (uint32_t i = 0; i < route.count && c->steps < STEPS_MAX; i++) {
        uint64_t end = net->ops->link_end(net, bough_route_link(&route, i)).node;
        c->steps++;
        if (end != before) count_paths(c, end, depth + 1);
        before = end;
    }
}

static double steps_of(const bough_routing *routing, bough_flow flow) {
    path_count c = {routing, flow, 0};
    spread_result r;
    if (bough_routing_deterministic(routing))
        spread_flow(routing, &flow, count_step, &c.steps, &r);
    else
        count_paths(&c, flow.source, 0);
    return c.steps;
}

/* Of a few flows across the network. Routings that cannot be followed are refused later. */
static double sample_steps(const bough_routing *routing) {
    enum { FLOWS = 8 };
    const bough_net *net = routing->net;
    const uint64_t n = net->endpoints;
    /* n / 2 is one link away in a hypercube */
    const uint64_t apart = bough_routing_deterministic(routing) ? n / 2 : n / 2 + n / 5;
    double steps = 0;
    if (!is_followed(net) || routing->kind->via || spread_check(routing, "check", NULL)) return 1;
    for (unsigned i = 0; i < FLOWS; i++) {
        uint64_t source = n * i / FLOWS, target = (source + apart) % n;
        steps += steps_of(routing, (bough_flow){source, bough_endpoint_address(net, target), 0});
    }
    return fmax(1, steps / FLOWS);
}

static size size_of(const bough_check_question *question, const bough_routing *routing) {
    const bough_net *net = routing->net;
    double n = (double)net->endpoints;
    return (size){.pairs = n * (n - 1),
                  .endpoints = n,
                  .links = (double)net->links,
                  .nodes = (double)net->nodes,
                  .threads = check_threads(question),
                  .steps = sample_steps(routing),
                  .trees = is_large(net) && address_tree_fits(routing),
                  .channels = check_channels_fit(routing)};
}

static double follow_work(const size *s, uint64_t permutations) {
    if (s->channels) return FOLLOW_NS * (double)(permutations + 1) * s->endpoints;
    double pair = s->trees ? FOLLOW_TREE_NS : FOLLOW_NS * s->steps;
    return pair * s->pairs / s->threads + FOLLOW_NS * (double)permutations * s->endpoints * s->steps;
}

static double prepare_work(const size *s) {
    return TABLE_NS * s->endpoints * s->nodes + WALK_NS * s->pairs * s->steps;
}

static double worst_work(const size *s) {
    return s->pairs / s->threads * (s->trees ? WORST_TREE_NS : WORST_NS * s->steps);
}

/* Every pair is moved for each cable or switch on its path, less where a list is of some of them. */
static double list_work(const size *s, const char *spec) {
    double share = strstr(spec, "of=") || strstr(spec, "level=") ? 0.5 : 1;
    double moved = share * s->pairs * fmax(1, s->steps - 2);
    return NOTE_NS * 2 * s->pairs * s->steps + MOVE_NS * moved * s->steps / s->threads;
}

static double curve_work(const size *s, double draws) {
    return draws * (WALK_NS + MOVE_NS / 4.0) * s->pairs * s->steps / s->threads;
}

static double job_work(const bough_check_question *question, const bough_check_report *report,
                       const char *spec) {
    const bough_effort effort = check_job_effort(question);
    bough_traffic *traffic = NULL;
    if (bough_traffic_create(report->net, spec, &traffic, NULL)) return 0;
    double seconds = job_seconds(traffic, &effort);
    bough_traffic_destroy(traffic);
    return 1e9 * seconds * (double)report->parts;
}

/* ---- the plan ---- */

static bough_status add(check_progress *p, check_phase_kind kind, double work, bough_error *error) {
    bough_status status = arena_grow(p->memory, &p->phase, p->phases + 1, sizeof *p->phase, error);
    if (status) return status;
    p->phase[p->phases++] = (check_phase){kind, work};
    p->total += work;
    return BOUGH_OK;
}

static bough_status add_failures(check_progress *p, const check_faults *faults, const size *s,
                                 bough_error *error) {
    uint64_t draws = p->question->draws ? p->question->draws : CHECK_DRAWS;
    bough_status status = BOUGH_OK;
    if (faults->eaches + faults->curves || faults->missing)
        status = add(p, CHECK_PREPARE, prepare_work(s), error);
    for (size_t i = 0; i < faults->eaches && !status; i++)
        status = add(p, CHECK_LIST, list_work(s, faults->each[i]), error);
    for (size_t i = 0; i < faults->curves && !status; i++)
        status = add(p, CHECK_CURVE, curve_work(s, (double)(draws * faults->curve[i].shares)), error);
    return status;
}

static bough_status add_routing(check_progress *p, const check_faults *faults, const bough_routing *routing,
                                bough_error *error) {
    size s = size_of(p->question, routing);
    bough_status status = add(p, CHECK_FOLLOW, follow_work(&s, p->question->permutations), error);
    if (!status && check_worst_wanted(p->question, routing))
        status = add(p, CHECK_WORST, worst_work(&s), error);
    if (!bough_routing_deterministic(routing)) s.steps = fmin(s.steps, 2.0 * routing->net->levels);
    return status ? status : add_failures(p, faults, &s, error);
}

/* Refuses a default that would take long, where nobody asked for it: a routing that leaves a choice sends
 * every pair over all its paths. */
static bough_status refuse_default(const bough_check_question *question, const bough_routing *routing,
                                   bough_error *error) {
    const size s = size_of(question, routing);
    const double seconds = follow_work(&s, question->permutations) / 1e9;
    char time[32];
    if (question->routings || !is_followed(routing->net) || seconds < CHECK_DEFAULT_MAX_S) return BOUGH_OK;
    return bough_fail(
        error, BOUGH_TOO_LARGE, NULL,
        "%s has no forwarding tables, and its default routing `%s` sends every pair over all its "
        "paths, which takes about %s to follow; name one that takes one path, such as --routing "
        "updn, or --routing %s to wait",
        routing->net->spec, routing->spec, bough_format_seconds(seconds, time, sizeof time), routing->spec);
}

bough_status check_progress_plan(const bough_check_question *question, const check_faults *faults,
                                 bough_check_report *report, check_progress *p, bough_error *error) {
    const size s = size_of(question, report->part[0].routing);
    bough_status status = refuse_default(question, report->part[0].routing, error);
    *p = (check_progress){.question = question, .memory = &report->memory};
    for (size_t i = 0; i < report->parts && !status; i++)
        status = add_routing(p, faults, report->part[i].routing, error);
    if (!status && report->against.routing) status = add(p, CHECK_OLD, follow_work(&s, 0), error);
    for (size_t i = 0; i < question->jobs && !question->place && !status; i++)
        status = add(p, CHECK_JOB, job_work(question, report, question->job[i]), error);
    if (!status && question->forecast && is_followed(report->net) && p->total > FORECAST_SAID_S * 1e9)
        question->forecast(question->progress_context, p->total / 1e9);
    return status;
}

/* ---- while it runs ---- */

void check_progress_begin(check_progress *p, check_phase_kind kind) {
    size_t i = p->next;
    while (i < p->phases && p->phase[i].kind != kind) i++;
    if (i == p->phases) return; /* not planned: it has no share */
    p->done = 0;
    for (size_t k = 0; k < i; k++) p->done += p->phase[k].work;
    p->next = i + 1;
}

static const char *name_of(check_phase_kind kind) {
    static const char *const name[] = {
        [CHECK_FOLLOW] = "following all pairs",  [CHECK_WORST] = "looking for the worst permutation",
        [CHECK_PREPARE] = "looking at failures", [CHECK_LIST] = "looking at failures",
        [CHECK_CURVE] = "looking at failures",   [CHECK_OLD] = "comparing with the old fabric",
        [CHECK_JOB] = "simulating jobs"};
    return name[kind];
}

void check_progress_show(void *context, double share) {
    check_progress *p = context;
    const bough_check_question *q = p->question;
    if (!q->progress || !p->next) return;
    const check_phase *now = &p->phase[p->next - 1];
    double all = p->total > 0 ? (p->done + now->work * share) / p->total : 1;
    p->share = fmax(p->share, fmin(1, all));
    q->progress(q->progress_context, p->share, name_of(now->kind));
}
