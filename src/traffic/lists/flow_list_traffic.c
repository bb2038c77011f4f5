/* cm:FILE.cm, flows:FILE.txt and matrix:FILE.mat: message lists as traffic. Sizes are bytes and times
 * picoseconds as in schedules, but there are no operations of ranks. Nodes are placed on endpoints as ranks
 * are. */
#include "traffic/lists/flow_list_traffic.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/hosts.h"
#include "traffic/endpoint_names.h"
#include "traffic/schedules/workload.h"

#include <stdio.h>
#include <string.h>

typedef struct placed {
    flow_list list;
    uint32_t *endpoint; /* [nodes] */
} placed;

static void list_fini(bough_traffic *t) {
    placed *p = t->data;
    if (!p) return;
    flow_list_fini(&p->list);
    FREE_ALL(p->endpoint, p);
}

/* Messages between nodes of one endpoint are not counted. */
static void count_messages(const placed *p, bough_traffic *t) {
    const flow_list *l = &p->list;
    t->bytes = l->flow_capacity * sizeof *l->flow + l->trigger_capacity * sizeof *l->trigger +
               l->nodes * sizeof *p->endpoint;
    t->source_bytes = 4 * l->flows + 16 * (l->flows - l->timed) + 16 * l->triggers;
    t->messages = 0;
    for (size_t i = 0; i < p->list.flows; i++)
        t->messages += p->endpoint[p->list.flow[i].source] != p->endpoint[p->list.flow[i].destination];
}

static void list_each(const bough_traffic *t, bough_visit_bytes *visit, void *context) {
    const placed *p = t->data;
    for (size_t i = 0; i < p->list.flows; i++) {
        const flow_list_flow *f = &p->list.flow[i];
        uint32_t from = p->endpoint[f->source], to = p->endpoint[f->destination];
        if (from != to) visit(context, from, to, f->size);
    }
}

typedef enum list_format { LIST_CM, LIST_NS3, LIST_MATRIX } list_format;

static bough_status read_list(const bough_args *args, bough_traffic *t, list_format format,
                              bough_error *error) {
    bough_input input;
    flow_list *l = &((placed *)t->data)->list;
    bough_status status = bough_input_read(bough_args_get(args, "file")->text, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    if (format == LIST_MATRIX)
        status = flow_list_read_matrix(&input, l, error);
    else if (format == LIST_NS3)
        status = flow_list_read_ns3(&input, l, error);
    else
        status = flow_list_read_cm(&input, (uint64_t)bough_args_get(args, "unit")->integer,
                                   (uint32_t)bough_args_get(args, "nodes")->integer, l, error);
    bough_input_fini(&input);
    if (l->prioritised) t->ignored = "priorities";
    return status;
}

/* Node i of a flow is `nodei` of the topology beside it, where switches have numbers too. */
static bough_status find_nodes(const bough_traffic *t, const char *file, bough_error *error) {
    placed *p = t->data;
    endpoints all = {.net = t->net};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < 2 * p->list.flows && !status; i++) {
        const flow_list_flow *f = &p->list.flow[i / 2];
        const uint32_t node = i % 2 ? f->destination : f->source;
        uint64_t endpoint = 0;
        char name[24];
        snprintf(name, sizeof name, "node%u", node);
        status = endpoints_find(&all, name, i % 2 ? "destination" : "source", &endpoint, error);
        if (status) status = bough_at_line(status, file, f->line, error);
        p->endpoint[node] = (uint32_t)endpoint;
    }
    endpoints_fini(&all);
    return status;
}

/* Nodes are on hosts, each on one. */
static bool is_plain(const bough_args *args) {
    return strcmp(bough_args_get(args, "place")->text, "linear") == 0 &&
           bough_args_get(args, "gpus")->integer == 1 && bough_args_get(args, "rails")->integer == 1;
}

static bough_status place_nodes(const bough_args *args, const bough_traffic *t, const char *file,
                                bough_error *error) {
    placed *p = t->data;
    const bool hosts = is_plain(args) && p->list.nodes <= net_numbers(t->net); /* else it numbers ports */
    bough_status status = workload_place(t, p->list.nodes, file, p->endpoint, error);
    for (uint32_t i = 0; i < p->list.nodes && !status && hosts; i++)
        p->endpoint[i] = (uint32_t)net_numbered(t->net, i);
    return status;
}

static bough_status bind_list(const bough_args *args, bough_traffic *t, list_format format,
                              bough_error *error) {
    const char *file = bough_args_get(args, "file")->text;
    const bough_fabric *fabric = t->net->fabric;
    placed *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    t->data = p;
    t->each = list_each;
    status = read_list(args, t, format, error);
    if (!status && p->list.nodes == 0)
        status = bough_fail(error, BOUGH_INVALID, file, "the file has 0 nodes");
    TRY(bough_alloc(&p->endpoint, p->list.nodes, sizeof *p->endpoint, error));
    if (format == LIST_NS3 && is_plain(args) && fabric && strcmp(fabric->format, "ns-3") == 0)
        TRY(find_nodes(t, file, error));
    else
        TRY(place_nodes(args, t, file, error));
    if (!status) count_messages(p, t);
    return status;
}

bough_status flow_list_take(const sized_messages *given, const bough_net *net, bough_traffic *t,
                            bough_error *error) {
    placed *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    t->data = p;
    t->each = list_each;
    flow_list *l = &p->list;
    l->nodes = (uint32_t)net->endpoints;
    status = bough_alloc(&l->flow, given->count, sizeof *l->flow, error);
    TRY(bough_alloc(&p->endpoint, net->endpoints, sizeof *p->endpoint, error));
    for (uint64_t e = 0; e < net->endpoints && !status; e++) p->endpoint[e] = (uint32_t)e;
    for (size_t i = 0; i < given->count && !status; i++) {
        status = endpoint_pair_check(t, i, given->source[i], given->destination[i], error);
        l->flow[i] = (flow_list_flow){.size = given->bytes[i],
                                      .source = (uint32_t)given->source[i],
                                      .destination = (uint32_t)given->destination[i],
                                      .trigger = FLOW_LIST_NONE,
                                      .done = {FLOW_LIST_NONE, FLOW_LIST_NONE}};
    }
    l->flows = l->timed = l->flow_capacity = given->count;
    if (!status) count_messages(p, t);
    return status;
}

static bough_status cm_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    (void)net;
    return bind_list(args, t, LIST_CM, error);
}

static bough_status flows_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    (void)net;
    return bind_list(args, t, LIST_NS3, error);
}

static bough_status matrix_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                bough_error *error) {
    (void)net;
    return bind_list(args, t, LIST_MATRIX, error);
}

static bough_status list_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                              bough_source **out, bough_error *error) {
    const placed *p = t->data;
    (void)key;
    if (!clock || !clock->tick_ps)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "%s requires bytes and picoseconds, which this method does not support", t->spec);
    return flow_list_source(&(placed_flows){&p->list, t->net, p->endpoint}, clock, out, error);
}

bool flow_list_of(const bough_traffic *t, placed_flows *flows) {
    const placed *p = t->data;
    if (t->kind->open != list_open) return false;
    *flows = (placed_flows){&p->list, t->net, p->endpoint};
    return true;
}

static const bough_param cm_params[] = {
    {"file", "connection matrix: Nodes, Connections, then SOURCE->DESTINATION start T size BYTES", BOUGH_TEXT,
     NULL, 0, 0, .echo = true},
    {"unit", "unit of the starts; picoseconds in htsim", BOUGH_TIME, "1ps", 1, 1e12},
    {"nodes", "number of nodes, overrides the file; 0: as in the file", BOUGH_INT, "0", 0, 0x1p28},
    WORKLOAD_PLACE_PARAM_LIST,
    BOUGH_PARAMS_END,
};

const bough_traffic_kind bough_traffic_cm = {
    .name = "cm",
    .summary = "messages of an htsim connection matrix, with starts and triggers",
    .source = "github.com/Broadcom/csg-htsim",
    .params = cm_params,
    .shape = BOUGH_SCHEDULE,
    .bind = cm_bind,
    .open = list_open,
    .fini = list_fini,
};

static const bough_param flows_params[] = {
    {"file",
     "number of flows, then lines with source, destination, priority group, port, bytes, start in seconds",
     BOUGH_TEXT, NULL, 0, 0, .echo = true},
    WORKLOAD_PLACE_PARAM_LIST,
    BOUGH_PARAMS_END,
};

const bough_traffic_kind bough_traffic_flows = {
    .name = "flows",
    .summary = "flows of HPCC and other models of ns-3, with their starts",
    .source = "github.com/alibaba-edu/High-Precision-Congestion-Control",
    .params = flows_params,
    .shape = BOUGH_SCHEDULE,
    .bind = flows_bind,
    .open = list_open,
    .fini = list_fini,
};

static const bough_param matrix_params[] = {
    {"file", "N lines of N numbers: line i has the bytes from node i to each node", BOUGH_TEXT, NULL, 0, 0,
     .echo = true},
    WORKLOAD_PLACE_PARAM_LIST,
    BOUGH_PARAMS_END,
};

const bough_traffic_kind bough_traffic_matrix = {
    .name = "matrix",
    .summary = "one message from each node to each, with the bytes of a matrix",
    .source = "",
    .params = matrix_params,
    .shape = BOUGH_SCHEDULE,
    .bind = matrix_bind,
    .open = list_open,
    .fini = list_fini,
};
