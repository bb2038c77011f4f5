/* Lower bounds of valiant1982 for all routings, and for bit fixing. */
#include "loads/worst/adversary.h"

static uint64_t divide_up(unsigned __int128 a, uint64_t b) {
    return (uint64_t)((a + b - 1) / b);
}

uint64_t bough_adversary_bound(uint64_t endpoints, uint64_t degree, uint64_t links) {
    uint64_t best = 0;
    if (endpoints < 2 || links == 0) return 0;
    for (uint64_t k = 1;; k++) { /* t decreases with k: once it is below, larger k cannot help */
        uint64_t nodes = divide_up(endpoints, 1 + (k - 1) * degree);
        uint64_t t = divide_up((unsigned __int128)endpoints * (nodes - 1), links);
        uint64_t both = k < t ? k : t;
        if (both > best) best = both;
        if (t <= k) return best;
    }
}

uint64_t bough_bitfix_load(unsigned dimensions) {
    return dimensions < 2 ? 0 : UINT64_C(1) << (dimensions / 2 - 1);
}
