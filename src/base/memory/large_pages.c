#include "base/memory/large_pages.h"

#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE (UINT64_C(2) << 20)

bough_status large_alloc(void *out, uint64_t count, uint64_t size, bough_error *error) {
    uint64_t bytes = bough_mul(count, size);
    if (bytes < LARGE_PAGE) return bough_alloc(out, count, size, error);
    void *p = NULL;
    if (bytes >= SIZE_MAX / 2 || posix_memalign(&p, LARGE_PAGE, bytes))
        return bough_fail_memory(error, bytes);
#ifdef MADV_HUGEPAGE
    (void)madvise(p, bytes & ~(LARGE_PAGE - 1), MADV_HUGEPAGE); /* a hint */
#endif
    memcpy(out, &p, sizeof p);
    return BOUGH_OK;
}
