/* The hash function FNV-1a of Fowler, Noll and Vo, 64 bits. */
#ifndef BOUGH_BASE_MEMORY_FNV1A_H
#define BOUGH_BASE_MEMORY_FNV1A_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOUGH_FNV1A_START UINT64_C(0xcbf29ce484222325)

/* The hash of what was hashed before, and these bytes. */
static inline uint64_t bough_fnv1a(uint64_t hash, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same for a file in parts: begin with FILE_HASH_START, add its bytes, end. Beyond the first MiB sections
 * of 128 KiB have hashes of their own, which threads can find at a time, and count as a byte does. Within a
 * section words of eight bytes (little-endian) count as one byte does, and four hashes take a word each in
 * turn, which is twenty times as fast. */
enum { FILE_HASH_LANES = 4, FILE_HASH_SECTION = 1 << 17, FILE_HASH_BYTEWISE = 1 << 20 };
typedef struct file_hash {
    uint64_t hash, count;
    uint64_t lane[FILE_HASH_LANES];
    char rest[8 * FILE_HASH_LANES]; /* bytes that do not fill a word of each */
    unsigned rests;
    bool open; /* a section has begun, and is not in `hash` yet */
} file_hash;
#define FILE_HASH_START(from) ((file_hash){.hash = (from)})
void file_hash_add(file_hash *h, const char *bytes, size_t length);
uint64_t file_hash_end(const file_hash *h);
/* The hash of a section, or of less at the end of a file; and adds one: the same as to add its bytes. It must
 * begin behind FILE_HASH_BYTEWISE and whole sections. */
uint64_t file_hash_section(const char *bytes, size_t length);
void file_hash_join(file_hash *h, uint64_t section, size_t length);
/* The hash of what was hashed before, and the bytes of a file. */
uint64_t bough_fnv1a_file(uint64_t hash, const char *bytes, size_t length);

#endif
