/* Chip layouts of trees on a square of silicon by the H-tree method (bay1991, sections 3.1 and 4.2;
 * Leiserson, 1985). Two halves are placed side by side, turned so that their channels face each other. The
 * node that joins them is placed in the strip between them, and its channel leaves along the strip. Turned by
 * 90 degrees, the whole is a half of the next step. There are two metal layers, one of horizontal and one of
 * vertical wires.
 *
 * Supported families: `fattree`, `bft`, `pruned`, `kary`, `clos` and `xgft` if the number of children of
 * every node is a power of two, `sorting` (meshes under flexible sorters) and `meshoftrees`. Rules that are 0
 * have their defaults. A cable is one wire.
 *
 * Lengths are integers in nanometres. Everything is aligned to a grid of tracks, one pitch apart. A wire is
 * half a pitch wide and centred in its track. Boxes are whole tracks long. */
#ifndef BOUGH_NETWORK_LAYOUT_LAYOUT_H
#define BOUGH_NETWORK_LAYOUT_LAYOUT_H

#include "network/net.h"
#include "network/sorting_hardware/sorter.h"

#define BOUGH_LAYOUT_STEPS 64

typedef struct bough_layout_rules {
    uint32_t pitch_nm;    /* distance of wire centres; a multiple of 4; default 100 */
    uint32_t terminal_nm; /* side of a terminal; default lg n pitches; at least the space for its wires */
    /* Side of a switch, or of one line of a sorter; default 4 pitches; at least the space for its
     * wires. */
    uint32_t switch_nm;
    uint32_t bit_nm; /* length of one register bit in a sorter; default 1 pitch */
    /* Bits per word in a sorter; default 3 lg n + ceil(lg height) + ceil(lg lg n), as in `sortroute`. */
    uint32_t bits;
    uint32_t degree; /* messages per terminal of a sorting fat-tree: sorters have capacity n times this;
                        default 1 */
    /* The sorters of a sorting fat-tree: as Figure 4 draws them, with the control registers of every
     * permutation of Columnsort, or with the area of Theorem 2, all constants 1, which has none. */
    bool formula;
    /* The sorting circuit in them as the network that sortroute:engine=bits runs
     * (network/sorting_hardware/sorting_circuit.h), instead of Lemma 9 with constant 1. */
    bool circuit;
    /* The circuits of section 3.2, for the pruned butterfly: bits of a record and of a counter, and records
     * in the priority queue of a leaf. record_bits = 0: not included. */
    uint32_t record_bits, counter_bits, queue;
} bough_layout_rules;

/* One step: two halves are joined. Sizes in nm, oriented as a half of the next step: the channel leaves to
 * the north. Step 0 is a leaf: a terminal, or a mesh of terminals. */
typedef struct bough_layout_step {
    /* level, in the network, of the node in the strip or of the node to which the wires lead */
    unsigned level;
    bool joins;                           /* the strip contains nodes; otherwise only wires */
    uint64_t width_nm, height_nm;         /* of the whole */
    uint64_t strip_nm;                    /* width of the strip between the halves */
    uint64_t boxes;                       /* boxes in the strip: switches, or one sorter */
    uint64_t box_width_nm, box_height_nm; /* across and along the strip */
    uint64_t wires;                       /* wires of the outgoing channel */
    uint64_t wire_max_nm;                 /* longest wire that ends here, from box to box; 0: none */
} bough_layout_step;

typedef struct bough_layout_size {
    bough_layout_rules rules; /* with defaults filled in */
    bough_sorter sorter;      /* at the root of a sorting fat-tree; lines 0: none */
    unsigned steps;           /* the last step is the whole network */
    bough_layout_step step[BOUGH_LAYOUT_STEPS + 1];
    uint64_t wire_max_nm; /* longest wire, including meshes and their channels */
    uint64_t shapes;      /* maximum number of shapes in a drawing, and its memory */
    uint64_t bytes;
} bough_layout_size;

/* Checks whether the network has a layout. Errors: UNSUPPORTED with the reason. O(1). */
bough_status bough_layout_known(const bough_net *net, bough_error *error);

/* Computes sizes only. rules may be NULL (all defaults). Errors: UNSUPPORTED, INVALID for impossible rules,
 * TOO_LARGE. Cost: O(1) time and 40 bytes of memory per wire at the root. */
bough_status bough_layout_measure(const bough_net *net, const bough_layout_rules *rules,
                                  bough_layout_size *size, bough_error *error);

/* ---- drawings ---- */

typedef enum bough_layer {
    BOUGH_LAYER_OUTLINE = 0, /* outline of the whole */
    BOUGH_LAYER_TERMINAL = 1,
    BOUGH_LAYER_SWITCH = 2,
    BOUGH_LAYER_SORTER = 3,
    BOUGH_LAYER_HORIZONTAL =
        10, /* in the coordinates of the whole; turned cells exchange the two directions */
    BOUGH_LAYER_VIA = 11,
    BOUGH_LAYER_VERTICAL = 12
} bough_layer;

/* A rectangle from (x0, y0) to (x1, y1), in nm; y points up. */
typedef struct bough_layout_shape {
    int32_t x0, y0, x1, y1;
    uint8_t layer; /* bough_layer */
    uint8_t level; /* level in the network; of a wire: that of its lower end */
} bough_layout_shape;

/* An instance of a cell within another: optionally mirrored at the x axis, then turned counter-clockwise in
 * quarter turns, then moved. It may be an array of columns x rows with spacings dx and dy. */
typedef struct bough_layout_place {
    uint32_t cell;
    uint8_t turn, mirror;
    int32_t x, y;
    uint32_t columns, rows;
    int32_t dx, dy;
} bough_layout_place;

typedef enum bough_side { BOUGH_NORTH, BOUGH_EAST, BOUGH_SOUTH, BOUGH_WEST } bough_side;

/* Position of a wire at the edge of a cell: its track, counted from the west or from the south. */
typedef struct bough_layout_port {
    uint32_t track;
    uint8_t side;
} bough_layout_port;

/* A cell. Ports of a subtree: the wires of its channel, from west to east. Ports of a switch or sorter: the
 * wires of one half (west), of the other half (east), and of the channel upwards (east), each from north to
 * south. */
typedef struct bough_layout_cell {
    char name[32];
    int32_t width, height;
    bough_layout_shape *shape;
    bough_layout_place *place;
    bough_layout_port *port;
    size_t shapes, places, ports;
} bough_layout_cell;

/* Cells precede the cells that contain them. Equal subtrees share one cell, so drawings are small. The last
 * cell is the whole. */
typedef struct bough_layout {
    bough_layout_size size;
    bough_layout_cell *cell;
    uint32_t cells;
} bough_layout;

/* Draws a layout; the caller owns it. Errors: as bough_layout_measure; TOO_LARGE with the size if it does not
 * fit in memory or is longer than 2^31 nm. */
bough_status bough_layout_draw(const bough_net *net, const bough_layout_rules *rules, bough_layout **layout,
                               bough_error *error);
void bough_layout_destroy(bough_layout *layout); /* NULL is allowed */

/* Transforms a shape of a cell, in the given column and row of an instance, to the coordinates of the
 * containing cell. */
bough_layout_shape bough_layout_placed(const bough_layout_place *place, uint32_t column, uint32_t row,
                                       bough_layout_shape shape);

#endif
