/* Simulation of one router by another (bay1991, Proposition 1): the messages of the point on its network (the
 * host), and on a guest with another layout.
 *
 * The proposition is a chain of two inequalities, which are checked one by one:
 *
 *   1. The host delivers any messages within b eta tau bit steps. tau is fixed before the guest is known: the
 *      largest bit steps / (b eta) of a search over message sets (hard_sets/set_search.h), or tau=. A host
 * that is slower on the messages of the guest breaks its promise, and universality fails.
 *   2. A guest cannot have brought more messages across the perimeter of a region of its layout than that
 * holds: b eta <= c sqrt(A / N) T. Terminals are labelled along a hierarchy of rectangles, whose sides differ
 * by a factor of two at most; so c = 3 sqrt 2: a rectangle of area A / 2^i has a perimeter of that times
 * sqrt(A / 2^i) at most, and eta divides by sqrt(N / 2^i) or more.
 *
 * So the slowdown is at most c sqrt(A / N) tau. The area is that of the guest's layout in squares of the wire
 * pitch; of the graph of `edges`, the lower bound F^2 by its bifurcator F. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "models/link_load/tree_crossings.h"
#include "network/families/sorting_shape.h"
#include "network/families/xgft_tree.h"
#include "searches/hard_sets/set_search.h"
#include "searches/search_list.h"
#include "traffic/patterns/graph_edges.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P_GUEST, P_BY, P_HOST, P_BODY, P_TAU, P_SETS };

static const bough_param params[] = {
    [P_GUEST] =
        {"guest",
         "guest: the network whose router is simulated, quoted if its spec contains commas; default: the "
         "graph of the traffic edges:of=..., each of whose edges is a wire in each direction",
         BOUGH_TEXT, "", .echo = true},
    [P_BY] = {"by", "method that routes messages on the guest; it must report bit_steps", BOUGH_TEXT,
              "offline"},
    [P_HOST] = {"host",
                "method that routes messages on the host; default: sidetrack, sortroute, or else offline",
                BOUGH_TEXT, "", .echo = true},
    [P_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20},
    [P_TAU] = {"tau", "what the host promises: bit steps / (b eta) of any message set; default: searched",
               BOUGH_REAL, "", 0, 1e18, .echo = true},
    [P_SETS] = {"sets", "message sets of the search for tau", BOUGH_INT, "300", 1, 1e9},
    BOUGH_PARAMS_END,
};

typedef struct simulation {
    bough_net *net; /* the guest; it, traffic, routing and its run are NULL for a graph */
    bough_traffic *traffic;
    bough_routing *routing;
    bough_run *guest, *host;
    const bough_decomposition *graph; /* of the traffic; NULL: the guest is a network */
    double body;                      /* bits */
    double area;                      /* in squares of the pitch */
    double tau;
} simulation;

/* Bit steps of a trial, and the reference load factor of its messages. */
typedef struct simulated {
    double guest, host, eta;
} simulated;

typedef struct workspace {
    const simulation *s;
    void *guest, *host;
} workspace;

static void simulate_close(bough_run *run) {
    simulation *s = run->data;
    if (!s) return;
    bough_run_destroy(s->guest);
    bough_run_destroy(s->host);
    bough_routing_destroy(s->routing);
    bough_traffic_destroy(s->traffic);
    bough_net_destroy(s->net);
    free(s);
}

static const char *usual_host(const bough_net *net) {
    const xgft_shape *shape = xgft_shape_of(net);
    if (shape && xgft_is_pruned(shape)) return "sidetrack";
    return sorting_shape_of(net) ? "sortroute" : "offline";
}

/* Binds the guest with the point's traffic. */
static bough_status bind_network(const bough_run *run, simulation *s, bough_error *error) {
    const char *guest = run->args.value[P_GUEST].text;
    const bough_net *net = run->point.net;
    bough_status status = bough_net_open(guest, net->registry, &s->net, error);
    if (status) return status;
    if (s->net->endpoints != net->endpoints)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "simulate: the guest %s has %" PRIu64 " endpoints, the host %s has %" PRIu64
                          "; both must have the same number",
                          s->net->spec, s->net->endpoints, net->spec, net->endpoints);
    status = at2_area(s->net, NULL, &s->area, error);
    TRY(bough_traffic_create(s->net, run->point.traffic->spec, &s->traffic, error));
    TRY(bough_routing_create(s->net, NULL, &s->routing, error));
    const bough_point there = {s->net, s->routing, s->traffic};
    TRY(bough_run_create(run->args.value[P_BY].text, &there, &s->guest, error));
    return status;
}

static bough_status bind_guest(const bough_run *run, simulation *s, bough_error *error) {
    if (run->args.value[P_GUEST].set) return bind_network(run, s, error);
    s->graph = edges_decomposition(run->point.traffic);
    if (!s->graph)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "simulate: no guest: guest=NETWORK, or the traffic edges:of=NETWORK (with order=cuts)");
    s->area = bough_decomposition_area(s->graph).least;
    return BOUGH_OK;
}

/* What the host promises about any messages, before it knows those of the guest. */
static bough_status find_tau(const bough_run *run, simulation *s, bough_error *error) {
    const bough_value *tau = &run->args.value[P_TAU];
    set_search search = {
        .point = run->point,
        .objective = {run->args.value[P_HOST].text, BOUGH_METRIC_BIT_STEPS, BOUGH_METRIC_ETA},
        .degree = 1,
        .sets = (uint64_t)run->args.value[P_SETS].integer,
        .key = bough_key_make(1, 0), /* tau is a property of the host, whatever the seed */
        .run = run,
    };
    set_found found = {0};
    s->tau = tau->real;
    if (tau->set) return BOUGH_OK;
    bough_status status = set_search_run(&search, &found, error);
    s->tau = found.value / s->body;
    set_found_fini(&found);
    return status;
}

static bough_status simulate_open(bough_run *run, bough_error *error) {
    simulation *s;
    bough_status status = BOUGH_OK;
    if (!run->args.value[P_HOST].set)
        status = bough_args_set_text(&run->args, "host", usual_host(run->point.net), error);
    TRY(bough_alloc(&run->data, 1, sizeof *s, error));
    if (status) return status;
    s = run->data;
    const bough_value *body = &run->args.value[P_BODY];
    s->body = body->set ? (double)body->integer : tree_height(run->point.net->endpoints);
    status = bind_guest(run, s, error);
    TRY(bough_run_create(run->args.value[P_HOST].text, &run->point, &s->host, error));
    TRY(find_tau(run, s, error));
    if (status) return status;
    run->draws = s->host->draws || (s->guest && s->guest->draws);
    run->bytes = bough_add(s->guest ? s->guest->bytes : 0, s->host->bytes);
    run->bytes = bough_add(run->bytes, UINT64_C(16) << tree_height(run->point.net->endpoints));
    return BOUGH_OK;
}

static void simulate_free(void *space) {
    workspace *w = space;
    if (w->guest) bough_run_free_workspace(w->s->guest, w->guest);
    if (w->host) bough_run_free_workspace(w->s->host, w->host);
    free(w);
}

/* Bit steps of one of the two runs. */
static bough_status time_of(const bough_run *of, bough_key key, void **space, double *steps,
                            bough_error *error) {
    bough_rows rows = {0};
    bough_status status = of->method->trial(of, key, space, &rows, error);
    bool counted = rows_find(&rows, BOUGH_METRIC_BIT_STEPS, steps);
    bough_rows_fini(&rows);
    if (!status && !counted)
        status = bough_fail(
            error, BOUGH_INVALID, NULL,
            "simulate: %s does not report bit_steps; use sidetrack, sortroute, offline or online", of->spec);
    return status;
}

static bough_status add_rows(const bough_run *run, const simulated *t, bough_rows *rows, bough_error *error) {
    const simulation *s = run->data;
    double unit = s->body * t->eta, ratio = sqrt(s->area / (double)run->point.net->endpoints);
    double here = unit > 0 ? t->host / unit : 0, crossing = unit / (ratio * t->guest);
    const optional_row lines[] = {
        {true, BOUGH_METRIC_BIT_STEPS, t->host},
        {true, BOUGH_METRIC_GUEST_BIT_STEPS, t->guest},
        {true, BOUGH_METRIC_GUEST_AREA, s->area},
        {s->graph, BOUGH_METRIC_GUEST_AREA_MOST, s->graph ? bough_decomposition_area(s->graph).most : 0},
        {s->graph, BOUGH_METRIC_BIFURCATOR, s->graph ? s->graph->bifurcator : 0},
        {t->guest > 0, BOUGH_METRIC_SLOWDOWN, t->guest > 0 ? t->host / t->guest : 0},
        {true, BOUGH_METRIC_SLOWDOWN_BOUND, ratio * s->tau},
        {true, BOUGH_METRIC_TAU, s->tau},
        {unit > 0, BOUGH_METRIC_TAU_HERE, here},
        {unit > 0, BOUGH_METRIC_TAU_SHARE, here / s->tau},
        {t->guest > 0, BOUGH_METRIC_GUEST_CROSSING, crossing},
        {true, BOUGH_METRIC_ETA, t->eta},
    };
    if (here > s->tau)
        rows_note_append(rows, "not universal here: %s needs %.3g times the bit steps that tau = %.4g allows",
                         s->host->spec, here / s->tau, s->tau);
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
}

static bough_status simulate_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                   bough_error *error) {
    const simulation *s = run->data;
    simulated t = {.guest = s->body}; /* a wire of a graph carries one message */
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    w->s = s;
    if (s->guest) status = time_of(s->guest, key, &w->guest, &t.guest, error);
    TRY(time_of(s->host, key, &w->host, &t.host, error));
    TRY(at2_eta(&(method_trial){run, key}, &t.eta, error));
    return status ? status : add_rows(run, &t, rows, error);
}

const bough_method bough_method_simulate = {
    .name = "simulate",
    .summary = "simulation of a router of known area by another one: slowdown and its bound",
    .source = "bay1991, Proposition 1",
    .params = params,
    .headline = BOUGH_METRIC_SLOWDOWN,
    .needs_traffic = 1 << BOUGH_BATCH,
    .exact = true,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .open = simulate_open,
    .trial = simulate_trial,
    .free_workspace = simulate_free,
    .close = simulate_close,
};
