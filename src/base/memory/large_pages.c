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
    large_advise(p, bytes);
    memcpy(out, &p, sizeof p);
    return BOUGH_OK;
}

void large_advise(void *array, uint64_t bytes) {
    uint64_t skip = (LARGE_PAGE - (uintptr_t)array % LARGE_PAGE) % LARGE_PAGE; /* to the first whole page */
    if (bytes < skip + LARGE_PAGE) return;
#ifdef MADV_HUGEPAGE
    (void)madvise((char *)array + skip, (bytes - skip) & ~(LARGE_PAGE - 1), MADV_HUGEPAGE);
#endif
}
