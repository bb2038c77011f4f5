#include "support/faulty_nets.h"

#include "network/faults/faulty_network.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

bough_net *net_without(const bough_net *base, fault_bits bits) {
    bough_fault_marks m;
    bough_net *net;
    bough_error error;
    if (marks_make(&m, base, &error)) fail_msg("%s", error.reason);
    for (uint64_t w = 0; w < words_for(base->links); w++) {
        m.dead[w] = bits.dead ? bits.dead[w] : 0;
        m.lost[w] = (bits.lost ? bits.lost[w] : 0) & ~m.dead[w];
    }
    m.rerouted = bits.rerouted;
    if (faulted_make(&m, NULL, &net, &error)) fail_msg("%s", error.reason);
    marks_fini(&m);
    return net;
}
