#include "base/memory/arena.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of one large array, or of small allocations up to `used`. The arena points to the block of small
 * allocations; large ones stand behind it, in a list with both directions, as they may leave early. */
typedef struct arena_block {
    struct arena_block *before, *after;
    size_t size, used; /* of data */
    alignas(max_align_t) char data[];
} arena_block;

/* Before each array; strings have none. */
typedef struct array_head {
    alignas(max_align_t) size_t bytes; /* of the array; above SHARED: it has a block of its own */
} array_head;

#define BLOCK       ((size_t)8 << 10)
#define GROWN_LARGE (UINT64_C(64) << 20) /* check memory above this size: the final size is unknown */

/* With the sanitizer each array has its own block, so that it sees what lies beyond. */
#define SHARED ARENA_SHARED
#if defined __SANITIZE_ADDRESS__
#undef SHARED
#define SHARED 0
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#undef SHARED
#define SHARED 0
#endif
#endif

static array_head *head_of(void *array) {
    return (array_head *)array - 1;
}

static arena_block *block_of(void *array) {
    return (void *)((char *)head_of(array) - offsetof(arena_block, data));
}

/* Sets what points to a block that is new, or has moved. */
static void link_block(arena *a, arena_block *b) {
    if (b->before)
        b->before->after = b;
    else
        a->block = b;
    if (b->after) b->after->before = b;
}

/* A block of so many bytes, behind the one of small allocations or before it, in its place. */
static bough_status add_block(arena *a, uint64_t bytes, bool behind, arena_block **out, bough_error *error) {
    bough_status status = bough_alloc(out, bough_add(sizeof **out, bytes), 1, error);
    if (status) return status;
    arena_block *b = *out, *first = a->block;
    *b = (arena_block){.size = (size_t)bytes, .after = first};
    if (behind && first) {
        b->before = first;
        b->after = first->after;
    }
    link_block(a, b);
    return BOUGH_OK;
}

static bough_status take(arena *a, uint64_t bytes, size_t alignment, char **out, bough_error *error) {
    if (!a) return bough_alloc(out, bytes, 1, error);
    arena_block *b = a->block;
    const bool own = bytes > SHARED + sizeof(array_head);
    size_t at = b ? (b->used + alignment - 1) & ~(alignment - 1) : 0;
    if (own || !b || at > b->size || bytes > b->size - at) {
        bough_status status = add_block(a, own ? bytes : BLOCK, own, &b, error);
        if (status) return status;
        at = 0;
    }
    b->used = at + (size_t)bytes;
    *out = b->data + at;
    return BOUGH_OK;
}

static bough_status take_array(arena *a, void *out, uint64_t bytes, bough_error *error) {
    char *at = NULL;
    void *array = NULL;
    if (!bytes) bytes = 1; /* has a block of its own if all have */
    bough_status status = take(a, bough_add(bytes, sizeof(array_head)), alignof(max_align_t), &at, error);
    if (!status) {
        array = at + sizeof(array_head);
        head_of(array)->bytes = (size_t)bytes;
    }
    memcpy(out, &array, sizeof array);
    return status;
}

bough_status arena_alloc(arena *a, void *out, uint64_t count, uint64_t size, bough_error *error) {
    return a ? take_array(a, out, bough_mul(count, size), error) : bough_alloc(out, count, size, error);
}

bough_status arena_alloc_all(arena *a, const bough_array *array, size_t count, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count; i++)
        TRY(arena_alloc(a, array[i].slot, array[i].count, array[i].size, error));
    return status;
}

static bough_status grow_own(arena *a, void *array, uint64_t need, bough_error *error) {
    void *old;
    memcpy(&old, array, sizeof old);
    const size_t heads = sizeof(arena_block) + sizeof(array_head);
    arena_block *b = block_of(old);
    size_t capacity = sizeof *b + b->size;
    bough_status status = bough_grow(&b, &capacity, bough_add(need, heads), 1, error);
    if (status) return status;
    b->size = b->used = capacity - sizeof *b;
    link_block(a, b);
    void *grown = b->data + sizeof(array_head);
    head_of(grown)->bytes = capacity - heads;
    memcpy(array, &grown, sizeof grown);
    return BOUGH_OK;
}

bough_status arena_grow(arena *a, void *array, uint64_t need, size_t size, bough_error *error) {
    void *old, *grown = NULL;
    memcpy(&old, array, sizeof old);
    const size_t held = old ? head_of(old)->bytes : 0;
    uint64_t bytes = bough_mul(need, size);
    if (old && bytes <= held) return BOUGH_OK;
    if (held > SHARED) return grow_own(a, array, bytes, error);
    if (bytes < held + held / 2) bytes = held + held / 2;
    if (bytes < 8 * size) bytes = 8 * size;
    if (bytes >= GROWN_LARGE) {
        bough_status large = bough_memory_check(bytes, "a growing array", error);
        if (large) return large;
    }
    arena_block *b = a->block;
    if (old && (char *)old + held == b->data + b->used && bytes <= SHARED &&
        bytes - held <= b->size - b->used) { /* the last allocation */
        b->used += (size_t)bytes - held;
        head_of(old)->bytes = (size_t)bytes;
        return BOUGH_OK;
    }
    bough_status status = take_array(a, &grown, bytes, error);
    if (status) return status;
    if (old) memcpy(grown, old, held);
    memcpy(array, &grown, sizeof grown);
    return BOUGH_OK;
}

bough_status arena_copy_bytes(arena *a, char **out, const char *text, size_t length, bough_error *error) {
    *out = NULL;
    bough_status status = take(a, bough_add(length, 1), 1, out, error);
    if (!status && length) memcpy(*out, text, length);
    return status;
}

bough_status arena_copy(arena *a, char **out, const char *text, bough_error *error) {
    *out = NULL;
    return text ? arena_copy_bytes(a, out, text, strlen(text), error) : BOUGH_OK;
}

bough_status arena_printf(arena *a, char **out, bough_error *error, const char *format, ...) {
    va_list args, again;
    *out = NULL;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    bough_status status = length < 0 ? bough_fail_memory(error, 0) /* the C library ran out of memory */
                                     : take(a, (uint64_t)length + 1, 1, out, error);
    if (!status) vsnprintf(*out, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return status;
}

void arena_release(arena *a, void *array) {
    if (!a) free(array);
    if (!a || !array || head_of(array)->bytes <= SHARED) return;
    arena_block *b = block_of(array);
    if (b->after) b->after->before = b->before;
    if (b->before)
        b->before->after = b->after;
    else
        a->block = b->after;
    free(b);
}

void arena_fini(arena *a) {
    for (arena_block *b = a->block, *after; b; b = after) {
        after = b->after;
        free(b);
    }
    *a = (arena){0};
}
