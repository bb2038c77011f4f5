// Interface of an endpoint to the binary fat-tree. It sends one message at a time and receives one at a time, both
// independently. A message is a head and `payload` flits behind it; a refused message is sent again.
//
// Sending. The processor offers a message by `send` and the destination `send_to` until `send_taken`. In each cycle it
// supplies flit number `flit` (1 .. payload; 0: none asked for) at flit_data; flits of a refused message are asked for
// again. tx_refused and tx_done last one cycle each: a refusal is in the register, an acknowledgement on the link. So the
// time from the tail to the acknowledgement is one cycle per router, as the engine counts.
//
// retry: when a refused message starts again.
//   0  immediately: the head follows the refusal on the link without a cycle between
//   1  in rounds: in cycles with `go`, which is the AND of `quiet` of all interfaces; new messages wait for it as well
//   2  after a back-off of `slot` cycles times the lowest k bits of `draw`, a random number that must be there in the
//      cycle of the refusal; k is the number of refusals of the message so far, at most 10
// retry, slot and payload are constant while messages are under way.
//
// Receiving. rx_valid, rx_head, rx_tail, rx_data: the flit in the input register. The acknowledgement leaves in the
// cycle of the tail.
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
    output reg [ COUNT-1:0] flit,
    input      [ WIDTH-1:0] flit_data,
    output                  tx_refused, tx_done,

    output                  rx_valid, rx_head, rx_tail,
    output     [ WIDTH-1:0] rx_data,

    output     [ WIDTH+1:0] o,
    input      [       1:0] o_back,
    input      [ WIDTH+1:0] i,
    output     [       1:0] i_back
);
    localparam ROUND = 2'd1, BACKOFF = 2'd2;

    reg rejected;                // received
    reg has, flying;             // a message; an attempt of it is under way
    reg [LEVELS-1:0] to;
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
    wire start = fresh | (again & may_start & (retry != BACKOFF | waited));
    assign send_taken = fresh;

    // climb[l]: source and destination differ in a bit above l.
    wire [LEVELS-1:0] target = open ? send_to : to;
    wire [LEVELS-1:0] differ = self ^ target;
    reg [LEVELS-1:0] climb;
    integer l;
    always @* begin
        climb[LEVELS-1] = 1'b0;
        for (l = LEVELS - 2; l >= 0; l = l - 1) climb[l] = climb[l+1] | differ[l+1];
    end

    wire [WIDTH-1:0] head = {{(WIDTH - 2 * LEVELS){1'b0}}, climb, target};
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

    // Receiving.
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
