/* When a refused message tries again. */
#include "engines/circuit/circuit_state.h"

/* 0 .. range-1; the range doubles with each attempt up to the bound. */
static uint64_t backoff_slots(const engine *e, uint32_t m, uint32_t tries) {
    uint64_t range = tries < 63 ? UINT64_C(1) << tries : e->o->bound;
    if (range > e->o->bound) range = e->o->bound;
    return bough_scale(bough_word(e->key, BOUGH_DRAW_BACKOFF, circuit_id(e, m), tries), range);
}

/* Slots that pass before one in which the message tries, which it does with probability p in each. */
static uint64_t persistent_slots(const engine *e, uint32_t m, uint32_t tries) {
    for (uint64_t slot = 0;; slot++) {
        uint64_t word = bough_word(e->key, BOUGH_DRAW_BACKOFF, circuit_id(e, m), tries | (slot + 1) << 32);
        if ((double)(word >> 11) * 0x1p-53 < e->o->p) return slot;
    }
}

uint64_t circuit_wait(const engine *e, uint32_t m, uint32_t tries) {
    uint64_t slots = 0, jitter = 0;
    if (e->o->retry == CIRCUIT_BACKOFF) slots = backoff_slots(e, m, tries);
    if (e->o->retry == CIRCUIT_PERSISTENT) slots = persistent_slots(e, m, tries);
    if (e->o->jitter)
        jitter =
            bough_scale(bough_word(e->key, BOUGH_DRAW_BACKOFF, circuit_id(e, m), tries | UINT64_C(1) << 63),
                        e->o->jitter + 1);
    return slots * e->o->slot + jitter;
}
