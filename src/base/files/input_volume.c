#include "base/files/input_volume.h"

#include "base/files/input.h"
#include "base/memory/memory.h"

#include <inttypes.h>

/* Large files of real text have ratios of at most about 200. Larger ratios indicate files made to exhaust
 * memory. */
#define EXPANDS_LARGE (UINT64_C(256) << 20)
#define EXPANDS_MOST  250

bough_status input_ratio_check(const input_volume *all, const char *name, bough_error *error) {
    if (all->plain <= EXPANDS_LARGE || all->plain / EXPANDS_MOST < all->packed) return BOUGH_OK;
    return bough_fail(error, BOUGH_TOO_LARGE, name,
                      "expands to more than %d times its size: %" PRIu64 " bytes so far became %" PRIu64
                      "; if this is intended, uncompress it and use that file",
                      EXPANDS_MOST, all->packed, all->plain);
}

bough_status input_volume_check(const input_volume *all, const char *name, bough_error *error) {
    char have[32], half[32];
    if (all->plain > BOUGH_INPUT_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, name,
                          "exceeds, together with preceding files, the limit of 4 GiB uncompressed");
    if (all->plain <= EXPANDS_LARGE || all->plain <= all->packed) return BOUGH_OK;
    bough_status status = input_ratio_check(all, name, error);
    uint64_t memory = bough_memory_limit();
    if (status || all->plain <= memory / 2) return status;
    return bough_fail(
        error, BOUGH_TOO_LARGE, name,
        "expands to more than %s, half of the memory of this machine (%s); if this is intended, "
        "uncompress it and use that file",
        bough_format_bytes(memory / 2, half, sizeof half), bough_format_bytes(memory, have, sizeof have));
}
