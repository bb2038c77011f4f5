#include "papers/bay1991/sidetrack_steps.h"

#include "network/families/pruned_shape.h"

static uint64_t ceil_lg(uint64_t n) {
    return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

void sidetrack_steps(const sidetrack_machine *m, unsigned peak, uint64_t steps[SIDETRACK_OPERATIONS]) {
    const uint64_t L = m->lg_leaves, b = m->body, c = m->counter, q = peak - 1;
    const uint64_t d = m->top == SIDETRACK_PEAK ? peak : q, v = pruned_lg_vertices((unsigned)d);
    const uint64_t record = b + L + ceil_lg(L), places = UINT64_C(1) << (2 * v - q);
    const uint64_t alone = d ? 2 - d % 2 : 0;
#define X(id, of, formula, text) steps[SIDETRACK_OP_##id] = formula;
    SIDETRACK_OPERATION_MAP(X)
#undef X
}

bool sidetrack_in_passes(sidetrack_operation operation) {
    enum { STAGE, PASS };
#define X(id, of, formula, text) of,
    static const unsigned char in[] = {SIDETRACK_OPERATION_MAP(X)};
#undef X
    return in[operation] == PASS;
}

static uint64_t sum_of(const uint64_t steps[SIDETRACK_OPERATIONS], bool in_passes) {
    uint64_t sum = 0;
    for (int o = 0; o < SIDETRACK_OPERATIONS; o++)
        if (sidetrack_in_passes((sidetrack_operation)o) == in_passes) sum += steps[o];
    return sum;
}

uint64_t sidetrack_partition_steps(const uint64_t steps[SIDETRACK_OPERATIONS]) {
    return sum_of(steps, false);
}

uint64_t sidetrack_pass_steps(const uint64_t steps[SIDETRACK_OPERATIONS]) {
    return sum_of(steps, true);
}
