/* The structural netlist of a binary fat-tree in Verilog 2005, made of the modules in rtl/. A cable is two
 * wires for flits, one for each link, and two for the signals that go back against each of them. */
#include "network/export/network_exports.h"
#include "network/export/verilog_export.h"
#include "network/families/xgft_tree.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdio.h>

/* The parts of a netlist. */
typedef struct netlist {
    const bough_net *net;
    unsigned levels;
    bough_text *out;
} netlist;

static const char ports[] = "abcd";

static bough_status check(const bough_net *net, bough_error *error) {
    const xgft_shape *shape = xgft_shape_of(net);
    bough_status status = export_check_size(net, error);
    if (status || (shape && xgft_is_binary(shape)) || verilog_is_transit(net)) return status;
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "Verilog is written for fattree and transit without faults, whose routers (transit: "
                      "RN1) are in rtl/; "
                      "this is %s",
                      net->spec);
}

static void put_ports(const netlist *n) {
    const uint64_t endpoints = n->net->endpoints, routers = n->net->switches;
    bough_text_printf(n->out,
                      "module fattree_%" PRIu64 " #(\n"
                      "    parameter WIDTH = %u,  // data bits of a flit, at least %u\n"
                      "    parameter COUNT = 16   // bits of slot and payload\n"
                      ") (\n"
                      "    input clk, reset,\n"
                      "    input [1:0] retry,\n"
                      "    input [COUNT-1:0] slot, payload,\n"
                      "    // one entry per endpoint, h0 in the lowest bits\n"
                      "    input [10*%" PRIu64 "-1:0] draw,\n"
                      "    input [%" PRIu64 ":0] send,\n"
                      "    input [%u*%" PRIu64 "-1:0] send_to,\n"
                      "    output [%" PRIu64
                      ":0] send_taken, tx_refused, tx_done, rx_valid, rx_head, rx_tail,\n"
                      "    output [COUNT*%" PRIu64 "-1:0] flit,\n"
                      "    input [WIDTH*%" PRIu64 "-1:0] flit_data,\n"
                      "    output [WIDTH*%" PRIu64 "-1:0] rx_data,\n"
                      "    // one entry per router, s1_0 in the lowest bits\n"
                      "    input [7*%" PRIu64 "-1:0] coin,\n"
                      "    output [4*%" PRIu64 "-1:0] granted, refused, held\n"
                      ");\n",
                      endpoints, 2 * n->levels, 2 * n->levels, endpoints, endpoints - 1, n->levels, endpoints,
                      endpoints - 1, endpoints, endpoints, endpoints, routers, routers);
}

/* Names as on other pages: h3; s2.1 is s2_1. */
static void put_name(const netlist *n, uint64_t node) {
    char name[160];
    bough_node_name(n->net, node, name, sizeof name);
    for (char *c = name; *c; c++)
        if (*c == '.') *c = '_';
    bough_text_put(n->out, name);
}

/* A wire: "h0_to_s1_0". A fat-tree has no parallel cables. */
static void put_link(const netlist *n, uint64_t link) {
    put_name(n, bough_link_start(n->net, link));
    bough_text_put(n->out, "_to_");
    put_name(n, n->net->ops->link_end(n->net, link).node);
}

/* ".o(h0_to_s1_0), .o_back(h0_to_s1_0_back)" */
static void put_connection(const netlist *n, const char *port, uint64_t link) {
    bough_text_printf(n->out, ".%s(", port);
    put_link(n, link);
    bough_text_printf(n->out, "), .%s_back(", port);
    put_link(n, link);
    bough_text_put(n->out, "_back)");
}

static void put_wires(const netlist *n) {
    const uint64_t endpoints = n->net->endpoints;
    bough_text_put(n->out, "    // of each link: flits, and the signals back against them\n");
    for (uint64_t l = 0; l < n->net->links; l++) {
        bough_text_put(n->out, "    wire [WIDTH+1:0] ");
        put_link(n, l);
        bough_text_put(n->out, "; wire [1:0] ");
        put_link(n, l);
        bough_text_put(n->out, "_back;\n");
    }
    bough_text_printf(n->out, "    wire [%" PRIu64 ":0] quiet;\n    wire go = &quiet;\n\n", endpoints - 1);
}

/* The link that leaves a port of a node, or BOUGH_NONE. */
static uint64_t link_of_port(const bough_net *net, uint64_t node, uint32_t port) {
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        if (net->ops->link_port(net, at.link) == port) return at.link;
    return BOUGH_NONE;
}

static void put_interface(const netlist *n, uint64_t e) {
    uint64_t out = link_of_port(n->net, e, 0), in = n->net->ops->link_twin(n->net, out);
    bough_text_printf(n->out, "    bough_interface #(.LEVELS(%u), .WIDTH(WIDTH), .COUNT(COUNT)) ", n->levels);
    put_name(n, e);
    bough_text_printf(n->out,
                      " (\n        .clk(clk), .reset(reset), .self(%u'd%" PRIu64
                      "), .retry(retry), .slot(slot), .payload(payload), .go(go),\n"
                      "        .draw(draw[10*%" PRIu64 "+:10]), .quiet(quiet[%" PRIu64 "]),\n",
                      n->levels, e, e, e);
    bough_text_printf(n->out,
                      "        .send(send[%" PRIu64 "]), .send_to(send_to[%u*%" PRIu64
                      "+:%u]), .send_taken(send_taken[%" PRIu64 "]),\n",
                      e, n->levels, e, n->levels, e);
    bough_text_printf(n->out,
                      "        .flit(flit[COUNT*%" PRIu64 "+:COUNT]), .flit_data(flit_data[WIDTH*%" PRIu64
                      "+:WIDTH]), .tx_refused(tx_refused[%" PRIu64 "]), .tx_done(tx_done[%" PRIu64 "]),\n",
                      e, e, e, e);
    bough_text_printf(n->out,
                      "        .rx_valid(rx_valid[%" PRIu64 "]), .rx_head(rx_head[%" PRIu64
                      "]), .rx_tail(rx_tail[%" PRIu64 "]), .rx_data(rx_data[WIDTH*%" PRIu64 "+:WIDTH]),\n",
                      e, e, e, e);
    bough_text_put(n->out, "        ");
    put_connection(n, "o", out);
    bough_text_put(n->out, ", ");
    put_connection(n, "i", in);
    bough_text_put(n->out, "\n    );\n");
}

/* The ports up of a root are not connected. */
static void put_port(const netlist *n, uint64_t node, uint32_t p) {
    const uint64_t out = link_of_port(n->net, node, p);
    const char x = ports[p], output[] = {x, '_', 'o', 0}, input[] = {x, '_', 'i', 0};
    bough_text_put(n->out, "        ");
    if (out == BOUGH_NONE) {
        bough_text_printf(n->out, ".%s({(WIDTH+2){1'b0}}), .%s_back(), .%s(), .%s_back(2'b0),\n", input,
                          input, output, output);
        return;
    }
    put_connection(n, input, n->net->ops->link_twin(n->net, out));
    bough_text_put(n->out, ", ");
    put_connection(n, output, out);
    bough_text_put(n->out, ",\n");
}

static void put_router(const netlist *n, uint64_t node) {
    uint64_t r = node - n->net->endpoints;
    bough_text_printf(n->out, "    bough_router #(.LEVEL(%u), .LEVELS(%u), .WIDTH(WIDTH)) ",
                      (unsigned)n->net->ops->node_level(n->net, node) - 1, n->levels);
    put_name(n, node);
    bough_text_printf(n->out, " (\n        .clk(clk), .reset(reset), .coin(coin[7*%" PRIu64 "+:7]),\n", r);
    for (uint32_t p = 0; p < 4; p++) put_port(n, node, p);
    bough_text_printf(n->out,
                      "        .granted(granted[4*%" PRIu64 "+:4]), .refused(refused[4*%" PRIu64
                      "+:4]), .held(held[4*%" PRIu64 "+:4])\n    );\n",
                      r, r, r);
}

bough_status export_verilog(const bough_net *net, bough_text *out, bough_error *error) {
    bough_status status = check(net, error);
    if (status) return status;
    if (verilog_is_transit(net)) {
        status = verilog_transit(net, out, error);
        return status ? status : export_finished(out, error);
    }
    const netlist n = {net, net->levels, out};
    bough_text_printf(out, "// %s, written by bough. The modules: rtl/bough_*.v of its source.\n", net->spec);
    put_ports(&n);
    put_wires(&n);
    for (uint64_t e = 0; e < net->endpoints; e++) put_interface(&n, e);
    for (uint64_t v = net->endpoints; v < net->nodes; v++) put_router(&n, v);
    bough_text_put(out, "endmodule\n");
    return export_finished(out, error);
}
