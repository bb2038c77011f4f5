/* Packs archives and compressed files. */
#ifndef TESTS_SUPPORT_ARCHIVES_H
#define TESTS_SUPPORT_ARCHIVES_H

#include <archive.h>
#include <archive_entry.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct archive_member {
    const char *name, *data;
    size_t size;  /* 0: of the text */
    size_t times; /* that the data is written; 0: once */
    mode_t type;  /* 0: a file */
} archive_member;

struct archive *archive_begin(const char *name, int format, int filter);
void archive_put(struct archive *a, const archive_member *m);
void archive_finish(struct archive *a);
/* All of it. */
void archive_pack(const char *name, int format, int filter, const archive_member *m, size_t count);

#endif
