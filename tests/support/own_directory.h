/* Tests in a directory of their own. */
#ifndef BOUGH_TEST_OWN_DIRECTORY_H
#define BOUGH_TEST_OWN_DIRECTORY_H

#include <stddef.h>

/* Set-up and tear-down of a test: its working directory is new, and removed with its files. */
int own_directory_enter(void **state);
int own_directory_leave(void **state);

void file_write(const char *name, const void *data, size_t size);
/* Returns the size of the file, which must be below size. */
size_t file_read(const char *name, char *data, size_t size);

#endif
