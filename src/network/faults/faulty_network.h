/* A network with faults. It shares the data and operations of its base network, but has its own routes. Its
 * first member is the public bough_net, whose report identifies it. */
#ifndef BOUGH_NETWORK_FAULTS_FAULTY_NETWORK_H
#define BOUGH_NETWORK_FAULTS_FAULTY_NETWORK_H

#include "network/faults/fault_marks.h"
#include "network/faults/faulty_routes.h"
#include "network/faults/reachability.h"
#include "network/faults/remaining_links.h"

extern const bough_fault_kind bough_fault_parts;

/* Cables lost per channel, sorted. */
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
    uint32_t *rate, *compute;    /* of slow parts; NULL: none */
    bough_speeds speeds;
    choices choices; /* the remaining links of groups, by address */
    /* reachability over known dead links; over dead and lost links, if there are lost ones */
    reach known, truth;
    faulty_routes routes; /* instead of these, if groups have no covered ranges */
    lost_cables cables;
} faulted;

/* Takes ownership of the bits of marks. spec is copied; NULL: none. */
bough_status faulted_make(bough_fault_marks *marks, const char *spec, bough_net **net, bough_error *error);

#endif
