/* Time of flight of data through a network of stacks on an established connection (dehon1991, Table 3).
 *
 * One clock per switch; one more where a route turns within a stack from the layer that leads up to one that
 * leads down (a lateral crossover); and for a wire between stacks, as many whole clocks as the longest one
 * through that cube's hollow takes. The paper refers to a report for its derivation. This is a reconstruction
 * that yields its figures; it counts wires within a stack and to the processors as part of a switch's
 * clock. */
#include "base/status/try.h"
#include "method/premises.h"
#include "models/model_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { P_CLOCK, P_PER_FOOT, P_LATERAL };

static const bough_param params[] = {
    [P_CLOCK] = {"clock", "clock period of a switch: 100 MHz in the paper", BOUGH_TIME, "10ns", 1, 1e15},
    [P_PER_FOOT] = {"foot", "signal delay of a foot of wire; 1.1 to 1.25 ns give the paper's figures",
                    BOUGH_TIME, "1250ps", 0, 1e12},
    [P_LATERAL] = {"lateral", "clocks for a turn within a stack", BOUGH_INT, "1", 0, 1000},
    BOUGH_PARAMS_END,
};

typedef struct trip {
    uint64_t switches, turns, wire_clocks;
} trip;

static bough_status no_route(const bough_net *net, uint64_t from, uint64_t to, bough_error *error) {
    char a[128], b[128];
    return bough_fail(error, BOUGH_FAILED, NULL, "no route from %s to %s",
                      bough_node_name(net, from, a, sizeof a), bough_node_name(net, to, b, sizeof b));
}

/* The stage of the cube that a wire between two places crosses, or the turn, if it is one. */
static void cross(const bough_run *run, const bough_cube *cube, uint64_t from, uint64_t to, trip *t) {
    const bough_net *net = run->point.net;
    bough_place a, b;
    if (!net->ops->node_place(net, from, &a) || !net->ops->node_place(net, to, &b)) return;
    if (a.stage == b.stage && a.stack == b.stack) {
        t->turns += a.up && !b.up;
        return;
    }
    unsigned stage = a.stage > b.stage ? a.stage : b.stage;
    double clocks = cube[stage].wire * (double)run->args.value[P_PER_FOOT].integer /
                    (double)run->args.value[P_CLOCK].integer;
    t->wire_clocks += (uint64_t)ceil(clocks - 1e-9);
}

/* Takes the first eligible link at every switch: all have the same length. */
static bough_status travel(const bough_run *run, const bough_cube *cube, uint64_t to, trip *t,
                           bough_error *error) {
    const bough_net *net = run->point.net;
    uint64_t node = 0;
    *t = (trip){0};
    while (node != to) {
        bough_route route = {0};
        if (t->switches <= net->hops_max) net->ops->route(net, node, to, &route);
        if (route.count == 0) return no_route(net, 0, to, error);
        uint64_t next = net->ops->link_end(net, bough_route_link(&route, 0)).node;
        cross(run, cube, node, next, t);
        t->switches += next != to;
        node = next;
    }
    return BOUGH_OK;
}

/* An endpoint whose NCA with endpoint 0 has this level, or BOUGH_NONE. */
static uint64_t partner(const bough_net *net, unsigned level) {
    uint64_t whole = net->ops->subtree(net, level, 0),
             part = level ? net->ops->subtree(net, level - 1, 0) : 0;
    for (uint64_t e = 1; e < net->endpoints; e++) {
        if (level && net->ops->subtree(net, level - 1, e) == part) continue;
        return net->ops->subtree(net, level, e) == whole ? e : BOUGH_NONE;
    }
    return BOUGH_NONE;
}

static bough_status trial_flight(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                 bough_error *error) {
    (void)key;
    (void)workspace;
    const bough_net *net = run->point.net;
    bough_cube cube[BOUGH_STAGES_MAX];
    double clock = (double)run->args.value[P_CLOCK].integer / 1000, worst = 0, best = INFINITY;
    bough_status status = bough_hollow_cube(net->packaging, cube, error);
    for (unsigned level = 0; level <= net->levels && !status; level++) {
        uint64_t to = partner(net, level);
        trip t;
        if (to == BOUGH_NONE) continue;
        status = travel(run, cube, to, &t, error);
        if (status) break;
        uint64_t lateral = (uint64_t)run->args.value[P_LATERAL].integer;
        double time = clock * (double)(t.switches + lateral * t.turns + t.wire_clocks);
        worst = fmax(worst, time);
        best = fmin(best, time);
        status = bough_rows_add(rows, BOUGH_METRIC_FLIGHT, level, time, error);
        TRY(bough_rows_add(rows, BOUGH_METRIC_ROUTING_STAGES, level, (double)t.switches, error));
        TRY(bough_rows_add(rows, BOUGH_METRIC_WIRE_CLOCKS, level, (double)t.wire_clocks, error));
    }
    char each[32], foot[32];
    snprintf(rows->note, sizeof rows->note,
             "%s per switch, %" PRId64
             " times that for a turn within a stack, whole clocks for a wire between stacks at %s per foot; "
             "a reconstruction: the paper does not derive its figures",
             bough_format_measure(BOUGH_TIME, run->args.value[P_CLOCK].integer, each, sizeof each),
             run->args.value[P_LATERAL].integer,
             bough_format_measure(BOUGH_TIME, run->args.value[P_PER_FOOT].integer, foot, sizeof foot));
    TRY(bough_rows_add(rows, BOUGH_METRIC_FLIGHT_WORST, BOUGH_NO_ROW_INDEX, worst, error));
    TRY(bough_rows_add(rows, BOUGH_METRIC_FLIGHT_BEST, BOUGH_NO_ROW_INDEX, best, error));
    return status;
}

const bough_method bough_method_flight = {
    .name = "flight",
    .summary = "time of flight through a network of stacks: switches, lateral turns and wires",
    .source = "dehon1991, section 6.1 and Table 3 (a reconstruction)",
    .params = params,
    .headline = BOUGH_METRIC_FLIGHT_WORST,
    .needs_net = BOUGH_HAS_ROUTES | BOUGH_HAS_CHANNELS,
    .lacks = method_lacks_stacks,
    .exact = true,
    .ignores_traffic = true,
    .trial = trial_flight,
};
