/* The hash of files beyond 1 MiB: words in four lanes, against a second implementation, however the file is
 * cut into parts. */
#include "base/memory/fnv1a.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTEWISE = 1 << 20, BEYOND = 300 };

static uint64_t step(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* Word i belongs to lane i % 4; whole turns of four words only, the rest is hashed by bytes at the end. */
static uint64_t expected(uint64_t bytewise, const unsigned char *beyond, size_t size) {
    const size_t turns = size / 32;
    for (unsigned lane = 0; lane < 4 && size; lane++) {
        uint64_t hash = 0;
        for (size_t turn = 0; turn < turns; turn++) {
            uint64_t word = 0;
            for (unsigned byte = 8; byte-- > 0;) word = word << 8 | beyond[32 * turn + 8 * lane + byte];
            hash = step(hash, word);
        }
        bytewise = step(bytewise, hash);
    }
    for (size_t i = 32 * turns; i < size; i++) bytewise = (bytewise ^ beyond[i]) * UINT64_C(1099511628211);
    return bytewise;
}

static void lanes_are_those_of_the_definition(void **state) {
    (void)state;
    char *bytes = malloc(BYTEWISE + BEYOND);
    assert_non_null(bytes);
    for (size_t i = 0; i < BYTEWISE + BEYOND; i++) bytes[i] = (char)(i * 2654435761u >> 13);
    const unsigned char *beyond = (const unsigned char *)bytes + BYTEWISE;
    file_hash start = FILE_HASH_START(BOUGH_FNV1A_START);
    file_hash_add(&start, bytes, BYTEWISE - 10);
    const uint64_t bytewise = bough_fnv1a(start.hash, bytes + BYTEWISE - 10, 10);
    for (size_t size = 0; size <= BEYOND; size++)
        for (size_t part = 1; part < 80; part += 13) {
            file_hash h = start;
            for (size_t at = BYTEWISE - 10; at < BYTEWISE + size; at += part)
                file_hash_add(&h, bytes + at, part < BYTEWISE + size - at ? part : BYTEWISE + size - at);
            if (file_hash_end(&h) != expected(bytewise, beyond, size))
                fail_msg("%zu bytes beyond, in parts of %zu", size, part);
        }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
