#include "support/checked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

checked checked_make(const bough_routing *routing, uint64_t permutations, unsigned threads) {
    checked c = {0};
    bough_error error;
    bough_check_options o = {
        .memory = &c.memory, .seed = 1, .permutations = permutations, .threads = threads};
    if (bough_check_routing(routing, &o, &c.r, &c.findings, &error))
        fail_msg("%s: %s", routing->spec, error.reason);
    return c;
}

void checked_free(checked *c) {
    arena_fini(&c->memory);
    bough_findings_fini(&c->findings);
}
