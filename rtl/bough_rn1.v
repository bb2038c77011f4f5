// Router RN1 (DeHon, section 2.1): four directions with DILATION equivalent outputs each. INPUTS = 8 and DILATION = 2 are the
// 4 x 4 crossbar of dilation two, 4 and 1 one half of the dual crossbar. Timing and signals are those of bough_router.
//
// A head asks for the direction in its lowest two bits, and leaves with its lowest ROUTE bits shifted by two. Output
// DILATION d + j is link j of direction d.
//
// coin, new in each cycle, 43 bits per direction: [0] the link of a head from an even input if both are free (odd: the
// other); then for each number k = 2 .. 8 of heads, if they are more than the free links, three bits each: which of them,
// numbered by input, is the first to get a link, and which the second.
module bough_rn1 #(
    parameter INPUTS   = 8,
    parameter DILATION = 2,
    parameter WIDTH    = 16,
    parameter ROUTE    = 8
) (
    input                                   clk,
    input                                   reset,
    input      [                     171:0] coin,
    input      [     INPUTS*(WIDTH+2)-1:0] i,
    output     [             2*INPUTS-1:0] i_back,
    output reg [ 4*DILATION*(WIDTH+2)-1:0] o,
    input      [           8*DILATION-1:0] o_back,
    output     [               INPUTS-1:0] granted, refused,
    output     [           4*DILATION-1:0] held
);
    localparam F = WIDTH + 2, OUTPUTS = 4 * DILATION;

    reg [INPUTS*F-1:0] in;
    reg [2*OUTPUTS-1:0] back;
    reg [OUTPUTS*INPUTS-1:0] circuit;  // [output * INPUTS + input]

    reg [OUTPUTS*INPUTS-1:0] stays, next;
    reg [OUTPUTS-1:0] is_free, is_held;
    reg [INPUTS-1:0] head, ask, got;
    reg [INPUTS*F-1:0] moved;
    reg [OUTPUTS*F-1:0] to_o;
    reg [2*INPUTS-1:0] to_back;
    reg [42:0] c;
    reg [3:0] count, first, second;
    reg [3:0] rank [0:INPUTS-1];
    reg both, one, face;
    integer d, p, q;

    always @* begin
        for (q = 0; q < OUTPUTS; q = q + 1) begin
            stays[q*INPUTS+:INPUTS] = circuit[q*INPUTS+:INPUTS] & {INPUTS{~|back[2*q+:2]}};
            is_free[q] = ~|stays[q*INPUTS+:INPUTS];
        end
        for (p = 0; p < INPUTS; p = p + 1) begin
            head[p] = in[p*F+WIDTH+1];
            moved[p*F+:F] = in[p*F+:F];
            if (head[p]) moved[p*F+:ROUTE] = {2'b0, in[p*F+2+:ROUTE-2]};
        end
        next = stays;
        got = {INPUTS{1'b0}};
        for (d = 0; d < 4; d = d + 1) begin
            c = coin[43*d+:43];
            count = 4'd0;
            for (p = 0; p < INPUTS; p = p + 1) begin
                ask[p] = head[p] & (in[p*F+:2] == d[1:0]);
                rank[p] = count;
                count = count + {3'b0, ask[p]};
            end
            both = DILATION == 2 && is_free[d*DILATION] && is_free[d*DILATION+DILATION-1];
            one = is_free[d*DILATION] | is_free[d*DILATION+DILATION-1];
            first = 4'd0;
            second = 4'd1;
            for (q = 2; q <= INPUTS; q = q + 1)
                if (count == q[3:0] && (q > 2 || !both)) begin
                    first = {1'b0, c[6*q-11+:3]};
                    second = {1'b0, c[6*q-8+:3]};
                end
            face = ~is_free[d*DILATION];  // of the first
            for (p = 0; p < INPUTS; p = p + 1)
                if (ask[p] && one && rank[p] == first) begin
                    if (both) face = c[0] ^ p[0];
                    got[p] = 1'b1;
                end
            for (p = 0; p < INPUTS; p = p + 1) begin
                if (ask[p] && one && rank[p] == first) begin
                    if (DILATION == 1 || !face) next[d*DILATION*INPUTS+p] = 1'b1;
                    else next[(d*DILATION+DILATION-1)*INPUTS+p] = 1'b1;
                end
                if (ask[p] && both && rank[p] == second) begin
                    got[p] = 1'b1;
                    if (face) next[d*DILATION*INPUTS+p] = 1'b1;
                    else next[(d*DILATION+DILATION-1)*INPUTS+p] = 1'b1;
                end
            end
        end
        to_o = {OUTPUTS*F{1'b0}};
        for (q = 0; q < OUTPUTS; q = q + 1) begin
            is_held[q] = |next[q*INPUTS+:INPUTS];
            for (p = 0; p < INPUTS; p = p + 1) to_o[q*F+:F] = to_o[q*F+:F] | ({F{next[q*INPUTS+p]}} & moved[p*F+:F]);
        end
        for (p = 0; p < INPUTS; p = p + 1) begin
            to_back[2*p+:2] = {head[p] & ~got[p], 1'b0};
            for (q = 0; q < OUTPUTS; q = q + 1)
                to_back[2*p+:2] = to_back[2*p+:2] | ({2{circuit[q*INPUTS+p]}} & back[2*q+:2]);
        end
    end
    assign i_back = to_back;
    assign granted = got;
    assign refused = head & ~got;
    assign held = is_held;

    always @(posedge clk) begin
        in <= i;
        o <= to_o;
        back <= o_back;
        circuit <= next;
        if (reset) begin
            for (p = 0; p < INPUTS; p = p + 1) in[p*F+WIDTH+1] <= 1'b0;
            for (q = 0; q < OUTPUTS; q = q + 1) o[q*F+WIDTH+1] <= 1'b0;
            back <= {2*OUTPUTS{1'b0}};
            circuit <= {OUTPUTS*INPUTS{1'b0}};
        end
    end
endmodule
