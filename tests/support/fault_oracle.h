/* What faults do to a network, worked out pair by pair from the wiring and the base network's routes: slow,
 * and from nothing that src/network/faults has. */
#ifndef TESTS_SUPPORT_FAULT_ORACLE_H
#define TESTS_SUPPORT_FAULT_ORACLE_H

#include "network/faults/faults.h"

typedef struct fault_oracle {
    const bough_net *base;
    const uint64_t *dead, *cut; /* bits; cut: dead or lost */
    /* of the address that was asked last */
    uint64_t address;
    uint8_t *known, *true_way; /* per node: 1 some way of the base network's routes is left; 2 none; 0 not
                                  looked at */
    uint32_t *distance;        /* over links that are not dead */
} fault_oracle;

fault_oracle fault_oracle_make(const bough_net *base, const uint64_t *dead, const uint64_t *cut);
void fault_oracle_free(fault_oracle *o);

/* Whether the base network's routes, without dead (cut: or lost) links, lead from a node to an address. */
bool oracle_leads(fault_oracle *o, uint64_t node, uint64_t address, bool cut);
/* Links of a shortest way from a node to an address over what is not dead; UINT32_MAX: none. */
uint32_t oracle_distance(fault_oracle *o, uint64_t node, uint64_t address);

#endif
