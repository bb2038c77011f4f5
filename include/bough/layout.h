/* Chip layouts: a network of trees drawn on a square of silicon by the H-tree method (bay1991, sections
 * 3.1 and 4.2; Leiserson, 1985). Two halves lie side by side, turned so that their channels face each other;
 * the node that joins them stands in the strip between; its own channel leaves along the strip. A quarter
 * turn, and the whole is a half of the next step. Two layers of metal, one of horizontal and one of vertical
 * wires.
 *
 * Drawn are `fattree`, `bft`, `pruned`, `kary`, `clos` and `xgft` where every node has a power of two of
 * children, `sorting` (meshes under flexible sorters) and `meshoftrees`. What a rule leaves at 0 has the
 * default. A cable is one wire.
 *
 * Lengths are whole nanometres. Everything stands on a grid of tracks, one pitch apart: a wire is half a
 * pitch wide, in the middle of its track, and boxes are whole tracks long. */
#ifndef BOUGH_LAYOUT_H
#define BOUGH_LAYOUT_H

#include "bough/net.h"

#define BOUGH_LAYOUT_STEPS 64

typedef struct bough_layout_rules {
    uint32_t pitch_nm;    /* wires, centre to centre; a multiple of 4; 100 */
    uint32_t terminal_nm; /* side of a terminal; lg n pitches, and at least what its wires need */
    uint32_t
        switch_nm; /* side of a switch; 4 pitches, and at least what its wires need; of a line of a sorter */
    uint32_t bit_nm; /* length of a bit of a register in a sorter; 1 pitch */
    uint32_t bits;   /* of a word in a sorter; 3 lg n + ceil(lg height) + ceil(lg lg n), as `sortroute` has */
    uint32_t degree; /* messages a terminal of a sorting fat-tree may send: its sorters hold n of them; 1 */
} bough_layout_rules;

/* One step: two halves become one. Sizes in nm, as the half that it is for the next step: the channel leaves
 * northwards. Step 0 is what the leaves are: a terminal, or a mesh of them. */
typedef struct bough_layout_step {
    unsigned level;               /* of the network: of the node in the strip, or that the wires go to */
    bool joins;                   /* nodes stand in the strip; else wires only pass */
    uint64_t width_nm, height_nm; /* of the whole */
    uint64_t strip_nm;            /* of it, the strip between the halves */
    uint64_t boxes;               /* in the strip: switches, or one sorter */
    uint64_t box_width_nm, box_height_nm; /* across the strip, and along it */
    uint64_t wires;                       /* that leave */
    uint64_t wire_max_nm;                 /* longest wire that ends here, from box to box; 0: none does */
} bough_layout_step;

typedef struct bough_layout_size {
    bough_layout_rules rules; /* completed */
    unsigned steps;           /* the last one is the whole network */
    bough_layout_step step[BOUGH_LAYOUT_STEPS + 1];
    uint64_t wire_max_nm; /* longest wire; in a mesh and its channel too */
    uint64_t shapes;      /* that a drawing holds at most, and the bytes that it takes */
    uint64_t bytes;
} bough_layout_size;

/* Whether there is a layout at all; error: UNSUPPORTED with the reason. Cost O(1). */
bough_status bough_layout_known(const bough_net *net, bough_error *error);

/* Sizes alone. rules may be NULL: all defaults. Errors: UNSUPPORTED, INVALID for rules that cannot be,
 * TOO_LARGE. Cost: time and 40 bytes of memory for each wire at the root. */
bough_status bough_layout_measure(const bough_net *net, const bough_layout_rules *rules,
                                  bough_layout_size *size, bough_error *error);

/* ---- drawings ---- */

typedef enum bough_layer {
    BOUGH_LAYER_OUTLINE = 0, /* of the whole */
    BOUGH_LAYER_TERMINAL = 1,
    BOUGH_LAYER_SWITCH = 2,
    BOUGH_LAYER_SORTER = 3,
    BOUGH_LAYER_HORIZONTAL = 10, /* as seen in the whole; in a cell that is turned they change places */
    BOUGH_LAYER_VIA = 11,
    BOUGH_LAYER_VERTICAL = 12
} bough_layer;

/* A rectangle from (x0, y0) to (x1, y1), in nm; y upwards. */
typedef struct bough_layout_shape {
    int32_t x0, y0, x1, y1;
    uint8_t layer; /* bough_layer */
    uint8_t level; /* of the network: of a wire that of its lower end */
} bough_layout_shape;

/* A cell in another: mirrored at the x axis first, if at all, then turned counter-clockwise by quarters, then
 * moved. columns x rows of them, dx and dy apart. */
typedef struct bough_layout_place {
    uint32_t cell;
    uint8_t turn, mirror;
    int32_t x, y;
    uint32_t columns, rows;
    int32_t dx, dy;
} bough_layout_place;

typedef enum bough_side { BOUGH_NORTH, BOUGH_EAST, BOUGH_SOUTH, BOUGH_WEST } bough_side;

/* Where a wire meets the edge of a cell: the track, counted from the west or from the south. */
typedef struct bough_layout_port {
    uint32_t track;
    uint8_t side;
} bough_layout_port;

/* Ports: those of a subtree are the wires of its channel, from west to east. Those of a switch or sorter are
 * the wires from one half (west), as many from the other (east), those upwards (east), all from north to
 * south. */
typedef struct bough_layout_cell {
    char name[32];
    int32_t width, height;
    bough_layout_shape *shape;
    bough_layout_place *place;
    bough_layout_port *port;
    size_t shapes, places, ports;
} bough_layout_cell;

/* Cells come before those that hold them: equal subtrees are one cell, so a drawing is small. The last one is
 * the whole. */
typedef struct bough_layout {
    bough_layout_size size;
    bough_layout_cell *cell;
    uint32_t cells;
} bough_layout;

/* Draws. Errors: as measuring; TOO_LARGE, with the figure, for what does not fit in memory or is longer than
 * 2^31 nm. The drawing belongs to the caller. */
bough_status bough_layout_draw(const bough_net *net, const bough_layout_rules *rules, bough_layout **layout,
                               bough_error *error);
void bough_layout_destroy(bough_layout *layout); /* NULL is fine */

/* A shape of a cell placed at a column and row of a place, as a shape of the cell that holds it. */
bough_layout_shape bough_layout_placed(const bough_layout_place *place, uint32_t column, uint32_t row,
                                       bough_layout_shape shape);

#endif
