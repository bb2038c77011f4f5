/* The H-tree in units of tracks: its steps and their sizes. Internal to the layout.
 *
 * A half is a rectangle whose wires leave to the north, wire k in column place[k], ascending. In the strip of
 * the next step it lies on its side: wire k enters from the west at row place[k] from the top. The other half
 * is the mirror image, and its wires enter from the east in the same rows. Rows are counted from the top.
 *
 *     | half | pass | fan | boxes | up | fan | pass | half |
 *
 * Wires of the step's kind end in the boxes, `down` neighbours in one box. Rows of boxes are further apart
 * than wires: those in between change rows in the columns of a fan. Wires of another kind pass: each turns
 * north in its own column. A step without boxes has no fan, and one field of columns for the wires of both
 * halves: `group` wires of one half alternate with `group` wires of the other, so that wires for one box stay
 * neighbours. */
#ifndef BOUGH_NETWORK_LAYOUT_HTREE_H
#define BOUGH_NETWORK_LAYOUT_HTREE_H

#include "network/layout/layout.h"

#define HTREE_STRAIGHT  UINT64_MAX
#define HTREE_WIRES_MAX (UINT64_C(1) << 27) /* at a root */

typedef struct htree_step {
    unsigned level;
    uint64_t boxes, down, up; /* wires per box: up, and down to each half */
    uint64_t across, along;   /* size of a box, in tracks */
    uint64_t skip;            /* rows of a box above its wires */
    uint64_t group;           /* if boxes == 0 */
    unsigned kind;            /* kind of the wires that end in boxes */
    bool sorter;
} htree_step;

typedef struct htree_shape {
    uint64_t terminal; /* side in tracks */
    uint64_t mesh;     /* terminals on a side of a mesh; 1: leaves are terminals */
    uint64_t wires;    /* of a leaf */
    unsigned kinds;    /* kinds of wires: wire k of a leaf has kind k % kinds */
    unsigned steps;
    htree_step step[BOUGH_LAYOUT_STEPS];
    bough_sorter sorter; /* at the root of a sorting fat-tree */
} htree_shape;

/* Computes the steps of a network; completes rules. Errors: UNSUPPORTED, INVALID, TOO_LARGE. */
bough_status htree_shape_of(const bough_net *net, bough_layout_rules *rules, htree_shape *shape,
                            bough_error *error);

/* A half. length[k]: length of wire k so far, from its box, in half tracks. */
typedef struct htree_half {
    uint64_t width, height, wires;
    uint64_t *place, *length;
    uint8_t *kind, *level; /* level, in the network, of the origin of the wire */
} htree_half;

/* Arrangement of a step in tracks; columns count from the west end of the strip. */
typedef struct htree_strip {
    uint64_t width;                 /* of the strip */
    uint64_t half_top;              /* first row of the halves */
    uint64_t box_top;               /* first row of the first box */
    uint64_t passing;               /* passing wires per half; columns of a pass field */
    uint64_t fan;                   /* columns of a fan */
    uint64_t box_column, up_column; /* first column of the boxes, of their upward wires */
    uint64_t longest;               /* of the wires that end here, in half tracks */
    uint64_t *target;               /* wire k of a half: its row at the box, or its column if it passes */
    uint64_t *column;               /* fan column in which it changes rows; HTREE_STRAIGHT: none */
} htree_strip;

/* Creates a leaf as the half of the first step. */
bough_status htree_leaf(const htree_shape *shape, htree_half *half, bough_error *error);
/* Computes the step after half. */
bough_status htree_join(const htree_step *step, const htree_half *half, htree_strip *strip, htree_half *whole,
                        bough_error *error);
void htree_half_fini(htree_half *half);
void htree_strip_fini(htree_strip *strip);

/* The row of the first wire of a box from a half; upward wires are `down` rows below. */
static inline uint64_t htree_wire_row(const htree_strip *strip, const htree_step *step, uint64_t box) {
    return strip->box_top + box * step->along + step->skip;
}
static inline bool htree_ends(const htree_step *step, const htree_half *half, uint64_t wire) {
    return step->boxes && half->kind[wire] == step->kind;
}

#endif
