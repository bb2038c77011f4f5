/* Reads inputs: a file or `-` for standard input, plain or compressed, an archive, or a directory, as one
 * input in pieces. */
#ifndef BOUGH_BASE_FILES_INPUT_H
#define BOUGH_BASE_FILES_INPUT_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bough_input_piece {
    char *name; /* as used in messages */
    char *data; /* NUL-terminated; may contain other NULs, so use size */
    size_t size;
} bough_input_piece;

typedef struct bough_input {
    const char *name; /* as given by the caller, who keeps it */
    bough_input_piece
        *piece; /* one for a file; for a directory or an archive, one per regular file, sorted by name */
    size_t count;
    uint64_t hash;   /* of the uncompressed bytes of all pieces (bough_fnv1a_file) */
    char **left_out; /* names of the files that a choice left out */
    size_t left_out_count;
} bough_input;

/* Which files of a directory or an archive are read. */
typedef struct bough_input_choice {
    /* Decides by the first bytes of a file, at most BOUGH_INPUT_HEAD. Links and devices in archives are left
     * out. */
    bool (*wanted)(const char *data, size_t size);
    bool several; /* a path that is neither a directory nor an archive gives no pieces */
} bough_input_choice;
#define BOUGH_INPUT_HEAD ((size_t)1 << 16)

/* Reads an input of at most BOUGH_INPUT_MAX uncompressed bytes. Files compressed by gzip, xz, zstd or bzip2
 * are uncompressed, tar and zip archives are read like directories, but with all their subdirectories, and so
 * is ARCHIVE/MEMBER, one file or one directory of an archive. The content says what a file is, not its name.
 * Hidden files are left out.
 *
 * Errors: INVALID for files that are missing, unreadable, damaged or truncated; TOO_LARGE above the limit, if
 * memory is not sufficient, and for files that expand excessively: to more than 256 MiB in total, and more
 * than 250 times the files or half of the memory (bough_memory_limit). */
#define BOUGH_INPUT_MAX (UINT64_C(4) << 30)
bough_status bough_input_read(const char *path, bough_input *input, bough_error *error);
/* The same for some of the files of a directory or an archive; there may be none. Of a file that is not
 * wanted only the beginning is held in memory. A path that is one file is read whatever it is. */
bough_status bough_input_read_some(const char *path, const bough_input_choice *choice, bough_input *input,
                                   bough_error *error);
/* The same from memory (copied); for tests and fuzzing. */
bough_status bough_input_from(const char *name, const void *data, size_t size, bough_input *input,
                              bough_error *error);
void bough_input_fini(bough_input *input);
/* Refuses an input of several pieces, listing their names. what: what the caller reads, "fabric file". */
bough_status bough_input_single(const bough_input *input, const char *what, bough_error *error);
uint64_t bough_input_bytes(const bough_input *input); /* over all pieces */

/* Formats "FILE:LINE", or FILE for line 0 (an empty file). Long names are cut at the start, which keeps the
 * number. */
char *bough_format_place(char *buffer, size_t size, const char *file, uint64_t line);
/* If status is a failure, sets its place so. Returns status. */
bough_status bough_at_line(bough_status status, const char *file, uint64_t line, bough_error *error);

#endif
