/* Attributes of functions that only prefetch. GCC treats such functions as free of effects and removes their
 * calls, unless they are always inlined. */
#ifndef BOUGH_BASE_MEMORY_PREFETCH_H
#define BOUGH_BASE_MEMORY_PREFETCH_H

#define BOUGH_FETCHES static inline __attribute__((always_inline))

#endif
