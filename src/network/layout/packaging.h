/* Packaging of a network: stacks of chips, their contents, and their arrangement in hollow cubes (dehon1991,
 * sections 2.2, 3.2 and 4).
 *
 * Stage 0 consists of the stacks at the leaves. A node of stage s consists of `stacks` equal stacks, which
 * together join `nodes` nodes of the stage below, 64 in the paper. A quarter of these, a square of 4 by 4,
 * form each of the four sides of a cube, tops inward; the node's own stacks form the top of the cube. The
 * bottom is open.
 *
 * A flat network is one stage of one node: a plane of stacks, side by side, each with all layers. Its wires
 * lead from stack to stack within the plane. */
#ifndef BOUGH_NETWORK_LAYOUT_PACKAGING_H
#define BOUGH_NETWORK_LAYOUT_PACKAGING_H

#include "bough/status.h"

#include <stdint.h>

#define BOUGH_STAGES_MAX       16
#define BOUGH_CUBE_NODES       64 /* nodes of the stage below in a cube of the paper */
#define BOUGH_CUBE_BOXES       (UINT64_C(1) << 20)
#define BOUGH_STACK_LAYERS_MAX 32

/* Contents of a stack, and the channels at its bottom and top. Wires are one-way: a channel of capacity c has
 * c wires in each direction. All 0 if unknown. */
typedef struct bough_stack_inside {
    unsigned layers, up;                    /* up: the lowest of them, which lead up */
    uint64_t chips[BOUGH_STACK_LAYERS_MAX]; /* per layer, lowest first */
    uint64_t channels, channel_capacity;    /* towards the endpoints: number of subtrees, wires per channel */
    uint64_t root_capacity;                 /* the channel towards the root; 0: this is the root */
} bough_stack_inside;

/* One stage. Lengths are in feet, as in the paper. */
typedef struct bough_stack_stage {
    char name[32];          /* "UT64x8" */
    uint64_t stacks;        /* stacks per node; a square number */
    double side, thickness; /* of a stack */
    bough_stack_inside inside;
} bough_stack_stage;

typedef struct bough_packaging {
    unsigned stages; /* at least 1 */
    unsigned first;  /* lowest stage in the numbering of the paper: 0 leaf clusters, 1 unit trees */
    uint64_t nodes;  /* of the stage below in a node; 0: BOUGH_CUBE_NODES */
    bough_stack_stage stage[BOUGH_STAGES_MAX];
} bough_packaging;

/* Number of nodes of the stage below in a node. */
static inline uint64_t bough_packaging_nodes(const bough_packaging *packaging) {
    return packaging->nodes ? packaging->nodes : BOUGH_CUBE_NODES;
}
/* Number of stacks of a stage in the whole network. */
uint64_t bough_packaging_stacks(const bough_packaging *packaging, unsigned stage);

/* The cube of one stage (stage 0: the stacks alone, as a square; wire: its diagonal if there are several).
 * `side` and `wire` follow the paper: sides have no thickness, so a side is four tops (half the square root
 * of `nodes`) of the stage below long, and a wire through the hollow has at most sqrt(3) sides. The other
 * sizes include the thickness of the stacks ("slightly more than a factor of four"). */
typedef struct bough_cube {
    double side, wire; /* of the hollow */
    double built_side, built_wire;
    double width, height;        /* outer size: width x width x height */
    double volume, stack_volume; /* outer volume; volume of its stacks */
    uint64_t stacks;             /* stacks of all stages in it */
} bough_cube;

/* Computes cube[s] for s < packaging->stages. Errors: INVALID for no stages, numbers of stacks that do not
 * fill a square (or, in a single stage, their columns) or of nodes that do not fill four square sides, sides
 * that are not positive; TOO_LARGE. */
bough_status bough_hollow_cube(const bough_packaging *packaging, bough_cube *cube, bough_error *error);

/* A stack in space: y points up; the origin is in the middle of the top of the whole. */
typedef struct bough_box {
    unsigned stage;
    /* within its stage: number of its node times stacks per node, plus position in the node */
    uint64_t number;
    double centre[3], size[3];
    double up[3]; /* unit vector from the bottom of the stack to its top */
} bough_box;

/* Visits every stack of the largest cube, with thickness; stacks do not overlap. Errors: as above; TOO_LARGE
 * for more than BOUGH_CUBE_BOXES stacks. */
bough_status bough_hollow_cube_boxes(const bough_packaging *packaging,
                                     void (*visit)(void *context, const bough_box *box), void *context,
                                     bough_error *error);

/* ---- other arrangements of the same stacks ---- */

/* A node is a rectangular block: the blocks of the nodes below in a grid, with the node's own stacks in a
 * slab between two halves of the grid (at its end where it has an odd number of layers). Grids are as close
 * to a square or a cube as the factors of their numbers allow. Wires take no room. */
typedef enum bough_arrangement {
    BOUGH_ARRANGE_HOLLOW, /* hollow cubes, as above; flat networks: a plane */
    BOUGH_ARRANGE_PLANE,  /* all stacks side by side, wires in the plane */
    BOUGH_ARRANGE_SOLID,  /* all stacks packed without gaps, each lying flat */
    BOUGH_ARRANGE_CUBES   /* the same, with a cube of its volume in place of each stack */
} bough_arrangement;

/* The block of a node of one stage, in feet. */
typedef struct bough_stack_block {
    double size[3];      /* x, y (up), z; plane: y is 0 */
    double wire;         /* longest: from a node below to the node's own stacks; 0: none */
    double fill;         /* area (plane) or volume of its stacks over its own */
    uint64_t grid[3];    /* of nodes below; lowest stage: of stacks */
    unsigned axis;       /* across the slab */
    double before, slab; /* the slab's position and thickness on this axis */
    uint64_t row[3];     /* stacks of the slab along each axis */
} bough_stack_block;

/* Computes block[s] for s < packaging->stages, for an arrangement other than hollow cubes. Errors: INVALID
 * for no stages or stacks without size. */
bough_status bough_stack_blocks(const bough_packaging *packaging, bough_arrangement arrangement,
                                bough_stack_block *block, bough_error *error);
/* Visits every stack; they do not overlap. The lowest corner of the whole is the origin. Errors: as above;
 * TOO_LARGE for more than BOUGH_CUBE_BOXES stacks. */
bough_status bough_stack_block_boxes(const bough_packaging *packaging, bough_arrangement arrangement,
                                     void (*visit)(void *context, const bough_box *box), void *context,
                                     bough_error *error);

#endif
