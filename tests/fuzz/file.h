/* The input as a file that a path names, for readers that take no bytes. */
#ifndef BOUGH_FUZZ_FILE_H
#define BOUGH_FUZZ_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Writes data and puts the path into path; the file is gone when the descriptor that it returns is closed. */
static inline int fuzz_file(const unsigned char *data, size_t size, char *path, size_t room) {
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    snprintf(path, room, "/proc/self/fd/%d", file);
    return file;
}

#endif
