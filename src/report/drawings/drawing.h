/* A drawing of a network, as data: boxes in rows by level, lines between them. Both writers, SVG here and the
 * report page (report/pages/fabric_page_network.c), only read it.
 *
 * The layout is computed here only: merging nodes into boxes (drawing_merge.c), the order of boxes in their
 * rows (drawing_order.c), positions (drawing_arrange.c) and labels (drawing_labels.c). All thresholds are in
 * drawing_limits: drawing_on_page for a picture of one size, drawing_zoomable for one that can be enlarged,
 * where only hosts are merged. The report page receives rows, positions from 0 to 1 and labels, and does what
 * depends on its window: pixels, zoom, colour by load, and which labels fit.
 *
 * A drawing has a bounded size for any network. Nodes are merged until it is within its limits: first hosts,
 * into one box per leaf; then switches, by the subtrees of some level, with all switches below it (pods), or,
 * in networks without subtrees, in blocks of consecutive numbers. A hypercube is drawn by the bits of its
 * addresses; beyond 64 nodes a box is a subcube. Networks of more than DRAWING_COUNTED nodes are not
 * traversed node by node: their boxes and lines are those on routes between some endpoints, and are not
 * counted. */
#ifndef BOUGH_REPORT_DRAWINGS_DRAWING_H
#define BOUGH_REPORT_DRAWINGS_DRAWING_H

#include "base/text/text.h"
#include "report/drawings/drawing_marks.h"
#include "routing/routing.h"

enum {
    DRAWING_COUNTED = 1 << 20,
    DRAWING_BINS = 5, /* classes of load */
};

/* hosts: boxes of single hosts in a row; boxes_per_row: of any kind. */
typedef struct drawing_limits {
    uint32_t hosts, boxes_per_row, rows, boxes, lines;
} drawing_limits;

extern const drawing_limits drawing_on_page, drawing_zoomable;

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
    double slot;                /* width that is free for it in its row */
    char *label;                /* "" if it has none */
    bool fits, upright;         /* the label fits the box; it is vertical */
    bool marked;                /* one of its nodes is */
} drawing_box;

/* All links between two boxes, both directions. */
typedef struct drawing_line {
    uint32_t from, to;    /* boxes; `from` is the lower one */
    uint64_t links[2];    /* from -> to, and back; 0: none, or not counted */
    uint64_t dead;        /* number of dead links, including lost ones */
    uint64_t most_loaded; /* the link with the largest load */
    double load[2];       /* of the most loaded link in each direction; 0 without loads */
    unsigned bin;         /* 0: no load; 1 .. DRAWING_BINS: equal steps up to the maximum */
    bool hot;             /* one of a few lines with the maximum load */
    bool whole;           /* all its links are dead */
    bool marked;          /* one of its links is */
    double x[2], y[2];    /* end points */
    double bend;          /* upward displacement of the middle: for boxes of one row */
} drawing_line;

/* A frame around boxes that form one node of the tree (strumpen2005, figure 1). */
typedef struct drawing_frame {
    uint32_t first, last;       /* boxes: from the left one to the right one */
    double x, y, width, height; /* upper left corner */
} drawing_frame;

typedef struct drawing {
    const bough_net *net;
    drawing_box *box;
    drawing_line *line;
    drawing_frame *frame;
    uint32_t *box_of; /* per node; NULL if not counted */
    size_t boxes, lines, frames;
    size_t frame_capacity;
    unsigned rows;
    double width, height;            /* of the page */
    double left, right, top, bottom; /* box centres are within; top and bottom: placed only */
    bool loads, expected, counted;
    bool placed;       /* boxes have places in both directions, not rows */
    bool depths;       /* rows are distances from the middle, not levels: see drawing_depths.c */
    bool faults;       /* there are dead parts */
    bool marks;        /* parts are marked */
    double thin;       /* factor for line widths, at most 1 if lines are dense */
    double load_max;   /* of any link, drawn or within a box */
    double load_scale; /* the load of the strongest colour: load_max, or that of drawings beside this one */
    char *heading;     /* the spec, and the removed parts */
    char *merged;      /* a sentence about merged nodes; "" if every node has a box */
    char *caption;     /* meaning of boxes and loads */
} drawing;

typedef struct drawing_options {
    const bough_routing *routing; /* loads are those of all-to-all under it; NULL: no loads, or these: */
    const double *load; /* per link, of all-to-all; borrowed; left out beyond DRAWING_COUNTED nodes */
    double scale;       /* at least: load_scale; the same for drawings that are compared */
    bool expected;      /* they are expected values */
    const drawing_limits *limits; /* NULL: drawing_on_page */
    const drawing_marks *marks;   /* of the same network; borrowed; NULL: none */
} drawing_options;

/* net: with or without faults; it must be the routing's network, and outlive *d. *d is filled and must be
 * freed by drawing_fini, also after errors. O(nodes + links) time and 12 bytes per node, for at most
 * DRAWING_COUNTED nodes, and O(lines log lines); loads cost as stated at alltoall_loads. Errors: those of
 * alltoall_loads; TOO_LARGE if the network has more levels than rows; NO_MEMORY. */
bough_status drawing_make(const bough_net *net, const drawing_options *options, drawing *d,
                          bough_error *error);
void drawing_fini(drawing *d);

/* Writes one SVG file without scripts, fonts or external references; deterministic. */
bough_status drawing_svg(const drawing *d, bough_text *out, bough_error *error);
/* The same as an element of an HTML page: without heading, ground and style, which web/src/page.css has for
 * elements of class "net". */
bough_status drawing_svg_inline(const drawing *d, bough_text *out, bough_error *error);

/* ---- internal, shared by the files of drawings ---- */

/* True if all nodes and links of a network are traversed. */
static inline bool drawing_counts(const bough_net *net) {
    return net->nodes <= DRAWING_COUNTED && net->links <= 16 * (uint64_t)DRAWING_COUNTED;
}

#define DRAWING_NO_DEPTH INT32_MAX

/* A rule that merges nodes into boxes. */
typedef struct drawing_merge {
    const bough_net *net;
    enum {
        MERGE_NOTHING,
        MERGE_HOSTS,
        MERGE_SUBTREES,
        MERGE_BLOCKS,
        MERGE_SUBCUBES,
        MERGE_GRID,
        MERGE_DEPTHS
    } mode;
    unsigned level;      /* MERGE_SUBTREES: their level */
    unsigned shift;      /* MERGE_SUBCUBES: bits of a subcube */
    uint32_t *depth;     /* MERGE_DEPTHS: of a switch, from the middle; DRAWING_NO_DEPTH: no switch */
    unsigned deepest;    /* MERGE_DEPTHS: the largest depth */
    uint64_t *row_count; /* MERGE_BLOCKS: nodes of a level, and the number seen so far */
    uint64_t *row_seen;
} drawing_merge;

/* The box of a node: nodes of one row and key share a box. */
typedef struct drawing_key {
    unsigned row;
    uint64_t key, tree;
} drawing_key;

/* The i-th rule for a network, finest first; *any: it exists. m is initialised or zero. */
bough_status drawing_merge_init(drawing_merge *m, const bough_net *net, unsigned i, bool *any,
                                bough_error *error);
/* The rule for irregular fabrics, which comes before all others; *any: the network is one. */
bough_status drawing_merge_depths(drawing_merge *m, const bough_net *net, bool *any, bough_error *error);
void drawing_merge_fini(drawing_merge *m);
drawing_key drawing_merge_key(const drawing_merge *m, uint64_t node);

/* The boxes row by row from the bottom, and the boxes that lines lead to; first[row], near_first[box]: start
 * of a list. */
typedef struct drawing_rows {
    uint32_t *order, *first;
    uint32_t *near, *near_first;
} drawing_rows;

/* Of a box in a tree; arrays per box. */
typedef struct drawing_leaves {
    double *weight, *left, *next; /* next: of the child to be placed */
    uint32_t *parent;
} drawing_leaves;

static inline uint32_t drawing_row_size(const drawing_rows *r, unsigned row) {
    return r->first[row + 1] - r->first[row];
}

/* Sorts `order` within its rows; *r must be set. */
bough_status drawing_order(const drawing *d, drawing_rows *r, bough_error *error);
/* Computes the positions of boxes, lines and frames; d->box and d->line must be filled. */
bough_status drawing_arrange(drawing *d, bough_error *error);
bough_status drawing_arrange_places(drawing *d, bough_error *error);
/* Whether a network is a mesh or torus that is drawn as a grid; the row of a node in its drawing. */
bool drawing_is_grid(const bough_net *base);
uint64_t drawing_grid_row(const bough_net *base, uint64_t node);
/* Where endpoints forward messages, a node is one box, with its port. */
static inline const bough_net *drawing_base(const bough_net *net) {
    return net->ports ? net->ports : net;
}
static inline uint64_t drawing_base_node(const bough_net *net, uint64_t node) {
    return net->ports && node >= net->endpoints ? node - net->endpoints : node;
}
/* Sets the weight of every box, the leaves that are below it, and its place among all leaves: a tree of which
 * every box has a neighbour in a higher row as its parent. Returns the number of leaves; arrays per box. */
double drawing_place_tree(const drawing *d, const drawing_rows *r, drawing_leaves *leaves);
/* Sets labels, and the sizes of boxes that depend on them; box->slot must be set. */
bough_status drawing_label(drawing *d, bough_error *error);

#endif
