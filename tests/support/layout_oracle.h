/* What is wrong with a drawing, found from its rectangles alone: a design-rule check, and what is connected
 * to what by touching metal. It knows nothing of H-trees. */
#ifndef BOUGH_TESTS_LAYOUT_ORACLE_H
#define BOUGH_TESTS_LAYOUT_ORACLE_H

#include "network/layout/layout.h"

/* A rectangle, or a port of something: a spot on an edge that a wire must touch. */
typedef struct drawn {
    bough_layout_shape shape; /* layer DRAWN_PORT: a port, 2 nm square about its point */
    uint8_t side;             /* of a port, as placed */
    uint32_t step;            /* what the rectangle or port belongs to: a box of this step, */
    uint64_t subtree, box;    /* in this subtree, from the north; or */
    uint32_t number;          /* the port's number there */
} drawn;

#define DRAWN_PORT 200
#define DRAWN_HALF 201 /* the outline of a half that stays closed */

typedef struct drawing {
    drawn *item;
    size_t count, capacity;
} drawing;

/* All of the layout, down to terminals and boxes. */
drawing drawing_flat(const bough_layout *layout);
/* One cell; what it holds is closed: outlines (boxes as what they are), and ports. Ports of place p have
 * step = p (for a stack: box from the north); the cell's own have step = UINT32_MAX. */
drawing drawing_of_cell(const bough_layout *layout, uint32_t cell);
void drawing_free(drawing *d);

/* Fails the test, with the place, unless: metal of one layer does not overlap, and is half a pitch away from
 * that of other nets; no metal is in a box; boxes do not overlap; all is within width x height; a via
 * joins one wire of each metal; every net that has metal has two ports. partner[i]: the item that port i is
 * connected to, or SIZE_MAX; net[i]: items of one net have the same. */
typedef struct connections {
    size_t *partner, *net;
} connections;

connections drawing_check(const drawing *d, uint32_t pitch, int32_t width, int32_t height, const char *name);
void connections_free(connections *c);

#endif
