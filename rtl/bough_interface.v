// Interface of an endpoint to the binary fat-tree. It sends one message at a time (bough_sender) and receives one at a time
// (bough_receiver), both independently.
module bough_interface #(
    parameter LEVELS = 4,
    parameter WIDTH  = 8,
    parameter COUNT  = 16  // bits of slot and payload
) (
    input                   clk,
    input                   reset,
    input      [LEVELS-1:0] self,
    input      [       1:0] retry,
    input      [ COUNT-1:0] slot, payload,
    input                   go,
    input      [       9:0] draw,
    output                  quiet,

    input                   send,
    input      [LEVELS-1:0] send_to,
    output                  send_taken,
    output     [ COUNT-1:0] flit,
    input      [ WIDTH-1:0] flit_data,
    output                  tx_refused, tx_done,

    output                  rx_valid, rx_head, rx_tail,
    output     [ WIDTH-1:0] rx_data,

    output     [ WIDTH+1:0] o,
    input      [       1:0] o_back,
    input      [ WIDTH+1:0] i,
    output     [       1:0] i_back
);
    // climb[l]: source and destination differ in a bit above l.
    wire [LEVELS-1:0] target;
    wire [LEVELS-1:0] differ = self ^ target;
    reg [LEVELS-1:0] climb;
    integer l;
    always @* begin
        climb[LEVELS-1] = 1'b0;
        for (l = LEVELS - 2; l >= 0; l = l - 1) climb[l] = climb[l+1] | differ[l+1];
    end
    wire [WIDTH-1:0] head = {{(WIDTH - 2 * LEVELS){1'b0}}, climb, target};

    bough_sender #(.ADDRESS(LEVELS), .WIDTH(WIDTH), .COUNT(COUNT)) sender (
        .clk(clk), .reset(reset), .retry(retry), .slot(slot), .payload(payload), .go(go), .draw(draw), .quiet(quiet),
        .send(send), .send_to(send_to), .send_taken(send_taken), .target(target), .head(head), .start(),
        .flit(flit), .flit_data(flit_data), .tx_refused(tx_refused), .tx_done(tx_done), .o(o), .o_back(o_back)
    );
    bough_receiver #(.WIDTH(WIDTH)) receiver (
        .clk(clk), .reset(reset), .rx_valid(rx_valid), .rx_head(rx_head), .rx_tail(rx_tail), .rx_data(rx_data),
        .i(i), .i_back(i_back)
    );
endmodule
