/* Parts of a network that a drawing marks: a path, or another network that is embedded in it. */
#ifndef BOUGH_REPORT_DRAWINGS_DRAWING_MARKS_H
#define BOUGH_REPORT_DRAWINGS_DRAWING_MARKS_H

#include "base/memory/arena.h"
#include "network/net.h"

typedef struct drawing_marks {
    uint64_t *link, *node; /* bit l: link l is marked; likewise nodes */
    char *caption;         /* one sentence */
    arena memory;
} drawing_marks;

/* what: FROM:TO, the names of two nodes, marks a shortest path (of several, the one of the lowest links);
 * `pruned` in a butterfly of 4^k inputs and `meshoftrees` in a pruned butterfly mark the embedded network.
 * *marks must be freed by drawing_marks_fini, also after errors. O(nodes + links). Errors: INVALID for
 * anything else, and for networks of more than DRAWING_COUNTED nodes; NO_MEMORY. */
bough_status drawing_marks_make(const bough_net *net, const char *what, drawing_marks *marks,
                                bough_error *error);
void drawing_marks_fini(drawing_marks *marks);

#endif
