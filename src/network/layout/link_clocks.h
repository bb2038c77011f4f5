/* Wires in clocks: how many clocks of the routers a signal spends in the wire of a link, in either direction.
 * Wires are pipelined: they delay what crosses them, not the clock (dehon1991, section 6.1).
 *
 * Lengths come from the network (bough_net_ops.link_length), from its packaging, or from the H-tree layout of
 * a chip (network/layout/layout.h; every wire of a level has the longest one's length). A wire within a stack
 * of chips, and the wire of an endpoint beside its router, belong to a router's clock and take none. Any
 * other wire takes whole clocks, at least one. Where a route turns within a stack from the layer that leads
 * up to one that leads down, its link takes `lateral` clocks. */
#ifndef BOUGH_NETWORK_LAYOUT_LINK_CLOCKS_H
#define BOUGH_NETWORK_LAYOUT_LINK_CLOCKS_H

#include "network/net.h"

typedef enum link_wires {
    LINK_WIRES_LONGEST, /* every wire between stacks is the longest of its stage; of a chip, the longest */
    LINK_WIRES_LAYOUT,  /* every wire has its own length: a straight line between the middles of the facing
                           sides  of its stacks, which have thickness */
    LINK_WIRES_CUBE /* as if all stacks formed one solid cube, and wires crossed it: diagonals of the cube */
} link_wires;

typedef struct link_clock_rules {
    link_wires wires;
    uint64_t period_ps;        /* of the routers' clock, at least 1 */
    uint64_t foot_ps;          /* of a signal along a foot of wire */
    uint64_t lateral;          /* clocks of a turn within a stack */
    bough_arrangement arrange; /* of stacks; hollow cubes by default */
    double room;               /* other arrangements: area or volume over that of the stacks alone; 0: 1 */
} link_clock_rules;

/* Parameters of methods that have these rules. */
#define LINK_ARRANGE_CHOICES "hollow|plane|solid|cubes"
#define LINK_ARRANGE_TEXT                                                                                    \
    "stacks are in hollow cubes; side by side in a plane; packed in a solid block; or packed in a block, "   \
    "with a "                                                                                                \
    "cube of its volume in place of each stack"
#define LINK_ROOM_TEXT                                                                                       \
    "plane, solid, cubes: area or volume over that of the stacks alone: room for wires and air"

#define LINK_CLOCKS_MAX UINT16_MAX /* of one wire */

/* What a signal spends in a link beyond its routers. */
typedef struct link_time {
    uint32_t wire, turn; /* clocks */
} link_time;

typedef struct stack_faces {
    double top[3], bottom[3], middle[3]; /* ft */
} stack_faces;

typedef struct link_clocks {
    const bough_net *net;
    link_clock_rules rules;
    bough_cube cube[BOUGH_STAGES_MAX];
    bough_stack_block block[BOUGH_STAGES_MAX]; /* in arrangements other than hollow cubes */
    bool blocks;                               /* the lengths are those of blocks, not of cubes */
    double scale;                              /* of all lengths, by `room` */
    double solid;                              /* longest wire of the solid cube, ft */
    stack_faces *face;                         /* by stage and stack; NULL: not needed */
    uint64_t first_stack[BOUGH_STAGES_MAX];    /* of a stage in `face` */
    uint32_t *level;                           /* chips: by level of the link */
} link_clocks;

/* Errors: INVALID for an arrangement with wires=cube, or room= without one. */
bough_status link_arrangement_fits(const char *method, const link_clock_rules *rules, bool room_given,
                                   bough_error *error);
/* "stacks in a plane, room 1" */
const char *link_arrangement_text(const link_clock_rules *rules, char *buffer, size_t size);

/* Memory that link_clocks_make allocates. */
uint64_t link_clocks_bytes(const bough_net *net, const link_clock_rules *rules);
/* Borrows net. Errors: as above; INVALID for a wire of more than LINK_CLOCKS_MAX clocks; TOO_LARGE,
 * NO_MEMORY. */
bough_status link_clocks_make(const bough_net *net, const link_clock_rules *rules, link_clocks *clocks,
                              bough_error *error);
void link_clocks_fini(link_clocks *clocks);

/* wire: at most LINK_CLOCKS_MAX if the network's lengths are (link_clocks_fill checks them all). */
link_time link_clocks_of(const link_clocks *clocks, uint64_t link);
/* Fills clocks of all links, wires and turns: an array of net->links elements, which the caller owns. Errors:
 * as for link_clocks_make. */
bough_status link_clocks_fill(const bough_net *net, const link_clock_rules *rules, uint16_t *clocks,
                              bough_error *error);
/* Clocks of wires and turns on the longest route, if every wire is the longest of its stage or level (of the
 * network, if it states lengths). Errors: as for link_clocks_make. */
bough_status link_clocks_diameter(const bough_net *net, const link_clock_rules *rules, uint64_t *clocks,
                                  bough_error *error);

#endif
