// Interface of a processor to a network of RN1 routers: two links into the network, of which `choice` selects the one of a
// head, and two out of it. An address is a route, two bits per router, those of the first router lowest; a head also
// carries the number of its source above its ROUTE bits.
module bough_rn1_interface #(
    parameter ROUTE = 8,
    parameter WIDTH = 24,  // at least ROUTE + 16
    parameter COUNT = 16
) (
    input                         clk,
    input                         reset,
    input      [           15:0] self,
    input      [            1:0] retry,
    input      [      COUNT-1:0] slot, payload,
    input                        go,
    input      [            9:0] draw,
    input                        choice,
    output                       quiet,
    input                        send,
    input      [      ROUTE-1:0] send_to,
    output                       send_taken,
    output     [      COUNT-1:0] flit,
    input      [      WIDTH-1:0] flit_data,
    output                       tx_refused, tx_done,
    output     [            1:0] rx_valid, rx_head, rx_tail,
    output     [    2*WIDTH-1:0] rx_data,
    output     [2*(WIDTH+2)-1:0] o,
    input      [            3:0] o_back,
    input      [2*(WIDTH+2)-1:0] i,
    output     [            3:0] i_back
);
    localparam F = WIDTH + 2;
    wire [ROUTE-1:0] target;
    wire [WIDTH+1:0] out;
    wire start;
    reg chosen;
    wire use_1 = start ? choice : chosen;
    assign o = {{F{use_1}} & out, {F{~use_1}} & out};
    always @(posedge clk) chosen <= use_1;

    bough_sender #(.ADDRESS(ROUTE), .WIDTH(WIDTH), .COUNT(COUNT)) sender (
        .clk(clk), .reset(reset), .retry(retry), .slot(slot), .payload(payload), .go(go), .draw(draw), .quiet(quiet),
        .send(send), .send_to(send_to), .send_taken(send_taken), .target(target), .head({{(WIDTH - ROUTE - 16){1'b0}}, self, target}), .start(start),
        .flit(flit), .flit_data(flit_data), .tx_refused(tx_refused), .tx_done(tx_done),
        .o(out), .o_back(chosen ? o_back[3:2] : o_back[1:0])
    );
    bough_receiver #(.WIDTH(WIDTH)) receiver_0 (
        .clk(clk), .reset(reset), .rx_valid(rx_valid[0]), .rx_head(rx_head[0]), .rx_tail(rx_tail[0]),
        .rx_data(rx_data[WIDTH-1:0]), .i(i[F-1:0]), .i_back(i_back[1:0])
    );
    bough_receiver #(.WIDTH(WIDTH)) receiver_1 (
        .clk(clk), .reset(reset), .rx_valid(rx_valid[1]), .rx_head(rx_head[1]), .rx_tail(rx_tail[1]),
        .rx_data(rx_data[2*WIDTH-1:WIDTH]), .i(i[2*F-1:F]), .i_back(i_back[3:2])
    );
endmodule
