// Sends the messages of an endpoint, one at a time. A message is a head and `payload` flits behind it; a refused message
// is sent again.
//
// The processor offers a message by `send` and its address `send_to` until `send_taken`. `target` is the address of
// the head that may start in this cycle, and `head` what such a head carries. In each cycle the processor supplies flit number
// `flit` (1 .. payload; 0: none asked for) at flit_data; flits of a refused message are asked for again. tx_refused and
// tx_done last one cycle each: a refusal is in the register, an acknowledgement on the link. So the time from the tail
// to the acknowledgement is one cycle per router, as the engine counts. `start`: a head leaves in this cycle.
//
// retry: when a refused message starts again.
//   0  immediately: the head follows the refusal on the link without a cycle between
//   1  in rounds: in cycles with `go`, which is the AND of `quiet` of all interfaces; new messages wait for it as well
//   2  after a back-off of `slot` cycles times the lowest k bits of `draw`, a random number that must be there in the
//      cycle of the refusal; k is the number of refusals of the message so far, at most 10
// retry, slot and payload are constant while messages are under way.
module bough_sender #(
    parameter ADDRESS = 4,
    parameter WIDTH   = 8,
    parameter COUNT   = 16  // bits of slot and payload
) (
    input                    clk,
    input                    reset,
    input      [        1:0] retry,
    input      [  COUNT-1:0] slot, payload,
    input                    go,
    input      [        9:0] draw,
    output                   quiet,

    input                    send,
    input      [ADDRESS-1:0] send_to,
    output                   send_taken,
    output     [ADDRESS-1:0] target,
    input      [  WIDTH-1:0] head,
    output                   start,
    output reg [  COUNT-1:0] flit,
    input      [  WIDTH-1:0] flit_data,
    output                   tx_refused, tx_done,

    output     [  WIDTH+1:0] o,
    input      [        1:0] o_back
);
    localparam ROUND = 2'd1, BACKOFF = 2'd2;

    reg rejected;                // received
    reg has, flying;             // a message; an attempt of it is under way
    reg [ADDRESS-1:0] to;
    reg [9:0] range, slots;      // range: ones for the bits of a draw that count
    reg [COUNT-1:0] cycles;      // left of this slot; slots: further ones

    assign tx_refused = flying & rejected;
    assign tx_done = flying & o_back[0];
    assign quiet = ~flying | tx_refused | tx_done;

    // A new message, or an old one again.
    wire open = ~has | tx_done;
    wire again = has & ~tx_done & (tx_refused | ~flying);
    wire [9:0] next_range = {range[8:0], 1'b1};
    wire [9:0] drawn = draw & next_range;
    wire waited = tx_refused ? drawn == 10'd0 : slots == 10'd0 && cycles == {COUNT{1'b0}};
    wire may_start = retry != ROUND | go;
    wire fresh = send & open & may_start;
    assign start = fresh | (again & may_start & (retry != BACKOFF | waited));
    assign send_taken = fresh;

    assign target = open ? send_to : to;

    wire ends = start ? payload == {COUNT{1'b0}} : flit != {COUNT{1'b0}} && flit == payload;
    assign o = {start, ends, start ? head : flit_data};

    always @(posedge clk) begin
        rejected <= o_back[1];
        has <= fresh | (has & ~tx_done);
        flying <= start | (flying & ~tx_refused & ~tx_done);
        if (fresh) to <= send_to;
        if (fresh) range <= 10'd0;
        else if (tx_refused) range <= next_range;

        if (start) flit <= {{(COUNT - 1) {1'b0}}, ~ends};
        else if (ends | tx_refused) flit <= {COUNT{1'b0}};
        else if (flit != {COUNT{1'b0}}) flit <= flit + 1'b1;

        if (tx_refused) begin
            slots <= drawn - 10'd1;
            cycles <= slot - 1'b1;
        end else if (cycles != {COUNT{1'b0}}) begin
            cycles <= cycles - 1'b1;
        end else begin
            slots <= slots - 10'd1;
            cycles <= slot - 1'b1;
        end

        if (reset) begin
            rejected <= 1'b0;
            has <= 1'b0;
            flying <= 1'b0;
            flit <= {COUNT{1'b0}};
        end
    end
endmodule
