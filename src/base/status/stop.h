/* How the caller of a long computation ends it: by a flag. */
#ifndef BOUGH_BASE_STATUS_STOP_H
#define BOUGH_BASE_STATUS_STOP_H

#include "bough/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether it is to end. stop: may be NULL. */
static inline bool stop_asked(const atomic_bool *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* INTERRUPTED where it is to end. */
static inline bough_status stop_check(const atomic_bool *stop, bough_error *error) {
    return stop_asked(stop) ? bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted") : BOUGH_OK;
}

#endif
