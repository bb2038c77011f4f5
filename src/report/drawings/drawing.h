/* A network as a picture, as data: boxes in rows by level, lines between them. Writers (SVG here, the report
 * page elsewhere) only read it.
 *
 * A picture is bounded whatever the size of the network. What a page holds is drawn node by node. Hosts
 * beyond DRAWING_HOSTS are gathered under their leaf. Switches beyond DRAWING_BOXES, or rows wider than
 * DRAWING_ROW, are put together by the subtrees of some level, with all switches below it (pods), or, where
 * a network has none, in blocks of consecutive numbers. A hypercube is drawn by the bits of its addresses;
 * beyond 64 nodes a box is a subcube. Networks of more than DRAWING_COUNTED nodes are not looked at node by
 * node: their boxes and lines are those that routes between some endpoints pass, and are not counted. */
#ifndef BOUGH_REPORT_DRAWINGS_DRAWING_H
#define BOUGH_REPORT_DRAWINGS_DRAWING_H

#include "base/text/text.h"
#include "bough/routing.h"

enum {
    DRAWING_HOSTS = 128,
    DRAWING_ROW = 128,
    DRAWING_ROWS = 256,
    DRAWING_BOXES = 512,
    DRAWING_LINES = 4096,
    DRAWING_COUNTED = 1 << 20,
    DRAWING_BINS = 5, /* classes of load */
};

typedef enum drawing_kind { DRAWING_HOST, DRAWING_SWITCH, DRAWING_BOTH } drawing_kind;

typedef struct drawing_box {
    drawing_kind kind;
    uint64_t node;              /* the first of its nodes */
    uint64_t count;             /* nodes; 0: not counted */
    uint64_t dead;              /* of them: no link that leaves them is alive */
    unsigned level, row;        /* level: of the first */
    double load;                /* of the fullest link between two of its nodes; 0 without loads */
    uint64_t tree;              /* the subtree of its level that it is in, or BOUGH_NONE */
    double x, y, width, height; /* the middle, in pixels, y downwards */
    bool upright;               /* the label stands on end */
    char *label, *title; /* short, for inside the box ("" where there is no room); what there is to say */
} drawing_box;

/* All links between two boxes, both directions. */
typedef struct drawing_line {
    uint32_t from, to; /* boxes; from is the lower one */
    uint64_t links[2]; /* from -> to, and back; 0: none, or not counted */
    uint64_t dead;     /* of them, lost ones too */
    uint64_t fullest;  /* the link with the largest load */
    double load[2];    /* of the fullest one in each direction; 0 without loads */
    unsigned bin;      /* 0: no load; 1 .. DRAWING_BINS: in equal steps up to the largest */
    bool hot;          /* one of a few that are as full as the fullest */
    bool whole;        /* all its links are dead */
    double x[2], y[2]; /* ends */
    double bend;       /* of the middle, upwards: between boxes of one row */
    char *title;
} drawing_line;

/* A frame around boxes that are one node of the tree (strumpen2005, figure 1). */
typedef struct drawing_frame {
    double x, y, width, height; /* the upper left corner */
} drawing_frame;

typedef struct drawing {
    drawing_box *box;
    drawing_line *line;
    drawing_frame *frame;
    size_t boxes, lines, frames;
    size_t box_room, line_room, frame_room;
    unsigned rows;
    double width, height; /* of the page */
    bool loads, expected, gathered, counted, cube;
    bool faults;     /* something is dead */
    double thin;     /* what widths of lines are multiplied with, 1 or less, as many stand close together */
    double load_max; /* of any link, drawn or within a box */
    char *heading;   /* the spec, and what was taken from it */
    char *caption;   /* what the boxes are; what the loads are */
} drawing;

typedef struct drawing_options {
    const bough_routing *routing; /* loads of all-to-all under it; NULL: no loads */
} drawing_options;

/* net: with faults or not; the routing's network is net. *d is filled, and to be given to drawing_fini, also
 * after errors. O(nodes + links) time and 12 bytes a node, at most for DRAWING_COUNTED nodes; loads cost what
 * alltoall_loads says. Errors: those of alltoall_loads; NO_MEMORY. */
bough_status drawing_make(const bough_net *net, const drawing_options *options, drawing *d,
                          bough_error *error);
void drawing_fini(drawing *d);

/* One SVG file: no scripts, no fonts, nothing of elsewhere; the same bytes for the same drawing. */
bough_status drawing_svg(const drawing *d, bough_text *out, bough_error *error);

/* ---- between the files that make one ---- */

/* Whether all nodes and links of a network are looked at. */
static inline bool drawing_counts(const bough_net *net) {
    return net->nodes <= DRAWING_COUNTED && net->links <= 16 * (uint64_t)DRAWING_COUNTED;
}

/* Which box a node goes to: nodes of one row and key share one. */
typedef struct drawing_place_of {
    unsigned row;
    uint64_t key, tree;
} drawing_place_of;

typedef struct drawing_sharing {
    const bough_net *net;
    enum { DRAW_NODES, DRAW_HOSTS_GATHERED, DRAW_SUBTREES, DRAW_BLOCKS, DRAW_SUBCUBES } mode;
    unsigned level;      /* DRAW_SUBTREES: their level */
    unsigned shift;      /* DRAW_SUBCUBES: bits of a subcube */
    uint64_t *row_count; /* DRAW_BLOCKS: nodes of a level, and how many were seen so far */
    uint64_t *row_seen;
} drawing_sharing;

/* An endpoint at or below a node, or BOUGH_NONE. */
uint64_t drawing_endpoint_below(const bough_net *net, uint64_t node);
drawing_place_of drawing_place(const drawing_sharing *s, uint64_t node);
/* The i-th way to share boxes, the finest first; *any: there is one. s is initialised or zero. */
bough_status drawing_candidate(const bough_net *net, unsigned i, drawing_sharing *s, bool *any,
                               bough_error *error);
void drawing_sharing_fini(drawing_sharing *s);

/* order: the boxes, row by row; first: of each row in it, rows + 1, zeroed. */
bough_status drawing_order(const bough_net *net, drawing *d, uint32_t *order, uint32_t *first,
                           bough_error *error);
/* Gives boxes, lines and frames their places; d->box and d->line are there. */
bough_status drawing_arrange(const bough_net *net, drawing *d, bough_error *error);
bough_status drawing_arrange_cube(const bough_net *net, drawing *d, bough_error *error);
/* Titles; labels where they fit; from box->width, the room there is, the box's own size. */
bough_status drawing_name(const bough_net *net, drawing *d, bough_error *error);

#endif
