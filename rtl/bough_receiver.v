// Receives messages from one link. rx_valid, rx_head, rx_tail, rx_data: the flit in the input register. The acknowledgement
// leaves in the cycle of the tail.
module bough_receiver #(
    parameter WIDTH = 8
) (
    input              clk,
    input              reset,
    output             rx_valid, rx_head, rx_tail,
    output [WIDTH-1:0] rx_data,
    input  [WIDTH+1:0] i,
    output [      1:0] i_back
);
    reg [WIDTH+1:0] in;
    reg receiving;
    assign rx_head = in[WIDTH+1];
    assign rx_valid = rx_head | receiving;
    assign rx_tail = rx_valid & in[WIDTH];
    assign rx_data = in[WIDTH-1:0];
    assign i_back = {1'b0, rx_tail};
    always @(posedge clk) begin
        in <= i;
        receiving <= rx_valid & ~rx_tail & ~reset;
        if (reset) in[WIDTH+1] <= 1'b0;
    end
endmodule
