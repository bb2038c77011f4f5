/* A drawing of a network, as data: boxes in rows by level, lines between them. Writers (SVG here, the report
 * page elsewhere) only read it.
 *
 * A drawing has a bounded size for any network. Networks that fit a page are drawn node by node. Hosts beyond
 * DRAWING_HOSTS are merged into one box per leaf. Switches beyond DRAWING_BOXES, or rows wider than
 * DRAWING_ROW, are merged by the subtrees of some level, with all switches below it (pods), or, in networks
 * without subtrees, in blocks of consecutive numbers. A hypercube is drawn by the bits of its addresses;
 * beyond 64 nodes a box is a subcube. Networks of more than DRAWING_COUNTED nodes are not traversed node by
 * node: their boxes and lines are those on routes between some endpoints, and are not counted. */
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
    uint64_t node;              /* its first node */
    uint64_t count;             /* number of nodes; 0: not counted */
    uint64_t dead;              /* nodes without a live link out */
    unsigned level, row;        /* level: of the first node */
    double load;                /* of the most loaded link between two of its nodes; 0 without loads */
    uint64_t tree;              /* the subtree of its level that contains it, or BOUGH_NONE */
    double x, y, width, height; /* centre, in pixels, y downwards */
    bool upright;               /* the label is vertical */
    char *label, *title;        /* short text inside the box ("" if there is no space); full text */
} drawing_box;

/* All links between two boxes, both directions. */
typedef struct drawing_line {
    uint32_t from, to; /* boxes; `from` is the lower one */
    uint64_t links[2]; /* from -> to, and back; 0: none, or not counted */
    uint64_t dead;     /* number of dead links, including lost ones */
    uint64_t fullest;  /* the link with the largest load */
    double load[2];    /* of the most loaded link in each direction; 0 without loads */
    unsigned bin;      /* 0: no load; 1 .. DRAWING_BINS: equal steps up to the maximum */
    bool hot;          /* one of a few lines with the maximum load */
    bool whole;        /* all its links are dead */
    double x[2], y[2]; /* end points */
    double bend;       /* upward displacement of the middle: for boxes of one row */
    char *title;
} drawing_line;

/* A frame around boxes that form one node of the tree (strumpen2005, figure 1). */
typedef struct drawing_frame {
    double x, y, width, height; /* upper left corner */
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
    bool faults;     /* there are dead parts */
    double thin;     /* factor for line widths, at most 1 if lines are dense */
    double load_max; /* of any link, drawn or within a box */
    char *heading;   /* the spec, and the removed parts */
    char *caption;   /* meaning of boxes and loads */
} drawing;

typedef struct drawing_options {
    const bough_routing *routing; /* loads are those of all-to-all under it; NULL: no loads */
} drawing_options;

/* net: with or without faults; it must be the routing's network. *d is filled and must be freed by
 * drawing_fini, also after errors. O(nodes + links) time and 12 bytes per node, for at most DRAWING_COUNTED
 * nodes; loads cost as stated at alltoall_loads. Errors: those of alltoall_loads; NO_MEMORY. */
bough_status drawing_make(const bough_net *net, const drawing_options *options, drawing *d,
                          bough_error *error);
void drawing_fini(drawing *d);

/* Writes one SVG file without scripts, fonts or external references; deterministic. */
bough_status drawing_svg(const drawing *d, bough_text *out, bough_error *error);

/* ---- internal, shared by the files of drawings ---- */

/* True if all nodes and links of a network are traversed. */
static inline bool drawing_counts(const bough_net *net) {
    return net->nodes <= DRAWING_COUNTED && net->links <= 16 * (uint64_t)DRAWING_COUNTED;
}

/* The box of a node: nodes of one row and key share a box. */
typedef struct drawing_place_of {
    unsigned row;
    uint64_t key, tree;
} drawing_place_of;

typedef struct drawing_sharing {
    const bough_net *net;
    enum { DRAW_NODES, DRAW_HOSTS_GATHERED, DRAW_SUBTREES, DRAW_BLOCKS, DRAW_SUBCUBES } mode;
    unsigned level;      /* DRAW_SUBTREES: their level */
    unsigned shift;      /* DRAW_SUBCUBES: bits of a subcube */
    uint64_t *row_count; /* DRAW_BLOCKS: nodes of a level, and the number seen so far */
    uint64_t *row_seen;
} drawing_sharing;

/* An endpoint at or below a node, or BOUGH_NONE. */
uint64_t drawing_endpoint_below(const bough_net *net, uint64_t node);
drawing_place_of drawing_place(const drawing_sharing *s, uint64_t node);
/* The i-th way to merge nodes into boxes, finest first; *any: it exists. s is initialised or zero. */
bough_status drawing_candidate(const bough_net *net, unsigned i, drawing_sharing *s, bool *any,
                               bough_error *error);
void drawing_sharing_fini(drawing_sharing *s);

/* order: the boxes, row by row; first: start of each row, rows + 1 elements, zeroed. */
bough_status drawing_order(const bough_net *net, drawing *d, uint32_t *order, uint32_t *first,
                           bough_error *error);
/* Computes the positions of boxes, lines and frames; d->box and d->line must be filled. */
bough_status drawing_arrange(const bough_net *net, drawing *d, bough_error *error);
bough_status drawing_arrange_cube(const bough_net *net, drawing *d, bough_error *error);
/* Sets titles, labels that fit, and the size of boxes; box->width is the available space on entry. */
bough_status drawing_name(const bough_net *net, drawing *d, bough_error *error);

#endif
