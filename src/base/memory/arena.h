/* Memory that ends together: what a report, a reader or a question holds. Everything is taken from one arena
 * and freed by one call, so nothing in it needs a function that frees.
 *
 *     arena memory = {0};
 *     bough_status status = arena_alloc(&memory, &node, nodes, sizeof *node, error);
 *     TRY(arena_copy(&memory, &name, text, error));
 *     arena_fini(&memory);
 *
 * Without an arena (NULL) arena_alloc, arena_copy and arena_release are bough_alloc, a copy on the heap and
 * free, for structures that may have one.
 *
 * Small allocations share blocks; large ones have a block of their own, which grows in place where it can and
 * can be given back early. Not for threads: one thread at a time uses an arena, and what comes from it. */
#ifndef BOUGH_BASE_MEMORY_ARENA_H
#define BOUGH_BASE_MEMORY_ARENA_H

#include "bough/status.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. May be moved by assignment. */
typedef struct arena {
    struct arena_block *block; /* the last one, to which small allocations go */
} arena;

/* Sets *out to count*size zeroed bytes, aligned for any type; not NULL on success, also for count 0. Errors
 * as those of bough_alloc. O(1) and the zeroing. */
bough_status arena_alloc(arena *a, void *out, uint64_t count, uint64_t size, bough_error *error);

/* Several arrays like bough_alloc_all, up to the first failure. */
struct bough_array;
bough_status arena_alloc_all(arena *a, const struct bough_array *array, size_t count, bough_error *error);

/* Makes room for at least `need` elements in *array, which is NULL or came from arena_alloc or arena_grow of
 * this arena; the arena knows its capacity. New elements are not cleared. After an error the array is as it
 * was. Amortised O(1) an element. */
bough_status arena_grow(arena *a, void *array, uint64_t need, size_t size, bough_error *error);

/* Copies a string, or its first `length` bytes; a NULL text gives NULL. */
bough_status arena_copy(arena *a, char **out, const char *text, bough_error *error);
bough_status arena_copy_bytes(arena *a, char **out, const char *text, size_t length, bough_error *error);
bough_status arena_printf(arena *a, char **out, bough_error *error, const char *format, ...)
    BOUGH_PRINTF(4, 5);

/* Gives a large array (above ARENA_SHARED bytes) back now; of a smaller one the memory stays until the end.
 * NULL is allowed. Not for strings. */
#define ARENA_SHARED 2048
void arena_release(arena *a, void *array);

/* Frees everything; the arena is empty again. */
void arena_fini(arena *a);

#endif
