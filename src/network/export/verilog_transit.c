/* The structural netlist of a network of RN1 routers in Verilog 2005, made of the modules in rtl/. The ports
 * of a node are one vector each way, port 0 in the lowest bits. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/export/verilog_export.h"
#include "network/families/network_families.h"
#include "network/families/transit/transit.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PORTS = 8 };

typedef struct netlist {
    const bough_net *net;
    bough_text *out;
    unsigned route;      /* bits of an address: two per router */
    uint64_t *from, *to; /* [node * PORTS + port]: the link that leaves or enters a port; BOUGH_NONE: none */
} netlist;

bool verilog_is_transit(const bough_net *net) {
    if (net->family != &bough_family_transit || net->faults) return false;
    const transit_ask *ask = &((const transit *)net->data)->ask;
    return ask->radix == 4 && ask->dilation == 2 && ask->ports == 2 && ask->levels == 3 && ask->shortcuts;
}

static void find_links(netlist *n) {
    const bough_net_ops *ops = n->net->ops;
    for (uint64_t i = 0; i < n->net->nodes * PORTS; i++) n->from[i] = n->to[i] = BOUGH_NONE;
    for (uint64_t l = 0; l < n->net->links; l++) {
        bough_link_end end = ops->link_end(n->net, l);
        n->from[bough_link_start(n->net, l) * PORTS + ops->link_port(n->net, l)] = l;
        n->to[end.node * PORTS + end.port] = l;
    }
}

static void put_ports(const netlist *n) {
    const uint64_t p = n->net->endpoints, r = n->net->switches;
    bough_text_printf(n->out,
                      "module transit_%" PRIu64 " #(\n"
                      "    parameter WIDTH = %u,  // data bits of a flit, at least 16 and %u of the route\n"
                      "    parameter COUNT = 16\n"
                      ") (\n"
                      "    input clk, reset,\n"
                      "    input [1:0] retry,\n"
                      "    input [COUNT-1:0] slot, payload,\n"
                      "    // one entry per processor, h0 in the lowest bits\n"
                      "    input [10*%" PRIu64 "-1:0] draw,\n"
                      "    input [%" PRIu64 ":0] choice, send,\n"
                      "    input [%u*%" PRIu64 "-1:0] send_to,\n"
                      "    output [%" PRIu64 ":0] send_taken, tx_refused, tx_done,\n"
                      "    output [2*%" PRIu64 "-1:0] rx_valid, rx_head, rx_tail,\n"
                      "    output [COUNT*%" PRIu64 "-1:0] flit,\n"
                      "    input [WIDTH*%" PRIu64 "-1:0] flit_data,\n"
                      "    output [2*WIDTH*%" PRIu64 "-1:0] rx_data,\n",
                      p, n->route + 16, n->route, p, p - 1, n->route, p, p - 1, p, p, p, p);
    bough_text_printf(n->out,
                      "    // one entry per router, in the order of their instances below\n"
                      "    input [172*%" PRIu64 "-1:0] coin,\n"
                      "    output [8*%" PRIu64 "-1:0] granted, refused, held\n);\n",
                      r, r);
    for (uint64_t l = 0; l < n->net->links; l++)
        bough_text_printf(n->out, "    wire [WIDTH+1:0] l%" PRIu64 "; wire [1:0] l%" PRIu64 "_back;\n", l, l);
    bough_text_printf(n->out, "    wire [%" PRIu64 ":0] quiet;\n    wire go = &quiet;\n\n", p - 1);
}

/* Ports without a link: inputs are constant, outputs lead to wires of their own. */
static void put_unused(const netlist *n, uint64_t node, uint32_t count) {
    uint64_t r = node - n->net->endpoints;
    for (uint32_t p = 0; p < count; p++) {
        if (n->from[node * PORTS + p] == BOUGH_NONE)
            bough_text_printf(n->out, "    wire [WIDTH+1:0] r%" PRIu64 "_o%u;\n", r, p);
        if (n->to[node * PORTS + p] == BOUGH_NONE)
            bough_text_printf(n->out, "    wire [1:0] r%" PRIu64 "_i%u_back;\n", r, p);
    }
}

/* A list of ports, and what it has for a port without a link. */
typedef struct list_of_ports {
    const char *name, *suffix; /* ".i", and of the links */
    const char *constant;      /* without a link; NULL: the wire r<router>_<wire><port> with the suffix */
    const char *wire;
} list_of_ports;

/* ".i_back({l7_back, r3_i0_back})", the highest port first. */
static void put_list(const netlist *n, const uint64_t *link, uint64_t node, uint32_t count,
                     const list_of_ports *list) {
    bough_text_printf(n->out, "%s({", list->name);
    for (uint32_t p = count; p-- > 0;) {
        if (link[p] != BOUGH_NONE)
            bough_text_printf(n->out, "l%" PRIu64 "%s", link[p], list->suffix);
        else if (list->constant)
            bough_text_put(n->out, list->constant);
        else
            bough_text_printf(n->out, "r%" PRIu64 "_%s%u%s", node - n->net->endpoints, list->wire, p,
                              list->suffix);
        bough_text_put(n->out, p ? ", " : "})");
    }
}

static void put_inputs(const netlist *n, uint64_t node, uint32_t count) {
    static const list_of_ports data = {".i", "", "{(WIDTH+2){1'b0}}", NULL},
                               back = {".i_back", "_back", NULL, "i"};
    const uint64_t *link = n->to + node * PORTS;
    bough_text_put(n->out, "        ");
    put_list(n, link, node, count, &data);
    bough_text_put(n->out, ",\n        ");
    put_list(n, link, node, count, &back);
    bough_text_put(n->out, ",\n");
}

static void put_outputs(const netlist *n, uint64_t node, uint32_t count) {
    static const list_of_ports data = {".o", "", NULL, "o"}, back = {".o_back", "_back", "2'b0", NULL};
    const uint64_t *link = n->from + node * PORTS;
    bough_text_put(n->out, "        ");
    put_list(n, link, node, count, &data);
    bough_text_put(n->out, ",\n        ");
    put_list(n, link, node, count, &back);
}

static void put_processor(const netlist *n, uint64_t e) {
    bough_text_printf(n->out,
                      "    bough_rn1_interface #(.ROUTE(%u), .WIDTH(WIDTH), .COUNT(COUNT)) h%" PRIu64 " (\n"
                      "        .clk(clk), .reset(reset), .self(16'd%" PRIu64
                      "), .retry(retry), .slot(slot), .payload(payload), .go(go),\n"
                      "        .draw(draw[10*%" PRIu64 "+:10]), .choice(choice[%" PRIu64
                      "]), .quiet(quiet[%" PRIu64 "]),\n",
                      n->route, e, e, e, e, e);
    bough_text_printf(n->out,
                      "        .send(send[%" PRIu64 "]), .send_to(send_to[%u*%" PRIu64
                      "+:%u]), .send_taken(send_taken[%" PRIu64 "]), .flit(flit[COUNT*%" PRIu64
                      "+:COUNT]),\n",
                      e, n->route, e, n->route, e, e);
    bough_text_printf(n->out,
                      "        .flit_data(flit_data[WIDTH*%" PRIu64
                      "+:WIDTH]), .tx_refused(tx_refused[%" PRIu64 "]), .tx_done(tx_done[%" PRIu64 "]),\n",
                      e, e, e);
    bough_text_printf(n->out,
                      "        .rx_valid(rx_valid[2*%" PRIu64 "+:2]), .rx_head(rx_head[2*%" PRIu64
                      "+:2]), .rx_tail(rx_tail[2*%" PRIu64 "+:2]), .rx_data(rx_data[2*WIDTH*%" PRIu64
                      "+:2*WIDTH]),\n",
                      e, e, e, e);
    put_inputs(n, e, 2);
    put_outputs(n, e, 2);
    bough_text_put(n->out, "\n    );\n");
}

/* The directions of a whole router have two links each, those of a half one. */
static void put_router(const netlist *n, uint64_t node) {
    uint64_t r = node - n->net->endpoints, group = n->net->ops->node_group(n->net, node, 0);
    uint32_t dilation = (uint32_t)n->net->ops->group_links(n->net, group).count;
    put_unused(n, node, 4 * dilation);
    bough_text_printf(n->out,
                      "    bough_rn1 #(.INPUTS(%u), .DILATION(%u), .WIDTH(WIDTH), .ROUTE(%u)) r%" PRIu64
                      " (\n        .clk(clk), .reset(reset), .coin(coin[172*%" PRIu64 "+:172]),\n",
                      4 * dilation, dilation, n->route, r, r);
    put_inputs(n, node, 4 * dilation);
    put_outputs(n, node, 4 * dilation);
    bough_text_printf(n->out,
                      ",\n        .granted(granted[8*%" PRIu64 "+:%u]), .refused(refused[8*%" PRIu64
                      "+:%u]), .held(held[8*%" PRIu64 "+:%u])\n    );\n",
                      r, 4 * dilation, r, 4 * dilation, r, 4 * dilation);
    if (dilation == 1) /* its upper entries */
        bough_text_printf(n->out,
                          "    assign granted[8*%" PRIu64 "+4+:4] = 4'b0, refused[8*%" PRIu64
                          "+4+:4] = 4'b0, held[8*%" PRIu64 "+4+:4] = 4'b0;\n",
                          r, r, r);
}

bough_status verilog_transit(const bough_net *net, bough_text *out, bough_error *error) {
    netlist n = {net, out, 2 * (net->hops_max - 1), NULL, NULL};
    bough_status status = bough_alloc(&n.from, net->nodes * PORTS, sizeof *n.from, error);
    TRY(bough_alloc(&n.to, net->nodes * PORTS, sizeof *n.to, error));
    if (status == BOUGH_OK) {
        find_links(&n);
        bough_text_printf(out, "// %s, written by bough. The modules: rtl/bough_*.v of its source.\n",
                          net->spec);
        put_ports(&n);
        for (uint64_t e = 0; e < net->endpoints; e++) put_processor(&n, e);
        for (uint64_t v = net->endpoints; v < net->nodes; v++) put_router(&n, v);
        bough_text_put(out, "endmodule\n");
    }
    FREE_ALL(n.from, n.to);
    return status;
}
