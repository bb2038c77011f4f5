/* The bound of all-to-all for those who look for no tables. */
#include "base/status/try.h"
#include "fabric/tune/bounds/tune_bound.h"
#include "fabric/tune/objectives/tune_model.h"

#include <math.h>

/* Whether all endpoints have one cable, to a switch, and the bound takes a second at most. */
static bool is_asked(const bough_net *net) {
    uint64_t leaves = 0, last = BOUGH_NONE;
    for (uint64_t e = 0; e < net->endpoints; e++) {
        if (!tune_graph_fits(net, e)) return false;
        const uint64_t leaf = net->ops->link_end(net, bough_injection_link(net, e)).node;
        leaves += leaf != last;
        last = leaf;
    }
    return (double)fmin(leaves, net->nodes - net->endpoints) * (double)net->links <= TUNE_BOUND_STEPS;
}

/* The largest l for which an endpoint has 2^l addresses. */
static unsigned lmc_of(const bough_net *net) {
    unsigned lmc = 0;
    for (uint64_t e = 0; e < net->endpoints && net->addresses > net->endpoints; e++) {
        const uint64_t next = e + 1 < net->endpoints ? bough_endpoint_address(net, e + 1) : net->addresses;
        while (next - bough_endpoint_address(net, e) >= UINT64_C(2) << lmc) lmc++;
    }
    return lmc;
}

/* The time of a flow on a link, in units of that at the nominal rate. */
static double scale_of(const bough_net *net, const bough_link_rates *rates, uint64_t link) {
    return (rates->equal ? 1 : (double)rates->nominal) / (double)bough_link_actual(net, rates, link);
}

static void set_rates(tune_graph *g, const bough_link_rates *rates) {
    const bough_net *net = g->net;
    g->equal = true;
    for (uint32_t a = 0; a < g->arcs; a++) {
        g->scale[a] = scale_of(net, rates, g->link[a]);
        g->equal = g->equal && g->scale[a] == g->scale[0];
    }
    for (uint32_t e = 0; e < g->hosts; e++) {
        const uint64_t out = bough_injection_link(net, e), in = net->ops->link_twin(net, out);
        g->host_scale[e] = scale_of(net, rates, out);
        if (in != BOUGH_NONE) g->host_scale[e] = fmax(g->host_scale[e], scale_of(net, rates, in));
    }
}

bough_status tune_bound_alltoall(const tune_alltoall *ask, double *value, bough_error *error) {
    const bough_net *net = ask->net;
    tune_graph graph = {0};
    tune_cuts cuts = {0};
    tune_demand demand = {0};
    *value = 0;
    if (!is_asked(net)) return BOUGH_OK;
    bough_status status = tune_graph_make(&graph, net, lmc_of(net), error);
    if (!status) set_rates(&graph, ask->rates);
    bough_tune_bound bound = {.value = status ? 0 : tune_alltoall_base(&graph)};
    TRY(tune_cuts_make(&cuts, &graph, error));
    TRY(tune_demand_make(&demand, &graph, NULL, error));
    TRY(tune_bound_cuts(&graph, &cuts, &demand, &bound, error));
    const tune_dual_options options = {.goal = ask->goal, .iterations = tune_dual_iterations(&graph)};
    if (bound.value < ask->enough) TRY(tune_bound_dual(&graph, &demand, &options, &bound, error));
    if (!status) *value = bound.value;
    tune_demand_fini(&demand);
    tune_cuts_fini(&cuts);
    tune_graph_fini(&graph);
    return status;
}
