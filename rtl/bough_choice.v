// Which of three heads gets a link that all may want. coin[0] decides between two heads, coin[2:1] (0, 1 or 2; 3 counts
// as 2) among three; both number the heads that ask, the lowest bit of `ask` first.
module bough_choice (
    input  [2:0] ask,
    input  [2:0] coin,
    output [2:0] first
);
    wire two = coin[0];
    wire all = &ask;
    assign first[0] = ask[0] & (all ? coin[2:1] == 2'd0 : ~two | ~(ask[1] | ask[2]));
    assign first[1] = ask[1] & (all ? coin[2:1] == 2'd1 : ask[0] ? two : ~two | ~ask[2]);
    assign first[2] = ask[2] & (all ? coin[2] : two | ~(ask[0] | ask[1]));
endmodule
