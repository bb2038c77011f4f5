#include "simgrid_flows.h"

bool simgrid_flows(unsigned k, bool cross, bool full, uint32_t n, uint32_t count, const uint32_t *to,
                   const uint64_t *size, double *end, double *seconds) {
    (void)k, (void)cross, (void)full, (void)n, (void)count, (void)to, (void)size, (void)end, (void)seconds;
    return false;
}
