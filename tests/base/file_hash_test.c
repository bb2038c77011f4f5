/* The hash of files beyond 1 MiB: sections of words in four lanes, against a second implementation, however
 * the file is cut into parts. */
#include "base/memory/fnv1a.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTEWISE = 1 << 20, SECTION = 1 << 17, BEYOND = SECTION + 300 };

static uint64_t step(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* Word i belongs to lane i % 4; whole turns of four words only, the rest is hashed by bytes at the end. */
static uint64_t of_section(const unsigned char *bytes, size_t size) {
    const size_t turns = size / 32;
    uint64_t section = 0;
    for (unsigned lane = 0; lane < 4; lane++) {
        uint64_t hash = BOUGH_FNV1A_START;
        for (size_t turn = 0; turn < turns; turn++) {
            uint64_t word = 0;
            for (unsigned byte = 8; byte-- > 0;) word = word << 8 | bytes[32 * turn + 8 * lane + byte];
            hash = step(hash, word);
        }
        section = step(section, hash);
    }
    for (size_t i = 32 * turns; i < size; i++) section = (section ^ bytes[i]) * UINT64_C(1099511628211);
    return section;
}

static uint64_t expected(uint64_t hash, const unsigned char *beyond, size_t size) {
    for (size_t at = 0; at < size; at += SECTION)
        hash = step(hash, of_section(beyond + at, size - at < SECTION ? size - at : SECTION));
    return hash;
}

/* 1 MiB + BEYOND bytes. */
static char *make_bytes(void) {
    char *bytes = malloc(BYTEWISE + BEYOND);
    assert_non_null(bytes);
    for (size_t i = 0; i < BYTEWISE + BEYOND; i++) bytes[i] = (char)(i * 2654435761u >> 13);
    return bytes;
}

static void check_parts(const char *bytes, const file_hash *start, size_t size, size_t part) {
    const uint64_t bytewise = bough_fnv1a(start->hash, bytes + BYTEWISE - 10, 10);
    file_hash h = *start;
    for (size_t at = BYTEWISE - 10; at < BYTEWISE + size; at += part)
        file_hash_add(&h, bytes + at, part < BYTEWISE + size - at ? part : BYTEWISE + size - at);
    if (file_hash_end(&h) != expected(bytewise, (const unsigned char *)bytes + BYTEWISE, size))
        fail_msg("%zu bytes beyond, in parts of %zu", size, part);
}

static void sections_are_those_of_the_definition(void **state) {
    (void)state;
    char *bytes = make_bytes();
    file_hash start = FILE_HASH_START(BOUGH_FNV1A_START);
    file_hash_add(&start, bytes, BYTEWISE - 10);
    for (size_t size = 0; size <= 300; size++)
        for (size_t part = 1; part < 80; part += 13) check_parts(bytes, &start, size, part);
    for (size_t size = SECTION - 40; size <= BEYOND; size++)
        check_parts(bytes, &start, size, 1000 + size % 70000);
    free(bytes);
}

/* Sections that were hashed elsewhere, with the rest of the file in one or as bytes. */
static void sections_can_be_joined(void **state) {
    (void)state;
    char *bytes = make_bytes();
    const uint64_t bytewise = bough_fnv1a(BOUGH_FNV1A_START, bytes, BYTEWISE);
    for (size_t size = SECTION - 1; size <= BEYOND; size += 67) {
        const size_t first = size < SECTION ? size : SECTION;
        file_hash joined = FILE_HASH_START(BOUGH_FNV1A_START), added;
        file_hash_add(&joined, bytes, BYTEWISE);
        file_hash_join(&joined, file_hash_section(bytes + BYTEWISE, first), first);
        added = joined;
        if (size > first)
            file_hash_join(&joined, file_hash_section(bytes + BYTEWISE + first, size - first), size - first);
        file_hash_add(&added, bytes + BYTEWISE + first, size - first);
        assert_true(file_hash_end(&joined) ==
                    expected(bytewise, (const unsigned char *)bytes + BYTEWISE, size));
        assert_true(file_hash_end(&added) == file_hash_end(&joined));
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sections_are_those_of_the_definition),
                                       cmocka_unit_test(sections_can_be_joined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
