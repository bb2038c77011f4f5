/* A network with faults: the network it is made from, whose data and operations it shares, with routes of its
 * own. It begins with the bough_net that others see, which points to its report. */
#ifndef BOUGH_NETWORK_FAULTS_FAULTY_NETWORK_H
#define BOUGH_NETWORK_FAULTS_FAULTY_NETWORK_H

#include "network/faults/fault_marks.h"
#include "network/faults/faulty_routes.h"
#include "network/faults/reachability.h"
#include "network/faults/remaining_links.h"

extern const bough_fault_kind bough_fault_parts;

/* Cables that a channel has lost, sorted. */
typedef struct lost_cables {
    uint64_t *channel; /* subtree << 8 | level */
    uint64_t count;
} lost_cables;

typedef struct faulted {
    bough_net net;
    const bough_net *base;
    bough_net_ops ops;
    bough_fault_report report;
    uint64_t *dead, *lost, *cut; /* cut: either */
    choices choices;             /* which links of a group are left, for which addresses */
    reach known, truth; /* who comes where: by what is dead; by what is lost too, where anything is */
    ways ways;          /* where groups have no scopes, in place of these */
    lost_cables cables;
} faulted;

/* Takes the bits of marks over. spec is copied; NULL: none. */
bough_status faulted_make(bough_fault_marks *marks, const char *spec, bough_net **net, bough_error *error);

#endif
