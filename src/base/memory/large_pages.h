/* Allocation of randomly accessed arrays on large pages if available, because address translation would
 * otherwise cost as much as the access. */
#ifndef BOUGH_BASE_MEMORY_LARGE_PAGES_H
#define BOUGH_BASE_MEMORY_LARGE_PAGES_H

#include "bough/status.h"

#include <stdint.h>

/* As bough_alloc, except that large arrays are not cleared. */
bough_status large_alloc(void *out, uint64_t count, uint64_t size, bough_error *error);

/* Asks for large pages for an array that was allocated in another way, or grew; a hint. */
void large_advise(void *array, uint64_t bytes);

#endif
