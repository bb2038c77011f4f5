/* Functions that only ask for memory in advance. GCC takes such a function for one without effects and drops
 * its calls, unless they are inlined at once. */
#ifndef BOUGH_BASE_MEMORY_PREFETCH_H
#define BOUGH_BASE_MEMORY_PREFETCH_H

#define BOUGH_FETCHES static inline __attribute__((always_inline))

#endif
