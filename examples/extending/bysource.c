/* A routing of one's own: the source of a message selects the link. docs/extending.md explains it. */
#include "method/method.h"

#include <stdio.h>

static const bough_param no_params[] = {BOUGH_PARAMS_END};

/* At each node the network's route names the eligible links; the source number selects one.
 * The routing keeps no state: all threads use one routing at the same time. */
static void route_bysource(const bough_routing *routing, uint64_t node, const bough_flow *flow,
                           bough_route *route) {
    const bough_net *net = routing->net;
    net->ops->route(net, node, flow->address, route);
    if (route->count < 2) return;
    route->first = bough_route_link(route, (uint32_t)(flow->source % route->count));
    route->list = NULL;
    route->count = 1;
}

const bough_routing_kind routing_bysource = {
    .name = "bysource",
    .summary = "the eligible link with the number of the source, modulo their count",
    .source = "",
    .params = no_params,
    .needs = BOUGH_HAS_ROUTES,
    .oblivious = true,
    .route = route_bysource,
};

/* Prints what a method answers in one trial. */
static bough_status print_trial(const char *method, const bough_point *point, bough_error *error) {
    bough_run *run;
    bough_rows rows = {0};
    void *workspace = NULL;
    bough_status status = bough_run_create(method, point, &run, error);
    if (status) return status;
    status = bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, error);
    for (size_t i = 0; i < rows.count && !status; i++)
        printf("%-16s %g\n", bough_metrics[rows.row[i].metric].name, rows.row[i].value);
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
    bough_run_destroy(run);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: bysource NETWORK TRAFFIC METHOD\n");
        return 2;
    }
    bough_error error = {0};
    bough_net *net = NULL;
    bough_routing *routing = NULL;
    bough_traffic *traffic = NULL;
    bough_spec spec;
    bough_status status = bough_spec_parse("bysource", &spec, &error);
    if (!status) {
        status = bough_net_create(argv[1], &net, &error);
        if (!status) status = bough_routing_make(net, &routing_bysource, &spec, &routing, &error);
        bough_spec_fini(&spec);
    }
    if (!status) status = bough_traffic_create(net, argv[2], &traffic, &error);
    const bough_point point = {.net = net, .routing = routing, .traffic = traffic};
    if (!status) status = print_trial(argv[3], &point, &error);
    if (status) fprintf(stderr, "bysource: %s%s%s\n", error.place, *error.place ? ": " : "", error.reason);
    bough_traffic_destroy(traffic);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    return bough_status_exit(status);
}
