/* How a network is packaged: stacks of chips, what is in one, and how they are arranged in hollow cubes
 * (dehon1991, sections 2.2, 3.2 and 4).
 *
 * Stage 0 are the stacks at the leaves. A node of stage s stands for `stacks` equal stacks, which together
 * join 64 nodes of the stage below: 16 of them, tops inward, on each of the four sides of a cube, and its own
 * stacks on the cube's top. The bottom stays open. */
#ifndef BOUGH_PACKAGING_H
#define BOUGH_PACKAGING_H

#include "bough/status.h"

#include <stdint.h>

#define BOUGH_STAGES_MAX       8
#define BOUGH_CUBE_NODES       64 /* of the stage below in a cube */
#define BOUGH_CUBE_BOXES       (UINT64_C(1) << 20)
#define BOUGH_STACK_LAYERS_MAX 8

/* What a stack is made of, and the channels at its bottom and top. Wires are one-way: a channel of capacity c
 * has c wires up and as many down. All 0 where it is not known. */
typedef struct bough_stack_inside {
    unsigned layers;
    uint64_t chips[BOUGH_STACK_LAYERS_MAX]; /* of a layer, the lowest first */
    uint64_t channels, channel_capacity;    /* towards the endpoints: how many subtrees, wires of each */
    uint64_t root_capacity;                 /* the channel towards the root; 0: nothing is above */
} bough_stack_inside;

/* Lengths in feet, the paper's unit. */
typedef struct bough_stack_stage {
    char name[16];          /* "UT64x8" */
    uint64_t stacks;        /* of one node; a square number */
    double side, thickness; /* of a stack */
    bough_stack_inside inside;
} bough_stack_stage;

typedef struct bough_packaging {
    unsigned stages; /* at least 1 */
    unsigned first;  /* what the paper calls the lowest: 0 leaf clusters, 1 unit trees */
    bough_stack_stage stage[BOUGH_STAGES_MAX];
} bough_packaging;

/* Stacks of a stage in the whole network. */
uint64_t bough_packaging_stacks(const bough_packaging *packaging, unsigned stage);

/* A cube of one stage (stage 0: the stacks alone, as a square). `side` and `wire` are the paper's: the
 * sides have no thickness, so a side is four tops of the stage below long, and a wire through the hollow at
 * most sqrt(3) sides. The others have the stacks as thick as they are ("slightly more than a factor of
 * four"). */
typedef struct bough_cube {
    double side, wire; /* of the hollow */
    double built_side, built_wire;
    double width, height;        /* of the whole: width x width x height */
    double volume, stack_volume; /* of the whole; of the stacks in it */
    uint64_t stacks;             /* in it, of all stages */
} bough_cube;

/* cube[s] for s < packaging->stages. Errors: INVALID for no stages, stacks that are no square number, sides
 * that are not positive; TOO_LARGE. */
bough_status bough_hollow_cube(const bough_packaging *packaging, bough_cube *cube, bough_error *error);

/* A stack in space: y is up, the origin in the middle of the top of the whole. */
typedef struct bough_box {
    unsigned stage;
    uint64_t number; /* through its stage: that of its node, times stacks of a node, plus its own */
    double centre[3], size[3];
} bough_box;

/* Visits every stack of the largest cube, as built: no two overlap. Errors: as above; TOO_LARGE for more than
 * BOUGH_CUBE_BOXES. */
bough_status bough_hollow_cube_boxes(const bough_packaging *packaging,
                                     void (*visit)(void *context, const bough_box *box), void *context,
                                     bough_error *error);

#endif
