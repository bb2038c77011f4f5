/* Which stacks and networks of constant-size routers can be built: a search over router, unit tree and leaf
 * cluster under the limits of a package, a board and a stack (dehon1991, sections 2.2, 3.2, 4 and 5). */
#ifndef BOUGH_FABRIC_PLAN_STACK_PLAN_H
#define BOUGH_FABRIC_PLAN_STACK_PLAN_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits. Lengths in inches. bough_stack_limits_default: those of the paper. */
typedef struct bough_stack_limits {
    uint64_t hosts; /* at least so many processors, in as few stages as possible; 1 .. 2^30 */
    unsigned ports; /* wires of a processor each way */
    unsigned pins;  /* signal pins of a router's package */
    unsigned width; /* wires of a channel: 9 with RN1 */
    double board;   /* side of a stack */
    double pitch;   /* of routers on a board: 64 of them take two feet square */
    double height;  /* of a stack */
    double layer;   /* height of a layer of routers with its board: four take two inches */
    double fill;    /* the most by which the sides of a hollow cube and its top differ in area; 1: equal */
    unsigned radix, dilation; /* 0: any */
} bough_stack_limits;

extern const bough_stack_limits bough_stack_limits_default;

/* Why a design is not built; the counts of a search. */
typedef enum bough_stack_verdict {
    BOUGH_STACK_FITS,
    BOUGH_STACK_PINS,   /* the router has more pins than its package */
    BOUGH_STACK_HEIGHT, /* more layers than a stack */
    BOUGH_STACK_BOARD,  /* a layer is larger than a board */
    BOUGH_STACK_WHOLE,  /* the wires of a tree node do not fill whole unit trees */
    BOUGH_STACK_SQUARE, /* the stacks of a node, or of a side, do not form a square */
    BOUGH_STACK_FILL,   /* the sides of a cube are larger or smaller than its top */
    BOUGH_STACK_VERDICTS
} bough_stack_verdict;

typedef struct bough_stack_design {
    unsigned radix, dilation, levels; /* levels: of a unit tree */
    unsigned capacity;                /* wires of a channel at the bottom of inner unit trees */
    uint64_t leaf;                    /* processors of a leaf cluster; 1: full fat-tree */
    unsigned stages;                  /* of unit trees */
    char spec[96];                    /* "transit:n=4096" */
    char inner[32], outer[32];        /* stacks: "UT64x8"; at the processors: "UT64x2", "B192" */
    uint64_t processors, routers, stacks;
    unsigned path;       /* routers on the longest path */
    unsigned layers;     /* of the highest stack */
    double side;         /* of the largest stack, inches */
    double fill;         /* the largest ratio of sides to top, or of top to sides, of a hollow cube */
    double universality; /* growth of the channels over a unit tree, over that of a surface: 1 is universal */
    double success;      /* set by the caller, or 0: of a first attempt, for bough_stack_plan_mark */
    bool pareto;         /* no other is better in one and as good in all of: routers and stacks per processor,
                            path, success, universality of at least 1 */
} bough_stack_design;

/* Returns all designs that fit, by routers per processor. counts: designs by verdict (the first that
 * applies), may be NULL. The caller frees *designs. Errors: INVALID for limits out of range; UNSUPPORTED if
 * nothing fits, with the limit that excludes most. Cost: milliseconds. */
bough_status bough_stack_plan(const bough_stack_limits *limits, bough_stack_design **designs, size_t *count,
                              uint64_t counts[BOUGH_STACK_VERDICTS], bough_error *error);
/* Sets `pareto` of all. */
void bough_stack_plan_mark(bough_stack_design *designs, size_t count);

#endif
