/* Networks without chosen links. */
#ifndef TESTS_SUPPORT_FAULTY_NETS_H
#define TESTS_SUPPORT_FAULTY_NETS_H

#include "network/faults/faults.h"

/* Link l is dead if bit l of dead is set, lost if bit l of lost is set. Both may be NULL. */
typedef struct fault_bits {
    const uint64_t *dead, *lost;
    bool rerouted;
} fault_bits;

/* As bough_net_with_faults with these faults, of which any number is accepted. */
bough_net *net_without(const bough_net *base, fault_bits bits);

#endif
