// Router of the binary fat-tree (Strumpen and Krishnamurthy, Fig. 2). Ports a and b lead down, c and d up. Each port
// has a link in each direction:
//
//   x_i, x_o            a flit {head, tail, data}; a head carries {climb, to} in its lowest 2 LEVELS bits. climb[l]:
//                       the message goes up beyond level l; to: the destination
//   x_i_back, x_o_back  against the flits: {reject, acknowledge}. Either frees the circuit
//
// Timing. Input registers receive a head in cycle C; its output link is chosen and reserved in that cycle, and the head
// is in the input registers of the next router in cycle C + 2. A refusal leaves in cycle C. A signal on the way back
// frees the link in the cycle after it was sent, in which another head can take it, and is passed on in that cycle.
//
// coin, new in each cycle: [0] the up link of a head from a (0: c) if both are free, that from b takes the other;
// [3:1] and [6:4] the choice among heads that ask for a and for b (bough_choice).
//
// granted, refused: the inputs (bit 0: a .. bit 3: d) whose heads are decided in this cycle. held: the outputs that are
// reserved after the decision.
module bough_router #(
    parameter LEVEL  = 0,  // 0: its children are endpoints
    parameter LEVELS = 4,  // lg n
    parameter WIDTH  = 8   // data bits of a flit, at least 2 LEVELS
) (
    input                  clk,
    input                  reset,
    input      [      6:0] coin,
    input      [WIDTH+1:0] a_i, b_i, c_i, d_i,
    output     [      1:0] a_i_back, b_i_back, c_i_back, d_i_back,
    output reg [WIDTH+1:0] a_o, b_o, c_o, d_o,
    input      [      1:0] a_o_back, b_o_back, c_o_back, d_o_back,
    output     [      3:0] granted, refused, held
);
    localparam HEAD = WIDTH + 1;

    reg [WIDTH+1:0] a, b, c, d;                       // input registers
    reg [1:0] a_back, b_back, c_back, d_back;         // of the output ports
    reg ba, ca, da, ab, cb, db, ac, bc, ad, bd;       // circuits: input, output

    // What the signals on the way back leave.
    wire ba_stays = ba & ~|a_back, ca_stays = ca & ~|a_back, da_stays = da & ~|a_back;
    wire ab_stays = ab & ~|b_back, cb_stays = cb & ~|b_back, db_stays = db & ~|b_back;
    wire ac_stays = ac & ~|c_back, bc_stays = bc & ~|c_back;
    wire ad_stays = ad & ~|d_back, bd_stays = bd & ~|d_back;
    wire a_free = ~(ba_stays | ca_stays | da_stays), b_free = ~(ab_stays | cb_stays | db_stays);
    wire c_free = ~(ac_stays | bc_stays), d_free = ~(ad_stays | bd_stays);

    // Requests.
    wire a_up = a[HEAD] & a[LEVELS+LEVEL], a_turns = a[HEAD] & ~a[LEVELS+LEVEL];
    wire b_up = b[HEAD] & b[LEVELS+LEVEL], b_turns = b[HEAD] & ~b[LEVELS+LEVEL];
    wire c_left = c[HEAD] & ~c[LEVEL], c_right = c[HEAD] & c[LEVEL];
    wire d_left = d[HEAD] & ~d[LEVEL], d_right = d[HEAD] & d[LEVEL];

    // The way up. Of two heads and one free link, which cannot be in a fat-tree, the head from a would take it.
    wire a_to_c = a_up & c_free & ~(d_free & coin[0]);
    wire a_to_d = a_up & d_free & ~(c_free & ~coin[0]);
    wire b_to_c = b_up & c_free & ~(d_free & ~coin[0]) & ~a_to_c;
    wire b_to_d = b_up & d_free & ~(c_free & coin[0]) & ~a_to_d;

    // The way down.
    wire [2:0] first_a, first_b;
    bough_choice for_a (.ask({d_left, c_left, b_turns}), .coin(coin[3:1]), .first(first_a));
    bough_choice for_b (.ask({d_right, c_right, a_turns}), .coin(coin[6:4]), .first(first_b));
    wire b_to_a = a_free & first_a[0], c_to_a = a_free & first_a[1], d_to_a = a_free & first_a[2];
    wire a_to_b = b_free & first_b[0], c_to_b = b_free & first_b[1], d_to_b = b_free & first_b[2];

    wire ba_next = ba_stays | b_to_a, ca_next = ca_stays | c_to_a, da_next = da_stays | d_to_a;
    wire ab_next = ab_stays | a_to_b, cb_next = cb_stays | c_to_b, db_next = db_stays | d_to_b;
    wire ac_next = ac_stays | a_to_c, bc_next = bc_stays | b_to_c;
    wire ad_next = ad_stays | a_to_d, bd_next = bd_stays | b_to_d;

    assign granted = {d_to_a | d_to_b, c_to_a | c_to_b, b_to_a | b_to_c | b_to_d, a_to_b | a_to_c | a_to_d};
    assign refused = {d[HEAD], c[HEAD], b[HEAD], a[HEAD]} & ~granted;
    assign held = {ad_next | bd_next, ac_next | bc_next, ab_next | cb_next | db_next, ba_next | ca_next | da_next};

    // The way back: what came to the output of a circuit leaves at its input.
    assign a_i_back = {refused[0], 1'b0} | ({2{ab}} & b_back) | ({2{ac}} & c_back) | ({2{ad}} & d_back);
    assign b_i_back = {refused[1], 1'b0} | ({2{ba}} & a_back) | ({2{bc}} & c_back) | ({2{bd}} & d_back);
    assign c_i_back = {refused[2], 1'b0} | ({2{ca}} & a_back) | ({2{cb}} & b_back);
    assign d_i_back = {refused[3], 1'b0} | ({2{da}} & a_back) | ({2{db}} & b_back);

    // Crossbar. A flit without a circuit, behind a refused head, is dropped.
    localparam F = WIDTH + 2;
    wire [WIDTH+1:0] to_a = ({F{ba_next}} & b) | ({F{ca_next}} & c) | ({F{da_next}} & d);
    wire [WIDTH+1:0] to_b = ({F{ab_next}} & a) | ({F{cb_next}} & c) | ({F{db_next}} & d);
    wire [WIDTH+1:0] to_c = ({F{ac_next}} & a) | ({F{bc_next}} & b);
    wire [WIDTH+1:0] to_d = ({F{ad_next}} & a) | ({F{bd_next}} & b);

    always @(posedge clk) begin
        {a, b, c, d} <= {a_i, b_i, c_i, d_i};
        {a_o, b_o, c_o, d_o} <= {to_a, to_b, to_c, to_d};
        {a_back, b_back, c_back, d_back} <= {a_o_back, b_o_back, c_o_back, d_o_back};
        {ba, ca, da, ab, cb, db} <= {ba_next, ca_next, da_next, ab_next, cb_next, db_next};
        {ac, bc, ad, bd} <= {ac_next, bc_next, ad_next, bd_next};
        if (reset) begin
            {a[HEAD], b[HEAD], c[HEAD], d[HEAD]} <= 4'b0;
            {a_o[HEAD], b_o[HEAD], c_o[HEAD], d_o[HEAD]} <= 4'b0;
            {a_back, b_back, c_back, d_back} <= 8'b0;
            {ba, ca, da, ab, cb, db, ac, bc, ad, bd} <= 10'b0;
        end
    end
endmodule
