/* The hash function FNV-1a of Fowler, Noll and Vo, 64 bits. */
#ifndef BOUGH_BASE_MEMORY_FNV1A_H
#define BOUGH_BASE_MEMORY_FNV1A_H

#include <stddef.h>
#include <stdint.h>

#define BOUGH_FNV1A_START UINT64_C(0xcbf29ce484222325)

/* The hash of what was hashed before, and these bytes. */
static inline uint64_t bough_fnv1a(uint64_t hash, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same for a file in parts: begin with FILE_HASH_START, add its bytes, end. Beyond the first MiB words
 * of eight bytes (little-endian) count as one byte does, and four hashes take a word each in turn, which is
 * twenty times as fast. */
enum { FILE_HASH_LANES = 4 };
typedef struct file_hash {
    uint64_t hash, count;
    uint64_t lane[FILE_HASH_LANES];
    char rest[8 * FILE_HASH_LANES]; /* bytes that do not fill a word of each */
    unsigned rests;
} file_hash;
#define FILE_HASH_START(from) ((file_hash){.hash = (from)})
void file_hash_add(file_hash *h, const char *bytes, size_t length);
uint64_t file_hash_end(file_hash *h);
/* The hash of what was hashed before, and the bytes of a file. */
uint64_t bough_fnv1a_file(uint64_t hash, const char *bytes, size_t length);

#endif
