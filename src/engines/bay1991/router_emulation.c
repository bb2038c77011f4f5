/* Simulation of one router by another (bay1991, Proposition 1): the messages of the point on its network (the
 * host), and on a guest with another layout.
 *
 * The traffic that crosses the perimeter of a region of its layout limits any guest: in area A it takes at
 * least b eta sqrt(N / A) steps, up to a constant. A host that delivers any set in b eta tau steps is slower
 * by at most a factor of sqrt(A / N) tau. tau is measured on the given message set. The area is that of the
 * guest's layout, in squares of the wire pitch. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/method_list.h"
#include "method/rows.h"
#include "models/geometry/area_time.h"
#include "models/link_load/tree_crossings.h"
#include "network/families/sorting_shape.h"
#include "network/families/xgft_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P_GUEST, P_BY, P_HOST, P_BODY };

static const bough_param params[] = {
    [P_GUEST] = {"guest", "guest: the network whose router is simulated, quoted if its spec contains commas",
                 BOUGH_TEXT, NULL, .echo = true},
    [P_BY] = {"by", "method that routes messages on the guest; it must report bit_steps", BOUGH_TEXT,
              "offline", .echo = true},
    [P_HOST] = {"host",
                "method that routes messages on the host; default: sidetrack, sortroute, or else offline",
                BOUGH_TEXT, "", .echo = true},
    [P_BODY] = {"body", "bits of a message's body; default: lg n", BOUGH_INT, "", 1, 0x1p20},
    BOUGH_PARAMS_END,
};

typedef struct simulation {
    bough_net *net; /* the guest */
    bough_traffic *traffic;
    bough_routing *routing;
    bough_run *guest, *host;
    double area; /* in squares of the pitch */
} simulation;

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

/* Binds the guest with the point's traffic, and both runs. */
static bough_status bind_guest(bough_run *run, simulation *s, bough_error *error) {
    const char *guest = run->args.value[P_GUEST].text;
    const bough_net *net = run->point.net;
    bough_status status = bough_net_open(guest, net->registry, &s->net, error);
    if (status) return status;
    if (s->net->endpoints != net->endpoints)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "simulate: the guest %s has %" PRIu64 " endpoints, the host %s has %" PRIu64
                          "; both must have the same number",
                          s->net->spec, s->net->endpoints, net->spec, net->endpoints);
    status = at2_area(s->net, &s->area, error);
    TRY(bough_traffic_create(s->net, run->point.traffic->spec, &s->traffic, error));
    TRY(bough_routing_create(s->net, NULL, &s->routing, error));
    const bough_point there = {s->net, s->routing, s->traffic};
    TRY(bough_run_create(run->args.value[P_BY].text, &there, &s->guest, error));
    TRY(bough_run_create(run->args.value[P_HOST].text, &run->point, &s->host, error));
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
    status = bind_guest(run, s, error);
    if (status) return status;
    run->draws = s->guest->draws || s->host->draws;
    run->bytes = bough_add(s->guest->bytes, s->host->bytes);
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
    *steps = -1;
    for (size_t i = 0; i < rows.count; i++)
        if (rows.row[i].metric == BOUGH_METRIC_BIT_STEPS && rows.row[i].index == BOUGH_NO_ROW_INDEX)
            *steps = rows.row[i].value;
    bough_rows_fini(&rows);
    if (!status && *steps < 0)
        status = bough_fail(
            error, BOUGH_INVALID, NULL,
            "simulate: %s does not report bit_steps; use sidetrack, sortroute, offline or online", of->spec);
    return status;
}

static bough_status simulate_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                   bough_error *error) {
    const simulation *s = run->data;
    double guest = 0, host = 0, eta = 0, n = (double)run->point.net->endpoints;
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    w->s = s;
    status = time_of(s->guest, key, &w->guest, &guest, error);
    TRY(time_of(s->host, key, &w->host, &host, error));
    TRY(at2_eta(&(method_trial){run, key}, &eta, error));
    if (status) return status;
    const bough_value *body = &run->args.value[P_BODY];
    double b = body->set ? (double)body->integer : tree_height(run->point.net->endpoints);
    double tau = eta > 0 ? host / (b * eta) : 0;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_BIT_STEPS, host},
        {true, BOUGH_METRIC_GUEST_BIT_STEPS, guest},
        {true, BOUGH_METRIC_GUEST_AREA, s->area},
        {guest > 0, BOUGH_METRIC_SLOWDOWN, guest > 0 ? host / guest : 0},
        {eta > 0, BOUGH_METRIC_SLOWDOWN_BOUND, sqrt(s->area / n) * tau},
        {eta > 0, BOUGH_METRIC_TAU, tau},
        {true, BOUGH_METRIC_ETA, eta},
    };
    return rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
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
