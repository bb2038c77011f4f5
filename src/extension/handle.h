/* Objects of bough.h that recognise use after their destruction. Their first member is a handle. In builds
 * with BOUGH_KEEP_HANDLES (debug) a destroyed object keeps its memory, so that this is certain; in others it
 * is likely. */
#ifndef BOUGH_EXTENSION_HANDLE_H
#define BOUGH_EXTENSION_HANDLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define HANDLE_ALIVE UINT32_C(0x62677561)
#define HANDLE_DEAD  UINT32_C(0xdead6267)

typedef struct handle {
    volatile uint32_t word; /* volatile: what is written before free() is written */
} handle;

static inline bool handle_alive(const void *object) {
    return object && ((const handle *)object)->word == HANDLE_ALIVE;
}

/* Frees an object of which all else is freed. */
static inline void handle_free(void *object) {
    ((handle *)object)->word = HANDLE_DEAD;
#ifndef BOUGH_KEEP_HANDLES
    free(object);
#endif
}

#endif
