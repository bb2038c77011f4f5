/* Faults: a network without some of its chips and links.
 *
 * A spec names what dies: `chips:share=5%`, `links:share=1%,key=7`, `name:s2.3/1`, several joined by +. What
 * a kind draws depends on its name, its key and nothing else, and a smaller share is a part of a larger one
 * of the same key, so that curves over a share are nested. mode= says who knows: masked    the neighbours do:
 * links into what died are switched off and never eligible; a head may still come to a switch that has no way
 * on, and is refused there blind     nobody does: heads take such links as before, and are lost there
 *   rerouted  everybody does: the routes are those that are left, and none leads where there is no way on
 * Where several faults are joined, routes are rerouted around all that is known if any of them says so.
 *
 * How routes are found anew. A network that gives the scopes of its groups keeps its own routes, and each
 * group notes which of its links still lead to which subtrees, and which subtrees nobody outside can enter:
 * one pass from the endpoints up and one from the roots down, over what is affected only. Memory and time
 * grow with what died, and with the groups beside and below it; never with switches times endpoints. Other
 * networks (imported fabrics) take all shortest ways over what is left: O(switches x leaf switches x ports),
 * 4 bytes for each switch and leaf switch; where they leave by links of several groups, those of the largest
 * are taken. */
#ifndef BOUGH_FAULTS_H
#define BOUGH_FAULTS_H

#include "bough/net.h"

typedef struct bough_fault_marks bough_fault_marks; /* what has been found dead so far */

typedef struct bough_fault_kind {
    const char *name, *summary, *source;
    const bough_param *params;
    bough_status (*mark)(const bough_args *args, bough_fault_marks *marks, bough_error *error);
} bough_fault_kind;

/* Ends with NULL. Where a network has parts (bough_net.parts), their plurals are kinds too, with the
 * parameters of the kind that is called `parts` here. */
extern const bough_fault_kind *const bough_fault_kinds[];

/* What was taken from a network, in net->faults. */
struct bough_fault_report {
    const bough_net *base;                   /* the network as it was */
    char *spec;                              /* canonical; NULL: made from bits */
    uint64_t chips, switches, links, cables; /* dead, known or not; cables: without one direction, or both */
    uint64_t lost;                           /* links that lead nowhere without anybody knowing */
    uint64_t endpoints;                      /* that cannot send, or cannot be sent to */
    bool rerouted;
    uint64_t bytes; /* of memory, beside the network's own */
};

/* base without what spec names; "none": nothing is. The network has the ids of base, borrows it, and is to be
 * destroyed before it; where nothing died it is the same in all else. Gifts that faults break are not given
 * (even spreading, labels); where routes are found anew by shortest ways, ranks only if they still ascend.
 * Cost: see above. Errors: INVALID for shares out of range, unknown kinds and names (with the nearest), kinds
 * that a network does not have, faults that leave nothing of what they are drawn from, or no endpoint that
 * can send; TOO_LARGE from 2^32 links on. */
bough_status bough_net_with_faults(const bough_net *base, const char *spec, bough_net **net,
                                   bough_error *error);

/* The same for bits: link l is dead where bit l of dead is set, lost where it is set in lost (both may be
 * NULL and are copied). Nothing is refused for being too much. */
typedef struct bough_fault_bits {
    const uint64_t *dead, *lost;
    bool rerouted;
} bough_fault_bits;
bough_status bough_net_without(const bough_net *base, const bough_fault_bits *bits, bough_net **net,
                               bough_error *error);

/* Several specs as one: "a+b"; heap. NULL where there are none, or memory ran out (*status says). */
char *bough_faults_join(const char *const *spec, size_t count, bough_status *status);

#endif
