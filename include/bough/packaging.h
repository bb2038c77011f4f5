/* Packaging of a network: stacks of chips, their contents, and their arrangement in hollow cubes (dehon1991,
 * sections 2.2, 3.2 and 4).
 *
 * Stage 0 consists of the stacks at the leaves. A node of stage s consists of `stacks` equal stacks, which
 * together join 64 nodes of the stage below. 16 of these form each of the four sides of a cube, tops inward;
 * the node's own stacks form the top of the cube. The bottom is open.
 *
 * A flat network is one stage of one node: a plane of stacks, side by side, each with all layers. Its wires
 * lead from stack to stack within the plane. */
#ifndef BOUGH_PACKAGING_H
#define BOUGH_PACKAGING_H

#include "bough/status.h"

#include <stdint.h>

#define BOUGH_STAGES_MAX       8
#define BOUGH_CUBE_NODES       64 /* nodes of the stage below in a cube */
#define BOUGH_CUBE_BOXES       (UINT64_C(1) << 20)
#define BOUGH_STACK_LAYERS_MAX 8

/* Contents of a stack, and the channels at its bottom and top. Wires are one-way: a channel of capacity c has
 * c wires in each direction. All 0 if unknown. */
typedef struct bough_stack_inside {
    unsigned layers;
    uint64_t chips[BOUGH_STACK_LAYERS_MAX]; /* per layer, lowest first */
    uint64_t channels, channel_capacity;    /* towards the endpoints: number of subtrees, wires per channel */
    uint64_t root_capacity;                 /* the channel towards the root; 0: this is the root */
} bough_stack_inside;

/* One stage. Lengths are in feet, as in the paper. */
typedef struct bough_stack_stage {
    char name[16];          /* "UT64x8" */
    uint64_t stacks;        /* stacks per node; a square number */
    double side, thickness; /* of a stack */
    bough_stack_inside inside;
} bough_stack_stage;

typedef struct bough_packaging {
    unsigned stages; /* at least 1 */
    unsigned first;  /* lowest stage in the numbering of the paper: 0 leaf clusters, 1 unit trees */
    bough_stack_stage stage[BOUGH_STAGES_MAX];
} bough_packaging;

/* Number of stacks of a stage in the whole network. */
uint64_t bough_packaging_stacks(const bough_packaging *packaging, unsigned stage);

/* The cube of one stage (stage 0: the stacks alone, as a square; wire: its diagonal if there are several).
 * `side` and `wire` follow the paper: sides have no thickness, so a side is four tops of the stage below
 * long, and a wire through the hollow has at most sqrt(3) sides. The other sizes include the thickness of the
 * stacks ("slightly more than a factor of four"). */
typedef struct bough_cube {
    double side, wire; /* of the hollow */
    double built_side, built_wire;
    double width, height;        /* outer size: width x width x height */
    double volume, stack_volume; /* outer volume; volume of its stacks */
    uint64_t stacks;             /* stacks of all stages in it */
} bough_cube;

/* Computes cube[s] for s < packaging->stages. Errors: INVALID for no stages, numbers of stacks that do not
 * fill a square (or, in a single stage, their columns), sides that are not positive; TOO_LARGE. */
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

#endif
